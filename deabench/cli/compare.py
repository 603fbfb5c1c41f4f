"""`deabench compare`: statistical tests between classifiers."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import pandas as pd
import typer

from deabench.cli._io import Format, emit, say
from deabench.cli._labels import label_named, read_instances
from deabench.cli._options import Form, Out
from deabench.errors import DataError

if TYPE_CHECKING:
    from deabench.compare import ComparisonResult, Posteriors
    from deabench.compare.score_tables import Clusters


class Test(enum.StrEnum):
    """What is asked of each pair: first of tables, then of predictions, then of both, then of
    tables again.
    """

    auto, ranks, wilcoxon, permutation = "auto", "ranks", "wilcoxon", "permutation"
    mcnemar, delong, z = "mcnemar", "delong", "z"
    t, bayes = "t", "bayes"
    tost, anova = "tost", "anova"


class Adjust(enum.StrEnum):
    """How p values are adjusted for many pairs."""

    holm, finner, bonferroni, hochberg, hommel = (
        "holm",
        "finner",
        "bonferroni",
        "hochberg",
        "hommel",
    )
    shaffer, bergmann_hommel, nemenyi = "shaffer", "bergmann-hommel", "nemenyi"


class Method(enum.StrEnum):
    """The variants of McNemar's test."""

    mid_p, exact, asymptotic, corrected = "mid-p", "exact", "asymptotic", "corrected"


class Missing(enum.StrEnum):
    """What to do with missing scores."""

    refuse, skillings_mack = "refuse", "skillings-mack"


def command(
    file: Annotated[
        str, typer.Argument(help="CSV, a table of scores or predictions; - is standard input")
    ],
    control: Annotated[
        str | None, typer.Option(help="compare the others with this classifier only")
    ] = None,
    higher_is_better: Annotated[
        bool,
        typer.Option(
            "--higher-is-better/--lower-is-better",
            help="whether the scores of a table are good high or low",
        ),
    ] = True,
    alpha: Annotated[float, typer.Option(help="level over the family of comparisons")] = 0.05,
    folds: Annotated[
        int | None,
        typer.Option(help="the rows are folds of one data set, cross-validated with this k"),
    ] = None,
    test: Annotated[
        Test,
        typer.Option(
            help="the test of each pair: of a table ranks, wilcoxon, permutation, t, bayes, "
            "tost (equivalence), anova (independent columns); of predictions "
            " mcnemar, delong, z, and by fold t, bayes"
        ),
    ] = Test.auto,
    adjust: Annotated[
        Adjust | None, typer.Option(help="adjustment of the p values for many pairs")
    ] = None,
    method: Annotated[Method, typer.Option(help="of McNemar's test")] = Method.mid_p,
    rope: Annotated[
        float | None, typer.Option(help="of bayes: differences of at most this count as none")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="of tost: the largest difference that does not matter")
    ] = None,
    clusters: Annotated[
        str | None,
        typer.Option(
            help="data sets that are cuts of one file count once: 'keel' (by name), or a CSV with dataset,cluster"
        ),
    ] = None,
    missing: Annotated[
        Missing, typer.Option(help="what to do with missing scores")
    ] = Missing.refuse,
    positive: Annotated[str | None, typer.Option(help="of delong: the positive class")] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="predictions are scores, not labels: AUC, not accuracy")
    ] = False,
    long: Annotated[
        bool, typer.Option("--long", help="the table has columns dataset, classifier, score")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="write the critical-difference diagram here: .png, .svg or .pdf"),
    ] = None,
    out: Out = None,
    form: Form = Format.table,
) -> None:
    """Compare classifiers by the test that the shape of the file calls for, or by the one named,
    and say why that test.

    A table of scores has data sets (or folds, with --folds) in rows and classifiers in columns.

    Predictions have a column y_true, as for `deabench metrics`: wide, with a column per classifier,
    or long, with classifier and y_pred or score. By default McNemar's test, of scores DeLong's;
    instance and fold are no classifiers."""
    frame = read_instances(file)
    if "y_true" in frame.columns:
        for name, given in (
            ("--clusters", clusters),
            ("--folds", folds),
            ("--plot", plot),
            ("--long", long or None),
        ):
            if given is not None:
                raise DataError(
                    f"{name} is for tables of scores, and '{file}' holds predictions; leave it out"
                )
        frame = _first_as_numbers(frame)
        options = {"control": control, "alpha": alpha, "adjust": str(adjust or "holm")}
        found = _of_predictions(
            frame,
            test,
            options,
            {"method": str(method), "positive": positive, "scores": scores, "rope": rope},
        )
    else:
        table = frame.set_index(frame.columns[0])
        if long:
            from deabench.compare import from_long

            table = from_long(frame, missing="skillings-mack")
        if test in (Test.tost, Test.anova):
            from deabench.cli import _group_tests

            result = (
                _group_tests.independent(table, alpha)
                if test is Test.anova
                else _group_tests.equivalent(
                    table, margin, control=control, folds=folds, alpha=alpha
                )
            )
            _group_tests.tell(
                result,
                form,
                out,
                [("--adjust", adjust), ("--clusters", clusters), ("--plot", plot)],
            )
            return
        both = {"control": control, "higher_is_better": higher_is_better, "folds": folds}
        tests = {
            "alpha": alpha,
            "adjust": adjust and str(adjust),
            "clusters": _clusters(clusters),
            "missing": str(missing),
        }
        found = _of_table(table, test, both, tests, rope)
    if plot is not None:
        from deabench.plot.critical_difference import CriticalDifferenceDisplay

        CriticalDifferenceDisplay.from_result(_findings(found)).plot().save(plot)
    emit(
        _short(found.pairs)
        if form is Format.table and out is None
        else found.pairs.set_index("first"),
        form=form,
        out=out,
    )
    say(found.summary())
    if hasattr(found, "mean_ranks") and "y_true" not in frame.columns:
        say(
            "mean ranks: "
            + ", ".join(
                f"{name} {value:.3f}" for name, value in found.mean_ranks.sort_values().items()
            )
        )


def _of_table(
    table: pd.DataFrame, test: Test, both: dict[str, Any], tests: dict[str, Any], rope: float | None
) -> ComparisonResult | Posteriors:
    """The tests of a table of scores; `both` goes to all of them, `tests` to those with p values."""
    from deabench.compare import bayesian, cluster_means, compare

    if test in (Test.mcnemar, Test.delong, Test.z):
        raise DataError(
            f"--test {test} is for predictions, and the file has no column y_true; leave it out"
        )
    if test is not Test.bayes:
        named: Any = str(test)
        return compare(table, test=named, **both, **tests)
    counted = table if tests["clusters"] is None else cluster_means(table, tests["clusters"])
    return bayesian(counted, rope=_rope(rope), **both)


def _of_predictions(
    frame: pd.DataFrame, test: Test, options: dict[str, Any], more: dict[str, Any]
) -> ComparisonResult | Posteriors:
    """The tests of predictions."""
    from deabench.cli._test_sets import by_fold, own, shared
    from deabench.compare import bayesian, compare, on_one_test_set, on_own_test_sets

    if test in (Test.ranks, Test.wilcoxon, Test.permutation, Test.tost, Test.anova):
        raise DataError(
            f"--test {test} is for tables of scores, and the file holds predictions; "
            "take mcnemar, delong, z, t or bayes"
        )
    scored = (
        more["scores"]
        or test is Test.delong
        or ("classifier" in frame.columns and "y_pred" not in frame.columns)
    )
    if scored and test in (Test.mcnemar, Test.z):
        raise DataError(
            f"--test {test} is for labels, and the predictions are scores; take delong, or leave --scores out"
        )
    column = "score" if scored else "y_pred"
    if "classifier" in frame.columns and column not in frame.columns:
        raise DataError(
            f"there is no column '{column}'; add it, or leave --scores and --test delong out"
        )
    if test is Test.z:
        return on_own_test_sets(*own(frame, column), **options)
    test_set = shared(frame, column)
    positive = label_named(more["positive"], test_set.y_true)
    if test in (Test.auto, Test.mcnemar, Test.delong):
        return on_one_test_set(
            test_set.y_true,
            test_set.values,
            test="delong" if scored else "mcnemar",
            method=more["method"],
            positive=positive,
            **options,
        )
    table = by_fold(test_set, scored=scored, positive=positive)
    if test is Test.bayes:
        return bayesian(
            table, rope=_rope(more["rope"]), control=options["control"], folds=len(table)
        )
    return compare(table, folds=len(table), **options)


def _first_as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The first column was read as labels of rows, as text; among predictions it is numbers where
    all of it are.
    """
    name = frame.columns[0]
    numeric = pd.to_numeric(frame[name], errors="coerce")
    return frame if numeric.isna().any() else frame.assign(**{str(name): numeric})


def _rope(rope: float | None) -> float:
    if rope is None:
        raise DataError(
            "the Bayesian tests need a region of practical equivalence; give --rope, as --rope 0.01"
        )
    return rope


def _findings(found: ComparisonResult | Posteriors) -> ComparisonResult:
    from deabench.compare import ComparisonResult

    if not isinstance(found, ComparisonResult):
        raise DataError(
            "a critical-difference diagram shows tests, not posteriors; leave --plot or --test bayes out"
        )
    return found


def _clusters(text: str | None) -> Clusters | None:
    """'keel', or the clusters of a file."""
    if text is None or text == "keel":
        return cast("Clusters | None", text)
    from deabench.tables.csv_reader import read_csv

    frame = read_csv(text)
    if frame.shape[1] != 1:
        raise DataError(
            f"'{text}' has {frame.shape[1] + 1} columns; the clusters are two, dataset,cluster"
        )
    return {str(name): str(cluster) for name, cluster in frame.iloc[:, 0].items()}


def _short(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs for a person: what fits in 80 columns. CSV and JSON hold every column."""
    if "verdict" in pairs.columns:
        return pairs.set_index("first")
    shown = pairs[["first", "second", "difference", "adjusted", "better"]].copy()
    if "wins" in pairs.columns:
        counts = (
            pairs["wins"].astype(str)
            + "/"
            + pairs["ties"].astype(str)
            + "/"
            + pairs["losses"].astype(str)
        )
        shown.insert(2, "won/tied/lost", counts)
    return shown.set_index("first")
