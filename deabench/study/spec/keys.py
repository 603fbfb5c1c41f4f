"""The keys of tasks: digests of all that a result depends on, and what they are made of."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from deabench.study.data.dataset import Dataset
from deabench.study.learners.fingerprints import Fingerprint

if TYPE_CHECKING:
    from deabench.study.spec.tasks import Task

VERSION = 4
"""Part of every task's key: raise it when a change of deabench changes results."""


def key_base(task: Task, data: Dataset) -> bytes:
    """Return what the keys of all folds of one data set and classifier share."""
    split = task.split
    content = [
        VERSION,
        task.data.name,
        task.data_sha256,
        data.head_sha256 if task.preprocessing.by_column else "",
        task.learner.name,
        task.learner.fingerprint,
        task.preprocessing.text,
        # of the split what its kind uses, so that an idle setting changes no key
        [
            split.kind,
            split.folds if split.kind in ("kfold", "groups", "time") else 0,
            split.test_size if split.kind == "holdout" else 0,
            split.text,
            *([split.gap] if split.kind == "time" and split.gap else []),
        ],
        task.seed,
    ]
    if task.depends:
        content.append(task.depends)
    return json.dumps(content, default=list).encode("utf-8", "surrogatepass")


def key_parts(task: Task) -> dict[str, Fingerprint]:
    """Return what a task's key is made of: of its data set, its classifier, and the study."""
    split = task.split
    study = {
        "split": " ".join(
            map(str, (split.kind, split.folds, split.test_size, split.gap, split.text))
        ).strip(),
        "preprocessing": task.preprocessing.text or "none",
        "seed": str(task.seed),
        **dict(task.depends),
    }
    return {
        f"data set {task.data.name}": (("rows", task.data_sha256),),
        f"classifier {task.learner.name}": task.learner.fingerprint,
        "study": tuple(study.items()),
    }


def task_key(base: hashlib._Hash, repeat: int, fold: int) -> str:
    """Return the key of a task.

    Parameters
    ----------
    base : SHA-256 of the `key_base`, which is hashed once for all its folds
    """
    digest = base.copy()
    digest.update(b" %d %d" % (repeat, fold))
    return digest.hexdigest()
