"""Intervals in closed form: a perfect result, precision at k, the paired difference of two rates.

References
----------
Tango T (1998) Equivalence test and confidence interval for the difference in proportions for the
paired-sample design. Statistics in Medicine 17:891-908. Newcombe RG (1998) Interval estimation for
the difference between independent proportions. Statistics in Medicine 17:873-890."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from deabench import tango
from deabench.metrics import ranking
from deabench.metrics.declared import Metric
from deabench.metrics.draws import Design
from deabench.metrics.formulas import canonical
from deabench.metrics.shipped import OfRanking

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Limits: TypeAlias = tuple[float, float, float, str, str]
"""Estimate, lower, upper, method, and why there is no interval."""
FEW = 30
"""Fewer instances than these are few."""
ALONE = "its interval is for instances drawn one by one, without weights"
PREDICTIVE = ("PPV", "NPV", "FDR", "FOR")
OF_LABELS = {"TPR": True, "FPR": True, "queue_rate": True, "FNR": False, "TNR": False}
"""The shares of a class, or of all, that are labelled positive (True) or negative."""


def none(estimate: float, reason: str) -> Limits:
    """No interval, and why."""
    return estimate, np.nan, np.nan, "none", reason


def drawn_one_by_one(design: Design) -> bool:
    """Whether every instance counts one and was drawn by itself."""
    return design.kind in ("rows", "classes") and design.weight is None


def perfect(estimate: float, column: str, design: Design, alpha: float) -> Limits:
    """Where every resample is alike: a bound for disjoint independent pairs (or positives), all of
    them right.
    """
    name = canonical(column)
    if drawn_one_by_one(design) and estimate in (0.0, 1.0):
        positives, negatives = int(design.positive.sum()), int((~design.positive).sum())
        trials = {"roc_auc": min(positives, negatives)}.get(
            name, positives if name.startswith("TPR@") else 0
        )
        if trials:
            bound = float((alpha / 2) ** (1 / trials))
            low, high = (bound, 1.0) if estimate == 1 else (0.0, 1 - bound)
            return estimate, low, high, "pairs" if name == "roc_auc" else "exact", ""
    return none(estimate, "it did not vary in the resamples")


def area(ranked: ranking.Sorted, quantile: float) -> Limits:
    """The area under the ROC curve with DeLong's standard error, on the log odds."""
    from scipy.special import (
        expit,
        logit,
    )  # here: Pyomo, where it finds scipy, loads scipy.stats too, which takes a second

    placed = ranking.placements(ranked)[ranked.order]
    sides = placed[ranked.positive], placed[~ranked.positive]
    found = float(sides[0].mean())
    if min(len(side) for side in sides) < 2:
        return none(found, "it takes two instances of each class")
    variance = sum(float(side.var(ddof=1)) / len(side) for side in sides)
    middle, width = logit(found), quantile * np.sqrt(variance) / (found * (1 - found))
    return found, float(expit(middle - width)), float(expit(middle + width)), "logit", ""


def caveat(column: str, metric: Metric | None, positives: int, *, paired: bool) -> str:
    """Where simulated intervals of a metric do not cover .93 to .97 (docs/metrics.md); empty
    elsewhere.
    """
    few = f"with {positives} positives its interval is wide: at nominal 95 % such intervals cover up to "
    if metric is None:
        return (
            f"{few}.973"
            if paired and positives < FEW and canonical(column) in ("TPR", "FNR")
            else ""
        )
    if not isinstance(metric.function, OfRanking):
        return ""
    name = metric.name
    if name.startswith("precision@") and int(name.partition("@")[2]) < FEW:
        return f"it rests on few instances: at nominal 95 % such intervals cover {'.88 to 1' if paired else '.92 to .99'}"
    if name == "pr_auc" and paired:
        return "at nominal 95 % intervals of its differences cover .91 to .95"
    wide = (
        {"partial_auc": ".98"} if paired else {"pr_auc": ".98", "TPR": ".98", "partial_auc": ".985"}
    )
    most = wide.get(name.partition("@")[0], "")
    return f"{few}{most}" if most and positives < FEW else ""


def predictive(column: str, hits: Bools, design: Design, alpha: float) -> Limits | None:
    """Wilson's interval of a predictive value of a sample; None for other metrics and designs.

    The posterior of the cells covers .977 where a tenth of 20 positives is missed.
    """
    name = canonical(column)
    if name not in PREDICTIVE or design.kind != "rows" or design.weight is not None:
        return None
    among = hits if name in ("PPV", "FDR") else ~hits
    counted = design.positive if name in ("PPV", "FOR") else ~design.positive
    rate = float(counted[among].mean())
    return rate, *wilson(rate, float(among.sum()), alpha), "wilson", ""


def precision(estimate: float, k: int, design: Design, alpha: float) -> Limits:
    """Precision at k as a share of k instances: Wilson's interval."""
    if not drawn_one_by_one(design):
        return none(estimate, ALONE)
    low, high = wilson(estimate, min(k, len(design.positive)), alpha)
    return estimate, low, high, "wilson", ""


def precision_gap(
    scores: tuple[np.ndarray, np.ndarray], k: int, design: Design, alpha: float
) -> Limits:
    """The difference of two precisions at k: Newcombe's interval of the instances that only one of
    the two takes.

    What both take counts in both and cancels; the others are two sets of m instances without one in
    common."""
    if not drawn_one_by_one(design):
        return none(np.nan, ALONE)
    size = min(k, len(design.positive))
    gap = _taken(scores[0], size) - _taken(scores[1], size)
    only = [np.maximum(gap, 0.0), np.maximum(-gap, 0.0)]
    trials = float(only[0].sum())
    if trials < 1e-9:
        return none(0.0, "both take the same instances")
    hits = [float(part[design.positive].sum()) / trials for part in only]
    (low1, high1), (low2, high2) = (wilson(hit, trials, alpha) for hit in hits)
    down, up = np.hypot(hits[0] - low1, high2 - hits[1]), np.hypot(high1 - hits[0], hits[1] - low2)
    share, estimate = trials / size, hits[0] - hits[1]
    return (
        share * estimate,
        float(share * (estimate - down)),
        float(share * (estimate + up)),
        "newcombe",
        "",
    )


def rate_gap(column: str, hits: tuple[Bools, Bools], design: Design, alpha: float) -> Limits | None:
    """Tango's interval of the paired difference of two rates of one set of instances; None where
    the metric is none.
    """
    name = canonical(column)
    among = {
        "TPR": design.positive,
        "FNR": design.positive,
        "FPR": ~design.positive,
        "TNR": ~design.positive,
    }.get(name, np.ones_like(design.positive))
    if not drawn_one_by_one(design) or (design.kind == "classes" and among.all()):
        return None
    if name in ("accuracy", "misclassification_rate"):
        first, second = ((hit == design.positive) == (name == "accuracy") for hit in hits)
    elif name in OF_LABELS:
        first, second = (hit == OF_LABELS[name] for hit in hits)
    else:
        return None
    b, c, n = (
        int((first & ~second & among).sum()),
        int((second & ~first & among).sum()),
        int(among.sum()),
    )
    low, high = tango.interval(b, c, n, alpha=alpha)
    return (b - c) / n, float(low), float(high), "tango", ""


def wilson(rate: float, trials: float, alpha: float) -> tuple[float, float]:
    """{p : |rate − p| <= z √(p (1 − p) / trials)}."""
    from scipy.special import ndtri

    z = -float(ndtri(alpha / 2))
    middle, half = (
        rate + z * z / (2 * trials),
        z * np.sqrt(rate * (1 - rate) / trials + (z / (2 * trials)) ** 2),
    )
    return float((middle - half) / (1 + z * z / trials)), float(
        (middle + half) / (1 + z * z / trials)
    )


def _taken(score: np.ndarray, k: int) -> Floats:
    """The share of each instance among the k highest scores: 1, 0, or at a tied cut in between."""
    ranked = ranking.falling(np.ones(len(score), dtype=bool), score)
    lengths = np.diff(ranked.ends, prepend=-1)
    room = np.clip(k - (ranked.ends - lengths + 1), 0, lengths) / lengths
    out = np.empty(len(score))
    out[ranked.order] = np.repeat(room, lengths)
    return out
