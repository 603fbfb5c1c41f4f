"""Studies for the tests: a file to write, and the digest of an undisturbed run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from study_runs import SLOW, run_here


@pytest.fixture
def study_file(tmp_path: Path) -> Callable[..., Path]:
    def write(text: str, name: str = "study.toml") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the slow study, run from beginning to end in one process."""
    from deabench.study import Study

    path = tmp_path_factory.mktemp("undisturbed") / "study.toml"
    path.write_text(SLOW)
    done = run_here(Study.from_toml(path, allow_imports=True))
    assert (done.total, done.done, done.failed) == (50, 50, 0)
    return done.digest
