"""Signs: the properties of a turn that decide where segments end: words, opening, ending, speaker, sentence vector.

A gap is the position before a turn, where a segment may begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from operator import mul
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import as_utc
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.vectors import Vector, numbers_of
from turnfold_worker.pipeline.language.words import telling_words
from turnfold_worker.pipeline.turns.memo import TurnMemo, made_once
from turnfold_worker.pipeline.turns.tool_groups import call_ids, result_ids

READ: Final = 600
"""Code points of a turn that its topic is judged by: as many as its sentence vector is computed from."""

REMEMBERED: Final = 17
"""Number of consecutive turns whose vectors are compared: the ones before a gap and the ones after it."""

_LEAD: Final = (
    r"(?i)^\W{0,4}(?:(?:ok(?:ay)?|so|well|alright|all right|right|now|great|thanks?|thank you|perfect|cool|yes|no|um|uh"
    r"|and|but|yeah|sure|good)[,.! ]+){0,4}"
)
_CUE: Final = lazy_pattern(
    _LEAD + r"(?:next (?:topic|question|item|thing|point|up|on)|(?:the )?(?:next|other) (?:thing|item|point|topic)"
    r"|by the way|btw|moving on|let'?s (?:move|go) on|let'?s (?:talk|start|look|see|turn)|anyway|anyways"
    r"|on (?:a|an)(?:other| different| unrelated) (?:note|topic|subject)|speaking of|first of all|to start with"
    r"|chang\w{1,3} (?:the )?(?:topic|subject)|shall we (?:move|start|go|look|talk)|switching (?:gears|topics?)"
    r"|new (?:topic|question|subject)|(?:one|another) (?:more |other )?(?:thing|question)|different (?:topic|question)"
    r"|unrelated|also\b|i (?:also|now) (?:need|want|have)|now (?:let'?s|i|can|for|we|that)|can you also"
    r"|i'?d also|i would also|what else|is there anything else|do you (?:also|have any other))(?!\w)"
)
_CLOSING: Final = lazy_pattern(
    r"(?i)(?:thanks?(?: you)?|that'?s all|got it|sounds good|good ?bye|bye|see you|talk (?:to you )?(?:soon|later)"
    r"|that (?:helps|works)|perfect|no problem|you'?re welcome|glad (?:i|to)|have a (?:great|good|nice)"
    r"|my pleasure|anything else|enjoy your)(?!\w)"
)
_FAREWELL: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:(?:that|this|it)(?:'?s| is| was| will be| would be)? (?:all|it|everything)"
    r"(?! (?:about|in|of|right|the))|will that be all|(?:am|'?m) (?:all )?(?:set|done|good)(?: for)?"
    r"|(?:nothing|not?) (?:else|more)|(?:have|enjoy) (?:a|your|the) (?:\w+ )?(?:\w+ )?(?:day|one|time|evening|night"
    r"|weekend|trip|stay|meal|flight|movie|visit)|good ?bye|bye|take care|see (?:you|ya)"
    r"|you(?:'?re| are) (?:very |most )?welcome|my pleasure"
    r"|(?:glad|happy|pleased) (?:i could|to (?:help|assist|be of)|to have (?:helped|been))"
    r"|(?:thanks|thank you|appreciate)[\w ]{0,16} (?:help|assistance|service|time))(?!\w)"
)
_POINTING: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:it|its|they|their|them|he|she|his|her|him|that(?! i\b)|those|these|this|there|one|ones|same|instead"
    r"|others?|else|more|the (?:first|second|third|last|previous|above|other|latter|former|rest))(?!\w)"
)
_INTRODUCING: Final = lazy_pattern(r"(?i)(?<!\w)(?:an?|some|any) (?!(?:lot|bit|few|little|while|more|other)(?!\w))\w")
_MARKER: Final = lazy_pattern(r"(?i)^\W{0,4}(?:so|ok(?:ay)?|'kay|right|alright|all right|well|now|um|good)(?!\w)")
_GREETING: Final = lazy_pattern(
    r"(?i)^\W{0,4}(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|welcome)(?!\w)"
)
_REPLY: Final = lazy_pattern(
    r"(?i)^\W{0,4}(?:yes|yeah|yep|yup|no|nope|not|ok(?:ay)?|sure|right|correct|exactly|of course"
    r"|i (?:do|did|don'?t|am|was|have|haven'?t|think so|see|agree|already)|that'?s|true|absolutely|definitely|maybe|mm"
    r"|uh-?huh|hmm|oh|wow|ha+h?|cool|nice|awesome|great|interesting|really|me too|same|lol)(?!\w)"
)
_LEANING: Final = lazy_pattern(
    r"(?i)^\W{0,4}(?:(?:and|but|or|so|then|because|ok(?:ay)?|well|yes|no|what|how|why|where|when|who|can|could|do|does|did|is"
    r"|was|will|would|should|if|about|i|you|think|like|that'?s)[,.]? ){0,4}"
    r"(?:it|its|that|this|those|these|they|them|he|she|him|her|there|one|ones|then|either|neither|same|else|such)(?!\w)"
)
_ASKING: Final = lazy_pattern(
    r"(?i)(?:^|[.!,;] )\W{0,4}(?:(?:and|but|so|ok(?:ay)?|well|yes|no|also|now|hi|hello|thanks|please)[,.!]? ){0,3}"
    r"(?:how|what|where|when|who|which|why|can|could|do|does|is|are|will|would|should|may|tell me|show me|explain|find"
    r"|help me|give me|write|please|i (?:want|need|would like|am looking)|i'?d like|i'?m looking)(?!\w)"
)
_ABOUT_TALK: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:meetings?|agenda|presentations?|present(?:ed|ing)?|slides?|minutes|discuss(?:ed|ion|ions|ing)?"
    r"|topics?|items?|summar(?:y|ies|i[sz]e[ds]?|i[sz]ing)|start(?:ed|ing)?|begin(?:ning)?|finish(?:ed)?|end|next|first"
    r"|finally|mov(?:e|ing) on|go(?:ing)? (?:on|back)|continue|questions?|talk(?:ed|ing)? about|introduc(?:e|ed|tion)"
    r"|conclu(?:de|ded|sion|sions)|another|overview|by the way|btw|anyway)(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Signs:
    """The properties of a turn that decide boundaries."""

    seq: int
    role: Role
    speaker: str
    tokens: int
    created_at: datetime | None
    calls: tuple[str, ...]
    answers: tuple[str, ...]
    words: dict[str, int]
    """Weights of the distinct telling words."""
    length: int
    """Number of words in the part that is read."""
    cue: bool
    marker: bool
    """Begins with a word such as "so" or "okay", which often opens a new thread."""
    about_talk: int
    """Number of words about the conversation itself: the agenda, who is next, what was discussed."""
    closing: bool
    farewell: bool
    """Says that everything is done, or says goodbye."""
    pointing: int
    """Number of words that refer back, such as pronouns, anywhere in the opening."""
    introducing: int
    """Number of indefinite phrases, which introduce new things: "a hotel", "some songs"."""
    greeting: bool
    reply: bool
    leaning: bool
    """Begins with a word that refers back."""
    asking: bool
    """Begins like a question or a request."""
    asks: bool
    """Ends in a question mark."""
    numbers: Sequence[int] | None
    """Sentence vector as signed bytes: empty if the turn has none, None if there is no sentence model."""
    products: tuple[int, ...]
    """Dot products of the vector with itself, the previous turn's, the one before, and so on, at most `REMEMBERED`."""


def signs_of(
    turn: StoredTurn, vector: Vector | None = None, turns_before: Sequence[Signs] = (), memo: TurnMemo | None = None
) -> Signs:
    """Extract the signs of a turn; `turns_before` are the signs of the turns right before it, without gaps."""
    numbers = None if vector is None else numbers_of(vector)
    head = turn.content[:READ]
    heard: dict[str, Any] = made_once(memo, "signs", "", lambda: _heard(head), pack=dict, unpack=dict)
    return Signs(
        **heard,
        seq=turn.seq,
        role=turn.role,
        speaker=turn.speaker,
        tokens=turn.tokens,
        created_at=turn.created_at and as_utc(turn.created_at),
        calls=call_ids(turn),
        answers=result_ids(turn),
        asks=turn.content[-20:].rstrip(" \n*_)\"'").endswith(("?", "\uff1f")),
        numbers=numbers,
        products=_products(numbers, turns_before),
    )


@lru_cache(maxsize=64)
def _heard(head: str) -> dict[str, Any]:
    """Extract the signs that depend on the words alone; cached, because the turns after a cut are read again."""
    return {
        "words": dict(telling_words(head)),
        "length": head.count(" ") + 1 if head else 0,
        "cue": _CUE.match(head) is not None,
        "marker": _MARKER.match(head) is not None,
        "about_talk": len(_ABOUT_TALK.findall(head)),
        "closing": _CLOSING.search(head[:200]) is not None,
        "farewell": _FAREWELL.search(head[:200]) is not None,
        "pointing": len(_POINTING.findall(head[:120])),
        "introducing": len(_INTRODUCING.findall(head[:120])),
        "greeting": _GREETING.match(head) is not None,
        "reply": _REPLY.match(head) is not None,
        "leaning": _LEANING.match(head) is not None,
        "asking": _ASKING.search(head) is not None,
    }


def _products(numbers: Sequence[int] | None, turns_before: Sequence[Signs]) -> tuple[int, ...]:
    if not numbers:
        return ()
    directions = [numbers, *(turn.numbers or () for turn in reversed(turns_before[1 - REMEMBERED :]))]
    # Vectors of different dimensions come from different models and are not comparable.
    return tuple(sum(map(mul, numbers, other)) if len(other) == len(numbers) else 0 for other in directions)
