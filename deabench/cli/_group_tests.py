"""The tests of a table that give no Findings: of equivalence, and of groups that are independent of
each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from deabench.cli._io import Format, emit, say
from deabench.errors import DataError


def equivalent(
    table: pd.DataFrame,
    margin: float | None,
    *,
    control: str | None,
    folds: int | None,
    alpha: float,
) -> tuple[pd.DataFrame, str]:
    """TOST of every pair, or of all with the control, p values adjusted by Holm; and what was
    found.
    """
    from deabench.compare.adjustment import adjust_p_values
    from deabench.compare.pairwise import list_pairs
    from deabench.compare.score_tables import check_control, check_scores, count_repeats
    from deabench.compare.signed_rank import tost

    if margin is None:
        raise DataError(
            "a test of equivalence needs the largest difference that does not matter; give --margin, as --margin 0.01"
        )
    values = check_scores(table)
    check_control(control, values.columns)
    ratio = 0.0 if folds is None or not count_repeats(len(values), folds) else 1 / (folds - 1)
    rows = []
    for first, second in list_pairs(values.columns, control):
        one = tost(values[first], values[second], margin=margin, ratio=ratio, alpha=alpha)
        rows.append((first, second, one.difference, one.lower, one.upper, one.p_value))
    pairs = pd.DataFrame(
        rows, columns=["first", "second", "difference", "lower", "upper", "p_value"]
    )
    pairs["adjusted"] = adjust_p_values(pairs["p_value"].to_numpy(), "holm", values.shape[1])
    pairs["equivalent"] = pairs["adjusted"] < alpha
    said = (
        f"{int(pairs['equivalent'].sum())} of {len(pairs)} pairs are shown to differ by less than {margin:g} (two one-sided t "
        f"tests{', corrected for folds' if ratio else ''}, Holm); lower and upper are the interval at {1 - 2 * alpha:g}. "
        "The others are not shown to differ by more"
    )
    return pairs.set_index("first"), said


def independent(table: pd.DataFrame, alpha: float) -> tuple[pd.DataFrame, str]:
    """The analysis of variance of a table's columns, and what was found."""
    from deabench.compare import anova
    from deabench.compare.score_tables import check_scores

    found = anova(check_scores(table), alpha=alpha)
    return found.to_frame(), (
        f"{found.summary()}\nthe columns are taken as independent groups; classifiers on the same data sets "
        "are not: leave --test out for those"
    )


def tell(
    found: tuple[pd.DataFrame, str],
    form: Format,
    out: Path | None,
    refused: Sequence[tuple[str, object]],
) -> None:
    """Write the table and say the sentence; refuse options that do not go with such a test."""
    for name, given in refused:
        if given is not None:
            raise DataError(
                f"{name} does not go with tests of equivalence and of variance; leave it out"
            )
    emit(found[0], form=form, out=out)
    say(found[1])
