"""One BLAS thread for products of tall, narrow matrices: several threads wait for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

MIN_ROWS = 64
"""Products of fewer rows run on one thread anyway, and finding the library takes longer."""


def one_thread(rows: int) -> AbstractContextManager[Any]:
    """Return a context in which numpy multiplies matrices of that many rows on one thread."""
    if rows < MIN_ROWS:
        return nullcontext()
    limit: AbstractContextManager[Any] = _load_controller().limit(limits=1, user_api="blas")
    return limit


@lru_cache(maxsize=1)
def _load_controller() -> Any:
    """Find the BLAS that numpy has loaded, once: it takes longer than a small table."""
    return ThreadpoolController()
