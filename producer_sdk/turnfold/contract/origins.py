"""Where words come from: of turns by who speaks, of notes by their voice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turnfold.contract.records import Origin, Role, StoredTurn

OUTSIDE: Final = str(Origin.OUTSIDE)
"""The voice of notes on what nobody who takes part said: fetched pages, pasted mails. A voice is a role, or this."""
_TRUST: Final = tuple(Origin)
_BY_VOICE: Final = {
    str(Role.ASSISTANT): Origin.ASSISTANT, str(Role.TOOL): Origin.TOOL, OUTSIDE: Origin.OUTSIDE,
}  # fmt: skip


def origin_of(voice: str) -> Origin:
    """The origin of words in a voice.

    >>> origin_of("tool"), origin_of("developer")
    (<Origin.TOOL: 'tool'>, <Origin.USER: 'user'>)
    """
    return _BY_VOICE.get(voice, Origin.USER)


def least_trusted(origins: Iterable[Origin]) -> Origin:
    """The origin of what is made of words of several; a person's of none."""
    return max(origins, key=_TRUST.index, default=Origin.USER)


def holds_tool_words(turn: StoredTurn) -> bool:
    """Whether a tool wrote the words of a turn, in whichever role a provider sends them."""
    blocks = (turn.parts or {}).get("content")
    listed = blocks if isinstance(blocks, list) else ()
    return turn.role is Role.TOOL or any(
        isinstance(part, dict) and part.get("type") == "tool_result" for part in listed
    )


def turn_origin(turn: StoredTurn) -> Origin:
    """The origin of a turn as a whole; a person's turn may quote others."""
    return Origin.TOOL if holds_tool_words(turn) else origin_of(str(turn.role))
