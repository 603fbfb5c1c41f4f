"""Settings of a study with their defaults, checked against each other: the plan is made here."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deabench.analysis.ranking import rank
from deabench.errors import DataError, DataWarning, SolveError
from deabench.models.options import build_options, option_fields
from deabench.results.model import Model
from deabench.study.data.columns import DataSpec
from deabench.study.data.splits import SPLIT_KINDS, UNREPEATED_KINDS, SplitSpec
from deabench.study.learners import ANY_CONTEXT, LearnerSpec, Preprocessing
from deabench.study.learners.registry import REGISTRY, build_learner, builder_parameters
from deabench.study.results.metrics import DEFAULT_METRICS, StudyMetrics
from deabench.study.running.limits import memory_can_be_limited
from deabench.study.spec.plan import Plan
from deabench.study.spec.schema import (
    PREPROCESS_KEYS,
    SCALAR,
    SPLIT_KEYS,
    TABLE,
    TEST_KINDS,
    check_keys,
    check_name,
    model_option_names,
)
from deabench.study.spec.tasks import TaskLimits
from deabench.tables.read import read

COMMON = ("returns", "orientation", "norm")
"""Options whose values need no look at the metrics."""


@dataclass(frozen=True)
class StudyContents:
    """What a study is about; its settings come on top."""

    data: tuple[DataSpec, ...]
    learners: tuple[LearnerSpec, ...]
    split: Any
    preprocessing: Any
    store: Path
    text: str = ""
    own_metrics: Mapping[str, Any] = field(default_factory=dict)
    depends: tuple[Any, ...] = ()


def make_plan(
    prefix: str, settings: Mapping[str, Any], file: Path, contents: StudyContents
) -> Plan:
    """Return the plan: settings checked against each other, defaults filled in.

    Parameters
    ----------
    prefix : str
        What precedes a message: the study file, or "".

    Raises
    ------
    DataError
        With the key, the value and the nearest valid name.
    """
    classes = settings.get("classes", "two")
    wall, cpu, memory = (
        float(settings.get(key, 0)) for key in ("time_limit", "cpu_limit", "memory_limit")
    )
    if memory and not memory_can_be_limited():
        raise DataError(
            f"{prefix}memory_limit cannot be kept on this system, which has no limits of a "
            "process's memory; leave it out"
        )
    metrics = tuple(settings.get("metrics", DEFAULT_METRICS[classes]))
    study_metrics = StudyMetrics(classes, contents.own_metrics)
    floors = dict(settings.get("floors", {}))
    for name in metrics:
        study_metrics.check_name(f"{prefix}metrics", name)
    for name in floors:
        study_metrics.check_name(f"{prefix}floors", name)
    bounded = [name for name in metrics if not study_metrics.is_cost(name)]
    dea = {
        "outputs": None,
        "inputs": None,
        "model": "wei",
        **dict.fromkeys(model_option_names()),
        "norm": "l1",
        "reference": None,
        "tested": [],
        "target_outputs": ["TPR", "TNR"] if classes == "two" else bounded[:2],
        "dmus": "classifiers",
        "panels": {},
        **settings.get("dea", {}),
    }
    # without outputs of its own the study ranks by its metrics
    _assign_metrics(dea, metrics, study_metrics)
    tests = {
        "metric": "balanced_accuracy",
        "alpha": 0.05,
        "control": None,
        "kinds": TEST_KINDS,
        **settings.get("tests", {}),
    }
    groups = {
        "type": "label",
        "mixed": "each",
        "imbalance_ratio": [10, 30],
        "imbalance_ratio_from": "data",
        "families": {},
        **settings.get("groups", {}),
    }
    # names and options against each other, before anything runs
    _check_metrics(prefix, dea, tests, study_metrics)
    _check_model(prefix, dea, study_metrics)
    learner_names = [spec.name for spec in contents.learners]
    _check_learner_names(prefix, dea, groups, tests, learner_names)
    data_names = [spec.name for spec in contents.data]
    split, splits = _parse_splits(prefix, contents.split, data_names)
    preprocessing, preparations = _parse_preparations(
        prefix, contents.preprocessing, data_names, learner_names
    )
    return Plan(
        file=file,
        name=settings.get("name", file.stem),
        data=contents.data,
        learners=contents.learners,
        split=split,
        splits=splits,
        seed=settings.get("seed", 0),
        limits=TaskLimits(wall, cpu, memory),
        keep_predictions=settings.get("keep_predictions", True),
        store=contents.store,
        metrics=metrics,
        dea=dea,
        groups=groups,
        tests=tests,
        text=contents.text,
        preprocessing=preprocessing,
        preparations=preparations,
        classes=classes,
        own_metrics=contents.own_metrics,
        depends=contents.depends,
        floors=floors,
    )


def _assign_metrics(
    dea: dict[str, Any], metrics: tuple[str, ...], study_metrics: StudyMetrics
) -> None:
    """Make the metrics outputs unless the study names its outputs; unbounded costs are inputs."""
    inputs = list(dea["inputs"] or ())
    if dea["outputs"] is None:
        free = [name for name in metrics if name not in inputs]
        dea["outputs"] = [name for name in free if not study_metrics.is_cost(name)]
        inputs += [name for name in free if study_metrics.is_cost(name)]
    dea["inputs"] = inputs


def _check_metrics(
    prefix: str, dea: Mapping[str, Any], tests: Mapping[str, Any], study_metrics: StudyMetrics
) -> None:
    """Refuse metrics that do not exist or cannot rank, before anything runs."""
    for key in ("outputs", "inputs", "target_outputs"):
        for name in dea[key]:
            study_metrics.check_name(f"{prefix}[dea] {key}", name)
    for key in ("outputs", "target_outputs"):
        for name in dea[key]:
            study_metrics.check_output(f"{prefix}[dea] {key}", name)
    if not dea["outputs"]:
        raise DataError(f"{prefix}[dea] outputs is empty; name at least one metric to rank by")
    in_both = set(dea["outputs"]) & set(dea["inputs"])
    if in_both:
        raise DataError(
            f"{prefix}[dea] '{min(in_both)}' is an output and an input; it can be one of them"
        )
    study_metrics.check_name(f"{prefix}[tests] metric", tests["metric"])


def build_model(dea: Mapping[str, Any]) -> Model:
    """Return the model of [dea] with its options.

    `norm` is an option of targets, too: only a model that has it gets it.
    """
    values = {name: dea.get(name) for name in model_option_names()}
    if "norm" not in {option.name for option in option_fields(dea["model"])}:
        values["norm"] = None
    return build_options(dea["model"], values)


def _check_model(prefix: str, dea: Mapping[str, Any], study_metrics: StudyMetrics) -> None:
    """Refuse what `rank` would refuse once the results are there: rank a random table."""
    names = [*dea["outputs"], *dea["inputs"]]
    # rows enough that a model finds a frontier
    values = np.random.default_rng(0).uniform(0.3, 0.9, (3 * len(names) + 3, len(names)))
    try:
        model = build_model(dea)
        if not any(dea[name] is not None for name in model_option_names() if name not in COMMON):
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            rank(
                read(
                    pd.DataFrame(values, columns=names),
                    lower_is_better=study_metrics.complemented_outputs(dea["outputs"]),
                ),
                outputs=dea["outputs"],
                inputs=dea["inputs"] or None,
                model=model,
            )
    except DataError as error:
        raise DataError(f"{prefix}[dea] {error}") from None
    except SolveError:
        return  # for these numbers only


def _check_learner_names(
    prefix: str,
    dea: Mapping[str, Any],
    groups: Mapping[str, Any],
    tests: Mapping[str, Any],
    learners: list[str],
) -> None:
    """Refuse names of classifiers and of tests that the study does not have."""
    named_learners: list[tuple[str, Iterable[str]]] = [
        (f"[dea] {key}: classifier", dea[key] or ()) for key in ("tested", "reference")
    ]
    for panel, members in dea["panels"].items():
        named_learners.append((f"[dea.panels] {panel}: classifier", members))
    named_learners.append(("[groups.families] classifier", groups["families"]))
    if tests["control"] is not None:
        named_learners.append(("[tests] control: classifier", [tests["control"]]))
    for location, names in named_learners:
        for name in names:
            check_name(f"{prefix}{location}", name, learners)
    for kind in tests["kinds"]:
        check_name(f"{prefix}[tests] kinds: test", kind, TEST_KINDS)


def parse_learner(
    prefix: str, name: str, entry: Any, folder: str | None, *, permitted: bool = True
) -> LearnerSpec:
    """Return a classifier of the registry or of an import path, from the table of its parameters.

    Parameters
    ----------
    folder : str or None
        The folder whose modules may be imported; None where the study asks for no imports.
    permitted : bool
        Whether the user consents to imports; without, nothing is imported.
    """
    location = f"{prefix}[classifiers] '{name}'"
    if not isinstance(entry, dict):
        raise DataError(f"{location} is {entry!r}; give a table of its parameters, {{}} for none")
    for key, value in entry.items():
        expected = SCALAR(value)
        if expected is not None:
            raise DataError(f"{location}: {key} is a table; give {expected}")
    params = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
    }
    import_path = params.pop("import", None)
    use = str(params.pop("use", name))
    if import_path is not None and folder is None:
        raise DataError(
            f"{location} is imported from '{import_path}', which runs code of your choosing; if "
            "that is meant, set allow_imports = true at the top of the file"
        )
    if import_path is None:
        check_name(f"{prefix}[classifiers]", use, list(REGISTRY))
        parameters = builder_parameters(use)
        for key in params:
            if key not in parameters:
                names = ", ".join(f"'{parameter}'" for parameter in parameters) or "none"
                raise DataError(f"{location} has no parameter '{key}'; it has {names}")
        spec = LearnerSpec(name, use, tuple(sorted(params.items())))
    else:
        spec = LearnerSpec(
            name,
            str(import_path),
            tuple(sorted(params.items())),
            True,
            folder=folder or "",
            permitted=permitted,
        )
    # a path that leads nowhere, or a parameter that cannot be, is refused now
    if spec.permitted:
        build_learner(spec, ANY_CONTEXT)
    return spec


def _parse_splits(
    prefix: str, value: Any, data_names: list[str]
) -> tuple[SplitSpec, dict[str, SplitSpec]]:
    """Return the study's split, and those of the data sets that have their own."""
    splits: dict[str, SplitSpec] = {}
    location = "[split]" if prefix else "split:"
    if isinstance(value, Mapping) and "sets" in value:
        check_keys(prefix, location, {"sets": value["sets"]}, {"sets": TABLE})
        for name, own_split in value["sets"].items():
            check_name(f"{prefix}{location} sets: data set", name, data_names)
            splits[name] = _parse_split(prefix, f"{location} sets.{name}:", own_split)
        value = {key: entry for key, entry in value.items() if key != "sets"}
    return _parse_split(prefix, location, value), splits


def _parse_split(prefix: str, location: str, value: Any) -> SplitSpec:
    """Return a split: a table, a kind, a number of folds, or (from code) a splitter."""
    if value is None:
        return SplitSpec()
    # A number is one of folds, a word the kind of split.
    if isinstance(value, int) and not isinstance(value, bool):
        value = {"folds": value}
    if isinstance(value, str):
        value = {"kind": value}
    if not isinstance(value, Mapping):
        if hasattr(value, "split"):
            return SplitSpec("splitter", splitter=deepcopy(value))
        raise DataError(
            f"{prefix}split is {value!r}; give a scikit-learn splitter, a number of folds, or one "
            f"of {', '.join(SPLIT_KINDS)}"
        )
    check_keys(prefix, location, value, SPLIT_KEYS)
    split = SplitSpec(**value)
    if split.folds == 1 and split.kind not in ("holdout", "bootstrap"):
        raise DataError(f"{prefix}{location} folds is 1; give a whole number >= 2")
    if split.kind in UNREPEATED_KINDS and split.repeats > 1:
        raise DataError(
            f"{prefix}{location} repeats is {split.repeats}; {split.kind} has no other folds to "
            "repeat"
        )
    if split.gap and split.kind != "time":
        raise DataError(
            f"{prefix}{location} gap is {split.gap:g}; only a split of kind 'time' has one"
        )
    return split


def _parse_preparations(
    prefix: str, value: Any, data_names: list[str], learner_names: list[str]
) -> tuple[Preprocessing, dict[tuple[str, str], Preprocessing]]:
    """Return the study's preprocessing, and that of data sets and classifiers with their own."""
    preparations: dict[tuple[str, str], Preprocessing] = {}
    location = "[preprocess]" if prefix else "preprocess:"
    if isinstance(value, Mapping):
        for table, names in (("sets", data_names), ("classifiers", learner_names)):
            check_keys(prefix, location, {table: value.get(table, {})}, {table: TABLE})
            for name, steps in value.get(table, {}).items():
                check_name(f"{prefix}{location} {table}: {table[:-1]}", name, names)
                preparations[table, name] = _parse_preprocessing(
                    prefix, f"{location} {table}.{name}:", steps
                )
        value = {key: steps for key, steps in value.items() if key not in ("sets", "classifiers")}
    return _parse_preprocessing(prefix, location, value), preparations


def _parse_preprocessing(prefix: str, location: str, value: Any) -> Preprocessing:
    """Return what is done to columns: a table, "columns", or (from code) a transformer."""
    if value is None:
        return Preprocessing()
    if isinstance(value, str) and value == "columns":
        return Preprocessing(columns=True)
    if isinstance(value, Mapping):
        check_keys(prefix, location, value, PREPROCESS_KEYS)
        return Preprocessing(**value)
    if not (hasattr(value, "fit") and hasattr(value, "transform")):
        raise DataError(
            f"{prefix}preprocess is {value!r}; give a table of numeric, nominal and missing, "
            '"columns", or from Python a transformer'
        )
    return Preprocessing(transformer=deepcopy(value))
