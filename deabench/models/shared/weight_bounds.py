"""Check the bounds of weights, and of the sum of λ, against the data."""

from __future__ import annotations

from collections.abc import Mapping

from deabench.errors import DataError
from deabench.tables.transforms import Data
from deabench.utils.checks import did_you_mean

Bounds = tuple[float, float]
Shares = Mapping[str, Bounds]
Ratios = Mapping[tuple[str, str], Bounds]


def read_shares(shares: Shares, data: Data) -> Shares:
    """Check the bounds of each metric's share of its side against the data.

    Raises
    ------
    DataError
        If a metric is not there, a bound is above 1, or no shares within the bounds add up to 1.
    """
    checked = {}
    for name, (least, most) in shares.items():
        _require_metric("shares", name, data)
        if most > 1:
            raise DataError(f"shares of '{name}' go up to {most:g}; a share is at most 1")
        checked[name] = (float(least), float(most))
    for side, side_name in ((data.outputs, "outputs"), (data.inputs, "inputs")):
        least_sum = sum(checked[name][0] for name in side if name in checked)
        most_sum = sum(checked[name][1] if name in checked else 1.0 for name in side)
        if least_sum > 1 + 1e-12 or (len(side.columns) and most_sum < 1 - 1e-12):
            reach = f"at least {least_sum:g}" if least_sum > 1 else f"at most {most_sum:g}"
            raise DataError(
                f"the shares of the {side_name} add up to {reach}, and they have to add up to 1; "
                "give wider bounds"
            )
    return checked


def read_ratios(ratios: Ratios, data: Data) -> Ratios:
    """Check the bounds of the ratios of two metrics' weights against the data.

    Raises
    ------
    DataError
        If a metric is not there, or an output is compared with an input.
    """
    for first, second in ratios:
        for name in (first, second):
            _require_metric("ratios", name, data)
        if first == second or (first in data.outputs) != (second in data.outputs):
            raise DataError(
                f"ratios compares '{first}' with '{second}'; give two outputs, or two inputs"
            )
    return {pair: (float(least), float(most)) for pair, (least, most) in ratios.items()}


def read_sums(sums: Bounds, _: Data) -> Bounds:
    """Check the bounds of Σ λ.

    Raises
    ------
    DataError
        If only Σ λ = 0 is within the bounds.
    """
    least, most = sums
    if most == 0:
        raise DataError("sums is (0, 0), which leaves no reference; give a largest sum above 0")
    return float(least), float(most)


def _require_metric(option_name: str, name: object, data: Data) -> None:
    """Refuse a name that is no metric of the data."""
    metrics = [*data.outputs.columns, *data.inputs.columns]
    if name not in metrics:
        raise DataError(
            f"{option_name} names '{name}', which is no metric here; {did_you_mean(name, metrics)}"
        )
