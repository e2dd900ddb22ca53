"""Run real workers, Redis and SQL under faults, with producers that retry, until every turn is folded."""

from __future__ import annotations

import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeVar
from unittest import mock

from redis.exceptions import RedisError
from sqlalchemy import text, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from support.celery_workers import CeleryWorker
from support.chaos_producers import Producers
from support.clocks import Clocks
from support.pgbouncer import PgBouncer
from support.places import NEW_LAYOUT, write_layout
from support.postgresql import PostgresqlServer
from support.remnants import permanent_keys
from support.stored import Verdict, broken_invariants, judge, stored_turns
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract.shards import NEW_SHARDS, Layout
from turnfold.contract.tables import JobRow, table
from turnfold.contract.tasks import Queue, Task
from turnfold.database.engines import connect
from turnfold.redis.doorbell import CeleryPublisher, producer_app
from turnfold.settings import Settings
from turnfold_worker.adapters.sql import jobs as sql_jobs
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.operate import migrate
from turnfold_worker.operate.digest import digest
from turnfold_worker.settings import WorkerSettings

TESTS = Path(__file__).parent.parent

MOST_AHEAD = 600
"""Upper bound of appended turns that are not folded yet, so that faults hit work, but no endless queue."""

LEASE_SECONDS = 2.0

FOUR_WORKERS = (
    ("ingest-1", (Queue.INGEST, Queue.MAINTENANCE), 2), ("ingest-2", (Queue.INGEST, Queue.MAINTENANCE), 1),
    ("compress-1", (Queue.COMPRESS,), 1), ("compress-2", (Queue.COMPRESS,), 1),
)  # fmt: skip

_T = TypeVar("_T")

Strike = Callable[["Chaos", random.Random], str | None]
"""A function that does something to a running `Chaos` and returns its name, or None if there was no target."""
Messages = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Conversations, faults and servers of a run."""

    conversations: Mapping[tuple[str, str], Messages]
    """(tenant, conversation) -> its messages."""
    strikes: Sequence[Strike]
    """Strikes in order; each runs when its share of the turns is folded."""
    seed: int
    doorbell: bool = True
    celery_doorbell: bool = False
    copies: int = 1
    """Above 1, every message is published this many times, and needless drains and folds are added."""
    environment: Mapping[str, str] = field(default_factory=dict)
    database: str = "sqlite"
    """One of "sqlite"; "postgresql", a server for this run alone; "pgbouncer", the same behind a transaction pooler."""
    clocks: bool = False
    """Whether Redis, SQL and workers use clocks that a strike may set."""
    redis_servers: int = 1
    """Number of servers with inboxes; the first one is Celery's broker as well."""
    workers: Sequence[tuple[str, Sequence[str], int]] = FOUR_WORKERS
    """Name, queues and number of children of each worker."""

    @property
    def turns(self) -> int:
        return sum(map(len, self.conversations.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The final state of a run, and counts of what happened in it."""

    verdict: Verdict
    broken: Mapping[str, Sequence[tuple[object, ...]]]
    digests: Mapping[tuple[str, str], str]
    parked: Sequence[str]
    """Errors of jobs that wait for an operator."""
    plain_segments: int
    """Segments that count as poison and have only plain words."""
    folded_again: int
    """Segments that counted as poison and were folded again automatically ten minutes later."""
    left_in_redis: Sequence[str]
    strikes: Mapping[str, int]
    appends_repeated: int
    unwritten_turns: int
    redelivered_tasks: int
    entries_replayed: int
    """Turns that a drain read again after they were stored."""
    folds_discarded: int
    """Folds thrown away because two workers folded the same segment at once."""
    tasks: int
    seconds: float

    def __str__(self) -> str:
        strikes = ", ".join(f"{number} {kind}" for kind, number in sorted(self.strikes.items())) or "none"
        return (
            f"{strikes}; appends repeated: {self.appends_repeated}; acknowledged turns that Redis had not "
            f"written: {self.unwritten_turns}; tasks: {self.tasks}, received again: {self.redelivered_tasks}; "
            f"entries replayed: {self.entries_replayed}, folds discarded: {self.folds_discarded}; {self.seconds:.0f} s"
        )


class Chaos:
    """A context manager for one run, or several on the same servers; everything that it started ends with it."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        """Prepare servers on the data that an earlier chaos left in `folder`, if any."""
        self.plan = plan
        self.struck: Counter[str] = Counter()
        self.servers = [RedisServer(folder / f"redis-{number}") for number in range(1, plan.redis_servers + 1)]
        self.redis = self.servers[0]
        self.folder = folder
        self.clocks = Clocks(folder / "clocks") if plan.clocks else None
        self.postgresql: PostgresqlServer | None = None
        self._database_url = f"sqlite:///{folder / 'chaos.db'}"
        self.pgbouncer: PgBouncer | None = None
        if plan.database in {"postgresql", "pgbouncer"}:
            with self._living_by("postgresql"):
                (folder / "postgresql").mkdir(exist_ok=True)
                self.postgresql = PostgresqlServer(folder / "postgresql")
            self._database_url = self.postgresql.url
        self._pooled_url = self._database_url
        if plan.database == "pgbouncer":
            assert self.postgresql is not None
            self.pgbouncer = PgBouncer(folder, self.postgresql.port)
            self._pooled_url = self.pgbouncer.url_of(self._database_url)
        self._engine = connect(self._database_url, write=False, timeout_seconds=30)
        self._before = self._seen = (0, 0)
        self._look_again = 0.0
        self._folded_again: set[int] = set()
        self.workers: list[CeleryWorker] = []

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self) -> None:
        if self.postgresql is not None:
            self.start_postgresql()
        if self.pgbouncer is not None:
            self.pgbouncer.start()
        migrate.upgrade(self._pooled_url)
        if len(self.servers) > 1:
            write_layout(self._database_url, Layout(0, NEW_SHARDS, len(self.servers)))
        for server in self.servers:
            self.start_redis(server)
        environment = {
            "PYTHONPATH": os.pathsep.join(["", str(TESTS), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep),
            "TURNFOLD_REDIS_URL": self.redis_url, "TURNFOLD_DATABASE_URL": self._pooled_url,
            "TURNFOLD_DATABASE_POOLER": "on" if self.pgbouncer else "off",
            "TURNFOLD_STATE_DIR": str(self.folder), "TURNFOLD_TIMEOUT_SECONDS": "2",
            "TURNFOLD_LEASE_SECONDS": str(LEASE_SECONDS), "TURNFOLD_SWEEP_SECONDS": "0.5",
            "TURNFOLD_REPUBLISH_SECONDS": "2", "TURNFOLD_SLICE_SECONDS": "0.3", "CHAOS_COPIES": str(self.plan.copies),
            **self.plan.environment,
        }  # fmt: skip
        for name, queues, children in self.plan.workers:
            # A SQLite file and all workers that write it are on one machine: they share a clock.
            clock = self.clocks.environment(name if self.postgresql else "workers") if self.clocks else {}
            self.workers.append(
                CeleryWorker(
                    name, [*map(str, queues)], {**environment, **clock}, self.folder, children=children,
                    application="support.counting_app",
                )
            )  # fmt: skip
        for worker in self.workers:
            worker.start(wait=False)

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.kill()
        for server in self.servers:
            server.kill()
        if self.pgbouncer is not None:
            self.pgbouncer.kill()
        if self.postgresql is not None:
            self.postgresql.kill()
        self._engine.dispose()

    def goes_on_with(self, plan: Plan) -> None:
        """Make the next `run` use the conversations of `plan`, on the same workers and the data stored so far."""
        self.plan, self.struck, self._folded_again = plan, Counter(), set()
        self._before, own = (0, 0), [(t, c) for t, c in plan.conversations]
        stored, folded = self.progress()
        with self._engine.begin() as connection:
            row = connection.execute(
                text(
                    "SELECT COALESCE(SUM(turn_count), 0), COALESCE(SUM(fold_seq), 0) FROM conversation JOIN "
                    "unnest(CAST(:tenants AS text[]), CAST(:names AS text[])) AS own(tenant, name) "
                    "ON own.tenant = conversation.tenant AND own.name = conversation.external_id"
                ),
                {"tenants": [t for t, _ in own], "names": [c for _, c in own]},
            ).one()
        self._before = stored - row[0], folded - row[1]
        self.progress()

    def run(self, *, timeout_seconds: float, progress: Callable[[int], None] = lambda folded: None) -> Outcome:
        """Append, strike, and wait until everything is folded; call `progress` with the number of folded turns."""
        self._tell = progress
        with mock.patch.object(CeleryPublisher, "publish", self._published()):
            return self._run(timeout_seconds)

    def _run(self, timeout_seconds: float) -> Outcome:
        chance = random.Random(self.plan.seed)
        began = time.monotonic()
        settings = Settings(
            redis_url=self.redis_url, database_url=self._pooled_url, doorbell=self.plan.doorbell,
            database_pooler=self.pgbouncer is not None,
            celery_doorbell=self.plan.celery_doorbell, timeout_seconds=2,
        )  # fmt: skip
        with Turnfold(settings=settings) as client:
            self.producers = Producers(
                client, self.plan.conversations, chance.random(), ahead=self._ahead, written=self._written
            )
            with self.producers:
                for number, strike in enumerate(self.plan.strikes, start=1):
                    share = int(self.plan.turns * 0.95 * number / (len(self.plan.strikes) + 1))
                    self._wait_until(lambda share=share: self.progress()[1] >= share, began + timeout_seconds)
                    if (kind := strike(self, chance)) is not None:
                        self.struck[kind] += 1
                self._wait_until(self._settled, began + timeout_seconds)
        return self._judged(time.monotonic() - began)

    @property
    def redis_url(self) -> str:
        """URLs of all servers, in the order of their start."""
        return ",".join(server.url for server in self.servers)

    # Called by strikes

    def crash_redis(self, server: RedisServer) -> None:
        """Kill -9 a Redis, and start it again after an append has failed or all appends are done."""
        failed = self.producers.failures
        server.kill()
        wait_until(lambda: self.producers.failures > failed or self.producers.finished, what="an append that fails")
        self.bring_back_redis(server)

    def bring_back_redis(self, server: RedisServer) -> None:
        """Start a Redis; before producers continue, they repeat the appends that it acknowledged but did not write."""
        with self.producers.held_back() as repeat:
            self.start_redis(server)
            repeat()

    def start_redis(self, server: RedisServer) -> None:
        with self._living_by("redis"):
            server.start()

    def start_postgresql(self) -> None:
        assert self.postgresql is not None
        with self._living_by("postgresql"):
            self.postgresql.start()
        # The pool holds connections to the dead server.
        self._engine.dispose()

    def said(self, words: str) -> int:
        """Count the occurrences of `words` in the workers' logs."""
        return sum(worker.log.read_text(errors="replace").count(words) for worker in self.workers)

    def progress(self) -> tuple[int, int]:
        """Return the plan's stored and folded turns; the last known numbers while the database is down."""
        try:
            with self._engine.begin() as connection:
                row = connection.execute(
                    text("SELECT COALESCE(SUM(turn_count), 0), COALESCE(SUM(fold_seq), 0) FROM conversation")
                ).one()
        except DBAPIError:
            return self._seen
        self._seen = row[0] - self._before[0], row[1] - self._before[1]
        return self._seen

    # Internals

    def _living_by(self, clock: str) -> AbstractContextManager[None]:
        return self.clocks.inherited(clock) if self.clocks else nullcontext()

    def _ahead(self, appended: int) -> bool:
        # Nothing is folded without Redis; producers must meet the outage instead of waiting for its end.
        if not all(server.running for server in self.servers):
            return False
        if time.monotonic() > self._look_again:
            self._look_again = time.monotonic() + 0.1
            self.progress()
        return appended - self._seen[1] > MOST_AHEAD

    def _wait_until(self, look: Callable[[], bool], end: float) -> None:
        def look_at_both() -> bool:
            self.producers.reraise()
            if self.plan.copies > 1 and self.redis.running:
                self._publish_what_nobody_needs(random.Random(time.monotonic_ns()))
            self._tell(self._seen[1])
            return look()

        wait_until(look_at_both, timeout_seconds=max(0.0, end - time.monotonic()), what=self._describe)

    def _describe(self) -> str:
        state = f"producers finished: {self.producers.finished}; logs are in {self.folder}"
        # Report the server that did not come back.
        try:
            with self._engine.begin() as connection:
                jobs = connection.execute(text("SELECT * FROM job WHERE state IN ('due', 'running')")).mappings().all()
            waiting = self._of_each_redis(lambda client: client.scan_iter("tf:*:in:*", count=1000))
            progress = f"(stored, folded) of {self.plan.turns} are {self.progress()}"
        except (SQLAlchemyError, RedisError) as error:
            return f"{type(error).__name__}: {error}; {state}"
        return f"{progress}, unfinished jobs {[*map(dict, jobs)]}, inboxes {waiting}, {state}"

    def _published(self) -> Callable[..., bool]:
        publish = CeleryPublisher.publish

        def publish_copies(publisher: CeleryPublisher, task: Task, *arguments: int, expires_seconds: float) -> bool:
            sent = [
                publish(publisher, task, *arguments, expires_seconds=expires_seconds) for _ in range(self.plan.copies)
            ]
            return all(sent)

        return publish_copies

    def _publish_what_nobody_needs(self, chance: random.Random) -> None:
        publisher = CeleryPublisher(producer_app(self.redis.url, timeout_seconds=1))
        with self._engine.begin() as connection:
            ids = list(connection.scalars(text("SELECT id FROM conversation")))
        targets = [(Task.DRAIN, chance.choice(NEW_LAYOUT.all()))]
        if ids:
            targets.append((Task.COMPRESS, chance.choice(ids)))
        for task, argument in targets:
            publisher.publish(task, argument, expires_seconds=60)
        publisher.close()

    def _settled(self) -> bool:
        if not self.producers.finished or self.progress() < (self.plan.turns, self.plan.turns):
            return False
        with self._engine.begin() as connection:
            running = connection.scalar(text("SELECT COUNT(*) FROM job WHERE state IN ('due', 'running')"))
        settled = not running and not any(self._of_each_redis(lambda client: client.scan_iter("tf:*:in:*", count=1000)))
        return settled and not self._ten_minutes_go_by()

    def _of_each_redis(self, look: Callable[[Any], Iterable[_T]]) -> list[_T]:
        seen: list[_T] = []
        for server in self.servers:
            with server.client() as client:
                seen += look(client)
        return seen

    def _ten_minutes_go_by(self) -> bool:
        """Age the jobs of killed workers so that they are folded again; return False if there are none."""
        job = table(JobRow)
        long_ago = (
            update(job)
            .where(sql_jobs.killed_once(WorkerSettings().attempts))
            .values(not_before=job.c.not_before - sql_jobs.SECOND_ROUND_MILLISECONDS)
            .returning(job.c.id)
        )
        writer = connect(self._database_url, write=True, timeout_seconds=30)
        with writer.begin() as connection:
            found = {*connection.scalars(long_ago)}
        writer.dispose()
        self._folded_again |= found
        return bool(found)

    def _written(self) -> bytes:
        """Return the contents of Redis's logs on disk."""
        return b"".join(path.read_bytes() for path in sorted(self.folder.glob("redis-*/**/appendonly*.aof")))

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
        with self._engine.begin() as connection:
            parked = list(connection.scalars(text("SELECT error FROM job WHERE state = 'parked'")))
            plain = connection.scalar(text("SELECT COUNT(*) FROM node WHERE height = 0 AND method = 0")) or 0
        left = self._of_each_redis(permanent_keys)
        return Outcome(
            verdict=judge(appended, stored), broken=broken_invariants(self._engine),
            digests={(t, c): digest(self._engine, t, c) for t, c in self.plan.conversations},
            parked=parked, plain_segments=plain, folded_again=len(self._folded_again), left_in_redis=left,
            strikes=dict(self.struck), appends_repeated=self.producers.failures,
            unwritten_turns=self.producers.unwritten_turns,
            redelivered_tasks=sum(1 for times in received.values() if times > 1), tasks=len(received),
            entries_replayed=replayed, folds_discarded=discarded, seconds=seconds,
        )  # fmt: skip
