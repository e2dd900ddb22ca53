"""Scale a clause's worth by whether it tells of an event in a conversation between people. Pure.

`salience` is trained on labelled talk, which has few long conversations of people who know each other. What they later
ask about is who did what on which day; not praise, moods, general truths or echoes of the other's words.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import MONTHS
from turnfold.contract.terms import STEMS
from turnfold.contract.words import note_words
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.rarity import is_feeling
from turnfold_worker.pipeline.notes.whole import PAST

_DID: Final = 1.4
"""Factor for a clause in which a person did something."""
_DATED: Final = 1.2
"""Factor for a day, month or year, which tells one event from another of the same kind."""
_PRAISES: Final = 0.4
_TRUTH: Final = 0.5
_OF_NOBODY: Final = 0.8
"""Factor for a clause without its speaker, a name or a number."""
_FEELS: Final = 0.7
_MIRRORS: Final = 0.5
_MIRRORED: Final = 0.5
"""Share of a clause's content words from the turn before that makes the clause an echo."""
_OFTEN: Final = r"(?:(?:just|really|also|even|actually|finally|already|recently|still|then|once|never|both|all) ){0,3}"
_DEED: Final = lazy_pattern(
    r"(?i)(?:^|(?:^|[,;:–—-] |\b(?:and|but|so|that|when|since|after|before|because|day|time|\w+ly) )"
    r"(?:(?:my|our) [\w'-]+|(?:i|we|he|she|they)(?:'ve|'d| have| had)?) )"
    rf"{_OFTEN}(?!(?:could|would|will|won't|can|can't|couldn't|wouldn't|felt)\b)(?:{PAST}|been|done|gone|seen|taken)\b"
)
"""A deed: 'I just ran', 'when we'd met', 'Just got'; not what a person would do, could do or felt."""
_DAY: Final = lazy_pattern(
    rf"\b(?:{'|'.join(MONTHS)}) (?:\d{{1,2}}, )?\d{{4}}\b"
    r"|\b(?:in|of|since|summer|winter|spring|autumn|fall) (?:19|20)\d\d\b"
)
_PRAISE: Final = lazy_pattern(
    r"(?i)(?:i )?(?:(?:really|absolutely|just|totally) )?(?:love|like|loving|adore|admire) (?:the|your|that|those|these"
    r"|how|all|it|this)\b"
)
_CHEERS: Final = lazy_pattern(
    r"(?i)\b(?:congrats|congratulations|well done|good (?:job|for you)|way to go|you(?:'ve)? got this|keep it up)\W*$"
    r"|^(?:dang|damn|man|wow|yeah|aw+),? (?:you|your|that)\b"
)
"""Praise: 'Winning is awesome - congrats', 'Dang, you're full of ideas'. What it answers says more."""
_GENERAL: Final = lazy_pattern(
    r"(?i)(?:it's|it is|it must|it can|there's) (?:(?:so|really|always|such|very|just|an?) ){0,2}[\w'-]+(?: \w+)?"
    r" (?:to|how|when|that)\b"
)
"""A general truth: 'It's normal to be nervous', 'It's great how people help'."""
_MOOD: Final = lazy_pattern(
    r"(?i)\b(?:ma[dk]es? me|feel|feels|felt|feeling|means?|meant|grateful|thankful|happy|glad|proud|excited|thrilled"
    r"|stoked|lucky|blessed|inspired|inspiring|inspires|hope|hopefully)\b"
)
_SPEAKER: Final = lazy_pattern(r"(?i)\b(?:i|we|my|our|me|us|mine|ours)\b")
_INNER_NAME: Final = lazy_pattern(r"[^.!?] [A-Z]|[\"\u201c]")


def event_share(clause: str, answered: frozenset[str]) -> float:
    """Return a factor for a clause's worth; `answered` are the stems of the turn before, by another speaker.

    >>> event_share("I ran the harbour race on 7 May 2026", frozenset()) > 1.5
    True
    >>> event_share("It's great to be kind to people", frozenset()) < 0.5
    True
    """
    return prod(_shares(clause, answered), start=1.0)


def stems_of(text: str) -> frozenset[str]:
    """Return the stems that `event_share` compares a reply with."""
    return frozenset(map(STEMS.__getitem__, note_words(text)))


def telling_words(text: str) -> list[str]:
    """Return the words that name something: neither common words nor moods."""
    return [word for word in note_words(text) if not is_common(word) and not is_feeling(word)]


def _shares(clause: str, answered: frozenset[str]) -> Iterator[float]:
    plain = clause.replace("\u2019", "'")
    exact = any(map(str.isdigit, plain))
    mood = _MOOD.search(plain) is not None
    did = not mood and _DEED.search(plain) is not None
    dated = exact and _DAY.search(plain) is not None
    of_speaker = _SPEAKER.search(plain) is not None
    if did:
        yield _DID
    if dated:
        yield _DATED
    if (_PRAISE.match(plain) and len(_SPEAKER.findall(plain)) < 2) or _CHEERS.search(plain):
        yield _PRAISES
    if is_general(plain):
        yield _TRUTH
    if not (of_speaker or did or exact or _INNER_NAME.search(plain)):
        yield _OF_NOBODY
    if mood and not exact:
        yield _FEELS
    if answered and not exact and mirrors(plain, answered):
        yield _MIRRORS


def is_general(clause: str) -> bool:
    """Return whether a clause holds for anybody: 'It's normal to be nervous'."""
    return _GENERAL.match(clause) is not None and _SPEAKER.search(clause) is None


def mirrors(clause: str, answered: frozenset[str]) -> bool:
    """Return whether most content words of a clause come from the turn that it answers."""
    telling = telling_words(clause)
    return bool(telling) and sum([STEMS[word] in answered for word in telling]) >= _MIRRORED * len(telling)
