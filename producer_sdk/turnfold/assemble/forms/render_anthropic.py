"""Render recent turns as Anthropic messages: user first, roles alternating, tool results first in a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from turnfold.assemble.forms.chat import ChatBlock, ShownTurn, blocks_of, mappings
from turnfold.assemble.forms.content_parts import THOUGHT_TYPES, anthropic_blocks, arguments_object, replayed
from turnfold.assemble.forms.seal import opener, tool_note
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role

Message = dict[str, Any]
Block = dict[str, Any]

_NOT_IN_IDS: Final = lazy_pattern(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 128


def anthropic_messages(record: str, chat: ChatBlock, *, stable_length: int = 0) -> list[Message]:
    """The record as a user message, then the turns, neighbours of one role joined; the system text is sent separately.

    The first `stable_length` code points of the record are a block of their own, marked for the provider's cache.
    """
    joined: list[tuple[str, list[Block]]] = [("user", cached_blocks(record, stable_length))] if record else []
    for turn in chat.turns:
        voice, blocks = anthropic_turn(turn, chat.seal)
        if not blocks:
            continue
        if not joined and voice == "assistant":
            joined.append(("user", [_text(opener(chat.seal))]))
        if joined and joined[-1][0] == voice:
            joined[-1][1].extend(blocks)
        else:
            joined.append((voice, list(blocks)))
    return [{"role": voice, "content": _content(blocks)} for voice, blocks in joined]


def cached_blocks(text: str, stable_length: int) -> list[Block]:
    """Split a text into blocks, the stable prefix marked for the cache."""
    stable, changing = text[:stable_length], text[stable_length:]
    blocks: list[Block] = []
    if stable.strip():
        blocks.append({**_text(stable), "cache_control": {"type": "ephemeral"}})
    return [*blocks, _text(changing)] if changing.strip() else blocks


def anthropic_turn(shown_turn: ShownTurn, seal: str) -> tuple[str, list[Block]]:
    """Role and content blocks of one turn; no blocks for an empty turn."""
    turn = shown_turn.turn
    voice = "assistant" if turn.role is Role.ASSISTANT else "user"
    if shown_turn.hidden:
        return voice, []
    if shown_turn.native and turn.parts:
        return voice, _with_parts(shown_turn, turn.parts, seal)
    if turn.role is Role.TOOL:
        return voice, [_text(tool_note(seal) + shown_turn.content)]
    if not shown_turn.content.strip():
        return voice, []
    return voice, [_text(shown_turn.content)]


def _with_parts(shown_turn: ShownTurn, parts: Mapping[str, Any], seal: str) -> list[Block]:
    turn = shown_turn.turn
    if turn.role is Role.TOOL and isinstance(parts.get("tool_call_id"), str):
        call_id = _call_id(shown_turn, parts["tool_call_id"])
        return [{"type": "tool_result", "tool_use_id": call_id, "content": shown_turn.content}]
    results = [
        {**replayed(block), "tool_use_id": _call_id(shown_turn, block.get("tool_use_id"))}
        for block in blocks_of(turn, "tool_result")
    ]
    if turn.role is Role.TOOL and (shown_turn.marker is not None or not results):
        return [_text(tool_note(seal) + shown_turn.content)]
    if shown_turn.marker is not None:
        return [_text(shown_turn.content)]
    sender, _ = turn.sent_as
    if sender is Role.TOOL:
        return results
    calls = _calls(shown_turn)
    given = parts.get("content", None if calls else shown_turn.content)
    spoken_blocks = anthropic_blocks(given, images=sender is Role.USER)
    while spoken_blocks and not calls and spoken_blocks[-1]["type"] in THOUGHT_TYPES:
        # Anthropic rejects a message that ends with a thought.
        spoken_blocks.pop()
    return [*results, *spoken_blocks, *calls]


def _calls(shown_turn: ShownTurn) -> list[Block]:
    if shown_turn.turn.role is not Role.ASSISTANT:
        return []
    blocks: list[Block] = []
    for call in mappings((shown_turn.turn.parts or {}).get("tool_calls")):
        inner = next((call[kind] for kind in ("function", "custom") if isinstance(call.get(kind), Mapping)), call)
        blocks.append({"type": "tool_use", **_called(shown_turn, call.get("id"), inner, "arguments")})
    blocks.extend(
        {**replayed(block), **_called(shown_turn, block.get("id"), block)}
        for block in blocks_of(shown_turn.turn, "tool_use")
    )
    return blocks


def _called(shown_turn: ShownTurn, given_id: object, call: Mapping[str, Any], *arguments: str) -> Block:
    """Id, name and input of a call in Anthropic's form."""
    given = next((call[key] for key in (*arguments, "input") if key in call), None)
    name = _NOT_IN_IDS.sub("_", str(call.get("name") or "tool"))[:_LONGEST_NAME]
    return {"id": _call_id(shown_turn, given_id), "name": name, "input": arguments_object(given)}


def _call_id(shown_turn: ShownTurn, given: object) -> str:
    """A call's id in the characters that Anthropic accepts; a repeated id gets the number of its turn."""
    letters = _NOT_IN_IDS.sub(lambda odd: f"_{ord(odd[0]):x}", str(given))
    return f"{letters}_{shown_turn.again}" if shown_turn.again else letters


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _content(blocks: list[Block]) -> object:
    """A single text as a string, the shortest form; else the blocks."""
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
        return blocks[0]["text"]
    return blocks
