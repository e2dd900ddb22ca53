"""A turn or segment that always fails is parked with its error and delays no other work."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.places import SHARDS, place, shard_of
from support.stored import broken_invariants, stored_turns
from turnfold import Turnfold
from turnfold.contract.attention import Selection
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId, StoredTurn
from turnfold.contract.tasks import ENTRY_VERSION
from turnfold.database.engines import connect
from turnfold.redis.connections import connect as connect_redis
from turnfold_worker.adapters.sql.parked import SqlParkedWork
from turnfold_worker.adapters.sql.store import SqlStore
from turnfold_worker.errors import Refused
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.ports.messages import Received, ReceivedTurn, StoreResult
from turnfold_worker.use_cases import drain as drain_module
from turnfold_worker.use_cases import fold as compress_module
from turnfold_worker.use_cases.jobs import retry

POISON = "xyzzy"
PLACEHOLDER = "[this turn could not be stored"


def talk(number: int, *, poison: int | None = None, name: str = "t") -> list[dict[str, Any]]:
    return [
        {
            "turn_id": f"{name}{i}", "role": "assistant" if i % 2 else "user",
            "content": f"We decided on option {i}. {POISON if i == poison else ''} The limit is {i * 3} ms.",
        }
        for i in range(number)
    ]  # fmt: skip


def parked_errors(engine: Engine) -> list[str]:
    with engine.begin() as connection:
        jobs = connection.execute(text("SELECT error FROM job WHERE state = 'parked'")).scalars().all()
        entries = connection.execute(text("SELECT error FROM parked_entry WHERE state = 'parked'")).scalars().all()
    return [*jobs, *entries]


# In a drain


@pytest.fixture(params=[Refused, ValueError])
def poisoned_store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make SQL refuse a word and quote it in the error; returns the sizes of the batches that it was asked to store."""
    real, asked = SqlStore.store, []
    monkeypatch.setattr(drain_module, "REFUSED_SECONDS", 0.01)

    def store(self: SqlStore, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
        asked.append(sum(map(len, batches.values())))
        for received in batches.values():
            for item in received:
                if isinstance(item, ReceivedTurn) and POISON in item.turn.content:
                    raise request.param(item.turn.content)
        return real(self, batches)

    monkeypatch.setattr(SqlStore, "store", store)
    return asked


def drain_all(local: LocalWorker) -> None:
    for shard in SHARDS:
        local.worker.drain(shard)


def test_a_turn_that_sql_refuses_is_parked_and_the_others_of_its_conversation_and_shard_go_on(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine, poisoned_store: list[int]
) -> None:
    local = make_worker()
    neighbours = [f"n{i}" for i in range(20)]
    for name in neighbours:
        tf.append(name, talk(3))
    tf.append("c", talk(30, poison=7))
    local.settle()
    rows = stored_turns(engine, "acme", "c")
    assert [(seq, turn_id) for seq, turn_id, _ in rows] == [(i + 1, f"t{i}") for i in range(30)]
    assert [seq for seq, _, content in rows if content.startswith(PLACEHOLDER)] == [8]
    assert all(len(stored_turns(engine, "acme", name)) == 3 for name in neighbours)
    status = tf.status("c")
    assert (status.inbox, status.stored, status.folded, status.parked) == (0, 30, 30, 1)
    (error,) = parked_errors(engine)
    assert error.startswith(("ValueError at test_poison.py", "Refused at test_poison.py"))
    assert POISON not in error
    assert broken_invariants(engine) == {}


def test_what_a_poison_turn_costs_is_bounded(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], poisoned_store: list[int]
) -> None:
    local = make_worker()
    shard = shard_of(Address("acme", "c"))
    neighbours = [name for name in (f"n{i}" for i in range(20_000)) if shard_of(Address("acme", name)) == shard][:20]
    for name in neighbours:
        tf.append(name, talk(20))
    tf.append("c", talk(10, poison=5))
    local.worker.drain(shard)
    assert len(poisoned_store) <= 1 + len(neighbours) + 1 + 10 + 2, "neighbours at once, the poisoned one by turns"
    assert all(tf.status(name).stored == 20 for name in neighbours)


def test_the_parked_turn_is_kept_whole(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine, poisoned_store: list[int]
) -> None:
    local = make_worker()
    tf.append("c", talk(3, poison=1))
    local.settle()
    with engine.begin() as connection:
        row = connection.execute(text("SELECT entry_id, seq, payload FROM parked_entry")).one()
    assert (row.entry_id, row.seq) == ("t1", 2)
    assert json.loads(bytes(row.payload))["content"] == talk(3, poison=1)[1]["content"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"role": "king", "content": "xyzzy"}'])
def test_a_body_that_cannot_be_read_is_parked_in_its_place(
    tf: Turnfold, local: LocalWorker, engine: Engine, redis_url: str, body: bytes
) -> None:
    tf.append("c", talk(2))
    with connect_redis(redis_url, timeout_seconds=5) as client:
        client.xadd(place(Address("acme", "c")).inbox, {"v": ENTRY_VERSION, "op": "append", "id": "bad", "d": body})
    tf.append("c", talk(2, name="later"))
    tf.append("other", talk(2))
    local.settle()
    rows = stored_turns(engine, "acme", "c")
    assert [turn_id for _, turn_id, _ in rows] == ["t0", "t1", "bad", "later0", "later1"]
    assert rows[2][2].startswith(PLACEHOLDER)
    assert tf.status("c").parked == 1
    assert tf.status("other").parked == 0
    (error,) = parked_errors(engine)
    assert POISON not in error


# In a fold


def test_poison_segments_of_one_conversation_do_not_hold_up_its_later_ones_nor_others(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = make_worker(republish_seconds=0.001)
    monkeypatch.setattr(compress_module, "RETRY_SECONDS", 0.0)
    real = compress_module.fold_segment

    def poisoned(turns: Sequence[StoredTurn], **named: Any) -> FoldedNode:
        if any(POISON in turn.content for turn in turns):
            raise ValueError(turns[0].content)
        return real(turns, **named)

    monkeypatch.setattr(compress_module, "fold_segment", poisoned)
    for name in ("c", "other"):
        tf.configure(name, settings={"segment_max_turns": 5, "segment_min_turns": 2})
    said = talk(100)
    for i in (12, 50, 51, 88):
        said[i]["content"] += f" {POISON}"
    tf.append("c", said)
    tf.append("other", talk(100))
    local.settle()
    status = tf.status("c")
    assert status.folded == status.stored == 100
    assert 3 <= status.parked <= 4
    assert tf.status("other").parked == 0
    errors = parked_errors(engine)
    assert all(error.startswith("ValueError at test_poison.py:") for error in errors)
    assert all("(attempt 3)" in error for error in errors)
    assert POISON not in str(errors)
    assert broken_invariants(engine) == {}


def test_a_chapter_that_cannot_be_made_holds_up_nothing_and_is_mended_by_folding_its_last_child_again(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = make_worker(republish_seconds=0.001)
    monkeypatch.setattr(compress_module, "RETRY_SECONDS", 0.0)

    def failing(*_: object, **__: object) -> FoldedNode:
        message = "a chapter's rule"
        raise ValueError(message)

    tf.configure("c", settings={"segment_max_turns": 5, "segment_min_turns": 2})
    tf.append("c", talk(100))
    with monkeypatch.context() as broken:
        broken.setattr("turnfold_worker.pipeline.roll_up.roll_up", failing)
        local.settle()
    status = tf.status("c")
    assert status.folded == 100
    assert status.parked == 3
    assert broken_invariants(engine) == {}
    with engine.begin() as connection:
        assert set(connection.execute(text("SELECT method FROM node WHERE height = 1")).scalars()) == {0}
        jobs = connection.execute(text("SELECT id FROM job WHERE state = 'parked' ORDER BY id")).scalars().all()
    parked = SqlParkedWork(local.write_engine)
    assert [decided.work.row for decided in retry(Selection(), parked=parked, publisher=local.messages)] == jobs
    local.settle()
    with engine.begin() as connection:
        assert set(connection.execute(text("SELECT method FROM node")).scalars()) == {1}
    assert broken_invariants(engine) == {}


DIES = """
import os, signal, sys
from turnfold.database.engines import connect
from turnfold_worker.use_cases import fold as module
from turnfold_worker.use_cases.fold import CompressLimits, compress
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.wiring import sql_store

url, conversation, word = sys.argv[1:]
real = module.fold_segment

def deadly(turns, **named):
    if any(word in turn.content for turn in turns):
        os.kill(os.getpid(), signal.SIGKILL)
    return real(turns, **named)

module.fold_segment = deadly
engine = connect(url, write=True, timeout_seconds=10)
store = sql_store(WorkerSettings(lease_seconds=0.05, republish_seconds=0.001), engine, engine)
limits = CompressLimits(slice_seconds=60.0, attempts=3)
compress(int(conversation), store=store, limits=limits, clock=lambda: 0.0)
"""


@pytest.mark.processes
def test_a_segment_that_kills_its_workers_gets_plain_words_at_the_third_try(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine, database_url: str, tmp_path: Path
) -> None:
    """A killed worker reports no error, exactly like a hang that the time limit ends."""
    local = make_worker(lease_seconds=0.05, republish_seconds=0.001)
    tf.configure("c", settings={"segment_max_turns": 5, "segment_min_turns": 2})
    tf.append("c", talk(60, poison=2))
    tf.append("other", talk(60))
    drain_all(local)
    with engine.begin() as connection:
        id_ = connection.execute(text("SELECT id FROM conversation WHERE external_id = 'c'")).scalar_one()
    program = tmp_path / "dies.py"
    program.write_text(DIES)
    codes = []
    writer = connect(database_url, write=True, timeout_seconds=10)
    for attempt in (1, 2, 3):
        done = subprocess.run([sys.executable, program, database_url, str(id_), POISON], check=False, timeout=120)
        codes.append(done.returncode)
        with engine.begin() as connection:
            attempts = connection.execute(text("SELECT attempts FROM job WHERE conversation = :c"), {"c": id_}).scalar()
        with writer.begin() as connection:
            # Let the lease end long before the next worker comes.
            connection.execute(text("UPDATE job SET lease_until = lease_until - 2000 WHERE state = 'running'"))
        assert attempt in {3, attempts}, "counted before the work"
    writer.dispose()
    assert codes == [-9, -9, 0]
    local.settle()
    assert tf.status("other").parked == 0
    status = tf.status("c")
    assert (status.folded, status.parked) == (60, 1)
    (error,) = parked_errors(engine)
    assert error == "the worker ended while folding (attempt 3)"
    with engine.begin() as connection:
        methods = connection.execute(text("SELECT idx, method FROM node WHERE height = 0 AND method = 0")).all()
    assert [tuple(row) for row in methods] == [(0, 0)]
    assert broken_invariants(engine) == {}
