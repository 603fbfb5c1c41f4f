"""Summarize routers and mixtures of models in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from deabench.metrics.formulas import UNMIXED_METRICS, canonical_name
from deabench.report.text.words import as_sentence
from deabench.utils.text import quote_names

if TYPE_CHECKING:
    from deabench.integrations.cost_stack import CostComparison
    from deabench.integrations.mixture import Routing
    from deabench.integrations.router import Router


def say_recipe(shares: Mapping[Any, float]) -> str:
    """Say who answers how many of the instances, as a clause with small beginning."""
    parts = sorted(shares.items(), key=lambda item: -item[1])
    if len(parts) == 1:
        return f"answer all instances with '{parts[0][0]}'"
    texts = [f"{100 * share:.3g} % with '{name}'" for name, share in parts]
    texts[0] = texts[0].replace(" %", " % of instances", 1)
    return f"answer {', '.join(texts[:-1])} and {texts[-1]}"


def say_unmixed(metrics: Iterable[Any], remedy: str) -> str:
    """Say which metrics a mixture has otherwise, and what to type; nothing where there are none."""
    unmixed = [metric for metric in metrics if canonical_name(str(metric)) in UNMIXED_METRICS]
    if not unmixed:
        return ""
    return f"A mixture has another {quote_names(unmixed)} than that; {remedy}."


def summarize_router(router: Router) -> str:
    """Say which models are worth asking, and the area below the curve."""
    names = ", ".join(f"'{name}'" for name in router.hull.index)
    area = router.aiq()
    return (
        f"{len(router.hull)} of {len(router.points)} models are on the hull of quality against "
        f"cost: {names}. Over the range of costs their mixtures have a mean quality (AIQ) of "
        f"{area['aiq']:.4g} ({router.level:.0%} interval {area['lower']:.4g} to "
        f"{area['upper']:.4g})."
    )


def summarize_routing(routing: Routing) -> str:
    """Say the recipe of a mixture, what it has, and whether it beats a single model."""
    quality, cost = routing.table.loc["quality"], routing.table.loc["cost"]
    recipe = say_recipe(routing.shares)
    text = (
        f"{recipe[0].upper()}{recipe[1:]}: quality {quality['value']:.4g} ({routing.level:.0%} "
        f"interval {quality['lower']:.4g} to {quality['upper']:.4g}), cost {cost['value']:.4g} per "
        f"instance ({cost['lower']:.4g} to {cost['upper']:.4g})"
    )
    if len(routing.shares) == 1 or routing.rival is None:
        return f"{text}."
    gain = routing.table.loc["gain"]
    shown = {"better": "is shown to be", "undecided": "is not shown to be"}
    return (
        f"{text}. Of single models that cost no more '{routing.rival}' is the best; the mixture "
        f"{shown.get(routing.verdict, 'is shown not to be')} better (by {gain['value']:.4g}, "
        f"{gain['lower']:.4g} to {gain['upper']:.4g})."
    )


def summarize_cost_comparison(comparison: CostComparison) -> str:
    """Say whether thresholding at the costs is shown to be cheaper than the mixture."""
    value, lower, upper = comparison.difference
    costs = comparison.table["cost"]
    shown = {"cheaper": "is shown to be cheaper", "dearer": "is shown to be dearer"}
    text = (
        f"At the costs of the face, in shares of the greatest, the stack costs "
        f"{costs['stack']:.4g} and the mixture {costs['mixture']:.4g}: the stack "
        f"{shown.get(comparison.verdict, 'is not shown to be cheaper or dearer')} (difference "
        f"{value:.4g}, {comparison.level:.0%} interval {lower:.4g} to {upper:.4g})."
    )
    return " ".join([text, *map(as_sentence, comparison.notes)])
