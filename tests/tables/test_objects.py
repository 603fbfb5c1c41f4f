"""JSON and YAML: records, nested metrics, and documents that are meant to hurt."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError
from deabench.tables.readers.files import read_file
from deabench.tables.readers.limits import Limits

RECORDS = """# aider's form
- dirname: 2024-12-21
  model: a
  pass_rate_2: 61.7
  command: aider --model a  # it has: colons
- dirname: 2024-12-22
  model: b
  pass_rate_2: 55.1
  command: aider --model b
"""
SYSTEMS = "---\na:\n  acc: 0.9\n  cost: {input: 1, output: 5}\nb:\n  acc: 0.8\n"


def read(folder, text: str, **options):
    path = folder / "table"
    path.write_text(text, encoding="utf-8")
    return read_file(path, **options)


def test_yaml_records(tmp_path) -> None:
    frame = read(tmp_path, RECORDS).frame
    assert frame["model"].tolist() == ["a", "b"]
    assert frame["pass_rate_2"].tolist() == [61.7, 55.1]


def test_yaml_systems_with_nested_metrics(tmp_path) -> None:
    source = read(tmp_path, SYSTEMS)
    assert source.frame["system"].tolist() == ["a", "b"]
    assert list(source.frame.columns) == ["system", "acc", "cost.input", "cost.output"]
    assert source.frame["cost.output"].tolist()[0] == 5


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("model,acc\na: 1,0.9\nb: 2,0.8\n", ["model", "acc"]),
        ("a;b: c\n1;2\n", ["a", "b: c"]),
        ("time\n1:02\n1:03\n", ["time"]),
        ("m,x\n- a,1\n", ["m", "x"]),
    ],
)
def test_a_csv_with_colons_or_dashes_is_no_yaml(text, columns, tmp_path) -> None:
    assert list(read(tmp_path, text).frame) == columns


def test_aliases_and_merge_keys_are_read(tmp_path) -> None:
    text = "base: &base\n  acc: 0.9\n  ms: 5\nother:\n  <<: *base\n  acc: 0.8\n"
    assert read(tmp_path, text).frame.to_dict("list") == {
        "system": ["base", "other"],
        "acc": [0.9, 0.8],
        "ms": [5, 5],
    }


def test_aliases_that_stand_for_billions_of_cells_are_refused(tmp_path) -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 10)]
    with pytest.raises(DataError, match=r"cells, more than 50,000,000; raise the limit"):
        read(tmp_path, "\n".join(lines))


def test_an_alias_within_itself_is_refused(tmp_path) -> None:
    with pytest.raises(DataError, match=r"has an alias '\*x' within itself"):
        read(tmp_path, "a: &x\n  b: *x\nc: 1\n")


@pytest.mark.parametrize("opening", ["- ", "[", "{a: "])
def test_yaml_that_nests_deeply_is_refused(opening, tmp_path) -> None:
    text = "a: 1\nb: " + opening * 3000 + "\n"
    if opening == "- ":
        text = "a: 1\nb:\n  " + opening * 3000 + "x\n"
    with pytest.raises(DataError, match=r"nests to 51 levels, more than 50; .*depth"):
        read(tmp_path, text)


def test_yaml_makes_no_objects(tmp_path) -> None:
    with pytest.raises(DataError, match=r"is not YAML in line 2: could not determine a constr"):
        read(tmp_path, "a: 1\nb: !!python/object/apply:os.getcwd []\n")


def test_damaged_yaml_names_the_line(tmp_path) -> None:
    with pytest.raises(DataError, match=r"is not YAML in line 4: did not find expected"):
        read(tmp_path, "a: 1\nb: 2\nc: [1, 2\n")


def test_models_with_nested_metrics(tmp_path) -> None:
    data = {
        "a": {"pass@1": {"humaneval": 81.7, "humaneval+": 77.4}, "open": True},
        "b": {"pass@1": {"humaneval": 60.0, "humaneval+": 55.0}, "open": False},
    }
    frame = read(tmp_path, json.dumps(data)).frame
    assert frame["pass@1.humaneval+"].tolist() == [77.4, 55.0]
    assert frame["system"].tolist() == ["a", "b"]


def test_texts_beside_the_systems_are_left_out_with_a_note(tmp_path) -> None:
    data = {"date": "2026-01-01", "a": {"acc": 0.9}, "b": {"acc": 0.8}, "c": {"acc": 0.7}}
    source = read(tmp_path, json.dumps(data))
    assert source.frame["system"].tolist() == ["a", "b", "c"]
    assert source.notes == ("'date' hold no metrics by name and are left out",)


def test_the_longest_table_under_a_key_is_read(tmp_path) -> None:
    results = {"a": {"acc": {"v": 0.9}}, "b": {"acc": {"v": 0.8}}, "c": {"acc": {"v": 0.7}}}
    data = {"version": 2, "scores": results, "tasks": [{"name": "x"}, {"name": "y"}], "n": 1}
    source = read(tmp_path, json.dumps(data))
    assert source.notes == ("the table under 'scores' is read",)
    assert source.frame.to_dict("list") == {"system": ["a", "b", "c"], "acc.v": [0.9, 0.8, 0.7]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 200_000 + "]" * 200_000, r"nests more than 50 levels of JSON"),
        ('{"a":' * 200_000 + "1" + "}" * 200_000, r"nests more than 50 levels of JSON"),
        ('[{"model": "a", "acc": ' + "1" * 5000 + "}]", r"integer with more than 4,300 digits"),
        ('[{"model": "a", "acc": }]', r"is not JSON: Expecting value"),
    ],
    ids=["lists", "objects", "digits", "damaged"],
)
def test_json_that_is_meant_to_hurt(text, message, tmp_path) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, text)


def test_half_a_character_is_replaced(tmp_path) -> None:
    text = r'[{"model": "\ud800a", "acc": 0.9}, {"model": "\ud83d\ude00", "acc": 0.8}]'
    assert read(tmp_path, text).frame["model"].tolist() == ["\ufffda", "\U0001f600"]


def test_json_with_too_many_columns_is_refused(tmp_path) -> None:
    records = [{"model": "a"} | {f"m{k}": k for k in range(20_000)}]
    with pytest.raises(DataError, match=r"has 20,001 columns, more than 2,000; "):
        read(tmp_path, json.dumps(records))
    assert (
        read(tmp_path, json.dumps(records), limits=Limits(columns=20_001)).frame.shape[1] == 20_001
    )


@pytest.mark.parametrize(
    "table",
    [
        {"a": {"accuracy": 10**400}, "b": {"accuracy": 1}},
        [{"model": "a", "accuracy": 0.5}, {"model": "b", "accuracy": -(10**400)}],
        pd.DataFrame({"accuracy": [0.5, 10**400]}, index=["a", "b"]),
    ],
)
def test_an_integer_beyond_the_range_of_floats_is_infinite(table) -> None:
    with pytest.raises(DataError, match="inf"):
        db.rank(table)


def test_cells_that_hold_lists_are_text(tmp_path) -> None:
    frame = pd.DataFrame({"accuracy": [0.5, 0.6], "tags": [[1], {2}]}, index=["a", "b"])
    assert db.read(frame).outputs == ["accuracy"]
    assert frame["tags"].tolist() == [[1], {2}]
    path = tmp_path / "split.json"
    path.write_text('{"columns": [[1], "acc", null], "data": [[{"a": 1}, 0.5, []], [[], 0.6, 1]]}')
    assert db.read(path).outputs == ["acc"]
    path.write_text('{"columns": [1, "1"], "data": [[0.5, 0.6]]}')
    with pytest.raises(DataError, match="the column '1' appears more than once"):
        db.read(path)


def test_groups_of_systems_are_no_systems(tmp_path) -> None:
    tree = (
        "benchmark: x\nresults:\n  vision:\n    a: {top: {one: 76.1}, params: 25}\n"
        "    b: {top: {one: 81.0}, params: 86}\n  text:\n    c: {glue: 80.5, params: 110}\n"
    )
    frame = read(tmp_path, tree).frame
    assert frame["system"].tolist() == ["a", "b", "c"]
    assert frame["group"].tolist() == ["vision", "vision", "text"]
    assert frame["params"].tolist() == [25, 86, 110]
    # Systems with nested metrics in common stay systems.
    assert read(tmp_path, "a:\n  m: {x: 1}\nb:\n  m: {x: 2}\n").frame["system"].tolist() == [
        "a",
        "b",
    ]


RUNS = [{"id": "r1", "acc": 0.9, "ms": 5}, {"id": "r2", "acc": 0.8, "ms": 4}]
"""Records of a table somewhere in a document."""


@pytest.mark.parametrize(
    "data",
    [
        {"version": "1", "dynamic": {"name": "x", "split": {"n": 9}, "runs": RUNS}},
        {"version": 1, "policy": {"public": True}, "dynamic": {"runs": RUNS}},
        {"date": "today", "dynamic": [{"name": "x", "runs": RUNS}]},
        [{"date": "today", "dynamic": {"runs": RUNS}}],
    ],
    ids=["beside other keys", "beside a mapping", "in the only record", "in a list of one"],
)
def test_the_table_within_a_document_is_read(data, tmp_path) -> None:
    source = read(tmp_path, json.dumps(data))
    assert source.frame.to_dict("records") == RUNS
    assert source.notes == ("the table under 'dynamic.runs' is read",)


def test_one_of_several_tables_within_a_document_is_chosen(tmp_path) -> None:
    other = [{"id": "s1", "f1": 0.5}, {"id": "s2", "f1": 0.6}, {"id": "s3", "f1": 0.7}]
    names = [{"name": "x"}, {"name": "y"}]
    data = {"n": 2, "boards": {"one": RUNS, "two": other, "tasks": names}, "source": {"host": 1}}
    source = read(tmp_path, json.dumps(data))
    assert source.frame.to_dict("records") == RUNS
    assert source.notes == (
        f"of the 2 tables of '{tmp_path / 'table'}', 'boards.one' (2 rows), which has the most "
        "numbers, is read; pass sheet='boards.two' to read another: 'boards.two' (3 rows)",
    )
    for sheet in ("boards.two", "2"):
        assert read(tmp_path, json.dumps(data), sheet=sheet).frame.to_dict("records") == other
    with pytest.raises(DataError, match=r"no sheet or table 'boards.tow'; did you mean"):
        read(tmp_path, json.dumps(data), sheet="boards.tow")


def test_groups_of_like_records_are_one_table_and_others_are_several(tmp_path) -> None:
    groups = {"vision": RUNS, "text": [{"id": "r3", "acc": 0.7, "ms": 3}]}
    frame = read(tmp_path, json.dumps({"n": 1, "boards": groups})).frame
    assert frame["group"].tolist() == ["vision", "vision", "text"]
    assert frame["acc"].tolist() == [0.9, 0.8, 0.7]
    # Texts in common make no table of metrics that are not.
    other = [{"id": "s1", "bleu": 1.5, "ter": 2, "wer": 1}, {"id": "s2", "bleu": 2, "ter": 2}]
    frame = read(tmp_path, json.dumps({"n": 1, "boards": {"a": RUNS, "b": other}})).frame
    assert list(frame) == ["id", "bleu", "ter", "wer"]


def test_systems_with_lists_of_results_stay_systems(tmp_path) -> None:
    results = [{"data": "x", "acc": 0.9}, {"data": "y", "acc": 0.8}]
    data = {"date": "today", "a": {"runs": results}, "b": {"runs": results}}
    frame = read(tmp_path, json.dumps(data)).frame
    assert list(frame) == ["system", "runs.x.acc", "runs.y.acc"]


def test_lists_name_no_results(tmp_path) -> None:
    data = [
        {
            "model": name,
            "runs": [
                {"data": "x", "tags": ["t"], "acc": acc},
                {"data": "y", "tags": ["u"], "acc": acc},
            ],
        }
        for name, acc in (("a", 0.9), ("b", 0.8))
    ]
    assert list(read(tmp_path, json.dumps(data)).frame) == ["model", "runs.x.acc", "runs.y.acc"]


def test_rows_below_a_row_of_names_are_records(tmp_path) -> None:
    rows = [["model", "acc"], ["a", 0.9], ["b", 0.8]]
    expected = [{"model": "a", "acc": 0.9}, {"model": "b", "acc": 0.8}]
    assert read(tmp_path, json.dumps(rows)).frame.to_dict("records") == expected
    source = read(tmp_path, json.dumps({"one": [["model", "f1"], ["a", 0.5]], "two": rows}))
    assert source.frame.to_dict("records") == expected
    assert db.read(rows).outputs == ["acc"]
    for table in (
        [["model", "acc"], ["a"], ["b", 0.8]],
        [["a", 0.9], ["b", 0.8]],
        [["model", "model"], ["a", 0.9]],
    ):
        with pytest.raises(DataError, match="the table is a list"):
            read(tmp_path, json.dumps(table))


def test_yaml_in_brackets_is_no_damaged_json(tmp_path) -> None:
    text = "[{team: A, wins: 10, losses: 0}, {team: B, wins: 7,\n    losses: 2}]\n"
    frame = read(tmp_path, text).frame
    assert frame["team"].tolist() == ["A", "B"]
    assert frame["losses"].tolist() == [0, 2]


def test_damaged_json_stays_json(tmp_path) -> None:
    with pytest.raises(DataError, match="is not JSON"):
        read(tmp_path, '[{"team": "A", "wins": 10}, {"team": "B" 7}]')


def test_sections_with_records_are_no_systems(tmp_path) -> None:
    rows = [{"system": f"S{k}", "acc": 0.5 + k / 10, "cost": k + 1.0} for k in range(3)]
    document = {
        "meta": {"name": "Bench"},
        "sections": {
            "models": {"title": "Models", "rows": rows},
            "tools": {"title": "Tools", "rows": rows[:2]},
        },
    }
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert read_file(path).frame["system"].tolist() == ["S0", "S1", "S2"]


def test_addresses_are_no_names_of_results(tmp_path) -> None:
    results = [
        {"dataset": {"id": name, "link": f"https://a.org/{name}-qa"}, "time_taken": 1.5}
        for name in ("bar-exam", "tax")
    ]
    document = [{"model": f"m{k}", "results": results} for k in range(3)]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert list(read_file(path).frame)[1:] == [
        "results.bar-exam.time_taken",
        "results.tax.time_taken",
    ]


NESTED_SCORES = """
{outer1}:
  {inner1}:
    f1: 0.71
    f1_se: 0.010
  {inner2}:
    f1: 0.64
    f1_se: 0.020
{outer2}:
  {inner1}:
    f1: 0.51
    f1_se: 0.012
  {inner2}:
    f1: 0.58
    f1_se: 0.011
"""


def test_names_of_known_systems_tell_which_level_holds_them(tmp_path) -> None:
    path = tmp_path / "scores.yaml"
    names = {"outer1": "CIFAR-10", "outer2": "Mood"}
    path.write_text(NESTED_SCORES.format(inner1="Tuned, SVM", inner2="Tuned, CatBoost", **names))
    table = db.read(path)
    assert table.frame.index.tolist() == ["Tuned, SVM", "Tuned, CatBoost"]
    assert table.outputs == ["f1"]
    assert table.frame["f1"].tolist() == pytest.approx([0.61, 0.61])
    assert table.rows is not None
    assert table.rows["dataset"].unique().tolist() == ["CIFAR-10", "Mood"]
    assert table.errors["f1"] == ("f1_se",)


@pytest.mark.parametrize("outer", [("mean", "stderr"), ("A100", "H100"), ("accuracy", "latency")])
def test_statistics_machines_and_metrics_are_no_data_sets(outer, tmp_path) -> None:
    path = tmp_path / "scores.yaml"
    names = {"outer1": outer[0], "outer2": outer[1]}
    path.write_text(NESTED_SCORES.format(inner1="SVM", inner2="CatBoost", **names))
    assert db.read(path).dataset is None


@pytest.mark.parametrize("inner", [("Python", "C++"), ("easy", "hard, timed")])
def test_levels_without_names_of_known_systems_keep_their_order(inner, tmp_path) -> None:
    path = tmp_path / "scores.yaml"
    names = {"outer1": "Alpha run", "outer2": "Beta run"}
    path.write_text(NESTED_SCORES.format(inner1=inner[0], inner2=inner[1], **names))
    assert db.read(path).frame.index.tolist() == ["Alpha run", "Beta run"]
