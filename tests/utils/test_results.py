"""One face of results: every class that inherits Result is built once, and each keeps the whole
protocol.
"""

from __future__ import annotations

import copy
import importlib
import io
import pkgutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

import deabench
import deabench as db
from deabench import compare, curves, metrics, tango
from deabench.integrations.cost_stack import compare_costs
from deabench.utils.result import Result
from deabench.utils.text import unescape_formula

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
LINES = 15
RNG = np.random.default_rng(0)
Y = np.repeat([1, 0], [60, 90])
SCORES = {f"s{k}": Y * 0.6 + RNG.normal(size=len(Y)) for k in range(2)}
ANSWERS = {name: (score > 0.4).astype(int) for name, score in SCORES.items()}
WINE = db.datasets.load("chao2022-wine1")
OUTPUTS = ["TPR", "TNR"]
STORES = tempfile.TemporaryDirectory()
LONG = pd.DataFrame(RNG.uniform(0.3, 1.0, (8, 3)), columns=list("abc"))
"""Data sets in rows, systems in columns."""
GAPS = LONG.mask(RNG.random(LONG.shape) < 0.1)


@cache
def curve(name: str = "s0") -> curves.Roc:
    return curves.roc(Y, SCORES[name])


@cache
def samples() -> db.Samples:
    return db.Samples.from_predictions(Y, ANSWERS, positive=1, metrics=("TPR", "TNR"))


def router() -> db.Router:
    return db.Router(pd.DataFrame({"a": [1, 0, 1, 0], "b": [1, 1, 1, 0]}), {"a": 1, "b": 5})


def anytime() -> db.Anytime:
    made = db.Anytime(["s0", "s1"], ["TPR", "TNR"])
    made.add_predictions(Y, ANSWERS, positive=1)
    return made


def learned() -> curves.LearningCurve:
    X, y = make_classification(120, random_state=0)
    return curves.learning_curve(
        GaussianNB(), X, y, schedule=curves.geometric(20, 2.0, tolerance=None), cv=3
    )


@cache
def study() -> Any:
    """A study of two small data sets, every task run here."""
    from deabench.study.results.store import Store
    from deabench.study.running.tasks import run_task

    sets = {}
    for k in range(2):
        X, y = make_classification(60, 4, weights=[0.7], random_state=k)
        sets[f"set{k}"] = pd.DataFrame(X, columns=list("pqrs")).assign(
            Class=np.where(y == 1, "yes", "no")
        )
    made = db.Study(
        sets,
        {"bayes": GaussianNB(), "narrow": GaussianNB(var_smoothing=0.1)},
        seed=0,
        split=2,
        store=Path(STORES.name) / "study.sqlite",
    )
    with Store(made.plan.store) as store:
        for job in made.plan.tasks():
            store.write_outcome(job, run_task(job))
    return made


def ranked_files() -> Any:
    WINE.rename_axis("classifier").reset_index().to_parquet(f"{STORES.name}/part.parquet")
    return db.rank_files(f"{STORES.name}/*.parquet", f"{STORES.name}/scores", outputs=OUTPUTS)


def choice_of_a_search() -> db.Choice:
    choose = db.refit(["score"])
    choose({"params": [{"C": 1}, {"C": 2}], "mean_test_score": [0.7, 0.8]})
    return choose.report_


FACTORIES: dict[str, Callable[[], Any]] = {
    "read": lambda: db.read(WINE),
    "rank": lambda: db.rank(WINE, outputs=OUTPUTS),
    "best": lambda: db.best(
        WINE.assign(latency_ms=range(len(WINE))), within={"latency_ms": 5}, outputs=OUTPUTS
    ),
    "by dataset": lambda: db.by_dataset(
        [
            {"model": m, "dataset": d, "accuracy": 0.5 + 0.1 * k}
            for k, (m, d) in enumerate((m, d) for m in "ab" for d in "xyz")
        ]
    ),
    "frontier": lambda: db.frontier(WINE, outputs=OUTPUTS),
    "files": ranked_files,
    "targets": lambda: db.targets(WINE, WINE, outputs=OUTPUTS),
    "router": lambda: router(),
    "routing": lambda: router().best(3),
    "costs": lambda: compare_costs(Y, ANSWERS["s0"], ANSWERS["s1"], {"TPR": 1, "TNR": 1}),
    "weightings": lambda: db.weightings(WINE, outputs=OUTPUTS),
    "weightings by dataset": lambda: db.weightings_by_dataset(
        [
            {"model": m, "dataset": d, "accuracy": 0.5 + 0.1 * k}
            for k, (m, d) in enumerate((m, d) for m in "ab" for d in "xyz")
        ]
    ),
    "scale": lambda: db.scale_efficiency(WINE, inputs=["TNR"], outputs=["TPR"]),
    "advice": lambda: db.advise(WINE, outputs=OUTPUTS),
    "layers": lambda: db.layers(WINE, outputs=OUTPUTS),
    "groups": lambda: db.groups(WINE, dict.fromkeys(WINE.index, "one"), outputs=OUTPUTS),
    "malmquist": lambda: db.malmquist(WINE, WINE, outputs=OUTPUTS),
    "order-m": lambda: db.order_m(WINE, outputs=OUTPUTS),
    "order-alpha": lambda: db.order_alpha(WINE, outputs=OUTPUTS),
    "samples": samples,
    "uncertainty": lambda: db.uncertainty(samples()),
    "gate": lambda: db.gate(samples(), "s1"),
    "refit": lambda: choice_of_a_search(),
    "anytime": lambda: anytime().result,
    "next round": lambda: anytime().next,
    "plan": lambda: db.plan(gap=0.05, at_least=0.9, k=5, s=2),
    "stability": lambda: db.stability(WINE, outputs=OUTPUTS),
    "rank sets": lambda: db.rank_sets(samples(), {"TPR": 1, "TNR": 1}),
    "conformal ranks": lambda: db.conformal_ranks(LONG),
    "firms": lambda: db.simar_wilson(WINE, outputs=OUTPUTS, draws=100),
    "reproduce": lambda: db.reproduce("table23"),
    "reproduce nothing": lambda: db.reproduce("table05"),
    "recommend": lambda: db.recommend(
        *make_classification(60, n_features=4, n_redundant=0, weights=[0.7], random_state=0)
    ),
    "report": lambda: db.report(WINE, outputs=OUTPUTS),
    "study status": lambda: study().status(),
    "study summary": lambda: study().summary(),
    "study verify": lambda: study().verify(),
    "intervals": lambda: metrics.intervals(Y, ANSWERS, positive=1, metrics=["TPR"]),
    "differences": lambda: metrics.differences(Y, ANSWERS, positive=1, metrics=["TPR"]),
    "delong": lambda: metrics.delong(Y, SCORES),
    "tango": lambda: tango.test(9, 3, 32),
    "roc": curve,
    "operating": lambda: curves.best_threshold(curve()),
    "band": lambda: curves.bands(curve(), "simultaneous"),
    "mean vertical": lambda: curves.average_vertical([curve(), curve("s1")]),
    "mean threshold": lambda: curves.average_threshold([curve(), curve("s1")]),
    "segment": lambda: curves.balanced_segment(Y, SCORES["s0"]),
    "no segment": lambda: curves.balanced_segment(Y, Y.astype(float) * 0, alpha=0.05),
    "segments": lambda: curves.compare_segments(Y, SCORES),
    "gain": lambda: curves.gain(Y, SCORES["s0"]),
    "lift": lambda: curves.lift(Y, SCORES["s0"]),
    "conversion": lambda: curves.conversion_rates(Y, SCORES["s0"]),
    "conversion of nothing": lambda: curves.conversion_rates(Y, SCORES["s0"], above=99.0),
    "cost": lambda: curves.cost_curve(Y, SCORES["s0"]),
    "useless cost": lambda: curves.cost_curve(Y, -1.0 * Y),
    "precision-recall": lambda: curves.precision_recall(Y, SCORES["s0"]),
    "learning": learned,
    "compare": lambda: compare.compare(LONG),
    "friedman": lambda: compare.friedman(LONG),
    "pairwise": lambda: compare.pairwise(LONG),
    "skillings-mack": lambda: compare.skillings_mack(GAPS),
    "wilcoxon": lambda: compare.wilcoxon(LONG["a"], LONG["b"]),
    "mcnemar": lambda: compare.mcnemar(3, 9, n=50),
    "bayesian": lambda: compare.bayesian_signed_rank(LONG["a"], LONG["b"], rope=0.01, samples=200),
    "posteriors": lambda: compare.bayesian(LONG, rope=0.01, folds=4),
    "anova": lambda: compare.anova({"a": [1, 2, 3], "b": [2, 4, 5]}),
    "sample size": lambda: compare.sample_size_auc(0.8),
}


@cache
def built(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FACTORIES[name]()


def kinds(of: type) -> Iterator[type]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_every_class_with_the_face_is_in_the_walk() -> None:
    for module in pkgutil.walk_packages(deabench.__path__, "deabench."):
        if not module.name.endswith("__main__") and ".bench" not in module.name:
            importlib.import_module(module.name)
    walked = {type(built(name)) for name in FACTORIES}
    leaves = {kind for kind in kinds(Result) if not kind.__subclasses__()}
    assert {kind for kind in leaves if kind.__module__.startswith("deabench.")} == walked


@pytest.mark.parametrize("name", FACTORIES)
def test_a_result_has_the_whole_face(name: str) -> None:
    result = built(name)
    assert isinstance(result, Result)
    result_class = type(result)
    assert result_class.__eq__ is object.__eq__, (
        "a frame has no truth value: results are compared by identity"
    )
    assert result_class.__repr__ is Result.__repr__
    assert isinstance(result.to_frame(), pd.DataFrame)
    assert isinstance(result.summary(), str)
    assert result.summary().strip()
    assert "nan" not in result.summary().split()
    assert isinstance(result.notes, tuple)
    assert all(isinstance(note, str) and note for note in result.notes)
    assert len(repr(result).splitlines()) <= LINES
    assert repr(result).startswith(f"{result_class.__name__}: ")
    assert "<table" in result._repr_html_()
    assert result == result
    assert (result == copy.copy(result)) is False
    hash(result)


@pytest.mark.parametrize("name", FACTORIES)
def test_a_result_as_csv_reads_back(name: str, tmp_path: Path) -> None:
    result = built(name)
    text = result.to_csv()
    assert result.to_csv(tmp_path / "out.csv") is None
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == text
    flat, back = result.to_frame().reset_index(), pd.read_csv(io.StringIO(text))
    assert [unescape_formula(column) for column in back] == [str(column) for column in flat]
    assert len(back) == len(flat)
    for k, column in enumerate(flat):
        if pd.api.types.is_float_dtype(flat[column]):
            np.testing.assert_array_equal(
                back.iloc[:, k].to_numpy(dtype=float), flat[column].to_numpy()
            )


@pytest.mark.slow
def test_the_short_form_stays_short_for_300_classifiers() -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        rng.uniform(0.3, 1, (300, 2)),
        columns=OUTPUTS,
        index=[f"classifier {k}" for k in range(300)],
    )
    y = np.repeat([1, 0], 50)
    answers = {name: (rng.random(100) < 0.7) == y for name in table.index}
    sampled = db.Samples.from_predictions(
        y,
        {name: right.astype(int) for name, right in answers.items()},
        positive=1,
        metrics=("TPR", "TNR"),
    )
    wide = pd.DataFrame(rng.uniform(0.3, 1, (6, 300)), columns=table.index)
    for result in (
        db.rank(table),
        db.frontier(table),
        db.targets(table, table),
        sampled,
        compare.friedman(wide),
        metrics.intervals(
            y,
            {name: right.astype(int) for name, right in answers.items()},
            positive=1,
            metrics=["TPR"],
        ),
    ):
        assert len(repr(result).splitlines()) <= LINES
        assert max(map(len, repr(result).splitlines())) <= 200


@pytest.mark.parametrize(
    "name",
    [
        "frontier",
        "router",
        "weightings",
        "mean vertical",
        "mean threshold",
        "segment",
        "segments",
        "gain",
        "lift",
        "conversion",
        "cost",
        "precision-recall",
        "learning",
    ],
)
def test_a_result_draws_itself(name: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    ax = FigureCanvasAgg(Figure()).figure.subplots()
    assert built(name).plot(ax).ax_ is ax
    assert ax.has_data()


def test_summaries_say_the_findings() -> None:
    """By hand: of (0.9, 0.6, 0.6, 0.4, 0.1) the positives are 0.9 and one 0.6; 5.5 of 6 pairs are
    in order.
    """
    six = ([1, 0, 1, 0, 0], [0.9, 0.6, 0.6, 0.4, 0.1])
    assert curves.roc(*six).summary() == (
        "the area under the ROC curve is 0.9167 (0.9167 under its convex hull): 1 against 0, 2 "
        "positives and 3 negatives, 5 points"
    )
    assert curves.conversion_rates(*six).summary() == (
        "1 where score > 0.5 raises the share of positives 1.667 times among the 3 predicted "
        "positive, and that of negatives 1.667 "
        "times among the 2 predicted negative"
    )
    assert (
        db.reproduce("table23").summary()
        == "24 of 24 printed cells are equal when recomputed, 0 are close, 0 differ"
    )
    assert (
        db.reproduce("table05").summary()
        == "no printed cell is recomputed; 1 of 1 tables are not recomputed"
    )
    front = db.frontier(WINE.drop("MLP"), outputs=OUTPUTS)
    assert front.summary().startswith(
        "3 of 6 systems are extreme on the frontier of TPR, TNR: 'RUS+SVM', 'CS-MCQP', "
        "'Bagging'. It has "
    )
    rates = front.prices.loc[front.prices["gain"] == "TPR", "rate"]
    assert front.summary().endswith(
        f"one more of 'TPR' costs {rates.min():.4g} to {rates.max():.4g} of 'TNR'"
    )
