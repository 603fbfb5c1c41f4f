"""A gate for pipelines: is a new model good enough beside those in use, and is that more than luck?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.delta_method import critical
from deabench.inference.dominance_games import Orientation, Returns, Technology
from deabench.inference.samples import Samples
from deabench.inference.score_limits import Problem, decided_by, limits, tails
from deabench.inference.uncertainty import EDGE, make_problem, sample_scores
from deabench.utils.checks import did_you_mean, share
from deabench.utils.result import Result

GateVerdict = Literal["efficient", "dominated", "undecided"]


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """What a gate says of one candidate.

    Attributes
    ----------
    candidate : str
    verdict : {"efficient", "dominated", "undecided"}
        efficient: at least `at_least`, proved; dominated: a mix of the others beats it in every
        metric, proved; else undecided.
    score, lower, upper : float
        The candidate's efficiency with its interval at `level`, for this one classifier.
    at_least : float in (0, 1]
    level : float
    secure_gap : float
        By how much, as a share, some mix beats it in every metric at least; 0 where none is proved
        to.
    mix : mapping of classifier to share
        The mix found at the upper limit.
    instances, needed : int, float
        Instances (or blocks) today, and about how many would decide an undecided candidate, if the
        figures stay; inf if none.
    technology : Technology
        What counts as possible: inputs, returns to scale, orientation.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> y, a, b = [1] * 40 + [0] * 60, [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
    >>> samples = db.Samples.from_predictions(y, {"a": a, "b": b})
    >>> answer = db.gate(samples, "a", at_least=.8)
    >>> answer.verdict, answer.passed
    ('efficient', True)
    """

    _text = "uncertainty"

    candidate: str
    verdict: GateVerdict
    score: float
    lower: float
    upper: float
    at_least: float
    level: float
    secure_gap: float
    mix: dict[str, float]
    instances: int
    needed: float
    technology: Technology
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the candidate is proved efficient to at least what was asked; being undecided is
        no pass.
        """
        return self.verdict == "efficient"

    def to_frame(self) -> pd.DataFrame:
        """One row, a column per field."""
        row = {
            "verdict": self.verdict,
            "passed": self.passed,
            "score": self.score,
            "lower": self.lower,
            "upper": self.upper,
            "at_least": self.at_least,
            "secure_gap": self.secure_gap,
            "instances": self.instances,
            "needed": self.needed,
        }
        return pd.DataFrame([row], index=pd.Index([self.candidate], name="candidate"))

    def to_dict(self) -> dict[str, object]:
        """Every field as plain Python values; a number of instances that does not exist is None."""
        needed = None if not np.isfinite(self.needed) else int(np.ceil(self.needed))
        return {
            "candidate": self.candidate,
            "verdict": self.verdict,
            "passed": self.passed,
            "score": self.score,
            "lower": self.lower,
            "upper": self.upper,
            "at_least": self.at_least,
            "level": self.level,
            "secure_gap": self.secure_gap,
            "mix": self.mix,
            "instances": self.instances,
            "needed": needed,
            "notes": list(self.notes),
        }


def gate(
    samples: Samples,
    candidate: str,
    *,
    at_least: float = 0.95,
    level: float = 0.95,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
) -> Gate:
    """Whether a candidate is efficient beside the other classifiers of the samples; never on luck.

    Both limits hold together for this one classifier at the level: a candidate passes where its
    lower limit reaches `at_least`.

    Parameters
    ----------
    samples : Samples
        The candidate and those in use.
    candidate : str
        Chosen before looking: the gate does not pay for a choice of the best of many candidates.
    at_least : number in (0, 1]
        The efficiency to be proved; 1 asks for no mix being better, which hardly any sample proves.
    level : number between 0 and 1
    outputs, inputs, returns, orientation
        As for `uncertainty`.

    Examples
    --------
    >>> import deabench as db
    >>> y = [1] * 200 + [0] * 200
    >>> old, new = [1] * 150 + [0] * 210 + [1] * 40, [1] * 190 + [0] * 200 + [1] * 10
    >>> gate(db.Samples.from_predictions(y, {"old": old, "new": new}, positive=1), "new").passed
    True
    """
    if candidate not in samples.values.index:
        raise DataError(
            f"there is no classifier '{candidate}'; {did_you_mean(candidate, list(samples.values.index))}"
        )
    if at_least != 1:
        share("at_least", at_least)
    alpha = 1 - share("level", level)
    problem, metrics, order = make_problem(samples, outputs, inputs, returns, orientation)
    row = [str(samples.values.index[i]) for i in order].index(candidate)
    c_low, c_up = (
        critical(tail, problem.moments.degrees)
        for tail in tails(len(order), problem.noisy, alpha, every=False)
    )
    score = float(sample_scores(samples, problem, metrics, order)[row])
    low = min(float(limits(problem, "lower", c_low, c_low**2 / 4, rows=[row]).value[0]), score)
    top = limits(problem, "upper", c_up, c_up**2 / 4, rows=[row])
    up = min(max(float(top.value[0]), score), 1.0)
    dominated = up < 1 - EDGE
    verdict: GateVerdict = (
        "efficient" if low >= at_least - EDGE else "dominated" if dominated else "undecided"
    )
    growth = np.array([1.0])
    if verdict == "undecided" and score >= at_least:
        growth = decided_by(problem, "lower", c_low, c_low**2 / 4, [row], at_least - EDGE)
    elif verdict == "undecided":
        growth = decided_by(problem, "upper", c_up, c_up**2 / 4, [row], 1 - EDGE)
    total = sum(samples.sizes.values())
    mix = {
        str(samples.values.index[order[j]]): float(top.mix[0, j])
        for j in np.argsort(-top.mix[0], kind="stable")
        if top.mix[0, j] >= 0.005 and dominated
    }
    gap = float(problem.technology.gap(np.array(up))) if dominated else 0.0
    return Gate(
        candidate,
        verdict,
        score,
        low,
        up,
        at_least,
        level,
        gap,
        mix,
        total,
        float(growth[0]) * total,
        problem.technology,
        _noted(samples, problem),
    )


def _noted(samples: Samples, problem: Problem) -> tuple[str, ...]:
    return (
        *samples.notes,
        *([f"with inputs the scores are {problem.technology.name}"] if problem.inputs else []),
    )
