"""Pydantic AI: a capability that keeps an agent's conversations in Turnfold.

>>> memory = TurnfoldMemory(AsyncTurnfold.from_env(), budget_tokens=8_000)  # doctest: +SKIP
>>> agent = Agent("openai:gpt-4o", capabilities=[memory])  # doctest: +SKIP
>>> await agent.run("What did we decide?", conversation_id="conv-1")  # doctest: +SKIP
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from itertools import groupby
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import RunContext

from turnfold.async_client import AsyncTurnfold
from turnfold.frameworks.reading import LastAppended, checked_client, function_call, read_options, turns_of

_Turn = dict[str, Any]


class TurnfoldMemory(AbstractCapability[Any]):
    """Gives an agent's model a context within `budget_tokens` in place of all messages of its conversation.

    Messages are appended as they arrive; the run's `conversation_id` is the conversation's. The context is built for
    the newest prompt. The run's own history is not changed. `options` are passed to every `Turnfold.context` call:
    `policy`, `count_tokens`, `reserve_tokens` ….
    """

    def __init__(self, client: AsyncTurnfold, *, budget_tokens: int, **options: Any) -> None:
        super().__init__()
        self._client = checked_client(client, AsyncTurnfold)
        self._options = read_options(budget_tokens, options)
        self._appended = LastAppended()

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Append new messages, and replace the request's messages with the context."""
        history = list(request_context.messages)
        await self._append(_conversation(ctx), history)
        system = "\n\n".join(part.content for part in _parts_of(history, SystemPromptPart))
        context = await self._client.context(_conversation(ctx), system=system or None, **self._options)
        request_context.messages = _model_messages(context.messages("openai"), history)
        return request_context

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Append the agent's last messages."""
        await self._append(_conversation(ctx), result.all_messages())
        return result

    async def _append(self, conversation_id: str, messages: Sequence[ModelMessage]) -> None:
        turns = turns_of(messages, _turns)
        ids = [turn["turn_id"] for turn in turns]
        if new := turns[self._appended.count(conversation_id, ids) :]:
            await self._client.append(conversation_id, new)
        self._appended.note(conversation_id, ids)


def _conversation(ctx: RunContext[Any]) -> str:
    return str(ctx.conversation_id)


def _parts_of(messages: Iterable[ModelMessage], kind: type[Any]) -> Iterator[Any]:
    return (part for message in messages for part in message.parts if isinstance(part, kind))


# From Pydantic AI's messages to turns


def _turns(message: ModelMessage) -> Iterator[_Turn]:
    """Yield the turns of a message: none for parts that only the framework or the provider understands."""
    turns = _response_turns(message) if isinstance(message, ModelResponse) else _request_turns(message)
    return (_identified(turn, message.run_id) for turn in turns)


def _identified(turn: _Turn, run_id: str | None) -> _Turn:
    """Add an id that hashes run, content and time: messages have no ids, and recur in every request of a run."""
    digest = blake2b(json.dumps([run_id, turn], sort_keys=True).encode(), digest_size=16).hexdigest()
    return {**turn, "turn_id": f"pydantic-ai-{digest}"}


def _request_turns(request: ModelRequest) -> Iterator[_Turn]:
    for part in request.parts:
        match part:
            case UserPromptPart():
                yield {"role": "user", "content": _content(part.content), **_time(part.timestamp)}
            case ToolReturnPart():
                yield _result(part.tool_call_id, part.model_response_str(), part.timestamp)
            case RetryPromptPart(tool_name=str()):
                yield _result(part.tool_call_id, part.model_response(), part.timestamp)
            case _:
                continue


def _response_turns(response: ModelResponse) -> Iterator[_Turn]:
    """Yield one turn, so that no result is shown without its call; thinking, the provider's own, is left out."""
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    calls = [
        function_call(part.tool_call_id, part.tool_name, part.args_as_json_str())
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    if text or calls:
        beside = {"tool_calls": calls} if calls else {}
        yield {"role": "assistant", "content": text or None, **beside, **_time(response.timestamp)}


def _result(call_id: str, text: str, timestamp: datetime) -> _Turn:
    return {"role": "tool", "tool_call_id": call_id, "content": text, **_time(timestamp)}


def _time(timestamp: datetime | None) -> _Turn:
    return {} if timestamp is None else {"created_at": timestamp.isoformat()}


def _content(content: str | Sequence[Any]) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    return [_part(part) for part in content if not isinstance(part, CachePoint)]


def _part(part: Any) -> dict[str, Any]:
    """Return a content part in OpenAI's form; other media by kind alone."""
    match part:
        case str():
            return {"type": "text", "text": part}
        case TextContent():
            return {"type": "text", "text": part.content}
        case ImageUrl():
            return {"type": "image_url", "image_url": {"url": part.url}}
        case BinaryContent() if part.is_image:
            return {"type": "image_url", "image_url": {"url": part.data_uri}}
        case _:
            return {"type": str(part.kind)}


# From a context to Pydantic AI's messages


def _model_messages(messages: Sequence[Mapping[str, Any]], history: Sequence[ModelMessage]) -> list[ModelMessage]:
    """Convert a context to messages; consecutive messages that are not responses are joined into one request.

    A response or result that the context shows unchanged is taken from `history`, with the thinking and signatures that
    a provider expects to see again. Parts that the framework added to the last request stay at the end.
    """
    responses = {_call_ids(message): message for message in history if isinstance(message, ModelResponse)}
    results = {part.tool_call_id: part for part in _parts_of(history, ToolReturnPart)}
    names = {call["id"]: call["function"]["name"] for message in messages for call in message.get("tool_calls") or ()}
    restored: list[ModelMessage] = []
    for answered, group in groupby(messages, key=lambda message: message["role"] == "assistant"):
        if answered:
            restored += [_response(message, responses) for message in group]
        else:
            restored.append(ModelRequest(parts=[_request_part(message, results, names) for message in group]))
    remarks = [part for part in history[-1].parts if not isinstance(part, _SAID)] if history else []
    if remarks and isinstance(restored[-1], ModelRequest):
        restored[-1] = ModelRequest(parts=[*restored[-1].parts, *remarks])
    elif remarks:
        restored.append(ModelRequest(parts=remarks))
    return restored


_SAID = (SystemPromptPart, UserPromptPart, ToolReturnPart, RetryPromptPart)
"""Kinds of request parts that the context contains."""


def _call_ids(response: ModelResponse) -> frozenset[str]:
    return frozenset(part.tool_call_id for part in response.parts if isinstance(part, ToolCallPart))


def _response(message: Mapping[str, Any], responses: Mapping[frozenset[str], ModelResponse]) -> ModelResponse:
    calls = message.get("tool_calls") or ()
    known = responses.get(frozenset(call["id"] for call in calls)) if calls else None
    if known is not None:
        return known
    text = message.get("content")
    parts: list[TextPart | ToolCallPart] = [TextPart(text)] if text else []
    parts += [ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"]) for call in calls]
    return ModelResponse(parts=parts)


def _request_part(
    message: Mapping[str, Any], results: Mapping[str, ToolReturnPart], names: Mapping[str, str]
) -> SystemPromptPart | UserPromptPart | ToolReturnPart:
    content = message["content"]
    if message["role"] == "system":
        return SystemPromptPart(content)
    if message["role"] != "tool":
        return UserPromptPart(content if isinstance(content, str) else [_user_content(part) for part in content])
    call_id = message["tool_call_id"]
    known = results.get(call_id)
    if known is not None and known.model_response_str() == content:
        return known
    return ToolReturnPart(names.get(call_id, "tool"), content, call_id)


def _user_content(part: Mapping[str, Any]) -> str | ImageUrl | BinaryContent:
    if part["type"] == "text":
        return str(part["text"])
    url = part["image_url"]["url"]
    return BinaryContent.from_data_uri(url) if url.startswith("data:") else ImageUrl(url)
