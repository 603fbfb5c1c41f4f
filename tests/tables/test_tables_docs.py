"""The page on tables: its code runs, and the shipped leaderboards are what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import deabench as db

PAGE = Path(__file__).parents[2] / "docs" / "tables.md"


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_the_code_of_the_page_runs(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in re.findall(
        r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL
    ):
        exec(compile(block, str(PAGE), "exec"), names)


def test_an_unknown_leaderboard_is_refused(refused) -> None:
    with refused("there is no leaderboard 'timm_speed'; did you mean 'timm-speed'?"):
        db.datasets.board("timm_speed")
