"""Targets on extended facets: that none is nearer, by forgeries that nothing else refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.errors import CertificateError
from deabench.proofs.targets import certify_targets, target_violations, unproved_target_claims

RATES = pd.DataFrame({"a": [1.0, 3.0, 4.0], "b": [4.0, 3.0, 1.0]}, index=list("pqr"))
"""With the facets a + 2b = 9 and 2a + b = 9."""
ALONG = {(1.0, 2.0): np.array([2.0, -1.0]), (2.0, 1.0): np.array([1.0, -2.0])}
"""For each facet's normal the direction in it."""
ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}
WEIGHTS = [{"a": 1.0, "b": 1.0}, {"a": 3.0, "b": 0.5}]


def find_targets(point: tuple[float, float], **options: object) -> db.Targets:
    """Return the target of one point on the extended facets."""
    return db.targets(pd.DataFrame([point], ["o"], ["a", "b"]), RATES, on="facets", **options)


def with_target(targets: db.Targets, target: np.ndarray) -> db.Targets:
    """Return the same with another target, and the gaps and the distance that fit to it."""
    moved = pd.DataFrame([target], ["o"], ["a", "b"])
    gaps = moved - targets.actual
    factor = np.array([targets.weights[name] for name in ("a", "b")])
    length = np.linalg.norm(gaps.to_numpy() * factor, ORDERS[targets.norm], axis=1)
    distance = pd.Series(length, ["o"], name=targets.distance.name)
    return replace(targets, targets=moved, gaps=gaps, distance=distance)


@pytest.mark.parametrize("point", [(1.0, 3.0), (2.5, 1.0), (2.0, 2.5), (5.0, 2.0), (3.0, 4.5)])
@pytest.mark.parametrize("weights", mark_most_slow(WEIGHTS, 1))
@pytest.mark.parametrize("norm", ORDERS)
def test_a_target_that_is_further_along_its_facet_is_not_the_closest(norm, weights, point) -> None:
    honest = find_targets(point, norm=norm, weights=weights)
    db.certify(honest)
    normal = honest.normals.to_numpy()[0]
    direction = ALONG[tuple(np.round(normal / normal.min(), 6).tolist())]
    target = honest.targets.to_numpy()[0]
    forgeries = [with_target(honest, target + step * direction) for step in (1e-3, -1e-3)]
    further = [forged for forged in forgeries if forged.distance["o"] > honest.distance["o"] + 1e-7]
    assert further
    for forged in further:
        claims = certify_targets(forged).drop(columns=["closest", "least_weight"])
        if claims["beyond"].max() <= 1e-9:  # it stays in the region of both facets
            assert not (claims.fillna(0.0) > 1e-9).any(axis=None)
        with pytest.raises(CertificateError):
            db.certify(forged)


@pytest.mark.parametrize("norm", ORDERS)
def test_the_facet_further_away_is_not_the_closest(norm) -> None:
    """From (1, 3) the facet a + 2b = 9 is nearer than 2a + b = 9, that of (2.5, 1)."""
    weights = {"a": 1.0, "b": 1.0}
    near = find_targets((1.0, 3.0), norm=norm, weights=weights)
    far = find_targets((2.5, 1.0), norm=norm, weights=weights)
    db.certify(near)
    db.certify(far)
    forged = with_target(replace(far, actual=near.actual), far.targets.to_numpy()[0])
    assert forged.distance["o"] > near.distance["o"] + 0.1
    with pytest.raises(CertificateError, match="closest"):
        db.certify(forged)


def test_nothing_dominates_a_point_outside_alone() -> None:
    inside = find_targets((2.0, 2.0), norm="l1", dominating=True)
    outside = find_targets((5.0, 2.0), norm="l1", dominating=True)
    db.certify(inside)
    db.certify(outside)
    assert outside.distance.isna().all()
    # A point inside is dominated, whatever is said, and one on a facet by itself.
    on = find_targets((3.0, 3.0), norm="l1", dominating=True)
    for reached in (inside, on):
        forged = replace(outside, actual=reached.actual, position=reached.position)
        with pytest.raises(CertificateError, match="closest"):
            db.certify(forged)
    # And what need not dominate has a target from outside, too.
    with pytest.raises(CertificateError, match="closest"):
        db.certify(replace(outside, dominating=False))


@pytest.mark.parametrize("turn", [1e-5, -1e-5])
def test_slopes_beside_the_facets_normals_bound_nothing(turn) -> None:
    """Turned by 1e-5 a normal would let a target pass that is 1e-6 too far."""
    honest = find_targets((3.0, 4.5), norm="l2", weights={"a": 1.0, "b": 1.0})
    db.certify(honest)
    slopes = honest.slopes.copy()
    slopes["a"] *= 1 + turn
    slopes["b"] *= 1 - turn
    normal = honest.normals.to_numpy()[0]
    direction = ALONG[tuple(np.round(normal / normal.min(), 6).tolist())]
    for step in (1e-3, -1e-3):
        forged = with_target(honest, honest.targets.to_numpy()[0] + step * direction)
        assert forged.distance["o"] > honest.distance["o"] + 1e-7
        with pytest.raises(CertificateError, match="closest"):
            db.certify(replace(forged, slopes=slopes))


MILP = "not certified: that no target is nearer, which the MILP solver alone reports"
POSITION = "not certified: the position, and that the frontier has no other extreme classifiers"
ONE_FACET = "not certified: that no other facet is nearer to all of them together"


@pytest.mark.parametrize(
    ("options", "sentences"),
    [
        ({}, ()),
        ({"common": True}, ()),
        ({"on": "facets"}, ()),
        ({"on": "facets", "common": True}, (ONE_FACET,)),
        ({"method": "milp"}, (MILP,)),
        ({"method": "milp", "common": True}, (MILP,)),
        ({"technology": "fdh", "common": True}, ()),
    ],
)
def test_what_is_not_proved_of_targets_is_not_claimed_and_told(options, sentences) -> None:
    targets = db.targets(pd.DataFrame([(2.0, 2.0)], ["o"], ["a", "b"]), RATES, **options)
    db.certify(targets)
    assert unproved_target_claims(targets) == sentences
    claimed = target_violations(targets, certify_targets(targets).assign(closest=1.0, position=1.0))
    is_searched = "closest" in claimed and bool(claimed["closest"].any())
    assert is_searched == (not sentences)
    assert "position" in claimed
    if "method" in options:
        bare = replace(targets, frontier=replace(targets.frontier, precomputed_hull=None))
        assert unproved_target_claims(bare) == (MILP, POSITION)
        assert "position" not in target_violations(bare, certify_targets(bare))
