"""How certain a study's results are: statistical tests, and verdicts on its efficiencies.

The sample is the study's data sets, or the folds of its only one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from deabench.compare.friedman import friedman
from deabench.compare.omnibus import anova
from deabench.compare.pairwise import pairwise
from deabench.errors import DataError, DataWarning
from deabench.inference.samples import Samples
from deabench.inference.uncertainty import uncertainty
from deabench.models.options import resolve_options
from deabench.study.results.aggregate import SummarySettings
from deabench.study.spec.plan import Plan
from deabench.utils.checks import did_you_mean

VERDICT_COLUMNS = ["score", "lower", "upper", "verdict", "best_rank", "worst_rank", "tier"]


def samples_of_datasets(
    metrics: pd.DataFrame, columns: Sequence[str], complemented: Mapping[str, float]
) -> Samples:
    """Return samples of the data sets that every classifier has.

    Parameters
    ----------
    metrics : DataFrame
        Index (dataset, classifier), as `StudySummary.metrics`.
    columns : sequence of metrics
    complemented : mapping of metric to its greatest value
        Those to be subtracted from it.
    """
    table = metrics[list(dict.fromkeys(columns))].copy()
    for name, greatest in complemented.items():
        if name in table:
            table[name] = greatest - table[name]
    # only data sets that every classifier has
    classifiers = table.index.get_level_values("classifier").nunique()
    complete = table.groupby(level="dataset")[table.columns[0]].transform("size") == classifiers
    return Samples.from_datasets(table[complete].reset_index())


def samples_of_folds(
    counts: pd.DataFrame, dataset: str, columns: Sequence[str], ratio: float | None = None
) -> Samples:
    """Return samples of the folds of one data set, with Nadeau and Bengio's variance."""
    datasets = list(dict.fromkeys(counts["dataset"]))
    if dataset not in datasets:
        raise DataError(
            f"there is no data set '{dataset}' in the study; {did_you_mean(dataset, datasets)}"
        )
    rows = counts[counts["dataset"] == dataset]
    # repeats matter to the variance only where there are several
    keys = ["classifier", "fold"]
    if rows["repeat"].nunique() > 1:
        keys.insert(1, "repeat")
    return Samples.from_folds(
        rows[[*keys, "tp", "fn", "fp", "tn"]], metrics=list(columns), ratio=ratio
    )


def judge_panels(
    metrics: pd.DataFrame, counts: pd.DataFrame, settings: SummarySettings
) -> tuple[pd.DataFrame | None, tuple[str, ...]]:
    """Return what a study's own samples show about each panel's classifiers.

    Returns
    -------
    DataFrame or None
        Index (panel, classifier): score, lower, upper, verdict, best_rank, worst_rank, tier; all of
        a panel hold at once.
    tuple of str
        What is assumed, and why a panel has none.
    """
    verdicts = {}
    notes = []
    for panel, members in settings.panels.items():
        judge = partial(
            _judge,
            metrics[metrics.index.get_level_values("classifier").isin(members)],
            counts[counts["classifier"].isin(members)],
            settings,
        )
        panel_name = "" if panel == "all" else f" of panel '{panel}'"
        result, texts = _with_warnings(judge)
        if result is None:
            notes.append(f"no verdicts{panel_name}: {texts[0]}")
            continue
        frame, assumptions = result
        notes += [f"verdicts: {text}" for text in (*assumptions, *texts)]
        verdicts[panel] = frame[VERDICT_COLUMNS]
    frame = pd.concat(verdicts, names=["panel", "classifier"]) if verdicts else None
    return frame, tuple(dict.fromkeys(notes))


def _with_warnings(compute: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return a result and its warnings, or None and why there is none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        try:
            result = compute()
        except DataError as error:
            return None, [str(error)]
    return result, [str(warning.message) for warning in caught]


def _judge(
    metrics: pd.DataFrame, counts: pd.DataFrame, settings: SummarySettings
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    # a model without intervals is refused before anything is computed
    options = _interval_options(settings)
    # one data set alone is judged by its folds, where its counts tell all
    datasets = list(dict.fromkeys(metrics.index.get_level_values("dataset")))
    if len(datasets) == 1 and not (settings.complemented or settings.inputs):
        samples = samples_of_folds(counts, datasets[0], settings.outputs)
    else:
        columns = [*settings.outputs, *settings.inputs]
        samples = samples_of_datasets(metrics, columns, settings.complemented)
    result = uncertainty(
        samples, outputs=list(settings.outputs), inputs=list(settings.inputs), **options
    )
    return result.to_frame(), samples.notes


def _interval_options(settings: SummarySettings) -> dict[str, Any]:
    """Return returns to scale and orientation; refuse a model that has no intervals."""
    model = resolve_options(settings.model)
    by_output = model.name in ("wei", "score")
    if by_output and not settings.inputs:
        return {}
    if model.name != "ccr" or getattr(model, "is_restricted", False):
        description = f"model '{model.name}'"
        if by_output:
            description += " with inputs"
        raise DataError(
            f"{description} has no intervals; model 'wei' without inputs and 'ccr' have them"
        )
    return {"returns": model.returns, "orientation": model.orientation}


def run_tests(
    plan: Plan, metrics: pd.DataFrame, means: pd.DataFrame, panels: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the tests of the study's settings; a note for each that is impossible."""
    alpha = plan.tests["alpha"]
    classifiers = list(dict.fromkeys(metrics.index.get_level_values("classifier")))
    # only data sets on which every classifier has a value can be ranked
    table = metrics[plan.tests["metric"]].unstack("classifier")[classifiers].dropna()
    tests: dict[str, Any] = {}
    notes: list[str] = []
    for kind in plan.tests["kinds"]:
        if kind == "anova":
            result, texts = _analyse_types(means, plan.metrics, panels, alpha)
        elif kind == "friedman":
            result, texts = _run_test(kind, partial(friedman, table))
        else:
            result, texts = _run_test(
                kind, partial(_compare_with_control, table, plan.tests["control"], alpha)
            )
        notes += texts
        if result is not None:
            tests[kind] = result
    return tests, tuple(notes)


def _run_test(name: str, compute: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return a test's result, or None, and its notes."""
    result, texts = _with_warnings(compute)
    return result, [f"no {name}: {text}" if result is None else f"{name}: {text}" for text in texts]


def _compare_with_control(table: pd.DataFrame, control: str | None, alpha: float) -> Any:
    """Compare every classifier with the control, by default that of the best mean rank (Holm)."""
    if not control:
        # the best mean rank is the smallest
        control = str(friedman(table).mean_ranks.idxmin())
    return pairwise(table, control=control, adjust="holm", alpha=alpha)


def _analyse_types(
    means: pd.DataFrame,
    metrics: tuple[str, ...],
    panels: Mapping[str, Sequence[str]],
    alpha: float,
) -> tuple[dict[tuple[str, str], Any] | None, list[str]]:
    """Test whether the mean of a metric over a panel's classifiers differs between types.

    These are the paper's Tables 7 and 8.
    """
    if "type" not in means.index.get_level_values("grouping"):
        return None, ["no anova: the data sets have no type"]
    tests = {}
    notes = []
    for panel, members in panels.items():
        # one mean per group of data sets and classifier
        rows = means.loc["type"]
        rows = rows[rows.index.get_level_values("classifier").isin(members)]
        for metric in metrics:
            groups = {
                str(group): values.to_numpy()
                for group, values in rows[metric].groupby(level="group")
            }
            name = f"anova of {metric} (panel {panel})"
            result, texts = _run_test(name, partial(anova, groups, alpha=alpha))
            notes += texts
            if result is not None:
                tests[panel, metric] = result
    return tests or None, notes
