"""Files are written whole or not at all, and read within bounds.

A file is written into a temporary neighbour, then renamed; what is no regular file (a device, a
FIFO, a pipe under /dev/fd) is written through, and a symbolic link is followed to the file it
names.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import json
import lzma
import os
import secrets
import select
import stat
import sys
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from deabench.errors import DataError

PATIENCE = 10.0
"""Seconds to wait for a writer of a pipe."""
MAX_STATE = 1 << 26
"""Bytes of a state that deabench keeps in JSON: 64 MiB."""
_BINARY = getattr(os, "O_BINARY", 0)
MAX_DECOMPRESSED = 1 << 30
"""Bytes that a compressed file may decompress to: 1 GiB."""


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write `content` to `path` in one step: a reader sees the old file or the new one.

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
        If the folder is missing or not writable, or the disk is full; nothing is left behind.
    """
    target = Path(path)
    if isinstance(content, str):
        content = content.encode()
    try:
        if _is_special(target):
            _write_through(target, content)
            return
        path = Path(os.path.realpath(target)) if target.is_symlink() else target
        # The temporary file stands in the same folder: a rename is atomic within one file system
        # only.
        handle, temporary = _create_neighbour(path)
    except BrokenPipeError:
        raise DataError(
            f"cannot write '{target}': its reader has gone; nothing reads what is written there"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise DataError(
            f"cannot write '{target}': {reason}; name a folder that exists and is writable"
        ) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.replace(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        raise DataError(f"cannot write '{target}': {error.strerror}; nothing was written") from None


@contextmanager
def replace_file(path: str | Path) -> Iterator[Path]:
    """Give a temporary neighbour of a file, which replaces the file when all is written.

    It is for a library that writes by name.

    Raises
    ------
    DataError
        If the folder is missing or not writable, the file is a device or a pipe, or the disk is
        full; nothing is left behind.
    """
    target = Path(path)
    if _is_special(target) or target.is_dir():
        raise DataError(
            f"cannot write '{target}': it is no file that can be replaced; name another"
        )
    target = Path(os.path.realpath(target)) if target.is_symlink() else target
    try:
        handle, name = _create_neighbour(target)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise DataError(
            f"cannot write '{path}': {reason}; name a folder that exists and is writable"
        ) from None
    os.close(handle)
    try:
        yield Path(name)
        os.replace(name, target)
    except OSError as error:
        raise DataError(
            f"cannot write '{path}': {error.strerror or one_line(error)}; nothing was written"
        ) from None
    finally:
        Path(name).unlink(missing_ok=True)


def find_overwritten(path: str | Path, sources: Iterable[str | Path]) -> str | None:
    """Return the source that would be overwritten by a file of this path; None if there is none.

    Parameters
    ----------
    path : str or Path
        The file to write.
    sources : iterable of str or Path
        What is read: files, folders, which stand for their Parquet files, patterns as `runs/*.csv`,
        and `-` for standard input. Links are followed.
    """
    try:
        target = os.stat(path)
    except (OSError, ValueError):
        # A file that does not exist yet is none of those that are read.
        return None
    # A device or a pipe is written through and holds nothing that could be lost.
    if not stat.S_ISREG(target.st_mode):
        return None
    for source in sources:
        if any(os.path.samestat(target, status) for status in _source_statuses(str(source))):
            return str(source)
    return None


def _source_statuses(source: str) -> Iterator[os.stat_result]:
    """Return the status of each file that a source stands for; none of what does not exist."""
    if source == "-":
        try:
            yield os.fstat(sys.stdin.fileno())
        except (OSError, ValueError, AttributeError):  # a stream of text, or no stdin at all
            return
        return
    paths: Iterable[str] = [source]
    if os.path.isdir(source):
        # Of a folder the Parquet files are read.
        paths = glob.iglob(os.path.join(glob.escape(source), "*.parquet"))
    elif not os.path.exists(source):
        paths = glob.iglob(source, recursive=True)
    for path in paths:
        try:
            yield os.stat(path)
        except (OSError, ValueError):
            continue


def _is_special(path: Path) -> bool:
    """Return whether the path exists and is neither a regular file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _write_through(path: Path, data: bytes) -> None:
    with open(path, "wb", buffering=0) as stream:
        view = memoryview(data)
        # An unbuffered write may take only a part of the bytes.
        while len(view):
            view = view[stream.write(view) :]


def _create_neighbour(path: Path) -> tuple[int, str]:
    """Create an empty file beside another one, with the rights of that file or of a new one.

    Returns
    -------
    (handle, name)
        The handle is open for writing.
    """
    temporary = str(path.parent / f".{path.name[:100]}.{secrets.token_hex(8)}")
    # The system applies the umask itself: to read the umask would change it for other threads.
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, 0o666)
    if path.is_file():
        os.chmod(temporary, stat.S_IMODE(os.stat(path).st_mode))
    return handle, temporary


def one_line(error: BaseException | str) -> str:
    """Return the message of an error on one line of printable characters."""
    try:
        text = str(error)
    except Exception:  # the __str__ of a foreign error may fail
        text = ""
    text = " ".join(text.split()) or type(error).__name__
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def check_regular_file(path: str | Path) -> None:
    """Refuse a path that is no regular file, because it is read more than once."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise DataError(f"'{path}' is {kind}; it is read more than once, so copy it into a file")


def read_state(path: str | Path) -> bytes:
    """Return the bytes of a file in which deabench keeps a state, of at most `MAX_STATE` bytes.

    Raises
    ------
    OSError, ValueError
        If it cannot be read, is no regular file (a pipe has no end) or is larger.
    """
    check_regular_file(path)
    with open(path, "rb") as stream:
        content = read_bounded(stream, MAX_STATE + 1)
    if len(content) > MAX_STATE:
        raise DataError(f"'{path}' has more than {MAX_STATE:,} bytes, which no state has")
    return content


def parse_state(text: str | bytes) -> Any:
    """Return the object of a JSON text; whatever is wrong with the text is a ValueError."""
    try:
        state = json.loads(text)
        # Half a character, which "\\ud800" stands for, can be written nowhere.
        json.dumps(state, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it nests too deeply") from None
    return state


def read_contents(path: str | Path, max_bytes: int = -1) -> bytes:
    """Read the bytes of a file, or of a pipe such as `<(command)`.

    Parameters
    ----------
    path : str or Path
    max_bytes : int
        Where reading stops; -1 for the end.

    Raises
    ------
    DataError
        If nothing has opened the pipe for writing within `PATIENCE` seconds.
    """
    if not stat.S_ISFIFO(os.stat(path).st_mode):
        with open(path, "rb") as stream:
            return stream.read() if max_bytes < 0 else read_bounded(stream, max_bytes)
    blocks = list[bytes]()
    size = 0
    has_writer = False
    deadline = time.monotonic() + PATIENCE
    # Without blocking, because opening a pipe without a writer would wait for ever.
    pipe = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        while True:
            try:
                block = os.read(pipe, 1 << 20)
            except BlockingIOError:  # a writer has it open, and writes later
                has_writer = True
                select.select([pipe], [], [])
                continue
            # An empty block means the end of the pipe only if a writer was there before.
            if (not block and has_writer) or 0 <= max_bytes < size:
                return b"".join(blocks)
            if not block and time.monotonic() > deadline:
                raise DataError(
                    f"nothing writes to the pipe '{path}' (waited {PATIENCE:g} s); "
                    "start the writer, or give a file"
                )
            has_writer = has_writer or bool(block)
            blocks.append(block)
            size += len(block)
            time.sleep(0 if block else 0.02)
    finally:
        os.close(pipe)


def read_bounded(stream: IO[bytes], max_bytes: int) -> bytes:
    """Read a stream to its end or to a number of bytes; memory is taken as it is needed."""
    blocks = []
    # A buffered stream takes the memory for all bytes at once that it is asked for.
    while max_bytes > 0 and (block := stream.read(min(max_bytes, 1 << 20))):
        blocks.append(block)
        max_bytes -= len(block)
    return b"".join(blocks)


def decompress(path: str | Path, *, max_bytes: int = MAX_DECOMPRESSED) -> io.BytesIO | Path:
    """Decompress a file (.gz, .bz2, .xz, .zip of one file); return the path of any other.

    Raises
    ------
    DataError
        If it decompresses to more than `max_bytes`, or is not what its ending says.
    """
    path = Path(path)
    if path.suffix.lower() not in (".gz", ".bz2", ".xz", ".zip"):
        return path
    try:
        with _open_compressed(path) as stream:
            # One byte more than allowed tells a file that is too large from one that just fits.
            data = read_bounded(stream, max_bytes + 1)
    except DataError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise
        raise DataError(f"'{path}' is not a {path.suffix} file: {one_line(error)}") from None
    # zlib.error, lzma.LZMAError, zipfile.BadZipFile, EOFError, NotImplementedError: one class each
    except Exception as error:
        raise DataError(f"'{path}' is not a {path.suffix} file: {one_line(error)}") from None
    if len(data) > max_bytes:
        raise DataError(
            f"'{path}' inflates to more than {max_bytes} bytes; unpack it, and check its content"
        )
    return io.BytesIO(data)


def _open_compressed(path: Path) -> IO[bytes]:
    ending = path.suffix.lower()
    if ending != ".zip":
        openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
        stream: IO[bytes] = openers[ending](path, "rb")
        return stream
    archive = zipfile.ZipFile(path)
    names = archive.namelist()
    if len(names) != 1:
        raise DataError(f"'{path}' holds {len(names)} files; give an archive of one, or unpack it")
    return archive.open(names[0])
