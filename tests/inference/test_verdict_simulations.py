"""The quick form of `python -m benchmarks.inference`: few runs of cells of known truth."""

import numpy as np
import pytest
from simulations import block_verdicts, learned_verdicts, sampling_designs
from simulations.held_out_halves import held_out_halves
from simulations.influence_errors import influence_errors
from simulations.learned_batches import dominated_in_runs
from simulations.verdict_cells import (
    measure_single_metric,
    measure_verdicts,
    run_cells,
    samples_of_hits,
)

import deabench as db

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


@pytest.mark.parametrize(
    "name",
    [
        "tied s=1, k=3, n=200, rho 0",
        "three tied on top, s=2",
        "metrics correlated at .7, k=5, n=200",
        "ties with duplicates, 5 x 2, n=200",
    ],
)
def test_verdicts_of_many_runs_are_those_of_each(name):
    """Runs that are computed together have the verdicts of `deabench.uncertainty`."""
    cell = CELLS[name]
    rng = np.random.default_rng(5)
    hits = np.array([cell.hits(rng) for _ in range(3)])
    together = dominated_in_runs(hits, shared=cell.shared)
    for answers, dominated in zip(hits, together, strict=True):
        verdicts = db.uncertainty(samples_of_hits(answers, shared=cell.shared)).verdicts
        assert dominated.tolist() == (verdicts == "dominated").tolist()


@pytest.mark.parametrize(
    "name", ["clusters 20x25, .3", "classes: accuracy, k=10, .97/.46 to .46/.97, rho .8"]
)
def test_limits_of_one_metric_need_no_linear_program(name):
    """Verdicts, coverage and widths by the closed form are those of `deabench.uncertainty`."""
    cell = CELLS[name]
    samples = cell.draw(np.random.default_rng(6))
    measured = measure_single_metric(cell, samples)
    assert measured == pytest.approx(measure_verdicts(cell, samples), abs=1e-12)


@pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")
@pytest.mark.parametrize(
    "name", ["a .05, b .1, J=5", "rare failure .05, J=30, k=10", "Beta(9, 1), J=12, k=10"]
)
def test_data_sets_need_no_samples_to_be_measured(name):
    """Verdicts and coverage from the numbers are those of `deabench.uncertainty` and its band."""
    cell = block_verdicts.CELLS[name]
    for seed in range(2):
        samples = cell.draw(np.random.default_rng(seed))
        values = samples.units[:, 0].T.astype(float)
        expected = block_verdicts.measure_blocks(cell, samples)
        measured = block_verdicts.measure_values(cell, values)
        assert measured == {key: expected[key] for key in measured}


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
