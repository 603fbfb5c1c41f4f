"""Play a finished test set round by round, for verdicts that hold wherever one stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.decisions.anytime import Anytime, Unit
from deabench.inference.decisions.rounds import PAIRS, OutcomeColumn, TestOutcomes, check_means
from deabench.inference.samples import Samples
from deabench.inference.score_limits import EDGE, assign_tiers, possible_ranks
from deabench.metrics.formulas import canonical_name

if TYPE_CHECKING:
    from deabench.inference.uncertainty import Uncertainty

Array = np.ndarray
ROUNDING = 1e-4
"""Outcomes are held in single precision."""


def outcomes_of_samples(samples: Samples, metrics: Sequence[str]) -> TestOutcomes:
    """Return the outcomes from 0 to 1 of a test set, instance by instance or block by block.

    Raises
    ------
    DataError
        If single outcomes are not known, or a metric is no mean of them.
    """
    data = samples.unit_data
    if data is None:
        raise DataError(
            "verdicts at any time need outcomes of single instances or data sets; give "
            "predictions, outcomes or data sets, or judge the finished test set with "
            "deabench.uncertainty(samples)"
        )
    if samples.design != "blocks":
        for metric in metrics:
            if canonical_name(metric) == PAIRS:
                raise DataError(
                    f"'{metric}' counts pairs of a round; give the scores round by round to "
                    "deabench.Anytime(...).add_scores, or judge the finished test set with "
                    "deabench.uncertainty(samples)"
                )
        check_means(metrics)
    # Each metric is measured on some units only: a recall on the instances of its class.
    columns = []
    for metric in metrics:
        r = list(samples.values.columns).index(metric)
        units = np.flatnonzero(data.counts[r])
        values = data.values[:, r, units].astype(float)
        if values.min() < -ROUNDING or values.max() > 1 + ROUNDING:
            raise DataError(
                f"'{metric}' has values outside 0 to 1, as weights, clusters of different sizes "
                "and chosen class counts (design='classes') bring about; give means from 0 to 1 "
                "round by round to deabench.Anytime"
            )
        columns.append(OutcomeColumn(metric, np.clip(values, 0.0, 1.0), units))
    return TestOutcomes(data.strata, tuple(columns))


def play_samples(samples: Samples, metrics: Sequence[str], level: float, seed: int) -> Anytime:
    """Return the verdicts after all rounds of a shuffled test set.

    One order is played: averages over orders would not hold at any time.
    """
    outcomes = outcomes_of_samples(samples, metrics)
    classifiers = [str(name) for name in samples.values.index]
    unit: Unit = "datasets" if samples.design == "blocks" else "instances"
    anytime = Anytime(classifiers, metrics, level, unit=unit)
    anytime.add_rounds(outcomes.rounds(metrics, seed))
    return anytime


def with_anytime_verdicts(result: Uncertainty) -> Uncertainty:
    """Return an uncertainty whose verdicts and limits hold at any time."""
    if result.problem.inputs:
        raise DataError("method 'anytime' has outputs only; leave the costs out")
    anytime = play_samples(result.samples, result.metrics, result.level, result.seed)
    played = anytime.result
    score = result.scores.to_numpy()
    limits = played.limits if result.simultaneous else anytime.individual_limits
    lower = np.minimum(limits["lower"].to_numpy(), score)
    upper = np.maximum(limits["upper"].to_numpy(), score)
    dominated = (played.verdicts == "dominated").to_numpy()
    # A one-sided statement on all classifiers at once, as the verdict is.
    gap = result.problem.technology.gap(np.maximum(anytime.verdict_limits, score))
    # Ranks and tiers hold at once, whatever the limits shown.
    low = np.minimum(played.limits["lower"].to_numpy(), score)
    high = np.maximum(played.limits["upper"].to_numpy(), score)
    best, worst = possible_ranks(low, high)
    index = result.scores.index
    after = anytime.next
    remaining = after.order.reindex(played.verdicts.index).to_numpy()
    return replace(
        result,
        lower=pd.Series(lower, index, name="lower"),
        upper=pd.Series(upper, index, name="upper"),
        verdicts=pd.Series(
            np.select([dominated, lower >= 1 - EDGE], ["dominated", "efficient"], "undecided"),
            index,
            name="verdict",
        ),
        secure_gap=pd.Series(np.where(dominated, gap, np.nan), index, name="secure_gap"),
        mixes=pd.DataFrame(played.mixes.to_numpy(), index, index),
        ranks=pd.DataFrame({"best": best, "worst": worst}, index),
        tiers=pd.Series(assign_tiers(low, high), index, name="tier"),
        evidence=pd.DataFrame(
            {
                "e_value": played.evidence.to_numpy(),
                "decided_after": played.decided_after.to_numpy(),
            },
            index,
        ),
        growth=pd.Series(1 + remaining / played.rounds, index, name="growth"),
        verdict_method="anytime",
        method="anytime",
        next=after,
        notes=(
            *result.samples.notes,
            f"{played.rounds} rounds in an order drawn by seed {result.seed}; the verdicts hold "
            "wherever you stop",
        ),
    )
