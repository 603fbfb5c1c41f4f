"""A real browser reads the report: what it shows and computes equals the library; nothing errs, nothing is fetched."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from report_cases import HOSTILE, cloud, hostile, page_of, shipped_study

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

METRICS = ["TPR", "TNR", "G-mean"]
PLANE = """([rows, points, norm, on]) => { const hull = planeHull(rows);
  return points.map((y) => closestTarget(hull, y, norm, on)); }"""
WHOLE = """([points, norm, on]) => { const { whole, values } = JSON.parse(document.getElementById('data').textContent).plot;
  const hull = { ...whole, points: whole.rows.map((i) => whole.metrics.map((m) => values[i][m])) };
  return points.map((y) => closestTarget(hull, y, norm, on)); }"""


def probes(table, count=40, seed=1):
    """Points inside and outside of a frontier, and the frontier's own."""
    rng = np.random.default_rng(seed)
    values = table.to_numpy()
    mixed = rng.dirichlet(np.ones(3), count) @ values[rng.choice(len(values), 3)] * rng.uniform(0.5, 1.5, (count, 1))
    points = np.vstack([mixed * rng.uniform(0.7, 1.3, mixed.shape), values[:4]])
    return pd.DataFrame(points, index=[f"new {k}" for k in range(len(points))], columns=table.columns)


def agree(said, found, scale):
    """Position, distance, target and gaps of the page are those of the library, to 1e-9 of the metrics' size."""
    assert [one["position"] for one in said] == found.position.tolist()
    assert np.array([one["distance"] for one in said]) == pytest.approx(found.distance.to_numpy(), abs=1e-9 * scale)
    assert np.array([one["target"] for one in said]) == pytest.approx(found.targets.to_numpy(), abs=1e-9 * scale)
    assert np.array([one["gaps"] for one in said]) == pytest.approx(found.gaps.to_numpy(), abs=1e-9 * scale)


@pytest.fixture
def small(opened):
    return opened(page_of(60, 3))


@pytest.mark.parametrize("on", ["faces", "facets"])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_targets_of_two_metrics_equal_the_librarys(small, norm, on):
    for columns, scale in ((["TPR", "TNR"], 1.0), (["AUC", "TPR"], 100.0)):
        table = cloud(60, 3)[columns] * scale
        new = probes(table)
        said = small.evaluate(PLANE, [table.to_numpy().tolist(), new.to_numpy().tolist(), norm, on])
        agree(said, db.targets(new, table, norm=norm, on=on), scale)


@pytest.mark.parametrize("metrics", [3, 4])
def test_targets_of_all_metrics_equal_the_librarys(opened, metrics):
    table = cloud(60, metrics)
    page = opened(page_of(60, metrics))
    new = probes(table)
    for norm in ("l1", "l2", "linf"):
        for on in ("faces", "facets"):
            said = page.evaluate(WHOLE, [new.to_numpy().tolist(), norm, on])
            agree(said, db.targets(new, table, norm=norm, on=on), 1.0)


def test_of_tied_targets_the_page_gives_one_that_is_as_close_and_on_the_frontier(small):
    """On a grid of few values L1 and L-infinity have many closest points; none may be farther, or off the frontier."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.integers(1, 8, (60, 2)), columns=["TPR", "TNR"], dtype=float).drop_duplicates()
    table = table[table.sum(axis=1) <= 10]  # no corner: facets with slope -1, where L1 ties
    new = pd.DataFrame(rng.integers(1, 9, (40, 2)), columns=table.columns, dtype=float)
    front = db.frontier(table)
    for norm in ("l1", "linf"):
        for on in ("faces", "facets"):
            said = small.evaluate(PLANE, [table.to_numpy().tolist(), new.to_numpy().tolist(), norm, on])
            found = db.targets(new, table, norm=norm, on=on)
            assert [one["position"] for one in said] == found.position.tolist()
            assert [one["distance"] for one in said] == pytest.approx(found.distance.tolist(), abs=1e-8)
            if on == "faces":
                reached = pd.DataFrame([one["target"] for one in said], columns=table.columns)
                assert set(front.locate(reached)["position"]) == {"on"}


def test_wine_from_the_paper_in_the_page(opened):
    """Chao et al. (2022), Table 14: the projections on the extended facets, to the printed digit."""
    wine = db.datasets.load("chao2022-wine1")
    established = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
    page = opened(db.report(established, tested=wine.loc[["RBF", "MLP"]], norm="l2", on="facets"))
    assert page.locator("#verdict").get_attribute("data-position") == "inside"
    printed = [float(cell.get_attribute("data-value")) for cell in page.locator("#gaps td:nth-child(3)").all()]
    assert printed == pytest.approx([97.7, 50.7], abs=0.05)
    found = db.targets(wine.loc[["RBF"]], established, norm="l2", on="facets")
    assert printed == pytest.approx(found.targets.to_numpy()[0], abs=1e-9)


def test_a_study_is_explored_with_mouse_and_keyboard(opened):
    data = shipped_study()
    page = opened(db.report(data, outputs=METRICS, title="18 classifiers on 67 data sets"))
    means = data.frames()["means"].loc["all"].droplevel("group")
    page.select_option("#x", label="TNR")
    page.select_option("#y", label="TPR")
    box = page.locator("#plot").bounding_box()
    dot = page.locator("#plot circle.extreme").first
    page.mouse.move(*centre(dot.bounding_box()))
    assert page.locator("#tip").is_visible()
    named = page.locator("#tip strong").inner_text()
    assert named in means.index
    assert f"TPR: {means.loc[named, 'TPR']:.6g}" in page.locator("#tip").inner_text()
    page.mouse.move(box["x"] + 250, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 330, box["y"] + 220, steps=5)
    page.mouse.up()
    read_and_compare(page, means, ["TNR", "TPR"], "l1", "faces")
    page.select_option("#norm", "l2")
    page.select_option("#on", "facets")
    read_and_compare(page, means, ["TNR", "TPR"], "l2", "facets")
    before = page.locator("#gaps td").first.get_attribute("data-value")
    page.locator("#plot").focus()
    page.keyboard.press("Shift+ArrowRight")
    assert float(page.locator("#gaps td").first.get_attribute("data-value")) > float(before)
    page.select_option("#scope", "all")
    page.locator("#typed input").nth(1).fill("0.8325")
    read_and_compare(page, means, METRICS, "l2", "facets")
    assert page.locator("#typed input").nth(1).input_value() == "0.8325"


def centre(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def read_and_compare(page, table, metrics, norm, on):
    """The numbers of the page's own table against `deabench.targets` for the point that the page shows."""
    rows = page.locator("#gaps tbody tr").all()
    assert [row.locator("th").inner_text() for row in rows] == metrics
    read = np.array([[float(cell.get_attribute("data-value")) for cell in row.locator("td").all()] for row in rows])
    new = pd.DataFrame([read[:, 0]], index=["new"], columns=metrics)
    found = db.targets(new, table[metrics], norm=norm, on=on)
    said = page.locator("#verdict")
    assert said.get_attribute("data-position") == found.position["new"]
    assert float(said.get_attribute("data-distance")) == pytest.approx(found.distance["new"], abs=1e-9)
    assert read[:, 1] == pytest.approx(found.targets.to_numpy()[0], abs=1e-9)
    assert read[:, 2] == pytest.approx(found.gaps.to_numpy()[0], abs=1e-9)


def test_tables_sort_filter_page_and_download(opened):
    table = cloud(60, 3)
    page = opened(page_of(60, 3))
    ranking = page.locator("#ranking-table")
    frame = db.rank(table).to_frame()
    assert ranking.locator("tbody th").all_inner_texts() == [str(name) for name in frame.index[:25]]
    ranking.locator("thead button", has_text="TPR").click()
    assert ranking.locator("thead th").nth(4).get_attribute("aria-sort") == "descending"
    shown = [float(text) for text in ranking.locator("tbody td:nth-child(5)").all_inner_texts()]
    assert shown == [round(value, 4) for value in table["TPR"].sort_values(ascending=False)[:25]]
    ranking.locator("thead button", has_text="TPR").press("Enter")
    assert ranking.locator("thead th").nth(4).get_attribute("aria-sort") == "ascending"
    bar = page.locator("#ranking .bar")
    bar.get_by_role("button", name="next").click()
    assert bar.locator(".count").inner_text() == "60 rows, page 2 of 3"
    inefficient = frame["efficiency"][frame["rank"] > frame["rank"].min()]
    bar.get_by_role("searchbox").fill(f"{inefficient.iloc[-1]:.4f}")
    assert bar.locator(".count").inner_text() == "1 of 60 rows"
    with page.expect_download() as download:
        bar.get_by_role("button", name="download CSV").click()
    saved = pd.read_csv(download.value.path(), index_col=0)
    assert saved.index.tolist() == [inefficient.index[-1]]
    assert saved["efficiency"].tolist() == [inefficient.iloc[-1]]  # every digit, not the four that are shown
    assert saved["TPR ↑"].tolist() == [table.loc[inefficient.index[-1], "TPR"]]
    bar.get_by_role("button", name="copy").click()
    assert bar.locator(".count").inner_text() == "copied"


def test_names_never_become_markup(opened):
    page = opened(db.report(hostile()))
    assert page.locator("img[onerror]").count() == 0
    assert set(HOSTILE) <= set(page.locator("#ranking-table tbody th").all_inner_texts())
    page.locator("#dmu").fill(HOSTILE[0])
    page.locator("#dmu").press("Enter")
    assert page.locator("#tip strong").inner_text() == HOSTILE[0]
    with page.expect_download() as download:
        page.locator("#ranking .bar").get_by_role("button", name="download CSV").click()
    text = download.value.path().read_text(encoding="utf-8")
    assert "\n\"'=HYPERLINK(\"\"x\"\")\"," in text
    assert not any(line.startswith(("=", '"=')) for line in text.splitlines())


def test_a_page_prints_every_row_and_has_names_for_all_controls(opened):
    page = opened(page_of(60, 3), color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 27)"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#ranking-table tbody tr").count() == 60
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#ranking .bar").is_hidden()
    nameless = """() => [...document.querySelectorAll('input, select, button, img, svg, table')].filter((e) =>
      !(e.labels?.length || e.textContent.trim() || e.alt || e.getAttribute('aria-label') || e.getAttribute('aria-labelledby')
        || e.caption)).map((e) => e.outerHTML)"""
    assert page.evaluate(nameless) == []
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((e) => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert set(levels[1:]) == {2}


def test_five_and_five_thousand(opened):
    few = opened(db.report(cloud(5, 2)))
    assert few.locator("#plot circle").count() == 5
    table = cloud(5000, 2)
    report = db.report(table)
    assert len(report.to_html().encode()) < 6_000_000
    page = opened(report)
    assert int(page.locator("html").get_attribute("data-ready")) < 2000  # milliseconds from the request to the last table
    assert page.locator("#thinned").inner_text().startswith("The plot shows 12")
    assert page.locator("#plot circle").count() < 1600
    page.locator("#typed input").first.fill("0.4")
    read_and_compare(page, table, ["TPR", "TNR"], "l1", "faces")
    bar = page.locator("#ranking .bar")
    bar.get_by_role("searchbox").fill("classifier 4999")
    assert bar.locator(".count").inner_text() == "1 of 5000 rows"
