"""README's snippets and the docstrings' examples give what they say."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
import warnings
from pathlib import Path

import pytest

import deabench
import deabench_models
from deabench.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def modules():
    for package in (deabench, deabench_models):
        yield package.__name__
        yield from (
            info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        )


def run(test: doctest.DocTest) -> None:
    output = io.StringIO()
    with warnings.catch_warnings(), contextlib.chdir(ROOT):
        warnings.simplefilter("ignore")
        results = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
            test, out=output.write
        )
    assert results.failed == 0, output.getvalue()


def test_readme_python():
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    assert blocks
    for block in blocks:
        run(doctest.DocTestParser().get_doctest(block, {}, "README", "README.md", 0))


@pytest.mark.parametrize("name", sorted(set(modules()) - {"deabench.__main__"}))
def test_docstring_examples(name):
    module = importlib.import_module(name)
    for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        if test.examples:
            run(test)


def test_readme_commands(capsys, monkeypatch):
    """Each `$ deabench` line runs, and the lines printed below it are what it prints on standard
    output.
    """
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```console\n(.*?)```", README, flags=re.S)
    assert blocks
    for block in blocks:
        for command, shown in re.findall(
            r"^\$ deabench (.*)\n((?:[^$\n].*\n|\n)*)", block, flags=re.M
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert main(shlex.split(command)) == 0
            printed = capsys.readouterr().out
            assert [line.rstrip() for line in printed.strip().splitlines()] == [
                line.rstrip() for line in shown.strip().splitlines()
            ], command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        made = (
            ROOT / "examples" / Path(link).parent.name / f"{Path(link).stem}.py"
        )  # the site makes its pages from scripts
        assert (page.parent / link).exists() or (Path(link).suffix == ".rst" and made.exists()), (
            link
        )
