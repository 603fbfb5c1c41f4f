"""Two periods or conditions: the Malmquist index and its two factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from deabench.analysis.quiet import quietly
from deabench.analysis.ranking import rank
from deabench.errors import DataError
from deabench.report.text.words import join_names
from deabench.tables.selection import (
    Missing,
    align_columns,
    read_frame,
    refuse_bounds,
    select_table,
)
from deabench.utils.result import Result


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

    frame: pd.DataFrame
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """See `frame`."""
        return self.frame

    def summary(self) -> str:
        """How many got better, and what the frontier did."""
        better = int((self.frame["index"] > 1).sum())
        middle = np.exp(
            np.log(self.frame[["index", "efficiency_change", "technical_change"]]).mean()
        )
        return " ".join(
            [
                f"{better} of {len(self.frame)} got better; in geometric mean {middle['index']:.3f} = "
                f"{middle['efficiency_change']:.3f} "
                f"(nearer to the frontier) times {middle['technical_change']:.3f} (the frontier itself).",
                *(f"{note[:1].upper()}{note[1:]}." for note in self.notes),
            ]
        )


def malmquist(
    before: object,
    after: object,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    lower_is_better: Mapping[str, object] | Sequence[str] = (),
    missing: Missing = "refuse",
) -> Malmquist:
    """The Malmquist index between two tables of the same classifiers (Färe, Grosskopf, Norris,
    Zhang 1994), constant returns.

    Parameters
    ----------
    before, after : as `table` of `deabench.rank`
        Two periods, or two conditions as clean and noisy data; classifiers that are in both are
        compared, all span the frontiers.
    outputs, inputs, lower_is_better, missing
        As for `deabench.rank`.

    Returns
    -------
    Malmquist

    Raises
    ------
    DataError
        Where the two have no classifier in common, or as `deabench.rank`.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> noisy = wine * [0.9, 0.95]
    >>> db.malmquist(wine, noisy, outputs=["TPR", "TNR"]).frame.loc["RBF"].round(3).to_dict()
    {'index': 0.9, 'efficiency_change': 1.0, 'technical_change': 0.9}
    """
    ready = select_table(
        before,
        outputs=outputs,
        inputs=inputs,
        lower_is_better=lower_is_better,
        missing=refuse_bounds(missing),
    )
    old, new, notes = ready.table, read_frame(after), ready.notes
    if missing != "refuse":
        new, ready, lacking = align_columns(new, ready, missing)
        notes = (*notes, *lacking)
    both = old.index.intersection(new.index, sort=False)
    if not len(both):
        raise DataError("the two tables have no classifier in common; give both the same labels")
    costs = ready.given["inputs"] or "input" in ready.given["lower_is_better"].values()
    options: dict[str, Any] = {**ready.given, "model": "ccr" if costs else "wei"}
    first = rank(old, **options)
    second = quietly(new, **options)
    old_now = quietly(new.loc[both], reference=old, **options).scores
    now_old = quietly(old.loc[both], reference=new, **options).scores
    change = second.scores[both] / first.scores[both]
    technical = np.sqrt(old_now / second.scores[both] * first.scores[both] / now_old)
    frame = pd.DataFrame(
        {"index": change * technical, "efficiency_change": change, "technical_change": technical}
    )
    frame.index.name = "classifier"
    left = sorted({str(name) for name in old.index.symmetric_difference(new.index)})
    return Malmquist(
        frame,
        (
            *notes,
            *first.data.notes,
            *((f"in one of the two only: {join_names(left)}",) if left else ()),
        ),
    )
