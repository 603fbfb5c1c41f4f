"""What proves weightings, one step at a time, against loops over fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import deabench as db
from deabench.proofs import weightings
from deabench.proofs.weightings import (
    LEAF,
    _count_on_segment,
    _determinant,
    _Differences,
    _halves,
    _is_filled,
    _keep_bounds,
    _largest,
    _lowest_ratio,
    _value_errors,
    prove_weightings,
)

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
TABLE = pd.DataFrame(
    {
        "a": [0.3, 0.9, 0.5, 0.7, 0.4],
        "b": [40.0, 10.0, 35.0, 20.0, 30.0],
        "c": [0.002, 0.003, 0.001, 0.0015, 0.001],
        "x": [3.0, 5.0, 2.0, 4.0, 4.0],
        "z": [10.0, 30.0, 20.0, 10.0, 40.0],
    },
    index=list("pqrst"),
)
RATIOS = {("a", "b"): (20.0, 90.0), ("x", "z"): (2.0, float("inf"))}
SHARES = {"c": (0.1, 0.6)}
CASES = {
    "free": {"outputs": ["a", "b", "c"]},
    "bounded": {"outputs": ["a", "b", "c"], "ratios": {("a", "b"): (20.0, 90.0)}, "shares": SHARES},
    "ratio": {"outputs": ["a", "b"], "inputs": ["x", "z"], "ratios": RATIOS, "model": "ratio"},
    "value": {"outputs": ["a", "b"], "inputs": ["x"]},
}


def weigh(name: str) -> db.Weightings:
    options = CASES[name]
    columns = [*options["outputs"], *options.get("inputs", [])]
    return db.weightings(TABLE[columns], draws=64, **options)


@pytest.mark.parametrize("name", CASES)
def test_each_value_and_each_unit_is_that_of_the_table(name) -> None:
    result = weigh(name)
    db.certify(result)
    for number, side in enumerate(result.sides):
        assert not _value_errors(result, side, number).any()
        for k, r in np.ndindex(*side.values.shape):
            values = side.values.copy()
            values[k, r] += 1
            errors = _value_errors(result, replace(side, values=values), number)
            assert errors.tolist() == (np.arange(len(values)) == k).astype(float).tolist()
        for r in range(len(side.units)):
            units = [unit * (1 + (q == r)) for q, unit in enumerate(side.units)]
            errors = _value_errors(result, replace(side, units=tuple(units)), number)
            assert (errors == 1).all()
        sides = (*result.sides[:number], replace(side, values=values), *result.sides[number + 1 :])
        violations = prove_weightings(replace(result, sides=sides)).violations
        assert violations["value"].tolist() == errors_of_last(values)


def errors_of_last(values: np.ndarray) -> list[float]:
    return (np.arange(len(values)) == len(values) - 1).astype(float).tolist()


def keep_by_hand(result: db.Weightings, weights) -> bool:
    """Return whether weights over units keep the bounds in the metrics' own units."""
    for side, ray in zip(result.sides, weights, strict=True):
        own = dict(zip(side.names, map(Fraction, ray), strict=True))
        unit = dict(zip(side.names, side.units, strict=True))
        if min(ray) < 0 or not any(ray):
            return False
        for (first, second), (lower, upper) in result.ratios.items():
            if first in own:
                left = own[first] / unit[first]
                right = own[second] / unit[second]
                if left < Fraction(repr(lower)) * right:
                    return False
                if upper < float("inf") and left > Fraction(repr(upper)) * right:
                    return False
        for name, (lower, upper) in result.shares.items():
            if name in own:
                share = own[name] / sum(own.values())
                if not Fraction(repr(lower)) <= share <= Fraction(repr(upper)):
                    return False
    return True


@pytest.mark.parametrize("name", CASES)
def test_weights_keep_the_bounds_where_they_do_by_hand(name) -> None:
    result = weigh(name)
    rng = np.random.default_rng(0)
    verdicts = []
    for _ in range(150):
        weights = [tuple(rng.integers(-1, 12, len(side.names)).tolist()) for side in result.sides]
        verdicts.append(_keep_bounds(result, weights))
        assert verdicts[-1] == keep_by_hand(result, weights)
    assert True in verdicts
    assert False in verdicts
    # The vertices of the weights are on the bounds: just within.
    for side, other in ((0, -1), (-1, 0)):
        for ray in result.sides[side].polytope.rays:
            weights = [ray, ray]
            if len(result.sides) == 2:
                weights[other] = result.sides[other].polytope.rays[0]
            assert _keep_bounds(result, weights[: len(result.sides)])


@pytest.mark.parametrize("name", CASES)
def test_simplices_fill_the_weights_or_they_do_not(name) -> None:
    result = weigh(name)
    for side in result.sides:
        assert _is_filled(result, side)
        polytope = side.polytope
        simplices = list(polytope.simplices)
        rays = list(polytope.rays)

        def fills(simplices, rays=rays, side=side) -> bool:
            changed = SimpleNamespace(rays=tuple(rays), simplices=tuple(simplices))
            return _is_filled(result, replace(side, polytope=changed))

        assert not fills([])
        for k, simplex in enumerate(simplices):
            # One is missing, is there twice, or is flat.
            if len(simplices) > 1:
                assert not fills(simplices[:k] + simplices[k + 1 :])
            if len(simplex) > 1:
                assert not fills([*simplices, simplex])
                assert not fills([*simplices[:k], (simplex[1], *simplex[1:]), *simplices[k + 1 :]])
        if len(rays) > 1:
            inner = tuple(sum(entries) for entries in zip(*rays, strict=True))
            for k in range(len(rays)):
                # A vertex within the weights leaves a part, and one beyond breaks a bound.
                assert not fills(simplices, [*rays[:k], inner, *rays[k + 1 :]])
                beyond = tuple(2 * x - y for x, y in zip(rays[k], rays[k - 1], strict=True))
                assert not fills(simplices, [*rays[:k], beyond, *rays[k + 1 :]])


def test_determinants_are_those_of_numpy() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 4):
        for _ in range(6):
            matrix = rng.integers(-3, 4, (size, size))
            expected = round(float(np.linalg.det(matrix)))
            assert _determinant(matrix.tolist()) == expected
    assert _determinant([[0, 1], [1, 0]]) == -1
    assert _determinant([[0, 1], [0, 2]]) == 0


@pytest.mark.parametrize("name", CASES)
def test_who_is_above_is_counted_as_by_loops(name) -> None:
    result = weigh(name)
    differences = _Differences(result.sides)
    n = len(TABLE)

    def score(k: int, weights) -> Fraction:
        values = [
            sum(
                Fraction(int(w)) * Fraction(int(v))
                for w, v in zip(ray, side.values[k], strict=True)
            )
            for side, ray in zip(result.sides, weights, strict=True)
        ]
        return values[0] / values[1] if len(values) == 2 else values[0]

    corners = list(product(*(side.polytope.rays for side in result.sides)))
    inner = [
        tuple(sum(entries) for entries in zip(*side.polytope.rays, strict=True))
        for side in result.sides
    ]
    for weights in (*corners, inner):
        scores = [score(k, weights) for k in range(n)]
        for k in range(n):
            assert differences.count_above(k, 1, weights) == sum(s > scores[k] for s in scores)
            assert differences.count_above(k, -1, weights) == sum(s < scores[k] for s in scores)
    for k in range(n):
        signs = np.sign(differences.exact(k).astype(float))
        expected = [[np.sign(float(score(j, w) - score(k, w))) for w in corners] for j in range(n)]
        assert signs.tolist() == expected
        assert differences.dominated_by(k).tolist() == [max(row) <= 0 for row in expected]


def test_the_fewest_above_on_a_segment_are_those_at_its_crossings() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        exact = rng.integers(-3, 4, (rng.integers(1, 7), 2))
        ends = np.eye(2) if seed % 2 else np.array([[0.75, 0.25], [0.25, 0.75]])
        lines = [
            [sum(Fraction(m) * int(v) for m, v in zip(end, row, strict=True)) for end in ends]
            for row in exact
        ]
        crossings = [a / (a - b) for a, b in lines if (a > 0) != (b > 0)]
        places = sorted({Fraction(0), Fraction(1), *crossings})
        places += [(a + b) / 2 for a, b in pairwise(places)]
        fewest = min(sum((1 - place) * a + place * b > 0 for a, b in lines) for place in places)
        assert _count_on_segment(ends, exact) == fewest


def test_a_tree_proves_as_many_as_are_above_everywhere() -> None:
    result = weigh("free")
    differences = _Differences(result.sides)
    for end, sign in (("best", 1), ("worst", -1)):
        for k in range(len(TABLE)):
            tree = result.evidence[end].trees[k]
            proved = int(result.ranks[f"{end}_proved"].iloc[k])
            needed = proved - 1 if end == "best" else len(TABLE) - proved
            assert differences.is_proved(k, sign, tree, needed)
            assert not differences.is_proved(k, sign, tree, needed + 1)
            if needed:
                assert not differences.is_proved(k, sign, np.append(tree, -1), needed)
                assert not differences.is_proved(k, sign, tree[:-1], needed)
                assert not differences.is_proved(k, sign, np.array([99]), needed)
                assert not differences.is_proved(k, sign, np.array([-2]), needed)
                assert not differences.is_proved(k, sign, np.zeros(49, dtype=int), needed)


def test_gaps_beyond_all_floats_are_as_good_as_others() -> None:
    values = np.array([[10**400], [1], [2]], dtype=object)
    polytope = SimpleNamespace(rays=[(1,)], simplices=[(0,)])
    differences = _Differences([SimpleNamespace(values=values, polytope=polytope)])
    counts = [sum(differences.is_proved(k, 1, np.array([LEAF]), n) for n in (1, 2)) for k in (0, 1)]
    assert counts == [0, 2]


def test_halves_share_the_middle_of_an_edge() -> None:
    corners = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 8.0]])
    first, second = _halves(corners, 0, 2)
    assert first.tolist() == [[0.0, 4.0], [4.0, 0.0], [0.0, 8.0]]
    assert second.tolist() == [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]


def test_the_least_ratio_of_scores_is_over_all_rows_and_corners() -> None:
    outputs = np.array([[2.0, 4.0, 0.0], [4.0, 2.0, 0.0], [3.0, 3.0, 1.0]])
    inputs = np.array([[1.0, 5.0], [2.0, 2.0], [4.0, 1.0]])
    for k in range(3):
        expected = min(
            min(outputs[k, a] / outputs[j, a] for a in range(3) if outputs[j, a])
            * min(inputs[j, b] / inputs[k, b] for b in range(2))
            for j in range(3)
            if not (outputs[k] == 0).any() or outputs[j, 2]
        )
        if k == 2:
            assert _lowest_ratio(k, outputs, inputs) == expected
    assert _largest(np.array([[3, -7]])) == 7
    assert _largest(np.array([[9, -7]])) == 9
    assert _largest(np.array([[0]])) == 1


@pytest.mark.parametrize("name", CASES)
def test_bounds_of_scores_and_losses_are_off_by_what_was_changed(name) -> None:
    result = weigh(name)
    honest = prove_weightings(result).violations
    assert max(misses.max() for misses in honest.values()) <= 1e-9
    columns = [
        c for c in result.ranks if c.startswith(("score_", "loss_")) and c[-3:] in ("min", "max")
    ]
    assert len(columns) == 2
    for column, change in product(columns, (1e-3, -1e-3)):
        ranks = result.ranks.copy()
        ranks.loc["q", column] += change
        violations = prove_weightings(replace(result, ranks=ranks)).violations
        off = [claim for claim, misses in violations.items() if misses.max() > 1e-9]
        assert off == [column]
        assert violations[column].tolist() == pytest.approx([0, 1e-3, 0, 0, 0], abs=1e-9)
    dominance = result.dominance.copy()
    dominance.iloc[1, 2] = not dominance.iloc[1, 2]
    violations = prove_weightings(replace(result, dominance=dominance)).violations
    assert violations["dominance"].tolist() == [0, 1, 0, 0, 0]
    # Ranks that are not proved the extreme ones are told, and how many.
    for changes, count in (({"best": ["p"], "worst": ["p", "q"]}, 3), ({"worst": ["t"]}, 1)):
        ranks = result.ranks.copy()
        for end, labels in changes.items():
            ranks.loc[labels, f"{end}_proved"] += 1 if end == "worst" else -1
        unclaimed = prove_weightings(replace(result, ranks=ranks)).unclaimed
        assert unclaimed[-1] == f"not certified: that {count} ranks are the extreme ones"


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_proved_of_weightings_is_told(name) -> None:
    assert prove_weightings(weigh(name)).unclaimed == (
        "not certified: shares of weightings and mean ranks, which are volumes in floating point",
    )


@pytest.mark.parametrize("block", [1, 2, 5])
def test_leaves_are_the_same_by_blocks(block, monkeypatch) -> None:
    result = weigh("free")
    differences = _Differences(result.sides)
    trees = [tree for end in result.evidence.values() for tree in end.trees]
    tree = max(trees, key=len)
    [(alpha, beta)] = differences._leaves(tree)
    assert len(alpha) == len(beta) > 5
    monkeypatch.setattr(weightings, "BLOCK", block)
    parts = differences._leaves(tree)
    assert [len(part) for part, _ in parts[:-1]] == [block] * (len(parts) - 1)
    assert np.array_equal(np.concatenate([part for part, _ in parts]), alpha)
    assert np.array_equal(np.concatenate([part for _, part in parts]), beta)


@pytest.mark.parametrize("name", ["free", "ratio"])
def test_scores_are_those_of_the_table_s_metrics(name) -> None:
    """Another value of one metric, and all that the ranking of scores is made of: another table."""
    result = weigh(name)
    ranking = result.score_ranking
    for side in ("outputs", "inputs"):
        values = getattr(ranking.data, side)
        for metric in values.columns:
            other = values.copy()
            other.loc[other.index[values[metric].argmin()], metric] *= 0.9
            data = replace(ranking.data, **{side: other})
            forged = replace(result, score_ranking=replace(ranking, data=data))
            violations = prove_weightings(forged).violations
            is_off = np.arange(len(values)) == values[metric].argmin()
            assert (violations["score_metrics"] > 1e-3).tolist() == is_off.tolist()


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.3])
def test_the_least_loss_lies_between_what_weights_and_a_mix_of_rows_give(size) -> None:
    result = weigh("value")
    rng = np.random.default_rng(1)
    shares = (TABLE[["a", "b", "x"]] - TABLE[["a", "b", "x"]].min()) * [1, 1, -1]
    shares = (shares / (TABLE.max() - TABLE.min())[["a", "b", "x"]]).to_numpy()
    rays = np.array(result.sides[0].polytope.rays, dtype=float)
    values = shares @ (rays / rays.sum(axis=1, keepdims=True)).T
    for sign in (1, -1):
        weights = result.loss_weights + sign * size * rng.random(result.loss_weights.shape)
        mixes = result.loss_mixes + sign * size * rng.random(result.loss_mixes.shape)
        for changed in ({"loss_weights": weights}, {"loss_mixes": mixes}):
            forged = replace(result, **changed)
            found = prove_weightings(forged).violations["loss_min"]
            for k in range(len(TABLE)):
                at = values @ forged.loss_weights[k]
                mixed = forged.loss_mixes[k] @ values
                smallest = result.ranks["loss_min"].iloc[k]
                expected = max(
                    max(at) - at[k] - smallest,
                    smallest - max(min(mixed - values[k]), 0.0),
                    *(abs(sum(part[k]) - 1) for part in (forged.loss_weights, forged.loss_mixes)),
                    *(-forged.loss_weights[k]),
                    *(-forged.loss_mixes[k]),
                )
                assert found[k] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_rows_are_above_in_whole_numbers_beyond_all_floats() -> None:
    """The first row is above the second by 10^400 at one corner, and by 1 at the other."""
    differences = object.__new__(_Differences)
    large = 10**200
    differences.corners = [
        np.array([[large, 2], [0, 1]], dtype=object),
        np.array([[large], [large]], dtype=object),
    ]
    differences.cells = [[(0, 1)], [(0,)]]
    leaf = np.array([LEAF])
    for needed, is_proved in ((1, True), (2, False)):
        assert differences.is_proved(1, 1, leaf, needed) == is_proved


@pytest.mark.parametrize("corners", [2, 3])
def test_a_row_that_is_above_by_less_than_rounding_is_above(corners) -> None:
    """By 10^200 at one corner and by 1 at the others: only at two do crossings tell, too."""
    differences = object.__new__(_Differences)
    differences.corners = [
        np.array([[10**200, *[2] * (corners - 1)], [0, *[1] * (corners - 1)]], dtype=object),
        np.ones((2, 1), dtype=object),
    ]
    differences.cells = [[tuple(range(corners))], [(0,)]]
    leaf = np.array([LEAF])
    assert differences.is_proved(1, 1, leaf, 1)
    assert not differences.is_proved(0, 1, leaf, 1)
    # That no row or more is above needs no tree.
    assert differences.is_proved(0, 1, leaf[:0], 0)
    assert not differences.is_proved(1, 1, leaf[:0], 1)


def test_two_rows_that_cross_where_the_third_lies_are_not_above_it() -> None:
    """At a quarter of the first corner both are level with it, and floats round both upwards."""
    differences = object.__new__(_Differences)
    differences.corners = [
        np.array([[27, -9], [-21, 7], [-35, -35], [0, 0]], dtype=object) * 10**9,
        np.ones((4, 1), dtype=object),
    ]
    differences.cells = [[(0, 1)], [(0,)]]
    # Three quarters of the segment, a quarter beside it, and the other half.
    tree = np.array([0, 0, LEAF, LEAF, LEAF])
    assert not differences.is_proved(3, 1, tree, 1)
    # Nor beside a third corner at which they are hardly above it.
    on_segment = differences.corners[0]
    differences.corners[0] = np.column_stack([on_segment, np.array([1, 1, -1, 0], dtype=object)])
    differences.cells[0] = [(0, 1, 2)]
    assert not differences.is_proved(3, 1, tree, 1)
    on_segment[:2, 0] += 1
    for corners, cell in ((differences.corners[0], (0, 1, 2)), (on_segment, (0, 1))):
        corners[:2, 0] = on_segment[:2, 0]
        differences.corners[0] = corners
        differences.cells[0] = [cell]
        assert differences.is_proved(3, 1, tree, 1)


def test_a_metric_that_does_not_vary_loses_nothing() -> None:
    result = db.weightings(TABLE[["a", "b"]].assign(c=2.5), draws=64, model="value")
    db.certify(result)
    [side] = result.sides
    assert side.units[2] == 1
    assert not side.values[:, 2].any()
    assert _value_errors(result, side, 0).tolist() == [0] * len(TABLE)


def test_values_are_those_of_a_metric_that_was_turned() -> None:
    """Shares of errors of 0.3 and 0.2 are values of 0.7 and 0.8."""
    table = TABLE[["a"]].assign(**{"error rate": [0.3, 0.2, 0.1, 0.25, 0.15]})
    result = db.weightings(table, model="ratio", draws=64)
    assert result.transforms["error rate"].shift == 1
    db.certify(result)
    assert not _value_errors(result, result.sides[0], 0).any()


def test_a_simplex_without_volume_fills_nothing() -> None:
    """Each of its faces lies on the bound that all three corners lie on."""
    result = weigh("free")
    [side] = result.sides
    assert _is_filled(result, side)
    flat = SimpleNamespace(rays=((1, 0, 0), (0, 1, 0), (1, 1, 0)), simplices=((0, 1, 2),))
    assert not _is_filled(result, replace(side, polytope=flat))


@pytest.mark.parametrize("part", ["loss_weights", "loss_mixes"])
def test_shares_below_0_prove_no_loss(part) -> None:
    result = weigh("value")
    shares = getattr(result, part).copy()
    shares[:, 0] += 0.125 + shares[:, 1]
    shares[:, 1] = -0.125
    violations = prove_weightings(replace(result, **{part: shares})).violations
    assert (violations["loss_min"] >= 0.125).all()
