"""Gain, lift, conversion rates and precision-recall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from deabench import curves
from deabench.errors import DataError


@st.composite
def samples(draw):
    n = draw(st.integers(2, 40))
    y = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < len(y)))
    return np.array(y), np.array(
        draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), dtype=float
    )


@given(samples())
def test_the_maximum_gain_is_youdens_j_and_at_best_kolmogorov_smirnovs_distance(sample):
    y, s = sample
    chart = curves.gain(y, s, positive=True)
    smirnov = ks_2samp(s[~y], s[y], alternative="greater").statistic
    assert chart.maximum["difference"] == pytest.approx(
        curves.best_threshold(chart.roc, "youden").value, abs=1e-14
    )
    assert chart.maximum["difference"] == pytest.approx(smirnov, abs=1e-14)
    assert chart.maximum_by_deciles["difference"] <= chart.maximum["difference"] + 1e-14


@given(samples())
def test_gain_and_lift_count_the_rows_taken(sample):
    y, s = sample
    chart, lift = curves.gain(y, s, positive=True), curves.lift(y, s, positive=True)
    for point in chart.points.itertuples():
        selected = s >= point.at_least
        assert point.population == selected.mean()
        assert point.gain == (selected & y).sum() / y.sum()
        assert point.negative_gain == (selected & ~y).sum() / (~y).sum()
    for point in lift.points.itertuples():
        assert point.lift == pytest.approx(y[s >= point.at_least].mean() / y.mean(), abs=1e-12)
    assert lift.points["lift"].iloc[-1] == 1
    assert lift.deciles["lift"].iloc[-1] == 1


def test_deciles_of_equal_scores_are_the_mean_over_their_orders():
    y, s = (
        np.array([1, 0, 0, 0, 0, 1, 0, 0, 0, 1]),
        np.repeat([2.0, 1.0], 5),
    )  # one positive of 3 in the first half
    chart = curves.gain(y, s)
    np.testing.assert_allclose(chart.deciles["gain"].iloc[:5], np.arange(1, 6) / 15, atol=1e-15)
    np.testing.assert_allclose(curves.lift(y, s).deciles["lift"].iloc[:5], 2 / 3, atol=1e-15)


@given(samples(), st.integers(-1, 10))
def test_conversion_rates_count_the_groups(sample, above):
    y, s = sample
    rates = curves.conversion_rates(y, s, above=above, positive=True)
    for group, rows in (
        ("all", s > -9),
        ("predicted positive", s > above),
        ("predicted negative", s <= above),
    ):
        row = rates.rates.loc[group]
        assert row["n"] == rows.sum()
        if rows.any():
            assert row["positive"] == pytest.approx(y[rows].mean(), abs=1e-15)
            assert row["positive"] + row["negative"] == pytest.approx(1, abs=1e-15)
        else:
            assert np.isnan(row["positive"])
            assert np.isnan(
                rates.multipliers["positive" if group == "predicted positive" else "negative"]
            )
    if (s > above).any():
        assert rates.multipliers["positive"] == pytest.approx(
            y[s > above].mean() / y.mean(), rel=1e-12
        )


def test_conversion_names_its_rule_and_refuses_nan(six):
    assert curves.conversion_rates(*six, above=0.5).rule == "1 where score > 0.5"
    with pytest.raises(DataError) as error:
        curves.conversion_rates(*six, above=np.nan)
    assert str(error.value) == "the threshold is missing; give above= a number"
