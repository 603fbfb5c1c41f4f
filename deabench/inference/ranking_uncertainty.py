"""Compute how certain a ranking's scores are."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pandas as pd

from deabench.errors import DataError
from deabench.inference.dominance_games import Orientation, Returns
from deabench.inference.samples import Samples
from deabench.inference.samples.from_tables import check_same_table
from deabench.inference.uncertainty import Uncertainty, uncertainty
from deabench.tables.transforms import CONSTANT_OUTPUT

if TYPE_CHECKING:
    from deabench.results.answer import Answer


def uncertainty_of_ranking(answer: Answer, samples: Samples) -> Uncertainty:
    """Compute how certain a ranking's scores are; other samples and models are refused."""
    # The intervals are those of the ranking's own technology.
    returns, orientation = _technology_options(answer)
    # A constant output is no metric, and has no samples.
    outputs = answer.data.outputs.drop(columns=CONSTANT_OUTPUT, errors="ignore")
    check_same_table(samples, pd.concat([outputs, answer.data.inputs], axis=1))
    return uncertainty(
        samples,
        outputs=list(outputs.columns),
        inputs=list(answer.data.inputs.columns),
        returns=returns,
        orientation=orientation,
    )


def _technology_options(answer: Answer) -> tuple[Returns, Orientation]:
    """Return returns to scale and orientation of the scores; refuse what has no intervals."""
    model = answer.options.name
    if answer.data.given:
        raise DataError(f"a ranking with given columns ('{answer.data.given[0]}') has no intervals")
    if list(answer.reference.labels) != list(answer.data.labels):
        raise DataError(
            "a ranking against another reference has no intervals; put the reference into the table"
        )
    option_names = ("sums", "shares", "ratios")
    bound_names = [name for name in option_names if getattr(answer.options, name, None) is not None]
    bounds = f" with {' and '.join(bound_names)}" if bound_names else ""
    # The quotients of these models are no metrics of the samples.
    if model in ("wei", "score") and not bounds:
        return "vrs", "output"
    returns = answer.options.returns
    orientation = answer.options.orientation
    is_known = returns in get_args(Returns) and orientation in get_args(Orientation)
    if model != "ccr" or bounds or not is_known:
        raise DataError(
            f"model '{model}' has no intervals{bounds}; they are known without inputs, and with "
            "inputs for model 'ccr' with returns 'vrs' or 'crs' and orientation 'output' or 'input'"
        )
    return ("crs" if returns == "crs" else "vrs"), ("input" if orientation == "input" else "output")
