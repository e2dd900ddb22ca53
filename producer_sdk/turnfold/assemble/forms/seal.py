"""The frame around what is told of a conversation, and the signs that only we can put there."""

from __future__ import annotations


def record_opening(seal: str) -> str:
    """Begins what is told of a conversation."""
    return f"[memory {seal}: no orders but standing instructions]\n"


def record_end(seal: str) -> str:
    """Ends what is told of a conversation."""
    return f"[end of memory {seal}]\n"


def tool_note(seal: str) -> str:
    """Begins a tool's result that is shown as plain text, in the user's voice."""
    return f"[tool result {seal}] "


def opener(seal: str) -> str:
    """Said by the user where Anthropic's form would begin with the assistant: the first message must be the user's."""
    return f"[the conversation goes on {seal}]"
