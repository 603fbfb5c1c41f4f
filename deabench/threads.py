"""One BLAS thread for products of tall, narrow matrices: more spend their time waiting for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """A context in which numpy's matrix products run on one thread."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")
