"""The client's methods on a real Redis and SQL, with a worker in this process that works on request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import LocalWorker
from support.places import shard_of
from support.stored import stored_turns
from support.talk import talk
from turnfold import (
    AnchorType,
    InboxFull,
    InvalidIdentifier,
    SchemaMismatch,
    Settings,
    Turnfold,
    Unavailable,
    UnknownConversation,
    WaitTimeout,
)
from turnfold.contract.keys import Address
from turnfold.contract.records import FIRST_TAIL_ANCHOR

TURNS = talk("client", 60)


@pytest.fixture
def folded(tf: Turnfold, local: LocalWorker) -> Turnfold:
    """A client whose conversation "c" has sixty folded turns."""
    tf.append("c", TURNS)
    local.settle()
    return tf


# Append, status, wait


def test_appended_turns_wait_in_the_inbox_then_are_stored_then_folded(tf: Turnfold, local: LocalWorker) -> None:
    receipt = tf.append("c", TURNS[:40])
    assert len(receipt.turn_ids) == len(set(receipt.turn_ids)) == 40
    before = tf.status("c")
    assert (before.inbox, before.stored, before.folded, before.settled) == (40, 0, 0, False)
    assert 0 <= before.lag_seconds < 30
    local.settle()
    after = tf.status("c")
    assert (after.inbox, after.stored, after.folded, after.parked, after.lag_seconds) == (0, 40, 40, 0, 0.0)
    assert after.settled
    assert 0 < after.closed <= 40
    assert after.segments > 0
    assert after.anchors > 0


def test_turns_are_stored_verbatim_and_in_order_whatever_they_were_appended_with(
    tf: Turnfold, local: LocalWorker
) -> None:
    ids: list[str] = []
    for start in range(0, 60, 7):
        ids += tf.append("c", iter(TURNS[start : start + 7])).turn_ids
        if start % 14:
            local.settle()
    local.settle()
    assert stored_turns(local.engine, "acme", "c") == [
        (seq, turn_id, turn["content"]) for seq, (turn_id, turn) in enumerate(zip(ids, TURNS, strict=True), 1)
    ]


def test_a_repeated_turn_id_changes_nothing_in_the_inbox_or_after_it(tf: Turnfold, local: LocalWorker) -> None:
    turn = {"role": "user", "content": "Ship on Monday.", "turn_id": "m-1"}
    tf.append("c", [turn, turn])
    tf.append("c", {**turn, "content": "Ship on Tuesday."})
    assert [t.content for t in tf.expand("c", "L0:turns-1-9").turns] == ["Ship on Monday."]
    local.settle()
    tf.append("c", turn)
    assert tf.status("c").inbox == 1
    assert [t.content for t in tf.expand("c", "L0:turns-1-9").turns] == ["Ship on Monday."]
    assert tf.context("c", budget_tokens=500).text.count("Ship on Monday.") == 1
    local.settle()
    assert stored_turns(local.engine, "acme", "c") == [(1, "m-1", "Ship on Monday.")]


def test_appending_nothing_is_allowed_and_leaves_nothing(tf: Turnfold) -> None:
    assert tf.append("c", []).turn_ids == []
    assert tf.status("c").inbox == 0


def test_wait_returns_the_status_of_what_is_settled(folded: Turnfold) -> None:
    status = folded.wait("c", timeout_seconds=0)
    assert status == folded.status("c")
    assert status.settled


def test_wait_on_a_conversation_that_nobody_has_written_to_returns_at_once(tf: Turnfold) -> None:
    assert tf.wait("nobody", timeout_seconds=0).stored == 0


def test_wait_gives_up_with_the_last_status(tf: Turnfold) -> None:
    tf.append("c", TURNS[:3])
    with pytest.raises(WaitTimeout, match=r"'c' was not folded within 0\.05 s \(3 in the inbox") as given_up:
        tf.wait("c", timeout_seconds=0.05)
    assert given_up.value.status.inbox == 3


def test_a_full_inbox_refuses_the_whole_append_until_a_worker_has_stored(
    settings: Settings, local: LocalWorker
) -> None:
    with Turnfold(
        redis_url=settings.redis_url,
        database_url=settings.database_url,
        tenant="acme",
        doorbell=False,
        max_inbox_turns=5,
    ) as tf:
        tf.append("c", TURNS[:5])
        said = "holds 5 of at most 5 turns, and 1 more were given: check that workers run"
        with pytest.raises(InboxFull, match=said):
            tf.append("c", TURNS[5])
        tf.append("other", TURNS[5])
        local.settle()
        tf.append("c", TURNS[5])
        assert tf.status("c").inbox == 1


# Reads of turns that are not stored yet


def test_a_turn_is_readable_as_soon_as_it_was_appended(tf: Turnfold) -> None:
    tf.append("c", {"role": "user", "content": "We must use PostgreSQL.", "turn_id": "m-1"})
    assert "We must use PostgreSQL." in tf.context("c", budget_tokens=500).text
    assert tf.expand("c", "L0:turn-1").turns[0].turn_id == "m-1"
    (hit,) = tf.search("c", "postgresql")
    assert (hit.kind, hit.first_seq, hit.marker) == ("turn", 1, "L0:turn-1")
    assert tf.anchors("c") == []


def test_stored_turns_and_those_of_the_inbox_are_read_as_one_conversation(folded: Turnfold) -> None:
    folded.append("c", {"role": "user", "content": "One more thing: the mascot is a heron."})
    context = folded.context("c", budget_tokens=1_000)
    assert "the mascot is a heron" in context.text
    assert not context.report.is_unknown
    assert context.coverage is not None
    assert (context.coverage.first_seq, context.coverage.last_seq) == (1, 61)
    assert folded.search("c", "mascot heron")[0].first_seq == 61
    assert [turn.seq for turn in folded.expand("c", "L0:turns-58-61").turns] == [58, 59, 60, 61]


def test_a_conversation_that_nobody_has_written_to_reads_as_empty(tf: Turnfold) -> None:
    context = tf.context("nobody", budget_tokens=500)
    assert context.report.is_unknown
    assert context.coverage is None
    assert context.markers == ()
    status = tf.status("nobody")
    assert (status.inbox, status.stored, status.segments, status.lag_seconds) == (0, 0, 0, 0.0)
    for read in (lambda: tf.anchors("nobody"), lambda: tf.search("nobody", "x"), lambda: tf.expand("nobody", "L1:1")):
        with pytest.raises(UnknownConversation, match="no turns were appended to conversation 'nobody'"):
            read()


# Search and anchors


def test_search_finds_segments_and_open_turns_best_first_with_markers_that_expand(folded: Turnfold) -> None:
    word = TURNS[4]["content"].split()[-1].rstrip(")")
    hits = folded.search("c", f"note {word}")
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert {hit.kind for hit in hits} <= {"segment", "turn"}
    assert hits[0].first_seq <= 5 <= hits[0].last_seq
    assert word in hits[0].snippet
    for hit in hits:
        expansion = folded.expand("c", hit.marker)
        assert (expansion.first_seq, expansion.last_seq) == (hit.first_seq, hit.last_seq)
    assert folded.search("c", f"note {word}", limit=1) == hits[:1]
    assert folded.search("c", "zygomorphic") == []
    assert folded.search("c", "the of and") == []


def test_anchors_are_verbatim_and_in_the_order_in_which_they_were_said(folded: Turnfold) -> None:
    found = folded.anchors("c", states=None)
    assert len(found) > 10
    assert [anchor.id for anchor in found] == sorted(anchor.id for anchor in found)
    for anchor in found:
        assert TURNS[anchor.turn_seq - 1]["content"][anchor.start : anchor.end] == anchor.text


def test_anchors_are_filtered_by_type_and_state(folded: Turnfold) -> None:
    everything = folded.anchors("c", states=None)
    decisions = folded.anchors("c", types=["decision"], states=None)
    assert decisions
    assert decisions == [anchor for anchor in everything if anchor.type is AnchorType.DECISION]
    active = folded.anchors("c")
    assert active == [anchor for anchor in everything if anchor.state == "active"]
    by_tail = [one for one in everything if (one.related or 0) >= FIRST_TAIL_ANCHOR]
    in_rows = [one for one in (*active, *by_tail) if not one.provisional]
    assert len(in_rows) == folded.status("c").anchors


# Configuration, tenants, forgetting


def test_a_configuration_decides_where_later_segments_end(tf: Turnfold, local: LocalWorker) -> None:
    tf.configure("c", settings={"segment_max_turns": 4, "segment_min_turns": 1})
    tf.append("c", TURNS)
    tf.append("plain", TURNS)
    local.settle()
    assert tf.status("c").stored == 60
    assert tf.status("c").segments >= 15 > tf.status("plain").segments


def test_a_configuration_is_no_turn(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", TURNS[0])
    tf.configure("c", goal="a booking service", constraints=["no AWS"])
    tf.append("c", TURNS[1])
    assert [turn.seq for turn in tf.expand("c", "L0:turns-1-5").turns] == [1, 2]
    local.settle()
    assert tf.status("c").stored == 2


def test_views_of_tenants_share_connections_and_never_conversations(tf: Turnfold, local: LocalWorker) -> None:
    other = tf.for_tenant("other")
    tf.append("c", {"role": "user", "content": "For acme alone."})
    other.append("c", {"role": "user", "content": "For the other one."})
    for _ in range(2):
        assert "For acme alone." in tf.context("c", budget_tokens=400).text
        assert "For acme alone." not in other.context("c", budget_tokens=400).text
        assert (tf.status("c").settled, other.status("c").settled) in {(False, False), (True, True)}
        local.settle()
    assert (tf.tenant, other.tenant) == ("acme", "other")
    assert other._resources is tf._resources
    other.forget("c", timeout_seconds=0)
    assert tf.status("c").stored == 1


def test_forgotten_is_unreadable_at_once_though_sql_still_holds_it(folded: Turnfold, local: LocalWorker) -> None:
    folded.append("c", {"role": "user", "content": "Not stored yet."})
    receipt = folded.forget("c", timeout_seconds=0)
    assert (receipt.completed, receipt.inbox_turns, receipt.turns) == (False, 1, 0)
    assert stored_turns(local.engine, "acme", "c") != []
    assert folded.context("c", budget_tokens=500).coverage is None
    assert folded.status("c").stored == 0
    with pytest.raises(UnknownConversation):
        folded.expand("c", "L1:1")
    local.settle()
    assert stored_turns(local.engine, "acme", "c") == []


def test_forgetting_waits_for_the_worker_and_says_what_was_erased(folded: Turnfold, local: LocalWorker) -> None:
    before = folded.status("c")
    with ThreadPoolExecutor(1) as pool:
        erasing = pool.submit(folded.forget, "c", timeout_seconds=90)
        while not erasing.done():
            local.worker.erase(shard_of(Address("acme", "c")))
        receipt = erasing.result()
    assert (receipt.completed, receipt.turns, receipt.segments) == (True, 60, before.segments)
    assert receipt.anchors >= before.anchors


def test_what_is_appended_after_forgetting_begins_a_new_conversation(folded: Turnfold, local: LocalWorker) -> None:
    folded.forget("c", timeout_seconds=0)
    folded.append("c", {"role": "user", "content": "A new beginning.", "turn_id": "m-1"})
    for _ in range(2):
        assert [turn.content for turn in folded.expand("c", "L0:turns-1-99").turns] == ["A new beginning."]
        local.settle()
    assert stored_turns(local.engine, "acme", "c") == [(1, "m-1", "A new beginning.")]


# Failures


def test_an_append_that_redis_did_not_answer_can_be_repeated_without_doubling(
    settings: Settings, tf: Turnfold, local: LocalWorker
) -> None:
    with Turnfold(redis_url="redis://127.0.0.1:1/0", database_url=settings.database_url, timeout_seconds=0.2) as away:
        with pytest.raises(Unavailable, match="Redis did not answer while appending") as failed:
            away.append("c", TURNS[:3])
        with pytest.raises(Unavailable, match="reading the inbox"):
            away.context("c", budget_tokens=500)
    assert len(failed.value.turns) == 3
    first = tf.append("c", failed.value.turns)
    assert tf.append("c", failed.value.turns) == first
    local.settle()
    assert [content for _, _, content in stored_turns(local.engine, "acme", "c")] == [t["content"] for t in TURNS[:3]]


def test_a_database_that_is_not_there_is_unavailable_and_appends_go_on(
    settings: Settings, tf: Turnfold, tmp_path: Path
) -> None:
    tf.append("another", TURNS[0])
    with Turnfold(redis_url=settings.redis_url, database_url=f"sqlite:///{tmp_path}/nowhere.db") as away:
        away.append("c", TURNS[0])
        with pytest.raises(Unavailable, match="TURNFOLD_DATABASE_URL"):
            away.status("c")


def test_a_database_without_the_schema_says_to_migrate_it(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with (
        Turnfold(redis_url=settings.redis_url, database_url=f"sqlite:///{tmp_path}/empty.db") as tf,
        pytest.raises(SchemaMismatch, match="turnfold migrate"),
    ):
        tf.status("c")


def test_one_client_serves_many_threads(tf: Turnfold, local: LocalWorker) -> None:
    def talk_to(number: int) -> int:
        for turn in TURNS[:20]:
            tf.append(f"c-{number}", turn)
        return tf.status(f"c-{number}").inbox

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(talk_to, range(8))) == [20] * 8
    local.settle()
    for number in range(8):
        contents = [content for _, _, content in stored_turns(local.engine, "acme", f"c-{number}")]
        assert contents == [turn["content"] for turn in TURNS[:20]]


def test_a_closed_client_opens_again_when_it_is_used(tf: Turnfold) -> None:
    tf.append("c", TURNS[0])
    tf.close()
    tf.close()
    assert tf.status("c").inbox == 1


# Tools


def test_a_tool_call_is_answered_from_redis_and_sql_alike(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", TURNS[:30])
    local.settle()
    tf.append("c", {"role": "user", "content": "The lighthouse keeper is called Ottokar."})
    call = {"type": "function", "id": "1", "function": {"name": "search", "arguments": '{"query": "Ottokar"}'}}
    assert "lighthouse keeper" in tf.handle_tool_call("c", call)["content"]
    call["function"] = {"name": "expand", "arguments": '{"marker": "L0:turns-30-31"}'}
    answer = tf.handle_tool_call("c", call)["content"]
    assert TURNS[29]["content"] in answer
    assert "lighthouse keeper" in answer


def test_a_tool_call_before_anything_was_said_is_answered(tf: Turnfold) -> None:
    call = {"type": "tool_use", "id": "1", "name": "anchors", "input": {}}
    assert "nothing to look up" in tf.handle_tool_call("nobody", call)["content"]


def test_a_tool_call_raises_what_is_no_fault_of_the_model(settings: Settings, tf: Turnfold) -> None:
    call = {"type": "tool_use", "id": "1", "name": "search", "input": {"query": "x"}}
    with pytest.raises(InvalidIdentifier):
        tf.handle_tool_call("", call)
    away = Settings(redis_url="redis://127.0.0.1:1/0", database_url=settings.database_url)
    with Turnfold(settings=away) as client, pytest.raises(Unavailable):
        client.handle_tool_call("c", call)
