"""Promised or requested deeds: the verb and its object, and whether the deed is given up."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.statements.obligations import deed_words, deed_words_in_order
from turnfold_worker.pipeline.language.spoken import is_question, plain_words

_ADVERBS: Final = (
    r"(?:(?:also|just|then|now|definitely|certainly|probably|go and|go|please|quickly|try to|first) ){0,3}"
)
_PROMISED: Final = lazy_pattern(
    rf"(?<!\w)(?:i(?:'ll| will| shall)|we(?:'ll| will)|i(?:'m| am) (?:going to|gonna)|let me|"
    rf"i (?:have|need|promise) to|"
    rf"(?:can|could|will|would) (?:you|someone|somebody)|please|remember to|don't forget to|let's|"
    rf"i(?:'d| would) like you to|remind me to|^(?:ok|okay|and|then|so|now)[,.]?) {_ADVERBS}"
    r"(?P<verb>[a-z]+(?:-[a-z]+)?)"
)
_ORDERED: Final = lazy_pattern(r"^(?P<verb>[a-z]+)(?= )")
_GIVEN_UP: Final = lazy_pattern(
    r"(?<!\w)i(?:'m| am) not (?:going to )?(?=\w)|(?<!\w)i (?:can't|cannot|won't|will not|couldn't)(?: \w+ly)? (?=\w)|"
    r"(?<!\w)i (?:won't|will not) be able to |(?<!\w)i(?:'m| am) (?:unable|no longer able) to "
)
_END: Final = lazy_pattern(r"[,;:!?.](?=\s|$)|\s(?:because|since|as|so|but|until|before|unless)(?!\w)")
_CIRCUMSTANCE: Final = lazy_pattern(
    r"[,;:!?.](?=\s|$)|\s(?:to|for|at|by|on|in|before|after|with|from|tonight|tomorrow|today|when|once|if|and|so|then|as|"
    r"within|until|next|this|please)(?!\w)"
)


@lru_cache(maxsize=1_024)
def promised_verb(text: str) -> str:
    """Return the verb of the deed that a text promises or asks for, or an empty string."""
    plain_text = plain_words(text)
    match = _PROMISED.search(plain_text) or _ORDERED.match(plain_text)
    return match["verb"] if match else ""


@lru_cache(maxsize=1_024)
def thing_of(promise: str, verb: str) -> tuple[str, ...]:
    """Return the words of the deed's object, up to the first that introduces a recipient, place or time."""
    return object_words(plain_words(promise).partition(f"{verb} ")[2])


def object_words(statement: str) -> tuple[str, ...]:
    """Return the content words after a verb, up to the first that introduces a recipient, place or time."""
    return deed_words_in_order(_CIRCUMSTANCE.split(statement)[0])


def gives_up(later: str, promise: str) -> bool:
    """Check whether a later text says that the speaker will not do what they promised.

    >>> gives_up("I'm not bringing dessert after all.", "I'll bring the dessert.")
    True
    >>> gives_up("I can't open the dessert box.", "I'll bring the dessert.")
    False
    """
    given_up = _given_up(later)
    verb = promised_verb(promise) if given_up is not None else ""
    if given_up is None or not verb:
        return False
    thing = frozenset(thing_of(promise, verb))
    return bool(thing) and thing <= given_up and deed_words(verb) <= given_up


@lru_cache(maxsize=1_024)
def _given_up(text: str) -> frozenset[str] | None:
    """Return the words of what a text says will not be done, or None. Cached: a text is compared with many promises."""
    plain_text = plain_words(text)
    match = _GIVEN_UP.search(plain_text)
    if match is None or is_question(plain_text):
        return None
    return deed_words(_END.split(plain_text[match.end() :])[0])
