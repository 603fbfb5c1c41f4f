"""Validate the selected metrics of a table before any solver runs.

What DEA cannot use is refused by row, column and value; what weakens an answer is warned of.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from deabench.errors import DataError, warn_data
from deabench.tables.cells import MISSING_CODES, is_empty_word, parse_numbers
from deabench.tables.naming.meaning import Meaning
from deabench.tables.naming.vocabulary import look_up_metric
from deabench.tables.selected_table import MAX_NAMED_CELLS, SelectedTable, refuse_text
from deabench.tables.transforms import AffineTransform, Data
from deabench.utils.arrays import row_any, scale
from deabench.utils.frames import column_positions

Allowed = Literal["zero inputs", "zero outputs", "negative inputs", "negative outputs"]
MISSING_CHOICES = "missing='drop-systems', 'drop-metrics' or 'bounds'"
"""What to write where cells are empty: the option of the library and of the command line."""
NEGATIVE_MODELS = "model='rdm', model='ram' and model='additive' take any value"
"""What to write where values may be below 0."""
SMALLEST = 1e-304
LARGEST = 1e304
"""Quotients of numbers of these sizes by others near 1 are no subnormal floats, and finite."""
MAX_CORRELATION = 0.95
"""Two metrics that correlate more say nearly the same, and a warning says what that does."""
MAX_IGNORED = 1 / 3
"""At most this share of the metrics is left out for values that they cannot have."""
LEAST_PERCENT_MEDIAN = 2.0
"""The median of a rate in percent is above this, in a table that is not of rates up to 1."""


def validate(
    selected: SelectedTable,
    *,
    warn: bool = True,
    allow: Collection[Allowed] = (),
    other_table: pd.DataFrame | None = None,
    negative_remedy: str = NEGATIVE_MODELS,
) -> Data:
    """Refuse what DEA cannot use, warn of what weakens it, and convert every metric's direction.

    Parameters
    ----------
    selected : SelectedTable
    warn : bool
        Whether to warn of weak data; a reference is validated without, once is enough.
    allow : collection of str
        What the model takes: "zero inputs", "zero outputs" (a row of zeros), "negative inputs",
        "negative outputs" (they are counted from their least value, which changes nothing for such
        a model).
    other_table : DataFrame, optional
        The other table (tested or reference), whose values count too where an origin is chosen.
    negative_remedy : str
        What to write where values are below 0.

    Returns
    -------
    Data

    Raises
    ------
    DataError
        With the row, the column and the value.
    """
    # Each check assumes what those before it have refused: text, missing cells, then signs.
    _refuse_failures(selected)
    values = _copy_values(selected.frame, selected.metrics)
    _refuse_non_finite(values, f"say what to do with {MISSING_CHOICES}")
    _refuse_extreme(values)
    transforms, notes, reversed_outputs = _choose_transforms(values, other_table, selected, allow)
    for name, transform in transforms.items():
        values[name] = transform.apply(values[name])
    output_names = [name for name in selected.outputs if name not in reversed_outputs]
    input_names = [*selected.inputs, *reversed_outputs]
    _refuse_negative(values, negative_remedy)
    # The solvers take the outputs first, then the inputs.
    if reversed_outputs:
        values = values[[*output_names, *input_names]]
    # Slices of the array: pandas takes ten times as long to slice a small frame.
    count = len(output_names)
    outputs, inputs = (
        pd.DataFrame(values.to_numpy()[:, side], values.index, values.columns[side], copy=False)
        for side in (slice(count), slice(count, None))
    )
    if output_names and "zero outputs" not in allow:
        _refuse_zero_rows(outputs, "output")
    if input_names and "zero inputs" not in allow:
        _refuse_zero_rows(inputs, "input")
    if warn:
        warn_weak_data(values, len(output_names))
    return Data(outputs, inputs, tuple(notes), transforms)


def require_numbers(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return columns of a raw frame as float64; text, NaN and infinity are refused by cell."""
    numbers = {name: _require_column(frame[name]) for name in columns}
    values = _copy_values(pd.DataFrame(numbers, index=frame.index), columns)
    _refuse_non_finite(values, "leave the row or the column out")
    return values


def check_same_units(tested: pd.DataFrame, reference: pd.DataFrame, metrics: Sequence[str]) -> None:
    """Refuse two tables of which one has shares (.95) where the other has percent (95).

    Raises
    ------
    DataError
        Where a rate for which higher is better is up to 1 in one table and far above in the other.
        An error rate of .9 % is no such rate.
    """
    # Only rates of quality are compared: costs and errors have no common scale.
    for name in metrics:
        if name not in tested or name not in reference or not _is_quality_rate(name):
            continue
        tested_values = tested[name][np.isfinite(tested[name])]
        reference_values = reference[name][np.isfinite(reference[name])]
        for shares, percent, own_table, other_table in (
            (tested_values, reference_values, "tested", "reference"),
            (reference_values, tested_values, "reference", "tested"),
        ):
            if _are_shares(shares) and len(percent) and percent.median() > LEAST_PERCENT_MEDIAN:
                raise DataError(
                    f"metric '{name}' is up to {shares.max():g} in the {own_table} table and up to "
                    f"{percent.max():g} in the {other_table} one; one is a share and the other "
                    "percent, multiply the shares by 100"
                )


def warn_weak_data(values: pd.DataFrame, output_count: int) -> None:
    """Warn of constant metrics, duplicate rows, too few DMUs and correlated metrics.

    Parameters
    ----------
    values : DataFrame, n x metrics
        The first `output_count` columns are outputs, the others inputs.
    """
    count, metrics = values.shape
    matrix = values.to_numpy()
    # In a table of one row every metric is constant, which says nothing.
    constant = np.array([bool((c == c[0]).all()) for c in matrix.T], dtype=bool) & (count > 1)
    for column in np.flatnonzero(constant):
        name = values.columns[column]
        is_output = bool(column < output_count)
        has_other_side = 0 < output_count < metrics
        warn_data(_describe_constant(name, matrix[0, column], is_output, has_other_side))
    first, duplicates = _find_duplicates(values)
    if duplicates:
        text = f"'{duplicates[0]}' has the same metrics as '{first}'"
        if len(duplicates) > 1:
            text += f" ({len(duplicates)} duplicate rows in all)"
        warn_data(f"{text}: they score alike")
    # With s + m metrics, 3 (s + m) DMUs are the usual rule for enough discrimination.
    if 1 < count < 3 * metrics:
        plural = "" if metrics == 1 else "s"
        warn_data(
            f"{count} rows for {metrics} metric{plural}, fewer than 3 per metric: with so much "
            "freedom of weights most rows look efficient"
        )
    # Two points always lie on a line: correlation means nothing for them.
    if count < 3:
        return
    # Outputs correlate with outputs: only metrics on one side can replace each other.
    varying = np.flatnonzero(~constant)
    pairs = [
        (correlation, values.columns[side[a]], values.columns[side[b]])
        for side in (varying[varying < output_count], varying[varying >= output_count])
        for a, b, correlation in _find_correlated(matrix[:, side])
    ]
    if pairs:
        warn_data(_describe_correlated(pairs))


def _describe_correlated(pairs: Sequence[tuple[float, str, str]]) -> str:
    """Return one sentence on all pairs of correlated metrics; it names the closest one."""
    correlation, first, second = max(pairs, key=lambda pair: pair[0])
    text = f"metrics '{first}' and '{second}' are correlated at {correlation:.3f}"
    others = len(pairs) - 1
    if others:
        plural = "pair" if others == 1 else "pairs"
        text += f", {others} more {plural} above {MAX_CORRELATION:g}"
    return f"{text}: they say nearly the same, and each extra metric can only raise efficiencies"


def _copy_values(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return numeric columns as one float64 array in C order: sums keep their bits."""
    # By positions, with numpy: pandas takes longer to select columns than to rank a small frame.
    positions = column_positions(frame.columns, names)
    matrix = np.ascontiguousarray(frame.to_numpy(dtype=float).T[positions].T)
    columns = frame.columns.take(positions).rename(None)
    return pd.DataFrame(matrix, index=frame.index, columns=columns, copy=False)


def _refuse_failures(selected: SelectedTable) -> None:
    """Refuse a text in a column of numbers of a DataFrame; one in a file counts as missing."""
    if not selected.table.labelled:
        return
    for name in selected.metrics:
        for label, cell in selected.table.failures.get(name, {}).items():
            if label in selected.frame.index and np.isnan(selected.frame.at[label, name]):
                refuse_text(name, label, cell)


def _refuse_non_finite(values: pd.DataFrame, remedy: str) -> None:
    """Refuse NaN and infinity by row and column, all at once."""
    is_finite = np.isfinite(values.to_numpy())
    if not is_finite.all():
        bad = np.argwhere(~is_finite)
        numbers = "a finite number" if len(bad) == 1 else "finite numbers"
        raise DataError(f"{_describe_cells(values, bad)}; give {numbers}, or {remedy}")


def _refuse_extreme(values: pd.DataFrame) -> None:
    """Refuse values whose products or quotients are beyond what floats can hold."""
    sizes = np.abs(values.to_numpy())
    is_extreme = (sizes > LARGEST) | ((sizes > 0) & (sizes < SMALLEST))
    if is_extreme.any():
        raise DataError(
            f"{_describe_cells(values, np.argwhere(is_extreme))}; give the metric in another unit, "
            f"in which numbers are 0 or from {SMALLEST:g} to {LARGEST:g} in size"
        )


def _refuse_negative(values: pd.DataFrame, negative_remedy: str) -> None:
    """Refuse values below 0, and name the models that take them or what else they may be."""
    is_negative = values.to_numpy() < 0
    if not is_negative.any():
        return
    bad = np.argwhere(is_negative)
    # A metric that has no negative values by definition has them in no model.
    names = [str(values.columns[column]) for column in dict.fromkeys(bad[:, 1].tolist())]
    meanings = {name: look_up_metric(name) for name in names}
    never = [name for name, meaning in meanings.items() if meaning and not meaning.may_be_negative]
    options: dict[str, tuple[str, ...]] = {}
    remedy = f"this model needs values >= 0; {negative_remedy}"
    if never:
        remedy = f"'{never[0]}' cannot be below 0, correct it"
    elif negative_remedy == NEGATIVE_MODELS:
        # The first of the models that take any value needs no further choice.
        options = {"model": ("rdm",)}
    # A few metrics of many can be left out.
    if 0 < len(never) <= MAX_IGNORED * values.shape[1]:
        remedy += " or leave it out"
        options = {"ignore": tuple(never)}
    # One whole negative number, alone or repeated, may say "not measured".
    codes = np.unique(values.to_numpy()[bad[:, 0], bad[:, 1]])
    if len(codes) == 1 and codes[0] == np.round(codes[0]):
        remedy += f", or pass missing_code={codes[0]:g} if that stands for an empty cell"
        if never and codes[0] in MISSING_CODES:  # a profit of -1 is a profit
            options = {"missing_code": (f"{codes[0]:g}",)}
    error = DataError(f"{_describe_cells(values, bad)}; {remedy}")
    error.options = options
    raise error


def _describe_cells(values: pd.DataFrame, positions: np.ndarray) -> str:
    """Name the first cells at some (row, column) with their values, and count the others."""
    cells = []
    for row, column in positions[:MAX_NAMED_CELLS]:
        value = f"{values.iat[row, column]:g}"
        if value == "nan":
            value = "missing"
        cells.append(f"metric '{values.columns[column]}' of '{values.index[row]}' is {value}")
    text = ", ".join(cells)
    if len(positions) > MAX_NAMED_CELLS:
        text += f" and {len(positions) - MAX_NAMED_CELLS} more"
    return text


def _refuse_zero_rows(values: pd.DataFrame, role: str) -> None:
    zero = ~row_any(values.to_numpy())
    if zero.any():
        label = values.index[np.argmax(zero)]
        raise DataError(
            f"every {role} of '{label}' is 0; its efficiency is undefined, leave the row out"
        )


def _refuse_above(values: pd.Series, maximum: float) -> None:
    """Refuse a value above the stated maximum of its metric."""
    above = values.to_numpy() > maximum
    if above.any():
        label = values.index[above][0]
        raise DataError(
            f"metric '{values.name}' of '{label}' is {values[label]:g}, "
            f"above its stated maximum {maximum:g}; state the true maximum in lower_is_better"
        )


def _require_column(column: pd.Series) -> np.ndarray:
    """Return the numbers of a raw column; a text is refused by its row."""
    numbers = parse_numbers(column)
    if numbers is not None and not numbers.failed.any():
        return numbers.values
    for row, (label, cell) in enumerate(column.items()):
        if not isinstance(cell, str):
            continue
        if numbers.failed[row] if numbers is not None else not is_empty_word(cell):
            refuse_text(str(column.name), label, cell)
    if numbers is not None:
        return numbers.values
    return np.asarray(pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan))


def _choose_transforms(
    values: pd.DataFrame,
    other_table: pd.DataFrame | None,
    selected: SelectedTable,
    allow: Collection[Allowed],
) -> tuple[dict[str, AffineTransform], list[str], list[str]]:
    """Choose how each metric is converted.

    Returns
    -------
    transforms : dict of metric to AffineTransform
    notes : list of str
    reversed_outputs : list of str
        Outputs that become inputs: losses with the opposite sign and no conversion range.
    """
    transforms: dict[str, AffineTransform] = {}
    notes = []
    reversed_outputs = []
    # Rates for which lower is better become outputs: their complement to the maximum.
    for name, maximum in selected.maxima.items():
        _refuse_above(values[name], maximum)
        transforms[name] = AffineTransform(-1.0, maximum)
        notes.append(f"'{name}' stands for its complement {maximum:g} - {name}: lower is better")
    least_values = [float(column.min()) for column in values.to_numpy().T]
    minima = dict(zip(values.columns, least_values, strict=True))
    for name, minimum in minima.items():
        # The origin must be that of the reference, too: both tables are counted from one value.
        if other_table is not None and name in other_table:
            other_values = pd.to_numeric(other_table[name], errors="coerce")
            minimum = float(np.fmin(minimum, other_values.min()))
        if name in transforms or minimum >= 0:
            continue
        meaning = _meaning_in_table(selected, name)
        allowed_side: Allowed = "negative inputs"
        if name in selected.outputs:
            allowed_side = "negative outputs"
            conversion = _choose_by_meaning(values[name], minimum, meaning)
            if conversion is not None:
                transforms[name], note = conversion
                notes.append(note)
                if transforms[name].sign < 0:
                    reversed_outputs.append(name)
                continue
        # A negative value of a metric that has none by definition is an error in the table.
        if allowed_side in allow and meaning.may_be_negative:
            transforms[name] = AffineTransform(1.0, -minimum)
            notes.append(
                f"'{name}' is counted from {minimum:g}, the least value there, "
                "for it is negative in some rows; this model does not depend on the origin"
            )
    return transforms, notes, reversed_outputs


def _meaning_in_table(selected: SelectedTable, name: str) -> Meaning:
    """Return what a name means; losses that a table writes below 0 have their sign turned."""
    meaning = look_up_metric(name) or Meaning("conditional")
    if meaning.role == "lower_rate" and selected.range_of(name) == (-np.inf, 0.0):
        return replace(meaning, low=-np.inf, negated=True)
    return meaning


def _choose_by_meaning(
    values: pd.Series, minimum: float, meaning: Meaning
) -> tuple[AffineTransform, str] | None:
    """Convert a negative output by what its name says; None where it says nothing.

    A loss with the opposite sign is complemented where its range is known (with a range from -1,
    values down to -100 are percent), else it gets its own sign back. A metric with a negative least
    value, as a correlation, is counted from that value.
    """
    if meaning.negated and (values <= 0).all():
        note = f"'{values.name}' is a loss with its sign turned; inside it is "
        if np.isfinite(meaning.low) and minimum >= meaning.low:
            return AffineTransform(1.0, -meaning.low), f"{note}complemented"
        if np.isfinite(meaning.low) and minimum >= 100 * meaning.low:
            return AffineTransform(1.0, -meaning.low * 100.0), f"{note}complemented"
        return AffineTransform(-1.0, 0.0), f"{note}an input"
    if not np.isfinite(meaning.low) or meaning.low >= 0 or minimum < meaning.low:
        return None
    return AffineTransform(1.0, -meaning.low), (
        f"'{values.name}' is counted from {meaning.low:g}, its least possible value, "
        "for it is negative in some rows"
    )


def _is_quality_rate(name: str) -> bool:
    meaning = look_up_metric(name)
    return (
        meaning is not None
        and meaning.role == "output"
        and meaning.unit == "share"
        and meaning.high == 1.0
    )


def _are_shares(values: pd.Series) -> bool:
    return len(values) > 0 and bool(values.max() <= 1) and bool((values > 0).any())


def _describe_constant(name: str, value: float, is_output: bool, has_other_side: bool) -> str:
    """Say what a constant metric does, which depends on the side that it is on."""
    constant = f"metric '{name}' is {value:g} in every row"
    if not is_output and has_other_side:
        return (
            f"{constant}: with variable returns to scale it changes nothing, "
            "with others it is what outputs are counted against"
        )
    effect = f"{constant}: it makes every row at least weakly efficient"
    if has_other_side:
        effect += " where returns to scale are variable, or where there is no input"
    return effect


def _find_duplicates(values: pd.DataFrame) -> tuple[object, list[object]]:
    """Return the first label that has duplicates, and the labels of all duplicate rows."""
    matrix = values.to_numpy()
    # A mixture of the columns is equal in equal rows: where all mixtures differ, no row repeats.
    mixture = matrix[:, 0].copy()
    for k, column in enumerate(matrix.T[1:]):
        mixture += column * np.sqrt(k + 2.0)
    mixture.sort()
    if not (mixture[1:] == mixture[:-1]).any():
        return None, []
    duplicates = np.flatnonzero(values.duplicated().to_numpy())
    if not len(duplicates):
        return None, []
    first = np.flatnonzero((matrix == matrix[duplicates[0]]).all(axis=1))[0]
    return values.index[first], [values.index[row] for row in duplicates]


def _find_correlated(matrix: np.ndarray) -> list[tuple[int, int, float]]:
    """Return the pairs of columns above `MAX_CORRELATION`, each with its correlation."""
    if matrix.shape[1] < 2:
        return []
    # In units of each column, so that its squares stay within floats.
    correlations = np.corrcoef(np.divide(matrix.T, scale(matrix)[:, None], order="C"))
    pairs = np.argwhere(np.triu(correlations > MAX_CORRELATION, k=1)).tolist()
    return [(i, j, float(correlations[i, j])) for i, j in pairs]
