"""The exceptions and the one warning of deabench.

Every message says what, where, which value and what to do; lower case, no full stop.
"""


class DeabenchError(Exception):
    """Base of all errors that deabench raises on purpose; the command line shows its text and exits 1."""


class DataError(DeabenchError, ValueError):
    """The data given cannot be used; the text names the row, the column and the value."""


class UsageError(DeabenchError):
    """A command was called with words that it does not know; the command line exits 2."""


class SolveError(DeabenchError, RuntimeError):
    """A solve did not end optimal; the text names the model, the DMU and the solver's own words."""


class CertificateError(DeabenchError):
    """A number of a result does not hold when it is recomputed; the text names the DMU."""


class DataWarning(UserWarning):
    """The data can be used, but they weaken the answer; the text says how."""
