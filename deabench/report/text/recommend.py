"""Summarize and explain the recommendation of classifiers for new data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deabench.errors import DataError
from deabench.utils.checks import did_you_mean
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.study.recommendation.recommend import Recommendation

TYPES = {"SD": "disjunct", "OD": "overlapping", "ND": "noisy"}


def summarize_recommendation(advice: Recommendation) -> str:
    """Say what kind of data these are, which classifiers to try, and what that rests on."""
    facts = advice.facts
    sentences = [
        f"The data are {TYPES[facts['type']]} ({facts['type']}): of the minority "
        f"{facts['safe']:.0%} of the rows are safe, {facts['borderline']:.0%} borderline, "
        f"{facts['rare']:.0%} rare and {facts['outlier']:.0%} outliers; the imbalance ratio is "
        f"{facts['imbalance_ratio']:.3g}"
    ]
    named = quote_names(advice.names)
    if advice.promised:
        subject = named if advice.needed == 1 else f"one of {named}"
        sentences.append(
            f"With a probability of {advice.level:.0%} {subject} is efficient in TPR and TNR "
            f"among the {len(advice.table)} classifiers of '{advice.study}'"
        )
    else:
        sentences.append(f"'{advice.study}' is too small to leave out any of its classifiers")
    sentences.append(f"Table 22 of Chao et al. (2022) recommends {advice.paper}")
    if advice.outside:
        sentences.append(
            "The data lie outside what the study knows, and the probability does not hold: "
            + "; ".join(advice.outside)
        )
    return ". ".join(sentences) + "."


def explain_recommendation(advice: Recommendation, name: Any) -> str:
    """Say what speaks for one classifier.

    Raises
    ------
    DataError
        If the study has no such classifier.
    """
    if name not in advice.table.index:
        hint = did_you_mean(name, list(advice.table.index))
        raise DataError(f"there is no classifier '{name}'; {hint}")
    row = advice.table.loc[name]
    near = quote_names(advice.similar.index[:3])
    return (
        f"'{name}' is {row['reason']}, most of all {near}. Expect a TPR of {row['TPR']:.2f}, a TNR "
        f"of {row['TNR']:.2f} and an efficiency of {row['efficiency']:.3f}; on a new file it is at "
        f"least {row['lower']:.3f} with a probability of {advice.level:.0%}."
    )
