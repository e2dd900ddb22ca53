"""`InboxFull`: what it refuses, what it carries, and what was added before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis.commands.core import Script

from conftest import LocalWorker
from support.stored import stored_turns
from support.talk import talk
from turnfold import InboxFull, InvalidInput, Settings, Turnfold, Unavailable, inbox_scripts
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Task
from turnfold.inbox import ENTRIES_PER_CALL
from turnfold.resources import Resources
from turnfold_worker.adapters.redis_server import RedisServer

pytestmark = pytest.mark.daily_on("sqlite")

TURNS = talk("full", 3 * ENTRIES_PER_CALL)
LIMIT = 2 * ENTRIES_PER_CALL
SHARD = Address("acme", "c").shard


@pytest.fixture
def rings() -> list[Task]:
    return []


@pytest.fixture
def tf(settings: Settings, rings: list[Task], monkeypatch: pytest.MonkeyPatch) -> Iterator[Turnfold]:
    """A client that takes a thousand turns a conversation and notes what it would ring for."""
    with Turnfold(
        redis_url=settings.redis_url, database_url=settings.database_url, tenant="acme", max_inbox_turns=LIMIT
    ) as client:
        monkeypatch.setattr(Resources, "ring", lambda _, task, shard: rings.append(task))
        yield client


def between_blocks(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let something happen after the first block of the next append."""
    call = Script.__call__
    calls = 0

    def counted(script: Script, *arguments: Any, **named: Any) -> Any:
        nonlocal calls
        if script.script == inbox_scripts.APPEND:
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
