"""Faults that were seeded once and that no test found: a test for each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import frame

import deabench as db
from deabench import compare, metrics, tango
from deabench.errors import DataError
from deabench.models.shared.radial import ccr_form
from deabench.solver.engine import solve_family
from deabench.solver.family import Family

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.mark.parametrize("orientation", ["input", "output"])
def test_a_dmu_that_few_columns_do_not_reach_is_given_more_before_it_is_called_infeasible(
    orientation,
) -> None:
    rng = np.random.default_rng(0)
    data = rng.uniform(0.1, 1, (400, 5))
    family = Family(ccr_form(2, 3, "vrs", orientation), data)
    assert family.n > 300  # more than are active at first
    assert solve_family(family, data).infeasible == {}


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_from_inside_the_facets_extended_everybody_has_a_dominating_target(norm) -> None:
    rng = np.random.default_rng(1)
    table = frame(rng.uniform(0.3, 1, (20, 3)))
    front = db.frontier(table)
    inside = frame(rng.uniform(0.1, 0.4, (4, 3)), "t")
    found = db.targets(inside, table, on="facets", dominating=True, norm=norm)
    assert not found.reasons
    weights = front.facets.loc[front.facets["full_dimensional"], front.outputs].to_numpy()
    room = (1 - inside.to_numpy() @ weights.T) / np.linalg.norm(
        weights, {"l1": np.inf, "l2": 2, "linf": 1}[norm], axis=1
    )
    np.testing.assert_allclose(found.distance, room.min(axis=1), atol=1e-12)


@pytest.mark.parametrize("off", [0.0, 1e-11, -1e-11])
def test_points_within_1e10_of_an_edge_are_on_it(off) -> None:
    """A row a hair beside the middle of an edge changes neither facets nor faces, but for itself."""
    corners = np.array([[1.0, 0.4, 0.4], [0.4, 1.0, 0.4], [0.4, 0.4, 1.0]])
    plain, front = (
        db.frontier(frame(corners)),
        db.frontier(frame(np.vstack([corners, corners[:2].mean(axis=0) + off]))),
    )
    assert front.extreme == plain.extreme
    assert sorted(front.faces["vertices"]) == sorted(plain.faces["vertices"])
    assert front.graph.number_of_edges() == plain.graph.number_of_edges()
    db.certify(front)
    for shift, where in ((1e-10, "on"), (-1e-10, "on"), (1e-7, "outside"), (-1e-7, "inside")):
        at = frame(corners[:2].mean(axis=0)[None] + shift, "t")
        assert front.locate(at)["position"].tolist() == [where]
        found = db.targets(at, frame(corners), on="faces", norm="linf")
        assert found.position.tolist() == [where]
        db.certify(found)


def test_labels_that_could_be_formulas_come_back_as_they_were(tmp_path) -> None:
    table = pd.DataFrame(
        {"TPR": [0.9, 0.5, 0.7], "TNR": [0.5, 0.9, 0.6]}, index=["=1+1", "+SVM", "'quoted"]
    )
    db.frontier(table).to_csv(tmp_path / "front.csv")
    assert "\n'=1+1," in (tmp_path / "front.csv").read_text()
    db.rank(table).to_csv(tmp_path / "ranking.csv")
    from deabench.utils.text import csv_text

    (tmp_path / "table.csv").write_text(csv_text(table.rename_axis("classifier")))
    again = db.rank(db.read(tmp_path / "table.csv"))
    assert set(again.scores.index) == set(table.index)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 2, -0.05])
def test_the_critical_difference_checks_its_alpha(refused, alpha) -> None:
    with refused(f"alpha is {alpha}; give a number between 0 and 1, both excluded, as 0.05"):
        compare.critical_difference(4, 14, alpha=alpha)


def test_f_at_beta_0_is_precision() -> None:
    counts = pd.DataFrame(
        {"tp": [3, 0], "fp": [1, 2], "fn": [2, 5], "tn": [4, 1]}, index=["a", "b"]
    )
    table = metrics.from_counts(counts, beta=0)
    assert table["F0"].tolist() == [0.75, 0.0]
    nothing = pd.DataFrame({"tp": [0], "fp": [0], "fn": [5], "tn": [1]}, index=["c"])
    assert metrics.from_counts(pd.concat([counts, nothing]), beta=0)["F0"].isna().tolist() == [
        False,
        False,
        True,
    ]


def test_counts_of_other_lengths_and_impossible_ones_are_refused_in_words() -> None:
    with pytest.raises(DataError) as error:
        tango.interval([1, 2], [1, 2, 3], 10)
    assert "give counts, all of one length" in str(error.value)
    with pytest.raises(DataError, match=r"^b \+ c is 12, more than n = 10; "):
        tango.interval(7, 5, 10)
