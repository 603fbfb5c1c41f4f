"""Tried as a new user: three tables reach ranking, verdicts, targets and a page in five lines that
stand in docs/start.md.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from pages import ROOT, blocks, checkout, commands

import deabench as db

PAGE = ROOT / "docs" / "start.md"
STORIES = dict(
    re.findall(
        r"<!-- new user: ([a-z ]+) -->\n```python\n(.*?)```",
        PAGE.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
)
BEFORE = {
    "grid search": next(block for block in blocks(PAGE, "python") if "GridSearchCV(" in block)
}
"""What the user has already."""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize("story", ["leaderboard", "grid search", "predictions"])
def test_five_lines_reach_everything(story, tmp_path, capsys):
    code = STORIES[story]
    assert len(code.strip().splitlines()) <= 5
    space: dict[str, object] = {}
    with checkout(tmp_path):
        exec(BEFORE.get(story, ""), space)
        exec(code, space)
        page = next(Path().glob("*.html")).read_text(encoding="utf-8")
    ranking = space["ranking"]
    assert isinstance(ranking, db.Ranking)
    assert ranking.scores.notna().all()
    assert set(ranking.uncertainty.verdicts) <= {"dominated", "undecided", "efficient"}
    printed = capsys.readouterr().out
    assert any(word in printed for word in ("dominated", "undecided"))
    targets = space.get("targets")
    assert isinstance(targets, db.Targets) or ".gaps" in code
    for name in ranking.scores.index:
        assert str(name) in page.replace("&#39;", "'")
    assert isinstance(ranking.to_frame(), pd.DataFrame)


def test_no_command_story_is_longer_than_five():
    for block in blocks(PAGE, "console"):
        assert block.count("$ deabench") <= 5
    story = " ".join(command for command, _ in commands(PAGE))
    assert all(f"deabench {verb} " in story for verb in ("rank", "targets", "report", "metrics"))
    assert "--uncertainty" in story


def test_readme_has_the_same_lines():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = re.search(r"## Five lines each\n.*?\n\n((?:    [^\n]*\n)+)", readme, flags=re.DOTALL)[1]
    assert [line.strip() for line in lines.splitlines()] == STORIES[
        "grid search"
    ].strip().splitlines()[1:]
