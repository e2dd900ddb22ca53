"""Extracts facts of a text by rule: numbers, dates, names, identifiers, paths, addresses, errors, with offsets.

One pass of one regex with bounded quantifiers, whose matches begin at a word boundary, so the time is linear on any
input. Levels, anchors and the verification of a model's output use the facts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STOP_WORDS
from turnfold_worker.pipeline.language.common_words import COMMON_WORDS, listed
from turnfold_worker.pipeline.language.prose import windows


class FactKind(StrEnum):
    """The kind of a fact; the value is its key in a node's facts."""

    NAME = "names"
    NUMBER = "numbers"
    IDENTIFIER = "identifiers"
    PATH = "paths"
    DATE = "dates"
    URL = "urls"
    EMAIL = "emails"
    ERROR = "errors"


VALUES: Final = (FactKind.NUMBER, FactKind.DATE)
NAMES: Final = (FactKind.NAME, FactKind.IDENTIFIER, FactKind.PATH, FactKind.URL, FactKind.EMAIL)


class Fact(NamedTuple):
    """An exact detail of a text: the span `text[start:end]`."""

    kind: FactKind
    text: str
    start: int
    end: int


_START: Final = attrgetter("start")


@dataclass(frozen=True)
class Facts:
    """The facts of one text, ordered by position."""

    all: tuple[Fact, ...] = ()

    @cached_property
    def _starts(self) -> list[int]:
        return [fact.start for fact in self.all]

    def of(self, *kinds: FactKind) -> tuple[Fact, ...]:
        """Return the facts of the given kinds, by position."""
        return tuple([fact for fact in self.all if fact.kind in kinds])

    def within(self, start: int, end: int) -> tuple[Fact, ...]:
        """Return the facts inside a span."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return tuple([fact for fact in self.all[first:last] if fact.end <= end]) if first < last else ()

    def texts(self, *kinds: FactKind) -> tuple[str, ...]:
        """Return the distinct texts of the given kinds, in order of first mention."""
        return tuple(dict.fromkeys(fact.text for fact in self.of(*kinds)))


_MONTH: Final = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    "|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_ORDINAL: Final = "(?:st|nd|rd|th)?"
_WEEKDAY: Final = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_UNIT: Final = (
    "(?:%|percent|per cent|[kmgtKMGT]i?[bB]|ms|s|m|h|km|kg|g|cm|mm|ft|lbs?|GHz|MHz|k|K|M|x|°[CF]?"
    "|euros?|dollars?|pounds?|USD|EUR|GBP|cents?|million|billion|thousand"
    "|seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|miles?|people|users?|requests?|rows?"
    "|tokens?|turns?|tests?|lines?|files?|items?|times?|points?|seats?|replicas?|pages?|cores?)"
)
_NO_YEARS: Final = (
    "(?:%|percent|per cent|[kmgtKMGT]i?[bB]|ms|kg|km|cm|mm|lbs?|GHz|MHz|euros?|dollars?|pounds?|USD|EUR|GBP|cents?"
    "|seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|miles?|requests?|rows?|tokens?)"
)
"""Units after which a number such as 2000 is an amount, never a year; `users` and `tests` are not among them."""
_EXTENSIONS: Final = (
    "py|pyi|js|jsx|ts|tsx|mjs|java|kt|go|rs|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|bash|zsh|sql|json|jsonl|ya?ml"
    "|toml|ini|cfg|conf|env|lock|md|rst|txt|csv|tsv|xml|html?|css|scss|ipynb|log|pdf|docx?|xlsx?|pptx?|png|jpe?g"
    "|gif|svg|zip|gz|tar|whl|proto|gradle|properties|vue|tf|exe|dll|so|bin|db|sqlite"
)
_NAME_WORD: Final = "[A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\\w\u2019'-]{0,40}"

_KINDS: Final[Mapping[str, FactKind]] = {
    "url": FactKind.URL,
    "email": FactKind.EMAIL,
    "error": FactKind.ERROR,
    "date": FactKind.DATE,
    "file": FactKind.PATH,
    "path": FactKind.PATH,
    "version": FactKind.IDENTIFIER,
    "identifier": FactKind.IDENTIFIER,
    "number": FactKind.NUMBER,
    "handle": FactKind.NAME,
    "name": FactKind.NAME,
}

_MAY_BEGIN_A_DATE: Final = "next|last|this|on|yesterday|tomorrow|tonight"
_MAY_BE_MORE_THAN_A_WORD: Final = f"Error|Exception|Fault|{_MONTH}|{_WEEKDAY}|Yesterday|Tomorrow|Tonight"
# `plain` and `word` only save time: most of a text can match no other alternative, or only that of a name.
_FACT: Final = lazy_pattern(
    rf"""(?<![\w<])(?:
  (?P<plain>(?>(?:(?!(?:{_MAY_BEGIN_A_DATE})(?!\w))[a-z]++(?=[\s,;!?)"'\]}}*|]|\.\s|\Z)
    | [^\w.@+~/\\$€£¥\#<-]++ | [-+.\#~@](?=\s))+))
| (?P<word>(?!(?:{_MAY_BE_MORE_THAN_A_WORD})(?!\w))[A-Z][a-z]{{0,39}}+
    (?=[ ](?!(?:of|de|van|von|del|la)[ ])[a-z]|[,;!?)"\n]|\.\s|\Z))
| (?P<url>(?:https?|ftp|wss?|postgres(?:ql)?|redis|amqp)://[^\s<>"'`)\]|]{{1,300}})
| (?P<email>[\w.+-]{{1,64}}@[A-Za-z0-9-]{{1,63}}(?:\.[A-Za-z0-9-]{{1,63}}){{1,4}})
| (?P<error>(?:[A-Za-z_][\w.]{{0,80}})?(?:Error|Exception|Fault)(?!\w)(?::[ ][^\n"]{{1,100}})?
    | (?i:error|fatal|panic|failed):[ ][^\n"]{{1,100}})
| (?P<date>\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]\d{{2}}:\d{{2}}(?::\d{{2}})?)?(?!\d)
    | \d{{1,2}}/\d{{1,2}}/\d{{2,4}}(?!\w) | \d{{1,2}}\.\d{{1,2}}\.\d{{4}}(?!\w)
    | \d{{1,2}}{_ORDINAL}(?:[ ]of)?[ ]{_MONTH}(?!\w)(?:,?[ ]\d{{4}}(?!\d))?
    | {_MONTH}\.?[ ]\d{{1,4}}{_ORDINAL}(?!\w)(?:,?[ ]\d{{4}}(?!\d))?
    | \d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?[aApP]\.?[mM])?(?!\w) | \d{{1,2}}\s?(?:am|pm|AM|PM)(?!\w)
    | (?:(?:next|last|this|on)[ ])?{_WEEKDAY}(?:[ ](?:morning|afternoon|evening|night))?(?!\w)
    | (?:next|last|this)[ ](?:week|month|year|weekend|spring|summer|autumn|fall|winter)(?!\w)
    | (?i:yesterday|tomorrow|tonight)(?!\w)
    | (?:January|February|April|June|July|August|September|October|November|December)(?!\w)
    | (?:19|20)\d\d(?!\d)(?![\w.]\d)(?!\s?{_NO_YEARS}(?!\w)))
| (?P<file>[\w@+-]{{1,100}}(?:\.[\w-]{{1,60}}){{0,3}}\.(?:{_EXTENSIONS})(?![\w/\\-]))
| (?P<path>(?:[A-Za-z]:)?[\w.@+~-]{{0,100}}(?:[/\\][\w.@+-]{{1,100}}){{1,24}}/?)
| (?P<version>v\d{{1,9}}(?:\.\d{{1,9}}){{0,3}}(?!\d)(?![\w.]\w)
    | \d{{1,5}}(?:\.\d{{1,5}}){{2,3}}(?:-[\w.]{{1,20}})?(?!\w))
| (?P<identifier>[A-Z][A-Z0-9_]{{2,60}}=[^\s,;`"]{{1,80}}
    | [A-Za-z0-9]{{0,60}}(?:_{{1,2}}[A-Za-z0-9]{{1,60}}){{1,8}}(?:\(\))?(?![^\W_])
    | [a-z]{{1,40}}[0-9]{{0,8}}(?:[A-Z][a-z0-9]{{0,40}}){{1,8}}(?:\(\))?(?!\w)
    | [A-Z][a-z0-9]{{1,40}}(?:[A-Z][a-z0-9]{{1,40}}){{1,8}}(?:\(\))?(?!\w)
    | [A-Z]{{2,10}}-\d{{1,7}}(?!\w) | \#\d{{1,7}}(?!\w) | --[a-z][a-z-]{{1,40}}(?:=[^\s,;`"]{{1,60}})?
    | [a-z]\w{{0,60}}(?:\.[A-Za-z_]\w{{0,60}}){{0,4}}\(\))
| (?P<number>(?:[$€£¥]\s?)?[-+]?(?:\d{{1,3}}(?>(?:,\d{{3}})+)(?!\d)|\d++)(?:\.\d++)?(?:\s?{_UNIT}(?!\w))?)
| (?P<handle>@[A-Za-z]\w{{1,38}})
| (?P<name>{_NAME_WORD}(?:[ ](?:(?:of|de|van|von|del|la)[ ])?{_NAME_WORD}){{0,4}})
)""",
    re.VERBOSE,
)

_TRAILING: Final = ".,;:!?'\u2019-"
_PATH_NEEDS: Final = 2
_NOT_NAMES: Final = listed(
    """
    i'm i'll i've i'd mr mrs ms dr hi hey hello thanks thank sure yes no okay ok great well
    absolutely certainly wow oh please let let's here's that's it's what's problem
    solution step example note exercise task also finally first second third next then however therefore
    additionally action todo warning info debug true false none null discussion given sorry good actually overall
    yeah congrats unfortunately maybe perhaps today now lol haha ah aww awesome cool nice glad happy can't don't
    we're we've we'll you're you'll you've they're there's he's she's what'd who's how's isn't doesn't didn't won't
    """
)
_NEVER_NAMES: Final = STOP_WORDS | _NOT_NAMES
_ORDINARY: Final = _NEVER_NAMES | COMMON_WORDS
_BEFORE_SENTENCE: Final = ".!?:…\n\"“”'*#>-•|([—)`"


def extract_facts(text: str) -> Facts:
    """Extract the facts of a text in order; only the head and the tail of a very long text are read."""
    return Facts(tuple([fact for start, end in windows(len(text)) for fact in _scan(text, start, end)]))


def _scan(text: str, start: int, end: int) -> list[Fact]:
    facts: list[Fact] = []
    doubtful: list[Fact] = []
    for match in _FACT.finditer(text, start, end):
        if match.lastgroup == "plain":
            continue
        if match.lastgroup == "word":
            word, at = match.group(), match.start()
            opens = _opens_sentence(text, at)
            if len(word) > 1 and _lowered(word) not in (_ORDINARY if opens else _NEVER_NAMES):
                (doubtful if opens else facts).append(Fact(FactKind.NAME, word, at, match.end()))
            continue
        kind = _KINDS[match.lastgroup or "name"]
        fact = _trimmed(kind, match.group(), match.start())
        if kind is FactKind.NAME and fact.text[:1] != "@":
            named = _named(fact, text)
            if named and _opens_sentence(text, named.start) and " " not in named.text:
                doubtful.append(named)
            elif named:
                facts.append(named)
        elif not _cuts_number(fact, text) and _plausible(fact, text):
            facts.append(fact)
    known = {word for fact in facts if fact.kind is FactKind.NAME for word in fact.text.split()}
    facts.extend(fact for fact in doubtful if fact.text in known)
    return sorted(facts, key=_START)


def _trimmed(kind: FactKind, matched: str, start: int) -> Fact:
    kept = matched.rstrip(_TRAILING) or matched
    return Fact(kind, kept, start, start + len(kept))


def _cuts_number(fact: Fact, text: str) -> bool:
    """True for the beginning of a longer number, which is dropped: no value is better than a wrong one."""
    return fact.text[-1:].isdigit() and text[fact.end : fact.end + 1].isdigit()


def _plausible(fact: Fact, text: str) -> bool:
    if fact.kind is FactKind.PATH:
        return _is_path(fact.text)
    if fact.kind is FactKind.NUMBER:
        # The number of a list item is no fact.
        return not (text[fact.end : fact.end + 2] in {". ", ") "} and _opens_sentence(text, fact.start))
    return True


def _is_path(matched: str) -> bool:
    parts = [part for part in matched.replace("\\", "/").split("/") if part]
    if all(part.replace(".", "").isdigit() for part in parts):
        return False
    rooted = matched[0] in "/~." and len(matched) > _PATH_NEEDS
    return rooted or "." in parts[-1][:-1] or len(parts) > _PATH_NEEDS or matched[1:2] == ":"


def _opens_sentence(text: str, start: int) -> bool:
    text_before = text[max(0, start - 4) : start].rstrip(" \t")
    return not text_before or text_before[-1] in _BEFORE_SENTENCE


def _named(fact: Fact, text: str) -> Fact | None:
    """Strip ordinary words that only happen to be capitalised from the ends of a name; None when nothing is left."""
    words = fact.text.split(" ")
    start = fact.start
    while words and _lowered(words[0]) in (_ORDINARY if _opens_sentence(text, start) else _NEVER_NAMES):
        start += len(words[0]) + 1
        words.pop(0)
    while words and _lowered(words[-1]) in _NEVER_NAMES:
        words.pop()
    kept = " ".join(words)
    for ending in ("'s", "\u2019s"):
        kept = kept.removesuffix(ending)
    if len(kept) < 2 or kept.isdigit():
        return None
    return Fact(fact.kind, kept, start, start + len(kept))


def _lowered(word: str) -> str:
    return word.lower().replace("\u2019", "'")
