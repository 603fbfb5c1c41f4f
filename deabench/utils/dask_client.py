"""Connect to a Dask scheduler, or refuse it in one sentence."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from deabench.errors import DataError
from deabench.utils.files import one_line


def require_dask() -> None:
    """Refuse a cluster if Dask is not installed."""
    if find_spec("distributed") is None:
        raise DataError("a cluster needs the package distributed: pip install 'deabench[dask]'")


@contextmanager
def silence_dask() -> Iterator[None]:
    """Silence Dask's own log: failures are reported by deabench."""
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def connect_client(address: str, patience: float) -> Iterator[Any]:
    """Connect a client to the scheduler at an address.

    Parameters
    ----------
    address : str
    patience : float
        Seconds that the scheduler has to answer.

    Raises
    ------
    DataError
        If no scheduler answers, or Dask is not installed.
    """
    require_dask()
    from distributed import Client

    with silence_dask():
        try:
            client = Client(address, timeout=patience)
        except Exception as error:  # an invalid address raises errors of many classes
            raise DataError(
                f"no Dask scheduler answers at '{address}': {one_line(error)}"
            ) from None
        try:
            yield client
        finally:
            # Do not wait for a scheduler that is gone.
            client.close(timeout=2)
