"""`deabench curve`: ROC points with Tango's intervals, and the other curves of a score."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import typer

from deabench import curves
from deabench.cli._io import Format, emit, say
from deabench.cli._labels import by_cell, classes, part_of, read_instances
from deabench.cli._learning import learn
from deabench.cli._options import Out
from deabench.curves.roc import trace_roc
from deabench.curves.segment import segment_from_roc
from deabench.errors import DataError
from deabench.metrics.labels import GroundTruth
from deabench.utils.checks import did_you_mean

LONG = ("classifier", "y_true", "score")


class Kind(enum.StrEnum):
    """Which curve."""

    roc = "roc"
    tango = "tango"
    summary = "summary"
    bands = "bands"
    gain = "gain"
    lift = "lift"
    conversion = "conversion"
    pr = "pr"
    cost = "cost"
    learning = "learning"


class Band(enum.StrEnum):
    """Which band of a ROC curve."""

    fixed_width = "fixed-width"
    simultaneous = "simultaneous"


_MAKERS: Mapping[Kind, Any] = {
    Kind.gain: curves.gain,
    Kind.lift: curves.lift,
    Kind.pr: curves.precision_recall,
    Kind.cost: curves.cost_curve,
}
_SEGMENTS = (Kind.roc, Kind.tango, Kind.summary)
_TITLES = {
    Kind.roc: "ROC points with Tango's intervals of (fn - fp)/n",
    Kind.tango: "ROC points with Tango's intervals of (fn - fp)/n",
    Kind.summary: "balanced misclassification segments",
    Kind.bands: "fixed-width ROC bands",
    Kind.gain: "cumulative gain",
    Kind.lift: "lift",
    Kind.conversion: "conversion rates",
    Kind.pr: "precision and recall",
    Kind.cost: "cost curve: the cheapest threshold by probability cost",
}
_POINTS = ["at_least", "FPR", "TPR", "lower", "upper", "confident"]
_SHOWN = {  # what fits a terminal; --format csv and json have every column
    Kind.roc: _POINTS,
    Kind.tango: _POINTS,
    Kind.summary: ["n", "AUC", "confident", "SAUC", "AveD"],
    Kind.gain: ["population", "gain", "negative_gain", "difference", "at_least"],
    Kind.cost: ["from_pc", "to_pc", "at_least", "FPR", "FNR", "to_nec"],
}


def command(
    file: Annotated[
        str,
        typer.Argument(
            help="CSV with y_true and a score column per classifier, or with the columns "
            "classifier, y_true, score; '-' is standard input"
        ),
    ],
    kind: Annotated[
        Kind,
        typer.Option(
            help="roc and tango: every ROC point with Tango's interval; summary: SAUC, AveD "
            "and AUC per classifier; learning: "
            "y_true and columns of features, balanced accuracy by training rows"
        ),
    ] = Kind.roc,
    alpha: Annotated[float, typer.Option(help="one minus the level of intervals and bands")] = 0.05,
    positive: Annotated[
        str | None, typer.Option(help="the positive label (without it, 1 or True)")
    ] = None,
    against_rest: Annotated[
        bool, typer.Option("--against-rest", help="--positive against all other classes")
    ] = False,
    band: Annotated[
        Band, typer.Option(help="bands: near-nominal by the bootstrap, or simultaneous by theorem")
    ] = Band.fixed_width,
    costs: Annotated[
        str | None,
        typer.Option(
            help="say the threshold of least cost, for the cost of a missed positive and of a false alarm, as fn=5,fp=1"
        ),
    ] = None,
    prevalence: Annotated[
        float | None, typer.Option(help="the share of positives that --costs is for")
    ] = None,
    above: Annotated[float, typer.Option(help="conversion: positive where score > this")] = 0.5,
    learner: Annotated[
        str, typer.Option(help="learning: a scikit-learn classifier, by its class's name")
    ] = "GaussianNB",
    start: Annotated[
        int, typer.Option(help="learning: the first number of training rows; it doubles")
    ] = 50,
    plot: Annotated[Path | None, typer.Option(help="draw it into FILE.png, .svg or .pdf")] = None,
    out: Out = None,
    form: Annotated[
        Format, typer.Option("--format", help="how the table is written")
    ] = Format.table,
) -> None:
    """The ROC curve of each classifier with Tango's interval at every point, or another curve of
    the same scores.
    """
    if plot is not None:
        from deabench.plot.canvas import picture_format

        picture_format(plot)
    frame = read_instances(file)
    if kind is Kind.learning:
        emit(
            learn(frame, learner, start, plot),
            form=form,
            out=out,
            title=f"learning curve of {learner}",
        )
        return
    data = _scores(frame, file)
    true = classes(frame, positive, scores=True, rest=against_rest)
    price = _price(costs, prevalence)
    segments = {name: _segment(name, y, score, alpha, true) for name, (y, score) in data.items()}
    results = (
        segments
        if kind in _SEGMENTS
        else {
            name: _result(
                kind,
                segment,
                part_of(true, data[name][0]),
                data[name][1],
                above=above,
                band=band.value,
            )
            for name, segment in segments.items()
        }
    )
    if plot is not None:
        _draw(kind, results, segments, plot)
    emit(_fitted(_table(kind, results), kind, form, out), form=form, out=out, title=_TITLES[kind])
    _say(true.note, segments, price)


def _result(
    kind: Kind,
    segment: curves.Segment,
    true: GroundTruth,
    score: np.ndarray,
    *,
    above: float,
    band: Literal["fixed-width", "simultaneous"],
) -> Any:
    if kind is Kind.bands:
        return curves.bands(segment.roc, band, alpha=segment.alpha)
    if kind is Kind.conversion:
        return curves.conversion_rates(true, score, above=above)
    return _MAKERS[kind](true, score)


def _price(costs: str | None, prevalence: float | None) -> dict[str, float] | None:
    """The arguments of the least cost, where it is asked for."""
    given = by_cell(costs, "costs", "fn=5,fp=1")
    if given is None:
        if prevalence is not None:
            raise DataError(
                "--prevalence is for --costs; give both, as --costs fn=5,fp=1 --prevalence 0.02"
            )
        return None
    for name in given:
        if name not in ("fn", "fp"):
            raise DataError(
                f"--costs names '{name}'; a threshold takes fn and fp, as --costs fn=5,fp=1"
            )
    found = {f"cost_{name}": value for name, value in given.items()}
    return found if prevalence is None else {**found, "prevalence": prevalence}


def _fitted(table: pd.DataFrame, kind: Kind, form: Format, out: Path | None) -> pd.DataFrame:
    """The columns a terminal has room for; for JSON, which has no infinity, null where there is no
    threshold.
    """
    if form is Format.table and out is None:
        return table[_SHOWN.get(kind, list(table.columns))]
    if form is Format.json or (form is Format.table and out is not None and out.suffix == ".json"):
        return table.replace([np.inf, -np.inf], np.nan)
    return table


def _scores(frame: pd.DataFrame, file: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Labels and scores of each classifier, from the wide or the long form."""
    if "y_true" not in frame.columns:
        raise DataError(
            f"there is no column 'y_true' in '{file}'; {did_you_mean('y_true', list(frame.columns))}"
        )
    if set(LONG) <= set(frame.columns):
        unnamed = (frame["classifier"].isna() | (frame["classifier"].astype(str) == "")).to_numpy()
        if unnamed.any():
            raise DataError(
                f"the classifier of row {int(np.argmax(unnamed)) + 1} of '{file}' is missing; name it"
            )
        return {
            str(name): (part["y_true"].to_numpy(), part["score"].to_numpy())
            for name, part in frame.groupby("classifier", sort=False)
        }
    names = [name for name in frame.columns if name != "y_true"]
    if not names:
        raise DataError(
            f"'{file}' has no score; add a column of scores per classifier beside 'y_true'"
        )
    y = frame["y_true"].to_numpy()
    return {str(name): (y, frame[name].to_numpy()) for name in names}


def _segment(
    name: str, y: np.ndarray, score: np.ndarray, alpha: float, true: GroundTruth
) -> curves.Segment:
    try:
        part = part_of(true, y)  # of a long file's classifier: the file as a whole has both
    except DataError as error:
        raise DataError(f"classifier '{name}': {error}") from None
    return segment_from_roc(trace_roc(part, score, name), alpha)


def _table(kind: Kind, results: Mapping[str, Any]) -> pd.DataFrame:
    if kind is Kind.summary:
        return curves.Segments.from_segments(results).table
    even = np.linspace(
        0, 1, 101
    )  # a band's own points stand a hair before and behind each of its jumps
    frames = {
        name: (one.at(even) if kind is Kind.bands else one.to_frame()).reset_index()
        for name, one in results.items()
    }
    table = pd.concat(frames, names=["classifier", "row"]).reset_index("row", drop=True)
    return table.drop(
        columns=["index", "point"], errors="ignore"
    )  # the row numbers of one classifier's frame


def _say(note: str, segments: Mapping[str, curves.Segment], price: dict[str, float] | None) -> None:
    """The summary, a line per classifier, on standard error."""
    say(note)
    for name, one in segments.items():
        best = curves.best_threshold(one.roc)
        found = (
            f"{len(one.confident)} confident points, SAUC {one.sauc:.4f}, AveD {one.aved:.4f}"
            if len(one.confident)
            else "no confident point"
        )
        youden = round(best.value, 4) + 0.0  # no -0.0
        say(
            f"{name}: n = {one.roc.n}, AUC {one.roc.auc:.4f}, {found}; Youden's J {youden:.4f} with {best.rule}"
        )
        if price is not None:
            cheapest: Any = curves.best_threshold(one.roc, "cost", **price)
            say(
                f"{name}: {cheapest.criterion}: {cheapest.value:.4g} an instance, with {cheapest.rule}"
            )


def _draw(
    kind: Kind, results: Mapping[str, Any], segments: Mapping[str, curves.Segment], plot: Path
) -> None:
    from deabench.plot.canvas import save_figure
    from deabench.plot.curve_comparison import draw_curves

    save_figure(draw_curves(kind.value, results, segments), plot)
