"""Recommend classifiers for new data from the results of a study.

The names are ordered so that each adds most to the chance of an efficient one on data like the new
ones. How many are needed is decided by conformal prediction over the study's files: the rank of the
first efficient name is computed on every data set with its file left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deabench.datasets.chao2022 import TABLE_22, table22
from deabench.datasets.keel import keel67_facts, read_keel67, table2
from deabench.errors import DataError
from deabench.study.data.dataset import Dataset
from deabench.study.data.loaders import load_dataset
from deabench.study.evidence import (
    Evidence,
    count_needed,
    describe_data,
    find_outside,
    lower_limits,
    order_names,
    read_evidence,
    scale_characteristics,
    similarity,
)
from deabench.study.learners import BuildContext, LearnerSpec, Preprocessing
from deabench.study.learners.registry import PAPER_FAMILIES, build_learner
from deabench.study.results.aggregate import (
    SummarySettings,
    efficiencies_by_family,
    group_datasets,
    ratio_group,
    recommend_families,
)
from deabench.study.results.metrics import StudyMetrics
from deabench.study.results.summary import StudySummary
from deabench.study.spec.arguments import StudyArguments, read_data_spec
from deabench.study.study import Study
from deabench.utils.checks import did_you_mean, share
from deabench.utils.result import Result

NAME = "the new data"
RATIO_EDGES = (10, 30)
"""The imbalance ratios at which the paper divides data sets."""
MAX_SIMILAR = 5
LEAST_GAIN = 0.005
"""A smaller share of data is not mentioned."""
FAMILY_WORDS = {
    "classic": "standard classifiers",
    "ensemble": "ensemble methods",
    "over sampling": "over sampling",
    "under sampling": "under sampling",
    "hybrid": "hybrid",
    "cost sensitive": "cost sensitive",
}
"""The families of the study in the words of Table 22."""


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Result):
    """Classifiers for new data, and what speaks for each.

    Attributes
    ----------
    table : DataFrame
        Names in order: efficient (the share of data like these on which it is), adds (the share on
        which none before it is), expected efficiency with its lower limit, expected TPR and TNR.
    needed : int
        So many of the first names hold an efficient one with probability `level`.
    needed_conservative : int
        The same, whatever the draw; `needed` is drawn where it is not asked for.
    drawn : bool
        Whether `needed` was drawn: the probability then holds on average over the draws.
    facts : Series
        Characteristics of the data, and their type (SD, OD, ND).
    similar : Series
        The most similar data sets of the study, with their weight.
    paper : str
        What Table 22 of Chao et al. (2022) recommends for this type and ratio.
    outside : tuple of str
        In what the data lie outside what the study knows; empty where they do not.
    study : str
    level : float
        At which the set holds an efficient classifier, for new files drawn as the study's were.
    promised : bool
        Whether the study has enough files for that; otherwise all its names are given.
    data : Dataset
        The new data as they were read.
    learners : mapping of name to LearnerSpec
        How to build the classifiers, where that is known.
    notes : tuple of str

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import deabench as db
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> advice = db.recommend(X, y)
    >>> advice.facts["type"], len(advice.names) <= len(advice.table)
    ('OD', True)
    """

    table: pd.DataFrame
    needed: int
    facts: pd.Series
    similar: pd.Series
    paper: str
    outside: tuple[str, ...]
    study: str
    level: float
    promised: bool
    data: Dataset
    learners: Mapping[str, LearnerSpec]
    needed_conservative: int
    drawn: bool
    notes: tuple[str, ...] = ()

    _frame = "table"
    _text = "study"

    @property
    def names(self) -> list[str]:
        """The names of the set, in order."""
        return list(self.table.index[: self.needed])

    def to_frame(self) -> pd.DataFrame:
        """Return the rows of the set."""
        return self.table.iloc[: self.needed].copy()

    def code(self, name: str) -> str:
        """Return the lines that build a classifier."""
        self._check_name(name)
        return (
            "advice = deabench.recommend(X, y)\n"
            f"model = advice.build({name!r}).fit(X, y)  # y: 1 = the minority, 0 = the others"
        )

    def build(self, name: str, *, seed: int = 0) -> Any:
        """Return an unfitted pipeline of scikit-learn's kind, as the study runs it.

        Parameters
        ----------
        name : str
        seed : int

        Raises
        ------
        DataError
            If the study has no such classifier, or only its summary was given.
        """
        self._check_name(name)
        # Columns of a frame are prepared by name; a matrix of numbers goes to the learner as it is.
        preprocessing = Preprocessing()
        if any(feature.kind == "nominal" for feature in self.data.columns):
            preprocessing = Preprocessing(nominal="indicators", missing="impute")
        context = BuildContext(
            self.data.X.shape[1], self.data.has_missing, seed, preprocessing, self.data.columns
        )
        return build_learner(self.learners[name], context)

    def _check_name(self, name: str) -> None:
        if name not in self.table.index:
            raise DataError(
                f"there is no classifier '{name}'; {did_you_mean(name, list(self.table.index))}"
            )
        if name not in self.learners:
            raise DataError(f"a summary does not tell how to build '{name}'; give the study itself")
        if not self.learners[name].permitted:
            raise DataError(
                f"to build '{name}' imports code; give Study.from_toml(file, allow_imports=True)"
            )


def recommend(
    X: Any,
    y: Any = None,
    *,
    study: Study | StudySummary | str | Path | None = None,
    target: str | None = None,
    positive: Any = None,
    level: float = 0.9,
    floor: float = 0.0,
    files: Mapping[str, str] | None = None,
    conservative: bool = False,
) -> Recommendation:
    """Recommend classifiers for new data of two classes.

    Parameters
    ----------
    X : array or DataFrame (n, features), or the path of a data file
        A frame without y, and a file, have the class in a column.
    y : array (n,), optional
        The classes; the minority is positive.
    study : Study, its summary, or the path of a study file, optional
        What is learned from; the shipped `keel67` (18 classifiers on 67 data sets) without it.
    target : str, optional
        The class column of a frame or file; the last without it.
    positive : label, optional
        The minority without it.
    level : number between 0 and 1
        The probability with which the set is to hold an efficient classifier.
    floor : number from 0 to 1
        An efficient classifier counts only with a balanced accuracy above it: .5 leaves out those
        that answer with the same class always.
    files : mapping of data set to file, optional
        Data sets of the study that were made of one file, and so are no independent evidence.
    conservative : bool
        The number of names is drawn, from a hash of the values (the same data always get the same),
        so that the probability is `level` on average over the draws. True counts all ties in full
        instead: the probability is at least `level` without a draw, with more names on average.

    Returns
    -------
    Recommendation

    Raises
    ------
    DataError
        If the data cannot be read or have more than two classes, or the study has no results.

    Notes
    -----
    Efficient means: an extreme point of the frontier of TPR and TNR among the study's classifiers.
    If the new data come from a file that is drawn as the study's files were, the set holds an
    efficient classifier with probability `level`, on average over such data and the draws, provided
    that one file more or less does not change the rank of the first efficient name: smoothed
    leave-one-out conformal prediction with files as groups (Vovk, Gammerman and Shafer 2005,
    section 2.6; Barber et al. 2021, Annals of Statistics 49, 486-507; Lee, Barber, Willett 2023,
    arXiv 2306.06342). It is proved for files of one data set each, and without the draw for all;
    docs/recommend.md measures it on files left out.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import deabench as db
    >>> advice = db.recommend(*load_breast_cancer(return_X_y=True))
    >>> float(round(advice.facts["imbalance_ratio"], 2)), advice.paper
    (1.68, 'standard classifiers or ensemble methods')
    """
    share("level", level)
    if not isinstance(floor, int | float) or not 0 <= floor < 1:
        raise DataError(f"floor is {floor}; give a number from 0 to 1, as 0.5")
    data = _read_new_data(X, y, target, positive)
    evidence = read_evidence(study, files, floor)
    # Type the new data as the study's data sets were typed, and weigh those by similarity.
    facts = describe_data(data)
    characteristics = scale_characteristics(facts)[0]
    names = len(evidence.classifiers)
    # How long the list must be to hold an efficient classifier so often on files left out.
    needed = count_needed(evidence, level)
    notes = [*data.notes, "the file of the new data is taken to be drawn as the study's files were"]
    needed_conservative = needed
    drawn = not conservative and needed <= names
    if drawn:
        needed = count_needed(evidence, level, _uniform_from_values(data.X))
    weights = similarity(evidence, characteristics)
    table = _describe_names(evidence, weights, level)
    group = ratio_group(data.imbalance_ratio, RATIO_EDGES)
    if needed > names:
        notes.append(
            f"the {len(set(evidence.files))} files of '{evidence.name}' promise no efficient "
            f"classifier at {level:.0%}: all its classifiers are listed; lower the level or floor"
        )
    by_set = pd.Series(weights, evidence.facts.index, name="weight")
    return Recommendation(
        table=table,
        needed=min(needed, names),
        needed_conservative=min(needed_conservative, names),
        drawn=drawn,
        promised=needed <= names,
        facts=facts.iloc[0],
        similar=by_set.sort_values(ascending=False, kind="stable").head(MAX_SIMILAR),
        paper=TABLE_22[group, facts["type"].iloc[0]],
        outside=find_outside(evidence, facts),
        study=evidence.name,
        level=level,
        data=data,
        learners=evidence.learners,
        notes=tuple(notes),
    )


def reproduce_table22() -> pd.DataFrame:
    """Return Table 22 of Chao et al. (2022) beside what the shipped study says, cell by cell.

    Returns
    -------
    DataFrame, 9 cells (imbalance_ratio, type)
        paper; recommended: families whose mean efficiency in TPR and TNR is the highest, or within
        .005 of it; efficiency and data sets; agrees: whether a family of the paper's is among them.
    """
    counts = read_keel67().reset_index()
    counts = counts[counts["classifier"].isin(PAPER_FAMILIES)]
    facts = keel67_facts().join(table2()["type"])
    settings = SummarySettings(["TPR", "TNR"], {}, PAPER_FAMILIES)
    metrics = StudyMetrics().compute(counts, ["TPR", "TNR", "IBA"], dict)
    families = efficiencies_by_family(metrics, group_datasets(facts, settings), settings)
    table = table22(recommend_families(families))
    columns = ["paper", "recommended", "efficiency", "datasets"]
    return table[columns].assign(
        agrees=[
            any(FAMILY_WORDS[family] in cell["paper"] for family in cell["recommended"].split(", "))
            for _, cell in table.iterrows()
        ]
    )


def _read_new_data(X: Any, y: Any, target: str | None, positive: Any) -> Dataset:
    """Return the new data as a data set of two classes."""
    value = X if y is None else (X, y)
    arguments = StudyArguments(
        data={NAME: value},
        classifiers={},
        metrics=None,
        split=None,
        groups=None,
        time=None,
        weights=None,
        costs=None,
        seed=0,
        store="",
        target=target,
        positive=positive,
        classes="two",
        preprocess=None,
        depends=(),
        settings={},
    )
    return load_dataset(read_data_spec(NAME, value, arguments))


def _uniform_from_values(X: np.ndarray) -> float:
    """Return a number from 0 to 1 that depends on the values alone, in any order."""
    # Numbers of 24 bits are the same in either type of float and after a file; -0 is 0.
    with np.errstate(over="ignore"):
        rounded = X.astype(np.float32).astype(float).ravel() + 0.0
    rounded[np.isnan(rounded)] = np.nan
    # A sum of whole numbers modulo 2^64 depends on the order of neither rows nor columns.
    return float(pd.util.hash_array(rounded).sum(dtype=np.uint64)) / 2.0**64


def _describe_names(evidence: Evidence, weights: np.ndarray, level: float) -> pd.DataFrame:
    """Return what speaks for each name, in order."""
    order, gains = order_names(evidence.worlds, weights)
    rates = np.einsum("i,ikr->kr", weights, evidence.rates)
    frame = pd.DataFrame(
        {
            "efficient": weights @ evidence.worlds.mean(axis=1),
            "efficiency": weights @ evidence.scores,
            "lower": lower_limits(evidence, level),
            "TPR": rates[:, 0],
            "TNR": rates[:, 1],
        },
        pd.Index(evidence.classifiers, name="classifier"),
    ).iloc[order]
    frame.insert(1, "adds", gains)
    frame["reason"] = [_say_reason(k, row) for k, (_, row) in enumerate(frame.iterrows())]
    return frame


def _say_reason(position: int, row: pd.Series) -> str:
    """Say why a name is listed where it is."""
    share_of_data = f"efficient on {row['efficient']:.0%} of data like these"
    if position == 0 or row["adds"] < LEAST_GAIN:
        return share_of_data
    return f"{share_of_data}; on {row['adds']:.0%} where none above it is"
