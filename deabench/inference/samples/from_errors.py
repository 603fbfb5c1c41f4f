"""Make samples of tables with standard errors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.moments import Array, ErrorSource, Moments
from deabench.inference.samples.instance_fields import SampleFields
from deabench.tables.validation import require_numbers
from deabench.utils.checks import did_you_mean
from deabench.utils.frames import with_named_rows


def samples_from_table(
    table: pd.DataFrame, errors: pd.DataFrame | Mapping[str, float]
) -> SampleFields:
    """Return the fields of samples of a table with standard errors; all errors are independent."""
    table = with_named_rows(table)
    errors = with_named_rows(errors)
    if not isinstance(table, pd.DataFrame) or len(table) < 2:
        raise DataError(
            "the table has fewer than two rows; efficiency compares, give at least two systems"
        )
    values = require_numbers(table, list(table.columns))
    check_positive(values, "metric")
    # The delta method: the standard error of log y is se / y.
    relative = _read_errors(values, errors).to_numpy() / values.to_numpy()
    k, s = relative.shape
    sources = tuple(independent_errors(relative[:, r] ** 2, r, s) for r in range(s))
    moments = Moments(np.log(values.to_numpy()), sources, np.full(s, np.inf))
    notes = (
        "independence of the systems and of the metrics is assumed: standard errors say "
        "nothing of answers in common",
        "no small-sample rule is used: the standard errors are taken as they are, as of normal "
        "errors",
    )
    pairing = "unpaired: from standard errors"
    return {
        "values": values.rename_axis("classifier"),
        "moments": moments,
        "sizes": {"systems": k},
        "pairing": pairing,
        "design": "table",
        "notes": notes,
    }


def independent_errors(variance: Array, column: int, columns: int) -> ErrorSource:
    """Return errors in one column, independent between classifiers, with `variance` (k,)."""
    k = len(variance)
    gradient = np.zeros((k, columns, 1))
    gradient[:, column, 0] = 1.0
    covariance = np.diag(variance)[:, None, :, None]
    return ErrorSource(gradient, covariance, np.zeros((k, columns)))


def check_positive(values: pd.DataFrame, noun: str, name: str = "") -> None:
    """Refuse numbers of 0 or less.

    Parameters
    ----------
    name : str
        Of the metric, where the columns are classifiers.
    """
    invalid = np.argwhere(~(values.to_numpy() > 0))
    if not len(invalid):
        return
    i, r = invalid[0]
    column = values.columns[r]
    metric, label = (name, column) if name else (column, values.index[i])
    raise DataError(
        f"{noun} '{metric}' of '{label}' is {values.iloc[i, r]:g}; intervals of ratios need "
        "numbers > 0"
    )


def _read_errors(values: pd.DataFrame, errors: pd.DataFrame | Mapping[str, float]) -> pd.DataFrame:
    """Return the standard errors in the shape of the values after checking them."""
    if not isinstance(errors, pd.DataFrame | Mapping):
        raise DataError(
            f"the standard errors are a {type(errors).__name__}; give a DataFrame like the table, "
            "or {metric: standard error}"
        )
    # Every metric, and in a table every row, needs an error.
    columns = list(errors)
    for name in values.columns:
        if name not in columns:
            raise DataError(
                f"there is no standard error of '{name}'; {did_you_mean(name, columns)}"
            )
    if isinstance(errors, pd.DataFrame):
        for label in values.index:
            if label not in errors.index:
                raise DataError(
                    f"there is no standard error for '{label}'; "
                    f"{did_you_mean(label, list(errors.index))}"
                )
        frame = require_numbers(errors.loc[values.index], list(values.columns))
    else:
        numbers = {name: float(errors[name]) for name in values.columns}
        frame = pd.DataFrame(numbers, index=values.index)
    # The first error that is negative or no number is named.
    numbers_array = frame.to_numpy()
    invalid = np.argwhere(~(np.isfinite(numbers_array) & (numbers_array >= 0)))
    if len(invalid):
        i, r = invalid[0]
        raise DataError(
            f"the standard error of '{values.columns[r]}' of '{values.index[i]}' is "
            f"{frame.iloc[i, r]:g}; give a number >= 0"
        )
    return frame
