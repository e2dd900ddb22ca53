"""Notes: the conversation, statement by statement.

Contexts are built from notes. Rules write them when a segment closes, and a model may write better ones; both state
only what the turns themselves say. A note has an importance with named factors, a state that later turns can change,
and a marker that leads back to its turns.
"""

from __future__ import annotations

from support.examples_folder import example
from turnfold import Turnfold


def test_notes_are_what_holds_now_with_where_it_comes_from(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    notes = turnfold.notes("conv", states={"active"})
    assert len(notes) > 100
    weightiest = max(notes, key=lambda note: note.importance)
    assert weightiest.importance == min(sum(weightiest.factors.values()), 100)
    assert weightiest.written_by == "rules"
    assert weightiest.origin == "user"
    behind = turnfold.expand("conv", weightiest.marker)
    assert tuple(turn.turn_id for turn in behind.turns) == weightiest.turn_ids


def test_what_was_overtaken_is_listed_apart(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    in_force = {note.text for note in turnfold.notes("conv")}
    overtaken = {note.text for note in turnfold.notes("conv", states={"superseded", "resolved"})}
    assert overtaken
    assert in_force.isdisjoint(overtaken)


def test_a_long_conversation_is_read_in_pages(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    first = turnfold.notes("conv", limit=50)
    following = turnfold.notes("conv", first_turn=first[-1].turn_seq + 1, limit=50)
    assert [*first, *following] == turnfold.notes("conv")[: len(first) + len(following)]
