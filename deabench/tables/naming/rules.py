"""Rules of names: a pattern of words and what they mean, found by how the words begin."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from deabench.tables.naming.meaning import MEANING_KINDS, AskedRoles, Meaning
from deabench.tables.naming.name_patterns import (
    is_literal,
    match_whole_name,
    may_match,
    word_starts,
)


@dataclass(frozen=True)
class Rule:
    """A pattern of names and what they mean.

    Attributes
    ----------
    pattern : str
    words : tuple of str
        The words that the pattern joins, the first one that matches counts; empty where it is no
        list of words.
    meaning : Meaning
    """

    pattern: str
    words: tuple[str, ...]
    meaning: Meaning

    @property
    def starts(self) -> tuple[str, ...]:
        """How the words begin; a pattern that is no list of words may begin in any way."""
        return tuple(start for word in self.words for start in word_starts(word)) or ("",)


def split_words(word_list: str) -> list[str]:
    """Return words that are separated by blanks, the longest first."""
    return sorted(word_list.split(), key=len, reverse=True)


def join_pattern(word_list: str) -> str:
    """Return the pattern of words that are separated by blanks, the longest first."""
    return "_(" + "|".join(split_words(word_list)) + ")(?=_)"


@cache
def _compile_word(word: str, following: str) -> re.Pattern[str]:
    return re.compile(f"_(?:{word})(?=_){following}")


def _match_word(word: str, name_words: str, position: int, following: str) -> int:
    """Return the end of a word, and of what follows it, at a position of a name; -1 without it."""
    if not is_literal(word):
        if not may_match("_" + word, name_words):
            return -1
        match = _compile_word(word, following).match(name_words, position)
        return -1 if match is None else match.end()
    # A word without a regular expression is compared, which needs no pattern.
    if not name_words.startswith(f"_{word}_", position):
        return -1
    end = position + 1 + len(word)
    if not following:
        return end
    match = re.compile(following).match(name_words, end)
    return -1 if match is None else match.end()


class RuleBook(tuple[Rule, ...]):
    """Rules, with an index of how their words begin: few of thousands can match a name."""

    @cached_property
    def _by_start(self) -> dict[str, list[tuple[int, int]]]:
        """The numbers of rules and of their words by how the words begin."""
        by_start: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for k, rule in enumerate(self):
            for j, word in enumerate(rule.words):
                # Of thousands of words most are their own beginning.
                if is_literal(word):
                    by_start["_" + word].append((k, j))
                    continue
                for start in word_starts(word):
                    by_start[start].append((k, j))
        return by_start

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(start) for start in self._by_start})

    @cached_property
    def _without_words(self) -> list[int]:
        """The rules whose patterns are no lists of words, and may begin in any way."""
        return [k for k, rule in enumerate(self) if not rule.words]

    def _find_candidates(
        self, name_words: str, *, at_start: bool = False
    ) -> dict[int, list[tuple[int, int]]]:
        """Return {rule: places of a name where a word may begin, and the word's number}."""
        candidates: dict[int, list[tuple[int, int]]] = {k: [] for k in self._without_words}
        # Words begin with "_", so that only these places of a name have to be looked at.
        places = [0] if at_start else [k for k, sign in enumerate(name_words) if sign == "_"]
        for position in places:
            for length in self._lengths:
                if position + length >= len(name_words):
                    break
                start = name_words[position : position + length]
                for k, j in self._by_start.get(start, ()):
                    candidates.setdefault(k, []).append((position, j))
        return candidates

    def find_matches(
        self,
        name_words: str,
        following: str = "",
        *,
        at_start: bool = False,
        roles: AskedRoles = None,
    ) -> Iterator[tuple[int, int, Meaning]]:
        """Yield where words of rules stand in a name: start, end and meaning, rule by rule.

        These are the matches of the rules' patterns, but only words whose beginning the name holds
        are compiled.

        Parameters
        ----------
        following : str
            A pattern of what has to follow a word; "_$" is the end of the name.
        at_start : bool
            Whether words have to begin where the name begins.
        roles : frozenset of str, optional
            The roles of the rules that are asked; all rules without it.
        """
        candidates = self._find_candidates(name_words, at_start=at_start)
        for k in sorted(candidates):
            rule = self[k]
            if roles is not None and rule.meaning.role not in roles:
                continue
            if not rule.words:
                for match in re.finditer(rule.pattern + following, name_words):
                    if match.start() == 0 or not at_start:
                        yield match.start(), match.end(), rule.meaning
            # Words of a rule do not overlap: from the left, the first in its order counts.
            last_end = 0
            for position, j in sorted(candidates[k]):
                if position < last_end:
                    continue
                end = _match_word(rule.words[j], name_words, position, following)
                if end >= 0:
                    yield position, end, rule.meaning
                    last_end = end

    def match_start(
        self, words: str, following: str = "", roles: AskedRoles = None
    ) -> Meaning | None:
        """Return the meaning of the longest rule that matches the beginning of some words.

        Parameters
        ----------
        following : str
            A pattern of what has to follow the match; "_$" is the end of the words.
        roles : frozenset of str, optional
            The roles of the rules that are asked; all rules without it.
        """
        longest = 0
        meaning = None
        matches = self.find_matches(words, following, at_start=True, roles=roles)
        for _, end, rule_meaning in matches:
            if end > longest:
                longest = end
                meaning = rule_meaning
        return meaning


class WordList:
    """Words of which one has to be a whole name."""

    def __init__(self, word_list: str) -> None:
        self._words = word_list.split()

    @cached_property
    def _literal_words(self) -> frozenset[str]:
        return frozenset(filter(is_literal, self._words))

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        """The pattern of the words that hold a regular expression, if any does."""
        patterns = [word for word in self._words if not is_literal(word)]
        return re.compile(f"_(?:{'|'.join(patterns)})_") if patterns else None

    def holds(self, name_words: str) -> bool:
        """Return whether the words of a name are one of the list."""
        if name_words[1:-1] in self._literal_words:
            return True
        return self._pattern is not None and self._pattern.fullmatch(name_words) is not None


@dataclass(frozen=True)
class PairedWord:
    """What a name means beside another name, as X1 beside Y1; patterns of both names."""

    name: str
    other: str
    meaning: Meaning

    def has_name(self, name_words: str) -> bool:
        """Return whether the words of a name may be the first of the pair."""
        return match_whole_name(self.name, name_words) is not None


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
    defaults: dict[str, Any] = {"role": "left_out"}
    if fields.get("unit") == "share":
        defaults |= {"low": 0.0, "high": 1.0}
    return Meaning(**(defaults | fields))


def read_rules(entries: Sequence[Mapping[str, Any]]) -> RuleBook:
    """Return the rules of some entries of vocabulary.toml, in their order."""
    rules = []
    for entry in entries:
        words = tuple(split_words(entry.get("words", "")))
        rules.append(Rule(entry_pattern(entry), words, read_meaning(entry)))
    return RuleBook(rules)
