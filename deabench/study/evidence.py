"""What a study knows of which classifiers are efficient on which data.

A classifier is efficient on a data set where it is an extreme point of the frontier of TPR and TNR,
folds pooled. As a few folds decide that, each data set also has worlds: the same with the folds
drawn anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deabench.datasets.keel import keel67_facts, keel67_manifest, read_keel67, table2
from deabench.errors import DataError
from deabench.geometry.rising_hull import rising_hull
from deabench.study.data.data_type import ROW_KINDS, infer_data_type
from deabench.study.data.dataset import Dataset
from deabench.study.learners import LearnerSpec
from deabench.study.results.summary import StudySummary
from deabench.study.study import Study
from deabench.utils.checks import did_you_mean

COUNTS = ["tp", "fn", "fp", "tn"]
WORLDS = 40
"""Draws of the folds of each data set."""
CHARACTERISTICS = ("imbalance_ratio", "rows", "features", *ROW_KINDS)
SHIPPED = "keel67"
BANDWIDTHS = (0.5, 1.0, 2.0, np.inf)
"""How far similar data may be, in standard deviations of a characteristic: one is chosen."""
LABELS = {
    "imbalance_ratio": "the imbalance ratio",
    "rows": "the number of rows",
    "features": "the number of features",
}


@dataclass(frozen=True, eq=False)
class Evidence:
    """The results of a study by data set.

    Attributes
    ----------
    name : str
    facts : DataFrame, data sets x (imbalance_ratio, rows, features, shares of row kinds, type)
    classifiers : tuple of str
    efficient : bool array (data sets, classifiers)
    worlds : bool array (data sets, draws, classifiers)
    scores : float array (data sets, classifiers)
        Efficiencies.
    rates : float array (data sets, classifiers, 2)
        TPR and TNR.
    files : array of str (data sets,)
        The file that each data set was made of.
    learners : mapping of classifier to LearnerSpec
        How to build those that are known.
    """

    name: str
    facts: pd.DataFrame
    classifiers: tuple[str, ...]
    efficient: np.ndarray
    worlds: np.ndarray
    scores: np.ndarray
    rates: np.ndarray
    files: np.ndarray
    learners: Mapping[str, LearnerSpec] = field(default_factory=dict)

    @cached_property
    def characteristics(self) -> np.ndarray:
        """What data sets are compared by: (data sets, 7)."""
        return scale_characteristics(self.facts)

    @cached_property
    def file_sizes(self) -> np.ndarray:
        """How many data sets were made of the file of each: (data sets,)."""
        _, positions, sizes = np.unique(self.files, return_inverse=True, return_counts=True)
        return np.asarray(sizes[positions])


def scale_characteristics(facts: pd.DataFrame) -> np.ndarray:
    """Return ratio, rows and features as logarithms, beside the shares of the row kinds."""
    values = facts[list(CHARACTERISTICS)].to_numpy(dtype=float)
    return np.hstack([np.log(values[:, :3]), values[:, 3:]])


def describe_data(data: Dataset) -> pd.DataFrame:
    """Return the characteristics of a data set of two classes, and its type: one row."""
    inferred = infer_data_type(data)
    row = {
        "imbalance_ratio": data.imbalance_ratio,
        "rows": len(data.y),
        "features": data.features,
        **inferred.shares[list(ROW_KINDS)],
        "type": inferred.label,
    }
    return pd.DataFrame([row], index=[data.name])


def read_evidence(
    study: Study | StudySummary | str | Path | None,
    files: Mapping[str, str] | None,
    floor: float,
) -> Evidence:
    """Return what a study knows.

    Parameters
    ----------
    study : Study, its summary, the path of a study file, or None
        None: the shipped `keel67`.
    files : mapping of data set to file, optional
        Data sets of one file are kept together; without it each is a file of its own, and the
        shipped ones go by the file in their names.
    floor : float
        The balanced accuracy that an efficient classifier must exceed.

    Raises
    ------
    DataError
        Where the study is not of two classes or has no results.
    """
    if study is None:
        if files:
            raise DataError(
                f"the files of '{SHIPPED}' go by its names; give files together with a study"
            )
        return shipped_evidence(floor)
    if isinstance(study, str | Path):
        study = Study.from_toml(study)
    learners = {}
    if isinstance(study, Study):
        name = study.plan.name
        learners = {spec.name: spec for spec in study.plan.learners}
        study = study.summary()
    elif isinstance(study, StudySummary):
        name = "the study"
    else:
        raise DataError(
            f"study is a {type(study).__name__}; give a Study, its summary, or the path of a study "
            "file"
        )
    if "safe" not in study.facts or not set(COUNTS) <= set(study.counts):
        raise DataError(
            f"'{name}' compares more than two classes; advice on new data needs a study of two"
        )
    of_dataset = {str(key): str(key) for key in study.facts.index}
    for dataset, file in dict(files or {}).items():
        if str(dataset) not in of_dataset:
            hint = did_you_mean(dataset, list(of_dataset))
            raise DataError(f"files names '{dataset}', which is no data set of '{name}'; {hint}")
        of_dataset[str(dataset)] = str(file)
    evidence = build_evidence(name, study.counts, study.facts, of_dataset, floor)
    return replace(evidence, learners=learners)


@lru_cache(maxsize=2)
def shipped_evidence(floor: float, seed: int = 0) -> Evidence:
    """Return what the shipped study knows; another seed draws the folds otherwise."""
    facts = keel67_facts().join(table2()["type"])
    # glass0 and glass-0-1-5_vs_2 are both made of glass.
    files = {name: re.findall("^[a-z]+", name)[0] for name in facts.index}
    evidence = build_evidence(SHIPPED, read_keel67().reset_index(), facts, files, floor, seed=seed)
    parameters = keel67_manifest()["parameters"]
    learners = {
        name: LearnerSpec(name, name, tuple(parameters.get(name, {}).items()))
        for name in evidence.classifiers
    }
    return replace(evidence, learners=learners)


def build_evidence(
    name: str,
    counts: pd.DataFrame,
    facts: pd.DataFrame,
    files: Mapping[str, str],
    floor: float = 0.0,
    *,
    seed: int = 0,
) -> Evidence:
    """Compute rates, efficiencies and worlds of each data set that every classifier has.

    Parameters
    ----------
    counts : DataFrame with dataset, classifier, fold (and repeat), tp, fn, fp, tn
    facts : DataFrame, data sets x characteristics and type
    files : mapping of data set to file
    """
    classifiers = tuple(dict.fromkeys(counts["classifier"].astype(str)))
    folds = [key for key in ("repeat", "fold") if key in counts]
    generator = np.random.default_rng(seed)
    fields: dict[str, list[Any]] = {"efficient": [], "worlds": [], "scores": [], "rates": []}
    present = []
    for dataset, rows in counts.groupby("dataset", sort=False):
        wide = rows.set_index([*folds, "classifier"])[COUNTS].unstack("classifier")
        if wide.shape[1] < len(COUNTS) * len(classifiers) or wide.isna().to_numpy().any():
            continue
        # (folds, cells, classifiers), the classifiers in one order
        cells = wide.to_numpy(dtype=float).reshape(len(wide), len(COUNTS), -1)
        cells = cells[:, :, np.argsort(np.argsort(classifiers))]
        rates = _rates_of(cells.sum(axis=0))
        draws = generator.integers(0, len(cells), (WORLDS, len(cells)))
        # Folds drawn anew may lack a class; the pooled ones stand for these.
        redrawn = [_rates_of(cells[folds_drawn].sum(axis=0)) for folds_drawn in draws]
        redrawn = [rates if np.isnan(values).any() else values for values in redrawn]
        present.append(dataset)
        fields["rates"].append(rates)
        fields["efficient"].append(_efficient(rates, floor))
        fields["worlds"].append([_efficient(values, floor) for values in redrawn])
        fields["scores"].append(_radial_scores(rates))
    if not present:
        raise DataError(f"'{name}' has no data set with a result of every classifier; run it first")
    return Evidence(
        name=name,
        facts=facts.loc[present],
        classifiers=classifiers,
        files=np.array([files[dataset] for dataset in present], dtype=object),
        efficient=np.array(fields["efficient"]),
        worlds=np.array(fields["worlds"]),
        scores=np.array(fields["scores"]),
        rates=np.array(fields["rates"]),
    )


def _rates_of(cells: np.ndarray) -> np.ndarray:
    """Return TPR and TNR of (tp, fn, fp, tn) x classifiers: (classifiers, 2)."""
    tp, fn, fp, tn = cells
    with np.errstate(invalid="ignore"):
        return np.column_stack([tp / (tp + fn), tn / (tn + fp)])


def _efficient(rates: np.ndarray, floor: float) -> np.ndarray:
    """Return who is an extreme point of the frontier, equal ones alike, and above the floor."""
    vertices = rising_hull(-rates[:, 0], rates[:, 1])
    is_efficient = (rates[:, None] == rates[vertices]).all(axis=2).any(axis=1)
    return np.asarray(is_efficient & (rates.mean(axis=1) > floor))


def _radial_scores(rates: np.ndarray) -> np.ndarray:
    """Return the output efficiency of each classifier (DEA-WEI): 1 on the frontier."""
    vertices = rates[rising_hull(-rates[:, 0], rates[:, 1])]
    # The edges of the frontier, and the two beyond its ends: normal · y = 1 on each.
    best = rates.max(axis=0)
    normals = [np.array([1 / best[0], 0.0]), np.array([0.0, 1 / best[1]])]
    for first, second in pairwise(vertices):
        normal = np.array([second[1] - first[1], first[0] - second[0]])
        normals.append(normal / (normal @ first))
    return np.asarray((rates @ np.transpose(normals)).max(axis=1))


def similarity(
    evidence: Evidence,
    characteristics: np.ndarray,
    rows: np.ndarray | None = None,
    bandwidth: float | None = None,
) -> np.ndarray:
    """Return the weight of each data set for data with some characteristics: of sum 1.

    A Gaussian kernel of the mean squared difference in standard deviations; each file weighs the
    same before it.

    Parameters
    ----------
    characteristics : array (7,)
    rows : bool array, optional
        The data sets that are used; the others get the weight 0.
    bandwidth : float, optional
        Of the kernel; without it the one of `choose_bandwidth`.
    """
    if bandwidth is None:
        bandwidth = choose_bandwidth(evidence)
    used = np.ones(len(evidence.files), dtype=bool) if rows is None else rows
    squares = _squared_distances(evidence, characteristics, used)
    # The nearest one has the kernel 1, so that far data have weights, too.
    kernel = np.exp(-(squares - squares[used].min()) / (2 * bandwidth**2)) * used
    weights = kernel / evidence.file_sizes
    return np.asarray(weights / weights.sum())


def order_names(worlds: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Order the names so that each adds most to the chance that one of them is efficient.

    Parameters
    ----------
    worlds : bool array (data sets, draws, classifiers)
    weights : array (data sets,)
        Of sum 1.

    Returns
    -------
    order : int array (classifiers,)
    gains : array (classifiers,)
        What each adds.
    """
    pairs = list(_names_in_order(worlds, weights))
    return np.array([name for name, _ in pairs]), np.array([gain for _, gain in pairs])


def _names_in_order(worlds: np.ndarray, weights: np.ndarray) -> Iterator[tuple[int, float]]:
    """Iterate over the names in the order of `order_names`, each with what it adds."""
    open_weight = np.repeat(weights[:, None] / worlds.shape[1], worlds.shape[1], axis=1)
    overall = np.einsum("ib,ibk->k", open_weight, worlds).tolist()
    remaining = list(range(worlds.shape[2]))
    while remaining:
        gain = np.einsum("ib,ibk->k", open_weight, worlds[:, :, remaining]).round(12).tolist()
        # Of equal gains the one that is efficient more often, then the first of the study.
        best = max(range(len(remaining)), key=lambda j: (gain[j], overall[remaining[j]]))
        name = remaining.pop(best)
        yield name, gain[best]
        open_weight = np.where(worlds[:, :, name], 0.0, open_weight)


def count_needed(evidence: Evidence, level: float, uniform: float = 1.0) -> int:
    """Return how many of the first names hold an efficient one with a probability.

    A rank is plausible for a new file where its smoothed p-value exceeds 1 - level (Vovk, Gammerman
    and Shafer 2005, section 2.6): the weight of greater ranks on the study's data sets, each with
    its file left out, and a part of the weight of equal ones and of the new file. Each of K files
    weighs 1/(K + 1), shared by its data sets, and so does the new one.

    Parameters
    ----------
    uniform : float from 0 to 1
        The part. 1 counts ties in full, which errs on the safe side; drawn anew for new data, the
        probability is not above the level more than it has to be.

    Returns
    -------
    int
        One more than there are names where no number is enough: too few files, or too many data
        sets on which no name is efficient.
    """
    files, positions, sizes = np.unique(evidence.files, return_inverse=True, return_counts=True)
    weights = 1 / (len(files) + 1) / sizes[positions]
    ranks = needed_ranks(evidence, choose_bandwidth(evidence))
    needed = 1
    for rank in range(1, len(evidence.classifiers) + 2):
        ties = weights[ranks == rank].sum() + 1 / (len(files) + 1)
        p_value = weights[ranks > rank].sum() + uniform * ties
        # p-values fall with the rank, so that the last plausible one is the greatest.
        if p_value > 1 - level + 1e-12:
            needed = rank
    return needed


@lru_cache(maxsize=4)
def choose_bandwidth(evidence: Evidence) -> float:
    """Return the bandwidth with which the first efficient name has the lowest mean rank.

    Each file is left out in turn and weighs the same. A study in which similar data do not have
    the same efficient classifiers gets a wide one: all its data sets then count alike.
    """
    weights = 1 / evidence.file_sizes
    return min(BANDWIDTHS, key=lambda bandwidth: weights @ needed_ranks(evidence, bandwidth))


@lru_cache(maxsize=4 * len(BANDWIDTHS))
def needed_ranks(evidence: Evidence, bandwidth: float) -> np.ndarray:
    """Return the rank of the first efficient name on each data set, its file left out.

    Where none is efficient it is one more than there are names.
    """
    names = len(evidence.classifiers)
    ranks = np.full(len(evidence.files), names + 1)
    for k, values in enumerate(evidence.characteristics):
        is_other = evidence.files != evidence.files[k]
        if not is_other.any():
            continue
        weights = similarity(evidence, values, is_other, bandwidth)
        # The names after the first efficient one are not needed.
        for rank, (name, _) in enumerate(_names_in_order(evidence.worlds, weights), start=1):
            if evidence.efficient[k, name]:
                ranks[k] = rank
                break
    return ranks


def lower_limits(evidence: Evidence, level: float) -> np.ndarray:
    """Return what each classifier's efficiency on data of a new file exceeds at a level.

    The quantile of its efficiencies with each file weighing the same, and one file more that is at
    0: 0 where there are too few files.
    """
    files, positions, sizes = np.unique(evidence.files, return_inverse=True, return_counts=True)
    weights = 1 / (len(files) + 1) / sizes[positions]
    limits = np.zeros(len(evidence.classifiers))
    for k, scores in enumerate(evidence.scores.T):
        ordered = np.argsort(scores)
        below = 1 / (len(files) + 1) + np.cumsum(weights[ordered]) - weights[ordered]
        # The greatest score below which there is a weight of at most 1 - level.
        allowed = np.flatnonzero(below <= 1 - level + 1e-12)
        if len(allowed):
            limits[k] = scores[ordered][allowed[-1]]
    return limits


def find_outside(evidence: Evidence, facts: pd.DataFrame) -> tuple[str, ...]:
    """Say in what data lie outside what a study knows; nothing where they do not."""
    sentences = []
    for name in CHARACTERISTICS[:3]:
        value = facts[name].iloc[0]
        values_of_study = evidence.facts[name].astype(float)
        if not values_of_study.min() <= value <= values_of_study.max():
            sentences.append(
                f"{LABELS[name]} is {value:.4g}, and the study has {values_of_study.min():.4g} to "
                f"{values_of_study.max():.4g}"
            )
    # How far each data set is from the nearest one of another file.
    distances = []
    for k, values in enumerate(evidence.characteristics):
        is_other = evidence.files != evidence.files[k]
        if is_other.any():
            distances.append(_squared_distances(evidence, values, is_other)[is_other].min())
    nearest = _squared_distances(
        evidence, scale_characteristics(facts)[0], np.ones(len(evidence.files), dtype=bool)
    ).min()
    if distances and nearest > max(distances):
        sentences.append("no data set of the study is as near as each is to one of another file")
    return tuple(sentences)


def _squared_distances(
    evidence: Evidence, characteristics: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Return the mean squared difference from each data set, in deviations of the given rows."""
    values = evidence.characteristics
    deviations = values[rows].std(axis=0)
    deviations[deviations < 1e-12] = 1.0
    return np.asarray((((values - characteristics) / deviations) ** 2).mean(axis=1))
