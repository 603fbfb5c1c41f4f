"""That the parts of a result belong together: each has the labels of the same DMUs and metrics, in
the same order.

Field by field of the dataclass, so that a new one is held without being named here.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import CertificateError, DataError
from deabench.proofs.ranking import count_uncovered
from deabench.results.model import Model
from deabench.results.proof import Proof, SlackWeights
from deabench.tables.transforms import Data
from deabench.utils.arrays import Sparse

OWN_INDEX = ("infeasibility_certificates", "slopes")
"""Frames with a row for some of the DMUs only."""
REFERENCE_INDEX = ("multiples",)
"""Series with a number for each DMU of the reference."""
UNPROVED_FIELDS = ("path", "notes", "transforms", "options")
"""Fields that no proof is about: the model's name and words, how it was solved, notes, how metrics
were turned before the gate; of the options, those that the model's proof does not ask for.
"""


def check_parts(result: Any, labels: pd.Index, columns: dict[str, list[list[str]]]) -> None:
    """Refuse a result whose parts have other labels than the DMUs `labels`, or other columns than
    `columns` allows.

    Raises
    ------
    CertificateError
        The part, and what is wrong with it.
    """
    if labels.has_duplicates:
        raise CertificateError("a label is there twice; the result does not hold")
    for field in fields(result):
        value = getattr(result, field.name)
        if field.name in REFERENCE_INDEX:
            continue
        wrong = _wrong(field.name, value, labels, columns.get(field.name))
        if wrong:
            raise CertificateError(f"'{field.name}' {wrong}; the result does not hold")


def _wrong(name: str, value: object, labels: pd.Index, columns: list[list[str]] | None) -> str:
    """What is wrong with a part; empty where nothing is."""
    if isinstance(value, pd.Series | pd.DataFrame):
        if not (
            value.index.isin(labels).all() if name in OWN_INDEX else value.index.equals(labels)
        ):
            return "has other labels than the data"
        if columns is not None and list(value.columns) not in columns:
            return "has other columns than the metrics"
    if isinstance(value, Data):
        return _wrong_data(value, labels if name == "data" else None)
    if isinstance(value, Sparse):
        if value.columns.shape != value.values.shape or len(value.columns) != len(labels):
            return "is not a row for each DMU"
        if not ((value.columns >= 0) | ((value.columns == -1) & (value.values == 0))).all():
            return "has a share of nobody"
    if isinstance(value, SlackWeights) and (
        value.of.shape != (len(labels),)
        or not ((value.of >= -2) & (value.of < len(value.rows))).all()
    ):
        return "is not a row for each DMU"
    return ""


def _wrong_data(data: Data, labels: pd.Index | None) -> str:
    if not data.inputs.index.equals(data.outputs.index) or (
        labels is not None and not data.outputs.index.equals(labels)
    ):
        return "has other labels than the scores"
    both = [*data.outputs.columns, *data.inputs.columns]
    return "has a metric twice" if len(set(both)) < len(both) else ""


def check_targets(result: Any) -> None:
    """Refuse Targets whose parts do not belong together.

    Raises
    ------
    CertificateError
        The part, and what is wrong with it.
    """
    names = [list(result.frontier.data.outputs.columns)]
    frames = dict.fromkeys(("targets", "gaps", "normals", "slopes", "actual"), names)
    check_parts(
        result, result.actual.index, {**frames, "intensities": [list(result.frontier.vertices)]}
    )
    check_frontier(result.frontier)
    free = result.frontier.technology == "fdh"
    times = result.multiples
    for what, wrong in (
        ("'weights' are of other metrics", list(result.weights) != names[0]),
        ("'norm' is not known", result.norm not in ("l1", "l2", "linf")),
        ("'on' is not known", result.on not in (("classifiers",) if free else ("faces", "facets"))),
        (
            "'method' is not known",
            result.method not in (("comparison",) if free else ("faces", "milp")),
        ),
        (
            "'multiples' has other labels than the frontier",
            times is not None and not times.index.equals(result.frontier.data.outputs.index),
        ),
        (
            "'reasons' name a DMU that is not there",
            not set(result.reasons) <= set(result.actual.index),
        ),
    ):
        if wrong:
            raise CertificateError(f"{what}; the result does not hold")


def check_frontier(front: Any) -> None:
    """Refuse a Frontier whose parts do not belong together.

    Raises
    ------
    CertificateError
        The part, and what is wrong with it.
    """
    labels = front.data.outputs.index
    check_parts(front, labels, {})
    s, hull = front.data.outputs.shape[1], front.precomputed_hull
    for what, wrong in (
        (
            "'origin' or 'unit' is not a number for each metric",
            front.origin.shape != (s,) or front.unit.shape != (s,),
        ),
        ("'technology' is not known", front.technology not in ("convex", "fdh")),
        ("'dominator' is not a row for each DMU", front.dominator.shape != (len(labels),)),
        (
            "'vertices' or 'extreme' name a DMU that is not there",
            not set(front.vertices) | set(front.extreme) <= set(labels),
        ),
        (
            "'vertices' or 'extreme' are not in the table's order",
            any(
                (np.diff(labels.get_indexer(named)) <= 0).any()
                for named in (front.vertices, front.extreme)
            ),
        ),
        (
            "'precomputed_hull' has arrays of other sizes",
            hull is not None and not _fits(hull, len(front.undominated), s),
        ),
    ):
        if wrong:
            raise CertificateError(f"{what}; the result does not hold")


def _fits(hull: Any, n: int, s: int) -> bool:
    inside = hull.rows.size and hull.rows.min() >= 0 and hull.rows.max() < n
    facets, points = len(hull.normals), len(hull.rows)
    return bool(
        inside
        and hull.points.shape == (points, s)
        and hull.normals.shape == (facets, s)
        and hull.members.shape == (len(hull.facet), s)
        and hull.incidence.shape == (facets, points)
    )


def check_ranking(result: Any) -> None:
    """Refuse a Ranking whose parts do not belong together.

    Raises
    ------
    CertificateError
        The part, and what is wrong with it.
    """
    data, reference = result.data, result.reference
    names = [*data.outputs.columns, *data.inputs.columns]
    check_parts(
        result,
        data.outputs.index,
        {
            "slacks": [names],
            "weights": [names, [*names, "u_0"], []],
            "infeasibility_certificates": [names],
        },
    )
    n = len(reference.outputs)
    listed = np.asarray(result.frontier)
    unknown = (result.intensities.columns >= n).any() or not ((listed >= 0) & (listed < n)).all()
    for what, wrong in (
        (
            "'reasons' name a DMU that is not there",
            not all(label in data.outputs.index for label in result.reasons),
        ),
        (
            "'reference' has other metrics than the data",
            [*reference.outputs.columns, *reference.inputs.columns] != names
            or reference.outputs.shape[1] != data.outputs.shape[1],
        ),
        ("'intensities' or 'frontier' name a reference DMU that is not there", unknown),
        ("'frontier' names a reference DMU twice", len(np.unique(listed)) < len(listed)),
        ("'efficient' is not true or false", result.efficient.dtype != bool),
        ("'options' has a word that the model does not know", not _has_known_words(result.options)),
    ):
        if wrong:
            raise CertificateError(f"{what}; the result does not hold")


def require_table(
    result: Any, name: str, *, rows: pd.Index | None = None, columns: object = None
) -> pd.DataFrame:
    """A ranking's table with the rows and columns that it is to have.

    Raises
    ------
    CertificateError
        Where it is not there, or has others.
    """
    found = result.tables.get(name)
    if not (
        isinstance(found, pd.DataFrame)
        and (rows is None or found.index.equals(rows))
        and (columns is None or list(found.columns) == list(columns))  # type: ignore[call-overload]
    ):
        raise CertificateError(
            f"the table '{name}' is not there, or of other DMUs than the data; the result does not hold"
        )
    return found


def complete_proof(result: Any, proof: Proof) -> Proof:
    """A ranking's proof with what holds for every model, and with what none claims."""
    misses, said = dict(proof.violations), list(proof.unclaimed)
    if result.own_reference:
        misses["row_of_the_reference_that_it_is"] = _elsewhere(result.data, result.reference)
    misses.setdefault(
        "reference_DMUs_that_no_listed_one_dominates",
        np.full(len(result.scores), float(count_uncovered(result))),
    )
    said += [f"the tables beside the scores: {', '.join(result.tables)}"] * bool(result.tables)
    if "reason" not in misses:
        none = np.isnan(result.scores.to_numpy())
        misses["reason"] = (
            none != np.asarray(result.scores.index.isin(list(result.reasons)))
        ).astype(float)
        said += [f"that {int(none.sum())} DMUs have no score, and why"] * bool(none.any())
    said += ["the bounds over the completions of empty cells"] * (result.bounds is not None)
    said += ["how sure the scores are: the samples' word"] * (result.uncertainty is not None)
    return replace(proof, violations=misses, unclaimed=tuple(said))


def _elsewhere(data: Data, reference: Data) -> np.ndarray:
    """1 for a DMU that is not the reference DMU of its place."""
    if not data.outputs.index.equals(reference.outputs.index):
        return np.ones(len(data.outputs))
    if data.outputs is reference.outputs and data.inputs is reference.inputs:
        return np.zeros(len(data.outputs))
    same = (data.outputs.to_numpy() == reference.outputs.to_numpy()).all(axis=1)
    return np.asarray(
        ~(same & (data.inputs.to_numpy() == reference.inputs.to_numpy()).all(axis=1))
    ).astype(float)


def _has_known_words(options: Model) -> bool:
    """Return whether a model knows the words of its options; it refuses others when it is made."""
    try:
        replace(options)
    except DataError:
        return False
    return True
