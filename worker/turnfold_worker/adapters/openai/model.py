"""A model behind OpenAI's protocol: OpenAI itself, or any server that speaks it.

The client does not retry, and its timeout limits each read: a server that sends a byte now and then would keep a call
open for ever. So every call has a total deadline, and its body is parsed here, whatever it contains.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.errors import InvalidSettings
from turnfold_worker.adapters.openai.bounded_http import ReplyTooLong, bounded_client
from turnfold_worker.errors import ModelAway, ModelRefused, ModelWaits
from turnfold_worker.pipeline.refinement.sources import ModelRequest
from turnfold_worker.ports.models import Finish, ModelReply, Used

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

QUOTA_SECONDS: Final = 900.0
"""How long no calls are made when the account has no credit left, or the key or the model name is wrong."""
CLOSE_SECONDS: Final = 2.0

_REASONING: Final = lazy_pattern(r"(?:o\d|gpt-5)")
"""Models that do not accept a temperature."""
_MOST_RETRY_AFTER: Final = 3_600.0
_UNPAID: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


def check_installed() -> None:
    """Raise `InvalidSettings` where OpenAI's client is missing; imports nothing."""
    if find_spec("openai") is None:
        msg = "a model is configured, but OpenAI's client is not installed"
        raise InvalidSettings(
            msg,
            remedy="pip install 'turnfold-worker[openai]', or set TURNFOLD_SUMMARIZER to your own summarizer",
        )


class OpenAIModel:
    """Implements `ports.models.LanguageModel`. Thread-safe; must not be used across a fork."""

    def __init__(self, *, api_key: str, base_url: str, timeout_seconds: float) -> None:
        """`timeout_seconds` limits a whole call. Connects lazily."""
        self._api_key = api_key
        self._base_url = base_url
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: AsyncOpenAI | None = None
        self._thread: threading.Thread | None = None

    def complete(self, request: ModelRequest) -> ModelReply:
        """Send one HTTP request. Raises `ModelAway`, `ModelWaits`, `ModelRefused`, with kinds and codes only."""
        return read_completion(self._run(request), request)

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            loop, client, thread = self._loop, self._client, self._thread
            self._loop = self._client = self._thread = None
        if loop is not None and client is not None and thread is not None:
            asyncio.run_coroutine_threadsafe(client.close(), loop).result(CLOSE_SECONDS)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(CLOSE_SECONDS)
            loop.close()

    def _run(self, request: ModelRequest) -> bytes:
        loop = self._started()
        return asyncio.run_coroutine_threadsafe(self._complete(request), loop).result()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                check_installed()
                self._loop = asyncio.new_event_loop()
                self._client = self._connected()
                self._thread = threading.Thread(target=self._loop.run_forever, name="turnfold-model-calls", daemon=True)
                self._thread.start()
            return self._loop

    def _connected(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        return AsyncOpenAI(
            # A self-hosted server may need no key, but the client requires one.
            api_key=self._api_key or "none",
            base_url=self._base_url or None,
            max_retries=0,
            timeout=self._timeout_seconds,
            http_client=bounded_client(timeout_seconds=self._timeout_seconds),
        )

    async def _complete(self, request: ModelRequest) -> bytes:
        import openai

        client = self._client
        assert client is not None  # noqa: S101 - made with the loop that this runs on
        try:
            async with asyncio.timeout(self._timeout_seconds):
                answer = await client.chat.completions.with_raw_response.create(**self.body(request))
                content: bytes = answer.http_response.content
                return content
        except ReplyTooLong as error:
            msg = f"the reply was rejected: {error}"
            raise ModelAway(msg) from None
        except (TimeoutError, openai.APITimeoutError):
            msg = f"no complete answer within {self._timeout_seconds:g} s"
            raise ModelAway(msg) from None
        except openai.APIStatusError as error:
            raise status_error(error) from None
        except (openai.APIConnectionError, OSError) as error:
            if isinstance(error.__cause__, ReplyTooLong):
                # openai 2 wraps the errors of its transport.
                msg = f"the reply was rejected: {error.__cause__}"
                raise ModelAway(msg) from None
            msg = f"no connection: {type(error.__cause__ or error).__name__}"
            raise ModelAway(msg) from None

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """Build the request body. The system text comes first: providers cache by common prefixes."""
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": str(request.purpose), "strict": True, "schema": request.schema},
            },
        }
        if self._base_url:
            # Every server knows the older name.
            body["max_tokens"] = request.max_tokens
        else:
            body["max_completion_tokens"] = request.max_tokens
            body["prompt_cache_key"] = f"turnfold-{request.prompt_version}"
        if not _REASONING.match(request.model):
            body["temperature"] = 0
        return body


def status_error(error: APIStatusError) -> Exception:
    """Translate an HTTP error by its status and code; the message may quote the request, so it is left out."""
    status, code = error.status_code, _code(error)
    what = f"HTTP {status}" + (f" {code}" if code else "")
    if 300 <= status < 400:
        msg = f"{what}: the server redirects, and redirects are not followed"
        return ModelWaits(msg, remedy="set TURNFOLD_OPENAI_BASE_URL to the target", seconds=QUOTA_SECONDS)
    if code in _UNPAID or status in {401, 402, 403, 404}:
        return ModelWaits(what, remedy="check the key, its quota and the model names", seconds=QUOTA_SECONDS)
    if status in {408, 409, 425, 429} or status >= 500:
        return ModelAway(what, retry_after_seconds=_retry_after(error.response.headers))
    return ModelRefused(what)


def _code(error: APIStatusError) -> str:
    code = getattr(error, "code", None) or (error.body.get("code") if isinstance(error.body, Mapping) else None)
    return code if isinstance(code, str) and re.fullmatch(r"\w{1,60}", code) else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of `retry-after-ms` or `retry-after`. Dates are ignored: two clocks would have to agree."""
    for name, unit in (("retry-after-ms", 1_000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds <= _MOST_RETRY_AFTER:
            return seconds
    return None


def read_completion(raw: bytes, request: ModelRequest) -> ModelReply:
    """Parse a body that should be a chat completion. Raises `ModelAway` for anything else."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise ModelAway(
            "the answer is not JSON", remedy="check that TURNFOLD_OPENAI_BASE_URL points to an OpenAI-compatible API"
        ) from None
    choices = body.get("choices") if isinstance(body, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise ModelAway("the answer has no choices")
    content, refused = message.get("content"), bool(message.get("refusal"))
    content = content if isinstance(content, str) else ""
    return ModelReply(
        content=content, finish=_finish(choice.get("finish_reason"), refused=refused or not content),
        used=_used(body.get("usage"), content, request),
    )  # fmt: skip


def _finish(reason: object, *, refused: bool) -> Finish:
    if reason == "length":
        return Finish.LENGTH
    return Finish.REFUSAL if refused or reason == "content_filter" else Finish.STOP


def _used(usage: object, content: str, request: ModelRequest) -> Used:
    from turnfold.tokens import estimate_tokens

    given = usage if isinstance(usage, Mapping) else {}
    sent, got = _count(given.get("prompt_tokens")), _count(given.get("completion_tokens"))
    if sent is None or got is None:
        return Used(input_tokens=request.input_tokens, output_tokens=estimate_tokens(content), estimated=True)
    details = given.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    return Used(input_tokens=sent, cached_tokens=min(cached or 0, sent), output_tokens=got)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40 else None
