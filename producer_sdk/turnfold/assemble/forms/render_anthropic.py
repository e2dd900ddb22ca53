"""Recent turns as Anthropic messages: the first is the user's, voices alternate, tool results come first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from turnfold.assemble.forms.chat import TOOL_NOTE, ChatBlock, ShownTurn, blocks_of, mappings
from turnfold.assemble.forms.content_parts import THOUGHT_TYPES, anthropic_blocks, arguments_object, replayed
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role

Message = dict[str, Any]
Block = dict[str, Any]

OPENER: Final = "[The conversation goes on.]"
"""Said by the user where the recent turns begin with the assistant: the first message must be the user's."""

_NOT_IN_IDS: Final = lazy_pattern(r"[^A-Za-z0-9_-]")
_LONGEST_NAME: Final = 128


def anthropic_messages(chat: ChatBlock) -> list[Message]:
    """The turns, neighbours of one voice joined. The system text goes beside them, not among them."""
    joined: list[tuple[str, list[Block]]] = []
    for shown in chat.turns:
        voice, blocks = anthropic_turn(shown)
        if not blocks:
            continue
        if not joined and voice == "assistant":
            joined.append(("user", [{"type": "text", "text": OPENER}]))
        if joined and joined[-1][0] == voice:
            joined[-1][1].extend(blocks)
        else:
            joined.append((voice, list(blocks)))
    return [{"role": voice, "content": _content(blocks)} for voice, blocks in joined]


def anthropic_turn(shown: ShownTurn) -> tuple[str, list[Block]]:
    """Voice and content blocks of one turn; no blocks for an empty turn."""
    turn = shown.turn
    voice = "assistant" if turn.role is Role.ASSISTANT else "user"
    if shown.hidden:
        return voice, []
    if shown.native and turn.parts:
        return voice, _with_parts(shown, turn.parts)
    if turn.role is Role.TOOL:
        return voice, [_text(f"{TOOL_NOTE} {shown.content}")]
    if not shown.content.strip():
        return voice, []
    return voice, [_text(voiced(turn.role, shown.content))]


def voiced(role: Role, content: str) -> str:
    """Content with its role named where Anthropic has no such role."""
    return f"[{role}] {content}" if role in {Role.SYSTEM, Role.DEVELOPER} else content


def _with_parts(shown: ShownTurn, parts: Mapping[str, Any]) -> list[Block]:
    turn = shown.turn
    if turn.role is Role.TOOL and isinstance(parts.get("tool_call_id"), str):
        call_id = _call_id(shown, parts["tool_call_id"])
        return [{"type": "tool_result", "tool_use_id": call_id, "content": shown.content}]
    if shown.marker is not None:
        return [_text(voiced(turn.role, shown.content))]
    results = [
        {**replayed(block), "tool_use_id": _call_id(shown, block.get("tool_use_id"))}
        for block in blocks_of(turn, "tool_result")
    ]
    if turn.role is Role.TOOL:
        return results or [_text(f"{TOOL_NOTE} {shown.content}")]
    calls = _calls(shown)
    given = parts.get("content", None if calls else shown.content)
    said = anthropic_blocks(given, images=turn.role is Role.USER)
    while said and not calls and said[-1]["type"] in THOUGHT_TYPES:
        # A message that ends with a thought is refused.
        said.pop()
    if said and said[0]["type"] == "text":
        said[0]["text"] = voiced(turn.role, said[0]["text"])
    return [*results, *said, *calls]


def _calls(shown: ShownTurn) -> list[Block]:
    if shown.turn.role is not Role.ASSISTANT:
        return []
    found: list[Block] = []
    for call in mappings((shown.turn.parts or {}).get("tool_calls")):
        inner = next((call[kind] for kind in ("function", "custom") if isinstance(call.get(kind), Mapping)), call)
        found.append({"type": "tool_use", **_called(shown, call.get("id"), inner, "arguments")})
    found.extend(
        {**replayed(block), **_called(shown, block.get("id"), block)} for block in blocks_of(shown.turn, "tool_use")
    )
    return found


def _called(shown: ShownTurn, given_id: object, call: Mapping[str, Any], *arguments: str) -> Block:
    """Id, name and input of a call as Anthropic takes them."""
    given = next((call[key] for key in (*arguments, "input") if key in call), None)
    name = _NOT_IN_IDS.sub("_", str(call.get("name") or "tool"))[:_LONGEST_NAME]
    return {"id": _call_id(shown, given_id), "name": name, "input": arguments_object(given)}


def _call_id(shown: ShownTurn, given: object) -> str:
    """A call's id in the letters that Anthropic takes; one that repeats is told apart by the number of its turn."""
    letters = _NOT_IN_IDS.sub(lambda odd: f"_{ord(odd[0]):x}", str(given))
    return f"{letters}_{shown.again}" if shown.again else letters


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _content(blocks: list[Block]) -> object:
    """One text as a string, the shortest form; else the blocks."""
    if len(blocks) == 1 and blocks[0]["type"] == "text":
        return blocks[0]["text"]
    return blocks
