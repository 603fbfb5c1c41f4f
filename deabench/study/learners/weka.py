"""Weka's own classifiers in a Java machine: needs the extra `deabench[weka]` (GPL-3) and Java.

The wrapper, python-weka-wrapper3, carries weka.jar 3.9, in which J48, SMO and MultilayerPerceptron
are core and RBFNetwork is a package of its own (`python -c "import weka.core.jvm as j;
j.start(packages=True); import weka.core.packages as p; p.install_package('RBFNetwork')"`). Each
worker process starts its own Java machine with its first task.
"""

from __future__ import annotations

import logging
import shutil
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from deabench.errors import DataError

J48 = "weka.classifiers.trees.J48"
SMO = "weka.classifiers.functions.SMO"
RBF_NETWORK = "weka.classifiers.functions.RBFNetwork"


def missing_software() -> str:
    """Return what Weka needs and this machine lacks; "" where it lacks nothing."""
    if find_spec("weka") is None:
        return "the package python-weka-wrapper3: pip install 'deabench[weka]'"
    if not shutil.which("java"):
        return "Java (a JRE of version 11 or later)"
    return ""


class WekaClassifier(ClassifierMixin, BaseEstimator):
    """A Weka classifier as a scikit-learn one.

    Parameters
    ----------
    classname : str
        Weka's name of it, as `weka.classifiers.trees.J48`.
    options : sequence of str
        As on Weka's command line, ("-C", "0.25", "-M", "2").

    Notes
    -----
    Features are numeric attributes, missing cells are Weka's missing, weights are instance weights.
    A fitted object lives in its process (a Java object cannot be pickled).
    """

    def __init__(self, classname: str = J48, options: tuple[str, ...] = ()) -> None:
        self.classname = classname
        self.options = options

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: Any = None) -> WekaClassifier:
        """Train on X, rows x features, and y, any labels.

        Raises
        ------
        DataError
            Where Java or the wrapper is missing, or Weka does not know the class.
        """
        start_java()
        from weka.classifiers import Classifier

        self.classes_ = np.unique(y)
        codes = np.searchsorted(self.classes_, y)
        weight = np.ones(len(codes))
        if sample_weight is not None:
            weight = np.asarray(sample_weight, dtype=float)
        # Weka knows classes by name: the codes stand for `classes_`
        self.header_ = self._make_header(np.asarray(X).shape[1])
        data = self._make_instances(np.column_stack([X, codes]), weight)
        try:
            self.model_ = Classifier(classname=self.classname, options=list(self.options))
        except Exception as error:
            raise DataError(
                f"Weka has no classifier '{self.classname}' with options {list(self.options)}: "
                f"{error}; RBFNetwork is a Weka package that must be installed first"
            ) from None
        self.model_.build_classifier(data)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return Weka's distribution over the classes, rows x classes."""
        rows = np.column_stack([X, np.full(len(X), np.nan)])
        data = self._make_instances(rows, np.ones(len(rows)))
        return np.array(
            [self.model_.distribution_for_instance(data.get_instance(k)) for k in range(len(rows))]
        )

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the most probable class of each row."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def _make_header(self, columns: int) -> Any:
        from weka.core.dataset import Attribute, Instances

        attributes = [Attribute.create_numeric(f"x{k}") for k in range(columns)]
        labels = [str(label) for label in self.classes_]
        header = Instances.create_instances(
            "rows", [*attributes, Attribute.create_nominal("class", labels)], 0
        )
        header.class_is_last()
        return header

    def _make_instances(self, rows: np.ndarray, weight: np.ndarray) -> Any:
        from weka.core.dataset import Instance, Instances

        data = Instances.template_instances(self.header_, len(rows))
        # NaN is Weka's own mark of a missing cell
        for values, row_weight in zip(rows.astype(float).tolist(), weight.tolist(), strict=True):
            data.add_instance(Instance.create_instance(values, weight=row_weight))
        return data


def start_java() -> None:
    """Start the Java machine of this process once, with the installed Weka packages."""
    missing = missing_software()
    if missing:
        raise DataError(f"Weka's classifiers need {missing}")
    from weka.core import jvm

    if not jvm.started:
        jvm.start(packages=True, logging_level=logging.ERROR)
