"""Which options a model takes by default, by what the table holds, and what the notes say of it."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import deabench as db
from deabench.cli import main
from deabench.models import MODELS
from deabench.models.options import choices_of

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

LABELS = ["tiny", "small", "medium", "large"]
RATES = pd.DataFrame(
    {"top1": [76.9, 83.1, 85.6, 90.1], "latency_ms": [0.13, 0.22, 0.4, 9.8]}, index=LABELS
)
"""A rate up to 100, and a cost."""
COUNTS = RATES.rename(columns={"top1": "patients"})
"""The same numbers of a metric without a greatest value."""
WITH_CHOICE = [name for name, model in MODELS.items() if len(choices_of(model(), "returns")) > 1]
WITHOUT_CHOICE = [name for name in MODELS if name not in WITH_CHOICE]


def _rank(table: pd.DataFrame, **options) -> db.Ranking:
    return db.rank(table, outputs=[table.columns[0]], inputs=["latency_ms"], **options)


def test_which_models_have_a_choice() -> None:
    assert set(WITHOUT_CHOICE) == {"wei", "score", "fdh", "bam", "rdm", "cross", "common"}


@pytest.mark.parametrize("model", [name for name in WITH_CHOICE if name != "ccr"])
def test_a_rate_takes_variable_returns_wherever_a_model_has_a_choice(model) -> None:
    ranking = _rank(RATES, model=model)
    assert ranking.options.returns == "vrs"
    assert f"returns to scale are variable (model '{model}')" in ranking.notes
    told = _rank(RATES, model=model, returns="crs")
    assert told.options.returns == "crs"
    assert f"returns to scale are constant (model '{model}')" in told.notes
    # Without a greatest value a multiple may exist, and the model's own default holds.
    assert _rank(COUNTS, model=model).options.returns == MODELS[model]().returns


@pytest.mark.parametrize("model", ["ccr", *WITHOUT_CHOICE])
def test_ccr_by_name_and_models_without_a_choice_keep_theirs(model) -> None:
    returns = MODELS[model]().returns
    ranking = _rank(RATES, model=model)
    assert ranking.options.returns == returns
    word = {"crs": "constant", "vrs": "variable"}[returns]
    assert f"returns to scale are {word} (model '{model}')" in ranking.notes


def test_options_of_the_command_line_leave_the_returns_open(tmp_path, capsys) -> None:
    path = tmp_path / "board.csv"
    RATES.rename_axis("model").to_csv(path)
    words = ["rank", str(path), "--model", "sbm", "--option", "technology=convex"]
    assert main([*words, "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert "returns to scale are variable (model 'sbm')" in err
    assert {row["classifier"]: row["efficiency"] for row in json.loads(out)} == (
        _rank(RATES, model="sbm").scores.to_dict()
    )
    assert main([*words, "--returns", "crs"]) == 0
    assert "returns to scale are constant (model 'sbm')" in capsys.readouterr().err


def test_the_default_model_and_bounds_name_their_returns() -> None:
    assert _rank(RATES, returns="nirs").notes[0] == (
        "model 'ccr' was chosen, for 'latency_ms' is an input; returns to scale are non-increasing"
    )
    bounded = _rank(COUNTS, model=db.models.CCR(sums=(0.5, 2)))
    assert "returns to scale are bounds of Σ λ (model 'ccr')" in bounded.notes


def test_a_projection_that_cannot_exist_is_not_reported() -> None:
    ranking = _rank(RATES, model="ccr")
    reason = "its projection would have 'top1' at 5797, beyond the greatest possible value 100"
    assert ranking.projection_reasons["large"] == reason
    assert set(ranking.projection_reasons) == {"small", "medium", "large"}
    assert ranking.projections.loc["large"].isna().all()
    assert ranking.projections.loc["tiny", "top1"] == pytest.approx(76.9)
    explanation = ranking.explain("large")
    assert f"{reason}, so no such system can exist." in explanation
    assert "could grow" not in explanation
    assert "There it would have" not in explanation
    assert "could grow" not in ranking.summary()
    assert ranking.notes[-1] == (
        "3 of 4 projections are not reported, for no such system can exist ('small': its "
        "projection would have 'top1' at 130.1, beyond the greatest possible value 100); "
        "returns='vrs' keeps to what can exist"
    )
    db.certify(ranking)
    # With variable returns, and of a metric without a greatest value, all are possible.
    assert not _rank(RATES, model="ccr", returns="vrs").projection_reasons
    assert not _rank(COUNTS, model="ccr").projection_reasons
    assert "could grow" in _rank(COUNTS, model="ccr").explain("large")


def test_advice_says_no_impossible_sentence() -> None:
    advice = db.advise(RATES, outputs=["top1"], inputs=["latency_ms"])
    says = advice.compare_models("large").loc["ccr", "says"]
    assert says.endswith("so no such system can exist")


def test_scores_are_rounded_to_what_is_proved() -> None:
    table = pd.DataFrame(
        {"TPR": [0.1 + 0.2, 0.3, 0.7, 0.9, 0.8], "TNR": [0.9, 0.9, 0.7, 0.3, 0.4]},
        index=list("abcde"),
    )
    costs = table.assign(seconds=[3.0, 3.0, 2.0, 7.0, 5.0])
    for name, model in MODELS.items():
        inputs = ["seconds"] if model.inputs == "needed" else None
        frame = table if inputs is None else costs
        ranking = db.rank(frame, outputs=["TPR", "TNR"], inputs=inputs, model=name)
        if name in ("super", "super-sbm", "cross", "common"):
            continue
        best = 1.0 if ranking.measure == "efficiency" else 0.0
        result = ranking.to_frame()
        efficient = result.index[result["efficient"]]
        assert len(efficient)
        assert (result.loc[efficient, ranking.measure] == best).all()
        assert "-0.0" not in str(ranking.to_csv())
        assert (ranking.scores <= 1).all() or ranking.measure == "inefficiency"
        if ranking.options.has_certificate:
            db.certify(ranking)


def test_editors_find_the_models_and_their_names() -> None:
    names = dir(db.models)
    assert {"WEI", "CCR", "Common", "MODELS"} <= set(names)
    assert all(hasattr(db.models, name) for name in names)
