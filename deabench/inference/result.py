"""What is known of efficiencies: intervals, verdicts, ranks and tiers with proven coverage."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from deabench.inference import max_t, sentences
from deabench.inference.analytic import Limits, Problem, Side, critical, decided_by, limits, tails
from deabench.inference.samples import Samples
from deabench.utils.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.plot import UncertaintyDisplay

Array = np.ndarray
Method = Literal["analytic", "max-t"]
Verdict = Literal["dominated", "undecided", "efficient"]

SIDES: tuple[Side, Side] = ("lower", "upper")
EDGE = 1e-9
"""A score within this of 1 is on the frontier."""


@dataclass(frozen=True)
class Constants:
    """The critical values of one side or claim, and the ridge's weight with them, each (s,)."""

    c: Array
    h: Array

    def limits(self, problem: Problem, side: Side, rows: list[int] | None = None) -> Limits:
        """The scores at that corner."""
        return limits(problem, side, self.c, self.h, rows=rows)


@dataclass(frozen=True, eq=False, repr=False)
class Uncertainty(Result):
    """What the samples leave open about the efficiencies.

    Attributes
    ----------
    scores : Series (k,)
        Efficiencies in (0, 1], the table's order.
    lower, upper : Series (k,)
        The interval of each score: of all at once, or of one classifier asked for beforehand
        (`simultaneous`).
    verdicts : Series (k,)
        dominated: some mix of the others beats it in every metric, by at least `secure_gap`;
        efficient: none does; undecided. All verdicts hold at once at the level.
    secure_gap : Series (k,)
        By how much at least, as a share of each of its metrics; NaN where the verdict is not
        dominated.
    mixes : DataFrame, k x k
        The mix that shows it; under "max-t" this very mix beats by the secure gap, under "analytic"
        some mix does.
    ranks : DataFrame, k x (best, worst)
        Of all classifiers at once; 1 is best.
    tiers : Series (k,)
        1: proved below nobody; t + 1: proved below somebody of tier t. Two of one tier need not be
        alike.
    samples : Samples
    level : float
    method : {"analytic", "max-t"}
    simultaneous : bool
    c_lower, c_upper, c_list : Constants
        Critical values of the limits and of the verdicts, in the order of `problem`.
    problem : Problem
        Classifiers in the order of their labels, metrics in the order of their names, inputs last.
    metrics : tuple of str
        In the order of `problem`.
    order : tuple of int
        The place in the user's order of each classifier of `problem`.
    seed, draws : int
        Of "max-t", and of `gaps`, `targets` and `band`.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> y, a, b = [1] * 40 + [0] * 60, [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
    >>> samples = db.Samples.from_predictions(y, {"a": a, "b": b})
    >>> answer = db.uncertainty(samples)
    >>> answer.verdicts.to_dict()
    {'a': 'undecided', 'b': 'undecided'}
    >>> answer.to_frame()["lower"].round(2).to_dict()
    {'a': 0.93, 'b': 0.93}
    """

    scores: pd.Series
    lower: pd.Series
    upper: pd.Series
    verdicts: pd.Series
    secure_gap: pd.Series
    mixes: pd.DataFrame
    ranks: pd.DataFrame
    tiers: pd.Series
    samples: Samples
    level: float
    method: Method
    simultaneous: bool
    c_lower: Constants
    c_upper: Constants
    c_list: Constants
    problem: Problem
    metrics: tuple[str, ...]
    order: tuple[int, ...]
    seed: int
    draws: int
    notes: tuple[str, ...]

    @cached_property
    def each(self) -> pd.DataFrame:
        """lower and upper of one classifier asked for beforehand: narrower, and not for all at
        once.
        """
        return _each(self)

    @cached_property
    def instances(self) -> pd.Series:
        """How many times today's instances would about decide each undecided classifier, if the
        figures stay; inf: no number does.

        Whoever scores below 1 is decided when it is proved dominated, whoever scores 1 when it is
        proved efficient."""
        return self.times_the_instances((self.verdicts == "undecided").to_numpy())

    def times_the_instances(self, wanted: Array) -> pd.Series:
        """`instances` of some classifiers: a bool for each, in the table's order; NaN for the
        others.
        """
        growth = np.full(len(self.scores), np.nan)
        score, asked = (
            self.scores.to_numpy()[list(self.order)],
            np.asarray(wanted)[list(self.order)],
        )
        below = score < 1 - EDGE
        for side, constants, part in zip(
            SIDES, (self.c_lower, self.c_list), (~below, below), strict=True
        ):
            rows = np.flatnonzero(part & asked).tolist()
            growth[rows] = decided_by(self.problem, side, constants.c, constants.h, rows, 1 - EDGE)
        return pd.Series(
            in_order(growth, self.order), self.scores.index, name="times_the_instances"
        )

    @cached_property
    def gaps(self) -> pd.DataFrame:
        """Relative gaps to today's mix of peers, every one at once; see
        `deabench.inference.ratios.gaps`.
        """
        from deabench.inference.ratios import gaps

        return gaps(self)

    @cached_property
    def targets(self) -> pd.DataFrame:
        """Targets with intervals, in the metrics' units; see `deabench.inference.ratios.targets`."""
        from deabench.inference.ratios import targets

        return targets(self)

    @cached_property
    def band(self) -> pd.DataFrame:
        """Metrics between which the true frontier lies; see `deabench.inference.ratios.band`."""
        from deabench.inference.ratios import band

        return band(self)

    def to_frame(self, *, each: bool = False) -> pd.DataFrame:
        """score, lower, upper, verdict, best_rank, worst_rank, tier; with `each` also lower_each
        and upper_each; best first.
        """
        frame = pd.DataFrame(
            {
                "score": self.scores,
                "lower": self.lower,
                "upper": self.upper,
                "verdict": self.verdicts,
                "best_rank": self.ranks["best"],
                "worst_rank": self.ranks["worst"],
                "tier": self.tiers,
            }
        )
        if each:
            frame["lower_each"], frame["upper_each"] = self.each["lower"], self.each["upper"]
        frame = frame.rename_axis("classifier")
        return frame.sort_values(
            ["tier", "score", "lower"], ascending=[True, False, False], kind="stable"
        )

    def plot(self, ax: Axes | None = None) -> UncertaintyDisplay:  # type: ignore[override]
        """Draw the intervals; see `deabench.plot.UncertaintyDisplay`, and `FrontierBandDisplay` for
        the frontier's band.
        """
        from deabench.plot import UncertaintyDisplay

        return UncertaintyDisplay.from_result(self).plot(ax=ax)

    def summary(self) -> str:
        """The findings, then what they rest on."""
        return sentences.summary(self)

    def explain(self, name: str) -> str:
        """One classifier in a few sentences."""
        return sentences.explain(self, name)


def _each(result: Uncertainty) -> pd.DataFrame:
    k, s = result.problem.size[0], result.problem.noisy
    df, alpha = result.problem.moments.degrees, 1 - result.level
    if result.method == "analytic" or np.isfinite(df).any():
        ends = [critical(tail, df) for tail in tails(k, s, alpha, every=False)]
        low = limits(result.problem, "lower", ends[0], ends[0] ** 2 / 4).value
        up = limits(result.problem, "upper", ends[1], ends[1] ** 2 / 4).value
    else:
        found = max_t.maxima(result.problem.moments, draws=result.draws, seed=result.seed)
        ends = [np.full(len(df), max_t.quantile(row, alpha)) for row in found.classifiers]
        low, up = (
            np.array(
                [
                    Constants(c, np.ones(len(df))).limits(result.problem, side, [i]).value[0]
                    for i, c in enumerate(ends)
                ]
            )
            for side in SIDES
        )
    score = result.scores.to_numpy()
    return pd.DataFrame(
        {
            "lower": np.minimum(in_order(low, result.order), score),
            "upper": np.minimum(np.maximum(in_order(up, result.order), score), 1.0),
        },
        result.scores.index,
    )


def in_order(values: Array, order: tuple[int, ...]) -> Array:
    """Values in the order of the problem, put back into the user's."""
    out = np.empty_like(values)
    out[list(order)] = values
    return out
