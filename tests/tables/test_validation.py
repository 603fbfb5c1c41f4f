"""The gate: every refusal and every warning by its whole text, and what passes."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import deabench as db
from deabench.errors import DataError, DataWarning, DeabenchError
from deabench.tables.readers.delimited import read_labelled_csv
from deabench.tables.selection import select_table
from deabench.tables.transforms import Data
from deabench.tables.validation import require_numbers, validate
from deabench.utils.checks import did_you_mean
from deabench.utils.text import csv_text, escape_formula, unescape_formula

TABLE = pd.DataFrame(
    {
        "TPR": [0.5, 0.9, 0.7, 0.6, 0.8, 0.2],
        "TNR": [0.9, 0.5, 0.6, 0.8, 0.1, 0.3],
        "note": list("abcdef"),
    },
    index=["k-NN", "SVM", "C4.5", "RBF", "MLP", "NB"],
)
COLUMNS = ("outputs", "inputs")
WAYS = "missing='drop-systems', 'drop-metrics' or 'bounds'"


def read(table, options: dict) -> db.Table:
    """Return the table as lower_is_better declares it, where it does."""
    lower = options.get("lower_is_better")
    return table if lower is None else db.read(table, lower_is_better=lower)


def check(table, warn: bool = True, **options) -> Data:
    """Return the data of a selection; their notes hold those of the selection, too."""
    selected = select_table(
        read(table, options), **{name: options[name] for name in COLUMNS if name in options}
    )
    data = validate(selected, warn=warn)
    return replace(data, notes=(*selected.notes, *data.notes))


def changed(row: str, column: str, value: object) -> pd.DataFrame:
    table = TABLE.astype(object) if isinstance(value, str) else TABLE.copy()
    table.loc[row, column] = value
    return table


REFUSED = [
    (TABLE.to_numpy(), {}, "the table is an ndarray; give a pandas DataFrame, classifiers in rows"),
    (TABLE.iloc[:0], {}, "the table is empty (0 rows, 3 columns); give at least one row"),
    (TABLE.iloc[:, :0], {}, "the table is empty (6 rows, 0 columns); give at least one row"),
    (
        TABLE.rename({"SVM": "k-NN"}),
        {},
        "the label 'k-NN' stands on more than one row; give every classifier a name of its own",
    ),
    (
        TABLE.rename(columns={"TNR": "TPR"}),
        {},
        "the column 'TPR' appears more than once; give every metric a name of its own",
    ),
    (
        TABLE,
        {"outputs": "TPR"},
        "outputs is the text 'TPR'; give a list of column names, as ['TPR']",
    ),
    (TABLE, {"inputs": "TNR"}, "inputs is the text 'TNR'; give a list of column names, as ['TNR']"),
    (
        TABLE,
        {"lower_is_better": "TNR"},
        "lower_is_better is the text 'TNR'; give a list or a mapping of column names",
    ),
    (
        TABLE,
        {"lower_is_better": {"TNR": "output"}},
        "lower_is_better['TNR'] is 'output'; give 'input' or the metric's known maximum",
    ),
    (
        TABLE,
        {"lower_is_better": {"TNR": np.inf}},
        "lower_is_better['TNR'] is inf; give 'input' or the metric's known maximum",
    ),
    (
        TABLE,
        {"lower_is_better": {"TNR": None}},
        "lower_is_better['TNR'] is None; give 'input' or the metric's known maximum",
    ),
    (TABLE, {"outputs": ["TRP"]}, "there is no column 'TRP' in the table; did you mean 'TPR'?"),
    (TABLE, {"inputs": ["nota"]}, "there is no column 'nota' in the table; did you mean 'note'?"),
    (
        TABLE,
        {"outputs": ["zzz"]},
        "there is no column 'zzz' in the table; there are 'TPR', 'TNR', 'note'",
    ),
    (
        TABLE,
        {"lower_is_better": {"tnr": 1.0}},
        "there is no column 'tnr' in the table; did you mean 'TNR'?",
    ),
    (
        TABLE,
        {"outputs": ["TPR", "TPR"]},
        "metric 'TPR' is given twice among the outputs; name it once",
    ),
    (
        TABLE,
        {"inputs": ["TNR", "TNR"]},
        "metric 'TNR' is given twice among the inputs; name it once",
    ),
    (
        TABLE,
        {"outputs": ["TPR", "TNR"], "inputs": ["TNR"]},
        "metric 'TNR' is declared both input and output; choose one",
    ),
    (
        TABLE[["note"]],
        {},
        "no outputs: the table has no numeric column left; name at least one metric as output",
    ),
    (
        TABLE,
        {"outputs": []},
        "no outputs: the table has no numeric column left; name at least one metric as output",
    ),
    (
        changed("k-NN", "TPR", -0.2),
        {},
        "metric 'TPR' of 'k-NN' is -0.2; 'TPR' cannot be below 0, correct it",
    ),
    (
        changed("C4.5", "TNR", np.nan),
        {},
        "metric 'TNR' of 'C4.5' is missing; give a finite number, or say what to do with " + WAYS,
    ),
    (
        changed("C4.5", "TNR", np.inf),
        {},
        "metric 'TNR' of 'C4.5' is inf; give a finite number, or say what to do with " + WAYS,
    ),
    (
        changed("C4.5", "TNR", -np.inf),
        {},
        "metric 'TNR' of 'C4.5' is -inf; give a finite number, or say what to do with " + WAYS,
    ),
    (
        changed("MLP", "TPR", "high"),
        {},
        "metric 'TPR' of 'MLP' is the text 'high'; DEA needs a number",
    ),
    (TABLE, {"outputs": ["note"]}, "metric 'note' of 'k-NN' is the text 'a'; DEA needs a number"),
    (
        changed("RBF", "TPR", 0.0).assign(TNR=[0.9, 0.5, 0.6, 0.0, 0.1, 0.3]),
        {},
        "every output of 'RBF' is 0; its efficiency is undefined, leave the row out",
    ),
    (
        changed("RBF", "TNR", 0.0),
        {"inputs": ["TNR"]},
        "every input of 'RBF' is 0; its efficiency is undefined, leave the row out",
    ),
    (
        changed("RBF", "TNR", 1.2),
        {"lower_is_better": {"TNR": 1.0}},
        "metric 'TNR' of 'RBF' is 1.2, above its stated maximum 1; state the true maximum in "
        "lower_is_better",
    ),
]


@pytest.mark.parametrize(("table", "options", "text"), REFUSED)
def test_the_gate_refuses(table, options, text, refused) -> None:
    with refused(text):
        check(table, **options)


@pytest.mark.parametrize(
    ("table", "options", "text"),
    [
        case
        for case in REFUSED
        if "inputs" not in case[1] and not case[2].startswith("every output")
    ],
)
def test_all_refuse_alike_and_before_any_solver(table, options, text, refused, monkeypatch) -> None:
    import highspy

    def never(*_: object) -> None:
        raise AssertionError("a solver ran")

    monkeypatch.setattr(highspy.Highs, "run", never)
    columns = {name: options[name] for name in COLUMNS if name in options}
    with refused(text):
        db.rank(read(table, options), **columns)
    with refused(text):
        db.frontier(read(table, options), **columns)
    with refused(text):
        db.targets(TABLE, read(table, options), **columns)


TPR = np.linspace(0.5, 0.9, 15)
TWO_CORRELATED_PAIRS = pd.DataFrame(
    {
        "TPR": TPR,
        "TNR": 0.7 + 0.2 * np.cos(np.arange(15)),
        "GM": 0.9 * TPR,
        "MB": np.arange(1.0, 16.0),
        "price": np.arange(1.0, 16.0) ** 1.2,
    },
    index=list("abcdefghijklmno"),
)
"""TPR and GM differ in their unit alone; MB and price nearly."""

WARNED = [
    (
        TABLE.assign(AUC=1.0),
        {"outputs": ["TPR", "AUC"]},
        ["metric 'AUC' is 1 in every row: it makes every row at least weakly efficient"],
    ),
    (
        pd.concat([TABLE, TABLE.loc[["SVM"]].rename({"SVM": "twin"})]),
        {},
        ["'twin' has the same metrics as 'SVM': they score alike"],
    ),
    (
        pd.concat([TABLE, TABLE.loc[["SVM", "RBF"]].rename({"SVM": "twin", "RBF": "other"})]),
        {},
        ["'twin' has the same metrics as 'SVM' (2 duplicate rows in all): they score alike"],
    ),
    (
        TABLE.iloc[:4],
        {},
        [
            "4 rows for 2 metrics, fewer than 3 per metric: with so much freedom of weights most "
            "rows look efficient"
        ],
    ),
    (
        TABLE.assign(GM=TABLE["TPR"] * 0.9 + 0.01),
        {"outputs": ["TPR", "GM"]},
        [
            "metrics 'TPR' and 'GM' are correlated at 1.000: they say nearly the same, "
            "and each extra metric can only raise efficiencies"
        ],
    ),
    (
        TWO_CORRELATED_PAIRS,
        {"outputs": ["TPR", "TNR", "GM"], "inputs": ["MB", "price"]},
        [
            "metrics 'TPR' and 'GM' are correlated at 1.000, 1 more pair above 0.95: they say "
            "nearly the same, and each extra metric can only raise efficiencies"
        ],
    ),
    (
        TABLE.assign(AUC=1.0).iloc[:5],
        {"outputs": ["TPR"], "inputs": ["AUC"]},
        [
            "metric 'AUC' is 1 in every row: with variable returns to scale it changes nothing, "
            "with others it is what outputs "
            "are counted against",
            "5 rows for 2 metrics, fewer than 3 per metric: with so much freedom of weights most "
            "rows look efficient",
        ],
    ),
]


@pytest.mark.parametrize(("table", "options", "texts"), WARNED)
def test_the_gate_warns(table, options, texts, warned) -> None:
    with warned(*texts):
        check(table, **options)
    check(table, warn=False, **options)  # pytest would turn a warning into an error
    with warned(*texts):
        db.rank(table, **options)


def test_a_good_table_passes_without_a_word() -> None:
    data = check(TABLE)
    assert list(data.outputs.columns) == ["TPR", "TNR"]
    assert data.inputs.shape == (6, 0)
    assert data.notes == ()
    assert data.outputs.to_numpy().dtype == float
    pd.testing.assert_frame_equal(data.outputs, TABLE[["TPR", "TNR"]])
    assert list(data.labels) == list(TABLE.index)


def test_one_row_alone_passes_without_a_word() -> None:
    check(TABLE.iloc[[0]])


def test_just_below_the_threshold_of_correlation_nothing_is_said() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 4000))
    for r, is_noted in (
        (-1.0, False),
        (0.94, False),
        (0.962, True),
    ):  # a full trade-off is no repetition
        table = pd.DataFrame({"a": a, "b": r * a + np.sqrt(1 - r * r) * b}) + 10
        if is_noted:
            with pytest.warns(DataWarning) as caught:
                check(table)
            assert str(caught[0].message).startswith("metrics 'a' and 'b' are correlated at 0.96")
        else:
            check(table)


def test_numbers_in_text_columns_are_numbers() -> None:
    table = TABLE.assign(TPR=TABLE["TPR"].astype(str))
    assert check(table).outputs["TPR"].tolist() == TABLE["TPR"].tolist()


def test_lower_is_better_is_reported() -> None:
    data = check(TABLE, lower_is_better={"TNR": 1.0})
    np.testing.assert_allclose(data.outputs["TNR"], 1 - TABLE["TNR"])
    assert data.notes == ("'TNR' stands for its complement 1 - TNR: lower is better",)
    for maximum in (1, np.int64(1), np.float32(1.0)):
        assert check(TABLE, lower_is_better={"TNR": maximum}).notes == data.notes
    data = check(TABLE, lower_is_better={"TNR": "input"})
    assert (list(data.outputs), list(data.inputs)) == (["TPR"], ["TNR"])
    assert data.notes == ("'TNR' is an input: lower is better",)


def test_bare_names_that_are_better_low_go_by_what_they_are() -> None:
    table = TABLE.assign(latency=[3.0, 5, 1, 2, 4, 6], err_pct=[30.0, 20, 10, 5, 50, 60])
    data = check(table, outputs=["TPR"], lower_is_better=["TNR", "latency", "err_pct"], warn=False)
    assert (list(data.outputs), list(data.inputs)) == (["TPR", "TNR", "err_pct"], ["latency"])
    np.testing.assert_allclose(data.outputs["TNR"], 1 - TABLE["TNR"])
    np.testing.assert_allclose(data.outputs["err_pct"], 100 - table["err_pct"])
    assert data.notes == (
        "'TNR' is a rate, so it is complemented to 1; "
        "to make it an input, pass lower_is_better={'TNR': 'input'}",
        "'err_pct' is a rate, so it is complemented to 100; "
        "to make it an input, pass lower_is_better={'err_pct': 'input'}",
        "'latency' is an input: lower is better",
        "'TNR' stands for its complement 1 - TNR: lower is better",
        "'err_pct' stands for its complement 100 - err_pct: lower is better",
    )
    named = check(
        table,
        outputs=["TPR", "TNR", "err_pct"],
        lower_is_better={"TNR": 1.0, "err_pct": 100.0, "latency": "input"},
        warn=False,
    )
    pd.testing.assert_frame_equal(data.outputs, named.outputs)
    pd.testing.assert_frame_equal(data.inputs, named.inputs)
    separate = check(TABLE, lower_is_better=["TNR"])
    assert (list(separate.outputs), separate.inputs.shape[1]) == (["TPR", "TNR"], 0)


def test_columns_in_lower_is_better_take_part_beside_named_outputs() -> None:
    data = check(TABLE, outputs=["TPR"], lower_is_better={"TNR": 1.0})
    assert (list(data.outputs), data.inputs.shape[1]) == (["TPR", "TNR"], 0)
    np.testing.assert_allclose(data.outputs["TNR"], 1 - TABLE["TNR"])


def test_the_errors_are_of_one_family() -> None:
    assert issubclass(DataError, DeabenchError)
    assert issubclass(DataError, ValueError)


def test_bool_columns_are_no_metrics() -> None:
    assert list(check(TABLE.assign(best=[True] + [False] * 5)).outputs) == ["TPR", "TNR"]


def test_read_gives_back_what_csv_text_wrote(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(csv_text(TABLE.rename_axis("classifier")), encoding="utf-8-sig")
    pd.testing.assert_frame_equal(
        read_labelled_csv(path), TABLE.rename_axis("classifier"), check_dtype=False
    )


def test_read_takes_standard_input(monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("classifier,TPR\na,0.5\nb,\n"))
    table = read_labelled_csv("-")
    assert table["TPR"].iloc[0] == 0.5
    assert np.isnan(table["TPR"].iloc[1])


def test_read_refuses(tmp_path, refused) -> None:
    missing, empty, latin, ragged = (
        tmp_path / name for name in ("no.csv", "empty.csv", "latin.csv", "ragged.csv")
    )
    empty.write_text("")
    latin.write_bytes("classifier,TPR\nnaïve,1\n".encode("latin-1"))
    ragged.write_text("classifier,TPR\na,1\nb,1,2,3\n")
    with refused(f"cannot read '{missing}': No such file or directory; name a file with a table"):
        read_labelled_csv(missing)
    with refused(f"'{empty}' is empty; give a header line and at least one row"):
        read_labelled_csv(empty)
    with refused(f"'{latin}' is not UTF-8 text; save it as CSV in UTF-8"):
        read_labelled_csv(latin)
    with refused(
        f"'{ragged}' is not a CSV table: line 3 has 4 cells and those before 2; put a cell that "
        "holds the separator in quotes, or give lines of another table a file of their own"
    ):
        read_labelled_csv(ragged)


@given(st.text(max_size=12))
@example("＝1+1")
@example("＋1")
@example("－1")
@example("＠SUM(1)")
@example("|cmd")
def test_a_guarded_cell_never_starts_a_formula_and_comes_back(cell) -> None:
    safe = escape_formula(cell)
    assert not safe.startswith(("=", "+", "-", "@", "|", "＝", "＋", "－", "＠", "\t", "\r"))
    if not cell.startswith("'"):
        assert unescape_formula(safe) == cell


def test_did_you_mean() -> None:
    assert did_you_mean("TRP", ["TPR", "TNR"]) == "did you mean 'TPR'?"
    assert did_you_mean("cost", ["TPR", "TNR"]) == "there are 'TPR', 'TNR'"


def test_numbers_keeps_order_and_index() -> None:
    assert list(require_numbers(TABLE, ["TNR", "TPR"]).columns) == ["TNR", "TPR"]


def test_what_the_user_says_against_a_name_is_right_and_said() -> None:
    data = check(
        TABLE.assign(cost_usd=[1.0, 2, 3, 4, 5, 7]), outputs=["TPR", "cost_usd"], warn=False
    )
    assert list(data.outputs) == ["TPR", "cost_usd"]
    assert data.notes == (
        "outputs takes higher as better, but the name says lower is better: 'cost_usd'; "
        "if the name is right, pass it in lower_is_better",
    )


def test_a_warning_of_one_metric_counts_one_metric() -> None:
    with pytest.warns(DataWarning, match="^2 rows for 1 metric, fewer than 3 per metric"):
        db.rank(pd.DataFrame({"accuracy": [0.9, 0.8]}, index=["A", "B"]))
