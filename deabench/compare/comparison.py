"""What `compare` and its kin found: the pairs that differ first, then how that was tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from deabench.compare.incomplete import SkillingsMack
from deabench.compare.many import Friedman
from deabench.compare.pairs import matrix
from deabench.compare.posthoc import said
from deabench.utils.result import Result

if TYPE_CHECKING:
    from deabench.plot.critical_difference import CriticalDifferenceDisplay


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Result):
    """Which classifiers differ, by which test, and why that one.

    Attributes
    ----------
    pairs : DataFrame
        first, second, wins, ties, losses (of the first, where that can be counted), difference
        (first minus second: of mean ranks, scores, accuracies or AUCs, as `test` says), on one test
        set lower and upper (of each pair alone), statistic, p_value, adjusted, different, better. A
        pair that cannot be tested has no p value and is named in `notes`.
    mean_ranks : Series
        Of every classifier, 1 = best on every row.
    omnibus : Friedman, SkillingsMack or None
        The test of "all alike", where there is one.
    test : str
        The test that was chosen.
    why : str
        Why, in a sentence.
    alpha : float
    control : str or None
    adjust : str
        How the p values were adjusted.
    notes : tuple of str
        What a reader must know.

    Examples
    --------
    >>> import pandas as pd
    >>> from deabench import compare
    >>> table = pd.DataFrame({"a": [.81, .75, .92, .66, .88], "b": [.79, .74, .90, .68, .85], "c": [.70, .71, .83, .60, .80]})
    >>> found = compare.compare(table, control="c")
    >>> found.pairs[["first", "second", "different"]].values.tolist()
    [['c', 'a', True], ['c', 'b', False]]
    """

    pairs: pd.DataFrame
    mean_ranks: pd.Series
    omnibus: Friedman | SkillingsMack | None
    test: str
    why: str
    alpha: float
    control: str | None = None
    adjust: str = "holm"
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        return self.pairs

    def summary(self) -> str:
        """Who is better than whom, the omnibus test, the test and the reason for it, and the notes,
        as lines of text.
        """
        lines = [said(self.pairs, self.alpha)]
        if self.omnibus is not None:
            lines.append(f"all alike? {self.omnibus.said()}")
        return "\n".join([*lines, self.test, self.why, *self.notes])

    def matrix(self) -> pd.DataFrame:
        """The adjusted p values as a symmetric frame, 1 on the diagonal, NaN for pairs not
        compared.
        """
        return matrix(self.pairs, self.mean_ranks.index, self.pairs["adjusted"])

    def plot(self) -> CriticalDifferenceDisplay:  # type: ignore[override]
        """The critical-difference diagram, of three or more classifiers over data sets.

        Raises
        ------
        DataError
            Where the findings are of two classifiers, of folds or of one test set.
        """
        from deabench.plot.critical_difference import CriticalDifferenceDisplay

        return CriticalDifferenceDisplay.from_result(self).plot()
