"""`deabench rank`: rank the classifiers of a table by efficiency."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer

import deabench as db
from deabench.cli._io import (
    Format,
    parse_output_path,
    print_message,
    print_messages,
    write_table,
    write_text,
    writes_json,
)
from deabench.cli.options.declarations import (
    Form,
    reject_options,
    with_option_groups,
)
from deabench.cli.options.model import ModelWords, RankingWords, Streaming
from deabench.cli.options.samples import SampleFile
from deabench.cli.options.table import TableOptions
from deabench.errors import DataError, UsageError
from deabench.results.answer import NOT_COMPUTED
from deabench.utils.files import find_overwritten

if TYPE_CHECKING:
    from deabench.results.ranking import Ranking
    from deabench.utils.arrays import Sparse

LEAST_PRINTED = 0.005
"""A smaller λ would be printed as 0.00."""
NEAR_HALF = 1e-6
"""A λ so near to half-way between two texts is rounded by Python itself."""
MAX_EXACT = 1e9
"""Of so many hundredths NumPy no longer tells whether they lie half-way between two texts."""


@with_option_groups
def rank_command(
    table: TableOptions,
    model: ModelWords,
    samples: SampleFile,
    streaming: Streaming,
    words: RankingWords,
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="Write to this file instead of stdout: CSV, .json or .md; - is stdout. Many "
            "files: .parquet.",
        ),
    ] = None,
    form: Form = Format.table,
) -> None:
    """Rank the classifiers of TABLE by efficiency.

    The efficiency tells how close each comes to the best trade-off that the others reach.
    """
    request = model.request()
    # These need the whole table in memory, or one ranking; False counts as not typed.
    single_ranking_options = {
        "--reference": words.reference,
        "--within": table.within,
        "--uncertainty": samples.uncertainty,
        "--explain": words.explain,
        "--plot": words.plot,
        "--strict": table.strict or None,
        "--option": model.option,
        "--returns": model.returns,
        "--orientation": model.orientation,
    }
    if table.streamed_files is not None:
        reject_options(
            "cannot be used with many files",
            {
                "--inputs": table.inputs,
                "--model": model.model,
                "--dataset": table.dataset,
                "--by-dataset": words.by_dataset or None,
                **single_ranking_options,
            },
        )
        _rank_files(table, out, streaming)
        return
    # Importing the solver takes long; wrong usage is told before.
    streaming.reject()
    # For many files -o may be .parquet, so the ending is checked here and not by typer.
    path = None
    if out is not None:
        path = parse_output_path(str(out))
    if words.by_dataset:
        reject_options("cannot be used with --by-dataset", single_ranking_options)
        _rank_by_dataset(table, samples, model.model, form, path)
        return
    from deabench.analysis.ranking import rank_selected, with_own_uncertainty

    selected = table.select(samples.apply(table.read()))
    reference_table = None if words.reference is None else db.read(words.reference)
    ranking = rank_selected(
        selected,
        request,
        reference_table,
        bounded=table.missing == "bounds",
        keeps_partial=samples.uncertainty is None,
    )
    if samples.uncertainty is not None:
        ranking = ranking.with_uncertainty(samples.of_ranking(ranking))
    else:
        ranking = with_own_uncertainty(ranking, selected.table)
    words.draw(ranking)
    model_words = {"--returns": model.returns, "--orientation": model.orientation}
    print_messages(table.with_commands(note, model_words) for note in ranking.notes)
    _print_ranking(ranking, words.explain, form, path, selected.table.row_name)
    if ranking.is_partial:
        raise typer.Exit(1)


def _rank_files(table: TableOptions, out: Path | None, streaming: Streaming) -> None:
    """Rank the rows of many files into one Parquet file."""
    files: Any = table.streamed_files
    if out is None or out.suffix != ".parquet":
        proposal = _propose_scores_file(files)
        raise UsageError(f"the scores of many files are written as Parquet; type -o {proposal}")
    ranking = db.rank_files(files, out, **table.streaming_keywords(), **asdict(streaming))
    print_messages(ranking.notes)
    print_message(ranking.summary())


def _propose_scores_file(files: Any) -> str:
    """Return a name that is none of the ranked files, now or the next time."""
    from deabench.streaming.files import check_output_path, list_paths

    paths = list_paths(files)
    name = "scores.parquet"
    try:
        check_output_path(files, Path(name))
    except DataError:
        return f"../{name}"
    return name if find_overwritten(name, paths) is None else f"../{name}"


def _rank_by_dataset(
    table: TableOptions, samples: SampleFile, model: Any, form: Format, path: Path | None
) -> None:
    """Print the ranks of the means, of each data set and of all on one frontier, side by side."""
    missing: Any = table.missing
    interpreted = samples.apply(table.read())
    result = db.by_dataset(
        interpreted,
        outputs=table.output_names,
        inputs=table.input_names,
        missing=missing,
        model=model,
    )
    print_messages(table.with_commands(note) for note in result.notes)
    title = f"Efficiencies over {len(result.each)} data sets"
    write_table(result.to_frame(), form=form, path=path, title=title, row_name=interpreted.row_name)


def _print_ranking(
    ranking: Ranking, explained: str | None, form: Format, path: Path | None, row_name: str
) -> None:
    """Print the table with peers, or the explanation of one system."""
    # Which ones were not computed in time, a note says once for all of them.
    print_messages(
        f"'{name}' has no {ranking.measure}: {reason}"
        for name, reason in ranking.reasons.items()
        if reason != NOT_COMPUTED
    )
    if explained is not None:
        write_text(f"{ranking.explain(explained)}\n", path)
        return
    # Rows that could not be scored have no certificate.
    count = int(ranking.scores.notna().sum())
    if ranking.options.has_certificate:
        gap = ranking.certificate["gap"].max()
        print_message(f"{ranking.model}; {count} scores proved, largest gap {gap:.1e}")
    else:
        print_message(f"{ranking.model}; {count} scores, not proved")
    if ranking.uncertainty is not None:
        print_messages(ranking.uncertainty.summary().splitlines())
    title = "Efficiencies" if ranking.measure == "efficiency" else "Inefficiencies"
    frame = _frame_with_peers(ranking, as_json=writes_json(form, path))
    write_table(frame, form=form, path=path, title=title, row_name=row_name)


def _frame_with_peers(ranking: Ranking, *, as_json: bool) -> pd.DataFrame:
    """Return the frame of a ranking with the peers of each system, as a mapping or as text."""
    peers: list[Any]
    if as_json:
        peers = _peer_mappings(ranking)
    else:
        peers = format_peers(ranking.intensities, ranking.reference.labels)
    frame = ranking.to_frame()
    if as_json and ranking.uncertainty is not None:
        frame["validity"] = ranking.uncertainty.validity
    # The frame has the best first; peers are in the order of the table.
    frame["peers"] = pd.Series(peers, dtype=object).take(ranking.order).set_axis(frame.index)
    return frame


def _peer_mappings(ranking: Ranking) -> list[dict[str, float]]:
    """Return {peer: λ} of each system, in the order of the table."""
    labels = ranking.reference.labels.tolist()
    columns = ranking.peer_intensities.columns.tolist()
    values = ranking.peer_intensities.values.tolist()
    return [
        {
            str(labels[column]): value
            for column, value in zip(row_columns, row_values, strict=True)
            if column >= 0 and value > 0
        }
        for row_columns, row_values in zip(columns, values, strict=True)
    ]


def format_peers(intensities: Sparse, labels: pd.Index) -> list[str]:
    """Write the peers of each system with their λ, largest first, as `AdBS 0.60, BaS 0.40`.

    Parameters
    ----------
    intensities : Sparse, systems x reference
        A λ that would be printed as 0.00 is left out.
    labels : Index
        The names of the reference.
    """
    values = np.where(intensities.columns >= 0, intensities.values, 0.0)
    order = np.argsort(-values, axis=1, kind="stable")
    names = labels.to_numpy(dtype=object)
    texts = np.full(len(values), "", dtype=object)
    # Take the largest λ of all rows, then the second largest, and so on, and make each distinct
    # text once: a loop over all cells would take longer than the ranking.
    for k, positions in enumerate(order.T):
        rows = np.flatnonzero(values[np.arange(len(values)), positions] >= LEAST_PRINTED)
        if not len(rows):
            break
        lam_codes, lam_values = pd.factorize(_round_hundredths(values[rows, positions[rows]]))
        # One number stands for a peer and its rounded λ.
        pair_codes, pairs = pd.factorize(
            intensities.columns[rows, positions[rows]] + len(names) * lam_codes
        )
        separator = ", " if k else ""
        pair_texts = [
            f"{separator}{names[pair % len(names)]} {lam_values[pair // len(names)]:.2f}"
            for pair in pairs.tolist()
        ]
        texts[rows] += np.array(pair_texts, dtype=object)[pair_codes]
    return list(texts)


def _round_hundredths(values: np.ndarray) -> np.ndarray:
    """Round λ to two decimals exactly as Python's formatting does."""
    hundredths = values * 100
    nearest = np.rint(hundredths)
    rounded = np.asarray(nearest / 100)
    # NumPy may round the other way where a value lies half-way between two texts or is huge.
    is_half = np.abs(np.abs(hundredths - nearest) - 0.5) < NEAR_HALF
    for k in np.flatnonzero(is_half | (nearest > MAX_EXACT)).tolist():
        rounded[k] = float(f"{values[k]:.2f}")
    return rounded
