"""Detect dispensable text around an agent's commands: next steps, purposes, reports of success or absence.

The command, the changed lines and the tool's output say the same, and do not claim more than happened.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role
from turnfold_worker.pipeline.turns.reading import Reading

_NEXT: Final = lazy_pattern(
    r"(?i)(?:(?:so|now|next|then|first|finally|instead|okay|ok|again|therefore|to \w+|since|given|before|after|as|once"
    r"|with|in order to|based on)\b[^,.]{0,160}, )?(?:(?:so|now|next|then|first|finally|instead) )?"
    r"(?:let's|let us|let me|i'll|i will|i am going to|i'm going to|we'll|we will|we can now|i can now|i need to"
    r"|(?:we|i) (?:should|need to|can) (?:look|check|search|open|try|find|see|examine|run|view|read|now|next"
    r"|also check))\b"
)
"""The beginning of a sentence that announces what the next command does anyway."""
_PURPOSE: Final = lazy_pattern(
    r"(?i)(?:so )?(?:this|that|it|which|doing so) (?:will|would|should|may|might|could|can) (?:then |also )?"
    r"(?:help|allow|enable|let|give|ensure|tell|show|provide|involve|make it)\b"
)
"""A purpose of the command, whose result follows anyway."""
_WENT_WELL: Final = lazy_pattern(
    r"(?i)\bsuccessfully\b|\b(?:has|have|'ve) (?:now )?(?:been )?(?:\w{2,12}ly )?(?:updated|added|fixed|created|made"
    r"|renamed|changed|modified|implemented|completed|corrected|resolved|applied|replaced|removed)\b"
    r"|\b(?:is|are) (?:now )?(?:fixed|working|complete|resolved|in place)\b|\bworks? (?:now|as expected|correctly)\b"
)
_ABSENT: Final = lazy_pattern(
    r"(?i)\b(?:not|no|any|cannot|unable)\b[^.]{0,60}?\b(?:found|find|available|exist|exists|match|matches|present"
    r"|located|recognized|installed)\b|n't (?:been )?(?:find|found|exist|have|seem to exist|locate)\b"
    r"|\breturned? (?:too many|no|several|many)\b"
)
"""Reports of absence, which the tool's output also states, and the next output may change."""


def is_announced(reading: Reading, clause: str, *, at_work: bool) -> bool:
    """Return whether a clause of an agent `at_work` says no more than its command or the tools' outputs."""
    if not at_work or reading.turn.role is not Role.ASSISTANT or not (reading.calls or reading.code):
        return False
    return bool(_NEXT.match(clause) or _PURPOSE.match(clause) or _WENT_WELL.search(clause) or _ABSENT.search(clause))
