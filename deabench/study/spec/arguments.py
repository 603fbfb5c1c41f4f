"""Make a plan of Python objects: frames and arrays, estimators and functions, any splitter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.study.data.columns import DataSpec
from deabench.study.data.dataset import Dataset, make_dataset
from deabench.study.data.loaders import IN_MEMORY, check_classes, dataset_names, source_of_name
from deabench.study.learners import ANY_CONTEXT, LearnerSpec
from deabench.study.learners.fingerprints import fingerprint_dependencies
from deabench.study.learners.registry import REGISTRY, build_learner
from deabench.study.spec import schema
from deabench.study.spec.plan import Plan
from deabench.study.spec.settings import StudyContents, make_plan, parse_learner
from deabench.utils.checks import did_you_mean

SETTINGS = (
    "name",
    "time_limit",
    "cpu_limit",
    "memory_limit",
    "keep_predictions",
    "floors",
    "dea",
    "grouping",
    "tests",
)
ROW_COLUMN = "{} (given to Study)"
CLASS_COLUMN = ROW_COLUMN.format("y")
"""Names of columns that no user's table has, as messages call them."""


@dataclass(frozen=True)
class StudyArguments:
    """The arguments of `deabench.Study(...)`; see there."""

    data: Mapping[str, Any]
    classifiers: Mapping[str, Any]
    metrics: Sequence[Any] | Mapping[str, Any] | None = None
    split: Any = None
    groups: Any = None
    time: Any = None
    weights: Any = None
    costs: Any = None
    seed: int = 0
    store: str | Path = "study.sqlite"
    target: str | None = None
    positive: Any = None
    classes: str = "two"
    preprocess: Any = None
    depends: Sequence[Any] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


def plan_from_arguments(arguments: StudyArguments) -> Plan:
    """Return the plan of a study from code.

    Raises
    ------
    DataError
        With the argument, the name and what to give.
    """
    for key in arguments.settings:
        if key not in SETTINGS:
            raise DataError(f"Study takes no '{key}'; {did_you_mean(key, SETTINGS)}")
    tables = {"dea": schema.dea_keys(), "grouping": schema.GROUP_KEYS, "tests": schema.TEST_KEYS}
    for table, keys in tables.items():
        schema.check_keys("", f"{table}:", arguments.settings.get(table, {}), keys)
    # the same settings as in a study file, where [groups] has the name grouping here
    settings = dict(arguments.settings)
    if "grouping" in settings:
        settings["groups"] = settings.pop("grouping")
    settings["seed"] = arguments.seed
    settings["classes"] = arguments.classes
    schema.check_keys("", "", settings, schema.STUDY_KEYS)
    own_metrics: dict[str, Any] = {}
    if arguments.metrics is not None:
        settings["metrics"], own_metrics = _read_metrics(arguments.metrics)
    if not isinstance(arguments.data, Mapping) or not arguments.data:
        raise DataError("data is empty; give {name: a DataFrame, (X, y) or a path}")
    if not isinstance(arguments.classifiers, Mapping) or not arguments.classifiers:
        raise DataError(
            "classifiers is empty; give {name: an estimator, a function that makes one, or a name "
            "of the registry}"
        )
    data = tuple(
        read_data_spec(str(name), value, arguments) for name, value in arguments.data.items()
    )
    learners = tuple(
        _read_learner(str(name), value) for name, value in arguments.classifiers.items()
    )
    store = Path(arguments.store)
    contents = StudyContents(
        data,
        learners,
        arguments.split,
        arguments.preprocess,
        store,
        f"# a study from code: {len(data)} data sets, {len(learners)} classifiers",
        own_metrics,
        _read_depends(arguments.depends),
    )
    return make_plan("", settings, store.with_suffix(".toml"), contents)


def _read_depends(values: Any) -> tuple[Any, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise DataError(f"depends is {values!r}; give a list of files, modules and values")
    fingerprint_dependencies(values)
    return tuple(values)


def _read_metrics(metrics: Any) -> tuple[list[str], dict[str, Any]]:
    """Return the metrics' names, and the user's metrics by name."""
    if isinstance(metrics, str) or not isinstance(metrics, Sequence | Mapping) or not len(metrics):
        raise DataError(
            f"metrics is {metrics!r}; give a list of names and metrics, or {{name: function of "
            "(y_true, y_pred)}"
        )
    if isinstance(metrics, Mapping):
        return list(metrics), dict(metrics)
    names = []
    own_metrics = {}
    for metric in metrics:
        if isinstance(metric, str):
            names.append(metric)
            continue
        name = getattr(metric, "name", None)
        if not isinstance(name, str):
            raise DataError(
                f"metric {metric!r} has no name; give {{name: function}}, or a "
                "deabench.metrics.Metric"
            )
        names.append(name)
        own_metrics[name] = metric
    return names, own_metrics


def read_data_spec(name: str, value: Any, arguments: StudyArguments) -> DataSpec:
    """Return the data set of one entry of `data`; data from code are kept in memory."""
    if isinstance(value, DataSpec):
        return value
    options: dict[str, Any] = {}
    positive = _value_of_dataset(arguments.positive, name)
    if positive is not None:
        options["positive"] = positive
    if arguments.classes == "all":
        options["classes"] = "all"
    row_values = {
        option: _value_of_dataset(getattr(arguments, option), name)
        for option in ("groups", "time", "weights")
    }
    costs = arguments.costs
    # costs of classes are a mapping, too
    if not isinstance(costs, Mapping) or set(costs) <= set(arguments.data):
        costs = _value_of_dataset(costs, name)
    if isinstance(costs, Mapping):
        options["costs"] = tuple(costs.items())
    else:
        row_values["costs"] = costs
    if isinstance(value, str | Path):
        return _read_path(name, value, arguments.target, options, row_values)
    # the identity names the data in workers
    spec = DataSpec(name, "memory", tuple(sorted(options.items())))
    data = check_classes(_read_table(spec, value, arguments.target, row_values))
    IN_MEMORY[data.identity] = data
    return DataSpec(name, "memory", (("sha256", data.identity),))


def _value_of_dataset(argument: Any, name: str) -> Any:
    """Return an argument's value for one data set: one for all, or a mapping by name."""
    if isinstance(argument, Mapping):
        return argument.get(name)
    return argument


def _read_path(
    name: str,
    value: str | Path,
    target: str | None,
    options: dict[str, Any],
    row_values: Mapping[str, Any],
) -> DataSpec:
    """Return the data set of a path, or of a name that deabench knows."""
    for option, column in row_values.items():
        if isinstance(column, str):
            options[option] = column
        elif column is not None:
            raise DataError(
                f"the {option} of data set '{name}' are an array, but its rows are in a file; name "
                "the file's column"
            )
    if isinstance(value, str) and value in dataset_names() and not Path(value).exists():
        if name != value:
            raise DataError(
                f"data set '{value}' is known by that name; give {{'{value}': '{value}'}} instead "
                f"of '{name}'"
            )
        return DataSpec(name, source_of_name(value), tuple(sorted(options.items())))
    if target is not None:
        options["target"] = target
    options["file"] = str(Path(value).resolve())
    return DataSpec(name, "file", tuple(sorted(options.items())))


def _read_table(
    spec: DataSpec, value: Any, target: str | None, row_values: Mapping[str, Any]
) -> Dataset:
    """Return the data set of a frame with its class column, or of (X, y)."""
    frame, class_column = _to_frame(spec.name, value, target)
    options = dict(spec.options)
    for option, values in row_values.items():
        if values is None:
            continue
        if not isinstance(values, str):
            array = np.asarray(values)
            if array.shape != (len(frame),):
                raise DataError(
                    f"{option} of data set '{spec.name}' has shape {array.shape} for {len(frame)} "
                    "rows; give one per row"
                )
            values_column = ROW_COLUMN.format(option)
            frame = frame.assign(**{values_column: array})
            values = values_column
        options[option] = values
    spec = replace(spec, options=tuple(options.items()))
    return make_dataset(spec, frame, class_column, source="code")


def _to_frame(name: str, value: Any, target: str | None) -> tuple[pd.DataFrame, str]:
    """Return the features with the class column, and its name."""
    if isinstance(value, pd.DataFrame):
        if not value.shape[1]:
            raise DataError(
                f"data set '{name}' has no columns; give its features and the class, the class last"
            )
        frame = _with_unique_names(name, value)
        return frame, str(frame.columns[-1]) if target is None else target
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise DataError(
            f"data set '{name}' is a {type(value).__name__}; give a DataFrame, (X, y) or a path"
        )
    X, y = value
    if isinstance(X, pd.DataFrame):
        frame = _with_unique_names(name, X)
    else:
        array = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
        if array.ndim != 2:
            raise DataError(f"X of data set '{name}' has shape {array.shape}; give rows x features")
        columns = [f"x{k + 1}" for k in range(array.shape[1])]
        frame = pd.DataFrame(array, columns=columns).infer_objects()
    labels = np.asarray(y)
    if labels.shape != (len(frame),):
        raise DataError(
            f"y of data set '{name}' has shape {labels.shape} for {len(frame)} rows of X; give one "
            "class per row"
        )
    return frame.assign(**{CLASS_COLUMN: labels}), CLASS_COLUMN


def _with_unique_names(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with texts as column names and rows from 0 on."""
    frame = frame.set_axis(frame.columns.map(str), axis=1).reset_index(drop=True)
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise DataError(
            f"data set '{name}' has two columns '{repeated[0]}'; give each a name of its own"
        )
    return frame


def _read_learner(name: str, value: Any) -> LearnerSpec:
    """Return a classifier: a name of the registry, its table of parameters, or a template."""
    if isinstance(value, str):
        return parse_learner("", name, {"use": value}, None)
    if isinstance(value, Mapping):
        return parse_learner("", name, dict(value), "")
    is_estimator = hasattr(value, "fit") and hasattr(value, "predict")
    if not callable(value) and not is_estimator:
        raise DataError(
            f"classifier '{name}' is a {type(value).__name__}; give an estimator, a function that "
            f"makes one, or a name of the registry, as '{next(iter(REGISTRY))}'"
        )
    # a copy: what is set on the user's own object later belongs to another study
    if is_estimator and not isinstance(value, type):
        value = deepcopy(value)
    # built once, so that a wrong one is refused before anything runs
    spec = LearnerSpec(name, "given", template=value)
    build_learner(spec, ANY_CONTEXT)
    return spec
