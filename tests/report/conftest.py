"""A real browser that notes every error and every request."""

from __future__ import annotations

import shutil

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SCREEN = {"width": 1200, "height": 1400}
EMPTY = "about:blank"


@pytest.fixture(scope="session")
def browser():
    """Debian's chromium; where there is none the tests that need it say so and are skipped."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed here; .ci/run installs it where it may")
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed here; it is in the extra test"
    )
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


class Tab:
    """A tab without a network that shows one page after another and notes what goes wrong.

    Each page is loaded anew from an empty tab, so that nothing of the one before is left in it. A
    new tab would take five times as long.
    """

    def __init__(self, browser, options):
        context = browser.new_context(**options)
        context.set_offline(True)
        self.page = context.new_page()
        self.page.set_default_timeout(30_000)
        self.address = EMPTY
        self.problems = []
        self.page.on("console", self._note_message)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", self._note_request)

    def _note_message(self, message):
        self.problems.append(f"console {message.type}: {message.text}")

    def _dismiss(self, dialog):
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _note_request(self, request):
        if not request.url.startswith(("data:", "blob:")) and request.url != self.address:
            self.problems.append(f"request: {request.url}")

    def prepare(self, viewport, **media):
        """Empty the tab, on a screen of this size."""
        if self.page.url != EMPTY:
            self.leave()
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(media="null", **media)

    def show(self, file):
        """Load a report from the disk."""
        self.address = file.as_uri()
        self.page.goto(self.address)
        self.page.wait_for_selector("html[data-whole]", state="attached", timeout=60_000)

    def leave(self):
        """Empty the tab, and close those that a test opened beside it."""
        for page in self.page.context.pages:
            if page != self.page:
                page.close()
        self.address = EMPTY
        self.page.goto(EMPTY)
        # The mouse would point at something in the next page.
        self.page.mouse.up()
        self.page.mouse.move(0, 0)


@pytest.fixture(scope="session")
def tabs():
    """The tabs that are open, by the options of their contexts."""
    return {}


@pytest.fixture
def use_tab(browser, tabs):
    """A function that empties the tab of a context with these options, and makes it at first;
    afterwards nothing may have gone wrong in it.
    """
    used_tabs = {}

    def use(viewport=SCREEN, color_scheme="light", forced_colors="none", **options):
        key = tuple(sorted(options.items()))
        if key not in tabs:
            tabs[key] = Tab(browser, options)
        used_tabs[key] = tabs[key]
        tabs[key].prepare(viewport, color_scheme=color_scheme, forced_colors=forced_colors)
        return tabs[key]

    yield use
    problems = []
    for key, tab in used_tabs.items():
        # A tab that crashed cannot be left: the next test makes another.
        del tabs[key]
        tab.leave()
        tabs[key] = tab
        problems += tab.problems
        tab.problems.clear()
    assert problems == []


@pytest.fixture(scope="session")
def write_once(tmp_path_factory):
    """A function that writes a report the first time, and returns its file."""
    folder = tmp_path_factory.mktemp("pages")
    files = {}

    def write(report):
        if report not in files:
            files[report] = folder / f"report-{len(files)}.html"
            report.save(files[report])
        return files[report]

    return write


@pytest.fixture
def opened(use_tab, write_once):
    """A function that opens a report from the disk, in place of the one that it opened before."""

    def show(report, **options):
        tab = use_tab(**options)
        tab.show(write_once(report))
        return tab.page

    return show
