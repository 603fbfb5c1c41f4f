"""Run one task in a worker: fit a classifier on one fold and check what it predicts.

Everything random in a task comes from the study's seed, the data set's name, the repeat, the fold
and the classifier's name (their CRC-32), so that order, restarts and engines change nothing.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from threadpoolctl import ThreadpoolController

from deabench.study.data.dataset import Dataset
from deabench.study.data.loaders import IN_MEMORY, load_dataset
from deabench.study.data.splits import Split, derive_seed, split_rows
from deabench.study.learners import BuildContext, LearnerSpec
from deabench.study.learners.fingerprints import describe_differences, local_fingerprint
from deabench.study.learners.registry import (
    build_learner,
    fingerprint_learner,
    weights_parameter,
)
from deabench.study.running.isolation import (
    Output,
    keep_generators,
    leave_no_trace,
    seed_generators,
)
from deabench.study.running.limits import (
    OutOfTime,
    child_processes,
    cpu_seconds,
    end_children,
    enforce_limits,
    prepare_worker,
)
from deabench.study.running.predictions import (
    check_labels,
    count_confusion,
    pack_predictions,
    predict_probabilities,
    predict_scores,
)
from deabench.study.spec.tasks import NO_LIMITS, Task, TaskLimits
from deabench.utils.files import one_line


class OtherDataError(Exception):
    """The worker's data set differs from the one that the run began with."""


class OtherCodeError(Exception):
    """The worker's code or packages differ from those that the run began with."""


@dataclass(frozen=True)
class Outcome:
    """The result of a task.

    Attributes
    ----------
    status : str
        done, failed (raised), timeout, or crashed (its process died).
    counts : tuple of int
        tp, fn, fp, tn over the fold's test rows; zeros unless done, and where there are more
        classes than two.
    seconds : tuple of float
        CPU time of the process and its ended children for fitting and for predicting.
    notes : dict
        What was chosen or replaced: neighbours of SMOTE, kernel and cost, cells imputed, warnings
        by text.
    error : tuple of str
        Class, text and traceback of what went wrong.
    rows : bytes
        Test rows, predictions and scores, compressed (`unpack_predictions`); empty if not kept.
    rows_sha256 : str
        Of the same before compression, kept or not.
    confusion : tuple of int
        The confusion matrix row by row, a row per true class, where there are more classes than
        two.
    scores : int
        Scores of each test row: 1 (a probability), 2 (a decision value and a probability), or one
        for each class.
    """

    status: str
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)
    notes: dict[str, Any] = field(default_factory=dict)
    error: tuple[str, str, str] = ("", "", "")
    rows: bytes = b""
    rows_sha256: str = ""
    confusion: tuple[int, ...] = ()
    scores: int = 1


def run_batch(
    tasks: Sequence[Task],
    scratch: str | None = None,
    *,
    group: bool = False,
    datasets: Sequence[Dataset] = (),
) -> tuple[list[Outcome], float]:
    """Run several tasks in a worker, one after the other; return their outcomes and the seconds.

    Parameters
    ----------
    scratch, group
        See `run_task`.
    datasets : sequence of Dataset
        Data sets given from code, for a worker that cannot get them elsewhere.
    """
    started = time.perf_counter()
    IN_MEMORY.update((data.identity, data) for data in datasets)
    # Every task seeds the generators: once for all is enough to put them back.
    with _TASK_LOCK, keep_generators():
        environment = dict(os.environ)
        outcomes = [_run_collecting_output(task, scratch, environment, group) for task in tasks]
    return outcomes, time.perf_counter() - started


def run_task(task: Task, scratch: str | None = None, *, group: bool = False) -> Outcome:
    """Run a task in a worker; all that the learner does, short of killing the process, is recorded.

    Parameters
    ----------
    scratch : str or None
        A folder shared with the parent. A file in it names the running task, so that the parent can
        tell which tasks a dead worker had; a limit that ends the process leaves a traceback there.
    group : bool
        Whether the process is a worker of this run only, which may lead a process group.
    """
    with _TASK_LOCK, keep_generators():
        return _run_collecting_output(task, scratch, dict(os.environ), group)


def _run_collecting_output(
    task: Task, scratch: str | None, environment: Mapping[str, str], group: bool
) -> Outcome:
    """Do `run_task`; the caller holds the lock and keeps the generators."""
    prepare_worker(group=group)
    output = Output(whole_process=group)
    with output.collect():
        outcome = _run_and_clean_up(task, scratch, environment)
    if output.text:
        outcome.notes["output"] = output.text
    return outcome


_TASK_LOCK = threading.Lock()
"""One task at a time: numpy's global state, warnings and limits belong to the whole process."""

_MARK_FILES: dict[str, int] = {}
"""The descriptor of this process's own mark, by its path: opened once, written for each task."""


@contextmanager
def _mark_running(key: str, scratch: str | None) -> Iterator[None]:
    """Write the key of the running task to a file of this process; erase it after the task."""
    if scratch is None:
        yield
        return
    path = os.path.join(scratch, f"{os.getpid()}.running")
    if path not in _MARK_FILES:
        while _MARK_FILES:
            os.close(_MARK_FILES.popitem()[1])
        # a descriptor is not inherited by the processes that the task starts
        _MARK_FILES[path] = os.open(path, os.O_WRONLY | os.O_CREAT)
    mark = _MARK_FILES[path]
    os.lseek(mark, 0, os.SEEK_SET)
    size = os.write(mark, key.encode())
    try:
        yield
    finally:
        # overwritten, which takes a tenth of the time of emptying the file
        os.lseek(mark, 0, os.SEEK_SET)
        os.write(mark, bytes(size))


def running_keys(scratch: Path) -> set[str]:
    """Return the keys of the tasks that were running when their workers last wrote."""
    return {mark.read_text().rstrip("\0") for mark in scratch.glob("*.running")} - {""}


def _run_and_clean_up(task: Task, scratch: str | None, environment: Mapping[str, str]) -> Outcome:
    """Run a task with its mark; record warnings, end what the learner has started."""
    trace = None
    if scratch and task.limits != NO_LIMITS:
        trace = Path(scratch) / f"{task.key}.trace"
    before = child_processes()
    with _mark_running(task.key, scratch):
        try:
            with leave_no_trace(environment), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                outcome = _run_guarded(task, trace)
            texts = Counter(
                f"{warning.category.__name__}: {one_line(str(warning.message))}"
                for warning in caught
                if str(warning.message)
            )
            if texts:
                outcome.notes["warnings"] = dict(texts.most_common(5))
        finally:
            end_children(before)
    return outcome


def _run_guarded(task: Task, trace: Path | None) -> Outcome:
    limits = task.limits
    try:
        data, rows, estimator = _prepare_task(task)
        # the clock starts here
        with enforce_limits(trace, wall=limits.wall, cpu=limits.cpu, memory=limits.memory):
            return _fit_and_test(task, data, rows, estimator)
    except OutOfTime:
        text = f"took longer than {describe_limits(limits)}"
        return Outcome("timeout", error=("OutOfTime", text, _traceback_text()))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a learner may call sys.exit; it costs its own task only
        return Outcome("failed", error=(type(error).__name__, one_line(error), _traceback_text()))
    finally:
        if trace is not None:
            trace.unlink(missing_ok=True)


def describe_limits(limits: TaskLimits) -> str:
    """Return the time that a task had, in words."""
    texts = []
    if limits.wall:
        texts.append(f"{limits.wall:g} s")
    if limits.cpu:
        texts.append(f"{limits.cpu:g} s of CPU time")
    return " or ".join(texts)


def _traceback_text() -> str:
    try:
        return traceback.format_exc().encode("utf-8", "backslashreplace").decode("utf-8")
    except Exception:  # an error whose own text cannot be made
        return ""


def _prepare_task(task: Task) -> tuple[Dataset, Split, Any]:
    """Return data, rows and estimator, before the clock starts.

    A worker's first task also imports and reads.
    """
    data = _load_data(task)
    _check_code(task.learner)
    seed = derive_seed(task.seed, data.name, task.repeat, task.fold, task.learner.name)
    packages = {name for name, _ in task.learner.fingerprint}
    seed_generators(seed, packages)
    context = BuildContext(
        data.X.shape[1], data.has_missing, seed, task.preprocessing, data.columns
    )
    estimator = build_learner(task.learner, context)
    # a pipeline of the learner alone: its own checks would cost a millisecond
    steps = getattr(estimator, "named_steps", {})
    if list(steps) == ["learn"]:
        estimator = steps["learn"]
    rows = split_rows(data, task.split, task.repeat, task.fold, task.seed)
    # what the first task of a worker imports may draw numbers: the learner begins with the seed
    seed_generators(seed, packages)
    return data, rows, estimator


def _check_code(learner: LearnerSpec) -> None:
    """Refuse a classifier of other code or packages than those that the run began with."""
    if not learner.fingerprint:
        return
    # an object from code has brought its code along
    if learner.template is not None:
        fingerprint = local_fingerprint(learner.fingerprint)
    else:
        fingerprint = fingerprint_learner(learner)
    differences = describe_differences(fingerprint, learner.fingerprint)
    if differences:
        raise OtherCodeError(
            f"classifier '{learner.name}' is made of something else in this worker: {differences}; "
            "give every worker the same, and run again"
        )


def _load_data(task: Task) -> Dataset:
    """Load the data set that the run began with, again where a worker still has an older one."""
    data = load_dataset(task.data)
    if task.data_sha256 and data.sha256 != task.data_sha256:
        data = load_dataset(task.data, fresh=True)
    if task.data_sha256 and data.sha256 != task.data_sha256:
        raise OtherDataError(
            f"data set '{data.name}' is not the one that the run began with (its file was changed, "
            "or is another one on this worker); run again"
        )
    return data


def _fit_and_test(task: Task, data: Dataset, rows: Split, estimator: Any) -> Outcome:
    train, test = rows
    if task.preprocessing.by_column and data.frame is not None:
        X_train: Any = data.frame.iloc[train]
        X_test: Any = data.frame.iloc[test]
    else:
        X_train = data.X[train]
        X_test = data.X[test]
    classes = len(data.classes)
    # one thread: sums over several may differ in the last digit, and workers share the cores; one
    # process, whatever n_jobs a learner has: its time is measured and limited here
    with _one_thread(), joblib.parallel_config(backend="sequential"):
        weights = {}
        parameter = weights_parameter(estimator) if data.weights is not None else None
        if parameter is not None and data.weights is not None:
            weights[parameter] = data.weights[train]
        started = cpu_seconds()
        estimator.fit(X_train, data.y[train], **weights)
        fitted = cpu_seconds()
        predicted = check_labels(estimator.predict(X_test), len(test), data.classes)
        scores = predict_scores(estimator, X_test, classes)
        ended = cpu_seconds()
        notes = _notes_of(estimator, data, train)
        # a decision function is no probability: metrics of those need them beside it
        if classes == 2 and hasattr(estimator, "decision_function"):
            probabilities, reason = predict_probabilities(estimator, X_test)
            scores = np.column_stack([scores, probabilities])
            if reason:
                notes["no_probabilities"] = reason
    # processes that a learner has started itself are counted at their end only
    if task.limits.cpu and ended - started > task.limits.cpu:
        raise OutOfTime
    packed = pack_predictions(test, data.y[test], predicted, scores)
    cells = count_confusion(data.y[test], predicted, classes)
    return Outcome(
        "done",
        cells if classes == 2 else (0, 0, 0, 0),  # type: ignore[arg-type]  # a tuple of any length
        (fitted - started, ended - fitted),
        notes,
        rows=zlib.compress(packed, 6) if task.keep_predictions else b"",
        rows_sha256=hashlib.sha256(packed).hexdigest(),
        confusion=() if classes == 2 else cells,
        scores=1 if scores.ndim == 1 else scores.shape[1],
    )


def _one_thread() -> AbstractContextManager[Any]:
    """Return a context in which the numerical libraries compute on one thread."""
    controller = _thread_controller(len(sys.modules))
    # Workers are started so; to ask takes a quarter of the time of setting it and putting it back.
    if all(library.num_threads == 1 for library in controller.lib_controllers):
        return nullcontext()
    limiter: AbstractContextManager[Any] = controller.limit(limits=1)
    return limiter


@lru_cache(maxsize=1)
def _thread_controller(_modules: int) -> Any:
    """Return the control of the numerical libraries, looked up again after new imports."""
    return ThreadpoolController()


def _notes_of(estimator: Any, data: Dataset, train: np.ndarray) -> dict[str, Any]:
    """Return what the fitted steps have chosen or replaced."""
    notes: dict[str, Any] = {}
    # steps as `pipelines.make_pipeline` names them
    steps = getattr(estimator, "named_steps", {})
    if "impute" in steps:
        notes["imputed_cells"] = int(np.isnan(data.X[train]).sum())
    sampler = steps.get("sample")
    neighbours = getattr(getattr(sampler, "smote_", sampler), "k_used_", None)
    if neighbours is not None:
        notes["smote_k"] = neighbours
    learner = steps.get("learn", estimator)
    if hasattr(learner, "best_params_"):
        notes["chosen"] = {key: str(value) for key, value in learner.best_params_.items()}
    return notes
