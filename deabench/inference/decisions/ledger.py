"""Share one level among all gates on one test set, in a file that remembers them.

The m-th gate has α_m = 6α/(π²m²), which sums to α over all m. That is enough for candidates that
were made without any result on this test set. Who sees which gates were passed can build the next
candidate accordingly: with b passes among the m − 1 gates before there are C(m − 1, b) histories,
and α_m 2^(−b−1) / C(m − 1, b) bounds the chance of a false pass over all of them together, provided
that nothing but pass or no pass was shown. Once scores are shown no such bound holds.
"""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from deabench.errors import DataError
from deabench.utils.files import parse_state, read_state, write_whole

Feedback = Literal["none", "status", "scores"]
FORMAT = "deabench gates 1"
PATIENCE = 30.0
"""Seconds to wait for another gate that uses the same ledger."""
SMALLEST_ALPHA = 1e-300


@dataclass(frozen=True)
class LedgerEntry:
    """One gate on a test set.

    Attributes
    ----------
    candidate : str
    answers : str
        A hash of what was judged: the same candidate judged again is the same gate.
    feedback : {"none", "status", "scores"}
    alpha : float
    verdict : str
    """

    candidate: str
    answers: str
    feedback: str
    alpha: float
    verdict: str


@dataclass
class Ledger:
    """The gates on all test sets of a file.

    Attributes
    ----------
    path : Path
    tests : dict of str to list of LedgerEntry
        By the hash of the test labels, in the order of the gates.
    """

    path: Path
    tests: dict[str, list[LedgerEntry]]

    def find(self, test: str, answers: str) -> LedgerEntry | None:
        """Return the gate that judged the same answers before; None where there is none."""
        entries = self.tests.get(test, [])
        return next((entry for entry in entries if entry.answers == answers), None)

    def add(self, test: str, entry: LedgerEntry) -> None:
        """Write one more gate, the whole file or nothing."""
        self.tests.setdefault(test, []).append(entry)
        content = {
            "format": FORMAT,
            "tests": {
                name: [asdict(entry) for entry in entries] for name, entries in self.tests.items()
            },
        }
        write_whole(self.path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def alpha_of_gate(alpha: float, number: int, passes: int, feedback: Feedback) -> float:
    """Return the share of `alpha` for one gate.

    Parameters
    ----------
    alpha : float
        For all gates on the test set together.
    number : int
        m, counted from 1.
    passes : int
        b, among the m − 1 gates before.
    feedback : {"none", "status", "scores"}
        What the maker of the candidate knows of those gates.
    """
    share = 6 * alpha / (math.pi * number) ** 2
    if feedback != "none":
        # In logarithms: binomials of thousands of gates are no floats.
        histories = math.log(math.comb(number - 1, passes))
        share = math.exp(math.log(share) - (passes + 1) * math.log(2) - histories)
    return max(share, SMALLEST_ALPHA)


@contextmanager
def open_ledger(path: str | Path) -> Iterator[Ledger]:
    """Open a ledger for one gate at a time; another process waits, at most `PATIENCE` seconds.

    Raises
    ------
    DataError
        If the file is damaged, its folder is missing, or another gate holds it too long.
    """
    path = Path(path)
    lock = path.with_name(f".{path.name}.lock")
    if not path.parent.is_dir():
        raise DataError(f"cannot write '{path}': there is no folder '{path.parent}'; make it first")
    # A lock of SQLite is held by the process and ends with it, on every system.
    try:
        connection = sqlite3.connect(lock, timeout=PATIENCE, isolation_level=None)
    except (sqlite3.Error, ValueError) as error:
        raise DataError(
            f"cannot write '{lock}' beside the ledger ({error}); name another file"
        ) from None
    with closing(connection):
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            raise DataError(
                f"the ledger '{path}' is used by another gate ({error}); try again when it is done"
            ) from None
        yield Ledger(path, _read_tests(path))


def _read_tests(path: Path) -> dict[str, list[LedgerEntry]]:
    """Return the gates by test set; none where there is no file yet."""
    try:
        content = parse_state(read_state(path))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise DataError(_damage(path, f"it is no JSON text ({error})")) from None
    try:
        if not isinstance(content, dict) or not isinstance(content.get("tests"), dict):
            raise ValueError("it holds no gates by test set")
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']!r}")
        tests = {
            str(test): [LedgerEntry(**entry) for entry in entries]
            for test, entries in content["tests"].items()
        }
        # Every field is checked, as the file may have been edited by hand.
        for entry in (entry for entries in tests.values() for entry in entries):
            fields = (entry.candidate, entry.answers, entry.verdict)
            if not all(isinstance(word, str) for word in fields):
                raise ValueError("an entry has a field that is no text")
            if entry.feedback not in get_args(Feedback) or not 0 < entry.alpha < 1:
                raise ValueError(f"the gate of '{entry.candidate}' has a level that cannot be")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(_damage(path, str(error))) from None
    return tests


def _damage(path: Path, reason: str) -> str:
    return (
        f"the ledger '{path}' is damaged: {reason}; bring back an earlier version, because without "
        "it the gates on this test set have no level"
    )


def hash_arrays(*parts: object) -> str:
    """Return a hash of numbers, arrays and texts, the same on every machine."""
    digest = hashlib.sha256()
    for value in parts:
        if isinstance(value, np.ndarray):
            # The byte order and the width do not depend on the machine.
            wide = value.astype("<f8" if value.dtype.kind == "f" else "<i8")
            digest.update(f"{value.shape}".encode())
            digest.update(np.ascontiguousarray(wide).tobytes())
        else:
            digest.update(f"{value!r};".encode())
    return digest.hexdigest()
