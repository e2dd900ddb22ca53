"""Parked work is listed, retried and skipped, by the use cases and by the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.places import SHARDS
from support.platforms import EVERYTHING, POISON, Platform, append_unreadable, talk, with_a_plain_segment
from support.stored import broken_invariants
from turnfold import Turnfold
from turnfold.contract.attention import Selection, WorkKind, WorkState
from turnfold.contract.keys import Address
from turnfold.contract.outlines import Outline
from turnfold.contract.tasks import Task
from turnfold.database.engines import connect
from turnfold.redis.connections import connect as connect_redis
from turnfold_worker.cli import main
from turnfold_worker.testing.messages import NOBODY
from turnfold_worker.use_cases import fold as compress_module

# Entries


READABLE = json.dumps({"role": "user", "content": "We decided to keep the invoices for 10 years."}).encode()


@pytest.fixture
def mended(database_url: str) -> Callable[[str], None]:
    def mend(entry_id: str) -> None:
        write = connect(database_url, write=True, timeout_seconds=5)
        with write.begin() as connection:
            connection.execute(
                text("UPDATE parked_entry SET payload = :b WHERE entry_id = :e"), {"b": READABLE, "e": entry_id}
            )
        write.dispose()

    return mend


def test_an_entry_that_is_still_unreadable_stays_parked_with_its_tries_counted(
    platform: Platform, redis_url: str
) -> None:
    append_unreadable(redis_url, "c", "bad", b'{"secret": ')
    platform.local.settle()
    (decided,) = platform.retry()
    assert not decided.done
    (work,) = platform.parked.find(EVERYTHING)
    assert (work.kind, work.number, work.attempts) == (WorkKind.ENTRY, 1, 2)
    assert "secret" not in str(work.error)


def test_an_entry_in_the_open_tail_takes_its_place_and_is_folded_with_it(
    platform: Platform, redis_url: str, mended: Callable[[str], None], engine: Engine
) -> None:
    platform.tf.append("c", talk(2))
    platform.local.settle()
    append_unreadable(redis_url, "c", "bad", b"{")
    platform.local.settle()
    assert platform.tf.status("c").parked == 1
    mended("bad")
    (decided,) = platform.retry(address=Address("acme", "c"))
    assert (decided.done, decided.outcome) == (True, "stored")
    platform.local.settle()
    status = platform.tf.status("c")
    assert (status.parked, status.folded, status.stored) == (0, 3, 3)
    assert "keep the invoices for 10 years" in platform.tf.context("c", budget_tokens=500).text
    assert broken_invariants(engine) == {}


def test_an_entry_in_a_closed_segment_takes_its_place_and_the_segment_is_folded_again(
    platform: Platform, redis_url: str, mended: Callable[[str], None], engine: Engine
) -> None:
    platform.tf.configure("c", settings={"segment_max_turns": 5, "segment_min_turns": 2})
    platform.tf.append("c", talk(20))
    platform.local.settle()
    append_unreadable(redis_url, "c", "bad", b"{")
    platform.local.settle()
    platform.tf.append("c", talk(120)[20:])
    platform.local.settle()
    mended("bad")
    before = platform.rows("c")
    (decided,) = platform.retry()
    assert decided.done
    platform.local.settle()
    after = platform.rows("c")
    assert [row for row in before["nodes"] if row not in after["nodes"]], "its segment is another one"
    assert [row[:4] for row in before["nodes"]] == [row[:4] for row in after["nodes"]], "boundaries stay"
    assert set(before["anchors"]) < set(after["anchors"])
    said = [anchor.text for anchor in platform.tf.anchors("c", types={"decision"})]
    assert "We decided to keep the invoices for 10 years." in said
    assert platform.tf.status("c").parked == 0
    assert broken_invariants(engine) == {}


def test_a_worker_that_has_read_the_placeholder_does_not_end_without_the_turn(
    platform: Platform, redis_url: str, mended: Callable[[str], None]
) -> None:
    platform.tf.append("c", talk(2))
    append_unreadable(redis_url, "c", "bad", b"{")
    for shard in SHARDS:
        platform.local.worker.drain(shard)
    store = platform.local.worker.store
    (work,) = platform.parked.find(EVERYTHING)
    claim, tail = store.claim_fold(work.conversation), store.tail(work.conversation, 512)
    assert claim is not None
    assert tail is not None
    mended("bad")
    platform.retry()
    assert store.finish_fold(claim, tail, Outline(), frame_only=False) is False, "it has to look again"


def test_a_parked_operation_cannot_come_later_but_can_be_skipped(platform: Platform, redis_url: str) -> None:
    append_unreadable(redis_url, "c", "op-1", b"[]", operation="configure")
    platform.local.settle()
    (decided,) = platform.retry()
    assert not decided.done
    assert "skip" in decided.outcome
    (skipped,) = platform.skip()
    assert skipped.done
    assert platform.tf.status("c").parked == 0


# Skipping and selecting


def test_what_is_skipped_is_not_counted_any_more_and_stays_as_a_record(
    platform: Platform, redis_url: str, engine: Engine
) -> None:
    with_a_plain_segment(platform)
    append_unreadable(redis_url, "c", "bad", b"{")
    platform.local.settle()
    assert platform.tf.status("c").parked == 2
    digest = platform.local.digest("c")
    assert all(decided.done for decided in platform.skip())
    assert platform.tf.status("c").parked == 0
    assert platform.parked.find(EVERYTHING) == []
    assert platform.skip() == platform.retry() == []
    assert platform.local.digest("c") == digest
    with engine.begin() as connection:
        assert connection.execute(text("SELECT state FROM job WHERE kind = 'refold'")).scalars().all() == ["skipped"]
        assert connection.execute(text("SELECT state, payload FROM parked_entry")).one().state == "skipped"


def test_work_is_chosen_by_id_by_conversation_by_tenant_or_all(platform: Platform) -> None:
    for conversation in ("a", "b"):
        with_a_plain_segment(platform, conversation, turns=60)

    def found(**chosen: Any) -> list[str]:
        return [work.id for work in platform.parked.find(Selection(**chosen))]

    a, b = found()
    assert found(ids=frozenset({b, "entry-1"})) == [b]
    assert found(address=Address("acme", "a")) == [a]
    assert found(address=Address("other", "a")) == []
    assert found(tenant="other") == []
    assert found(most=1) == [a]
    platform.skip(ids=frozenset({a}))
    assert found() == [b]


def test_folding_that_fails_is_listed_and_can_be_asked_for_at_once_but_not_skipped(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = make_worker(attempts=9)
    tf.append("c", talk(60, poison=3))
    platform.break_rules()
    for shard in SHARDS:
        local.worker.drain(shard)
    monkeypatch.setattr(compress_module, "RETRY_SECONDS", 60.0)
    local.worker.fold_due()
    (work,) = platform.parked.find(EVERYTHING)
    assert (work.kind, work.state, work.attempts) == (WorkKind.COMPRESS, WorkState.FAILING, 1)
    (refused,) = platform.skip()
    assert not refused.done
    platform.local.messages.waiting.clear()
    assert [decided.done for decided in platform.retry()] == [True]
    assert list(platform.local.messages.waiting) == [(Task.COMPRESS, NOBODY)]


# The command


@pytest.fixture
def run(redis_url: str, database_url: str) -> Callable[..., Result]:
    def invoke(*arguments: object) -> Result:
        urls = ("--redis-url", redis_url, "--database-url", database_url)
        return CliRunner().invoke(main, [*urls, *map(str, arguments)])

    return invoke


def test_the_command_lists_retries_and_skips(platform: Platform, run: Callable[..., Result], redis_url: str) -> None:
    with_a_plain_segment(platform)
    append_unreadable(redis_url, "c", "bad", b"{")
    platform.local.settle()
    platform.mend_rules()
    listed = run("jobs", "list")
    assert listed.exit_code == 0, listed.output
    assert POISON not in listed.output
    assert "segment" in listed.stdout
    refold, entry = json.loads(run("jobs", "list", "--json").stdout)["jobs"]
    assert (refold["kind"], refold["tenant"], refold["conversation_id"]) == ("refold", "acme", "c")
    assert (entry["kind"], entry["subject"]) == ("entry", "turn 101")
    narrow = ("--tenant", "acme", "jobs", "list", "--conversation", "c", "--json")
    assert [one["id"] for one in json.loads(run(*narrow).stdout)["jobs"]] == [refold["id"], entry["id"]]
    assert json.loads(run("--tenant", "other", "jobs", "list", "--json").stdout)["jobs"] == []
    failed = run("jobs", "retry", entry["id"])
    assert failed.exit_code == 1
    assert "still parked" in failed.stdout
    asked = run("jobs", "retry", refold["id"], "--json")
    assert asked.exit_code == 0, asked.output
    with connect_redis(redis_url, timeout_seconds=5) as client:
        assert client.zrange("tf:{rung}:turnfold.compress", 0, -1) == [b"turnfold.refold"]
    platform.local.settle()
    assert run("jobs", "skip", "--all").exit_code == 0
    assert json.loads(run("jobs", "list", "--json").stdout)["jobs"] == []
    assert "nothing is parked" in run("jobs", "list").stdout
    unknown = run("jobs", "skip", "job-4711")
    assert unknown.exit_code == 1
    assert "job-4711" in unknown.stdout


@pytest.mark.parametrize("arguments", [(), ("--all", "job-1"), ("--all", "--conversation", "c"), ("12",)])
def test_the_command_wants_one_choice(run: Callable[..., Result], arguments: tuple[str, ...]) -> None:
    refused = run("jobs", "retry", *arguments)
    assert refused.exit_code == 2
    assert "turnfold jobs list" in refused.output
