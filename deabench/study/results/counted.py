"""What a store holds of a study, counted row by row; and the counts that a run leaves beside its
store.

A million rows take a while to check. So a run, which checks them all when it ends, leaves what it
counted beside the store, with the SHA-256 of the store's bytes: as long as the store is those
bytes, the counts are still true. A store that has changed since, by a run that goes on, an import,
a repair or a flipped bit, is checked and counted again."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from deabench import __version__
from deabench.errors import DataError
from deabench.study.plans.jobs import Jobs
from deabench.study.results.store import COLUMNS, sound_rows
from deabench.utils.files import write_whole

KEY, CLASSIFIER, STATUS = (COLUMNS.index(name) for name in ("key", "classifier", "status"))
IDENTITY = slice(COLUMNS.index("dataset"), COLUMNS.index("tn") + 1)
"""Data set, classifier, repeat, fold, status and counts, as they stand side by side."""
ANSWERS = COLUMNS.index("rows_sha256")


@dataclass(frozen=True)
class Counted:
    """What a store holds of a study.

    Attributes
    ----------
    found : int
        Tasks with a sound result, done or failed.
    failures : list of (classifier, status, tasks)
        Sorted.
    digest : str
        SHA-256 over data set, classifier, repeat, fold, status, counts and test rows of each
        result, sorted.
    damaged : int
        Rows whose checksum does not hold, of this study or another.
    """

    found: int
    failures: list[tuple[str, str, int]]
    digest: str
    damaged: int


def count(store: Path, jobs: Jobs) -> Counted:
    """Check every row of a store, and count those of the study."""
    left, lines, failures, damaged = set(jobs.keys()), list[str](), Counter[tuple[str, str]](), 0
    for rows, bad in sound_rows(store):
        damaged += bad
        for row in rows:
            if row[KEY] in left:
                left.remove(row[KEY])  # a row that a run replaces meanwhile comes twice
                lines.append("\t".join(map(str, (*row[IDENTITY], row[ANSWERS]))))
                if row[STATUS] != "done":
                    failures[row[CLASSIFIER], row[STATUS]] += 1
    del left
    return Counted(
        len(lines),
        [(*who, tasks) for who, tasks in sorted(failures.items())],
        _digest(lines),
        damaged,
    )


def _digest(lines: list[str]) -> str:
    lines.sort()
    whole = hashlib.sha256()
    for start in range(0, len(lines), 10_000):
        text = "\n".join(lines[start : start + 10_000])
        whole.update(("\n" + text if start else text).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def leave(store: Path, jobs: Jobs) -> Counted:
    """Count, and leave the counts beside the store, which no run but the caller's may write
    meanwhile.
    """
    now = _bytes_of(
        store
    )  # before it is read: what is damaged from here on does not pass for what was counted
    counted = count(store, jobs)
    text = json.dumps(
        {"store": now, "study": jobs.identity(), "release": __version__, "counted": asdict(counted)}
    ).encode()
    if now:
        with suppress(DataError):  # a full disk: whoever asks next counts
            write_whole(_beside(store), _of(text) + b"\n" + text)
    return counted


def left_beside(store: Path, jobs: Jobs) -> Counted | None:
    """The counts that a run of this very study left, where the store still is what it was then."""
    try:
        whole, _, text = _beside(store).read_bytes().partition(b"\n")
        said = json.loads(text) if whole == _of(text) else {}
        if (said["study"], said["release"]) != (jobs.identity(), __version__) or said[
            "store"
        ] != _bytes_of(store):
            return None
        found = said["counted"]
        return Counted(**found | {"failures": [tuple(each) for each in found["failures"]]})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _of(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest().encode()


def _beside(store: Path) -> Path:
    return store.with_name(f".{store.name}.counted")


def _bytes_of(store: Path) -> str:
    """SHA-256 of the file; "" where it cannot be read, or is not all of the store: SQLite keeps the
    rest in files beside it.
    """
    if any(store.with_name(f"{store.name}-{other}").exists() for other in ("wal", "journal")):
        return ""
    try:
        with store.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""
