"""Decide whether a candidate may be released: shown to be good enough among those in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pandas as pd

from deabench.errors import DataError
from deabench.inference.decisions.gate_limits import (
    GateCase,
    GateLimits,
    GateMethod,
    find_limits,
)
from deabench.inference.decisions.ledger import (
    Feedback,
    Ledger,
    LedgerEntry,
    alpha_of_gate,
    hash_arrays,
    open_ledger,
)
from deabench.inference.dominance_games import Orientation, Returns, Technology
from deabench.inference.samples import Samples
from deabench.inference.samples.from_tables import as_samples
from deabench.inference.score_limits import EDGE, make_problem, sample_scores
from deabench.tables.table import TableLike
from deabench.utils.checks import choice, did_you_mean, share
from deabench.utils.result import Result

GateVerdict = Literal["passes", "fails", "open"]

MIN_SHARE = 0.005
"""Classifiers with a smaller share of the mix are left out of it."""


LEARNED_NOTE = (
    "limits: weights and mixes learned on a part of the test data and tested on the rest (their "
    "validity is measured, not proved, for several metrics)"
)


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Result):
    """The decision on one candidate.

    Attributes
    ----------
    candidate : str
    verdict : {"passes", "fails", "open"}
        passes: shown to score at least `at_least`; fails: shown to score less; open: neither.
    score, lower, upper : float
        The candidate's efficiency with its interval at `level`, for this one classifier. NaN where
        a ledger allows the status only.
    at_least : float in (0, 1]
    level : float
        Of this gate, or of all gates in the ledger together.
    beaten_by : mapping of classifier to share
        A mix that is shown to beat the candidate in every metric; empty where none is. It does not
        change the verdict.
    secure_gap : float
        By which share at least that mix beats it in every metric; 0 where none is shown to.
    least_inputs : tuple of str
        Inputs of which the candidate takes less than every other. Under variable returns nothing
        is compared with it then: it scores 1 whatever its outputs are.
    instances : int
        Today's instances, or runs, folds, data sets.
    unit : str
        What they are called, as in "runs".
    needed : float
        About how many instances would decide an open candidate, at today's figures; inf where no
        number does.
    method : {"learned", "analytic", "anytime"}
        Which limits decide: a learned mix; the moments alone; bets.
    number : int or None
        The number of this gate among those on the same test set, by the ledger.
    alpha : float
        The share of 1 − level that this gate has.
    decided_after : int or None
        The round that decided, of a sequential gate.
    status_only : bool
        Whether the ledger allows nothing but pass or no pass to be shown.
    technology : Technology
        Inputs, returns to scale and orientation.
    notes : tuple of str

    Examples
    --------
    >>> import deabench as db
    >>> y, a, b = [1] * 40 + [0] * 60, [1] * 35 + [0] * 65, [1] * 30 + [0] * 70
    >>> samples = db.Samples.from_predictions(y, {"a": a, "b": b})
    >>> answer = db.gate(samples, "a", at_least=.8)
    >>> answer.verdict, answer.passed
    ('passes', True)
    """

    candidate: str
    verdict: GateVerdict
    score: float
    lower: float
    upper: float
    at_least: float
    level: float
    beaten_by: dict[str, float]
    secure_gap: float
    least_inputs: tuple[str, ...]
    instances: int
    unit: str
    needed: float
    method: GateMethod
    number: int | None
    alpha: float
    decided_after: int | None
    status_only: bool
    technology: Technology
    notes: tuple[str, ...]

    _text = "decisions"

    @property
    def passed(self) -> bool:
        """Return whether the candidate is shown to be good enough; an open one does not pass."""
        return self.verdict == "passes"

    def to_frame(self) -> pd.DataFrame:
        """Return one row with the decision and its figures."""
        row = {
            name: value
            for name, value in self.to_dict().items()
            if name not in ("candidate", "beaten_by", "least_inputs", "notes", "level")
        }
        return pd.DataFrame([row], index=pd.Index([self.candidate], name="candidate"))

    def to_dict(self) -> dict[str, object]:
        """Return the decision as plain Python values; None where no number of instances decides.

        Where the ledger allows the status only, the figures are left out.
        """
        status: dict[str, object] = {
            "candidate": self.candidate,
            "verdict": self.verdict,
            "passed": self.passed,
            "at_least": self.at_least,
            "level": self.level,
        }
        figures: dict[str, object] = {
            "score": self.score,
            "lower": self.lower,
            "upper": self.upper,
            "beaten_by": self.beaten_by,
            "secure_gap": self.secure_gap,
            "instances": self.instances,
            "needed": int(np.ceil(self.needed)) if np.isfinite(self.needed) else None,
            "method": self.method,
        }
        if self.least_inputs:
            figures["least_inputs"] = list(self.least_inputs)
        if self.decided_after is not None:
            figures["decided_after"] = self.decided_after
        if self.number is not None:
            status |= {"number": self.number, "alpha": self.alpha}
        if not self.status_only:
            status |= figures
        return status | {"notes": list(self.notes)}


def gate(
    samples: Samples | TableLike,
    candidate: str,
    *,
    at_least: float = 0.95,
    level: float = 0.95,
    outputs: Sequence[str] | None = None,
    inputs: Sequence[str] | None = None,
    returns: Returns = "vrs",
    orientation: Orientation = "output",
    ledger: str | Path | None = None,
    feedback: Feedback = "status",
    sequential: bool = False,
    seed: int | None = 0,
) -> Gate:
    """Decide whether a candidate is shown to score at least `at_least` beside the others.

    It passes where its lower limit reaches `at_least`, fails where its upper limit is below, and is
    open otherwise. Both limits hold together for this one classifier at the level.

    Parameters
    ----------
    samples : Samples, or a table with samples of any kind
        The candidate and those in use; as for `uncertainty`.
    candidate : str
        Chosen before looking: the gate does not pay for a choice of the best of many candidates.
    at_least : number in (0, 1]
        The efficiency to be shown; 1 asks for no mix being better, which hardly any sample shows.
    level : number between 0 and 1
        Of this gate; with a ledger, of all gates on this test set together.
    outputs, inputs, returns, orientation
        As for `uncertainty`.
    ledger : path, optional
        A JSON file that remembers the gates on each test set and shares the level among them.
    feedback : {"status", "none", "scores"}
        With a ledger: what the makers of candidates see of earlier gates on this test set. With
        "status" only pass or no pass is shown; with "none" they see nothing; with "scores"
        everything is shown and no level holds.
    sequential : bool
        Whether the verdict holds however often one looks while instances are added.
    seed : int or None
        Of the folds, and of the order of a sequential gate. None keeps the file's order, for a file
        that grows at its end and was not sorted by outcomes.

    Examples
    --------
    >>> import deabench as db
    >>> y = [1] * 200 + [0] * 200
    >>> old, new = [1] * 150 + [0] * 210 + [1] * 40, [1] * 190 + [0] * 200 + [1] * 10
    >>> gate(db.Samples.from_predictions(y, {"old": old, "new": new}, positive=1), "new").passed
    True
    """
    choice("feedback", feedback, get_args(Feedback))
    samples, outputs, inputs = as_samples(samples, outputs, inputs)
    if candidate not in samples.values.index:
        raise DataError(
            f"there is no system '{candidate}'; "
            f"{did_you_mean(candidate, list(samples.values.index))}"
        )
    if not isinstance(at_least, int | float) or not 0 < at_least <= 1:
        raise DataError(f"at_least is {at_least}; give a number above 0 and at most 1, as 0.95")
    alpha = 1 - share("level", level)
    problem, metrics, rows = make_problem(samples, outputs, inputs, returns, orientation)
    for name in metrics:
        if (samples.values[name] == 0).all():
            raise DataError(
                f"metric '{name}' is 0 for every system, so that it tells no efficiency; name "
                "the other metrics in outputs"
            )
    row = [str(samples.values.index[i]) for i in rows].index(candidate)
    score = float(sample_scores(samples, problem, metrics, rows)[row])
    case = GateCase(samples, problem, metrics, rows, row, score, float(at_least))

    if ledger is None:
        limits = find_limits(case, alpha / 2, alpha / 2, sequential, seed)
        return _make_gate(case, candidate, limits, level, alpha)
    test = hash_arrays(*_describe_test(samples))
    answers = hash_arrays(*_describe_answers(case, candidate, feedback, level, sequential))
    with open_ledger(ledger) as book:
        number, gate_alpha, is_new = _share_level(book, test, answers, feedback, alpha)
        # Only passes are shown with "status", so that they have the whole share.
        tail = gate_alpha if feedback == "status" else gate_alpha / 2
        limits = find_limits(case, tail, tail, sequential, seed)
        answer = _make_gate(case, candidate, limits, level, gate_alpha)
        answer = replace(answer, number=number)
        if feedback == "status":
            answer = _status_only(answer)
        if is_new:
            entry = LedgerEntry(candidate, answers, feedback, gate_alpha, answer.verdict)
            book.add(test, entry)
        shown = sum(entry.feedback == "scores" for entry in book.tests[test])
    return replace(answer, notes=(*answer.notes, *_ledger_notes(number, feedback, shown)))


def _make_gate(
    case: GateCase, candidate: str, limits: GateLimits, level: float, alpha: float
) -> Gate:
    """Return the decision that the limits lead to."""
    verdict: GateVerdict = "open"
    if limits.passes:
        verdict = "passes"
    elif limits.fails:
        verdict = "fails"
    technology = case.problem.technology
    beaten_by: dict[str, float] = {}
    secure_gap = 0.0
    # Beaten by a mix is another statement than the verdict: at_least may be far below 1.
    if limits.upper < 1 - EDGE:
        secure_gap = float(technology.gap(np.array(limits.upper)))
        labels = [str(case.samples.values.index[i]) for i in case.rows]
        largest_first = np.argsort(-limits.mix, kind="stable")
        beaten_by = {
            labels[j]: float(limits.mix[j]) for j in largest_first if limits.mix[j] >= MIN_SHARE
        }
    notes = case.samples.notes
    if limits.method == "learned" and len(case.metrics) > 1:
        notes = (*notes, LEARNED_NOTE)
    if case.problem.inputs:
        notes = (*notes, f"with inputs the scores are {technology.name}")
    sizes = case.samples.sizes
    instances = sum(sizes.values())
    return Gate(
        candidate=candidate,
        verdict=verdict,
        score=case.score,
        lower=limits.lower,
        upper=limits.upper,
        at_least=case.at_least,
        level=level,
        beaten_by=beaten_by,
        secure_gap=secure_gap,
        least_inputs=_least_inputs(case),
        instances=instances,
        # Classes, or metrics, have instances of their own.
        unit=next(iter(sizes)) if len(sizes) == 1 else "instances",
        needed=limits.growth * instances,
        method=limits.method,
        number=None,
        alpha=alpha,
        decided_after=limits.decided_after,
        status_only=False,
        technology=technology,
        notes=notes,
    )


def _least_inputs(case: GateCase) -> tuple[str, ...]:
    """Return the inputs of which the candidate alone takes the least, under variable returns."""
    if case.problem.technology.returns != "vrs" or len(case.rows) < 2:
        return ()
    names = case.metrics[len(case.metrics) - case.problem.inputs :]
    values = case.samples.values[list(names)].iloc[list(case.rows)]
    rivals = values.drop(index=values.index[case.row])
    is_least = values.iloc[case.row] < rivals.min()
    return tuple(str(name) for name in names if is_least[name])


def _status_only(answer: Gate) -> Gate:
    """Return a gate that tells pass or no pass and nothing else."""
    return replace(
        answer,
        verdict="passes" if answer.passed else "open",
        score=np.nan,
        lower=np.nan,
        upper=np.nan,
        beaten_by={},
        secure_gap=np.nan,
        least_inputs=(),
        needed=np.nan,
        decided_after=None,
        status_only=True,
        # Notes of samples may tell which classifiers answered alike.
        notes=(),
    )


def _share_level(
    book: Ledger, test: str, answers: str, feedback: Feedback, alpha: float
) -> tuple[int, float, bool]:
    """Return the number of this gate on the test set, its share of alpha, and whether it is new."""
    entries = book.tests.setdefault(test, [])
    earlier = book.find(test, answers)
    if earlier is not None:
        # The same job run again shows nothing new, and pays nothing.
        return entries.index(earlier) + 1, earlier.alpha, False
    passes = sum(entry.verdict == "passes" for entry in entries)
    number = len(entries) + 1
    return number, alpha_of_gate(alpha, number, passes, feedback), True


def _ledger_notes(number: int, feedback: Feedback, shown: int) -> tuple[str, ...]:
    """Return what the level of gates on one test set rests on."""
    note = f"gate number {number} on this test set"
    if shown:
        return (
            f"{note}; no level holds, because {shown} of them showed scores: candidates may have "
            "been chosen by them, and a fresh test set is needed",
        )
    if feedback == "status":
        return (
            f"{note}; the level holds for all of them together as long as nothing but pass or no "
            "pass is known of them",
        )
    return (
        f"{note}; the level holds for all of them together if no candidate was made with their "
        "results",
    )


def _describe_test(samples: Samples) -> list[object]:
    """Return what tells test sets apart: the labels in their order, or the sizes alone."""
    data = samples.unit_data
    return [sorted(samples.sizes.items()), *([] if data is None else [data.strata])]


def _describe_answers(
    case: GateCase, candidate: str, feedback: Feedback, level: float, sequential: bool
) -> list[object]:
    """Return what tells gates apart: the candidate, the question and all answers."""
    question = [candidate, case.at_least, feedback, level, sequential, case.metrics]
    names = [str(case.samples.values.index[i]) for i in case.rows]
    values = case.samples.values[list(case.metrics)].to_numpy(float)[list(case.rows)]
    units = case.units
    return [*question, names, values, *([] if units is None else units.values)]
