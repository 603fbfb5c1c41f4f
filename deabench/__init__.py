"""deabench compares classifiers by data envelopment analysis (DEA).

>>> import deabench as db
>>> table = db.datasets.load("chao2022-wine1")
>>> db.rank(table, outputs=["TPR", "TNR"]).efficient.sum()
np.int64(1)

The public names below are imported when first used, so that `import deabench` costs nothing.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "rank": "deabench.rank",
    "Ranking": "deabench.rank",
    "frontier": "deabench.frontier",
    "Frontier": "deabench.frontier",
    "targets": "deabench.targets",
    "Targets": "deabench.targets",
    "Study": "deabench.study",
    "DataError": "deabench.errors",
    "DataWarning": "deabench.errors",
    "DeabenchError": "deabench.errors",
    "SolveError": "deabench.errors",
    "CertificateError": "deabench.errors",
    "certify": "deabench.certify",
    "reproduce": "deabench.reproduce",
    "report": "deabench.report",
    "Report": "deabench.report",
    "Reproduction": "deabench.reproduce",
}
_MODULES = {"models": "deabench_models", "datasets": "deabench.datasets", "metrics": "deabench.metrics",
            "tango": "deabench.tango", "curves": "deabench.curves",
            "compare": "deabench.compare", "plot": "deabench.plot"}

__all__ = sorted([*_HOME, *_MODULES, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(_MODULES[name])
    else:
        raise AttributeError(f"module 'deabench' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


class _Package(types.ModuleType):
    """The package, whose functions keep their names when a module of the same name (`deabench.rank`) is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, types.ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
