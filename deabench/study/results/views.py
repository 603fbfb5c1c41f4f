"""Two more views of a study: DMUs that are not its classifiers, and tested classifiers before each
frontier.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.results.model import Norm
from deabench.study.results.aggregate import Settings, efficiencies


def pivot(metrics: pd.DataFrame, settings: Settings, dmus: str) -> pd.DataFrame:
    """Efficiencies where the DMUs are not the classifiers.

    Parameters
    ----------
    dmus : {"datasets", "after @"}
        "datasets": each data set is a DMU, for each classifier (the paper's Table 21). "after @":
        what stands after the @ of a classifier's name is the DMU, and each thing before it is an
        output (Table 17: `chi2@200`).

    Returns
    -------
    DataFrame
        Index (classifier or dataset, dmu): the outputs and `efficiency`.
    """
    parts = {}
    if dmus == "datasets":
        for classifier, table in metrics.groupby(level="classifier", sort=False):
            one = table.droplevel("classifier")[[*settings.outputs, *settings.inputs]]
            parts[classifier] = one.assign(efficiency=efficiencies(one, settings))
        return pd.concat(parts, names=["classifier", "dmu"])
    for dataset, table in metrics.groupby(level="dataset", sort=False):
        wide = after_at(table.droplevel("dataset")[list(settings.outputs)])
        parts[dataset] = wide.assign(
            efficiency=efficiencies(wide, Settings(list(wide.columns), {}))
        )
    return pd.concat(parts, names=["dataset", "dmu"])


def after_at(table: pd.DataFrame) -> pd.DataFrame:
    """`chi2@200` (classifier) x metric as 200 x chi2: what stands after the @ in rows, what before
    it in columns.
    """
    for name in table.index:
        if "@" not in str(name):
            raise DataError(
                f"classifier '{name}' has no @ in its name; dmus = \"after @\" needs names as 'chi2@200'"
            )
    before, after = zip(*(str(name).split("@", 1) for name in table.index), strict=True)
    long = table.set_axis(pd.MultiIndex.from_arrays([after, before]))
    wide = long.unstack().loc[list(dict.fromkeys(after))]
    wide = wide[[(metric, name) for metric in table.columns for name in dict.fromkeys(before)]]
    wide.columns = [
        name if len(table.columns) == 1 else f"{metric} {name}" for metric, name in wide.columns
    ]
    return wide


def frontier_targets(
    metrics: pd.DataFrame,
    tested: Sequence[str],
    reference: Sequence[str],
    *,
    outputs: Sequence[str],
    norm: Norm = "l1",
    lower: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Each tested classifier against every data set's frontier of the reference classifiers (Tables
    14 and 15).

    Returns
    -------
    DataFrame
        Index (dataset, classifier); for each output its actual value, target_ and gap_ value;
        position (inside, on, outside) and distance in the norm.
    """
    from deabench.analysis.targets import targets

    parts = {}
    for dataset, table in metrics.groupby(level="dataset", sort=False):
        one = table.droplevel("dataset")[list(outputs)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            found = targets(
                one.loc[list(tested)],
                one.loc[list(reference)],
                outputs=list(outputs),
                norm=norm,
                lower_is_better=dict(lower or {}),
            )
        parts[dataset] = (
            one.loc[list(tested)]
            .join(found.targets.add_prefix("target_"))
            .join(found.gaps.add_prefix("gap_"))
            .assign(position=found.position, distance=found.distance)
        )
    return pd.concat(parts, names=["dataset", "classifier"])
