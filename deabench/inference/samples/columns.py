"""Select the columns of samples that are outputs and inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.inference.samples import Samples


def select_columns(
    samples: Samples, outputs: Sequence[str] | None, inputs: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Return the names of outputs and inputs; by default all metrics, and all costs."""
    columns = [str(name) for name in samples.values.columns]
    input_names = list(samples.costs) if inputs is None else name_list(inputs, "inputs")
    if outputs is None:
        # Costs are no outputs, also where they are not used as inputs.
        excluded = {*input_names, *samples.costs}
        output_names = [name for name in columns if name not in excluded]
    else:
        output_names = name_list(outputs, "outputs")
    names = [*output_names, *input_names]
    for name in names:
        if name not in columns:
            raise DataError(
                f"there is no metric '{name}' in the samples; {did_you_mean(name, columns)}"
            )
        if names.count(name) > 1:
            raise DataError(
                f"metric '{name}' is named twice; name it once, as an output or as an input"
            )
    if not names:
        raise DataError("no outputs are left; name at least one metric as output")
    return output_names, input_names


def name_list(names: Sequence[str], argument: str) -> list[str]:
    """Return the names as a list; refuse a text."""
    if isinstance(names, str):
        raise DataError(f"{argument} is the text '{names}'; give a list of names, as ['{names}']")
    return list(names)
