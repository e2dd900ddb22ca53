"""Microsoft Agent Framework: a history provider.

>>> history = TurnfoldHistoryProvider(AsyncTurnfold.from_env(), budget_tokens=8_000)  # doctest: +SKIP
>>> agent = Agent(client=chat_client, context_providers=[history])  # doctest: +SKIP
>>> await agent.run("What did we decide?", session=agent.create_session(session_id="conv-1"))  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from mimetypes import guess_type
from typing import Any

from agent_framework import AgentSession, Content, HistoryProvider, Message, SessionContext

from turnfold.assemble.forms.content_parts import as_json
from turnfold.async_client import AsyncTurnfold
from turnfold.errors import InvalidInput
from turnfold.frameworks.reading import checked_client, function_call, identified, read_options, shown_parts, turns_of


class TurnfoldHistoryProvider(HistoryProvider):
    """Provides a session's history as a context within `budget_tokens`; the session's id is the conversation's.

    The context is built for the question of a run, which follows it and does not count towards the budget. `options`
    are passed to every `Turnfold.context` call: `policy`, `count_tokens`, `reserve_tokens` ….
    """

    def __init__(
        self, client: AsyncTurnfold, *, budget_tokens: int, source_id: str = "turnfold", **options: Any
    ) -> None:
        super().__init__(source_id)
        self._client = checked_client(client, AsyncTurnfold)
        self._options = read_options(budget_tokens, options)

    async def before_run(
        self,
        *,
        agent: Any,  # noqa: ARG002 - the framework's form
        session: AgentSession,  # noqa: ARG002 - the same
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002 - the same
    ) -> None:
        """Put the context before the run's input messages."""
        question = next(
            (message.text for message in reversed(context.input_messages) if message.role == "user" and message.text),
            None,
        )
        context.extend_messages(self, await self._read(context.session_id, question))

    async def get_messages(self, session_id: str | None, **_: Any) -> list[Message]:
        """Return the context as messages, the newest last."""
        return await self._read(session_id, None)

    async def save_messages(self, session_id: str | None, messages: Sequence[Message], **_: Any) -> None:
        """Append messages, in order; a repeated `message_id` changes nothing."""
        if turns := turns_of(messages, _turns):
            await self._client.append(_checked(session_id), turns)

    async def _read(self, session_id: str | None, query: str | None) -> list[Message]:
        context = await self._client.context(_checked(session_id), query=query, **self._options)
        return [_message(message) for message in context.messages("openai")]


def _checked(session_id: str | None) -> str:
    if session_id:
        return session_id
    msg = "the agent was run without a session"
    raise InvalidInput(msg, remedy='pass session=agent.create_session(session_id="conv-1")')


def _turns(message: Message) -> Iterator[dict[str, Any]]:
    """Yield the turns of a message: usually one, but one for each of several tool results."""
    return identified(_said(message), message.message_id)


def _said(message: Message) -> Iterator[dict[str, Any]]:
    results = [content for content in message.contents if content.type == "function_result"]
    for result in results:
        yield {"role": "tool", "tool_call_id": result.call_id, "content": _result(result)}
    calls = [_call(content) for content in message.contents if content.type == "function_call"]
    parts = [part for content in message.contents if (part := _part(content)) is not None]
    if not calls and not parts:
        return
    role = "assistant" if message.role == "tool" else message.role
    beside = {"tool_calls": calls} if calls else {}
    named = {"name": message.author_name} if message.author_name and role == "user" else {}
    yield {"role": role, "content": parts or None, **beside, **named}


def _call(content: Content) -> dict[str, Any]:
    arguments = content.arguments if isinstance(content.arguments, str) else as_json(content.arguments or {})
    return function_call(str(content.call_id), str(content.name), arguments)


def _result(content: Content) -> str:
    # Omit an exception's text, which the model was not shown.
    return str(content.result or ("the call failed" if content.exception else ""))


def _part(content: Content) -> dict[str, Any] | None:
    """Return a content part in OpenAI's form; None for calls, results and parts that only a provider understands."""
    match content.type:
        case "text":
            return {"type": "text", "text": content.text or ""}
        case "data" | "uri" if (content.media_type or "").startswith("image/"):
            return {"type": "image_url", "image_url": {"url": content.uri}}
        case "function_call" | "function_result" | "text_reasoning" | "usage":
            return None
        case _:
            return {"type": content.type}


def _message(message: Mapping[str, Any]) -> Message:
    content, calls = message.get("content"), message.get("tool_calls") or ()
    if message["role"] == "tool":
        return Message("tool", [Content.from_function_result(message["tool_call_id"], result=content)])
    contents = list(shown_parts(content, _image, Content.from_text))
    for call in calls:
        function = call["function"]
        contents.append(Content.from_function_call(call["id"], function["name"], arguments=function["arguments"]))
    return Message(message["role"], contents)


def _image(url: str) -> Content:
    guessed = None if url.startswith("data:") else guess_type(url)[0] or "image/png"
    return Content.from_uri(url, media_type=guessed)
