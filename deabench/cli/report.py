"""`deabench report`: one self-contained page about a table, a ranking or a study."""

from __future__ import annotations

import enum
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

import deabench as db
from deabench.cli._consent import AllowOutside
from deabench.cli._io import is_stdout, print_message, write_text
from deabench.cli.options.declarations import (
    Norm,
    TargetsOn,
    split_names,
    with_option_groups,
)
from deabench.cli.options.model import ModelWords, RankingWords, Streaming
from deabench.cli.options.samples import SampleFile
from deabench.cli.options.table import TableOptions
from deabench.errors import DataError
from deabench.report.build import is_saved_ranking, report_saved_ranking
from deabench.report.document import Section
from deabench.report.text.words import as_sentence
from deabench.tables.readers.delimited import read_labelled_csv
from deabench.tables.selection import read_values
from deabench.tables.transforms import to_user_values


class ReportFormat(enum.StrEnum):
    """The format of a report."""

    html = "html"
    md = "md"
    tex = "tex"


@with_option_groups
def report_command(
    table: TableOptions,
    model: ModelWords,
    samples: SampleFile,
    streaming: Streaming,
    words: RankingWords,
    *,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Write to this file instead of stdout."),
    ] = None,
    form: Annotated[
        ReportFormat | None,
        typer.Option(
            "--format",
            case_sensitive=False,
            help="Default: by the end of the file's name, else html.",
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(help="The metrics of the frontier and the targets. Default: the outputs."),
    ] = None,
    tested: Annotated[
        str | None,
        typer.Option(help="Rows of the table, as A,B, or a CSV of new algorithms."),
    ] = None,
    norm: Norm = "l1",
    on: TargetsOn = "faces",
    title: Annotated[str | None, typer.Option(help="The title of the report.")] = None,
    allow_outside: AllowOutside = False,
) -> None:
    """Write one page about a table, a ranking (the CSV that rank writes) or a study (its .toml).

    It tells which classifiers are efficient, how far the others are from the frontier, what they
    would have to gain, and how certain that is.
    """
    page_options: dict[str, Any] = {
        "tested": _read_tested(tested),
        "metrics": split_names(metrics),
        "norm": norm,
        "on": on,
        "title": title,
        "explain": words.explain,
        "by_dataset": words.by_dataset,
    }
    request = model.request()
    missing: Any = table.missing
    rank_options: dict[str, Any] = {
        "outputs": table.output_names,
        "inputs": table.input_names,
        "missing": missing,
        "strict": table.strict,
        "reference": words.reference,
        "model": request.model,
        "returns": request.returns,
        "orientation": request.orientation,
    }
    # A model with further options holds all of its words.
    if request.options:
        from deabench.models.options import TableFacts

        rank_options["model"] = request.resolve(TableFacts(has_inputs=bool(table.inputs)))
        rank_options["returns"] = rank_options["orientation"] = None
    file = table.files[0]
    if table.streamed_files is None:
        streaming.reject()
    # A study file is known by its ending.
    if file.endswith(".toml"):
        if table.lower_is_better:
            raise DataError("a study knows its own directions; leave out --lower-is-better")
        if samples.uncertainty is not None:
            raise DataError("a study knows its own data sets; leave out --uncertainty")
        page = _report_study(Path(file), page_options, rank_options, allow_outside)
    elif is_saved_ranking_file(file):
        if samples.uncertainty is not None:
            raise DataError(
                f"'{file}' is a saved ranking; give --uncertainty with the table that it was made "
                "of"
            )
        page = report_saved_ranking(read_labelled_csv(file), title)
    elif table.streamed_files is not None:
        page = _report_files(table, streaming, page_options)
    else:
        page = _report_table(table, samples, page_options, rank_options)
    if words.plot is not None:
        if page.results is None:
            raise DataError(f"'{file}' holds no metrics to draw; leave --plot out")
        words.draw(page.results.ranking)
    # The format that was typed comes before the ending of the file.
    suffix = "" if out is None else out.suffix.lower().lstrip(".")
    file_format = form.value if form is not None else suffix or "html"
    if out is None or is_stdout(out):
        write_text(page.text(file_format), None)
    else:
        page.save(out, file_format)
        print_message(f"wrote {out}")


def _read_tested(text: str | None) -> Any:
    """Return the table of a CSV file, or the labels that were typed."""
    if text is None or not text.endswith(".csv"):
        return split_names(text)
    return read_values(text)


def is_saved_ranking_file(file: str) -> bool:
    """Return whether a file is a ranking that was saved as CSV, by its columns."""
    return file.endswith(".csv") and is_saved_ranking(read_labelled_csv(file))


def _report_files(table: TableOptions, streaming: Streaming, page_options: dict[str, Any]) -> Any:
    """Report the rows of many files that span their frontier; the others are only counted."""
    files: Any = table.streamed_files
    front = db.frontier(files, **table.streaming_keywords(), **asdict(streaming))
    frame = to_user_values(front.data.outputs, front.data.transforms)
    page = db.report(
        frame,
        outputs=list(frame.columns),
        extra={"provenance": {"source": ", ".join(table.files)}},
        **page_options,
    )
    notes = [as_sentence(str(note)) for note in [front.summary().rstrip("."), *front.data.notes]]
    first = Section("notes", "What to know first", notes)
    return replace(page, sections=[first, *page.sections])


def _report_table(
    table: TableOptions,
    samples: SampleFile,
    page_options: dict[str, Any],
    rank_options: dict[str, Any],
) -> Any:
    """Report a table, with uncertainty if there are samples."""
    source: Any = samples.apply(table.read())
    # A budget leaves out rows, after the metrics were selected.
    if table.within is not None:
        source = table.table(source)
    if samples.uncertainty is not None:
        rank_options["uncertainty"] = samples.of_ranking(db.rank(source, **rank_options))
    extra = {"provenance": {"source": ", ".join(table.files)}}
    return db.report(source, extra=extra, **page_options, **rank_options)


def _report_study(
    file: Path, page_options: dict[str, Any], rank_options: dict[str, Any], allow_outside: bool
) -> Any:
    """Report a study; its file states what the command line leaves open."""
    from deabench.study import Study, package_versions

    study = Study.from_toml(file, allow_outside=allow_outside)
    dea = study.plan.dea
    # The command line comes before the study file.
    rank_options["outputs"] = rank_options["outputs"] or list(dea["outputs"])
    rank_options["inputs"] = rank_options["inputs"] or list(dea["inputs"]) or None
    page_options["tested"] = page_options["tested"] or list(dea["tested"]) or None
    page_options["metrics"] = page_options["metrics"] or list(dea["target_outputs"]) or None
    provenance = {
        "study": file.name,
        "seed": study.plan.seed,
        "digest of the results": study.status().digest,
        **{f"{name} now": version for name, version in package_versions().items()},
    }
    return db.report(
        study.summary(), extra={"provenance": provenance}, **page_options, **rank_options
    )
