"""The samples that metrics come from: what is known of how far they could be from the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference import costs, from_predictions, from_results
from deabench.inference.delta_method import Moments
from deabench.utils.checks import did_you_mean
from deabench.utils.instances import Predictions, Values
from deabench.utils.result import Result

LABELLED = ("TPR", "TNR")
"""The metrics of predicted labels, where none is named."""


@dataclass(frozen=True, eq=False, repr=False)
class Samples(Result):
    """Metrics of classifiers with the errors that their samples leave.

    Make one with `from_predictions`, `from_scores`, `from_outcomes`, `from_counts`, `from_folds`,
    `from_datasets` or `from_table`; `with_costs` adds what a classifier costs.

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

    _text = "uncertainty"

    values: pd.DataFrame
    moments: Moments
    sizes: Mapping[str, int]
    pairing: str
    costs: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def from_predictions(
        cls,
        y_true: Values,
        predictions: Predictions,
        *,
        positive: object = None,
        metrics: Sequence[str] = LABELLED,
    ) -> Samples:
        """Predicted labels of all classifiers on the same test instances.

        Parameters
        ----------
        y_true : labels, one per instance
            Two classes, at least two instances of each.
        predictions : mapping or DataFrame
            {name: predicted labels}.
        positive : label, optional
            The positive class; by default 1 of {0, 1} and the like, otherwise the minority, which
            is warned of.
        metrics : sequence of names
            TPR, TNR, accuracy, balanced_accuracy, G-mean, F1, PPV, NPV, MCC, Youden, IBA.

        Examples
        --------
        >>> y = [1] * 40 + [0] * 60
        >>> a, b = [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
        >>> Samples.from_predictions(y, {"a": a, "b": b}).values["TPR"].tolist()
        [0.875, 0.75]
        """
        return cls(*from_predictions.predicted(y_true, predictions, positive, _names(metrics)))

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
        """Scores of all classifiers on the same test instances: the area under the ROC curve, and
        metrics at a threshold.

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
        wanted = (
            _names(metrics)
            if metrics is not None
            else ((*LABELLED, "roc_auc") if threshold is not None else ("roc_auc",))
        )
        return cls(*from_predictions.scored(y_true, scores, positive, threshold, wanted))

    @classmethod
    def from_outcomes(cls, outcomes: Mapping[str, pd.DataFrame]) -> Samples:
        """Any metric that is a mean: the outcome of every classifier on every instance, metric by
        metric.

        Parameters
        ----------
        outcomes : mapping of metric to DataFrame, instances x classifiers
            Numbers from 0 to 1 (right or wrong, a share), higher better; all frames have the same
            classifiers. Every metric has instances of its own: metrics of the same instances belong
            together in `from_predictions` or `from_scores`.
        """
        return cls(*from_predictions.outcomes(outcomes))

    @classmethod
    def from_counts(cls, counts: pd.DataFrame, *, metrics: Sequence[str] = LABELLED) -> Samples:
        """Counts tp, fn, fp, tn, a row per classifier; without the answers themselves the
        classifiers count as independent.

        Parameters
        ----------
        counts : DataFrame with tp, fn, fp, tn
            All classifiers have the same number of positives, and of negatives.
        metrics
            As for `from_predictions`.
        """
        return cls(*from_predictions.counted(counts, _names(metrics)))

    @classmethod
    def from_folds(
        cls,
        folds: pd.DataFrame,
        *,
        metrics: Sequence[str] | None = None,
        ratio: float | None = None,
    ) -> Samples:
        """Folds or repeats of one data set: Nadeau and Bengio's variance (1/J + n_test/n_train) s²,
        Student's t.

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
        return cls(*from_results.folded(folds, metrics, ratio))

    @classmethod
    def from_search(
        cls, search: object, *, metrics: Sequence[str] | None = None, ratio: float | None = None
    ) -> Samples:
        """A fitted grid search, fold by fold: its candidates are the classifiers, named as
        `deabench.read` names them.

        Parameters
        ----------
        search : GridSearchCV or its like, fitted, or its cv_results_
        metrics : sequence of names, optional
            As `deabench.read` names them (mean_test_recall); without it all but those whose sign is
            turned (neg_log_loss).
        ratio : number > 0, optional
            As for `from_folds`; asked for where the splitter has no folds (ShuffleSplit).
        """
        folds, taken, given = from_results.searched(
            search, None if metrics is None else _names(metrics), ratio
        )
        return cls(*from_results.folded(folds, taken, given))

    @classmethod
    def from_datasets(
        cls, results: pd.DataFrame, *, metrics: Sequence[str] | None = None
    ) -> Samples:
        """Data sets as independent blocks: what holds for the mean over data sets like these.

        Parameters
        ----------
        results : DataFrame
            Columns (or index levels) classifier and dataset; and either tp, fn, fp, tn (folds are
            added) or metrics.
        metrics : sequence of names, optional
            As for `from_folds`.
        """
        return cls(*from_results.over_datasets(results, metrics))

    @classmethod
    def from_table(cls, table: pd.DataFrame, errors: pd.DataFrame | Mapping[str, float]) -> Samples:
        """A table with standard errors; the classifiers and the metrics count as independent.

        Parameters
        ----------
        table : DataFrame, k classifiers x metrics
            Numbers > 0.
        errors : DataFrame like `table`, or {metric: standard error}
            In the metrics' units; 0 where a number is exact.
        """
        return cls(*costs.tabled(table, errors))

    def with_costs(
        self, given: Mapping[str, pd.DataFrame | pd.Series | Mapping[str, float]]
    ) -> Samples:
        """The same samples with what is to be low: seconds, prices, sizes.

        Parameters
        ----------
        given : mapping of cost to numbers > 0
            Exact, one per classifier (a Series or {classifier: number}); or noisy, a frame of
            timings x classifiers whose mean counts, with Student's t.
        """
        return replace(
            self, **costs.joined(self.values, self.moments, self.costs, self.notes, given)
        )

    def weighted(self, weights: Mapping[str, float]) -> Samples:
        """One metric, the weighted mean of these: what is left to ask where the weights are given.

        Parameters
        ----------
        weights : mapping of metric to number >= 0
            Divided by their sum.
        """
        return Samples(
            *costs.weighed(self.values, self.moments, weights),
            sizes=self.sizes,
            pairing=self.pairing,
            notes=self.notes,
        )

    def to_frame(self) -> pd.DataFrame:
        """The metrics with their standard errors, sampling alone, without the small-sample rule."""
        spread = np.sqrt(np.diagonal(self.moments.sampling, axis1=1, axis2=2).T) * np.exp(
            self.moments.logs
        )
        errors = pd.DataFrame(
            spread, index=self.values.index, columns=[f"{name}_se" for name in self.values.columns]
        )
        return self.values.join(errors)


def _names(metrics: Sequence[str]) -> tuple[str, ...]:
    if isinstance(metrics, str):
        raise DataError(f"metrics is the text '{metrics}'; give a list of names, as ['{metrics}']")
    return tuple(metrics)


def select_columns(
    samples: Samples, outputs: Sequence[str] | None, inputs: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """The columns to be high and to be low."""
    known = [str(name) for name in samples.values.columns]
    low = list(samples.costs) if inputs is None else list(_listed(inputs, "inputs"))
    high = (
        [name for name in known if name not in low and name not in samples.costs]
        if outputs is None
        else list(_listed(outputs, "outputs"))
    )
    for name in [*high, *low]:
        if name not in known:
            raise DataError(
                f"there is no metric '{name}' in the samples; {did_you_mean(name, known)}"
            )
        if [*high, *low].count(name) > 1:
            raise DataError(
                f"metric '{name}' is named twice; name it once, as an output or as an input"
            )
    if not high:
        raise DataError("no outputs are left; name at least one metric as output")
    return high, low


def _listed(names: Sequence[str], what: str) -> Sequence[str]:
    if isinstance(names, str):
        raise DataError(f"{what} is the text '{names}'; give a list of names, as ['{names}']")
    return names
