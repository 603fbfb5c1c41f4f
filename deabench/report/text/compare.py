"""Sentences about the results of `deabench.compare`."""

from __future__ import annotations

import pandas as pd

from deabench.compare.bayes import Posterior, Posteriors
from deabench.compare.friedman import Friedman
from deabench.compare.omnibus import Anova, SkillingsMack
from deabench.compare.pairwise import Pairwise
from deabench.compare.sample_size import SampleSize
from deabench.compare.selection import ComparisonResult
from deabench.compare.two_classifiers import Comparison

MAX_PAIRS = 5
"""Pairs that a sentence names; the rest are counted."""


def summarize_comparison(result: Comparison) -> str:
    """Describe the difference and its p value, then the test and what a reader must know."""
    interval = ""
    # A test without an interval has NaN as its limits.
    if result.lower == result.lower:
        interval = f" (from {result.lower:.4g} to {result.upper:.4g})"
    finding = (
        f"first minus second is {result.difference:.4g}{interval}, p = {result.p_value:.4g}: "
        f"{_verdict(result)}"
    )
    test = f"{result.test}, {result.distribution}; {result.effect_name} {result.effect:.3g}"
    return "\n".join([finding, test, *result.notes])


# A margin makes it a test of equivalence.
def _verdict(result: Comparison) -> str:
    if result.margin is None:
        verdict = "different" if result.different else "not found different"
        return f"{verdict} at {result.alpha:g}"
    verdict = "equivalent" if result.equivalent else "not shown to be equivalent"
    return f"{verdict} within {result.margin:g} at {result.alpha:g}"


def summarize_comparison_result(result: ComparisonResult) -> str:
    """Describe who is better than whom, the omnibus test, the test, its reason and the notes."""
    lines = [_describe_pairs(result.pairs, result.alpha)]
    if isinstance(result.omnibus, Friedman):
        lines.append(f"all alike? {_describe_friedman(result.omnibus)}")
    elif result.omnibus is not None:
        lines.append(f"all alike? {_describe_skillings_mack(result.omnibus)}")
    return "\n".join([*lines, result.test, result.reason, *result.notes])


def summarize_pairwise(result: Pairwise) -> str:
    """Describe which pairs differ, then the test and what to know."""
    test = (
        f"pairwise test '{result.test}', adjustment '{result.adjust}' of {len(result.pairs)} p "
        "values"
    )
    return "\n".join([_describe_pairs(result.pairs, result.alpha), test, *result.notes])


def _describe_pairs(pairs: pd.DataFrame, alpha: float) -> str:
    """Return how many pairs differ, and the clearest of them by name."""
    # The smallest p values are named first.
    total = len(pairs)
    different = pairs[pairs["different"]].sort_values("adjusted", kind="stable")
    count = len(different)
    if total == 1 and not count:
        return f"the only pair is not found different at {alpha:g}"
    if not count:
        return f"none of the {total} pairs is found different at {alpha:g}"
    names = ", ".join(_describe_pair(row) for _, row in different.head(MAX_PAIRS).iterrows())
    if count > MAX_PAIRS:
        names += f" and {count - MAX_PAIRS} more"
    verb = "differs" if count == 1 else "differ"
    subject = f"{count} of the {total} pairs {verb}"
    if total == 1:
        subject = "the pair differs"
    return f"{subject} at {alpha:g}: {names}"


def _describe_pair(row: pd.Series) -> str:
    # An omnibus or two-sided result may name no better one.
    better = row.get("better")
    if not better:
        return f"'{row['first']}' and '{row['second']}' (p = {row['adjusted']:.3g})"
    worse = row["first"]
    if better == str(worse):
        worse = row["second"]
    return f"'{better}' is better than '{worse}' (p = {row['adjusted']:.3g})"


def summarize_friedman(result: Friedman) -> str:
    """Describe whether the classifiers differ as a whole, who is ahead, and what to know."""
    best = result.mean_ranks.sort_values(kind="stable")
    ahead = (
        f"the best mean ranks are {best.iloc[0]:.3g} ('{best.index[0]}') and {best.iloc[1]:.3g} "
        f"('{best.index[1]}')"
    )
    return "\n".join([f"all alike? {_describe_friedman(result)}; {ahead}", *result.notes])


def _describe_friedman(result: Friedman) -> str:
    """Return the deciding test in a few words."""
    row = result.tests.loc["Iman-Davenport (tie-corrected)"]
    distribution = str(row["distribution"])
    if distribution.startswith("F("):
        return f"Iman-Davenport {distribution} = {row['statistic']:.4g}, p = {row['p_value']:.4g}"
    chi2 = result.tests.loc["Friedman (tie-corrected)", "statistic"]
    return f"Friedman χ² = {chi2:.4g}, p = {row['p_value']:.4g} ({distribution})"


def summarize_skillings_mack(result: SkillingsMack) -> str:
    """Describe the test of "all are alike" and what is missing."""
    return "\n".join([f"all alike? {_describe_skillings_mack(result)}", *result.notes])


def _describe_skillings_mack(result: SkillingsMack) -> str:
    return (
        f"Skillings-Mack {result.statistic:.4g}, p = {result.p_value:.4g} ({result.distribution})"
    )


def summarize_anova(result: Anova) -> str:
    """Describe whether the means differ, which are the extremes, and what to know."""
    row = result.table.loc["between"]
    verdict = "differ" if row["p_value"] < result.alpha else "are not found to differ"
    df = result.table["df"]
    means = result.means.sort_values(kind="stable")
    finding = (
        f"the means of {len(means)} groups {verdict} at {result.alpha:g}: "
        f"F({df.iloc[0]}, {df.iloc[1]}) = {row['F']:.4g}, p = {row['p_value']:.4g}; "
        f"from {means.iloc[0]:.4g} ('{means.index[0]}') to {means.iloc[-1]:.4g} "
        f"('{means.index[-1]}'), {100 * result.eta_squared:.3g} % of the variance lies between them"
    )
    return "\n".join([finding, *result.notes])


def summarize_posterior(result: Posterior) -> str:
    """Describe the most probable outcome, then the test and what to know."""
    outcomes = {
        "the first is better": result.first_better,
        "the two are equivalent": result.equivalent,
        "the second is better": result.second_better,
    }
    sentence, probability = max(outcomes.items(), key=lambda item: item[1])
    finding = f"{sentence} with probability {probability:.3g} (ROPE ±{result.rope:g})"
    return "\n".join([finding, result.test, *result.notes])


def summarize_posteriors(result: Posteriors) -> str:
    """Describe the pairs with a verdict, then the test and what to know."""
    decided = result.pairs[result.pairs["verdict"] != ""]
    finding = (
        f"{len(decided)} of {len(result.pairs)} pairs decided with probability "
        f"{result.threshold:g} or more"
    )
    if len(decided):
        verdicts = [_describe_verdict(row) for _, row in decided.head(MAX_PAIRS).iterrows()]
        remainder = f" and {len(decided) - MAX_PAIRS} more" if len(decided) > MAX_PAIRS else ""
        finding += f": {', '.join(verdicts)}{remainder}"
    return "\n".join([finding, f"{result.test}, ROPE ±{result.rope:g}", *result.notes])


def _describe_verdict(row: pd.Series) -> str:
    first, second, verdict = row["first"], row["second"], row["verdict"]
    if verdict == "equivalent":
        return f"'{first}' and '{second}' are equivalent ({row['equivalent']:.3g})"
    if verdict == str(first):
        return f"'{first}' is better than '{second}' ({row['first_better']:.3g})"
    return f"'{second}' is better than '{first}' ({row['second_better']:.3g})"


def summarize_sample_size(result: SampleSize) -> str:
    """Describe the size of the test set and its power."""
    classes = ""
    if result.positives is not None:
        classes = f" ({result.positives} positive, {result.negatives} negative)"
    finding = f"{result.n} instances{classes} give a power of {result.power:.3f}: {result.test}"
    return "\n".join([finding, *result.notes])
