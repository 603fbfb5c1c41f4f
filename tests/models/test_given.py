"""Given columns (non-discretionary, Banker and Morey 1986): scores, flags, projections, proofs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from quick_cases import mark_most_slow
from scipy.optimize import linprog

import deabench as db
from deabench.models import MODELS

pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")

GIVEN = {"size": "non_discretionary", "context": "non_discretionary"}


def banker_morey(
    outputs: np.ndarray, inputs: np.ndarray, given: np.ndarray, orientation: str, k: int
) -> tuple[float, float]:
    """Return the score of DMU k, and the most discretionary slack at its projection, by SciPy.

    `given` are constraints Σ λ z ≤ z_k, with their slack left out of the second stage.
    """
    n = len(outputs)
    factor = np.zeros(n + 1)
    factor[0] = -1.0 if orientation == "output" else 1.0
    grow, shrink = (1, 0) if orientation == "output" else (0, 1)
    rows = np.vstack(
        [
            np.column_stack([grow * outputs[k], -outputs.T]),
            np.column_stack([-shrink * inputs[k], inputs.T]),
            np.column_stack([0 * given[k], given.T]),
        ]
    )
    limits = np.concatenate([-(1 - grow) * outputs[k], (1 - shrink) * inputs[k], given[k]])
    convex = np.append(0.0, np.ones(n))[None]
    level = linprog(factor, rows, limits, convex, [1.0], method="highs").x[0]
    y = outputs[k] * (level if grow else 1.0)
    x = inputs[k] * (level if shrink else 1.0)
    # Second stage: the variables are λ and the discretionary slacks.
    s, m = outputs.shape[1], inputs.shape[1]
    cost = np.concatenate([np.zeros(n), -1 / outputs.max(axis=0), -1 / inputs.max(axis=0)])
    equal = np.vstack(
        [
            np.column_stack([outputs.T, -np.eye(s), np.zeros((s, m))]),
            np.column_stack([inputs.T, np.zeros((m, s)), np.eye(m)]),
            np.append(np.ones(n), np.zeros(s + m))[None],
        ]
    )
    slack = linprog(
        cost,
        np.column_stack([given.T, np.zeros((given.shape[1], s + m))]),
        given[k] + 1e-9,
        equal,
        np.concatenate([y * (1 - 1e-12), x, [1.0]]),
        method="highs",
    )
    score = 1 / level if orientation == "output" else level
    return score, -slack.fun


@pytest.mark.parametrize("orientation", ["output", "input"])
@pytest.mark.parametrize("seed", mark_most_slow(range(4), 2))
def test_scores_and_flags_are_those_of_banker_and_morey(seed, orientation) -> None:
    rng = np.random.default_rng(seed)
    # One decimal makes ties and slacks.
    values = rng.uniform(1, 9, (14, 6)).round(1)
    names = ["gain", "yield", "staff", "budget", "size", "context"]
    frame = pd.DataFrame(values, columns=names, index=[f"d{k}" for k in range(14)])
    table = db.read(frame, roles=GIVEN)
    ranking = db.rank(
        table,
        outputs=["gain", "yield", "context"],
        inputs=["staff", "budget", "size"],
        orientation=orientation,
    )
    # A given output is a lower bound: Σ λ (-y) ≤ -y_k.
    given = np.column_stack([values[:, 4], -values[:, 5]])
    expected = [
        banker_morey(values[:, :2], values[:, 2:4], given, orientation, k) for k in range(14)
    ]
    scores = np.array([score for score, _ in expected])
    slacks = np.array([slack for _, slack in expected])
    np.testing.assert_allclose(ranking.scores, scores, atol=1e-8)
    efficient = (scores > 1 - 1e-9) & (slacks < 1e-7)
    assert ranking.efficient.tolist() == efficient.tolist()
    assert db.certify(ranking)["gap"].max() <= 1e-9
    # What is given stays as it is.
    pd.testing.assert_frame_equal(
        ranking.projections[["size", "context"]], frame[["size", "context"]], check_names=False
    )
    assert "size" not in ranking.explain("d3").split("There")[-1].split("Its score")[0]


def test_a_better_given_column_is_no_inefficiency() -> None:
    frame = pd.DataFrame(
        {"gain": [5.0, 5.0, 4.0], "staff": [2.0, 2.0, 2.0], "size": [1.0, 3.0, 3.0]},
        index=list("abc"),
    )
    columns = {"outputs": ["gain"], "inputs": ["staff"]}
    ranking = db.rank(db.read(frame, roles={"size": "non_discretionary"}), **columns)
    # b has as much as a under a more favourable size, which is given: both are efficient.
    assert ranking.efficient.to_dict() == {"a": True, "b": True, "c": False}
    assert ranking.scores.round(9).to_dict() == {"a": 1.0, "b": 1.0, "c": 0.8}
    assert "given, not to be changed: 'size'" in ranking.notes
    db.certify(ranking)
    # As an input that could be changed it makes b inefficient.
    free = db.rank(frame, outputs=["gain"], inputs=["staff", "size"])
    assert free.efficient.to_dict() == {"a": True, "b": False, "c": False}


def test_outputs_alone_take_ccr_and_a_reference_is_compared_alike() -> None:
    frame = pd.DataFrame({"TPR": [0.9, 0.8], "TNR": [0.5, 0.6], "size": [2.0, 1.0]}, list("ab"))
    table = db.read(frame, roles={"size": "non_discretionary"})
    ranking = db.rank(table)
    assert ranking.options == db.models.CCR(returns="vrs")
    assert ranking.efficient.all()
    tested = db.read(frame.iloc[[1]] * [0.5, 0.5, 1.0], roles={"size": "non_discretionary"})
    against = db.rank(tested, reference=table)
    # Of the reference only b is as small.
    assert against.scores.round(9).tolist() == [0.5]
    db.certify(against)


@pytest.mark.parametrize("model", [name for name in MODELS if name != "ccr"])
def test_models_without_such_a_form_refuse_it(model, refused) -> None:
    frame = pd.DataFrame({"TPR": [0.9, 0.8], "ms": [5.0, 4.0], "size": [2.0, 1.0]}, list("ab"))
    table = db.read(frame, roles={"size": "non_discretionary"})
    with refused(
        "'size' is given, not to be changed, and only model 'ccr' without restrictions has a form "
        "for that; use model 'ccr', or leave the role out"
    ):
        db.rank(table, model=model)
    with refused(
        "'size' is given, not to be changed, and a multiple would change it; write returns 'vrs'"
    ):
        db.rank(table, model="ccr")
    assert db.advise(table).frame.query("suits").index.tolist() == ["ccr"]


def test_targets_and_intervals_have_no_such_form(refused) -> None:
    frame = pd.DataFrame({"TPR": [0.9, 0.8], "ms": [5.0, 4.0], "size": [2.0, 1.0]}, list("ab"))
    table = db.read(frame, roles={"size": "non_discretionary"})
    with refused(
        "'size' is given, not to be changed, and closest targets have no form for that; "
        "`deabench rank FILE --explain NAME`, in Python ranking.projections, shows what the others "
        "reach beside what is given; or leave the role out"
    ):
        db.targets(table, table)
    text = db.report(table).text("md")
    assert "'size' is given, not to be changed: its frontier has no targets." in text
    samples = db.Samples.from_table(frame, frame * 0.01)
    with refused("a ranking with given columns ('size') has no intervals"):
        db.rank(table, uncertainty=samples)


def test_layers_keep_the_given_columns() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.uniform(1, 9, (8, 3)), columns=["TPR", "ms", "size"])
    frame["TPR"] /= 10
    table = db.read(frame, roles={"size": "non_discretionary"})
    layers = db.layers(table).frame["layer"]
    assert sorted(layers.index[layers == 1]) == sorted(
        db.rank(table).efficient.loc[lambda flag: flag].index
    )


def test_a_given_column_is_no_budget_and_is_noted_once() -> None:
    frame = pd.DataFrame(
        {"TPR": [0.9, 0.8, 0.7, 0.6], "ms": [5.0, 4.0, 3.0, 2.0], "size": [2.0, 1.0, 3.0, 4.0]},
        list("abcd"),
    )
    table = db.read(frame, roles={"size": "non_discretionary"})
    ranking = db.rank(table)
    text = " ".join(ranking.notes)
    assert "within={'ms'" in text
    assert "within={'size'" not in text
    for result in (ranking, db.frontier(table), db.weightings(table)):
        assert list(result.notes).count("given, not to be changed: 'size'") == 1
    # What the others reach beside what is given leaves it as it is.
    assert ranking.projections["size"].tolist() == frame["size"].tolist()


def test_undesirable_outputs_are_named_as_inputs_everywhere() -> None:
    frame = pd.DataFrame(
        {"revenue": [9.0, 8.0, 6.0], "CO2": [5.0, 4.0, 1.0], "staff": [3.0, 2.0, 4.0]}, list("abc")
    )
    note = "'CO2' is an undesirable output, taken as an input: lower is better"
    table = db.read(frame, roles={"CO2": "undesirable"})
    for result in (db.rank(table), db.frontier(table), db.targets(table, table)):
        assert list(result.notes).count(note) == 1
    assert note[:-1] in db.report(table).text("md").replace("\n", " ")


def test_notes_on_given_columns_contradict_nothing() -> None:
    """The largest given input is the 0 of a distance inside, and no metric of 0."""
    frame = pd.DataFrame(
        {"patients": [90.0, 50.0, 147.0], "doctors": [20.0, 19.0, 53.0], "nurses": [151, 131, 306]},
        list("abc"),
    )
    table = db.read(frame, roles={"nurses": "non_discretionary"})
    ranking = db.rank(table, orientation="input")
    assert ranking.efficient["c"]
    assert not [note for note in ranking.notes if "is 0" in note]
    assert not [note for note in table.notes if "left out" in note and "nurses" in note]


def test_a_row_without_an_input_that_can_change_is_refused_where_inputs_shrink(refused) -> None:
    """No factor times nothing tells anything: the program has no least factor."""
    frame = pd.DataFrame(
        {"gain": [5.0, 4.0, 3.0], "staff": [2.0, 1.0, 0.0], "size": [1.0, 2.0, 3.0]}, list("abc")
    )
    table = db.read(frame, roles={"size": "non_discretionary"})
    columns = {"outputs": ["gain"], "inputs": ["staff"], "returns": "vrs"}
    with refused(
        "every input of 'c' that can change is 0; its efficiency is undefined, leave the row out"
    ):
        db.rank(table, model="ccr", orientation="input", **columns)
    # Where outputs grow it needs no input.
    assert db.rank(table, model="ccr", orientation="output", **columns).scores["c"] == 1.0


@pytest.mark.parametrize("size", [1e3, 1e8, 1e12, 1e14])
@pytest.mark.parametrize("orientation", ["output", "input"])
def test_given_values_far_below_the_greatest_keep_their_digits(size, orientation) -> None:
    """They are held with their sign turned: a distance from 1e12 would lose all but .0001."""
    if orientation == "output":
        frame = pd.DataFrame(
            {"gain": [9.0, 5, 4, 3], "staff": [9.0, 2, 2, 2], "context": [size, 0.3, 0.35, 0.34]},
            list("abcd"),
        )
        columns = {"outputs": ["gain", "context"], "inputs": ["staff"]}
        # d lies between b and c, which have 4.2 where it has 3; a takes too much.
        expected = [1.0, 1.0, 1.0, 3 / 4.2]
    else:
        frame = pd.DataFrame(
            {"gain": [9.0, 2, 2, 2], "staff": [9.0, 4, 5, 6], "context": [size, 0.35, 0.3, 0.31]},
            list("abcd"),
        )
        columns = {"outputs": ["gain"], "inputs": ["staff", "context"]}
        expected = [1.0, 1.0, 1.0, 4.8 / 6]
    table = db.read(frame, roles={"context": "non_discretionary"})
    ranking = db.rank(table, model="ccr", returns="vrs", orientation=orientation, **columns)
    np.testing.assert_allclose(ranking.scores, expected, rtol=0, atol=1e-9)
    db.certify(ranking)
    assert ranking.projections["context"].tolist() == frame["context"].tolist()


def test_u_0_is_compared_with_what_the_weights_as_they_are_allow() -> None:
    """Polished weights proved the score, and allowed 1.9e-6 more than those that were listed."""
    rng = np.random.default_rng(31)
    rng.integers(0, 13)
    rng.choice(["output", "input"])
    costs = rng.uniform(1, 9, (8, 2)).round(1)
    gains = -(rng.uniform(1, 9, (8, 2)).round(1) * 1e7 ** rng.uniform(0, 1, (8, 2)))
    frame = pd.DataFrame(np.column_stack([costs, gains]), columns=["p0", "p1", "n0", "n1"])
    ranking = db.rank(
        frame,
        outputs=["n0", "n1"],
        inputs=["p0", "p1"],
        model="ccr",
        returns="vrs",
        orientation="input",
    )
    assert db.certify(ranking)["dual_infeasibility"].max() <= 1e-9
