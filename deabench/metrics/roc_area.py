"""DeLong's variance of the area under the ROC curve, its intervals and its paired test."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.metrics import labels
from deabench.metrics.score_metrics import SortedScores, placements, sort_scores
from deabench.utils import instances
from deabench.utils.result import Result

FEW = 50
"""With fewer instances of a class Wald's limits of an area cover .87 to .93 at nominal 95 %."""


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

    _text = "metrics"

    auc: pd.Series
    covariance: pd.DataFrame
    positives: int
    negatives: int

    def to_frame(self) -> pd.DataFrame:
        """The areas with their standard errors; `interval` has limits."""
        return pd.DataFrame({"auc": self.auc, "se": np.sqrt(np.diag(self.covariance))}).rename_axis(
            "classifier"
        )

    def interval(self, alpha: float = 0.05, *, method: str = "auto") -> pd.DataFrame:
        """An interval of level 1 − alpha for each area.

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
        from scipy.special import expit, logit, ndtri

        _between(alpha, method)
        z = -ndtri(alpha / 2)
        rows = []
        for name, area in self.auc.items():
            se = float(np.sqrt(self.covariance.loc[name, name]))
            lower, upper = area - z * se, area + z * se
            fits = lower >= 0 and upper <= 1 and min(self.positives, self.negatives) >= FEW
            how = ("wald" if fits else "logit") if method == "auto" else method
            if not se > 0:
                lower, upper, how = self._collapsed(str(name), float(area), alpha)
            elif how == "logit":
                width = z * se / (area * (1 - area))
                lower, upper = expit(logit(area) - width), expit(logit(area) + width)
            rows.append((area, se, max(lower, 0.0), min(upper, 1.0), how))
        return pd.DataFrame(
            rows, index=self.auc.index, columns=["auc", "se", "lower", "upper", "method"]
        )

    def test(self, first: str, second: str) -> pd.Series:
        """The paired test of equal areas: z = (A₁ − A₂) / √(V₁₁ + V₂₂ − 2 V₁₂), two-sided.

        Returns
        -------
        Series (difference, se, z, p)
            z and p are NaN where the variance of the difference is 0 or unknown.
        """
        from scipy.special import ndtr

        for name in (first, second):
            if name not in self.auc.index:
                raise DataError(
                    f"there is no classifier '{name}'; there are {instances.format_labels(self.auc.index)}"
                )
        v = self.covariance
        gap = float(self.auc[first] - self.auc[second])
        se = float(
            np.sqrt(
                max(v.loc[first, first] + v.loc[second, second] - 2 * v.loc[first, second], 0.0)
            )
        )
        z = gap / se if se > 0 else np.nan
        return pd.Series(
            {"difference": gap, "se": se, "z": z, "p": 2 * ndtr(-abs(z))},
            name=f"{first} - {second}",
        )

    def _collapsed(self, name: str, area: float, alpha: float) -> tuple[float, float, str]:
        if area in (0.0, 1.0):
            pairs = min(self.positives, self.negatives)
            bound = (alpha / 2) ** (1 / pairs)
            _warn(
                f"roc_auc of '{name}' is {area:g}, where DeLong's variance is 0: its interval is Clopper and "
                f"Pearson's for {pairs} independent pairs"
            )
            return (bound, 1.0, "pairs") if area == 1 else (0.0, 1 - bound, "pairs")
        why = (
            "0 (every instance ranks alike)"
            if min(self.positives, self.negatives) > 1
            else "unknown (a class has one instance)"
        )
        _warn(f"DeLong's variance of roc_auc of '{name}' is {why}: it has no interval")
        return np.nan, np.nan, "none"


def delong(
    y_true: instances.Values, scores: instances.Predictions, *, positive: object = None
) -> DeLong:
    """Areas under the ROC curves and their covariance, by midranks in O(n log n).

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
    pairs = instances.predictions_by_name(scores)
    true = labels.two_class_truth(y_true, positive, scores=True)
    return delong_of_sorted(
        {
            name: sort_scores(true.is_positive, labels.read_scores(score, true, name=name))
            for name, score in pairs.items()
        }
    )


def delong_of_sorted(samples: Mapping[str, SortedScores]) -> DeLong:
    """`delong` of scores that are sorted already."""
    first = next(iter(samples.values()))
    is_positive = np.empty(len(first.order), dtype=bool)
    is_positive[first.order] = first.positive
    components = np.array([placements(sample) for sample in samples.values()])
    v10, v01 = components[:, is_positive], components[:, ~is_positive]
    p, n = v10.shape[1], v01.shape[1]
    names = pd.Index(list(samples), name="classifier")
    covariance = _covariance(v10) / p + _covariance(v01) / n
    return DeLong(
        pd.Series(v10.mean(axis=1), names, name="roc_auc"),
        pd.DataFrame(covariance, names, names),
        p,
        n,
    )


def _covariance(rows: np.ndarray) -> np.ndarray:
    """Sample covariance of the rows (ddof = 1); NaN from one observation."""
    if rows.shape[1] < 2:
        return np.full((len(rows), len(rows)), np.nan)
    return np.atleast_2d(np.cov(rows))


def _between(alpha: float, method: str) -> None:
    if not 0 < alpha < 1:
        raise DataError(f"alpha is {alpha:g}; an interval needs an alpha between 0 and 1, as 0.05")
    if method not in ("auto", "wald", "logit"):
        raise DataError(f"there is no method '{method}'; the methods are auto, wald and logit")


def _warn(text: str) -> None:
    warnings.warn(text, DataWarning, stacklevel=4)
