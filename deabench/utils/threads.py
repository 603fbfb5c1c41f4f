"""One BLAS thread for products of tall, narrow matrices: more spend their time waiting for each
other.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

FEW = 64
"""Products of fewer rows run on one thread anyway, and finding the library takes longer."""


def one_thread(rows: int) -> AbstractContextManager[Any]:
    """A context in which numpy's products of matrices with that many rows run on one thread."""
    if rows < FEW:
        return nullcontext()
    limit: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limit


@lru_cache(maxsize=1)
def _libraries() -> Any:
    """The BLAS that numpy has loaded: finding it takes longer than a small table."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
