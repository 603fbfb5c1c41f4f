"""Sizes of test sets against listed outcomes, the literature and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from deabench import compare, tango
from deabench.compare.sample_size import _search_size, mcnemar_power, tango_power
from deabench.errors import DataError
from deabench.metrics.roc_area import delong


@pytest.mark.parametrize("method", ["mid-p", "exact", "asymptotic", "corrected"])
def test_power_of_mcnemar_by_listing_every_outcome(method: str) -> None:
    n, b, c = 14, 0.45, 0.1
    power = sum(
        stats.multinomial.pmf([x, y, n - x - y], n, [b, c, 1 - b - c])
        for x in range(n + 1)
        for y in range(n + 1 - x)
        if compare.mcnemar(x, y, n=n, method=method).p_value < 0.05
    )  # type: ignore[arg-type]
    assert mcnemar_power(n, b, c, 0.05, method) == pytest.approx(power, rel=1e-9)  # type: ignore[arg-type]


def test_power_of_mcnemar_in_the_literature() -> None:
    """G*Power's manual: odds ratio .25, 40 % discordant, 50 pairs, one-sided .05: .839343 (the
    other side adds 2e-5).
    """
    assert mcnemar_power(50, 0.08, 0.32, 0.1, "exact") == pytest.approx(0.839343, abs=3e-5)
    large = compare.sample_size_mcnemar(0.005, 0.007)
    psi, delta = 0.012, 0.002
    z = stats.norm.isf(0.025) * psi**0.5 + stats.norm.isf(0.2) * (psi - delta**2) ** 0.5
    assert large.n == int(np.ceil((z / delta) ** 2))
    assert large.notes == ("above 4000 instances by the normal approximation",)


@pytest.mark.parametrize("kind", ["noninferiority", "equivalence"])
def test_power_of_tango_by_listing_every_outcome(kind: str) -> None:

    n, b, c = 25, 0.1, 0.06
    power = sum(
        stats.multinomial.pmf([x, y, n - x - y], n, [b, c, 1 - b - c])
        for x in range(n + 1)
        for y in range(n + 1 - x)
        if tango.test(x, y, n, 0.2, kind=kind, alpha=0.1).rejected
    )  # type: ignore[arg-type]
    assert tango_power(n, (b, c), 0.2, kind, 0.1) == pytest.approx(power, abs=1e-7)  # type: ignore[arg-type]


def test_the_sizes_found_have_the_power_and_the_next_smaller_has_not() -> None:
    size = compare.sample_size_mcnemar(0.15, 0.05)
    assert size.power >= 0.8 > mcnemar_power(size.n - 1, 0.15, 0.05, 0.05, "mid-p")
    shown = compare.sample_size_tango(0.05, 0.05, margin=0.08)
    assert shown.power >= 0.8 > tango_power(shown.n - 1, (0.05, 0.05), 0.08, "noninferiority", 0.05)


def test_the_size_for_an_auc_gives_delong_the_power() -> None:
    """Simulated: exponential scores, for which Hanley and McNeil's variance is exact; A = 0.75
    means a ratio of 3.
    """

    size = compare.sample_size_auc(0.75, power=0.8)
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [size.positives, size.negatives])
    hits = 0
    for _ in range(300):
        scores = rng.exponential(np.where(y == 1, 3.0, 1.0))
        area = delong(y, {"m": scores}, positive=1)
        hits += (area.auc["m"] - 0.5) / area.covariance.loc["m", "m"] ** 0.5 > stats.norm.isf(0.025)
    assert abs(hits / 300 - 0.8) < 0.1
    two = compare.sample_size_auc(0.75, against=0.8, correlation=0.5)
    assert two.n < compare.sample_size_auc(0.75, against=0.8, correlation=0).n


@pytest.mark.parametrize("method", ["mid-p", "exact"])
def test_a_power_below_alpha_needs_few_instances(method: str) -> None:
    """The formula squares a negative quantile there and starts far above the size in question."""
    size = compare.sample_size_mcnemar(0.05, 0.01, power=0.01, alpha=0.3, method=method).n
    powers = [mcnemar_power(n, 0.05, 0.01, 0.3, method) for n in range(2, 100)]
    assert min(powers[size - 2 :]) >= 0.01
    assert size == 2 or powers[size - 3] < 0.01


REFUSED = [
    (
        lambda: compare.sample_size_tango(0.1, 0.1, margin=0.3, alpha=0.7),
        "alpha is 0.7; give a number between 0 and 0.5, both excluded, as 0.025",
    ),
    (
        lambda: compare.sample_size_mcnemar(0.1, 0.1),
        "b and c are both 0.1: no number of instances shows a difference that is not there; give "
        "two shares that differ",
    ),
    (
        lambda: compare.sample_size_tango(0.1, 0.2, margin=0.05),
        "the expected difference -0.1 is not within the margin 0.05; no test set can show that "
        "it is, give a larger margin",
    ),
    (
        lambda: compare.sample_size_auc(0.7, against=0.7),
        "both AUCs are 0.7: no number of instances shows a difference that is not there; give "
        "two AUCs that differ",
    ),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(DataError) as e:
        call()  # type: ignore[operator]
    assert str(e.value) == text


def test_an_approximation_far_too_high_is_halved_until_the_power_is_missed() -> None:
    """A power of 1 from 10 instances on, sought from 1,000 on."""
    size = _search_size(1000, lambda n: float(n >= 10), 0.8, "a step")
    assert (size.n, size.power) == (10, 1.0)


def test_no_size_is_below_two() -> None:
    assert _search_size(3, lambda n: 1.0, 0.8, "instances").n == 2
