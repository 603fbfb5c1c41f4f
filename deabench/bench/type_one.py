"""How often the tests between classifiers reject where there is nothing to find: `python -m deabench.bench type-one`.

Three classifiers that are alike, N data sets; every test of `deabench.compare` over data sets at a nominal 5 %. A family of
pairs rejects where any of its pairs does.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd

from deabench import compare
from deabench.compare.adjust import ADJUSTMENTS, Adjustment, adjusted
from deabench.compare.clusters import cluster_means
from deabench.compare.posthoc import OF_TWO, by_ranks, nemenyi
from deabench.compare.two import wilcoxon

ALPHA, MOST = 0.05, 0.06
SIZES = (2, 3, 4, 5, 6, 8, 11, 13, 14, 17, 20, 30, 40, 51, 60)
NAMES = ["a", "b", "c"]
PAIRS = [("a", "b"), ("a", "c"), ("b", "c")]
IGNORED = "friedman, clusters ignored"
"""What `clusters=` is for: cuts of one file taken as independent data sets."""
Tests = Iterator[tuple[str, float]]


def type_one(sizes: tuple[int, ...] = SIZES, *, replicates: int = 800, again: int = 3_000, seed: int = 0) -> pd.DataFrame:
    """Shares of rejections, a row per number of data sets, a column per test; standard error .008 at 800 replicates.

    A share above 6 % is looked at again, on `again` tables of their own (standard error .004), and theirs is given.
    """
    return pd.DataFrame({count: _row(count, replicates, again, seed) for count in sizes}).T.rename_axis("data sets")


def _row(count: int, replicates: int, again: int, seed: int) -> pd.Series:
    """The shares at one number of data sets, on tables of their own."""
    rng = np.random.default_rng((seed, count))
    row = _shares(rng, count, replicates, PARTS)
    high = set(row.index[row > MOST]) - {IGNORED} if again else set()
    parts = [part for part in PARTS if high & set(_shares(rng, count, 1, [part]).index)] if high else []
    second = _shares(rng, count, again, parts) if parts else row
    return row.where(~row.index.isin(high), second.reindex(row.index))


def rejections(rng: np.random.Generator, count: int, parts: Iterable[str]) -> dict[str, bool]:
    """What each test of some parts says of one simulated table."""
    table = pd.DataFrame(rng.normal(size=(count, 3)) + rng.normal(size=(count, 1)), columns=NAMES)
    return {name: p < ALPHA for part in parts for name, p in PARTS[part](table, rng)}


def _shares(rng: np.random.Generator, count: int, replicates: int, parts: Iterable[str]) -> pd.Series:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each table of few data sets says so
        return pd.DataFrame([rejections(rng, count, parts) for _ in range(replicates)]).mean()


def _friedman(table: pd.DataFrame, _: np.random.Generator) -> Tests:
    return _whole(table, "friedman")


def _whole(table: pd.DataFrame, name: str) -> Tests:
    found = compare.friedman(table)
    yield name, found.p_value
    yield f"{name}, χ²", float(found.tests["p_value"].iloc[0])


def _families(table: pd.DataFrame, _: np.random.Generator) -> Tests:
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


def _two(table: pd.DataFrame, _: np.random.Generator) -> Tests:
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


def _tied(table: pd.DataFrame, _: np.random.Generator) -> Tests:
    """Scores with many ties."""
    table = (2 * table).round()
    if not np.ptp(table.to_numpy(), axis=1).any():
        return
    yield from _whole(table, "friedman, ties")
    ranks = compare.rank(table)
    yield "ranks, shaffer, ties", _least([p for _, _, p in by_ranks(ranks, PAIRS)], "shaffer")
    yield "wilcoxon, ties", wilcoxon(table["a"].to_numpy(), table["b"].to_numpy()).p_value


def _incomplete(table: pd.DataFrame, rng: np.random.Generator) -> Tests:
    gone = rng.random(table.shape) < 0.15
    gone[0] = False
    yield "skillings-mack, 15 % missing", compare.skillings_mack(table.mask(gone)).p_value


def _clusters(table: pd.DataFrame, rng: np.random.Generator) -> Tests:
    """Each of N files cut into one to eight data sets that share most of what a classifier gains there."""
    count = len(table)
    sizes = rng.integers(1, 9, size=count)
    files = np.repeat(np.arange(count), sizes)
    values = rng.normal(size=(count, 3))[files] + 0.3 * rng.normal(size=(len(files), 3))
    table = pd.DataFrame(values, columns=NAMES, index=[f"set {i}" for i in range(len(files))])
    means = cluster_means(table, {name: f"file {file}" for name, file in zip(table.index, files, strict=True)})
    yield "friedman, clusters", compare.friedman(means).p_value
    yield IGNORED, compare.friedman(table).p_value


PARTS: dict[str, Callable[[pd.DataFrame, np.random.Generator], Tests]] = {
    "friedman": _friedman, "families": _families, "two": _two, "ties": _tied, "incomplete": _incomplete, "clusters": _clusters}
