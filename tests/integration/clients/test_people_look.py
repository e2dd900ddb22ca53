"""Views for people: segments with their text, waiting work, the cost of models."""

from __future__ import annotations

from itertools import pairwise

import pytest

from conftest import LocalWorker
from support.examples_folder import example
from turnfold import InvalidInput, Turnfold, UnknownConversation, WorkState
from turnfold.contract.records import Method

pytestmark = pytest.mark.daily_on("sqlite")

TURNS = example()


def test_segments_come_in_pages_with_sizes_and_words(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", TURNS)
    local.settle()
    count = tf.status("c").segments
    every = tf.segments("c", words=True)
    assert [segment.number for segment in every] == list(range(1, count + 1))
    assert every[0].first_seq == 1
    assert all(before.last_seq + 1 == after.first_seq for before, after in pairwise(every))
    assert all(set(segment.words) == {1, 2, 3} and not segment.model_words for segment in every)
    assert {segment.method for segment in every} == {Method.RULES.name.lower()}
    assert every[3].tokens[0] > every[3].tokens[2] > 0
    assert [segment.number for segment in tf.segments("c", after=3, limit=2)] == [4, 5]
    assert tf.segments("c", after=3, limit=1)[0].words == {}
    assert tf.expand("c", every[0].marker).text.strip() == every[0].words[1].strip()


def test_words_of_a_segment_that_waits_to_be_changed_are_not_shown(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [{**turn, "turn_id": f"t{seq}"} for seq, turn in enumerate(TURNS, 1)])
    local.settle()
    second = tf.segments("c", words=True)[1]
    tf.edit("c", f"t{second.first_seq}", content="Something else.")
    tf.rewind("c", after=f"t{second.last_seq + 1}")
    page = tf.segments("c", words=True)
    assert [segment.number for segment in page] == [1, 2, 3]
    assert page[0].words
    assert [(segment.words, segment.topic, segment.facts) for segment in page[1:]] == [({}, "", {})] * 2
    assert page[2].last_seq == second.last_seq + 1


def test_a_look_that_is_not_counted_leaves_no_trace(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", TURNS)
    local.settle()
    marker = tf.segments("c", limit=1)[0].marker
    before = tf.expand("c", marker, counted=False)
    tf.close()
    local.settle()
    assert tf.segments("c", limit=1)[0].expansions == 0
    assert tf.expand("c", marker) == before
    tf.close()
    local.settle()
    assert tf.segments("c", limit=1)[0].expansions == 1


def test_conversations_are_found_by_name_or_title(tf: Turnfold, local: LocalWorker) -> None:
    for name, title in (("a-1", "The 100% Plan"), ("b-1", "Rent_and bills"), ("c-1", None)):
        tf.append(name, {"role": "user", "content": "Hello."})
        if title:
            tf.configure(name, title=title)
    local.settle()

    def names(words: str) -> list[str]:
        return [listed.conversation_id for listed in tf.conversations(containing=words)]

    assert names("100%") == names("PLAN") == ["a-1"]
    assert names("t_a") == ["b-1"]
    assert names("-1") == ["a-1", "b-1", "c-1"]
    assert names("0_") == []


def test_the_text_of_a_context_is_cut_into_its_parts(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", TURNS)
    local.settle()
    context = tf.context("c", budget_tokens=1500, query="What did we decide?", system="Be kind.")
    assert "".join(piece.text for piece in context.pieces) == context.text
    assert {piece.part for piece in context.pieces} == {part.name for part in context.report.parts if part.used}
    assert tf.resolve(context.reference()).pieces == context.pieces


def test_work_and_cost_are_those_of_the_tenant(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", TURNS[:4])
    assert tf.jobs() == []
    assert tf.usage() == []
    with pytest.raises(InvalidInput, match="limit must be at most 1000"):
        tf.jobs(limit=5_000)
    with pytest.raises(UnknownConversation):
        tf.segments("nobody")
    local.settle()
    assert tf.jobs("c") == tf.for_tenant("other").jobs() == []
    assert WorkState.PARKED in set(WorkState)


def test_some_anchors_are_those_among_all(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", TURNS)
    local.settle()
    every = tf.anchors("c", states=None)
    assert {anchor.turn_seq for anchor in every if anchor.provisional}
    for first, last in ((1, 40), (41, 120), (121, len(TURNS))):
        within = [anchor for anchor in every if first <= anchor.turn_seq <= last]
        assert within
        assert tf.anchors("c", states=None, first_turn=first, last_turn=last) == within
    named = {anchor.related for anchor in every if anchor.related is not None}
    assert named
    assert tf.anchors("c", states=None, ids=named) == [anchor for anchor in every if anchor.id in named]
    assert tf.anchors("c", states=None, ids=[2**40, -(2**40)]) == []
    with pytest.raises(InvalidInput, match="ids must be anchor ids"):
        tf.anchors("c", ids=["x"])  # type: ignore[list-item]
