"""The classifiers of a study by name: the 18 of the 2022 paper's Table 3, the four of the 2006
paper, and a few more.

A builder (`deabench.study.learners.builders`) takes the classifier's parameters and what it must
know of the data, and returns an unfitted scikit-learn pipeline."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

import numpy as np

from deabench.errors import DataError
from deabench.study.learners import builders
from deabench.study.learners.builders import Context
from deabench.study.learners.fingerprints import Made, made_of
from deabench.utils.files import one_line


@dataclass(frozen=True)
class LearnerSpec:
    """A classifier of a study.

    Attributes
    ----------
    name : str
        Its name there.
    use : str
        The registry's name, or the import path.
    params : tuple of (name, value)
    imported : bool
        Whether `use` is an import path.
    given : object or None
        An estimator given from code, or a function that makes one.
    folder : str
        The study file's folder: a module beside it can be imported.
    made : tuple
        The fingerprint (`fingerprint.made_of`) that the run began with.
    """

    name: str
    use: str
    params: tuple[tuple[str, Any], ...] = ()
    imported: bool = False
    given: Any = field(default=None, compare=False)
    folder: str = ""
    made: Made = ()


def build(spec: LearnerSpec, context: Context) -> Any:
    """An unfitted estimator, every `random_state` in it set from the task's seed.

    Raises
    ------
    DataError
        For a parameter that the learner does not have, or an import that fails.
    """
    try:
        return seeded(_unseeded(spec, context), context.seed, _kept_names(spec, context))
    except DataError:
        raise
    except Exception as error:  # the class is another's: its constructor may raise anything
        raise DataError(f"classifier '{spec.name}' cannot be built: {one_line(error)}") from None


def _unseeded(spec: LearnerSpec, context: Context) -> Any:
    if spec.given is not None:
        return _piped(context, made_by(spec))
    maker = _imported(spec) if spec.imported else REGISTRY[spec.use]
    return maker(context, **dict(spec.params))


def made_by(spec: LearnerSpec) -> Any:
    """A fresh estimator of one given from code: a copy of it, or what its function makes.

    Raises
    ------
    DataError
        Where it is no scikit-learn classifier.
    """
    from sklearn.base import clone

    given = spec.given
    estimator = given() if isinstance(given, type) or not hasattr(given, "fit") else clone(given)
    if not (
        hasattr(estimator, "fit")
        and hasattr(estimator, "predict")
        and hasattr(estimator, "get_params")
    ):
        raise DataError(
            f"classifier '{spec.name}': {type(estimator).__name__} is not a scikit-learn classifier; it needs "
            "fit, predict and get_params"
        )
    return estimator


def _piped(context: Context, estimator: Any) -> Any:
    """An estimator of one's own in a pipeline; one that is a pipeline already stays as it is where
    nothing goes first.
    """
    return builders.pipeline(context, [], estimator, takes_nan=_takes_nan(estimator))


def seeded(estimator: Any, seed: int, known: list[tuple[int, str]] | None = None) -> Any:
    """Set every open `random_state`, nested ones too: in the order of their names, each from the
    same seed.

    A `random_state` that was given stays. `known`, if it is given, holds the open ones once they
    have been looked for."""
    if not known:
        params = estimator.get_params(deep=True)
        names = sorted(key for key in params if key.split("__")[-1] == "random_state")
        found = [(place, name) for place, name in enumerate(names) if params[name] is None]
        known = [] if known is None else known
        known += found or [(0, "")]
    if known[0][1] == "":
        return estimator
    states = np.random.SeedSequence(seed).generate_state(known[-1][0] + 1)
    return estimator.set_params(**{name: int(states[place] >> 1) for place, name in known})


def _kept_names(spec: LearnerSpec, context: Context) -> list[tuple[int, str]] | None:
    """The open random states of a classifier, which are alike in all its tasks; None where a
    function makes it each time.
    """
    if spec.given is not None and not hasattr(spec.given, "fit"):
        return None
    what = (spec.name, spec.use, spec.params, context.missing, context.prepare.text)
    kept = _NAMES.get(what)
    if kept is None or kept[0] is not spec.given:
        kept = _NAMES[what] = (spec.given, [])
    return kept[1]


_NAMES: dict[Any, tuple[Any, list[tuple[int, str]]]] = {}


def fingerprint(spec: LearnerSpec) -> Made:
    """What the classifier is made of in this process: see `deabench.study.learners.fingerprints`."""
    if spec.given is None:
        return _fingerprint(replace(spec, made=()), _loaded(spec))
    kept = _GIVEN.get(spec.name)
    if kept is None or kept[0] is not spec.given:
        maker = None if hasattr(spec.given, "fit") else spec.given
        _GIVEN[spec.name] = (
            spec.given,
            made_of(_unseeded(spec, Context(columns=2, missing=False, seed=0)), maker),
        )
    return _GIVEN[spec.name][1]


_GIVEN: dict[str, tuple[Any, Made]] = {}
"""The fingerprints of classifiers given from code, by name, beside the object that each was made
of.
"""


@lru_cache(maxsize=256)
def _fingerprint(spec: LearnerSpec, _loaded_now: str) -> Made:
    return made_of(_unseeded(spec, Context(columns=2, missing=False, seed=0)))


def _loaded(spec: LearnerSpec) -> str:
    """What changes when the module of an imported classifier does."""
    if not spec.imported:
        return ""
    module = _module(spec)
    file = getattr(module, "__file__", None)
    return f"{id(module)} {_digest(file) if file else ''}"


def parameters(use: str) -> list[str]:
    """The parameters of a registered classifier."""
    maker = REGISTRY[use]
    code = maker.__code__
    return list(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])


def check_import(spec: LearnerSpec) -> None:
    """Refuse an import path that leads nowhere or to something that cannot be fitted."""
    build(spec, Context(columns=2, missing=False, seed=0))


def _imported(spec: LearnerSpec) -> Callable[..., Any]:
    name = spec.use.rpartition(".")[2]
    found = getattr(_module(spec), name, None)
    if found is None:
        module = spec.use.rpartition(".")[0]
        raise DataError(
            f"classifier '{spec.name}': cannot import '{spec.use}': module '{module}' has no attribute '{name}'"
        )
    if not (hasattr(found, "fit") and hasattr(found, "predict") and hasattr(found, "get_params")):
        raise DataError(
            f"classifier '{spec.name}': '{spec.use}' is not a scikit-learn classifier; it needs fit, "
            "predict and get_params"
        )
    return lambda context, **params: _piped(context, found(**params))


def _module(spec: LearnerSpec) -> ModuleType:
    """The module of an import path; one that lies beside the study file is found, and read again
    after an edit.
    """
    name = spec.use.rpartition(".")[0]
    beside = _beside(spec.folder, name)
    if beside is not None and spec.folder not in sys.path:
        sys.path.append(
            spec.folder
        )  # last: a file beside a study is not to stand for a module of Python
    try:
        if not name or name.startswith("."):
            raise ImportError("give the whole path, as module.Class")
        with _nothing_compiled():
            module = importlib.import_module(name)
    except Exception as error:  # the module is the user's: it may raise anything while it is read
        raise DataError(
            f"classifier '{spec.name}': cannot import '{spec.use}': {one_line(error)}"
        ) from None
    if beside is not None:
        module = _as_it_is(spec, module, beside)
    return module


def _beside(folder: str, module: str) -> Path | None:
    if not folder or not module:
        return None
    path = Path(folder, *module.split("."))
    return next(
        (
            file
            for file in (path.with_name(f"{path.name}.py"), path / "__init__.py")
            if file.is_file()
        ),
        None,
    )


_READ: dict[str, str] = {}
"""Modules beside a study file by name: the digest of the file as it was read."""


def _as_it_is(spec: LearnerSpec, module: ModuleType, file: Path) -> ModuleType:
    """The module as its file says now; refused where another module of its name came first."""
    there = getattr(module, "__file__", None)
    if there is None or Path(there).resolve() != file.resolve():
        raise DataError(
            f"classifier '{spec.name}': '{module.__name__}' is '{there}', not the module beside the study file; "
            "give yours another name"
        )
    now = _digest(str(file))
    if _READ.setdefault(module.__name__, now) != now:
        with _nothing_compiled():
            module = importlib.reload(module)
        _READ[module.__name__] = now
    return module


_IMPORTING = RLock()
"""Held while the switch below is set: a worker of a cluster may run tasks in several threads."""


@contextmanager
def _nothing_compiled() -> Iterator[None]:
    """Import and leave nothing compiled behind: Python takes what is compiled for what a file says
    as long as its size and the second of its last change are the same, and then another code would
    run than the one that the key of a task names.
    """
    with _IMPORTING:
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        try:
            yield
        finally:
            sys.dont_write_bytecode = before


def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _takes_nan(estimator: Any) -> bool:
    from sklearn.utils import get_tags

    return bool(get_tags(estimator).input_tags.allow_nan)


REGISTRY: dict[str, Callable[..., Any]] = {
    "C4.5": builders.c45,
    "CSC4": builders.c45_costs,
    "SMC": builders.c45_smote,
    "RUC": builders.c45_under,
    "SENC": builders.c45_smote_enn,
    "STLC": builders.c45_smote_tomek,
    "AdBC": builders.c45_adaboost,
    "BaC": builders.c45_bagging,
    "SVM": builders.svm,
    "CSVM": builders.svm_costs,
    "SMS": builders.svm_smote,
    "RUS": builders.svm_under,
    "SENS": builders.svm_smote_enn,
    "STLS": builders.svm_smote_tomek,
    "AdBS": builders.svm_adaboost,
    "BaS": builders.svm_bagging,
    "RBF": builders.rbf,
    "MLP": builders.mlp,
    "stump": builders.stump,
    "random forest": builders.forest,
    "naive Bayes": builders.naive_bayes,
    "kNN": builders.knn,
    "majority": builders.majority,
    "J48": builders.j48,
    "SMO": builders.smo,
    "RBFNetwork": builders.rbf_network,
}

TABLE3 = tuple(REGISTRY)[:18]
"""The classifiers of the 2022 paper's Table 3, in the order of its DMUs, C4.5 before SVM."""

APPROACH = {
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
"""The paper's families, which its Table 13 and its recommendation go by."""


def approach_of(spec: LearnerSpec) -> str:
    """The family of a classifier that is not the paper's, by what it is made of.

    "over sampling", "under sampling" or "hybrid" by the sampler in its pipeline, "ensemble" for an
    ensemble of learners (in scikit-learn's or imbalanced-learn's modules of ensembles), "cost
    sensitive" with a class weight, otherwise "classic"."""
    parts = _parts(_unseeded(spec, Context(columns=2, missing=False, seed=0)))
    modules = [type(part).__module__ for part in parts]
    for family, module in (
        ("hybrid", "imblearn.combine"),
        ("over sampling", "imblearn.over_sampling"),
        ("under sampling", "imblearn.under_sampling"),
        ("ensemble", "imblearn.ensemble"),
        ("ensemble", "sklearn.ensemble"),
    ):
        if any(name.startswith(module) for name in modules):
            return family
    weighted = any(getattr(part, "class_weight", None) is not None for part in parts)
    return "cost sensitive" if weighted else "classic"


def _parts(estimator: Any) -> list[Any]:
    """An estimator and every estimator in it, the outer ones first."""
    inner = [
        value for value in estimator.get_params(deep=True).values() if hasattr(value, "get_params")
    ]
    return [estimator, *inner]
