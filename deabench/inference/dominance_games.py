"""Many small matrix games at once: the score of a classifier is the value of one.

With the ratios ρ_jr = y_jr / y_ir the score of classifier i is θ_i = max{Σ_r v_r : Σ_r ρ_jr v_r ≤ 1
for every j, v ≥ 0}, one over the value of the game ρ. Inputs with ratios ξ_jm = x_jm / x_im under
variable returns to scale add columns 1 − ξ without a gain: u_0 = 1 − Σu has been put in, so that v
= 0 is feasible, and the simplex method starts there. All games are pivoted together on condensed
tableaus of (rows + 1) x (columns + 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from deabench.errors import DataError
from deabench.utils.checks import choice

Array = np.ndarray

TINY = 1e-12
"""A reduced cost that counts as none; columns are scaled to a largest entry of 1, so it is a share
of the score.
"""
PROVED = 1e-9
"""A score whose own weights and mix leave a larger relative gap is solved again by HiGHS."""


@dataclass(frozen=True)
class Games:
    """The solutions of n games with k rows and s columns.

    Attributes
    ----------
    value : array (n,)
        max Σ gain · v.
    weights : array (n, s)
        v, feasible to rounding.
    mix : array (n, k)
        λ >= 0 of sum 1: the mix of rows that no weights beat; zeros where the value is 0 or
        infinite.
    """

    value: Array
    weights: Array
    mix: Array


def solve_games(
    rows: Array, gain: Array | None = None, *, limit: Array | None = None, pivots: int | None = None
) -> Games:
    """Solve max{gain · v : rows v ≤ limit, v ≥ 0} for every game.

    Parameters
    ----------
    rows : array (n, k, s)
        Finite; negative entries are allowed where the gain stays bounded.
    gain : array (s,) or (n, s), optional
        1 for every column without it.
    limit : array (k,), optional
        Numbers >= 0; 1 for every row without it.
    pivots : int, optional
        At most so many pivots by the steepest column, then as many by Bland's rule; what is not
        solved by then, and what its own weights and mix do not prove, HiGHS solves.

    Returns
    -------
    Games
        The value is inf where it is unbounded.
    """
    n, k, s = rows.shape
    gains = np.broadcast_to(np.ones(s) if gain is None else np.asarray(gain, dtype=float), (n, s))
    unit = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(unit > 0, unit, 1.0)
    unbounded = ((rows <= 0).all(axis=1) & (gains > 0)).any(axis=1)
    most = np.ones(k) if limit is None else np.asarray(limit, dtype=float)
    weights, mix = _simplex(
        rows / unit[:, None, :], gains / unit, most, 50 + 10 * s if pivots is None else pivots
    )
    weights = weights / unit
    value = np.einsum("ns,ns->n", weights, gains)
    for game in np.flatnonzero(~_proved(rows, gains, most, weights, mix) & ~unbounded):
        value[game], weights[game], mix[game] = _by_highs(rows[game], gains[game], most)
    value[unbounded], mix[unbounded] = np.inf, 0.0
    total = mix.sum(axis=1, keepdims=True)
    return Games(value, weights, np.divide(mix, total, out=np.zeros_like(mix), where=total > 0))


def _simplex(rows: Array, gains: Array, most: Array, pivots: int) -> tuple[Array, Array]:
    """Weights (n, s) and duals (n, k), as far as the pivots go."""
    n, k, s = rows.shape
    tableau = np.zeros((n, k + 1, s + 1))
    tableau[:, :k, :s], tableau[:, :k, s], tableau[:, k, :s] = rows, most, -gains
    column = np.tile(np.arange(s), (n, 1))
    basis = np.tile(np.arange(s, s + k), (n, 1))
    floor = TINY * gains.max(axis=1, initial=0.0)
    weights, duals = np.zeros((n, s)), np.zeros((n, k))
    at = np.arange(n)
    for step in range(2 * pivots + 1):
        enter, leave, done = _choice(tableau, column, basis, floor[at], bland=step >= pivots)
        if done.any() or step == 2 * pivots:
            done = np.ones_like(done) if step == 2 * pivots else done
            _read(tableau[done], column[done], basis[done], at[done], weights, duals)
            keep = ~done
            tableau, column, basis, at = tableau[keep], column[keep], basis[keep], at[keep]
            enter, leave = enter[keep], leave[keep]
        if not len(at):
            break
        _pivot(tableau, column, basis, leave, enter)
    return weights, duals


def _choice(
    tableau: Array, column: Array, basis: Array, floor: Array, *, bland: bool
) -> tuple[Array, Array, Array]:
    """The entering column and the leaving row of each game, and which games are at their optimum."""
    game = np.arange(len(tableau))
    cost = tableau[:, -1, :-1]
    wanted = cost < -floor[:, None]
    enter = (
        np.where(wanted, column, np.iinfo(np.int64).max).argmin(axis=1)
        if bland
        else cost.argmin(axis=1)
    )
    body = tableau[game, :-1, enter]
    usable = body > 1e-11
    ratio = np.full(body.shape, np.inf)
    np.divide(tableau[:, :-1, -1], body, out=ratio, where=usable)
    least = ratio.min(axis=1, keepdims=True)
    tied = usable & (ratio <= least + 1e-13)
    leave = np.where(tied, -basis if bland else body, -np.inf).argmax(axis=1)
    return enter, leave, np.asarray(~wanted.any(axis=1) | ~usable.any(axis=1))


def _pivot(tableau: Array, column: Array, basis: Array, leave: Array, enter: Array) -> None:
    """Exchange a row's basic variable for a column's, in place."""
    game = np.arange(len(tableau))
    pivot = tableau[game, leave, enter][:, None]
    up = tableau[game, :, enter].copy()
    across = tableau[game, leave] / pivot
    tableau -= up[:, :, None] * across[:, None, :]
    tableau[game, :, enter] = -up / pivot
    tableau[game, leave] = across
    tableau[game, leave, enter] = 1.0 / pivot[:, 0]
    np.maximum(
        tableau[:, :-1, -1], 0.0, out=tableau[:, :-1, -1]
    )  # a level of -1e-17 is a degenerate 0
    entering = column[game, enter].copy()
    column[game, enter] = basis[game, leave]
    basis[game, leave] = entering


def _read(
    tableau: Array, column: Array, basis: Array, at: Array, weights: Array, duals: Array
) -> None:
    """Put the weights and the duals of finished games in their places."""
    s = weights.shape[1]
    game, row = np.nonzero(basis < s)
    weights[at[game], basis[game, row]] = tableau[game, row, -1]
    game, col = np.nonzero(column >= s)
    duals[at[game], column[game, col] - s] = np.maximum(tableau[game, -1, col], 0.0)


def _proved(rows: Array, gains: Array, most: Array, weights: Array, duals: Array) -> Array:
    """Whether weights and duals prove each other: both feasible, and alike in what they reach."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        over = (np.einsum("nks,ns->nk", rows, weights) - most).max(axis=1, initial=0.0)
        reached, bound = np.einsum("ns,ns->n", weights, gains), duals @ most
        short = (
            (gains - np.einsum("nk,nks->ns", duals, rows)) / np.where(gains > 0, gains, 1.0)
        ).max(axis=1, initial=0.0)
        size = np.maximum(np.abs(reached), 1e-300)
        return np.asarray(
            (over <= PROVED) & (short <= PROVED) & (np.abs(bound - reached) <= PROVED * size)
        )


def _by_highs(rows: Array, gain: Array, most: Array) -> tuple[float, Array, Array]:
    """One game by HiGHS."""
    from scipy.optimize import linprog

    from deabench.errors import SolveError

    found = linprog(
        -gain,
        A_ub=rows,
        b_ub=most,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status == 3:
        return np.inf, np.zeros(len(gain)), np.zeros(len(rows))
    if found.status != 0:
        raise SolveError(
            f"a game of {len(rows)} rows and {len(gain)} columns did not end optimal; HiGHS says: {found.message}"
        )
    return float(-found.fun), np.asarray(found.x), np.asarray(-found.ineqlin.marginals)


Returns = Literal["vrs", "crs"]
Orientation = Literal["output", "input"]


@dataclass(frozen=True)
class Technology:
    """What counts as possible, and what is to change.

    Attributes
    ----------
    inputs : int
        How many of the columns are inputs; they are the last ones.
    returns : {"vrs", "crs"}
    orientation : {"output", "input"}
    """

    inputs: int
    returns: Returns = "vrs"
    orientation: Orientation = "output"

    def scores(self, own: Array, ratios: Array) -> tuple[Array, Array]:
        """Scores of n classifiers among k.

        Parameters
        ----------
        own : array (n, p)
            Their outputs in the unit of `ratios`, 1 where those are ratios; zeros are allowed.
        ratios : array (n, k, p + q)
            Everybody's outputs, and everybody's inputs as ratios ξ.

        Returns
        -------
        scores (n,), mixes (n, k)
            λ >= 0 of the rivals: of sum 1 with variable returns; zeros where the score is 0.
        """
        p = ratios.shape[2] - self.inputs
        outputs, inputs = ratios[:, :, :p], ratios[:, :, p:]
        if self.returns == "crs":
            return self._constant(own, outputs, inputs)
        if self.orientation == "input":
            rows = np.concatenate([inputs, own[:, None] - outputs], axis=2).transpose(0, 2, 1)
            found = solve_games(rows, limit=np.append(np.ones(self.inputs), np.zeros(p)))
            return 1 / found.value, found.weights / found.value[:, None]
        found = solve_games(
            np.concatenate([outputs, 1 - inputs], axis=2),
            np.hstack([own, np.zeros((len(own), self.inputs))]),
        )
        return found.value, found.mix

    def gap(self, score: Array) -> Array:
        """What a score says in shares: how much better every output of the mix is, or how much
        lower its every input.
        """
        return 1 - score if self.orientation == "input" else 1 / score - 1

    @property
    def name(self) -> str:
        """In words; empty where there are no inputs."""
        returns = {"vrs": "variable", "crs": "constant"}[self.returns]
        return (
            f"{self.orientation}-oriented under {returns} returns to scale" if self.inputs else ""
        )

    def _constant(self, own: Array, outputs: Array, inputs: Array) -> tuple[Array, Array]:
        n, k, p = outputs.shape
        rows = np.zeros((n, p + self.inputs, k + 1))
        rows[:, :p, 0] = own
        rows[:, :p, 1:] = -outputs.transpose(0, 2, 1)
        rows[:, p:, 1:] = inputs.transpose(0, 2, 1)
        found = solve_games(
            rows, np.append(1.0, np.zeros(k)), limit=np.append(np.zeros(p), np.ones(self.inputs))
        )
        score = 1 / found.value
        mix = np.where(
            np.isfinite(found.value)[:, None], found.weights[:, 1:], 0.0
        )  # without any output there is no mix
        return score, mix * score[:, None] if self.orientation == "input" else mix


def make_technology(inputs: int, returns: Returns, orientation: Orientation) -> Technology:
    """The technology, its words checked.

    Raises
    ------
    DataError
        For a word that is not known, and where there are no inputs for it to say something of.
    """
    choice("returns", returns, get_args(Returns))
    choice("orientation", orientation, get_args(Orientation))
    if not inputs and (returns, orientation) != ("vrs", "output"):
        word = f"returns '{returns}'" if returns != "vrs" else f"orientation '{orientation}'"
        raise DataError(
            f"{word} needs an input and none is given; add a cost with Samples.with_costs, or name one in inputs"
        )
    return Technology(inputs, returns, orientation)
