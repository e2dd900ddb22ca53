"""Collect a provider's answer while it is passed on, from a JSON body or the events of a stream. Pure.

Only a finished answer counts: what a broken stream or a disconnected client received of it is not a turn. The caller's
next request contains what it kept, which is appended then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold.chat_history.caller_turns import Api, Item, answer_message, messages_of_items, says_something
from turnfold_gateway.inputs import json_object
from turnfold_gateway.proxy.sse import EventParser

# Tuples, because the values compared with them may not be hashable.
_ENDED: Final = ("completed", "incomplete")
_FINISHED: Final = tuple(f"response.{status}" for status in _ENDED)


class AnswerCollector:
    """Takes the decoded bytes of a response as they arrive; `messages` and `output` need a finished answer."""

    def __init__(self, api: Api, *, streamed: bool, most_bytes: int) -> None:
        """Collect an answer, unless it is longer than `most_bytes`."""
        self._api = api
        self._left = most_bytes
        self._body: bytearray | None = None if streamed else bytearray()
        self._events = EventParser()
        self._chat = _ChatStream()
        self._answer: Mapping[str, Any] | None = None

    def feed(self, received: bytes) -> None:
        """Add the next bytes, split anywhere."""
        self._left -= len(received)
        if self._left < 0:
            self._body = None if self._body is None else bytearray()
            return
        if self._body is not None:
            self._body += received
            return
        for event in self._events.feed(received):
            self._take(json_object(event))

    def discard(self) -> None:
        """Stop collecting, and drop this answer."""
        self._left = -1

    def messages(self) -> list[Item]:
        """Return the finished answer as chat messages to append; empty if it is unfinished or has several choices."""
        if self._left < 0:
            return []
        answer = self._finished()
        if answer is None:
            return []
        said = [_of_chat(answer)] if self._api == "chat" else messages_of_items(_output_of(answer))
        return [message for message in said if message is not None and says_something(message)]

    def output(self) -> list[Item]:
        """Return the finished answer in the provider's input format: a chat message, or Responses output items."""
        answer = None if self._left < 0 else self._finished()
        if answer is None:
            return []
        if self._api == "responses":
            return _output_of(answer)
        message = _of_chat(answer)
        return [] if message is None else [message]

    def _finished(self) -> Mapping[str, Any] | None:
        if self._body is not None:
            answer = json_object(bytes(self._body))
            # A background response has a status, a chat completion has none.
            return answer if answer is not None and answer.get("status", "completed") in _ENDED else None
        return self._chat.answer() if self._api == "chat" else self._answer

    def _take(self, event: Mapping[str, Any] | None) -> None:
        if event is None:
            return
        if self._api == "chat":
            self._chat.take(event)
        elif event.get("type") in _FINISHED and isinstance(event.get("response"), Mapping):
            self._answer = event["response"]


class _ChatStream:
    """Assembles a streamed chat completion."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {"content": [], "refusal": []}
        self._calls: dict[int, _ChatCall] = {}
        self._finish: str | None = None
        self._choices: set[str] = set()

    def take(self, chunk: Mapping[str, Any]) -> None:
        for choice in _mappings(chunk.get("choices")):
            self._choices.add(str(choice.get("index", 0)))
            if isinstance(choice.get("finish_reason"), str):
                self._finish = choice["finish_reason"]
            if isinstance(delta := choice.get("delta"), Mapping):
                self._add(delta)

    def answer(self) -> Mapping[str, Any] | None:
        """Return the completion as a non-streamed body would have it; None while it is unfinished."""
        if self._finish is None:
            return None
        message: Item = {"role": "assistant"}
        message |= {key: "".join(pieces) for key, pieces in self._texts.items() if pieces}
        message.setdefault("content", None)
        if self._calls:
            message["tool_calls"] = [call.whole() for _, call in sorted(self._calls.items())]
        return {"choices": [{"message": message}] * len(self._choices)}

    def _add(self, delta: Mapping[str, Any]) -> None:
        for key, pieces in self._texts.items():
            if isinstance(text := delta.get(key), str):
                pieces.append(text)
        for place, piece in enumerate(_mappings(delta.get("tool_calls"))):
            index = piece.get("index")
            self._calls.setdefault(index if isinstance(index, int) else place, _ChatCall()).add(piece)


class _ChatCall:
    """Assembles a streamed tool call, joining its pieces once at the end, which takes linear time."""

    def __init__(self) -> None:
        self._id: object = None
        self._texts: dict[str, list[str]] = {"name": [], "arguments": []}

    def add(self, piece: Mapping[str, Any]) -> None:
        self._id = piece.get("id") or self._id
        if isinstance(function := piece.get("function"), Mapping):
            for key, pieces in self._texts.items():
                pieces.append(_text_of(function.get(key)))

    def whole(self) -> Item:
        function = {key: "".join(pieces) for key, pieces in self._texts.items()}
        return {"id": self._id, "type": "function", "function": function}


def _text_of(piece: object) -> str:
    """Return a piece as text; some providers send arguments as an object."""
    if piece is None or isinstance(piece, str):
        return piece or ""
    return json.dumps(piece, ensure_ascii=False)


def _of_chat(answer: Mapping[str, Any]) -> Item | None:
    """Return a completion's message; None when it has several choices: the next request tells which one was used."""
    choices = _mappings(answer.get("choices"))
    message = choices[0].get("message") if len(choices) == 1 else None
    return answer_message(message) if isinstance(message, Mapping) else None


def _output_of(answer: Mapping[str, Any]) -> list[Item]:
    return [dict(item) for item in _mappings(answer.get("output"))]


def _mappings(value: object) -> Sequence[Mapping[str, Any]]:
    return [inner for inner in value if isinstance(inner, Mapping)] if isinstance(value, list) else []
