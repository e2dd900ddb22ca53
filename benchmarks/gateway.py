"""Compare requests a second of append and context through the gateway with the SDK in its own process, in one run.

python benchmarks/gateway.py                  three rounds of five seconds each
python benchmarks/gateway.py --rounds 1 --seconds 2

CPU is the process's time for a call, threads and server included, independent of other load. The SDK's loop and the
gateway take turns on the first core; load generator, Redis and this program run on the second. Latency is measured at
half of the maximum rate: requests are sent on a schedule, independent of the answers, and timed from when they were
due. The floor is the same requests at the same rate, answered at once by a bare application on the same server and
core, alternating with the gateway. Needs a Redis server and two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any, Final

import psutil

from turnfold import Settings, Turnfold
from turnfold_gateway.keys.store import KeyStore
from turnfold_worker.testing.local import embedded

CONNECTIONS: Final = 16
ANSWERED_SECONDS: Final = 30
BUDGET: Final = 2_000
LENGTHS: Final = (100, 3_000)
CALLS: Final = ("append", "context")
GATEWAY: Final = (sys.executable, "-c", "from turnfold_gateway.cli import main; main()", "serve", "--port", "0")
BARE: Final = (sys.executable, __file__, "--as-bare")


def turn(number: int) -> dict[str, str]:
    words = f"Step {number}: we check the invoice, move booking {number % 97} to Lisbon, and keep to {number} euros."
    return {"role": "user" if number % 2 else "assistant", "content": words}


def pin(core: int) -> Callable[[], None]:
    return lambda: os.sched_setaffinity(0, {core})


# The SDK in its own process


def sdk_rate(call: str, conversation: str, seconds: float) -> tuple[float, float]:
    """Return calls a second of one thread in a process on the first core, and milliseconds of CPU for each."""
    command = [sys.executable, __file__, "--as-sdk", call, conversation, str(seconds)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, preexec_fn=pin(0)).stdout  # noqa: S603
    calls, milliseconds = map(float, printed.split())
    return calls, milliseconds


def run_sdk(call: str, conversation: str, seconds: float) -> None:
    with Turnfold.from_env() as tf:
        calls = {
            "append": lambda number: tf.append(f"sdk-{number % 64}", turn(number)),
            "context": lambda _: tf.context(conversation, budget_tokens=BUDGET),
        }
        made = 0
        for number in range(20):
            calls[call](number)
        began, used = time.perf_counter(), time.process_time()
        until = began + seconds
        while time.perf_counter() < until:
            calls[call](made)
            made += 1
        print(made / (time.perf_counter() - began), 1_000 * (time.process_time() - used) / made)


# The gateway

Place = tuple[str, int, psutil.Process]


@contextmanager
def served(command: Sequence[str]) -> Iterator[Place]:
    """Host, port and process of a server on the first core."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=pin(0))  # noqa: S603, PLW1509
    try:
        assert process.stderr is not None  # noqa: S101 - for the type checker
        host, _, port = process.stderr.readline().strip().removeprefix("http://").rpartition(":")
        yield host, int(port), psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()


def serve_bare() -> None:
    """Serve an application that only reads its request and answers, on the server that the gateway runs on."""
    import socket

    import uvicorn

    async def bare(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-type", b"application/json"), (b"content-length", b"2")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})

    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", file=sys.stderr, flush=True)
    config = uvicorn.Config(bare, log_level="warning", access_log=False, server_header=False, lifespan="off")
    uvicorn.Server(config).run(sockets=[listener])


def request(key: str, call: str, conversation: str, number: int) -> bytes:
    if call == "append":
        path, body = f"http-{number % 64}/turns", json.dumps({"turns": [turn(number)]})
    else:
        path, body = f"{conversation}/context", json.dumps({"budget_tokens": BUDGET})
    head = f"POST /v1/conversations/{path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {key}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


class Connection(asyncio.Protocol):
    """Sends one request at a time and records how long each answer took from when the request was due."""

    def __init__(self, next_request: Callable[[], bytes | None], took: list[float]) -> None:
        self._next, self._took = next_request, took
        self._unread = b""
        self._waiting: deque[float] = deque()
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def send(self, *, due: float | None = None) -> None:
        message = self._next()
        if message is None:
            self._transport.close()
            return
        self._waiting.append(time.perf_counter() if due is None else due)
        self._transport.write(message)

    def data_received(self, data: bytes) -> None:
        self._unread += data
        while (end := self._unread.find(b"\r\n\r\n")) >= 0:
            head = self._unread[:end].lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            if len(self._unread) < end + 4 + length:
                return
            if not head.startswith((b"http/1.1 200", b"http/1.1 202")):
                msg = f"the gateway answered {self._unread[: end + 4 + length]!r}"
                raise SystemExit(msg)
            self._unread = self._unread[end + 4 + length :]
            self._took.append(time.perf_counter() - self._waiting.popleft())
            self.answered()

    def answered(self) -> None:
        self.send()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - asyncio's form
        if not self.closed.done():
            self.closed.set_result(None)


class Scheduled(Connection):
    """Sends requests when they are due, not after the last answer."""

    _idle: asyncio.Future[None] | None = None

    def answered(self) -> None:
        if not self._waiting and self._idle is not None:
            self._idle.set_result(None)

    async def idle(self) -> None:
        """Wait until every request is answered."""
        if self._waiting:
            self._idle = asyncio.get_running_loop().create_future()
            await asyncio.wait_for(self._idle, ANSWERED_SECONDS)


async def rate(place: Place, key: str, call: str, conversation: str, seconds: float) -> tuple[float, float]:
    """Return requests a second over all connections, and milliseconds of the gateway's CPU for each.

    A connection sends its next request after an answer.
    """
    numbers, took = iter(range(10**9)), []
    until = time.perf_counter() + seconds

    def next_request() -> bytes | None:
        return request(key, call, conversation, next(numbers)) if time.perf_counter() < until else None

    began, used = time.perf_counter(), cpu_seconds(place)
    connections = await connected(place, lambda: Connection(next_request, took), CONNECTIONS)
    for connection in connections:
        connection.send()
    await asyncio.gather(*(connection.closed for connection in connections))
    return len(took) / (time.perf_counter() - began), 1_000 * (cpu_seconds(place) - used) / len(took)


def cpu_seconds(place: Place) -> float:
    times = place[2].cpu_times()
    return float(times.user + times.system)


async def latencies(
    place: Place, key: str, call: str, conversation: str, *, seconds: float, a_second: float
) -> list[float]:
    """Return the milliseconds of each request at a steady rate, including the slowest."""
    numbers, took = iter(range(10**9)), []
    connections = await connected(
        place, lambda: Scheduled(lambda: request(key, call, conversation, next(numbers)), took), CONNECTIONS
    )
    began = time.perf_counter()
    for number in range(int(seconds * a_second)):
        due = began + number / a_second
        if (pause := due - time.perf_counter()) > 0:
            await asyncio.sleep(pause)
        connections[number % CONNECTIONS].send(due=due)
    for connection in connections:
        await connection.idle()
        connection._transport.close()  # noqa: SLF001 - our own
    return [1_000 * seconds for seconds in took]


async def connected(place: Place, make: Callable[[], Connection], count: int) -> list[Connection]:
    loop = asyncio.get_running_loop()
    return [(await loop.create_connection(make, *place[:2]))[1] for _ in range(count)]


def percentile(milliseconds: list[float], share: float) -> float:
    return sorted(milliseconds)[min(len(milliseconds) - 1, int(share * len(milliseconds)))]


def measure(places: tuple[Place, Place], key: str, call: str, conversation: str, arguments: argparse.Namespace) -> str:
    """Return a row of the table for the gateway and the bare application."""
    sdk, http = [], []
    place, bare = places
    for _ in range(arguments.rounds):
        sdk.append(sdk_rate(call, conversation, arguments.seconds))
        http.append(asyncio.run(rate(place, key, call, conversation, arguments.seconds)))
    (sdk_calls, sdk_cpu), (requests, gateway_cpu) = (
        tuple(map(median, zip(*runs, strict=True))) for runs in (sdk, http)
    )
    took: list[float] = []
    floor: list[float] = []
    for _ in range(arguments.rounds):
        for server, milliseconds in ((bare, floor), (place, took)):
            milliseconds.extend(
                asyncio.run(
                    latencies(server, key, call, conversation, seconds=arguments.seconds, a_second=requests / 2)
                )
            )
    name = call if call == "append" else f"{call}, {conversation.removeprefix('long-')} turns"
    times = " | ".join(f"{percentile(of, share):.1f}" for share in (0.5, 0.99) for of in (took, floor))
    return (
        f"| {name} | {sdk_calls:,.0f} | {requests:,.0f} | {requests / sdk_calls:.0%} | {sdk_cpu:.2f} | "
        f"{gateway_cpu:.2f} | {sdk_cpu / gateway_cpu:.0%} | {times} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--as-sdk", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--as-bare", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.as_bare:
        serve_bare()
        return
    if arguments.as_sdk:
        call, conversation, seconds = arguments.as_sdk
        run_sdk(call, conversation, float(seconds))
        return
    os.sched_setaffinity(0, {1})
    with embedded(tenant="bench", max_inbox_turns=1_000_000) as tf:
        os.environ.update(tf.environment, TURNFOLD_MAX_INBOX_TURNS="1000000")
        for length in LENGTHS:
            tf.append(f"long-{length}", [turn(number) for number in range(length)])
        tf.fold_now()
        store = KeyStore(Settings.from_env())
        key = str(store.create("bench", "benchmark", ["append", "read"]))
        store.close()
        print(
            "| call | SDK, calls/s | gateway, requests/s | by rate | SDK, CPU ms | gateway, CPU ms | by CPU "
            "| p50 ms at half of it | bare p50 | p99 ms | bare p99 |"
        )
        print("|---|---|---|---|---|---|---|---|---|---|---|")
        with served(GATEWAY) as place, served(BARE) as bare:
            for call, length in (("append", LENGTHS[0]), *(("context", length) for length in LENGTHS)):
                print(measure((place, bare), key, call, f"long-{length}", arguments), flush=True)


if __name__ == "__main__":
    main()
