"""Choose the candidate of a search by several metrics, costs and the spread of its folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.inference.samples.sample_set import Samples
from deabench.inference.uncertainty import uncertainty
from deabench.integrations.choice import Preference, choose_candidate
from deabench.tables.readers.learners import name_candidate
from deabench.utils.checks import did_you_mean, share

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
        first of `inputs`, else mean_score_time), one of `outputs`, of which the highest value is
        taken, another column of `cv_results_` or a parameter, of which the lowest value is taken
        ("max_depth"), or a function of a candidate's row of `cv_results_` (a dictionary) whose
        lowest value is taken. Without it the efficient candidate with the largest sum of outputs
        and costs, each from its worst (0) to its best value (1).
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


@dataclass
class Refit:
    """A callable for the `refit` of a search; made by `deabench.refit`.

    Attributes
    ----------
    outputs, inputs, within, prefer, level
        As for `deabench.refit`.
    report_ : Choice
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
        within_budget = _keeps_to_budget(results, self.within, outputs)
        # Halving gives few data to the first candidates: only the last round is compared.
        is_last = np.asarray(results.get("iter", 0)) == np.max(results.get("iter", 0))
        has_scores = np.isfinite(frame[[*outputs, *inputs]].to_numpy(dtype=float)).all(axis=1)
        takes_part = has_scores & is_last & within_budget
        prefer = self.prefer
        if prefer == "simplest":
            prefer = inputs[0] if inputs else "mean_score_time"
        choice = choose_candidate(
            frame,
            outputs,
            inputs,
            within_budget=within_budget,
            takes_part=takes_part,
            limits=f"the budget {self.within}",
            preference=_preference(prefer, results, outputs),
            judge=partial(_verdicts, results, outputs, inputs, self.level),
            level=self.level,
        )
        sentences = choice.sentences
        if self.prefer is not None:
            sentences += (
                "Folds share training data: that is right only if they are as alike as is assumed.",
            )
        params = _as_parameters(results["params"][choice.index])
        self.report_ = replace(choice, params=params, sentences=sentences)
        return choice.index


def _preference(
    prefer: Prefer, results: Mapping[str, Any], outputs: Sequence[str]
) -> Preference | None:
    """Return what the user prefers."""
    if prefer is None:
        return None
    if callable(prefer):
        return Preference(
            lambda row: prefer({name: column[row] for name, column in results.items()}),
            "the lowest value of the function",
        )
    for column in (prefer, f"param_{prefer}", f"{TEST}{prefer}"):
        if column in results:
            value = partial(_limit_value, results[column])
            return Preference.of_column(prefer, value, is_output=column in outputs)
    raise DataError(
        f"prefer names '{prefer}', which is no column of cv_results_; "
        f"{did_you_mean(prefer, list(results))}"
    )


def _limit_value(column: Any, row: int) -> Any:
    """Return a candidate's value; None, which is how scikit-learn spells "no limit", is highest."""
    value = column[row]
    return float("inf") if value is None or value is np.ma.masked else value


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
    metric_names = [str(column).removeprefix(TEST) for column in results if TEST in str(column)]
    raise DataError(
        f"the search has no metric '{name}'; {did_you_mean(name, metric_names)}; name it in scoring"
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


def _as_parameters(params: Any) -> dict[str, Any]:
    """Return a candidate's parameters; an estimator of `cross_validate` has its name alone."""
    return dict(params) if isinstance(params, Mapping) else {}


def _verdicts(
    results: Mapping[str, Any],
    outputs: list[str],
    inputs: list[str],
    level: float,
    rows: np.ndarray,
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
