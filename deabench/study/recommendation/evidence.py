"""What a study knows of which classifiers are efficient on which data.

A classifier is efficient on a data set where it is an extreme point of the frontier of TPR and TNR,
folds pooled. As a few folds decide that, each data set also has worlds: the same with the folds
drawn anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
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

    def characteristics(self) -> np.ndarray:
        """Return what data sets are compared by: (data sets, 7)."""
        return scale_characteristics(self.facts)


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
