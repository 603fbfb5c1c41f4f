"""Hold the metrics of classifiers with the errors that their samples leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np
import pandas as pd

from deabench.compare.score_tables import Clusters
from deabench.inference.learned_mix import Units
from deabench.inference.moments import Array, Moments
from deabench.inference.samples import (
    combinations,
    from_classes,
    from_errors,
    from_predictions,
    from_results,
)
from deabench.inference.samples.combinations import name_list
from deabench.inference.samples.from_predictions import LABEL_METRICS
from deabench.inference.samples.instance_fields import InstanceOptions, MetricName
from deabench.utils.instances import Predictions, Values
from deabench.utils.result import Result

InstanceDesign = Literal["rows", "classes"]
Name = TypeVar("Name", str, MetricName)


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
    design : {"rows", "classes", "clusters", "blocks", "folds", "table"}
        What was drawn at random: instances, instances of each class, clusters of them, data sets.
    costs : tuple of str
        The columns that are to be low.
    notes : tuple of str
        What was assumed.
    make_units : callable or None
        Computes `unit_data`.

    Examples
    --------
    >>> import deabench as db
    >>> y, a, b = [1] * 40 + [0] * 60, [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
    >>> samples = db.Samples.from_predictions(y, {"a": a, "b": b})
    >>> samples.values["TPR"].tolist(), samples.pairing
    ([0.875, 0.75], 'paired: all systems answered the same instances')
    """

    values: pd.DataFrame
    moments: Moments
    sizes: Mapping[str, int]
    pairing: str
    design: str = "rows"
    costs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    make_units: Callable[[], Units | None] | None = field(default=None, repr=False)

    _text = "uncertainty"

    @cached_property
    def unit_data(self) -> Units | None:
        """Return the units that were drawn with the metrics' values; None where they are unknown.

        Only moments are known of tables and counts; folds are no independent units.
        """
        return None if self.make_units is None else self.make_units()

    @property
    def units(self) -> Array | None:
        """Return the metrics' values unit by unit, float32 (k, s, units); None as `unit_data`."""
        return None if self.unit_data is None else self.unit_data.values

    @classmethod
    def from_predictions(
        cls,
        y_true: Values,
        predictions: Predictions,
        *,
        positive: object = None,
        metrics: Sequence[MetricName] | None = None,
        design: InstanceDesign = "rows",
        clusters: Values | None = None,
        sample_weight: Values | None = None,
    ) -> Samples:
        """Make samples of predicted labels of all classifiers on the same test instances.

        Parameters
        ----------
        y_true : labels, one per instance
            At least two instances of each class. Of more than two classes none is positive unless
            it is named; then it stands against the rest.
        predictions : mapping or DataFrame
            {name: predicted labels}.
        positive : label, optional
            The positive class; by default 1 of {0, 1} and the like, otherwise the minority, with a
            warning.
        metrics : sequence of names and `Metric`s, optional
            Any of `deabench.metrics.catalogue()` under any of its names; TPR and TNR by default. Of
            several classes those of `deabench.metrics.from_classes`, by default the recalls.
            Metrics that are better low become costs.
        design : {"rows", "classes"}
            rows: the instances are a sample, the class counts are random. classes: the class counts
            were chosen.
        clusters : one name per instance, optional
            The patient, file, ... of each instance, where instances were drawn together.
        sample_weight : one number >= 0 per instance, optional

        Examples
        --------
        >>> y = [1] * 40 + [0] * 60
        >>> a, b = [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
        >>> Samples.from_predictions(y, {"a": a, "b": b}).values["TPR"].tolist()
        [0.875, 0.75]
        """
        options = InstanceOptions(design, clusters, sample_weight)
        fields = from_predictions.samples_from_predictions(
            y_true, predictions, positive, _metric_list(metrics), options
        )
        return cls(**fields)

    @classmethod
    def from_classes(
        cls,
        y_true: Values,
        predictions: Predictions,
        *,
        metrics: Sequence[str] | None = None,
        design: InstanceDesign = "rows",
        clusters: Values | None = None,
        sample_weight: Values | None = None,
    ) -> Samples:
        """Make samples of predicted labels of two classes or more, none of them positive.

        Parameters
        ----------
        metrics : sequence of names, optional
            As for `deabench.metrics.from_classes`; the recall of each class by default, of more
            than five classes the accuracy.
        y_true, predictions, design, clusters, sample_weight
            As for `from_predictions`.
        """
        options = InstanceOptions(design, clusters, sample_weight)
        fields = from_classes.samples_from_classes(
            y_true, predictions, _metric_list(metrics), options
        )
        return cls(**fields)

    @classmethod
    def from_class_scores(
        cls,
        y_true: Values,
        scores: Mapping[str, pd.DataFrame],
        *,
        metrics: Sequence[str] | None = None,
        design: InstanceDesign = "rows",
        clusters: Values | None = None,
        sample_weight: Values | None = None,
    ) -> Samples:
        """Make samples of scores for each of several classes: areas of one class against the rest.

        Parameters
        ----------
        scores : {name: DataFrame, instances x classes}
            As for `deabench.metrics.from_class_scores`.
        metrics : sequence of names, optional
            'roc_auc[class]', 'macro_roc_auc', 'weighted_roc_auc'; by default one for each class.
        y_true, design, clusters, sample_weight
            As for `from_predictions`.
        """
        options = InstanceOptions(design, clusters, sample_weight)
        fields = from_classes.samples_from_class_scores(
            y_true, scores, _metric_list(metrics), options
        )
        return cls(**fields)

    @classmethod
    def from_scores(
        cls,
        y_true: Values,
        scores: Predictions,
        *,
        positive: object = None,
        threshold: float | Mapping[str, float] | None = None,
        metrics: Sequence[MetricName] | None = None,
        design: InstanceDesign = "rows",
        clusters: Values | None = None,
        sample_weight: Values | None = None,
    ) -> Samples:
        """Make samples of scores of all classifiers on the same test instances.

        Parameters
        ----------
        y_true, positive, design, clusters, sample_weight
            As for `from_predictions`.
        scores : mapping or DataFrame
            {name: finite scores}; the higher, the more positive.
        threshold : number or {name: number}, optional
            An instance is labelled positive where its score is >= threshold.
        metrics : sequence of names and `Metric`s, optional
            Metrics of scores or probabilities and, with a threshold, those of `from_predictions`;
            by default 'roc_auc', with a threshold after TPR and TNR.
        """
        names = _metric_list(metrics)
        if names is None and threshold is not None:
            names = [*LABEL_METRICS, "roc_auc"]
        elif names is None:
            names = ["roc_auc"]
        options = InstanceOptions(design, clusters, sample_weight)
        fields = from_predictions.samples_from_scores(
            y_true, scores, positive, threshold, names, options
        )
        return cls(**fields)

    @classmethod
    def from_outcomes(
        cls,
        outcomes: Mapping[str, pd.DataFrame],
        *,
        shared: bool = False,
        design: InstanceDesign = "rows",
        clusters: Values | None = None,
        sample_weight: Values | None = None,
    ) -> Samples:
        """Make samples of outcomes: one number per classifier and instance, metric by metric.

        Parameters
        ----------
        outcomes : mapping of metric to DataFrame, instances x classifiers
            Numbers from 0 to 1 (right or wrong, a share), higher better; all frames have the same
            classifiers.
        shared : bool
            Whether all metrics are of the same instances, row by row. Otherwise every metric has
            instances of its own.
        design, clusters, sample_weight
            As for `from_predictions`; the last two with shared instances.
        """
        options = InstanceOptions(design, clusters, sample_weight)
        return cls(**from_predictions.samples_from_outcomes(outcomes, shared, options))

    @classmethod
    def from_counts(
        cls,
        counts: pd.DataFrame,
        *,
        metrics: Sequence[str] = LABEL_METRICS,
        design: InstanceDesign = "rows",
    ) -> Samples:
        """Make samples of counts; without the answers the classifiers count as independent.

        Parameters
        ----------
        counts : DataFrame with tp, fn, fp, tn
            All classifiers have the same number of positives, and of negatives.
        metrics, design
            As for `from_predictions`.
        """
        names = _metric_list(metrics) or []
        return cls(**from_predictions.samples_from_counts(counts, names, design))

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
        return cls(**from_results.samples_from_folds(folds, metrics, ratio))

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
        names = _metric_list(metrics)
        folds, columns, known_ratio = from_results.folds_of_search(search, names, ratio)
        return cls(**from_results.samples_from_folds(folds, columns, known_ratio))

    @classmethod
    def from_datasets(
        cls,
        results: pd.DataFrame,
        *,
        metrics: Sequence[str] | None = None,
        clusters: Clusters | None = None,
    ) -> Samples:
        """Make samples of data sets as independent blocks, for the mean over data sets like these.

        Parameters
        ----------
        results : DataFrame
            Columns (or index levels) classifier and dataset; and either tp, fn, fp, tn (folds are
            added) or metrics.
        metrics : sequence of names, optional
            As for `from_folds`.
        clusters : mapping, Series or "keel", optional
            The cluster of each data set, where several are cuts of one file and not independent;
            "keel" takes the files of KEEL's names.
        """
        return cls(**from_results.samples_from_datasets(results, metrics, clusters))

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
        return cls(**from_results.samples_from_runs(results, metrics))

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
        return cls(**from_results.samples_from_instances(results, metrics))

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
        return cls(**from_errors.samples_from_table(table, errors))

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
        values, moments, notes = combinations.add_costs(self.values, self.moments, costs)
        return replace(
            self,
            values=values,
            moments=moments,
            costs=(*self.costs, *costs),
            notes=(*self.notes, *notes),
            # The costs have no value in each unit.
            make_units=None,
        )

    def weighted(self, weights: Mapping[str, float]) -> Samples:
        """Combine the metrics into one, their weighted mean.

        Parameters
        ----------
        weights : mapping of metric to number >= 0
            Divided by their sum.
        """
        values, moments = combinations.weight_metrics(self.values, self.moments, weights)
        return Samples(
            values=values,
            moments=moments,
            sizes=self.sizes,
            pairing=self.pairing,
            design=self.design,
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


def _metric_list(metrics: Sequence[Name] | None) -> list[Name] | None:
    """Return the metrics, None for the default ones; a text is refused."""
    if isinstance(metrics, str):
        name_list(metrics, "metrics")
    return None if metrics is None else list(metrics)
