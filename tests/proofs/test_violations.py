"""What a ranking's proof says of a DMU depends on nothing but that DMU, in whatever units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
from deabench.results.answer import take_rows
from deabench.utils.arrays import Sparse

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
RNG = np.random.default_rng(5)
TABLE = pd.DataFrame(RNG.uniform(0.3, 1, (9, 4)).round(3), list("pqrstuvwx"), list("abxz"))
TABLE.loc["x"] = [0.3, 0.3, 1.0, 1.0]
UNITS = pd.Series({"a": 2.0**9, "b": 2.0**-7, "x": 2.0**5, "z": 2.0**-11})
CASES: dict[str, dict[str, Any]] = {
    "wei": {"model": "wei", "inputs": None},
    "score": {"model": "score", "inputs": None},
    "ccr crs": {"model": "ccr", "returns": "crs"},
    "ccr vrs inwards": {"model": "ccr", "returns": "vrs", "orientation": "input"},
    "ccr nirs": {"model": "ccr", "returns": "nirs"},
    "super": {"model": "super", "returns": "crs"},
    "super inwards": {"model": "super", "returns": "vrs", "orientation": "input"},
    "fdh": {"model": "fdh"},
    "fdh inwards": {"model": "fdh", "orientation": "input"},
    "sbm": {"model": "sbm", "returns": "vrs"},
    "sbm crs outwards": {"model": "sbm", "orientation": "output", "returns": "crs"},
    "sbm alone": {"model": "sbm", "technology": "fdh"},
    "super-sbm": {"model": "super-sbm"},
    "super-sbm inwards": {"model": "super-sbm", "orientation": "input", "returns": "vrs"},
    "russell": {"model": "russell"},
    "russell graph": {"model": "russell", "orientation": "none"},
    "russell alone": {"model": "russell", "technology": "fdh"},
    "ram": {"model": "ram"},
    "bam": {"model": "bam"},
    "additive mip": {"model": "additive", "weights": "mip"},
    "additive alone": {"model": "additive", "weights": "mip", "technology": "fdh"},
    "ddf": {"model": "ddf", "direction": "own"},
    "ddf alone": {"model": "ddf", "direction": "range", "technology": "fdh"},
    "rdm": {"model": "rdm"},
    "rdm alone": {"model": "rdm", "technology": "fdh"},
    "holder": {"model": "holder", "norm": "linf", "weights": "ram"},
    "holder l1": {"model": "holder", "norm": "l1", "weights": "ram", "orientation": "output"},
    "cross": {"model": "cross"},
    "common": {"model": "common", "inputs": None},
    "common largest": {"model": "common", "inputs": None, "goal": "largest"},
    "restricted": {"model": "ccr", "returns": "vrs", "shares": {"a": (0.2, 0.7)}},
    "restricted inwards": {"model": "ccr", "orientation": "input", "shares": {"x": (0.3, 0.6)}},
    "sums": {"model": "ccr", "sums": (0.8, 1.2)},
}
TOGETHER = ("cross", "common", "common largest")
"""Models in which each DMU's score depends on the others'."""


QUICK = ("wei", "ccr vrs inwards", "fdh", "sbm", "super-sbm", "holder l1", "common largest")
MODELS = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CASES]


def rank_case(name: str) -> db.Ranking:
    options = {"inputs": ["x", "z"], **CASES[name]}
    columns = ["a", "b", *(options["inputs"] or [])]
    return rank_with(TABLE[columns], outputs=["a", "b"], **options)


def change_all(ranking: db.Ranking, size: float, seed: int = 0) -> db.Ranking:
    """Return a ranking of which every number was changed by a share of about `size`."""
    rng = np.random.default_rng(seed)

    def near(values):
        return values * (1 + size * rng.uniform(-1, 1, values.shape))

    lam = ranking.intensities
    slacks = near(ranking.slacks + 1e-2 * TABLE[ranking.slacks.columns])
    return replace(
        ranking,
        scores=near(ranking.scores),
        slacks=slacks,
        weights=near(ranking.weights),
        intensities=Sparse(lam.columns, near(lam.values)),
        efficient=ranking.efficient ^ (np.arange(len(TABLE)) % 2 == 0),
        tables={name: near(table) for name, table in ranking.tables.items()},
    )


def in_units(ranking: db.Ranking, units: pd.Series) -> db.Ranking:
    """Return the same in other units of the metrics."""

    def times(frame):
        return frame * units.reindex(frame.columns).fillna(1.0)

    def per(frame):
        return frame / units.reindex(frame.columns).fillna(1.0)

    def scale(data):
        return replace(data, outputs=times(data.outputs), inputs=times(data.inputs))

    tables = dict(ranking.tables)
    if "direction" in tables:
        tables["direction"] = times(tables["direction"])
    if "own_weights" in tables:
        tables["own_weights"] = per(tables["own_weights"])
    certificates = ranking.infeasibility_certificates
    return replace(
        ranking,
        data=scale(ranking.data),
        reference=scale(ranking.reference),
        slacks=times(ranking.slacks),
        weights=per(ranking.weights),
        tables=tables,
        infeasibility_certificates=None if certificates is None else per(certificates),
    )


@pytest.mark.parametrize("name", MODELS)
def test_violations_know_no_units(name) -> None:
    honest = rank_case(name)
    db.certify(honest)
    for forged in (honest, change_all(honest, 1e-3), change_all(honest, 1e-7, seed=1)):
        plain = forged.options.prove(forged)
        scaled = in_units(forged, UNITS)
        moved = scaled.options.prove(scaled)
        assert moved.violations.keys() == plain.violations.keys()
        for claim, misses in plain.violations.items():
            np.testing.assert_allclose(
                moved.violations[claim], misses, rtol=1e-5, atol=2e-12, err_msg=claim
            )
        pd.testing.assert_frame_equal(moved.frame, plain.frame, rtol=1e-6, atol=2e-12)


@pytest.mark.parametrize(
    "name", mark_most_slow([model for model in MODELS if model.values[0] not in TOGETHER], 3)
)
def test_violations_of_a_dmu_are_its_own(name) -> None:
    honest = rank_case(name)
    for forged in (change_all(honest, 1e-3), change_all(honest, 1e-7, seed=1)):
        together = forged.options.prove(forged)
        assert any(misses.max() > 1e-9 for misses in together.violations.values())
        for k in range(len(TABLE)):
            alone = take_rows(forged, np.array([k]))
            if alone.tables:
                tables = {key: table.iloc[[k]] for key, table in forged.tables.items()}
                alone = replace(alone, tables=tables)
            proof = alone.options.prove(alone)
            # What only DMUs above 1 are asked is 0 for those below, or not there.
            for claim, misses in together.violations.items():
                own = proof.violations.get(claim, np.zeros(1))
                np.testing.assert_allclose(own, misses[[k]], rtol=1e-6, atol=1e-13, err_msg=claim)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", MODELS)
def test_a_changed_score_is_off_by_the_change(name, sign) -> None:
    honest = rank_case(name)
    size = 1e-4
    for k in range(len(TABLE)):
        change = sign * size * (np.arange(len(TABLE)) == k)
        forged = replace(honest, scores=honest.scores + change)
        violations = forged.options.prove(forged).violations
        # A number that cannot be computed any more is refused, too.
        largest = max(np.nan_to_num(misses[k], nan=np.inf) for misses in violations.values())
        # In the unit of the score: itself where it is above 1, or what its metrics are worth.
        unit = max(1.0, abs(honest.scores.iloc[k]))
        if "additive" in name:
            unit = 6
        assert largest >= 0.99 * size / unit
        for claim, misses in violations.items():
            if claim.startswith("distance_of_the_score") and honest.measure == "efficiency":
                assert np.isnan(misses[k]) or misses[k] <= 6 * size


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", MODELS)
def test_a_changed_slack_is_off_by_its_share_of_an_own_value(name, sign) -> None:
    honest = rank_case(name)
    for r, metric in enumerate(honest.slacks.columns):
        k = (2 * r) % len(TABLE)
        slacks = honest.slacks.copy()
        slacks.iloc[k, r] += sign * 1e-4 * TABLE[metric].iloc[k]
        forged = replace(honest, slacks=slacks)
        violations = forged.options.prove(forged).violations
        claims = [claim for claim in violations if "slacks" in claim]
        assert claims
        # As a share of the own value, of the projection or of both together.
        largest = max(violations[claim][k] for claim in claims)
        if np.isnan(honest.scores.iloc[k]):
            continue
        if "slacks_of_a_dmu_that_has_none" not in claims:
            assert 0.2e-4 <= largest <= 4e-4
        for claim in claims:
            assert np.nan_to_num(np.delete(violations[claim], k)).max() <= 1e-9
