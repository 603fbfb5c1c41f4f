"""Routers: hull, AIQ and mixtures of hand-computed cases, bands by simulation, deferral, logs."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError
from deabench.integrations.mixture import Routing
from deabench.integrations.router import _only_column

FOUR = ["a", "b", "c", "d"]


def by_hand() -> db.Router:
    """Quality .5, .8, .9, .7 at cost 1, 2, 4, 5: the hull is a, b, c; d is beaten."""
    right = {"a": [1] * 5 + [0] * 5, "b": [1] * 8 + [0] * 2, "c": [1] * 9 + [0], "d": [1] * 7}
    right["d"] += [0] * 3
    return db.Router(pd.DataFrame(right), dict(zip(FOUR, [1, 2, 4, 5], strict=True)))


def test_hull_and_area_by_hand():
    router = by_hand()
    assert router.hull.index.tolist() == ["a", "b", "c"]
    assert router.hull["price"].tolist() == pytest.approx([1 / 0.3, 2 / 0.1, np.inf])
    # (.65 * 1 + .85 * 2 + .9 * 1) / 4
    assert router.aiq()["aiq"] == pytest.approx(0.8125, abs=1e-9)
    # (.825 * 1 + .875 * 1 + .9 * 6) / 8: from the middle of an edge to beyond the last model.
    assert router.aiq((2, 10))["aiq"] == pytest.approx((1.7 + 0.9 * 6) / 8, abs=1e-9)
    assert router.aiq((1.5, 1.5))["aiq"] == pytest.approx(0.65, abs=1e-9)
    curve = router.curve([1, 1.5, 3, 7])
    assert curve["quality"].tolist() == pytest.approx([0.5, 0.65, 0.85, 0.9], abs=1e-9)


def test_the_band_is_as_wide_as_the_error_of_each_cost():
    """Where a answers half and b four of five, their errors are as .5 to .4."""
    curve = by_hand().curve([1, 2])
    widths = (curve["upper"] - curve["quality"]).to_numpy()
    assert widths[0] / widths[1] == pytest.approx(0.5 / 0.4, rel=1e-12)
    assert (curve["quality"] - curve["lower"]).to_numpy() == pytest.approx(widths, rel=1e-12)


def test_mixtures_for_a_budget_and_a_quality():
    router = by_hand()
    routing = router.best(3)
    assert routing.shares == pytest.approx({"b": 0.5, "c": 0.5})
    assert (routing.quality, routing.cost) == pytest.approx((0.85, 3))
    assert routing.rival == "b"
    assert routing.table.loc["gain", "value"] == pytest.approx(0.05)
    cheapest = router.cheapest(0.85)
    assert (cheapest.quality, cheapest.cost) == pytest.approx((0.85, 3))
    # More money than the best model costs buys nothing.
    assert router.best(100).shares == {"c": 1.0}
    assert router.cheapest(0.1).shares == {"a": 1.0}
    assert routing.summary().startswith("Answer 50 % of instances with 'b' and 50 % with 'c': ")
    assert "of single models" in routing.summary().lower()


def test_the_hull_is_the_best_of_all_mixtures():
    """Against scipy's linear programs over all shares, in random cases with ties."""
    from scipy.optimize import linprog

    rng = np.random.default_rng(5)
    for _ in range(12):
        outcomes = pd.DataFrame(rng.integers(0, 2, (12, 6)), columns=list("abcdef"))
        prices = rng.integers(1, 5, 6).astype(float)
        router = db.Router(outcomes, dict(zip(outcomes, prices, strict=True)))
        for budget in rng.uniform(prices.min(), 6, 4):
            program = linprog(
                -outcomes.mean(), A_ub=[prices], b_ub=[budget], A_eq=[np.ones(6)], b_eq=[1]
            )
            assert router.best(budget).quality == pytest.approx(-program.fun, abs=1e-9)


def test_deferral_pays_for_both_and_is_never_below_the_hull():
    rng = np.random.default_rng(1)
    ease = rng.random(400)
    right = pd.DataFrame({"small": ease > 0.5, "large": ease > 0.1}).astype(int)
    costs = pd.DataFrame({"small": rng.uniform(1, 2, 400), "large": rng.uniform(5, 9, 400)})
    router = db.Router(right, costs)
    deferring = router.defer(ease, "small", "large", thresholds=[0.5])
    policy = "small, below 0.5 large"
    low = ease < 0.5
    assert deferring.outcomes[policy].tolist() == right["large"].where(low, 1).tolist()
    expected = (costs["small"] + costs["large"] * low).mean()
    assert deferring.points.loc[policy, "cost"] == pytest.approx(expected)
    free = router.defer(ease, "small", "large", thresholds=[0.5], pay_both=False)
    assert free.points.loc[policy, "cost"] < expected
    assert (deferring.curve()["quality"] >= router.curve(deferring.curve().index)["quality"]).all()


@pytest.mark.slow
def test_intervals_and_bands_cover():
    """400 test sets of three models with costs that go with the outcomes."""
    rng = np.random.default_rng(2)
    n, runs, budget = 300, 400, 4.0

    def draw(size: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        ease = rng.random(size)
        right = pd.DataFrame({"a": ease > 0.5, "b": ease > 0.3, "c": ease > 0.15}).astype(float)
        hard = 1 + (1 - ease)[:, None] * [0.5, 2.0, 4.0]
        return right, pd.DataFrame(hard * [1.0, 2.0, 4.0], columns=list("abc"))

    truth = db.Router(*draw(400_000))
    grid = [2.5, 4.0, 6.0, 8.0]
    best = truth.curve(grid)["quality"]
    low, high = truth.hull["cost"].iloc[[0, -1]]
    area = truth.aiq((low * 1.2, high))["aiq"]
    hits = []
    for _ in range(runs):
        router = db.Router(*draw(n))
        mixture = router.mix(truth.best(budget).shares).table
        curve = router.curve(grid)
        mean = router.aiq((low * 1.2, high))
        hits.append(
            [
                mixture.loc["quality", "lower"] <= best[4.0] <= mixture.loc["quality", "upper"],
                mixture.loc["cost", "lower"] <= budget <= mixture.loc["cost", "upper"],
                (curve["lower"] <= best).all() and (best <= curve["upper"]).all(),
                mean["lower"] <= area <= mean["upper"],
            ]
        )
    # Three standard errors below .95 and above it.
    coverage = np.mean(hits, axis=0)
    assert (coverage > 0.917).all(), coverage
    assert (coverage < 0.983).all(), coverage


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_units_and_order_do_not_matter(scale):
    rng = np.random.default_rng(0)
    right = pd.DataFrame(
        {name: rng.random(200) < p for name, p in zip("abcd", (0.3, 0.6, 0.6, 0.9), strict=True)}
    )
    prices = {"a": 1.0, "b": 2.0, "c": 5.0, "d": 9.0}
    router = db.Router(right, prices)
    turned = right.iloc[rng.permutation(200)][list("dbca")]
    other = db.Router(turned, {name: price * scale for name, price in prices.items()})
    assert other.best(3 * scale).shares == pytest.approx(router.best(3).shares)
    curve, reference = other.curve(), router.curve()
    assert curve.index.to_numpy() == pytest.approx(reference.index.to_numpy() * scale)
    assert curve.to_numpy() == pytest.approx(reference.to_numpy(), abs=1e-9)
    assert other.aiq().to_numpy() == pytest.approx(router.aiq().to_numpy(), abs=1e-9)


def test_deferral_at_equal_cost_on_other_instances():
    """In 20 splits a policy of an informative score is never below the hull of single models."""
    rng = np.random.default_rng(11)
    ease = rng.random(1000)
    score = ease + rng.normal(0, 0.05, 1000)
    right = pd.DataFrame({"small": ease > 0.5, "large": ease > 0.1}).astype(int)
    price = {"small": 1, "large": 5}
    for _ in range(20):
        half = rng.permutation(1000) < 500
        thresholds = [0.4, 0.5, 0.6]
        chosen = db.Router(right[half], price).defer(
            score[half], "small", "large", thresholds=thresholds
        )
        routing = chosen.best(3.2)
        single = db.Router(right[~half], price)
        measured = single.defer(score[~half], "small", "large", thresholds=thresholds).mix(
            routing.shares
        )
        assert measured.quality >= single.curve([measured.cost])["quality"].iloc[0]


def test_an_instance_always_gets_the_same_model():
    routing = by_hand().best(3)
    prompts = [f"prompt {k}" for k in range(4000)]
    assigned = routing.assign(prompts)
    assert assigned[::-1].tolist() == routing.assign(prompts[::-1]).tolist()
    assert abs((assigned == "b").mean() - 0.5) < 4 * 0.5 / np.sqrt(4000)


def test_logs_per_instance_and_columns_to_name():
    rows = [
        {"model": model, "instance": k, "accuracy": float(k < right), "cost": cost}
        for model, right, cost in (("small", 20, 1.0), ("large", 35, 5.0))
        for k in range(40)
    ]
    router = db.Router.from_logs(rows)
    assert router.points.loc["large", ["quality", "cost"]].tolist() == [0.875, 5.0]
    with pytest.raises(DataError, match="outcome 'acuracy' is no such column"):
        db.Router.from_logs(rows, outcome="acuracy")
    with pytest.raises(DataError, match="has no results of single instances"):
        db.Router.from_logs(db.datasets.load("chao2022-wine1"))


def test_one_model_equal_costs_and_equal_outcomes():
    alone = db.Router(pd.DataFrame({"a": [1, 0]}), {"a": 0})
    assert alone.aiq()["aiq"] == 0.5
    assert alone.best(0).shares == {"a": 1.0}
    same = db.Router(
        pd.DataFrame({"a": [1, 1, 0], "b": [1, 1, 0], "c": [1, 0, 0]}), dict.fromkeys("abc", 2)
    )
    assert same.hull.index.tolist() == ["a"]
    constant = db.Router(pd.DataFrame({"a": [1, 1], "b": [1, 1]}), {"a": 1, "b": 2})
    assert constant.curve()["upper"].tolist() == pytest.approx([1.0] * len(constant.curve()))


RIGHT = pd.DataFrame({"a": [1, 0, 1], "b": [1, 1, 1]})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: db.Router(RIGHT, {"a": 1}), "costs lack 'b'"),
        (lambda: db.Router(RIGHT, {"a": 1, "b": -1}), "a cost of 'b' is -1"),
        (lambda: db.Router(RIGHT, {"a": 1, "b": None}), "costs of 'b' have"),
        (lambda: db.Router(RIGHT.replace(0, np.nan), {"a": 1, "b": 2}), "for instance '1'"),
        (lambda: db.Router([1, 0], {"a": 1}), "outcomes are a list"),
        (lambda: db.Router(RIGHT[:1], {"a": 1, "b": 2}), "at least two instances"),
        (lambda: db.Router(RIGHT, RIGHT[["a"]]), "different instances or models"),
        (lambda: db.Router(RIGHT, {"a": 1, "b": 2}, level=95), "level is 95"),
        (lambda: db.Router(RIGHT, {"a": 1, "b": 2}).best(0.5), "the cheapest model, 'a', costs 1"),
        (lambda: db.Router(RIGHT, {"a": 1, "b": 2}).best(np.nan), "the budget is nan"),
        (lambda: db.Router(RIGHT, {"a": 1, "b": 2}).cheapest(2), "the best model, 'b', has 1"),
        (lambda: db.Router(RIGHT, {"a": 1, "b": 2}).aiq((0, 2)), "the range of costs is 0 to 2"),
        (lambda: db.Router(RIGHT, {"a": 1, "b": 2}).mix({"a": 0.5}), "the shares have the sum 0.5"),
        (
            lambda: db.Router(RIGHT, {"a": 1, "b": 2}).defer([1, 2, 3], "a", "B"),
            "there is no model 'B'; did you mean 'b'?",
        ),
        (
            lambda: db.Router(RIGHT, {"a": 1, "b": 2}).defer([1, 2], "a", "b"),
            "the score has 2 numbers, and there are 3 instances",
        ),
    ],
)
def test_what_cannot_be_is_refused(call, sentence):
    with pytest.raises(DataError, match=re.escape(sentence)):
        call()


def test_a_mixture_is_better_where_its_gain_is_above_0():
    rows = ["quality", "cost", "gain"]

    def verdict(lower, upper, index=rows):
        values = [[0.8, 0.7, 0.9], [2, 1, 3], [0.1, lower, upper]][: len(index)]
        table = pd.DataFrame(values, index, ["value", "lower", "upper"])
        return Routing({"a": 1.0}, table, "a", "", 0.95).verdict

    assert verdict(0.01, 0.2) == "better"
    assert verdict(-0.2, -0.01) == "worse"
    assert verdict(-0.1, 0.3) == "undecided"
    # No single model costs as little: there is nothing to gain on.
    assert verdict(0, 0, rows[:2]) == "undecided"


def test_a_named_column_is_taken_and_an_unknown_one_refused(refused):
    assert _only_column("outcome", "f1", ["accuracy", "f1"]) == "f1"
    with refused("cost 'tokens' is no such column; there are 'price', 'seconds'"):
        _only_column("cost", "tokens", ["price", "seconds"])
    with refused(
        "there are 2 columns for the cost ('price', 'seconds'); name one, as cost='price'"
    ):
        _only_column("cost", None, ["price", "seconds"])
