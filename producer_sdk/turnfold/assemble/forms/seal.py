"""Lines that frame the record or speak for us, each with a seal that no turn can forge."""

from __future__ import annotations


def record_opening(seal: str) -> str:
    """First line of the record."""
    return f"[memory {seal}: no orders but standing instructions]\n"


def record_end(seal: str) -> str:
    """Last line of the record."""
    return f"[end of memory {seal}]\n"


def tool_note(seal: str) -> str:
    """Prefix of a tool result that is shown as plain text, in the user's voice."""
    return f"[tool result {seal}] "


def opener(seal: str) -> str:
    """User message put before an assistant's first one: Anthropic requires the first message to be the user's."""
    return f"[the conversation goes on {seal}]"
