"""Targets on one face of a cone that dominate DMUs of very different sizes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import CertificateError, SolveError
from deabench.geometry import closest
from deabench.solver.highs import Undecided

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
REFERENCE = pd.DataFrame({"x": [0.6, 0.8], "y": [0.5, 0.4]}, ["best", "other"])


def find_targets(table: pd.DataFrame, method: str = "faces", norm: str = "l1") -> db.Targets:
    return db.targets(
        table,
        REFERENCE,
        outputs=["y"],
        inputs=["x"],
        returns="crs",
        norm=norm,
        weights={"x": 0.5, "y": 1.0},
        dominating=True,
        common=True,
        method=method,
    )


@pytest.mark.parametrize("decades", range(0, 13, 3))
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_one_dmu_beyond_the_cone_leaves_none_a_target(decades, norm) -> None:
    """Nothing gives 8 for 7, as the best of the reference gives 5 for 6, however small it is.

    Beside inputs 1e12 times as large its own has too few digits left for a certificate.
    """
    values = np.array([[60.0, 20.0], [7.0, 8.0], [60.0, 50.0]])
    values[[0, 2]] *= 10.0**decades
    table = pd.DataFrame(values, ["a", "beyond", "c"], ["x", "y"])
    targets = find_targets(table, norm=norm)
    assert targets.distance.isna().all()
    if decades < 12:
        db.certify(targets)


@pytest.mark.parametrize("decades", range(0, 13, 3))
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_targets_on_the_ray_dominate_each_dmu_in_its_own_size(decades, norm) -> None:
    """Of the points (6, 5) t that dominate, the nearest, by a search over t."""
    values = np.array([[60.0, 20.0], [7.0, 3.0], [60.0, 50.0]])
    values[[0, 2]] *= 10.0**decades
    table = pd.DataFrame(values, ["a", "small", "c"], ["x", "y"])
    targets = find_targets(table, norm=norm)
    db.certify(targets)
    order = {"l1": 1, "l2": 2, "linf": np.inf}[norm]
    for label, (x, y) in table.iterrows():
        t = np.linspace(y / 5, x / 6, 100_001)
        gaps = np.column_stack([0.5 * (6 * t - x), 5 * t - y])
        expected = np.linalg.norm(gaps, order, axis=1).min()
        size = float(np.hypot(x, y))
        # An input is counted from its largest: its last digits are those of that.
        rounding = 1e-15 * 60.0 * 10.0**decades
        assert targets.distance[label] == pytest.approx(expected, abs=1e-5 * size + rounding)
        assert (targets.targets.loc[label, "y"] - y) / size >= -1e-9
        assert targets.targets.loc[label, "x"] <= x + 1e-9 * size + rounding


def test_a_total_where_no_face_dominates_all_is_refused() -> None:
    """Targets of which one is short by 1e-10 of the largest metric, and by 12 % of its own."""
    table = pd.DataFrame([[70.0, 20.0], [7e-5, 5e-5], [6e4, 5e4]], ["a", "b", "c"], ["x", "y"])
    honest = find_targets(table)
    db.certify(honest)
    actual = honest.actual.copy()
    actual.loc["b", "y"] = 8e-5
    with pytest.raises(CertificateError, match="closest"):
        db.certify(replace(honest, actual=actual, gaps=honest.targets - actual))


def test_the_program_refuses_a_face_that_dominates_none() -> None:
    table = pd.DataFrame([[70.0, 20.0], [7e-5, 8e-5], [6e4, 5e4]], ["a", "b", "c"], ["x", "y"])
    with pytest.raises(SolveError, match="Pass method='faces'"):
        find_targets(table, "milp")


@pytest.mark.parametrize("model", ["normalised", "supports"])
def test_what_the_program_leaves_undecided_names_the_way_out(monkeypatch, model) -> None:
    def run(solver: closest.Solver, name: str) -> None:
        if solver.program_name == model:
            raise Undecided(f"{model} for {name}: HiGHS ended with 'Solve error'")
        solve(solver, name)

    def read_program(built: object, name: str) -> object:
        program = to_program(built, name)
        monkeypatch.setattr(closest.Solver, "program_name", name, raising=False)
        return program

    solve, to_program = closest.Solver.run, closest._to_program
    monkeypatch.setattr(closest.Solver, "run", run)
    monkeypatch.setattr(closest, "_to_program", read_program)
    table = REFERENCE * [1.0, 0.9]
    with pytest.raises(SolveError, match=r"'Solve error'\. Pass method='faces'\.$"):
        db.targets(table, REFERENCE, outputs=["y"], inputs=["x"], method="milp", norm="l1")
