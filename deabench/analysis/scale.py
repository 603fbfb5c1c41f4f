"""Compute scale efficiency: the share of a classifier's distance that its size explains."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank_completely
from deabench.errors import DataError, DataWarning
from deabench.results.model import Orientation
from deabench.tables.selected_table import Missing, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result

TOLERANCE = 1e-7
"""Efficiencies whose difference is a smaller share count as equal."""
COMPARED_RETURNS = "scores under constant, variable and non-increasing returns are compared"


@dataclass(frozen=True, eq=False, repr=False)
class ScaleEfficiency(Result):
    """Scale efficiencies.

    Attributes
    ----------
    frame : DataFrame
        `crs`, `vrs`, `nirs`: the efficiencies; `scale` = crs/vrs in (0, 1]; `returns`: "constant"
        where scale is 1, otherwise "increasing" (it is too small) or "decreasing" (it is too
        large).
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> tone = db.datasets.load("tone2001")
    >>> inputs, outputs = ["Input1", "Input2"], ["Output1", "Output2"]
    >>> answer = db.scale_efficiency(tone, inputs=inputs, outputs=outputs)
    >>> answer.frame["returns"].value_counts().to_dict()
    {'constant': 4, 'decreasing': 1}
    """

    _frame = "frame"
    _text = "contexts"

    frame: pd.DataFrame
    notes: tuple[str, ...]


def scale_efficiency(
    table: TableLike,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    orientation: Orientation = "output",
    reference: TableLike | None = None,
    missing: Missing = "refuse",
) -> ScaleEfficiency:
    """Compute the scale efficiency and the returns to scale of every DMU.

    Parameters
    ----------
    table, inputs, outputs, orientation, reference, missing
        As for `deabench.rank`; at least one input.

    Returns
    -------
    ScaleEfficiency

    Raises
    ------
    DataError
        As `deabench.rank`.

    References
    ----------
    Färe, Grosskopf, Lovell (1985), The measurement of efficiency of production, Kluwer-Nijhoff.

    Examples
    --------
    >>> import deabench as db
    >>> tone = db.datasets.load("tone2001")
    >>> inputs, outputs = ["Input1", "Input2"], ["Output1", "Output2"]
    >>> answer = db.scale_efficiency(tone, inputs=inputs, outputs=outputs)
    >>> answer.frame["scale"].round(3).to_dict()
    {'DMU_A': 1.0, 'DMU_B': 0.926, 'DMU_C': 1.0, 'DMU_D': 1.0, 'DMU_E': 1.0}
    """
    options: dict[str, Any] = {
        "inputs": inputs,
        "outputs": outputs,
        "missing": refuse_bounds(missing),
        "orientation": orientation,
        "reference": reference,
        "model": "ccr",
    }
    # A constant output has no scale.
    selected = select_table(table, inputs=inputs, outputs=outputs, missing=missing)
    if not selected.outputs:
        raise DataError(
            "returns to scale compare outputs with inputs and there is no output; name one in "
            "outputs, or use deabench.rank"
        )
    crs = rank_completely(table, returns="crs", **options)
    # The other two rankings repeat the warnings of the first.
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        vrs = rank_completely(table, returns="vrs", **options)
        nirs = rank_completely(table, returns="nirs", **options)
    frame = pd.DataFrame({"crs": crs.scores, "vrs": vrs.scores, "nirs": nirs.scores})
    # The share of the distance under constant returns that variable returns do not explain.
    frame["scale"] = frame["crs"] / frame["vrs"]
    # Where non-increasing returns bind as constant ones do, the DMU would gain from growing.
    is_too_small = np.abs(frame["crs"] - frame["nirs"]) <= TOLERANCE * frame["nirs"].abs()
    is_scale_efficient = np.abs(frame["scale"] - 1) <= TOLERANCE
    # Färe, Grosskopf and Lovell's test, by the three scores alone.
    returns = np.where(is_too_small, "increasing", "decreasing")
    frame["returns"] = np.where(is_scale_efficient, "constant", returns)
    frame.loc[frame["scale"].isna(), "returns"] = None
    frame = with_classifier_index(frame)
    # What is noted under one assumption alone is about that ranking, not about both.
    shared_notes = [note for note in crs.notes if note in vrs.notes]
    return ScaleEfficiency(frame, (COMPARED_RETURNS, *shared_notes))
