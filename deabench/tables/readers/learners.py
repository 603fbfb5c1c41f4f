"""What searches and validations hand out: scikit-learn's `cv_results_` and `cross_validate`, an
Optuna study.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.tables.readers.source import Declared, Source


def is_search(data: object) -> bool:
    """Whether an object is a fitted search of scikit-learn's kind."""
    return isinstance(getattr(data, "cv_results_", None), Mapping)


def is_cv_results(data: object) -> bool:
    """Whether a mapping is a search's `cv_results_`."""
    return (
        isinstance(data, Mapping)
        and "params" in data
        and any(str(name).startswith("mean_test_") for name in data)
    )


def of_cv_results(results: Mapping[str, Any]) -> Source:
    """`cv_results_`: a system is a candidate's parameters."""
    frame = pd.DataFrame({str(name): _filled(column) for name, column in results.items()})
    frame["params"] = [_listed(params) for params in frame["params"]]
    return Source(frame, "cv_results_", ("params",))


def _filled(column: Any) -> list[Any]:
    """A column as a list; a parameter that a candidate lacks is masked, and whole numbers have no
    NaN of their own.
    """
    return (
        list(np.ma.filled(column.astype(object), np.nan))
        if np.ma.isMaskedArray(column)
        else list(column)
    )


def fold_scores(results: Mapping[str, Any]) -> pd.DataFrame:
    """`cv_results_` fold by fold: a row per candidate and fold, metrics named as the means are
    (mean_test_recall).

    Raises
    ------
    DataError
        Where the folds' own scores are not there.
    """
    names = [
        str(name).removeprefix("mean_") for name in results if str(name).startswith("mean_test_")
    ]
    splits = sum(f"split{k}_{names[0]}" in results for k in range(len(results)))
    if not splits:
        raise DataError(
            "cv_results_ has no columns split0_test_..., so nothing says how far folds differ; keep them"
        )
    labels = [_listed(params) for params in results["params"]]
    parts = [
        pd.DataFrame(
            {"classifier": labels, "fold": k}
            | {f"mean_{name}": list(results[f"split{k}_{name}"]) for name in names}
        )
        for k in range(splits)
    ]
    return pd.concat(parts, ignore_index=True)


def _listed(params: object) -> str:
    return (
        ", ".join(f"{k}={v}" for k, v in params.items()) or "defaults"
        if isinstance(params, Mapping)
        else str(params)
    )


def is_cross_validate(data: object) -> bool:
    """Whether a mapping is a result of `cross_validate`, or holds one for each system."""
    return (
        isinstance(data, Mapping)
        and bool(data)
        and (_validated(data) or all(_validated(part) for part in data.values()))
    )


def _validated(data: object) -> bool:
    return (
        isinstance(data, Mapping)
        and "fit_time" in data
        and any(str(name).startswith("test_") for name in data)
    )


def of_cross_validate(data: Mapping[str, Any]) -> Source:
    """`cross_validate` results, {"k-NN": cross_validate(...), ...}: the means over folds."""
    if _validated(data):
        raise DataError(
            "this is the result of cross_validate for one system; give several, as {'k-NN': ..., 'SVM': ...}"
        )
    rows = {
        str(name): {
            f"{key}": float(np.mean(values))
            for key, values in part.items()
            if np.asarray(values).dtype.kind in "fiu"
        }
        for name, part in data.items()
    }
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("estimator").reset_index()
    folds = {len(part["fit_time"]) for part in data.values()}
    note = f"means over the folds of cross_validate ({', '.join(map(str, sorted(folds)))})"
    return Source(frame, "cross_validate", ("estimator",), notes=(note,))


def is_study(data: object) -> bool:
    """Whether an object is an Optuna study."""
    return (
        hasattr(data, "trials")
        and hasattr(data, "directions")
        and hasattr(data, "trials_dataframe")
    )


def of_study(study: Any) -> Source:
    """An Optuna study: a system is a finished trial; the study says which way is better."""
    names = list(getattr(study, "metric_names", None) or [])
    directions = [direction.name for direction in study.directions]
    names = names or (
        ["value"] if len(directions) == 1 else [f"values_{k}" for k in range(len(directions))]
    )
    done = [trial for trial in study.trials if trial.state.name == "COMPLETE"]
    left = len(study.trials) - len(done)
    if not done:
        raise DataError("the Optuna study has no finished trial; run study.optimize first")
    rows = []
    for trial in done:
        row: dict[str, Any] = {
            "trial": f"trial {trial.number}",
            **dict(zip(names, trial.values, strict=True)),
        }
        if trial.duration is not None:
            row["duration_seconds"] = trial.duration.total_seconds()
        rows.append(
            row
            | {f"params_{k}": v for k, v in trial.params.items()}
            | {str(k): v for k, v in trial.user_attrs.items() if isinstance(v, int | float | str)}
        )
    said: dict[str, tuple[Declared, str]] = {
        name: ("output", "the study maximises it")
        if way == "MAXIMIZE"
        else ("lower_rate", "the study minimises it")
        for name, way in zip(names, directions, strict=True)
    }
    notes = (
        (f"{left} of {len(study.trials)} trials did not finish and are left out",) if left else ()
    )
    return Source(pd.DataFrame(rows), "Optuna study", ("trial",), said, notes=notes)
