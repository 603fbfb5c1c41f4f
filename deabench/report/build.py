"""Build a report: gather the numbers of a table, a ranking or a study, and say what they say."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.analysis.ranking import Ranking, rank, rank_selected
from deabench.analysis.targets import On
from deabench.errors import DataError, DataWarning
from deabench.models.options import ModelRequest
from deabench.report import result_sections
from deabench.report.changes import compared
from deabench.report.document import Report, Section
from deabench.report.page_data import contract
from deabench.report.report_results import Findings
from deabench.report.text.report import answer
from deabench.results.model import Norm
from deabench.tables.selection import SelectedTable, select_table
from deabench.tables.transforms import to_outputs_only
from deabench.tables.validation import require_numbers, validate
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.results.frontier import Frontier
    from deabench.results.targets import Targets

EXPLAINED = 200
"""Targets are listed for so many of the inefficient classifiers, the best first; the page finds any
other.
"""
METRICS = 6
"""Above so many metrics the facets explode in number, and the page leaves them out."""


def report(
    source: Any,
    other: Any = None,
    *,
    tested: pd.DataFrame | Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    norm: Norm = "l1",
    on: On = "faces",
    title: str | None = None,
    extra: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Report:
    """A report about a table of metrics, a ranking or the summary of a study; of two, what changed
    from the first to the second.

    Parameters
    ----------
    source : DataFrame, Ranking or study Summary
        A table has classifiers in rows and metrics in columns. Where two are compared, also a
        report.
    other : as `source`, optional
        What came after: the report is then of this one, and begins with who rose, who fell and
        which facets moved.
    tested : DataFrame or sequence of labels, optional
        New algorithms: another table, or rows of this one, which then do not span the frontier.
    metrics : sequence of str, optional
        The metrics of the frontier and of the targets; without it the outputs. All to be high.
    norm : {"l1", "l2", "linf"}
    on : {"faces", "facets"}
        See `deabench.targets`; the page can switch both.
    title : str, optional
    extra : mapping, optional
        `intervals`: DataFrame with lower and upper efficiencies by label; `tests`: a
        `deabench.compare` report or a mapping of names to results with to_frame(); `provenance`:
        mapping of words to words.
    **settings
        As for `deabench.rank`: outputs, inputs, lower_is_better, model, returns, orientation.

    Returns
    -------
    Report

    Raises
    ------
    DataError
        Where the data cannot be used.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> page = db.report(wine, outputs=["TPR", "TNR"])
    >>> page.text("md").splitlines()[0]
    '# Comparison of classifiers'
    """
    if other is not None:
        again = {"metrics": metrics, "norm": norm, "on": on, "extra": extra, **settings}
        before, after = (
            one if isinstance(one, Report) else report(one, **again) for one in (source, other)
        )
        if tested is not None:
            raise DataError("two reports are compared by their own classifiers; leave out tested")
        return compared(before, after, title)
    extra, source = dict(extra or {}), writable(source)
    if hasattr(source, "frames"):
        return _of_study(
            source, title, tested, {"metrics": metrics, "norm": norm, "on": on}, extra, settings
        )
    found = findings(source, tested, metrics, norm, on, extra.get("intervals"), settings)
    return assembled(
        found,
        title or "Comparison of classifiers",
        [result_sections.tests(extra.get("tests"))],
        extra,
    )


HALVES = re.compile("[\ud800-\udfff]")


def writable(source: Any) -> Any:
    """A frame whose labels can be written to a file: half a sign (a lone surrogate) becomes the
    mark of what is no text.
    """
    if not isinstance(source, pd.DataFrame) or not any(
        isinstance(name, str) and HALVES.search(name) for name in source.index
    ):
        return source
    return source.set_axis(
        [HALVES.sub("\ufffd", name) if isinstance(name, str) else name for name in source.index]
    )


def assembled(
    found: Findings, title: str, inserted: Sequence[Any], extra: Mapping[str, Any]
) -> Report:
    """The sections in their order: what a reader acts on first, how it was computed last."""
    parts = [
        result_sections.notes(found),
        result_sections.ranking(found),
        result_sections.tested(found),
        result_sections.targets(found),
        result_sections.peers(found),
        result_sections.weights(found),
        result_sections.facets(found),
        result_sections.costs(found),
        *inserted,
        result_sections.method(found),
        result_sections.provenance(found, extra.get("provenance") or {}),
    ]
    return Report(
        title,
        answer(found),
        [part for part in parts if part is not None],
        contract(found),
        found,
    )


def findings(
    source: Any,
    tested: Any,
    metrics: Sequence[str] | None,
    norm: Norm,
    on: On,
    intervals: pd.DataFrame | None,
    settings: Mapping[str, Any],
) -> Findings:
    """Rank, span the frontier, find the targets."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", DataWarning)
        ranking, ready, new = _ranked(source, tested, settings)
        given = _given(ready, metrics, ranking)
        front, wide, remark = _front(ready.table, given)
        own, against, scores = None, None, None
        if front is not None:
            order = ranking.to_frame().index
            rest = [
                name for name in order if not ranking.efficient[name] and name in ready.table.index
            ][:EXPLAINED]
            own = _targets(ready.table.loc[rest], ready.table, given, norm, on) if rest else None
            if new is not None:
                against = _targets(new, ready.table, given, norm, on)
    if new is not None and not isinstance(source, Ranking):
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DataWarning
            )  # the tested ones may be few: the reference was warned of above
            ways = {name: settings[name] for name in WAYS if name in settings}
            scores = rank(new, reference=ready.table, **ready.given, **ways).scores
    said = [str(warning.message) for warning in heard if issubclass(warning.category, DataWarning)]
    shown = _shown(ready, given, front)
    return Findings(
        ranking,
        shown,
        front,
        own,
        against,
        scores,
        intervals,
        norm,
        on,
        remark,
        list(dict.fromkeys(said)),
        wide,
    )


WAYS = ("model", "returns", "orientation")
"""What a report hands on to `rank` beside the metrics."""


def _ranked(
    source: Any, tested: Any, settings: Mapping[str, Any]
) -> tuple[Ranking, SelectedTable, pd.DataFrame | None]:
    """The ranking of the established classifiers, their table and its metrics, and the tested ones
    apart.
    """
    if isinstance(source, Ranking):
        if tested is not None and not isinstance(tested, pd.DataFrame):
            raise DataError(
                "a ranking holds no table to take the tested rows from; give tested as a DataFrame"
            )
        return source, _of_ranking(source), tested
    request = ModelRequest(**{name: settings.get(name) for name in WAYS})
    asked = {name: value for name, value in settings.items() if name not in WAYS}
    ready, new = (
        select_table(source, **asked),
        tested if tested is None or isinstance(tested, pd.DataFrame) else list(tested),
    )
    if isinstance(new, list):
        for name in new:
            if name not in ready.table.index:
                raise DataError(
                    f"there is no classifier '{name}' in the table; {did_you_mean(name, list(ready.table.index))}"
                )
        whole, ready = ready.table, replace(ready, table=ready.table.drop(new))
        new = whole.loc[new]
    found = rank_selected(ready, request)
    return found, ready, new


def _of_ranking(ranking: Ranking) -> SelectedTable:
    """A ranking's own table, in the user's metrics, and what they are."""
    data = ranking.data
    low = {
        str(name): turn.shift
        for name, turn in data.transforms.items()
        if turn.sign < 0 and name in data.outputs
    }
    turned = [
        name for name, turn in data.transforms.items() if turn.sign < 0 and name in data.inputs
    ]
    given = {
        "outputs": [*map(str, data.outputs.columns), *turned],
        "lower_is_better": low,
        "inputs": [str(name) for name in data.inputs.columns if name not in turned],
    }
    return SelectedTable(ranking.actual, given)


def _given(ready: SelectedTable, metrics: Sequence[str] | None, ranking: Ranking) -> dict[str, Any]:
    """The metrics of the frontier: those that are asked for, else those of the ranking; quotients
    have none of their inputs.
    """
    given = dict(ready.given)
    if metrics is None:
        return given | (
            {"inputs": []} if any("outputs are quotients" in note for note in ranking.notes) else {}
        )
    low = {name: how for name, how in dict(given["lower_is_better"]).items() if name in metrics}
    costs = [name for name in metrics if name in given["inputs"]]
    high = [name for name in metrics if name not in costs and low.get(name) != "input"]
    return {"outputs": high, "inputs": costs, "lower_is_better": low}


def _front(
    table: pd.DataFrame, given: Mapping[str, Any]
) -> tuple[Frontier | None, Frontier | None, str]:
    """The frontier with its facets; or, of too many metrics, without them, and why."""
    from deabench.analysis.frontier import frontier, span_frontier
    from deabench.results.model import ANY_VALUES

    count = len({*given["outputs"], *given["inputs"], *given["lower_is_better"]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the ranking has said it
        if count <= METRICS:
            return frontier(table, **given), None, ""
        wide = span_frontier(
            to_outputs_only(validate(table, **given, warn=False, allow=ANY_VALUES)),
            facets=False,
        )
    return (
        None,
        wide,
        (
            f"the frontier of {count} metrics has too many facets to list; choose up to {METRICS} with "
            "metrics to see facets and targets"
        ),
    )


def _targets(
    new: pd.DataFrame, reference: pd.DataFrame, given: Mapping[str, Any], norm: Norm, on: On
) -> Targets:
    from deabench.analysis.targets import targets

    return targets(new, reference, **given, norm=norm, on=on)


def _shown(ready: SelectedTable, given: Mapping[str, Any], front: Frontier | None) -> pd.DataFrame:
    """The metrics that the page shows, in the user's own units: of the ranking, and of the
    frontier.
    """
    names = [
        *ready.given["outputs"],
        *ready.given["inputs"],
        *ready.given["lower_is_better"],
        *given["outputs"],
        *given["inputs"],
    ]
    more = [] if front is None else [name for name in front.outputs if name not in names]
    return require_numbers(ready.table, list(dict.fromkeys([*names, *more])))


def _of_study(
    summary: Any,
    title: str | None,
    tested: Any,
    how: dict[str, Any],
    extra: dict[str, Any],
    settings: dict[str, Any],
) -> Report:
    """A study's report: the mean metrics over all data sets, then groups, data sets and failures."""
    from deabench.report import study_sections

    means = study_sections.overall(summary)
    columns = [
        *(settings.get("outputs") or means.columns),
        *(settings.get("inputs") or ()),
        *(how["metrics"] or ()),
    ]
    table = means[list(dict.fromkeys(name for name in columns if name in means.columns))]
    found = findings(
        table.dropna(),
        tested,
        how["metrics"],
        how["norm"],
        how["on"],
        extra.get("intervals"),
        settings,
    )
    ranking, assumed = study_sections.sure(summary, found.ranking)
    found = replace(found, ranking=ranking)
    inserted = [
        *study_sections.pages(summary),
        result_sections.tests(extra.get("tests") or getattr(summary, "tests", None)),
    ]
    left = np.setdiff1d(table.index, table.dropna().index).tolist()
    report_ = assembled(
        found, title or "Comparative study", [part for part in inserted if part], extra
    )
    notes = (
        study_sections.remarks(summary)
        + assumed
        + ([f"without a mean in some metric: {', '.join(map(str, left))}"] if left else [])
    )
    if notes:
        first = Section("notes", "Read this first", notes)
        report_ = replace(report_, sections=[first, *report_.sections])
    return report_
