"""A solve ends optimal, or in an error with HiGHS's words, or in a stated bound; and memory stays
linear.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from dea_cases import frame

import deabench as db
import deabench_models as models
from deabench.errors import SolveError
from deabench.geometry.projections import FaceProjector
from deabench.models.shared import radial
from deabench.proofs.radial import COLUMNS
from deabench.solver import engine, rational_simplex
from deabench.solver.highs import TOLERANCES, Infeasible, Limit, Solver, Unbounded, Undecided
from deabench.solver.template import Program, compile_template, expand_template, read_model
from deabench_models import projection

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

Y = np.random.default_rng(0).uniform(0.3, 1, (40, 4))
FORM = compile_template(models.wei, {"Y": range(4)}, {"y_o": dict.fromkeys(range(4), 1.0)})


def beyond_reach() -> Program:
    """One DMU that makes 1 cannot be a peer of one that makes 5."""
    form = compile_template(
        models.envelopment_input,
        {"X": range(1), "Y": range(1)},
        {"x_o": {0: 1.0}, "y_o": {0: 1.0}},
        returns="vrs",
    )
    return expand_template(form, np.array([[1.0, 1.0]]), np.array([1.0, 5.0]))


def test_an_infeasible_program_raises_with_the_model_the_dmu_and_highss_words(refused) -> None:
    solver = Solver(beyond_reach())
    with refused("envelopment_input for 'k-NN': HiGHS ended with 'Infeasible'", Infeasible):
        solver.run("'k-NN'")
    assert issubclass(Infeasible, SolveError)


def test_an_unbounded_program_raises(refused) -> None:
    form = compile_template(models.score, {"E": range(2)}, {"e_o": {0: 1.0, 1: 1.0}})
    solver = Solver(expand_template(form, np.array([[1.0, 0.0]]), np.array([1.0, 1.0])))
    with refused("score for 'k-NN': HiGHS ended with 'Unbounded'", Unbounded):
        solver.run("'k-NN'")


def test_an_iteration_limit_raises(refused) -> None:
    solver = Solver(expand_template(FORM, Y, Y[0]), iteration_limit=1)
    with refused("wei for 'k-NN': HiGHS ended with 'Iteration limit reached'", Limit):
        solver.run("'k-NN'")


def test_a_time_limit_raises(refused) -> None:
    solver = Solver(expand_template(FORM, Y, Y[0]), time_limit=0.0)
    with refused("wei for 'k-NN': HiGHS ended with 'Time limit reached'", Limit):
        solver.run("'k-NN'")


def test_a_time_limit_of_a_milp_states_a_bound_below_the_optimum() -> None:
    rng = np.random.default_rng(0)
    sphere = np.abs(rng.normal(size=(40, 4)))
    points = sphere / np.linalg.norm(sphere, axis=1, keepdims=True)
    table = {(k, r): float(points[k, r]) for k in range(40) for r in range(4)}
    model = models.normalised(
        table, {("g", r): 0.3 for r in range(4)}, dict.fromkeys(range(4), 1.0)
    )
    solver = Solver(
        expand_template(
            read_model(projection.l1(model, dict.fromkeys(range(4), 1.0)), symbolic=False),
            np.zeros((0, 0)),
            np.zeros(0),
        ),
        time_limit=0.01,
    )
    with pytest.raises(Limit) as caught:
        solver.run("'k-NN'")
    assert str(caught.value) == "model for 'k-NN': HiGHS ended with 'Time limit reached'"
    truth = db.targets(frame(np.full((1, 4), 0.3), "t"), frame(points)).distance.iloc[0]
    assert caught.value.bound <= truth + 1e-9


@pytest.mark.parametrize(
    ("limit", "sentence"),
    [
        ({"iteration_limit": 0}, "Iteration limit reached"),
        ({"time_limit": 0.0}, "Time limit reached"),
    ],
)
def test_a_limit_inside_rank_ends_in_an_error_that_names_the_dmu(
    limit, sentence, monkeypatch, refused
) -> None:
    monkeypatch.setattr(engine, "Solver", partial(Solver, **limit))
    with refused(f"wei for 'c0': HiGHS ended with '{sentence}'", Limit):
        db.rank(frame(Y))


def test_where_highs_gives_up_rational_arithmetic_takes_over(monkeypatch) -> None:
    scores = db.rank(frame(Y)).scores

    class Never(Solver):
        def run(self, label: str, *, patient: bool = True) -> None:
            raise Undecided(f"{self.name} for {label}: HiGHS ended with 'Unknown'")

    monkeypatch.setattr(engine, "Solver", Never)
    ranking = db.rank(frame(Y))
    np.testing.assert_allclose(ranking.scores, scores, atol=1e-12)
    db.certify(ranking)


def test_too_many_exact_pivots_end_in_an_error(monkeypatch, refused) -> None:
    class Never(Solver):
        def run(self, label: str, *, patient: bool = True) -> None:
            raise Undecided("no")

    monkeypatch.setattr(engine, "Solver", Never)
    monkeypatch.setattr(rational_simplex, "PIVOTS", 1)
    with refused("wei for 'c0': no optimal basis after 1 exact pivots", SolveError):
        db.rank(frame(Y))


def test_a_certificate_that_does_not_hold_is_solved_again_and_costs_the_others_nothing(
    monkeypatch,
) -> None:
    calls = []
    certificates = radial.radial_certificates
    gap = COLUMNS.get_loc("gap")

    def broken(result, reached) -> object:
        calls.append(len(result.scores))
        values = certificates(result, reached)
        values[result.scores.index == "c3", gap] = 1.0
        return values

    monkeypatch.setattr(radial, "radial_certificates", broken)
    ranking = db.rank(frame(Y))
    # The whole table once, then the one row alone, by floating point and in fractions.
    assert calls == [40, 1, 1]
    assert np.isnan(ranking.scores["c3"])
    assert list(ranking.reasons) == ["c3"]
    assert ranking.reasons["c3"].startswith("its wei score, about ")
    assert ranking.reasons["c3"].endswith(
        ", is not proved to 1e-09: its metrics are too far apart for floating point"
    )
    assert ranking.scores.drop("c3").notna().all()


def test_a_certificate_that_holds_the_second_time_is_an_answer(monkeypatch) -> None:
    certificates, calls = radial.radial_certificates, []

    def once(result, reached) -> object:
        values = certificates(result, reached)
        if not calls:
            values[result.scores.index == "c3", COLUMNS.get_loc("gap")] = 1.0
        calls.append(1)
        return values

    original = db.rank(frame(Y))
    monkeypatch.setattr(radial, "radial_certificates", once)
    repeated = db.rank(frame(Y))
    np.testing.assert_allclose(repeated.scores, original.scores, atol=1e-14)
    np.testing.assert_allclose(repeated.slacks, original.slacks, atol=1e-12)
    assert len(calls) == 3
    db.certify(repeated)


def test_a_wrong_call_is_refused_by_name(refused) -> None:
    solver = Solver(expand_template(FORM, Y, Y[0]))
    with refused("wei: HiGHS refused 'no such option'", SolveError):
        solver._set_option("no such option", 1)


def test_a_retry_goes_back_to_the_tight_tolerance() -> None:
    solver = Solver(beyond_reach())
    with pytest.raises(Infeasible):
        solver.run("test")
    assert solver.highs.getOptionValue("primal_feasibility_tolerance")[1] == TOLERANCES[0]


def test_bounds_columns_rows_and_coefficients_can_change_between_solves() -> None:
    """Each against a program built anew."""
    solver = Solver(expand_template(FORM, Y[:20], Y[0]))
    solver.run("test")
    solver.set_column(0, np.append(-Y[1], 0.0))
    solver.run("test")
    fresh = Solver(expand_template(FORM, Y[:20], Y[1]))
    fresh.run("test")
    assert solver.objective() == pytest.approx(fresh.objective(), abs=1e-12)
    solver.add_columns(np.zeros(20), np.column_stack([Y[20:], np.ones(20)]))
    solver.run("test")
    fresh = Solver(expand_template(FORM, Y, Y[1]))
    fresh.run("test")
    assert solver.objective() == pytest.approx(fresh.objective(), abs=1e-12)
    assert solver.columns == 41


MEMORY = """
import sys, tracemalloc, warnings
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
import deabench as db
db.rank(pd.DataFrame(np.random.default_rng(0).uniform(0.3, 1, (200, 4))).add_prefix("m"))
peaks = []
for n in (25_000, 100_000):
    table = pd.DataFrame(np.random.default_rng(1).uniform(0.3, 1, (n, 4))).add_prefix("m")
    tracemalloc.start()
    ranking = db.rank(table)
    stored = int((ranking.peers.sparse.density * ranking.peers.size).round())
    peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    assert stored <= 5 * n
print(*peaks)
"""


@pytest.mark.slow
def test_memory_grows_with_n_and_not_with_its_square() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    quarter, whole_ = map(int, done.stdout.split())
    assert whole_ < 5.5 * quarter  # n² would be 16 times
    assert (
        whole_ < 300e6
    )  # one dense matrix of λ over the frontier of 100,000 would be above 300 MB


def test_what_highs_calls_unknown_is_asked_again_without_perturbed_costs() -> None:
    """Two near-duplicate vertices, and a point that nothing on their face dominates."""
    vertices = np.array(
        [
            [1.938746263559644, 0.698098054145893, 1.239952164026727],
            [0.995609413260145, 1.825248157232045, 1.138437361309337],
            [1.93874626392714, 0.698098054816793, 1.239952163193664],
        ]
    )
    project = FaceProjector(vertices, np.ones(3), "l1", True)
    project.start(np.array([1.759484475053746, 1.789359593762494, 1.186445438495624]), "t")
    assert project.project(np.arange(3)).distance == np.inf
