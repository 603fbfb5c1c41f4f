"""A Dask scheduler that is there: connected to quietly, refused in one sentence."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from deabench.errors import DataError
from deabench.utils.files import one_line


def require_dask() -> None:
    """Refuse where Dask is not installed.

    Raises
    ------
    DataError
    """
    if find_spec("distributed") is None:
        raise DataError("a cluster needs the package distributed: pip install 'deabench[dask]'")


@contextmanager
def silence_dask() -> Iterator[None]:
    """Dask says nothing of its own: what goes wrong is said in our words."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def connect_client(address: str, patience: float) -> Iterator[Any]:
    """A client of the scheduler at an address, which has `patience` seconds to answer.

    Raises
    ------
    DataError
    """
    require_dask()
    from distributed import Client

    with silence_dask():
        try:
            client = Client(address, timeout=patience)
        except Exception as error:  # an address of any kind raises errors of any kind
            raise DataError(
                f"no Dask scheduler answers at '{address}': {one_line(error)}"
            ) from None
        try:
            yield client
        finally:
            client.close(timeout=2)
