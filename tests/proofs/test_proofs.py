"""That certify refuses whatever was changed, dropped, swapped or forged, and passes valid results
of degenerate tables.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from dea_cases import frame, solved
from model_options import rank_with
from quick_cases import mark_most_slow
from simulations.hard_tables import degenerate_tables, integer_tables, noisy_table, noisy_tables
from simulations.rational_efficiency import efficiency

import deabench as db
from deabench.errors import CertificateError
from deabench.geometry.faces import Hull
from deabench.results.proof import SlackWeights
from deabench.solver.rational_simplex import minimize_exactly
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

RNG = np.random.default_rng(3)
TABLE = frame(RNG.uniform(0.3, 1, (30, 3)))
FRONT = db.frontier(TABLE)


def refuses(result) -> None:
    with pytest.raises(CertificateError):
        db.certify(result)


# the frontier


def listed(**parts) -> object:
    return replace(FRONT, precomputed_hull=replace(FRONT.hull, **parts))


def test_every_facet_and_every_simplex_is_missed() -> None:
    db.certify(FRONT)
    hull = FRONT.hull
    for f in range(len(hull.normals)):
        remaining = np.delete(np.arange(len(hull.normals)), f)
        held = hull.facet != f
        refuses(
            listed(
                normals=hull.normals[remaining],
                incidence=hull.incidence[remaining],
                members=hull.members[held],
                facet=np.searchsorted(remaining, hull.facet[held]),
            )
        )
    for b in range(len(hull.members)):
        remaining = np.delete(np.arange(len(hull.members)), b)
        refuses(listed(members=hull.members[remaining], facet=hull.facet[remaining]))


def test_every_number_of_a_frontier_is_held() -> None:
    hull = FRONT.hull
    for f, r in np.ndindex(*hull.normals.shape):
        for factor in (1 + 1e-6, 1 - 1e-6):
            normals = hull.normals.copy()
            normals[f, r] = normals[f, r] * factor if normals[f, r] else 1e-6
            refuses(listed(normals=normals))
    for b, k in np.ndindex(*hull.members.shape):
        members = hull.members.copy()
        members[b, k] = (members[b, k] + 1) % (len(FRONT.boxed_rows) + 3)
        refuses(listed(members=members))
    for f, k in np.ndindex(*hull.incidence.shape):
        on = hull.incidence.copy()
        on[f, k] = ~on[f, k]
        refuses(listed(incidence=on))
    refuses(listed(points=hull.points + 1e-6))
    refuses(listed(facet=np.roll(hull.facet, 1)))


def test_every_extreme_classifier_is_missed_and_none_is_added() -> None:
    hull = FRONT.hull
    for k in range(len(hull.points)):
        remaining = np.delete(np.arange(len(hull.points)), k)
        smaller_hull = replace(
            hull,
            points=hull.points[remaining],
            incidence=hull.incidence[:, remaining],
            rows=hull.rows[remaining],
        )
        vertices = [v for v in FRONT.vertices if v != FRONT.vertices[k]]
        refuses(replace(FRONT, precomputed_hull=smaller_hull, vertices=vertices, extreme=vertices))
    refuses(replace(FRONT, extreme=FRONT.extreme[1:]))
    refuses(replace(FRONT, vertices=FRONT.vertices[::-1]))


def test_a_face_that_is_not_listed_is_missed() -> None:
    """A frontier with faces below flat facets: each of them left out, and a face of the wrong
    points put in.
    """
    edges = np.array(
        [[1.0, 0.3, 0.6], [0.3, 1.0, 0.6], [0.5, 0.5, 0.9], [0.9, 0.8, 0.2], [0.2, 0.2, 1.0]]
    )
    for front in (FRONT, db.frontier(frame(edges)), db.frontier(frame(edges[:2]))):
        db.certify(front)
        maximal_faces = front.hull.maximal_faces
        for faces in [
            *([f for f in maximal_faces if f != missing_face] for missing_face in maximal_faces),
            [*maximal_faces, frozenset({0})],
            [frozenset(range(len(front.vertices)))] * 2,
            [*maximal_faces[1:], frozenset(sorted(maximal_faces[0])[1:])],
        ]:
            forged = replace(front.hull)
            forged.__dict__["maximal_faces"] = faces
            refuses(replace(front, precomputed_hull=forged))


def test_a_row_that_is_said_to_be_dominated_and_is_not_is_found() -> None:
    dominator = FRONT.dominator.copy()
    dominator[FRONT.undominated[0]] = FRONT.undominated[1]
    refuses(replace(FRONT, dominator=dominator))


@pytest.mark.parametrize(
    ("first", "count"), [(0, 40), pytest.param(40, 80, marks=pytest.mark.slow)]
)
def test_valid_frontiers_of_degenerate_tables_hold(first, count) -> None:
    for values in degenerate_tables(count, first):
        db.certify(db.frontier(frame(values)))


# targets


INSIDE = frame(RNG.uniform(0.2, 0.7, (5, 3)), "t")
OUTSIDE = frame(RNG.uniform(0.9, 1.2, (3, 3)), "o")
BOTH = pd.concat([INSIDE, OUTSIDE])
WAYS = {
    "l1": {},
    "l2": {"norm": "l2"},
    "linf": {"norm": "linf"},
    "dominating": {"dominating": True},
    "l2 dominating": {"norm": "l2", "dominating": True},
    "common": {"common": True},
    "facets": {"on": "facets", "norm": "l2"},
    "l1 facets": {"on": "facets"},
    "weights": {"weights": {"m0": 10.0, "m1": 1.0, "m2": 0.01}},
    "dominating facets": {"on": "facets", "dominating": True, "norm": "linf"},
}
FOUND = {name: db.targets(BOTH, TABLE, **how) for name, how in WAYS.items()}


@pytest.mark.parametrize("name", WAYS)
def test_every_target_is_proved_the_closest_and_nothing_further_is(name) -> None:
    targets = FOUND[name]
    proof = db.certify(targets)
    assert proof["closest"].max() <= 1e-9
    assert not targets.unproved
    scale = 1 + 1e-6
    away = targets.targets + (targets.targets - targets.actual) * (scale - 1)
    for forged in (
        replace(targets, targets=away),
        replace(
            targets, targets=away, gaps=targets.gaps * scale, distance=targets.distance * scale
        ),
        replace(targets, distance=targets.distance * scale),
        replace(
            targets,
            position=targets.position.map({"inside": "outside", "outside": "on", "on": "inside"}),
        ),
        replace(
            targets, faces=pd.Series([targets.faces.iloc[0][:1]] * len(BOTH), index=BOTH.index)
        ),
        replace(targets, normals=targets.normals * scale),
        replace(targets, actual=targets.actual * scale),
        replace(targets, norm="l2" if targets.norm != "l2" else "l1"),
        replace(targets, weights={key: 2 * value for key, value in targets.weights.items()}),
    ):
        refuses(forged)


@pytest.mark.parametrize("name", ["l1", "l2", "linf", "weights"])
def test_another_faces_target_with_its_own_numbers_is_refused(name) -> None:
    """The target of one DMU given to another: on the frontier, with its λ, its face and its
    distance, but not the closest.
    """
    targets = FOUND[name]
    order = [*BOTH.index[1:], BOTH.index[0]]
    swapped_fields = {
        field: getattr(targets, field).loc[order].set_axis(BOTH.index)
        for field in ("targets", "intensities", "normals", "faces")
    }
    gaps = swapped_fields["targets"] - targets.actual
    weight = np.array(list(targets.weights.values()))
    length = np.linalg.norm(gaps * weight, {"l1": 1, "l2": 2, "linf": np.inf}[targets.norm], axis=1)
    forged = replace(
        targets, **swapped_fields, gaps=gaps, distance=pd.Series(length, index=BOTH.index)
    )
    with pytest.raises(CertificateError, match="closest is"):
        db.certify(forged)


@pytest.mark.parametrize("name", ["dominating", "l2 dominating"])
def test_no_target_is_proved_and_an_invented_reason_is_refused(name) -> None:
    targets = FOUND[name]
    assert targets.reasons
    without_slopes = replace(
        targets,
        slopes=targets.slopes.drop(
            index=[label for label in targets.reasons if label in targets.slopes.index]
        ),
    )
    assert len(without_slopes.slopes) < len(targets.slopes) or not set(targets.reasons) & set(
        targets.slopes.index
    )
    label = targets.distance.first_valid_index()
    forged = replace(
        targets, reasons=targets.reasons | {label: "no point of the frontier dominates it"}
    )
    for field in ("targets", "gaps", "normals"):
        values = getattr(targets, field).copy()
        values.loc[label] = np.nan
        forged = replace(forged, **{field: values})
    refuses(replace(forged, distance=targets.distance.mask(targets.distance.index == label)))
    refuses(replace(targets, reasons=targets.reasons | {label: "so"}))


def test_a_frontier_short_of_a_classifier_proves_no_target() -> None:
    """All solved again without one extreme classifier, then the table put back."""
    targets = db.targets(BOTH, TABLE.drop(index=FRONT.extreme[0]))
    refuses(
        replace(
            targets, frontier=replace(targets.frontier, data=FRONT.data, dominator=FRONT.dominator)
        )
    )


def test_what_the_milp_does_not_prove_is_said() -> None:
    rng = np.random.default_rng(12)
    targets = db.targets(
        frame(rng.uniform(0.3, 0.8, (1, 7)), "t"), frame(rng.uniform(0.3, 1, (8, 7)))
    )
    assert targets.method == "milp"
    assert targets.frontier.precomputed_hull is None
    assert targets.unproved == (
        "not certified: that no target is nearer, which the MILP solver alone reports",
        "not certified: the position, and that the frontier has no other extreme classifiers",
    )
    assert targets.unproved[0] in targets.summary()
    assert targets.proof().unclaimed == targets.unproved
    db.certify(targets)
    refuses(replace(targets, targets=targets.targets + 1e-6))


# rankings


RANKINGS = {
    "wei": db.rank(TABLE),
    **{
        f"{returns} {orientation}": db.rank(
            TABLE, inputs=["m0"], model="ccr", returns=returns, orientation=orientation
        )
        for returns in ("crs", "vrs", "nirs", "ndrs")
        for orientation in ("output", "input")
    },
}


@pytest.mark.parametrize("name", RANKINGS)
def test_efficient_is_proved_both_ways(name) -> None:
    ranking = RANKINGS[name]
    db.certify(ranking)
    assert not ranking.undecided.any()
    for label in TABLE.index:
        forged = ranking.efficient.copy()
        forged[label] = not forged[label]
        refuses(replace(ranking, efficient=forged))


@pytest.mark.parametrize("name", mark_most_slow(RANKINGS, 4))
def test_slacks_are_the_largest_by_an_independent_linear_program(name) -> None:
    ranking = RANKINGS[name]
    inputs = [] if name == "wei" else ["m0"]
    outputs = [column for column in TABLE if column not in inputs]
    Y, X, c = (
        TABLE[outputs].to_numpy(),
        TABLE[inputs].to_numpy(),
        TABLE[[*outputs, *inputs]].max().to_numpy(),
    )
    low, high = {"crs": (0, np.inf), "vrs": (1, 1), "nirs": (0, 1), "ndrs": (1, np.inf)}[
        ranking.returns
    ]
    n, s, m = len(Y), len(outputs), len(inputs)
    for label in TABLE.index:
        score = ranking.scores[label]
        y, x = TABLE.loc[label, outputs].to_numpy(), TABLE.loc[label, inputs].to_numpy()
        y, x = (y / score, x) if ranking.orientation == "output" else (y, x * score)
        cost = np.append(np.zeros(n), -1 / c)
        equal = np.vstack(
            [
                np.column_stack([Y.T, -np.eye(s), np.zeros((s, m))]),
                np.column_stack([X.T, np.zeros((m, s)), np.eye(m)]),
            ]
        )
        total = np.append(np.ones(n), np.zeros(s + m))
        rows = [(-total, -low)] * (low > 0) + [(total, high)] * bool(np.isfinite(high))
        solution = solved(
            cost,
            np.array([a for a, _ in rows]).reshape(-1, n + s + m),
            np.array([b for _, b in rows]),
            equal=(equal, np.append(y, x)),
        )
        assert (ranking.slacks.loc[label] / c).sum() == pytest.approx(-solution.fun, abs=1e-8)


@pytest.mark.parametrize("name", RANKINGS)
def test_a_ranking_short_of_a_reference_dmu_is_refused(name) -> None:
    """Everything solved again without an efficient DMU in the reference, then the reference put
    back.
    """
    ranking = RANKINGS[name]
    best = ranking.efficient.index[ranking.efficient][0]
    options = (
        {}
        if name == "wei"
        else {
            "inputs": ["m0"],
            "model": "ccr",
            "returns": ranking.returns,
            "orientation": ranking.orientation,
        }
    )
    result = rank_with(TABLE, reference=TABLE.drop(index=best), **options)
    db.certify(result)
    remaining = np.arange(len(TABLE))[TABLE.index != best]
    lam = Sparse(
        np.where(result.intensities.columns >= 0, remaining[result.intensities.columns], -1),
        result.intensities.values,
    )
    refuses(
        replace(
            result,
            reference=ranking.reference,
            frontier=remaining[result.frontier],
            intensities=lam,
        )
    )
    refuses(replace(ranking, frontier=ranking.frontier[1:]))


@pytest.mark.parametrize("name", RANKINGS)
def test_every_part_of_a_ranking_is_held(name) -> None:
    ranking = RANKINGS[name]
    inner = ranking.scores.index[ranking.scores < 0.95][0]
    k = ranking.scores.index.get_loc(inner)
    lam = ranking.intensities.values.copy()
    lam[k] = lam[k] * 0
    free = Sparse(ranking.intensities.columns, lam)
    negative = ranking.intensities.values.copy()
    used = np.flatnonzero(negative[k] > 0)
    if len(used) > 1:
        negative[k, used[0]], negative[k, used[1]] = 1.57, -0.57
        refuses(replace(ranking, intensities=Sparse(ranking.intensities.columns, negative)))
    slacks = ranking.slacks.copy()
    slacks.iloc[k] += 1e-6
    wrong = SlackWeights(ranking.slack_weights.rows * 0, ranking.slack_weights.of)
    for forged in (
        replace(ranking, intensities=free),
        replace(ranking, slacks=slacks),
        replace(ranking, scores=ranking.scores * (1 + 1e-6)),
    ):
        refuses(forged)
    if len(wrong.rows):
        refuses(replace(ranking, slack_weights=wrong))


def test_a_reason_is_proved_and_an_invented_one_is_refused() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 3.0]}, index=["a", "b"])
    outside = pd.DataFrame({"x": [1.0, 1.0], "y": [4.0, 2.0]}, index=["high", "fine"])
    ranking = db.rank(
        outside, reference=table, inputs=["x"], model="ccr", returns="vrs", orientation="input"
    )
    assert set(ranking.reasons) == {"high"}
    db.certify(ranking)
    refuses(
        replace(ranking, slack_weights=SlackWeights(ranking.slack_weights.rows, np.full(2, -2)))
    )
    blanked = {field: getattr(ranking, field).copy() for field in ("scores", "weights", "slacks")}
    for values in blanked.values():
        values.loc["fine"] = np.nan
    refuses(
        replace(
            ranking,
            **blanked,
            reasons=ranking.reasons | {"fine": "it is infeasible"},
            efficient=ranking.efficient & (ranking.efficient.index != "fine"),
        )
    )


@pytest.mark.parametrize(("first", "count"), [(0, 8), pytest.param(8, 56, marks=pytest.mark.slow)])
def test_valid_rankings_and_targets_of_degenerate_tables_hold(first, count) -> None:
    for k, values in enumerate(degenerate_tables(count, first), start=first):
        table = frame(values)
        db.certify(db.rank(table))
        tested = frame(values[:2] * 0.9, "t")
        db.certify(
            db.targets(tested, table, norm=("l1", "l2", "linf")[k % 3], dominating=k % 2 == 0)
        )


# what once was wrong


def test_zeros_and_a_separate_reference_depend_on_nobody_else() -> None:
    columns = ["y0", "y1", "y2", "x0", "x1", "x2"]
    tested = pd.DataFrame(
        [[2, 3, 1, 3, 3, 0], [2, 2, 0, 2, 3, 0]], columns=columns, index=["d1", "d3"]
    )
    reference = pd.DataFrame(
        [[1, 0, 0, 3, 3, 0], [2, 0, 2, 3, 3, 3], [0, 3, 0, 2, 2, 0]], columns=columns
    )
    for unit in (1, 3):
        ranking = db.rank(
            tested / unit,
            outputs=columns[:3],
            inputs=columns[3:],
            model="ccr",
            reference=reference / unit,
        )
        assert ranking.scores["d3"] == pytest.approx(11 / 3, rel=1e-12)
        assert np.isnan(ranking.scores["d1"])
        db.certify(ranking)


def test_a_factor_of_0_is_undefined_and_not_a_large_number() -> None:
    tested = pd.DataFrame({"y0": [2.0], "y1": [1.0], "x": [1.0]}, index=["d"])
    reference = pd.DataFrame({"y0": [0.0, 3.0], "y1": [1.0, 1.0], "x": [1.0, 3.0]})
    ranking = db.rank(
        tested, outputs=["y0", "y1"], inputs=["x"], model="ccr", returns="vrs", reference=reference
    )
    assert ranking.reasons == {
        "d": "its factor is 0: no mix of the reference that its inputs allow has any of one of "
        "its outputs"
    }
    db.certify(ranking)


@pytest.mark.parametrize("tiny", [1e-10, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 0.0])
def test_a_metric_that_is_almost_0_costs_nobody_the_answer(tiny) -> None:
    ranking = db.rank(
        pd.DataFrame({"a": [11.0, 18.0, 2.0], "b": [tiny, 9.99e-16, 0.178]}, index=list("xyz"))
    )
    assert ranking.scores["x"] == pytest.approx(11 / 18, abs=1e-9)
    db.certify(ranking)


def test_a_slack_in_a_metric_that_hardly_varies_raises_no_false_alarm() -> None:
    tested = pd.DataFrame({"y": [1.0], "x0": [0.0], "x1": [1.0]})
    reference = pd.DataFrame([(3, 0, 2), (3, 3, 0)], columns=["y", "x0", "x1"])
    ranking = db.rank(
        tested,
        outputs=["y"],
        inputs=["x0", "x1"],
        model="ccr",
        returns="crs",
        orientation="input",
        reference=reference,
    )
    assert ranking.scores.iloc[0] == pytest.approx(2 / 3, rel=1e-12)
    db.certify(ranking)


def test_dmus_far_from_their_reference_have_their_scores() -> None:
    """Tested and reference up to 1e12 apart, in both directions: scores as the rational simplex has
    them, all proved.
    """
    for seed in range(0, 48, 2):
        rng = np.random.default_rng(seed)
        m, s = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        reference, far = np.round(rng.uniform(0.2, 1, (6, s + m)), 2), 10.0 ** rng.integers(7, 13)
        tested = np.round(rng.uniform(0.2, 1, (2, s + m)), 2) * np.where(
            rng.uniform(size=s + m) < 0.7, far, 1.0
        ) ** (seed % 3 - 1)
        options = {
            "returns": ("crs", "vrs", "nirs", "ndrs")[seed // 2 % 4],
            "orientation": ("output", "input")[seed // 8 % 2],
        }
        names = list(frame(reference).columns)
        ranking = rank_with(
            frame(tested),
            outputs=names[:s],
            inputs=names[s:],
            model="ccr",
            reference=frame(reference),
            **options,
        )
        db.certify(ranking)
        for score, row in zip(ranking.scores, tested, strict=True):
            truth = efficiency(reference[:, s:], reference[:, :s], row[s:], row[:s], **options)
            assert (
                np.isnan(score) if truth is None else score == pytest.approx(float(truth), rel=1e-9)
            )


def test_single_peers_of_dmus_far_from_their_reference_are_proved() -> None:
    rng = np.random.default_rng(1)
    reference = frame(rng.uniform(0.2, 1, (9, 4)))
    far = np.where(np.arange(4) < 2, 1e7, 1e9)
    tested = frame(rng.uniform(0.2, 1, (40, 4)) * far)
    ranking = rank_with(
        tested,
        outputs=list(reference)[:2],
        inputs=list(reference)[2:],
        model="fdh",
        reference=reference,
    )
    assert ranking.scores.notna().all()
    db.certify(ranking)


def test_steep_weights_hide_no_wrong_score() -> None:
    """A miss of the weights counts in efficiency, not as a share of the largest: weights of 1e6
    that miss by 1e-4 were passed, as that is 1e-10 of them.
    """
    table = pd.DataFrame(
        {"x": [1.0, 1.0 + 1e-6, 2.0, 1.0 + 5e-7], "y": [1.0, 2.0, 2.5, 1.2]}, index=list("pqro")
    )
    ranking = db.rank(table, inputs=["x"], model="ccr", returns="vrs")
    db.certify(ranking)
    reached = 1.0 / (1 / ranking.scores["o"] - 1e-4)
    weights = ranking.weights.copy()
    weights.loc["o", "u_0"] -= 1e-4
    k = table.index.get_loc("o")
    forged = replace(
        ranking, weights=weights, scores=ranking.scores.where(table.index != "o", reached)
    )
    with pytest.raises(CertificateError, match=r"^'o': "):
        db.certify(forged)
    assert (
        forged.proof().violations["dual_infeasibility"][k] > 1e-6
    )  # the weights are refused by themselves


@pytest.mark.parametrize(("first", "count"), [(0, 8), pytest.param(8, 56, marks=pytest.mark.slow)])
def test_integer_tables_agree_with_the_rational_simplex(first, count) -> None:
    differences = integer_tables(count, first)
    assert differences["tables"].sum() == count
    assert differences[["wrong", "unproved", "refused", "false_reasons"]].to_numpy().sum() == 0
    assert differences["company"].max() <= 1e-12


@pytest.mark.parametrize(("first", "count"), [(0, 4), pytest.param(4, 32, marks=pytest.mark.slow)])
def test_noise_loses_no_row(first, count) -> None:
    outcomes = noisy_tables(count, first)
    assert outcomes[["unanswered", "refused", "frontiers_refused"]].to_numpy().sum() == 0


@pytest.mark.parametrize("s", mark_most_slow([4, 6, 8], 1))
@pytest.mark.parametrize(
    "options",
    [{}, {"norm": "l2", "dominating": True}, {"norm": "linf"}, {"norm": "l2", "on": "facets"}],
    ids=["l1", "l2 dominating", "linf", "facets"],
)
def test_classifiers_that_lie_close_have_the_targets_of_those_that_lie_apart(s, options) -> None:
    """Stretched about .9, nothing changes but the unit: targets, facets, positions and E."""
    rng = np.random.default_rng(s)
    Z, p = rng.uniform(size=(18, s)), rng.uniform(-0.1, 0.9, (2, s))
    results = [
        db.targets(frame(0.9 + spread * p, "t"), frame(0.9 + spread * Z), method="faces", **options)
        if db.frontier(frame(Z)).hull.efficient_facets.any() or "on" not in options
        else None
        for spread in (0.1, 0.002, 1e-4)
    ]
    if results[0] is None:
        return
    for spread, result in zip((0.1, 0.002, 1e-4), results, strict=True):
        db.certify(result)
        assert result.frontier.extreme == results[0].frontier.extreme
        assert len(result.frontier.facets) == len(results[0].frontier.facets)
        assert result.position.tolist() == results[0].position.tolist()
        np.testing.assert_allclose(result.distance / spread, results[0].distance / 0.1, atol=1e-10)
        np.testing.assert_allclose(
            (result.targets - 0.9) / spread, (results[0].targets - 0.9) / 0.1, atol=1e-10
        )


def test_metrics_in_units_1e10_apart_have_their_targets() -> None:
    rng = np.random.default_rng(1)
    Y, p = rng.uniform(0.3, 1, (12, 3)), rng.uniform(0.2, 0.6, (2, 3))
    unit = np.array([1.0, 1e10, 1.0])
    for options in (
        {"method": "milp"},
        {"method": "faces"},
        {"method": "faces", "norm": "l2", "dominating": True},
    ):
        original = db.targets(
            frame(p, "t"), frame(Y), weights={"m0": 1e-10, "m1": 1.0, "m2": 1e-10}, **options
        )
        mixed = db.targets(frame(p * unit, "t"), frame(Y * unit), **options)
        assert not mixed.reasons
        np.testing.assert_allclose(mixed.distance / 1e10, original.distance, atol=1e-9)
        db.certify(mixed)


def test_l2_dominating_where_the_quadratic_program_failed() -> None:
    reference = frame(np.array([[5.0, 4, 1], [3, 5, 4], [5, 2, 2]]))
    targets = db.targets(
        frame(np.array([[5.0, 2, 2]]), "t"),
        reference,
        norm="l2",
        dominating=True,
        weights={"m0": 2.0, "m1": 0.1, "m2": 7.0},
    )
    assert targets.distance["t0"] == pytest.approx(0.0, abs=1e-9)
    db.certify(targets)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_a_shared_facet_ends_where_another_begins(norm) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        P = rng.uniform(0.3, 1, (8, 3))
        front = db.frontier(frame(P))
        W = front.hull.normals[front.hull.efficient_facets]
        if not len(W):
            continue
        targets = db.targets(
            frame(rng.uniform(0.1, 0.7, (3, 3)), "t"), frame(P), norm=norm, on="facets", common=True
        )
        assert (front.to_boxed(targets.targets.to_numpy()) @ W.T).max() <= 1 + 1e-8
        db.certify(targets)


@pytest.mark.parametrize(
    ("seed", "norm"),
    [(323, "l1"), (323, "linf"), (187, "linf"), (368, "l2"), (26, "l2"), (466, "l1")],
)
def test_a_shared_facet_among_near_duplicates_has_its_targets(seed, norm) -> None:
    """Facets that are nearly parallel leave HiGHS undecided, or off by more than the certificate
    allows.
    """
    values, rng = noisy_table(seed)[0].to_numpy(), np.random.default_rng(seed)
    span = np.where(np.ptp(values, axis=0) > 0, np.ptp(values, axis=0), values.max(axis=0))
    tested = (
        values.min(axis=0)
        + rng.uniform(-0.5, 1.0, (int(rng.integers(1, 4)), values.shape[1])) * span
    )
    if rng.uniform() < 0.3:
        tested = values[rng.integers(0, len(values), 2)] * np.array([[1], [0.9]])
    targets = db.targets(
        frame(np.maximum(tested, 0), "t"),
        frame(values),
        norm=norm,
        on="facets",
        common=True,
        dominating=True,
    )
    db.certify(targets)


def test_the_rational_dual_simplex_is_linprog() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        m, n = int(rng.integers(1, 7)), int(rng.integers(1, 5))
        cost, rows, right = (
            rng.uniform(0, 1, n),
            np.round(rng.normal(size=(m, n)), 1),
            np.round(rng.normal(size=m), 1),
        )
        minimum, truth = minimize_exactly(cost, rows, right), solved(cost, -rows, -right)
        assert (minimum is None) == (truth is None)
        if minimum is not None:
            best, dual = minimum
            assert cost @ best == pytest.approx(truth.fun, abs=1e-12)
            assert (rows @ best >= right - 1e-12).all()
            assert dual @ right == pytest.approx(truth.fun, abs=1e-12)
            assert dual.min() >= 0
            assert (dual @ rows <= cost + 1e-12).all()


def test_a_dense_circle_has_all_its_points_in_a_moment() -> None:
    angle = np.linspace(0, np.pi / 2, 1502)[1:-1]
    front = db.frontier(frame(np.column_stack([np.sin(angle), np.cos(angle)])))
    assert len(front.extreme) == 1500
    assert isinstance(front.hull, Hull)
    db.certify(front)
