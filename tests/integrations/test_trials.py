"""`deabench.pick` on studies of Optuna."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import matplotlib.pyplot as plt
import numpy as np
import pytest

import deabench as db
from deabench.errors import DataError

optuna = pytest.importorskip("optuna")
optuna.logging.set_verbosity(optuna.logging.ERROR)
pytestmark = pytest.mark.filterwarnings("ignore::deabench.errors.DataWarning")


def study_of(rows, directions=("maximize", "minimize"), names=("accuracy", "latency")):
    """Return a study with a finished trial for each row (parameter, values, attributes)."""
    study = optuna.create_study(directions=list(directions))
    study.set_metric_names(list(names))
    distribution = optuna.distributions.IntDistribution(0, 100)
    for depth, values, *attributes in rows:
        study.add_trial(
            optuna.trial.create_trial(
                params={"depth": depth},
                distributions={"depth": distribution},
                values=list(values),
                user_attrs=dict(*attributes),
            )
        )
    return study


def test_the_declared_objectives_and_nothing_else():
    """By hand: ranges .3 and 9; shares (0, 1), (2/3, 8/9), (1, 0), (1/3, 4/9)."""
    study = study_of([(1, (0.6, 1)), (2, (0.8, 2)), (9, (0.9, 10)), (4, (0.7, 6), {"memory": 3})])
    choice = db.pick(study)
    assert (choice.name, choice.index, choice.params) == ("trial 1", 1, {"depth": 2})
    assert choice.frame["efficient"].tolist() == [True, True, True, False]
    assert (choice.outputs, choice.inputs) == (("accuracy",), ("latency",))
    assert choice.summary().startswith(
        "Of 4 candidates trial 1 is taken: accuracy 0.8, latency 2. 3 of 4 are efficient."
    )
    assert db.pick(study, prefer="accuracy", within={"latency": 7}).params == {"depth": 2}
    assert db.pick(study, prefer="latency").params == {"depth": 1}
    # Each is one of Optuna's, too: what no mix beats is beaten by no single trial.
    best = {trial.number for trial in study.best_trials}
    assert set(np.flatnonzero(choice.frame["efficient"])) <= best
    plt.close(choice.plot().figure_)


def test_repeated_trials_tell_who_is_shown_to_be_worse():
    rng = np.random.default_rng(0)
    rows = [
        (depth, (accuracy + 0.005 * rng.normal(), 10 * latency * (1 + 0.01 * rng.normal())))
        for depth, accuracy, latency in ((1, 0.70, 2), (2, 0.899, 1), (8, 0.90, 1))
        for _ in range(10)
    ]
    choice = db.pick(study_of(rows), prefer="depth")
    assert choice.frame["verdict"].tolist()[0] == "dominated"
    assert choice.params == {"depth": 2}
    assert choice.frame["repeats"].tolist() == [10, 10, 10]
    means = [np.mean([values[0] for d, values in rows if d == depth]) for depth in (1, 2, 8)]
    assert choice.frame["accuracy"].tolist() == pytest.approx(means)
    # Without a repeat the simplest is taken, and the answer says what is missing.
    single = db.pick(study_of(rows[::10]), prefer="depth")
    assert single.params == {"depth": 1}
    assert "No trial was repeated" in single.summary()


def test_constraints_of_the_study_and_a_budget():
    study = study_of([(1, (0.6, 1)), (2, (0.8, 2)), (9, (0.9, 10))])
    assert db.pick(study, within={"accuracy": 0.85}).params == {"depth": 9}
    assert db.pick(study, within={"latency": 1.5}).params == {"depth": 1}
    assert db.pick(study, within={"depth": 2}).frame["within_budget"].tolist() == [
        True,
        True,
        False,
    ]
    constrained = optuna.create_study(
        directions=["maximize"],
        sampler=optuna.samplers.RandomSampler(0),
    )

    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if hasattr(trial, "set_constraint"):
            trial.set_constraint("small", x - 0.5)
        else:
            trial.set_system_attr("constraints", (x - 0.5,))
        return x

    constrained.optimize(objective, n_trials=20)
    allowed = [trial.params["x"] for trial in constrained.trials if trial.params["x"] <= 0.5]
    choice = db.pick(constrained)
    assert choice.params["x"] == max(allowed)
    assert int(choice.frame["within_budget"].sum()) == len(allowed)


def test_losses_alone_and_negative_values():
    losses = study_of(
        [(1, (0.9, 1.0)), (2, (0.5, 2.0)), (9, (0.9, 2.0))], directions=("minimize", "minimize")
    )
    assert db.pick(losses).frame["efficient"].tolist() == [True, True, False]
    negative = study_of(
        [(1, (-3.0, 1.0)), (2, (-1.0, 2.0)), (3, (-2.0, 3.0))], names=("gain", "cost")
    )
    assert db.pick(negative).frame["efficient"].tolist() == [True, True, False]


def test_unfinished_trials_are_counted():
    study = study_of([(1, (0.6, 1)), (2, (0.8, 2))])
    study.add_trial(optuna.trial.create_trial(state=optuna.trial.TrialState.FAIL))
    assert "1 trials did not finish" in db.pick(study).summary()
    with pytest.raises(DataError, match="has no finished trial"):
        db.pick(optuna.create_study())
    sentence = "'dept' is no objective, parameter or user attribute of the study"
    with pytest.raises(DataError, match=re.escape(sentence)):
        db.pick(study, prefer="dept")
    with pytest.raises(DataError, match="none of the 2 candidates"):
        db.pick(study, within={"accuracy": 0.99})


def test_preferring_a_duration_an_attribute_or_a_function():
    study = study_of(
        [(1, (0.6, 1), {"size": 9}), (2, (0.8, 2), {"size": 4}), (9, (0.9, 3), {"size": 5})]
    )
    assert db.pick(study, prefer="size").params == {"depth": 2}
    assert db.pick(study, prefer=lambda trial: -trial.params["depth"]).params == {"depth": 9}


def test_trials_without_parameters_are_candidates_of_their_own():
    study = optuna.create_study(directions=["maximize", "minimize"])
    study.set_metric_names(["accuracy", "latency"])
    for values in ([0.6, 1.0], [0.9, 2.0], [0.7, 3.0]):
        study.add_trial(optuna.trial.create_trial(values=values))
    choice = db.pick(study, prefer="accuracy")
    assert choice.index == 1
    assert len(choice.frame) == 3


def test_the_shortest_trial_and_a_parameter_of_one_branch():
    study = optuna.create_study(directions=["maximize", "minimize"])
    study.set_metric_names(["accuracy", "latency"])
    start = datetime(2026, 1, 1)
    branches = [("depth", 4, 3), ("neighbours", 9, 1), ("depth", 2, 2)]
    for number, (name, size, seconds) in enumerate(branches):
        trial = optuna.trial.create_trial(
            params={name: size},
            distributions={name: optuna.distributions.IntDistribution(1, 10)},
            values=[0.9 - 0.1 * number, 3.0 - number],
        )
        trial.datetime_start = start
        trial.datetime_complete = start + timedelta(seconds=seconds)
        study.add_trial(trial)
    # Each is efficient: what is less accurate is faster.
    assert db.pick(study, prefer="duration").index == 1
    # The candidate without a depth is the last by depth.
    assert db.pick(study, prefer="depth").index == 2
