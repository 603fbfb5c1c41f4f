"""The classifiers of a study by name: the 18 of the 2022 paper's Table 3, the four of the 2006 paper, and a few more.

A builder (`deabench.study.learners.builders`) takes the classifier's parameters and what it must know of the data, and returns
an unfitted scikit-learn pipeline.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from deabench.errors import DataError
from deabench.study.learners import builders
from deabench.study.learners.builders import Context


@dataclass(frozen=True)
class LearnerSpec:
    """A classifier of a study: its name there, the registry's name (or the import path), its parameters."""

    name: str
    use: str
    params: tuple[tuple[str, Any], ...] = ()
    imported: bool = False


def build(spec: LearnerSpec, context: Context) -> Any:
    """An unfitted estimator, every `random_state` in it set from the task's seed.

    Raises
    ------
    DataError
        For a parameter that the learner does not have, or an import that fails.
    """
    maker = _imported(spec) if spec.imported else REGISTRY[spec.use]
    try:
        return seeded(maker(context, **dict(spec.params)), context.seed)
    except (TypeError, ValueError) as error:
        raise DataError(f"classifier '{spec.name}' cannot be built: {error}") from None


def seeded(estimator: Any, seed: int) -> Any:
    """Set every open `random_state`, nested ones too: in the order of their names, each from the same seed."""
    names = sorted(key for key in estimator.get_params(deep=True) if key.split("__")[-1] == "random_state")
    states = np.random.SeedSequence(seed).generate_state(len(names) + 1)
    return estimator.set_params(**{key: int(state >> 1) for key, state in zip(names, states, strict=False)})


def parameters(use: str) -> list[str]:
    """The parameters of a registered classifier."""
    maker = REGISTRY[use]
    code = maker.__code__
    return list(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])


def check_import(spec: LearnerSpec) -> None:
    """Refuse an import path that leads nowhere or to something that cannot be fitted."""
    build(spec, Context(columns=2, missing=False, seed=0))


def _imported(spec: LearnerSpec) -> Callable[..., Any]:
    module, _, name = spec.use.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise DataError(f"classifier '{spec.name}': cannot import '{spec.use}': {error}") from None
    if not (hasattr(found, "fit") and hasattr(found, "predict") and hasattr(found, "get_params")):
        raise DataError(f"classifier '{spec.name}': '{spec.use}' is not a scikit-learn classifier; it needs fit, "
                        "predict and get_params")

    def make(context: Context, **params: Any) -> Any:
        estimator = found(**params)
        return builders.pipeline(context, [], estimator, takes_nan=_takes_nan(estimator))

    return make


def _takes_nan(estimator: Any) -> bool:
    from sklearn.utils import get_tags

    return bool(get_tags(estimator).input_tags.allow_nan)


REGISTRY: dict[str, Callable[..., Any]] = {
    "C4.5": builders.c45, "CSC4": builders.c45_costs, "SMC": builders.c45_smote, "RUC": builders.c45_under,
    "SENC": builders.c45_smote_enn, "STLC": builders.c45_smote_tomek, "AdBC": builders.c45_adaboost,
    "BaC": builders.c45_bagging, "SVM": builders.svm, "CSVM": builders.svm_costs, "SMS": builders.svm_smote,
    "RUS": builders.svm_under, "SENS": builders.svm_smote_enn, "STLS": builders.svm_smote_tomek,
    "AdBS": builders.svm_adaboost, "BaS": builders.svm_bagging, "RBF": builders.rbf, "MLP": builders.mlp,
    "stump": builders.stump, "random forest": builders.forest, "naive Bayes": builders.naive_bayes,
    "kNN": builders.knn, "majority": builders.majority, "J48": builders.j48, "SMO": builders.smo,
    "RBFNetwork": builders.rbf_network,
}

TABLE3 = tuple(REGISTRY)[:18]
"""The classifiers of the 2022 paper's Table 3, in the order of its DMUs, C4.5 before SVM."""

APPROACH = {
    "C4.5": "classic", "SVM": "classic", "CSC4": "cost sensitive", "CSVM": "cost sensitive", "SMC": "over sampling",
    "SMS": "over sampling", "RUC": "under sampling", "RUS": "under sampling", "SENC": "hybrid", "SENS": "hybrid",
    "STLC": "hybrid", "STLS": "hybrid", "AdBC": "ensemble", "AdBS": "ensemble", "BaC": "ensemble", "BaS": "ensemble"}
"""The paper's families, which its Table 13 and its recommendation go by."""
