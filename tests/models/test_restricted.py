"""Restricted weights and bounded Σ λ against SciPy's multiplier programs, the free models, and
closed forms.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from dea_cases import examples, frame, lp, oracle, tables
from hypothesis import given
from hypothesis import strategies as st
from model_options import rank_with
from quick_cases import mark_most_slow

import deabench as db
from deabench.errors import CertificateError

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
INF = float("inf")


def performance(Y: np.ndarray, o: int, rows: list[np.ndarray]) -> float:
    """max w·y_o, w·Y_j <= 1, rows·w <= 0, by SciPy; NaN where no w > 0 is left."""
    value = -lp(
        -Y[o], np.vstack([Y, *rows]), np.concatenate([np.ones(len(Y)), np.zeros(len(rows))])
    )
    return value if value > 1e-12 else np.nan


@pytest.mark.parametrize("model", mark_most_slow(["wei", "score"], 1))
@examples(15)
@given(
    tables(rows=(2, 7), metrics=(2, 4), near=False),
    st.sampled_from([0.0, 0.1, 0.4]),
    st.sampled_from([0.5, 0.8, 1.0]),
)
def test_shares_are_scipys_and_never_raise_a_score(model, Y, least, most) -> None:
    ranking, free = (
        rank_with(frame(Y), model=model, shares={"m0": (least, most)}),
        db.rank(frame(Y)),
    )
    for o, y in enumerate(Y):
        share_row = np.eye(Y.shape[1])[0] * y[0]
        expected = performance(Y, o, [least * y - share_row, share_row - most * y])
        assert ranking.scores.iloc[o] == pytest.approx(expected, abs=1e-8, nan_ok=True)
        assert not ranking.scores.iloc[o] > free.scores.iloc[o] + 1e-9
    assert set(ranking.reasons.values()) <= {"no weights keep the bounds given"}
    assert (~ranking.efficient | free.efficient).all()
    db.certify(ranking)


@examples(15)
@given(
    tables(rows=(2, 7), metrics=(2, 4), near=False),
    st.sampled_from([0.1, 1.0, 2.5]),
    st.sampled_from([1.0, 1.5, INF]),
)
def test_ratios_are_scipys_in_the_users_own_units(Y, least, wider) -> None:
    unit = np.array([1000.0, 1.0, 0.01, 3.0])[: Y.shape[1]]
    ranking = db.rank(
        frame(Y * unit), model=db.models.WEI(ratios={("m0", "m1"): (least, least * wider)})
    )
    first, second = np.eye(Y.shape[1])[0] / unit[0], np.eye(Y.shape[1])[1] / unit[1]
    rows = [least * second - first] + ([first - least * wider * second] if wider < INF else [])
    for o in range(len(Y)):
        assert ranking.scores.iloc[o] == pytest.approx(performance(Y, o, rows), abs=1e-8)
    db.certify(ranking)


def test_fixed_ratios_leave_one_weighting() -> None:
    Y = np.random.default_rng(4).uniform(0.2, 1, (12, 3))
    w = np.array([1.0, 2.0, 0.5])
    ranking = db.rank(
        frame(Y), model=db.models.WEI(ratios={("m1", "m0"): (2, 2), ("m2", "m0"): (0.5, 0.5)})
    )
    np.testing.assert_allclose(ranking.scores, Y @ w / (Y @ w).max(), rtol=1e-9)
    assert ranking.efficient.sum() == 1


def multiplier(
    X: np.ndarray, Y: np.ndarray, o: int, outward: bool, sums: tuple[float, float], ratio: float
) -> float:
    """θ, or 1/φ, by SciPy from the multiplier side with u_0 = p − q, p and q >= 0 worth L and U,
    and v_0 >= ratio·v_1.
    """
    (n, s), m = Y.shape, X.shape[1]
    low, high = sums
    free = [(0, None)] * (s + m) + [
        (0, None if high < INF else 0),
        (0, None),
    ]  # h = high·p − low·q, p − q >= u·Y − v·X
    h = np.array([high if high < INF else 0.0, -low])
    differences = np.column_stack([Y, -X, -np.ones(n), np.ones(n)])
    keep = (
        np.concatenate([np.zeros(s), -np.eye(m)[0] + ratio * np.eye(m)[-1], [0, 0]])
        if ratio
        else np.zeros(s + m + 2)
    )
    A, b = np.vstack([differences, keep]), np.zeros(n + 1)
    objective, cost = (
        np.concatenate([Y[o], np.zeros(m + 2)]),
        np.concatenate([np.zeros(s), X[o], h]),
    )
    if outward:
        return 1 / lp(cost, A, b, equal=(objective[None], [1.0]), bounds=free)
    gain = objective - np.concatenate([np.zeros(s + m), h])
    return -lp(
        -gain, A, b, equal=(np.concatenate([np.zeros(s), X[o], [0, 0]])[None], [1.0]), bounds=free
    )


@pytest.mark.parametrize("orientation", mark_most_slow(["input", "output"], 1))
@examples(15)
@given(
    tables(rows=(3, 7), metrics=(3, 5), near=False),
    st.sampled_from([(0.8, 1.2), (0.0, 0.9), (1.0, 1.0), (1.1, INF), (0.0, INF)]),
    st.sampled_from([0.0, 0.5]),
)
def test_bounded_sums_and_ratios_of_inputs_are_scipys(orientation, values, sums, ratio) -> None:
    values = np.where(values > 0, values, 0.01)
    options = {"ratios": {("m0", "m1"): (ratio, INF)}} if ratio else {}
    ranking = rank_with(
        frame(values),
        inputs=["m0", "m1"],
        model="ccr",
        orientation=orientation,
        sums=sums,
        **options,
    )
    assert ranking.returns == "bounded"
    for o in range(len(values)):
        if not np.isnan(ranking.scores.iloc[o]):
            expected = multiplier(
                values[:, :2], values[:, 2:], o, orientation == "output", sums, ratio
            )
            assert ranking.scores.iloc[o] == pytest.approx(expected, abs=1e-7)
    db.certify(ranking)


@pytest.mark.parametrize(
    ("sums", "returns"), [((0, INF), "crs"), ((1, 1), "vrs"), ((0, 1), "nirs"), ((1, INF), "ndrs")]
)
@pytest.mark.parametrize("orientation", ["input", "output"])
def test_sums_are_what_the_returns_say(orientation, sums, returns) -> None:
    data = oracle("01_fls2008_11dmu", "data")
    options = {
        "inputs": ["x1", "x2"],
        "outputs": ["y1"],
        "model": "ccr",
        "orientation": orientation,
    }
    bounded, named = (
        rank_with(data, sums=sums, **options),
        rank_with(data, returns=returns, **options),
    )
    np.testing.assert_allclose(bounded.scores, named.scores, rtol=1e-9)
    np.testing.assert_allclose(bounded.slacks, named.slacks, atol=1e-7)
    assert bounded.efficient.tolist() == named.efficient.tolist()
    db.certify(bounded)


def test_three_dmus_with_a_sum_between_four_fifths_and_six_fifths() -> None:
    """By hand: y = 2, 5, 6 from x = 2, 4, 6; A makes 1.2 times 2 of 2.4 at most; at x = 2 and Σ λ =
    .8 the mix is .6 A + .2 B.
    """
    table = pd.DataFrame({"x": [2.0, 4.0, 6.0], "y": [2.0, 5.0, 6.0]}, index=list("ABC"))
    ranking = db.rank(table, inputs=["x"], model=db.models.CCR(sums=(0.8, 1.2)))
    made = {
        "A": 0.6 * 2 + 0.2 * 5,
        "B": 5.0,
        "C": 6.3,
    }  # C: 0.9 B + 0.3 C ... the best at x = 6 with Σ λ <= 1.2
    for name, largest in made.items():
        assert 1 / ranking.scores[name] >= largest / table.loc[name, "y"] - 1e-12
    expected = [
        multiplier(table[["x"]].to_numpy(), table[["y"]].to_numpy(), o, True, (0.8, 1.2), 0.0)
        for o in range(3)
    ]
    np.testing.assert_allclose(ranking.scores, expected, rtol=1e-9)


def test_an_always_negative_classifier_is_no_longer_efficient() -> None:
    table = pd.DataFrame(
        {"TPR": [0.0, 0.8, 0.6], "TNR": [1.0, 0.9, 0.95]},
        index=["always negative", "good", "careful"],
    )
    assert db.rank(table).efficient["always negative"]
    ranking = db.rank(table, model=db.models.WEI(ratios={("TPR", "TNR"): (1, INF)}))
    assert ranking.scores["always negative"] == pytest.approx(1.0 / 1.7, abs=1e-12)
    result = db.rank(table, model=db.models.WEI(shares={"TPR": (0.2, 1.0)}))
    assert result.reasons == {"always negative": "no weights keep the bounds given"}
    assert (
        result.explain("always negative")
        == "always negative has no efficiency: no weights keep the bounds given."
    )
    db.certify(result)


@pytest.mark.parametrize("difference", [1e-10, 1e-9, 1e-7])
def test_no_peer_has_a_little_more_input(difference) -> None:
    """Of p, o would need more input than it has: a tolerance of a solver is none of the data."""
    table = pd.DataFrame(
        {"a": [0.5, 1.0, 0.2], "b": [0.5, 1.0, 0.1], "x": [1 - difference, 1, 2]}, list("opq")
    )
    model = db.models.CCR(returns="vrs", orientation="output", ratios={("a", "b"): (0.5, 2)})
    ranking = db.rank(table, outputs=["a", "b"], inputs=["x"], model=model)
    assert ranking.scores.to_dict() == {"o": 1, "p": 1, "q": pytest.approx(1 / 6)}
    # Nor does the certificate take the answer for as much input as p has.
    even = db.rank(table.assign(x=[1, 1, 2]), outputs=["a", "b"], inputs=["x"], model=model)
    assert even.scores["o"] == 0.5
    forged = replace(
        even, data=ranking.data, reference=ranking.reference, frontier=ranking.frontier
    )
    with pytest.raises(CertificateError, match="primal infeasibility"):
        db.certify(forged)


def test_a_metric_that_restrictions_leave_no_weight_keeps_a_dmu_from_efficiency() -> None:
    """All output of A is in `a`, which may be half of it at most: `a` has no weight then."""
    table = pd.DataFrame(
        {"a": [0.9, 0.8, 0.7], "b": [0.0, 0.5, 0.6], "cost": [1.0, 2.0, 3.0]}, ["A", "B", "C"]
    )
    model = db.models.CCR(returns="ndrs", orientation="input", shares={"a": (0.1, 0.5)})
    ranking = db.rank(table, outputs=["a", "b"], inputs=["cost"], model=model)
    assert ranking.scores["A"] == 1
    assert ranking.weights.loc["A", "a"] == 0
    assert ranking.efficient.to_dict() == {"A": False, "B": True, "C": False}


def test_a_changed_number_does_not_pass() -> None:
    table = frame(np.random.default_rng(1).uniform(0.2, 1, (8, 3)))
    for changed in ("scores", "weights", "slacks"):
        ranking = db.rank(table, model=db.models.WEI(shares={"m0": (0.3, 0.5)}))
        worst = int(ranking.scores.argmin())  # an efficient one has many proofs
        cell = worst if changed == "scores" else (worst, 0)
        getattr(ranking, changed).iloc[cell] *= 1.01
        getattr(ranking, changed).iloc[cell] += 1e-6
        with pytest.raises(CertificateError):
            db.certify(ranking)


REFUSED = [
    (
        {"shares": {}},
        "shares is {}; give a mapping of metric to (least, most) with 0 <= least <= most, "
        "as {'TPR': (0.2, 0.5)}",
    ),
    (
        {"shares": {"TPX": (0, 1)}},
        "shares names 'TPX', which is no metric here; did you mean 'TPR'?",
    ),
    (
        {"shares": {"TPR": (0.5, 0.2)}},
        "shares is {'TPR': (0.5, 0.2)}; give a mapping of metric to (least, most) with "
        "0 <= least <= most, as {'TPR': (0.2, 0.5)}",
    ),
    (
        {"shares": {"TPR": 0.2}},
        "shares is {'TPR': 0.2}; give a mapping of metric to (least, most) with "
        "0 <= least <= most, as {'TPR': (0.2, 0.5)}",
    ),
    ({"shares": {"TPR": (0.2, 1.5)}}, "shares of 'TPR' go up to 1.5; a share is at most 1"),
    (
        {"shares": {"TPR": (0.6, 1), "TNR": (0.6, 1)}},
        "the shares of the outputs add up to at least 1.2, and they have to add up to 1; give "
        "wider bounds",
    ),
    (
        {"shares": {"TPR": (0, 0.3), "TNR": (0, 0.3)}},
        "the shares of the outputs add up to at most 0.6, and they have to add up to 1; give "
        "wider bounds",
    ),
    (
        {"ratios": {"TPR": (1, 2)}},
        "ratios is {'TPR': (1, 2)}; give a mapping of two metrics to (least, most) with "
        "0 <= least <= most, as {('TPR', 'TNR'): (2.0, float('inf'))}",
    ),
    (
        {"ratios": {("TPR", "cost"): (1, 2)}},
        "ratios compares 'TPR' with 'cost'; give two outputs, or two inputs",
    ),
    (
        {"ratios": {("TPR", "TPR"): (1, 2)}},
        "ratios compares 'TPR' with 'TPR'; give two outputs, or two inputs",
    ),
    (
        {"sums": (1.2, 0.8)},
        "sums is (1.2, 0.8); give (least, most) with 0 <= least <= most, as (0.8, 1.2)",
    ),
    ({"sums": (0, 0)}, "sums is (0, 0), which leaves no reference; give a largest sum above 0"),
    (
        {"sums": (0, 1), "returns": "vrs"},
        "sums takes the place of returns; leave one of the two out",
    ),
    (
        {"model": "sbm", "sums": (0, 1)},
        "model 'sbm' has no option 'sums'; its options are 'returns', 'orientation', "
        "'technology'; use model 'ccr' for it",
    ),
]


@pytest.mark.parametrize(("options", "text"), REFUSED)
def test_what_is_refused(options, text, refused) -> None:
    table = pd.DataFrame(
        {"TPR": [0.5, 0.9], "TNR": [0.5, 0.4], "cost": [1.0, 2.0]}, index=["a", "b"]
    )
    with refused(text):
        rank_with(table, inputs=["cost"], **({"model": "ccr"} | options))


def test_trade_offs_are_not_taken_for_rows_that_numbers_name() -> None:
    values = np.random.default_rng(0).uniform(0.2, 1, (6, 3)).round(3)
    table = pd.DataFrame(values, [2, 0, 1, 5, 3, 4], list("abc"))
    model = db.models.WEI(shares={"a": (0.1, 0.6), "b": (0.1, 0.5)})
    ranking = db.rank(table, outputs=list("abc"), model=model)
    db.certify(ranking)
    named = db.rank(table.rename(index=str), outputs=list("abc"), model=model)
    np.testing.assert_array_equal(ranking.tables["trade_offs"], named.tables["trade_offs"])


@pytest.mark.parametrize("returns", ["vrs", "crs", "nirs", "ndrs"])
@pytest.mark.parametrize("orientation", ["input", "output"])
def test_each_dmu_without_a_score_has_the_reason_of_its_program(orientation, returns) -> None:
    """ "beyond" has more outputs from less than all, "none" has none of them."""
    reference = pd.DataFrame(
        {"a": [2.0, 4.0, 3.0], "b": [4.0, 2.0, 3.5], "x": [1.0, 2.0, 1.5]}, list("pqr")
    )
    tested = pd.DataFrame(
        {"a": [9.0, 0.0, 3.0], "b": [9.0, 0.0, 3.0], "x": [0.5, 2.0, 2.0]},
        ["beyond", "none", "within"],
    )
    options = {"returns": returns, "orientation": orientation, "ratios": {("a", "b"): (0.3, 3)}}
    ranking = rank_with(
        tested, reference=reference, model="ccr", outputs=["a", "b"], inputs=["x"], **options
    )
    # Inwards only multiples have as much; outwards only parts need as little.
    can_change = returns in ("crs", "ndrs" if orientation == "input" else "nirs")
    expected = {}
    if not can_change:
        expected["beyond"] = "no mix of the reference reaches it, whatever the factor"
    if orientation == "output":
        expected["none"] = "every output of it is 0, and no factor makes more of nothing"
    elif returns in ("crs", "nirs"):
        expected["none"] = "its factor is 0"
    assert ranking.reasons == expected
    assert ranking.scores.index[ranking.scores.isna()].tolist() == list(expected)
