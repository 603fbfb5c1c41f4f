"""Whether what is answered is right and proved, on tables that try it: counts, and what the proofs
cost.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from deabench.analysis.frontier import frontier
from deabench.analysis.ranking import rank
from deabench.analysis.targets import targets
from deabench.errors import DataError, DataWarning, DeabenchError
from deabench.proofs.certify import certify
from deabench.results.frontier import NORMS
from simulations.rational_efficiency import efficiency, true_reasons
from simulations.tables import frame

RETURNS = ("crs", "vrs", "nirs", "ndrs")


def integer_tables(count: int, first: int = 0) -> pd.DataFrame:
    """Integer tables of 0 to 8 with zeros and a separate reference, against the rational simplex:
    how many are wrong.

    `unproved` numbers are those that `certify` refuses; `none` counts the DMUs without a score,
    `false_reasons` those whose reason is not true; `company` is the largest difference between the
    score of one DMU of a table alone and beside others; `refused` tables are those that the gate
    does not take. The seeds go from `first`."""
    differences = [_integer_table(seed) for seed in range(first, first + count)]
    frame_ = pd.DataFrame([row for row in differences if row is not None])
    out = frame_.groupby("returns").agg(
        tables=("dmus", "size"),
        dmus=("dmus", "sum"),
        wrong=("wrong", "sum"),
        unproved=("unproved", "sum"),
        none=("none", "sum"),
        false_reasons=("false_reasons", "sum"),
        company=("company", "max"),
    )
    return out.assign(refused=sum(row is None for row in differences))


def _integer_table(seed: int) -> dict[str, object] | None:
    rng = np.random.default_rng(seed)
    returns, orientation = RETURNS[seed % 4], ("input", "output")[seed // 4 % 2]
    s, m = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    reference, tested = (
        _integers(rng, int(rng.integers(low, high)), s, m) for low, high in ((2, 6), (1, 5))
    )
    names = list(frame(reference).columns)
    options: dict[str, Any] = {
        "outputs": names[:s],
        "inputs": names[s:],
        "model": "ccr",
        "returns": returns,
        "orientation": orientation,
        "reference": frame(reference),
    }
    table = frame(tested)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            ranking = rank(table, **options)
        except DataError:
            return None
        k = seed % len(table)
        separate = float(rank(table.iloc[[k]], **options).scores.iloc[0])
    exact_answer = partial(_asked_of, reference, s, orientation=orientation, returns=returns)
    scores, truth = ranking.scores.to_numpy(), [exact_answer(efficiency, row) for row in tested]
    right = [_same(score, value) for score, value in zip(scores, truth, strict=True)]
    false = [
        not any(
            reason in ranking.reasons[label] for reason in exact_answer(true_reasons, tested[i])
        )
        for i, label in enumerate(table.index)
        if label in ranking.reasons
    ]
    both_undefined = np.isnan(scores[k]) and np.isnan(separate)
    return {
        "returns": returns,
        "dmus": len(table),
        "wrong": right.count(False),
        "unproved": _held(lambda: ranking)[1],
        "none": len(false),
        "false_reasons": sum(false),
        "company": 0.0
        if both_undefined
        else np.nan_to_num(abs(scores[k] - separate) / max(abs(scores[k]), 1.0), nan=np.inf),
    }


def _asked_of(
    reference: np.ndarray, s: int, oracle: Callable[..., Any], row: np.ndarray, **how: str
) -> Any:
    """What an oracle says of a row of outputs, s of them, and inputs against others."""
    return oracle(reference[:, s:], reference[:, :s], row[s:], row[:s], **how)


def _integers(rng: np.random.Generator, n: int, s: int, m: int) -> np.ndarray:
    """Outputs and inputs from 0 to 8, three in ten of them 0, but not all outputs or all inputs of
    a row.
    """
    values = rng.integers(0, 9, (n, s + m)).astype(float)
    values[rng.uniform(size=(n, s + m)) < 0.3] = 0.0
    for first, last in ((0, s), (s, s + m)):
        empty = ~values[:, first:last].any(axis=1)
        values[empty, first] = rng.integers(1, 9, int(empty.sum()))
    return values


def _same(score: float, truth: object) -> bool:
    if truth is None:
        return bool(np.isnan(score))
    value = float(truth)  # type: ignore[arg-type]
    return bool(abs(score - value) <= 1e-9 * max(value, 1.0))


def noisy_tables(count: int, first: int = 0) -> pd.DataFrame:
    """Rounded tables with noise of 1e-15 to 1e-7: how many rows are answered, and how many rankings
    and frontiers do not hold.

    `slacks` and `undecided` count the DMUs whose slacks, or whose being efficient, floating point
    leaves open, as is said."""
    rows = []
    for seed in range(first, first + count):
        table, noise = noisy_table(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            ranking, refused = _held(partial(rank, table))
            lost = _held(partial(frontier, table))[1]
        proof = None if ranking is None else ranking.slack_weights
        rows.append(
            (
                noise,
                len(table),
                0 if ranking is None else int(ranking.scores.isna().sum()),
                refused,
                lost,
                0 if proof is None else int((proof.of == -2).sum()),
                0 if ranking is None else int(ranking.undecided.sum()),
            )
        )
    names = ["rows", "unanswered", "refused", "frontiers_refused", "slacks", "undecided"]
    noise_frame = pd.DataFrame(rows, columns=["noise", *names])
    return (
        noise_frame.groupby("noise")[names].sum().assign(tables=noise_frame.groupby("noise").size())
    )


def _held(make: Callable[[], Any]) -> tuple[Any, int]:
    """A result that certify passes, and 0; or None and 1."""
    try:
        certify(result := make())
    except DeabenchError:
        return None, 1
    return result, 0


def spread_tables(count: int) -> pd.DataFrame:
    """Tables .9 + spread·Z of 4 to 8 metrics: for how many targets, facets, positions and E are not
    the same at all `SPREADS`.
    """
    rows = []
    for seed in range(count):
        rng, s = np.random.default_rng(seed), 4 + seed % 5
        Z, p = rng.uniform(size=(18, s)), rng.uniform(-0.1, 0.9, (2, s))
        norm = NORMS[seed % 3]
        results = [
            targets(
                frame(0.9 + spread * p),
                frame(0.9 + spread * Z),
                method="faces",
                norm=norm,
                dominating=seed % 2 == 0,
            )
            for spread in SPREADS
        ]
        for result in results:
            certify(result)
        first = results[0]
        differences = [
            np.abs(result.distance / spread - first.distance / SPREADS[0]).max()
            for spread, result in zip(SPREADS, results, strict=True)
        ]
        rows.append(
            {
                "metrics": s,
                "extreme": any(
                    result.frontier.extreme != first.frontier.extreme for result in results
                ),
                "facets": any(
                    len(result.frontier.facets) != len(first.frontier.facets) for result in results
                ),
                "positions": any(
                    list(result.position) != list(first.position) for result in results
                ),
                "distances": max(differences) > 1e-9,
            }
        )
    spread_frame = pd.DataFrame(rows)
    return (
        spread_frame.groupby("metrics").sum().assign(tables=spread_frame.groupby("metrics").size())
    )


SPREADS = (0.1, 0.01, 0.002, 0.001, 1e-4)


def degenerate_results(count: int) -> pd.DataFrame:
    """Valid results of degenerate tables: how many certify refuses, of `count` tables of each kind
    of result together.
    """
    rows = []
    for seed, values in enumerate(degenerate_tables(count)):
        table, tested = frame(values), frame(values[:2] * 0.9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            for name, make in (
                ("ranking", partial(rank, table)),
                ("frontier", partial(frontier, table)),
                (
                    "targets",
                    partial(targets, tested, table, norm=NORMS[seed % 3], dominating=seed % 2 == 0),
                ),
            ):
                rows.append((name, _held(make)[1]))
    refused = pd.DataFrame(rows, columns=["result", "refused"]).groupby("result")["refused"]
    return pd.DataFrame({"tables": refused.size(), "refused": refused.sum()})


def noisy_table(seed: int) -> tuple[pd.DataFrame, float]:
    """A rounded table with noise, and the noise."""
    rng = np.random.default_rng(seed)
    exponent = -15 + seed % 9
    n, s = int(rng.integers(3, 40)), int(rng.integers(2, 6))
    steps = (4, 10)[seed // 9 % 2]
    values = np.ceil(rng.uniform(0.2, 1, (n, s)) * steps) / steps
    return frame(values * (1 + rng.uniform(-1, 1, (n, s)) * 10.0**exponent)), 10.0**exponent


def degenerate_tables(count: int, first: int = 0) -> Iterator[np.ndarray]:
    """Tables with what real ones have: ties, duplicates, mixtures, zeros, clipped and constant
    metrics, scales from 1e-8 to 1e9.
    """
    for seed in range(first, first + count):
        kind = seed % 8
        rng = np.random.default_rng(seed)
        values = rng.uniform(0.2, 1, (int(rng.integers(2, 25)), int(rng.integers(2, 6))))
        if kind == 1:
            values = np.ceil(values * 5) / 5
        if kind == 2:
            values = np.vstack([values, values[::2]])
        if kind == 3:
            values = np.vstack([values, (values[:-1] + values[1:]) / 2])
        if kind == 4:
            values = np.where(rng.uniform(size=values.shape) < 0.2, 0.0, np.round(values, 2))
            values[~values.any(axis=1)] = 0.5
            values[:, ~values.any(axis=0)] = 0.5
        if kind == 5:
            values = np.minimum(values * 1.5, 1.0)
        if kind == 6:
            values[:, -1] = 0.75
        if kind == 7:
            values = values * 10.0 ** rng.integers(-8, 10, values.shape[1])
        yield values
