"""The score at given ratios, by returns to scale and orientation: small linear programs, all
classifiers at once.

With ρ_jr = y_jr / y_ir and ξ_jm = x_jm / x_im a classifier's score θ is

    vrs, output    max{Σv : Σ_r ρ_jr v_r + Σ_m (1 − ξ_jm) u_m ≤ 1 for all j}             (u_0 put in; no inputs: u = 0)
    vrs, input     1/θ = max{Σμ : Σ_j ξ_jm μ_j ≤ 1, Σ_j (1 − ρ_jr) μ_j ≤ 0}              (μ = λ/θ)
    crs            1/θ = max{t : t ≤ Σ_j ρ_jr μ_j, Σ_j ξ_jm μ_j ≤ 1}                      (both orientations)

with non-negative variables. Every score falls in each ρ and rises in each ξ, so that its extremes
over a box of ratios are at two corners. All start from 0, as `games.play` needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from deabench.errors import DataError
from deabench.inference.dominance_games import play
from deabench.utils.checks import choice

Array = np.ndarray
Returns = Literal["vrs", "crs"]
Orientation = Literal["output", "input"]


@dataclass(frozen=True)
class Technology:
    """What counts as possible, and what is to change.

    Attributes
    ----------
    inputs : int
        How many of the columns are inputs; they are the last ones.
    returns : {"vrs", "crs"}
    orientation : {"output", "input"}
    """

    inputs: int
    returns: Returns = "vrs"
    orientation: Orientation = "output"

    def scores(self, own: Array, ratios: Array) -> tuple[Array, Array]:
        """Scores of n classifiers among k.

        Parameters
        ----------
        own : array (n, p)
            Their outputs in the unit of `ratios`, 1 where those are ratios; zeros are allowed.
        ratios : array (n, k, p + q)
            Everybody's outputs, and everybody's inputs as ratios ξ.

        Returns
        -------
        scores (n,), mixes (n, k)
            λ >= 0 of the rivals: of sum 1 with variable returns; zeros where the score is 0.
        """
        p = ratios.shape[2] - self.inputs
        outputs, inputs = ratios[:, :, :p], ratios[:, :, p:]
        if self.returns == "crs":
            return self._constant(own, outputs, inputs)
        if self.orientation == "input":
            rows = np.concatenate([inputs, own[:, None] - outputs], axis=2).transpose(0, 2, 1)
            found = play(rows, limit=np.append(np.ones(self.inputs), np.zeros(p)))
            return 1 / found.value, found.weights / found.value[:, None]
        found = play(
            np.concatenate([outputs, 1 - inputs], axis=2),
            np.hstack([own, np.zeros((len(own), self.inputs))]),
        )
        return found.value, found.mix

    def gap(self, score: Array) -> Array:
        """What a score says in shares: how much better every output of the mix is, or how much
        lower its every input.
        """
        return 1 - score if self.orientation == "input" else 1 / score - 1

    def said(self, gap: str) -> str:
        """What a mix that beats does, after "some mix of the others"."""
        if not self.inputs:
            return f"beats it by at least {gap} in every metric"
        if self.orientation == "input":
            return f"costs at least {gap} less in every input, with no output lower"
        return f"beats it by at least {gap} in every output, at no higher cost"

    @property
    def name(self) -> str:
        """In words; empty where there are no inputs."""
        returns = {"vrs": "variable", "crs": "constant"}[self.returns]
        return (
            f"{self.orientation}-oriented under {returns} returns to scale" if self.inputs else ""
        )

    def _constant(self, own: Array, outputs: Array, inputs: Array) -> tuple[Array, Array]:
        n, k, p = outputs.shape
        rows = np.zeros((n, p + self.inputs, k + 1))
        rows[:, :p, 0] = own
        rows[:, :p, 1:] = -outputs.transpose(0, 2, 1)
        rows[:, p:, 1:] = inputs.transpose(0, 2, 1)
        found = play(
            rows, np.append(1.0, np.zeros(k)), limit=np.append(np.zeros(p), np.ones(self.inputs))
        )
        score = 1 / found.value
        mix = np.where(
            np.isfinite(found.value)[:, None], found.weights[:, 1:], 0.0
        )  # without any output there is no mix
        return score, mix * score[:, None] if self.orientation == "input" else mix


def technology_of(inputs: int, returns: Returns, orientation: Orientation) -> Technology:
    """The technology, its words checked.

    Raises
    ------
    DataError
        For a word that is not known, and where there are no inputs for it to say something of.
    """
    choice("returns", returns, get_args(Returns))
    choice("orientation", orientation, get_args(Orientation))
    if not inputs and (returns, orientation) != ("vrs", "output"):
        word = f"returns '{returns}'" if returns != "vrs" else f"orientation '{orientation}'"
        raise DataError(
            f"{word} needs an input and none is given; add a cost with Samples.with_costs, or name one in inputs"
        )
    return Technology(inputs, returns, orientation)
