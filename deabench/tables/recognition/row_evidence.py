"""Tell whether rows are systems: by the name of their column, their own names and what they have.

Rows are ranked without a question only where something of this speaks for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from deabench.tables.cells import parse_numbers
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.questions import Answer, Question
from deabench.tables.naming.vocabulary import has_name, look_up_metric
from deabench.tables.recognition.columns import Column
from deabench.tables.recognition.layout import (
    PARAMETERS,
    PROBED_ROWS,
    are_benchmarks,
    is_system_name,
)
from deabench.utils.lazy import lazy_pattern
from deabench.utils.text import quote_names

LEAST_KNOWN_SYSTEMS = 0.25
"""A column names systems where at least this share of its cells are known ones, as "svm"."""
LEAST_CROSSED = 0.75
"""This share of the pairs of two columns stands in the table where one of them names data sets."""
SIDES = (("a", "b"), ("1", "2"), ("left", "right"), ("x", "y"))
"""How the names of two columns end that hold the sides of a pair."""
VARIANTS = ("setting", "identifier", "description", "date")
"""The kinds of columns that tell variants of a system apart, as versions."""
_CAPACITY = re.compile(
    r"_(cores?|[tgp]?flops|memory|vram|ram|bandwidth|clock|[gm]hz|transistors|sms?)_"
)
"""Words for what a machine is built with."""
_MEASURED = lazy_pattern(
    r"_(achieved|measured|sustained|effective|actual|scores?|stream|hpl|\w*gemm|utili[sz]ation"
    r"|per_watts?|copy)_"
)
"""Words for what was measured on a machine."""


def ask_for_evidence(
    cells: pd.Series,
    label: Sequence[str],
    title: str,
    *,
    is_named: bool = True,
) -> Question | None:
    """Ask whether rows are systems that neither their column's name nor their own names tell.

    Parameters
    ----------
    cells : Series
        The names of the rows.
    label : sequence of column names
    is_named : bool
        Whether the file has the label, and no reader made it up.
    """
    # What has no name was not read from a file: its maker calls it as he likes.
    if not title or (is_named and _names_systems(label[0])) or are_known_systems(cells):
        return None
    finding = f"nothing tells whether '{label[0]}' names the systems of '{title}'"
    if not is_named:
        finding = f"nothing tells whether {quote_names(list(cells), 3)} of '{title}' are systems"
    return make_question(finding, label)


def are_known_systems(cells: pd.Series) -> bool:
    """Return whether cells are names of known systems, as "svm"."""
    probed = cells.head(PROBED_ROWS)
    if are_benchmarks(probed):
        return False
    return bool(probed.map(is_system_name).mean() >= LEAST_KNOWN_SYSTEMS)


def _names_systems(label: str) -> bool:
    """Return whether the name of a column tells that it names systems, and nothing else."""
    if label in PARAMETERS:
        return True
    meaning = look_up_metric(label)
    is_noun = (meaning is not None and meaning.role == "label") or has_name(label, "entity")
    return is_noun and not has_name(label, "weak_label")


def are_resources(columns: Sequence[Column], metrics: Sequence[str]) -> bool:
    """Return whether metrics are inputs and outputs of producers, as staff and patients."""
    producing = [c for c in columns if c.name in metrics and c.production]
    roles = {c.role for c in producing}
    return 2 * len(producing) >= len(metrics) and {"cost", "output"} <= roles


def tells_variants(column: pd.Series) -> bool:
    """Return whether a column tells variants of a system apart: marks, or a known setting."""
    name = str(column.name)
    if has_name(name, "load"):
        return False
    meaning = look_up_metric(name)
    if meaning is not None and (meaning.role == "label" or meaning.kind in VARIANTS):
        return True
    return are_marks(column)


def are_marks(column: pd.Series) -> bool:
    """Return whether all cells are marks, as yes and no."""
    return all(not re.search(r"\w", cell) or has_name(cell, "mark") for cell in cell_texts(column))


def holds_whole_numbers(column: pd.Series) -> bool:
    """Return whether all numbers of a column are whole, as counts and settings are."""
    numbers = parse_numbers(column)
    return numbers is None or not (numbers.values % 1 > 0).any()


def is_square(cells: pd.Series, columns: Sequence[Column]) -> bool:
    """Return whether the columns have the names of the rows, as in a confusion matrix."""
    names = {c.name.strip().lower() for c in columns if c.role != "label"}
    return cells.nunique() > 1 and set(cells.str.lower()) <= names


def find_pair(columns: Sequence[Column]) -> tuple[str, str] | None:
    """Return two columns of names that stand for the sides of a pair, as "model_a" and "model_b".

    None where there are none.
    """
    names = [c.name for c in columns if c.role in ("text", "label")]
    for first, second in SIDES:
        for name in names:
            stem = re.fullmatch(rf"(.*\w[_\s-]){first}", name, re.IGNORECASE)
            partner = next(
                (n for n in names if stem and n.lower() == f"{stem[1]}{second}".lower()), ""
            )
            if partner:
                return name, partner
    return None


def make_question(finding: str, label: Sequence[str], default: str = "label") -> Question:
    """Return the question whether the rows that a label names are to be compared.

    Without a default they are hardly systems.
    """
    answer: Answer = {"label": tuple(label)}
    return Question(f"{finding}.", (), {"label": answer}, default)


def cell_texts(column: pd.Series) -> pd.Series:
    """Return the cells of a column as text, with "" for an empty one."""
    # As a list: for the few rows of most tables each step of pandas takes longer than all cells.
    cells = zip(column.to_numpy(dtype=object), column.notna().to_numpy(), strict=True)
    texts = [str(cell).strip() if is_filled else "" for cell, is_filled in cells]
    return pd.Series(texts, column.index, name=column.name)


def are_crossed(frame: pd.DataFrame, label: str, dataset: str) -> bool:
    """Return whether the values of a column stand on one row each with nearly all of `dataset`.

    Marks, as yes and no, are variants of a system.
    """
    if are_marks(frame[dataset]):
        return False
    pairs = pd.DataFrame({"label": cell_texts(frame[label]), "dataset": cell_texts(frame[dataset])})
    count = pairs["label"].nunique() * pairs["dataset"].nunique()
    is_complete = len(pairs) >= LEAST_CROSSED * count and pairs["dataset"].nunique() > 1
    # Of what stands beside a single system nothing can be compared.
    is_shared = bool((pairs["dataset"].value_counts() > 1).all())
    return is_complete and is_shared and not pairs.duplicated().any()


def may_be_load(frame: pd.DataFrame, column: Column, label: str) -> bool:
    """Return whether a column may hold the workloads or the sizes that systems were run on.

    "7B" is a size of models, but every algorithm has a row for each size of a problem.
    """
    is_topic = column.role == "text" and has_name(column.name, "topic")
    if is_topic or has_name(column.name, "load"):
        return True
    return has_name(column.name, "size") and are_crossed(frame, label, column.name)


def are_capacities(columns: Sequence[Column], metrics: Sequence[str]) -> bool:
    """Return whether all metrics say what a machine is built with, and none what it costs.

    A catalogue of machines, "CUDA Cores" and "FP32 TFLOPS", holds nothing that was measured.
    """
    roles = {column.name: column.role for column in columns}
    return bool(metrics) and all(
        roles.get(name) != "cost"
        and _CAPACITY.search(words := parse_name(name).all_words) is not None
        and _MEASURED.search(words) is None
        for name in metrics
    )
