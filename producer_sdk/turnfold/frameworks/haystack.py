"""Haystack: two components around an agent, or around a chat generator.

>>> pipeline.add_component("recall", TurnfoldRetriever(budget_tokens=8_000))  # doctest: +SKIP
>>> pipeline.add_component("agent", Agent(chat_generator=generator, tools=tools))  # doctest: +SKIP
>>> pipeline.add_component("keep", TurnfoldWriter())  # doctest: +SKIP
>>> pipeline.connect("recall.messages", "agent.messages")  # doctest: +SKIP
>>> pipeline.connect("agent.messages", "keep.messages")  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self

from haystack import component, default_from_dict, default_to_dict
from haystack.dataclasses import ChatMessage, ImageContent, TextContent, ToolCall

from turnfold.assemble.forms.content_parts import as_json
from turnfold.client import Turnfold
from turnfold.frameworks.reading import arguments_of, checked_client, function_call, identified, read_options, turns_of
from turnfold.wire.projection import project

RECALLED: Final = "turnfold"
"""Key in `ChatMessage.meta` that marks messages which are already in the conversation."""


class _Component:
    """Base of both components: holds a client, made from `TURNFOLD_*` if none is given."""

    _client: Turnfold | None

    def warm_up(self) -> None:
        """Make the client, if none was given."""
        if self._client is None:
            self._client = Turnfold.from_env()

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a component from the result of `to_dict`."""
        loaded: Self = default_from_dict(cls, data)
        return loaded

    def _connected(self) -> Turnfold:
        self.warm_up()
        assert self._client is not None  # noqa: S101 - made just now
        return self._client


@component
class TurnfoldRetriever(_Component):
    """Appends new messages, and returns the conversation as messages within `budget_tokens`, the new ones last.

    The context is built for the newest question. `options` are passed to every `Turnfold.context` call: `policy`,
    `count_tokens`, `reserve_tokens` …. Without a client, as in a pipeline loaded from a file, one is made from
    `TURNFOLD_*`.
    """

    def __init__(self, client: Turnfold | None = None, *, budget_tokens: int, **options: Any) -> None:
        self._client = None if client is None else checked_client(client, Turnfold)
        self._options = read_options(budget_tokens, options)

    @component.output_types(messages=list[ChatMessage])
    def run(self, conversation_id: str, messages: list[ChatMessage]) -> dict[str, list[ChatMessage]]:
        """Append messages and return the context; a repeated `turn_id` in `meta` changes nothing."""
        client = self._connected()
        _append(client, conversation_id, messages)
        context = client.context(conversation_id, **self._options)
        return {"messages": _chat_messages(context.messages("openai"))}

    @component.output_types(messages=list[ChatMessage])
    async def run_async(self, conversation_id: str, messages: list[ChatMessage]) -> dict[str, list[ChatMessage]]:
        """As `run`, in a thread."""
        recalled: dict[str, list[ChatMessage]] = await asyncio.to_thread(self.run, conversation_id, messages)
        return recalled

    def to_dict(self) -> dict[str, Any]:
        """For files of pipelines; without the client."""
        pipeline_form: dict[str, Any] = default_to_dict(self, **self._options)
        return pipeline_form


@component
class TurnfoldWriter(_Component):
    """Appends the messages of an agent or a generator, except those that came from `TurnfoldRetriever`."""

    def __init__(self, client: Turnfold | None = None) -> None:
        self._client = None if client is None else checked_client(client, Turnfold)

    @component.output_types(messages_written=int)
    def run(self, conversation_id: str, messages: list[ChatMessage]) -> dict[str, int]:
        """Append messages, in order, without system messages, which are the pipeline's own."""
        return {"messages_written": _append(self._connected(), conversation_id, messages)}

    @component.output_types(messages_written=int)
    async def run_async(self, conversation_id: str, messages: list[ChatMessage]) -> dict[str, int]:
        """As `run`, in a thread."""
        written: dict[str, int] = await asyncio.to_thread(self.run, conversation_id, messages)
        return written

    def to_dict(self) -> dict[str, Any]:
        """For files of pipelines; without the client."""
        pipeline_form: dict[str, Any] = default_to_dict(self)
        return pipeline_form


def _append(client: Turnfold, conversation_id: str, messages: Sequence[ChatMessage]) -> int:
    """Append messages that are not in the conversation yet, and return their number."""
    new = [message for message in messages if RECALLED not in message.meta and message.role != "system"]
    if turns := turns_of(new, _turns):
        client.append(conversation_id, turns)
    return len(new)


def _turns(message: ChatMessage) -> Iterator[dict[str, Any]]:
    """Yield the turns of a message: usually one, but one for each of several tool results."""
    turns = [_result(result) for result in message.tool_call_results] or [_said(message)]
    return identified(turns, message.meta.get("turn_id"))


def _said(message: ChatMessage) -> dict[str, Any]:
    parts = [part for content in message._content if (part := _part(content)) is not None]  # noqa: SLF001 - in order
    calls = [function_call(_call_id(call), call.tool_name, as_json(call.arguments)) for call in message.tool_calls]
    beside = {"tool_calls": calls} if calls else {}
    named = {"name": message.name} if message.name else {}
    return {"role": message.role.value, "content": parts or None, **beside, **named}


def _part(content: Any) -> dict[str, Any] | None:
    """Return a content part in OpenAI's form; None for calls and for a provider's reasoning."""
    match content:
        case TextContent():
            return {"type": "text", "text": content.text}
        case ImageContent():
            url = f"data:{content.mime_type or 'image/png'};base64,{content.base64_image}"
            return {"type": "image_url", "image_url": {"url": url}}
        case ToolCall():
            return None
        case _:
            kind = type(content).__name__.removesuffix("Content").lower()
            return None if kind == "reasoning" else {"type": kind}


def _call_id(call: ToolCall) -> str:
    """Return a call's id; without one, as from small models, its name and arguments, which its result has too."""
    return call.id or f"{call.tool_name}-{as_json(call.arguments)}"[:200]


def _result(result: Any) -> dict[str, Any]:
    text = result.result if isinstance(result.result, str) else project([_part(part) for part in result.result])
    return {"role": "tool", "tool_call_id": _call_id(result.origin), "content": text}


def _chat_messages(messages: Sequence[Mapping[str, Any]]) -> list[ChatMessage]:
    calls: dict[str, ToolCall] = {}
    recalled = []
    for message in messages:
        made = [_tool_call(call) for call in message.get("tool_calls") or ()]
        calls |= {str(call.id): call for call in made}
        recalled.append(_chat_message(message, made, calls))
    return recalled


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    function = call["function"]
    return ToolCall(tool_name=function["name"], arguments=arguments_of(function["arguments"]), id=call["id"])


def _chat_message(message: Mapping[str, Any], made: list[ToolCall], calls: Mapping[str, ToolCall]) -> ChatMessage:
    content, meta = message.get("content"), {RECALLED: True}
    match message["role"]:
        case "system":
            return ChatMessage.from_system(content, meta=meta)
        case "tool":
            call_id = message["tool_call_id"]
            origin = calls.get(call_id) or ToolCall(tool_name="tool", arguments={}, id=call_id)
            return ChatMessage.from_tool(content, origin=origin, meta=meta)
        case "assistant":
            text = content if isinstance(content, str) else project(list(content)) if content else None
            return ChatMessage.from_assistant(text, meta=meta, tool_calls=made or None)
        case _:
            parts = [content] if isinstance(content, str) else [_user_part(part) for part in content or ()]
            return ChatMessage.from_user(content_parts=parts, meta=meta)


def _user_part(part: Mapping[str, Any]) -> str | ImageContent:
    """Convert a part to text, or to an image if it has its bytes; anything else becomes a text label."""
    url = part["image_url"]["url"] if part["type"] == "image_url" else ""
    header, base64, payload = url.partition(";base64,")
    if base64:
        return ImageContent(base64_image=payload, mime_type=header.removeprefix("data:"), validation=False)
    return project([part])
