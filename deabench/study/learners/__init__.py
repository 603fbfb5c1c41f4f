"""Classifiers of a study: what describes one, and what is done to the columns before it.

`registry` builds a classifier from its description, `pipelines` has the builders of the registry's
names, `estimators` and `weka` have the classes that no library has, `fingerprints` records the code
and versions behind a classifier.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from deabench.study.data.columns import Feature
from deabench.study.own_modules import state_by_value

NUMERIC = get_args(Literal["as is", "standardise", "minmax"])
NOMINAL = get_args(Literal["indicators", "codes", "target"])
MISSING = get_args(Literal["impute", "as is"])


@dataclass(frozen=True)
class LearnerSpec:
    """Describe a classifier of a study.

    Attributes
    ----------
    name : str
        Its name in the study.
    use : str
        The registry's name, or the import path.
    params : tuple of (name, value)
    imported : bool
        Whether `use` is an import path.
    template : object or None
        An estimator given from code, or a function that makes one.
    folder : str
        The study file's folder: a module in it can be imported.
    fingerprint : tuple of (str, str)
        The fingerprint (`registry.fingerprint_learner`) at the beginning of the run.
    permitted : bool
        Whether the user consents to import it. A study can be looked at without consent, not run.
    """

    name: str
    use: str
    params: tuple[tuple[str, Any], ...] = ()
    imported: bool = False
    template: Any = field(default=None, compare=False)
    folder: str = ""
    fingerprint: tuple[tuple[str, str], ...] = ()
    permitted: bool = field(default=True, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return state_by_value(self, "template")

    @property
    def description(self) -> str:
        """Return the import path and the parameters as text."""
        return f"{self.use} {self.params!r}"


@dataclass(frozen=True)
class RecordedCode:
    """What a run recorded of an imported classifier, for those who look without importing it.

    Attributes
    ----------
    fingerprint : tuple of (str, str)
    family : str
        As `registry.infer_family` inferred it.
    """

    fingerprint: tuple[tuple[str, str], ...]
    family: str


@dataclass(frozen=True)
class Preprocessing:
    """Describe what is done to each column, learnt from the training rows of every fold.

    Attributes
    ----------
    columns : bool
        Give the classifiers the columns by name, as a DataFrame, and do nothing to them.
    numeric, nominal, missing : str, "" = nothing
        Numbers as is, standardised or scaled to 0..1; categories as indicators, codes, or means of
        the class (target); missing cells imputed (the median, the most frequent category) or left
        as they are.
    transformer : object or None
        A scikit-learn transformer, fitted to the DataFrame of the training rows.
    text : str
        All of it as text, for the keys of the tasks.
    """

    columns: bool = False
    numeric: str = ""
    nominal: str = ""
    missing: str = ""
    transformer: Any = field(default=None, compare=False)
    text: str = ""

    def __getstate__(self) -> dict[str, Any]:
        return state_by_value(self, "transformer")

    @property
    def by_column(self) -> bool:
        """Whether classifiers (or what prepares for them) get the DataFrame and not the matrix."""
        return self.columns or self.transformer is not None or self.has_steps

    @property
    def has_steps(self) -> bool:
        """Whether numbers, categories or missing cells are changed."""
        return bool(self.numeric or self.nominal or self.missing)

    @property
    def leaves_missing(self) -> bool:
        """Whether missing cells reach the classifier."""
        return self.missing == "as is" or not self.has_steps


NO_PREPROCESSING = Preprocessing()
"""Classifiers see the matrix of the data set."""


@dataclass(frozen=True)
class BuildContext:
    """What a builder must know of a task.

    Attributes
    ----------
    columns : int
        Columns of X.
    missing : bool
        Whether any cell of the data set is missing.
    seed : int
        Of the task.
    preprocessing : Preprocessing
    features : tuple of Feature
    """

    columns: int
    missing: bool
    seed: int
    preprocessing: Preprocessing = NO_PREPROCESSING
    features: tuple[Feature, ...] = ()


ANY_CONTEXT = BuildContext(columns=2, missing=False, seed=0)
"""For a classifier that is built to be looked at only."""
