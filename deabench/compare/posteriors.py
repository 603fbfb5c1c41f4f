"""The Bayesian tests of every pair of a table's classifiers."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from deabench.compare import pairs as of_two
from deabench.compare._validation import known_control, repeats, scores
from deabench.compare.bayes import bayesian_correlated_t, bayesian_signed_rank
from deabench.utils.checks import share
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Posteriors(Result):
    """How probable it is, for every pair, that one classifier is better in practice.

    Attributes
    ----------
    pairs : DataFrame
        first, second, first_better, equivalent, second_better (posterior probabilities), verdict:
        the better one's name, "equivalent", or empty where none is as probable as `sure`.
    test : str
    rope : float
        Half-width of the region of practical equivalence.
    sure : float
        The probability from which on there is a verdict.
    notes : tuple of str

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> found = compare.bayesian(table, rope=.01)
    >>> found.to_frame().columns.tolist()
    ['first', 'second', 'first_better', 'equivalent', 'second_better', 'verdict']
    """

    pairs: pd.DataFrame
    test: str
    rope: float
    sure: float
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        return self.pairs

    def summary(self) -> str:
        """The pairs with a verdict, then the test and what to know."""
        decided = self.pairs[self.pairs["verdict"] != ""]
        found = ", ".join(_said(row) for _, row in decided.head(5).iterrows())
        more = f" and {len(decided) - 5} more" if len(decided) > 5 else ""
        total = f"{len(decided)} of {len(self.pairs)} pairs decided with probability {self.sure:g} or more"
        return "\n".join(
            [
                f"{total}: {found}{more}" if len(decided) else total,
                f"{self.test}, ROPE ±{self.rope:g}",
                *self.notes,
            ]
        )


def _said(row: pd.Series) -> str:
    if row["verdict"] == "equivalent":
        return f"'{row['first']}' and '{row['second']}' are equivalent ({row['equivalent']:.3g})"
    other, p = (
        (row["second"], row["first_better"])
        if row["verdict"] == str(row["first"])
        else (row["first"], row["second_better"])
    )
    return f"'{row['verdict']}' is better than '{other}' ({p:.3g})"


def bayesian(
    table: pd.DataFrame,
    *,
    rope: float,
    control: str | None = None,
    folds: int | None = None,
    higher_is_better: bool = True,
    sure: float = 0.95,
) -> Posteriors:
    """Every pair by the Bayesian signed-rank test over data sets, or the correlated t test over
    folds.

    Parameters
    ----------
    table : DataFrame
        Data sets (or folds) in rows, classifiers in columns.
    rope : float
        Differences of at most this much count as none.
    control : str, optional
        Compare the others with this one only.
    folds : int, optional
        The rows are the folds of a (repeated) k-fold cross-validation on one data set, with this k.
    higher_is_better : bool
    sure : float
        The posterior probability from which on there is a verdict, in (0, 1).

    Raises
    ------
    DataError
        As `compare` and the tests.

    Notes
    -----
    No adjustment for many pairs: posteriors of pairs are statements of their own. See
    `bayesian_signed_rank` and `bayesian_correlated_t`.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> compare.bayesian(table, rope=.01).to_frame()["verdict"].tolist()
    ['', 'a', 'b']
    """
    values = scores(table)
    known_control(control, values.columns)
    share("sure", sure)
    if folds is not None:
        repeats(len(values), folds)
    rows = []
    for a, b in of_two.chosen(values.columns, control):
        x, y = values[a].to_numpy(), values[b].to_numpy()
        found = (
            bayesian_signed_rank(x, y, rope=rope, higher_is_better=higher_is_better)
            if folds is None
            else bayesian_correlated_t(
                x, y, rope=rope, ratio=1 / (folds - 1), higher_is_better=higher_is_better
            )
        )
        outcomes = {a: found.first_better, "equivalent": found.equivalent, b: found.second_better}
        verdict = next((str(name) for name, p in outcomes.items() if p >= sure), "")
        rows.append((a, b, found.first_better, found.equivalent, found.second_better, verdict))
    pairs = pd.DataFrame(
        rows, columns=["first", "second", "first_better", "equivalent", "second_better", "verdict"]
    )
    name = "Bayesian signed-rank test" if folds is None else "Bayesian correlated t test"
    return Posteriors(pairs, name, rope, sure)
