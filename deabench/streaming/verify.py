"""Verify frontiers and scores of files: read every row again and compare it with the frontier."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pandas as pd

from deabench.errors import CertificateError
from deabench.results.frontier import Frontier
from deabench.results.proof import Proof
from deabench.streaming.batches import Batch, read_batches
from deabench.streaming.files import ParquetFiles, open_parquet
from deabench.streaming.rank_files import SCORE_COLUMNS, FilesRanking, summarize_batch
from deabench.streaming.scorer import NO_FACET, Scorer


def verify_sources(front: Frontier, proof: Proof) -> Proof:
    """Extend the proof of a frontier by its source rows, where these can be read again."""
    summary = front.source_summary
    if summary is None:
        return proof
    if summary.files is None:
        return _without_claim(
            proof,
            f"that none of the {summary.rows:,} rows that it has seen lies beyond it, and which "
            "systems entered and left: the rows are not stored with it; certify the frontiers "
            "that it grew from",
        )
    for path in summary.files.paths:
        if not Path(path).exists():
            return _without_claim(
                proof, f"that no row of its files lies beyond it: '{path}' does not exist any more"
            )
    # Score every row again, and take the totals that the summary claims.
    scorer = Scorer(front)
    excess = 0.0
    rows = 0
    left_out = 0
    minima = np.full(len(summary.minima), np.inf)
    maxima = np.full(len(summary.maxima), -np.inf)
    for batch in _read_all_batches(summary.files):
        # A row of zeros has no efficiency, and lies inside every frontier.
        nonzero = batch.columns[:, batch.columns.any(axis=0)]
        if nonzero.size:
            greatest = float(scorer.score(nonzero).efficiency.max())
            excess = max(excess, greatest - 1.0)
        minima = np.minimum(minima, batch.minima)
        maxima = np.maximum(maxima, batch.maxima)
        rows += len(batch.positions) + batch.left_out
        left_out += batch.left_out
    misses = {
        "row_of_a_file_beyond_it": max(excess - summary.tolerance, 0.0),
        "rows_read_again": float(abs(rows - summary.rows) + abs(left_out - summary.left_out)),
        "least_and_greatest_of_a_metric": float(
            (minima != summary.minima).sum() + (maxima != summary.maxima).sum()
        ),
    }
    arrays = {name: np.array([value]) for name, value in misses.items()}
    return replace(proof, frame=proof.frame.assign(**misses), violations=proof.violations | arrays)


def _without_claim(proof: Proof, claim: str) -> Proof:
    return replace(proof, unclaimed=(*proof.unclaimed, claim))


def _read_all_batches(files: ParquetFiles) -> Iterator[Batch]:
    """Yield the rows of all files, batch by batch."""
    for partition in files.partitions:
        for groups in partition:
            yield from read_batches(files, groups)


def verify_scores(ranking: FilesRanking) -> Proof:
    """Prove the scores in a file: a row per batch.

    Raises
    ------
    CertificateError
        If the file has other rows than those that were scored.
    """
    summary = ranking.frontier.source_summary
    if summary is None or summary.files is None:
        raise CertificateError("the ranking does not name its files; compute the result again")
    scorer = Scorer(ranking.frontier)
    other_rows = CertificateError(
        f"'{ranking.path}' has other rows than were scored; compute the result again"
    )
    proved = list[dict[str, float]]()
    with open_parquet(ranking.path) as file:
        if file.metadata.num_rows != int(ranking.batches["rows"].sum()):
            raise other_rows
        for batch in _read_all_batches(summary.files):
            if not len(batch.positions):
                continue
            number = len(proved)
            if number == file.metadata.num_row_groups:
                raise other_rows
            # Each batch was written as one row group, in the order of the files.
            table = file.read_row_group(number, columns=list(SCORE_COLUMNS), use_threads=False)
            efficiency, efficient, facet = (table.column(k).to_numpy() for k in range(3))
            if len(efficiency) != len(batch.positions):
                raise other_rows
            is_undefined = ~batch.columns.any(axis=0)
            is_facet = (facet >= 0) & (facet < len(scorer.normals))
            is_facet |= is_undefined & (facet == NO_FACET) & np.isnan(efficiency)
            if not is_facet.all():
                raise other_rows
            # The written scores are compared with new ones, and with the weights they name.
            scores = scorer.score(batch.columns)
            weighted = (scorer.normals[facet] * batch.columns.T).sum(axis=1)
            weighted[is_undefined] = np.nan
            statistics = asdict(summarize_batch(summary.files, batch, scores))
            claimed = ranking.batches[number : number + 1].to_dict("records")
            from_proof = _greatest_distance(efficiency, scores.efficiency)
            from_weights = _greatest_distance(efficiency, weighted)
            proved.append(
                {
                    "gap": float(scores.gap.max()),
                    "short": float(scores.shortfall.max()),
                    "distance_of_the_score_from_its_proof": float(from_proof),
                    "distance_of_the_score_from_its_weights": float(from_weights),
                    "efficient": float((efficient != scores.efficient).sum()),
                    "statistics_of_the_batch": float(claimed != [statistics]),
                }
            )
    frame = pd.DataFrame(proved).rename_axis("batch")
    misses = {str(name): frame[name].to_numpy() for name in frame}
    # Scores are proved only if no row of the frontier exceeds 1 under any weights.
    excess = np.maximum((scorer.normals @ scorer.points.T).max() - 1.0, 0.0)
    misses["weights_that_let_a_row_of_the_frontier_exceed_1"] = np.full(len(frame), excess)
    return Proof(frame, misses)


def _greatest_distance(scores: np.ndarray, expected: np.ndarray) -> float:
    """Return the greatest difference of scores; infinity where only one of two is undefined."""
    is_undefined = np.isnan(scores)
    if (is_undefined != np.isnan(expected)).any():
        return float(np.inf)
    return float(np.abs(scores - expected)[~is_undefined].max(initial=0.0))
