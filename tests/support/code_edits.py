"""Edits of the code behind a classifier: which change a result, and which change nothing.

Each is a source that defines MODEL (an estimator, or a function that makes one), a piece of it and
what takes its place.
"""

from __future__ import annotations

HEAD = '''
import functools
import importlib
import numpy as np
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache, partial, wraps
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

class Base(ClassifierMixin, BaseEstimator):
    """Fits nothing."""
    threshold = 10
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return (X[:, 0] > self.threshold).astype(int)
'''


def with_class(body: str, before: str = "", model: str = "Mine()", bases: str = "Base") -> str:
    """Return a source with a class of this body and what stands before it."""
    indented = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"{HEAD}{before}\nclass Mine({bases}):\n{indented}\n\nMODEL = {model}\n"


PREDICT = "def predict(self, X):\n    return X[:, 0] > {}\n"

EDITS: dict[str, tuple[str, str, str]] = {
    "body of predict": (with_class(PREDICT.format(10)), "> 10", "> 18"),
    "body of a base class": (with_class("pass"), "X[:, 0] > self", "X[:, 1] > self"),
    "attribute of a base class": (with_class("pass"), "threshold = 10", "threshold = 18"),
    "base class": (
        with_class("pass", "class Other(Base):\n    threshold = 18\n"),
        "Mine(Base)",
        "Mine(Other)",
    ),
    "helper function": (
        with_class(PREDICT.format("limit()"), "def limit():\n    return 10\n"),
        "return 10",
        "return 18",
    ),
    "helper of a helper": (
        with_class(
            PREDICT.format("limit()"),
            "def deepest():\n    return 10\ndef limit():\n    return deepest()\n",
        ),
        "return 10",
        "return 18",
    ),
    "helper that calls itself": (
        with_class(
            PREDICT.format("limit(3)"), "def limit(n):\n    return 10 if n == 0 else limit(n - 1)\n"
        ),
        "return 10",
        "return 18",
    ),
    "helpers that call each other": (
        with_class(
            PREDICT.format("even(4)"),
            "def even(n):\n    return 10 if n == 0 else odd(n - 1)\n"
            "def odd(n):\n    return 4 if n == 0 else even(n - 1)\n",
        ),
        "return 4",
        "return 5",
    ),
    "global number": (with_class(PREDICT.format("LIMIT"), "LIMIT = 10\n"), "= 10\n\n", "= 18\n\n"),
    "global dictionary": (
        with_class(PREDICT.format("CONFIG['limit']"), "CONFIG = {'limit': 10}\n"),
        "'limit': 10",
        "'limit': 18",
    ),
    "global array": (
        with_class(PREDICT.format("LIMITS[1]"), "LIMITS = np.array([1.0, 10.0])\n"),
        "10.0]",
        "18.0]",
    ),
    "global object": (
        with_class(
            PREDICT.format("RULE.limit"),
            "@dataclass\nclass Rule:\n    limit: float\nRULE = Rule(10)\n",
        ),
        "Rule(10)",
        "Rule(18)",
    ),
    "default of a dataclass": (
        with_class(
            PREDICT.format("RULE.limit"),
            "@dataclass\nclass Rule:\n    limit: float = 10\nRULE = Rule()\n",
        ),
        "float = 10",
        "float = 18",
    ),
    "member of an enumeration": (
        with_class(PREDICT.format("Limit.HIGH.value"), "class Limit(Enum):\n    HIGH = 10\n"),
        "HIGH = 10",
        "HIGH = 18",
    ),
    "global of a lambda": (
        with_class(PREDICT.format("limit()"), "LIMIT = 10\nlimit = lambda: LIMIT\n"),
        "LIMIT = 10",
        "LIMIT = 18",
    ),
    "helper of a lambda": (
        with_class(PREDICT.format("f()"), "def limit():\n    return 10\nf = lambda: limit()\n"),
        "return 10",
        "return 18",
    ),
    "one of two lambdas": (
        with_class(PREDICT.format("f() + g()"), "f = lambda: 10\ng = lambda: 20\n"),
        "g = lambda: 20",
        "g = lambda: 21",
    ),
    "another class used inside": (
        with_class(
            PREDICT.format("Rule().limit()"),
            "class Rule:\n    def limit(self):\n        return 10\n",
        ),
        "return 10",
        "return 18",
    ),
    "inner class": (
        with_class("class Inner:\n    limit = 10\n" + PREDICT.format("self.Inner.limit")),
        "limit = 10",
        "limit = 18",
    ),
    "class attribute that is a number": (
        with_class("limit = 10\n" + PREDICT.format("self.limit")),
        "limit = 10",
        "limit = 18",
    ),
    "class attribute that is a dictionary": (
        with_class("limits = {'a': 10}\n" + PREDICT.format("self.limits['a']")),
        "'a': 10",
        "'a': 18",
    ),
    "class attribute that is a list": (
        with_class("limits = [10, 1]\n" + PREDICT.format("self.limits[0]")),
        "[10, 1]",
        "[18, 1]",
    ),
    "property": (
        with_class("@property\ndef limit(self):\n    return 10\n" + PREDICT.format("self.limit")),
        "return 10",
        "return 18",
    ),
    "cached property": (
        with_class(
            "@cached_property\ndef limit(self):\n    return 10\n" + PREDICT.format("self.limit")
        ),
        "return 10",
        "return 18",
    ),
    "static method": (
        with_class("@staticmethod\ndef limit():\n    return 10\n" + PREDICT.format("self.limit()")),
        "return 10",
        "return 18",
    ),
    "class method": (
        with_class(
            "@classmethod\ndef limit(cls):\n    return 10\n" + PREDICT.format("self.limit()")
        ),
        "return 10",
        "return 18",
    ),
    "cached method": (
        with_class(
            "@lru_cache\ndef limit(self):\n    return 10\n" + PREDICT.format("self.limit()")
        ),
        "return 10",
        "return 18",
    ),
    "cached function": (
        with_class(PREDICT.format("limit()"), "@lru_cache\ndef limit():\n    return 10\n"),
        "return 10",
        "return 18",
    ),
    "decorator": (
        with_class(
            "@above\ndef predict(self, X):\n    return X[:, 0]\n",
            "def above(method):\n    @wraps(method)\n    def inner(self, X):\n"
            "        return method(self, X) > 10\n    return inner\n",
        ),
        "> 10\n    return",
        "> 18\n    return",
    ),
    "parameter of a decorator": (
        with_class(
            "@above(10)\ndef predict(self, X):\n    return X[:, 0]\n",
            "def above(limit):\n    def decorate(method):\n        @wraps(method)\n"
            "        def inner(self, X):\n            return method(self, X) > limit\n"
            "        return inner\n    return decorate\n",
        ),
        "@above(10)",
        "@above(18)",
    ),
    "method under a decorator": (
        with_class(
            "@above\ndef predict(self, X):\n    return X[:, 0]\n",
            "def above(method):\n    @wraps(method)\n    def inner(self, X):\n"
            "        return method(self, X) > 10\n    return inner\n",
        ),
        "return X[:, 0]\n",
        "return X[:, 1]\n",
    ),
    "default argument": (
        with_class("def predict(self, X, limit=10):\n    return X[:, 0] > limit\n"),
        "limit=10",
        "limit=18",
    ),
    "default of a keyword": (
        with_class("def predict(self, X, *, limit=10):\n    return X[:, 0] > limit\n"),
        "limit=10",
        "limit=18",
    ),
    "default parameter": (
        with_class(
            "def __init__(self, limit=10):\n    self.limit = limit\n" + PREDICT.format("self.limit")
        ),
        "limit=10",
        "limit=18",
    ),
    "parameter": (
        with_class(
            "def __init__(self, limit=1):\n    self.limit = limit\n" + PREDICT.format("self.limit"),
            model="Mine(limit=10)",
        ),
        "limit=10",
        "limit=18",
    ),
    "closure": (
        with_class(
            PREDICT.format("limit()"),
            "def make(value):\n    return lambda: value\nlimit = make(10)\n",
        ),
        "make(10)",
        "make(18)",
    ),
    "abstract base": (
        with_class(
            "def limit(self):\n    return 10\n",
            "class Abstract(Base, ABC):\n    @abstractmethod\n    def limit(self): ...\n"
            "    def predict(self, X):\n        return X[:, 0] > 2 * self.limit()\n",
            bases="Abstract",
        ),
        "2 * self",
        "3 * self",
    ),
    "metaclass": (
        with_class(
            PREDICT.format("self.limit"),
            "class Meta(type(Base)):\n    @property\n    def limit(cls):\n        return 10\n",
            bases="Base, metaclass=Meta",
        ).replace("self.limit", "type(self).limit"),
        "return 10",
        "return 18",
    ),
    "set of texts": (
        with_class(PREDICT.format("len(NAMES)"), "NAMES = {'a', 'b', 'c'}\n"),
        "'c'}",
        "'d'}",
    ),
    "constant in a set": (
        with_class("def predict(self, X):\n    return [int(x in {1, 2, 3}) for x in X[:, 0]]\n"),
        "{1, 2, 3}",
        "{1, 2, 4}",
    ),
    "operator": (with_class(PREDICT.format(10)), "return X[:, 0] >", "return X[:, 0] >="),
    "comprehension": (
        with_class("def predict(self, X):\n    return [int(x > 10) for x in X[:, 0]]\n"),
        "x > 10",
        "x > 18",
    ),
    "exception handler": (
        with_class(
            "def predict(self, X):\n    try:\n        return X[:, 99]\n    except IndexError:\n"
            "        return X[:, 0] > 10\n"
        ),
        "IndexError",
        "Exception",
    ),
    "function that makes it": (
        HEAD + "def MODEL():\n    return LogisticRegression(C=1)\n",
        "C=1",
        "C=2",
    ),
    "lambda that makes it": (HEAD + "MODEL = lambda: LogisticRegression(C=1)\n", "C=1", "C=2"),
    "partial that makes it": (HEAD + "MODEL = partial(LogisticRegression, C=1)\n", "C=1", "C=2"),
    "arguments of a partial": (
        HEAD + "MODEL = make_pipeline(FunctionTransformer(partial(np.clip, a_min=0, a_max=3)), "
        "LogisticRegression())\n",
        "a_max=3",
        "a_max=500",
    ),
    "object of a bound method": (
        HEAD + "class Clip:\n    def __init__(self, top):\n        self.top = top\n"
        "    def apply(self, X):\n        return np.clip(X, 0, self.top)\n"
        "MODEL = make_pipeline(FunctionTransformer(Clip(0.1).apply), LogisticRegression())\n",
        "Clip(0.1)",
        "Clip(500)",
    ),
    "function of a transformer": (
        HEAD + "def clip(X):\n    return np.clip(X, 0, 3)\n"
        "MODEL = make_pipeline(FunctionTransformer(clip), LogisticRegression())\n",
        "0, 3",
        "0, 5",
    ),
    "second own step": (
        HEAD + "class First(TransformerMixin, BaseEstimator):\n    def fit(self, X, y=None):\n"
        "        return self\n    def transform(self, X):\n        return X * 2\n"
        "class Second(First):\n    def transform(self, X):\n        return X * 3\n"
        "MODEL = make_pipeline(First(), Second(), LogisticRegression())\n",
        "X * 2",
        "X * 4",
    ),
    "ufunc": (
        HEAD + "MODEL = make_pipeline(FunctionTransformer(np.log1p), LogisticRegression())\n",
        "np.log1p",
        "np.sqrt",
    ),
    "imported function": (
        with_class("def predict(self, X):\n    return np.sum(X, axis=1) > 10\n"),
        "np.sum",
        "np.max",
    ),
    "class weight": (
        HEAD + "MODEL = LogisticRegression(class_weight={0: 1, 1: 2})\n",
        "1: 2}",
        "1: 3}",
    ),
    "step of a pipeline": (
        HEAD + "MODEL = make_pipeline(StandardScaler(), LogisticRegression())\n",
        "StandardScaler()",
        "StandardScaler(with_mean=False)",
    ),
    "masked array": (
        with_class(
            "def __init__(self, limits=None):\n    self.limits = limits\n"
            + PREDICT.format("self.limits.max()"),
            model="Mine(np.ma.array([10, 18], mask=[0, 1]))",
        ),
        "mask=[0, 1]",
        "mask=[1, 0]",
    ),
    "value nested deeply": (
        with_class(
            "def __init__(self, limits=None):\n    self.limits = limits\n",
            model="Mine(" + "[" * 40 + "10" + "]" * 40 + ")",
        ),
        "[10]",
        "[18]",
    ),
    "own copy of an estimator": (
        with_class(
            "def __sklearn_clone__(self):\n    return self\n" + PREDICT.format("self.secret"),
            model="Mine()\nMODEL.secret = 10",
        ),
        "secret = 10",
        "secret = 18",
    ),
}
"""57 edits that change a result."""

PLAIN = with_class(
    "table = {'a': 1, 'b': 2}\n"
    "def predict(self, X):\n"
    '    """Compare a column with a limit."""\n'
    "    # the first one\n"
    "    limits = {'low': limit(3), 'high': 10}\n"
    "    return X[:, 0] > limits['high']\n",
    "CONFIG = {'x': 1, 'y': 2}\ndef limit(n):\n    return n + CONFIG['x']\n",
)
IRRELEVANT: dict[str, tuple[str, str]] = {
    "comment": ("# the first one", "# the first column"),
    "no comment": ("    # the first one\n", "\n"),
    "comment before": ("class Mine", "# mine\nclass Mine"),
    "docstring": ("Compare a column with a limit.", "Say which rows are above it."),
    "no docstring": ('        """Compare a column with a limit."""\n', ""),
    "docstring of a base class": ("Fits nothing.", "It fits nothing."),
    "no docstring of a base class": ('    """Fits nothing."""\n', ""),
    "new docstring of a class": ("class Mine(Base):\n", 'class Mine(Base):\n    """Mine."""\n'),
    "new docstring of a function": (
        "def limit(n):\n",
        'def limit(n):\n    """Return more."""\n',
    ),
    "new docstring of a method": (
        "def fit(self, X, y):\n",
        'def fit(self, X, y):\n        """Learn the classes."""\n',
    ),
    "blank line": ("class Mine", "\n\nclass Mine"),
    "blank line inside": ("        return self\n", "\n        return self\n"),
    "spaces": ("n + CONFIG", "n  +  CONFIG"),
    "parentheses": ("return n + CONFIG['x']", "return (n + CONFIG['x'])"),
    "line break": ("return n + CONFIG['x']", "return (\n        n\n        + CONFIG['x']\n    )"),
    "quotes": ("CONFIG['x']", 'CONFIG["x"]'),
    "trailing comma": ("{'low': limit(3), 'high': 10}", "{'low': limit(3), 'high': 10,}"),
    "order of a global dictionary": ("{'x': 1, 'y': 2}", "{'y': 2, 'x': 1}"),
    "order of a class's dictionary": ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
    "semicolon": ("CONFIG = {'x': 1, 'y': 2}", "CONFIG = {'x': 1, 'y': 2};"),
    "indentation": ("def limit(n):\n    return", "def limit(n):\n  return"),
    "underscore in a number": ("'high': 10", "'high': 1_0"),
}
"""22 edits that change no result."""
IRRELEVANT_IN_SCRIPTS: dict[str, tuple[str, str]] = {
    "function that is not used": ("class Mine", "def other():\n    return 1\n\nclass Mine"),
    "class that is not used": ("class Mine", "class Other:\n    pass\n\nclass Mine"),
    "global that is not used": ("class Mine", "UNUSED = 3\n\nclass Mine"),
    "import that is not used": ("class Mine", "import json\n\nclass Mine"),
    "output": ("class Mine", "print('', end='')\n\nclass Mine"),
}
"""In a script or notebook what is not used does not count."""
