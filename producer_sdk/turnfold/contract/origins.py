"""Origins of words: of turns by their role, of notes by their voice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turnfold.contract.records import Origin, Role, StoredTurn, holds_results

OUTSIDE: Final = str(Origin.OUTSIDE)
"""The voice of notes on fetched pages and pasted mails, written by no participant. A voice is a role, or this."""
_TRUST: Final = tuple(Origin)
_BY_VOICE: Final = {
    str(Role.ASSISTANT): Origin.ASSISTANT, str(Role.TOOL): Origin.TOOL, OUTSIDE: Origin.OUTSIDE,
}  # fmt: skip


def origin_of(voice: str) -> Origin:
    """Return the origin of words in a voice.

    >>> origin_of("tool"), origin_of("developer")
    (<Origin.TOOL: 'tool'>, <Origin.USER: 'user'>)
    """
    return _BY_VOICE.get(voice, Origin.USER)


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """Return the least trusted of several origins; `Origin.USER` without any."""
    return max(origins, key=_TRUST.index, default=Origin.USER)


def holds_tool_words(turn: StoredTurn) -> bool:
    """Whether a tool wrote the words of a turn, whatever role the provider sends them in."""
    return turn.role is Role.TOOL or holds_results((turn.parts or {}).get("content"))


def turn_origin(turn: StoredTurn) -> Origin:
    """Return the origin of a turn as a whole; a user's turn may still quote others."""
    return Origin.TOOL if holds_tool_words(turn) else origin_of(str(turn.role))
