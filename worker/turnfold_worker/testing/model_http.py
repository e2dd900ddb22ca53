"""The HTTP side of `model_server`: paths, headers, and bodies that arrive late, slowly or in part."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from turnfold_worker.testing.model_server import Behaviour, OpenAIServer


def handler_of(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    """Return the request handler class of a server."""
    return type("Handler", (_Handler,), {"model_server": server})


class _Handler(BaseHTTPRequestHandler):
    model_server: ClassVar[OpenAIServer]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
        pass

    def do_POST(self) -> None:
        server = self.model_server
        given = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.endswith("/files"):
            self._send(200, server.upload(given), {})
        elif self.path.endswith("/batches"):
            self._send(200, server.begin_batch(json.loads(given)), {})
        elif self.path.endswith(("/chat/completions", "/responses")):
            self._answer(given)
        else:
            self._send(404, b"{}", {})

    def do_GET(self) -> None:
        server = self.model_server
        kind, _, name = self.path.removeprefix("/v1/").partition("/")
        if kind == "batches" and name in server.batches:
            self._send(200, json.dumps(server.batches[name]).encode(), {})
        elif kind == "files":
            self._send(200, server.files[name.removesuffix("/content")], {"content-type": "application/jsonl"})
        else:
            self._send(404, b"{}", {})

    def _answer(self, given: bytes) -> None:
        server = self.model_server
        request = json.loads(given)
        behaviour = server.taken(request)
        if behaviour.delay_seconds:
            server.wait(behaviour.delay_seconds)
        if behaviour.cut == 0:
            self.close_connection = True
            self.connection.close()
            return
        make = server.response if self.path.endswith("/responses") else server.completion
        body = behaviour.body if behaviour.body is not None else make(request, behaviour)
        self._send(behaviour.status, body, behaviour.headers, behaviour)

    def _send(self, status: int, body: bytes, headers: Mapping[str, str], behaviour: Behaviour | None = None) -> None:
        try:
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if behaviour is not None and behaviour.drip_seconds:
                self._drip(body, behaviour.drip_seconds)
            else:
                self.wfile.write(body if behaviour is None else body[: behaviour.cut])
            if behaviour is not None and behaviour.cut is not None:
                self.close_connection = True
                self.wfile.flush()
                self.connection.close()
        except OSError:
            # The client gave up: that is what some tests are about.
            self.close_connection = True

    def _drip(self, body: bytes, seconds: float) -> None:
        for start in range(0, len(body), 8):
            self.wfile.write(body[start : start + 8])
            self.wfile.flush()
            self.model_server.wait(seconds)
