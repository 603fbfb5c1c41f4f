"""`deabench compare`: statistical tests between classifiers."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import pandas as pd
import typer

import deabench as db
from deabench.cli._io import Format, print_message, write_table
from deabench.cli._prediction_files import (
    align_test_set,
    name_rows,
    read_instances,
    score_folds,
    scores_of_long_table,
    select_dataset,
    split_test_sets,
)
from deabench.cli.options.declarations import (
    Form,
    Out,
    reject_options,
    with_option_groups,
)
from deabench.cli.options.samples import AnswerOptions, find_label
from deabench.cli.options.table import SourceOptions
from deabench.compare.adjustment import adjust_p_values
from deabench.compare.pairwise import list_pairs
from deabench.compare.row_units import find_row_unit
from deabench.compare.score_tables import check_control, check_scores, count_repeats
from deabench.errors import DataError
from deabench.tables.cells import parse_numbers
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.readers.delimited import read_labelled_csv
from deabench.tables.readers.frames import read_frame
from deabench.tables.recognition.metrics_in_rows import transpose_metrics
from deabench.utils.frames import find_key

if TYPE_CHECKING:
    from deabench.compare import ComparisonResult, Posteriors
    from deabench.compare.score_tables import Clusters


class Test(enum.StrEnum):
    """The test of each pair: of tables, of predictions, of both, and again of tables."""

    auto, ranks, wilcoxon, permutation = "auto", "ranks", "wilcoxon", "permutation"
    mcnemar, delong, z = "mcnemar", "delong", "z"
    t, bayes = "t", "bayes"
    tost, anova = "tost", "anova"


TABLE_TESTS = (Test.ranks, Test.wilcoxon, Test.permutation, Test.tost, Test.anova)
METRIC_ROLES = ("output", "lower_rate", "cost")
PREDICTION_TESTS = (Test.mcnemar, Test.delong, Test.z)


class Adjust(enum.StrEnum):
    """The adjustment of the p values of many pairs."""

    holm = "holm"
    finner = "finner"
    bonferroni = "bonferroni"
    hochberg = "hochberg"
    hommel = "hommel"
    shaffer = "shaffer"
    bergmann_hommel = "bergmann-hommel"
    nemenyi = "nemenyi"


class Method(enum.StrEnum):
    """The variants of McNemar's test."""

    mid_p, exact, asymptotic, corrected = "mid-p", "exact", "asymptotic", "corrected"


class Missing(enum.StrEnum):
    """The treatment of missing scores."""

    refuse, skillings_mack = "refuse", "skillings-mack"


@with_option_groups
def compare_command(
    source: SourceOptions,
    answers: AnswerOptions,
    *,
    control: Annotated[
        str | None, typer.Option(help="Compare the others with this system only.")
    ] = None,
    higher_is_better: Annotated[
        bool,
        typer.Option(
            "--higher-is-better/--lower-is-better",
            help="Whether high or low scores of a table are good.",
        ),
    ] = True,
    alpha: Annotated[float, typer.Option(help="The level over the family of comparisons.")] = 0.05,
    folds: Annotated[
        int | None,
        typer.Option(
            help="The rows are folds of one data set, cross-validated with this k. Default: the "
            "number of folds in a column called 'fold'."
        ),
    ] = None,
    test: Annotated[
        Test,
        typer.Option(
            help="The test of each pair. Tables: ranks, wilcoxon, permutation, t, bayes, tost "
            "(equivalence), anova (independent columns). Predictions: mcnemar, delong, z; by "
            "fold t, bayes."
        ),
    ] = Test.auto,
    adjust: Annotated[
        Adjust | None, typer.Option(help="The adjustment of the p values for many pairs.")
    ] = None,
    method: Annotated[Method, typer.Option(help="The variant of McNemar's test.")] = Method.mid_p,
    rope: Annotated[
        float | None,
        typer.Option(help="With bayes: differences of at most this count as none."),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="With tost: the largest difference that does not matter."),
    ] = None,
    clusters: Annotated[
        str | None,
        typer.Option(
            help="Data sets that are cuts of one file count once: 'keel' (by name), or a CSV with "
            "dataset,cluster."
        ),
    ] = None,
    missing: Annotated[
        Missing, typer.Option(help="The treatment of missing scores.")
    ] = Missing.refuse,
    long: Annotated[
        bool, typer.Option("--long", help="The table has the columns dataset, classifier, score.")
    ] = False,
    on_dataset: Annotated[
        str | None, typer.Option(help="With predictions on several data sets: compare on this one.")
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="With a long table of several metrics: compare this one.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Write the critical-difference diagram here: .png, .svg or .pdf."),
    ] = None,
    out: Out = None,
    form: Form = Format.table,
) -> None:
    """Compare classifiers by the test that suits the shape of the file, or by the one you name.

    A table of scores has data sets (or folds, with --folds) in rows and classifiers in columns.

    Predictions have a column y_true, as for `deabench metrics`: wide, with a column per classifier,
    or long, with classifier and y_pred or score. The default is McNemar's test, of scores DeLong's;
    instance and fold are no classifiers.
    """
    file = source.names
    frame = read_instances(source)
    if "y_true" in frame.columns and "dataset" in frame.columns:
        frame = select_dataset(frame, file, on_dataset)
    else:
        reject_options(
            f"is for predictions on several data sets, and '{file}' holds none",
            {"--on-dataset": on_dataset},
            DataError,
        )
    is_table = "y_true" not in frame.columns
    if is_table and not long and transpose_metrics(read_frame(frame)) is not None:
        raise DataError(
            f"'{file}' has its metrics in rows, and a test compares one metric over data sets or "
            "folds; type deabench rank for the metrics together"
        )
    if (
        is_table
        and not long
        and (
            find_key(list(frame.columns), "classifier") is not None
            or _has_metrics_in_columns(frame)
        )
    ):
        frame = scores_of_long_table(frame, file, metric)
    result: ComparisonResult | Posteriors
    if "y_true" in frame.columns:
        reject_options(
            f"is for tables of scores, and '{file}' holds predictions",
            {"--clusters": clusters, "--folds": folds, "--plot": plot, "--long": long or None},
            DataError,
        )
        result = _compare_predictions(
            frame,
            test,
            positive=answers.positive,
            scores=answers.scores,
            rope=rope,
            method=str(method),
            options={"control": control, "alpha": alpha, "adjust": str(adjust or "holm")},
        )
    else:
        table = name_rows(frame)
        if long:
            table = db.compare.from_long(frame, missing="skillings-mack")
        if test in (Test.tost, Test.anova):
            reject_options(
                "does not go with tests of equivalence and of variance",
                {"--adjust": adjust, "--clusters": clusters, "--plot": plot},
                DataError,
            )
            if test is Test.anova:
                pairs, sentences = _compare_independent_groups(table, alpha)
            else:
                pairs, sentences = _test_equivalence(table, margin, control, folds, alpha)
            write_table(pairs, form=form, path=out)
            print_message(sentences)
            return
        design = {"control": control, "higher_is_better": higher_is_better, "folds": folds}
        options = {
            "alpha": alpha,
            "adjust": adjust and str(adjust),
            "clusters": _read_clusters(clusters),
            "missing": str(missing),
        }
        result = _compare_table(table, test, design, options, rope)
    if plot is not None:
        _draw_critical_differences(result, plot)
    # The printed table has fewer columns than the file.
    pairs = result.pairs.set_index("first")
    if form is Format.table and out is None:
        pairs = _printed_pairs(result)
    write_table(pairs, form=form, path=out)
    print_message(result.summary())
    # Mean ranks over folds of predictions would mislead: the folds are no data sets.
    if hasattr(result, "mean_ranks") and "y_true" not in frame.columns:
        ranks = result.mean_ranks.sort_values().items()
        print_message("mean ranks: " + ", ".join(f"{name} {rank:.3f}" for name, rank in ranks))


def _has_metrics_in_columns(frame: pd.DataFrame) -> bool:
    """Return whether at least half of the columns of numbers are metrics by name, not systems."""
    numeric = [name for name in frame if parse_numbers(frame[name]) is not None]
    meanings = [look_up_metric(name) for name in numeric]
    metrics = [m for m in meanings if m is not None and m.role in METRIC_ROLES]
    return 0 < len(numeric) <= 2 * len(metrics)


def _compare_table(
    table: pd.DataFrame,
    test: Test,
    design: dict[str, Any],
    options: dict[str, Any],
    rope: float | None,
) -> ComparisonResult | Posteriors:
    """Test a table of scores; the Bayesian tests have the options of the design alone."""
    if test in PREDICTION_TESTS:
        raise DataError(
            f"--test {test} is for predictions, and the file has no column y_true; leave it out"
        )
    if test is not Test.bayes:
        test_name: Any = str(test)
        return db.compare.compare(table, test=test_name, **design, **options)
    # Rows of one cluster are not independent: their means are one data set.
    if options["clusters"] is not None:
        table = db.compare.cluster_means(table, options["clusters"])
    return db.compare.bayesian(table, rope=_require_rope(rope), **design)


def _compare_predictions(
    frame: pd.DataFrame,
    test: Test,
    *,
    positive: str | None,
    scores: bool,
    rope: float | None,
    method: str,
    options: dict[str, Any],
) -> ComparisonResult | Posteriors:
    """Test predictions: on one test set, on a test set each, or fold by fold."""
    if test in TABLE_TESTS:
        raise DataError(
            f"--test {test} is for tables of scores, and the file holds predictions; "
            "take mcnemar, delong, z, t or bayes"
        )
    is_long = "classifier" in frame.columns
    # Without labels a long file is judged by its scores.
    is_scores = scores or test is Test.delong or (is_long and "y_pred" not in frame.columns)
    if is_scores and test in (Test.mcnemar, Test.z):
        raise DataError(
            f"--test {test} is for labels, and the predictions are scores; take delong, or leave "
            "--scores out"
        )
    column = "score" if is_scores else "y_pred"
    if is_long and column not in frame.columns:
        raise DataError(
            f"there is no column '{column}'; add it, or leave --scores and --test delong out"
        )
    if test is Test.z:
        return db.compare.on_own_test_sets(*split_test_sets(frame, column), **options)
    instances, answers = align_test_set(frame, column)
    label = find_label(positive, instances["y_true"])
    # On one test set the answers are paired instance by instance.
    if test in (Test.auto, Test.mcnemar, Test.delong):
        return db.compare.on_one_test_set(
            instances["y_true"],
            answers,
            test="delong" if is_scores else "mcnemar",
            method=cast(Any, method),
            positive=label,
            **options,
        )
    # The other tests compare the scores of folds.
    table = score_folds(instances, answers, is_scores=is_scores, positive=label)
    if test is Test.bayes:
        control = options["control"]
        return db.compare.bayesian(
            table, rope=_require_rope(rope), control=control, folds=len(table)
        )
    return db.compare.compare(table, folds=len(table), **options)


def _require_rope(rope: float | None) -> float:
    if rope is None:
        raise DataError(
            "the Bayesian tests need a region of practical equivalence; give --rope, as --rope 0.01"
        )
    return rope


def _test_equivalence(
    table: pd.DataFrame,
    margin: float | None,
    control: str | None,
    folds: int | None,
    alpha: float,
) -> tuple[pd.DataFrame, str]:
    """Test every pair, or every classifier and the control, for equivalence by TOST with Holm."""
    if margin is None:
        raise DataError(
            "a test of equivalence needs the largest difference that does not matter; give "
            "--margin, as --margin 0.01"
        )
    values = check_scores(table)
    check_control(control, values.columns)
    unit = find_row_unit(table)
    if folds is None:
        folds = unit.folds
    # Only folds of one repeated cross-validation share their training rows.
    ratio = 0.0
    if folds is not None and count_repeats(len(values), folds):
        ratio = 1 / (folds - 1)
    rows = []
    for first, second in list_pairs(values.columns, control):
        result = db.compare.tost(
            values[first], values[second], margin=margin, ratio=ratio, alpha=alpha
        )
        rows.append((first, second, result.difference, result.lower, result.upper, result.p_value))
    pairs = pd.DataFrame(
        rows, columns=["first", "second", "difference", "lower", "upper", "p_value"]
    )
    pairs["adjusted"] = adjust_p_values(pairs["p_value"].to_numpy(), "holm", values.shape[1])
    pairs["equivalent"] = pairs["adjusted"] < alpha
    correction = ""
    if ratio:
        correction = ", corrected for folds"
    sentences = (
        f"{int(pairs['equivalent'].sum())} of {len(pairs)} pairs are shown to differ by less than "
        f"{margin:g} (two one-sided t tests{correction}, Holm); lower and upper are the interval "
        f"at {1 - 2 * alpha:g}. The others are not shown to differ by more"
    )
    return pairs.set_index("first"), "\n".join([sentences, *unit.notes])


def _compare_independent_groups(table: pd.DataFrame, alpha: float) -> tuple[pd.DataFrame, str]:
    """Return the analysis of variance of the columns, and its findings."""
    result = db.compare.anova(check_scores(table), alpha=alpha)
    return result.to_frame(), (
        f"{result.summary()}\nThe columns are taken as independent groups. Systems on the same "
        "data sets are not independent: leave --test out for those"
    )


def _draw_critical_differences(result: ComparisonResult | Posteriors, file: Path) -> None:
    if not isinstance(result, db.compare.ComparisonResult):
        raise DataError(
            "a critical-difference diagram shows tests, not posteriors; leave --plot or "
            "--test bayes out"
        )
    db.plot.CriticalDifferenceDisplay.from_result(result).plot().save(file)


def _read_clusters(text: str | None) -> Clusters | None:
    """Return 'keel', or the clusters of a file: {data set: cluster}."""
    if text is None or text == "keel":
        return cast("Clusters | None", text)
    frame = read_labelled_csv(text)
    if frame.shape[1] != 1:
        raise DataError(f"'{text}' has {frame.shape[1] + 1} columns; give two, dataset and cluster")
    return {str(name): str(cluster) for name, cluster in frame.iloc[:, 0].items()}


def _printed_pairs(result: ComparisonResult | Posteriors) -> pd.DataFrame:
    """Return the columns that fit 80 characters; CSV and JSON have every column."""
    pairs = result.pairs
    if not isinstance(result, db.compare.ComparisonResult):
        return pairs.set_index("first")
    printed = pairs[["first", "second", "difference", "adjusted", "better"]].copy()
    if "wins" in pairs.columns:
        counts = pairs[["wins", "ties", "losses"]].astype(str).agg("/".join, axis=1)
        printed.insert(2, "won/tied/lost", counts)
    # A low rank is good, and a low score is not: the name tells the sign.
    return printed.rename(columns={"difference": result.difference_name}).set_index("first")
