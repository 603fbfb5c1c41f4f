"""A study's own samples: what it proves of its classifiers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import deabench as db
from deabench.study.results.aggregate import SummarySettings
from deabench.study.results.metrics import StudyMetrics
from deabench.study.results.significance import (
    VERDICT_COLUMNS,
    _interval_options,
    judge_panels,
    samples_of_folds,
)
from deabench.study.results.store import Store
from deabench.study.running.tasks import run_task

KEEL = db.datasets.load("keel67").reset_index()
BOTH = ["TPR", "TNR"]


def keel(names):
    rows = KEEL[KEEL["classifier"].isin(names)]
    return rows.assign(repeat=0, fold=0), StudyMetrics().compute(rows, BOTH, dict)


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    """Ten small data sets, ten folds of the first; two that learn and one that does not."""
    sets = {}
    for k in range(10):
        X, y = make_classification(60, 4, weights=[0.7], random_state=k)
        sets[f"set{k}"] = pd.DataFrame(X, columns=list("pqrs")).assign(
            Class=np.where(y == 1, "yes", "no")
        )
    study = db.Study(
        sets,
        {
            "bayes": GaussianNB(),
            "narrow": GaussianNB(var_smoothing=0.1),
            "coin": DummyClassifier(strategy="uniform", random_state=0),
        },
        seed=0,
        split=2,
        store=tmp_path_factory.mktemp("sure") / "study.sqlite",
        dea={"outputs": BOTH},
    )
    with Store(study.plan.store) as store:
        for job in study.plan.tasks():
            store.write_outcome(job, run_task(job))
    return study.summary()


def test_a_summary_has_verdicts_over_its_data_sets(summary):
    assert list(summary.verdicts.columns) == VERDICT_COLUMNS
    direct = db.uncertainty(summary.samples())
    verdicts = summary.verdicts.loc["all"]
    assert verdicts["verdict"].to_dict() == direct.verdicts.to_dict()
    assert verdicts["lower"].to_dict() == pytest.approx(direct.lower.to_dict())
    assert verdicts.loc["coin", "verdict"] == "dominated"
    assert "1 of 3 are shown to be dominated, and 2 could be first" in summary.summary()
    assert "verdicts" in summary.frames()
    assert any("every metric is its mean over the data sets" in note for note in summary.notes)


def test_data_sets_and_folds_are_samples(summary, refused, warned):
    assert summary.samples().sizes == {"data sets": 10}
    np.testing.assert_allclose(
        summary.samples().values, summary.metrics.groupby("classifier", sort=False)[BOTH].mean()
    )
    with warned("2 folds are few: their spread is hardly known, and the intervals are wide for it"):
        folds = summary.samples("set3", classifiers=["bayes", "coin"])
    assert folds.sizes == {"folds": 2}
    assert list(folds.values.index) == ["bayes", "coin"]
    with refused("there is no data set 'set33' in the study; did you mean 'set3'?"):
        summary.samples("set33")
    with refused("there is no classifier 'baye' in the study; did you mean 'bayes'?"):
        summary.samples(classifiers=["baye"])
    with refused("there is no metric 'TRP' in the summary; did you mean 'TPR'?"):
        summary.samples(metrics=["TRP"])


def test_panels_are_judged_apart():
    counts, metrics = keel(KEEL["classifier"].unique()[:6])
    names = list(counts["classifier"].unique())
    panels = {"first": names[:3], "second": names[3:]}
    verdicts, notes = judge_panels(metrics, counts, SummarySettings(BOTH, panels))
    for panel, members in panels.items():
        separate = db.uncertainty(
            db.Samples.from_datasets(counts[counts["classifier"].isin(members)], metrics=BOTH)
        )
        assert verdicts.loc[panel]["verdict"].to_dict() == separate.verdicts.to_dict()
    assert all(note.startswith("verdicts: ") for note in notes)


def test_a_metric_that_is_better_low_is_complemented():
    counts, metrics = keel(KEEL["classifier"].unique()[:4])
    complemented = metrics.assign(miss=1 - metrics["TPR"])
    panels = {"all": list(counts["classifier"].unique())}
    original, _ = judge_panels(metrics, counts, SummarySettings(BOTH, panels))
    verdicts, _ = judge_panels(
        complemented, counts, SummarySettings(["miss", "TNR"], panels, complemented={"miss": 1.0})
    )
    pd.testing.assert_frame_equal(verdicts.sort_index(), original.sort_index())


def test_a_model_without_intervals_and_too_little_are_said():
    counts, metrics = keel(KEEL["classifier"].unique()[:4])
    panels = {
        "one": list(counts["classifier"].unique()[:1]),
        "all": list(counts["classifier"].unique()),
    }
    verdicts, notes = judge_panels(metrics, counts, SummarySettings(BOTH, panels, model="sbm"))
    assert verdicts is None
    assert (
        notes[-1]
        == "no verdicts: model 'sbm' has no intervals; model 'wei' without inputs and 'ccr' "
        "have them"
    )
    verdicts, notes = judge_panels(metrics, counts, SummarySettings(BOTH, panels))
    assert "one" not in verdicts.index.get_level_values("panel")
    assert notes[0].startswith("no verdicts of panel 'one': there is one system, ")


def test_intervals_of_the_envelopment_model_take_its_returns_and_orientation():
    panels = {"all": ["a", "b"]}
    ccr = SummarySettings(["TPR"], panels, inputs=["FPR"], model=db.models.CCR(returns="nirs"))
    assert _interval_options(ccr) == {"returns": "nirs", "orientation": "output"}
    assert _interval_options(SummarySettings(BOTH, panels)) == {}


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_repeats_count_for_the_variance():
    """Two repeats of the same three folds are six values, and their rows those of one repeat."""
    rows = [
        ("d", name, repeat, fold, 8 + fold - k, 2 - fold + k, 1, 9)
        for k, name in enumerate(("a", "b"))
        for repeat in (0, 1)
        for fold in (0, 1, 2)
    ]
    columns = ["dataset", "classifier", "repeat", "fold", "tp", "fn", "fp", "tn"]
    counts = pd.DataFrame(rows, columns=columns)
    both = samples_of_folds(counts, "d", BOTH, ratio=0.5)
    once = samples_of_folds(counts[counts["repeat"] == 0], "d", BOTH, ratio=0.5)
    assert both.values.equals(once.values)
    assert (both.moments.degrees == 5).all()
    assert (once.moments.degrees == 2).all()
    # Each instance is tested once in a repeat: a flip moves the same rate as in one alone.
    np.testing.assert_allclose(both.moments.sources[0].flips, once.moments.sources[0].flips)
