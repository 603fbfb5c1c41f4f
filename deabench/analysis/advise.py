"""Advise which model suits a table, and compare what each model says of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank_selected
from deabench.errors import DataError, DataWarning
from deabench.models import MODELS
from deabench.models.options import ModelRequest, build_options, choices_of
from deabench.results.model import ANY_VALUES, Model
from deabench.results.ranking import Ranking
from deabench.tables.selected_table import Missing, SelectedTable, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.tables.transforms import Data
from deabench.tables.validation import validate
from deabench.utils.checks import did_you_mean
from deabench.utils.result import Result

ROWS_PER_METRIC = 3
"""With fewer classifiers per metric most of them are efficient."""
QUOTIENT_MODELS = ("wei", "score", "common")
"""Models that divide outputs by inputs if there are inputs."""


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Result):
    """The models that suit a table, with their scores.

    Attributes
    ----------
    model : str
        The first choice.
    frame : DataFrame
        A row per model: `suits`, `why`, `measures`.
    scores : DataFrame
        Classifiers x the models that suit: the scores with default options.
    rankings : mapping of model to Ranking
        The rankings that have the scores.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> advice = db.advise(wine, outputs=["TPR", "TNR"])
    >>> advice.model
    'wei'
    >>> list(advice.frame.index[:3])
    ['wei', 'score', 'ccr']
    """

    _frame = "frame"
    _text = "ranking"

    model: str
    frame: pd.DataFrame
    scores: pd.DataFrame
    rankings: Mapping[str, Ranking]
    notes: tuple[str, ...]

    def compare_models(self, name: object) -> pd.DataFrame:
        """Compare what the models that suit say of one classifier.

        Parameters
        ----------
        name : label of the table

        Returns
        -------
        DataFrame
            A row per model: `score`, `measure` ("efficiency", where 1 is best, or "inefficiency",
            where 0 is best), `rank`, and what the score `says`.

        Raises
        ------
        DataError
            If there is no such classifier.
        """
        if name not in self.scores.index:
            hint = did_you_mean(name, list(self.scores.index))
            raise DataError(f"there is no system '{name}' in the table; {hint}")
        rows = {}
        for model, ranking in self.rankings.items():
            score = float(ranking.scores[name])
            has_score = not np.isnan(score)
            rows[model] = {
                "score": score,
                "measure": ranking.measure,
                "rank": ranking.ranks[name],
                "says": ranking.meaning(name) if has_score else ranking.reasons[name],
            }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")


def advise(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    missing: Missing = "refuse",
) -> Advice:
    """Advise which model suits a table, by its inputs, its values below 0, its zeros and its size.

    Parameters
    ----------
    table, outputs, inputs, missing
        As for `deabench.rank`; values may be below 0.

    Returns
    -------
    Advice

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> advice = db.advise(wine, outputs=["TPR", "TNR"])
    >>> advice.model, advice.scores.loc["RBF", ["wei", "fdh"]].round(3).to_dict()
    ('wei', {'wei': 0.77, 'fdh': 0.77})
    """
    selected = select_table(table, outputs=outputs, inputs=inputs, missing=refuse_bounds(missing))
    rows = {}
    rankings = {}
    with warnings.catch_warnings():
        # Each model would repeat the same warnings of weak data.
        warnings.simplefilter("ignore", DataWarning)
        data, has_negative = _validate_any_values(selected)
        for name in MODELS:
            suits, why = _judge_model(build_options(name, {}), data, has_negative)
            if selected.given and name != "ccr":
                suits, why = False, "it has no form for columns that are given"
            rows[name] = {"suits": suits, "why": why, "measures": MODELS[name].title}
            if suits:
                returns = "vrs" if selected.given else None
                rankings[name] = rank_selected(selected, ModelRequest(name, returns))
    # The field's own default; values below 0 need a model that does not depend on the origin.
    first_choice = "ccr" if data.inputs.shape[1] else "wei"
    if has_negative:
        first_choice = "rdm"
    return Advice(
        model=first_choice,
        frame=pd.DataFrame.from_dict(rows, orient="index").rename_axis("model"),
        scores=pd.DataFrame({name: ranking.scores for name, ranking in rankings.items()}),
        rankings=rankings,
        notes=(*selected.notes, *data.notes, *_data_remarks(data)),
    )


def _validate_any_values(selected: SelectedTable) -> tuple[Data, bool]:
    """Return the data, and whether only translation-invariant models can use them.

    Such models do not depend on the origin, so values may be below 0.
    """
    try:
        return validate(selected), False
    except DataError:
        # Any other fault of the data is refused here again.
        return validate(selected, allow=ANY_VALUES), True


def _judge_model(model: Model, data: Data, has_negative: bool) -> tuple[bool, str]:
    """Return whether a model suits the data, and why."""
    has_inputs = data.inputs.shape[1] > 0
    if has_negative and "negative outputs" in model.allows():
        return True, "it does not depend on the origin, so values may be below 0"
    if has_negative:
        return False, "it has no meaning for values below 0"
    if model.inputs == "needed" and not has_inputs:
        return False, "it needs an input"
    if not has_inputs:
        return True, "there is no input, and none is needed"
    if model.name in QUOTIENT_MODELS:
        return False, "with inputs it works on quotients, where whatever is cheap wins by any ratio"
    if model.inputs == "none":
        return False, "it takes outputs only, and the inputs would not count"
    if model.returns != "crs":
        return True, "inputs are compared with outputs"
    if "vrs" in choices_of(model, "returns"):
        return True, "give returns 'vrs' where metrics do not scale with costs"
    return True, "outputs are taken to scale with inputs"


def _data_remarks(data: Data) -> tuple[str, ...]:
    """Return what weakens every model on these data, and what helps."""
    rows = len(data.labels)
    metrics = data.outputs.shape[1] + data.inputs.shape[1]
    remarks = []
    if rows < ROWS_PER_METRIC * metrics:
        remarks.append(
            f"{rows} systems for {metrics} metrics leave most efficient; restrict the weights "
            "with ratios= or shares=, or compare under the weights of all with model 'cross'"
        )
    # A zero can be left out by free weights, and mixtures need a meaning.
    columns_with_zero = data.outputs.columns[(data.outputs == 0).any()].tolist()
    if columns_with_zero:
        remarks.append(
            f"'{columns_with_zero[0]}' is 0 for some systems: free weights can leave it out; "
            "ratios= or shares= keep it in"
        )
    if not data.inputs.shape[1]:
        remarks.append(
            "mixtures stand for drawing one of two systems at random; where that makes no "
            "sense use model 'fdh'"
        )
    return tuple(remarks)
