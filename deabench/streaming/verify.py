"""Frontiers and scores of files, proved again: every row is read once more and held against the
frontier.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from deabench.errors import CertificateError
from deabench.results.frontier import Frontier
from deabench.results.proof import Proof
from deabench.streaming.batches import Batch, batches
from deabench.streaming.files import Files, opened
from deabench.streaming.scorer import Scorer
from deabench.streaming.statistics import said_of

if TYPE_CHECKING:
    from deabench.streaming.rank_files import FilesRanking


def verify_sources(front: Frontier, proof: Proof) -> Proof:
    """The proof of a frontier, held against the rows that it was made of where they can be read
    again.
    """
    seen = front.source_summary
    if seen is None:
        return proof
    if seen.files is None:
        return _unclaimed(
            proof,
            f"that none of the {seen.rows:,} rows that it has seen lies beyond it, and who entered and left: "
            "they are not with it; certify the frontiers that it grew from",
        )
    gone = [path for path in seen.files.paths if not Path(path).exists()]
    if gone:
        return _unclaimed(
            proof, f"that no row of its files lies beyond it: '{gone[0]}' is not there any more"
        )
    scorer, beyond, rows, left_out = Scorer(front), 0.0, 0, 0
    low, high = np.full(len(seen.low), np.inf), np.full(len(seen.low), -np.inf)
    for part in seen.files.parts:
        for piece in part:
            for batch in batches(seen.files, piece):
                if len(batch.places):
                    some = batch.columns[:, batch.columns.any(axis=0)]
                    beyond = max(
                        beyond,
                        float(scorer.score(some).efficiency.max()) - 1.0 if some.size else 0.0,
                    )
                low, high = np.minimum(low, batch.low), np.maximum(high, batch.high)
                rows, left_out = (
                    rows + len(batch.places) + batch.left_out,
                    left_out + batch.left_out,
                )
    misses = {
        "row_of_a_file_beyond_it": max(beyond - seen.tolerance, 0.0),
        "rows_read_again": float(abs(rows - seen.rows) + abs(left_out - seen.left_out)),
        "least_and_greatest_of_a_metric": float(
            (low != seen.low).sum() + (high != seen.high).sum()
        ),
    }
    own = {name: np.array([value]) for name, value in misses.items()}
    return replace(proof, frame=proof.frame.assign(**misses), violations=proof.violations | own)


def _unclaimed(proof: Proof, what: str) -> Proof:
    return replace(proof, unclaimed=(*proof.unclaimed, what))


def verify_scores(result: FilesRanking) -> Proof:
    """The proof of the scores in a file: a row per batch.

    Raises
    ------
    CertificateError
        Where the file has other rows than those that were scored.
    """
    front = result.frontier
    if front.source_summary is None or front.source_summary.files is None:
        raise CertificateError("the ranking does not know its files; the result does not hold")
    files, scorer, out = front.source_summary.files, Scorer(front), list[dict[str, float]]()
    with opened(result.path) as scores:
        if scores.metadata.num_rows != int(result.batches["rows"].sum()):
            raise CertificateError(
                f"'{result.path}' has other rows than were scored; the result does not hold"
            )
        groups = iter(range(scores.metadata.num_row_groups))
        for number, batch in enumerate(_rows(files)):
            table = scores.read_row_group(
                next(groups), columns=["efficiency", "efficient", "facet"], use_threads=False
            )
            efficiency, efficient, facet = (table.column(k).to_numpy() for k in range(3))
            if (
                len(efficiency) != len(batch.places)
                or not ((facet >= 0) & (facet < len(scorer.normals))).all()
            ):
                raise CertificateError(
                    f"'{result.path}' has other rows than were scored; the result does not hold"
                )
            own = scorer.score(batch.columns)
            weighted = (scorer.normals[facet] * batch.columns.T).sum(axis=1)
            said = asdict(said_of(files, batch, own))
            out.append(
                {
                    "gap": float(own.gap.max()),
                    "short": float(own.short.max()),
                    "distance_of_the_score_from_its_proof": float(
                        np.abs(efficiency - own.efficiency).max()
                    ),
                    "distance_of_the_score_from_its_weights": float(
                        np.abs(efficiency - weighted).max()
                    ),
                    "efficient": float((efficient != own.efficient).sum()),
                    "what_is_said_of_the_batch": float(
                        result.batches[number : number + 1].to_dict("records") != [said]
                    ),
                }
            )
    frame = pd.DataFrame(out).rename_axis("batch")
    above = np.maximum((scorer.normals @ scorer.points.T).max() - 1.0, 0.0)
    misses = {str(name): frame[name].to_numpy() for name in frame}
    return Proof(
        frame,
        misses | {"weights_that_let_a_row_of_the_frontier_exceed_1": np.full(len(frame), above)},
    )


def _rows(files: Files) -> Iterator[Batch]:
    """The rows of all files, batch by batch."""
    for part in files.parts:
        for piece in part:
            for batch in batches(files, piece):
                if len(batch.places):
                    yield batch
