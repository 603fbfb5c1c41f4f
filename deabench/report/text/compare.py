"""Sentences about the results of `deabench.compare`."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from deabench.compare.bayes import Posterior, Posteriors
from deabench.compare.friedman import Friedman
from deabench.compare.omnibus import Anova, SkillingsMack
from deabench.compare.pairwise import Pairwise, lead_with
from deabench.compare.sample_size import SampleSize
from deabench.compare.selection import ComparisonResult
from deabench.compare.two_classifiers import Comparison
from deabench.report.text.words import (
    column_decimals,
    count_noun,
    format_number,
    is_or_are,
    join_names,
)

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


@dataclass(frozen=True)
class LeaderFigures:
    """What is said of the best system of one metric over data sets, folds or instances.

    Attributes
    ----------
    metric : str
    unit : str
        "data set", "fold" or "instance".
    rows : int
        The number of units.
    test : ComparisonResult
    means : Series
        The metric of each system over all units, the leader first.
    regret : float
        The mean loss against the best system of each unit; NaN where units have no metric.
    """

    metric: str
    unit: str
    rows: int
    test: ComparisonResult
    means: pd.Series
    regret: float

    def pairs_with(self, leader: str) -> pd.DataFrame:
        """Return the pairs of the leader by the other system: how often better, p, verdict."""
        pairs = self.test.pairs
        is_leaders = (pairs[["first", "second"]].astype(str) == leader).any(axis=1)
        pairs = lead_with(pairs[is_leaders], [leader] * int(is_leaders.sum()))
        frame = pd.DataFrame(index=pairs["second"].astype(str).rename(None))
        columns = {
            "losses": "better on",
            "ties": "equal on",
            "wins": "worse on",
            "lower": "difference from",
            "upper": "difference to",
        }
        for name, title in columns.items():
            if name in pairs:
                frame[title] = pairs[name].to_numpy()
        frame["p (adjusted)"] = pairs["adjusted"].to_numpy()
        frame["verdict"] = [
            "worse" if str(row["better"]) == leader else "better" if row["different"] else "open"
            for _, row in pairs.iterrows()
        ]
        return frame


def recommend_leader(figures: LeaderFigures) -> list[str]:
    """Say which system to take, what would change that, how sure it is and what it costs."""
    leader = str(figures.means.index[0])
    pairs = figures.pairs_with(leader).loc[[str(name) for name in figures.means.index[1:]]]
    decimals = column_decimals(figures.means.tolist())
    value = format_number(float(figures.means.iloc[0]), decimals)
    units = count_noun(figures.rows, figures.unit)
    reason = f"it has the best {figures.metric} over {units}, {value}"
    if figures.test.omnibus is not None:
        ranks = figures.test.mean_ranks
        rank = float(ranks.rename(index=str)[leader])
        reason = f"it has the best mean rank in {figures.metric} over {units}, {rank:.2f}"
        reason += f" of {len(ranks)}"
    sentences = [f"Take {leader}: {reason}; {_describe_certainty(pairs, figures.test.alpha)}."]
    return [*sentences, *_describe_rival(figures, pairs, decimals), *_describe_regret(figures)]


def _describe_certainty(pairs: pd.DataFrame, alpha: float) -> str:
    """Say of whom it is shown that they are worse than the leader, and of whom not."""
    worse = list(pairs.index[pairs["verdict"] == "worse"])
    level = f"{100 * (1 - alpha):g} %"
    if not worse:
        return f"at {level} no other is shown to be worse"
    if len(worse) == len(pairs):
        return f"at {level} every other is shown to be worse"
    undecided = [name for name in pairs.index if name not in worse]
    return (
        f"at {level} {join_names(worse, MAX_PAIRS)} {is_or_are(len(worse))} shown to be worse, "
        f"{join_names(undecided, MAX_PAIRS)} {is_or_are(len(undecided))} not"
    )


def _describe_rival(figures: LeaderFigures, pairs: pd.DataFrame, decimals: int) -> list[str]:
    """Say what speaks for the next system: where it is better, and by how much it differs."""
    if pairs.empty:
        return []
    leader = str(figures.means.index[0])
    rival = str(pairs.index[0])
    row = pairs.iloc[0]
    values = [format_number(float(figures.means[name]), decimals) for name in (leader, rival)]
    mean = "a mean " if figures.unit != "instance" else ""
    sentence = (
        f"{leader} has {mean}{figures.metric} of {values[0]} and the next, {rival}, {values[1]}"
    )
    if "difference from" in pairs:
        limits = f"{row['difference from']:.2g} to {row['difference to']:.2g}"
        sentence += f"; {leader} is ahead by {limits}"
    sentence += f" (p = {row['p (adjusted)']:.2g})."
    if "worse on" not in pairs:
        return [sentence]
    total = int(row[["better on", "equal on", "worse on"]].sum())
    change = f"{rival} is better on {row['better on']:g} of {total} {figures.unit}s"
    if figures.unit == "data set":
        change += f": where yours are like those, take {rival}"
    return [sentence, f"What would change that: {change}."]


def _describe_regret(figures: LeaderFigures) -> list[str]:
    """Say what is lost by taking one system everywhere."""
    if figures.regret != figures.regret or figures.unit != "data set":
        return []
    leader = figures.means.index[0]
    return [
        f"What it costs: against the best system of each {figures.unit} {leader} loses "
        f"{figures.regret:.3g} of {figures.metric} on average."
    ]
