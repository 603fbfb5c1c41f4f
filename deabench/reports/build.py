"""Build a report: gather the numbers of a table, a ranking or a study, and say what they say."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.checks import did_you_mean
from deabench.dea.frontier import Norm
from deabench.dea.ranking import Ranking, rank
from deabench.dea.targets import On
from deabench.errors import DataError, DataWarning
from deabench.reports import sections, words
from deabench.reports.content import Report
from deabench.reports.payload import payload
from deabench.tables.gate import check

if TYPE_CHECKING:
    from deabench.dea.frontier import Frontier
    from deabench.dea.targets import Targets

EXPLAINED = 200
"""Targets are listed for so many of the inefficient classifiers, the best first; the page computes any other."""
METRICS = 6
"""Above so many metrics the facets explode in number, and the page leaves them out."""


@dataclass(frozen=True)
class Findings:
    """Everything that a report is made of.

    Attributes
    ----------
    ranking : Ranking
    metrics : DataFrame, n x metrics
        All to be high, in their own units.
    front : Frontier or None
        In the metrics of the targets.
    own : Targets or None
        Of the inefficient classifiers, on the others' frontier.
    tested : Targets or None
    tested_scores : Series or None
        Efficiencies of the tested algorithms against the reference.
    intervals : DataFrame or None
        lower and upper bounds of efficiencies.
    norm, on : str
    remark : str
        Why there is no frontier, where there is none.
    heard : list of str
        Warnings of weak data.
    """

    ranking: Ranking
    metrics: pd.DataFrame
    front: Frontier | None
    own: Targets | None
    tested: Targets | None
    tested_scores: pd.Series | None
    intervals: pd.DataFrame | None
    norm: Norm
    on: On
    remark: str
    heard: list[str]


def report(
    source: Any,
    *,
    tested: pd.DataFrame | Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    norm: Norm = "l1",
    on: On = "faces",
    title: str | None = None,
    extra: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Report:
    """A report about a table of metrics, a ranking or the summary of a study.

    Parameters
    ----------
    source : DataFrame, Ranking or study Summary
        A table has classifiers in rows and metrics in columns.
    tested : DataFrame or sequence of labels, optional
        New algorithms: another table, or rows of this one, which then do not span the frontier.
    metrics : sequence of str, optional
        The metrics of the frontier and of the targets; without it the outputs. All to be high.
    norm : {"l1", "l2", "linf"}
    on : {"faces", "facets"}
        See `deabench.targets`; the page can switch both.
    title : str, optional
    extra : mapping, optional
        `intervals`: DataFrame with lower and upper efficiencies by label; `tests`: a `deabench.compare` report or a
        mapping of names to results with to_frame(); `provenance`: mapping of words to words.
    **settings
        As for `deabench.rank`: outputs, inputs, lower_is_better, model, returns, orientation.

    Returns
    -------
    Report

    Raises
    ------
    DataError
        Where the data cannot be used.
    """
    extra = dict(extra or {})
    if hasattr(source, "frames"):
        return _of_study(source, title, tested, {"metrics": metrics, "norm": norm, "on": on}, extra, settings)
    found = findings(source, tested, metrics, norm, on, extra.get("intervals"), settings)
    return assembled(found, title or "Comparison of classifiers", [sections.tests(extra.get("tests"))], extra)


def assembled(found: Findings, title: str, inserted: Sequence[Any], extra: Mapping[str, Any]) -> Report:
    """The sections in their order: what a reader acts on first, how it was computed last."""
    parts = [
        sections.ranking(found), sections.tested(found), sections.targets(found), sections.peers(found),
        sections.weights(found), sections.facets(found), sections.costs(found), *inserted,
        sections.method(found), sections.provenance(found, extra.get("provenance") or {}),
    ]
    return Report(title, words.answer(found), [part for part in parts if part is not None], payload(found))


def findings(source: Any, tested: Any, metrics: Sequence[str] | None, norm: Norm, on: On,
             intervals: pd.DataFrame | None, settings: Mapping[str, Any]) -> Findings:
    """Rank, span the frontier, find the targets."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", DataWarning)
        ranking, table, new = _ranked(source, tested, settings)
        high = _high(ranking, table, metrics, settings)
        front, remark = _front(high, metrics, ranking)
        own, against, scores = None, None, None
        if front is not None:
            reference = high[front.outputs]
            order = ranking.to_frame().index
            rest = [name for name in order if not ranking.efficient[name] and name in reference.index][:EXPLAINED]
            own = _targets(reference.loc[rest], reference, norm, on) if rest else None
            if new is not None:
                against = _targets(_complemented(new, front.outputs, settings), reference, norm, on)
    if new is not None and table is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)  # the tested ones may be few: the reference was warned of above
            scores = rank(new, reference=table, **settings).scores
    said = [str(warning.message) for warning in heard if issubclass(warning.category, DataWarning)]
    return Findings(ranking, high, front, own, against, scores, intervals, norm, on, remark, list(dict.fromkeys(said)))


def _ranked(source: Any, tested: Any, settings: Mapping[str, Any]) -> tuple[Ranking, pd.DataFrame | None, pd.DataFrame | None]:
    """The ranking of the established classifiers, their table, and the tested ones apart."""
    if isinstance(source, Ranking):
        if tested is not None and not isinstance(tested, pd.DataFrame):
            raise DataError("a ranking holds no table to take the tested rows from; give tested as a DataFrame")
        return source, None, tested
    if tested is None or isinstance(tested, pd.DataFrame):
        return rank(source, **settings), source, tested
    for name in tested:
        if name not in source.index:
            raise DataError(f"there is no classifier '{name}' in the table; {did_you_mean(name, list(source.index))}")
    table = source.drop(list(tested))
    return rank(table, **settings), table, source.loc[list(tested)]


def _high(ranking: Ranking, table: pd.DataFrame | None, metrics: Sequence[str] | None, settings: Mapping[str, Any]
          ) -> pd.DataFrame:
    """The metrics that are to be high: the outputs before any quotient, and what the frontier is asked for in."""
    if table is None:
        return ranking.data.outputs
    low = settings.get("lower_is_better", ())
    outputs = check(table, outputs=settings.get("outputs"), inputs=settings.get("inputs"), lower_is_better=low,
                    warn=False).outputs
    more = [name for name in metrics or () if name not in outputs]
    return outputs.join(check(table, outputs=more, warn=False).outputs) if more else outputs


def _complemented(new: pd.DataFrame, outputs: list[str], settings: Mapping[str, Any]) -> pd.DataFrame:
    low = settings.get("lower_is_better", ())
    kept = {name: how for name, how in low.items() if name in outputs} if isinstance(low, Mapping) else ()
    return check(new, outputs=outputs, lower_is_better=kept, warn=False).outputs


def _front(high: pd.DataFrame, metrics: Sequence[str] | None, ranking: Ranking) -> tuple[Frontier | None, str]:
    from deabench.dea.frontier import frontier

    chosen = list(metrics) if metrics is not None else list(high.columns)
    if len(chosen) > METRICS:
        return None, (f"the frontier of {len(chosen)} metrics has too many facets to list; choose up to {METRICS} with "
                      "metrics to see facets and targets")
    if metrics is None and ranking.data.inputs.shape[1]:
        return None, "the ranking has inputs of its own; choose metrics that are to be high to see facets and targets"
    return frontier(high, outputs=chosen), ""


def _targets(new: pd.DataFrame, reference: pd.DataFrame, norm: Norm, on: On) -> Targets:
    from deabench.dea.targets import targets

    return targets(new, reference, norm=norm, on=on)


def _of_study(summary: Any, title: str | None, tested: Any, how: dict[str, Any], extra: dict[str, Any],
              settings: dict[str, Any]) -> Report:
    """A study's report: the mean metrics over all data sets, then groups, data sets and failures."""
    from deabench.reports import study

    means = study.overall(summary)
    columns = [*(settings.get("outputs") or means.columns), *(settings.get("inputs") or ()), *(how["metrics"] or ())]
    table = means[list(dict.fromkeys(name for name in columns if name in means.columns))]
    found = findings(table.dropna(), tested, how["metrics"], how["norm"], how["on"], extra.get("intervals"), settings)
    inserted = [*study.pages(summary), sections.tests(extra.get("tests") or getattr(summary, "tests", None))]
    left = np.setdiff1d(table.index, table.dropna().index).tolist()
    report_ = assembled(found, title or "Comparative study", [part for part in inserted if part], extra)
    notes = study.remarks(summary) + ([f"without a mean in some metric: {', '.join(map(str, left))}"] if left else [])
    if notes:
        first = sections.Section("notes", "Read this first", notes)
        report_ = Report(report_.title, report_.answer, [first, *report_.sections], report_.plot)
    return report_
