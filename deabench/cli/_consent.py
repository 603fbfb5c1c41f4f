"""Ask once whether a study file may run code, and remember the answer outside of its folder.

A study file can name classes to import. Its author writes what it names, so permission must come
from elsewhere: from an option of the command, or from a file in the user's own configuration that
holds the digests of the folders that the user trusts. A digest covers the study file and every
Python file of its folder, so that an edit is asked about again.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from deabench.utils.files import write_whole

AllowImports = Annotated[
    bool,
    typer.Option(
        "--allow-imports",
        help="Import the classes that the study file names, which runs their code.",
    ),
]
AllowOutside = Annotated[
    bool,
    typer.Option(
        "--allow-outside", help="Permit paths outside the file's folder, where the file asks."
    ),
]
MOST_FILES = 10_000
"""Python files of a folder that a digest covers; a larger folder is not remembered."""


def may_import(file: Path, classes: list[str]) -> bool:
    """Return whether the user trusts the folder of a study file, by an earlier answer or a new one.

    Parameters
    ----------
    file : Path
        The study file.
    classes : list of str
        The import paths that it names.
    """
    digest = digest_folder(file)
    if digest and digest in _trusted_digests():
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    names = ", ".join(f"'{name}'" for name in classes)
    question = f"'{file.name}' imports {names} and so runs the code in its folder. Do you trust it?"
    if not typer.confirm(question, default=False, err=True):
        return False
    if digest:
        remember_digest(digest)
    return True


def digest_folder(file: Path) -> str:
    """Return the SHA-256 of a study file and of all Python files of its folder; "" if too many."""
    folder = file.resolve().parent
    digest = hashlib.sha256()
    files = [file.resolve()]
    for path in folder.rglob("*.py"):
        files.append(path)
        if len(files) > MOST_FILES:
            return ""
    for path in [files[0], *sorted(files[1:])]:
        # the name is part of the digest: a renamed module is another module
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode("utf-8", "surrogateescape"))
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def remember_digest(digest: str) -> None:
    """Add a digest to the trusted ones."""
    file = _trust_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, "".join(f"{trusted}\n" for trusted in sorted({*_trusted_digests(), digest})))


def _trusted_digests() -> set[str]:
    try:
        return set(_trust_file().read_text(encoding="utf-8").split())
    except OSError:
        return set()


def _trust_file() -> Path:
    return Path(typer.get_app_dir("deabench")) / "trusted-studies"
