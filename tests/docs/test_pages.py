"""Every snippet and every command of README and docs/ runs; no link is broken; what is inline is
spelt rightly.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import re
import shlex
import subprocess
import tomllib
import warnings
from pathlib import Path

import pytest
from pages import (
    ELSEWHERE,
    PAGES,
    ROOT,
    SCRIPTS,
    blocks,
    checkout,
    commands,
    run_command,
    run_python,
)

from deabench.cli import VERBS, main

RUN_BY = {
    "README.md": "tests/test_readme.py",
    "tables.md": "tests/tables/test_tables_docs.py",
    "models.md": "tests/docs/test_models_page.py",
    "uncertainty.md": "tests/inference/test_uncertainty_page.py",
    "compare.md": "tests/compare/test_compare_docs.py",
    "metrics.md": "tests/metrics/test_metrics_docs.py",
    "estimation.md": "tests/metrics/test_metrics_docs.py",
    "start.md": "tests/docs/test_start_page.py",
}
"""Pages whose Python is run, and more is asked of it, by a test of their own; that test names the
page.
"""
HERE = [page for page in PAGES if page.name not in RUN_BY and blocks(page, "python")]
TOLD = [page for page in [*PAGES, *SCRIPTS] if commands(page) and page.name != "README.md"]


@pytest.mark.slow
@pytest.mark.parametrize("page", HERE, ids=lambda page: page.stem)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    # By default MLflow keeps its runs in a database, which takes seconds to be made.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    with checkout(tmp_path), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run_python(page)


def test_the_other_pages_are_run_by_their_own_tests():
    for page, test in RUN_BY.items():
        assert (
            f"{Path(page).stem}." in (ROOT / test).read_text(encoding="utf-8")
            or page == "README.md"
        )
    assert {page.name for page in PAGES if blocks(page, "python")} == set(RUN_BY) | {
        page.name for page in HERE
    }


@pytest.mark.slow
@pytest.mark.parametrize("page", TOLD, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page, tmp_path):
    """Where a page shows what a command prints, it prints that."""
    with checkout(tmp_path):
        for command, shown in commands(page):
            if any(command.startswith(start) for start in ELSEWHERE):
                continue
            assert command.startswith("deabench "), command
            printed = run_command(command)
            for option, name in itertools.pairwise(shlex.split(command)):
                assert option not in ("-o", "--plot") or Path(name).exists(), command
            if shown.strip():
                assert [line.rstrip() for line in printed.strip().splitlines()] == [
                    line.rstrip() for line in shown.strip().splitlines()
                ], command


def test_no_command_hides_outside_of_a_console_block():
    for page in PAGES:
        for line in page.read_text(encoding="utf-8").splitlines():
            assert not re.match(r"(    |\t)\$? ?(deabench|pip|python3?) ", line), (
                f"{page.name}: {line}"
            )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_within_sentences_are_spelt_rightly(page, capsys):
    """Their verb exists, and their options are those of the verb."""
    for command in re.findall(r"`deabench ([a-z][^`]*)`", page.read_text(encoding="utf-8")):
        verb, *words = command.split()
        assert verb in VERBS, command
        sub = (
            [words[0]]
            if verb == "study" and words and not words[0].startswith(("-", "...", "S"))
            else []
        )
        assert main([verb, *sub, "--help"]) == 0
        options = set(re.findall(r"--?[a-z][a-z-]*", capsys.readouterr().out))
        assert set(re.findall(r"(?<= )--[a-z][a-z-]*", command)) <= options, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_toml_is_toml(page):
    for block in blocks(page, "toml"):
        assert tomllib.loads(block)


def test_links_within_a_page_lead_to_a_heading():
    """Sphinx checks those of the site; these are also followed by people who read the files where
    they lie.
    """
    for page in PAGES:
        for link, anchor in re.findall(
            r"\]\(([a-z/]+\.md)?#([\w%-]+)\)", page.read_text(encoding="utf-8")
        ):
            target = (page.parent / link) if link else page
            if "{include}" in target.read_text(encoding="utf-8"):
                continue
            headings = re.findall(
                r"^#+ (.*)$", target.read_text(encoding="utf-8"), flags=re.MULTILINE
            )
            assert anchor in {slug(heading) for heading in headings}, (
                f"{page.name}: {link}#{anchor}"
            )


def slug(heading: str) -> str:
    return (
        re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\[|\]\(.*?\)", "", heading).lower())
        .strip()
        .replace(" ", "-")
    )


def test_pages_that_messages_name_exist():
    """`see docs/study.md` in an error, a help text or a docstring leads to a page."""
    stdout = subprocess.run(
        ["grep", "-rhoE", r"docs/[a-z_]+\.md", "deabench", "models", "--include=*.py"],
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=True,
    ).stdout
    for page in set(stdout.split()):
        assert (ROOT / page).exists(), page


PACKAGES = ("deabench", "deabench_models", "benchmarks")


def resolve_name(name: str) -> bool:
    """Return whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            if not hasattr(value, part) and part not in getattr(value, "__annotations__", {}):
                return False
            value = getattr(value, part, None)
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_modules_and_files_that_a_page_names_exist(page):
    text = page.read_text(encoding="utf-8")
    names = re.findall(rf"(?<![\w/])(?:db|{'|'.join(PACKAGES)})(?:\.\w+)+", text)
    full_names = {re.sub(r"^db\b", "deabench", name) for name in names}
    missing = [name for name in sorted(full_names) if not resolve_name(name)]
    paths = re.findall(r"`((?:tests|deabench|docs|examples|benchmarks)/[\w/.-]+\w)`", text)
    missing += [path for path in paths if not (ROOT / path).exists()]
    assert not missing


def test_the_tests_that_the_page_on_studies_names_exist():
    page = (ROOT / "docs/study.md").read_text(encoding="utf-8")
    names = {path.name for path in (ROOT / "tests/study").rglob("test_*.py")}
    assert set(re.findall(r"test_\w+\.py", page)) <= names


def test_no_sentence_stands_on_two_pages():
    pages_of = {}
    for page in PAGES:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for sentence in re.split(r"(?<=[.!?])\s", re.sub(r"\s+", " ", text)):
            if len(sentence.split()) >= 8:
                pages_of.setdefault(sentence.strip(), set()).add(page.name)
    assert not {sentence: pages for sentence, pages in pages_of.items() if len(pages) > 1}
