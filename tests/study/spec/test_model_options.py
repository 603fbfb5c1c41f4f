"""Study files may ask a model whatever `rank` may."""

from __future__ import annotations

import pytest

import deabench as db
from deabench.errors import DataError
from deabench.models.options import build_options
from deabench.study import Study
from deabench.study.spec.settings import build_model

TEXT = '[data]\nnames = ["glass-0-4_vs_5"]\n[classifiers]\nSMC = {{}}\n[dea]\n{dea}\n'
pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
CASES = [
    ('model = "ddf"\ndirection = {TPR = 1, TNR = 0.5}', {"direction": {"TPR": 1, "TNR": 0.5}}),
    ('model = "ddf"\ndirection = "ones"', {"direction": "ones"}),
    ('model = "additive"\nweights = "ram"', {"weights": "ram"}),
    ('model = "holder"\nnorm = "linf"', {"norm": "linf"}),
    ('model = "cross"\ngoal = "benevolent"', {"goal": "benevolent"}),
    ('model = "wei"\nshares = {TPR = [0.2, 0.8]}', {"shares": {"TPR": (0.2, 0.8)}}),
    (
        'model = "wei"\nratios = {"TPR/TNR" = [2, inf]}',
        {"ratios": {("TPR", "TNR"): (2, float("inf"))}},
    ),
    ('model = "ccr"\ninputs = ["FPR"]\noutputs = ["TPR"]\nsums = [0.8, 1.2]', {"sums": (0.8, 1.2)}),
]


@pytest.mark.parametrize(("dea", "options"), CASES)
def test_what_the_file_asks_the_model_is_asked(tmp_path, dea, options) -> None:
    file = tmp_path / "study.toml"
    file.write_text(TEXT.format(dea=dea))
    plan = Study.from_toml(file).plan
    assert build_model(plan.dea) == build_options(plan.dea["model"], options)


def test_it_reaches_the_scores_and_0_is_best_where_it_is(frames) -> None:
    from deabench.study.results import aggregate as s

    metrics, groups, settings = frames("additive", {"weights": "ram"})
    single = s.efficiencies_per_dataset(metrics, settings)
    table = metrics.droplevel("dataset")
    expected = db.rank(
        table, outputs=["TPR", "TNR"], model=db.models.Additive(weights="ram")
    ).scores
    assert single["efficiency"].tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    efficiencies = s.efficiencies_two_ways(s.group_means(metrics, groups), single, groups, settings)
    assert efficiencies["rank_average_then_dea"].tolist() == expected.rank(method="min").tolist()


@pytest.fixture
def frames():
    import pandas as pd

    from deabench.study.results import aggregate as s

    def made(model, options):
        index = pd.MultiIndex.from_product(
            [["one"], ["a", "b", "c"]], names=["dataset", "classifier"]
        )
        metrics = pd.DataFrame({"TPR": [0.9, 0.6, 0.5], "TNR": [0.5, 0.9, 0.4]}, index=index)
        groups = pd.DataFrame({"dataset": ["one"], "grouping": ["all"], "group": ["all data sets"]})
        return (
            metrics,
            groups,
            s.SummarySettings(
                ["TPR", "TNR"], {"all": ["a", "b", "c"]}, model=build_options(model, options)
            ),
        )

    return made


@pytest.mark.parametrize(
    ("dea", "message"),
    [
        ('model = "ddf"\ndirection = 3', "direction is 3"),
        ('model = "ddf"\ndirection = "up"', "no direction 'up'"),
        ('model = "additive"\nweights = {TPR = "two"}', "weights of 'TPR' is 'two'"),
        ('model = "ccr"\ninputs = ["FPR"]\nsums = [1]', "sums is"),
        ("shares = {TPR = 2}", "shares is {'TPR': 2}"),
        ("ratios = {TPR = [1, 2]}", "ratios is"),
        ('returns = "vrs"', "no returns 'vrs'"),
        ('model = "cross"\ngoal = "kind"', "no goal 'kind'"),
        ('goal = "benevolent"', "no option 'goal'"),
        ('model = "additive"\nweights = {TPX = 1.0}', "'TPX', which is no metric here"),
        ('direction = "ones"', "no option 'direction'"),
        ('model = "wie"', "did you mean 'wei'"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_runs(tmp_path, dea, message) -> None:
    file = tmp_path / "study.toml"
    file.write_text(TEXT.format(dea=dea))
    with pytest.raises(DataError) as refusal:
        Study.from_toml(file)
    assert str(refusal.value).startswith("'study.toml': [dea] ")
    assert message in str(refusal.value)
