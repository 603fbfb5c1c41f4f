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


@pytest.fixture
def opened(browser, tmp_path):
    """A function that writes a report and opens it from the disk; afterwards nothing may have gone
    wrong.
    """
    wrong, contexts = [], []

    def show(report, **options):
        file = tmp_path / "report.html"
        report.save(file)
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 1400}} | options)
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: wrong.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on(
            "dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss())
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(("data:", "blob:")) or request.url == file.as_uri()
                else wrong.append(f"request: {request.url}")
            ),
        )
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-whole]", state="attached", timeout=60_000)
        return page

    yield show
    for context in contexts:
        context.close()
    assert wrong == []
