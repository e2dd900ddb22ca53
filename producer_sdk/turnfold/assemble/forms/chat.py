"""The recent turns as they are shown: whole or clipped, with their tool calls or as plain text.

Providers reject a tool result without its call, and a call without its results. So a group is replayed only when
it is whole: a call, then results that answer every one of its ids and nothing else. At the very end of a
conversation a group may still be open. Every other call or result is shown as plain text. Some servers restart their
call ids with each answer: groups that repeat earlier ids are marked, since Anthropic rejects repeated ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from turnfold.assemble.turns import Turns
from turnfold.contract.records import Role, StoredTurn


class ShownTurn(NamedTuple):
    """A turn in the recent block."""

    turn: StoredTurn
    content: str
    """The turn's text, clipped around a marker if it is too long."""
    marker: str | None = None
    """Marker of the whole turn if the turn is clipped, empty while the turn has no number; None for a whole turn."""
    native: bool = True
    """Whether the provider's parts are replayed; otherwise only `content` is shown."""
    hidden: bool = False
    """Shown in the system text instead, or deleted."""
    again: int = 0
    """Number of the calling turn if an earlier group has the same ids, to tell the groups apart; else 0."""


@dataclass(frozen=True, slots=True)
class ChatBlock:
    """The recent turns in order, ready for any form."""

    turns: tuple[ShownTurn, ...] = ()
    seal: str = ""
    """Token in the lines that we write in the user's voice."""


def whole(turn: StoredTurn) -> ShownTurn:
    return ShownTurn(turn, turn.content)


def call_ids(turn: StoredTurn) -> list[object]:
    """Ids of the calls that an assistant's turn makes, in either provider's form."""
    if not turn.parts or turn.role is not Role.ASSISTANT:
        return []
    ids = [call.get("id") for call in mappings(turn.parts.get("tool_calls"))]
    return ids + [block.get("id") for block in blocks_of(turn, "tool_use")]


def result_ids(turn: StoredTurn) -> list[object]:
    """Ids of the calls that a turn answers, in either provider's form."""
    if not turn.parts or turn.role is not Role.TOOL:
        return []
    single = turn.parts.get("tool_call_id")
    return [single] if single is not None else [b.get("tool_use_id") for b in blocks_of(turn, "tool_result")]


def blocks_of(turn: StoredTurn, kind: str) -> Iterator[Mapping[str, Any]]:
    """Content parts of one type."""
    return (block for block in mappings((turn.parts or {}).get("content")) if block.get("type") == kind)


def mappings(value: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a list; nothing when `value` is not a list."""
    if isinstance(value, (list, tuple)):
        yield from (item for item in value if isinstance(item, Mapping))


def with_tool_groups(turns: Sequence[ShownTurn]) -> tuple[ShownTurn, ...]:
    """Mark the turns of broken tool groups as plain text and groups with repeated ids; earlier marks do not count."""
    if not any(_has_tools(turn.turn) for turn in turns):
        return tuple(turns)
    turns = [_unsettled(turn) for turn in turns]
    settled = list(turns)
    known: set[object] = set()
    at = 0
    while at < len(turns):
        end, is_whole = _group_at(turns, at)
        if not is_whole:
            settled[at:end] = [turn._replace(native=not _has_tools(turn.turn)) for turn in turns[at:end]]
        elif ids := call_ids(turns[at].turn):
            if not known.isdisjoint(ids):
                settled[at:end] = [turn._replace(again=turns[at].turn.seq) for turn in turns[at:end]]
            known.update(ids)
        at = end
    return tuple(settled)


def _unsettled(shown_turn: ShownTurn) -> ShownTurn:
    if shown_turn.again or not (shown_turn.native or shown_turn.marker is not None):
        return shown_turn._replace(native=shown_turn.native or shown_turn.marker is None, again=0)
    return shown_turn


def inside_groups(turns: Turns) -> frozenset[int]:
    """Numbers of the turns at which a window may not begin, because it would split a tool group."""
    if not turns.has_parts:
        return frozenset()
    shown_turns = [whole(turn) for turn in turns.shapes()]
    inside: set[int] = set()
    at = 0
    while at < len(shown_turns):
        end, _ = _group_at(shown_turns, at)
        inside.update(shown_turn.turn.seq for shown_turn in shown_turns[at + 1 : end])
        at = end
    return frozenset(inside)


def _has_tools(turn: StoredTurn) -> bool:
    return turn.role is Role.TOOL or bool(call_ids(turn))


def _replayable(shown_turn: ShownTurn) -> bool:
    """Whether a turn can be replayed in its group; a clipped result can when it is one piece of text."""
    if shown_turn.marker is None:
        return shown_turn.native
    single = (shown_turn.turn.parts or {}).get("tool_call_id")
    return shown_turn.native and shown_turn.turn.role is Role.TOOL and isinstance(single, str)


def _group_at(turns: Sequence[ShownTurn], at: int) -> tuple[int, bool]:
    """End of the group that begins at `at`, and whether it can be replayed. A turn without tools is its own group."""
    if not _has_tools(turns[at].turn):
        return at + 1, True
    ids = call_ids(turns[at].turn)
    open_ids = {call_id for call_id in ids if isinstance(call_id, str) and call_id}
    sound = bool(ids) and len(open_ids) == len(ids) and not result_ids(turns[at].turn) and _replayable(turns[at])
    if not open_ids:
        return at + 1, False
    end = at + 1
    while open_ids and end < len(turns):
        answered = result_ids(turns[end].turn)
        if (
            not answered
            or len(set(map(str, answered))) != len(answered)
            or not open_ids.issuperset(call_id for call_id in answered if isinstance(call_id, str))
            or not all(isinstance(call_id, str) for call_id in answered)
        ):
            break
        open_ids.difference_update(call_id for call_id in answered if isinstance(call_id, str))
        sound = sound and _replayable(turns[end])
        end += 1
    return end, sound and (not open_ids or end == len(turns))
