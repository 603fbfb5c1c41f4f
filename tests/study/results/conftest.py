"""A study that was made once, and a copy of it for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deabench.study import Study


@pytest.fixture
def study(made: Study, tmp_path: Path) -> Study:
    """A copy of the study that the tests of a file share as `made`, for one test to spoil."""
    for file in (made.plan.file, made.plan.store):
        assert file is not None
        shutil.copy(file, tmp_path / file.name)
    return Study.from_toml(tmp_path / "study.toml")
