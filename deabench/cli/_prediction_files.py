"""Read files of predictions, scores, counts or folds and match the classifiers' instances."""

from __future__ import annotations

import pandas as pd

import deabench as db
from deabench.cli._io import print_message
from deabench.cli.options.samples import find_label
from deabench.cli.options.table import SourceOptions
from deabench.compare.predictions import find_correct
from deabench.errors import DataError
from deabench.metrics.answer_rows import (
    align_classifiers,
    check_one_class_per_instance,
)
from deabench.metrics.labels import GroundTruth, against_rest, ground_truth
from deabench.metrics.roc_area import delong
from deabench.tables.recognition.kinds import as_numbers, recognise_instances
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import find_key
from deabench.utils.instances import count_classes, format_labels
from deabench.utils.text import quote_names

ROW_KEYS = ("dataset", "fold", "repeat", "seed")
"""What the rows of a table of scores may be."""
OTHER_TEST_SETS = (
    "the classifiers are compared on the same instances (for test sets of their own take --test z)"
)
COUNTS = ["tp", "fn", "fp", "tn"]
Piece = tuple[pd.DataFrame, dict[str, pd.Series]]
"""What is known of some instances, and the classifiers' labels or scores of them."""


def read_instances(source: SourceOptions) -> pd.DataFrame:
    """Read the raw cells of predictions, scores or counts with the usual names of columns.

    A column becomes numbers if all of its filled cells are numbers; empty cells are missing. A
    source of any other kind is returned as it stands.
    """
    frame = source.open().frame
    instances = recognise_instances(frame)
    keys: dict[str, str] = {}
    if instances is not None:
        keys = dict(instances.with_declared(source.declared_keys).columns)
    else:
        keys = source.declared_keys
    names = {name: key for key, name in keys.items() if name == key or key not in frame.columns}
    frame = frame.drop(columns=source.ignored_columns, errors="ignore").rename(columns=names)
    # Names stay text; an empty cell of any other column is missing.
    values = [name for name in frame.columns if name not in ("classifier", "dataset")]
    return frame.assign(**{name: as_numbers(frame[name]) for name in values})


def holds_scores(frame: pd.DataFrame, file: str, scores_wanted: bool) -> bool:
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
    frame = _keep_instances_once(frame)
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


def _keep_instances_once(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each instance of a long file, which has one for each classifier, too."""
    if "classifier" not in frame.columns:
        return frame
    if "instance" in frame.columns:
        keys = [name for name in (*ROW_KEYS, "instance") if name in frame.columns]
        return frame.drop_duplicates(keys)
    # Without names the rows of all classifiers are the same instances if their classes are.
    classes = [rows for _, rows in frame.groupby("classifier", sort=False)]
    first = classes[0]
    labels = list(first["y_true"])
    return first if all(list(rows["y_true"]) == labels for rows in classes) else frame


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


def select_dataset(frame: pd.DataFrame, file: str, dataset: str | None) -> pd.DataFrame:
    """Return the predictions on one data set; which one must be said if there are several."""
    names = [str(name) for name in dict.fromkeys(frame["dataset"])]
    if dataset is None and len(names) > 1:
        raise DataError(
            f"'{file}' holds predictions on {len(names)} data sets ({quote_names(names)}), and "
            f"tests of predictions need one; type --on-dataset {names[0]}, or compare the metrics "
            f"of all: deabench metrics {file} --format csv | deabench compare - --metric TPR"
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
    if rows is not None and not keys and "instance" in rows:
        raise DataError(
            f"'{file}' holds {rows['instance'].nunique()} instances of each {table.row_name}, and "
            "a test of tables compares data sets, folds or seeds; type "
            f"deabench uncertainty {file}, which pairs the instances, or name the column of data "
            "sets as 'dataset'"
        )
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
    if keys[0] == "dataset" and len(keys) > 1:
        print_message(f"{quote_names(keys[1:])}: averaged within each data set")
        keys = keys[:1]
    means = rows.groupby([*keys, "classifier"], sort=False)[metric].mean()
    # Sorted, then put back in the order of the file: pandas before 3 misplaces values otherwise.
    scores = means.unstack().reindex(
        index=means.index.droplevel("classifier").unique(),
        columns=means.index.get_level_values("classifier").unique(),
    )
    # A task may have other metrics than this one.
    is_empty = scores.isna().all(axis=1)
    if is_empty.any():
        named = quote_names(map(str, scores.index[is_empty]), 4)
        print_message(f"left out, for no system has '{metric}' there: {named}")
    return scores[~is_empty].reset_index(names=keys)


def name_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of scores whose index is its first column, or the keys of its rows.

    Folds and runs are averaged where there is a column of data sets, too.
    """
    columns = list(frame.columns)
    matches = {key: find_key(columns, key) for key in ROW_KEYS}
    keys = {key: name for key, name in matches.items() if name is not None}
    # Row numbers that a program wrote are no names.
    if keys and str(columns[0]).startswith("Unnamed"):
        frame = frame.drop(columns=columns[0])
        columns = columns[1:]
    if columns[0] not in keys.values():
        return frame.set_index(columns[0])
    if "dataset" in keys and len(keys) > 1:
        values = frame.drop(columns=[name for key, name in keys.items() if key != "dataset"])
        return values.groupby(keys["dataset"], sort=False).mean()
    return frame.set_index(list(keys.values()))


def align_test_set(frame: pd.DataFrame, value: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Match the classifiers' instances; without a column 'instance' they are numbered in order."""
    keys = [name for name in ("fold", "instance") if name in frame.columns]
    # Rows in one order are taken for the same instances.
    if "classifier" in frame.columns and "instance" not in keys:
        numbers = frame.groupby(["classifier", *keys], sort=False).cumcount() + 1
        frame = frame.assign(instance=numbers)
        keys.append("instance")
    return align_classifiers(frame, value, keys, OTHER_TEST_SETS)


def split_test_sets(
    frame: pd.DataFrame, value: str
) -> tuple[dict[str, pd.Series], dict[str, pd.Series]]:
    """Return the true classes and the predictions of each classifier's own test set."""
    if "classifier" not in frame.columns:
        raise DataError(
            "the classifiers of a wide file share their instances, and the z test needs a test set "
            "for each; take --test mcnemar"
        )
    # An instance that occurs twice is shared by two classifiers.
    if "instance" in frame.columns and frame["instance"].duplicated().any():
        instance = frame.loc[frame["instance"].duplicated(), "instance"].iloc[0]
        raise DataError(
            f"instance '{instance}' has two rows, and the z test needs a test set for each "
            "classifier; take --test mcnemar"
        )
    rows = {
        str(name): group.reset_index(drop=True)
        for name, group in frame.groupby("classifier", sort=False)
    }
    return (
        {name: group["y_true"] for name, group in rows.items()},
        {name: group[value] for name, group in rows.items()},
    )


def score_folds(
    instances: pd.DataFrame, answers: pd.DataFrame, *, is_scores: bool, positive: object
) -> pd.DataFrame:
    """Compute the accuracy of labels, or the AUC of scores, per fold: folds x classifiers."""
    if "fold" not in instances.columns:
        raise DataError(
            "there is no column 'fold'; the t and Bayesian tests of predictions compare folds"
        )
    values = {}
    for fold, rows in answers.groupby(instances["fold"].to_numpy(), sort=False):
        y_true = instances.loc[rows.index, "y_true"]
        if is_scores:
            values[str(fold)] = delong(y_true, rows, positive=positive).auc
        else:
            values[str(fold)] = find_correct(y_true, rows).mean()
    return pd.DataFrame(values).T.rename_axis("fold")
