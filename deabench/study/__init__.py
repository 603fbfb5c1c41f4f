"""Comparative studies: many classifiers on many data sets, cross-validated in one resumable run.

>>> from sklearn.datasets import load_wine
>>> from sklearn.neighbors import KNeighborsClassifier
>>> from deabench.study import Study
>>> X, y = load_wine(return_X_y=True)
>>> classifiers = {"1-NN": KNeighborsClassifier(1), "tree": "C4.5"}
>>> study = Study({"wine": (X, y)}, classifiers, positive=0)  # doctest: +SKIP
>>> study.run()  # doctest: +SKIP
>>> study.status().digest  # doctest: +SKIP

Every worker imports this package first, so the class is imported when it is first used.
"""

from deabench.utils.lazy import make_lazy

_HOME = {"Study": "deabench.study.study", "package_versions": "deabench.study.running.run"}

__all__ = sorted(_HOME)
make_lazy(__name__, _HOME)
