"""Hold the metrics of classifiers with the errors that their samples leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.moments import Array, ErrorSource, Moments
from deabench.inference.samples import from_predictions, from_results
from deabench.tables.validation import require_numbers
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import pandas_or_same
from deabench.utils.instances import Predictions, Values
from deabench.utils.result import Result

LABEL_METRICS = ("TPR", "TNR")
"""The default metrics of predicted labels."""
MIN_TIMINGS = 2


@dataclass(frozen=True, eq=False, repr=False)
class Samples(Result):
    """Metrics of classifiers with the errors that their samples leave.

    Make one with `from_predictions`, `from_scores`, `from_outcomes`, `from_counts`, `from_folds`,
    `from_datasets`, `from_runs` or `from_table`; `with_costs` adds what a classifier costs.

    Attributes
    ----------
    values : DataFrame, k classifiers x metrics
        In the user's own units; metrics to be high first, costs last.
    moments : Moments
        Their logarithms, covariances and one-flip changes.
    sizes : mapping of str to int
        How much was seen, as {"positive instances": 50, "negative instances": 450} or {"folds":
        10}.
    pairing : str
        Whether the classifiers answered the same instances, as a clause.
    costs : tuple of str
        The columns that are to be low.
    notes : tuple of str
        What was assumed.

    Examples
    --------
    >>> import deabench as db
    >>> y, a, b = [1] * 40 + [0] * 60, [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
    >>> samples = db.Samples.from_predictions(y, {"a": a, "b": b})
    >>> samples.values["TPR"].tolist(), samples.pairing
    ([0.875, 0.75], 'paired: all classifiers answered the same instances')
    """

    values: pd.DataFrame
    moments: Moments
    sizes: Mapping[str, int]
    pairing: str
    costs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    _text = "uncertainty"

    @classmethod
    def from_predictions(
        cls,
        y_true: Values,
        predictions: Predictions,
        *,
        positive: object = None,
        metrics: Sequence[str] = LABEL_METRICS,
    ) -> Samples:
        """Make samples of predicted labels of all classifiers on the same test instances.

        Parameters
        ----------
        y_true : labels, one per instance
            Two classes, at least two instances of each.
        predictions : mapping or DataFrame
            {name: predicted labels}.
        positive : label, optional
            The positive class; by default 1 of {0, 1} and the like, otherwise the minority, with a
            warning.
        metrics : sequence of names
            TPR, TNR, accuracy, balanced_accuracy, G-mean, F1, PPV, NPV, MCC, Youden, IBA.

        Examples
        --------
        >>> y = [1] * 40 + [0] * 60
        >>> a, b = [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
        >>> Samples.from_predictions(y, {"a": a, "b": b}).values["TPR"].tolist()
        [0.875, 0.75]
        """
        return cls(
            *from_predictions.samples_from_predictions(
                y_true, predictions, positive, _metric_names(metrics)
            )
        )

    @classmethod
    def from_scores(
        cls,
        y_true: Values,
        scores: Predictions,
        *,
        positive: object = None,
        threshold: float | Mapping[str, float] | None = None,
        metrics: Sequence[str] | None = None,
    ) -> Samples:
        """Make samples of scores of all classifiers on the same test instances.

        Parameters
        ----------
        y_true, positive
            As for `from_predictions`.
        scores : mapping or DataFrame
            {name: finite scores}; the higher, the more positive.
        threshold : number or {name: number}, optional
            An instance is labelled positive where its score is >= threshold.
        metrics : sequence of names, optional
            'roc_auc' and, with a threshold, those of `from_predictions`; by default 'roc_auc', with
            a threshold after TPR and TNR.
        """
        if metrics is not None:
            names = _metric_names(metrics)
        elif threshold is not None:
            names = (*LABEL_METRICS, "roc_auc")
        else:
            names = ("roc_auc",)
        return cls(
            *from_predictions.samples_from_scores(y_true, scores, positive, threshold, names)
        )

    @classmethod
    def from_outcomes(cls, outcomes: Mapping[str, pd.DataFrame]) -> Samples:
        """Make samples of outcomes: one number per classifier and instance, metric by metric.

        Parameters
        ----------
        outcomes : mapping of metric to DataFrame, instances x classifiers
            Numbers from 0 to 1 (right or wrong, a share), higher better; all frames have the same
            classifiers. Every metric has instances of its own: metrics of the same instances belong
            together in `from_predictions` or `from_scores`.
        """
        return cls(*from_predictions.samples_from_outcomes(outcomes))

    @classmethod
    def from_counts(
        cls, counts: pd.DataFrame, *, metrics: Sequence[str] = LABEL_METRICS
    ) -> Samples:
        """Make samples of counts; without the answers the classifiers count as independent.

        Parameters
        ----------
        counts : DataFrame with tp, fn, fp, tn
            All classifiers have the same number of positives, and of negatives.
        metrics
            As for `from_predictions`.
        """
        return cls(*from_predictions.samples_from_counts(counts, _metric_names(metrics)))

    @classmethod
    def from_folds(
        cls,
        folds: pd.DataFrame,
        *,
        metrics: Sequence[str] | None = None,
        ratio: float | None = None,
    ) -> Samples:
        """Make samples of the folds or repeats of one data set.

        The variance is Nadeau and Bengio's (1/J + n_test/n_train) s², with Student's t.

        Parameters
        ----------
        folds : DataFrame
            Columns (or index levels) classifier, fold and, where there are any, repeat; and either
            tp, fn, fp, tn or metrics.
        metrics : sequence of names, optional
            With counts of `deabench.metrics` (TPR and TNR by default), otherwise of the columns
            (all by default).
        ratio : number > 0, optional
            n_test / n_train; 1 / (folds − 1) without it, as in cross-validation.

        Notes
        -----
        Nadeau, Bengio (2003), Machine Learning 52, 239-281, doi:10.1023/A:1024068626366.
        """
        return cls(*from_results.samples_from_folds(folds, metrics, ratio))

    @classmethod
    def from_search(
        cls, search: object, *, metrics: Sequence[str] | None = None, ratio: float | None = None
    ) -> Samples:
        """Make samples of a fitted grid search, fold by fold.

        Its candidates are the classifiers, named as `deabench.read` names them.

        Parameters
        ----------
        search : GridSearchCV or its like, fitted, or its cv_results_
        metrics : sequence of names, optional
            As `deabench.read` names them (mean_test_recall); without it all but those whose sign is
            turned (neg_log_loss).
        ratio : number > 0, optional
            As for `from_folds`; asked for where the splitter has no folds (ShuffleSplit).
        """
        names = None if metrics is None else _metric_names(metrics)
        folds, columns, known_ratio = from_results.folds_of_search(search, names, ratio)
        return cls(*from_results.samples_from_folds(folds, columns, known_ratio))

    @classmethod
    def from_datasets(
        cls, results: pd.DataFrame, *, metrics: Sequence[str] | None = None
    ) -> Samples:
        """Make samples of data sets as independent blocks, for the mean over data sets like these.

        Parameters
        ----------
        results : DataFrame
            Columns (or index levels) classifier and dataset; and either tp, fn, fp, tn (folds are
            added) or metrics.
        metrics : sequence of names, optional
            As for `from_folds`.
        """
        return cls(*from_results.samples_from_datasets(results, metrics))

    @classmethod
    def from_runs(cls, results: pd.DataFrame, *, metrics: Sequence[str] | None = None) -> Samples:
        """Make samples of runs with different seeds on the same test data, as independent blocks.

        Parameters
        ----------
        results : DataFrame
            Columns (or index levels) classifier and seed; and either tp, fn, fp, tn or metrics.
        metrics : sequence of names, optional
            As for `from_folds`.
        """
        return cls(*from_results.samples_from_runs(results, metrics))

    @classmethod
    def from_instances(
        cls, results: pd.DataFrame, *, metrics: Sequence[str] | None = None
    ) -> Samples:
        """Make samples of single instances, whose outcomes and costs are paired.

        Parameters
        ----------
        results : DataFrame
            Columns (or index levels) classifier and instance; and numbers >= 0 of any scale, as
            right or wrong, tokens, seconds.
        metrics : sequence of names, optional
            As for `from_folds`.
        """
        return cls(*from_results.samples_from_instances(results, metrics))

    @classmethod
    def from_table(cls, table: pd.DataFrame, errors: pd.DataFrame | Mapping[str, float]) -> Samples:
        """Make samples of a table with standard errors; all errors count as independent.

        Parameters
        ----------
        table : DataFrame, k classifiers x metrics
            Numbers > 0.
        errors : DataFrame like `table`, or {metric: standard error}
            In the metrics' units; 0 where a number is exact.
        """
        return cls(*from_results.samples_from_table(table, errors))

    def with_costs(
        self, costs: Mapping[str, pd.DataFrame | pd.Series | Mapping[str, float]]
    ) -> Samples:
        """Add costs to the samples: seconds, prices, sizes, which are better low.

        Parameters
        ----------
        costs : mapping of cost to numbers > 0
            Exact, one per classifier (a Series or {classifier: number}); or noisy, a frame of
            timings x classifiers whose mean counts, with Student's t.
        """
        values = self.values.copy()
        notes = list(self.notes)
        logs = [self.moments.logs]
        degrees = list(self.moments.degrees)
        total = self.values.shape[1] + len(costs)
        # The sources of errors so far do not move the new columns.
        sources = [_pad_columns(source, total) for source in self.moments.sources]
        for name, cost in costs.items():
            if name in values.columns:
                raise DataError(
                    f"there is a column '{name}' already; give the cost a name of its own"
                )
            mean, variance, freedom = _read_cost(name, cost, values.index)
            if np.isfinite(freedom):
                # The delta method: the variance of log x is Var x / x².
                column = values.shape[1]
                sources.append(from_results.independent_errors(variance / mean**2, column, total))
                timings = int(freedom) + 1
                notes.append(
                    f"'{name}' is a mean over {timings} timings, independent of the answers"
                )
            else:
                notes.append(f"'{name}' is taken as exact")
            values[name] = mean
            logs.append(np.log(mean)[:, None])
            degrees.append(freedom)
        moments = Moments(np.hstack(logs), tuple(sources), np.array(degrees))
        names = (*self.costs, *costs)
        return replace(self, values=values, moments=moments, costs=names, notes=tuple(notes))

    def weighted(self, weights: Mapping[str, float]) -> Samples:
        """Combine the metrics into one, their weighted mean.

        Parameters
        ----------
        weights : mapping of metric to number >= 0
            Divided by their sum.
        """
        # Only the ratio of weights matters: they are divided by their sum.
        shares = _read_weights(weights, list(self.values.columns))
        columns = [self.values.columns.get_loc(name) for name in weights]
        # log Σ w_r y_r has the derivative w_r y_r / Σ w y by log y_r.
        terms = np.exp(self.moments.logs[:, columns]) * shares
        slopes = terms / terms.sum(axis=1, keepdims=True)
        sources = tuple(
            ErrorSource(
                np.einsum("ir,irb->ib", slopes, source.gradient[:, columns])[:, None],
                source.covariance,
                (slopes * source.flips[:, columns]).sum(axis=1, keepdims=True),
            )
            for source in self.moments.sources
        )
        # The values as they stand; the logs may hold half a success.
        combined = self.values[list(weights)].to_numpy() @ shares
        logs = np.log(terms.sum(axis=1))[:, None]
        # The fewest degrees of freedom are the safe choice for a mean.
        degrees = np.array([self.moments.degrees[columns].min()])
        return Samples(
            values=pd.DataFrame({"weighted": combined}, self.values.index),
            moments=Moments(logs, sources, degrees),
            sizes=self.sizes,
            pairing=self.pairing,
            notes=self.notes,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the metrics with their standard errors, without the small-sample rule."""
        # The delta method backwards: se(y) = y se(log y).
        variance = np.diagonal(self.moments.sampling, axis1=1, axis2=2).T
        errors = pd.DataFrame(
            np.sqrt(variance) * np.exp(self.moments.logs), self.values.index, self.values.columns
        )
        return self.values.join(errors.add_suffix("_se"))


def select_columns(
    samples: Samples, outputs: Sequence[str] | None, inputs: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the names of outputs and inputs; by default all metrics, and all costs."""
    columns = [str(name) for name in samples.values.columns]
    input_names = list(samples.costs) if inputs is None else _name_list(inputs, "inputs")
    if outputs is None:
        # Costs are no outputs, also where they are not used as inputs.
        excluded = {*input_names, *samples.costs}
        output_names = [name for name in columns if name not in excluded]
    else:
        output_names = _name_list(outputs, "outputs")
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


def _metric_names(metrics: Sequence[str]) -> tuple[str, ...]:
    return tuple(_name_list(metrics, "metrics"))


def _name_list(names: Sequence[str], argument: str) -> list[str]:
    if isinstance(names, str):
        raise DataError(f"{argument} is the text '{names}'; give a list of names, as ['{names}']")
    return list(names)


def _read_cost(
    name: str, cost: pd.DataFrame | pd.Series | Mapping[str, float], index: pd.Index
) -> tuple[Array, Array, float]:
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
        from_results.check_positive(require_numbers(exact, [name]), "cost")
        return exact[name].to_numpy(), np.zeros(len(index)), np.inf
    if len(cost) < MIN_TIMINGS:
        raise DataError(
            f"the cost '{name}' has {len(cost)} timings; give at least {MIN_TIMINGS}, or one "
            "number as exact"
        )
    # Timings vary: their mean counts, with its variance.
    timings = require_numbers(cost, list(index))
    from_results.check_positive(timings, "cost", name)
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
