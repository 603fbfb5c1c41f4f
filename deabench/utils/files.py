"""Files are written whole or not at all, and read within bounds.

A file is written into a temporary neighbour, then renamed; what is no regular file (a device, a
FIFO, a pipe under /dev/fd) is written through, and a symbolic link is followed to the file it
names."""

from __future__ import annotations

import io
import os
import select
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from deabench.errors import DataError

PATIENCE = 10.0
"""Seconds to wait for somebody to write to a pipe."""
INFLATED = 1 << 30
"""Bytes that a compressed file may come to: 1 GiB."""


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write `content` to `path` in one step: a reader sees the old file or the new one, never a
    part.

    Parameters
    ----------
    path : str or Path
        The file to write; its folder must exist. A device, a FIFO or a socket is written through as
        it is; a symbolic link stays, and the file that it names is written.
    content : str or bytes
        Text is written as UTF-8 with its own line ends.

    Raises
    ------
    DataError
        Where the folder is missing or not writable, or the disk is full; nothing is left behind.
    """
    given, data = Path(path), content.encode() if isinstance(content, str) else content
    try:
        if _special(given):
            _through(given, data)
            return
        path = Path(os.path.realpath(given)) if given.is_symlink() else given
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    except BrokenPipeError:
        raise DataError(
            f"cannot write '{given}': its reader has gone; nothing reads what is written there"
        ) from None
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or one_line(error)
        raise DataError(
            f"cannot write '{given}': {said}; name a folder that exists and is writable"
        ) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        raise DataError(f"cannot write '{given}': {error.strerror}; nothing was written") from None


@contextmanager
def replace_file(path: str | Path) -> Iterator[Path]:
    """A temporary neighbour of a file, for a library that writes by name; it becomes the file when
    all is written.

    Raises
    ------
    DataError
        Where the folder is missing or not writable, the file is a device or a pipe, or the disk is
        full; nothing is left behind.
    """
    given = Path(path)
    if _special(given) or given.is_dir():
        raise DataError(f"cannot write '{given}': it is no file that can be replaced; name another")
    given = Path(os.path.realpath(given)) if given.is_symlink() else given
    try:
        handle, name = tempfile.mkstemp(prefix=f".{given.name[:100]}.", dir=given.parent)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or one_line(error)
        raise DataError(
            f"cannot write '{path}': {said}; name a folder that exists and is writable"
        ) from None
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, given)
    except OSError as error:
        raise DataError(
            f"cannot write '{path}': {error.strerror or one_line(error)}; nothing was written"
        ) from None
    finally:
        Path(name).unlink(missing_ok=True)


def _special(path: Path) -> bool:
    """Whether the path is there and is neither a regular file nor a folder, links followed."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _through(path: Path, data: bytes) -> None:
    with open(path, "wb", buffering=0) as stream:
        view = memoryview(data)
        while len(view):
            view = view[stream.write(view) :]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def one_line(error: BaseException | str) -> str:
    """What an error says, on one line of printable characters."""
    try:
        text = str(error)
    except Exception:  # an error of others may be unable to say what it is
        text = ""
    text = " ".join(text.split()) or type(error).__name__
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def check_regular_file(path: str | Path) -> None:
    """Refuse what is no regular file: it would be waited for, or be another one each time it is
    read.

    Raises
    ------
    DataError
    """
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise DataError(f"'{path}' is {kind}; it is read more than once, so copy it into a file")


def read_contents(path: str | Path) -> bytes:
    """The bytes of a file, or of a pipe that something writes to, as `<(command)` gives one.

    Raises
    ------
    DataError
        Where nothing has opened the pipe for writing within `PATIENCE` seconds: it would be waited
        for for ever.
    """
    if not stat.S_ISFIFO(os.stat(path).st_mode):
        return Path(path).read_bytes()
    parts, heard, until = list[bytes](), False, time.monotonic() + PATIENCE
    pipe = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        while True:
            try:
                part = os.read(pipe, 1 << 20)
            except BlockingIOError:  # somebody has it open, and writes later
                heard = True
                select.select([pipe], [], [])
                continue
            if not part and heard:
                return b"".join(parts)
            if not part and time.monotonic() > until:
                raise DataError(
                    f"nothing writes to the pipe '{path}' (waited {PATIENCE:g} s); start what does, or give a file"
                )
            heard = heard or bool(part)
            parts.append(part)
            time.sleep(0 if part else 0.02)
    finally:
        os.close(pipe)


def decompress(path: str | Path, *, most: int = INFLATED) -> io.BytesIO | Path:
    """The bytes of a compressed file (.gz, .bz2, .xz, .zip of one file), or the path of one that is
    not.

    Raises
    ------
    DataError
        Where it inflates to more than `most` bytes, or is not what its ending says.
    """
    path = Path(path)
    if path.suffix.lower() not in (".gz", ".bz2", ".xz", ".zip"):
        return path
    try:
        with _opened(path) as stream:
            data = stream.read(most + 1)
    except DataError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise
        raise DataError(f"'{path}' is not a {path.suffix} file: {one_line(error)}") from None
    # zlib.error, lzma.LZMAError, zipfile.BadZipFile, EOFError, NotImplementedError: one class each
    except Exception as error:
        raise DataError(f"'{path}' is not a {path.suffix} file: {one_line(error)}") from None
    if len(data) > most:
        raise DataError(
            f"'{path}' inflates to more than {most} bytes; unpack it, and look at what it holds"
        )
    return io.BytesIO(data)


def _opened(path: Path) -> IO[bytes]:
    import bz2
    import gzip
    import lzma
    import zipfile

    ending = path.suffix.lower()
    if ending != ".zip":
        ways: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
        stream: IO[bytes] = ways[ending](path, "rb")
        return stream
    names = (archive := zipfile.ZipFile(path)).namelist()
    if len(names) != 1:
        raise DataError(f"'{path}' holds {len(names)} files; give an archive of one, or unpack it")
    return archive.open(names[0])
