"""Large tables: walks from facet to facet, hull points that stand for all, a tree of boxes: the
answers are those of products.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from dea_cases import frame
from scipy.spatial import ConvexHull
from simulations.tables import metrics, unif

import deabench as db
from deabench.errors import CertificateError
from deabench.geometry import dominance, facet_bases, facet_walk
from deabench.geometry.dominance import DominanceTree, find_dominators, undominated_rows
from deabench.geometry.facet_bases import BasisWalk
from deabench.models import WEI
from deabench.models.shared.radial_problems import WEIProblem
from deabench.results.answer import Task
from deabench.tables.selection import select_table
from deabench.tables.validation import validate

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

ROUNDED = np.round(unif(3000, 4), 2)
SPARSE = np.where(ROUNDED < 0.4, 0.0, ROUNDED)
TABLES = {
    "unif": unif(3000, 4),
    "metrics": metrics(3000, 5),
    "rounded": ROUNDED,
    "zeros": SPARSE[SPARSE.any(axis=1)],
}


def shell(n: int, s: int) -> np.ndarray:
    """Points of which hardly one dominates another, and few are extreme."""
    rng = np.random.default_rng(0)
    return rng.dirichlet(np.ones(s), n) * rng.uniform(0.98, 1, (n, 1))


@pytest.mark.parametrize("name", TABLES)
def test_a_walk_ends_where_the_product_finds_the_least(name) -> None:
    data = validate(select_table(frame(TABLES[name])), warn=False)
    problem = WEIProblem(
        Task(
            data,
            data,
            WEI(),
            own_reference=True,
        )
    )
    known = problem.facets()
    walk = BasisWalk(problem.family, known, int(known.theta[0]))
    ends, _, factor = walk.locate(problem.tested)
    weights = known.duals[:, :-1] / np.abs(known.duals[:, -1:])
    found = ends >= 0
    assert found.mean() > (
        0.99 if name in ("unif", "metrics") else 0.5
    )  # the others have flat simplices, which are left out
    best = (problem.tested @ weights.T).max(axis=1)
    assert (problem.tested * weights[ends]).sum(axis=1)[found] == pytest.approx(
        best[found], rel=1e-12
    )
    # The duals of a program are those of its basis times the factor: its level is 1/efficiency.
    levels = np.abs(factor * known.duals[ends, -1])
    assert levels[found] == pytest.approx(1 / best[found], rel=1e-9)


@pytest.mark.parametrize("name", TABLES)
def test_a_ranking_by_walks_is_the_ranking_by_products(name, monkeypatch) -> None:
    table = frame(TABLES[name])
    plain = db.rank(table)
    monkeypatch.setattr(facet_bases, "WALKED", 1)
    walked = db.rank(table)
    assert walked.scores.to_numpy() == pytest.approx(plain.scores.to_numpy(), abs=1e-12)
    assert (walked.efficient | walked.undecided).equals(plain.efficient | plain.undecided)
    assert walked.slacks.sum(axis=1).to_numpy() == pytest.approx(
        plain.slacks.sum(axis=1).to_numpy(), abs=1e-9
    )
    db.certify(walked)


def test_points_of_facets_stand_for_all_that_nobody_dominates(monkeypatch) -> None:
    table = frame(shell(1500, 4))
    found = db.rank(table)
    assert len(found.frontier) < 300
    db.certify(found)
    monkeypatch.setattr("deabench.models.shared.radial_problems.MANY", 10**9)
    every = db.rank(table)
    assert len(every.frontier) > 1250
    assert found.scores.to_numpy() == pytest.approx(every.scores.to_numpy(), abs=1e-12)
    assert found.efficient.equals(every.efficient)


def test_a_list_short_of_a_point_of_a_facet_is_refused() -> None:
    found = db.rank(frame(shell(3000, 4)))
    for k in range(0, len(found.frontier), 40):
        with pytest.raises(CertificateError):
            db.certify(replace(found, frontier=np.delete(found.frontier, k)))


def test_where_each_is_left_out_of_its_own_reference_mixtures_stand_for_nobody() -> None:
    """The middle of two lies on the frontier without either of them."""
    table = frame(np.array([[1.0, 0.2], [0.6, 0.6], [0.2, 1.0], [0.5, 0.3]]))
    for model, bounded in (("wei", True), ("super", False)):
        found = db.rank(table, model=model)
        db.certify(found)
        columns, values = found.intensities.columns.copy(), found.intensities.values.copy()
        columns[1], values[1] = -1, 0.0
        columns[1, :2], values[1, :2] = [0, 2], 0.5
        short = replace(
            found,
            frontier=np.array([0, 2]),
            intensities=replace(found.intensities, columns=columns, values=values),
        )
        claims = short.proof().violations["reference_DMUs_that_no_listed_one_dominates"]
        assert (claims.max() == 0) == bounded


def test_facets_of_a_large_table_are_listed_where_they_grow_slowly(monkeypatch) -> None:
    monkeypatch.setattr(facet_bases, "HELD", 10_000)
    sphere = np.abs(np.random.default_rng(0).normal(size=(2000, 4)))
    assert facet_bases.should_enumerate_facets(shell(3000, 4), 3000)
    assert not facet_bases.should_enumerate_facets(
        sphere / np.linalg.norm(sphere, axis=1, keepdims=True), 3000
    )


@pytest.mark.parametrize("paired", [0, dominance.PAIRED])
@pytest.mark.parametrize("kind", ["unif", "rounded", "shell", "twice"])
def test_the_tree_finds_the_same_dominators_as_all_pairs(kind, paired, monkeypatch) -> None:
    monkeypatch.setattr(dominance, "PAIRED", paired)
    monkeypatch.setattr(dominance, "FEW", 20)
    monkeypatch.setattr(dominance, "ROUNDS", 1)
    monkeypatch.setattr(dominance, "WORTH", 1.0)
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n, s = int(rng.integers(1, 300)), int(rng.integers(1, 6))
        values = shell(n, s) * rng.uniform(0.9, 1) if kind == "shell" else rng.uniform(size=(n, s))
        values = (
            np.round(values * 3) / 3
            if kind == "rounded"
            else np.vstack([values, values[::2]])
            if kind == "twice"
            else values
        )
        order = np.argsort(-values.sum(axis=1), kind="stable")
        above = (values[order][None, :, :] >= values[order][:, None, :]).all(axis=2)
        first = order[
            (above & (np.arange(len(order)) <= np.arange(len(order))[:, None])).argmax(axis=1)
        ]
        expected = np.empty(len(order), dtype=int)
        expected[order] = first
        assert (find_dominators(values) == expected).all()
        assert (
            order[DominanceTree(np.ascontiguousarray(values[order].T)).first_dominators()] == first
        ).all()


@pytest.mark.parametrize("few", [0, dominance.FEW])
@pytest.mark.parametrize("tail", [0, 300])
def test_what_dominates_a_row_of_the_same_sum_is_found(few, tail, monkeypatch) -> None:
    """A value of 1 is lost in sums of 1e17, so that sums of three rows, or of all, are equal."""
    monkeypatch.setattr(dominance, "FEW", few)
    rows = np.array([[1e17, 1.0, 1.0], [1e17, 2.0, 1.0], [1e17, 2.0, 2.0], [1e17, 0.0, 1.0]])
    values = np.vstack([rows, np.tile([1e16, 1.0, 1.0], (tail, 1))])
    assert len(set(values.sum(axis=1)[:4])) == 1
    assert (find_dominators(values) == 2).all()
    assert (find_dominators(values[::-1]) == len(values) - 3).all()
    assert undominated_rows(values[:, ::-1]).tolist() == [2]


def test_a_table_with_labels_of_its_own_comes_back_in_its_order() -> None:
    table = pd.DataFrame(shell(2500, 3), columns=list("abc"), index=[f"d{k}" for k in range(2500)])
    ranking, backward = db.rank(table), db.rank(table.iloc[::-1])
    assert backward.scores.loc[table.index].to_numpy() == pytest.approx(
        ranking.scores.to_numpy(), abs=1e-12
    )


def test_few_points_in_six_metrics_have_few_facets() -> None:
    # The moment curve has the most facets: cyclic polytopes.
    for s in range(2, 7):
        for n in (s + 1, s + 4):
            t = np.linspace(0.1, 1.0, n)
            hull = ConvexHull(t[:, None] ** np.arange(1, s + 1))
            assert len(hull.simplices) == facet_bases._most_facets(n - s, s)
    # 14 points have 799 facets at most, which are listed before 100 rows are walked to.
    points = np.random.default_rng(0).uniform(0.9, 1, (14, 6))
    assert facet_bases.should_enumerate_facets(points, 100)
    assert not facet_bases.should_enumerate_facets(points, 60)


def test_a_simplex_that_is_flat_or_steep_has_no_coordinates() -> None:
    """The error of coordinates grows with the condition number, which is 1/height here."""
    heights = np.array([1.0, 1e-3, 1e-12, 0.0])
    matrices = np.array([[[1.0, 1.0], [1.0, 1.0 + height]] for height in heights])
    inverse, error = facet_walk._invert_simplices(matrices)
    np.testing.assert_allclose(inverse[0], [[2, -1], [-1, 1]])
    np.testing.assert_allclose(inverse[1], [[1001, -1000], [-1000, 1000]], rtol=1e-9)
    assert np.isnan(inverse[2:]).all()
    assert error[1] / error[0] == pytest.approx(1001 / 2)


def test_the_best_of_each_metric_are_in_every_part_whose_facets_are_counted(monkeypatch):
    points = np.random.default_rng(0).uniform(0.1, 1, (4000, 3))
    parts = []
    monkeypatch.setattr(facet_bases, "count_simplices", lambda part: parts.append(part) or 1)
    # As many in the small part as in the large one: no growth, and twice the count.
    assert facet_bases._facets_by_growth(points) == 2
    for part in parts:
        np.testing.assert_array_equal(part.max(axis=0), points.max(axis=0))
