"""Recognize questions about the conversation itself: in what order, or in which sessions, topics came up. Pure.

Their frame ("can you list the order in which I brought up", "across our conversations") is about talking, and notes
that contain its words ("the order does not matter", "as you mentioned") answer nothing.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.passages import Passage
from turnfold.contract.records import Role

_TELLING: Final = (
    r"(?:bring|brought|mention(?:ed)?|raised?|discuss(?:ed)?|talk(?:ed)?|ask(?:ed)?|introduced?|touch(?:ed)?|came|come"
    r"|spoke|speak|cover(?:ed)?|describ(?:e|ed)|told|tell|said|say)(?: (?:up|about|on|of))?"
)
_TALK: Final = r"(?:conversation|chat|message|session|discussion|request|question|talk|exchange|dialogue|thread)s?"
_ORDER: Final = lazy_pattern(
    r"(?i)\b(?:in (?:what|which) (?:order|sequence)|the (?:order|sequence) (?:in which|that|of|i|we)\b"
    r"|(?:in|the) chronological (?:order|sequence)|in (?:the )?(?:order|sequence) (?:in which|that|i|we)\b"
    rf"|what (?:did (?:i|we)|was) {_TELLING} first)\b"
)
_ACROSS: Final = lazy_pattern(
    r"(?i)\b(?:throughout|across|over|during|in|from|based on) (?:the course of )?(?:all )?(?:of )?"
    rf"(?:our|my|the|these) (?:\w+ )?{_TALK}(?: (?:with you|so far|about))?(?!\w)"
)
"""Names the conversation as the place to search."""
_FRAME: Final = lazy_pattern(
    r"(?i)\b(?:"
    r"(?:(?:can|could|would) you (?:please )?|please )?(?:list|walk me through|take me through|tell me|give me|recount)"
    r"|in (?:what|which) (?:order|sequence)|the (?:order|sequence) (?:in which|that|of)"
    r"|in (?:the )?(?:chronological )?(?:order|sequence)"
    rf"|(?:did (?:i|we)|(?:i|we) have|have (?:i|we)|(?:i|we)'ve|i|we) (?:first |ever )?{_TELLING}"
    r"|(?:the )?(?:different|various|several|main|key) (?:aspects|topics|parts|things|points|issues|subjects|themes)"
    r"(?: (?:of|about|related to|regarding))?"
    r"|(?:(?:mention|list|give|name|use) )?only (?:and only )?(?:\w+ )?(?:items?|points?|things?|topics?)"
    r")(?!\w)"
)
"""Parts of a question for an order that only ask for it."""
_OWN: Final = lazy_pattern(rf"(?:\bI(?: first| ever|'ve)? |\bhave I |\bdid I )(?:first )?{_TELLING}(?!\w)")


def asks_for_order(question: str) -> bool:
    """Whether a question asks in what order things came up in the conversation.

    >>> asks_for_order("In what order did I bring up the lease, the van and the dog?")
    True
    >>> asks_for_order("What did I order for lunch?")
    False
    """
    return _ORDER.search(question) is not None


def subject_of(question: str) -> str:
    """Strip from a question the conversation as the place to search, and from one for an order what asks for it.

    The question is returned as it is if nothing else is left.

    >>> subject_of("In what order did I bring up the lease and the van across our conversations?")
    'the lease and the van?'
    """
    left = _ACROSS.sub(" ", question)
    left = " ".join((_FRAME.sub(" ", left) if asks_for_order(question) else left).split())
    left = left.replace(" ?", "?").strip(" ,.")
    return left if any(map(str.isalnum, left)) else question


def of_asker(question: str, passages: list[Passage]) -> list[Passage]:
    """Keep users' passages if a question asks what the asker brought up; all if there are none."""
    if not _OWN.search(question):
        return passages
    return [passage for passage in passages if passage.notes[0].role == Role.USER] or passages
