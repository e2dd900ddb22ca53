"""The proxy's routes: requests are forwarded, within a budget if a header names a conversation."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

import httpx
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message

from turnfold import AsyncTurnfold, TurnfoldError
from turnfold.chat_history.caller_turns import OWN_COMPACTION, Api, opened_compaction
from turnfold.chat_history.keeper import Kept
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.inputs import json_object
from turnfold_gateway.problems import Problem, problem_of
from turnfold_gateway.proxy import lookups
from turnfold_gateway.proxy.access import Admitted
from turnfold_gateway.proxy.answers import AnswerCollector
from turnfold_gateway.proxy.compaction import compacted
from turnfold_gateway.proxy.exchange import (
    Proxy,
    Remembered,
    Wishes,
    kept_history,
    log_crash,
    read_body,
    remember,
    wishes_of,
)
from turnfold_gateway.proxy.headers import FOLDED, LOOKUPS, MEMORY, TOKENS, body_length, own_headers, request_headers
from turnfold_gateway.proxy.relay import MOST_ANSWER_BYTES, Received, Relay, until_gone
from turnfold_gateway.proxy.upstream import proxy_problem, with_error_member

_PATHS: Final[Mapping[Api, str]] = {"chat": "/chat/completions", "responses": "/responses"}
COMPACT: Final = "/responses/compact"
_CLIENT_CLOSED: Final = 499
"""Status that servers log for a client that disconnected; it is never received."""
_log = logging.getLogger(__name__)


async def chat_completions(request: Request) -> Response:
    return await _answered(request, "/chat/completions", partial(_completed, api="chat"))


async def responses(request: Request) -> Response:
    return await _answered(request, "/responses", partial(_completed, api="responses"))


async def compact(request: Request) -> Response:
    return await _answered(request, COMPACT, _compacted)


async def _answered(
    request: Request, path: str, work: Callable[[Request, Proxy, Admitted, Wishes], Awaitable[Response]]
) -> Response:
    """Answer a request that names a conversation with `work`; pass any other, and its response, through unchanged."""
    proxy: Proxy = request.app.state.proxy
    try:
        admitted = await proxy.admission.admit(request)
        wishes = wishes_of(request, request.app.state.settings)
        if wishes is not None:
            return await work(request, proxy, admitted, wishes)
        return await _passed(request, proxy, path)
    except TurnfoldError as error:
        raise with_error_member(problem_of(error)) from error
    except Problem as problem:
        raise with_error_member(problem) from None
    except (ClientDisconnect, httpx.StreamError):
        return Response(status_code=_CLIENT_CLOSED)


async def _passed(request: Request, proxy: Proxy, path: str) -> Response:
    """Forward a request unchanged and relay the response."""
    is_sent = asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        async for chunk in request.stream():
            yield chunk
        is_sent.set()

    async def receive() -> Message:
        # Until then, reading the body reports a disconnect by itself.
        await is_sent.wait()
        return await request.receive()

    headers = request_headers(request.headers.raw, same_body=True) + body_length(request.headers.raw)
    received = await until_gone(receive, proxy.upstream.send(path, request.url.query, headers, body()))
    return Response(status_code=_CLIENT_CLOSED) if received is None else Relay(Received(received, None), [])


async def _completed(request: Request, proxy: Proxy, admitted: Admitted, wishes: Wishes, *, api: Api) -> Response:
    body = await read_body(request)
    document = json_object(body)
    turnfold = _client_of(request, admitted)
    remembered = await remember(proxy, admitted, document, partial(kept_history, proxy, turnfold, wishes, api))
    if document is not None and OWN_COMPACTION.encode() in body:
        # No provider understands our compaction items, so they are opened even while there is no memory.
        body = _encoded(_opened(document))
    call = _Call(request, proxy, api, wishes, remembered)
    response = await until_gone(request.receive, call.made(body, document or {}, turnfold))
    return Response(status_code=_CLIENT_CLOSED) if response is None else response


async def _compacted(request: Request, proxy: Proxy, admitted: Admitted, wishes: Wishes) -> Response:
    body = await read_body(request)
    work = partial(compacted, proxy, _client_of(request, admitted), wishes)
    remembered = await remember(proxy, admitted, json_object(body), work)
    if remembered.made is not None:
        added = own_headers({MEMORY: "on", TOKENS: remembered.made["usage"]["output_tokens"]})
        response = Response(_encoded(remembered.made), media_type="application/json")
        response.raw_headers.extend(added)
        return response
    headers = request_headers(request.headers.raw, same_body=True)
    received = await until_gone(request.receive, proxy.upstream.send(COMPACT, request.url.query, headers, body))
    if received is None:
        return Response(status_code=_CLIENT_CLOSED)
    return Relay(Received(received, None), own_headers({MEMORY: f"bypassed; reason={remembered.bypassed}"}))


def _client_of(request: Request, admitted: Admitted) -> AsyncTurnfold:
    cells: ServedCells = request.app.state.cells
    return cells.client(admitted.tenant)


def _opened(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a body with our own compaction items converted to messages."""
    items = document.get("input")
    if not isinstance(items, list):
        return document
    return {**document, "input": [opened_compaction(item) if isinstance(item, dict) else item for item in items]}


class _Call:
    """A request with a conversation, from reading it until its response is relayed."""

    def __init__(self, request: Request, proxy: Proxy, api: Api, wishes: Wishes, remembered: Remembered[Kept]) -> None:
        self._request = request
        self._proxy = proxy
        self._api: Api = api
        self._wishes = wishes
        self._remembered = remembered

    async def made(self, body: bytes, document: Mapping[str, Any], turnfold: AsyncTurnfold) -> Response:
        """Return the response, whose body is still to be streamed."""
        kept = self._remembered.made
        if kept is None or kept.body is None:
            return self._relayed(await self._sent(body, same_body=True), 0)
        if self._wishes.tools and lookups.may_offer(document):
            return await self._with_lookups(kept.body, turnfold)
        return self._relayed(await self._sent(_encoded(kept.body), same_body=False), 0)

    async def _with_lookups(self, body: Mapping[str, Any], turnfold: AsyncTurnfold) -> Response:
        """Return the first answer without a call of our tools. Each answer is held back until that is known."""
        items_name = "messages" if self._api == "chat" else "input"
        offered = {**body, "tools": lookups.with_tools(body.get("tools"), self._api)}
        for made in range(lookups.MOST_ROUNDS):
            received = await self._sent(_encoded(offered), same_body=False)
            output = await self._held(received)
            calls = lookups.calls_in(output, self._api)
            if not any(map(lookups.is_ours, calls)):
                return self._relayed(received, made)
            await received.close()
            results = await lookups.answered(turnfold, self._wishes.conversation, output, calls, self._api)
            offered = {**offered, items_name: [*offered[items_name], *results]}
        # Our tools are no longer offered: the model has to answer with what it has.
        final = {**offered, "tools": body.get("tools") or []}
        if not final["tools"]:
            del final["tools"]
        return self._relayed(await self._sent(_encoded(final), same_body=False), lookups.MOST_ROUNDS)

    async def _held(self, received: Received) -> list[dict[str, Any]]:
        """Read the whole answer before passing it on; return [] if it is too long or an error. Raises `Problem`."""
        try:
            is_whole = await received.hold(MOST_ANSWER_BYTES)
        except httpx.HTTPError as error:
            await received.close()
            raise proxy_problem(
                502, "upstream-broke-off", "The provider's answer was interrupted",
                detail=f"the provider's answer was interrupted ({type(error).__name__})", remedy="repeat the request",
            ) from error  # fmt: skip
        return received.collector.output() if is_whole and received.collector is not None else []

    async def _sent(self, body: bytes, *, same_body: bool) -> Received:
        headers = request_headers(self._request.headers.raw, same_body=same_body)
        query = self._request.url.query
        response = await self._proxy.upstream.send(_PATHS[self._api], query, headers, body)
        collector = None
        if self._remembered.made is not None and response.is_success:
            streamed = response.headers.get("content-type", "").lower().startswith("text/event-stream")
            collector = AnswerCollector(self._api, streamed=streamed, most_bytes=MOST_ANSWER_BYTES)
        return Received(response, collector)

    def _relayed(self, received: Received, made_lookups: int) -> Relay:
        kept = self._remembered.made
        added = own_headers({
            MEMORY: "on" if kept is not None else f"bypassed; reason={self._remembered.bypassed}",
            TOKENS: kept.fold.tokens if kept else None,
            FOLDED: kept.fold.folded if kept else None,
            LOOKUPS: made_lookups or None,
        })  # fmt: skip
        finished = None
        if kept is not None and received.collector is not None:
            finished = partial(_append_answer, kept, received.collector)
        return Relay(received, added, finished)


async def _append_answer(kept: Kept, collector: AnswerCollector) -> None:
    """Append the finished answer. A failure is harmless: the caller's next request contains the answer."""
    try:
        await kept.append_answer(collector.messages())
    except TurnfoldError as error:
        _log.warning("an answer was not appended (%s)", problem_of(error).kind)
    except Exception as error:  # noqa: BLE001 - logged
        # The answer has already been passed on, so no error here may break it off.
        log_crash("an answer was not appended", error)


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


routes: Final = [
    Route("/v1/chat/completions", chat_completions, methods=["POST"]),
    Route("/v1/responses", responses, methods=["POST"]),
    Route(f"/v1{COMPACT}", compact, methods=["POST"]),
]
