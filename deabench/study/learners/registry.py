"""Classifiers of a study by name: those of the 2022 paper's Table 3, of the 2006 paper, and others.

A builder takes the classifier's parameters and what it must know of the data (`BuildContext`), and
returns an unfitted scikit-learn pipeline. Classifiers from an import path or from code go the same
way. The builders live in `deabench.study.learners.pipelines`.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

import numpy as np

from deabench.errors import DataError
from deabench.study.learners import ANY_CONTEXT, BuildContext, LearnerSpec
from deabench.study.learners.fingerprints import Fingerprint, fingerprint_object
from deabench.utils.files import one_line

REGISTRY = {
    "C4.5": "build_c45",
    "CSC4": "build_c45_costs",
    "SMC": "build_c45_smote",
    "RUC": "build_c45_under",
    "SENC": "build_c45_smote_enn",
    "STLC": "build_c45_smote_tomek",
    "AdBC": "build_c45_adaboost",
    "BaC": "build_c45_bagging",
    "SVM": "build_svm",
    "CSVM": "build_svm_costs",
    "SMS": "build_svm_smote",
    "RUS": "build_svm_under",
    "SENS": "build_svm_smote_enn",
    "STLS": "build_svm_smote_tomek",
    "AdBS": "build_svm_adaboost",
    "BaS": "build_svm_bagging",
    "RBF": "build_rbf",
    "MLP": "build_mlp",
    "stump": "build_stump",
    "random forest": "build_forest",
    "naive Bayes": "build_naive_bayes",
    "kNN": "build_knn",
    "majority": "build_majority",
    "J48": "build_j48",
    "SMO": "build_smo",
    "RBFNetwork": "build_rbf_network",
}
"""The builder of each name, in `deabench.study.learners.pipelines`."""

TABLE3_LEARNERS = tuple(REGISTRY)[:18]
"""The classifiers of the 2022 paper's Table 3, in the order of its DMUs, C4.5 before SVM."""

PAPER_FAMILIES = {
    "C4.5": "classic",
    "SVM": "classic",
    "CSC4": "cost sensitive",
    "CSVM": "cost sensitive",
    "SMC": "over sampling",
    "SMS": "over sampling",
    "RUC": "under sampling",
    "RUS": "under sampling",
    "SENC": "hybrid",
    "SENS": "hybrid",
    "STLC": "hybrid",
    "STLS": "hybrid",
    "AdBC": "ensemble",
    "AdBS": "ensemble",
    "BaC": "ensemble",
    "BaS": "ensemble",
}
"""The paper's families of approaches, which its Table 13 and its recommendation use."""

FAMILY_MODULES = (
    ("hybrid", "imblearn.combine"),
    ("over sampling", "imblearn.over_sampling"),
    ("under sampling", "imblearn.under_sampling"),
    ("ensemble", "imblearn.ensemble"),
    ("ensemble", "sklearn.ensemble"),
)

RandomStates = list[tuple[int, str]]


def build_learner(spec: LearnerSpec, context: BuildContext) -> Any:
    """Build an unfitted estimator; every open `random_state` in it is set from the task's seed.

    Raises
    ------
    DataError
        For a parameter that the learner does not have, or an import that fails.
    """
    try:
        estimator = _build_unseeded(spec, context)
        return set_random_states(
            estimator, context.seed, _cached_random_states(spec, context, estimator)
        )
    except DataError:
        raise
    except Exception as error:  # a class from elsewhere: its constructor may raise anything
        raise DataError(f"classifier '{spec.name}' cannot be built: {one_line(error)}") from None


def _build_unseeded(spec: LearnerSpec, context: BuildContext) -> Any:
    if spec.template is not None:
        return _wrap_in_pipeline(context, make_estimator(spec))
    if spec.imported:
        return _wrap_in_pipeline(context, _import_class(spec)(**dict(spec.params)))
    return _builder(spec.use)(context, **dict(spec.params))


def _builder(use: str) -> Callable[..., Any]:
    # with scikit-learn and imbalanced-learn, which importing `deabench.study` must not need
    from deabench.study.learners import pipelines

    builder: Callable[..., Any] = getattr(pipelines, REGISTRY[use])
    return builder


def builder_parameters(use: str) -> list[str]:
    """Return the parameters of a registered classifier."""
    return list(inspect.signature(_builder(use)).parameters)[1:]


def make_estimator(spec: LearnerSpec) -> Any:
    """Make a new estimator of a template from code: a copy, or what its function returns.

    Raises
    ------
    DataError
        Where it is no scikit-learn classifier.
    """
    from sklearn.base import clone

    template = spec.template
    # a class or a function makes a new one; an estimator is copied
    is_function = isinstance(template, type) or not hasattr(template, "fit")
    estimator = template() if is_function else clone(template)
    _require_classifier(spec, type(estimator).__name__, estimator)
    return estimator


def _require_classifier(spec: LearnerSpec, description: str, candidate: Any) -> None:
    if not all(hasattr(candidate, method) for method in ("fit", "predict", "get_params")):
        raise DataError(
            f"classifier '{spec.name}': {description} is not a scikit-learn classifier; it needs "
            "fit, predict and get_params"
        )


def _wrap_in_pipeline(context: BuildContext, estimator: Any) -> Any:
    """Return an estimator from elsewhere as the last step of a pipeline."""
    from sklearn.utils import get_tags

    from deabench.study.learners.pipelines import make_pipeline

    takes_nan = bool(get_tags(estimator).input_tags.allow_nan)
    return make_pipeline(context, [], estimator, takes_nan=takes_nan)


def open_random_states(estimator: Any) -> RandomStates:
    """Return the parameters `random_state` that are None, nested ones too.

    Each with its position among all of them, in the order of their names.
    """
    params = estimator.get_params(deep=True)
    names = sorted(name for name in params if name.split("__")[-1] == "random_state")
    return [(position, name) for position, name in enumerate(names) if params[name] is None]


def set_random_states(estimator: Any, seed: int, random_states: RandomStates | None = None) -> Any:
    """Set every open `random_state` from the seed; one that has a value stays.

    Parameters
    ----------
    random_states : list of (int, str), optional
        The `open_random_states` of the estimator, where they are known.
    """
    if random_states is None:
        random_states = open_random_states(estimator)
    if not random_states:
        return estimator
    # the state of a parameter depends on its position among all of them, open or not
    states = np.random.SeedSequence(seed).generate_state(random_states[-1][0] + 1)
    params = {name: int(states[position] >> 1) for position, name in random_states}
    # most pipelines have all of them in the learner, which is set in a third of the time
    if all(name.startswith("learn__") for name in params):
        learner = estimator.named_steps["learn"]
        learner.set_params(**{name.removeprefix("learn__"): params[name] for name in params})
        return estimator
    return estimator.set_params(**params)


_RANDOM_STATES: dict[Any, tuple[Any, RandomStates]] = {}
"""Open random states of classifiers, with the template that they were found in."""


def _cached_random_states(spec: LearnerSpec, context: BuildContext, estimator: Any) -> RandomStates:
    """Return the open random states, which all tasks of a classifier share.

    A function may return another estimator each time: then nothing is cached.
    """
    if spec.template is not None and not hasattr(spec.template, "fit"):
        return open_random_states(estimator)
    key = (spec.name, spec.use, spec.params, context.missing, context.preprocessing.text)
    cached = _RANDOM_STATES.get(key)
    if cached is None or cached[0] is not spec.template:
        cached = _RANDOM_STATES[key] = (spec.template, open_random_states(estimator))
    return cached[1]


def fingerprint_learner(spec: LearnerSpec) -> Fingerprint:
    """Return what the classifier is made of in this process; see `learners.fingerprints`."""
    if spec.template is None:
        return _fingerprint_named(replace(spec, fingerprint=()), _module_stamp(spec))
    # what a function makes, and the function; of an estimator its copy alone
    values = [_build_unseeded(spec, ANY_CONTEXT)]
    if not hasattr(spec.template, "fit"):
        values.append(spec.template)
    return fingerprint_object(*values)


@lru_cache(maxsize=256)
def _fingerprint_named(spec: LearnerSpec, _stamp: str) -> Fingerprint:
    return fingerprint_object(_build_unseeded(spec, ANY_CONTEXT))


def _module_stamp(spec: LearnerSpec) -> str:
    """Return a text that changes when the module of an imported classifier does."""
    if not spec.imported:
        return ""
    module = _import_module(spec)
    file = getattr(module, "__file__", None)
    return f"{id(module)} {_file_digest(file) if file else ''}"


def _import_class(spec: LearnerSpec) -> Callable[..., Any]:
    module_name, _, class_name = spec.use.rpartition(".")
    imported: Callable[..., Any] | None = getattr(_import_module(spec), class_name, None)
    if imported is None:
        raise DataError(
            f"classifier '{spec.name}': cannot import '{spec.use}': module '{module_name}' has no "
            f"attribute '{class_name}'"
        )
    _require_classifier(spec, f"'{spec.use}'", imported)
    return imported


def _import_module(spec: LearnerSpec) -> ModuleType:
    """Import the module of an import path, or one in the folder of the study file.

    A module of that folder is read again after an edit.
    """
    name = spec.use.rpartition(".")[0]
    local_file = _find_local_file(spec.folder, name)
    if local_file is not None and spec.folder not in sys.path:
        # last: a file beside a study must not replace a module of Python
        sys.path.append(spec.folder)
    try:
        if not name or name.startswith("."):
            raise ImportError("give the whole path, as module.Class")
        with _no_bytecode():
            module = importlib.import_module(name)
    except Exception as error:  # the module is the user's: it may raise anything while it is read
        raise DataError(
            f"classifier '{spec.name}': cannot import '{spec.use}': {one_line(error)}"
        ) from None
    if local_file is None:
        return module
    return _reload_if_edited(spec, module, local_file)


def _find_local_file(folder: str, module: str) -> Path | None:
    if not folder or not module:
        return None
    path = Path(folder, *module.split("."))
    candidates = (path.with_name(f"{path.name}.py"), path / "__init__.py")
    return next((file for file in candidates if file.is_file()), None)


_LOADED_DIGESTS: dict[str, str] = {}
"""Modules beside a study file by name: the digest of the file when it was loaded."""


def _reload_if_edited(spec: LearnerSpec, module: ModuleType, file: Path) -> ModuleType:
    """Return the module as its file is now; refuse another module of that name."""
    loaded_file = getattr(module, "__file__", None)
    if loaded_file is None or Path(loaded_file).resolve() != file.resolve():
        raise DataError(
            f"classifier '{spec.name}': '{module.__name__}' is '{loaded_file}', not the module "
            "beside the study file; give yours another name"
        )
    digest = _file_digest(str(file))
    if _LOADED_DIGESTS.setdefault(module.__name__, digest) != digest:
        with _no_bytecode():
            module = importlib.reload(module)
        _LOADED_DIGESTS[module.__name__] = digest
    return module


_IMPORT_LOCK = RLock()
"""Held while the switch below is set: a worker of a cluster may run tasks in several threads."""


@contextmanager
def _no_bytecode() -> Iterator[None]:
    """Import without writing bytecode.

    Python uses bytecode as long as size and second of the last change of its source are the same:
    then another code would run than the one that the key of a task names.
    """
    with _IMPORT_LOCK:
        before = sys.dont_write_bytecode
        sys.dont_write_bytecode = True
        try:
            yield
        finally:
            sys.dont_write_bytecode = before


def _file_digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def weights_parameter(estimator: Any) -> str | None:
    """Return the argument of `fit` that takes weights of rows, None where there is none.

    A pipeline hands it to its last step, a search to its estimator. What adds or removes rows
    before it leaves no weights that belong to them.
    """
    from sklearn.utils.validation import has_fit_parameter

    steps = getattr(estimator, "steps", None)
    if steps is not None:
        if any(hasattr(step, "fit_resample") for _, step in steps):
            return None
        name, last = steps[-1]
        inner = weights_parameter(last)
        return None if inner is None else f"{name}__{inner}"
    # a search over parameters fits its estimator with what it is given
    if hasattr(estimator, "refit") and hasattr(estimator, "estimator"):
        return weights_parameter(estimator.estimator)
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def takes_weights(spec: LearnerSpec) -> bool:
    """Whether a classifier takes weights of rows."""
    return weights_parameter(_build_unseeded(spec, ANY_CONTEXT)) is not None


def infer_family(spec: LearnerSpec) -> str:
    """Infer the family of a classifier that is not the paper's from the classes in its pipeline.

    "over sampling", "under sampling" or "hybrid" by its sampler, "ensemble" for an ensemble of
    learners (in scikit-learn's or imbalanced-learn's modules), "cost sensitive" with a class
    weight, otherwise "classic".
    """
    # every estimator in the pipeline, the outer ones first
    estimator = _build_unseeded(spec, ANY_CONTEXT)
    inner = [
        value for value in estimator.get_params(deep=True).values() if hasattr(value, "get_params")
    ]
    estimators = [estimator, *inner]
    for family, module in FAMILY_MODULES:
        if any(type(step).__module__.startswith(module) for step in estimators):
            return family
    if any(getattr(step, "class_weight", None) is not None for step in estimators):
        return "cost sensitive"
    return "classic"
