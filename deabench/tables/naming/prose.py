"""Find what the text around a table says of its columns: their direction, or their metric."""

from __future__ import annotations

import re
from collections.abc import Collection

from deabench.tables.naming.name_patterns import search_name
from deabench.tables.naming.parsing import parse_name
from deabench.tables.naming.vocabulary import RULES, column_pattern, look_up_metric
from deabench.utils.lazy import lazy_pattern

SENTENCES = {
    direction: lazy_pattern(
        rf"\b({words})\b((?P<subject>[^.\n]{{0,30}})\b(is|are)|,? the) better\b|{arrow}"
        rf"|\b({words}) (values?|scores?|numbers?) (indicates?|means?|represents?) better\b",
        re.IGNORECASE,
    )
    for direction, words, arrow in (
        ("higher", "higher|larger|greater", "↑"),
        ("lower", "lower|smaller|less", "↓"),
    )
}
"""What the text around a table says of its direction."""
_IS_BETTER = (
    r"(?:(?P<higher>higher|larger|greater|bigger)|(?P<lower>lower|smaller|less))"
    r"(?: values?| scores?)? (?:is|are) better"
)
_NAMED_METRICS = [
    lazy_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:for|both for) (?P<names>.{{1,120}}?),? {_IS_BETTER}",
        rf"{_IS_BETTER} (?:for|in) (?P<names>.{{1,120}})",
        rf"(?P<names>.{{1,40}}?) ?(?:: ?|\(|– |— |- ){_IS_BETTER}\)?",
        rf".*\((?P<names>[^(),]{{1,40}}), ?{_IS_BETTER}\)",
    )
]
"""Whole sentences that say of metrics which way is better."""
_SENTENCE_ENDS = lazy_pattern(r"[;\n]|\.(?=\s|$)|(?<=\bbetter)[*_]*\s+(?=[*_]*[A-Z])")
"""A line of its own may end without a stop."""
NUMBERS_ARE_ERRORS = lazy_pattern(
    r"\b(numbers?|values?|results?|figures?|entries|scores?)\b[^.\n|]{0,30}\b(are|is|shows?|give)\b"
    r"[^.\n|]{0,20}\berror rates?\b",
    re.IGNORECASE,
)
"""What the text says where columns that are called by data sets hold error rates."""
STATED_METRIC = lazy_pattern(r"^\W*metric\s*:\s*([^,;\n]+)$", re.IGNORECASE | re.MULTILINE)
"""A line of the text that names the one metric of a table: "Metric: word error rate"."""
ERRORS = lazy_pattern(r"\b(error|misclassification) rates?\b|\btop-?[15] errors?\b", re.IGNORECASE)
QUALITIES = lazy_pattern(r"\b(accurac(y|ies)|score|F1|recall|mAP|AUC)\b", re.IGNORECASE)
"""What the text around a table speaks of, where it says which of both its numbers are."""
METRIC_WORDS = {"higher": "higher_metric", "lower": "lower_metric", "cost": "spent_metric"}
"""The words of [columns] that are names of metrics wherever a text has them."""
_HARM = lazy_pattern(
    r"(?<!-)safe(ty)?(?![a-z-])|\b(jail_?break|harm(ful\w*|s)?\b|toxic|misconception)",
    re.IGNORECASE,
)
_NO_RATE = lazy_pattern(
    r"\bp.?val|significan|error|regret|rank|relative|normali[sz]|time|size|second", re.IGNORECASE
)
_BOLD_SENTENCE = lazy_pattern(r"[^.\n]*\b(?:bold|highlight)\w*[^.\n]*", re.IGNORECASE)
_BEST = lazy_pattern(
    r"\b(best|top|highest|lowest|smallest|fastest|optimal|winner\w*)\b", re.IGNORECASE
)
MAX_CAPTION_WORDS = 16
"""A longer paragraph above a table speaks of more than what the table holds."""
STATEMENTS = (
    r"\b(?:metrics?|measures?|criterion)\b[^.\n|]{0,30}?(?:\b(?:is|are|was|were|being)\b|:)"
    r"\s*(?P<phrase>[^.;\n|]{2,80})",
    r"\b(?:evaluated|measured|assessed|scored|compared|judged)\b[^.;\n|]{0,40}?"
    r"\b(?:by|using|with|in terms of|through)\b(?P<phrase>[^.;\n|]{2,60})",
    r"\bwe report\b(?P<phrase>[^.;\n|]{2,60})",
    r"\b(?:numbers|values|results|figures|entries|cells|scores)\b(?: \w+){0,3}? "
    r"(?:are|show|give|represent|denote|refer to)\b(?P<phrase>[^.;\n|]{2,60})",
    r"\bin terms of\b(?P<phrase>[^.;\n|]{2,60})",
    r"(?P<phrase>\b[A-Za-z][^.;:\n|]{2,40}?) (?:on|for|of|over)\b[^.;\n|]{1,80}"
    r"\b(?:is|are|was|were) (?:reported|shown|listed|provided|presented)\b",
)
"""Where a text names the metric of its table."""
_STATEMENT = lazy_pattern(
    "|".join(
        re.sub(r"\?P<phrase>", rf"?P<phrase_{k}>", words) for k, words in enumerate(STATEMENTS)
    ),
    re.IGNORECASE,
)


def speaks_of_bold(text: str) -> bool:
    """Return whether a text says that bold stands for anything but the best.

    Examples
    --------
    >>> speaks_of_bold("The worst are in bold."), speaks_of_bold("Best in bold.")
    (True, False)
    """
    return any(_BEST.search(match[0]) is None for match in _BOLD_SENTENCE.finditer(text))


def speaks_of_no_rate(text: str) -> bool:
    """Return whether a text speaks of what is measured on data sets beside rates of success.

    Examples
    --------
    >>> speaks_of_no_rate("p-values by data set"), speaks_of_no_rate("results by data set")
    (True, False)
    """
    return _NO_RATE.search(text) is not None or direction_of_words(text) in ("lower", "cost")


def speaks_of_harm(text: str) -> bool:
    """Return whether a text speaks of harm, whose rates are better low.

    Examples
    --------
    >>> speaks_of_harm("bangla_safe results"), speaks_of_harm("results")
    (True, False)
    """
    return _HARM.search(text) is not None


def states_directions(prose: str) -> list[str]:
    """Return the directions that the text around a table states."""
    return [direction for direction, words in SENTENCES.items() if words.search(prose)]


def speaks_of_errors(text: str) -> bool:
    """Return whether the text around a table speaks of error rates, and of no quality."""
    return ERRORS.search(text) is not None and QUALITIES.search(text) is None


def speaks_of_metric(prose: str, direction: str) -> bool:
    """Return whether each sentence that states a direction speaks of some metric, as of errors."""
    subjects = [match["subject"] or "" for match in SENTENCES[direction].finditer(prose)]
    meanings = [look_up_metric(subject) for subject in subjects]
    return all(meaning is not None and meaning.better != "neither" for meaning in meanings)


def direction_of_introduction(introduction: str, prose: str) -> str:
    """Return "higher", "lower" or "cost" where the text names the one metric of its table.

    The paragraph above a table names it as a heading does, if it is short; a longer text where it
    says what is measured.

    Parameters
    ----------
    introduction : str
        The paragraphs between the heading and the table, a line each.
    prose : str
        All the text around the tables of the document.

    Examples
    --------
    >>> direction_of_introduction("The CERs are:", ""), direction_of_introduction("Results:", "")
    ('lower', '')
    >>> direction_of_introduction("", "The evaluation metric is accuracy.")
    'higher'
    """
    paragraphs = [line for line in introduction.splitlines() if line.strip()]
    if paragraphs and parse_name(paragraphs[-1]).all_words.count("_") <= MAX_CAPTION_WORDS:
        direction = direction_of_words(paragraphs[-1])
        if direction:
            return direction
    for text in (introduction, prose):
        directions = {
            direction_of_words(phrase)
            for match in _STATEMENT.finditer(text)
            for phrase in match.groups()
            if phrase
        } - {"", "cost"}
        # A longer text also says how long the work took; and what it states of several metrics
        # speaks of several tables, or of several columns.
        if directions:
            return directions.pop() if len(directions) == 1 else ""
    return ""


def direction_of_statement(name: str, prose: str) -> str:
    """Return the direction of the metric that a sentence says a column holds; "" without one.

    Examples
    --------
    >>> direction_of_statement("Doppler", "Doppler values are RMSE in Hz. NLL is lower.")
    'lower'
    """
    if name not in prose:
        return ""
    statement = re.search(
        rf"(?<![\w-]){re.escape(name)} (?:values|scores|numbers|figures|column)?\s*"
        r"(?:is|are|shows?|holds?|denotes?|means|stands for) (?:the |an? |mean |average |median )*"
        r"(?P<metric>[\w-]+(?: [\w-]+)?)",
        prose,
    )
    return direction_of_words(statement["metric"]) if statement else ""


def directions_of_names(introduction: str, names: Collection[str]) -> dict[str, str]:
    """Return "higher" or "lower" by each name that a sentence above a table says it of.

    A sentence that says more than that, as "except" or both directions, decides nothing.

    Parameters
    ----------
    introduction : str
        The text between the heading and the table: further texts speak of other tables.
    names : collection of str
        The columns' names in lower case; a sentence has to name these alone.

    Examples
    --------
    >>> text = "For F1 higher is better; both for FAR (alarms) and MAR less is better"
    >>> directions_of_names(text, ["f1", "far", "mar"])
    {'f1': 'higher', 'far': 'lower', 'mar': 'lower'}
    >>> directions_of_names("Higher is better for F1, but not for FAR", ["f1", "far"])
    {}
    """
    directions: dict[str, set[str]] = {}
    for sentence in _SENTENCE_ENDS.split(introduction):
        sentence = sentence.strip(" *_-•")
        match = next(filter(None, (p.fullmatch(sentence) for p in _NAMED_METRICS)), None)
        if match is None:
            continue
        phrase = re.sub(r"\([^()]*\)", "", match["names"]).lower()
        parts = re.split(r",(?: and)?|&|\band\b|\bboth\b", phrase)
        named = list(filter(None, (part.strip(" *_`\"'") for part in parts)))
        if {*named} <= {*names}:
            direction = "higher" if match["higher"] else "lower"
            for name in named:
                directions.setdefault(name, set()).add(direction)
    # A text that says both of one name speaks of several tables.
    return {name: stated.pop() for name, stated in directions.items() if len(stated) == 1}


def direction_of_words(text: str) -> str:
    """Return "higher", "lower" or "cost" where a text names metrics of one direction; else "".

    Examples
    --------
    >>> direction_of_words("zero-shot accuracy"), direction_of_words("accuracy and error rate")
    ('higher', '')
    """
    words = parse_name(text).all_words
    directions = [
        direction
        for direction, kind in METRIC_WORDS.items()
        if search_name(column_pattern(kind), words)
    ]
    return directions[0] if len(directions) == 1 else ""


def speaks_of_amounts(text: str) -> bool:
    """Return whether a text, a heading or a file's name speaks of sizes, times, errors or use.

    Examples
    --------
    >>> speaks_of_amounts("Steps until solved"), speaks_of_amounts("Mean return")
    (True, False)
    """
    if direction_of_words(text) in ("lower", "cost"):
        return True
    words = parse_name(text).all_words
    return search_name(column_pattern("amount"), words) is not None or any(
        meaning.role in ("cost", "lower_rate") for *_, meaning in RULES.find_matches(words)
    )


def names_error_set(text: str) -> bool:
    """Return whether a text names data sets on which nothing but error rates is measured.

    Examples
    --------
    >>> names_error_set("Results on AISHELL-1"), names_error_set("Results on CoVoST2")
    (True, False)
    """
    return search_name(column_pattern("error_set"), parse_name(text).all_words) is not None
