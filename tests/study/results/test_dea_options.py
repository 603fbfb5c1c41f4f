"""Study files may ask a model whatever `rank` may."""

from __future__ import annotations

import pytest

import deabench as db
from deabench.models.options import build_options
from deabench.study import Study
from deabench.study.spec.settings import rank_options

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


@pytest.mark.parametrize(("dea", "asked"), CASES)
def test_what_the_file_asks_the_model_is_asked(tmp_path, dea, asked) -> None:
    file = tmp_path / "study.toml"
    file.write_text(TEXT.format(dea=dea))
    plan = Study.from_toml(file).plan
    assert rank_options(plan.dea) == build_options(plan.dea["model"], asked)


def test_it_reaches_the_scores_and_0_is_best_where_it_is(frames) -> None:
    from deabench.study.results import aggregate as s

    metrics, groups, settings = frames("additive", {"weights": "ram"})
    single = s.efficiencies_per_dataset(metrics, settings)
    table = metrics.droplevel("dataset")
    expected = db.rank(
        table, outputs=["TPR", "TNR"], model=db.models.Additive(weights="ram")
    ).scores
    assert single["efficiency"].tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    both = s.efficiencies_two_ways(s.group_means(metrics, groups), single, groups, settings)
    assert both["rank_average_then_dea"].tolist() == expected.rank(method="min").tolist()


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
<<<<<<< HEAD
            s.Settings(
                ["TPR", "TNR"], {"all": ["a", "b", "c"]}, model=build_options(model, options)
=======
            s.SummarySettings(
                ["TPR", "TNR"], {"all": ["a", "b", "c"]}, model=model, options=options
>>>>>>> e979629 (Describe studies in the field's words: data, learners, spec, running, results)
            ),
        )

    return made


@pytest.mark.parametrize(
    ("dea", "text"),
    [
        ("direction = 3", "[dea] direction is 3; give a word, or a table of numbers, as {TPR = 2}"),
        (
            'direction = "up"',
            "[dea] direction is 'up'; there are 'own', 'ones', 'mean', 'range', 'ideal'",
        ),
        (
            'weights = {TPR = "two"}',
            "[dea] weights is a table; give a table of numbers, as {TPR = 2}",
        ),
        ("sums = [1]", "[dea] sums is [1]; give the least and the most, as [0.8, 1.2]"),
        (
            "shares = {TPR = 2}",
            "[dea] shares is a table; give a table of the least and the most, as {TPR = [0.2, 0.5]}",
        ),
        (
            "ratios = {TPR = [1, 2]}",
            "[dea] ratios is a table; give a table of the least and the most by two metrics, as "
            '{"TPR/TNR" = [2, inf]}',
        ),
    ],
)
def test_what_it_refuses(tmp_path, dea, text, refused) -> None:
    file = tmp_path / "study.toml"
    file.write_text(TEXT.format(dea=dea))
    with refused(f"'study.toml': {text}"):
        Study.from_toml(file)
