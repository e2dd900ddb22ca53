"""Expansion tools for the folded block: offered to the model if the caller allows it, and answered here.

Our tools' names begin with `turnfold_`: the caller may have its own `search`, and never sees calls of our tools.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold import AsyncTurnfold, TurnfoldError
from turnfold.chat_history.caller_turns import Api, Item
from turnfold.tools.schemas import TOOL_NAMES, tool_schemas

PREFIX: Final = "turnfold_"
MOST_ROUNDS: Final = 4
"""Rounds of lookups after which the model has to answer."""

_AGAIN: Final = "Not done: call this tool again by itself, not beside a tool whose name begins with turnfold_."
_UNANSWERED: Final = "The memory does not answer now: go on without it."


def may_offer(body: Mapping[str, Any]) -> bool:
    """Tell whether the model may choose a tool: false if the caller forbids tools or names the one to call."""
    choice = body.get("tool_choice")
    return choice is None or (isinstance(choice, str) and choice in {"auto", "required"})


def with_tools(tools: object, api: Api) -> list[Any]:
    """Return the caller's tools followed by ours, in the same order at each call."""
    ours = tool_schemas("openai" if api == "chat" else "responses")
    for tool in ours:
        named = tool["function"] if api == "chat" else tool
        named["name"] = PREFIX + named["name"]
    return [*(tools if isinstance(tools, list) else ()), *ours]


def calls_in(output: Sequence[Item], api: Api) -> list[Item]:
    """Return all tool calls of an answer, ours and the caller's, in any form."""
    if api == "responses":
        return [item for item in output if item.get("type") in ("function_call", "custom_tool_call")]
    listed = (message.get("tool_calls") for message in output)
    return [call for calls in listed if isinstance(calls, list) for call in calls if isinstance(call, dict)]


def is_ours(call: Mapping[str, Any]) -> bool:
    """Tell whether a call is for one of our tools."""
    return _name(call).removeprefix(PREFIX) in TOOL_NAMES and _name(call).startswith(PREFIX)


async def answered(
    turnfold: AsyncTurnfold, conversation: str, output: Sequence[Item], calls: Sequence[Item], api: Api
) -> list[Item]:
    """Return an answer's items and the results of all its calls, in the provider's input format.

    A call of the caller's tools in the same answer is not executed: the model is told to repeat it.
    """
    results = [await _result(turnfold, conversation, call, api) for call in calls]
    return [*map(_sent_back, filter(_may_be_sent_back, output)), *results]


async def _result(turnfold: AsyncTurnfold, conversation: str, call: Item, api: Api) -> Item:
    if not is_ours(call):
        return _told(call, _AGAIN, api)
    try:
        return await turnfold.handle_tool_call(conversation, _renamed(call))
    except TurnfoldError:
        return _told(call, _UNANSWERED, api)


def _told(call: Item, text: str, api: Api) -> Item:
    if api == "chat":
        return {"role": "tool", "tool_call_id": call.get("id"), "content": text}
    kind = "custom_tool_call_output" if call.get("type") == "custom_tool_call" else "function_call_output"
    return {"type": kind, "call_id": call.get("call_id"), "output": text}


def _renamed(call: Item) -> Item:
    name, function = _name(call).removeprefix(PREFIX), call.get("function")
    return {**call, "function": {**function, "name": name}} if isinstance(function, Mapping) else {**call, "name": name}


def _name(call: Mapping[str, Any]) -> str:
    named = call["function"] if isinstance(call.get("function"), Mapping) else call
    return str(named.get("name") or "")


def _may_be_sent_back(item: Item) -> bool:
    """Drop reasoning without encrypted content, which a provider that stores nothing does not accept."""
    return item.get("type") != "reasoning" or bool(item.get("encrypted_content"))


def _sent_back(item: Item) -> Item:
    """Remove a call's id: with it, the provider would require the preceding reasoning, which it may not have stored."""
    return {key: value for key, value in item.items() if key != "id"} if item.get("type") == "function_call" else item
