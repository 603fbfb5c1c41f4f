"""`deabench rank`: efficiencies of the classifiers of a table, best first."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from deabench.cli._io import Format, directions, emit, names, say


class Show(enum.StrEnum):
    """What a picture of a ranking shows: efficiencies, who is benchmark for whom, or which metrics carry each score."""

    ranking = "ranking"
    peers = "peers"
    weights = "weights"


def command(
    table: Annotated[str, typer.Argument(help="CSV with a row per classifier, labels first; - is standard input.")],
    outputs: Annotated[str | None, typer.Option(help="Metrics to be high, as A,B; all numeric columns without it.")] = None,
    inputs: Annotated[str | None, typer.Option(help="Metrics to be low, as C,D.")] = None,
    lower_is_better: Annotated[
        str | None, typer.Option(help="Metrics to be low, as error=1 (complement to its maximum) or logloss=input.")
    ] = None,
    model: Annotated[str, typer.Option(help="wei (5), score (6) or ccr (3).")] = "wei",
    returns: Annotated[str, typer.Option(help="crs, vrs, nirs or ndrs; for model ccr.")] = "crs",
    orientation: Annotated[str, typer.Option(help="output or input; for model ccr.")] = "output",
    reference: Annotated[str | None, typer.Option(help="CSV of the DMUs that span the frontier; the table without it.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write CSV (or .json) here instead of printing.")] = None,
    form: Annotated[Format, typer.Option("--format", help="table, csv or json.")] = Format.table,
    plot: Annotated[Path | None, typer.Option(help="Write a picture here: .png, .svg or .pdf.")] = None,
    show: Annotated[Show, typer.Option(help="What the picture shows.")] = Show.ranking,
) -> None:
    """Rank the classifiers of TABLE by efficiency: how near each comes to the best trade-off that the others reach."""
    from deabench.dea.ranking import rank
    from deabench.tables.reader import read

    ranking = rank(
        read(table),
        outputs=names(outputs),
        inputs=names(inputs),
        lower_is_better=directions(lower_is_better),
        model=model,
        returns=returns,
        orientation=orientation,
        reference=None if reference is None else read(reference),
    )
    if plot is not None:
        from deabench.plot import PeerNetworkDisplay, RankingDisplay, WeightsDisplay, save_figure

        displays = {Show.ranking: RankingDisplay, Show.peers: PeerNetworkDisplay, Show.weights: WeightsDisplay}
        save_figure(displays[show].from_ranking(ranking).plot().figure_, plot)
    frame = ranking.to_frame()
    peers: dict[object, dict[str, float]] = {label: {} for label in frame.index}
    for peer, column in ranking.peers.items():
        for label in column.index[column.to_numpy() > 0]:
            peers[label][peer] = float(column[label])
    as_json = form is Format.json or (out is not None and out.suffix == ".json")
    frame["peers"] = [peers[label] if as_json else listed(peers[label]) for label in frame.index]
    for note in ranking.data.notes:
        say(note)
    for label, reason in ranking.reasons.items():
        say(f"'{label}' has no efficiency: {reason}")
    gap = ranking.certificate["gap"].max()
    say(f"{ranking.model}; {int(ranking.scores.notna().sum())} scores proved, largest gap {gap:.1e}")
    emit(frame, form=form, out=out, title="Efficiencies")


def listed(peers: dict[str, float]) -> str:
    """Peers with their λ, largest first: `AdBS 0.60, BaS 0.40`."""
    return ", ".join(f"{peer} {share:.2f}" for peer, share in sorted(peers.items(), key=lambda pair: -pair[1]))
