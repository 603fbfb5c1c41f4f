"""Compute how certain efficiencies are: from samples to intervals, verdicts, ranks and tiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference import block_limits, max_t
from deabench.inference.decisions.anytime import NextRound
from deabench.inference.decisions.finished_samples import with_anytime_verdicts
from deabench.inference.dominance_games import Orientation, Returns
from deabench.inference.domination import (
    Validity,
    VerdictMethod,
    check_exact,
    decide_dominated,
    describe_validity,
    exact_score_limits,
    missing_ratios,
    name_rivals,
    problem_units,
)
from deabench.inference.max_t import (
    Cluster,
    Method,
    choose_critical_values,
    describe_assumptions,
    solve_individual_limits,
)
from deabench.inference.samples import Samples
from deabench.inference.samples.from_tables import as_samples
from deabench.inference.score_limits import (
    EDGE,
    CriticalValues,
    Problem,
    Side,
    assign_tiers,
    growth_to_decide,
    make_problem,
    point_scores,
    possible_ranks,
    restore_order,
    sample_scores,
)
from deabench.tables.table import TableLike
from deabench.utils.checks import choice, share
from deabench.utils.result import Result

Array = np.ndarray

OWN_GROWTH = ("learned", "anytime")
"""Verdicts that know by which factor the test set is too small."""


@dataclass(frozen=True, eq=False, repr=False)
class Uncertainty(Result):
    """Intervals, verdicts, ranks and tiers of efficiencies.

    Attributes
    ----------
    scores : Series (k,)
        Efficiencies in (0, 1], the table's order.
    lower, upper : Series (k,)
        The interval of each score: of all at once, or of one classifier chosen beforehand
        (`simultaneous`).
    verdicts : Series (k,)
        dominated: some mix of the others is shown to beat it in every metric, by at least
        `secure_gap`; efficient: none does; undecided. All verdicts hold at once at the level.
    secure_gap : Series (k,)
        By how much at least, as a share of each of its metrics; NaN where the verdict is not
        dominated.
    mixes : DataFrame, k x k
        The dominating mix. Learned and exact ones, and those of "max-t", beat by the secure gap
        themselves; with `verdict_method` "analytic" some mix does.
    ranks : DataFrame, k x (best, worst)
        Of all classifiers at once; 1 is best.
    tiers : Series (k,)
        Tier 1: not shown to be worse than any; tier t + 1: shown to be worse than a member of
        tier t. Classifiers of one tier need not be equal.
    evidence : DataFrame (k,)
        What the verdicts rest on: statistic and p_value of learned mixes; p_value and rival of
        exact tests; empty for limits of scores.
    verdict_method : {"learned", "analytic", "exact", "anytime"}
    samples : Samples
    level : float
    method : {"analytic", "max-t", "anytime"}
    simultaneous : bool
    c_lower, c_upper, c_verdict : CriticalValues
        Of the limits and of the verdicts, in the order of `problem`.
    problem : Problem
        Classifiers in the order of their labels, metrics in the order of their names, inputs last.
    metrics : tuple of str
        In the order of `problem`.
    rows : tuple of int
        The table's row of each classifier of `problem`.
    exact : bool
        Whether limits and verdicts are betting's.
    growth : Series (k,)
        By which factor the test set is too small to show that a classifier is dominated, at
        today's figures; NaN where learned mixes do not decide.
    seed, draws : int
        Of "max-t", and of `gaps`, `targets` and `band`.
    notes : tuple of str
    next : NextRound or None
        With "anytime": what to run next.

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
    evidence: pd.DataFrame
    growth: pd.Series
    verdict_method: VerdictMethod | Literal["anytime"]
    samples: Samples
    level: float
    method: Method
    simultaneous: bool
    c_lower: CriticalValues
    c_upper: CriticalValues
    c_verdict: CriticalValues
    problem: Problem
    metrics: tuple[str, ...]
    rows: tuple[int, ...]
    exact: bool
    seed: int
    draws: int
    notes: tuple[str, ...]
    next: NextRound | None = None

    _text = "uncertainty"
    _display = "UncertaintyDisplay"

    @cached_property
    def individual_limits(self) -> pd.DataFrame:
        """Return the limits of one classifier chosen beforehand, for each of them; narrower."""
        self._refuse_missing("individual limits")
        lower, upper = solve_individual_limits(
            self.problem, 1 - self.level, self.method, self.draws, self.seed
        )
        score = self.scores.to_numpy()
        limits = {
            "lower": np.minimum(restore_order(lower, self.rows), score),
            "upper": np.clip(restore_order(upper, self.rows), score, 1.0),
        }
        return pd.DataFrame(limits, self.scores.index)

    @property
    def design(self) -> str:
        """Return what was drawn at random, as `Samples.design`."""
        return self.samples.design

    @property
    def validity(self) -> Validity:
        """Return what the level of verdicts "dominated" rests on, as `describe_validity`."""
        return describe_validity(self.verdict_method, self.method, len(self.metrics))

    @property
    def missed(self) -> str:
        """Return which failures the data sets may not have shown; empty for instances."""
        return next((note for note in self.samples.notes if "may not have been seen" in note), "")

    @cached_property
    def instances(self) -> pd.Series:
        """Return how many times today's instances would decide each undecided classifier.

        An estimate at today's figures; inf where no number of instances decides. A classifier below
        1 is decided when it is shown to be dominated, one at 1 when it is shown to be efficient.
        """
        return self.times_the_instances((self.verdicts == "undecided").to_numpy())

    def times_the_instances(self, selected: Array) -> pd.Series:
        """Return `instances` of some classifiers, NaN for the others.

        Parameters
        ----------
        selected : bool array (k,)
            In the table's order.
        """
        # Arrays follow the order of the problem and are put back at the end.
        growth = np.full(len(self.scores), np.nan)
        rows = list(self.rows)
        # A score below 1 asks whether it is dominated, a score of 1 whether it is efficient.
        is_selected = np.asarray(selected)[rows]
        below = self.scores.to_numpy()[rows] < 1 - EDGE
        if np.isnan(self.problem.moments.logs).any():
            is_selected = np.zeros(len(rows), dtype=bool)
        sides: tuple[tuple[Side, CriticalValues, Array], ...] = (
            ("lower", self.c_lower, ~below),
            ("upper", self.c_verdict, below & (self.verdict_method not in OWN_GROWTH)),
        )
        for side, critical, on_side in sides:
            tested = np.flatnonzero(on_side & is_selected).tolist()
            growth[tested] = growth_to_decide(
                self.problem, side, critical.c, critical.h, tested, 1 - EDGE
            )
        growth = restore_order(growth, self.rows)
        if self.verdict_method in OWN_GROWTH:
            # Learned mixes and bets know their own factor for those below 1.
            is_below = ~(self.scores.to_numpy() >= 1 - EDGE) & np.asarray(selected)
            growth = np.where(is_below, self.growth.to_numpy(), growth)
        return pd.Series(growth, self.scores.index, name="times_the_instances")

    @cached_property
    def gaps(self) -> pd.DataFrame:
        """Return relative gaps to today's mix of peers, k x (metric, [lower, gap, upper])."""
        self._refuse_missing("gaps")
        limits = max_t.gap_limits(self.problem, 1 - self.level, draws=self.draws, seed=self.seed)
        return self._limits_frame(limits, "gap")

    @cached_property
    def targets(self) -> pd.DataFrame:
        """Return targets in metric units, k x (metric, [lower, target, upper])."""
        self._refuse_missing("targets")
        mix = point_scores(self.problem).mix
        # A fixed mix of increasing limits is increasing in each of them.
        return self._limits_frame([mix @ values for values in self._metric_limits], "target")

    @cached_property
    def band(self) -> pd.DataFrame:
        """Return limits of all metrics at once, k x (metric, [lower, value, upper]).

        The true frontier lies between the frontiers of the lower and of the upper limits.
        """
        self._refuse_missing("band")
        return self._limits_frame(self._metric_limits, "value")

    @cached_property
    def _metric_limits(self) -> list[Array]:
        """Return lower limits, values and upper limits of all metrics at once, each (k, s)."""
        alpha = 1 - self.level
        limits = max_t.metric_limits(self.problem, alpha, draws=self.draws, seed=self.seed)
        if self.samples.design != "blocks" or self.samples.unit_data is None:
            return limits
        k, s = self.problem.size
        tail = alpha / (2 * k * s)
        c = max_t.metric_critical_values(self.problem, alpha, draws=self.draws, seed=self.seed)
        units = problem_units(self.samples, self.problem, self.metrics, self.rows)
        return block_limits.metric_limits(units.values, limits, c, tail, exact=self.exact)

    def to_frame(self, *, each: bool = False) -> pd.DataFrame:
        """Return scores, intervals, verdicts, ranks and tiers, best first.

        Parameters
        ----------
        each : bool
            Whether to add `individual_limits`, as lower_each and upper_each.
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
        ).rename_axis("classifier")
        if each:
            frame = frame.join(self.individual_limits.add_suffix("_each"))
        return frame.sort_values(
            ["tier", "score", "lower"], ascending=[True, False, False], kind="stable"
        )

    def _refuse_missing(self, claims: str) -> None:
        if claims in ("gaps", "targets", "individual limits") and self.scores.isna().all():
            raise DataError(
                f"a metric here has no ratios, so there are no {claims}; name the other metrics in "
                "outputs"
            )
        if self.method == "anytime":
            raise DataError(
                f"method 'anytime' has no {claims}; ask for method 'analytic' on the finished test "
                "set, or simultaneous=False for the limits of one system"
            )

    def _limits_frame(self, limits: list[Array], value_name: str) -> pd.DataFrame:
        """Return limits (k, s) as columns (metric, limit), rows in the user's order."""
        index = self.samples.values.index
        labels = index[list(self.rows)]
        names = ("lower", value_name, "upper")
        frames = {
            metric: pd.DataFrame(
                {name: limit[:, r] for name, limit in zip(names, limits, strict=True)}, labels
            )
            for r, metric in enumerate(self.metrics)
        }
        return pd.concat(frames, axis=1, names=["metric", None]).loc[index]


def uncertainty(
    samples: Samples | TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    level: float = 0.95,
    method: Method = "analytic",
    verdicts: VerdictMethod | None = None,
    exact: bool = False,
    simultaneous: bool = True,
    seed: int = 0,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
    client: Cluster | None = None,
) -> Uncertainty:
    """Compute how certain efficiencies are, given the samples that the metrics come from.

    Parameters
    ----------
    samples : Samples, or a table with samples of any kind
        A file, a frame, ... of predictions, scores, counts, folds, seeds or error bars.
    outputs, inputs : sequences of metrics, optional
        By default all metrics are outputs, and all costs inputs; `outputs=[]` is inputs alone.
    level : number between 0 and 1
    method : {"analytic", "max-t", "anytime"}
        "analytic" makes statements on the scores alone, without resampling. "max-t" makes
        statements on every ratio of two classifiers in every metric at once, by draws from the
        joint normal distribution of the errors. "anytime" bets on one random order of the test
        data: exact, and valid wherever one stops; the metrics are means of outcomes from 0 to 1.
    verdicts : {"learned", "analytic", "exact"}, optional
        learned: a mix of rivals is learned on one part of the units and tested on the others; the
        default of method "analytic". Where the units are unknown or fewer than 20, and for folds,
        the analytic verdicts are taken. analytic: the upper limit of the score is below 1. exact:
        exact McNemar tests against single rivals.
    exact : bool
        Whether limits and verdicts of data sets or runs are those of betting, which assume nothing
        but independence and values from 0 to 1; wide.
    simultaneous : bool
        Whether `lower` and `upper` hold for all classifiers at once, or for one chosen beforehand.
        Verdicts, ranks and tiers always hold at once.
    seed : int
        Of the draws, and of the folds in which mixes are learned.
    returns : {"vrs", "crs"}
        With inputs: whether mixes alone count, or their multiples too. Metrics do not scale with
        costs, so "vrs" is right unless you have a reason.
    orientation : {"output", "input"}
        With inputs: whether the score says how much higher the outputs, or how much lower the
        inputs could be.
    client : distributed.Client, optional
        Its workers take the draws of "max-t"; the bits are the same without it.

    Examples
    --------
    >>> import deabench as db
    >>> y = [1] * 100 + [0] * 100
    >>> a, b = [1] * 95 + [0] * 105, [1] * 60 + [0] * 80 + [1] * 60
    >>> answer = uncertainty(db.Samples.from_predictions(y, {"a": a, "b": b}))
    >>> answer.verdicts.tolist()
    ['efficient', 'dominated']
    """
    choice("method", method, get_args(Method))
    if verdicts is not None:
        choice("verdicts", verdicts, get_args(VerdictMethod))
    alpha = 1 - share("level", level)
    samples, outputs, inputs = as_samples(samples, outputs, inputs)
    problem, metrics, rows = make_problem(samples, outputs, inputs, returns, orientation)
    c_lower, c_upper, c_verdict, source = choose_critical_values(
        problem, alpha, "analytic" if method == "anytime" else method, seed, client
    )
    no_ratios = missing_ratios(samples, problem, metrics, rows)
    if exact:
        check_exact(samples, problem)
    domination, verdict_note = decide_dominated(
        samples, problem, metrics, rows, c_verdict, alpha, verdicts, method, seed, exact
    )
    k = problem.size[0]
    if no_ratios:
        score = lower = upper = np.full(k, np.nan)
    else:
        score = sample_scores(samples, problem, metrics, rows)
        # The score lies inside its interval, also where zeros were raised to half a success.
        lower = np.minimum(c_lower.limits(problem, "lower").value, score)
        upper = np.minimum(np.maximum(c_upper.limits(problem, "upper").value, score), 1.0)
    if exact:
        lower, upper = exact_score_limits(samples, problem, metrics, rows, score, alpha)
    dominated = domination.is_dominated
    # Efficient: the lower limit is 1.
    verdict_names = np.select(
        [dominated, lower >= 1 - EDGE], ["dominated", "efficient"], "undecided"
    )
    # The secure gap is that of the limit and not of the score.
    gap = np.where(dominated, problem.technology.gap(1 / domination.ratio), np.nan)
    index = samples.values.index
    labels = index[list(rows)]

    def series(values: Array, name: str) -> pd.Series:
        return pd.Series(restore_order(values, rows), index, name=name)

    ranks = [restore_order(rank, rows) for rank in possible_ranks(lower, upper)]
    result = Uncertainty(
        scores=series(score, "score"),
        lower=series(lower, "lower"),
        upper=series(upper, "upper"),
        verdicts=series(verdict_names, "verdict"),
        secure_gap=series(gap, "secure_gap"),
        mixes=pd.DataFrame(domination.mixes, labels, labels).loc[index, index],
        ranks=pd.DataFrame(dict(zip(("best", "worst"), ranks, strict=True)), index),
        tiers=series(assign_tiers(lower, upper), "tier"),
        evidence=name_rivals(domination.evidence.set_axis(labels), labels).loc[index],
        growth=series(domination.growth, "growth"),
        verdict_method=domination.method,
        samples=samples,
        level=level,
        method=method,
        simultaneous=simultaneous,
        c_lower=c_lower,
        c_upper=c_upper,
        c_verdict=c_verdict,
        problem=problem,
        metrics=metrics,
        rows=rows,
        exact=exact,
        seed=seed,
        draws=max_t.DRAWS,
        notes=(
            *samples.notes,
            *([no_ratios] if no_ratios else ()),
            *describe_assumptions(problem, c_upper, source),
            verdict_note,
        ),
    )
    if method == "anytime":
        return with_anytime_verdicts(result)
    if simultaneous:
        return result
    # Only the interval changes; verdicts, ranks and tiers stay simultaneous.
    limits = result.individual_limits
    return replace(result, lower=limits["lower"], upper=limits["upper"])
