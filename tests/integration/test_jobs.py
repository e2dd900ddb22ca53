"""Parked work: listed, tried again, skipped; and a segment that is folded again is as if it had never failed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.stored import broken_invariants
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.records import JobId, StoredTurn
from turnfold.contract.tasks import ENTRY_VERSION, Task
from turnfold.inbox import connect as connect_redis
from turnfold.sql import connect
from turnfold_worker import compress as compress_module
from turnfold_worker import refold as refold_module
from turnfold_worker.adapters.sql_parked import SqlParkedWork
from turnfold_worker.cli import main
from turnfold_worker.errors import StoreAway
from turnfold_worker.jobs import Decided, retry, skip
from turnfold_worker.parked import Selection, WorkKind, WorkState
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.refold import refolded

POISON = "xyzzy"
SUBJECTS = ("payments", "seat maps", "refunds", "emails", "deployment", "analytics", "accessibility", "backups")
EVERYTHING = Selection()

CANONICAL = {
    "nodes": "SELECT height, idx, first_seq, last_seq, slug, tokens_0, tokens_1, tokens_2, tokens_3, importance, "
    "method, CAST(facts AS TEXT), source_hash FROM node WHERE conversation = :c ORDER BY height, idx",
    "levels": "SELECT height, idx, level, refined, body FROM level WHERE conversation = :c ORDER BY height, idx, level",
    "postings": "SELECT term, weight, idx FROM posting WHERE conversation = :c ORDER BY term, weight, idx",
    "anchors": "SELECT node_idx, seq, start_offset, end_offset, kind, body, score, rank FROM anchor "
    "WHERE conversation = :c ORDER BY seq, start_offset, end_offset, kind",
}
"""All that a segment is, but for the ids and states of its anchors."""


def talk(number: int, *, poison: int | None = None) -> list[dict[str, Any]]:
    return [
        {
            "turn_id": f"t{i}", "role": "assistant" if i % 2 else "user",
            "content": f"About {SUBJECTS[i // 12 % 8]}: we decided on option {i}, and the limit is {i * 3} ms. "
            f"{POISON if i == poison else ''} Next topic is {SUBJECTS[(i // 12 + 1) % 8]}.",
        }
        for i in range(number)
    ]  # fmt: skip


def refusing(real: Callable[..., FoldedNode]) -> Callable[..., FoldedNode]:
    """A rule that fails on a word, and says so with that word."""

    def fold(turns: Sequence[StoredTurn], *, idx: int, settings: FoldSettings) -> FoldedNode:
        if any(POISON in turn.content for turn in turns):
            raise ValueError(turns[0].content)
        return real(turns, idx=idx, settings=settings)

    return fold


@dataclass
class Platform:
    """A worker whose rules may fail, and an operator beside it."""

    tf: Turnfold
    local: LocalWorker
    parked: SqlParkedWork
    monkeypatch: pytest.MonkeyPatch

    def break_rules(self) -> None:
        for module in (compress_module, refold_module):
            self.monkeypatch.setattr(module, "fold_segment", refusing(module.fold_segment))

    def mend_rules(self) -> None:
        self.monkeypatch.undo()
        self.monkeypatch.setattr(compress_module, "RETRY_SECONDS", 0.0)

    def retry(self, **chosen: Any) -> list[Decided]:
        return retry(Selection(**chosen), parked=self.parked, publisher=self.local.messages)

    def skip(self, **chosen: Any) -> list[Decided]:
        return skip(Selection(**chosen), parked=self.parked)

    def rows(self, conversation: str) -> dict[str, list[tuple[Any, ...]]]:
        with self.local.engine.begin() as connection:
            id_ = connection.execute(
                text("SELECT id FROM conversation WHERE external_id = :e"), {"e": conversation}
            ).scalar_one()
            return {
                name: [
                    tuple(bytes(v) if isinstance(v, memoryview) else v for v in row)
                    for row in connection.execute(text(query), {"c": id_})
                ]
                for name, query in CANONICAL.items()
            }


@pytest.fixture
def platform(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Platform]:
    engine = connect(database_url, write=True, timeout_seconds=10)
    monkeypatch.setattr(compress_module, "RETRY_SECONDS", 0.0)
    yield Platform(tf, make_worker(republish_seconds=0.001), SqlParkedWork(engine, republish_seconds=60), monkeypatch)
    engine.dispose()


def with_a_plain_segment(platform: Platform, conversation: str = "c", *, turns: int = 200, poison: int = 20) -> None:
    platform.tf.configure(conversation, settings={"segment_max_turns": 5, "segment_min_turns": 2})
    platform.tf.append(conversation, talk(turns, poison=poison))
    platform.break_rules()
    platform.local.settle()


# Folding again


def test_a_segment_that_is_folded_again_is_as_if_it_had_never_failed(platform: Platform, engine: Engine) -> None:
    with_a_plain_segment(platform)
    platform.mend_rules()
    platform.tf.configure("undisturbed", settings={"segment_max_turns": 5, "segment_min_turns": 2})
    platform.tf.append("undisturbed", talk(200, poison=20))
    platform.local.settle()
    assert platform.rows("c") != platform.rows("undisturbed")
    assert platform.tf.status("c").parked == 1
    (decided,) = platform.retry()
    assert (decided.done, decided.work.kind) == (True, WorkKind.REFOLD)
    platform.local.settle()
    assert platform.rows("c") == platform.rows("undisturbed")
    assert platform.tf.status("c").parked == 0
    assert platform.parked.find(EVERYTHING) == []
    assert broken_invariants(engine) == {}


def test_folding_again_twice_or_late_changes_nothing(platform: Platform, engine: Engine) -> None:
    with_a_plain_segment(platform)
    (work,) = platform.parked.find(EVERYTHING)
    assert platform.local.worker.refold(work.row) is False, "it is not due yet"
    platform.mend_rules()
    platform.retry()
    assert platform.local.worker.refold(work.row) is True
    digest = platform.local.digest("c")
    assert platform.local.worker.refold(work.row) is False
    platform.local.settle()
    assert platform.local.digest("c") == digest
    assert platform.retry() == []
    assert broken_invariants(engine) == {}


def test_a_segment_that_fails_again_is_parked_again_with_its_tries_counted_and_without_content(
    platform: Platform, engine: Engine
) -> None:
    with_a_plain_segment(platform)
    (before,) = platform.parked.find(EVERYTHING)
    platform.retry()
    platform.local.settle()
    (work,) = platform.parked.find(EVERYTHING)
    assert (work.state, work.attempts) == (WorkState.PARKED, before.attempts + 1)
    assert work.number == before.number
    assert work.error is not None
    assert work.error.startswith("ValueError at test_jobs.py:")
    assert work.age_seconds is not None
    assert work.age_seconds < 60
    assert platform.tf.status("c").parked == 1
    with engine.begin() as connection:
        assert POISON not in str(connection.execute(text("SELECT error FROM job")).all())


def test_a_fold_under_way_starts_over_when_a_segment_is_folded_again(platform: Platform, engine: Engine) -> None:
    with_a_plain_segment(platform, turns=120)
    platform.mend_rules()
    store = platform.local.worker.store
    (work,) = platform.parked.find(EVERYTHING)
    platform.tf.append("c", talk(200)[120:])
    for shard in range(16):
        platform.local.worker.drain(shard)
    tail = store.tail(work.conversation, 512)
    assert tail is not None
    fold = compress_module.fold_next(tail, compress_module.next_segment(tail) or (), store, plain_error=None)
    platform.retry()
    assert platform.local.worker.refold(work.row)
    assert store.commit_fold(fold) is False
    platform.local.settle()
    assert platform.tf.status("c").folded == 200
    assert broken_invariants(engine) == {}


def test_folding_again_starts_over_when_a_fold_was_written_meanwhile(platform: Platform, engine: Engine) -> None:
    with_a_plain_segment(platform, turns=120)
    platform.mend_rules()
    store = platform.local.worker.store
    (work,) = platform.parked.find(EVERYTHING)
    assert work.number is not None
    segment = store.closed_segment(work.conversation, work.number - 1)
    assert segment is not None
    stale = refolded(JobId(work.row), segment, store)
    platform.tf.append("c", talk(200)[120:])
    platform.local.settle()
    assert store.commit_refold(stale) is False
    platform.retry()
    platform.local.settle()
    assert platform.tf.status("c").parked == 0
    assert broken_invariants(engine) == {}


def test_later_anchors_overtake_those_of_a_segment_that_is_folded_late(platform: Platform) -> None:
    turns = talk(24)
    turns[2]["content"] = f"The launch of the seat map is on 3 May 2026. {POISON}"
    turns[6]["content"] = "The launch of the seat map is on 7 May 2026."
    settings = {"segment_max_turns": 4, "segment_min_turns": 2}
    platform.tf.configure("c", settings=settings)
    platform.tf.append("c", turns)
    platform.break_rules()
    platform.local.settle()
    platform.mend_rules()
    platform.retry()
    platform.local.settle()
    states = {a.text: str(a.state) for a in platform.tf.anchors("c", states=None) if "launch" in a.text}
    platform.tf.configure("undisturbed", settings=settings)
    platform.tf.append("undisturbed", turns)
    platform.local.settle()
    expected = {a.text: str(a.state) for a in platform.tf.anchors("undisturbed", states=None) if "launch" in a.text}
    assert states == expected
    assert states[f"The launch of the seat map is on 3 May 2026. {POISON}"] == "superseded"


def test_an_outage_while_folding_again_takes_its_attempt_back(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_plain_segment(platform)
    platform.mend_rules()
    (work,) = platform.parked.find(EVERYTHING)
    platform.retry()

    def away(*_: object) -> bool:
        message = "gone"
        raise StoreAway(message)

    with monkeypatch.context() as patched:
        patched.setattr(type(platform.local.worker.store), "commit_refold", away)
        with pytest.raises(StoreAway):
            platform.local.worker.refold(work.row)
    platform.local.settle()
    assert platform.parked.find(EVERYTHING) == []


def test_a_segment_whose_refold_kills_its_worker_is_parked_again_after_as_many_tries(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], platform: Platform
) -> None:
    with_a_plain_segment(platform)
    mortal = make_worker(lease_seconds=0.001, republish_seconds=0.001)
    (work,) = platform.parked.find(EVERYTHING)
    platform.retry()
    tries = 0
    while mortal.worker.store.claim_refold(JobId(work.row)) is not None:
        tries += 1
        mortal.worker.sweep()
    assert 1 <= tries <= 3
    mortal.worker.sweep()
    (again,) = platform.parked.find(EVERYTHING)
    assert (again.state, again.error) == (WorkState.PARKED, "the worker ended while folding")


def test_a_refold_whose_message_was_lost_is_found_by_a_sweep(platform: Platform) -> None:
    with_a_plain_segment(platform)
    platform.mend_rules()
    platform.retry()
    assert [task for task, _ in platform.local.messages.waiting] == [Task.REFOLD]
    platform.local.messages.waiting.clear()
    platform.local.settle()
    assert platform.tf.status("c").parked == 0


# Entries


def append_unreadable(
    redis_url: str, conversation: str, entry_id: str, body: bytes, *, operation: str = "append"
) -> None:
    """What a producer of another version may send."""
    address = Address("acme", conversation)
    with connect_redis(redis_url, timeout_seconds=5) as client:
        client.xadd(address.inbox, {"v": ENTRY_VERSION, "op": operation, "id": entry_id, "d": body})
        client.zadd(address.ready, {conversation: 1})
        client.zadd(f"tf:{{{address.shard:02d}}}:tenants", {"acme": 1})


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
    assert platform.tf.anchors("c", types={"decision"})[-1].text == "We decided to keep the invoices for 10 years."
    assert platform.tf.status("c").parked == 0
    assert broken_invariants(engine) == {}


def test_a_worker_that_has_read_the_placeholder_does_not_end_without_the_turn(
    platform: Platform, redis_url: str, mended: Callable[[str], None]
) -> None:
    platform.tf.append("c", talk(2))
    append_unreadable(redis_url, "c", "bad", b"{")
    for shard in range(16):
        platform.local.worker.drain(shard)
    store = platform.local.worker.store
    (work,) = platform.parked.find(EVERYTHING)
    claim, tail = store.claim_fold(work.conversation), store.tail(work.conversation, 512)
    assert claim is not None
    assert tail is not None
    mended("bad")
    platform.retry()
    assert store.finish_fold(claim, tail) is False, "it has to look again"


def test_a_parked_operation_cannot_come_later_but_can_be_skipped(platform: Platform, redis_url: str) -> None:
    append_unreadable(redis_url, "c", "op-1", b"[]", operation="configure")
    platform.local.settle()
    (decided,) = platform.retry()
    assert not decided.done
    assert "skip" in decided.outcome
    (skipped,) = platform.skip()
    assert skipped.done
    assert platform.tf.status("c").parked == 0


# Skipping, choosing


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
    for shard in range(16):
        local.worker.drain(shard)
    (conversation,) = [number for task, number in local.messages.waiting if task is Task.COMPRESS]
    monkeypatch.setattr(compress_module, "RETRY_SECONDS", 60.0)
    local.worker.compress(conversation)
    (work,) = platform.parked.find(EVERYTHING)
    assert (work.kind, work.state, work.attempts) == (WorkKind.COMPRESS, WorkState.FAILING, 1)
    (refused,) = platform.skip()
    assert not refused.done
    platform.local.messages.waiting.clear()
    assert [decided.done for decided in platform.retry()] == [True]
    assert list(platform.local.messages.waiting) == [(Task.COMPRESS, conversation)]


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
    assert (entry["kind"], entry["subject"]) == ("entry", "turn 201")
    narrow = ("--tenant", "acme", "jobs", "list", "--conversation", "c", "--json")
    assert [one["id"] for one in json.loads(run(*narrow).stdout)["jobs"]] == [refold["id"], entry["id"]]
    assert json.loads(run("--tenant", "other", "jobs", "list", "--json").stdout)["jobs"] == []
    failed = run("jobs", "retry", entry["id"])
    assert failed.exit_code == 1
    assert "still parked" in failed.stdout
    asked = run("jobs", "retry", refold["id"], "--json")
    assert asked.exit_code == 0, asked.output
    with connect_redis(redis_url, timeout_seconds=5) as client:
        assert client.llen("turnfold.compress") == 1
        client.delete("turnfold.compress", "_kombu.binding.turnfold.compress")
    platform.local.settle()
    assert run("jobs", "skip", "--all").exit_code == 0
    assert json.loads(run("jobs", "list", "--json").stdout)["jobs"] == []
    assert "nothing waits" in run("jobs", "list").stdout
    unknown = run("jobs", "skip", "job-4711")
    assert unknown.exit_code == 1
    assert "job-4711" in unknown.stdout


@pytest.mark.parametrize("arguments", [(), ("--all", "job-1"), ("--all", "--conversation", "c"), ("12",)])
def test_the_command_wants_one_choice(run: Callable[..., Result], arguments: tuple[str, ...]) -> None:
    refused = run("jobs", "retry", *arguments)
    assert refused.exit_code == 2
    assert "turnfold jobs list" in refused.output
