"""Turn outcomes of instances into rounds: means in [0, 1] of every classifier in every metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.metrics import labels
from deabench.metrics.formulas import DIRECTION, canonical_name
from deabench.utils.checks import did_you_mean
from deabench.utils.instances import Predictions, Values, predictions_by_name

Array = np.ndarray

CLASS_OF_METRIC = {"TPR": 1, "TNR": 0}
"""Metrics that are means over the instances of one class: 1 positive, 0 negative."""
PAIRS = "roc_auc"
OF_BOTH_CLASSES = ("accuracy", "balanced_accuracy", PAIRS)
MEANS = (*CLASS_OF_METRIC, *OF_BOTH_CLASSES)
"""Metrics of the catalogue that are means of outcomes from 0 to 1."""
FILE_PAIRS = 10
"""Instances of a round in the order of the file, where pairs count."""


def check_means(metrics: Iterable[str]) -> None:
    """Refuse metrics of the catalogue that are no means, as F1; other names are the user's own."""
    for name in metrics:
        metric = canonical_name(name)
        if metric in DIRECTION and metric not in MEANS:
            raise DataError(
                f"'{name}' is no mean of outcomes of single instances, so that no verdict on it "
                "holds at any time; judge the finished test set once, with "
                "deabench.uncertainty(samples), or name means, as TPR, TNR, accuracy"
            )


@dataclass(frozen=True)
class OutcomeColumn:
    """Outcomes of one metric.

    Attributes
    ----------
    metric : str
    values : array (k, m)
        Numbers from 0 to 1, or scores where pairs of instances count.
    units : int array (m,)
        The instance of each column of `values`.
    has_pairs : bool
        Whether the metric counts pairs of a positive and a negative instance.
    """

    metric: str
    values: Array
    units: Array
    has_pairs: bool = False


@dataclass(frozen=True)
class TestOutcomes:
    """Outcomes of all metrics on one test set.

    Attributes
    ----------
    classes : int array (n,)
        The class of each instance, 1 where it is positive; data sets have one class.
    columns : tuple of OutcomeColumn
        Metrics that are no means are missing.
    clusters : int array (n,), optional
        The cluster of each instance; a cluster is a round.
    """

    __test__ = False
    """No test class of pytest."""

    classes: Array
    columns: tuple[OutcomeColumn, ...]
    clusters: Array | None = None

    def rounds(self, metrics: Sequence[str], seed: int | None) -> Array:
        """Return the rounds of a test set, (rounds, k, metrics).

        The order depends on the seed alone and never on outcomes. A round without an instance of a
        metric's class counts as 0 for every classifier, which is fair to all of them.

        Parameters
        ----------
        metrics : sequence of str
        seed : int or None
            None keeps the order of the instances, one at a time, or ten where pairs count, so that
            rounds stay what they are when instances are added at the end.
        """
        columns = [self._column(metric) for metric in metrics]
        numbers = self._number_rounds(columns, seed)
        count = int(numbers.max()) + 1
        outcomes = np.zeros((count, len(columns[0].values), len(columns)))
        for r, column in enumerate(columns):
            round_of_value = numbers[column.units]
            # Instances of one round stand together; empty rounds keep their 0.
            order = np.argsort(round_of_value, kind="stable")
            filled, starts = np.unique(round_of_value[order], return_index=True)
            values = column.values[:, order]
            if column.has_pairs:
                classes = self.classes[column.units[order]]
                edges = [*starts.tolist(), len(order)]
                for number, low, high in zip(filled, edges[:-1], edges[1:], strict=True):
                    outcomes[number, :, r] = share_of_pairs(
                        values[:, low:high], classes[low:high] == 1
                    )
            else:
                totals = np.add.reduceat(values.astype(float), starts, axis=1)
                sizes = np.diff([*starts, len(order)])
                outcomes[filled, :, r] = (totals / sizes).T
        return outcomes

    def _column(self, metric: str) -> OutcomeColumn:
        for column in self.columns:
            if column.metric == metric:
                return column
        check_means([metric])
        names = [column.metric for column in self.columns]
        raise DataError(f"there are no outcomes of '{metric}'; {did_you_mean(metric, names)}")

    def _number_rounds(self, columns: list[OutcomeColumn], seed: int | None) -> Array:
        """Return the round of each instance."""
        rng = np.random.default_rng(seed)
        n = len(self.classes)
        if self.clusters is not None:
            # Whole clusters are rounds, in shuffled order or in that of their first instances.
            codes = pd.factorize(self.clusters)[0]
            number = int(codes.max()) + 1
            order = np.arange(number) if seed is None else rng.permutation(number)
            return np.asarray(order[codes])
        if seed is None:
            has_pairs = any(column.has_pairs for column in columns)
            return np.arange(n) // (FILE_PAIRS if has_pairs else 1)
        sizes = np.bincount(self.classes)
        sizes = sizes[sizes > 0]
        mixes_classes = any(
            len(np.unique(self.classes[column.units])) > 1 and not column.has_pairs
            for column in columns
        )
        if mixes_classes:
            # A mean over both classes, as accuracy, holds for their random numbers: instances are
            # drawn without regard to the class, one at a time unless pairs need more.
            step = 1
            if any(column.has_pairs for column in columns):
                step = int(np.ceil(n / sizes.min()))
            return np.asarray(rng.permutation(n) // step)
        # Of every class as many instances in each round as the rarest class allows.
        count = int(sizes.min())
        numbers = np.empty(n, dtype=int)
        for label in np.unique(self.classes):
            members = np.flatnonzero(self.classes == label)
            places = rng.permutation(len(members))
            numbers[members] = places * count // len(members)
        return numbers


def share_of_pairs(scores: Array, is_positive: Array) -> Array:
    """Return the share of pairs ranked correctly (k,), half for ties; 0 where there is no pair."""
    positive = scores[:, is_positive, None]
    negative = scores[:, None, ~is_positive]
    right = (positive > negative) + 0.5 * (positive == negative)
    pairs = right.shape[1] * right.shape[2]
    return np.asarray(right.sum(axis=(1, 2)) / max(pairs, 1))


def outcomes_of_answers(
    metrics: Sequence[str], is_positive: Array, correct: Array | None, scores: Array | None
) -> tuple[OutcomeColumn, ...]:
    """Return the outcomes of the metrics that are means of answers.

    Parameters
    ----------
    metrics : sequence of str
    is_positive : bool array (n,)
    correct : bool array (k, n), optional
    scores : array (k, n), optional
    """
    columns = []
    units = np.arange(len(is_positive))
    for name in metrics:
        metric = canonical_name(name)
        if metric in CLASS_OF_METRIC and correct is not None:
            members = units[is_positive == (CLASS_OF_METRIC[metric] == 1)]
            columns.append(OutcomeColumn(name, correct[:, members], members))
        elif metric == "accuracy" and correct is not None:
            columns.append(OutcomeColumn(name, correct, units))
        elif metric == PAIRS and scores is not None:
            columns.append(OutcomeColumn(name, scores, units, has_pairs=True))
    return tuple(columns)


def round_of_answers(
    metrics: Sequence[str],
    y_true: Values,
    answers: Predictions,
    positive: object,
    *,
    scores: bool,
) -> pd.DataFrame:
    """Return the means of one round of labels or scores, classifiers x metrics."""
    # One round may hold a single class: the positive label is named and not looked up.
    by_name = predictions_by_name(answers)
    true = labels.ground_truth(y_true, positive, scores=scores)
    read = labels.read_scores if scores else labels.predicted_positive
    values = np.array([read(answer, true, name=name) for name, answer in by_name.items()])
    correct = None if scores else values == true.is_positive
    columns = outcomes_of_answers(metrics, true.is_positive, correct, values if scores else None)
    missing = set(metrics) - {column.metric for column in columns}
    if missing:
        raise DataError(
            f"'{min(missing)}' cannot be computed from these answers; give its means to add()"
        )
    means = {}
    for column in columns:
        if column.has_pairs and 0 < true.is_positive.sum() < len(true.is_positive):
            means[column.metric] = share_of_pairs(column.values, true.is_positive)
        elif len(column.units) and not column.has_pairs:
            means[column.metric] = column.values.mean(axis=1)
    # A metric without an instance in this round is left out.
    return pd.DataFrame(means, index=list(by_name))


def read_round(
    source: pd.DataFrame | Mapping[str, object], classifiers: Sequence[str], metrics: Sequence[str]
) -> tuple[Array, Array]:
    """Return the outcomes (k, s) of a round and which classifiers were run (k,).

    Parameters
    ----------
    source : DataFrame or mapping
        A frame of classifiers x metrics of means; or {metric: {classifier: mean}}, or {metric:
        DataFrame of instances x classifiers}.
    classifiers, metrics : sequences of str
    """
    table = _round_table(source)
    for name in table.columns:
        if name not in metrics:
            raise DataError(f"the round has no use for '{name}'; {did_you_mean(name, metrics)}")
    for name in table.index:
        if name not in classifiers:
            raise DataError(f"there is no system '{name}'; {did_you_mean(name, classifiers)}")
    if not table.index.is_unique or not len(table):
        raise DataError("a round needs one row for each system that was run; give one each")
    present = np.isin(list(classifiers), table.index)
    outcomes = np.zeros((len(classifiers), len(metrics)))
    for r, metric in enumerate(metrics):
        if metric not in table.columns:
            # No instance of this metric's class was drawn.
            continue
        values = pd.to_numeric(table[metric], errors="coerce").reindex(classifiers).to_numpy(float)
        if np.isnan(values[present]).all():
            continue
        invalid = np.flatnonzero(present & ~((values >= 0) & (values <= 1)))
        if len(invalid):
            name = classifiers[invalid[0]]
            raise DataError(
                f"'{metric}' of '{name}' is {table.loc[name, metric]}; a round has numbers from 0 "
                "to 1 for every system that was run: leave out its whole row if it was not"
            )
        outcomes[present, r] = values[present]
    return outcomes, present


def _round_table(source: pd.DataFrame | Mapping[str, object]) -> pd.DataFrame:
    """Return a round as classifiers x metrics."""
    if isinstance(source, pd.DataFrame):
        table = source
    elif isinstance(source, Mapping):
        means = {
            metric: values.mean() if isinstance(values, pd.DataFrame) else pd.Series(values)
            for metric, values in source.items()
        }
        table = pd.DataFrame(means)
    else:
        raise DataError(
            f"a round is a {type(source).__name__}; give a DataFrame of systems x metrics, or "
            "{metric: {system: mean}}"
        )
    return table.set_axis(table.index.map(str), axis=0).set_axis(table.columns.map(str), axis=1)
