"""Rank the classifiers of a table by efficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.checks import choice
from deabench.dea import certify
from deabench.dea.explain import explain, summary
from deabench.dea.models import HINTS, MODELS, Direction, Goal, ModelName, Weighting
from deabench.dea.models.record import Answer, Model, Orientation, Returns, Task
from deabench.errors import DataError
from deabench.progress import progress
from deabench.results import Result
from deabench.tables.gate import Data, check

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.plot import RankingDisplay

DECIMALS = 9
"""Scores and slacks that agree to so many decimals are tied."""


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Answer, Result):
    """Efficiencies with everything that explains and proves them.

    Attributes
    ----------
    scores, slacks, weights, intensities, efficient, data, reference, options, frontier, reasons, path, tables
        See `deabench.dea.models.record.Answer`. For a radial model 1 is on the frontier, below 1 inside it, above 1 outside
        the reference.
    record : Model
        The model that was asked.
    notes : tuple of str
        What was done to the data, chosen or not proved, as sentences.
    """

    record: Model
    notes: tuple[str, ...]

    @property
    def model(self) -> str:
        """The model, its equation, and the path that solved it."""
        return f"{self.record.name} {self.record.equation}, {self.path}"

    @property
    def measure(self) -> str:
        """"efficiency" (1 is best) or "inefficiency" (0 is best)."""
        return self.record.measure

    @cached_property
    def ranks(self) -> pd.Series:
        """1 is best. Of equal scores the Pareto-efficient come first, then those with less slack; what still ties shares
        the best of its ranks."""
        keys = self._keys()
        place = np.lexsort(keys)
        new = np.ones(len(place), dtype=bool)
        new[1:] = np.any([np.diff(key[place]) != 0 for key in keys], axis=0)
        ranks = np.empty(len(place), dtype=np.int64)
        ranks[place] = np.maximum.accumulate(np.where(new, np.arange(1, len(place) + 1), 0))
        return pd.Series(ranks, index=self.scores.index, dtype="Int64", name="rank").mask(self.scores.isna())

    def _keys(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What orders the DMUs, the lowest first; the last key matters most."""
        sign = 1.0 if self.measure == "inefficiency" else -1.0
        unit = np.append(self.data.outputs.abs().max(), self.data.inputs.abs().max())
        left = (self.slacks.to_numpy() / np.where(unit > 0, unit, 1.0)).sum(axis=1)
        score = np.nan_to_num(sign * self.scores.to_numpy().round(DECIMALS), nan=np.inf)
        return np.nan_to_num(left).round(DECIMALS), (~self.efficient.to_numpy(dtype=bool)).astype(np.int8), score

    @cached_property
    def peers(self) -> pd.DataFrame:
        """λ, DMU x reference DMU; the reference DMUs that are nobody's peer are left out, zeros are not stored."""
        return self.intensities.frame(self.scores.index, self.reference.labels)

    @cached_property
    def projections(self) -> pd.DataFrame:
        """Where each DMU would be efficient: the combination of its peers."""
        return certify.projections(self)

    @cached_property
    def certificate(self) -> pd.DataFrame:
        """The proof of every score, recomputed from this result's own numbers: see `deabench.certify`."""
        return self.proof().frame

    def proof(self) -> certify.Proof:
        """The certificate with what each claim of this result misses.

        Raises
        ------
        DataError
            Where the model has no certificate.
        """
        if self.record.prove is None:
            raise DataError(f"model '{self.record.name}' has no certificate; its scores are the solver's word")
        return self.record.prove(self)

    def to_frame(self) -> pd.DataFrame:
        """`efficiency` (or `inefficiency`), `rank`, `efficient`, best first; of equal ranks in the table's order."""
        frame = pd.DataFrame({self.measure: self.scores, "rank": self.ranks, "efficient": self.efficient})
        frame.index.name = "classifier"
        return frame.sort_values("rank", kind="stable")

    def summary(self) -> str:
        """Who is efficient, who is not and by how much, and what was assumed."""
        return summary(self)

    def explain(self, name: object) -> str:
        """One classifier's story: efficient or not, its peers, what it would have to gain, on which weights its score rests.

        Parameters
        ----------
        name : label of the table

        Raises
        ------
        DataError
            Where there is no such label.
        """
        return explain(self, name)

    def plot(self, ax: Axes | None = None) -> RankingDisplay:
        """Draw the scores; see `deabench.plot.RankingDisplay`."""
        from deabench.plot import RankingDisplay

        return RankingDisplay.from_ranking(self).plot(ax=ax)


def rank(
    table: pd.DataFrame,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    model: ModelName | None = None,
    returns: Returns | None = None,
    orientation: Orientation | None = None,
    reference: pd.DataFrame | None = None,
    direction: Direction | Mapping[str, float] | None = None,
    weights: Weighting | Mapping[str, float] | None = None,
    goal: Goal | None = None,
    sums: tuple[float, float] | None = None,
    shares: Mapping[str, tuple[float, float]] | None = None,
    ratios: Mapping[tuple[str, str], tuple[float, float]] | None = None,
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
    model : str, optional
        One of `deabench.dea.models.MODELS`, each with its limits in docs/models.md. Without it "wei" where there is no input, and
        "ccr" with returns "vrs" where there is one: rates do not scale with costs.
    returns : {"crs", "vrs", "nirs", "ndrs"}, optional
        Which multiples and mixtures of DMUs count as possible; the model's default without it.
    orientation : {"output", "input", "none"}, optional
        What is to change: outputs, inputs, or both.
    reference : DataFrame, optional
        The DMUs that span the frontier; the table itself without it.
    direction : {"own", "ones", "mean", "range", "ideal"} or mapping of metric to number, optional
        Where model "ddf" moves to: shares of own values, units, shares of the reference's means or ranges, or straight to the
        best value of each metric.
    weights : {"ones", "mip", "normalized", "ram", "bam"} or mapping of metric to number, optional
        What a unit left to gain counts in model "additive".
    goal : {"aggressive", "benevolent"}, optional
        What else the weights of model "cross" are chosen for: "aggressive" (the others' least good) or "benevolent" (their most).
    sums : (least, most), optional
        Bounds of Σ λ in model "ccr", in the place of `returns`.
    shares : mapping of metric to (least, most), optional
        Bounds of each metric's share of the weighted sum of outputs (or inputs), between 0 and 1, in "wei", "score", "ccr".
    ratios : mapping of (metric, metric) to (least, most), optional
        Bounds of what a unit of the first counts in units of the second, in the same models: (2, inf) is "at least two".

    Returns
    -------
    Ranking

    Raises
    ------
    DataError
        Where the data cannot be used; by row, column and value, before anything is solved.
    SolveError
        Where a solve does not end optimal.

    Notes
    -----
    A score of .97 says that every output could grow by 3.1 % together (1/.97 = 1.031) before the mix of others that is best
    for this classifier is reached. Slacks are those of the largest Σ slack / (maximum of the metric in the reference).

    Examples
    --------
    >>> import deabench as db
    >>> table = db.datasets.load("chao2022-outliers")
    >>> db.rank(table, inputs=["TNR"], model="wei").scores.round(3).tolist()
    [1.0, 0.895, 0.745, 0.735, 0.71, 0.605, 0.5]
    """
    asked = {"returns": returns, "orientation": orientation, "direction": direction, "weights": weights, "goal": goal,
             "sums": sums, "shares": shares, "ratios": ratios}
    asked = {name: value for name, value in asked.items() if value is not None}
    record = None
    if model is not None:
        choice("model", model, list(MODELS), HINTS)
        record = MODELS[model]
    below = record is not None and record.negative(_options(record, asked))
    given: dict[str, Any] = {"outputs": outputs, "inputs": inputs, "lower_is_better": lower_is_better, "negative": below}
    data = check(table, **given)
    spanning = data
    if reference is not None:
        spanning = check(reference, **(given | {"outputs": list(data.outputs.columns)}), warn=False)
    record, options, notes = _chosen(data, record, asked)
    prepared = record.prepare(data)
    options |= {name: read(options[name], prepared) for name, read in record.readers.items() if name in options}
    task = Task(prepared, record.prepare(spanning), options, own=reference is None)
    with progress("rank", len(data.labels)) as advance:
        answer = record.solve(task, advance)
    notes = (*answer.data.notes, *notes, *_weak_points(answer, record))
    return Ranking(**{f.name: getattr(answer, f.name) for f in fields(Answer)}, record=record, notes=notes)


def _chosen(data: Data, record: Model | None, asked: dict[str, Any]) -> tuple[Model, dict[str, Any], tuple[str, ...]]:
    """The record and its options; what was chosen without being asked is said."""
    inputs = list(data.inputs.columns)
    if record is not None:
        if record.inputs == "needed" and not inputs:
            raise DataError(f"model '{record.name}' needs an input and none is given; name one in inputs, or use model 'wei'")
        options = _options(record, asked)
        if options.get("orientation") == "input" and not inputs:
            raise DataError("orientation 'input' needs an input and none is given; name one in inputs")
        return record, options, ()
    if not inputs:
        return MODELS["wei"], _options(MODELS["wei"], asked), ()
    chosen = asked if "returns" in asked or "sums" in asked else asked | {"returns": "vrs"}
    said = "" if chosen is asked else "; rates do not scale with costs, so returns to scale are variable"
    return MODELS["ccr"], _options(MODELS["ccr"], chosen), (
        f"model 'ccr' was chosen, for {', '.join(map(repr, inputs))} is an input{said}",)


def _options(record: Model, asked: dict[str, Any]) -> dict[str, Any]:
    """Every option of the model, as asked or its default; one or a word that the model does not know is refused."""
    if "sums" in asked and "returns" in asked:
        raise DataError("sums takes the place of returns; leave one of the two out")
    for name, value in asked.items():
        anywhere = [word for one in MODELS.values() for word in one.options.get(name, ())]
        if name in record.readers and not (isinstance(value, str) and anywhere):
            continue
        if not isinstance(value, str) or not anywhere:
            others = [f"'{one.name}'" for one in MODELS.values() if name in one.readers]
            raise DataError(f"model '{record.name}' has no {name}; leave it out" + (
                f", or use model {' or '.join(others)}" if others else ""))
        choice(name, value, list(dict.fromkeys(anywhere)), RETURN_HINTS)
        if value not in record.options.get(name, ()):
            others = [f"'{one.name}'" for one in MODELS.values() if value in one.options.get(name, ())][:4]
            raise DataError(f"model '{record.name}' has no {name} '{value}'; leave it out, or use model {' or '.join(others)}")
    return record.defaults() | asked


RETURN_HINTS = {"irs": "'ndrs'", "drs": "'nirs'", "variable": "'vrs'", "constant": "'crs'", "bcc": "'vrs'", "ccr": "'crs'",
                "in": "'input'", "out": "'output'", "non-oriented": "'none'", "graph": "'none'", "observed": "'own'",
                "normalised": "'normalized'"}


def _weak_points(answer: Answer, record: Model) -> tuple[str, ...]:
    """What a reader of the scores should know: a metric of 0 at the top, scores without a proof."""
    notes = []
    outputs = answer.data.outputs
    zero = answer.efficient.to_numpy()[:, None] & (outputs.to_numpy() == 0)
    for k, r in np.argwhere(zero)[:3]:
        notes.append(f"'{outputs.index[k]}' is efficient although its '{outputs.columns[r]}' is 0: "
                     "weights may leave a metric out")
    if record.prove is None:
        notes.append(f"model '{record.name}' has no certificate: its scores are the solver's word")
    return tuple(notes)
