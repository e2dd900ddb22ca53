"""A note is withdrawn by a later retraction of its speaker, however many turns lie between."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.notes import Note, in_order
from turnfold.contract.overtaken import OvertakenIndex
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.notes.taken_back import cues_among, taken_back


def note(seq: int, text: str, speaker: str = "user", role: str = "user") -> Note:
    return Note(seq, 0, speaker, role, "", text, 5)


def gone(*notes: Note, corrections: tuple[tuple[int, str], ...] = ()) -> list[str]:
    overtaken = OvertakenIndex(taken_back(cues_among(notes, corrections), in_order(notes)))
    return [each.text for each in notes if overtaken.tells(each.seq, note_stems(each.text))]


PLANTS = note(1, "In the raised bed we plant tomatoes")


def test_a_correction_takes_back_the_sentence_that_it_says_anew() -> None:
    assert gone(PLANTS, note(90, "Correction: in the raised bed we plant leeks")) == [PLANTS.text]
    assert gone(PLANTS, note(90, "Correction: in the greenhouse we plant leeks")) == []


def test_an_anchor_has_the_cue_that_a_note_leaves_out() -> None:
    newer = note(90, "In the raised bed we plant leeks")

    assert gone(PLANTS, newer, corrections=((90, "Actually, in the raised bed we plant leeks."),)) == [PLANTS.text]
    assert gone(PLANTS, newer) == []


def test_what_holds_no_longer_and_what_another_thing_is_done_instead_of() -> None:
    train = note(1, "We take the night train to Vienna")

    assert gone(train, note(40, "We fly to Vienna instead of taking the night train")) == [train.text]
    assert gone(train, note(40, "We fly to Oslo instead of taking the night train")) == []
    assert gone(train, note(40, "We no longer take the night train")) == [train.text]


def test_scratch_that_is_about_what_its_speaker_said_right_before() -> None:
    far, near = note(1, "We rent the red van"), note(5, "We paint the hall navy")

    assert gone(far, near, note(7, "Scratch that")) == [near.text]
    assert gone(far, near, note(30, "Scratch that")) == []


def test_nobody_takes_back_what_somebody_else_said() -> None:
    newer = "Correction: in the raised bed we plant leeks"

    assert gone(note(1, PLANTS.text, "Ana"), note(9, newer, "Tom")) == []
    assert gone(PLANTS, note(9, newer, "assistant", "assistant")) == []


sentences = st.sampled_from(
    ["We use Kafka", "We no longer use Kafka", "Scratch that", "Correction: we use Redis", "Do we use Kafka?", "Fine"]
)


@given(st.lists(sentences, max_size=40), st.integers(0, 20))
def test_what_is_taken_back_was_said_before_and_stays_so_whatever_follows(texts: list[str], more: int) -> None:
    notes = [note(seq, text) for seq, text in enumerate(texts, 1)]
    overtaken = taken_back(cues_among(notes), notes)
    followed = [*notes, *(note(len(notes) + 1 + i, f"Fine {i}") for i in range(more))]

    assert all(0 < statement.seq < statement.by_seq for statement in overtaken)
    assert taken_back(cues_among(followed), followed) == overtaken
