"""Levels and shares are said in per cent, whatever the result."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from deabench.inference import max_t
from deabench.report.text import compare, uncertainty


def of(**parts: Any) -> Any:
    """Return a result that has these parts alone."""
    return SimpleNamespace(**parts)


def test_ranks_under_weights_and_on_new_data_sets() -> None:
    table = pd.DataFrame({"best": [1, 2, 1], "worst": [2, 3, 3]}, index=list("abc"))
    result = of(table=table, weights={"TPR": 0.25, "TNR": 0.75}, level=0.9)
    assert uncertainty.summarize_rank_sets(result) == (
        "Under the weights TPR 0.25, TNR 0.75: a, c could be first of 3, all ranks together at 90 "
        "%."
    )
    ranks = pd.DataFrame(
        {"median": [2.5, 1.0], "best": [1.0, 1.0], "worst": [2.0, 1.5]}, index=list("ab")
    )
    new = of(table=ranks, datasets=12, level=0.95, simultaneous=False)
    assert uncertainty.summarize_conformal_ranks(new) == (
        "'b' has the best median rank, 1 of 2 over 12 data sets; on a new data set it would rank "
        "from 1 to 1.5 (95 %, each system by itself)."
    )
    new.simultaneous = True
    assert uncertainty.summarize_conformal_ranks(new).endswith("(95 %, all systems together).")


def test_firms_that_were_not_drawn() -> None:
    table = pd.DataFrame(
        [[1.0, 0.8, 0.7, 0.9], [0.9, 0.85, 0.6, 0.88]],
        index=["a", "b"],
        columns=["score", "corrected", "lower", "upper"],
    )
    assert uncertainty.summarize_firms_bootstrap(of(table=table, level=0.9)) == (
        "Corrected for the firms that were not drawn, 'b' leads with 0.850 (uncorrected 0.900), "
        "between 0.600 and 0.880 at 90 %; the mean correction is 0.125."
    )


@pytest.mark.parametrize(
    ("simultaneous", "scope"), [(True, "all scores at once"), (False, "this score alone")]
)
def test_one_score_with_its_limits(simultaneous: bool, scope: str) -> None:
    index = ["a"]
    result = of(
        scores=pd.Series([0.9], index),
        lower=pd.Series([0.8119], index),
        upper=pd.Series([0.9801], index),
        ranks=pd.DataFrame({"best": [2], "worst": [2]}, index),
        verdicts=pd.Series(["efficient"], index),
        problem=of(technology=of(inputs=0, returns="vrs", orientation="output")),
        level=0.9,
        simultaneous=simultaneous,
    )
    start = f"'a' scores 0.900, between 0.811 and 0.981 at 90 % ({scope}); "
    assert uncertainty.explain_uncertainty(result, "a").startswith(f"{start}rank 2. Efficient: ")
    result.ranks.loc["a", "best"] = 1
    assert uncertainty.explain_uncertainty(result, "a").startswith(f"{start}a rank from 1 to 2. ")
    result.scores["a"] = np.nan
    assert uncertainty.explain_uncertainty(result, "a").startswith("'a' has no score. Efficient: ")


def test_verdicts_at_any_time_name_their_level(monkeypatch: pytest.MonkeyPatch) -> None:
    result = of(
        problem=of(size=(4, 2)),
        method="anytime",
        simultaneous=True,
        level=0.9,
        samples=of(pairing="paired"),
    )
    monkeypatch.setattr(uncertainty, "_describe_sizes", lambda samples: "30 instances")
    assert uncertainty._method_lines(result) == [
        "Verdicts and intervals at 90 % for all systems at once; k = 4, s = 2; 30 instances; "
        "paired.",
        "Exact, by bets: you may look as often as you like.",
    ]


def test_limits_are_rounded_outwards_and_gaps_down() -> None:
    assert uncertainty.round_down(0.3) == "0.300"
    assert uncertainty.round_down(0.29999) == "0.299"
    assert uncertainty.round_up(0.3) == "0.300"
    assert uncertainty.round_up(0.30001) == "0.301"
    assert uncertainty.format_percent(0.0129) == "1.2 %"
    assert uncertainty.format_percent(0.001) == "0.1 %"
    assert uncertainty.format_percent(0.00099) == "0.099 %"


def test_the_small_sample_rule_is_named_where_it_makes_up_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = of(inputs=2, technology=of(name="those of variable returns"))
    monkeypatch.setattr(max_t, "ridge_share", lambda *_: max_t.RIDGE_NOTE)
    few: Any = None
    start = ("critical values: draws", "with inputs the scores are those of variable returns")
    assert max_t.describe_assumptions(problem, few, "draws") == start
    monkeypatch.setattr(max_t, "ridge_share", lambda *_: 0.42)
    problem.inputs = 0
    assert max_t.describe_assumptions(problem, few, "draws") == (
        start[0],
        "few errors: the intervals rest on the small-sample rule, which makes up 42 % of the "
        "variances",
    )


def test_an_analysis_of_variance_says_what_lies_between() -> None:
    table = pd.DataFrame(
        {"df": [2, 27], "F": [4.5, np.nan], "p_value": [0.0205, np.nan]},
        index=["between", "within"],
    )
    result = of(
        table=table,
        means=pd.Series([0.7, 0.9, 0.8], index=["m", "n", "o"]),
        alpha=0.05,
        eta_squared=0.25,
        notes=("one note",),
    )
    assert compare.summarize_anova(result) == (
        "the means of 3 groups differ at 0.05: F(2, 27) = 4.5, p = 0.0205; from 0.7 ('m') to 0.9 "
        "('n'), 25 % of the variance lies between them\none note"
    )
    result.alpha = 0.0205
    assert "are not found to differ at 0.0205" in compare.summarize_anova(result)
