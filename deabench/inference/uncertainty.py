"""How sure is an efficiency: from samples to an `Uncertainty`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference import max_t
from deabench.inference.delta_method import critical
from deabench.inference.dominance_games import Orientation, Returns, make_technology
from deabench.inference.max_t import Cluster
from deabench.inference.samples import Samples, select_columns
from deabench.inference.score_limits import Limits, Problem, Side, decided_by, limits, tails
from deabench.utils.checks import choice, did_you_mean, share
from deabench.utils.result import Result


def uncertainty(
    samples: Samples,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    level: float = 0.95,
    method: Method = "analytic",
    simultaneous: bool = True,
    seed: int = 0,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
    client: Cluster | None = None,
) -> Uncertainty:
    """How sure the efficiencies are, given the samples that the metrics come from.

    Parameters
    ----------
    samples : Samples
    outputs, inputs : sequences of metrics, optional
        To be high and to be low; by default all metrics, and all costs.
    level : number between 0 and 1
    method : {"analytic", "max-t"}
        "analytic" claims the scores alone, without resampling. "max-t" claims every ratio of two
        classifiers in every metric at once, by draws from the joint normal distribution of the
        errors.
    simultaneous : bool
        Whether `lower` and `upper` hold for all classifiers at once, or for one asked for
        beforehand. Verdicts, ranks and tiers always hold at once.
    seed : int
        Of the draws.
    returns : {"vrs", "crs"}
        With inputs: whether mixes alone count, or their multiples too. Metrics do not scale with
        costs: "vrs" without a reason.
    orientation : {"output", "input"}
        With inputs: whether the score says how much more, or at how much less cost.
    client : distributed.Client, optional
        Workers that take the draws of "max-t"; they are the same bits without it.

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
    problem, metrics, order = make_problem(samples, outputs, inputs, returns, orientation)
    lower, upper, listed, how = _constants(problem, alpha, method, seed, client)
    score = sample_scores(samples, problem, metrics, order)
    low, up, verdict = (
        lower.limits(problem, "lower"),
        upper.limits(problem, "upper"),
        listed.limits(problem, "upper"),
    )
    lows, ups = np.minimum(low.value, score), np.minimum(np.maximum(up.value, score), 1.0)
    best, worst = _ranks(lows, ups)
    dominated = verdict.value < 1 - EDGE
    named = np.select([dominated, lows >= 1 - EDGE], ["dominated", "efficient"], "undecided")
    index = samples.values.index
    labels = index[list(order)]

    def series(values: Array, name: str) -> pd.Series:
        return pd.Series(in_order(values, order), index, name=name)

    result = Uncertainty(
        series(score, "score"),
        series(lows, "lower"),
        series(ups, "upper"),
        series(named, "verdict"),
        series(np.where(dominated, problem.technology.gap(verdict.value), np.nan), "secure_gap"),
        pd.DataFrame(verdict.mix, labels, labels).loc[index, index],
        pd.DataFrame({"best": in_order(best, order), "worst": in_order(worst, order)}, index),
        series(_tiers(lows, ups), "tier"),
        samples,
        level,
        method,
        simultaneous,
        lower,
        upper,
        listed,
        problem,
        metrics,
        order,
        seed,
        max_t.DRAWS,
        (*samples.notes, *assumed(problem, upper, how)),
    )
    if simultaneous:
        return result
    return replace(result, lower=result.each["lower"], upper=result.each["upper"])


def make_problem(
    samples: Samples,
    outputs: Sequence[str] | None,
    inputs: Sequence[str] | None,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
) -> tuple[Problem, tuple[str, ...], tuple[int, ...]]:
    """The moments in an order that is not the user's: what is drawn and pivoted does not depend on
    how a table was sorted.
    """
    high, low = select_columns(samples, outputs, inputs)
    technology = make_technology(len(low), returns, orientation)
    names = [str(label) for label in samples.values.index]
    order = sorted(range(len(names)), key=names.__getitem__)
    metrics = (*sorted(high), *sorted(low))
    columns = [list(samples.values.columns).index(name) for name in metrics]
    return Problem(samples.moments.take(order, columns), technology), metrics, tuple(order)


def _constants(
    problem: Problem, alpha: float, method: Method, seed: int, client: Cluster | None
) -> tuple[Constants, Constants, Constants, str]:
    """Of the lower limits, the upper limits and the verdicts, and how they were had."""
    k, s = problem.size[0], problem.noisy
    df = problem.moments.degrees
    one_sided = critical(alpha / (k * (k - 1)), df)
    if method == "analytic":
        ends = [critical(tail, df) for tail in tails(k, s, alpha, every=True)]
        return (
            Constants(ends[0], ends[0] ** 2 / 4),
            Constants(ends[1], ends[1] ** 2 / 4),
            Constants(one_sided, one_sided**2 / 4),
            "Bonferroni over the statements made",
        )
    unit = np.full(len(df), max_t.RIDGE)
    if np.isfinite(df).any():
        c, how = max_t.constant(problem.moments, alpha, draws=max_t.DRAWS, seed=seed)
        return Constants(c, unit), Constants(c, unit), Constants(one_sided, unit), how
    found = max_t.maxima(problem.moments, draws=max_t.DRAWS, seed=seed, client=client)
    both = Constants(np.full(len(df), max_t.quantile(found.metrics.max(axis=0), alpha)), unit)
    within = max(max_t.quantile(row, alpha) for row in found.metrics)
    how = f"the largest of all |t| in {max_t.DRAWS:,} draws; verdicts by the largest within a metric (measured, not proved)"
    return both, both, Constants(np.full(len(df), within), unit), how


def sample_scores(
    samples: Samples, problem: Problem, metrics: tuple[str, ...], order: tuple[int, ...]
) -> Array:
    """The efficiencies of the values as they stand, zeros among them."""
    values = samples.values[list(metrics)].to_numpy(dtype=float)[list(order)]
    y, x = np.split(values / values.max(axis=0), [len(metrics) - problem.inputs], axis=1)
    ratios = np.concatenate([np.broadcast_to(y, (len(y), *y.shape)), x[None] / x[:, None]], axis=2)
    return problem.technology.scores(y, ratios)[0]


def _ranks(lower: Array, upper: Array) -> tuple[Array, Array]:
    """best = 1 + #{j : L_j > U_i}, worst = k − #{j : U_j < L_i}; by more than rounding: an upper
    limit of 1 may be 1 − 2e-16.
    """
    over = lower[None] > upper[:, None] + EDGE
    return 1 + over.sum(axis=1), len(lower) - over.sum(axis=0)


def _tiers(lower: Array, upper: Array) -> Array:
    """One more than the highest tier of those proved above."""
    tiers = np.ones(len(lower), dtype=int)
    for i in np.argsort(-upper, kind="stable"):
        above = lower > upper[i] + EDGE
        tiers[i] = 1 + tiers[above].max(initial=0)
    return tiers


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

    _text = "uncertainty"
    _display = "UncertaintyDisplay"

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
        `deabench.inference.score_limits.gaps`.
        """
        from deabench.inference.score_limits import gaps

        return gaps(self)

    @cached_property
    def targets(self) -> pd.DataFrame:
        """Targets with intervals, in the metrics' units; see `deabench.inference.score_limits.targets`."""
        from deabench.inference.score_limits import targets

        return targets(self)

    @cached_property
    def band(self) -> pd.DataFrame:
        """Metrics between which the true frontier lies; see `deabench.inference.score_limits.band`."""
        from deabench.inference.score_limits import band

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


if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking

APART = 0.01
"""A table may be rounded: its ratios may differ from the samples' by this share."""


def uncertainty_of_ranking(ranking: Ranking, samples: Samples) -> Uncertainty:
    """How sure a ranking is.

    Raises
    ------
    DataError
        Where the ranking is by another model than the intervals are for, or the samples are not of
        its table.
    """
    returns, orientation = _model(ranking)
    outputs, inputs = list(ranking.data.outputs.columns), list(ranking.data.inputs.columns)
    known = [str(name) for name in samples.values.columns]
    for name in [*outputs, *inputs]:
        if name not in known:
            raise DataError(
                f"the samples do not hold metric '{name}' of the table; {did_you_mean(name, known)}"
            )
    own, theirs = (
        [str(label) for label in ranking.scores.index],
        [str(label) for label in samples.values.index],
    )
    for label in own:
        if label not in theirs:
            raise DataError(
                f"the samples do not hold '{label}' of the table; {did_you_mean(label, theirs)}"
            )
    for label in theirs:
        if label not in own:
            raise DataError(
                f"the samples hold '{label}', which is not in the table; leave it out: the frontier would be another"
            )
    data = pd.concat([ranking.data.outputs, ranking.data.inputs], axis=1)
    _same(data, samples.values.set_axis(theirs).loc[own, [*outputs, *inputs]])
    return uncertainty(
        samples, outputs=outputs, inputs=inputs, returns=returns, orientation=orientation
    )


def _model(ranking: Ranking) -> tuple[Returns, Orientation]:
    """Returns to scale and orientation of the scores; refuse a ranking that has no intervals."""
    options = ranking.options
    if list(ranking.reference.labels) != list(ranking.data.labels):
        raise DataError(
            "a ranking against another reference has no intervals; put the reference into the table"
        )
    if ranking.record.name in ("wei", "score") and not _bounded(
        options
    ):  # their quotients are no metrics of the samples
        return "vrs", "output"
    returns, orientation = options.get("returns"), options.get("orientation")
    if (
        ranking.record.name != "ccr"
        or _bounded(options)
        or returns not in get_args(Returns)
        or orientation not in get_args(Orientation)
    ):
        raise DataError(
            f"model '{ranking.record.name}' has no intervals{_bounded(options)}; they are known without inputs, "
            "and with inputs for model 'ccr' with returns 'vrs' or 'crs' and orientation 'output' or 'input'"
        )
    return ("crs" if returns == "crs" else "vrs"), ("input" if orientation == "input" else "output")


def _bounded(options: Mapping[str, object]) -> str:
    """Which bounds the ranking has on weights or on λ, in words; "" where there are none."""
    named = [name for name in ("sums", "shares", "ratios") if options.get(name) is not None]
    return f" with {' and '.join(named)}" if named else ""


def _same(table: pd.DataFrame, samples: pd.DataFrame) -> None:
    """Refuse samples of other numbers than the table's; units may differ, and digits."""
    ratio = table.to_numpy() / np.where(samples.to_numpy() > 0, samples.to_numpy(), np.nan)
    away = np.abs(ratio / np.nanmedian(ratio, axis=0) - 1)
    if np.nanmax(away, initial=0.0) > APART:
        i, r = np.unravel_index(np.nanargmax(away), away.shape)
        raise DataError(
            f"metric '{table.columns[r]}' of '{table.index[i]}' is {table.iloc[i, r]:g} in the table and "
            f"{samples.iloc[i, r]:g} in the samples; give the samples that the table was made of"
        )


RIDGE_SAID = 0.20
"""From this share on the ridge is said to carry the intervals."""


def assumed(problem: Problem, upper: Constants, how: str) -> tuple[str, ...]:
    """Notes on the method."""
    said = [f"critical values: {how}"]
    if problem.inputs:
        said.append(f"with inputs the scores are {problem.technology.name}")
    part = ridge_share(problem, upper)
    if part > RIDGE_SAID:
        said.append(
            f"few errors: the intervals rest on the small-sample rule, which makes up {100 * part:.0f} % of the variances"
        )
    return tuple(said)


def ridge_share(problem: Problem, constants: Constants) -> float:
    """The mean share of the ridge in the variances of all log ratios that have one."""
    _, spread, ridge = problem.moments.pairs(np.arange(problem.size[0]))
    ridge = constants.h * ridge
    whole = spread + ridge
    share = np.divide(ridge, whole, out=np.zeros_like(whole), where=whole > 0)
    return float(share.sum() / max(np.count_nonzero(whole), 1))
