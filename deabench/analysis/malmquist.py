"""Compare two periods or conditions: the Malmquist index and its two factors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank_completely
from deabench.errors import DataError, DataWarning
from deabench.models import ModelName
from deabench.tables.read import as_table
from deabench.tables.selected_table import Missing, align_columns, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.utils.frames import with_classifier_index
from deabench.utils.result import Result
from deabench.utils.text import quote_names


@dataclass(frozen=True, eq=False, repr=False)
class Malmquist(Result):
    """Change between two periods or conditions.

    Attributes
    ----------
    frame : DataFrame
        `index` = `efficiency_change` · `technical_change`, each above 1 where it got better: nearer
        to the frontier of its own period, and the frontier itself further out where it is.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> answer = db.malmquist(wine, wine, outputs=["TPR", "TNR"])
    >>> answer.frame["index"].round(9).unique().tolist()
    [1.0]
    """

    _frame = "frame"
    _text = "contexts"

    frame: pd.DataFrame
    notes: tuple[str, ...]


def malmquist(
    before: TableLike,
    after: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    missing: Missing = "refuse",
) -> Malmquist:
    """Compute the Malmquist index between two tables of the same classifiers, constant returns.

    Parameters
    ----------
    before, after : as `table` of `deabench.rank`
        Two periods, or two conditions as clean and noisy data. Classifiers that are in both are
        compared; all of them span the frontiers.
    outputs, inputs, missing
        As for `deabench.rank`.

    Returns
    -------
    Malmquist

    Raises
    ------
    DataError
        If the two have no classifier in common, or as for `deabench.rank`.

    References
    ----------
    Färe, Grosskopf, Norris, Zhang (1994), American Economic Review 84:66-83.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> noisy = wine * [0.9, 0.95]
    >>> db.malmquist(wine, noisy, outputs=["TPR", "TNR"]).frame.loc["RBF"].round(3).to_dict()
    {'index': 0.9, 'efficiency_change': 1.0, 'technical_change': 0.9}
    """
    selected = select_table(
        before,
        outputs=outputs,
        inputs=inputs,
        missing=refuse_bounds(missing),
    )
    later = selected.with_table(as_table(after, selected.metrics))
    notes = selected.notes
    # A column with a gap is dropped from both tables, so that the frontiers are comparable.
    if missing != "refuse":
        later, selected, missing_notes = align_columns(later, selected, missing)
        notes = (*notes, *missing_notes)
    old = selected.frame
    new = later.frame
    # Indices need a DMU in both periods; frontiers are of all that a period has.
    common = old.index.intersection(new.index, sort=False)
    if not len(common):
        raise DataError("the two tables have no system in common; give both the same labels")
    model: ModelName = "ccr" if selected.inputs else "wei"
    old_table = selected.as_table()
    new_table = later.as_table()
    first = rank_completely(old_table, model=model)
    # The other three tables repeat the warnings of the first.
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        new_against_new = rank_completely(new_table, model=model).scores[common]
        new_rows = later.as_table(new.loc[common])
        old_rows = selected.as_table(old.loc[common])
        # Against the other period's frontier, beyond which scores may lie.
        new_against_old = rank_completely(new_rows, reference=old_table, model=model).scores
        old_against_new = rank_completely(old_rows, reference=new_table, model=model).scores
    old_against_old = first.scores[common]
    # Distances to the frontier of their own period: the change in efficiency.
    change = new_against_new / old_against_old
    # The geometric mean of the frontier's shift, seen from the new and from the old point.
    technical = np.sqrt(new_against_old / new_against_new * old_against_old / old_against_new)
    frame = pd.DataFrame(
        {"index": change * technical, "efficiency_change": change, "technical_change": technical}
    )
    frame = with_classifier_index(frame)
    # Rows of one table alone span its frontier but have no index.
    unmatched = sorted({str(name) for name in old.index.symmetric_difference(new.index)})
    notes = (*notes, *first.data.notes)
    if unmatched:
        notes = (*notes, f"in one of the two tables only: {quote_names(unmatched)}")
    return Malmquist(frame, notes)
