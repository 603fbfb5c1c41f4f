"""Weightings against published ranks, exact fractions, enumeration and theorems."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from arrangements import extreme_ranks

import deabench as db
from deabench.analysis.weightings import bounds, shares
from deabench.errors import CertificateError, DataError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
ORACLES = Path(__file__).parents[2] / "oracles"
EXACT = ("wine1_s2", "ties_s3", "s3", "s4")
BOUNDS = {"": None, "_ratio": {("m1", "m2"): (0.5, 2.0)}}
INFINITY = float("inf")
AIRPORT_RATIOS = {
    ("i1", "i3"): (3, INFINITY),
    ("i1", "i4"): (5, INFINITY),
    ("i2", "i3"): (2, INFINITY),
    ("i2", "i4"): (5, INFINITY),
    ("o1", "o2"): (5, INFINITY),
}


def oracle(name: str) -> pd.DataFrame:
    return pd.read_csv(ORACLES / f"20_weightings_{name}.csv", index_col=0)


def random_table(seed: int, n: int, s: int, *, digits: int = 2) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.1, 1, (n, s)).round(digits)
    return pd.DataFrame(
        values, columns=[f"m{r}" for r in range(s)], index=[f"c{k}" for k in range(n)]
    )


def weigh(table: pd.DataFrame, **options) -> db.Weightings:
    return db.weightings(table, outputs=list(table), **options)


@pytest.mark.parametrize("kind", BOUNDS)
@pytest.mark.parametrize("name", EXACT)
def test_ranks_and_shares_are_the_fractions_of_enumeration(name, kind) -> None:
    table = oracle(f"exact_{name}_data")
    expected = oracle(f"exact_{name}{kind}_expected")
    result = weigh(table, ratios=BOUNDS[kind])
    fractions = expected.drop(columns=["best_rank", "worst_rank"]).astype(str).map(Fraction)
    numbers = fractions.astype(float)
    ranks = result.ranks
    assert ranks["best"].tolist() == expected["best_rank"].tolist()
    assert ranks["worst"].tolist() == expected["worst_rank"].tolist()
    assert ranks["best_proved"].tolist() == expected["best_rank"].tolist()
    assert ranks["worst_proved"].tolist() == expected["worst_rank"].tolist()
    np.testing.assert_allclose(ranks["score_min"], numbers["score_min"], atol=1e-12)
    np.testing.assert_allclose(ranks["mean_rank"], numbers["mean_rank"], atol=1e-12)
    np.testing.assert_allclose(ranks["first_share"], numbers["share_rank_1"], atol=1e-12)
    rank_shares = numbers.filter(like="share_rank")
    assert result.exact.all()
    np.testing.assert_allclose(result.acceptability, rank_shares, atol=1e-12)
    assert not result.standard_error.any(axis=None)
    assert db.certify(result)["best"].tolist() == expected["best_rank"].tolist()


@pytest.mark.parametrize("kind", ["free", "restricted"])
def test_airports_have_the_published_ranks_scores_and_dominance(kind) -> None:
    table = oracle("airports_data")
    expected = oracle("airports_expected")
    ratios = AIRPORT_RATIOS if kind == "restricted" else None
    result = db.weightings(
        table, outputs=["o1", "o2"], inputs=["i1", "i2", "i3", "i4"], model="ratio", ratios=ratios
    )
    ranks = result.ranks
    assert ranks["best"].tolist() == expected[f"best_rank_{kind}"].tolist()
    assert ranks["worst"].tolist() == expected[f"worst_rank_{kind}"].tolist()
    np.testing.assert_allclose(ranks["score_max"], expected[f"score_max_{kind}"], atol=5e-7)
    np.testing.assert_allclose(ranks["score_min"], expected[f"score_min_{kind}"], atol=5e-7)
    pairs = pd.read_csv(ORACLES / "20_weightings_airports_dominance.csv")
    pairs = pairs[pairs["weights"] == kind].set_index("dmu").drop(columns="weights")
    assert (result.dominance.to_numpy() == pairs.to_numpy().astype(bool)).all()
    db.certify(result)


@pytest.mark.parametrize("kind", ["", "_restricted"])
def test_robots_have_the_published_ranks_and_losses(kind) -> None:
    table = oracle("robots_data")
    expected = oracle("robots_expected")
    ranges = table.max() - table.min()
    # 2 w_1 ≥ w_2 of normalised weights, in the metrics' own units.
    bounds = {
        "ratios": {("i1", "i2"): (float(0.5 * ranges["i2"] / ranges["i1"]), INFINITY)},
        "shares": {"i1": (0, 0.5), "o1": (0.2, 1)},
    }
    result = db.weightings(
        table, outputs=["o1"], inputs=["i1", "i2", "i3"], **(bounds if kind else {})
    )
    assert result.model == "value"
    ranks = result.ranks
    assert ranks["best"].tolist() == expected[f"best_rank{kind}"].tolist()
    assert ranks["worst"].tolist() == expected[f"worst_rank{kind}"].tolist()
    np.testing.assert_allclose(ranks["loss_min"], expected[f"loss_min{kind}"], atol=1e-8)
    np.testing.assert_allclose(ranks["loss_max"], expected[f"loss_max{kind}"], atol=1e-8)
    if not kind:
        assert result.dominance.to_numpy().sum() == 65
    db.certify(result)


@pytest.mark.slow
@pytest.mark.parametrize("s", [2, 3, 4])
def test_ranks_are_those_of_rational_enumeration(s) -> None:
    rng = np.random.default_rng(s)
    for seed in range(4):
        n = {2: 9, 3: 7, 4: 6}[s]
        table = random_table(100 * s + seed, n, s, digits=1 + seed % 2)
        # Duplicates and an exact mix of two rows.
        table.iloc[1] = table.iloc[0]
        table.iloc[2] = ((table.iloc[3] + table.iloc[4]) / 2).round(3)
        bounds, ratios = None, None
        if seed % 2:
            least = float(rng.choice([0.25, 0.5, 1.5]))
            ratios = {("m0", "m1"): (least, 4.0)}
            best = [Fraction(str(value)) for value in table.max()]
            zero = [Fraction(0)] * (s - 2)
            bounds = [
                (-1 / best[0], Fraction(str(least)) / best[1], *zero),
                (1 / best[0], -4 / best[1], *zero),
            ]
        result = weigh(table, ratios=ratios, draws=64)
        expected = extreme_ranks(table.to_numpy(), bounds)
        assert result.ranks[["best", "worst"]].to_numpy().tolist() == expected.tolist()
        assert (result.ranks["best"] == result.ranks["best_proved"]).all()
        assert (result.ranks["worst"] == result.ranks["worst_proved"]).all()
        db.certify(result)


@pytest.mark.parametrize("name", ["wine1_s2", "s4"])
def test_forged_ranks_are_refused(name) -> None:
    result = weigh(oracle(f"exact_{name}_data"))
    for column, change in (("best", -1), ("worst", 1), ("best_proved", 1), ("worst_proved", -1)):
        for row in range(len(result.ranks)):
            ranks = result.ranks.copy()
            ranks.iloc[row, ranks.columns.get_loc(column)] += change
            with pytest.raises(CertificateError, match=f"{column.split('_')[0]} "):
                db.certify(replace(result, ranks=ranks))


@pytest.mark.parametrize("digits", [1, pytest.param(2, marks=pytest.mark.slow), 9])
def test_with_two_metrics_crossings_give_the_enumerated_ranks(digits) -> None:
    for seed in range(12):
        table = random_table(seed, 1 + seed, 2, digits=digits)
        if seed > 3:
            # A row on the line between two others crosses both where these cross.
            table.iloc[-1] = ((table.iloc[0] + table.iloc[1]) / 2).round(digits + 1)
        if seed > 6:
            table.iloc[0] *= 1e9
        result = weigh(table, draws=64)
        db.certify(result)
        ranks = result.ranks[["best", "worst"]].to_numpy()
        assert ranks.tolist() == extreme_ranks(table.to_numpy()).tolist()
        assert ranks.tolist() == result.ranks[["best_proved", "worst_proved"]].to_numpy().tolist()
        if digits > 2 and seed <= 3:
            # Without ties the crossings settle each row, and the weights are not halved.
            assert {len(tree) for tree in result.evidence["best"].trees} == {1}


def test_forged_results_are_refused() -> None:
    result = weigh(oracle("exact_s4_data"))
    for column in ("score_min", "score_max"):
        ranks = result.ranks.copy()
        ranks.loc["c3", column] += 1e-6
        with pytest.raises(CertificateError, match="'c3'"):
            db.certify(replace(result, ranks=ranks))
    dominance = result.dominance.copy()
    dominance.iloc[0, 1] = ~dominance.iloc[0, 1]
    with pytest.raises(CertificateError, match="dominance"):
        db.certify(replace(result, dominance=dominance))
    values = result.values.copy()
    values.iloc[2, 0] += 0.01
    with pytest.raises(CertificateError, match="'c3': value"):
        db.certify(replace(result, values=values))


def test_bounds_that_the_weights_do_not_keep_are_refused() -> None:
    result = weigh(oracle("exact_s3_data"))
    with pytest.raises(CertificateError, match="weight set"):
        db.certify(replace(result, shares={"m1": (0.3, 1.0)}))


def test_first_is_who_scores_1() -> None:
    for seed in range(6):
        table = random_table(seed, 10, 2 + seed % 3)
        ranks = weigh(table, draws=64).ranks
        scores = db.rank(table, outputs=list(table)).scores
        assert ((ranks["best"] == 1) == (scores >= 1 - 1e-9)).all()
        np.testing.assert_allclose(ranks["score_max"], scores, atol=1e-9)


def test_with_costs_first_is_who_is_weakly_efficient() -> None:
    for seed in range(10):
        table = random_table(seed, 12, 3)
        ranks = db.weightings(table, outputs=["m0"], inputs=["m1", "m2"], draws=64).ranks
        ranking = db.rank(table, outputs=["m0"], inputs=["m1", "m2"])
        # Weakly efficient: nothing is better in every metric by a share of the ranges.
        loss = ranks["loss_min"]
        assert ((ranks["best"] == 1) == (loss <= 1e-9)).all()
        assert (ranks.loc[ranking.efficient, "best"] == 1).all()


def test_dominance_orders_the_intervals_and_fewer_weights_narrow_them() -> None:
    for seed in range(8):
        table = random_table(seed, 10, 3)
        wide = weigh(table, draws=64)
        narrow = weigh(table, ratios={("m0", "m1"): (0.5, 3)}, draws=64)
        dominance = wide.dominance
        for k in table.index:
            for j in dominance.columns[dominance.loc[k]]:
                assert wide.ranks.loc[k, "best"] <= wide.ranks.loc[j, "best"]
                assert (
                    wide.ranks.loc[k, "worst"] <= wide.ranks.loc[j, "worst"]
                    or (dominance.loc[j, k])
                )
        assert (narrow.ranks["best"] >= wide.ranks["best"]).all()
        assert (narrow.ranks["worst"] <= wide.ranks["worst"]).all()
        assert (narrow.dominance.to_numpy() >= wide.dominance.to_numpy()).all()


def test_one_more_row_moves_a_rank_by_at_most_1() -> None:
    table = random_table(5, 12, 3)
    all_ranks = weigh(table, draws=64).ranks
    fewer = weigh(table.iloc[:-1], draws=64).ranks
    rest = all_ranks.iloc[:-1]
    assert (rest["best"] - fewer["best"]).between(0, 1).all()
    assert (rest["worst"] - fewer["worst"]).between(0, 1).all()


def test_units_and_the_order_of_rows_change_nothing() -> None:
    table = random_table(6, 12, 3)
    first = weigh(table, draws=64).ranks
    shuffled = table.iloc[np.random.default_rng(0).permutation(12)]
    scaled = shuffled * [100.0, 1.0, 0.001]
    second = weigh(scaled, draws=64).ranks.loc[table.index]
    columns = ["best", "worst", "mean_rank", "first_share", "score_min", "score_max"]
    np.testing.assert_allclose(first[columns], second[columns], atol=1e-9)


def test_mean_ranks_are_those_of_the_rank_shares() -> None:
    for s in (2, 3, 5):
        result = weigh(random_table(s, 15, s))
        means = result.acceptability.to_numpy() @ np.arange(1, 16)
        assert result.exact.all() == (s < 5)
        tolerance = 1e-12 if s < 5 else 0.02
        np.testing.assert_allclose(means, result.ranks["mean_rank"], atol=tolerance)
        assert result.ranks["mean_rank"].sum() == pytest.approx(15 * 16 / 2, abs=1e-9)
        assert result.ranks["first_share"].sum() == pytest.approx(1, abs=1e-12)


def test_drawn_shares_are_within_their_errors_of_exact_ones(monkeypatch) -> None:
    table = random_table(4, 12, 3)
    exact = weigh(table)
    monkeypatch.setattr(shares, "MAX_CROSSINGS", 0.0)
    drawn = weigh(table)
    assert exact.exact.all()
    # What is fixed at every weighting stays exact.
    fixed = drawn.ranks["best"] == drawn.ranks["worst"]
    assert drawn.exact.tolist() == fixed.tolist()
    errors = (drawn.acceptability - exact.acceptability).abs()
    # A rank that was hardly drawn has hardly an error.
    assert (errors <= 4.5 * drawn.standard_error + 2e-4).all(axis=None)
    assert (errors > 1e-6).any(axis=None)
    largest = drawn.standard_error.max(axis=None)
    assert drawn.notes[-1] == (
        f"rank shares of {12 - fixed.sum()} of 12 rows are means over 16384 drawn weightings; "
        f"their standard errors are at most {largest:.1g}"
    )
    assert not any("drawn" in note for note in exact.notes)


def test_ratio_bounds_are_those_of_charnes_and_cooper() -> None:
    from scipy.optimize import linprog

    table = random_table(3, 6, 3)
    result = weigh(table, ratios={("m0", "m1"): (0.5, 2)})
    values = table.to_numpy()
    # u_0 ≥ .5 u_1 and u_0 ≤ 2 u_1, in the metrics' own units.
    rows = np.array([[-1, 0.5, 0], [1, -2, 0]])
    for k in range(6):
        for j in range(6):
            for sign, end in ((1, "least"), (-1, "most")):
                solution = linprog(
                    sign * values[k], rows, np.zeros(2), values[[j]], np.ones(1), method="highs"
                )
                bound = result.ratio_bounds.loc[(table.index[k], table.index[j]), end]
                assert bound == pytest.approx(sign * solution.fun, abs=1e-12)


def test_regions_hold_the_weights_of_first_rows() -> None:
    table = random_table(9, 15, 3)
    result = weigh(table)
    scores = table / table.max()
    assert set(result.winning_regions) == set(result.ranks.index[result.ranks["best"] == 1])
    for name, region in result.winning_regions.items():
        for weights in (
            region.centroid,
            region.centre,
            *(v for _, v in region.vertices.iterrows()),
        ):
            sums = scores @ weights
            assert sums[name] >= sums.max() - 1e-12
        assert region.intervals["least"].min() >= 0
        inside = result.extreme_weights(name)
        assert (scores @ inside)[name] == pytest.approx((scores @ inside).max(), abs=1e-12)


def test_a_row_that_is_first_only_without_a_metric_says_so() -> None:
    table = pd.DataFrame(
        {"TPR": [0.0, 0.9, 0.5], "TNR": [1.0, 0.8, 1.0]}, index=["never", "good", "other"]
    )
    result = weigh(table)
    assert result.ranks.loc["never", ["best", "worst"]].tolist() == [1, 3]
    assert result.ranks.loc["never", "first_share"] == 0
    assert "only on a tie, with no weight on 'TPR'" in result.explain("never")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ratios": {("m0", "m1"): (2, 2)}}, "leave no room"),
        (
            {"ratios": {("m0", "m1"): (1e9, 2e9)}, "shares": {"m0": (0, 0.5), "m1": (0.1, 0.5)}},
            "no weights keep",
        ),
        ({"shares": {"m0": (0.6, 1), "m1": (0.6, 1)}}, "no weights keep the bounds"),
        ({"shares": {"zork": (0.6, 1)}}, "no metric here"),
        ({"ratios": {("m0", "m0"): (1, 2)}}, "two metrics"),
        ({"shares": {"m0": (0.6, 0.1)}}, "the smaller first"),
        ({"draws": 3}, "at least 64"),
        ({"model": "best"}, "'auto', 'ratio', 'value'"),
        ({"scale": {"m0": "log"}, "model": "ratio"}, "no logarithm"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_reason(options, message) -> None:
    with pytest.raises(DataError, match=message):
        weigh(random_table(0, 5, 3), **options)


def test_forged_losses_trees_and_weights_are_refused() -> None:
    result = db.weightings(oracle("robots_data"), outputs=["o1"], inputs=["i1", "i2", "i3"])
    for column in ("loss_min", "loss_max"):
        for change in (-1e-6, 1e-6):
            ranks = result.ranks.copy()
            ranks.loc["R7", column] += change
            with pytest.raises(CertificateError, match=f"'R7': {column.replace('_', ' ')}"):
                db.certify(replace(result, ranks=ranks))
    best = result.evidence["best"]
    # The longest proof, with its last leaf missing, or one leaf in place of a halving.
    k = max(range(20), key=lambda row: len(best.trees[row]))
    for tree in (best.trees[k][:-1], best.trees[k][-1:], np.append(best.trees[k], -1)):
        trees = tuple(tree if row == k else other for row, other in enumerate(best.trees))
        forged = {**result.evidence, "best": replace(best, trees=trees)}
        with pytest.raises(CertificateError, match=f"'{result.ranks.index[k]}': best proved"):
            db.certify(replace(result, evidence=forged))
    weights = (((-1, 1, 1, 1),), *best.weights[1:])
    forged = {**result.evidence, "best": replace(best, weights=weights)}
    with pytest.raises(CertificateError, match="'R1': best attained"):
        db.certify(replace(result, evidence=forged))


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"acc": [0.9], "f1": [0.5]}, index=["a"]),
        pd.DataFrame({"acc": [0.9, 0.8, 0.8]}, index=list("abc")),
        pd.DataFrame({"TPR": [0.9] * 3, "TNR": [0.5] * 3}, index=list("abc")),
        pd.DataFrame({"TPR": [0.9, 0, 0.9], "TNR": [0.5, 0, 0.6]}, index=list("abc")),
        pd.DataFrame({"a": [1.0, 1e6, 1e12], "b": [1e12, 1e3, 1.0]}, index=list("abc")),
        pd.DataFrame(0.8 + 1e-15 * np.arange(9).reshape(3, 3) ** 2 % 7, columns=list("abc")),
        pd.DataFrame(1e-300 * np.arange(1, 7).reshape(3, 2), columns=list("ab")),
    ],
    ids=["one row", "one metric", "all equal", "a row of zeros", "1 to 1e12", "near ties", "tiny"],
)
def test_odd_tables_are_proved(table) -> None:
    result = weigh(table, draws=64)
    ranks = result.ranks
    assert (ranks["best"] == ranks["best_proved"]).all()
    assert (ranks["worst"] == ranks["worst_proved"]).all()
    assert extreme_ranks(table.to_numpy()).tolist() == ranks[["best", "worst"]].to_numpy().tolist()
    db.certify(result)
    assert result.summary()
    assert all(result.explain(name) for name in table.index)


def test_losses_alone_and_zero_inputs_are_taken_and_gaps_refused() -> None:
    losses = pd.DataFrame({"log_loss": [0.9, 0.3, 0.2], "mae": [1, 2, 3.0]}, index=list("abc"))
    result = db.weightings(losses, draws=64)
    assert result.model == "value"
    assert result.ranks[["best", "worst"]].to_numpy().tolist() == [[1, 3], [1, 2], [1, 3]]
    firms = pd.DataFrame({"o": [1, 2, 3.0], "i": [0, 1, 2.0], "j": [1, 1, 2.0]}, index=list("abc"))
    ratio = db.weightings(firms, outputs=["o"], inputs=["i", "j"], model="ratio", draws=64)
    # With all weight on i, a uses nothing; on j it has 1 against 2 and 1.5.
    assert ratio.ranks[["best", "worst"]].to_numpy().tolist() == [[1, 3], [1, 2], [2, 3]]
    db.certify(ratio)
    gaps = pd.DataFrame({"TPR": [0.9, np.nan], "TNR": [0.1, 0.2]}, index=list("ab"))
    with pytest.raises(DataError, match="'TPR' of 'b' is missing"):
        db.weightings(gaps)
    negative = pd.DataFrame({"a": [-0.1, 0.2], "b": [0.4, 0.5]}, index=list("xy"))
    with pytest.raises(DataError, match="model='value' takes any value"):
        weigh(negative, model="ratio")
    assert weigh(negative, model="value", draws=64).ranks["best"].tolist() == [2, 1]


def test_a_time_limit_leaves_what_is_proved() -> None:
    table = random_table(1, 40, 5, digits=3)
    result = weigh(table, draws=64, time_limit=1e-3)
    ranks = result.ranks
    full = weigh(table, draws=64, time_limit=120).ranks
    assert (ranks["best_proved"] <= full["best"]).all()
    assert (ranks["best"] >= full["best"]).all()
    assert (ranks["worst_proved"] >= full["worst"]).all()
    assert (ranks["worst"] <= full["worst"]).all()
    assert any("are not proved, for want of time" in note for note in result.notes)
    assert any("extreme" in text for text in db.certify(result).unclaimed)


@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_ties_that_halving_cannot_reach_are_solved_without_integer_programs(
    seed, monkeypatch
) -> None:
    """With two decimals the fewest rows are above where three lines meet in one point."""
    calls = []
    monkeypatch.setattr(bounds.RankSearch, "solve_milp", lambda *args: calls.append(args))
    table = random_table(seed, 60, 3)
    result = weigh(table, draws=64)
    ranks = result.ranks
    assert (ranks["best"] == ranks["best_proved"]).all()
    assert (ranks["worst"] == ranks["worst_proved"]).all()
    db.certify(result)
    assert not calls


def test_scores_decades_apart_are_no_ties() -> None:
    """Ratios of 1e-20 and 1e-10 are both nothing beside 1, and yet one is above the other."""
    table = pd.DataFrame(
        {"o": [1e-10, 1.0, 1e-5, 1e-5], "i": [1e10, 1.0, 1e5, 1e5]}, index=list("abcd")
    )
    result = db.weightings(table, outputs=["o"], inputs=["i"], model="ratio", draws=64)
    assert result.ranks["mean_rank"].tolist() == [4, 1, 2, 2]
    assert result.ranks[["best", "worst"]].to_numpy().tolist() == [[4, 4], [1, 1], [2, 3], [2, 3]]
    wide = pd.DataFrame({"o": [5e6, 1e-4, 0.2], "p": [4e-8, 1e4, 3e-9]}, index=list("abc"))
    db.certify(weigh(wide, draws=64))


def test_an_upper_bound_of_0_leaves_no_room(refused) -> None:
    table = random_table(0, 4, 2)
    with refused("the bounds leave no room between them: m0/m1 from 0 to 0; give wider bounds"):
        weigh(table, ratios={("m0", "m1"): (0, 0)})


def test_shares_of_outputs_leave_the_weights_of_inputs_free() -> None:
    """With 60 % or more on o/.9, the rest on p/.9: a has .778 to 1, b .367 to .278 and c, at half
    of the input, .978 to .889.
    """
    table = pd.DataFrame(
        {"o": [0.9, 0.5, 0.4], "p": [0.4, 0.9, 0.5], "i": [1.0, 2.0, 0.5]}, index=list("abc")
    )
    restrictions = {"shares": {"o": (0.6, 1.0)}, "draws": 64}
    ratio = db.weightings(table, outputs=["o", "p"], inputs=["i"], model="ratio", **restrictions)
    assert ratio.ranks.loc[["a", "b", "c"], ["best", "worst"]].to_numpy().tolist() == [
        [1, 2],
        [3, 3],
        [1, 2],
    ]


def test_differences_are_those_at_the_ends_of_the_weights(refused) -> None:
    """Values over the ranges: m0 (1, 1/3, 0) and m1 (0, 1, 1/2) by hand."""
    table = pd.DataFrame({"m0": [0.9, 0.5, 0.3], "m1": [0.2, 0.8, 0.5]}, index=list("abc"))
    result = weigh(table, model="value", draws=64)
    with refused("there is no row 'd'; there are 'a', 'b', 'c'"):
        result.region("d")
    differences = result.differences
    np.testing.assert_allclose(differences.loc[("a", "b")], [-1, 2 / 3])
    np.testing.assert_allclose(differences.loc[("c", "a")], [-1, 0.5])
    np.testing.assert_allclose(differences.loc[("b", "c")], [1 / 3, 0.5])


def test_the_integer_program_of_ratios_has_the_ranks_of_the_search() -> None:
    """Two outputs by two inputs: fewest above and fewest below each row, two ways."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.uniform(0.2, 1, (4, 4)).round(2), columns=list("opij"))
    result = db.weightings(table, outputs=["o", "p"], inputs=["i", "j"], model="ratio", draws=64)
    search = bounds.RankSearch(result.sides, np.inf)
    assert (result.ranks["best"] < result.ranks["worst"]).any()
    for k, (best, worst) in enumerate(result.ranks[["best", "worst"]].to_numpy()):
        for sign, expected in ((1, best - 1), (-1, 4 - worst)):
            differences = search.differences(k, sign)
            not_above, alpha, beta = search.solve_milp(k, sign, differences, 60.0)
            assert (~not_above).sum() == expected
            # The weights show it in whole numbers.
            assert search.count_above(k, sign, search.weights(alpha, beta)) == expected
            assert search.solve_tie(k, sign, not_above) is None
    # A row that is worth nothing at a vertex has no ratios to itself.
    nothing = table.assign(o=[0.0, 0.5, 0.6, 0.7])
    sides = db.weightings(
        nothing, outputs=["o", "p"], inputs=["i", "j"], model="ratio", draws=64
    ).sides
    assert bounds.RankSearch(sides, np.inf).solve_milp(0, 1, differences, 60.0) is None
