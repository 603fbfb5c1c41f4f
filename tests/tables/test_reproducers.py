"""Reproducers of misread tables that no other test here holds, from file to ranking."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def write(tmp_path, text: str, name: str = "board.csv") -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "names",
    [
        ("Input1", "Input2", "Output1", "Output2"),
        ("(I)Staff", "(I)Beds", "(O)Patients", "(O)Visits"),
        ("X1", "X2", "Y1", "Y2"),
        ("D-Input1", "D-Input2", "D-Output1", "D-Output2"),
    ],
)
@pytest.mark.parametrize("scale", [1, 0.37])
def test_the_canonical_table_of_the_field_is_not_upside_down(names, scale, tmp_path) -> None:
    # A uses most of the second input and makes least of both outputs.
    rows = {"A": (2, 3, 1, 2), "B": (3, 2, 2, 3), "C": (4, 1, 3, 4)}
    lines = [",".join([name, *(f"{scale * cell:g}" for cell in row)]) for name, row in rows.items()]
    ranking = db.rank(write(tmp_path, "\n".join([",".join(["DMU", *names]), *lines]) + "\n"))
    assert sorted(ranking.data.inputs) == sorted(names[:2])
    assert sorted(ranking.data.outputs) == sorted(names[2:])
    scores = ranking.to_frame()["efficiency"]
    assert scores["C"] >= scores["A"]


@pytest.mark.parametrize(
    "title",
    [
        "livebench",
        "mybench",
        "scores",
        "quality",
        "catboost_quality",
        "wer_results",
        "accuracy",
        "error",
        "results",
        "table_2025_05_30",
        "leaderboard",
        "auc",
        "my_scores",
    ],
)
def test_the_name_of_a_file_never_replaces_its_columns(title, tmp_path) -> None:
    tasks = {"model": list("abc"), "coding": [60.5, 70, 50], "reasoning": [80.5, 40, 60]}
    path = tmp_path / f"{title}.csv"
    pd.DataFrame(tasks | {"typos": [30.5, 55, 70]}).to_csv(path, index=False)
    table = db.read(path)
    assert list(table.frame.columns) == ["coding", "reasoning", "typos"]
    assert list(table.frame.index) == ["a", "b", "c"]


DOCUMENTS = {
    "a.md": "# Speeds\n\n|Name|Ratio|Speed|\n|---|:---:|---|\n{}\n",
    "a.html": "<table><tr><th>Name</th><th>Ratio</th><th>Speed</th></tr>{}</table>",
    "a.tex": (
        "\\begin{{tabular}}{{lll}}\nName & Ratio & Speed \\\\\n\\midrule\n{}\\end{{tabular}}\n"
    ),
}
CELLS = {
    "a.md": "|{}|{}|{} MB/s|\n",
    "a.html": "<tr><td>{}</td><td>{}</td><td>{} MB/s</td></tr>",
    "a.tex": "\\textbf{{{}}} & {} & {} MB/s \\\\\n",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_read_whole(name, tmp_path) -> None:
    systems = [("zstd", 2.887, 510), ("lz4", 2.101, 675), ("brotli", 2.702, 400)]
    body = "".join(CELLS[name].format(*system) for system in systems)
    table = db.read(write(tmp_path, DOCUMENTS[name].format(body.strip("\n") + "\n"), name))
    # Neither the rule below the header nor markup is a system or a label.
    assert table.label == ("Name",)
    assert list(table.frame.index) == ["zstd", "lz4", "brotli"]
    assert table.frame["Speed"].tolist() == [510, 675, 400]
    assert table.column("Speed").direction == "higher"


def test_records_of_yaml_are_read_whole(tmp_path) -> None:
    text = "- model: a\n  pass_rate_1: 61.5\n  total_cost: 2.1\n"
    text += "- model: b\n  pass_rate_1: 70.2\n  total_cost: 9.9\n"
    table = db.read(write(tmp_path, text, "board.yml"))
    assert (table.outputs, table.costs) == (["pass_rate_1"], ["total_cost"])


@pytest.mark.parametrize(
    "header",
    ["MASE,MSIS", "Time (ms),Memory (byte)", "mean,user,system", "mae,rmse,seconds", "price,watts"],
)
def test_what_is_only_better_low_is_ranked(header, tmp_path) -> None:
    names = header.split(",")
    columns = {name: [k + 1.5, k + 3.5, k + 4.5] for k, name in enumerate(names)}
    pd.DataFrame({"command": list("abc")} | columns).to_csv(tmp_path / "board.csv", index=False)
    ranking = db.rank(tmp_path / "board.csv")
    # A constant output stands for what all of them make.
    assert list(ranking.data.outputs) == ["constant output"]
    assert sorted(ranking.data.inputs) == sorted(names)
    assert ranking.to_frame()["efficiency"].idxmax() == "a"


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0.91 [0.81, 0.93]", "0.84 [0.8, 0.9]"], [0.91, 0.84]),
        (["0.91 [0.81-0.93]", "0.84 [0.8-0.9]"], [0.91, 0.84]),
        (["66.1 $\\pm$ 3.1", "60.2 $\\pm$ 2.0"], [66.1, 60.2]),
        (["66.1_{\\pm 3.1}", "60.2_{\\pm 2.0}"], [66.1, 60.2]),
        (["\\textbf{66.1}", "60.2"], [66.1, 60.2]),
        (["\\textbf{66.1} $\\pm$ 3.1", "60.2 $\\pm$ 2.0"], [66.1, 60.2]),
        (["0.5564+0.0000", "0.5012+0.0100"], [0.5564, 0.5012]),
        (["510 MB/s", "400 MB/s"], [510, 400]),
        (["3.5 GiB", "1.2 GiB"], [3.5, 1.2]),
        (["1.1 GB", "2.5 GB"], [1.1, 2.5]),
        (["31.2 t/s", "20.1 t/s"], [31.2, 20.1]),
        (["21.4x", "10x"], [21.4, 10]),
    ],
)
def test_cells_as_papers_and_boards_write_them(cells, values, tmp_path) -> None:
    path = tmp_path / "board.csv"
    frame = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.9, 0.8], "other": cells})
    frame.to_csv(path, index=False)
    assert db.read(path).frame["other"].tolist() == values


def test_intervals_of_cells_reach_the_ranking(tmp_path) -> None:
    rows = "a,0.91 [0.88-0.94]\nb,0.84 [0.80-0.88]\nc,0.90 [0.87-0.93]\n"
    table = db.read(write(tmp_path, "model,AUC\n" + rows))
    assert table.error_bars["AUC"].to_numpy().tolist() == [[0.88, 0.94], [0.8, 0.88], [0.87, 0.93]]


@pytest.mark.parametrize(
    "text",
    [
        "metric,rf,xgb\naccuracy,.93,.94\nf1,.91,.92\nlatency_ms,40,15\n",
        "Metric,LogisticRegression,lr\nAccuracy,.9,.8\nBrier score,.1,.2\nFit time (s),1,2\n",
        "dataset,version,metric,mode,qwen,llama\nmmlu,4d595a,accuracy,gen,71.2,65.1\n"
        "gsm8k,1d7fe4,accuracy,gen,80.5,61.0\n",
    ],
)
def test_no_metric_is_crowned(text, tmp_path) -> None:
    table = db.read(write(tmp_path, text))
    systems = text.split("\n")[0].split(",")[-2:]
    assert table.kind == "metrics-in-rows"
    assert list(table.frame.index) == systems
    assert sorted(db.rank(table).to_frame().index) == sorted(systems)


def test_widths_of_intervals_are_no_metrics(tmp_path) -> None:
    text = "method,elo,elo+,elo-\nA,1450,40,38\nB,1460,10,10\nC,1400,90,90\n"
    table = db.read(write(tmp_path, text))
    assert table.outputs == ["elo"]
    assert db.rank(table).to_frame()["efficiency"].idxmax() == "B"


def test_the_shipped_tables_keep_their_f() -> None:
    ranking = db.rank(db.datasets.load("chao2022-svm-disjunct"))
    assert "F" in ranking.data.outputs


def test_a_header_that_is_a_link_names_the_systems(tmp_path) -> None:
    text = "|[Movielens 1M](http://m/1m)|RMSE|MAE|Time|\n|---|---|---|---|\n"
    text += "|[SVD](http://d/svd)|0.873|0.686|0:01:48|\n|[NMF](http://d/nmf)|0.916|0.724|0:04:02|\n"
    table = db.read(write(tmp_path, text, "README.md"))
    assert list(table.frame.index) == ["SVD", "NMF"]
    assert table.inputs == ["RMSE", "MAE", "Time"]


def test_a_unit_below_a_name_is_a_unit(tmp_path) -> None:
    header = "|Model|size|mAP<sup>val<br>0.5:0.95|Params<br>(M)|FLOPs<br>(G)|\n"
    rows = "|---|---|---|---|---|\n|S|640|40.5|9.0|26.8|\n|M|640|46.9|25.3|73.8|\n"
    table = db.read(write(tmp_path, header + rows, "a.md"))
    assert len(table.outputs) == 1
    assert table.costs == ["Params (M)", "FLOPs (G)"]
    assert "size" in table.left_out


def test_metrics_below_a_key_of_each_system(tmp_path) -> None:
    results = {
        name: {"pass@1": {"humaneval": 80.5 - k, "mbpp": 70.1 + k}} for k, name in enumerate("abc")
    }
    table = db.read(write(tmp_path, json.dumps(results), "results.json"))
    assert table.outputs == ["pass@1.humaneval", "pass@1.mbpp"]
    assert list(table.frame.index) == ["a", "b", "c"]


def test_negative_values_name_the_models_that_take_them(tmp_path) -> None:
    path = write(tmp_path, "model,reward,accuracy\na,-3.5,0.9\nb,2.5,0.8\nc,1.5,0.85\n")
    with pytest.raises(DataError, match="model='rdm'"):
        db.rank(path)
    assert db.rank(path, model="rdm").to_frame()["efficiency"].notna().all()


def test_wer_averages_are_not_better_high(tmp_path) -> None:
    rows = "a,5.5,5.0,6.0,100\nb,7.5,7.0,8.0,300\nc,6.0,5.5,6.5,200\n"
    text = f"model,Avg,de_covost,fr_mls,RTFx\n{rows}"
    table = db.read(write(tmp_path, text))
    assert "Avg" not in table.outputs
    assert set(table.guessed) >= {"Avg", "de_covost", "fr_mls"}
    named = db.read(write(tmp_path, text.replace("Avg", "Average WER")))
    assert named.lower_rates == ["Average WER", "de_covost", "fr_mls"]
