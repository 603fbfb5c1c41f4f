"""Which reader a source is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers import files, frames, learners
from deabench.tables.readers.source import Source


def of(source: Any) -> Source:
    """The cells of a source, whatever it is.

    Raises
    ------
    DataError
        Where nothing is known that reads it.
    """
    if isinstance(source, str | Path):
        return files.of_file(source)
    if isinstance(source, pd.DataFrame):
        searched = learners.is_cv_results(dict.fromkeys(source.columns))
        return (
            learners.of_cv_results(source.to_dict(orient="list"))
            if searched
            else frames.of_frame(source)
        )
    if learners.is_search(source):
        return learners.of_cv_results(source.cv_results_)
    if learners.is_study(source):
        return learners.of_study(source)
    if isinstance(source, Mapping):
        return _of_mapping(source)
    if (
        isinstance(source, Sequence)
        and source
        and all(isinstance(part, str | Path) for part in source)
    ):
        from deabench.tables.readers.several import of_several

        return of_several({Path(part).name.split(".")[0]: files.of_file(part) for part in source})
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        return frames.of_records(source)
    found = frames.of_other(source)
    if found is None:
        raise DataError(
            f"the table is a {type(source).__name__}; give a file's name, a DataFrame, a dictionary, a list of "
            "records, a fitted search or an Optuna study"
        )
    return found


def _of_mapping(source: Mapping[Any, Any]) -> Source:
    if learners.is_cv_results(source):
        return learners.of_cv_results(source)
    if learners.is_cross_validate(source):
        return learners.of_cross_validate(source)
    if source and all(isinstance(part, str | Path | pd.DataFrame) for part in source.values()):
        from deabench.tables.readers.several import of_several

        return of_several({str(name): of(part) for name, part in source.items()})
    return frames.of_mapping(source)
