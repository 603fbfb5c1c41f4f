"""Rank the classifiers of a table by efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np

from deabench.analysis import missing_bounds
from deabench.errors import DataError
from deabench.models import ModelName, undefined
from deabench.models.options import ModelRequest, check_inputs
from deabench.results.answer import Answer, Task
from deabench.results.model import Model, Orientation, Returns
from deabench.results.ranking import Ranking
from deabench.streaming.files import is_multi_file
from deabench.tables.read import as_table
from deabench.tables.selection import Missing, SelectedTable, select_table
from deabench.tables.table import Table, TableLike
from deabench.tables.validation import check_same_units, validate
from deabench.utils.progress import progress

if TYPE_CHECKING:  # importing samples takes longer than ranking
    from deabench.inference.samples import Samples


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
