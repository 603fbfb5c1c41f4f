"""`deabench rank`: efficiencies of the classifiers of a table, best first."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deabench.cli._io import Format, emit, say, target
from deabench.cli._options import (
    AnswersFile,
    AnswersPositive,
    AnswersScores,
    AnswersThreshold,
    Counts,
    DataSet,
    Direction,
    Form,
    Goal,
    Inputs,
    KeptIn,
    Label,
    LowerIsBetter,
    MissingCells,
    Model,
    NormOf,
    Orientation,
    Outputs,
    Plot,
    Ratios,
    Returns,
    Scheduler,
    Shares,
    Strict,
    Sums,
    TableOrFiles,
    TechnologyOf,
    Tolerance,
    Within,
    budget,
    directions,
    model_with_options,
    options,
    several,
)
from deabench.cli._rank_files import alone, rank_many

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from deabench.analysis.ranking import Ranking
    from deabench.utils.arrays import Sparse


class Show(enum.StrEnum):
    """What a picture of a ranking shows: efficiencies, who is benchmark for whom, or which metrics
    carry each score.
    """

    ranking = "ranking"
    peers = "peers"
    weights = "weights"


def command(
    table: TableOrFiles,
    outputs: Outputs = None,
    inputs: Inputs = None,
    lower_is_better: LowerIsBetter = None,
    model: Model = None,
    returns: Returns = None,
    orientation: Orientation = None,
    direction: Direction = None,
    weights: Counts = None,
    goal: Goal = None,
    norm: NormOf = None,
    sums: Sums = None,
    shares: Shares = None,
    ratios: Ratios = None,
    reference: Annotated[
        str | None,
        typer.Option(help="A table of the DMUs that span the frontier; the table without it."),
    ] = None,
    technology: TechnologyOf = "convex",
    within: Within = None,
    missing: MissingCells = "refuse",
    label: Label = None,
    dataset: DataSet = None,
    by_dataset: Annotated[
        bool,
        typer.Option(
            "--by-dataset",
            help="Beside the ranking of the means: on every data set by itself, and on one frontier of all.",
        ),
    ] = False,
    strict: Strict = False,
    uncertainty: AnswersFile = None,
    scores: AnswersScores = False,
    threshold: AnswersThreshold = None,
    positive: AnswersPositive = None,
    explain: Annotated[
        str | None, typer.Option(help="Tell one classifier's story instead of the ranking.")
    ] = None,
    tolerance: Tolerance = 0.0,
    kept_in: KeptIn = None,
    scheduler: Scheduler = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="Write here instead of printing: CSV, or .json; - is standard output. Of many files, Parquet.",
        ),
    ] = None,
    form: Form = Format.table,
    plot: Plot = None,
    show: Annotated[Show, typer.Option(help="What the picture shows.")] = Show.ranking,
) -> None:
    """Rank the classifiers of TABLE by efficiency: how near each comes to the best trade-off that
    the others reach.
    """
    import pandas as pd

    from deabench.analysis.budget import keep_within
    from deabench.analysis.ranking import rank_selected
    from deabench.models.options import ModelRequest
    from deabench.streaming.files import is_multi_file
    from deabench.tables.read import read
    from deabench.tables.selection import read_frame, select_table

    asked: dict[str, Any] = {
        "returns": returns,
        "orientation": orientation,
        "goal": goal,
        "norm": norm,
        **options(direction, weights, sums, shares, ratios),
    }
    if is_multi_file(table):
        alone(
            "many files have",
            {
                "--inputs": inputs,
                "--model": model,
                "--reference": reference,
                "--within": within,
                "--uncertainty": uncertainty,
                "--explain": explain,
                "--plot": plot,
                "--dataset": dataset,
                "--strict": strict or None,
                "--by-dataset": by_dataset or None,
                "--technology": None if technology == "convex" else technology,
                **{f"--{name}": value for name, value in asked.items()},
            },
        )
        rank_many(
            table,
            out,
            {
                "outputs": several(outputs),
                "lower_is_better": directions(lower_is_better),
                "label": several(label),
                "missing": missing,
                "tolerance": tolerance,
                "kept": kept_in,
                "scheduler": scheduler,
            },
        )
        return
    alone(
        "one table has",
        {"--tolerance": tolerance or None, "--kept": kept_in, "--scheduler": scheduler},
    )
    out = None if out is None else target(str(out))
    if technology == "fdh" and model in (None, "fdh"):
        model = "fdh"
    elif technology != "convex":
        asked["technology"] = technology
    request = None  # wrong words are refused before the table is read
    if model is not None:
        request = ModelRequest(model_with_options(model, asked))
    elif not {name for name, value in asked.items() if value} - {"returns", "orientation"}:
        request = ModelRequest(None, returns, orientation)
    ways: Any = {"missing": missing, "model": model}
    source = read(
        table, label=several(label), roles={} if dataset is None else {dataset: "dataset"}
    )
    if by_dataset:
        alone(
            "--by-dataset has",
            {
                "--reference": reference,
                "--within": within,
                "--uncertainty": uncertainty,
                "--explain": explain,
                "--plot": plot,
                "--strict": strict or None,
                **{f"--{name}": value for name, value in asked.items()},
            },
        )
        _by_dataset(
            source,
            {
                "outputs": several(outputs),
                "inputs": several(inputs),
                "lower_is_better": directions(lower_is_better),
                **ways,
            },
            form,
            out,
        )
        return
    ready = select_table(
        source,
        outputs=several(outputs),
        inputs=several(inputs),
        lower_is_better=directions(lower_is_better),
        missing=ways["missing"],
        strict=strict,
    )
    ready = keep_within(ready, budget(within)) if within else ready
    ranking = rank_selected(
        ready,
        request or ModelRequest(model_with_options(model, asked, has_inputs=bool(inputs))),
        None if reference is None else read_frame(read(reference)),
        bounded=missing == "bounds",
    )
    if uncertainty is not None:
        from deabench.cli._samples import judged

        ranking = judged(ranking, uncertainty, positive, scores, threshold)
    if plot is not None:
        from deabench.plot import PeerNetworkDisplay, RankingDisplay, WeightsDisplay, save_figure

        displays: dict[Show, Any] = {
            Show.ranking: RankingDisplay,
            Show.peers: PeerNetworkDisplay,
            Show.weights: WeightsDisplay,
        }
        save_figure(displays[show].from_result(ranking).plot().figure_, plot)
    for note in ranking.notes:
        say(note)
    for label, reason in ranking.reasons.items():
        say(f"'{label}' has no {ranking.measure}: {reason}")
    if explain is not None:
        typer.echo(ranking.explain(explain))
        return
    say(_proved(ranking))
    if ranking.uncertainty is not None:
        for line in ranking.uncertainty.summary().splitlines():
            say(line)
    frame = ranking.to_frame()
    as_json = form is Format.json or (out is not None and out.suffix == ".json")
    peers = _peers(ranking) if as_json else listed(ranking.intensities, ranking.reference.labels)
    order = (
        ranking.ranks.reset_index(drop=True).sort_values(kind="stable").index
    )  # that of the frame
    frame["peers"] = pd.Series(peers, dtype=object).take(order).set_axis(frame.index)
    emit(
        frame,
        form=form,
        out=out,
        title="Efficiencies" if ranking.measure == "efficiency" else "Inefficiencies",
    )


SHOWN = 0.005
"""Below, a λ would be printed as 0.00."""
HALF = 1e-6
"""So near to half-way between two texts a λ is rounded by Python itself."""
HUGE = 1e9
"""So many hundredths are no longer told from half-way between two of them."""


def _by_dataset(source: object, given: dict[str, Any], form: Format, out: Path | None) -> None:
    """Means, every data set by itself, and all on one frontier, side by side."""
    from deabench.analysis.by_dataset import by_dataset

    found = by_dataset(source, **given)
    for note in found.notes:
        say(note)
    emit(
        found.to_frame(), form=form, out=out, title=f"Efficiencies over {len(found.each)} data sets"
    )


def _proved(ranking: Ranking) -> str:
    """By which model, and how well it is proved."""
    count = int(ranking.scores.notna().sum())
    if ranking.options.has_certificate is False:
        return f"{ranking.model}; {count} scores, not proved"
    return f"{ranking.model}; {count} scores proved, largest gap {ranking.certificate['gap'].max():.1e}"


def _peers(ranking: Ranking) -> list[dict[str, float]]:
    """{peer: λ} of each DMU, in the table's order."""
    labels, lam = ranking.reference.labels.tolist(), ranking.intensities
    return [
        {
            str(labels[j]): value
            for j, value in zip(columns, values, strict=True)
            if j >= 0 and value > 0
        }
        for columns, values in zip(lam.columns.tolist(), lam.values.tolist(), strict=True)
    ]


def listed(lam: Sparse, labels: pd.Index) -> list[str]:
    """The peers of each DMU with their λ, largest first: `AdBS 0.60, BaS 0.40`; what would be
    printed as 0.00 is left out.
    """
    import numpy as np
    import pandas as pd

    values = np.where(lam.columns >= 0, lam.values, 0.0)
    order = np.argsort(-values, axis=1, kind="stable")
    names = labels.to_numpy(dtype=object)
    out = np.full(len(values), "", dtype=object)
    for k, place in enumerate(
        order.T
    ):  # entry by entry, each text made once: a loop over cells would take longer than the ranking
        rows = np.flatnonzero(values[np.arange(len(values)), place] >= SHOWN)
        if not len(rows):
            break
        share, shares = pd.factorize(_rounded(values[rows, place[rows]]))
        which, pairs = pd.factorize(lam.columns[rows, place[rows]] + len(names) * share)
        comma = ", " if k else ""
        texts = [
            f"{comma}{names[pair % len(names)]} {shares[pair // len(names)]:.2f}"
            for pair in pairs.tolist()
        ]
        out[rows] += np.array(texts, dtype=object)[which]
    return list(out)


def _rounded(values: np.ndarray) -> np.ndarray:
    """λ with two decimals, as Python's text has them: those that lie half-way between two, or are
    huge, are rounded by Python.
    """
    import numpy as np

    hundredths = values * 100
    whole = np.rint(hundredths)
    out = np.asarray(whole / 100)
    for k in np.flatnonzero(
        (np.abs(np.abs(hundredths - whole) - 0.5) < HALF) | (whole > HUGE)
    ).tolist():
        out[k] = float(f"{values[k]:.2f}")
    return out
