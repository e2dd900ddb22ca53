"""Attributes with one value at a time that a text states: an age, a pay, a budget, a version, an owner.

Of two statements of one speaker about one attribute, the later one repeats the value or supersedes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules.attribute_rules import KIN, NAMED, ONE_AT_A_TIME, SAID_ONLY
from turnfold_worker.pipeline.anchors.rules.home_rules import WE_MOVED, is_no_place, lives_there_since
from turnfold_worker.pipeline.anchors.rules.rule import joined
from turnfold_worker.pipeline.anchors.statements.temporal_scope import is_bygone, waits
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.quantities import SPELLED, in_one_form
from turnfold_worker.pipeline.language.required_words import PatternIndex
from turnfold_worker.pipeline.language.spoken import plain_words, without_quotes

_PATTERNS: Final = (*ONE_AT_A_TIME, *SAID_ONLY)
_BY_WORD: Final = PatternIndex(lambda: (pattern.pattern for _, pattern in _PATTERNS))
_ONE_WORD: Final = {"lactose": "dairy", "milk": "dairy", "wheat": "gluten", "coeliac": "gluten", "celiac": "gluten"}
_EMPTY: Final = listed("""
    the a an my our your to for of in on at most all other any total overall expenses costs cost new current now is
    annual yearly very really also as well
""")
_DOUBTS: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:if|suppose|supposing|imagine|assume|assuming|pretend|when|whenever|once|until|unless|whether|
    wish|would|i'd|we'd|could|might|maybe|perhaps|may|should|must|used to|was|were|wasn't|before|aim\w{0,9}|
    target\w{0,9}|goal|want\w{0,9}|wanna|hop(?:e|es|ing)|plan\w{0,9}|expect\w{0,9}|thought|dream\w{0,9}|
    almost|nearly|not|isn't|don't|never|no longer|feel like|as if|said|says|told|tells|asked|ask|asking|
    wrote|claims?|thinks?|offer\w{0,9}|negotiat\w{1,9}|consider\w{0,9}|torn|declin\w+|propos\w+|
    suggest\w{0,9}|example|instance|character|story|novel|quote|competitor|customer|client|they|their|his|
    her|he|she)(?!\w)
    """)
)
"""Words before a value that make it hypothetical, wanted, past, denied or someone else's."""
_DOUBTS_BEHIND: Final = lazy_pattern(
    r"(?<!\w)(?:back then|at the time|as an? (?:student|child|kid|teenager|baby)|"
    r"last year|if|unless|would be|should be|according to|"
    r"in the (?:novel|story|game))(?!\w)"
)
_BESIDE: Final = lazy_pattern(
    r"(?<!\w)(?:also|too|as well|part-time|on the side|second|another|weekends?|together|co-)(?!\w)"
)
_PART: Final = lazy_pattern(
    r"[,;:.!?](?=\s)|\s(?:because|since)(?=\s)|\s(?:and|but|so)(?= i(?:'m| am|'ve| have)(?!\w))"
)
_NEXT: Final = lazy_pattern(r"[,;:.!?](?=\s|$)")
_PERIOD: Final = lazy_pattern(
    r" (?:an? |per |each |every )?(?P<period>hour|day|week|month|hourly|daily|weekly|monthly)(?!\w)"
)


_SHORT: Final = 120
"""Maximum length in characters of a text that states little else."""
_TOLD_SHORTLY: Final = frozenset({"budget", "owner"})
"""Attributes whose subject may be named by a part of its words: 'relocation' for 'relocation expenses'."""
_OF_SOMETHING: Final = frozenset({"budget", "thing", "version"})
_TAIL: Final = lazy_pattern(
    r" (?:for|in|on|to (?:finish|submit|complete|deliver)) (?P<of>(?:the |my |our )?[\w-]{1,30}(?= |[,.;!]|$))"
)
"""Phrase after a value that names what it belongs to: 'Postgres 15 in staging'."""
_OPENING: Final = lazy_pattern(
    r"(?:about|regarding|concerning|as for|for|in|on) "
    r"(?!(?:the |that )?(?:end|fact|record|moment|time|now|reference|example|info|meantime|future|past|total|"
    r"general)(?!\w))"
    r"(?P<of>(?:[\w-]{1,30} ){0,2}[a-z][\w-]{0,30})[,:] "
)
"""The same phrase at the start: 'For refunds, the limit is 30 days', 'In staging, the port is 9443'."""
_NUMBERED: Final = lazy_pattern(
    r"(?<!\w)(?!(?:in|on|at|by|of|since|from|to|until|till|about|after|before|than|over|under|jan|feb|mar|apr|may|jun|"
    r"jul|aug|sep|oct|nov|dec)[a-z]{0,6} )[a-z]{3,20} \d{1,9}(?=[,;:]? (?:and|so|but|where|the)(?!\w))"
)
"""A numbered item mentioned before the value: 'we booked room 12, and the limit is 30 people'."""


class Attribute(NamedTuple):
    """An attribute that a text states."""

    name: str
    """The sort of attribute: `age`, `pay`, `thing`."""
    holder: str
    """The holder: empty for the speaker and for what belongs to the conversation."""
    about: frozenset[str]
    """Stems of what a budget, version or other value belongs to."""
    value: frozenset[str]
    """Stems of the value, with numbers as they are; empty for an allergy to something unnamed."""
    changes: bool
    """A later value supersedes an earlier one."""
    beside: bool
    """The text presents the value as one of several: 'I also work at …'."""
    outright: bool
    """The text states the attribute directly rather than implying it, as 'I can't have dairy' does."""
    cue: bool
    """The text indicates that the value holds from now on."""

    def is_of(self, other: Attribute) -> bool:
        """Check whether both are values of one attribute of one holder."""
        # Two holders known only as 'she' may be two people.
        if (self.name, self.holder) != (other.name, other.holder) or self.holder == "they":
            return False
        if self.about == other.about:
            return True
        return self.name in _TOLD_SHORTLY and bool(self.about and other.about) and _nested(self.about, other.about)


@lru_cache(maxsize=1_024)
def attributes_of(text: str) -> tuple[Attribute, ...]:
    """Return the attributes that a text asserts, in the order of the patterns.

    >>> [(one.name, sorted(one.value)) for one in attributes_of("I'm 44 years old.")]
    [('age', ['44'])]
    >>> attributes_of("If I'm 44 years old by then, fine."), attributes_of("I want to be earning $90,000.")
    ((), ())
    """
    unquoted = without_quotes(text)
    plain = plain_words(in_one_form(unquoted))
    if waits(plain) or is_bygone(lives_there_since(plain)):
        return ()
    return tuple(dict.fromkeys(_stated(plain, unquoted)))


def _stated(plain: str, text: str) -> Iterator[Attribute]:
    for place in _BY_WORD.worth_trying(plain):
        name, pattern = _PATTERNS[place]
        for match in pattern.finditer(plain):
            if _is_doubtful(plain, match) or (name in NAMED and not _has_a_capital(match["value"], text)):
                continue
            if pattern is not WE_MOVED or not is_no_place(match["value"], text):
                yield _attribute(name, match, plain, changes=place < len(ONE_AT_A_TIME))


def _attribute(name: str, match: re.Match[str], plain: str, *, changes: bool) -> Attribute:
    groups = match.groupdict()
    about = _stems(f"{groups.get('about') or ''} {groups.get('of') or ''}")
    if name in _OF_SOMETHING and (tail := _TAIL.match(plain, match.end())):
        about |= _stems(tail["of"])
    if name in _OF_SOMETHING and (opening := _OPENING.match(plain)) and opening.end() <= match.start():
        about |= _stems(opening["of"])
    if name == "thing" and match.group().startswith("the "):
        about |= _stems(" ".join(_NUMBERED.findall(plain[: match.start() + len("the ")])))
    period = _PERIOD.match(plain, match.end()) if name == "pay" else None
    if period is not None:
        about |= {period["period"].removesuffix("ly")}
    who = groups.get("who") or ""
    kin = re.search(KIN, who)
    holder = kin.group() if kin else "they" if re.match(r"(?:he|she)\b", who) else ""
    return Attribute(
        name.rstrip("*"), holder, about, _stems(match["value"] or ""), changes,
        beside=_BESIDE.search(plain) is not None,
        outright=not name.endswith("*"), cue=bool(groups.get("cue")) or name != "home",
    )  # fmt: skip


def _is_doubtful(plain: str, match: re.Match[str]) -> bool:
    """Check whether the sentence part around a match is hypothetical, wished for, reported or a question."""
    start = max((mark.end() for mark in _PART.finditer(plain, 0, match.start())), default=0)
    end = _NEXT.search(plain, match.end())
    if end is not None and end.group() == "?":
        return True
    behind = plain[match.end() : end.start() if end else len(plain)]
    return _DOUBTS.search(plain[start : match.start()]) is not None or _DOUBTS_BEHIND.search(behind) is not None


def _has_a_capital(words: str, text: str) -> bool:
    word = words.strip(" '").partition(" ")[0]
    return bool(word) and (word[0].upper() + word[1:] in text or word.upper() in text)


def _stems(words: str) -> frozenset[str]:
    bare = (word.strip("'\"().:").removesuffix("'s") for word in words.split())
    return frozenset(
        _ONE_WORD.get(word) or SPELLED.get(word) or (word if any(map(str.isdigit, word)) else STEMS[word])
        for word in bare
        if word and word not in _EMPTY
    )


def _nested(some: frozenset[str], others: frozenset[str]) -> bool:
    return some <= others or others <= some


def attribute_terms(text: str) -> tuple[str, ...]:
    """Return index terms by which statements about the same attribute are found, whatever their words."""
    return tuple(dict.fromkeys(f"={attribute.name}" for attribute in attributes_of(text)))


def changes_value(new: str, old: str) -> bool:
    """Check whether a later text gives another value for an attribute that the same speaker stated earlier.

    >>> changes_value("I got a 12% salary increase to $110,000.", "I'm 60 and earning $85,000 a year.")
    True
    >>> changes_value("My mother is 70 years old.", "I'm 44 years old.")
    False
    """
    return any(
        later.changes and later.is_of(earlier) and later.cue and not later.beside and _differs(later, earlier)
        for later in attributes_of(new)
        for earlier in attributes_of(old)
    )


def states_an_attribute(text: str) -> bool:
    """Check whether a short text states an attribute, so that it is kept until something changes it."""
    return len(text) <= _SHORT and any(attribute.changes for attribute in attributes_of(text))


def _differs(later: Attribute, earlier: Attribute) -> bool:
    return bool(later.value and earlier.value) and not _nested(later.value, earlier.value)


def are_apart(one: str, other: str) -> bool:
    """Check whether two texts state an attribute of one name, but none of the same thing and holder.

    >>> are_apart("I earn $85,000 a year.", "I earn $85,000 a month.")
    True
    """
    ours, theirs = attributes_of(one), attributes_of(other)
    if {mine.name for mine in ours}.isdisjoint(their.name for their in theirs):
        return False
    return not any(mine.is_of(their) for mine in ours for their in theirs)


def states_no_more(one: str, other: str) -> bool:
    """Check whether a text states attributes, all of which the other text states too.

    >>> states_no_more("Dairy-free is a must for me.", "I'm lactose intolerant.")
    True
    >>> states_no_more("My mother is lactose intolerant.", "I'm lactose intolerant.")
    False
    """
    ours, theirs = attributes_of(one), attributes_of(other)
    return bool(ours) and all(
        any(mine.is_of(their) and mine.value <= their.value for their in theirs) for mine in ours
    )  # fmt: skip


def is_plainer(one: str, other: str) -> bool:
    """Check whether, of two texts with equal attributes, only the first one states them directly."""
    return all(mine.outright for mine in attributes_of(one)) and not any(
        their.outright for their in attributes_of(other)
    )


def tells_of_a_name(text: str) -> bool:
    """Check whether a text only states what someone or something other than the speaker is called."""
    stated = attributes_of(text)
    return bool(stated) and all(attribute.name == "called" for attribute in stated)
