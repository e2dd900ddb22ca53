"""Notes stored in columns equal the packed notes, in any order of access."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.note_lists import NoteList, Tiers, pack_notes, unpack_notes
from turnfold.contract.notes import Note

_line = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\t"), max_size=12)
_numbers = st.sampled_from([0, 1, 255, 256, 65_535, 65_536, 2**31 - 1]) | st.integers(0, 1_000)
_notes = st.lists(
    st.builds(
        Note, seq=_numbers, place=_numbers, speaker=_line, role=st.sampled_from(["user", "tool"]), day=_line,
        text=_line, tokens=_numbers, worth=_numbers, weights=st.text("09az", max_size=4), gain=st.just(0),
        brief=_line, brief_tokens=_numbers, start=_numbers, end=_numbers,
    ),
    max_size=20,
)  # fmt: skip


@given(_notes)
def test_notes_are_the_same_packed_and_looked_at_one_by_one(notes: list[Note]) -> None:
    assert unpack_notes(pack_notes(notes)) == tuple(notes)
    columns = NoteList(pack_notes(notes))
    assert [columns[at] for at in range(len(columns))] == notes
    assert columns[1:3] == tuple(notes[1:3])
    assert [*columns] == notes


def test_notes_of_a_long_list_are_the_same_whichever_were_made_before() -> None:
    notes = [Note(seq, 0, "Mara", "user", "", f"note {seq}", 3, brief="x" * (seq % 2)) for seq in range(200)]
    columns = NoteList(pack_notes(notes))
    beginning = iter(columns)
    assert next(beginning) == notes[0]
    assert [columns[at] for at in (0, 63, 64, 199, -1)] == [notes[at] for at in (0, 63, 64, 199, -1)]
    assert [notes[0], *beginning] == notes == [*columns]
    assert columns[60:70] == tuple(notes[60:70])


@given(_notes, st.integers(0, 20))
def test_an_outline_keeps_gains_in_the_place_of_worth(notes: list[Note], at: int) -> None:
    kept = [note._replace(worth=0, weights="", gain=note.worth) for note in notes]
    parts = [pack_notes(one, gains=True) for one in (kept[:at], kept[at:])]
    tiers = Tiers(parts)
    assert [*tiers] == kept == [*Tiers.of(kept)]
    assert (len(tiers), tiers == kept, [*tiers.first(1)]) == (len(kept), True, kept[:at])
    assert Tiers.of(tiers) is tiers
