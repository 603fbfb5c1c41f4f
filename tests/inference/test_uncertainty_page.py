"""The page on uncertainty: its snippets run, and what it says of them holds."""

import contextlib
import io
import re
import warnings
from pathlib import Path

import pytest

from deabench.report.text.uncertainty import format_percent, round_down

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "uncertainty.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def namespace():
    variables: dict[str, object] = {}
    quiet = contextlib.redirect_stdout(io.StringIO())
    with contextlib.chdir(ROOT), quiet, warnings.catch_warnings():
        # That few clusters are left is a note, too.
        warnings.simplefilter("ignore")
        for block in re.findall(r"```python\n(.*?)```", PAGE, flags=re.S):
            exec(block, variables)
    return variables


def test_what_is_said_of_keel67(namespace):
    keel = namespace["keel"]
    assert (keel.verdicts == "undecided").all()
    assert f"{len(keel.verdicts)} are undecided, and all" in PAGE
    assert (keel.ranks["best"] == 1).sum() == 18
    for answer in (keel, namespace["files"]):
        assert f"BaS is efficient to at least {round_down(answer.lower['BaS'])[1:]}" in PAGE


def test_what_is_said_of_the_detectors(namespace):
    detectors = namespace["detectors"]
    assert detectors.verdicts[detectors.verdicts == "dominated"].index.tolist() == ["SOGAAL"]
    assert (detectors.ranks["best"] == 1).sum() >= 13
    for name in ("SOGAAL",):
        assert f"{name} (by at least {format_percent(detectors.secure_gap[name])})" in PAGE


def test_the_gate_of_the_page(namespace):
    assert namespace["gate"].verdict in ("passes", "open")
