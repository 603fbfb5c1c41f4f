"""Which metrics of a report are better low."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deabench.report.report_results import Findings


def lower(found: Findings) -> set[str]:
    """The metrics of the page that are better low, by name."""
    data = found.ranking.data
    parts = [data] + ([one.data for one in (found.front, found.wide) if one is not None])
    inputs = {str(name) for part in parts for name in part.inputs}
    turned = {
        str(name) for part in parts for name, turn in part.transforms.items() if turn.sign < 0
    }
    losses = {
        str(name) for name, turn in data.transforms.items() if turn.sign < 0 and name in data.inputs
    }  # their sign is turned: high
    return (inputs | turned) - losses
