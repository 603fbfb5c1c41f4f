"""Tell what holds at every weighting of the metrics: ranks, dominance, shares, winning regions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd

from deabench.analysis.weightings.bounds import (
    RankBound,
    RankSearch,
    bound_losses,
    bound_scores,
    collect_evidence,
)
from deabench.analysis.weightings.shares import (
    MAX_METRICS,
    RankShares,
    compute_pairwise_shares,
    draw_rank_shares,
    find_region,
    replace_exact_shares,
)
from deabench.analysis.weightings.weight_sets import (
    Ratios,
    Scale,
    Shares,
    build_sides,
    describe_decades,
    describe_weights,
    list_logarithmic,
    read_restrictions,
)
from deabench.errors import DataError
from deabench.results.weightings import (
    WeightedSide,
    WeightingModel,
    Weightings,
    WinningRegion,
)
from deabench.tables.selected_table import Missing, SelectedTable, refuse_bounds
from deabench.tables.selection import select_table
from deabench.tables.table import TableLike
from deabench.tables.transforms import Data
from deabench.tables.validation import Allowed, validate
from deabench.utils.arrays import TOLERANCE
from deabench.utils.checks import choice, share
from deabench.utils.progress import progress

if TYPE_CHECKING:  # importing samples takes longer than the analysis of a small table
    from deabench.inference.samples import Samples

ModelWord = Literal["auto", "ratio", "value"]
RATIO_ALLOWS: tuple[Allowed, ...] = ("zero outputs",)
VALUE_ALLOWS: tuple[Allowed, ...] = (
    "zero inputs",
    "zero outputs",
    "negative inputs",
    "negative outputs",
)
LEAST_DRAWS = 64


def weightings(
    table: TableLike,
    *,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    model: ModelWord = "auto",
    ratios: Ratios | None = None,
    shares: Shares | None = None,
    scale: Scale | None = None,
    missing: Missing = "refuse",
    uncertainty: Samples | None = None,
    level: float = 0.95,
    draws: int = 16384,
    seed: int = 0,
    time_limit: float | None = 60.0,
) -> Weightings:
    """Compute what all weightings of the metrics say: which ranks, which rows always beat which.

    Parameters
    ----------
    table, outputs, inputs, missing
        As for `deabench.rank`.
    model : {"auto", "ratio", "value"}
        "ratio": scores are weighted sums of outputs, with inputs divided by weighted sums of these;
        "value": weighted sums of all metrics, each over its range, costs negative. "auto": "value"
        where there are costs, else "ratio".
    ratios : mapping of (metric, metric) to (least, most), optional
        Bounds for the ratio of two weights in the metrics' own units, as `ratios` of
        `deabench.models.WEI`.
    shares : mapping of metric to (least, most), optional
        Bounds for a metric's normalised weight.
    scale : mapping of metric to "log" or "linear", optional
        Metrics that count by their logarithm, in the model "value".
    uncertainty : Samples, optional
        The test results that the table was computed from; `ranks` then has limits for the ranks of
        the true metrics. Default: those that the table itself holds, if there are any.
    level : float
        The probability that all these limits hold together.
    draws : int
        Weightings that are drawn where shares are not computed exactly.
    seed : int
    time_limit : float or None
        Seconds for the rank intervals; what is not proved by then is said in `notes`.

    Returns
    -------
    Weightings

    Raises
    ------
    DataError
        If the data or the bounds of the weights cannot be used.

    Notes
    -----
    A row's best rank is 1 + the fewest rows that are strictly above it at some weighting, its worst
    rank n − the fewest that are strictly below it (Salo, Punkka 2011, Management Science
    57:200-214). The weights add up to 1 after each metric is divided by its best value ("ratio") or
    its range ("value"); shares of weightings are volumes, and no probabilities.

    Examples
    --------
    >>> import deabench as db
    >>> wine = db.datasets.load("chao2022-wine1").drop(index="MLP")
    >>> result = db.weightings(wine, outputs=["TPR", "TNR"])
    >>> result.ranks.loc[["CS-MCQP", "Bagging"], ["best", "worst"]].to_numpy().tolist()
    [[1, 2], [1, 4]]
    """
    choice("model", model, get_args(ModelWord))
    share("level", level)
    if draws < LEAST_DRAWS:
        raise DataError(f"draws is {draws}; give at least {LEAST_DRAWS}")
    selected = select_table(table, outputs=outputs, inputs=inputs, missing=refuse_bounds(missing))
    with progress("weightings", 2 * len(selected.frame)) as advance:
        return _analyse_selected(
            selected,
            _Request(model, ratios, shares, scale, uncertainty, level, draws, seed, time_limit),
            advance,
        )


@dataclass(frozen=True)
class _Request:
    """The arguments of `weightings` besides the table."""

    model: ModelWord
    ratios: Ratios | None
    shares: Shares | None
    scale: Scale | None
    uncertainty: Samples | None
    level: float
    draws: int
    seed: int
    time_limit: float | None


def _analyse_selected(
    selected: SelectedTable, request: _Request, advance: Callable[[int], None]
) -> Weightings:
    """Compute what all weightings say about a table whose metrics are selected."""
    model, data = _choose_model(selected, request)
    restrictions = read_restrictions(request.ratios, request.shares, data, model)
    sides = build_sides(selected.frame, data, model, restrictions, request.scale)
    labels = data.labels
    end = time.monotonic() + (np.inf if request.time_limit is None else request.time_limit)
    # The range of each row's score, in closed form or by DEA.
    scores, score_evidence = _bound_all_scores(sides, model)
    # Drawn weights give shares of ranks, and good starting points for the search below.
    rank_shares = draw_rank_shares(sides, request.draws, request.seed)
    # Where a row that can be first wins: its middle shows that no row is above it there.
    candidates = _rows_that_can_be_first(scores)
    regions = _find_regions(sides, candidates, labels, end)
    # The best and the worst rank of each row, proved.
    search = RankSearch(sides, end)
    middles = {k: regions[labels[k]].polytope.middle for k in candidates if labels[k] in regions}
    above, below = search.bound_all(rank_shares.highest, rank_shares.lowest, middles, advance)
    ranks = _rank_frame(labels, above, below)
    # With one side, shares of pairs are volumes of cut polytopes: exact, and so are mean ranks.
    pairwise = np.full((len(labels), len(labels)), np.nan)
    if len(sides) == 1:
        pairwise = compute_pairwise_shares(sides[0])
        ranks["mean_rank"] = 1.0 + pairwise.sum(axis=0)
        replace_exact_shares(sides[0], rank_shares, ranks["mean_rank"].to_numpy())
    _replace_fixed_shares(rank_shares, ranks)
    if len(sides) > 1:
        ranks["mean_rank"] = rank_shares.shares @ np.arange(1, len(labels) + 1)
    ranks["first_share"] = rank_shares.shares[:, 0]
    if regions:
        ranks.loc[ranks["best_proved"] > 1, "first_share"] = 0.0
        for label, region in regions.items():
            ranks.loc[label, "first_share"] = region.share
    ranks[list(scores)] = scores.to_numpy()
    notes = [
        *dict.fromkeys((*data.notes, *selected.notes)),
        *describe_weights(sides, restrictions, model),
    ]
    notes += _add_limits(ranks, search, data, selected, request, end)
    if model == "value":
        costs = [str(name) for name in data.inputs]
        notes += describe_decades(selected.frame, costs, request.scale)
    notes += _describe_open_ends(ranks) + _describe_draws(rank_shares, request.draws)
    # What the certificate needs goes along with the tables.
    rank_names = pd.RangeIndex(1, len(labels) + 1, name="rank")
    return Weightings(
        ranks=ranks,
        dominance=pd.DataFrame(_list_dominated(search, len(labels)), index=labels, columns=labels),
        pairwise_shares=pd.DataFrame(pairwise, index=labels, columns=labels),
        acceptability=pd.DataFrame(rank_shares.shares, index=labels, columns=rank_names),
        standard_error=pd.DataFrame(rank_shares.errors, index=labels, columns=rank_names),
        exact=pd.Series(rank_shares.exact, index=labels, name="exact"),
        winning_regions=regions,
        model=model,
        sides=sides,
        evidence={"best": collect_evidence(above), "worst": collect_evidence(below)},
        values=selected.frame[list(data.outputs) + list(data.inputs)],
        costs=tuple(map(str, data.inputs)),
        transforms=data.transforms,
        logarithmic=list_logarithmic(request.scale),
        ratios=restrictions.ratios,
        shares=restrictions.shares,
        notes=tuple(notes),
        **score_evidence,
    )


def _choose_model(selected: SelectedTable, request: _Request) -> tuple[WeightingModel, Data]:
    """Return the model, and the metrics as it takes them.

    Raises
    ------
    DataError
        If the model cannot use the metrics.
    """
    model: WeightingModel = "ratio"
    is_auto = request.model == "auto"
    if request.model == "value" or (is_auto and (selected.inputs or request.scale)):
        model = "value"
    allow = VALUE_ALLOWS if model == "value" else RATIO_ALLOWS
    data = validate(
        selected, warn=False, allow=allow, negative_remedy="model='value' takes any value"
    )
    # Losses with a turned sign become inputs only now.
    if is_auto and data.inputs.shape[1]:
        model = "value"
    if not data.outputs.shape[1] and model == "ratio":
        raise DataError("model='ratio' needs an output; name one in outputs, or use model='value'")
    return model, data


def _rows_that_can_be_first(scores: pd.DataFrame) -> list[int]:
    """Return the rows that come up to the best row at some weighting; rounding has some room."""
    if "loss_min" in scores:
        comes_up = scores["loss_min"] <= TOLERANCE
    else:
        comes_up = scores["score_max"] >= 1 - TOLERANCE
    return np.flatnonzero(comes_up).tolist()


def _describe_open_ends(ranks: pd.DataFrame) -> list[str]:
    """Return a note on ends of rank intervals that are not proved, if there are any."""
    unproved = int((ranks["best"] > ranks["best_proved"]).sum())
    unproved += int((ranks["worst"] < ranks["worst_proved"]).sum())
    if not unproved:
        return []
    return [
        f"{unproved} of {2 * len(ranks)} ends of rank intervals are not proved, for want of time "
        "or of digits that tell rows apart; best_proved and worst_proved say what is; time_limit "
        "allows more time"
    ]


def _describe_draws(rank_shares: RankShares, draws: int) -> list[str]:
    """Return a note on rank shares that are not exact, if there are any."""
    drawn_count = int((~rank_shares.exact).sum())
    if not drawn_count:
        return []
    return [
        f"rank shares of {drawn_count} of {len(rank_shares.exact)} rows are means over {draws} "
        f"drawn weightings; their standard errors are at most {rank_shares.errors.max():.1g}"
    ]


def _add_limits(
    ranks: pd.DataFrame,
    search: RankSearch,
    data: Data,
    selected: SelectedTable,
    request: _Request,
    end: float,
) -> list[str]:
    """Add limits for the ranks of the true metrics, if there are samples; return notes on them."""
    table = selected.table
    has_own = table.rows is not None or bool(table.error_bars)
    if (request.uncertainty is None and not has_own) or len(ranks) < 2:
        return []
    # Importing samples takes longer than the analysis of a small table.
    from deabench.analysis.weightings.noise import bound_true_ranks
    from deabench.inference.samples.from_tables import samples_of_data

    try:
        samples = request.uncertainty
        if samples is None:
            samples = samples_of_data(table, data)
        logarithmic = list_logarithmic(request.scale)
        limits = bound_true_ranks(search, data, samples, logarithmic, level=request.level, end=end)
    except DataError as error:
        # Samples that were not asked for are left out where they do not fit.
        if request.uncertainty is not None:
            raise
        return [f"no limits for the true ranks: {error}"]
    ranks["best_limit"], ranks["worst_limit"] = limits
    return [
        *samples.notes,
        f"at {100 * request.level:g} %, for all rows together, no weighting puts the true metrics "
        "above best_limit or below worst_limit",
    ]


def _rank_frame(
    labels: pd.Index, above: Sequence[RankBound], below: Sequence[RankBound]
) -> pd.DataFrame:
    n = len(labels)
    return pd.DataFrame(
        {
            "best": [1 + bound.attained for bound in above],
            "worst": [n - bound.attained for bound in below],
            "best_proved": [1 + bound.proved for bound in above],
            "worst_proved": [n - bound.proved for bound in below],
        },
        index=labels,
    )


def _list_dominated(search: RankSearch, n: int) -> np.ndarray:
    """Return whether each row is at least as good as each other at every weighting, (n, n)."""
    dominates = np.empty((n, n), dtype=bool)
    for k in range(n):
        # Row l is nowhere above row k where it is not so at any pair of vertices.
        dominates[k] = (search.exact_differences(k) <= 0).all(axis=1)
    return dominates


def _replace_fixed_shares(rank_shares: RankShares, ranks: pd.DataFrame) -> None:
    """Replace drawn rank shares of rows that have one rank at every weighting."""
    # Ties take the best of their ranks.
    is_fixed = (ranks["best"] == ranks["worst"]) & (ranks["best"] == ranks["best_proved"])
    is_fixed &= ranks["worst"] == ranks["worst_proved"]
    for k in np.flatnonzero(is_fixed):
        rank_shares.shares[k] = np.eye(len(ranks))[ranks["best"].iloc[k] - 1]
        rank_shares.errors[k] = 0.0
        rank_shares.exact[k] = True


def _bound_all_scores(
    sides: Sequence[WeightedSide], model: WeightingModel
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the range of each row's score or loss, and what proves it."""
    if model == "value":
        losses = bound_losses(sides[0])
        frame = pd.DataFrame({"loss_min": losses.smallest, "loss_max": losses.greatest})
        return frame, {"loss_weights": losses.weights, "loss_mixes": losses.mixes}
    lowest, ranking = bound_scores(sides)
    # A row whose outputs are all 0 has the score 0.
    greatest = ranking.scores.fillna(0.0).to_numpy()
    return pd.DataFrame({"score_min": lowest, "score_max": greatest}), {"score_ranking": ranking}


def _find_regions(
    sides: Sequence[WeightedSide], candidates: Sequence[int], labels: pd.Index, end: float
) -> dict[Any, WinningRegion]:
    """Return the winning region of each row that can be first, until the time is up."""
    if len(sides) > 1 or len(sides[0].names) > MAX_METRICS:
        return {}
    regions = {}
    for k in candidates:
        if time.monotonic() > end:
            break
        region = find_region(sides[0], k, candidates, list(labels))
        if region is not None:
            regions[labels[k]] = region
    return regions
