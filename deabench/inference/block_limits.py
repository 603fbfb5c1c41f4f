"""Limits of means over few blocks (data sets): with a pooled ridge, or by betting.

Student's t has no spread to go by where a failure was not seen, and falls short where scores are
skewed. The ridge adds the variance that one more failure of the size seen anywhere would bring:
(R/J)², R = Σ|d|³/Σd² over the deviations of all classifiers together, or the metric's whole range
where nothing differs.

Betting needs no assumption but independent blocks with values in [0, 1]: for the true mean μ, a
gambler who bets u on every block has the wealth Π_b (1 − u + u x_b / μ), a martingale of mean 1.
The mixture W(m) over bets u exceeds 1/tail with a probability of at most tail at m = μ, so that the
means m it does not exceed at are a confidence set; W falls in m.

References
----------
Waudby-Smith, Ramdas (2024), Journal of the Royal Statistical Society B 86, 1-27.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray

BETS = np.append(np.sin(np.pi / 2 * (np.arange(40) + 0.5) / 40) ** 2, 1.0)
"""Arcsine points, and everything."""
LOG_PRIOR = np.log(np.append(np.full(40, 0.8 / 40), 0.2))
MAX_WEALTH = 1 << 20
"""Numbers of bets on blocks that are computed together: 8 MB."""
BISECTIONS = 40
MISSED_TAIL = 0.025
MAX_PAIR_BLOCKS = 1000
"""With more blocks the ridge is below a hundredth of a standard error, and is left out."""
NO_SPREAD = 1e-12


def pooled_size(deviations: Array, metric_range: float = 1.0) -> float:
    """Return R = Σ|d|³ / Σd²; the whole range where nothing deviates.

    Parameters
    ----------
    deviations : array of any shape
        From a mean each.
    metric_range : float
        The metric's range.
    """
    size = np.abs(deviations)
    largest = size.max(initial=0.0)
    # What rounding leaves is no spread.
    if largest <= NO_SPREAD * metric_range:
        return metric_range
    scaled = size / largest
    return float(largest * (scaled**3).sum() / (scaled**2).sum())


def pair_size(values: Array) -> float:
    """Return R of the differences of all pairs of classifiers.

    Parameters
    ----------
    values : array (J, k)
    """
    deviations = values - values.mean(axis=0)
    metric_range = max(1.0, float(np.abs(values).max(initial=0.0)))
    number, k = deviations.shape
    if number > MAX_PAIR_BLOCKS:
        return 0.0
    pairs = [deviations[:, i + 1 :] - deviations[:, [i]] for i in range(k - 1)]
    return pooled_size(np.hstack(pairs), metric_range)


def betting_lower(values: Array, tail: float) -> Array:
    """Return lower limits of means of independent values in [0, 1], exact at every J.

    Parameters
    ----------
    values : array (m, J)
    tail : float
        The probability of a limit above the mean.

    Returns
    -------
    array (m,)
    """
    # W falls in m: the rejected means are below the limit.
    low = np.zeros(len(values))
    high = np.maximum(values.mean(axis=1), np.finfo(float).tiny)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        rejected = exceeds_mean(values, middle, tail)
        low = np.where(rejected, middle, low)
        high = np.where(rejected, high, middle)
    return low


def exceeds_mean(values: Array, means: Array, tail: float) -> Array:
    """Return whether betting shows that the true means are above given ones (m,).

    Parameters
    ----------
    values : array (m, J)
    means : array (m,)
        Above 0.
    tail : float
    """
    ratio = values / means[:, None]
    # Several bets at a time, as many as memory should hold.
    pieces = -(-len(BETS) * values.size // MAX_WEALTH)
    with np.errstate(divide="ignore"):
        # log W(m) of each bet, not W, so that no product overflows; (m, bets).
        wealth = np.hstack(
            [
                np.log1p(bets[:, None] * (ratio - 1)[:, None]).sum(axis=2)
                for bets in np.array_split(BETS, max(pieces, 1))
            ]
        )
    exponent = wealth + LOG_PRIOR
    largest = exponent.max(axis=1, keepdims=True)
    total = largest[:, 0] + np.log(np.exp(exponent - largest).sum(axis=1))
    return np.asarray(total > -np.log(tail))


def betting_upper(values: Array, tail: float) -> Array:
    """Return upper limits, as `betting_lower` gives lower ones."""
    return np.asarray(1 - betting_lower(1 - values, tail))


def mean_limits(values: Array, c: float, tail: float, *, exact: bool) -> tuple[Array, Array]:
    """Return limits of the means of one metric of k classifiers.

    The lower limit is the smaller of t's with ridge and that of log(1 − x), the upper one the
    larger of t's and that of log x; neither is wider than betting's.

    Parameters
    ----------
    values : array (k, J)
        From 0 to 1.
    c : float
        Student's quantile.
    tail : float
        Its tail probability.
    exact : bool
        Whether betting's limits alone count, which assume nothing of the distribution.
    """
    betting = betting_lower(values, tail), betting_upper(values, tail)
    if exact or np.ptp(values, axis=1).max() <= NO_SPREAD:
        return betting
    ridge = ridge_limits(values, c)
    return np.maximum(ridge[0], betting[0]), np.minimum(ridge[1], betting[1])


def ridge_limits(values: Array, c: float) -> tuple[Array, Array]:
    """Return limits of the means of values (k, J): t's with ridge, the logarithm's where wider."""
    mean = values.mean(axis=1)
    deviations = values - mean[:, None]
    blocks = values.shape[1]
    ridge = pooled_size(deviations) / blocks
    margin = c * np.sqrt(deviations.var(axis=1, ddof=1) / blocks + ridge**2)
    # Half a block's failure or success keeps the logarithms finite.
    failure = np.maximum(1 - mean, 0.5 / blocks)
    success = np.maximum(mean, 0.5 / blocks)
    lower = np.minimum(mean - margin, 1 - failure * np.exp(margin / failure))
    upper = np.maximum(mean + margin, success * np.exp(np.minimum(margin / success, 700.0)))
    return lower, upper


def metric_limits(
    values: Array, logs_limits: list[Array], c: Array, tail: float, *, exact: bool
) -> list[Array]:
    """Return lower limits, values and upper limits of metrics over blocks.

    Parameters
    ----------
    values : array (k, s, J)
    logs_limits : three arrays (k, s)
        Limits by the logarithm, which metrics that are no shares keep.
    c : array (s,)
        Student's quantiles, with the tail probability `tail`.

    Returns
    -------
    three arrays (k, s)
    """
    lower, value, upper = (limits.copy() for limits in logs_limits)
    for r in range(values.shape[1]):
        shares = values[:, r].astype(float)
        if shares.min() >= 0 and shares.max() <= 1:
            lower[:, r], upper[:, r] = mean_limits(shares, float(c[r]), tail, exact=exact)
            # Values of units are rounded to single precision.
            lower[:, r] = np.minimum(lower[:, r], value[:, r])
            upper[:, r] = np.maximum(upper[:, r], value[:, r])
    return [lower, value, upper]


def exact_domination(values: Array, tail: float) -> Array:
    """Return which rival is better than which classifier in every metric, by betting: bool (k, k).

    Entry (i, j) says that the mean difference of j to i is above 0 in each metric, from
    independent differences in [−1, 1].

    Parameters
    ----------
    values : array (k, s, J)
        From 0 to 1.
    tail : float
        The probability of an error for one pair; the metrics need no correction.
    """
    k, s, _ = values.shape
    is_better = ~np.eye(k, dtype=bool)
    for r in range(s):
        for i in range(k):
            differences = (values[:, r].astype(float) - values[i, r] + 1) / 2
            is_better[i] &= exceeds_mean(differences, np.full(k, 0.5), tail)
    return is_better


def missed_share(blocks: int) -> float:
    """Return the share of blocks that a failure may strike without having been seen in J."""
    return float(1 - MISSED_TAIL ** (1 / blocks))
