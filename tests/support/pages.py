"""The pages as the tests see them: their snippets, their commands, and a folder where both run."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import shutil
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from study_runs import without_processes

from deabench.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "models/README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
SCRIPTS = sorted((ROOT / "examples").glob("*/*.py"))
ELSEWHERE = {
    "python3 -m pip": "README's two lines: .ci/run runs them",
    "pip install": "a part of README's second line",
    "python -m sphinx": "a step of .ci/run",
    "bash .ci/run": "runs the tests",
    "python -m pytest": "runs the tests",
    "python -m benchmarks": "takes minutes; benchmarks/test_quick.py runs its quick forms",
}
"""Commands that the pages name and these tests do not run, with the reason."""
SMALL = (
    '[data]\nnames = ["glass-0-4_vs_5"]\n[split]\nfolds = 2\n[classifiers]\n"naive Bayes" = {}\n'
    "stump = {}\n"
    '[dea]\ntested = ["stump"]\n'
)
OUTSIDE = "dataset,classifier,tp,fn,fp,tn\nglass-0-4_vs_5,Weka's own,8,1,3,80\n"


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a language in order; a directive is its name in braces."""
    return re.findall(
        rf"^```{re.escape(language)}\n(.*?)^```",
        page.read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )


def commands(page: Path) -> list[tuple[str, str]]:
    """Return each `$ command` of a page or of a docstring, and the lines shown below it.

    A backslash at the end of a line continues the command.
    """
    text = re.sub(r" *\\\n +", " ", page.read_text(encoding="utf-8"))
    if page.suffix == ".py":
        return [(line, "") for line in re.findall(r"^ *\$ (.*)$", text, flags=re.MULTILINE)]
    return [
        (re.split(r" +# ", line)[0].strip(), shown)
        for block in blocks(page, "console")
        for line, shown in re.findall(r"^\$ (.*)\n((?:[^$\n].*\n|\n)*)", block, flags=re.MULTILINE)
    ]


def run_python(page: Path) -> dict[str, object]:
    """Run the python blocks of a page in one namespace; those with prompts must print what they
    show.
    """
    space: dict[str, object] = {"__name__": page.stem}
    for block in blocks(page, "python"):
        if ">>>" not in block:
            exec(compile(block, str(page), "exec"), space)
            continue
        test = doctest.DocTestParser().get_doctest(block, space, page.stem, str(page), 0)
        output = io.StringIO()
        completed = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
            test, out=output.write, clear_globs=False
        )
        assert completed.failed == 0, output.getvalue()
        space |= test.globs
    return space


def run_command(command: str) -> str:
    """Run one `deabench ...` line of a page here, in this process: what it prints, or writes after
    a `>`.
    """
    command_line, _, file = command.partition(" >")
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings(), without_processes():
        warnings.simplefilter("ignore")
        status = main(shlex.split(command_line)[1:])
    assert status == 0 or "gate" in command_line, command
    if command_line.startswith(
        "deabench study init my.toml"
    ):  # the page's study would train for minutes: from here on a small one
        Path("my.toml").write_text(SMALL)
        Path("weka.csv").write_text(OUTSIDE)
    assert not file or out.getvalue()
    return out.getvalue()


@contextlib.contextmanager
def checkout(folder: Path) -> Iterator[None]:
    """A folder with the examples, as a reader has who stands in a checkout; nothing is written into
    the real one.
    """
    shutil.copytree(ROOT / "examples", folder / "examples")
    with contextlib.chdir(folder):
        yield


def sentences_with_numbers(page: Path) -> list[str]:
    """Return the sentences and cells of a guide that claim a number, without code and links."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r"(?<=\])\([^)]*\)", "", re.sub(r"`[^`]*`", "code", text))
    sentences = []
    for paragraph in text.split("\n\n"):
        for sentence in re.split(r"(?<=[.:?])\s+|\n(?=[-|])", paragraph):
            if re.search(r"\d", sentence):
                sentences.append(re.sub(r"\s+", " ", sentence))
    return sentences


def unmatched_sentences(page: Path, patterns: Iterable[str]) -> list[str]:
    """The sentences with a number that no pattern matches."""
    patterns = list(patterns)
    return [
        sentence
        for sentence in sentences_with_numbers(page)
        if not any(re.search(pattern, sentence) for pattern in patterns)
    ]


def unused_patterns(pages: Iterable[Path], patterns: Iterable[str]) -> list[str]:
    """The patterns that match no sentence with a number any more."""
    sentences = [sentence for page in pages for sentence in sentences_with_numbers(page)]
    return [
        pattern
        for pattern in patterns
        if not any(re.search(pattern, sentence) for sentence in sentences)
    ]
