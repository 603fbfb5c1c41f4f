"""What the order of scores says: every metric of a ranking from one sort, for one sample or many
weighted ones at once.

A score is sorted once; tp and fp are the weights of positives and negatives among the scores at or
above each distinct value, from 0 (nothing taken) on. Every metric below is a function of those two
arrays of shape (..., values + 1), so that a bootstrap redraws weights and never sorts again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sorted:
    """A score in falling order.

    Attributes
    ----------
    order : int array, n
        The instances, highest score first.
    positive : bool array, n
        Whether each is positive, in that order.
    ends : int array, distinct values
        The last place of each distinct score.
    """

    order: NDArray[np.intp]
    positive: NDArray[np.bool_]
    ends: NDArray[np.intp]

    def steps(self, weights: Floats | None = None) -> tuple[Floats, Floats]:
        """tp and fp of weights (..., n), in the instances' order; without weights each counts 1."""
        if weights is None:
            hits = np.cumsum(self.positive)[self.ends].astype(float)
            return _from_zero(hits), _from_zero(self.ends + 1.0 - hits)
        each = np.asarray(weights, dtype=float)[..., self.order]
        hits, misses = (
            np.cumsum(each * side, axis=-1)[..., self.ends]
            for side in (self.positive, ~self.positive)
        )
        return _from_zero(hits), _from_zero(misses)


def falling(positive: NDArray[np.bool_], score: np.ndarray) -> Sorted:
    """Sort a score; equal scores are one step."""
    order = np.argsort(score)[::-1]
    ranked = score[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    return Sorted(order, positive[order], ends)


def roc_auc(tp: Floats, fp: Floats) -> Floats:
    """Area under the ROC curve: P(score of a positive > score of a negative) + P(equal) / 2."""
    return np.asarray(
        (np.diff(fp) * (tp[..., 1:] + tp[..., :-1])).sum(axis=-1) / (2 * tp[..., -1] * fp[..., -1])
    )


def average_precision(tp: Floats, fp: Floats) -> Floats:
    """Σ (TPR_k − TPR_{k−1}) PPV_k."""
    taken = tp[..., 1:] + fp[..., 1:]
    precision = np.divide(tp[..., 1:], taken, out=np.zeros_like(taken), where=taken > 0)
    return np.asarray((np.diff(tp) * precision).sum(axis=-1) / tp[..., -1])


def kolmogorov_smirnov(tp: Floats, fp: Floats) -> Floats:
    """The greatest TPR − FPR."""
    return np.asarray((tp / tp[..., -1:] - fp / fp[..., -1:]).max(axis=-1))


def partial_auc(tp: Floats, fp: Floats, max_fpr: float) -> Floats:
    """The area over FPR from 0 to `max_fpr`, standardised to ½ for chance and 1 for a perfect
    ranking.

    McClish DK (1989) Analyzing a portion of the ROC curve. Medical Decision Making 9:190-195.
    """
    across, up = fp / fp[..., -1:], tp / tp[..., -1:]
    left, right = across[..., :-1], across[..., 1:]
    share = np.divide(
        np.minimum(right, max_fpr) - np.minimum(left, max_fpr),
        right - left,
        out=np.zeros_like(right),
        where=right > left,
    )
    width = np.minimum(right, max_fpr) - np.minimum(left, max_fpr)
    area = (width * (up[..., :-1] + share * np.diff(up) / 2)).sum(axis=-1)
    least = max_fpr**2 / 2
    return np.asarray((1 + (area - least) / (max_fpr - least)) / 2)


def tpr_at_fpr(tp: Floats, fp: Floats, fpr: float) -> Floats:
    """The greatest TPR of a threshold whose FPR is at most `fpr`."""
    allowed = fp <= fpr * fp[..., -1:] * (1 + 1e-12)  # 3 of 60 is .05, whatever floats make of it
    return np.asarray(np.where(allowed, tp, 0.0).max(axis=-1) / tp[..., -1])


def precision_at(tp: Floats, fp: Floats, k: float) -> Floats:
    """The share of positives among the k highest scores; of equal scores at the cut, their mean
    over all orders.
    """
    taken = tp + fp
    room = np.clip(np.minimum(taken[..., 1:], k) - taken[..., :-1], 0.0, None)
    step = np.diff(taken)
    found = np.divide(np.diff(tp) * room, step, out=np.zeros_like(step), where=step > 0)
    return np.asarray(found.sum(axis=-1) / np.minimum(k, taken[..., -1]))


def placements(sample: Sorted) -> Floats:
    """DeLong's components: of a positive the share of negatives below, of a negative the share of
    positives above.

    In the instances' order; ties count one half. The mean over either class is the area.
    """
    tp, fp = sample.steps()
    lengths = np.diff(sample.ends, prepend=-1)
    beaten = np.repeat(1 - (fp[1:] + fp[:-1]) / (2 * fp[-1]), lengths)
    above = np.repeat((tp[1:] + tp[:-1]) / (2 * tp[-1]), lengths)
    out = np.empty(len(sample.order))
    out[sample.order] = np.where(sample.positive, beaten, above)
    return out


def _from_zero(values: Floats) -> Floats:
    return np.concatenate([np.zeros((*values.shape[:-1], 1)), values], axis=-1)
