"""The exceptions and the one warning of deabench.

Every message says what, where, which value and what to do; lower case, no full stop.
"""

import inspect
import warnings
from collections.abc import Mapping
from types import MappingProxyType


class DeabenchError(Exception):
    """Base class of all errors of deabench; the command line prints its text and exits with 1.

    Examples
    --------
    >>> import deabench as db
    >>> errors = (db.DataError, db.SolveError, db.CertificateError)
    >>> [issubclass(error, db.DeabenchError) for error in errors]
    [True, True, True]
    """


class DataError(DeabenchError, ValueError):
    """The data given cannot be used; the text names the row, the column and the value.

    Examples
    --------
    >>> import deabench as db
    >>> table = {"a": {"TPR": .9, "TNR": -.2}, "b": {"TPR": .8, "TNR": .7}}
    >>> try:
    ...     db.rank(table, outputs=["TPR", "TNR"])
    ... except db.DataError as error:
    ...     print(error)
    metric 'TNR' of 'a' is -0.2; 'TNR' cannot be below 0, correct it
    """

    options: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Arguments with which the call would go through; empty where none are known."""


class UsageError(DeabenchError):
    """A command was called with words that it does not know; the command line exits 2."""


class SolveError(DeabenchError, RuntimeError):
    """A solve did not end optimal; the text names the model, the DMU and the solver's own words.

    Examples
    --------
    >>> import deabench as db
    >>> issubclass(db.SolveError, (db.DeabenchError, RuntimeError))
    True
    """


class TimeLimitError(SolveError):
    """A time limit has passed; the text tells how far the computation came and what to change.

    Examples
    --------
    >>> import deabench as db
    >>> issubclass(db.TimeLimitError, db.SolveError)
    True
    """


class CertificateError(DeabenchError):
    """A number of a result does not hold when it is recomputed; the text names the DMU.

    Examples
    --------
    >>> import dataclasses
    >>> import deabench as db
    >>> ranking = db.rank(db.datasets.load("chao2022-wine1"), outputs=["TPR", "TNR"])
    >>> try:
    ...     db.certify(dataclasses.replace(ranking, scores=ranking.scores * .9))
    ... except db.CertificateError:
    ...     print("these are not its scores")
    these are not its scores
    """


class DataWarning(UserWarning):
    """The data can be used, but they weaken the answer; the text says how.

    Examples
    --------
    >>> import warnings
    >>> import deabench as db
    >>> table = {"a": {"TPR": .9, "TNR": .6}, "b": {"TPR": .8, "TNR": .7}}
    >>> with warnings.catch_warnings(record=True) as recorded:
    ...     warnings.simplefilter("always")
    ...     ranking = db.rank(table, outputs=["TPR", "TNR"])
    >>> recorded[0].category.__name__
    'DataWarning'
    """


def warn_data(text: str) -> None:
    """Issue a DataWarning that points to the line of the user that called deabench."""
    frame = inspect.currentframe()
    level = 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("deabench"):
        frame = frame.f_back
        level += 1
    warnings.warn(text, DataWarning, stacklevel=level + 1)
