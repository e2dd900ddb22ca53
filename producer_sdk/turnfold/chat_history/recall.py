"""What a question brings back of what a block stands for: a few notes, right before the question.

They stand behind everything that a provider has in its cache, are made once for each message of the user's, and stay
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
"""Of the budget beside the caller's system, what a question may bring back."""

_HEADER: Final = re.compile(r"\[[^\]\n]*\]")
"""Stands above notes, and says nothing by itself."""


def question_of(priced: PricedHistory, behind: Sequence[TailTurn]) -> tuple[TailTurn, str] | None:
    """The caller's newest user turn behind a block, and the words to look for; None where it asks for nothing."""
    for turn in reversed(behind):
        if turn.place is None:
            return None
        message: Mapping[str, Any] = priced.history.turns[turn.place].message
        if message.get("role") == "user":
            words = ends_of(project(message.get("content")))
            return (turn, words) if says_something(words) else None
    return None


def recalled(context: Context, block: Context, *, most_tokens: int, count: TokenCount) -> dict[str, Any] | None:
    """A message of the notes that a question chose and a block does not tell, in their frame; None without any."""
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
