"""More notes under the lines of a context: as if all had been put there at once, and at the same price."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble.by_value.fitting import fitting_notes
from turnfold.assemble.by_value.group_spans import GroupSpan, grouped, with_more
from turnfold.assemble.pricing import Pricing, Style
from turnfold.contract.notes import Note
from turnfold.tokens import ESTIMATOR

SPANS = [GroupSpan(1, 9, "L2:turns-1-9"), GroupSpan(10, 19, "L2:turns-10-19"), GroupSpan(20, 30, "L1:end-3")]
_notes = st.lists(
    st.builds(
        lambda seq, place, speaker, day, text: Note(seq, place, speaker, "user", day, text, 4),
        st.integers(1, 30), st.integers(0, 3), st.sampled_from(["Ana", "Bo"]),
        st.sampled_from(["", "1 May 2026", "2 May 2026"]), st.sampled_from(["uses Celery", "ready?", "done;"]),
    ),
    max_size=30, unique_by=lambda note: (note.seq, note.place),
)  # fmt: skip


@given(_notes, st.integers(0, 30))
def test_groups_with_more_notes_are_those_of_all_notes(notes: list[Note], at: int) -> None:
    before = grouped(SPANS, notes[:at])
    found = with_more(before, notes[at:])
    assert found == grouped(SPANS, notes)
    first = min((note.seq for note in notes[at:]), default=31)
    assert all(one is other for one, other in zip(found, before, strict=True) if one.last_seq < first)


@given(_notes, st.integers(0, 30))
def test_notes_after_others_cost_what_all_cost_together(notes: list[Note], at: int) -> None:
    pricing = Pricing(ESTIMATOR, Style(short=False, openings=("[",)))
    together = fitting_notes(notes, SPANS, 10_000, pricing)
    first = fitting_notes(notes[:at], SPANS, 10_000, pricing)
    then = fitting_notes(notes[at:], SPANS, 10_000, pricing, labels=first.labels)
    assert first.notes + then.notes == together.notes == notes
    assert first.tokens + then.tokens == together.tokens
