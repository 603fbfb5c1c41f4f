"""Closest targets with inputs under constant returns: the airlines of Aparicio, Ruiz and Sirvent,
and brute force over cones.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, lp, oracle, solved
from hypothesis import given
from hypothesis import strategies as st

import deabench as db
from deabench.cli import main

AIRLINES = "06_aparicio2007_airlines_closest"
INPUTS, OUTPUTS = ["Lab", "Fuel", "Matl", "Cap"], ["Pass", "Cargo"]


@pytest.fixture(scope="module")
def airlines() -> db.Targets:
    data = oracle(AIRLINES, "data")
    return db.targets(
        data,
        data,
        inputs=INPUTS,
        outputs=OUTPUTS,
        returns="crs",
        dominating=True,
        weights=dict.fromkeys([*INPUTS, *OUTPUTS], 1.0),
    )


def test_the_airlines_least_slack_and_targets_to_their_printed_digits(airlines) -> None:
    expected = oracle(AIRLINES, "expected")
    np.testing.assert_allclose(
        airlines.distance, expected["closest_L1_minslack_crs"], rtol=1e-9, atol=1e-7
    )
    for side, names in (("input", INPUTS), ("output", OUTPUTS)):
        for name in names:
            np.testing.assert_allclose(
                airlines.targets[name], expected[f"target_{side}.{name}"], rtol=2e-9
            )
    db.certify(airlines)
    assert airlines.unproved == (
        "not certified: that the rows of the frontier are the multiples of the reference that "
        "`multiples` says",
    )


def test_the_airlines_ten_faces(airlines) -> None:
    front = airlines.frontier
    faces = [{front.vertices[k] for k in face} for face in front.hull.maximal_faces]
    through = {frozenset(face - {"nothing"}) for face in faces if "nothing" in face}
    table = oracle(AIRLINES, "facets_crs")["airline"]
    assert through == {frozenset(names) for _, names in table.groupby(level=0)}
    flags = oracle(AIRLINES, "expected")["extreme_efficient_crs"]
    assert set().union(*through) == set(flags.index[flags == 1])


def test_peers_are_in_the_references_own_size(airlines) -> None:
    data = oracle(AIRLINES, "data")
    assert "nothing" not in airlines.peers
    np.testing.assert_allclose(
        airlines.peers @ data.loc[airlines.peers.columns, airlines.targets.columns],
        airlines.targets,
        rtol=1e-9,
    )


def efficient_cones(X: np.ndarray, Y: np.ndarray):
    """Subsets of DMUs on which some u, v > 0 has u·y − v·x = 0, its largest value over all."""
    gain = np.column_stack([Y, -X])
    d = gain.shape[1]
    for size in range(1, min(len(X), d) + 1):
        for T in itertools.combinations(range(len(X)), size):
            gain_rows = np.column_stack([gain, np.zeros(len(gain))])
            sign_rows = np.column_stack([-np.eye(d), np.ones(d)])
            on = np.column_stack([gain[list(T)], np.zeros(size)])
            solution = solved(
                np.append(np.zeros(d), -1.0),
                np.vstack([gain_rows, sign_rows]),
                np.zeros(len(gain) + d),
                equal=(np.vstack([on, np.append(np.ones(d), 0.0)]), np.append(np.zeros(size), 1.0)),
                bounds=[(0, None)] * d + [(None, None)],
            )
            if solution is not None and solution.x[-1] > 1e-7:
                yield gain[list(T)]


def to_cone(G: np.ndarray, p: np.ndarray, norm: str, *, dominating: bool) -> float:
    """The distance from p to what multiples of the rows of G make."""
    k, d = G.shape
    gaps = np.eye(d) if norm == "l1" else np.ones((d, 1))
    A = np.vstack([np.column_stack([G.T, -gaps]), np.column_stack([-G.T, -gaps])])
    b = np.append(p, -p)
    if dominating:
        A, b = np.vstack([A, np.column_stack([-G.T, 0 * gaps])]), np.append(b, -p)
    value = lp(np.append(np.zeros(k), np.ones(gaps.shape[1])), A, b)
    return np.inf if np.isnan(value) else value


@examples(10)
@given(st.integers(0, 10_000), st.sampled_from(["l1", "linf"]), st.booleans(), st.booleans())
def test_brute_force_over_cones(seed, norm, dominating, outside) -> None:
    rng = np.random.default_rng(seed)
    X, Y = (
        rng.integers(1, 9, (5, 2)) / rng.choice([1, 4, 16], (5, 1)),
        rng.integers(0, 9, (5, 2)) + 0.0,
    )
    Y[Y.sum(axis=1) == 0] = 1.0  # ties, zeros, sizes far apart
    X[4], Y[4] = (X[0] * 2, Y[0] * 2) if seed % 3 == 0 else (X[4], Y[4])
    table = pd.DataFrame(
        np.column_stack([X, Y]), index=list("abcde"), columns=["x1", "x2", "y1", "y2"]
    )
    tested = table * (np.array([0.7, 0.9, 1.1, 1.3]) if outside else np.array([1.5, 1.1, 1.0, 0.8]))
    targets = db.targets(
        tested,
        table,
        inputs=["x1", "x2"],
        outputs=["y1", "y2"],
        returns="crs",
        norm=norm,
        dominating=dominating,
        weights=dict.fromkeys(table, 1.0),
    )
    cones = [np.zeros((1, 4)), *efficient_cones(X, Y)]
    for k, p in enumerate(tested[["y1", "y2", "x1", "x2"]].to_numpy() * [1, 1, -1, -1]):
        shortest = min(to_cone(G, p, norm, dominating=dominating) for G in cones)
        assert np.nan_to_num(targets.distance.iloc[k], nan=np.inf) == pytest.approx(
            shortest, abs=1e-7
        )
    db.certify(targets)


def test_euclidean_targets_are_those_of_the_efficient_ratio_with_one_input_and_one_output() -> None:
    table = pd.DataFrame({"x": [2.0, 4.0, 8.0, 5.0], "y": [1.0, 5.0, 8.0, 3.0]}, index=list("abcd"))
    targets = db.targets(
        table,
        table,
        inputs=["x"],
        outputs=["y"],
        returns="crs",
        norm="l2",
        weights={"x": 1.0, "y": 1.0},
    )
    np.testing.assert_allclose(
        targets.distance, (1.25 * table["x"] - table["y"]) / np.hypot(1.25, 1.0), atol=1e-12
    )
    db.certify(targets)


def test_the_command_takes_constant_returns(tmp_path, capsys) -> None:
    source = tmp_path / "table.csv"
    source.write_text("name,accuracy,seconds\na,.5,2\nb,.9,3\nc,.6,4\n")
    assert (
        main(
            [
                "targets",
                str(source),
                "--reference",
                str(source),
                "--inputs",
                "seconds",
                "--outputs",
                "accuracy",
                "--returns",
                "crs",
                "--format",
                "csv",
            ]
        )
        == 0
    )
    captured = capsys.readouterr()
    assert captured.out.startswith("classifier,position,distance,target_accuracy,target_seconds")
    assert "spanned by zero and by multiples of the reference" in captured.err


def test_constant_returns_refuse_tables_without_inputs(refused) -> None:
    table = pd.DataFrame({"y": [0.5, 0.9], "x": [0.0, 3.0]}, index=["a", "b"])
    with refused(
        "returns='crs' multiplies inputs and there are none; name one in inputs, or leave "
        "returns out"
    ):
        db.targets(table, table, outputs=["y"], returns="crs")
    with refused(
        "'a' needs none of any input, so that under returns='crs' it can be multiplied without "
        "limit; leave it out, or leave "
        "returns out"
    ):
        db.targets(table, table, outputs=["y"], inputs=["x"], returns="crs")
    with refused(
        "on='facets' extends the facets of a hull, and under returns='crs' there are none; leave "
        "on out, or use returns='vrs'"
    ):
        db.targets(table, table, outputs=["y"], inputs=["x"], returns="crs", on="facets")
    with refused("returns 'nirs' is not known; it is one of 'vrs', 'crs'"):
        db.targets(table, table, outputs=["y"], inputs=["x"], returns="nirs")


def test_a_target_beyond_the_range_of_a_rate_is_not_reported() -> None:
    board = pd.DataFrame(
        {"top1": [76.9, 83.1, 90.1], "latency_ms": [0.13, 0.22, 9.8]}, index=["a", "b", "c"]
    )
    # A change of latency counts so much that multiples of 'a' are the closest.
    options: dict = {"returns": "crs", "weights": {"top1": 1e-6, "latency_ms": 1.0}}
    result = db.targets(board, board, **options)
    assert list(result.reasons) == ["b", "c"]
    assert result.reasons["c"] == (
        "its closest target would have 'top1' at 5797, and only 0 to 100 is possible"
    )
    assert result.targets.loc["c"].isna().all()
    assert result.gaps.loc["c"].isna().all()
    assert np.isnan(result.distance["c"])
    assert "'c' has none: its closest target would have 'top1' at 5797" in result.summary()
    # What was solved is what is proved, and what is reported is a part of it.
    db.certify(result)
    forged = result.targets.copy()
    forged.loc["a", "top1"] += 1e-6
    with pytest.raises(db.CertificateError, match="'targets' are not those that were solved"):
        db.certify(dataclasses.replace(result, targets=forged))
    unlimited = board.rename(columns={"top1": "patients"})
    options["weights"] = {"patients": 1e-6, "latency_ms": 1.0}
    columns = {"outputs": ["patients"], "inputs": ["latency_ms"]}
    assert not db.targets(unlimited, unlimited, **columns, **options).reasons


def test_metrics_far_apart_in_size_under_weights_of_one() -> None:
    """Exact by enumeration of faces in fractions: a unit of 'a' counts as one of 'c'."""
    reference = pd.DataFrame(
        [
            [5.0, 80.0, 7e11, 4e10],
            [9.0, 90.0, 6e11, 4e10],
            [9.0, 60.0, 2e11, 9e10],
            [1.0, 10.0, 4e11, 9e10],
            [8.0, 30.0, 9e11, 1e10],
        ],
        index=list("ABCDE"),
        columns=["x", "a", "b", "c"],
    )
    tested = pd.DataFrame(
        [[8.0, 80.0, 5e11, 4e10], [1.0, 80.0, 9e11, 4e10]],
        index=["p", "q"],
        columns=reference.columns,
    )
    result = db.targets(
        tested,
        reference,
        inputs=["x"],
        outputs=["a", "b", "c"],
        returns="crs",
        weights=dict.fromkeys(reference, 1.0),
    )
    assert result.distance.tolist() == pytest.approx([1583 / 47, 11428571456.857143], abs=0.01)
    assert result.position.tolist() == ["inside", "outside"]
    db.certify(result)


def test_a_target_of_zero_has_no_sign() -> None:
    board = pd.DataFrame({"y": [0.0], "x": [0.1]}, index=["a"])
    reference = pd.DataFrame({"y": [1.0], "x": [1.0]}, index=["b"])
    weights = {"y": 1.0, "x": 0.1}
    result = db.targets(
        board, reference, outputs=["y"], inputs=["x"], returns="crs", weights=weights
    )
    assert result.targets.loc["a"].tolist() == [0.0, 0.0]
    assert not np.signbit(result.targets.to_numpy()).any()
