"""What a DEA model is to the rest of the house: one record; and what it answers: one dataclass.

A record says which options its model has, how data are prepared for it, how it is solved and its
solution read, what its scores measure and what proves them. `rank`, the commands, studies, reports
and `certify` read records and know no model by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.proofs.ranking import proved_efficient
from deabench.results.proof import Proof, SlackWeights
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed
from deabench.utils.arrays import TOLERANCE, Sparse
from deabench.utils.checks import did_you_mean

Returns = Literal["crs", "vrs", "nirs", "ndrs"]
Orientation = Literal["output", "input", "none"]
Technology = Literal["convex", "fdh"]
Norm = Literal["l1", "l2", "linf"]
Measure = Literal["efficiency", "inefficiency"]
Advance = Callable[[int], None]
Reader = Callable[[Any, Data], Any]
ANYTHING: tuple[Allowed, ...] = (
    "zero inputs",
    "zero outputs",
    "negative inputs",
    "negative outputs",
)
"""What a translation-invariant model can do with."""


@dataclass(frozen=True)
class Task:
    """What a model is asked: data that have passed the gate, the reference, and its options.

    Attributes
    ----------
    data, reference : Data
        Tested DMUs, and those that span the frontier.
    options : mapping of str to object
        Every option of the model, the default where none was given: a word, or what its reader made
        of it.
    own : bool
        Whether the tested DMUs are the reference: DMU k is then reference DMU k.
    """

    data: Data
    reference: Data
    options: Mapping[str, Any]
    own: bool


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """A ranking on its way from the solver to the user: what a model found for every tested DMU,
    and from what.

    Attributes
    ----------
    scores : Series (n,)
        As the model measures; raw, never rounded. NaN where undefined, with the reason in
        `reasons`.
    slacks : DataFrame, n x metrics
        What is left to gain in each metric beyond what the score says, in the metric's own unit.
    weights : DataFrame, n x metrics
        Multipliers that prove the scores, with returns to scale also `u_0`; without columns where
        the model has none.
    intensities : Sparse (n, reference DMUs)
        λ, compactly.
    efficient : Series of bool (n,)
        Pareto-efficient in the reference.
    data, reference : Data
        What was scored and what spans the frontier (quotients, where inputs made them).
    options : mapping of str to object
    own : bool
        Whether the tested DMUs are the reference.
    frontier : int array
        Positions of the reference DMUs that were compared with; all others are dominated by one of
        these.
    reasons : dict of label to str
        Why a DMU has no score.
    path : str
        How the scores were found.
    tables : dict of str to DataFrame
        What the model says beyond one score a DMU, by its name, as the matrix of a
        cross-efficiency.
    slack_weights : SlackWeights or None
        What proves the slacks the largest and the efficient so; None where the model proves them
        otherwise.
    rays : DataFrame or None, metrics as columns
        Weights, 0 or more, under which no mix of the reference comes to a DMU: they prove that it
        has no score. One row for each DMU that needs one.
    """

    scores: pd.Series
    slacks: pd.DataFrame
    weights: pd.DataFrame
    intensities: Sparse
    efficient: pd.Series
    data: Data
    reference: Data
    options: Mapping[str, Any]
    own: bool
    frontier: np.ndarray
    reasons: dict[Any, str]
    path: str
    tables: dict[str, pd.DataFrame] = field(default_factory=dict, kw_only=True)
    slack_weights: SlackWeights | None = field(default=None, kw_only=True)
    rays: pd.DataFrame | None = field(default=None, kw_only=True)

    @cached_property
    def undecided(self) -> pd.Series:
        """Who is not proved efficient, nor proved not to be, within
        `deabench.utils.arrays.TOLERANCE`; they are not called efficient.
        """
        if self.slack_weights is None:
            return pd.Series(False, index=self.scores.index, name="undecided")
        return pd.Series(
            proved_efficient(self, self.slack_weights)[1], index=self.scores.index, name="undecided"
        )

    @property
    def returns(self) -> str:
        """The returns to scale; without inputs every DMU has the same one, which is vrs."""
        return str(self.options.get("returns", "vrs")) if self.data.inputs.shape[1] else "vrs"

    @property
    def orientation(self) -> str:
        return str(self.options.get("orientation", "output"))


@dataclass(frozen=True)
class Model:
    """One DEA model.

    Attributes
    ----------
    name : str
        What users write.
    title : str
        One line: for help, the report and the table of models.
    equation : str
        Where its mathematics stands: the number in the paper, or the formulation.
    options : mapping of str to tuple of str
        The words that each option takes, the default first; one word alone where the model knows no
        other.
    inputs : {"needed", "optional"}
    measure : {"efficiency", "inefficiency"}
        1 is best, or 0.
    solve : function of (Task, Advance) to Answer
    prove : function of Answer to Proof, or None
        What `deabench.certify` recomputes; None where there is no certificate for the model.
    meaning : function of (score, options) to str
        What a score says, as a clause: "every output could grow by 3.1 % together".
    prepare : function of Data to Data
        What is done to data that have passed the gate.
    readers : mapping of str to function of (given, Data)
        The options that take more than a word, and what makes of it what `solve` reads; it refuses
        what it cannot read. One that is not in `options` has no default.
    allows : function of options to words
        Which data beyond values >= 0 and rows with something in them it can do with; see
        `deabench.tables.validation.validate`.
    """

    name: str
    title: str
    equation: str
    options: Mapping[str, tuple[str, ...]]
    solve: Callable[[Task, Advance], Answer]
    prove: Callable[[Answer], Proof] | None
    meaning: Callable[[float, Mapping[str, Any]], str]
    inputs: Literal["needed", "optional"] = "optional"
    measure: Measure = "efficiency"
    prepare: Callable[[Data], Data] = field(default=lambda data: data)
    readers: Mapping[str, Reader] = field(default_factory=dict)
    allows: Callable[[Mapping[str, Any]], tuple[Allowed, ...]] = field(default=lambda _: ())

    def defaults(self) -> dict[str, Any]:
        """Its options where none is given."""
        return {name: words[0] for name, words in self.options.items()}


def part(answer: Answer, rows: np.ndarray) -> Answer:
    """The answer of some of the DMUs alone."""
    data = Data(answer.data.outputs.iloc[rows], answer.data.inputs.iloc[rows], answer.data.notes)
    return replace(
        answer,
        scores=answer.scores.iloc[rows],
        slacks=answer.slacks.iloc[rows],
        weights=answer.weights.iloc[rows],
        intensities=answer.intensities[rows],
        efficient=answer.efficient.iloc[rows],
        data=data,
    )


def pareto(scores: pd.Series, slacks: pd.DataFrame, data: Data) -> pd.Series:
    """Pareto-efficient: the score reaches 1 and no slack is left, both within
    `deabench.utils.arrays.TOLERANCE`.
    """
    unit = np.append(data.outputs.abs().max(), data.inputs.abs().max())
    left = (slacks.to_numpy() / np.where(unit > 0, unit, 1.0)).max(axis=1, initial=0.0)
    return ((scores >= 1 - TOLERANCE) & (left <= TOLERANCE)).rename("efficient")


def weighing(what: str, given: object, data: Data, *, least: float = 0.0) -> dict[str, float]:
    """A number for each metric of a mapping {metric: number}; 0 for a metric that it leaves out.

    Raises
    ------
    DataError
        Where it is no such mapping, names no metric, or a number is below `least`, not finite, or
        they are all 0.
    """
    known = [*data.outputs.columns, *data.inputs.columns]
    if not isinstance(given, Mapping):
        raise DataError(
            f"{what} is {given!r}; give a mapping of metric to number, as {{'{known[0]}': 1.0}}"
        )
    for name, value in given.items():
        if name not in known:
            raise DataError(
                f"{what} names '{name}', which is no metric here; {did_you_mean(name, known)}"
            )
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not np.isfinite(value)
            or value < least
        ):
            raise DataError(
                f"{what} of '{name}' is {value!r}; give a finite number, {least:g} or more"
            )
    if not any(given.values()):
        raise DataError(f"{what} is 0 for every metric; give at least one of them a number above 0")
    return {name: float(given.get(name, 0.0)) for name in known}


def radial_meaning(score: float, options: Mapping[str, Any]) -> str:
    """What a radial efficiency says."""
    if options.get("orientation", "output") == "input":
        share = 100 * (1 - score)
        return (
            f"every input could shrink by {share:.1f} % together"
            if share >= 0
            else f"every input could grow by {-share:.1f} % together before the others reach it"
        )
    share = 100 * (1 / score - 1) if score > 0 else np.inf
    return (
        f"every output could grow by {share:.1f} % together"
        if share >= 0
        else f"every output could shrink by {-share:.1f} % together before the others reach it"
    )


def radial_allows(options: Mapping[str, Any]) -> tuple[Allowed, ...]:
    """What a radial model can do with: with Σ λ = 1 the origin of the side that does not change is
    arbitrary, and where inputs are not scaled a DMU may need none.
    """
    returns, inward = options.get("returns", "crs"), options.get("orientation") == "input"
    if inward:
        return ("zero outputs", "negative outputs") if returns == "vrs" else ("zero outputs",)
    if returns == "vrs":
        return ("zero inputs", "negative inputs", "zero outputs")
    return ("zero inputs", "zero outputs") if returns == "nirs" else ("zero outputs",)
