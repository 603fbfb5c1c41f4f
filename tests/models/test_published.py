"""Published cases of other papers, and models and options as users of other tools spell them."""

from __future__ import annotations

import pandas as pd
import pytest
from model_options import rank_with

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def table(rows: list[list[float]], inputs: str, outputs: str) -> tuple[pd.DataFrame, dict]:
    return pd.DataFrame(rows, columns=[*inputs, *outputs], dtype=float), {
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


FIVE = table(
    [[7, 7, 7, 4, 4], [5, 9, 7, 7, 7], [4, 6, 5, 5, 7], [5, 9, 8, 6, 2], [6, 8, 5, 3, 6]],
    "abc",
    "yz",
)
DEPARTMENTS = table(
    [
        [12, 400, 20, 60, 35, 17],
        [19, 750, 70, 139, 41, 40],
        [42, 1500, 70, 225, 68, 75],
        [15, 600, 100, 90, 12, 17],
        [45, 2000, 250, 253, 145, 130],
        [19, 730, 50, 132, 45, 45],
        [41, 2350, 600, 305, 159, 97],
    ],
    "abc",
    "xyz",
)


def test_five_dmus_of_liang_wu_cook_and_zhu() -> None:
    """Liang, Wu, Cook, Zhu (2008), Operations Research 56:1278-1288: efficiencies and benevolent
    cross-efficiencies.
    """
    data, options = FIVE
    assert rank_with(data, model="ccr", **options).scores.round(4).tolist() == [
        0.6857,
        1,
        1,
        0.8571,
        0.8571,
    ]
    cross = rank_with(data, model="cross", goal="benevolent", **options)
    assert cross.scores.round(4).tolist() == [0.5616, 0.9295, 1.0, 0.6671, 0.5871]
    db.certify(cross)


def test_seven_departments_of_wong_and_beasley() -> None:
    """Wong, Beasley (1990), J. Operational Research Society 41:829-835: all are efficient but the
    fourth.
    """
    data, options = DEPARTMENTS
    assert rank_with(data, model="ccr", **options).scores.round(4).tolist() == [
        1,
        1,
        1,
        0.8197,
        1,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"model": "CCR"}, "model 'CCR' is not known; write 'ccr'"),
        ({"model": "BCC"}, "model 'BCC' is not known; write model 'ccr' with returns 'vrs'"),
        (
            {"model": "BCC-O"},
            "model 'BCC-O' is not known; write model 'ccr' with returns 'vrs' and orientation "
            "'output'",
        ),
        (
            {"model": "CCR-I"},
            "model 'CCR-I' is not known; write model 'ccr' with returns 'crs' and orientation "
            "'input'",
        ),
        ({"model": "IRS"}, "model 'IRS' is not known; write model 'ccr' with returns 'ndrs'"),
        ({"model": "Super-SBM"}, "model 'Super-SBM' is not known; write 'super-sbm'"),
        ({"model": "hölder"}, "model 'hölder' is not known; write model 'holder'"),
        ({"returns": "IRS"}, "model 'ccr' has no returns 'IRS'; write 'ndrs'"),
        ({"returns": "drs"}, "model 'ccr' has no returns 'drs'; write 'nirs'"),
        ({"returns": "VRS"}, "model 'ccr' has no returns 'VRS'; write 'vrs'"),
        (
            {"returns": "grs"},
            "model 'ccr' has no returns 'grs'; write 'crs' or 'vrs' or 'nirs' or 'ndrs', "
            "or bound Σ λ with deabench.models.CCR(sums=(least, most))",
        ),
        ({"orientation": "io"}, "model 'ccr' has no orientation 'io'; write 'input'"),
        (
            {"orientation": "Output-Oriented"},
            "model 'ccr' has no orientation 'Output-Oriented'; write 'output'",
        ),
    ],
)
def test_what_users_write(arguments, text, refused) -> None:
    data, options = FIVE
    with refused(text):
        rank_with(data, **{"model": "ccr", **arguments}, **options)
