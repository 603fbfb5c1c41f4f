"""Names whose direction depends on what the rows are, or on the size of the values."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import deabench as db
from deabench.tables.read import read


def roles_of(table) -> dict[str, str]:
    return {column.name: column.role for column in table.columns}


def test_memory_is_an_offer_of_a_graphics_card_and_a_cost_of_a_model(tmp_path) -> None:
    text = "{},FP16 TFLOPS,VRAM (GB),Memory used (GB),TDP (W)\nA,82,24,11,450\nB,40,12,9,285\n"
    path = tmp_path / "cards.csv"
    path.write_text(text.format("GPU"))
    assert roles_of(read(path)) == {
        "FP16 TFLOPS": "output",
        "VRAM (GB)": "output",
        "Memory used (GB)": "cost",
        "TDP (W)": "cost",
    }
    path.write_text(text.format("Model").replace(",TDP (W)", ",Power (W)"))
    assert roles_of(read(path))["VRAM (GB)"] == "cost"


@pytest.mark.parametrize(
    ("ratios", "name", "role"),
    [
        ([2.1, 2.9, 1.0], "Ratio", "output"),
        ([0.48, 0.34, 1.0], "Ratio", "cost"),
        ([48.1, 34.5, 100.0], "ratio%", "cost"),
        # Percent without a sign, or factors: the values do not tell.
        ([48.1, 34.5, 100.0], "Ratio", "unknown"),
        ([2.1, 2.9, 1.0], "Compression ratio", "output"),
        ([0.48, 0.34, 0.9], "Compression ratio", "conditional"),
    ],
)
def test_a_ratio_of_compression_has_the_direction_that_its_values_tell(ratios, name, role) -> None:
    table = {
        "Compressor": ["lzx", "brot", "memcpy"],
        name: ratios,
        "Compression MB/s": [500, 40, 9000],
        "Decompression MB/s": [2000, 400, 9000],
    }
    assert roles_of(read(table))[name] == role


def test_a_ratio_of_anything_else_is_asked_about() -> None:
    table = {"model": ["A", "B", "C"], "ratio": [2.1, 2.9, 1.5], "accuracy": [0.8, 0.7, 0.9]}
    assert read(table).question.columns == ("ratio",)


def mean_ranks(n: int, names: list[str]) -> pd.DataFrame:
    """Return means of the ranks of n systems over seven data sets, for each of some metrics."""
    rng = np.random.default_rng(3)
    columns = {name: rankdata(rng.random((7, n)), axis=1).mean(axis=0) for name in names}
    return pd.DataFrame({"method": [f"M{k}" for k in range(n)], **columns}).round(4)


def test_mean_ranks_below_names_of_metrics_are_better_low(tmp_path) -> None:
    path = tmp_path / "table.csv"
    mean_ranks(6, ["AUC-ROC", "VUS-PR", "F1"]).to_csv(path, index=False)
    table = read(path)
    assert {c.name: c.direction for c in table.metrics} == dict.fromkeys(
        ["AUC-ROC", "VUS-PR", "F1"], "lower"
    )
    # One value more and the columns have another mean: they are percent.
    frame = mean_ranks(6, ["AUC-ROC", "VUS-PR", "F1"])
    frame.loc[0, "F1"] = 1.0
    frame.to_csv(path, index=False)
    assert roles_of(read(path))["AUC-ROC"] == "output"


def test_rates_from_1_to_n_are_asked_about_where_the_text_speaks_of_ranks(tmp_path) -> None:
    frame = mean_ranks(7, ["AUC-ROC", "F1"]).iloc[:5]
    lines = ["|" + "|".join(map(str, row)) + "|" for row in [frame.columns, ["--"] * 3]]
    lines += ["|" + "|".join(map(str, row)) + "|" for row in frame.to_numpy()]
    path = tmp_path / "table.md"
    path.write_text("## Average ranks of all methods\n\n" + "\n".join(lines) + "\n")
    question = read(path).question
    assert set(question.columns) == {"AUC-ROC", "F1"}
    assert question.default == "lower"


def test_a_row_of_improvements_is_no_system(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Method,AUROC,F1\nours,93.3,81.0\nCNN,92.6,77.0\nImprovement,+0.7,+4.0\n")
    table = read(path)
    assert list(table.frame.index) == ["ours", "CNN"]
    # An airline is called Delta, and the least of a table may be.
    path.write_text("Airline,Passengers,Staff\nDelta,10,5\nUnited,20,9\nAlaska,30,11\n")
    assert list(read(path).frame.index) == ["Delta", "United", "Alaska"]


def test_years_below_an_unknown_name_are_no_metric() -> None:
    table = read({"model": ["A", "B"], "EIS": [1988, 2015], "accuracy": [0.8, 0.7]})
    assert roles_of(table)["EIS"] == "left_out"
    assert table.question is None


def test_codes_of_currencies_stand_before_numbers() -> None:
    table = read({"model": ["A", "B"], "price": ["USD 9", "USD 12.50"], "accuracy": [0.8, 0.7]})
    assert table.frame["price"].tolist() == [9.0, 12.5]
    mixed = read({"model": ["A", "B"], "price": ["USD 9", "EUR 8"], "accuracy": [0.8, 0.7]})
    assert mixed.frame["price"].isna().tolist() == [False, True]


def test_groups_of_records_are_one_table(tmp_path) -> None:
    path = tmp_path / "groups.json"
    path.write_text(
        '{"tools": [{"Model": "A", "acc": 0.5}, {"Model": "B", "acc": 0.6}],'
        ' "chat": [{"Model": "A", "acc": 0.4}, {"Model": "B", "acc": 0.7}]}'
    )
    table = read(path)
    assert table.label == ("Model", "group")
    assert len(table.frame) == 4
    path.write_text(
        '[{"tools": [{"Model": "A", "acc": 0.5}]}, {"chat": [{"Model": "A", "acc": 1}]}]'
    )
    assert len(read(path).frame) == 2


def test_a_text_tells_the_direction_of_columns_of_any_size(tmp_path) -> None:
    rows = [("A 8GB", 70.9, 20.8), ("B 12GB", 106.4, 40.3), ("C 24GB", 127.7, 54.3)]
    lines = ["| GPU | 8B | 70B |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    path = tmp_path / "speed.md"
    path.write_text("Speed of writing text. Higher speed is better.\n\n" + "\n".join(lines) + "\n")
    table = read(path)
    assert {c.name: c.direction for c in table.metrics} == {"8B": "higher", "70B": "higher"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("model_a,model_b,win_rate\nA,B,0.6\nA,C,0.7\nB,C,0.5\n", "are pairs"),
        ("Model,Dataset,Top-1\nA,ImageNet,76\nB,CIFAR,95\nC,SVHN,97\n", "different data"),
        ("model,group,accuracy\nA,f,0.9\nA,m,0.8\nB,f,0.7\nB,m,0.85\n", "for each 'group'"),
        ("GPU,Count,Memory (GB)\nA100,4,80\nH100,8,96\nT4,2,16\n", "in 'Memory (GB)'"),
        ("Model,Size,Download\ntiny,39 MB,here\nbase,74 MB,here\n", "in 'Size'"),
        ("Model,Average rank\nA,2.1\nB,1.4\nC,2.5\n", "in 'Average rank'"),
        ("Model,ΔmAP,ΔFPS\nA,1.2,-3\nB,0.4,2\n", "in 'ΔmAP', 'ΔFPS'"),
        ("Team,Won,Lost,GX,GY,Points\nA,6,2,20,10,20\nB,5,3,18,12,17\nC,2,6,9,20,8\n", "'GY'"),
        ("architecture,size,AP\nX,S,73\nX,M,75\nX,L,77\n", "differ in 'size'"),
        ("n1,cpu_model,memory_model,memory_gb\na,Xeon,DDR4,125\nb,EPYC,DDR5,126\n", "'n1'"),
    ],
)
def test_what_may_be_no_comparison_of_systems_is_asked_about(text, words, tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    question = read(path).question
    assert question is not None
    assert words in question.text


def test_the_answer_to_ranks_and_sizes_alone_is_likely_lower(tmp_path) -> None:
    for name in ("Average rank", "Params"):
        path = tmp_path / "table.csv"
        path.write_text(f"Model,{name}\nA,2.1\nB,1.4\nC,2.5\n")
        assert read(path).question.default == "lower"


def test_systems_in_a_column_of_their_own_are_not_looked_for_in_others(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Name,Features,Split 1,Split 2\nours,Graph,0.79,0.73\nours,Point,0.71,0.63\n")
    assert "systems of 'table' are its columns" not in read(path).question.text


def test_columns_that_end_with_one_measure_may_be_systems(tmp_path) -> None:
    path = tmp_path / "joins.csv"
    path.write_text(
        "Dataset Size,Pandas Time (s),cuDF Time (s),Speedup\n1M,1.04,0.09,12\n5M,1.5,0.06,25\n"
    )
    question = read(path).question
    assert list(question.answers) == ["dataset", "label"]
    table = read(path, roles={"Dataset Size": "dataset"})
    assert list(table.frame.index) == ["Pandas Time (s)", "cuDF Time (s)"]
    # Reading and writing are no systems.
    path.write_text("file,read time (s),write time (s)\na,1.04,0.09\nb,1.5,0.06\n")
    assert "dataset" not in read(path).question.answers


def test_statistics_in_the_index_of_a_frame_are_no_systems() -> None:
    frame = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "f1": [0.5, 0.7, 0.6]}, index=list("abc"))
    frame.loc["mean"] = frame.mean()
    frame.loc["std"] = frame.iloc[:3].std()
    table = read(frame)
    assert list(table.frame.index) == ["a", "b", "c"]
    assert any("'mean', 'std'" in note for note in table.notes)


def test_a_board_that_ranks_models_holds_no_ranks(tmp_path) -> None:
    rng = np.random.default_rng(5)
    rows = [f"| M{k} | {a:.1f} | {b:.1f} |" for k, (a, b) in enumerate(rng.uniform(5, 90, (99, 2)))]
    path = tmp_path / "board.md"
    lines = ["This board ranks models.", "", "| model | accuracy | F1 |", "|---|---|---|", *rows]
    path.write_text("\n".join(lines) + "\n")
    assert read(path).question is None


def test_a_few_small_numbers_are_no_ranks() -> None:
    frame = pd.DataFrame({"a": [1.0, 3, 4, 2], "b": [4.0, 3, 1, 2]}, index=list("pqrs"))
    assert {column.role for column in read(frame).columns} == {"guess"}


@pytest.mark.parametrize(
    ("heading", "name", "role"),
    [
        ("Output tokens throughput (tokens/s)", "a", "outputs"),
        ("Time to first token (seconds)", "a", "inputs"),
        ("Word error rate (%)", "a", "lower_rates"),
        ("Accuracy (%)", "a", "outputs"),
        ("Results", "call_cycles", "inputs"),
        # Percentiles of what nothing names are those of times.
        ("Results", "a", "inputs"),
    ],
)
def test_statistics_are_those_of_what_the_heading_names(heading, name, role, tmp_path) -> None:
    cells = "| x | 66 | 63 | 22 | 86 | 56 | 72 |\n| y | 21 | 25 | 13 | 32 | 20 | 22 |\n"
    header = "| Framework | Median | Mean | Min | Max | P25 | P99 |\n" + "|---" * 7 + "|\n"
    path = tmp_path / f"{name}.md"
    path.write_text(f"## {heading}\n\n{header}{cells}| z | 40 | 39 | 33 | 45 | 40 | 44 |\n")
    table = read(path)
    assert getattr(table, role) == ["Median", "Mean", "P25", "P99"]


def test_means_that_nothing_names_and_means_beside_metrics_stay_open(tmp_path) -> None:
    path = tmp_path / "a.csv"
    for header in ("model,mean,median", "model,mean,median,accuracy"):
        rows = "".join(
            f"{m},{k + 0.5},{3 * k % 4 + 1.25},0.{k + 5}\n" for k, m in enumerate("abcd")
        )
        cut = header.count(",") + 1
        body = "\n".join(",".join(line.split(",")[:cut]) for line in rows.splitlines())
        path.write_text(f"{header}\n{body}\n")
        assert not {"mean", "median"} & {*read(path).outputs, *read(path).inputs}


@pytest.mark.parametrize(
    ("header", "rows", "asked"),
    [
        ("server,p99.9,p50,p99,avg", "a,9.1,1.2,4.5,1.6\nb,12.5,1.9,6.1,2.2", False),
        # What is above the 80th percentile is not below it.
        ("method,90%,80%,avg", "a,71.7,72.9,72.3\nb,72.5,72.1,72.9", True),
        ("method,+80%,+90%,avg", "a,71.7,72.9,72.3\nb,72.1,72.5,72.9", True),
    ],
)
def test_percentiles_rise_and_have_no_signs(header, rows, asked, tmp_path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n{rows}\n")
    table = read(path)
    assert (table.question is not None) == asked
    assert ("cost" in roles_of(table).values()) != asked


@pytest.mark.parametrize(
    ("title", "role"),
    [("query_times", "cost"), ("tpch_runtime", "cost"), ("survey_times", ""), ("query_recall", "")],
)
def test_queries_below_a_title_of_times_are_times(tmp_path, title, role) -> None:
    """Q1 to Q4 may be answers, quarters or quartiles where nothing speaks of times of queries."""
    path = tmp_path / f"{title}.csv"
    path.write_text(
        "engine,Q1,Q2,Q3,Q4\nA,114.7,5.5,19.1,1.1\nB,9.2,2.6,20.9,50.6\nC,6.2,0.6,9.4,8.7\n"
    )
    table = read(path)
    assert table.costs == (["Q1", "Q2", "Q3", "Q4"] if role else [])
    assert not table.outputs


@pytest.mark.parametrize(
    ("title", "unit"),
    [
        ("Customer queries answered in time", ""),
        ("Queries: first response time met, %", ""),
        ("Share of query time that is idle", ""),
        ("Query time", ""),
        ("Query time of a page", "%"),
    ],
)
def test_shares_of_queries_are_no_times(tmp_path, title, unit) -> None:
    path = tmp_path / "table.md"
    rows = [(91.5, 84.4, 76.9, 84.2), (82.5, 74.5, 85.8, 85.4), (90.3, 79.8, 87.8, 75.7)]
    cells = [f"| T{k} |" + "|".join(f"{cell}{unit}" for cell in row) for k, row in enumerate(rows)]
    head = "| Team | Q1 | Q2 | Q3 | Q4 |\n|---|---|---|---|---|\n"
    path.write_text(f"## {title}\n\n{head}" + "|\n".join(cells) + "|\n")
    assert read(path).costs == []
    # A unit of time tells the same numbers from percent.
    path.write_text(f"## Query time (s)\n\n{head}" + "|\n".join(cells) + "|\n")
    assert read(path).costs == ([] if unit else ["Q1", "Q2", "Q3", "Q4"])


@pytest.mark.parametrize(
    ("text", "name", "role"),
    [
        ("The table shows the Friedman ranks of all methods.", "AUC", "lower_rate"),
        ("Friedman test of all methods by average rank.", "Friedman", "lower_rate"),
        ("Results of all methods.", "AUC", "output"),
        # The text may speak of another table, and the column of something else.
        ("The average rank is in Table 2.", "AUC", "conditional"),
        ("The average rank was compared to the grade.", "Grade", "conditional"),
        ("The table shows average ranks and grades.", "Grade", "conditional"),
        ("Numbers are average ranks from 1 to 6, 6 is best.", "AUC", "output"),
    ],
)
def test_a_single_column_holds_ranks_where_it_is_called_so(tmp_path, text, name, role) -> None:
    path = tmp_path / "board.md"
    rows = zip("ABCDEF", (1.11, 2.03, 3.02, 4.06, 5.24, 5.54), strict=True)
    cells = "".join(f"| {system} | {rank} |\n" for system, rank in rows)
    path.write_text(f"{text}\n\n| Method | {name} |\n|---|---|\n{cells}")
    assert roles_of(read(path))[name] == role


def test_a_mean_beside_percentiles_of_the_same_measurement_is_spent_as_they_are(tmp_path) -> None:
    file = tmp_path / "stores.csv"
    file.write_text(
        "db,scan_p50,scan_avg,load_qps,walk_avg\na,3,4,70,1.5\nb,5,6,90,2.5\nc,4,9,80,3.5\n"
    )
    columns = {column.name: column for column in db.read(file).columns}
    assert columns["scan_avg"].role == columns["scan_p50"].role == "cost"
    assert columns["walk_avg"].role != "cost"  # nothing tells that it is a time


@pytest.mark.parametrize(
    ("prices", "asked"),
    [("9 5 10 8", True), ("9.5 5 10 8", True), ("9.3 5.1 10 8", False), ("90 50 100 80", False)],
)
def test_a_cost_among_ratings_is_asked_about(prices, asked) -> None:
    cells = {
        "Model": ["a", "b", "c", "d"],
        "Scalability": [9, 7, 8, 6],
        "Reliability": [10, 8, 9, 7],
        "Usability": [3, 8, 9, 10],
        "Cost": [float(price) for price in prices.split()],
    }
    column = next(c for c in db.read(pd.DataFrame(cells)).columns if c.name == "Cost")
    assert column.role == ("conditional" if asked else "cost")


def university_ranks(rows: int = 14) -> pd.DataFrame:
    """Return universities with their rank, their ranks in three criteria, and a score."""
    rng = np.random.default_rng(5)
    rank = np.arange(1, rows + 1)
    criteria = {
        name: rankdata(rank + rng.normal(0, 3, rows)).astype(int)
        for name in ("citations", "patents", "influence")
    }
    score = np.linspace(100, 44.5, rows).round(2)
    names = [f"University {k}" for k in rank]
    return pd.DataFrame({"world_rank": rank, "institution": names, **criteria, "score": score})


def test_criteria_of_a_ranking_that_rise_with_the_rank_are_ranks(tmp_path) -> None:
    path = tmp_path / "universities.csv"
    ranks = university_ranks()
    ranks.to_csv(path, index=False)
    table = read(path)
    assert (table.outputs, table.question) == (["score"], None)
    assert table.lower_rates == ["citations", "patents", "influence"]
    # Another numbering of the rows is a rank, too, though it hardly goes with the first.
    numbers = np.argsort(np.arange(14) * 5 % 14) + 1
    ranks.assign(publications=numbers).to_csv(path, index=False)
    assert "publications" in read(path).lower_rates
    # Counts fall as the rank rises, and a single criterion from 1 on may be anything.
    counts = ranks.assign(**{c: 15 - ranks[c] for c in ("citations", "patents", "influence")})
    counts.to_csv(path, index=False)
    assert {"citations", "patents"} <= set(read(path).outputs)
    ranks.assign(patents=15 - ranks.patents).to_csv(path, index=False)
    assert {"citations", "patents"} <= set(read(path).outputs)


def test_a_mean_rank_is_the_metric_of_rows_that_are_ranked_by_it(tmp_path) -> None:
    path = tmp_path / "runs.csv"
    text = "Rank,Model,Mean rank,Params\n1,A,1.4,2e6\n2,B,2.1,4e6\n3,C,2.5,3e6\n"
    path.write_text(text)
    table = read(path)
    assert (table.lower_rates, table.costs, table.question) == (["Mean rank"], ["Params"], None)
    path.write_text(text.replace("Params", "Accuracy").replace("e6", "0"))
    assert (read(path).outputs, read(path).lower_rates) == (["Accuracy"], [])


def test_test_functions_are_data_sets_of_algorithms(tmp_path) -> None:
    path = tmp_path / "cec.csv"
    rows = [f"{a},F{k},{k * 1.5 + len(a)}\n" for a in ("PSO", "GWO") for k in range(1, 6)]
    path.write_text("Algorithm,Function,Mean error\n" + "".join(rows))
    table = read(path)
    assert (table.label, table.dataset, table.question) == (("Algorithm",), "Function", None)


def test_scores_that_rise_with_the_rank_are_better_low(tmp_path) -> None:
    path = tmp_path / "forecasts.csv"
    rows = [f"{k},bot {k},{0.1 + k / 50:.3f},{0.2 + (k ^ 1) / 50:.3f},0.9\n" for k in range(1, 10)]
    header = "Ranking,Model,Overall Score (N=183),Market Score (N=14),F1 score\n"
    path.write_text(header + "".join(rows))
    table = read(path)
    assert table.lower_rates == ["Overall Score (N=183)", "Market Score (N=14)"]
    assert table.outputs == ["F1 score"]
    # Scores that fall as the rank rises are better high, and so is one that does neither.
    path.write_text(header.replace("Ranking", "Number") + "".join(rows))
    assert "Overall Score (N=183)" not in read(path).lower_rates
    falling = [f"{k},bot {k},{0.9 - k / 50:.3f},{0.2 + k / 50:.3f},0.9\n" for k in range(1, 10)]
    path.write_text(header + "".join(falling))
    assert "Overall Score (N=183)" in read(path).outputs


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("metric", "ranks", "scores"),
    [
        # Scores without a spread, ranks of matrices, and scores of known metrics.
        ("Overall Score", range(1, 9), [0.5] * 8),
        ("Overall Score", [2**k for k in range(1, 9)], np.arange(8) / 50 + 0.5),
        ("Mean F1 Score", range(1, 9), np.arange(8) / 50 + 0.5),
    ],
)
def test_scores_of_metrics_and_ranks_of_matrices_turn_nothing(
    tmp_path, metric, ranks, scores
) -> None:
    path = tmp_path / "runs.csv"
    names = [f"M{k}" for k in range(8)]
    frame = pd.DataFrame(
        {"Model": names, "rank": ranks, metric: scores, "Time (s)": range(9, 1, -1)}
    )
    frame.to_csv(path, index=False)
    assert read(path).outputs == [metric]


def test_training_data_is_a_condition_where_all_metrics_name_it(tmp_path) -> None:
    path = tmp_path / "emotions.csv"
    path.write_text(
        "Model,Original training data UAR,Augmented training data UAR\nA,0.61,0.64\nB,0.58,0.66\n"
    )
    assert len(read(path).outputs) == 2
    path.write_text("Model,Training data UAR,Test UAR\nA,0.61,0.64\nB,0.58,0.66\n")
    assert read(path).outputs == ["Test UAR"]
    path.write_text(
        "Model,Clean training data WER,Noisy training data WER\nA,21.1,26.4\nB,25.8,29.1\n"
    )
    columns = [column for column in read(path).columns if column.role == "lower_rate"]
    assert [column.unit for column in columns] == ["percent", "percent"]
    # One condition is none.
    path.write_text("Model,Clean training data UAR,Clean training data F1\nA,.61,.64\nB,.5,.6\n")
    assert read(path).outputs == []
    path.write_text("Model,Training set accuracy,Training set F1\nA,0.61,0.64\nB,0.58,0.66\n")
    assert read(path).outputs == []
