"""The additive model and its weights: what is left to gain in all metrics, weighed and summed. RAM
and BAM are two weightings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from deabench.errors import DataError
from deabench.models import weighted_slacks
from deabench.models.options import read_metric_numbers
from deabench.models.scaled_data import metrics
from deabench.results.answer import Answer, Task
from deabench.results.model import (
    ANY_VALUES,
    NUMBERS,
    Advance,
    Model,
    Technology,
    option,
)
from deabench.results.proof import Proof
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed


def read(given: object, data: Data) -> str | Mapping[str, float]:
    """A word, or what a unit of each metric counts."""
    return given if isinstance(given, str) else read_metric_numbers("weights", given, data)


def solve(task: Task, advance: Advance) -> Answer:
    """The weighted sum of slacks of every DMU."""
    counts, notes = counts_of(task)
    answer = weighted_slacks.solve(task, counts, advance)
    return replace(answer, data=replace(answer.data, notes=(*answer.data.notes, *notes)))


def prove(answer: Answer) -> Proof:
    """The sum that λ reaches, and that which the weights allow."""
    return weighted_slacks.prove(answer, counts_of(answer)[0])


def counts_of(task: Task | Answer) -> tuple[np.ndarray, tuple[str, ...]]:
    """What a unit of each metric counts for each DMU, (K, s + m), and what is to be said of it."""
    how, names = task.options.weights, metrics(task.data)
    values = np.column_stack([task.data.outputs, task.data.inputs]).astype(float)
    spanning = np.column_stack([task.reference.outputs, task.reference.inputs]).astype(float)
    notes: tuple[str, ...] = ()
    if how == "ones":
        counts, notes = (
            np.ones_like(values),
            ("slacks are added up in the metrics' own units; other weights have no units",),
        )
    elif not isinstance(how, str):
        counts = np.tile(list(how.values()), (len(values), 1))
    else:
        unit = _units(how, values, spanning, task)
        counts = np.where(unit > 0, 1.0 / np.where(unit > 0, unit, 1.0), 0.0)
        notes = tuple(
            f"'{name}' counts nothing for {int(zero.sum())} of {len(zero)} classifiers: {WHY[how]}"
            for name, zero in zip(names, (unit <= 0).T, strict=True)
            if zero.any() and how != "bam"
        )
    if task.options.orientation != "none":
        outward = task.options.orientation == "output"
        counts = np.where(
            (np.arange(len(names)) < task.data.outputs.shape[1]) == outward, counts, 0.0
        )
    return counts, notes


WHY = {
    "mip": "it is 0",
    "normalized": "it is the same in the whole reference",
    "ram": "it is the same in the whole reference",
}


def _units(how: str, values: np.ndarray, spanning: np.ndarray, task: Task | Answer) -> np.ndarray:
    """What counts 1 of each metric, (K, s + m)."""
    s, number = task.data.outputs.shape[1], values.shape[1]
    if how == "mip":
        return values
    if how == "normalized":
        spread = np.zeros(number) if len(spanning) < 2 else spanning.std(axis=0, ddof=1)
        return np.tile(np.where(np.ptp(spanning, axis=0) > 0, spread, 0.0), (len(values), 1))
    if how == "ram":
        return np.tile(number * np.ptp(spanning, axis=0), (len(values), 1))
    if task.options.returns != "vrs" and task.data.inputs.shape[1]:
        raise DataError(
            f"weights 'bam' have a bound for returns 'vrs' only, and returns is '{task.options.returns}'; "
            "leave returns out, or use weights 'ram'"
        )
    room = np.column_stack(
        [spanning[:, :s].max(axis=0) - values[:, :s], values[:, s:] - spanning[:, s:].min(axis=0)]
    )
    return np.asarray(number * np.maximum(room, 0.0))


def meaning(score: float, options: Any) -> str:
    """What the sum says."""
    how = options.weights
    if how == "ram":
        return f"on average {100 * score:.1f} % of each metric's range is left to gain"
    if how == "bam":
        return (
            f"on average {100 * score:.1f} % of the way to each metric's best value is left to gain"
        )
    unit = {
        "ones": "in the metrics' own units",
        "mip": "in shares of its own values",
        "normalized": "in standard deviations",
    }
    said = (
        unit.get(how, "with the weights given")
        if isinstance(how, str)
        else "with the weights given"
    )
    return f"{score:.4g} is left to gain over all metrics, {said}"


def _allows(options: Any) -> tuple[Allowed, ...]:
    """With Σ λ = 1 the model is translation-invariant, unless own values are what it counts in."""
    return ANY_VALUES if options.returns == "vrs" and options.weights != "mip" else ()


@dataclass(frozen=True, kw_only=True)
class AdditiveModel(Model):
    """Base class of the weighted sums of slacks."""

    measure = "inefficiency"

    technology: Technology = "convex"

    def allows(self) -> tuple[Allowed, ...]:
        return _allows(self)

    def solve(self, task: Task, advance: Advance) -> Answer:
        return solve(task, advance)

    def prove(self, answer: Answer) -> Proof:
        return prove(answer)

    def meaning(self, score: float) -> str:
        return meaning(score, self)


@dataclass(frozen=True, kw_only=True)
class Additive(AdditiveModel):
    """The additive model: the weighted sum of what is left to gain in all metrics."""

    name = "additive"
    title = "the weighted sum of what is left to gain in all metrics (additive model)"
    equation = "(additive)"

    returns: Literal["vrs", "crs", "nirs", "ndrs"] = "vrs"
    orientation: Literal["none", "input", "output"] = "none"
    weights: Literal["ones", "mip", "normalized", "ram", "bam"] | Mapping[str, float] = option(
        "ones",
        "What one unit of slack counts in each metric.",
        form=NUMBERS,
        reader=read,
    )


@dataclass(frozen=True, kw_only=True)
class RAM(AdditiveModel):
    """The range-adjusted measure: the mean share of each metric's range that is left to gain."""

    name = "ram"
    title = "the mean share of each metric's range that is left to gain (RAM)"
    equation = "(additive)"

    returns: Literal["vrs", "crs", "nirs", "ndrs"] = "vrs"
    orientation: Literal["none", "input", "output"] = "none"
    weights: Literal["ram"] = "ram"


@dataclass(frozen=True, kw_only=True)
class BAM(AdditiveModel):
    """The bounded adjusted measure: the mean share of the way to each metric's best value."""

    name = "bam"
    title = "the mean share of the way to each metric's best value that is left to gain (BAM)"
    equation = "(additive)"

    returns: Literal["vrs"] = "vrs"
    orientation: Literal["none", "input", "output"] = "none"
    weights: Literal["bam"] = "bam"
