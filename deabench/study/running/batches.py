"""Small tasks travel together: one message for as many as take a quarter of a second."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path

from deabench.study.data.dataset import Dataset, DataSpec
from deabench.study.data.loaders import HELD
from deabench.study.running.tasks import Job

SPELL = 0.25
"""Seconds that a batch should take: long beside a message, short beside what a killed run loses."""
MOST = 200


class Batches:
    """Tasks that wait, cut into batches whose size follows what the last ones took."""

    def __init__(self, jobs: Iterable[Job], workers: int) -> None:
        self.waiting = deque(jobs)
        self.workers = max(1, workers)
        self.size = 1
        self._mean = 0.0

    def __bool__(self) -> bool:
        return bool(self.waiting)

    def next(self) -> list[Job]:
        """The tasks to hand out next; fewer where few are left, so that all workers end together."""
        share = max(1, len(self.waiting) // (4 * self.workers))
        return [self.waiting.popleft() for _ in range(min(self.size, share, len(self.waiting)))]

    def took(self, tasks: int, seconds: float) -> None:
        """Learn from a batch that ended."""
        each = max(seconds, 1e-6) / max(tasks, 1)
        self._mean = each if not self._mean else 0.7 * self._mean + 0.3 * each
        self.size = max(1, min(MOST, 2 * self.size, int(SPELL / max(self._mean, each))))

    def back(self, jobs: list[Job]) -> None:
        """Return tasks to the front of the queue."""
        self.waiting.extendleft(reversed(jobs))


def held_by(jobs: Iterable[Job]) -> dict[str, Dataset]:
    """The data sets given from code that these tasks need, by digest."""
    digests = {str(job.data.get("sha256")) for job in jobs if job.data.source == "held"}
    return {digest: HELD[digest] for digest in digests}


def carried(jobs: list[Job], folder: Path) -> list[Job]:
    """Tasks whose data were given from code, with the folder in which their workers find them."""
    import pickle

    for digest, data in held_by(jobs).items():
        (folder / f"{digest}.pickle").write_bytes(pickle.dumps(data))
    specs: dict[DataSpec, DataSpec] = {}
    return [_with_data(job, specs.setdefault(job.data, _in(job.data, folder))) for job in jobs]


def _in(spec: DataSpec, folder: Path) -> DataSpec:
    if spec.source != "held":
        return spec
    return DataSpec(spec.name, spec.source, (*spec.options, ("folder", str(folder))))


def _with_data(job: Job, spec: DataSpec) -> Job:
    if spec is job.data:
        return job
    new = object.__new__(Job)
    new.__dict__.update(job.__dict__, data=spec)
    return new
