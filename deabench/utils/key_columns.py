"""The words by which long tables name their key columns: the system, the data set, the fold."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    flat = frame.reset_index() if has_names else frame
    names = {key: find_key(list(flat.columns), key) for key in keys}
    for key, name in names.items():
        if name is None:
            raise DataError(
                f"there is no column '{key}' in {noun}; {did_you_mean(key, list(flat.columns))}"
            )
    return flat.rename(columns={name: key for key, name in names.items()})


def _plain_word(name: object) -> str:
    """Return a name in lower case, its words joined by "_"."""
    return re.sub(r"[\s\-_]+", "_", str(name).strip().lower())
