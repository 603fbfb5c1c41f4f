"""Do the intervals hold? Coverage, false verdicts and power in designs of known truth, beside what
each must reach.

Every run draws new answers and asks `deabench.uncertainty`; the true scores are those of the true
metrics. A2 is "analytic", A is "max-t". The percentile bootstrap of the scores is printed beside,
as it fails. Run number i of a setting has a generator of its own, so that runs can be added up in
pieces (`simulations.tally`)."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from deabench.errors import DataWarning
from deabench.inference import max_t
from deabench.inference.dominance_games import solve_games
from deabench.inference.samples import Samples
from deabench.inference.uncertainty import Method, Uncertainty, uncertainty
from simulations.cpu_time import cpu
from simulations.designs import GROUPS, Case
from simulations.samples import Array, Setting, recalls
from simulations.tally import Tally, tallied

EDGE = 1e-9
BOOTSTRAPS, REDRAWN = 200, 40
"""Replications of a percentile bootstrap, and the runs in which it is done."""


def certainty(
    group: str, *, runs: int, only: Sequence[str] = (), kept: Path | None = None
) -> pd.DataFrame:
    """Measures of the settings of a group.

    Parameters
    ----------
    group : of `simulations.designs.GROUPS`
    runs : int
    only : sequence of settings, optional
    kept : folder, optional
        Where the runs of earlier calls are, and this one's go.

    Returns
    -------
    DataFrame
        setting, measure, measured, least, most, holds (with twice the Monte Carlo error of a
        share), percentile (the share of scores that the percentile bootstrap's intervals cover),
        runs, seed.
    """
    rows = []
    for name, case in GROUPS[group].items():
        if only and name not in only:
            continue
        seed = zlib.crc32(name.encode())
        measures = measured(name, case, runs=runs, seed=seed, kept=kept)
        for measure, value in measures.measures().items():
            lower_limit, upper_limit = case.must.get(measure, (None, None))
            holds = _holds(
                value, lower_limit, upper_limit, 0 if "width" in measure else measures.runs
            )
            rows.append(
                (
                    name,
                    measure,
                    value,
                    lower_limit,
                    upper_limit,
                    holds,
                    measures.percentile,
                    measures.runs,
                    seed,
                )
            )
    return pd.DataFrame(
        rows,
        columns=[
            "setting",
            "measure",
            "measured",
            "least",
            "most",
            "holds",
            "percentile",
            "runs",
            "seed",
        ],
    ).set_index("setting")


def _holds(value: float, least: float | None, most: float | None, runs: int) -> str:
    if least is None and most is None:
        return ""
    error = (
        2 * np.sqrt(max(value * (1 - value), 0.0) / runs) if runs else 0.0
    )  # a width is no share: it has no such error
    return (
        "yes"
        if (least is None or value + error >= least) and (most is None or value - error <= most)
        else "no"
    )


def measured(name: str, case: Case, *, runs: int, seed: int, kept: Path | None = None) -> Tally:
    """The measures of both methods, and the percentile bootstrap's coverage, added up over the
    runs.
    """
    setting = case.make()
    truth = true_scores(setting)

    def run(number: int) -> tuple[dict[str, Array], float]:
        child = np.random.SeedSequence(seed, spawn_key=(number,))
        samples = _quiet(setting.draw, np.random.default_rng(child))
        percentile = np.nan
        if setting.redrawn is not None and number < min(setting.bootstrapped, REDRAWN):
            redrawn = setting.redrawn(
                np.random.default_rng(child), np.random.default_rng(number), BOOTSTRAPS
            )
            percentile = _percentile(redrawn, truth)
        return _measures(samples, setting, truth, number, band="A band" in case.must), percentile

    return tallied(run, name, runs=runs, kept=kept)


def spent(k: int, n: int, s: int = 5) -> pd.DataFrame:
    """CPU seconds from samples to the answer, median of five, of k classifiers, s metrics and n
    instances of each.
    """
    samples = recalls(np.full((k, s), 0.8), n, 0.5).draw(np.random.default_rng(0))
    rows = []
    limits: dict[Method, float] = {"analytic": 0.05, "max-t": 0.6}
    for method, limit in limits.items():
        seconds = [cpu(partial(uncertainty, samples, method=method))[0] for _ in range(5)]
        rows.append((method, k, n, s, float(np.median(seconds)), limit))
    return pd.DataFrame(
        rows, columns=["method", "classifiers", "instances", "metrics", "seconds", "most"]
    ).set_index("method")


def true_scores(setting: Setting) -> Array:
    """The scores of the true metrics."""
    ratios = setting.truth[None] / setting.truth[:, None]
    outputs = setting.truth.shape[1] - setting.technology.inputs
    return setting.technology.scores(np.ones((len(ratios), outputs)), ratios)[0]


def _quiet(draw: Callable[[np.random.Generator], Samples], rng: np.random.Generator) -> Samples:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return draw(rng)


def _measures(
    samples: Samples, setting: Setting, truth: Array, seed: int, *, band: bool
) -> dict[str, Array]:
    """One run: shares of one, or one number per classifier where the worst counts."""
    technology = setting.technology
    sharp = uncertainty(samples, returns=technology.returns, orientation=technology.orientation)
    inside = _inside(sharp.individual_limits, truth)
    out = {f"A2 {key}": value for key, value in _read(sharp, truth).items()}
    out |= {"A2 each": inside.mean(), "A2 worst each": inside.astype(float)}
    joint = uncertainty(
        samples,
        method="max-t",
        seed=seed,
        returns=technology.returns,
        orientation=technology.orientation,
    )
    out |= {f"A {key}": value for key, value in _read(joint, truth).items()}
    if not np.isfinite(joint.problem.moments.degrees).any():
        out["A box"] = _boxed(joint, setting.truth, joint.c_lower.h)
        ridge = max_t.ratio_ridge(joint.problem.moments, joint.c_lower.c)
        out["A ratios"] = _boxed(joint, setting.truth, np.asarray(ridge))
    if band:
        out["A band"] = _banded(joint, setting.truth)
    return {key: np.asarray(value, dtype=float) for key, value in out.items()}


def _read(answer: Uncertainty, truth: Array) -> dict[str, Array | float]:
    efficient = truth >= 1 - EDGE
    upper = answer.upper.to_numpy()
    listed = (answer.verdicts == "dominated").to_numpy()
    rank = 1 + (truth[None] > truth[:, None] + EDGE).sum(axis=1)
    last = len(truth) - (truth[None] < truth[:, None] - EDGE).sum(axis=1)
    inside = (answer.ranks["best"].to_numpy() <= rank) & (last <= answer.ranks["worst"].to_numpy())
    power = (
        {
            "proven": float((upper[~efficient] < 1 - EDGE).mean()),
            "list": float(listed[~efficient].mean()),
        }
        if not efficient.all()
        else {}
    )
    return {
        "all": float(
            _inside(pd.DataFrame({"lower": answer.lower, "upper": answer.upper}), truth).all()
        ),
        "false list": float(listed[efficient].any()),
        "ranks": float(inside.all()),
        "width": float((upper - answer.lower.to_numpy()).mean()),
        **power,
    }


def _inside(ends: pd.DataFrame, truth: Array) -> Array:
    return np.asarray(
        (ends["lower"].to_numpy() <= truth + EDGE) & (truth <= ends["upper"].to_numpy() + EDGE)
    )


def _boxed(answer: Uncertainty, values: Array, h: Array) -> bool:
    """Whether every true log ratio lies in A's box with that ridge; the settings' classifiers are
    sorted by name.
    """
    gap, spread, ridge = answer.problem.moments.pairs(np.arange(len(values)))
    logs = np.log(values[:, _columns(answer)])
    error = np.abs(gap - (logs[None] - logs[:, None]))
    return bool((error <= answer.c_lower.c * np.sqrt(spread + h * ridge) + 1e-12).all())


def _banded(answer: Uncertainty, values: Array) -> bool:
    """Whether every true metric lies in the frontier's band."""
    ends = [
        answer.band.xs(end, axis=1, level=1)[list(answer.metrics)].to_numpy()
        for end in ("lower", "upper")
    ]
    true = values[:, _columns(answer)]
    return bool(((ends[0] <= true + EDGE) & (true <= ends[1] + EDGE)).all())


def _columns(answer: Uncertainty) -> list[int]:
    return [list(answer.samples.values.columns).index(name) for name in answer.metrics]


def _percentile(drawn: Array, truth: Array) -> float:
    """The share of scores inside the percentile bootstrap's 95 % intervals, from redrawn metrics
    (bootstraps, k, s).
    """
    scores = np.array([solve_games(y[None] / y[:, None]).value for y in drawn])
    low, high = np.quantile(scores, [0.025, 0.975], axis=0)
    return float(((low <= truth + EDGE) & (truth <= high + EDGE)).mean())
