"""Constant returns to scale for closest targets: what can be done is nothing, the reference, and
every multiple of it.

That is a cone, and what `deabench.frontier` lists is a hull. But where a target can be, both are
the same: let a DMU have the size Σ_i x_i / unit_i of its inputs. A target lies no further off than
nothing does (0 for all, which is efficient: no output without an input), so its size is at most
that of its DMU and as much as the norm allows for that distance. The hull of nothing and of
multiples of the reference that reach this size has the same points up to it, and the same efficient
faces through nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.transforms import Data

NOTHING = "nothing"


def multiples(
    spanning: Data, tested: Data, weights: np.ndarray, *, dominating: bool, common: bool
) -> tuple[Data, pd.Series]:
    """The reference as multiples that are large enough for the targets of the tested, after a row
    of nothing; and the multiples.

    Parameters
    ----------
    weights : array (s + m,)
        What a unit of each metric counts in the distance, outputs first.

    Returns
    -------
    Data, Series
        The rows; by their labels what each reference DMU was multiplied by, a power of two (nothing
        is rounded), 0 for nothing.

    Raises
    ------
    DataError
        Where there is no input, or a reference DMU needs none of any.
    """
    X, x = spanning.inputs.to_numpy(), tested.inputs.to_numpy()
    if not X.shape[1]:
        raise DataError(
            "returns 'crs' multiplies inputs and none is given; name one in inputs, or leave returns out"
        )
    unit = np.where(X.max(axis=0) > 0, X.max(axis=0), 1.0)
    sizes = (X / unit).sum(axis=1)
    if not sizes.all():
        raise DataError(
            f"'{spanning.labels[int(np.argmin(sizes))]}' needs none of any input: under returns 'crs' it can be "
            "multiplied without end; leave it out, or leave returns out"
        )
    far = (np.column_stack([tested.outputs, x]) * weights).sum(
        axis=1
    )  # nothing is nearer than this, in any norm
    far = 0.0 * far if dominating else np.full(len(far), far.sum()) if common else far
    size = ((x + far[:, None] / weights[-x.shape[1] :]) / unit).sum(axis=1).max()
    times = np.exp2(np.ceil(np.log2(np.maximum(2.0 * size / sizes, 1.0))))
    label = NOTHING
    while label in spanning.labels:
        label += " at all"
    labels = pd.Index([label, *spanning.labels], name=spanning.labels.name)
    each = pd.Series([0.0, *times], index=labels, name="multiple")
    outputs, inputs = (
        part.reindex(labels, fill_value=0.0).mul(each, axis=0)
        for part in (spanning.outputs, spanning.inputs)
    )
    return replace(spanning, outputs=outputs, inputs=inputs), each
