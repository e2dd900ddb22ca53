"""A read with a mark accepts the marked state and later ones, and no others."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.marks import ERASED, StoredMark, mark_of
from turnfold.contract.records import ConversationId
from turnfold.contract.results import Head

HEAD = Head(
    id=ConversationId(1), turn_count=0, closed_seq=0, fold_seq=0, node_count=0, anchor_count=0, anchor_tokens=0,
    revision=0,
)  # fmt: skip

marks = st.builds(StoredMark, st.integers(1, 2**40), st.integers(0, 2**40) | st.just(ERASED))
heads = st.builds(
    lambda id_, revision: replace(HEAD, id=ConversationId(id_), revision=revision),
    st.integers(1, 2**40), st.integers(0, 2**40),
)  # fmt: skip


@given(marks)
def test_a_mark_reads_back_from_its_text(mark: StoredMark) -> None:
    assert StoredMark.from_text(mark.text) == mark


@given(marks, heads)
def test_a_state_reaches_a_mark_exactly_when_it_is_no_earlier_one(mark: StoredMark, head: Head) -> None:
    assert mark.is_reached_by(head) == (mark_of(head) >= mark)


@given(heads)
def test_what_is_erased_is_shown_by_no_state_that_has_it(head: Head) -> None:
    erased = StoredMark(head.id, ERASED)

    assert not erased.is_reached_by(head)
    assert erased.is_reached_by(None)
    assert not mark_of(head).is_reached_by(None)
