"""Manuals: the standing instructions of a harness, long passages that tell an agent how to work.

One or two such sentences are a person's wish and count like any other. A manual is the same for every task, so its
text is not what the conversation is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role
from turnfold_worker.pipeline.language.prose import Span

SHORTEST: Final = 1_000
"""Minimum code points of a turn with a manual."""
_LEAST: Final = 6
"""Minimum excess of instructing sentences over others in a manual."""
_TO_YOU: Final = lazy_pattern(r"(?i)\b(?:you|your|yourself)\b")
_ORDERS: Final = lazy_pattern(
    r"(?i)\W*(?:always|never|note|remember|make sure|be sure|avoid|do not|don't|do this|then|instead|if|when|only"
    r"|ensure|use|edit|run|write|follow|keep|check|wait|please)\b"
)


def manual_in(content: str, sentences: Sequence[Span], role: Role) -> Span | None:
    """Return the run of sentences with the largest excess of instructions, if large enough for a manual; else None."""
    if len(content) < SHORTEST or role is Role.ASSISTANT or len(sentences) < _LEAST:
        return None
    best, stretch = 0, None
    above, start = 0, 0
    for sentence in sentences:
        if above <= 0:
            above, start = 0, sentence.start
        above += 1 if _instructs(content, sentence) else -1
        if above > best:
            best, stretch = above, Span(start, sentence.end)
    return _begun_later(content, sentences, stretch) if stretch is not None and best >= _LEAST else None


def _begun_later(content: str, sentences: Sequence[Span], manual: Span) -> Span:
    """Drop leading sentences of a manual that two or more blank lines separate from the rest."""
    inside = [sentence for sentence in sentences if manual.start <= sentence.start < manual.end]
    first = 0
    while first < _LEAST and "\n\n\n" in content[inside[first].end : inside[first + 1].start].replace("\r", ""):
        first += 1
    return Span(inside[first].start, manual.end)


def _instructs(content: str, sentence: Span) -> bool:
    return bool(
        _ORDERS.match(content, sentence.start, sentence.end) or _TO_YOU.search(content, sentence.start, sentence.end)
    )
