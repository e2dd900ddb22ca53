"""Real workers on a real Redis under kill -9, producers that repeat what failed, and an end only when all is folded."""

from __future__ import annotations

import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from sqlalchemy import text

from support.celery_workers import CeleryWorker
from support.chaos_producers import Producers
from support.stored import Verdict, broken_invariants, judge, stored_turns
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract.tasks import Queue, Task
from turnfold.doorbell import producer_app, publish
from turnfold.settings import Settings
from turnfold.sql import connect
from turnfold_worker import migrate
from turnfold_worker.adapters.redis_server import RedisServer
from turnfold_worker.digest import digest

BEGIN_OF_TRANSACTION = b"*1\r\n$5\r\nMULTI\r\n"

TESTS = Path(__file__).parent.parent

MOST_AHEAD = 600
"""Turns that may be appended and not folded: kills are to hit work, not an empty house or an endless queue."""

Kill = Callable[["Chaos", random.Random], str | None]
Messages = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What happens to whom."""

    conversations: Mapping[tuple[str, str], Messages]
    """(tenant, conversation) -> its messages."""
    kills: Sequence[Kill]
    """One after the other, each when its share of the turns is folded."""
    seed: int
    doorbell: bool = True
    copies: int = 1
    """Above 1, each drain and each fold is also published so many times at once."""
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def turns(self) -> int:
        return sum(map(len, self.conversations.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run left behind and what it met on its way."""

    verdict: Verdict
    broken: Mapping[str, Sequence[tuple[object, ...]]]
    digests: Mapping[tuple[str, str], str]
    parked_jobs: int
    left_in_redis: Sequence[str]
    kills: Mapping[str, int]
    appends_repeated: int
    unwritten_turns: int
    redelivered_tasks: int
    entries_replayed: int
    """Turns that a drain read again after they were stored."""
    folds_discarded: int
    """Segments that two workers folded at once, of which one was thrown away."""
    tasks: int
    seconds: float

    def __str__(self) -> str:
        kills = ", ".join(f"{number} {kind}" for kind, number in sorted(self.kills.items())) or "none"
        return (
            f"kills: {kills}; appends repeated: {self.appends_repeated}; acknowledged turns that Redis had not "
            f"written: {self.unwritten_turns}; tasks: {self.tasks}, received again: {self.redelivered_tasks}; "
            f"entries replayed: {self.entries_replayed}, folds discarded: {self.folds_discarded}; {self.seconds:.0f} s"
        )


class Chaos:
    """One run. A context manager: whatever it started ends with it."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.plan = plan
        self.killed: Counter[str] = Counter()
        self.redis = RedisServer(folder / "redis")
        self._folder = folder
        self._database_url = f"sqlite:///{folder / 'chaos.db'}"
        self._engine = connect(self._database_url, write=False, timeout_seconds=30)
        self.workers: list[CeleryWorker] = []

    def __enter__(self) -> Self:
        migrate.upgrade(self._database_url)
        self.redis.start()
        environment = {
            "PYTHONPATH": os.pathsep.join(["", str(TESTS), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep),
            "TURNFOLD_REDIS_URL": self.redis.url, "TURNFOLD_DATABASE_URL": self._database_url,
            "TURNFOLD_STATE_DIR": str(self._folder), "TURNFOLD_TIMEOUT_SECONDS": "2",
            "TURNFOLD_LEASE_SECONDS": "2", "TURNFOLD_SWEEP_SECONDS": "0.5", "TURNFOLD_REPUBLISH_SECONDS": "2",
            "TURNFOLD_SLICE_SECONDS": "0.3",
            # A segment whose worker dies three times gets plain words, on purpose; here that is no poisoned segment.
            "TURNFOLD_ATTEMPTS": "20",
            **self.plan.environment,
        }  # fmt: skip
        ingest = (Queue.INGEST, Queue.MAINTENANCE)
        for name, queues, children in (
            ("ingest-1", ingest, 2), ("ingest-2", ingest, 1), ("compress-1", (Queue.COMPRESS,), 1),
            ("compress-2", (Queue.COMPRESS,), 1),
        ):  # fmt: skip
            self.workers.append(
                CeleryWorker(
                    name,
                    [*map(str, queues)],
                    environment,
                    self._folder,
                    children=children,
                    application="support.counting_app",
                )
            )
        for worker in self.workers:
            worker.start(wait=False)
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.kill()
        self.redis.kill()
        self._engine.dispose()

    def run(self, *, timeout_seconds: float) -> Outcome:
        """Append, kill, and wait until everything is stored and folded."""
        chance = random.Random(self.plan.seed)
        began = time.monotonic()
        settings = Settings(
            redis_url=self.redis.url, database_url=self._database_url, doorbell=self.plan.doorbell, timeout_seconds=2
        )
        with Turnfold(settings=settings) as client:
            self.producers = Producers(
                client, self.plan.conversations, chance.random(), ahead=self._ahead, written=self._written
            )
            with self.producers:
                for number, kill in enumerate(self.plan.kills, start=1):
                    share = int(self.plan.turns * 0.95 * number / (len(self.plan.kills) + 1))
                    self._wait_until(lambda share=share: self._progress()[1] >= share, began + timeout_seconds)
                    if (kind := kill(self, chance)) is not None:
                        self.killed[kind] += 1
                    self._publish_copies(chance)
                self._wait_until(self._settled, began + timeout_seconds)
        return self._judged(time.monotonic() - began)

    # What kills use

    def crash_redis(self) -> None:
        """Kill -9, and back only after an append has failed, if any is still to come."""
        failed = self.producers.failures
        self.redis.kill()
        wait_until(lambda: self.producers.failures > failed or self.producers.finished, what="an append that fails")
        self.bring_back_redis()

    def bring_back_redis(self) -> None:
        """Start Redis; producers repeat what it had acknowledged and not written before they go on."""
        with self.producers.held_back() as repeat:
            self.redis.start()
            repeat()

    # Within

    def _ahead(self, appended: int) -> bool:
        # Without Redis nothing is folded, and producers are to meet the outage rather than wait for its end.
        return self.redis.running and appended - self._progress()[1] > MOST_AHEAD

    def _wait_until(self, look: Callable[[], bool], end: float) -> None:
        def look_at_both() -> bool:
            self.producers.reraise()
            if self.plan.copies > 1 and self.redis.running:
                self._publish_copies(random.Random(time.monotonic_ns()))
            return look()

        wait_until(look_at_both, timeout_seconds=max(0.0, end - time.monotonic()), what=self._describe())

    def _describe(self) -> str:
        return f"(stored, folded) of {self.plan.turns} were {self._progress()} before; logs are in {self._folder}"

    def _publish_copies(self, chance: random.Random) -> None:
        if self.plan.copies == 1:
            return
        app = producer_app(self.redis.url, timeout_seconds=1)
        with self._engine.begin() as connection:
            ids = list(connection.scalars(text("SELECT id FROM conversation")))
        targets = [(Task.DRAIN, chance.randrange(16))]
        if ids:
            targets.append((Task.COMPRESS, chance.choice(ids)))
        for task, argument in targets:
            for _ in range(self.plan.copies):
                publish(app, task, argument)

    def _progress(self) -> tuple[int, int]:
        """Turns stored and turns folded."""
        with self._engine.begin() as connection:
            row = connection.execute(
                text("SELECT COALESCE(SUM(turn_count), 0), COALESCE(SUM(fold_seq), 0) FROM conversation")
            ).one()
        return row[0], row[1]

    def _settled(self) -> bool:
        if not self.producers.finished or self._progress() < (self.plan.turns, self.plan.turns):
            return False
        with self.redis.client() as client, self._engine.begin() as connection:
            running = connection.scalar(text("SELECT COUNT(*) FROM job WHERE state IN ('due', 'running')"))
            return not running and not list(client.scan_iter("tf:*:in:*", count=1000))

    def _written(self) -> bytes:
        """Redis's log on disk."""
        return b"".join(path.read_bytes() for path in sorted((self._folder / "redis").rglob("appendonly*.aof")))

    def _judged(self, seconds: float) -> Outcome:
        appended = {f"{t}/{c}": [m["content"] for m in said] for (t, c), said in self.plan.conversations.items()}
        stored = {
            f"{t}/{c}": [content for _, _, content in stored_turns(self._engine, t, c)]
            for t, c in self.plan.conversations
        }
        received = Counter[str]()
        replayed = discarded = 0
        for worker in self.workers:
            said = worker.log.read_text()
            received.update(re.findall(r"Task turnfold\.\w+\[([0-9a-f-]+)\] received", said))
            replayed += sum(int(n) - int(new) for n, new in re.findall(r"counted entries=(\d+) new=(\d+)", said))
            discarded += said.count("counted fold written=False")
        with self._engine.begin() as connection, self.redis.client() as client:
            parked = connection.scalar(text("SELECT COUNT(*) FROM job WHERE state = 'parked'")) or 0
            left = [name for name in client.scan_iter("tf:*", count=1000) if client.ttl(name) == -1]
        return Outcome(
            verdict=judge(appended, stored), broken=broken_invariants(self._engine),
            digests={(t, c): digest(self._engine, t, c) for t, c in self.plan.conversations},
            parked_jobs=parked, left_in_redis=left, kills=dict(self.killed),
            appends_repeated=self.producers.failures, unwritten_turns=self.producers.unwritten_turns,
            redelivered_tasks=sum(1 for times in received.values() if times > 1), tasks=len(received),
            entries_replayed=replayed, folds_discarded=discarded, seconds=seconds,
        )  # fmt: skip


# Kills


def redis_process(chaos: Chaos, chance: random.Random) -> str:
    """Redis, with whatever is on its way to and from it."""
    chaos.crash_redis()
    return "Redis"


def pool_child(chaos: Chaos, chance: random.Random) -> str | None:
    """One process that runs tasks."""
    return "child" if chance.choice(chaos.workers).kill_child(chance.randrange(8)) else None


def whole_worker(chaos: Chaos, chance: random.Random) -> str:
    """A parent and its children."""
    worker = chance.choice(chaos.workers)
    worker.kill()
    worker.start(wait=False)
    return "parent with children"


def worker_parent(chaos: Chaos, chance: random.Random) -> str:
    """A parent alone: its children finish what they do while the next one starts."""
    worker = chance.choice(chaos.workers)
    worker.kill_parent()
    worker.start(wait=False)
    return "parent"


def schedule(seed: int, *, redis: int = 0, children: int = 0, parents: int = 0, whole: int = 0) -> list[Kill]:
    """So many of each, shuffled by the seed."""
    kills = [redis_process] * redis + [pool_child] * children + [worker_parent] * parents + [whole_worker] * whole
    random.Random(seed).shuffle(kills)
    return list(kills)


def power_cut(bytes_lost: int) -> Kill:
    """Redis, and the end of its log with it.

    The log is cut where a transaction begins: Redis 6.2 keeps half of one that ends within a command, without
    carrying it out, and then the log does not say what Redis has.
    """

    def kill(chaos: Chaos, chance: random.Random) -> str:
        chaos.redis.kill()
        for path in (chaos.redis.log.parent).rglob("appendonly*.aof"):
            kept = path.read_bytes()[:-bytes_lost]
            os.truncate(path, max(0, kept.rfind(BEGIN_OF_TRANSACTION)))
        chaos.bring_back_redis()
        return "Redis and the end of its log"

    return kill
