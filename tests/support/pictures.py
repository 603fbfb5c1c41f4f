"""What the tests measure in pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def count_overlaps(texts: Sequence[Any]) -> int:
    """Return how many pairs of texts overlap, by their drawn boxes."""
    from matplotlib.text import Text

    if not texts:
        return 0
    texts[0].figure.draw_without_rendering()
    boxes = [
        Text.get_window_extent(text) for text in texts if text.get_visible() and text.get_text()
    ]
    return sum(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
