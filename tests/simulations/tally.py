"""Runs of a simulation added up, in pieces where they are kept: a long benchmark that is stopped
goes on where it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from deabench.utils.files import write_whole

Array = np.ndarray
Run = Callable[[int], tuple[dict[str, Array], float]]
"""From the number of a run to its measures, and a percentile bootstrap's coverage or NaN."""

PIECE = 50
"""Runs between two writings."""


@dataclass
class Tally:
    """Sums over runs.

    Attributes
    ----------
    runs : int
    sums : mapping of measure to its sum, a number or one per classifier
    redrawn : (float, int)
        The sum of percentile coverages, and of how many runs.
    """

    runs: int = 0
    sums: dict[str, Array] = field(default_factory=dict)
    redrawn: tuple[float, int] = (0.0, 0)

    def add(self, found: dict[str, Array], percentile: float) -> None:
        """One run more."""
        self.runs += 1
        for key, value in found.items():
            self.sums[key] = self.sums[key] + value if key in self.sums else value
        if not np.isnan(percentile):
            self.redrawn = (self.redrawn[0] + percentile, self.redrawn[1] + 1)

    def measures(self) -> dict[str, float]:
        """The means; of the worst classifier where there is one number for each."""
        return {key: float(np.min(total / self.runs)) for key, total in self.sums.items()}

    @property
    def percentile(self) -> float:
        """The mean coverage of the percentile bootstrap, NaN where it was not done."""
        return self.redrawn[0] / self.redrawn[1] if self.redrawn[1] else float("nan")


def tallied(run: Run, name: str, *, runs: int, kept: Path | None) -> Tally:
    """The runs 0 to `runs` - 1; those that a file in `kept` holds already are not done again."""
    path = (
        None
        if kept is None
        else kept / (re.sub("[^a-z0-9]+", "-", name.lower()).strip("-") + ".json")
    )
    total = _read(path) if path is not None and path.exists() else Tally()
    for number in range(total.runs, runs):
        total.add(*run(number))
        if path is not None and (total.runs % PIECE == 0 or total.runs == runs):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(
                path,
                json.dumps(
                    {
                        "name": name,
                        "runs": total.runs,
                        "redrawn": total.redrawn,
                        "sums": {
                            key: np.asarray(value).tolist() for key, value in total.sums.items()
                        },
                    }
                ),
            )
    return total


def _read(path: Path) -> Tally:
    content = json.loads(path.read_text(encoding="utf-8"))
    return Tally(
        content["runs"],
        {key: np.asarray(value) for key, value in content["sums"].items()},
        tuple(content["redrawn"]),
    )
