"""How sure a study's efficiencies are: its data sets as a sample of data sets, or the folds of its
only one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.models.options import resolve_options
from deabench.study.results.aggregate import Settings
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.inference.samples import Samples

COLUMNS = ["score", "lower", "upper", "verdict", "best_rank", "worst_rank", "tier"]


def of_datasets(metrics: pd.DataFrame, columns: Sequence[str], lower: dict[str, float]) -> Samples:
    """Samples of the data sets that every classifier has.

    Parameters
    ----------
    metrics : DataFrame
        Index (dataset, classifier), as `Summary.metrics`.
    columns : sequence of metrics
    lower : mapping of metric to its greatest value
        Those to be complemented.
    """
    from deabench.inference.samples import Samples

    table = metrics[list(dict.fromkeys(columns))].copy()
    for name, top in lower.items():
        if name in table:
            table[name] = top - table[name]
    classifiers = table.index.get_level_values("classifier").nunique()
    whole = table.groupby(level="dataset")[table.columns[0]].transform("size") == classifiers
    return Samples.from_datasets(table[whole].reset_index())


def of_folds(
    counts: pd.DataFrame, dataset: str, columns: Sequence[str], ratio: float | None = None
) -> Samples:
    """Samples of the folds of one data set, with Nadeau and Bengio's variance."""
    from deabench.inference.samples import Samples

    known = list(dict.fromkeys(counts["dataset"]))
    if dataset not in known:
        raise DataError(
            f"there is no data set '{dataset}' in the study; {did_you_mean(dataset, known)}"
        )
    rows = counts[counts["dataset"] == dataset]
    keys = (
        ["classifier", "repeat", "fold"] if rows["repeat"].nunique() > 1 else ["classifier", "fold"]
    )
    return Samples.from_folds(
        rows[[*keys, "tp", "fn", "fp", "tn"]], metrics=list(columns), ratio=ratio
    )


def verdicts(
    metrics: pd.DataFrame, counts: pd.DataFrame, settings: Settings
) -> tuple[pd.DataFrame | None, tuple[str, ...]]:
    """What a study's own samples prove of each panel's classifiers.

    Returns
    -------
    DataFrame or None
        Index (panel, classifier): score, lower, upper, verdict, best_rank, worst_rank, tier; all of
        a panel hold at once.
    tuple of str
        What is assumed, and why a panel has none.
    """
    parts, notes = {}, []
    for panel, members in settings.panels.items():
        frame, said = _heard(panel, members, metrics, counts, settings)
        notes += said
        if frame is not None:
            parts[panel] = frame[COLUMNS]
    return (pd.concat(parts, names=["panel", "classifier"]) if parts else None), tuple(
        dict.fromkeys(notes)
    )


def _heard(
    panel: str,
    members: Sequence[str],
    metrics: pd.DataFrame,
    counts: pd.DataFrame,
    settings: Settings,
) -> tuple[pd.DataFrame | None, list[str]]:
    """One panel's verdicts with what was assumed, or None with why not."""
    place = "" if panel == "all" else f" of panel '{panel}'"
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", DataWarning)
        try:
            frame, notes = _panel(
                metrics[metrics.index.get_level_values("classifier").isin(members)],
                counts[counts["classifier"].isin(members)],
                settings,
            )
        except DataError as error:
            return None, [f"no verdicts{place}: {error}"]
    said = [*notes, *(str(warning.message) for warning in heard)]
    return frame, [f"verdicts: {text}" for text in dict.fromkeys(said)]


def _panel(
    metrics: pd.DataFrame, counts: pd.DataFrame, settings: Settings
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    from deabench.inference.uncertainty import uncertainty

    how = _options(settings)
    datasets = list(dict.fromkeys(metrics.index.get_level_values("dataset")))
    if len(datasets) == 1 and not (settings.lower or settings.inputs):
        samples = of_folds(counts, datasets[0], settings.outputs)
    else:
        samples = of_datasets(metrics, [*settings.outputs, *settings.inputs], dict(settings.lower))
    found = uncertainty(
        samples, outputs=list(settings.outputs), inputs=list(settings.inputs), **how
    )
    return found.to_frame(), samples.notes


def _options(settings: Settings) -> dict[str, Any]:
    """Returns to scale and orientation of the study's model; refuse a model that has no intervals."""
    model = resolve_options(settings.model)
    is_restricted = getattr(model, "is_restricted", False)
    if not settings.inputs and model.name in ("wei", "score"):
        return {}
    if model.name != "ccr" or is_restricted:
        with_inputs = " with inputs" if settings.inputs and model.name in ("wei", "score") else ""
        raise DataError(
            f"model '{model.name}'{with_inputs} has no intervals; model 'wei' without inputs and 'ccr' have them"
        )
    return {"returns": model.returns, "orientation": model.orientation}
