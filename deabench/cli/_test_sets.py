"""Predictions of a file as tests between classifiers want them: one column per classifier, or a
test set each.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from deabench.errors import DataError

BESIDE = ("y_true", "instance", "fold")


@dataclass(frozen=True)
class TestSet:
    """One test set that all classifiers share.

    Attributes
    ----------
    y_true : Series, instances
    values : DataFrame, instances x classifiers
        Labels or scores.
    fold : Series or None
        Of each instance.
    """

    __test__ = False  # the name is no test for pytest

    y_true: pd.Series
    values: pd.DataFrame
    fold: pd.Series | None


def shared(frame: pd.DataFrame, column: str) -> TestSet:
    """The test set of a wide file, or of a long one whose classifiers were all tested on the same
    instances.

    Raises
    ------
    DataError
        A long file where an instance has two true classes, or the classifiers have different
        instances.
    """
    if "classifier" not in frame.columns:
        values = frame[[name for name in frame.columns if name not in BESIDE]]
        return TestSet(frame["y_true"], values, frame["fold"] if "fold" in frame.columns else None)
    keys = [name for name in ("fold", "instance") if name in frame.columns]
    if "instance" not in keys:
        frame = frame.assign(
            instance=frame.groupby(["classifier", *keys], sort=False).cumcount() + 1
        )
        keys = [*keys, "instance"]
    _once(frame, keys)
    for name, rows in frame.groupby(keys, sort=False)["y_true"]:
        if rows.nunique(dropna=False) > 1:
            raise DataError(
                f"{_place(keys, name)} has the true classes {' and '.join(repr(x) for x in rows.unique()[:2])}; the "
                "classifiers are compared on the same instances (for test sets of their own take --test z)"
            )
    wide = frame.pivot(index=keys, columns="classifier", values=column)[
        list(dict.fromkeys(frame["classifier"]))
    ]
    truth = frame.drop_duplicates(keys).set_index(keys)["y_true"].reindex(wide.index)
    gone = wide.isna().to_numpy()
    if gone.any():
        row, place = next(zip(*gone.nonzero(), strict=True))
        raise DataError(
            f"'{wide.columns[place]}' has no prediction for {_place(keys, wide.index[row])}; the classifiers are "
            "compared on the same instances (for test sets of their own take --test z)"
        )
    fold = (
        wide.index.get_level_values("fold").to_series(index=range(len(wide)))
        if "fold" in keys
        else None
    )
    return TestSet(
        truth.reset_index(drop=True), wide.reset_index(drop=True).rename_axis(columns=None), fold
    )


def own(frame: pd.DataFrame, column: str) -> tuple[dict[str, pd.Series], dict[str, pd.Series]]:
    """Each classifier's own true classes and predictions, of a long file.

    Raises
    ------
    DataError
        A wide file; instances that two classifiers share.
    """
    if "classifier" not in frame.columns:
        raise DataError(
            "the classifiers of a wide file share their instances, and the z test wants test sets of their own; "
            "take --test mcnemar"
        )
    if "instance" in frame.columns:
        _once(frame, ["instance"])
        twice = frame.duplicated("instance")
        if twice.any():
            raise DataError(
                f"instance '{frame.loc[twice, 'instance'].iloc[0]}' is of two classifiers, and the z test wants test "
                "sets of their own; take --test mcnemar"
            )
    parts = {
        str(name): rows.reset_index(drop=True)
        for name, rows in frame.groupby("classifier", sort=False)
    }
    return {name: rows["y_true"] for name, rows in parts.items()}, {
        name: rows[column] for name, rows in parts.items()
    }


def by_fold(test_set: TestSet, *, scored: bool, positive: object) -> pd.DataFrame:
    """Accuracy of labels, or AUC of scores, per fold: folds x classifiers.

    Raises
    ------
    DataError
        Where there is no column fold.
    """
    from deabench.compare.predictions import find_correct
    from deabench.metrics.roc_area import delong

    if test_set.fold is None:
        raise DataError(
            "there is no column 'fold'; the t and Bayesian tests of predictions compare folds"
        )
    rows = {}
    for name, part in test_set.values.groupby(test_set.fold.to_numpy(), sort=False):
        truth = test_set.y_true[part.index]
        rows[str(name)] = (
            delong(truth, part, positive=positive).auc
            if scored
            else find_correct(truth, part).mean()
        )
    return pd.DataFrame(rows).T.rename_axis("fold")


def _once(frame: pd.DataFrame, keys: list[str]) -> None:
    twice = frame.duplicated(["classifier", *keys])
    if twice.any():
        row = frame[twice].iloc[0]
        raise DataError(
            f"'{row['classifier']}' has two rows for {_place(keys, tuple(row[key] for key in keys))}; leave one out"
        )


def _place(keys: list[str], name: object) -> str:
    values = name if isinstance(name, tuple) else (name,)
    return ", ".join(f"{key} '{value}'" for key, value in zip(keys, values, strict=True))
