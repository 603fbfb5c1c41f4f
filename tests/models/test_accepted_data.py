"""Which zeros and negative values each model takes: those that leave its score a meaning."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from deabench.errors import DataError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
M = db.models
TABLE = pd.DataFrame(
    {
        "a": [1.0, 3.0, 4.0, 2.0],
        "b": [4.0, 3.0, 1.0, 2.0],
        "x": [2.0, 3.0, 2.5, 4.0],
        "z": [3.0, 1.0, 2.0, 2.0],
    },
    index=list("pqrs"),
)
CHANGES = {
    "zero inputs": {"x": 0.0, "z": 0.0},
    "negative inputs": {"x": -1.0},
    "zero outputs": {"a": 0.0, "b": 0.0},
    "negative outputs": {"a": -1.0},
}
ALL = set(CHANGES)


def accepted_by_radial(orientation: str, returns: str) -> set[str]:
    """Return what a factor of one side takes.

    The side that the factor scales has a fixed origin, and where Σ λ is free both have; what is
    scaled down cannot start from 0.
    """
    accepted = {"zero outputs"}
    if orientation == "output":
        accepted |= {"zero inputs"} if returns in ("vrs", "nirs") else set()
        accepted |= {"negative inputs"} if returns == "vrs" else set()
    elif returns == "vrs":
        accepted |= {"negative outputs"}
    return accepted


CASES = [
    *(
        (M.CCR(returns=returns, orientation=orientation), accepted_by_radial(orientation, returns))
        for returns, orientation in product(("crs", "vrs", "nirs", "ndrs"), ("input", "output"))
    ),
    *((M.FDH(orientation=o), accepted_by_radial(o, "vrs")) for o in ("input", "output")),
    *((M.SBM(orientation=o), {"zero outputs"}) for o in ("input", "output", "none")),
    (M.SBM(returns="vrs"), {"zero outputs"}),
    (M.SuperSBM(), {"zero outputs"}),
    (M.Super(returns="vrs"), {"zero outputs"}),
    (M.Russell(), set()),
    (M.Additive(returns="crs"), set()),
    (M.DDF(), set()),
    # Differences alone count.
    *((model, ALL) for model in (M.Additive(), M.RAM(), M.BAM(), M.RDM(), M.Holder())),
]


def rank(table: pd.DataFrame, model) -> db.Ranking:
    return db.rank(table, outputs=["a", "b"], inputs=["x", "z"], model=model)


def name_case(value: object) -> str:
    """Return the name of a parameter, in the same order in every process."""
    return ", ".join(sorted(value)) if isinstance(value, set) else str(value)


@pytest.mark.parametrize(("model", "accepted"), mark_most_slow(CASES, 12), ids=name_case)
def test_a_model_takes_what_leaves_its_score_a_meaning(model, accepted) -> None:
    for kind, cells in CHANGES.items():
        table = TABLE.copy()
        table.loc["p", list(cells)] = list(cells.values())
        if kind not in accepted:
            with pytest.raises(DataError):
                rank(table, model)
            continue
        ranking = rank(table, model)
        db.certify(ranking)
        if kind.startswith("negative"):
            # Counted from another origin, these metrics say the same.
            moved = rank(table.assign(**{name: table[name] + 7 for name in cells}), model)
            np.testing.assert_allclose(ranking.scores, moved.scores, rtol=1e-9, atol=1e-12)
