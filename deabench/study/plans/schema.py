"""What a study file may say: every key with its check. A wrong key, name or value is refused with
file, key and value.

A check is a function of the value that returns None, or what was expected.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deabench.errors import DataError
from deabench.study.data.splits import KINDS
from deabench.study.learners.prepare import MISSING, NOMINAL, NUMERIC
from deabench.utils.checks import did_you_mean

Check = Callable[[Any], str | None]


def text(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else "a text"


def flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def whole(least: int) -> Check:
    def check(value: Any) -> str | None:
        good = isinstance(value, int) and not isinstance(value, bool) and value >= least
        return None if good else f"a whole number >= {least}"

    return check


def number(least: float, most: float = float("inf"), *, open_ends: bool = False) -> Check:
    def check(value: Any) -> str | None:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        inside = good and (least < value < most if open_ends else least <= value <= most)
        ends = f"between {least:g} and {most:g}" if most != float("inf") else f">= {least:g}"
        return None if inside else f"a number {ends}"

    return check


def one_of(*choices: str) -> Check:
    def check(value: Any) -> str | None:
        if isinstance(value, str) and value in choices:
            return None
        return (
            did_you_mean(value, choices)
            if isinstance(value, str)
            else "one of " + ", ".join(choices)
        )

    return check


def dea_model(value: Any) -> str | None:
    """One of the DEA models there are."""
    from deabench.models import MODELS

    return one_of(*MODELS)(value)


def dea_option(name: str) -> Check:
    """A word that some DEA model knows for this option; whether the chosen model does, `rank` says."""

    def check(value: Any) -> str | None:
        from deabench.models.options import all_choices

        return one_of(*all_choices(name))(value)

    return check


def dea_steps(name: str) -> Check:
    """A word that some DEA model knows for this option, or a table of numbers by metric."""

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return (
                dea_option(name)(value)
                if isinstance(value, str)
                else "a word, or a table of numbers, as {TPR = 2}"
            )
        return (
            None
            if all(_number(one) for one in value.values())
            else "a table of numbers, as {TPR = 2}"
        )

    return check


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def bounds(value: Any) -> str | None:
    good = (
        isinstance(value, list | tuple) and len(value) == 2 and all(_number(one) for one in value)
    )
    return None if good else "the least and the most, as [0.8, 1.2]"


def bounds_of_each(value: Any) -> str | None:
    good = isinstance(value, dict) and value and all(bounds(one) is None for one in value.values())
    return None if good else "a table of the least and the most, as {TPR = [0.2, 0.5]}"


def bounds_of_pairs(value: Any) -> str | None:
    good = bounds_of_each(value) is None and all(
        len(key if isinstance(key, tuple) else key.split("/")) == 2 for key in value
    )
    return (
        None
        if good
        else 'a table of the least and the most by two metrics, as {"TPR/TNR" = [2, inf]}'
    )


def texts(value: Any) -> str | None:
    good = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
    return None if good else "a list of texts"


def table(value: Any) -> str | None:
    return None if isinstance(value, dict) else "a table"


def table_or_text(value: Any) -> str | None:
    return None if isinstance(value, dict | str) else "a table"


def tables(value: Any) -> str | None:
    return (
        None
        if isinstance(value, list) and all(isinstance(item, dict) for item in value)
        else "a list of tables"
    )


def rising(value: Any) -> str | None:
    good = (
        isinstance(value, list)
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
        and all(v > 1 for v in value)
        and list(value) == sorted(set(value))
    )
    return None if good else "rising numbers above 1, as [10, 30]"


def lists(value: Any) -> str | None:
    good = isinstance(value, dict) and all(texts(item) is None for item in value.values())
    return None if good else 'a table of lists, as {trees = ["C4.5"]}'


def words(value: Any) -> str | None:
    good = isinstance(value, dict) and all(text(item) is None for item in value.values())
    return None if good else 'a table of texts, as {mine = "ensemble"}'


def plain(value: Any) -> str | None:
    good = isinstance(value, str | int | float | bool) or (
        isinstance(value, list) and all(isinstance(v, str | int | float | bool) for v in value)
    )
    return None if good else "a text, a number, true, false or a list of them"


TOP: dict[str, Check] = {
    "name": text,
    "seed": whole(0),
    "time_limit": number(0),
    "cpu_limit": number(0),
    "memory_limit": number(0),
    "keep_predictions": flag,
    "allow_imports": flag,
    "allow_outside": flag,
    "store": text,
    "metrics": texts,
    "keel_folder": text,
    "data": table,
    "split": table,
    "classifiers": table,
    "dea": table,
    "groups": table,
    "tests": table,
    "classes": one_of("two", "all"),
    "preprocess": table_or_text,
}
DATA: dict[str, Check] = {"names": texts, "set": tables}
SET: dict[str, Check] = {
    "name": text,
    "file": text,
    "test_file": text,
    "target": text,
    "positive": plain,
    "negative": plain,
    "fold_column": text,
    "type": text,
    "keel_folder": text,
    "generator": text,
    "groups": text,
    "nominal": texts,
}
SPLIT: dict[str, Check] = {
    "kind": one_of(*KINDS),
    "folds": whole(2),
    "repeats": whole(1),
    "test_size": number(0, 1, open_ends=True),
}
DEA: dict[str, Check] = {
    "outputs": texts,
    "inputs": texts,
    "model": dea_model,
    "returns": dea_option("returns"),
    "orientation": dea_option("orientation"),
    "goal": dea_option("goal"),
    "direction": dea_steps("direction"),
    "weights": dea_steps("weights"),
    "sums": bounds,
    "shares": bounds_of_each,
    "ratios": bounds_of_pairs,
    "norm": one_of("l1", "l2", "linf"),
    "reference": texts,
    "tested": texts,
    "target_outputs": texts,
    "panels": lists,
    "dmus": one_of("classifiers", "datasets", "after @"),
}
GROUPS: dict[str, Check] = {
    "type": one_of("label", "rule"),
    "mixed": one_of("each", "drop"),
    "imbalance_ratio": rising,
    "imbalance_ratio_from": one_of("data", "paper"),
    "families": words,
}
TESTS: dict[str, Check] = {
    "metric": text,
    "alpha": number(0, 1, open_ends=True),
    "control": text,
    "kinds": texts,
}
PREPROCESS: dict[str, Check] = {
    "numeric": one_of(*NUMERIC),
    "nominal": one_of(*NOMINAL),
    "missing": one_of(*MISSING),
}
PARTS: dict[str, dict[str, Check]] = {
    "data": DATA,
    "split": SPLIT,
    "dea": DEA,
    "groups": GROUPS,
    "tests": TESTS,
}


def check(file: str, where: str, given: Mapping[str, Any], known: Mapping[str, Check]) -> None:
    """Refuse an unknown key or a bad value of one table of the study file.

    Raises
    ------
    DataError
        As `'study.toml': [split] has no key 'fold'; did you mean 'folds'?`.
    """
    place = f"{where} " if where else ""
    for key, value in given.items():
        if key not in known:
            said = f"{place}has no key '{key}'" if where else f"there is no key '{key}'"
            raise DataError(f"'{file}': {said}; {did_you_mean(key, list(known))}")
        wanted = known[key](value)
        if wanted is not None:
            said = wanted if wanted.startswith(("did you", "there are")) else f"give {wanted}"
            raise DataError(f"'{file}': {place}{key} is {_shown(value)}; {said}")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    return f"'{value}'" if isinstance(value, str) else str(value)


def known_name(place: str, where: str, name: str, known: Sequence[str]) -> None:
    """Refuse a name that is not among the known ones, with the nearest of them; `place` begins the
    message.
    """
    if name not in known:
        raise DataError(f"{place}{where} '{name}' is not known; {nearest(name, known)}")


def nearest(name: str, known: Sequence[str]) -> str:
    """`did you mean ...?` whatever the case of the letters, or what there is."""
    lower = {each.lower(): each for each in known}
    said = did_you_mean(lower.get(name.lower(), name), known)
    return (
        said
        if said.startswith("did") or len(known) <= 12
        else f"there are {len(known)}, see docs/study.md"
    )
