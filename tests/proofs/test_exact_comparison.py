"""Every model beside exact arithmetic: `python -m benchmarks.exact_comparison` in quick form."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from benchmarks.exact.simplex import maximize, minimize
from benchmarks.exact_comparison import compare
from deabench.models import MODELS

PLAIN_KINDS = ["uniform", "grid", "duplicates", "constant", "collinear", "one metric"]
"""Kinds of tables on which every model is exact."""


def test_the_exact_simplex_agrees_with_scipy() -> None:
    rng = np.random.default_rng(0)
    signs = {"<=": 1.0, ">=": -1.0}
    statuses = {0: "optimal", 2: "infeasible", 3: "unbounded"}
    seen = set()
    for _ in range(200):
        n, m = rng.integers(1, 8), rng.integers(1, 6)
        matrix, right = rng.integers(-3, 6, (m, n)), rng.integers(-3, 8, m)
        costs, senses = rng.integers(-2, 6, n), rng.choice(list(signs), m)
        rows = [
            (row, str(sense), value)
            for row, sense, value in zip(matrix.tolist(), senses, right.tolist(), strict=True)
        ]
        exact = minimize(costs.tolist(), rows)
        sign = np.array([signs[sense] for sense in senses])
        peer = linprog(costs, matrix * sign[:, None], right * sign)
        # SciPy's presolve may call an unbounded program infeasible; the exact one decides.
        assert exact.status == statuses[peer.status]
        seen.add(exact.status)
        if exact.value is not None:
            assert float(exact.value) == pytest.approx(peer.fun, abs=1e-9)
    assert seen == set(statuses.values())


def test_the_exact_simplex_is_exact() -> None:
    third = maximize([1, 1], [([3, 0], "<=", 1), ([1, 1], "<=", Fraction(1, 2))])
    assert third.value == Fraction(1, 2)
    assert maximize([1], [([3], "==", 1)]).point == (Fraction(1, 3),)


@pytest.mark.parametrize("model", list(MODELS))
def test_plain_tables_are_exact_certified_and_invariant(model) -> None:
    findings = compare(range(16), [model], PLAIN_KINDS)
    assert not findings.lines, "\n".join(findings.lines)
    assert findings.counts["DMUs"] > 30
