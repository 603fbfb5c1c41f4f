"""The snippets of docs/models.md give what they say, and its table names every model."""

from __future__ import annotations

import doctest
import io
import re
import warnings
from pathlib import Path

from deabench.models import MODELS

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()


def test_the_snippets() -> None:
    output, names = io.StringIO(), {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
    assert len(blocks) > 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in blocks:
            test = doctest.DocTestParser().get_doctest(block, names, "models", "models.md", 0)
            completed = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
                test, out=output.write, clear_globs=False
            )
            names = test.globs
            assert completed.failed == 0, output.getvalue()


def test_every_model_is_on_the_page() -> None:
    for name in MODELS:
        assert f"`{name}`" in PAGE
