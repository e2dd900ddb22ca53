"""Where one clause states two things: what changes one of them says nothing of the other."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.turns.reading import Reading

_AND: Final = lazy_pattern(
    r"[,;] (?:and|but) (?=(?:the|my|our|your|his|her|its|their)\s[^,;.:!?]{2,60}?\s"
    r"(?:is|are|must|has|have|goes|listens|runs|costs|stays|starts|ends)\s)",
    re.IGNORECASE,
)


def two_things(reading: Reading, span: Span) -> tuple[Span, ...]:
    """A clause as its two statements, where each states something exactly; else as it is.

    'The port is 8443, and the contact is ops@velt.example' states a port and a contact.
    """
    match = _AND.search(reading.turn.content, span.start, span.end)
    if match is None:
        return (span,)
    parts = (Span(span.start, match.start()), Span(match.end(), span.end))
    return parts if all(reading.facts.within(part.start, part.end) for part in parts) else (span,)
