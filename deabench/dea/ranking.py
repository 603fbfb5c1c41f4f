"""Rank the classifiers of a table by efficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from deabench.arrays import TOLERANCE, Sparse
from deabench.dea.certify import radial
from deabench.errors import DataError
from deabench.tables.gate import Data, check
from deabench.tables.text import csv_text

MODELS = ("wei", "score", "ccr")
RETURNS = ("crs", "vrs", "nirs", "ndrs")
ORIENTATIONS = ("output", "input")


@dataclass(frozen=True)
class Ranking:
    """Efficiencies with everything that explains and proves them.

    Attributes
    ----------
    scores : Series (n,)
        Efficiency: 1 on the frontier, below 1 inside, above 1 for a DMU outside its reference; raw, never rounded. NaN where
        it is undefined, with the reason in `reasons`.
    slacks : DataFrame, n x metrics
        What is left to gain beyond the radial projection, in the metric's own unit.
    weights : DataFrame, n x metrics
        Multipliers; with returns to scale also `u_0`. Not unique in general.
    intensities : Sparse (n, reference DMUs)
        λ, compactly; `peers` is the same as a labelled frame.
    model : str
        The formulation, and the path that solved it.
    data, reference : Data
        What was ranked and what spans the frontier, as they passed the gate (quotients, where inputs made them).
    """

    scores: pd.Series
    slacks: pd.DataFrame
    weights: pd.DataFrame
    intensities: Sparse
    model: str
    data: Data
    reference: Data
    frontier: np.ndarray
    reasons: dict[Any, str]
    returns: str
    orientation: str

    @cached_property
    def ranks(self) -> pd.Series:
        """1 is best; scores that agree to 9 decimals share the best of their ranks."""
        return self.scores.round(9).rank(ascending=False, method="min").astype("Int64").rename("rank")

    @cached_property
    def efficient(self) -> pd.Series:
        """Pareto-efficient: the score reaches 1 and no slack is left, both within `deabench.dea.certify.TOLERANCE`."""
        unit = np.append(self.data.outputs.abs().max(), self.data.inputs.abs().max())
        left = (self.slacks.to_numpy() / np.where(unit > 0, unit, 1.0)).max(axis=1)
        return ((self.scores >= 1 - TOLERANCE) & (left <= TOLERANCE)).rename("efficient")

    @cached_property
    def peers(self) -> pd.DataFrame:
        """λ, DMU x reference DMU; the reference DMUs that are nobody's peer are left out, zeros are not stored."""
        return self.intensities.frame(self.scores.index, self.reference.labels)

    @cached_property
    def projections(self) -> pd.DataFrame:
        """Where each DMU would be efficient: the combination of its peers."""
        parts = [self.reference.outputs, self.reference.inputs]
        columns = [name for part in parts for name in part.columns]
        values = self.intensities.dot(np.column_stack([part.to_numpy() for part in parts]))
        values[self.scores.isna().to_numpy()] = np.nan
        return pd.DataFrame(values, index=self.scores.index, columns=columns)

    @cached_property
    def certificate(self) -> pd.DataFrame:
        """The proof of every score, from λ and the weights alone: see `deabench.dea.certify.radial`."""
        return self.recompute()

    def to_frame(self) -> pd.DataFrame:
        """`efficiency`, `rank`, `efficient`, best first; of equal scores the table's order."""
        frame = pd.DataFrame({"efficiency": self.scores, "rank": self.ranks, "efficient": self.efficient})
        frame.index.name = "classifier"
        return frame.sort_values("rank", kind="stable")

    def to_csv(self, path: Any = None) -> str | None:
        """The frame as CSV: to the file `path`, written whole, or as text where there is none."""
        from deabench.files import write_whole

        text = csv_text(self.to_frame())
        if path is None:
            return text
        write_whole(path, text)
        return None

    def recompute(self) -> pd.DataFrame:
        """The certificate, from the numbers of this result alone."""
        return radial(self)

    def claims(self, certificate: pd.DataFrame) -> dict[str, np.ndarray]:
        """By how much each claim of the result misses: what `deabench.certify` holds against its tolerance."""
        size = np.maximum(self.scores.abs().to_numpy(), 1.0)
        return {
            "gap": certificate["gap"].to_numpy() / size,
            "primal_infeasibility": certificate["primal_infeasibility"].to_numpy(),
            "dual_infeasibility": certificate["dual_infeasibility"].to_numpy(),
            "distance_of_the_score_from_its_proof": (certificate["primal"] - self.scores).abs().to_numpy() / size,
            "distance_of_the_slacks_from_their_proof": self._slack_error(),
        }

    def _slack_error(self) -> np.ndarray:
        """|projection - (radial projection + slack)|, largest metric, in scaled metrics."""
        y, x = self.data.outputs.to_numpy(), self.data.inputs.to_numpy()
        score = self.scores.to_numpy()[:, None]
        grown = np.column_stack([y / score, x] if self.orientation == "output" else [y, score * x])
        signs = np.append(np.ones(y.shape[1]), -np.ones(x.shape[1]))
        unit = np.fmax.reduce(np.abs(self.projections.to_numpy()), axis=0, initial=1e-300)  # a NaN is no unit
        return np.abs((self.projections.to_numpy() - grown - signs * self.slacks.to_numpy()) / unit).max(axis=1)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the efficiencies; see `deabench.plot.RankingDisplay`."""
        from deabench.plot import RankingDisplay

        return RankingDisplay.from_ranking(self).plot(ax=ax, **options)

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(escape=True)


def rank(
    table: pd.DataFrame,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    model: str = "wei",
    returns: str = "crs",
    orientation: str = "output",
    reference: pd.DataFrame | None = None,
) -> Ranking:
    """Rank classifiers by their efficiency: how near each comes to the best trade-off that the others reach.

    Parameters
    ----------
    table : DataFrame, n x columns
        Classifiers in rows, metrics in columns.
    outputs, inputs : sequences of column names, optional
        Metrics to be high and metrics to be low; without `outputs`, every numeric column that is not an input.
    lower_is_better : mapping or sequence of column names
        `{"logloss": "input"}` or `{"error": 1.0}` (its known maximum, to complement it to).
    model : {"wei", "score", "ccr"}
        "wei": models (4) and (5), with inputs on all quotients output/input; "score": (6), the dual of (5), the same
        efficiencies from the weights' side; "ccr": (2) and (3), with `returns` and `orientation`.
    returns : {"crs", "vrs", "nirs", "ndrs"}
    orientation : {"output", "input"}
    reference : DataFrame, optional
        The DMUs that span the frontier; the table itself without it.

    Returns
    -------
    Ranking

    Raises
    ------
    DataError
        Where the data cannot be used; by row, column and value, before anything is solved.
    SolveError
        Where a solve does not end optimal.

    Examples
    --------
    >>> import deabench as db
    >>> table = db.datasets.load("chao2022-outliers")
    >>> db.rank(table, inputs=["TNR"]).scores.round(3).tolist()
    [1.0, 0.895, 0.745, 0.735, 0.71, 0.605, 0.5]
    """
    _choices(model, returns, orientation)
    given = {"outputs": outputs, "inputs": inputs, "lower_is_better": lower_is_better}
    data = check(table, **given)  # type: ignore[arg-type]
    if reference is None:
        spanning = data
    else:
        given["outputs"] = list(data.outputs.columns)
        spanning = check(reference, **given, warn=False)  # type: ignore[arg-type]
    if model == "ccr":
        if not data.inputs.shape[1]:
            raise DataError("model 'ccr' needs an input and none is given; name one in inputs, or use model 'wei'")
    else:
        if (returns, orientation) != ("crs", "output"):
            raise DataError(f"model '{model}' has no returns or orientation; leave them out, or use model 'ccr'")
        data, spanning = _quotients(data), _quotients(spanning)
    from deabench.solve.shared.radial import efficiencies

    return Ranking(**efficiencies(data, spanning, model, returns, orientation))


def _choices(model: str, returns: str, orientation: str) -> None:
    for name, value, known in (("model", model, MODELS), ("returns", returns, RETURNS),
                               ("orientation", orientation, ORIENTATIONS)):
        if value not in known:
            raise DataError(f"{name} '{value}' is not known; it is one of " + ", ".join(f"'{k}'" for k in known))


def _quotients(data: Data) -> Data:
    """The index data of model (5): every output over every input; the outputs themselves where there is no input."""
    inputs = data.inputs
    if not inputs.shape[1]:
        return data
    zero = inputs.to_numpy() == 0
    if zero.any():
        row, column = np.argwhere(zero)[0]
        raise DataError(
            f"input '{inputs.columns[column]}' of '{inputs.index[row]}' is 0; a quotient over it is infinite, "
            "leave the row out or use model 'ccr'"
        )
    quotients = {f"{o}/{i}": data.outputs[o] / inputs[i] for o in data.outputs for i in inputs}
    frame = pd.DataFrame(quotients, index=data.labels)
    return Data(frame, frame.iloc[:, :0], (*data.notes, "outputs are quotients: " + ", ".join(frame.columns)))
