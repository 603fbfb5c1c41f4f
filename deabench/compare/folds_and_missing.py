"""What `compare` does with folds of one data set, and with scores that are missing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from deabench.compare import pairs as of_two
from deabench.compare._options import TITLES, Asked, family, finish, undecided
from deabench.compare._validation import differences, repeats, warn
from deabench.compare.comparison import Findings
from deabench.compare.folds import corrected_t
from deabench.compare.incomplete import skillings_mack
from deabench.compare.many import ranked
from deabench.compare.posthoc import OF_TWO
from deabench.errors import DataError


def incomplete(values: pd.DataFrame, asked: Asked, test: str, about: tuple[str, ...]) -> Findings:
    """Skillings and Mack, then each pair on the data sets that both have."""
    if test == "ranks":
        raise DataError(
            "mean ranks need every score; with scores missing take test 'wilcoxon', 'permutation' or 't'"
        )
    omnibus = skillings_mack(values, higher_is_better=asked.higher)
    which = of_two.chosen(values.columns, asked.control)
    one = "wilcoxon" if test == "auto" else test
    adjust = asked.chosen("holm")
    rows, notes = of_two.each(values, which, OF_TWO[one])
    pairs = finish(
        of_two.frame(values, which, rows, asked.higher),
        values.shape[1],
        adjust,
        asked,
        low_wins=not asked.higher,
        omnibus=omnibus,
    )
    why = (
        f"{values.shape[1]} classifiers over {len(values)} data sets with scores missing: each pair is compared on the data "
        "sets that both have"
    )
    title = f"Skillings-Mack, then {TITLES[one]}" + family(asked.control, adjust, len(which))
    said = (*notes, *undecided(omnibus, asked.alpha), *omnibus.notes, *about)
    return Findings(
        pairs, omnibus.mean_ranks, omnibus, title, why, asked.alpha, asked.control, adjust, said
    )


def over_folds(values: pd.DataFrame, asked: Asked, folds: int) -> Findings:
    count, k = values.shape
    times = repeats(count, folds)
    which = of_two.chosen(values.columns, asked.control)
    rows, notes = of_two.each(values, which, partial(corrected_t, ratio=1 / (folds - 1)))
    _warn_of_shape(values, which, asked.alpha)
    adjust = asked.chosen("holm")
    pairs = finish(
        of_two.frame(values, which, rows, asked.higher), k, adjust, asked, low_wins=not asked.higher
    )
    why = (
        f"{k} classifiers on {times} x {folds} folds of one data set: folds share training data, which the "
        "corrected t test allows for"
    )
    about = "it speaks of this data set only; over data sets give one row per data set"
    over = f", {adjust.capitalize()} over {len(which)} pairs" if len(which) > 1 else ""
    means = ranked(values, asked.higher).mean().rename("mean_rank")
    return Findings(
        pairs,
        means,
        None,
        f"corrected resampled t test (Nadeau-Bengio){over}",
        why,
        asked.alpha,
        asked.control,
        adjust,
        (*notes, about),
    )


def _warn_of_shape(values: pd.DataFrame, which: Sequence[of_two.Pair], alpha: float) -> None:
    """One warning for all pairs whose differences are far from normal, Bonferroni over the pairs."""
    from scipy.stats import shapiro

    odd, least = list[of_two.Pair](), 1.0
    columns = {name: values[name].to_numpy() for name in values.columns}
    for a, b in which:
        d = differences(columns[a], columns[b])
        p = float(shapiro(d).pvalue) if len(d) >= 3 and np.ptp(d) > 0 else 1.0
        if p < alpha / len(which):
            odd.append((a, b))
            least = min(least, p)
    if odd:
        rough = (
            "the t test's p value is rough" if len(odd) == 1 else "the t test's p values are rough"
        )
        warn(
            f"the differences of {of_two.listed(odd)} over the folds are far from normal (Shapiro-Wilk "
            f"p {'=' if len(odd) == 1 else 'from'} {least:.4f}): {rough}"
        )
