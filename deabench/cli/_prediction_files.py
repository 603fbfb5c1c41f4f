"""Read files of predictions, scores, counts or folds and match the classifiers' instances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

import deabench as db
from deabench.cli.options.parsing import split_names
from deabench.errors import DataError
from deabench.metrics.answer_rows import (
    align_classifiers,
    check_one_class_per_instance,
)
from deabench.metrics.labels import GroundTruth, against_rest, ground_truth
from deabench.tables.answers import ANSWER_KINDS
from deabench.tables.read import open_source
from deabench.tables.readers.delimited import read_labelled_csv
from deabench.tables.recognition.kinds import recognise_instances
from deabench.utils.checks import did_you_mean
from deabench.utils.instances import count_classes, format_labels
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.inference.samples import Samples
    from deabench.results.ranking import Ranking
    from deabench.tables.table import Table

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".gz", "")
"""Names of files of any other suffix say that they are no CSV."""
ROW_KEYS = ("dataset", "fold", "repeat", "seed")
"""What the rows of a table of scores may be."""
COUNTS = ["tp", "fn", "fp", "tn"]
Piece = tuple[pd.DataFrame, dict[str, pd.Series]]
"""What is known of some instances, and the classifiers' labels or scores of them."""


def read_instances(file: str | Path) -> pd.DataFrame:
    """Read a file with one row per instance, count or block.

    Columns that are called by other words (model, label, prediction) get their usual names. Labels
    in `y_true` become numbers if all of them are numbers; empty ones are missing.
    """
    if Path(file).suffix.lower() not in TEXT_SUFFIXES:
        return _with_usual_names(open_source(file).frame)
    frame = read_labelled_csv(file)
    labels = frame.index.to_series()
    if labels.name == "y_true":
        # The reader takes the first column for labels of rows, that is for text.
        numeric = pd.to_numeric(labels, errors="coerce")
        if numeric.notna().all():
            labels = numeric
        frame.index = pd.Index(labels, name="y_true")
    frame = _with_usual_names(frame.reset_index())
    if "y_true" in frame.columns:
        # pandas reads an empty label as "", but the metrics look for None.
        frame["y_true"] = frame["y_true"].replace("", None)
    return frame


def _with_usual_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return predictions, scores or counts with the names of columns that the metrics know."""
    instances = recognise_instances(frame)
    if instances is None:
        return frame
    names = {name: key for key, name in instances.columns.items() if key not in frame.columns}
    renamed = frame.rename(columns=names)
    if "y_true" in names.values():
        return with_numeric_column(renamed, "y_true")
    return renamed


def with_numeric_column(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Convert a column of text to numbers if all of its cells are numbers."""
    numeric = pd.to_numeric(frame[name], errors="coerce")
    if numeric.isna().any():
        return frame
    return frame.assign(**{name: numeric})


def find_label(text: str | None, y_true: pd.Series) -> object:
    """Return the class that a text of the command line names, or the text if there is none."""
    # A label read as 1.0 is typed as 1.
    for label in y_true.unique():
        if text == str(label) or (isinstance(label, float) and text == f"{label:g}"):
            return label
    return text


def holds_scores(frame: pd.DataFrame, file: Path, scores_wanted: bool) -> bool:
    """Return whether a long or wide file is read as scores; refuse other layouts."""
    if "y_true" not in frame.columns:
        raise DataError(
            f"'{file}' has the columns {quote_names(frame.columns, len(frame.columns))}; give "
            "counts (classifier,tp,fn,fp,tn), a long table (classifier,y_true and y_pred or score) "
            "or a wide one (y_true and a column per classifier); deabench rank ranks a table that "
            "has metrics already"
        )
    if "classifier" not in frame.columns:
        # Labels come first, unless scores are asked for or are all there is.
        return scores_wanted
    if not {"y_pred", "score"} & set(frame.columns):
        raise DataError(f"'{file}' has the columns classifier and y_true only; add y_pred or score")
    if scores_wanted and "score" not in frame.columns:
        raise DataError(
            f"'{file}' has no column 'score'; leave --scores and --threshold out, or add it"
        )
    return scores_wanted or "y_pred" not in frame.columns


def read_classes(
    frame: pd.DataFrame, positive: str | None, *, scores: bool, one_against_rest: bool = False
) -> GroundTruth:
    """Determine the classes of the whole file and which of them is positive.

    Raises
    ------
    DataError
        If an instance has two classes, or there are more than two classes and none is named.
    """
    check_one_class_per_instance(frame)
    label = find_label(positive, frame["y_true"])
    if one_against_rest:
        if positive is None:
            raise DataError("--against-rest needs the positive class; name it with --positive")
        return against_rest(frame["y_true"], label)
    if not frame["y_true"].isna().any() and frame["y_true"].nunique() > 2:
        labels, _ = count_classes(frame["y_true"].to_numpy())
        raise DataError(
            f"y_true holds {len(labels)} classes ({format_labels(labels)}); take one against the "
            "rest (--positive CLASS --against-rest) or compare them all (deabench metrics "
            "--multiclass)"
        )
    return ground_truth(frame["y_true"], label, scores=scores)


def split_instances(
    frame: pd.DataFrame, value: str, *, by_fold: bool, is_paired: bool = False
) -> list[Piece]:
    """Split a file into the instances that one call judges.

    Parameters
    ----------
    frame : DataFrame
        A long or wide file.
    value : str
        The column of labels or scores of a long file.
    by_fold : bool
        Whether each fold is judged by itself.
    is_paired : bool
        Whether the classifiers of a long file are matched instance by instance.
    """
    fold_keys = ["fold"] if by_fold else []
    # Without pairing each classifier is judged on its own rows.
    if "classifier" in frame.columns and not is_paired:
        return [
            (rows, {str(rows["classifier"].iloc[0]): rows[value]})
            for _, rows in frame.groupby(["classifier", *fold_keys], sort=False)
        ]
    if "classifier" in frame.columns and "instance" not in frame.columns:
        raise DataError(
            "the classifiers of a long file are compared instance by instance; "
            "add a column 'instance'"
        )
    keys = [name for name in ("fold", "instance", "cluster", "weight") if name in frame.columns]
    instances, answers = align_classifiers(frame, value, keys)
    # Without folds all instances are one group.
    groups = instances.groupby(fold_keys, sort=False) if by_fold else [(None, instances)]
    return [
        (rows, {str(name): answers.loc[rows.index, name] for name in answers}) for _, rows in groups
    ]


@dataclass(frozen=True)
class SampleOptions:
    """How a file of samples is read: the options as they were typed."""

    metrics: str | None = None
    positive: str | None = None
    scores: bool = False
    threshold: float | None = None
    costs: Path | None = None


def read_samples(file: Path, options: SampleOptions) -> Samples:
    """Read the samples of classifiers from a file of any kind that has more than one number each.

    Raises
    ------
    DataError
        If the file has one number per system and metric.
    """
    from deabench.inference.samples.from_tables import samples_of_table

    table = with_answer_options(db.read(file), options)
    samples = samples_of_table(table, outputs=split_names(options.metrics))
    if options.costs is None:
        return samples
    costs = read_labelled_csv(options.costs)
    return samples.with_costs({str(name): costs[name] for name in costs.columns})


def with_answer_options(table: Table, options: SampleOptions) -> Table:
    """Return a table of predictions or scores with the class and threshold as typed."""
    if table.kind not in ANSWER_KINDS or table.rows is None:
        return table
    rows = table.rows
    if (options.scores or options.threshold is not None) and "y_pred" in rows:
        # A wide file of scores that are whole numbers may look like one of labels.
        rows = (
            rows.drop(columns="y_pred")
            if "score" in rows
            else rows.rename(columns={"y_pred": "score"})
        )
    rows = rows.copy(deep=False)
    rows.attrs = {"positive": None, "threshold": options.threshold}
    if "y_true" in rows:
        rows.attrs["positive"] = find_label(options.positive, rows["y_true"])
    return replace(table, rows=rows)


def add_uncertainty(ranking: Ranking, file: Path, options: SampleOptions) -> Ranking:
    """Add intervals and verdicts to a ranking from the samples that its table was made of."""
    from deabench.inference.samples.from_tables import samples_of_data

    table = with_answer_options(db.read(file), options)
    return ranking.with_uncertainty(samples_of_data(table, ranking.data))


def select_dataset(frame: pd.DataFrame, file: str, dataset: str | None) -> pd.DataFrame:
    """Return the predictions on one data set; which one must be said if there are several."""
    names = [str(name) for name in dict.fromkeys(frame["dataset"])]
    if dataset is None and len(names) > 1:
        raise DataError(
            f"'{file}' holds predictions on {len(names)} data sets ({quote_names(names)}), and "
            f"tests of predictions need one; type --dataset {names[0]}, or compare the metrics of "
            f"all of them: deabench metrics {file} --format csv | deabench compare - --metric TPR"
        )
    if dataset is not None and dataset not in names:
        raise DataError(f"there is no data set '{dataset}'; {did_you_mean(dataset, names)}")
    is_chosen = frame["dataset"].astype(str) == (dataset or names[0])
    return frame[is_chosen].drop(columns="dataset").reset_index(drop=True)


def scores_of_long_table(frame: pd.DataFrame, file: str, metric: str | None) -> pd.DataFrame:
    """Return one metric of a long table, a row per data set, fold or run."""
    table = db.read(frame)
    if table.kind == "counts":
        raise DataError(
            f"'{file}' holds counts, which do not tell who was right on the same instances; type "
            f"deabench uncertainty {file}, or give the predictions"
        )
    rows = table.rows
    keys = [] if rows is None else [key for key in ROW_KEYS if key in rows]
    if rows is None or not keys:
        raise DataError(
            f"'{file}' has one number per system, and a test needs several; add a column dataset, "
            "fold or seed (deabench rank ranks the file as it is)"
        )
    names = [column.name for column in table.metrics]
    if metric is None and len(names) != 1:
        raise DataError(
            f"'{file}' has the metrics {quote_names(names)}, and a test compares one; type "
            f"--metric {names[0] if names else 'NAME'}"
        )
    metric = metric or names[0]
    if metric not in table.frame:
        raise DataError(f"there is no metric '{metric}'; {did_you_mean(metric, names)}")
    # Folds and runs of one data set are averaged where there are several data sets.
    keys = keys[:1] if keys[0] == "dataset" else keys
    means = rows.groupby([*keys, "classifier"], sort=False)[metric].mean()
    # Sorted, then put back in the order of the file: pandas before 3 misplaces values otherwise.
    scores = means.unstack().reindex(
        index=means.index.droplevel("classifier").unique(),
        columns=means.index.get_level_values("classifier").unique(),
    )
    return scores.set_axis([str(label) for label in scores.index]).reset_index(names=keys[0])
