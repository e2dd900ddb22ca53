"""A picture's caption is part of the note on the clause that shows the picture, and of no other."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count

import pytest

from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.turns.treatment import read_segment

DAY = datetime(2026, 5, 14, tzinfo=UTC)


def _notes(content: str) -> list[tuple[str, int]]:
    numbers = count(1)
    turn = StoredTurn(seq=next(numbers), turn_id="t-1", role=Role.USER, name="Mara", content=content, created_at=DAY)
    return [(note.text, note.worth) for note in notes_of(read_segment([turn]))]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "We painted again. Here's our latest work! [shares a photo: a photo of a palm tree at sunset]",
            "Here's our latest work (photo: a palm tree at sunset)",
        ),
        (
            "The kids made this! [shares a photo: a photo of a cup with a face]",
            "The kids made this (photo: a cup with a face)",
        ),
        (
            "Here's the new shed. Can I see yours? [shares a photo: a photo of a red shed]",
            "Here's the new shed (photo: a red shed)",
        ),
    ],
)
def test_a_caption_stands_beside_the_clause_that_shows_it_and_nowhere_else(said: str, shown: str) -> None:
    notes = dict(_notes(said))
    assert notes[shown] > 0
    captions = [worth for text, worth in notes.items() if text.startswith("photo:")]
    assert captions == [0]


def test_a_caption_says_all_where_the_clause_only_points_at_it() -> None:
    pointed = dict(_notes("Take a look at this! [shares a photo: a photo of a clay bowl]"))
    beside = dict(_notes("We moved to Bern in May. [shares a photo: a photo of a clay bowl]"))
    assert pointed["photo: a clay bowl"] > beside["photo: a clay bowl"] > 0
    assert not any("(photo" in text for text in [*pointed, *beside])
