"""The type of an imbalanced data set: disjunct (SD), overlapping (OD) or noisy (ND), from its
neighbourhoods.

Each minority row is safe, borderline, rare or an outlier by how many of its five nearest neighbours
are of its class (4-5, 2-3, 1, 0; Napierała and Stefanowski 2016, J. of Intelligent Information
Systems 46, 563-597). The minority's rows are joined where one is among the other's five nearest; of
the connected groups, `big` is the share of the largest and `single` the share of rows alone.

    SD  where big < 0.50 or safe < 0.30      small scattered groups inside the majority
    ND  otherwise, where single >= 0.05      one clear cluster and isolated points
    OD  otherwise                            one cluster, mixing on its border

The thresholds were chosen on the sets of the 2022 paper's Table 2, whose labels come from looking
at t-SNE maps; `agreement` says how far the rule reproduces them. A label of the user's own comes
first; this rule is for data without."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.study.data.dataset import Dataset

NEIGHBOURS = 5
KINDS = ("safe", "borderline", "rare", "outlier")


@dataclass(frozen=True)
class Typing:
    """Attributes
    ----------
    label : str
        SD, OD or ND by the rule.
    shares : Series
        safe, borderline, rare, outlier (they sum to 1), big and single; shares of the minority's
        rows.
    kinds : Series
        Each minority row's kind, by row number.
    """

    label: str
    shares: pd.Series
    kinds: pd.Series


def data_type(data: Dataset) -> Typing:
    """The computed type of a data set.

    Features are standardised (constant ones left out) and missing cells take their column's median;
    distances are Euclidean. Cost: one nearest-neighbour query per row.

    Raises
    ------
    DataError
        With fewer than 6 rows, as there are not five neighbours.
    """
    if len(data.y) <= NEIGHBOURS:
        raise DataError(
            f"data set '{data.name}' has {len(data.y)} rows; its type needs at least {NEIGHBOURS + 1}"
        )
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components
    from sklearn.neighbors import NearestNeighbors

    near = (
        NearestNeighbors(n_neighbors=NEIGHBOURS)
        .fit(X := standardised(data.X))
        .kneighbors(return_distance=False)
    )
    minority = np.flatnonzero(data.y == 1)
    alike = data.y[near[minority]].sum(axis=1)
    kinds = pd.Series(
        np.select([alike >= 4, alike >= 2, alike == 1], KINDS[:3], KINDS[3]), index=minority
    )
    rows = np.repeat(np.arange(len(X)), NEIGHBOURS)
    graph = csr_array((np.ones(len(rows)), (rows, near.ravel())), shape=(len(X), len(X)))
    own = graph[minority][:, minority]
    _, group = connected_components(own, directed=False)
    sizes = np.bincount(group)
    shares = kinds.value_counts(normalize=True).reindex(KINDS, fill_value=0.0)
    shares["big"], shares["single"] = (
        sizes.max() / len(minority),
        (sizes == 1).sum() / len(minority),
    )
    return Typing(rule(shares), shares.rename("share"), kinds.rename("kind"))


def rule(shares: pd.Series) -> str:
    """SD, OD or ND from the shares; see the module's docstring."""
    if shares["big"] < 0.50 or shares["safe"] < 0.30:
        return "SD"
    return "ND" if shares["single"] >= 0.05 else "OD"


def standardised(X: np.ndarray) -> np.ndarray:
    """Columns of mean 0 and standard deviation 1, missing cells at the median, constant columns
    left out.
    """
    known = np.where(
        np.isnan(X).all(axis=0), 0.0, X
    )  # a column of which nothing is known is constant
    filled = np.where(np.isnan(known), np.nanmedian(known, axis=0), known)
    spread = filled.std(axis=0)
    kept = spread > 1e-12 * np.maximum(np.abs(filled).max(axis=0), 1.0)
    return np.asarray((filled[:, kept] - filled[:, kept].mean(axis=0)) / spread[kept])


@dataclass(frozen=True)
class Agreement:
    """Attributes
    ----------
    table : DataFrame
        Index data set; given (its own label or labels, joined by `;`), computed, the shares.
    single : tuple of (int, int)
        Agreeing and all among the sets with a single label.
    mixed : tuple of (int, int)
        The same over all sets, a mixed label agreeing where it contains the computed one.
    majority : float
        The share that the most frequent label alone would reach on the single-label sets.
    kappa : float
        Cohen's, on the single-label sets.
    interval : tuple of float
        95 % bootstrap interval of the single-label share.
    """

    table: pd.DataFrame
    single: tuple[int, int]
    mixed: tuple[int, int]
    majority: float
    kappa: float
    interval: tuple[float, float]

    @property
    def sentence(self) -> str:
        a, n = self.single
        return (
            f"the rule agrees with the given label on {a} of {n} data sets with a single one ({a / n:.0%}, 95 % "
            f"interval {self.interval[0]:.0%} to {self.interval[1]:.0%}, kappa {self.kappa:.2f}; the most frequent "
            f"label alone: {self.majority:.0%}), {self.mixed[0]} of {self.mixed[1]} counting mixed labels as sets"
        )


def agreement(datasets: Iterable[Dataset], *, seed: int = 0) -> Agreement:
    """Compare the rule with the labels that came with the data (those without one are left out).

    Raises
    ------
    DataError
        Where no data set has a single label to compare with.
    """
    from sklearn.metrics import cohen_kappa_score

    rows = [(data, data_type(data)) for data in datasets if data.type]
    table = (
        pd.DataFrame(
            [
                {"dataset": data.name, "given": data.type, "computed": found.label, **found.shares}
                for data, found in rows
            ]
        ).set_index("dataset")
        if rows
        else pd.DataFrame()
    )
    alone = table[~table["given"].str.contains(";")] if rows else table
    if alone.empty:
        raise DataError(
            "no data set has a single type label of its own; there is nothing to compare the rule with"
        )
    same = (alone["given"] == alone["computed"]).to_numpy()
    rng = np.random.default_rng(seed)
    shares = same[rng.integers(0, len(same), (2000, len(same)))].mean(axis=1)
    within = [
        computed in given.split(";")
        for given, computed in zip(table["given"], table["computed"], strict=True)
    ]
    return Agreement(
        table,
        (int(same.sum()), len(same)),
        (sum(within), len(within)),
        float(alone["given"].value_counts(normalize=True).iloc[0]),
        float(cohen_kappa_score(alone["given"], alone["computed"])),
        (float(np.quantile(shares, 0.025)), float(np.quantile(shares, 0.975))),
    )
