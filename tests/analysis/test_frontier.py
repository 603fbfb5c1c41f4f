"""The frontier: E, facets, faces, graph, distances, cost ranges: published values, and from first
principles.
"""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from dea_cases import NORMS, examples, frame, full_normals, normal, oracle, scales, tables, theta5
from hypothesis import given
from hypothesis import strategies as st

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def test_the_extreme_efficient_airlines() -> None:
    """With variable returns, inputs complemented to their maxima are outputs: E is that of the
    input-output table.
    """
    airlines = oracle("06_aparicio2007_airlines_closest", "data")
    inputs = ["Lab", "Fuel", "Matl", "Cap"]
    front = db.frontier(
        db.read(airlines, lower_is_better={name: airlines[name].max() for name in inputs})
    )
    flags = oracle("06_aparicio2007_airlines_closest", "expected")["extreme_efficient_vrs"]
    assert front.extreme == flags.index[flags == 1].tolist()


DISTANCES = [
    ("07_holder_input_8dmu", {"x1": 6.0, "x2": 8.0}),
    ("08_holder_output_8dmu_constant_input", {}),
]


@pytest.mark.parametrize(
    ("norm", "column", "tolerance"),
    [
        ("l1", "holder_l1{}_vrs", 1e-9),
        ("l2", "holder_l2{}_vrs_6dp", 5e-6),
        ("linf", "holder_linf{}_vrs", 1e-9),
    ],
)
@pytest.mark.parametrize(("name", "complement"), DISTANCES, ids=["07", "08"])
def test_hoelder_distances_to_the_boundary(name, complement, norm, column, tolerance) -> None:
    data, expected = oracle(name, "data"), oracle(name, "expected")
    outputs = list(complement) or ["y1", "y2"]
    front = db.frontier(db.read(data, lower_is_better=complement), outputs=outputs)
    original = front.locate(data[outputs], norm=norm)["distance"]
    np.testing.assert_allclose(-original, expected[column.format("")], atol=tolerance)
    for label in data.index:  # weighted: every metric divided by the DMU's own value
        relative_data = data[outputs] / data.loc[label, outputs]
        scaled = {x: maximum / data.loc[label, x] for x, maximum in complement.items()}
        front = db.frontier(db.read(relative_data, lower_is_better=scaled))
        computed = front.locate(relative_data.loc[[label]], norm=norm)["distance"].iloc[0]
        assert -computed == pytest.approx(
            expected.loc[label, column.format("_weighted")], abs=tolerance
        )


def all_facets(P: np.ndarray) -> np.ndarray:
    """Every facet normal w >= 0 by trying every s of the points and axes: tight points and zero
    weights fix it.
    """
    n, s = P.shape
    rows, right = np.vstack([P, np.eye(s)]), np.append(np.ones(n), np.zeros(s))
    normals = []
    for T in itertools.combinations(range(n + s), s):
        if min(T) < n and abs(np.linalg.det(rows[list(T)])) > 1e-9:
            w = np.linalg.solve(rows[list(T)], right[list(T)])
            if w.min() >= -1e-10 and (P @ w).max() <= 1 + 1e-10:
                normals.append(np.where(np.abs(w) < 1e-10, 0, w))
    return np.array(
        [w for _, w in sorted({tuple(np.round(w, 8)): tuple(w) for w in normals}.items())]
    )


@examples(60)
@given(tables(rows=(1, 7), metrics=(2, 3), near=False))
def test_facets_and_faces_from_first_principles(Y) -> None:
    front = db.frontier(frame(Y))
    P = np.unique(Y, axis=0)
    facets = front.facets
    facet_weights = np.array(
        sorted({tuple(np.round(w, 8)) for w in facets[front.outputs].to_numpy()})
    )
    np.testing.assert_allclose(facet_weights, all_facets(P), atol=2e-8)
    assert len(facet_weights) == len(facets)
    assert facets["full_dimensional"].tolist() == (facets[front.outputs] > 0).all(axis=1).tolist()
    assert facets["full_dimensional"].sum() == len({tuple(w) for w in np.round(full_normals(P), 7)})
    E = front.points.to_numpy()
    faces = set(front.faces["vertices"])
    positions = {label: k for k, label in enumerate(front.vertices)}
    for face, dimension in zip(front.faces["vertices"], front.faces["dimension"], strict=True):
        T = tuple(positions[label] for label in face)
        assert normal(E, T) is not None
        assert dimension == np.linalg.matrix_rank(E[list(T)] - E[T[0]], tol=1e-9)
    for size in range(
        1, len(E) + 1
    ):  # every efficient subset lies in a face, and is one where nothing else is tight
        for T in itertools.combinations(range(len(E)), size):
            if normal(E, T) is not None:
                assert any(set(T) <= {positions[label] for label in face} for face in faces)
            else:
                assert tuple(front.vertices[k] for k in T) not in faces
    assert {(label,) for label in front.vertices} <= faces
    maximal = front.faces[front.faces["maximal"]]["vertices"]
    for face in faces:
        assert (face in set(maximal)) == (
            not any(set(face) < set(larger_face) for larger_face in faces)
        )


@examples(40)
@given(tables(rows=(2, 7), metrics=(2, 4), near=False))
def test_extreme_is_what_no_mixture_of_the_others_reaches(Y) -> None:
    front = db.frontier(frame(Y))
    distinct = np.unique(Y, axis=0)
    for j, y in enumerate(Y):
        other_rows = distinct[(distinct != y).any(axis=1)]
        covered = (
            len(other_rows)
            and (other_rows.max(axis=0) > 0)[y > 0].all()
            and theta5_or_inf(other_rows, y) >= 1 - 1e-9
        )
        assert (f"c{j}" in front.extreme) == (not covered)


def theta5_or_inf(Y: np.ndarray, y: np.ndarray) -> float:
    """(5) over the metrics that the DMU has: the others cannot hold it back."""
    used = y > 0
    return theta5(Y[:, used], y[used])


@examples(20)
@given(tables(rows=(2, 7), metrics=(2, 3), near=False), st.data())
def test_units_change_no_label(Y, data) -> None:
    unit = data.draw(scales(Y.shape[1]))
    original, scaled = db.frontier(frame(Y)), db.frontier(frame(Y * unit))
    assert scaled.extreme == original.extreme
    assert scaled.vertices == original.vertices
    assert set(scaled.faces["vertices"]) == set(original.faces["vertices"])
    assert sorted(scaled.facets["vertices"]) == sorted(original.facets["vertices"])
    points = frame(Y * 0.9)
    assert (
        scaled.locate(points * unit)["position"].tolist()
        == original.locate(points)["position"].tolist()
    )


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@examples(25)
@given(tables(rows=(2, 7), metrics=(2, 3), near=False), st.integers(0, 10**6))
def test_the_signed_distance_is_the_least_move_to_the_boundary(norm, Y, seed) -> None:
    front = db.frontier(frame(Y))
    W = all_facets(np.unique(Y, axis=0))
    points = np.random.default_rng(seed).integers(20, 121, (4, Y.shape[1])) / 100
    located = front.locate(frame(points), norm=norm)
    for p, (position, distance) in zip(points, located.to_numpy(), strict=True):
        room = (1 - W @ p) / np.linalg.norm(W, {"l1": np.inf, "l2": 2, "linf": 1}[norm], axis=1)
        if room.min() >= 0:
            assert distance == pytest.approx(-room.min(), abs=1e-7)
            assert position == ("on" if room.min() < 1e-9 else "inside")
        else:
            assert position == "outside"
            assert distance >= -room.min() - 1e-7
            assert (
                distance <= min(np.linalg.norm(y - p, NORMS[norm]) for y in np.minimum(Y, p)) + 1e-7
            )
    on = front.locate(front.points, norm=norm)
    assert (on["position"] == "on").all()
    assert on["distance"].abs().max() <= 1e-9


def wine_front():
    wine = db.datasets.load("chao2022-wine1")
    return db.frontier(wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]], outputs=["TPR", "TNR"])


def test_the_graph_of_wine1() -> None:
    front = wine_front()
    graph = front.graph
    full = [facet for facet, node in graph.nodes(data=True) if node["full_dimensional"]]
    rates = {graph.nodes[facet]["vertices"]: graph.nodes[facet]["trade_off"] for facet in full}
    steep = (
        rates["CS-MCQP", "Bagging"]
        if ("CS-MCQP", "Bagging") in rates
        else rates["Bagging", "CS-MCQP"]
    )
    assert steep["TPR", "TNR"] == pytest.approx(
        16.36, abs=5e-3
    )  # u = (16.36, 1), as models (9)-(11) have it
    assert steep["TPR", "TNR"] * steep["TNR", "TPR"] == pytest.approx(1.0, abs=1e-12)
    for facet, node in graph.nodes(data=True):
        values = front.data.outputs @ pd.Series(node["normal"])
        assert values.max() == pytest.approx(node["offset"], abs=1e-12)
        assert values[list(node["vertices"])].to_numpy() == pytest.approx(1.0, abs=1e-12)
        assert front.facets.loc[facet, "vertices"] == node["vertices"]
    for a, b, edge in graph.edges(data=True):
        assert set(edge["vertices"]) == set(graph.nodes[a]["vertices"]) & set(
            graph.nodes[b]["vertices"]
        )


@examples(25)
@given(tables(rows=(3, 8), metrics=(2, 2), near=False))
def test_two_metrics_make_a_chain(Y) -> None:
    """In the plane the facets, by falling slope, form a path: each shares its end with the next."""
    front = db.frontier(frame(Y))
    graph = front.graph
    slope = {
        f: np.arctan2(node["normal"]["m0"], node["normal"]["m1"])
        for f, node in graph.nodes(data=True)
    }
    ordered = sorted(graph.nodes, key=slope.get)
    assert {frozenset(e) for e in graph.edges} == {
        frozenset(pair) for pair in itertools.pairwise(ordered)
    }


def test_the_graph_of_a_corner_has_a_ridge_between_each_two() -> None:
    front = db.frontier(frame(np.array([[1.0, 1.0, 1.0]])))
    assert front.facets["full_dimensional"].tolist() == [False, False, False]
    assert nx.is_isomorphic(nx.Graph(front.graph.edges), nx.complete_graph(3))
    assert front.faces["vertices"].tolist() == [("c0",)]


def test_graphml_is_written_whole_and_reads_back(tmp_path) -> None:
    front = wine_front()
    path = tmp_path / "wine.graphml"
    front.to_graphml(path)
    back = nx.read_graphml(path)
    assert len(back) == len(front.graph)
    assert back.number_of_edges() == front.graph.number_of_edges()
    for facet, node in front.graph.nodes(data=True):
        written = back.nodes[str(facet)]
        assert written["normal TPR"] == node["normal"]["TPR"]
        assert written["vertices"] == ", ".join(node["vertices"])
        assert written["full_dimensional"] == node["full_dimensional"]
        for (b, a), rate in node["trade_off"].items():
            assert written[f"trade-off {a} per {b}"] == rate
    for first, second, edge in front.graph.edges(data=True):
        shared = ", ".join(map(str, edge["vertices"]))
        assert back.edges[str(first), str(second)]["vertices"] == shared


@pytest.mark.parametrize("prevalence", [0.1, 0.5, 0.8])
def test_cost_ranges_name_the_cheapest_classifier(prevalence) -> None:
    """Every ratio of costs by itself: the classifier named has the least expected cost."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        rng.uniform(0.2, 1, (40, 2)), columns=["TPR", "TNR"], index=[f"c{j}" for j in range(40)]
    )
    ranges = db.frontier(table).cost_ranges(prevalence=prevalence)
    assert ranges["from_ratio"].iloc[0] == 0
    assert np.isinf(ranges["to_ratio"].iloc[-1])
    assert ranges["from_ratio"].iloc[1:].tolist() == ranges["to_ratio"].iloc[:-1].tolist()
    for ratio in np.geomspace(1e-3, 1e3, 200):
        cost = ratio * prevalence * (1 - table["TPR"]) + (1 - prevalence) * (1 - table["TNR"])
        best = cost.idxmin()
        assert ranges.loc[best, "from_ratio"] <= ratio * (1 + 1e-9)
        assert ratio <= ranges.loc[best, "to_ratio"] * (1 + 1e-9)


def test_duplicates_are_all_extreme_and_one_vertex() -> None:
    front = db.frontier(frame(np.array([[1.0, 0.2], [0.2, 1.0], [1.0, 0.2], [0.1, 0.1]])))
    assert front.extreme == ["c0", "c1", "c2"]
    assert front.vertices == ["c0", "c1"]


def test_duplicates_are_kept_in_a_large_table() -> None:
    rng = np.random.default_rng(2)
    inside = rng.uniform(0.1, 0.4, (2500, 2))
    front = db.frontier(frame(np.vstack([[1.0, 0.2], [0.2, 1.0], [1.0, 0.2], inside])))
    assert front.extreme == ["c0", "c1", "c2"]


def test_one_metric_has_one_point() -> None:
    front = db.frontier(frame(np.array([[0.3], [0.9], [0.5]])))
    assert front.extreme == ["c1"]
    assert front.locate(frame(np.array([[0.4], [0.9], [1.0]])))[
        "distance"
    ].tolist() == pytest.approx([-0.5, 0.0, 0.1])


def test_frontier_refuses(refused) -> None:
    table = frame(np.array([[0.9, 0.2, 0.0], [0.2, 0.9, 0.0]]))
    with refused("metric 'm2' is 0 in every row; leave it out"):
        db.frontier(table)
    front = db.frontier(table, outputs=["m0", "m1"])
    with refused("the points have no column 'm1'; the frontier is in m0, m1"):
        front.locate(table[["m0"]])
    with refused("norm 'l3' is not known; it is one of 'l1', 'l2', 'linf'"):
        front.locate(table, norm="l3")
    with refused("cost ranges need a frontier in TPR and TNR; this one is in m0, m1"):
        front.cost_ranges()
    with refused("the prevalence is 1; give a share between 0 and 1, both excluded"):
        wine_front().cost_ranges(prevalence=1.0)
    with refused(
        "metric 'm0' of 'c1' is inf; give a finite number, or leave the row or the column out"
    ):
        front.locate(table.assign(m0=[0.5, np.inf]))


def test_names_of_two_parts_are_names() -> None:
    names = pd.MultiIndex.from_tuples([("svm", 1), ("svm", 2), ("net", 1)])
    front = db.frontier(pd.DataFrame({"TPR": [0.9, 0.5, 0.4], "TNR": [0.2, 0.6, 0.5]}, index=names))
    assert front.extreme == [("svm", 1), ("svm", 2)]
    assert front.to_frame().loc[("svm", 2), "TNR"] == 0.6
    assert "('svm', 1)" in repr(front)


@pytest.mark.parametrize("off", [0.0, 1e-11, -1e-11])
def test_a_point_within_1e_10_of_an_edge_is_on_it(off) -> None:
    """A row within rounding of the middle of an edge adds neither an extreme row nor a face."""
    corners = np.array([[1.0, 0.4, 0.4], [0.4, 1.0, 0.4], [0.4, 0.4, 1.0]])
    triangle = db.frontier(frame(corners))
    front = db.frontier(frame(np.vstack([corners, corners[:2].mean(axis=0) + off])))
    assert front.extreme == triangle.extreme
    assert sorted(front.faces["vertices"]) == sorted(triangle.faces["vertices"])
    assert front.graph.number_of_edges() == triangle.graph.number_of_edges()
    db.certify(front)
    for shift, position in ((1e-10, "on"), (-1e-10, "on"), (1e-7, "outside"), (-1e-7, "inside")):
        point = frame(corners[:2].mean(axis=0)[None] + shift, "t")
        assert front.locate(point)["position"].tolist() == [position]
        targets = db.targets(point, frame(corners), on="faces", norm="linf")
        assert targets.position.tolist() == [position]
        db.certify(targets)


def test_without_mixtures_each_undominated_system_is_a_face_of_its_own() -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.5, 0.4], "TNR": [0.4, 0.9, 0.3]}, index=list("abc"))
    front = db.frontier(table, technology="fdh")
    assert front.summary() == (
        "2 of 3 systems are on the frontier without mixtures (free disposal hull) of TPR, TNR: "
        "'a', 'b'"
    )
    assert front.faces.reset_index().to_dict("list") == {
        "face": [0, 1],
        "vertices": [("a",), ("b",)],
        "dimension": [0, 0],
        "maximal": [True, True],
    }
    # c is below both in both metrics: nothing is missed.
    assert not front.certificate.to_numpy().any()
    front.certificate.loc["frontier", "covered"] = 1.0
    assert not front.recompute().to_numpy().any()
