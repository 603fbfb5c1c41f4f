"""Advice on new data: evidence by hand, promises, the shipped study, Table 22, refusals."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from study_runs import run_here

import deabench as db
from benchmarks.recommendations import chance_of_names, leave_files_out
from deabench.cli import main
from deabench.datasets.keel import keel67_facts, table2
from deabench.errors import DataError
from deabench.study import evidence as e
from deabench.study.data.columns import DataSpec
from deabench.study.data.loaders import load_dataset
from deabench.study.recommend import (
    _uniform_from_values,
    reproduce_table22,
)

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def make_facts(names: list[str]) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    facts = pd.DataFrame(
        {
            "imbalance_ratio": rng.uniform(2, 20, len(names)),
            "rows": rng.integers(100, 900, len(names)),
            "features": rng.integers(3, 20, len(names)),
        },
        names,
    )
    kinds = rng.dirichlet(np.ones(4), len(names))
    return facts.assign(**dict(zip(e.ROW_KINDS, kinds.T, strict=True)), type="OD")


def make_evidence(rates: np.ndarray, floor: float = 0.0) -> e.Evidence:
    """Rates (data sets, classifiers, 2) of 100 positives and 100 negatives in four folds."""
    rows = []
    for d, of_set in enumerate(rates):
        for k, (tpr, tnr) in enumerate(of_set):
            for fold in range(4):
                cells = {"tp": 25 * tpr, "fn": 25 * (1 - tpr), "fp": 25 * (1 - tnr)}
                rows.append(
                    {"dataset": f"d{d}", "classifier": "abcdefgh"[k], "fold": fold, **cells}
                    | {"tn": 25 * tnr}
                )
    names = [f"d{d}" for d in range(len(rates))]
    counts = pd.DataFrame(rows)
    return e.build_evidence(
        "mine", counts, make_facts(names), {name: name for name in names}, floor
    )


def test_who_is_efficient_and_how_much():
    """(.9, .5) and (.5, .9) span the frontier; (.7, .7) lies on it, (.6, .6) within."""
    rates = np.array([[[0.9, 0.5], [0.5, 0.9], [0.6, 0.6], [0.9, 0.4], [0.5, 0.9]]])
    evidence = make_evidence(rates)
    assert evidence.efficient.tolist() == [[True, True, False, False, True]]
    assert evidence.worlds.shape == (1, e.WORLDS, 5)
    # On the edge x + y = 1.4; (.9, .4) is only weakly efficient.
    assert evidence.scores[0].tolist() == pytest.approx([1, 1, 1.2 / 1.4, 1, 1])
    table = pd.DataFrame(rates[0], list("abcde"), ["TPR", "TNR"])
    assert evidence.scores[0].tolist() == pytest.approx(db.rank(table).scores.tolist())
    only_good = make_evidence(np.array([[[0.0, 1.0], [0.6, 0.9]]]), floor=0.5)
    assert only_good.efficient.tolist() == [[False, True]]


def test_a_data_set_without_every_classifier_or_other_files_teaches_nothing(refused):
    """With one file nothing is left when it is left out: all names and one more are needed."""
    rates = np.array([[[0.9, 0.5], [0.5, 0.9]], [[0.8, 0.8], [0.9, 0.9]]])
    evidence = make_evidence(rates[:1])
    assert e.needed_ranks(evidence, 1.0).tolist() == [3]
    rows = pd.DataFrame(
        [(d, c, 0, 9, 1, 2, 8) for d, c in (("d0", "a"), ("d0", "b"), ("d1", "a"))],
        columns=["dataset", "classifier", "fold", "tp", "fn", "fp", "tn"],
    )
    files = {"d0": "d0", "d1": "d1"}
    partial = e.build_evidence("mine", rows, make_facts(list(files)), files)
    assert partial.facts.index.tolist() == ["d0"]
    with refused("'mine' has no data set with a result of every classifier; run it first"):
        e.build_evidence("mine", rows.iloc[1:], make_facts(list(files)), files)


def test_scores_and_efficiency_agree_with_rank_on_the_shipped_study():
    evidence = e.read_evidence(None, None, 0.0)
    assert len(set(evidence.files)) == 16
    for k in range(0, 67, 20):
        table = pd.DataFrame(evidence.rates[k], list(evidence.classifiers), ["TPR", "TNR"])
        ranking = db.rank(table)
        assert evidence.scores[k] == pytest.approx(ranking.scores.to_numpy(), abs=1e-9)
        # efficient and no mixture of others: without it the frontier falls back
        distinct = table.drop_duplicates()
        extreme = distinct[db.rank(distinct, model="super").scores > 1 + 1e-9]
        is_extreme = (table.to_numpy()[:, None] == extreme.to_numpy()).all(axis=2).any(axis=1)
        assert evidence.efficient[k].tolist() == is_extreme.tolist()
        assert ranking.efficient[is_extreme].all()


def test_shipped_facts_are_those_of_the_files():
    facts = keel67_facts()
    assert facts.index.tolist() == [name for name in table2().index if name != "echo"]
    for name in ("glass-0-4_vs_5", "shuttle-c2-vs-c4"):
        computed = e.describe_data(load_dataset(DataSpec(name, "table2"))).drop(columns="type")
        expected = facts.loc[name, computed.columns].to_numpy(dtype=float)
        assert computed.iloc[0].to_numpy(dtype=float) == pytest.approx(expected, abs=1e-6)


def test_names_are_ordered_by_what_they_add():
    """Classifier 0 is efficient on .6 of the weight, 1 on the same .6, 2 on the other .4."""
    worlds = np.zeros((2, 3, 3), dtype=bool)
    worlds[0, :, :2] = True
    worlds[1, :, 2] = True
    order, gains = e.order_names(worlds, np.array([0.6, 0.4]))
    assert order.tolist() == [0, 2, 1]
    assert gains.tolist() == pytest.approx([0.6, 0.4, 0.0])


def test_how_many_names_are_needed_by_hand():
    """Of 19 files 18 need the first name and one needs the third: 1, or 3 at a level of .95."""
    rates = np.tile(np.array([[0.9, 0.9], [0.5, 0.8], [0.4, 0.7]]), (19, 1, 1))
    rates[7] = [[0.5, 0.8], [0.4, 0.7], [0.9, 0.9]]
    evidence = make_evidence(rates)
    for bandwidth in e.BANDWIDTHS:
        assert sorted(e.needed_ranks(evidence, bandwidth))[-2:] == [1, 3]
    # Each of 19 files weighs 1/20.
    assert e.count_needed(evidence, 0.9) == 1
    assert e.count_needed(evidence, 0.95) == 3
    assert e.count_needed(evidence, 0.96) == 4
    # Smoothed: at rank 3 the tie and the new file weigh 2/20, of which the part must exceed .05;
    # at rank 2 there is 1/20 above and 1/20 of the new file.
    assert e.count_needed(evidence, 0.95, 0.51) == 3
    assert e.count_needed(evidence, 0.95, 0.49) == 2
    assert e.count_needed(evidence, 0.9, 0.99) == 1
    assert e.count_needed(evidence, 0.99, 0.0) == 2
    # The lower limit of an efficiency at .9: one file of 20 is at 0, one more may be lower.
    limits = e.lower_limits(evidence, 0.9)
    assert limits[0] == 1
    assert e.lower_limits(evidence, 0.95)[0] == pytest.approx(evidence.scores[7, 0])
    assert e.lower_limits(evidence, 0.99).tolist() == [0, 0, 0]


@pytest.mark.parametrize("like_neighbours", [True, False])
def test_the_bandwidth_is_narrow_where_similar_data_have_the_same_winners(like_neighbours):
    """Two groups of data sets far apart: each its own winner, or the winners at random."""
    group = np.repeat([0, 1], 30)
    facts = make_facts([f"d{k}" for k in range(60)])
    for name in e.CHARACTERISTICS[:3]:
        facts[name] = 1.0 + 9 * group
    facts[list(e.ROW_KINDS)] = 0.25
    winner = group if like_neighbours else np.arange(60) % 2
    efficient = np.eye(3, dtype=bool)[winner]
    evidence = e.Evidence(
        "groups",
        facts,
        tuple("abc"),
        efficient,
        efficient[:, None],
        efficient.astype(float),
        np.zeros((60, 3, 2)),
        np.arange(60),
    )
    if not like_neighbours:
        # 'a' wins on 31 of the 60 data sets of both groups
        evidence.efficient[1] = evidence.efficient[0]
        evidence.worlds[1] = evidence.worlds[0]
    chosen = e.choose_bandwidth(evidence)
    assert (chosen < 2) == like_neighbours
    ranks = {bandwidth: e.needed_ranks(evidence, bandwidth).mean() for bandwidth in e.BANDWIDTHS}
    assert ranks[chosen] == min(ranks.values())


@pytest.mark.slow
def test_the_promise_holds_on_new_files_at_random():
    """400 studies of 12 files of one to three data sets each, and a new file: at least .9."""
    rng = np.random.default_rng(6)
    held = []
    for _ in range(400):
        # Each file has a favourite that its data sets share; favourites are unequal.
        sizes = rng.integers(1, 4, 13)
        favourites = rng.choice(6, 13, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05])
        efficient = np.zeros((sizes.sum(), 6), dtype=bool)
        of_file = np.repeat(np.arange(13), sizes)
        for k, file in enumerate(of_file):
            own = favourites[file] if rng.random() < 0.8 else rng.integers(6)
            efficient[k, own] = True
        facts = make_facts([f"d{k}" for k in range(len(of_file))])
        known = of_file < 12
        evidence = e.Evidence(
            "random",
            facts[known],
            tuple("abcdef"),
            efficient[known],
            efficient[known][:, None],
            efficient[known].astype(float),
            np.zeros((known.sum(), 6, 2)),
            of_file[known],
        )
        new = np.flatnonzero(~known)[0]
        values = e.scale_characteristics(facts.iloc[[new]])[0]
        order, _ = e.order_names(evidence.worlds, e.similarity(evidence, values))
        held.append(efficient[new][order[: e.count_needed(evidence, 0.9)]].any())
    assert np.mean(held) > 0.9 - 2 * np.sqrt(0.09 / 400)


@pytest.mark.parametrize("shared", [0.0, 0.6])
def test_a_drawn_number_of_names_keeps_the_promise(shared, monkeypatch):
    """2,000 studies of 12 files: ranks 1 to 6, shared by a file's data sets or not."""
    rng = np.random.default_rng(8)
    held = {"drawn": [], "certain": []}
    for _ in range(2000):
        of_file = np.repeat(np.arange(13), rng.integers(1, 5, 13))
        chances = [0.4, 0.2, 0.15, 0.1, 0.1, 0.05]
        own = rng.choice(6, len(of_file), p=chances) + 1
        ranks = np.where(
            rng.random(len(of_file)) < shared, (rng.choice(6, 13, p=chances) + 1)[of_file], own
        )
        known = of_file < 12
        monkeypatch.setattr(e, "choose_bandwidth", lambda evidence: 1.0)
        monkeypatch.setattr(e, "needed_ranks", lambda evidence, bandwidth, r=ranks[known]: r)
        study = SimpleNamespace(files=of_file[known], classifiers=tuple("abcdef"))
        new = ranks[~known][0]
        held["drawn"].append(new <= e.count_needed(study, 0.8, rng.random()))
        held["certain"].append(new <= e.count_needed(study, 0.8))
    # two standard errors of 2,000 draws are .018
    assert np.mean(held["drawn"]) == pytest.approx(0.8, abs=0.03)
    assert np.mean(held["drawn"]) > 0.8 - 0.018
    assert np.mean(held["certain"]) > np.mean(held["drawn"]) + 0.02


def test_chance_of_names_by_hand():
    efficient = np.array([True, False, False, False])
    assert chance_of_names(efficient, 1) == pytest.approx(0.25)
    assert chance_of_names(efficient, 2) == pytest.approx(0.5)
    assert chance_of_names(efficient, 4) == 1


@pytest.mark.slow
def test_leaving_out_one_file_of_the_shipped_study():
    """The figures of docs/recommend.md: at least .9 hold an efficient name."""
    evidence = e.read_evidence(None, None, 0.0)
    assert e.count_needed(evidence, 0.9) == 4
    table = leave_files_out(evidence)
    assert len(table) == 67
    by_file = (
        table.astype({"holds, conservative": float})
        .groupby("file")[["holds", "holds, conservative", "first four hold", "always the best"]]
        .mean()
        .mean()
    )
    means = table.drop(columns="file").astype(float).mean()
    # The drawn number: at most four names on average, and still .9 of data sets and of files.
    assert means[["names", "holds"]].round(3).tolist() == [3.938, 0.935]
    assert by_file["holds"].round(3) == 0.927
    conservative = ["names, conservative", "holds, conservative"]
    assert means[[*conservative, "first four hold", "always the best", "chance"]].round(
        3
    ).tolist() == [4.328, 0.955, 0.955, 0.672, 0.745]
    assert by_file[["holds, conservative", "first four hold", "always the best"]].round(
        3
    ).tolist() == [
        0.971,
        0.971,
        0.552,
    ]


@pytest.mark.slow
def test_table_22_cell_by_cell():
    table = reproduce_table22()
    assert table["paper"].to_dict() == db.datasets.table22()["paper"].to_dict()
    assert table["agrees"].all()
    cell = table.loc[("IR < 10", "SD")]
    assert cell["paper"] == "over sampling"
    assert cell["recommended"] == "classic, over sampling, hybrid, ensemble"
    # No cell has a single answer: this is what the page says.
    counts = table["recommended"].str.count(",") + 1
    assert (counts.min(), counts.max()) == (3, 6)
    assert int(table["datasets"].sum()) == 78


def new_data(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, n_features=8, weights=[0.85], random_state=3, flip_y=0.02)


def test_advice_from_arrays_frames_and_files(tmp_path, capsys):
    X, y = new_data()
    advice = db.recommend(X, y)
    assert advice.names == advice.to_frame().index.tolist()
    assert 1 <= advice.needed < 18
    assert advice.promised
    frame = pd.DataFrame(X).assign(label=np.array(["often", "rare"])[y])
    assert db.recommend(frame).table.equals(advice.table)
    path = tmp_path / "new.csv"
    frame.to_csv(path, index=False)
    assert db.recommend(path, target="label").names == advice.names
    assert main(["recommend", str(path), "--format", "csv"]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1].startswith(advice.names[0])
    assert "With a probability of 90% one of" in shown.err
    # Ratio and type lead to the paper's cell.
    assert (
        advice.paper == "standard classifiers or ensemble methods" or advice.facts["type"] != "OD"
    )
    assert advice.explain(advice.names[0]).startswith(f"'{advice.names[0]}' is efficient on ")
    assert advice.outside == ()


def test_the_number_of_names_is_drawn_from_the_values(tmp_path, capsys):
    X, y = new_data()
    certain = db.recommend(X, y, conservative=True)
    assert not certain.drawn
    assert "drawn from a hash" not in certain.summary()
    needed = []
    for k in range(6):
        advice = db.recommend(X[k:], y[k:])
        needed.append(advice.needed)
        assert advice.promised
        assert f"{advice.needed} names were drawn from a hash of the data" in advice.summary()
        assert advice.needed_conservative == certain.needed
    assert max(needed) <= certain.needed
    assert min(needed) < certain.needed
    # The same values in another order, and from a file, draw the same number.
    order = np.random.default_rng(1).permutation(len(y))
    same = db.recommend(X[order], y[order])
    assert same.needed == needed[0]
    shuffled = X[order][:, ::-1]
    for other in (shuffled, shuffled.astype("float32"), X.astype("float32").astype(float)):
        assert _uniform_from_values(other) == _uniform_from_values(X)
    signs = np.array([[0.0, np.nan], [1.0, 1e300]])
    assert _uniform_from_values(signs * -1) == _uniform_from_values(-signs + 0.0)
    draws = [_uniform_from_values(X[:, [k]]) for k in range(8)]
    assert len(set(draws)) == 8
    assert 0 <= min(draws) < max(draws) <= 1
    path = tmp_path / "new.csv"
    pd.DataFrame(X).assign(label=y).to_csv(path, index=False)
    assert main(["recommend", str(path), "--format", "csv"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == needed[0] + 1
    assert f"without the draw it is {certain.needed}" in shown.err
    assert main(["recommend", str(path), "--conservative", "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == certain.needed + 1


def test_data_outside_the_study_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 60))
    y = np.r_[np.ones(4, dtype=int), np.zeros(1196, dtype=int)]
    advice = db.recommend(X, y)
    assert advice.outside[0] == "the imbalance ratio is 299, and the study has 2.017 to 129.4"
    assert any(text.startswith("the number of features is 60") for text in advice.outside)
    assert "the probability does not hold" in advice.summary()


def test_a_recommended_classifier_is_built_and_fitted():
    X, y = new_data()
    advice = db.recommend(X, y)
    model = advice.build("RUC", seed=1).fit(X, y)
    assert set(model.predict(X)) <= {0, 1}
    assert "advice.build('RUC')" in advice.code("RUC")
    # with the parameters of the shipped run
    assert advice.build("MLP").named_steps["learn"].batch_size == 1
    words = pd.DataFrame(X).assign(colour=np.array(["red", "blue"])[y])
    words.columns = words.columns.map(str)
    of_words = db.recommend(words, y)
    assert (of_words.build("C4.5").fit(words, y).predict(words) == y).mean() > 0.9
    with pytest.raises(DataError, match="there is no classifier 'RUX'; did you mean 'RU"):
        advice.build("RUX")


@pytest.fixture(scope="module")
def own_study(tmp_path_factory) -> db.Study:
    data = {
        f"set{k}": make_classification(90, n_features=4, weights=[0.7], random_state=k)
        for k in range(3)
    }
    pool = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
    store = tmp_path_factory.mktemp("own") / "study.sqlite"
    study = db.Study(data, pool, split=3, seed=1, store=store)
    run_here(study)
    return study


@pytest.mark.slow
def test_a_study_of_ones_own(own_study):
    X, y = new_data(120)
    advice = db.recommend(X, y, study=own_study, level=0.6)
    assert set(advice.table.index) == {"bayes", "tree"}
    few = db.recommend(X, y, study=own_study.summary())
    assert (few.promised, few.needed) == (False, 2)
    assert any("3 files of 'the study' promise no efficient classifier" in n for n in few.notes)
    one_file = {f"set{k}": "one" for k in range(3)}
    alone = db.recommend(X, y, study=own_study, level=0.6, files=one_file)
    assert not alone.promised
    assert (advice.build("bayes").fit(X, y).predict(X) == y).mean() > 0.8
    with pytest.raises(DataError, match="files names 'set9', which is no data set of 'study'"):
        db.recommend(X, y, study=own_study, files={"set9": "one"})
    with pytest.raises(DataError, match="a summary does not tell how to build 'bayes'"):
        few.build("bayes")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: db.recommend(*new_data(), level=90), "level is 90; give a number between 0 and 1"),
        (lambda: db.recommend(*new_data(), floor=1), "floor is 1; give a number from 0 to 1"),
        (lambda: db.recommend(*new_data(), floor="a"), "floor is a; give a number from 0 to 1"),
        (
            lambda: db.recommend(*new_data(), files={"glass0": "glass"}),
            "the files of 'keel67' go by its names; give files together with a study",
        ),
        (
            lambda: db.recommend(np.where(new_data()[0] > 1, np.inf, 0.0), new_data()[1]),
            "data set 'the new data' has infinite values; leave these cells empty",
        ),
        (lambda: db.recommend(*new_data(), study=3), "study is a int; give a Study"),
        (lambda: db.recommend(new_data()[0], [0, 1]), "give one class per row"),
        (lambda: db.recommend(new_data()[0], [0, 1, 2] * 100), "class"),
        (lambda: db.recommend(new_data()[0], [0] * 300), "class"),
        (lambda: db.recommend("missing.csv"), "cannot read"),
        (lambda: db.recommend(np.zeros((300, 2)), new_data()[1]), "has no feature that varies"),
        (lambda: db.recommend(np.zeros((5, 2)), [0, 0, 0, 1, 1]), "its type needs at least 6"),
    ],
)
def test_what_cannot_be_is_refused(call, sentence):
    with pytest.raises(DataError, match=re.escape(sentence)):
        call()
