"""Rank with the options of a model among the keywords, for tests that go through many of them."""

from __future__ import annotations

from typing import Any

import deabench as db
from deabench.models.options import build_options

RANK = (
    "outputs",
    "inputs",
    "reference",
    "missing",
    "uncertainty",
    "strict",
)
"""The keywords of `deabench.rank` that are no options of a model."""


def rank_with(table: object, *, model: Any = None, **keywords: Any) -> db.Ranking:
    """Rank a table, the options of the model given as keywords beside those of `rank`."""
    options = {name: value for name, value in keywords.items() if name not in RANK}
    rank_options = {name: value for name, value in keywords.items() if name in RANK}
    if not options:
        return db.rank(table, model=model, **rank_options)
    if model is None:
        model = "ccr" if rank_options.get("inputs") else "wei"
    return db.rank(table, model=build_options(model, options), **rank_options)
