"""What a learner answered, taken only if it can be: the data's labels, one per row, and scores of
the right shape.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np


class AnswerError(Exception):
    """A learner's answer is no prediction of the rows it was asked for."""


def labels_of(predicted: Any, rows: int, classes: Sequence[str]) -> np.ndarray:
    """Predictions as codes 0 to k - 1, one per row.

    Raises
    ------
    AnswerError
        For another shape, text, NaN, or a number that is no class of the data (-1, 0.7).
    """
    found = np.asarray(predicted)
    if found.shape == (rows, 1):
        found = found[:, 0]
    if found.shape != (rows,):
        raise AnswerError(
            f"predict gave an answer of shape {found.shape} for {rows} rows; it must give one label per row"
        )
    try:
        numbers = found.astype(float)
    except (TypeError, ValueError):
        raise AnswerError(
            f"predict answered {_one(found[0])}, which is no number; {_known(classes)}"
        ) from None
    wrong = ~np.isin(numbers, np.arange(len(classes)))
    if wrong.any():
        raise AnswerError(
            f"predict answered {_one(found[wrong][0])} for {int(wrong.sum())} of {rows} rows, which is no class "
            f"of the data; {_known(classes)}"
        )
    return numbers.astype(np.int8)


def _one(value: object) -> str:
    text = str(value)
    return f"'{text[:40]}'" if isinstance(value, str) else text


def _known(classes: Sequence[str]) -> str:
    if len(classes) == 2:
        return "a study trains on 0 and 1 (1 = positive) and takes those"
    return f"a study trains on 0 to {len(classes) - 1} and takes those"


def scores_of(estimator: Any, X: Any, classes: int) -> np.ndarray:
    """Scores of the rows, higher for positive: the decision function, else the probability of 1;
    NaN without either.

    With more classes than two, rows x classes of probabilities (or of the decision function where
    there are none).

    Raises
    ------
    AnswerError
        For a shape that is not one score per row (and class).
    """
    if classes > 2:
        return _of_classes(estimator, X, classes)
    if hasattr(estimator, "decision_function"):
        found = np.asarray(estimator.decision_function(X), dtype=float)
        if found.size != len(X):
            raise AnswerError(
                f"decision_function gave an answer of shape {found.shape} for {len(X)} rows"
            )
        return found.reshape(len(X))
    if hasattr(estimator, "predict_proba"):
        return _probabilities(estimator, X, 2)[:, 1]
    return np.full(len(X), np.nan)


def _of_classes(estimator: Any, X: Any, classes: int) -> np.ndarray:
    if hasattr(estimator, "predict_proba"):
        return _probabilities(estimator, X, classes)
    if hasattr(estimator, "decision_function"):
        found = np.asarray(estimator.decision_function(X), dtype=float)
        if found.shape == (len(X), classes) and list(estimator.classes_) == list(range(classes)):
            return found
    return np.full((len(X), classes), np.nan)


def _probabilities(estimator: Any, X: Any, classes: int) -> np.ndarray:
    """rows x classes; a class that the training rows did not have has probability 0."""
    found, known = np.asarray(estimator.predict_proba(X), dtype=float), list(estimator.classes_)
    if found.shape != (len(X), len(known)):
        raise AnswerError(
            f"predict_proba gave an answer of shape {found.shape} for {len(X)} rows and {len(known)} classes"
        )
    out = np.zeros((len(X), classes))
    for k in range(classes):
        if k in known:
            out[:, k] = found[:, known.index(k)]
    return out


def count(y: np.ndarray, predicted: np.ndarray, classes: int = 2) -> tuple[int, ...]:
    """tp, fn, fp, tn; with more classes the confusion matrix row by row, a row per true class."""
    y, predicted = np.asarray(y, dtype=int), np.asarray(predicted, dtype=int)
    if classes == 2:
        y, predicted = 1 - y, 1 - predicted
    cells = np.bincount(classes * y + predicted, minlength=classes * classes)
    return tuple(int(cell) for cell in cells)


def pack(rows: np.ndarray, y: np.ndarray, predicted: np.ndarray, scores: np.ndarray) -> bytes:
    """Rows (uint32), classes and predictions (int8) and scores (float64) one after the other,
    little-endian.
    """
    stream = io.BytesIO()
    for values, kind in ((rows, "<u4"), (y, "i1"), (predicted, "i1"), (scores, "<f8")):
        stream.write(np.ascontiguousarray(np.asarray(values).astype(kind)).tobytes())
    return stream.getvalue()


def unpack(rows: bytes, scores: int = 1) -> dict[str, np.ndarray]:
    """`Outcome.rows` as arrays: row, y_true, y_pred, score (rows x `scores` where there are several
    per row).
    """
    plain = zlib.decompress(rows)
    n = len(plain) // (6 + 8 * scores)
    ends = np.cumsum([0, 4 * n, n, n, 8 * n * scores])
    kinds = {"row": "<u4", "y_true": "i1", "y_pred": "i1", "score": "<f8"}
    found = {
        name: np.frombuffer(plain[a:b], dtype=kind)
        for (name, kind), a, b in zip(kinds.items(), ends[:-1], ends[1:], strict=True)
    }
    return found if scores == 1 else {**found, "score": found["score"].reshape(n, scores)}
