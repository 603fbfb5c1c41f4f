r"""Match patterns with the words of a name, and compile only those that can match.

A vocabulary has thousands of words with regular expressions, and compiling one takes as long as a
hundred searches. A pattern whose alternatives all begin with a letter or a word can only match a
name that holds one of these beginnings, which is looked up first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_SYNTAX = re.compile(r"\\.|\[[^\]]*\]|[()|]")
_LOOKAROUNDS = ("(?=", "(?!", "(?<=", "(?<!")
_FREE_PREFIX = re.compile(r"(?:\\w[*+]|\(\\w\+_\)[?*]|\[[^\]]*\](?:\{\d+,?\d*\}|[*+?])?)+")
"""What a pattern may begin with in any name, as in "(\\w+_)?livestock"."""
_LITERAL = re.compile(r"\w*")


def is_literal(word: str) -> bool:
    """Return whether a word holds no regular expression, as most do."""
    return word.replace("_", "").isalnum()


@cache
def word_starts(word: str) -> tuple[str, ...]:
    r"""Return how a word begins, up to its first variable part: one start for each alternative.

    A name that contains none of them cannot match, so the word need not be searched in it.

    Examples
    --------
    >>> word_starts("acc"), word_starts("(top|best)_k"), word_starts(r"f\d"), word_starts("colou?r")
    (('_acc',), ('_top', '_best'), ('_f',), ('_colo',))
    """
    return tuple("_" + start for start in _literal_starts(word))


@cache
def pattern_starts(pattern: str) -> tuple[str, ...]:
    r"""Return how the alternatives of a pattern begin; every name that matches holds one of them.

    What may stand before in any name is passed over. "^" is the beginning of the name, and "" is
    in every name.

    Examples
    --------
    >>> pattern_starts(r"^_(top|best)_k|_f\d_"), pattern_starts(r"_(\w+_)?livestock_")
    (('^_top', '^_best', '_f'), ('livestock_',))
    """
    starts: list[str] = []
    for alternative in _split_alternatives(pattern):
        anchor = "^" if alternative.startswith("^_") else ""
        # What must stand before or behind a border is no part of the word.
        beginning = _without_lookarounds(alternative.removeprefix("^"))
        border = "_" if beginning.startswith("_") else ""
        word = _without_lookarounds(beginning.removeprefix("_"))
        prefix = _FREE_PREFIX.match(word)
        if prefix is not None:
            # Other words may stand between the border and what the name must hold.
            anchor = border = ""
            word = word[prefix.end() :]
        starts += [anchor + border + start for start in _literal_starts(word)]
    return tuple(starts)


def may_match(pattern: str, name_words: str) -> bool:
    """Return whether the words of a name hold how one of the alternatives of a pattern begins.

    Examples
    --------
    >>> may_match("^_(top|best)_k", "_top_5_"), may_match("^_(top|best)_k", "_at_top_k_")
    (True, False)
    """
    anchored, free = _split_starts(pattern)
    return name_words.startswith(anchored) or any(start in name_words for start in free)


def search_name(pattern: str, name_words: str) -> re.Match[str] | None:
    """Return the first match of a pattern in the words of a name, as `re.search` does."""
    return _compile(pattern).search(name_words) if may_match(pattern, name_words) else None


def match_name_start(pattern: str, name_words: str) -> re.Match[str] | None:
    """Return the match of a pattern with the first words of a name, as `re.match` does."""
    return _compile(pattern).match(name_words) if may_match("^" + pattern, name_words) else None


def match_whole_name(pattern: str, name_words: str) -> re.Match[str] | None:
    """Return the match of a pattern with all words of a name, as `re.fullmatch` does."""
    return _compile(pattern).fullmatch(name_words) if may_match("^" + pattern, name_words) else None


def find_in_name(pattern: str, name_words: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern in the words of a name, as `re.finditer` does."""
    if may_match(pattern, name_words):
        yield from _compile(pattern).finditer(name_words)


@cache
def _split_starts(pattern: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return how a pattern begins at the beginning of a name, and how it begins anywhere."""
    starts = pattern_starts(pattern)
    anchored = tuple(start[1:] for start in starts if start.startswith("^"))
    return anchored, tuple(start for start in starts if not start.startswith("^"))


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    # The cache of `re` has room for 512 patterns, and a vocabulary has more.
    return re.compile(pattern)


def _split_alternatives(pattern: str) -> list[str]:
    """Return the alternatives of a pattern that stand in no group."""
    if "|" not in pattern:
        return [pattern]
    alternatives = []
    first = depth = 0
    for sign in _SYNTAX.finditer(pattern):
        if sign[0] == "(":
            depth += 1
        elif sign[0] == ")":
            depth -= 1
        elif sign[0] == "|" and depth == 0:
            alternatives.append(pattern[first : sign.start()])
            first = sign.end()
    return [*alternatives, pattern[first:]]


def _split_group(word: str) -> tuple[str, str]:
    """Return the group that a pattern begins with, without its brackets, and the rest."""
    depth = 0
    for sign in _SYNTAX.finditer(word):
        if sign[0] == "(":
            depth += 1
        elif sign[0] == ")":
            depth -= 1
            if depth == 0:
                return word[1 : sign.start()], word[sign.end() :]
    raise ValueError(f"the group at the beginning of {word!r} has no end")


def _without_lookarounds(word: str) -> str:
    while word.startswith(_LOOKAROUNDS):
        word = _split_group(word)[1]
    return word


def _literal_starts(word: str) -> list[str]:
    """Return the literal beginnings of a regular expression, one for each alternative."""
    if is_literal(word):
        return [word]
    word = _without_lookarounds(word)
    if not word.startswith("("):
        literal = _LITERAL.match(word)[0]  # type: ignore[index]  # it matches nothing, too
        # The first letter may be missing, as in "m?pve".
        if len(literal) == 1 and word[1:2] == "?":
            following = _literal_starts(word[2:])
            return [*(literal + start for start in following), *following]
        # The last letter may be missing or repeated.
        is_variable = word[len(literal) : len(literal) + 1] in ("?", "*", "{")
        return [literal[:-1] if is_variable and literal else literal]
    group, suffix = _split_group(word)
    group = group.removeprefix("?:")
    if group.startswith("?") or suffix.startswith("{"):
        return [""]
    starts = []
    for alternative in _split_alternatives(group):
        starts += _literal_starts(alternative)
    if suffix.startswith(("?", "*")):
        starts += _literal_starts(suffix[1:])
    return starts
