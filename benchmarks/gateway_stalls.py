"""Measure stalls of the gateway's event loop while 64 clients read and another one appends large bodies.

python benchmarks/gateway_stalls.py                 five seconds each
python benchmarks/gateway_stalls.py --clients 16 --seconds 2

A beat in the gateway's process sleeps one millisecond at a time; any longer sleep is a stall. The gateway runs on the
first core; load generator, Redis and this program on the second. Needs a Redis server and two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from typing import Any, Final

from gateway import Connection, connected, pin, request, turn

from turnfold import Settings
from turnfold_gateway.keys.store import KeyStore
from turnfold_worker.testing.local import embedded

TALK: Final = "long-1000"
TURN_BYTES: Final = 400_000
BODIES: Final = (0, 1, 4, 16, 30)
"""Megabytes of the bodies appended during the reads."""


async def serve() -> None:
    """Serve a gateway on a free port; at a signal, print the sorted stalls so far, in milliseconds."""
    import uvicorn

    from turnfold_gateway.app import create_app
    from turnfold_gateway.cli.serve import server_of
    from turnfold_gateway.settings import GatewaySettings

    late: list[float] = []

    def tell() -> None:
        print(json.dumps(sorted(late)), flush=True)
        late.clear()

    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, tell)
    config = uvicorn.Config(create_app(GatewaySettings.from_env()), port=0, log_level="warning", access_log=False)
    server = server_of(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0.01)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
    while not serving.done():
        since = time.perf_counter()
        await asyncio.sleep(0.001)
        late.append(1_000 * (time.perf_counter() - since) - 1)


def append_request(key: str, megabytes: int, number: int) -> bytes:
    turns = [
        {"role": "user", "content": f"{number} " + "words " * (TURN_BYTES // 6)} for _ in range(megabytes * 5 // 2)
    ]
    body = json.dumps({"turns": turns})
    head = f"POST /v1/conversations/large-{number}/turns HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer {key}\r\n"
    more = f"Idempotency-Key: {number}\r\nContent-Length: {len(body)}\r\n\r\n"
    return f"{head}{more}{body}".encode()


async def load(place: Any, key: str, megabytes: int, arguments: argparse.Namespace) -> int:
    """Let clients read and one append; return how many reads were answered."""
    until = time.perf_counter() + arguments.seconds
    took: list[float] = []
    appended: list[float] = []
    numbers = iter(range(megabytes * 1_000, 10**9))

    def read() -> bytes | None:
        return request(key, "context", TALK, 0) if time.perf_counter() < until else None

    def append() -> bytes | None:
        return append_request(key, megabytes, next(numbers)) if time.perf_counter() < until else None

    connections = await connected(place, lambda: Connection(read, took), arguments.clients)
    if megabytes:
        connections += await connected(place, lambda: Connection(append, appended), 1)
    for connection in connections:
        connection.send()
    await asyncio.gather(*(connection.closed for connection in connections))
    return len(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve())
        return
    os.sched_setaffinity(0, {1})
    with embedded(tenant="bench", max_inbox_turns=1_000_000) as tf:
        os.environ.update(tf.environment, TURNFOLD_MAX_INBOX_TURNS="1000000")
        tf.append(TALK, [turn(number) for number in range(1_000)])
        tf.fold_now()
        store = KeyStore(Settings.from_env())
        key = str(store.create("bench", "benchmark", ["append", "read"]))
        store.close()
        command = [sys.executable, __file__, "--serve"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=pin(0))  # noqa: S603, PLW1509
        assert process.stdout is not None  # noqa: S101 - for the type checker
        place = ("127.0.0.1", int(process.stdout.readline()), None)
        print("| bodies appended beside the reads | reads/s | p50 ms | p99 ms | longest ms |\n|---|---|---|---|---|")
        for megabytes in (BODIES[0], *BODIES):
            reads = asyncio.run(load(place, key, megabytes, arguments))
            process.send_signal(signal.SIGUSR1)
            late = json.loads(process.stdout.readline())
            p50, p99 = late[len(late) // 2], late[int(0.99 * len(late))]
            what = f"{megabytes} MB" if megabytes else "none"
            print(f"| {what} | {reads / arguments.seconds:,.0f} | {p50:.1f} | {p99:.1f} | {late[-1]:.1f} |", flush=True)
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
