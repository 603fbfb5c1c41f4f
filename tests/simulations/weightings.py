"""Weightings in designs of known truth: coverage of the limits under noise, and three ways to the
same extreme ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from operator import ge
from typing import Any

import numpy as np
import pandas as pd
from arrangements import (
    Row,
    arrangement_vertices,
    dot,
    extreme_ranks_of_scaled,
    weight_bounds,
)
from scipy.stats import norm

import deabench as db
from deabench.analysis.weightings.bounds import RankSearch, collect_evidence
from deabench.analysis.weightings.noise import bound_true_ranks
from deabench.analysis.weightings.weight_sets import Restrictions, build_sides
from deabench.geometry.subdivision import Point
from deabench.inference.samples import Samples
from deabench.results.weightings import WeightedSide
from deabench.tables.selection import select_table
from deabench.tables.validation import validate

Draw = Callable[[np.random.Generator], Samples]


def search_of(table: pd.DataFrame) -> RankSearch:
    """The search of a table of outputs with all weightings."""
    return RankSearch(sides_of(table), np.inf)


def sides_of(table: pd.DataFrame) -> tuple[WeightedSide, ...]:
    selected = select_table(table, outputs=list(table))
    data = validate(selected, warn=False, allow=("zero outputs",))
    return build_sides(selected.frame, data, "ratio", Restrictions({}, {}))


def extreme_ranks(table: pd.DataFrame) -> np.ndarray:
    """Best and worst rank of each row, (n, 2)."""
    search = search_of(table)
    n, s = table.shape
    start = [Point(n, np.full(s, 1 / s), np.ones(1)) for _ in range(n)]
    above, below = search.bound_all(start, start, {}, lambda count: None)
    evidence = collect_evidence(above)
    assert len(evidence.weights) == n
    return np.array([(1 + a.attained, n - b.attained) for a, b in zip(above, below, strict=True)])


def limits_of(samples: Samples) -> np.ndarray:
    """Limits of the true ranks at 95 %, (n, 2)."""
    selected = select_table(samples.values, outputs=list(samples.values))
    data = validate(selected, warn=False, allow=("zero outputs",))
    search = RankSearch(build_sides(selected.frame, data, "ratio", Restrictions({}, {})), np.inf)
    limits = bound_true_ranks(search, data, samples, (), level=0.95, end=np.inf)
    return np.column_stack(limits)


def coverage(
    truth: pd.DataFrame, draw: Draw, *, runs: int, seed: int = 0, beside_sample: bool = True
) -> pd.Series:
    """How often the limits hold for all rows at once, beside the sample's own ranks.

    Parameters
    ----------
    truth : DataFrame, rows x metrics
    draw : function of a generator
        Makes samples of the truth.
    runs, seed : int
    beside_sample : bool
        Whether the sample's own ranks are measured too, which takes as long as the limits.
    """
    true_ranks = extreme_ranks(truth)
    measured = {"limits cover": 0.0, "width of the limits": 0.0}
    if beside_sample:
        measured |= {"the sample's ranks cover": 0.0, "width of the sample's": 0.0}
    for run in range(runs):
        samples = draw(np.random.default_rng((seed, run)))
        # The rows and metrics in the order of the truth.
        limits = limits_of(samples)
        measured["limits cover"] += _covers(limits, true_ranks) / runs
        measured["width of the limits"] += _mean_width(limits) / runs
        if beside_sample:
            ranks = extreme_ranks(samples.values)
            measured["the sample's ranks cover"] += _covers(ranks, true_ranks) / runs
            measured["width of the sample's"] += _mean_width(ranks) / runs
    return pd.Series({**measured, "true width": _mean_width(true_ranks), "runs": runs})


def _covers(limits: np.ndarray, ranks: np.ndarray) -> bool:
    """Return whether limits (n, 2) hold the best and worst ranks (n, 2) of all rows."""
    return bool(((limits[:, 0] <= ranks[:, 0]) & (limits[:, 1] >= ranks[:, 1])).all())


def _mean_width(limits: np.ndarray) -> float:
    return float((limits[:, 1] - limits[:, 0]).mean())


def recalls(truth: pd.DataFrame, size: int, correlation: float = 0.5) -> Draw:
    """Each metric is a recall on `size` instances of its own; errors of rows are correlated."""

    def draw(generator: np.random.Generator) -> Samples:
        outcomes = {}
        for name, rates in truth.items():
            common = generator.normal(size=(size, 1))
            own = generator.normal(size=(size, len(truth)))
            latent = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
            is_right = (latent < norm.ppf(rates.to_numpy())).astype(float)
            # A recall of 0 has no logarithm: half a success stands for it in the samples.
            outcomes[str(name)] = pd.DataFrame(is_right, columns=list(truth.index))
        return Samples.from_outcomes(outcomes)

    return draw


def shared_instances(rates: pd.DataFrame, size: int, correlation: float = 0.5) -> Draw:
    """TPR, F1 and G-mean of the same answers: their errors are correlated."""

    def draw(generator: np.random.Generator) -> Samples:
        y = np.repeat([1, 0], size)
        true = np.vstack([np.repeat([rates["TPR"]], size, 0), np.repeat([rates["TNR"]], size, 0)])
        latent = np.sqrt(correlation) * generator.normal(size=(2 * size, 1))
        latent = latent + np.sqrt(1 - correlation) * generator.normal(size=true.shape)
        answers = np.where(latent < norm.ppf(true), y[:, None], 1 - y[:, None])
        frame = pd.DataFrame(answers, columns=list(rates.index))
        return Samples.from_predictions(y, frame, positive=1, metrics=("TPR", "F1", "G-mean"))

    return draw


def true_metrics(rates: pd.DataFrame) -> pd.DataFrame:
    """TPR, F1 and G-mean of rates with as many positives as negatives."""
    tpr, tnr = rates["TPR"], rates["TNR"]
    return pd.DataFrame(
        {"TPR": tpr, "F1": 2 * tpr / (1 + tpr + 1 - tnr), "G-mean": np.sqrt(tpr * tnr)}
    )


def spread(n: int, s: int) -> pd.DataFrame:
    """Trade-offs between metrics, half of the rows below them."""
    t = np.linspace(-0.8, 0.8, n)
    q = np.where(np.arange(n) % 2, np.linspace(0.1, 1.2, n), 0.0)
    shifts = np.linspace(-1, 1, s)
    rates = norm.cdf(0.8 - q[:, None] / 2 + t[:, None] * shifts)
    return pd.DataFrame(
        rates.round(6), columns=[f"m{r}" for r in range(s)], index=[f"c{k}" for k in range(n)]
    )


def tied(n: int, s: int) -> pd.DataFrame:
    """All rows equal: the hardest truth for ranks."""
    return spread(n, s) * 0 + 0.8


def chain(n: int, s: int) -> pd.DataFrame:
    """One metric equal, the others rising: every row is weakly efficient."""
    table = spread(n, s) * 0 + 0.8
    for r in range(1, s):
        table.iloc[:, r] = np.linspace(0.6, 0.9, n).round(4)
    return table


def settings() -> dict[str, tuple[pd.DataFrame, Draw]]:
    """Truth and draws by name."""
    plain = {
        "spread, n = 10, s = 2, 500 instances": (spread(10, 2), 500),
        "spread, n = 10, s = 2, 5,000 instances": (spread(10, 2), 5000),
        "spread, n = 10, s = 3, 2,000 instances": (spread(10, 3), 2000),
        "all tied, n = 10, s = 2, 500 instances": (tied(10, 2), 500),
        "all tied, n = 5, s = 1, 500 instances": (tied(5, 1), 500),
        "one metric equal, n = 10, s = 2, 500 instances": (chain(10, 2), 500),
    }
    made = {name: (truth, recalls(truth, size)) for name, (truth, size) in plain.items()}
    rates = spread(10, 2).set_axis(["TPR", "TNR"], axis=1)
    made["TPR, F1, G-mean on the same 500 + 500 instances"] = (
        true_metrics(rates),
        shared_instances(rates, 500),
    )
    equal = tied(10, 2).set_axis(["TPR", "TNR"], axis=1)
    made["the same, all tied"] = (true_metrics(equal), shared_instances(equal, 500))
    return made


@dataclass(frozen=True)
class Case:
    """A small table with the options of `weightings`, and the same in fractions."""

    kind: str
    table: pd.DataFrame
    options: dict[str, Any]
    scaled: list[Row]
    bounds: list[Row]


KINDS = ("general", "ties", "zeros", "identical rows", "mixes", "costs", "ratios", "shares")


def draw_case(generator: np.random.Generator, kind: str) -> Case:
    """Draw a table of a kind: of 5 to 8 rows in 2 to 4 metrics."""
    s = int(generator.integers(2, 5))
    n = int(generator.integers(5, 11 - s))
    values = generator.integers(1, 100, (n, s)) / 100
    if kind in ("ties", "costs") or generator.random() < 0.3:
        values = generator.integers(1, 6, (n, s)) / 10
    if kind == "zeros":
        values[generator.random((n, s)) < 0.3] = 0.0
        values[0] = 0.0
        values[1] = np.maximum(values[1], 0.1)
    if kind == "identical rows":
        values = values[generator.integers(0, n // 2, n)]
    if kind == "mixes":
        values[2] = ((values[0] + values[1]) / 2).round(3)
        values[3] = ((values[0] + 3 * values[1]) / 4).round(4)
    names = [f"m{r}" for r in range(s)]
    table = pd.DataFrame(values, columns=names)
    cost_count = 0
    if kind == "costs" or (kind in ("ratios", "shares") and generator.random() < 0.4):
        cost_count = int(generator.integers(1, s))
    options: dict[str, Any] = {"outputs": names[cost_count:], "inputs": names[:cost_count] or None}
    columns = {name: [Fraction(str(cell)) for cell in table[name].tolist()] for name in names}
    units = {name: max(column) for name, column in columns.items()}
    if cost_count:
        units = {name: max(column) - min(column) or Fraction(1) for name, column in columns.items()}
    scaled_columns = []
    order = [*options["outputs"], *(options["inputs"] or [])]
    for name in order:
        sign = -1 if name in (options["inputs"] or []) else 1
        origin = min(columns[name]) if cost_count else Fraction(0)
        scaled_columns.append([sign * (cell - origin) / units[name] for cell in columns[name]])
    bounds: list[Row] = []
    first, second = generator.permutation(s)[:2].tolist()
    low, high = sorted(generator.choice([0.1, 0.25, 0.4, 0.75], 2, replace=False).tolist())
    weight = [[Fraction(int(q == r)) for q in range(s)] for r in range(s)]
    if kind == "shares":
        options["shares"] = {order[first]: (low, high)}
        bounds.append(tuple(Fraction(str(low)) - entry for entry in weight[first]))
        bounds.append(tuple(entry - Fraction(str(high)) for entry in weight[first]))
    if kind == "ratios":
        options["ratios"] = {(order[first], order[second]): (low, 4 * high)}
        # A multiplier is the weight over the unit.
        for bound, sign in ((low, -1), (4 * high, 1)):
            row = [Fraction(0)] * s
            row[first] = sign / units[order[first]]
            row[second] = -sign * Fraction(str(bound)) / units[order[second]]
            bounds.append(tuple(row))
    return Case(kind, table, options, list(zip(*scaled_columns, strict=True)), bounds)


def compare_ways(count: int, seed: int = 0) -> pd.DataFrame:
    """On how many small tables of each kind subdivision, the MILP, enumeration and proof agree."""
    counts = pd.DataFrame(
        0, index=list(KINDS), columns=["tables", "enumeration", "vertices", "MILP", "certificate"]
    )
    for k in range(count):
        kind = KINDS[k % len(KINDS)]
        case = draw_case(np.random.default_rng((seed, k)), kind)
        result = db.weightings(case.table, **case.options, draws=64)
        ranks = result.ranks[["best", "worst"]].to_numpy()
        proved = result.ranks[["best_proved", "worst_proved"]].to_numpy()
        enumerated = extreme_ranks_of_scaled(case.scaled, case.bounds)
        counts.loc[kind] += [
            1,
            int((enumerated == ranks).all() and (proved == ranks).all()),
            int(agrees_at_vertices(result, case)),
            int((milp_ranks(result) == ranks).all()),
            int(db.certify(result)["best"].tolist() == ranks[:, 0].tolist()),
        ]
    return counts


def agrees_at_vertices(result: db.Weightings, case: Case) -> bool:
    """Whether dominance and the lower end of scores are those at the vertices of the weights."""
    s = len(case.scaled[0])
    vertices = arrangement_vertices([*weight_bounds(s), *case.bounds])
    # Floats suffice for scores; dominance is decided in fractions.
    exact = [[dot(row, vertex) for vertex in vertices] for row in case.scaled]
    dominates = [[all(map(ge, a, b)) for b in exact] for a in exact]
    values = np.array(exact, dtype=float)
    if result.model == "value":
        expected = (values.max(axis=0) - values).max(axis=1)
        lower_end = result.ranks["loss_max"]
    else:
        expected = (values / values.max(axis=0)).min(axis=1)
        lower_end = result.ranks["score_min"]
    is_same = result.dominance.to_numpy().tolist() == dominates
    return is_same and bool(np.allclose(expected, lower_end, rtol=0, atol=1e-12))


def milp_ranks(result: db.Weightings) -> np.ndarray:
    """Best and worst ranks by the mixed-integer programs alone, (n, 2)."""
    search = RankSearch(result.sides, np.inf)
    n = len(result.ranks)
    ranks = np.empty((n, 2), dtype=int)
    for k in range(n):
        for column, sign in ((0, 1), (1, -1)):
            optimum = search.solve_milp(k, sign, search.differences(k, sign), 60.0)
            assert optimum is not None
            count = int((~optimum[0]).sum())
            ranks[k, column] = 1 + count if sign > 0 else n - count
    return ranks
