"""What `uncertainty` and `gate` share: from a file of answers, counts or blocks to samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pandas as pd
import typer

from deabench.cli._io import names
from deabench.cli._labels import label_named, read_instances
from deabench.cli._options import word
from deabench.errors import DataError

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking
    from deabench.inference.samples import Samples

CELLS = {"tp", "fn", "fp", "tn"}
BESIDE = ("y_true", "instance", "fold", "repeat")
LAYOUTS = (
    "counts (classifier,tp,fn,fp,tn), blocks (classifier, fold or dataset, and metrics), a long table (classifier,instance,"
    "y_true and y_pred or score) or a wide one (y_true and a column per classifier)"
)

Metrics = Annotated[
    str | None, typer.Option(help="Metrics, as TPR,TNR,F1; TPR,TNR by default, of scores roc_auc.")
]
Positive = Annotated[str | None, typer.Option(help="The positive class; by default the minority.")]
Scores = Annotated[bool, typer.Option("--scores", help="The wide columns are scores, not labels.")]
Threshold = Annotated[
    float | None,
    typer.Option(help="Label positive where score >= this; the columns are then scores."),
]
Costs = Annotated[
    Path | None, typer.Option(help="CSV with a row per classifier and columns to be low, as exact.")
]
Returns = Annotated[
    str,
    typer.Option(
        help="With costs: vrs, or crs where metrics scale with them.",
        **word("returns", lambda: ("vrs", "crs")),
    ),
]
Orientation = Annotated[
    str,
    typer.Option(
        help="With costs: output or input, what is to change.",
        **word("orientation", lambda: ("output", "input")),
    ),
]


@dataclass(frozen=True)
class Reading:
    """How the file is to be read: the options as given."""

    metrics: str | None = None
    positive: str | None = None
    scores: bool = False
    threshold: float | None = None
    costs: Path | None = None


def read_samples(file: Path, how: Reading) -> Samples:
    """Samples from a CSV file in one of the layouts."""
    frame = read_instances(file)
    first = frame.columns[0]
    if first not in (
        "classifier",
        "dataset",
        "y_true",
    ):  # read as the rows' labels, that is as text
        numeric = pd.to_numeric(frame[first], errors="coerce")
        frame[first] = numeric if numeric.notna().all() else frame[first]
    samples = _samples(frame, file, how)
    if how.costs is None:
        return samples
    from deabench.tables.csv_reader import read_csv

    costs = read_csv(how.costs)
    return samples.with_costs({str(name): costs[name] for name in costs.columns})


def judged(
    ranking: Ranking, file: Path, positive: str | None, scores: bool, threshold: float | None
) -> Ranking:
    """A ranking with how sure it is, by the answers that its table was made of."""
    metrics = [*ranking.data.outputs.columns, *ranking.data.inputs.columns]
    said = ",".join(str(name).replace(",", ",,") for name in metrics)
    return ranking.with_uncertainty(read_samples(file, Reading(said, positive, scores, threshold)))


def _samples(frame: pd.DataFrame, file: Path, how: Reading) -> Samples:
    from deabench.inference.samples import Samples

    wanted = names(how.metrics)
    if "classifier" in frame.columns and "dataset" in frame.columns:
        return Samples.from_datasets(frame, metrics=wanted)
    if "classifier" in frame.columns and "fold" in frame.columns and "y_true" not in frame.columns:
        return Samples.from_folds(frame, metrics=wanted)
    if set(frame.columns) >= CELLS:
        label = "classifier" if "classifier" in frame.columns else frame.columns[0]
        counts = frame.set_index(label)
        return Samples.from_counts(counts, **_given(wanted))
    if "y_true" not in frame.columns:
        columns = ", ".join(f"'{name}'" for name in frame.columns)
        raise DataError(
            f"'{file}' has the columns {columns}; give {LAYOUTS}; "
            "docs/uncertainty.md says what each is taken for"
        )
    scored = how.scores or how.threshold is not None
    if "classifier" in frame.columns:
        scored = scored or "y_pred" not in frame.columns
        y_true, answers = _pivoted(frame, "score" if scored else "y_pred", file)
    else:
        y_true = frame["y_true"]
        answers = {str(name): frame[name] for name in frame.columns if name not in BESIDE}
    positive = label_named(how.positive, y_true)
    if scored:
        return Samples.from_scores(
            y_true, answers, positive=positive, threshold=how.threshold, metrics=wanted
        )
    return Samples.from_predictions(y_true, answers, positive=positive, **_given(wanted))


def _given(wanted: list[str] | None) -> dict[str, list[str]]:
    return {} if wanted is None else {"metrics": wanted}


def _pivoted(
    frame: pd.DataFrame, value: str, file: Path
) -> tuple[pd.Series, Mapping[str, pd.Series]]:
    """y_true and each classifier's values, in the order of the instances of the first classifier."""
    for column in ("instance", value):
        if column not in frame.columns:
            raise DataError(
                f"'{file}' has no column '{column}'; a long table needs classifier, instance, y_true and y_pred or "
                "score, so that the classifiers' answers to one instance meet"
            )
    groups = {
        str(name): rows.set_index("instance")
        for name, rows in frame.groupby("classifier", sort=False)
    }
    first, base = next(iter(groups.items()))
    for name, rows in groups.items():
        again = rows.index[rows.index.duplicated()]
        if len(again):
            raise DataError(
                f"'{name}' answers instance '{again[0]}' more than once; give every instance one row per classifier"
            )
        other = rows.index.symmetric_difference(base.index)
        if len(other):
            raise DataError(
                f"'{first}' and '{name}' did not answer the same instances, as '{other[0]}'; "
                "give them the same test set"
            )
        strange = rows.loc[base.index, "y_true"] != base["y_true"]
        if strange.any():
            raise DataError(
                f"instance '{base.index[strange.to_numpy()][0]}' has another y_true with '{name}' than with '{first}'; "
                "an instance has one true class"
            )
    return base["y_true"], {name: rows.loc[base.index, value] for name, rows in groups.items()}
