"""Summarize analyses around a ranking: layers, groups, periods, scale, data sets, stability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deabench.report.text.words import as_sentence, count_noun, is_or_are, join_names
from deabench.utils.text import quote_names, two_digits

if TYPE_CHECKING:
    from deabench.analysis.by_dataset import ByDataset
    from deabench.analysis.layers import Layers
    from deabench.analysis.malmquist import Malmquist
    from deabench.analysis.metafrontier import Groups
    from deabench.analysis.partial_frontiers import Partial
    from deabench.analysis.reproduction import Reproduction
    from deabench.analysis.scale import ScaleEfficiency
    from deabench.analysis.stability import Stability

MAX_LAYERS = 4
"""The number of layers whose classifiers are named."""
MAX_FIRST = 3
"""The number of systems that are named as first."""


def summarize_layers(result: Layers) -> str:
    """Say how many layers there are, and who is in each."""
    members = result.frame.groupby("layer").groups
    sentences = [
        f"Layer {number}: {join_names(labels)}." for number, labels in list(members.items())
    ]
    return " ".join([f"{count_noun(len(members), 'layer')}.", *sentences[:MAX_LAYERS]])


def summarize_groups(result: Groups) -> str:
    """Say how near each group's frontier comes to the common one."""
    means = result.frame.groupby("group", sort=False)["gap"].mean().sort_values(ascending=False)
    gaps = ", ".join(f"{name} {value:.3f}" for name, value in means.items())
    return f"Mean ratio of the group frontier to the common frontier (1: no gap): {gaps}."


def summarize_malmquist(result: Malmquist) -> str:
    """Say how many classifiers got better, and how the frontier moved."""
    better = int((result.frame["index"] > 1).sum())
    factors = result.frame[["index", "efficiency_change", "technical_change"]]
    # The mean of ratios is the geometric one: a gain of 2 and a loss of 1/2 cancel out.
    mean = np.exp(np.log(factors).mean())
    # Both factors are above 1 where things got better.
    approach = _choose_word(mean["efficiency_change"], "nearer to", "farther from", "as near to")
    advance = _choose_word(mean["technical_change"], "moved out", "moved back", "stayed")
    sentence = (
        f"{better} of {len(result.frame)} got better; in geometric mean {mean['index']:.3f} = "
        f"{mean['efficiency_change']:.3f} ({approach} the frontier) times "
        f"{mean['technical_change']:.3f} (the frontier itself {advance})."
    )
    return " ".join([sentence, *(as_sentence(note) for note in result.notes)])


def _choose_word(factor: float, above: str, below: str, equal: str) -> str:
    """Return the word for a factor above, below or at 1, by the decimals that are printed."""
    if f"{factor:.3f}" == "1.000":
        return equal
    return above if factor > 1 else below


def summarize_partial(result: Partial) -> str:
    """Say how many classifiers lie beyond the partial frontier."""
    count = int((result.frame["efficiency"] > 1 + 1e-12).sum())
    verb = "lies" if count == 1 else "lie"
    return f"{count} of {len(result.frame)} {verb} beyond the frontier ({result.frontier})."


def summarize_scale_efficiency(result: ScaleEfficiency) -> str:
    """Say who has which returns to scale."""
    sentences = []
    for word in ("constant", "increasing", "decreasing"):
        labels = result.frame.index[result.frame["returns"] == word]
        if len(labels):
            verb = "has" if len(labels) == 1 else "have"
            sentences.append(
                f"{len(labels)} of {len(result.frame)} {verb} {word} returns: {join_names(labels)}."
            )
    return " ".join([*sentences, *(as_sentence(note) for note in result.notes)])


def summarize_stability(result: Stability) -> str:
    """Say whose verdict changes first, and whose last."""
    first = result.radius.idxmin()
    last = result.radius.idxmax()
    verdict = {True: "efficient", False: "dominated"}
    farthest = result.radius[last]
    distance = f"at {two_digits(100 * farthest)} %" if np.isfinite(farthest) else "at no distance"
    return (
        f"The first verdict to change is that of '{first}' "
        f"({verdict[bool(result.efficient[first])]}), where all metrics are off by "
        f"{two_digits(100 * result.radius[first])} %, its own to one side and the "
        f"others' to the other; "
        f"the last is that of '{last}' ({verdict[bool(result.efficient[last])]}), {distance}."
    )


def summarize_by_dataset(result: ByDataset) -> str:
    """Say who is first in each of the three ways."""
    sentences = [f"{len(result.each)} data sets, {len(result.frame)} systems."]
    for column, phrase in (
        ("means", "By their means"),
        ("each", "By every data set's own frontier"),
        ("pooled", "By one frontier of all data sets"),
    ):
        is_first = (result.frame[f"{column}_rank"] == 1).fillna(False)
        first = result.frame.index[is_first]
        if len(first):
            names = quote_names(first, MAX_FIRST)
            sentences.append(f"{phrase} {names} {is_or_are(len(first))} first.")
    return " ".join([*sentences, *(as_sentence(note) for note in result.notes)])


def summarize_reproduction(result: Reproduction) -> str:
    """Say how many printed cells are equal when recomputed, and which tables differ."""
    counts = result.counts()
    total = counts.sum()
    cells = int(total[["equal", "close", "differs"]].sum())
    clauses = ["no printed cell is recomputed"]
    if cells:
        clauses = [
            f"{total['equal']} of {cells} printed cells are equal when recomputed, "
            f"{total['close']} are close, {total['differs']} differ"
        ]
    differing = counts.index[counts["differs"] > 0]
    if len(differing):
        clauses.append(f"cells of {', '.join(differing)} differ")
    if total["not recomputed"]:
        clauses.append(f"{total['not recomputed']} of {len(counts)} tables are not recomputed")
    return "; ".join(clauses)
