"""One task of a study: one classifier, fitted and tested on one fold of one data set; what a worker
runs.

Everything random in a task comes from the study's seed, the data set's name, the repeat, the fold
and the classifier's name (their CRC-32), so that order, restarts and engines change nothing."""

from __future__ import annotations

import hashlib
import json
import threading
import time
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from deabench.study.data.dataset import Dataset, DataSpec
from deabench.study.data.loaders import HELD, load
from deabench.study.data.splits import Split, SplitSpec, rows_of, seed_of
from deabench.study.learners.builders import Context
from deabench.study.learners.fingerprints import differences
from deabench.study.learners.prepare import NOTHING, Prepare
from deabench.study.learners.registry import LearnerSpec, build, fingerprint
from deabench.study.running.answers import AnswerError, count, labels_of, pack, scores_of
from deabench.study.running.limits import OutOfTime, children, end_children, limits, settle
from deabench.study.running.running_tasks import marked
from deabench.utils.files import one_line

VERSION = 2
"""Part of every task's key: raise it when a change here changes results."""


@dataclass(frozen=True)
class Bounds:
    """What a task may take: seconds of wall time, seconds of CPU time, megabytes; 0 is no limit."""

    wall: float = 0.0
    cpu: float = 0.0
    memory: float = 0.0

    @property
    def text(self) -> str:
        return json.dumps([self.wall, self.cpu, self.memory])


UNBOUNDED = Bounds()


@dataclass(frozen=True)
class Job:
    """What a worker gets: everything that a task's result depends on, and how long it may take.

    `key` names the task by its content: the data, the classifier with its parameters and code, the
    split, the seed. `data_sha256` is what the data were when the run began; a worker that reads
    others refuses."""

    data: DataSpec
    learner: LearnerSpec
    split: SplitSpec
    repeat: int
    fold: int
    seed: int
    key: str
    bounds: Bounds = UNBOUNDED
    keep: bool = True
    prepare: Prepare = NOTHING
    data_sha256: str = ""

    @property
    def label(self) -> str:
        return f"{self.data.name} / {self.learner.name} / repeat {self.repeat} / fold {self.fold}"


class OtherDataError(Exception):
    """The worker's data set is not the one that the run began with."""


class OtherCodeError(Exception):
    """The worker's code or packages are not those that the run began with."""


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    status : str
        done, failed (raised), timeout, or crashed (its process died).
    counts : tuple of int
        tp, fn, fp, tn over the fold's test rows; zeros unless done, and where there are more
        classes than two.
    seconds : tuple of float
        CPU time of the process for fitting and for predicting.
    notes : dict
        What was chosen or replaced: neighbours of SMOTE, kernel and cost, cells imputed, warnings
        by text.
    error : tuple of str
        Class, text and traceback of what went wrong.
    rows : bytes
        Test rows, predictions and scores, compressed (`unpack`); empty if they are not kept.
    rows_sha256 : str
        Of the same before compression, kept or not.
    confusion : tuple of int
        The confusion matrix row by row, a row per true class, where there are more classes than
        two.
    """

    status: str
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)
    notes: dict[str, Any] = field(default_factory=dict)
    error: tuple[str, str, str] = ("", "", "")
    rows: bytes = b""
    rows_sha256: str = ""
    confusion: tuple[int, ...] = ()


def key_base(job: Job, data: Dataset) -> bytes:
    """What the keys of all folds of one data set and classifier share."""
    split = [
        job.split.kind,
        job.split.folds if job.split.kind in ("kfold", "groups", "time") else 0,
        job.split.test_size if job.split.kind == "holdout" else 0,
        job.split.text,
    ]
    content = [
        VERSION,
        job.data.name,
        job.data_sha256,
        data.head_sha256 if job.prepare.by_column else "",
        job.learner.name,
        job.learner.made,
        job.prepare.text,
        split,
        job.seed,
    ]
    return json.dumps(content, default=list).encode("utf-8", "surrogatepass")


def key_from(base: hashlib._Hash, repeat: int, fold: int) -> str:
    """SHA-256 of all that the task's counts depend on; a changed setting changes the keys of the
    tasks it touches.

    Parameters
    ----------
    base : SHA-256 of the `key_base`, which is hashed once for all its folds
    """
    whole = base.copy()
    whole.update(b" %d %d" % (repeat, fold))
    return whole.hexdigest()


def run_batch(
    jobs: Sequence[Job],
    scratch: str | None = None,
    *,
    group: bool = False,
    held: Sequence[Dataset] = (),
) -> tuple[list[Outcome], float]:
    """Run several tasks in a worker, one after the other; see `run_job`. Returns the outcomes and
    the seconds it took.

    Parameters
    ----------
    held : sequence of Dataset
        Data sets given from code, for a worker that has them from nowhere else.
    """
    started = time.perf_counter()
    HELD.update((data.identity, data) for data in held)
    return [run_job(job, scratch, group=group)[1] for job in jobs], time.perf_counter() - started


def run_job(job: Job, scratch: str | None = None, *, group: bool = False) -> tuple[Job, Outcome]:
    """Run a task in a worker; whatever the learner does short of killing the process becomes an
    Outcome.

    Parameters
    ----------
    scratch : str or None
        A folder shared with the parent, where a mark stands while the task runs, so that the parent
        can tell which tasks a dead worker held, and a traceback where a limit had to end the
        process.
    group : bool
        Whether the process is a worker of this run's own, which may lead a process group.
    """
    settle(group=group)
    with _ALONE:
        return job, _watched(job, scratch)


_ALONE = threading.Lock()
"""One task at a time in a process: numpy's global state, the warnings and the limits are the
process's own.
"""


def _watched(job: Job, scratch: str | None) -> Outcome:
    trace = Path(scratch) / f"{job.key}.trace" if scratch else None
    before = children()
    with marked(job.key, scratch):
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                outcome = _guarded(job, trace if job.bounds != UNBOUNDED else None)
            heard = Counter(
                f"{w.category.__name__}: {one_line(str(w.message))}"
                for w in caught
                if str(w.message)
            )
            if heard:
                outcome.notes["warnings"] = dict(heard.most_common(5))
        finally:
            end_children(before)
    return outcome


def _guarded(job: Job, trace: Path | None) -> Outcome:
    bounds = job.bounds
    try:
        ready = _prepare(job)
        with limits(trace, wall=bounds.wall, cpu=bounds.cpu, memory=bounds.memory):
            return _fit_and_test(job, *ready)
    except OutOfTime:
        return Outcome(
            "timeout", error=("OutOfTime", f"took longer than {allowed(bounds)}", _traceback())
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a learner may call sys.exit; it costs its own task only
        return Outcome("failed", error=(type(error).__name__, one_line(error), _traceback()))
    finally:
        if trace is not None:
            trace.unlink(missing_ok=True)


def allowed(bounds: Bounds) -> str:
    """The time that a task had, in words."""
    said = ([f"{bounds.wall:g} s"] if bounds.wall else []) + (
        [f"{bounds.cpu:g} s of CPU time"] if bounds.cpu else []
    )
    return " or ".join(said)


def _traceback() -> str:
    try:
        return traceback.format_exc().encode("utf-8", "backslashreplace").decode("utf-8")
    except Exception:  # an error whose own text cannot be made
        return ""


def _prepare(job: Job) -> tuple[Dataset, Split, Any]:
    """Data, rows and estimator: before the clock starts, as a worker's first task also imports and
    reads.
    """
    data = _data(job)
    here = fingerprint(job.learner)
    if job.learner.made and here != job.learner.made:
        raise OtherCodeError(
            f"classifier '{job.learner.name}' is made of something else in this worker: "
            f"{differences(here, job.learner.made)}; give every worker the same, and run again"
        )
    seed = seed_of(job.seed, data.name, job.repeat, job.fold, job.learner.name)
    np.random.seed(seed)  # noqa: NPY002 - for a learner from outside that draws from the global state
    context = Context(
        data.X.shape[1], bool(np.isnan(data.X).any()), seed, job.prepare, data.columns
    )
    return (
        data,
        rows_of(data, job.split, job.repeat, job.fold, job.seed),
        _bare(build(job.learner, context)),
    )


def _bare(estimator: Any) -> Any:
    """The learner of a pipeline that does nothing before it: the same answers without the
    pipeline's own checks, a millisecond.
    """
    steps = getattr(estimator, "named_steps", {})
    return steps["learn"] if list(steps) == ["learn"] else estimator


def _data(job: Job) -> Dataset:
    """The data set that the run began with: read again where a worker still holds an older one."""
    data = load(job.data)
    if job.data_sha256 and data.sha256 != job.data_sha256:
        data = load(job.data, fresh=True)
    if job.data_sha256 and data.sha256 != job.data_sha256:
        raise OtherDataError(
            f"data set '{data.name}' is not the one that the run began with (its file was changed, or is "
            "another one on this worker); run again"
        )
    return data


def _fit_and_test(job: Job, data: Dataset, rows: Split, estimator: Any) -> Outcome:
    train, test = rows
    inputs = data.frame if job.prepare.by_column and data.frame is not None else data.X
    seen, asked = (inputs.iloc[part] if job.prepare.by_column else inputs[part] for part in rows)  # type: ignore[union-attr]
    with (
        _one_thread()
    ):  # sums over several threads may differ in the last digit, and workers share the cores
        started = time.process_time()
        estimator.fit(seen, data.y[train])
        fitted = time.process_time()
        predicted = labels_of(estimator.predict(asked), len(test), data.classes)
        scores = scores_of(estimator, asked, len(data.classes))
        seconds = (fitted - started, time.process_time() - fitted)
    packed = pack(test, data.y[test], predicted, scores)
    matrix = count(data.y[test], predicted, len(data.classes))
    if sum(matrix) != len(test):
        raise AnswerError(f"{sum(matrix)} answers were counted for {len(test)} rows")
    two = len(data.classes) == 2
    return Outcome(
        "done",
        matrix if two else (0, 0, 0, 0),  # type: ignore[arg-type]
        seconds,
        _notes(estimator, data.X[train]),
        rows=zlib.compress(packed, 6) if job.keep else b"",
        rows_sha256=hashlib.sha256(packed).hexdigest(),
        confusion=() if two else matrix,
    )


def _one_thread() -> Any:
    """Limit the numerical libraries that are loaded to one thread; they are looked for when new
    modules have come.
    """
    import sys

    return _threads(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _threads(_modules: int) -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _notes(estimator: Any, X: np.ndarray) -> dict[str, Any]:
    notes: dict[str, Any] = {}
    steps = getattr(estimator, "named_steps", {})
    if "impute" in steps:
        notes["imputed_cells"] = int(np.isnan(X).sum())
    sampler = steps.get("sample")
    used = getattr(getattr(sampler, "smote_", sampler), "k_used_", None)
    if used is not None:
        notes["smote_k"] = used
    learner = steps.get("learn", estimator)
    if hasattr(learner, "best_params_"):
        notes["chosen"] = {key: str(value) for key, value in learner.best_params_.items()}
    return notes
