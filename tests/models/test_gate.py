"""Every answer proves itself: at any scale, in any order of rows, columns and units."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow

import deabench as db
from benchmarks.exact import EXACT
from benchmarks.exact.kinds import KINDS
from benchmarks.exact_comparison import draw_case
from deabench.errors import DataError
from deabench.models import MODELS
from deabench.models.shared import gate, radial
from deabench.models.shared.radial_problems import CCRProblem
from deabench.proofs.radial import slack_errors
from deabench.results.answer import Task
from deabench.solver.exact_programs import solve_program_exactly
from deabench.solver.highs import Solver
from deabench.solver.template import Program

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

M = db.models
WITH_COSTS = [
    M.CCR(returns="vrs"),
    M.CCR(returns="vrs", orientation="input"),
    M.SBM(returns="vrs"),
    M.SBM(returns="vrs", orientation="input"),
    M.SBM(returns="vrs", technology="fdh"),
    M.Russell(),
    M.Russell(orientation="input"),
    M.Russell(orientation="none"),
    M.Additive(),
    M.Additive(weights="mip"),
    M.RAM(),
    M.BAM(),
    M.DDF(),
    M.RDM(),
    M.Holder(),
    M.Holder(norm="linf", weights="mip"),
    M.FDH(),
    M.Super(returns="vrs"),
    M.SuperSBM(returns="vrs"),
]


def costs_of(largest: float) -> pd.DataFrame:
    """Three rows, each the only one with its trade-off of accuracy and parameters."""
    return pd.DataFrame(
        {"acc": [0.9, 0.6, 0.7], "params": [largest, 10.0, 20.0]}, ["large", "tiny", "small"]
    )


@pytest.mark.parametrize("model", WITH_COSTS, ids=str)
@pytest.mark.parametrize("decades", [5, *mark_most_slow([8, 7, 10], 0), 12])
def test_a_cost_may_span_many_decades(model, decades) -> None:
    ranking = db.rank(costs_of(10.0**decades), outputs=["acc"], inputs=["params"], model=model)
    assert ranking.efficient.all()
    db.certify(ranking)
    if not isinstance(model, M.Super | M.SuperSBM):
        best = 1.0 if ranking.measure == "efficiency" else 0.0
        assert (ranking.scores == best).all()


def test_layers_of_a_cost_of_many_decades() -> None:
    answer = db.layers(costs_of(1e12), outputs=["acc"], inputs=["params"])
    assert set(answer.frame["layer"]) == {1}


def test_a_frontier_names_the_extreme_rows_that_its_facets_do_not_resolve() -> None:
    front = db.frontier(costs_of(1e12), outputs=["acc"], inputs=["params"])
    db.certify(front)
    (note,) = [note for note in front.notes if "extreme, too" in note]
    unresolved = {"large", "tiny", "small"} - set(front.extreme)
    assert {name.strip("' ") for name in note.split(" is extreme")[0].split(",")} == unresolved
    nearer = db.frontier(costs_of(1e8), outputs=["acc"], inputs=["params"])
    assert nearer.extreme == ["large", "tiny", "small"]
    assert not any("extreme, too" in note for note in nearer.notes)


def test_super_efficiency_beside_a_large_cost() -> None:
    ranking = db.rank(
        costs_of(1e12), outputs=["acc"], inputs=["params"], model=M.Super(returns="vrs")
    )
    # 'small' can give no more than the mixture of the others that its 20 parameters allow.
    share = Fraction(10) / (Fraction(10**12) - 10)
    reached = Fraction(3, 5) + share * (Fraction(9, 10) - Fraction(3, 5))
    assert ranking.scores["small"] == pytest.approx(float(Fraction(7, 10) / reached), rel=1e-12)
    assert ranking.scores["large"] == pytest.approx(9 / 7, rel=1e-12)
    assert ranking.reasons == {"tiny": "the others do not reach it at any factor"}


def test_integers_up_to_a_million_are_proved() -> None:
    table = pd.DataFrame(
        {
            "y0": [7.0, 7, 132, 11889],
            "y1": [642753.0, 2, 33, 2],
            "x0": [5.0, 1044, 212724, 4],
            "x1": [5.0, 155, 149, 12],
        }
    )
    for model in (M.SBM(orientation="output"), M.SBM(), M.SuperSBM()):
        ranking = db.rank(table, outputs=["y0", "y1"], inputs=["x0", "x1"], model=model)
        assert ranking.scores.notna().all()
        db.certify(ranking)


def test_the_russell_graph_measure_of_the_best_row_is_1() -> None:
    table = pd.DataFrame(
        {"y0": [0.8997, 0.8997, 0.8997, 0.9017], "y1": [0.9003, 0.9011, 0.8993, 0.8984]}
    )
    ranking = db.rank(table, outputs=["y0", "y1"], model="russell", orientation="none")
    assert ranking.scores[3] == 1.0
    assert ranking.efficient.tolist() == [False, True, False, True]
    db.certify(ranking)


@pytest.mark.parametrize(
    ("columns", "inputs", "scores"),
    [
        ({"acc": [0.81, 0.9, 0.93, 0.7], "params": [3e6, 1e7, 7.7e7, 1e7]}, 1, [0, 0, 0, 0.2]),
        ({"y0": [3e8, 1e8], "y1": [1e7, 3e7]}, 0, [0, 0]),
    ],
)
def test_rows_of_the_table_have_hoelder_distances(columns, inputs, scores) -> None:
    table = pd.DataFrame(columns)
    names = list(table)
    ranking = db.rank(
        table,
        outputs=names[: len(names) - inputs],
        inputs=names[len(names) - inputs :],
        model="holder",
    )
    np.testing.assert_allclose(ranking.scores, scores, atol=1e-12)
    assert (ranking.efficient == (ranking.scores == 0)).all()
    db.certify(ranking)


@pytest.mark.parametrize("name", mark_most_slow(MODELS, 4))
def test_small_tables_and_rows_of_zeros_certify(name) -> None:
    one = pd.DataFrame({"a": [0.9], "b": [0.8], "c": [3.0]}, ["x"])
    two = pd.DataFrame({"a": [0.9, 0.5], "b": [0.8, 0.9], "c": [3.0, 2.0]}, ["x", "y"])
    zeros = pd.DataFrame({"a": [0.0, 0.5, 0.2], "b": [0.0, 0.9, 0.3], "c": [3.0, 2.0, 4.0]})
    proved = 0
    for returns in (None, "crs", "nirs"):
        for table, reference in ((one, None), (two, one), (zeros, None), (one, two)):
            for inputs in ([], ["c"]):
                try:
                    ranking = db.rank(
                        table,
                        outputs=["a", "b"],
                        inputs=inputs,
                        model=name,
                        returns=returns,
                        reference=reference,
                    )
                except db.DataError:
                    continue
                db.certify(ranking)
                proved += 1
    assert proved > 2


CLOSE = [("russell", "none"), ("sbm", "none"), ("super", "output"), ("wei", None), ("rdm", "none")]


@pytest.mark.parametrize(
    ("name", "orientation"), mark_most_slow([*CLOSE, ("cross", None), ("holder", "none")], 3)
)
def test_no_order_and_no_unit_changes_ranks(name, orientation) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame((0.9 + rng.normal(0, 1e-3, (20, 4))).round(3)).rename(columns="y{}".format)
    table.loc[20] = table.loc[3]  # equal rows have equal ranks
    options = {"model": name, "orientation": orientation}
    ranking = db.rank(table, outputs=list(table), **options)
    assert ranking.ranks[20] == ranking.ranks[3]
    db.certify(ranking)
    columns = [str(column) for column in rng.permutation(list(table))]
    changed = {
        "rows": table.iloc[::-1],
        "columns": table[columns],
        "units": table * 2.0 ** np.array([-20, 3, 7, 30]),
    }
    if name == "holder":  # counts changes in the metrics' own units
        del changed["units"]
    for other_table in changed.values():
        other = db.rank(other_table, outputs=list(other_table), **options)
        assert other.ranks.loc[table.index].equals(ranking.ranks)
        assert other.efficient.loc[table.index].equals(ranking.efficient)
        np.testing.assert_allclose(other.scores.loc[table.index], ranking.scores, rtol=1e-12)


@pytest.mark.parametrize(
    ("inputs", "orientation", "returns"),
    [
        ([], "output", "crs"),
        (["c"], "output", "crs"),
        (["c"], "input", "vrs"),
        (["c", "d"], "output", "nirs"),
        (["c", "d"], "input", "ndrs"),
    ],
)
def test_no_order_changes_peers_or_slacks(inputs, orientation, returns) -> None:
    """One decimal: many DMUs have several optima, with other peers and other slacks."""
    rng = np.random.default_rng(len(inputs))
    values = rng.integers(1, 10, (60, 4)) / 10
    table = pd.DataFrame(values, columns=list("abcd")).drop_duplicates()
    outputs = [name for name in table if name not in inputs]
    options = {"inputs": inputs or None}
    if inputs:
        options |= {"model": "ccr", "returns": returns, "orientation": orientation}
    first = db.rank(table, outputs=outputs, **options)
    if inputs:
        options["inputs"] = inputs[::-1]
    second = db.rank(table.iloc[rng.permutation(len(table))], outputs=outputs[::-1], **options)
    for ranking in (first, second):
        db.certify(ranking)
    pd.testing.assert_frame_equal(
        second.slacks.loc[table.index, first.slacks.columns], first.slacks, check_exact=True
    )
    peers = second.peers.sparse.to_dense().loc[table.index, first.peers.columns]
    assert peers.equals(first.peers.sparse.to_dense())
    assert second.peers.shape == first.peers.shape


def test_what_a_certificate_refuses_is_solved_again_or_has_no_score(monkeypatch) -> None:
    table = pd.DataFrame({"a": [0.9, 0.5, 0.6], "b": [0.4, 0.8, 0.5]}, list("pqr"))
    honest = M.SBM.solve

    def wrong_in_floating_point(self, task, advance):
        answer = honest(self, task, advance)
        if not task.exact:
            answer.scores.iloc[-1] *= 0.99
        return answer

    expected = db.rank(table, model="sbm").scores
    monkeypatch.setattr(M.SBM, "solve", wrong_in_floating_point)
    ranking = db.rank(table, model="sbm")
    np.testing.assert_allclose(ranking.scores, expected, rtol=1e-12)
    assert "in rational arithmetic (1 solve)" in ranking.path

    def always_wrong(self, task, advance):
        answer = honest(self, task, advance)
        answer.scores[answer.scores.index == "r"] *= 0.99
        return answer

    monkeypatch.setattr(M.SBM, "solve", always_wrong)
    ranking = db.rank(table, model="sbm")
    assert list(ranking.reasons) == ["r"]
    assert "is not proved to 1e-09" in ranking.reasons["r"]
    assert not len(gate.refused_rows(ranking))


def test_a_program_with_every_kind_of_bound_is_solved_exactly() -> None:
    # max x + 2 y - z with 1 <= x + y <= 4, y - z = 1, x >= 1, y free, z <= 2.
    program = Program(
        name="bounds",
        sense=-1,
        cost=np.array([1.0, 2.0, -1.0]),
        column_lower=np.array([1.0, -np.inf, -np.inf]),
        column_upper=np.array([np.inf, np.inf, 2.0]),
        integer=np.zeros(3, dtype=bool),
        lower=np.array([1.0, 1.0]),
        upper=np.array([4.0, 1.0]),
        start=np.array([0, 1, 3, 4], dtype=np.int32),
        index=np.array([0, 0, 1, 1], dtype=np.int32),
        value=np.array([1.0, 1.0, 1.0, -1.0]),
        hessian=(),
        row_names=("sum", "difference"),
        column_names=("x", "y", "z"),
    )
    optimum = solve_program_exactly(program, "it")
    # The objective is x + y + 1 <= 5.
    assert optimum.objective == 5.0
    assert optimum.values[0] + optimum.values[1] == 4.0
    assert optimum.duals.tolist() == [1.0, 1.0]
    solver = Solver(program)
    solver.run("it")
    assert solver.objective() == pytest.approx(optimum.objective)


@pytest.mark.filterwarnings("ignore:3 rows for 3 metrics")
def test_russells_graph_measure_is_proved_where_an_output_could_grow_a_millionfold() -> None:
    table = pd.DataFrame(
        {
            "accuracy": [0.96, 0.495, 0.641],
            "recall": [0.771, 0.259, 0.951],
            "downloads": [7e9, 4e3, 8e6],
        }
    )
    model = db.models.Russell(orientation="none")
    ranking = db.rank(table, outputs=list(table), model=model)
    db.certify(ranking)
    # Row 0 alone is the peer of row 1: the mean of 1/φ is that of the quotients.
    quotients = table.iloc[1] / table.iloc[0]
    assert ranking.scores.iloc[1] == pytest.approx(quotients.mean(), abs=1e-12)


def test_a_share_of_a_tiny_way_to_the_best_stays_an_inefficiency() -> None:
    # Row 1 is all of its way from the best value, however short that is.
    table = pd.DataFrame({"y": [0.5, 0.5 - 2**-40, 0.25]})
    ranking = db.rank(table, outputs=["y"], model=db.models.BAM(technology="fdh"))
    assert ranking.scores.tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize("seed", [1, 8, 33])
def test_weights_are_tightened_where_they_miss_a_dmu_by_rounding(seed) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 4, (9, 3)) / 4 + 1e-9 * rng.standard_normal((9, 3))
    table = pd.DataFrame(values, columns=list("abc"))
    ranking = db.rank(table, outputs=list("abc"), model=db.models.BAM())
    assert ranking.scores.notna().all()
    db.certify(ranking)


def test_values_too_far_apart_for_facets_are_refused_by_name() -> None:
    table = pd.DataFrame({"accuracy": [0.8, 0.9, 0.7], "parameters": [1e3, 2e10, 5e4]})
    options = {"outputs": ["accuracy"], "inputs": ["parameters"]}
    with pytest.raises(DataError, match=r"'parameters' from 1000 to 2e.10 are too far apart"):
        db.rank(table, **options, model=db.models.Holder(norm="l2"))
    db.certify(db.rank(table, **options, model=db.models.Holder(norm="l1")))


@pytest.mark.parametrize("seed", [0, 10, 22])
def test_super_efficiencies_with_inputs_are_proved_where_values_differ_by_rounding(seed) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 4, (7, 4)) / 4 + 1e-10 * rng.standard_normal((7, 4))
    table = pd.DataFrame(values, columns=list("abcd"))
    model = db.models.Super(returns="ndrs")
    db.certify(db.rank(table, outputs=list("abc"), inputs=["d"], model=model))


@pytest.mark.parametrize("orientation", ["output", "input"])
@pytest.mark.parametrize("returns", mark_most_slow(["crs", "vrs", "nirs", "ndrs"], 2))
def test_plain_tables_need_no_rational_arithmetic(monkeypatch, returns, orientation) -> None:
    """Multipliers that are 0 but for their last digit are no negative ones."""

    def refuse(*_: object) -> None:
        raise AssertionError("solved again")

    monkeypatch.setattr(radial, "solve_exactly", refuse)
    for seed in range(2):
        values = np.random.default_rng(seed).uniform(0.2, 1, (60, 4)).round(4)
        table = pd.DataFrame(values, columns=list("abxy"))
        for inputs in (["y"], ["x", "y"]):
            ranking = db.rank(
                table,
                outputs=[name for name in table if name not in inputs],
                inputs=inputs,
                model="ccr",
                returns=returns,
                orientation=orientation,
            )
            db.certify(ranking)


@pytest.mark.parametrize(
    "model", [M.WEI(), M.Super(), M.SBM(), M.Additive(), M.DDF(), M.Cross(), M.Common()]
)
def test_a_mixture_of_decimals_is_the_decimal_between_them(model) -> None:
    """The floats .1 and .3 have a mean that is below the float .2; the mixture dominates "o"."""
    table = pd.DataFrame(
        {"a": [0.1, 0.3, 0.2], "b": [0.3, 0.1, 0.2], "c": [0.5, 0.5, 0.4]}, index=list("pqo")
    )
    ranking = db.rank(table, outputs=list("abc"), model=model)
    db.certify(ranking)
    assert ranking.efficient.tolist() == [True, True, False]
    assert not ranking.undecided.any()
    # Without the third metric "o" is as good as the mixture, and nothing is better.
    tied = db.rank(table[["a", "b"]], outputs=["a", "b"], model=model)
    db.certify(tied)
    assert tied.efficient.all()


def test_rows_between_others_in_decimals_are_dominated() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        ends = 2 * rng.integers(1, 50, (2, 2))
        if (ends[0] - ends[1]).prod() >= 0:
            continue
        values = np.vstack([ends, ends.mean(axis=0)]) / 100
        table = pd.DataFrame(np.column_stack([values, [0.5, 0.5, 0.4]]), list("pqo"), list("abc"))
        assert db.rank(table, outputs=list("abc")).efficient.tolist() == [True, True, False]


def test_slacks_of_an_exact_row_are_held_to_their_proof(monkeypatch) -> None:
    """Over eight decades the second stage, in floating point, missed them by 1.04e-9 of a value."""
    table = pd.DataFrame(
        {"y": [1.0, 3.0, 2.0, 1.5], "z": [2.0, 1.0, 0.5, 0.5], "x": [1.0, 4.0, 5.0, 3.0]},
        list("pqrs"),
    )
    ranking = db.rank(table, outputs=["y", "z"], inputs=["x"], model="ccr", returns="vrs")
    task = Task(ranking.data, ranking.reference, ranking.options, ranking.own_reference)
    problem = CCRProblem(task)
    read_stages = radial._read_stages

    def miss_slacks(*arguments, has_second_stage=True):
        answer, reached = read_stages(*arguments, has_second_stage=has_second_stage)
        if has_second_stage:
            answer.slacks.iloc[0] += 2e-9 * table.max()[answer.slacks.columns]
        return answer, reached

    monkeypatch.setattr(radial, "_read_stages", miss_slacks)
    for k, score in enumerate(ranking.scores):
        answer, reached = radial._solve_row_exactly(problem, "ccr", k)
        assert answer.scores.iloc[0] == pytest.approx(score, rel=1e-9)
        assert slack_errors(answer, reached[None]).max() <= 1e-9


@pytest.mark.parametrize("beyond", [False, True])
@pytest.mark.parametrize(
    ("model", "best", "counts_metrics"),
    [
        (M.CCR(returns="vrs"), 1.0, False),
        (M.SBM(), 1.0, False),
        (M.Additive(weights="ones"), 0.0, True),
        (M.Additive(weights="mip"), 0.0, False),
        (M.DDF(direction="ones"), 0.0, True),
        (M.DDF(direction="range"), 0.0, False),
        (M.DDF(direction={"a": 1.0, "b": 2.0}), 0.0, True),
    ],
    ids=str,
)
def test_who_is_all_but_best_misses_the_best_score_by_a_share_of_its_unit(
    model, best, counts_metrics, beyond
) -> None:
    sizes = [1e-3, 1e-3, 1.0, 1.0, 1e3, 1e3]
    tested = np.array([[size, -size / 2] for size in sizes])
    misses = np.array([0.9e-7, 1.1e-7, -0.9e-7, -1.1e-7, 0.9e-7, 1.1e-7])
    for unit in (1.0, *sizes):
        scores = best - misses * unit if best else misses * unit
        answer = SimpleNamespace(scores=pd.Series(scores), options=model)
        expected = []
        for score, size in zip(scores, sizes, strict=True):
            miss = best - score if best else score
            tolerance = 1e-7 * (size if counts_metrics else 1.0)
            expected.append(miss <= tolerance if beyond else abs(miss) <= tolerance)
        judged = gate._is_all_but_best(answer, tested, beyond=beyond)
        assert judged.tolist() == expected


@pytest.mark.slow
def test_the_graph_measure_converges_where_factors_span_two_decades() -> None:
    """Exact arithmetic keeps the tangents that touch nearest to its factors, from 22 to 2,665."""
    table = draw_case(45000311, list(MODELS), list(KINDS)).table
    ranking = db.rank(
        table.loc[["r5"]],
        outputs=list(table),
        reference=table,
        model=db.models.Russell(returns="crs", orientation="none"),
    )
    db.certify(ranking)
    exact = EXACT["russell"](ranking)[0].score
    assert ranking.scores["r5"] == pytest.approx(float(exact), abs=1e-9)


def test_a_score_that_its_peers_miss_by_all_of_the_tolerance_is_solved_exactly() -> None:
    """λ reached 1 of a score of 1 - 1e-9, which another order of rows rounds beyond 1e-9."""
    values = np.array([[0.01, 0.01, 0.84], [0.59, 0.01, 0.01]])
    near = values[0] * (1 + 1e-9 * np.array([-1, 1, 2]))
    table = pd.DataFrame(np.vstack([values, near]), list("abc"), ["m0", "m1", "m2"])
    ranking = db.rank(table)
    db.certify(ranking)
    exact = EXACT["wei"](ranking)[0].score
    assert ranking.scores["a"] == pytest.approx(float(exact), abs=1e-12)
