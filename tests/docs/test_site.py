"""The site: every public name is in its reference, has an example and says what it takes; every
page is reachable; CI builds it.
"""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib

import pytest
from pages import ROOT

import deabench as db
import deabench_models
from deabench.models import MODELS

REFERENCE = ROOT / "docs" / "reference"
ROOMS = {
    "deabench": db,
    "deabench.metrics": db.metrics,
    "deabench.curves": db.curves,
    "deabench.compare": db.compare,
    "deabench.plot": db.plot,
    "deabench.datasets": db.datasets,
}


def documented() -> set[str]:
    """The names that the reference documents, in full."""
    names = set()
    for page in REFERENCE.glob("*.rst"):
        room = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"\.\. (?:currentmodule|py:module):: (\S+)", line):
                room = match[1]
            elif match := re.match(r"\.\. auto(?:function|class|data):: (\S+)", line):
                names.add(match[1] if "." in match[1] else f"{room}.{match[1]}")
    return names


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_in_the_reference(room):
    reference, module = documented(), ROOMS[room]
    public_names = {name for name in module.__all__ if not inspect.ismodule(getattr(module, name))}
    assert {f"{room}.{name}" for name in public_names} <= reference
    for name in reference:  # and nothing is there that is gone
        home, _, last = name.rpartition(".")
        assert hasattr(importlib.import_module(home), last), name


def test_every_public_module_has_a_page():
    titles = "\n".join(
        page.read_text(encoding="utf-8").splitlines()[0] for page in REFERENCE.glob("*.rst")
    )
    for name in db.__all__:
        if inspect.ismodule(getattr(db, name)):
            assert f"deabench.{name}" in titles, name


def test_every_formulation_is_in_the_reference():
    assert {f"deabench_models.{f.__name__}" for f in deabench_models.FORMULATIONS} <= documented()


PUBLIC = sorted(
    {
        (room, name)
        for room, module in ROOMS.items()
        for name in module.__all__
        if (inspect.isfunction(getattr(module, name)) or inspect.isclass(getattr(module, name)))
    }
)


@pytest.mark.parametrize(
    ("room", "name"), PUBLIC, ids=lambda part: str(part).removeprefix("deabench.")
)
def test_every_public_function_and_class_has_an_example(room, name):
    """test_readme.py runs it."""
    thing = getattr(ROOMS[room], name)
    assert ">>>" in (thing.__doc__ or ""), f"{thing.__module__}.{name} has no example"


@pytest.mark.parametrize(
    ("room", "name"),
    [pair for pair in PUBLIC if inspect.isfunction(getattr(ROOMS[pair[0]], pair[1]))],
    ids=lambda part: str(part).removeprefix("deabench."),
)
def test_every_argument_of_a_public_function_is_described(room, name):
    function = getattr(ROOMS[room], name)
    docstring = function.__doc__ or ""
    for argument in inspect.signature(function).parameters:
        assert re.search(rf"(?<!\w)\**{argument}(?!\w)", docstring), f"{name}: {argument}"


def test_every_page_is_in_a_list_of_contents():
    listed = {"index"}
    for page in (ROOT / "docs").rglob("*.md"):
        for block in re.findall(
            r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL
        ):
            folder = page.parent.relative_to(ROOT / "docs")
            listed |= {
                str(folder / line)
                for line in block.splitlines()
                if line and not line.startswith(":")
            }
    docs = ROOT / "docs"
    written = [
        page.relative_to(docs).with_suffix("")
        for page in docs.rglob("*.*")
        if page.suffix in (".md", ".rst")
    ]
    pages = {
        str(page)
        for page in written
        if page.parts[0] not in ("gallery", "pictures", "notebooks", "sg_execution_times")
    }
    assert pages == listed - {"gallery/index", "pictures/index", "notebooks/index"}


def test_ci_builds_the_site_and_all_has_what_it_needs():
    assert "python -m sphinx -q -W" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert "docs" in extras["all"][0]
    pinned = {
        line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().split()
    }
    assert {re.split(r"[><=]", doc)[0] for doc in extras["docs"]} <= pinned


def test_the_gallery_has_one_figure_one_command_one_idea():
    scripts = sorted((ROOT / "examples/gallery").glob("*.py"))
    assert len(scripts) >= 12
    for script in scripts:
        head, _, code = script.read_text(encoding="utf-8").partition('\n"""\n')
        assert len(re.findall(r"^    \$ deabench ", head, flags=re.MULTILINE)) == 1, script.name
        assert code.count(".plot()") == 1, script.name
    assert len(list((ROOT / "examples/notebooks").glob("*.py"))) == 3


def test_how_many_models_there_are():
    number_words = {
        15: "fifteen",
        16: "sixteen",
        17: "seventeen",
        18: "eighteen",
        19: "nineteen",
        20: "twenty",
    }
    for page in ("README.md", "docs/choosing.md"):
        assert number_words[len(MODELS)] in (ROOT / page).read_text(encoding="utf-8"), page
