"""CCR and its returns to scale (BCC and others), by orientation: model (3)."""

from __future__ import annotations

from deabench.models import radial_stages, restricted, weight_restrictions
from deabench.models.base import Advance, Answer, Model, Task, radial_allows, radial_meaning
from deabench.models.radial import Ccr
from deabench.proofs.radial import prove_radial
from deabench.results.proof import Proof


def solve(task: Task, advance: Advance) -> Answer:
    """(3) for every DMU."""
    if restricted.asked(task):
        return restricted.solve(task, advance)
    return radial_stages.solve(Ccr(task), "ccr", advance)


def prove(answer: Answer) -> Proof:
    """From both sides, with the restrictions where there are some."""
    return restricted.prove(answer) if restricted.asked(answer) else prove_radial(answer)


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
    readers={
        "sums": weight_restrictions.read_sums,
        "shares": weight_restrictions.read_shares,
        "ratios": weight_restrictions.read_ratios,
    },
)
