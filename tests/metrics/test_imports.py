"""Counts need neither an optimiser nor a heavy library: those are imported where they are used."""

import subprocess
import sys

HEAVY = (
    "pyomo",
    "highspy",
    "deabench_models",
    "sklearn",
    "matplotlib",
    "statsmodels",
    "scipy.stats",
)


def test_importing_metrics_is_light():
    loaded = f"[name for name in {HEAVY} if name in sys.modules]"
    code = f"import sys; sys.path.insert(0, '.'); import deabench.metrics; print({loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
