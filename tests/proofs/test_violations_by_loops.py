"""Violations of models that compare pairs or restrict weights, by loops from their definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with

import deabench as db
from deabench.models.fdh import ZERO_FACTOR
from deabench.models.shared.restricted_weights import restriction_rows
from deabench.models.shared.scaled_data import ScaledData
from deabench.proofs.radial import slack_errors
from deabench.utils.arrays import TOLERANCE, Sparse, scale

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
RNG = np.random.default_rng(8)
TABLE = pd.DataFrame(RNG.uniform(0.3, 1, (8, 4)).round(2), list("pqrstuvw"), list("abxz"))
TABLE.loc["w"] = TABLE.loc["p"] * [0.9, 0.8, 1.1, 1.2]
TABLE.loc["v"] = TABLE.loc["p"]


def change_numbers(ranking: db.Ranking, seed: int, size: float = 0.02) -> db.Ranking:
    """Return a ranking with other numbers, each by a share of up to `size`."""
    rng = np.random.default_rng(seed)

    def near(values):
        return values * (1 + size * rng.uniform(-1, 1, values.shape))

    lam = ranking.intensities
    return replace(
        ranking,
        scores=near(ranking.scores),
        slacks=near(ranking.slacks) + 1e-3 * rng.normal(size=ranking.slacks.shape),
        weights=near(ranking.weights) + 1e-3 * rng.normal(size=ranking.weights.shape),
        intensities=Sparse(lam.columns, near(lam.values)),
        tables={name: near(table) for name, table in ranking.tables.items()},
    )


RESTRICTED = {
    "outwards": {"returns": "vrs", "shares": {"a": (0.3, 0.6)}},
    "inwards": {"returns": "vrs", "orientation": "input", "shares": {"x": (0.3, 0.6)}},
    "multiplied": {"returns": "crs", "ratios": {("a", "b"): (0.8, 1.5)}},
    "at least 1": {"returns": "ndrs", "orientation": "input", "ratios": {("x", "z"): (0.5, 1.5)}},
    "at most 1": {"returns": "nirs", "ratios": {("x", "z"): (0.5, 1.5)}},
}
SUMS = {"vrs": (1, 1), "crs": (0, np.inf), "ndrs": (1, np.inf), "nirs": (0, 1)}


def restrictions_of(options: dict, label: str) -> list[np.ndarray]:
    """Return rows R of R·(u, v) ≤ 0 for a DMU, by the bounds as the user gave them."""
    rows = []
    for name, (lower, upper) in options.get("shares", {}).items():
        side = ["a", "b"] if name in "ab" else ["x", "z"]
        own = TABLE.loc[label].where(TABLE.columns.isin(side), 0.0)
        alone = own.where(own.index == name, 0.0)
        rows += [lower * own - alone, alone - upper * own]
    for (first, second), (lower, upper) in options.get("ratios", {}).items():
        e = pd.Series(0.0, TABLE.columns)
        rows += [
            e.where(e.index != first, -1.0).where(e.index != second, lower),
            e.where(e.index != first, 1.0).where(e.index != second, -upper),
        ]
    return [row.to_numpy() for row in rows]


def reach_with_trade_offs(
    forged: db.Ranking, intensities: np.ndarray, trade_offs: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return what DMU k's λ and π reach (4,), and how large the terms of a slack are."""
    scaled = ScaledData.of(forged)
    reach = intensities @ TABLE.to_numpy()
    terms = np.zeros(4)
    for share, row in zip(trade_offs, restriction_rows(forged, scaled)[k], strict=True):
        reach = reach + share * row * scaled.units * [1, 1, -1, -1]
        terms += np.abs(share * row) * scaled.units
    return reach, terms + np.abs(reach) + TABLE.iloc[k].to_numpy()


@pytest.mark.parametrize("name", RESTRICTED)
def test_restricted_scores_are_off_by_what_loops_give(name) -> None:
    options = RESTRICTED[name]
    honest = rank_with(TABLE, outputs=["a", "b"], inputs=["x", "z"], model="ccr", **options)
    db.certify(honest)
    least, most = SUMS[options["returns"]]
    is_outwards = options.get("orientation", "output") == "output"
    Y, X = TABLE[["a", "b"]].to_numpy(), TABLE[["x", "z"]].to_numpy()
    for seed in range(4):
        forged = change_numbers(honest, seed, (0.02, 0.2, 1e-6, 1e-9)[seed])
        if seed == 1:  # trade-offs below 0 change as much as those above it
            trade_offs = -forged.tables["trade_offs"]
            forged = replace(forged, tables={"trade_offs": trade_offs})
        proof = forged.options.prove(forged)
        dense = forged.intensities.dot(np.eye(len(TABLE)))
        for k, label in enumerate(TABLE.index):
            score = forged.scores.iloc[k]
            u = forged.weights[["a", "b"]].to_numpy()[k]
            v = forged.weights[["x", "z"]].to_numpy()[k]
            worth = u @ Y[k]
            cost = v @ X[k]
            gains = [u @ y - v @ x for y, x in zip(Y, X, strict=True)]
            best = max(gains)
            largest = max(best, 0) * min(most, 1) if np.isfinite(most) else 0.0
            largest += least * min(best, 0)
            dual = worth / (largest + cost) if is_outwards else (worth - largest) / cost
            column = proof.frame.loc[label]
            # Weights allow no more than there is, and λ that misses nothing reaches no less.
            if column["primal_infeasibility"] <= 1e-9:
                assert not column["primal"] < honest.scores.iloc[k] - 1e-8
            assert not column["dual"] > honest.scores.iloc[k] + 1e-9
            multipliers = np.append(u, v)
            keeps_restrictions = multipliers.min() >= 0 and all(
                row @ multipliers < -1e-12 for row in restrictions_of(options, label)
            )
            if keeps_restrictions and np.isfinite(most):
                assert column["dual"] == pytest.approx(dual, rel=1e-9)
            gap = abs(column["dual"] - column["primal"])
            assert column["gap"] == pytest.approx(gap, rel=1e-6, abs=1e-12, nan_ok=True)
            gap /= max(1, score)
            found = proof.violations["gap"][k]
            assert found == pytest.approx(gap, rel=1e-6, abs=1e-12, nan_ok=True)
            distances = np.abs(np.subtract([column["primal"], column["dual"]], score))
            found = proof.violations["distance_of_the_score_from_its_bounds"][k]
            expected = distances.max() / max(1, score)
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-15, nan_ok=True)
            # λ: its sum, its signs, and what the projection lacks.
            trade_offs = forged.tables["trade_offs"].to_numpy()[k]
            sum_error = max(least - dense[k].sum(), dense[k].sum() - most)
            missed = max(sum_error, *(-dense[k]), *(-trade_offs), 0)
            reach, terms = reach_with_trade_offs(forged, dense[k], trade_offs, k)
            own = TABLE.loc[label].to_numpy()
            factors = np.array([1 / score, 1 / score, 1, 1])
            stays = np.array([False, False, True, True])
            if not is_outwards:
                factors = np.array([1, 1, score, score])
                stays = ~stays
            gains = (reach - factors * own) * [1, 1, -1, -1]
            short = np.maximum(-gains, 0)
            price = np.abs([*u, *v]) @ short / (worth if is_outwards else cost)
            if is_outwards:
                price *= score**2 / max(score, 1)
            # Beyond last digits of what stays as it is, and of Σ λ, λ is moved.
            if max(sum_error, *(short / terms)[stays]) <= 2.0**-50:
                assert column["primal"] == score
            missed = max(missed, price, *(short / terms))
            if np.isnan(column["primal"]):
                missed = np.inf
            assert column["primal_infeasibility"] == pytest.approx(missed, rel=1e-6, abs=1e-12)
            off = max(abs(forged.slacks.to_numpy()[k] - gains) / terms)
            found = proof.violations["distance_of_the_slacks_from_their_proof"][k]
            assert found == pytest.approx(off, rel=1e-6, abs=1e-12)
            # The multipliers: their signs, and what they are not to give.
            scaled = multipliers * scale(TABLE.to_numpy())
            broken = max(-scaled) / max(np.abs(scaled))
            if not np.isfinite(most):
                for y, x in zip(Y, X, strict=True):
                    broken = max(broken, (u @ y - v @ x) / max(u @ y + v @ x, 1e-300))
            for row in restrictions_of(options, label):
                broken = max(broken, row @ multipliers / (np.abs(row) @ np.abs(multipliers)))
            assert column["dual_infeasibility"] == pytest.approx(
                max(broken, 0), rel=1e-6, abs=1e-12
            )


def test_peers_and_trade_offs_of_restricted_scores_reach_the_projection() -> None:
    options = RESTRICTED["outwards"]
    honest = rank_with(TABLE, outputs=["a", "b"], inputs=["x", "z"], model="ccr", **options)
    slacks = honest.slacks.to_numpy()
    for k, label in enumerate(TABLE.index):
        for r, metric in enumerate(TABLE):
            # Slacks of one metric that are off are off by their share of what is reached and had.
            change = pd.DataFrame(0.0, TABLE.index, TABLE.columns)
            change.loc[label, metric] = 1e-4
            forged = replace(honest, slacks=honest.slacks + change)
            violations = forged.options.prove(forged).violations
            misses = violations["distance_of_the_slacks_from_their_proof"]
            own = TABLE.loc[label, metric]
            reached = own + slacks[k, r] if r > 1 else own / honest.scores.iloc[k]
            assert 1e-4 / 6 / max(own, reached) < misses[k] < 1e-4 / own
            assert np.delete(misses, k).max() <= 1e-12
    for sign in (1, -1):
        trade_offs = honest.tables["trade_offs"].copy()
        trade_offs.iloc[3, 0] += sign * 1e-3
        forged = replace(honest, tables={"trade_offs": trade_offs})
        violations = forged.options.prove(forged).violations
        assert (
            violations["primal_infeasibility"][3]
            + violations["distance_of_the_slacks_from_their_proof"][3]
            > 1e-5
        )


@pytest.mark.parametrize("orientation", ["input", "output"])
def test_one_peer_is_off_by_what_loops_give(orientation) -> None:
    """FDH: any peer with the slacks that fit to it, compared with all others."""
    honest = rank_with(
        TABLE, outputs=["a", "b"], inputs=["x", "z"], model="fdh", orientation=orientation
    )
    db.certify(honest)
    values = TABLE.to_numpy() * [1, 1, -1, -1]
    maxima = TABLE.max().to_numpy()
    moves = np.array([True, True, False, False]) == (orientation == "output")
    for k in (0, 3, 7):
        levels = []
        totals = []
        for j in range(len(TABLE)):
            if (values[j][~moves] < values[k][~moves]).any():
                levels.append(np.inf if orientation == "input" else -np.inf)
            elif orientation == "output":
                levels.append((values[j] / values[k])[moves].min())
            else:
                levels.append((values[j] / values[k])[moves].max())
        best = max(levels) if orientation == "output" else min(levels)
        projection = np.where(moves, best * values[k], values[k])
        totals = [
            ((values[j] - projection) / maxima).sum() if levels[j] == best else -np.inf
            for j in range(len(TABLE))
        ]
        score = 1 / best if orientation == "output" else best
        for j in range(len(TABLE)):
            columns = honest.intensities.columns.copy()
            columns[k, 0] = j
            slacks = honest.slacks.copy()
            slacks.iloc[k] = values[j] - projection
            forged = replace(
                honest, intensities=Sparse(columns, honest.intensities.values), slacks=slacks
            )
            proof = forged.options.prove(forged)
            assert proof.frame["dual"].iloc[k] == pytest.approx(score, rel=1e-12)
            short = max(totals) - ((values[j] - projection) / maxima).sum()
            misses = proof.violations["slack_that_is_not_the_largest"]
            assert misses[k] == pytest.approx(short, abs=1e-12)
            assert proof.violations["distance_of_the_slacks_from_their_proof"][k] < 1e-12
            # A slack that is off is off by its share of the larger of both values.
            for sign in (1, -1):
                slacks = forged.slacks.copy()
                slacks.iloc[k, 1] += sign * 1e-3
                moved = replace(forged, slacks=slacks)
                misses = moved.options.prove(moved).violations
                size = max(TABLE["b"].iloc[k], TABLE["b"].iloc[j])
                assert misses["distance_of_the_slacks_from_their_proof"][k] == pytest.approx(
                    1e-3 / size, rel=1e-6
                )


@pytest.mark.parametrize("weights", [[0.5], [1.0 + 1e-12], [1.0, 0.0], [0.5, 0.5], [0.0]])
@pytest.mark.parametrize(
    "options",
    [
        {"model": "fdh"},
        {"model": "sbm", "technology": "fdh"},
        {"model": "rdm", "technology": "fdh"},
    ],
)
def test_one_peer_has_all_of_the_intensity(options, weights) -> None:
    honest = rank_with(TABLE, outputs=["a", "b"], inputs=["x", "z"], **options)
    lam = honest.intensities
    columns = np.full((len(TABLE), len(weights)), -1, dtype=np.int32)
    values = np.zeros(columns.shape)
    columns[:, 0] = lam.columns[:, 0]
    values[:, 0] = 1.0
    columns[3] = lam.columns[3, 0]
    values[3] = weights
    forged = replace(honest, intensities=Sparse(columns, values))
    misses = forged.options.prove(forged).violations["peers_that_are_not_one"]
    assert misses.tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    columns[3] = -1
    values[3] = 0.0
    forged = replace(honest, intensities=Sparse(columns, values))
    misses = forged.options.prove(forged).violations["peers_that_are_not_one"]
    assert misses.tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("model", ["ddf", "rdm"])
def test_a_single_peer_along_a_direction_is_the_one_with_the_largest_slack(model) -> None:
    """ "q" and "r" let "o" go as far, 1; "q" leaves more slack, and "s" less far has the most."""
    table = pd.DataFrame(
        {"a": [1.0, 2.0, 2.0, 1.5, 2.0], "b": [1.0, 3.5, 3.0, 9.0, 2.0]}, list("oqrst")
    )
    options = {"model": "ddf", "direction": "ones"} if model == "ddf" else {"model": "rdm"}
    honest = rank_with(table, technology="fdh", **options)
    db.certify(honest)
    first = int(honest.intensities.columns[0, 0])
    distance = honest.scores["o"] if model == "ddf" else 1 - honest.scores["o"]
    step = np.ones(2) if model == "ddf" else (table.max() - table.loc["o"]).to_numpy()
    for peer in range(1, 5):
        slacks = honest.slacks.copy()
        slacks.loc["o"] = table.iloc[peer] - table.loc["o"] - distance * step
        columns = honest.intensities.columns.copy()
        columns[0, 0] = peer
        forged = replace(
            honest, slacks=slacks, intensities=Sparse(columns, honest.intensities.values)
        )
        violations = forged.options.prove(forged).violations
        missing = max(0, (honest.slacks.loc["o"] - slacks.loc["o"]).sum())
        below = max(0, -slacks.loc["o"].min())
        unit = 2.0 ** np.floor(np.log2(table.max().to_numpy()))
        # Both are shares of the values of "o" and its peer; each has an input of 1, too.
        both = table.loc["o"] + table.iloc[peer]
        expected = max(0, ((honest.slacks.loc["o"] - slacks.loc["o"]) / unit).sum())
        expected /= (both / unit).sum() + 2
        assert violations["slack_that_is_not_the_largest"][0] == pytest.approx(expected, abs=1e-12)
        expected = max(0, *(-slacks.loc["o"] / both))
        found = violations["worse_than_where_the_distance_leads"][0]
        assert found == pytest.approx(expected, abs=1e-12)
        assert (missing > 0 or below > 0) == (peer != first)
        assert violations["distance_of_the_slacks_from_their_proof"][0] < 1e-12
        assert violations["gap"][0] <= TOLERANCE


@pytest.mark.parametrize("size", [0.2, 1e-6])
@pytest.mark.parametrize("scale_of_tested", [1.0, 4.0])
def test_common_scores_with_the_least_largest_loss_are_off_by_what_loops_give(
    scale_of_tested, size
) -> None:
    reference = TABLE.iloc[:6]
    tested = TABLE.iloc[4:] * scale_of_tested
    honest = rank_with(tested, reference=reference, model="common", goal="largest")
    db.certify(honest)
    unit = 2.0 ** np.floor(np.log2(reference.max().to_numpy()))
    Y, Z = reference.to_numpy(), tested.to_numpy()
    for seed in range(4):
        forged = change_numbers(honest, seed, size)
        weights = forged.weights.to_numpy()
        if seed % 2:
            weights = np.repeat(weights[:1], len(Z), axis=0)
            forged = replace(forged, weights=honest.weights * 0 + weights)
        losses = forged.tables["common"]
        own = losses["own"].to_numpy()
        mu = forged.tables["losers"].to_numpy()[0]
        kappa = forged.tables["best"].to_numpy()[0]
        proof = forged.options.prove(forged)
        scores = [sum(w * z for w, z in zip(weights[k], Z[k], strict=True)) for k in range(len(Z))]
        loss = max(own - scores)
        bound = own @ mu - sum(kappa)
        excess = max((mu @ Z[:, r] - kappa @ Y[:, r]) / unit[r] for r in range(4))
        expected = {
            "primal": loss,
            "dual": bound,
            "gap": abs(loss - bound) / max(1.0, *own),
            "primal_infeasibility": max(
                0.0, *(weights[0] @ y - 1 for y in Y), *(-(weights * unit)).ravel()
            ),
            # What the tested DMUs have too much of is worth that much loss, which may be above 1.
            "dual_infeasibility": max(
                excess / max(1.0, *own), abs(sum(mu) - 1), -min(mu), -min(kappa), 0.0
            ),
        }
        # The own scores are proved by their own weights, as those of any ranking.
        alone = replace(
            forged, scores=losses["own"], weights=forged.tables["own_weights"], tables={}
        )
        frame = db.models.WEI().prove(alone).frame
        for k, label in enumerate(tested.index):
            for name, value in expected.items():
                assert proof.frame.loc[label, name] == pytest.approx(value, rel=1e-9, abs=1e-12)
                if name in ("gap", "primal_infeasibility", "dual_infeasibility"):
                    assert proof.violations[name][k] == pytest.approx(value, rel=1e-9, abs=1e-12)
            check_beside_own_scores(proof, forged, losses, scores, k)
            for name in ("gap", "primal_infeasibility", "dual_infeasibility"):
                misses = proof.violations[f"{name}_of_the_own_scores"][k]
                assert misses == pytest.approx(frame[name].iloc[k] / max(own[k], 1), rel=1e-9)
            off = abs(frame["primal"].iloc[k] - own[k]) / max(own[k], 1)
            found = proof.violations["distance_of_the_own_score_from_its_proof"][k]
            assert found == pytest.approx(off, rel=1e-9, abs=1e-12)


def check_beside_own_scores(proof, forged, losses, scores, k: int) -> None:
    """Check what the scores under common weights and their table miss by, for DMU k."""
    violations = proof.violations
    off = abs(forged.scores.iloc[k] - scores[k])
    assert violations["distance_of_the_score_from_its_proof"][k] == pytest.approx(off, rel=1e-9)
    weights = forged.weights.to_numpy() * scale(forged.reference.outputs.to_numpy())
    off = max(abs(weights[k] - weights[0])) / weights.max()
    assert violations["weights_that_are_not_common"][k] == pytest.approx(off, rel=1e-9, abs=1e-15)
    own, common, lost = losses.iloc[k]
    off = max(abs(common - scores[k]), abs(lost - (own - scores[k])))
    assert violations["distance_of_the_table_from_the_scores"][k] == pytest.approx(off, rel=1e-9)


@pytest.mark.parametrize("size", [0.2, 1e-6])
def test_common_scores_with_the_largest_sum_are_off_by_what_loops_give(size) -> None:
    honest = rank_with(TABLE, model="common", goal="sum")
    db.certify(honest)
    Y = TABLE.to_numpy()
    mean = Y.mean(axis=0)
    for seed in range(4):
        forged = change_numbers(honest, seed, size)
        weights = forged.weights.to_numpy()
        losses = forged.tables["common"]
        peers = forged.tables["mean"]
        proof = forged.options.prove(forged)
        scores = [weights[k] @ Y[k] for k in range(len(Y))]
        reached = sum(peers[label].iloc[0] * TABLE.loc[label].to_numpy() for label in peers)
        primal = 1 / min(reached / mean)
        for k in range(len(Y)):
            column = proof.frame.iloc[k]
            assert column["primal"] == pytest.approx(primal, rel=1e-9)
            assert column["dual"] == pytest.approx(weights[0] @ mean, rel=1e-9)
            for name in ("gap", "primal_infeasibility", "dual_infeasibility"):
                assert proof.violations[name][k] == column[name]
            check_beside_own_scores(proof, forged, losses, scores, k)


@pytest.mark.parametrize("inputs", [[], ["x", "z"]])
def test_cross_scores_are_off_by_what_loops_give(inputs) -> None:
    table = TABLE[["a", "b", *inputs]]
    honest = rank_with(table, outputs=["a", "b"], inputs=inputs, model="cross")
    db.certify(honest)
    for seed, size in enumerate((0.2, 1e-4, 1e-6)):
        forged = change_numbers(honest, seed, size)
        matrix = forged.tables["cross"].copy()
        weights = forged.weights.copy()
        # Who gives the inputs no weight judges nobody, and that is said.
        if inputs:
            weights.iloc[2, 2:] = 0.0
            matrix.iloc[2] = np.nan
        forged = replace(forged, weights=weights, tables={"cross": matrix})
        violations = forged.options.prove(forged).violations
        judged = np.full(matrix.shape, np.nan)
        for k in range(len(table)):
            w = weights[list(table)].to_numpy()[k]
            for j, own in enumerate(table.to_numpy()):
                cost = w[2:] @ own[2:] if inputs else 1.0
                judged[k, j] = w[:2] @ own[:2] / cost if cost > 0 else np.nan
        for k in range(len(table)):
            off = 0.0 if inputs and k == 2 else max(abs(matrix.to_numpy()[k] - judged[k]))
            found = violations["distance_of_the_matrix_from_its_weights"][k]
            assert found == pytest.approx(off, rel=1e-9, abs=1e-15)
            off = abs(forged.scores.iloc[k] - np.nanmean(judged[:, k]))
            found = violations["distance_of_the_score_from_its_proof"][k]
            assert found == pytest.approx(off, rel=1e-9, abs=1e-15)
    # A judgement that is missing, or made where there is none, is off by all.
    for k, j, value in ((0, 1, np.nan), (2, 0, 0.5)):
        other = matrix.copy()
        other.iloc[k, j] = value
        violations = forged.options.prove(replace(forged, tables={"cross": other})).violations
        found = violations["distance_of_the_matrix_from_its_weights"][k]
        assert np.isinf(found) == bool(inputs or k == 0)


def measure_slacks(name: str, own: np.ndarray, slacks: np.ndarray) -> float:
    """Return the score that slacks amount to, outputs first."""
    if name == "sbm":
        return (1 - (slacks[2:] / own[2:]).mean()) / (1 + (slacks[:2] / own[:2]).mean())
    if name == "mip":
        return (slacks / own).sum()
    if name == "ram":
        return (slacks / (TABLE.max() - TABLE.min()).to_numpy()).mean()
    return slacks.sum()


@pytest.mark.parametrize("name", ["ones", "mip", "ram", "sbm"])
def test_one_dominating_peer_is_off_by_what_loops_give(name) -> None:
    options = {"model": "additive", "weights": name}
    if name in ("ram", "sbm"):
        options = {"model": name}
    honest = rank_with(
        TABLE, outputs=["a", "b"], inputs=["x", "z"], technology="fdh", returns="vrs", **options
    )
    db.certify(honest)
    values = TABLE.to_numpy()
    gains = (values[None] - values[:, None]) * [1, 1, -1, -1]
    unit = 2.0 ** np.floor(np.log2(TABLE.max().to_numpy()))
    sign = -1 if name == "sbm" else 1
    everyone = range(len(TABLE))
    best = []
    for k in everyone:
        dominating = [j for j in everyone if (gains[k, j] >= 0).all()]
        best.append(
            sign * max(sign * measure_slacks(name, values[k], gains[k, j]) for j in dominating)
        )
        assert honest.efficient.iloc[k] == (gains[k, dominating].max() <= TOLERANCE)
    assert honest.scores.tolist() == pytest.approx(best, rel=1e-12, abs=1e-15)
    for j in everyone:
        # All with one peer, and what it says of score and slacks.
        own_scores = [measure_slacks(name, values[k], gains[k, j]) for k in everyone]
        columns = honest.intensities.columns.copy()
        columns[:, 0] = j
        forged = replace(
            honest,
            scores=honest.scores * 0 + own_scores,
            slacks=honest.slacks * 0 + gains[:, j],
            intensities=Sparse(columns, honest.intensities.values),
        )
        proof = forged.options.prove(forged)
        for k in everyone:
            violations = {claim: errors[k] for claim, errors in proof.violations.items()}
            primal, dual = proof.frame[["primal", "dual"]].iloc[k]
            assert primal == pytest.approx(own_scores[k], rel=1e-9, abs=1e-15)
            assert dual == pytest.approx(best[k], rel=1e-9, abs=1e-15)
            # Totals are compared in shares of the larger one, and gains of both values.
            gap = abs(own_scores[k] - best[k]) / max(abs(own_scores[k]), abs(best[k]), 1e-300)
            assert violations["gap"] == pytest.approx(gap, rel=1e-6, abs=1e-12)
            worse = max(0.0, *(-gains[k, j] / (values[k] + values[j])))
            assert violations["worse_than_the_dmu_itself"] == pytest.approx(worse, rel=1e-9)
            assert violations["distance_of_the_score_from_its_proof"] < 1e-9
            assert violations["distance_of_the_slacks_from_their_proof"] < 1e-12
            assert violations["efficient"] == violations["reason"] == 0.0
    # Scores, slacks and flags that are not those of the peers.
    forged = replace(
        honest,
        scores=honest.scores + 1e-3,
        slacks=honest.slacks - [0.0, 1e-3, 0.0, 0.0],
        efficient=~honest.efficient,
    )
    violations = forged.options.prove(forged).violations
    off = 1e-3 / np.maximum(np.abs(best), np.finfo(float).tiny)
    assert violations["distance_of_the_score_from_its_proof"] == pytest.approx(off, rel=1e-6)
    peers = honest.intensities.columns[:, 0]
    size = np.minimum(np.maximum(values[:, 1], values[peers, 1]), unit[1])
    off = violations["distance_of_the_slacks_from_their_proof"]
    assert off == pytest.approx(1e-3 / size, rel=1e-6)
    assert (violations["efficient"] == 1.0).all()


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("orientation", ["none", "output"])
def test_ways_are_as_long_as_loops_say(norm, orientation) -> None:
    numbers = {"a": 2.0, "b": 0.5, "x": 4.0, "z": 1.0}
    honest = rank_with(
        TABLE, outputs=["a", "b"], inputs=["x", "z"], model="holder", norm=norm,
        orientation=orientation, weights=numbers,
    )  # fmt: skip
    db.certify(honest)
    way = honest.tables["direction"]
    may_change = np.array([True, True, orientation == "none", orientation == "none"])
    order = {"l1": 1, "l2": 2, "linf": np.inf}[norm]
    signs = np.array([1, 1, -1, -1])
    for seed in range(2):
        rng = np.random.default_rng(seed)
        values = way.to_numpy() * (1 + (0.3, 1e-6)[seed % 2] * rng.uniform(-1, 1, way.shape))
        # Against its direction, and along a metric that stays.
        values[2, 0] = -0.01
        values[3, 2] = -0.01
        forged = replace(honest, tables={"direction": way * 0 + values})
        violations = forged.options.prove(forged).violations
        for k in range(len(TABLE)):
            steps = values[k] * signs * np.array([*numbers.values()])
            length = np.linalg.norm(steps, order)
            off = abs(length - 1)
            if norm == "linf":
                off = max(off, *np.abs(steps - may_change))
            if (steps < 0).any() or (steps[~may_change] > 0).any():
                off = np.inf
            found = violations["length_of_the_way_beside_1"][k]
            assert found == pytest.approx(off, rel=1e-6, abs=1e-12)
    claim = "that no other way to the frontier is shorter"
    assert (claim in honest.options.prove(honest).unclaimed) == (norm != "linf")


@pytest.mark.parametrize("orientation", ["input", "output"])
def test_slacks_are_off_by_shares_of_own_values_or_of_units(orientation) -> None:
    """Tiny, as large as the reference, larger, and 0 in one metric: each by its own loop."""
    reference = TABLE.iloc[:5]
    tested = pd.DataFrame(
        {"a": [1e-6, 0.5, 40.0, 0.0], "b": [1e-5, 0.4, 30.0, 0.3], "x": [1e-3, 0.5, 9.0, 0.6],
         "z": [1.0, 0.9, 50.0, 0.9]},
        index=list("1234"),
    )  # fmt: skip
    honest = rank_with(
        tested, reference=reference, outputs=["a", "b"], inputs=["x", "z"], model="ccr",
        orientation=orientation, returns="crs",
    )  # fmt: skip
    db.certify(honest)
    reached = honest.intensities.dot(reference.to_numpy())
    unit = reference.max().to_numpy()
    for size in (1e-3, -1e-3, 0.0):
        forged = replace(honest, slacks=honest.slacks + size)
        found = slack_errors(forged)
        assert found.tolist() == slack_errors(forged, reached).tolist()
        for k in range(len(tested)):
            score = honest.scores.iloc[k]
            own = tested.to_numpy()[k]
            factors = [1 / score, 1 / score, 1, 1]
            if orientation == "input":
                factors = [1, 1, score, score]
            expected = 0.0
            for r in range(4):
                projected = own[r] * factors[r]
                gained = (reached[k, r] - projected) * (1 if r < 2 else -1)
                off = abs(gained - forged.slacks.to_numpy()[k, r])
                expected = max(expected, off / min(projected or unit[r], unit[r]))
            assert found[k] == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("orientation", ["input", "output"])
def test_a_peer_of_small_large_and_unreached_dmus_is_off_by_what_loops_give(orientation) -> None:
    """FDH: "1" tiny, "2" large, "3" without b, "4" without outputs, "5" that no peer reaches."""
    reference = TABLE.iloc[:5]
    tested = pd.DataFrame(
        {"a": [1e-3, 0.4, 0.2, 0.0, 9.0], "b": [1e-3, 0.4, 0.0, 0.0, 0.1],
         "x": [1.0, 30.0, 0.9, 1.0, 0.01], "z": [1.0, 90.0, 0.9, 1.0, 0.9]},
        index=list("12345"),
    )  # fmt: skip
    honest = rank_with(
        tested, reference=reference, outputs=["a", "b"], inputs=["x", "z"], model="fdh",
        orientation=orientation,
    )  # fmt: skip
    db.certify(honest)
    is_scored = honest.scores.notna().to_numpy()
    assert not is_scored[4]
    assert is_scored[:3].all()
    assert is_scored[3] == (orientation == "input")
    # That no peer reaches it is another reason than a factor of 0.
    forged = replace(honest, reasons={**honest.reasons, "5": ZERO_FACTOR})
    assert forged.options.prove(forged).violations["reason"].tolist() == [0, 0, 0, 0, 1]
    # Nor has a DMU that a peer reaches with some factor one of 0.
    scores = honest.scores.where(honest.scores.index != "1")
    forged = replace(honest, scores=scores, reasons={**honest.reasons, "1": ZERO_FACTOR})
    assert forged.options.prove(forged).violations["reason"].tolist() == [1, 0, 0, 0, 0]
    own = tested.to_numpy()
    maxima = reference.max().to_numpy()
    for part, size in (("scores", 1e-3), ("slacks", 1e-3), ("slacks", -1e-3), ("peers", 0)):
        forged = honest
        if part == "scores":
            forged = replace(honest, scores=honest.scores + size)
        elif part == "slacks":
            forged = replace(honest, slacks=honest.slacks + size * maxima)
        else:
            columns = np.where(is_scored[:, None], 4, -1).astype(np.int32)
            forged = replace(honest, intensities=Sparse(columns, honest.intensities.values))
        violations = forged.options.prove(forged).violations
        peers = forged.intensities.columns[:, 0]
        for k in range(len(tested)):
            found = {claim: errors[k] for claim, errors in violations.items()}
            assert found["peers_that_are_not_one"] == found["reason"] == 0.0
            if not is_scored[k]:
                assert set(found.values()) == {0.0}
                continue
            score = honest.scores.iloc[k]
            gap = abs(forged.scores.iloc[k] - score) / max(score, 1.0)
            assert found["gap"] == pytest.approx(gap, rel=1e-9)
            factors = np.array([1, 1, score, score])
            if orientation == "output":
                factors = np.array([1 / score, 1 / score, 1, 1])
            reached = reference.to_numpy()[peers[k]]
            gains = (reached - factors * own[k]) * [1, 1, -1, -1]
            claimed = forged.slacks.to_numpy()[k]
            off = max(abs(claimed - gains) / np.maximum(reached, own[k]))
            misses = found["distance_of_the_slacks_from_their_proof"]
            assert misses == pytest.approx(off, rel=1e-9, abs=1e-12)
            best = (honest.slacks.to_numpy()[k] / maxima).sum()
            left = (best - (gains / maxima).sum()) / max(1.0, *(own[k] / maxima))
            assert found["slack_that_is_not_the_largest"] == pytest.approx(
                left, rel=1e-9, abs=1e-12
            )


@pytest.mark.parametrize("name", ["own", "ones", "range", "rdm"])
def test_one_peer_along_a_direction_is_off_by_what_loops_give(name) -> None:
    options = {"model": "rdm"} if name == "rdm" else {"model": "ddf", "direction": name}
    honest = rank_with(TABLE, outputs=["a", "b"], inputs=["x", "z"], technology="fdh", **options)
    db.certify(honest)
    values = TABLE.to_numpy()
    everyone = range(len(TABLE))
    unit = 2.0 ** np.floor(np.log2(TABLE.max().to_numpy()))
    spread = (TABLE.max() - TABLE.min()).to_numpy()
    ways = {"own": values, "ones": np.ones_like(values), "range": np.tile(spread, (8, 1))}
    ideal = np.abs(np.where([1, 1, 0, 0], TABLE.max(), TABLE.min()) - values)
    way = ways.get(name, ideal)
    gains = (values[None] - values[:, None]) * [1, 1, -1, -1]
    best = []
    for k in everyone:
        levels = []
        for j in everyone:
            steps = [gains[k, j, r] / way[k, r] for r in range(4) if way[k, r] > 0]
            stays = all(gains[k, j, r] >= 0 for r in range(4) if not way[k, r] > 0)
            levels.append(min(steps) if stays else -np.inf)
        best.append(max(levels))
    best = np.array(best)
    scores = 1 - best if name == "rdm" else best
    assert honest.scores.to_numpy() == pytest.approx(scores, rel=1e-12, abs=1e-12)
    least = (values / way).min(axis=1) if name == "ones" else 1.0
    size = np.maximum(np.abs(best), least)
    kept = honest.slacks.to_numpy() / unit
    for j in everyone:
        columns = honest.intensities.columns.copy()
        columns[:, 0] = j
        left = gains[:, j] - best[:, None] * way
        forged = replace(
            honest,
            slacks=honest.slacks * 0 + left,
            intensities=Sparse(columns, honest.intensities.values),
        )
        violations = forged.options.prove(forged).violations
        assert (violations["gap"] < 1e-12).all()
        for k in everyone:
            both = values[k] + values[j]
            worse = max(0.0, *(-left[k] / both))
            found = violations["worse_than_where_the_distance_leads"][k]
            assert found == pytest.approx(worse, rel=1e-6, abs=1e-12)
            missing = max(0.0, (kept[k] - left[k] / unit).sum()) / (both / unit).sum()
            found = violations["slack_that_is_not_the_largest"][k]
            assert found == pytest.approx(missing, rel=1e-6, abs=1e-12)
            assert violations["distance_of_the_slacks_from_their_proof"][k] < 1e-12
            assert violations["efficient"][k] == violations["reason"][k] == 0.0
    forged = replace(
        honest,
        scores=honest.scores - 1e-3,
        slacks=honest.slacks - [0.0, 1e-3, 0.0, 0.0],
        efficient=~honest.efficient,
    )
    violations = forged.options.prove(forged).violations
    assert violations["gap"] == pytest.approx(1e-3 / size, rel=1e-6)
    peers = honest.intensities.columns[:, 0]
    off = violations["distance_of_the_slacks_from_their_proof"]
    largest = np.minimum(np.maximum(values[:, 1], values[peers, 1]), unit[1])
    assert off == pytest.approx(1e-3 / largest, rel=1e-6)
    assert (violations["efficient"] == 1.0).all()
