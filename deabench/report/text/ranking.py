"""What a ranking says, in sentences: of the whole table, and of one classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deabench.errors import DataError
from deabench.proofs.ranking import unproved_claims as open_questions
from deabench.report.text.words import join_names
from deabench.utils.checks import did_you_mean

if TYPE_CHECKING:
    from deabench.analysis.ranking import Ranking

NAMED = 8
"""More names than these are counted."""
SMALL = 5e-4
"""A λ, or a share of a score, below this is not named."""


def summarize_ranking(ranking: Ranking) -> str:
    """Who is efficient; who is not, and by how much; what was assumed on the way."""
    frame = ranking.to_frame()
    scored = frame[frame[ranking.measure].notna()]
    best, rest = scored[scored["efficient"]], scored[~scored["efficient"]]
    said = [
        f"{len(best)} of {len(frame)} {'is' if len(best) == 1 else 'are'} efficient"
        + (f": {join_names(best.index)}." if len(best) else ".")
    ]
    if len(rest):
        low, name = float(rest[ranking.measure].iloc[-1]), rest.index[-1]
        said.append(
            f"The last, {name}, has {ranking.measure} {low:.4g}: {ranking.options.meaning(low)}."
        )
    if len(scored) < len(frame):
        label, reason = next(iter(ranking.reasons.items()))
        said.append(f"{len(frame) - len(scored)} could not be scored ({label}: {reason}).")
    said += [f"{words[:1].upper()}{words[1:]}." for words in open_questions(ranking)]
    return " ".join([*said, *(f"{note[:1].upper()}{note[1:]}." for note in ranking.notes)])


def explain_ranking(ranking: Ranking, name: object) -> str:
    """One classifier's story, a sentence a line."""
    if name not in ranking.scores.index:
        raise DataError(
            f"there is no classifier '{name}' in the ranking; {did_you_mean(name, list(ranking.scores.index))}"
        )
    score = float(ranking.scores.loc[name])
    if np.isnan(score):
        return f"{name} has no {ranking.measure}: {ranking.reasons.get(name, 'it is undefined')}."
    return "\n".join(
        [
            _verdict(ranking, name, score),
            *_mix(ranking, name),
            *_gains(ranking, name),
            *_carried(ranking, name),
            "The score says how far the best mix of the others is, not how good the classifier is under your own "
            "weights; it carries the noise of the metrics.",
        ]
    )


def _verdict(ranking: Ranking, name: object, score: float) -> str:
    place = f"rank {ranking.ranks.loc[name]} of {len(ranking.scores)}"
    if ranking.efficient.loc[name]:
        return f"{name} is efficient ({ranking.measure} {score:.4g}, {place}): no mix of the others is better in every metric."
    meaning = ranking.options.meaning(score)
    if abs(score - (1.0 if ranking.measure == "efficiency" else 0.0)) < SMALL:
        meaning = "nothing is left to gain in all metrics at once, but something in one of them"
    return f"{name} is not efficient ({ranking.measure} {score:.4g}, {place}): {meaning}."


def _mix(ranking: Ranking, name: object) -> list[str]:
    row = ranking.scores.index.get_loc(name)
    columns, values = ranking.intensities.columns[row], ranking.intensities.values[row]
    keep = np.flatnonzero((columns >= 0) & (values > SMALL))
    keep = keep[np.argsort(-values[keep], kind="stable")]
    peers = [(ranking.reference.labels[columns[k]], values[k]) for k in keep]
    if not peers or [label for label, _ in peers] == [name]:
        return []
    return [
        "Its peers: " + ", ".join(f"{label} {value:.2f}" for label, value in peers[:NAMED]) + "."
    ]


def _gains(ranking: Ranking, name: object) -> list[str]:
    """What it would have to change to be where its peers' mix is."""
    if ranking.efficient.loc[name]:
        return []
    own = ranking.actual.loc[name]
    gap = ranking.projections.loc[name] - own
    moves = [
        f"{metric} {own[metric]:.4g} to {own[metric] + change:.4g}"
        for metric, change in gap.items()
        if abs(change) > 1e-9 * max(abs(own[metric]), 1e-300)
    ]
    return ["There it would have " + ", ".join(moves) + "."] if moves else []


def _carried(ranking: Ranking, name: object) -> list[str]:
    """Which metrics carry the score."""
    outputs = [c for c in ranking.data.outputs.columns if c in ranking.weights.columns]
    if not outputs:
        return []
    worth = (ranking.weights.loc[name, outputs] * ranking.data.outputs.loc[name, outputs]).astype(
        float
    )
    shares = (worth / worth.sum()).sort_values(ascending=False)
    named = [f"{metric} {share:.0%}" for metric, share in shares.items() if share > SMALL]
    left = [str(metric) for metric, share in shares.items() if share <= SMALL]
    return [
        "Its score rests on "
        + ", ".join(named)
        + (f"; {join_names(left)} weighs nothing" if left else "")
        + "."
    ]
