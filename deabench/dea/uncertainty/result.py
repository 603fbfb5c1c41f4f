"""How sure is an efficiency: intervals, verdicts, ranks and tiers with proven coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from deabench.checks import choice, share
from deabench.dea.uncertainty import maxt, words
from deabench.dea.uncertainty.analytic import Limits, Problem, critical, decided_by, limits, tails
from deabench.dea.uncertainty.games import play
from deabench.dea.uncertainty.samples import Samples, chosen
from deabench.results import Result

Array = np.ndarray
Method = Literal["analytic", "max-t"]
Verdict = Literal["dominated", "undecided", "efficient"]

EDGE = 1e-9
"""A score within this of 1 is on the frontier."""


@dataclass(frozen=True)
class Constants:
    """The critical values of one side or claim, and the ridge's weight with them, each (s,)."""

    c: Array
    h: Array

    def limits(self, problem: Problem, side: Literal["lower", "upper"], rows: list[int] | None = None) -> Limits:
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
        The interval of each score: of all at once, or of one classifier asked for beforehand (`simultaneous`).
    verdicts : Series (k,)
        dominated: some mix of the others beats it in every metric, by at least `secure_gap`; efficient: none does; undecided.
        All verdicts hold at once at the level.
    secure_gap : Series (k,)
        By how much at least, as a share of each of its metrics; NaN where the verdict is not dominated.
    mixes : DataFrame, k x k
        The mix that shows it; under "max-t" this very mix beats by the secure gap, under "analytic" some mix does.
    ranks : DataFrame, k x (best, worst)
        Of all classifiers at once; 1 is best.
    tiers : Series (k,)
        1: proved below nobody; t + 1: proved below somebody of tier t. Two of one tier need not be alike.
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
        """lower and upper of one classifier asked for beforehand: narrower, and not for all at once."""
        return _each(self)

    @cached_property
    def instances(self) -> pd.Series:
        """How many times today's instances would about decide each undecided classifier, if the figures stay; inf: no number does.

        Whoever scores below 1 is decided when it is proved dominated, whoever scores 1 when it is proved efficient.
        """
        k = len(self.scores)
        growth = np.full(k, np.nan)
        place = {label: i for i, label in enumerate(self.scores.index[list(self.order)])}
        open_ = [label for label in self.scores.index if self.verdicts[label] == "undecided"]
        for side, constants, names in (("upper", self.c_list, [n for n in open_ if self.scores[n] < 1 - EDGE]),
                                       ("lower", self.c_lower, [n for n in open_ if self.scores[n] >= 1 - EDGE])):
            rows = [place[name] for name in names]
            growth[rows] = decided_by(self.problem, side, constants.c, constants.h, rows, 1 - EDGE)  # type: ignore[arg-type]
        return pd.Series(_back(growth, self.order), self.scores.index, name="times_the_instances")

    @cached_property
    def gaps(self) -> pd.DataFrame:
        """Relative gaps to today's mix of peers, every one at once; see `deabench.dea.uncertainty.ratios.gaps`."""
        from deabench.dea.uncertainty.ratios import gaps

        return gaps(self)

    @cached_property
    def targets(self) -> pd.DataFrame:
        """Targets with intervals, in the metrics' units; see `deabench.dea.uncertainty.ratios.targets`."""
        from deabench.dea.uncertainty.ratios import targets

        return targets(self)

    @cached_property
    def band(self) -> pd.DataFrame:
        """Metrics between which the true frontier lies; see `deabench.dea.uncertainty.ratios.band`."""
        from deabench.dea.uncertainty.ratios import band

        return band(self)

    def to_frame(self, *, each: bool = False) -> pd.DataFrame:
        """score, lower, upper, verdict, best_rank, worst_rank, tier; with `each` also lower_each and upper_each; best first."""
        frame = pd.DataFrame({"score": self.scores, "lower": self.lower, "upper": self.upper, "verdict": self.verdicts,
                              "best_rank": self.ranks["best"], "worst_rank": self.ranks["worst"], "tier": self.tiers})
        if each:
            frame["lower_each"], frame["upper_each"] = self.each["lower"], self.each["upper"]
        frame = frame.rename_axis("classifier")
        return frame.sort_values(["tier", "score", "lower"], ascending=[True, False, False], kind="stable")

    def summary(self) -> str:
        """The findings, then what they rest on."""
        return words.summary(self)

    def explain(self, name: str) -> str:
        """One classifier in a few sentences."""
        return words.explain(self, name)


def uncertainty(samples: Samples, *, outputs: Sequence[str] | None = None, inputs: Sequence[str] | None = None,
                level: float = 0.95, method: Method = "analytic", simultaneous: bool = True, seed: int = 0) -> Uncertainty:
    """How sure the efficiencies are, given the samples that the metrics come from.

    Parameters
    ----------
    samples : Samples
    outputs, inputs : sequences of metrics, optional
        To be high and to be low; by default all metrics, and all costs. With inputs the scores are output-oriented under variable
        returns to scale.
    level : number between 0 and 1
    method : {"analytic", "max-t"}
        "analytic" claims the scores alone, without resampling. "max-t" claims every ratio of two classifiers in every metric at
        once, by draws from the joint normal distribution of the errors.
    simultaneous : bool
        Whether `lower` and `upper` hold for all classifiers at once, or for one asked for beforehand. Verdicts, ranks and tiers
        always hold at once.
    seed : int
        Of the draws.

    Examples
    --------
    >>> import deabench as db
    >>> y = [1] * 100 + [0] * 100
    >>> a, b = [1] * 95 + [0] * 105, [1] * 60 + [0] * 80 + [1] * 60
    >>> answer = uncertainty(db.Samples.from_predictions(y, {"a": a, "b": b}))
    >>> answer.verdicts.tolist()
    ['efficient', 'dominated']
    """
    choice("method", method, ("analytic", "max-t"))
    alpha = 1 - share("level", level)
    problem, metrics, order = _problem(samples, outputs, inputs)
    lower, upper, listed, how = _constants(problem, alpha, method, seed)
    score = _scores(samples, problem, metrics, order)
    low, up, verdict = lower.limits(problem, "lower"), upper.limits(problem, "upper"), listed.limits(problem, "upper")
    lows, ups = np.minimum(low.value, score), np.minimum(np.maximum(up.value, score), 1.0)
    best, worst = _ranks(lows, ups)
    dominated = verdict.value < 1 - EDGE
    named = np.select([dominated, lows >= 1 - EDGE], ["dominated", "efficient"], "undecided")
    index = samples.values.index
    labels = index[list(order)]

    def series(values: Array, name: str) -> pd.Series:
        return pd.Series(_back(values, order), index, name=name)

    result = Uncertainty(
        series(score, "score"), series(lows, "lower"), series(ups, "upper"), series(named, "verdict"),
        series(np.where(dominated, 1 / verdict.value - 1, np.nan), "secure_gap"),
        pd.DataFrame(verdict.mix, labels, labels).loc[index, index],
        pd.DataFrame({"best": _back(best, order), "worst": _back(worst, order)}, index), series(_tiers(lows, ups), "tier"),
        samples, level, method, simultaneous, lower, upper, listed, problem, metrics, order, seed, maxt.DRAWS,
        (*samples.notes, *words.assumed(problem, upper, how)))
    if simultaneous:
        return result
    return replace(result, lower=result.each["lower"], upper=result.each["upper"])


def _problem(samples: Samples, outputs: Sequence[str] | None, inputs: Sequence[str] | None
             ) -> tuple[Problem, tuple[str, ...], tuple[int, ...]]:
    """The moments in an order that is not the user's: what is drawn and pivoted does not depend on how a table was sorted."""
    high, low = chosen(samples, outputs, inputs)
    names = [str(label) for label in samples.values.index]
    order = sorted(range(len(names)), key=names.__getitem__)
    metrics = (*sorted(high), *sorted(low))
    columns = [list(samples.values.columns).index(name) for name in metrics]
    return Problem(samples.moments.take(order, columns), len(low)), metrics, tuple(order)


def _constants(problem: Problem, alpha: float, method: Method, seed: int) -> tuple[Constants, Constants, Constants, str]:
    """Of the lower limits, the upper limits and the verdicts, and how they were had."""
    k, s = problem.size[0], problem.noisy
    df = problem.moments.degrees
    one_sided = critical(alpha / (k * (k - 1)), df)
    if method == "analytic":
        ends = [critical(tail, df) for tail in tails(k, s, alpha, every=True)]
        return Constants(ends[0], ends[0]**2 / 4), Constants(ends[1], ends[1]**2 / 4), Constants(one_sided, one_sided**2 / 4), \
            "Bonferroni over the statements made"
    unit = np.full(len(df), maxt.RIDGE)
    if np.isfinite(df).any():
        c, how = maxt.constant(problem.moments, alpha, draws=maxt.DRAWS, seed=seed)
        return Constants(c, unit), Constants(c, unit), Constants(one_sided, unit), how
    found = maxt.maxima(problem.moments, draws=maxt.DRAWS, seed=seed)
    both = Constants(np.full(len(df), maxt.quantile(found.metrics.max(axis=0), alpha)), unit)
    within = max(maxt.quantile(row, alpha) for row in found.metrics)
    how = f"the largest of all |t| in {maxt.DRAWS:,} draws; verdicts by the largest within a metric (measured, not proved)"
    return both, both, Constants(np.full(len(df), within), unit), how


def _scores(samples: Samples, problem: Problem, metrics: tuple[str, ...], order: tuple[int, ...]) -> Array:
    """The efficiencies of the values as they stand, zeros among them."""
    values = samples.values[list(metrics)].to_numpy(dtype=float)[list(order)]
    y, x = np.split(values / values.max(axis=0), [len(metrics) - problem.inputs], axis=1)
    k, s = values.shape
    rows = np.empty((k, k, s))
    rows[:, :, : y.shape[1]] = y
    rows[:, :, y.shape[1]:] = 1 - x[None] / x[:, None]
    return play(rows, np.hstack([y, np.zeros_like(x)])).value


def _each(result: Uncertainty) -> pd.DataFrame:
    k, s = result.problem.size[0], result.problem.noisy
    df, alpha = result.problem.moments.degrees, 1 - result.level
    if result.method == "analytic" or np.isfinite(df).any():
        ends = [critical(tail, df) for tail in tails(k, s, alpha, every=False)]
        low, up = (limits(result.problem, side, c, c**2 / 4).value for side, c in zip(("lower", "upper"), ends, strict=True))
    else:
        found = maxt.maxima(result.problem.moments, draws=result.draws, seed=result.seed)
        ends = [np.full(len(df), maxt.quantile(row, alpha)) for row in found.classifiers]
        both = [[limits(result.problem, side, c, np.ones(len(df)), rows=[i]).value[0] for i, c in enumerate(ends)]
                for side in ("lower", "upper")]
        low, up = np.array(both[0]), np.array(both[1])
    score = result.scores.to_numpy()
    return pd.DataFrame({"lower": np.minimum(_back(low, result.order), score),
                         "upper": np.minimum(np.maximum(_back(up, result.order), score), 1.0)}, result.scores.index)


def _ranks(lower: Array, upper: Array) -> tuple[Array, Array]:
    """best = 1 + #{j : L_j > U_i}, worst = k − #{j : U_j < L_i}."""
    return (1 + (lower[None] > upper[:, None]).sum(axis=1), len(lower) - (upper[None] < lower[:, None]).sum(axis=1))


def _tiers(lower: Array, upper: Array) -> Array:
    """One more than the highest tier of those proved above."""
    tiers = np.ones(len(lower), dtype=int)
    for i in np.argsort(-upper, kind="stable"):
        above = lower > upper[i]
        tiers[i] = 1 + tiers[above].max(initial=0)
    return tiers


def _back(values: Array, order: tuple[int, ...]) -> Array:
    """Values in the order of the problem, put back into the user's."""
    out = np.empty_like(values)
    out[list(order)] = values
    return out
