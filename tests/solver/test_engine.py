"""The engine, the facets by Qhull, SciPy and rational arithmetic give one answer, however
degenerate the table.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import RETURNS, examples, frame, radial, scales, tables, theta5
from hypothesis import given
from hypothesis import strategies as st
from quick_cases import mark_most_slow

import deabench as db
from deabench.geometry import facet_bases, facets
from deabench.geometry.dominance import undominated_rows
from deabench.models import CCR, WEI
from deabench.models.shared.radial_problems import (
    CCRProblem,
    WEIProblem,
    ccr_form,
    expansion_levels,
)
from deabench.results.answer import Task
from deabench.solver import engine, highs
from deabench.solver.rational_simplex import find_optimal_basis
from deabench.tables.selection import select_table
from deabench.tables.validation import validate
from deabench.utils.arrays import box

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

SAME = 1e-9


def wei(Y: np.ndarray, tested: np.ndarray | None = None) -> WEIProblem:
    reference = validate(select_table(frame(Y)), warn=False)
    return WEIProblem(
        Task(
            reference if tested is None else validate(select_table(frame(tested, "t")), warn=False),
            reference,
            WEI(),
            own_reference=tested is None,
        )
    )


def by_engine(problem) -> np.ndarray:
    return read(problem, engine.solve_family(problem.family, problem.tested))


def by_facets(problem) -> np.ndarray:
    """Qhull's facets first; what none of them certifies is the engine's."""
    bases = facet_bases.list_facet_bases(problem.family, problem.points)
    return read(problem, engine.solve_family(problem.family, problem.tested, prior_bases=bases))


def by_all_facets(problem) -> np.ndarray:
    """Efficiency = max over facets of w·Y: one matrix product, no basis and no solver."""
    origin, unit = box(problem.points)
    own_normals = facets.list_facets((problem.points - origin) / unit).normals / unit
    normals = own_normals / (1 + own_normals @ origin)[:, None]
    return (problem.tested @ normals.T).max(axis=1) * problem.size


def by_fractions(problem) -> np.ndarray:
    """Every DMU from the slack basis by exact pivots."""
    family, out = problem.family, []
    for tested in problem.tested:
        codes, x, _ = find_optimal_basis(
            family, family.n + family.statics + np.arange(family.m), tested, "test"
        )
        out.append(1.0 / x[np.flatnonzero(codes == family.n + family.theta)[0]])
    return np.array(out) * problem.size


def read(problem, solution) -> np.ndarray:
    return problem.read(solution)[0] * problem.size


@examples(80)
@given(tables(rows=(1, 9), metrics=(1, 4), near=False), st.data())
def test_all_paths_agree_on_degenerate_tables(Y, data) -> None:
    problem = wei(Y * data.draw(scales(Y.shape[1])))
    scipy = np.array([1 / theta5(Y, y) for y in Y])
    np.testing.assert_allclose(by_engine(problem), scipy, atol=SAME)
    if Y.shape[1] > 1:
        np.testing.assert_allclose(by_facets(problem), scipy, atol=SAME)
        np.testing.assert_allclose(by_all_facets(problem), scipy, atol=SAME)


@examples(40)
@given(tables(rows=(1, 6), metrics=(2, 4)), st.data())
def test_all_paths_agree_with_rational_arithmetic_on_near_duplicates(Y, data) -> None:
    Y = np.vstack(
        [Y, Y[0] * (1 + 1e-9 * np.array(data.draw(st.permutations([1, -1, 2, -2])))[: Y.shape[1]])]
    )
    problem = wei(Y * data.draw(scales(Y.shape[1])))
    truth = by_fractions(problem)
    np.testing.assert_allclose(by_engine(problem), truth, atol=SAME)
    np.testing.assert_allclose(by_facets(problem), truth, atol=SAME)
    db.certify(db.rank(frame(Y)))


@examples(25)
@given(tables(rows=(1, 6), metrics=(1, 4), near=False))
def test_exact_pivots_are_scipys_optimum(Y) -> None:
    np.testing.assert_allclose(by_fractions(wei(Y)), [1 / theta5(Y, y) for y in Y], atol=SAME)


def test_an_exact_optimum_is_the_fraction_itself() -> None:
    """(1/3, 2/3) and (2/3, 1/3) with the tested (1/3, 1/3): θ = 3/2 in the floats' own fractions,
    to the last digit.
    """
    from fractions import Fraction

    third, two = Fraction(1 / 3), Fraction(2 / 3)
    problem = wei(np.array([[1 / 3, 2 / 3], [2 / 3, 1 / 3], [1 / 3, 1 / 3]]))
    assert by_fractions(problem)[2] == pytest.approx(float(third / ((third + two) / 2)), abs=1e-15)


@pytest.mark.parametrize("returns", mark_most_slow(RETURNS, 2))
@pytest.mark.parametrize("orientation", ["input", "output"])
def test_ccr_of_a_middling_table_is_scipys(orientation, returns) -> None:
    rng = np.random.default_rng(8)
    X, Y = (
        rng.uniform(1, 9, (60, 2)).round(1),
        np.minimum(rng.uniform(0.2, 1.3, (60, 2)), 1.0).round(2),
    )
    table = pd.concat([frame(X).add_prefix("x"), frame(Y)], axis=1)
    scores = db.rank(
        table, inputs=["xm0", "xm1"], model="ccr", returns=returns, orientation=orientation
    ).scores
    factor = [
        radial(X, Y, x, y, orientation=orientation, returns=returns)
        for x, y in zip(X, Y, strict=True)
    ]
    np.testing.assert_allclose(
        scores, factor if orientation == "input" else 1 / np.array(factor), atol=SAME
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["unif", "metrics", "clipped"])
def test_thousands_of_dmus_by_sampling_are_the_facets(kind) -> None:
    rng = np.random.default_rng(0)
    n = 5000
    Y = rng.uniform(0.3, 1, (n, 4))
    if kind == "metrics":
        Y = np.clip(0.7 + 0.15 * rng.normal(size=(n, 1)) + 0.05 * rng.normal(size=(n, 4)), 0.01, 1)
    if kind == "clipped":
        Y = np.minimum(Y * 1.2, 1.0).round(2)
    problem = wei(Y)
    assert n > engine.SAMPLE
    solution = engine.solve_family(problem.family, problem.tested)
    assert solution.calls < n / 10  # bases are shared: one solve per facet that is hit, not per DMU
    np.testing.assert_allclose(read(problem, solution), by_all_facets(problem), atol=SAME)
    ranking = db.rank(frame(Y))
    np.testing.assert_allclose(ranking.scores, by_all_facets(problem), atol=SAME)
    assert len(db.certify(ranking)) == n


def test_sampling_with_more_metrics_than_facets_are_listed_for(monkeypatch) -> None:
    monkeypatch.setattr(engine, "SAMPLE", 50)
    Y = np.random.default_rng(1).uniform(0.3, 1, (150, 9))
    ranking = db.rank(frame(Y))
    assert ranking.model.startswith("wei (5), by HiGHS (")
    db.certify(ranking)
    np.testing.assert_allclose(ranking.scores, [1 / theta5(Y, y) for y in Y], atol=SAME)


def test_dmus_outside_their_reference_by_both_paths() -> None:
    rng = np.random.default_rng(2)
    problem = wei(rng.uniform(0.3, 1, (80, 3)), rng.uniform(0.3, 1.5, (70, 3)))
    np.testing.assert_allclose(by_engine(problem), by_facets(problem), atol=SAME)
    np.testing.assert_allclose(by_engine(problem), by_all_facets(problem), atol=SAME)
    assert (by_engine(problem) > 1).any()


@examples(60)
@given(tables(rows=(1, 12), metrics=(1, 4)))
def test_undominated_is_the_definition(Y) -> None:
    dominated = [any((z >= y).all() and (z > y).any() for z in Y) for y in Y]
    first = [not any((Y[i] == y).all() for i in range(j)) for j, y in enumerate(Y)]
    assert undominated_rows(Y).tolist() == [
        j for j in range(len(Y)) if first[j] and not dominated[j]
    ]


@examples(30)
@given(tables(rows=(2, 8), metrics=(2, 4), near=False))
def test_qhulls_facets_hold_all_points_and_touch_their_members(Y) -> None:
    undominated = undominated_rows(Y)
    origin, unit = box(Y[undominated])
    points = (Y[undominated] - origin) / unit
    facet_list = facets.list_facets(points)
    members, normals = facet_list.members, facet_list.normals[facet_list.facet]
    assert (points @ normals.T).max() <= 1 + 1e-11
    assert normals.min() >= 0
    for facet_members, w in zip(members, normals, strict=True):
        on = facet_members[facet_members < len(points)]
        np.testing.assert_allclose(points[on] @ w, 1.0, atol=1e-10)
        assert (w[facet_members[facet_members >= len(points)] - len(points)] <= 1e-10).all()


def test_the_engine_solves_fewer_programs_than_dmus_when_one_basis_serves_many() -> None:
    corner = np.array([[1.0, 0.1], [0.1, 1.0]])
    tested = np.column_stack([np.linspace(0.3, 0.4, 50), np.linspace(0.4, 0.3, 50)])
    problem = wei(np.vstack([corner, tested]))
    solution = engine.solve_family(problem.family, problem.tested)
    assert solution.calls <= 4
    np.testing.assert_allclose(read(problem, solution)[2:], tested.sum(axis=1) / 1.1, atol=1e-12)


def test_ccr_families_are_shared_too() -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.uniform(0.3, 1, (3500, 3)), columns=["x", "y1", "y2"])
    data = validate(select_table(table, inputs=["x"]), warn=False)
    for orientation in ("input", "output"):
        problem = CCRProblem(Task(data, data, CCR(orientation=orientation), own_reference=True))
        solution = engine.solve_family(problem.family, problem.tested)
        assert solution.calls < 350
        assert not np.isnan(expansion_levels(solution)).any()


def test_a_basis_that_is_refused_for_its_own_dmu_is_settled_by_rational_arithmetic(
    monkeypatch,
) -> None:
    """Every DMU is scored, whatever a product rounds to: the engine must not go round for ever."""
    Y = np.array([[1.0, 0.2], [0.7, 0.7], [0.2, 1.0], [0.5, 0.5], [0.4, 0.6]])
    problem = wei(Y)
    certify_basis = engine.Family.certify_basis

    def refuse(self, basis, tested):
        feasible, x, factor = certify_basis(self, basis, tested)
        return feasible & False, x, factor

    monkeypatch.setattr(engine.Family, "certify_basis", refuse)
    np.testing.assert_allclose(by_engine(problem), [1 / theta5(Y, y) for y in Y], atol=SAME)


def test_without_a_basis_to_share_each_program_is_solved_by_itself(monkeypatch) -> None:
    """A basis whose inverse is large is not shared; here all are."""
    problem = wei(np.random.default_rng(6).uniform(0.2, 1, (30, 3)))
    expected = by_engine(problem)
    monkeypatch.setattr(engine, "ACCURATE", 0.0)
    np.testing.assert_allclose(by_facets(problem), expected, rtol=0, atol=SAME)


def test_a_refused_basis_is_first_tried_again_from_the_slacks(monkeypatch) -> None:
    """A nearly singular basis looks optimal to HiGHS: started afresh it finds another, and
    fractions are not needed.
    """
    problem = wei(np.random.default_rng(0).uniform(0.3, 1, (40, 3)))
    certify_basis = engine.Family.certify_basis
    tested_counts = []

    def refuse_once(self, basis, tested):
        feasible, x, factor = certify_basis(self, basis, tested)
        tested_counts.append(len(tested))
        return feasible & (len(tested_counts) > 1), x, factor

    def settle(*_):
        raise AssertionError("rational arithmetic was called")

    clear_basis = highs.Solver.clear_basis
    cleared_after = []

    def clear(self):
        cleared_after.append(len(tested_counts))
        clear_basis(self)

    monkeypatch.setattr(highs.Solver, "clear_basis", clear)
    monkeypatch.setattr(engine.Family, "certify_basis", refuse_once)
    monkeypatch.setattr(engine._Run, "settle", settle)
    np.testing.assert_allclose(by_engine(problem), by_all_facets(problem), atol=SAME)
    assert tested_counts[0] == tested_counts[1]
    # What was refused is forgotten before the second solve, once.
    assert cleared_after == [1]


@pytest.mark.parametrize("kind", ["metrics", "flat"])
def test_facets_of_seven_metrics_are_listed_where_they_are_few(kind) -> None:
    """Few for correlated metrics; for points in a hyperplane Qhull is not asked, and the answers
    are the engine's either way.
    """
    rng = np.random.default_rng(3)
    Y = 0.7 * rng.beta(5, 2, (400, 1)) + 0.3 * rng.beta(4, 2, (400, 7))
    if kind == "flat":
        Y[:, 6] = 0.5
    problem = wei(Y)
    assert (problem.facets() is None) == (kind == "flat")
    ranking = db.rank(frame(Y))
    assert (" facets" in ranking.model) == (kind == "metrics")
    np.testing.assert_allclose(ranking.scores, by_engine(problem), atol=SAME)
    db.certify(ranking)


def test_a_facet_that_is_nearly_flat_sends_nobody_to_fractions(monkeypatch) -> None:
    """One metric is worth 2e-7 of another on it, and a row 5e-9 below it, so that λ may not be the
    only one: the second stage's rows hold, and fractions, rounded, would hold no better.
    """
    rng = np.random.default_rng(1)
    corners = np.eye(3) * 0.5 + 0.5
    corners[:, -1] = 1 - 3e-7 * rng.uniform(0.5, 1, 3)
    corners[-1, :-1] = 0.6
    depth = np.append(1 - 5e-9, np.linspace(0.5, 0.95, 29))
    values = np.vstack([corners, rng.dirichlet(np.ones(3), 30) @ corners * depth[:, None]])
    monkeypatch.setattr("deabench.solver.rational_simplex.find_optimal_basis", None)
    ranking = db.rank(frame(values))
    assert ranking.scores.to_numpy() == pytest.approx(np.append(np.ones(3), depth), abs=1e-9)
    db.certify(ranking)


@pytest.mark.parametrize("orientation", ["input", "output"])
def test_columns_join_until_a_feasible_program_is_feasible(orientation) -> None:
    rng = np.random.default_rng(0)
    data = rng.uniform(0.1, 1, (400, 5))
    family = engine.Family(ccr_form(2, 3, "vrs", orientation), data)
    assert family.n > 300  # more than are active at first
    assert engine.solve_family(family, data).infeasible == {}
