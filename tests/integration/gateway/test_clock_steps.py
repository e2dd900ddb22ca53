"""A clock that was set back blocks no key and no webhook, and grants no second quota for a minute."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing

import pytest
import redis
from sqlalchemy import text

from turnfold import Settings
from turnfold.contract.keys import gateway_rate
from turnfold_gateway.keys.store import KeyStore
from turnfold_gateway.redis_client import RedisClient
from turnfold_gateway.webhooks.deliveries import CLAIM_SECONDS, LONGEST_DELAY_SECONDS, Outbox
from turnfold_gateway.webhooks.endpoints import Endpoints

HOUR = 3_600.0


@pytest.mark.parametrize("a_minute", [1, 60])
async def test_a_key_waits_for_one_request_behind_a_clock_of_redis_that_was_set_back(
    redis_url: str, a_minute: int
) -> None:
    name, ahead = gateway_rate("k"), time.time() + HOUR
    with redis.Redis.from_url(redis_url) as client:
        client.set(name, f"{ahead * 1_000:.3f}", ex=7_200)
        limits = RedisClient(Settings(redis_url=redis_url))
        waits = [await limits.take(name, a_minute) for _ in range(3)]
        assert all(0 < wait <= 60 / a_minute for wait in waits)
        assert client.ttl(name) <= 61
        # Let the minute pass.
        client.set(name, f"{(time.time() - 1) * 1_000:.3f}", ex=60)
        granted = [await limits.take(name, a_minute) == 0 for _ in range(a_minute + 2)]
        await limits.close()
    assert granted.count(True) in {a_minute, a_minute + 1}


@pytest.fixture
def store(settings: Settings) -> Iterator[KeyStore]:
    with closing(KeyStore(settings)) as store:
        yield store


@pytest.mark.parametrize("clock", [0.0, 3e9])
def test_a_delivery_goes_by_the_clock_of_the_database(
    store: KeyStore, monkeypatch: pytest.MonkeyPatch, clock: float
) -> None:
    monkeypatch.setattr(time, "time", lambda: clock)
    outbox, endpoints = Outbox(store), Endpoints(store, "acme")
    endpoint, _ = endpoints.add("https://example.com/", ["folded"], allow_http=False)
    endpoints.test(endpoint)
    (delivery,) = outbox.claim()
    assert outbox.claim() == []

    assert not outbox.failed(delivery, most_rounds=3)
    assert outbox.claim() == []
    put_off = waits_until(store)
    assert abs(put_off - 10 - database_seconds(store)) < 60


def test_a_delivery_that_waits_behind_a_clock_that_was_set_back_is_taken(store: KeyStore) -> None:
    outbox, endpoints = Outbox(store), Endpoints(store, "acme")
    endpoint, _ = endpoints.add("https://example.com/", ["folded"], allow_http=False)
    endpoints.test(endpoint)
    longest = LONGEST_DELAY_SECONDS + CLAIM_SECONDS
    for seconds, is_taken in [(longest - 60, False), (longest + 60, True), (100 * HOUR, True), (-100 * HOUR, True)]:
        wait_for(store, seconds)
        assert [delivery.endpoint for delivery in outbox.claim()] == [endpoint] * is_taken
        assert outbox.claim() == []


def database_seconds(store: KeyStore) -> float:
    from sqlalchemy import select

    from turnfold.database.database_clock import now_milliseconds

    with store.engine.begin() as connection:
        return float(connection.scalar(select(now_milliseconds())) or 0) / 1_000


def waits_until(store: KeyStore) -> float:
    with store.engine.begin() as connection:
        return float(connection.scalar(text("SELECT not_before FROM webhook_delivery"))) / 1_000


def wait_for(store: KeyStore, seconds: float) -> None:
    """Postpone the only delivery by `seconds` from now."""
    moment = round((database_seconds(store) + seconds) * 1_000)
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE webhook_delivery SET not_before = :moment"), {"moment": moment})
