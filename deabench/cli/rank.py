"""`deabench rank`: efficiencies of the classifiers of a table, best first."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deabench.cli._io import Format, emit, say
from deabench.cli._options import (
    Counts,
    Direction,
    Form,
    Goal,
    Inputs,
    LowerIsBetter,
    Model,
    Orientation,
    Out,
    Outputs,
    Plot,
    Ratios,
    Returns,
    Shares,
    Sums,
    TableFile,
    bounds,
    directions,
    pairs,
    ranges,
    several,
    words_or_numbers,
)

if TYPE_CHECKING:
    from deabench.dea.ranking import Ranking


class Show(enum.StrEnum):
    """What a picture of a ranking shows: efficiencies, who is benchmark for whom, or which metrics carry each score."""

    ranking = "ranking"
    peers = "peers"
    weights = "weights"


def command(
    table: TableFile,
    outputs: Outputs = None,
    inputs: Inputs = None,
    lower_is_better: LowerIsBetter = None,
    model: Model = None,
    returns: Returns = None,
    orientation: Orientation = None,
    reference: Annotated[str | None, typer.Option(help="CSV of the DMUs that span the frontier; the table without it.")] = None,
    direction: Direction = None,
    weights: Counts = None,
    goal: Goal = None,
    sums: Sums = None,
    shares: Shares = None,
    ratios: Ratios = None,
    explain: Annotated[str | None, typer.Option(help="Tell one classifier's story instead of the ranking.")] = None,
    out: Out = None,
    form: Form = Format.table,
    plot: Plot = None,
    show: Annotated[Show, typer.Option(help="What the picture shows.")] = Show.ranking,
) -> None:
    """Rank the classifiers of TABLE by efficiency: how near each comes to the best trade-off that the others reach."""
    from deabench.dea.ranking import rank
    from deabench.tables.reader import read

    settings: dict[str, Any] = {"model": model, "returns": returns, "orientation": orientation, "goal": goal,
                                "direction": words_or_numbers(direction, "--direction"),
                                "weights": words_or_numbers(weights, "--weights"), "sums": bounds(sums, "--sums"),
                                "shares": ranges(shares, "--shares"), "ratios": pairs(ratios)}
    ranking = rank(
        read(table),
        outputs=several(outputs),
        inputs=several(inputs),
        lower_is_better=directions(lower_is_better),
        reference=None if reference is None else read(reference),
        **settings,
    )
    if plot is not None:
        from deabench.plot import PeerNetworkDisplay, RankingDisplay, WeightsDisplay, save_figure

        displays: dict[Show, Any] = {
            Show.ranking: RankingDisplay, Show.peers: PeerNetworkDisplay, Show.weights: WeightsDisplay}
        save_figure(displays[show].from_ranking(ranking).plot().figure_, plot)
    for note in ranking.notes:
        say(note)
    for label, reason in ranking.reasons.items():
        say(f"'{label}' has no {ranking.measure}: {reason}")
    if explain is not None:
        typer.echo(ranking.explain(explain))
        return
    say(_proved(ranking))
    frame = ranking.to_frame()
    as_json = form is Format.json or (out is not None and out.suffix == ".json")
    peers = _peers(ranking)
    frame["peers"] = [peers[k] if as_json else listed(peers[k])
                      for k in ranking.scores.index.get_indexer(frame.index).tolist()]
    emit(frame, form=form, out=out, title="Efficiencies" if ranking.measure == "efficiency" else "Inefficiencies")


def _proved(ranking: Ranking) -> str:
    """By which model, and how well it is proved."""
    count = int(ranking.scores.notna().sum())
    if ranking.record.prove is None:
        return f"{ranking.model}; {count} scores, not proved"
    return f"{ranking.model}; {count} scores proved, largest gap {ranking.certificate['gap'].max():.1e}"


def _peers(ranking: Ranking) -> list[dict[str, float]]:
    """{peer: λ} of each DMU, in the table's order."""
    labels, lam = ranking.reference.labels.tolist(), ranking.intensities
    return [{str(labels[j]): value for j, value in zip(columns, values, strict=True) if j >= 0 and value > 0}
            for columns, values in zip(lam.columns.tolist(), lam.values.tolist(), strict=True)]


def listed(peers: dict[str, float]) -> str:
    """Peers with their λ, largest first: `AdBS 0.60, BaS 0.40`."""
    return ", ".join(f"{peer} {share:.2f}" for peer, share in sorted(peers.items(), key=lambda pair: -pair[1]))
