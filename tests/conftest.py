"""What the tests of the spine share: the hypothesis profiles, and refusals and warnings matched
whole.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings

from deabench.errors import DataError, DataWarning

# The quick tests draw fewer than half of the examples; .ci/run draws all of them beside the slow
# tests.
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=60)
settings.load_profile("quick")


def pytest_configure() -> None:
    """Let each test process compute on one thread, as the processes fill the cores themselves, and
    collect no garbage while thousands of tests are collected: they stay to the end.
    """
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    gc.disable()


def pytest_collection_finish() -> None:
    """Let the garbage collector pass by the collected tests, and come as seldom as it does in
    `deabench.cli.main`: at Python's own threshold it takes a fifteenth of the tests' time.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000)


@pytest.fixture
def refused() -> Callable[..., contextlib.AbstractContextManager[None]]:
    """A context in which exactly this error must be raised: the text is matched whole."""

    @contextlib.contextmanager
    def exactly(text: str, error: type[Exception] = DataError) -> Iterator[None]:
        with pytest.raises(error) as caught:
            yield
        assert str(caught.value) == text
        assert type(caught.value) is error

    return exactly


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the pictures of pages empty, for claims about their data."""
    from deabench.report.document import Picture

    monkeypatch.setattr(Picture, "file_content", lambda *args, **options: b"<svg></svg>")


@pytest.fixture
def warned() -> Callable[..., contextlib.AbstractContextManager[None]]:
    """A context in which exactly these DataWarnings must be given, in this order; every text is
    matched whole.
    """

    @contextlib.contextmanager
    def exactly(*texts: str) -> Iterator[None]:
        with pytest.warns(DataWarning) as caught:
            yield
        assert [str(w.message) for w in caught if w.category is DataWarning] == list(texts)

    return exactly
