"""Decide what each column of a table is: by its name and values, then by the other columns.

1. `infer_column` looks at one column. What the user or the source declares decides, else the name
   (`deabench.tables.naming.vocabulary`). Values only check the name (`check_range`): they tell
   shares from percent and widen a range that they contradict.
2. `deabench.tables.recognition.ranks` gives a bare "score" its direction, by the rank beside it.
3. `deabench.tables.recognition.blocks` holds the columns against each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from deabench.tables.cells import Numbers
from deabench.tables.naming.meaning import Meaning, MeaningKind
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.sort_marks import look_up_sorted
from deabench.tables.naming.units import spell_unit
from deabench.tables.naming.vocabulary import (
    SIZE_KINDS,
    has_name,
    is_weak,
    is_whole_name,
    look_up_beside,
    look_up_measure,
    look_up_metric,
    look_up_unit,
)
from deabench.utils.lazy import lazy_pattern

DeclaredRole = Literal["output", "lower_rate", "cost", "label", "dataset", "left_out"]
"""Roles that a user or a source can state."""
Declaration: TypeAlias = tuple[DeclaredRole, str] | tuple[DeclaredRole, str, MeaningKind]
"""A role, where it is declared and, if not by the source itself, what the reason says."""
Declarations = Mapping[str, Declaration]
MIN_RANK_CORRELATION = 0.9
"""A rank column tells the direction of a score where their rank correlation is beyond this."""
ROUNDED_SUM = 0.051
"""What an error rate and its complement may miss 100 by, because both were rounded."""
GUESSED = "a guess, for its name is not known: higher is better"
COUNTS_ROWS = "it only counts the rows"
ALL_EMPTY = "every cell is empty"
UNKNOWN_NAME = "its name is not known"
OTHER_INPUTS = "other inputs are named"
MAX_FREE = 0.1
"""More sizes of 0 than one, or this share, stand for unknown ones; a baseline may be free."""
USER_SAYS = "you say so"
YEARS = (1950.0, 2035.0)
BITS = (4.0, 8.0, 16.0, 32.0, 64.0)
_NUMBERED_PASS = lazy_pattern(r"_(pass|run|phase|stage|step|hop)_?\d+_")
_NUMBERED_NAME = lazy_pattern(r"\(\s*\d+\s*\)\s*$")
"""The number in brackets behind the name of one of several systems."""


@dataclass(frozen=True)
class Column:
    """What one column is, and why.

    Attributes
    ----------
    name : str
    role : str
        A role of `deabench.tables.naming.vocabulary`, or "text", "unknown" or "guess" (an output in
        a table where no name is known).
    unit : str
        "share", "percent", "seconds", ...
    low, high : float
        Its range, in its own unit; infinite where it is not known.
    reason : str
    negated : bool
        Whether it is a loss with the opposite sign (`neg_*`).
    declared : bool
        Whether `lower_is_better` names it: it takes part whatever else is selected.
    undesirable : bool
        Whether it is an output of which less is better.
    production : {"", "goods", "side"}
        Whether its name is one of goods that producers use or make, or says input or output.
    kind : str
        What the reason says in one word, as `deabench.tables.naming.meaning` lists them.
    """

    name: str
    role: str
    unit: str = ""
    low: float = -np.inf
    high: float = np.inf
    reason: str = ""
    negated: bool = False
    declared: bool = False
    undesirable: bool = False
    production: str = ""
    kind: MeaningKind = ""

    def with_role(self, role: str, reason: str, kind: MeaningKind = "", **changes: Any) -> Column:
        """Return the column with another role, for another reason."""
        return replace(self, role=role, reason=reason, kind=kind, **changes)

    @property
    def metric(self) -> bool:
        """Whether it enters a ranking."""
        return self.role in ("output", "lower_rate", "cost", "guess")

    @property
    def ambiguous(self) -> bool:
        """Whether its name is known to stand for either direction, as deposits of a bank."""
        return self.role == "conditional" and self.kind == "input or output"

    @property
    def bounded(self) -> bool:
        """Whether its greatest value is known, so that it can be complemented."""
        return bool(np.isfinite(self.high))

    @property
    def complemented(self) -> bool:
        """Whether it enters as its complement: a rate for which lower is better."""
        return self.role == "lower_rate" and self.bounded

    @property
    def input(self) -> bool:
        """Whether it enters as an input: a cost, or a loss without a greatest value."""
        return self.role == "cost" or (self.role == "lower_rate" and not self.bounded)

    @property
    def direction(self) -> str:
        """The better direction, "higher" or "lower"; empty for what is no metric."""
        if self.role in ("output", "guess"):
            return "higher"
        return "lower" if self.metric else ""

    @property
    def range(self) -> tuple[float, float]:
        """Least and greatest possible value."""
        return self.low, self.high


def infer_column(
    name: str,
    numbers: Numbers | None,
    declarations: Declarations,
    names: Sequence[str] = (),
) -> Column:
    """Infer what a column is from its declaration, else its name; its values are only a check.

    Parameters
    ----------
    name : str
    numbers : Numbers or None
        The column's cells; None for a column of text.
    declarations : mapping of column to (role, reason)
        What the source or the user states.
    names : sequence of column names
        All names of the table: X1 means something beside Y1 only.
    """
    # The name, first beside the other names, then by itself; an arrow says more than neighbours.
    meaning_beside = None
    parsed = parse_name(name)
    if not parsed.better and look_up_unit(parsed.unit) is None:
        meaning_beside = look_up_beside(name, names)
    meaning = meaning_beside or look_up_metric(name)
    if numbers is not None and meaning is not None and meaning.kind == "stated":
        meaning = look_up_sorted(name, names, numbers.values) or meaning
    # What a name means beside another is certain: coordinates are fractions.
    if (
        meaning_beside is None
        and numbers is not None
        and _names_rows_in_part(meaning, name, numbers)
    ):
        meaning = look_up_measure(name)
    # What the cells state tells more than a weak name, or none: "510 MB/s" is a throughput.
    is_open = (
        meaning is None
        or (meaning.role == "conditional" and (meaning_beside is None or meaning.kind == "open"))
        or meaning.kind in ("setting", "computer", "statistic")
        or is_weak(meaning)
        # "PASS1" in seconds is no rate of tests that pass.
        or _NUMBERED_PASS.fullmatch(parse_name(name).words)
    )
    if numbers is not None and numbers.unit and is_open:
        meaning = look_up_unit(spell_unit(numbers.unit)) or meaning
    is_turned = meaning is not None and meaning.kind == "turned"
    # Accuracies on negatives are no accuracies below 0.
    if is_turned and numbers is not None and np.nanmin(numbers.values, initial=np.inf) >= 0:
        meaning = look_up_measure(re.sub("neg(ative)?", "", name, count=1, flags=re.IGNORECASE))
    # What the user or the source declares counts more than any name.
    if name in declarations:
        meaning = _apply_declaration(meaning, *declarations[name])
    if meaning is not None and numbers is not None and _contradicts(meaning, name, numbers):
        # Shares of false positives are their rate; "MSE fold random" and "no (WER)" are errors.
        is_count = any(has_name(name, word) for word in ("tp", "fp", "fn", "tn"))
        is_count |= parse_name(name).words == "_errors_"
        measure = look_up_measure(f"{name} rate" if is_count else name)
        if "count" in meaning.kind:
            measure = look_up_unit(spell_unit(numbers.unit)) or measure
        meaning = measure if measure is not None and measure.better != "neither" else None
    names_rows = meaning is not None and meaning.role in ("label", "dataset")
    if numbers is None:
        # Text names systems or data sets, or is left out by declaration; it measures nothing.
        is_left_out = name in declarations and declarations[name][0] == "left_out"
        if meaning is not None and (names_rows or is_left_out):
            return Column(name, meaning.role, reason=meaning.reason, kind=meaning.kind)
        # The seeds of long results are keys, and read as text.
        if meaning is not None and meaning.kind == "run":
            return Column(name, "text", reason=meaning.reason, kind="run")
        return Column(name, "text", reason="it holds text, no numbers")
    values = numbers.values[np.isfinite(numbers.values)]
    # From here on the column holds numbers.
    if not len(values):
        return Column(name, "left_out", reason=ALL_EMPTY, kind="empty")
    # Systems and data sets may be numbered; a column of fractions names neither.
    if meaning is None and _are_years(values):
        return Column(name, "left_out", reason="its values are years", kind="date")
    if meaning is None or (names_rows and (values != np.round(values)).any()):
        return Column(name, "unknown", reason=UNKNOWN_NAME)
    if names_rows:
        return Column(name, meaning.role, reason=meaning.reason, kind=meaning.kind)
    # A "build" of 1997 is a year.
    if meaning.kind == "time" and not meaning.unit and _are_years(values):
        return Column(name, "left_out", reason="its values are years", kind="date")
    column = Column(
        name,
        meaning.role,
        meaning.unit,
        meaning.low,
        meaning.high,
        meaning.reason,
        meaning.negated,
        undesirable=meaning.undesirable,
        production=meaning.production,
        kind=meaning.kind,
    )
    return check_range(column, values, numbers.unit)


def _are_years(values: np.ndarray) -> bool:
    """Return whether all numbers are whole and lie where years of our time do."""
    is_whole = bool((values == np.round(values)).all())
    return is_whole and values.min() >= YEARS[0] and values.max() <= YEARS[1] and len(values) > 1


def _names_rows_in_part(meaning: Meaning | None, name: str, numbers: Numbers) -> bool:
    """Return whether a column of measurements is called by a label or a description among others.

    "LLM Quality Score" holds scores, "ImageNet linear" accuracies and "RepoEval" fractions.
    """
    if meaning is None:
        return False
    if meaning.role in ("label", "dataset"):
        # "Laptop (12)" is one of several laptops, and no column of their names.
        return not is_whole_name(name, meaning.role) or _NUMBERED_NAME.search(name) is not None
    values = numbers.values[np.isfinite(numbers.values)]
    # Descriptions are numbered by whole numbers; fractions measure something.
    is_description = meaning.kind == "description"
    return is_description and bool((values != np.round(values)).any())


def _contradicts(meaning: Meaning, name: str, numbers: Numbers) -> bool:
    """Return whether values contradict a name: identifiers, counts and runs are whole numbers.

    The task "Counts", the language "id" and the benchmark "SEED" hold shares; a version may be 1.5.
    """
    if meaning.role != "left_out" or "version" in name.lower():
        return False
    if meaning.kind not in ("identifier", "count", "run", "confusion count"):
        return False
    # Counts have no percent signs, and are not in bytes or seconds; settings may number rows.
    if numbers.unit == "percent":
        return True
    if "count" in meaning.kind and look_up_unit(spell_unit(numbers.unit)) is not None:
        return True
    values = numbers.values[np.isfinite(numbers.values)]
    return bool((values != np.round(values)).any())


def _apply_declaration(
    meaning: Meaning | None, role: DeclaredRole, reason: str, kind: MeaningKind = "declared"
) -> Meaning:
    """Return the declared role with the unit of the name, and its range where both agree."""
    if meaning is None:
        return Meaning(role, reason=reason, kind=kind)
    # A cost and an error rate have one direction, so the range of the name still holds.
    if meaning.role == role or {meaning.role, role} == {"cost", "lower_rate"}:
        return replace(meaning, role=role, reason=reason, kind=kind)
    if role in ("output", "lower_rate"):
        return Meaning(role, meaning.unit, reason=reason, kind=kind)
    return Meaning(role, reason=reason, kind=kind)


def check_range(column: Column, values: np.ndarray, unit: str = "") -> Column:
    """Check the range of a metric against its finite values, and widen what they contradict.

    Parameters
    ----------
    unit : str
        What the cells state: "percent", "seconds" or "".
    """
    if not column.metric and column.role != "conditional":
        return column
    if column.negated:
        return _check_negated(column, values)
    is_stated = column.kind in ("stated", "user")
    is_error = column.role == "lower_rate" and column.low == 0 and not is_stated
    if is_error and (values <= 0).all() and has_name(column.name, "drawdown"):
        reason = "losses of money that are written below 0: higher is better"
        return column.with_role("output", reason, low=-np.inf, high=0.0)
    if is_error and (values < 0).any():
        reason = "it holds values below 0, so less is not always better; say which way is better"
        return column.with_role("conditional", reason, low=-np.inf, high=np.inf)
    # A unit in the cells is exact where the name tells none; durations are never negative.
    if unit and column.unit in ("", "share"):
        column = replace(column, unit=unit)
        if unit != "percent":
            column = replace(column, low=0.0)
    zeros = int((values == 0).sum())
    if column.kind in SIZE_KINDS and zeros > min(1, MAX_FREE * len(values)):
        reason = f"a size of 0 in {zeros} rows stands for an unknown one"
        return column.with_role("left_out", reason)
    # A rate up to 1, or of unknown range, may be written as a share or in percent.
    if column.unit in ("share", "percent") and column.range in ((0.0, 1.0), (-np.inf, np.inf)):
        # A mean of other than rates may be one of times.
        if column.kind == "mean of scores" and values.max() > 100:
            reason = "its name does not say of what it is the mean"
            return column.with_role("conditional", reason, unit="")
        return _check_share(column, values, unit)
    # A value outside of the range refutes its limit, not the name.
    if (values < column.low).any():
        column = replace(column, low=-np.inf)
    if (values > column.high).any():
        column = replace(column, high=np.inf)
    return column


def _check_share(column: Column, values: np.ndarray, unit: str) -> Column:
    """Set the unit of a rate: a share up to 1, percent up to 100, else a range that is unknown."""
    if column.name.lower() == "precision" and np.isin(values, BITS).all():
        return column.with_role("left_out", "it is the precision of numbers, in bits")
    maximum = values.max()
    is_negative = values.min() < 0
    # Rounding may carry a share or a percentage just above its greatest value.
    if unit == "percent" or (1 + 1e-9 < maximum <= 100 + 1e-9 and not is_negative):
        return replace(column, unit="percent", low=0.0, high=100.0)
    if is_negative:
        return replace(column, unit="", low=-np.inf, high=np.inf)
    if maximum > 100:
        return replace(column, unit="", low=0.0, high=np.inf)
    return replace(column, unit="share", low=0.0, high=1.0)


def is_weak_column(column: Column) -> bool:
    """Return whether a column's role rests on a weak word, as score or average."""
    meaning = look_up_metric(column.name)
    return meaning is not None and is_weak(meaning) and column.kind == meaning.kind


def agree_on_percent(columns: Sequence[Column], frame: pd.DataFrame) -> list[Column]:
    """Return the columns with error rates below 1 in percent where something says that they are.

    0.86 may be an error rate of 86 % or of 0.86 %. It is in percent where the name says so, where
    an error rate of the same name is in percent, and where 100 minus it is another column.
    """
    percent_rates = [column for column in columns if column.unit == "percent" and column.metric]
    agreed = []
    for column in columns:
        is_open = column.complemented and column.unit == "share" and not column.declared
        if is_open and column.kind != "user" and column.name in frame:
            is_percent = "_percent_" in parse_name(column.name).all_words or any(
                _is_same_rate(column, rate) or _is_complement(column, rate, frame)
                for rate in percent_rates
            )
            if is_percent:
                column = replace(column, unit="percent", high=100.0)
        agreed.append(column)
    return agreed


def _is_same_rate(column: Column, percent_rate: Column) -> bool:
    """Return whether the names of two error rates share a word that names an error rate."""
    shared = set(parse_name(column.name).words.split("_"))
    shared &= set(parse_name(percent_rate.name).words.split("_"))
    meanings = [look_up_metric(word) for word in shared if word]
    return percent_rate.role == "lower_rate" and any(
        meaning is not None and meaning.role == "lower_rate" for meaning in meanings
    )


def _is_complement(column: Column, quality: Column, frame: pd.DataFrame) -> bool:
    """Return whether a column is 100 minus another, which is better high."""
    if quality.role != "output" or quality.name not in frame:
        return False
    total = frame[column.name] + frame[quality.name]
    return bool(total.notna().any() and (total.dropna() - 100).abs().max() <= ROUNDED_SUM)


def _check_negated(column: Column, values: np.ndarray) -> Column:
    """Check a loss with the opposite sign: its values lie between -1 (or -100) and 0."""
    if (values > 0).any():
        reason = (
            "its name says that its sign is turned, but it holds values above 0; "
            "say which way is better"
        )
        return column.with_role("left_out", reason)
    minimum = values.min()
    if column.range != (-1.0, 0.0) or minimum >= -1:
        return column
    if minimum >= -100:
        return replace(column, unit="percent", low=-100.0)
    return replace(column, unit="", low=-np.inf)


def agree_on_error_sets(columns: Sequence[Column]) -> list[Column]:
    """Return the columns with error rates on known data sets in percent where one of them is.

    0.9 on "vox1-O" beside 1.7 on "vox1-H" is no rate of 90 %.
    """
    rates = [c for c in columns if c.role == "lower_rate" and has_name(c.name, "error_set")]
    if not any(column.unit == "percent" for column in rates):
        return list(columns)
    shares = {c.name for c in rates if c.unit == "share" and c.kind != "user" and not c.declared}
    return [replace(c, unit="percent", high=100.0) if c.name in shares else c for c in columns]
