"""Compute the results that a report shows: ranking, frontier, targets, tested algorithms."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from deabench.analysis.frontier import frontier, span_frontier
from deabench.analysis.ranking import rank_completely, rank_selected, with_own_uncertainty
from deabench.analysis.targets import On, targets
from deabench.analysis.weightings.analysis import weightings
from deabench.errors import DataError, DataWarning
from deabench.models.options import ModelRequest
from deabench.models.shared.radial_model import RestrictableModel
from deabench.report.text.words import join_names
from deabench.results.frontier import Frontier, classify_positions
from deabench.results.model import ANY_VALUES, Norm
from deabench.results.ranking import Ranking
from deabench.results.targets import Targets
from deabench.results.weightings import Weightings
from deabench.tables.read import as_table
from deabench.tables.selected_table import SelectedTable
from deabench.tables.selection import select_table
from deabench.tables.table import Table
from deabench.tables.transforms import to_outputs_only
from deabench.tables.validation import require_numbers, validate
from deabench.utils.checks import did_you_mean

MAX_TARGETS = 200
"""Targets are listed for so many inefficient classifiers, the best first; the page finds others."""
MAX_METRICS = 6
"""A frontier of more metrics has too many facets to list."""
MAX_WEIGHTED_ROWS = 100
"""The weightings of more rows would take longer than the rest of the report."""
WEIGHTING_SECONDS = 10.0
WEIGHTING_DRAWS = 4096
MODEL_ARGUMENTS = ("model", "returns", "orientation")
"""The arguments of `deabench.rank` that choose the model."""
RANKING_ARGUMENTS = (*MODEL_ARGUMENTS, "reference", "uncertainty")
"""Those that do not select the metrics."""
TABLE_HEADS = ("position", "distance", "face", "peers (λ)", "why no score")
"""Columns of the page's tables beside those of the ranking."""


@dataclass(frozen=True)
class ReportResults:
    """All results that a report shows.

    Attributes
    ----------
    ranking : Ranking
    metrics : DataFrame, classifiers x metrics
        In the user's own units and directions.
    frontier : Frontier or None
        With facets, in the metrics of the targets; None if there are too many metrics.
    frontier_without_facets : Frontier or None
        The same if there are too many metrics.
    own_targets : Targets or None
        Of the inefficient classifiers.
    tested_targets : Targets or None
        Of the tested algorithms.
    tested_scores : Series or None
        Efficiencies of the tested algorithms against the reference.
    intervals : DataFrame or None
        Columns lower and upper: bounds of the efficiencies, by label.
    norm, on : str
        As for `deabench.targets`.
    no_facets_reason : str
        Why there are no facets; empty if there are some.
    warnings : list of str
        What was said about weak data.
    explained : object
        The label of the classifier that the page opens on; None for the recommended one.
    table : Table or None
        The table as it was read, with its single results; None where a ranking was given.
    divisors : tuple of str
        Inputs that the ranking holds in quotients alone.
    """

    ranking: Ranking
    metrics: pd.DataFrame
    frontier: Frontier | None
    frontier_without_facets: Frontier | None
    own_targets: Targets | None
    tested_targets: Targets | None
    tested_scores: pd.Series | None
    intervals: pd.DataFrame | None
    norm: Norm
    on: On
    no_facets_reason: str
    warnings: list[str]
    explained: Hashable | None = None
    table: Table | None = None
    divisors: tuple[str, ...] = ()

    @property
    def any_frontier(self) -> Frontier | None:
        """Return the frontier, with facets if there are some."""
        if self.frontier is not None:
            return self.frontier
        return self.frontier_without_facets

    @cached_property
    def row_name(self) -> str:
        """Return what the table calls its systems, as "model"; "system" where it has no word."""
        if self.table is not None:
            name = self.table.row_name
        else:
            name = str(self.ranking.scores.index.name or "system")
        # No table has two columns of one name.
        is_taken = name in TABLE_HEADS or name in self.ranking.to_frame()
        return "system" if is_taken else name

    @cached_property
    def lower_is_better(self) -> set[str]:
        """Return the names of the metrics that are better low."""
        ranked = self.ranking.data
        datasets = [ranked]
        if self.any_frontier is not None:
            datasets.append(self.any_frontier.data)
        inputs = {str(name) for data in datasets for name in data.inputs} | {*self.divisors}
        reversed_metrics = {
            str(name)
            for data in datasets
            for name, transform in data.transforms.items()
            if transform.sign < 0
        }
        # An input whose sign was changed is a metric that is better high.
        better_high = {
            str(name)
            for name, transform in ranked.transforms.items()
            if transform.sign < 0 and name in ranked.inputs
        }
        return (inputs | reversed_metrics) - better_high

    @cached_property
    def weightings(self) -> Weightings | None:
        """Return what all weightings say where several rows share rank 1; None elsewhere."""
        ranking = self.ranking
        is_tied = int(ranking.efficient.sum()) > 1
        metrics = ranking.data.outputs.shape[1] + ranking.data.inputs.shape[1]
        fits = len(ranking.scores) <= MAX_WEIGHTED_ROWS and 2 <= metrics <= MAX_METRICS
        # Where gaps are bounded, the ranked values are the worst ones.
        has_gaps = ranking.bounds is not None
        # The page weights the metrics of its axes, which quotients of them are not.
        has_other_metrics = bool(ranking.data.given) or ranking.data.has_quotients
        has_other_rules = bool(ranking.reasons) or has_other_metrics or has_gaps
        if not (is_tied and fits and ranking.own_reference) or has_other_rules:
            return None
        table = selection_of_ranking(ranking).as_table()
        try:
            return weightings(table, draws=WEIGHTING_DRAWS, time_limit=WEIGHTING_SECONDS)
        except DataError:
            return None  # the metrics have no weighted sum, as where one is 0 everywhere

    @property
    def inefficient_count(self) -> int:
        """Return how many classifiers have a score and are inefficient."""
        return int((~self.ranking.efficient & self.ranking.scores.notna()).sum())


def compute_results(
    source: Any,
    tested: Any,
    metrics: Sequence[str] | None,
    norm: Norm,
    on: On,
    intervals: pd.DataFrame | None,
    rank_options: Mapping[str, Any],
) -> ReportResults:
    """Rank the classifiers, span their frontier and find closest targets.

    Parameters
    ----------
    source : Ranking, or a table as `deabench.read` takes it
    tested : DataFrame, sequence of labels or None
        New algorithms, which do not span the frontier.
    metrics : sequence of str, optional
        The metrics of the frontier.
    norm, on : str
        As for `deabench.targets`.
    intervals : DataFrame, optional
    rank_options : mapping
        As for `deabench.rank`.

    Raises
    ------
    DataError
        If the data cannot be used, or a tested label is not in the table.
    """
    # Warnings become notes of the report, and are not printed.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        # The frontier has the metrics asked for; the ranking keeps its own.
        ranking, selected, tested_table = _rank_reference(source, tested, rank_options)
        spanning = _select_frontier_columns(selected, metrics, ranking)
        # Rows with empty cells have bounds of their scores and no place in the frontier.
        spanning = spanning.with_frame(spanning.frame.dropna(subset=list(spanning.metrics)))
        front, without_facets, reason = _make_frontier(spanning)
        own_targets = None
        tested_targets = None
        if front is not None:
            # The frame of the ranking is sorted, so the best inefficient classifiers are listed.
            inefficient = [
                name
                for name in ranking.to_frame().index
                if not ranking.efficient[name] and name in spanning.frame.index
            ][:MAX_TARGETS]
            reference = spanning.as_table()
            if inefficient:
                inefficient_table = spanning.as_table(spanning.frame.loc[inefficient])
                # As advice, no metric may get worse, and mixtures of the others reach the point.
                own_targets = targets(
                    inefficient_table, reference, norm=norm, on="faces", dominating=True
                )
            if tested_table is not None:
                tested_targets = targets(tested_table, reference, norm=norm, on=on)
    # Ranking and frontier warn of the same data twice.
    texts = [
        str(warning.message) for warning in caught if issubclass(warning.category, DataWarning)
    ]
    # A ranking knows no table to score new rows against.
    tested_scores = None
    if tested_table is not None and not isinstance(source, Ranking):
        tested_scores = _score_tested(tested_table, selected, rank_options)
    return ReportResults(
        ranking=ranking,
        metrics=_shown_metrics(selected, spanning, front),
        frontier=front,
        frontier_without_facets=without_facets,
        own_targets=own_targets,
        tested_targets=tested_targets,
        tested_scores=tested_scores,
        intervals=ranking.bounds if intervals is None else intervals,
        norm=norm,
        on=on,
        no_facets_reason=reason,
        warnings=list(dict.fromkeys(texts)),
        table=None if isinstance(source, Ranking) else selected.table,
        divisors=selected.inputs if ranking.data.has_quotients else (),
    )


def _rank_reference(
    source: Any, tested: Any, rank_options: Mapping[str, Any]
) -> tuple[Ranking, SelectedTable, pd.DataFrame | None]:
    """Return the ranking without the tested algorithms, its table, and the tested algorithms."""
    selection_options = {
        name: value for name, value in rank_options.items() if name not in RANKING_ARGUMENTS
    }
    if rank_options.get("reference") is not None:
        if tested is not None:
            raise DataError("with a reference the table itself is tested; leave out tested")
        tested = select_table(source, **selection_options).frame
        source = rank_options["reference"]
    is_table = tested is None or isinstance(tested, pd.DataFrame)
    if isinstance(source, Ranking):
        if not is_table:
            raise DataError(
                "a ranking holds no table to take the tested rows from; give tested as a DataFrame"
            )
        return source, selection_of_ranking(source), tested
    selected = select_table(source, **selection_options)
    tested_table: pd.DataFrame | None = None
    if is_table:
        tested_table = tested
    else:
        labels = list(tested)
        for label in labels:
            if label not in selected.frame.index:
                hint = did_you_mean(label, list(selected.frame.index))
                raise DataError(f"there is no system '{label}' in the table; {hint}")
        # Rows to test are taken out of the table, so that they do not span the frontier.
        tested_table = selected.frame.loc[labels]
        selected = selected.with_frame(selected.frame.drop(labels))
    request = ModelRequest(**_model_arguments(rank_options))
    is_bounded = rank_options.get("missing") == "bounds"
    ranking = rank_selected(selected, request, bounded=is_bounded)
    if rank_options.get("uncertainty") is not None:
        return ranking.with_uncertainty(rank_options["uncertainty"]), selected, tested_table
    return with_own_uncertainty(ranking, selected.table), selected, tested_table


def _model_arguments(rank_options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: rank_options[name] for name in MODEL_ARGUMENTS if name in rank_options}


def _score_tested(
    tested_table: pd.DataFrame, selected: SelectedTable, rank_options: Mapping[str, Any]
) -> pd.Series:
    """Score the tested algorithms against the reference."""
    with warnings.catch_warnings():
        # The tested algorithms may be few; warnings about the reference were given before.
        warnings.simplefilter("ignore", DataWarning)
        ranking = rank_completely(
            selected.with_table(as_table(tested_table, selected.metrics)).as_table(),
            reference=selected.as_table(),
            **_model_arguments(rank_options),
        )
    return ranking.scores


def selection_of_ranking(ranking: Ranking) -> SelectedTable:
    """Return the table of a ranking in the user's metrics, with the role of each."""
    data = ranking.data
    reversed_metrics = {
        str(name): transform for name, transform in data.transforms.items() if transform.sign < 0
    }
    # An output whose sign was changed is a metric that is better low.
    complemented = {
        name: transform.shift
        for name, transform in reversed_metrics.items()
        if name in data.outputs
    }
    # An input whose sign was changed is an output of the user's table.
    reversed_inputs = [name for name in reversed_metrics if name in data.inputs]
    outputs = (*map(str, data.outputs.columns), *reversed_inputs)
    inputs = tuple(str(name) for name in data.inputs.columns if name not in reversed_inputs)
    table = Table(ranking.actual, ())
    return SelectedTable(table, ranking.actual, outputs, inputs, complemented)


def _select_frontier_columns(
    selected: SelectedTable, metrics: Sequence[str] | None, ranking: Ranking
) -> SelectedTable:
    """Select the metrics of the frontier: those named, else those of the ranking."""
    if metrics is None:
        # Model (5) ranks quotients of outputs and inputs: its inputs span no frontier.
        if ranking.data.has_quotients:
            return selected.drop_columns(selected.inputs)
        return selected
    return replace(
        selected,
        outputs=tuple(name for name in metrics if name not in selected.inputs),
        inputs=tuple(name for name in metrics if name in selected.inputs),
        maxima={name: high for name, high in selected.maxima.items() if name in metrics},
    )


def _make_frontier(
    selected: SelectedTable,
) -> tuple[Frontier | None, Frontier | None, str]:
    """Return the frontier with facets; or, of too many metrics, without them and the reason."""
    count = len(set(selected.metrics))
    if selected.given:
        reason = f"'{selected.given[0]}' is given, not to be changed: its frontier has no targets"
        return None, None, reason
    with warnings.catch_warnings():
        # The ranking gave the same warnings before.
        warnings.simplefilter("ignore", DataWarning)
        if count <= MAX_METRICS:
            return frontier(selected.as_table()), None, ""
        # Vertices are found without facets in any number of metrics.
        data = to_outputs_only(validate(selected, warn=False, allow=ANY_VALUES))
        without_facets = span_frontier(data, facets=False)
    reason = (
        f"the frontier of {count} metrics has too many facets to list; choose up to {MAX_METRICS} "
        "with metrics to see facets and targets"
    )
    return None, without_facets, reason


def _shown_metrics(
    selected: SelectedTable, spanning: SelectedTable, front: Frontier | None
) -> pd.DataFrame:
    """Return the metrics of the ranking and of the frontier, in the user's own units."""
    names = [*selected.metrics, *spanning.metrics]
    if front is not None:
        names += front.outputs
    names = list(dict.fromkeys(names))
    # Where gaps are bounded, the cells of complete rows are checked.
    require_numbers(spanning.frame, names)
    return selected.frame[names].astype(float)


def has_same_frontier(results: ReportResults) -> bool:
    """Return whether the efficient classifiers of the ranking are those on the frontier drawn.

    The two results are compared, not the names of their models.
    """
    front = results.any_frontier
    ranking = results.ranking
    if front is None or not ranking.own_reference:
        return False
    ranked_metrics = {*map(str, ranking.data.outputs), *map(str, ranking.data.inputs)}
    # Other metrics span another frontier.
    if ranked_metrics != set(map(str, front.outputs)):
        return False
    efficient = ranking.efficient.astype(bool)
    # A classifier may be on the frontier and not efficient in the ranking ...
    if not efficient.loc[front.extreme].all():
        return False
    if front.precomputed_hull is None:
        # Without facets the positions are unknown: only the model can tell.
        return isinstance(ranking.options, RestrictableModel) and ranking.returns == "vrs"
    # ... or efficient in the ranking and not on the frontier, which spans complete rows only.
    names = efficient.index[efficient]
    if not names.isin(front.data.outputs.index).all():
        return False
    outputs = front.data.outputs.loc[names].to_numpy()
    positions = classify_positions(front.hull.normals, front.to_boxed(outputs))
    return bool((positions == "on").all())


def scores_are_radial(results: ReportResults) -> bool:
    """Return whether the page can score a new point as the ranking does: 1/φ with Σ λ = 1."""
    ranking = results.ranking
    options = ranking.options
    if not isinstance(options, RestrictableModel) or options.is_restricted:
        return False
    is_output_oriented = ranking.returns == "vrs" and ranking.orientation == "output"
    return is_output_oriented and has_same_frontier(results)


def describe_difference(results: ReportResults) -> str:
    """Warn if being efficient in the ranking differs from being on the frontier drawn."""
    front = results.any_frontier
    if front is None or has_same_frontier(results):
        return ""
    ranking = results.ranking
    ranked = join_names(ranking.actual.columns, ranking.actual.shape[1])
    frontier_metrics = join_names(front.outputs, len(front.outputs))
    return (
        f"The ranking is by model '{ranking.options.name}' in {ranked}; positions and targets are "
        f"those of the frontier of mixtures in {frontier_metrics}: a system may be efficient "
        "in the ranking and not on that frontier."
    )
