"""Independent ways to the numbers of the spine, which use neither deabench's formulations nor its
solver.

The equations of the papers as plain linear programs for SciPy, closest targets by brute force, and
tables with every degeneracy that metrics have."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult, linprog

ORACLES = Path(__file__).parents[1] / "oracles"
RETURNS = {"crs": (0.0, np.inf), "vrs": (1.0, 1.0), "nirs": (0.0, 1.0), "ndrs": (1.0, np.inf)}
NORMS = {"l1": 1, "l2": 2, "linf": np.inf}


def oracle(name: str, part: str) -> pd.DataFrame:
    """One oracle file, DMUs in the index; see oracles/README.md for its source."""
    return pd.read_csv(ORACLES / f"{name}_{part}.csv", index_col=0)


def examples(count: int) -> Callable:
    """Hypothesis with so many examples for 100 that a profile draws, the same on every run."""
    return settings(
        max_examples=max(count * settings().max_examples // 100, 5),
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )


def solved(
    c: np.ndarray,
    A: np.ndarray,
    b: np.ndarray,
    *,
    equal: tuple | None = None,
    bounds: object = (0, None),
) -> OptimizeResult | None:
    """min c·x, A x <= b, by SciPy at its tightest tolerance; None where it is infeasible."""
    A_eq, b_eq = equal if equal else (None, None)
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    solution = linprog(c, A, b, A_eq, b_eq, bounds=bounds, method="highs-ds", options=tight)
    if solution.status == 2:
        return None
    assert solution.status == 0, solution.message
    return solution


def lp(
    c: np.ndarray,
    A: np.ndarray,
    b: np.ndarray,
    *,
    equal: tuple | None = None,
    bounds: object = (0, None),
) -> float:
    """The optimum of `solved`; NaN where it is infeasible."""
    solution = solved(c, A, b, equal=equal, bounds=bounds)
    return np.nan if solution is None else float(solution.fun)


def theta5(Y: np.ndarray, y: np.ndarray) -> float:
    """(5): max θ, Σ λ Y >= θ y, Σ λ = 1."""
    unit = Y.max(axis=0)
    Y, y = Y / unit, y / unit
    n = len(Y)
    return -lp(
        np.append(np.zeros(n), -1.0),
        np.column_stack([-Y.T, y]),
        np.zeros(Y.shape[1]),
        equal=(np.append(np.ones(n), 0.0)[None], [1.0]),
        bounds=[(0, None)] * n + [(None, None)],
    )


def score6(Y: np.ndarray, y: np.ndarray) -> float:
    """(6): max w·y, Y w <= 1."""
    unit = Y.max(axis=0)
    return -lp(-y / unit, Y / unit, np.ones(len(Y)))


def radial(
    X: np.ndarray, Y: np.ndarray, x: np.ndarray, y: np.ndarray, *, orientation: str, returns: str
) -> float:
    """Solve (3): θ <= 1 (input) or φ >= 1 (output); NaN where it is infeasible."""
    X, x, Y, y = X / X.max(axis=0), x / X.max(axis=0), Y / Y.max(axis=0), y / Y.max(axis=0)
    n, (low, high) = len(X), RETURNS[returns]
    inward = orientation == "input"
    A = np.vstack(
        [
            np.column_stack([X.T, -x if inward else 0 * x]),
            np.column_stack([-Y.T, 0 * y if inward else y]),
        ]
    )
    b = np.concatenate([0 * x if inward else x, -y if inward else 0 * y])
    total = np.append(np.ones(n), 0.0)
    if np.isfinite(high):
        A, b = np.vstack([A, total]), np.append(b, high)
    if low > 0:
        A, b = np.vstack([A, -total]), np.append(b, -low)
    value = lp(
        np.append(np.zeros(n), 1.0 if inward else -1.0),
        A,
        b,
        bounds=[(0, None)] * n + [(None, None)],
    )
    return value if inward else -value


def normal(P: np.ndarray, T: tuple[int, ...]) -> np.ndarray | None:
    """A u > 0 that has its maximum over P at all points of T, which so lie on one efficient face;
    None without one.
    """
    e, s = P.shape
    unit = np.where(np.ptp(P, axis=0) > 0, np.ptp(P, axis=0), 1.0)
    shifted = (P - P[T[0]]) / unit
    above = np.vstack(
        [np.column_stack([shifted, np.zeros(e)]), np.column_stack([-np.eye(s), np.ones(s)])]
    )
    on = np.column_stack([shifted[list(T)], np.zeros(len(T))])
    solution = solved(
        np.append(np.zeros(s), -1.0),
        above,
        np.zeros(e + s),
        equal=(np.vstack([on, np.append(np.ones(s), 0.0)]), np.append(np.zeros(len(T)), 1.0)),
        bounds=[(0, None)] * s + [(None, None)],
    )
    return solution.x[:-1] / unit if solution is not None and solution.x[-1] > 1e-9 else None


def valid_M(P: np.ndarray) -> float:
    """An M for (7) that cuts no Pareto-efficient face off: the largest d of a normal of each,
    scaled to min u = 1.
    """
    normals = [normal(P, T) for T in subsets(P, len(P))]
    return max(float(np.ptp(P @ u) / u.min()) for u in normals if u is not None) * 1.01 + 1.0


def subsets(P: np.ndarray, most: int) -> list[tuple[int, ...]]:
    """Every subset of P, of at most so many points, that spans a part of a Pareto-efficient face:
    subset by subset.
    """
    return _subsets(tuple(map(tuple, P.tolist())), min(len(P), most))


@lru_cache(maxsize=16)
def _subsets(rows: tuple[tuple[float, ...], ...], most: int) -> list[tuple[int, ...]]:
    """The subsets of points given as rows: the same for each point that is tested against them."""
    P = np.array(rows)
    return [
        T
        for size in range(1, most + 1)
        for T in itertools.combinations(range(len(P)), size)
        if normal(P, T) is not None
    ]


def to_hull(V: np.ndarray, p: np.ndarray, norm: str, *, dominating: bool = False) -> float:
    """The L1 or L∞ distance from p to the convex hull of V; infinite where no point of it dominates
    p as asked.
    """
    k, s = V.shape
    gaps = np.eye(s) if norm == "l1" else np.ones((s, 1))
    A = np.vstack([np.column_stack([V.T, -gaps]), np.column_stack([-V.T, -gaps])])
    b = np.append(p, -p)
    if dominating:
        A, b = np.vstack([A, np.column_stack([-V.T, 0 * gaps])]), np.append(b, -p)
    c = np.append(np.zeros(k), np.ones(gaps.shape[1]))
    value = lp(c, A, b, equal=(np.append(np.ones(k), np.zeros(gaps.shape[1]))[None], [1.0]))
    return np.inf if np.isnan(value) else value


def to_affine_hull(V: np.ndarray, p: np.ndarray) -> float:
    """The Euclidean distance from p to the affine hull of V if its nearest point is in the convex
    hull; else infinite.

    The nearest point of a union of hulls lies inside some simplex of it, where it is the projection
    on that simplex' affine hull: over all subsets, this needs no quadratic program."""
    basis = (V[1:] - V[0]).T
    step = np.linalg.lstsq(basis, p - V[0], rcond=None)[0] if len(V) > 1 else np.zeros(0)
    lam = np.append(1.0 - step.sum(), step)
    return float(np.linalg.norm(lam @ V - p)) if lam.min() >= -1e-12 else np.inf


def brute(P: np.ndarray, p: np.ndarray, norm: str, *, dominating: bool = False) -> float:
    """The distance from p to the Pareto-efficient faces, over all subsets of P."""
    if norm == "l2":
        return min(to_affine_hull(P[list(T)], p) for T in subsets(P, P.shape[1]))
    return min(to_hull(P[list(T)], p, norm, dominating=dominating) for T in subsets(P, P.shape[1]))


def brute_common(P: np.ndarray, points: np.ndarray, norm: str) -> float:
    """The least total distance of all points to one face."""
    return min(sum(to_hull(P[list(T)], p, norm) for p in points) for T in subsets(P, len(P)))


def full_normals(P: np.ndarray) -> np.ndarray:
    """Normals w > 0 with w·Y <= 1 of the full-dimensional Pareto-efficient facets, by trying every
    s points of P.
    """
    s, normals = P.shape[1], []
    for T in itertools.combinations(range(len(P)), s):
        if abs(np.linalg.det(P[list(T)])) > 1e-9:
            w = np.linalg.solve(P[list(T)], np.ones(s))
            if (w > 1e-9).all() and (P @ w).max() <= 1 + 1e-9:
                normals.append(w)
    return np.array(normals).reshape(-1, s)


def to_facets(W: np.ndarray, p: np.ndarray, norm: str) -> float:
    """The L1 or L∞ distance from p to the boundary of {y : W y <= 1}: from inside to the nearest
    plane.
    """
    if (W @ p).max() <= 1:
        return float(
            (
                (1 - W @ p) / np.linalg.norm(W, {"l1": np.inf, "l2": 2, "linf": 1}[norm], axis=1)
            ).min()
        )
    s = len(p)
    gaps = np.eye(s) if norm == "l1" else np.ones((s, 1))
    k = gaps.shape[1]
    A = np.vstack(
        [
            np.column_stack([W, np.zeros((len(W), k))]),
            np.column_stack([np.eye(s), -gaps]),
            np.column_stack([-np.eye(s), -gaps]),
        ]
    )
    return lp(
        np.append(np.zeros(s), np.ones(k)),
        A,
        np.concatenate([np.ones(len(W)), p, -p]),
        bounds=[(None, None)] * s + [(0, None)] * k,
    )


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    rows: tuple[int, int] = (1, 9),
    metrics: tuple[int, int] = (1, 4),
    near: bool = True,
) -> np.ndarray:
    """A table of metrics as they come: hundredths in (0, 1], and of these some clipped at 1, with
    ties, duplicates, constant columns, mixtures, zeros, and, where asked for, near-duplicates 1e-9
    apart.
    """
    n, s = draw(st.integers(*rows)), draw(st.integers(*metrics))
    cells = draw(
        st.lists(st.lists(st.integers(1, 100), min_size=s, max_size=s), min_size=n, max_size=n)
    )
    Y = np.array(cells, dtype=float) / 100
    table_kinds = ["clip", "tie", "duplicate", "constant", "mixture", "zero"] + ["near"] * near
    kinds = draw(st.sets(st.sampled_from(table_kinds), max_size=3))
    if "clip" in kinds:
        Y = np.minimum(1.6 * Y, 1.0)
    if "tie" in kinds:
        Y = np.ceil(5 * Y) / 5
    if "zero" in kinds and s > 1:
        Y[0, 0] = 0.0
    if "constant" in kinds:
        Y[:, -1] = 0.75
    if "mixture" in kinds and n > 2:
        Y[-1] = (Y[0] + Y[1]) / 2
    if "duplicate" in kinds:
        Y = np.vstack([Y, Y[0]])
    if "near" in kinds:
        Y = np.vstack([Y, Y[-1] * (1 + 1e-9 * np.where(np.arange(s) % 2, -1, 1))])
    return np.where(Y.any(axis=0), Y, 0.5)


def clear(Y: np.ndarray) -> bool:
    """Whether no two values of a metric are so near that a tolerance of 1e-9 decides which is the
    greater.
    """
    gaps = np.abs(np.diff(np.sort(Y / Y.max(axis=0), axis=0), axis=0))
    return not ((gaps > 1e-15) & (gaps < 1e-6)).any()


def scales(s: int) -> st.SearchStrategy[np.ndarray]:
    """A unit for each of s metrics, from 1e-6 to 1e9."""
    return st.lists(st.integers(-6, 9), min_size=s, max_size=s).map(
        lambda powers: 10.0 ** np.array(powers)
    )


def frame(values: np.ndarray, prefix: str = "c") -> pd.DataFrame:
    return pd.DataFrame(
        values,
        index=[f"{prefix}{j}" for j in range(len(values))],
        columns=[f"m{r}" for r in range(values.shape[1])],
    )
