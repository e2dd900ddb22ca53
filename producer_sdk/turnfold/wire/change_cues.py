"""Cues that a turn may change an earlier statement: such a turn is folded at once, not in a batch. Pure."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role

_LOOKED: Final = 4_000
"""Code points of a turn that are searched."""
_CORRECTS: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:actually|correction|instead|scratch that|strike that|never ?mind|no longer|any ?more|any longer"
    r"|change of plans?|changed (?:my|our|his|her|their) minds?|on second thoughts?|i meant|we meant|i was wrong"
    r"|that(?:'s| is| was) (?:wrong|not right|outdated)|(?:forget|ignore) (?:what|that|the|about|it)|disregard"
    r"|take (?:that|it) back|not (?:\w+ ){0,3}but|from now on|as of|effective|update:|new plan)(?!\w)"
)
_CHANGES: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:(?:has|have|had|was|were|is|are|been|got|we|i|they)(?:'ve)? (?:now )?(?:moved|changed|postponed"
    r"|rescheduled|pushed|switched|replaced|renamed|cancel+ed|dropped|raised|lowered|increased|reduced|extended"
    r"|upgraded|migrated)|(?:cancel|switch|rename|replace|drop|undo|revert|stop) (?:the|that|this|my|our|it|to))(?!\w)"
)
_DENIES: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:(?:do|does|will|ca|must|need|is|are)(?:n't| not)|cannot|never) (?:\w+ ){0,2}"
    r"(?:need|want|use|have to|like|eat|drink|work|live|plan|go|take|buy|allow|accept|store|keep|hold|ship|send)(?!\w)"
)
_NEW_VALUE: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:(?:is|are|it's|to|at) now|now (?:is|are|at|costs?|runs?|uses?|takes?)|the new|new \w+ (?:is|are)"
    r"|(?:up|down) (?:from|to))(?!\w)"
)


def may_change(role: str, text: str) -> bool:
    """Whether the text of a user or system turn has cues of a correction, denial or replacement.

    >>> may_change("user", "Actually, make the budget 3,500 euros.")
    True
    >>> may_change("user", "Nice, thank you!")
    False
    """
    if role not in {Role.USER, Role.SYSTEM}:
        return False
    read = text[:_LOOKED].replace("\u2019", "'")
    return any(cues.search(read) for cues in (_CORRECTS, _CHANGES, _DENIES, _NEW_VALUE))
