"""What the head of the anchors looks at beside sentence vectors: numbers from 0 to 1 about each turn of a segment.

What the rules made of the turn, a few words that go with plans and with small talk, how long it is, and who speaks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from turnfold_worker.pipeline.acts import Found
from turnfold_worker.pipeline.reading import Reading
from turnfold_worker.pipeline.spoken import plain_words, without_fillers

LOOKED_AT: Final = 600
"""Code points of a turn in which words are looked for: as many as its sentence vector is made from."""
_LONG: Final = 40
"""Words from which a turn is simply long."""

CUES: Final = {
    name: re.compile(pattern)
    for name, pattern in {
        "next": r"\bnext (?:meeting|session|time|call|week)\b|\bbefore next\b|\buntil then\b"
        r"|\b(?:in the )?mean(?:time|while)\b|\bhalf an hour\b|\bthirty minutes\b",
        "you": r"\byour?\b",
        "you will": r"\byou(?:'ll| will| should| can| could| have| need|'re| are)\b|\byou (?:two|guys)\b",
        "i will": r"\bi(?:'ll| will|'m (?:going|gonna)| should| can| could)\b",
        "we will": r"\bwe(?:'ll| will|'re (?:going|gonna)| need| have| should| can| could)\b",
        "they will": r"\b\w{1,20}(?:'ll| will| should)\b",
        "work": r"\bwork(?:ing)? (?:on|together|out)\b|\blook(?:ing)? (?:at|into)\b|\bcome up with\b|\bprepare|\bfocus"
        r"|\b(?:make|do|get|ask)\b|\bwrite|\bsend|\bfind out\b|\bcheck|\btalk to\b",
        "will": r"\bwill\b|'ll\b",
        "going to": r"\b(?:going to|gonna)\b",
        "duty": r"\b(?:should|need|have to|supposed)\b",
        "papers": r"\be-?mail|\bminutes\b|\bfolder\b|\breport\b|\binstructions\b|\bdocument|\bquestionnaire",
        "closing": r"\b(?:finish|wrap up|end of|that's it|that is it|summar|any (?:other )?questions|see you|thank you"
        r"|thanks|bye|meeting|lunch|done)\b",
        "past": r"\b(?:was|were|did|had|said|\w{2,20}ed)\b",
        "condition": r"^(?:if|when|so if)\b",
        "asks": r"\?\s*$",
        "perhaps": r"\b(?:would|could|might|maybe)\b",
        "not": r"n't\b|\bnot\b",
        "mind": r"\b(?:think|know|guess|mean|like)\b",
        "joint": r"^(?:and|so|well|then)\b",
    }.items()
}
"""Words that may tell something, by name. They look at one turn as `acts.plain_words` gives it, without fillers."""


def evidence_of(readings: Sequence[Reading], acts: Sequence[Sequence[Found]]) -> list[dict[str, float]]:
    """Evidence about each turn of a segment, by name; what is not there is 0."""
    turns_of = Counter(reading.speaker for reading in readings)
    evidence: list[dict[str, float]] = []
    for at, (reading, found) in enumerate(zip(readings, acts, strict=True)):
        said = without_fillers(plain_words(reading.turn.content[:LOOKED_AT]))
        about = {f"cue {name}": 1.0 for name, pattern in CUES.items() if pattern.search(said)}
        about |= _length(said)
        for one in found:
            about[f"act {one.act}"] = max(about.get(f"act {one.act}", 0.0), one.points / 100)
            about[f"rule {one.rule}"] = 1.0
        about["share"] = turns_of[reading.speaker] / len(readings)
        if at and readings[at - 1].speaker == reading.speaker:
            about["goes on"] = 1.0
        if at + 1 < len(readings) and readings[at + 1].speaker == reading.speaker:
            about["went on"] = 1.0
        evidence.append(about)
    return evidence


def _length(said: str) -> dict[str, float]:
    count = len(said.split())
    steps = {f"{least} words": 1.0 for least in (3, 6, 12) if count >= least}
    return {"words": min(count, _LONG) / _LONG, **steps}
