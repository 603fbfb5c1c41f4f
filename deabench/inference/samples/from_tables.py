"""Make samples of what a table holds: answers, counts, folds, runs, data sets or error bars."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from deabench.compare.score_tables import Clusters
from deabench.errors import DataError, DataWarning
from deabench.inference.samples import Samples
from deabench.inference.samples.combinations import average_test_sets
from deabench.inference.samples.error_bars import combine_datasets, samples_of_error_bars
from deabench.inference.samples.from_classes import samples_from_classes
from deabench.inference.samples.from_predictions import samples_from_answers
from deabench.inference.samples.instance_fields import InstanceOptions
from deabench.metrics.answer_rows import (
    align_classifiers,
    default_metrics,
    find_classes,
    is_multiclass,
)
from deabench.metrics.counts import pooled
from deabench.metrics.labels import predicted_positive, read_scores
from deabench.results.answer import Answer
from deabench.tables.answers import ANSWER_KINDS
from deabench.tables.read import as_table
from deabench.tables.selected_table import SelectedTable
from deabench.tables.selection import select_table
from deabench.tables.table import Table, TableLike
from deabench.tables.transforms import CONSTANT_OUTPUT, Data, to_model_values
from deabench.tables.validation import validate
from deabench.utils.checks import did_you_mean

MAX_ROUNDING = 0.01
"""A table may be rounded: its ratios may differ from the samples' by this share."""
REPEAT_KEYS = ("fold", "repeat", "seed")
"""Columns that tell the results of one system on one data set apart."""
NO_SAMPLES = (
    "the table has one number per system and metric, which tells no uncertainty; give predictions, "
    "counts, folds, seeds or error bars (deabench rank ranks it as it is)"
)


def has_samples(table: Table) -> bool:
    """Return whether a table holds more than one number per system and metric."""
    return table.rows is not None or bool(table.error_bars)


def check_has_samples(table: Table) -> None:
    """Refuse a table with one number per system and metric.

    Raises
    ------
    DataError
    """
    if not has_samples(table):
        raise DataError(NO_SAMPLES)


def as_samples(
    source: object, outputs: Sequence[str] | None, inputs: Sequence[str] | None
) -> tuple[Samples, Sequence[str] | None, Sequence[str] | None]:
    """Return the samples that an argument holds or is made into, with outputs and inputs of them.

    Parameters
    ----------
    source : Samples, a result that carries them, or TableLike
        Samples of a table hold the named outputs and inputs alone, so that none is named after.
    """
    if isinstance(source, Samples):
        return source, outputs, inputs
    # A ranking carries its uncertainty, and that its samples.
    if isinstance(source, Answer):
        uncertainty = getattr(source, "uncertainty", None)
        if uncertainty is None:
            raise DataError(
                "the ranking has no samples; give the file, the table or the samples that it was "
                "made of, or rank with uncertainty=samples"
            )
        return uncertainty.samples, outputs, inputs
    samples = getattr(source, "samples", None)
    if isinstance(samples, Samples):
        return samples, outputs, inputs
    table: Any = source
    return samples_of_table(table, outputs=outputs, inputs=inputs), None, None


def samples_of_table(
    source: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    positive: object = None,
    threshold: float | None = None,
    design: str = "rows",
) -> Samples:
    """Make samples of a table of any kind.

    Parameters
    ----------
    source : TableLike
        Predictions, scores or counts; results by fold, seed or data set; or a table whose metrics
        have standard errors or intervals.
    outputs, inputs : sequence of column names, optional
        Of predictions and scores: the metrics that `Samples.from_predictions` and `from_scores`
        know. Otherwise as for `deabench.rank`.
    positive : label, optional
        Of predictions and scores: the positive class.
    threshold : number, optional
        Of scores: an instance is labelled positive where its score is >= threshold.
    design : {"rows", "classes"}
        Of predictions, scores and counts: as for `Samples.from_predictions`. A column `cluster`
        names clusters of instances, and `weight` their weights.

    Raises
    ------
    DataError
        Where the table has one number per system and metric, or its samples have no intervals.
    """
    table = as_table(source)
    check_has_samples(table)
    if table.kind in ANSWER_KINDS and table.rows is not None:
        return _samples_of_answers(table.rows, outputs, positive, threshold, design)
    return samples_of_selected(select_table(table, outputs=outputs, inputs=inputs))


def samples_of_selected(selected: SelectedTable, clusters: Clusters | None = None) -> Samples:
    """Make samples of the selected metrics of the selected systems of a table.

    Parameters
    ----------
    clusters : mapping, Series or "keel", optional
        Of data sets: the cluster of each.
    """
    data = validate(selected, warn=False)
    samples = samples_of_data(selected.table, data, clusters)
    return replace(samples, notes=(*data.notes, *samples.notes))


def samples_of_data(table: Table, data: Data, clusters: Clusters | None = None) -> Samples:
    """Make samples of the metrics of a table as a model takes them.

    Parameters
    ----------
    table : Table
        With `rows` or `error_bars`.
    data : Data
        The outputs and inputs that are ranked, and how they come from the table's values.
    clusters : mapping, Series or "keel", optional
        Of data sets: the cluster of each.

    Raises
    ------
    DataError
        If the outputs are quotients of metrics, or the table repeats nothing and has no error bars.
    """
    # A constant output is no metric, and has no samples.
    data = replace(data, outputs=data.outputs.drop(columns=CONSTANT_OUTPUT, errors="ignore"))
    if data.has_quotients:
        name = data.outputs.columns[0]
        raise DataError(f"'{name}' is a quotient of metrics, of which there are no samples")
    rows = table.rows
    if rows is not None:
        # Systems that are not ranked are not sampled.
        rows = rows[rows["classifier"].astype(str).isin([str(label) for label in data.labels])]
        if table.kind in ANSWER_KINDS:
            return _samples_of_answers(rows, list(data.outputs.columns))
    with warnings.catch_warnings():
        # That there are few folds becomes a note.
        warnings.simplefilter("ignore", DataWarning)
        bars = table.error_bars
        if rows is not None:
            bars = {**bars, **combine_datasets(rows, table.errors)}
        has_bars = any(name in bars for name in (*data.outputs, *data.inputs))
        # Repetitions show more than stated errors, and these more than a few data sets.
        if rows is not None and (_repeat_keys(rows) or "instance" in rows or not has_bars):
            return _samples_of_blocks(rows, data, clusters)
    return samples_of_error_bars(replace(table, error_bars=bars), data)


def check_same_table(samples: Samples, table: pd.DataFrame) -> None:
    """Refuse samples of other metrics, classifiers or values than a table's, up to rounding."""
    metrics = [str(name) for name in samples.values.columns]
    for name in table.columns:
        if name not in metrics:
            raise DataError(
                f"the samples do not hold metric '{name}' of the table; "
                f"{did_you_mean(name, metrics)}"
            )
    labels = [str(label) for label in table.index]
    sampled = [str(label) for label in samples.values.index]
    for label in labels:
        if label not in sampled:
            raise DataError(
                f"the samples do not hold '{label}' of the table; {did_you_mean(label, sampled)}"
            )
    for label in sampled:
        if label not in labels:
            raise DataError(
                f"the samples hold '{label}', which is not in the table; leave it out: the "
                "frontier would be another"
            )
    values = samples.values.set_axis(sampled).loc[labels, list(table.columns)].to_numpy()
    # Another unit multiplies a whole column, so ratios are compared with their median.
    # A value of 0 has no ratio and is not compared.
    ratio = table.to_numpy() / np.where(values > 0, values, np.nan)
    deviation = np.abs(ratio / np.nanmedian(ratio, axis=0) - 1)
    if np.nanmax(deviation, initial=0.0) > MAX_ROUNDING:
        i, r = np.unravel_index(np.nanargmax(deviation), deviation.shape)
        raise DataError(
            f"metric '{table.columns[r]}' of '{table.index[i]}' is {table.iloc[i, r]:g} in the "
            f"table and {values[i, r]:g} in the samples; give the samples that the table was made "
            "of"
        )


def _samples_of_answers(
    rows: pd.DataFrame,
    metrics: Sequence[str] | None,
    positive: object = None,
    threshold: float | None = None,
    design: str = "rows",
) -> Samples:
    """Make samples of answers or counts, data set by data set."""
    positive = rows.attrs.get("positive") if positive is None else positive
    threshold = rows.attrs.get("threshold") if threshold is None else threshold
    names = tuple(metrics) if metrics else default_metrics(rows, positive, threshold)
    if "y_true" not in rows and {"dataset", "fold"} & set(rows):
        make = Samples.from_datasets if "dataset" in rows else Samples.from_folds
        return make(rows, metrics=names)
    if "dataset" not in rows:
        return _samples_of_test(rows, names, positive, threshold, design)
    samples = {
        str(name): _samples_of_test(part, names, positive, threshold, design)
        for name, part in rows.groupby("dataset", sort=False)
    }
    return Samples(**average_test_sets(samples))


def _samples_of_test(
    rows: pd.DataFrame,
    metrics: tuple[str, ...],
    positive: object,
    threshold: float | None,
    design: str,
) -> Samples:
    """Make samples of the answers, or counts, on one test set."""
    if "y_true" not in rows:
        name: Any = design
        return Samples.from_counts(pooled(rows, "classifier"), metrics=metrics, design=name)
    instances, answers = match_answers(rows)
    y_true = instances["y_true"]
    # The file may state clusters and weights of its instances.
    options = InstanceOptions(design, instances.get("cluster"), instances.get("weight"))
    if is_multiclass(rows, positive) or metrics == ("accuracy",):
        return Samples(**samples_from_classes(y_true, answers["y_pred"], metrics, options))
    truth = find_classes(y_true, positive, scores="y_pred" not in rows)
    names = list(next(iter(answers.values())).columns)
    scores = None
    labelled = None
    if "score" in answers:
        columns = answers["score"]
        scores = np.array([read_scores(columns[name], truth, name=name) for name in names])
    if threshold is not None and scores is not None:
        labelled = scores >= threshold
    elif "y_pred" in answers:
        labels = answers["y_pred"]
        labelled = np.array([predicted_positive(labels[name], truth, name=name) for name in names])
    return Samples(**samples_from_answers(names, truth, labelled, scores, metrics, options))


def match_answers(rows: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Return what is known of each instance, and labels and scores, instances x classifiers."""
    keys = [key for key in ("fold", "repeat", "instance") if key in rows]
    if "instance" not in keys:
        raise DataError(
            "the table has no column 'instance'; a long table needs classifier, instance, y_true "
            "and y_pred or score, to match the systems' instances"
        )
    # In the order of the file: pivoting sorts the instances.
    order = pd.MultiIndex.from_frame(rows[keys].drop_duplicates())
    answers = {}
    for value in ("y_pred", "score"):
        if value in rows:
            instances, answers[value] = align_classifiers(rows, value, keys)
    positions = pd.MultiIndex.from_frame(instances[keys]).get_indexer(order)
    ordered = {
        name: frame.iloc[positions].reset_index(drop=True) for name, frame in answers.items()
    }
    return instances.iloc[positions].reset_index(drop=True), ordered


def _samples_of_blocks(rows: pd.DataFrame, data: Data, clusters: Clusters | None = None) -> Samples:
    """Make samples of results by fold, run or data set: what repeats is the block.

    Where a table has data sets and folds or runs, every fold or run counts with its mean over the
    data sets.
    """
    outputs = data.outputs.drop(columns=CONSTANT_OUTPUT, errors="ignore")
    metrics = [*outputs.columns, *data.inputs.columns]
    repeats = _repeat_keys(rows)
    if "instance" in rows:
        return _samples_of_instances(rows, metrics, data)
    datasets = ["dataset"] if "dataset" in rows and rows["dataset"].nunique() > 1 else []
    if not repeats and not datasets:
        raise DataError(NO_SAMPLES)
    keys = ["classifier", *datasets, *repeats]
    values = pd.concat([rows[keys], to_model_values(rows[metrics], data.transforms)], axis=1)
    long = values.groupby(keys, sort=False)[metrics].mean()
    if not repeats:
        samples = Samples.from_datasets(long, metrics=metrics, clusters=clusters)
        return _with_inputs(samples, data)
    notes: tuple[str, ...] = ()
    if datasets:
        long, notes = _average_common_datasets(long, repeats)
    flat = long.reset_index()
    if "fold" in repeats:
        # Several runs of a cross-validation are its repeats.
        if "repeat" not in repeats:
            flat = flat.rename(columns={"seed": "repeat"})
        samples = Samples.from_folds(flat, metrics=metrics)
    else:
        samples = Samples.from_runs(_number_runs(flat, repeats), metrics=metrics)
    return _with_inputs(replace(samples, notes=(*notes, *samples.notes)), data)


def _repeat_keys(rows: pd.DataFrame) -> list[str]:
    """Return the columns that tell repeated results of a system on one data set apart."""
    return [key for key in REPEAT_KEYS if key in rows and rows[key].nunique() > 1]


def _samples_of_instances(rows: pd.DataFrame, metrics: list[str], data: Data) -> Samples:
    """Make samples of results of single instances, data set by data set."""
    values = rows.assign(**to_model_values(rows[metrics], data.transforms))
    # Repeated answers to one instance are averaged: the instances are drawn, not the answers.
    keys = [key for key in ("dataset", "classifier", "instance") if key in rows]
    means = values.groupby(keys, sort=False)[metrics].mean().reset_index()
    if "dataset" not in keys or means["dataset"].nunique() == 1:
        samples = Samples.from_instances(means, metrics=metrics)
    else:
        parts = {
            str(name): Samples.from_instances(part, metrics=metrics)
            for name, part in means.groupby("dataset", sort=False)
        }
        samples = Samples(**average_test_sets(parts))
    return _with_inputs(samples, data)


def _average_common_datasets(
    values: pd.DataFrame, repeats: list[str]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Average each fold or run over the data sets that have a result in every cell."""
    complete = values.notna().all(axis=1).groupby("dataset", sort=False).sum()
    cells = values.groupby(["classifier", *repeats], sort=False).ngroups
    common = complete.index[complete == cells]
    if not len(common):
        raise DataError(
            "no data set has a result of every system in every fold or run, so their means cannot "
            "be compared; give all of them, or leave the column of folds or runs out"
        )
    common_values = values[values.index.get_level_values("dataset").isin(common)]
    note = (
        f"every fold or run counts with its mean over {len(common)} data sets, which are taken as "
        "given: the intervals do not hold for other data sets"
    )
    return common_values.groupby(["classifier", *repeats], sort=False).mean(), (note,)


def _number_runs(flat: pd.DataFrame, repeats: list[str]) -> pd.DataFrame:
    """Return runs with one key, `seed`; runs of different seeds are matched by their order."""
    runs = flat[repeats].astype(str).agg(", ".join, axis=1)
    counts = pd.crosstab(flat["classifier"], runs)
    if (counts != 1).to_numpy().any():
        runs = flat.groupby("classifier", sort=False).cumcount() + 1
    return flat.drop(columns=repeats).assign(seed=runs)


def _with_inputs(samples: Samples, data: Data) -> Samples:
    """Declare the inputs of the data as costs of the samples."""
    return replace(samples, costs=tuple(str(name) for name in data.inputs.columns))
