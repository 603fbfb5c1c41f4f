"""The formulations of deabench: functions that return unsolved Pyomo models.

They are written to be read next to the papers. `FORMULATIONS` lists them; README.md beside this
folder says which equation is where, and what was misprinted.
"""

from deabench_models.additive import additive
from deabench_models.benchmark import (
    closest,
    closest_as_printed,
    closest_change,
    closest_split,
    pareto_frontier,
)
from deabench_models.ccr import (
    envelopment_input,
    envelopment_output,
    multiplier_input,
    multiplier_output,
    slacks,
)
from deabench_models.cross import aggressive, benevolent, largest_loss
from deabench_models.directional import directional
from deabench_models.fdh import free_disposal_input, free_disposal_output
from deabench_models.normalised import normalised, supports
from deabench_models.projection import depth, face, halfspaces
from deabench_models.restricted import restricted_input, restricted_output, restricted_slacks
from deabench_models.russell import russell_graph, russell_input, russell_output
from deabench_models.sbm import slacks_based
from deabench_models.super_sbm import super_slacks_based
from deabench_models.wei import quotients, score, wei
from deabench_models.weightings import (
    inner_ball,
    largest_ratio,
    least_loss,
    mix_above,
    ratio_above,
    rows_above,
)

FORMULATIONS = (
    multiplier_input,
    multiplier_output,
    envelopment_input,
    envelopment_output,
    slacks,
    wei,
    score,
    free_disposal_output,
    free_disposal_input,
    slacks_based,
    super_slacks_based,
    additive,
    russell_input,
    russell_output,
    russell_graph,
    directional,
    restricted_output,
    restricted_input,
    restricted_slacks,
    aggressive,
    benevolent,
    largest_loss,
    pareto_frontier,
    closest_change,
    closest_split,
    closest,
    closest_as_printed,
    normalised,
    supports,
    face,
    halfspaces,
    depth,
    rows_above,
    ratio_above,
    mix_above,
    least_loss,
    largest_ratio,
    inner_ball,
)

__all__ = ["FORMULATIONS", "quotients", *(formulation.__name__ for formulation in FORMULATIONS)]
