"""What a clause says to somebody who reads nothing but it: less without a verb, or of what is not named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from turnfold.contract.words import note_words
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.rarity import is_feeling
from turnfold_worker.pipeline.language.spoken_verbs import has_verb
from turnfold_worker.pipeline.notes.phatic import bare_words
from turnfold_worker.pipeline.notes.whole import PAST

_REFERS: Final = re.compile(
    r"(?:They|He|She|It|That|This|These|Those|Them|His|Her|Their|Its)(?:'(?:s|re|ve|ll|d))?"
    r"(?= (?!(?:week|weekend|month|year|morning|afternoon|evening|spring|summer|autumn|fall|winter|time|day)\b))"
)
"""The beginning of a clause about somebody or something that the one before it names."""
_EXISTS: Final = re.compile(r"(?i)(?:it|that|this)(?:'s| is| was| has been) (?:an?|the|my|our|[A-Z\d])")
"""'It was a clay bowl' says what it is."""
_FEW: Final = 6
"""Words up to which a clause without a verb is a scrap; longer ones list something."""
_SCRAP: Final = 0.5
_EMPTY_REFERENCE: Final = 0.1
_REFERENCE: Final = 0.85
_MOOD: Final = 0.6
_CONCRETE: Final = 1.4
_EVENT: Final = 1.2
_EMPTY: Final = 0.4
_EXACT: Final = re.compile(r"\d")
_HAPPENED: Final = re.compile(
    rf"(?i)(?:(?:i|we|he|she|they|my \w+|our \w+) )?(?:(?:just|recently|finally) )?(?:{PAST})\b"
)
_JUDGES: Final = re.compile(
    r"(?i)(?:\b(?:is|are|was|were|look|looks|looked|sound|sounds|sounded|feels?|felt|seems?)|'s|'re)"
    r" (?:(?:so|really|very|pretty|such|always|just|truly|quite|an?|the|all) )*(?P<mood>[a-z'-]+)[.!]*$"
)
"""Ends in what one feels about a thing: 'that race sounds great'."""
_COMMENTS: Final = re.compile(r"(?i)(?:i )?(?:really |just )*(?:loved?|liked?|adore) (?:the|that|this|how|your) ")
_SECOND: Final = re.compile(r"(?i)[,;:] | [-–—]+ |- | (?:and|but|so|because) (?:it|that|this|i|we|he|she|they)\b")
"""A clause before another one."""
_JUDGEMENT: Final = 0.5
_LEANS: Final = re.compile(
    r"(?i)(?<=[a-z] )(?:it|them|this|that|these|those|one|ones)"
    r"(?=$|[,.!?;]| (?:and|but|so|for|to|in|on|at|with|from|because|when|after|before|too|as|if|up|out|all|again)\b)"
)
"""Something that another clause names, as what the verb is about: 'painted it after the trip'."""
_LEANING: Final = 0.6
_NAMES: Final = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z]|[\"\u201c]")


def refers(text: str) -> bool:
    """True for a clause that begins with a word for what the one before it names."""
    return _REFERS.match(text) is not None and not _EXISTS.match(text)


def standing_alone(text: str) -> float:
    """How much a clause of prose is worth because of what it says by itself."""
    bare = bare_words(text)
    telling = [word for word in note_words(text) if not is_common(word) and not is_feeling(word)]
    if refers(text):
        return _REFERENCE if len(telling) > 1 else _EMPTY_REFERENCE if not telling else _REFERENCE * _SCRAP
    if len(bare) <= _FEW and not has_verb(text):
        return _SCRAP
    return _telling_share(text, bare, telling) * _judgement(text) * _leaning(text)


def _judgement(text: str) -> float:
    """Less for a clause that only says how one likes a thing."""
    if _COMMENTS.match(text):
        return _JUDGEMENT
    judges = _JUDGES.search(text)
    if judges is None or not is_feeling(judges["mood"].lower()) or _SECOND.search(text, 0, judges.start()):
        return 1.0
    return _JUDGEMENT


def _leaning(text: str) -> float:
    """Less for a clause about something that only another one names."""
    leans = _LEANS.search(text)
    if leans is None:
        return 1.0
    named = [word for word in note_words(text[: leans.start()]) if not is_common(word) and not is_feeling(word)]
    return 1.0 if len(named) > 1 else _LEANING


def _telling_share(text: str, bare: Sequence[str], telling: Sequence[str]) -> float:
    if _EXACT.search(text):
        return _CONCRETE
    happened = _EVENT if _HAPPENED.match(text) else 1.0
    if _NAMES.search(text):
        return happened
    if len(telling) <= 1:
        return _EMPTY
    feelings = sum(map(is_feeling, bare))
    return _MOOD if feelings > len(telling) else happened
