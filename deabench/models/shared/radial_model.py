"""The options of the radial models, and what their scores mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from deabench.models.shared.weight_bounds import read_ratios, read_shares
from deabench.results.model import Model, Monotone, option
from deabench.results.option_forms import BOUNDS_BY_METRIC, BOUNDS_BY_PAIR
from deabench.tables.validation import Allowed

Bounds = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class RadialModel(Model):
    """Base class of the models whose score is one factor for all outputs, or for all inputs."""

    @property
    def monotone(self) -> Monotone:
        """In what a better value never makes a score worse: in all metrics."""
        return "metrics"

    def allows(self) -> tuple[Allowed, ...]:
        """Return the data that a radial model takes.

        With Σ λ = 1 the origin of the side that does not change is arbitrary, and where inputs are
        not scaled a DMU may need none.
        """
        if self.orientation == "input":
            if self.returns == "vrs":
                return ("zero outputs", "negative outputs")
            return ("zero outputs",)
        if self.returns == "vrs":
            return ("zero inputs", "negative inputs", "zero outputs")
        if self.returns == "nirs":
            return ("zero inputs", "zero outputs")
        return ("zero outputs",)

    def meaning(self, score: float) -> str:
        """Say what a radial efficiency means."""
        if self.orientation == "input":
            percent = 100 * (1 - score)
            if percent >= 0:
                return f"every input could shrink by {percent:.1f} % together"
            return f"every input could grow by {-percent:.1f} % together before the others reach it"
        percent = 100 * (1 / score - 1) if score > 0 else np.inf
        if percent >= 0:
            return f"every output could grow by {percent:.1f} % together"
        return f"every output could shrink by {-percent:.1f} % together before the others reach it"


@dataclass(frozen=True, kw_only=True)
class RestrictableModel(RadialModel):
    """Base class of the radial models whose weights can be restricted."""

    shares: Mapping[str, Bounds] | None = option(
        None,
        "Bounds of each metric's share of the weighted sum of outputs (or of inputs), in [0, 1].",
        form=BOUNDS_BY_METRIC,
        reader=read_shares,
    )
    ratios: Mapping[tuple[str, str], Bounds] | None = option(
        None,
        "Bounds of the weight of one metric divided by that of another: (2, inf) is at least 2.",
        form=BOUNDS_BY_PAIR,
        reader=read_ratios,
    )

    @property
    def is_restricted(self) -> bool:
        """Whether weights are restricted."""
        return self.shares is not None or self.ratios is not None
