"""Forged rankings, and whether what one of them claims is true.

A forgery changes an honest ranking: each number of each field by 1e-6 and by 1e-3, the answers of
two DMUs swapped or copied, labels moved, other options, a reason in the place of a score, evidence
taken away, and changes of several fields that fit together. A forgery that passes its certificate
has to say the truth: the same as the honest answer to the question that it states.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from mutants import mutants

import deabench as db
from deabench.errors import CertificateError, DataError, SolveError
from deabench.models.options import option_fields
from deabench.models.shared.gate import solve_proved
from deabench.proofs import reasons as why
from deabench.results.answer import Answer, Task
from deabench.results.proof import SlackWeights
from deabench.utils.arrays import Sparse

CHANGES = (1e-6, 1e-3)
"""By what share a number is changed."""
WRONG = 4e-9
"""A score that is off by more than this, in its unit, is wrong: honest ones are within 2e-9."""
WRONG_SLACK = 1e-8
"""A slack that is off by more than this share of its DMU or its projection is wrong."""
REASONS = (
    why.NO_OUTPUT,
    why.NO_METRIC,
    why.NO_INPUT_NEEDED,
    why.NO_MIX,
    "its program is infeasible",
    "no mix of the reference reaches it",
    "a reference DMU without inputs can be multiplied without end",
    "it is bad",
)
"""Reasons for no score, true of no DMU that has one."""
UNPROVED_FIELDS = ("notes", "path", "ranges", "bounds", "uncertainty")
"""Fields that no certificate is about."""
PARTS = ("scores", "slacks", "weights", "efficient")
"""Fields with a row for each DMU."""
UNCLAIMED_WORDS = {
    "efficient": ("efficient",),
    "slacks": ("slacks",),
    "reason": ("no score",),
    "score": ("best weights", "the only ones with", "no other way"),
}
"""By which words `unclaimed` names what a false claim is about."""


Forgery = tuple[str, Callable[[], db.Ranking]]
"""What is done to a ranking, and what does it: most forgeries of a table are never asked for."""


@dataclass(frozen=True)
class Verdict:
    """What came of forgeries.

    Attributes
    ----------
    refused, true, unclaimed : int
        How many were refused, said the truth, or changed what is named as not claimed.
    passed : list of str
        Those that passed and lie.
    crashed : list of str
        Those that ended in another error than CertificateError.
    """

    refused: int
    true: int
    unclaimed: int
    passed: list[str]
    crashed: list[str]


def judge_forgeries(ranking: db.Ranking, seed: int = 0, every: int = 1) -> Verdict:
    """Certify forgeries of an honest ranking, one of `every`, and judge those that pass."""
    counts = {"refused": 0, "true": 0, "unclaimed": 0}
    passed: list[str] = []
    crashed: list[str] = []
    drawn = islice(forgeries(ranking, np.random.default_rng(seed)), seed % every, None, every)
    for name, forge in drawn:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            forged = forge()
            try:
                certificate = db.certify(forged)
            except CertificateError:
                counts["refused"] += 1
                continue
            except Exception as error:
                crashed.append(f"{name}: {type(error).__name__} {error}")
                continue
            lies = false_claims(ranking, forged)
        open_claims = " ".join(certificate.unclaimed)
        unexcused = [
            lie
            for lie in lies
            if not any(word in open_claims for word in UNCLAIMED_WORDS.get(lie, ()))
        ]
        if unexcused:
            passed.append(f"{name}: {', '.join(unexcused)}")
        else:
            counts["unclaimed" if lies else "true"] += 1
    return Verdict(**counts, passed=passed, crashed=crashed)


def false_claims(honest: db.Ranking, forged: db.Ranking) -> list[str]:
    """Return which claims of a forged ranking differ from the answer to the question it states."""
    truth: Answer = honest
    question = ("data", "reference", "options", "own_reference")
    if any(getattr(forged, part) is not getattr(honest, part) for part in question):
        task = Task(forged.data, forged.reference, forged.options, forged.own_reference)
        try:
            truth = solve_proved(task, lambda _: None)
        except DataError:
            return ["question"]
        except SolveError:  # no answer of its own to compare with
            truth = honest
    lies = []
    scores = forged.scores.to_numpy()
    true_scores = truth.scores.to_numpy()
    has_score = ~np.isnan(true_scores)
    if (np.isnan(scores) == has_score).any():
        lies.append("reason")
    else:
        errors = np.abs(scores - true_scores) / score_units(truth)
        if (errors[has_score] > WRONG).any():
            lies.append("score")
    # Who has no score is not efficient, whatever is said of the score.
    is_scored = ~np.isnan(scores) | ~has_score
    if (forged.efficient.to_numpy() != truth.efficient.to_numpy())[is_scored].any():
        lies.append("efficient")
    if set(forged.reasons) != set(truth.reasons):
        lies.append("reason")
    # With the same λ and scores there is one truth about the slacks.
    if forged.intensities is honest.intensities and truth is honest and not lies:
        metrics = np.column_stack([forged.data.outputs, forged.data.inputs])
        # They are counted at the projection, which may be much larger than the DMU.
        reached = honest.intensities.dot(
            np.column_stack([forged.reference.outputs, forged.reference.inputs])
        )
        size = np.maximum(np.abs(metrics), np.abs(reached))
        own = np.where(size == 0, np.abs(metrics).max(axis=0, initial=1.0), size)
        errors = np.abs(forged.slacks.to_numpy() - honest.slacks.to_numpy()) / own
        if (errors[has_score] > WRONG_SLACK).any():
            lies.append("slacks")
    return lies


def score_units(truth: Answer) -> np.ndarray:
    """Return what scores are measured in, (n,): distances in the metrics' units have their size."""
    unit = np.maximum(np.abs(np.nan_to_num(truth.scores.to_numpy())), 1.0)
    choice = getattr(truth.options, "weights", getattr(truth.options, "direction", None))
    if truth.options.measure == "inefficiency" and (
        choice == "ones" or not isinstance(choice, str)
    ):
        metrics = np.column_stack([truth.data.outputs, truth.data.inputs])
        unit = np.maximum(
            np.abs(np.nan_to_num(truth.scores.to_numpy())), np.abs(metrics).max(axis=1)
        )
    return np.asarray(unit)


def forgeries(ranking: db.Ranking, rng: np.random.Generator) -> Iterator[Forgery]:
    """Iterate over what is done to a ranking, and what returns the ranking with that done to it."""
    for change in CHANGES:
        for name, forged in mutants(ranking, rng, change=change):
            # What changes no number is forged once.
            is_repeated = change != CHANGES[0] and not name.endswith((" more", " less", " changed"))
            if not is_repeated and not name.startswith(UNPROVED_FIELDS):
                yield f"{change:g} {name}", partial(replace, forged)
    yield from _moved_answers(ranking)
    yield from _other_options(ranking)
    for stripped, bare in _stripped(ranking):
        for name, forge in _false_answers(bare, rng):
            yield f"{stripped}{name}", forge


def _moved_answers(ranking: db.Ranking) -> Iterator[Forgery]:
    """Give the answers of DMUs to others."""
    count = len(ranking.scores)
    if count < 2:
        return
    scores = ranking.scores.to_numpy()
    first = int(np.nanargmin(scores)) if not np.isnan(scores).all() else 0
    last = (first + 1) % count
    swapped = np.arange(count)
    swapped[[first, last]] = swapped[[last, first]]
    copied = np.arange(count)
    copied[last] = first
    for name, order in {
        "answers swapped": swapped,
        "an answer copied": copied,
        "answers moved on": np.roll(np.arange(count), 1),
    }.items():
        if not _equal_answers(ranking, order):
            yield name, partial(_reorder_answers, ranking, order)
    # Labels move, the numbers stay.
    labels = ranking.scores.index[np.roll(np.arange(count), 1)]
    moved = {part: getattr(ranking, part).set_axis(labels) for part in PARTS}
    yield "labels moved on", partial(replace, ranking, **moved)
    data = replace(
        ranking.data,
        outputs=ranking.data.outputs.set_axis(labels),
        inputs=ranking.data.inputs.set_axis(labels),
    )
    yield "labels of the data moved on", partial(replace, ranking, data=data)
    if ranking.own_reference:
        yield "labels of all moved on", partial(replace, ranking, **moved, data=data)


def _equal_answers(ranking: db.Ranking, order: np.ndarray) -> bool:
    """Return whether the DMUs at some positions have the metrics of those that they replace."""
    metrics = np.column_stack([ranking.data.outputs, ranking.data.inputs])
    return bool((metrics[order] == metrics).all())


def _reorder_answers(ranking: db.Ranking, order: np.ndarray) -> db.Ranking:
    """Return the ranking in which DMU k has the answer of DMU order[k]."""
    labels = ranking.scores.index
    parts: dict[str, Any] = {
        part: getattr(ranking, part).iloc[order].set_axis(labels) for part in PARTS
    }
    parts["intensities"] = ranking.intensities[order]
    if ranking.slack_weights is not None:
        parts["slack_weights"] = replace(ranking.slack_weights, of=ranking.slack_weights.of[order])
    parts["reasons"] = {
        labels[k]: ranking.reasons[labels[j]]
        for k, j in enumerate(order.tolist())
        if labels[j] in ranking.reasons
    }
    return replace(ranking, **parts)


def _other_options(ranking: db.Ranking) -> Iterator[Forgery]:
    """Say that another question was answered."""
    for option in option_fields(ranking.options.name):
        for word in option.choices:
            if word == getattr(ranking.options, option.name):
                continue
            try:
                options = replace(ranking.options, **{option.name: word})
            except DataError:
                continue
            yield f"{option.name} {word}", partial(replace, ranking, options=options)


def _stripped(ranking: db.Ranking) -> Iterator[tuple[str, db.Ranking]]:
    """Take evidence away."""
    yield "", ranking
    count = len(ranking.scores)
    evidence: dict[str, Any] = {
        "slack_weights": None,
        "infeasibility_certificates": None,
        "tables": {},
        "weights": ranking.weights * np.nan,
        "intensities": Sparse(np.full((count, 1), -1, dtype=np.int32), np.zeros((count, 1))),
        "frontier": np.zeros(0, dtype=np.int64),
    }
    for part, nothing in evidence.items():
        if getattr(ranking, part) is not None and len(np.atleast_1d(getattr(ranking, part))):
            yield f"without {part}, ", replace(ranking, **{part: nothing})
    if ranking.slack_weights is not None:
        unproved = np.full_like(ranking.slack_weights.of, -2)
        yield (
            "without proofs of slacks, ",
            replace(ranking, slack_weights=SlackWeights(ranking.slack_weights.rows, unproved)),
        )
        own = np.full_like(ranking.slack_weights.of, -1)
        yield (
            "with own weights for all slacks, ",
            replace(ranking, slack_weights=SlackWeights(ranking.slack_weights.rows, own)),
        )


def _false_answers(ranking: db.Ranking, rng: np.random.Generator) -> Iterator[Forgery]:
    """Change several fields so that they fit together."""
    scores = ranking.scores
    yield "nothing else", partial(replace, ranking)
    yield "all efficient", partial(replace, ranking, efficient=ranking.efficient | True)
    yield "none efficient", partial(replace, ranking, efficient=ranking.efficient & False)
    labels = list(scores.index[scores.notna()])
    if not labels:
        return
    label = labels[int(rng.integers(len(labels)))]
    is_it = scores.index == label
    for share in (*CHANGES, -CHANGES[0], -CHANGES[1]):
        for words, parts in {
            "": (),
            " and its weights": ("weights",),
            " and its λ": ("intensities",),
            ", weights and λ": ("weights", "intensities"),
            " and its slacks": ("slacks",),
        }.items():
            forge = partial(_change_answer, ranking, is_it, share, parts)
            yield f"{label}{words} by {share:g}", forge
    yield f"{label} crowned", partial(_crown, ranking, is_it)
    positions = ranking.reference.labels.get_indexer(scores.index)
    if (positions[is_it] >= 0).all():
        forge = partial(_crown_as_its_peer, ranking, is_it, positions[is_it])
        yield f"{label} crowned, its own peer", forge
    for reason in REASONS:
        reasons = {**ranking.reasons, label: reason}
        forge = partial(_take_score, ranking, is_it, reasons)
        yield f"{label} without a score: {reason}", forge
        yield f"{label} with a reason: {reason}", partial(replace, ranking, reasons=reasons)


def _change_answer(
    ranking: db.Ranking, is_it: np.ndarray, share: float, parts: tuple[str, ...]
) -> db.Ranking:
    """Return the ranking in which a DMU's score, and some parts of its answer, grow by a share."""
    scores = ranking.scores
    better = scores.where(~is_it, scores * (1 + share) + share * (scores == 0))
    changed: dict[str, Any] = {"scores": better}
    for part in parts:
        if part == "intensities":
            lam = ranking.intensities
            values = np.where(is_it[:, None], lam.values * (1 + share), lam.values)
            changed[part] = Sparse(lam.columns, values)
        else:
            changed[part] = _scaled(getattr(ranking, part), is_it, share)
    return replace(ranking, **changed)


def _crown(ranking: db.Ranking, is_it: np.ndarray) -> db.Ranking:
    """Return the ranking in which a DMU has the best score, no slack and is efficient."""
    best = 1.0 if ranking.measure == "efficiency" else 0.0
    return replace(
        ranking,
        scores=ranking.scores.where(~is_it, best),
        slacks=ranking.slacks.mul(~is_it, axis=0),
        efficient=ranking.efficient | is_it,
    )


def _crown_as_its_peer(ranking: db.Ranking, is_it: np.ndarray, position: np.ndarray) -> db.Ranking:
    """Return the ranking in which a DMU is crowned, with its row of the reference as its peer."""
    columns = ranking.intensities.columns.copy()
    values = ranking.intensities.values.copy()
    columns[is_it] = -1
    values[is_it] = 0.0
    columns[is_it, 0] = position
    values[is_it, 0] = 1.0
    return replace(_crown(ranking, is_it), intensities=Sparse(columns, values))


def _take_score(ranking: db.Ranking, is_it: np.ndarray, reasons: dict[Any, str]) -> db.Ranking:
    """Return the ranking in which a DMU has no answer, for these reasons."""
    return replace(
        ranking,
        scores=ranking.scores.mask(is_it),
        slacks=_without(ranking.slacks, is_it),
        weights=_without(ranking.weights, is_it),
        efficient=ranking.efficient & ~is_it,
        reasons=reasons,
    )


def _scaled(frame: pd.DataFrame, rows: np.ndarray, share: float) -> pd.DataFrame:
    """Return a frame with some rows changed by a share."""
    return frame.mul(1 + share * rows, axis=0)


def _without(frame: pd.DataFrame, rows: np.ndarray) -> pd.DataFrame:
    """Return a frame with NaN in some rows."""
    return frame.mul(np.where(rows, np.nan, 1.0), axis=0)
