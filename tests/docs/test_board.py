"""The guides typed on a stranger's board with costs and gaps: each command, each claimed number."""

from __future__ import annotations

import json
import re
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pages import ROOT, commands, unmatched_sentences, unused_patterns
from quick_cases import mark_most_slow

import deabench as db
from deabench.cli import _run, main
from deabench.cli._io import MAX_ROWS
from deabench.errors import DataError, DataWarning
from deabench.report.page_data import MAX_FACET_NUMBERS
from deabench.streaming import candidates, files
from deabench.tables.readers.limits import Limits

BOARD = """\
Rank,Model,Provider,Accuracy (%),MMLU,Latency (ms),Price ($/1M tok),Context window,License
1,alpha-xl,Alpha,88.1,70.2,120,10,128000,closed
2,eps,Eps,86.2,69.0,200,4,32000,MIT
3,alpha-m,Alpha,85.0,66.1,60,3,32000,closed
4,zeta,Zeta,84.0,,90,2,8000,MIT
5,beta-70b,Beta,80.3,60.5,40,1,32000,Apache
6,gamma,Gamma,79.0,58.0,,1.5,16000,Apache
7,delta,Delta,70.5,50.1,30,0.5,4000,MIT
8,eta,Eta,66.0,45.0,55,0.7,4000,MIT
"""
GAPS = ["--missing", "drop-systems"]
TABLE_VERBS = ("read", "rank", "frontier", "targets", "report", "weightings")
GUIDES = [
    ROOT / "README.md",
    *(
        ROOT / "docs" / f"{name}.md"
        for name in (
            *("start", "leaderboards", "ranking", "frontier", "targets", "choosing", "report"),
            *("tables", "commands", "mixtures", "faq", "scale", "weightings"),
        )
    ),
]
OF_OTHER_COLUMNS = (
    *("--outputs", "--inputs", "--within", "--share", "--ratio", "--tested", "--label"),
    *("--locate", "--costs", "--uncertainty", "--metrics", "--plot", "--show", "--graphml"),
)
"""Options that name columns, rows or files of the example, or metrics that the board has not."""


@pytest.fixture
def board(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "board.csv"
    path.write_text(BOARD)
    return path


def typed_on_the_board(command: str) -> list[str]:
    """Return the words of a guide's command with the board in place of its table."""
    words = shlex.split(command)[1:]
    kept = [words[0], "board.csv"]
    rest = words[1:]
    while rest:
        word = rest.pop(0)
        if word in OF_OTHER_COLUMNS or word == "--reference":
            rest.pop(0)
        elif word == "--explain":
            kept += ["--explain", "eta"]
            rest.pop(0)
        elif word == "--option" and ("=TPR" in rest[0] or "top1" in rest[0]):
            rest.pop(0)
        elif word.startswith("-"):
            kept.append(word)
            if rest and not rest[0].startswith("-"):
                kept.append(rest.pop(0))
    return kept


GUIDED = sorted(
    {
        shlex.join(typed_on_the_board(command))
        for page in GUIDES
        for command, _ in commands(page)
        if re.match(rf"deabench ({'|'.join(TABLE_VERBS)}) examples/\w+\.csv", command)
    }
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize("command", GUIDED)
def test_a_command_of_the_guides_answers_on_a_board_with_gaps(command, board, capsys):
    """A gap is refused with the option that allows an answer, and no answer is impossible."""
    words = shlex.split(command)
    if words[0] != "read":
        assert main(words) == 1
        err = capsys.readouterr().err
        assert "'MMLU' of 'zeta', 'Latency (ms)' of 'gamma' are missing" in err
        assert "--missing drop-systems" in err
        words += GAPS
    status = main(words)
    out, err = capsys.readouterr()
    if status != 0:
        # The board's frontier has no facet that can be extended; the message says what to type.
        assert err.splitlines()[-1].endswith("use --on faces")
        words[words.index("facets")] = "faces"
        status = main(words)
        out, err = capsys.readouterr()
    assert status == 0, err
    numbers = re.findall(r"Accuracy \(%\)[^,;]*? (?:to|at) ([\d.]+)", out + err)
    # Only the explanation of a ranking says what a system would reach.
    assert bool(numbers) == command.startswith("rank board.csv --explain ")
    assert all(float(number.rstrip(".")) <= 100 for number in numbers)
    if "-o ranking.json" in command:
        assert json.loads(Path("ranking.json").read_text())


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize("model", mark_most_slow(db.models.MODELS, 8))
def test_no_model_projects_beyond_what_can_exist(model, board):
    # Quotients by inputs have no greatest value: models of outputs alone get the percentages.
    outputs = ["Accuracy (%)", "MMLU"] if model in ("wei", "score", "common") else None
    ranking = db.rank(db.read(board), model=model, outputs=outputs, missing="drop-systems")
    bounded = {"Accuracy (%)", "MMLU"} & set(ranking.projections.columns)
    assert bounded
    for name in bounded:
        assert ranking.projections[name].dropna().le(100 + 1e-9).all()


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
def test_targets_of_the_board_can_exist(board, capsys):
    assert main(["targets", "board.csv", *GAPS, "--format", "json"]) == 0
    for record in json.loads(capsys.readouterr().out):
        assert record["target_Accuracy (%)"] <= 100
        assert record["target_Latency (ms)"] >= 30
        assert record["target_Price ($/1M tok)"] >= 0.5


def a_score_of_97_means_growth_by_31_percent() -> None:
    frame = pd.DataFrame(
        {"model": ["top", "near"], "accuracy": [0.8, 0.776], "latency_ms": [10.0, 10.0]}
    )
    ranking = db.rank(frame)
    assert ranking.scores["near"] == pytest.approx(0.97, abs=1e-12)
    assert "every output could grow by 3.1 % together" in ranking.explain("near")
    assert pytest.approx(1.031, abs=5e-4) == 1 / 0.97
    assert ranking.projections.loc["near", "latency_ms"] == 10


def efficient_rows_of_the_board_score_1_and_no_mixture_beats_them() -> None:
    frame = pd.read_csv("board.csv").dropna().set_index("Model")
    columns = ["Accuracy (%)", "MMLU", "Latency (ms)", "Price ($/1M tok)"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranking = db.rank(db.read("board.csv"), missing="drop-systems")
        db.certify(ranking)
    best = list(ranking.efficient[ranking.efficient].index)
    assert (ranking.scores[best] == 1).all()
    # Random mixtures of the others beat no efficient row in every metric.
    rng = np.random.default_rng(0)
    signs = np.array([1, 1, -1, -1])
    for name in best:
        others = (frame.drop(index=name)[columns] * signs).to_numpy()
        mixtures = rng.dirichlet(np.full(len(others), 0.3), 20_000) @ others
        assert not (mixtures > (frame.loc[name, columns] * signs).to_numpy(float)).all(1).any()


def verdicts_hold_together_at_95_percent() -> None:
    counts = pd.DataFrame({"classifier": list("ab"), "tp": [90, 70], "fn": [10, 30]})
    result = db.uncertainty(db.Samples.from_counts(counts.assign(fp=[9, 30], tn=[91, 70])))
    assert result.level == 0.95
    assert "all verdicts together at 95 %" in result.summary()


def few_rows_and_alike_metrics_are_warned_of() -> None:
    rng = np.random.default_rng(5)

    def warned(rows: int, correlation: float) -> str:
        first = rng.normal(size=rows)
        second = rng.normal(size=rows)
        first -= first.mean()
        second -= second.mean()
        second -= first * (first @ second) / (first @ first)
        mixed = correlation * first / np.linalg.norm(first) + np.sqrt(
            1 - correlation**2
        ) * second / np.linalg.norm(second)
        frame = pd.DataFrame({"TPR": first, "TNR": mixed})
        frame = (frame - frame.min()) / (frame.max() - frame.min()) * 0.5 + 0.4
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DataWarning)
            db.rank(frame, outputs=["TPR", "TNR"])
        return " ".join(str(warning.message) for warning in caught)

    assert "fewer than 3 per metric" in warned(5, 0.0)
    assert "fewer than 3 per metric" not in warned(6, 0.0)
    assert "correlated" in warned(8, 0.951)
    assert "correlated" not in warned(8, 0.949)


def peers_sum_to_1() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranking = db.rank(db.read("board.csv"), missing="drop-systems")
    for row in ranking.intensities.values:
        assert row.sum() == pytest.approx(1, abs=1e-9)


def a_row_with_a_slack_scores_1_and_is_not_efficient() -> None:
    frame = pd.DataFrame({"TPR": [0.9, 0.9], "TNR": [0.8, 0.7]}, index=["a", "b"])
    ranking = db.rank(frame)
    assert ranking.scores.tolist() == [1, 1]
    assert ranking.efficient.tolist() == [True, False]


def better_than_the_reference_scores_above_1() -> None:
    reference = pd.DataFrame({"TPR": [0.8, 0.6], "TNR": [0.6, 0.8]}, index=["a", "b"])
    tested = pd.DataFrame({"TPR": [0.9], "TNR": [0.9]}, index=["new"])
    assert db.rank(tested, reference=reference).scores["new"] > 1


def exit_statuses_are_0_1_and_2() -> None:
    assert main(["read", "board.csv"]) == 0
    assert main(["rank", "board.csv"]) == 1
    assert main(["rank", "board.csv", "--modle", "ccr"]) == 2


def limits_are_those_of_the_page() -> None:
    assert Limits() == Limits(2**30, 10_000_000, 2_000, 50_000_000, 50)
    with pytest.raises(DataError, match="has 9 columns, more than 5"):
        db.read("board.csv", limits={"columns": 5})


def rates_are_complemented_to_1_or_100() -> None:
    share = db.read({"model": ["a", "b"], "error_rate": [0.2, 0.1]})
    percent = db.read({"model": ["a", "b"], "error rate (%)": [20.0, 10.0]})
    assert list(share.complemented.values()) == [1]
    assert list(percent.complemented.values()) == [100]


def kappas_below_0_count_from_minus_1() -> None:
    frame = pd.DataFrame({"model": list("abc"), "kappa": [-0.2, 0.5, 0.8]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = db.rank(frame).scores
    np.testing.assert_allclose(scores, (frame["kappa"] + 1) / 1.8, atol=1e-12)


def values_below_0_name_the_models_that_take_them() -> None:
    frame = pd.DataFrame({"firm": list("abc"), "profit": [-2.0, 5, 8], "staff": [1.0, 2, 3]})
    with pytest.raises(DataError) as refusal:
        db.rank(frame, outputs=["profit"], inputs=["staff"], model="sbm")
    assert all(name in str(refusal.value) for name in ("rdm", "ram", "additive"))


def shares_and_percent_are_refused_together() -> None:
    share = pd.DataFrame({"accuracy": [0.95, 0.9], "F1": [0.9, 0.8]}, index=["a", "b"])
    with pytest.raises(DataError):
        db.rank(share * 100, reference=share)


def values_that_cannot_be_are_refused() -> None:
    for cells, text in (
        ({"accuracy (%)": [91, 85, 1010, 70]}, "'accuracy (%)' of 'c' is 1010"),
        ({"accuracy": [0.91, 0.85, 77.0, 0.7]}, "'accuracy' of 'a' is 0.91 and of 'c' 77"),
        (
            {"accuracy": [0.9, 0.8, 0.7, 0.6], "price": ["€9", "$10", "$2", "$3"]},
            "another currency",
        ),
    ):
        Path("cells.csv").write_text(
            pd.DataFrame({"model": list("abcd")} | cells).to_csv(index=False), encoding="utf-8"
        )
        with pytest.raises(db.DataError) as error:
            db.rank("cells.csv")
        assert text in str(error.value)


def impossible_projections_are_not_reported() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = db.read("board.csv")
        ranking = db.rank(table, missing="drop-systems", model="ccr", returns="crs")
    notes = " ".join(ranking.notes)
    assert "returns to scale are constant" in notes
    assert "beyond the greatest possible value 100" in notes
    beyond = ranking.projection_reasons
    assert len(beyond)
    assert ranking.projections.loc[list(beyond)].isna().all(axis=None)


def targets_weigh_each_metric_1() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = pd.DataFrame({"TPR": [0.9, 0.6, 0.5], "TNR": [0.6, 0.9, 0.5]}, index=list("abc"))
        result = db.targets(frame, frame)
    assert result.weights == {"TPR": 1, "TNR": 1}
    assert result.distance["c"] == pytest.approx(result.gaps.loc["c"].abs().sum())


def long_tables_show_60_rows() -> None:
    assert MAX_ROWS == 60


def commands_stop_after_50_seconds() -> None:
    assert (_run.SECONDS, _run.LONGEST) == (50, 60)


def pages_hold_40000_numbers() -> None:
    assert MAX_FACET_NUMBERS == 40_000


def a_classifier_that_never_predicts_positive_is_efficient() -> None:
    frame = pd.DataFrame({"TPR": [0.0, 0.9, 0.8], "TNR": [1.0, 0.9, 0.95]}, index=list("abc"))
    ranking = db.rank(frame)
    assert ranking.scores["a"] == 1
    assert ranking.efficient["a"]


def scores_are_above_1_by_super_efficiency_and_never_below_0() -> None:
    rng = np.random.default_rng(8)
    for _ in range(5):
        frame = pd.DataFrame(rng.uniform(0, 1, (8, 3)), columns=["TPR", "TNR", "AUC"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert db.rank(frame, model="super").scores.max() > 1
            for model in ("wei", "super", "sbm", "cross", "common"):
                assert db.rank(frame, model=model).scores.min() >= 0


def files_are_read_with_the_limits_of_the_page() -> None:
    assert files.MAX_METRICS == 6
    assert candidates.MAX_FACETS == 500_000
    frame = pd.DataFrame({"model": list("abc"), "TPR": [0.9, None, 0.7], "TNR": [0.6, 0.7, 0.8]})
    frame.to_parquet("part.parquet")
    with pytest.raises(DataError, match="row 2"):
        db.rank_files("part.parquet", "scores.parquet", label=["model"])


CLAIMS: dict[str, Callable[[], None]] = {
    r"TNR 1, and no row": a_classifier_that_never_predicts_positive_is_efficient,
    r"^Never below 0|be above 1, below 0": (
        scores_are_above_1_by_super_efficiency_and_never_below_0
    ),
    r"sample shows at 95 %|at 95 %, for all rows": verdicts_hold_together_at_95_percent,
    r"the first is row 1|up to six metrics|500,000 facets": (
        files_are_read_with_the_limits_of_the_page
    ),
    r"3\.1 %": a_score_of_97_means_growth_by_31_percent,
    r"score is 1/φ|^- \*\*\.97\*\*|^\*\*\.97": a_score_of_97_means_growth_by_31_percent,
    r"efficiency 1 \|": efficient_rows_of_the_board_score_1_and_no_mixture_beats_them,
    r"score of 1 means|efficiency of 1 does not|all score 1|\*\*1\*\*|1 is best": (
        efficient_rows_of_the_board_score_1_and_no_mixture_beats_them
    ),
    r"at 95 % for all rows": verdicts_hold_together_at_95_percent,
    r"correlation above \.95|recall \*and\* F1": few_rows_and_alike_metrics_are_warned_of,
    r"sums to 1 \|": peers_sum_to_1,
    r"score 1 and a slack": a_row_with_a_slack_scores_1_and_is_not_efficient,
    r"score above 1": better_than_the_reference_scores_above_1,
    r"exit status is 0": exit_statuses_are_0_1_and_2,
    r"more than 60 rows": long_tables_show_60_rows,
    r"after 50 seconds": commands_stop_after_50_seconds,
    r"1 GiB|raises one": limits_are_those_of_the_page,
    r"complemented to 1, or 100": rates_are_complemented_to_1_or_100,
    r"counted from -1": kappas_below_0_count_from_minus_1,
    r"[Vv]alues below 0": values_below_0_name_the_models_that_take_them,
    r"percent \(95\) are refused": shares_and_percent_are_refused_together,
    r"beyond the range of a metric": values_that_cannot_be_are_refused,
    r"more than 100 % is not reported": impossible_projections_are_not_reported,
    r"\| 1 each; ": targets_weigh_each_metric_1,
    r"40,000 numbers": pages_hold_40000_numbers,
}
"""Sentences of the guides, and the function that computes what they claim."""
NO_ANSWERS = {
    r"Python 3\.11": "pyproject.toml states it; tests/test_lowest_versions.py installs it",
    r"^\| [\d,]+ \| \*\*|CPU microseconds|\| n \| ": "timings of python -m benchmarks",
    r"A million DMUs|4 to 6 ms|1,060 of 1,060": "timings and counts of python -m benchmarks",
    r"misses by more than 1e-9|positions to 1e-9": "tests/proofs and tests/report hold it",
    r"60 % of A and 40 %|40 % of (A|the cases)": "a definition by an example",
    r"share of 50,000 images|one more point|test images has": "the data set, and a formula",
    (
        r"On 30 sets of Table|of 30 sets|within two standard errors|cost of the stack no higher|"
        r"shown to be (cheaper|dearer)|no worse in both rates|mean cost of the stack|"
        r"no higher on 27\.75|mixture answers 11 to 13 %|took no part|answers show at 95 %|"
        r"is 1 or 0 where the regression answers"
    ): "figures of python -m benchmarks.realised_mixtures",
    r"mixture's F1|\| F1, AUC": "a statement about F1",
    r"print what was computed by then": "tests/analysis/test_ranking_in_time.py",
    r"ms of CPU, a million|have about (400|20,000) in|1\.7 s and 350 MB|below 6 MB|72 µs": (
        "timings and sizes of python -m benchmarks"
    ),
    r"10⁷ rows|300 models over|SHA-256|mlr3benchmark": "sizes, and names of formats and tools",
    r"probabilities of \.13|4,096 quasi-random": "simulations of python -m benchmarks",
    r"undecided that has score 1": "a question; the sentences below it are the answer",
    r"often tie at efficiency 1|share (rank|efficiency) 1": "tests/analysis/weightings",
    r"\(30 rows in 4, 10 in 5\)|Its code is 0": "tests/analysis/weightings",
    r"they hold in 98 to 100 % of simulated": "simulations.weightings.coverage",
    r"Over all weightings|fall to rank 7|under 10 % of the|%.*\| A": (
        "tests/analysis/weightings recomputes the paper's tables"
    ),
    r"add up to 1 after|At fixed weights": "definitions",
    r"eight ensembles of C4": "a reference",
    r"some [\d,]+ tests": "how many tests there are",
    r"^#+ ": "a heading",
    r"gzip, bzip2": "names of formats",
    r"L1, L2|paper \(A4\)|rate of 1003": "the page's own tests type these",
    r"worst \(0\) to its best": "a definition; tests/report/test_recommendation.py",
}
"""Sentences with numbers that are no answers of a command, and why they are not typed here."""


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_every_sentence_with_a_number_is_checked_or_no_answer(page):
    assert unmatched_sentences(page, [*CLAIMS, *NO_ANSWERS]) == []


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize(
    "claim", mark_most_slow(dict.fromkeys(CLAIMS.values()), 12), ids=lambda c: c.__name__
)
def test_a_claimed_number_is_what_deabench_computes(claim, board):
    claim()


def test_every_claim_is_still_made():
    assert unused_patterns(GUIDES, [*CLAIMS, *NO_ANSWERS]) == []


def test_every_ratio_of_the_pages_is_a_pair_of_bounds():
    """A ratio in the FAQ was (0.5), which is no pair, and the call an error."""
    calls = [
        call
        for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
        for call in re.findall(r"ratios=(\{.*?\)\})", page.read_text(encoding="utf-8"))
    ]
    assert len(calls) >= 4
    rates = pd.DataFrame({"TPR": [0.9, 0.7], "TNR": [0.6, 0.8]}, index=["a", "b"])
    top = rates.set_axis(["top1", "top5"], axis=1)
    for call in calls:
        ratios = eval(call, {"inf": np.inf, "float": float})
        table = rates if "TPR" in call else top
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(db.rank(table, model=db.models.WEI(ratios=ratios)).scores) == 2
