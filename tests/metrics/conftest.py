"""What the tests of deabench.metrics share."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pandas as pd
import pytest

from deabench.errors import DataError


@pytest.fixture
def refused() -> Callable[[str], contextlib.AbstractContextManager[None]]:
    """A context in which exactly this DataError must be raised: the text is matched whole."""

    @contextlib.contextmanager
    def exactly(text: str) -> Iterator[None]:
        with pytest.raises(DataError) as caught:
            yield
        assert str(caught.value) == text

    return exactly


@pytest.fixture(scope="session")
def net() -> pd.DataFrame:
    """The 20 instances of Martin, "6 testing methods for binary classification" (Artelnics), in the
    order printed.
    """
    target = [1, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    output = [
        0.99,
        0.85,
        0.70,
        0.60,
        0.55,
        0.54,
        0.53,
        0.52,
        0.51,
        0.49,
        0.41,
        0.40,
        0.28,
        0.27,
        0.26,
        0.25,
        0.24,
        0.23,
        0.20,
        0.10,
    ]
    return pd.DataFrame(
        {"target": target, "output": output}, index=pd.RangeIndex(1, 21, name="instance")
    )
