"""Rules of names: a pattern of words and what they mean, found by how the words begin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from deabench.tables.naming.meaning import MEANING_KINDS, Meaning


@dataclass(frozen=True)
class Rule:
    """A pattern of names and what they mean; `starts` are how the words of the pattern begin."""

    pattern: str
    starts: tuple[str, ...]
    meaning: Meaning


def join_pattern(word_list: str) -> str:
    """Return the pattern of words that are separated by blanks, the longest first."""
    return "_(" + "|".join(sorted(word_list.split(), key=len, reverse=True)) + ")(?=_)"


def word_starts(words: str) -> tuple[str, ...]:
    r"""Return how some words that are separated by blanks begin, up to their first variable part.

    A name that contains none of them cannot match, so the pattern need not be searched in it.

    Examples
    --------
    >>> word_starts(r"acc (top|best)_k f\d colou?r")
    ('_acc', '_top', '_best', '_f', '_colo')
    """
    return tuple("_" + start for word in words.split() for start in _literal_starts(word))


def _literal_starts(word: str) -> list[str]:
    """Return the literal beginnings of a regular expression, one for each alternative."""
    # Most words hold no regular expression, and are their own beginning.
    if word.replace("_", "").isalnum():
        return [word]
    # What must stand before a word is no part of it.
    word = re.sub(r"^\(\?<[=!][^()]*\)", "", word)
    group = re.match(r"\((?!\?[=!<])(?:\?:)?((?:[^()]|\([^()]*\))*)\)", word)
    if group is None:
        literal = re.match(r"\w*", word)[0]  # type: ignore[index]  # it matches nothing, too
        # The last letter may be missing or repeated.
        is_variable = word[len(literal) : len(literal) + 1] in ("?", "*", "{")
        return [literal[:-1] if is_variable and literal else literal]
    rest = word[group.end() :]
    starts = []
    for alternative in re.split(r"\|(?![^()]*\))", group[1]):
        starts += _literal_starts(alternative)
    if rest[:1] in ("?", "*"):
        starts += _literal_starts(rest[1:])
    return starts


class RuleBook(tuple[Rule, ...]):
    """Rules, with an index of how their words begin: few of hundreds can match a name."""

    @cached_property
    def _by_start(self) -> dict[str, list[int]]:
        by_start: dict[str, list[int]] = {}
        for k, rule in enumerate(self):
            for start in rule.starts:
                by_start.setdefault(start, []).append(k)
        return by_start

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(start) for start in self._by_start} - {0})

    def candidates(self, name_words: str) -> list[Rule]:
        """Return the rules of which a name holds the beginning of a word, in their order."""
        positions = set(self._by_start.get("", ()))
        # Words begin with "_", so that only these places of a name have to be looked at.
        for place in range(len(name_words)):
            if name_words[place] == "_":
                for length in self._lengths:
                    positions.update(self._by_start.get(name_words[place : place + length], ()))
        return [self[k] for k in sorted(positions)]

    def match_start(self, words: str, following: str = "") -> Meaning | None:
        """Return the meaning of the longest rule that matches the beginning of some words.

        Parameters
        ----------
        following : str
            A pattern of what has to follow the match; "_$" is the end of the words.
        """
        longest = 0
        meaning = None
        for rule in self.candidates(words):
            match = re.match(rule.pattern + following, words)
            if match is not None and match.end() > longest:
                longest = match.end()
                meaning = rule.meaning
        return meaning


def entry_pattern(entry: Mapping[str, Any]) -> str:
    """Return the pattern of an entry of vocabulary.toml."""
    return join_pattern(entry["words"]) if "words" in entry else str(entry["pattern"])


def read_meaning(entry: Mapping[str, Any]) -> Meaning:
    """Return what an entry of vocabulary.toml means.

    Raises
    ------
    ValueError
        If its kind is not one of `MEANING_KINDS`.
    """
    names = ("role", "unit", "low", "high", "reason", "kind", "undesirable", "production")
    fields = {name: entry[name] for name in names if name in entry}
    if fields["kind"] not in MEANING_KINDS:
        raise ValueError(f"vocabulary.toml has an entry of the unknown kind {fields['kind']!r}")
    return Meaning(**({"role": "left_out"} | fields))


def read_rules(entries: Sequence[Mapping[str, Any]]) -> RuleBook:
    """Return the rules of some entries of vocabulary.toml, in their order."""
    rules = []
    for entry in entries:
        pattern = entry_pattern(entry)
        starts = word_starts(entry["words"]) if "words" in entry else ("",)
        rules.append(Rule(pattern, starts, read_meaning(entry)))
    return RuleBook(rules)
