"""The views of a page in a real browser: weightings, brushes everywhere, steps at 5,000 rows."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from report_cases import COSTS, cloud, costly, costs_page, large_page, page_of

import deabench as db

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning"),
]
WINE = db.datasets.load("chao2022-wine1")[["TPR", "TNR"]].drop(index="MLP")
BOARDS = {
    "strip": (WINE, {}),
    "triangle": (costly(12), COSTS),
    "intervals": (cloud(12, 4), {}),
}
WRITTEN = """(steps) => {
  const svg = document.querySelector(".frontier.chart"), size = { dots: 0, lines: 0, nodes: 0 };
  const watch = new MutationObserver((all) => {
    for (const { target, type, addedNodes } of all) {
      if (type === "childList") { size.nodes += addedNodes.length; continue; }
      const length = target.getAttribute("d").length;
      if (target.closest(".parallel")) size.lines += length;
      else if (target.classList.contains("dots")) size.dots += length;
    }
  });
  const options = { attributeFilter: ["d"], childList: true, subtree: true };
  watch.observe(document.body, options);
  svg.focus();
  for (let k = 0; k < steps; k++) {
    const key = k % 2 ? "ArrowLeft" : "ArrowRight";
    svg.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  }
  return new Promise((done) => setTimeout(() => done(size)));
}"""
"""Counts what a step of an arrow key writes into the page."""
SMALL_CONTROLS = """[...document.querySelectorAll("button, input, select, summary, a[href]")]
  .filter((e) => {
    const box = e.getBoundingClientRect();
    return box.width && (box.height < 24 || box.width < 24) && !e.matches(".skip");
  }).map((e) => e.outerHTML)"""
OVERLAPS = """[...document.querySelectorAll("svg.chart")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].filter((e) => e.textContent.trim());
  const boxes = texts.map((e) => e.getBoundingClientRect());
  const apart = (a, b) => a.right - 1 <= b.left || b.right - 1 <= a.left
    || a.bottom - 3 <= b.top || b.bottom - 3 <= a.top;
  return boxes.flatMap((a, i) => boxes.slice(0, i).flatMap((b, j) =>
    apart(a, b) ? [] : [`${svg.classList}: ${texts[i].textContent} | ${texts[j].textContent}`]));
})"""
"""Pairs of texts of a chart that overlap; letters are lower than their boxes."""
OUTSIDE = """(() => {
  const svg = document.querySelector(".frontier.chart"), area = svg.querySelector("path.area");
  const dots = [...svg.querySelectorAll(".dots.efficient:not(.faded)")].flatMap((path) =>
    [...path.getAttribute("d").matchAll(/M([-\\d.]+),([-\\d.]+)h0/g)].map((m) => [+m[1], +m[2]]));
  const near = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].map((dy) => [dx, dy]));
  const inside = ([x, y]) => near.some(([dx, dy]) =>
    area.isPointInFill(new DOMPoint(x + dx, y + dy)));
  return { count: dots.length, outside: dots.filter((at) => !inside(at)) };
})()"""
"""Efficient dots of full ink that lie outside the filled area, by more than a pixel."""
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
AXE = Path(os.environ.get("DEABENCH_AXE", ROOT / "page/node_modules/axe-core/axe.min.js"))


@cache
def board_page(board):
    """The report of one of the boards, made once."""
    table, options = BOARDS[board]
    return db.report(table, **options)


@cache
def example_page(name):
    """The report of one of the examples, made once for all widths."""
    return db.report(EXAMPLES / f"{name}.csv")


@cache
def matrix_page():
    """The report of one metric on 12 data sets, made once for all widths."""
    scores = pd.DataFrame(
        np.random.default_rng(2).random((12, 4)).round(3),
        columns=list("abcd"),
        index=pd.Index([f"set {k}" for k in range(12)], name="dataset"),
    )
    return db.report(scores, outputs=["score"])


def slide(page, values):
    for k, value in enumerate(values):
        page.locator(".sliders input").nth(k).evaluate(
            "(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", value
        )


@pytest.mark.parametrize("board", BOARDS)
def test_winning_regions_are_those_of_the_library_and_follow_the_sliders(opened, board):
    table, options = BOARDS[board]
    page = opened(board_page(board))
    result = db.weightings(table, **options)
    shares = {name: region.share for name, region in result.winning_regions.items()}
    expected = {table.index.get_loc(name) for name, share in shares.items() if share > 0}
    regions = page.locator(".weightings-panel .region")
    rows = regions.evaluate_all("all => all.map((e) => Number(e.dataset.row))")
    assert set(rows) == expected
    # The static picture is for readers without scripts.
    assert page.locator("#picture-winning-regions").count() == 0
    last = regions.last
    name = table.index[int(last.get_attribute("data-row"))]
    last.dispatch_event("click")
    assert page.locator(".who").inner_text() == name
    assert name in page.locator(".weightings-panel .note").inner_text()
    assert "chosen" in regions.last.get_attribute("class")
    if board == "intervals":
        return
    # Whoever leads under the sliders' weights has the region in which their mark lies.
    for values in np.random.default_rng(3).integers(1, 10, (5, table.shape[1])).tolist():
        slide(page, values)
        leader = page.locator(".winners li").first.get_attribute("data-name")
        hit = page.evaluate(
            """() => {
          const svg = document.querySelector(".regions.chart"), mark = svg.querySelector(".now");
          mark.scrollIntoView({ block: "center" });
          const box = mark.getBoundingClientRect();
          const x = box.x + box.width / 2, y = box.y + box.height / 2;
          return document.elementsFromPoint(x, y).map((e) => e.dataset.row).find((r) => r);
        }"""
        )
        assert table.index[int(hit)] == leader


def test_the_leaderboard_has_the_ranks_over_all_weightings(opened):
    page = opened(board_page("strip"))
    ranks = db.weightings(WINE).ranks
    heads = page.locator("#ranking-table thead th").all_inner_texts()
    column = heads.index("ranks over all weightings")
    rows = page.locator("#ranking-table tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    for name, *cells in rows:
        best, worst = ranks.loc[name, ["best", "worst"]]
        text = cells[column - 1]
        assert text == (f"{best}" if best == worst else f"{best}–{worst}")


def test_a_brush_holds_in_every_view(opened):
    table = cloud(30, 3)
    page = opened(page_of(30, 3))
    page.locator(".parallel-panel summary").click()
    limit = float(table["TPR"].median())
    page.get_by_label("TPR from").fill(str(limit))
    page.get_by_label("TPR from").press("Enter")
    selected = set(table.index[table["TPR"] >= limit])
    for key in ("ranking-table", "targets-table", "weights-table", "peers-table"):
        names = set(page.locator(f"#{key} tbody th").all_inner_texts())
        assert names
        assert names <= selected
    peers = page.locator(".peers-panel li").evaluate_all(
        "rows => rows.map((row) => [row.dataset.peer, row.classList.contains('out')])"
    )
    for peer, is_out in peers:
        assert is_out == (peer not in selected)
    winners = page.locator(".winners li").evaluate_all("rows => rows.map((e) => e.dataset.name)")
    assert set(winners) <= selected
    assert page.locator(".weightings-panel .region.out").count() == sum(
        table.index[int(row)] not in selected
        for row in page.locator(".weightings-panel .region").evaluate_all(
            "all => all.map((e) => e.dataset.row)"
        )
    )


SCREENS = [(30, 1400), (30, 800), (30, 390), (5000, 1400)]


@pytest.mark.parametrize(("count", "width"), SCREENS)
def test_back_reload_and_link_agree_in_every_view(opened, count, width):
    table = cloud(count, 3)
    page = opened(page_of(count, 3), viewport={"width": width, "height": 900})
    limit = float(table["TPR"].median())
    selected = set(table.index[table["TPR"] >= limit])

    def read_views(page):
        """Return who is chosen in the views, and whether each shows rows within the brush only."""
        page.wait_for_selector("html[data-whole]", state="attached")
        page.locator("#ranking").get_by_role("searchbox").fill("classifier 0009")
        chosen = {page.locator(".who").inner_text()}
        if chosen == {"classifier 0009"}:
            chosen |= set(page.locator("#ranking-table tr.here th").all_inner_texts())
        page.locator("#ranking").get_by_role("searchbox").fill("")
        names = set(page.locator("#ranking-table tbody th").all_inner_texts())
        winners = page.locator(".winners li").evaluate_all("all => all.map((e) => e.dataset.name)")
        kept = page.locator(".parallel-panel .count").inner_text().split()[0]
        return chosen, names <= selected, set(winners) <= selected, kept

    before = read_views(page)
    assert not before[1]
    page.locator(".find").fill("0009")
    page.locator(".find").press("Enter")
    assert read_views(page)[0] == {"classifier 0009"}
    page.locator(".parallel-panel summary").click()
    page.get_by_label("TPR from").fill(str(limit))
    page.get_by_label("TPR from").press("Enter")
    page.wait_for_url("**keep=TPR**")
    after_brush = read_views(page)
    assert after_brush == ({"classifier 0009"}, True, True, str(len(selected)))
    page.reload()
    assert read_views(page) == after_brush
    link = page.context.new_page()
    link.goto(page.url)
    assert read_views(link) == after_brush
    # Back takes the choice back, and what was dragged since.
    page.go_back()
    page.wait_for_function(
        "([kept, who]) => document.querySelector('.parallel-panel .count')"
        ".textContent.startsWith(kept) && document.querySelector('.who').textContent === who",
        arg=[before[3], next(iter(before[0]))],
    )
    assert read_views(page) == before


def test_a_step_at_5000_rows_writes_little_more_than_at_30(opened):
    sizes = []
    for report in (page_of(30, 5), large_page()):
        page = opened(report)
        sizes.append(page.evaluate(WRITTEN, 20))
        total = page.evaluate(
            "[...document.querySelectorAll('.frontier .dots')]"
            ".reduce((t, e) => t + e.getAttribute('d').length, 0)"
        )
    few, many = sizes
    assert many["lines"] <= 2 * few["lines"]
    assert many["nodes"] <= 2 * few["nodes"]
    # Of the dots only those strips are drawn again in which one changed sides.
    assert many["dots"] / 20 < 0.1 * total


@pytest.mark.parametrize(
    "width",
    [1400, 800, 390],
)
def test_the_first_screen_holds_recommendation_and_picture(opened, width):
    height = 900 if width == 1400 else 844
    for report in (page_of(30, 3), example_page("leaderboard"), matrix_page()):
        page = opened(report, viewport={"width": width, "height": height})
        sentences = page.locator(".answer > p")
        recommendation = sentences.first.bounding_box()
        evidence = sentences.nth(1).bounding_box()
        picture = page.locator(".frontier.chart, .answer figure img").first.bounding_box()
        assert evidence["y"] + evidence["height"] < height
        assert picture["y"] + picture["height"] < height  # the whole picture
        if width == 1400:  # beside the sentence
            assert picture["y"] < recommendation["y"] + recommendation["height"]
        # Those that the sentence names are named in the picture.
        if report.data:
            named = page.locator(".frontier .label.chosen, .frontier .label.winner")
            assert named.count() == len(report.data["winners"]) == 3


@cache
def report_of(board):
    """A report that is shown at several widths."""
    if board == "costs":
        return costs_page(30)
    if board == "5000":
        return large_page()
    return page_of(30, {"two": 2, "five": 5}[board])


@pytest.mark.parametrize(
    "width",
    [390, 800, 1400],
)
@pytest.mark.parametrize(
    "board",
    ["costs", *(name for name in ("two", "five", "5000"))],
)
def test_no_labels_overlap_and_full_dots_lie_in_the_area(opened, board, width):
    page = opened(report_of(board), viewport={"width": width, "height": 900})
    for step in ("worse", "worse", "better"):
        assert page.locator(".frontier .label").count() >= 3
        assert page.evaluate(OVERLAPS) == []
        dots = page.evaluate(OUTSIDE)
        assert dots["outside"] == []
        assert dots["count"] >= 1
        page.locator(".card").get_by_role("button", name=step).click()


def test_pictures_of_a_narrow_page_are_drawn_narrow(opened):
    report = example_page("keel_gmean")
    for width, drawn in ((1400, 6 * 96), (390, 3.7 * 96)):
        page = opened(report, viewport={"width": width, "height": 844})
        picture = page.locator(".answer img")
        assert picture.evaluate("(e) => e.naturalWidth") == pytest.approx(drawn, abs=2)
        if width == 390:  # the letters keep their size
            shown = picture.evaluate("(e) => e.width - 8")  # without its margin
            assert shown == pytest.approx(drawn, rel=0.03)


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("name", ["keel_gmean", "predictions", "scores"])
def test_pages_of_other_shapes_are_accessible(opened, name, width):
    viewport = {"width": width, "height": 844}
    page = opened(example_page(name), viewport=viewport, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SMALL_CONTROLS) == []
    if AXE.is_file():  # where npm has installed it
        page.evaluate(AXE.read_text(encoding="utf-8"))
        violations = "axe.run().then((r) => r.violations.map((v) => [v.id, v.nodes[0].html]))"
        assert page.evaluate(violations) == []
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 1000})
    tables = "[...document.querySelectorAll('table')].map((e) => e.getBoundingClientRect().right)"
    assert max(page.evaluate(tables)) <= 682


def test_controls_are_large_enough_and_announced(opened):
    page = opened(page_of(30, 3), forced_colors="active")
    assert page.evaluate(SMALL_CONTROLS) == []
    chart = page.locator(".frontier.chart")
    assert chart.get_attribute("role") == "application"
    assert "Escape" in chart.get_attribute("aria-keyshortcuts")
    chart.focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".who").inner_text().startswith("A new system")
    page.keyboard.press("Escape")
    assert not page.locator(".who").inner_text().startswith("A new system")
    # Bars are borders, which forced colours and paper keep; backgrounds they do not.
    bar = "getComputedStyle(document.querySelector('.share'), '::before')"
    assert page.evaluate(f"{bar}.borderTopWidth") != "0px"


def test_no_table_runs_off_the_paper(opened):
    page = opened(page_of(30, 3))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 720, "height": 1000})
    cells = page.locator("#targets-table tbody tr td:last-child")
    heights = cells.evaluate_all("all => all.map((e) => e.getBoundingClientRect().height)")
    assert max(heights) < 60  # three lines: no column of single words
    width = page.evaluate("document.getElementById('targets-table').getBoundingClientRect().width")
    assert width <= 720
