"""CCR, BCC and the other returns to scale, by orientation: model (3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deabench.errors import DataError
from deabench.models.shared import restricted_weights
from deabench.models.shared.radial import solve_both_stages
from deabench.models.shared.radial_model import RestrictableModel
from deabench.models.shared.radial_problems import CCRProblem
from deabench.models.shared.weight_bounds import Bounds, read_sums
from deabench.proofs.radial import prove_radial
from deabench.results.answer import Answer, Task
from deabench.results.model import Advance, option
from deabench.results.option_forms import BOUNDS
from deabench.results.proof import Proof


@dataclass(frozen=True, kw_only=True)
class CCR(RestrictableModel):
    """CCR, BCC and the other returns to scale: one factor for all outputs, or for all inputs.

    Examples
    --------
    >>> import deabench as db
    >>> db.models.CCR(returns="vrs").orientation
    'output'
    """

    name = "ccr"
    title = "outputs against inputs, radial, with returns to scale (CCR, BCC)"
    equation = "(3)"
    formulations = ("envelopment_output", "envelopment_input", "slacks")
    inputs = "needed"

    returns: Literal["crs", "vrs", "nirs", "ndrs"] = "crs"
    orientation: Literal["output", "input"] = "output"
    sums: Bounds | None = option(
        None,
        "Bounds of Σ λ in place of returns to scale.",
        form=BOUNDS,
        reader=read_sums,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sums is not None and self.returns != "crs":
            raise DataError("sums takes the place of returns; leave one of the two out")

    @property
    def is_restricted(self) -> bool:
        """Whether weights or Σ λ are restricted."""
        return super().is_restricted or self.sums is not None

    @property
    def scale_assumption(self) -> str:
        """The returns to scale, or "bounded" where bounds of Σ λ take their place."""
        return self.returns if self.sums is None else "bounded"

    @property
    def proves_its_scores(self) -> bool:
        """Whether `solve` returns no score that the certificate refuses, in any order of rows."""
        return not self.is_restricted

    def solve(self, task: Task, advance: Advance) -> Answer:
        """Solve (3) for every DMU, with the restrictions if there are some."""
        if self.is_restricted:
            return restricted_weights.solve(task, advance)
        return solve_both_stages(CCRProblem(task), self.name, advance)

    def prove(self, answer: Answer) -> Proof:
        """Recompute every score from both sides, with the restrictions if there are some."""
        return restricted_weights.prove(answer) if self.is_restricted else prove_radial(answer)
