"""Nobody waits because somebody else has much: tenants, conversations, and the queue itself."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from sqlalchemy import Engine, event, text

from conftest import LocalWorker
from support.inboxes import SHARD, addresses
from support.talk import talk
from turnfold import Settings, Turnfold
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.contract.tasks import Queue, Task
from turnfold.database.engines import connect
from turnfold.doorbell import producer_app
from turnfold_worker.adapters.celery_publisher import CeleryPublisher
from turnfold_worker.adapters.redis_inbox import TENANTS_A_CLAIM, RedisInbox
from turnfold_worker.adapters.sql_store import SqlStore
from turnfold_worker.sweep import FOLDS_AT_ONCE, MOST_WAITING, sweep

MANY = 100_000


# Claims


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def inbox(client: redis.Redis) -> RedisInbox:
    return RedisInbox(client, lease_seconds=30, sweep_seconds=3)


def make_ready(client: redis.Redis, tenant: str, names: list[str], *, at: float = 1, served: float = 1) -> None:
    """Conversations that are ready since microsecond `at`; without anything in their inboxes."""
    for start in range(0, len(names), 10_000):
        client.zadd(keys.ready_prefix(SHARD) + tenant, dict.fromkeys(names[start : start + 10_000], at))
    client.zadd(keys.tenants(SHARD), {tenant: served})


def commands(client: redis.Redis) -> int:
    """What Redis has done so far, calls of scripts included."""
    return sum(int(about["calls"]) for about in client.info("commandstats").values())


@pytest.mark.parametrize("most", [1, 50])
def test_a_tenant_with_100000_ready_conversations_delays_another_ones_single_one_by_one_claim(
    client: redis.Redis, inbox: RedisInbox, most: int
) -> None:
    make_ready(client, "large", [f"c{i}" for i in range(MANY)])
    for _ in range(3):
        assert len(inbox.claim(SHARD, most)) == most
    make_ready(client, "small", ["one"], at=time.time() * 1_000_000, served=time.time() * 1_000_000)
    claims = [[claim.address.tenant for claim in inbox.claim(SHARD, most)] for _ in range(2)]
    assert "small" in claims[0] + claims[1]
    assert all(len(taken) == most for taken in claims), "and the large one has all that is left"


def test_a_thousand_tenants_with_one_each_are_all_served_in_as_many_claims_as_it_takes(
    client: redis.Redis, inbox: RedisInbox
) -> None:
    for number in range(1_000):
        make_ready(client, f"t{number}", ["one"])
    make_ready(client, "large", [f"c{i}" for i in range(MANY)])
    served = Counter(claim.address.tenant for _ in range(21) for claim in inbox.claim(SHARD, 50))
    assert len(served) == 1_001
    assert sum(served.values()) == 21 * 50


def test_tenants_whose_conversations_are_all_leased_leave_their_share_to_others_in_the_same_claim(
    client: redis.Redis, inbox: RedisInbox
) -> None:
    leased = (time.time() + 20) * 1_000_000
    for number in range(60):
        make_ready(client, f"busy{number}", [f"c{i}" for i in range(5)], at=leased)
    make_ready(client, "a", [f"c{i}" for i in range(1_000)])
    make_ready(client, "b", [f"c{i}" for i in range(1_000)])
    make_ready(client, "c", ["only"])
    for _ in range(2):
        served = Counter(claim.address.tenant for claim in inbox.claim(SHARD, 50))
        assert sum(served.values()) == 50
        assert abs(served["a"] - served["b"]) <= 1


def test_many_leased_tenants_hide_nobody_for_more_than_a_few_claims(client: redis.Redis, inbox: RedisInbox) -> None:
    leased = (time.time() + 20) * 1_000_000
    for number in range(2_000):
        make_ready(client, f"busy{number:04d}", ["c"], at=leased)
    make_ready(client, "waiting", ["one"], served=2)
    claims = 1
    while not inbox.claim(SHARD, 50):
        claims += 1
    assert claims <= -(-2_000 // TENANTS_A_CLAIM) + 1


def test_a_clock_that_was_set_back_hides_no_tenant_and_no_conversation(client: redis.Redis, inbox: RedisInbox) -> None:
    """Who was served, or leased, before the step has times an hour ahead of all that comes after it."""
    ahead = (time.time() + 3_600) * 1_000_000
    make_ready(client, "before", ["one"], served=ahead)
    make_ready(client, "large", ["leased"], at=ahead)
    for tenant in ("large", "other"):
        make_ready(client, tenant, [f"c{i}" for i in range(1_000)])
    served = [claim.address for _ in range(3) for claim in inbox.claim(SHARD, 2)]
    assert "before" in {address.tenant for address in served}
    assert "leased" in {address.conversation for address in served}


def test_the_work_of_a_claim_is_bounded(client: redis.Redis, inbox: RedisInbox) -> None:
    for number in range(1_000):
        make_ready(client, f"t{number}", [f"c{i}" for i in range(number % 3)] or ["c"])
    make_ready(client, "large", [f"c{i}" for i in range(MANY)])
    for _ in range(30):
        before = commands(client)
        inbox.claim(SHARD, 50)
        assert commands(client) - before <= 4 * TENANTS_A_CLAIM + 6 * 50


def test_ready_conversations_with_nothing_in_them_go_away_and_hold_up_nobody(
    tf: Turnfold, local: LocalWorker, client: redis.Redis, engine: Engine
) -> None:
    make_ready(client, "hollow", [address.conversation for address in addresses("hollow", 300)])
    (wanted,) = addresses("acme", 1)
    tf.append(wanted.conversation, {"role": "user", "content": "Hello."})
    local.worker.drain(SHARD)
    assert tf.status(wanted.conversation).stored == 1
    assert local.worker.inbox.waiting() == []
    with engine.begin() as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM conversation")).scalar_one() == 1


# Due folds


def fill_jobs(database_url: str, tenants: dict[str, int]) -> None:
    """A conversation and a due fold job each, overdue since ever."""
    engine = connect(database_url, write=True, timeout_seconds=30)
    series = (
        "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < :n) "
        if engine.dialect.name == "sqlite"
        else "WITH s AS (SELECT generate_series(1, :n) AS i) "
    )
    with engine.begin() as connection:
        for tenant, number in tenants.items():
            connection.execute(
                text("INSERT INTO conversation (tenant, external_id) " + series + "SELECT :t, 'c' || i FROM s"),
                {"t": tenant, "n": number},
            )
        connection.execute(
            text(
                "INSERT INTO job (conversation, tenant, kind, state, not_before) "
                "SELECT id, tenant, 'compress', 'due', id FROM conversation"
            )
        )
        if engine.dialect.name == "postgresql":
            connection.execute(text("ANALYZE job"))
    engine.dispose()


def tenants_of(engine: Engine, conversations: list[ConversationId]) -> Counter[str]:
    with engine.begin() as connection:
        names = {row.id: row.tenant for row in connection.execute(text("SELECT id, tenant FROM conversation"))}
    return Counter(names[conversation] for conversation in conversations)


def test_due_folds_of_one_tenant_do_not_hide_another_ones(
    local: LocalWorker, engine: Engine, database_url: str
) -> None:
    fill_jobs(database_url, {"large": 10_000, "small": 1, "zeta": 3})
    served = tenants_of(engine, local.worker.store.due_folds(100))
    assert served["small"] == 1
    assert served["zeta"] == 3
    assert sum(served.values()) == 100
    again = local.worker.store.due_folds(100)
    assert tenants_of(engine, again) == {"large": 100}, "what was published is on its way"


def test_every_one_of_many_tenants_has_its_turn(local: LocalWorker, engine: Engine, database_url: str) -> None:
    fill_jobs(database_url, {f"t{number:03d}": 4 for number in range(120)})
    seen: Counter[str] = Counter()
    for _ in range(3):
        seen += tenants_of(engine, local.worker.store.due_folds(50))
    assert len(seen) == 120
    while found := local.worker.store.due_folds(50):
        seen += tenants_of(engine, found)
    assert set(seen.values()) == {4}


def test_a_lapsed_lease_is_found_beside_many_due_jobs(local: LocalWorker, engine: Engine, database_url: str) -> None:
    fill_jobs(database_url, {"large": 1_000})
    write = connect(database_url, write=True, timeout_seconds=10)
    with write.begin() as connection:
        connection.execute(text("UPDATE job SET state = 'running', lease_until = 5 WHERE conversation = 7"))
    write.dispose()
    assert 7 in local.worker.store.due_folds(10)


def test_looking_for_due_folds_is_cheap_however_many_there_are(
    local: LocalWorker, engine: Engine, database_url: str
) -> None:
    fill_jobs(database_url, {"large": MANY - 2_000, **{f"t{number}": 20 for number in range(100)}})
    store = local.worker.store
    assert isinstance(store, SqlStore)
    plans: list[str] = []

    def explain(connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "job" in statement and "EXPLAIN" not in statement and "UPDATE" not in statement:
            prefix = "EXPLAIN QUERY PLAN " if engine.dialect.name == "sqlite" else "EXPLAIN "
            rows = connection.exec_driver_sql(prefix + statement, parameters).all()
            plans.append("\n".join(str(row[-1]) for row in rows))

    store.due_folds(500)
    assert len(store.due_folds(500)) == 500
    event.listen(local.engine, "before_cursor_execute", explain)
    try:
        store.due_folds(500)
    finally:
        event.remove(local.engine, "before_cursor_execute", explain)
    assert plans
    for plan in plans:
        assert "Seq Scan on job" not in plan, plan
        # The partial index of what runs holds only what runs.
        assert "SCAN job" not in plan.replace("SCAN job USING INDEX job_running", ""), plan
        # A window over all that is due reads all of it, by an index or not.
        assert "WindowAgg" not in plan, plan


# Long conversations


def turns(number: int, name: str) -> list[dict[str, Any]]:
    return [
        {"turn_id": f"{name}{i}", "role": "assistant" if i % 2 else "user", "content": f"Step {i} of {name} is done."}
        for i in range(number)
    ]


@pytest.mark.daily_on("sqlite")
def test_a_long_conversation_gives_way_after_each_slice(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
    """Messages are delivered in order, by one worker: what is behind the long one waits for one slice of it."""
    local = make_worker(slice_seconds=0.05)
    for start in range(0, 1_000, 500):
        tf.append("long", turns(1_000, "long")[start : start + 500])
        local.worker.drain(next(iter(a.shard for a in [keys.Address("acme", "long")])))
    small = [f"small{i}" for i in range(5)]
    for name in small:
        tf.append(name, turns(30, name))
        local.worker.drain(keys.Address("acme", name).shard)
    waiting = local.messages.waiting
    kept = [message for message in dict.fromkeys(waiting) if message[0] is Task.COMPRESS]
    waiting.clear()
    waiting.extend(kept)
    slices = 0
    while any(tf.status(name).folded < 30 for name in small):
        task, conversation = waiting.popleft()
        assert task is Task.COMPRESS
        local.worker.compress(conversation)
        slices += conversation == kept[0][1]
        assert slices <= 1, "a slice of the long one, then everybody else"
    assert tf.status("long").folded < 1_000
    local.settle()
    assert tf.status("long").folded == 1_000


# The queue


@pytest.mark.daily_on("sqlite")
def test_a_tenant_whose_folds_were_told_of_first_leaves_every_second_one_to_another(
    settings: Settings, make_worker: Callable[..., LocalWorker]
) -> None:
    worker = make_worker()
    with Turnfold(settings=settings) as tf:
        for number in range(20):
            tf.for_tenant("busy").append(f"c{number}", talk(number, 3))
        worker.drain()
        for number in range(2):
            tf.for_tenant("quiet").append(f"q{number}", talk(number, 3))
        worker.drain()
        messages = [number for task, number in worker.messages.waiting if task is Task.COMPRESS]
        folded = [worker.worker.compress_in_turn(number) for number in messages]
        assert worker.worker.compress_in_turn(messages[0]) is None
        rest = [
            tf.for_tenant(tenant).status(name) for tenant, name in (("busy", "c0"), ("busy", "c19"), ("quiet", "q1"))
        ]
    order = [found[0] for found in folded if found is not None]
    quiet = messages[-2:]
    assert sorted(order) == sorted(messages)
    assert [order.index(number) for number in quiet] in ([0, 2], [1, 3])
    assert [(status.stored, status.folded) for status in rest] == [(3, 3)] * 3


def test_a_conversation_that_gave_its_place_up_is_folded_on_by_any_message(
    settings: Settings, make_worker: Callable[..., LocalWorker]
) -> None:
    hasty, worker = make_worker(slice_seconds=0.000001), make_worker()
    with Turnfold(settings=settings) as tf:
        tf.for_tenant("busy").append("long", talk("long", 120))
        tf.for_tenant("quiet").append("q", talk("q", 3))
        worker.drain()
        numbers = [number for task, number in worker.messages.waiting if task is Task.COMPRESS]
        hasty.worker.compress(worker.worker.store.resolve([Address("busy", "long")])[0])
        assert len(hasty.messages.waiting) == 1
        for number in numbers:
            worker.worker.compress_in_turn(number)
        assert tf.for_tenant("quiet").status("q").folded == 3
        assert tf.for_tenant("busy").status("long").folded == 120


def test_a_fold_that_failed_is_tried_again_by_its_own_message(
    settings: Settings, make_worker: Callable[..., LocalWorker]
) -> None:
    worker = make_worker()
    with Turnfold(settings=settings) as tf:
        for name in ("failed", "other"):
            tf.append(name, talk(name, 3))
        worker.drain()
        failed, other = (worker.worker.store.resolve([Address("acme", name)])[0] for name in ("failed", "other"))
        claimed = worker.worker.store.claim_fold(failed)
        assert claimed is not None
        worker.worker.store.release_fold(claimed, error="ValueError", delay_seconds=30.0)
        assert worker.worker.compress_in_turn(failed) == (failed, 0)
        assert worker.worker.compress_in_turn(other) == (other, 0)


def test_who_asks_for_the_fold_of_what_waits_gets_that_one(
    settings: Settings, make_worker: Callable[..., LocalWorker]
) -> None:
    eager, patient = make_worker(), make_worker(fold_turns=100)
    with Turnfold(settings=settings) as tf:
        tf.for_tenant("busy").append("c", talk("c", 3))
        eager.drain()
        tf.for_tenant("quiet").append("q", talk("q", 3))
        patient.drain()
        asked = eager.worker.store.resolve([Address("quiet", "q")])[0]
        assert eager.worker.compress_in_turn(asked) == (asked, 0)
        assert tf.for_tenant("busy").status("c").folded == 0


def test_a_sweep_adds_nothing_to_a_long_queue_and_fills_a_short_one_up_to_its_limit(
    local: LocalWorker, database_url: str, redis_url: str, client: redis.Redis
) -> None:
    fill_jobs(database_url, {"large": 3 * MOST_WAITING // 2})
    with producer_app(redis_url, timeout_seconds=2) as app:
        publisher = CeleryPublisher(app, expires_seconds=60)
        assert publisher.backlog() == 0
        rung = [sweep(inbox=local.worker.inbox, store=local.worker.store, publisher=publisher).folds for _ in range(4)]
        assert rung == [FOLDS_AT_ONCE, FOLDS_AT_ONCE, 0, 0]
        assert publisher.backlog() == client.llen(str(Queue.COMPRESS)) == MOST_WAITING
        client.ltrim(str(Queue.COMPRESS), 0, MOST_WAITING - 101)
        again = sweep(inbox=local.worker.inbox, store=local.worker.store, publisher=publisher)
        assert again.folds == 100
        bodies = {json.loads(raw)["headers"]["task"] for raw in client.lrange(str(Queue.COMPRESS), 0, -1)}
    assert bodies == {str(Task.COMPRESS)}
    client.flushdb()


@pytest.mark.daily_on("sqlite")
def test_a_tenant_whose_folds_fill_the_queue_delays_another_ones_by_a_bounded_number_of_messages(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnfold_worker.drain.FOLDS_WAITING", 10)
    monkeypatch.setattr("turnfold_worker.sweep.MOST_WAITING", 20)
    large = [address.conversation for address in addresses("large", 60)]
    for name in large:
        tf.for_tenant("large").append(name, turns(2, name))
    local.worker.drain(SHARD)
    (small,) = addresses("small", 1)
    tf.for_tenant("small").append(small.conversation, turns(2, "small"))
    local.worker.drain(SHARD)
    folded = 0
    while tf.for_tenant("small").status(small.conversation).folded < 2:
        if folded % 5 == 0:
            local.worker.sweep()
        _, conversation = local.messages.waiting.popleft()
        local.worker.compress(conversation)
        folded += 1
    assert folded <= 25, "what the queue holds until the next sweep, and not the sixty that were there before"
    local.settle()
    assert all(tf.for_tenant("large").status(name).folded == 2 for name in large), "and nobody waits for a message"


def test_a_broker_that_is_away_does_not_stop_a_sweep() -> None:
    with producer_app("redis://127.0.0.1:1/0", timeout_seconds=0.2) as app:
        assert CeleryPublisher(app, expires_seconds=60).backlog() == 0
