"""What must hold of any table, with zeros, ties and duplicates; the linear programs beside it are
SciPy's.

The other theorems stand beside their models: translation invariance (test_additive,
test_directional, test_holder), the slacks-based measure below the radial one (test_oracles),
restricted scores below free ones (test_restricted), cross- efficiency below its own score
(test_cross), a group's frontier inside that of all, order-m between FDH and infinity
(tests/analysis: test_metafrontier and test_partial_frontiers)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, radial, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def costly(values: np.ndarray) -> pd.DataFrame:
    """Make the first metric an input above 0, the others outputs that are not all 0."""
    outputs = np.where(values[:, 1:].any(axis=1)[:, None], values[:, 1:], 0.01)
    table = pd.DataFrame(np.column_stack([1.01 - values[:, :1], outputs]))
    return table.rename(columns=lambda k: f"m{k}").rename(index=lambda k: f"c{k}")


@examples(8)
@given(tables(rows=(2, 8), metrics=(2, 4), near=False), st.sampled_from(["input", "output"]))
def test_fewer_assumptions_never_lower_an_efficiency(values, orientation) -> None:
    """FDH is at least VRS, VRS at least CRS, and NIRS and NDRS lie between; VRS and CRS are
    SciPy's.
    """
    table = costly(values)
    X, Y = table.to_numpy()[:, :1], table.to_numpy()[:, 1:]
    scores = {
        returns: db.rank(
            table, inputs=["m0"], model="ccr", returns=returns, orientation=orientation
        ).scores.to_numpy()
        for returns in ("vrs", "nirs", "ndrs", "crs")
    }
    for returns in ("vrs", "crs"):
        factor = np.array(
            [
                radial(X, Y, x, y, orientation=orientation, returns=returns)
                for x, y in zip(X, Y, strict=True)
            ]
        )
        np.testing.assert_allclose(
            scores[returns], factor if orientation == "input" else 1 / factor, atol=1e-8
        )
    chain = [
        db.rank(table, inputs=["m0"], model="fdh", orientation=orientation).scores.to_numpy(),
        scores["vrs"],
    ]
    for between in ("nirs", "ndrs"):
        for above, below in zip(
            [*chain, scores[between]], [scores["vrs"], scores[between], scores["crs"]], strict=True
        ):
            assert (above >= below - 1e-9).all()


@examples(8)
@given(
    tables(rows=(2, 8), metrics=(2, 4), near=False),
    st.sampled_from(["crs", "vrs"]),
    st.sampled_from(["input", "output"]),
)
def test_super_efficiency_is_1_or_more_exactly_for_those_on_the_frontier(
    values, returns, orientation
) -> None:
    """Where the others cannot reach it at any factor it has none, and is on the frontier too."""
    table = costly(values)
    options = {"inputs": ["m0"], "returns": returns, "orientation": orientation}
    X, Y = table.to_numpy()[:, :1], table.to_numpy()[:, 1:]
    on = [
        abs(radial(X, Y, x, y, orientation=orientation, returns=returns) - 1) <= 1e-9
        for x, y in zip(X, Y, strict=True)
    ]
    scores = rank_with(table, model="super", **options).scores
    assert ((scores >= 1 - 1e-8) | scores.isna()).tolist() == on


@examples(6)
@given(tables(rows=(3, 6), metrics=(2, 3), near=False), st.data())
def test_malmquist_is_the_product_of_its_two_changes_and_the_mean_of_two_quotients(
    values, data
) -> None:
    """Against the frontier before and that after, each by SciPy: the geometric mean of the two
    quotients.
    """
    before = costly(values)
    after = before * np.array(
        data.draw(
            st.lists(
                st.sampled_from([0.5, 0.8, 1.0, 1.25]), min_size=before.size, max_size=before.size
            )
        )
    ).reshape(before.shape)
    frame = db.malmquist(before, after, inputs=["m0"]).frame
    old, new = before.to_numpy(), after.to_numpy()

    def score(point: np.ndarray, reference: np.ndarray) -> float:
        return 1 / radial(
            reference[:, :1],
            reference[:, 1:],
            point[:1],
            point[1:],
            orientation="output",
            returns="crs",
        )

    for o, label in enumerate(before.index):
        nearer = score(new[o], new) / score(old[o], old)
        quotients = [
            score(new[o], technology) / score(old[o], technology) for technology in (old, new)
        ]
        assert frame.loc[label, "efficiency_change"] == pytest.approx(nearer, rel=1e-7)
        assert frame.loc[label, "index"] == pytest.approx(np.sqrt(np.prod(quotients)), rel=1e-7)
    np.testing.assert_allclose(
        frame["index"], frame["efficiency_change"] * frame["technical_change"], rtol=1e-12
    )


UNITS = {
    "fdh": {},
    "super": {"returns": "vrs"},
    "super-sbm": {},
    "russell": {},
    "ddf": {},
    "rdm": {},
    "ram": {},
    "holder": {"norm": "linf", "weights": "mip"},
    "cross": {},
}


@pytest.mark.parametrize("model", mark_most_slow(UNITS, 3))
@examples(5)
@given(tables(rows=(3, 6), metrics=(2, 3), near=False), st.data())
def test_units_change_no_score(model, values, data) -> None:
    table = costly(values)
    unit = np.array(
        data.draw(
            st.lists(
                st.sampled_from([1e-3, 0.7, 60.0, 1e4]),
                min_size=table.shape[1],
                max_size=table.shape[1],
            )
        )
    )
    original = rank_with(table, inputs=["m0"], model=model, **UNITS[model])
    scaled = rank_with(table * unit, inputs=["m0"], model=model, **UNITS[model])
    np.testing.assert_allclose(
        scaled.scores, original.scores, atol=2e-7 if model == "cross" else 1e-8
    )
    assert scaled.reasons == original.reasons
