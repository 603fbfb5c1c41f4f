"""The models once more, from their definitions, in exact arithmetic: one program per DMU.

Nothing of the package's solvers, programs or proofs is used. A number of a table is the decimal
number that it prints as, so that ties of printed tables are ties; a metric with a number of more
than 12 digits is one of the floats that they are. Where no input is given every DMU has one that is
1 and may not change, and λ sums to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.exact.distances import exact_directional, exact_holder
from benchmarks.exact.radial import (
    exact_common,
    exact_cross,
    exact_fdh,
    exact_radial,
    exact_super,
)
from benchmarks.exact.slacks import (
    exact_additive,
    exact_russell,
    exact_sbm,
    exact_super_sbm,
)
from benchmarks.exact.table import Exact

EXACT: dict[str, Callable[[Any], list[Exact]]] = {
    "wei": exact_radial,
    "score": exact_radial,
    "ccr": exact_radial,
    "fdh": exact_fdh,
    "super": exact_super,
    "sbm": exact_sbm,
    "super-sbm": exact_super_sbm,
    "russell": exact_russell,
    "additive": exact_additive,
    "ram": exact_additive,
    "bam": exact_additive,
    "ddf": exact_directional,
    "rdm": exact_directional,
    "holder": exact_holder,
    "cross": exact_cross,
    "common": exact_common,
}
"""The exact answer of each model."""


def goal_reached(ranking: Any) -> np.ndarray:
    """Return what the weights of `cross` and `common` reach of their goal; of others the scores."""
    name = ranking.options.name
    scores = ranking.scores.to_numpy(dtype=float)
    if name == "common":
        if ranking.options.goal == "sum":
            return np.where(np.isnan(scores), np.nan, np.nanmean(scores))
        lost = np.nanmax(ranking.tables["common"]["lost"].to_numpy())
        return np.where(np.isnan(scores), np.nan, lost)
    if name != "cross" or len(scores) == 1:
        return scores
    outputs = ranking.data.outputs.to_numpy()
    inputs = ranking.data.inputs.to_numpy()
    weights = ranking.weights
    u = weights[ranking.data.outputs.columns].to_numpy()
    # No difference of sums: one value may be 1e12 times the others.
    is_other = 1.0 - np.eye(len(scores))
    worth = u @ (is_other @ outputs).T
    cost = np.full_like(worth, len(scores) - 1)
    if inputs.shape[1]:
        v = weights[ranking.data.inputs.columns].to_numpy()
        cost = v @ (is_other @ inputs).T
    return np.diag(worth / cost)
