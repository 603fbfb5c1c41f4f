"""A real browser reads the report as a person does: what it shows equals the library; nothing errs,
nothing is fetched.
"""

from __future__ import annotations

import json
import os
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from report_cases import (
    COSTS,
    HOSTILE,
    UNSEEN,
    cloud,
    costly,
    costs_page,
    hostile_page,
    large_page,
    page_of,
    shipped_study,
)

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
METRICS = ["TPR", "TNR", "G-mean"]
PAGE = Path(__file__).parents[2] / "page"
AXE = Path(os.environ.get("DEABENCH_AXE", PAGE / "node_modules" / "axe-core" / "axe.min.js"))


def centre(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def number(cell):
    text = cell.get_attribute("data-value")
    return float(text) if text else None


def read(page):
    """The card's own table: metric, value as typed, target, gap."""
    rows = page.locator(".gaps tbody tr").evaluate_all(
        """rows => rows.map((row) => [row.dataset.metric, row.querySelector("input").value,
          ...[...row.querySelectorAll("td.number")].map((cell) => cell.dataset.value)])"""
    )
    return {
        metric: [
            float(typed.replace(",", ".")),
            *(float(text) if text else None for text in cells),
        ]
        for metric, typed, *cells in rows
    }


def read_rows(page, selector):
    """Return the texts of a table: of each row's head its other cells."""
    rows = page.locator(f"{selector} tbody tr").evaluate_all(
        """rows => rows.map((row) => [row.querySelector("th").innerText,
          [...row.querySelectorAll("td")].map((cell) => cell.innerText)])"""
    )
    return dict(rows)


def now(page):
    """Return the chosen point with every digit: target minus gap as the page shows them."""
    return {
        metric: target - gap
        for metric, (_, target, gap) in read(page).items()
        if target is not None
    }


def compare(page, table, norm="l1", on="faces", at=None, dominating=True, **given):
    """The numbers of the page against `deabench.targets` for the point that the page shows."""
    new = pd.DataFrame([at or now(page)], index=["new"])
    targets = db.targets(new, table, norm=norm, on=on, dominating=dominating, **given)
    locator = page.locator(".verdict")
    assert locator.get_attribute("data-position") == targets.position["new"]
    assert f" {targets.position['new']} the frontier" in locator.inner_text()
    assert float(locator.get_attribute("data-distance")) == pytest.approx(
        targets.distance["new"], rel=1e-8, abs=1e-9
    )
    for metric, (typed, target, gap) in read(page).items():
        assert typed == pytest.approx(new.loc["new", metric], rel=1e-5)
        assert target == pytest.approx(targets.targets.loc["new", metric], rel=1e-8, abs=1e-9)
        assert gap == pytest.approx(targets.gaps.loc["new", metric], rel=1e-7, abs=1e-9)
    return targets


def seek(page, goal):
    """Ask for another kind of target, and open the choices of distance and mixtures."""
    page.get_by_label("target", exact=True).select_option(goal)
    if not page.get_by_label("distance").is_visible():
        page.get_by_text("distance and mixtures").click()


def choose(page, name):
    page.locator(".find").fill(str(name))
    page.locator(".find").press("Enter")


def drag(page, dx, dy):
    x, y = centre(page.locator(".frontier .mine").bounding_box())
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx, y + dy, steps=4)
    page.mouse.up()


def test_wine_from_the_paper_in_the_page(opened):
    """Chao et al. (2022), Table 14: projections on the extended facets, to the printed digit."""
    wine = db.datasets.load("chao2022-wine1")
    established = wine.loc[["RUS+SVM", "CS-MCQP", "Bagging"]]
    page = opened(db.report(established, tested=wine.loc[["RBF", "MLP"]], norm="l2", on="facets"))
    assert page.locator(".who").inner_text() == "RBF"
    assert page.locator(".verdict").get_attribute("data-position") == "inside"
    printed = [target for _, target, _ in read(page).values()]
    assert printed == pytest.approx([97.7, 50.7], abs=0.05)
    targets = db.targets(wine.loc[["RBF"]], established, norm="l2", on="facets")
    assert printed == pytest.approx(targets.targets.to_numpy()[0], abs=1e-9)


@pytest.mark.slow
def test_a_study_is_explored_with_mouse_and_keyboard(opened):
    data = shipped_study()
    page = opened(db.report(data, outputs=METRICS, title="18 classifiers on 67 data sets"))
    means = data.frames()["means"].loc["all"].droplevel("group")[METRICS]
    page.get_by_label("across").select_option("TNR")
    page.get_by_label("up", exact=True).select_option("TNR")  # the same twice: they change places
    assert [
        page.get_by_label(name, exact=True).evaluate("e => e.selectedOptions[0].textContent")
        for name in ("across", "up")
    ] == [METRICS[0], "TNR"]
    compare(page, means)
    seek(page, "closest")
    compare(page, means, dominating=False)
    drag(page, 40, -50)
    assert page.locator(".who").inner_text().startswith("A new system, from ")
    compare(page, means, dominating=False)
    page.get_by_label("distance").select_option("l2")
    page.get_by_label("targets", exact=True).select_option("facets")
    compare(page, means, "l2", "facets", dominating=False)
    before = now(page)
    page.locator(".frontier.chart").focus()
    page.keyboard.press("Shift+ArrowRight")
    assert now(page)["TPR"] > before["TPR"]
    page.locator(".gaps input").nth(1).fill("0.8325")
    compare(page, means, "l2", "facets", at=now(page) | {"TNR": 0.8325}, dominating=False)
    shown = page.locator(".verdict").inner_text(), read(page)
    page.reload()
    page.wait_for_selector("html[data-whole]", state="attached")
    assert (
        page.locator(".verdict").inner_text(),
        read(page),
    ) == shown  # the address has kept it all
    page.get_by_role("button", name="back to it").click()
    assert page.locator(".who").inner_text() in means.index


@pytest.mark.slow
def test_what_cannot_be_is_refused_and_no_old_verdict_stays(opened):
    page = opened(page_of(30, 3))
    field = page.locator(".gaps input").first
    for text, message in (
        ("-5", "TPR is at least 0"),
        ("", "TPR is to be a number"),
        ("1e400", "TPR is to be a number"),
        ("1003", "TPR is at most 1"),
        ("many", "TPR is to be a number"),
    ):
        field.fill(text)
        assert page.locator(".wrong").inner_text() == message
        assert page.locator(".verdict").inner_text() == "No verdict: a value cannot be."
        assert page.locator(".verdict").get_attribute("data-position") is None
        assert all(number(cell) is None for cell in page.locator(".gaps td.number").all())
        assert field.get_attribute("aria-invalid") == "true"
    seek(page, "closest")
    field.fill("0,5")  # a decimal comma
    assert page.locator(".wrong").inner_text() == ""
    compare(page, cloud(30, 3), at=now(page) | {"TPR": 0.5}, dominating=False)


@pytest.mark.slow
def test_costs_are_in_their_own_direction_and_unit(opened):
    table = costly(30)
    page = opened(costs_page(30))
    comparison = compare(page, table, **COSTS)
    seek(page, "closest")
    # Quality against cost.
    axis = page.locator(".frontier .name").all_text_contents()
    assert axis == ["seconds (lower is better)", "AUC (higher is better)"]
    assert page.locator(".frontier .better").text_content() == "↖ better"
    ticks = [
        float(text)
        for text in page.locator(".frontier .axes > g")
        .first.locator(".tick text")
        .all_text_contents()
    ]
    assert ticks == sorted(ticks)
    assert ticks[-1] / ticks[0] >= 10  # decades: the axis is logarithmic
    start = comparison.actual.iloc[0]
    drag(page, -30, 0)
    moved = compare(page, table, dominating=False, **COSTS)
    assert moved.actual["seconds"].iloc[0] < start["seconds"]
    assert [head.split()[-1] for head in page.locator(".gaps tbody th").all_inner_texts()] == [
        "↑",
        "↓",
        "↓",
    ]
    for name in ("classifier 0003", "classifier 0011"):
        choose(page, name)
        compare(page, table, at=table.loc[name].to_dict(), dominating=False, **COSTS)


FIVE = ["TPR", "TNR", "AUC", "GM", "F"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make_report", "table", "given"),
    [
        pytest.param(partial(page_of, 40, 2), cloud(40, 2), {}, marks=pytest.mark.slow),
        pytest.param(partial(page_of, 30, 3), cloud(30, 3), {}, marks=pytest.mark.slow),
        pytest.param(
            partial(db.report, cloud(45, 5), outputs=FIVE),
            cloud(45, 5),
            {"outputs": FIVE},
            marks=pytest.mark.slow,
        ),
        (partial(costs_page, 30), costly(30), COSTS),
    ],
    ids=["two metrics", "three metrics", "five metrics", "costs"],
)
def test_no_two_sentences_of_a_page_disagree(opened, make_report, table, given):
    """Everything that is claimed of a classifier, wherever it stands, is read, compared, and held
    against the library.
    """
    page = opened(make_report())
    ranking = db.rank(table, **given)
    targets = db.targets(table, table, dominating=True, **given)
    listed = read_rows(page, "#targets-table")
    heads = page.locator("#targets-table thead th").all_inner_texts()[1:]
    answer = page.locator(".answer > p").all_inner_texts()
    assert answer[2].startswith(f"{int(ranking.efficient.sum())} of {len(table)} ")
    # The page opens on the classifier that its first sentence recommends.
    assert answer[0].startswith(f"Take {page.locator('.who').inner_text()}")
    count = 0
    for name in table.index[:12]:
        choose(page, name)
        assert page.locator(".who").inner_text() == name
        locator, verdict, story = (
            page.locator(".said"),
            page.locator(".verdict"),
            page.locator(".said p").first.inner_text(),
        )
        on_it, efficient = (
            verdict.get_attribute("data-position") == "on",
            bool(ranking.efficient[name]),
        )
        assert locator.get_attribute("data-efficient") == str(efficient).lower()
        assert float(locator.get_attribute("data-efficiency")) == ranking.scores[name]
        assert (" is efficient" in story) == efficient == (" is not efficient" not in story)
        assert f"rank {ranking.ranks[name]} of {len(table)}" in story
        assert on_it or not efficient  # weakly efficient ones are on it, too
        if efficient:
            assert verdict.inner_text() == f"{name} is on the frontier and lacks nothing."
            assert name not in listed
        shares = page.locator(".story li[data-peer]").evaluate_all(
            "rows => rows.map((row) => [row.dataset.peer, row.dataset.share])"
        )
        peers = {peer: float(share) for peer, share in shares}
        library = ranking.peers.loc[name].sparse.to_dense()
        library = library[(library > 1e-12) & (library.index != name)].to_dict()
        assert peers == pytest.approx(library, rel=1e-9)
        if name in listed:
            count += 1
            cells = dict(zip(heads, listed[name], strict=True))
            told = verdict.inner_text()
            recipe = told[told.index("To have that in rates and costs, answer") :]
            assert targets.explain(name).endswith(recipe)
            assert cells["position"] == verdict.get_attribute("data-position")
            assert float(cells["distance"]) == pytest.approx(
                float(verdict.get_attribute("data-distance")), abs=5.1e-5
            )
            for metric, (_, target, gap) in read(page).items():
                assert float(cells[f"target {metric}"]) == pytest.approx(
                    target, abs=5.1e-5, rel=1e-4
                )
                assert float(cells[f"gap {metric}"]) == pytest.approx(gap, abs=5.1e-5, rel=1e-4)
        row = page.locator("#ranking-table tbody tr.here td")
        if row.count():
            weakly = abs(ranking.scores[name] - 1) <= 1e-9
            expected = "yes" if efficient else "weakly" if weakly else "no"
            assert row.nth(2).inner_text() == expected
    assert count >= 2


@pytest.mark.slow
def test_the_section_follows_the_chosen_one_and_says_what_it_holds(opened):
    table = cloud(30, 3)
    page = opened(page_of(30, 3))
    choose(page, "classifier 0004")
    note = page.locator(".note.section").inner_text()
    held = table.loc["classifier 0004", "AUC"]
    assert note.startswith(
        f"The line is the section of the frontier of all 3 metrics where AUC {held:.4f}"
    )
    before = page.locator(".frontier path.facets").get_attribute("d")
    choose(page, "classifier 0009")
    assert page.locator(".frontier path.facets").get_attribute("d") != before
    seek(page, "closest")
    page.get_by_label("mixtures").select_option("no")
    assert page.locator(".frontier path.steps").count() == 1
    assert (
        "Without mixtures only what is there counts" in page.locator(".note.section").inner_text()
    )


@pytest.mark.slow
def test_brushes_keep_rows_everywhere(opened):
    table = cloud(60, 3)
    page = opened(page_of(60, 3))
    page.locator(".parallel-panel summary").click()
    page.get_by_label("TPR from").fill("0.7")
    page.get_by_label("TPR from").press("Enter")
    page.get_by_label("AUC to").fill("0.5")
    page.get_by_label("AUC to").press("Enter")
    selected = table[(table["TPR"] >= 0.7) & (table["AUC"] <= 0.5)]
    assert 0 < len(selected) < 25
    assert (
        page.locator(".parallel-panel .count")
        .inner_text()
        .startswith(f"{len(selected)} of 60 kept: ")
    )
    assert set(page.locator("#ranking-table tbody th").all_inner_texts()) == set(selected.index)
    page.get_by_role("button", name="clear").click()
    assert page.locator("#ranking .count").inner_text() == "60 rows, page 1 of 3"
    box = page.locator('.brush[data-axis="TNR"] .overlay').bounding_box()
    x, y = centre(box)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 60, steps=4)
    page.mouse.up()
    low, high = (float(page.get_by_label(f"TNR {end}").input_value()) for end in ("from", "to"))
    shown = int(page.locator(".parallel-panel .count").inner_text().split()[0])
    assert (
        abs(shown - int(table["TNR"].between(low, high).sum())) <= 1
    )  # the field shows six digits
    # The address follows once the dragging rests.
    page.wait_for_url("**keep=TNR**")


def test_preferences_say_who_wins(opened):
    wine = db.datasets.load("chao2022-wine1")
    page = opened(db.report(wine, outputs=["TPR", "TNR"]))
    share = (wine[["TPR", "TNR"]] - wine[["TPR", "TNR"]].min()) / np.ptp(
        wine[["TPR", "TNR"]].to_numpy(), axis=0
    )

    def winners(place):
        rows = page.locator(f".preferences-panel .winners >> nth={place}").locator("li")
        pairs = rows.evaluate_all(
            "rows => rows.map((row) => [row.dataset.name, row.dataset.worth])"
        )
        return {name: float(worth) for name, worth in pairs}

    slider = page.locator(".sliders input").first
    slider.evaluate("(e) => { e.value = 4; e.dispatchEvent(new Event('input')); }")
    expected = ((4 * share["TPR"] + share["TNR"]) / 5).sort_values(ascending=False)[:5]
    assert winners(0) == pytest.approx(expected.to_dict())
    assert list(winners(0)) == list(expected.index)
    page.get_by_label("a false negative costs").fill("0.2")
    page.get_by_label("share of positives").fill("0.3")
    cost = (0.2 * 0.3 * (100 - wine["TPR"]) + 0.7 * (100 - wine["TNR"])) / 100
    assert winners(1) == pytest.approx(cost.sort_values()[:5].to_dict())
    page.locator(".preferences-panel summary").click()
    page.get_by_label("budget: TNR at least").fill("80")
    able = wine.index[wine["TNR"] >= 80]
    assert set(winners(0)) == set(expected.index.intersection(able)) | (set(winners(0)) & set(able))
    assert (
        page.locator(".preferences-panel .note").last.inner_text()
        == f"{len(able)} of 7 keep to the budget."
    )


@pytest.mark.slow
def test_intervals_and_verdicts_are_the_librarys(opened):
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {"TPR": [0.9, 0.8, 0.6, 0.5], "TNR": [0.5, 0.7, 0.85, 0.4]}, index=list("abcd")
    )
    samples = db.Samples.from_table(
        table,
        errors=pd.DataFrame(rng.uniform(0.005, 0.02, table.shape), table.index, table.columns),
    )
    ranking = db.rank(table, uncertainty=samples)
    page = opened(db.report(ranking))
    intervals = ranking.uncertainty.to_frame()
    rows = read_rows(page, "#ranking-table")
    heads = page.locator("#ranking-table thead th").all_inner_texts()[1:]
    for name in table.index:
        cells = dict(zip(heads, rows[name], strict=True))
        assert float(cells["lower"]) == pytest.approx(intervals.loc[name, "lower"], abs=5.1e-5)
        assert float(cells["upper"]) == pytest.approx(intervals.loc[name, "upper"], abs=5.1e-5)
        assert (cells["verdict"], int(cells["tier"])) == (
            intervals.loc[name, "verdict"],
            intervals.loc[name, "tier"],
        )
        choose(page, name)
        assert ranking.uncertainty.explain(name) in page.locator(".said").inner_text().replace(
            "\n\n", "\n"
        )
    assert page.locator(".frontier path.band").count() == 1
    assert page.locator("#ranking-table .cellscore.sure").count() == 4


@pytest.mark.slow
def test_tables_sort_filter_page_and_download(opened):
    table = cloud(60, 3)
    page = opened(page_of(60, 3))
    ranking = page.locator("#ranking-table")
    frame = db.rank(table).to_frame()
    names = ranking.locator("tbody th").all_inner_texts()
    assert frame.loc[names, "rank"].tolist() == frame["rank"].tolist()[:25]
    ranking.locator("thead button", has_text="TPR").click()
    assert ranking.locator("thead th").nth(4).get_attribute("aria-sort") == "descending"
    shown = [float(text) for text in ranking.locator("tbody td:nth-child(5)").all_inner_texts()]
    assert shown == [round(value, 4) for value in table["TPR"].sort_values(ascending=False)[:25]]
    ranking.locator("thead button", has_text="TPR").press("Enter")
    assert ranking.locator("thead th").nth(4).get_attribute("aria-sort") == "ascending"
    bar = page.locator("#ranking .bar")
    bar.get_by_role("button", name="next").click()
    assert bar.locator(".count").inner_text() == "60 rows, page 2 of 3"
    bar.get_by_role("searchbox").fill("tpr >= 0.5")
    assert (
        bar.locator(".count")
        .inner_text()
        .startswith(f"{int((table['TPR'] >= 0.5).sum())} of 60 rows")
    )
    inefficient = frame["efficiency"][frame["rank"] > frame["rank"].min()]
    bar.get_by_role("searchbox").fill(f"{inefficient.iloc[-1]:.4f}")
    assert bar.locator(".count").inner_text() == "1 of 60 rows"
    with page.expect_download() as download:
        bar.get_by_role("button", name="download CSV").click()
    saved = pd.read_csv(download.value.path(), index_col=0)
    assert saved.index.tolist() == [inefficient.index[-1]]
    assert saved["efficiency"].tolist() == [
        inefficient.iloc[-1]
    ]  # every digit, not the four that are shown
    assert saved["TPR ↑"].tolist() == [table.loc[inefficient.index[-1], "TPR"]]
    bar.get_by_role("button", name="copy").click()
    assert bar.locator(".count").inner_text() == "copied"
    ranking.locator("tbody th button").click()
    assert page.locator(".who").inner_text() == inefficient.index[-1]


@pytest.mark.slow
def test_charts_are_taken_away_as_svg_and_png(opened):
    page = opened(page_of(30, 3))
    for chart in ("frontier", "parallel"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"download the {chart} chart as SVG").click()
        text = Path(download.value.path()).read_text(encoding="utf-8")
        assert text.startswith("<svg")
        assert "classifier 00" in text or chart == "parallel"
        assert "class=" not in text  # it needs no style sheet
        with page.expect_download() as download:
            page.get_by_role("button", name=f"download the {chart} chart as PNG").click()
        assert Path(download.value.path()).read_bytes()[:4] == b"\x89PNG"


def test_names_never_become_markup_and_unseen_signs_are_marked(opened):
    page = opened(hostile_page())
    assert page.locator("img[onerror]").count() == 0
    rows = page.locator("#ranking-table tbody th").all_inner_texts()
    assert set(HOSTILE) <= set(rows)
    assert all(sign not in "".join(rows) for sign in "\u202e\x07\x00")
    assert sum("\ufffd" in row for row in rows) == len(UNSEEN)
    for name in (*HOSTILE, UNSEEN[0]):
        choose(page, name)
        assert page.locator(".who").inner_text() == "".join(
            "\ufffd" if sign in "\u202e\x07" else sign for sign in name
        )
    with page.expect_download() as download:
        page.locator("#ranking .bar").get_by_role("button", name="download CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert '\n"\'=HYPERLINK(""x"")",' in text
    assert not any(line.startswith(("=", '"=')) for line in text.splitlines())


@pytest.mark.slow
def test_a_tap_on_a_phone_chooses_and_the_page_fits(opened):
    page = opened(
        page_of(30, 3), viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
    )
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.frontier text')).fontSize")
        == "12px"
    )
    table = cloud(30, 3)
    first = page.locator("#ranking-table tbody th button").first
    first.scroll_into_view_if_needed()
    page.touchscreen.tap(*centre(first.bounding_box()))
    assert page.locator(".who").inner_text() == first.inner_text()
    named = page.locator(".who").inner_text()
    assert db.rank(table).ranks[named] == 1
    compare(page, table, at=table.loc[named].to_dict())


@pytest.mark.slow
def test_a_page_prints_on_a4_and_has_names_for_all_controls(opened):
    page = opened(page_of(60, 3), color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 27)"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#ranking-table tbody tr").count() == 60
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#ranking .bar").is_hidden()
    assert len(page.pdf(format="A4", prefer_css_page_size=True)) < 2_000_000
    page.emulate_media(media="screen", color_scheme="light")
    nameless = """() =>
      [...document.querySelectorAll('input, select, button, img, svg[role], table')]
        .filter((e) => !(e.labels?.length || e.textContent.trim() || e.alt
                         || e.getAttribute('aria-label') || e.caption))
        .map((e) => e.outerHTML)"""
    assert page.evaluate(nameless) == []
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((e) => Number(e.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    if AXE.is_file():  # where npm has installed it; it reads colours, too
        for scheme in ("light", "dark"):
            page.emulate_media(media="screen", color_scheme=scheme)
            page.evaluate(AXE.read_text(encoding="utf-8"))
            violations = page.evaluate(
                "axe.run().then((r) => r.violations.map((v) => [v.id, v.nodes.length, "
                "v.nodes[0].html]))"
            )
            assert violations == []


@pytest.mark.slow
def test_five_and_five_thousand(opened):
    assert len(page_of(30, 3).to_html().encode()) < 400_000
    small_page = opened(db.report(cloud(5, 2)))
    dots = small_page.evaluate(
        "[...document.querySelectorAll('.frontier .dots')].map((e) => "
        "e.getAttribute('d').split('M').length - 1)"
    )
    # Faded ones, kept out by a brush, inefficient ones (rim and hole) and efficient ones.
    assert dots[:3] == [0, 0, 0]
    assert dots[3] + dots[5] == 5
    table = cloud(5000, 5)
    options = {"outputs": list(table)}
    report = large_page()
    assert len(report.to_html().encode()) < 3_000_000
    page = opened(report)
    assert (
        int(page.locator("html").get_attribute("data-ready")) < 3000
    )  # milliseconds from the request; the machine does more
    page.locator(".gaps input").first.fill("0.4")
    verdict = page.locator(".verdict")
    point = [float(field.input_value()) for field in page.locator(".gaps input").all()]
    score = db.rank(
        pd.DataFrame([point], index=["new"], columns=list(table)), reference=table, **options
    ).scores["new"]
    assert float(verdict.get_attribute("data-efficiency")) == pytest.approx(score, rel=1e-4)
    assert verdict.get_attribute("data-position") == ("outside" if score > 1 else "inside")
    bar = page.locator("#ranking .bar")
    bar.get_by_role("searchbox").fill("classifier 4999")
    assert bar.locator(".count").inner_text() == "1 of 5000 rows"
    bar.get_by_role("searchbox").fill("")
    bar.get_by_role("button", name="next").click()
    assert bar.locator(".count").inner_text() == "5000 rows, page 2 of 200"
    page.get_by_text("type ranges").click()
    page.get_by_label("TPR from", exact=True).fill("0.5")
    page.get_by_label("TPR from", exact=True).press("Enter")
    within = int((table["TPR"] >= 0.5).sum())
    count = bar.locator(".count").inner_text()
    assert count.startswith(f"{within} of 5000 rows, page 1 of ")


@pytest.mark.slow
def test_nothing_of_a_page_is_left_in_the_next(opened):
    page = opened(page_of(30, 3), viewport={"width": 390, "height": 844}, color_scheme="dark")
    choose(page, "classifier 0009")
    page.emulate_media(media="print")
    page.context.new_page().goto(page.url)
    page.mouse.move(200, 200)
    page.mouse.down()
    page = opened(page_of(30, 3))
    assert len(page.context.pages) == 1
    assert (page.evaluate("location.hash"), page.evaluate("scrollY")) == ("", 0)
    assert page.evaluate("[innerWidth, innerHeight]") == [1200, 1400]
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    assert page.locator(":hover").count() == 0
    for query in ("print", "(prefers-color-scheme: dark)", "(forced-colors: active)"):
        assert not page.evaluate("query => matchMedia(query).matches", query)


@pytest.mark.slow
def test_a_workspace_without_its_page(use_tab):
    """What a notebook runs: the page's script as a module, shown twice, with a state for Python."""
    pytest.importorskip(
        "anywidget", reason="anywidget is not installed here; it is in the extra notebook"
    )
    from deabench.report.notebook_widget import widget_module

    workspace = db.explore(page_of(30, 3))
    page = use_tab(viewport={"width": 1000, "height": 900}).page
    page.set_content('<div id="a"></div><div id="b"></div>')
    # A model as anywidget has it: an event at each change, and what is saved goes to Python.
    page.evaluate(
        """async ([code, data, state]) => {
      const script = new Blob([code], { type: "text/javascript" });
      const widget = (await import(URL.createObjectURL(script))).default;
      const values = { data, state }, heard = new Set();
      window.saved = [];
      window.model = { get: (key) => values[key],
        on: (_, act) => heard.add(act), off: (_, act) => heard.delete(act),
        set: (key, value) => { values[key] = value; for (const act of [...heard]) act(); },
        save_changes: () => window.saved.push(JSON.stringify(values.state)) };
      const show = (id) => widget.render({ model, el: document.getElementById(id) });
      window.ends = ["a", "b"].map(show);
    }""",
        [widget_module(), workspace.data, workspace.state | {"limits": {"TPR": [0.5, None]}}],
    )

    def last_saved(count):
        page.wait_for_function("(count) => saved.length >= count", arg=count)
        workspace.state = json.loads(page.evaluate("saved.at(-1)"))
        return workspace

    def names():
        return [page.locator(f"#{key} .who").inner_text() for key in "ab"]

    assert names() == [workspace.chosen] * 2
    page.locator("#b .find").fill("classifier 0009")
    page.locator("#b .find").press("Enter")
    assert last_saved(1).chosen == "classifier 0009"
    assert workspace.limits == {"TPR": (0.5, None)}
    assert names() == ["classifier 0009"] * 2
    page.locator("#a .frontier.chart").focus()
    page.keyboard.press("ArrowRight")
    moved = last_saved(2).moved
    shown = [float(field.input_value()) for field in page.locator("#b .gaps input").all()]
    assert shown == pytest.approx(list(moved.values()), rel=1e-5)
    assert moved["TPR"] > workspace.data["values"][0][9]
    # JupyterLab leaves the keys of what is marked alone.
    assert page.evaluate("document.activeElement.dataset.lmSuppressShortcuts") == "true"
    page.locator("#a").get_by_text("type ranges").click()
    page.locator("#a").get_by_label("TPR from").fill("0.8")
    page.locator("#a").get_by_label("TPR from").press("Enter")
    assert last_saved(3).limits == {"TPR": (0.8, None)}
    kept = page.locator("#b .parallel-panel .count").inner_text()
    assert kept.startswith(f"{len(workspace.brushed)} of 30 kept")
    # What Python sets is shown, and is not told back.
    workspace.chosen = "classifier 0003"
    workspace.limits = {workspace.data["ranking"]["measure"]: (0.9, None)}
    page.evaluate("(state) => model.set('state', state)", workspace.state)
    assert names() == ["classifier 0003"] * 2
    kept = page.locator("#b .parallel-panel .count").inner_text()
    assert kept.startswith(f"{len(workspace.brushed)} of 30 kept")
    page.wait_for_timeout(150)
    assert page.evaluate("saved.length") == 3
    page.evaluate("ends[0]()")
    page.locator("#b .find").fill("classifier 0005")
    page.locator("#b .find").press("Enter")
    assert last_saved(4).chosen == "classifier 0005"
    assert names() == ["classifier 0003", "classifier 0005"]
