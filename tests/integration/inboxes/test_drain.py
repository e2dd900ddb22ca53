"""Drains when something fails: temporary errors, bad entries, bad neighbours."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.places import SHARDS, place, shard_of
from support.stored import broken_invariants, stored_turns
from support.waiting import wait_until
from turnfold import Settings, Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.contract.tasks import ENTRY_VERSION
from turnfold.redis.connections import connect as connect_redis
from turnfold.wire.decode import PLACEHOLDER
from turnfold_worker.errors import Refused, Stalled, StoreAway
from turnfold_worker.ports.messages import Received, ReceivedTurn, StoreResult
from turnfold_worker.testing.messages import run_until_idle
from turnfold_worker.use_cases import drain as drain_module


class Troubled:
    """A store that fails on turns with the word "trouble", at most `times` times."""

    def __init__(self, store: Any, error: Exception, *, times: int = 1_000_000) -> None:
        self._store = store
        self._error = error
        self.left = times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def store(self, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
        received = [item for batch in batches.values() for item in batch]
        if self.left and any(isinstance(item, ReceivedTurn) and "trouble" in item.turn.content for item in received):
            self.left -= 1
            raise self._error
        result: StoreResult = self._store.store(batches)
        return result


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain_module, "REFUSED_SECONDS", 0.05)
    monkeypatch.setattr(drain_module, "OUTAGE_SECONDS", 0.05)


def troubled(local: LocalWorker, error: Exception, **options: int) -> LocalWorker:
    store: Any = Troubled(local.worker.store, error, **options)
    return dataclasses.replace(local, worker=dataclasses.replace(local.worker, store=store))


def say(*contents: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content, "turn_id": content} for content in contents]


def contents(engine: Engine, conversation: str) -> list[str]:
    return [row[2] for row in stored_turns(engine, "acme", conversation)]


def settle_until(local: LocalWorker, done: Callable[[], bool]) -> None:
    def look() -> bool:
        run_until_idle(local.worker, local.messages)
        return done()

    wait_until(look)


@pytest.mark.parametrize("error", [MemoryError(), TimeoutError("a time limit"), ValueError("a mistake")])
def test_a_bad_moment_never_replaces_a_turn(tf: Turnfold, local: LocalWorker, engine: Engine, error: Exception) -> None:
    tf.append("c", say("one", "trouble", "three"))
    unlucky = troubled(local, error, times=2)
    settle_until(unlucky, lambda: len(contents(engine, "c")) == 3)
    assert contents(engine, "c") == ["one", "trouble", "three"]
    assert tf.status("c").parked == 0


@pytest.mark.parametrize("error", [Refused("never"), ValueError("the secret is 5577")])
def test_what_can_never_be_stored_is_parked_with_its_error_and_holds_nothing_up(
    tf: Turnfold, local: LocalWorker, engine: Engine, error: Exception
) -> None:
    tf.append("c", say("one", "trouble", "three"))
    tf.append("other", say("four"))
    settle_until(troubled(local, error), lambda: len(contents(engine, "c")) == 3)
    assert contents(engine, "c") == ["one", PLACEHOLDER, "three"]
    assert contents(engine, "other") == ["four"]
    assert (tf.status("c").parked, tf.status("other").parked) == (1, 0)
    with engine.begin() as connection:
        entry = connection.execute(text("SELECT entry_id, payload, error, seq FROM parked_entry")).one()
    assert (entry.entry_id, entry.seq) == ("trouble", 2)
    assert b"trouble" in bytes(entry.payload)
    assert "5577" not in entry.error
    assert broken_invariants(engine) == {}


def test_an_unreadable_entry_is_parked_and_never_becomes_the_system_text(
    tf: Turnfold, local: LocalWorker, engine: Engine, redis_url: str
) -> None:
    tf.append("c", [{"role": "system", "content": "You are the refund bot."}, *say("one")])
    client = connect_redis(redis_url, timeout_seconds=5)
    client.xadd(place(Address("acme", "c")).inbox, {"v": "1", "op": "append", "id": "odd", "d": b"\xff not JSON"})
    client.xadd(place(Address("acme", "c")).inbox, {"v": "1", "op": "TELEPORT!", "id": "odder", "d": b"{}"})
    client.close()
    tf.append("c", say("two"))
    local.settle()
    assert contents(engine, "c")[1:] == ["one", PLACEHOLDER, "two"]
    assert tf.status("c").parked == 2
    assert tf.context("c", budget_tokens=500).system.startswith("You are the refund bot.")


def test_an_outage_is_waited_for_and_not_a_whole_lease(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    local = make_worker(lease_seconds=600)
    tf.append("c", say("trouble", "two"))
    away = troubled(local, StoreAway("gone"), times=3)

    def look() -> bool:
        for shard in SHARDS:
            try:
                away.worker.drain(shard)
            except StoreAway:
                return False
        return contents(engine, "c") == ["trouble", "two"]

    wait_until(look)
    assert tf.status("c").parked == 0


def test_bad_moments_count_only_in_a_row(tf: Turnfold, local: LocalWorker, engine: Engine) -> None:
    said = []
    for moment in range(4):
        said.append(f"trouble {moment}")
        tf.append("c", say(said[-1]))
        # All together, the conversation alone, its entry alone: one refusal less than parks an entry.
        bad = troubled(local, MemoryError(), times=3 * (drain_module.REFUSALS - 1))
        settle_until(bad, lambda: contents(engine, "c")[-1:] == said[-1:])
    assert contents(engine, "c") == said
    assert tf.status("c").parked == 0


@pytest.mark.parametrize("entry_id", ["", "x" * 300, "a\0b", "a\nb"])
def test_an_entry_whose_id_cannot_be_stored_is_parked_and_holds_up_nothing(
    tf: Turnfold, local: LocalWorker, engine: Engine, redis_url: str, entry_id: str
) -> None:
    body = b'{"role":"user","content":"Hello."}'
    tf.append("c", say("one"))
    with connect_redis(redis_url, timeout_seconds=5) as client:
        for operation in ("append", "append", "configure"):
            fields: Any = {"v": ENTRY_VERSION, "op": operation, "id": entry_id, "d": body}
            client.xadd(place(Address("acme", "c")).inbox, fields)
    tf.append("c", say("two"))
    local.settle()
    assert contents(engine, "c") == ["one", PLACEHOLDER, PLACEHOLDER, "two"]
    assert tf.status("c").parked == 3
    with engine.begin() as connection:
        payloads = connection.execute(text("SELECT payload FROM parked_entry")).scalars().all()
    assert [bytes(payload) for payload in payloads] == [body] * 3


def test_a_conversation_that_stalls_the_database_holds_up_no_neighbour_and_is_never_parked(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    names = [name for name in map(str, range(4_000)) if shard_of(Address("acme", name)) == 3][:4]
    tf.append(names[0], say("one", "trouble", "three"))
    for name in names[1:]:
        tf.append(name, say("new"))
    slow = troubled(local, Stalled("a lock"))
    for _ in range(2 * drain_module.REFUSALS):
        wait_until(lambda: slow.worker.drain(3).conversations, what="a claim")
    assert [contents(engine, name) for name in names[1:]] == [["new"]] * 3
    settle_until(local, lambda: contents(engine, names[0]) == ["one", "trouble", "three"])
    assert tf.status(names[0]).parked == 0


def test_when_several_conversations_stall_it_is_the_database_and_nobody_is_waited_for_one_by_one(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    names = [name for name in map(str, range(20_000)) if shard_of(Address("acme", name)) == 3][:30]
    for name in names:
        tf.append(name, say("trouble"))
    slow = troubled(local, Stalled("too long"))
    with pytest.raises(Stalled):
        slow.worker.drain(3)
    asked = 1_000_000 - slow.worker.store.left  # type: ignore[attr-defined]
    assert asked <= 1 + 2 * (drain_module.MOST_STALLED + 1)
    settle_until(local, lambda: all(contents(engine, name) == ["trouble"] for name in names))


def test_an_erasure_that_fails_holds_up_no_neighbour(tf: Turnfold, local: LocalWorker, engine: Engine) -> None:
    names = [name for name in map(str, range(4_000)) if shard_of(Address("acme", name)) == 3][:4]
    tf.append(names[0], say("old"))
    local.settle()
    tf.forget(names[0], timeout_seconds=0)

    class NoErasing(Troubled):
        def hide(self, *_: Any) -> Any:
            raise self._error

    for name in names:
        tf.append(name, say("new"))
    stuck = dataclasses.replace(local.worker, store=NoErasing(local.worker.store, Stalled("locked")))  # type: ignore[arg-type]
    stuck.drain(3)
    assert [contents(engine, name) for name in names[1:]] == [["new"]] * 3
    settle_until(local, lambda: contents(engine, names[0]) == ["new"])


def test_large_turns_are_stored_a_bounded_number_of_bytes_at_a_time(
    settings: Settings, local: LocalWorker, engine: Engine
) -> None:
    big = "x" * 900_000
    with Turnfold(settings=settings) as tf:
        tf.append("c", [{"role": "user", "content": f"{number} {big}"} for number in range(24)])
    claims = local.worker.inbox.claim([shard_of(Address("acme", "c"))], 50)
    (entries,) = local.worker.inbox.read(claims, 200)
    assert 10 < len(entries) < 20
    local.worker.inbox.finish([(claims[0], None)])
    local.drain()
    assert [int(content.split()[0]) for content in contents(engine, "c")] == list(range(24))


def test_a_time_before_all_times_stops_nothing(tf: Turnfold, local: LocalWorker) -> None:
    turns = [{"role": "user", "content": "Hello.", "created_at": "0001-01-01T00:00:00+00:00"}]
    tf.append("c", turns)
    local.settle()
    assert tf.status("c").folded == 1
    assert "Hello." in tf.context("c", budget_tokens=200).text
