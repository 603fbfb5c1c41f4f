"""Learning curves by progressive sampling: the metric against the training size, until it stops
changing.

    arithmetic:  S_i = S_0 + i·C        (John and Langley 1996)
    geometric:   S_i = S_0·C^i          (Provost, Jensen and Oates 1999)

Sampling stops where the mean metric of one size differs from that of the size before by no more
than the tolerance (the lecture's m(i) = m(i + 1) is tolerance 0), or where a training fold is used
up.

References
----------
Provost F, Jensen D, Oates T (1999) Efficient progressive sampling. KDD 1999:23-32.
doi:10.1145/312129.312188"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from deabench.errors import DataError
from deabench.utils.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.plot import LearningCurveDisplay


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
        Of the order in which the training rows are taken; every sample holds the one before it.

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
        """The rising sizes up to `limit`, which is the last one."""
        last = 0
        for i in count():
            size = (
                self.start + i * self.step
                if self.kind == "arithmetic"
                else self.start * self.step**i
            )
            if size >= limit:
                break
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
        The size at which the metric had stopped changing; None where the rows ran out first.
    schedule : Schedule

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from deabench import curves
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> curve = curves.learning_curve(GaussianNB(), X, y, schedule=curves.arithmetic(100, 100, tolerance=.05), cv=3)
    >>> curve.stopped_at
    200
    """

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

    def to_frame(self) -> pd.DataFrame:
        """The means."""
        return self.means

    def summary(self) -> str:
        """What the metric reached, and whether it had stopped changing."""
        last = self.means.iloc[-1]
        said = (
            f"at {self.means.index[-1]} training rows the metric is {last['mean']:.4g} on {self.scores.shape[1]} test folds "
            f"(sd {last['sd']:.4g}) and {last['training_mean']:.4g} on the training rows"
        )
        if self.stopped_at is None:
            return (
                f"{said}; the rows ran out before it stopped changing"
                if self.schedule.tolerance is not None
                else said
            )
        return f"{said}; it had stopped changing at {self.stopped_at} rows"

    def plot(self, ax: Axes | None = None) -> LearningCurveDisplay:  # type: ignore[override]
        """Draw the means; see `deabench.plot.LearningCurveDisplay`."""
        from deabench.plot import LearningCurveDisplay

        return LearningCurveDisplay(self).plot(ax)


def arithmetic(start: int, step: int, *, tolerance: float | None = 0.0, seed: int = 0) -> Schedule:
    """Sizes start, start + step, start + 2·step, ...; see `Schedule`.

    Parameters
    ----------
    start, step : int >= 1
        Rows.
    tolerance : float, optional
        Stop where the mean metric changes by no more; None runs through all sizes.
    seed : int
        Of the order in which rows are taken.

    Raises
    ------
    DataError
        Where start or step is below 1 or not whole, or the tolerance negative.

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
    return _schedule(start, step, "arithmetic", tolerance, seed)


def geometric(
    start: int, factor: float = 2.0, *, tolerance: float | None = 0.0, seed: int = 0
) -> Schedule:
    """Sizes start, start·factor, start·factor², ..., rounded; see `Schedule`.

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
        Where start is below 1 or not whole, the factor not above 1, or the tolerance negative.

    Examples
    --------
    >>> from deabench import curves
    >>> list(curves.geometric(50, 2).sizes(400))
    [50, 100, 200, 400]
    """
    if not (np.isfinite(factor) and factor > 1):
        raise DataError(f"factor is {factor:g}; a geometric schedule multiplies by more than 1")
    return _schedule(start, factor, "geometric", tolerance, seed)


def learning_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    schedule: Schedule,
    scoring: str | Callable[..., float] = "balanced_accuracy",
    cv: Any = 5,
) -> LearningCurve:
    """The learning curve of one classifier, by progressive sampling within each fold.

    Parameters
    ----------
    estimator : object with scikit-learn's fit and predict
        Cloned before every fit; the one given is left as it is.
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
        Where X and y differ in length, there are fewer rows of a class than folds, the schedule
        starts above the rows there are, or a training sample has one class only.

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
    from sklearn.metrics import check_scoring

    labels, folds = np.asarray(y), _folds(X, y, cv, schedule)
    scorer = check_scoring(estimator, scoring=scoring)
    tests: dict[int, list[float]] = {}
    trainings: dict[int, list[float]] = {}
    for size in schedule.sizes(min(len(train) for train, _ in folds)):
        pairs = [
            _fit_and_score(estimator, scorer, X, labels, train[:size], test)
            for train, test in folds
        ]
        tests[size], trainings[size] = [a for a, _ in pairs], [b for _, b in pairs]
        if _settled(tests, schedule.tolerance):
            return LearningCurve(_frame(tests), _frame(trainings), size, schedule)
    return LearningCurve(_frame(tests), _frame(trainings), None, schedule)


def _schedule(start: int, step: float, kind: str, tolerance: float | None, seed: int) -> Schedule:
    if not (start >= 1 and start == int(start)):
        raise DataError(
            f"start is {start:g}; the first sample has a whole number of rows, at least 1"
        )
    if tolerance is not None and not tolerance >= 0:
        raise DataError(
            f"tolerance is {tolerance:g}; give a number >= 0, or None to use up every row"
        )
    return Schedule(int(start), step, kind, tolerance, seed)


def _folds(
    X: Any, y: ArrayLike, cv: Any, schedule: Schedule
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Training rows, in the order they are taken, and test rows of each fold."""
    from sklearn.model_selection import check_cv

    labels = np.asarray(y)
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
    rng = np.random.default_rng(schedule.seed)
    folds = [
        (rng.permutation(train), test)
        for train, test in check_cv(cv, labels, classifier=True).split(X, labels)
    ]
    least = min(len(train) for train, _ in folds)
    if schedule.start > least:
        raise DataError(
            f"the schedule starts with {schedule.start} rows and a training fold has {least}; start lower"
        )
    for fold, (train, _) in enumerate(folds):
        if len(np.unique(labels[train[: schedule.start]])) < 2:
            raise DataError(
                f"the first {schedule.start} training rows of fold {fold} have one class only; "
                "start higher"
            )
    return folds


def _fit_and_score(
    estimator: Any,
    scorer: Callable[..., float],
    X: Any,
    y: NDArray[Any],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> tuple[float, float]:
    from sklearn.base import clone

    X_train, X_test = _rows(X, train), _rows(X, test)
    fitted = clone(estimator).fit(X_train, y[train])
    return float(scorer(fitted, X_test, y[test])), float(scorer(fitted, X_train, y[train]))


def _rows(X: Any, rows: NDArray[np.intp]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else np.asarray(X)[rows]


def _settled(scores: dict[int, list[float]], tolerance: float | None) -> bool:
    if tolerance is None or len(scores) < 2:
        return False
    before, now = (float(np.mean(scores[size])) for size in list(scores)[-2:])
    return abs(now - before) <= tolerance


def _frame(scores: dict[int, list[float]]) -> pd.DataFrame:
    frame = pd.DataFrame.from_dict(scores, orient="index").rename_axis("size")
    return frame.rename_axis("fold", axis=1)
