"""Choose a trial of an Optuna study by its objectives, constraints and repeated trials."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from deabench.errors import DataError, DataWarning
from deabench.inference.uncertainty import uncertainty
from deabench.integrations.choice import Choice, Preference, choose_candidate
from deabench.tables.readers.learners import objective_names
from deabench.tables.table import OptunaStudy
from deabench.utils.checks import did_you_mean, share

Prefer = str | Callable[[Any], Any] | None


def pick(
    study: OptunaStudy,
    *,
    within: Mapping[str, float] | None = None,
    prefer: Prefer = None,
    level: float = 0.95,
) -> Choice:
    """Choose a trial of an Optuna study by its declared objectives and constraints.

    Trials with equal parameters are repeats of one candidate: their means count, and their spread
    tells who is shown to be worse.

    Parameters
    ----------
    study : optuna.Study
        With the names of `study.set_metric_names`, else value, or values_0, values_1, ...
    within : mapping of name to limit, optional
        A budget: the greatest value of a minimised objective, the least of a maximised one; also
        the greatest value of a parameter or user attribute.
    prefer : str or function, optional
        Which candidate to take of those not shown to be worse: that with the best value of an
        objective, with the lowest value of a parameter, of a user attribute or of "duration", or
        with the lowest value of a function of a trial. Without it the efficient candidate with the
        largest sum of objectives, each from its worst (0) to its best value (1).
    level : float in (0, 1)
        Level at which a candidate is shown to be worse: some mix of the others would beat it.

    Returns
    -------
    Choice
        `params` to build it with; `plot()` draws the frontier of two objectives.

    Raises
    ------
    DataError
        If no trial is finished, or none keeps to its constraints and the budget.

    Notes
    -----
    Optuna's `best_trials` are those that no single trial beats. A candidate is efficient here if no
    mix of candidates beats it, so there are fewer of them.

    Examples
    --------
    >>> import optuna
    >>> import deabench as db
    >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
    >>> study = optuna.create_study(
    ...     directions=["maximize", "minimize"], sampler=optuna.samplers.RandomSampler(0)
    ... )
    >>> study.set_metric_names(["accuracy", "latency"])
    >>> def objective(trial):
    ...     depth = trial.suggest_int("depth", 1, 8)
    ...     return 1 - 0.5 / depth, 0.1 + depth
    >>> study.optimize(objective, n_trials=20)
    >>> db.pick(study, within={"latency": 5}).params
    {'depth': 4}
    """
    share("level", level)
    names, directions = objective_names(study)
    finished = [trial for trial in study.trials if trial.state.name == "COMPLETE"]
    if not finished:
        raise DataError("the Optuna study has no finished trial; run study.optimize first")
    # Repeats of one candidate stand in its row as their mean.
    candidates = _group_repeats(finished)
    firsts = [trials[0] for trials in candidates]
    frame = pd.DataFrame(
        [np.mean([trial.values for trial in trials], axis=0) for trials in candidates],
        index=pd.Index([f"trial {trial.number}" for trial in firsts], name="candidate"),
        columns=names,
    )
    # The study itself says what is better high, and who breaks its constraints.
    outputs = [n for n, direction in zip(names, directions, strict=True) if direction == "MAXIMIZE"]
    inputs = [n for n, direction in zip(names, directions, strict=True) if direction == "MINIMIZE"]
    limits = dict(within or {})
    within_budget = _keep_constraints(candidates) & _keep_limits(frame, firsts, limits, outputs)
    takes_part = within_budget & np.isfinite(frame.to_numpy()).all(axis=1)
    choice = choose_candidate(
        frame,
        outputs,
        inputs,
        within_budget=within_budget,
        takes_part=takes_part,
        limits=f"the study's constraints and the budget {limits}",
        preference=_preference(prefer, frame, firsts, outputs),
        judge=partial(_verdicts, candidates, frame, outputs, inputs, level),
        level=level,
    )
    frame = choice.frame.copy()
    frame.insert(len(names), "repeats", [len(trials) for trials in candidates])
    sentences = list(choice.sentences)
    if prefer is not None and frame["repeats"].max() == 1:
        sentences.append(
            "No trial was repeated, so none can be shown to be worse: enqueue the best ones again."
        )
    unfinished = len(study.trials) - len(finished)
    if unfinished:
        sentences.append(f"{unfinished} trials did not finish and are left out.")
    trial = firsts[choice.index]
    return replace(
        choice,
        index=int(trial.number),
        params=dict(trial.params),
        frame=frame,
        sentences=tuple(sentences),
    )


def _group_repeats(trials: list[Any]) -> list[list[Any]]:
    """Return the trials of each candidate: those with equal parameters are its repeats."""
    groups: dict[str, list[Any]] = {}
    for trial in trials:
        groups.setdefault(repr(sorted(trial.params.items())), []).append(trial)
    # A trial without parameters, as of a study that was filled by hand, is a candidate of its own.
    if not trials[0].params and len(groups) == 1:
        return [[trial] for trial in trials]
    return list(groups.values())


def _keep_constraints(candidates: list[list[Any]]) -> np.ndarray:
    """Return which candidates keep all constraints of the study in the mean, (n,)."""
    return np.array(
        [
            all(np.mean(values) <= 0 for values in zip(*map(_constraints, trials), strict=True))
            for trials in candidates
        ]
    )


def _constraints(trial: Any) -> list[float]:
    """Return what must be <= 0 for a trial to be feasible."""
    # Before version 5 a tuple stood among the attributes that the system keeps.
    stored = getattr(trial, "constraints", None) or trial.system_attrs.get("constraints")
    if stored is None:
        return []
    return list(stored.values() if isinstance(stored, Mapping) else stored)


def _keep_limits(
    frame: pd.DataFrame, firsts: list[Any], limits: Mapping[str, float], outputs: list[str]
) -> np.ndarray:
    """Return which candidates keep to all limits, (n,)."""
    keeps = np.ones(len(frame), dtype=bool)
    for name, limit in limits.items():
        values = np.array([_value(name, frame, firsts, row) for row in range(len(frame))], float)
        # Maximised objectives are to be high, all else low; NaN keeps to no limit.
        keeps &= values >= limit if name in outputs else values <= limit
    return keeps


def _preference(
    prefer: Prefer, frame: pd.DataFrame, firsts: list[Any], outputs: list[str]
) -> Preference | None:
    """Return what the user prefers."""
    if prefer is None:
        return None
    if callable(prefer):
        return Preference(lambda row: prefer(firsts[row]), "the lowest value of the function")
    value = partial(_value, prefer, frame, firsts)
    return Preference.of_column(prefer, value, is_output=prefer in outputs)


def _value(name: str, frame: pd.DataFrame, firsts: list[Any], row: int) -> Any:
    """Return a candidate's objective, parameter, user attribute or duration."""
    trial = firsts[row]
    if name in frame:
        return frame.iloc[row][name]
    if name == "duration":
        return trial.duration.total_seconds()
    values = {**trial.user_attrs, **trial.params}
    if name in values:
        return values[name]
    if any(name in {**first.user_attrs, **first.params} for first in firsts):
        # A parameter of another branch of the search space: this candidate has none.
        return float("inf")
    raise DataError(
        f"'{name}' is no objective, parameter or user attribute of the study; "
        f"{did_you_mean(name, [*map(str, frame.columns), *values])}"
    )


def _verdicts(
    candidates: list[list[Any]],
    frame: pd.DataFrame,
    outputs: list[str],
    inputs: list[str],
    level: float,
    rows: np.ndarray,
) -> list[str]:
    """Return the verdict on each candidate that is compared, from its repeats."""
    repeated = [row for row in rows if len(candidates[row]) > 1]
    verdicts = dict.fromkeys(map(int, rows), "undecided")
    if len(repeated) < 2:
        return list(verdicts.values())
    # Repeats of one number make independent runs; what exceeds the fewest takes no part.
    count = min(len(candidates[row]) for row in repeated)
    runs = pd.DataFrame(
        [[f"trial {row}", k, *candidates[row][k].values] for row in repeated for k in range(count)],
        columns=["system", "seed", *frame.columns],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        answer = uncertainty(runs, outputs=outputs, inputs=inputs, level=level).to_frame()
    for row in repeated:
        verdicts[int(row)] = str(answer.loc[f"trial {row}", "verdict"])
    return list(verdicts.values())
