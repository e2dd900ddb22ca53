"""A caller that disconnects at any point of a proxied request leaves no open connection and no partial answer."""

from __future__ import annotations

import json
import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import psutil
import pytest

from support.gateway import Gateway
from support.provider import Provider, Reply
from support.waiting import wait_until
from turnfold import Turnfold, UnknownConversation

TEXT = "The parcel goes to Lisbon on Friday. " * 40
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses"}
LOOKUP = (("call-1", "turnfold_search", '{"query": "parcel"}'),)
LONG = "long"
ROUNDS = 12


def named(api: str, number: int, *, tools: bool) -> dict[str, str]:
    """Return the headers of a round; with `tools`, of a conversation that does not fit, so that lookups are offered."""
    if tools:
        return {"X-Turnfold-Conversation": LONG, "X-Turnfold-Tools": "on", "X-Turnfold-History": "new",
                "X-Turnfold-Budget": "1500"}  # fmt: skip
    return {"X-Turnfold-Conversation": f"{api}-{number}"}


def body_of(api: str, words: str, *, stream: bool) -> dict[str, Any]:
    said = [{"role": "user", "content": words}]
    return {"model": "m", "stream": stream, "messages" if api == "chat" else "input": said}


def request_of(proxy: Gateway, key: str, api: str, number: int, *, stream: bool, tools: bool) -> bytes:
    """Return the bytes of a request for a conversation."""
    body = json.dumps(body_of(api, f"Where does parcel {number} go?", stream=stream)).encode()
    headers = {
        "Host": httpx.URL(proxy.url).host, "X-Turnfold-Key": key, "Authorization": "Bearer sk", "Connection": "close",
        **named(api, number, tools=tools), "Content-Type": "application/json", "Content-Length": str(len(body)),
    }  # fmt: skip
    head = [f"POST {PATHS[api]} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items()), "", ""]
    return "\r\n".join(head).encode() + body


def go_away(proxy: Gateway, request: bytes, *, sent: int, received: int, when: Callable[[], Any]) -> None:
    """Send part of a request, wait, receive part of the answer, and disconnect, sometimes with a reset."""
    url = httpx.URL(proxy.url)
    with socket.create_connection((url.host, url.port or 80), timeout=20) as connection:
        if received % 2:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.sendall(request[:sent])
        when()
        while received > 0 and sent == len(request):
            if not (piece := connection.recv(min(received, 4_096))):
                return
            received -= len(piece)


def connections(proxy: Gateway) -> dict[str, int]:
    """Count the gateway's connections by the port of the other side, and those of its callers."""
    here = httpx.URL(proxy.url).port
    found = {"callers": 0}
    for connection in psutil.Process(proxy.pid).net_connections("tcp"):
        if connection.raddr and connection.status != psutil.CONN_LISTEN:
            name = "callers" if connection.laddr.port == here else str(connection.raddr.port)
            found[name] = found.get(name, 0) + 1
    return found


def answers(tf: Turnfold, conversation: str) -> list[str]:
    with suppress(UnknownConversation):
        return [turn.content for turn in tf.turns(conversation) if turn.role == "assistant"]
    return []


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.parametrize("tools", [False, pytest.param(True, marks=pytest.mark.long)], ids=["", "lookups"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("api", sorted(PATHS))
def test_nothing_stays_open_and_no_half_of_an_answer_is_stored(
    proxy: Gateway, provider: Provider, key: str, tf: Turnfold, raw: httpx.Client, released: threading.Event,
    api: str, stream: bool, tools: bool,
) -> None:  # fmt: skip
    chance = random.Random(f"{api} {stream} {tools}")
    if tools:
        tf.append(
            LONG, [{"role": "user", "content": f"Parcel {n} is heavy. " + "We weighed it. " * 30} for n in range(40)]
        )
        tf.wait(LONG, timeout_seconds=90)
    provider.choose = lambda _: Reply(text=TEXT, piece_bytes=300)
    assert ask(raw, api, stream=stream, tools=tools) == "on"
    before, files = connections(proxy), psutil.Process(proxy.pid).num_fds()
    left = len(provider.broken)
    kinds = ("unsent", "held", "paused", "receiving", "receiving", *(["looking"] if tools else []))
    for number in range(ROUNDS):
        request = request_of(proxy, key, api, number, stream=stream, tools=tools)
        seen, kind = len(provider.sent), kinds[number % len(kinds)]
        reply = {
            "held": Reply(text=TEXT, hold=released), "paused": Reply(text=TEXT, piece_bytes=300, pause=released),
            "looking": Reply(calls=LOOKUP),
        }.get(kind)  # fmt: skip
        left += kind in {"held", "paused"}
        provider.script = [] if reply is None else [reply]

        def reached(seen: int = seen) -> None:
            wait_until(lambda: len(provider.sent) > seen, what="the provider is asked")

        go_away(
            proxy, request,
            sent=chance.randrange(len(request)) if kind == "unsent" else len(request),
            received=chance.randint(1, 3_000) if kind == "receiving" else 0,
            when=reached if kind in {"held", "paused", "looking"} else lambda: None,
        )  # fmt: skip
    provider.script = []
    # A round that was receiving may have been cut off in the middle of its answer, too.
    wait_until(lambda: len(provider.broken) >= left, what="each provider that answered nobody is left")
    wait_until(lambda: connections(proxy)["callers"] <= before["callers"], what="no caller's connection stands")
    wait_until(
        lambda: psutil.Process(proxy.pid).num_fds() <= files + 6, what=f"{connections(proxy)}, at first {before}"
    )
    for name in [LONG] if tools else [f"{api}-{number}" for number in range(ROUNDS)]:
        assert set(answers(tf, name)) <= {TEXT}
    assert ask(raw, api, stream=stream, tools=tools) == "on"


def ask(raw: httpx.Client, api: str, *, stream: bool, tools: bool) -> str:
    """Return the memory header of a request whose answer is awaited."""
    body = body_of(api, "And the next one?", stream=stream)
    answer = raw.post(PATHS[api], json=body, headers=named(api, ROUNDS, tools=tools))
    assert answer.status_code == 200
    assert "Lisbon" in answer.text
    return answer.headers["x-turnfold-memory"]
