"""What a study file and a study from code share: settings with their defaults, every name in them
checked.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning, SolveError
from deabench.results.model import Model
from deabench.study.data.dataset import DataSpec
from deabench.study.data.splits import SplitSpec
from deabench.study.learners.fingerprints import made_of
from deabench.study.learners.prepare import Prepare
from deabench.study.learners.registry import REGISTRY, LearnerSpec, check_import, parameters
from deabench.study.plans import schema
from deabench.study.plans.plan import Plan
from deabench.study.results.measures import DEFAULTS, Measures
from deabench.study.running.limits import memory_can_be_limited
from deabench.study.running.tasks import Bounds


@dataclass(frozen=True)
class Given:
    """What a study is about, already read: the rest are settings."""

    data: tuple[DataSpec, ...]
    learners: tuple[LearnerSpec, ...]
    split: SplitSpec
    prepare: Prepare
    store: Path
    text: str = ""
    declared: Mapping[str, Any] = field(default_factory=dict)


def planned(place: str, settings: Mapping[str, Any], file: Path, given: Given) -> Plan:
    """The plan, its settings checked and their defaults filled in.

    Parameters
    ----------
    place : str
        What stands before a message: the study file, or nothing.

    Raises
    ------
    DataError
        With the key, the value and the nearest valid name.
    """
    classes = settings.get("classes", "two")
    bounds = Bounds(
        *(float(settings.get(key, 0)) for key in ("time_limit", "cpu_limit", "memory_limit"))
    )
    if bounds.memory and not memory_can_be_limited():
        raise DataError(
            f"{place}memory_limit cannot be kept on this system, which has no limits of a process's memory; "
            "leave it out"
        )
    metrics = tuple(settings.get("metrics", DEFAULTS[classes]))
    measures = Measures(classes, given.declared)
    for name in metrics:
        measures.check(f"{place}metrics", name)
    dea = {
        "outputs": None,
        "inputs": None,
        "model": "wei",
        **dict.fromkeys(("returns", "orientation", *FURTHER)),
        "norm": "l1",
        "reference": None,
        "tested": [],
        "target_outputs": ["TPR", "TNR"] if classes == "two" else list(metrics[:2]),
        "dmus": "classifiers",
        "panels": {},
        **settings.get("dea", {}),
    }
    _outputs(dea, metrics, measures)
    tests = {
        "metric": "balanced_accuracy",
        "alpha": 0.05,
        "control": None,
        "kinds": ["friedman", "holm", "anova"],
        **settings.get("tests", {}),
    }
    _measured(place, dea, tests, measures)
    _can_rank(place, dea, measures)
    groups = {
        "type": "label",
        "mixed": "each",
        "imbalance_ratio": [10, 30],
        "imbalance_ratio_from": "data",
        "families": {},
        **settings.get("groups", {}),
    }
    _names_of_learners(place, dea, groups, tests, [spec.name for spec in given.learners])
    return Plan(
        file,
        settings.get("name", file.stem),
        given.data,
        given.learners,
        given.split,
        settings.get("seed", 0),
        bounds,
        settings.get("keep_predictions", True),
        given.store,
        metrics,
        dea,
        groups,
        tests,
        given.text,
        given.prepare,
        classes,
        given.declared,
    )


def _outputs(dea: dict[str, Any], metrics: tuple[str, ...], measures: Measures) -> None:
    """Without outputs of one's own, the metrics: what is better low and has no greatest value is an
    input.
    """
    taken = set(dea["inputs"] or ())
    if dea["outputs"] is None:
        dea["outputs"] = [name for name in metrics if name not in taken and not measures.cost(name)]
        costs = [name for name in metrics if measures.cost(name) and name not in taken]
        dea["inputs"] = [*(dea["inputs"] or ()), *costs]
    dea["inputs"] = list(dea["inputs"] or ())


def _measured(
    place: str, dea: Mapping[str, Any], tests: Mapping[str, Any], measures: Measures
) -> None:
    """Refuse what no metric can give before anything runs."""
    for key in ("outputs", "inputs", "target_outputs"):
        for name in dea[key]:
            measures.check(f"{place}[dea] {key}", name)
    for key in ("outputs", "target_outputs"):
        for name in dea[key]:
            measures.ranks(f"{place}[dea] {key}", name)
    if not dea["outputs"]:
        raise DataError(f"{place}[dea] outputs is empty; name at least one metric to rank by")
    both = set(dea["outputs"]) & set(dea["inputs"])
    if both:
        raise DataError(
            f"{place}[dea] '{min(both)}' is an output and an input; it can be one of them"
        )
    measures.check(f"{place}[tests] metric", tests["metric"])


FURTHER = ("direction", "weights", "goal", "sums", "shares", "ratios")
"""Options of `deabench.rank` that only some DEA models take; `norm` besides, which targets have,
too.
"""


def rank_options(dea: Mapping[str, Any]) -> Model:
    """Return the model with its options that a study's [dea] asks for.

    `norm` is an option of targets, too; only a model that has it gets it.
    """
    from deabench.models.options import build_options, option_fields

    names = {option_field.name for option_field in option_fields(dea["model"])}
    values = {name: dea.get(name) for name in ("returns", "orientation", *FURTHER)}
    if "norm" in names:
        values["norm"] = dea["norm"]
    return build_options(dea["model"], values)


def _can_rank(place: str, dea: Mapping[str, Any], measures: Measures) -> None:
    """Refuse what `rank` will refuse once the results are there: it is asked for a made-up table,
    before anything runs.
    """
    if not any(dea.get(name) is not None for name in FURTHER):
        return
    from deabench.analysis.ranking import rank

    names = [*dea["outputs"], *dea["inputs"]]
    values = np.random.default_rng(0).uniform(0.3, 0.9, (3 * len(names) + 3, len(names)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            rank(
                pd.DataFrame(values, columns=names),
                outputs=dea["outputs"],
                inputs=dea["inputs"] or None,
                lower_is_better=measures.complemented(dea["outputs"]),
                model=rank_options(dea),
            )
        except DataError as error:
            raise DataError(f"{place}[dea] {error}") from None
        except SolveError:
            return  # for these numbers only


def _names_of_learners(
    place: str,
    dea: Mapping[str, Any],
    groups: Mapping[str, Any],
    tests: Mapping[str, Any],
    learners: list[str],
) -> None:
    for key in ("tested", "reference"):
        for name in dea[key] or ():
            schema.known_name(place, f"[dea] {key}: classifier", name, learners)
    for panel, members in dea["panels"].items():
        for name in members:
            schema.known_name(place, f"[dea.panels] {panel}: classifier", name, learners)
    for name in groups["families"]:
        schema.known_name(place, "[groups.families] classifier", name, learners)
    if tests["control"] is not None:
        schema.known_name(place, "[tests] control: classifier", tests["control"], learners)
    for kind in tests["kinds"]:
        schema.known_name(place, "[tests] kinds: test", kind, ["friedman", "holm", "anova"])


def learner_of(place: str, name: str, entry: Any, folder: str | None) -> LearnerSpec:
    """A classifier of the registry or by import path, from the table of its parameters.

    Parameters
    ----------
    folder : str or None
        The folder beside which modules may be imported; None where imports are not permitted.
    """
    where = f"[classifiers] '{name}'"
    if not isinstance(entry, dict):
        raise DataError(
            f"{place}{where} is {entry!r}; give a table of its parameters, {{}} for none"
        )
    params = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
    }
    path, use = params.pop("import", None), str(params.pop("use", name))
    for key, value in entry.items():
        wanted = schema.plain(value)
        if wanted is not None:
            raise DataError(f"{place}{where}: {key} is a table; give {wanted}")
    if path is not None and folder is None:
        raise DataError(
            f"{place}{where} is imported from '{path}', which runs code of your choosing; "
            "if that is meant, say allow_imports = true at the top of the file"
        )
    if path is not None:
        spec = LearnerSpec(
            name, str(path), tuple(sorted(params.items())), True, folder=folder or ""
        )
        check_import(spec)
        return spec
    schema.known_name(place, "[classifiers]", use, list(REGISTRY))
    for key in params:
        if key not in parameters(use):
            has = ", ".join(f"'{p}'" for p in parameters(use)) or "none"
            raise DataError(f"{place}{where} has no parameter '{key}'; it has {has}")
    spec = LearnerSpec(name, use, tuple(sorted(params.items())))
    check_import(spec)
    return spec


def prepared(prepare: Prepare) -> Prepare:
    """The preparation with the text that stands for it in the tasks' keys."""
    if not prepare.by_column:
        return prepare
    said: list[Any] = [prepare.columns, prepare.numeric, prepare.nominal, prepare.missing]
    if prepare.transformer is not None:
        said.append(made_of(prepare.transformer))
    return replace(prepare, text=repr(said))
