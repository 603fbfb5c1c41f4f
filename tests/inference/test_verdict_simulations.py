"""The quick form of `python -m benchmarks.inference`: few runs of cells of known truth."""

import pytest
from simulations import block_verdicts, learned_verdicts, sampling_designs
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
