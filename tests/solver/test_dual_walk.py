"""Walks from basis to basis give what a solver gives program by program, however degenerate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from deabench.models.shared.radial_problems import ccr_form, expansion_levels, wei_form
from deabench.models.shared.scaled_data import compile_program
from deabench.solver import dual_walk, engine
from deabench.solver.engine import Solution
from deabench.solver.family import Family


def solve_both_ways(
    monkeypatch: pytest.MonkeyPatch, family: Family, tested: np.ndarray
) -> tuple[Solution, Solution]:
    monkeypatch.setattr(engine, "WALKED", 10)
    walked = engine.solve_family(family, tested)
    monkeypatch.setattr(engine, "WALKED", len(tested) + 1)
    return walked, engine.solve_family(family, tested)


def plain(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.uniform(0.3, 1, shape)


def tied(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Draw few values, and so equal rows, equal metrics and flat facets."""
    return rng.integers(1, 4, shape) / 4


def near(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Draw pairs of rows that differ by 1e-9."""
    half = rng.uniform(0.3, 1, ((shape[0] + 1) // 2, shape[1]))
    return np.vstack([half, half + 1e-9])[: shape[0]]


DRAWS: list[Callable[[np.random.Generator, tuple[int, int]], np.ndarray]] = [plain, tied, near]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("returns", ["crs", "vrs", "nirs", "ndrs"])
def test_walks_give_the_scores_of_the_solver(monkeypatch, draw, returns) -> None:
    rng = np.random.default_rng(0)
    for orientation in ("input", "output"):
        table = draw(rng, (60, 6))
        family = Family(ccr_form(2, 4, returns, orientation), table)
        assert dual_walk.can_walk(family)
        walked, solved = solve_both_ways(monkeypatch, family, table)
        np.testing.assert_allclose(
            expansion_levels(walked), expansion_levels(solved), rtol=1e-10, atol=1e-12
        )


@pytest.mark.parametrize("draw", DRAWS)
def test_walks_without_inputs(monkeypatch, draw) -> None:
    table = draw(np.random.default_rng(1), (80, 9))
    family = Family(wei_form(9), table)
    walked, solved = solve_both_ways(monkeypatch, family, table)
    np.testing.assert_allclose(expansion_levels(walked), expansion_levels(solved), rtol=1e-10)
    assert walked.calls < len(table) / 2


def test_what_is_infeasible_is_left_to_the_solver(monkeypatch) -> None:
    """A tested DMU with less of an input than all others have: no mixture uses as little."""
    rng = np.random.default_rng(2)
    reference = plain(rng, (30, 4))
    tested = plain(rng, (40, 4))
    tested[::3, 0] = 0.1
    family = Family(ccr_form(1, 3, "vrs", "output"), reference)
    walked, solved = solve_both_ways(monkeypatch, family, tested)
    assert sorted(walked.infeasible) == sorted(solved.infeasible)
    assert set(range(0, 40, 3)) <= set(walked.infeasible)
    np.testing.assert_allclose(expansion_levels(walked), expansion_levels(solved), rtol=1e-10)


def test_one_of_the_first_whose_basis_is_refused_is_walked_to(monkeypatch) -> None:
    """Fractions are slow: they are for what no walk reaches."""
    table = plain(np.random.default_rng(6), (60, 8))
    family = Family(wei_form(8), table)
    certify_basis = engine.Family.certify_basis
    refused = []

    def refuse_twice(self, basis, tested):
        optimal, x, factor = certify_basis(self, basis, tested)
        refused.append(len(tested))
        return optimal & (len(refused) > 2), x, factor

    def settle(self, basis, k):
        raise AssertionError

    _, solved = solve_both_ways(monkeypatch, family, table)
    monkeypatch.setattr(engine.Family, "certify_basis", refuse_twice)
    monkeypatch.setattr(engine._Run, "settle", settle)
    monkeypatch.setattr(engine, "WALKED", 10)
    walked = engine.solve_family(family, table)
    assert len(refused) > 2
    np.testing.assert_allclose(expansion_levels(walked), expansion_levels(solved), rtol=1e-10)


def test_where_none_of_the_first_has_a_basis_all_are_left_to_the_solver(monkeypatch) -> None:
    """No DMU of the reference needs as little of the input as all that are tested."""
    rng = np.random.default_rng(7)
    family = Family(ccr_form(1, 3, "vrs", "output"), plain(rng, (30, 4)))
    tested = plain(rng, (20, 4)) * np.array([0.1, 1, 1, 1])
    walked, solved = solve_both_ways(monkeypatch, family, tested)
    assert sorted(walked.infeasible) == sorted(solved.infeasible) == list(range(20))


def test_walks_without_a_factor(monkeypatch) -> None:
    """The second stage has costs on slacks and only right-hand sides that differ."""
    rng = np.random.default_rng(3)
    table = plain(rng, (50, 5))
    points = np.column_stack([table[:, :2] * 1.1, table[:, 2:] * 0.9])
    family = Family(compile_program("slacks", 2, 3, returns="vrs"), table)
    assert family.theta < 0
    walked, solved = solve_both_ways(monkeypatch, family, points)
    values = [
        (solution.x * family.costs[solution.bases.columns[solution.basis_index]]).sum(axis=1)
        for solution in (walked, solved)
    ]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-9)
    assert walked.calls < len(table) / 2


def test_a_walk_starts_at_accurate_bases_only_and_ends_where_none_is() -> None:
    table = plain(np.random.default_rng(4), (40, 4))
    family = Family(wei_form(4), table)
    slacks = family.exact_basis(family.slack_codes(), np.zeros(family.m))
    bases, positions, _, _ = dual_walk.find_bases_by_walking(family, [slacks], table, 1e-10)
    assert len(bases) == 0
    assert (positions == -1).all()


def test_bases_with_a_negative_reduced_cost_are_refused() -> None:
    """From a basis that is not dual feasible the walk may end at one that is not optimal."""
    table = np.array([[1.0, 0.2], [0.8, 0.8], [0.2, 1.0]])
    family = Family(wei_form(2), table)
    theta = family.n + family.theta
    # The chord from the first to the third DMU, with the second beyond it.
    chord = family.invert_basis(np.array([0, 2, theta]), np.array([0.5, 0.5]))
    assert chord is not None
    tested = np.array([[0.5, 0.5], [0.6, 0.5]])
    bases, positions, _, _ = dual_walk.find_bases_by_walking(family, [chord], tested, 1e-10)
    assert len(bases) == 0
    assert (positions == -1).all()


def test_rounds_grow_and_cover_all_programs() -> None:
    rounds = list(dual_walk.growing_rounds(np.arange(100), 3))
    assert [len(programs) for programs in rounds] == [9, 36, 52]
    assert np.concatenate(rounds).tolist() == list(range(3, 100))


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_distinct_rows_are_those_of_numpy(count: int) -> None:
    rows = np.random.default_rng(count).integers(0, 3, (count, 3))
    _, first, position = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    first_rows, positions = dual_walk._find_distinct_rows(rows)
    assert first_rows.tolist() == first.tolist()
    assert positions.tolist() == position.ravel().tolist()
