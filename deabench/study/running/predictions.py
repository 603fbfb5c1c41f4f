"""Predictions of a fold: check them, count them, pack them for the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deabench.utils.files import one_line


class PredictionError(Exception):
    """A learner's output is no prediction of the rows that it was given."""


def check_labels(predicted: Any, rows: int, classes: Sequence[str]) -> np.ndarray:
    """Return predictions as codes 0 to k - 1, one per row.

    Raises
    ------
    PredictionError
        For another shape, text, NaN, or a number that is no class of the data (-1, 0.7).
    """
    # one label per row; a column of labels is accepted
    labels = np.asarray(predicted)
    if labels.shape == (rows, 1):
        labels = labels[:, 0]
    if labels.shape != (rows,):
        raise PredictionError(
            f"predict gave an answer of shape {labels.shape} for {rows} rows; it must give one "
            "label per row"
        )
    if len(classes) == 2:
        remedy = "a study trains on 0 and 1 (1 = positive) and takes those"
    else:
        remedy = f"a study trains on 0 to {len(classes) - 1} and takes those"
    try:
        codes = labels.astype(float)
    except (TypeError, ValueError):
        raise PredictionError(
            f"predict answered {_format_label(labels[0])}, which is no number; {remedy}"
        ) from None
    # the codes of the classes, and nothing between them
    wrong = ~np.isin(codes, np.arange(len(classes)))
    if wrong.any():
        raise PredictionError(
            f"predict answered {_format_label(labels[wrong][0])} for {int(wrong.sum())} of {rows} "
            f"rows, which is no class of the data; {remedy}"
        )
    return codes.astype(np.int8)


def _format_label(value: object) -> str:
    if isinstance(value, str):
        return f"'{value[:40]}'"
    return str(value)


def predict_scores(estimator: Any, X: Any, classes: int) -> np.ndarray:
    """Return scores of the rows, higher for positive, NaN for a classifier without any.

    The decision function, else the probability of 1. With more classes than two, rows x classes of
    probabilities (or of the decision function where there are none). `predict_probabilities` gives
    the probabilities that a decision function of two classes leaves out.

    Raises
    ------
    PredictionError
        For a shape that is not one score per row (and class).
    """
    if classes > 2:
        if hasattr(estimator, "predict_proba"):
            return _class_probabilities(estimator, X, classes)
        if hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(X), dtype=float)
            matches = scores.shape == (len(X), classes)
            if matches and list(estimator.classes_) == list(range(classes)):
                return scores
        return np.full((len(X), classes), np.nan)
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), dtype=float)
        if scores.size != len(X):
            raise PredictionError(
                f"decision_function gave an answer of shape {scores.shape} for {len(X)} rows"
            )
        return scores.reshape(len(X))
    if hasattr(estimator, "predict_proba"):
        return _class_probabilities(estimator, X, 2)[:, 1]
    return np.full(len(X), np.nan)


def predict_probabilities(estimator: Any, X: Any) -> tuple[np.ndarray, str]:
    """Return the probability of 1 of each row beside a decision function, and why there is none.

    The decision values are enough for all metrics but those of probabilities: an error of
    `predict_proba` costs the probabilities alone, which are NaN then.
    """
    if not hasattr(estimator, "predict_proba"):
        return np.full(len(X), np.nan), ""
    try:
        return _class_probabilities(estimator, X, 2)[:, 1], ""
    except Exception as error:
        return np.full(len(X), np.nan), f"{type(error).__name__}: {one_line(error)}"


def _class_probabilities(estimator: Any, X: Any, classes: int) -> np.ndarray:
    """Return rows x classes; a class that the training rows did not have has probability 0."""
    predicted = np.asarray(estimator.predict_proba(X), dtype=float)
    trained = list(estimator.classes_)
    if predicted.shape != (len(X), len(trained)):
        raise PredictionError(
            f"predict_proba gave an answer of shape {predicted.shape} for {len(X)} rows and "
            f"{len(trained)} classes"
        )
    probabilities = np.zeros((len(X), classes))
    for code in range(classes):
        if code in trained:
            probabilities[:, code] = predicted[:, trained.index(code)]
    return probabilities


def count_confusion(y: np.ndarray, predicted: np.ndarray, classes: int = 2) -> tuple[int, ...]:
    """Return tp, fn, fp, tn; with more classes the confusion matrix, a row per true class."""
    y = np.asarray(y, dtype=int)
    predicted = np.asarray(predicted, dtype=int)
    if classes == 2:  # the positive class first
        y = 1 - y
        predicted = 1 - predicted
    cells = np.bincount(classes * y + predicted, minlength=classes * classes)
    return tuple(int(cell) for cell in cells)


def pack_predictions(
    rows: np.ndarray, y: np.ndarray, predicted: np.ndarray, scores: np.ndarray
) -> bytes:
    """Return rows (uint32), classes and predictions (int8), scores (float64), little-endian.

    Scores of two classes are probabilities of 1, or rows x 2: decision values and probabilities.
    """
    arrays = ((rows, "<u4"), (y, "i1"), (predicted, "i1"), (scores, "<f8"))
    return b"".join(
        np.ascontiguousarray(np.asarray(values).astype(kind)).tobytes() for values, kind in arrays
    )


def unpack_predictions(content: bytes, scores: int = 1) -> dict[str, np.ndarray]:
    """Return the decompressed `Outcome.rows` as arrays: row, y_true, y_pred, score.

    Of two classes (1 or 2 `scores` per row) there is `probability` too, NaN for a classifier that
    has none; of more classes `score` is rows x `scores`.
    """
    # bytes of a row: 4 + 1 + 1, and 8 for each score
    count = len(content) // (6 + 8 * scores)
    sizes = {"row": 4 * count, "y_true": count, "y_pred": count, "score": 8 * count * scores}
    kinds = {"row": "<u4", "y_true": "i1", "y_pred": "i1", "score": "<f8"}
    arrays = {}
    start = 0
    for name, size in sizes.items():
        arrays[name] = np.frombuffer(content[start : start + size], dtype=kinds[name])
        start += size
    if scores == 1:
        arrays["probability"] = arrays["score"]
        return arrays
    columns = arrays["score"].reshape(count, scores)
    if scores == 2:
        return arrays | {"score": columns[:, 0], "probability": columns[:, 1]}
    return arrays | {"score": columns}
