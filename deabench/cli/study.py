"""`deabench study`: write a study file, run what is missing, see how far it is and what came out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pandas as pd
import typer

from deabench.cli._io import Format, emit, say

if TYPE_CHECKING:
    from deabench.study.results.status import StudyStatus

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="A comparative study from one TOML file: many classifiers on many data sets, resumable.",
)

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY.toml", help="the study file")]
Form = Annotated[Format, typer.Option("--format", help="how to write the data")]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="write to this file instead of standard output")
]


@app.command()
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="the study file to write")],
    preset: Annotated[
        str,
        typer.Option(
            help="default, smoke, chao2022, elazmeh2006, prevalence, noise, outliers, dimensionality"
        ),
    ] = "default",
    force: Annotated[bool, typer.Option("--force", help="replace a file that is there")] = False,
) -> None:
    """Write a study file with comments."""
    from deabench.study.spec.study_file import write_preset

    write_preset(file, preset, replace=force)
    say(f"wrote {file}; next: deabench study run {file}")


@app.command()
def run(
    file: StudyFile,
    workers: Annotated[
        int | None, typer.Option(min=1, help="processes here (default: one per core)")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="address of a Dask scheduler, or 'local' to start one")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="do failed tasks again")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="forecast the time from one fold; store nothing")
    ] = False,
    form: Form = Format.table,
    out: Out = None,
) -> None:
    """Do the tasks that are missing; stop with Ctrl-C, go on by running again."""
    from deabench.cli._progress import watched
    from deabench.study import Study

    study = Study.from_toml(file)
    if dry_run:
        from deabench.study.results.status import forecast_run

        foreseen = forecast_run(study.plan, workers=workers)
        emit(foreseen.per_classifier, form=form, out=out, title=foreseen.sentence)
        if form is not Format.table or out is not None:
            say(foreseen.sentence)
        return
    for note in study.plan.data_notes:
        say(f"note: {note}")
    with watched() as (begin, watch):
        done = study.run(
            workers=workers,
            scheduler=scheduler,
            retry_failed=retry_failed,
            begin=begin,
            watch=watch,
        )
    _say_failures(done)
    _emit_status(done, form, out)
    if done.failed:
        raise typer.Exit(1)


@app.command()
def status(file: StudyFile, form: Form = Format.table, out: Out = None) -> None:
    """How many tasks are done and failed, and the digest of the results."""
    from deabench.study import Study

    now = Study.from_toml(file).status()
    _say_failures(now)
    for note in now.notes:
        say(f"note: {note}")
    _emit_status(now, form, out)


@app.command()
def verify(
    file: StudyFile,
    repair: Annotated[
        bool, typer.Option("--repair", help="leave a store of what is sound; the rest is run again")
    ] = False,
    form: Form = Format.table,
    out: Out = None,
) -> None:
    """Is the store what was written? Names what is damaged; exit code 1 where something is."""
    from deabench.study import Study

    study = Study.from_toml(file)
    found = study.verify(repair=repair)
    say(found.summary())
    if found.sound:
        return
    if repair:
        say(
            f"the store now holds what is sound; the damaged one is '{study.plan.store}.damaged'; next: deabench study run {file}"
        )
    if len(found.damaged):
        emit(found.damaged.set_index("dataset"), form=form, out=out)
    raise typer.Exit(1)


@app.command()
def tables(
    file: StudyFile,
    name: Annotated[
        str | None, typer.Argument(help="which table; their names and sizes without one")
    ] = None,
    folder: Annotated[Path | None, typer.Option(help="write every table there, as CSV")] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="draw the efficiencies by data type and imbalance ratio here"),
    ] = None,
    form: Form = Format.table,
    out: Out = None,
) -> None:
    """What came out: metrics, groups, efficiencies two ways, tests, targets, recommendation."""
    from deabench.errors import DataError
    from deabench.study import Study
    from deabench.utils.checks import did_you_mean

    found = Study.from_toml(file).summary()
    frames = {key: _labelled(frame) for key, frame in found.frames().items()}
    if plot is not None:
        from deabench.plot import GroupsDisplay, save_figure

        save_figure(GroupsDisplay.from_efficiency(found.efficiency).plot().figure_, plot)
    for note in found.notes:
        say(f"note: {note}")
    if len(found.failures):
        say(
            f"{len(found.failures)} tasks failed; {len(found.left_out)} pairs of data set and classifier are "
            "left out"
        )
    for key, frame in frames.items() if folder is not None else ():
        emit(frame, form=Format.csv, out=Path(str(folder)) / f"{key}.csv")
    if name is not None and name not in frames:
        raise DataError(f"there is no table '{name}'; {did_you_mean(name, list(frames))}")
    if name is not None:
        emit(frames[name], form=form, out=out, title=name)
    elif folder is None:
        sizes = pd.DataFrame(
            {"rows": [len(f) for f in frames.values()]}, index=pd.Index(frames, name="table")
        )
        emit(sizes, form=form, out=out)


@app.command()
def report(
    file: StudyFile,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="write to this file; its end says html, md or tex"),
    ] = None,
) -> None:
    """One self-contained page about the study: `deabench report STUDY.toml`, which has more
    options.
    """
    from deabench.cli.report import command

    command(str(file), out=out)


def _labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame whose first columns are its labels: those of a plain long table become its index."""
    if not isinstance(frame.index, pd.RangeIndex):
        return frame
    return frame.set_index(
        [name for name in frame.columns if not pd.api.types.is_float_dtype(frame[name])][:2]
    )


@app.command("import")
def bring_in(
    file: StudyFile,
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS.csv", help="counts or predictions from elsewhere")
    ],
) -> None:
    """Add results of other software (Weka, KEEL, R): they are ranked with the study's own.

    A CSV of counts has the columns dataset, classifier, tp, fn, fp, tn (and repeat, fold where
    there are several); one of predictions has dataset, classifier, y_true, y_pred (and repeat,
    fold)."""
    from deabench.study import Study
    from deabench.study.results.maintenance import import_results

    added = import_results(Study.from_toml(file).plan, results)
    say(f"added {added.classifiers} classifiers on {added.datasets} data sets ({added.rows} rows)")


def _emit_status(now: StudyStatus, form: Format, out: Path | None) -> None:
    """One record for a program, one line per item for a person."""
    frame = now.to_frame().set_index("total")
    if form is Format.table and out is None:
        frame = now.to_frame().astype(str).T.rename_axis("tasks").set_axis([""], axis=1)
    emit(frame, form=form, out=out)


def _say_failures(status: StudyStatus) -> None:
    if status.failed:
        from deabench.report.text.study import describe_failures

        say(describe_failures(status))
