"""Google's Agent Development Kit: a plugin for its runner.

>>> folding = TurnfoldPlugin(AsyncTurnfold.from_env(), budget_tokens=8_000)  # doctest: +SKIP
>>> app = App(name="shop", root_agent=agent, plugins=[folding])  # doctest: +SKIP
>>> runner = Runner(app=app, session_service=sessions)  # doctest: +SKIP
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from hashlib import blake2b
from mimetypes import guess_type
from time import time
from typing import Any, Final
from urllib.parse import quote

from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event, EventActions
from google.adk.events.event_actions import EventCompaction
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.sessions import Session
from google.genai import types

from turnfold.assemble.forms.content_parts import as_json
from turnfold.async_client import AsyncTurnfold
from turnfold.contract.keys import MAX_ID_BYTES
from turnfold.frameworks.reading import (
    LastAppended,
    arguments_of,
    checked_client,
    function_call,
    identified,
    read_options,
    shown_parts,
    turns_of,
)

_STEP: Final = 1e-5
"""Seconds between the ends of two compactions: distinct as doubles at today's timestamps."""
_OWN_CALLS: Final = "adk_request_"
"""Name prefix of the framework's own calls, which request credentials and confirmations."""
_in_tool: ContextVar[bool] = ContextVar("_in_tool", default=False)


def conversation_of(session: Session) -> str:
    """Return the id of a session's conversation: `app/user/session`, each percent-encoded.

    An id that is too long is truncated and ends in a hash of the whole, which keeps it unique.
    """
    whole = "/".join(quote(name, safe="") for name in (session.app_name, session.user_id, session.id))
    if len(whole) <= MAX_ID_BYTES:
        return whole
    digest = blake2b(whole.encode(), digest_size=16).hexdigest()
    return f"{whole[: MAX_ID_BYTES - len(digest) - 1]}-{digest}"


class TurnfoldPlugin(BasePlugin):
    """Gives an application's agents a context within `budget_tokens` in place of the events of earlier runs.

    Events are appended when a run is over, with the user as subject. The stored session is not changed: a run sees its
    earlier events as compacted. The context is built for the message of the run; this message and everything that the
    run adds follow the context and do not count towards the budget. `options` are passed to every `Turnfold.context`
    call: `policy`, `count_tokens`, `reserve_tokens` ….
    """

    def __init__(self, client: AsyncTurnfold, *, budget_tokens: int, name: str = "turnfold", **options: Any) -> None:
        super().__init__(name)
        self._client = checked_client(client, AsyncTurnfold)
        self._options = read_options(budget_tokens, options)
        self._appended = LastAppended()

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Append events of earlier runs that are missing, and compact those runs to the context."""
        if _in_tool.get():
            return
        session, invocation = invocation_context.session, invocation_context.invocation_id
        earlier = [event for event in session.events if event.invocation_id != invocation]
        await self._append(session, earlier)
        question = _text(invocation_context.user_content)
        context = await self._client.context(conversation_of(session), query=question or None, **self._options)
        if not context.report.is_unknown:
            own = [event.timestamp for event in session.events if event.invocation_id == invocation]
            compactions = _compactions(context.messages("openai"), [event.timestamp for event in earlier], own)
            session.events = [*compactions, *session.events]

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Append the run's events."""
        if not _in_tool.get():
            await self._append(invocation_context.session, invocation_context.session.events)

    async def before_tool_callback(self, **_: Any) -> None:
        """Mark the call's own task as inside a tool: an agent that the tool runs has a session for this call alone."""
        _in_tool.set(True)

    async def _append(self, session: Session, events: Sequence[Event]) -> None:
        said = [event for event in events if not event.actions.compaction and event.isolation_scope is None]
        conversation, ids = conversation_of(session), [event.id for event in said]
        new = said[self._appended.count(conversation, ids) :]
        if turns := turns_of(new, _turns):
            await self._client.append(conversation, turns, subject=session.user_id)
        self._appended.note(conversation, ids)


# From events to turns


def _turns(event: Event) -> Iterator[dict[str, Any]]:
    """Yield the turns of an event: one per tool result, else one; none if it only changes the session's state."""
    when = datetime.fromtimestamp(event.timestamp, UTC).isoformat()
    return ({**turn, "created_at": when} for turn in identified(_said(event), event.id))


def _said(event: Event) -> Iterator[dict[str, Any]]:
    """Yield an event's messages, without the model's thoughts and the framework's own calls to the application."""
    parts = [part for part in (event.content.parts if event.content else None) or () if not part.thought]
    calls = [part.function_call for part in parts if part.function_call]
    results = [part.function_response for part in parts if part.function_response]
    if any((part.name or "").startswith(_OWN_CALLS) for part in (*calls, *results)):
        return
    for result in results:
        yield {"role": "tool", "tool_call_id": result.id or result.name, "content": _result(result.response or {})}
    content = [shown for part in parts if (shown := _part(part)) is not None]
    if calls or content:
        beside = {"tool_calls": [_call(call) for call in calls]} if calls else {}
        role = "user" if event.author == "user" else "assistant"
        yield {"role": role, "content": content or None, **beside}


def _call(call: types.FunctionCall) -> dict[str, Any]:
    return function_call(call.id or call.name, str(call.name), as_json(call.args or {}))


def _result(response: Mapping[str, Any]) -> str:
    """Return a result as text: the framework wraps a result that is no object as `{"result": …}`."""
    inner = response.get("result") if len(response) == 1 else None
    return inner if isinstance(inner, str) else as_json(response)


def _part(part: types.Part) -> dict[str, Any] | None:
    """Return a content part in OpenAI's form, other media by type alone; None for calls, results and signatures."""
    if part.text:
        return {"type": "text", "text": part.text}
    if part.inline_data:
        kind, data = part.inline_data.mime_type or "", part.inline_data.data or b""
        if kind.startswith("image/"):
            return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{b64encode(data).decode()}"}}
        return {"type": kind or "data"}
    if part.file_data:
        kind = part.file_data.mime_type or "file"
        image = {"type": "image_url", "image_url": {"url": part.file_data.file_uri}}
        return image if kind.startswith("image/") else {"type": kind}
    return None


def _text(content: types.Content | None) -> str:
    return " ".join(part.text for part in (content.parts if content else None) or () if part.text)


# From a context to events


def _compactions(
    messages: Sequence[Mapping[str, Any]], earlier: Sequence[float], own: Sequence[float]
) -> Iterator[Event]:
    """Yield a compaction event for each message of a context; together they replace the events of `earlier`.

    The framework shows a compaction at its end time, and omits one whose span lies inside another's: so each begins and
    ends slightly later than the one before, and all end before the run's `own` events.
    """
    end = min([max(earlier, default=time()), *(own_time - _STEP for own_time in own)])
    start = min(earlier, default=end)
    names = {call["id"]: call["function"]["name"] for message in messages for call in message.get("tool_calls") or ()}
    for before_last, message in zip(reversed(range(len(messages))), messages, strict=True):
        compaction = EventCompaction(
            start_timestamp=start - (before_last + 1) * _STEP,
            end_timestamp=end - before_last * _STEP,
            compacted_content=_content(message, names),
        )
        yield Event(author="user", timestamp=compaction.end_timestamp, actions=EventActions(compaction=compaction))


def _content(message: Mapping[str, Any], names: Mapping[str, str]) -> types.Content:
    """Convert a message; system messages become user content, as only an agent's instructions are system text there."""
    if message["role"] == "tool":
        call_id = message["tool_call_id"]
        result = types.FunctionResponse(
            id=call_id, name=names.get(call_id, call_id), response={"result": message["content"]}
        )
        return types.Content(role="user", parts=[types.Part(function_response=result)])
    parts = list(shown_parts(message.get("content"), _image, lambda words: types.Part(text=words)))
    for call in message.get("tool_calls") or ():
        name, arguments = call["function"]["name"], arguments_of(call["function"]["arguments"])
        parts.append(types.Part(function_call=types.FunctionCall(id=call["id"], name=name, args=arguments)))
    return types.Content(role="model" if message["role"] == "assistant" else "user", parts=parts)


def _image(url: str) -> types.Part:
    kind, comma, data = url.removeprefix("data:").partition(";base64,")
    if comma:
        return types.Part.from_bytes(data=b64decode(data), mime_type=kind)
    return types.Part.from_uri(file_uri=url, mime_type=guess_type(url)[0] or "image/png")
