"""When Redis runs out of memory, appends fail early enough for workers to still have room to drain it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis

from support.places import NEW_LAYOUT
from turnfold import Settings, Turnfold, Unavailable
from turnfold.contract import keys
from turnfold_worker.testing.local import LocalTurnfold, embedded

pytestmark = [pytest.mark.processes, pytest.mark.daily_on("sqlite")]

MEGABYTE = 1_048_576
ROOM = 16 * MEGABYTE
"""Memory that the server may use in addition to that of an empty one."""
REMEDY = "out of memory: raise maxmemory, or start workers"
SMALL = {"role": "user", "content": "We must use PostgreSQL."}


def _takes(tf: LocalTurnfold, number: int) -> bool:
    try:
        tf.append(f"c-{number % 20}", {"role": "user", "content": "x" * 50_000, "turn_id": f"t-{number}"})
    except Unavailable as error:
        if REMEDY not in str(error):
            raise
        return False
    return True


def _client(tf: LocalTurnfold, **values: Any) -> Turnfold:
    urls = {"redis_url": tf.environment["TURNFOLD_REDIS_URL"], "database_url": tf.environment["TURNFOLD_DATABASE_URL"]}
    return Turnfold(settings=Settings(**urls, **values))


@pytest.fixture
def full(redis_program: None) -> Iterator[tuple[LocalTurnfold, redis.Redis, int]]:
    """A client whose Redis is full, that Redis, and how many turns it accepted."""
    with embedded(tenant="acme") as tf:
        client = redis.Redis.from_url(tf.environment["TURNFOLD_REDIS_URL"])
        client.config_set("maxmemory", client.info("memory")["used_memory"] + ROOM)
        taken = next(number for number in range(ROOM // 50_000) if not _takes(tf, number))
        yield tf, client, taken
        client.close()


Full = tuple[LocalTurnfold, redis.Redis, int]


def test_workers_empty_it_and_then_it_takes_more(full: Full) -> None:
    tf, client, taken = full
    assert taken > 50
    assert tf.drain_now() == taken
    assert client.info("memory")["used_memory"] < ROOM
    tf.append("c-0", SMALL)
    assert tf.drain_now() == 1


def test_celery_may_still_write_there(full: Full) -> None:
    _, client, _ = full
    used, most = (client.info("memory")[name] for name in ("used_memory", "maxmemory"))
    assert used < most - MEGABYTE
    assert client.lpush("turnfold.ingest", "a message") == 1


def test_small_appends_do_not_creep_into_what_is_left(full: Full) -> None:
    tf, client, _ = full
    most, refused = client.info("memory")["maxmemory"], 0
    for number in range(1_000):
        try:
            tf.append("c-0", {"role": "user", "content": "y" * 1_000, "turn_id": f"small-{number}"})
        except Unavailable:
            refused += 1
    assert refused > 100
    assert client.info("memory")["used_memory"] < 0.9 * most + ROOM / 100


def test_what_takes_away_is_never_refused(full: Full) -> None:
    tf, _, _ = full
    # Another client, whose calls wait in Redis: `tf` itself would fold all that is there.
    with _client(tf, tenant="acme") as client:
        client.delete("c-0", "t-0")
        client.rewind("c-1", after="t-1")
        client.forget("c-2", timeout_seconds=0)


def test_the_mark_of_a_full_redis_goes_when_there_is_room_again(full: Full) -> None:
    tf, client, _ = full
    marks = [keys.full(shard) for shard in NEW_LAYOUT.all()]
    assert client.exists(*marks)
    assert all(0 < client.ttl(mark) <= 60 for mark in marks if client.exists(mark))
    tf.drain_now()
    for number in range(20):
        tf.append(f"c-{number}", SMALL)
    assert not client.exists(*marks)


def test_what_it_refuses_counts_against_no_quota(full: Full) -> None:
    tf, _, _ = full
    with _client(tf, tenant="globex", tenant_turns_a_day=1_000) as client:
        for _ in range(3):
            with pytest.raises(Unavailable):
                client.append("c", {"role": "user", "content": "x" * 50_000})
        assert client._resources.quotas().counted("globex").turns == 0
