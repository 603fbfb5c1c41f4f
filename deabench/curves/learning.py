"""Learning curves by progressive sampling: the metric against the training size.

    arithmetic:  S_i = S_0 + i·C        (John and Langley 1996)
    geometric:   S_i = S_0·C^i          (Provost, Jensen and Oates 1999)

Sampling stops if the mean metric of one size differs from that of the size before by no more than
the tolerance (the lecture's m(i) = m(i + 1) is tolerance 0), or if a training fold is used up.

References
----------
Provost F, Jensen D, Oates T (1999) Efficient progressive sampling. KDD 1999:23-32.
doi:10.1145/312129.312188
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from deabench.errors import DataError
from deabench.utils import instances
from deabench.utils.result import Result


@dataclass(frozen=True)
class Schedule:
    """Training sizes and when to stop; made by `arithmetic` or `geometric`.

    Attributes
    ----------
    start : int >= 1
        S_0, rows.
    step : float
        C: rows added (arithmetic, >= 1) or the factor (geometric, > 1).
    kind : "arithmetic" or "geometric"
    tolerance : float >= 0, or None to use up every row
        The largest change of the mean metric that counts as none.
    seed : int
        Of the order of the training rows; every sample contains the one before it.

    Examples
    --------
    >>> from deabench import curves
    >>> schedule = curves.geometric(50, 2, tolerance=.01)
    >>> list(schedule.sizes(500)), schedule.tolerance
    ([50, 100, 200, 400, 500], 0.01)
    """

    start: int
    step: float
    kind: str
    tolerance: float | None = 0.0
    seed: int = 0

    def sizes(self, limit: int) -> Iterator[int]:
        """Yield the rising sizes up to `limit`, which is the last one."""
        last = 0
        for i in count():
            if self.kind == "arithmetic":
                size = self.start + i * self.step
            else:
                size = self.start * self.step**i
            if size >= limit:
                break
            # Rounded sizes of a small factor may repeat.
            if round(size) > last:
                last = round(size)
                yield last
        if last < limit:
            yield limit


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Result):
    """A metric against the training size.

    Attributes
    ----------
    scores, training_scores : DataFrame, sizes x folds
        The metric on the test fold and on the training sample.
    stopped_at : int or None
        The size at which the metric had stopped changing; None if the rows ran out first.
    schedule : Schedule

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from deabench import curves
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> schedule = curves.arithmetic(100, 100, tolerance=.05)
    >>> curves.learning_curve(GaussianNB(), X, y, schedule=schedule, cv=3).stopped_at
    200
    """

    _frame = "means"
    _text = "curves"
    _display = "LearningCurveDisplay"

    scores: pd.DataFrame
    training_scores: pd.DataFrame
    stopped_at: int | None
    schedule: Schedule

    @property
    def means(self) -> pd.DataFrame:
        """mean, sd and training_mean over the folds, a row per size."""
        return pd.DataFrame(
            {
                "mean": self.scores.mean(axis=1),
                "sd": self.scores.std(axis=1, ddof=1),
                "training_mean": self.training_scores.mean(axis=1),
            }
        )


def arithmetic(start: int, step: int, *, tolerance: float | None = 0.0, seed: int = 0) -> Schedule:
    """Return the sizes start, start + step, start + 2·step, ...; see `Schedule`.

    Parameters
    ----------
    start, step : int >= 1
        Rows.
    tolerance : float, optional
        Stop if the mean metric changes by no more; None runs through all sizes.
    seed : int
        Of the order of the rows.

    Raises
    ------
    DataError
        If start or step is below 1 or not whole, or the tolerance negative.

    Examples
    --------
    >>> from deabench import curves
    >>> list(curves.arithmetic(50, 100).sizes(400))
    [50, 150, 250, 350, 400]
    """
    if not (step >= 1 and step == int(step)):
        raise DataError(
            f"step is {step:g}; an arithmetic schedule adds a whole number of rows, at least 1"
        )
    return _make_schedule(start, step, "arithmetic", tolerance, seed)


def geometric(
    start: int, factor: float = 2.0, *, tolerance: float | None = 0.0, seed: int = 0
) -> Schedule:
    """Return the sizes start, start·factor, start·factor², ..., rounded; see `Schedule`.

    Parameters
    ----------
    start : int >= 1
        Rows.
    factor : float > 1
    tolerance, seed
        As for `arithmetic`.

    Raises
    ------
    DataError
        If start is below 1 or not whole, the factor not above 1, or the tolerance negative.

    Examples
    --------
    >>> from deabench import curves
    >>> list(curves.geometric(50, 2).sizes(400))
    [50, 100, 200, 400]
    """
    if not (np.isfinite(factor) and factor > 1):
        raise DataError(f"factor is {factor:g}; a geometric schedule multiplies by more than 1")
    return _make_schedule(start, factor, "geometric", tolerance, seed)


def _make_schedule(
    start: int, step: float, kind: str, tolerance: float | None, seed: int
) -> Schedule:
    if not (start >= 1 and start == int(start)):
        raise DataError(
            f"start is {start:g}; the first sample has a whole number of rows, at least 1"
        )
    if tolerance is not None and not tolerance >= 0:
        raise DataError(
            f"tolerance is {tolerance:g}; give a number >= 0, or None to use up every row"
        )
    return Schedule(int(start), step, kind, tolerance, seed)


def learning_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    schedule: Schedule,
    scoring: str | Callable[..., float] = "balanced_accuracy",
    cv: Any = 5,
) -> LearningCurve:
    """Compute the learning curve of one classifier, by progressive sampling within each fold.

    Parameters
    ----------
    estimator : object with scikit-learn's fit and predict
        Cloned before every fit; the original does not change.
    X : DataFrame or array_like, n x features
    y : array_like, n
    schedule : Schedule
        From `arithmetic(start, step)` or `geometric(start, factor)`.
    scoring : str or callable
        A scikit-learn scorer or its name.
    cv : int or splitter
        As scikit-learn's; a whole number is that many stratified folds, in the rows' order.

    Returns
    -------
    LearningCurve
        The sizes end with the smallest training fold.

    Raises
    ------
    DataError
        If X and y differ in length, there are fewer rows of a class than folds, the schedule starts
        above the number of rows, or a training sample has one class only.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from deabench import curves
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> curve = curves.learning_curve(GaussianNB(), X, y, schedule=curves.geometric(50, 3), cv=3)
    >>> curve.means.index.tolist()
    [50, 150, 379]
    """
    labels = np.asarray(y)
    folds = _split_folds(X, labels, cv, schedule)
    scorer = check_scoring(estimator, scoring=scoring)
    scores: dict[int, list[float]] = {}
    training_scores: dict[int, list[float]] = {}
    stopped_at = None
    # Train on more and more rows of every fold, until the metric is stable or the rows run out.
    for size in schedule.sizes(min(len(train) for train, _ in folds)):
        scores[size] = []
        training_scores[size] = []
        for train, test in folds:
            # Every sample contains the smaller ones.
            sample = train[:size]
            X_train = instances.take_instances(X, sample)
            fitted = clone(estimator).fit(X_train, labels[sample])
            scores[size].append(
                float(scorer(fitted, instances.take_instances(X, test), labels[test]))
            )
            training_scores[size].append(float(scorer(fitted, X_train, labels[sample])))
        if _is_stable(scores, schedule.tolerance):
            stopped_at = size
            break
    return LearningCurve(_fold_frame(scores), _fold_frame(training_scores), stopped_at, schedule)


def _split_folds(
    X: Any, labels: NDArray[Any], cv: Any, schedule: Schedule
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the training rows, in the order of sampling, and the test rows of each fold."""
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(labels) != rows:
        raise DataError(f"X has {rows} rows and y has {len(labels)}; give one label for each row")
    if isinstance(cv, int):
        classes, counts = np.unique(labels, return_counts=True)
        rarest = int(np.argmin(counts))
        if not 2 <= cv <= counts[rarest]:
            raise DataError(
                f"there are {counts[rarest]} rows of class '{classes[rarest]}' for {cv} folds; "
                "give between 2 and that many"
            )
    # The order in which training rows are added is random and the same for every size.
    rng = np.random.default_rng(schedule.seed)
    splits = check_cv(cv, labels, classifier=True).split(X, labels)
    folds = [(rng.permutation(train), test) for train, test in splits]
    smallest = min(len(train) for train, _ in folds)
    if schedule.start > smallest:
        raise DataError(
            f"the schedule starts with {schedule.start} rows and a training fold has {smallest}; "
            "start lower"
        )
    for fold, (train, _) in enumerate(folds):
        if len(np.unique(labels[train[: schedule.start]])) < 2:
            raise DataError(
                f"the first {schedule.start} training rows of fold {fold} have one class only; "
                "start higher"
            )
    return folds


def _is_stable(scores: dict[int, list[float]], tolerance: float | None) -> bool:
    """Return whether the mean of the last size differs from the one before by the tolerance."""
    if tolerance is None or len(scores) < 2:
        return False
    before, last = list(scores.values())[-2:]
    return abs(float(np.mean(last)) - float(np.mean(before))) <= tolerance


def _fold_frame(scores: dict[int, list[float]]) -> pd.DataFrame:
    frame = pd.DataFrame.from_dict(scores, orient="index").rename_axis("size")
    return frame.rename_axis("fold", axis=1)
