"""Time of validity of a statement: now, later, on some days, once, as a habit. One not valid now changes little."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.rules.rule import joined

_BYGONE: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:last (?:year|month|quarter|season|summer|winter|spring|autumn|fall|century|decade|time)|
    (?:years?|months?) (?:ago|before|earlier)|back (?:then|in|when)|used to|in the past|at (?:the|that) time|
    in those days|(?:in|since|until|till) (?:early |late )?(?:19|20)\d\d|previously|formerly|originally|
    once (?:was|were|had)|when (?:i|we|he|she|they) (?:was|were|had|did|still|first))(?!\w)
""")
)
_HABIT: Final = lazy_pattern(
    joined(r"""
    (?<!\w)(?:usually|always|often|normally|generally|typically|sometimes|rarely|mostly|regularly|whenever|
    by default|as a rule|in general|tends? to|(?:every|each) (?:day|week|month|quarter|year|time|
    night|morning|evening|\w+day))(?!\w)
""")
)
_WAITS: Final = lazy_pattern(
    r"^(?:(?:so|and|but|well|then|yeah|ok|okay),? ){0,2}(?:if|unless|whether|in case|once|when|until|as soon as|"
    r"as long as|provided|assuming|suppose)(?!\w)"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH: Final = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_LATER: Final = lazy_pattern(
    rf"(?<!\w)(?:starting|beginning|effective|as of|as from|from|not before|only after)(?: on| in| with)? (?:the )?"
    rf"(?:{_DAY}|{_MONTH}(?! (?:i|you|we)(?!\w))|next \w+|tomorrow|20\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|"
    r"\d{4}-\d\d)(?!\w)"
)
_SOME_DAYS: Final = lazy_pattern(
    rf"(?<!\w)(?:(?:on|over|at|during|in) (?:the )?(?:{_DAY}s?|weekends?|weekdays|holidays|mornings?|afternoons?|"
    rf"evenings?|nights?|{_MONTH}|summer|winter)|(?:{_DAY}|weekend|weekday)s|"
    r"(?<!from )(?<!as of )(?<!starting )(?<!since )(?:today|tonight|tomorrow|this (?:morning|afternoon|evening))|"
    r"(?:(?:just|only|for) )?this (?:once|time|one time)|(?:just|only|for) once|"
    r"for (?:this|the next) (?:one|question|answer|message|reply))(?!\w)"
)
_PAST: Final = lazy_pattern(
    r"(?<!\w)(?:was|were|wasn't|weren't|had been)"
    r"(?! (?:\w+ly |just |now |since )?(?:\w+ed|set|put|cut|brought|given)(?!\w))"
)
"""'It was 20' is about the past, 'it was raised to 30' about the present."""
_AGAIN: Final = lazy_pattern(
    r"(?<!\w)(?:again|(?:bought|took|got|brought) (?:it|them|him|her) back|changed (?:my|our) minds?)(?!\w)"
)
_AT_END: Final = lazy_pattern(
    r"(?<! to)(?<! from)(?<! until)(?<! a)(?<! one)(?<! per)(?<! every)(?<!\d) "
    r"(?:(?:in|since|last|this|on|from|as of|over|after|before|during|at|by) )?(?:the )?(?:(?:early|late|mid|end of|"
    r"first|last) )?(?:spring|summer|autumn|fall|winter|\w+day|weekend|week|month|year|holidays|(?:19|20)\d\d|january|"
    r"february|march|april|may|june|july|august|september|october|november|december|today|yesterday|for good|"
    r"altogether|(?:a|two|three|some|few) (?:\w+ )?(?:days|weeks|months|years?) ago)$"
)
_PRESENT: Final = lazy_pattern(r"(?<!\w)(?:is|are|am|'s|isn't|aren't|must|may|can|should|has to|have to|now)(?!\w)")


@lru_cache(maxsize=1_024)
def is_bygone(statement: str) -> bool:
    """Check whether a normalized statement is about an earlier time.

    >>> is_bygone("last year the limit was 20"), is_bygone("the limit is 20 since today")
    (True, False)
    """
    return _BYGONE.search(statement) is not None


def is_habit(statement: str) -> bool:
    """Check whether a normalized statement is about what is usual rather than a single event.

    >>> is_habit("booking is usually done by the client"), is_habit("i booked it")
    (True, False)
    """
    return _HABIT.search(statement) is not None


def only_then(new: str, old: str) -> bool:
    """Check whether only the new text is about the past, or only the new one about the future.

    Such a text supersedes nothing that holds now.

    >>> only_then("last year the limit was 20", "the limit is 30"), only_then("from june it is 20", "it is 30")
    (True, True)
    """
    return (tells_of_then(new) and not tells_of_then(old)) or (_begins_later(new) and not _begins_later(old))


def sometimes_only(new: str, old: str) -> bool:
    """Check whether a rule holds on some days or once while the earlier one always holds.

    >>> sometimes_only("never use tabs on mondays", "always use tabs")
    True
    >>> sometimes_only("you may deploy on fridays now", "never deploy on fridays")
    False
    """
    return _holds_on_some_days(new) and not _holds_on_some_days(old)


@lru_cache(maxsize=1_024)
def tells_of_then(statement: str) -> bool:
    """Check whether a statement is about the past only. Cached, as below, because one text is compared with many."""
    return is_bygone(statement) or (_PAST.search(statement) is not None and _PRESENT.search(statement) is None)


@lru_cache(maxsize=1_024)
def _begins_later(statement: str) -> bool:
    return _LATER.search(statement) is not None


@lru_cache(maxsize=1_024)
def _holds_on_some_days(statement: str) -> bool:
    return _SOME_DAYS.search(statement) is not None


def waits(statement: str) -> bool:
    """Check whether a statement opens with a condition, until which the earlier rule holds.

    >>> waits("if marta agrees, you may deploy on fridays"), waits("you may deploy on fridays now")
    (True, False)
    """
    return _WAITS.match(statement) is not None


def begins_again(statement: str) -> bool:
    """Check whether a statement says that something ended is resumed.

    >>> begins_again("i stopped in may, but i run again"), begins_again("i stopped in may")
    (True, False)
    """
    return _AGAIN.search(statement) is not None


def without_time(clause: str) -> str:
    """Return a bare clause without a final day or season, unless something is moved to it.

    >>> without_time("i gave up smoking in march"), without_time("we moved it to march")
    ('i gave up smoking', 'we moved it to march')
    """
    return _AT_END.sub("", clause)
