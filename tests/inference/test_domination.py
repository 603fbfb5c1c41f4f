"""Verdicts by learned mixes, by limits and by exact tests, and which is taken when."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import deabench as db

NAMES = list("abcd")
FEW = "there are fewer than 20 units"


def outcomes(recalls, n=300, seed=0):
    rng = np.random.default_rng(seed)
    return {
        f"m{r}": pd.DataFrame((rng.random((n, len(column))) < column) * 1.0, columns=NAMES)
        for r, column in enumerate(np.array(recalls).T)
    }


FRAMES = outcomes([[0.95, 0.9], [0.93, 0.92], [0.75, 0.7], [0.9, 0.95]])


def test_exact_verdicts_are_mcnemars():
    answer = db.uncertainty(db.Samples.from_outcomes(FRAMES), verdicts="exact")
    p_values = []
    for rival in "abd":
        by_metric = []
        for frame in FRAMES.values():
            wins = int(((frame[rival] == 1) & (frame["c"] == 0)).sum())
            losses = int(((frame[rival] == 0) & (frame["c"] == 1)).sum())
            test = stats.binomtest(wins, wins + losses, alternative="greater")
            by_metric.append(test.pvalue)
        p_values.append(max(by_metric))
    assert answer.evidence.loc["c", "p_value"] == pytest.approx(min(p_values), rel=1e-9)
    assert answer.evidence.loc["c", "rival"] == "abd"[int(np.argmin(p_values))]
    assert answer.verdicts["c"] == "dominated"
    assert min(p_values) <= 0.05 / 12
    assert "Shown at 95 %, with no approximation: '" in answer.explain("c")


def test_learned_verdicts_have_their_evidence():
    answer = db.uncertainty(db.Samples.from_outcomes(FRAMES))
    assert answer.verdict_method == "learned"
    assert answer.verdicts[answer.verdicts == "dominated"].index.tolist() == ["c"]
    t = answer.evidence["statistic"]
    np.testing.assert_allclose(answer.evidence["p_value"], stats.t.sf(t, 599), rtol=1e-9)
    gap = answer.secure_gap["c"]
    assert 0 < gap < 0.95 / 0.7 - 1
    assert answer.mixes.loc["c", "c"] == 0
    assert answer.mixes.loc["c"].sum() == pytest.approx(1)
    explained = answer.explain("c")
    assert "Dominated. Shown at 95 %: some mix of the others beats it by at least" in explained
    assert "on new instances like these" in explained


def test_the_factor_of_an_undecided_one_is_what_the_statistic_lacks():
    answer = db.uncertainty(db.Samples.from_outcomes(FRAMES))
    below = answer.scores[(answer.scores < 1) & (answer.verdicts == "undecided")].index
    statistic = answer.evidence["statistic"][below].clip(lower=0)
    critical = stats.t.ppf(1 - 0.05 / 4, 599)
    with np.errstate(divide="ignore"):
        expected = (critical / statistic) ** 2
    np.testing.assert_allclose(answer.instances[below], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: db.Samples.from_outcomes(outcomes([[0.9], [0.8], [0.7], [0.6]], n=15)), FEW),
        (
            lambda: db.Samples.from_table(
                pd.DataFrame({"F1": [0.5, 0.6]}, index=["a", "b"]), {"F1": 0.1}
            ),
            "the units that were drawn are not known",
        ),
        (
            lambda: db.Samples.from_outcomes(FRAMES).with_costs({"ms": dict.fromkeys(NAMES, 1.0)}),
            "the units that were drawn are not known",
        ),
    ],
)
def test_limits_decide_where_no_mix_can_be_learned(make, reason):
    answer = db.uncertainty(make())
    assert answer.verdict_method == "analytic"
    assert f"Verdicts: by the upper limits of the scores, because {reason}." in answer.summary()


def test_exact_verdicts_need_right_answers(refused):
    y = np.repeat([1, 0], [40, 60])
    labels = {name: np.roll(y, i) for i, name in enumerate("ab")}
    samples = db.Samples.from_predictions(y, labels, positive=1, metrics=["F1"])
    with refused(
        "verdicts='exact' compares right answers, and a metric here is no share of them; take TPR, "
        "TNR, recalls or accuracy, or verdicts='learned'"
    ):
        db.uncertainty(samples, verdicts="exact")


def test_another_order_of_classifiers_changes_nothing():
    samples = db.Samples.from_outcomes(FRAMES)
    turned = db.Samples.from_outcomes({m: frame[NAMES[::-1]] for m, frame in FRAMES.items()})
    first = db.uncertainty(samples)
    second = db.uncertainty(turned)
    pd.testing.assert_frame_equal(first.evidence, second.evidence.loc[NAMES])
    assert first.verdicts.to_dict() == second.verdicts.to_dict()
