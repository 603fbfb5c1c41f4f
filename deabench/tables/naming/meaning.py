"""What a column of some name measures: its role, its range, and why."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal, get_args

Role = Literal[
    "output",
    "lower_rate",
    "cost",
    "label",
    "dataset",
    "left_out",
    "conditional",
    "non_discretionary",
]

ROLES: tuple[Role, ...] = get_args(Role)
AskedRoles = frozenset[Role] | None
"""The roles of the rules that are asked; None stands for all rules."""
MeaningKind = Literal[
    "",
    # What is no metric.
    "setting",
    "identifier",
    "description",
    "count",
    "confusion count",
    "row count",
    "length",
    "date",
    "run",
    "fold",
    "computer",
    "data",
    "spread",
    "interval",
    "test",
    "rank",
    "difference",
    "comparison",
    "maximum",
    "statistic",
    "training",
    "system",
    "dataset",
    "given",
    "empty",
    "sparse",
    # What repeats other columns.
    "mean",
    "complement",
    "averaged",
    "unused input",
    # What is spent or produced.
    "time",
    "spending",
    "throughput",
    "model size",
    "file size",
    "resource",
    "product",
    "undesirable",
    "input or output",
    # What is good or bad.
    "quality",
    "loss",
    "benchmark",
    "data set score",
    "mean of scores",
    "score",
    "ascending score",
    "turned",
    "open",
    # Where the meaning comes from, if not from a word of the field.
    "stated",
    "declared",
    "user",
]
"""What the reason of a column says in one word: code decides by it, people read the reason."""
MEANING_KINDS: tuple[MeaningKind, ...] = get_args(MeaningKind)
WEAK_KINDS = ("score", "mean of scores", "data set score", "benchmark")
"""Kinds that say nothing about errors: such a column may be one of many alike."""


@dataclass(frozen=True)
class Meaning:
    """What a column of some name measures.

    Attributes
    ----------
    role : str
        "output": higher is better; "lower_rate": a measure of quality, lower is better; "cost":
        time, price, size; "label": names the systems; "dataset": names the data sets; "left_out":
        no metric; "conditional": a metric whose direction the name does not tell;
        "non_discretionary": given, not to be changed.
    unit : str
        "share" (0 to 1, or percent), "seconds", "ms", "count", ...; empty where it is not known.
    low, high : float
        The range; infinite where there is none.
    reason : str
        Why, in words for the user.
    negated : bool
        The name says that its sign is negative (`neg_log_loss`), so that higher is better.
    undesirable : bool
        It is an output of which less is better, as waste.
    production : str
        "goods": what producers use or make, as staff; "side": an input or output by its name.
    kind : str
        What the reason says in one word, for code to decide by.
    """

    role: Role
    unit: str = ""
    low: float = -inf
    high: float = inf
    reason: str = ""
    negated: bool = False
    undesirable: bool = False
    production: str = ""
    kind: MeaningKind = ""

    @property
    def better(self) -> Literal["higher", "lower", "neither"]:
        """Which direction is better."""
        if self.role == "output":
            return "higher"
        return "lower" if self.role in ("lower_rate", "cost") else "neither"

    @property
    def may_be_negative(self) -> bool:
        """Whether it may be below 0: returns and growth may, amounts, times and shares may not."""
        is_quality = self.role == "output" and self.kind == "quality"
        return self.low < 0 or (is_quality and self.high == inf)
