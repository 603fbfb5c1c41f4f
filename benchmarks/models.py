"""Every DEA model beside the packages that have it: CPU time and agreement, on one table with
costs.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from simulations.cpu_time import in_turns

from deabench.analysis.ranking import rank
from deabench.errors import DataWarning
from deabench.models import ModelName
from deabench.models.options import build_options

Peer = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Scores of inputs (n, m) and outputs (n, s), as deabench measures them."""


def deapack(
    name: str, column: str, turn: Callable[[np.ndarray], np.ndarray] = np.asarray, **options: Any
) -> Peer:
    """A model of DEAPack, read from a column of its summary."""

    def scores(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        import deapack as package

        inputs, outputs = [f"x{i}" for i in range(X.shape[1])], [f"y{r}" for r in range(Y.shape[1])]
        table = pd.DataFrame(np.column_stack([X, Y]), columns=[*inputs, *outputs]).assign(
            dmu=range(len(X))
        )
        data = package.DEAData.from_frame(table, dmu="dmu", inputs=inputs, outputs=outputs)
        summary = getattr(package, name)(**options).fit(data).summary_frame
        return turn(summary.set_index("dmu_id").loc[range(len(X)), column].to_numpy(dtype=float))

    return scores


def orange(
    room: str, name: str, turn: Callable[[np.ndarray], np.ndarray] = np.asarray, **options: Any
) -> Peer:
    """A model of orange3-dea's core."""

    def scores(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        problems = importlib.import_module("orangecontrib.dea.core.problem")
        solve = getattr(importlib.import_module(f"orangecontrib.dea.core.{room}"), name)
        problem = problems.DEAProblem(
            [str(k) for k in range(len(X))],
            [f"x{i}" for i in range(X.shape[1])],
            [f"y{r}" for r in range(Y.shape[1])],
            X,
            Y,
        )
        return turn(np.asarray(solve(problem, **options).efficiency, dtype=float))

    return scores


def dealib(
    name: str,
    turn: Callable[[np.ndarray], np.ndarray] = np.asarray,
    field: str = "eff",
    **options: Any,
) -> Peer:
    """A model of dealib, read from a field of its result."""

    def scores(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        import dealib as package

        return turn(
            np.asarray(getattr(getattr(package, name)(X, Y, **options), field), dtype=float).ravel()
        )

    return scores


def inverse(values: np.ndarray) -> np.ndarray:
    return np.asarray(1.0 / values)


CASES: dict[str, tuple[ModelName, dict[str, Any], dict[str, Peer]]] = {
    "ccr, vrs, output": (
        "ccr",
        {"returns": "vrs"},
        {
            "DEAPack": deapack("BCC", "efficiency", orientation="output", compute_slacks=False),
            "orange3-dea": orange(
                "radial", "solve_radial", inverse, orientation="output", rts="VRS", two_phase=False
            ),
            "dealib": dealib("dea", inverse, rts="vrs", orientation="output"),
        },
    ),
    "fdh, output": (
        "fdh",
        {},
        {
            "DEAPack": deapack("FDH", "efficiency", orientation="output", compute_slacks=False),
            "orange3-dea": orange("nonradial", "solve_fdh", inverse, orientation="output"),
        },
    ),
    "super, crs, input": (
        "super",
        {"returns": "crs", "orientation": "input"},
        {
            "orange3-dea": orange("radial", "solve_super_radial", orientation="input", rts="CRS"),
            "dealib": dealib("sdea", rts="crs", orientation="input"),
        },
    ),
    "sbm, crs": (
        "sbm",
        {},
        {
            "DEAPack": deapack("SBM", "efficiency", returns_to_scale="crs"),
            "orange3-dea": orange("nonradial", "solve_sbm", rts="CRS"),
        },
    ),
    "super-sbm, crs": (
        "super-sbm",
        {},
        {
            "DEAPack": deapack("SuperSBM", "super_sbm_score", returns_to_scale="crs"),
            "orange3-dea": orange("nonradial", "solve_super_sbm", rts="CRS"),
        },
    ),
    "russell, vrs, output": (
        "russell",
        {},
        {
            "DEAPack": deapack("OutputRussell", "efficiency"),
            "orange3-dea": orange(
                "nonradial", "solve_russell", inverse, rts="VRS", orientation="output"
            ),
        },
    ),
    "additive, vrs": (
        "additive",
        {},
        {
            "DEAPack": deapack("AdditiveDEA", "score"),
            "orange3-dea": orange("nonradial", "solve_additive", rts="VRS", weights="ones"),
            "dealib": dealib("add", field="objval"),
        },
    ),
    "ram, vrs": ("ram", {}, {"DEAPack": deapack("RAM", "efficiency", lambda values: 1.0 - values)}),
    "bam": ("bam", {}, {"DEAPack": deapack("BAM", "efficiency", lambda values: 1.0 - values)}),
    "ddf, vrs, own": (
        "ddf",
        {},
        {
            "DEAPack": deapack("DDF", "distance", compute_slacks=False),
            "orange3-dea": orange("nonradial", "solve_ddf", rts="VRS"),
        },
    ),
    "ddf, vrs, ones, output": (
        "ddf",
        {"orientation": "output", "direction": "ones"},
        {
            "dealib": dealib(
                "direct", field="objval", direct_=[1.0] * 5, rts="vrs", orientation="output"
            )
        },
    ),
    "rdm": ("rdm", {}, {"DEAPack": deapack("RDM", "efficiency")}),
    "cross, aggressive": (
        "cross",
        {},
        {"orange3-dea": orange("cross", "solve_cross_efficiency", strategy="aggressive")},
    ),
    "holder, l1": ("holder", {"norm": "l1"}, {}),
    "holder, linf": ("holder", {"norm": "linf"}, {}),
    "common": ("common", {}, {}),
    "common, largest": ("common", {"goal": "largest"}, {}),
}
"""What is compared: deabench's model and options, and who else has it."""
WRONG = 1e-6
MODULES = {"DEAPack": "deapack", "orange3-dea": "orangecontrib", "dealib": "dealib"}


def models(n: int, *, repeats: int = 1, only: tuple[str, ...] = ()) -> pd.DataFrame:
    """CPU milliseconds per DMU of every model, ours and the peers', and how far their scores lie
    from ours.
    """
    rng = np.random.default_rng(0)
    X, Y = rng.uniform(0.3, 1, (n, 2)), rng.uniform(0.3, 1, (n, 5))
    rows = []
    for title, (model, options, peers) in CASES.items():
        if only and title not in only:
            continue
        available = {
            name: peer for name, peer in peers.items() if importlib.util.find_spec(MODULES[name])
        }
        solvers: dict[str, Callable[[], Any]] = {"deabench": partial(_ours, X, Y, model, options)}
        solvers |= {name: partial(_tried, peer, X, Y) for name, peer in available.items()}
        _ours(X[:12], Y[:12], model, options)  # what is imported or compiled once is not measured
        for peer in available.values():
            _tried(peer, X[:12], Y[:12])
        timed = in_turns(solvers, repeats)
        seconds, truth = timed["deabench"]
        rows += [
            _row(title, name, spent, scores, truth, seconds)
            for name, (spent, scores) in timed.items()
        ]
    return pd.DataFrame(rows).set_index("model")


def _row(
    title: str, name: str, spent: float, scores: np.ndarray | str, truth: np.ndarray, ours: float
) -> dict[str, Any]:
    row = {
        "model": title,
        "way": name,
        "ms_per_dmu": 1e3 * spent / len(truth),
        "x_deabench": spent / ours,
    }
    if isinstance(scores, str):
        return row | {"max_difference": np.nan, "note": scores}
    off = np.abs(scores - truth)
    wrong = int((off > WRONG).sum())
    return row | {
        "max_difference": float(np.nanmax(off)),
        "note": f"{wrong} differ" if wrong else "",
    }


def _ours(X: np.ndarray, Y: np.ndarray, model: ModelName, options: dict[str, Any]) -> np.ndarray:
    """`deabench.rank`, proofs included, as anyone calls it."""
    names = [f"y{r}" for r in range(Y.shape[1])]
    costs = [] if model == "common" else [f"x{i}" for i in range(X.shape[1])]
    table = pd.DataFrame(
        np.column_stack([Y, X]), columns=[*names, *(f"x{i}" for i in range(X.shape[1]))]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return np.asarray(
            rank(
                table, outputs=names, inputs=costs or None, model=build_options(model, options)
            ).scores
        )


def _tried(peer: Peer, X: np.ndarray, Y: np.ndarray) -> np.ndarray | str:
    """The peer's scores, or what it ends with: that is its result."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return peer(X, Y)
    except Exception as error:
        return repr(error)[:60]
