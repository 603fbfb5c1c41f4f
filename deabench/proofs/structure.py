"""Check that the parts of a result belong together: the same DMUs and metrics, in the same order.

Field by field of the dataclass, so that a new field is checked without being named here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import CertificateError, DataError
from deabench.proofs.ranking import NO_PROOF, count_uncovered
from deabench.results.answer import NOT_COMPUTED
from deabench.results.model import Model
from deabench.results.proof import Proof, SlackWeights
from deabench.tables.transforms import Data
from deabench.utils.arrays import Sparse

OWN_INDEX = ("infeasibility_certificates", "slopes")
"""Frames with a row for some of the DMUs only."""
NUMBERS = ("scores", "slacks", "weights", "infeasibility_certificates", "distance", "slopes")
"""Parts of real numbers: others compare as nothing else does, or lose a part of themselves."""
REFERENCE_INDEX = ("multiples",)
"""Series with a number for each DMU of the reference."""


def check_parts(result: Any, labels: pd.Index, columns: dict[str, list[list[str]]]) -> None:
    """Check that the parts of a result have these labels, and the columns that `columns` allows.

    Raises
    ------
    CertificateError
        The part, and what is wrong with it.
    """
    if labels.has_duplicates:
        raise CertificateError("two rows have the same label; compute the result again")
    for field in fields(result):
        value = getattr(result, field.name)
        if field.name in REFERENCE_INDEX:
            continue
        fault = _describe_fault(field.name, value, labels, columns.get(field.name))
        if fault:
            raise CertificateError(f"'{field.name}' {fault}; compute the result again")


def _refuse_first(faults: Sequence[tuple[str, bool]]) -> None:
    """Raise the first sentence that applies."""
    for sentence, applies in faults:
        if applies:
            raise CertificateError(f"{sentence}; compute the result again")


def _describe_fault(
    name: str, value: object, labels: pd.Index, columns: list[list[str]] | None
) -> str:
    """Return what is wrong with a part; empty where nothing is."""
    if isinstance(value, pd.Series | pd.DataFrame):
        is_subset = name in OWN_INDEX and value.index.isin(labels).all()
        if not is_subset and not value.index.equals(labels):
            return "has other labels than the data"
        if columns is not None and list(value.columns) not in columns:
            return "has other columns than the metrics"
        dtypes = value.dtypes if isinstance(value, pd.DataFrame) else [value.dtype]
        if (name in NUMBERS or columns is not None) and any(t.kind not in "fiu" for t in dtypes):
            return "has values that are no real numbers"
    if isinstance(value, Data):
        return _describe_data_fault(value)
    if isinstance(value, Sparse):
        if value.columns.shape != value.values.shape or len(value.columns) != len(labels):
            return "does not have one row for each DMU"
        if value.columns.dtype.kind != "i" or value.values.dtype.kind not in "fiu":
            return "has values that are no real numbers"
        if not ((value.columns >= 0) | ((value.columns == -1) & (value.values == 0))).all():
            return "gives a share to a DMU that the reference does not have"
    if isinstance(value, SlackWeights) and (
        value.of.shape != (len(labels),)
        or not ((value.of >= NO_PROOF) & (value.of < len(value.rows))).all()
    ):
        return "does not have one row for each DMU"
    return ""


def _describe_data_fault(data: Data) -> str:
    """Return what is wrong with data, whose outputs have the labels of all parts."""
    if not data.inputs.index.equals(data.outputs.index):
        return "has other labels than the scores"
    metrics = [*data.outputs.columns, *data.inputs.columns]
    return "names a metric twice" if len(set(metrics)) < len(metrics) else ""


def check_targets(result: Any) -> None:
    """Check that the parts of Targets belong together.

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
    is_fdh = result.frontier.technology == "fdh"
    multiples = result.multiples
    _refuse_first(
        [
            ("'weights' name other metrics than the frontier", list(result.weights) != names[0]),
            ("'norm' is not 'l1', 'l2' or 'linf'", result.norm not in ("l1", "l2", "linf")),
            (
                "'on' does not fit the technology of the frontier",
                result.on not in (("classifiers",) if is_fdh else ("faces", "facets")),
            ),
            (
                "'method' does not fit the technology of the frontier",
                result.method not in (("comparison",) if is_fdh else ("faces", "milp")),
            ),
            (
                "'multiples' has other labels than the frontier",
                multiples is not None
                and not multiples.index.equals(result.frontier.data.outputs.index),
            ),
            (
                "'reasons' name a DMU that the table does not have",
                not set(result.reasons) <= set(result.actual.index),
            ),
        ]
    )


def check_frontier(front: Any) -> None:
    """Check that the parts of a Frontier belong together.

    Raises
    ------
    CertificateError
        The part, and what is wrong with it.
    """
    labels = front.data.outputs.index
    check_parts(front, labels, {})
    s = front.data.outputs.shape[1]
    # A hull is carried only where the frontier has one.
    hull = front.precomputed_hull
    _refuse_first(
        [
            (
                "'origin' or 'unit' is not a number for each metric",
                front.origin.shape != (s,) or front.unit.shape != (s,),
            ),
            ("'technology' is not 'convex' or 'fdh'", front.technology not in ("convex", "fdh")),
            ("'dominator' is not a row for each DMU", front.dominator.shape != (len(labels),)),
            (
                "'vertices' or 'extreme' name a DMU that the table does not have",
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
                hull is not None and not _has_matching_sizes(hull, len(front.undominated), s),
            ),
        ]
    )


def _has_matching_sizes(hull: Any, n: int, s: int) -> bool:
    """Return whether the arrays of a hull of n rows and s metrics fit together."""
    are_rows = hull.rows.size and hull.rows.min() >= 0 and hull.rows.max() < n
    facets = len(hull.normals)
    points = len(hull.rows)
    return bool(
        are_rows
        and hull.points.shape == (points, s)
        and hull.normals.shape == (facets, s)
        and hull.members.shape == (len(hull.facet), s)
        and hull.incidence.shape == (facets, points)
    )


def check_ranking(result: Any) -> None:
    """Check that the parts of a Ranking belong together.

    Raises
    ------
    CertificateError
        The part, and what is wrong with it.
    """
    data = result.data
    reference = result.reference
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
    # Intensities and the frontier name DMUs of the reference by their rows.
    unknown = (result.intensities.columns >= n).any() or not ((listed >= 0) & (listed < n)).all()
    _refuse_first(
        [
            (
                "'reasons' name a DMU that the table does not have",
                not all(label in data.outputs.index for label in result.reasons),
            ),
            (
                "'reference' has other metrics than the data",
                [*reference.outputs.columns, *reference.inputs.columns] != names
                or reference.outputs.shape[1] != data.outputs.shape[1],
            ),
            ("'intensities' or 'frontier' name a DMU that the reference does not have", unknown),
            (
                "'data' or 'reference' has a value that is no finite number",
                not all(
                    np.isfinite(side.to_numpy(dtype=float)).all()
                    for side in (data.outputs, data.inputs, reference.outputs, reference.inputs)
                ),
            ),
            ("'frontier' names a reference DMU twice", len(np.unique(listed)) < len(listed)),
            ("'efficient' is not a column of booleans", result.efficient.dtype != bool),
            (
                "'options' has a value that the model refuses",
                not _has_valid_options(result.options),
            ),
            (
                "'options' need inputs, or take none, other than those of the data",
                not _fits_inputs(result.options, bool(data.inputs.shape[1])),
            ),
        ]
    )


def _fits_inputs(options: Model, has_inputs: bool) -> bool:
    """Return whether a model is one for data with inputs, or for data without."""
    if has_inputs:
        return options.inputs != "none"
    return options.inputs != "needed" and options.orientation != "input"


def require_table(
    result: Any, name: str, *, rows: pd.Index | None = None, columns: Iterable[str] | None = None
) -> pd.DataFrame:
    """Return a ranking's table with the rows and columns that it must have.

    Raises
    ------
    CertificateError
        Where it is not there, or has others.
    """
    table = result.tables.get(name)
    if not (
        isinstance(table, pd.DataFrame)
        and (rows is None or table.index.equals(rows))
        and (columns is None or table.columns.tolist() == [*columns])
    ):
        raise CertificateError(
            f"the result has no table '{name}' with the rows and columns of its data; "
            "compute the result again"
        )
    return table


def complete_proof(result: Any, proof: Proof) -> Proof:
    """Return a ranking's proof with what holds for every model, and with what none claims."""
    violations = dict(proof.violations)
    unclaimed = list(proof.unclaimed)
    # A table that is its own reference holds each DMU at the same place in both.
    if result.own_reference:
        violations["row_of_the_reference_that_it_is"] = _position_violations(
            result.data, result.reference
        )
    # The reference that was listed must dominate all that was left out of it.
    uncovered = "reference_DMUs_that_no_listed_one_dominates"
    if uncovered not in violations:
        violations[uncovered] = np.full(len(result.scores), float(count_uncovered(result)))
    if result.is_partial:
        # Of what a limit left open nothing is checked, and nothing may be claimed.
        is_skipped = _not_computed(result)
        violations = {name: np.where(is_skipped, 0.0, of) for name, of in violations.items()}
        is_claimed = _claims_anything(result) & is_skipped
        violations["claim_of_what_was_not_computed"] = is_claimed.astype(float)
        unclaimed.append(f"anything about {is_skipped.sum()} DMUs, for which time had passed")
    if result.tables:
        unclaimed.append(f"the tables beside the scores: {', '.join(result.tables)}")
    if "reason" not in violations:
        # A DMU has either a score or the reason why it has none.
        has_no_score = np.isnan(result.scores.to_numpy())
        has_reason = np.asarray(result.scores.index.isin(list(result.reasons)))
        violations["reason"] = (has_no_score != has_reason).astype(float)
        if has_no_score.any():
            unclaimed.append(f"that {int(has_no_score.sum())} DMUs have no score, and why")
    if result.bounds is not None:
        unclaimed.append("the bounds over the completions of empty cells")
    if result.uncertainty is not None:
        unclaimed.append("how certain the scores are: this rests on the samples alone")
    return replace(proof, violations=violations, unclaimed=tuple(unclaimed))


def _not_computed(result: Any) -> np.ndarray:
    """Return which DMUs (n,) have no score because the time limit had passed."""
    reasons = [result.reasons.get(label) == NOT_COMPUTED for label in result.scores.index]
    return np.asarray(np.array(reasons) & np.isnan(result.scores.to_numpy()))


def _claims_anything(result: Any) -> np.ndarray:
    """Return for which DMUs (n,) there are slacks, weights or peers, or that they are efficient."""
    claims = result.efficient.to_numpy(dtype=bool) | (result.intensities.values != 0).any(axis=1)
    for frame in (result.slacks, result.weights):
        claims = claims | frame.notna().to_numpy().any(axis=1)
    return np.asarray(claims)


def _position_violations(data: Data, reference: Data) -> np.ndarray:
    """Return 1 for a DMU that is not the reference DMU at its position."""
    if not data.outputs.index.equals(reference.outputs.index):
        return np.ones(len(data.outputs))
    if data.outputs is reference.outputs and data.inputs is reference.inputs:
        return np.zeros(len(data.outputs))
    is_same = (data.outputs.to_numpy() == reference.outputs.to_numpy()).all(axis=1)
    is_same &= (data.inputs.to_numpy() == reference.inputs.to_numpy()).all(axis=1)
    return np.asarray(~is_same).astype(float)


def _has_valid_options(options: Model) -> bool:
    """Return whether a model accepts its options; it refuses others when it is made."""
    try:
        replace(options)
    except DataError:
        return False
    return True
