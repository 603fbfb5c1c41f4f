"""Closest targets: time, and whether they are right, against enumeration by brute force."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from deabench.analysis.frontier import frontier
from deabench.analysis.targets import targets
from deabench.errors import DataWarning, SolveError
from deabench.proofs.certify import certify
from deabench.results.targets import Targets
from simulations.cpu_time import cpu, in_turns
from simulations.tables import frame, sphere, unif


def closest(tested: np.ndarray, reference: np.ndarray, **how: Any) -> Targets:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return targets(frame(tested), frame(reference), **how)


def speed(extreme: int, tested: int, *, s: int = 5) -> pd.DataFrame:
    """All faces of `extreme` efficient DMUs once, then the targets of `tested` DMUs inside: CPU
    seconds.
    """
    reference, inside = sphere(extreme, s), 0.9 * unif(tested + 1, s)
    closest(inside[:1], sphere(s + 1, s))
    rows = []
    for norm in ("l1", "l2", "linf"):
        timed = in_turns(
            {
                "one": partial(closest, inside[:1], reference, norm=norm),
                "all": partial(closest, inside, reference, norm=norm),
            },
            3,
        )
        seconds_each = (timed["all"][0] - timed["one"][0]) / tested
        rows.append(
            {
                "extreme": len(timed["all"][1].frontier.vertices),
                "s": s,
                "norm": norm,
                "once_s": timed["one"][0] - seconds_each,
                "ms_per_dmu": 1e3 * seconds_each,
            }
        )
    return pd.DataFrame(rows).set_index("extreme")


def faces_and_milp(extreme: int, tested: int, *, s: int = 5) -> pd.DataFrame:
    """Enumeration of faces and the normalised MILP on the same DMUs: CPU time, ratio, agreement."""
    reference, inside = sphere(extreme, s), 0.9 * unif(tested, s)
    closest(inside[:1], reference, method="milp")
    faces_s, faces = cpu(lambda: closest(inside, reference, method="faces"))
    milp_s, milp = cpu(lambda: closest(inside, reference, method="milp"))
    return pd.DataFrame(
        {
            "extreme": [extreme],
            "s": [s],
            "tested": [tested],
            "faces_ms": [1e3 * faces_s / tested],
            "milp_ms": [1e3 * milp_s / tested],
            "ratio": [milp_s / faces_s],
            "max_difference": [(faces.distance - milp.distance).abs().max()],
        }
    ).set_index("extreme")


def right(cases: int) -> pd.DataFrame:
    """Generated cases against brute force: how many, and how many agree to 1e-8 and hold their
    certificate.
    """
    rows = [
        _case(reference, tested, norm, dominating, method)
        for reference, tested in _generated(cases)
        for norm, dominating in itertools.product(("l1", "linf"), (False, True))
        for method in ("faces", "milp")
    ]
    return _counted(pd.DataFrame(rows).assign(cases="generated"))


def published() -> pd.DataFrame:
    """The tables on which a published MILP errs (default_rng(0); L1, dominating), against brute
    force.
    """
    population = unif(1000)
    out = []
    for n, s in ((30, 3), (30, 5), (100, 3), (100, 5)):
        table = population[:n, :s]
        extreme = frontier(frame(table)).points.to_numpy()
        for method in ("faces", "milp"):
            row = _case(extreme, table, "l1", True, method)
            out.append(_counted(pd.DataFrame([row]).assign(cases=f"{n} x {s}")))
    return pd.concat(out)


def _counted(cases: pd.DataFrame) -> pd.DataFrame:
    return (
        cases.groupby(["cases", "method"], sort=False)
        .agg(targets=("targets", "sum"), right=("right", "sum"), worst=("worst", "max"))
        .reset_index()
        .set_index("cases")
    )


def _case(
    reference: np.ndarray, tested: np.ndarray, norm: str, dominating: bool, method: str
) -> dict[str, Any]:
    truth = brute(reference, tested, norm, dominating)
    try:
        result = closest(tested, reference, norm=norm, dominating=dominating, method=method)
        certify(result)
        got = result.distance.fillna(np.inf).to_numpy()
    except SolveError:
        got = np.full(len(tested), np.nan)
    with np.errstate(invalid="ignore"):
        off = np.where(got == truth, 0.0, np.abs(got - truth))
    return {
        "method": method,
        "targets": len(tested),
        "right": int((off <= 1e-8).sum()),
        "worst": float(np.nanmax(off)),
    }


def _generated(cases: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Small tables with what real ones have: ties, mixtures of others, metrics clipped at 1."""
    rng = np.random.default_rng(1)
    for kind in itertools.islice(itertools.cycle(range(4)), cases):
        e, s = int(rng.integers(1, 7)), int(rng.integers(1, 4))
        points = rng.uniform(0.3, 1, (e, s))
        if kind == 1:
            points = np.round(points, 1)
        if kind == 2 and e > 2:
            points[-1] = (points[0] + points[1]) / 2
        if kind == 3:
            points = np.minimum(points * 1.4, 1.0)
        yield points, rng.uniform(0.2, 1.1, (2, s))


def brute(reference: np.ndarray, tested: np.ndarray, norm: str, dominating: bool) -> np.ndarray:
    """The least distance to any subset of the reference points that lies on a Pareto-efficient
    face, by linear programs.
    """
    e, s = reference.shape
    faces = [
        list(subset)
        for k in range(1, min(e, s) + 1)
        for subset in itertools.combinations(range(e), k)
        if _efficient(reference, list(subset))
    ]
    largest = [f for f in faces if not any(set(f) < set(g) for g in faces)]
    return np.array(
        [
            min((_distance(reference[f], point, norm, dominating) for f in largest), default=np.inf)
            for point in tested
        ]
    )


def _efficient(points: np.ndarray, face: list[int]) -> bool:
    """Whether positive weights exist under which the face is best: max ε, u ≥ ε, Σ u = 1, u·Y_j ≤
    u·Y_k for k in the face.
    """
    s, first = points.shape[1], points[face[0]]
    rows = np.vstack(
        [
            np.column_stack([points - first, np.zeros(len(points))]),
            np.column_stack([-np.eye(s), np.ones(s)]),
        ]
    )
    tight = np.vstack(
        [np.column_stack([points[face] - first, np.zeros(len(face))]), np.append(np.ones(s), 0.0)]
    )
    solution = linprog(
        np.append(np.zeros(s), -1.0),
        rows,
        np.zeros(len(rows)),
        tight,
        np.append(np.zeros(len(face)), 1.0),
        bounds=[(0, None)] * s + [(None, None)],
        method="highs",
    )
    return bool(solution.status == 0 and -solution.fun > 1e-9)


def _distance(vertices: np.ndarray, point: np.ndarray, norm: str, dominating: bool) -> float:
    k, s = vertices.shape
    gap = np.eye(s) if norm == "l1" else np.ones((s, 1))
    rows = [np.column_stack([vertices.T, -gap]), np.column_stack([-vertices.T, -gap])]
    right = [point, -point]
    if dominating:
        rows.append(np.column_stack([-vertices.T, np.zeros_like(gap)]))
        right.append(-point)
    size = gap.shape[1]
    solution = linprog(
        np.append(np.zeros(k), np.ones(size)),
        np.vstack(rows),
        np.concatenate(right),
        np.append(np.ones(k), np.zeros(size))[None],
        [1.0],
        bounds=(0, None),
        method="highs",
    )
    return float(solution.fun) if solution.status == 0 else np.inf
