"""CCR and its returns to scale (BCC and others), by orientation: model (3)."""

from __future__ import annotations

from deabench.dea.certify import radial as proof
from deabench.dea.models import stages
from deabench.dea.models.radial import Ccr
from deabench.dea.models.record import Advance, Answer, Model, Task, radial_meaning


def solve(task: Task, advance: Advance) -> Answer:
    """(3) for every DMU."""
    return stages.solve(Ccr(task), "ccr", advance)


MODEL = Model(
    name="ccr",
    title="outputs against inputs, radial, with returns to scale (CCR, BCC)",
    equation="(3)",
    options={"returns": ("crs", "vrs", "nirs", "ndrs"), "orientation": ("output", "input")},
    inputs="needed",
    solve=solve,
    prove=proof,
    meaning=radial_meaning,
)
