"""Which model suits a table, and what each would say of it, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from deabench.analysis.ranking import rank
from deabench.errors import DataError, DataWarning
from deabench.models import MODELS
from deabench.models.options import choices_of, resolve_options
from deabench.results.model import ANY_VALUES, Model
from deabench.results.ranking import Ranking
from deabench.tables.selection import Missing, SelectedTable, refuse_bounds, select_table
from deabench.tables.table import TableLike
from deabench.tables.transforms import Data
from deabench.tables.validation import validate
from deabench.utils.checks import did_you_mean
from deabench.utils.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Advice(Result):
    """What suits a table.

    Attributes
    ----------
    model : str
        The first choice.
    frame : DataFrame
        A row per model: `suits`, `why`, `measures`.
    scores : DataFrame
        Classifiers x the models that suit: what each says, with its default options.
    rankings : mapping of model to Ranking
        Where the scores come from.
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

    model: str
    frame: pd.DataFrame
    scores: pd.DataFrame
    rankings: Mapping[str, Ranking]
    notes: tuple[str, ...]

    def beside(self, name: object) -> pd.DataFrame:
        """What each model that suits says of one classifier, side by side.

        Returns
        -------
        DataFrame
            A row per model: `score`, `measure` (efficiencies are best high, inefficiencies at 0),
            `rank`, and what it `says`.

        Raises
        ------
        DataError
            Where there is no such classifier.
        """
        if name not in self.scores.index:
            raise DataError(
                f"there is no classifier '{name}' in the table; {did_you_mean(name, list(self.scores.index))}"
            )
        rows = {}
        for model, ranking in self.rankings.items():
            score = float(ranking.scores[name])
            says = ranking.options.meaning(score) if score == score else ranking.reasons[name]
            rows[model] = {
                "score": score,
                "measure": ranking.measure,
                "rank": ranking.ranks[name],
                "says": says,
            }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")

    def to_frame(self) -> pd.DataFrame:
        """See `frame`."""
        return self.frame

    def summary(self) -> str:
        """The first choice, why, and what to mind."""
        return " ".join(
            [
                f"Use model '{self.model}': {self.frame.loc[self.model, 'why']}.",
                *(f"{note[:1].upper()}{note[1:]}." for note in self.notes),
            ]
        )


def advise(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    missing: Missing = "refuse",
) -> Advice:
    """Which model suits a table and why, by its inputs, its values below 0, its zeros and its size.

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
    ready = select_table(
        table,
        outputs=outputs,
        inputs=inputs,
        missing=refuse_bounds(missing),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        data, below = _checked(ready)
        judged = {name: _judged(resolve_options(name), data, below) for name in MODELS}
        suited = [name for name, (suits, _) in judged.items() if suits]
        rankings = {name: rank(ready.as_table(), model=name) for name in suited}  # type: ignore[arg-type]
    frame = pd.DataFrame(
        [
            {"suits": suits, "why": why, "measures": MODELS[name].title}
            for name, (suits, why) in judged.items()
        ],
        index=pd.Index(list(judged), name="model"),
    )
    scores = pd.DataFrame({name: ranking.scores for name, ranking in rankings.items()})
    first = "rdm" if below else "ccr" if data.inputs.shape[1] else "wei"
    return Advice(first, frame, scores, rankings, (*ready.notes, *data.notes, *_minded(data)))


def _checked(ready: SelectedTable) -> tuple[Data, bool]:
    """The data, and whether only a model that does not depend on the origin can do with them:
    values are below 0.
    """
    try:
        return validate(ready), False
    except DataError:
        return validate(
            ready, allow=ANY_VALUES
        ), True  # whatever else is wrong is refused here again


def _judged(record: Model, data: Data, below: bool) -> tuple[bool, str]:
    """Whether a model suits, and why."""
    inputs = data.inputs.shape[1] > 0
    if below:
        fits = "negative outputs" in record.allows()
        return fits, "it stands values below 0" if fits else "it has no meaning for values below 0"
    if record.inputs == "needed" and not inputs:
        return False, "it needs an input"
    if inputs and record.name in ("wei", "score", "common"):
        return False, "with inputs it works on quotients, where whatever is cheap wins by any ratio"
    if inputs and record.inputs == "none":
        return False, "it takes outputs only, and the inputs would not count"
    if inputs and record.returns == "crs":
        return (
            True,
            "give returns 'vrs' where metrics do not scale with costs"
            if "vrs" in choices_of(record, "returns")
            else ("outputs are taken to scale with inputs"),
        )
    return (
        True,
        "inputs are held against outputs" if inputs else "there is no input, and none is needed",
    )


def _minded(data: Data) -> tuple[str, ...]:
    """What weakens any model on this table, and what helps."""
    n, k = len(data.labels), data.outputs.shape[1] + data.inputs.shape[1]
    notes = []
    if n < 3 * k:
        notes.append(
            f"{n} classifiers for {k} metrics leave most efficient; say what counts with ratios= or shares=, or compare "
            "under the weights of all with model 'cross'"
        )
    zero = data.outputs.columns[(data.outputs == 0).any()].tolist()
    if zero:
        notes.append(
            f"'{zero[0]}' is 0 for some: free weights can leave it out, and ratios= or shares= hold it in"
        )
    if not data.inputs.shape[1]:
        notes.append(
            "mixtures stand for drawing one of two classifiers at random; where that makes no sense use model 'fdh'"
        )
    return tuple(notes)
