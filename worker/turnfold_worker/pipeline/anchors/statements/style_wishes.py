"""Style wishes for answers: short or long, formal or casual; a later wish supersedes its opposite.

'Keep it short.' and 'Long answers are fine now.' share no word but exclude each other.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.statements.obligations import deed_words
from turnfold_worker.pipeline.language.spoken import is_question, plain_words


class Manner(NamedTuple):
    """One side of a pair of opposite styles."""

    pair: int
    side: int
    about: frozenset[str]
    """Roots of the words for what should have the style; empty for answers in general."""


_PAIRS: Final = (
    (
        "short shorter brief briefly concise concisely terse succinct succinctly compact",
        "long longer lengthy detail details detailed thorough thoroughly verbose elaborate depth",
    ),
    ("formal formally", "informal informally casual casually relaxed colloquial slang"),
    ("simple simply plain simplified", "technical technically jargon"),
)
_SIDES: Final = tuple(tuple(frozenset(side.split()) for side in pair) for pair in _PAIRS)
_NO_MANNER: Final = lazy_pattern(
    r"(?<!\w)(?:(?:any|no) longer|(?:as|so|how) long(?: as)?|long (?:run|term|ago|time)|for long|in short|short of)"
    r"(?!\w)"
)
_WISH: Final = lazy_pattern(
    r"^(?:(?:and|so|but|ok|okay|now|then|please|actually|from now on|in future|in general),? ){0,3}"
    r"(?:keep|be|make|stay|write|answer|reply|respond|explain|use|give|go|no)(?!\w)|"
    r"(?<!\w)(?:always|never|don't|do not|i(?:'d| would)? (?:\w+ly )?(?:want|need|prefer|like)|"
    r"(?:you|it|they) (?:can|may|should|must)|(?:is|are|'s) (?:\w+ )?(?:fine|ok|okay|all right|alright|allowed|"
    r"welcome)|feel free|(?:can|may|should|must|have to|has to|needn't|need not) be)(?!\w)"
)
_TURNED: Final = lazy_pattern(r"(?<!\w)(?:not|no|never|needn't|(?:do|does|should|must)(?:n't)|stop|avoid|too)(?!\w)")
_ANSWERS: Final = deed_words(
    "answer answers answering reply replies response responses respond message messages explanation explanations "
    "explain explaining text texts tone style language english words word terms sentences bit little want prefer like "
    "feel free stay keep from fine welcome so very really much rather generally after while"
)
_MOST_WORDS: Final = 12


@lru_cache(maxsize=1_024)
def manner_of(text: str) -> Manner | None:
    """Return the style that a short text asks for; None if it has no such wish or names more than one style."""
    plain = _NO_MANNER.sub("not", plain_words(text))
    if len(plain.split()) > _MOST_WORDS or is_question(plain) or not _WISH.search(plain):
        return None
    tokens = re.findall(r"[a-z']+", plain)
    manners = {
        (pair, side)
        for pair, sides in enumerate(_SIDES)
        for side, words in enumerate(sides)
        if not words.isdisjoint(tokens)
    }
    if len(manners) != 1:
        return None
    ((pair, side),) = manners
    named = _SIDES[pair][side]
    text_before = plain[: min(plain.index(token) for token in tokens if token in named)]
    turned = _TURNED.search(text_before) is not None
    about = " ".join(token for token in tokens if token not in named and not _TURNED.fullmatch(token))
    return Manner(pair, side ^ turned, deed_words(about) - _ANSWERS)


def turns_round(new: str, old: str) -> bool:
    """Check whether a later text wants the opposite style for the same thing.

    >>> turns_round("Long answers are fine now.", "Keep it short.")
    True
    >>> turns_round("Long answers are fine now.", "Keep the release notes short.")
    False
    """
    now, earlier = manner_of(new), manner_of(old)
    if now is None or earlier is None:
        return False
    return now.pair == earlier.pair and now.side != earlier.side and now.about == earlier.about


def words_of_manner(text: str) -> str:
    """Return the words of both opposites, to look up an earlier wish that a text may reverse; empty without a style."""
    manner = manner_of(text)
    return " ".join(_PAIRS[manner.pair]) if manner else ""
