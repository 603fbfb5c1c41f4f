"""The page on comparing: its example runs and its numbers hold."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from deabench import compare, datasets
from deabench.datasets.keel import table2
from deabench.errors import DataWarning

PAGE = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")


def test_the_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    with pytest.warns(DataWarning, match="tied systems"):
        exec(first, names)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        "2 of the 3 pairs differ at 0.05: 'C4.5+m' is better than 'C4.5' (p = 0.0472)"
    )
    assert lines[2].startswith("Friedman with Iman-Davenport, then mean ranks against 'C4.5'")
    exec(second, names)
    assert " instances give a power of 0.80" in capsys.readouterr().out


def test_its_numbers_hold() -> None:
    tests = compare.friedman(datasets.load("demsar2006-auc")).tests["statistic"]
    assert f"{tests.iloc[0]:.3f} against {tests.iloc[2]:.3f}" in PAGE
    with pytest.warns(DataWarning):
        assert f"{compare.two_error_rates(0.25, 5000, 0.15, 30).attained:.3f}" in PAGE
    assert f"{compare.mcnemar(1, 1, n=9).p_value:.2f} for one and one" in PAGE


def test_the_files_that_keel_cuts() -> None:
    files = pd.Series(compare.keel_files(name for name in table2().index if name != "echo"))
    largest = files.value_counts().head(3)
    assert f"{largest.sum()} of the {len(files)} KEEL sets" in PAGE
    assert largest["ecoli"] == 18  # one and the other seventeen
