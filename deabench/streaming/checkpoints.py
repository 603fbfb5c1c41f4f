"""What is done of a table of files, kept in a folder by digest: who runs again after a stop goes on
where it ended.

A part's digest is of its files' names, sizes, times of change and footers, and of what is asked;
any of them changed, it is done again. Files are written whole, and one that does not read as it was
written is written anew."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from deabench.errors import DataError
from deabench.streaming.batches import SHIFT
from deabench.streaming.candidates import Kept
from deabench.streaming.files import Files, Piece
from deabench.utils.files import write_whole

FORM = 1
"""Raised when what is kept changes its meaning."""
FOOTER = 1 << 16
"""So many of a file's last bytes are looked at, where its columns' places and extremes stand."""


def part_digest(files: Files, part: tuple[Piece, ...], tolerance: float) -> str:
    """What a part's candidates depend on, as 40 hexadecimal digits."""
    asked = [
        FORM,
        files.outputs,
        sorted((name, turn.sign, turn.shift) for name, turn in files.transforms.items()),
        files.drop,
        tolerance,
        [(piece.first, piece.last, _file(files.path(piece.file))) for piece in part],
    ]
    return hashlib.blake2b(json.dumps(asked).encode(), digest_size=20).hexdigest()


def _file(path: str) -> list[object]:
    try:
        state = Path(path).stat()
        with open(path, "rb") as stream:
            stream.seek(max(state.st_size - FOOTER, 0))
            footer = hashlib.blake2b(stream.read(), digest_size=20).hexdigest()
    except OSError as error:
        raise DataError(f"cannot read '{path}': {error.strerror}; it was there before") from None
    return [Path(path).name, state.st_size, state.st_mtime_ns, footer]


def folder(kept: str | Path) -> Path:
    """The folder, made where it is not there.

    Raises
    ------
    DataError
    """
    try:
        Path(kept).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot keep anything in '{kept}': {error.strerror}; name a folder that is writable"
        ) from None
    return Path(kept).resolve()


def stored(kept: Path, digest: str, part: tuple[Piece, ...]) -> Kept | None:
    """The candidates of a part that was done before; None where it was not, or the file is damaged."""
    try:
        with np.load(kept / f"{digest}.npz", allow_pickle=False) as file:
            found = Kept(
                file["values"],
                file["places"],
                file["low"],
                file["high"],
                int(file["rows"]),
                int(file["left_out"]),
            )
            sound = str(file["sum"]) == _sum(found)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    if not sound:
        return None
    return _moved(found, np.array([piece.file for piece in part]))


def store(kept: Path, digest: str, part: tuple[Piece, ...], found: Kept) -> None:
    """Keep the candidates of a part. Files count from its first: their numbers may be others the
    next time.
    """
    own = _moved(found, np.arange(len(part)), np.array([piece.file for piece in part]))
    stream = io.BytesIO()
    np.savez(
        stream,
        values=own.values,
        places=own.places,
        low=own.low,
        high=own.high,
        rows=own.rows,
        left_out=own.left_out,
        sum=_sum(own),
    )
    write_whole(kept / f"{digest}.npz", stream.getvalue())


def _moved(found: Kept, to: np.ndarray, numbers: np.ndarray | None = None) -> Kept:
    """The same with other numbers of files: `to` in the place of `numbers`, of 0, 1, ... without
    it.
    """
    number = found.places >> SHIFT
    within = number if numbers is None else np.searchsorted(numbers, number)
    return replace(found, places=found.places + ((to[within] - number) << SHIFT))


def _sum(found: Kept) -> str:
    parts = (
        found.values,
        found.places,
        found.low,
        found.high,
        np.array([found.rows, found.left_out]),
    )
    return hashlib.blake2b(
        b"".join(np.ascontiguousarray(part).tobytes() for part in parts), digest_size=20
    ).hexdigest()
