"""After any changes, however often their entries are delivered, exactly the requested turns remain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.in_memory import InMemory
from support.stored import broken_invariants
from support.talk import talk
from turnfold.assemble import policy_named, request_of
from turnfold.contract.note_lists import pack_notes
from turnfold.contract.records import FAN_OUT
from turnfold.database.reader import Reader
from turnfold.read.queries import context
from turnfold.read.snapshot import NO_INBOX
from turnfold.tokens import ESTIMATOR
from turnfold.wire import turn_edits as turn_changes
from turnfold_worker.pipeline.fold import FoldedNode, fold_segment
from turnfold_worker.pipeline.roll_up import roll_up
from turnfold_worker.pipeline.settings import settings_at

QUICK = examples(12, suppress_health_check=[HealthCheck.too_slow])


class Story:
    """Appends and changes in a drawn order, and the turns that they leave."""

    def __init__(self, data: st.DataObject, subject: InMemory) -> None:
        self.data = data
        self.subject = subject
        self.left: list[dict[str, Any]] = []
        self.gone: set[str] = set()
        """Ids of deleted turns."""
        self.round = 0

    def say(self) -> None:
        self.round += 1
        many = self.data.draw(st.integers(1, 25), label="turns")
        said = [{**turn, "turn_id": f"{self.round}-{i}"} for i, turn in enumerate(talk(self.round, many))]
        self.subject.append(said)
        self.left += said

    def rewind(self) -> None:
        last = self.data.draw(st.integers(1, len(self.left)), label="rewind to")
        self.subject.change(turn_changes.rewind(self.left[last - 1]["turn_id"]))
        del self.left[last:]

    def edit(self) -> None:
        at = self.data.draw(st.integers(0, len(self.left) - 1), label="edit")
        turn = self.left[at]
        if turn["turn_id"] not in self.gone:
            words = f"We decided to paint it purple in round {self.round}."
            self.subject.change(turn_changes.edit(turn["turn_id"], words, max_bytes=1_000))
            self.left[at] = {**turn, "content": words}

    def delete(self) -> None:
        at = self.data.draw(st.integers(0, len(self.left) - 1), label="delete")
        self.subject.change(turn_changes.delete(self.left[at]["turn_id"]))
        self.gone.add(self.left[at]["turn_id"])
        self.left[at] = {**self.left[at], "content": ""}

    def work(self) -> None:
        """Run drains and folds in between; late drains deliver entries that were stored long ago."""
        subject = self.subject
        for _ in range(self.data.draw(st.integers(0, 3), label="works")):
            first = self.data.draw(st.integers(0, subject.stored), label="from")
            subject.drain(first, self.data.draw(st.integers(first, len(subject.entries)), label="to"))
            if self.data.draw(st.booleans(), label="folds"):
                subject.fold()


@pytest.fixture
def subjects() -> Iterator[list[InMemory]]:
    made: list[InMemory] = []
    yield made
    for one in made:
        one.close()


def new(subjects: list[InMemory]) -> InMemory:
    subjects.append(InMemory())
    return subjects[-1]


@settings(QUICK, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_rewinds_leave_a_conversation_that_never_had_what_they_cut_off(
    subjects: list[InMemory], data: st.DataObject
) -> None:
    story = Story(data, new(subjects))
    for _ in range(data.draw(st.integers(1, 4), label="rounds")):
        story.say()
        story.work()
        if data.draw(st.booleans(), label="rewinds"):
            story.rewind()
        story.work()
    story.subject.settle()
    undisturbed = new(subjects)
    undisturbed.append(story.left)
    undisturbed.settle()
    assert story.subject.digest() == undisturbed.digest()


@settings(QUICK, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_any_changes_leave_the_turns_that_were_asked_for_and_every_invariant(
    subjects: list[InMemory], data: st.DataObject
) -> None:
    story = Story(data, new(subjects))
    for _ in range(data.draw(st.integers(1, 4), label="rounds")):
        story.say()
        story.work()
        for step in data.draw(st.lists(st.sampled_from(["edit", "delete", "rewind"]), max_size=4), label="changes"):
            getattr(story, step)()
            story.work()
    story.subject.settle()
    story.subject.fold()
    subject = story.subject
    reader = Reader(subject.engine)
    head = reader.read(lambda look: look.head(subject.address))
    assert head is not None
    pieces = reader.read(lambda look: look.turns_between(head, 1, 1_000, most=1_000))
    stored = [(piece.turn.turn_id, piece.turn.content) for piece in pieces]
    assert stored == [(turn["turn_id"], turn["content"]) for turn in story.left]
    assert broken_invariants(subject.engine) == {}
    for budget in (300, 2_000):
        request = request_of(
            budget_tokens=budget, query=None, system=None, flags=(), task=None, reserve_tokens=0,
            policy=policy_named("balanced"), counter=ESTIMATOR, expand=(),
        )  # fmt: skip
        assert context(NO_INBOX, reader, subject.address, request).tokens <= budget
    digest = subject.digest()
    subject.drain(0, len(subject.entries))
    subject.fold()
    assert subject.digest() == digest, "a repeat changed something"


def said(node: FoldedNode) -> tuple[object, ...]:
    """Return everything that is stored of a node."""
    notes = pack_notes(node.notes)
    return node.node, node.method, dict(node.levels), node.facts, notes, node.names.to_json(), dict(node.said)


@settings(QUICK, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_touched_segments_and_every_chapter_are_as_if_they_were_folded_now(
    subjects: list[InMemory], data: st.DataObject
) -> None:
    """Boundaries stay, a segment reflects its current turns, and a chapter its current children.

    Counts of what precedes a segment are those of its last fold.
    """
    subject = new(subjects)
    turns = [{**turn, "turn_id": f"t{i}"} for i, turn in enumerate(talk("chapters", 60))]
    subject.append(turns)
    subject.settle()
    store, conversation = subject.store, subject.conversation
    boundaries = [node.node.last_seq for node in store.siblings(conversation, 0, 0, 100)]
    touched = set()
    for at in data.draw(st.lists(st.integers(0, len(turns) - 1), min_size=1, max_size=4, unique=True), label="at"):
        if data.draw(st.booleans(), label="deletes"):
            subject.change(turn_changes.delete(f"t{at}"))
        else:
            subject.change(turn_changes.edit(f"t{at}", "Ola decided to paint the 12 boats red.", max_bytes=1_000))
        touched.add(at + 1)
        if data.draw(st.booleans(), label="works"):
            subject.settle()
    subject.settle()
    subject.fold()
    segments = store.siblings(conversation, 0, 0, 100)
    assert [node.node.last_seq for node in segments] == boundaries
    for node in segments:
        if any(node.node.first_seq <= seq <= node.node.last_seq for seq in touched):
            segment = store.closed_segment(conversation, node.node.idx)
            assert segment is not None
            now = fold_segment(
                segment.turns, idx=node.node.idx, settings=settings_at(segment.configurations, segment.turns[0].seq),
                before=segment.before, said=node.said,
            )  # fmt: skip
            assert said(node) == said(now)
            assert node.source_hash == now.source_hash
            stored = {(one.turn_seq, one.start, one.end, one.type) for one in segment.anchors}
            found = {(one.turn_seq, one.start, one.end, one.type) for one in now.drafts}
            reports = {(one.turn_seq, one.start, one.end, one.type) for one in now.drafts if one.reports}
            assert found - reports <= stored <= found
    assert store.siblings(conversation, 1, 0, 100)
    for height in (1, 2):
        for chapter in store.siblings(conversation, height, 0, 100):
            first = chapter.node.idx * FAN_OUT
            children = store.siblings(conversation, height - 1, first, first + FAN_OUT - 1)
            assert said(chapter) == said(roll_up(children, height=height, idx=chapter.node.idx))
    assert broken_invariants(subject.engine) == {}
