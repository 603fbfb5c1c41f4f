"""Every field of the page's data equals the library's answer, on boards of all sorts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow
from report_cases import COSTS, cloud, costly

import deabench as db
from deabench.results.ranking import order_by_merit

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
Board = tuple[pd.DataFrame, dict[str, Any]]


def gaps() -> Board:
    table = cloud(12, 2)
    table.iloc[3, 1] = np.nan
    return table, {"missing": "bounds"}


def uncertain() -> Board:
    table = cloud(8, 2)
    errors = pd.DataFrame(0.01, table.index, table.columns)
    return table, {"uncertainty": db.Samples.from_table(table, errors=errors)}


def weak_ties() -> Board:
    rows = {"a": [0.9, 0.8], "b": [0.9, 0.5], "c": [0.5, 0.95], "d": [0.5, 0.95], "e": [0.3, 0.3]}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["TPR", "TNR"]), {}


def percents() -> Board:
    rows = {"a": [91.0, 40.0], "b": [88.0, 20.0], "c": [80.0, 5.0], "d": [85.0, 30.0]}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["accuracy (%)", "latency_ms"]), {}


def inward() -> Board:
    return percents()[0], {"returns": "vrs", "orientation": "input"}


BOARDS: dict[str, Callable[[], Board]] = {
    "costs": lambda: (costly(15), COSTS),
    "three metrics": lambda: (cloud(15, 3), {}),
    "weak ties": weak_ties,
    "missing cells": gaps,
    "uncertainty": uncertain,
    "percent and another unit": percents,
    "input-oriented": inward,
}
CHECKED = {
    "rowName",
    *("labels", "metrics", "values", "first", "start", "winners", "norm", "on", "mixtures"),
    *("stories", "ranking", "front", "remark", "apart", "own", "tested", "reached"),
    *("uncertainty", "weightings"),
}
"""The fields that the test below looks at: a new one needs a check of its own."""


SHAPES = {
    "metrics": {"name", "high", "sign", "shift", "least", "most", "cost"},
    "ranking": {
        *("measure", "model", "radial", "scores", "ranks", "efficient", "order", "reference"),
        *("own", "peers", "weights", "shares", "gap"),
    },
    "front": {"metrics", "factor", "origin", "unit", "rows", "count", "hull"},
    "own": {"rows", "position", "distance", "target", "members", "way"},
}
"""The fields within fields that the checks below look at."""


def shapes(data: dict[str, Any]) -> dict[str, set[str]]:
    """Return the names of the fields within fields."""
    return {name: set(data[name][0] if name == "metrics" else data[name]) for name in SHAPES}


def numbers(values: Any) -> list[Any]:
    return [None if not math.isfinite(value) else value for value in map(float, values)]


@pytest.mark.parametrize("board", mark_most_slow(BOARDS, 4))
def test_every_field_of_the_page_is_the_librarys(board: str) -> None:
    table, options = BOARDS[board]()
    ranking = db.rank(table, **options)
    page = db.report(table, **options)
    data = page.data
    assert set(data) == CHECKED
    names = [metric["name"] for metric in data["metrics"]]
    assert data["labels"] == [str(label) for label in table.index]
    assert data["rowName"] == db.read(table).row_name
    for name, column in zip(names, data["values"], strict=True):
        assert column == numbers(table[name])
    assert shapes(data) == SHAPES
    _check_metrics(data, table, ranking, options)
    _check_ranking(data["ranking"], ranking)
    _check_frontier(data, table, options)
    _check_targets(data, table, options, ranking)
    _check_uncertainty(data, ranking)
    _check_weightings(data, table, options)
    assert data["labels"][data["start"]] == data["labels"][data["winners"][0]]
    assert page.answer[0].startswith(f"Take {data['labels'][data['winners'][0]]}")
    assert all(ranking.efficient.iloc[row] for row in data["winners"])
    costs = {str(name) for name in ranking.data.inputs}
    assert (names[data["first"][0]] in costs) == bool(costs)
    for label, story in zip(ranking.scores.index, data["stories"], strict=True):
        assert story.startswith(f"{label} is")
        assert f"rank {ranking.ranks[label]} of {len(table)}" in story
    assert [data["norm"], data["on"], data["mixtures"]] == ["l1", "faces", True]
    assert (data["tested"], data["reached"]) == ([], None)


def test_tested_algorithms_are_the_librarys() -> None:
    table = cloud(12, 3)
    tested = table.iloc[:3].set_axis(["x", "y", "z"]) * np.array([[0.8], [1.3], [0.5]])
    tested = tested.clip(upper=1.0)
    data = db.report(table, tested=tested).data
    expected = db.targets(tested, table)
    scores = db.rank(tested, reference=table).scores
    assert [one["label"] for one in data["tested"]] == ["x", "y", "z"]
    for one in data["tested"]:
        assert one["values"] == tested.loc[one["label"]].tolist()
        assert one["efficiency"] == pytest.approx(scores[one["label"]], abs=1e-12)
    reached = data["reached"]
    assert reached["rows"] == [0, 1, 2]
    assert reached["position"] == expected.position.tolist() == ["inside", "outside", "inside"]
    np.testing.assert_allclose(reached["distance"], expected.distance, atol=1e-12)
    np.testing.assert_allclose(reached["target"], expected.targets, rtol=1e-12)
    assert [[data["labels"][row] for row in face] for face in reached["members"]] == [
        list(face) for face in expected.faces
    ]
    assert data["start"] == len(table)


def _check_metrics(
    data: dict[str, Any], table: pd.DataFrame, ranking: db.Ranking, options: dict[str, Any]
) -> None:
    complete = table.dropna()
    front = db.frontier(complete, **_frontier_options(options))
    for metric in data["metrics"]:
        name = metric["name"]
        turned = metric["sign"] * complete[name] + metric["shift"]
        np.testing.assert_allclose(turned, front.data.outputs[name], rtol=1e-12, atol=1e-12)
        is_cost = name in ranking.data.inputs
        is_error = name == "error"
        assert metric["cost"] == is_cost
        assert metric["high"] == (not is_cost and not is_error)
        # The page maps a value as the frontier does: better is more.
        assert metric["sign"] == (1.0 if metric["high"] else -1.0)
        assert metric["least"] == 0
        top = {"accuracy (%)": 100.0, "latency_ms": None, "seconds": None}.get(name, 1.0)
        assert metric["most"] == top


def _check_ranking(shown: dict[str, Any], ranking: db.Ranking) -> None:
    labels = ranking.scores.index
    assert shown["measure"] == ranking.measure
    assert shown["model"] == ranking.model
    assert shown["radial"] == (ranking.orientation != "input")
    assert shown["scores"] == numbers(ranking.scores)
    assert shown["ranks"] == ranking.ranks.tolist()
    assert shown["efficient"] == ranking.efficient.tolist()
    assert [labels[row] for row in shown["order"]] == list(order_by_merit(ranking))
    peers = ranking.peers.sparse.to_dense()
    assert len(shown["peers"]) == len(labels)
    assert all(shown["peers"])
    for label, flat in zip(labels, shown["peers"], strict=True):
        shares = dict(zip(flat[::2], flat[1::2], strict=True))
        named = {shown["reference"][k]: share for k, share in shares.items()}
        expected = peers.loc[label]
        assert named == pytest.approx(expected[expected > 1e-12].to_dict(), rel=1e-9)
        assert all(labels[shown["own"][k]] == shown["reference"][k] for k in shares)
    for key, frame, digits in (
        ("weights", ranking.weights, 1e-11),
        ("shares", ranking.weight_shares, 1e-5),
    ):
        assert [column["name"] for column in shown[key]] == list(map(str, frame))
        for column in shown[key]:
            # A share of weights that are all 0 is none: null on the page.
            values = [math.nan if value is None else value for value in column["values"]]
            expected = frame[column["name"]].tolist()
            assert values == pytest.approx(expected, rel=digits, abs=1e-12, nan_ok=True)
    assert shown["gap"] == pytest.approx(ranking.certificate["gap"].tolist(), rel=0.1, abs=1e-17)


def _frontier_options(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("outputs", "inputs") if name in options}


def _check_frontier(data: dict[str, Any], table: pd.DataFrame, options: dict[str, Any]) -> None:
    complete = table.dropna()
    front = db.frontier(complete, **_frontier_options(options))
    shown = data["front"]
    names = [data["metrics"][k]["name"] for k in shown["metrics"]]
    assert names == list(front.outputs)
    assert [data["labels"][row] for row in shown["rows"]] == list(map(str, front.vertices))
    assert shown["origin"] == front.origin.tolist()
    assert shown["unit"] == front.unit.tolist()
    assert shown["count"] == len(front.facets)
    np.testing.assert_allclose(shown["hull"]["normals"], front.hull.normals, rtol=1e-12)
    assert shown["hull"]["full"] == front.facets["full_dimensional"].tolist()
    # The vertices of a facet reach farthest along its normal, and no others do.
    outputs = front.data.outputs.loc[front.vertices].to_numpy()
    reach = front.hull.normals @ ((outputs - front.origin) / front.unit).T
    is_on = np.isclose(reach, reach.max(axis=1, keepdims=True), rtol=0, atol=1e-9)
    assert shown["hull"]["on"] == [np.flatnonzero(row).tolist() for row in is_on]
    assert shown["hull"]["faces"] == [sorted(map(int, face)) for face in front.hull.maximal_faces]
    assert all(
        any(set(face) <= set(on) for on in shown["hull"]["on"]) for face in shown["hull"]["faces"]
    )
    assert set(shown["hull"]) == {"normals", "full", "on", "faces"}
    weights = db.targets(complete.iloc[:1], complete, **_frontier_options(options)).weights
    assert shown["factor"] == [weights[name] for name in names]


def _check_targets(
    data: dict[str, Any], table: pd.DataFrame, options: dict[str, Any], ranking: db.Ranking
) -> None:
    complete = table.dropna()
    inefficient = [name for name in complete.index if not ranking.efficient[name]]
    expected = db.targets(
        complete.loc[inefficient], complete, dominating=True, **_frontier_options(options)
    )
    shown = data["own"]
    names = [data["metrics"][k]["name"] for k in data["front"]["metrics"]]
    assert inefficient
    assert {data["labels"][row] for row in shown["rows"]} == set(map(str, inefficient))
    for k, row in enumerate(shown["rows"]):
        name = table.index[row]
        assert shown["position"][k] == expected.position[name]
        assert shown["distance"][k] == pytest.approx(expected.distance[name], abs=1e-12)
        assert shown["target"][k] == pytest.approx(
            expected.targets.loc[name, names].tolist(), rel=1e-12
        )
        members = [data["labels"][member] for member in shown["members"][k]]
        assert members == list(map(str, expected.faces[name]))
        # The recipe stands at the end of the explanation.
        assert expected.explain(name).endswith(f". {shown['way'][k]}")
        shares = expected.intensities.loc[name]
        assert all(f"'{peer}'" in shown["way"][k] for peer in shares.index[shares > 1e-9])


def _check_uncertainty(data: dict[str, Any], ranking: db.Ranking) -> None:
    shown = data["uncertainty"]
    if ranking.uncertainty is None and ranking.bounds is None:
        assert shown is None
        return
    if ranking.uncertainty is None:
        assert shown["lower"] == numbers(ranking.bounds["lower"])
        assert shown["upper"] == numbers(ranking.bounds["upper"])
        assert shown["verdict"] is None
        return
    frame = ranking.uncertainty.to_frame().loc[data["labels"]]
    for field, column in (
        *(("lower", "lower"), ("upper", "upper"), ("verdict", "verdict"), ("tier", "tier")),
        *(("bestRank", "best_rank"), ("worstRank", "worst_rank")),
    ):
        assert shown[field] == frame[column].tolist()
    assert shown["level"] == ranking.uncertainty.level
    band = shown["band"]
    axes = [data["metrics"][band[axis]]["name"] for axis in ("x", "y")]
    assert axes == list(ranking.uncertainty.metrics)
    assert shown["scope"] == "all at once"
    for bound in ("lower", "upper"):
        points = ranking.uncertainty.band[[(name, bound) for name in axes]].to_numpy()
        corners = [tuple(corner) for corner in band[bound]]
        assert corners
        assert set(corners) <= set(map(tuple, points))
        # No limit lies beyond the outline through the corners.
        outline = db.frontier(pd.DataFrame(corners, columns=axes))
        assert (outline.locate(pd.DataFrame(points, columns=axes))["position"] != "outside").all()


def _check_weightings(data: dict[str, Any], table: pd.DataFrame, options: dict[str, Any]) -> None:
    shown = data["weightings"]
    if options.get("missing") == "bounds":
        assert shown is None
        return
    result = db.weightings(table, draws=4096, **_frontier_options(options))
    ranks = result.ranks.loc[table.index]
    assert shown["rankBest"] == ranks["best"].tolist()
    assert shown["rankWorst"] == ranks["worst"].tolist()
    assert shown["rankMean"] == pytest.approx(ranks["mean_rank"].tolist())
    assert shown["firstShare"] == pytest.approx(ranks["first_share"].tolist())
    assert [data["metrics"][k]["name"] for k in shown["metrics"]] == list(result.metrics)
    assert shown["admissible"] == result.admissible_vertices.to_numpy().tolist()
    assert shown["unit"] == {"value": "range"}.get(result.model, "best value")
    largest = [region["share"] for region in shown["regions"]]
    assert largest == sorted(largest, reverse=True)
    first = {name for name, region in result.winning_regions.items() if region.share > 0}
    assert {table.index[row["row"]] for row in shown["regions"]} >= first
    assert first
    for region in shown["regions"]:
        expected = result.winning_regions[table.index[region["row"]]]
        assert region["share"] == pytest.approx(expected.share)
        np.testing.assert_allclose(region["corners"], expected.vertices, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(region["centroid"], expected.centroid, rtol=1e-12, atol=1e-12)
        for bound in ("least", "most"):
            limits = expected.intervals[bound].tolist()
            assert region[bound] == pytest.approx(limits, rel=1e-12, abs=1e-12)


def test_tables_are_headed_as_the_users_table_calls_its_rows() -> None:
    """The word of the label's column heads tables, unless a column of the ranking has it."""
    for name, head in (("hospital", "hospital"), ("rank", "system"), (None, "system")):
        report = db.report(cloud(6, 3).rename_axis(name))
        assert report.data["rowName"] == head
        tables = [table.frame for section in report.sections for table in section.tables]
        heads = {
            frame.index.name for frame in tables if "efficiency" in frame or "position" in frame
        }
        assert heads == {head}
