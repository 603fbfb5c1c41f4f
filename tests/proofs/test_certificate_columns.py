"""Every column of the oracles with the call that recomputes it to its printed digits; a column
without one fails by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dea_cases import ORACLES, lp, oracle
from model_options import rank_with

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
Call = Callable[[pd.DataFrame], Any]

FLS, TONE, PLANTS = "01_fls2008_11dmu", "03_tone2001_sbm_5dmu", "04_tone2002_power_plants_super"
AIRLINES, INWARD, OUTWARD = (
    "06_aparicio2007_airlines_closest",
    "07_holder_input_8dmu",
    "08_holder_output_8dmu_constant_input",
)
GRAPH, SEVEN, PROJECTS = (
    "09_erg_sbm_graph_8dmu",
    "10_charnes1994_additive_7dmu",
    "11_lim_zhu_2015_rd_projects",
)
ELECTRIC, BRANCHES, STORES = (
    "12_simar_wilson_1998_electric",
    "14_cst_branches_outputs_only",
    "15_cst_six_stores_inputs_only",
)
SMALL, LARGE = (
    "18a_synthetic_seed0_n30_outputs3_closest",
    "18c_synthetic_seed0_n100_outputs3_closest",
)
INPUTS = {
    FLS: ["x1", "x2"],
    TONE: ["Input1", "Input2"],
    PLANTS: ["X1", "X2", "X3", "X4"],
    AIRLINES: ["Lab", "Fuel", "Matl", "Cap"],
    INWARD: ["x1", "x2"],
    OUTWARD: ["x1"],
    GRAPH: ["x1"],
    SEVEN: ["x"],
    PROJECTS: ["Budget"],
    ELECTRIC: ["Labor", "Fuel", "Capital"],
    BRANCHES: ["employees"],
    STORES: ["x1", "x2"],
    SMALL: [],
    LARGE: [],
}
SHORT = {"holder_l2": 5.1e-7, "6dp": 5.4e-7, "book_4dp": 5e-5, "published_3dp": 5e-4}
"""What columns that were printed short may be off by (russell_graph has one cell cut, not rounded).
"""


def score(data: pd.DataFrame, inputs: list[str], *, phi: bool = False, **options: Any) -> pd.Series:
    """`rank`; `phi` where the column prints the factor of output-oriented models, of which the
    score is the inverse.
    """
    outputs = [name for name in data if name not in INPUTS_OF]
    ranking = rank_with(data, inputs=inputs or None, outputs=outputs, **options)
    db.certify(ranking)
    return 1 / ranking.scores if phi else ranking.scores


INPUTS_OF = {name for names in INPUTS.values() for name in names}


def radial(returns: str, orientation: str) -> dict[str, Any]:
    return {
        "model": "ccr",
        "returns": returns,
        "orientation": orientation,
        "phi": orientation == "output",
    }


def without_inputs(data: pd.DataFrame, *, phi: bool) -> pd.Series:
    return score(
        data.drop(columns=[name for name in data if name in INPUTS_OF]), [], model="wei", phi=phi
    )


@cache
def constant() -> db.Targets:
    data = oracle(AIRLINES, "data")
    return db.targets(
        data,
        data,
        inputs=INPUTS[AIRLINES],
        outputs=["Pass", "Cargo"],
        returns="crs",
        dominating=True,
        weights=dict.fromkeys(data, 1.0),
    )


@cache
def synthetic(name: str) -> pd.Series:
    data = oracle(name, "data")
    return db.targets(data, data, outputs=["y1", "y2", "y3"], dominating=True).distance


def extreme(data: pd.DataFrame, returns: str) -> list[int]:
    """Flags of the extreme efficient DMUs."""
    front = (
        constant().frontier
        if returns == "crs"
        else db.frontier(data, inputs=INPUTS[AIRLINES], outputs=["Pass", "Cargo"])
    )
    if returns == "crs":
        faces = [{front.vertices[k] for k in face} for face in front.hull.maximal_faces]
        return [int(any({label, "nothing"} <= face for face in faces)) for label in data.index]
    return [int(label in front.extreme) for label in data.index]


def kaizen(data: pd.DataFrame) -> list[float]:
    """The slacks-based measure of the best point of an efficient face that dominates (Tone 2010),
    face by face with SciPy; the faces are those of the frontier under constant returns.
    """
    front = constant().frontier
    faces = [
        [front.vertices[k] for k in face if front.vertices[k] != "nothing"]
        for face in front.hull.maximal_faces
        if any(front.vertices[k] == "nothing" for k in face)
    ]
    X, Y = data[INPUTS[AIRLINES]], data[["Pass", "Cargo"]]
    best = []
    for label in data.index:
        x, y, values = X.loc[label].to_numpy(), Y.loc[label].to_numpy(), []
        for face in faces:
            used, made = (
                X.loc[face].to_numpy() / x,
                Y.loc[face].to_numpy() / y,
            )  # (Λ, t): Λ over t is λ
            k = len(face)
            A = np.vstack(
                [np.column_stack([used.T, -np.ones(4)]), np.column_stack([-made.T, np.ones(2)])]
            )
            solution = lp(
                np.append(-used.mean(axis=1), 0.0),
                A,
                np.zeros(6),
                equal=(np.append(made.mean(axis=1), 0.0)[None], [1.0]),
                bounds=[(0, None)] * (k + 1),
            )
            values.append(-solution)
        best.append(np.nanmax(values))
    return best


def malmquist(data: pd.DataFrame, column: str) -> np.ndarray:
    """Both transitions, one after the other."""
    changes = []
    for first in (1, 2):
        before, after = (
            data[data["period"] == period].drop(columns="period") for period in (first, first + 1)
        )
        changes.append(db.malmquist(before, after, inputs=["x"], outputs=["y"]).frame[column])
    return np.concatenate(changes)


def holder(column: str) -> dict[str, Any]:
    return {
        "model": "holder",
        "norm": next(norm for norm in ("l1", "l2", "linf") if f"_{norm}_" in column),
        "weights": "mip" if "weighted" in column else "ones",
    }


def held(name: str, **options: Any) -> Call:
    return partial(score, inputs=INPUTS[name], **options)


RADIAL = {
    FLS: {
        "ccr_in": "crs input",
        "ccr_out": "crs output",
        "bcc_in": "vrs input",
        "bcc_out": "vrs output",
        "nirs_in": "nirs input",
        "ndrs_in": "ndrs input",
    },
    TONE: {"ccr_in": "crs input"},
    AIRLINES: {"ccr_in": "crs input"},
    INWARD: {"ccr_in": "crs input", "bcc_in": "vrs input"},
    OUTWARD: {"bcc_out": "vrs output"},
    GRAPH: {"ccr_in": "crs input", "bcc_in": "vrs input", "bcc_out": "vrs output"},
    SEVEN: {"bcc_in": "vrs input", "bcc_out": "vrs output"},
    ELECTRIC: {"bcc_in": "vrs input"},
    PROJECTS: {
        "crs_in": "crs input",
        "crs_out": "crs output",
        "vrs_in": "vrs input",
        "vrs_out": "vrs output",
    },
    STORES: {"ccr_in": "crs input", "ccr_in_book_4dp": "crs input"},
}
OTHERS: dict[str, dict[str, dict[str, Any]]] = {
    FLS: {
        **{
            f"additive_{w}_{r}": {"model": "additive", "weights": w, "returns": r}
            for w in ("ones", "mip", "normalized")
            for r in ("crs", "vrs")
        },
        **{f"ram_inefficiency_{r}": {"model": "ram", "returns": r} for r in ("crs", "vrs")},
        **{f"ddf_observed_{r}": {"model": "ddf", "returns": r} for r in ("crs", "vrs")},
        **{f"sbm_{r}": {"model": "sbm", "returns": r} for r in ("crs", "vrs")},
        "fdh_in": {"model": "fdh", "orientation": "input"},
        "fdh_out": {"model": "fdh", "phi": True},
        "super_ccr_in": {"model": "super", "returns": "crs", "orientation": "input"},
        "super_bcc_out": {"model": "super", "returns": "vrs", "phi": True},
    },
    TONE: {
        "sbm_crs": {"model": "sbm"},
        "sbm_vrs": {"model": "sbm", "returns": "vrs"},
        "sbm_crs_published_3dp": {"model": "sbm"},
    },
    PLANTS: {
        "super_ccr_in": {"model": "super", "returns": "crs", "orientation": "input"},
        "super_bcc_in": {"model": "super", "returns": "vrs", "orientation": "input"},
        "super_bcc_out": {"model": "super", "returns": "vrs", "phi": True},
        "super_sbm_in_crs": {"model": "super-sbm", "orientation": "input"},
        "super_sbm_nonoriented_crs_deaR": {"model": "super-sbm"},
    },
    AIRLINES: {"sbm_crs": {"model": "sbm"}},
    INWARD: {"russell_in_vrs": {"model": "russell", "orientation": "input"}},
    OUTWARD: {
        "russell_out_vrs": {"model": "russell", "phi": True},
        "russell_out_fdh": {"model": "russell", "technology": "fdh", "phi": True},
    },
    GRAPH: {
        "erg_crs": {"model": "sbm"},
        "erg_vrs": {"model": "sbm", "returns": "vrs"},
        "modified_ddf_ones_vrs": {"model": "additive"},  # with one input and one output the same
        "russell_graph_crs_6dp": {"model": "russell", "orientation": "none", "returns": "crs"},
    },
    SEVEN: {"additive_vrs": {"model": "additive"}},
}
CALLS: dict[tuple[str, str], Call] = {
    **{
        (name, column): held(name, **radial(*how.split()))
        for name, columns in RADIAL.items()
        for column, how in columns.items()
    },
    **{
        (name, column): held(name, **options)
        for name, columns in OTHERS.items()
        for column, options in columns.items()
    },
    **{
        (name, column): held(name, orientation=side, **holder(column))
        for name, side in ((INWARD, "input"), (OUTWARD, "output"), (GRAPH, "none"))
        for column in oracle(name, "expected")
        if column.startswith("holder")
    },
    (OUTWARD, "dea_wei_score"): partial(without_inputs, phi=False),
    (BRANCHES, "ccr_efficiency"): partial(without_inputs, phi=False),
    **{
        (name, "dea_wei_phi"): partial(without_inputs, phi=True)
        for name in (BRANCHES, SMALL, LARGE)
    },
    (PROJECTS, "dea_wei_phi_outputs_only"): partial(without_inputs, phi=True),
    (STORES, "weakly_efficient"): lambda data: [
        int(s > 1 - 1e-9 and not e)
        for s, e in zip(
            *(lambda r: (r.scores, r.efficient))(
                db.rank(data, inputs=["x1", "x2"], outputs=["y"], model="ccr", orientation="input")
            ),
            strict=True,
        )
    ],
    (AIRLINES, "closest_L1_minslack_crs"): lambda _: constant().distance,
    **{
        (AIRLINES, column): lambda _, column=column: constant().targets[column.partition(".")[2]]
        for column in oracle(AIRLINES, "expected")
        if column.startswith("target_")
    },
    **{
        (AIRLINES, f"extreme_efficient_{returns}"): partial(extreme, returns=returns)
        for returns in ("crs", "vrs")
    },
    (AIRLINES, "kaizen_sbm_crs_deaR"): kaizen,
    **{
        (name, "closest_L1_dominating_minslack"): lambda _, name=name: synthetic(name)
        for name in (SMALL, LARGE)
    },
    **{
        ("16_malmquist_5dmu", column): partial(malmquist, column=ours)
        for column, ours in (
            ("malmquist_index_input_crs", "index"),
            ("efficiency_change", "efficiency_change"),
            ("technical_change", "technical_change"),
        )
    },
}
ANSWERED = {
    (
        ELECTRIC,
        "bootstrap_bias_corrected_deaR_B2000_seed1",
    ): "random draws: tests/inference/test_simar_wilson.py holds "
    "db.simar_wilson to what their randomness leaves",
    (ELECTRIC, "ci_low_95"): "of the same bootstrap",
    (ELECTRIC, "ci_high_95"): "of the same bootstrap",
    (SMALL, "deaR_milp_value_WRONG_WHERE_DIFFERENT"): "a wrong column: see the test below",
    (LARGE, "deaR_milp_value_WRONG_WHERE_DIFFERENT"): "a wrong column: see the test below",
    ("16_malmquist_5dmu", "transition"): "a label",
}
"""Columns that are not recomputed, and why."""


def test_no_column_is_forgotten() -> None:
    oracle_columns = {
        (path.name.removesuffix("_expected.csv"), column)
        for path in sorted(ORACLES.glob("[0-9]*_expected.csv"))
        # Ranks over all weightings are held in tests/analysis/weightings/test_analysis.py.
        if not path.name.startswith("20_weightings")
        for column in pd.read_csv(path, index_col=0)
    }
    assert oracle_columns - set(CALLS) - set(ANSWERED) == set()
    assert set(CALLS) <= oracle_columns
    assert not set(CALLS) & set(ANSWERED)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        # Every second column; `kaizen` goes face by face with SciPy, which takes seconds.
        pytest.param(*case, marks=pytest.mark.slow if place % 2 or CALLS[case] is kaizen else ())
        for place, case in enumerate(CALLS)
    ],
    ids=[f"{name[:3].strip('_')}-{column}" for name, column in CALLS],
)
def test_the_column_is_recomputed(name, column) -> None:
    expected = oracle(name, "expected")[column].to_numpy(dtype=float)
    computed = np.asarray(CALLS[name, column](oracle(name, "data")), dtype=float)
    tolerance = max((allowed for end, allowed in SHORT.items() if end in column), default=0.0)
    np.testing.assert_allclose(
        computed, expected, rtol=2e-9, atol=tolerance or 2e-9
    )  # ten digits were printed


@pytest.mark.parametrize("name", [SMALL, LARGE])
def test_the_wrong_column_is_wrong_in_one_row(name) -> None:
    expected = oracle(name, "expected")["deaR_milp_value_WRONG_WHERE_DIFFERENT"].to_numpy()
    assert int((np.abs(synthetic(name).to_numpy() - expected) > 1e-7).sum()) == 1
