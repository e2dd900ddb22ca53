"""Recall a few notes about the newest question from the turns that a block replaces, right before the question.

The notes follow everything that the provider's prompt cache has; they are selected once per user message, and stay
while an agent works on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold.assemble import Context
from turnfold.chat_history.folding import PricedHistory, TailTurn
from turnfold.contract.text import ends_of
from turnfold.database.steering import says_something
from turnfold.tokens import MESSAGE_TOKENS, TokenCount
from turnfold.wire.projection import project

RECALL_SHARE: Final = 0.12
"""Share of the budget, without the caller's system messages, for recalled notes."""

_HEADER: Final = re.compile(r"\[[^\]\n]*\]")
"""A header line above notes, which has no content of its own."""


def question_of(priced: PricedHistory, behind: Sequence[TailTurn]) -> tuple[TailTurn, str] | None:
    """Return the caller's newest user turn after a block, and the query; None if it has nothing to search for."""
    for turn in reversed(behind):
        if turn.place is None:
            return None
        message: Mapping[str, Any] = priced.history.turns[turn.place].message
        if message.get("role") == "user":
            words = ends_of(project(message.get("content")))
            return (turn, words) if says_something(words) else None
    return None


def recalled(context: Context, block: Context, *, most_tokens: int, count: TokenCount) -> dict[str, Any] | None:
    """Return a message with a context's excerpts that a block does not contain, in their frame; None if none fit."""
    begin, *_, end = [piece.text for piece in context.pieces if piece.part == "frame"] or [""]
    block_lines = frozenset(block.record.splitlines())
    lines = [line for piece in context.pieces if piece.part == "excerpts" for line in piece.text.splitlines()]
    lines = [line for line in lines if line not in block_lines]
    room = most_tokens - MESSAGE_TOKENS - count(begin + end)
    kept = []
    for line in lines:
        room -= count(f"{line}\n")
        if room < 0:
            break
        kept.append(line)
    if all(_HEADER.fullmatch(line) for line in kept):
        return None
    return {"role": "user", "content": begin + "".join(f"{line}\n" for line in kept) + end}
