"""Folds on real SQL: attempts, stale work, chapters, configuration."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import Engine, event, select, text

from conftest import LocalWorker
from support.interruptions import Steps, interrupted
from support.places import SHARDS
from support.shared_folds import folded_anew
from support.stored import broken_invariants
from turnfold import Turnfold
from turnfold.contract.outlines import Outline
from turnfold.contract.records import ConversationId, StoredTurn
from turnfold.contract.tables import JobRow, table
from turnfold.contract.tasks import JobKind
from turnfold.database.engines import connect
from turnfold_worker.errors import StoreAway
from turnfold_worker.offline import fold
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.ports.messages import Fold, FoldClaim
from turnfold_worker.use_cases import fold as compress_module
from turnfold_worker.use_cases.due_jobs import Folded
from turnfold_worker.use_cases.fold import CompressLimits, compress, fold_next, next_segment

SUBJECTS = ("payments", "seat maps", "refunds", "emails", "deployment", "analytics", "accessibility", "backups")
NOBODYS = FoldClaim(ConversationId(0), "nobody", 1)


def talk(number: int) -> list[dict[str, Any]]:
    return [
        {
            "turn_id": f"t{i}", "role": "assistant" if i % 2 else "user",
            "content": f"About {SUBJECTS[i // 12 % 8]}: we decided on option {i}, and the limit is {i * 3} ms. "
            f"Next topic is {SUBJECTS[(i // 12 + 1) % 8]}.",
        }
        for i in range(number)
    ]  # fmt: skip


def stored_id(engine: Engine, conversation: str = "c") -> int:
    with engine.begin() as connection:
        return int(
            connection.execute(
                text("SELECT id FROM conversation WHERE external_id = :c"), {"c": conversation}
            ).scalar_one()
        )


@pytest.mark.daily_on("sqlite")
def test_eight_segments_become_a_chapter_and_eight_chapters_another(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    tf.configure("c", settings={"segment_max_turns": 4, "segment_min_turns": 2})
    tf.append("c", talk(264))
    local.settle()
    with engine.begin() as connection:
        rows = connection.execute(text("SELECT height, COUNT(*) FROM node GROUP BY height ORDER BY height")).all()
        heights = {row[0]: row[1] for row in rows}
    assert heights[0] >= 64
    assert heights[1] == heights[0] // 8
    assert heights[2] == heights[1] // 8
    assert broken_invariants(engine) == {}


@pytest.mark.daily_on("sqlite")
def test_a_segment_that_cannot_be_folded_by_the_rules_gets_plain_words_and_holds_nothing_up(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = make_worker(republish_seconds=0.001)
    monkeypatch.setattr(compress_module, "RETRY_SECONDS", 0.0)
    real = compress_module.fold_segment

    def poisoned(turns: Sequence[StoredTurn], *, idx: int, **named: Any) -> FoldedNode:
        if idx == 1:
            message = "a rule that fails on this segment"
            raise ValueError(message)
        return real(turns, idx=idx, **named)

    monkeypatch.setattr(compress_module, "fold_segment", poisoned)
    tf.append("c", talk(120))
    tf.append("other", talk(12))
    local.settle()
    status = tf.status("c")
    assert status.folded == status.stored == 120
    assert status.parked == 1
    assert tf.status("other").parked == 0
    with engine.begin() as connection:
        methods = connection.execute(
            text("SELECT method FROM node n JOIN conversation c ON c.id = n.conversation "
                 "WHERE c.external_id = 'c' AND height = 0 ORDER BY idx")
        ).scalars().all()  # fmt: skip
        parked = connection.execute(text("SELECT kind, subject, error FROM job WHERE state = 'parked'")).one()
    assert methods[1] == 0
    assert set(methods) - {methods[1]} == {1}
    assert (parked.kind, parked.subject) == ("refold", 1)
    assert "a rule that fails" not in parked.error
    assert broken_invariants(engine) == {}


def test_attempts_are_counted_before_the_work_so_that_a_killed_worker_counts(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    tf.append("c", talk(3))
    for shard in SHARDS:
        local.worker.drain(shard)
    store, conversation = local.worker.store, stored_id(engine)
    assert store.claim_fold(conversation).attempts == 1  # type: ignore[union-attr, arg-type]
    assert store.claim_fold(conversation) is None  # type: ignore[arg-type]
    with engine.connect() as connection:
        assert connection.execute(text("SELECT attempts, state FROM job")).one() == (1, "running")


def test_workers_whose_leases_are_too_short_are_no_proof_that_a_segment_is_poison(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    local = make_worker(lease_seconds=0.001)
    tf.append("c", talk(60))
    for shard in SHARDS:
        local.worker.drain(shard)
    store, conversation = local.worker.store, stored_id(engine)
    claims = []
    for _ in range(5):
        time.sleep(0.005)
        claims.append(store.claim_fold(conversation))  # type: ignore[arg-type]
    assert [claim.attempts for claim in claims if claim is not None] == [1] * 5
    writer = connect(local.worker.settings.database_url, write=True, timeout_seconds=10)
    with writer.begin() as connection:
        connection.execute(text("UPDATE job SET lease_until = lease_until - 1100"))
    writer.dispose()
    later = store.claim_fold(conversation)  # type: ignore[arg-type]
    assert later is not None
    assert later.attempts == 2


@pytest.mark.daily_on("sqlite")
def test_plain_words_are_for_the_segment_that_failed_and_not_for_what_another_worker_left(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    local = make_worker(attempts=1)
    tf.append("c", talk(120))
    for shard in SHARDS:
        local.worker.drain(shard)
    store, conversation = local.worker.store, stored_id(engine)
    tail = store.tail(conversation, 512)  # type: ignore[arg-type]
    assert tail is not None
    late = fold_next(tail, next_segment(tail), store, plain_error=None)
    steps = Steps()
    steps.at["before commit_fold"] = lambda: store.commit_fold(NOBODYS, late)
    assert interrupted(local.worker, steps).compress(conversation)
    with engine.begin() as connection:
        methods = connection.scalars(text("SELECT DISTINCT method FROM node WHERE height = 0")).all()
    assert methods == [1]
    assert tf.status("c").parked == 0


@pytest.mark.daily_on("sqlite")
@pytest.mark.parametrize("read_by_the_outline", ["node_sizes", "node_notes", "settled_anchors"])
def test_an_outage_on_the_last_try_costs_the_outline_no_words(
    tf: Turnfold, local: LocalWorker, engine: Engine, read_by_the_outline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compress_module, "RETRY_SECONDS", 0.0)
    for name in ("struck", "spared"):
        tf.append(name, talk(120))
    local.drain()
    steps = Steps()

    def away() -> None:
        message = "the database went away"
        raise StoreAway(message)

    steps.at[f"before {read_by_the_outline}"] = away
    last_try = CompressLimits(slice_seconds=60.0, attempts=1)
    struck, spared = (ConversationId(stored_id(engine, name)) for name in ("struck", "spared"))
    store = interrupted(local.worker, steps).store
    with pytest.raises(StoreAway):
        compress(struck, store=store, limits=last_try, clock=time.monotonic)
    assert local.worker.compress(struck) == 0, "its segments are closed"
    assert compress(spared, store=store, limits=last_try, clock=time.monotonic)
    assert local.digest("struck") == local.digest("spared")


def test_a_job_that_failed_often_waits_however_long_its_delay_has_become(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    tf.append("c", talk(3))
    for shard in SHARDS:
        local.worker.drain(shard)
    claim = local.worker.store.claim_fold(stored_id(engine))  # type: ignore[arg-type]
    assert claim is not None
    local.worker.store.release_fold(claim, error="ValueError", delay_seconds=100_000)
    assert not local.worker.store.has_due(JobKind.COMPRESS)
    assert local.worker.fold_due() == Folded([], 0)


def test_a_long_fold_is_told_of_while_it_goes_on(tf: Turnfold, local: LocalWorker, engine: Engine) -> None:
    turns = talk(560)
    tf.append("c", turns)
    local.drain()
    unfolded = tf.context("c", budget_tokens=1_500)
    assert "turns 1 to " in unfolded.report.left_out[0].what
    assert "not folded yet" in unfolded.report.left_out[0].what
    conversation = ConversationId(stored_id(engine))

    def clock() -> float:
        return 2.0 if tf.status("c").folded else 0.0

    compress(conversation, store=local.worker.store, limits=CompressLimits(slice_seconds=1.0, attempts=3), clock=clock)

    status = tf.status("c")
    assert 400 < status.folded == status.closed < status.stored == 560
    told = tf.context("c", budget_tokens=1_500)
    assert told.report.coverage is not None
    assert told.report.coverage.spans[0].first_seq == 1
    assert {span.level for span in told.report.coverage.spans} >= {"notes", "unfolded"}
    local.settle()
    with fold(turns, conversation_id="c") as undisturbed:
        assert local.digest("c") == undisturbed.digest()


@pytest.mark.parametrize("size", [60, 8])
def test_a_worker_that_was_overtaken_does_not_write_the_outline_of_an_older_tail(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], size: int
) -> None:
    early, late = (make_worker(lease_seconds=0.001, republish_seconds=0.001) for _ in range(2))
    turns = talk(size + 3)
    tf.append("c", turns[:size])
    for shard in SHARDS:
        early.worker.drain(shard)

    def overtake() -> None:
        tf.append("c", turns[size:])
        late.settle()

    steps = Steps()
    steps.at["before finish_fold"] = overtake
    interrupted(early.worker, steps).compress(stored_id(early.engine))
    early.settle()
    assert "before finish_fold" in steps.reached
    with fold(turns, conversation_id="c") as undisturbed:
        assert early.digest("c") == undisturbed.digest()


def test_a_worker_that_lost_its_claim_and_was_overtaken_leaves_the_rest_to_the_other(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    tf.append("c", talk(3))
    local.drain()
    store, conversation = local.worker.store, ConversationId(stored_id(engine))
    claim, tail = store.claim_fold(conversation), store.tail(conversation, 512)
    assert claim is not None
    assert tail is not None
    tf.append("c", talk(4)[3:])
    local.drain()
    assert store.finish_fold(claim, tail, Outline(), frame_only=False) is False, "ours: it has to look again"
    with local.write_engine.begin() as connection:
        connection.execute(text("UPDATE job SET claim = 'another'"))
    assert store.finish_fold(claim, tail, Outline(), frame_only=False) is True, "there is nothing left to do"
    with engine.begin() as connection:
        assert connection.execute(text("SELECT state, claim FROM job")).one() == ("running", "another")
        assert connection.scalar(text("SELECT fold_seq FROM conversation")) == 0


def test_a_fold_that_closes_nothing_writes_each_row_once(tf: Turnfold, local: LocalWorker, engine: Engine) -> None:
    tf.append("c", talk(2))
    with folded_anew("what stages make is written"):
        local.settle()
    tf.append("c", talk(4)[2:])
    local.drain()
    statements: list[str] = []
    conversation = stored_id(engine)
    event.listen(local.write_engine, "before_cursor_execute", lambda *said: statements.append(said[2]))
    with folded_anew("what stages make is written"):
        assert local.worker.compress(conversation) == 0
    assert tf.status("c").folded == 4
    written = [one.removeprefix("INSERT ").split()[:2] for one in statements if not one.startswith("BEGIN")]
    updated = [["UPDATE", name] for name in ("job", "conversation", "outline", "job")]
    assert written[0] == ["SELECT", "conversation.rules_version"]
    assert written[1:] == [*updated[:3], ["INTO", "turn_memo"], updated[3]]


def test_a_fold_reads_nothing_of_segments_before_one_is_closed(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    tf.append("c", [{"role": "user", "content": "We must ship by Friday."}, *talk(3)])
    local.drain()
    statements: list[str] = []
    event.listen(local.engine, "before_cursor_execute", lambda *said: statements.append(said[2]))
    assert local.worker.compress(stored_id(engine)) == 0
    assert tf.anchors("c")[0].text == "We must ship by Friday."
    read = {name for statement in statements for name in re.findall(r"(?:FROM|JOIN) (\w+)", statement)}
    # Only one row of `posting` is read, the one that states that the others were dropped.
    assert read == {"conversation", "turn", "turn_memo", "outline", "posting"}
    assert all("posting.number = " in statement for statement in statements if "posting" in statement)


def test_of_two_workers_that_fold_the_same_segment_one_writes_it(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    tf.append("c", talk(60))
    for shard in SHARDS:
        local.worker.drain(shard)
    store, conversation = local.worker.store, stored_id(engine)
    tails = [store.tail(conversation, 512) for _ in range(2)]  # type: ignore[arg-type]
    folds = [fold_next(t, next_segment(t), store, plain_error=None) for t in tails if t is not None]
    assert [store.commit_fold(NOBODYS, fold) for fold in folds] == [True, False]
    local.settle()
    assert broken_invariants(engine) == {}


def test_a_fold_of_a_forgotten_conversation_writes_nothing(tf: Turnfold, local: LocalWorker, engine: Engine) -> None:
    tf.append("c", talk(60))
    for shard in SHARDS:
        local.worker.drain(shard)
    conversation = stored_id(engine)
    tail = local.worker.store.tail(conversation, 512)  # type: ignore[arg-type]
    assert tail is not None
    fold = fold_next(tail, next_segment(tail), local.worker.store, plain_error=None)
    tf.forget("c", timeout_seconds=0)
    local.settle()
    assert local.worker.store.commit_fold(NOBODYS, fold) is False
    assert local.worker.compress(conversation) == 0
    with engine.begin() as connection:
        for table in ("conversation", "turn", "node", "level", "anchor", "posting", "anchor_posting", "job"):
            assert connection.execute(text(f"SELECT COUNT(*) FROM {table}")).scalar_one() == 0


@pytest.mark.parametrize("size", [1, 7, 12])
@pytest.mark.daily_on("sqlite")
def test_configuration_takes_effect_at_its_place_among_the_turns(
    tf: Turnfold, local: LocalWorker, engine: Engine, size: int
) -> None:
    changes: dict[int, dict[str, Any]] = {12: {"goal": "payments"}, 24: {"settings": {"segment_max_turns": 6}}}
    turns = talk(36)
    for conversation, settle_between in (("batched", False), ("live", True)):
        for first in range(0, 36, 12):
            if first in changes:
                tf.configure(conversation, **changes[first])
            for start in range(first, first + 12, size):
                tf.append(conversation, turns[start : min(start + size, first + 12)])
                if settle_between:
                    local.settle()
    local.settle()
    assert local.digest("batched") == local.digest("live")
    assert broken_invariants(engine) == {}


def test_a_slice_ends_behind_the_segment_at_which_it_is_over_and_the_lease_is_renewed_at_each(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    worker = make_worker(lease_seconds=100.0)
    tf.append("c", talk(200))
    worker.drain()
    worker.messages.waiting.clear()
    conversation, store = stored_id(engine), worker.worker.store
    ticks = iter([0.0, *[0.5] * 3, *[1.5] * 100])
    leases: list[int] = []
    commit = store.commit_fold

    def noted(claim: FoldClaim, fold: Fold) -> bool:
        done = commit(claim, fold)
        with engine.begin() as connection:
            leases.append(connection.scalar(select(table(JobRow).c.lease_until)) or 0)
        return done

    store.commit_fold = noted  # type: ignore[method-assign]
    limits = CompressLimits(slice_seconds=1.0, attempts=3)
    closed = compress(conversation, store=store, limits=limits, clock=lambda: next(ticks))
    assert closed == 3
    assert leases == sorted(set(leases))
    assert store.has_due(JobKind.COMPRESS)
    worker.settle()
    whole = make_worker()
    tf.append("whole", talk(200))
    whole.settle()
    assert worker.digest("c") == whole.digest("whole")


def test_one_task_works_for_its_slice_and_then_lets_others_have_their_place(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    local = make_worker(slice_seconds=0.000001)
    tf.append("c", talk(120))
    for shard in SHARDS:
        local.worker.drain(shard)
    local.messages.waiting.clear()
    # Either nothing, or the one fold that began before the clock could show the end of the slice.
    assert local.worker.fold_due().segments <= 1
    assert [task.value for task, _ in local.messages.waiting] == ["turnfold.compress"]
    patient = make_worker()
    patient.messages.waiting.extend(local.messages.waiting)
    patient.settle()
    assert tf.status("c").folded == 120
