"""What all tests share: one hypothesis profile, the same examples in every run."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("deabench", deadline=None, derandomize=True)  # the first call imports heavy libraries
settings.load_profile("deabench")
