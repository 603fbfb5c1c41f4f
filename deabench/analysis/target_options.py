"""What may be asked of closest targets, and what goes with what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
import pandas as pd

from deabench.analysis.frontier import NORMS
from deabench.errors import DataError
from deabench.models.base import Technology
from deabench.tables.vocabulary import has_mixed_units
from deabench.utils.checks import choice

On = Literal["faces", "facets"]
Method = Literal["auto", "faces", "milp"]

FACES_METRICS = 6
"""Most metrics for which "auto" enumerates faces; above, Qhull's list explodes and the MILP takes
over.
"""


def accepted(norm: str, on: str, method: str, technology: str, returns: str) -> None:
    choice("norm", norm, NORMS)
    choice(
        "returns",
        returns,
        ("vrs", "crs"),
        {"constant": "'crs'", "variable": "'vrs'", "ccr": "'crs'", "bcc": "'vrs'"},
    )
    if returns == "crs" and on == "facets":
        raise DataError(
            "on 'facets' extends facets of a hull, and multiples have none; leave on out, or use returns 'vrs'"
        )
    choice("on", on, get_args(On))
    choice("method", method, get_args(Method))
    choice("technology", technology, get_args(Technology))
    if technology == "fdh" and returns == "crs":
        raise DataError(
            "technology 'fdh' knows real classifiers, not their multiples; leave returns out"
        )
    if technology == "fdh" and on == "facets":
        raise DataError(
            "the free disposal hull has no facets to extend; leave on='facets' out, or use technology='convex'"
        )
    if technology == "fdh" and method == "milp":
        raise DataError(
            "method 'milp' mixes classifiers, which technology 'fdh' does not; leave the method out"
        )


def method_of(method: str, on: str, norm: str, metrics: int) -> str:
    if method == "milp" and on == "facets":
        raise DataError("method 'milp' finds targets on faces; use method 'faces' with on='facets'")
    if method == "milp" and norm == "l2":
        raise DataError(
            "method 'milp' is linear and norm 'l2' is not; use method 'faces', or norm 'l1' or 'linf'"
        )
    if method != "auto":
        return method
    return "faces" if on == "facets" or norm == "l2" or metrics <= FACES_METRICS else "milp"


def weights_of(
    weights: Mapping[str, float] | str | None, reference: pd.DataFrame, costs: list[str]
) -> tuple[dict[str, float], tuple[str, ...]]:
    """What a unit of each metric counts, in the reference's order, and what was chosen without
    being asked.
    """
    outputs = list(reference.columns)
    if isinstance(weights, str):
        choice("weights", weights, ("range",))
        return _ranges(reference), ()
    if weights is None:
        if not has_mixed_units(outputs, costs):
            return dict.fromkeys(outputs, 1.0), ()
        return _ranges(reference), (
            "units differ, so changes are counted in shares of each metric's range in the reference "
            "(weights='range')",
        )
    for name, weight in weights.items():
        if name not in outputs:
            raise DataError(
                f"weights names '{name}', which is not an output; the outputs are {', '.join(outputs)}"
            )
        if not (np.isfinite(weight) and weight > 0):
            raise DataError(f"the weight of '{name}' is {weight:g}; give a number above 0")
    missing = [name for name in outputs if name not in weights]
    if missing:
        raise DataError(f"weights has no '{missing[0]}'; give one for every output")
    return {name: float(weights[name]) for name in outputs}, ()


def _ranges(reference: pd.DataFrame) -> dict[str, float]:
    spread = reference.max() - reference.min()
    return {name: 1.0 / float(spread[name]) if spread[name] > 0 else 1.0 for name in reference}
