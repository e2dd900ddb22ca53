"""When more turns wait than a read looks at, it shows the newest and makes no claims about the others."""

from __future__ import annotations

import pytest

from conftest import LocalWorker
from support.talk import talk
from turnfold import Turnfold, UnknownMarker
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Operation
from turnfold.redis.inbox import ProducerInbox
from turnfold.wire.encode import Entry

pytestmark = pytest.mark.daily_on("sqlite")

TURNS = talk("long-inbox", 260)
LAST = {"role": "user", "content": "The mascot is a heron. " + "Nobody objected to it at all. " * 300}


@pytest.fixture
def waiting(tf: Turnfold, local: LocalWorker) -> Turnfold:
    """A conversation with ten stored turns; a configuration, repeats and more turns than a read covers are waiting."""
    given = [{**turn, "turn_id": f"m-{i}"} for i, turn in enumerate(TURNS, 1)]
    tf.append("c", given[:10])
    local.settle()
    tf.configure("c", goal="a booking service")
    tf.append("c", given[5:10])
    tf.append("c", given[10:])
    tf.append("c", LAST)
    return tf


def test_the_newest_turns_are_shown_without_numbers_that_may_be_wrong(waiting: Turnfold) -> None:
    context = waiting.context("c", budget_tokens=1_000)
    assert "The mascot is a heron." in context.text
    assert "turns are still being stored]" in context.text
    assert " […] " in context.text
    assert context.coverage is not None
    assert context.coverage.last_seq == 10
    for marker in context.markers:
        assert waiting.expand("c", marker).last_seq <= 10
    assert any(left.reach == "wait()" for left in context.budget.left_out)


def test_a_conversation_of_which_nothing_is_stored_has_no_coverage_yet(tf: Turnfold) -> None:
    tf.append("c", [*TURNS, LAST])
    context = tf.context("c", budget_tokens=1_000)
    assert "The mascot is a heron." in context.text
    assert context.coverage is None
    assert context.markers == ()


def test_a_turn_without_a_number_is_found_once_it_is_stored(waiting: Turnfold, local: LocalWorker) -> None:
    assert all(hit.last_seq <= 10 for hit in waiting.search("c", "mascot heron"))
    local.drain()
    assert waiting.search("c", "mascot heron")[0].first_seq == 261


def test_a_marker_of_a_turn_that_may_wait_says_so_and_stays_good(waiting: Turnfold, local: LocalWorker) -> None:
    early = waiting.expand("c", "L0:turns-9-261")
    assert [turn.seq for turn in early.turns] == [9, 10]
    assert early.next_marker == "L0:turns-11-261"
    announced = waiting.expand("c", early.next_marker)
    assert announced.turns == ()
    assert "[turns 11-261 are not stored yet" in announced.text
    assert announced.next_marker == early.next_marker
    with pytest.raises(UnknownMarker):
        waiting.expand("c", "L0:turn-9999")
    local.drain()
    assert waiting.expand("c", "L0:turn-261").turns[0].content == LAST["content"]


def test_numbers_are_exact_when_all_that_waits_is_seen(tf: Turnfold, local: LocalWorker, inbox: ProducerInbox) -> None:
    tf.append("c", [{**turn, "turn_id": f"m-{i}"} for i, turn in enumerate(TURNS[:10], 1)])
    local.settle()
    tf.configure("c", goal="a booking service")
    tf.append("c", {**TURNS[4], "turn_id": "m-5"})
    inbox.append(
        Address("acme", "c"), Operation.APPEND, [Entry("broken", b"{")], most_entries=99, most_bytes=1 << 20, bell=False
    )
    tf.append("c", [LAST, LAST])
    before = [(turn.seq, turn.turn_id, turn.content) for turn in tf.expand("c", "L0:turns-9-99").turns]
    assert [seq for seq, _, _ in before] == [9, 10, 11, 12, 13]
    local.settle()
    assert [(turn.seq, turn.turn_id, turn.content) for turn in tf.expand("c", "L0:turns-9-99").turns] == before
