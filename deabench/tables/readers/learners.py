"""Read the results of searches and validations.

These are scikit-learn's `cv_results_` and `cross_validate`, and an Optuna study.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers.frames import Source
from deabench.tables.recognition.columns import DeclaredRole

OPTUNA_ROLES: dict[str, tuple[DeclaredRole, str]] = {
    "MAXIMIZE": ("output", "the study maximises it"),
    "MINIMIZE": ("lower_rate", "the study minimises it"),
}


def is_search(data: object) -> bool:
    """Return whether an object is a fitted search of scikit-learn's kind."""
    return isinstance(getattr(data, "cv_results_", None), Mapping)


def is_cv_results(data: object) -> bool:
    """Return whether a mapping is the `cv_results_` of a search."""
    return (
        isinstance(data, Mapping)
        and "params" in data
        and any(str(name).startswith("mean_test_") for name in data)
    )


def read_cv_results(results: Mapping[str, Any]) -> Source:
    """Read `cv_results_`: a system is a candidate's parameters."""
    frame = pd.DataFrame({str(name): _to_list(column) for name, column in results.items()})
    frame["params"] = [name_candidate(params) for params in frame["params"]]
    return Source(frame, "cv_results_", ("params",))


def _to_list(column: Any) -> list[Any]:
    """Return a column as a list; a parameter that a candidate lacks is masked and becomes NaN."""
    if np.ma.isMaskedArray(column):
        return list(np.ma.filled(column.astype(object), np.nan))
    return list(column)


def fold_scores(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the scores in `cv_results_` by fold.

    Returns
    -------
    DataFrame
        One row per candidate and fold: `classifier`, `fold`, and metrics named as their means are
        (mean_test_recall).

    Raises
    ------
    DataError
        Where the scores of the folds are not there.
    """
    metrics = [
        str(name).removeprefix("mean_") for name in results if str(name).startswith("mean_test_")
    ]
    # Columns split0_test_..., split1_test_... hold the scores of the folds.
    folds = sum(f"split{k}_{metrics[0]}" in results for k in range(len(results)))
    if not folds:
        raise DataError(
            "cv_results_ has no columns split0_test_..., so nothing says how far folds differ; "
            "keep them"
        )
    labels = [name_candidate(params) for params in results["params"]]
    scores_by_fold = []
    for k in range(folds):
        scores = {f"mean_{metric}": list(results[f"split{k}_{metric}"]) for metric in metrics}
        scores_by_fold.append(pd.DataFrame({"classifier": labels, "fold": k} | scores))
    return pd.concat(scores_by_fold, ignore_index=True)


def name_candidate(params: object) -> str:
    """Return a candidate's parameters as its name."""
    if not isinstance(params, Mapping):
        return str(params)
    return ", ".join(f"{name}={value}" for name, value in params.items()) or "defaults"


def is_cross_validate(data: object) -> bool:
    """Return whether a mapping is a result of `cross_validate`, or holds one for each system."""
    if not isinstance(data, Mapping) or not data:
        return False
    return _is_validation(data) or all(_is_validation(item) for item in data.values())


def _is_validation(data: object) -> bool:
    return (
        isinstance(data, Mapping)
        and "fit_time" in data
        and any(str(name).startswith("test_") for name in data)
    )


def read_cross_validate(data: Mapping[str, Any]) -> Source:
    """Read `cross_validate` results, {"k-NN": cross_validate(...), ...}: the means over folds."""
    if _is_validation(data):
        raise DataError(
            "this is the result of cross_validate for one system; "
            "give several, as {'k-NN': ..., 'SVM': ...}"
        )
    rows = {}
    # Fitted estimators and indices are no scores: only numbers are averaged.
    for system, result in data.items():
        rows[str(system)] = {
            str(name): float(np.mean(values))
            for name, values in result.items()
            if np.asarray(values).dtype.kind in "fiu"
        }
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("estimator").reset_index()
    folds = sorted({len(result["fit_time"]) for result in data.values()})
    note = f"means over the folds of cross_validate ({', '.join(map(str, folds))})"
    return Source(frame, "cross_validate", ("estimator",), notes=(note,))


def is_study(data: object) -> bool:
    """Return whether an object is an Optuna study."""
    return all(hasattr(data, name) for name in ("trials", "directions", "trials_dataframe"))


def objective_names(study: Any) -> tuple[list[str], list[str]]:
    """Return the names of a study's objectives, and the direction of each in Optuna's words."""
    directions = [direction.name for direction in study.directions]
    # Objectives without names are called as in the frame that Optuna makes of its trials.
    default_names = ["value"]
    if len(directions) > 1:
        default_names = [f"values_{k}" for k in range(len(directions))]
    return list(getattr(study, "metric_names", None) or default_names), directions


def read_study(study: Any) -> Source:
    """Read an Optuna study: a system is a finished trial; the study states the directions."""
    names, directions = objective_names(study)
    finished = [trial for trial in study.trials if trial.state.name == "COMPLETE"]
    if not finished:
        raise DataError("the Optuna study has no finished trial; run study.optimize first")
    declarations = {
        name: OPTUNA_ROLES[direction] for name, direction in zip(names, directions, strict=True)
    }
    notes: tuple[str, ...] = ()
    unfinished = len(study.trials) - len(finished)
    if unfinished:
        notes = (f"{unfinished} of {len(study.trials)} trials did not finish and are left out",)
    frame = pd.DataFrame([_trial_record(trial, names) for trial in finished])
    # The study has its objectives and nothing else: a number that a trial notes is none of them.
    for column in map(str, frame.columns[1:]):
        declarations.setdefault(column, ("left_out", "it is no objective of the study"))
    return Source(frame, "Optuna study", ("trial",), declarations, notes=notes)


def _trial_record(trial: Any, names: list[str]) -> dict[str, Any]:
    record: dict[str, Any] = {"trial": f"trial {trial.number}"}
    record |= dict(zip(names, trial.values, strict=True))
    record |= {f"params_{name}": value for name, value in trial.params.items()}
    for name, value in trial.user_attrs.items():
        if isinstance(value, int | float | str):
            record[str(name)] = value
    return record
