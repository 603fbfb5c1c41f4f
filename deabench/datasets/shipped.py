"""The shipped tables, read by `load`, and the shipped leaderboards, files for `deabench.read`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pandas as pd

from deabench.datasets.chao2022 import SOURCE, printed
from deabench.datasets.keel import read_keel67
from deabench.errors import DataError
from deabench.utils.checks import did_you_mean

QUOTED = "facts quoted from the publication, with citation"


@dataclass(frozen=True)
class Entry:
    """One data set: how to read it, its title, source and licence.

    Attributes
    ----------
    read : callable without arguments
        Returns the table: labels in a named index, numeric columns.
    title, source, licence : str
        For `describe()` and the table's `attrs`.

    Examples
    --------
    >>> import deabench as db
    >>> db.datasets.DATASETS["tone2001"].source[:11]
    'Tone (2001)'
    """

    read: Callable[[], pd.DataFrame]
    title: str
    source: str = SOURCE
    licence: str = QUOTED


def load(name: str) -> pd.DataFrame:
    """Load a shipped table by name.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    DataFrame
        Labels in the index (named 'classifier' if they are classifiers), numeric columns in the
        units that the source prints (percent in Chao et al.); `attrs` holds title, source and
        licence.

    Raises
    ------
    DataError
        If the name is unknown; the message names the nearest one.

    Examples
    --------
    >>> import deabench as db
    >>> db.datasets.load("chao2022-wine1").loc["Bagging"].to_dict()
    {'TPR': 96.0, 'TNR': 78.6}
    """
    if name not in DATASETS:
        raise DataError(f"there is no data set '{name}'; {did_you_mean(name, names())}")
    entry = DATASETS[name]
    frame = entry.read()
    frame.attrs = {"title": entry.title, "source": entry.source, "licence": entry.licence}
    return frame


def names() -> list[str]:
    """List the names of the shipped tables, in the order of their sources.

    Examples
    --------
    >>> import deabench as db
    >>> db.datasets.names()[:3]
    ['chao2022-c45-disjunct', 'chao2022-c45-overlapping', 'chao2022-c45-noisy']
    """
    return list(DATASETS)


def describe() -> pd.DataFrame:
    """Describe the shipped tables: rows, columns, title, source and licence of each.

    Examples
    --------
    >>> import deabench as db
    >>> db.datasets.describe().columns.tolist()
    ['rows', 'columns', 'title', 'source', 'licence']
    """
    rows = []
    for name in names():
        frame = load(name)
        rows.append(
            {
                "name": name,
                "rows": len(frame),
                "columns": ", ".join(map(str, frame.columns)),
                **frame.attrs,
            }
        )
    return pd.DataFrame(rows).set_index("name")


def _mean_reader(table: str, data_type: str) -> Callable[[], pd.DataFrame]:
    """Return a reader of a third of Table 5 or 6: the eight approaches on one type of data."""

    def read_means() -> pd.DataFrame:
        frame = printed(table)
        rows = frame[frame["data_type"] == data_type].set_index("classifier")
        return rows[["TPR", "TNR", "AUC", "GM", "F"]].astype(float)

    return read_means


def _column_reader(
    table: str, label: str, columns: list[str], filters: dict[str, str] | None = None
) -> Callable[[], pd.DataFrame]:
    """Return a reader of columns of a printed table, on the rows where a column has a value."""

    def read_columns() -> pd.DataFrame:
        frame = printed(table)
        for column, value in (filters or {}).items():
            frame = frame[frame[column] == value]
        frame.index = pd.Index(frame[label].astype(str), name="classifier")
        return frame[columns].astype(float)

    return read_columns


def _textbook_reader(file: str) -> Callable[[], pd.DataFrame]:
    """Return a reader of a textbook example."""

    def read_example() -> pd.DataFrame:
        with (files("deabench.datasets") / "small" / file).open(encoding="utf-8") as stream:
            return pd.read_csv(stream, index_col=0).astype(float)

    return read_example


_TYPES = ("disjunct", "overlapping", "noisy")
_LEARNERS = {"c45": ("table05", "C4.5", 5), "svm": ("table06", "SVM", 6)}


DATASETS: dict[str, Entry] = {
    **{
        f"chao2022-{key}-{kind}": Entry(
            _mean_reader(table, kind),
            f"mean performance of eight approaches on {kind} data, base learner {learner} "
            f"(Table {number}), percent",
        )
        for key, (table, learner, number) in _LEARNERS.items()
        for kind in _TYPES
    },
    "chao2022-wine1": Entry(
        _column_reader("table14", "classifier", ["TPR", "TNR"]),
        "seven classifiers on Wine1 (Table 14), percent",
    ),
    "chao2022-overlapping-targets": Entry(
        _column_reader("table15", "classifier", ["TPR", "TNR"]),
        "three classifiers on overlapping data (Table 15), percent",
    ),
    "chao2022-dimensionality": Entry(
        _column_reader("table16", "n_features", ["CI", "IG", "CE", "WE", "chi2", "MI"]),
        "accuracy of k-NN by number of features, six feature selections (Table 16), percent",
    ),
    **{
        f"chao2022-noise-{key}": Entry(
            _column_reader(
                "table18", "preprocessing", ["TPR", "TNR", "AUC", "GM"], {"noise": printed_as}
            ),
            f"C4.5 after five preprocessings, {title} (Table 18), percent",
        )
        for key, printed_as, title in (
            ("none", "none", "no noise"),
            ("gaussian", "gaussian_20pct", "20 % Gaussian noise"),
        )
    },
    "chao2022-outliers": Entry(
        _column_reader("table20", "outlier_area", ["TPR", "TNR", "AUC", "GM"]),
        "C4.5 by area covered by outliers (Table 20), percent",
    ),
    "keel67": Entry(
        read_keel67,
        "confusion matrices of 18 classifiers on 67 data sets, stratified 10-fold: rows are "
        "(dataset, classifier, fold)",
        "the study preset chao2022, run with the versions in deabench/datasets/keel67.json",
        "MIT, as deabench",
    ),
    "demsar2006-auc": Entry(
        _textbook_reader("demsar2006_auc.csv"),
        "AUC of four versions of C4.5 on 14 data sets (Table 6): data sets in rows",
        "Demšar (2006), Journal of Machine Learning Research 7, 1-30",
    ),
    "tone2001": Entry(
        _textbook_reader("tone2001.csv"),
        "five DMUs with two inputs and two outputs (p. 505)",
        "Tone (2001), European Journal of Operational Research 130, 498-509",
    ),
    "aparicio2007-airlines": Entry(
        _textbook_reader("aparicio2007_airlines.csv"),
        "28 airlines: outputs Pass, Cargo; inputs Lab, Fuel, Matl, Cap",
        "Aparicio, Ruiz, Sirvent (2007), Journal of Productivity Analysis 28, 209-218",
    ),
    "cooper-branches": Entry(
        _textbook_reader("cooper_branches.csv"),
        "seven branches with one equal input (employees) and two outputs (Example 1.3)",
        "Cooper, Seiford, Tone, Data Envelopment Analysis",
    ),
}
"""Every table that `load` reads; add a line to add a table."""

BOARDS = {
    "timm-speed": (
        "timm_speed.csv",
        "149 image models: ImageNet accuracy, size, and images per second on an RTX 4090",
        "huggingface/pytorch-image-models, results/ (two files joined, every eighth model)",
        "Apache-2.0",
    ),
    "alpaca-evaluators": (
        "alpaca_evaluators.csv",
        "32 language models as judges: agreement with people, price and time",
        "tatsu-lab/alpaca_eval, evaluators_leaderboard.csv",
        "Apache-2.0",
    ),
    "amlb-small": (
        "amlb_small.csv",
        "five AutoML systems on 16 tasks, three folds each, with failures: long layout",
        "openml/automlbenchmark, reports/old/input/results_small-8c4h.csv (some columns and folds)",
        "MIT",
    ),
}
"""Name to (file, title, source, licence)."""


def board(name: str) -> Path:
    """Return the path of a shipped leaderboard, for `deabench.read` and the commands.

    Parameters
    ----------
    name : {"timm-speed", "alpaca-evaluators", "amlb-small"}

    Raises
    ------
    DataError
        If the name is unknown; the message names the nearest one.

    Examples
    --------
    >>> import deabench as db
    >>> db.read(db.datasets.board("timm-speed")).costs
    ['param_count', 'infer_gmacs']
    """
    if name not in BOARDS:
        raise DataError(f"there is no leaderboard '{name}'; {did_you_mean(name, list(BOARDS))}")
    return Path(str(files("deabench.datasets") / "boards" / BOARDS[name][0]))
