"""The type of an imbalanced data set: disjunct (SD), overlapping (OD) or noisy (ND).

Each minority row is safe, borderline, rare or an outlier by how many of its five nearest neighbours
are of its class (4-5, 2-3, 1, 0; Napierała and Stefanowski 2016, J. of Intelligent Information
Systems 46, 563-597). Minority rows are joined where one is among the other's five nearest; of the
connected groups, `big` is the share of the largest and `single` the share of rows alone.

    SD  where big < 0.50 or safe < 0.30      small scattered groups inside the majority
    ND  otherwise, where single >= 0.05      one clear cluster and isolated points
    OD  otherwise                            one cluster, mixing on its border

The thresholds were chosen on the sets of the 2022 paper's Table 2, whose labels come from looking
at t-SNE maps; `type_agreement` measures how far the rule reproduces them. A label of the user's own
comes first; this rule is for data without.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from deabench.errors import DataError
from deabench.study.data.dataset import Dataset

NEIGHBOURS = 5
ROW_KINDS = ("safe", "borderline", "rare", "outlier")


@dataclass(frozen=True)
class DataType:
    """The computed type of a data set.

    Attributes
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


def infer_data_type(data: Dataset) -> DataType:
    """Infer the type of a data set from the neighbourhoods of its minority.

    Features are standardized (constant ones left out) and missing cells take their column's median;
    distances are Euclidean. Cost: one nearest-neighbour query per row.

    Raises
    ------
    DataError
        With fewer than 6 rows, as there are not five neighbours, with infinite values, or where no
        feature varies.
    """
    if len(data.y) <= NEIGHBOURS:
        raise DataError(
            f"data set '{data.name}' has {len(data.y)} rows; its type needs at least "
            f"{NEIGHBOURS + 1}"
        )
    if np.isinf(data.X).any():
        raise DataError(
            f"data set '{data.name}' has infinite values; leave these cells empty, or give numbers"
        )
    from sklearn.neighbors import NearestNeighbors

    # distances must not depend on the units of the features
    X = standardize_features(data.X)
    if not X.shape[1]:
        raise DataError(
            f"data set '{data.name}' has no feature that varies; its type needs at least one"
        )
    nearest = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(X).kneighbors(return_distance=False)
    # the kind of each minority row, by how many of its neighbours are of the minority
    minority = np.flatnonzero(data.y == 1)
    same_class = data.y[nearest[minority]].sum(axis=1)
    kinds = pd.Series(
        np.select([same_class >= 4, same_class >= 2, same_class == 1], ROW_KINDS[:3], ROW_KINDS[3]),
        index=minority,
    )
    # connected groups of the minority in the graph of nearest neighbours
    rows = np.repeat(np.arange(len(X)), NEIGHBOURS)
    graph = csr_array((np.ones(len(rows)), (rows, nearest.ravel())), shape=(len(X), len(X)))
    _, group_of_row = connected_components(graph[minority][:, minority], directed=False)
    sizes = np.bincount(group_of_row)
    # kinds without a row get the share 0
    shares = kinds.value_counts(normalize=True).reindex(ROW_KINDS, fill_value=0.0)
    shares["big"] = sizes.max() / len(minority)
    shares["single"] = (sizes == 1).sum() / len(minority)
    return DataType(classify_shares(shares), shares.rename("share"), kinds.rename("kind"))


def classify_shares(shares: pd.Series) -> str:
    """Return SD, OD or ND; see the module's docstring for the rule."""
    if shares["big"] < 0.50 or shares["safe"] < 0.30:
        return "SD"
    return "ND" if shares["single"] >= 0.05 else "OD"


def standardize_features(X: np.ndarray) -> np.ndarray:
    """Return the columns with mean 0 and standard deviation 1, constant columns left out.

    Missing cells take the median of their column; a column without values is constant.
    """
    # fill in medians
    values = np.where(np.isnan(X).all(axis=0), 0.0, X)
    filled = np.where(np.isnan(values), np.nanmedian(values, axis=0), values)
    deviations = filled.std(axis=0)
    # relative to the size of the numbers: rounding alone makes no column vary
    varying = deviations > 1e-12 * np.maximum(np.abs(filled).max(axis=0), 1.0)
    centred = filled[:, varying] - filled[:, varying].mean(axis=0)
    return np.asarray(centred / deviations[varying])


@dataclass(frozen=True)
class TypeAgreement:
    """How far the rule reproduces the labels that came with data sets.

    Attributes
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
        """Return the agreement in one sentence."""
        agreeing, total = self.single
        low, high = self.interval
        return (
            f"the rule agrees with the given label on {agreeing} of {total} data sets with a "
            f"single one ({agreeing / total:.0%}, 95 % interval {low:.0%} to {high:.0%}, kappa "
            f"{self.kappa:.2f}; the most frequent label alone: {self.majority:.0%}), "
            f"{self.mixed[0]} of {self.mixed[1]} counting mixed labels as sets"
        )


def type_agreement(datasets: Iterable[Dataset], *, seed: int = 0) -> TypeAgreement:
    """Compare the rule with the labels that came with the data; sets without one are left out.

    Raises
    ------
    DataError
        Where no data set has a single label to compare with.
    """
    from sklearn.metrics import cohen_kappa_score

    rows = []
    for data in datasets:
        # sets without a label have nothing to compare with
        if data.type:
            inferred = infer_data_type(data)
            row = {"dataset": data.name, "given": data.type, "computed": inferred.label}
            rows.append({**row, **inferred.shares})
    table = pd.DataFrame(rows, columns=None if rows else ["dataset", "given"]).set_index("dataset")
    # labels such as "SD;OD" name several types
    single = table[~table["given"].astype(str).str.contains(";")]
    if single.empty:
        raise DataError(
            "no data set has a single type label of its own; there is nothing to compare the rule "
            "with"
        )
    # bootstrap over the data sets
    agrees = (single["given"] == single["computed"]).to_numpy()
    rng = np.random.default_rng(seed)
    shares = agrees[rng.integers(0, len(agrees), (2000, len(agrees)))].mean(axis=1)
    contains = [
        computed in labels.split(";")
        for labels, computed in zip(table["given"], table["computed"], strict=True)
    ]
    # a mixed label agrees if it contains the computed one
    return TypeAgreement(
        table,
        (int(agrees.sum()), len(agrees)),
        (sum(contains), len(contains)),
        float(single["given"].value_counts(normalize=True).iloc[0]),
        float(cohen_kappa_score(single["given"], single["computed"])),
        (float(np.quantile(shares, 0.025)), float(np.quantile(shares, 0.975))),
    )
