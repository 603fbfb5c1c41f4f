"""The guides on studies and on uncertainty: each claimed number that takes no hours to compute."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from pages import ROOT, unmatched_sentences, unused_patterns

import deabench as db
from deabench.datasets import keel
from deabench.inference import max_t
from deabench.inference.samples import designs
from deabench.study.learners.registry import PAPER_FAMILIES, REGISTRY, TABLE3_LEARNERS
from deabench.tables.readers.limits import Limits

GUIDES = [ROOT / "docs" / f"{name}.md" for name in ("study", "uncertainty")]
GROUP_MEANS = re.compile(
    r"^\| (\w[\w.]*) \| ([\d.]+) / ([\d.]+) \| ([\d.]+) / ([\d.]+) \| (.*) / (.*) \|$", re.M
)


def _page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def _rates() -> pd.DataFrame:
    """Return the minority's and the majority's accuracy in percent: folds are pooled."""
    counts = keel.read_keel67().groupby(level=["dataset", "classifier"]).sum()
    minority = counts["tp"] / (counts["tp"] + counts["fn"])
    majority = counts["tn"] / (counts["tn"] + counts["fp"])
    return 100 * pd.DataFrame({"minority": minority, "majority": majority})


def the_shipped_study_has_67_sets_and_18_classifiers() -> None:
    counts = keel.read_keel67()
    assert [counts.index.unique(k).size for k in range(3)] == [67, 18, 10]
    manifest = keel.keel67_manifest()
    assert (len(counts), manifest["tasks"], manifest["failed"]) == (12_060, 12_060, 0)
    assert round(manifest["cpu_seconds"]) == 1123
    assert round(manifest["mlp_run"]["cpu_seconds"]) == 1433
    # RBF has a table of counts for each set and fold.
    assert len(counts.xs("RBF", level="classifier")) == 670


def the_registry_has_26_names() -> None:
    assert len(REGISTRY) == 26
    assert len(TABLE3_LEARNERS) == 18


def data_sets_are_the_68_of_the_paper() -> None:
    table = keel.table2()
    assert len(table) == 68
    assert set(table.index) - set(keel.read_keel67().index.unique(0)) == {"echo"}
    assert (table["source"] == "keel").sum() == 63
    types = table["type"].value_counts()
    assert types[["SD", "OD", "ND"]].tolist() == [26, 12, 19]
    cuts = table.index.str.match(r"(glass|ecoli|yeast)")
    assert cuts.sum() == 45


def group_means_are_those_of_the_shipped_counts() -> None:
    rates = _rates().reset_index()
    rates["type"] = rates["dataset"].map(keel.table2()["type"])
    means = rates.groupby(["classifier", "type"])[["minority", "majority"]].mean()
    rows = GROUP_MEANS.findall(_page("study"))
    assert len(rows) == 18
    for classifier, *cells in rows:
        computed = [means.loc[(classifier, kind)] for kind in ("SD", "OD", "ND")]
        assert np.ravel(computed).round(1).tolist() == list(map(float, cells)), classifier


def the_f_measures_of_the_shipped_counts_are_far_apart() -> None:
    counts = keel.read_keel67().groupby(level=["dataset", "classifier"]).sum()
    counts = counts[counts.index.get_level_values("classifier").isin(PAPER_FAMILIES)]
    tp, fn, fp, tn = (counts[name] for name in ("tp", "fn", "fp", "tn"))
    measures = pd.DataFrame(
        {"minority": 2 * tp / (2 * tp + fp + fn), "majority": 2 * tn / (2 * tn + fp + fn)}
    )
    assert (100 * measures.mean()).round(1).tolist() == [63.2, 94.6]
    rows = measures.reset_index()
    rows["type"] = rows["dataset"].map(keel.table2()["type"])
    rows = rows[rows["type"].isin(["SD", "OD", "ND"])]
    groups = rows.groupby(["classifier", "type"])[["minority", "majority"]].mean()
    assert len(groups) == 48
    assert (100 * groups.mean()).round(1).tolist() == [68.2, 95.1]


def the_shipped_mlp_has_a_balanced_accuracy_of_80_percent() -> None:
    balanced = _rates().mean(axis=1).xs("MLP", level="classifier")
    rows = keel.keel67_facts()["rows"]
    middle = rows.index[rows.between(172, 731)]
    assert (round(balanced.mean(), 1), round(balanced[middle].mean(), 1)) == (79.5, 80.4)
    assert len(middle) == 45


def keel67_tells_none_apart() -> None:
    counts = db.datasets.load("keel67")
    answer = db.uncertainty(db.Samples.from_datasets(counts, metrics=["TPR", "TNR"]))
    results = answer.to_frame()
    assert len(results) == 18
    assert set(results["verdict"]) == {"undecided"}
    assert set(results["best_rank"]) == {1}
    assert answer.lower["BaS"] == pytest.approx(0.9925, abs=0.0005)
    files = db.uncertainty(
        db.Samples.from_datasets(counts, metrics=["TPR", "TNR"], clusters="keel")
    )
    # A cut is called by its file: glass-0-1-2-3_vs_4-5-6, ecoli4, new-thyroid1.
    names = pd.Series(counts.index.unique("dataset"))
    sizes = names.str.extract(r"^((?:new-|page-)?[a-z]+)")[0].value_counts()
    assert sizes[sizes > 1].agg(["size", "sum"]).tolist() == [8, 59]
    assert files.lower["BaS"] == pytest.approx(0.949, abs=0.0005)


def one_of_fifteen_detectors_is_shown_to_be_worse() -> None:
    areas = pd.read_csv(ROOT / "examples" / "adbench_auc.csv", index_col="dataset")
    assert areas.shape == (22, 15)
    long = areas.melt(ignore_index=False, var_name="classifier", value_name="AUC").reset_index()
    verdicts = db.uncertainty(db.Samples.from_datasets(long))
    dominated = verdicts.to_frame()["verdict"] == "dominated"
    assert dominated.index[dominated].tolist() == ["SOGAAL"]
    assert 0.187 <= verdicts.secure_gap["SOGAAL"] < 0.188
    ranks = db.conformal_ranks(areas).to_frame()
    first = ranks.loc[ranks["median"].idxmin()]
    assert (first["best"], first["worst"]) == (1, 14)


def mixes_are_learned_from_20_instances_on() -> None:
    rng = np.random.default_rng(0)
    for number, shown in ((19, "fewer than 20 units"), (20, "learned")):
        right = {name: rng.random(number) < share for name, share in (("a", 0.9), ("b", 0.5))}
        outcomes = {"right": pd.DataFrame(right).astype(float)}
        text = db.uncertainty(db.Samples.from_outcomes(outcomes)).summary()
        assert shown in text


def limits_hold_at_95_percent_unless_told_otherwise() -> None:
    assert inspect.signature(db.uncertainty).parameters["level"].default == 0.95


def max_t_draws_blocks_of_250() -> None:
    assert max_t.BLOCK == 250
    assert max_t.DRAWS == 2000


def jackknives_take_50_groups_above_500_instances() -> None:
    assert (designs.GROUPS, designs.MAX_SINGLE) == (50, 500)


def files_hold_up_to_1_gib() -> None:
    assert Limits().bytes == 2**30


CLAIMS: dict[str, Callable[[], None]] = {
    r"67 sets x 18|12,060 tasks|same 670 tables": the_shipped_study_has_67_sets_and_18_classifiers,
    r"26 names of the registry": the_registry_has_26_names,
    r"the 68 of Chao|63 KEEL sets|45 of the 68|26 SD,": data_sets_are_the_68_of_the_paper,
    r"^\| \w[\w.]* \| [\d.]+ / [\d.]+ \| [\d.]+ / ": group_means_are_those_of_the_shipped_counts,
    r"is 68\.2 for": the_f_measures_of_the_shipped_counts_are_far_apart,
    r"balanced accuracy is 79\.5": the_shipped_mlp_has_a_balanced_accuracy_of_80_percent,
    r"^Eighteen classifiers|^18 are undecided|at least \.949|^But 59 of": keel67_tells_none_apart,
    r"fifteen anomaly|SOGAAL \(by|from 1 to 14": one_of_fifteen_detectors_is_shown_to_be_worse,
    r"at least 20 of them": mixes_are_learned_from_20_instances_on,
    r"shown at 95 %|at the level \(95 %\)": limits_hold_at_95_percent_unless_told_otherwise,
    r"of 2,000 draws|blocks of 250": max_t_draws_blocks_of_250,
    r"50 groups above 500": jackknives_take_50_groups_above_500_instances,
    r"up to 1 GiB": files_hold_up_to_1_gib,
}
"""Sentences of the guides, and the function that computes what they claim."""
NO_ANSWERS = {
    r"exits with 1 where|exit code 1": "tests/study/running types it",
    r"0 and 1, 1 = positive|each metric has instances|how many are positive": "codes and ranges",
    r"\((2006|2022)\)|2006 paper|SHA-256|KEEL files|scikit-learn \|$|shipped \(": "names",
    r"days since 1970|per category of the file": "tests/study/data types it",
    r"are the same problem": "names of sets",
    r"brier \(0 to 2\)": "the range of a metric of several classes",
    r"J48 -C|SMO \||CSC4, CSVM|AdBC, AdBS|RBFNetwork -B 2 \||500 epochs|S, F, B": (
        "parameters of the paper's classifiers; tests/study/learners"
    ),
    r"GPL-3|^J48, SMO": "a licence, and names",
    r"^- AdaBoost|^An SVC|weights to mean 1|k \+ 1 minority|^k shrinks|^C4\.5 sends": (
        "tests/study/learners"
    ),
    r"^those of counts|Forman and Scholz": "names of metrics, and a reference",
    r"2,000 characters|of 0 bytes|-1, 0\.99|2 seconds later|kill -9": "tests/study/running",
    r"23 seconds": "a timing",
    r"200 bits|no worker for 10 s": "tests/study/running",
    r"SHA-256 of the store": "the name of a digest",
    r"^(With code the data sets|counts, metrics \(folds|average the)": "the paper's tables",
    r"30 % are safe|53 KEEL sets|^45 %|new-thyroid1 \(ND\)": "tests/study/data/test_data_type.py",
    r"1,123 CPU": "keel67.json; the claim about the study's size reads it",
    r"Tables 5 and 6|48 group means|mean 85\.9|Table 22 but one": (
        "tests/study/results/test_aggregate.py"
    ),
    r"Weka|centres (per|of)|C = 1|mini-batches|^code does so|Mini-batches": (
        "runs of Weka and of minutes; benchmarks"
    ),
    r"SPECT, |Table 2 repeats|training prevalence|^\.16 to|falls from 1 to 0\.92|^1, 0\.895|"
    r"rows disturbed|^0 and 0\.96|k-NN is best": "experiments of minutes, and the papers' numbers",
    r"at least \.97|may still touch 1|^systems of tier 1|how close to 1": "an example",
    r"\.13 to \.26|\.42 instead of": "simulations; docs/uncertainty_simulations.md",
    r"normal errors in the metric": "tests/inference/test_from_tables.py",
    r"^Σ_r|^Salo|arXiv|c_U = z|log recall by 1/x|R = Σ|Ramdas 2024|Korn and Graubard|near 1\.$|"
    r"J − 1 degrees|Wilhelm 2024|all firms \(1998\)": "formulas and references",
    r"^#+ ": "a heading",
}
"""Sentences with numbers that are no answers of a command, and why they are not typed here."""


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_every_sentence_with_a_number_is_checked_or_no_answer(page):
    assert unmatched_sentences(page, [*CLAIMS, *NO_ANSWERS]) == []


@pytest.mark.parametrize("claim", dict.fromkeys(CLAIMS.values()), ids=lambda c: c.__name__)
def test_a_claimed_number_is_what_deabench_computes(claim):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        claim()


def test_every_claim_is_still_made():
    assert unused_patterns(GUIDES, [*CLAIMS, *NO_ANSWERS]) == []
