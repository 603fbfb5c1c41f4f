"""Pages about single results: data sets, folds, answers; what they say is what the tests say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from source_kinds import make_sources, write_sources

import deabench as db
from deabench import compare
from deabench.errors import DataError
from deabench.report.single_results import _find_answers

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
EXAMPLES = Path(__file__).parents[2] / "examples"


def frame_of(page: db.Report, key: str) -> pd.DataFrame:
    return next(
        table.frame for section in page.sections for table in section.tables if table.key == key
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    return write_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="module")
def keel() -> db.Report:
    return db.report(EXAMPLES / "keel_gmean.csv")


def test_a_table_over_data_sets_is_compared_by_the_test_of_compare(keel) -> None:
    scores = pd.read_csv(EXAMPLES / "keel_gmean.csv", index_col=0)
    result = compare.compare(scores)
    frame = frame_of(keel, "comparison-table")
    leader = result.mean_ranks.idxmin()
    assert frame.index[0] == leader
    assert frame["mean rank"].to_dict() == pytest.approx(result.mean_ranks.to_dict())
    assert frame["mean gmean"].to_dict() == pytest.approx(scores.mean().to_dict())
    for name, row in frame.iloc[1:].iterrows():
        assert row["better on"] == (scores[name] > scores[leader]).sum()
        assert row["worse on"] == (scores[name] < scores[leader]).sum()
        pair = result.pairs[
            result.pairs[["first", "second"]].isin([name, leader]).all(axis=1)
        ].iloc[0]
        assert row["p (adjusted)"] == pair["adjusted"]
        assert row["verdict"] == ("worse" if pair["better"] == leader else "open")


def test_the_recommendation_over_data_sets_says_how_sure_what_changes_it_and_what_it_costs(
    keel,
) -> None:
    scores = pd.read_csv(EXAMPLES / "keel_gmean.csv", index_col=0)
    regret = (scores.max(axis=1) - scores["SMC"]).mean()
    assert list(keel.answer) == [
        "Take SMC: it has the best mean rank in gmean over 67 data sets, 2.18 of 5; at 95 % AdBC, "
        "SVM, C4.5 are shown to be worse, RUC is not.",
        "SMC has a mean gmean of 0.8156 and the next, RUC, 0.8306 (p = 0.65).",
        "What would change that: RUC is better on 28 of 67 data sets: where yours are like those, "
        "take RUC.",
        f"What it costs: against the best system of each data set SMC loses {regret:.3g} of gmean "
        "on average.",
    ]
    assert keel.opening is not None
    assert keel.opening.key == "comparison"


def test_a_frame_whose_index_names_data_sets_has_the_same_page(keel) -> None:
    scores = pd.read_csv(EXAMPLES / "keel_gmean.csv", index_col=0)
    page = db.report(scores.rename_axis("dataset"), outputs=["score"])
    assert [sentence.replace("gmean", "score") for sentence in keel.answer] == list(page.answer)


def test_low_scores_can_be_better() -> None:
    rng = np.random.default_rng(1)
    errors = pd.DataFrame(
        {"good": rng.uniform(0.1, 0.2, 12), "bad": rng.uniform(0.4, 0.6, 12)},
        index=pd.Index([f"set {k}" for k in range(12)], name="dataset"),
    )
    errors["mid"] = (errors["good"] + errors["bad"]) / 2
    long = errors.melt(ignore_index=False, var_name="model", value_name="error rate").reset_index()
    page = db.report(db.read(long))
    frame = frame_of(page, "comparison-table")
    assert list(frame.index) == ["good", "mid", "bad"]
    assert frame.loc["bad", "worse on"] == 12
    assert page.answer[0].startswith("Take good: it has the best mean rank in error rate over 12 ")


def test_folds_are_tested_by_the_corrected_t_test(files) -> None:
    page = db.report(files["folds"], outputs=["score"])
    scores = make_sources()["folds"].set_index("fold")
    result = compare.compare(scores, folds=10)
    frame = frame_of(page, "test-0")
    assert frame["adjusted"].tolist() == pytest.approx(result.pairs["adjusted"].tolist())
    assert page.answer[0] == (
        f"Take strong: it has the best score over 10 folds, {scores['strong'].mean():.4f}; at 95 % "
        "every other is shown to be worse."
    )


def test_predictions_keep_the_frontier_and_get_answers_and_tests(files) -> None:
    source = make_sources()["predictions"]
    page = db.report(files["predictions"])
    assert page.data is not None
    assert page.opening is None
    labels = source.pivot(index="instance", columns="model", values="y_pred")
    y_true = source.drop_duplicates("instance").set_index("instance")["y_true"]
    frame = frame_of(page, "answers-table")
    for name in labels:
        assert frame.loc[name, "tp"] == ((labels[name] == 1) & (y_true == 1)).sum()
        assert frame.loc[name, "fp"] == ((labels[name] == 1) & (y_true == 0)).sum()
        assert frame.loc[name, "accuracy"] == pytest.approx((labels[name] == y_true).mean())
        assert frame.loc[name, "accuracy from"] < frame.loc[name, "accuracy"]
    result = compare.on_one_test_set(y_true, labels[["strong", "middle", "weak"]])
    assert frame_of(page, "test-0")["adjusted"].tolist() == pytest.approx(
        result.pairs["adjusted"].tolist()
    )


def test_scores_have_curves_and_the_limits_of_delong() -> None:
    page = db.report(db.read(EXAMPLES / "scores.csv"))
    scores = pd.read_csv(EXAMPLES / "scores.csv")
    result = compare.on_one_test_set(scores.pop("y_true"), scores, test="delong")
    pair = result.pairs.set_index(["first", "second"]).loc[("logit", "forest")]
    frame = frame_of(page, "comparison-table")
    assert frame.loc["forest", "difference from"] == pytest.approx(pair["lower"])
    assert frame.loc["forest", "difference to"] == pytest.approx(pair["upper"])
    # A pair in which the leader is second has its limits turned.
    turned = compare.on_one_test_set(
        pd.read_csv(EXAMPLES / "scores.csv")["y_true"],
        scores[["forest", "logit"]],
        test="delong",
    ).pairs.iloc[0]
    swapped = db.report(
        db.read(pd.read_csv(EXAMPLES / "scores.csv")[["y_true", "forest", "logit"]])
    )
    row = frame_of(swapped, "comparison-table").loc["forest"]
    assert row["difference from"] == pytest.approx(-turned["upper"])
    assert row["difference to"] == pytest.approx(-turned["lower"])
    assert page.opening is not None
    assert page.opening.key == "roc"
    assert 'alt="ROC curves' in page.to_html()


def test_several_classes_have_a_table_each() -> None:
    rng = np.random.default_rng(4)
    y_true = np.tile(list("abc"), 20)
    frame = pd.DataFrame({"y_true": y_true})
    for name, share in (("one", 0.9), ("two", 0.6)):
        frame[name] = np.where(rng.random(60) < share, y_true, "a")
    page = db.report(db.read(frame))
    table = frame_of(page, "confusion-table").loc["one"]
    assert table.to_numpy().sum() == 60
    assert np.diag(table).sum() == (frame["one"] == frame["y_true"]).sum()


def test_gaps_and_too_many_systems_are_said() -> None:
    scores = pd.read_csv(EXAMPLES / "keel_gmean.csv")
    scores.loc[3, "SVM"] = np.nan
    page = db.report(db.read(scores), outputs=["score"])
    assert "Skillings-Mack" in " ".join(
        sentence for section in page.sections for sentence in section.sentences
    )
    rng = np.random.default_rng(0)
    many = pd.DataFrame(rng.random((5, 45)), columns=[f"s{k}" for k in range(45)])
    many.insert(0, "dataset", list("vwxyz"))
    text = db.report(db.read(many), outputs=["score"]).text("md")
    assert "pairs of 2 to 40 systems are tested, and there are 45" in text


def test_data_sets_are_ranked_one_by_one_on_request() -> None:
    table = db.read(make_sources()["long"])
    page = db.report(table, by_dataset=True)
    expected = db.by_dataset(table)
    shown = frame_of(page, "each-dataset-table")
    assert shown.to_numpy() == pytest.approx(expected.each.to_numpy())
    with pytest.raises(DataError, match="the table has no data sets"):
        db.report(make_sources()["metrics"].set_index("model"), by_dataset=True)


@pytest.mark.slow
def test_the_page_of_each_kind_is_written_in_every_format(files) -> None:
    for kind in ("long", "counts", "datasets"):
        outputs = ["score"] if kind == "datasets" else None
        page = db.report(files[kind], outputs=outputs)
        for form in ("html", "md", "tex"):
            assert "strong" in page.text(form)


def test_answers_on_other_test_sets_are_not_tested() -> None:
    """a answered instance 1 and b instance 2: no pair has an instance in common."""
    rows = pd.DataFrame(
        {"classifier": ["a", "b"], "instance": [1, 2], "y_true": [1, 1], "y_pred": [1, 0]}
    )
    single = _find_answers(rows, ["a", "b"], 1)
    assert single.tests == {}
    assert single.reasons == (
        "No test: 'b' has no y_pred for instance '1'; give all classifiers the same instances.",
    )
