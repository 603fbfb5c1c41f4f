"""Write the table of a result for a paper: one or two columns wide, best values in bold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from deabench.errors import DataError
from deabench.models.options import choices_of
from deabench.report.latex import SIGN_COMMAND, escape_latex, figure_lines
from deabench.report.text.words import column_decimals, format_number
from deabench.results.ranking import Ranking, order_by_merit
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.report.document import Report
    from deabench.utils.result import Result

Columns = Literal[1, 2]
MAX_ROWS = 50
"""So many rows of \\footnotesize have room on a page; of more the first ones are written."""
PACKAGES = (
    "% made by deabench; needs the packages fontenc with [T1], textcomp, booktabs, siunitx,\n"
    "% graphicx.\n" + SIGN_COMMAND
)


def write_latex_table(
    result: Result,
    *,
    columns: Columns = 1,
    rows: Sequence[Any] | None = None,
    metrics: Sequence[str] | None = None,
    caption: str | None = None,
    label: str | None = None,
) -> str:
    """Write a result as one LaTeX table; see `deabench.utils.result.Result.to_latex`."""
    if columns not in (1, 2):
        raise DataError(
            f"columns is 1 or 2, the columns of the paper that a table spans: {columns}"
        )
    frame = _main_frame(result)
    best = _better_directions(result)
    if rows is not None:
        frame = frame.loc[_checked(rows, list(frame.index), "row")]
    if metrics is not None:
        # Scores and ranks stay; of the metrics those asked for.
        _checked(metrics, list(frame.columns), "column")
        frame = frame[[name for name in frame.columns if name in metrics or name not in best]]
    count = len(frame)
    frame = frame.iloc[:MAX_ROWS]
    words = caption or _default_caption(result)
    if count > MAX_ROWS:
        words += f" The first {MAX_ROWS} of {count} rows."
    name = label or "tab:" + re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(result).__name__).lower()
    environment = "table" if columns == 1 else "table*"
    return "\n".join(
        [
            PACKAGES,
            rf"\begin{{{environment}}}[tbp]",
            r"\centering\footnotesize\setlength{\tabcolsep}{3.5pt}",
            rf"\caption{{{escape_latex(words)}}}",
            rf"\label{{{re.sub(r'[^A-Za-z0-9:._-]', '-', name)}}}",
            *_fitted_tabular(frame, best),
            rf"\end{{{environment}}}",
            "",
        ]
    )


def write_paper(
    report: Report, pictures: Mapping[str, str], columns: Columns, **table_options: Any
) -> str:
    """Write what a paper takes of a report: the answer, the ranking as a table, one figure.

    Parameters
    ----------
    report : Report
    pictures : mapping
        {key of a picture: its file}.
    columns : {1, 2}
        How many columns of the paper table and figure span.
    **table_options
        rows, metrics, caption, label: as for `write_latex_table`.
    """
    if report.results is None:
        raise DataError("a saved ranking holds no metrics for a paper's table; give the table")
    lines = [write_latex_table(report.results.ranking, columns=columns, **table_options)]
    # Long names have few places to break a line at.
    lines.append(r"\begin{sloppypar}\emergencystretch=3em")
    for sentence in report.answer:
        lines += [escape_latex(sentence), ""]
    lines.append(r"\end{sloppypar}")
    for picture in paper_pictures(report):
        if picture.key in pictures:
            lines += [*figure_lines(pictures[picture.key], picture.caption, columns == 2), ""]
    return "\n".join(lines).rstrip() + "\n"


def paper_pictures(report: Report) -> list[Any]:
    """Return the picture of a report that a paper takes: the ranking."""
    pictures = [picture for section in report.sections for picture in section.pictures]
    return [picture for picture in pictures if picture.key == "ranking"]


def _main_frame(result: Result) -> pd.DataFrame:
    """Return metrics, score and rank of a ranking in its order; of other results their frame."""
    if not isinstance(result, Ranking):
        return result.to_frame()
    shown = [result.measure, "rank"]
    if result.uncertainty is not None:
        shown += ["lower", "upper"]
    scores = result.to_frame().loc[order_by_merit(result), shown]
    return result.actual.loc[scores.index].join(scores.rename(columns={"rank": "Rank"}))


def _better_directions(result: Result) -> dict[str, str]:
    """Return for each metric of a ranking whether its best value is the largest or smallest."""
    if not isinstance(result, Ranking):
        return {}
    data = result.data
    lower = {str(name) for name in data.inputs}
    for name, transform in data.transforms.items():
        # A sign that was changed turns the direction of the column.
        if transform.sign < 0:
            lower ^= {str(name)}
    return {str(name): "min" if str(name) in lower else "max" for name in result.actual.columns}


def _checked(names: Sequence[Any], candidates: list[Any], kind: str) -> list[Any]:
    for name in names:
        if name not in candidates:
            raise DataError(
                f"there is no {kind} '{name}' in the table; {did_you_mean(name, candidates)}"
            )
    return list(names)


def _default_caption(result: Result) -> str:
    if isinstance(result, Ranking):
        measure = result.measure.capitalize()
        model = f"DEA, model {result.options.name}"
        # Without inputs, or with one word for them, returns to scale are no choice.
        has_choice = len(choices_of(result.options, "returns")) > 1
        if has_choice and len(result.data.inputs.columns):
            model += f", {result.options.returns}"
        return f"{measure} of {len(result.scores)} systems ({model}); best values in bold."
    return re.split(r"(?<=\.) ", result.summary().splitlines()[0])[0]


def _fitted_tabular(frame: pd.DataFrame, best: Mapping[str, str]) -> list[str]:
    """Return the table, scaled down if it is wider than its place: no box is overfull."""
    return [
        r"\begingroup\sisetup{detect-weight=true,mode=text}",
        r"\sbox0{%",
        *_tabular_lines(frame, best),
        "}%",
        r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi",
        r"\endgroup",
    ]


def _tabular_lines(frame: pd.DataFrame, best: Mapping[str, str]) -> list[str]:
    """Return the tabular with numbers aligned at their decimal points."""
    levels = frame.index.nlevels
    formats = ["l"] * levels
    cells: list[list[str]] = [
        [escape_latex(part) for part in (label if isinstance(label, tuple) else (label,))]
        for label in frame.index
    ]
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            texts, column_format = _number_cells(column, best.get(str(name)))
        else:
            texts, column_format = [escape_latex(value) for value in column], "l"
        formats.append(column_format)
        for row, text in zip(cells, texts, strict=True):
            row.append(text)
    names = [str(name) if name is not None else "" for name in frame.index.names]
    # A title in braces is no number to the columns of siunitx.
    arrows = {"max": " ↑", "min": " ↓"}
    names += [f"{name}{arrows.get(best.get(str(name), ''), '')}" for name in frame.columns]
    titles = [f"{{{escape_latex(name)}}}" for name in names]
    return [
        rf"\begin{{tabular}}{{@{{}}{''.join(formats)}@{{}}}}",
        r"\toprule",
        " & ".join(titles) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in cells),
        r"\bottomrule",
        r"\end{tabular}%",
    ]


def _number_cells(column: pd.Series, direction: str | None) -> tuple[list[str], str]:
    """Return the texts of a column of numbers, the best in bold, and its format."""
    numbers = column.astype(float)
    decimals = column_decimals([value for value in numbers if pd.notna(value)])
    texts = ["{--}" if pd.isna(v) else _plain_number(v, decimals) for v in numbers]
    if direction is not None and numbers.notna().any():
        best = numbers.max() if direction == "max" else numbers.min()
        texts = [
            rf"\bfseries {text}" if value == best else text
            for text, value in zip(texts, numbers, strict=True)
        ]
    written = [text.split()[-1] for text in texts if "{" not in text]
    whole_digits = max((len(text.split(".")[0].lstrip("-")) for text in written), default=1)
    sign = "-" if any(text.startswith("-") for text in written) else ""
    decimal_digits = max((len(text.partition(".")[2]) for text in written), default=0)
    return texts, f"S[table-format={sign}{whole_digits}.{decimal_digits}]"


def _plain_number(value: float, decimals: int) -> str:
    """Return a number as siunitx reads it; infinities stand in braces."""
    if value in (float("inf"), float("-inf")):
        return r"{$\infty$}" if value > 0 else r"{$-\infty$}"
    text = format_number(value, decimals)
    # Small numbers in scientific notation would not align: they are written in full.
    return f"{value:.6f}" if "e" in text else text
