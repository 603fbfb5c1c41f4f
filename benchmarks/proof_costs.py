"""What proofs cost beside what they prove: CPU seconds, the least of a few turns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
from simulations.cpu_time import cpu
from simulations.tables import KINDS, frame, sphere, unif

from deabench.analysis.frontier import frontier
from deabench.analysis.ranking import rank
from deabench.analysis.targets import targets
from deabench.geometry import facets
from deabench.proofs import frontier as proved_facets
from deabench.proofs.certify import certify
from deabench.proofs.targets import closeness_violations
from deabench.results.frontier import NORMS, Frontier
from deabench.utils.arrays import one_thread


def facet_proofs() -> pd.DataFrame:
    """That a list of facets is complete, beside Qhull, which makes it (asked: at most half of its
    time).
    """
    rows = []
    for kind, n, s in (
        ("sphere", 100, 4),
        ("sphere", 100, 5),
        ("unif", 5_000, 5),
        ("sphere", 100, 6),
        ("unif", 5_000, 6),
    ):
        front = frontier(frame(KINDS[kind](n, s)))
        with one_thread(n):
            made, _ = _least(partial(facets.polar_simplices, front.boxed_rows), 5)
            checked, _ = _least(partial(_complete, front), 5)
        rows.append(
            {
                "table": kind,
                "n": n,
                "s": s,
                "facets": len(front.hull.normals),
                "qhull_s": made,
                "checked_s": checked,
                "share": checked / made,
            }
        )
    return pd.DataFrame(rows).set_index("table")


def _complete(front: Frontier) -> None:
    hull, rows = front.hull, front.boxed_rows
    proved_facets.count_malformed(hull.members, hull.facet, hull.normals, len(rows))
    proved_facets.greatest_offset(rows, hull.members, hull.facet, hull.normals)
    proved_facets.greatest_excess(rows, hull.normals)
    proved_facets.count_open_ridges(hull.members, len(rows))


def minimality() -> pd.DataFrame:
    """That 20 targets are the closest, beside the search for them without the faces (asked: at most
    a third of its time).
    """
    rows = []
    for extreme, s in ((100, 4), (200, 5), (100, 6)):
        table, inside = frame(sphere(extreme, s)), frame(0.9 * unif(20, s))
        for norm in NORMS:
            for dominating in (False, True):
                targets_seconds, result = _least(
                    partial(
                        targets, inside, table, norm=norm, dominating=dominating, method="faces"
                    ),
                    2,
                )
                faces, _ = _least(partial(_maximal, table), 2)
                with one_thread(extreme):
                    checked, _ = _least(partial(closeness_violations, result), 3)
                rows.append(
                    {
                        "norm": norm,
                        "dominating": dominating,
                        "extreme": extreme,
                        "s": s,
                        "searched_s": targets_seconds - faces,
                        "checked_s": checked,
                        "share": checked / (targets_seconds - faces),
                        "slopes_per_dmu": len(result.slopes) / 20,
                        "certify_s": _least(partial(certify, result), 2)[0],
                    }
                )
    return pd.DataFrame(rows).set_index("norm")


def scores(sizes: tuple[int, ...]) -> pd.DataFrame:
    """`certify` of rankings, beside `rank`."""
    rows = []
    for n in sizes:
        for kind in ("unif", "metrics"):
            found_s, ranking = cpu(partial(rank, frame(KINDS[kind](n))))
            rows.append(
                {
                    "table": kind,
                    "n": n,
                    "rank_s": found_s,
                    "certify_s": _least(partial(certify, ranking), 2)[0],
                }
            )
    return pd.DataFrame(rows).set_index("table")


def _least(work: Callable[[], Any], turns: int) -> tuple[float, Any]:
    """The least CPU seconds of a few turns, and the last value."""
    seconds, value = [], None
    for _ in range(turns):
        spent, value = cpu(work)
        seconds.append(spent)
    return min(seconds), value


def _maximal(table: pd.DataFrame) -> list[frozenset[int]]:
    """The faces that a search goes through, listed anew."""
    return list(frontier(table).hull.maximal_faces)
