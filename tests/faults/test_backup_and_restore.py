"""A backup made during appends restores whole conversations: the drill of docs/backup.md."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
import redis
from sqlalchemy import Engine, text

from conftest import LocalWorker, workers_of
from support.celery_workers import CeleryWorker
from support.postgresql import PostgresqlServer
from support.stored import broken_invariants, stored_turns
from support.talk import talk
from support.waiting import wait_until
from turnfold import Settings, Turnfold
from turnfold.contract.tasks import Queue
from turnfold.database.engines import connect
from turnfold_worker import offline
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.operate import migrate
from turnfold_worker.operate.digest import digest

TENANT: Final = "acme"
CONVERSATIONS: Final = [f"chat-{n}" for n in range(3)]
TURNS: Final = 40
STORED: Final = 28
"""Stored turns of each conversation when the workers stop."""
DUMP: Final = ("--format=custom", "--file")
RESTORE: Final = ("--exit-on-error", "--single-transaction")
REWRITE: Final = "auto-aof-rewrite-percentage"
QUEUES: Final = [str(queue) for queue in (Queue.INGEST, Queue.MAINTENANCE, Queue.COMPRESS)]
TALKS: Final[Mapping[str, list[dict[str, Any]]]] = {
    name: [{**turn, "turn_id": f"{name}-{n}"} for n, turn in enumerate(talk(f"backup {name}", TURNS), start=1)]
    for name in CONVERSATIONS
}

Ids = dict[str, list[str]]


def test_the_commands_are_those_of_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs/backup.md").read_text()
    commands = (f"pg_dump {' '.join(DUMP)}", f"pg_restore {' '.join(RESTORE)}", "VACUUM INTO", ".backup", REWRITE)
    assert [command for command in commands if command not in page] == []


class Appending:
    """A thread that appends every turn in order and records the acknowledged ids."""

    def __init__(self, client: Turnfold) -> None:
        self.acknowledged: list[str] = []
        self._client = client
        self._pace = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        for number in range(TURNS):
            self._pace.acquire()
            for name, turns in TALKS.items():
                self._client.append(name, turns[number])
                self.acknowledged.append(turns[number]["turn_id"])

    def go_on(self, rounds: int, *, wait: bool = True) -> None:
        """Release `rounds` more turns of each conversation; with `wait`, block until they are acknowledged."""
        wanted = len(self.acknowledged) + rounds * len(TALKS)
        for _ in range(rounds):
            self._pace.release()
        if wait:
            self.wait_for(wanted)

    def wait_for(self, turns: int) -> None:
        wait_until(lambda: len(self.acknowledged) >= turns, what=f"{turns} turns are acknowledged")


def ids_stored(database_url: str) -> Ids:
    with engine_of(database_url) as engine:
        return {name: [id_ for _, id_, _ in stored_turns(engine, TENANT, name)] for name in CONVERSATIONS}


@contextmanager
def engine_of(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url, write=False, timeout_seconds=10)
    try:
        yield engine
    finally:
        engine.dispose()


def client_of(redis_url: str, database_url: str) -> Turnfold:
    return Turnfold(settings=Settings(redis_url=redis_url, database_url=database_url, tenant=TENANT, doorbell=False))


def check_restored(database_url: str, redis_url: str) -> Ids:
    """Run a worker on a restored installation, check that it is whole, and return the ids stored then."""
    assert migrate.check(database_url) == []
    with workers_of(redis_url, database_url) as make_worker:
        # A dump may contain a running fold: another worker takes it over when its lease ends.
        worker: LocalWorker = make_worker(lease_seconds=0.5, republish_seconds=0.1)
        wait_until(lambda: is_folded(worker), what="all stored turns are folded")
    ids = ids_stored(database_url)
    with engine_of(database_url) as engine, client_of(redis_url, database_url) as tf:
        assert broken_invariants(engine) == {}
        for name, turn_ids in ids.items():
            by_id = {turn["turn_id"]: turn for turn in TALKS[name]}
            with offline.fold([by_id[id_] for id_ in turn_ids], conversation_id=name) as afresh:
                assert digest(engine, TENANT, name) == afresh.digest()
            assert by_id[turn_ids[-1]]["content"] in tf.context(name, budget_tokens=2_000).text
    return ids


def is_folded(worker: LocalWorker) -> bool:
    worker.settle()
    with worker.engine.connect() as connection:
        waits = "SELECT SUM(turn_count - fold_seq), (SELECT COUNT(*) FROM job WHERE state <> 'done') FROM conversation"
        return tuple(connection.execute(text(waits)).one()) == (0, 0)


def prefix(name: str, length: int) -> list[str]:
    return [turn["turn_id"] for turn in TALKS[name][:length]]


def copy_of_log(server: RedisServer, folder: Path, target: Path) -> None:
    """Copy Redis's log as docs/backup.md says: no rewrite may run while the files are copied."""
    with server.client() as client:
        client.config_set(REWRITE, 0)
        wait_until(lambda: not client.info("persistence")["aof_rewrite_in_progress"], what="no rewrite is under way")
        target.mkdir()
        # A folder of files since Redis 7, a single file before.
        for log in folder.glob("appendonly*"):
            (shutil.copytree if log.is_dir() else shutil.copy)(log, target / log.name)
        client.config_set(REWRITE, 100)


@pytest.fixture
def kept_redis(server_folder: Path) -> Iterator[RedisServer]:
    with RedisServer(server_folder / "redis") as server:
        yield server


@pytest.fixture
def empty_redis(redis_server: RedisServer) -> Iterator[str]:
    with redis_server.client() as client:
        client.flushall()
        yield redis_server.url
        client.flushall()


@pytest.mark.long
@pytest.mark.postgresql
def test_postgresql_is_dumped_while_turns_are_appended_and_restored(
    kept_redis: RedisServer, empty_redis: str, server_folder: Path, postgresql_server: PostgresqlServer, tmp_path: Path
) -> None:
    names = {kind: f"backup_{kind}_{uuid4().hex}" for kind in ("of", "lost", "copied", "kept")}
    source = postgresql_server.create(names["of"], template="template")
    environment = {
        "TURNFOLD_REDIS_URL": kept_redis.url, "TURNFOLD_DATABASE_URL": source, "TURNFOLD_STATE_DIR": str(tmp_path),
        "TURNFOLD_FOLD_TURNS": "1", "TURNFOLD_SWEEP_SECONDS": "0.3",
    }  # fmt: skip
    worker = CeleryWorker("all", QUEUES, environment, tmp_path)
    dump = str(server_folder / "turnfold.dump")
    with client_of(kept_redis.url, source) as tf:
        appending = Appending(tf)
        worker.start()
        try:
            appending.go_on(STORED // 2)
            wait_until(lambda: all(ids_stored(source).values()), what=f"turns are stored, see {worker.log}")
            appending.go_on(STORED // 2, wait=False)
            in_redis_copy = {*appending.acknowledged}
            copy_of_log(kept_redis, server_folder / "redis", server_folder / "copied")
            before_dump = ids_stored(source)
            postgresql_server.client("pg_dump", names["of"], *DUMP, dump)
            appending.wait_for(STORED * len(TALKS))
            wait_until(
                lambda: all(len(ids) == STORED for ids in ids_stored(source).values()),
                what="all is stored after the dump",
            )
        finally:
            worker.kill()
        # No worker runs any more, so new turns wait in Redis.
        appending.go_on(TURNS - STORED)

    restored = {kind: postgresql_server.create(names[kind]) for kind in ("lost", "copied", "kept")}
    for kind in restored:
        postgresql_server.client("pg_restore", names[kind], *RESTORE, dump)

    of_dump = check_restored(restored["lost"], empty_redis)
    assert all(of_dump[name] == prefix(name, len(of_dump[name])) for name in CONVERSATIONS)
    assert all(len(of_dump[name]) >= len(before_dump[name]) > 0 for name in CONVERSATIONS)

    with RedisServer(server_folder / "copied") as copied:
        of_both = check_restored(restored["copied"], copied.url)
    assert all(of_both[name] == prefix(name, len(of_both[name])) for name in CONVERSATIONS)
    assert in_redis_copy <= {id_ for ids in of_both.values() for id_ in ids}, "a turn was in neither copy"

    # Today's Redis with the older database: waiting turns get stored, turns stored since the dump are lost.
    with client_of(kept_redis.url, restored["kept"]) as tf:
        known = {name: tf.status(name).stored for name in CONVERSATIONS}
    of_kept = check_restored(restored["kept"], kept_redis.url)
    for name in CONVERSATIONS:
        assert of_kept[name] == prefix(name, known[name]) + prefix(name, TURNS)[STORED:]
    with client_of(kept_redis.url, restored["kept"]) as tf:
        for name in CONVERSATIONS:
            tf.append(name, TALKS[name][known[name] :])
    of_repeated = check_restored(restored["kept"], kept_redis.url)
    for name in CONVERSATIONS:
        assert of_repeated[name] == of_kept[name] + prefix(name, STORED)[known[name] :]
    for name in names.values():
        postgresql_server.drop(name)


def vacuum_into(file: Path, copy: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("VACUUM INTO ?", [str(copy)])


def back_up(file: Path, copy: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, closing(sqlite3.connect(copy)) as target:
        connection.backup(target, pages=50)


@pytest.mark.parametrize("take", [vacuum_into, back_up])
def test_sqlite_is_copied_while_turns_are_stored_and_restored(
    redis_url: str, sqlite_url: str, tmp_path: Path, take: Callable[[Path, Path], None]
) -> None:
    copy = tmp_path / "copy.db"
    with client_of(redis_url, sqlite_url) as tf, workers_of(redis_url, sqlite_url) as make_worker:
        worker = make_worker()
        appending = Appending(tf)
        appending.go_on(15)
        worker.settle()
        before = ids_stored(sqlite_url)
        appending.go_on(15, wait=False)
        storing = threading.Thread(target=worker.settle)
        storing.start()
        take(Path(sqlite_url.removeprefix("sqlite:///")), copy)
        appending.wait_for(30 * len(TALKS))
        storing.join()
        worker.settle()
        with worker.client as client:
            flush(client)

    restored = f"sqlite:///{copy}"
    ids = check_restored(restored, redis_url)
    assert all(len(ids[name]) >= len(before[name]) == 15 for name in CONVERSATIONS)
    assert all(ids[name] == prefix(name, len(ids[name])) for name in CONVERSATIONS)


def flush(client: redis.Redis) -> None:
    """Lose Redis, too."""
    client.flushall()
