"""Rank the classifiers of a table by efficiency."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from deabench.analysis import missing_bounds
from deabench.analysis.ties import describe_tie
from deabench.errors import DataError, SolveError, TimeLimitError
from deabench.models import ModelName
from deabench.models.options import (
    ModelRequest,
    TableFacts,
    check_given_metrics,
    check_inputs,
    choices_of,
)
from deabench.models.shared.gate import solve_proved
from deabench.proofs.reasons import NO_OUTPUT
from deabench.results.answer import (
    NOT_COMPUTED,
    Answer,
    Task,
    join_answers,
    order_reasons,
    take_data_rows,
    take_task_rows,
)
from deabench.results.model import Advance, Model, Orientation, Returns
from deabench.results.ranking import Ranking
from deabench.streaming.files import is_multi_file
from deabench.tables.read import as_table
from deabench.tables.selected_table import Missing, SelectedTable
from deabench.tables.selection import select_table
from deabench.tables.table import Table, TableLike
from deabench.tables.transforms import Data, add_constant_output, hold_given
from deabench.tables.validation import check_same_units, validate
from deabench.utils.arrays import Sparse, row_any
from deabench.utils.progress import progress, seconds_left

MAX_INTERVALS = 1000
"""With more systems their intervals take much longer than their ranks."""
MAX_NAMED_ZEROS = 3
"""Notes name so many efficient systems that have a metric of 0."""
PART_WORK = 100_000
"""Rows times squared metrics that are solved together under a time limit ..."""
MAX_PARTS = 20
"""... in at most so many parts."""
MAX_METRICS_OF_FACETS = 6

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
    """Rank classifiers by efficiency: how close each comes to the trade-offs that others reach.

    Parameters
    ----------
    table : TableLike
        Classifiers in rows, metrics in columns.
    outputs, inputs : sequences of column names, optional
        Metrics to be high, and costs. Default: as the columns' names tell; `deabench.read` shows
        how each column is interpreted.
    model : str or Model, optional
        A name of `deabench.models.MODELS`, each with its limits in docs/models.md, or a model with
        its options, as `deabench.models.DDF(direction="range")`. Default: "wei" without inputs, and
        "ccr" with returns "vrs" with inputs, because rates do not scale with costs.
    returns : {"crs", "vrs", "nirs", "ndrs"}, optional
        Which multiples and mixtures of DMUs are possible. Default: that of the model.
    orientation : {"output", "input", "none"}, optional
        What may change: outputs, inputs, or both. Default: that of the model.
    reference : as `table`, optional
        The DMUs that span the frontier. Default: the table itself.
    missing : {"refuse", "drop-systems", "drop-metrics", "bounds"}
        What to do with empty cells; "bounds" gives each score between its worst and its best
        completion inside the metrics' ranges.
    uncertainty : Samples, optional
        The test results that the table was computed from; the ranking then has intervals and
        verdicts. Possible without inputs, and with inputs for model "ccr" with returns "vrs" or
        "crs".
    strict : bool
        Refuse to guess what a column of an unknown name measures.

    Returns
    -------
    Ranking

    Raises
    ------
    DataError
        If the data cannot be used: names the row, column and value, before anything is solved.
    SolveError
        If a solve does not end optimal.

    Notes
    -----
    A score of .97 means that every output could grow by 3.1 % together (1/.97 = 1.031) up to the
    best mixture of others for this classifier. Slacks are those of the largest Σ slack / (maximum
    of the metric in the reference).

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
    selected = select_table(table, outputs=outputs, inputs=inputs, missing=missing, strict=strict)
    reference_table = None if reference is None else as_table(reference, selected.metrics)
    ranking = rank_selected(
        selected,
        request,
        reference_table,
        bounded=missing == "bounds",
        keeps_partial=uncertainty is None,
    )
    if uncertainty is not None:
        return ranking.with_uncertainty(uncertainty)
    return with_own_uncertainty(ranking, selected.table)


def rank_completely(table: TableLike, **options: Any) -> Ranking:
    """Rank as `rank` does, but raise an error where the time limit leaves a part only."""
    ranking = rank(table, **options)
    if ranking.is_partial:
        raise TimeLimitError(ranking.notes[-1])
    return ranking


def with_own_uncertainty(ranking: Ranking, table: Table) -> Ranking:
    """Return a ranking with intervals and verdicts, where its table has samples or error bars.

    A note says why there are none where the samples or the model have no intervals.
    """
    if table.rows is None and not table.error_bars:
        return ranking
    # Importing samples takes longer than ranking.
    from deabench.inference.samples.from_tables import samples_of_data

    if len(ranking.data.labels) > MAX_INTERVALS:
        note = f"no intervals: there are more than {MAX_INTERVALS} systems; deabench.uncertainty"
        return replace(ranking, notes=(*ranking.notes, f"{note} computes them"))
    try:
        return ranking.with_uncertainty(samples_of_data(table, ranking.data))
    except (DataError, SolveError) as error:
        # Two folds have draws beyond the range of floats.
        return replace(ranking, notes=(*ranking.notes, f"no intervals: {error}"))


def rank_selected(
    selected: SelectedTable,
    request: ModelRequest,
    reference_table: Table | None = None,
    *,
    bounded: bool = False,
    keeps_partial: bool = False,
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
    keeps_partial : bool
        Whether the ranking may have the scores alone that were computed before the time limit.
    """
    if not bounded:
        return _rank_complete(selected, request, reference_table, keeps_partial=keeps_partial)
    worst_case, _ = missing_bounds.complete_cells(selected)
    ranking = _rank_complete(worst_case, request, reference_table)
    if ranking.measure != "efficiency" or reference_table is not None:
        raise DataError(
            "missing='bounds' bounds efficiencies of a table that is its own reference; "
            "pass missing='drop-systems'"
        )
    if ranking.options.monotone != "metrics":
        raise DataError(
            f"missing='bounds' bounds scores that never fall where a metric gets better, and those "
            f"of model '{ranking.options.name}' can; take model 'wei', 'ccr' or 'fdh', or pass "
            "missing='drop-systems'"
        )
    bounds = missing_bounds.bound_scores(
        selected, lambda completion: _rank_complete(completion, request, None).scores
    )
    notes = (*ranking.notes, missing_bounds.describe_bounds(bounds))
    return replace(ranking, bounds=bounds, notes=notes)


def _rank_complete(
    selected: SelectedTable,
    request: ModelRequest,
    reference_table: Table | None,
    *,
    keeps_partial: bool = False,
) -> Ranking:
    """Rank a table without empty cells."""
    facts = _describe_selected(selected)
    allowed = request.resolve(facts).allows()
    # Without a reference of its own the table is compared with itself.
    if reference_table is None:
        data = validate(selected, allow=allowed)
        reference = data
    else:
        spanning = selected.with_table(reference_table)
        data = validate(selected, allow=allowed, other_table=spanning.frame)
        check_same_units(selected.frame, spanning.frame, selected.outputs)
        reference = validate(spanning, warn=False, allow=allowed, other_table=selected.frame)
    facts = replace(
        facts,
        has_inputs=bool(data.inputs.shape[1]) or bool(selected.given),
        has_outputs=not set(data.outputs) <= set(selected.given),
    )
    # Signs are known now, and with them which options the model takes.
    options = request.resolve(facts)
    if selected.given:
        check_given_metrics(options, selected.given, data)
        data = hold_given(data, selected.given, options.orientation)
        reference = hold_given(reference, selected.given, options.orientation)
    data = add_constant_output(data)
    reference = add_constant_output(reference)
    check_inputs(options, data)
    options = options.with_checked_options(options.prepare(data))
    # Solve all DMUs; a time limit may leave some of them open.
    task = Task(data, reference, options, own_reference=reference_table is None)
    with progress("rank", len(data.labels)) as advance:
        answer, time_note = _solve_task(task, advance, keeps_partial=keeps_partial)
    notes = (
        *answer.data.notes,
        *selected.notes,
        *request.describe_defaults(options, data),
        *_describe_limits(answer),
    )
    answer_fields = {field.name: getattr(answer, field.name) for field in fields(Answer)}
    ranges = {name: selected.range_of(name) for name in selected.metrics}
    # Ranges of metrics, as 0 to 1, are kept where one of their ends is finite.
    limited = {name: limits for name, limits in ranges.items() if np.isfinite(limits).any()}
    ranking = Ranking(**answer_fields, notes=notes, ranges=limited)
    if ranking.is_partial:
        return replace(ranking, notes=(*notes, *time_note))
    return replace(
        ranking,
        notes=(*notes, *_describe_projections(ranking), *describe_tie(ranking, selected, request)),
    )


def check_selected(selected: SelectedTable, request: ModelRequest, *, bounded: bool) -> None:
    """Refuse what `rank_selected` refuses of the values of a table, without solving anything.

    Raises
    ------
    DataError
    """
    if bounded:
        selected, _ = missing_bounds.complete_cells(selected)
    validate(selected, warn=False, allow=request.resolve(_describe_selected(selected)).allows())


def _describe_selected(selected: SelectedTable) -> TableFacts:
    """Return what is known of a selected table before its values are checked.

    Which metrics are inputs is known only after that, which turns the signs of some.
    """
    return TableFacts(
        has_inputs=True,
        has_outputs=bool(selected.outputs),
        has_known_range=any(np.isfinite(selected.range_of(name)[1]) for name in selected.outputs),
    )


def _describe_limits(answer: Answer) -> tuple[str, ...]:
    """Return notes on efficient DMUs that have a metric of 0, and on scores without a proof."""
    notes = []
    outputs = answer.data.outputs
    efficient_rows = np.flatnonzero(answer.efficient.to_numpy())
    is_zero = outputs.to_numpy()[efficient_rows] == 0
    # A given output may be an input with its sign turned.
    is_zero &= answer.data.is_changeable[: outputs.shape[1]]
    for k, r in np.argwhere(is_zero)[:MAX_NAMED_ZEROS]:
        label = outputs.index[efficient_rows[k]]
        notes.append(
            f"'{label}' is efficient although its '{outputs.columns[r]}' is 0: "
            "weights may leave a metric out"
        )
    if not answer.options.has_certificate:
        notes.append(f"model '{answer.options.name}' has no certificate: its scores are not proved")
    return tuple(notes)


def _describe_projections(ranking: Ranking) -> tuple[str, ...]:
    """Return a note on the projections that no classifier can reach."""
    if not ranking.projection_reasons:
        return ()
    label, reason = next(iter(ranking.projection_reasons.items()))
    count = len(ranking.projection_reasons)
    remedy = "model='ccr' with returns='vrs'"
    if "vrs" in choices_of(ranking.options, "returns"):
        remedy = "returns='vrs'"
    return (
        f"{count} of {len(ranking.scores)} projections are not reported, for no such system "
        f"can exist ('{label}': {reason}); {remedy} keeps to what can exist",
    )


def _solve_task(
    task: Task, advance: Advance, *, keeps_partial: bool
) -> tuple[Answer, tuple[str, ...]]:
    """Solve the model; also return a note on the DMUs that were not computed in time.

    A DMU whose outputs are all 0 has no score where outputs are to grow. It stays in the reference,
    where its inputs may matter. A model that takes each DMU out of a reference that is its own
    table finds it there by its label.
    """
    model: Model = task.options
    labels = task.data.labels
    has_no_output = ~row_any(task.data.outputs.to_numpy()) & model.scales_outputs
    if has_no_output.all():
        raise DataError(
            f"every output of '{labels[0]}' is 0, as of all others; their efficiencies are "
            "undefined"
        )
    reasons: dict[Any, str] = {}
    scorable = task.data
    if has_no_output.any():
        reasons = dict.fromkeys(labels[has_no_output], NO_OUTPUT)
        scorable = take_data_rows(task.data, np.flatnonzero(~has_no_output))
    reference = model.prepare(task.reference)
    data = reference if scorable is task.reference else model.prepare(scorable)
    prepared = replace(task, data=data, reference=reference)
    answers: list[Answer] = []
    time_note: tuple[str, ...] = ()
    try:
        for part in _split_by_time(prepared):
            answers.append(solve_proved(part, advance))
    except TimeLimitError as error:
        # What was computed by then is proved; without anything there is no answer.
        if not (answers and keeps_partial):
            raise
        count = sum(len(answer.scores) for answer in answers)
        reasons |= dict.fromkeys(scorable.labels[count:], NOT_COMPUTED)
        time_note = (
            f"{count:,} of {len(labels):,} scores were computed in time, and without all scores "
            f"there are no ranks: {error}",
        )
    answer = replace(join_answers(answers), own_reference=task.own_reference)
    if len(answers) > 1:
        answer = replace(answer, path=f"in {len(answers)} parts, the first {answers[0].path}")
    if reasons:
        answer = _insert_undefined(answer, model.prepare(task.data), reasons)
    return replace(answer, reasons=order_reasons(answer.reasons, labels)), time_note


def _split_by_time(task: Task) -> Iterator[Task]:
    """Split a large task under a time limit into parts: those that end in time are kept."""
    n = len(task.data.labels)
    metrics = task.data.outputs.shape[1] + task.data.inputs.shape[1]
    parts = min(1 + n * metrics**2 // PART_WORK, MAX_PARTS, n)
    # The facets of few metrics, listed once, serve all DMUs.
    has_few_metrics = metrics <= MAX_METRICS_OF_FACETS
    if seconds_left() is None or has_few_metrics or not task.options.solves_rows_alone:
        parts = 1
    if parts == 1:
        yield task
        return
    for rows in np.array_split(np.arange(n), parts):
        yield take_task_rows(task, rows)


def _insert_undefined(answer: Answer, data: Data, reasons: dict[Any, str]) -> Answer:
    """Return the answer for all DMUs of the data, NaN for those with a reason."""
    labels = data.labels
    is_scored = ~labels.isin(list(reasons))
    # Without peers a row of λ has the column -1 and the value 0.
    shape = (len(labels), answer.intensities.columns.shape[1])
    columns = np.full(shape, -1, dtype=answer.intensities.columns.dtype)
    values = np.zeros(shape)
    columns[is_scored] = answer.intensities.columns
    values[is_scored] = answer.intensities.values
    efficient = pd.Series(False, index=labels, name=answer.efficient.name)
    efficient.loc[is_scored] = answer.efficient.to_numpy()
    slack_weights = answer.slack_weights
    if slack_weights is not None:
        of = np.full(len(labels), -1, dtype=slack_weights.of.dtype)
        of[is_scored] = slack_weights.of
        slack_weights = replace(slack_weights, of=of)
    return replace(
        answer,
        scores=answer.scores.reindex(labels),
        slacks=answer.slacks.reindex(labels),
        weights=answer.weights.reindex(labels),
        intensities=Sparse(columns, values),
        efficient=efficient,
        data=data,
        slack_weights=slack_weights,
        tables={
            name: table.reindex(labels) if table.index.equals(answer.scores.index) else table
            for name, table in answer.tables.items()
        },
        reasons={**reasons, **answer.reasons},
    )
