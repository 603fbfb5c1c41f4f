"""Define every metric of a 2x2 table: formula, range, direction, and when it is undefined.

The catalogue for readers, with sources, is docs/metrics.md; a test keeps the two alike.

Notation: tp, fn, fp, tn counts; P = tp + fn positives, N = fp + tn negatives, L = tp + fp labelled
positive, M = fn + tn labelled negative, n all; C_x the cost and w_x the weight of one instance in
cell x.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

CELLS = ("tp", "fn", "fp", "tn")
"""The four cells, in the order of the result tables."""

Array = np.ndarray
Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True)
class Cells:
    """The four cells of many 2x2 tables at once, and what the metrics with parameters need.

    Attributes
    ----------
    tp, fn, fp, tn : float arrays of one shape
        Counts, sums of sample weights, or shares of one population; >= 0.
    beta : float >= 0
        Recall counts beta times as much as precision in F.
    dominance : float in [0, 1]
        α, the weight of the dominance TPR - TNR in IBA.
    costs, weights : mappings over tp, fn, fp, tn
        Cost of one instance in each cell (any sign); its weight (>= 0) in weighted accuracy.
    """

    tp: Array
    fn: Array
    fp: Array
    tn: Array
    beta: float = 1.0
    dominance: float = 1.0
    costs: Mapping[str, float] = field(
        default_factory=lambda: {"tp": 0.0, "fn": 1.0, "fp": 1.0, "tn": 0.0}
    )
    weights: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(CELLS, 1.0))

    @property
    def P(self) -> Array:
        return np.asarray(self.tp + self.fn)

    @property
    def N(self) -> Array:
        return np.asarray(self.fp + self.tn)

    @property
    def L(self) -> Array:
        return np.asarray(self.tp + self.fp)

    @property
    def M(self) -> Array:
        return np.asarray(self.fn + self.tn)

    @property
    def n(self) -> Array:
        return np.asarray(self.tp + self.fn + self.fp + self.tn)

    def sum(self, factors: Mapping[str, float]) -> Array:
        """Return Σ factors[x] · x over the four cells."""
        return (
            factors["tp"] * self.tp
            + factors["fn"] * self.fn
            + factors["fp"] * self.fp
            + factors["tn"] * self.tn
        )


class Formula(NamedTuple):
    """One row of the catalogue."""

    formula: str
    value: Callable[[Cells], Array]
    better: Better
    low: float
    high: float
    needs: tuple[str, ...]


NEEDS: dict[str, tuple[Callable[[Cells], Array], str]] = {
    "instances": (lambda c: c.n > 0, "there is no instance (tp + fn + fp + tn = 0)"),
    "positives": (lambda c: c.P > 0, "there is no positive instance (tp + fn = 0)"),
    "negatives": (lambda c: c.N > 0, "there is no negative instance (fp + tn = 0)"),
    "labelled positive": (lambda c: c.L > 0, "nothing is labelled positive (tp + fp = 0)"),
    "labelled negative": (lambda c: c.M > 0, "nothing is labelled negative (fn + tn = 0)"),
    "either positive": (
        lambda c: (c.tp > 0) | (c.fp > 0) | ((c.fn > 0) & (c.beta > 0)),
        "no instance that F counts: no true or labelled positive (F leaves tn out, and fn at beta "
        "= 0)",
    ),
    "two classes": (
        lambda c: c.L * c.N + c.P * c.M > 0,
        "all instances and all labels are of one class, so agreement by chance is 1",
    ),
    "weight": (
        lambda c: c.sum(c.weights) > 0,
        "the instances have no weight (w_tp tp + w_fn fn + w_fp fp + w_tn tn = 0)",
    ),
}
"""What a metric can need: a test per row, and the reason to give where it fails."""

_POSITIVES, _NEGATIVES, _CLASSES = ("positives",), ("negatives",), ("positives", "negatives")
_MARGINS = ("positives", "negatives", "labelled positive", "labelled negative")


def _f_measure(c: Cells) -> Array:
    square = c.beta * c.beta
    return np.asarray((1 + square) * c.tp / ((1 + square) * c.tp + square * c.fn + c.fp))


def _iba(c: Cells) -> Array:
    # The dominance TPR − TNR rewards the class of interest by the weight α.
    tpr, tnr = c.tp / c.P, c.tn / c.N
    return np.asarray((1 + c.dominance * (tpr - tnr)) * tpr * tnr)


def _weighted_accuracy(c: Cells) -> Array:
    return np.asarray((c.weights["tp"] * c.tp + c.weights["tn"] * c.tn) / c.sum(c.weights))


METRICS: dict[str, Formula] = {
    "TPR": Formula("tp / P", lambda c: c.tp / c.P, "higher", 0, 1, _POSITIVES),
    "TNR": Formula("tn / N", lambda c: c.tn / c.N, "higher", 0, 1, _NEGATIVES),
    "FPR": Formula("fp / N", lambda c: c.fp / c.N, "lower", 0, 1, _NEGATIVES),
    "FNR": Formula("fn / P", lambda c: c.fn / c.P, "lower", 0, 1, _POSITIVES),
    "PPV": Formula("tp / L", lambda c: c.tp / c.L, "higher", 0, 1, ("labelled positive",)),
    "NPV": Formula("tn / M", lambda c: c.tn / c.M, "higher", 0, 1, ("labelled negative",)),
    "FDR": Formula("fp / L", lambda c: c.fp / c.L, "lower", 0, 1, ("labelled positive",)),
    "FOR": Formula("fn / M", lambda c: c.fn / c.M, "lower", 0, 1, ("labelled negative",)),
    "accuracy": Formula(
        "(tp + tn) / n", lambda c: (c.tp + c.tn) / c.n, "higher", 0, 1, ("instances",)
    ),
    "misclassification_rate": Formula(
        "(fn + fp) / n", lambda c: (c.fn + c.fp) / c.n, "lower", 0, 1, ("instances",)
    ),
    "null_error_rate": Formula(
        "min(P, N) / n", lambda c: np.minimum(c.P, c.N) / c.n, "neither", 0, 0.5, ("instances",)
    ),
    "null_accuracy": Formula(
        "max(P, N) / n", lambda c: np.maximum(c.P, c.N) / c.n, "neither", 0.5, 1, ("instances",)
    ),
    "prevalence": Formula("P / n", lambda c: c.P / c.n, "neither", 0, 1, ("instances",)),
    "queue_rate": Formula("L / n", lambda c: c.L / c.n, "neither", 0, 1, ("instances",)),
    "balanced_accuracy": Formula(
        "(TPR + TNR) / 2", lambda c: (c.tp / c.P + c.tn / c.N) / 2, "higher", 0, 1, _CLASSES
    ),
    "G-mean": Formula(
        "√(TPR · TNR)", lambda c: np.sqrt(c.tp / c.P * (c.tn / c.N)), "higher", 0, 1, _CLASSES
    ),
    "F1": Formula(
        "(1 + β²) tp / ((1 + β²) tp + β² fn + fp)", _f_measure, "higher", 0, 1, ("either positive",)
    ),
    "IBA": Formula("(1 + α (TPR − TNR)) · TPR · TNR", _iba, "higher", 0, 1, _CLASSES),
    "MCC": Formula(
        "(tp tn − fp fn) / √(P N L M)",
        # Two roots: the product of all four margins could overflow.
        lambda c: (c.tp * c.tn - c.fp * c.fn) / (np.sqrt(c.P * c.N) * np.sqrt(c.L * c.M)),
        "higher",
        -1,
        1,
        _MARGINS,
    ),
    "kappa": Formula(
        "2 (tp tn − fn fp) / (L N + P M)",
        lambda c: 2 * (c.tp * c.tn - c.fn * c.fp) / (c.L * c.N + c.P * c.M),
        "higher",
        -1,
        1,
        ("two classes",),
    ),
    "Youden": Formula(
        "TPR + TNR − 1", lambda c: c.tp / c.P + c.tn / c.N - 1, "higher", -1, 1, _CLASSES
    ),
    "LR+": Formula(
        "TPR / FPR",
        lambda c: (c.tp / c.P) / (c.fp / c.N),
        "higher",
        0,
        np.inf,
        (*_CLASSES, "labelled positive"),
    ),
    "LR-": Formula(
        "FNR / TNR",
        lambda c: (c.fn / c.P) / (c.tn / c.N),
        "lower",
        0,
        np.inf,
        (*_CLASSES, "labelled negative"),
    ),
    "label_odds+": Formula("tp / fn", lambda c: c.tp / c.fn, "higher", 0, np.inf, _POSITIVES),
    "label_odds-": Formula("fp / tn", lambda c: c.fp / c.tn, "lower", 0, np.inf, _NEGATIVES),
    "DOR": Formula(
        "tp tn / (fn fp)", lambda c: c.tp * c.tn / (c.fn * c.fp), "higher", 0, np.inf, _MARGINS
    ),
    "weighted_accuracy": Formula(
        "(w_tp tp + w_tn tn) / (w_tp tp + w_fn fn + w_fp fp + w_tn tn)",
        _weighted_accuracy,
        "higher",
        0,
        1,
        ("weight",),
    ),
    "total_cost": Formula(
        "C_tp tp + C_fn fn + C_fp fp + C_tn tn",
        lambda c: c.sum(c.costs),
        "lower",
        -np.inf,
        np.inf,
        (),
    ),
    "balancing_cost": Formula(
        "C_fp (fp + fn N / P)",
        lambda c: c.costs["fp"] * (c.fp + c.fn * c.N / c.P),
        "lower",
        0,
        np.inf,
        _POSITIVES,
    ),
}
"""The metrics of counts by name, in the order of the result tables; 'F1' is named after its beta.
"""

SCORE_METRICS = {"roc_auc": "higher", "pr_auc": "higher", "KS": "higher"}
"""The metrics of scores that `from_scores` gives by default."""

MORE_METRICS = {
    "partial_auc@f": "higher",
    "TPR@FPR=f": "higher",
    "precision@k": "higher",
    "net_benefit@t": "higher",
    "log_loss": "lower",
    "brier": "lower",
    "ece": "lower",
    "fit_seconds": "lower",
    "predict_seconds": "lower",
}
"""Those that must be asked for: at a value ('partial_auc@0.1', 'TPR@FPR=0.05', 'precision@10',
'net_benefit@0.2'), of probabilities, of seconds.
"""

DIRECTION: dict[str, str] = {
    **{name: metric.better for name, metric in METRICS.items()},
    **SCORE_METRICS,
    **MORE_METRICS,
}
"""Which way is better, by metric: 'higher', 'lower', or 'neither' (it describes, it does not
judge).
"""

PROPORTIONS: dict[str, tuple[str, str]] = {
    "TPR": ("tp", "P"),
    "TNR": ("tn", "N"),
    "FPR": ("fp", "N"),
    "FNR": ("fn", "P"),
    "PPV": ("tp", "L"),
    "NPV": ("tn", "M"),
    "FDR": ("fp", "L"),
    "FOR": ("fn", "M"),
    "accuracy": ("tp+tn", "n"),
    "misclassification_rate": ("fn+fp", "n"),
    "prevalence": ("P", "n"),
    "queue_rate": ("L", "n"),
}
"""The metrics that are a share of a fixed number of instances: successes and trials."""


LINEAR_METRICS = frozenset(
    {
        "TPR",
        "TNR",
        "FPR",
        "FNR",
        "accuracy",
        "misclassification_rate",
        "null_error_rate",
        "null_accuracy",
        "prevalence",
        "queue_rate",
        "balanced_accuracy",
        "Youden",
        "weighted_accuracy",
        "total_cost",
        "balancing_cost",
    }
)
"""Metrics that are linear in the counts where the numbers of positives and negatives are fixed."""

UNMIXED_METRICS = frozenset([*METRICS, *SCORE_METRICS, "AUC", "auc"]) - LINEAR_METRICS
"""Metrics of which a mixture of classifiers has another value than the mixed one."""


def f_measure_name(beta: float) -> str:
    """Return the column name of the F measure: 'F1', 'F2', 'F0.5'."""
    return f"F{beta:g}"


def canonical_name(name: str) -> str:
    """Return the catalogue's name of a metric, 'TPR' for 'recall'; unknown names are unchanged."""
    return name if name in DIRECTION and name not in ALIASES else ALIASES.get(name.lower(), name)


def direction_of(name: str) -> str | None:
    """Return which way is better; None where it is not known.

    Parameters
    ----------
    name : str
        As in `catalogue()`, or the usual other words for it.

    Examples
    --------
    >>> from deabench import metrics
    >>> [metrics.direction_of(name) for name in ("recall", "log_loss", "colour")]
    ['higher', 'lower', None]
    """
    # Users' words first: 'recall' has the direction of 'TPR'.
    metric = canonical_name(name)
    if metric in DIRECTION:
        return DIRECTION[metric]
    # F2, F0.5 and the like are not in the catalogue by name.
    if re.fullmatch(r"F\d+(\.\d+)?", metric):
        return "higher"
    # 'precision@10' has the direction of 'precision@k'.
    kind, separator, _ = metric.partition("@")
    for name, direction in MORE_METRICS.items():
        if separator and name.partition("@")[0] == kind:
            return direction
    return None


def formula_of(name: str, beta: float = 1.0) -> Formula:
    """Return the catalogue's entry of a column name, also of 'F2' and the like."""
    return METRICS["F1" if name == f_measure_name(beta) else canonical_name(name)]


def evaluate_formula(metric: Formula, cells: Cells) -> tuple[Array, Array]:
    """Compute values and the number of the unmet need of each row.

    Returns
    -------
    values : array
        NaN where undefined, ±inf where a nonzero number is divided by 0.
    failed : int array
        0 where the metric is defined, else k for the first unmet need `metric.needs[k - 1]`.
    """
    failed = np.zeros(np.shape(cells.tp), dtype=np.int8)
    # 0/0 is replaced below; a number over 0 stays infinite.
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.array(metric.value(cells), dtype=float)
    # Backwards, so that the first unmet need is written last and stays.
    for k, need in reversed(list(enumerate(metric.needs, start=1))):
        unmet = ~NEEDS[need][0](cells)
        failed[unmet] = k
        values[unmet] = np.nan
    return values, failed


def undefined_reason(metric: Formula, failed: int) -> str:
    """Return the reason for the unmet need number `failed` of `evaluate_formula`."""
    return NEEDS[metric.needs[failed - 1]][1]


def catalogue() -> pd.DataFrame:
    """Return the metrics of counts as a table: formula, range, direction, and when undefined.

    `linear` says which are linear in the counts at fixed classes: a mixture of classifiers has
    their mixed value in expectation.

    Examples
    --------
    >>> catalogue().loc["G-mean", ["formula", "better"]].tolist()
    ['√(TPR · TNR)', 'higher']
    """
    rows = {
        name: (m.formula, m.low, m.high, m.better, "; ".join(NEEDS[need][1] for need in m.needs))
        for name, m in METRICS.items()
    }
    columns = ["formula", "low", "high", "better", "undefined_when"]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("metric")
    return frame.assign(linear=[name in LINEAR_METRICS for name in frame.index])


ALIASES = {
    "recall": "TPR",
    "sensitivity": "TPR",
    "hit_rate": "TPR",
    "tpr": "TPR",
    "specificity": "TNR",
    "selectivity": "TNR",
    "tnr": "TNR",
    "fpr": "FPR",
    "fall_out": "FPR",
    "fnr": "FNR",
    "miss_rate": "FNR",
    "precision": "PPV",
    "ppv": "PPV",
    "npv": "NPV",
    "fdr": "FDR",
    "f1": "F1",
    "f1_score": "F1",
    "f_score": "F1",
    "acc": "accuracy",
    "error_rate": "misclassification_rate",
    "mcc": "MCC",
    "cohen_kappa": "kappa",
    "youden": "Youden",
    "informedness": "Youden",
    "auroc": "roc_auc",
    "roc_auc_score": "roc_auc",
    "average_precision": "pr_auc",
    "auprc": "pr_auc",
    "ks": "KS",
    "brier_score": "brier",
    "logloss": "log_loss",
}
"""What users of other tools write; the column keeps their word."""

HINTS = {
    "auc": "write 'roc_auc' for the area under the curve of scores, 'balanced_accuracy' for that "
    "of one threshold"
}
"""What could be two things."""
