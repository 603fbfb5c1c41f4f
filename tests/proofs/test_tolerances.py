"""What proofs may miss by is a part of what they claim: the numbers that docs/proofs.md states."""

from __future__ import annotations

import importlib
import pkgutil
from fractions import Fraction
from numbers import Number
from types import ModuleType

import pytest

from deabench import proofs
from deabench.models.shared import gate, score_bounds
from deabench.proofs import (
    bounds,
    exact_repair,
    fdh,
    frontier,
    ranking,
    reasons,
    supporting_weights,
    targets,
    weightings,
)
from deabench.utils import arrays

EPSILON = 2.0**-52
TOLERANCES: list[tuple[ModuleType, dict[str, float | Fraction]]] = [
    (arrays, {"TOLERANCE": 1e-9, "ROUND": 64 * EPSILON, "FINEST": 2.0**-16}),
    (bounds, {"GAMMA": 64 * EPSILON, "MARGIN": 9e-10, "PRECISE": 1e-10}),
    (bounds, {"LEAST_MARGIN": 9e-13}),
    (bounds, {"LAST_DIGITS": 2.0**-50, "FINEST_LAMBDA": 2.0**-40, "RESIDUAL": 0.01, "REPAIRS": 4}),
    (exact_repair, {"MET": Fraction(1, 10**12), "POLISH": 1e-7}),
    (fdh, {"ON": 1e-9}),
    (frontier, {"TIGHT": 1e-10, "ALIKE": 1e-8, "CLEAR": 1e-12}),
    (frontier, {"RISES": 1e-9, "PROVED": 1e-9}),
    (ranking, {"LEAST_SHARE": 1e-5, "OWN_WEIGHTS": -1, "NO_PROOF": -2}),
    (reasons, {"CLEAR": 1e-12}),
    (supporting_weights, {"NEAR": 1e-6, "MOVE": Fraction(1, 10**7)}),
    (targets, {"ON": 1e-9, "ROUND": 16 * EPSILON}),
    (weightings, {"ROUNDING": 1e-14, "MAX_DEPTH": 48, "LEAF": -1}),
    (score_bounds, {"NEAR": 1e-8}),
    (gate, {"NEAR_ITSELF": 1e-5, "NEAR_BEST": 1e-7}),
]


@pytest.mark.parametrize(("module", "tolerances"), TOLERANCES)
def test_each_tolerance_is_the_one_that_is_stated(module, tolerances) -> None:
    assert {name: getattr(module, name) for name in tolerances} == pytest.approx(
        tolerances, rel=1e-12, abs=0
    )


def test_no_number_of_a_proof_is_left_out() -> None:
    """But for `BLOCK`, which only says how many leaves are compared at a time."""
    stated = {pair for _, tolerances in TOLERANCES for pair in tolerances.items()}
    names = [module.name for module in pkgutil.iter_modules(proofs.__path__)]
    assert "bounds" in names
    for module_name in names:
        module = importlib.import_module(f"deabench.proofs.{module_name}")
        numbers = {
            (name, value)
            for name, value in vars(module).items()
            if name.isupper() and isinstance(value, Number) and name != "BLOCK"
        }
        assert numbers <= stated
