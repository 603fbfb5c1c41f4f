"""ARFF files: those of Weka and OpenML, and KEEL's dialect `.dat`.

OpenML's have names and values in quotes, commas inside them, attributes of texts and dates, sparse
rows. KEEL's have `@inputs`/`@outputs` lines, `<null>` for a missing cell, ranges after a type,
blanks around commas.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from deabench.errors import DataError
from deabench.utils.files import MAX_DECOMPRESSED, check_regular_file

ATTRIBUTE = re.compile(
    r"@attribute\s+('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|[^\s{]+?)"
    r"(?:\s*(?=\{)|\s+|(?=(?:real|integer|numeric)\s*\[))(\{.*\}|.*)",
    re.I,
)
"""A declaration: name, type. KEEL has no blank before a brace: `Class{a, b}`."""
NUMBERS = re.compile(r"(real|integer|numeric)\s*(\[.*\])?\s*$", re.I)
MISSING_CELLS = ["?", "<null>"]


@dataclass(frozen=True)
class Arff:
    """A KEEL or ARFF file as a frame.

    Attributes
    ----------
    frame : DataFrame, rows x attributes
        Numeric attributes as float64 (NaN where missing), nominal ones as Categorical with the
        declared categories, texts and dates as text.
    target : str
        The attribute named by `@output(s)`, otherwise the last one.
    """

    frame: pd.DataFrame
    target: str


def read_arff(path: str | Path) -> Arff:
    """Read a KEEL `.dat` or an ARFF file.

    Raises
    ------
    DataError
        If the file is missing, or is none.
    """
    try:
        check_regular_file(path)
        # The whole text is held in memory, next to its frame.
        if Path(path).stat().st_size > MAX_DECOMPRESSED:
            raise DataError(
                f"'{path}' has more than {MAX_DECOMPRESSED:,} bytes; give a part of it, or Parquet"
            )
        content = Path(path).read_bytes()
    except OSError as error:
        raise DataError(
            f"cannot read '{path}': {error.strerror}; name a KEEL or ARFF file"
        ) from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        # Old files are in Latin-1, in which every byte is a character.
        text = content.decode("latin-1")
    try:
        kinds, target, rows = _split_header(text)
        frame = _read_rows(rows, kinds)
        columns = {name: _to_series(frame[name], kind) for name, kind in kinds.items()}
    # pandas raises errors of several classes for damaged rows
    except (ValueError, csv.Error, OverflowError, MemoryError) as error:
        reason = str(error).strip().rstrip(".") or type(error).__name__
        raise DataError(f"'{path}' is not a KEEL or ARFF file that can be read: {reason}") from None
    frame = pd.DataFrame(columns)
    if frame.empty:
        raise DataError(
            f"'{path}' has no data rows; give a KEEL or ARFF file with rows after @data"
        )
    if target is None:
        target = str(frame.columns[-1])
    if target not in frame.columns:
        raise DataError(f"'{path}' names the output '{target}', which is not among its attributes")
    return Arff(frame, target)


def _split_header(text: str) -> tuple[dict[str, str], str | None, list[str]]:
    """Return the type of each attribute, the name after `@output(s)`, and the lines of data."""
    kinds: dict[str, str] = {}
    target = None
    lines = text.splitlines()
    for number, line in enumerate(map(str.strip, lines)):
        if line.lower() == "@data":
            rows = [row for row in map(str.strip, lines[number + 1 :]) if row]
            return kinds, target, [row for row in rows if not row.startswith("%")]
        # Other lines are comments, the name of the relation, or the inputs.
        declaration = ATTRIBUTE.match(line)
        if declaration:
            name = _unquote(declaration[1])
            if name in kinds:
                raise ValueError(f"it declares the attribute '{name}' twice")
            kinds[name] = declaration[2].strip()
        elif re.match(r"@outputs?\b", line, re.I):
            # KEEL names the target; ARFF has it last.
            target = _unquote(line.split(None, 1)[-1].strip())
    raise ValueError("it has no line @data")


def _read_rows(rows: list[str], kinds: dict[str, str]) -> pd.DataFrame:
    """Return the cells as text, NaN where missing."""
    if rows and rows[0].startswith("{"):
        rows = [_expand_sparse(row, kinds) for row in rows]
    body = "\n".join(rows)
    # of the two quotes that which begins a cell; the other one is a character
    quote = "'" if re.search(r"(^|,)\s*'", body, re.M) else '"'
    if not rows or not kinds:
        return pd.DataFrame(columns=list(kinds))
    # pandas would fill short rows with empty cells: if all are short, the header is wrong.
    widest = max(row.count(",") for row in rows) + 1
    if widest < len(kinds):
        raise ValueError(f"it declares {len(kinds)} attributes, and no row has more than {widest}")
    frame = pd.read_csv(
        io.StringIO(body),
        header=None,
        names=list(kinds),
        index_col=False,
        dtype=str,
        quotechar=quote,
        escapechar="\\",
        skipinitialspace=True,
        na_values=MISSING_CELLS,
        keep_default_na=False,
        on_bad_lines="error",
    )
    return frame.apply(lambda cells: cells.str.strip())


def _expand_sparse(row: str, kinds: dict[str, str]) -> str:
    """Return a sparse row, as `{0 5, 3 'a b'}`, with all cells: 0, or the first category."""
    cells = [_categories(kind)[0] if kind.startswith("{") else "0" for kind in kinds.values()]
    for entry in _split_at_commas(row.strip().strip("{}")):
        position, _, value = entry.strip().partition(" ")
        if not position.isdigit() or int(position) >= len(cells):
            raise ValueError(f"a sparse row names the attribute '{position[:20]}'")
        cells[int(position)] = value.strip()
    return ",".join(cells)


def _to_series(cells: pd.Series, kind: str) -> pd.Series:
    """Return the cells of an attribute by its type."""
    # A mark of a missing value with blanks around it shows only now that they are gone.
    cells = cells.where(~cells.isin(MISSING_CELLS))
    if NUMBERS.match(kind):
        return pd.to_numeric(cells).astype(float)
    # strings and dates; what the type is called else is not in the standard
    if not kind.startswith("{"):
        if re.match(r"(string|date)\b", kind, re.I):
            return cells
        raise ValueError(f"attribute '{cells.name}' is of type '{kind[:40]}'")
    # The declared categories in their order, each once.
    categories = list(dict.fromkeys(map(_unquote, _categories(kind))))
    # a cell in the other kind of quotes
    texts = cells.map(_unquote, na_action="ignore")
    unknown = texts[texts.notna() & ~texts.isin(categories)]
    if len(unknown):
        raise ValueError(f"{unknown.iloc[0]} value not in {tuple(categories)}")
    return pd.Series(pd.Categorical(texts, categories=categories))


def _categories(kind: str) -> list[str]:
    return [entry for entry in _split_at_commas(kind.strip()[1:].rpartition("}")[0]) if entry]


def _split_at_commas(text: str) -> list[str]:
    """Return the parts between commas that stand in no quotes."""
    entries = re.findall(r"""(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^,])+""", text)
    return [entry.strip() for entry in entries]


def _unquote(text: str) -> str:
    """Return a name or a value without its quotes and escapes."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1]).strip()
    return text
