"""What is done to each column before a classifier sees it: learnt from the training rows of every
fold, never before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Numeric = Literal["as is", "standardise", "minmax"]
Nominal = Literal["indicators", "codes", "target"]
Missing = Literal["impute", "as is"]
NUMERIC, NOMINAL, MISSING = get_args(Numeric), get_args(Nominal), get_args(Missing)


@dataclass(frozen=True)
class Prepare:
    """The preparation of a study's columns.

    Attributes
    ----------
    columns : bool
        Give the classifiers the columns by name, as a DataFrame, and do nothing to them.
    numeric, nominal, missing : str, "" = not asked for
        Numbers as is, standardised or scaled to 0..1; categories as indicators, codes, or means of
        the class (target); missing cells imputed (the median, the most frequent category) or left
        as they are.
    transformer : object or None
        A scikit-learn transformer of one's own, fitted to the DataFrame of the training rows.
    text : str
        What all of it comes to, for the tasks' keys.
    """

    columns: bool = False
    numeric: str = ""
    nominal: str = ""
    missing: str = ""
    transformer: Any = field(default=None, compare=False)
    text: str = ""

    @property
    def by_column(self) -> bool:
        """Whether classifiers (or what prepares for them) get the DataFrame and not the matrix."""
        return (
            self.columns
            or self.transformer is not None
            or bool(self.numeric or self.nominal or self.missing)
        )

    @property
    def leaves_missing(self) -> bool:
        return self.missing == "as is" or not (self.numeric or self.nominal or self.missing)


NOTHING = Prepare()
"""Classifiers see the matrix of the data set."""


def steps_of(prepare: Prepare, columns: tuple[Any, ...]) -> list[tuple[str, Any]]:
    """The first step of a pipeline, unfitted; none where nothing is asked for.

    Parameters
    ----------
    columns : tuple of Column
        The data set's features.
    """
    from sklearn.base import clone

    if prepare.transformer is not None:
        return [("prepare", clone(prepare.transformer))]
    if prepare.columns or not prepare.by_column:
        return []
    from sklearn.compose import ColumnTransformer

    numeric = [column.name for column in columns if column.kind == "numeric"]
    nominal = [column.name for column in columns if column.kind == "nominal"]
    parts = [("numeric", _numeric(prepare), numeric)] if numeric else []
    parts += [("nominal", _nominal(prepare), nominal)] if nominal else []
    return [("prepare", ColumnTransformer(parts, sparse_threshold=0.0))]


def _numeric(prepare: Prepare) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

    steps = (
        [("impute", SimpleImputer(strategy="median", keep_empty_features=True))]
        if prepare.missing != "as is"
        else []
    )
    scaler = {"standardise": StandardScaler, "minmax": MinMaxScaler}.get(
        prepare.numeric, FunctionTransformer
    )
    return Pipeline([*steps, ("scale", scaler())])


def _nominal(prepare: Prepare) -> Any:
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import (
        FunctionTransformer,
        OneHotEncoder,
        OrdinalEncoder,
        TargetEncoder,
    )

    steps: list[tuple[str, Any]] = [
        ("plain", FunctionTransformer(as_objects, feature_names_out="one-to-one"))
    ]
    if prepare.missing != "as is":
        steps.append(
            (
                "impute",
                SimpleImputer(
                    strategy="most_frequent", keep_empty_features=True, missing_values=None
                ),
            )
        )
    encoders: dict[str, Any] = {
        "codes": OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
        "target": TargetEncoder(),
    }
    encoder = encoders.get(prepare.nominal) or OneHotEncoder(
        handle_unknown="ignore", sparse_output=False
    )
    return Pipeline([*steps, ("encode", encoder)])


def as_objects(frame: Any) -> Any:
    """Categories as Python texts and None where missing, which every encoder of scikit-learn
    understands.
    """
    return frame.astype(object).where(frame.notna(), None)
