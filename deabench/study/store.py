"""The old address of `deabench.study.results.store`, for one release."""

from deabench.study.results.store import read_predictions, read_rows, read_runs

__all__ = ["read_predictions", "read_rows", "read_runs"]
