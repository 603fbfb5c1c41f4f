"""Score classifiers at given ratios by solving many small linear programs at once.

With the ratios ρ_jr = y_jr / y_ir of outputs and ξ_jm = x_jm / x_im of inputs, the score θ of
classifier i among all j is

    vrs, output    max{Σv : Σ_r ρ_jr v_r + Σ_m (1 − ξ_jm) u_m ≤ 1 for all j}
    vrs, input     1/θ = max{Σμ : Σ_j ξ_jm μ_j ≤ 1, Σ_j (1 − ρ_jr) μ_j ≤ 0}              (μ = λ/θ)
    crs            1/θ = max{t : t ≤ Σ_j ρ_jr μ_j, Σ_j ξ_jm μ_j ≤ 1}        (both orientations)

with non-negative variables. Without inputs the first one is a matrix game: the score is one over
the value of the game ρ. (In the first, u_0 = 1 − Σu has been substituted, so that v = 0 is
feasible.) Every score falls in each ρ and rises in each ξ, so that its extremes over a box of
ratios are at two corners.

All programs have the form max{gain · v : rows v ≤ limit, v ≥ 0} with limit ≥ 0. The simplex method
starts at v = 0, and all programs are pivoted together on condensed tableaus of (rows + 1) x
(columns + 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy

from deabench.errors import DataError, SolveError
from deabench.utils.checks import choice

Array = np.ndarray
Returns = Literal["vrs", "crs"]
Orientation = Literal["output", "input"]

TINY_COST = 1e-12
"""A reduced cost below this share of the score counts as 0; columns are scaled to a largest entry
of 1."""
TINY_PIVOT = 1e-11
TIE = 1e-13
"""Ratios of the ratio test that differ by less are tied."""
LARGEST_RATIO = 1e12
"""Larger ratios count as this one where HiGHS solves a game."""
MAX_GAP = 1e-9
"""A score whose own weights and mix leave a larger relative gap is solved again by HiGHS."""


@dataclass(frozen=True)
class GameSolutions:
    """The solutions of n games with k rows and s columns.

    Attributes
    ----------
    value : array (n,)
        max gain · v.
    weights : array (n, s)
        v, feasible to rounding.
    mix : array (n, k)
        λ >= 0 of sum 1: the mix of rows that no weights beat; zeros where the value is 0 or
        infinite.
    """

    value: Array
    weights: Array
    mix: Array


@dataclass(frozen=True)
class Technology:
    """Which mixes of classifiers count as possible, and what is to improve.

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

    @property
    def name(self) -> str:
        """Return orientation and returns to scale in words."""
        returns = {"vrs": "variable", "crs": "constant"}[self.returns]
        return f"{self.orientation}-oriented under {returns} returns to scale"

    def scores(self, outputs: Array, ratios: Array) -> tuple[Array, Array]:
        """Score n classifiers among k.

        Parameters
        ----------
        outputs : array (n, p)
            Their outputs in the unit of `ratios`, 1 where those are ratios; zeros are allowed.
        ratios : array (n, k, p + q)
            The outputs of all k, and their inputs as ratios ξ.

        Returns
        -------
        scores (n,), mixes (n, k)
            λ >= 0 of the rivals: of sum 1 with variable returns; zeros where the score is 0.
        """
        p = ratios.shape[2] - self.inputs
        rivals = ratios[:, :, :p]
        inputs = ratios[:, :, p:]
        if self.returns == "crs":
            return self._constant_returns_scores(outputs, rivals, inputs)
        if self.orientation == "input":
            # One row for each metric, one column μ_j for each rival.
            rows = np.concatenate([inputs, outputs[:, None] - rivals], axis=2)
            limit = np.append(np.ones(self.inputs), np.zeros(p))
            solutions = solve_games(rows.transpose(0, 2, 1), limit=limit)
            return 1 / solutions.value, solutions.weights / solutions.value[:, None]
        # Inputs have no gain: they only limit which mixes count.
        gain = np.hstack([outputs, np.zeros((len(outputs), self.inputs))])
        solutions = solve_games(np.concatenate([rivals, 1 - inputs], axis=2), gain)
        return solutions.value, solutions.mix

    def gap(self, score: Array) -> Array:
        """Return by which share each output of the mix is higher, or each of its inputs lower."""
        if self.orientation == "input":
            return 1 - score
        return 1 / score - 1

    def _constant_returns_scores(
        self, outputs: Array, rivals: Array, inputs: Array
    ) -> tuple[Array, Array]:
        # The variables are (t, μ_1, ..., μ_k); t is to be maximal.
        n, k, p = rivals.shape
        rows = np.zeros((n, p + self.inputs, k + 1))
        rows[:, :p, 0] = outputs
        rows[:, :p, 1:] = -rivals.transpose(0, 2, 1)
        rows[:, p:, 1:] = inputs.transpose(0, 2, 1)
        gain = np.append(1.0, np.zeros(k))
        limit = np.append(np.zeros(p), np.ones(self.inputs))
        solutions = solve_games(rows, gain, limit=limit)
        score = 1 / solutions.value
        # A classifier without any output has an unbounded t and no mix.
        finite = np.isfinite(solutions.value)[:, None]
        mix = np.where(finite, solutions.weights[:, 1:], 0.0)
        if self.orientation == "input":
            mix = mix * score[:, None]
        return score, mix


def make_technology(inputs: int, returns: Returns, orientation: Orientation) -> Technology:
    """Return the technology after checking its options.

    Raises
    ------
    DataError
        For an unknown option, and where there are no inputs for it to refer to.
    """
    choice("returns", returns, get_args(Returns))
    choice("orientation", orientation, get_args(Orientation))
    if not inputs and (returns, orientation) != ("vrs", "output"):
        option = f"returns '{returns}'" if returns != "vrs" else f"orientation '{orientation}'"
        raise DataError(
            f"{option} needs an input and none is given; add a cost with Samples.with_costs, or "
            "name one in inputs"
        )
    return Technology(inputs, returns, orientation)


def solve_games(
    rows: Array, gain: Array | None = None, *, limit: Array | None = None, pivots: int | None = None
) -> GameSolutions:
    """Solve max{gain · v : rows v ≤ limit, v ≥ 0} for every game.

    Parameters
    ----------
    rows : array (n, k, s)
        Finite; negative entries are allowed where the gain stays bounded.
    gain : array (s,) or (n, s), optional
        1 for every column by default.
    limit : array (k,), optional
        Numbers >= 0; 1 for every row by default.
    pivots : int, optional
        At most so many pivots by the steepest column, then as many by Bland's rule. Games that are
        not solved by then, and those that their own weights and mix do not prove, go to HiGHS.

    Returns
    -------
    GameSolutions
        The value is inf where it is unbounded.
    """
    n, k, s = rows.shape
    gains = np.broadcast_to(np.ones(s) if gain is None else np.asarray(gain, dtype=float), (n, s))
    limits = np.ones(k) if limit is None else np.asarray(limit, dtype=float)
    # A column with gain and without a positive entry can grow for ever.
    unbounded = ((rows <= 0).all(axis=1) & (gains > 0)).any(axis=1)
    # Columns are scaled to a largest entry of 1, so that the tolerances are relative.
    scale = np.abs(rows).max(axis=1, initial=0.0)
    scale = np.where(scale > 0, scale, 1.0)
    max_pivots = 50 + 10 * s if pivots is None else pivots
    weights, mix = _run_simplex(rows / scale[:, None, :], gains / scale, limits, max_pivots)
    # Back to the user's columns.
    weights = weights / scale
    value = np.einsum("ns,ns->n", weights, gains)
    # Weights and mix are primal and dual solutions: where they agree, the value is proved.
    for game in np.flatnonzero(~_is_proved(rows, gains, limits, weights, mix) & ~unbounded):
        value[game], weights[game], mix[game] = _solve_by_highs(rows[game], gains[game], limits)
    value[unbounded] = np.inf
    mix[unbounded] = 0.0
    total = mix.sum(axis=1, keepdims=True)
    # Duals of sum 1 are the mixed strategy of the rows.
    mix = np.divide(mix, total, out=np.zeros_like(mix), where=total > 0)
    return GameSolutions(value, weights, mix)


def _run_simplex(rows: Array, gains: Array, limits: Array, max_pivots: int) -> tuple[Array, Array]:
    """Pivot all games together; return weights (n, s) and duals (n, k).

    Numbers below s stand for columns and the others for rows: `nonbasic` names the variable of each
    tableau column, `basis` that of each tableau row.
    """
    n, k, s = rows.shape
    tableau = np.zeros((n, k + 1, s + 1))
    tableau[:, :k, :s] = rows
    tableau[:, :k, s] = limits
    tableau[:, k, :s] = -gains
    # At the start v = 0: all columns are nonbasic, all rows' slacks basic.
    nonbasic = np.tile(np.arange(s), (n, 1))
    basis = np.tile(np.arange(s, s + k), (n, 1))
    # Relative to the largest gain, so that a unit does not decide when a game ends.
    tolerance = TINY_COST * gains.max(axis=1, initial=0.0)
    weights = np.zeros((n, s))
    duals = np.zeros((n, k))
    active = np.arange(n)
    for step in range(2 * max_pivots + 1):
        enter, leave, done = _choose_pivots(
            tableau, nonbasic, basis, tolerance[active], bland=step >= max_pivots
        )
        if step == 2 * max_pivots:
            # No pivots are left: the games end as they are, and those unproved go to HiGHS.
            done = np.ones_like(done)
        if done.any():
            _store_solutions(
                tableau[done], nonbasic[done], basis[done], active[done], weights, duals
            )
            # Finished games leave the arrays, so that each pivot only costs the others.
            unfinished = ~done
            tableau = tableau[unfinished]
            nonbasic = nonbasic[unfinished]
            basis = basis[unfinished]
            active = active[unfinished]
            enter = enter[unfinished]
            leave = leave[unfinished]
        if not len(active):
            break
        _pivot(tableau, nonbasic, basis, leave, enter)
    return weights, duals


def _choose_pivots(
    tableau: Array, nonbasic: Array, basis: Array, tolerance: Array, *, bland: bool
) -> tuple[Array, Array, Array]:
    """Return entering columns, leaving rows, and which games have reached their optimum."""
    game = np.arange(len(tableau))
    cost = tableau[:, -1, :-1]
    improving = cost < -tolerance[:, None]
    if bland:
        # The lowest variable among the improving ones: this rule cannot cycle.
        enter = np.where(improving, nonbasic, np.iinfo(np.int64).max).argmin(axis=1)
    else:
        enter = cost.argmin(axis=1)
    # Ratio test: the row that first limits the entering variable leaves the basis.
    column = tableau[game, :-1, enter]
    usable = column > TINY_PIVOT
    ratio = np.full(column.shape, np.inf)
    np.divide(tableau[:, :-1, -1], column, out=ratio, where=usable)
    tied = usable & (ratio <= ratio.min(axis=1, keepdims=True) + TIE)
    # Of tied rows the largest pivot is the most accurate; Bland's rule takes the lowest variable.
    leave = np.where(tied, -basis if bland else column, -np.inf).argmax(axis=1)
    return enter, leave, np.asarray(~improving.any(axis=1) | ~usable.any(axis=1))


def _pivot(tableau: Array, nonbasic: Array, basis: Array, leave: Array, enter: Array) -> None:
    """Exchange the basic variable of a row for the variable of a column, in place."""
    game = np.arange(len(tableau))
    pivot = tableau[game, leave, enter][:, None]
    column = tableau[game, :, enter].copy()
    row = tableau[game, leave] / pivot
    # The condensed tableau keeps the leaving variable's column in the entering one's place.
    tableau -= column[:, :, None] * row[:, None, :]
    tableau[game, :, enter] = -column / pivot
    tableau[game, leave] = row
    tableau[game, leave, enter] = 1.0 / pivot[:, 0]
    # A right-hand side of -1e-17 is a degenerate 0.
    levels = tableau[:, :-1, -1]
    np.maximum(levels, 0.0, out=levels)
    entering = nonbasic[game, enter].copy()
    nonbasic[game, enter] = basis[game, leave]
    basis[game, leave] = entering


def _store_solutions(
    tableau: Array, nonbasic: Array, basis: Array, games: Array, weights: Array, duals: Array
) -> None:
    """Write the weights and duals of finished games into the arrays of all games."""
    s = weights.shape[1]
    # A basic column's weight is the right-hand side of its row.
    game, row = np.nonzero(basis < s)
    weights[games[game], basis[game, row]] = tableau[game, row, -1]
    # A nonbasic row's dual is the reduced cost of its column.
    game, column = np.nonzero(nonbasic >= s)
    duals[games[game], nonbasic[game, column] - s] = np.maximum(tableau[game, -1, column], 0.0)


def _is_proved(rows: Array, gains: Array, limits: Array, weights: Array, duals: Array) -> Array:
    """Return whether weights and duals prove each other: both feasible, with equal objectives."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        # Primal feasibility: rows v ≤ limit.
        used = np.einsum("nks,ns->nk", rows, weights)
        primal_violation = (used - limits).max(axis=1, initial=0.0)
        # Dual feasibility: λᵀ rows ≥ gain.
        shortfall = gains - np.einsum("nk,nks->ns", duals, rows)
        dual_violation = (shortfall / np.where(gains > 0, gains, 1.0)).max(axis=1, initial=0.0)
        value = np.einsum("ns,ns->n", weights, gains)
        bound = duals @ limits
        size = np.maximum(np.abs(value), 1e-300)
        return np.asarray(
            (primal_violation <= MAX_GAP)
            & (dual_violation <= MAX_GAP)
            & (np.abs(bound - value) <= MAX_GAP * size)
        )


def _solve_by_highs(rows: Array, gain: Array, limits: Array) -> tuple[float, Array, Array]:
    """Solve one game by HiGHS."""
    # HiGHS refuses numbers from 1e15 on, as ratios at the limits of few data sets may be. What one
    # of them may weigh at most, or allows another column, is below 1 / LARGEST_RATIO anyway.
    solution = scipy.optimize.linprog(
        -gain,
        A_ub=np.clip(rows, -LARGEST_RATIO, LARGEST_RATIO),
        b_ub=limits,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if solution.status == 3:
        return np.inf, np.zeros(len(gain)), np.zeros(len(rows))
    if solution.status != 0:
        raise SolveError(
            f"a game of {len(rows)} rows and {len(gain)} columns did not end optimal; HiGHS says: "
            f"{solution.message}"
        )
    # linprog minimises, so its marginals have the opposite sign.
    duals = np.asarray(-solution.ineqlin.marginals)
    return float(-solution.fun), np.asarray(solution.x), duals
