"""Closest targets against published values, brute force over all subsets of E, and an LP for every
face.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import (
    NORMS,
    brute,
    brute_common,
    examples,
    frame,
    full_normals,
    lp,
    normal,
    oracle,
    tables,
    to_facets,
    to_hull,
)
from hypothesis import given
from hypothesis import strategies as st
from quick_cases import mark_most_slow
from scipy.optimize import minimize

import deabench as db
from deabench.errors import SolveError
from deabench.geometry.projections import project_onto_facet
from deabench.solver.highs import Solver
from deabench.solver.template import compile_template, expand_template

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

EXACT = 1e-8


def points_about(seed: int, count: int, s: int) -> np.ndarray:
    """Tested DMUs inside, on and outside: hundredths from 0.2 to 1.2."""
    return np.random.default_rng(seed).integers(20, 121, (count, s)) / 100


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("18a_synthetic_seed0_n30_outputs3_closest", "faces"),
        ("18a_synthetic_seed0_n30_outputs3_closest", "milp"),
        ("18c_synthetic_seed0_n100_outputs3_closest", "faces"),
        pytest.param("18c_synthetic_seed0_n100_outputs3_closest", "milp", marks=pytest.mark.slow),
    ],
)
def test_every_row_of_the_synthetic_oracles(name, method) -> None:
    table, expected = oracle(name, "data"), oracle(name, "expected")
    targets = db.targets(table, table, dominating=True, method=method)
    np.testing.assert_allclose(
        targets.distance, expected["closest_L1_dominating_minslack"], rtol=1e-9, atol=1e-9
    )
    assert (targets.gaps >= -1e-9).all(axis=None)
    db.certify(targets)
    published = expected["deaR_milp_value_WRONG_WHERE_DIFFERENT"]
    wrong = (published - targets.distance).abs() > 1e-6
    assert (
        wrong.sum() == 1
    )  # where the published implementation errs, it is too high: a face was cut off
    assert (published[wrong] > targets.distance[wrong] + 1e-3).all()


def test_the_targets_of_wine1_by_hand() -> None:
    """The L1 targets of model (11) with E = {RUS+SVM, CS-MCQP, Bagging}; the facet's other end for
    AdaBoostM1.
    """
    wine = db.datasets.load("chao2022-wine1")
    E = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
    for method in ("faces", "milp"):
        targets = db.targets(wine, E, outputs=["TPR", "TNR"], method=method)
        distance = targets.distance
        assert distance[["RBF", "MLP", "OSS+SVM"]].tolist() == pytest.approx(
            [51.5, 4.1, 9.8], abs=1e-9
        )
        assert distance["AdaBoostM1"] == pytest.approx(1.4233, abs=5e-5)
        assert distance[E.index].tolist() == pytest.approx([0, 0, 0], abs=1e-9)
        assert targets.targets.loc["RBF"].tolist() == pytest.approx([96.0, 78.6], abs=1e-9)
        assert targets.targets.loc["OSS+SVM"].tolist() == pytest.approx([96.0, 78.6], abs=1e-9)
        assert targets.targets.loc["AdaBoostM1"].tolist() == pytest.approx([95.523, 86.4], abs=5e-4)
        assert targets.position["MLP"] == "outside"
        db.certify(targets)
    extended = db.targets(wine.loc[["MLP"]], E, outputs=["TPR", "TNR"], norm="l2", on="facets")
    assert extended.targets.loc["MLP"].tolist() == pytest.approx([94.55, 96.95], abs=5e-3)


@pytest.mark.parametrize("norm", mark_most_slow(["l1", "linf"], 1))
@examples(14)
@given(tables(rows=(1, 6), metrics=(1, 3), near=False), st.integers(0, 10**6), st.booleans())
def test_faces_and_milp_are_the_least_over_all_subsets(norm, Y, seed, dominating) -> None:
    P, points = np.unique(Y, axis=0), points_about(seed, 2, Y.shape[1])
    truth = [brute(P, p, norm, dominating=dominating) for p in points]
    for method in ("faces", "milp"):
        targets = db.targets(
            frame(points, "t"), frame(Y), norm=norm, dominating=dominating, method=method
        )
        assert targets.distance.fillna(np.inf).tolist() == pytest.approx(truth, abs=EXACT)
        assert targets.method == method
        assert set(targets.reasons) == {f"t{k}" for k, d in enumerate(truth) if np.isinf(d)}
        assert set(targets.reasons.values()) <= {"no point of the frontier dominates it"}
        db.certify(targets)


@examples(25)
@given(tables(rows=(1, 7), metrics=(1, 3), near=False), st.integers(0, 10**6))
def test_l2_is_the_least_over_all_subsets(Y, seed) -> None:
    P, points = np.unique(Y, axis=0), points_about(seed, 3, Y.shape[1])
    targets = db.targets(frame(points, "t"), frame(Y), norm="l2")
    assert targets.distance.tolist() == pytest.approx(
        [brute(P, p, "l2") for p in points], abs=EXACT
    )
    db.certify(targets)


def by_quadratic_program(V: np.ndarray, p: np.ndarray, *, dominating: bool) -> float:
    """The Euclidean distance to the hull of V by HiGHS's QP of `deabench_models.face`."""
    import deabench_models
    from deabench_models import projection

    s = len(p)
    steps = [projection.dominating] if dominating else []
    form = compile_template(
        deabench_models.face,
        {"P": range(s)},
        {"p_G": {("g", r): 1.0 for r in range(s)}},
        lambda m: projection.l2(m, dict.fromkeys(range(s), 1.0)),
        *steps,
    )
    solver = Solver(expand_template(form, V, p))
    try:
        solver.run("test")
    except SolveError:
        return np.inf
    return float(np.sqrt(max(solver.objective(), 0.0)))


def by_slsqp(V: np.ndarray, p: np.ndarray) -> float:
    """The Euclidean distance from p to the points of the hull of V that dominate it."""
    if np.isinf(to_hull(V, p, "l1", dominating=True)):
        return np.inf
    k = len(V)
    optimum = minimize(
        lambda x: ((x @ V - p) ** 2).sum(),
        np.full(k, 1 / k),
        jac=lambda x: 2 * V @ (x @ V - p),
        bounds=[(0, 1)] * k,
        method="SLSQP",
        options={"ftol": 1e-16, "maxiter": 500},
        constraints=[
            {"type": "eq", "fun": lambda x: x.sum() - 1},
            {"type": "ineq", "fun": lambda x: x @ V - p},
        ],
    )
    return float(np.sqrt(optimum.fun))


@examples(15)
@given(tables(rows=(2, 6), metrics=(2, 3), near=False), st.integers(0, 10**6))
def test_l2_is_the_quadratic_program_of_some_face(Y, seed) -> None:
    points = points_about(seed, 2, Y.shape[1])
    targets = db.targets(frame(points, "t"), frame(Y), norm="l2")
    faces = [
        targets.frontier.points.loc[list(face)].to_numpy()
        for face in targets.frontier.faces["vertices"]
    ]
    for p, distance in zip(points, targets.distance, strict=True):
        assert distance == pytest.approx(
            min(by_quadratic_program(V, p, dominating=False) for V in faces), abs=1e-6
        )


@examples(12)
@given(tables(rows=(2, 6), metrics=(2, 3), near=False), st.integers(0, 10**6))
def test_l2_dominating_is_the_least_that_slsqp_finds(Y, seed) -> None:
    points = points_about(seed, 2, Y.shape[1]) * 0.8
    targets = db.targets(frame(points, "t"), frame(Y), norm="l2", dominating=True)
    faces = [
        targets.frontier.points.loc[list(face)].to_numpy()
        for face in targets.frontier.faces["vertices"]
    ]
    for p, distance in zip(points, targets.distance.fillna(np.inf), strict=True):
        assert distance == pytest.approx(min(by_slsqp(V, p) for V in faces), abs=1e-6)
    assert not (targets.gaps < -1e-8).any(axis=None)
    db.certify(targets)


@pytest.mark.parametrize("norm", mark_most_slow(["linf", "l1"], 1))
@examples(10)
@given(tables(rows=(1, 5), metrics=(1, 3), near=False), st.integers(0, 10**6))
def test_a_common_face_is_the_least_in_total(norm, Y, seed) -> None:
    P, points = np.unique(Y, axis=0), points_about(seed, 3, Y.shape[1])
    truth = brute_common(P, points, norm)
    for method in ("faces", "milp"):
        targets = db.targets(frame(points, "t"), frame(Y), norm=norm, common=True, method=method)
        assert targets.distance.sum() == pytest.approx(truth, abs=EXACT)
        assert len(set(targets.faces)) == 1
        db.certify(targets)


SMALL_E = {
    "one point": [[0.5, 0.7, 0.9]],
    "fewer than metrics": [[1.0, 0.2, 0.5], [0.2, 1.0, 0.5]],
    "affinely dependent": [[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.5, 0.5, 0.5], [0.75, 0.25, 0.5]],
    "four on one facet": [[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0], [1.0, 1.0, 0.0]],
    "ties": [[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]],
    "duplicates": [[1.0, 0.5, 0.2], [1.0, 0.5, 0.2], [0.2, 0.5, 1.0], [0.2, 0.5, 1.0]],
    "an edge that is in no efficient facet": [[1.0, 0.3, 0.6], [0.3, 1.0, 0.6], [0.5, 0.5, 0.6]],
    "a weakly efficient point": [[1.0, 0.5, 0.5], [1.0, 0.4, 0.5], [0.2, 1.0, 0.9]],
}


@pytest.mark.parametrize("case", SMALL_E)
@pytest.mark.parametrize("norm", ["l1", *mark_most_slow(["l2", "linf"], 0)])
def test_degenerate_frontiers(norm, case) -> None:
    Y = np.array(SMALL_E[case])
    P = np.unique(Y, axis=0)
    points = np.array([[0.3, 0.3, 0.3], [0.7, 0.7, 0.4], [1.1, 0.9, 1.0], [0.6, 0.6, 0.5], *Y])
    truth = [brute(P, p, norm) for p in points]
    for method in ("faces", "milp") if norm != "l2" else ("faces",):
        targets = db.targets(frame(points, "t"), frame(Y), norm=norm, method=method)
        assert targets.distance.tolist() == pytest.approx(truth, abs=1e-9)
        db.certify(targets)
    if case == "fewer than metrics":
        assert targets.frontier.facets["full_dimensional"].sum() == 0
        assert targets.frontier.faces["dimension"].tolist() == [1, 0, 0]


@pytest.mark.parametrize("norm", mark_most_slow(["l1", "l2", "linf"], 1))
@examples(15)
@given(tables(rows=(2, 7), metrics=(2, 3), near=False), st.integers(0, 10**6), st.booleans())
def test_every_target_is_on_a_pareto_efficient_face(norm, Y, seed, common) -> None:
    """By linear programs of their own: the face's points share a normal u > 0, and the target gains
    nothing.
    """
    P, points = np.unique(Y, axis=0), points_about(seed, 2, Y.shape[1])
    targets = db.targets(frame(points, "t"), frame(Y), norm=norm, common=common)
    n = len(P)
    for label, target in targets.targets.iterrows():
        y = target.to_numpy()
        gain = -lp(-P.sum(axis=1), -P.T, -y + 1e-9, equal=(np.ones((1, n)), [1.0])) - y.sum()
        assert gain <= 1e-6
        vertices = targets.frontier.points.loc[list(targets.faces[label])].to_numpy()
        T = tuple(int(np.flatnonzero((v == P).all(axis=1))[0]) for v in vertices)
        assert normal(P, T) is not None
        assert to_hull(vertices, y, "l1") <= 1e-9
        lam = targets.intensities.loc[label].to_numpy()
        np.testing.assert_allclose(lam @ targets.frontier.points.to_numpy(), y, atol=1e-10)
    if not common:
        ranking = db.rank(targets.targets, reference=frame(Y))
        np.testing.assert_allclose(ranking.scores, 1.0, atol=1e-8)


@pytest.mark.parametrize("norm", mark_most_slow(["linf", "l1", "l2"], 1))
@examples(20)
@given(tables(rows=(2, 6), metrics=(2, 3), near=False), st.integers(0, 10**6))
def test_facets_extended_inside_and_outside(norm, Y, seed) -> None:
    P, points = np.unique(np.where(Y > 0, Y, 0.01), axis=0), points_about(seed, 4, Y.shape[1])
    W = full_normals(P)
    if not len(W):
        with pytest.raises(db.DataError) as caught:
            db.targets(frame(points, "t"), frame(P), norm=norm, on="facets")
        assert str(caught.value) == (
            "the frontier has no full-dimensional Pareto-efficient facet to extend; use on='faces'"
        )
        return
    targets = db.targets(frame(points, "t"), frame(P), norm=norm, on="facets")
    excess = (points @ W.T).max(axis=1) - 1
    sides = np.where(excess > 1e-9, "outside", np.where(excess < -1e-9, "inside", "on"))
    assert targets.position.tolist() == sides.tolist()
    if norm == "l2":
        truth = [
            by_projection(W, p)
            if (W @ p).max() > 1
            else ((1 - W @ p) / np.linalg.norm(W, axis=1)).min()
            for p in points
        ]
        assert targets.distance.tolist() == pytest.approx(truth, abs=1e-6)
    else:
        assert targets.distance.tolist() == pytest.approx(
            [to_facets(W, p, norm) for p in points], abs=EXACT
        )
    boundary = (targets.targets.to_numpy() @ W.T).max(axis=1)
    np.testing.assert_allclose(boundary, 1.0, atol=1e-7)
    db.certify(targets)


def by_projection(W: np.ndarray, p: np.ndarray) -> float:
    optimum = minimize(
        lambda y: ((y - p) ** 2).sum(),
        p / (W @ p).max(),
        jac=lambda y: 2 * (y - p),
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda y: 1 - W @ y},
        options={"ftol": 1e-16, "maxiter": 500},
    )
    return float(np.sqrt(optimum.fun))


def test_a_common_extended_facet_is_the_nearest_hyperplane_in_total() -> None:
    P, points = (
        np.array([[1.0, 0.2], [0.8, 0.7], [0.1, 1.0]]),
        np.array([[0.5, 0.4], [0.2, 0.5], [0.4, 0.6]]),
    )
    W = full_normals(P)
    assert len(W) == 2
    for norm, dual in (("l1", np.inf), ("l2", 2), ("linf", 1)):
        targets = db.targets(frame(points), frame(P), norm=norm, on="facets", common=True)
        away = np.abs(1 - points @ W.T) / np.linalg.norm(W, dual, axis=1)
        assert targets.distance.sum() == pytest.approx(away.sum(axis=0).min(), abs=1e-12)
        assert len(set(targets.faces)) == 1
        db.certify(targets)


@pytest.mark.parametrize("norm", mark_most_slow(["l2", "l1", "linf"], 1))
@examples(10)
@given(tables(rows=(2, 6), metrics=(2, 3), near=False), st.integers(0, 10**6), st.data())
def test_weights_are_a_change_of_units(norm, Y, seed, data) -> None:
    s = Y.shape[1]
    weight = np.array(
        data.draw(st.lists(st.sampled_from([0.01, 0.5, 1.0, 3.0, 200.0]), min_size=s, max_size=s))
    )
    points = points_about(seed, 2, s)
    weighed = db.targets(
        frame(points, "t"), frame(Y), norm=norm, weights={f"m{r}": w for r, w in enumerate(weight)}
    )
    original = db.targets(frame(points * weight, "t"), frame(Y * weight), norm=norm)
    assert weighed.distance.tolist() == pytest.approx(
        original.distance.tolist(), rel=1e-8, abs=1e-9 * weight.max()
    )
    repeated = [np.linalg.norm(gap * weight, NORMS[norm]) for gap in weighed.gaps.to_numpy()]
    assert weighed.distance.tolist() == pytest.approx(repeated, rel=1e-9, abs=1e-12)
    db.certify(weighed)


@pytest.mark.parametrize("power", [-6, 9])
def test_one_unit_for_all_scales_the_distance(power) -> None:
    table = oracle("18a_synthetic_seed0_n30_outputs3_closest", "data")
    for norm in ("l1", "l2", "linf"):
        original, scaled = (
            db.targets(t, t, norm=norm).distance for t in (table, table * 10.0**power)
        )
        np.testing.assert_allclose(scaled / 10.0**power, original, rtol=1e-8, atol=1e-9)


def test_faces_and_milp_agree_with_seven_metrics() -> None:
    rng = np.random.default_rng(12)
    reference, tested = frame(rng.uniform(0.3, 1, (9, 7))), frame(rng.uniform(0.3, 1, (2, 7)), "t")
    by_faces, by_milp, auto = (
        db.targets(tested, reference, method=m) for m in ("faces", "milp", "auto")
    )
    assert by_milp.distance.tolist() == pytest.approx(by_faces.distance.tolist(), abs=1e-9)
    assert auto.method == "milp"
    assert db.targets(tested.iloc[:, :6], reference.iloc[:, :6]).method == "faces"


def test_a_time_limit_ends_in_a_stated_bound() -> None:
    rng = np.random.default_rng(0)
    sphere = np.abs(rng.normal(size=(60, 5)))
    reference = frame(sphere / np.linalg.norm(sphere, axis=1, keepdims=True))
    with pytest.raises(SolveError) as caught:
        db.targets(reference.iloc[[0]] * 0.5, reference, method="milp", time_limit=0.01)
    message = str(caught.value)
    assert message.startswith(
        "normalised for 'c0': HiGHS ended with 'Time limit reached'; proved so far: the distance "
        "is at least "
    )
    assert message.endswith("; give it more time, or use method 'faces'")
    bound = float(message.split("at least ")[1].split(";")[0])
    assert bound <= db.targets(reference.iloc[[0]] * 0.5, reference).distance.iloc[0] + 1e-9


def test_positions_and_notes() -> None:
    reference = frame(np.array([[0.99, 0.2], [0.2, 0.99]]))
    tested = frame(np.array([[0.5, 0.5], [0.99, 0.2], [1.0, 0.95]]), "t")
    targets = db.targets(tested, reference)
    assert targets.position.tolist() == ["inside", "on", "outside"]
    assert targets.distance["t1"] == 0.0
    assert list(targets.to_frame().columns) == ["position", "distance", "target_m0", "target_m1"]
    assert targets.to_csv().splitlines()[0] == "classifier,position,distance,target_m0,target_m1"
    assert set(targets.peers.columns) <= {"c0", "c1"}
    low = frame(np.array([[0.9, 0.0001]]), "t")
    closest = db.targets(
        low, reference, outputs=["m0", "m1"], norm="l1", on="facets", weights={"m0": 1, "m1": 9}
    )
    assert closest.notes == (
        "the target of 't0' in 'm0' is 1.19, beyond 1: the extended facet leaves the metric's "
        "range",
    )


def test_a_complemented_metric_and_duplicates_in_the_reference() -> None:
    reference = pd.DataFrame(
        {"TPR": [0.9, 0.9, 0.5], "error": [0.4, 0.4, 0.1]}, index=["a", "twin", "b"]
    )
    tested = pd.DataFrame({"TPR": [0.5], "error": [0.5]}, index=["t"])
    targets = db.targets(
        tested, db.read(reference, lower_is_better={"error": 1.0}), outputs=["TPR", "error"]
    )
    same = db.targets(
        tested.assign(error=0.5),
        reference.assign(error=1 - reference["error"]),
        outputs=["TPR", "error"],
    )
    assert targets.distance.tolist() == same.distance.tolist()
    assert targets.notes == ("'error' stands for its complement 1 - error: lower is better",)
    assert targets.frontier.extreme == ["a", "twin", "b"]
    assert targets.frontier.vertices == ["a", "b"]


REFUSED = [
    ({"norm": "l3"}, "norm 'l3' is not known; it is one of 'l1', 'l2', 'linf'"),
    ({"on": "edges"}, "on 'edges' is not known; it is one of 'faces', 'facets'"),
    ({"method": "guess"}, "method 'guess' is not known; it is one of 'auto', 'faces', 'milp'"),
    (
        {"method": "milp", "on": "facets"},
        "method='milp' finds targets on faces; use method='faces' with on='facets'",
    ),
    (
        {"method": "milp", "norm": "l2"},
        "method='milp' is linear and norm='l2' is not; use method='faces', or norm='l1' or "
        "norm='linf'",
    ),
    ({"weights": {"x": 1.0}}, "weights names 'x', which is not an output; the outputs are m0, m1"),
    ({"weights": {"m0": 0.0, "m1": 1.0}}, "the weight of 'm0' is 0; give a number above 0"),
    ({"weights": {"m0": np.nan, "m1": 1.0}}, "the weight of 'm0' is nan; give a number above 0"),
    ({"weights": {"m0": 1.0}}, "weights has no 'm1'; give one for every output"),
    ({"outputs": ["m9"]}, "there is no column 'm9' in the table; there are 'm0', 'm1'"),
]


@pytest.mark.parametrize(("options", "text"), REFUSED)
def test_targets_refuses(options, text, refused) -> None:
    table = frame(np.array([[0.9, 0.2], [0.2, 0.9]]))
    with refused(text):
        db.targets(table, table, **options)


def test_targets_refuses_a_tested_table_by_its_own_row(refused) -> None:
    table = frame(np.array([[0.9, 0.2], [0.2, 0.9]]))
    with refused(
        "metric 'm1' of 'c1' is missing; give a finite number, or say what to do with "
        "missing='drop-systems', 'drop-metrics' or 'bounds'"
    ):
        db.targets(table.assign(m1=[0.1, np.nan]), table)
    with refused("metric 'm0' is 0 in every row; leave it out"):
        db.targets(table, table.assign(m0=0.0))


@examples(30)
@given(
    st.sampled_from(sorted(NORMS)),
    tables(rows=(1, 7), metrics=(1, 4), near=False),
    st.integers(0, 10**6),
    st.booleans(),
)
def test_a_target_does_not_depend_on_who_else_is_tested(norm, Y, seed, dominating) -> None:
    """Ties are broken by the DMU's own data: the target of one is its target among many, but for
    the rounding of products.
    """
    points, E = frame(points_about(seed, 4, Y.shape[1]), "t"), frame(Y)
    options = {"norm": norm, "dominating": dominating, "method": "faces"}
    targets = db.targets(points, E, **options)
    for label in points.index:
        separate = db.targets(points.loc[[label]], E, **options)
        np.testing.assert_allclose(
            separate.targets.loc[label], targets.targets.loc[label], atol=1e-13
        )


def test_a_projection_that_fails_names_its_dmu(monkeypatch, refused) -> None:
    def undecided(self, method_name, *, patient=True):
        raise SolveError(f"{self.name} for {method_name}: HiGHS ended with 'Unknown'")

    monkeypatch.setattr(Solver, "run", undecided)
    wine = db.datasets.load("chao2022-wine1")
    with refused("face for 'RBF': HiGHS ended with 'Unknown'", SolveError):
        db.targets(wine.loc[["RBF"]], wine.loc[["RUS+SVM", "Bagging"]], outputs=["TPR", "TNR"])


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_every_point_inside_the_extended_facets_has_a_dominating_target(norm) -> None:
    rng = np.random.default_rng(1)
    table = frame(rng.uniform(0.3, 1, (20, 3)))
    front = db.frontier(table)
    inside = frame(rng.uniform(0.1, 0.4, (4, 3)), "t")
    targets = db.targets(inside, table, on="facets", dominating=True, norm=norm)
    assert not targets.reasons
    weights = front.facets.loc[front.facets["full_dimensional"], front.outputs].to_numpy()
    room = (1 - inside.to_numpy() @ weights.T) / np.linalg.norm(
        weights, {"l1": np.inf, "l2": 2, "linf": 1}[norm], axis=1
    )
    np.testing.assert_allclose(targets.distance, room.min(axis=1), atol=1e-12)


def test_the_first_extended_facet_by_its_nearest_point_is_not_the_nearest_of_all() -> None:
    """The facet nearest to one point, and the next, are farther from all points than the third."""
    P = np.array([[0.25, 0.85], [0.5, 0.8], [0.85, 0.35], [0.95, 0.2]])
    points = np.array([[0.3, 0.35], [0.05, 0.4], [0.15, 0.3]])
    W = full_normals(P)
    away = np.abs(1 - points @ W.T) / np.linalg.norm(W, axis=1)
    by_nearest_point = np.argsort(away.min(axis=0))
    assert np.argmin(away.sum(axis=0)) == by_nearest_point[-1]
    targets = db.targets(frame(points), frame(P), norm="l2", on="facets", common=True)
    assert targets.distance.sum() == pytest.approx(away.sum(axis=0).min(), abs=1e-12)


def test_a_point_of_a_facet_that_does_not_dominate_is_solved_again(monkeypatch) -> None:
    """A solver that loses the rows of `dominating` answers with a point below the tested one."""
    from deabench_models import projection

    normals = np.array([[0.375, 0.875, 0.5], [0.125, 0.75, 0.75], [0.75, 0.25, 0.125]])
    point = np.array([0.7, 0.1, 0.5])
    arguments = (normals, 1, point, "linf", np.ones(3))
    assert (project_onto_facet(*arguments, dominating=False) < point - 0.09).any()
    monkeypatch.setattr(projection, "dominating", lambda model: None)
    target = project_onto_facet(*arguments, dominating=True)
    # x stays: .375 x + .875 y + .5 z = 1 and .125 x + .75 y + .75 z = 1.
    assert target == pytest.approx([0.7, 0.31 / 0.9, 0.785 / 0.9], abs=1e-12)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_on_no_common_facet_does_anything_dominate_a_point_beyond_all(norm) -> None:
    P = np.array([[1.0, 0.2], [0.8, 0.7], [0.1, 1.0]])
    for beyond, has_target in (([0.7, 0.6], True), ([0.9, 0.9], False)):
        points = np.array([[0.3, 0.4], beyond])
        targets = db.targets(
            frame(points), frame(P), norm=norm, on="facets", common=True, dominating=True
        )
        assert targets.distance.notna().tolist() == [has_target, has_target]


@pytest.mark.parametrize("share", [8e-8, 2e-8, 8e-9])
def test_the_program_counts_intensities_near_zero(share) -> None:
    """The tested DMU is above 'b' by next to nothing, so that 'b' alone does not dominate it."""
    reference = pd.DataFrame({"x": [0.0, 0.75, 1.0], "y": [1.0, 0.75, 0.0]}, index=["a", "b", "c"])
    tested = pd.DataFrame({"x": [0.75 + share / 4], "y": [0.5]}, index=["p"])
    # A step in "x" costs more than the same in "y" gives, so that it stays.
    result = db.targets(
        tested,
        reference,
        outputs=["x", "y"],
        method="milp",
        dominating=True,
        weights={"x": 4.0, "y": 1.0},
    )
    assert result.faces["p"] == ("b", "c")
    assert result.intensities.loc["p", "c"] == pytest.approx(share, rel=1e-6)
    assert (result.gaps >= -1e-15).all(axis=None)
    db.certify(result)
