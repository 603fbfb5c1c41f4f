"""Choose the candidate of a search by several metrics, costs and the spread of its folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank
from deabench.errors import DataError, DataWarning
from deabench.inference.samples.sample_set import Samples
from deabench.inference.uncertainty import uncertainty
from deabench.results.ranking import order_by_merit
from deabench.tables.readers.learners import name_candidate
from deabench.tables.transforms import shares_of_range
from deabench.utils.checks import did_you_mean, share
from deabench.utils.result import Result

Prefer = str | Callable[[Mapping[str, Any]], Any] | None
TEST = "mean_test_"


def refit(
    outputs: Sequence[str],
    *,
    inputs: Sequence[str] = (),
    within: Mapping[str, float] | None = None,
    prefer: Prefer = None,
    level: float = 0.95,
) -> Refit:
    """Make the `refit` of a search: it chooses one candidate by several metrics and costs.

    Parameters
    ----------
    outputs : sequence of str
        Names of the search's `scoring`, all better high: "roc_auc" stands for its column
        mean_test_roc_auc.
    inputs : sequence of str
        Columns of `cv_results_` that are better low, such as "mean_fit_time".
    within : mapping of name to limit, optional
        A budget: the greatest value of a cost, the least value of an output.
    prefer : str or function, optional
        Which candidate to take of those not shown to be worse: "simplest" (the lowest cost: the
        first of `inputs`, else mean_score_time), a column of `cv_results_` or a parameter, of
        which the lowest value is taken ("max_depth"), or a function of a candidate's row of
        `cv_results_` (a dictionary) whose lowest value is taken. Without it the efficient
        candidate with the largest sum of outputs and costs, each from its worst (0) to its best
        value (1).
    level : float in (0, 1)
        Level at which a candidate is shown to be worse: some mix of the others would beat it on
        new folds.

    Returns
    -------
    Refit
        Called with `cv_results_` it returns the index of the candidate, and keeps as `report_` why
        it was chosen.

    Raises
    ------
    DataError
        When it is called: if a metric or column is missing or nobody keeps to the budget.

    Notes
    -----
    Folds share training data, so Nadeau and Bengio's variance is used; see `Samples.from_search`.
    Candidates whose fits failed take no part.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import deabench as db
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> choose = db.refit(["recall", "roc_auc"], prefer="max_depth")
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(
    ...     tree, {"max_depth": [1, 2, 4, 8]}, scoring=["recall", "roc_auc"], refit=choose
    ... )
    >>> search.fit(X, y).best_params_
    {'max_depth': 1}
    >>> search.refit.report_.name
    'max_depth=1'
    """
    share("level", level)
    return Refit(tuple(outputs), tuple(inputs), dict(within or {}), prefer, level)


@dataclass(frozen=True, eq=False, repr=False)
class RefitReport(Result):
    """Why a candidate of a search was chosen.

    Attributes
    ----------
    name : str
        The candidate's parameters.
    index : int
        Its row of `cv_results_`.
    frame : DataFrame
        One row per candidate: outputs and inputs, `within_budget`, `efficient`, `verdict` and
        `chosen`; NaN and False for those that took no part.
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
    frame: pd.DataFrame
    sentences: tuple[str, ...]

    def summary(self) -> str:
        """Say which candidate was chosen, of which, and why."""
        return " ".join(self.sentences)


@dataclass
class Refit:
    """A callable for the `refit` of a search; made by `deabench.refit`.

    Attributes
    ----------
    outputs, inputs, within, prefer, level
        As for `deabench.refit`.
    report_ : RefitReport
        Why the candidate was chosen, once a search has called it: `search.refit.report_`.

    Examples
    --------
    >>> import deabench as db
    >>> db.refit(["score"])({"params": [{"C": 1}, {"C": 2}], "mean_test_score": [0.7, 0.8]})
    1
    """

    outputs: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    within: dict[str, float] = field(default_factory=dict)
    prefer: Prefer = None
    level: float = 0.95

    def __call__(self, results: Mapping[str, Any]) -> int:
        """Return the index of the candidate to refit.

        Parameters
        ----------
        results : mapping
            `cv_results_` of a search, or {name: cross_validate(...)} for several estimators.
        """
        results = _as_cv_results(results)
        outputs = [_find_column(results, name) for name in self.outputs]
        inputs = [_find_column(results, name) for name in self.inputs]
        frame = _candidates(results, [*outputs, *inputs])
        frame["within_budget"] = _keeps_to_budget(results, self.within, outputs)
        # Halving gives few data to the first candidates: only the last round is compared.
        is_last = np.asarray(results.get("iter", 0)) == np.max(results.get("iter", 0))
        has_scores = np.isfinite(frame[[*outputs, *inputs]].to_numpy(dtype=float)).all(axis=1)
        takes_part = has_scores & is_last & frame["within_budget"].to_numpy()
        rows = np.flatnonzero(takes_part)
        if not len(rows):
            raise DataError(
                f"none of the {len(frame)} candidates has all scores and keeps to the budget "
                f"{self.within}; widen it"
            )
        efficient, places = _rank_candidates(frame.iloc[rows], outputs, inputs)
        frame["verdict"] = pd.Series([None] * len(frame), index=frame.index, dtype=object)
        if self.prefer is None:
            best = int(rows[_best_sum(frame.iloc[rows], outputs, inputs, efficient)])
        else:
            verdicts = _verdicts(results, rows, outputs, inputs, self.level)
            frame.iloc[rows, frame.columns.get_loc("verdict")] = verdicts
            is_open = np.array([verdict != "dominated" for verdict in verdicts])
            best = self._preferred(results, rows[is_open], inputs, places[is_open])
        frame["efficient"] = False
        frame.iloc[rows, frame.columns.get_loc("efficient")] = efficient
        frame["chosen"] = np.arange(len(frame)) == best
        sentences = self._explain(frame, best, len(rows))
        self.report_ = RefitReport(str(frame.index[best]), best, frame, sentences)
        return best

    def _preferred(
        self, results: Mapping[str, Any], rows: np.ndarray, inputs: list[str], places: np.ndarray
    ) -> int:
        """Return the row with the lowest preferred value; of equal ones the better ranked."""
        keys = [self._preference(results, int(row), inputs) for row in rows]
        return int(rows[min(range(len(rows)), key=lambda k: (keys[k], places[k]))])

    def _preference(self, results: Mapping[str, Any], row: int, inputs: list[str]) -> Any:
        """Return the value of a candidate of which the lowest is preferred."""
        values = {name: column[row] for name, column in results.items()}
        if callable(self.prefer):
            return self.prefer(values)
        name = str(self.prefer)
        if name == "simplest":
            return values[inputs[0] if inputs else "mean_score_time"]
        for column in (name, f"param_{name}", f"{TEST}{name}"):
            if column in values:
                value = values[column]
                # None is how scikit-learn spells "without limit"; parameters may be masked.
                is_missing = value is None or value is np.ma.masked
                return float("inf") if is_missing else value
        raise DataError(
            f"prefer names '{name}', which is no column of cv_results_; "
            f"{did_you_mean(name, list(values))}"
        )

    def _explain(self, frame: pd.DataFrame, best: int, count: int) -> tuple[str, ...]:
        """Say how many candidates took part, and why this one was taken."""
        outside = int((~frame["within_budget"]).sum())
        missing = len(frame) - outside - count
        sentences = [f"Of {len(frame)} candidates {frame.index[best]} is taken."]
        if outside:
            sentences.append(f"Beyond the budget: {outside}.")
        if missing:
            sentences.append(f"Without all scores, or out of the race before the end: {missing}.")
        sentences.append(f"{int(frame['efficient'].sum())} of {count} are efficient.")
        if self.prefer is None:
            sentences.append(
                "It is the efficient one with the best sum of all metrics, each from its worst to "
                "its best value."
            )
            return tuple(sentences)
        words = "the function" if callable(self.prefer) else f"'{self.prefer}'"
        dominated = int((frame["verdict"] == "dominated").sum())
        sentences.append(
            f"Shown at {100 * self.level:g} % to be worse than a mix of others: {dominated}. Of "
            f"the others it has the lowest value of {words}. Folds share training data: that is "
            "right only if they are as alike as is assumed."
        )
        return tuple(sentences)


def _best_sum(
    frame: pd.DataFrame, outputs: list[str], inputs: list[str], efficient: np.ndarray
) -> int:
    """Return the efficient row with the largest sum of shares of each metric's range."""
    values = shares_of_range(frame[[*outputs, *inputs]], inputs).sum(axis=1).to_numpy().copy()
    values[~efficient] = -np.inf
    return int(values.argmax())


def _as_cv_results(results: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return `cv_results_`; results of `cross_validate` are laid out in that form."""
    if "params" in results:
        return results
    if not results or not all(isinstance(item, Mapping) for item in results.values()):
        raise DataError(
            "this is no cv_results_; give that of a search, or {name: cross_validate(...)}"
        )
    laid_out: dict[str, Any] = {"params": [str(name) for name in results]}
    first = next(iter(results.values()))
    for name, values in first.items():
        if not name.startswith("test_") and name not in ("fit_time", "score_time"):
            continue
        folds = np.array([np.asarray(item[name], dtype=float) for item in results.values()])
        laid_out[f"mean_{name}"] = folds.mean(axis=1)
        if name.startswith("test_"):
            laid_out |= {f"split{k}_{name}": folds[:, k] for k in range(len(values))}
    return laid_out


def _find_column(results: Mapping[str, Any], name: str) -> str:
    """Return the column of `cv_results_` that a name means."""
    for column in (f"{TEST}{name}", name):
        if column in results:
            return column
    known = [str(column).removeprefix(TEST) for column in results if TEST in str(column)]
    raise DataError(
        f"the search has no metric '{name}'; {did_you_mean(name, known)}; name it in scoring"
    )


def _candidates(results: Mapping[str, Any], columns: Sequence[str]) -> pd.DataFrame:
    """Return the columns of all candidates, named by their parameters."""
    names = pd.Index([name_candidate(params) for params in results["params"]], name="candidate")
    return pd.DataFrame(
        {name: np.asarray(results[name], dtype=float) for name in columns}, index=names
    )


def _keeps_to_budget(
    results: Mapping[str, Any], within: Mapping[str, float], outputs: Sequence[str]
) -> np.ndarray:
    """Return which candidates keep to all limits, (n,)."""
    keeps = np.ones(len(results["params"]), dtype=bool)
    for name, limit in within.items():
        column = _find_column(results, name)
        values = np.asarray(results[column], dtype=float)
        # Outputs are to be high, costs low; NaN keeps to no limit.
        keeps &= values >= limit if column in outputs else values <= limit
    return keeps


def _rank_candidates(
    frame: pd.DataFrame, outputs: list[str], inputs: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return who is efficient, and the place of each by rank, both (n,)."""
    numbered = frame.set_axis([str(k) for k in range(len(frame))])
    with warnings.catch_warnings():
        # A search has many candidates for its metrics; that is no fault of the table.
        warnings.simplefilter("ignore", DataWarning)
        ranking = rank(numbered, outputs=outputs, inputs=inputs)
    places = pd.Series(range(len(frame)), index=order_by_merit(ranking)).loc[numbered.index]
    return ranking.efficient.loc[numbered.index].to_numpy(dtype=bool), places.to_numpy()


def _verdicts(
    results: Mapping[str, Any],
    rows: np.ndarray,
    outputs: list[str],
    inputs: list[str],
    level: float,
) -> list[str]:
    """Return the verdict on each candidate that takes part, from the folds."""
    if len(rows) == 1:
        return ["undecided"]
    part = {name: np.asarray(column, dtype=object)[rows] for name, column in results.items()}
    # Names need not differ: halving tries a candidate again.
    part["params"] = [str(k) for k in range(len(rows))]
    samples = Samples.from_search(part, metrics=outputs)
    if inputs:
        samples = samples.with_costs(
            {name: pd.Series(part[name], index=part["params"], dtype=float) for name in inputs}
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        answer = uncertainty(samples, level=level).to_frame()
    return [str(verdict) for verdict in answer.loc[part["params"], "verdict"]]
