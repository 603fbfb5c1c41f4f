"""How often the tests between classifiers reject where there is nothing to find: `python -m deabench.bench type-one`.

Three classifiers that are alike, N data sets; every test of `deabench.compare` over data sets at a nominal 5 %. A family of
pairs rejects where any of its pairs does.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from deabench import compare
from deabench.compare.adjust import ADJUSTMENTS, Adjustment, adjusted
from deabench.compare.clusters import cluster_means
from deabench.compare.posthoc import OF_TWO, by_ranks, nemenyi
from deabench.compare.two import wilcoxon

ALPHA = 0.05
SIZES = (2, 3, 4, 5, 6, 8, 10, 11, 13, 14, 17, 18, 20, 30, 40, 50, 51, 60)
NAMES = ["a", "b", "c"]
PAIRS = [("a", "b"), ("a", "c"), ("b", "c")]
CONTROLLED = PAIRS[:2]


def type_one(sizes: tuple[int, ...] = SIZES, *, replicates: int = 2_000, seed: int = 0) -> pd.DataFrame:
    """Shares of rejections, a row per number of data sets, a column per test; standard error .005 at 2,000 replicates."""
    rng = np.random.default_rng(seed)
    rows = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each table of few data sets says so
        for count in sizes:
            found = [rejections(rng, count) for _ in range(replicates)]
            rows[count] = pd.DataFrame(found).mean()
    return pd.DataFrame(rows).T.rename_axis("data sets")


def rejections(rng: np.random.Generator, count: int) -> dict[str, bool]:
    """What each test says of one simulated table."""
    table = pd.DataFrame(rng.normal(size=(count, 3)) + rng.normal(size=(count, 1)), columns=NAMES)
    tied = (2 * table).round()
    return {name: p < ALPHA for name, p in [*_whole(table, "friedman"), *_families(table), *_two(table),
                                            *_tied(tied), *_incomplete(table, rng), *_clusters(rng, count)]}


def _whole(table: pd.DataFrame, name: str) -> Iterator[tuple[str, float]]:
    found = compare.friedman(table)
    yield name, found.p_value
    yield f"{name}, χ²", float(found.tests["p_value"].iloc[0])


def _families(table: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """The smallest adjusted p value of every adjustment of every pairwise test."""
    ranks = compare.rank(table)
    raw = {"ranks": [p for _, _, p in by_ranks(ranks, PAIRS)]}
    for name in ("wilcoxon", "t"):
        raw[name] = [OF_TWO[name](table[a].to_numpy(), table[b].to_numpy()).p_value for a, b in PAIRS]
    for name, p in raw.items():
        for how in ADJUSTMENTS:
            if how not in ("nemenyi", "finner"):
                yield f"{name}, {how}", _least(p, how)
        yield f"{name}, finner (control)", _least(p[:2], "finner")
        yield f"{name}, holm (control)", _least(p[:2], "holm")
    gaps = np.array([gap for gap, _, _ in by_ranks(ranks, PAIRS)])
    yield "ranks, nemenyi", float(nemenyi(ranks, gaps).min())


def _least(p: list[float], how: Adjustment) -> float:
    return float(adjusted(p, how, 3).min())


def _two(table: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Tests of two classifiers."""
    x, y = table["a"].to_numpy(), table["b"].to_numpy()
    yield "wilcoxon", wilcoxon(x, y).p_value
    yield "permutation", compare.permutation(x, y, draws=999).p_value
    yield "paired t", compare.paired_t(x, y).p_value
    shifted: list[tuple[str, Callable[[], compare.Comparison]]] = [
        ("TOST, t, at the margin", lambda: compare.tost(x + 1, y, margin=1)),
        ("TOST, wilcoxon, at the margin", lambda: compare.tost(x + 1, y, margin=1, test="wilcoxon"))]
    for name, test in shifted:
        yield name, test().p_value


def _tied(table: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Scores with many ties."""
    if (table.nunique(axis=1) == 1).all():
        return
    yield from _whole(table, "friedman, ties")
    ranks = compare.rank(table)
    yield "ranks, shaffer, ties", _least([p for _, _, p in by_ranks(ranks, PAIRS)], "shaffer")
    yield "wilcoxon, ties", wilcoxon(table["a"].to_numpy(), table["b"].to_numpy()).p_value


def _incomplete(table: pd.DataFrame, rng: np.random.Generator) -> Iterator[tuple[str, float]]:
    gone = rng.random(table.shape) < 0.15
    gone[0] = False
    yield "skillings-mack, 15 % missing", compare.skillings_mack(table.mask(gone)).p_value


def _clusters(rng: np.random.Generator, count: int) -> Iterator[tuple[str, float]]:
    """Each of N files cut into one to eight data sets that share most of what a classifier gains there."""
    sizes = rng.integers(1, 9, size=count)
    files = np.repeat(np.arange(count), sizes)
    values = rng.normal(size=(count, 3))[files] + 0.3 * rng.normal(size=(len(files), 3))
    table = pd.DataFrame(values, columns=NAMES, index=[f"set {i}" for i in range(len(files))])
    means = cluster_means(table, {name: f"file {file}" for name, file in zip(table.index, files, strict=True)})
    yield "friedman, clusters", compare.friedman(means).p_value
    yield "friedman, clusters ignored", compare.friedman(table).p_value
