"""A note's state, origin and importance follow from the stored rows."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.note_times import NoteTime, pack_times, unpack_times
from turnfold.contract.notes import Note as ShownNote
from turnfold.contract.origins import least_trusted
from turnfold.contract.overtaken import NOTHING_OVERTAKEN, Overtaken, OvertakenIndex
from turnfold.contract.passages import Passage, number_of
from turnfold.contract.records import Anchor, AnchorState, AnchorType, Importance, Origin, Role
from turnfold.contract.results import Note
from turnfold.contract.words import note_stems
from turnfold.database.note_read import SegmentNotes, SourceTurn
from turnfold.read.notes.importance import clause_factors, importance_of
from turnfold.read.notes.records import note_records

SAID = "We rent the loft in Bern for 900 francs"


def shown(text: str = SAID, seq: int = 2, role: str = "user", **values: Any) -> ShownNote:
    return ShownNote(
        seq, values.pop("place", 0), "Ana", role, "3 May 2026", text, 9, values.pop("worth", 100), "999",
        start=0, end=len(text), **values,
    )  # fmt: skip


def anchor(state: str = "active", **values: Any) -> Anchor:
    values = {"start": 0, "end": len(SAID), "factors": {"exact": 54}, "score": 54, **values}
    return Anchor(id=1, type=AnchorType.DECISION, text=SAID, turn_seq=2, state=AnchorState(state), **values)


def records(
    *notes: ShownNote,
    anchors: tuple[Anchor, ...] = (),
    overtaken: OvertakenIndex = NOTHING_OVERTAKEN,
    written: Any = (),
) -> list[Note]:
    passages = [Passage(number_of(note.seq, note.place), (note,), (" ".join(note_stems(note.text)),)) for note in notes]
    turns = {
        seq: SourceTurn(f"m-{seq}", role, Importance.NORMAL)
        for seq, role in ((1, Role.ASSISTANT), (2, Role.USER), (3, Role.TOOL))
    }
    return note_records(SegmentNotes(0, passages, {}, written, {2: anchors}, turns), overtaken)


@pytest.mark.parametrize("state", list(AnchorState))
def test_a_note_has_the_state_of_the_anchor_over_it(state: AnchorState) -> None:
    (note,) = records(shown(), anchors=(anchor(state),))
    assert (note.state, note.importance, note.factors) == (state, 54, {"exact": 54})


def test_one_anchor_in_force_is_enough() -> None:
    (note,) = records(shown(), anchors=(anchor("superseded", score=80, factors={"decided": 80}), anchor()))
    assert (note.state, note.importance) == (AnchorState.ACTIVE, 54)


def test_an_anchor_beside_a_note_says_nothing_of_it() -> None:
    (note,) = records(shown(), anchors=(anchor("resolved", start=len(SAID) - 3, end=len(SAID) + 40),))
    assert (note.state, set(note.factors)) == (AnchorState.ACTIVE, {"telling"})


def test_a_value_that_was_overtaken_is_superseded_with_or_without_an_anchor() -> None:
    index = OvertakenIndex([Overtaken(0, 5, ("900",), ("rent", "loft"), 1)])
    assert [note.state for note in records(shown(), overtaken=index)] == [AnchorState.SUPERSEDED]
    assert [note.state for note in records(shown(), anchors=(anchor(),), overtaken=index)] == [AnchorState.SUPERSEDED]


def test_a_short_reply_rests_on_the_question_too() -> None:
    asked, reply = records(shown("Do you rent it?", 1, "assistant"), shown("(Do you rent it?) Yes", 2))
    assert (asked.turn_ids, asked.marker, asked.origin) == (("m-1",), "L0:turn-1", Origin.ASSISTANT)
    assert (reply.turn_ids, reply.marker, reply.origin) == (("m-1", "m-2"), "L0:turns-1-2", Origin.ASSISTANT)
    assert (reply.turn_seq, reply.role) == (2, Role.USER)


class Written:
    """A row of a model's note."""

    def __init__(self, **values: Any) -> None:
        usual = {
            "turns": [2], "speaker": "Ana", "role": "user", "said_on": date(2026, 5, 3), "body": SAID, "importance": 4,
            "day_meant": "May 2026", "valid_from": None, "valid_to": None, "idx": 0, "origin": "tool",
        }  # fmt: skip
        self.__dict__ = {**usual, **values}


def test_a_models_note_stands_for_the_rules_but_not_for_what_a_tool_said() -> None:
    tool = shown("loft: free", 3, "tool")
    written, kept = records(shown(), tool, written=[Written(turns=[2, 3])], anchors=(anchor("superseded"),))
    assert (written.written_by, written.origin, written.turn_ids) == ("model", Origin.TOOL, ("m-2", "m-3"))
    assert (written.state, written.importance, written.factors) == (AnchorState.SUPERSEDED, 70, {"model": 70})
    assert (written.day, written.day_meant, written.marker) == ("3 May 2026", "May 2026", "L0:turns-2-3")
    assert (written.meant_from, written.meant_to) == (date(2026, 5, 1), date(2026, 5, 31))
    assert (kept.written_by, kept.text, kept.origin) == ("rules", "loft: free", Origin.TOOL)


def test_the_least_trusted_class_counts_whatever_the_order() -> None:
    assert least_trusted([Origin.OUTSIDE, Origin.USER, Origin.TOOL]) is Origin.OUTSIDE
    assert least_trusted([Origin.ASSISTANT, Origin.USER]) is Origin.ASSISTANT


@given(
    worth=st.integers(0, 2_000),
    weights=st.text("0123456789abcdefghijklmnopqrstuvwxyz"),
    mark=st.sampled_from(Importance),
)
def test_a_clause_without_an_anchor_stays_below_one_unless_its_turn_is_marked(
    worth: int, weights: str, mark: Importance
) -> None:
    note = shown()._replace(worth=worth, weights=weights)
    factors = clause_factors(note, mark)
    importance = importance_of(factors, says_nothing=not worth)
    assert importance == (min(max(sum(factors.values()), 1), 100) if worth else 0)
    assert importance < 50 or factors["marked"] > 0


@given(
    st.dictionaries(
        st.integers(0, 255),
        st.builds(
            NoteTime,
            day_meant=st.none() | st.text(),
            meant_from=st.none() | st.dates(),
            meant_to=st.none() | st.dates(),
            precision=st.none() | st.sampled_from(["day", "open"]),
            is_plan=st.booleans(),
            valid_from=st.none() | st.dates(),
            valid_to=st.none() | st.dates(),
        ),
    )
)
def test_times_are_read_as_they_were_stored(times: dict[int, NoteTime]) -> None:
    assert unpack_times(pack_times(times)) == times
