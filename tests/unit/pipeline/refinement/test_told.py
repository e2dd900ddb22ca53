"""An anchor that a model's note restates is left out of contexts in favour of the note."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.conversations import texts, wild
from turnfold.contract.records import PINNED_RANK, Anchor, AnchorState, AnchorType, Origin
from turnfold_worker.pipeline.refinement.notes import ModelNote
from turnfold_worker.pipeline.refinement.told import raised, told_anchors

FACT = Anchor(
    id=7, type=AnchorType.PREFERENCE, text="Painting landscapes is my favourite!", turn_seq=3, start=0, end=36,
    state=AnchorState.ACTIVE, score=70, rank=10, tokens=8, node_idx=0,
)  # fmt: skip
NOTE = ModelNote(
    turns=(2, 3), speaker="Ana", role="user", origin=Origin.USER, said_on=date(2026, 3, 1),
    text="Ana's favourite art is painting landscapes of 2 lakes.", importance=2,
)  # fmt: skip


def test_a_note_of_its_turn_that_has_its_words_tells_it() -> None:
    assert told_anchors([FACT], [NOTE]) == (7,)
    asked_by_model = replace(FACT, id=-7, type=AnchorType.UNRESOLVED_QUESTION)
    assert told_anchors([asked_by_model], [NOTE]) == (-7,)
    assert [note.importance for note in raised([NOTE], [FACT])] == [4]
    assert raised([replace(NOTE, importance=5)], [FACT])[0].importance == 5


@pytest.mark.parametrize(
    "anchor",
    [
        replace(FACT, turn_seq=4),
        replace(FACT, type=AnchorType.CRITICAL_FACT, rank=218),
        replace(FACT, text="Painting 3 landscapes is my favourite!"),
        replace(FACT, text="Sailing round the northern islands is my favourite!"),
        replace(FACT, text="We will."),
        replace(FACT, text="Painting landscapes is not my favourite!"),
        replace(FACT, type=AnchorType.DECISION, text="We paint landscapes with Omar at the northern harbour."),
        replace(FACT, rank=PINNED_RANK),
        replace(FACT, replaces=2),
        *(
            replace(FACT, type=kind)
            for kind in (
                AnchorType.CONSTRAINT,
                AnchorType.INSTRUCTION,
                AnchorType.CORRECTION,
                AnchorType.COMMITMENT,
                AnchorType.UNRESOLVED_QUESTION,
            )
        ),
    ],
)
def test_else_it_stays_word_for_word(anchor: Anchor) -> None:
    assert told_anchors([anchor], [NOTE]) == ()
    assert raised([NOTE], [anchor]) == (NOTE,)


@given(texts | wild, texts | wild, st.sampled_from(AnchorType), st.integers(1, 5))
def test_whatever_is_said_only_importance_changes_and_what_is_told_has_a_telling_note(
    said: str, written: str, kind: AnchorType, importance: int
) -> None:
    note = replace(NOTE, text=written, importance=importance)
    anchor = replace(FACT, text=said, type=kind)
    told = told_anchors([anchor], [note])
    (after,) = raised([note], [anchor])
    assert replace(after, importance=importance) == note
    assert after.importance == (max(4, importance) if told else importance)
    assert told_anchors([anchor], []) == ()
