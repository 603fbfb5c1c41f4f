"""Which instances are positive, and their scores: labels of any kind, checked once and for all
functions alike.

The positive class is the one named; without a name it is 1 of {0, 1} and {-1, 1} and True of
{False, True}, as everywhere in the field. Of other labels the minority is taken, with a warning
that names it; where scores go with them it is refused, because a score speaks for one class and
nobody can see which."""

from __future__ import annotations

import logging
import warnings
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.utils.instances import (
    Array,
    check_same_index,
    count_classes,
    equals_label,
    read_true_labels,
    series_index,
)
from deabench.utils.instances import Predictions as Predictions
from deabench.utils.instances import Values as Values
from deabench.utils.instances import as_vector as one_dimensional
from deabench.utils.instances import format_labels as listed
from deabench.utils.instances import to_python_scalar as plain

logger = logging.getLogger(__name__)

CONVENTIONS = ([0, 1], [-1, 1], ["0", "1"], ["-1", "1"], ["false", "true"])
"""Pairs of labels whose second is positive by convention."""
MAX_EXACT_INTEGER = 2**53
"""The whole numbers up to here are floats."""


@dataclass(frozen=True)
class GroundTruth:
    """The true classes of the instances.

    Attributes
    ----------
    positive, negative : labels
        `negative` is None where only positives, or only negatives of unknown name, were seen.
    is_positive : bool array, instances
    note : str
        Which class is positive and why, as a sentence.
    guessed : bool
        Whether it is the minority because none was named.
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
    """The classes of `y_true`: the positive one named, or else the one of the convention, or else
    the minority.

    Parameters
    ----------
    y_true : labels of the instances, or what `against_rest` gives
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
    if isinstance(y_true, GroundTruth):
        return _given(y_true, positive)
    labels = read_true_labels(y_true)
    classes, counts = count_classes(labels)
    if len(classes) > 2:
        raise DataError(
            f"y_true holds {len(classes)} classes ({listed(classes)}); merge some, take one against the rest "
            "(metrics.against_rest) or compare them all (metrics.from_classes)"
        )
    guessed = positive is None and not _conventional(classes)
    if positive is not None:
        chosen, note = (
            _named(positive, classes),
            f"{plain(positive)!r} is the positive class, as asked",
        )
    else:
        chosen, note = _by_default(classes, counts, scores=scores)
    others = [name for name in classes if name != chosen]
    logger.info(note)
    if guessed:
        warnings.warn(
            f"{note}; name the positive class if it is another", DataWarning, stacklevel=3
        )
    return GroundTruth(
        chosen,
        others[0] if others else None,
        equals_label(labels, chosen),
        note,
        guessed,
        series_index(y_true),
    )


def two_class_truth(
    y_true: Values | GroundTruth, positive: object = None, *, scores: bool = False
) -> GroundTruth:
    """`truth` where both classes must occur, also the one that is not named.

    Parameters
    ----------
    y_true, positive, scores : as for `truth`

    Raises
    ------
    DataError
        As `truth` does, and where every instance is positive, or none.
    """
    true = ground_truth(y_true, positive, scores=scores)
    for what, share in (("positive", true.is_positive), ("negative", ~true.is_positive)):
        if not share.any():
            raise DataError(
                f"y_true holds no {what} instance ({true.positive!r} is the positive class); "
                "give instances of both classes"
            )
    return true


def against_rest(y_true: Values, positive: object) -> GroundTruth:
    """One class of several against the rest: what every function of two classes takes in the place
    of `y_true`.

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
    chosen = _named(positive, classes)
    rest = tuple(name for name in classes if name != chosen)
    note = f"{plain(positive)!r} is the positive class against the rest ({listed(rest)})"
    return GroundTruth(
        plain(positive),
        rest[0] if len(rest) == 1 else "the rest",
        equals_label(labels, chosen),
        note,
        index=series_index(y_true),
        rest=rest,
    )


def predicted_positive(y_pred: Values, true: GroundTruth, *, name: str) -> np.ndarray:
    """Which instances a classifier labels positive; a label that y_true does not know is refused."""
    labels = _one_each(y_pred, true, "prediction", f"'{name}'")
    gone = pd.isna(labels)
    if gone.any():
        raise DataError(
            f"the prediction of '{name}' for instance {int(np.argmax(gone)) + 1} is missing; give a label"
        )
    hit = equals_label(labels, true.positive)
    others = list(true.rest) or [true.negative]
    if others != [None]:
        strange = ~hit & ~np.logical_or.reduce([equals_label(labels, other) for other in others])
        if strange.any():
            where = int(np.argmax(strange))
            raise DataError(
                f"'{name}' predicts the label {plain(labels[where])!r} for instance {where + 1}; "
                f"y_true knows only {listed([*others, true.positive])}"
            )
    return hit


def read_scores(score: Values, true: GroundTruth, *, name: str | None = None) -> np.ndarray:
    """A classifier's scores, finite, one per instance; without a name it is "the classifier".

    As float64; whole numbers beyond 2⁵³ stay whole numbers, for as floats they would tie.
    """
    who = "the classifier" if name is None else f"'{name}'"
    values = _one_each(score, true, "score", who)
    numeric = pd.to_numeric(pd.Series(values), errors="coerce")
    numbers: np.ndarray = numeric.to_numpy(dtype=float, na_value=np.nan)
    bad = ~np.isfinite(numbers)
    if bad.any():
        where = int(np.argmax(bad))
        value = plain(values[where])
        said = "missing" if pd.isna(value) else repr(value)
        raise DataError(
            f"the score of {who} for instance {where + 1} is {said}; give a finite number"
        )
    if numeric.dtype.kind in "iu" and np.abs(numbers).max(initial=0.0) > MAX_EXACT_INTEGER:
        return np.asarray(numeric.to_numpy())
    return numbers


def read_weights(sample_weight: Values | None, true: GroundTruth) -> np.ndarray | None:
    """Sample weights as float64, one per instance, finite and >= 0."""
    if sample_weight is None:
        return None
    weights = pd.to_numeric(
        pd.Series(one_dimensional(sample_weight, "sample_weight")), errors="coerce"
    )
    if len(weights) != len(true.is_positive):
        raise DataError(
            f"{len(weights)} sample weights for {len(true.is_positive)} instances; give one for each"
        )
    check_same_index(sample_weight, true.index, "sample_weight")
    values: np.ndarray = weights.to_numpy(dtype=float, na_value=np.nan)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        where = int(np.argmax(bad))
        raise DataError(
            f"the sample weight of instance {where + 1} is {values[where]:g}; weights are numbers >= 0"
        )
    for what, share in (("positive", true.is_positive), ("negative", ~true.is_positive)):
        if share.any() and not values[share].any():
            raise DataError(
                f"every {what} instance has the sample weight 0; give one of them a weight > 0"
            )
    return values


def _given(true: GroundTruth, positive: object) -> GroundTruth:
    if positive is not None and positive != true.positive:
        raise DataError(
            f"positive is {plain(positive)!r} and y_true was made for {true.positive!r}; name one of them"
        )
    return true


def _one_each(values: Values, true: GroundTruth, what: str, who: str) -> Array:
    """A classifier's predictions or scores, refused where they are not one per instance, in the
    instances' order.
    """
    array = one_dimensional(values, f"the {what} of {who}")
    if len(array) != len(true.is_positive):
        raise DataError(
            f"{who} has {len(array)} {what}s and y_true has {len(true.is_positive)} instances; give one for each"
        )
    check_same_index(values, true.index, who)
    return array


def _named(positive: object, classes: list[object]) -> object:
    if len(classes) > 1 and positive not in classes:
        raise DataError(
            f"there is no class {plain(positive)!r} in y_true; its classes are {listed(classes)}"
        )
    return plain(positive)


def _conventional(classes: list[object]) -> bool:
    return [name.lower() if isinstance(name, str) else name for name in classes] in CONVENTIONS


def _by_default(classes: list[object], counts: list[int], *, scores: bool) -> tuple[object, str]:
    if len(classes) == 1:
        raise DataError(
            f"y_true holds one class only ({classes[0]!r}); give instances of both classes"
        )
    total = sum(counts)
    if _conventional(classes):
        return classes[
            1
        ], f"{classes[1]!r} is the positive class by convention, {counts[1]} of {total} instances"
    if scores:
        raise DataError(
            f"y_true holds the classes {listed(classes)} and a score speaks for one of them; "
            "name the positive class"
        )
    if counts[0] == counts[1]:
        raise DataError(
            f"the classes {listed(classes)} have {counts[0]} instances each, so neither is the minority; "
            "name the positive class"
        )
    rare = int(np.argmin(counts))
    return classes[
        rare
    ], f"{classes[rare]!r} is the positive class: the minority, {counts[rare]} of {total} instances"
