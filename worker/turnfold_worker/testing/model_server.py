"""An HTTP server that speaks OpenAI's protocol and misbehaves on request.

Each request is answered by the next behaviour of the script, else by `answer`. Billed tokens are counted: a completion
that was made is billed, even if it never arrives whole.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any, Self

from turnfold.tokens import estimate_tokens
from turnfold_worker.testing.model_http import handler_of
from turnfold_worker.testing.model_replies import answer as careful_answer

Request = dict[str, Any]
Answer = Callable[[Request], str]


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """How one request is answered: by default, with a correct completion."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """The body to send instead of a completion."""
    content: str | None = None
    """Content of the message, instead of the server's answer."""
    change: Callable[[str], str] = str
    """A change of the content."""
    tools: tuple[tuple[str, str], ...] = ()
    """Tool calls, as (name, arguments), instead of an answer."""
    finish: str = "stop"
    refusal: str | None = None
    choices: bool = True
    usage: bool = True
    delay_seconds: float = 0.0
    """Pause before the headers."""
    drip_seconds: float = 0.0
    """Pause between chunks of eight bytes of the body."""
    cut: int | None = None
    """Close the connection after this many bytes of the body; 0: before the headers."""

    @property
    def billed(self) -> bool:
        return self.status == 200 and self.body is None and self.cut != 0 and not self.delay_seconds


def error(status: int, code: str | None = None, **headers: str) -> Behaviour:
    """Return an error in the provider's format."""
    body = {"error": {"message": "said by the server", "type": code, "code": code}}
    return Behaviour(
        status=status, body=json.dumps(body).encode(), headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


OK = Behaviour()
RATE_LIMITED = error(429, "rate_limit_exceeded", Retry_After="0.05")
NO_QUOTA = error(429, "insufficient_quota")
SERVER_ERROR = Behaviour(status=500, body=b"<html>oops</html>", headers={"content-type": "text/html"})
HTML = Behaviour(body=b"<html>a proxy says hello</html>", headers={"content-type": "text/html"})
BROKEN_BODY = Behaviour(body=b'{"id": "chatcmpl-1", "choices": [{"ind')
DROPPED = Behaviour(cut=0)
CUT_SHORT = Behaviour(cut=40)
DRIPPING = Behaviour(drip_seconds=0.2)
NO_CHOICES = Behaviour(choices=False)
NO_USAGE = Behaviour(usage=False)
NOT_JSON = Behaviour(content="Sure! Here is the summary you asked for.")
WRONG_SCHEMA = Behaviour(content='{"answer": 42}')
FENCED = Behaviour(change=lambda content: f"```json\n{content}\n```")
REFUSAL = Behaviour(content="", refusal="I can't help with that.")
TRUNCATED = Behaviour(change=lambda content: content[: len(content) // 2], finish="length")


class OpenAIServer:
    """Listens on a free port of 127.0.0.1 until it is closed."""

    def __init__(self, answer: Answer = careful_answer) -> None:
        """`answer` makes the content of a reply; by default replies are faithful and short."""
        self.answer = answer
        self.script: list[Behaviour] = []
        self.choose: Callable[[Request], Behaviour] = lambda _: OK
        """Chooses the behaviour when the script is empty."""
        self.requests: list[Request] = []
        self.billed_input = 0
        self.billed_output = 0
        self.bills: list[tuple[Behaviour, int]] = []
        """Behaviour and tokens of each billed completion."""
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._seen: dict[str, int] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def then(self, *behaviours: Behaviour) -> None:
        """Answer the next requests with `behaviours`, in order."""
        with self._lock:
            self.script.extend(behaviours)

    @property
    def billed(self) -> int:
        """Tokens that a provider would have billed."""
        return self.billed_input + self.billed_output

    def purposes(self) -> list[str]:
        """Return the purposes of all requests, in order."""
        return [request["response_format"]["json_schema"]["name"] for request in self.requests]

    # Internal

    def taken(self, request: Request) -> Behaviour:
        with self._lock:
            self.requests.append(request)
            return self.script.pop(0) if self.script else self.choose(request)

    def completion(self, request: Request, behaviour: Behaviour, *, batch: bool = False) -> bytes:
        if behaviour.content is None:
            content = "" if behaviour.tools else behaviour.change(self.answer(request))
        else:
            content = behaviour.content
        sent = sum(estimate_tokens(message.get("content") or "") for message in request["messages"]) + 8
        got = estimate_tokens(content)
        system = request["messages"][0]["content"]
        message: dict[str, Any] = {"role": "assistant", "content": content or None, "refusal": behaviour.refusal}
        finish = behaviour.finish
        if behaviour.tools:
            finish = "tool_calls"
            message["tool_calls"] = [
                {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
                for call_id, name, arguments in self._called(behaviour)
            ]
        body: dict[str, Any] = {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": request["model"],
            "choices": [{"index": 0, "finish_reason": finish, "message": message, "logprobs": None}],
        }  # fmt: skip
        if not behaviour.choices:
            body["choices"] = []
        with self._lock:
            cached = estimate_tokens(system) if self._seen.get(system) else 0
            self._seen[system] = 1
            if behaviour.billed or batch:
                self.billed_input += sent
                self.billed_output += got
                self.bills.append((behaviour, sent + got))
        if behaviour.usage:
            body["usage"] = {
                "prompt_tokens": sent, "completion_tokens": got, "total_tokens": sent + got,
                "prompt_tokens_details": {"cached_tokens": cached},
            }  # fmt: skip
        return json.dumps(body).encode()

    def response(self, request: Request, behaviour: Behaviour) -> bytes:
        """Answer `/responses`: tool calls, else a message."""
        output: list[dict[str, Any]] = [
            {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": arguments,
             "status": "completed"}
            for call_id, name, arguments in self._called(behaviour)
        ] or [
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": behaviour.content, "annotations": []}]}
        ]  # fmt: skip
        return json.dumps({
            "id": "resp_1", "object": "response", "created_at": 1, "model": request["model"], "status": "completed",
            "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": request["tools"],
        }).encode()  # fmt: skip

    def _called(self, behaviour: Behaviour) -> list[tuple[str, str, str]]:
        """Return the tool calls of an answer, with unique ids."""
        return [(f"call_{len(self.requests)}_{i}", *tool) for i, tool in enumerate(behaviour.tools)]

    # Batches

    def upload(self, form: bytes) -> bytes:
        name = f"file-{len(self.files)}"
        begins = form.index(b"\r\n\r\n", form.index(b"filename=")) + 4
        self.files[name] = form[begins : form.index(b"\r\n--", begins)]
        return json.dumps(
            {
                "id": name,
                "object": "file",
                "bytes": len(form),
                "created_at": 1,
                "filename": "r.jsonl",
                "purpose": "batch",
                "status": "processed",
            }
        ).encode()

    def begin_batch(self, given: dict[str, Any]) -> bytes:
        name = f"batch-{len(self.batches)}"
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": given["endpoint"],
            "input_file_id": given["input_file_id"],
            "completion_window": "24h",
            "status": "in_progress",
            "created_at": 1,
            "output_file_id": None,
        }
        return json.dumps(self.batches[name]).encode()

    def end_batches(self, *, status: str = "completed", failing: int = 0) -> None:
        """Answer every request of the open batches, except the first `failing` of each."""
        for name, batch in self.batches.items():
            if batch["status"] != "in_progress":
                continue
            requests = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines() if line.strip()]
            lines = []
            for place, request in enumerate(requests):
                body = json.loads(self.completion(request["body"], OK, batch=True)) | {"model": "some-other-name-2026"}
                code = 500 if place < failing else 200
                answered = {"custom_id": request["custom_id"], "response": {"status_code": code, "body": body}}
                lines.append(json.dumps(answered))
            self.files[f"{name}-output"] = "\n".join(lines).encode()
            batch.update(status=status, output_file_id=f"{name}-output" if status == "completed" else None)

    def wait(self, seconds: float) -> None:
        self._stopping.wait(seconds)
