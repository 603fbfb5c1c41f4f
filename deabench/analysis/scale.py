"""Scale efficiency: what of a classifier's distance is its size's, not its own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank
from deabench.errors import DataWarning
from deabench.models.base import Orientation
from deabench.report.text.words import join_names
from deabench.tables.selection import Missing, refuse_bounds
from deabench.utils.result import Result

SAME = 1e-7
"""Efficiencies nearer than this are equal."""
WORDS = ("constant", "increasing", "decreasing")


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
    >>> answer = db.scale_efficiency(tone, inputs=["Input1", "Input2"], outputs=["Output1", "Output2"])
    >>> answer.frame["returns"].to_dict()
    {'DMU_A': 'constant', 'DMU_B': 'decreasing', 'DMU_C': 'constant', 'DMU_D': 'constant', 'DMU_E':
    'constant'}"""

    frame: pd.DataFrame
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """See `frame`."""
        return self.frame

    def summary(self) -> str:
        """Who has the best scale, and which way the others lie."""
        said = []
        for word in WORDS:
            who = self.frame.index[self.frame["returns"] == word]
            if len(who):
                said.append(
                    f"{len(who)} of {len(self.frame)} have {word} returns: {join_names(who)}."
                )
        return " ".join([*said, *(f"{note}." for note in self.notes)])


def scale_efficiency(
    table: object,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    orientation: Orientation = "output",
    reference: object = None,
    missing: Missing = "refuse",
) -> ScaleEfficiency:
    """Scale efficiency and returns to scale of every DMU (Färe, Grosskopf, Lovell 1985).

    Parameters
    ----------
    table, inputs, outputs, lower_is_better, orientation, reference, missing
        As for `deabench.rank`; at least one input.

    Returns
    -------
    ScaleEfficiency

    Raises
    ------
    DataError
        As `deabench.rank`.

    Examples
    --------
    >>> import deabench as db
    >>> tone = db.datasets.load("tone2001")
    >>> answer = db.scale_efficiency(tone, inputs=["Input1", "Input2"], outputs=["Output1", "Output2"])
    >>> answer.frame["scale"].round(3).to_dict()
    {'DMU_A': 1.0, 'DMU_B': 0.926, 'DMU_C': 1.0, 'DMU_D': 1.0, 'DMU_E': 1.0}
    """
    given: dict[str, Any] = {
        "inputs": inputs,
        "outputs": outputs,
        "lower_is_better": lower_is_better,
        "missing": refuse_bounds(missing),
        "orientation": orientation,
        "reference": reference,
        "model": "ccr",
    }
    crs = rank(table, returns="crs", **given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # said once is enough
        frame = pd.DataFrame(
            {
                "crs": crs.scores,
                "vrs": rank(table, returns="vrs", **given).scores,
                "nirs": rank(table, returns="nirs", **given).scores,
            }
        )
    frame["scale"] = frame["crs"] / frame["vrs"]
    low = np.abs(frame["crs"] - frame["nirs"]) <= SAME * frame["nirs"].abs()
    one = np.abs(frame["scale"] - 1) <= SAME
    frame["returns"] = np.where(one, "constant", np.where(low, "increasing", "decreasing"))
    frame.loc[frame["scale"].isna(), "returns"] = None
    frame.index.name = "classifier"
    return ScaleEfficiency(frame, crs.notes)
