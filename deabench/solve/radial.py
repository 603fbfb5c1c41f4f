"""Efficiencies of a whole table: one template per model, one family per reference set, a second stage where slack is possible."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from deabench.certify import TOLERANCE, Sparse, blocks, chunks, radial, scale
from deabench.errors import SolveError
from deabench.progress import progress
from deabench.solve.engine import Solution, solve
from deabench.solve.family import Bases, Family
from deabench.solve.pareto import undominated
from deabench.solve.template import Template, template
from deabench.table import Data
from deabench.threads import one_thread

EQUATIONS = {"wei": "(5)", "score": "(6), the dual of (5)", "ccr": "(3)"}
FACETS = {2: 1, 3: 2, 4: 7, 5: 26, 6: 150}
"""Facets per reference DMU by the number of metrics, where every DMU is extreme: the most there are, about."""
FACETS_WORTH = 70
"""Facets that Qhull lists in the time that HiGHS takes for one solve, about; one solve per tested DMU is the most there are."""
FACETS_HELD = 500_000
"""Most facets that are listed: they take about 0.5 kB each."""
FACETS_DMUS = 60
"""Fewest DMUs for which that pays: below, loading Qhull takes longer than the solves."""

DISTINCT = 1e-8
"""A reduced cost above this, of duals of size 1, is not 0."""
INWARD = 1e-14
"""The radial projection is drawn back by this share before the second stage: rounded, it may lie just beyond the frontier."""


def efficiencies(data: Data, reference: Data, model: str, returns: str, orientation: str) -> dict[str, Any]:
    """Everything a Ranking holds, for data that have passed the gate; every score is proved before it is returned.

    Raises
    ------
    SolveError
        Where a solve fails, or where a certificate does not hold even after the DMU was solved again on its own.
    """
    problem = Ccr(data, reference, returns, orientation) if model == "ccr" else Wei(data, reference)
    with one_thread(max(len(data.labels), len(reference.labels))), progress("rank", len(data.labels)) as advance:
        fields, path = _solve(problem, advance)
        left = _unproved(fields)
        for k in left:
            alone = solve(problem.family, problem.tested[[k]], name=_name_of(problem, k))
            _replace(fields, _second_stage(problem, *_first_stage(problem, alone, np.array([k]))), k)
        left = _unproved(fields) if len(left) else left
    if len(left):
        raise SolveError(f"{model} for '{data.labels[left[0]]}': the certificate does not hold after a second solve")
    return fields | {"model": f"{model} {EQUATIONS[model]}, {path}"}


class Wei:
    """(5), and (6) as its dual: outputs only. Every tested DMU is scaled to a largest metric of about 1; (5) allows it."""

    returns, orientation = "vrs", "output"
    sum_lambda = "vrs"

    def __init__(self, data: Data, reference: Data) -> None:
        self.data, self.reference = data, reference
        Y, y = reference.outputs.to_numpy(), data.outputs.to_numpy()
        self.unit = scale(Y)
        self.size = scale((y / self.unit).T)
        self.frontier = undominated(Y)
        self.points = (Y / self.unit)[self.frontier]
        self.tested = y / self.unit / self.size[:, None]
        self.family = Family(_wei_form(Y.shape[1]), self.points)

    def facets(self) -> Bases | None:
        """All facets, where listing them pays."""
        n, s = self.points.shape
        tested, most = len(self.tested), n * FACETS.get(s, FACETS_HELD)
        few = tested >= FACETS_DMUS and n > s and most <= min(FACETS_WORTH * tested, FACETS_HELD)
        if not few or not (self.points.max(axis=0) > 0).all():
            return None
        from deabench.solve import polar

        return polar.bases(self.family, self.points)

    def read(self, solution: Solution) -> tuple[np.ndarray, pd.DataFrame]:
        theta = _theta(solution)
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = solution.duals[:, :-1] / theta[:, None]
            weights /= self.unit
            scores = np.where(theta > 0, 1.0 / theta, np.nan)
        return scores, pd.DataFrame(weights, columns=self.data.outputs.columns, copy=False)


class Ccr:
    """(3), by orientation and returns to scale."""

    def __init__(self, data: Data, reference: Data, returns: str, orientation: str) -> None:
        self.data, self.reference = data, reference
        self.returns = self.sum_lambda = returns
        self.orientation = orientation
        X, Y = reference.inputs.to_numpy(), reference.outputs.to_numpy()
        self.unit_x, self.unit_y = scale(X), scale(Y)
        self.frontier = undominated(np.column_stack([Y, -X]))
        self.tested = np.column_stack([data.inputs.to_numpy() / self.unit_x, data.outputs.to_numpy() / self.unit_y])
        form = _ccr_form(X.shape[1], Y.shape[1], returns, orientation)
        self.size = np.ones(len(self.tested))
        self.family = Family(form, np.column_stack([X / self.unit_x, Y / self.unit_y])[self.frontier])

    def facets(self) -> Bases | None:
        return None

    def read(self, solution: Solution) -> tuple[np.ndarray, pd.DataFrame]:
        level = _theta(solution)
        outward = self.orientation == "output"
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.where(level > 0, 1.0 / level if outward else level, np.nan)
        s, m = len(self.unit_y), len(self.unit_x)
        duals = solution.duals
        weights = pd.DataFrame(
            np.column_stack([duals[:, :s] / self.unit_y, -duals[:, s : s + m] / self.unit_x]),
            columns=[*self.data.outputs.columns, *self.data.inputs.columns],
        )
        if self.returns != "crs":
            weights["u_0"] = -duals[:, -1] if outward else duals[:, -1]
        return scores, weights


def _solve(problem: Wei | Ccr, advance: Callable[[int], None]) -> tuple[dict[str, Any], str]:
    """The fields of every DMU, and by which path: all facets and a matrix product, or HiGHS on an active set."""
    known = problem.facets()
    solution = solve(problem.family, problem.tested, known=known, name=_name_of(problem), advance=advance)
    path = f"by HiGHS ({solution.calls} solves)"
    if known is not None:
        path = f"by {len(known)} facets" + (f", {solution.calls} solves by HiGHS" if solution.calls else "")
    first = _first_stage(problem, solution, np.arange(len(problem.tested)))
    del solution  # as large as the table, and read
    return _second_stage(problem, *first), path


def _name_of(problem: Wei | Ccr, first: int = 0) -> Callable[[int], str]:
    return lambda k: str(problem.data.labels[first + k])


def _theta(solution: Solution) -> np.ndarray:
    """The level of θ of each DMU; NaN where its program is infeasible."""
    place = solution.bases.theta[solution.which]
    level = np.where(place >= 0, solution.x[np.arange(len(place)), place], 0.0)
    return np.where(solution.which >= 0, level, np.nan)


def _intensities(problem: Wei | Ccr, family: Family, solution: Solution) -> Sparse:
    codes = solution.bases.columns.astype(np.int32)[solution.which]
    none = (codes >= family.n) | (solution.which < 0)[:, None]
    codes[none] = 0
    columns = problem.frontier.astype(np.int32)[codes]
    columns[none] = -1
    values = np.maximum(solution.x, 0.0)
    values[none] = 0.0
    return Sparse(columns, values)


def _first_stage(problem: Wei | Ccr, solution: Solution, who: np.ndarray) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """The fields of a Ranking but the slacks for the DMUs at the positions `who`; `who`; and whose λ are not the only ones."""
    labels, data = problem.data.labels, problem.data
    if len(who) < len(labels):
        data = Data(data.outputs.iloc[who], data.inputs.iloc[who], data.notes)
    scores, weights = problem.read(solution)
    scores *= problem.size[who]
    weights.index = labels[who]
    reasons = {labels[who[k]]: words for k, words in solution.infeasible.items()}
    for k in np.flatnonzero(np.isnan(scores)):
        reasons.setdefault(labels[who[k]], "its factor is 0: no reference DMU has any of one of its metrics")
    if reasons:
        weights.loc[np.isnan(scores)] = np.nan
    fields = {
        "scores": pd.Series(scores, index=labels[who], name="efficiency"),
        "weights": weights,
        "intensities": _intensities(problem, problem.family, solution),
        "data": data,
        "reference": problem.reference,
        "frontier": problem.frontier,
        "reasons": reasons,
        "returns": problem.returns,
        "orientation": problem.orientation,
    }
    return fields, who, ~_unique(problem.family, solution)


def _unique(family: Family, solution: Solution) -> np.ndarray:
    """Whether a DMU's λ and slacks are the only optimal ones: no column outside of its basis has a reduced cost of 0."""
    used, which = np.unique(solution.which, return_inverse=True)
    codes, duals = solution.bases.columns[used], solution.bases.duals[used]
    duals = duals / np.maximum(np.abs(duals).max(axis=1, keepdims=True), 1e-300)
    alone = np.empty(len(used), dtype=bool)
    slack = ~family.equality
    basic = (codes < family.n) | (codes >= family.n + family.statics) & ~family.zero[codes]
    for part in blocks(len(used), family.n):
        free = (np.abs(family.cost - duals[part] @ family.columns.T) <= DISTINCT).sum(axis=1)
        free += (np.abs(duals[part][:, slack]) <= DISTINCT).sum(axis=1)
        alone[part] = free == basic[part].sum(axis=1)
    return (alone & (codes == family.n + family.theta).any(axis=1))[which]


def _second_stage(problem: Wei | Ccr, fields: dict[str, Any], who: np.ndarray, open_: np.ndarray) -> dict[str, Any]:
    """Add the slacks to the fields: the largest beyond the radial projection; the peers that give them replace the first stage's.

    Where all weights are positive there is no slack (complementary slackness), and where λ is unique there is no other, so only
    the `open_` rest is solved, each from the peers it has. Where the second stage cannot be solved to the certificate's
    tolerance (near-duplicates), the first stage's peers and slacks stay.
    """
    X, Y = problem.reference.inputs.to_numpy(), problem.reference.outputs.to_numpy()
    names = [*problem.data.outputs.columns, *problem.data.inputs.columns]
    scores, index = fields["scores"].to_numpy(), fields["scores"].index
    positive = _positive(fields["weights"][names].to_numpy(), np.append(Y.max(axis=0), X.max(axis=0)))
    open_ = np.flatnonzero(open_ & ~positive & ~np.isnan(scores))
    if len(open_):
        _take_slack(problem, fields, who, open_)
    both, lam = np.column_stack([Y, -X]), fields["intensities"]
    slacks = np.empty((len(scores), len(names)))
    for rows in chunks(len(scores)):
        x, y = _projected(problem, scores[rows], who[rows])
        slacks[rows] = np.maximum(lam[rows].dot(both) - np.column_stack([y, -x]), 0.0)
    slacks[positive] = 0.0
    slacks[np.isnan(scores)] = np.nan
    return fields | {"slacks": pd.DataFrame(slacks, index=index, columns=names, copy=False)}


def _positive(weights: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Whether every weight is, in metrics scaled to a maximum of 1."""
    shares = weights * np.where(top > 0, top, 1.0)
    return shares.min(axis=1) > TOLERANCE * shares.max(axis=1)


def _take_slack(problem: Wei | Ccr, fields: dict[str, Any], who: np.ndarray, open_: np.ndarray) -> None:
    """Solve the second stage for the DMUs at `open_`, and put its peers in the place of the first's where it is sound."""
    X, Y = problem.reference.inputs.to_numpy(), problem.reference.outputs.to_numpy()
    data, m, scores = np.column_stack([X, Y]), X.shape[1], fields["scores"].to_numpy()[open_]
    top = np.where(data.max(axis=0) > 0, data.max(axis=0), 1.0)  # not a power of two: a sum of slacks must have no unit
    x, y = _projected(problem, scores, who[open_])
    points = np.column_stack([x * (1 + INWARD), y * (1 - INWARD)]) / top
    family = Family(_slack_form(m, Y.shape[1], problem.sum_lambda), (data / top)[problem.frontier])
    first = fields["intensities"][open_]
    peers = np.where(first.values > 0, np.searchsorted(problem.frontier, first.columns), -1)
    solution = solve(family, points, feasible=peers, name=lambda k: str(fields["scores"].index[open_[k]]))
    better = _intensities(problem, family, solution)
    better.values[better.values < 1e4 * INWARD] = 0.0  # what the drawing back left
    reached = better.dot(data / top)
    miss = np.maximum(reached[:, :m] - points[:, :m], 0).max(axis=1, initial=0.0)
    miss = np.maximum(miss, np.maximum(points[:, m:] - reached[:, m:], 0).max(axis=1))
    miss = np.maximum(miss, -solution.x.min(axis=1))
    level = _level(problem, better, *_of(problem.data, who[open_]))
    good = (miss <= TOLERANCE / 10) & (solution.which >= 0) & (np.abs(level - scores) <= TOLERANCE / 10)
    _adopt(fields["intensities"], better, good, open_)


def _level(problem: Wei | Ccr, lam: Sparse, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The efficiency that λ reaches for DMUs at (x, y): the second stage must not move it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if problem.orientation == "output":
            return np.where(y > 0, y / lam.dot(problem.reference.outputs.to_numpy()), -np.inf).max(axis=1)
        return np.where(x > 0, lam.dot(problem.reference.inputs.to_numpy()) / x, -np.inf).max(axis=1)


@lru_cache(maxsize=64)
def _wei_form(s: int) -> Template:
    import deabench_models

    return template(deabench_models.wei, {"Y": range(s)}, {"y_o": dict.fromkeys(range(s), 1.0)})


@lru_cache(maxsize=64)
def _ccr_form(m: int, s: int, returns: str, orientation: str) -> Template:
    import deabench_models

    return template(
        getattr(deabench_models, f"envelopment_{orientation}"),
        {"X": range(m), "Y": range(s)},
        {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)},
        returns=returns,
    )


@lru_cache(maxsize=64)
def _slack_form(m: int, s: int, sum_lambda: str) -> Template:
    import deabench_models

    return template(
        deabench_models.slacks,
        {"X": range(m), "Y": range(s)},
        {"x_o": dict.fromkeys(range(m), 1.0), "y_o": dict.fromkeys(range(s), 1.0)},
        returns=sum_lambda,
    )


def _projected(problem: Wei | Ccr, scores: np.ndarray, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x, y = _of(problem.data, who)
    return (x, y / scores[:, None]) if problem.orientation == "output" else (x * scores[:, None], y)


def _of(data: Data, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return data.inputs.to_numpy()[who], data.outputs.to_numpy()[who]


def _adopt(into: Sparse, better: Sparse, good: np.ndarray, rows: np.ndarray) -> None:
    """Put the intensities of the second stage in the place of the first's, where good; both have at most s + m + 1 entries."""
    width = into.columns.shape[1]
    order = np.argsort(better.columns < 0, axis=1, kind="stable")[:, :width]
    into.columns[rows[good]] = np.take_along_axis(better.columns, order, axis=1)[good]
    into.values[rows[good]] = np.take_along_axis(better.values, order, axis=1)[good]


def _unproved(fields: dict[str, Any]) -> np.ndarray:
    """Positions of the DMUs whose certificate does not hold."""
    proof = radial(SimpleNamespace(**fields))
    size = np.maximum(fields["scores"].abs().to_numpy(), 1.0)
    worst = np.maximum.reduce(
        [proof["gap"].to_numpy() / size, proof["primal_infeasibility"].to_numpy(), proof["dual_infeasibility"].to_numpy()]
    )
    return np.flatnonzero(worst > TOLERANCE)


def _replace(fields: dict[str, Any], one: dict[str, Any], k: int) -> None:
    """Put the fields of one DMU, solved again, in the place of the first ones."""
    fields["scores"].iloc[k] = one["scores"].iloc[0]
    fields["weights"].iloc[k] = one["weights"].iloc[0]
    fields["slacks"].iloc[k] = one["slacks"].iloc[0]
    fields["intensities"].columns[k] = one["intensities"].columns[0]
    fields["intensities"].values[k] = one["intensities"].values[0]
