"""Every model beside exact arithmetic: `python -m benchmarks.exact_comparison` in quick form."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow
from scipy.optimize import linprog

import deabench as db
from benchmarks.exact import EXACT
from benchmarks.exact.kinds import ALL_KINDS, KINDS
from benchmarks.exact.radial import exact_radial
from benchmarks.exact.simplex import maximize, minimize
from benchmarks.exact_comparison import Case, Findings, compare, compare_case, draw_case
from deabench.models import MODELS

PLAIN_KINDS = ["uniform", "grid", "duplicates", "constant", "collinear", "one metric"]
"""Kinds of tables on which every model is exact."""


def test_the_exact_simplex_agrees_with_scipy() -> None:
    rng = np.random.default_rng(0)
    signs = {"<=": 1.0, ">=": -1.0}
    statuses = {0: "optimal", 2: "infeasible", 3: "unbounded"}
    seen = set()
    for _ in range(200):
        n, m = rng.integers(1, 8), rng.integers(1, 6)
        matrix, right = rng.integers(-3, 6, (m, n)), rng.integers(-3, 8, m)
        costs, senses = rng.integers(-2, 6, n), rng.choice(list(signs), m)
        rows = [
            (row, str(sense), value)
            for row, sense, value in zip(matrix.tolist(), senses, right.tolist(), strict=True)
        ]
        exact = minimize(costs.tolist(), rows)
        sign = np.array([signs[sense] for sense in senses])
        peer = linprog(costs, matrix * sign[:, None], right * sign)
        # SciPy's presolve may call an unbounded program infeasible; the exact one decides.
        assert exact.status == statuses[peer.status]
        seen.add(exact.status)
        if exact.value is not None:
            assert float(exact.value) == pytest.approx(peer.fun, abs=1e-9)
    assert seen == set(statuses.values())


def test_the_exact_simplex_is_exact() -> None:
    third = maximize([1, 1], [([3, 0], "<=", 1), ([1, 1], "<=", Fraction(1, 2))])
    assert third.value == Fraction(1, 2)
    assert maximize([1], [([3], "==", 1)]).point == (Fraction(1, 3),)


@pytest.mark.parametrize(
    "seeds", [range(2), pytest.param(range(2, 16), marks=pytest.mark.slow)], ids=["2", "14 more"]
)
@pytest.mark.parametrize("model", list(MODELS))
def test_plain_tables_are_exact_certified_and_invariant(model, seeds) -> None:
    findings = compare(seeds, [model], PLAIN_KINDS)
    assert not findings.lines, "\n".join(findings.lines)
    assert findings.counts["DMUs"] > 2 * len(seeds) - 2


NOISY_KINDS = ["leaderboard", "ranges", "noise"]
HARDEST_KINDS = ["leaderboard", "noise", "ranges", "integers"]
FIVE_KINDS = [*NOISY_KINDS, "zeros", "units"]
HARD_SEEDS = {
    "cross with slack that its own score does not show": (300078, list(KINDS)),
    "cross of all but equal rows": (400190, NOISY_KINDS),
    "super-sbm of a row of zeros": (300054, list(KINDS)),
    "super-sbm, unreached by a metric of 1e-12 of its range": (300294, list(KINDS)),
    "super with intensities of 1e-10": (300276, list(KINDS)),
    "super just above 1": (200180, list(KINDS)),
    "super above 1 by more than the tolerance": (60484, NOISY_KINDS),
    "super of a small row whose peer's terms are a million times its own": (610132, list(KINDS)),
    "ddf beside a steep facet": (300283, list(KINDS)),
    "rdm beside a steep facet": (200060, list(KINDS)),
    "rdm, efficient in fractions": (400220, NOISY_KINDS),
    "rdm of single peers": (400268, NOISY_KINDS),
    "rdm of single peers over ten decades": (400268, ["ranges", "noise", "leaderboard"]),
    "russell, efficient in fractions": (300439, list(KINDS)),
    "holder, efficient in fractions": (200125, list(KINDS)),
    "holder, inefficient in a metric's own deviations": (400253, NOISY_KINDS),
    "wei with ratios that are no decimals": (610304, list(KINDS)),
    "score with ratios beside a steep facet": (301121, list(KINDS)),
    "sbm of single peers of a row of zeros": (620037, list(KINDS)),
    "super of a DMU that others dominate at 1": (620068, list(KINDS)),
    "super of DMUs that others all but equal": (620740, list(KINDS)),
    "super of a score of 3e-12": (901316, list(KINDS)),
    "super-sbm of a score of 1,753, whose outputs all but vanish": (902822, list(KINDS)),
    "common beside a reference that is thousands of times smaller": (972159, list(KINDS)),
    "cross of peers that fall short by 1e-11": (970382, list(KINDS)),
    "ddf of a projection a thousand steps away": (970523, list(KINDS)),
    "super of a score of 1 + 2e-10": (952612, list(KINDS)),
    "wei of quotients on one line": (950320, list(KINDS)),
    "wei with a slack of 1e-13 of its range": (951232, list(KINDS)),
    "wei with ratios of which only rounding leaves slack": (810075, FIVE_KINDS),
    "super-sbm of a mixture of decimals": (972006, list(KINDS)),
    "holder from outside by 4e-12": (952829, list(KINDS)),
    "additive whose bounds and score add up to a miss": (1000312, list(KINDS)),
    "ram of scores in the millions": (1001321, list(KINDS)),
    "bam of slacks of 2e-10 that are a third of a range": (1001978, list(KINDS)),
    "super of a score of 1 - 2e-10": (2000868, list(KINDS)),
    "ddf of single peers of a slack 1e10 times the value": (9101016, HARDEST_KINDS),
    "ddf of a projection that only rounding keeps λ from": (9000699, list(KINDS)),
    "super of a score of 1e11": (5000980, ["noise", "leaderboard"]),
    "cross of own scores that err by 3e-13": (12000913, ["noise"]),
    "wei with ratios beside a metric of 0": (13000800, list(KINDS), *MODELS),
    "ccr with shares that leave a metric no weight": (13001090, list(KINDS), *MODELS),
    "russell of a factor of 12,823": (9000471, list(KINDS), *MODELS),
    "super beyond a reference of other sizes": (
        15002132,
        ["leaderboard", "integers", "ranges", "noise"],
        *MODELS,
    ),
    "holder of a DMU without outputs": (13002093, list(KINDS), *MODELS),
    "russell of a single peer that has none of an output": (1000967, list(KINDS)),
    "holder in L2 of a facet that rounding does not list": (9100550, ["noise", "close"]),
    "holder from outside by less than 1e-12": (42000640, ["noise", "close"]),
    "super beyond a separate reference, of slack that is rounding": (
        42000695,
        ["noise", "close"],
        *["ccr", "super"],
    ),
    "rdm of steps of 4e-9, worth a last digit": (40001180, list(KINDS), *MODELS),
    "ddf of a projection 1e12 times as far as the value": (40001803, list(KINDS), *MODELS),
    "rdm beside a reference of zeros": (40003084, list(KINDS), *MODELS),
    "super of a DMU that is 1.5e-13 beyond its reference": (
        47100091,
        ["noise"],
        *["ccr", "super", "holder", "ddf", "sbm"],
    ),
    "ccr of a score that counts as 1 beside inputs of three times the reference's": (
        47100120,
        ["noise"],
        *["ccr", "super", "holder", "ddf", "sbm"],
    ),
    "ddf of single peers that tie, of DMUs of several sizes": (
        46001563,
        list(ALL_KINDS),
        *MODELS,
    ),
    "ccr with shares and sums, out of reach by 8e-12": (
        15000371,
        ["noise", "close"],
        *["wei", "score", "ccr"],
    ),
    "ccr with shares, out of reach by 1e-12": (
        15000443,
        ["noise", "close"],
        *["wei", "score", "ccr"],
    ),
    "wei with a trade-off made 1e-14 times that is worth a metric": (
        15002352,
        ["noise", "close", "integers", "ranges"],
        *["wei", "score", "ccr"],
    ),
    "super-sbm of a peer that misses a metric by 1.7e-14": (
        19000217,
        ["noise"],
        *["sbm", "super", "ddf", "holder", "russell", "super-sbm"],
    ),
    "common beside a facet that floating point's weights miss by 2e-11": (
        98410303,
        list(ALL_KINDS),
        *MODELS,
    ),
    "score that floats have above 1 and exact arithmetic below": (
        98419985,
        list(ALL_KINDS),
        *MODELS,
    ),
    "cross of a DMU whose dominator has the same sum of metrics in other units": (
        98409742,
        list(ALL_KINDS),
        *MODELS,
    ),
    "super-sbm of a score of 1.4e12, whose last digit is worth 2e-4": (
        98410310,
        list(ALL_KINDS),
        *MODELS,
    ),
    "ram of λ that add up to 1 in floats and to less in fractions": (
        98408313,
        list(ALL_KINDS),
        *MODELS,
    ),
    "ccr with sums, of slack beside a steep facet that has a weight": (
        98701487,
        ["noise", "close", "near multiple", "twelve decades", "ranges", "leaderboard"],
        *["super-sbm", "sbm", "ram", "cross", "common", "wei", "score", "ccr"],
    ),
    "ccr of a DMU that is out of reach by less than 1e-12": (
        98800649,
        ["noise", "close", "ranges", "near multiple", "grid"],
        *["wei", "score", "ccr"],
    ),
    "common with two metrics that could change places": (
        99307759,
        list(ALL_KINDS),
        *MODELS,
    ),
    "rdm of a DMU that has nothing of a metric, as the reference has": (
        99313868,
        list(ALL_KINDS),
        *MODELS,
    ),
    "super-sbm of a DMU that others reach and dominate by 7e-10": (
        98418566,
        list(ALL_KINDS),
        *MODELS,
    ),
}
"""Tables on which floating point alone is wrong, with what is hard about them."""


def model_of(name: str) -> str:
    """Return the model that the name of a hard table begins with."""
    return name.split()[0].rstrip(",")


FIRST_OF_MODEL = {model_of(name): name for name in reversed(HARD_SEEDS)}


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "name",
    [
        name if name in FIRST_OF_MODEL.values() else pytest.param(name, marks=pytest.mark.slow)
        for name in HARD_SEEDS
    ],
)
def test_hard_tables_are_exact_certified_and_invariant(name) -> None:
    seed, kinds, *models = HARD_SEEDS[name]
    models = models or [model_of(name)]
    findings = Findings()
    compare_case(draw_case(seed, models, kinds), findings)
    assert findings.counts["tables"] == 1
    assert not findings.lines, "\n".join(findings.lines)


M = db.models


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize("is_own_reference", [pytest.param(True, marks=pytest.mark.slow), False])
@pytest.mark.parametrize(
    "model",
    mark_most_slow(
        [
            M.SBM(returns="vrs"),
            M.SBM(returns="vrs", orientation="input"),
            M.SuperSBM(returns="vrs", orientation="output"),
            M.Additive(weights="mip"),
            M.RAM(),
            M.BAM(),
            M.Russell(),
            M.Russell(orientation="none"),
            M.DDF(),
            M.RDM(),
            M.Holder(weights="mip"),
            M.CCR(returns="vrs"),
            M.Super(returns="vrs"),
        ],
        6,
    ),
    ids=lambda model: f"{model.name}-{model.orientation}",
)
def test_a_mixture_of_decimals_is_one_in_rational_arithmetic(model, is_own_reference) -> None:
    """Row "o" is the mean of "p" and "q" in two metrics, as decimals, but not as floats.

    The last row makes all others small, so that they are solved in rational arithmetic.
    """
    columns = ["a", "b", "c", "x"]
    for ends in ([[0.02, 0.66], [0.52, 0.64]], [[0.76, 0.72], [0.84, 0.18]]):
        mean = np.mean(ends, axis=0).round(2)
        small = np.column_stack([[*ends, mean], [0.5, 0.5, 0.4], [0.1, 0.1, 0.1]])
        table = pd.DataFrame(np.vstack([small, [1e3, 1e3, 1e3, 1e5]]), list("pqoz"), columns)
        tested = table
        reference = None
        if not is_own_reference:
            tested = table.loc[["o"]]
            reference = table.drop(index="o")
        findings = Findings()
        case = Case(0, "decimals", tested, ("x",), reference, model)
        compare_case(case, findings, invariance=False)
        assert findings.counts["DMUs"] == len(tested)
        assert not findings.lines, "\n".join(findings.lines)


@pytest.mark.parametrize("factor", [1e-10, 5e-10, 1e-9, 1e-8])
@pytest.mark.parametrize("gain", [2, 10, 1e6])
def test_beyond_a_steep_facet_rounding_is_no_slack(factor, gain) -> None:
    """The radius of "o" meets the edge next to "p": a last digit further in, "p" has slack."""
    reference = pd.DataFrame(
        [[1 - factor, 1 + gain * factor], [1.0, 0.59]], columns=["a", "b"], index=["p", "q"]
    )
    tested = pd.DataFrame([[1.0, 1.0]], columns=["a", "b"], index=["o"])
    ranking = db.rank(tested, reference=reference, model="wei")
    exact = exact_radial(ranking)[0]
    assert exact.slack == 0
    assert exact.shortfall < 0
    assert ranking.efficient["o"]
    assert db.certify(ranking).unclaimed == ()


def test_a_score_off_by_more_than_rounding_is_not_paid_for_with_slack() -> None:
    """49 times the sum of three "q" and one "p": one input of .8 % less costs 5e-13 of the score.

    The weight of "x" is 0 at the optimum that floating point ends with.
    """
    reference = pd.DataFrame(
        [[8000000, 2000000, 8000000, 1000000], [7999999, 2000000, 7500000, 1000000],
         [8500000, 2000000, 8000001, 1000001]],
        columns=["a", "b", "x", "z"], index=["p", "q", "r"],
    )  # fmt: skip
    tested = reference.loc[["q"]] * 3 + reference.loc[["p"]].to_numpy()
    tested[["a", "b"]] *= 49
    ranking = db.rank(
        tested.astype(float), reference=reference, model="ccr", returns="crs", orientation="output",
        outputs=["a", "b"], inputs=["x", "z"],
    )  # fmt: skip
    assert exact_radial(ranking)[0].score == 49
    assert exact_radial(ranking)[0].slack == 0
    assert ranking.efficient["q"]
    db.certify(ranking)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_steep_weights_of_settled_projections_prove_nothing_in_floats() -> None:
    reference = pd.DataFrame(
        [[200000, 400000, 400000, 800000, 400000], [150000, 400001, 400000, 850000, 399999],
         [250000, 399999, 399999, 799999, 400000], [199999, 399999, 399999, 800001, 400000],
         [250000, 450000, 400000, 800001, 400000]],
        columns=["a", "b", "c", "x", "z"], index=list("pqrst"),
    )  # fmt: skip
    tested = pd.DataFrame(
        [[41649950, 80849951, 78399951, 3200002, 1600000],
         [3300000, 5999994, 5999994, 3999998, 2000000]],
        columns=reference.columns, index=["near", "on"],
    )  # fmt: skip
    ranking = db.rank(
        tested.astype(float), reference=reference, model="ccr", returns="crs", orientation="output",
        outputs=["a", "b", "c"], inputs=["x", "z"],
    )  # fmt: skip
    assert [exact.slack == 0 for exact in exact_radial(ranking)] == [False, True]
    assert ranking.efficient.tolist() == [False, True]
    db.certify(ranking)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize("model", ["wei", "score", db.models.Common(goal="largest")], ids=str)
def test_quotients_that_differ_in_the_last_digit_alone_are_equal(model) -> None:
    """.0006 / .0002 and 3e-6 / 1e-6 are both 3, and the other quotient tells them apart."""
    table = pd.DataFrame(
        [[6e-4, 2e-4, 2e-4], [3e-6, 9e-6, 1e-6]], index=["p", "q"], columns=["y", "x", "z"]
    )
    ranking = db.rank(table, outputs=["y"], inputs=["x", "z"], model=model)
    floats = ranking.data.outputs["y/z"]
    assert floats["p"] != floats["q"]
    exact = EXACT[ranking.options.name](ranking)
    assert [entry.slack == 0 for entry in exact] == [True, False]
    assert ranking.efficient.tolist() == [True, False]
    db.certify(ranking)


@pytest.mark.parametrize("model", ["wei", db.models.Common(goal="sum")], ids=str)
def test_a_facet_that_weights_miss_by_2e_11_leaves_no_slack(model) -> None:
    """The facet of both hardly rises: of "p" alone, which floating point takes, "o" has slack."""
    reference = pd.DataFrame(
        [[0.25000000000281702, 0.25000000000652561], [0.49999999998739636, 0.25000000000117500]],
        columns=["a", "b"], index=["p", "q"],
    )  # fmt: skip
    tested = pd.DataFrame([[0.75000000001793188, 0.49999999999333722]], ["o"], ["a", "b"])
    ranking = db.rank(tested, reference=reference, model=model)
    exact = exact_radial(ranking)[0]
    assert exact.slack == 0
    assert exact.shortfall < 0
    assert ranking.efficient["o"]
    db.certify(ranking)
