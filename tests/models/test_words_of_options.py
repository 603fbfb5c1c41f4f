"""What an option refuses that is no word at all."""

from __future__ import annotations

from typing import Any

import pytest

from deabench.models import CCR


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"returns": 3},
            "model 'ccr' has no returns '3'; write 'crs' or 'vrs' or 'nirs' or 'ndrs'",
        ),
        (
            {"returns": None},
            "model 'ccr' has no returns 'None'; write 'crs' or 'vrs' or 'nirs' or 'ndrs'",
        ),
        (
            {"orientation": ["input"]},
            "model 'ccr' has no orientation '['input']'; write 'output' or 'input'",
        ),
    ],
)
def test_a_value_that_is_no_word_is_refused_as_one(
    options: dict[str, Any], message: str, refused: Any
) -> None:
    with refused(message):
        CCR(**options)
