"""`deabench study`: write a study file, run it, check its progress and print its results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pandas as pd
import typer

import deabench as db
from deabench.cli._consent import AllowImports, AllowOutside, may_import
from deabench.cli._io import Format, print_message, print_messages, write_table
from deabench.cli.options.declarations import Form
from deabench.errors import DataError
from deabench.report.text.words import count_noun
from deabench.utils.checks import did_you_mean
from deabench.utils.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress

    from deabench.study.results.status import StudyStatus
    from deabench.study.running.tasks import Outcome
    from deabench.study.spec.tasks import Task

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Run a comparative study from one TOML file: many classifiers on many data sets. A "
    "stopped run continues.",
)

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY.toml", help="The study file.")]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write to this file instead of stdout.")
]


@app.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The study file to write.")],
    preset: Annotated[
        str,
        typer.Option(
            help="default, smoke, chao2022, elazmeh2006, prevalence, noise, outliers or "
            "dimensionality."
        ),
    ] = "default",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a study file with comments."""
    from deabench.study.spec.study_file import write_preset

    write_preset(file, preset, replace=force)
    print_message(f"wrote {file}; next: deabench study run {file}")


@app.command()
def run(
    file: StudyFile,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes on this machine. Default: one per core.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="The address of a Dask scheduler, or 'local' to start one.")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run failed tasks again.")
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Run one fold of each pair, and forecast the rest."),
    ] = False,
    form: Form = Format.table,
    out: Out = None,
    allow_imports: AllowImports = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Run the tasks that are missing. Stop with Ctrl-C and continue with the same command."""
    study = _open_study(file, allow_imports, allow_outside)
    unpermitted = [spec.use for spec in study.plan.unpermitted]
    if unpermitted and may_import(file, unpermitted):
        study = _open_study(file, True, allow_outside)
    study.plan.require_permission()
    if dry_run:
        expected = study.forecast(workers=workers)
        write_table(expected.per_classifier, form=form, path=out, title=expected.sentence)
        if form is not Format.table or out is not None:
            print_message(expected.sentence)
        return
    print_messages(f"note: {note}" for note in study.plan.data_notes)
    with show_progress() as (begin, watch):
        status = study.run(
            workers=workers,
            scheduler=scheduler,
            retry_failed=retry_failed,
            begin=begin,
            watch=watch,
            # on a terminal the bar above, elsewhere lines
            show_progress=not sys.stderr.isatty(),
        )
    _print_failures(status)
    _write_status(status, form, out)
    if status.failed:
        raise typer.Exit(1)


@app.command("status")
def print_status(
    file: StudyFile,
    why: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Tell what this task's key is made of and what has changed since the last run; "
            "the beginning of a key, or a classifier.",
        ),
    ] = None,
    form: Form = Format.table,
    out: Out = None,
    allow_imports: AllowImports = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Count the tasks that are done and failed, and print the digest of the results."""
    study = _open_study(file, allow_imports, allow_outside)
    if why is not None:
        write_table(study.explain(why).reset_index().set_index("of"), form=form, path=out)
        return
    status = study.status()
    _print_failures(status)
    print_messages(f"note: {note}" for note in status.notes)
    _write_status(status, form, out)


@app.command()
def verify(
    file: StudyFile,
    repair: Annotated[
        bool, typer.Option("--repair", help="Keep what is sound; the rest can be run again.")
    ] = False,
    form: Form = Format.table,
    out: Out = None,
    allow_outside: AllowOutside = False,
) -> None:
    """Check that the store holds what was written; list what is damaged, with exit code 1."""
    study = _open_study(file, False, allow_outside)
    check = study.verify(repair=repair)
    print_message(check.summary())
    if check.sound:
        return
    if repair:
        print_message(
            f"the store now holds what is sound; the damaged one is '{study.plan.store}.damaged'; "
            f"next: deabench study run {file}"
        )
    if len(check.damaged):
        write_table(check.damaged.set_index("dataset"), form=form, path=out)
    raise typer.Exit(1)


@app.command("tables")
def print_tables(
    file: StudyFile,
    name: Annotated[
        str | None, typer.Argument(help="The table; without it their names and sizes.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Write every table to this folder, as CSV.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the efficiencies by data type and imbalance ratio here."),
    ] = None,
    form: Form = Format.table,
    out: Out = None,
    allow_imports: AllowImports = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Print the results: metrics, groups, efficiencies, tests, targets, recommendation."""
    summary = _open_study(file, allow_imports, allow_outside).summary()
    frames = {key: _with_label_index(frame) for key, frame in summary.frames().items()}
    if plot is not None:
        db.plot.save_figure(
            db.plot.GroupsDisplay.from_efficiency(summary.efficiency).plot().figure_, plot
        )
    print_messages(f"note: {note}" for note in summary.notes)
    if len(summary.failures):
        pairs = count_noun(
            len(summary.left_out),
            "pair of data set and classifier is",
            "pairs of data set and classifier are",
        )
        print_message(f"{count_noun(len(summary.failures), 'task')} failed; {pairs} left out")
    if folder is not None:
        for key, frame in frames.items():
            write_table(frame, form=Format.csv, path=folder / f"{key}.csv")
    if name is not None:
        if name not in frames:
            raise DataError(f"there is no table '{name}'; {did_you_mean(name, list(frames))}")
        write_table(frames[name], form=form, path=out, title=name)
    elif folder is None:
        sizes = pd.Series({key: len(frame) for key, frame in frames.items()}, name="rows")
        write_table(sizes.rename_axis("table").to_frame(), form=form, path=out)


@app.command("report")
def write_report(
    file: StudyFile,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write to this file; its name ends in html, md or tex."),
    ] = None,
    allow_outside: AllowOutside = False,
) -> None:
    """Write one page about the study; `deabench report STUDY.toml` has more options."""
    from deabench.cli.report import report_command

    report_command(files=[str(file)], out=out, allow_outside=allow_outside)


@app.command("import")
def import_outside_results(
    file: StudyFile,
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS.csv", help="Counts or predictions from elsewhere.")
    ],
    allow_outside: AllowOutside = False,
) -> None:
    """Add results of other software (Weka, KEEL, R), to be ranked with the study's own.

    A CSV of counts has the columns dataset, classifier, tp, fn, fp, tn (and repeat, fold if there
    are several); one of predictions has dataset, classifier, y_true, y_pred (and repeat, fold).
    """
    from deabench.study.results.maintenance import import_results

    added = import_results(_open_study(file, False, allow_outside).plan, results)
    print_message(
        f"added {count_noun(added.classifiers, 'classifier')} on "
        f"{count_noun(added.datasets, 'data set')} ({count_noun(added.rows, 'row')})"
    )


def _open_study(file: Path, allow_imports: bool, allow_outside: bool) -> db.Study:
    return db.Study.from_toml(file, allow_imports=allow_imports, allow_outside=allow_outside)


def _with_label_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Move the labels of a long table, its first columns that are no numbers, into the index."""
    # A frame with labels in its index stays as it is.
    if not isinstance(frame.index, pd.RangeIndex):
        return frame
    # At most two: the further text columns are results.
    labels = [name for name in frame.columns if not pd.api.types.is_float_dtype(frame[name])]
    return frame.set_index(labels[:2])


def _write_status(status: StudyStatus, form: Format, out: Path | None) -> None:
    """Write one record for a program, or one line per item for a person."""
    frame = status.to_frame().set_index("total")
    if form is Format.table and out is None:
        frame = status.to_frame().astype(str).T.rename_axis("tasks").set_axis([""], axis=1)
    write_table(frame, form=form, path=out)


def _print_failures(status: StudyStatus) -> None:
    if status.failed:
        from deabench.report.text.study import describe_failures

        print_message(describe_failures(status))


@contextmanager
def show_progress() -> Iterator[tuple[Callable[[int, int], None], Callable[[Task, Outcome], None]]]:
    """Show the progress of a study on stderr: tasks done of all, rate, time left, failures.

    Yields the two functions that `Study.run` calls: one before the first task and one after each.
    Without a terminal a line is written for each failure; the run itself writes how far it is.
    """
    with _make_progress_bar() as progress:
        bar = progress.add_task("tasks", total=None, failures="", rate="")
        failure_count = 0

        def print_line(text: str) -> None:
            progress.console.print(printable(text), highlight=False, markup=False)

        def begin(total: int, remaining: int) -> None:
            print_line(f"{total - remaining} of {total} tasks are in the store, {remaining} to do")
            # The bar counts what is left to do, so that rate and time left are those of this run.
            progress.update(bar, total=remaining)

        def watch(task: Task, outcome: Outcome) -> None:
            nonlocal failure_count
            if outcome.status != "done":
                failure_count += 1
                progress.update(bar, failures=f"{failure_count} failed")
                kind, message = outcome.error[:2]
                print_line(f"{outcome.status}: {task.label}: {kind}: {message}")
            progress.advance(bar)
            # The speed is unknown until two steps have been timed.
            speed = progress.tasks[0].speed
            progress.update(bar, rate=f"{speed:.1f} tasks/s" if speed else "")

        yield begin, watch


def _make_progress_bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(file=getattr(sys.stderr, "terminal", sys.stderr))
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failures]}"),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


def recommend_command(
    file: Annotated[
        Path,
        typer.Argument(metavar="DATA", help="The new data: CSV, Parquet, Feather, ARFF or KEEL."),
    ],
    study: Annotated[
        Path | None,
        typer.Option(help="A study file whose results are used. Default: the shipped keel67."),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="The class column. Default: the last one.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The positive class. Default: the rarer one.")
    ] = None,
    level: Annotated[
        float, typer.Option(help="The probability that an efficient classifier is listed.")
    ] = 0.9,
    floor: Annotated[
        float, typer.Option(help="The balanced accuracy that an efficient one must exceed.")
    ] = 0.0,
    conservative: Annotated[
        bool, typer.Option("--conservative", help="Do not draw the number of names: more names.")
    ] = False,
    form: Form = Format.table,
    out: Out = None,
) -> None:
    """List the classifiers of a study to try on new data, best first."""
    advice = db.recommend(
        file,
        study=study,
        target=target,
        positive=positive,
        level=level,
        floor=floor,
        conservative=conservative,
    )
    print_messages(f"note: {note}" for note in advice.notes)
    print_message(advice.summary())
    write_table(advice.to_frame(), form=form, path=out, title="Classifiers to try, in order")
