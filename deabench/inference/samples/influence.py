"""Compute what each test instance adds to each metric: influence values.

A metric y is a function of the means of features in each class of instances (which answers are
right, DeLong's placement values, losses) and of the classes' shares π. An instance t of class c
moves it by

    ψ_t = Σ_b ∂y/∂f̄_bc · (f_bt − f̄_bc) / π_c + ∂y/∂π_c − Σ_d π_d ∂y/∂π_d,        Σ_t ψ_t = 0,

per unit of its share. Metrics of counts get their derivatives from the formulas of
`deabench.metrics` by a complex step; means and areas are linear in features; what has no formula
is jackknifed, and its pseudo-values are its feature.

References
----------
Hampel (1974), JASA 69, 383-393; DeLong, DeLong, Clarke-Pearson (1988), Biometrics 44, 837-845;
Squire, Trapp (1998), SIAM Review 40, 110-112, for the complex step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deabench.errors import DataError
from deabench.metrics.formulas import (
    CELLS,
    METRICS,
    Cells,
    Formula,
    canonical_name,
)
from deabench.metrics.metric import Metric
from deabench.metrics.score_metrics import (
    average_precision,
    placements,
    roc_auc,
    sort_scores,
)

Array = np.ndarray

COMPLEX_STEP = 1e-20
RIGHT = "right"
"""The feature of metrics of counts: whether an answer is right."""
_F_MEASURE = re.compile(r"F(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class MetricInfluence:
    """One metric of k classifiers with its derivatives.

    Attributes
    ----------
    value : array (k,)
        NaN where it is undefined.
    lifted : array (k,)
        With half a success, or half a failure of a cost, where there is none: for its logarithm.
    slopes : mapping of feature to array (classes, k)
        Derivative by the feature's mean in each class.
    by_share : array (classes, k)
        Derivative by the class's share.
    flips : array (classes, k)
        The change when one instance of the class is answered the other way.
    own_class : int
        The only class that the metric depends on; −1 for several.
    is_cost : bool
        Whether it is better low.
    """

    value: Array
    lifted: Array
    slopes: Mapping[str, Array]
    by_share: Array
    flips: Array
    own_class: int = -1
    is_cost: bool = False


@dataclass(frozen=True)
class Answers:
    """What k classifiers answered on n instances.

    Attributes
    ----------
    classes : int array (n,)
        The number of each instance's true class; of two classes 0 is the positive one.
    class_names : sequence of str
    weight : array (n,) or None
        Sample weights with mean 1.
    features : dict of feature to array (k, n)
        Filled by the metrics; `RIGHT` where labels are given.
    labelled : bool array (k, n) or None
        Of two classes: which instances are labelled positive.
    codes : int array (k, n) or None
        Of several classes: the number of the predicted class.
    scores : array (k, n) or None
    """

    classes: Array
    class_names: Sequence[str]
    weight: Array | None
    features: dict[str, Array]
    labelled: Array | None = None
    codes: Array | None = None
    scores: Array | None = None

    @property
    def class_sums(self) -> Array:
        """Return the weight of each class: (classes,)."""
        return np.bincount(self.classes, self.weight, len(self.class_names)).astype(float)

    def class_means(self, feature: Array) -> Array:
        """Return the weighted means of a feature (k, n) in each class: (classes, k)."""
        return np.stack(
            [
                np.average(
                    feature[:, self.classes == c],
                    axis=1,
                    weights=None if self.weight is None else self.weight[self.classes == c],
                )
                for c in range(len(self.class_names))
            ]
        )


def count_influence(name: str, cells: Array) -> MetricInfluence:
    """Return a metric of two classes' counts, with derivatives by the rates and the shares.

    Parameters
    ----------
    name : str
        One of `deabench.metrics.catalogue()` under any of its names, or 'F2' and the like.
    cells : array (4, k)
        tp, fn, fp, tn; sums of weights are allowed.
    """
    formula, beta = find_formula(name)
    is_cost = formula.better == "lower"
    positives = cells[0] + cells[1]
    negatives = cells[2] + cells[3]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.asarray(formula.value(_cells(cells, beta)), dtype=float)
        # Half a success, or half a failure, where there is none: a logarithm needs it.
        floor = np.array([0.5 / positives, 0.5 / negatives])
        rates = np.array([cells[0] / positives, cells[3] / negatives])
        rates = np.minimum(rates, 1 - floor) if is_cost else np.maximum(rates, floor)
        t, u = rates
        lifted = np.array([t * positives, (1 - t) * positives, (1 - u) * negatives, u * negatives])
        lifted_value = np.asarray(formula.value(_cells(lifted, beta)), dtype=float)
        gradient = _complex_gradient(formula, lifted, beta)
    # By the rate of a class: one more right answer is one fewer wrong one.
    slopes = np.array(
        [positives * (gradient[0] - gradient[1]), negatives * (gradient[3] - gradient[2])]
    )
    # By the share of a class: n counts more, in the proportions of today.
    n = positives + negatives
    by_share = n * np.array(
        [t * gradient[0] + (1 - t) * gradient[1], u * gradient[3] + (1 - u) * gradient[2]]
    )
    flips = np.abs(slopes / np.array([positives, negatives]))
    is_moved = (np.abs(slopes) > 0).any(axis=1)
    own_class = int(np.argmax(is_moved)) if is_moved.sum() == 1 else -1
    if own_class >= 0:
        # A rate of one class does not depend on shares; what is left is rounding.
        by_share = np.zeros_like(by_share)
    return MetricInfluence(
        value, lifted_value, {RIGHT: slopes}, by_share, flips, own_class, is_cost
    )


def mean_influence(name: str, values: Array, answers: Answers, is_cost: bool) -> MetricInfluence:
    """Return a metric that is the mean of its feature over all instances.

    Parameters
    ----------
    name : str
        Of the feature, which is added to the answers.
    values : array (k, n)
    """
    answers.features[name] = values
    sums = answers.class_sums
    shares = sums / sums.sum()
    means = answers.class_means(values)
    value = shares @ means
    slopes = np.broadcast_to(shares[:, None], means.shape)
    flips = _skewness_flips(values, answers)
    return MetricInfluence(value, value, {name: slopes}, means, flips, is_cost=is_cost)


def area_influence(answers: Answers) -> MetricInfluence:
    """Return the area under the ROC curve: a mean of placement values over either class."""
    scores = _require_scores(answers)
    is_positive = answers.classes == 0
    if answers.weight is not None:
        values = np.array([area_pseudo_values(is_positive, row, answers.weight) for row in scores])
        return mean_influence("placement", values, answers, is_cost=False)
    placed = placement_values(is_positive, scores)
    sizes = answers.class_sums
    answers.features["placement"] = np.empty(scores.shape)
    answers.features["placement"][:, is_positive] = placed[0]
    answers.features["placement"][:, ~is_positive] = placed[1]
    area = placed[0].mean(axis=1)
    # Half a pair ranked correctly where there is none.
    lifted = np.maximum(area, 0.5 / (sizes[0] * sizes[1]))
    flips = np.array([misplacement_size(values) for values in placed]) / sizes[:, None]
    ones = np.ones((2, len(scores)))
    return MetricInfluence(area, lifted, {"placement": ones}, np.zeros_like(ones), flips)


def area_pseudo_values(is_positive: Array, score: Array, weight: Array | None) -> Array:
    """Return the area under the ROC curve plus the influence of each instance: (n,)."""
    ranked = sort_scores(is_positive, score)
    tp, fp = ranked.steps(weight)
    area = float(roc_auc(tp, fp))
    lengths = np.diff(ranked.ends, prepend=-1)
    # Placement values by weight: negatives below a positive, positives above a negative.
    below = np.repeat(1 - (fp[1:] + fp[:-1]) / (2 * fp[-1]), lengths)
    above = np.repeat((tp[1:] + tp[:-1]) / (2 * tp[-1]), lengths)
    total = tp[-1] + fp[-1]
    values = np.empty(len(score))
    values[ranked.order] = area + np.where(
        ranked.positive, (below - area) * total / tp[-1], (above - area) * total / fp[-1]
    )
    return values


def precision_area_influence(answers: Answers) -> MetricInfluence:
    """Return the average precision; its derivative by each instance's weight is a formula.

    With AP = Σ_l (ΔTP_l / P) TP_l / L_l over the steps l of falling scores, an instance at step m
    enters TP and L of all later steps: a positive adds Σ_{l≥m} ΔTP_l FP_l / L_l² and its own
    precision, a negative takes away Σ_{l≥m} ΔTP_l TP_l / L_l².
    """
    scores = _require_scores(answers)
    is_positive = answers.classes == 0
    values = np.empty(scores.shape)
    for i, score in enumerate(scores):
        ranked = sort_scores(is_positive, score)
        tp, fp = ranked.steps(answers.weight)
        area = float(average_precision(tp, fp))
        labelled = np.maximum(tp + fp, np.finfo(float).tiny)[1:]
        gained = np.diff(tp)
        # What a positive or a negative changes in the precisions from its own step on.
        raised = np.cumsum((gained * fp[1:] / labelled**2)[::-1])[::-1]
        lowered = np.cumsum((gained * tp[1:] / labelled**2)[::-1])[::-1]
        lengths = np.diff(ranked.ends, prepend=-1)
        of_positive = np.repeat(tp[1:] / labelled + raised - area, lengths)
        of_negative = np.repeat(-lowered, lengths)
        # Derivatives by shares of all instances: n / P times those by counts over P.
        total = tp[-1] + fp[-1]
        influence = np.where(ranked.positive, of_positive, of_negative) * total / tp[-1]
        values[i, ranked.order] = area + influence
    return mean_influence("pr_auc", values, answers, is_cost=False)


def jackknife_influence(
    metric: Metric, values: Array, answers: Answers, groups: Array
) -> MetricInfluence:
    """Return a metric without a formula, left out group by group.

    Parameters
    ----------
    values : array (k, n)
        Labels (1 and 0), scores or probabilities.
    groups : int array (n,)
        The group of each instance; every instance is one of its own where n is small.
    """
    is_positive = answers.classes == 0
    number = int(groups.max()) + 1
    sizes = np.bincount(groups, minlength=number)
    pseudo = np.empty(values.shape)
    estimates = np.empty(len(values))
    for i, row in enumerate(values):
        full = metric.value(is_positive, row, answers.weight)
        without = np.array(
            [_without_group(metric, is_positive, row, answers, groups == g) for g in range(number)]
        )
        # (G − 1)(full − without g), centred; a group's share is spread over its instances.
        influence = (number - 1) * (full - without)
        influence -= influence.mean()
        pseudo[i] = full + (influence * len(groups) / (number * sizes))[groups]
        estimates[i] = full
    result = mean_influence(metric.name, pseudo, answers, not metric.higher_is_better)
    if number < len(groups):
        # Flips of the groups' own influences: those of instances are averages.
        flips = np.zeros_like(result.flips)
        flips[0] = _third_over_second(pseudo - estimates[:, None]) / len(groups)
        return MetricInfluence(
            estimates, estimates, result.slopes, result.by_share, flips, is_cost=result.is_cost
        )
    return result


def find_formula(name: str) -> tuple[Formula, float]:
    """Return the formula of a metric of counts under any of its names, and its beta.

    Raises
    ------
    KeyError
        For a name that is none.
    """
    canonical = canonical_name(name)
    match = _F_MEASURE.fullmatch(canonical)
    if match:
        return METRICS["F1"], float(match[1])
    return METRICS[canonical], 1.0


def placement_values(is_positive: Array, scores: Array) -> tuple[Array, Array]:
    """Return DeLong's placement values: each positive among the negatives, and conversely.

    Parameters
    ----------
    is_positive : bool array (n,)
    scores : array (k, n)

    Returns
    -------
    arrays (k, P) and (k, N)
        The mean of either is the area under the ROC curve.
    """
    placed = np.array([placements(sort_scores(is_positive, row)) for row in scores])
    return placed[:, is_positive], placed[:, ~is_positive]


def misplacement_size(placed: Array) -> Array:
    """Return how much of an instance one misplacement is, on average.

    Σ l³ / Σ l² of the losses l = 1 − placement, half a whole loss added to both sums. The
    small-sample rule corrects for skewness, and a mean of losses is skewed as a count of whole ones
    is when each is of this size: 1 where an instance is placed wholly right or wholly wrong (the
    area is a recall then), or where nothing is misplaced.

    Parameters
    ----------
    placed : array (k, n)
        Placement values.

    Returns
    -------
    array (k,)
        In (0, 1].
    """
    # The added half is that of a misplacement that was not seen.
    loss = 1 - placed
    squares = loss**2
    return np.asarray(((squares * loss).sum(axis=1) + 0.5) / (squares.sum(axis=1) + 0.5))


def _cells(counts: Array, beta: float) -> Cells:
    tp, fn, fp, tn = counts
    return Cells(tp, fn, fp, tn, beta=beta)


def _complex_gradient(formula: Formula, cells: Array, beta: float) -> Array:
    """Return the derivatives of a formula by its four cells: (4, k)."""
    gradient = np.empty_like(cells)
    for x in range(len(CELLS)):
        moved = cells.astype(complex)
        # The imaginary part of f(x + ih) is h f'(x), without a difference of near numbers.
        moved[x] += 1j * COMPLEX_STEP
        gradient[x] = np.imag(formula.value(_cells(moved, beta))) / COMPLEX_STEP
    return gradient


def _without_group(
    metric: Metric, is_positive: Array, values: Array, answers: Answers, group: Array
) -> float:
    weight = None if answers.weight is None else answers.weight[~group]
    result = metric.value(is_positive[~group], values[~group], weight)
    if np.isnan(result):
        raise DataError(
            f"metric '{metric.name}' is undefined without some of the instances, so its sampling "
            "error cannot be computed; give more instances, or leave the metric out"
        )
    return result


def _require_scores(answers: Answers) -> Array:
    assert answers.scores is not None  # metrics of scores are refused without them
    return answers.scores


def _skewness_flips(values: Array, answers: Answers) -> Array:
    """Return Σ|ψ|³ / (n Σψ²) in each class: (classes, k).

    Where a classifier has no spread it gets the largest of the others'; where none has, that of
    one whole instance.
    """
    n = len(answers.classes)
    flips = []
    for c in range(len(answers.class_names)):
        members = values[:, answers.classes == c]
        centred = members - members.mean(axis=1, keepdims=True)
        size = _third_over_second(centred) / n
        largest = size.max()
        fallback = largest if largest > 0 else 1 / max(members.shape[1], 1)
        flips.append(np.where(size > 0, size, fallback))
    return np.array(flips)


def _third_over_second(values: Array) -> Array:
    """Return Σ|x|³ / Σx² of each row; 0 for rows of zeros."""
    squares = values**2
    second = squares.sum(axis=1)
    third = (squares * np.abs(values)).sum(axis=1)
    # Rounding is no spread.
    scale = np.abs(values).max(axis=1, initial=0.0)
    return np.asarray(np.divide(third, second, out=np.zeros_like(second), where=scale > 1e-12))
