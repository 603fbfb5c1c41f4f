"""Select and combine the metrics of samples, and average samples over data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.learned_mix import Units
from deabench.inference.moments import Array, ErrorSource, Moments
from deabench.inference.samples.from_errors import check_positive, independent_errors
from deabench.inference.samples.instance_fields import SampleFields
from deabench.tables.validation import require_numbers
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import pandas_or_same
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.inference.samples import Samples

Cost: TypeAlias = pd.DataFrame | pd.Series | Mapping[str, float]

MIN_TIMINGS = 2


def select_columns(
    samples: Samples, outputs: Sequence[str] | None, inputs: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the names of outputs and inputs; by default all metrics, and all costs."""
    columns = [str(name) for name in samples.values.columns]
    input_names = list(samples.costs) if inputs is None else name_list(inputs, "inputs")
    if outputs is None:
        # Costs are no outputs, also where they are not used as inputs.
        excluded = {*input_names, *samples.costs}
        output_names = [name for name in columns if name not in excluded]
    else:
        output_names = name_list(outputs, "outputs")
    names = [*output_names, *input_names]
    for name in names:
        if name not in columns:
            raise DataError(
                f"there is no metric '{name}' in the samples; {did_you_mean(name, columns)}"
            )
        if names.count(name) > 1:
            raise DataError(
                f"metric '{name}' is named twice; name it once, as an output or as an input"
            )
    if not names:
        raise DataError("no outputs are left; name at least one metric as output")
    return output_names, input_names


def name_list(names: Sequence[str], argument: str) -> list[str]:
    """Return the names as a list; refuse a text."""
    if isinstance(names, str):
        raise DataError(f"{argument} is the text '{names}'; give a list of names, as ['{names}']")
    return list(names)


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
        exact = pd.DataFrame({name: [cost[label] for label in index]}, index=index)
        exact = require_numbers(exact, [name])
        check_positive(exact, "cost")
        return exact[name].to_numpy(dtype=float), np.zeros(len(index)), np.inf
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


def average_test_sets(samples: Mapping[str, Samples]) -> SampleFields:
    """Return the fields of samples of the mean over data sets, each with instances of its own.

    Parameters
    ----------
    samples : mapping of data set to Samples
        Of the same metrics. Classifiers that were not tested on all data sets are left out.
    """
    test_sets = list(samples.values())
    metrics = list(test_sets[0].values.columns)
    common = test_sets[0].values.index
    for sample in test_sets[1:]:
        common = common[common.isin(sample.values.index)]
    if len(common) < 2:
        raise DataError(
            f"the data sets {', '.join(map(repr, samples))} have {len(common)} systems in "
            "common; give at least two that were tested on all of them"
        )
    moments: list[Moments] = []
    for sample in test_sets:
        rows = sample.values.index.get_indexer(common).tolist()
        columns = sample.values.columns.get_indexer(metrics).tolist()
        moments.append(sample.moments.take(rows, columns))
    levels = [np.exp(moment.logs) for moment in moments]
    mean = np.mean(levels, axis=0)
    sources: list[ErrorSource] = []
    for level, moment in zip(levels, moments, strict=True):
        # The mean y = (1/D) Σ y_d has d log y / d log y_d = y_d / (D y).
        slope = level / (len(test_sets) * mean)
        for source in moment.sources:
            gradient = source.gradient * slope[:, :, None]
            sources.append(ErrorSource(gradient, source.covariance, source.flips * slope))
    sizes = dict.fromkeys(test_sets[0].sizes, 0)
    for sample in test_sets:
        for noun, size in sample.sizes.items():
            sizes[noun] = sizes.get(noun, 0) + size
    notes = {
        note: [name for name, sample in samples.items() if note in sample.notes]
        for sample in test_sets
        for note in sample.notes
    }
    values: pd.DataFrame = sum(sample.values.loc[common, metrics] for sample in test_sets) / len(
        test_sets
    )
    degrees = np.min([moment.degrees for moment in moments], axis=0)
    return {
        "values": values,
        "moments": Moments(np.log(mean), tuple(sources), degrees),
        "sizes": sizes,
        "pairing": test_sets[0].pairing,
        "costs": test_sets[0].costs,
        "design": test_sets[0].design,
        "make_units": partial(_join_units, tuple(test_sets), common),
        "notes": (
            f"every metric is its mean over {len(test_sets)} data sets that are taken as given: "
            "the intervals hold for other instances of these data sets, not for other data sets",
            *(
                note if len(names) == len(test_sets) else f"{quote_names(names)}: {note}"
                for note, names in notes.items()
            ),
        ),
    }


def _join_units(test_sets: tuple[Samples, ...], common: pd.Index) -> Units | None:
    """Return the units of all data sets: a mean over them is the mean over the data sets."""
    pieces = [sample.unit_data for sample in test_sets]
    if any(piece is None for piece in pieces):
        return None
    units = [piece for piece in pieces if piece is not None]
    total = np.sum([piece.sizes for piece in units], axis=0)
    values = []
    strata: list[np.ndarray] = []
    for sample, piece in zip(test_sets, units, strict=True):
        rows = sample.values.index.get_indexer(common)
        # Σ over N units / N is (1/D) Σ_d y_d where each value is raised by N / (D n_d).
        factor = total / (len(test_sets) * piece.sizes)
        values.append(piece.values[rows] * factor[None, :, None].astype(np.float32))
        strata.append(piece.strata + (max(map(max, strata)) + 1 if strata else 0))
    return Units(
        np.concatenate(values, axis=2),
        np.concatenate([piece.counts for piece in units], axis=1),
        np.concatenate(strata),
        units[0].is_cost,
    )
