"""What the page computes equals the library: node runs the built script on fixtures that are
written here.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from report_cases import COSTS, cloud, costly

import deabench as db
from deabench.report import document, page_data
from deabench.report.document import ReportTable
from deabench.report.html import _table_data, embed_json

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
HERE = Path(__file__).parent
SVG = "{http://www.w3.org/2000/svg}"
NORMS, WAYS = ("l1", "l2", "linf"), ("faces", "facets")


def probes(table, count=25, seed=1):
    """Points inside and outside of a frontier, and the frontier's own."""
    rng = np.random.default_rng(seed)
    values = table.to_numpy()
    mixed = rng.dirichlet(np.ones(3), count) @ values[rng.choice(len(values), 3)]
    points = np.vstack([mixed * rng.uniform(0.6, 1.4, mixed.shape), values[:4]])
    return pd.DataFrame(
        points, index=[f"new {k}" for k in range(len(points))], columns=table.columns
    )


def ordered(data, frame):
    """Points in the metrics of the page's frontier, in its order."""
    return frame[[data["metrics"][m]["name"] for m in data["front"]["metrics"]]]


def numbers_of(targets, order):
    """Positions, distances and targets; None where there is no target."""
    distance = [None if np.isnan(far) else far for far in targets.distance]
    rows = targets.targets[list(order)].to_numpy().tolist()
    target = [None if far is None else row for far, row in zip(distance, rows, strict=True)]
    return {"position": targets.position.tolist(), "distance": distance, "target": target}


def of_targets(name, data, table, new, unique=True, **options):
    order = ordered(data, new)
    cases = []
    for norm in NORMS:
        for on in WAYS:
            targets = db.targets(new, table, norm=norm, on=on, **options)
            case = {"norm": norm, "on": on, "goal": "closest", "unique": unique and norm == "l2"}
            cases.append(case | numbers_of(targets, order))
    for norm in ("l1", "linf"):
        # Nothing may get worse: what no mixture reaches has no target.
        targets = db.targets(new, table, norm=norm, dominating=True, **options)
        case = {"norm": norm, "on": "faces", "goal": "better", "unique": False}
        cases.append(case | numbers_of(targets, order))
    return {"name": name, "data": data, "points": order.to_numpy().tolist(), "cases": cases}


def grid():
    """Few values, slopes of -1: L1 and L-infinity have many closest points; none may be farther, or
    off the frontier.
    """
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        rng.integers(1, 8, (60, 2)), columns=["TPR", "TNR"], dtype=float
    ).drop_duplicates()
    table = table[table.sum(axis=1) <= 10]
    return table, pd.DataFrame(rng.integers(1, 9, (40, 2)), columns=table.columns, dtype=float)


def of_scores(name, data, table, new, **options):
    return {
        "name": name,
        "data": data,
        "points": ordered(data, new).to_numpy().tolist(),
        "efficiency": db.rank(new, reference=table, **options).scores.tolist(),
    }


def of_sections(name, data, table):
    return {
        "name": name,
        "data": data,
        "points": ordered(data, table.iloc[:12]).to_numpy().tolist(),
    }


def of_alone(name, data, table, new):
    """By brute force: who is at least as good everywhere, and the nearest of those that nobody else
    dominates.
    """
    values, points = table.to_numpy(), new.to_numpy()
    free = [
        k
        for k, row in enumerate(values)
        if not any((o >= row).all() and (o > row).any() for o in values)
    ]
    gaps = values[None] - points[:, None]
    above, level = (gaps > 1e-12).all(axis=2).any(axis=1), (gaps >= -1e-12).all(axis=2).any(axis=1)
    position = np.where(above, "inside", np.where(level, "on", "outside"))
    return {
        "name": name,
        "data": data,
        "points": points.tolist(),
        "position": position.tolist(),
        "nearest": np.abs(gaps[:, free]).sum(axis=2).min(axis=1).tolist(),
    }


def of_many(data, table, new):
    """The same page with its facets taken out, as one too large has them."""
    position = db.targets(new, table).position.tolist()
    data = data | {"front": data["front"] | {"hull": None}}
    return {"data": data, "points": ordered(data, new).to_numpy().tolist(), "position": position}


@pytest.mark.slow
def test_the_pages_numbers_equal_the_librarys(tmp_path):
    """Targets in all norms on faces and facets, efficiencies of new points, sections, what holds
    without mixtures.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip(
            "node is not installed here; the browser's tests hold the page to the library, too"
        )
    two, three, four, cost, (tied, on_grid) = (
        cloud(60, 2),
        cloud(60, 3),
        cloud(40, 4),
        costly(40),
        grid(),
    )
    points = cost.iloc[::3] * np.random.default_rng(0).uniform(0.9, 1.1, (14, 3))
    points = points.assign(error=points["error"].clip(0, 1)).rename(
        index=lambda name: f"new {name}"
    )
    # Each page is made once: the fixtures only read its data.
    of_two, of_three, of_four, of_tied = (
        db.report(table).data for table in (two, three, four, tied)
    )
    of_cost = db.report(cost, **COSTS).data
    fixtures = {
        "targets": [
            of_targets("two metrics", of_two, two, probes(two)),
            of_targets("three metrics", of_three, three, probes(three)),
            of_targets("four metrics", of_four, four, probes(four)),
            of_targets("a grid with ties", of_tied, tied, on_grid, unique=False),
            of_targets("costs and an error rate", of_cost, cost, points, **COSTS),
        ],
        "scores": [
            of_scores("three metrics", of_three, three, probes(three)),
            of_scores(
                "costs",
                of_cost,
                cost,
                points.assign(seconds=points["seconds"] + cost["seconds"].min()),
                **COSTS,
            ),
        ],
        "sections": [
            of_sections("three metrics", of_three, three),
            of_sections("four metrics", of_four, four),
            of_sections("costs", of_cost, cost),
        ],
        "alone": [
            of_alone("three metrics", of_three, three, probes(three)),
            of_alone("a grid with ties", of_tied, tied, on_grid),
        ],
        "many": [of_many(of_three, three, probes(three))],
    }
    file = tmp_path / "fixtures.json"
    file.write_text(json.dumps(fixtures), encoding="utf-8")
    done = subprocess.run(
        [node, "--test", str(HERE / "page.test.mjs")],
        env=os.environ | {"FIXTURES": str(file)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    # None was left out.
    assert "# tests 52" in done.stdout


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_page_holds_no_nan_and_no_infinity(value):
    with pytest.raises(ValueError, match="Out of range float values"):
        embed_json({"a": value})


def test_a_page_ships_no_frontier_that_is_too_large(monkeypatch):
    points = np.random.default_rng(2).uniform(0.3, 1, (30, 3))
    front = db.frontier(pd.DataFrame(points, columns=list("abc")))
    shipped = page_data._hull_data(front)
    count = len(shipped["normals"])
    assert count == len(front.facets)
    size = sum(map(len, shipped["faces"])) + sum(map(len, shipped["on"]))
    for limit in (3 * count - 1, 3 * count, 3 * count + size - 1):
        monkeypatch.setattr(page_data, "MAX_FACET_NUMBERS", limit)
        assert page_data._hull_data(front) is None
    monkeypatch.setattr(page_data, "MAX_FACET_NUMBERS", 3 * count + size)
    assert page_data._hull_data(front) is not None


BOARD = pd.DataFrame(
    {"acc": [91.0, 88.0, 80.0, 85.0], "ms": [40.0, 20.0, 5.0, 30.0]}, index=list("abcd")
)


@pytest.mark.parametrize("orientation", ["input", "output"])
def test_a_page_scores_new_points_only_as_the_ranking_does(orientation):
    """The page computes 1/φ with Σ λ = 1; an input-oriented score is another number."""
    table = BOARD.rename(columns={"acc": "accuracy (%)", "ms": "latency_ms"})
    data = db.report(table, returns="vrs", orientation=orientation).data
    assert data["ranking"]["radial"] is (orientation == "output")
    ranking = db.rank(table, returns="vrs", orientation=orientation)
    assert data["ranking"]["scores"] == ranking.scores.tolist()
    assert data["ranking"]["ranks"] == ranking.ranks.tolist()
    assert data["ranking"]["efficient"] == ranking.efficient.tolist()


def test_the_ranges_of_the_page_are_those_of_the_table():
    data = db.report(BOARD.rename(columns={"acc": "accuracy (%)", "ms": "latency_ms"})).data
    described = {metric["name"]: metric for metric in data["metrics"]}
    assert (described["accuracy (%)"]["least"], described["accuracy (%)"]["most"]) == (0.0, 100.0)
    assert (described["latency_ms"]["least"], described["latency_ms"]["most"]) == (0.0, None)
    shares = db.report(pd.DataFrame({"TPR": [0.9, 0.8], "TNR": [0.7, 0.9]}, index=["a", "b"])).data
    assert [metric["most"] for metric in shares["metrics"]] == [1.0, 1.0]


def test_distances_of_the_page_weigh_as_those_of_targets():
    """Metrics in several units count by their range: a change of the whole range counts 1."""
    table = BOARD.rename(columns={"acc": "accuracy (%)", "ms": "latency_ms"})
    data = db.report(table).data
    weights = db.targets(table.iloc[:1], table).weights
    names = [data["metrics"][k]["name"] for k in data["front"]["metrics"]]
    assert data["front"]["factor"] == [weights[name] for name in names]
    # where all are efficient no target gives the weights
    efficient = db.report(table.iloc[:3]).data
    own = db.targets(table.iloc[:1], table.iloc[:3]).weights
    assert efficient["own"] is None
    assert efficient["front"]["factor"] == [own[name] for name in names]
    ranges = table.max() - table.min()
    assert weights["latency_ms"] == pytest.approx(1 / ranges["latency_ms"])


def test_intervals_of_the_page_stand_at_their_classifiers():
    y_true = np.repeat([1, 0], 60)
    rng = np.random.default_rng(5)
    predictions = {
        name: np.where(rng.random(120) < right, y_true, 1 - y_true)
        for name, right in (("z", 0.7), ("m", 0.95), ("a", 0.8))
    }
    samples = db.Samples.from_predictions(y_true, predictions, positive=1)
    ranking = db.rank(samples.values, uncertainty=samples)
    data = db.report(ranking).data
    assert data["labels"] == ["z", "m", "a"]
    frame = ranking.uncertainty.to_frame()
    for row, name in enumerate(data["labels"]):
        assert data["uncertainty"]["lower"][row] == pytest.approx(frame.loc[name, "lower"])
        assert data["uncertainty"]["upper"][row] == pytest.approx(frame.loc[name, "upper"])
        assert data["uncertainty"]["verdict"][row] == frame.loc[name, "verdict"]
    # intervals from elsewhere, in another order
    bounds = pd.DataFrame({"lower": [0.1, 0.2, 0.3], "upper": [0.4, 0.5, 0.6]}, list("amz"))
    elsewhere = db.report(samples.values, extra={"intervals": bounds}).data
    assert elsewhere["uncertainty"]["lower"] == [0.3, 0.2, 0.1]
    assert elsewhere["uncertainty"]["upper"] == [0.6, 0.5, 0.4]


def test_tables_without_a_workspace_keep_their_rows():
    """The page makes rows from its data only where there are data."""
    frame = pd.DataFrame({"score": [1.0]}, index=pd.Index(["a"], name="name"))
    table = ReportTable("t", "caption", frame, live="ranking")
    assert _table_data(table, has_workspace=True) == {"columns": table.columns, "from": "ranking"}
    assert _table_data(table, has_workspace=False) == {
        "columns": table.columns,
        "rows": table.rows,
    }


def test_a_shortened_drawing_keeps_its_texts_and_references() -> None:
    figure, ax = plt.subplots()
    ax.plot([0.123456, 0.654321], [1.0, 2.0], label="0.123456 = <a> & 'b'")
    ax.legend(title="font-family: 'x', sans-serif")
    picture = document.Picture("p", lambda: SimpleNamespace(figure_=figure), "alt", "caption")
    whole = picture.file_content("svg", embed_fonts=False)
    short = base64.b64decode(picture.data_uri.partition(",")[2])
    plt.close(figure)
    assert len(short) < 0.8 * len(whole)
    drawings = [ElementTree.fromstring(content) for content in (whole, short)]
    texts, short_texts = (["".join(t.itertext()) for t in d.iter(f"{SVG}text")] for d in drawings)
    assert short_texts == texts
    assert "0.123456 = <a> & 'b'" in texts
    # Every marker and clip path that is referred to is there.
    referred = re.findall(r"(?:href=\"|url\()#([\w.]+)", short.decode())
    assert set(referred) <= {element.get("id") for element in drawings[1].iter()}
    # No coordinate moved by a tenth of a point.
    paths, short_paths = ([p.get("d") for p in d.iter(f"{SVG}path")] for d in drawings)
    for path, short_path in zip(paths, short_paths, strict=True):
        numbers, short_numbers = (
            [float(number) for number in re.findall(r"-?[\d.]+", text)]
            for text in (path, short_path)
        )
        assert short_numbers == pytest.approx(numbers, abs=0.1)
