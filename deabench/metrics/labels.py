"""Decide which instances are positive, and read labels and scores for them.

The positive class is the one that the user names; by default it is 1 of {0, 1} and {-1, 1} and True
of {False, True}, as everywhere in the field. Of other labels the minority is taken, with a warning
that names it. Where scores go with such labels they are refused, because a score speaks for one
class and the data do not tell which.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from deabench.errors import DataError, warn_data
from deabench.utils.instances import (
    Array,
    Values,
    as_vector,
    check_same_index,
    count_classes,
    equals_label,
    format_labels,
    read_true_labels,
    series_index,
    to_python_scalar,
)

logger = logging.getLogger(__name__)

CONVENTIONS = ([0, 1], [-1, 1], ["0", "1"], ["-1", "1"], ["false", "true"])
"""Pairs of labels whose second is positive by convention."""
MAX_EXACT_INTEGER = 2**53
"""Whole numbers up to here are represented exactly as floats."""


@dataclass(frozen=True)
class GroundTruth:
    """The true classes of the instances.

    Attributes
    ----------
    positive, negative : labels
        `negative` is None where only positives, or only negatives of unknown name, occur.
    is_positive : bool array, instances
    note : str
        Which class is positive and why, as a sentence.
    guessed : bool
        Whether it is the minority because the user named none.
    index : Index or None
        Of the Series that the labels came in.
    rest : tuple of labels
        The classes that make the negative one together; empty for two classes.
    """

    positive: object
    negative: object
    is_positive: np.ndarray
    note: str
    guessed: bool = False
    index: pd.Index | None = field(default=None, repr=False)
    rest: tuple[object, ...] = ()


def ground_truth(
    y_true: Values | GroundTruth, positive: object = None, *, scores: bool = False
) -> GroundTruth:
    """Return the true classes, with the positive class named, by convention, or the minority.

    Parameters
    ----------
    y_true : labels of the instances, or the result of `against_rest`
        Numbers, text or booleans; two classes, or one where `positive` is named.
    positive : label, optional
        The positive class. By default 1 of {0, 1} or {-1, 1} and True of {False, True}, also as
        text; of other labels the rarer one.
    scores : bool
        Whether scores go with the labels: then the rarer one is no default.

    Raises
    ------
    DataError
        No instances, a missing label, one class only, three classes and more, an unknown positive
        label, no positive label where one is needed.

    Warns
    -----
    DataWarning
        Where the rarer class is taken.
    """
    # A ground truth that was read before keeps its classes.
    if isinstance(y_true, GroundTruth):
        return _check_positive_of(y_true, positive)
    labels = read_true_labels(y_true)
    classes, counts = count_classes(labels)
    if len(classes) > 2:
        raise DataError(
            f"y_true holds {len(classes)} classes ({format_labels(classes)}); merge some, take one "
            "against the rest (metrics.against_rest) or compare them all (metrics.from_classes)"
        )
    if positive is None:
        positive_class, note = _default_positive(classes, counts, scores=scores)
    else:
        positive_class = _check_class(positive, classes)
        note = f"{to_python_scalar(positive)!r} is the positive class, as asked"
    is_guessed = positive is None and not _is_conventional(classes)
    logger.info(note)
    if is_guessed:
        warn_data(f"{note}; name the positive class if it is another")
    # With one class in the data the name of the other is not known.
    negative_classes = [label for label in classes if label != positive_class]
    return GroundTruth(
        positive_class,
        negative_classes[0] if negative_classes else None,
        equals_label(labels, positive_class),
        note,
        is_guessed,
        series_index(y_true),
    )


def two_class_truth(
    y_true: Values | GroundTruth, positive: object = None, *, scores: bool = False
) -> GroundTruth:
    """Return the ground truth where both classes must occur.

    Parameters
    ----------
    y_true, positive, scores : as for `ground_truth`

    Raises
    ------
    DataError
        As `ground_truth` does, and where every instance is positive, or none.
    """
    true = ground_truth(y_true, positive, scores=scores)
    # Both classes must occur, also the one that was not named.
    for noun, members in _members_by_class(true):
        if not members.any():
            raise DataError(
                f"y_true holds no {noun} instance ({true.positive!r} is the positive class); "
                "give instances of both classes"
            )
    return true


def against_rest(y_true: Values, positive: object) -> GroundTruth:
    """Take one class of several against the rest.

    Every function of two classes accepts the result as `y_true`.

    Parameters
    ----------
    y_true : labels of the instances
        Two classes or more.
    positive : label
        One of them.

    Examples
    --------
    >>> one = against_rest(["a", "b", "c", "a"], "a")
    >>> one.note, one.is_positive.tolist()
    ("'a' is the positive class against the rest ('b', 'c')", [True, False, False, True])
    """
    labels = read_true_labels(y_true)
    classes, _ = count_classes(labels)
    if len(classes) < 2:
        raise DataError(
            f"y_true holds one class only ({classes[0]!r}); give instances of both classes"
        )
    positive_class = _check_class(positive, classes)
    rest = tuple(label for label in classes if label != positive_class)
    note = f"{positive_class!r} is the positive class against the rest ({format_labels(rest)})"
    return GroundTruth(
        positive_class,
        rest[0] if len(rest) == 1 else "the rest",
        equals_label(labels, positive_class),
        note,
        index=series_index(y_true),
        rest=rest,
    )


def predicted_positive(y_pred: Values, true: GroundTruth, *, name: str) -> np.ndarray:
    """Return which instances a classifier labels positive; refuse labels that y_true lacks."""
    labels = _read_one_each(y_pred, true, "prediction", f"'{name}'")
    missing = pd.isna(labels)
    if missing.any():
        raise DataError(
            f"the prediction of '{name}' for instance {int(np.argmax(missing)) + 1} is missing; "
            "give a label"
        )
    is_positive = equals_label(labels, true.positive)
    # After `against_rest` several labels are negative.
    negative_classes = list(true.rest) or [true.negative]
    # Where y_true holds one class only, any other label counts as the negative one.
    if negative_classes != [None]:
        # Every label is either the positive one or one of the negative ones.
        is_known = is_positive.copy()
        for label in negative_classes:
            is_known |= equals_label(labels, label)
        if not is_known.all():
            row = int(np.argmin(is_known))
            raise DataError(
                f"'{name}' predicts the label {to_python_scalar(labels[row])!r} for instance "
                f"{row + 1}; y_true knows only {format_labels([*negative_classes, true.positive])}"
            )
    return is_positive


def read_scores(score: Values, true: GroundTruth, *, name: str | None = None) -> np.ndarray:
    """Return a classifier's scores, finite, one per instance.

    As float64; whole numbers beyond 2⁵³ stay whole numbers, because as floats they would tie.

    Parameters
    ----------
    name : str, optional
        Without a name messages say "the classifier".
    """
    owner = "the classifier" if name is None else f"'{name}'"
    values = _read_one_each(score, true, "score", owner)
    # Text becomes NaN and is refused with the missing ones.
    numeric = pd.to_numeric(pd.Series(values), errors="coerce")
    numbers: np.ndarray = numeric.to_numpy(dtype=float, na_value=np.nan)
    invalid = ~np.isfinite(numbers)
    if invalid.any():
        row = int(np.argmax(invalid))
        value = to_python_scalar(values[row])
        description = "missing" if pd.isna(value) else repr(value)
        raise DataError(
            f"the score of {owner} for instance {row + 1} is {description}; give a finite number"
        )
    # As floats large whole numbers would tie.
    is_whole = numeric.dtype.kind in "iu"
    if is_whole and np.abs(numbers).max(initial=0.0) >= MAX_EXACT_INTEGER:
        return np.asarray(numeric.to_numpy())
    return numbers


def read_weights(sample_weight: Values | None, true: GroundTruth) -> np.ndarray | None:
    """Return sample weights as float64, one per instance, some in each class above 0."""
    if sample_weight is None:
        return None
    weights = read_weight_column(sample_weight, len(true.is_positive), true.index)
    for noun, members in _members_by_class(true):
        if members.any() and not weights[members].any():
            raise DataError(
                f"every {noun} instance has the sample weight 0; give one of them a weight > 0"
            )
    return weights


def read_weight_column(sample_weight: Values, n: int, index: pd.Index | None) -> np.ndarray:
    """Return sample weights as float64, one per instance, finite and >= 0."""
    # An index is checked below; the values are taken by position.
    column = pd.Series(as_vector(sample_weight, "sample_weight"))
    if len(column) != n:
        raise DataError(f"{len(column)} sample weights for {n} instances; give one for each")
    check_same_index(sample_weight, index, "sample_weight")
    # Text becomes NaN and is refused with the missing ones.
    weights: np.ndarray = pd.to_numeric(column, errors="coerce").to_numpy(
        dtype=float, na_value=np.nan
    )
    invalid = ~(np.isfinite(weights) & (weights >= 0))
    if invalid.any():
        row = int(np.argmax(invalid))
        raise DataError(
            f"the sample weight of instance {row + 1} is {weights[row]:g}; weights are numbers >= 0"
        )
    return weights


def _members_by_class(true: GroundTruth) -> list[tuple[str, np.ndarray]]:
    return [("positive", true.is_positive), ("negative", ~true.is_positive)]


def _check_positive_of(true: GroundTruth, positive: object) -> GroundTruth:
    if positive is not None and positive != true.positive:
        raise DataError(
            f"positive is {to_python_scalar(positive)!r} and y_true was made for "
            f"{true.positive!r}; name one of them"
        )
    return true


def _read_one_each(values: Values, true: GroundTruth, noun: str, owner: str) -> Array:
    """Return predictions or scores in the instances' order, one per instance."""
    array = as_vector(values, f"the {noun} of {owner}")
    n = len(true.is_positive)
    if len(array) != n:
        raise DataError(
            f"{owner} has {len(array)} {noun}s and y_true has {n} instances; give one for each"
        )
    check_same_index(values, true.index, owner)
    return array


def _check_class(positive: object, classes: list[object]) -> object:
    """Return the positive label as a Python value; with one class only, it may be another."""
    if len(classes) > 1 and positive not in classes:
        raise DataError(
            f"there is no class {to_python_scalar(positive)!r} in y_true; its classes are "
            f"{format_labels(classes)}"
        )
    return to_python_scalar(positive)


def _is_conventional(classes: list[object]) -> bool:
    # Text is compared in lower case: "True" is conventional, too.
    lowered = [label.lower() if isinstance(label, str) else label for label in classes]
    return lowered in CONVENTIONS


def _default_positive(
    classes: list[object], counts: list[int], *, scores: bool
) -> tuple[object, str]:
    """Return the positive class by convention or as the minority, and the reason."""
    if len(classes) == 1:
        raise DataError(
            f"y_true holds one class only ({classes[0]!r}); give instances of both classes"
        )
    total = sum(counts)
    if _is_conventional(classes):
        return classes[1], (
            f"{classes[1]!r} is the positive class by convention, {counts[1]} of {total} instances"
        )
    if scores:
        raise DataError(
            f"y_true holds the classes {format_labels(classes)} and a score speaks for one of "
            "them; name the positive class"
        )
    if counts[0] == counts[1]:
        raise DataError(
            f"the classes {format_labels(classes)} have {counts[0]} instances each, so neither is "
            "the minority; name the positive class"
        )
    # The class of interest is usually the rare one.
    rarer = int(np.argmin(counts))
    return classes[rarer], (
        f"{classes[rarer]!r} is the positive class: the minority, {counts[rarer]} of {total} "
        "instances"
    )
