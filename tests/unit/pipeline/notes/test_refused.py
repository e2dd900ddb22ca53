"""A refused proposal is noted together with its refusal, never as accepted and never without its 'no'."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import said
from turnfold.contract.records import AnchorType, Role, StoredTurn
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.language.refusal import proposes, refuses
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn

OFFERS = (
    "Shall I book the Hotel Adler for the workshop?",
    "We could move the archive to Postgres.",
    "Want me to enable the pumps on Sunday?",
    "How about painting the boathouse green?",
    "I suggest selling the old kiln.",
)
REFUSALS = ("No, not that.", "Please don't.", "Absolutely not.", "No thanks, too expensive.", "Nah.", "I'd rather not.")


def told(*turns: StoredTurn) -> list[str]:
    return [note.text for note in notes_of([read_turn(turn) for turn in turns]) if note.worth]


@given(st.sampled_from(OFFERS), st.sampled_from(REFUSALS), st.sampled_from([Role.USER, Role.ASSISTANT]))
@examples(60)
def test_a_refused_proposal_is_told_once_with_its_refusal(offer: str, refusal: str, role: Role) -> None:
    other = Role.ASSISTANT if role is Role.USER else Role.USER
    notes = told(said(offer, role=role), said(refusal, seq=2, role=other))
    bare = offer.rstrip(".")
    assert [note for note in notes if bare in note or bare.rstrip("?") in note] == notes[:1]
    assert notes[0].startswith("(")
    assert notes[0].endswith(refusal.rstrip("."))


@pytest.mark.parametrize(
    "reply", ["No worries, it is sunny.", "Not only that, the roof leaks.", "Yes, do.", "Never mind."]
)
def test_a_proposal_that_nobody_refused_stands(reply: str) -> None:
    offer = "We could move the archive of the museum to Postgres"
    assert offer in told(said(f"{offer}.", role=Role.ASSISTANT), said(reply, seq=2))


def test_nobody_refuses_himself_or_what_is_only_told() -> None:
    offer = "We could move the archive of the museum to Postgres"
    assert offer in told(said(f"{offer}.", name="Ana"), said("No, not that.", seq=2, name="Ana"))
    fact = "The archive of the museum moved to Postgres"
    assert fact in told(said(f"{fact}.", name="Ana"), said("No, not that.", seq=2, name="Omar"))


def test_a_bare_refusal_is_no_correction() -> None:
    turns = (said("We could move the archive to Postgres.", role=Role.ASSISTANT), said("No, not Postgres.", seq=2))
    drafts = extract_anchors([read_turn(turn) for turn in turns], FoldSettings())
    assert AnchorType.CORRECTION not in {draft.type for draft in drafts}


@given(st.text(max_size=200))
@examples(200)
def test_any_text_can_be_asked_about(text: str) -> None:
    assert refuses(text) in {True, False}
    assert proposes(f"{text}?")
