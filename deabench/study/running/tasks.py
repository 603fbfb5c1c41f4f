"""One task of a study: one classifier, fitted and tested on one fold of one data set; what a worker runs.

Everything random in a task comes from the study's seed, the data set's name, the repeat, the fold and the classifier's
name (their CRC-32), so that order, restarts and engines change nothing.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import threading
import time
import traceback
import warnings
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from deabench.study.data.dataset import Dataset, DataSpec
from deabench.study.data.loaders import load
from deabench.study.data.splits import Split, SplitSpec, rows_of, seed_of
from deabench.study.learners.builders import Context
from deabench.study.learners.registry import LearnerSpec, build
from deabench.study.running.limits import OutOfTime, settle, time_limit

VERSION = 1
"""Part of every task's key: raise it when a change here changes results."""


@dataclass(frozen=True)
class Job:
    """What a worker gets: everything that a task's result depends on, and how long it may take.

    `key` names the task by its content: the data, the classifier with its parameters, the split, the seed.
    """

    data: DataSpec
    learner: LearnerSpec
    split: SplitSpec
    repeat: int
    fold: int
    seed: int
    key: str
    time_limit: float = 0.0
    keep: bool = True

    @property
    def label(self) -> str:
        return f"{self.data.name} / {self.learner.name} / repeat {self.repeat} / fold {self.fold}"


@dataclass(frozen=True)
class Outcome:
    """What became of a task.

    Attributes
    ----------
    status : str
        done, failed (raised), timeout, or crashed (its process died).
    counts : tuple of int
        tp, fn, fp, tn over the fold's test rows; zeros unless done.
    seconds : tuple of float
        CPU time of the process for fitting and for predicting.
    notes : dict
        What was chosen or replaced: neighbours of SMOTE, kernel and cost, cells imputed, warnings by text.
    error : tuple of str
        Class, text and traceback of what went wrong.
    rows : bytes
        Test rows, predictions and scores, compressed (`unpack`); empty if they are not kept.
    rows_sha256 : str
        Of the same before compression, kept or not.
    """

    status: str
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)
    notes: dict[str, Any] = field(default_factory=dict)
    error: tuple[str, str, str] = ("", "", "")
    rows: bytes = b""
    rows_sha256: str = ""


def key_of(job: Job, data_sha256: str) -> str:
    """SHA-256 of all that the task's counts depend on; a changed setting changes the keys of the tasks it touches."""
    content = [VERSION, job.data.name, data_sha256, job.learner.name, job.learner.use, job.learner.imported,
               sorted(job.learner.params), _split_content(job), job.repeat, job.fold, job.seed]
    return hashlib.sha256(json.dumps(content, default=list).encode()).hexdigest()


def _split_content(job: Job) -> list[object]:
    return [job.split.kind, job.split.folds if job.split.kind == "kfold" else 0,
            job.split.test_size if job.split.kind == "holdout" else 0]


def run_job(job: Job, scratch: str | None = None) -> tuple[Job, Outcome]:
    """Run a task in a worker; whatever the learner does short of killing the process becomes an Outcome.

    Parameters
    ----------
    scratch : str or None
        A folder shared with the parent, where a mark stands while the task runs, so that the parent can tell which
        tasks a dead worker held, and a traceback where the time limit had to end the process.
    """
    settle()
    with _ALONE:
        return job, _watched(job, scratch)


_ALONE = threading.Lock()
"""One task at a time in a process: numpy's global state, the warnings and the time limit are the process's own."""


def _watched(job: Job, scratch: str | None) -> Outcome:
    mark = Path(scratch) / f"{os.getpid()}.running" if scratch else None
    trace = Path(scratch) / f"{job.key}.trace" if scratch else None
    if mark is not None:
        mark.write_text(job.key)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            outcome = _guarded(job, trace)
        heard = Counter(f"{w.category.__name__}: {str(w.message).splitlines()[0]}" for w in caught if str(w.message))
        if heard:
            outcome.notes["warnings"] = dict(heard.most_common(5))
    finally:
        if mark is not None:
            mark.unlink(missing_ok=True)
    return outcome


def _guarded(job: Job, trace: Path | None) -> Outcome:
    try:
        ready = _prepare(job)
        with time_limit(job.time_limit, trace):
            return _fit_and_test(job, *ready)
    except OutOfTime:
        return Outcome("timeout", error=("OutOfTime", f"took longer than {job.time_limit:g} s", traceback.format_exc()))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a learner may call sys.exit; it costs its own task only
        text = str(error).strip() or type(error).__name__
        return Outcome("failed", error=(type(error).__name__, text, traceback.format_exc()))
    finally:
        if trace is not None:
            trace.unlink(missing_ok=True)


def _prepare(job: Job) -> tuple[Dataset, Split, Any]:
    """Data, rows and estimator: before the clock starts, as a worker's first task also imports and reads."""
    data = load(job.data)
    seed = seed_of(job.seed, data.name, job.repeat, job.fold, job.learner.name)
    np.random.seed(seed)  # noqa: NPY002 - for a learner from outside that draws from the global state
    estimator = build(job.learner, Context(data.X.shape[1], bool(np.isnan(data.X).any()), seed))
    return data, rows_of(data, job.split, job.repeat, job.fold, job.seed), estimator


def _fit_and_test(job: Job, data: Dataset, rows: Split, estimator: Any) -> Outcome:
    from threadpoolctl import threadpool_limits

    train, test = rows
    with threadpool_limits(1):  # sums over several threads may differ in the last digit, and workers share the cores
        started = time.process_time()
        estimator.fit(data.X[train], data.y[train])
        fitted = time.process_time()
        predicted = np.asarray(estimator.predict(data.X[test])).astype(np.int8)
        scores = _scores(estimator, data.X[test])
        seconds = (fitted - started, time.process_time() - fitted)
    packed = pack(test, data.y[test], predicted, scores)
    return Outcome("done", count(data.y[test], predicted), seconds, _notes(estimator, data.X[train]),
                   rows=zlib.compress(packed, 6) if job.keep else b"", rows_sha256=hashlib.sha256(packed).hexdigest())


def count(y: np.ndarray, predicted: np.ndarray) -> tuple[int, int, int, int]:
    """tp, fn, fp, tn."""
    cells = np.bincount(2 * (1 - y) + (1 - predicted), minlength=4)
    return int(cells[0]), int(cells[1]), int(cells[2]), int(cells[3])


def _scores(estimator: Any, X: np.ndarray) -> np.ndarray:
    """A score per row, higher for positive: the decision function, else the probability of 1; NaN without either."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), dtype=float).reshape(len(X))
    if hasattr(estimator, "predict_proba"):
        classes = list(estimator.classes_)
        probability = np.asarray(estimator.predict_proba(X), dtype=float)
        return probability[:, classes.index(1)] if 1 in classes else np.zeros(len(X))
    return np.full(len(X), np.nan)


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


def pack(rows: np.ndarray, y: np.ndarray, predicted: np.ndarray, scores: np.ndarray) -> bytes:
    """Rows (uint32), classes and predictions (int8) and scores (float64) one after the other, little-endian."""
    stream = io.BytesIO()
    for values, kind in ((rows, "<u4"), (y, "i1"), (predicted, "i1"), (scores, "<f8")):
        stream.write(np.asarray(values).astype(kind).tobytes())
    return stream.getvalue()


def unpack(rows: bytes) -> dict[str, np.ndarray]:
    """`Outcome.rows` as arrays: row, y_true, y_pred, score."""
    plain = zlib.decompress(rows)
    n = len(plain) // 14
    ends = np.cumsum([0, 4 * n, n, n, 8 * n])
    kinds = {"row": "<u4", "y_true": "i1", "y_pred": "i1", "score": "<f8"}
    return {name: np.frombuffer(plain[a:b], dtype=kind)
            for (name, kind), a, b in zip(kinds.items(), ends[:-1], ends[1:], strict=True)}
