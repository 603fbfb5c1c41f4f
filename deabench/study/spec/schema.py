"""Keys of a study file and of a study from code, each with its check.

A check is a function of a value that returns None, or what was expected; a wrong key, name or value
is refused with the nearest valid one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deabench.errors import DataError
from deabench.models import MODELS
from deabench.models.options import option_fields
from deabench.study.data.splits import SPLIT_KINDS
from deabench.study.learners import MISSING, NOMINAL, NUMERIC
from deabench.utils.checks import did_you_mean, is_number

Check = Callable[[Any], str | None]


def expect(test: Callable[[Any], bool], expected: str) -> Check:
    """Return a check that a value passes a test."""
    return lambda value: None if test(value) else expected


MOST_FOLDS = 10_000
"""Folds, and repeats of them, that a study file may ask for."""


def is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)


def is_list_of(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(test, value))


def is_table_of(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, Mapping) and all(map(test, value.values()))


def is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def whole_number(minimum: int, maximum: int = 10**9) -> Check:
    """Return a check for whole numbers from `minimum` to `maximum`."""

    def check(value: Any) -> str | None:
        if not isinstance(value, int) or not is_number(value) or value < minimum:
            return f"a whole number >= {minimum}"
        return None if value <= maximum else f"a whole number <= {maximum}"

    return check


AT_LEAST_0 = expect(lambda value: is_number(value) and value >= 0, "a number >= 0")
BETWEEN_0_AND_1 = expect(
    lambda value: is_number(value) and 0 < value < 1, "a number between 0 and 1"
)
TEXT = expect(is_text, "a text")
TEXTS = expect(is_list_of(is_text), "a list of texts")
FLAG = expect(lambda value: isinstance(value, bool), "true or false")
TABLE = expect(is_table, "a table")
SCALAR = expect(
    lambda value: is_scalar(value) or is_list_of(is_scalar)(value),
    "a text, a number, true, false or a list of them",
)


def one_of(*choices: str) -> Check:
    """Return a check for one of these words."""

    def check(value: Any) -> str | None:
        if not isinstance(value, str):
            return "one of " + ", ".join(choices)
        return None if value in choices else did_you_mean(value, choices)

    return check


def _is_rising(value: Any) -> bool:
    numbers = is_list_of(lambda edge: is_number(edge) and edge > 1)(value)
    return numbers and list(value) == sorted(set(value))


STUDY_KEYS: dict[str, Check] = {
    "name": TEXT,
    "seed": whole_number(0, 2**63 - 1),
    "time_limit": AT_LEAST_0,
    "cpu_limit": AT_LEAST_0,
    "memory_limit": AT_LEAST_0,
    "keep_predictions": FLAG,
    "depends": TEXTS,
    "floors": expect(is_table_of(is_number), "a table of numbers, as {TPR = 0.5}"),
    "allow_imports": FLAG,
    "allow_outside": FLAG,
    "store": TEXT,
    "metrics": TEXTS,
    "keel_folder": TEXT,
    "data": TABLE,
    "split": TABLE,
    "classifiers": TABLE,
    "dea": TABLE,
    "groups": TABLE,
    "tests": TABLE,
    "classes": one_of("two", "all"),
    "preprocess": expect(lambda value: isinstance(value, dict | str), "a table"),
}
DATA_KEYS: dict[str, Check] = {
    "names": TEXTS,
    "set": expect(is_list_of(is_table), "a list of tables"),
}
DATASET_KEYS: dict[str, Check] = {
    "name": TEXT,
    "file": TEXT,
    "test_file": TEXT,
    "target": TEXT,
    "positive": SCALAR,
    "negative": SCALAR,
    "fold_column": TEXT,
    "type": TEXT,
    "keel_folder": TEXT,
    "generator": TEXT,
    "groups": TEXT,
    "time": TEXT,
    "weights": TEXT,
    "costs": expect(
        lambda value: is_text(value) or is_table_of(is_number)(value),
        "a column, or a table of numbers, as {FN = 5, FP = 1}",
    ),
    "nominal": TEXTS,
}
SPLIT_KEYS: dict[str, Check] = {
    "kind": one_of(*SPLIT_KINDS),
    "folds": whole_number(1, MOST_FOLDS),
    "repeats": whole_number(1, MOST_FOLDS),
    "test_size": BETWEEN_0_AND_1,
    "gap": AT_LEAST_0,
}
GROUP_KEYS: dict[str, Check] = {
    "type": one_of("label", "rule"),
    "mixed": one_of("each", "drop"),
    "imbalance_ratio": expect(_is_rising, "rising numbers above 1, as [10, 30]"),
    "imbalance_ratio_from": one_of("data", "paper"),
    "families": expect(is_table_of(is_text), 'a table of texts, as {mine = "ensemble"}'),
}
TEST_KINDS = ["friedman", "holm", "anova"]
TEST_KEYS: dict[str, Check] = {
    "metric": TEXT,
    "alpha": BETWEEN_0_AND_1,
    "control": TEXT,
    "kinds": TEXTS,
}
PREPROCESS_KEYS: dict[str, Check] = {
    "numeric": one_of(*NUMERIC),
    "nominal": one_of(*NOMINAL),
    "missing": one_of(*MISSING),
}


def model_option_names() -> list[str]:
    """Return the options that some model has; the model itself checks their values."""
    return list(dict.fromkeys(option.name for model in MODELS for option in option_fields(model)))


def dea_keys() -> dict[str, Check]:
    """Return the keys of [dea]: those of a study, and the options of all models there are."""
    return {
        **dict.fromkeys(model_option_names(), expect(lambda _: True, "")),
        "outputs": TEXTS,
        "inputs": TEXTS,
        "model": one_of(*MODELS),
        "norm": one_of("l1", "l2", "linf"),
        "reference": TEXTS,
        "tested": TEXTS,
        "target_outputs": TEXTS,
        "panels": expect(
            is_table_of(is_list_of(is_text)), 'a table of lists, as {trees = ["C4.5"]}'
        ),
        "dmus": one_of("classifiers", "datasets", "after @"),
    }


def table_keys() -> dict[str, dict[str, Check]]:
    """Return the keys of each table of a study file."""
    return {
        "data": DATA_KEYS,
        "dea": dea_keys(),
        "groups": GROUP_KEYS,
        "tests": TEST_KEYS,
    }


def check_keys(
    prefix: str, location: str, values: Mapping[str, Any], keys: Mapping[str, Check]
) -> None:
    """Refuse an unknown key or a bad value of one table.

    Parameters
    ----------
    prefix : str
        The study file, as `'study.toml': `; "" for a study from code.
    location : str
        The table: "[split]" of a file, "split:" of an argument, "" for keys of the study itself.

    Raises
    ------
    DataError
        As `'study.toml': [split] has no key 'fold'; did you mean 'folds'?`.
    """
    for key, value in values.items():
        if key not in keys:
            problem = f"there is no key '{key}'"
            if location:
                problem = f"{location.rstrip(':')} has no key '{key}'"
            raise DataError(f"{prefix}{problem}; {did_you_mean(key, list(keys))}")
        # Python's tuples are TOML's lists
        expected = keys[key](list(value) if isinstance(value, tuple) else value)
        if expected is not None:
            remedy = expected
            if not expected.startswith(("did you", "there are")):
                remedy = f"give {expected}"
            setting = f"{location} {key}" if location else key
            raise DataError(f"{prefix}{setting} is {_format_value(value)}; {remedy}")


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, str):
        return f"'{value}'"
    return str(value)


def check_name(location: str, name: str, names: Sequence[str]) -> None:
    """Refuse a name that is unknown, with the nearest known one whatever its case.

    Raises
    ------
    DataError
    """
    if name in names:
        return
    # whatever the case of its letters
    by_lower_case = {candidate.lower(): candidate for candidate in names}
    remedy = did_you_mean(by_lower_case.get(name.lower(), name), names)
    if not remedy.startswith("did") and len(names) > 12:
        remedy = f"there are {len(names)}, see docs/study.md"
    raise DataError(f"{location} '{name}' is not known; {remedy}")
