"""Combine the metrics of samples: add costs, or weight metrics into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.moments import Array, ErrorSource, Moments
from deabench.inference.samples.from_errors import check_positive, independent_errors
from deabench.tables.validation import require_numbers
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import pandas_or_same

Cost: TypeAlias = pd.DataFrame | pd.Series | Mapping[str, float]

MIN_TIMINGS = 2


def add_costs(
    table: pd.DataFrame, moments: Moments, costs: Mapping[str, Cost]
) -> tuple[pd.DataFrame, Moments, list[str]]:
    """Return values and moments with further columns, and notes on them."""
    values = table.copy()
    notes = []
    logs = [moments.logs]
    degrees = list(moments.degrees)
    total = table.shape[1] + len(costs)
    # The sources of errors so far do not move the new columns.
    sources = [_pad_columns(source, total) for source in moments.sources]
    for name, cost in costs.items():
        if name in values.columns:
            raise DataError(f"there is a column '{name}' already; give the cost a name of its own")
        mean, variance, freedom = _read_cost(name, cost, values.index)
        if np.isfinite(freedom):
            # The delta method: the variance of log x is Var x / x².
            column = values.shape[1]
            sources.append(independent_errors(variance / mean**2, column, total))
            timings = int(freedom) + 1
            notes.append(f"'{name}' is a mean over {timings} timings, independent of the answers")
        else:
            notes.append(f"'{name}' is taken as exact")
        values[name] = mean
        logs.append(np.log(mean)[:, None])
        degrees.append(freedom)
    combined = Moments(np.hstack(logs), tuple(sources), np.array(degrees), moments.has_unit_ridge)
    return values, combined, notes


def weight_metrics(
    values: pd.DataFrame, moments: Moments, weights: Mapping[str, float]
) -> tuple[pd.DataFrame, Moments]:
    """Return values and moments of the weighted mean of metrics."""
    # Only the ratio of weights matters: they are divided by their sum.
    shares = _read_weights(weights, list(values.columns))
    columns = [values.columns.get_loc(name) for name in weights]
    # log Σ w_r y_r has the derivative w_r y_r / Σ w y by log y_r.
    terms = np.exp(moments.logs[:, columns]) * shares
    slopes = terms / terms.sum(axis=1, keepdims=True)
    sources = tuple(
        ErrorSource(
            np.einsum("ir,irb->ib", slopes, source.gradient[:, columns])[:, None],
            source.covariance,
            (slopes * source.flips[:, columns]).sum(axis=1, keepdims=True),
        )
        for source in moments.sources
    )
    # The values as they stand; the logs may hold half a success.
    combined = values[list(weights)].to_numpy() @ shares
    logs = np.log(terms.sum(axis=1))[:, None]
    # The fewest degrees of freedom are the safe choice for a mean.
    degrees = np.array([moments.degrees[columns].min()])
    weighted = Moments(logs, sources, degrees, moments.has_unit_ridge)
    return pd.DataFrame({"weighted": combined}, values.index), weighted


def _read_cost(name: str, cost: Cost, index: pd.Index) -> tuple[Array, Array, float]:
    """Return the mean, the variance of the mean, and the degrees of freedom of a cost."""
    cost = pandas_or_same(cost)
    labels = list(cost.columns) if isinstance(cost, pd.DataFrame) else list(cost.keys())
    for label in index:
        if label not in labels:
            raise DataError(
                f"there is no cost '{name}' for '{label}'; {did_you_mean(label, labels)}"
            )
    if not isinstance(cost, pd.DataFrame):
        # A single number is exact.
        exact = pd.DataFrame({name: [float(cost[label]) for label in index]}, index=index)
        check_positive(require_numbers(exact, [name]), "cost")
        return exact[name].to_numpy(), np.zeros(len(index)), np.inf
    if len(cost) < MIN_TIMINGS:
        raise DataError(
            f"the cost '{name}' has {len(cost)} timings; give at least {MIN_TIMINGS}, or one "
            "number as exact"
        )
    # Timings vary: their mean counts, with its variance.
    timings = require_numbers(cost, list(index))
    check_positive(timings, "cost", name)
    seconds = timings.to_numpy()
    return seconds.mean(axis=0), seconds.var(axis=0, ddof=1) / len(seconds), len(seconds) - 1.0


def _read_weights(weights: Mapping[str, float], metrics: list[str]) -> Array:
    """Return the weights as shares after checking them."""
    for name, weight in weights.items():
        if name not in metrics:
            raise DataError(
                f"there is no metric '{name}' in the samples; {did_you_mean(name, metrics)}"
            )
        if not (np.isfinite(weight) and weight >= 0):
            raise DataError(f"the weight of '{name}' is {weight:g}; weights are numbers >= 0")
    total = float(sum(weights.values()))
    if not total > 0:
        raise DataError("the weights are all 0; give one of them a number > 0")
    return np.array(list(weights.values())) / total


def _pad_columns(source: ErrorSource, total: int) -> ErrorSource:
    """Return a source with zeros for further columns."""
    missing = total - source.flips.shape[1]
    gradient = np.pad(source.gradient, [(0, 0), (0, missing), (0, 0)])
    return ErrorSource(gradient, source.covariance, np.pad(source.flips, [(0, 0), (0, missing)]))
