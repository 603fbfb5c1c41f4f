"""Timings of deabench beside other solvers, and coverage of its intervals: `python -m benchmarks`.

Everything runs in one process and one thread. Solvers of the same problem take turns, and the
figure is CPU time: the median over the turns. What would take hours is timed on a sample of the
DMUs and marked as such. Packages that are not installed are left out.

Tables and samples of known truth come from `tests/simulations`, which the tests use, too.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_TESTS = str(Path(__file__).parents[1] / "tests")
if _TESTS not in sys.path:
    sys.path.append(_TESTS)
# The benchmarks start processes of their own, which import the same modules.
_paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
if _TESTS not in _paths:
    os.environ["PYTHONPATH"] = os.pathsep.join([*_paths, _TESTS])
