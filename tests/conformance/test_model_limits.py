"""Rate limits and circuit breakers in a real Redis apply across all workers."""

from __future__ import annotations

import multiprocessing
import random
import time
import uuid
from collections.abc import Callable, Iterator

import pytest
import redis
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from support.examples import examples
from support.places import servers
from support.waiting import wait_until
from turnfold_worker.adapters.redis.model_limits import RedisModelLimits

Make = Callable[..., RedisModelLimits]


@pytest.fixture
def make(redis_url: str) -> Iterator[Make]:
    client = redis.Redis.from_url(redis_url)

    def make(**values: float) -> RedisModelLimits:
        given = {
            "requests_per_minute": 0, "tokens_per_minute": 0, "circuit_failures": 3, "circuit_seconds": 1.0,
            "call_seconds": 2.0, **values,
        }  # fmt: skip
        return RedisModelLimits(servers(client), **given)  # type: ignore[arg-type]

    yield make
    client.close()


def test_without_limits_nobody_waits(make: Make) -> None:
    limits = make()
    assert [limits.reserve("m", 10**9) for _ in range(50)] == [0.0] * 50


def test_requests_and_tokens_are_limited_each_by_itself_and_each_model_by_itself(make: Make) -> None:
    requests = make(requests_per_minute=3, burst_seconds=40)
    taken = [requests.reserve("a", 1) for _ in range(5)]
    assert taken[:2] == [0.0, 0.0]
    assert all(10 < seconds <= 20 for seconds in taken[2:])
    assert requests.reserve("b", 1) == 0.0
    tokens = make(tokens_per_minute=300, burst_seconds=40)
    assert tokens.reserve("c", 150) == 0.0
    assert 10 < tokens.reserve("c", 150) <= 20
    assert tokens.reserve("c", 50) == 0.0


def test_what_was_not_used_is_given_back(make: Make) -> None:
    limits = make(tokens_per_minute=6_000, burst_seconds=2)
    assert limits.reserve("m", 200) == 0.0
    assert limits.reserve("m", 200) > 0
    limits.settle("m", reserved=200, used=0)
    assert limits.reserve("m", 200) == 0.0
    limits.settle("m", reserved=200, used=2_000)
    assert limits.reserve("m", 1) > 10


def test_a_call_that_alone_is_above_the_burst_gets_its_turn(make: Make) -> None:
    limits = make(tokens_per_minute=6_000, burst_seconds=1)
    assert limits.reserve("m", 5_000) == 0.0
    assert limits.reserve("m", 5_000) > 40


def test_a_pause_holds_for_all_and_the_longer_one_wins(make: Make) -> None:
    one, other = make(), make()
    one.pause("m", 30)
    one.pause("m", 1)
    assert 20 < other.reserve("m", 1) <= 30
    assert other.reserve("n", 1) == 0.0


def test_a_circuit_opens_lets_one_call_try_and_closes(make: Make) -> None:
    one, other = make(), make()
    assert [one.record_failure("m") for _ in range(3)] == [False, False, True]
    assert other.admit("m") > 0
    assert other.admit("n") == 0.0
    wait_until(lambda: other.admit("m") == 0.0)
    assert one.admit("m") > 0, "only one call tries"
    assert other.record_failure("m") is True
    wait_until(lambda: one.admit("m") == 0.0)
    one.record_success("m")
    assert [one.admit("m"), other.admit("m")] == [0.0, 0.0]
    assert one.record_failure("m") is False


def test_a_call_that_tries_and_dies_holds_nobody_up_for_long(make: Make) -> None:
    limits = make(call_seconds=-0.8)
    for _ in range(3):
        limits.record_failure("m")
    wait_until(lambda: limits.admit("m") == 0.0)
    wait_until(lambda: limits.admit("m") == 0.0)


def test_every_key_has_a_lifetime(make: Make, redis_url: str) -> None:
    limits = make(requests_per_minute=60, tokens_per_minute=60)
    limits.reserve("a:b{c}", 10)
    limits.settle("a:b{c}", reserved=10, used=500)
    limits.pause("a:b{c}", 5)
    limits.record_failure("a:b{c}")
    limits.open_circuit("a:b{c}", 5)
    with redis.Redis.from_url(redis_url) as client:
        found = list(client.scan_iter("*"))
        assert len(found) == 5
        assert all(client.pttl(name) > 0 for name in found)


@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(costs=st.lists(st.integers(1, 400), min_size=1, max_size=60))
def test_what_is_granted_at_once_is_never_more_than_a_burst_and_one_call(make: Make, costs: list[int]) -> None:
    name = str(uuid.uuid4())
    limits = make(tokens_per_minute=6_000, burst_seconds=3)
    began = time.monotonic()
    granted = [cost for cost in costs if limits.reserve(name, cost) == 0.0]
    passed = time.monotonic() - began
    assert sum(granted) <= max(300, *granted) + passed * 100 + 1


def _take(redis_url: str, seed: int, seconds: float, found: multiprocessing.Queue[tuple[int, int]]) -> None:
    chance = random.Random(seed)
    with redis.Redis.from_url(redis_url) as client:
        limits = RedisModelLimits(
            servers(client), requests_per_minute=1_200, tokens_per_minute=60_000, circuit_failures=3, circuit_seconds=1,
            call_seconds=1, burst_seconds=1,
        )  # fmt: skip
        end, calls, tokens = time.monotonic() + seconds, 0, 0
        while time.monotonic() < end:
            cost = chance.choice((20, 60, 100))
            if wait := limits.reserve("shared", cost):
                time.sleep(min(wait, 0.05))
                continue
            calls, tokens = calls + 1, tokens + cost
    found.put((calls, tokens))


def test_processes_together_stay_below_both_rates_and_use_most_of_one(redis_url: str) -> None:
    seconds = 3.0
    # Forks, since what they do takes less time than importing it.
    context = multiprocessing.get_context("fork")
    found: multiprocessing.Queue[tuple[int, int]] = context.Queue()
    began = time.monotonic()
    processes = [context.Process(target=_take, args=(redis_url, seed, seconds, found)) for seed in range(3)]
    for process in processes:
        process.start()
    results = [found.get(timeout=60) for _ in processes]
    passed = time.monotonic() - began
    for process in processes:
        process.join()
    calls, tokens = (sum(column) for column in zip(*results, strict=True))
    assert calls <= 20 * (passed + 1) + 1
    assert tokens <= 1_000 * (passed + 1) + 100
    assert tokens >= 0.5 * 1_000 * seconds or calls >= 0.5 * 20 * seconds
