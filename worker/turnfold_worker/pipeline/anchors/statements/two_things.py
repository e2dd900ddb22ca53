"""Where one clause states two things: what changes one of them says nothing of the other."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.anchors.statements.attributes import attributes_of
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.turns.reading import Reading

_AND: Final = lazy_pattern(
    r"[,;] (?:and|but) (?=(?:the|my|our|your|his|her|its|their)\s[^,;.:!?]{2,60}?\s"
    r"(?:is|are|must|has|have|goes|listens|runs|costs|stays|starts|ends)\s)",
    re.IGNORECASE,
)


_JOINT: Final = lazy_pattern(r",? and ")


def two_things(reading: Reading, span: Span) -> tuple[Span, ...]:
    """A clause as its two statements, where each states something exactly; else as it is.

    'The port is 8443, and the contact is ops@velt.example' states a port and a contact.
    """
    content = reading.turn.content
    match = _AND.search(content, span.start, span.end)
    if match is not None:
        parts = (Span(span.start, match.start()), Span(match.end(), span.end))
        return parts if all(reading.facts.within(part.start, part.end) for part in parts) else (span,)
    for joint in _JOINT.finditer(content, span.start, span.end):
        parts = (Span(span.start, joint.start()), Span(joint.end(), span.end))
        if _state_apart(*(content[part.start : part.end] for part in parts)):
            return parts
    return (span,)


def _state_apart(one: str, other: str) -> bool:
    """Whether two texts state values of different attributes: 'I'm 60', 'earning $85,000'."""
    ours, theirs = ({each.name for each in attributes_of(text) if each.changes} for text in (one, other))
    return bool(ours and theirs) and ours.isdisjoint(theirs)
