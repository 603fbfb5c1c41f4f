"""Tell what holds at every weighting of the metrics: ranks, dominance, shares, winning regions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from deabench.analysis.weightings.rank_bounds import RankBound, RankSearch, collect_evidence
from deabench.analysis.weightings.score_bounds import bound_losses, bound_scores
from deabench.analysis.weightings.shares import (
    RankShares,
    compute_exact_shares,
    compute_pairwise_shares,
    draw_rank_shares,
)
from deabench.analysis.weightings.weight_sets import (
    Ratios,
    Scale,
    Shares,
    build_sides,
    describe_decades,
    describe_weights,
    read_restrictions,
)
from deabench.analysis.weightings.winning_regions import MAX_METRICS, find_region
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
from deabench.tables.validation import Allowed, validate
from deabench.utils.checks import choice
from deabench.utils.progress import progress

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
    if draws < LEAST_DRAWS:
        raise DataError(f"draws is {draws}; give at least {LEAST_DRAWS}")
    selected = select_table(table, outputs=outputs, inputs=inputs, missing=refuse_bounds(missing))
    with progress("weightings", 2 * len(selected.frame)) as advance:
        return analyse_selected(
            selected, model, ratios, shares, scale, _Drawing(draws, seed), time_limit, advance
        )


@dataclass(frozen=True)
class _Drawing:
    """How weightings are drawn."""

    draws: int
    seed: int


def analyse_selected(
    selected: SelectedTable,
    model: ModelWord,
    ratios: Ratios | None,
    shares: Shares | None,
    scale: Scale | None,
    drawing: _Drawing,
    time_limit: float | None,
    advance: Any,
) -> Weightings:
    """Compute what all weightings say about a table whose metrics are selected."""
    chosen: WeightingModel = "ratio"
    if model == "value" or (model == "auto" and (selected.inputs or scale)):
        chosen = "value"
    allow = VALUE_ALLOWS if chosen == "value" else RATIO_ALLOWS
    data = validate(selected, warn=False, allow=allow)
    # Losses with a turned sign become inputs only now.
    if model == "auto" and data.inputs.shape[1]:
        chosen = "value"
    if not data.outputs.shape[1] and chosen == "ratio":
        raise DataError("model='ratio' needs an output; name one in outputs, or use model='value'")
    restrictions = read_restrictions(ratios, shares, data, chosen)
    sides = build_sides(selected.frame, data, chosen, restrictions, scale)
    rank_shares = draw_rank_shares(sides, drawing.draws, drawing.seed)
    end = time.monotonic() + (np.inf if time_limit is None else time_limit)
    above, below = _bound_ranks(sides, rank_shares, end, advance)
    labels = data.labels
    ranks = _rank_frame(labels, above, below)
    pairwise = np.full((len(labels), len(labels)), np.nan)
    if len(sides) == 1:
        pairwise = compute_pairwise_shares(sides[0])
        ranks["mean_rank"] = 1.0 + pairwise.sum(axis=0)
    else:
        ranks["mean_rank"] = rank_shares.shares @ np.arange(1, len(labels) + 1)
    _replace_exact_shares(sides, rank_shares, ranks)
    regions = _find_regions(sides, ranks)
    ranks["first_share"] = rank_shares.shares[:, 0]
    if len(sides) == 1 and len(sides[0].names) <= MAX_METRICS:
        first_shares = {label: region.share for label, region in regions.items()}
        ranks["first_share"] = pd.Series(first_shares, dtype=float).reindex(labels).fillna(0.0)
    proofs: dict[str, Any] = {}
    if chosen == "value":
        losses = bound_losses(sides[0])
        ranks["loss_min"] = losses.least
        ranks["loss_max"] = losses.greatest
        proofs = {"loss_weights": losses.weights, "loss_mixes": losses.mixes}
    else:
        ranks["score_min"], ranking = bound_scores(sides)
        # A row whose outputs are all 0 has the score 0.
        ranks["score_max"] = ranking.scores.fillna(0.0).to_numpy()
        proofs = {"score_ranking": ranking}
    notes = [
        *data.notes,
        *selected.notes,
        *describe_weights(sides, restrictions, chosen),
    ]
    if chosen == "value":
        notes += describe_decades(selected.frame, [str(name) for name in data.inputs], scale)
    unproved = int((ranks["best"] > ranks["best_proved"]).sum())
    unproved += int((ranks["worst"] < ranks["worst_proved"]).sum())
    if unproved:
        notes.append(
            f"{unproved} of {2 * len(labels)} ends of rank intervals are not proved within the "
            f"time; best_proved and worst_proved say what is; allow more by time_limit"
        )
    rank_names = pd.RangeIndex(1, len(labels) + 1, name="rank")
    return Weightings(
        ranks=ranks,
        dominance=pd.DataFrame(_dominates(sides), index=labels, columns=labels),
        pairwise_shares=pd.DataFrame(pairwise, index=labels, columns=labels),
        acceptability=pd.DataFrame(rank_shares.shares, index=labels, columns=rank_names),
        standard_error=pd.DataFrame(rank_shares.errors, index=labels, columns=rank_names),
        exact=pd.Series(rank_shares.exact, index=labels, name="exact"),
        winning_regions=regions,
        model=chosen,
        sides=sides,
        evidence={"best": collect_evidence(above), "worst": collect_evidence(below)},
        values=selected.frame[list(data.outputs) + list(data.inputs)],
        costs=tuple(map(str, data.inputs)),
        transforms=data.transforms,
        logarithmic=tuple(name for name, word in (scale or {}).items() if word == "log"),
        ratios=restrictions.ratios,
        shares=restrictions.shares,
        notes=tuple(notes),
        **proofs,
    )


def _bound_ranks(
    sides: Sequence[WeightedSide], drawn: RankShares, end: float, advance: Any
) -> tuple[list[RankBound], list[RankBound]]:
    """Return how few rows are above, and how few below, each row."""
    search = RankSearch(sides, end)
    above = []
    below = []
    for k in range(len(sides[0].values)):
        above.append(search.bound(k, 1, drawn.highest[k]))
        below.append(search.bound(k, -1, drawn.lowest[k]))
        advance(2)
    return above, below


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


def _dominates(sides: Sequence[WeightedSide]) -> np.ndarray:
    """Return whether each row is at least as good as each other at every weighting, (n, n)."""
    first = sides[0].corner_values
    n = len(first)
    dominates = np.empty((n, n), dtype=bool)
    search = RankSearch(sides, np.inf)
    for k in range(n):
        # Row l is nowhere above row k where it is not so at any pair of vertices.
        dominates[k] = (search.exact_differences(k) <= 0).all(axis=1)
    return dominates


def _replace_exact_shares(
    sides: Sequence[WeightedSide], rank_shares: RankShares, ranks: pd.DataFrame
) -> None:
    """Replace drawn rank shares by exact ones where these are quick."""
    n = len(ranks)
    is_segment = len(sides) == 1 and len(sides[0].polytope.rays) == 2
    # A row with one rank has it everywhere, if it is proved; ties take the best of their ranks.
    is_fixed = (ranks["best"] == ranks["worst"]) & (ranks["best"] == ranks["best_proved"])
    is_fixed &= ranks["worst"] == ranks["worst_proved"]
    for k in range(n):
        if is_segment:
            rank_shares.shares[k] = compute_exact_shares(sides[0], k)
        elif is_fixed.iloc[k] or len(sides[0].names) == len(sides[-1].names) == 1:
            rank_shares.shares[k] = np.eye(n)[rank_shares.highest[k].count]
        else:
            continue
        rank_shares.errors[k] = 0.0
        rank_shares.exact[k] = True


def _find_regions(sides: Sequence[WeightedSide], ranks: pd.DataFrame) -> dict[Any, WinningRegion]:
    """Return the winning region of each row that can be first."""
    if len(sides) > 1 or len(sides[0].names) > MAX_METRICS:
        return {}
    regions = {}
    labels = list(ranks.index)
    for k in np.flatnonzero(ranks["best_proved"] == 1):
        region = find_region(sides[0], int(k), labels)
        if region is not None:
            regions[labels[k]] = region
    return regions
