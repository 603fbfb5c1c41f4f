"""Weightings in designs of known truth: coverage of the limits under noise, and three ways to the
same extreme ranks."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.stats import norm

import deabench as db
from deabench.analysis.weightings.noise import bound_true_ranks
from deabench.analysis.weightings.rank_bounds import RankSearch, collect_evidence
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
    table = samples.values
    data = validate(select_table(table, outputs=list(table)), warn=False)
    limits = bound_true_ranks(search_of(table), data, samples, (), level=0.95, end=np.inf)
    return np.column_stack(limits)


def coverage(truth: pd.DataFrame, draw: Draw, *, runs: int, seed: int = 0) -> pd.Series:
    """How often the limits hold for all rows at once, beside the sample's own ranks.

    Parameters
    ----------
    truth : DataFrame, rows x metrics
    draw : function of a generator
        Makes samples of the truth.
    """
    true_ranks = extreme_ranks(truth)
    covered = np.zeros((runs, 2))
    widths = np.zeros((runs, 2))
    for run in range(runs):
        samples = draw(np.random.default_rng((seed, run)))
        # The rows and metrics in the order of the truth.
        for column, ranks in enumerate((limits_of(samples), extreme_ranks(samples.values))):
            covered[run, column] = (
                (ranks[:, 0] <= true_ranks[:, 0]) & (ranks[:, 1] >= true_ranks[:, 1])
            ).all()
            widths[run, column] = (ranks[:, 1] - ranks[:, 0]).mean()
    true_width = (true_ranks[:, 1] - true_ranks[:, 0]).mean()
    return pd.Series(
        {
            "limits cover": covered[:, 0].mean(),
            "the sample's ranks cover": covered[:, 1].mean(),
            "true width": true_width,
            "width of the limits": widths[:, 0].mean(),
            "width of the sample's": widths[:, 1].mean(),
            "runs": runs,
        }
    )


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


def random_table(generator: np.random.Generator, n: int, s: int) -> pd.DataFrame:
    """A small table with ties, a duplicate and an exact mix of two rows."""
    values = generator.integers(1, 10, (n, s)) / 10
    values[1] = values[0]
    values[2] = ((values[3] + values[4]) / 2).round(2)
    return pd.DataFrame(values, columns=[f"m{r}" for r in range(s)])


def compare_ways(count: int, seed: int = 0) -> pd.Series:
    """On how many small tables subdivision, the MILP, enumeration and the certificate agree."""
    from arrangements import extreme_ranks as enumerate_ranks

    generator = np.random.default_rng(seed)
    agree = {"enumeration": 0, "MILP": 0, "certificate": 0, "proved": 0}
    started = time.process_time()
    for k in range(count):
        s = 2 + k % 2
        table = random_table(generator, 8 - s, s)
        result = db.weightings(table, outputs=list(table), draws=64)
        ranks = result.ranks[["best", "worst"]].to_numpy()
        agree["enumeration"] += bool((enumerate_ranks(table.to_numpy()) == ranks).all())
        agree["MILP"] += bool((milp_ranks(table) == ranks).all())
        agree["proved"] += bool(
            (result.ranks[["best_proved", "worst_proved"]].to_numpy() == ranks).all()
        )
        agree["certificate"] += len(db.certify(result)) == len(table)
    return pd.Series(agree | {"tables": count, "CPU s": time.process_time() - started})


def milp_ranks(table: pd.DataFrame) -> np.ndarray:
    """Best and worst ranks by the mixed-integer programs alone, (n, 2)."""
    search = search_of(table)
    n = len(table)
    ranks = np.empty((n, 2), dtype=int)
    for k in range(n):
        for column, sign in ((0, 1), (1, -1)):
            optimum = search.solve_milp(k, sign, search.differences(k, sign), 60.0)
            assert optimum is not None
            count = int((~optimum[0]).sum())
            ranks[k, column] = 1 + count if sign > 0 else n - count
    return ranks
