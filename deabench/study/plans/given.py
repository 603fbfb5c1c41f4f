"""A study from code: data frames and arrays, estimators and functions that make them, any
scikit-learn splitter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.study.data.dataset import Dataset, DataSpec, classified
from deabench.study.data.loaders import HELD, checked, known_names, source_of
from deabench.study.data.splits import KINDS, SplitSpec
from deabench.study.learners.builders import Context
from deabench.study.learners.fingerprints import made_of
from deabench.study.learners.prepare import MISSING, NOMINAL, NUMERIC, Prepare
from deabench.study.learners.registry import REGISTRY, LearnerSpec, build
from deabench.study.plans import schema
from deabench.study.plans.options import Given, learner_of, planned, prepared
from deabench.study.plans.plan import Plan
from deabench.utils.checks import did_you_mean

SETTINGS = (
    "name",
    "time_limit",
    "cpu_limit",
    "memory_limit",
    "keep_predictions",
    "dea",
    "grouping",
    "tests",
)


@dataclass(frozen=True)
class Asked:
    """What `deabench.Study(...)` was asked for, as it came; see there."""

    data: Mapping[str, Any]
    classifiers: Mapping[str, Any]
    metrics: Sequence[Any] | Mapping[str, Any] | None = None
    split: Any = None
    groups: Any = None
    seed: int = 0
    store: str | Path = "study.sqlite"
    target: str | None = None
    positive: Any = None
    classes: str = "two"
    preprocess: Any = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def plan_given(asked: Asked) -> Plan:
    """The plan of a study from code.

    Raises
    ------
    DataError
        With the argument, the name and what to give.
    """
    for key in asked.settings:
        if key not in SETTINGS:
            raise DataError(f"Study takes no '{key}'; {did_you_mean(key, SETTINGS)}")
    settings = {key: value for key, value in asked.settings.items() if key != "grouping"}
    settings |= {"seed": asked.seed, "classes": asked.classes}
    if "grouping" in asked.settings:
        settings["groups"] = asked.settings["grouping"]
    declared: dict[str, Any] = {}
    if asked.metrics is not None:
        settings["metrics"], declared = _metrics(asked.metrics)
    _checked(settings)
    if not isinstance(asked.data, Mapping) or not asked.data:
        raise DataError("data is empty; give {name: a DataFrame, (X, y) or a path}")
    if not isinstance(asked.classifiers, Mapping) or not asked.classifiers:
        raise DataError(
            "classifiers is empty; give {name: an estimator, a function that makes one, or a name of the registry}"
        )
    data = tuple(_data(str(name), value, asked) for name, value in asked.data.items())
    learners = tuple(_learner(str(name), value) for name, value in asked.classifiers.items())
    store = Path(asked.store)
    text = f"# a study from code: {len(data)} data sets, {len(learners)} classifiers"
    given = Given(
        data, learners, _split(asked.split), _preprocess(asked.preprocess), store, text, declared
    )
    return planned("", settings, store.with_suffix(".toml"), given)


def _checked(settings: Mapping[str, Any]) -> None:
    for key, known in (("dea", schema.DEA), ("groups", schema.GROUPS), ("tests", schema.TESTS)):
        for name, value in settings.get(key, {}).items():
            place = "grouping" if key == "groups" else key
            if name not in known:
                raise DataError(f"{place} has no key '{name}'; {did_you_mean(name, list(known))}")
            wanted = known[name](list(value) if isinstance(value, tuple) else value)
            if wanted is not None:
                raise DataError(
                    f"{place}: {name} is {value!r}; {wanted if ' ' in wanted[:4] else f'give {wanted}'}"
                )
    for key in (
        "seed",
        "time_limit",
        "cpu_limit",
        "memory_limit",
        "keep_predictions",
        "classes",
        "name",
    ):
        wanted = schema.TOP[key](settings[key]) if key in settings else None
        if wanted is not None:
            raise DataError(
                f"{key} is {settings[key]!r}; {wanted if wanted.startswith(('did', 'there')) else f'give {wanted}'}"
            )


def _metrics(metrics: Any) -> tuple[list[str], dict[str, Any]]:
    """The metrics' names, and those of the user's own by name."""
    if isinstance(metrics, str) or not isinstance(metrics, Sequence | Mapping) or not len(metrics):
        raise DataError(
            f"metrics is {metrics!r}; give a list of names and metrics, or {{name: function of (y_true, y_pred)}}"
        )
    if isinstance(metrics, Mapping):
        return list(metrics), dict(metrics)
    names, own = [], {}
    for metric in metrics:
        name = metric if isinstance(metric, str) else getattr(metric, "name", None)
        if not isinstance(name, str):
            raise DataError(
                f"metric {metric!r} has no name; give {{name: function}}, or a deabench.metrics.Metric"
            )
        names.append(name)
        if not isinstance(metric, str):
            own[name] = metric
    return names, own


def _data(name: str, value: Any, asked: Asked) -> DataSpec:
    if isinstance(value, DataSpec):
        return value
    options = {} if asked.positive is None else {"positive": _of(asked.positive, name)}
    if options.get("positive") is None:
        options = {}
    options |= {"classes": "all"} if asked.classes == "all" else {}
    groups = _of(asked.groups, name)
    if isinstance(value, str | Path):
        return _file(name, value, asked, options, groups)
    data = checked(
        _read(DataSpec(name, "held", tuple(sorted(options.items()))), value, asked.target, groups)
    )
    HELD[data.identity] = data
    return DataSpec(name, "held", (("sha256", data.identity),))


def _file(
    name: str, value: str | Path, asked: Asked, options: dict[str, Any], groups: Any
) -> DataSpec:
    """A path, or a name that deabench knows."""
    if isinstance(groups, str):
        options["groups"] = groups
    elif groups is not None:
        raise DataError(
            f"the groups of data set '{name}' are an array, but its rows are in a file; name the file's column"
        )
    if isinstance(value, str) and value in known_names() and not Path(value).exists():
        return (
            DataSpec(name, source_of(value), tuple(sorted(options.items())))
            if name == value
            else _renamed(name, value)
        )
    if asked.target is not None:
        options["target"] = asked.target
    return DataSpec(
        name, "file", tuple(sorted({**options, "file": str(Path(value).resolve())}.items()))
    )


def _renamed(name: str, value: str) -> DataSpec:
    raise DataError(
        f"data set '{value}' is known by that name; give {{'{value}': '{value}'}} instead of '{name}'"
    )


def _of(given: Any, name: str) -> Any:
    """What is given for one data set: one thing for all, or a mapping by name."""
    return given.get(name) if isinstance(given, Mapping) else given


def _read(spec: DataSpec, value: Any, target: str | None, groups: Any) -> Dataset:
    """A frame with its class column, or (X, y)."""
    frame, column = _framed(spec.name, value, target)
    if groups is not None and not isinstance(groups, str):
        found = np.asarray(groups)
        if found.shape != (len(frame),):
            raise DataError(
                f"groups of data set '{spec.name}' has shape {found.shape} for {len(frame)} rows; give one per row"
            )
        frame, groups = frame.assign(**{_GROUPS: found}), _GROUPS
    if groups is not None:
        spec = replace(spec, options=(*spec.options, ("groups", groups)))
    return classified(spec, frame, column, source="code")


_GROUPS, _CLASS = "\0groups", "\0class"


def _framed(name: str, value: Any, target: str | None) -> tuple[pd.DataFrame, str]:
    if isinstance(value, pd.DataFrame):
        frame = value.set_axis([str(column) for column in value.columns], axis=1).reset_index(
            drop=True
        )
        return _unique(name, frame), str(frame.columns[-1]) if target is None else target
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise DataError(
            f"data set '{name}' is a {type(value).__name__}; give a DataFrame, (X, y) or a path"
        )
    X, y = value
    if isinstance(X, pd.DataFrame):
        frame = X.set_axis([str(column) for column in X.columns], axis=1).reset_index(drop=True)
    else:
        table = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
        if table.ndim != 2:
            raise DataError(f"X of data set '{name}' has shape {table.shape}; give rows x features")
        frame = pd.DataFrame(table, columns=[f"x{k + 1}" for k in range(table.shape[1])])
        frame = frame.infer_objects()
    labels = np.asarray(y)
    if labels.shape != (len(frame),):
        raise DataError(
            f"y of data set '{name}' has shape {labels.shape} for {len(frame)} rows of X; give one class per row"
        )
    return _unique(name, frame).assign(**{_CLASS: labels}), _CLASS


def _unique(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise DataError(
            f"data set '{name}' has two columns '{twice[0]}'; give each a name of its own"
        )
    return frame


def _learner(name: str, value: Any) -> LearnerSpec:
    """A name of the registry, a table of it with its parameters, an estimator, or a function that
    makes one.
    """
    if isinstance(value, str):
        return learner_of("", name, {"use": value}, None)
    if isinstance(value, Mapping):
        return learner_of("", name, dict(value), "")
    if not callable(value) and not (hasattr(value, "fit") and hasattr(value, "predict")):
        raise DataError(
            f"classifier '{name}' is a {type(value).__name__}; give an estimator, a function that makes one, or a "
            f"name of the registry, as '{next(iter(REGISTRY))}'"
        )
    spec = LearnerSpec(name, "given", given=value)
    build(spec, Context(columns=2, missing=False, seed=0))
    return spec


def _split(split: Any) -> SplitSpec:
    if split is None:
        return SplitSpec()
    if isinstance(split, int) and not isinstance(split, bool):
        split = {"folds": split}
    if isinstance(split, str):
        split = {"kind": split}
    if isinstance(split, Mapping):
        for key, value in split.items():
            if key not in schema.SPLIT:
                raise DataError(
                    f"split has no key '{key}'; {did_you_mean(key, list(schema.SPLIT))}"
                )
            wanted = schema.SPLIT[key](value)
            if wanted is not None:
                raise DataError(
                    f"split: {key} is {value!r}; "
                    f"{wanted if wanted.startswith(('did', 'there')) else f'give {wanted}'}"
                )
        return SplitSpec(**split)
    if not hasattr(split, "split"):
        raise DataError(
            f"split is {split!r}; give a scikit-learn splitter, a number of folds, or one of {', '.join(KINDS)}"
        )
    return SplitSpec("splitter", splitter=split, text=dict(made_of(split))["parameters"])


def _preprocess(asked: Any) -> Prepare:
    if asked is None:
        return Prepare()
    if isinstance(asked, str) and asked == "columns":
        return prepared(Prepare(columns=True))
    if isinstance(asked, Mapping):
        for key, value in asked.items():
            known: dict[str, Callable[[Any], str | None]] = schema.PREPROCESS
            if key not in known:
                raise DataError(f"preprocess has no key '{key}'; {did_you_mean(key, list(known))}")
            if value not in (
                choices := {"numeric": NUMERIC, "nominal": NOMINAL, "missing": MISSING}[key]
            ):
                raise DataError(f"preprocess: {key} is {value!r}; {did_you_mean(value, choices)}")
        return prepared(Prepare(**asked))
    if not (hasattr(asked, "fit") and hasattr(asked, "transform")):
        raise DataError(
            f'preprocess is {asked!r}; give a table of numeric, nominal and missing, "columns", or a transformer'
        )
    return prepared(Prepare(transformer=asked))
