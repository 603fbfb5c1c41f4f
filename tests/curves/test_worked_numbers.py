"""Every row of worked_numbers.csv of Elazmeh et al. 2006 and of the six testing methods: right ones
reproduced, errata shown to be errata, and the rows that no program can check named with the reason.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from deabench import curves, tango

ROWS = pd.read_csv(
    Path(__file__).parents[1] / "oracles" / "worked_numbers.csv", dtype=str, keep_default_na=False
)
SIX = ROWS[ROWS["paper"] == "six_testing_methods"].set_index("quantity")
TANGO = ROWS[ROWS["paper"] == "elazmeh2006"].set_index("quantity")


def point_at(y, s, threshold):
    points = curves.roc(y, s).points
    return points[(points["above"] <= threshold) & (threshold < points["at_least"])].iloc[0]


def rates(y, s):
    return curves.conversion_rates(y, s, above=0.5)


NUMBERS = {  # quantity: (how it is computed, digits printed, the printed number)
    "TP at tau=.5 (score > tau)": (lambda y, s: point_at(y, s, 0.5)["tp"], 0, 6),
    "FP": (lambda y, s: point_at(y, s, 0.5)["fp"], 0, 3),
    "FN": (lambda y, s: point_at(y, s, 0.5)["fn"], 0, 2),
    "TN": (lambda y, s: point_at(y, s, 0.5)["tn"], 0, 9),
    "accuracy": (
        lambda y, s: (point_at(y, s, 0.5)["tp"] + point_at(y, s, 0.5)["tn"]) / 20,
        2,
        0.75,
    ),
    "error rate": (
        lambda y, s: (point_at(y, s, 0.5)["fp"] + point_at(y, s, 0.5)["fn"]) / 20,
        2,
        0.25,
    ),
    "sensitivity (TPR)": (lambda y, s: point_at(y, s, 0.5)["TPR"], 2, 0.75),
    "specificity (TNR)": (lambda y, s: 1 - point_at(y, s, 0.5)["FPR"], 2, 0.75),
    "positives in data": (lambda y, s: rates(y, s).rates.loc["all", "positive"], 2, 0.40),
    "negatives in data": (lambda y, s: rates(y, s).rates.loc["all", "negative"], 2, 0.60),
    "positives among predicted positive": (
        lambda y, s: rates(y, s).rates.loc["predicted positive", "positive"],
        3,
        0.667,
    ),
    "negatives among predicted positive": (
        lambda y, s: rates(y, s).rates.loc["predicted positive", "negative"],
        3,
        0.334,
    ),
    "negatives among predicted negative": (
        lambda y, s: rates(y, s).rates.loc["predicted negative", "negative"],
        3,
        0.819,
    ),
    "positives among predicted negative": (
        lambda y, s: rates(y, s).rates.loc["predicted negative", "positive"],
        3,
        0.181,
    ),
    "multiplier of positive rate": (lambda y, s: rates(y, s).multipliers["positive"], 2, 1.66),
    "multiplier of negative rate": (lambda y, s: rates(y, s).multipliers["negative"], 3, 1.365),
    "AUC": (lambda y, s: curves.roc(y, s).auc, 2, 0.90),
    "optimal threshold (closest to (0,1), score > tau)": (
        lambda y, s: curves.best_threshold(curves.roc(y, s), "closest").above,
        1,
        0.4,
    ),
    "maximum gain score": (
        lambda y, s: curves.gain(y, s).maximum_by_deciles["difference"],
        3,
        0.667,
    ),
    "lift at 0.1": (lambda y, s: curves.lift(y, s).deciles.loc[0.1, "lift"], 1, 2.5),
    "lift at 0.2": (lambda y, s: curves.lift(y, s).deciles.loc[0.2, "lift"], 1, 2.5),
}
EXACT = {  # what the errata should have said
    "negatives among predicted positive": 3 / 9,
    "negatives among predicted negative": 9 / 11,
    "positives among predicted negative": 2 / 11,
    "multiplier of positive rate": 5 / 3,
    "multiplier of negative rate": 15 / 11,
    "AUC": 87 / 96,
}
SHAPES = {
    "threshold definitions",
    "all positives at 60% of population",
    "baseline",
    "negative cumulative gain (red line)",
    "lift stays above 1",
}


def test_every_row_of_the_six_methods_is_checked_here():
    assert set(NUMBERS) | SHAPES == set(SIX.index)
    assert set(EXACT) == set(SIX.index[SIX["verdict"].str.contains("erratum")])


@pytest.mark.parametrize("quantity", NUMBERS)
def test_number_of_the_six_methods(six, quantity):
    compute, digits, printed = NUMBERS[quantity]
    value, verdict = float(compute(*six)), SIX.loc[quantity, "verdict"]
    if quantity in EXACT:
        assert "erratum" in verdict
        assert value == pytest.approx(EXACT[quantity], abs=1e-15)
        assert round(value, digits) != printed
    else:
        assert verdict.startswith("right")
        assert round(value, digits) == printed


def test_the_best_threshold_is_said_both_ways(six):
    best = curves.best_threshold(curves.roc(*six), "closest")
    assert (best.at_least, best.above, best.FPR, best.TPR, best.value) == (
        0.41,
        0.40,
        0.25,
        1.0,
        0.25,
    )
    assert (
        best.rule
        == "positive where score >= 0.41, or equally where score > any value in [0.4, 0.41)"
    )
    youden = curves.best_threshold(curves.roc(*six), "youden")
    assert (youden.at_least, youden.value) == (0.41, 0.75)
    _, output = six
    assert ((output > 0.40) == (output >= 0.41)).all()
    assert (output >= 0.40).sum() == (
        output > 0.40
    ).sum() + 1  # instance 12: the reading that the text leaves open


def test_the_true_maximum_gain_is_not_the_deciles(six):
    chart = curves.gain(*six)
    assert (chart.maximum["population"], chart.maximum["difference"]) == (0.55, 0.75)
    assert chart.maximum_by_deciles["population"] == 0.6
    assert chart.maximum_by_deciles["difference"] == pytest.approx(2 / 3, abs=1e-15)
    assert chart.deciles.loc[0.5, "difference"] == pytest.approx(0.625, abs=1e-15)
    assert (
        chart.points.loc[chart.points["gain"] == 1, "population"].min() == 0.55
    )  # "all positives at 60 %"
    assert chart.deciles.loc[0.6, "gain"] == 1
    assert chart.points["negative_gain"].tolist() == curves.roc(*six).points["FPR"].tolist()


def test_lift_stays_above_one_until_the_end(six):
    chart = curves.lift(*six)
    assert (chart.points["lift"].iloc[:-1] > 1).all()
    assert chart.points["lift"].iloc[-1] == 1
    assert chart.points["lift"].iloc[18] == pytest.approx(1.0526, abs=5e-5)
    assert chart.points["lift"].iloc[:5].tolist() == [2.5, 2.5, 2.5, 2.5, 2.0]


def test_the_printed_auc_is_cut_off_and_no_effect_of_a_grid(six):
    y, output = six
    tenths = np.ceil(output * 10 - 1e-9)  # "score > tau" tells two scores apart only across a tenth
    assert curves.roc(y, tenths).auc == 0.890625
    assert np.floor(curves.roc(y, output).auc * 100) / 100 == 0.90


ELSEWHERE = {
    "Tango score statistic": "tests/test_tango.py, the sign trap and the inversion",
    "constrained MLE q21": "tests/test_tango.py, the inversion of the statistic",
    "Tango with Delta=0 is McNemar": "tests/test_tango.py",
    "CI never exceeds [-1,1]": "tests/test_tango.py",
    '"a and d are the informative or the discordant pairs ... b and c the uninformative or '
    'concordant pairs"': "words",
    'Newcombe [12] "compares 10 different statistical methods that Tango is based on"': "words",
    "sick testing 13/959": "a likely copying slip; the UCI files are not at hand",
    "AUC of S,T,F,B on six sets": "no scores were published",
    'ROC bands (fixed-width, 95%) on dis "contain more than 50% of the ROC '
    'space"': "benchmarks/roc_bands.py",
}


def test_every_row_of_elazmeh_is_checked_or_named():
    checked = {
        "confidence interval written [u_i, l_i]",
        "(b-c)/n monotone non-decreasing in threshold",
        "CI never collapses",
        'positives "as low as 1.4% (dis)"',
        'positives "not exceeding 26% (spectf)"',
        "sick training 171/2755",
        "dis 45/2755, 13/959",
    }
    assert checked | set(ELSEWHERE) == set(TANGO.index)


def test_the_limits_are_printed_in_the_wrong_order():
    assert TANGO.loc["confidence interval written [u_i, l_i]", "verdict"] == "erratum"
    lower, upper = tango.interval(9, 3, 32)
    assert lower < upper


def test_the_interval_never_collapses():
    g = 1.959963984540054**2
    for n in (1, 10, 1000):
        lower, upper = tango.interval([0, n, 0], [0, 0, n], n)
        np.testing.assert_allclose(upper - lower, 2 * g / (n + g), rtol=1e-12)


def test_class_ratios_and_sums_of_table_2():
    """Printed shares are positives to negatives, not to all; sick's training counts cannot sum to
    UCI's 2,800 rows.
    """
    assert (round(13 / 959, 3), round(55 / 214, 2)) == (0.014, 0.26)
    assert (round(13 / 972, 3), round(55 / 269, 2)) == (0.013, 0.20)
    assert TANGO.loc["sick training 171/2755", "verdict"] == "erratum"
    assert 171 + 2755 == 2926 != 2800 == 171 + 2629
    assert (45 + 2755, 13 + 959) == (2800, 972)


def test_each_row_passed_adds_one_to_the_difference(normal):
    points = curves.balanced_segment(*normal).points
    assert (np.diff(points["fn"] - points["fp"]) == -1).all()
