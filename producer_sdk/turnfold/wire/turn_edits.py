"""Edits, deletions and rewinds: their validation and encoding, and their effect on a turn. Pure.

Tool calls are structure, not words: an edit keeps call ids, calls and results in place, so that a provider still
accepts the group. A deletion keeps only a turn's number, id, role and time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from turnfold.contract.keys import checked_id
from turnfold.contract.records import Importance, StoredTurn, TurnState
from turnfold.contract.tasks import CHANGES, Operation
from turnfold.contract.text import clean
from turnfold.errors import InvalidInput, InvalidTurn
from turnfold.tokens import estimate_tokens
from turnfold.wire.encode import check_size, cleaned_json, content_of, encode
from turnfold.wire.projection import kind_of, project

Words = str | Sequence[Mapping[str, Any]]
"""Text, or a provider's list of content parts."""

_STRUCTURE: Final = ("tool_calls", "tool_call_id", "function_call")
"""Keys of a turn's parts that an edit keeps."""
_CALLS: Final = "tool_use"
_RESULTS: Final = "tool_result"


@dataclass(frozen=True, slots=True)
class TurnChange:
    """A change to turns appended earlier."""

    operation: Operation
    turn_id: str
    """The turn to edit or delete, or the last turn that a rewind keeps."""
    words: Words = ""
    """The new words of an edit."""

    @property
    def body(self) -> bytes:
        """Encode the change as the body of an inbox entry."""
        given: dict[str, Any] = {"turn_id": self.turn_id}
        if self.operation is Operation.EDIT:
            given["content"] = self.words
        return encode(given)

    def of(self, turn: StoredTurn) -> StoredTurn:
        """Return a turn after an edit or a deletion."""
        return deleted(turn) if self.operation is Operation.DELETE else edited(turn, self.words)


def edit(turn_id: str, content: object, *, max_bytes: int) -> TurnChange:
    """Validate an edit. Raises `InvalidTurn`, `InvalidIdentifier`."""
    words = content_of(content)
    if words is None or not project(words).strip():
        raise InvalidTurn("an edit needs content: text or content parts. To remove a turn's text, delete the turn")
    change = TurnChange(Operation.EDIT, checked_id("turn_id", turn_id), cleaned_json(words))
    check_size("an edit", change.body, max_bytes=max_bytes)
    return change


def delete(turn_id: str) -> TurnChange:
    """Validate a deletion. Raises `InvalidIdentifier`."""
    return TurnChange(Operation.DELETE, checked_id("turn_id", turn_id))


def rewind(after: str) -> TurnChange:
    """Validate a rewind. Raises `InvalidIdentifier`."""
    return TurnChange(Operation.REWIND, checked_id("the turn to rewind to", after))


def read_change(operation: str, body: bytes) -> TurnChange:
    """Parse an inbox entry's change. Raises `InvalidInput` for an invalid one."""
    try:
        given = json.loads(body)
        turn_id = checked_id("turn_id", given["turn_id"])
        if operation not in CHANGES:
            raise KeyError(operation)  # noqa: TRY301 - as for a part that is missing
        if operation != Operation.EDIT:
            return TurnChange(Operation(operation), turn_id)
        given_words = content_of(given["content"])
        if given_words is None:
            raise KeyError("content")  # noqa: TRY301 - as any other part that is missing
        words: Words = cleaned_json(given_words)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        msg = f"the body of {operation[:16]!r} is invalid in this version: {type(error).__name__}"
        raise InvalidInput(msg) from error
    return TurnChange(Operation.EDIT, turn_id, words)


def edited(turn: StoredTurn, words: Words) -> StoredTurn:
    """Return a turn with new words, keeping its tool calls and results in place."""
    parts_before = turn.parts or {}
    parts = {key: parts_before[key] for key in _STRUCTURE if key in parts_before}
    content_part: Any = words
    if isinstance(words, str):
        blocks = _tool_blocks(parts_before.get("content"))
        content_part = _around(blocks, words) if blocks else words
    calls = parts.get("tool_calls") or ()
    if not isinstance(content_part, str) or calls:
        parts["content"] = content_part
    content = clean(project(content_part, calls))
    # Without its results the message is the user's again.
    role, name = turn.sent_as
    return replace(
        turn, role=role, name=name, content=content, parts=parts or None, tokens=estimate_tokens(content),
        state=TurnState.STORED, kept=None, without_parts=False,
    )  # fmt: skip


def deleted(turn: StoredTurn) -> StoredTurn:
    """Return the placeholder of a deleted turn: its number, id, role and time."""
    return replace(
        turn, content="", name=None, parts=None, metadata=None, importance=Importance.NORMAL, tokens=0,
        state=TurnState.DELETED, kept=None, without_parts=False,
    )  # fmt: skip


def _tool_blocks(content: object) -> list[Mapping[str, Any]]:
    if not isinstance(content, (list, tuple)):
        return []
    return [block for block in content if isinstance(block, Mapping) and kind_of(block) in {_CALLS, _RESULTS}]


def _around(blocks: Sequence[Mapping[str, Any]], words: str) -> list[Mapping[str, Any]]:
    """Put new words into a provider's blocks: into the first result, or as text before the calls."""
    results = [block for block in blocks if block.get("type") == _RESULTS]
    if not results:
        return [{"type": "text", "text": words}, *blocks]
    return [
        block if block.get("type") == _CALLS else {**block, "content": words if block is results[0] else ""}
        for block in blocks
    ]
