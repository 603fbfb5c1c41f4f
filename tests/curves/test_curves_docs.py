"""The examples of the docstrings and of docs/curves.md are run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "module", ["deabench.tango", "deabench.curves.roc", "deabench.curves.gain"]
)
def test_docstring_examples(module):
    outcome = doctest.testmod(importlib.import_module(module))
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_the_page_on_curves():
    page = Path(__file__).parents[2] / "docs" / "curves.md"
    outcome = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 10
    assert outcome.failed == 0
