"""A real HTTP server that speaks a provider's chat completions and Responses APIs, streams included.

Replies are scripted and sent in pieces of any size; requests are recorded byte for byte.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Sent:
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    """Header values by lower-case name."""
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def items(self) -> list[dict[str, Any]]:
        """The messages of a chat completion, or the input items of a response."""
        return self.json["messages" if "messages" in self.json else "input"]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A reply to a request: text and calls in the requested format, or the bytes of `body`."""

    text: str = "Noted."
    calls: tuple[tuple[str, str, str], ...] = ()
    """Id, name and arguments of each."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    piece_bytes: int = 100_000
    """Size of the largest piece that is sent at once."""
    zipped: bool = False
    break_after: int | None = None
    """Close the connection after this many bytes of the body."""
    hold: threading.Event | None = None
    """Event to wait for before the headers are sent."""
    pause: threading.Event | None = None
    """Event to wait for after the first piece."""


class Provider:
    """Listens on a free port of 127.0.0.1 until it is closed."""

    def __init__(self) -> None:
        self.script: list[Reply] = []
        self.choose: Callable[[Sent], Reply] = lambda _: Reply()
        self.sent: list[Sent] = []
        self.bodies: list[bytes] = []
        """Bodies of the replies, as they were sent."""
        self.broken: list[str] = []
        """Paths of requests whose client disconnected before the answer was complete."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def last(self) -> Sent:
        return self.sent[-1]

    def reset(self) -> None:
        self.script, self.sent, self.bodies, self.broken = [], [], [], []
        self.choose = lambda _: Reply()

    def then(self, *replies: Reply) -> None:
        """Answer the next requests with these replies."""
        self.script.extend(replies)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(90)


def completion(reply: Reply, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.calls:
        message["tool_calls"] = [_call(*call) for call in reply.calls]
    finish = "tool_calls" if reply.calls else "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    return {
        "id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": "m", "usage": usage,
        "choices": [{"index": 0, "finish_reason": finish, "logprobs": None, "message": message}],
    }  # fmt: skip


def chat_events(reply: Reply, number: int) -> bytes:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": reply.text[at : at + 7]} for at in range(0, len(reply.text), 7)]
    for index, (call_id, name, arguments) in enumerate(reply.calls):
        begin = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [begin]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": arguments[at : at + 3]}}]}
            for at in range(0, len(arguments), 3)
        ]
    choices = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    choices.append([{"index": 0, "delta": {}, "finish_reason": "tool_calls" if reply.calls else "stop"}])
    frame = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    lines = [json.dumps({**frame, "choices": choice}, ensure_ascii=False) for choice in choices]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


def response(reply: Reply, number: int) -> dict[str, Any]:
    output: list[dict[str, Any]] = [
        {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": arguments,
         "status": "completed"}
        for call_id, name, arguments in reply.calls
    ]  # fmt: skip
    if reply.text and not reply.calls:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        output.append(
            {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}
        )
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "model": "m", "status": "completed",
        "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip


def response_events(reply: Reply, number: int) -> bytes:
    whole = response(reply, number)
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
    ]
    events += [
        {"type": "response.output_text.delta", "item_id": f"msg_{number}", "output_index": 0, "content_index": 0,
         "delta": reply.text[at : at + 7], "logprobs": []}
        for at in range(0, 0 if reply.calls else len(reply.text), 7)
    ]  # fmt: skip
    events.append({"type": "response.completed", "response": whole})
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': place}, ensure_ascii=False)}\n\n"
        for place, event in enumerate(events)
    ).encode()


def _call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _body(sent: Sent, reply: Reply, number: int) -> tuple[str, bytes]:
    """Return the content type and the body."""
    if reply.body is not None:
        return "application/json", reply.body
    is_chat = sent.path.partition("?")[0].endswith("/chat/completions")
    if sent.json.get("stream"):
        return "text/event-stream", (chat_events if is_chat else response_events)(reply, number)
    return "application/json", json.dumps((completion if is_chat else response)(reply, number)).encode()


def _handler_of(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            sent = Sent(self.path, headers, self._read())
            provider.sent.append(sent)
            reply = provider.script.pop(0) if provider.script else provider.choose(sent)
            if reply.hold is not None and not self._waited(reply.hold, sent):
                return
            kind, body = _body(sent, reply, len(provider.sent))
            if reply.zipped:
                body = gzip.compress(body, mtime=0)
            provider.bodies.append(body)
            try:
                self._answer(reply, kind, body)
            except OSError:
                provider.broken.append(sent.path)
                self.close_connection = True

        def _read(self) -> bytes:
            if (length := self.headers.get("content-length")) is not None:
                return self.rfile.read(int(length))
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def _waited(self, event: threading.Event, sent: Sent) -> bool:
            """Wait for the event; return whether the client was still connected then."""
            self.connection.setblocking(False)
            while not event.wait(0.02):
                try:
                    gone = self.connection.recv(1) == b""
                except BlockingIOError:
                    gone = False
                if gone:
                    provider.broken.append(sent.path)
                    self.close_connection = True
                    return False
            self.connection.setblocking(True)
            return True

        def _answer(self, reply: Reply, kind: str, body: bytes) -> None:
            self.send_response(reply.status)
            for name, value in {"content-type": kind, **reply.headers}.items():
                self.send_header(name, value)
            if reply.zipped:
                self.send_header("content-encoding", "gzip")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            end = len(body) if reply.break_after is None else reply.break_after
            for at in range(0, end, reply.piece_bytes):
                piece = body[at : min(at + reply.piece_bytes, end)]
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                self.wfile.flush()
                if reply.pause is not None and not at and not self._waited(reply.pause, Sent(self.path, {}, b"")):
                    return
            if reply.break_after is not None:
                self.close_connection = True
                return
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None:
            pass

    return Handler
