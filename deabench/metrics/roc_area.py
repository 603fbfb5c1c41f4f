"""Compute areas under ROC curves with DeLong's variance, their intervals and their paired test.

`from_scores` shows the interval beside the area, and `compare` uses the test; that is why these
closed forms stand with the metrics, below `deabench.inference`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from deabench.errors import DataError, warn_data
from deabench.metrics import labels
from deabench.metrics.score_metrics import SortedScores, placements, sort_scores
from deabench.utils import instances
from deabench.utils.result import Result

MIN_WALD_INSTANCES = 50
"""With fewer instances of a class Wald's limits of an area cover .87 to .93 at nominal 95 %."""
METHODS = ("auto", "wald", "logit")


@dataclass(frozen=True, eq=False, repr=False)
class DeLong(Result):
    """Areas under the ROC curves of classifiers on the same instances, with their covariance.

    Attributes
    ----------
    auc : Series, classifiers
        P(score of a positive > score of a negative) + P(equal) / 2.
    covariance : DataFrame, classifiers x classifiers
        NaN where a class has one instance only.
    positives, negatives : int
        The instances of each class.

    Examples
    --------
    >>> from deabench import metrics
    >>> found = metrics.delong([1, 1, 1, 0, 0, 0], {"net": [.9, .8, .4, .6, .3, .1]})
    >>> found.to_frame().round(3).loc["net"].to_dict()
    {'auc': 0.889, 'se': 0.157}
    """

    auc: pd.Series
    covariance: pd.DataFrame
    positives: int
    negatives: int

    _text = "curves"

    def to_frame(self) -> pd.DataFrame:
        """Return the areas with their standard errors; `interval` has limits."""
        errors = np.sqrt(np.diag(self.covariance))
        return pd.DataFrame({"auc": self.auc, "se": errors}).rename_axis("classifier")

    def interval(self, alpha: float = 0.05, *, method: str = "auto") -> pd.DataFrame:
        """Compute an interval of level 1 − alpha for each area.

        Parameters
        ----------
        alpha : float in (0, 1)
        method : 'auto', 'wald' or 'logit'
            'wald': A ± z se, cut to [0, 1]. 'logit': the same for log(A / (1 − A)), whose standard
            error is se / (A (1 − A)), transformed back; always inside (0, 1). 'auto': 'logit' where
            Wald's limits leave [0, 1] or a class has fewer than 50 instances, else 'wald'. At
            nominal 95 % with 20 positives and an area of .92 they cover .93 ('auto', 'logit') and
            .87 ('wald'); `metrics.intervals` covers .94 there.

        Returns
        -------
        DataFrame, classifiers x (auc, se, lower, upper, method)
            At A = 1 (or 0) the variance is 0 and both intervals collapse; the limits are then
            Clopper and Pearson's for m = min(P, N) pairs all ranked rightly (wrongly):
            [(α/2)^(1/m), 1], method 'pairs'. They hold because m disjoint pairs are independent,
            each ranked rightly with probability AUC. Where the variance is 0 or unknown otherwise,
            the limits are NaN and the method 'none'.

        Warns
        -----
        DataWarning
            Where a row's method is 'pairs' or 'none'.
        """
        if not 0 < alpha < 1:
            raise DataError(
                f"alpha is {alpha:g}; an interval needs an alpha between 0 and 1, as 0.05"
            )
        if method not in METHODS:
            raise DataError(f"there is no method '{method}'; the methods are auto, wald and logit")
        # The quantile of the normal distribution for both sides.
        z = -float(scipy.special.ndtri(alpha / 2))
        fewest = min(self.positives, self.negatives)
        rows = []
        for (name, area), error in zip(self.auc.items(), self.to_frame()["se"], strict=True):
            # Wald's limits decide whether they fit, and stay where they do.
            lower = area - z * error
            upper = area + z * error
            row_method = method
            if method == "auto":
                is_wald = lower >= 0 and upper <= 1 and fewest >= MIN_WALD_INSTANCES
                row_method = "wald" if is_wald else "logit"
            if not error > 0:
                lower, upper, row_method = self._limits_without_variance(str(name), area, alpha)
            elif row_method == "logit":
                lower, upper = logit_limits(area, z * error / (area * (1 - area)))
            # Wald's limits may leave [0, 1].
            rows.append((area, error, max(lower, 0.0), min(upper, 1.0), row_method))
        columns = ["auc", "se", "lower", "upper", "method"]
        return pd.DataFrame(rows, index=self.auc.index, columns=columns)

    def test(self, first: str, second: str) -> pd.Series:
        """Test whether two areas are equal: z = (A₁ − A₂) / √(V₁₁ + V₂₂ − 2 V₁₂), two-sided.

        Returns
        -------
        Series (difference, se, z, p)
            z and p are NaN where the variance of the difference is 0 or unknown.
        """
        for name in (first, second):
            if name not in self.auc.index:
                raise DataError(
                    f"there is no classifier '{name}'; there are "
                    f"{instances.format_labels(self.auc.index)}"
                )
        v = self.covariance
        difference = float(self.auc[first] - self.auc[second])
        # The scores are of the same instances: the covariance is subtracted.
        variance = v.loc[first, first] + v.loc[second, second] - 2 * v.loc[first, second]
        error = float(np.sqrt(max(variance, 0.0)))
        # Equal scores on all instances have no variance and no test.
        z = difference / error if error > 0 else np.nan
        return pd.Series(
            {"difference": difference, "se": error, "z": z, "p": 2 * scipy.special.ndtr(-abs(z))},
            name=f"{first} - {second}",
        )

    def _limits_without_variance(
        self, name: str, area: float, alpha: float
    ) -> tuple[float, float, str]:
        """Return the exact limits of a perfect area, none of others, with a warning."""
        # A pair of one positive and one negative is one independent trial.
        pairs = min(self.positives, self.negatives)
        if area in (0.0, 1.0):
            warn_data(
                f"roc_auc of '{name}' is {area:g}, where DeLong's variance is 0: its interval is "
                f"Clopper and Pearson's for {pairs} independent pairs"
            )
            return (*perfect_bound(area, pairs, alpha), "pairs")
        variance = "unknown (a class has one instance)"
        if pairs > 1:
            variance = "0 (every instance ranks alike)"
        warn_data(f"DeLong's variance of roc_auc of '{name}' is {variance}: it has no interval")
        return np.nan, np.nan, "none"


def delong(
    y_true: instances.Values, scores: instances.Predictions, *, positive: object = None
) -> DeLong:
    """Compute areas under ROC curves and their covariance, by midranks in O(n log n).

    V₁₀ of a positive is the share of negatives below it, V₀₁ of a negative the share of positives
    above it, ties one half, all from one sort; A = mean V₁₀, covariance = cov(V₁₀)/P + cov(V₀₁)/N
    [1]_, as fast as by midranks [2]_.

    Parameters
    ----------
    y_true : labels, one per instance
    scores : mapping or DataFrame
        {name: scores}, one finite number per instance.
    positive : label, optional
        As for `from_scores`.

    References
    ----------
    .. [1] DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837-845, doi:10.2307/2531595.
    .. [2] Sun and Xu (2014), IEEE Signal Processing Letters 21, 1389-1393,
       doi:10.1109/LSP.2014.2337313.

    Examples
    --------
    >>> float(delong([1, 1, 0, 0], {"a": [0.9, 0.4, 0.5, 0.1]}).auc["a"])
    0.75
    """
    true = labels.two_class_truth(y_true, positive, scores=True)
    return delong_of_sorted(
        {
            name: sort_scores(true.is_positive, labels.read_scores(score, true, name=name))
            for name, score in instances.predictions_by_name(scores).items()
        }
    )


def delong_of_sorted(samples: Mapping[str, SortedScores]) -> DeLong:
    """Compute `delong` of scores that are sorted already."""
    first = next(iter(samples.values()))
    is_positive = np.empty(len(first.order), dtype=bool)
    # Back to the order of the instances, which all classifiers share.
    is_positive[first.order] = first.positive
    # Placement values: one per instance and classifier.
    components = np.array([placements(sample) for sample in samples.values()])
    v10 = components[:, is_positive]
    v01 = components[:, ~is_positive]
    positives = v10.shape[1]
    negatives = v01.shape[1]
    # The two classes are drawn independently: the variances of their means add up.
    covariance = _covariance(v10) / positives + _covariance(v01) / negatives
    names = pd.Index(list(samples), name="classifier")
    return DeLong(
        pd.Series(v10.mean(axis=1), names, name="roc_auc"),
        pd.DataFrame(covariance, names, names),
        positives,
        negatives,
    )


def logit_limits(share: float, width: float) -> tuple[float, float]:
    """Return the limits of a share at `width` on either side of its log odds."""
    # Imported here: where Pyomo finds scipy, it loads scipy.stats too, which takes a second.

    # A symmetric interval of the log odds stays inside (0, 1).
    centre = scipy.special.logit(share)
    return float(scipy.special.expit(centre - width)), float(scipy.special.expit(centre + width))


def perfect_bound(share: float, trials: int, alpha: float) -> tuple[float, float]:
    """Return Clopper and Pearson's limits where all trials, or none of them, are successes."""
    # All of n trials succeed with probability p^n = α/2 at the limit.
    bound = float((alpha / 2) ** (1 / trials))
    return (bound, 1.0) if share == 1 else (0.0, 1 - bound)


def _covariance(rows: np.ndarray) -> np.ndarray:
    """Return the sample covariance of the rows (ddof = 1); NaN from one observation."""
    if rows.shape[1] < 2:
        return np.full((len(rows), len(rows)), np.nan)
    return np.atleast_2d(np.cov(rows))
