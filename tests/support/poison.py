"""Classifiers that behave badly, one of each kind, for the studies of the tests (allow_imports =
true).
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

DEATH = "DEABENCH_TEST_DEATH"
"""The environment variable that names the file which `Dies` writes."""
WAIT_FOR = "DEABENCH_TEST_WAIT_FOR"
"""The environment variable that names the file for which `Waits` waits."""


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


class Waits(Good):
    """Until a file is there, a minute at most."""

    def harm(self) -> None:
        file = os.environ.get(WAIT_FOR)
        until = time.monotonic() + 60
        while file and not os.path.exists(file) and time.monotonic() < until:
            time.sleep(0.01)


class Raises(Good):
    def harm(self) -> None:
        raise ArithmeticError("this learner always fails")


class Exits(Good):
    def harm(self) -> None:
        sys.exit("enough")


class Dies(Good):
    """As a worker out of memory does."""

    def harm(self) -> None:
        if DEATH in os.environ:
            open(os.environ[DEATH], "w").close()
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


class Minus(Good):
    """As IsolationForest: 1 and -1."""

    def predict(self, X):
        return np.where(np.arange(len(X)) % 2, 1, -1)


class Between(Good):
    def predict(self, X):
        return np.full(len(X), 0.99)


class Nothing(Good):
    def predict(self, X):
        return np.full(len(X), np.nan)


class Scalar(Good):
    def predict(self, X):
        return 1


class Few(Good):
    def predict(self, X):
        return np.ones(1)


class Words(Good):
    def predict(self, X):
        return np.full(len(X), "yes")


class Mumbles(Good):
    """Its error is bytes that are no text."""

    def harm(self) -> None:
        raise OSError("caf\udce9")


class Mute(Good):
    """Its error cannot say what it is."""

    def harm(self) -> None:
        class Silent(Exception):
            def __str__(self) -> str:
                raise RuntimeError("no")

        raise Silent


class Burns(Good):
    """Computes for ever in Python."""

    def harm(self) -> None:
        while True:
            sum(range(1000))


class Hoards(Good):
    def harm(self) -> None:
        self.kept_ = [bytearray(50_000_000) for _ in range(200)]


class Begets(Good):
    """Leaves a child behind; where it lies is in the environment."""

    def harm(self) -> None:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        with open(os.environ["DEABENCH_TEST_CHILDREN"], "a") as stream:
            stream.write(f"{child.pid}\n")


def small_forest():
    """A function that makes a classifier."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(5)


class Noisy(Good):
    """Draws from numpy's global state, as learners from elsewhere do."""

    def predict(self, X):
        return np.random.randint(0, 2, len(X))  # noqa: NPY002
