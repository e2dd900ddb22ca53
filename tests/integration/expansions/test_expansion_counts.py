"""Expansions are counted apart from the read, added to SQL by a sweep, lead to more detail, and can be reset."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
import redis
from click.testing import CliRunner
from sqlalchemy import text

from conftest import Filling, LocalWorker
from support.talk import talk
from support.waiting import wait_until
from turnfold import TIERED, AsyncTurnfold, MemoryTiers, Settings, Turnfold, UnknownConversation, UnknownMarker
from turnfold.contract.keys import Address
from turnfold.contract.records import LevelKey
from turnfold.contract.results import Head
from turnfold.database.read_transaction import ReadTransaction
from turnfold.database.reader import Reader
from turnfold_worker.adapters.sql.access import reset_expansions_of
from turnfold_worker.cli.group import main
from turnfold_worker.offline import fold
from turnfold_worker.operate.inspection import Inspection, inspect_conversation
from turnfold_worker.operate.tenant_totals import stored_totals

TURNS = talk("access", 150)


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a conversation of short segments."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.configure("c", settings={"segment_max_turns": 6})
        tf.append("c", TURNS)
        make_worker().settle()

    return fill


@pytest.fixture
def folded(tf: Turnfold) -> Turnfold:
    return tf


@pytest.fixture
def raw(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


def waiting(client: redis.Redis) -> list[bytes]:
    return [*client.scan_iter("tf:*:access:*"), *client.scan_iter("tf:*:accessed")]


def expand(tf: Turnfold, local: LocalWorker, marker: str, times: int = 4) -> None:
    for _ in range(times):
        tf.expand("c", marker)
    count(tf)
    local.settle()


def count(tf: Turnfold) -> None:
    """Flush the client's counts to Redis by closing it; the next call reopens it."""
    tf.close()


def inspected(local: LocalWorker) -> Inspection:
    return inspect_conversation(Reader(local.engine), Address("acme", "c"))


def expansions(local: LocalWorker) -> dict[int, int]:
    parts = [part for root in inspected(local).branches for part in root.walk()]
    return {part.node.idx: part.expansions for part in parts if part.expansions}


def test_what_is_expanded_often_is_shown_in_more_detail_and_reset_ends_it(folded: Turnfold, local: LocalWorker) -> None:
    before = folded.context("c", budget_tokens=2_000)
    digest = local.digest("c")
    assert before.coverage is not None
    expansion = folded.expand("c", "L1:5")
    expand(folded, local, "L1:5")
    after = folded.context("c", budget_tokens=2_000)
    assert after.coverage is not None
    assert after.tokens <= 2_000
    assert before.coverage.tier_of(expansion.first_seq) == "cold"
    assert after.coverage.tier_of(expansion.first_seq) == "warm"
    assert expansion.text.splitlines()[0].strip() in after.text.split("[looked up often")[1]
    assert folded.context("c", budget_tokens=2_000) == after
    for asked in ({"query": "migration"}, {"expand": ["L1:2"]}):
        assert "[looked up often" in folded.context("c", budget_tokens=2_000, **asked).text  # type: ignore[arg-type]
    assert expansions(local) == {4: 5}
    assert local.digest("c") == digest
    reset_expansions_of(local.write_engine, Address("acme", "c"))
    assert folded.context("c", budget_tokens=2_000).text == before.text
    assert expansions(local) == {}


def test_expansions_are_taken_by_a_script_for_the_shards_that_hold_some(
    folded: Turnfold, local: LocalWorker, raw: redis.Redis
) -> None:
    inbox = local.worker.inbox
    inbox.take_expansions(100)  # the first look reads the layout of inboxes

    def scripts(expansions: int) -> int:
        raw.config_resetstat()
        assert len(inbox.take_expansions(100)) == expansions
        return sum(about["calls"] for name, about in raw.info("commandstats").items() if "eval" in name)

    assert scripts(0) == 0
    folded.expand("c", "L1:5")
    count(folded)
    assert 1 <= scripts(1) <= 2, "the server may not know the script"


def test_a_context_of_what_is_looked_up_often_is_remembered(
    folded: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    expand(folded, local, "L1:5")
    asked: list[Sequence[LevelKey]] = []
    texts = ReadTransaction.texts

    def noted(transaction: ReadTransaction, head: Head, wanted: Sequence[LevelKey]) -> dict[LevelKey, str]:
        asked.append(wanted)
        return texts(transaction, head, wanted)

    monkeypatch.setattr(ReadTransaction, "texts", noted)
    first = folded.context("c", budget_tokens=2_000)
    assert len(asked) == 1
    assert folded.context("c", budget_tokens=2_000) == first
    assert len(asked) == 1


def test_the_canonical_state_is_that_of_a_run_in_which_nothing_was_looked_up(
    folded: Turnfold, local: LocalWorker
) -> None:
    expand(folded, local, "L1:3")
    folded.append("c", TURNS[:20])
    local.settle()
    with fold([*TURNS, *TURNS[:20]], conversation_id="c", settings={"segment_max_turns": 6}) as offline:
        assert local.digest("c") == offline.digest()


def test_expansions_of_turns_count_for_their_segments_and_those_of_long_ranges_for_none(
    folded: Turnfold, local: LocalWorker
) -> None:
    segment = folded.expand("c", "L1:4")
    expand(folded, local, f"L0:turn-{segment.first_seq}", times=3)
    expand(folded, local, "L2:turns-1-100", times=3)
    expand(folded, local, "L1:c1-1", times=3)
    assert expansions(local) == {3: 4}
    assert inspected(local).looked_up.asked == inspected(local).looked_up.found == 10


def test_the_hit_rate_counts_markers_that_led_nowhere(folded: Turnfold, local: LocalWorker) -> None:
    assert inspected(local).looked_up.hit_rate is None
    for _ in range(3):
        with pytest.raises(UnknownMarker):
            folded.expand("c", "L1:made-up-4096")
    expand(folded, local, "L1:2", times=9)
    folded.context("c", budget_tokens=900, expand=["L1:2"])
    call = {"type": "tool_use", "id": "1", "name": "expand", "input": {"marker": "L1:2"}}
    folded.handle_tool_call("c", call)
    expand(folded, local, "L1:2", times=1)
    assert (inspected(local).looked_up.asked, inspected(local).looked_up.found) == (15, 12)
    totals = stored_totals(local.engine, "acme").looked_up
    assert totals.hit_rate == pytest.approx(0.8)
    assert stored_totals(local.engine, "nobody").looked_up.hit_rate is None


def test_counts_reach_redis_in_the_background_and_at_the_end(
    settings: Settings, folded: Turnfold, raw: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded.expand("c", "L1:1")
    wait_until(lambda: waiting(raw), what="the counts are in Redis")
    raw.delete(*waiting(raw))
    monkeypatch.setattr("turnfold.redis.expansion_counter.FLUSH_SECONDS", 600)
    with Turnfold(settings=settings) as brief:
        brief.expand("c", "L1:1")
        assert not waiting(raw)
    assert len(waiting(raw)) == 2
    assert all(raw.ttl(name) > 6 * 86_400 for name in waiting(raw))


def test_forgetting_drops_what_was_counted_and_a_later_conversation_of_that_name_has_none_of_it(
    folded: Turnfold, local: LocalWorker, raw: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnfold.redis.expansion_counter.FLUSH_SECONDS", 600)
    folded.expand("c", "L1:1")
    count(folded)
    assert waiting(raw)
    folded.expand("c", "L1:1")
    folded.forget("c", timeout_seconds=0)
    assert not waiting(raw)
    folded.append("c", TURNS[:60])
    local.settle()
    # Counted before the conversation was forgotten, but flushed to Redis only afterwards.
    count(folded)
    local.settle()
    assert not waiting(raw)
    assert expansions(local) == {}
    with local.engine.begin() as connection:
        assert connection.scalar(text("SELECT count(*) FROM access")) == 0


def test_an_outage_of_redis_costs_counts_and_nothing_else(folded: Turnfold, monkeypatch: pytest.MonkeyPatch) -> None:
    folded.expand("c", "L1:1")

    def away(*arguments: object, **named: object) -> None:
        raise redis.ConnectionError

    with monkeypatch.context() as patched:
        patched.setattr("redis.client.Pipeline.execute", away)
        count(folded)
    folded.expand("c", "L1:1")
    count(folded)


def test_a_child_process_counts_for_itself(folded: Turnfold, local: LocalWorker) -> None:
    folded.expand("c", "L1:1")
    child = os.fork()
    if child == 0:
        folded.expand("c", "L1:1")
        count(folded)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    count(folded)
    local.settle()
    assert expansions(local) == {0: 2}


async def test_coroutines_are_counted(settings: Settings, folded: Turnfold, local: LocalWorker) -> None:
    async with AsyncTurnfold(settings=settings) as tf:
        for _ in range(3):
            await tf.expand("c", "L1:6")
    local.settle()
    assert expansions(local) == {5: 3}


def test_the_command_line_shows_what_is_looked_up_and_resets_it(
    folded: Turnfold, local: LocalWorker, settings: Settings
) -> None:
    expand(folded, local, "L1:5")
    environment: dict[str, Any] = {
        "TURNFOLD_REDIS_URL": settings.redis_url, "TURNFOLD_DATABASE_URL": settings.database_url,
        "TURNFOLD_TENANT": "acme", "COLUMNS": "200",
    }  # fmt: skip

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(main, arguments, env=environment)
        assert result.exit_code == 0, result.output
        return result.output

    assert re.search(r"expanded 4×, last 20\d\d-\d\d-\d\d \d\d:\d\d UTC", run("inspect", "c"))
    assert "expansions: 4 requested, 4 found (100%)" in run("inspect", "c")
    assert "expansions: 4 requested, 4 found (100%)" in run("status")
    assert "expan" not in run("inspect", "c", "--reset-expansions")


def test_expansions_raise_the_importance_of_a_segment_and_a_policy_with_tiers_goes_by_it(
    folded: Turnfold, local: LocalWorker, settings: Settings
) -> None:
    rules = MemoryTiers(
        recency=0, access=1, relevance=0, entities=0, uniqueness=0, marks=0, warm_from=0, access_half=2, hot_from=75
    )
    policy = replace(TIERED, name="mine", tiers=rules)
    before = folded.tiers("c", rules=rules)
    assert {(one.importance, one.tier) for one in before} == {(0, "warm")}
    assert "[important" not in folded.context("c", budget_tokens=3_000, query=False, policy=policy).text
    expand(folded, local, "L1:5")
    after = folded.tiers("c", rules=rules)
    assert [(one.node.idx, one.importance) for one in after if one.tier == "hot"] == [(4, 75)]
    expansion = folded.expand("c", after[4].marker)
    context = folded.context("c", budget_tokens=3_000, query=False, policy=policy)
    assert expansion.text.splitlines()[0].strip() in context.text.split("[important, in detail]")[1]
    environment = {"TURNFOLD_DATABASE_URL": settings.database_url, "TURNFOLD_TENANT": "acme", "COLUMNS": "200"}
    shown = CliRunner().invoke(main, ["inspect", "c", "--factors"], env={**environment, "TURNFOLD_REDIS_URL": ""})
    assert re.search(r"expanded 4×, last [^,]+, (hot|warm|cold) \d+ +\(recency \+\d+ access \+\d+ ", shown.output)
    with pytest.raises(UnknownConversation):
        folded.tiers("nobody's")
