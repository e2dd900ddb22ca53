"""Endless requests and endless headers hold a connection only for a limited time, and use bounded memory."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import repeat

import pytest
import uvicorn

from support.waiting import wait_until
from turnfold import Settings
from turnfold_gateway import header_bounds
from turnfold_gateway.app import create_app
from turnfold_gateway.settings import GatewaySettings

GET = b"GET /healthz HTTP/1.1\r\nHost: a\r\n"
POST = b"POST /ui/sign-in HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: same-origin\r\n"
REFUSED = b"GET /v1/conversations HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


@asynccontextmanager
async def served(*, body_seconds: float = 60.0) -> AsyncIterator[int]:
    """Yield the port of a gateway that has neither Redis nor a database."""
    settings = GatewaySettings(
        turnfold=Settings(redis_url="redis://127.0.0.1:1/0", database_url="sqlite:////nowhere/turnfold.db"),
        body_seconds=body_seconds,
    )
    listener = socket.create_server(("127.0.0.1", 0))
    options = {"http": header_bounds.BoundedHeaders, "ws": "none", "log_config": None}
    config = uvicorn.Config(create_app(settings), **options)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    await asyncio.to_thread(wait_until, lambda: server.started)
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        await serving


async def answers(port: int, *pieces: bytes) -> bytes:
    """Return the whole response, up to the end of the connection; empty if the connection was reset."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header_bounds, "HEADER_SECONDS", 0.1)
    monkeypatch.setattr(header_bounds, "LINGER_SECONDS", 0.1)


ENDLESS = {
    "a value": (GET + b"X: ", b"a" * 65_536), "headers": (GET, b"X: a\r\n" * 10_000),
    "a path": (b"GET /", b"a" * 65_536),
    "a name": (GET, b"a" * 65_536), "lines before a request": (b"", b"\r\n" * 40_000),
    "the second request": (GET + b"\r\n" + GET + b"X: ", b"a" * 65_536),
}  # fmt: skip


@pytest.mark.parametrize(("beginning", "more"), ENDLESS.values(), ids=ENDLESS)
async def test_headers_have_an_end(beginning: bytes, more: bytes, hurried: None) -> None:
    async with served() as port:
        # 4 GB, if the server never closed the connection.
        answered = await answers(port, beginning, *repeat(more, 65_536))
        again = await answers(port, GET + b"Connection: close\r\n\r\n")
    assert answered.count(b"HTTP/1.1") <= 2
    assert again.startswith(b"HTTP/1.1 200")


async def test_large_headers_are_told_so() -> None:
    async with served() as port:
        answered = await answers(port, GET + b"X: " + b"a" * 60_000, b"a" * 10_000)
        fits = await answers(port, GET + b"Connection: close\r\nX: " + b"a" * 60_000, b"\r\n\r\n")
    assert answered.startswith(b"HTTP/1.1 431 ")
    assert fits.startswith(b"HTTP/1.1 200 ")


SLOW = {"nothing": b"", "a line": GET, "a second request": GET + b"\r\n" + GET}


@pytest.mark.parametrize("sent", SLOW.values(), ids=SLOW)
async def test_headers_that_do_not_come_are_not_waited_for(sent: bytes, hurried: None) -> None:
    async with served() as port:
        answered = await answers(port, sent)
    assert b"HTTP/1.1 408 " in answered


async def test_a_body_that_does_not_come_is_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    async with served(body_seconds=0.1) as port:
        answered = await answers(port, POST + b"Content-Length: 100\r\n\r\nkey=")
    assert answered.startswith(b"HTTP/1.1 408 ")
    assert b"TURNFOLD_GATEWAY_BODY_SECONDS" in answered
    assert "Traceback" not in caplog.text


async def test_a_body_that_was_answered_before_its_end_may_not_go_on_for_ever(hurried: None) -> None:
    async with served() as port:
        answered = await answers(port, REFUSED, *repeat(b"10000\r\n" + b"a" * 65_536 + b"\r\n", 65_536))
    assert not answered or answered.startswith(b"HTTP/1.1 401 ")


async def test_a_connection_goes_on_behind_a_body_that_was_answered_before_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(header_bounds, "HEADER_SECONDS", 0.1)
    async with served() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(REFUSED)
        assert (await reader.readline()).startswith(b"HTTP/1.1 401 ")
        writer.write(b"1\r\na\r\n0\r\n\r\n" + GET + b"Connection: close\r\n\r\n")
        assert b"HTTP/1.1 200 " in await reader.read()
        writer.close()


@pytest.mark.parametrize("target", [b"/ui/sign-in", b"/v1/conversations", b"/mcp"])
async def test_who_goes_away_in_the_middle_leaves_nothing_in_the_log(
    caplog: pytest.LogCaptureFixture, target: bytes
) -> None:
    caplog.set_level(logging.INFO)
    async with served() as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST " + target + b" HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nkey=")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        assert (await answers(port, GET + b"Connection: close\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    assert "Traceback" not in caplog.text
    assert not [record for record in caplog.records if record.exc_info]
