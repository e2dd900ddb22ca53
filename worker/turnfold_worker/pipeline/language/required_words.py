"""Prefilters regexes: selects, by the words of a text, those of many patterns that can match the text at all.

Most patterns require a word that few texts contain: each match contains at least one of a set as a whole word. The set
is derived from Python's own parse tree of the pattern, so the tables of phrases need no second list that could get out
of date. Patterns without such a set are always tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain, product

# Python's own parser of patterns; it has no public name.
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.rarity import rarity_of

_WORD: Final = lazy_pattern(r"\w+")
_EDGE: Final = "\0"
"""Placeholder for a word boundary, where no word continues."""
_ANYTHING: Final = "\2"
"""Placeholder for any text, including none."""
_WHOLE_WORD: Final = lazy_pattern(rf"(?<![\w{_ANYTHING}])\w+(?![\w{_ANYTHING}])")
_MOST: Final = 1000
"""Maximum number of alternatives of a pattern that are expanded."""
_MOST_LETTERS: Final = 12
"""Maximum number of characters in a set that is expanded."""


def required_words(pattern: str) -> dict[str, frozenset[str]]:
    r"""Return words of which every match of a pattern contains at least one, each with a set of second words.

    A match that is found by a word also contains one of its second words; an empty set means that none is needed. The
    result is empty if no such words can be derived.

    >>> required_words(r"(?<!\w)(?:i(?:'ll| will) go|allergic)(?!\w)")["allergic"]
    frozenset()
    >>> sorted(required_words(r"(?<!\w)(?:i(?:'ll| will) go)(?!\w)"))
    ['go', 'll']
    """
    ways = [frozenset(_WHOLE_WORD.findall(f"{_ANYTHING}{way}{_ANYTHING}")) for way in _ways(parser.parse(pattern))]
    if not all(ways):
        return {}
    shared = Counter(chain.from_iterable(ways))
    # Prefer few words, and rare ones: those that many alternatives share but few texts contain.
    worth = {word: (times * 10 ** rarity_of(word), word) for word, times in shared.items()}
    beside: dict[str, set[str | None]] = {}
    for way in ways:
        first = max(way, key=worth.__getitem__)
        beside.setdefault(first, set()).add(max(way - {first}, key=worth.__getitem__, default=None))
    return {
        first: frozenset() if None in seconds else frozenset(filter(None, seconds)) for first, seconds in beside.items()
    }


class PatternIndex:
    """An index of patterns by the words that they require, built when the first text is checked."""

    def __init__(self, patterns: Callable[[], Iterable[str]]) -> None:
        self._patterns = patterns

    @cached_property
    def _by_word(self) -> dict[str, list[tuple[int, frozenset[str]]]]:
        """Positions of patterns, with second words, by required word; under "" the patterns without any."""
        by_word: dict[str, list[tuple[int, frozenset[str]]]] = {}
        for place, pattern in enumerate(self._patterns()):
            for word, beside in (required_words(pattern) or {"": frozenset[str]()}).items():
                by_word.setdefault(word, []).append((place, beside))
        return by_word

    def worth_trying(self, text: str) -> list[int]:
        """Return the positions of all patterns that may match a lower-case text, in order."""
        words = frozenset(("", *_WORD.findall(text)))
        by_word = self._by_word
        return sorted(
            {
                place
                for word in by_word.keys() & words
                for place, beside in by_word[word]
                if not beside or not beside.isdisjoint(words)
            }
        )


def _ways(items: Iterable[tuple[Any, Any]]) -> set[str]:
    """Expand a parsed sequence into its alternatives: literal texts with `_EDGE` and `_ANYTHING` in them."""
    ways = {""}
    for node in items:
        after = _ways_of(*node)
        if min(len(ways), len(after)) > 1 and len(ways) * len(after) > _MOST:
            ways = min(_joined(ways, _summary(after)), _joined(_summary(ways), after), key=_tells_little)
        else:
            ways = _joined(ways, after)
    return ways


def _joined(ways: set[str], after: set[str]) -> set[str]:
    return {begun + other for begun, other in product(ways, after)}


def _tells_little(ways: set[str]) -> tuple[bool, int]:
    """Sort key for sets of alternatives: sets whose alternatives all contain a word first, then smaller sets."""
    return not all(map(_WHOLE_WORD.search, ways)), len(ways)


def _ways_of(kind: Any, value: Any) -> set[str]:  # noqa: PLR0911 - one return per kind of node
    match kind:
        case op.LITERAL:
            return {chr(value)}
        case op.IN:
            return _letters(value)
        case op.BRANCH:
            return set().union(*map(_ways, value[1]))
        case op.SUBPATTERN:
            return _ways(value[3]) if not value[1] and not value[2] else {_ANYTHING}
        case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
            least, most_times, body = value
            ways = _ways(body)
            return (ways if most_times == 1 else _summary(ways)) | (set() if least else {""})
        case op.AT:
            return {"" if value is op.AT_NON_BOUNDARY else _EDGE}
        case op.ASSERT_NOT:
            return {_EDGE if list(value[1]) == [(op.IN, [(op.CATEGORY, op.CATEGORY_WORD)])] else ""}
        case op.ASSERT:
            direction, body = value
            ways = _ways(body)
            return {_EDGE if (_opens(ways) if direction > 0 else _closes(ways)) else ""}
        case _:
            return {_ANYTHING}


def _letters(members: Sequence[tuple[Any, Any]]) -> set[str]:
    """Expand a set of characters: into each of them if they are few, else into `_ANYTHING`."""
    if members == [(op.CATEGORY, op.CATEGORY_NOT_WORD)]:
        return {" "}
    if all(kind is op.LITERAL for kind, _ in members) and len(members) <= _MOST_LETTERS:
        return {chr(code_point) for _, code_point in members}
    return {_ANYTHING}


def _summary(ways: set[str]) -> set[str]:
    """Merge alternatives into one that only says whether a word may continue at its ends."""
    return {(_EDGE if _opens(ways) else "") + _ANYTHING + (_EDGE if _closes(ways) else "")}


def _opens(ways: Iterable[str]) -> bool:
    """True when no word can continue across the beginning of any alternative."""
    return all(_WORD.match(way) is None and way[:1] not in {"", _ANYTHING} for way in ways)


def _closes(ways: Iterable[str]) -> bool:
    """True when no word can continue across the end of any alternative."""
    return all(_WORD.match(way[-1:]) is None and way[-1:] not in {"", _ANYTHING} for way in ways)
