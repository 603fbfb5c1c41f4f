"""Samples from tables with errors, costs beside metrics, and weighted metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.delta_method import Array, Moments, Part
from deabench.inference.from_predictions import Made
from deabench.tables.validation import require_numbers
from deabench.utils.checks import did_you_mean


def tabled(table: pd.DataFrame, errors: pd.DataFrame | Mapping[str, float]) -> Made:
    """A table and its standard errors; everything independent."""
    if not isinstance(table, pd.DataFrame) or len(table) < 2:
        raise DataError(
            "the table has fewer than two rows; efficiency compares, give at least two classifiers"
        )
    values = require_numbers(table, list(table.columns))
    _positive(values, "metric")
    spread = _errors(values, errors)
    logs = np.log(values.to_numpy())
    relative = spread.to_numpy() / values.to_numpy()
    parts = tuple(
        _alone(relative[:, r] ** 2, r, len(values.columns)) for r in range(len(values.columns))
    )
    values = values.rename_axis("classifier")
    note = "independence of the classifiers and of the metrics is assumed: standard errors say nothing of answers in common"
    rule = "no small-sample rule is used: the standard errors are taken as they are, as of normal errors"
    pairing = "unpaired: from standard errors"
    return (
        values,
        Moments(logs, parts, np.full(logs.shape[1], np.inf)),
        {"classifiers": len(values)},
        pairing,
        (),
        (note, rule),
    )


def _errors(values: pd.DataFrame, errors: pd.DataFrame | Mapping[str, float]) -> pd.DataFrame:
    if isinstance(errors, pd.DataFrame):
        for name in values.columns:
            if name not in errors.columns:
                raise DataError(
                    f"there is no standard error of '{name}'; {did_you_mean(name, list(errors.columns))}"
                )
        for label in values.index:
            if label not in errors.index:
                raise DataError(
                    f"there is no standard error for '{label}'; {did_you_mean(label, list(errors.index))}"
                )
        spread = require_numbers(errors.loc[values.index], list(values.columns))
    else:
        for name in values.columns:
            if name not in errors:
                raise DataError(
                    f"there is no standard error of '{name}'; {did_you_mean(name, list(errors))}"
                )
        spread = pd.DataFrame(
            {name: float(errors[name]) for name in values.columns}, index=values.index
        )
    bad = ~(np.isfinite(spread.to_numpy()) & (spread.to_numpy() >= 0))
    if bad.any():
        i, r = np.argwhere(bad)[0]
        raise DataError(
            f"the standard error of '{values.columns[r]}' of '{values.index[i]}' is {spread.iloc[i, r]:g}; "
            "give a number >= 0"
        )
    return spread


def joined(
    values: pd.DataFrame,
    moments: Moments,
    costs: tuple[str, ...],
    notes: tuple[str, ...],
    given: Mapping[str, Any],
) -> dict[str, Any]:
    """The fields of samples that costs change."""
    frame, added = values.copy(), []
    for name, cost in given.items():
        if name in frame.columns:
            raise DataError(f"there is a column '{name}' already; give the cost a name of its own")
        mean, variance, timed = _cost(name, cost, values.index)
        frame[name] = mean
        added.append((np.log(mean), variance / mean**2, timed))
        if np.isfinite(timed):
            notes = (
                *notes,
                f"'{name}' is a mean over {int(timed) + 1} timings, independent of the answers",
            )
        else:
            notes = (*notes, f"'{name}' is taken as exact")
    s, total = len(values.columns), len(frame.columns)
    parts = [
        Part(_wider(p.gradient, 1, total), p.covariance, _wider(p.flips, 1, total))
        for p in moments.parts
    ]
    parts += [
        _alone(variance, s + r, total)
        for r, (_, variance, timed) in enumerate(added)
        if np.isfinite(timed)
    ]
    logs = np.column_stack([moments.logs, *(log for log, _, _ in added)])
    degrees = np.append(moments.degrees, [timed for _, _, timed in added])
    return {
        "values": frame,
        "moments": Moments(logs, tuple(parts), degrees),
        "costs": (*costs, *given),
        "notes": notes,
    }


def _cost(
    name: str, cost: pd.DataFrame | pd.Series | Mapping[str, float], index: pd.Index
) -> tuple[Array, Array, float]:
    """Mean, variance of the mean, degrees of freedom."""
    known = list(cost.columns) if isinstance(cost, pd.DataFrame) else list(cost.keys())
    for label in index:
        if label not in known:
            raise DataError(
                f"there is no cost '{name}' for '{label}'; {did_you_mean(label, known)}"
            )
    if isinstance(cost, pd.DataFrame):
        if len(cost) < 2:
            raise DataError(
                f"the cost '{name}' has {len(cost)} timings; give at least 2, or one number as exact"
            )
        timings = require_numbers(cost, list(index))
        _positive(timings, "cost", name)
        times = timings.to_numpy()
        return times.mean(axis=0), times.var(axis=0, ddof=1) / len(times), len(times) - 1.0
    frame = pd.DataFrame({name: [float(cost[label]) for label in index]}, index=index)
    _positive(require_numbers(frame, [name]), "cost")
    return frame[name].to_numpy(), np.zeros(len(index)), np.inf


def weighed(
    values: pd.DataFrame, moments: Moments, weights: Mapping[str, float]
) -> tuple[pd.DataFrame, Moments]:
    """The weighted mean of metrics, with its errors."""
    for name, weight in weights.items():
        if name not in values.columns:
            raise DataError(
                f"there is no metric '{name}' in the samples; {did_you_mean(name, list(values.columns))}"
            )
        if not (np.isfinite(weight) and weight >= 0):
            raise DataError(f"the weight of '{name}' is {weight:g}; weights are numbers >= 0")
    total = float(sum(weights.values()))
    if not total > 0:
        raise DataError("the weights are all 0; give one of them a number > 0")
    columns = [values.columns.get_loc(name) for name in weights]
    share = np.array(list(weights.values())) / total
    level = np.exp(moments.logs[:, columns]) * share
    part_of = level / level.sum(axis=1, keepdims=True)
    parts = tuple(
        Part(
            np.einsum("ir,irb->ib", part_of, p.gradient[:, columns])[:, None],
            p.covariance,
            (part_of * p.flips[:, columns]).sum(axis=1, keepdims=True),
        )
        for p in moments.parts
    )
    frame = pd.DataFrame({"weighted": values[list(weights)].to_numpy() @ share}, index=values.index)
    degrees = np.array([moments.degrees[columns].min()])
    return frame, Moments(np.log(level.sum(axis=1))[:, None], parts, degrees)


def _alone(variance: Array, place: int, total: int) -> Part:
    """A part with one independent error for every classifier, in one column."""
    gradient = np.zeros((len(variance), total, 1))
    gradient[:, place, 0] = 1.0
    return Part(gradient, np.diag(variance)[:, None, :, None], np.zeros((len(variance), total)))


def _wider(array: Array, axis: int, total: int) -> Array:
    """The array with zeros for further columns."""
    pad = [(0, 0)] * array.ndim
    pad[axis] = (0, total - array.shape[axis])
    return np.pad(array, pad)


def _positive(values: pd.DataFrame, what: str, name: str = "") -> None:
    bad = ~(values.to_numpy() > 0)
    if bad.any():
        i, r = np.argwhere(bad)[0]
        said = f"{what} '{name or values.columns[r]}' of '{values.columns[r] if name else values.index[i]}'"
        raise DataError(f"{said} is {values.iloc[i, r]:g}; intervals of ratios need numbers > 0")
