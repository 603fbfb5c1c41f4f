"""`deabench curve --kind learning`: a classifier of scikit-learn against the number of its training
rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from deabench.cli._io import say
from deabench.errors import DataError
from deabench.utils.checks import did_you_mean


def learn(frame: pd.DataFrame, learner: str, start: int, plot: Path | None) -> pd.DataFrame:
    """The learning curve of `learner` on the features of the file, by five stratified folds; a row
    per training size.
    """
    from deabench import curves

    if "y_true" not in frame.columns:
        raise DataError(
            f"there is no column 'y_true'; {did_you_mean('y_true', list(frame.columns))}"
        )
    features = frame.drop(columns="y_true")
    for name, column in features.items():
        if not pd.api.types.is_numeric_dtype(column) or column.isna().any():
            raise DataError(f"the feature '{name}' is not a number in every row; encode or fill it")
    if features.empty:
        raise DataError("there is no feature beside 'y_true'; add columns of numbers")
    schedule = curves.geometric(start, 2.0, tolerance=None)
    curve = curves.learning_curve(
        _named(learner), features.to_numpy(), frame["y_true"].to_numpy(), schedule=schedule
    )
    if plot is not None:
        from deabench.plot.canvas import save_figure
        from deabench.plot.curves import LearningCurveDisplay

        save_figure(LearningCurveDisplay(curve).plot().figure_, plot)
    say("balanced accuracy, mean over five folds")
    return curve.means


def _named(learner: str) -> Any:
    """A classifier of scikit-learn that needs no argument, by its name."""
    from sklearn.utils import all_estimators

    known = dict(all_estimators(type_filter="classifier"))
    if learner not in known:
        hint = did_you_mean(learner, sorted(known))
        raise DataError(
            f"there is no classifier '{learner}' in scikit-learn; "
            f"{hint if len(hint) < 100 else 'name one, as GaussianNB or LogisticRegression'}"
        )
    try:
        made = known[learner]()
        return made.set_params(random_state=0) if "random_state" in made.get_params() else made
    except TypeError:
        raise DataError(
            f"'{learner}' needs another estimator inside; name one that stands alone, as GaussianNB"
        ) from None
