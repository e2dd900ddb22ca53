"""Strikes on a running chaos: kill -9, SIGSTOP, a full disk, a clock step, a truncated log."""

from __future__ import annotations

import os
import random
import resource
import signal
import time
from contextlib import suppress
from typing import Final

from support.chaos import LEASE_SECONDS, Chaos, Strike
from support.waiting import wait_until
from turnfold.contract import keys

BEGIN_OF_TRANSACTION: Final = b"*1\r\n$5\r\nMULTI\r\n"

STOPPED_SECONDS: Final = 1.5 * LEASE_SECONDS
"""Longer than a lease, and longer than any call waits for Redis in these runs."""

AN_HOUR: Final = 3_600


# kill -9


def redis_process(chaos: Chaos, chance: random.Random) -> str:
    """Kill a Redis with every request in flight."""
    chaos.crash_redis(chance.choice(chaos.servers))
    return "Redis"


def postgresql_process(chaos: Chaos, chance: random.Random) -> str | None:
    """Kill all processes of PostgreSQL, which recovers from its log."""
    if chaos.postgresql is None:
        return None
    chaos.postgresql.kill()
    time.sleep(chance.uniform(0.2, 1.5))
    chaos.start_postgresql()
    return "PostgreSQL"


def pgbouncer_process(chaos: Chaos, chance: random.Random) -> str | None:
    """Kill the pooler with every transaction in flight."""
    if chaos.pgbouncer is None:
        return None
    chaos.pgbouncer.kill()
    time.sleep(chance.uniform(0.2, 1.5))
    chaos.pgbouncer.start()
    return "PgBouncer"


def pool_child(chaos: Chaos, chance: random.Random) -> str | None:
    """Kill one process that runs tasks."""
    return "child" if chance.choice(chaos.workers).kill_child(chance.randrange(8)) else None


def whole_worker(chaos: Chaos, chance: random.Random) -> str:
    """Kill a worker's parent and its children."""
    worker = chance.choice(chaos.workers)
    worker.kill()
    worker.start(wait=False)
    return "parent with children"


def worker_parent(chaos: Chaos, chance: random.Random) -> str:
    """Kill a parent alone: its children finish their tasks while the next parent starts."""
    worker = chance.choice(chaos.workers)
    worker.kill_parent()
    worker.start(wait=False)
    return "parent"


def power_cut(bytes_lost: int) -> Strike:
    """Kill Redis and cut off the last `bytes_lost` of its log.

    The log is cut where a transaction begins. Otherwise Redis 6.2 would keep a transaction that ends within a
    command without executing it, and its log would no longer match its data.
    """

    def strike(chaos: Chaos, chance: random.Random) -> str:
        chaos.redis.kill()
        for path in chaos.redis.log.parent.rglob("appendonly*.aof"):
            kept = path.read_bytes()[:-bytes_lost]
            os.truncate(path, max(0, kept.rfind(BEGIN_OF_TRANSACTION)))
        chaos.bring_back_redis(chaos.redis)
        return "Redis and the end of its log"

    return strike


# SIGSTOP


def stopped_worker(chaos: Chaos, chance: random.Random) -> str:
    """Stop a worker in the middle of its work, and resume it long after others have taken that over."""
    worker = chance.choice(chaos.workers)
    worker.freeze()
    time.sleep(STOPPED_SECONDS)
    worker.thaw()
    return "stopped worker"


def stopped_redis(chaos: Chaos, chance: random.Random) -> str:
    """Stop a Redis, then let it execute requests that clients have long given up and repeated."""
    server = chance.choice(chaos.servers)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    time.sleep(STOPPED_SECONDS)
    os.kill(server.pid, signal.SIGCONT)
    return "stopped Redis"


def stopped_postgresql(chaos: Chaos, chance: random.Random) -> str | None:
    """Stop all processes of PostgreSQL in the middle of transactions."""
    if chaos.postgresql is None:
        return None
    chaos.postgresql.freeze()
    time.sleep(STOPPED_SECONDS)
    chaos.postgresql.thaw()
    return "stopped PostgreSQL"


# Environment


def full_disk(chaos: Chaos, chance: random.Random) -> str:
    """Let no file of a worker grow for a while.

    A limit on file size needs no privileges, can be set for running processes, and can be lifted again. For SQLite,
    the same writes fail as on a full disk.
    """
    logs = max(worker.log.stat().st_size for worker in chaos.workers)
    files = [chaos.folder / "chaos.db", chaos.folder / "chaos.db-wal"]
    room = max(logs + 200_000, min(path.stat().st_size for path in files if path.exists()))
    failed = chaos.said("StoreAway")
    _limit_files(chaos, room)
    try:
        wait_until(lambda: chaos.said("StoreAway") > failed, what="a worker that has no room")
        time.sleep(STOPPED_SECONDS)
    finally:
        _limit_files(chaos, resource.RLIM_INFINITY)
    return "full disk"


def _limit_files(chaos: Chaos, size: int) -> None:
    for worker in chaos.workers:
        for process in worker.processes():
            with suppress(ProcessLookupError):
                resource.prlimit(process, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def clock_step(chaos: Chaos, chance: random.Random) -> str:
    """Set each clock independently to an hour ahead, an hour behind, or the right time."""
    assert chaos.clocks is not None
    names = ["redis", "postgresql", *(worker.name for worker in chaos.workers)] if chaos.postgresql else [
        "redis", "workers",
    ]  # fmt: skip
    for name in names:
        chaos.clocks.set(name, chance.choice((-AN_HOUR, 0, AN_HOUR)))
    return "clock step"


def set_back(chaos: Chaos, chance: random.Random) -> str:
    """Set every clock back by an hour and kill the workers, so that no message in flight arrives."""
    assert chaos.clocks is not None
    with chaos.redis.client() as client:
        wait_until(lambda: client.exists(keys.SWEEP), what="a sweep that stands for those to come")
    for name in ("redis", "postgresql", "workers", *(worker.name for worker in chaos.workers)):
        chaos.clocks.set(name, -AN_HOUR)
    with chaos.redis.client() as client:
        seconds, _ = client.time()
    assert seconds < time.time() - AN_HOUR / 2, "the clock of Redis did not follow"
    for worker in chaos.workers:
        worker.kill()
        worker.start(wait=False)
    return "clock set back"
