"""The old address of `deabench.study.data.data_type`, for one release."""

from deabench.study.data.data_type import Agreement, Typing, agreement, data_type, rule, standardised

__all__ = ["Agreement", "Typing", "agreement", "data_type", "rule", "standardised"]
