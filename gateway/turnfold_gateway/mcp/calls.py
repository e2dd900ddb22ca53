"""Answer tool calls through the SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from mcp_types import CallToolResult, TextContent

from turnfold import AsyncTurnfold, TurnfoldError
from turnfold.tools import NOTHING_SAID, RESULT_TOKENS
from turnfold.tools.schemas import TOOL_NAMES
from turnfold.tools.timelines import timeline_text
from turnfold_gateway.mcp.arguments import checked
from turnfold_gateway.mcp.failures import BadArguments, explained, unexpected
from turnfold_gateway.mcp.reach import Reach
from turnfold_gateway.mcp.record import FRAME_TOKENS, conversation_line, framed
from turnfold_gateway.mcp.schemas import USUAL_BUDGET, USUAL_CONVERSATIONS, USUAL_ENTRIES

EMPTY: Final = "Nothing was said in this conversation yet. `append` begins one."
UNKNOWN: Final = (
    "Nothing is kept under this conversation_id. Check it: `conversations` lists those that exist, and `append` "
    "begins a new one."
)

NONE_STORED: Final = "No conversation is stored yet. `append` begins one; it is listed once a worker has stored it."


async def call_tool(reach: Reach, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
    """Answer a call. Never raises: errors are returned as results that are marked as errors."""
    try:
        named = checked(name, arguments, reach)
        conversation_id = str(named.pop("conversation_id", reach.conversation_id or ""))
        if name in TOOL_NAMES:
            return await _looked_up(reach, conversation_id, name, named)
        return _answer(await _ANSWERS[name](reach, conversation_id, named))
    except (TurnfoldError, BadArguments) as error:
        return _answer(f"Error: {explained(error)}", failed=True)
    except Exception as error:  # noqa: BLE001 - the server goes on, and reveals no internals
        return _answer(f"Error: {unexpected(f'tool {name}', error)}", failed=True)


def _answer(text: str, *, failed: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)


async def _looked_up(reach: Reach, conversation_id: str, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
    """Answer `expand`, `search` and `anchors` with the SDK's own handler."""
    call = {"type": "tool_use", "id": "call", "name": name, "input": dict(arguments)}
    result = await reach.client.handle_tool_call(conversation_id, call, max_tokens=RESULT_TOKENS)
    if result["content"] == NOTHING_SAID:
        return _answer(_nothing(reach), failed=True)
    if result.get("is_error"):
        return _answer(result["content"], failed=True)
    return _answer(framed(result["content"]))


def _nothing(reach: Reach) -> str:
    return UNKNOWN if reach.conversation_id is None else EMPTY


async def context_text(client: AsyncTurnfold, conversation_id: str, *, budget_tokens: int, query: str | None) -> str:
    """Return a framed context within the budget; "" for a conversation without turns."""
    context = await client.context(
        conversation_id, budget_tokens=budget_tokens, reserve_tokens=FRAME_TOKENS, query=query
    )
    return framed(context.text) if context.text else ""


async def _context(reach: Reach, conversation_id: str, arguments: Mapping[str, Any]) -> str:
    budget = int(arguments.get("budget_tokens", USUAL_BUDGET))
    text = await context_text(reach.client, conversation_id, budget_tokens=budget, query=arguments.get("query"))
    if not text and reach.conversation_id is None:
        raise BadArguments(UNKNOWN)
    return text or EMPTY


async def _timeline(reach: Reach, conversation_id: str, arguments: Mapping[str, Any]) -> str:
    limit = int(arguments.get("limit", USUAL_ENTRIES))
    after = None if "after" not in arguments else int(arguments["after"])
    entries = await reach.client.timeline(conversation_id, arguments.get("query"), after=after, limit=limit)
    if not entries:
        behind = "Nothing more" if after else "Nothing"
        return f"{behind} came up about it. Turns that are not folded yet are not listed: `context` shows them."
    return framed(timeline_text(entries, RESULT_TOKENS - FRAME_TOKENS))


async def _conversations(reach: Reach, conversation_id: str, arguments: Mapping[str, Any]) -> str:  # noqa: ARG001
    limit = int(arguments.get("limit", USUAL_CONVERSATIONS))
    listed = await reach.client.conversations(after=arguments.get("after"), limit=limit)
    if not listed:
        return "There are none after that id." if "after" in arguments else NONE_STORED
    more = f"More may follow: call conversations with after={listed[-1].conversation_id!r}\n"
    return framed("".join(map(conversation_line, listed))) + (more if len(listed) == limit else "")


async def _append(reach: Reach, conversation_id: str, arguments: Mapping[str, Any]) -> str:
    # MCP sends no time, and contexts are better with one.
    now = datetime.now(UTC).isoformat()
    turns = [{**turn, "created_at": now} for turn in arguments["turns"]]
    receipt = await reach.client.append(conversation_id, turns)
    return f"Appended, with these turn_id values in order: {', '.join(receipt.turn_ids)}"


_ANSWERS: Final[Mapping[str, Callable[[Reach, str, Mapping[str, Any]], Awaitable[str]]]] = {
    "context": _context, "timeline": _timeline, "conversations": _conversations, "append": _append,
}  # fmt: skip
