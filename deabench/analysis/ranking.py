"""Rank the classifiers of a table by efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.analysis import missing_bounds
from deabench.errors import DataError
from deabench.models import ModelName, undefined
from deabench.models.options import ModelRequest, check_inputs
from deabench.proofs import certify, structure
from deabench.proofs.ranking import proved_efficient
from deabench.report.text.ranking import explain_ranking, summarize_ranking
from deabench.results.answer import Answer, Task
from deabench.results.model import Model, Orientation, Returns
from deabench.results.proof import Proof
from deabench.streaming.files import is_multi_file
from deabench.tables.read import as_table
from deabench.tables.selection import Missing, SelectedTable, select_table
from deabench.tables.table import Table, TableLike
from deabench.tables.transforms import to_user_values
from deabench.tables.validation import check_same_units, validate
from deabench.utils.progress import progress
from deabench.utils.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from deabench.inference.samples import Samples
    from deabench.inference.uncertainty import Uncertainty
    from deabench.plot import RankingDisplay

DECIMALS = 9
"""Scores and slacks that agree to so many decimals are tied."""


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Answer, Result):
    """Efficiencies with everything that explains and proves them.

    Attributes
    ----------
    scores, slacks, weights, intensities, efficient, data, reference, options, frontier, reasons,
    path, tables
        See `deabench.results.answer.Answer`. For a radial model 1 is on the frontier, below 1 inside
        it, above 1 outside the reference.
    notes : tuple of str
        What was done to the data, chosen or not proved, as sentences.
    bounds : DataFrame or None
        `lower` and `upper` of each score over all completions of the table's empty cells, where
        missing="bounds" asked for them.
    uncertainty : Uncertainty, optional
        How sure the scores are, where samples were given.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> ranking = db.rank(wine, outputs=["TPR", "TNR"])
    >>> ranking.to_frame().round(3).iloc[-1].to_dict()
    {'efficiency': 0.77, 'rank': 6, 'efficient': False}
    >>> print(ranking.explain("OSS+SVM").splitlines()[0])
    OSS+SVM is not efficient (efficiency 0.9084, rank 5 of 6): every output could grow by 10.1 %
    together."""

    notes: tuple[str, ...]
    bounds: pd.DataFrame | None = None
    uncertainty: Uncertainty | None = None

    @property
    def model(self) -> str:
        """The model, its equation, and the path that solved it."""
        return f"{self.options.name} {self.options.equation}, {self.path}"

    @property
    def measure(self) -> str:
        """ "efficiency" (1 is best) or "inefficiency" (0 is best)."""
        return str(self.options.measure)

    @cached_property
    def undecided(self) -> pd.Series:
        """Which DMUs are neither proved efficient nor proved inefficient, within
        `deabench.utils.arrays.TOLERANCE`; they are not called efficient.
        """
        undecided: Any = False
        if self.slack_weights is not None:
            undecided = proved_efficient(self, self.slack_weights)[1]
        return pd.Series(undecided, index=self.scores.index, name="undecided")

    @cached_property
    def ranks(self) -> pd.Series:
        """1 is best. Of equal scores the Pareto-efficient come first, then those with less slack;
        what still ties shares the best of its ranks.
        """
        keys = self._keys()
        place = np.lexsort(keys)
        new = np.ones(len(place), dtype=bool)
        new[1:] = np.any([np.diff(key[place]) != 0 for key in keys], axis=0)
        ranks = np.empty(len(place), dtype=np.int64)
        ranks[place] = np.maximum.accumulate(np.where(new, np.arange(1, len(place) + 1), 0))
        return pd.Series(ranks, index=self.scores.index, dtype="Int64", name="rank").mask(
            self.scores.isna()
        )

    def _keys(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What orders the DMUs, the lowest first; the last key matters most."""
        sign = 1.0 if self.measure == "inefficiency" else -1.0
        unit = np.append(self.data.outputs.abs().max(), self.data.inputs.abs().max())
        left = (self.slacks.to_numpy() / np.where(unit > 0, unit, 1.0)).sum(axis=1)
        score = np.nan_to_num(sign * self.scores.to_numpy().round(DECIMALS), nan=np.inf)
        return (
            np.nan_to_num(left).round(DECIMALS),
            (~self.efficient.to_numpy(dtype=bool)).astype(np.int8),
            score,
        )

    @cached_property
    def peers(self) -> pd.DataFrame:
        """λ, DMU x reference DMU; the reference DMUs that are nobody's peer are left out, zeros are
        not stored.
        """
        return self.intensities.frame(self.scores.index, self.reference.labels)

    @cached_property
    def projections(self) -> pd.DataFrame:
        """Where each DMU would be efficient: the combination of its peers, in the user's own
        metrics.
        """
        return to_user_values(certify.projections(self), self.data.transforms)

    @cached_property
    def actual(self) -> pd.DataFrame:
        """The metrics of each DMU in the user's own units and directions: outputs, then inputs
        (quotients for model (5)).
        """
        return to_user_values(self.data.outputs.join(self.data.inputs), self.data.transforms)

    @cached_property
    def certificate(self) -> pd.DataFrame:
        """The proof of every score, recomputed from this result's own numbers: see
        `deabench.certify`.
        """
        return self.proof().frame

    def proof(self) -> Proof:
        """The certificate with what each claim of this result misses.

        Raises
        ------
        DataError
            Where the model has no certificate.
        """
        if self.options.has_certificate:
            structure.check_ranking(self)
        return structure.complete_proof(self, self.options.prove(self))

    def to_frame(self) -> pd.DataFrame:
        """`efficiency` (or `inefficiency`), `rank`, `efficient`, best first; of equal ranks in the
        table's order.

        Where floating point leaves open whether some are efficient, `undecided` says of whom; these
        are not called efficient. With samples also `lower`, `upper`, `verdict`, `best_rank`,
        `worst_rank` and `tier`."""
        frame = pd.DataFrame(
            {self.measure: self.scores, "rank": self.ranks, "efficient": self.efficient}
        )
        if self.undecided.any():
            frame["undecided"] = self.undecided
        frame = frame if self.bounds is None else frame.join(self.bounds)
        if self.uncertainty is not None:
            beside = self.uncertainty.to_frame().drop(columns="score")
            frame[list(beside.columns)] = beside.loc[
                [str(label) for label in frame.index]
            ].to_numpy()
            frame = frame.astype(dict(zip(beside.columns, beside.dtypes, strict=True)))
        frame.index.name = "classifier"
        return frame.sort_values("rank", kind="stable")

    def summary(self) -> str:
        """Who is efficient, who is not and by how much, and what was assumed; with samples, how
        sure that is.
        """
        said = summarize_ranking(self)
        return said if self.uncertainty is None else f"{said}\n{self.uncertainty.summary()}"

    def explain(self, name: object) -> str:
        """One classifier's story: efficient or not, its peers, what it would have to gain, on which
        weights its score rests.

        Parameters
        ----------
        name : label of the table

        Raises
        ------
        DataError
            Where there is no such label.
        """
        said = explain_ranking(self, name)
        return (
            said if self.uncertainty is None else f"{said}\n{self.uncertainty.explain(str(name))}"
        )

    def with_uncertainty(self, samples: Samples) -> Ranking:
        """The same ranking with how sure it is.

        Parameters
        ----------
        samples : Samples
            Of the same classifiers and metrics; see `deabench.Samples`.

        Raises
        ------
        DataError
            Where they are of other classifiers, metrics or numbers, or the model has no intervals.
        """
        from deabench.inference.uncertainty import uncertainty_of_ranking

        return replace(self, uncertainty=uncertainty_of_ranking(self, samples))

    def plot(self, ax: Axes | None = None) -> RankingDisplay:  # type: ignore[override]
        """Draw the scores; see `deabench.plot.RankingDisplay`."""
        from deabench.plot import RankingDisplay

        return RankingDisplay.from_result(self).plot(ax=ax)


def rank(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    model: ModelName | Model | None = None,
    returns: Returns | None = None,
    orientation: Orientation | None = None,
    reference: TableLike | None = None,
    missing: Missing = "refuse",
    uncertainty: Samples | None = None,
    strict: bool = False,
) -> Ranking:
    """Rank classifiers by their efficiency: how near each comes to the best trade-off that the
    others reach.

    Parameters
    ----------
    table : TableLike
        Classifiers in rows, metrics in columns.
    outputs, inputs : sequences of column names, optional
        Metrics to be high, and costs. Without them the columns' names decide, as `deabench.read`
        shows.
    model : str or Model, optional
        A name of `deabench.models.MODELS`, each with its limits in docs/models.md, or a model with
        its options, as `deabench.models.DDF(direction="range")`. Without it "wei" where there is no
        input, and "ccr" with returns "vrs" where there is one: rates do not scale with costs.
    returns : {"crs", "vrs", "nirs", "ndrs"}, optional
        Which multiples and mixtures of DMUs count as possible; the model's default without it.
    orientation : {"output", "input", "none"}, optional
        What is to change: outputs, inputs, or both.
    reference : as `table`, optional
        The DMUs that span the frontier; the table itself without it.
    missing : {"refuse", "drop-systems", "drop-metrics", "bounds"}
        What happens to empty cells; "bounds" gives each score between its worst and its best
        completion inside the metrics' ranges.
    strict : bool
        Refuse to guess what a column of an unknown name is.
    uncertainty : Samples, optional
        What the table was made of; the ranking then says how sure it is. Known without inputs, and
        with inputs for model "ccr" with returns "vrs" or "crs".
    Returns
    -------
    Ranking

    Raises
    ------
    DataError
        Where the data cannot be used; by row, column and value, before anything is solved.
    SolveError
        Where a solve does not end optimal.

    Notes
    -----
    A score of .97 says that every output could grow by 3.1 % together (1/.97 = 1.031) before the
    mix of others that is best for this classifier is reached. Slacks are those of the largest Σ
    slack / (maximum of the metric in the reference).

    Examples
    --------
    >>> import deabench as db
    >>> table = db.datasets.load("chao2022-outliers")
    >>> db.rank(table, inputs=["TNR"], model="wei").scores.round(3).tolist()
    [1.0, 0.895, 0.745, 0.735, 0.71, 0.605, 0.5]
    """
    if is_multi_file(table):
        raise DataError(
            f"'{table}' is many files, and their scores go to a file; "
            "use deabench.rank_files(files, 'scores.parquet')"
        )
    request = ModelRequest(model, returns, orientation)
    selected = select_table(
        table,
        outputs=outputs,
        inputs=inputs,
        missing=missing,
        strict=strict,
    )
    reference_table = None if reference is None else as_table(reference)
    ranking = rank_selected(selected, request, reference_table, bounded=missing == "bounds")
    return ranking if uncertainty is None else ranking.with_uncertainty(uncertainty)


def rank_selected(
    selected: SelectedTable,
    request: ModelRequest,
    reference_table: Table | None = None,
    *,
    bounded: bool = False,
) -> Ranking:
    """Rank a table whose metrics are selected.

    Parameters
    ----------
    selected : SelectedTable
    request : ModelRequest
        The model with its options, or nothing.
    reference_table : Table, optional
        The DMUs that span the frontier; the table itself without it.
    bounded : bool
        Whether empty cells are bounded instead of refused.
    """
    if not bounded:
        return _rank_complete(selected, request, reference_table)
    worst_case, _ = missing_bounds.completed(selected)
    ranking = _rank_complete(worst_case, request, reference_table)
    if ranking.measure != "efficiency" or reference_table is not None:
        raise DataError(
            "missing='bounds' bounds efficiencies of a table that is its own reference; "
            "say missing='drop-systems'"
        )
    bounds = missing_bounds.bounds(
        selected, lambda completion: _rank_complete(completion, request, None).scores
    )
    return replace(ranking, bounds=bounds, notes=(*ranking.notes, missing_bounds.said(bounds)))


def _rank_complete(
    selected: SelectedTable,
    request: ModelRequest,
    reference_table: Table | None,
) -> Ranking:
    """Rank a table without empty cells."""
    # Which metrics are inputs is known after validation: signs of some are turned there.
    allowed = request.resolve(has_inputs=True).allows()
    if reference_table is None:
        data = validate(selected, allow=allowed)
        reference = data
    else:
        spanning = selected.with_table(reference_table)
        data = validate(selected, allow=allowed, other_table=spanning.frame)
        check_same_units(selected.frame, spanning.frame, selected.outputs)
        reference = validate(spanning, warn=False, allow=allowed, other_table=selected.frame)
    options = request.resolve(has_inputs=bool(data.inputs.shape[1]))
    check_inputs(options, data)
    options = options.with_checked_options(options.prepare(data))
    task = Task(data, reference, options, own_reference=reference_table is None)
    with progress("rank", len(data.labels)) as advance:
        answer = undefined.solve(task, advance)
    notes = (
        *answer.data.notes,
        *selected.notes,
        *request.default_note(data),
        *_weak_points(answer),
    )
    return Ranking(
        **{declared.name: getattr(answer, declared.name) for declared in fields(Answer)},
        notes=notes,
    )


def _weak_points(answer: Answer) -> tuple[str, ...]:
    """What a reader of the scores should know: a metric of 0 at the top, scores without a proof."""
    notes = []
    outputs = answer.data.outputs
    zero = answer.efficient.to_numpy()[:, None] & (outputs.to_numpy() == 0)
    for k, r in np.argwhere(zero)[:3]:
        notes.append(
            f"'{outputs.index[k]}' is efficient although its '{outputs.columns[r]}' is 0: "
            "weights may leave a metric out"
        )
    if not answer.options.has_certificate:
        notes.append(
            f"model '{answer.options.name}' has no certificate: its scores are the solver's word"
        )
    return tuple(notes)
