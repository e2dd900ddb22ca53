"""The anchors of the open tail follow the rules of a segment, settle with stored ones, and are never stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from support.examples import examples
from support.in_memory import InMemory
from support.settled_talk import SETTINGS, merged
from support.wild_turns import said, talk, wild_turns
from turnfold.contract.configuration import settlement
from turnfold.contract.outlines import Outline, pack_outline, unpack_outline
from turnfold.contract.records import FIRST_TAIL_ANCHOR, Anchor, AnchorState, AnchorType, StoredTurn
from turnfold.contract.tail_anchors import NO_TAIL_ANCHORS, TailAnchors, pack_tail_anchors, unpack_tail_anchors
from turnfold.errors import UnknownAnchor
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.outline import make_outline, read_tail, with_tail
from turnfold_worker.pipeline.tail_anchors import MergedTail, merged_tail, tail_drafts

KAFKA: Final = "Decision: we use Kafka for the event queue."
RABBIT: Final = "Actually we go with RabbitMQ for the event queue, not Kafka."
FRIDAYS: Final = "Never deploy on Fridays, whatever anyone says."
IDLE: Final = ("The soup was a bit salty.", "We watched an old film about trains.", "The bus was late again.")
TELLING: Final = (
    KAFKA, RABBIT, FRIDAYS, "Which region hosts the nightly backups?", "Frankfurt hosts the nightly backups.",
    "I'll send the contract to the notary.", "I've sent the contract to the notary.", "Sent.", "Scratch that.",
    "The launch is on 7 May.", "Correction: the launch is on 14 May, not 7 May.", "Please always answer in German.",
)  # fmt: skip


def tail_of(turns: Sequence[StoredTurn], earlier: tuple[Anchor, ...] = ()) -> MergedTail:
    return merged_tail(tail_drafts(read_tail(turns), SETTINGS), earlier, turns, node_idx=1, settings=SETTINGS)


def after(turns: Iterable[StoredTurn], seq: int) -> list[StoredTurn]:
    return [said(turn.content, seq=turn.seq + seq, role=turn.role) for turn in turns]


def active(anchors: Iterable[Anchor]) -> list[str]:
    return [one.text for one in anchors if one.state is AnchorState.ACTIVE]


def test_what_the_tail_says_is_found_under_ids_that_no_row_has() -> None:
    found = tail_of(talk(f"user: {FRIDAYS}", "assistant: Noted.")).anchors
    (fridays,) = found.anchors
    assert (fridays.type, fridays.text, fridays.turn_seq) == (AnchorType.INSTRUCTION, FRIDAYS, 1)
    assert fridays.provisional
    with pytest.raises(UnknownAnchor, match="in the open tail"):
        settlement(fridays.id, dismiss=False)


def test_a_decision_of_the_tail_takes_the_place_of_a_stored_one() -> None:
    stored = merged(talk(f"user: {KAFKA}")).new
    found = tail_of(after(talk(f"user: {RABBIT}"), 1), stored)
    kafka, rabbit = found.anchors.applied_to(stored)
    assert (kafka.state, kafka.related) == (AnchorState.SUPERSEDED, rabbit.id)
    assert (rabbit.state, rabbit.replaces, rabbit.replaced) == (AnchorState.ACTIVE, kafka.id, KAFKA)
    assert [one.text for one in found.settled] == [KAFKA]


def test_what_a_person_settled_keeps_its_state() -> None:
    stored = merged(talk(f"user: {KAFKA}")).new
    found = tail_of(after(talk(f"user: {RABBIT}"), 1), stored).anchors
    by_hand = replace(stored[0], state=AnchorState.DISMISSED)
    assert found.applied_to([by_hand])[0] == by_hand


def test_an_answer_of_the_tail_settles_a_stored_question() -> None:
    stored = merged(talk(f"user: {TELLING[3]}")).new
    question, answer = tail_of(after(talk(f"user: We decided that {TELLING[4]}"), 1), stored).anchors.applied_to(stored)
    assert (question.state, question.related) == (AnchorState.RESOLVED, answer.id)


def test_a_note_of_what_the_tail_supersedes_leaves_the_outline() -> None:
    turns = after(talk(f"user: {RABBIT}"), 1)
    found = tail_of(turns, merged(talk(f"user: {KAFKA}")).new)
    readings = read_tail(turns)
    outline = with_tail(make_outline([]), turns, {}, readings=readings, noted=notes_of(readings), found=found)
    assert [one.seq for one in outline.tail_overtaken if one.by_seq == 2]
    assert outline.tail_anchors == found.anchors


@given(wild_turns(most=10), wild_turns(most=10))
@examples(60)
def test_the_tail_is_what_its_segment_will_be_once_it_is_closed(
    first: list[StoredTurn], second: list[StoredTurn]
) -> None:
    """The order, spans, states and links of the tail's anchors equal those of the closed segment."""
    stored, turns = merged(first).new, after(second, len(first))
    found = tail_of(turns, stored).anchors
    closed = merged(turns, stored)
    shift = FIRST_TAIL_ANCHOR - len(stored) - 1

    def shown(one: Any, shift: int) -> tuple[Any, ...]:
        links = (by if by is None or by <= len(stored) else by + shift for by in (one.related, one.replaces))
        return (one.state, *links)

    assert [(a.text, a.turn_seq, a.start, a.end, a.type, a.rank, *shown(a, 0)) for a in found.anchors] == [
        (a.text, a.turn_seq, a.start, a.end, a.type, a.rank, *shown(a, shift)) for a in closed.new
    ]
    changes = [(one.id, *shown(one, shift)) for one in closed.changed]
    assert [(one.id, *shown(one, 0)) for one in found.changes] == changes
    contents = {turn.seq: turn.content for turn in turns}
    assert all(one.text == contents[one.turn_seq][one.start : one.end] for one in found.anchors)


@given(wild_turns(most=10), wild_turns(most=10), st.integers(0, 20))
@examples(60)
def test_packing_loses_nothing_and_segments_take_their_share(
    first: list[StoredTurn], second: list[StoredTurn], closed: int
) -> None:
    found = tail_of(after(second, len(first)), merged(first).new).anchors
    packed = json.loads(json.dumps(pack_tail_anchors(found)))
    assert unpack_tail_anchors(packed) == found
    outline = Outline(tail_anchors=found)
    assert unpack_outline(pack_outline(outline).items()) == outline
    left = found.after(closed)
    assert left.anchors == tuple(one for one in found.anchors if one.turn_seq > closed)
    named = {by for one in left.changes for by in (one.related, one.replaces) if by and by >= FIRST_TAIL_ANCHOR}
    assert named <= {one.id for one in left.anchors}


def frame_of(conversation: InMemory) -> TailAnchors:
    with conversation.engine.connect() as connection:
        body = connection.scalar(text("SELECT body FROM outline WHERE part = 0"))
    outline = unpack_outline([(0, body)]) if body is not None else None
    return NO_TAIL_ANCHORS if outline is None else outline.tail_anchors


@given(st.lists(st.sampled_from((*TELLING, *IDLE)), min_size=8, max_size=24), st.data())
@examples(30)
def test_in_whatever_batches_the_turns_are_folded_the_frame_is_the_same(texts: list[str], data: st.DataObject) -> None:
    turns = [
        {"role": "assistant" if at % 3 == 2 else "user", "content": words, "turn_id": f"t{at}"}
        for at, words in enumerate(texts)
    ]
    frames, digests = [], set()
    for cuts in ([], data.draw(st.lists(st.integers(1, len(turns) - 1), unique=True), label="cuts")):
        conversation = InMemory()
        edges = [0, *sorted(cuts), len(turns)]
        for begin, end in pairwise(edges):
            conversation.append(turns[begin:end])
            conversation.settle()
        frames.append(frame_of(conversation))
        digests.add(conversation.digest())
        conversation.close()
    assert frames[0] == frames[1]
    assert len(digests) == 1


def test_only_what_holds_is_active_when_all_is_put_together() -> None:
    stored = merged(talk(f"user: {KAFKA}", f"user: {FRIDAYS}")).new
    found = tail_of(after(talk(f"user: {RABBIT}"), 2), stored).anchors
    assert active(found.applied_to(stored)) == [FRIDAYS, RABBIT]
    assert found.more_active == 0
