"""`InboxFull` rejects the right turns, carries them, and leaves those appended before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import redis
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from conftest import LocalWorker
from support.examples import examples
from support.places import place, shard_of
from support.stored import stored_turns
from support.talk import talk
from turnfold import InboxFull, InvalidInput, Settings, Turnfold, Unavailable
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Task
from turnfold.redis import scripts as inbox_scripts
from turnfold.redis.inbox import ENTRIES_PER_CALL
from turnfold.redis.lua import Script
from turnfold.resources import Resources
from turnfold_worker.local.redis_server import RedisServer

pytestmark = pytest.mark.daily_on("sqlite")

TURNS = talk("full", 3 * ENTRIES_PER_CALL)
LIMIT = 2 * ENTRIES_PER_CALL
SHARD = shard_of(Address("acme", "c"))


@pytest.fixture
def rings() -> list[Task]:
    return []


@pytest.fixture
def tf(settings: Settings, rings: list[Task], monkeypatch: pytest.MonkeyPatch) -> Iterator[Turnfold]:
    """A client that accepts a thousand turns a conversation; its rings are recorded instead of published."""
    with Turnfold(
        redis_url=settings.redis_url, database_url=settings.database_url, tenant="acme", max_inbox_turns=LIMIT,
        celery_doorbell=True,
    ) as client:  # fmt: skip
        monkeypatch.setattr(Resources, "ring", lambda _, task, shard: rings.append(task))
        yield client


def between_blocks(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Run `act` after the first block of the next append."""
    call = Script.__call__
    calls = 0

    def counted(script: Script, *arguments: Any, **named: Any) -> Any:
        nonlocal calls
        if script._text == inbox_scripts.APPEND:
            calls += 1
            if calls == 2:
                act()
        return call(script, *arguments, **named)

    monkeypatch.setattr(Script, "__call__", counted)


def test_a_list_that_does_not_fit_any_more_is_refused_before_anything_of_it_was_added(
    tf: Turnfold, rings: list[Task], local: LocalWorker
) -> None:
    tf.append("c", TURNS[0])
    rings.clear()
    with pytest.raises(InboxFull, match=r"holds 1 of at most 1000 turns, and 1000 more were given") as full:
        tf.append("c", TURNS[1 : LIMIT + 1])
    assert tf.status("c").inbox == 1
    assert rings == []
    local.worker.drain(SHARD)
    tf.append("c", full.value.turns)
    local.worker.drain(SHARD)
    assert [content for _, _, content in stored_turns(local.engine, "acme", "c")] == [
        turn["content"] for turn in TURNS[: LIMIT + 1]
    ]


def test_what_was_given_without_ids_can_be_appended_again_after_a_refusal_in_the_middle(
    tf: Turnfold, rings: list[Task], local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    between_blocks(monkeypatch, lambda: [tf.append("c", turn) for turn in TURNS[LIMIT : LIMIT + 1]] and None)
    with pytest.raises(InboxFull) as full:
        tf.append("c", TURNS[:LIMIT])
    assert tf.status("c").inbox == ENTRIES_PER_CALL + 1
    assert Task.DRAIN in rings
    assert len(full.value.turns) == LIMIT
    local.worker.drain(SHARD)
    again = tf.append("c", full.value.turns)
    local.worker.drain(SHARD)
    stored = stored_turns(local.engine, "acme", "c")
    assert len(stored) == LIMIT + 1
    assert set(again.turn_ids) <= {turn_id for _, turn_id, _ in stored}


def test_the_bell_is_rung_for_blocks_that_were_added_before_redis_went_away(
    tf: Turnfold, rings: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        msg = "Redis did not answer"
        raise Unavailable(msg)

    between_blocks(monkeypatch, away)
    with pytest.raises(Unavailable) as failed:
        tf.append("c", TURNS[:LIMIT])
    assert len(failed.value.turns) == LIMIT
    assert rings == [Task.DRAIN]


def test_a_list_above_the_limit_by_itself_is_wrong_and_says_how_to_give_it(tf: Turnfold, rings: list[Task]) -> None:
    with pytest.raises(InvalidInput, match=r"1001 turns .* at most 1000 .* TURNFOLD_MAX_INBOX_TURNS"):
        tf.append("c", TURNS[: LIMIT + 1])
    assert tf.status("c").inbox == 0
    assert rings == []


def test_a_list_of_large_turns_is_sent_in_several_calls(
    tf: Turnfold, local: LocalWorker, redis_server: RedisServer
) -> None:
    said = [{"role": "user", "content": f"{number} {'x' * 500_000}"} for number in range(100)]
    with redis_server.client() as client:
        client.config_resetstat()
        tf.append("c", said)
        done = client.info("commandstats")
    assert done["cmdstat_xadd"]["calls"] == 100
    assert done["cmdstat_evalsha"]["calls"] >= 4
    while tf.status("c").inbox:
        local.worker.drain(SHARD)
    numbers = [int(content.split()[0]) for _, _, content in stored_turns(local.engine, "acme", "c")]
    assert numbers == list(range(100))


@pytest.fixture
def small(settings: Settings) -> Iterator[Turnfold]:
    """A client whose inboxes hold 4 KiB."""
    with Turnfold(settings=replace(settings, max_turn_bytes=2_048, max_inbox_bytes=4_096)) as client:
        yield client


def held(client: redis.Redis, conversation: str = "c") -> int:
    """Return the bytes of the bodies in an inbox."""
    entries = client.xrange(place(Address("acme", conversation)).inbox)
    return sum(len(fields[b"d"]) for _, fields in entries)


def of_size(size: int) -> dict[str, str]:
    """Return a turn whose body has `size` bytes."""
    return {"role": "user", "content": "x" * (size - len(b'{"role":"user","content":""}'))}


def test_an_inbox_takes_bytes_up_to_its_limit_and_not_one_more(
    small: Turnfold, local: LocalWorker, redis_url: str
) -> None:
    with redis.Redis.from_url(redis_url) as client:
        small.append("c", [of_size(1_000), of_size(2_000)])
        assert held(client) == 3_000
        message = r"holds 3000 of at most 4096 bytes, and 1097 more were given.*TURNFOLD_MAX_INBOX_BYTES"
        with pytest.raises(InboxFull, match=message) as full:
            small.append("c", of_size(1_097))
        small.append("c", of_size(1_096))
        with pytest.raises(InboxFull, match="holds 4096"):
            small.append("c", of_size(30))
        small.append("d", of_size(2_000))
        small.for_tenant("other").append("c", of_size(2_000))
        local.worker.drain(SHARD)
        small.append("c", full.value.turns)
        assert held(client) == 1_097
        with pytest.raises(InvalidInput, match="in smaller lists, or raise TURNFOLD_MAX_INBOX_BYTES"):
            small.append("c", [of_size(2_000)] * 3)
        small.forget("c", timeout_seconds=0)
        small.append("c", [of_size(2_048)] * 2)


@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.integers(30, 2_048) | st.sampled_from(["trim", "forget", "older"]), min_size=1, max_size=30))
def test_what_an_inbox_holds_is_counted_whoever_trims_it(
    small: Turnfold, redis_url: str, steps: list[int | str]
) -> None:
    inbox = place(Address("acme", "c")).inbox
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
        older = False
        for step in steps:
            if step == "trim":
                client.xtrim(inbox, maxlen=max(0, client.xlen(inbox) - 1), approximate=False)
            elif step == "forget":
                small.forget("c", timeout_seconds=0)
            elif step == "older":
                client.xadd(inbox, {"v": "1", "op": "append", "id": "o", "d": b"{}"})
                older = True
            else:
                before = held(client)
                try:
                    small.append("c", of_size(int(step)))
                    assert older or held(client) == before + int(step) <= 4_096
                except InboxFull:
                    assert older or before + int(step) > 4_096
        assert older or held(client) <= 4_096
        client.flushall()


def test_an_inbox_of_one_turn_takes_little_memory(tf: Turnfold, redis_server: RedisServer) -> None:
    tf.append("c", {"role": "user", "content": "We must use PostgreSQL for the booking service. " * 5})

    with redis_server.client() as client:
        assert client.memory_usage(place(Address("acme", "c")).inbox) < 2_000
