"""Decide which classifiers are dominated: by learned mixes, by limits of scores, or exactly.

learned: the mix of rivals is learned on a part of the units and tested on the others
(`learned_mix`), with Holm's correction for classifiers. analytic: the upper limit of the score is
below 1. exact: one rival is better in every metric, by the exact one-sided McNemar test of each
metric (the largest p counts), with Bonferroni's correction for ordered pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import scipy

from deabench.errors import DataError
from deabench.inference.block_limits import betting_lower, betting_upper, exact_domination
from deabench.inference.learned_mix import (
    FOLDS,
    Units,
    cross_fit,
    holm_rejections,
    tail_probability,
)
from deabench.inference.max_t import Method
from deabench.inference.samples import Samples
from deabench.inference.score_limits import EDGE, CriticalValues, Problem

Array = np.ndarray
VerdictMethod = Literal["learned", "analytic", "exact"]
Validity = Literal["exact", "asymptotic", "measured, not proved"]

MIN_UNITS = 20
"""With fewer units the learned mix has no power, and the limits of scores decide."""
BLOCK_FOLDS = 30
"""Blocks are few: they are left out nearly one by one."""


@dataclass(frozen=True)
class Domination:
    """Which classifiers are shown to be dominated, in the order of the problem.

    Attributes
    ----------
    is_dominated : bool array (k,)
    ratio : array (k,)
        By which factor at least the mix is better, 1 where that is not known.
    mixes : array (k, k)
    evidence : DataFrame (k,)
        statistic and p_value of learned mixes; p_value and the row of the rival of exact tests.
    growth : array (k,)
        By which factor the test set is too small to show domination; NaN where it is not known.
    method : {"learned", "analytic", "exact"}
    """

    is_dominated: Array
    ratio: Array
    mixes: Array
    evidence: pd.DataFrame
    growth: Array
    method: VerdictMethod


def decide_dominated(
    samples: Samples,
    problem: Problem,
    metrics: tuple[str, ...],
    rows: tuple[int, ...],
    c_verdict: CriticalValues,
    alpha: float,
    verdicts: VerdictMethod | None,
    method: Method,
    seed: int,
    exact: bool = False,
) -> tuple[Domination, str]:
    """Return the verdicts by the method asked for, or the best one there is, and a note on it."""
    if exact:
        blocks = problem_units(samples, problem, metrics, rows)
        return decide_by_betting(blocks, alpha), (
            "limits and verdicts: by betting on independent values from 0 to 1, exact whatever "
            "their distribution (exact=True); verdicts against single rivals"
        )
    # Where single answers are known, learned mixes show the most.
    if verdicts is None:
        verdicts = "learned" if method == "analytic" else "analytic"
    if verdicts == "analytic":
        return decide_analytic(problem, c_verdict), "verdicts: by the upper limits of the scores"
    units = samples.unit_data
    reason = unsupported_reason(units, problem)
    if units is None or (reason and verdicts == "learned"):
        if verdicts == "exact":
            raise DataError(f"verdicts='exact' needs single answers, and {reason}")
        note = f"verdicts: by the upper limits of the scores, because {reason}"
        return decide_analytic(problem, c_verdict), note
    selected = problem_units(samples, problem, metrics, rows)
    if verdicts == "exact":
        return decide_exactly(selected, alpha), (
            "verdicts: exact McNemar tests, each system against single rivals"
        )
    # Few blocks take Student's t with the smallest degrees of freedom of any pair.
    is_block = samples.design in ("blocks", "clusters")
    degrees = float(problem.moments.degrees.min())
    note = (
        "verdicts: mixes learned on a part of the test data and tested on the rest, with Holm's "
        "correction for systems"
    )
    if len(metrics) > 1:
        note += " (their validity is measured, not proved, for several metrics)"
    return decide_learned(selected, alpha, degrees, is_block=is_block, seed=seed), note


def unsupported_reason(units: Units | None, problem: Problem) -> str:
    """Return why mixes cannot be learned; empty where they can."""
    if units is None:
        return "the units that were drawn are not known"
    if len(units.strata) < MIN_UNITS:
        return f"there are fewer than {MIN_UNITS} units"
    if problem.technology.returns != "vrs":
        return "multiples of systems count, and a learned mix is none"
    return ""


def problem_units(
    samples: Samples, problem: Problem, metrics: tuple[str, ...], rows: tuple[int, ...]
) -> Units:
    """Return the units in the order of the problem; they must be known."""
    units = samples.unit_data
    assert units is not None  # asked for by the caller
    columns = [list(samples.values.columns).index(name) for name in metrics]
    is_cost = np.arange(len(metrics)) >= len(metrics) - problem.inputs
    selected = np.ix_(rows, columns)

    def take(members: Array) -> Array:
        return np.asarray(units.take(members)[selected])

    return Units(take, units.counts[columns], units.strata, is_cost)


def check_exact(samples: Samples, problem: Problem) -> None:
    """Refuse what betting has no limits for."""
    units = samples.unit_data
    if samples.design != "blocks" or units is None:
        raise DataError(
            "exact=True is for data sets and runs; give Samples.from_datasets or from_runs, or "
            "verdicts='exact' for answers on instances"
        )
    is_share = bool(((units.values >= 0) & (units.values <= 1)).all())
    if problem.inputs or not is_share:
        raise DataError(
            "exact=True needs metrics from 0 to 1 and no costs; name such metrics in outputs"
        )


def exact_score_limits(
    samples: Samples,
    problem: Problem,
    metrics: tuple[str, ...],
    rows: tuple[int, ...],
    score: Array,
    alpha: float,
) -> tuple[Array, Array]:
    """Return limits of all scores from betting's limits of all metrics at once."""
    units = problem_units(samples, problem, metrics, rows)
    k, s, _ = units.shape
    tail = alpha / (2 * k * s)
    low = np.column_stack([betting_lower(units.values[:, r].astype(float), tail) for r in range(s)])
    high = np.column_stack(
        [betting_upper(units.values[:, r].astype(float), tail) for r in range(s)]
    )
    limits = []
    for candidates, rivals in ((low, high), (high, low)):
        # Each classifier at one end of its limits among rivals at the other.
        table = np.broadcast_to(rivals, (k, k, s)).copy()
        table[np.arange(k), np.arange(k)] = candidates
        limits.append(problem.technology.scores(candidates, table)[0])
    return np.minimum(limits[0], score), np.minimum(np.maximum(limits[1], score), 1.0)


def decide_by_betting(units: Units, alpha: float) -> Domination:
    """Decide against single rivals by betting on differences of independent blocks."""
    k = units.shape[0]
    is_better = exact_domination(units.values, alpha / (k * (k - 1)))
    is_dominated = np.asarray(is_better.any(axis=1))
    mixes = np.eye(k)[is_better.argmax(axis=1)] * is_dominated[:, None]
    unknown = np.full(k, np.nan)
    evidence = pd.DataFrame(index=range(k))
    return Domination(is_dominated, np.ones(k), mixes, evidence, unknown, "exact")


def decide_learned(
    units: Units, alpha: float, degrees: float, *, is_block: bool = False, seed: int = 0
) -> Domination:
    """Decide by learned mixes, all classifiers at the level 1 − α together.

    Parameters
    ----------
    degrees : float
        Degrees of freedom; at most the number of units less one.
    is_block : bool
        Whether the units are few blocks or clusters, of which nearly each is a fold.
    """
    k, _, n = units.shape
    folds = min(n, BLOCK_FOLDS) if is_block else FOLDS
    fit = cross_fit(units, folds=folds, seed=seed)
    degrees = min(degrees, n - 1)
    p_values = tail_probability(fit.statistic, degrees)
    rejected = holm_rejections(p_values, alpha)
    # Gaps of all classifiers at once pay Bonferroni's price.
    critical = float(-scipy.special.stdtrit(degrees, alpha / k))
    ratio = np.ones(k)
    if rejected.any():
        ratio[rejected] = fit.secure_ratio(critical)[rejected]
    with np.errstate(divide="ignore"):
        growth = np.where(fit.statistic > 0, (critical / fit.statistic) ** 2, np.inf)
    evidence = pd.DataFrame({"statistic": fit.statistic, "p_value": p_values})
    return Domination(rejected, ratio, fit.mixes, evidence, growth, "learned")


def decide_analytic(problem: Problem, critical: CriticalValues) -> Domination:
    """Decide by one-sided upper limits of the scores."""
    k = problem.size[0]
    unknown = np.full(k, np.nan)
    evidence = pd.DataFrame(index=range(k))
    if np.isnan(problem.moments.logs).any():
        # Without ratios there are no scores to limit.
        is_dominated = np.zeros(k, dtype=bool)
        return Domination(is_dominated, np.ones(k), np.zeros((k, k)), evidence, unknown, "analytic")
    limits = critical.limits(problem, "upper")
    is_dominated = limits.value < 1 - EDGE
    with np.errstate(divide="ignore"):
        ratio = np.where(is_dominated, 1 / limits.value, 1.0)
    return Domination(is_dominated, ratio, limits.mix, evidence, unknown, "analytic")


def decide_exactly(units: Units, alpha: float) -> Domination:
    """Decide by exact McNemar tests against single rivals.

    Raises
    ------
    DataError
        Where the values of units are not all 0 and 1.
    """
    k, s, _ = units.shape
    if not bool(((units.values == 0) | (units.values == 1)).all()):
        raise DataError(
            "verdicts='exact' compares right answers, and a metric here is no share of them; take "
            "TPR, TNR, recalls or accuracy, or verdicts='learned'"
        )
    # p[i, j]: the largest p value, over the metrics, of rival j being better than i.
    p_values = np.zeros((k, k))
    for r in range(s):
        right = units.values[:, r, units.counts[r]]
        right = 1 - right if units.is_cost[r] else right
        # wins[i, j]: instances that j answers rightly and i wrongly.
        wrong = (1 - right).astype(float)
        wins = np.round(wrong @ right.astype(float).T).astype(int)
        discordant = wins + wins.T
        p_values = np.maximum(
            p_values, scipy.special.bdtrc((wins - 1).astype(float), discordant, 0.5)
        )
    np.fill_diagonal(p_values, 1.0)
    best = p_values.argmin(axis=1)
    smallest_p = p_values[np.arange(k), best]
    is_dominated = smallest_p <= alpha / (k * (k - 1))
    evidence = pd.DataFrame({"p_value": smallest_p, "rival": best})
    unknown = np.full(k, np.nan)
    return Domination(is_dominated, np.ones(k), np.eye(k)[best], evidence, unknown, "exact")


def missing_ratios(
    samples: Samples, problem: Problem, metrics: tuple[str, ...], rows: tuple[int, ...]
) -> str:
    """Return why ratios of the metrics do not exist, as a note; empty where they do."""
    consequence = (
        "which has no ratios, so scores, limits and ranks are not known; verdicts need differences "
        "alone"
    )
    values = samples.values[list(metrics)].iloc[list(rows)]
    undefined = np.argwhere(np.isnan(problem.moments.logs))
    if len(undefined):
        i, r = undefined[0]
        value = values.iloc[i, r]
        return f"metric '{metrics[r]}' of '{values.index[i]}' is {value:.3g}, {consequence}"
    outputs = problem.size[1] - problem.inputs
    for name in metrics[:outputs]:
        if (values[name] == 0).all():
            return f"metric '{name}' is 0 for every system, {consequence}"
    return ""


def describe_validity(verdict_method: str, method: str, metrics: int) -> Validity:
    """Return what is known of the level of verdicts "dominated".

    Learned mixes of several metrics, and "max-t", reach it in simulations; learned mixes of one
    metric and limits of scores as the test set grows; bets and McNemar's tests always.
    """
    if verdict_method in ("exact", "anytime"):
        return "exact"
    if method == "max-t" or (verdict_method == "learned" and metrics > 1):
        return "measured, not proved"
    return "asymptotic"


def name_rivals(evidence: pd.DataFrame, labels: pd.Index) -> pd.DataFrame:
    """Return the evidence with the rivals' names in place of their rows."""
    if "rival" not in evidence:
        return evidence
    return evidence.assign(rival=labels[evidence["rival"].to_numpy()])
