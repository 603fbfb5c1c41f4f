"""Decisions on classifiers of known truth: false verdicts at any time, stopping, gates, plans."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtri

from deabench.inference.decisions.betting import (
    LEARNING_ROUNDS,
    MixWealth,
    RoundMoments,
    next_learning,
)
from deabench.inference.decisions.gate_limits import play_gate
from deabench.inference.decisions.learned_weights import lower_limit
from deabench.inference.decisions.ledger import Feedback, alpha_of_gate
from deabench.inference.decisions.planning import plan
from deabench.inference.learned_mix import Units, cross_fit
from simulations.decision_batches import gate_decisions, highest_evidence
from simulations.samples import latent
from simulations.verdict_cells import append_runs, measure_runs

Array = np.ndarray
Rng = np.random.Generator
ALPHA = 0.05


def outcomes(rng: Rng, truth: Array, n: int, rho: float) -> Array:
    """Right answers of n instances for each metric, (n, k, s); every metric has its own."""
    columns = [
        latent(rng, len(truth), n, rho) < ndtri(truth[:, [r]]) for r in range(truth.shape[1])
    ]
    return np.stack(columns, axis=2).transpose(1, 0, 2).astype(float)


def units_of_outcomes(values: Array) -> Units:
    """Lay instances of each metric one behind the other."""
    n, k, s = values.shape
    laid = np.zeros((k, s, n * s), dtype=np.float32)
    counts = np.zeros((s, n * s), dtype=bool)
    for r in range(s):
        laid[:, r, r * n : (r + 1) * n] = values[:, :, r].T
        counts[r, r * n : (r + 1) * n] = True
    return Units(laid, counts, np.repeat(np.arange(s), n), np.zeros(s, dtype=bool))


def with_first(first: float, others: float, k: int, s: int) -> Array:
    """All classifiers equal but the first."""
    truth = np.full((k, s), others)
    truth[0] = first
    return truth


@dataclass(frozen=True)
class Cell:
    """A truth (k, s), the correlation of the latent normals, and the instances of a stream."""

    truth: Array
    rho: float
    instances: int

    @property
    def is_efficient(self) -> Array:
        """Who is beaten by no mix in every metric, by an exhaustive grid of weights."""
        s = self.truth.shape[1]
        grid = np.array(np.meshgrid(*[np.linspace(0, 1, 41)] * s)).reshape(s, -1).T
        grid = grid[np.abs(grid.sum(axis=1) - 1) < 1e-9]
        values = self.truth @ grid.T
        return np.asarray((values >= values.max(axis=0) - 1e-12).any(axis=1))


LINE = np.column_stack([np.linspace(0.7, 0.9, 5), np.linspace(0.9, 0.7, 5)])
TIED: dict[str, Cell] = {
    "tied, k=5": Cell(np.full((5, 1), 0.8), 0.5, 1000),
    "tied, k=2": Cell(np.full((2, 1), 0.8), 0.5, 1000),
    "tied .95, k=5, rho .9": Cell(np.full((5, 1), 0.95), 0.9, 1000),
    "tied, k=10": Cell(np.full((10, 1), 0.8), 0.5, 500),
    "chain, s=2, k=5": Cell(
        np.column_stack([np.full(5, 0.8), np.linspace(0.7, 0.9, 5)]), 0.5, 1000
    ),
    "on a mix, s=2, k=5": Cell(LINE, 0.5, 1000),
}
"""Cells with somebody efficient who might be called dominated."""

DOMINATED: dict[str, Cell] = {
    "s=1, .9 v .8, k=10": Cell(with_first(0.9, 0.8, 10, 1), 0.5, 1000),
    "s=3": Cell(with_first(0.9, 0.8, 10, 3), 0.5, 1000),
    "s=5": Cell(with_first(0.9, 0.8, 10, 5), 0.5, 1000),
    "rho .99, s=2, k=20": Cell(with_first(0.9, 0.88, 20, 2), 0.99, 1000),
}
"""Cells with one dominator of all others."""


def evidence_over_time(rounds: Array) -> Array:
    """The highest logarithm of the evidence against each classifier after each round, (t, k)."""
    count, k, s = rounds.shape
    everyone = np.ones(k, dtype=bool)
    moments = RoundMoments.empty(k, s)
    wealth = MixWealth.start(np.arange(k), k, s)
    paths = []
    played = 0
    due = LEARNING_ROUNDS
    while played < count:
        block = rounds[played : min(due, count)]
        paths.append(wealth.add(block, everyone))
        moments.add(block, everyone)
        played += len(block)
        if played == due:
            wealth.learn(moments)
            due = next_learning(played)
    return np.concatenate(paths)


def false_at_any_time(name: str, streams: int, kept: Path | None = None) -> pd.Series:
    """How often somebody efficient of a cell is called dominated in any round of a stream."""
    cell = TIED[name]
    k = len(cell.truth)
    efficient = cell.is_efficient

    def measure(generators: list[Rng]) -> pd.DataFrame:
        rounds = [outcomes(rng, cell.truth, cell.instances, cell.rho) for rng in generators]
        highest = highest_evidence(np.array(rounds))[:, efficient]
        shares = {
            "false, all": (highest >= np.log(k / ALPHA)).any(axis=1),
            # One classifier, named beforehand.
            "false, one": highest[:, 0] >= np.log(1 / ALPHA),
        }
        return pd.DataFrame(shares).astype(float)

    return mean_of_batches(f"anytime, {name}", measure, streams, kept).rename({"runs": "streams"})


def mean_of_runs(
    name: str, measure: Callable[[Rng], dict[str, float]], runs: int, kept: Path | None
) -> pd.Series:
    """The means of all measures with their standard errors; run i has a generator of its own."""
    seed = zlib.crc32(name.encode())
    table = measure_runs(name, lambda i: measure(np.random.default_rng([seed, i])), runs, kept)
    return _means_and_errors(table)


def mean_of_batches(
    name: str, measure: Callable[[list[Rng]], pd.DataFrame], runs: int, kept: Path | None
) -> pd.Series:
    """The same of runs that are measured together, each with its own generator."""
    seed = zlib.crc32(name.encode())

    def measure_piece(numbers: range) -> pd.DataFrame:
        return measure([np.random.default_rng([seed, i]) for i in numbers])

    return _means_and_errors(append_runs(name, measure_piece, runs, kept))


def _means_and_errors(table: pd.DataFrame) -> pd.Series:
    """The means of all measures with their standard errors, and the number of runs."""
    errors = table.std(ddof=1) / np.sqrt(len(table))
    return pd.concat([table.mean(), errors.add_prefix("se "), pd.Series({"runs": len(table)})])


def stopping(cell: Cell, streams: int, seed: int = 0) -> pd.Series:
    """When the dominated are decided, and which share of all evaluations was used."""
    rng = np.random.default_rng(seed)
    k = len(cell.truth)
    stops = []
    for _ in range(streams):
        rounds = outcomes(rng, cell.truth, 2 * cell.instances, cell.rho)
        reached = evidence_over_time(rounds)[:, 1:] >= np.log(k / ALPHA)
        stops.append(np.where(reached.any(axis=0), reached.argmax(axis=0) + 1, len(rounds) + 1))
    stop = np.concatenate(stops)
    # The dominator runs as long as the last of the others.
    total = [(np.minimum(s, 2 * cell.instances).sum() + s.max()) for s in stops]
    return pd.Series(
        {f"by {n}": (stop <= n).mean() for n in (200, 400, 1000)}
        | {
            "median stop": np.median(stop),
            "used": np.mean(total) / (k * 2 * cell.instances),
            "streams": streams,
        }
    )


EDGE_CELLS: dict[str, tuple[Array, float]] = {
    "k=2, s=1": (np.array([[0.9], [0.9]]), 0.8),
    "k=5, s=2": (np.full((5, 2), 0.9), 0.8),
    "k=10, s=5": (np.full((10, 5), 0.9), 0.8),
    "k=2, s=2": (np.full((2, 2), 0.9), 0.8),
    "k=2, s=5": (np.full((2, 5), 0.9), 0.8),
    "k=10, s=1": (np.full((10, 1), 0.9), 0.8),
    "k=2, s=1, perfect rival": (np.array([[0.9999], [0.9999]]), 0.0),
    "k=5, s=2, one rival ahead": (np.array([[0.9, 0.9], *[[0.8, 0.8]] * 4]), 0.8),
}
"""Rivals of a candidate whose efficiency is a given share of the best of them; the last row is the
candidate's before that share."""


OPPOSED: dict[str, float] = {"k=2, s=2, leads at -.9": -0.9, "k=2, s=2, leads at -.99": -0.99}
"""Two metrics of the same instances whose errors correlate so, one rival."""


def draw_opposed(rng: Rng, rho: float, score: float, n: int) -> Array:
    """Draw normal values (k, s, n) of two metrics that correlate at `rho` in each classifier."""
    root = np.linalg.cholesky(np.array([[1.0, rho], [rho, 1.0]]))
    values = 0.6 + 0.2 * np.einsum("rq,kqt->krt", root, rng.standard_normal((2, 2, n)))
    values[1] -= 0.6 * (1 - score)
    return np.asarray(values)


def draw_gate(rng: Rng, name: str, score: float, n: int) -> Array:
    """Draw the outcomes (k, s, n) of a gate whose last classifier is the candidate."""
    if name in OPPOSED:
        return draw_opposed(rng, OPPOSED[name], score, n)
    truth, rho = EDGE_CELLS[name]
    truth = truth.copy()
    truth[-1] = truth[0] * score
    return outcomes(rng, truth, n, rho).transpose(1, 2, 0)


def gate_shares(
    name: str, score: float, n: int, runs: int, at_least: float = 0.95, kept: Path | None = None
) -> pd.Series:
    """How often a candidate of known efficiency passes and fails."""
    critical = float(-ndtri(ALPHA / 2))

    def measure(generators: list[Rng]) -> pd.DataFrame:
        values = np.array([draw_gate(rng, name, score, n) for rng in generators])
        passes, fails = gate_decisions(values, at_least, critical, shared=name in OPPOSED)
        return pd.DataFrame({"passes": passes, "fails": fails}).astype(float)

    return mean_of_batches(f"gates {at_least}, {name}, {score}, n={n}", measure, runs, kept)


def sequential_gate(score: float, rounds: int, streams: int, seed: int = 0) -> pd.Series:
    """Passes, fails and median stops of a sequential gate at .95, k = 5, s = 2."""
    truth = np.full((5, 2), 0.9)
    truth[-1] *= score
    rng = np.random.default_rng(seed)
    threshold = float(np.log(2 / ALPHA))
    played = [
        play_gate(outcomes(rng, truth, rounds, 0.8), 4, 0.95, threshold, threshold)
        for _ in range(streams)
    ]
    stops = [gate.decided_after or rounds + 1 for gate in played]
    return pd.Series(
        {
            "passes": np.mean([gate.passes for gate in played]),
            "fails": np.mean([gate.fails for gate in played]),
            "median stop": np.median(stops),
            "streams": streams,
        }
    )


def pull_requests(
    strategy: str,
    number: int,
    n: int,
    runs: int,
    feedback: Feedback | None,
    kept: Path | None = None,
) -> pd.Series:
    """How often some of many candidates at the edge passes falsely on one test set.

    A candidate answers right with .95 times the rate of the model in use, whatever it answered on
    this test set. The next one keeps 95 of 100 answers of an earlier one and gives the others anew:
    of the first one ("none"), of the last that passed ("status"), or of the one that scored best
    ("scores").

    Parameters
    ----------
    strategy : {"none", "status", "scores"}
        What the builder uses.
    feedback : Feedback or None
        Of the ledger; None is a gate without one.
    """
    rate = 0.9 * 0.95

    def measure(rng: Rng) -> dict[str, float]:
        in_use = rng.random(n) < 0.9
        base = rng.random(n) < rate
        best = base.mean()
        passes = 0
        for m in range(1, number + 1):
            anew = np.ones(n, dtype=bool) if strategy == "none" else rng.random(n) < 0.05
            answers = np.where(anew, rng.random(n) < rate, base)
            alpha = ALPHA
            if feedback is not None:
                alpha = alpha_of_gate(ALPHA, m, passes, feedback)
            tail = alpha if feedback == "status" else alpha / 2
            passed = passes_gate(in_use, answers, float(-ndtri(tail)), seed=m)
            passes += passed
            if strategy == "status" and passed:
                base = answers
            if strategy == "scores" and answers.mean() > best:
                base = answers
                best = answers.mean()
            if passed and (strategy != "status" or feedback is None):
                # The run has its false pass; what follows does not change that.
                break
        return {"some false pass": float(passes > 0), "gates": m}

    name = f"{number} requests of {n}, {strategy}, {feedback}"
    return mean_of_runs(name, measure, runs, kept).rename({"se some false pass": "se"})


def passes_gate(in_use: Array, answers: Array, critical: float, seed: int) -> bool:
    """Whether a candidate passes a gate at .95 against one model, by right answers."""
    differences = answers - 0.95 * in_use
    plain = differences.sum() / np.sqrt((differences**2).sum() + critical**2)
    # With one metric nothing is learned but the scale of each fold, which is the same within a few
    # hundredths: what is far from passing need not be computed fold by fold.
    if plain < 0.8 * critical:
        return False
    units = units_of_outcomes(np.stack([in_use, answers], axis=1)[:, :, None].astype(float))
    ridge = np.full(1, critical**2)
    return lower_limit(units, 1, 0.95, critical, ridge, folds=10, seed=seed, draws=1) >= 0.95


def planned(runs: int, seed: int = 0) -> pd.DataFrame:
    """The power that tests have at the numbers that plans give for a power of .8."""
    rng = np.random.default_rng(seed)
    rows = {}
    for s in (1, 3):
        truth = with_first(0.9, 0.8, 10, s)
        # The latent correlation .5 is one of about .32 between right answers.
        n = int(plan(gap=0.1, value=0.9, k=10, s=s, rho=correlation(0.9, 0.8, 0.5)).verdict)
        shown = []
        for run in range(runs):
            units = units_of_outcomes(outcomes(rng, truth, n, 0.5))
            statistic = cross_fit(units, draws=1, seed=run).statistic[1:]
            shown.append((statistic > -ndtri(ALPHA / 10)).mean())
        rows[f"verdict, k=10, s={s}"] = (n, np.mean(shown))
    rho = correlation(0.9, 0.9, 0.8)
    n = int(plan(at_least=0.95, value=0.9, rho=rho).gate)
    rows["gate at .95, k=2, s=1"] = (n, gate_shares("k=2, s=1", 1.0, n, runs)["passes"])
    return pd.DataFrame.from_dict(rows, orient="index", columns=["instances", "power"])


def correlation(p: float, q: float, rho: float, draws: int = 400_000) -> float:
    """The correlation of right answers whose latent normals correlate at rho."""
    rng = np.random.default_rng(0)
    common = rng.standard_normal(draws) * np.sqrt(rho)
    pair = [common + np.sqrt(1 - rho) * rng.standard_normal(draws) < ndtri(rate) for rate in (p, q)]
    return float(np.corrcoef(pair[0], pair[1])[0, 1])


def standard_error(share: float, runs: int) -> float:
    """Of a share of runs."""
    return float(np.sqrt(share * (1 - share) / runs))
