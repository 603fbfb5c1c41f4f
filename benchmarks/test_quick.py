"""The benchmark's own functions, at a tiny size: the ways agree, the brute force holds. No time is
asserted.
"""

import numpy as np
import pytest
from simulations.closest_targets import brute, right
from simulations.cpu_time import exponent
from simulations.reference_solvers import naive_pyomo, scipy_linprog, warm_highspy
from simulations.tables import KINDS, unif

import deabench as db
from benchmarks.build_hull import build_hull, compare_designs, draw_design, find_frame
from benchmarks.scale import DRAWS, METRICS, files
from benchmarks.scale_memory import in_memory
from benchmarks.scores import engine, ranked


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_all_ways_give_the_same_scores(kind):
    values = KINDS[kind](12, 3)
    tested_rows = np.arange(len(values))
    truth = scipy_linprog(values, tested_rows)
    for solver in (naive_pyomo, warm_highspy):
        np.testing.assert_allclose(solver(values, tested_rows), truth, rtol=1e-8)
    np.testing.assert_allclose(ranked(values).scores, truth, rtol=1e-8)
    np.testing.assert_allclose(engine(values), truth, rtol=1e-8)


def test_brute_force_on_a_frontier_worked_by_hand():
    """Between (0, 2) and (2, 0) the L1 distance from the origin is 2 everywhere on the face."""
    assert brute(
        np.array([[0.0, 2.0], [2.0, 0.0]]), np.array([[0.0, 0.0]]), "l1", False
    ) == pytest.approx([2.0])


def test_the_targets_of_generated_cases_are_right():
    outcome = right(4)
    assert (outcome["right"] == outcome["targets"]).all()


@pytest.mark.parametrize("kind", DRAWS)
def test_generated_files_hold_what_is_said_of_them(kind, tmp_path):
    front = db.frontier(files(tmp_path, kind, 2500, 1000), outputs=METRICS, label=["model", "F1"])
    assert len(list(tmp_path.iterdir())) == 3
    assert front.source_summary.rows == 2500
    assert (front.points.max() <= 1.0).all()


def test_exponent_of_a_power():
    assert exponent([10, 100, 1000], [1.0, 8.0, 64.0]) == pytest.approx(np.log10(8))
    assert unif(3, 2).shape == (3, 2)


def test_the_overhead_of_a_study_is_what_a_worker_and_the_parent_add(monkeypatch):
    from benchmarks import studies

    monkeypatch.setattr(studies, "_parent", lambda tasks: 1e-4 * tasks + 3)
    overhead_ms = studies.overhead(studies.SLICE)["ms"]
    assert overhead_ms["the parent, beside it"] == pytest.approx(0.1)
    assert overhead_ms["overhead"] == pytest.approx(
        overhead_ms["the task in a worker"] - overhead_ms["fit, predict and score alone"] + 0.1
    )


def test_trivial_tasks_are_measured():
    from benchmarks import studies

    frame = studies.trivial_tasks(400)
    assert frame.index.tolist() == [40, 400]
    # The time of so few tasks may lie below the noise of a start.
    assert frame["ms"].notna().all()
    assert (frame[["parent_MiB", "worker_MiB"]] > 0).all(axis=None)


@pytest.mark.parametrize("source", ["file", pytest.param("code", marks=pytest.mark.slow)])
def test_workers_hold_the_data_of_a_run_once(source):
    from benchmarks import studies

    matrix = 20_000 * 20 * 8 / 2**20
    held = studies._memory_of_run(20_000, 20, 2, source)
    assert held.workers == 2
    # two copies would be twice the matrix
    assert held.mapped < 1.5 * matrix


def test_large_tables_are_measured_beside_what_was_asked(capsys):
    titles = dict(in_memory(True))
    assert list(titles) == [
        "Large tables in memory",
        "Frontiers and comparisons",
        "Beyond six metrics",
        "The command line",
        "Studies",
        "Studies on a cluster, simulated",
    ]
    assert titles["Studies"]["tasks"].tolist() == [200, 200]
    busy = titles["Studies on a cluster, simulated"]["busy"]
    assert ((busy > 0) & (busy <= 1)).all()
    assert (busy.xs(0.2, level="task_s") > 0.95).all()  # long tasks hide every round trip
    assert (titles["Large tables in memory"]["cpu_s"] > 0).all()
    assert titles["Beyond six metrics"]["said"].iloc[0].startswith("distance ")
    assert "proved" in capsys.readouterr().err


def test_a_realised_mixture_is_measured_on_the_folds_it_was_not_fitted_on(monkeypatch):
    from benchmarks import realised_mixtures

    monkeypatch.setattr(realised_mixtures, "FOLDS", 3)
    monkeypatch.setattr(realised_mixtures, "INNER_FOLDS", 2)
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [30, 60])
    measured = realised_mixtures.measure_set(rng.normal(size=(90, 2)) + 1.5 * y[:, None], y)
    assert measured["low"] <= measured["difference"] <= measured["high"]
    assert abs(measured["TPR off"]) < 5
    assert abs(measured["TNR off"]) < 5


def test_similar_instances_close_the_gap_of_a_scenario_by_hand(tmp_path):
    """Two groups of instances, each its own algorithm: both rules are the oracle."""
    from benchmarks import algorithm_selection

    runs, features, folds = [], [], []
    for k in range(40):
        group = int(k >= 18)
        for algorithm, own in (("a", 0), ("b", 1)):
            run = "10,ok" if own == group else "100,timeout"
            runs.append(f"'set {k}',1,{algorithm},{run}")
        features.append(f"'set {k}',1,{50 * group + k % 3},?")
        folds.append(f"'set {k}',1,{k % 4}")
    columns = {
        "algorithm_runs": (
            ["instance_id", "repetition", "algorithm", "runtime", "runstatus"],
            runs,
        ),
        "feature_values": (["instance_id", "repetition", "size", "nothing"], features),
        "cv": (["instance_id", "repetition", "fold"], folds),
    }
    for name, (header, rows) in columns.items():
        lines = [f"@ATTRIBUTE {column} STRING" for column in header]
        text = "\n".join(["% by hand", "@RELATION x", *lines, "@DATA", *rows])
        (tmp_path / f"{name}.arff").write_text(text)
    (tmp_path / "description.txt").write_text("algorithm_cutoff_time: 100\n")
    figures = algorithm_selection.measure_scenario(tmp_path)
    # b is the single best: 22 of 40 at 10 s, the others at ten times the cutoff
    assert figures["single best"] == pytest.approx((22 * 10 + 18 * 1000) / 40)
    assert figures["oracle"] == 10
    assert figures["closed by first name"] == figures["closed by best expected"] == 1


@pytest.mark.parametrize("dimension", [3, 8])
def test_a_design_has_the_share_of_extreme_dmus_that_is_asked_for(dimension):
    values = draw_design(50, dimension, 0.2)
    frame = find_frame(values)
    # The extreme ones are those on the sphere, and no others.
    radius = np.linalg.norm((values - 0.3) / 0.7, axis=1)
    assert frame.tolist() == np.flatnonzero(radius > 1 - 1e-9).tolist()
    assert len(frame) == 10


def test_the_frame_of_tied_and_doubled_dmus_by_hand():
    """Of two equal DMUs one is in the frame; what lies on an edge is not, nor what is dominated."""
    values = np.array([[4.0, 1], [1, 4], [2.5, 2.5], [4, 1], [1, 3], [4, 0.5], [3.5, 3]])
    assert find_frame(values).tolist() == [0, 1, 6]
    _, scores = build_hull(np.zeros((7, 0)), values)
    # The second edge runs from (1, 4) to (3.5, 3): 2 y1 + 5 y2 = 22.
    assert scores == pytest.approx([1, 1, 17.5 / 22, 1, 17 / 22, 1, 1])


def test_rank_and_build_hull_have_the_same_answers():
    tables = dict(compare_designs(True))
    assert len(tables) == 2
    for table in tables.values():
        assert (table["largest_difference"] < 1e-8).all()
        assert (table["efficient_differ"] == 0).all()
        assert (table["frame"] == 12).all()
