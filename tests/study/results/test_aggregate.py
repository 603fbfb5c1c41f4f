"""From counts to tables: by hand where it can be, against an independent linear program where
efficiencies are.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from deabench.datasets import keel
from deabench.datasets.chao2022 import printed
from deabench.errors import DataError
from deabench.study.learners.registry import PAPER_FAMILIES, TABLE3_LEARNERS
from deabench.study.results import aggregate as s
from deabench.study.results.metrics import StudyMetrics

COUNTS = pd.DataFrame(
    [
        # dataset, classifier, fold, tp, fn, fp, tn
        ("a", "tree", 0, 3, 2, 1, 9),
        ("a", "tree", 1, 5, 0, 3, 7),
        ("a", "net", 0, 5, 0, 6, 4),
        ("a", "net", 1, 4, 1, 4, 6),
        ("b", "tree", 0, 1, 9, 0, 90),
        ("b", "tree", 1, 2, 8, 2, 88),
        ("b", "net", 0, 8, 2, 20, 70),
        ("b", "net", 1, 6, 4, 30, 60),
    ],
    columns=["dataset", "classifier", "fold", "tp", "fn", "fp", "tn"],
)
FACTS = pd.DataFrame({"type": ["SD;ND", "ND"], "imbalance_ratio": [2.0, 9.0]}, index=["a", "b"])
SETTINGS = s.SummarySettings(
    ["TPR", "TNR"], {"all": ["tree", "net"]}, {"tree": "classic", "net": "other"}, ratio_edges=(9,)
)
METRICS = StudyMetrics().compute(COUNTS, ["TPR", "TNR", "IBA"], dict)


def test_folds_are_pooled_before_the_metric():
    assert METRICS["TPR"].to_dict() == pytest.approx(
        {("a", "tree"): 8 / 10, ("a", "net"): 9 / 10, ("b", "tree"): 3 / 20, ("b", "net"): 14 / 20}
    )
    assert METRICS["TNR"].to_dict() == pytest.approx(
        {
            ("a", "tree"): 16 / 20,
            ("a", "net"): 10 / 20,
            ("b", "tree"): 178 / 180,
            ("b", "net"): 130 / 180,
        }
    )


@pytest.mark.parametrize(
    ("ratio", "group"),
    [
        (9.99, "IR < 10"),
        (10, "10 <= IR < 30"),
        (29.9, "10 <= IR < 30"),
        (30, "IR >= 30"),
        (float("nan"), ""),
    ],
)
def test_groups_of_ratios_are_the_papers(ratio, group):
    """Table 13: [1, 10), [10, 30), [30, ∞)."""
    assert s.ratio_group(ratio, [10, 30]) == group
    assert s.ratio_group(ratio, []) == ""


@pytest.mark.parametrize(
    ("mixed", "typed"), [("each", [("SD", "a"), ("ND", "a"), ("ND", "b")]), ("drop", [("ND", "b")])]
)
def test_a_mixed_label_counts_in_each_group_or_in_none(mixed, typed):
    groups = s.group_datasets(FACTS, s.SummarySettings(**{**vars(SETTINGS), "mixed": mixed}))
    rows = groups[groups["grouping"] == "type"]
    assert list(zip(rows["group"], rows["dataset"], strict=True)) == typed
    assert groups.loc[groups["grouping"] == "all", "dataset"].tolist() == ["a", "b"]
    crossed = groups.loc[groups["grouping"] == "type and ratio", "group"]
    assert set(crossed) == (
        {"SD, IR < 9", "ND, IR < 9", "ND, IR >= 9"} if mixed == "each" else {"ND, IR >= 9"}
    )


def test_means_over_the_data_sets_of_a_group():
    means = s.group_means(METRICS, s.group_datasets(FACTS, SETTINGS))
    assert means.loc[("type", "ND", "tree"), "TPR"] == pytest.approx((8 / 10 + 3 / 20) / 2)
    assert means.loc[("type", "SD", "tree"), "TPR"] == pytest.approx(8 / 10)
    assert means.loc[("type", "ND", "tree"), "datasets"] == 2


def wei(table: np.ndarray) -> np.ndarray:
    """Model (5) by scipy: 1 / max{θ : Σ λ_j y_j >= θ y_o, Σ λ_j <= 1, λ >= 0}."""
    n, m = table.shape
    scores = []
    for y in table:
        rows = np.vstack([np.column_stack([y, -table.T]), np.append(0.0, np.ones(n))])
        scores.append(
            -1
            / linprog(np.append(-1.0, np.zeros(n)), A_ub=rows, b_ub=np.append(np.zeros(m), 1.0)).fun
        )
    return np.array(scores)


def test_dea_two_ways_against_scipy():
    counts = keel.read_keel67().reset_index()
    names = ["ecoli4", "glass0", "haberman", "yeast4", "vehicle1"]
    members = ["C4.5", "CSC4", "SMC", "RUC", "SENC", "AdBC"]
    counts = counts[counts["dataset"].isin(names) & counts["classifier"].isin(members)]
    metrics = StudyMetrics().compute(counts, ["TPR", "TNR", "G-mean", "IBA"], dict)
    facts = pd.DataFrame({"type": "SD", "imbalance_ratio": 5.0}, index=pd.Index(names))
    settings = s.SummarySettings(["TPR", "TNR", "G-mean"], {"trees": members})
    groups, single = (
        s.group_datasets(facts, settings),
        s.efficiencies_per_dataset(metrics, settings),
    )
    efficiencies = s.efficiencies_two_ways(s.group_means(metrics, groups), single, groups, settings)
    efficiencies = efficiencies.loc["all"].loc["all data sets"].loc["trees"]
    cube = np.stack(
        [metrics.loc[name].loc[members, list(settings.outputs)].to_numpy() for name in names]
    )
    np.testing.assert_allclose(efficiencies["average_then_dea"], wei(cube.mean(axis=0)), rtol=1e-7)
    np.testing.assert_allclose(
        efficiencies["dea_then_average"], np.mean([wei(table) for table in cube], axis=0), rtol=1e-7
    )
    assert efficiencies["IBA"].to_dict() == pytest.approx(
        metrics["IBA"].groupby("classifier").mean().to_dict()
    )
    assert (efficiencies["average_then_dea"] != efficiencies["dea_then_average"]).any()
    assert efficiencies.loc[efficiencies["dea_then_average"].idxmax(), "rank_dea_then_average"] == 1


def test_a_table_that_cannot_be_ranked_is_nan_with_its_reason():
    zero = METRICS.copy()
    zero.loc[("a", "net"), "TNR"] = 0.0
    settings = s.SummarySettings(["TPR"], {"all": ["tree", "net"]}, inputs=["TNR"])
    efficiencies = s.efficiencies_per_dataset(zero, settings)
    assert efficiencies.loc[("all", "a"), "efficiency"].isna().all()
    assert efficiencies.loc[("all", "b"), "efficiency"].notna().all()
    assert efficiencies.attrs["notes"] == (
        "data set 'a' (panel all) has no efficiencies: every input of 'net' is 0; its efficiency "
        "is undefined, "
        "leave the row out",
    )


def test_families_average_their_classifiers_first():
    settings = s.SummarySettings(
        ["TPR", "TNR"], {"all": ["tree", "net"]}, {"tree": "one", "net": "one"}
    )
    groups = s.group_datasets(FACTS, settings)
    families = (
        s.efficiencies_by_family(METRICS, groups, settings)
        .loc["all"]
        .loc["all data sets"]
        .loc["families"]
    )
    assert families.index.tolist() == ["one"]
    assert families.loc["one", "IBA"] == pytest.approx(METRICS["IBA"].mean())
    with pytest.raises(DataError) as e:
        s.efficiencies_by_family(METRICS, groups, SETTINGS.__class__(["TPR"], {}, {}))
    assert str(e.value) == "no classifier has a family; name families in [groups.families]"


def test_the_recommendation_is_the_best_and_what_is_close_to_it():
    index = pd.MultiIndex.from_product(
        [
            ["type and ratio"],
            ["SD, IR < 10", "SD, 10 <= IR < 30", "SD, IR >= 30"],
            ["families"],
            ["classic", "ensemble"],
        ]
    )
    table = pd.DataFrame(
        {
            "average_then_dea": [1, 1, 0.9, 1, 1, 0.8],
            "dea_then_average": [0.99, 0.993, 0.9, 0.95, 1, 0.5],
            "IBA": [0.1, 0.2, 0.4, 0.3, 0.5, 0.6],
            "datasets": 3,
        },
        index=index,
    ).rename_axis(["grouping", "group", "panel", "classifier"])
    recommendations = s.recommend_families(table)
    assert recommendations.index.tolist() == [
        ("IR < 10", "SD"),
        ("10 <= IR < 30", "SD"),
        ("IR >= 30", "SD"),
    ]
    assert recommendations["recommended"].tolist() == ["classic, ensemble", "ensemble", "classic"]
    assert recommendations["efficient_on_average"].tolist() == [
        "classic, ensemble",
        "ensemble",
        "classic",
    ]
    assert recommendations["highest_iba"].tolist() == ["ensemble", "classic", "ensemble"]


def test_data_sets_as_dmus_give_the_papers_table_21():
    """Table 20's printed rates of C4.5, percent, with TNR as the input: Table 21's efficiencies,
    three decimals.
    """
    rates, efficiency = printed("table20"), printed("table21")
    index = pd.MultiIndex.from_product(
        [rates.index.astype(str), ["C4.5"]], names=["dataset", "classifier"]
    )
    metrics = rates[["TPR", "TNR", "AUC", "GM"]].set_axis(index)
    settings = s.SummarySettings(["TPR", "AUC", "GM"], {}, inputs=["TNR"])
    efficiencies = s.efficiencies_of_other_dmus(metrics, settings, "datasets").loc[
        "C4.5", "efficiency"
    ]
    np.testing.assert_allclose(
        efficiencies, efficiency.iloc[:, -1].to_numpy(dtype=float), atol=0.0005001
    )


def test_what_stands_after_the_at_is_the_dmu():
    table = pd.DataFrame({"TPR": [1, 2, 3, 4.0]}, index=["ig@10", "ce@10", "ig@5", "ce@5"])
    wide = s.split_names_at(table)
    assert wide.to_dict("index") == {"10": {"ig": 1, "ce": 2}, "5": {"ig": 3, "ce": 4}}
    assert list(s.split_names_at(table.assign(TNR=0)).columns) == [
        "TPR ig",
        "TPR ce",
        "TNR ig",
        "TNR ce",
    ]
    with pytest.raises(DataError) as e:
        s.split_names_at(table.rename(index={"ig@5": "ig"}))
    assert (
        str(e.value)
        == "classifier 'ig' has no @ in its name; dmus = \"after @\" needs names as 'chi2@200'"
    )


def test_the_shipped_counts_are_whole():
    """67 sets x 18 classifiers x 10 folds; the pooled classes are the data sets' own, the file is
    the manifest's.
    """
    counts, table, manifest = keel.read_keel67(), keel.table2(), keel.keel67_manifest()
    assert len(counts) == 12_060 == manifest["tasks"]
    assert manifest["failed"] == manifest["mlp_run"]["failed"] == 0
    assert manifest["mlp_run"]["tasks"] == len(counts.xs("MLP", level="classifier"))
    assert hashlib.sha256(keel.KEEL67_FILE.read_bytes()).hexdigest() == manifest["sha256"]
    pooled = counts.groupby(["dataset", "classifier"]).sum()
    assert len(pooled) == 67 * 18
    names = pooled.index.get_level_values("dataset")
    assert (pooled["tp"] + pooled["fn"]).tolist() == table.loc[names, "positives"].tolist()
    assert pooled.sum(axis=1).tolist() == table.loc[names, "instances"].tolist()
    assert set(pooled.index.get_level_values("classifier")) == set(TABLE3_LEARNERS)


def swapped() -> pd.DataFrame:
    """The 48 group means of Tables 5 and 6 beside ours: columns TPR, TNR (printed), minority,
    majority (measured).
    """
    counts = keel.read_keel67().reset_index()
    metrics = StudyMetrics().compute(counts, ["TPR", "TNR"], dict) * 100
    facts = (
        keel.table2()
        .loc[list(dict.fromkeys(counts["dataset"])), ["type"]]
        .assign(imbalance_ratio=np.nan)
    )
    means = s.group_means(
        metrics, s.group_datasets(facts, s.SummarySettings([], {}, mixed="drop"))
    ).loc["type"]
    computed = means[["TPR", "TNR"]].set_axis(["minority", "majority"], axis=1)
    tables = pd.concat([printed("table05"), printed("table06")]).reset_index()
    kinds = {"disjunct": "SD", "overlapping": "OD", "noisy": "ND"}
    keys = pd.MultiIndex.from_arrays([tables["data_type"].map(kinds), tables["classifier"]])
    return tables.set_index(keys)[["TPR", "TNR"]].join(computed.loc[keys].set_axis(keys))


def test_the_papers_rates_fit_only_when_swapped():
    """By its text TPR is the minority's accuracy; its Tables 5 and 6 say otherwise (docs/study.md
    has the numbers).
    """
    rates = swapped()
    assert len(rates) == 48
    r = rates.corr()
    assert (rates["TPR"] - rates["majority"]).abs().mean() == pytest.approx(4.0, abs=0.05)
    assert (rates["TPR"] - rates["minority"]).abs().mean() == pytest.approx(19.5, abs=0.05)
    assert (rates["TNR"] - rates["minority"]).abs().mean() == pytest.approx(20.8, abs=0.05)
    assert (rates["TNR"] - rates["majority"]).abs().mean() == pytest.approx(38.6, abs=0.05)
    assert r.loc["TPR", ["majority", "minority"]].tolist() == pytest.approx([0.56, 0.00], abs=0.005)
    assert r.loc["TNR", ["minority", "majority"]].tolist() == pytest.approx(
        [0.53, -0.19], abs=0.005
    )


def test_the_papers_f_fits_neither_class():
    """Its mean over Tables 5 and 6 is 85.9; ours is 63.2 for the minority and 94.6 for the
    majority.
    """
    counts = keel.read_keel67().reset_index()
    counts = counts[counts["classifier"].isin(PAPER_FAMILIES)]
    swapped_counts = counts.rename(columns={"tp": "tn", "tn": "tp", "fn": "fp", "fp": "fn"})
    assert pd.concat([printed("table05"), printed("table06")])["F"].mean() == pytest.approx(
        85.9, abs=0.05
    )
    assert 100 * StudyMetrics().compute(counts, ["F1"], dict)["F1"].mean() == pytest.approx(
        63.2, abs=0.05
    )
    assert 100 * StudyMetrics().compute(swapped_counts, ["F1"], dict)["F1"].mean() == pytest.approx(
        94.6, abs=0.05
    )


def test_every_method_of_the_paper_has_its_family():
    assert set(PAPER_FAMILIES) == set(TABLE3_LEARNERS) - {"RBF", "MLP"}


@pytest.mark.slow
def test_the_recommendation_of_the_shipped_study():
    """Table 22 by the paper's own quotients (TNR the input): under-sampling in every cell, in one
    with two others.
    """
    counts = keel.read_keel67().reset_index()
    counts = counts[counts["classifier"].isin(PAPER_FAMILIES)]
    tree_counts = (
        counts[counts["classifier"] == "C4.5"]
        .groupby("dataset", sort=False)[["tp", "fn", "fp", "tn"]]
        .sum()
    )
    ratio = (tree_counts["fp"] + tree_counts["tn"]) / (tree_counts["tp"] + tree_counts["fn"])
    facts = pd.DataFrame(
        {"type": keel.table2()["type"].reindex(tree_counts.index), "imbalance_ratio": ratio}
    )
    settings = s.SummarySettings(
        ["TPR", "balanced_accuracy", "G-mean", "F1"], {}, PAPER_FAMILIES, ["TNR"]
    )
    metrics = StudyMetrics().compute(counts, [*settings.outputs, "TNR", "IBA"], dict)
    recommendations = s.recommend_families(
        s.efficiencies_by_family(metrics, s.group_datasets(facts, settings), settings)
    )
    assert len(recommendations) == 9
    assert recommendations["recommended"].value_counts().to_dict() == {
        "under sampling": 8,
        "over sampling, under sampling, hybrid": 1,
    }
    assert (
        recommendations.loc[("IR < 10", "OD"), "recommended"]
        == "over sampling, under sampling, hybrid"
    )
    assert (recommendations["highest_iba"] == "under sampling").all()


@pytest.mark.parametrize(
    ("dea", "wanted"),
    [
        ({"model": "cross", "goal": "benevolent"}, {"model": "cross", "goal": "benevolent"}),
        (
            {"model": "additive", "weights": {"TPR": 2, "TNR": 1}},
            {"model": "additive", "weights": {"TPR": 2, "TNR": 1}},
        ),
        (
            {"model": "ddf", "direction": {"TPR": 1.0, "TNR": 0.5}},
            {"model": "ddf", "direction": {"TPR": 1.0, "TNR": 0.5}},
        ),
        (
            {
                "model": "ccr",
                "inputs": ["FPR"],
                "returns": "vrs",
                "orientation": "output",
                "shares": {"TPR": [0.2, 0.5]},
                "ratios": {"TPR/TNR": [0.5, 2]},
            },
            {
                "model": "ccr",
                "returns": "vrs",
                "orientation": "output",
                "shares": {"TPR": (0.2, 0.5)},
                "ratios": {("TPR", "TNR"): (0.5, 2)},
            },
        ),
        (
            {"model": "ccr", "inputs": ["FPR"], "orientation": "output", "sums": [0.5, 2]},
            {"model": "ccr", "orientation": "output", "sums": (0.5, 2)},
        ),
    ],
)
def test_a_studys_dea_takes_every_option_that_rank_takes(study_file, dea, wanted):
    """From a file and from code; the efficiencies are `rank`'s own."""
    from model_options import rank_with

    import deabench as db
    from deabench.models.options import build_options
    from deabench.study.spec.settings import build_model

    def toml(value):
        if isinstance(value, dict):
            return "{" + ", ".join(f'"{key}" = {toml(item)}' for key, item in value.items()) + "}"
        return repr(value).replace("'", '"')

    lines = "\n".join(f"{key} = {toml(value)}" for key, value in dea.items())
    plan = db.Study.from_toml(
        study_file(
            f'[data]\nnames = ["ecoli4"]\n[classifiers]\n"C4.5" = {{}}\n[dea]\n'
            f'outputs = ["TPR", "TNR"]\n{lines}\n'
        )
    ).plan
    model = wanted.pop("model")
    assert build_model(plan.dea) == build_options(model, wanted)
    table = pd.DataFrame(
        np.random.default_rng(1).uniform(0.4, 0.9, (12, 3)),
        columns=["TPR", "TNR", "FPR"],
        index=[f"c{k}" for k in range(12)],
    )
    settings = s.SummarySettings(
        ["TPR", "TNR"],
        {},
        inputs=plan.dea["inputs"],
        model=build_model(plan.dea),
    )
    expected = rank_with(
        table, outputs=["TPR", "TNR"], inputs=dea.get("inputs"), model=model, **wanted
    )
    pd.testing.assert_series_equal(s.efficiencies(table, settings), expected.scores)


def test_scores_that_differ_by_rounding_share_a_rank():
    scores = pd.Series([0.1 + 0.2, 0.3, 0.3 - 2e-9, np.nan], index=list("abcd"))
    assert scores["a"] != scores["b"]
    assert s.rank_scores(scores).tolist() == [1, 1, 3, pd.NA]
    assert s.rank_scores(scores, ascending=True).tolist() == [2, 2, 1, pd.NA]


def test_a_panel_without_results_has_no_rows():
    settings = s.SummarySettings(["TPR", "TNR"], {"all": ["tree", "net"], "lost": ["forest"]})
    groups = s.group_datasets(FACTS, settings)
    single = s.efficiencies_per_dataset(METRICS, settings)
    table = s.efficiencies_two_ways(s.group_means(METRICS, groups), single, groups, settings)
    assert table.index.get_level_values("panel").unique().tolist() == ["all"]
