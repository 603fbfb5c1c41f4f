"""`deabench report`: one self-contained page about a table, a ranking or a study."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, Any

import typer

import deabench as db
from deabench.cli._consent import AllowOutside
from deabench.cli._io import is_stdout, print_message, write_text
from deabench.cli._options import (
    Inputs,
    LowerIsBetter,
    Model,
    ModelOptions,
    Norm,
    Orientation,
    Outputs,
    Returns,
    SamplesFile,
    SamplesPositive,
    SamplesScores,
    SamplesThreshold,
    TargetsOn,
    parse_lower_is_better,
    parse_model,
    split_all_names,
    split_names,
)
from deabench.errors import DataError


class ReportFormat(enum.StrEnum):
    """The format of a report."""

    html = "html"
    md = "md"
    tex = "tex"


def report_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="TABLE|STUDY|RANKING",
            help="A table of metrics (- is standard input), a study's .toml, or the CSV that rank "
            "writes.",
        ),
    ],
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
    outputs: Outputs = None,
    inputs: Inputs = None,
    lower_is_better: LowerIsBetter = None,
    model: Model = None,
    option: ModelOptions = None,
    returns: Returns = None,
    orientation: Orientation = None,
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
    uncertainty: SamplesFile = None,
    scores: SamplesScores = False,
    threshold: SamplesThreshold = None,
    positive: SamplesPositive = None,
    allow_outside: AllowOutside = False,
) -> None:
    """Write one page about a table, a ranking or a study.

    It tells which classifiers are efficient, how far the others are from the frontier, what they
    would have to gain, and how certain that is.
    """
    page_options: dict[str, Any] = {
        "tested": _read_tested(tested),
        "metrics": split_names(metrics),
        "norm": norm,
        "on": on,
        "title": title,
    }
    request = parse_model(model, option, returns, orientation)
    rank_options: dict[str, Any] = {
        "outputs": split_all_names(outputs),
        "inputs": split_all_names(inputs),
        "model": request.model,
        "returns": request.returns,
        "orientation": request.orientation,
    }
    # A model with further options holds all of its words.
    if request.options:
        from deabench.models.options import TableFacts

        rank_options["model"] = request.resolve(TableFacts(has_inputs=bool(inputs)))
        rank_options["returns"] = rank_options["orientation"] = None
    lower = parse_lower_is_better(lower_is_better)
    # A study file is known by its ending.
    if source.endswith(".toml"):
        if lower:
            raise DataError("a study knows its own directions; leave out --lower-is-better")
        if uncertainty is not None:
            raise DataError("a study knows its own data sets; leave out --uncertainty")
        page = _report_study(Path(source), page_options, rank_options, allow_outside)
    elif uncertainty is not None:
        from deabench.cli._prediction_files import SampleOptions

        samples = (uncertainty, SampleOptions(None, positive, scores, threshold))
        page = _report_table(source, lower, page_options, rank_options, samples)
    else:
        page = _report_table(source, lower, page_options, rank_options)
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
    from deabench.tables.selection import read_values

    return read_values(text)


def _report_table(
    source: str,
    lower_is_better: dict[str, Any] | list[str],
    page_options: dict[str, Any],
    rank_options: dict[str, Any],
    samples: tuple[Path, Any] | None = None,
) -> Any:
    """Report a table, with uncertainty if there are samples, or a ranking that was saved as CSV."""
    from deabench.report.saved_ranking import is_saved_ranking, report_saved_ranking
    from deabench.tables.readers.delimited import read_labelled_csv

    if source.endswith(".csv"):
        # A saved ranking is known by its columns; any other CSV is read as a table.
        frame = read_labelled_csv(source)
        if is_saved_ranking(frame):
            if samples is not None:
                raise DataError(
                    f"'{source}' is a saved ranking; give --uncertainty with the table that it was "
                    "made of"
                )
            return report_saved_ranking(frame, page_options["title"])
    extra = {"provenance": {"source": source}}
    table = db.read(source, lower_is_better=lower_is_better)
    if samples is None:
        return db.report(table, extra=extra, **page_options, **rank_options)
    from deabench.cli._prediction_files import add_uncertainty

    ranking = add_uncertainty(db.rank(table, **rank_options), *samples)
    return db.report(ranking, extra=extra, **page_options)


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
