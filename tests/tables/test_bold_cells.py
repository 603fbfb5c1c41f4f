"""Which way is better where a table prints its best results in bold."""

from __future__ import annotations

import numpy as np
import pytest

import deabench as db
from deabench.tables.recognition.bold_cells import BOLD_REASON, directions_of_bold

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

ROWS = (
    ("ant", "**0.91**", "31", "5.2"),
    ("bee", "0.88", "**27**", "6.1"),
    ("cow", "0.83", "44", "**7.3**"),
)


def markdown(rows, header=("Model", "Flux", "Zeal", "Mirth")) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *rows)]
    return "\n".join(lines) + "\n"


def read_text(tmp_path, text: str, name: str = "board.md") -> db.Table:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return db.read(path)


def html(rows) -> str:
    """Return the table in HTML, with one cell in bold by its style."""
    cells = [[cell.replace("**", "<b>", 1).replace("**", "</b>") for cell in row] for row in rows]
    body = "".join("<tr><td>" + "</td><td>".join(row) + "</td></tr>" for row in cells)
    body = body.replace("<td><b>27</b>", '<td style="color: red; font-weight: 700">27')
    return f"<table><tr><th>Model</th><th>Flux</th><th>Zeal</th><th>Mirth</th></tr>{body}</table>"


def latex(rows) -> str:
    cells = [[cell.replace("**", r"\textbf{", 1).replace("**", "}") for cell in r] for r in rows]
    lines = [["Model", "Flux", "Zeal", "Mirth"], *cells]
    body = "".join(" & ".join(row) + r" \\" + "\n" for row in lines)
    return rf"\begin{{tabular}}{{lrrr}} {body} \end{{tabular}}"


@pytest.mark.parametrize(
    ("write", "name"),
    [(markdown, "b.md"), (html, "b.html"), (latex, "b.tex")],
    ids=["md", "html", "tex"],
)
def test_best_values_in_bold_tell_the_direction_of_each_column(tmp_path, write, name) -> None:
    table = read_text(tmp_path, write(ROWS), name)
    assert (table.outputs, table.lower_rates) == (["Flux", "Mirth"], ["Zeal"])
    plain = [[cell.replace("**", "") for cell in row] for row in ROWS]
    assert read_text(tmp_path, write(plain), f"plain_{name}").question is not None


def test_bold_spreads_stay_with_their_values(tmp_path) -> None:
    rows = (
        ("ant", "**0.91 ± 0.01**", "5.2 ± 0.1"),
        ("bee", "0.88 ± 0.02", "**6.1** ± 0.3"),
        ("cow", "0.85 ± 0.02", "3.3 ± 0.2"),
    )
    table = read_text(tmp_path, markdown(rows, ("Model", "Flux", "Zeal")))
    assert table.outputs == ["Flux", "Zeal"]


def test_values_in_bold_that_are_no_extremes_tell_nothing(tmp_path) -> None:
    rows = (("ant", "**0.91**", "**31**"), ("bee", "0.88", "27"), ("cow", "**0.83**", "44"))
    assert read_text(tmp_path, markdown(rows, ("Model", "Flux", "Zeal"))).question is not None


def test_a_single_column_with_bold_cells_tells_nothing(tmp_path) -> None:
    rows = (("ant", "**0.91**", "31"), ("bee", "0.88", "27"), ("cow", "0.83", "44"))
    table = read_text(tmp_path, markdown(rows, ("Model", "Flux", "Zeal")))
    assert table.question is not None
    assert table.outputs == []


def test_bold_against_a_known_metric_marks_something_else(tmp_path) -> None:
    # The own system is the slowest, and so bold is no mark of the best.
    header = ("Model", "Flux", "Zeal", "Latency (ms)")
    rows = (
        ("ant", "**0.91**", "31", "5.2"),
        ("bee", "0.88", "**27**", "**6.1**"),
        ("cow", "0.8", "44", "3"),
    )
    table = read_text(tmp_path, markdown(rows, header))
    assert {"Flux", "Zeal"} <= {*table.question.columns}
    agreeing = [(*row[:3], cell) for row, cell in zip(rows, ("5.2", "6.1", "**3**"), strict=True)]
    assert read_text(tmp_path, markdown(agreeing, header), "b.md").question is None


def test_a_whole_row_in_bold_tells_nothing() -> None:
    values = np.array([[1.0, 2.0, 3.0, 9.0], [4.0, 5.0, 6.0, 1.0], [2.0, 3.0, 4.0, 7.0]])
    own_row = np.zeros(values.shape, dtype=bool)
    own_row[1] = True
    assert directions_of_bold(values, own_row) == [""] * 4
    # Further cells in bold say no more.
    own_row[0, 3] = True
    assert directions_of_bold(values, own_row) == [""] * 4


def test_most_values_of_a_column_in_bold_mark_no_best() -> None:
    values = np.array([[1.0, 1.0], [1.0, 1.0], [0.5, 0.5]])
    assert directions_of_bold(values, np.array([[True, False], [False, True], [False, False]])) == [
        "higher",
        "higher",
    ]
    most = np.array([[True, False], [True, False], [False, True]])
    assert directions_of_bold(values, most) == ["", ""]


def test_one_row_with_its_name_in_bold_is_that_of_the_authors(tmp_path) -> None:
    rows = (
        ("{}", "**0.91**", "**41**", "5.2"),
        ("bee", "0.88", "27", "6.1"),
        ("cow", "0.8", "31", "7"),
    )
    own = markdown([[cell.format("**ant**") for cell in row] for row in rows])
    assert read_text(tmp_path, own).outputs == []
    best = markdown([[cell.format("ant") for cell in row] for row in rows])
    assert {"Flux", "Zeal"} <= {*read_text(tmp_path, best, "b.md").outputs}


def test_bold_decides_on_scores_and_means_whose_names_are_weak(tmp_path) -> None:
    rows = (("ant", "0.91", "**31**"), ("bee", "**0.8**", "33"), ("cow", "0.83", "44"))
    table = read_text(tmp_path, markdown(rows, ("Model", "Score", "Zeal")))
    assert table.lower_rates == ["Score", "Zeal"]


def test_equal_columns_and_missing_values_tell_nothing() -> None:
    values = np.array([[1.0, np.nan], [1.0, 2.0], [1.0, np.nan]])
    is_bold = np.array([[True, False], [False, True], [False, False]])
    assert directions_of_bold(values, is_bold) == ["", ""]


TASKS = (
    ("tap", "0.71", "**0.74**", "0.70"),
    ("run", "**0.81**", "0.64", "0.80"),
    ("sit", "0.55", "0.52", "**0.59**"),
)
SYSTEMS = ("Task", "Ant", "Bee", "Cow")


def mark_least(row: tuple[str, ...]) -> list[str]:
    """Return a row with its least value in bold."""
    name, *cells = [cell.strip("*") for cell in row]
    return [name, *(f"**{cell}**" if cell == min(cells) else cell for cell in cells)]


def test_bold_cells_of_rows_show_that_columns_are_systems(tmp_path) -> None:
    table = read_text(tmp_path, markdown(TASKS, SYSTEMS))
    assert table.kind == "datasets"
    assert table.frame.index.tolist() == ["Ant", "Bee", "Cow"]
    assert table.outputs == ["score"]
    errors = [mark_least(row) for row in TASKS]
    assert read_text(tmp_path, markdown(errors, SYSTEMS), "errors.md").lower_rates == ["score"]


def test_few_rows_with_bold_cells_tell_nothing(tmp_path) -> None:
    rows = [TASKS[0], *((name, *(c.strip("*") for c in cells)) for name, *cells in TASKS[1:])]
    rows += [("lie", "0.61", "**0.64**", "0.62"), ("sip", "0.5", "0.4", "0.3")]
    assert read_text(tmp_path, markdown(rows, SYSTEMS)).question is not None


def test_bold_against_the_name_of_the_file_is_asked_about(tmp_path) -> None:
    # MAE is a model here.
    for name in ("mae.md", "regret.md"):
        assert read_text(tmp_path, markdown(TASKS, SYSTEMS), name).question is not None
    assert read_text(tmp_path, markdown(TASKS, SYSTEMS), "accuracy.md").outputs == ["accuracy"]


def test_rows_with_opposite_bold_cells_are_metrics(tmp_path) -> None:
    rows = (*TASKS[:2], ("sit (error rate)", "0.55", "**0.52**", "0.59"))
    table = read_text(tmp_path, markdown(rows, SYSTEMS))
    assert table.kind == "metrics-in-rows"
    assert (table.outputs, table.lower_rates) == (["tap", "run"], ["sit (error rate)"])
    assert table.frame.index.tolist() == ["Ant", "Bee", "Cow"]
    # A text that speaks of one metric contradicts rows of several.
    text = f"# Accuracy\n\n{markdown(rows, SYSTEMS)}"
    assert read_text(tmp_path, text, "b.md").kind == "datasets"


def test_data_sets_of_errors_are_no_benchmarks_on_which_higher_is_better(tmp_path) -> None:
    rows = (
        ("ImageNet-1K", "83.6", "85.9", "86.9"),
        ("ImageNet-C (error rate)", "51.7", "41.8", "33.8"),
        ("ImageNet-A", "35.9", "57.1", "68.2"),
    )
    text = markdown(rows, ("", "ViT-B", "ViT-L", "ViT-H"))
    assert read_text(tmp_path, text).question is not None
    without = markdown((rows[0], rows[2]), ("", "ViT-B", "ViT-L", "ViT-H"))
    assert read_text(tmp_path, without, "b.md").outputs == ["score"]


GROUPS = (
    ("zero-shot", "41.0", "38.2", "52.0"),
    ("few-shot", "44.1", "39.9", "**55.8**"),
    ("CoT", "**47.3**", "**45.2**", "54.2"),
    ("zero-shot (large)", "61.9", "58.0", "70.4"),
    ("few-shot (large)", "64.0", "60.3", "**73.3**"),
    ("CoT (large)", "**66.8**", "**65.0**", "72.9"),
)


@pytest.mark.parametrize("label", ["Method", "Prompt", "Country"])
def test_the_best_of_groups_of_rows_make_no_systems_of_columns(tmp_path, label) -> None:
    table = read_text(tmp_path, markdown(GROUPS, (label, "BIO", "CHEM", "HIST")))
    assert "CoT (large)" in table.frame.index


@pytest.mark.parametrize(
    "text",
    [
        "Error rates in percent (lower is better). The largest errors are in bold.",
        "The worst values are in bold.",
        "Differences in bold are significant.",
        "Our baseline is highlighted.",
    ],
)
def test_a_text_says_what_bold_stands_for(tmp_path, text) -> None:
    rows = [(name, *cells) for name, *cells in ROWS]
    table = read_text(tmp_path, f"{text}\n\n{markdown(rows)}")
    assert not any(column.reason == BOLD_REASON for column in table.columns)
    best = read_text(tmp_path, f"The best results are in bold.\n\n{markdown(rows)}", "b.md")
    assert best.outputs == ["Flux", "Mirth"]


def test_a_text_that_states_a_direction_decides_before_bold(tmp_path) -> None:
    rows = (("ant", "**0.91**", "0.31"), ("bee", "0.88", "**0.47**"), ("cow", "0.83", "0.44"))
    text = f"Lower is better.\n\n{markdown(rows, ('Model', 'Flux', 'Zeal'))}"
    assert read_text(tmp_path, text).lower_rates == ["Flux", "Zeal"]


def test_bold_against_a_heading_is_asked_about(tmp_path) -> None:
    rows = [(name, cells[0], cells[2]) for name, *cells in ROWS]
    text = markdown(rows, ("Model", "Flux", "Mirth"))
    assert read_text(tmp_path, f"# Accuracy\n\n{text}").outputs == ["Flux", "Mirth"]
    table = read_text(tmp_path, f"# Word error rate\n\n{text}", "b.md")
    assert table.question is not None
