"""No tenant or conversation waits for another one's backlog: in claims, due folds, long conversations and messages."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from sqlalchemy import Engine, event, text

from conftest import LocalWorker
from support.inboxes import SHARD, addresses
from support.places import SHARDS, servers, shard_of
from support.talk import talk
from support.waiting import wait_until
from turnfold import Settings, Turnfold
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.tasks import JobKind, Queue, Task
from turnfold.database.engines import connect
from turnfold.redis.connections import connect as connect_redis
from turnfold_worker.adapters.redis.bell import RedisPublisher
from turnfold_worker.adapters.redis.inbox import TENANTS_A_CLAIM, RedisInbox
from turnfold_worker.adapters.sql.fold_claims import MOST_CLAIMED
from turnfold_worker.adapters.sql.turns import BACKFILL_FROM
from turnfold_worker.errors import StoreAway
from turnfold_worker.testing.messages import NOBODY
from turnfold_worker.use_cases.due_jobs import Folded
from turnfold_worker.use_cases.sweep import sweep

MANY = 100_000


# Claims


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def inbox(client: redis.Redis) -> RedisInbox:
    return RedisInbox(servers(client), lease_seconds=30, sweep_seconds=3)


def make_ready(client: redis.Redis, tenant: str, names: list[str], *, at: float = 1, served: float = 1) -> None:
    """Mark conversations as ready since microsecond `at`, with empty inboxes."""
    for start in range(0, len(names), 10_000):
        client.zadd(keys.ready_prefix(SHARD) + tenant, dict.fromkeys(names[start : start + 10_000], at))
    client.zadd(keys.tenants(SHARD), {tenant: served})


def commands(client: redis.Redis) -> int:
    """Return the number of commands that Redis has executed, those in scripts included."""
    return sum(int(about["calls"]) for about in client.info("commandstats").values())


def test_what_becomes_ready_at_the_very_end_of_a_lease_is_not_taken_for_the_claim(
    client: redis.Redis, inbox: RedisInbox
) -> None:
    make_ready(client, "acme", ["c"])
    (claim,) = inbox.claim([SHARD], 1)
    client.xadd(claim.place.inbox, {"op": "append"}, id="1-1")
    # Forgotten and appended to again in the very microsecond in which the lease ends.
    client.zadd(keys.ready_prefix(SHARD) + "acme", {"c": int(float(claim.token))})
    inbox.finish([(claim, "1-1")])
    assert client.xlen(claim.place.inbox) == 1


@pytest.mark.parametrize("most", [1, 50])
def test_a_tenant_with_100000_ready_conversations_delays_another_ones_single_one_by_one_claim(
    client: redis.Redis, inbox: RedisInbox, most: int
) -> None:
    make_ready(client, "large", [f"c{i}" for i in range(MANY)])
    for _ in range(3):
        assert len(inbox.claim([SHARD], most)) == most
    make_ready(client, "small", ["one"], at=time.time() * 1_000_000, served=time.time() * 1_000_000)
    claims = [[claim.address.tenant for claim in inbox.claim([SHARD], most)] for _ in range(2)]
    assert "small" in claims[0] + claims[1]
    assert all(len(taken) == most for taken in claims), "and the large one has all that is left"


def test_a_thousand_tenants_with_one_each_are_all_served_in_as_many_claims_as_it_takes(
    client: redis.Redis, inbox: RedisInbox
) -> None:
    for number in range(1_000):
        make_ready(client, f"t{number}", ["one"])
    make_ready(client, "large", [f"c{i}" for i in range(MANY)])
    served = Counter(claim.address.tenant for _ in range(21) for claim in inbox.claim([SHARD], 50))
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
        served = Counter(claim.address.tenant for claim in inbox.claim([SHARD], 50))
        assert sum(served.values()) == 50
        assert abs(served["a"] - served["b"]) <= 1


def test_many_leased_tenants_hide_nobody_for_more_than_a_few_claims(client: redis.Redis, inbox: RedisInbox) -> None:
    leased = (time.time() + 20) * 1_000_000
    for number in range(2_000):
        make_ready(client, f"busy{number:04d}", ["c"], at=leased)
    make_ready(client, "waiting", ["one"], served=2)
    claims = 1
    while not inbox.claim([SHARD], 50):
        claims += 1
    assert claims <= -(-2_000 // TENANTS_A_CLAIM) + 1


def test_a_clock_that_was_set_back_hides_no_tenant_and_no_conversation(client: redis.Redis, inbox: RedisInbox) -> None:
    """Tenants served, or conversations leased, before the step have times an hour ahead of everything after it."""
    ahead = (time.time() + 3_600) * 1_000_000
    make_ready(client, "before", ["one"], served=ahead)
    make_ready(client, "large", ["leased"], at=ahead)
    for tenant in ("large", "other"):
        make_ready(client, tenant, [f"c{i}" for i in range(1_000)])
    served = [claim.address for _ in range(3) for claim in inbox.claim([SHARD], 2)]
    assert "before" in {address.tenant for address in served}
    assert "leased" in {address.conversation for address in served}


def test_the_work_of_a_claim_is_bounded(client: redis.Redis, inbox: RedisInbox) -> None:
    for number in range(1_000):
        make_ready(client, f"t{number}", [f"c{i}" for i in range(number % 3)] or ["c"])
    make_ready(client, "large", [f"c{i}" for i in range(MANY)])
    for _ in range(30):
        before = commands(client)
        inbox.claim([SHARD], 50)
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
    """Insert conversations with a long overdue fold job each."""
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


def fold_next(worker: LocalWorker) -> list[int]:
    """Return the conversations that a task of this worker claims, in order."""
    return [claim.conversation for claim in worker.worker.store.claim_folds(None).claims]


def tenants_of(engine: Engine, conversations: list[int]) -> list[str]:
    with engine.begin() as connection:
        names = {row.id: row.tenant for row in connection.execute(text("SELECT id, tenant FROM conversation"))}
    return [names[conversation] for conversation in conversations]


def test_tenants_take_turns_however_many_folds_of_one_are_due(
    local: LocalWorker, engine: Engine, database_url: str
) -> None:
    fill_jobs(database_url, {"large": 10_000, "small": 1, "zeta": 3})
    served = tenants_of(engine, fold_next(local))
    assert served[:3] == ["large", "small", "zeta"]
    assert Counter(served) == {"large": MOST_CLAIMED - 4, "small": 1, "zeta": 3}
    again = tenants_of(engine, fold_next(local))
    assert again == ["large"] * MOST_CLAIMED


def test_every_one_of_many_tenants_has_its_turn(local: LocalWorker, engine: Engine, database_url: str) -> None:
    fill_jobs(database_url, {f"t{number:03d}": 4 for number in range(120)})
    seen: Counter[str] = Counter()
    for _ in range(3):
        seen += Counter(tenants_of(engine, fold_next(local)))
    assert len(seen) == 120
    while found := fold_next(local):
        seen += Counter(tenants_of(engine, found))
    assert set(seen.values()) == {4}


def test_a_task_takes_less_where_more_waits(local: LocalWorker, database_url: str) -> None:
    fill_jobs(database_url, {"large": 40})
    write = connect(database_url, write=True, timeout_seconds=10)
    with write.begin() as connection:
        connection.execute(text("UPDATE conversation SET unfolded_tokens = 3000"))
    write.dispose()
    taken = local.worker.store.claim_folds(None)
    assert (len(taken.claims), taken.more) == (2, True)


def test_what_was_tried_before_is_taken_alone(local: LocalWorker, database_url: str) -> None:
    fill_jobs(database_url, {"large": 1_000})
    write = connect(database_url, write=True, timeout_seconds=10)
    with write.begin() as connection:
        connection.execute(text("UPDATE job SET state = 'running', lease_until = 5 WHERE conversation = 7"))
        connection.execute(text("UPDATE job SET attempts = 1, error = 'ValueError' WHERE conversation = 9"))
    write.dispose()
    store = local.worker.store
    died, failed = (store.claim_folds(None).claims for _ in range(2))
    assert [(claim.conversation, claim.attempts) for claim in (*died, *failed)] == [(7, 1), (9, 2)]
    assert len(store.claim_folds(None).claims) == MOST_CLAIMED


def test_a_refold_that_killed_its_workers_is_parked_by_who_looks_and_hides_no_other(
    local: LocalWorker, engine: Engine, database_url: str
) -> None:
    fill_jobs(database_url, {"killer": 1, "other": 1})
    write = connect(database_url, write=True, timeout_seconds=10)
    with write.begin() as connection:
        connection.execute(text("UPDATE job SET kind = 'refold'"))
        died = "UPDATE job SET state = 'running', lease_until = 5, attempts = :tries WHERE tenant = 'killer'"
        connection.execute(text(died), {"tries": local.worker.settings.attempts})
    write.dispose()
    store = local.worker.store
    claim = store.claim_refold()
    assert claim is not None
    assert tenants_of(engine, [claim.conversation]) == ["other"]
    assert not store.has_due(JobKind.REFOLD), "nobody is rung for it"
    with engine.begin() as connection:
        assert connection.scalars(text("SELECT state FROM job ORDER BY tenant")).all() == ["parked", "running"]


def test_a_task_that_finds_little_behind_the_last_tenant_tells_of_what_is_due_before(
    local: LocalWorker, database_url: str
) -> None:
    fill_jobs(database_url, {"large": 200})
    store = local.worker.store
    assert store.claim_folds(None).more
    write = connect(database_url, write=True, timeout_seconds=10)
    with write.begin() as connection:
        connection.execute(text("UPDATE job SET state = 'running', lease_until = 5 WHERE conversation = 200"))
    write.dispose()
    taken = store.claim_folds(None)
    assert [claim.conversation for claim in taken.claims] == [200]
    assert taken.more
    while taken.more:
        taken = store.claim_folds(None)
    assert store.claim_folds(None).claims == []


def test_a_task_that_finds_live_folds_tells_of_those_that_may_wait(local: LocalWorker, database_url: str) -> None:
    fill_jobs(database_url, {"large": 3})
    write = connect(database_url, write=True, timeout_seconds=10)
    with write.begin() as connection:
        connection.execute(
            text("UPDATE job SET state = 'later', not_before = :may_wait + conversation WHERE conversation > 1"),
            {"may_wait": BACKFILL_FROM},
        )
    write.dispose()
    taken = local.worker.store.claim_folds(None)
    assert [claim.conversation for claim in taken.claims] == [1]
    assert taken.more
    assert len(fold_next(local)) == 2


def test_folds_whose_worker_cannot_ring_are_given_back(
    local: LocalWorker, engine: Engine, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_jobs(database_url, {"large": 200})

    def away(*_: object) -> None:
        raise StoreAway

    monkeypatch.setattr(local.worker.inbox, "ring_jobs", away)
    with pytest.raises(StoreAway):
        local.worker.fold_due()
    with engine.begin() as connection:
        left = connection.execute(text("SELECT state, attempts, COUNT(*) FROM job GROUP BY state, attempts")).all()
    assert [tuple(row) for row in left] == [("due", 0, 200)]


def test_two_who_look_at_once_take_different_ones(make_worker: Callable[..., LocalWorker], database_url: str) -> None:
    fill_jobs(database_url, {"large": 200, "small": 20})
    workers = [make_worker() for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        taken = [one for found in threads.map(fold_next, workers * 2) for one in found]
    assert len(taken) == len(set(taken)) >= MOST_CLAIMED


def test_a_claim_of_folds_asks_few_statements(local: LocalWorker, database_url: str) -> None:
    fill_jobs(database_url, {"acme": MOST_CLAIMED + 1})
    asked: list[str] = []
    event.listen(local.write_engine, "before_cursor_execute", lambda *of: asked.append(of[2]))

    def claimed() -> tuple[int, int]:
        asked.clear()
        claims = local.worker.store.claim_folds(None).claims
        return len(claims), sum(not statement.startswith("BEGIN") for statement in asked)

    # From the second claim on, no tenant after the last served one has due jobs, so the search wraps around.
    assert [claimed() for _ in range(3)] == [(MOST_CLAIMED, 5), (1, 7), (0, 5)]


def test_claiming_due_folds_is_cheap_however_many_there_are(
    local: LocalWorker, engine: Engine, database_url: str
) -> None:
    fill_jobs(database_url, {"large": MANY - 2_000, **{f"t{number}": 20 for number in range(100)}})
    plans: list[str] = []

    def explain(connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "job" in statement and "EXPLAIN" not in statement and "UPDATE job" not in statement:
            prefix = "EXPLAIN QUERY PLAN " if engine.dialect.name == "sqlite" else "EXPLAIN "
            rows = connection.exec_driver_sql(prefix + statement, parameters).all()
            plans.append("\n".join(str(row[-1]) for row in rows))

    assert len(fold_next(local)) == MOST_CLAIMED
    event.listen(local.write_engine, "before_cursor_execute", explain)
    try:
        fold_next(local)
    finally:
        event.remove(local.write_engine, "before_cursor_execute", explain)
    assert plans
    for plan in plans:
        assert "Seq Scan on job" not in plan, plan
        # The partial index of running jobs contains running jobs only.
        assert "SCAN job" not in plan.replace("SCAN job USING INDEX job_running", ""), plan
        # A window over all due jobs reads all of them, with or without an index.
        assert "WindowAgg" not in plan, plan


# Long conversations


def turns(number: int, name: str) -> list[dict[str, Any]]:
    return [
        {"turn_id": f"{name}{i}", "role": "assistant" if i % 2 else "user", "content": f"Step {i} of {name} is done."}
        for i in range(number)
    ]


@pytest.mark.daily_on("sqlite")
def test_a_long_conversation_gives_way_after_each_slice(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
    """Other conversations wait for one slice of it at most, even those of the same tenant."""
    local = make_worker(slice_seconds=0.05)
    for start in range(0, 400, 200):
        tf.append("long", turns(400, "long")[start : start + 200])
        local.worker.drain(shard_of(Address("acme", "long")))
    small = [f"small{i}" for i in range(5)]
    for name in small:
        tf.append(name, turns(30, name))
        local.worker.drain(shard_of(Address("acme", name)))
    long, *others = (local.worker.store.resolve([Address("acme", name)])[0] for name in ("long", *small))
    folded: list[int] = []
    while any(tf.status(name).folded < 30 for name in small):
        folded += local.worker.fold_due().conversations
    assert folded.count(long) <= 2, "a slice of the long one, then everybody else"
    assert set(folded) >= set(others)
    assert tf.status("long").folded < 400
    local.settle()
    assert tf.status("long").folded == 400


# Messages


def test_a_tenant_that_came_later_is_folded_with_the_first_of_another(
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
        quiet = worker.worker.store.resolve([Address("quiet", f"q{number}") for number in range(2)])
        folded = worker.worker.fold_due()
        assert worker.worker.fold_due() == Folded([], 0)
        assert sorted(folded.conversations.index(number) for number in quiet) == [1, 3]
        assert len(folded.conversations) == 22
        assert tf.for_tenant("busy").status("c19").folded == 3


def test_however_much_is_due_one_message_waits(
    tf: Turnfold, local: LocalWorker, make_worker: Callable[..., LocalWorker]
) -> None:
    names = [address.conversation for address in addresses("large", 60)]
    for name in names:
        tf.for_tenant("large").append(name, turns(2, name))
    local.worker.drain(SHARD)
    messages = local.messages.waiting
    assert [task for task, _ in messages if task is not Task.DRAIN] == [Task.COMPRESS]
    messages.clear()
    # A task sends the next message before it starts.
    assert len(local.worker.fold_due().conversations) == MOST_CLAIMED
    assert list(messages) == [(Task.COMPRESS, NOBODY)]
    other = make_worker()
    other.worker.fold_due()
    assert not other.messages.waiting
    assert all(tf.for_tenant("large").status(name).folded == 2 for name in names)


def test_who_waits_for_a_fold_has_it_though_it_was_to_be_later(
    settings: Settings, make_worker: Callable[..., LocalWorker]
) -> None:
    patient = make_worker(fold_turns=100)
    with Turnfold(settings=settings) as tf:
        tf.append("c", talk("c", 3))
        patient.drain()
        assert patient.worker.fold_due() == Folded([], 0)
        asked = patient.worker.store.resolve([Address("acme", "c")])[0]
        assert patient.worker.fold_due(asked).conversations == [asked]


def test_a_worker_that_dies_among_many_takes_no_tries_from_the_others(
    settings: Settings, make_worker: Callable[..., LocalWorker], database_url: str
) -> None:
    worker = make_worker(lease_seconds=0.001)
    with Turnfold(settings=settings) as tf:
        for number in range(5):
            tf.append(f"c{number}", talk(number, 3))
        worker.drain()
        for _ in range(6):
            wait_until(lambda: worker.worker.store.claim_folds(None).claims)
        worker.settle()
        assert [tf.status(f"c{number}").folded for number in range(5)] == [3] * 5
        assert [tf.status(f"c{number}").parked for number in range(5)] == [0] * 5


def test_a_sweep_tells_of_what_is_due_when_the_message_was_lost(
    local: LocalWorker, database_url: str, redis_url: str, client: redis.Redis
) -> None:
    fill_jobs(database_url, {"large": 5_000})
    publisher = RedisPublisher(servers(client))
    swept = [sweep(inbox=local.worker.inbox, store=local.worker.store, publisher=publisher) for _ in range(4)]
    assert [one.jobs for one in swept] == [(JobKind.COMPRESS,)] * 4
    assert client.zrange(keys.rung_for(Queue.COMPRESS), 0, -1) == [b"turnfold.compress"]


def test_rings_that_nobody_hears_stand_once_each_and_kinds_of_one_queue_beside_each_other(client: redis.Redis) -> None:
    publisher = RedisPublisher(servers(client))
    for number in range(1_000):
        publisher.drain(number % len(SHARDS))
        publisher.erase(number % len(SHARDS))
        publisher.work(JobKind.COMPRESS)
        publisher.work(JobKind.REFOLD)
    assert client.zcard(keys.rung_for(Queue.COMPRESS)) == 2
    assert client.zcard(keys.rung_for(Queue.MAINTENANCE)) == len(SHARDS)
    assert client.zcard(keys.rung_for(Queue.INGEST)) == len(SHARDS)


def test_a_bell_that_is_away_does_not_stop_a_sweep(local: LocalWorker, database_url: str) -> None:
    fill_jobs(database_url, {"large": 5})
    with connect_redis("redis://127.0.0.1:1/0", timeout_seconds=0.2) as nobody:
        swept = sweep(inbox=local.worker.inbox, store=local.worker.store, publisher=RedisPublisher(servers(nobody)))
    assert swept.jobs == (JobKind.COMPRESS,)
