"""A tenant's daily quota applies across all its producers and affects no other tenant."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
import redis
from click.testing import CliRunner

from turnfold import InboxFull, InvalidSettings, QuotaExceeded, Settings, Turnfold
from turnfold.contract import keys
from turnfold_worker.cli import main

pytestmark = pytest.mark.daily_on("sqlite")

TURN = {"role": "user", "content": "We must use PostgreSQL."}
SIZE = len(json.dumps(TURN, separators=(",", ":")))
DAY_SECONDS = 86_400


@pytest.fixture
def bounded(settings: Settings) -> Iterator[Callable[..., Turnfold]]:
    """Makes clients with quotas."""
    with ExitStack() as clients:
        yield lambda **values: clients.enter_context(Turnfold(settings=replace(settings, **values)))


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as found:
        yield found


def test_a_tenant_appends_up_to_its_turns_of_the_day_in_all_conversations(bounded: Callable[..., Turnfold]) -> None:
    tf, another = bounded(tenant_turns_a_day=5), bounded(tenant_turns_a_day=5)
    tf.append("c", [TURN] * 3)
    another.append("d", TURN)
    with pytest.raises(
        QuotaExceeded, match=r"'acme' has appended 4 turns .* and 2 .*TURNFOLD_TENANT_TURNS_A_DAY"
    ) as met:
        tf.append("c", [TURN] * 2)
    assert 0 < met.value.retry_after_seconds <= DAY_SECONDS
    assert all(turn["turn_id"] for turn in met.value.turns)
    assert tf.status("c").inbox == 3
    tf.append("c", met.value.turns[0])
    with pytest.raises(QuotaExceeded):
        another.append("d", TURN)
    tf.for_tenant("other").append("c", [TURN] * 5)


def test_bytes_are_bounded_edits_included_and_what_takes_away_is_never_refused(
    bounded: Callable[..., Turnfold],
) -> None:
    tf = bounded(tenant_bytes_a_day=2 * SIZE)
    tf.append("c", [{**TURN, "turn_id": "a"}, {**TURN, "turn_id": "b"}])
    with pytest.raises(QuotaExceeded, match="TURNFOLD_TENANT_BYTES_A_DAY"):
        tf.append("c", TURN)
    with pytest.raises(QuotaExceeded):
        tf.edit("c", "a", content="Other words.")
    tf.delete("c", "b")
    tf.rewind("c", after="a")
    tf.forget("c", timeout_seconds=0)


def test_another_day_begins_anew(bounded: Callable[..., Turnfold], client: redis.Redis) -> None:
    tf = bounded(tenant_turns_a_day=1)
    tf.append("c", TURN)
    name = keys.appended("acme")
    client.hincrby(name, "day", -1)
    tf.append("c", TURN)
    with pytest.raises(QuotaExceeded):
        tf.append("c", TURN)
    assert 0 < client.ttl(name) <= keys.APPENDED_SECONDS


def test_a_clock_that_is_set_back_over_midnight_gives_no_second_day(
    bounded: Callable[..., Turnfold], client: redis.Redis
) -> None:
    tf = bounded(tenant_turns_a_day=1)
    tf.append("c", TURN)
    name = keys.appended("acme")
    client.hincrby(name, "day", 1)
    with pytest.raises(QuotaExceeded) as met:
        tf.append("c", TURN)
    assert DAY_SECONDS < met.value.retry_after_seconds <= 2 * DAY_SECONDS
    # A clock that is even further off locks no tenant out.
    client.hincrby(name, "day", 1)
    tf.append("c", TURN)
    with pytest.raises(QuotaExceeded):
        tf.append("c", TURN)


def test_what_a_conversation_is_configured_with_counts_as_bytes(bounded: Callable[..., Turnfold]) -> None:
    tf = bounded(tenant_bytes_a_day=1_000)
    tf.configure("c", goal="Ship it.")
    with pytest.raises(QuotaExceeded):
        tf.configure("d", goal="Ship it. " * 200)
    assert tf.status("c").inbox == 1


def test_what_met_a_full_inbox_is_given_back(bounded: Callable[..., Turnfold]) -> None:
    tf = bounded(tenant_turns_a_day=4, max_inbox_turns=2)
    tf.append("c", [TURN] * 2)
    for _ in range(5):
        with pytest.raises(InboxFull):
            tf.append("c", [TURN] * 2)
    tf.append("d", [TURN] * 2)


def test_producers_at_once_never_go_beyond_it(bounded: Callable[..., Turnfold]) -> None:
    tf = bounded(tenant_turns_a_day=50)

    def append(number: int) -> bool:
        try:
            tf.append(f"c-{number % 7}", TURN)
        except QuotaExceeded:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(append, range(120))) == 50
    assert sum(tf.status(f"c-{number}").inbox for number in range(7)) == 50


def test_nothing_is_counted_where_nothing_is_bounded(tf: Turnfold, client: redis.Redis) -> None:
    tf.append("c", TURN)
    assert not client.exists(keys.appended("acme"))


def test_usage_tells_how_much_of_it_is_used(
    bounded: Callable[..., Turnfold], redis_url: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str) -> Any:
        servers = ("--redis-url", redis_url, "--database-url", database_url, "--tenant", "acme")
        return CliRunner().invoke(main, [*servers, "usage", *arguments]).output

    assert "appended today" not in run()
    monkeypatch.setenv("TURNFOLD_TENANT_TURNS_A_DAY", "9")
    monkeypatch.setenv("TURNFOLD_DAILY_TOKENS", "1000")
    bounded(tenant_turns_a_day=9).append("c", [TURN] * 2)
    assert "turns appended today (UTC): 2 of 9 (set by TURNFOLD_TENANT_TURNS_A_DAY)" in run()
    assert "model tokens today (UTC): 0 of 1000" in run()
    assert json.loads(run("--json"))["bounded"]["turns_a_day"] == {
        "most": 9, "set_by": "TURNFOLD_TENANT_TURNS_A_DAY", "used": 2,
    }  # fmt: skip


def test_a_quota_below_nothing_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="TURNFOLD_TENANT_TURNS_A_DAY"):
        Settings(tenant_turns_a_day=-1)
