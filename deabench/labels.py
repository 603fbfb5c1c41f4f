"""Which instances are positive, and their scores: labels of any kind, checked once and for all functions alike.

Every message counts the instances from 1.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from deabench.errors import DataError

Values: TypeAlias = ArrayLike | Iterable[object]
"""One value per instance: a list, an array, a Series, categories."""
Predictions: TypeAlias = Mapping[str, Values] | pd.DataFrame
"""{name: one value per instance}; a DataFrame has a column per classifier. Values are matched by position."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Truth:
    """The true classes of the instances.

    Attributes
    ----------
    positive, negative : labels
        `negative` is None where only positives, or only negatives of unknown name, were seen.
    is_positive : bool array, instances
    note : str
        Which class is positive and why, as a sentence.
    """

    positive: object
    negative: object
    is_positive: np.ndarray
    note: str


def truth(y_true: Values, positive: object = None) -> Truth:
    """The classes of `y_true`: the positive one named, or else the minority.

    Parameters
    ----------
    y_true : labels of the instances
        Numbers, text or booleans; two classes, or one where `positive` is named.
    positive : label, optional
        The positive class. By default the rarer class; where both are equally frequent, 1 of {0, 1} or {-1, 1} and
        True of {False, True}.

    Raises
    ------
    DataError
        No instances, a missing label, one class only, three classes and more, an unknown positive label, or two
        equally frequent classes neither of which is named.
    """
    labels = one_dimensional(y_true, "y_true")
    if not len(labels):
        raise DataError("y_true is empty; give at least one instance of each class")
    gone = pd.isna(labels)
    if gone.any():
        raise DataError(f"y_true is missing for instance {int(np.argmax(gone)) + 1}; leave the instance out")
    classes, counts = _classes(labels)
    if len(classes) > 2:
        raise DataError(
            f"y_true holds {len(classes)} classes ({listed(classes)}); deabench compares classifiers of two classes, "
            "merge some or compare one against the rest"
        )
    if positive is None:
        chosen, note = _minority(classes, counts)
    else:
        chosen, note = _named(positive, classes), f"{plain(positive)!r} is the positive class, as asked"
    others = [name for name in classes if name != chosen]
    logger.info(note)
    return Truth(chosen, others[0] if others else None, _equal(labels, chosen), note)


def two_classes(y_true: Values, positive: object = None) -> Truth:
    """`truth` where both classes must occur, also the one that is not named.

    Parameters
    ----------
    y_true, positive : as for `truth`

    Raises
    ------
    DataError
        As `truth` does, and where every instance is positive, or none.
    """
    true = truth(y_true, positive)
    for what, share in (("positive", true.is_positive), ("negative", ~true.is_positive)):
        if not share.any():
            raise DataError(f"y_true holds no {what} instance ({true.positive!r} is the positive class); "
                            "give instances of both classes")
    return true


def predicted_positive(y_pred: Values, true: Truth, *, name: str) -> np.ndarray:
    """Which instances a classifier labels positive; a label that y_true does not know is refused."""
    labels = _one_each(y_pred, true, "prediction", f"'{name}'")
    gone = pd.isna(labels)
    if gone.any():
        raise DataError(f"the prediction of '{name}' for instance {int(np.argmax(gone)) + 1} is missing; give a label")
    hit = _equal(labels, true.positive)
    if true.negative is not None:
        strange = ~hit & ~_equal(labels, true.negative)
        if strange.any():
            where = int(np.argmax(strange))
            raise DataError(
                f"'{name}' predicts the label {plain(labels[where])!r} for instance {where + 1}; "
                f"y_true knows only {listed([true.negative, true.positive])}"
            )
    return hit


def scores_of(score: Values, true: Truth, *, name: str | None = None) -> np.ndarray:
    """A classifier's scores as finite float64, one per instance; without a name it is "the classifier"."""
    who = "the classifier" if name is None else f"'{name}'"
    values = _one_each(score, true, "score", who)
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    bad = ~np.isfinite(numbers)
    if bad.any():
        where = int(np.argmax(bad))
        value = plain(values[where])
        said = "missing" if pd.isna(value) else repr(value)
        raise DataError(f"the score of {who} for instance {where + 1} is {said}; give a finite number")
    return numbers


def weights_of(sample_weight: Values | None, true: Truth) -> np.ndarray | None:
    """Sample weights as float64, one per instance, finite and >= 0."""
    if sample_weight is None:
        return None
    weights = pd.to_numeric(pd.Series(one_dimensional(sample_weight, "sample_weight")), errors="coerce")
    if len(weights) != len(true.is_positive):
        raise DataError(f"{len(weights)} sample weights for {len(true.is_positive)} instances; give one for each")
    values = weights.to_numpy(dtype=float, na_value=np.nan)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        where = int(np.argmax(bad))
        raise DataError(f"the sample weight of instance {where + 1} is {values[where]:g}; weights are numbers >= 0")
    for what, share in (("positive", true.is_positive), ("negative", ~true.is_positive)):
        if share.any() and not values[share].any():
            raise DataError(f"every {what} instance has the sample weight 0; give one of them a weight > 0")
    return values


def named(predictions: Predictions) -> dict[str, Values]:
    """{name: predictions} from a mapping or from a frame with a column per classifier."""
    if not isinstance(predictions, Mapping | pd.DataFrame):
        raise DataError(
            f"the predictions are a {type(predictions).__name__}; give {{name: predictions}} or a DataFrame, "
            "a column per classifier"
        )
    pairs = {str(name): values for name, values in predictions.items()}
    if not pairs:
        raise DataError("there is no classifier; give {name: predictions} with at least one name")
    return pairs


def one_dimensional(values: Values, what: str) -> np.ndarray:
    """The values as an array of one dimension."""
    array = values.to_numpy() if isinstance(values, pd.Series | pd.Index) else np.asarray(values)
    if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)  # a NaN among text stays a gap and is not the text 'nan'
    if array.ndim != 1:
        raise DataError(f"{what} has {array.ndim} dimensions; give one value per instance")
    return array


def plain(label: object) -> object:
    """A numpy scalar as Python's own, so that 1 is said and not np.int64(1)."""
    return label.item() if hasattr(label, "item") else label


def listed(labels: Iterable[object]) -> str:
    """The first labels in words."""
    names = [repr(plain(name)) for name in labels]
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def _one_each(values: Values, true: Truth, what: str, who: str) -> np.ndarray:
    """A classifier's predictions or scores, refused where they are not one per instance."""
    array = one_dimensional(values, f"the {what} of {who}")
    if len(array) != len(true.is_positive):
        raise DataError(
            f"{who} has {len(array)} {what}s and y_true has {len(true.is_positive)} instances; give one for each"
        )
    return array


def _equal(labels: np.ndarray, label: object) -> np.ndarray:
    """Which labels equal the one given; text and numbers never do."""
    alike = labels.dtype.kind in "biuf" and isinstance(label, bool | int | float)
    return np.asarray((labels if alike else labels.astype(object)) == label, dtype=bool)


def _classes(labels: np.ndarray) -> tuple[list[object], list[int]]:
    counts = pd.Series(labels).value_counts(sort=False)
    pairs = sorted(zip(map(plain, counts.index), counts, strict=True), key=lambda pair: (str(type(pair[0])), pair[0]))
    return [name for name, _ in pairs], [int(count) for _, count in pairs]


def _named(positive: object, classes: list[object]) -> object:
    if len(classes) == 2 and positive not in classes:
        raise DataError(f"there is no class {plain(positive)!r} in y_true; its classes are {listed(classes)}")
    return plain(positive)


def _minority(classes: list[object], counts: list[int]) -> tuple[object, str]:
    if len(classes) == 1:
        raise DataError(f"y_true holds one class only ({classes[0]!r}); give instances of both classes")
    total = sum(counts)
    if counts[0] == counts[1]:
        if classes in ([0, 1], [-1, 1]):
            return classes[1], f"{classes[1]!r} is the positive class: both have {counts[1]} of {total} instances"
        raise DataError(
            f"the classes {listed(classes)} have {counts[0]} instances each, so neither is the minority; "
            "name the positive class"
        )
    rare = int(np.argmin(counts))
    return classes[rare], f"{classes[rare]!r} is the positive class: the minority, {counts[rare]} of {total} instances"
