"""`deabench report`: one self-contained page about a table, a ranking or a study."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from deabench.cli._io import names, say
from deabench.cli._options import (
    AnswersFile,
    AnswersPositive,
    AnswersScores,
    AnswersThreshold,
    Counts,
    Direction,
    Goal,
    Inputs,
    LowerIsBetter,
    Model,
    Norm,
    On,
    Orientation,
    Outputs,
    Ratios,
    Returns,
    Shares,
    Sums,
    directions,
    model_with_options,
    options,
    several,
)
from deabench.errors import DataError


class Written(enum.StrEnum):
    """What a report is written as."""

    html = "html"
    md = "md"
    tex = "tex"


def command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="TABLE|STUDY|RANKING",
            help="CSV of metrics (- is standard input), a study's "
            ".toml, or the CSV that rank writes",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="write to this file; without it to standard output"),
    ] = None,
    form: Annotated[
        Written | None,
        typer.Option("--format", help="default: by the end of the file's name, else html"),
    ] = None,
    outputs: Outputs = None,
    inputs: Inputs = None,
    lower_is_better: LowerIsBetter = None,
    model: Model = None,
    returns: Returns = None,
    orientation: Orientation = None,
    direction: Direction = None,
    weights: Counts = None,
    goal: Goal = None,
    sums: Sums = None,
    shares: Shares = None,
    ratios: Ratios = None,
    metrics: Annotated[
        str | None,
        typer.Option(help="metrics of the frontier and the targets; default: the outputs"),
    ] = None,
    tested: Annotated[
        str | None, typer.Option(help="rows of the table, as A,B, or a CSV of new algorithms")
    ] = None,
    norm: Norm = "l1",
    on: On = "faces",
    title: Annotated[str | None, typer.Option(help="the report's title")] = None,
    uncertainty: AnswersFile = None,
    scores: AnswersScores = False,
    threshold: AnswersThreshold = None,
    positive: AnswersPositive = None,
) -> None:
    """Write one self-contained page: who is efficient, how far the others are, what it would take,
    how sure that is.
    """
    how: dict[str, Any] = {
        "tested": _tested(tested),
        "metrics": names(metrics),
        "norm": norm,
        "on": on,
        "title": title,
    }
    settings: dict[str, Any] = {
        "outputs": several(outputs),
        "inputs": several(inputs),
        "lower_is_better": directions(lower_is_better),
    }
    asked = options(direction, weights, sums, shares, ratios) | {"goal": goal}
    asked |= {"returns": returns, "orientation": orientation}
    settings["model"] = model_with_options(model, asked, has_inputs=bool(inputs))
    if settings["model"] is None:
        settings |= {"returns": returns, "orientation": orientation}
    answers = None if uncertainty is None else (uncertainty, positive, scores, threshold)
    page = (
        _study(Path(source), how, settings, answers)
        if source.endswith(".toml")
        else _table(source, how, settings, answers)
    )
    chosen = (
        form.value
        if form is not None
        else out.suffix.lower().lstrip(".")
        if out is not None and out.suffix
        else "html"
    )
    if out is None or str(out) == "-":
        sys.stdout.write(page.text(chosen))
    else:
        page.save(out, chosen)
        say(f"wrote {out}")


def _tested(text: str | None) -> Any:
    """A CSV by its name, else labels."""
    from deabench.tables.selection import read_frame

    return read_frame(text) if text is not None and text.endswith(".csv") else names(text)


Answers: TypeAlias = tuple[Path, str | None, bool, float | None]
"""The file of --uncertainty and how it is read: the positive class, whether it holds scores, and
their threshold.
"""


def _table(
    source: str, how: dict[str, Any], settings: dict[str, Any], answers: Answers | None
) -> Any:
    from deabench.report.build import report
    from deabench.report.saved_ranking import of_saved, saved
    from deabench.tables.csv_reader import read_csv as plain
    from deabench.tables.read import read

    if source.endswith(".csv") and saved(plain(source)):
        if answers is not None:
            raise DataError(
                f"'{source}' is a ranking that was saved; give --uncertainty with the table it was made of"
            )
        return of_saved(plain(source), how["title"])
    if answers is not None:
        return report(
            _sure(read(source), settings, answers), extra={"provenance": {"source": source}}, **how
        )
    return report(read(source), extra={"provenance": {"source": source}}, **how, **settings)


def _sure(reading: Any, settings: dict[str, Any], answers: Answers) -> Any:
    """The ranking with what the answers say of how sure it is."""
    from deabench.analysis.ranking import rank
    from deabench.cli._samples import judged

    return judged(rank(reading, **settings), *answers)


def _study(
    file: Path, how: dict[str, Any], settings: dict[str, Any], answers: Answers | None
) -> Any:
    from deabench.report.build import report
    from deabench.study import Study, package_versions

    if answers is not None:
        raise DataError("a study knows its own data sets; leave out --uncertainty")
    study = Study.from_toml(file)
    plan, given = study.plan, dict(settings)
    given["outputs"] = settings["outputs"] or list(plan.dea["outputs"])
    given["inputs"] = settings["inputs"] or list(plan.dea["inputs"]) or None
    how = how | {
        "tested": how["tested"] or list(plan.dea["tested"]) or None,
        "metrics": how["metrics"] or list(plan.dea["target_outputs"]) or None,
    }
    facts = {
        "study": file.name,
        "seed": plan.seed,
        "digest of the results": study.status().digest,
        **{f"{name} now": version for name, version in package_versions().items()},
    }
    return report(study.summary(), extra={"provenance": facts}, **how, **given)
