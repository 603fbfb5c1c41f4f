"""Summarize rankings and advice in sentences, and how the columns of a table were interpreted."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from deabench.analysis.advise import Advice
from deabench.errors import DataError
from deabench.proofs.ranking import unproved_claims
from deabench.report.text.frontier import say_unmixed
from deabench.report.text.words import MAX_NAMES, as_sentence, is_or_are, join_names
from deabench.results.ranking import Ranking
from deabench.utils.checks import did_you_mean

LEAST_SHARE = 5e-4
"""A smaller λ, or a smaller share of a score, is not named."""
LEAST_CHANGE = 1e-9
"""A smaller relative change of a metric is none."""


def summarize_ranking(ranking: Ranking) -> str:
    """Say which classifiers are efficient, how far the others are, and what was assumed.

    With samples a second line says how sure that is.
    """
    frame = ranking.to_frame()
    scored = frame[frame[ranking.measure].notna()]
    is_efficient = scored["efficient"]
    efficient = scored.index[is_efficient]
    scores = scored.loc[~is_efficient, ranking.measure]
    names = f": {join_names(efficient)}" if len(efficient) else ""
    count = f"{len(efficient)} of {len(frame)} {is_or_are(len(efficient))} efficient"
    sentences = [f"{count}{names}."]
    if len(scores):
        lowest = float(scores.iloc[-1])
        meaning = _describe_score(ranking, scores.index[-1], lowest)
        sentences.append(
            f"The last, {scores.index[-1]}, has {ranking.measure} {lowest:.4g}: {meaning}."
        )
    if len(scored) < len(frame):
        name, reason = next(iter(ranking.reasons.items()))
        unscored = len(frame) - len(scored)
        sentences.append(f"{unscored} could not be scored ({name}: {reason}).")
    remarks = [*unproved_claims(ranking), *ranking.notes]
    text = " ".join([*sentences, *map(as_sentence, remarks)])
    if ranking.uncertainty is None:
        return text
    return f"{text}\n{ranking.uncertainty.summary()}"


def explain_ranking(ranking: Ranking, name: Hashable) -> str:
    """Explain the score of one classifier, one sentence per line.

    Raises
    ------
    DataError
        If there is no such classifier.
    """
    labels = ranking.scores.index
    if name not in labels:
        # A row that was left out is named in a note.
        reasons = [note for note in ranking.notes if f"'{name}'" in note and "left out" in note]
        hint = reasons[0] if reasons else did_you_mean(name, list(labels))
        raise DataError(f"there is no system '{name}' in the ranking; {hint}")
    text = _explain_score(ranking, name, float(ranking.scores.loc[name]))
    if ranking.uncertainty is None:
        return text
    return f"{text}\n{ranking.uncertainty.explain(str(name))}"


def explain_verdict(ranking: Ranking, name: Hashable) -> str:
    """Say whether a classifier is efficient and how sure that is, one sentence per line.

    The page shows peers, targets and weights of a classifier beside these sentences.
    """
    score = float(ranking.scores.loc[name])
    if np.isnan(score):
        text = _explain_score(ranking, name, score)
    else:
        text = _verdict_sentence(ranking, name, score)
    if ranking.uncertainty is None:
        return text
    return f"{text}\n{ranking.uncertainty.explain(str(name))}"


def _explain_score(ranking: Ranking, name: Hashable, score: float) -> str:
    """Say why a classifier has its score: its verdict, peers, projection and weights."""
    if np.isnan(score):
        return f"{name} has no {ranking.measure}: {ranking.reasons.get(name, 'it is undefined')}."
    sentences = [
        _verdict_sentence(ranking, name, score),
        _peers_sentence(ranking, name),
        _projection_sentence(ranking, name),
        _weights_sentence(ranking, name),
        f"The score says how far {_best_others(ranking)} is, not how good {name} is under your own "
        "weights; it carries the noise of the metrics.",
    ]
    return "\n".join(filter(None, sentences))


def _compares_mixes(ranking: Ranking) -> bool:
    """Return whether a classifier is compared with mixes of others, not with single ones."""
    technology = "fdh" if ranking.model == "fdh" else getattr(ranking.options, "technology", "")
    return technology != "fdh"


def _best_others(ranking: Ranking) -> str:
    return "the best mix of the others" if _compares_mixes(ranking) else "the best of the others"


def _verdict_sentence(ranking: Ranking, name: Hashable, score: float) -> str:
    rank = f"rank {ranking.ranks.loc[name]} of {len(ranking.scores)}"
    if ranking.is_partial:
        rank = "no rank, for some scores were not computed in time"
    details = f"({ranking.measure} {score:.4g}, {rank})"
    if ranking.efficient.loc[name]:
        rivals = "no mix of the others is" if _compares_mixes(ranking) else "no other is"
        return f"{name} is efficient {details}: {rivals} better in every metric."
    return f"{name} is not efficient {details}: {_describe_score(ranking, name, score)}."


def _describe_score(ranking: Ranking, name: Hashable, score: float) -> str:
    """Say what a score below the best one means, as a clause."""
    best_score = 1.0 if ranking.measure == "efficiency" else 0.0
    if abs(score - best_score) < LEAST_SHARE:
        return "nothing is left to gain in all metrics at once, but something in one of them"
    return ranking.meaning(name)


def _peers_sentence(ranking: Ranking, name: Hashable) -> str:
    """Name the peers with their λ, largest first; none if a classifier is its own only peer."""
    row = ranking.scores.index.get_loc(name)
    columns = ranking.intensities.columns[row]
    lam = ranking.intensities.values[row]
    named = np.flatnonzero((columns >= 0) & (lam > LEAST_SHARE))
    named = named[np.argsort(-lam[named], kind="stable")]
    labels = [ranking.reference.labels[columns[k]] for k in named]
    if not labels or labels == [name]:
        return ""
    peers = [f"{label} {lam[k]:.2f}" for label, k in zip(labels, named, strict=True)]
    return f"Its peers: {', '.join(peers[:MAX_NAMES])}."


def _projection_sentence(ranking: Ranking, name: Hashable) -> str:
    """Say how the metrics would change up to the mixture of the peers."""
    if ranking.efficient.loc[name] or name in ranking.projection_reasons:
        return ""
    actual = ranking.actual.loc[name]
    changes = ranking.projections.loc[name] - actual
    movements = [
        f"{metric} {actual[metric]:.4g} to {actual[metric] + change:.4g}"
        for metric, change in changes.items()
        if abs(change) > LEAST_CHANGE * max(abs(actual[metric]), 1e-300)
    ]
    if not movements:
        return ""
    text = f"There it would have {', '.join(movements)}."
    lam = ranking.intensities.values[ranking.scores.index.get_loc(name)]
    if (lam > LEAST_SHARE).sum() < 2:
        return text
    remedy = "model 'fdh' compares with single systems"
    return f"{text} {say_unmixed(changes.index, remedy)}".rstrip()


def _weights_sentence(ranking: Ranking, name: Hashable) -> str:
    """Name the metrics that carry the score, with their shares, and those of weight 0."""
    shares = ranking.weight_shares.loc[name].sort_values(ascending=False)
    # A single metric carries all of it.
    if len(shares) < 2:
        return ""
    named = [f"{metric} {share:.0%}" for metric, share in shares.items() if share > LEAST_SHARE]
    unweighted = [str(metric) for metric, share in shares.items() if share <= LEAST_SHARE]
    verb = "weighs" if len(unweighted) == 1 else "weigh"
    suffix = f"; {join_names(unweighted)} {verb} nothing" if unweighted else ""
    return f"Its score rests on {', '.join(named)}{suffix}."


def summarize_advice(advice: Advice) -> str:
    """Say which model is the first choice and why, and what weakens any model on this table."""
    why = advice.frame.loc[advice.model, "why"]
    remarks = [as_sentence(note) for note in advice.notes]
    return " ".join([f"Use model '{advice.model}': {why}.", *remarks])
