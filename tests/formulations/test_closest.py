"""(9) = (10) = (11) = the normalised form with cuts = brute force; and why M is not guessed."""

from __future__ import annotations

import numpy as np
import pytest
from dea_cases import brute, brute_common, examples, subsets, tables, valid_M
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, milp

import deabench_models as models
from deabench.geometry.closest import closest_by_milp
from deabench.solver.highs import Solver
from deabench.solver.template import expand_template, read_model
from deabench_models import projection

THREE = (models.closest_change, models.closest_split, models.closest)


def table(values: np.ndarray, prefix: str = "") -> dict:
    return {
        (f"{prefix}{j}" if prefix else j, r): float(v)
        for j, row in enumerate(values)
        for r, v in enumerate(row)
    }


def optimum(model) -> float:
    solver = Solver(
        expand_template(read_model(model, symbolic=False), np.zeros((0, 0)), np.zeros(0))
    )
    solver.run("test")
    return solver.objective()


def by_scipy(model) -> tuple[float, np.ndarray]:
    """The optimum as HiGHS gives it at its default tolerances, by SciPy, and λ."""
    template = expand_template(read_model(model, symbolic=False), np.zeros((0, 0)), np.zeros(0))
    A = np.zeros((len(template.lower), len(template.cost)))
    for j in range(len(template.cost)):
        A[template.index[template.start[j] : template.start[j + 1]], j] = template.value[
            template.start[j] : template.start[j + 1]
        ]
    solution = milp(
        template.cost,
        constraints=LinearConstraint(A, template.lower, template.upper),
        integrality=template.integer,
        bounds=(template.column_lower, template.column_upper),
    )
    if solution.status == 2:
        return np.inf, np.zeros(0)
    assert solution.status == 0, solution.message
    return float(solution.fun), solution.x[
        [name.startswith("lam[") for name in template.column_names]
    ]


def normalised(P: np.ndarray, points: np.ndarray) -> float:
    closest = closest_by_milp(P, points, "l1", np.ones(P.shape[1]), dominating=False, name="test")
    return sum(float(np.abs(row.point - p).sum()) for row, p in zip(closest, points, strict=True))


@examples(25)
@given(tables(rows=(1, 5), metrics=(1, 3), near=False), st.integers(0, 10**6))
def test_the_three_models_agree_with_brute_force_and_the_normalised_form(P, seed) -> None:
    P = np.unique(P, axis=0)
    p = np.random.default_rng(seed).integers(20, 115, (1, P.shape[1])) / 100
    M = valid_M(P)
    optima = [optimum(formulation(table(P), table(p, "g"), M)) for formulation in THREE]
    truth = brute(P, p[0], "l1")
    assert optima == pytest.approx(
        [truth] * 3, abs=1e-8 * max(M, 10)
    )  # d <= M b leaks M times the tolerance
    assert normalised(P, p) == pytest.approx(truth, abs=1e-8)


@examples(12)
@given(tables(rows=(2, 5), metrics=(2, 3), near=False), st.integers(0, 10**6))
def test_a_group_shares_one_face(P, seed) -> None:
    P = np.unique(P, axis=0)
    points = np.random.default_rng(seed).integers(20, 115, (3, P.shape[1])) / 100
    M = valid_M(P)
    optima = [optimum(formulation(table(P), table(points, "g"), M)) for formulation in THREE]
    truth = brute_common(P, points, "l1")
    assert optima == pytest.approx([truth] * 3, abs=1e-8 * max(M, 10))
    assert normalised(P, points) == pytest.approx(truth, abs=1e-8)
    assert truth >= sum(brute(P, p, "l1") for p in points) - 1e-9


def test_the_weak_part_of_the_frontier_is_cut_off() -> None:
    """Without its cuts the normalised form accepts a face with a weight of 0: (1, 0.5) is dominated
    by (1, 0.9).
    """
    P, p = np.array([[1.0, 0.9], [1.0, 0.5], [0.2, 1.0]]), np.array([[1.0, 0.4]])
    model = projection.l1(
        models.normalised(table(P), table(p, "g"), {0: 0.8, 1: 0.5}), {0: 1.0, 1: 1.0}
    )
    assert optimum(model) == pytest.approx(0.1, abs=1e-9)
    assert normalised(P, p) == pytest.approx(0.5, abs=1e-9)
    assert brute(P, p[0], "l1") == pytest.approx(0.5, abs=1e-9)
    assert optimum(models.supports(table(P), [0, 1], {0: 0.8, 1: 0.5})) == pytest.approx(
        0.0, abs=1e-9
    )
    assert optimum(models.supports(table(P), [0, 2], {0: 0.8, 1: 0.5})) > 0.1


def on_a_face(P: np.ndarray, lam: np.ndarray) -> bool:
    used = tuple(np.flatnonzero(lam > 1e-7).tolist())
    return used in set(subsets(P, len(P)))


@pytest.mark.slow
def test_a_small_m_cuts_faces_off_and_a_huge_one_leaks() -> None:
    """The trap of the printed model, on 12 seeded tables: M = 1, M = 1e6, a valid M, and no M at
    all.

    Too small, and faces are cut off: the distance is too high, or nothing is feasible. Too large,
    and b = 1e-7 frees d from its face: the distance is too low and the target on no efficient face.
    """
    rng = np.random.default_rng(0)
    high, low = 0, 0
    for _ in range(12):
        P, p = rng.uniform(0.3, 1, (6, 3)), rng.uniform(0.3, 1, (1, 3))
        truth = brute(P, p[0], "l1")
        value, lam = by_scipy(models.closest(table(P), table(p, "g"), valid_M(P)))
        assert value == pytest.approx(truth, abs=1e-5)
        assert on_a_face(P, lam)
        assert normalised(P, p) == pytest.approx(truth, abs=1e-9)
        small, _ = by_scipy(models.closest(table(P), table(p, "g"), 1.0))
        huge, leaked = by_scipy(models.closest(table(P), table(p, "g"), 1e6))
        assert small > truth - 1e-6
        assert huge < truth + 1e-6
        high += small > truth + 0.01
        low += huge < truth - 0.01 and not on_a_face(P, leaked)
    assert high >= 6
    assert low >= 4
