"""Read files of any format: the content decides which."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from deabench.errors import DataError
from deabench.tables.aligned_text import (
    PROBED_LINES,
    find_aligned_tables,
    is_mostly_ruled,
    remove_log_levels,
)
from deabench.tables.markup import has_html_table
from deabench.tables.readers.benchmark_logs import find_benchmark_logs
from deabench.tables.readers.delimited import read_bytes, read_delimited
from deabench.tables.readers.evaluations import read_json
from deabench.tables.readers.frames import Source
from deabench.tables.readers.grids import Grid, read_grids
from deabench.tables.readers.harness_logs import is_inspect_archive, read_inspect_archive
from deabench.tables.readers.latex import find_latex_tables, has_latex_table
from deabench.tables.readers.limits import Limits, current_options, reading_options
from deabench.tables.readers.markdown import find_markdown_tables, has_markdown_table
from deabench.tables.readers.objects import is_flow_yaml, is_yaml, parse_json, parse_yaml
from deabench.tables.readers.restructured import find_rst_tables, has_rst_table
from deabench.tables.readers.workbooks import read_parquet, read_workbook
from deabench.utils.files import one_line, read_bounded

PARQUET_MAGIC = b"PAR1"
ZIP_MAGIC = b"PK\x03\x04"
COMPRESSIONS: dict[bytes, tuple[str, Callable[[io.BytesIO], Any]]] = {
    b"\x1f\x8b": ("gzip", lambda stream: gzip.GzipFile(fileobj=stream)),
    b"BZh": ("bzip2", bz2.BZ2File),
    b"\xfd7zXZ": ("xz", lzma.LZMAFile),
}
"""First bytes of compressed files, and what opens them."""


def read_file(
    path: str | Path, *, sheet: str | None = None, limits: Limits | None = None
) -> Source:
    """Read a file; its content decides on the format, not its name. `-` is standard input.

    Parameters
    ----------
    path : str or Path
    sheet : str, optional
        The sheet of a workbook or the table of a document, by its name or its number from 1.
    limits : Limits, optional
        How large the file and its table may be.

    Both are by default those of `reading_options`.

    Raises
    ------
    DataError
        Where the file is missing, empty, damaged or of no known format.
    """
    sheet = sheet or current_options().sheet
    limits = limits or current_options().limits
    data, file = read_bytes(path, limits)
    title = ""
    if str(path) != "-":
        title = Path(path).name.split(".")[0]
    try:
        with reading_options(sheet, limits):
            source = _read_content(data, file, title, sheet, limits)
        limits.check_frame(source.frame, file)
        return source
    except DataError:
        raise
    except MemoryError:
        raise DataError(
            f"'{file}' needs more memory than there is; give a part of it, or save it as Parquet"
        ) from None
    except RecursionError:
        raise DataError(f"'{file}' nests too deeply; give a flat table") from None
    # The libraries raise errors of many classes for files that are damaged.
    except Exception as error:
        raise DataError(
            f"'{file}' is a damaged {_name_format(data)}: {one_line(error)}; make it again, or "
            "save the table as CSV"
        ) from error


def _name_format(data: bytes) -> str:
    """Return what a file is by its first bytes, as a noun for a message."""
    if data[:4] == PARQUET_MAGIC:
        return "Parquet file"
    if data[:4] == ZIP_MAGIC:
        return "log of Inspect" if is_inspect_archive(data) else "Excel workbook"
    return "table"


def _read_content(data: bytes, file: str, title: str, sheet: str | None, limits: Limits) -> Source:
    """Read the bytes of a file by the reader for its format."""
    data = _decompress(data, file, limits)
    # The first bytes tell the format: names end in .csv whatever the content is.
    if data[:4] == PARQUET_MAGIC:
        return Source(read_parquet(data, file, limits), title)
    if data[:4] == ZIP_MAGIC and is_inspect_archive(data):
        return read_inspect_archive(data, file, title, limits)
    if data[:4] == ZIP_MAGIC:
        return read_workbook(data, file, title, limits, sheet)
    if data[:4] == b"\xd0\xcf\x11\xe0":
        raise DataError(f"'{file}' is a workbook of old Excel; save it as .xlsx or CSV")
    if data.startswith(b"version https://git-lfs"):
        raise DataError(
            f"'{file}' is a Git LFS pointer, not the file itself; fetch it with git lfs pull"
        )
    text, notes = _decode(data, file)
    # Rules of tables are found by the ends of their lines.
    text = remove_log_levels(text.replace("\r\n", "\n"))
    fault_of_json: DataError | None = None
    begins_like_json = text.lstrip()[:1] in ("{", "[")
    if begins_like_json and not _is_document(text):
        try:
            document = parse_json(text, file, limits)
        except DataError as error:
            # Markdown may begin with a link, LaTeX with a group.
            fault_of_json = error
        else:
            return read_json(document, file, title)
    grids, prose = _find_tables(text, limits, file)
    if not grids:
        grids = find_benchmark_logs(text, limits, file)
    if grids:
        source = read_grids(grids, file, title, sheet=sheet, prose=prose)
        return replace(source, notes=(*notes, *source.notes))
    if fault_of_json is not None and not is_flow_yaml(text):
        raise fault_of_json
    if fault_of_json is not None or is_yaml(text):
        return read_json(parse_yaml(text, file, limits), file, title)
    return _read_plain_text(text, file, title, notes, limits)


def _read_plain_text(
    text: str, file: str, title: str, notes: tuple[str, ...], limits: Limits
) -> Source:
    """Read CSV, or else the tables that are aligned between paragraphs of prose."""
    # A rule tells columns apart, whatever signs the prose around it holds.
    if is_mostly_ruled(text) and (ruled := _read_aligned(text, file, title, notes)) is not None:
        return ruled
    fault: DataError | None = None
    try:
        source = read_delimited(text, file, title, notes, limits)
    except DataError as error:
        fault = error
    else:
        head = source.frame.head(PROBED_LINES).astype(str)
        # Prose with commas is a header of sentences above empty cells.
        is_filled = [any(map(str.strip, head[name])) for name in head]
        if len(is_filled) > 1 and 2 * sum(is_filled) > len(is_filled):
            return source
    aligned = _read_aligned(text, file, title, notes)
    if aligned is not None:
        return aligned
    if fault is not None:
        raise fault
    return source


def _read_aligned(text: str, file: str, title: str, notes: tuple[str, ...]) -> Source | None:
    """Read the tables that are aligned between paragraphs of prose; None without one."""
    grids, prose = find_aligned_tables(text)
    if not grids:
        return None
    source = read_grids(grids, file, title, prose=prose)
    return replace(source, notes=(*notes, *source.notes))


def _is_document(text: str) -> bool:
    """Return whether a text that begins with a bracket is Markdown or LaTeX, no JSON."""
    return re.match(r"\s*(?:\[[!\[*_]*[A-Za-z!][^\"]*\]|\{\s*\\)", text[:1000]) is not None


def _find_tables(text: str, limits: Limits, file: str) -> tuple[list[Grid], str]:
    """Return the tables of a document in LaTeX, HTML, Markdown or reStructuredText.

    The text around them comes with them.
    """
    if has_latex_table(text):
        return find_latex_tables(text, limits, file)
    grids: list[Grid] = []
    if has_rst_table(text):
        grids, text = find_rst_tables(text, limits, file)
    prose = text
    if has_html_table(text):
        # Its parser is imported for the few files that need it.
        from deabench.tables.readers.hypertext import find_html_tables, remove_html_tables

        html_grids, prose = find_html_tables(text, limits, file)
        grids = [*grids, *html_grids]
        text = remove_html_tables(text)
    # Markdown may hold tables of HTML besides its own.
    if has_markdown_table(text):
        markdown_grids, prose = find_markdown_tables(text)
        grids = [*markdown_grids, *grids]
    return grids, prose


def _decompress(data: bytes, file: str, limits: Limits) -> bytes:
    """Return the content of a compressed file, and that of any other as it is."""
    magic = next((magic for magic in COMPRESSIONS if data.startswith(magic)), None)
    if magic is None:
        return data
    name, open_stream = COMPRESSIONS[magic]
    try:
        with open_stream(io.BytesIO(data)) as stream:
            content = read_bounded(stream, limits.bytes + 1)
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        raise DataError(f"'{file}' is a damaged {name} file; make it again") from None
    limits.check_bytes(len(content), file)
    return content


def _decode(data: bytes, file: str) -> tuple[str, tuple[str, ...]]:
    """Return the text and notes: UTF-8, UTF-16 with or without its mark, else Latin-1."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace"), ()
    # In UTF-16 every second byte of a Latin letter is zero: the second one, or the first.
    if data[1:2] == b"\x00":
        return data.decode("utf-16-le", errors="replace"), ()
    if b"\x00" in data[:200]:
        return data.decode("utf-16-be", errors="replace"), ()
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        note = f"'{file}' is not UTF-8; it is read as Latin-1 (Windows-1252)"
        return data.decode("cp1252", errors="replace"), (note,)
