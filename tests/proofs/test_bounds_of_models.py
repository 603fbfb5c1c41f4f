"""Bounds of every model's scores: on their own side of the score, and in its unit, always."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
from deabench.proofs.reasons import UNPROVED
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
RNG = np.random.default_rng(8)
TABLE = pd.DataFrame(RNG.uniform(0.3, 1, (8, 4)).round(2), list("pqrstuvw"), list("abxz"))
TABLE *= [1.0, 40.0, 0.02, 300.0]
NUMBERS = {"a": 2.0, "b": 0.1, "x": 30.0, "z": 0.002}
LEAST = {
    "sbm": {"model": "sbm", "returns": "vrs"},
    "sbm crs input": {"model": "sbm", "returns": "crs", "orientation": "input"},
    "sbm output": {"model": "sbm", "returns": "nirs", "orientation": "output"},
    "super-sbm": {"model": "super-sbm", "returns": "vrs"},
    "super-sbm crs": {"model": "super-sbm", "returns": "crs"},
    "super-sbm output": {"model": "super-sbm", "returns": "ndrs", "orientation": "output"},
    "russell": {"model": "russell", "orientation": "none"},
    "russell input": {"model": "russell", "returns": "crs", "orientation": "input"},
}
"""Models whose score is a least one: λ bounds it from above, and weights from below."""
GREATEST = {
    "additive": {"model": "additive"},
    "additive numbers": {"model": "additive", "weights": NUMBERS, "returns": "ndrs"},
    "additive shares": {"model": "additive", "weights": "mip", "returns": "crs"},
    "ram": {"model": "ram"},
    "bam": {"model": "bam"},
    "ddf": {"model": "ddf", "direction": "own", "returns": "crs"},
    "ddf ones": {"model": "ddf", "direction": "ones", "returns": "vrs"},
    "ddf numbers": {"model": "ddf", "direction": NUMBERS, "returns": "nirs"},
    "ddf range": {"model": "ddf", "direction": "range"},
    "holder": {"model": "holder", "norm": "l1", "weights": NUMBERS},
}
"""Models whose score is a greatest one."""
MODELS = LEAST | GREATEST
SLOW = ("sbm output", "super-sbm crs", "additive shares", "ddf range", "russell input")
CASES = [
    pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in (*LEAST, *GREATEST)
]
DISTANCES = ("ddf", "ddf ones", "ddf numbers", "ddf range", "holder")


@cache
def rank_by(name: str) -> db.Ranking:
    return rank_with(TABLE, outputs=["a", "b"], inputs=["x", "z"], **MODELS[name])


@pytest.mark.parametrize("name", mark_most_slow(CASES, 6))
def test_no_intensities_and_no_weights_bound_a_score_from_the_wrong_side(name) -> None:
    honest = rank_by(name)
    db.certify(honest)
    scores = honest.scores.to_numpy()
    sign = 1.0 if name in LEAST else -1.0
    lam = honest.intensities
    for seed, size in enumerate((1e-11, 1e-3, 0.5)):
        rng = np.random.default_rng(seed)
        values = lam.values * np.exp(size * rng.normal(size=lam.values.shape))
        weights = honest.weights * np.exp(size * rng.normal(size=honest.weights.shape))
        forged = replace(honest, intensities=Sparse(lam.columns, values), weights=weights)
        frame = forged.options.prove(forged).frame
        unit = units_of(honest, name)
        above = sign * (frame["primal"].to_numpy() - scores) / unit
        below = sign * (scores - frame["dual"].to_numpy()) / unit
        assert not (above < -1e-9).any()
        assert not (below < -1e-9).any()
        # They are as far as λ and weights are off, some dozen times.
        assert not (above > 50 * size + 2e-9).any()
        assert not (below > 200 * size + 2e-9).any()
        gap = (above + below) * unit / units_of(forged, name)
        assert frame["gap"].to_numpy() == pytest.approx(gap, rel=1e-6, abs=1e-11, nan_ok=True)


@pytest.mark.parametrize("name", CASES)
def test_a_score_is_off_by_its_share_of_the_unit(name) -> None:
    honest = rank_by(name)
    for size in (1e-3, -1e-3, -1e-6):
        off = size * units_of(honest, name)
        forged = replace(honest, scores=honest.scores + off)
        violations = forged.options.prove(forged).violations
        found = violations["distance_of_the_score_from_its_bounds"]
        expected = np.abs(off) / units_of(forged, name)
        if name in LEAST and name != "russell":
            # What multipliers allow is said of the score that is claimed, and may be less.
            assert not (found < 0.999 * expected).any()
            assert not (found > 5 * expected).any()
        elif name in DISTANCES and size > 0:
            # λ does not reach so far, unless all that is missing can be moved away.
            assert (np.isnan(found) | np.isclose(found, expected, rtol=1e-5)).all()
            assert np.isnan(found).any()
        else:
            assert found == pytest.approx(expected, rel=1e-3 if abs(size) < 1e-4 else 1e-5)


ZEROS = TABLE.copy()
for metric, labels in {"a": "t", "b": "ps", "x": "qv", "z": "ru"}.items():
    ZEROS.loc[list(labels), metric] = 0.0
"""Each metric has some of 0."""


@pytest.mark.parametrize("name", mark_most_slow(CASES, 6))
def test_bounds_stand_on_their_sides_beside_metrics_of_0(name) -> None:
    options = MODELS[name]
    honest = rank_with(ZEROS, outputs=["a", "b"], inputs=["x", "z"], **options)
    db.certify(honest)
    scores = honest.scores.to_numpy()
    sign = 1.0 if name in LEAST else -1.0
    assert np.isfinite(scores).sum() > 4
    # No score is computed and then not proved.
    assert not any(UNPROVED in reason for reason in honest.reasons.values())
    lam = honest.intensities
    for seed, size in enumerate((0.0, 1e-3, 0.5)):
        rng = np.random.default_rng(seed)
        values = lam.values * np.exp(size * rng.normal(size=lam.values.shape))
        weights = honest.weights * np.exp(size * rng.normal(size=honest.weights.shape))
        forged = replace(honest, intensities=Sparse(lam.columns, values), weights=weights)
        frame = forged.options.prove(forged).frame
        size_of_scores = np.maximum(np.abs(scores), 1.0)
        above = sign * (frame["primal"].to_numpy() - scores) / size_of_scores
        below = sign * (scores - frame["dual"].to_numpy()) / size_of_scores
        assert not (above < -1e-9).any()
        assert not (below < -1e-9).any()
        if size == 0:
            is_near = (above < 1e-8) & (below < 1e-8)
            assert is_near.tolist() == np.isfinite(scores).tolist()
    # Slacks are off by shares of what they are differences of; of a value of 0 the metric counts.
    reached = lam.dot(ZEROS.to_numpy())
    unit = 2.0 ** np.floor(np.log2(ZEROS.max().to_numpy()))
    is_compared = ~np.isnan(scores) & ~(name.startswith("super") & (scores >= 1))
    for r, metric in enumerate(ZEROS):
        slacks = honest.slacks.copy()
        slacks[metric] += 1e-3 * unit[r]
        forged = replace(honest, slacks=slacks)
        found = forged.options.prove(forged).violations["distance_of_the_slacks_from_their_proof"]
        own = ZEROS[metric].to_numpy()
        expected = 1e-3 * unit[r] / np.where(own > 0, own + reached[:, r], unit[r])
        assert found[is_compared] == pytest.approx(expected[is_compared], rel=1e-5)
    is_inefficient = scores > 1e-6 if name in GREATEST else scores < 1 - 1e-6
    forged = replace(honest, efficient=honest.efficient | True)
    found = forged.options.prove(forged).violations["efficient"]
    assert (found[is_inefficient] == 1).all()


def units_of(ranking: db.Ranking, name: str, table: pd.DataFrame = TABLE) -> np.ndarray:
    """Return what the scores of a model are measured in, (n,), from its definition."""
    scores = ranking.scores.to_numpy()
    own = table.to_numpy()
    if name.startswith("super-sbm"):
        return np.maximum(scores, 1.0)
    if name in LEAST:
        return np.ones(len(scores))
    reached = ranking.intensities.dot(own)
    gains = np.maximum((reached - own) * [1, 1, -1, -1], 0.0)
    if name.startswith("additive"):
        weights = np.ones(4)
        if name == "additive numbers":
            weights = np.array([*NUMBERS.values()])
        if name == "additive shares":
            weights = 1 / own
        return np.maximum((weights * own).sum(axis=1), (weights * gains).sum(axis=1))
    if name in ("ram", "bam"):
        return np.maximum(1.0, scores_of_gains(gains, name, table))
    steps = {"ddf ones": np.ones(4), "ddf numbers": np.array([*NUMBERS.values()])}
    least = np.ones(len(scores))
    if name == "holder":
        direction = ranking.tables["direction"].to_numpy()
        least = np.where(direction != 0, own / np.abs(np.where(direction, direction, 1)), np.inf)
        least = least.min(axis=1)
    elif name in steps:
        least = (own / steps[name]).min(axis=1)
    return np.maximum(np.abs(scores), least)


def scores_of_gains(gains: np.ndarray, name: str, table: pd.DataFrame) -> np.ndarray:
    """Return the mean share that gains are of the ranges, or of the ways to the best values."""
    return np.asarray((gains * weights_of_shares(name, table)).sum(axis=1))


def weights_of_shares(name: str, table: pd.DataFrame) -> np.ndarray:
    """Return what a gain of 1 counts in "ram" and "bam", (n, 4)."""
    own = table.to_numpy()
    ways = np.tile(own.max(axis=0) - own.min(axis=0), (len(own), 1))
    if name == "bam":
        best = np.where([True, True, False, False], own.max(axis=0), own.min(axis=0))
        ways = np.abs(own - best)
    return np.where(ways > 0, 0.25 / np.where(ways > 0, ways, 1.0), 0.0)


SPREAD = TABLE * 10.0 ** RNG.uniform(-3, 0, TABLE.shape).round(1)
"""Values of a metric that differ by factors of up to a thousand."""


def least_weights_of(ranking: db.Ranking, name: str, table: pd.DataFrame) -> np.ndarray:
    """Return the least weights that a model allows, (n, 4), from its definition."""
    own = table.to_numpy()
    if name in ("ram", "bam"):
        return weights_of_shares(name, table)
    weights = {
        "additive": np.ones(own.shape),
        "additive numbers": np.tile([*NUMBERS.values()], (len(own), 1)),
        "additive shares": 1 / own,
    }
    if name in weights:
        return weights[name]
    # Of the slacks-based measure: an output's share of the score, and an input's share of 1.
    counts_outputs = ranking.orientation != "input"
    counts_inputs = ranking.orientation != "output"
    score = ranking.scores.to_numpy()[:, None]
    outputs = counts_outputs * 0.5 * score / own[:, :2]
    return np.column_stack([outputs, counts_inputs * 0.5 / own[:, 2:]])


WITH_LEAST_WEIGHTS = [
    case for case in CASES if case.values[0].startswith(("sbm", "super", "additive", "ram", "bam"))
]


@pytest.mark.parametrize("name", WITH_LEAST_WEIGHTS)
def test_a_weight_below_its_least_is_off_by_what_the_dmu_loses_of_its_worth(name) -> None:
    """However small the DMU's own value is beside those of the others."""
    honest = rank_with(SPREAD, outputs=["a", "b"], inputs=["x", "z"], **MODELS[name])
    db.certify(honest)
    own = SPREAD.to_numpy()
    least = least_weights_of(honest, name, SPREAD)
    unit = units_of(honest, name, SPREAD)
    weights = honest.weights[list(SPREAD)]
    is_compared = honest.scores.to_numpy() < 1 - 1e-9 if name in LEAST else honest.scores.notna()
    counted = 0
    for r, metric in enumerate(SPREAD):
        # A weight that is at its least is raised to it again, and nothing else is off.
        is_least = np.isclose(weights[metric], least[:, r], rtol=1e-12, atol=0) & is_compared
        is_least &= least[:, r] > 0
        for share in (1e-3, 0.5, 1.0):
            forged = honest.weights.copy()
            forged[metric] -= share * least[:, r] * is_least
            proof = honest.options.prove(replace(honest, weights=forged))
            violations = proof.violations["dual_infeasibility"][is_least]
            expected = (share * least[:, r] * own[:, r] / unit)[is_least]
            assert violations == pytest.approx(expected, rel=1e-6, abs=1e-11)
        counted += is_least.sum()
    assert counted >= 4


def worth_of_step(ranking: db.Ranking, name: str, table: pd.DataFrame) -> np.ndarray:
    """Return what a step in the direction of a distance is worth, (n,); 1 of other scores."""
    directions = {
        "ddf ones": np.ones(4),
        "ddf numbers": np.array([*NUMBERS.values()]),
        "ddf range": (table.max() - table.min()).to_numpy(),
    }
    if name == "holder":
        directions["holder"] = np.abs(ranking.tables["direction"].to_numpy())
    if name not in directions:
        return np.ones(len(table))
    return np.asarray((ranking.weights[list(table)] * directions[name]).sum(axis=1))


# Models of constant returns have no free term, and the graph measure carries none.
WITH_FREE_TERM = [
    case
    for case in CASES
    if MODELS[case.values[0]].get("returns") != "crs" and case.values[0] != "russell"
]


@pytest.mark.parametrize("name", mark_most_slow(WITH_FREE_TERM, 5))
def test_a_free_term_is_off_by_what_it_costs_of_the_score(name) -> None:
    """A distance is measured in steps, and its free term in what such a step is worth."""
    honest = rank_with(SPREAD, outputs=["a", "b"], inputs=["x", "z"], **MODELS[name])
    unit = units_of(honest, name, SPREAD) * worth_of_step(honest, name, SPREAD)
    is_compared = honest.scores.notna().to_numpy()
    assert is_compared.sum() > 4
    for share in (1e-3, -1e-3, 0.5):
        weights = honest.weights.assign(u_0=honest.weights["u_0"] + share * unit)
        proof = honest.options.prove(replace(honest, weights=weights))
        violations = proof.violations["dual_infeasibility"][is_compared]
        assert violations == pytest.approx(abs(share), rel=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_who_is_efficient_is_told_both_ways_unless_that_is_not_claimed(name) -> None:
    honest = rank_by(name)
    open_claims = [text for text in db.certify(honest).unclaimed if text.startswith("whether")]
    # In one orientation, or beside metrics that count nothing, who has the best score is open.
    leaves_open = name in ("bam", "russell input", "sbm crs input", "sbm output")
    leaves_open |= name == "super-sbm output"
    assert bool(open_claims) == leaves_open
    forged = replace(honest, efficient=~honest.efficient)
    violations = forged.options.prove(forged).violations
    found = violations["efficient"]
    if "super" in name:  # another flag is another reference: with itself, or without
        found = np.max([violations[claim] > 1e-9 for claim in violations], axis=0)
    is_open = leaves_open & honest.efficient & (honest.scores <= 1 + 1e-9)
    assert found.tolist() == (~is_open).astype(float).tolist()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("metric", ["b", "x"])
def test_a_weight_below_0_is_off_by_its_share_of_the_largest(name, metric) -> None:
    honest = rank_by(name)
    unit = 2.0 ** np.floor(np.log2(TABLE.max()))
    weights = honest.weights.copy()
    largest = (weights[list(TABLE)] * unit).drop(columns=metric).max(axis=1)
    weights[metric] = -1e-3 * largest / unit[metric]
    forged = replace(honest, weights=weights)
    frame = forged.options.prove(forged).frame
    counts = honest.scores.notna() & (largest > 0)
    assert (frame["dual_infeasibility"][counts] >= 1e-3 * (1 - 1e-9)).all()


@pytest.mark.parametrize("is_constant", [True, False])
def test_a_metric_that_counts_nothing_may_hide_slack(is_constant) -> None:
    """Of "z", the same in all, a range has no share: who has slack in it alone is left open."""
    table = TABLE.copy()
    if is_constant:
        table["z"] = 100.0
    ranking = rank_with(table, outputs=["a", "b"], inputs=["x", "z"], model="ram")
    open_claims = [text for text in db.certify(ranking).unclaimed if "do not" in text]
    assert bool(open_claims) == is_constant
    forged = replace(ranking, efficient=~ranking.efficient)
    found = forged.options.prove(forged).violations["efficient"]
    assert found.tolist() == (~(is_constant & ranking.efficient)).astype(float).tolist()


@pytest.mark.parametrize("size", [1e6, 1e-6])
@pytest.mark.parametrize("technology", ["fdh", "convex"])
def test_a_distance_is_one_of_steps_as_long_as_the_dmu(technology, size) -> None:
    """Steps in the metrics' own units: what is left is a share of the DMU's own value."""
    for share, efficient in ((1e-11, True), (1e-7, False)):
        table = pd.DataFrame({"a": [size, size * (1 + share)]}, index=list("pq"))
        ranking = rank_with(table, model="ddf", direction="ones", technology=technology)
        db.certify(ranking)
        assert ranking.efficient.tolist() == [efficient, True]
        claimed = pd.Series([not efficient, True], table.index, name="efficient")
        forged = replace(ranking, efficient=claimed)
        assert forged.options.prove(forged).violations["efficient"][0] == 1.0


@pytest.mark.parametrize("orientation", ["input", "output"])
@pytest.mark.parametrize(
    "returns",
    ["crs", "vrs", *(pytest.param(name, marks=pytest.mark.slow) for name in ("nirs", "ndrs"))],
)
@pytest.mark.parametrize("model", ["ccr", "super"])
def test_every_radial_score_beside_metrics_of_0_is_proved(model, returns, orientation) -> None:
    honest = rank_with(
        ZEROS, outputs=["a", "b"], inputs=["x", "z"], model=model, returns=returns,
        orientation=orientation,
    )  # fmt: skip
    proof = db.certify(honest)
    assert not any(UNPROVED in reason for reason in honest.reasons.values())
    scores = honest.scores.to_numpy()
    # A bound that the floats of the frame leave open would be NaN.
    for side in ("primal", "dual"):
        found = honest.proof().frame[side].to_numpy()
        assert found == pytest.approx(scores, rel=2e-9, abs=2e-9, nan_ok=True)
    assert not any("undecided" in text for text in proof.unclaimed)
