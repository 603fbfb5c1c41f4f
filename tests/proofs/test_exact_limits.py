"""What lies exactly at a limit: the limits are powers of two here, and nothing is rounded."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with
from stand_in_targets import hull_of_a_line, stand_in_targets

import deabench as db
from deabench.errors import CertificateError, DataError
from deabench.models import super_sbm, superefficiency
from deabench.models.shared import radial
from deabench.proofs import bounds, exact_repair, frontier, ranking, reasons, supporting_weights
from deabench.proofs import targets as target_proofs
from deabench.proofs.exact_repair import Technology
from deabench.results.proof import Proof
from deabench.utils.arrays import TOLERANCE, Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
LIMIT = 2.0**-10
TABLE = pd.DataFrame({"a": [1.0, 4.0, 2.0], "b": [4.0, 1.0, 2.0]}, index=list("pqr"))
NOTHING = np.zeros(2)


def single_lambda(value: float, column: int = 0) -> Sparse:
    return Sparse(np.array([[column]], dtype=np.int32), np.array([[value]]))


# scores and slacks


@pytest.mark.parametrize(
    ("score", "slack", "is_proved"),
    [
        (1 - LIMIT, 0.0, True),
        (1 - 1.01 * LIMIT, 0.0, False),
        (1.0, LIMIT, True),
        (1.0, 1.01 * LIMIT, False),
    ],
)
def test_who_is_short_of_1_by_the_tolerance_is_efficient(
    monkeypatch, score, slack, is_proved
) -> None:
    monkeypatch.setattr(ranking, "TOLERANCE", LIMIT)
    honest = db.rank(TABLE)
    weights = replace(honest.slack_weights, of=np.full(3, ranking.OWN_WEIGHTS, dtype=np.int32))
    scores = honest.scores.where(TABLE.index != "p", score)
    slacks = honest.slacks * 0
    slacks.loc["p", "a"] = slack
    proof = ranking.SlackProof(replace(honest, scores=scores, slacks=slacks), weights)
    assert proof.proved[0][0] == is_proved
    assert not proof.proved[1].any()


@pytest.mark.parametrize("share", [1.0, 1.01])
def test_weights_that_leave_the_tolerance_leave_nothing(monkeypatch, share) -> None:
    """The second output is short by a quarter of it, in a unit that is 4 times the first one."""
    monkeypatch.setattr(ranking, "TOLERANCE", LIMIT)
    table = pd.DataFrame({"a": [1.0, 4.0], "b": [4.0 - share * LIMIT, 1.0]}, list("rq"))
    reference = pd.DataFrame({"a": [1.0, 4.0], "b": [4.0, 1.0]}, list("pq"))
    honest = db.rank(table, reference=reference)
    weights = replace(honest.slack_weights, rows=np.ones((1, 2)), of=np.zeros(2, dtype=np.int32))
    proof = ranking.SlackProof(replace(honest, scores=honest.scores * 0 + 1), weights)
    assert proof.has_no_own_slack(np.arange(2)).tolist() == [share == 1, True]


def test_weights_that_leave_more_than_the_tolerance_are_discarded(monkeypatch) -> None:
    slack_left = np.array([0.0, TOLERANCE, 2 * TOLERANCE])
    monkeypatch.setattr(ranking.SlackProof, "all_slack_left", lambda *_: slack_left)
    answer = db.rank(TABLE)
    weights = replace(answer.slack_weights, of=np.full(3, ranking.OWN_WEIGHTS, dtype=np.int32))
    proof = radial._prove_slacks(replace(answer, slack_weights=weights))
    assert proof.weights.of.tolist() == [ranking.OWN_WEIGHTS] * 2 + [ranking.NO_PROOF]


@pytest.mark.parametrize(
    ("score", "short", "left"),
    [
        (1.0, 4 * LIMIT, LIMIT),
        (1.0, 8 * LIMIT, 0.0),
        (1 - LIMIT, 8 * LIMIT, 0.0),
        (1 - 2 * LIMIT, 8 * LIMIT, 2 * LIMIT),
    ],
)
def test_slack_above_the_tolerance_is_told_in_fractions_of_who_reaches_1(
    monkeypatch, score, short, left
) -> None:
    monkeypatch.setattr(ranking, "TOLERANCE", LIMIT)
    honest = db.rank(TABLE)
    weights = replace(honest.slack_weights, rows=np.ones((1, 2)), of=np.zeros(3, dtype=np.int32))
    forged = replace(honest, scores=honest.scores * 0 + score, slacks=honest.slacks * 0)
    proof = ranking.SlackProof(forged, weights)
    monkeypatch.setattr(proof, "is_supported", lambda _: True)
    reached = TABLE.to_numpy() - [0.0, short] * (np.arange(3) == 0)[:, None]
    assert proof.all_slack_left(reached)[0] == left


@pytest.mark.parametrize("returns", ["nirs", "ndrs"])
@pytest.mark.parametrize("share", [1.0, 1.01])
def test_a_sum_that_differs_from_1_by_the_tolerance_is_at_its_bound(
    monkeypatch, returns, share
) -> None:
    monkeypatch.setattr(ranking, "TOLERANCE", LIMIT)
    reference = pd.DataFrame({"a": [4.0, 1.0], "x": [2.0, 1.0]}, list("pq"))
    tested = pd.DataFrame({"a": [9.0], "x": [2.0]}, ["o"])
    honest = rank_with(
        tested, reference=reference, outputs=["a"], inputs=["x"], model="ccr", returns=returns
    )
    sign = {"nirs": -1, "ndrs": 1}[returns]
    peer = single_lambda(1 + sign * share * LIMIT)
    weights = replace(honest.slack_weights, of=np.zeros(1, dtype=np.int32), rows=np.ones((1, 2)))
    proof = ranking.SlackProof(
        replace(honest, intensities=peer, slacks=honest.slacks * 0, scores=honest.scores * 0 + 2),
        weights,
    )
    seen = []
    monkeypatch.setattr(
        ranking, "has_supporting_weights", lambda *arguments: seen.append(arguments[-1])
    )
    proof._has_support(0)
    assert seen == [returns if share == 1 else "crs"]


@pytest.mark.parametrize("share", [1.0, 1.01])
def test_slack_of_the_tolerance_is_none_beside_peers(monkeypatch, share) -> None:
    monkeypatch.setattr(ranking, "TOLERANCE", LIMIT)
    tested = pd.DataFrame({"a": [8.0], "b": [2.0]}, ["o"])
    honest = db.rank(tested, reference=TABLE)
    weights = replace(honest.slack_weights, rows=np.ones((1, 2)), of=np.zeros(1, dtype=np.int32))
    slacks = honest.slacks * 0
    slacks["a"] = share * LIMIT * 4
    forged = replace(honest, slacks=slacks, intensities=single_lambda(1.0, 1))
    monkeypatch.setattr(ranking, "has_supporting_weights", lambda *_: True)
    assert ranking.SlackProof(forged, weights)._has_support(0) == (share == 1)
    # Nothing supports what has no peers.
    of_one_peer = replace(forged, slacks=slacks * 0, intensities=single_lambda(0.0, -1))
    assert not ranking.SlackProof(of_one_peer, weights)._has_support(0)


@pytest.mark.parametrize("share", [1.0, 1.01])
def test_what_is_worth_the_tolerance_is_worth_no_more_than_0(monkeypatch, share) -> None:
    monkeypatch.setattr(ranking, "TOLERANCE", LIMIT)
    table = pd.DataFrame({"a": [2.0, 1.0], "x": [1 - share * LIMIT, 1.0]}, list("pq"))
    honest = rank_with(table, outputs=["a"], inputs=["x"], model="ccr", returns="crs")
    for size in (1.0, 2.0**20):
        worth = ranking.weighted_maxima(honest, size * np.array([[1.0, 1.0], [-1.0, -1.0]]))
        assert worth[0] == (size * LIMIT if share == 1 else np.inf)
        # Of weights below 0 that of the largest size counts.
        assert worth[1] == 0.0


@pytest.mark.parametrize(
    ("rise", "total", "is_dominated"),
    [
        (1.0, 1.0, True),
        (1.01, 1.0, False),
        (0.0, 1 + LIMIT, True),
        (0.0, 1 - LIMIT, True),
        (0.0, 1 + 1.01 * LIMIT, False),
        (0.0, 1 - 1.01 * LIMIT, False),
    ],
)
def test_a_row_exceeds_its_mixture_by_rounding(monkeypatch, rise, total, is_dominated) -> None:
    """With rounding of 1/2 of both numbers, 3 is reached by 1 and an input of 1 by one of 3."""
    monkeypatch.setattr(ranking, "ROUND", 0.5)
    monkeypatch.setattr(ranking, "TOLERANCE", LIMIT)
    for metric in (0, 1):
        table = np.ones((2, 2))
        if rise:
            table[1, metric] = 3.0 * rise if metric == 0 else 1 / (3.0 * rise)
            table[0, metric] = 1.0
            if metric == 1 and rise == 1:
                table[:, 1] = [3.0, 1.0]
        result = SimpleNamespace(
            reference=SimpleNamespace(
                outputs=pd.DataFrame({"a": table[:, 0]}), inputs=pd.DataFrame({"x": table[:, 1]})
            ),
            frontier=np.arange(1),
            intensities=Sparse(np.zeros((2, 1), dtype=np.int32), np.full((2, 1), total)),
            own_reference=True,
            scores=np.zeros(2),
            returns="vrs",
        )
        assert ranking.dominated_by_mixtures(result, np.array([1])).tolist() == [is_dominated]


MODELS: list[dict[str, Any]] = [
    {"model": "wei", "inputs": None},
    {"model": "ccr", "returns": "vrs"},
    {"model": "ccr", "returns": "vrs", "shares": {"a": (0.1, 0.9)}},
    {"model": "sbm", "returns": "vrs"},
    {"model": "sbm", "returns": "crs", "orientation": "input"},
    {"model": "russell", "orientation": "none"},
]


@pytest.mark.parametrize(
    "options", MODELS, ids=lambda options: " ".join(map(str, options.values()))
)
def test_a_score_of_1_less_the_tolerance_counts_as_1(options) -> None:
    options = {"inputs": ["x"], **options}
    table = TABLE.assign(x=[1.0, 1.0, 2.0])[["a", "b", *(options["inputs"] or [])]]
    honest = rank_with(table, outputs=["a", "b"], **options)
    is_efficient = honest.efficient.to_numpy()
    assert is_efficient[:2].any()
    for score, is_wrong in ((1 - TOLERANCE, False), (1 - 1.01 * TOLERANCE, True)):
        forged = replace(honest, scores=honest.scores.mask(is_efficient, score))
        wrong = forged.options.prove(forged).violations["efficient"]
        assert wrong.tolist() == (is_efficient & is_wrong).astype(float).tolist()


@pytest.mark.parametrize(("share", "left"), [(1.0, 0.0), (1.01, 1.0)])
def test_slack_of_who_is_short_of_1_by_the_tolerance_is_not_claimed(
    monkeypatch, share, left
) -> None:
    honest = rank_with(TABLE, outputs=["a", "b"], model="super")
    monkeypatch.setattr(superefficiency, "TOLERANCE", LIMIT)
    monkeypatch.setattr(ranking.SlackProof, "all_slack_left", lambda *_: np.ones(3))
    forged = replace(honest, scores=honest.scores * 0 + 1 - share * LIMIT)
    violations = forged.options.prove(forged).violations
    assert violations["slack_that_is_left"].tolist() == [left] * 3


@pytest.mark.parametrize(("share", "is_wrong"), [(1, False), (1.01, True)])
@pytest.mark.parametrize("orientation", ["input", "output", "none"])
def test_who_is_beyond_1_by_more_than_the_tolerance_is_efficient(
    monkeypatch, orientation, share, is_wrong
) -> None:
    """One orientation alone may leave slack in the other metrics at 1, and not beyond it."""
    monkeypatch.setattr(super_sbm, "TOLERANCE", LIMIT)
    table = pd.DataFrame({"a": [4.0, 2.0, 3.0], "x": [2.0, 1.0, 2.0]}, list("pqr"))
    honest = rank_with(
        table, outputs=["a"], inputs=["x"], model="super-sbm", orientation=orientation
    )
    forged = replace(
        honest, scores=honest.scores * 0 + 1 + share * LIMIT, efficient=honest.efficient & False
    )
    violations = super_sbm._prove_without_themselves(forged, np.arange(3)).violations
    # Both sides together leave none.
    assert violations["efficient"].tolist() == [float(is_wrong or orientation == "none")] * 3


# reasons


@pytest.mark.parametrize(
    ("orientation", "weights", "zero", "impossible"),
    [
        # Outwards the reference is worth a - x/2, the DMU spends x/8 and gains a.
        # Together that is below 0, which fractions tell where rounding could hide it.
        ("output", [LIMIT, 2 * LIMIT], False, False),
        ("output", [LIMIT, 4 * LIMIT], False, True),
        ("output", [1.01 * LIMIT, 4.04 * LIMIT], True, True),
        ("output", [2 * LIMIT, 8 * LIMIT], True, True),
        ("output", [2.02 * LIMIT, 8.08 * LIMIT], True, True),
        # Inwards it may be worth no more than a, and the DMU 2 a.
        # Where it spends nothing, fractions decide what rounding could hide.
        ("input", [LIMIT, 0.0], False, True),
        ("input", [1.01 * LIMIT, 0.0], False, True),
        ("input", [1.0, 4 * LIMIT], False, True),
        ("input", [1.0, 4.04 * LIMIT], False, False),
        # Where it spends a little, what it gains more must be beyond the limit.
        ("input", [LIMIT - 2.0**-21, 2.0**-20], False, False),
        ("input", [LIMIT, 2.0**-20], False, True),
    ],
)
def test_a_reason_holds_beyond_the_limit_of_rounding(
    monkeypatch, orientation, weights, zero, impossible
) -> None:
    monkeypatch.setattr(reasons, "CLEAR", LIMIT)
    reference = pd.DataFrame({"a": [1.0, 4.0], "x": [2.0, 1.0]}, list("pq"))
    metrics = {"output": [4.0, 0.25], "input": [8.0, 0.5]}[orientation]
    tested = pd.DataFrame([metrics], ["o"], ["a", "x"])
    honest = rank_with(
        tested, reference=reference, outputs=["a"], inputs=["x"], model="ccr", returns="vrs",
        orientation=orientation,
    )  # fmt: skip
    frame = pd.DataFrame([np.array(weights) / [4.0, 2.0]], ["o"], ["a", "x"])
    forged = replace(honest, infeasibility_certificates=frame)
    proved = reasons.proved_extreme_factors(forged)
    assert [part.tolist() for part in proved] == [[zero], [impossible]]


@pytest.mark.parametrize("share", [1.0, 1.01])
def test_a_factor_of_0_leaves_the_tolerance_of_what_is_gained(monkeypatch, share) -> None:
    monkeypatch.setattr(reasons, "TOLERANCE", LIMIT)
    reference = pd.DataFrame({"a": [1.0, 4.0], "x": [2.0, 1.0]}, list("pq"))
    tested = pd.DataFrame({"a": [4.0], "x": [0.5]}, ["o"])
    honest = rank_with(
        tested, reference=reference, outputs=["a"], inputs=["x"], model="ccr", returns="vrs"
    )
    # The reference is worth a - x/2, and the DMU spends x/4 and gains a.
    frame = pd.DataFrame([[0.25, 2 * (1 - share * LIMIT)]], ["o"], ["a", "x"])
    proved = reasons.proved_extreme_factors(replace(honest, infeasibility_certificates=frame))
    assert [part.tolist() for part in proved] == [[share == 1], [False]]


@pytest.mark.parametrize("share", [1.0, 1.01])
def test_peers_without_inputs_reach_outputs_within_the_tolerance(monkeypatch, share) -> None:
    monkeypatch.setattr(reasons, "TOLERANCE", LIMIT)
    reference = pd.DataFrame({"a": [2.0, 1.0], "x": [1.0, 1.0]}, list("pq"))
    tested = pd.DataFrame({"a": [1.0 + 2 * share * LIMIT], "x": [1.0]}, ["o"])
    honest = rank_with(
        tested, reference=reference, outputs=["a"], inputs=["x"], model="ccr", orientation="input"
    )
    free = pd.DataFrame({"x": [1.0, 0.0]}, list("pq"))
    forged = replace(
        honest,
        reference=replace(honest.reference, inputs=free),
        intensities=single_lambda(1.0, 1),
    )
    assert reasons.proved_zero_factors(forged).tolist() == [share == 1]


# frontiers


@pytest.mark.parametrize(
    ("margin", "weight", "is_called_wrongly", "is_left_out_wrongly"),
    [
        (LIMIT, 1.0, True, False),
        (1.01 * LIMIT, 1.0, False, False),
        (8 * LIMIT, 1.0, False, False),
        (8.08 * LIMIT, 1.0, False, True),
        (0.5, 0.0, True, False),
        (0.5, 8 * LIMIT, False, False),
        (0.5, 8.08 * LIMIT, False, True),
    ],
)
def test_an_extreme_row_stands_out_by_more_than_the_limit(
    monkeypatch, margin, weight, is_called_wrongly, is_left_out_wrongly
) -> None:
    """Under its facet's normal the first row is worth 1, and the second one less by `margin`."""
    monkeypatch.setattr(frontier, "CLEAR", LIMIT)
    monkeypatch.setattr(frontier, "PROVED", 8 * LIMIT)
    rows = np.array([[1.0, 0.0], [1.0 - margin, 0.0], [0.25, 0.0]])
    on = np.array([[True], [False], [False]])
    for called, is_wrong in (([0], is_called_wrongly), ([], is_left_out_wrongly)):
        hull = SimpleNamespace(
            normals=np.array([[1.0, weight]]),
            members=np.array([[0, 1], [0, 2]]),
            rows=np.array(called, dtype=int),
        )
        assert frontier._count_wrong_extremes(rows, on, hull) == int(is_wrong)


@pytest.mark.parametrize("share", [1.0, -1.0, 1.01, -1.01])
def test_a_row_is_on_a_facet_within_the_limit(monkeypatch, share) -> None:
    """The first of two rows is off the facet between them; without it there neither has a face."""
    monkeypatch.setattr(frontier, "TIGHT", LIMIT)
    rows = np.array([[1.0, 3.0 + 4 * share * LIMIT], [3.0, 1.0]])
    hull = SimpleNamespace(
        normals=np.array([[0.25, 0.25], [1 / 3, 0.0], [0.0, 1 / rows[0, 1]]]),
        members=np.array([[0, 1], [1, 3], [0, 2]]),
        facet=np.arange(3),
        rows=np.arange(2),
        points=rows,
        incidence=np.array([[True, True], [False, True], [True, False]]),
        maximal_faces=[frozenset({0, 1})],
    )
    front = SimpleNamespace(
        boxed_rows=rows,
        hull=hull,
        origin=np.zeros(2),
        unit=np.ones(2),
        dominator=np.arange(2),
        undominated=np.arange(2),
        vertices=list("pq"),
        extreme=list("pq"),
        data=SimpleNamespace(outputs=pd.DataFrame(rows, list("pq")), labels=pd.Index(list("pq"))),
    )
    counts = frontier.certify_frontier(front).loc["frontier"]
    assert counts[["malformed", "open_ridges", "points", "on"]].tolist() == [0, 0, 0, 0]
    assert (counts[["extreme", "faces"]] > 0).tolist() == [abs(share) > 1] * 2


@pytest.mark.parametrize("share", [1.0, 1.01])
def test_rows_that_differ_by_the_limit_are_alike(monkeypatch, share) -> None:
    monkeypatch.setattr(frontier, "ALIKE", LIMIT)
    monkeypatch.setattr(frontier, "CLEAR", 0.5)
    rows = np.array([[1.0, 0.0], [1.0 - share * LIMIT, 0.0], [0.25, 0.0]])
    hull = SimpleNamespace(
        normals=np.array([[1.0, 1.0]]),
        members=np.array([[0, 1], [0, 2]]),
        facet=np.zeros(2, dtype=int),
        rows=np.array([0]),
        points=rows[:1],
    )
    on = np.array([[True], [False], [False]])
    assert frontier._count_wrong_extremes(rows, on, hull) == int(share > 1)
    subsets = frontier._simplex_subsets(rows, hull, np.array([True]))
    assert subsets == {((0, 0), (1, 0 if share == 1 else 1)), ((0, 0), (2, 2))}


@pytest.mark.parametrize(
    ("off", "is_wrongly_on", "is_wrongly_off"),
    [(0.49, 0, 1), (0.5, 0, 0), (2.0, 0, 0), (2.01, 1, 0)],
)
def test_a_point_is_on_a_facet_up_to_twice_the_limit(
    monkeypatch, off, is_wrongly_on, is_wrongly_off
) -> None:
    monkeypatch.setattr(frontier, "TIGHT", LIMIT)
    for sign in (1, -1):
        points = np.array([[1.0 + sign * off * LIMIT, 0.0]])
        for is_on, expected in ((True, is_wrongly_on), (False, is_wrongly_off)):
            hull = SimpleNamespace(
                points=points, normals=np.array([[1.0, 0.5]]), incidence=np.array([[is_on]])
            )
            assert frontier._count_wrong_incidences(points, hull) == expected


@pytest.mark.parametrize("share", [1.0, 1.01])
def test_a_weight_of_the_limit_does_not_rise(monkeypatch, share) -> None:
    monkeypatch.setattr(frontier, "RISES", LIMIT)
    hull = SimpleNamespace(
        normals=np.array([[0.5, share * LIMIT]]),
        rows=np.array([0]),
        maximal_faces=[frozenset({0})],
        members=np.array([[0, 1]]),
        facet=np.array([0]),
        points=np.ones((1, 2)),
    )
    wrong = frontier._count_wrong_faces(np.ones((1, 2)), np.array([[True]]), hull)
    assert wrong == int(share == 1)


@pytest.mark.parametrize(
    ("unit", "row", "count"), [(1.0, 0.5, 0), (1.0, 0.49, 1), (0.0, 0.5, 1), (-1.0, 0.5, 1)]
)
def test_boxed_metrics_are_at_least_one_half(unit, row, count) -> None:
    front = SimpleNamespace(
        origin=np.zeros(2), unit=np.array([unit, 1.0]), boxed_rows=np.array([[row, 1.0], [2, 2]])
    )
    assert frontier._count_bad_units(front) == count


# targets


@pytest.mark.parametrize(
    ("excess", "words"),
    [
        (-2.01, {"inside"}),
        (-2.0, {"inside", "on"}),
        (-0.51, {"inside", "on"}),
        (-0.5, {"on"}),
        (0.5, {"on"}),
        (0.51, {"outside", "on"}),
        (2.0, {"outside", "on"}),
        (2.01, {"outside"}),
    ],
)
def test_a_position_is_open_from_half_to_twice_the_limit(monkeypatch, excess, words) -> None:
    monkeypatch.setattr(target_proofs, "ON", LIMIT)
    boxed = stand_in_targets(
        hull={"normals": np.array([[1.0, 0.0]])}, actual=[[1.0 + excess * LIMIT, 0.0]]
    )
    for word in ("inside", "on", "outside"):
        boxed.result.position = pd.Series([word])
        assert boxed.position_error().tolist() == [float(word not in words)]


@pytest.mark.parametrize(
    ("off", "method", "face", "error"),
    [
        (1.0, "faces", "pq", 0.0),
        (1.01, "faces", "pq", 1.0),
        (0.5, "milp", "p", 1.0),
        (0.51, "milp", "p", 0.0),
        (1.0, "milp", "pq", 0.0),
        (1.01, "milp", "pq", 1.0),
    ],
)
def test_a_face_has_what_lies_within_the_limit(monkeypatch, off, method, face, error) -> None:
    monkeypatch.setattr(target_proofs, "ON", LIMIT)
    boxed = stand_in_targets(
        front={"vertices": list("pq")},
        hull={"maximal_faces": [frozenset({0, 1})]},
        result={
            "intensities": pd.DataFrame([[1.0, 0.0]]),
            "faces": pd.Series([tuple(face)]),
            "method": method,
        },
        corners=[[1.0, 0.0], [1.0 + off * LIMIT, 0.0]],
        normals=[[1.0, 0.5]],
    )
    assert boxed.face_error().tolist() == [error]


@pytest.mark.parametrize(
    ("beyond", "distance", "error"),
    [
        (0.5, np.nan, np.inf),
        (0.51, np.nan, 0.0),
        # Within the limit a point is inside, and its hyperplane bounds its distance.
        (1.0, LIMIT, 0.0),
        (1.01, LIMIT, LIMIT),
    ],
)
def test_a_point_is_inside_the_facets_within_the_limit(
    monkeypatch, beyond, distance, error
) -> None:
    monkeypatch.setattr(target_proofs, "ON", LIMIT)
    boxed = stand_in_targets(
        hull={"normals": np.eye(2), "efficient_facets": np.ones(2, dtype=bool)},
        result={"dominating": True},
        actual=[[1.0 + beyond * LIMIT, 0.0]],
        distance=[distance],
    )
    assert boxed._closeness_on_facets().tolist() == [error]


@pytest.mark.parametrize(
    ("point", "off", "level", "is_open"),
    [
        ([3.0 + LIMIT, 0.5], 0.0, 1.0, True),
        ([3.0 + 1.01 * LIMIT, 0.5], 0.0, 1.0, False),
        ([2.0, 2.0 + 4 * LIMIT], 0.0, 1.0, True),
        ([2.0, 2.0 + 4.04 * LIMIT], 0.0, 1.0, False),
        ([0.5, 0.5], LIMIT, 1.0, True),
        ([0.5, 0.5], 1.01 * LIMIT, 0.0, True),
    ],
)
def test_a_face_dominates_a_point_within_the_limit(monkeypatch, point, off, level, is_open) -> None:
    monkeypatch.setattr(target_proofs, "ON", LIMIT)
    face_bounds = target_proofs._FaceBounds(
        stand_in_targets(hull=hull_of_a_line(off), result={"dominating": True}, actual=[point])
    )
    assert face_bounds.level.tolist() == [level]
    assert np.isfinite(face_bounds.bounds(0, np.inf)).tolist() == [is_open]


@pytest.mark.parametrize(("level", "is_beyond"), [(4.0, False), (4.0 + 2.0**-40, True)])
def test_a_slope_rules_out_what_it_values_less_and_not_as_much(
    monkeypatch, level, is_beyond
) -> None:
    """Under -x - y both vertices are worth -4; (2, 2) lies between them."""
    monkeypatch.setattr(target_proofs, "ROUND", 0.0)
    boxed = stand_in_targets(
        front={"boxed_rows": hull_of_a_line()["points"]},
        hull=hull_of_a_line(),
        result={"dominating": True},
        actual=[[2.0, level - 2.0]],
        slopes=[[-1.0, -1.0]],
        distance=[np.nan],
    )
    assert boxed._absence_error().tolist() == [0.0 if is_beyond else np.inf]
    bounds_of_faces = target_proofs._FaceBounds(boxed)
    reach = (bounds_of_faces.points - boxed.actual[0]) @ boxed.slopes.T
    slope_bounds = bounds_of_faces._slope_bounds(
        boxed.slopes, reach[bounds_of_faces.members].min(axis=1)
    )
    assert slope_bounds.tolist() == [np.inf if is_beyond else 0.0]


@pytest.mark.parametrize(("tolerance", "is_multiple"), [(1.0, True), (0.99, False)])
def test_slopes_within_the_tolerance_are_multiples_of_a_normal(
    monkeypatch, tolerance, is_multiple
) -> None:
    """Both weights of 1/2 are off by 1/2 from those of a normal with the same sum."""
    monkeypatch.setattr(target_proofs, "TOLERANCE", tolerance)
    boxed = stand_in_targets(slopes=[[-0.5, -0.5]])
    bound = boxed._bound_from_outside(0, np.array([3.0, 1.0]), np.array([[1.0, 0.0]]))
    assert bound == (1.0 if is_multiple else 0.0)


@pytest.mark.parametrize(("tolerance", "is_multiple"), [(0.39, False), (0.41, True)])
def test_a_slope_may_be_off_in_one_metric_alone(monkeypatch, tolerance, is_multiple) -> None:
    """By 1/2 below the normal of the same sum, and in each of the others by half of that."""
    monkeypatch.setattr(target_proofs, "TOLERANCE", tolerance)
    boxed = stand_in_targets(slopes=[[-1.25, -1.25, -0.5]])
    bound = boxed._bound_from_outside(0, np.full(3, 2.0), np.ones((1, 3)))
    assert (bound > 0) == is_multiple


# repairs


@pytest.mark.parametrize(("share", "is_met"), [(1.0, True), (0.99, False)])
def test_last_digits_may_be_worth_the_limit(monkeypatch, share, is_met) -> None:
    """The only peer misses 2^-50 of the metric of "o" that is held, and nothing of "n"."""
    monkeypatch.setattr(bounds, "PRECISE", share * 2.0**-50)
    reached = bounds.bound_scores(
        Technology(np.ones((1, 2)), 0, (1.0, 1.0)),
        np.array([[0.5, 1.0 + 2.0**-50], [0.5, 0.5]]),
        Sparse(np.zeros((2, 1), dtype=np.int32), np.ones((2, 1))),
        np.ones((2, 2)),
        np.array([[False, True]] * 2),
        lambda gains, _: np.asarray(gains[:, 0]),
        lambda excess, _weights, _rows: np.asarray(excess),
        np.ones(2),
        np.ones(2, dtype=bool),
    )
    assert np.isfinite(reached.primal).tolist() == [is_met, True]


@pytest.mark.parametrize(("share", "is_repaired"), [(0.2499, True), (0.25, False)])
def test_intensities_that_move_by_half_of_themselves_are_not_repaired(
    monkeypatch, share, is_repaired
) -> None:
    """Allowing for an inverse that is off by 1/2, one peer moves by twice of what is short."""
    monkeypatch.setattr(bounds, "RESIDUAL", 0.5)
    one = np.ones((1, 1), dtype=bool)
    repaired = bounds._bound_moves(
        np.array([[-share]]), np.zeros((1, 1)), np.ones((1, 1, 1)), one, np.zeros((1, 1)),
        np.zeros(1),
    )[1]  # fmt: skip
    assert repaired.tolist() == [is_repaired]


@pytest.mark.parametrize(("share", "is_repaired"), [(0.3, True), (0.32, False)])
def test_no_intensity_moves_by_half_of_itself(monkeypatch, share, is_repaired) -> None:
    """Of two peers, one worth half of the other, the first takes 4/5 of twice what is short."""
    monkeypatch.setattr(bounds, "RESIDUAL", 0.5)
    one = np.ones((1, 1), dtype=bool)
    repaired = bounds._bound_moves(
        np.array([[-share]]), np.zeros((1, 1)), np.array([[[1.0], [0.5]]]), one,
        np.zeros((1, 2)), np.zeros(1),
    )[1]  # fmt: skip
    assert repaired.tolist() == [is_repaired]


@pytest.mark.parametrize(("error", "is_repaired"), [(0.124, True), (0.125, False)])
def test_an_inverse_that_is_off_by_the_limit_repairs_nothing(
    monkeypatch, error, is_repaired
) -> None:
    monkeypatch.setattr(bounds, "RESIDUAL", 0.125)
    inverse = np.linalg.inv
    monkeypatch.setattr(np.linalg, "inv", lambda matrix: inverse(matrix) * (1 + error))
    one = np.ones((1, 1), dtype=bool)
    repaired = bounds._bound_moves(
        np.array([[-LIMIT]]), np.zeros((1, 1)), np.ones((1, 1, 1)), one, np.zeros((1, 1)),
        np.zeros(1),
    )[1]  # fmt: skip
    assert repaired.tolist() == [is_repaired]


@pytest.mark.parametrize(("step", "is_repaired"), [(1.0, True), (1.01, False), (-1.01, True)])
def test_intensities_may_move_up_to_the_bound_of_their_sum(step, is_repaired, monkeypatch) -> None:
    monkeypatch.setattr(bounds, "RESIDUAL", 0.5)
    one = np.ones((1, 1), dtype=bool)
    repaired = bounds._bound_moves(
        np.array([[-LIMIT / 2]]), np.zeros((1, 1)), np.ones((1, 1, 1)), one,
        np.array([[step]]), np.array([LIMIT]),
    )[1]  # fmt: skip
    assert repaired.tolist() == [is_repaired]


@pytest.mark.parametrize("limit", ["room", "precise"])
@pytest.mark.parametrize(("share", "is_scaled"), [(0.99, True), (1.0, False)])
def test_intensities_are_scaled_by_less_than_the_limit(
    monkeypatch, limit, share, is_scaled
) -> None:
    monkeypatch.setattr(bounds, "GAMMA", 0.0)
    monkeypatch.setattr(bounds, "PRECISE", LIMIT if limit == "precise" else 1.0)
    room = np.array([LIMIT if limit == "room" else 1.0])
    gains = np.array([[-share * LIMIT / 2]])
    one = np.ones((1, 1), dtype=bool)
    error = bounds._scaled_error(gains, np.zeros((1, 1)), np.ones((1, 1, 1)), one, room)
    assert (error != 0).tolist() == [[is_scaled]]


def test_constraints_at_the_limit_are_near(monkeypatch) -> None:
    """Of a limit of 1 the whole of the terms."""
    monkeypatch.setattr(supporting_weights, "NEAR", 1.0)
    for point, row in (([2.0, 1.0], [-1, 0]), ([0.0, 1.0], [1, 0])):
        rows = supporting_weights._near_constraints(
            np.array([point]), np.ones(2), np.ones(2), "vrs"
        )
        assert rows == [row]


def test_weights_move_by_the_limit_and_no_further() -> None:
    weights = [Fraction(1), Fraction(1)]
    is_free = np.array([True, False])
    for share, sign in ((1, 1), (Fraction(101, 100), 1), (1, -1), (Fraction(101, 100), -1)):
        move = sign * share * supporting_weights.MOVE
        row = [Fraction(1), move - 1]
        moved = supporting_weights._nearest_solution([row], weights, is_free)
        assert moved == ([1 - move, 1] if share == 1 else None)


@pytest.mark.parametrize(("share", "is_at_bound"), [(1.0, True), (1.01, False)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_sum_within_the_limit_is_tightened_as_one_of_1(
    monkeypatch, share, is_at_bound, sign
) -> None:
    """A peer that is worth 1 is worth as much as it can with a sum of 1 alone."""
    monkeypatch.setattr(supporting_weights, "POLISH", LIMIT)
    technology = Technology(np.array([[1.0, -1.0]]), 1, (0.0, 1.0))
    lam = single_lambda(1 + sign * share * LIMIT)
    weights = np.array([2.0, 1.0])
    moved = supporting_weights.tighten_weights(technology, technology, weights, lam, 0, NOTHING)
    assert (moved is not None) == is_at_bound


@pytest.mark.parametrize(("share", "is_free"), [(1.0, False), (1.01, True)])
def test_weights_at_their_least_within_the_limit_stay(monkeypatch, share, is_free) -> None:
    for module in (supporting_weights, exact_repair):
        monkeypatch.setattr(module, "POLISH", LIMIT)
    points = np.array([[1.0, 2.0], [2.0, 1.0]])
    technology = Technology(points, 0, (1.0, 1.0))
    weights = np.array([1.0 - 2.0**-30, 1.0]) * (1.0 + share * LIMIT)
    least = np.array([0.0, 1.0])
    lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[0.25, 0.75]]))
    polished = exact_repair.polished_weights(technology, weights, lam, 0, least)
    tightened = supporting_weights.tighten_weights(technology, technology, weights, lam, 0, least)
    for moved in (polished, tightened):
        assert moved is not None
        assert (moved[1] != Fraction(weights[1])) == is_free


@pytest.mark.parametrize(("share", "counts"), [(1.0, False), (1.01, True)])
def test_peers_at_the_limit_do_not_count(monkeypatch, share, counts) -> None:
    """A peer that is no larger than the other one has the share of its intensity at most."""
    monkeypatch.setattr(exact_repair, "POLISH", LIMIT)
    technology = Technology(np.array([[2.0, 2.0], [2.0, 1.0]]), 0, (1.0, 1.0))
    lam = Sparse(np.array([[0, 1]], dtype=np.int32), np.array([[1.0, share * LIMIT]]))
    polished = exact_repair.polished_weights(technology, np.ones(2), lam, 0, NOTHING)
    assert (polished is not None) == counts


@pytest.mark.parametrize(
    ("sums", "total", "is_between"),
    [
        ((0.0, 1.0), 1 - LIMIT, False),
        ((0.0, 1.0), 1 - 1.01 * LIMIT, True),
        ((1.0, np.inf), 1 + LIMIT, False),
        ((1.0, np.inf), 1 + 1.01 * LIMIT, True),
        ((0.0, np.inf), LIMIT, True),
    ],
)
def test_peers_are_worth_nothing_between_the_limits_of_their_sum(
    monkeypatch, sums, total, is_between
) -> None:
    """One peer alone is worth as much as itself, and held to nothing between them."""
    monkeypatch.setattr(exact_repair, "POLISH", LIMIT)
    technology = Technology(np.array([[1.0, -1.0]]), 1, sums)
    lam = single_lambda(total)
    weights = np.array([1.0, 1.0 + 2.0**-30])
    polished = exact_repair.polished_weights(technology, weights, lam, 0, NOTHING)
    assert (polished is not None) == is_between


@pytest.mark.parametrize(("share", "is_moved"), [(1.0, True), (1.01, False), (0.0, False)])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_sum_within_the_limit_of_1_is_moved_to_it(monkeypatch, share, is_moved, sign) -> None:
    monkeypatch.setattr(exact_repair, "POLISH", LIMIT)
    calls = []
    monkeypatch.setattr(exact_repair, "_exact_gains", lambda *rest: calls.append(rest[-1]))
    for sums in ((0.0, 1.0), (1.0, np.inf), (0.0, np.inf)):
        calls.clear()
        technology = Technology(np.ones((1, 1)), 0, sums)
        held = np.ones(1, dtype=bool)
        lam = single_lambda(1 + sign * share * LIMIT)
        list(exact_repair.exact_gains(technology, np.ones(1), lam, 0, held, np.zeros(1)))
        assert any(calls) == (is_moved and 1.0 in sums)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gain_of_the_limit_is_met(sign) -> None:
    for share, is_met in ((1, True), (2, False)):
        gain = sign * share * 3 * exact_repair.MET
        moves = [[Fraction(1)], [Fraction(-2)]]
        repaired = exact_repair.move_to_held(moves, [gain], [0], True)
        assert (repaired is not None) == is_met
        if repaired is not None:
            assert repaired[1] == [0]


@pytest.mark.parametrize(("level", "gain"), [(0, 1), (-1, 0)])
def test_what_is_met_exactly_may_gain(level, gain) -> None:
    """Both entries bring the first metric to 0; the first gains 2 of the other one by it, too."""
    moves = [[Fraction(1), Fraction(2)], [Fraction(1), Fraction(0)]]
    repaired = exact_repair.move_to_held(moves, [Fraction(-1), Fraction(level)], [0, 1], False)
    assert repaired is not None
    assert repaired[1] == [0, gain]


@pytest.mark.parametrize("has_certificate", [True, False])
@pytest.mark.parametrize(
    ("error", "is_passed_on"),
    [(DataError("no"), False), (ValueError("no"), None), (KeyError("no"), None)],
)
def test_only_models_without_a_certificate_say_so_themselves(
    has_certificate, error, is_passed_on
) -> None:
    def prove() -> Proof:
        raise error

    options = SimpleNamespace(has_certificate=has_certificate)
    raised = type(error) if is_passed_on == has_certificate else CertificateError
    with pytest.raises(raised):
        db.certify(SimpleNamespace(proof=prove, reasons={}, options=options))


@pytest.mark.parametrize("miss", [TOLERANCE, 2.0 * TOLERANCE])
def test_a_claim_that_misses_by_the_tolerance_holds(miss) -> None:
    frame = pd.DataFrame({"primal": [1.0]}, ["p"])
    proof = Proof(frame, {"gap": np.array([miss])}, ())
    result = SimpleNamespace(proof=lambda: proof, reasons={})
    assert db.certify(result, tolerance=miss)["primal"].tolist() == [1.0]
    with pytest.raises(CertificateError, match="'p': gap"):
        db.certify(result, tolerance=float(np.nextafter(miss, 0)))


def test_nothing_is_left_to_slopes_without_rounding(monkeypatch) -> None:
    """What is worth as much as the point may dominate it."""
    monkeypatch.setattr(target_proofs, "ROUND", 0.0)
    boxed = object.__new__(target_proofs._BoxedTargets)
    boxed.front = SimpleNamespace(boxed_rows=np.array([[1.0, 3.0], [3.0, 1.0]]))
    boxed.slopes = np.array([[-1.0, -1.0]])
    boxed.slope_owner = np.zeros(1, dtype=int)
    boxed.distance = np.array([np.nan])
    boxed.result = SimpleNamespace(common=False, dominating=True)
    for point, error in (([2.0, 2.0], np.inf), ([2.0, 2.25], 0.0)):
        boxed.actual = np.array([point])
        assert boxed._absence_error().tolist() == [error]
