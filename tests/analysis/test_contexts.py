"""Scale, layers, groups, Malmquist and partial frontiers: published values, brute force, and
theorems.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, frame, oracle, radial, tables
from hypothesis import given

import deabench as db

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


@pytest.mark.parametrize(
    ("name", "inputs", "outputs", "columns"),
    [
        ("01_fls2008_11dmu", ["x1", "x2"], ["y1"], ("ccr_in", "bcc_in")),
        ("11_lim_zhu_2015_rd_projects", ["Budget"], None, ("crs_in", "vrs_in")),
    ],
)
def test_scale_efficiency_is_the_quotient_of_the_published_columns(
    name, inputs, outputs, columns
) -> None:
    data, expected = oracle(name, "data"), oracle(name, "expected")
    found = db.scale_efficiency(data, inputs=inputs, outputs=outputs, orientation="input")
    crs, vrs = columns
    np.testing.assert_allclose(found.frame["scale"], expected[crs] / expected[vrs], rtol=1e-8)
    X = data[inputs].to_numpy()
    Y = data.drop(columns=inputs).to_numpy()
    for o in range(len(X)):
        less, more = (
            radial(X, Y, X[o], Y[o], orientation="input", returns=r) for r in ("nirs", "ndrs")
        )
        word = found.frame["returns"].iloc[o]
        if word == "constant":
            assert found.frame["scale"].iloc[o] == pytest.approx(1, abs=1e-7)
        else:  # too small: only smaller mixtures hold it back
            assert (less < more) == (word == "increasing")


@examples(10)
@given(tables(rows=(1, 8), metrics=(2, 3), near=False))
def test_layers_are_peeled_off(values) -> None:
    table = frame(values)
    found = db.layers(table, model="fdh").frame["layer"]
    assert found.min() == 1
    for layer in range(1, found.max() + 1):  # brute force: who is not dominated in what is left
        left = values[[int(name[1:]) for name in found.index[found >= layer]]]
        names = found.index[found >= layer]
        best = [
            name
            for name, y in zip(names, left, strict=True)
            if not ((left >= y).all(axis=1) & (left > y).any(axis=1)).any()
        ]
        assert set(best) == set(found.index[found == layer])
    assert db.layers(table).frame["layer"].max() >= found.max()  # mixtures only take more away


def test_a_layer_changes_where_its_stability_ends_and_no_sooner() -> None:
    table = frame(np.random.default_rng(0).uniform(0.4, 1, (9, 2)))
    found = db.layers(table).frame
    assert found["layer"].max() > 2
    for name in table.index:
        radius = found.loc[name, "stability"]
        for share, changed in ((0.999, False), (1.001, True)):
            layers = []
            for factor in (1 + radius * share, 1 / (1 + radius * share)):
                moved = table / factor
                moved.loc[name] = table.loc[name] * factor
                layers.append(db.layers(moved).frame.loc[name, "layer"])
            assert (set(layers) != {found.loc[name, "layer"]}) == changed


@examples(8)
@given(tables(rows=(3, 9), metrics=(2, 3), near=False))
def test_progress_and_attractiveness_are_scores_against_the_next_layers(values) -> None:
    table = frame(values)
    found = db.layers(table).frame.loc[table.index]
    for name, row in found.iterrows():
        for column, step in (("progress", -1), ("attractiveness", 1)):
            others = values[(found["layer"] == row["layer"] + step).to_numpy()]
            y = table.loc[name].to_numpy()
            if not len(others):
                assert np.isnan(row[column])
            elif (others.max(axis=0)[y > 0] > 0).all():
                unit = np.ones((len(others), 1))
                phi = radial(unit, others, np.ones(1), y, orientation="output", returns="vrs")
                assert row[column] == pytest.approx(1 / phi, rel=1e-7)
    assert (found["progress"].dropna() <= 1 + 1e-9).all()


@examples(10)
@given(tables(rows=(4, 9), metrics=(2, 3), near=False))
def test_a_groups_frontier_lies_inside_that_of_all(values) -> None:
    table = frame(values)
    table["kind"] = ["a", "b"] * (len(table) // 2) + ["a"] * (len(table) % 2)
    found = db.groups(table, "kind").frame
    assert (found["gap"] <= 1 + 1e-9).all()
    np.testing.assert_allclose(
        found["gap"] * found["in_group"], db.rank(table.drop(columns="kind")).scores, rtol=1e-9
    )
    same = db.groups(table.drop(columns="kind"), dict.fromkeys(table.index, "one")).frame
    np.testing.assert_allclose(same["gap"], 1.0, rtol=1e-12)


def test_groups_refuse(refused) -> None:
    table = frame(np.array([[0.5, 0.7], [0.6, 0.4]]))
    with refused("'c1' has no group; give every classifier one"):
        db.groups(table, {"c0": "a"})
    with refused("there is no column 'kin' in the table; there are 'm0', 'm1'"):
        db.groups(table, "kin")


def test_malmquist_gives_the_published_changes() -> None:
    data, expected = oracle("16_malmquist_5dmu", "data"), oracle("16_malmquist_5dmu", "expected")
    for step in ("1->2", "2->3"):
        first, second = (
            data[data["period"] == int(k)].drop(columns="period") for k in step.split("->")
        )
        found = db.malmquist(first, second, inputs=["x"], outputs=["y"]).frame
        columns = ["malmquist_index_input_crs", "efficiency_change", "technical_change"]
        np.testing.assert_allclose(
            found, expected[expected["transition"] == step][columns], rtol=1e-9
        )
        np.testing.assert_allclose(
            found["index"], found["efficiency_change"] * found["technical_change"], rtol=1e-12
        )


def test_malmquist_of_the_same_table_is_1_and_says_who_is_missing(refused) -> None:
    table = frame(np.random.default_rng(2).uniform(0.3, 1, (6, 3)))
    np.testing.assert_allclose(db.malmquist(table, table).frame, 1.0, rtol=1e-9)
    found = db.malmquist(table.iloc[:5], table.iloc[1:], outputs=list(table))
    assert found.notes == ("in one of the two only: c0, c5",)
    assert list(found.frame.index) == ["c1", "c2", "c3", "c4"]
    with refused("the two tables have no classifier in common; give both the same labels"):
        db.malmquist(table, table.rename(index=str.upper))


def brute_m(levels: np.ndarray, m: int) -> float:
    """The mean of the largest over all ordered draws of m with replacement."""
    return float(np.mean([max(draw) for draw in itertools.product(levels, repeat=m)]))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_order_m_is_the_mean_over_all_draws(m) -> None:
    rng = np.random.default_rng(3)
    X, Y = rng.integers(1, 5, (6, 1)) / 4, rng.uniform(0.2, 1, (6, 2))
    table = frame(np.column_stack([X, Y]))
    found = db.order_m(table, m, inputs=["m0"]).frame["efficiency"]
    back = db.order_m(table, m, inputs=["m0"], orientation="input").frame["efficiency"]
    for o in range(6):
        levels = (Y[X[:, 0] <= X[o, 0]] / Y[o]).min(axis=1)
        assert 1 / found.iloc[o] == pytest.approx(brute_m(levels, m), rel=1e-12)
        levels = -(X[(Y[o] <= Y).all(axis=1)] / X[o]).max(axis=1)
        assert -back.iloc[o] == pytest.approx(brute_m(levels, m), rel=1e-12)


@examples(15)
@given(tables(rows=(1, 9), metrics=(2, 4), near=False))
def test_partial_frontiers_lie_inside_fdh_and_come_to_it(values) -> None:
    table = frame(np.where(values > 0, values, 0.01))
    for orientation in ("output", "input"):
        fdh = db.rank(table, inputs=["m0"], model="fdh", orientation=orientation).scores
        options = {"inputs": ["m0"], "orientation": orientation}
        steps = [db.order_m(table, m, **options).frame["efficiency"] for m in (1, 5, 50, 100_000)]
        steps += [fdh]
        assert all((one >= two - 1e-9).all() for one, two in itertools.pairwise(steps))
        np.testing.assert_allclose(steps[-2], fdh, atol=1e-9)
        np.testing.assert_allclose(
            db.order_alpha(table, 1, **options).frame["efficiency"], fdh, atol=1e-12
        )
        half = db.order_alpha(table, 0.5, **options).frame["efficiency"]
        assert (half >= fdh - 1e-12).all()


def test_one_lucky_run_moves_fdh_and_not_the_partial_frontier() -> None:
    table = frame(np.random.default_rng(5).uniform(0.4, 0.8, (40, 2)))
    lucky = pd.concat([table, pd.DataFrame([[0.99, 0.99]], columns=table.columns, index=["lucky"])])
    moved = (
        (db.rank(table, model="fdh").scores - db.rank(lucky, model="fdh").scores[table.index])
        .abs()
        .mean()
    )
    partial = (
        db.order_alpha(table, 0.9).frame["efficiency"]
        - db.order_alpha(lucky, 0.9).frame["efficiency"][table.index]
    )
    assert partial.abs().mean() < moved / 5


def test_what_partial_frontiers_refuse(refused) -> None:
    table = frame(np.array([[0.5, 0.7], [0.6, 0.4]]))
    with refused("m is 0; give a whole number of draws, 1 or more"):
        db.order_m(table, 0)
    with refused("alpha is 1.5; give a number between 0 and 1, both excluded, as 0.05"):
        db.order_alpha(table, 1.5)
    with refused("orientation 'none' is not known; it is one of 'output', 'input'"):
        db.order_m(table, orientation="none")


def test_every_result_has_the_one_face() -> None:
    table = frame(np.random.default_rng(2).uniform(0.3, 1, (12, 3)))
    kinds = dict(zip(table.index, ["a", "b"] * 6, strict=True))
    for result in (
        db.layers(table),
        db.groups(table, kinds),
        db.malmquist(table, table),
        db.order_m(table),
        db.order_alpha(table),
        db.scale_efficiency(table, inputs=["m0"]),
    ):
        assert result.summary().endswith(".")
        assert len(repr(result).splitlines()) <= 15
        assert result.to_csv().startswith("classifier,")
