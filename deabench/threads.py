"""One BLAS thread for products of tall, narrow matrices: more spend their time waiting for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """A context in which numpy's matrix products run on one thread."""
    return _libraries().limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _libraries() -> Any:
    """The BLAS that numpy has loaded: finding it takes longer than a small table."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
