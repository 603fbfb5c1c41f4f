"""The page on comparing: its example runs and its numbers hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deabench import compare, datasets
from deabench.errors import DataWarning

PAGE = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"(?:^    (?!deabench).+\n)+", PAGE, re.MULTILINE)
    assert code is not None
    with pytest.warns(DataWarning, match="tied classifiers"):
        exec("\n".join(line[4:] for line in code.group().splitlines()), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 of the 3 pairs differ at 0.05: 'C4.5+m' is better than 'C4.5' (p = 0.0472)")
    assert lines[2].startswith("Friedman with Iman-Davenport, then mean ranks against 'C4.5'")


def test_its_numbers_hold() -> None:
    tests = compare.friedman(datasets.load("demsar2006-auc")).tests["statistic"]
    assert f"{tests.iloc[0]:.3f} against {tests.iloc[2]:.3f}" in PAGE
    with pytest.warns(DataWarning):
        assert f"{compare.two_error_rates(0.25, 5000, 0.15, 30).attained:.3f}" in PAGE
