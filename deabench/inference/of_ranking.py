"""A ranking beside the samples that its table comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.result import Uncertainty
from deabench.inference.samples import Samples
from deabench.inference.technology import Orientation, Returns
from deabench.inference.uncertainty import uncertainty
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking

APART = 0.01
"""A table may be rounded: its ratios may differ from the samples' by this share."""


def beside(ranking: Ranking, samples: Samples) -> Uncertainty:
    """How sure a ranking is.

    Raises
    ------
    DataError
        Where the ranking is by another model than the intervals are for, or the samples are not of
        its table.
    """
    returns, orientation = _model(ranking)
    outputs, inputs = list(ranking.data.outputs.columns), list(ranking.data.inputs.columns)
    known = [str(name) for name in samples.values.columns]
    for name in [*outputs, *inputs]:
        if name not in known:
            raise DataError(
                f"the samples do not hold metric '{name}' of the table; {did_you_mean(name, known)}"
            )
    own, theirs = (
        [str(label) for label in ranking.scores.index],
        [str(label) for label in samples.values.index],
    )
    for label in own:
        if label not in theirs:
            raise DataError(
                f"the samples do not hold '{label}' of the table; {did_you_mean(label, theirs)}"
            )
    for label in theirs:
        if label not in own:
            raise DataError(
                f"the samples hold '{label}', which is not in the table; leave it out: the frontier would be another"
            )
    data = pd.concat([ranking.data.outputs, ranking.data.inputs], axis=1)
    _same(data, samples.values.set_axis(theirs).loc[own, [*outputs, *inputs]])
    return uncertainty(
        samples, outputs=outputs, inputs=inputs, returns=returns, orientation=orientation
    )


def _model(ranking: Ranking) -> tuple[Returns, Orientation]:
    """Returns to scale and orientation of the scores; refuse a ranking that has no intervals."""
    options = ranking.options
    if list(ranking.reference.labels) != list(ranking.data.labels):
        raise DataError(
            "a ranking against another reference has no intervals; put the reference into the table"
        )
    if ranking.record.name in ("wei", "score") and not _bounded(
        options
    ):  # their quotients are no metrics of the samples
        return "vrs", "output"
    returns, orientation = options.get("returns"), options.get("orientation")
    if (
        ranking.record.name != "ccr"
        or _bounded(options)
        or returns not in get_args(Returns)
        or orientation not in get_args(Orientation)
    ):
        raise DataError(
            f"model '{ranking.record.name}' has no intervals{_bounded(options)}; they are known without inputs, "
            "and with inputs for model 'ccr' with returns 'vrs' or 'crs' and orientation 'output' or 'input'"
        )
    return ("crs" if returns == "crs" else "vrs"), ("input" if orientation == "input" else "output")


def _bounded(options: Mapping[str, object]) -> str:
    """Which bounds the ranking has on weights or on λ, in words; "" where there are none."""
    named = [name for name in ("sums", "shares", "ratios") if options.get(name) is not None]
    return f" with {' and '.join(named)}" if named else ""


def _same(table: pd.DataFrame, samples: pd.DataFrame) -> None:
    """Refuse samples of other numbers than the table's; units may differ, and digits."""
    ratio = table.to_numpy() / np.where(samples.to_numpy() > 0, samples.to_numpy(), np.nan)
    away = np.abs(ratio / np.nanmedian(ratio, axis=0) - 1)
    if np.nanmax(away, initial=0.0) > APART:
        i, r = np.unravel_index(np.nanargmax(away), away.shape)
        raise DataError(
            f"metric '{table.columns[r]}' of '{table.index[i]}' is {table.iloc[i, r]:g} in the table and "
            f"{samples.iloc[i, r]:g} in the samples; give the samples that the table was made of"
        )
