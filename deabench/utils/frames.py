"""Convert frames of other libraries to pandas, name their rows, and find their key columns.

Key columns name what a row of a long table stands for: the system, the data set, the fold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean

KEY_WORDS = {
    "classifier": "model system algorithm method estimator learner model_name",
    "dataset": "data_set task benchmark dataset_name task_name",
    "fold": "cv_fold split",
    "seed": "run random_state random_seed replicate trial",
    "repeat": "repetition rep",
    "instance": "instance_id sample_id example_id doc_id row_id id",
}
"""The name of each key column, and its synonyms."""
_WORD_KEYS = {
    synonym: key for key, synonyms in KEY_WORDS.items() for synonym in (key, *synonyms.split())
}


def to_pandas(data: Any) -> pd.DataFrame | None:
    """Return a frame of any library as a pandas DataFrame; None where the data are no frame."""
    if isinstance(data, pd.DataFrame):
        return data
    import narwhals as nw

    # narwhals wraps the frame of any library; what it does not know passes through.
    native = nw.from_native(data, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if not isinstance(native, nw.DataFrame):
        return None
    return pd.DataFrame({name: native.get_column(name).to_list() for name in native.columns})


def pandas_or_same(data: Any) -> Any:
    """Return a frame of any library as a pandas DataFrame, and anything else as it is."""
    frame = to_pandas(data)
    return data if frame is None else frame


def with_named_rows(data: Any) -> Any:
    """Return a frame of another library as a pandas DataFrame whose index names the rows.

    Such frames have no index, so a first column of text, or one that is called `classifier`,
    `dataset`, `fold` or alike, becomes it. A pandas frame passes unchanged, and what is no frame.
    """
    frame = to_pandas(data)
    if frame is None or frame is data:
        return data
    if frame.shape[1] < 2:
        return frame
    first = frame.columns[0]
    if is_key(first) or _is_text(frame[first]):
        return frame.set_index(first)
    return frame


def _is_text(column: pd.Series) -> bool:
    """Return whether a column holds words only: no number, also none written as text."""
    is_text = all(isinstance(cell, str) for cell in column)
    return is_text and bool(pd.to_numeric(column, errors="coerce").isna().all())


def column_positions(columns: pd.Index, names: Iterable[object]) -> np.ndarray:
    """Return the positions of names among columns; -1 for others. Fast for few columns."""
    positions = {name: k for k, name in enumerate(columns)}
    return np.array([positions.get(name, -1) for name in names], dtype=np.intp)


def is_key(name: object) -> bool:
    """Return whether a column is called after what a row stands for: classifier, dataset, fold."""
    key = _WORD_KEYS.get(_plain_word(name), "")
    return key in ("classifier", "dataset", "fold", "seed", "repeat", "instance")


def find_key(names: Sequence[object], key: str) -> object | None:
    """Return the first name that means the key, the key's own name before all others."""
    matches = [name for name in names if _WORD_KEYS.get(_plain_word(name)) == key]
    return next((name for name in matches if name == key), matches[0] if matches else None)


def with_keys(frame: pd.DataFrame, keys: Sequence[str], noun: str) -> pd.DataFrame:
    """Return the frame with its key columns called by their own names.

    Named levels of an index become columns.

    Parameters
    ----------
    keys : sequence of str
        Keys of `KEY_WORDS` that the frame must have.
    noun : str
        What the frame is called in messages, as "the results".

    Raises
    ------
    DataError
        Where a key is missing.
    """
    has_names = any(name is not None for name in frame.index.names)
    if has_names:
        # A key may be an index level and a column, too, as after set_index(drop=False).
        repeated = [name for name in frame.index.names if name in frame.columns]
        flat = frame.drop(columns=repeated).reset_index()
    else:
        flat = frame
    names = {key: find_key(list(flat.columns), key) for key in keys}
    for key, name in names.items():
        if name is None:
            raise DataError(
                f"there is no column '{key}' in {noun}; {did_you_mean(key, list(flat.columns))}"
            )
    return flat.rename(columns={name: key for key, name in names.items()})


def with_classifier_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose index is called "classifier"; several levels keep their names.

    The index of the result that it comes from stays as it is.
    """
    return frame if frame.index.nlevels > 1 else frame.rename_axis("classifier")


def index_to_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with its index as the first columns.

    Where another column has the name of an index level, the level's is called "..._label".
    """
    names = [f"{name}_label" if name in frame.columns else name for name in frame.index.names]
    return frame.rename_axis(index=names).reset_index()


def _plain_word(name: object) -> str:
    """Return a name in lower case, its words joined by "_"."""
    return re.sub(r"[\s\-_]+", "_", str(name).strip().lower())
