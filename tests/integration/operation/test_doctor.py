"""The doctor finds each kind of damage and names the remedy, and finds nothing on a healthy platform."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import redis
from click.testing import CliRunner
from sqlalchemy import select, text

from conftest import Filling, LocalWorker
from support.places import place
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.database.database_clock import now_milliseconds
from turnfold.database.engines import connect
from turnfold_worker.cli import main
from turnfold_worker.operate.doctor import servers, workers

Diagnose = Callable[[], Mapping[str, Any]]
NOWHERE = "redis://127.0.0.1:1/0"
WORKERS = {"workers: some answer", "workers: each queue is served"}
"""Checks that fail because these tests run no workers."""
UNSAFE = {"redis: persistence", "database: durability"}
"""Checks that fail because test servers keep no data beyond the tests."""


@pytest.fixture(autouse=True)
def no_wait_for_nobody(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for answers of workers where none was started."""
    if "start_worker" not in request.fixturenames:
        monkeypatch.setattr(workers, "ANSWER_SECONDS", 0.01)


def diagnosed(redis_url: str, database_url: str) -> dict[str, Any]:
    urls = ("--redis-url", redis_url, "--database-url", database_url)
    result = CliRunner().invoke(main, [*urls, "doctor", "--json"])
    assert isinstance(result.exception, SystemExit | None), result.exception
    report = json.loads(result.stdout)
    assert result.exit_code == (0 if report["ok"] else 1)
    return {finding["check"]: finding for finding in report["findings"]}


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a conversation of short segments."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.configure("c", settings={"segment_max_turns": 5, "segment_min_turns": 2})
        tf.append("c", [
            {"role": "assistant" if i % 2 else "user", "content": f"We decided on option {i}, with a limit of {i} ms."}
            for i in range(60)
        ])  # fmt: skip
        make_worker().settle()

    return fill


@pytest.fixture
def diagnose(redis_url: str, database_url: str) -> Diagnose:
    """Returns the doctor's findings on a platform that has folded a conversation."""
    return lambda: diagnosed(redis_url, database_url)


def problems(findings: Mapping[str, Any]) -> set[str]:
    return {check for check, finding in findings.items() if not finding["ok"]} - WORKERS - UNSAFE


def test_a_healthy_platform_without_workers_lacks_only_workers(diagnose: Diagnose) -> None:
    findings = diagnose()
    assert problems(findings) == set()
    assert {check for check in WORKERS if findings[check]["ok"]} == set()
    assert len(findings) >= 22
    for invariant in ("I1", "I2", "I3", "I5", "I6", "I7", "I8", "I9"):
        assert [check for check in findings if check.startswith(invariant)], invariant
    assert all(finding["remedy"] for finding in findings.values() if not finding["ok"])


def test_servers_that_are_away_are_findings_of_their_own(database_url: str) -> None:
    findings = diagnosed(NOWHERE, database_url)
    assert problems(findings) == {"redis", "broker"}
    assert all(findings[check]["remedy"] for check in ("redis", "broker"))
    elsewhere = diagnosed(NOWHERE, "sqlite:////nowhere/at/all.db")
    assert problems(elsewhere) == {"schema", "redis", "broker"}


DAMAGE = {
    "I1 coverage: segments and chapters are contiguous": "UPDATE node SET first_seq = first_seq + 1 WHERE idx = 1",
    "I1 coverage: segments end where the open tail begins": "UPDATE conversation SET closed_seq = closed_seq - 1",
    "I1 coverage: each chapter spans exactly its children": "DELETE FROM node WHERE height = 1",
    "I3 order: turns are numbered 1, 2, 3 …": "DELETE FROM turn WHERE seq = 60",
    "I2 verbatim: every anchor is a slice of its turn": "UPDATE anchor SET body = 'we decided on nothing' WHERE id = 1",
    "I5 determinism: each conversation's counts match its rows": "UPDATE conversation SET anchor_count = 700",
    "I5 determinism: segments match the stored turns": ("UPDATE turn SET name = 'somebody else' WHERE seq = 3"),
    "I6 budget: stored token counts match the stored text": "UPDATE node SET tokens_1 = 1 WHERE idx = 1",
    "I7 no model needed: every node has the rules' text at levels 1, 2 and 3": (
        "DELETE FROM level WHERE idx = 3 AND level = 2"
    ),
    "I8 tenancy: every job has its conversation's tenant": "UPDATE job SET tenant = 'other'",
    "models: counts of refined turns are right": "UPDATE conversation SET refined_turns = 7",
    "folding: unfolded turns have a job": "UPDATE conversation SET fold_seq = 58",
    "jobs: due work is picked up": "UPDATE job SET state = 'due', not_before = 1",
    "retention: the age of stored text is known": "UPDATE conversation SET words_since = NULL",
    "erasure: no empty conversations are left": (
        "INSERT INTO conversation (tenant, external_id, created_at) VALUES ('acme', 'gone', '2026-01-01 00:00:00')"
    ),
    "parked: no work needs a decision": (
        "INSERT INTO parked_entry (conversation, entry_id, payload, error) "
        "SELECT id, 'e', CAST('x' AS {bytes}), 'Refused' FROM conversation"
    ),
    "schema": "ALTER TABLE turn ADD COLUMN mood TEXT",
}


STUCK = {
    "due, and nobody takes it": "state = 'due', not_before = 1",
    "later, and nobody makes it due": "state = 'later', not_before = 1",
    "running, and its worker died": "state = 'running', lease_until = 1",
    "a model's, running, and its worker died": "kind = 'refine', state = 'running', lease_until = 1",
    "due in a year": "state = 'due', not_before = {now} + 31536000000",
    "later by a year": "state = 'later', not_before = {now} + 31536000000",
    "running for a year": "state = 'running', lease_until = {now} + 31536000000",
}
AT_WORK = {
    "done": "state = 'done', not_before = 1, lease_until = 1",
    "due in an hour": "state = 'due', not_before = {now} + 3600000",
    "later by an hour": "state = 'later', not_before = {now} + 3600000",
    "running": "state = 'running', not_before = 1, lease_until = {now} + 30000",
    "a model's, within its spending": "kind = 'refine', state = 'due', not_before = 1",
}


@pytest.mark.parametrize(
    ("change", "ok"),
    [(change, False) for change in STUCK.values()] + [(change, True) for change in AT_WORK.values()],
    ids=[*STUCK, *AT_WORK],
)
def test_the_oldest_job_that_is_not_done_tells_whether_somebody_works(
    diagnose: Diagnose, database_url: str, change: str, *, ok: bool
) -> None:
    engine = connect(database_url, write=True, timeout_seconds=5)
    with engine.begin() as connection:
        now = connection.scalar(select(now_milliseconds()))
        connection.execute(text(f"UPDATE job SET {change.format(now=now)}"))
    engine.dispose()
    finding = diagnose()["jobs: due work is picked up"]
    assert finding["ok"] == ok, finding
    assert ok or ("acme:c" in finding["detail"] and "start workers" in finding["remedy"])


@pytest.mark.parametrize(("check", "damage"), DAMAGE.items(), ids=DAMAGE)
def test_each_kind_of_damage_is_found_with_what_to_do(
    diagnose: Diagnose, database_url: str, check: str, damage: str
) -> None:
    engine = connect(database_url, write=True, timeout_seconds=5)
    with engine.begin() as connection:
        connection.execute(text(damage.format(bytes="BYTEA" if engine.dialect.name == "postgresql" else "BLOB")))
    engine.dispose()
    finding = diagnose()[check]
    assert not finding["ok"], finding
    assert finding["remedy"]


def test_it_names_the_conversation_and_shows_no_content(diagnose: Diagnose, database_url: str) -> None:
    engine = connect(database_url, write=True, timeout_seconds=5)
    with engine.begin() as connection:
        connection.execute(text("UPDATE anchor SET body = 'we decided on nothing' WHERE id = 1"))
        connection.execute(text("UPDATE turn SET name = 'somebody else' WHERE seq = 3"))
    engine.dispose()
    findings = diagnose()
    assert "acme:c" in findings["I2 verbatim: every anchor is a slice of its turn"]["detail"]
    assert "acme:c 0/0" in findings["I5 determinism: segments match the stored turns"]["detail"]
    assert "decided" not in json.dumps(findings)


def test_what_is_skipped_is_no_problem(diagnose: Diagnose, database_url: str) -> None:
    engine = connect(database_url, write=True, timeout_seconds=5)
    with engine.begin() as connection:
        kind = "BYTEA" if engine.dialect.name == "postgresql" else "BLOB"
        connection.execute(text(DAMAGE["parked: no work needs a decision"].format(bytes=kind)))
        connection.execute(text("UPDATE parked_entry SET state = 'skipped'"))
    engine.dispose()
    assert problems(diagnose()) == set()


@pytest.fixture
def client(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(redis_url)


def test_redis_that_may_evict_that_is_full_or_that_keeps_nothing_is_found(
    diagnose: Diagnose, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = client.config_get("maxmemory*")
    try:
        client.config_set("maxmemory", "1gb")
        client.config_set("maxmemory-policy", "allkeys-lru")
        assert "noeviction" in diagnose()["redis: eviction"]["remedy"]
        client.config_set("maxmemory-policy", "noeviction")
        assert diagnose()["redis: eviction"]["ok"]
        monkeypatch.setattr(servers, "FULL", 0.0)
        assert "memory" in diagnose()["redis: eviction"]["remedy"]
    finally:
        client.config_set("maxmemory", before["maxmemory"])
        client.config_set("maxmemory-policy", before["maxmemory-policy"])
    on = client.info("persistence")["aof_enabled"]
    assert diagnose()["redis: persistence"]["ok"] == bool(on)
    client.close()


def test_inboxes_that_nobody_drains_and_leases_that_never_end_are_found(
    diagnose: Diagnose, tf: Turnfold, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    tf.append("waiting", {"role": "user", "content": "Hello."})
    tf.append("leased", {"role": "user", "content": "Hello."})
    address = keys.Address("acme", "leased")
    client.zadd(place(address).ready, {"leased": (time.time() + 3_600) * 1_000_000})
    client.zadd(keys.forgotten(3), {"acme:gone": (time.time() - 3_600) * 1_000_000})
    monkeypatch.setattr(servers, "SLOW_INBOX_SECONDS", 0.0)
    assert problems(diagnose()) == {
        "inbox: appended turns are stored", "inbox: leases expire", "erasure: forgotten conversations are deleted",
    }  # fmt: skip
    client.flushdb()
    client.close()


def test_logs_that_hold_erased_words_for_an_hour_are_found(diagnose: Diagnose, client: redis.Redis) -> None:
    for seconds, is_told in ((3_000, False), (3_700, True)):
        client.hset(keys.REMNANTS, "redis", str(int((time.time() - seconds) * 1_000_000)))
        finding = diagnose()["erasure: logs are rewritten"]
        assert finding["ok"] is not is_told
    assert "BGREWRITEAOF" in finding["remedy"]
    client.delete(keys.REMNANTS)
    client.close()


def test_clocks_that_differ_are_found(diagnose: Diagnose, monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time
    monkeypatch.setattr(servers.time, "time", lambda: real() + 9)
    finding = diagnose()["clocks: this machine, Redis and the database agree"]
    assert not finding["ok"]
    assert "-9.0 s" in finding["detail"]


def test_a_queue_that_nobody_works_off_is_found(
    diagnose: Diagnose, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.lpush("turnfold.compress", *["{}"] * 101)
    finding = diagnose()["broker: queues are short"]
    assert not finding["ok"]
    assert "turnfold.compress" in finding["remedy"]
    client.flushdb()
    client.close()


@pytest.mark.processes
def test_a_queue_that_no_worker_serves_is_named(diagnose: Diagnose, start_worker: Callable[..., Any]) -> None:
    start_worker("ingest", "turnfold.ingest", "turnfold.maintenance")
    findings = diagnose()
    assert findings["workers: some answer"]["ok"]
    assert "ingest@" in findings["workers: some answer"]["detail"]
    assert findings["workers: each queue is served"]["remedy"] == "start a worker with -Q turnfold.compress"
