"""Things moved to another time or place: 'the deadline for the report has been pushed to 17 May'."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.anchors.rules.frame_rules import UNREAL
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.required_words import PatternIndex

_MOVED: Final = (
    r"(?:pushed|moved|postponed|rescheduled|delayed|shifted|extended|bumped|relocated|brought forward|put back|put off)"
    r"(?: back| forward| out| up)?"
)
_HAS_BEEN: Final = (
    r"(?:(?:has|have|had)(?:n't)?(?: not| just| now| already)? been"
    r"|(?:was|were|is|are|got|gets)(?:n't)?(?: not| just| now| already)?(?: being)?)"
)
_TO: Final = r"(?: back| forward| out| up)?(?: from (?:[^,;:.!?]|[:.](?=\d)){1,40})? (?:to|until|till) \S"
_PASSIVE: Final = lazy_pattern(
    r"(?i)(?:^|[.,:;] )(?:(?:if|so|but|and|actually|sorry|ok|okay|update|correction) )?"
    rf"(?P<thing>[^,;:.!?]{{2,80}}?) {_HAS_BEEN} {_MOVED}{_TO}"
)
_ACTIVE: Final = lazy_pattern(
    rf"(?i)(?<!\w)[a-z]+(?:'ve|'s| have| has| had)?(?: just| now| already)? {_MOVED} "
    rf"(?P<thing>(?:the|our|my|your|his|her|their|[A-Z]\w*'s) [^,;:.!?]{{2,60}}?){_TO}"
)
_APART: Final = lazy_pattern(
    r"(?i)(?<!\w)[a-z]+(?:'ve|'s| have| has| had)?(?: just| now| already)? (?:put|brought|set|taken|took) "
    r"(?P<thing>(?:the|our|my|your|his|her|their|[A-Z]\w*'s) [^,;:.!?]{2,60}?) (?:back|forward|off)"
    r"(?: from (?:[^,;:.!?]|[:.](?=\d)){1,40})? (?:to|until|till) \S"
)
"""'They've put the operation back to 17 June'."""
_ITSELF: Final = lazy_pattern(
    r"(?i)(?:^|[.:;] )(?:(?:so|but|and|actually|sorry|ok|okay|update|correction),? )?"
    r"(?P<thing>[^,;:.!?]{2,60}?)(?: has| have)?(?: just| now| recently)? (?:moved|relocated|slipped) to \S"
)
"""'My cousin moved to Braga', 'the office has moved to Lyon'."""
_WAYS: Final = (_PASSIVE, _ACTIVE, _APART, _ITSELF)
_BY_WORD: Final = PatternIndex(lambda: (pattern.pattern for pattern in _WAYS))
_SUPPOSED: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:if|in case|maybe|perhaps|might|could|would|may be|whether|not|never|unless|suppose)(?!\w)|n't(?!\w)"
)
_PLACED: Final = lazy_pattern(
    r"(?<!\w)(?:(?:is|are)(?: held| scheduled| planned)?|takes place|will be|happens|starts|meets?) (?:at|in|on) "
    r"(?:the |our |my |your |his |her |their |[A-Z0-9])"
)
_TIME: Final = lazy_pattern(
    r"(?i)(?:the |next |this )?(?:\d|noon|midnight|tomorrow|tonight|week|month|year|mon|tue|wed|thu|fri|sat|sun"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|fall|winter|morning|afternoon|evening)"
)
_OF_ANY_TIME: Final = listed("deadline date day time start end due launch")
"""Words for the aspect that is moved; in 'the deadline for the report' only 'report' identifies the thing."""
_NO_THING: Final = listed("i we it this that they you i've we've who which")
"""Subjects that do not identify what moved: the speaker, or a pronoun."""
_ALONE: Final = listed("he she")


@lru_cache(maxsize=1_024)
def moved_thing(text: str) -> frozenset[str]:
    """Return the stems of the thing that a text says was moved, or an empty set.

    >>> sorted(moved_thing("They rescheduled my dentist appointment to 2 pm."))
    ['appointment', 'dentist']
    """
    match = _match(text)
    if match is None:
        return frozenset()
    words = match["thing"].lower().replace("\u2019", "'").split()
    named = [word for word in words if word not in _OF_ANY_TIME] if len(words) > 2 else words
    return frozenset(note_stems(" ".join(named)))


def _match(text: str) -> re.Match[str] | None:
    for place in _BY_WORD.worth_trying(text.lower()):
        match = _WAYS[place].search(text)
        if match is not None and not (_WAYS[place] is _ITSELF and _is_untold(match["thing"])):
            return match
    return None


def _is_untold(thing: str) -> bool:
    """Check whether the subject that moved is only a pronoun."""
    words = thing.lower().replace("\u2019", "'").split()
    return words[-1] in _NO_THING or (len(words) == 1 and words[0] in _ALONE)


def is_only_supposed(text: str) -> bool:
    """Check whether a text describes a move as conditional, negated or nearly made."""
    return _SUPPOSED.search(text) is not None or UNREAL.search(text.lower()) is not None


def moves_to_a_time(text: str) -> bool:
    """Check whether a text moves something to a day or hour."""
    match = _match(text)
    return match is not None and _TIME.match(text, match.end() - 1) is not None


def stands_somewhere(text: str) -> bool:
    """Check whether a text says where something is: 'the party is at our house', 'our office is in Lyon'."""
    return _PLACED.search(text) is not None
