"""Who else says which classifiers are dominated on two criteria: false verdicts and power in one
table, on the same draws.

Packages that are not installed are left out. They ask another question, where mixtures do not
count: a classifier is dominated by one other alone. A verdict is false where it is wrong in the
package's own sense; power is over those that one other dominates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec

import numpy as np
import pandas as pd

from deabench.inference.dominance_games import solve_games
from deabench.inference.samples import Samples
from deabench.inference.uncertainty import Method, uncertainty
from simulations.cpu_time import cpu
from simulations.samples import Array, Rng, latent, names, spread_recalls

DRAWN = 500
"""Bootstrap draws of evalstats."""
Say = Callable[[Array, Array | None], Array]
"""From answers (metrics, k, n) and exact costs (k,) to which classifiers are called dominated,
(k,).
"""


def near_chain(k: int) -> tuple[Array, None]:
    """One metric falls a little while the other rises: everybody is optimal, hardly."""
    return np.column_stack([np.linspace(0.802, 0.798, k), np.linspace(0.7, 0.9, k)]), None


def accuracy_and_cost(k: int) -> tuple[Array, Array]:
    """Accuracy grows with cost along an arc; every second classifier lies below it."""
    cost = np.arange(1.0, k + 1)
    accuracy = 0.6 + 0.3 * np.sqrt(cost / k)
    accuracy[1::2] -= np.linspace(0.03, 0.15, k)[1::2]
    return accuracy[:, None], cost


def arc(k: int) -> tuple[Array, None]:
    """Two recalls along an arc, every second classifier inside it."""
    return spread_recalls(k), None


DESIGNS: dict[str, Callable[[int], tuple[Array, Array | None]]] = {
    "two scores, near chain": near_chain,
    "two scores, arc": arc,
    "accuracy and exact cost": accuracy_and_cost,
}


def rivals(
    runs: int, *, k: int = 20, n: int = 500, only: Sequence[str] = tuple(DESIGNS)
) -> pd.DataFrame:
    """The table: design, package, share of runs with a false verdict, power, CPU seconds a run;
    seeds 0 to runs - 1.
    """
    rows = []
    for design in only:
        truth, cost = DESIGNS[design](k)
        separate = _beaten_by_one(truth, cost)
        for package, say, mixtures in _packages(cost is not None):
            wrong = ~(_beaten_by_mixes(truth, cost) if mixtures else separate)
            false, power, seconds = [], [], []
            for seed in range(runs):
                hits = answers(np.random.default_rng(seed), truth, n)
                spent, called = cpu(partial(say, hits, cost))
                false.append(bool(called[wrong].any()))
                power.append(called[separate].mean() if separate.any() else np.nan)
                seconds.append(spent)
            rows.append((design, package, np.mean(false), np.mean(power), np.median(seconds), runs))
    return pd.DataFrame(
        rows, columns=["design", "package", "false", "power", "seconds", "runs"]
    ).set_index("design")


def answers(rng: Rng, truth: Array, n: int) -> Array:
    """Right or wrong, (metrics, k, n), correlated at .5 between classifiers."""
    from scipy.special import ndtri

    return np.array(
        [latent(rng, len(truth), n, 0.5) < ndtri(truth[:, [r]]) for r in range(truth.shape[1])]
    )


def _packages(cost: bool) -> Iterator[tuple[str, Say, bool]]:
    yield "deabench, analytic", lambda hits, costs: _deabench(hits, costs, "analytic"), True
    yield "deabench, max-t", lambda hits, costs: _deabench(hits, costs, "max-t"), True
    if not cost and find_spec("evalstats"):
        yield "evalstats", lambda hits, _: _evalstats(hits), False
    if cost and find_spec("honestboard"):
        yield "honestboard", _honestboard, False


def _deabench(hits: Array, costs: Array | None, method: Method) -> Array:
    classifiers = names(hits.shape[1])
    samples = Samples.from_outcomes(
        {
            f"m{r}": pd.DataFrame(metric_hits.T, columns=classifiers)
            for r, metric_hits in enumerate(hits)
        }
    )
    if costs is not None:
        samples = samples.with_costs({"cost": pd.Series(costs, classifiers)})
    return np.asarray(uncertainty(samples, method=method).verdicts == "dominated")


def _evalstats(hits: Array) -> Array:
    import evalstats

    classifiers = names(hits.shape[1])
    frame = pd.DataFrame(
        {
            "config": np.repeat(classifiers, hits.shape[2]),
            "item": np.tile(np.arange(hits.shape[2]), len(classifiers)),
            "first": hits[0].ravel().astype(float),
            "second": hits[1].ravel().astype(float),
        }
    )
    tradeoff = evalstats.tradeoff(
        frame,
        factor="config",
        item_col="item",
        primary_metric="first",
        secondary_metric={"second": "max"},
        n_bootstrap=DRAWN,
        rng=0,
    )
    return np.array([tradeoff.status[name] == "dominated" for name in classifiers])


def _honestboard(hits: Array, costs: Array | None) -> Array:
    import honestboard

    classifiers = names(hits.shape[1])
    board = honestboard.Board(classifiers, hits[0].astype(float))
    pareto = honestboard.pareto_frontier(
        board, dict(zip(classifiers, costs if costs is not None else (), strict=True))
    )
    return np.array([name not in pareto["frontier_set"] for name in classifiers])


def _beaten_by_one(truth: Array, cost: Array | None) -> Array:
    """Whether some other is better in every metric and costs no more."""
    better = np.asarray((truth[None] > truth[:, None]).all(axis=2))
    if cost is not None:
        better &= cost[None] <= cost[:, None]
    return np.asarray(better.any(axis=1))


def _beaten_by_mixes(truth: Array, cost: Array | None) -> Array:
    """Whether some mix is."""
    rows = truth[None] / truth[:, None]
    gain = np.ones(truth.shape[1])
    if cost is not None:
        rows = np.concatenate([rows, (1 - cost[None] / cost[:, None])[:, :, None]], axis=2)
        gain = np.append(gain, 0.0)
    return np.asarray(solve_games(rows, gain).value < 1 - 1e-9)
