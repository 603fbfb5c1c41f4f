"""CCR and its returns to scale (BCC and others), by orientation: model (3)."""

from __future__ import annotations

from deabench.dea.models import preferences, restricted, stages
from deabench.dea.models.radial import Ccr
from deabench.dea.models.record import Advance, Answer, Model, Task, radial_allows, radial_meaning
from deabench.dea.proofs.proof import Proof
from deabench.dea.proofs.radial import radial


def solve(task: Task, advance: Advance) -> Answer:
    """(3) for every DMU."""
    if restricted.asked(task):
        return restricted.solve(task, advance)
    return stages.solve(Ccr(task), "ccr", advance)


def prove(answer: Answer) -> Proof:
    """From both sides, with the restrictions where there are some."""
    return restricted.prove(answer) if restricted.asked(answer) else radial(answer)


MODEL = Model(
    name="ccr",
    title="outputs against inputs, radial, with returns to scale (CCR, BCC)",
    equation="(3)",
    options={"returns": ("crs", "vrs", "nirs", "ndrs"), "orientation": ("output", "input")},
    inputs="needed",
    solve=solve,
    prove=prove,
    meaning=radial_meaning,
    allows=radial_allows,
    readers={"sums": preferences.read_sums, "shares": preferences.read_shares, "ratios": preferences.read_ratios},
)
