"""The quick form of `python -m benchmarks.inference`: few runs of cells of known truth."""

import pytest
from simulations import block_verdicts, learned_verdicts, sampling_designs
from simulations.held_out_halves import held_out_halves
from simulations.influence_errors import influence_errors
from simulations.verdict_cells import run_cells

CELLS = {**sampling_designs.CELLS, **learned_verdicts.CELLS, **block_verdicts.CELLS}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "accuracy, k=2, .99/.07 v .07/.99, n=500",
        "clusters 20x25, .3",
        "s=1, k=10, n=200, .9 v .8",
        "tied s=1, k=5, n=50",
        "chain s=2, k=10, n=200",
        "k=2, tied, n=30",
        "a .05, b .1, J=5",
        "rare failure .1, J=12, k=2",
    ],
)
def test_cells_hold(name):
    """Each measure reaches what it must, to two standard errors of forty runs."""
    table = run_cells({name: CELLS[name]}, runs=40)
    must = table[table["least"].notna() | table["most"].notna()]
    assert len(must)
    assert must["holds"].all(), must.to_string()


@pytest.mark.slow
def test_standard_errors_are_those_of_many_draws():
    """se/SD between .93 and 1.10, within four standard errors of 150 runs."""
    table = influence_errors(150)
    margin = 4 * table["error"]
    assert (table["se/SD"] >= 0.93 - margin).all(), table.to_string()
    assert (table["se/SD"] <= 1.10 + margin).all(), table.to_string()


@pytest.mark.slow
def test_held_out_halves_of_the_shipped_study_contradict_nothing():
    table = held_out_halves(1)
    assert (table["halves"] >= 40).all()
    assert (table["all intervals hold the other half"] >= 0.95).all()
    assert (table["ratio of a pair"] >= 0.9).all()
    assert (table["dominated, but first in the other half"] == 0).all()
