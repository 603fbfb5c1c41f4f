"""That a radial efficiency lies between what its peers reach and what its weights allow.

Both are held to 1e-9 in metrics scaled to about 1, and in efficiency: what λ or the weights break a
constraint by costs as much efficiency as the weights say, and steep ones say more than 1."""

from __future__ import annotations

import numpy as np
import pandas as pd

from deabench.proofs import ranking as beyond
from deabench.proofs import reasons
from deabench.results.proof import Proof, Scored
from deabench.utils.arrays import ROUND, Sparse, blocks, chunks, greatest, least, scale, total
from deabench.utils.threads import one_thread

COLUMNS = ["primal", "dual", "gap", "primal_infeasibility", "dual_infeasibility"]
SUM_LAMBDA = beyond.LAMBDA_SUM_BOUNDS


def prove_radial(result: Scored) -> Proof:
    """The proof of radial efficiencies, one row per DMU.

    Returns
    -------
    Proof
        Its frame: primal, the efficiency that λ proves attainable; dual, the efficiency that the
        weights prove not to be exceeded; gap, their distance beyond what rounding the weights'
        terms makes; primal_infeasibility, dual_infeasibility, by how much λ or the weights break a
        constraint, in metrics scaled to a maximum of about 1, or, where that is more, what it is
        worth in efficiency by the weights. NaN where the DMU has no score.
    """
    given, n, weights = _Scaled(result), len(result.scores), result.slack_weights
    frame, error, left = np.empty((n, len(COLUMNS))), np.empty(n), np.zeros(n)
    work = None if weights is None else beyond.SlackProof(result, weights)
    for rows in chunks(n):
        reached = result.intensities[rows].dot(given.both)
        frame[rows], error[rows] = given.proof(rows, reached), given.slack_error(rows, reached)
        if work is not None:
            left[rows] = work.left(rows, reached)
    scores = result.scores.to_numpy()
    frame[np.isnan(scores)] = np.nan
    size = np.maximum(np.abs(scores), 1.0)
    missing, said = reasons.radial_reason_violations(result)
    return Proof(
        pd.DataFrame(frame, index=result.scores.index, columns=COLUMNS, copy=False),
        {
            "gap": frame[:, 2] / size,
            "primal_infeasibility": frame[:, 3],
            "dual_infeasibility": frame[:, 4],
            "distance_of_the_score_from_its_proof": np.abs(frame[:, 0] - scores) / size,
            "distance_of_the_slacks_from_their_proof": error,
            "reference_DMUs_that_no_listed_one_dominates": np.full(
                n, float(beyond.count_uncovered(result, mixtures=True))
            ),
            "reason": missing,
            **(
                {}
                if work is None
                else {
                    "slack_that_is_left": left,
                    "efficient": beyond.efficiency_violations(result, work),
                }
            ),
        },
        (*beyond.unproved_slack_claims(work), *said),
    )


def radial_frame(result: Scored, reached: np.ndarray | None = None) -> pd.DataFrame:
    """The frame of `radial`, for the solver that asks before it returns and may know what the peers
    reach (n, s + m).
    """
    given = _Scaled(result)
    proof = np.empty((len(result.scores), len(COLUMNS)))
    for rows in chunks(len(proof)):
        proof[rows] = given.proof(
            rows, result.intensities[rows].dot(given.both) if reached is None else reached[rows]
        )
    proof[np.isnan(result.scores.to_numpy())] = np.nan
    return pd.DataFrame(proof, index=result.scores.index, columns=COLUMNS, copy=False)


def slack_errors(result: Scored) -> np.ndarray:
    """|projection - (radial projection + slack)|, largest metric, in metrics divided by their
    maxima.
    """
    given = _Scaled(result)
    return given.slack_error(slice(None), result.intensities.dot(given.both))


class _Scaled:
    """A ranking's data in units of about 1. Without inputs there is one that is 1 for everybody:
    (5) as an output-oriented CCR.
    """

    def __init__(self, result: Scored) -> None:
        self.result, self.data, reference = result, result.data, result.reference
        self.returns, self.outward = result.returns, result.orientation == "output"
        self.inputs, self.s = result.data.inputs.shape[1] > 0, result.data.outputs.shape[1]
        self.both, self.unit = (
            beyond.stack_outputs_inputs(reference),
            beyond.reference_maxima(result),
        )
        Y, X, front = self.both[:, : self.s], self.both[:, self.s :], result.frontier
        X = X if self.inputs else np.ones((len(Y), 1))
        self.unit_x, self.unit_y = scale(X), scale(Y)
        self.given, names = result.weights.to_numpy(), result.weights.columns
        self.u, self.v = (
            names.get_indexer(self.data.outputs.columns),
            names.get_indexer(self.data.inputs.columns),
        )
        self.u_0 = names.get_loc("u_0") if "u_0" in names else None
        table = np.column_stack(
            [Y[front] / self.unit_y, X[front] / self.unit_x, np.ones(len(front))]
        )
        if self.returns == "crs":  # of a row any multiple is possible: each is held in its own size
            table /= np.maximum(np.abs(table[:, :-1]).max(axis=1, keepdims=True), 1e-300)
        self.frontier = np.ascontiguousarray(table.T)

    def proof(self, rows: slice, reached: np.ndarray) -> np.ndarray:
        """The certificate's columns for some rows, whose peers reach `reached` (k, s + m)."""
        y = self.data.outputs.to_numpy()[rows] / self.unit_y
        x = self.data.inputs.to_numpy()[rows] / self.unit_x if self.inputs else np.ones((len(y), 1))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            primal, short, broken = self.primal(self.result.intensities[rows], reached, x, y)
            raw, norm, (u, v, u_0) = self.weights(rows, x, y)
            gain, spent = u * y, v * x
            value = 1.0 / (total(spent) + u_0) if self.outward else total(gain) + u_0
            worth = (
                value**2 / np.maximum(value, 1.0) if self.outward else 1.0 / np.maximum(value, 1.0)
            )
            terms = total(np.abs(gain)) + total(np.abs(spent)) + np.abs(u_0)
            gap = np.maximum(
                np.abs(primal - value) - ROUND * terms * (value**2 if self.outward else 1.0), 0.0
            )
            priced = total(v * short if self.outward else u * short) + np.abs(u_0) * broken
            primal_miss = greatest(*short.T, broken, priced * worth - ROUND * terms * worth, 0.0)
            wrong = np.maximum(self.wrong(u, v, u_0), self.beyond(raw, norm, u, v, u_0))
            size = total(np.abs(u)) + total(np.abs(v)) + np.abs(u_0)
            dual_miss = greatest(wrong / np.maximum(size, 1.0), (wrong - ROUND * size) * worth, 0.0)
        return np.column_stack([primal, value, gap, primal_miss, dual_miss])

    def primal(
        self, lam: Sparse, reached: np.ndarray, x: np.ndarray, y: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The efficiency that λ reaches, by how much it falls short in each metric that is to stay,
        and breaks its sum or sign.
        """
        made, sums = reached[:, : self.s] / self.unit_y, total(lam.values)
        used = reached[:, self.s :] / self.unit_x if self.inputs else sums[:, None]
        low, high = SUM_LAMBDA[self.returns]
        broken = greatest(-least(lam.values), low - sums, sums - high, 0.0)
        if self.outward:
            grown = least(np.where(y > 0, made / y, np.inf))
            return 1.0 / grown, _over(used, x), broken
        return np.where(x > 0, used / x, -np.inf).max(axis=1), _over(y, made), broken

    def weights(
        self, rows: slice, x: np.ndarray, y: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
        """The outputs' weights, their u·y (or v·x), and u, v, u_0 where that is 1; in scaled
        metrics.
        """
        given = self.given[rows]
        u = given[:, self.u] * self.unit_y
        v = given[:, self.v] * self.unit_x if self.inputs else np.ones((len(u), 1))
        u_0 = np.zeros(len(u)) if self.u_0 is None else given[:, self.u_0]
        norm = total(u * y if self.outward else v * x)
        return u, norm, (u / norm[:, None], v / norm[:, None], u_0 / norm)

    def wrong(self, u: np.ndarray, v: np.ndarray, u_0: np.ndarray) -> np.ndarray:
        """By how much the weights have the wrong sign."""
        return greatest(-least(u), -least(v), _wrong_sign(u_0, self.returns, self.outward))

    def beyond(
        self, raw: np.ndarray, norm: np.ndarray, u: np.ndarray, v: np.ndarray, u_0: np.ndarray
    ) -> np.ndarray:
        """By how much the weights let a reference DMU give more than it takes; without inputs
        weights are a facet's, which many DMUs share.
        """
        if self.inputs:
            return _beyond(np.column_stack([u, -v, -u_0 if self.outward else u_0]), self.frontier)
        facets, of = _distinct(raw)
        return np.asarray((_beyond(facets, self.frontier[: self.s])[of] - 1.0) / norm)

    def slack_error(self, rows: slice, reached: np.ndarray) -> np.ndarray:
        """|what is reached - (radial projection + slack)|, largest metric, in metrics divided by
        their maxima.
        """
        score, out = self.result.scores.to_numpy()[rows], np.zeros(len(reached))
        y, x = self.data.outputs.to_numpy()[rows], self.data.inputs.to_numpy()[rows]
        slack = self.result.slacks.to_numpy()[rows]
        for r in range(len(self.unit)):
            own = y[:, r] if r < self.s else x[:, r - self.s]
            if (r < self.s) == self.outward:
                own = own / score if self.outward else own * score
            gained = reached[:, r] - own if r < self.s else own - reached[:, r]
            rounding = ROUND * (np.abs(reached[:, r]) + np.abs(own))
            out = np.maximum(
                out, np.maximum(np.abs(gained - slack[:, r]) - rounding, 0.0) / self.unit[r]
            )
        return np.where(np.isnan(score), np.nan, out)


def _over(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """By how much one is above the other, beyond what rounding makes of numbers so large."""
    return np.asarray(np.maximum(one - other - ROUND * (np.abs(one) + np.abs(other)), 0.0))


def _wrong_sign(u_0: np.ndarray, returns: str, outward: bool) -> np.ndarray:
    """By how much u_0 breaks the sign that the returns to scale give it."""
    if returns == "vrs":
        return np.zeros(len(u_0))
    if returns == "crs":
        return np.asarray(np.abs(u_0))
    allowed_above = (returns == "ndrs") != outward
    return np.asarray(np.maximum(-u_0 if allowed_above else u_0, 0.0))


def _distinct(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows, and which is whose; all rows where a sum of theirs does not tell them
    apart.
    """
    of, keys = pd.factorize(weights @ np.sqrt(np.arange(2.0, 2.0 + weights.shape[1])))
    if (of < 0).any():  # weights that are no numbers
        return weights, np.arange(len(weights))
    rows = np.empty((len(keys), weights.shape[1]))
    rows[of] = weights
    return (rows, of) if (rows[of] == weights).all() else (weights, np.arange(len(weights)))


def _beyond(weights: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The largest product of each row of weights (K, c) with a column of the table (c, n)."""
    out = np.empty(len(weights))
    with one_thread(max(len(weights), table.shape[1])):
        for part in blocks(len(weights), table.shape[1]):
            out[part] = (weights[part] @ table).max(axis=1)
    return out
