"""What a clause says to somebody who reads nothing but it: less without a verb, or of what is not named."""

from __future__ import annotations

import re
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
    if _EXACT.search(text):
        return _CONCRETE
    happened = _EVENT if _HAPPENED.match(text) else 1.0
    if _NAMES.search(text):
        return happened
    if len(telling) <= 1:
        return _EMPTY
    feelings = sum(map(is_feeling, bare))
    return _MOOD if feelings > len(telling) else happened
