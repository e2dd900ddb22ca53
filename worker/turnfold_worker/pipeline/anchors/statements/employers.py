"""Employers of people, and changes of employer: 'Jonas works for Bosch', 'Jonas is with Siemens now'."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules import frame_rules
from turnfold_worker.pipeline.anchors.statements.frames import stems_in_order
from turnfold_worker.pipeline.anchors.statements.temporal_scope import sometimes_only, waits, without_time
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 120
_MAY_TELL: Final = lazy_pattern(r"(?i)(?<!\w)(?:work(?:s|ing)?|employed|job|(?:is|am|i'm) (?:now )?with)(?!\w)")
_WHO: Final = r"(?P<who>(?:(?:my|our|the) )?[a-z][\w-]{0,30}(?: [a-z][\w-]{1,30}){0,2}?) "
_WHERE: Final = r"(?:(?:the|an?|our|my|your) )?(?P<where>[^\s,;:.!?]{2,30}(?: [^\s,;:.!?]{2,30}){0,2}?)"
_ENDS: Final = r"(?: (?:as|since|in|on|and|because|but|so|where|who|which|with) .*)?$"
_WORKS: Final = lazy_pattern(
    rf"^{_WHO}(?:(?P<begun>(?:have |has )?started )working|(?:(?:is|am) )?(?:working|employed)|works?|"
    rf"(?P<got>(?:have |has )?(?:got|found|started) a new job)) (?:at|for|(?<=employed )by) {_WHERE}{_ENDS}"
)
_IS_WITH: Final = lazy_pattern(rf"^{_WHO}(?:is|am) with {_WHERE}{_ENDS}")
_NOW: Final = lazy_pattern(
    r"(?<!\w)(?:(?<!right )(?<!just )now|nowadays|these days|since (?:last|this|yesterday))(?!\w)"
)
_LEAD: Final = lazy_pattern(r"^(?:guess what|big news|news|my news|and yes|so),? ")
_NO_WHO: Final = listed(
    "it that this he she they who what which there everybody everyone nobody somebody someone you we"
)
_NO_EMPLOYER: Final = listed("""
    home night nights free fun me him her them us myself himself herself it this that moment minute hour hours day days
    week weekend weekends months years money nothing now first least best times work living change
""")
_DAYS: Final = listed("monday tuesday wednesday thursday friday saturday sunday today tomorrow")
_FIRST_NAMES: Final = listed("""
    adam alex ali alice amy ana andrea andrew anna anne ben bob carlos carol charlie chris clara claire dan daniel david
    elena eli elif ella emily emma eric eva felix fiona frank george grace hannah helen henry ian ines isabel ivan jack
    jake james jan jane jason jean jen jenny jess jessica jim jo joan joe john jonas jordan jose josh julia julie kai
    karen kate katie kevin laura lea lena leo lily linda lisa liz louis lucas lucy luis luke maria marie mark martin
    mary matt max maya mia michael mike mila mohammed nate nick nina noah nora olga oliver olivia omar oscar pat paul
    peter phil priya rachel ray rob robert rosa ruth sam sara sarah simon sofia sophie stefan steve sue susan tara
    thomas tim tina tom tony vera victor will yusuf zoe
""")
"""First names: who 'is with Tom now' does not work for a company called Tom."""


class Employment(NamedTuple):
    """A person and their employer, in stems."""

    who: tuple[str, ...]
    where: frozenset[str]
    is_new: bool


def changes_employer(new: str, old: str) -> bool:
    """Check whether a later text gives a new employer for the person of an earlier one.

    >>> changes_employer("Jonas is with Siemens now.", "Jonas works for Bosch.")
    True
    >>> changes_employer("Jonas also works for Siemens now.", "Jonas works for Bosch.")
    False
    """
    later = employment_of(new)
    if later is None or not later.is_new:
        return False
    earlier = employment_of(old)
    return (
        earlier is not None
        and earlier.who == later.who
        and not earlier.where & later.where
        and not sometimes_only(plain_words(new), plain_words(old))
    )


@lru_cache(maxsize=1_024)
def employment_of(text: str) -> Employment | None:
    """Return who works for whom, or None if a text asks, supposes, denies or quotes it, or mentions a second job."""
    if len(text) > _LONGEST or _MAY_TELL.search(text) is None or is_question(text):
        return None
    unquoted = without_quotes(text)
    plain = _LEAD.sub("", plain_words(unquoted))
    clause = without_time(frame_rules.bare_clause(plain))
    doubtful = (frame_rules.DOUBTS, frame_rules.NEGATION, frame_rules.BESIDE)
    if waits(plain) or any(pattern.search(clause) for pattern in doubtful):
        return None
    works = _WORKS.match(clause)
    match = works or _IS_WITH.match(clause)
    if match is None or _is_nobody(match, unquoted, is_with=works is None):
        return None
    begun = works is not None and (works["begun"] or works["got"])
    return Employment(
        _who(match["who"], unquoted), frozenset(stems_in_order(match["where"])), bool(begun or _NOW.search(plain))
    )


def _is_nobody(match: re.Match[str], text: str, *, is_with: bool) -> bool:
    """Check whether a clause names no person who works, or no employer."""
    where = match["where"].split()
    who = match["who"].split()
    if who[0] in _NO_WHO or where[0] in _NO_EMPLOYER or any(map(str.isdigit, where[0])):
        return True
    # 'Tuesday works for me', 'the app works for iOS'.
    if who[-1] in _DAYS or (who[0] not in ("i", "my") and not frame_rules.is_name(who[-1], text)):
        return True
    return is_with and (where[0].removesuffix("'s") in _FIRST_NAMES or not frame_rules.is_name(match["where"], text))


def _who(who: str, text: str) -> tuple[str, ...]:
    """Return the stems of the person, reduced to the name if there is one: 'Renske' of 'our contact Renske'."""
    *_, last = who.split()
    is_named = last != "i" and last.capitalize() in text
    return stems_in_order(last if is_named else who)
