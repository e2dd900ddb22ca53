"""The erasure of a conversation too long for one transaction, and whatever may read it meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import Engine, select, text

from conftest import Filling, LocalWorker
from support.interruptions import Crash, Steps, interrupted, survive
from support.places import shard_of
from support.stored import broken_invariants, stored_turns
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract.attention import Selection
from turnfold.contract.keys import Address
from turnfold.contract.tables import Base
from turnfold.database.reader import Reader
from turnfold.errors import UnknownConversation
from turnfold.read.queries import anchors
from turnfold.read.snapshot import NO_INBOX
from turnfold.redis.inbox import ProducerInbox
from turnfold_worker.adapters.sql import erasures as sql_erasures
from turnfold_worker.adapters.sql.parked import SqlParkedWork
from turnfold_worker.cli import forget as forget_command
from turnfold_worker.cli import main
from turnfold_worker.operate import tenant_erasure
from turnfold_worker.operate.digest import digest
from turnfold_worker.operate.doctor.blocks import check_invariants
from turnfold_worker.operate.doctor.samples import check_samples
from turnfold_worker.operate.tenant_totals import stored_totals
from turnfold_worker.use_cases import erase as erase_module

ADDRESS = Address("acme", "long")
AT_ONCE = 100
TURNS = 150


@pytest.fixture(autouse=True)
def _little_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_erasures, "COST_AT_ONCE", AT_ONCE)


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a long conversation."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.append("long", talk(1, TURNS))
        make_worker().settle()

    return fill


@pytest.fixture
def long(tf: Turnfold) -> Turnfold:
    """A client whose tenant has a long, folded conversation."""
    return tf


def rows_left(engine: Engine) -> int:
    with engine.begin() as connection:
        return sum(
            connection.scalar(text(f"SELECT COUNT(*) FROM {rows.name}")) or 0
            for rows in Base.metadata.sorted_tables
            if "conversation" in rows.columns or rows.name == "conversation"
        )


def half_erased(long: Turnfold, local: LocalWorker) -> None:
    """Let an erasure die after its third transaction."""
    long.forget("long", timeout_seconds=0)
    deleted = 0

    def dies() -> None:
        nonlocal deleted
        deleted += 1
        if deleted == 3:
            raise Crash
        steps.at["after delete_some"] = dies

    steps = Steps()
    steps.at["after delete_some"] = dies
    before = rows_left(local.engine)
    assert not survive(lambda: interrupted(local.worker, steps).erase(shard_of(ADDRESS)))
    assert 0 < rows_left(local.engine) < before


def test_it_takes_many_short_transactions(long: Turnfold, local: LocalWorker, engine: Engine) -> None:
    long.forget("long", timeout_seconds=0)
    before, steps = rows_left(engine), Steps()

    assert interrupted(local.worker, steps).erase(shard_of(ADDRESS)) == 1

    assert steps.reached.count("after delete_some") >= before // AT_ONCE
    assert rows_left(engine) == 0


def test_the_receipt_of_an_erasure_that_died_and_went_on_counts_everything(
    long: Turnfold, local: LocalWorker, engine: Engine, inbox: ProducerInbox
) -> None:
    status = long.status("long")
    with engine.begin() as connection:
        known = connection.scalar(text("SELECT COUNT(*) FROM anchor"))
    half_erased(long, local)
    assert long.forget("long", timeout_seconds=0).completed is False

    local.worker.erase(shard_of(ADDRESS))

    counts: Any = inbox.erased(ADDRESS)
    assert counts is not None
    assert rows_left(engine) == 0
    assert (status.stored, status.segments) == (TURNS, status.segments)
    assert counts.decode() == f'{{"turns": {TURNS}, "segments": {status.segments}, "anchors": {known}}}'


def test_a_task_stops_after_some_steps_and_asks_for_another(
    long: Turnfold, local: LocalWorker, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erase_module, "STEPS_A_CONVERSATION", 2)
    long.forget("long", timeout_seconds=0)
    assert local.worker.erase(shard_of(ADDRESS)) == 0
    assert len(local.messages.waiting) == 1
    local.settle()
    assert rows_left(engine) == 0
    assert long.forget("long", timeout_seconds=0).turns == 0


def test_nobody_sees_half_of_it(long: Turnfold, local: LocalWorker, engine: Engine) -> None:
    half_erased(long, local)

    assert long.context("long", budget_tokens=1_000).coverage is None
    with pytest.raises(UnknownConversation):
        long.anchors("long")
    # A reader that saw the inbox before the conversation was forgotten, and reads SQL only now.
    with pytest.raises(UnknownConversation):
        anchors(NO_INBOX, Reader(engine), ADDRESS)
    with pytest.raises(UnknownConversation):
        digest(engine, "acme", "long")
    assert SqlParkedWork(local.write_engine).find(Selection()) == []
    assert stored_totals(engine, "acme").conversations == 0


def test_a_doctor_does_not_take_half_of_it_for_damage(long: Turnfold, local: LocalWorker, engine: Engine) -> None:
    half_erased(long, local)
    assert broken_invariants(engine), "half of it is there"
    assert [finding for finding in (*check_invariants(engine), *check_samples(engine)) if not finding.ok] == []


def test_a_fold_that_began_before_writes_nothing_and_goes_on_with_nothing(
    long: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    long.append("long", talk(2, 100))
    local.worker.drain(shard_of(ADDRESS))
    with engine.begin() as connection:
        conversation: Any = connection.scalar(text("SELECT id FROM conversation"))
    steps = Steps()
    steps.at["before commit_fold"] = lambda: half_erased(long, local)
    assert interrupted(local.worker, steps).compress(conversation) == 0
    assert local.worker.store.tail(conversation, 512) is None
    assert local.worker.store.closed_segment(conversation, 0) is None
    local.settle()
    assert rows_left(engine) == 0


def test_what_is_said_while_it_is_erased_is_kept_under_the_same_name(
    long: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    half_erased(long, local)
    long.append("long", talk(9, 20))
    assert [turn.content for turn in long.expand("long", "L0:turns-1-20").turns] == [t["content"] for t in talk(9, 20)]

    local.settle()

    assert [row[2] for row in stored_turns(engine, "acme", "long")] == [t["content"] for t in talk(9, 20)]
    assert broken_invariants(engine) == {}
    assert long.status("long").stored == 20


def test_it_is_forgotten_again_while_it_is_erased(long: Turnfold, local: LocalWorker, engine: Engine) -> None:
    half_erased(long, local)
    long.append("long", talk(9, 20))
    long.forget("long", timeout_seconds=0)
    local.settle()
    assert rows_left(engine) == 0


def test_a_conversation_that_stands_is_never_deleted_in_pieces(
    long: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    before = rows_left(engine)
    with engine.begin() as connection:
        conversation: Any = connection.scalar(select(Base.metadata.tables["conversation"].c.id))
    assert local.worker.store.delete_some(conversation) is False
    assert rows_left(engine) == before


def test_all_of_a_tenant_goes_and_nothing_of_another_one(
    long: Turnfold, local: LocalWorker, redis_url: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forget_command, "WAIT_SECONDS", 0)
    other = long.for_tenant("other")
    other.append("long", talk(3, 40))
    local.settle()
    kept = local.digest("long", "other")
    long.append("a b/ü%:", talk(2, 4))
    urls = ("--redis-url", redis_url, "--database-url", database_url, "--tenant", "acme")

    result = CliRunner().invoke(main, [*urls, "forget", "--all", "--yes", "--json"])

    assert json.loads(result.stdout) == {
        "tenant": "acme", "conversations": 2, "completed": False, "inbox_turns": 4, "turns": 0, "segments": 0,
        "anchors": 0,
    }  # fmt: skip
    assert all(long.context(name, budget_tokens=500).coverage is None for name in ("long", "a b/ü%:"))
    local.settle()
    with local.engine.begin() as connection:
        assert connection.scalars(text("SELECT DISTINCT tenant FROM conversation")).all() == ["other"]
    assert local.digest("long", "other") == kept
    again = CliRunner().invoke(main, [*urls, "forget", "--all", "--yes"])
    assert "erased 0 stored turns" in again.stdout


def test_all_of_a_tenant_is_unreadable_before_any_of_it_is_erased(
    tf: Turnfold, local: LocalWorker, engine: Engine, inbox: ProducerInbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tenant_erasure, "CONVERSATIONS_AT_ONCE", 4)
    names = [f"conversation {number}" for number in range(10)]
    for name in names:
        tf.append(name, talk(1, 4))
    local.settle()
    # One has turns waiting besides stored ones, the other nothing stored.
    for name in ("conversation 3", "new"):
        tf.append(name, talk(2, 2))
    rung: list[int] = []
    erasure = tenant_erasure.TenantErasure(inbox, engine, "acme")

    assert [*erasure.mark(rung.append)][-1] == 12, "with the long one"

    assert erasure.erased() == 0
    assert rows_left(engine) > 0
    shown = {name: tf.context(name, budget_tokens=500).coverage for name in (*names, "new")}
    assert set(shown.values()) == {None}
    assert set(rung) == {shard_of(Address("acme", name)) for name in (*names, "new", "long")}
    assert not erasure.wait(0.0, lambda _: None)
    for shard in [*set(rung)] * 2:
        local.worker.erase(shard)
    assert erasure.wait(5.0, lambda _: None)
    assert erasure.counts["turns"] == 40 + TURNS
    assert erasure.counts["inbox_turns"] == 4
    assert rows_left(engine) == 0
