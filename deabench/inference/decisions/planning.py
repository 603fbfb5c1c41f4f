"""Plan a test set before it is collected: how many instances a verdict or a gate will need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtri

from deabench.errors import DataError
from deabench.utils.checks import share
from deabench.utils.result import Result

MARGIN = 1.2
"""Learning the mix costs about a fifth of the instances."""
ANYTIME_MARGINS = (1.7, 2.3)
"""Learning bets multiplies the rounds of known bets by this, with one metric and with five."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """Numbers of instances, per metric (of each class where metrics are recalls).

    Attributes
    ----------
    gap : float or None
        By how much the dominating mix is ahead in each metric.
    at_least : float or None
        The efficiency to be shown.
    score : float
        The candidate's true efficiency.
    value : float
        The metric of the better side.
    k, s : int
        Classifiers and metrics.
    rho : float
        The correlation of right answers of two classifiers.
    level, power : float
    verdict : float
        Instances that show a dominated classifier to be so on a finished test set; NaN without a
        gap.
    anytime : float
        The same with verdicts that hold at any time.
    gate : float
        Instances that let the candidate pass; NaN without at_least.
    blocks : float
        Data sets or clusters that exact limits need at least; NaN without at_least.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> db.plan(gap=0.1, k=10).verdict
    250.0
    """

    gap: float | None
    at_least: float | None
    score: float
    value: float
    k: int
    s: int
    rho: float
    level: float
    power: float
    verdict: float
    anytime: float
    gate: float
    blocks: float
    notes: tuple[str, ...]

    _text = "decisions"

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each question that was asked."""
        rows = {
            "verdict, once": self.verdict,
            "verdict, at any time": self.anytime,
            "gate": self.gate,
            "gate, exact, blocks": self.blocks,
        }
        needed = pd.Series(rows, name="instances").rename_axis("question").dropna()
        return needed.astype(int).to_frame()


def plan(
    gap: float | None = None,
    *,
    at_least: float | None = None,
    score: float = 1.0,
    value: float = 0.9,
    k: int = 2,
    s: int = 1,
    rho: float = 0.3,
    level: float = 0.95,
    power: float = 0.8,
) -> Plan:
    """Compute how many instances a verdict, a gate and verdicts at any time will need.

    The numbers are per metric: of instances of its class where metrics are recalls, of all
    instances for accuracy.

    Parameters
    ----------
    gap : number between 0 and 1, optional
        By how much the better classifier (or mix) is ahead in each metric: .05 are 5 points.
    at_least : number between 0 and 1, optional
        The efficiency that a gate asks for.
    score : number in (at_least, 1]
        The true efficiency of the candidate.
    value : number between 0 and 1
        The metric of the better side.
    k, s : int
        Classifiers and metrics.
    rho : number in [0, 1)
        The correlation of the right answers of two classifiers; two models of one kind have .3 to
        .8. The higher, the fewer instances.
    level : number between 0 and 1
    power : number between 0 and 1
        The chance that the test set will be large enough.

    Examples
    --------
    >>> import deabench as db
    >>> db.plan(gap=0.1, value=0.9, k=10).to_frame()["instances"].to_dict()
    {'verdict, once': 250, 'verdict, at any time': 339}
    >>> db.plan(at_least=0.95, value=0.9).to_frame()["instances"].to_dict()
    {'gate': 557, 'gate, exact, blocks': 74}
    """
    if gap is None and at_least is None:
        raise DataError("nothing is asked; give gap= for a verdict, at_least= for a gate, or both")
    alpha = 1 - share("level", level)
    share("power", power)
    share("value", value)
    if k < 2 or s < 1:
        raise DataError(f"k is {k} and s is {s}; give at least two systems and one metric")
    if not 0 <= rho < 1:
        raise DataError(f"rho is {rho}; give a number from 0 to below 1, as 0.3")
    verdict = np.nan
    anytime = np.nan
    if gap is not None:
        # All metrics must speak: the power of each is the s-th root of the power of all.
        z_power = float(ndtri(power ** (1 / s)))
        share("gap", gap)
        if gap >= value:
            raise DataError(f"gap is {gap} and value is {value}; the gap must be smaller")
        square = _mean_square(value, value - gap, rho)
        z = float(-ndtri(alpha / k))
        verdict = np.ceil(MARGIN * (square - gap**2) * ((z + z_power) / gap) ** 2)
        # The growth of the best bet, gap / square, is half its gain.
        growth = gap**2 / (2 * square)
        low, high = ANYTIME_MARGINS
        margin = low + (high - low) * min(s - 1, 4) / 4
        anytime = np.ceil(margin * np.log(k / alpha) / growth)
    gate = np.nan
    blocks = np.nan
    if at_least is not None:
        share("at_least", at_least)
        if not at_least < score <= 1:
            raise DataError(
                f"score is {score} and at_least is {at_least}; a candidate passes only if its true "
                "efficiency is higher than at_least, and at most 1"
            )
        # The variance of the log ratio of two means, by the delta method.
        candidate_value = value * score
        covariance = rho * np.sqrt(value * (1 - value) * candidate_value * (1 - candidate_value))
        variance = (
            (1 - value) / value
            + (1 - candidate_value) / candidate_value
            - 2 * covariance / (value * candidate_value)
        )
        z = float(-ndtri(alpha / 2))
        # One metric is enough, but beside each of the others: as if all were as good as the best.
        z_power = float(ndtri(power ** (1 / (k - 1))))
        gate = np.ceil(MARGIN * variance * ((z + z_power) / np.log(score / at_least)) ** 2)
        blocks = np.ceil(np.log(2 / alpha) / (1 - at_least))
    notes = ("the numbers are estimates at the figures given; a larger correlation needs fewer",)
    return Plan(
        gap=gap,
        at_least=at_least,
        score=score,
        value=value,
        k=k,
        s=s,
        rho=rho,
        level=level,
        power=power,
        verdict=float(verdict),
        anytime=float(anytime),
        gate=float(gate),
        blocks=float(blocks),
        notes=notes,
    )


def _mean_square(better: float, worse: float, rho: float) -> float:
    """Return the mean square of the difference of two right answers, the share of disagreement."""
    deviations = np.sqrt(better * (1 - better) * worse * (1 - worse))
    # E(a − b)² of 0/1 outcomes; no correlation can bring it below the gap itself.
    both_right = better * worse + rho * deviations
    return float(max(better + worse - 2 * both_right, better - worse))
