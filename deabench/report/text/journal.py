"""Write results as the paragraph of a paper: test, statistic, p, effect size, what was adjusted."""

from __future__ import annotations

import re
from functools import singledispatch
from itertools import chain, zip_longest
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from deabench import __version__
from deabench.compare.adjustment import describe_family, name_author
from deabench.compare.friedman import Friedman
from deabench.compare.omnibus import SkillingsMack
from deabench.compare.pairwise import TITLES, Pairwise, lead_with
from deabench.compare.selection import ComparisonResult
from deabench.compare.two_classifiers import Comparison
from deabench.models.options import describe_choices
from deabench.report.latex import escape_latex
from deabench.report.text.uncertainty import has_measured_level
from deabench.report.text.words import count_noun, join_names
from deabench.results.ranking import Ranking
from deabench.utils.checks import choice
from deabench.utils.text import escape_markdown

TextFormat = Literal["plain", "md", "latex"]
ITALIC, UPRIGHT = "\ue000", "\ue001"
"""Marks of a letter that stands for a number: private characters, that no text prints."""
LATEX_SYMBOLS = {"χ²": r"\chi^2"}
"""Signs that LaTeX knows by names alone."""
MAX_PAIRS = 6
"""Pairs that a paragraph reports in full; the rest are counted."""
WORDS = ("negligible", "small", "medium", "large")
MAGNITUDES = {
    # Vargha and Delaney (2000), as distances from one half.
    "share of wins": (0.06, 0.14, 0.21),
    # Cohen (1988).
    "Kendall's W": (0.1, 0.3, 0.5),
    "rank-biserial correlation": (0.1, 0.3, 0.5),
    "Cohen's d_z": (0.2, 0.5, 0.8),
    "Cohen's h": (0.2, 0.5, 0.8),
}
"""From where on an effect is called small, medium and large."""


def write_paragraph(result: Any, form: TextFormat = "plain") -> str:
    """Write a result as the paragraph of a paper; see `Result.report`."""
    choice("form", form, get_args(TextFormat))
    text = " ".join(_sentences(result))
    if form == "plain":
        return text.replace(ITALIC, "").replace(UPRIGHT, "")
    escape, before, after = escape_markdown, "*", "*"
    if form == "latex":
        escape, before, after = escape_latex, "$", "$"
    return _render(text, escape, before, after)


def _render(text: str, escape: Any, before: str, after: str) -> str:
    """Escape a text and set off its letters for numbers."""
    # Every second piece is such a letter; the marks around anything else are part of a name.
    pieces = re.split(f"{ITALIC}(p|A|W|F|χ²){UPRIGHT}", text)
    words = [_escape_words(piece, escape) for piece in pieces[::2]]
    symbols = LATEX_SYMBOLS if before == "$" else {}
    letters = [f"{before}{symbols.get(letter, letter)}{after}" for letter in pieces[1::2]]
    return "".join(chain.from_iterable(zip_longest(words, letters, fillvalue="")))


def _escape_words(text: str, escape: Any) -> str:
    """Escape a part of a line, whose spaces at both ends stay."""
    stripped = text.strip(" ")
    if not stripped:
        return text
    start = text[: len(text) - len(text.lstrip(" "))]
    end = text[len(text.rstrip(" ")) :]
    return f"{start}{escape(stripped)}{end}"


@singledispatch
def _sentences(result: Any) -> list[str]:
    raise TypeError(f"{type(result).__name__} has no paragraph")


@_sentences.register
def _comparison(result: Comparison) -> list[str]:
    """Report one test of two classifiers."""
    interval = ""
    if result.lower == result.lower:  # a test without an interval has NaN
        interval = f", {_interval(result.lower, result.upper, result.alpha)}"
    verb = "differed" if result.different else "did not differ significantly"
    if result.margin is not None:
        shown = "were equivalent" if result.equivalent else "were not shown to be equivalent"
        verb = f"{shown} within {result.margin:g}"
    size = _magnitude(result.effect_name, result.effect)
    statistic = f"{result.distribution}, statistic {result.statistic:.4g}"
    return [
        f"By {_with_article(result.test)} the two systems {verb} ({statistic}, "
        f"{_p_value(result.p_value)}).",
        f"The first minus the second was {result.difference:.4g}{interval}; "
        f"{result.effect_name} = {_number(result.effect)}{size}.",
    ]


@_sentences.register
def _pairwise(result: Pairwise) -> list[str]:
    """Report tests of all pairs without a test of the whole."""
    return _pairs_sentences(result, TITLES[result.test])


@_sentences.register
def _comparison_result(result: ComparisonResult) -> list[str]:
    """Report the test of the whole, and then the pairs."""
    sentences = []
    names = list(result.mean_ranks.index)
    if isinstance(result.omnibus, Friedman):
        sentences.append(_friedman_sentence(result.omnibus, result.alpha, result.unit))
    elif isinstance(result.omnibus, SkillingsMack):
        omnibus = result.omnibus
        finds = "found" if omnibus.p_value < result.alpha else "did not find"
        sentences.append(
            f"The test of Skillings and Mack, which allows for missing scores, {finds} differences "
            f"among the {len(names)} systems ({omnibus.distribution}, statistic "
            f"{omnibus.statistic:.4g}, {_p_value(omnibus.p_value)})."
        )
    # The test's name ends with the family of comparisons, and begins with the test of the whole.
    title = result.test.removesuffix(
        describe_family(result.control, result.adjust, len(result.pairs))
    )
    title = title.rpartition("then ")[2]
    return [*sentences, *_pairs_sentences(result, title)]


def _friedman_sentence(omnibus: Friedman, alpha: float, unit: str = "data set") -> str:
    count, k = omnibus.ranks.shape
    row = omnibus.tests.loc["Iman-Davenport (tie-corrected)"]
    chi2 = float(omnibus.tests.loc["Friedman (tie-corrected)", "statistic"])
    distribution = str(row["distribution"])
    statistic = f"{_symbol('χ²')} = {chi2:.4g}, {distribution}"
    if distribution.startswith("F("):
        statistic = f"{_symbol('F')}{distribution[1:]} = {row['statistic']:.4g}"
    # Kendall's coefficient of concordance: 1 if all data sets rank the classifiers alike.
    concordance = chi2 / (count * (k - 1))
    size = _magnitude("Kendall's W", concordance)
    finds = "found" if omnibus.p_value < alpha else "did not find"
    ranks = omnibus.mean_ranks.sort_values(kind="stable")
    listed = join_names(f"{name} {value:.2f}" for name, value in ranks.items())
    return (
        f"Friedman's test with Iman and Davenport's correction {finds} differences among the {k} "
        f"systems over {count} {unit}s ({statistic}, {_p_value(omnibus.p_value)}, Kendall's "
        f"{_symbol('W')} = {_number(concordance)}{size}; mean ranks: {listed})."
    )


def _pairs_sentences(result: ComparisonResult | Pairwise, title: str) -> list[str]:
    """Report which pairs differ, each with its effect and interval."""
    pairs = result.pairs
    # Which comparisons were made, and how their p values were adjusted.
    family = f"all {len(pairs)} pairs"
    if result.control is not None:
        family = f"{count_noun(len(pairs), 'comparison')} with {result.control}"
    if len(pairs) == 1:
        sentences = [f"The two were compared by {_with_article(title)}."]
    else:
        sentences = [
            f"For {family} {_symbol('p')} values of {_with_article(title)} were adjusted by "
            f"{name_author(result.adjust)} procedure (family-wise level {_number(result.alpha)})."
        ]
    # The clearest differences, each with its effect; the others are counted.
    different = pairs[pairs["different"]].sort_values("adjusted", kind="stable")
    if different.empty:
        smallest = pairs["adjusted"].min()
        subject = "The difference was not" if len(pairs) == 1 else "No difference was"
        text = f"{subject} significant (smallest adjusted {_p_value(smallest)})."
        if isinstance(result, ComparisonResult) and smallest < result.alpha:
            text = "As the test of the whole did not reject, no pair is called different."
        return [*sentences, text]
    for _, row in _lead_with_better(different.head(MAX_PAIRS)).iterrows():
        sentences.append(_pair_sentence(row, result.alpha, getattr(result, "unit", "data set")))
    if len(different) > MAX_PAIRS:
        sentences.append(f"{len(different) - MAX_PAIRS} further pairs differed.")
    remaining = len(pairs) - len(different)
    if remaining:
        verb = "was" if remaining == 1 else "were"
        sentences.append(f"{remaining} of the {len(pairs)} differences {verb} not significant.")
    return sentences


def _lead_with_better(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs with the better classifier of each as the first."""
    if "better" in pairs:
        return lead_with(pairs, pairs["better"].astype(str))
    # Tests of pairs alone do not know which scores are good: who wins more often does.
    return lead_with(pairs, pairs["first"].where(pairs["wins"] >= pairs["losses"], pairs["second"]))


def _pair_sentence(row: pd.Series, alpha: float, unit: str) -> str:
    """Report one pair, the better one first: p, and an effect with its interval."""
    # NaN equals nothing, not even itself.
    if row.get("lower", np.nan) == row.get("lower", np.nan):
        limits = _interval(row["lower"], row["upper"], alpha)
        effect = f"difference {row['difference']:.3g}, {limits}"
    else:
        # The share of data sets on which the better one wins, a tie counting half.
        count = row["wins"] + row["ties"] + row["losses"]
        share = (row["wins"] + row["ties"] / 2) / count
        lower, upper = proportion_confint(share * count, count, alpha=alpha, method="wilson")
        size = _magnitude("share of wins", abs(share - 0.5))
        effect = (
            f"better on {row['wins']:g}, tied on {row['ties']:g}, worse on {row['losses']:g} of "
            f"{count:g} {unit}s, {_symbol('A')} = {_number(share)}{size}, "
            f"{_interval(lower, upper, alpha, bounded=True)}"
        )
    return (
        f"{row['first']} was better than {row['second']} (adjusted {_p_value(row['adjusted'])}; "
        f"{effect})."
    )


@_sentences.register
def _ranking(ranking: Ranking) -> list[str]:
    """Report a ranking: model, metrics, who is efficient, how far the others are, how sure."""
    scores = ranking.scores.dropna()
    data = ranking.data
    outputs = join_names(data.outputs.columns)
    inputs = (
        f" and the inputs {join_names(data.inputs.columns)}" if len(data.inputs.columns) else ""
    )
    options = "".join(f", {words}" for words in describe_choices(ranking.options))
    sentences = [
        f"{len(ranking.scores)} systems were compared by data envelopment analysis (model "
        f"{ranking.options.name} {ranking.options.equation}{options}) with the outputs "
        f"{outputs}{inputs}, computed by deabench {__version__} with HiGHS."
    ]
    # Who is efficient, and how far the others are from it.
    efficient = ranking.efficient[ranking.efficient].index
    verb = "was" if len(efficient) == 1 else "were"
    names = f" ({join_names(efficient)})" if len(efficient) else ""
    sentences.append(f"{len(efficient)} of {len(ranking.scores)} {verb} efficient{names}.")
    inefficient = scores[~ranking.efficient.loc[scores.index]].sort_values(kind="stable")
    if len(inefficient):
        texts = [f"{score:.4f} ({name})" for name, score in inefficient.items()]
        spread = f"was {texts[0]}"
        if len(texts) > 1:
            spread = f"ranged from {texts[0]} to {texts[-1]}"
        sentences.append(f"The {ranking.measure} of the others {spread}.")
    if len(scores) < len(ranking.scores):
        sentences.append(f"{len(ranking.scores) - len(scores)} could not be scored.")
    if ranking.uncertainty is not None:
        sentences += _uncertainty_sentences(ranking)
    return sentences


def _uncertainty_sentences(ranking: Ranking) -> list[str]:
    """Report the verdicts of a ranking's samples."""
    uncertainty = ranking.uncertainty
    frame = uncertainty.to_frame()
    shown = [
        f"{join_names(names)} {word}"
        for word in ("efficient", "dominated")
        if len(names := frame.index[frame["verdict"] == word])
    ]
    undecided = int((frame["verdict"] == "undecided").sum())
    level = f"{100 * uncertainty.level:g} %"
    text = f"No verdict was reached at {level}"
    if shown:
        text = f"At {level} for all verdicts together, {' and '.join(shown)} was shown"
    if shown and undecided:
        text += f"; {undecided} of {len(frame)} were undecided"
    limits = join_names(
        f"{name} {row['lower']:.3f} to {row['upper']:.3f}" for name, row in frame.iterrows()
    )
    sentences = [f"{text}.", f"Limits of the efficiencies: {limits}."]
    if has_measured_level(uncertainty):
        sentences.append(f"The level of dominated ones is {uncertainty.validity}.")
    return sentences


def _symbol(letter: str) -> str:
    """Mark a letter that stands for a number."""
    return f"{ITALIC}{letter}{UPRIGHT}"


def _p_value(value: float) -> str:
    """Return p as journals print it, without the zero before the point."""
    if value < 0.001:
        return f"{_symbol('p')} < .001"
    return f"{_symbol('p')} = {_number(value, 3)}"


def _number(value: float, decimals: int = 2) -> str:
    """Return a number that cannot exceed 1 in size without its zero before the point."""
    text = f"{value:z.{decimals}f}"
    if abs(float(text)) >= 1:
        return text
    return text.replace("0.", ".", 1)


def _interval(low: float, high: float, alpha: float, *, bounded: bool = False) -> str:
    limits = f"{_number(low)}, {_number(high)}" if bounded else f"{low:.3g}, {high:.3g}"
    return f"{100 * (1 - alpha):g} % CI [{limits}]"


def _magnitude(name: str, effect: float) -> str:
    """Return a word for the size of an effect that has conventions, else nothing."""
    if name not in MAGNITUDES or effect != effect:
        return ""
    size = sum(abs(effect) >= bound for bound in MAGNITUDES[name])
    return f" ({WORDS[size]})"


def _with_article(title: str) -> str:
    """Return a test's name within a sentence: a possessive one takes no article."""
    head = title.partition(" ")[0]
    return title if head.endswith("'s") else f"the {title}"
