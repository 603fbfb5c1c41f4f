"""Decide whether a candidate model may be released: proved to be good enough among those in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.dominance_games import Orientation, Returns, Technology
from deabench.inference.moments import critical_values
from deabench.inference.samples import Samples
from deabench.inference.samples.from_tables import as_samples
from deabench.inference.score_limits import (
    EDGE,
    growth_to_decide,
    make_problem,
    sample_scores,
    solve_limits,
    tail_probabilities,
)
from deabench.tables.table import TableLike
from deabench.utils.checks import did_you_mean, share
from deabench.utils.result import Result

GateVerdict = Literal["efficient", "dominated", "undecided"]
MIN_SHARE = 0.005
"""Classifiers with a smaller share of the mix are left out of it."""


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """The decision on one candidate.

    Attributes
    ----------
    candidate : str
    verdict : {"efficient", "dominated", "undecided"}
        dominated: proved that a mix of the others beats it in every metric; efficient: not shown
        to be dominated, and proved to score at least `at_least`; else undecided.
    score, lower, upper : float
        The candidate's efficiency with its interval at `level`, for this one classifier.
    at_least : float in (0, 1]
    level : float
    secure_gap : float
        By which share at least some mix beats it in every metric; 0 where none is proved to.
    mix : mapping of classifier to share
        The mix found at the upper limit.
    instances : int
        Today's instances, or blocks.
    needed : float
        About how many instances would decide an undecided candidate, at today's figures; inf where
        no number does.
    technology : Technology
        Inputs, returns to scale and orientation.
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

    _text = "uncertainty"

    @property
    def passed(self) -> bool:
        """Return whether the candidate is proved good enough; an undecided one does not pass."""
        return self.verdict == "efficient"

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the decision and its figures."""
        names = [
            "verdict",
            "passed",
            "score",
            "lower",
            "upper",
            "at_least",
            "secure_gap",
            "instances",
            "needed",
        ]
        row = {name: getattr(self, name) for name in names}
        return pd.DataFrame([row], index=pd.Index([self.candidate], name="candidate"))

    def to_dict(self) -> dict[str, object]:
        """Return every field as plain Python values; None where no number of instances decides."""
        needed = int(np.ceil(self.needed)) if np.isfinite(self.needed) else None
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
    samples: Samples | TableLike,
    candidate: str,
    *,
    at_least: float = 0.95,
    level: float = 0.95,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
) -> Gate:
    """Decide whether a candidate is proved to be efficient among the classifiers of the samples.

    Both limits hold together for this one classifier at the level: a candidate passes where its
    lower limit reaches `at_least` and its upper limit does not show it to be dominated.

    Parameters
    ----------
    samples : Samples, or a table with samples of any kind
        The candidate and those in use; as for `uncertainty`.
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
    samples, outputs, inputs = as_samples(samples, outputs, inputs)
    if candidate not in samples.values.index:
        raise DataError(
            f"there is no classifier '{candidate}'; "
            f"{did_you_mean(candidate, list(samples.values.index))}"
        )
    if at_least != 1:
        share("at_least", at_least)
    alpha = 1 - share("level", level)
    problem, metrics, rows = make_problem(samples, outputs, inputs, returns, orientation)
    labels = [str(samples.values.index[i]) for i in rows]
    # The candidate's row in the order of the problem.
    row = labels.index(candidate)
    score = float(sample_scores(samples, problem, metrics, rows)[row])

    # The limits of one classifier, chosen before looking at the data.
    tails = tail_probabilities(len(rows), problem.noisy, alpha, every=False)
    c_lower, c_upper = (critical_values(tail, problem.moments.degrees) for tail in tails)
    lower = float(solve_limits(problem, "lower", c_lower, c_lower**2 / 4, rows=[row]).value[0])
    lower = min(lower, score)
    corner = solve_limits(problem, "upper", c_upper, c_upper**2 / 4, rows=[row])
    upper = min(max(float(corner.value[0]), score), 1.0)

    # Beaten by a mix is decided by the upper limit, and good enough by the lower one: what is
    # shown to be worse does not pass, however little worse it is.
    is_dominated = upper < 1 - EDGE
    verdict: GateVerdict = "undecided"
    if is_dominated:
        verdict = "dominated"
    elif lower >= at_least - EDGE:
        verdict = "efficient"
    growth = 1.0
    # A score that is high enough waits for its lower limit, any other for its upper limit.
    if verdict == "undecided" and score >= at_least:
        edge = at_least - EDGE
        growth = growth_to_decide(problem, "lower", c_lower, c_lower**2 / 4, [row], edge)[0]
    elif verdict == "undecided":
        growth = growth_to_decide(problem, "upper", c_upper, c_upper**2 / 4, [row], 1 - EDGE)[0]

    secure_gap = 0.0
    mix: dict[str, float] = {}
    if is_dominated:
        secure_gap = float(problem.technology.gap(np.array(upper)))
        shares = corner.mix[0]
        largest_first = np.argsort(-shares, kind="stable")
        mix = {labels[j]: float(shares[j]) for j in largest_first if shares[j] >= MIN_SHARE}
    notes = samples.notes
    if problem.inputs:
        notes = (*notes, f"with inputs the scores are {problem.technology.name}")
    instances = sum(samples.sizes.values())
    return Gate(
        candidate=candidate,
        verdict=verdict,
        score=score,
        lower=lower,
        upper=upper,
        at_least=at_least,
        level=level,
        secure_gap=secure_gap,
        mix=mix,
        instances=instances,
        needed=float(growth) * instances,
        technology=problem.technology,
        notes=notes,
    )
