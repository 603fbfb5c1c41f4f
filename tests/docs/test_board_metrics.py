"""The guides on metrics, curves and tests, typed on counts with zeros: each claimed number."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from pages import ROOT, unmatched_sentences, unused_patterns
from scipy import stats

from deabench import compare, curves, metrics, tango
from deabench.compare.adjustment import MAX_BERGMANN
from deabench.compare.friedman import DRAWS
from deabench.compare.score_tables import NOISE_DIGITS
from deabench.metrics.formulas import METRICS

GUIDES = [ROOT / "docs" / f"{name}.md" for name in ("metrics", "curves", "compare")]
COUNTS = pd.DataFrame(
    np.vstack([np.random.default_rng(4).integers(0, 30, (40, 4)), [[0, 0, 3, 5], [4, 0, 0, 0]]]),
    [f"m{k}" for k in range(42)],
    ["tp", "fn", "fp", "tn"],
)
"""Counts of a board, also without positives, without negatives and without an error."""
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| (\S+) to (\S+) \| (\w+) \| ([^|]+) \|", re.M)
SCORES = np.array([0.99, 0.8, 0.8, 0.6, 0.55, 0.4, 0.3, 0.3, 0.2, 0.1])
TRUTH = np.array([1, 1, 0, 1, 1, 0, 1, 0, 0, 0])


def _page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def _evaluate(formula: str, row: pd.Series) -> float:
    """Return what a formula of the page is for some counts; it is typed as it stands."""
    names = {name: float(row[name]) for name in ("tp", "fn", "fp", "tn")}
    names |= {"P": names["tp"] + names["fn"], "N": names["fp"] + names["tn"]}
    names |= {"L": names["tp"] + names["fp"], "M": names["fn"] + names["tn"]}
    names |= {"n": names["P"] + names["N"], "α": 1.0, "β": 1.0}
    names |= dict.fromkeys(("w_tp", "w_tn", "w_fn", "w_fp", "C_fn", "C_fp"), 1.0)
    names |= dict.fromkeys(("C_tp", "C_tn"), 0.0)
    rates = {"TPR": ("tp", "P"), "TNR": ("tn", "N"), "FPR": ("fp", "N"), "FNR": ("fn", "P")}
    with np.errstate(all="ignore"):
        names |= {
            rate: np.float64(names[part]) / np.float64(names[whole])
            for rate, (part, whole) in rates.items()
        }
        code = formula.replace("·", "*").replace("−", "-").replace("²", "**2").replace("√", "sqrt")
        # A blank between two factors is a product.
        code = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", code)
        space = {name: np.float64(value) for name, value in names.items()}
        return float(eval(code, {"sqrt": np.sqrt, "min": min, "max": max}, space))


def every_formula_of_counts_is_the_one_of_the_page() -> None:
    rows = {name: cells for name, *cells in ROW.findall(_page("metrics"))}
    with np.errstate(all="ignore"):
        table = metrics.from_counts(COUNTS, metrics=list(METRICS))
    assert set(METRICS) <= set(rows)
    for name, formula in METRICS.items():
        text, low, high, better, undefined = rows[name]
        assert better == formula.better
        ends = [float(end.replace("−", "-").replace("∞", "inf")) for end in (low, high)]
        values = table[name]
        assert values.dropna().between(*ends).all()
        if undefined.strip() == "never":
            assert values.notna().all()
        for label, counts in COUNTS.iterrows():
            typed = _evaluate(text.strip(), counts)
            assert values[label] == pytest.approx(typed, rel=1e-12, nan_ok=True), (name, label)


def zero_over_zero_is_nan_and_a_number_over_zero_infinite() -> None:
    counts = pd.DataFrame({"tp": [0, 3], "fn": [0, 0], "fp": [2, 0], "tn": [5, 5]}, list("ab"))
    table = metrics.from_counts(counts, metrics=["TPR", "PPV", "LR+", "label_odds+"])
    assert np.isnan(table.loc["a", "TPR"])
    assert table.loc["b", ["LR+", "label_odds+"]].tolist() == [np.inf, np.inf]


def the_equivalences_hold_on_every_table() -> None:
    products = COUNTS["tp"] * COUNTS["tn"] - COUNTS["fn"] * COUNTS["fp"]
    counts = COUNTS[(COUNTS > 0).all(axis=1) & (products != 0)]
    table = metrics.from_counts(counts, metrics=list(METRICS))
    random = table["queue_rate"] * table["prevalence"]
    random += (1 - table["queue_rate"]) * (1 - table["prevalence"])
    better = table["DOR"] > 1
    for other in (
        table["TPR"] > table["FPR"],
        table["FNR"] < table["TNR"],
        table["PPV"] > table["prevalence"],
        table["NPV"] > 1 - table["prevalence"],
        table["TPR"] > table["queue_rate"],
        table["TNR"] > 1 - table["queue_rate"],
        table["accuracy"] > random,
    ):
        assert (better == other).all()
    assert better.nunique() == 2


def costs_are_linear_in_the_accuracy() -> None:
    table = metrics.from_counts(COUNTS, metrics=["accuracy"])
    unit, right, wrong = 3.0, 0.25, 0.9
    n = COUNTS.sum(axis=1)
    hits = COUNTS["tp"] + COUNTS["tn"]
    spent = right * unit * hits + wrong * unit * (n - hits)
    claimed = n * unit * (wrong - (wrong - right) * table["accuracy"])
    np.testing.assert_allclose(spent, claimed, rtol=1e-12)


def another_prevalence_reweights_the_four_cells() -> None:
    rates = metrics.from_counts(COUNTS.head(40), metrics=["TPR", "TNR"])
    new = metrics.at_prevalence(rates, 0.01, metrics=["PPV", "accuracy"])
    hits = 0.01 * rates["TPR"]
    alarms = 0.99 * (1 - rates["TNR"])
    np.testing.assert_allclose(new["PPV"], hits / (hits + alarms), rtol=1e-12)
    np.testing.assert_allclose(new["accuracy"], hits + 0.99 * rates["TNR"], rtol=1e-12)


def metrics_of_scores_are_those_of_the_page() -> None:
    table = metrics.from_scores(
        TRUTH,
        {"net": SCORES},
        metrics=["roc_auc", "pr_auc", "KS", "TPR@FPR=0.2", "precision@3", "brier", "log_loss"],
    ).loc["net"]
    benefit = metrics.from_scores(TRUTH, {"net": SCORES}, metrics=["net_benefit@0.3"]).iloc[0, 0]
    hits, alarms = (TRUTH[SCORES >= 0.3] == 1).sum(), (TRUTH[SCORES >= 0.3] == 0).sum()
    assert benefit == pytest.approx((hits - alarms * 0.3 / 0.7) / len(TRUTH), abs=1e-12)
    positives, negatives = SCORES[TRUTH == 1], SCORES[TRUTH == 0]
    above = (positives[:, None] > negatives).mean() + (positives[:, None] == negatives).mean() / 2
    assert table["roc_auc"] == pytest.approx(above, abs=1e-12)
    cuts = np.unique(SCORES)[::-1]
    tpr = np.array([0.0, *((positives >= cut).mean() for cut in cuts)])
    fpr = np.array([0.0, *((negatives >= cut).mean() for cut in cuts)])
    ppv = np.array([TRUTH[cut <= SCORES].mean() for cut in cuts])
    assert table["pr_auc"] == pytest.approx((np.diff(tpr) * ppv).sum(), abs=1e-12)
    assert table["KS"] == pytest.approx((tpr - fpr).max(), abs=1e-12)
    assert table["TPR@FPR=0.2"] == pytest.approx(tpr[fpr <= 0.2].max(), abs=1e-12)
    # Of the two equal scores at the cut one is positive: on average two and a half of three.
    assert table["precision@3"] == pytest.approx(2 / 3, abs=1e-12)
    assert table["brier"] == pytest.approx(((SCORES - TRUTH) ** 2).mean(), abs=1e-12)
    shares = np.where(TRUTH == 1, SCORES, 1 - SCORES)
    assert table["log_loss"] == pytest.approx(-np.log(shares).mean(), abs=1e-12)


def one_and_true_are_positive() -> None:
    for negative, positive in ((0, 1), (-1, 1), (False, True), ("0", "1"), ("False", "True")):
        truth = np.where(TRUTH == 1, positive, negative)
        assert curves.roc(truth, SCORES).auc == curves.roc(TRUTH, SCORES).auc


def large_scores_do_not_tie() -> None:
    scores = [2**53, 2**53 + 1]
    assert metrics.from_scores([0, 1], {"a": scores}, metrics=["roc_auc"]).iloc[0, 0] == 1


def segments_shrink_with_the_root_of_n() -> None:
    rng = np.random.default_rng(3)
    areas = []
    for n in (200, 2000):
        truth = np.arange(n) % 2
        areas.append(curves.balanced_segment(truth, rng.normal(truth * 1.5, 1)).sauc)
    assert areas[0] / areas[1] == pytest.approx(np.sqrt(10), rel=0.5)
    # Signs cancel in the mean difference, which is that of the magnitudes.
    segment = curves.balanced_segment(TRUTH, SCORES)
    assert abs(segment.aved_signed) <= segment.aved


def three_positives_leave_predicting_nothing_confident() -> None:
    for positives, is_confident in ((3, True), (4, False)):
        low, high = tango.interval(positives, 0, 60)
        assert (low <= 0 <= high) == is_confident


def mid_p_is_one_less_half_the_point() -> None:
    for count in (1, 2, 5):
        exact = stats.binom.pmf(count, 2 * count, 0.5)
        assert compare.mcnemar(count, count, n=40).p_value == pytest.approx(1 - exact / 2)
    assert compare.mcnemar(1, 1, n=9).p_value == pytest.approx(0.75)


def differences_are_compared_to_12_digits() -> None:
    assert NOISE_DIGITS == 12
    assert 0.9 - 0.8 != 0.8 - 0.7
    # Their ranks are equal, too: with 0.1 up, 0.1 down and 0.4 up.
    noisy = compare.wilcoxon([0.9, 0.7, 0.9], [0.8, 0.8, 0.5])
    exact = compare.wilcoxon([2.0, 1.0, 5.0], [1.0, 2.0, 1.0])
    assert noisy.p_value == exact.p_value


def two_sided_confidence_is_no_phi() -> None:
    assert round(2 * stats.norm.cdf(1.527) - 1, 3) == 0.873
    assert round(stats.norm.cdf(1.527), 3) == 0.937


def folds_are_corrected_by_their_ratio() -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.uniform(0.7, 0.9, (10, 2)), columns=["a", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tested = compare.compare(table, folds=10)
    expected = compare.corrected_t(table["a"], table["b"], ratio=1 / 9).p_value
    assert tested.pairs["p_value"].iloc[0] == pytest.approx(expected, rel=1e-12)


def limits_of_exact_tests_are_those_of_the_page() -> None:
    assert DRAWS == 20_000
    assert MAX_BERGMANN == 12


def signs_of_differences_are_those_of_the_page() -> None:
    """The first system is better in every row: of scores, and of errors."""
    rng = np.random.default_rng(3)
    scores = pd.DataFrame({"first": rng.uniform(0.8, 0.9, 12), "second": 0.0, "third": 0.0})
    scores["second"] = scores["first"] - rng.uniform(0.05, 0.1, 12)
    scores["third"] = scores["first"] - rng.uniform(0.2, 0.3, 12)
    for table, higher_is_better in ((scores, True), (1 - scores, False)):
        for test, name in (("ranks", "rank"), ("wilcoxon", "median"), ("permutation", "mean")):
            result = compare.compare(table, test=test, higher_is_better=higher_is_better)
            pairs = result.pairs.set_index(["first", "second"])
            is_below = name == "rank" or not higher_is_better
            assert (pairs.loc[("first", "second"), "difference"] < 0) == is_below
            assert result.difference_name == f"{name} difference"


CLAIMS: dict[str, Callable[[], None]] = {
    r"^\| code \| .* \| (\S+) to (\S+) \| (higher|lower|neither) \|": (
        every_formula_of_counts_is_the_one_of_the_page
    ),
    r"P\(score of a positive|over the thresholds|FPR <= f|the k highest|where p >= t": (
        metrics_of_scores_are_those_of_the_page
    ),
    r"\(p − y\)²|−log\(prob": metrics_of_scores_are_those_of_the_page,
    r"0/0 is NaN|nonzero number over 0": zero_over_zero_is_nan_and_a_number_over_zero_infinite,
    r"DOR > 1 ⇔": the_equivalences_hold_on_every_table,
    r"N·C·": costs_are_linear_in_the_accuracy,
    r"π TPR|where 1% of the instances": another_prevalence_reweights_the_four_cells,
    r"1 of \{0, 1\}": one_and_true_are_positive,
    r"beyond 2⁵³": large_scores_do_not_tie,
    r"falls as 1/√n|\.032, \.011|cancels to about 0": segments_shrink_with_the_root_of_n,
    r"three positives or fewer": three_positives_leave_predicting_nothing_confident,
    r"1 - P/2|0\.75 for one": mid_p_is_one_less_half_the_point,
    r"0\.9 - 0\.8|to 12 digits": differences_are_compared_to_12_digits,
    r"z = 1\.527": two_sided_confidence_is_no_phi,
    r"below 0": signs_of_differences_are_those_of_the_page,
    r"1/\(k - 1\)": folds_are_corrected_by_their_ratio,
    r"20,000 random orders|up to 12 systems": limits_of_exact_tests_are_those_of_the_page,
}
"""Sentences of the guides, and the function that computes what they claim."""
NO_ANSWERS = {
    r"(19|20)\d\d": "references and years",
    r"^\| (data sets|folds|runs|instances|two|many|the same|code;)|^code \| code|^\| code, code": (
        "which test is taken when; tests/compare holds it"
    ),
    r"'recall', 'sens|^code, and the column|imbalanced-learn needs|gives recall, prec": "names",
    r"A metric of|gets y_true as 1|For TPR and TNR|costs >= 0": "definitions",
    (
        r"coverage at nominal|\.9\d\d?\b.*\||\.\d\d\d \.\d\d\d|k = (10|40)|case[s]? |"
        r"\d00 (new )?runs|\.9[13] to|differences of precision"
    ): "simulations.metrics.coverage",
    r"TPR of 1 has the lower|perfect rate|collapses at 0|\.91 for an area": (
        "tests/inference and tests/metrics hold the limits"
    ),
    (
        r">>>|twenty rows|by convention|\"0\.41\"|near-nominal|60-digit|margin 0\.1|0 inside|"
        r"slope −N|95 % band|\| \d+, \d+ \||\(b − c\)/n"
    ): "tests/curves runs the page and its numbers",
    (
        r"Wilson's interval|16\.7 %|rejects more than 6 %|on 10,000 tables|reject some 55 %|"
        r"of three|Up to 13 data sets|Chao et al\.|4,000 instances|10\.228|10 or fewer|"
        r"more than 5 %|p = 1 \||fewer than 5"
    ): "tests/compare and docs/levels.md, whose simulations are run by hand",
}
"""Sentences with numbers that are no answers of a command, and why they are not typed here."""


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_every_sentence_with_a_number_is_checked_or_no_answer(page) -> None:
    assert unmatched_sentences(page, [*CLAIMS, *NO_ANSWERS]) == []


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize("claim", dict.fromkeys(CLAIMS.values()), ids=lambda c: c.__name__)
def test_a_claimed_number_is_what_deabench_computes(claim) -> None:
    claim()


def test_every_claim_is_still_made() -> None:
    assert unused_patterns(GUIDES, [*CLAIMS, *NO_ANSWERS]) == []
