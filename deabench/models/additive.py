"""The additive model, a weighted sum of slacks, with its weights; RAM and BAM are two of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from deabench.errors import DataError
from deabench.models.options import read_metric_numbers
from deabench.models.shared import slack_programs
from deabench.models.shared.scaled_data import metric_names
from deabench.results.answer import Answer, Task
from deabench.results.model import ANY_VALUES, Advance, Model, Technology, option
from deabench.results.option_forms import NUMBERS
from deabench.results.proof import Proof
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed

OWN_UNITS_NOTE = "slacks are added up in the metrics' own units; other weights have no units"
UNWEIGHTED_REASONS = {
    "mip": "it is 0",
    "normalized": "it is the same in the whole reference",
    "ram": "it is the same in the whole reference",
}
"""Why a metric may count nothing, by the word of the weights."""


def read_weights(weights: str | Mapping[str, float], data: Data) -> str | Mapping[str, float]:
    """Return a word as it is, and numbers for all metrics."""
    if isinstance(weights, str):
        return weights
    return read_metric_numbers("weights", weights, data)


@dataclass(frozen=True, kw_only=True)
class AdditiveModel(Model):
    """Base class of the weighted sums of slacks; subclasses declare `weights`."""

    measure = "inefficiency"

    technology: Technology = "convex"

    @property
    def scales_outputs(self) -> bool:
        """Whether the score is by how much outputs could grow: it is a sum of changes."""
        return False

    def allows(self) -> tuple[Allowed, ...]:
        """Return the data that the model takes.

        With Σ λ = 1 it is translation-invariant, unless slacks count in shares of own values.
        """
        is_invariant = self.returns == "vrs" and getattr(self, "weights", None) != "mip"
        return ANY_VALUES if is_invariant else ()

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Compute the largest weighted sum of slacks of every DMU."""
        weights, notes = slack_weights(task)
        answer = slack_programs.solve(task, weights, advance)
        return replace(answer, data=replace(answer.data, notes=(*answer.data.notes, *notes)))

    def prove(self, answer: Answer) -> Proof:
        """Recompute the sum that λ reaches and the one that the multipliers allow."""
        return slack_programs.prove(answer, slack_weights(answer)[0])

    def meaning(self, score: float) -> str:
        """Say what the sum means."""
        weights = getattr(self, "weights", None)
        percent = f"{100 * score:.1f} %"
        if weights == "ram":
            return f"on average {percent} of each metric's range is left to gain"
        if weights == "bam":
            return f"on average {percent} of the way to each metric's best value is left to gain"
        unit = "with the weights given"
        if isinstance(weights, str):
            unit = {
                "ones": "in the metrics' own units",
                "mip": "in shares of its own values",
                "normalized": "in standard deviations",
            }[weights]
        return f"{score:.4g} is left to gain over all metrics, {unit}"


@dataclass(frozen=True, kw_only=True)
class Additive(AdditiveModel):
    """The additive model: the weighted sum of what is left to gain in all metrics."""

    name = "additive"
    title = "the weighted sum of what is left to gain in all metrics (additive model)"
    equation = "(additive)"
    formulations = ("additive",)

    returns: Literal["vrs", "crs", "nirs", "ndrs"] = "vrs"
    orientation: Literal["none", "input", "output"] = "none"
    weights: Literal["ones", "mip", "normalized", "ram", "bam"] | Mapping[str, float] = option(
        "ones",
        "What one unit of slack counts in each metric.",
        form=NUMBERS,
        reader=read_weights,
    )


@dataclass(frozen=True, kw_only=True)
class RAM(AdditiveModel):
    """The range-adjusted measure: the mean share of each metric's range that is left to gain."""

    name = "ram"
    title = "the mean share of each metric's range that is left to gain (RAM)"
    equation = "(additive)"
    formulations = ("additive",)

    returns: Literal["vrs", "crs", "nirs", "ndrs"] = "vrs"
    orientation: Literal["none", "input", "output"] = "none"
    weights: Literal["ram"] = option("ram", "What one unit of slack counts: 1 / range.")


@dataclass(frozen=True, kw_only=True)
class BAM(AdditiveModel):
    """The bounded adjusted measure: the mean share of the way to each metric's best value."""

    name = "bam"
    title = "the mean share of the way to each metric's best value that is left to gain (BAM)"
    equation = "(additive)"
    formulations = ("additive",)

    returns: Literal["vrs"] = "vrs"
    orientation: Literal["none", "input", "output"] = "none"
    weights: Literal["bam"] = option("bam", "What one unit of slack counts: 1 / way to the best.")


def slack_weights(task: Task | Answer) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return what a unit of slack counts for each DMU, (K, s + m), and notes on it."""
    choice = task.options.weights
    names = metric_names(task.data)
    values = np.column_stack([task.data.outputs, task.data.inputs]).astype(float)
    notes: tuple[str, ...] = ()
    if choice == "ones":
        weights = np.ones_like(values)
        notes = (OWN_UNITS_NOTE,)
    elif not isinstance(choice, str):
        weights = np.tile(list(choice.values()), (len(values), 1))
    else:
        # A slack as large as this unit counts 1; a metric whose unit is 0 counts nothing.
        units = _unit_slacks(choice, values, task)
        weights = np.where(units > 0, 1.0 / np.where(units > 0, units, 1.0), 0.0)
        if choice != "bam":
            notes = tuple(
                f"'{name}' counts nothing for {int(is_zero.sum())} of {len(is_zero)} systems: "
                f"{UNWEIGHTED_REASONS[choice]}"
                for name, is_zero in zip(names, (units <= 0).T, strict=True)
                if is_zero.any()
            )
    if task.options.orientation != "none":
        is_output = np.arange(len(names)) < task.data.outputs.shape[1]
        # In one orientation the slacks of the other side count nothing.
        may_change = is_output == (task.options.orientation == "output")
        weights = np.where(may_change, weights, 0.0)
    return weights, notes


def _unit_slacks(choice: str, values: np.ndarray, task: Task | Answer) -> np.ndarray:
    """Return the slack that counts 1 in each metric, (K, s + m)."""
    reference = np.column_stack([task.reference.outputs, task.reference.inputs]).astype(float)
    s = task.data.outputs.shape[1]
    count = values.shape[1]
    # A metric that is the same in the whole reference has the unit 0.
    ranges = np.ptp(reference, axis=0)
    if choice == "mip":
        return values
    if choice == "normalized":
        deviations = np.zeros(count)
        if len(reference) > 1:
            deviations = reference.std(axis=0, ddof=1)
        return np.tile(np.where(ranges > 0, deviations, 0.0), (len(values), 1))
    if choice == "ram":
        return np.tile(count * ranges, (len(values), 1))
    if task.options.returns != "vrs" and task.data.inputs.shape[1]:
        raise DataError(
            "weights 'bam' have a bound for returns 'vrs' only, and returns is "
            f"'{task.options.returns}'; leave returns out, or use weights 'ram'"
        )
    # The way from the DMU to the best value of each metric.
    to_best_outputs = reference[:, :s].max(axis=0) - values[:, :s]
    to_best_inputs = values[:, s:] - reference[:, s:].min(axis=0)
    distances_to_best = np.column_stack([to_best_outputs, to_best_inputs])
    return np.asarray(count * np.maximum(distances_to_best, 0.0))
