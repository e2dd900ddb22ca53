"""Segments, pending work and anchors in the form in which people see them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.assemble.forms.markers import NodeTarget, parse_marker
from turnfold.contract.attention import Work, WorkKind, WorkState
from turnfold.contract.records import Anchor, AnchorType, ConversationId, Node
from turnfold.contract.segments import Segment
from turnfold.contract.wanted_anchors import EVERY_ANCHOR, WantedAnchors, whole_turns


@examples(50)
@given(idx=st.integers(0, 10**6), slug=st.from_regex(r"([a-z]{2,8}(-[a-z]{2,8}){0,2})?", fullmatch=True))
def test_a_segments_marker_leads_to_it_and_its_topic_is_in_words(idx: int, slug: str) -> None:
    segment = Segment(
        node=Node(height=0, idx=idx, first_seq=1, last_seq=2, slug=slug, tokens=(9, 3, 2, 1)), method="rules"
    )
    marker = parse_marker(segment.marker)
    assert marker.level == 1
    assert isinstance(marker.target, NodeTarget)
    assert (marker.target.height, marker.target.idx + 1) == (0, segment.number)
    assert segment.topic.split() == [word for word in slug.split("-") if word]


@examples(50)
@given(st.sampled_from(WorkKind), st.integers(1, 10**12), st.none() | st.integers(-9, 10**6))
def test_work_is_named_by_its_row_and_tells_what_it_is_about(kind: WorkKind, row: int, number: int | None) -> None:
    work = Work(
        id=f"{'entry' if kind is WorkKind.ENTRY else 'job'}-{row}", kind=kind, state=WorkState.PARKED, tenant="acme",
        conversation_id="c", conversation=ConversationId(1), number=number, attempts=1, error=None, age_seconds=None,
    )  # fmt: skip
    assert work.row == row
    assert work.subject.split()[0] in {"an", "its", "segments", "chapter", "turn", "segment"}


@examples(50)
@given(st.integers(1, 20), st.integers(1, 20), st.none() | st.frozensets(st.integers(-3, 3)), st.integers(-3, 3))
def test_anchors_are_wanted_by_turn_and_by_id(first: int, last: int, ids: frozenset[int] | None, id_: int) -> None:
    anchor = Anchor(id=id_, type=AnchorType.DECISION, text="x", turn_seq=7, start=0, end=1)
    wanted = WantedAnchors(first, last, ids)
    assert (anchor in wanted) == (first <= 7 <= last and (ids is None or id_ in ids))
    assert anchor in EVERY_ANCHOR


@examples(100)
@given(st.lists(st.integers(1, 9), max_size=30), st.integers(1, 12))
def test_pages_of_whole_turns_together_are_all_anchors(seqs: list[int], limit: int) -> None:
    anchors = [
        Anchor(id=id_, type=AnchorType.DECISION, text="x", turn_seq=seq, start=0, end=1)
        for id_, seq in enumerate(sorted(seqs))
    ]
    left, told = anchors, list[Anchor]()
    while left:
        page = whole_turns(left, limit)
        assert page
        assert len(page) <= limit or len({anchor.turn_seq for anchor in page}) == 1
        told += page
        left = [anchor for anchor in left if anchor.turn_seq > page[-1].turn_seq]
    assert told == anchors
