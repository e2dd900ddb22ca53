"""Each call makes the round trips that docs/cache.md promises, counted where requests leave this process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from redis.connection import AbstractConnection

from conftest import Filling, LocalWorker
from support.talk import talk
from turnfold import Turnfold
from turnfold.database.driver import DriverConnection

ASKED = "What did we decide about the visitor calendar?"
ANSWERED_IN_PART = "Which city, country and street does my sister dwell in?"
VECTOR = [1.0] * 384


class Trips:
    """Requests to Redis and SQL since the last call of `of`."""

    def __init__(self) -> None:
        self.redis = 0
        self.sql: list[int] = []
        """Number of statements in each round trip to a server; SQLite executes the same statements one by one."""
        self.transactions = 0

    def of(self, tf: Turnfold, **request: Any) -> tuple[int, list[int]]:
        """Return the trips of one context."""
        self.redis, self.sql, self.transactions = 0, [], 0
        tf.context("c", **{"budget_tokens": 1_000, **request})
        return self.redis, self.sql


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> Trips:
    """Counts this process's requests to Redis and SQL."""
    seen = Trips()
    send, batch = AbstractConnection.send_packed_command, DriverConnection.batch
    snapshot = DriverConnection.snapshot

    def counted_send(self: AbstractConnection, *arguments: Any, **options: Any) -> None:
        seen.redis += 1
        send(self, *arguments, **options)

    def counted_batch(self: DriverConnection, *calls: Any, **options: Any) -> Any:
        seen.sql.append(len(calls))
        return batch(self, *calls, **options)

    def counted_snapshot(self: DriverConnection) -> AbstractContextManager[None]:
        seen.transactions += 1
        return snapshot(self)

    monkeypatch.setattr(AbstractConnection, "send_packed_command", counted_send)
    monkeypatch.setattr(DriverConnection, "batch", counted_batch)
    monkeypatch.setattr(DriverConnection, "snapshot", counted_snapshot)
    return seen


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a conversation of 160 turns, and a short one."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        turns = talk("trips", 160)
        turns[40] = {"role": "user", "content": "My sister Layla visits us on Sunday."}
        turns[80] = {"role": "user", "content": "Layla bought a flat in Lisbon."}
        tf.append("c", turns)
        tf.append("other", talk("other", 3))
        make_worker().settle()

    return fill


@pytest.fixture
def folded(tf: Turnfold) -> Turnfold:
    """A connected client, which has read the short conversation."""
    tf.context("other", budget_tokens=1_000)
    return tf


@pytest.mark.daily_on("sqlite")
def test_an_append_is_one_round_trip_however_many_turns_it_has(folded: Turnfold, trips: Trips) -> None:
    folded.append("c", talk("more", 200))
    assert (trips.redis, trips.sql) == (1, [])


def test_a_first_read_asks_redis_once_and_sql_for_five_statements_at_most(folded: Turnfold, trips: Trips) -> None:
    redis, sql = trips.of(folded, query=False)
    assert (redis, trips.transactions) == (1, 1)
    assert len(sql) == 2
    assert sum(sql) <= 5


def test_a_first_read_that_its_newest_turn_steers_asks_sql_four_times(folded: Turnfold, trips: Trips) -> None:
    folded.append("c", {"role": "user", "content": "Which database did we choose for the audit log?"})
    redis, sql = trips.of(folded)
    assert (redis, trips.transactions) == (1, 1)
    assert len(sql) == 4
    assert sum(sql) <= 7


def test_a_read_of_what_the_process_knows_asks_redis_once_and_sql_once(folded: Turnfold, trips: Trips) -> None:
    trips.of(folded, query=False)
    assert (*trips.of(folded, query=False), trips.transactions) == (1, [1], 0)
    folded.append("c", {"role": "user", "content": "And one more thing."})
    assert (*trips.of(folded, query=False), trips.transactions) == (1, [1], 0)


def test_a_newest_turn_that_steers_is_looked_up_once(folded: Turnfold, trips: Trips) -> None:
    folded.append("c", {"role": "user", "content": "Which database did we choose for the audit log?"})
    trips.of(folded, query=False)
    assert trips.of(folded) == (1, [1, 1, 1])
    assert (*trips.of(folded), trips.transactions) == (1, [1], 0)


def test_a_query_asks_sql_twice_more_at_most_also_where_no_passage_answers_all_of_it(
    folded: Turnfold, trips: Trips
) -> None:
    trips.of(folded)
    # The query may name a code block: lists of blocks come with the postings.
    assert trips.of(folded, query=ASKED) == (1, [1, 2, 1])
    assert trips.of(folded, query=ANSWERED_IN_PART) == (1, [1, 1, 1])


def test_a_vector_and_words_that_answer_come_in_the_same_round_trips(folded: Turnfold, trips: Trips) -> None:
    trips.of(folded, budget_tokens=2_500)
    assert trips.of(folded, budget_tokens=2_500, query=ASKED, query_vector=VECTOR) == (1, [1, 3, 2])
