"""The paper's tables in the docs, the sentences, and weightings over data sets."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

import deabench as db
from deabench.errors import DataError
from deabench.report.text.weightings import _join_clauses

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
PAGE = Path(__file__).parents[3] / "docs" / "weightings.md"
ROW = re.compile(r"^\| `(chao2022-[\w-]+)` \| (\d) \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
WINE = db.datasets.load("chao2022-wine1").drop(index="MLP")


def test_the_six_tables_of_the_page_are_recomputed() -> None:
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert len(rows) == 6
    for name, efficient, often, *ensembles in rows:
        table = db.datasets.load(name)
        ranks = db.weightings(table, outputs=list(table), draws=64).ranks
        assert int(db.rank(table, outputs=list(table)).efficient.sum()) == int(efficient)
        for cell in ensembles:
            label, best, worst, share = re.fullmatch(r"(\w+) (\d)-(\d), ([\d.]+) %", cell).groups()
            row = ranks.loc[label]
            assert (row["best"], row["worst"]) == (int(best), int(worst))
            assert 100 * row["first_share"] == pytest.approx(float(share), abs=0.0501)
        shares = {label: float(share) for label, share in re.findall(r"([\w.]+) ([\d.]+) %", often)}
        assert shares.keys() == set(ranks.index[ranks["first_share"] >= 0.0951])
        for label, share in shares.items():
            assert 100 * ranks.loc[label, "first_share"] == pytest.approx(share, abs=0.501)


def test_a_summary_says_when_each_is_first() -> None:
    result = db.weightings(WINE, outputs=["TPR", "TNR"])
    assert result.summary() == (
        "3 of 6 can be first, by how 'TPR', 'TNR' are weighted. 'RUS+SVM' is first when TPR counts "
        "49 % or less (49 % of the weightings). 'CS-MCQP' is first when TPR counts 49 to 94.1 % "
        "(45 % of the weightings). 'Bagging' is first when TPR counts 94.1 % or more (5.9 % of the "
        "weightings). 10 of 15 pairs come out the same at every weighting."
    )


def test_explanations_say_ranks_weights_pairs_and_scores() -> None:
    result = db.weightings(WINE, outputs=["TPR", "TNR"])
    text = result.explain("CS-MCQP")
    assert text.startswith(
        "'CS-MCQP' ranks 1 to 2 of 6 at every weighting of 'TPR', 'TNR'; its mean rank is 1.55. It "
        "is first when TPR counts 49 to 94.1 % (45 % of the weightings). It falls to rank 2 where "
    )
    assert text.endswith(
        "It is at least as good as 'RBF', 'OSS+SVM', 'AdaBoostM1' at every weighting. Its score is "
        "98.3 to 100.0 % of the best row's."
    )
    fixed = result.explain("RBF")
    assert fixed.startswith("'RBF' ranks 6 of 6 at every weighting")
    assert "never first" not in fixed
    assert "Each of 'OSS+SVM', " in fixed
    never = result.explain("AdaBoostM1")
    assert "It is never first; its best rank is 3, as where TPR counts " in never
    with pytest.raises(DataError, match="there is no row 'RBFF'; did you mean 'RBF'"):
        result.explain("RBFF")


def test_costs_are_told_as_distances_and_decades_are_noted() -> None:
    result = db.weightings("examples/leaderboard.csv")
    assert "It is behind the best row by 0.000 to 0.359 of the ranges." in result.explain(
        "convnext_small.in12k"
    )
    assert "is first under 58 % of the weightings, and only where top1 counts 17 to 73 %" in (
        result.summary()
    )
    assert any("scale={'param_count': 'log'" in note for note in result.notes)
    logarithmic = db.weightings(
        "examples/leaderboard.csv", scale={"latency_ms": "log", "param_count": "log"}
    )
    assert not any("scale=" in note for note in logarithmic.notes)
    # As measured when the default was chosen: .189 linear, more by logarithms.
    shares = [r.ranks.loc["tf_efficientnet_b0.aa", "first_share"] for r in (result, logarithmic)]
    assert shares[0] == pytest.approx(0.189, abs=5e-4)
    assert shares[1] > 2 * shares[0]
    db.certify(logarithmic)


def test_the_ratio_of_the_leaderboard_puts_the_cheapest_first_everywhere() -> None:
    result = db.weightings("examples/leaderboard.csv", model="ratio")
    assert result.ranks.loc["tf_efficientnet_b0.aa", ["best", "worst"]].tolist() == [1, 1]
    assert result.ranks.loc["eva02_large_448", ["best", "worst"]].tolist() == [9, 9]
    with pytest.raises(DataError, match="use model='value'"):
        result.region("tf_efficientnet_b0.aa")


def test_over_data_sets_every_data_set_and_weighting_counts_the_same() -> None:
    rows = []
    for dataset, rates in (
        ("iris", {"a": (0.9, 0.5), "b": (0.6, 0.8)}),
        ("wine", {"a": (0.9, 0.9), "b": (0.5, 0.8)}),
        ("gaps", {"a": (0.9, 0.9), "b": (0.5, None)}),
    ):
        rows += [(name, dataset, *pair) for name, pair in rates.items()]
    table = pd.DataFrame(rows, columns=["classifier", "dataset", "TPR", "TNR"])
    result = db.weightings_by_dataset(table)
    # On iris a is first where 1·w + .625 (1 − w) ≥ .667 w + 1 (1 − w): w ≥ .375 / .70833.
    by_hand = 1 - 0.375 / (0.375 + 1 / 3)
    assert result.first_shares.loc["iris", "a"] == pytest.approx(by_hand, abs=1e-12)
    assert result.frame.loc["a", "first_share"] == pytest.approx((by_hand + 2) / 3, abs=1e-12)
    assert result.frame.loc["a", ["can_be_first", "always_first", "datasets"]].tolist() == [3, 2, 3]
    assert result.frame.loc["b", ["can_be_first", "always_first", "datasets"]].tolist() == [1, 0, 2]
    assert result.summary().startswith(
        "3 data sets, 2 systems. 'a' is first under 82 % of the weightings, all data sets "
        "together; it can be first on 3 of 3, and is so at every weighting on 2."
    )
    with pytest.raises(DataError, match="the table has no data sets"):
        db.weightings_by_dataset(WINE)


@pytest.mark.parametrize(
    ("clauses", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), ("abc", "a, b and c")]
)
def test_clauses_are_joined_as_in_a_sentence(clauses, text) -> None:
    assert _join_clauses(clauses) == text


def test_a_system_that_alone_can_be_first_is_named_once() -> None:
    table = pd.DataFrame({"TPR": [0.9, 0.8, 0.7], "TNR": [0.9, 0.7, 0.8]}, list("abc"))
    text = db.weightings(table, outputs=["TPR", "TNR"]).summary()
    assert text.startswith("'a' is first, however 'TPR', 'TNR' are weighted.")
    assert text.count("'a'") == 1
