"""After an erasure, no file of the databases contains a byte of the words once workers have cleaned up."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis
from sqlalchemy import create_engine, make_url

from conftest import LocalWorker, workers_of
from support.postgresql import PostgresqlServer
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.contract.results import ErasureReceipt
from turnfold.database.engines import connect
from turnfold.database.remnants import REWRITING, remaining
from turnfold.redis.connections import microseconds_of
from turnfold.settings import Settings
from turnfold_worker.adapters.redis.inbox import RedisInbox
from turnfold_worker.adapters.redis.logs import REWRITE_SECONDS
from turnfold_worker.adapters.sql.erasures import empty_log
from turnfold_worker.local.redis_server import RedisServer

SECRET = "xylophonequartz"
REDACTED = "marmaladezeppelin"


def files_with(folder: Path, word: str) -> list[str]:
    """Return the files below a folder that contain a word anywhere in their bytes."""
    return [path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def test_no_file_holds_what_was_erased(
    redis_program: None, server_folder: Path, sqlite_url: str, tmp_path: Path
) -> None:
    redis_folder = server_folder / "redis"
    redis_folder.mkdir()
    with RedisServer(redis_folder) as server, workers_of(server.url, sqlite_url) as make_worker:
        local = make_worker()
        settings = Settings(redis_url=server.url, database_url=sqlite_url, tenant="acme", doorbell=False)
        with Turnfold(settings=settings) as tf:
            for number in range(30):
                tf.append("c", {"role": "user", "content": f"We decided on {SECRET} {number}."})
                tf.append("d", {"turn_id": f"t{number}", "role": "user", "content": f"We take {REDACTED} {number}."})
            local.settle()
            assert tf.context("c", budget_tokens=500, query="what did we decide on?").reference()
            assert files_with(tmp_path, SECRET)
            wait_until(lambda: files_with(redis_folder, SECRET), what="Redis writes its log")
            tf.forget("c", timeout_seconds=0)
            tf.edit("d", "t3", content="We take nothing.")
            for number in range(30):
                if number != 3:
                    tf.delete("d", f"t{number}")
            local.settle()
            wait_until(lambda: _is_clear(local), what="the logs are written anew")
        for word in (SECRET, REDACTED):
            assert files_with(tmp_path, word) == []
            assert files_with(redis_folder, word) == []


def receipt_of(tf: Turnfold, local: LocalWorker, conversation_id: str) -> ErasureReceipt:
    """Return the receipt of a conversation whose rows a worker deletes."""
    with ThreadPoolExecutor(1) as thread:
        receipt = thread.submit(tf.forget, conversation_id)
        wait_until(lambda: local.settle() or receipt.done(), what="the rows are deleted")
        return receipt.result()


KEPT_BY_REDIS = {
    "a log": {"appendonly": "yes", "save": ""},
    "snapshots": {"appendonly": "no", "save": "3600 1"},
    "both": {"appendonly": "yes", "save": "3600 1"},
    "nothing": {"appendonly": "no", "save": ""},
}


@pytest.mark.parametrize("kept", KEPT_BY_REDIS)
def test_a_receipt_names_every_file_that_holds_bytes(
    redis_program: None,
    server_folder: Path,
    sqlite_url: str,
    tmp_path: Path,
    kept: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("turnfold_worker.adapters.sql.erasures.LOG_WAIT_MILLISECONDS", 1)

    def holding() -> tuple[bool, bool]:
        return files_with(tmp_path, SECRET) != [], files_with(server_folder, SECRET) != []

    def named(receipt: ErasureReceipt) -> tuple[bool, bool]:
        assert all(" until " in place for place in receipt.remains)
        return any("SQLite" in place for place in receipt.remains), any("Redis" in place for place in receipt.remains)

    with RedisServer(server_folder) as server, workers_of(server.url, sqlite_url) as make_worker:
        local = make_worker()
        for setting, chosen in KEPT_BY_REDIS[kept].items():
            local.client.config_set(setting, chosen)
        settings = Settings(redis_url=server.url, database_url=sqlite_url, tenant="acme", doorbell=False)
        with Turnfold(settings=settings) as tf:
            tf.append("c", {"role": "user", "content": f"We decided on {SECRET}."})
            if kept in {"snapshots", "both"}:
                local.client.save()
            local.settle()
            if kept in {"a log", "both"}:
                wait_until(lambda: files_with(server_folder, SECRET), what="Redis writes its log")
            assert holding() == (True, kept != "nothing")

            early = tf.forget("c", timeout_seconds=0)
            assert not early.completed
            assert named(early) == (True, True), "nobody has looked at any file yet"
            assert any("rows" in place for place in early.remains)

            reader = connect(sqlite_url, write=False, timeout_seconds=5)
            with reader.begin() as connection:
                connection.exec_driver_sql("SELECT COUNT(*) FROM turn")
                while_read = receipt_of(tf, local, "c")
                assert while_read.completed
                in_sqlite, in_redis = holding()
                assert in_sqlite
                # Redis may have finished its requested rewrite by now.
                assert named(while_read)[0]
                assert named(while_read)[1] >= in_redis
            reader.dispose()

            wait_until(lambda: _is_clear(local), what="the files are written anew")
            assert holding() == (False, False)


@pytest.mark.postgresql
def test_no_page_of_postgresql_holds_what_was_erased(
    postgresql_server: PostgresqlServer, redis_url: str, postgresql_url: str
) -> None:
    settings = Settings(redis_url=redis_url, database_url=postgresql_url, tenant="acme", doorbell=False)
    folder = postgresql_server.data_folder(make_url(postgresql_url).database or "")
    # Closed before the files are searched, because a full vacuum waits for readers.
    with workers_of(redis_url, postgresql_url) as make_worker, Turnfold(settings=settings) as tf:
        local = make_worker()
        # Leaves anchors in the tables: ANALYZE takes no new sample of an empty one.
        tf.configure("kept", settings={"segment_max_turns": 8})
        for number in range(30):
            call = {
                "id": f"k{number}",
                "type": "function",
                "function": {"name": "f", "arguments": f'{{"a": "{SECRET}"}}'},
            }
            tf.append("c", [
                {"role": "user", "content": f"We decided on {SECRET} {number}.", "name": SECRET},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"k{number}", "content": f"It is {SECRET}."},
            ])  # fmt: skip
            tf.append("d", {"turn_id": f"t{number}", "role": "user", "content": f"We take {REDACTED} {number}."})
            tf.append("kept", {"role": "user", "content": f"We decided on {number} blue doors."})
            tf.append("s", {"role": "user", "content": f"I live in {SECRET} {number}.", "subject": "ana"})
        tf.configure("c", title=SECRET, goal=SECRET, constraints=[SECRET])
        local.settle()
        assert tf.context("c", budget_tokens=500, query="what did we decide on?").reference()
        run(postgresql_url, "ANALYZE", "CHECKPOINT")
        assert files_with(folder, SECRET)
        tf.forget("c", timeout_seconds=0)
        tf.edit("d", "t3", content="We take nothing.")
        for number in range(30):
            if number != 3:
                tf.delete("d", f"t{number}")
        tf.forget(subject="ana", timeout_seconds=0)
        local.settle()
        assert any("VACUUM FULL" in place for place in tf.forget(subject="ana", timeout_seconds=0).remains)
    run(postgresql_url, "ANALYZE", "VACUUM FULL", "CHECKPOINT")
    assert [files_with(folder, word) for word in (SECRET, REDACTED)] == [[], []]


def run(database_url: str, *statements: str) -> None:
    engine = create_engine(database_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
    engine.dispose()


def _is_clear(local: LocalWorker) -> bool:
    local.client.delete(keys.SWEEP)
    local.worker.sweep()
    return not set(local.worker.inbox.remnants()) & {"database", "redis"}


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Redis rewrite its log as often as requested."""
    monkeypatch.setattr("turnfold_worker.adapters.redis.logs.REWRITE_SECONDS", 0)


def test_a_read_in_the_way_leaves_it_to_the_next_sweep(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnfold_worker.adapters.sql.erasures.LOG_WAIT_MILLISECONDS", 1)
    writer = connect(sqlite_url, write=True, timeout_seconds=5)
    reader = connect(sqlite_url, write=False, timeout_seconds=5)
    with reader.begin() as connection:
        connection.exec_driver_sql("SELECT COUNT(*) FROM turn")
        with writer.begin() as writing:
            writing.exec_driver_sql("INSERT INTO conversation (tenant, external_id) VALUES ('acme', 'c')")
        assert not empty_log(writer)
    assert empty_log(writer)
    assert Path(sqlite_url.removeprefix("sqlite:///") + "-wal").stat().st_size == 0
    for engine in (writer, reader):
        engine.dispose()


def test_a_sweep_empties_a_log_that_reads_kept_from_ending(
    redis_url: str, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnfold_worker.adapters.sql.erasures.LOG_WAIT_MILLISECONDS", 1)
    monkeypatch.setattr("turnfold_worker.adapters.sql.erasures.LONG_LOG_BYTES", 100_000)
    log = Path(sqlite_url.removeprefix("sqlite:///") + "-wal")
    reader = connect(sqlite_url, write=False, timeout_seconds=5)
    with workers_of(redis_url, sqlite_url) as make_worker:
        local = make_worker()
        with reader.begin() as connection:
            connection.exec_driver_sql("SELECT COUNT(*) FROM turn")
            with local.write_engine.begin() as writing:
                writing.exec_driver_sql(
                    "INSERT INTO conversation (tenant, external_id, settings) VALUES ('acme', 'c', ?)",
                    (json.dumps({"title": "x" * 200_000}),),
                )
            local.worker.sweep()
            assert log.stat().st_size > 200_000
        local.worker.sweep()
        assert log.stat().st_size == 0
    reader.dispose()


def test_a_mark_stays_when_more_is_erased_meanwhile(make_worker: Callable[..., LocalWorker]) -> None:
    inbox = make_worker().worker.inbox
    assert isinstance(inbox, RedisInbox)
    inbox.mark_remnants()
    old = inbox.remnants()["database"]
    inbox.mark_remnants()
    inbox.cleared("database", old)
    assert "database" in inbox.remnants()
    inbox.cleared("database", inbox.remnants()["database"])
    assert "database" not in inbox.remnants()


def test_a_receipt_names_what_may_hold_the_words() -> None:
    assert remaining([], sqlite=True, completed=True) == ()
    (log, redis_log) = remaining(["database", "redis"], sqlite=True, completed=True)
    assert "write-ahead log" in log
    assert "append-only file" in redis_log
    (rows, *logs) = remaining([], sqlite=True, completed=False)
    assert "rows" in rows
    assert logs == [log, redis_log]
    (always,) = remaining([], sqlite=False, completed=True)
    assert "backups" in always


def test_a_log_is_written_anew_every_ten_minutes_at_most(
    redis_program: None, server_folder: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnfold_worker.adapters.redis.logs.REWRITE_SECONDS", REWRITE_SECONDS)
    with RedisServer(server_folder) as server, workers_of(server.url, sqlite_url) as make_worker:
        inbox = make_worker().worker.inbox
        assert isinstance(inbox, RedisInbox)
        home = inbox._servers.home
        rewrite, rewrites = home.bgrewriteaof, list[bool]()
        monkeypatch.setattr(home, "bgrewriteaof", lambda: rewrites.append(rewrite()))
        for seconds, many in ((3_600, 1), (590, 1), (610, 2)):
            home.hset(keys.REMNANTS, REWRITING, str(microseconds_of(home) - seconds * 1_000_000))
            inbox.mark_remnants()
            inbox.rewrite_log(inbox.remnants()["redis"])
            assert len(rewrites) == many
            wait_until(lambda: not home.info("persistence")["aof_rewrite_in_progress"], what="the log is written")


def test_a_server_that_forbids_it_leaves_the_mark(
    make_worker: Callable[..., LocalWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox = make_worker().worker.inbox
    assert isinstance(inbox, RedisInbox)
    inbox.mark_remnants()

    def forbidden() -> None:
        msg = "NOPERM this user has no permissions to run the 'bgrewriteaof' command"
        raise redis.ResponseError(msg)

    monkeypatch.setattr(inbox._servers.home, "bgrewriteaof", forbidden)
    mark = inbox.remnants()["redis"]
    assert [inbox.rewrite_log(mark) for _ in range(3)] == [False] * 3
