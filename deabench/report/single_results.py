"""Build the sections on single results: answers on instances, results by fold or by data set."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from deabench import compare, curves, plot
from deabench.analysis.by_dataset import by_dataset
from deabench.errors import DataError, DataWarning
from deabench.inference.samples.from_tables import match_answers
from deabench.metrics import intervals
from deabench.metrics.answer_rows import find_classes, is_multiclass
from deabench.metrics.multiclass import confusion
from deabench.metrics.predictions import count
from deabench.report.document import Picture, ReportTable, Section
from deabench.report.result_sections import tests_section
from deabench.report.text.compare import LeaderFigures, recommend_leader
from deabench.report.text.words import as_sentence, join_names

if TYPE_CHECKING:
    from deabench.compare import ComparisonResult
    from deabench.curves import Segments
    from deabench.report.report_results import ReportResults
    from deabench.tables.table import Table

MAX_TESTED = 40
"""So many systems are tested pair by pair; the pairs of more take long and show little."""
OPENING_INCHES = 6.0
"""The width of the picture beside the recommendation."""
MAX_CURVES = 8
"""So many ROC curves, those of the largest areas, can be told apart in one picture."""
INTERVAL_METRICS = ("TPR", "TNR", "precision", "accuracy")


@dataclass(frozen=True)
class SingleResults:
    """What the single results of a table show beyond its means.

    Attributes
    ----------
    scores : mapping of metric to DataFrame
        Data sets or folds x systems, in the user's units.
    answers : mapping of "y_pred" or "score" to DataFrame
        Labels and scores, instances x systems.
    y_true : Series or None
    positive : label or None
    tests : mapping of metric or kind of answers to ComparisonResult
    unit : str
        What a row of `scores`, or of `answers`, is: "data set", "fold" or "instance".
    reasons : list of str
        Why there is no test.
    """

    scores: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    answers: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    y_true: pd.Series | None = None
    positive: object = None
    tests: Mapping[str, ComparisonResult] = field(default_factory=dict)
    unit: str = ""
    reasons: tuple[str, ...] = ()


def find_single_results(table: Table, results: ReportResults) -> SingleResults | None:
    """Return the single results of the ranked systems of a table, with tests of their pairs.

    Returns
    -------
    SingleResults or None
        None where the table has one number per system and metric.
    """
    rows = table.rows
    if rows is None:
        return None
    systems = [str(label) for label in results.ranking.scores.index]
    rows = rows[rows["classifier"].astype(str).isin(systems)]
    if "y_true" in rows and "instance" in rows and "dataset" not in rows:
        return _find_answers(rows, systems, rows.attrs.get("positive"))
    metrics = [name for name in results.metrics if name in rows or table.per_dataset is not None]
    scores, unit = _tabulate_scores(table, rows, metrics, systems)
    if not scores:
        return SingleResults()
    tests = {}
    reasons = []
    for name, frame in scores.items():
        is_high = name not in results.lower_is_better
        try:
            tests[name] = _compare_rows(frame, is_high, unit)
        except DataError as error:
            reasons.append(f"No test of {name}: {error}.")
    return SingleResults(scores, tests=tests, unit=unit, reasons=tuple(reasons))


def _find_answers(rows: pd.DataFrame, systems: list[str], positive: object) -> SingleResults:
    """Return the answers on one test set with McNemar's or DeLong's test of each pair."""
    try:
        instances, answers = match_answers(rows)
    except DataError as error:
        return SingleResults(reasons=(f"No test: {error}.",))
    y_true = instances["y_true"]
    answers = {name: frame.rename(columns=str)[systems] for name, frame in answers.items()}
    is_binary = not is_multiclass(rows, positive)
    tests = {}
    reasons = []
    kinds: list[tuple[str, Literal["mcnemar", "delong"]]] = [("accuracy", "mcnemar")]
    # An area under a ROC curve is of two classes.
    if is_binary:
        kinds.append(("roc_auc", "delong"))
    for metric, test in kinds:
        value = "score" if test == "delong" else "y_pred"
        if value not in answers:
            continue
        try:
            _check_count(len(systems))
            with warnings.catch_warnings(action="ignore", category=DataWarning):
                tests[metric] = compare.on_one_test_set(
                    y_true, answers[value], test=test, positive=positive
                )
        except DataError as error:
            reasons.append(f"No test of {metric}: {error}.")
    return SingleResults(
        answers=answers,
        y_true=y_true,
        positive=positive,
        tests=tests,
        unit="instance",
        reasons=tuple(reasons),
    )


def _check_count(count_of_systems: int) -> None:
    if not 2 <= count_of_systems <= MAX_TESTED:
        raise DataError(
            f"pairs of 2 to {MAX_TESTED} systems are tested, and there are {count_of_systems}; "
            "'deabench compare --control NAME' compares all with one"
        )


def _tabulate_scores(
    table: Table, rows: pd.DataFrame, metrics: list[str], systems: list[str]
) -> tuple[dict[str, pd.DataFrame], str]:
    """Return data sets x systems, or folds x systems, of each metric; empty where rows are none."""
    if table.per_dataset is not None and table.per_dataset.index.get_level_values(0).nunique() > 1:
        # Folds and seeds are averaged, or pooled, on each data set.
        cells = table.per_dataset
        tables = {name: cells[name].unstack(1) for name in metrics if name in cells}
        unit = "data set"
    else:
        unit = "data set" if "dataset" in rows and rows["dataset"].nunique() > 1 else "fold"
        keys = ["dataset"] if unit == "data set" else [k for k in ("repeat", "fold") if k in rows]
        if keys in ([], ["repeat"]):
            return {}, ""
        numeric = [name for name in metrics if name in rows]
        means = rows.groupby([*keys, "classifier"], sort=False)[numeric].mean()
        tables = {name: means[name].unstack("classifier") for name in numeric}
    named = {name: frame.rename(columns=str) for name, frame in tables.items()}
    present = {name: [s for s in systems if s in frame] for name, frame in named.items()}
    return {name: frame[present[name]] for name, frame in named.items()}, unit


def _compare_rows(frame: pd.DataFrame, is_high: bool, unit: str) -> ComparisonResult:
    """Test which systems differ over data sets, or over the folds of one."""
    _check_count(frame.shape[1])
    frame = frame.dropna(how="all")
    missing: Any = "skillings-mack" if frame.isna().any(axis=None) else "refuse"
    folds = None
    if unit == "fold":
        frame = frame.dropna()
        missing = "refuse"
        # Several runs of a cross-validation have its number of folds again and again.
        folds = frame.index.get_level_values("fold").nunique()
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        return compare.compare(frame, higher_is_better=is_high, folds=folds, missing=missing)


def leader_figures(single: SingleResults, results: ReportResults) -> LeaderFigures | None:
    """Return what the answer says of one metric over data sets, folds or instances.

    Returns
    -------
    LeaderFigures or None
        None where there are several metrics, or no test.
    """
    names = [str(name) for name in results.metrics]
    if len(names) != 1 or names[0] not in single.tests:
        return None
    metric = names[0]
    test = single.tests[metric]
    sign = -1.0 if metric in results.lower_is_better else 1.0
    means = results.metrics[metric].rename(index=str)
    # Over data sets ranks decide, as the test does; elsewhere the metric itself.
    order = pd.DataFrame({"rank": 0.0, "mean": -sign * means})
    if test.omnibus is not None:
        order["rank"] = test.mean_ranks.rename(index=str)
    leaders = order.sort_values(["rank", "mean"], kind="stable").index
    regret = np.nan
    count_of_rows = len(single.y_true) if single.y_true is not None else len(single.scores[metric])
    if metric in single.scores:
        signed = sign * single.scores[metric]
        regret = float((signed.max(axis=1) - signed[leaders[0]]).mean())
    return LeaderFigures(
        metric=metric,
        unit=single.unit,
        rows=count_of_rows,
        test=test,
        means=means.loc[leaders],
        regret=regret,
    )


def comparison_section(single: SingleResults, results: ReportResults) -> Section | None:
    """Show each system with its mean, its mean rank and how it compares with the leader."""
    figures = leader_figures(single, results)
    if figures is None:
        return None
    leader = str(figures.means.index[0])
    frame = pd.DataFrame({f"mean {figures.metric}": figures.means})
    if figures.unit == "instance":
        frame = pd.DataFrame({figures.metric: figures.means})
    if figures.test.omnibus is not None:
        frame["mean rank"] = figures.test.mean_ranks.rename(index=str)
    pairs = figures.pairs_with(leader)
    frame = frame.join(pairs).rename_axis(results.row_name)
    sentences = [
        f"Each row is held against {leader}; 'worse' is shown to be worse than it. "
        f"{as_sentence(figures.test.test)} {as_sentence(figures.test.reason)}"
    ]
    tables = [ReportTable("comparison-table", "Comparison, best first", frame)]
    return Section("comparison", "Comparison", sentences, tables, _draw_opening(single, results))


def _draw_opening(single: SingleResults, results: ReportResults) -> list[Picture]:
    """Return the picture beside the recommendation."""
    try:
        metric = str(results.metrics.columns[0])
        display = plot.CriticalDifferenceDisplay.from_result(single.tests[metric])
    except DataError:
        pass  # there is no such diagram of folds, of instances or of two systems
    else:
        caption = display.caption()
        return [Picture("comparison", display.plot, f"{caption}.", caption, False, OPENING_INCHES)]
    traced = _trace_curves(single)
    if traced is not None:
        return [_draw_curves(traced)]
    ranking = results.ranking
    picture = Picture(
        "comparison",
        lambda: plot.RankingDisplay.from_result(ranking, intervals=results.intervals).plot(),
        "Dot chart of each system as a share of the best, with its interval.",
        "Each system as a share of the best, with its interval.",
        live=False,
        width=OPENING_INCHES,
    )
    return [picture]


def recommend_over_rows(single: SingleResults, results: ReportResults) -> list[str]:
    """Recommend a system of one metric: what would change that, how sure it is, what it costs."""
    figures = leader_figures(single, results)
    return [] if figures is None else recommend_leader(figures)


def single_result_sections(single: SingleResults) -> list[Section]:
    """Build the sections on answers, curves, tests and data sets for which there are results."""
    sections = [_answers_section(single), _curves_section(single), _tests_section(single)]
    sections.append(_scores_section(single))
    return [section for section in sections if section is not None]


def _tests_section(single: SingleResults) -> Section | None:
    """Show the tests of all pairs, or why there are none."""
    section = tests_section(dict(single.tests))
    if section is None:
        if not single.reasons:
            return None
        return Section("tests", "Tests", list(single.reasons))
    return Section(
        section.key,
        section.title,
        [*map(_as_line, section.sentences), *single.reasons],
        section.tables,
    )


def _as_line(text: str) -> str:
    return as_sentence(text.rstrip("."))


def _answers_section(single: SingleResults) -> Section | None:
    """Show which answers are right: the 2x2 table of each system, or all classes."""
    labels = single.answers.get("y_pred")
    if labels is None or single.y_true is None:
        return None
    title = "Right and wrong answers"
    if single.positive is None and single.y_true.nunique() > 2:
        cells = confusion(single.y_true, labels.iloc[:, :MAX_CURVES])
        tables = [ReportTable("confusion-table", "True classes in rows", cells)]
        sentences = ["True classes stand in rows, and the predicted ones in columns."]
        return Section("answers", title, sentences, tables)
    truth = find_classes(single.y_true, single.positive)
    cells = count(truth, labels)
    limits = intervals(truth, labels, metrics=list(INTERVAL_METRICS)).to_frame()
    frame = limits.reset_index().pivot(index="classifier", columns="metric")
    for name in INTERVAL_METRICS:
        cells[name] = frame["estimate", name]
        cells[f"{name} from"] = frame["lower", name]
        cells[f"{name} to"] = frame["upper", name]
    sentences = [
        f"{as_sentence(truth.note)} tp and tn are right answers, fn and fp wrong ones. Intervals "
        "are of each value alone, at 95 %."
    ]
    tables = [ReportTable("answers-table", "Answers, and metrics with intervals", cells)]
    return Section("answers", title, sentences, tables)


def _trace_curves(single: SingleResults) -> Segments | None:
    """Return the ROC curves of scores of two classes; None where there are none."""
    scores = single.answers.get("score")
    if scores is None or single.y_true is None:
        return None
    columns = {str(name): scores[name] for name in scores}
    try:
        return curves.compare_segments(single.y_true, columns, positive=single.positive)
    except DataError:
        return None  # more than two classes, or one


def _draw_curves(traced: Segments) -> Picture:
    """Return the picture of the curves with the largest areas."""
    segments = traced.segments
    largest = sorted(segments, key=lambda name: -segments[name].roc.auc)[:MAX_CURVES]
    display = plot.RocDisplay({name: segments[name] for name in largest})
    areas = join_names([f"{name} {segments[name].roc.auc:.3f}" for name in largest])
    return Picture(
        "roc",
        display.plot,
        f"ROC curves; areas under them: {areas}.",
        "ROC curves; where a curve is thick, its errors of the two kinds do not differ at 95 %.",
        live=False,
    )


def _curves_section(single: SingleResults) -> Section | None:
    """Show the ROC curves with the areas under them."""
    traced = _trace_curves(single)
    if traced is None:
        return None
    frame = traced.to_frame().sort_values("AUC", ascending=False, kind="stable")
    tables = [ReportTable("curves-table", "Areas and segments", frame)]
    sentences = [
        "'confident' counts the points of a curve at which the errors of the two kinds do not "
        "differ; SAUC and AveD belong to those points."
    ]
    return Section("curves", "ROC curves", sentences, tables, [_draw_curves(traced)])


def _scores_section(single: SingleResults) -> Section | None:
    """Show the scores of each data set or fold, system by system."""
    if not single.scores:
        return None
    title = "Data sets" if single.unit == "data set" else "Folds"
    tables = []
    for k, (name, frame) in enumerate(single.scores.items()):
        # Rows of several keys, as repeat and fold, are named by both.
        rows = [
            " / ".join(map(str, row)) if isinstance(row, tuple) else str(row) for row in frame.index
        ]
        shown = frame.set_axis(rows).rename_axis(single.unit).rename_axis(columns=None)
        tables.append(ReportTable(f"scores-{k}", f"{name} by {single.unit}", shown))
    return Section("scores", title, tables=tables)


def by_dataset_section(table: Table, options: Mapping[str, Any]) -> Section:
    """Rank the means, each data set by itself, and all data sets on one frontier.

    Raises
    ------
    DataError
        If the table has no data sets.
    """
    names = ("outputs", "inputs", "model", "missing")
    ranking_options: dict[str, Any] = {name: options[name] for name in names if options.get(name)}
    result = by_dataset(table, **ranking_options)
    tables = [
        ReportTable("by-dataset-table", "Efficiencies over the data sets", result.to_frame()),
        ReportTable(
            "each-dataset-table",
            "On the frontier of each data set",
            result.each.rename_axis("data set"),
        ),
    ]
    sentences = [*result.summary().splitlines(), *map(as_sentence, result.notes)]
    return Section("by-dataset", "Each data set", sentences, tables)
