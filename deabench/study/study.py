"""The class Study: check the arguments of a comparative study, run it and read its results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypedDict, Unpack

import numpy.typing as npt
import pandas as pd

from deabench.metrics import Metric
from deabench.study.results.frames import (
    errors_frame,
    explain_key,
    predictions_frame,
    results_frame,
)
from deabench.study.results.maintenance import StoreVerification, repair_store, verify_store
from deabench.study.results.status import (
    Forecast,
    StudyStatus,
    forecast_run,
    missing_tasks,
    study_status,
    untimed_tasks,
)
from deabench.study.results.store import lock_store
from deabench.study.results.stored_rows import read_code
from deabench.study.results.summary import StudySummary, summarize_plan
from deabench.study.running.run import Watch, count_workers, lock_for_run, run_tasks
from deabench.study.spec.arguments import StudyArguments, plan_from_arguments
from deabench.study.spec.plan import Plan
from deabench.study.spec.study_file import read_plan


class Classifier(Protocol):
    """A scikit-learn classifier."""

    def fit(self, X: Any, y: Any) -> Any: ...
    def predict(self, X: Any) -> Any: ...
    def get_params(self, deep: bool = True) -> Any: ...


class Splitter(Protocol):
    """A scikit-learn splitter."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any: ...


class StudySettings(TypedDict, total=False):
    """Further settings of a study; the last three are the tables of a study file."""

    name: str
    time_limit: float
    cpu_limit: float
    memory_limit: float
    keep_predictions: bool
    floors: Mapping[str, float]
    dea: Mapping[str, Any]
    tests: Mapping[str, Any]
    grouping: Mapping[str, Any]


RowValues = str | npt.ArrayLike | Mapping[str, str | npt.ArrayLike] | None
ClassifierLike = Classifier | Callable[[], Classifier] | str | Mapping[str, Any]


class Study:
    """A study and its results.

    Parameters
    ----------
    data : mapping of name to data set
        A DataFrame with its class column (`target`, by default the last), (X, y), the path of a
        file (CSV, ARFF, KEEL .dat), or a name that deabench knows. The class column of two classes
        is read as in a study file: the minority is positive unless `positive` says otherwise.
    classifiers : mapping of name to classifier
        An unfitted estimator (it is copied for each task), a function without arguments (or a
        class) that makes one, a name of the registry, or {"use": a name of the registry, parameter:
        value}. They are trained on 0 and 1, 1 = positive (with classes="all" on 0 to k - 1, the
        classes in order).
    metrics : sequence or mapping, optional
        Names (of counts, of scores, fit_seconds, score_seconds) and your own metrics: a
        `deabench.metrics.Metric`, or {name: function of (y_true, y_pred)}, whose value is better
        high and which is averaged over the folds.
    split : scikit-learn splitter, int, str or mapping, optional
        A splitter's open `random_state` is set from the seed; 5 is five stratified folds; or a
        kind, as "leave-one-out", or {"kind": ..., "folds": ..., "repeats": ...}, with "sets" for
        data sets that have a split of their own: {"folds": 10, "sets": {"small":
        "leave-one-out"}}. Ten stratified folds by default.
    groups : str, array, or a mapping of data set to one of them, optional
        The column, or the group of each row, that a split keeps together.
    time : as groups, optional
        The column of times (numbers or dates), or the time of each row, that a split of kind
        "time" follows; it is no feature.
    weights : as groups, optional
        The column of weights, or the weight of each row, for the training of classifiers that take
        `sample_weight`.
    costs : as groups, or {"FN": cost, "FP": cost}, optional
        What it costs to misclassify each row, for the metric "cost"; of more classes than two
        {class: cost}.
    seed : int
        Every split and every random state comes from it.
    store : str or Path
        The SQLite file that keeps the results; a second call with the same arguments continues
        where the first ended.
    target : str, optional
        The class column of the frames and files.
    positive : label, or mapping of data set to label, optional
    classes : {"two", "all"}
        Whether one class is compared with the others, or all are kept.
    depends : sequence, optional
        What results depend on and no code refers to: paths of files and folders that classifiers
        read, modules or their names, any values. A change runs every task again.
    preprocess : mapping, "columns" or transformer, optional
        Per column, learnt inside each fold: {"numeric": "standardise", "nominal": "indicators",
        "missing": "impute"}, or a scikit-learn transformer of the DataFrame; "columns" hands the
        DataFrame to the classifiers as it is. With "sets" and "classifiers" for those that have
        one of their own: {"numeric": "standardise", "classifiers": {"boosting": "columns"}}.
    **settings
        name, time_limit, cpu_limit, memory_limit, keep_predictions; floors, as {"TPR": 0.5}: who
        has less of a metric on average over the data sets (more, of one that is better low) is not
        ranked; and dea, tests, grouping: the tables [dea], [tests] and [groups] of a study file.

    Raises
    ------
    DataError
        With the argument, the name and what to give; before anything runs.

    Attributes
    ----------
    plan : Plan
        The checked study.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import deabench as db
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = Path(folder.name) / "study.sqlite"
    >>> study = db.Study({"cancer": (X, y)}, {"bayes": GaussianNB()}, split=5, seed=1, store=store)
    >>> study.status().total  # study.run() runs them
    5
    """

    plan: Plan

    def __init__(
        self,
        data: Mapping[str, pd.DataFrame | tuple[npt.ArrayLike, npt.ArrayLike] | str | Path],
        classifiers: Mapping[str, ClassifierLike],
        *,
        metrics: Sequence[str | Metric] | Mapping[str, Callable[..., float]] | None = None,
        split: Splitter | int | str | Mapping[str, Any] | None = None,
        groups: RowValues = None,
        time: RowValues = None,
        weights: RowValues = None,
        costs: RowValues | Mapping[str, float] | Mapping[str, Mapping[str, float]] = None,
        seed: int = 0,
        store: str | Path = "study.sqlite",
        target: str | None = None,
        positive: object = None,
        classes: Literal["two", "all"] = "two",
        preprocess: object = None,
        depends: Sequence[object] = (),
        **settings: Unpack[StudySettings],
    ) -> None:

        arguments = StudyArguments(
            data=data,
            classifiers=classifiers,
            metrics=metrics,
            split=split,
            groups=groups,
            time=time,
            weights=weights,
            costs=costs,
            seed=seed,
            store=store,
            target=target,
            positive=positive,
            classes=classes,
            preprocess=preprocess,
            depends=depends,
            settings=settings,
        )
        self.plan = plan_from_arguments(arguments)

    @classmethod
    def from_plan(cls, plan: Plan) -> Study:
        """Return the study of a plan."""
        study = cls.__new__(cls)
        study.plan = plan
        return study

    @classmethod
    def from_toml(
        cls, path: str | Path, *, allow_imports: bool = False, allow_outside: bool = False
    ) -> Study:
        """Read a study file; `deabench study init` writes one with comments.

        Parameters
        ----------
        path : str or Path
        allow_imports : bool
            Import the classifiers that the file names by import path, which runs their code. A
            study that is not permitted to can be looked at (status, summary, verify), not run.
        allow_outside : bool
            Permit paths outside the file's folder, where the file asks for it.

        Raises
        ------
        DataError
            With the file, the key, the value and the nearest valid name.
        """
        plan = read_plan(path, allow_imports=allow_imports, allow_outside=allow_outside)
        if plan.unpermitted:
            plan = replace(plan, recorded=read_code(plan.store))
        return cls.from_plan(plan)

    def __repr__(self) -> str:
        plan = self.plan
        return (
            f"Study '{plan.name}': {len(plan.data)} data sets, {len(plan.learners)} classifiers, "
            f"store '{plan.store}'"
        )

    def run(
        self,
        *,
        workers: int | None = None,
        scheduler: str | None = None,
        retry_failed: bool = False,
        begin: Callable[[int, int], None] | None = None,
        watch: Watch | None = None,
        show_progress: bool = True,
    ) -> StudyStatus:
        """Run the missing tasks, and return the status after it.

        How far the run is, and the time it will take, is written to stderr: as a bar on a terminal,
        elsewhere as a line every ten seconds.

        Parameters
        ----------
        workers : int, optional
            Processes on this machine; one per core by default.
        scheduler : str, optional
            The address of a Dask scheduler, or `local` for a Dask cluster on this machine.
        retry_failed : bool
            Run failed tasks again.
        begin : function of (total, to do), optional
            Called once before the first task.
        watch : function of (task, outcome), optional
            Called after each task.
        show_progress : bool

        Raises
        ------
        DataError
            Where another run has locked the store, the store cannot be written, or a data set
            cannot be loaded.
        """
        with lock_for_run(self.plan) as tasks:
            missing = missing_tasks(self.plan, tasks, retry_failed=retry_failed)
            if begin is not None:
                begin(len(tasks), len(missing))
            run_tasks(self.plan, missing, workers, scheduler, watch, show_progress=show_progress)
            # under the lock: the count is left beside the store
            return study_status(self.plan, tasks, save=True)

    def forecast(self, *, workers: int | None = None, show_progress: bool = True) -> Forecast:
        """Return how long the study will take, from one fold of each data set and classifier.

        The folds that were run for it are kept in the store.

        Parameters
        ----------
        workers : int, optional
            Processes on this machine; one per core by default.
        show_progress : bool

        Raises
        ------
        DataError
            Where nothing is left to do.
        """
        count = count_workers(workers)
        with lock_for_run(self.plan) as tasks:
            first_folds = untimed_tasks(self.plan, missing_tasks(self.plan, tasks))
            run_tasks(self.plan, first_folds, count, None, show_progress=show_progress)
            return forecast_run(self.plan, count)

    def results(self) -> pd.DataFrame:
        """Return a row for each task with a result, done or failed.

        Returns
        -------
        DataFrame
            Index (dataset, classifier, repeat, fold); status, tp, fn, fp, tn (of more classes than
            two `confusion`, the matrix row by row), fit_seconds and score_seconds, notes (what was
            chosen, replaced, warned of and printed), key.
        """
        return results_frame(self.plan)

    def errors(self) -> pd.DataFrame:
        """Return a row for each failed task.

        Returns
        -------
        DataFrame
            Index (dataset, classifier, repeat, fold); status, error_type, error, traceback.
        """
        return errors_frame(self.plan)

    def predictions(
        self, dataset: str | None = None, classifier: str | None = None
    ) -> pd.DataFrame:
        """Return a row for each test row of each task that is done.

        Parameters
        ----------
        dataset, classifier : str, optional
            All without them.

        Returns
        -------
        DataFrame
            dataset, classifier, repeat, fold, row (of the data set, from 0), y_true, y_pred, score
            (the decision function, else the probability of 1), probability (NaN where a classifier
            gives none); of more classes than two score_0, score_1, ... instead of the last two.

        Raises
        ------
        DataError
            For an unknown name, or where the store keeps no predictions.
        """
        return predictions_frame(self.plan, dataset, classifier)

    def status(self) -> StudyStatus:
        """Return total, done and failed tasks, and the digest of the results.

        Every row of the store is checked, unless it is, byte for byte, as the last run left it.
        """
        return study_status(self.plan)

    def explain(self, key: str) -> pd.DataFrame:
        """Return what the key of a task is made of, and what has changed since the last run.

        Parameters
        ----------
        key : str
            The beginning of a key, or the name of a classifier.

        Returns
        -------
        DataFrame
            Index (of, part); columns now, last_run, changed. Code is named by its digest, packages
            by their versions.

        Raises
        ------
        DataError
            For a key that no task of the study has.
        """
        return explain_key(self.plan, key)

    def summary(self) -> StudySummary:
        """Return every table: metrics, groups, efficiencies two ways, tests, targets."""
        return summarize_plan(self.plan)

    def verify(self, *, repair: bool = False) -> StoreVerification:
        """Check every result of the store against its checksum.

        Parameters
        ----------
        repair : bool
            Leave a store of the sound results, and the damaged one beside it.
        """
        verification = verify_store(self.plan.store)
        if repair and not verification.sound:
            with lock_store(self.plan.store):
                repair_store(self.plan.store)
        return verification
