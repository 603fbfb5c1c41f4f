"""Closest targets where one metric counts up to 1e17 times another: what floats do not prove is
settled in fractions.
"""

from __future__ import annotations

import numpy as np
import pytest
from dea_cases import frame, solved
from simulations.hard_tables import noisy_table

import deabench as db
from deabench.geometry.nearest_points import dual_norm, gap_norm, nearest_exactly

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def scaled(seed: int) -> np.ndarray:
    """A table whose metrics are 1e-8 to 1e9 in size."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.2, 1, (int(rng.integers(2, 25)), int(rng.integers(2, 6))))
    return values * 10.0 ** rng.integers(-8, 10, values.shape[1])


@pytest.mark.parametrize(
    ("seed", "dominating"),
    [
        (487, False),
        (607, False),
        (631, False),
        (799, False),
        (10_025, False),
        (10_041, False),
        (10_025, True),
        (10_054, True),
    ],
)
def test_l2_targets_in_units_far_apart_are_proved(seed, dominating) -> None:
    values = scaled(seed)
    tested = np.vstack([values[:2] * 0.9, values[:1] * 1.2])
    db.certify(db.targets(frame(tested, "t"), frame(values), norm="l2", dominating=dominating))


@pytest.mark.parametrize("seed", [10_060, 10_106])
def test_targets_on_facets_in_units_far_apart_are_proved(seed) -> None:
    values = scaled(seed)
    db.certify(db.targets(frame(values[:1] * 1.2, "t"), frame(values), norm="linf", on="facets"))


def test_l1_targets_above_a_facet_that_is_nearly_flat_are_proved() -> None:
    """Its weight in one metric is 4e-8 of the other's: a solver's tolerance."""
    values, rng = noisy_table(386)[0].to_numpy(), np.random.default_rng(386)
    db.certify(
        db.targets(
            frame(rng.uniform(0.1, 1, (1, values.shape[1])), "t"),
            frame(values),
            norm="l1",
            dominating=True,
        )
    )


@pytest.mark.parametrize(("seed", "norm"), [(170, "linf"), (1034, "l1")])
def test_a_face_that_the_solver_gives_up_on_is_settled(seed, norm) -> None:
    values, rng = noisy_table(seed)[0].to_numpy(), np.random.default_rng(seed)
    tested = np.vstack(
        [values[:2] * 0.9, values[:1] * 1.1, values[-1:], rng.uniform(0.1, 1, (1, values.shape[1]))]
    )
    db.certify(db.targets(frame(tested, "t"), frame(values), norm=norm, dominating=True))


@pytest.mark.parametrize("dominating", [False, True])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_the_exact_projection_is_optimal(norm, dominating) -> None:
    """By its slope: y·(v - p) ≥ distance on every vertex, with (the positive part of) y in the dual
    unit ball; none without a point above.
    """
    certified_count = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        s, k = int(rng.integers(2, 5)), int(rng.integers(1, 6))
        gaps = (
            np.round(rng.uniform(0, 1, (k, s)) * 4) / 4 - np.round(rng.uniform(0, 0.7, s) * 4) / 4
        )
        weights = 10.0 ** -rng.uniform(0, 3, s)
        exact = nearest_exactly(gaps, weights, norm, dominating)
        if exact is None:
            sums = np.vstack([np.ones(k), -np.ones(k)])
            assert dominating
            assert (
                solved(np.zeros(k), np.vstack([-gaps.T, sums]), np.append(np.zeros(s), [1.0, -1.0]))
                is None
            )
            continue
        lam, slope = exact
        assert lam.min() >= 0
        assert lam.sum() == pytest.approx(1, abs=1e-12)
        gap = lam @ gaps
        slopes_used = np.maximum(slope, 0) if dominating else slope
        assert dual_norm(slopes_used / weights, norm) <= 1 + 1e-12
        assert ((gaps @ slope) >= gap_norm(gap * weights, norm) - 1e-12).all()
        assert not dominating or gap.min() >= -1e-12
        certified_count += gap_norm(gap, norm) > 0
    assert certified_count > 10


@pytest.mark.parametrize("norm", ["l1", "linf"])
@pytest.mark.parametrize("dominating", [False, True])
def test_the_program_cuts_off_points_that_span_no_efficient_face(norm, dominating) -> None:
    """Half of a and half of b is as good as c in two metrics and worse in the third: the closest
    point, between a and b, is no target.
    """
    table = frame(np.array([[1.5, 0.5, 0.5], [0.5, 1.5, 0.5], [1.0, 1.0, 1.5]]))
    tested = frame(np.array([[0.95, 0.95, 0.52]]), "t")
    options = {"norm": norm, "dominating": dominating}
    targets = db.targets(tested, table, method="milp", **options)
    assert np.abs(targets.targets.to_numpy() - [1.0, 1.0, 0.5]).max() > 0.1
    faces = db.targets(tested, table, method="faces", **options)
    assert targets.distance.tolist() == pytest.approx(faces.distance.tolist(), abs=1e-9)
    db.certify(targets)


def test_dmus_without_a_metric_are_dropped_from_both_tables() -> None:
    reference = frame(np.array([[0.9, 0.2], [0.2, 0.9], [np.nan, 1.0]]))
    tested = frame(np.array([[0.3, 0.3], [0.3, np.nan]]), "t")
    targets = db.targets(tested, reference, missing="drop-systems")
    complete = db.targets(tested.iloc[:1], reference.iloc[:2])
    assert targets.targets.index.tolist() == ["t0"]
    assert targets.distance.tolist() == complete.distance.tolist()
