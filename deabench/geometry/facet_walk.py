"""In which basis each of many DMUs lies: a walk from facet to facet, where all facets are listed.

A facet's basis and the ray of a DMU give coordinates; where one is negative, the facet across the
ridge opposite is nearer, and the convexity of the whole lets no walk go round. A DMU starts where
one of nearly its direction has ended, so that a few steps are enough; the signs where it ends
certify its basis as any other."""

from __future__ import annotations

import numpy as np

from deabench.solver.family import Bases, Family
from deabench.solver.prepared_bases import Ready
from deabench.utils.arrays import total

INSIDE = 1e-12
"""A coordinate may be negative by this much."""
STEPS = 100
"""Steps of a walk; who needs more, as where facets are missing, is left to others."""
BITS = 32
"""Of the place of a direction on a curve that fills the space of them: numpy sorts 16 at a time by
counting.
"""
ROWS = 1 << 14
"""DMUs that walk together: their numbers stay in cache."""


class Walk:
    """Walks over the bases of a family of (5), all with θ in the place `theta` and the same
    right-hand side for all DMUs.
    """

    def __init__(self, family: Family, bases: Bases, theta: int) -> None:
        members = np.delete(np.arange(family.m), theta)
        own = bases.columns[:, members]
        middle = np.where(
            (own < family.n)[:, :, None], family.reference[np.minimum(own, family.n - 1)], 0.0
        ).sum(axis=1)
        self.order = _along(middle)  # facets that are near each other lie so in memory, too
        self.ready = ready = Ready(family, bases[self.order], theta)
        self.takes = ready.plain and ready.moving is None and ready.start is None
        self.neighbours = neighbours(own[self.order], len(family.table))
        level, pivot = (
            ready.fixed[:, theta],
            ready.turning[:, theta],
        )  # x_i is fixed_i - level · turning_i k / pivot k
        x = (
            ready.fixed[:, members, None] * pivot[:, None]
            - level[:, None, None] * ready.turning[:, members]
        )
        self.x = np.ascontiguousarray(x / np.abs(pivot).sum(axis=1)[:, None, None])

    def ends(self, tested: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The basis in which each of the data (K, s) lies, -1 where the walk found none, its basic
        variables there (K, m), and the factor (K,) that its duals take.
        """
        order = _along(tested)
        at, found = np.zeros(len(order), dtype=np.intp), np.zeros(len(order), dtype=bool)
        step = 1 << (len(order) - 1).bit_length()
        places = np.zeros(1, dtype=np.intp)
        while step:
            for low in range(0, len(places), ROWS):
                who = places[low : low + ROWS]
                near = at[
                    np.maximum(who - step, 0)
                ]  # the one before on the curve, of those that have walked
                at[who], found[who] = self._walk(tested.take(order[who], axis=0), near)
            step //= 2
            places = np.arange(step, len(order), 2 * max(step, 1))
        return self._solved(tested, order[found], at[found])

    def _walk(self, tested: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where walks of the data from the bases `start` end, or start again, and which of them
        have ended.
        """
        out, found, left, place = (
            start.copy(),
            np.zeros(len(tested), dtype=bool),
            np.arange(len(tested)),
            start,
        )
        for _ in range(STEPS):
            worst, value = _worst(np.einsum("kij,kj->ki", self.x.take(place, axis=0), tested))
            there = value >= -INSIDE
            ended = left[there]
            out[ended], found[ended] = place[there], True
            on = np.flatnonzero(~there)
            onward = self.neighbours.take(
                place.take(on) * self.neighbours.shape[1] + worst.take(on)
            )
            known = onward >= 0
            if not known.all():
                on, onward = on[known], onward[known]
            if not len(on):
                break
            left, tested, place = left.take(on), tested.take(on, axis=0), onward
        return out, found

    def _solved(
        self, tested: np.ndarray, rows: np.ndarray, place: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The solutions of the data `rows` in the bases `place`; -1 for the others, and where the
        signs do not bear them out.
        """
        ends, x, factor = (
            np.full(len(tested), -1),
            np.zeros((len(tested), self.ready.fixed.shape[1])),
            np.zeros(len(tested)),
        )
        for low in range(0, len(rows), ROWS):
            who, at = rows[low : low + ROWS], place[low : low + ROWS]
            x[who], factor[who] = solution = self.ready.values(at, tested.take(who, axis=0))
            ends[who] = np.where(self.ready.feasible(at, *solution), self.order[at], -1)
        return ends, x, factor


def _worst(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which entry of each row of x (K, s) is the least, and its value."""
    worst, value = np.zeros(len(x), dtype=np.int8), x[:, 0].copy()
    for k in range(1, x.shape[1]):
        below = x[:, k] < value
        np.copyto(worst, k, where=below)
        np.minimum(value, x[:, k], out=value)
    return worst, value


def _along(values: np.ndarray) -> np.ndarray:
    """An order of rows (K, s) in which near directions mostly follow each other: along a Z-curve of
    their shares of their sum.
    """
    shares = values[:, :-1] / np.maximum(total(values), np.finfo(float).tiny)[:, None]
    count = max(shares.shape[1], 1)
    bits = min(BITS // count, 10)
    spread = np.zeros(1 << bits, dtype=np.uint32)
    for bit in range(bits):
        spread |= (np.arange(1 << bits, dtype=np.uint32) >> bit & 1) << bit * count
    code = np.zeros(len(values), dtype=np.uint32)
    for r, share in enumerate(shares.T):
        low, high = share.min(), share.max()
        place = (share - low) * (((1 << bits) - 1) / max(high - low, np.finfo(float).tiny))
        code |= spread[place.astype(np.intp)] << r
    order = np.argsort(code.astype(np.uint16), kind="stable")
    return order[np.argsort((code >> 16).astype(np.uint16)[order], kind="stable")]


def neighbours(members: np.ndarray, names: int) -> np.ndarray:
    """The basis (B, s) across the ridge opposite each member, -1 where there is none or more than
    one: a ridge is known by the sum of random numbers of its members, and a wrong guess would only
    lead a walk astray.
    """
    numbers = np.random.default_rng(0).integers(0, 1 << 63, names, dtype=np.uint64)[members]
    keys = (numbers.sum(axis=1, dtype=np.uint64)[:, None] - numbers).ravel()
    order = np.argsort(keys, kind="stable")
    same = keys[order][1:] == keys[order][:-1]
    pair = same & ~np.append(False, same[:-1]) & ~np.append(same[1:], False)
    first = np.flatnonzero(pair)
    one, other = order[first], order[first + 1]
    out, s = np.full(len(keys), -1), members.shape[1]
    out[one], out[other] = other // s, one // s
    return out.reshape(members.shape)
