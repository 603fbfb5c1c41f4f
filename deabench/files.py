"""Files are written whole or not at all: into a temporary neighbour, then renamed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from deabench.errors import DataError


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write `content` to `path` in one step: a reader sees the old file or the new one, never a part.

    Parameters
    ----------
    path : str or Path
        The file to write; its folder must exist.
    content : str or bytes
        Text is written as UTF-8 with its own line ends.

    Raises
    ------
    DataError
        Where the folder is missing or not writable, or the disk is full; nothing is left behind.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise DataError(f"cannot write '{path}': {error.strerror}; name a folder that exists and is writable") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        raise DataError(f"cannot write '{path}': {error.strerror}; nothing was written") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
