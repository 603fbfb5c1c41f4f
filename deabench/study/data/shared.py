"""The data sets of a run, in files that all workers map into memory and none copies.

Pickle's fifth protocol hands out the buffers of arrays and frames. They are written one after the
other; a reader maps the file and makes arrays on it, so that the workers of a machine share its
pages, and a page is read when it is used.
"""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from deabench.errors import DataError
from deabench.study.data.columns import DataSpec
from deabench.study.data.dataset import Dataset

ALIGNMENT = 64
"""Bytes: buffers begin where every array may begin."""

Span = tuple[int, int]


class SharedDatasets:
    """The data sets of a run, each written to a folder when its first task is sent.

    Parameters
    ----------
    datasets : mapping of DataSpec to Dataset
        From code and from files, as they were when the run began.
    folder : Path
        Nothing empties it before the run ends.
    """

    def __init__(self, datasets: Mapping[DataSpec, Dataset], folder: Path) -> None:
        self.datasets = datasets
        self.folder = folder
        self._copies: dict[DataSpec, DataSpec] = {}

    def share(self, spec: DataSpec) -> DataSpec:
        """Return where workers find the data set, one description for all of its tasks.

        Raises
        ------
        DataError
            Where the folder has no room for it.
        """
        if spec not in self._copies:
            data = self.datasets[spec]
            try:
                write_dataset(data, self.folder)
            except OSError as error:
                raise DataError(
                    f"data set '{data.name}' cannot be written to '{self.folder}', from where the "
                    f"workers read it: {error.strerror}; make room, or name another folder in the "
                    "environment variable TMPDIR, and run again"
                ) from None
            options = (("sha256", data.identity), ("folder", str(self.folder)))
            self._copies[spec] = DataSpec(spec.name, "memory", options)
        return self._copies[spec]


@contextmanager
def share_datasets(datasets: Mapping[DataSpec, Dataset]) -> Iterator[SharedDatasets]:
    """Make the folder of a run's data sets, and delete it with the run."""
    with tempfile.TemporaryDirectory(prefix="deabench-data-") as folder:
        yield SharedDatasets(datasets, Path(folder))


def write_dataset(data: Dataset, folder: Path) -> None:
    """Write a data set to a folder, unless it is there; a reader finds all of it or nothing."""
    head_file = folder / f"{data.identity}.head"
    if head_file.exists():
        return
    _ = data.has_missing  # computed once, and kept in what is written
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(data, protocol=5, buffer_callback=buffers.append)
    rows_file = folder / f"{data.identity}.rows"
    spans: list[Span] = []
    # the matrix and the frame may be two views of the same memory, which is written once
    written: dict[Span, Span] = {}
    with rows_file.open("wb") as stream:
        for buffer in buffers:
            view = buffer.raw()
            memory = (np.frombuffer(view, np.uint8).ctypes.data, view.nbytes)
            if memory not in written:
                stream.write(bytes(-stream.tell() % ALIGNMENT))
                written[memory] = (stream.tell(), view.nbytes)
                stream.write(view)
            spans.append(written[memory])
        stream.write(bytes(1))  # an empty file cannot be mapped
    # the head comes last, and at once
    temporary = head_file.with_suffix(f".{os.getpid()}")
    temporary.write_bytes(pickle.dumps((content, spans)))
    os.replace(temporary, head_file)


def read_dataset(identity: str, folder: Path) -> Dataset | None:
    """Read a data set that the run's own parent has written; None where it is not there."""
    try:
        content, spans = pickle.loads((folder / f"{identity}.head").read_bytes())
        with (folder / f"{identity}.rows").open("rb") as stream:
            rows = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    except FileNotFoundError:
        return None
    buffers = [rows[start : start + size] for start, size in spans]
    data: Dataset = pickle.loads(content, buffers=buffers)
    return data
