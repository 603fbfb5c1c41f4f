"""What the ways of `compare` share: what was asked, the table of pairs, the words for a family."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from deabench.compare import pairs as of_two
from deabench.compare.adjust import Adjustment, adjusted
from deabench.compare.incomplete import SkillingsMack
from deabench.compare.many import Friedman

TITLES = {
    "wilcoxon": "Wilcoxon signed-rank test of each pair",
    "permutation": "permutation test of each pair's mean difference",
    "t": "paired t test of each pair",
    "ranks": "mean ranks",
}


@dataclass(frozen=True)
class Asked:
    """What the caller wants of the pairs."""

    control: str | None
    higher: bool
    alpha: float
    adjust: Adjustment | None

    def chosen(self, default: Adjustment) -> Adjustment:
        return self.adjust or (default if self.control is None else "holm")


def undecided(omnibus: Friedman | SkillingsMack, alpha: float) -> list[str]:
    return (
        [f"the classifiers as a whole do not differ at {alpha:g}, so no pair is called different"]
        if omnibus.p_value >= alpha
        else []
    )


def finish(
    pairs: pd.DataFrame,
    k: int,
    adjust: Adjustment,
    asked: Asked,
    *,
    low_wins: bool,
    omnibus: Friedman | SkillingsMack | None = None,
) -> pd.DataFrame:
    """The pairs with adjusted p values and who is better; none is where the omnibus test does not
    reject.
    """
    if "adjusted" not in pairs:
        pairs["adjusted"] = adjusted(pairs["p_value"].to_numpy(), adjust, k)
    pairs["different"] = (pairs["adjusted"] < asked.alpha) & (
        omnibus is None or omnibus.p_value < asked.alpha
    )
    pairs["better"] = of_two.better(pairs, low_wins=low_wins)
    return pairs


def family(control: str | None, adjust: str, count: int) -> str:
    """How many p values are adjusted how."""
    name = {
        "shaffer": "Shaffer's static",
        "bergmann-hommel": "Bergmann and Hommel's",
        "nemenyi": "Nemenyi's",
    }.get(adjust, f"{adjust.capitalize()}'s")
    if control is not None:
        return f" against '{control}' with {name} adjustment of {count} p values"
    return f" all pairs with {name} adjustment of {count} p values" if count > 1 else ""
