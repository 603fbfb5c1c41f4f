"""Classifiers that behave badly, one of each kind, for the studies of the tests (allow_imports = true)."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Good(ClassifierMixin, BaseEstimator):
    """The majority, after a while; the base of the others."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.answer_ = int(np.mean(y) > 0.5)
        time.sleep(self.seconds)
        self.harm()
        return self

    def harm(self) -> None:
        """Nothing."""

    def predict(self, X):
        return np.full(len(X), self.answer_)


class Raises(Good):
    def harm(self) -> None:
        raise ArithmeticError("this learner always fails")


class Exits(Good):
    def harm(self) -> None:
        sys.exit("enough")


class Dies(Good):
    """As a worker out of memory does."""

    def harm(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Hangs(Good):
    def harm(self) -> None:
        while True:
            time.sleep(0.01)


class Deadlocks(Good):
    """In C, holding Python's lock: nothing in the process can interrupt it."""

    def harm(self) -> None:
        lock = ctypes.create_string_buffer(256)
        library = ctypes.PyDLL(None)
        library.pthread_mutex_lock(lock)
        library.pthread_mutex_lock(lock)


class Noisy(Good):
    """Draws from numpy's global state, as learners from elsewhere do."""

    def predict(self, X):
        return np.random.randint(0, 2, len(X))  # noqa: NPY002
