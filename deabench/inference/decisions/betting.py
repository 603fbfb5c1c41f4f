"""Bet on mixes of classifiers: wealth that stays small while the tested statement is wrong.

Metrics are means of outcomes in [0, 1]; Y_jr is the outcome of classifier j in metric r, averaged
over one round. Classifier i has an efficiency of q or more if and only if there are weights w ≥ 0
with Σ_r w_r (q E Y_jr − E Y_ir) ≤ 0 for every rival j. One bet x ≥ 0 on the rivals, chosen before
the round and common to all metrics, turns a wealth of 1 into Π_t (1 + Σ_r w_r x_t'(q Y_tr −
Y_tir)), a nonnegative supermartingale. Its logarithm is concave in w, so that its least value over
the simplex is at a corner: the poorest of the metrics has at most this wealth, and Ville's
inequality bounds the chance that it ever reaches c by 1/c. By the same argument with the two sides
exchanged, bets on metrics that are judged by the poorest rival show an efficiency of at least q.

Bets must be common to all metrics (to all rivals on the other side): with bets of its own each
metric could win against another rival, where no mix wins in all of them. A mixture over sizes of
bets is not log-concave; its least wealth is taken within each size, before the sum.

References
----------
Waudby-Smith, Ramdas (2024), JRSS B 86, 1-27, doi:10.1093/jrsssb/qkad009. Exponentiated gradient:
Helmbold, Schapire, Singer, Warmuth (1998), Mathematical Finance 8, 325-347.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

Array = np.ndarray
Objective = Callable[[Array], tuple[Array, Array]]
"""From bets (T, assets) to growths (T, markets) and their gradients (T, markets, assets)."""

LEARNING_ROUNDS = 10
"""Bets are learned again after every tenth round, at first."""
GROWTH_OF_ROUNDS = 1.1
"""Later bets are learned again when there are a tenth more rounds."""
LIMIT_GRID = np.array(
    [0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 1.0]
)
"""Limits of efficiencies are one of these numbers."""
CASH = 0.05
"""At least this share of the wealth is never at stake, so that no round can lose all of it."""
PSEUDO_ROUNDS = 2.0
"""Rounds assumed before the first, with differences of mean 0 and mean square 1."""
STEPS = 24
"""Of learning, from the last bets on."""
WEIGHT_STEP = 1.5
"""How fast the weights move to the poorest metric, at most."""
CAUTION = 0.1
TINY_GROWTH = 1e-12
SMALLEST_SHARE = 1e-6
"""A share of 0 could never grow again by multiplication."""
FIRST_SHARE = 0.01
"""Of the wealth, on all rivals together, before anything is learned."""
MAX_EXPONENT = 2.0
FIXED_BETS = np.array([0.03, 0.1, 0.25, 0.5, 0.9])
"""Sizes of the bets of limits: small ones prove a limit that is close to the score."""


def next_learning(rounds: int) -> int:
    """Return after which round the bets are learned next."""
    return max(rounds + LEARNING_ROUNDS, int(np.ceil(rounds * GROWTH_OF_ROUNDS)))


@dataclass
class RoundMoments:
    """Sums over the rounds so far; a round without instances of a metric counts as 0 for all.

    Attributes
    ----------
    counts : array (k, k)
        Rounds in which both classifiers were run.
    sums : array (s, k)
    products : array (s, k, k)
    """

    counts: Array
    sums: Array
    products: Array

    @classmethod
    def empty(cls, k: int, s: int) -> RoundMoments:
        """Return the sums before the first round."""
        return cls(np.zeros((k, k)), np.zeros((s, k)), np.zeros((s, k, k)))

    def add(self, outcomes: Array, present: Array) -> None:
        """Add rounds (t, k, s) of the classifiers that were run, bool (k,)."""
        outcomes = np.where(present[:, None], outcomes, 0.0)
        self.counts += len(outcomes) * np.outer(present, present)
        self.sums += outcomes.sum(axis=0).T
        self.products += np.einsum("tjr,tlr->rjl", outcomes, outcomes, optimize=True)

    @property
    def means(self) -> Array:
        """Return the means (s, k), drawn towards 0 by the rounds assumed before the first."""
        return np.asarray(self.sums / (np.diagonal(self.counts) + PSEUDO_ROUNDS))

    @property
    def second_moments(self) -> Array:
        """Return the means of products of two classifiers' outcomes (s, k, k)."""
        return np.asarray(self.products / (self.counts + PSEUDO_ROUNDS))

    def assumed_squares(self, rows: Array) -> Array:
        """Return what the assumed rounds add to the mean square of a difference (T, 1)."""
        rounds = np.diagonal(self.counts)[rows] + PSEUDO_ROUNDS
        return np.asarray(PSEUDO_ROUNDS / rounds)[:, None]


def climb(shares: Array, objective: Objective, curvature: Array, rounds: float) -> Array:
    """Raise the least growth over the markets by exponentiated gradient; never lower it.

    Parameters
    ----------
    shares : array (T, assets + 1)
        The last bets of each test, and cash; rows of sum 1. Assets with a share of 0 stay at 0.
    objective : Objective
    curvature : array (T,)
        The largest second derivative by an asset: steps of its inverse do not overshoot.
    rounds : float
        So far. Differences of growth that so few rounds cannot tell hardly move the weights.

    Returns
    -------
    array (T, assets + 1)
    """
    allowed = shares[:, :-1] > 0
    shares = np.maximum(shares, SMALLEST_SHARE)
    shares[:, :-1] *= allowed
    shares /= shares.sum(axis=1, keepdims=True)
    best = shares
    best_growth = np.full(len(shares), -np.inf)
    average = np.zeros_like(shares)
    # The least growth is a game: metrics that grow slowly gain weight while the bets climb.
    weights: Array | float = 1.0
    for step in range(1, STEPS + 2):
        if step > STEPS:
            # The mean of all steps solves the game where single steps swing around it.
            shares = average / STEPS
        growths, gradients = objective((1 - CASH) * shares[:, :-1])
        growth = growths.min(axis=1)
        # A step may lower the least growth, so the best bets are remembered.
        better = growth > best_growth
        best = np.where(better[:, None], shares, best)
        best_growth = np.where(better, growth, best_growth)
        ahead = growths - growth[:, None]
        # A market that is left out has an infinite growth and gets no weight.
        is_market = np.isfinite(ahead)
        largest = np.where(is_market, ahead, 0.0).max(axis=1, keepdims=True)
        pace = np.full_like(largest, rounds * CAUTION)
        np.minimum(pace, WEIGHT_STEP / np.maximum(largest, TINY_GROWTH), out=pace)
        moves = np.where(is_market, ahead, 0.0) * pace / np.sqrt(step)
        weights = weights * np.where(is_market, np.exp(-moves), 0.0)
        weights /= weights.sum(axis=1, keepdims=True)
        direction = np.einsum("tb,tba->ta", weights, gradients)
        exponent = direction / ((1 - CASH) * curvature[:, None])
        moved = shares.copy()
        moved[:, :-1] *= np.exp(np.clip(exponent, -MAX_EXPONENT, MAX_EXPONENT))
        shares = moved / moved.sum(axis=1, keepdims=True)
        average += shares
    return np.asarray(best)


@dataclass
class MixWealth:
    """The wealth of bets that some mix of the others beats a classifier in every metric.

    Attributes
    ----------
    rows : int array (T,)
        The tested classifiers.
    ratio : float
        q: an efficiency below q is to be shown; 1 for "dominated".
    shares : array (T, k + 1)
        Of the wealth, on each rival, and cash.
    log_wealth : array (T, s)
    highest : array (T,)
        The highest logarithm so far of the poorest metric's wealth: the evidence.
    """

    rows: Array
    ratio: float
    shares: Array
    log_wealth: Array
    highest: Array

    @classmethod
    def start(cls, rows: Array, k: int, s: int, ratio: float = 1.0) -> MixWealth:
        """Return a wealth of 1 with small, equal bets on all rivals."""
        tests = len(rows)
        shares = np.full((tests, k + 1), FIRST_SHARE / (k - 1))
        shares[np.arange(tests), rows] = 0.0
        shares[:, -1] = 1 - FIRST_SHARE
        return cls(rows, ratio, shares, np.zeros((tests, s)), np.zeros(tests))

    @property
    def bets(self) -> Array:
        """Return the shares of the wealth that are at stake on each rival (T, k)."""
        return np.asarray((1 - CASH) * self.shares[:, :-1])

    @property
    def mix(self) -> Array:
        """Return the bets as a mix of sum 1 (T, k)."""
        return np.asarray(self.shares[:, :-1] / self.shares[:, :-1].sum(axis=1, keepdims=True))

    def add(self, outcomes: Array, present: Array) -> Array:
        """Play rounds (t, k, s) with today's bets; return the evidence after each (t, T).

        Classifiers that are not present are not bet on, and not tested.
        """
        bets = self.bets * present
        tested = outcomes[:, self.rows]
        # Every metric is played with the same bets: this is what the proof needs.
        won = np.einsum("ij,tjr->tir", bets, self.ratio * outcomes, optimize=True)
        gains = won - bets.sum(axis=1)[None, :, None] * tested
        logs = np.where(present[self.rows][:, None], np.log1p(gains), 0.0)
        path = self.log_wealth + np.cumsum(logs, axis=0)
        self.log_wealth = path[-1]
        evidence = np.maximum(np.maximum.accumulate(path.min(axis=2), axis=0), self.highest)
        self.highest = evidence[-1]
        return np.asarray(evidence)

    def learn(self, moments: RoundMoments) -> None:
        """Choose the bets of the next rounds by all rounds so far."""
        # Squared differences q Y_j − Y_i are the curvatures; the largest one bounds each step.
        second = moments.second_moments
        squares = np.einsum("rjj->rj", second)
        cross = self.ratio * second[:, self.rows]
        differences = self.ratio**2 * squares[:, None] - 2 * cross + squares[:, self.rows, None]
        curvature = differences.max(axis=(0, 2)) + moments.assumed_squares(self.rows)[:, 0]
        rounds = float(moments.counts.max())
        self.shares = climb(
            self.shares, lambda bets: self._growths(bets, moments), curvature, rounds
        )

    def growth(self, moments: RoundMoments) -> Array:
        """Return the growth of the log wealth a round that today's bets promise (T, s)."""
        return self._growths(self.bets, moments)[0]

    def _growths(self, bets: Array, moments: RoundMoments) -> tuple[Array, Array]:
        """Return x'm_r − x'C_r x/2 (T, s) and its gradient by the bets (T, s, k)."""
        means = moments.means
        second = moments.second_moments
        total = bets.sum(axis=1)
        tested_means = means[:, self.rows].T
        # m_r: the mean differences q Y_jr − Y_ir.
        gaps = self.ratio * means[None] - tested_means[:, :, None]
        # C_r x, where C_r = q² S − q s_i 1' − q 1 s_i' + S_ii 1 1' holds products of differences.
        products = self.ratio * second[:, self.rows].transpose(1, 0, 2)
        squares = second[:, self.rows, self.rows].T
        curved = self.ratio**2 * np.einsum("rjl,il->irj", second, bets, optimize=True)
        curved -= products * total[:, None, None]
        curved -= np.einsum("irj,ij->ir", products, bets)[:, :, None]
        curved += (squares * total[:, None])[:, :, None]
        curved += (moments.assumed_squares(self.rows) * bets)[:, None]
        growths = np.einsum("irj,ij->ir", gaps - curved / 2, bets)
        return growths, gaps - curved


@dataclass
class LimitWealth:
    """The wealth of fixed shares on one side of a classifier's efficiency, over a grid of q.

    Upper side: 1 + b (q λ'Y_r − Y_ir), judged by the poorest metric, shows an efficiency below q.
    Lower side: 1 + b w'(Y_i − q Y_j), judged by the poorest rival, shows one of at least q. Only
    the mix λ, or the weights w, change over time; they are the same for every q, which makes the
    wealth monotone in q.

    Attributes
    ----------
    side : {"lower", "upper"}
    rows : int array (T,)
    grid : array (G,)
        Increasing.
    log_wealth : array (T, G, sizes of bets, markets)
        Markets are metrics on the upper side and rivals on the lower one.
    highest : array (T, G)
        The highest logarithm so far of the mixture over sizes: the evidence.
    """

    side: str
    rows: Array
    grid: Array
    log_wealth: Array
    highest: Array

    @classmethod
    def start(cls, side: str, rows: Array, grid: Array, markets: int) -> LimitWealth:
        """Return a wealth of 1 for every q and size."""
        shape = (len(rows), len(grid))
        log_wealth = np.zeros((*shape, len(FIXED_BETS), markets))
        return cls(side, rows, grid, log_wealth, np.zeros(shape))

    def add(
        self, outcomes: Array, present: Array, direction: Array, excluded: Array | None = None
    ) -> None:
        """Play rounds (t, k, s).

        Parameters
        ----------
        outcomes, present
            As for `MixWealth.add`.
        direction : array (T, k) or (T, s)
            λ of the upper side, w of the lower one; chosen before the rounds.
        excluded : bool array (k,), optional
            Rivals shown to be dominated, which the lower side need not beat.
        """
        candidates = outcomes[:, self.rows]
        tested = present[self.rows]
        if self.side == "upper":
            mix = direction * present
            total = mix.sum(axis=1, keepdims=True)
            mix = np.divide(mix, total, out=np.zeros_like(mix), where=total > 0)
            # Without a rival that was run nothing is bet.
            tested = tested & (total[:, 0] > 0)
            high = np.einsum("ij,tjr->tir", mix, outcomes, optimize=True)
            low = candidates
        else:
            high = np.einsum("ir,tir->ti", direction, candidates)[:, :, None]
            low = np.einsum("ir,tjr->tij", direction, outcomes, optimize=True)
        markets = tested[:, None] if self.side == "upper" else tested[:, None] & present
        for round_high, round_low in zip(high, low, strict=True):
            q = self.grid[None, :, None]
            if self.side == "upper":
                gains = q * round_high[:, None] - round_low[:, None]
            else:
                gains = round_high[:, None] - q * round_low[:, None]
            logs = np.log1p(FIXED_BETS[:, None] * gains[:, :, None])
            # A rival that was not run keeps the wealth that it had.
            self.log_wealth += np.where(markets[:, None, None], logs, 0.0)
            np.maximum(self.highest, self._evidence(excluded), out=self.highest)

    def _evidence(self, excluded: Array | None) -> Array:
        """Return the logarithm of the mixture over sizes of the poorest market's wealth (T, G)."""
        wealth = self.log_wealth
        if self.side == "lower":
            # A classifier is no rival of its own.
            skipped = np.zeros((len(self.rows), wealth.shape[-1]), dtype=bool)
            skipped[np.arange(len(self.rows)), self.rows] = True
            if excluded is not None:
                skipped |= excluded
            # Where all rivals are dominated one of them must still be beaten: none is excluded.
            skipped[skipped.all(axis=1)] = False
            wealth = np.where(skipped[:, None, None], np.inf, wealth)
        # The least is taken within each size: a mixture over sizes is not log-concave.
        lowest_wealth = wealth.min(axis=-1)
        return np.asarray(logsumexp(lowest_wealth, axis=-1) - np.log(len(FIXED_BETS)))

    def limit(self, log_threshold: float) -> Array:
        """Return the limits (T,): the nearest q on the grid whose evidence reaches the threshold.

        Without one the limit is 0 on the lower side and 1 on the upper one.
        """
        shown = self.highest >= log_threshold
        if self.side == "lower":
            return np.asarray(np.where(shown, self.grid, 0.0).max(axis=1))
        return np.asarray(np.where(shown, self.grid, 1.0).min(axis=1))


@dataclass
class WeightDirections:
    """Weights of the metrics that show an efficiency of at least q, learned over time.

    Attributes
    ----------
    rows : int array (T,)
    ratio : float
    shares : array (T, s + 1)
    """

    rows: Array
    ratio: float
    shares: Array

    @classmethod
    def start(cls, rows: Array, s: int, ratio: float = 1.0) -> WeightDirections:
        """Return equal weights."""
        shares = np.full((len(rows), s + 1), FIRST_SHARE / s)
        shares[:, -1] = 1 - FIRST_SHARE
        return cls(rows, ratio, shares)

    @property
    def weights(self) -> Array:
        """Return the weights (T, s), of sum 1."""
        return np.asarray(self.shares[:, :-1] / self.shares[:, :-1].sum(axis=1, keepdims=True))

    def learn(self, moments: RoundMoments) -> None:
        """Choose weights by all rounds so far: the least w'm_j − (Σ_r w_r c_jr)²/2 is raised.

        c_jr is the root mean square of a difference; that of a sum is at most the sum of theirs.
        """
        means = moments.means
        second = moments.second_moments
        squares = np.einsum("rjj->rj", second)
        q = self.ratio
        gaps = means[:, self.rows].T[:, None] - q * means.T[None]
        cross = second[:, self.rows].transpose(1, 2, 0)
        differences = squares[:, self.rows].T[:, None] - 2 * q * cross + q**2 * squares.T[None]
        assumed = moments.assumed_squares(self.rows)[:, :, None]
        # Moments of classifiers that missed rounds need not fit together.
        deviations = np.sqrt(np.maximum(differences, 0.0) + assumed)
        same = np.arange(len(self.rows)), self.rows

        def growths(bets: Array) -> tuple[Array, Array]:
            spread = np.einsum("ijr,ir->ij", deviations, bets)
            values = np.einsum("ijr,ir->ij", gaps, bets) - spread**2 / 2
            # A classifier is no rival of its own.
            values[same] = np.inf
            return values, gaps - spread[:, :, None] * deviations

        curvature = (deviations**2).max(axis=(1, 2))
        self.shares = climb(self.shares, growths, curvature, float(moments.counts.max()))
