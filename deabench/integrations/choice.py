"""Choose one candidate of a search by several metrics, costs, a budget and a preference."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.analysis.frontier import frontier
from deabench.analysis.ranking import rank_completely
from deabench.errors import DataError, DataWarning
from deabench.results.ranking import order_by_merit
from deabench.tables.transforms import shares_of_range
from deabench.utils.result import Result

if TYPE_CHECKING:
    from deabench.results.frontier import Frontier


@dataclass(frozen=True)
class Preference:
    """Which candidate to take of those not shown to be worse.

    Attributes
    ----------
    value : function of int
        The value of a candidate, by its row, of which the lowest is preferred.
    words : str
        What the preferred candidate has.
    """

    value: Callable[[int], Any]
    words: str

    @classmethod
    def of_column(cls, name: str, value: Callable[[int], Any], *, is_output: bool) -> Preference:
        """Prefer the highest value of an output, and the lowest of everything else."""
        if is_output:
            return cls(lambda row: -value(row), f"the highest value of '{name}'")
        return cls(value, f"the lowest value of '{name}'")


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Result):
    """Why a candidate of a search was chosen.

    Attributes
    ----------
    name : str
        The candidate.
    index : int
        Its row of `cv_results_`, or the number of its first trial.
    params : dict
        Its parameters.
    frame : DataFrame
        One row per candidate: outputs and inputs, `within_budget`, `compared` (it keeps to the
        budget and has all scores), `verdict`, `efficient` and `chosen`.
    outputs, inputs : tuple of str
        Columns of `frame` that are better high, and better low.
    sentences : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> choose = db.refit(["score"])
    >>> choose({"params": [{"C": 1}, {"C": 2}], "mean_test_score": [0.7, 0.8]})
    1
    >>> choose.report_.frame["efficient"].tolist()
    [False, True]
    """

    _frame = "frame"

    name: str
    index: int
    params: dict[str, Any]
    frame: pd.DataFrame
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    sentences: tuple[str, ...]

    def summary(self) -> str:
        """Say which candidate was chosen, of which, and why."""
        return " ".join(self.sentences)

    @property
    def frontier(self) -> Frontier:
        """The frontier of the candidates that were compared."""
        compared = self.frame.loc[self.frame["compared"], [*self.outputs, *self.inputs]]
        return frontier(compared, outputs=self.outputs, inputs=self.inputs)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the frontier of two metrics, with a ring around the chosen candidate.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **options
            Options of `FrontierDisplay.from_result`.

        Returns
        -------
        FrontierDisplay

        Raises
        ------
        DataError
            If there are more than two metrics.
        """
        display = self.frontier.plot(ax, **options)
        x, y = display.points.columns
        chosen_rows = self.frame.loc[self.frame["chosen"]]
        display.ax_.scatter(
            chosen_rows[x], chosen_rows[y], s=160, facecolors="none", edgecolors="black", zorder=5
        )
        return display


def choose_candidate(
    frame: pd.DataFrame,
    outputs: Sequence[str],
    inputs: Sequence[str],
    *,
    within_budget: np.ndarray,
    takes_part: np.ndarray,
    limits: str,
    preference: Preference | None,
    judge: Callable[[np.ndarray], list[str]],
    level: float,
) -> Choice:
    """Choose a candidate, and say why; `index` is its row, and `params` are left empty.

    Parameters
    ----------
    frame : DataFrame, n candidates x metrics
    outputs, inputs : sequence of str
        Columns that are better high, and better low.
    within_budget, takes_part : bool arrays, (n,)
        Who keeps to all limits; who, besides, is compared.
    limits : str
        The limits in words.
    preference : Preference or None
        What the user prefers; with None the efficient candidate with the largest sum of shares of
        ranges is chosen.
    judge : function
        Gives the verdicts on the rows that are compared, where a preference needs them.
    level : float
        Of the verdicts.

    Raises
    ------
    DataError
        If no candidate takes part.
    """
    if not takes_part.any():
        raise DataError(
            f"none of the {len(takes_part)} candidates has all scores and keeps to {limits}; "
            "widen it"
        )
    outputs, inputs = list(outputs), list(inputs)
    # Only who keeps to the budget and has all scores is compared.
    compared = frame.iloc[np.flatnonzero(takes_part)]
    rows = np.flatnonzero(takes_part)
    efficient, places = _rank_candidates(compared, outputs, inputs)
    verdicts = np.full(len(frame), None, dtype=object)
    if preference is None:
        best = int(rows[_largest_sum(compared, outputs, inputs, efficient)])
    else:
        # A preference decides among those that are not shown to be worse.
        verdicts[rows] = judge(rows)
        is_open = verdicts[rows] != "dominated"
        best = _preferred_row(preference.value, rows[is_open], places[is_open])
    # The report's table says of every candidate what was decided.
    decided = frame.copy()
    decided["within_budget"] = within_budget
    decided["compared"] = takes_part
    decided["verdict"] = verdicts
    decided["efficient"] = False
    decided.iloc[rows, decided.columns.get_loc("efficient")] = efficient
    decided["chosen"] = np.arange(len(frame)) == best
    name = str(frame.index[best])
    values = decided.loc[decided["chosen"], [*outputs, *inputs]].iloc[0]
    sentences = _describe_choice(name, values, decided, len(rows), preference, level)
    return Choice(name, best, {}, decided, tuple(outputs), tuple(inputs), tuple(sentences))


def _describe_choice(
    name: str,
    values: pd.Series,
    frame: pd.DataFrame,
    compared: int,
    preference: Preference | None,
    level: float,
) -> list[str]:
    """Say how many candidates took part, and why this one was taken."""
    outside = int((~frame["within_budget"]).sum())
    missing = len(frame) - outside - compared
    attained = ", ".join(f"{metric} {value:.4g}" for metric, value in values.items())
    sentences = [f"Of {len(frame)} candidates {name} is taken: {attained}."]
    if outside:
        sentences.append(f"Beyond the budget: {outside}.")
    if missing:
        sentences.append(f"Without all scores, or out of the race before the end: {missing}.")
    sentences.append(f"{int(frame['efficient'].sum())} of {compared} are efficient.")
    if preference is None:
        sentences.append(
            "It is the efficient one with the best sum of all metrics, each from its worst to its "
            "best value."
        )
        return sentences
    dominated = int((frame["verdict"] == "dominated").sum())
    sentences.append(
        f"Shown at {100 * level:g} % to be worse than a mix of others: {dominated}. Of the others "
        f"it has {preference.words}."
    )
    return sentences


def _rank_candidates(
    frame: pd.DataFrame, outputs: list[str], inputs: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return who is efficient, and the place of each by rank, both (n,)."""
    numbered = frame.set_axis([str(k) for k in range(len(frame))])
    # Who is efficient among mixes does not depend on where a metric is counted from: negative ones
    # are counted from below their least value.
    for name in outputs:
        values = numbered[name]
        if values.min() < 0:
            numbered[name] = values - values.min() + (np.ptp(values) or 1.0)
    with warnings.catch_warnings():
        # A search has many candidates for its metrics; that is no fault of the table.
        warnings.simplefilter("ignore", DataWarning)
        ranking = rank_completely(numbered, outputs=outputs, inputs=inputs)
    ranks = pd.Series(range(len(frame)), index=order_by_merit(ranking)).loc[numbered.index]
    return ranking.efficient.loc[numbered.index].to_numpy(dtype=bool), ranks.to_numpy()


def _largest_sum(
    frame: pd.DataFrame, outputs: list[str], inputs: list[str], efficient: np.ndarray
) -> int:
    """Return the efficient row with the largest sum of shares of each metric's range."""
    values = shares_of_range(frame[[*outputs, *inputs]], inputs).sum(axis=1).to_numpy().copy()
    values[~efficient] = -np.inf
    return int(values.argmax())


def _preferred_row(value: Callable[[int], Any], rows: np.ndarray, ranks: np.ndarray) -> int:
    """Return the row with the lowest preferred value; of equal ones the better ranked."""
    values = [value(int(row)) for row in rows]
    return int(rows[min(range(len(rows)), key=lambda k: (values[k], ranks[k]))])
