"""What a DEA model is to the rest of the house: one record; and what it answers: one dataclass.

A record says which options its model has, how data are prepared for it, how it is solved and its solution read, what its scores
measure and what proves them. `rank`, the commands, studies, reports and `certify` read records and know no model by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from deabench.arrays import TOLERANCE, Sparse
from deabench.dea.certify import Proof
from deabench.tables.gate import Data

Returns = Literal["crs", "vrs", "nirs", "ndrs"]
Orientation = Literal["output", "input", "none"]
Measure = Literal["efficiency", "inefficiency"]
Advance = Callable[[int], None]


@dataclass(frozen=True)
class Task:
    """What a model is asked: data that have passed the gate, the reference, and its options.

    Attributes
    ----------
    data, reference : Data
        Tested DMUs, and those that span the frontier.
    options : mapping of str to str
        Every option of the model, the default where none was given.
    own : bool
        Whether the tested DMUs are the reference: DMU k is then reference DMU k.
    """

    data: Data
    reference: Data
    options: Mapping[str, str]
    own: bool


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """A ranking on its way from the solver to the user: what a model found for every tested DMU, and from what.

    Attributes
    ----------
    scores : Series (n,)
        As the model measures; raw, never rounded. NaN where undefined, with the reason in `reasons`.
    slacks : DataFrame, n x metrics
        What is left to gain in each metric beyond what the score says, in the metric's own unit.
    weights : DataFrame, n x metrics
        Multipliers that prove the scores, with returns to scale also `u_0`; without columns where the model has none.
    intensities : Sparse (n, reference DMUs)
        λ, compactly.
    efficient : Series of bool (n,)
        Pareto-efficient in the reference.
    data, reference : Data
        What was scored and what spans the frontier (quotients, where inputs made them).
    options : mapping of str to str
    own : bool
        Whether the tested DMUs are the reference.
    frontier : int array
        Positions of the reference DMUs that were compared with; all others are dominated by one of these.
    reasons : dict of label to str
        Why a DMU has no score.
    path : str
        How the scores were found.
    """

    scores: pd.Series
    slacks: pd.DataFrame
    weights: pd.DataFrame
    intensities: Sparse
    efficient: pd.Series
    data: Data
    reference: Data
    options: Mapping[str, str]
    own: bool
    frontier: np.ndarray
    reasons: dict[Any, str]
    path: str

    @property
    def returns(self) -> str:
        """The returns to scale; without inputs every DMU has the same one, which is vrs."""
        return self.options.get("returns", "vrs") if self.data.inputs.shape[1] else "vrs"

    @property
    def orientation(self) -> str:
        return self.options.get("orientation", "output")


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
        The words that each option takes, the default first; one word alone where the model knows no other.
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
    """

    name: str
    title: str
    equation: str
    options: Mapping[str, tuple[str, ...]]
    solve: Callable[[Task, Advance], Answer]
    prove: Callable[[Answer], Proof] | None
    meaning: Callable[[float, Mapping[str, str]], str]
    inputs: Literal["needed", "optional"] = "optional"
    measure: Measure = "efficiency"
    prepare: Callable[[Data], Data] = field(default=lambda data: data)


def pareto(scores: pd.Series, slacks: pd.DataFrame, data: Data) -> pd.Series:
    """Pareto-efficient: the score reaches 1 and no slack is left, both within `deabench.arrays.TOLERANCE`."""
    unit = np.append(data.outputs.abs().max(), data.inputs.abs().max())
    left = (slacks.to_numpy() / np.where(unit > 0, unit, 1.0)).max(axis=1, initial=0.0)
    return ((scores >= 1 - TOLERANCE) & (left <= TOLERANCE)).rename("efficient")


def radial_meaning(score: float, options: Mapping[str, str]) -> str:
    """What a radial efficiency says."""
    if options.get("orientation", "output") == "input":
        share = 100 * (1 - score)
        return (f"every input could shrink by {share:.1f} % together" if share >= 0
                else f"every input could grow by {-share:.1f} % together before the others reach it")
    share = 100 * (1 / score - 1) if score > 0 else np.inf
    return (f"every output could grow by {share:.1f} % together" if share >= 0
            else f"every output could shrink by {-share:.1f} % together before the others reach it")
