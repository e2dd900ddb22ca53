"""A model's notes replace the rules' notes on the same node, except those on tool output."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from support.conversations import texts, wild
from turnfold.contract.notes import Note
from turnfold.contract.records import Origin
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.notes.overtaken_values import SettledAnchor
from turnfold_worker.pipeline.notes.ranking import ranked
from turnfold_worker.pipeline.refinement.ends import OverStatement
from turnfold_worker.pipeline.refinement.notes import ModelNote
from turnfold_worker.pipeline.refinement.outline_notes import in_place_of, still_so

rules = st.lists(
    st.builds(
        Note, st.integers(1, 9), st.integers(0, 5), st.just("Mara"), st.sampled_from(["user", "tool", "outside"]),
        st.just(""), texts, st.integers(1, 9),
    ),
    max_size=8, unique_by=lambda note: note[:2],
)  # fmt: skip
written = st.lists(
    st.builds(
        ModelNote, turns=st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True).map(tuple),
        speaker=st.sampled_from(["Mara", "Tom"]), role=st.just("user"),
        origin=st.sampled_from(Origin), said_on=st.none() | st.just(date(2026, 5, 14)),
        text=texts | wild, importance=st.integers(1, 5),
    ),
    max_size=8,
)  # fmt: skip


@given(rules, written)
def test_they_stand_in_order_with_what_tools_said_and_no_two_at_one_place(
    notes: list[Note], by_model: list[ModelNote]
) -> None:
    shown = in_place_of(notes, by_model)
    if not by_model:
        assert shown == tuple(notes)
        return
    assert [note[:2] for note in shown] == sorted({note[:2] for note in shown})
    assert sum(note.place >= 1_000 for note in shown) == len(by_model)
    assert {note for note in notes if note.role == "tool"} <= set(shown)
    assert all(note.tokens == estimate_tokens(note.text) + 1 for note in shown if note.place >= 1_000)


def test_the_name_of_the_speaker_is_not_said_twice() -> None:
    told = ModelNote(
        turns=(1,),
        speaker="Mara",
        role="user",
        origin=Origin.USER,
        said_on=date(2026, 5, 14),
        text="Mara moved.",
        importance=3,
    )
    (note,) = in_place_of((), [told])
    assert (note.speaker, note.text, note.day) == ("Mara", "Moved.", "14 May 2026")


def test_a_long_sentence_is_ranked_by_what_its_brief_words_tell() -> None:
    """An event stated at length does not rank behind a detail stated in few words."""
    event = ModelNote(
        turns=(1,), speaker="Mara", role="user", origin=Origin.USER, said_on=None, importance=3,
        text="Mara went to the harbour festival in Bergen on 7 May 2023, where people were kind and she was happy.",
        brief="Went to harbour festival in Bergen on 7 May 2023",
    )  # fmt: skip
    detail = ModelNote(
        turns=(2,), speaker="Mara", role="user", origin=Origin.USER, said_on=None, importance=3,
        text="Mara likes the view.",
        brief="",
    )  # fmt: skip
    notes = in_place_of((), [event, detail])
    assert [note.seq for note in ranked(notes, {"user": 100}, most_tokens=500)] == [1, 2]
    without_brief = in_place_of((), [replace(event, brief=""), detail])
    assert ranked(notes, {"user": 100}, most_tokens=500)[0].gain > next(
        note.gain for note in ranked(without_brief, {"user": 100}, most_tokens=500) if note.seq == 1
    )


@given(rules, written.filter(bool))
def test_what_others_wrote_stays_unless_a_model_wrote_on_its_turn(notes: list[Note], by_model: list[ModelNote]) -> None:
    shown = in_place_of(notes, by_model)
    told = {seq for note in by_model for seq in note.turns}
    kept = {note for note in shown if note.place < 1_000 and note.role == "outside"}
    assert kept == {note for note in notes if note.role == "outside" and note.seq not in told}


@given(written)
def test_no_note_of_a_model_is_trusted_more_than_what_it_rests_on(by_model: list[ModelNote]) -> None:
    voices = [note.role for note in in_place_of((), by_model)]
    assert sorted(voices) == sorted(str(note.origin) for note in by_model)


def test_a_brief_that_says_what_was_overtaken_and_nothing_else_leaves() -> None:
    def noted(brief: str) -> ModelNote:
        return ModelNote(
            turns=(4,), speaker="Mara", role="user", origin=Origin.USER, said_on=None, importance=3,
            text=f"{brief}, so it was said at length.", brief=brief,
        )  # fmt: skip

    over = SettledAnchor(
        4, "The hall costs 300 euros an evening.", is_overtaken=True, by_seq=9, by_text="The hall is 340 now."
    )
    briefs = ["hall 300 euros an evening", "hall 340, once 300 euros", "hall 300 euros; door code 4471, keys at Vera's"]
    kept = still_so(in_place_of((), [noted(brief) for brief in briefs]), [OverStatement.of(over)])
    assert [note.in_brief().text for note in kept] == briefs[1:]
    assert still_so(kept, [OverStatement.of(over._replace(seq=5))]) == kept
    by_rules = Note(4, 0, "Mara", "user", "", "The hall costs 300 euros an evening", 9)
    assert still_so((by_rules,), [OverStatement.of(over)]) == ()
