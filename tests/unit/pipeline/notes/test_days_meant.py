"""A note names the time that it speaks of, with days and precision, if there is only one."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from turnfold.contract.note_times import NoteTime
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.notes.passages import bundles_of, passages_of
from turnfold_worker.pipeline.notes.search_rows import times_of
from turnfold_worker.pipeline.notes.turn_notes import noted
from turnfold_worker.pipeline.turns.reading import read_turn

DAY = datetime(2026, 5, 14, 22, tzinfo=UTC)


def times(content: str, day: datetime | None = DAY) -> list[str | None]:
    return [time.day_meant for time in times_found(content, day)]


def times_found(content: str, day: datetime | None = DAY) -> list[NoteTime]:
    readings = [read_turn(StoredTurn(seq=7, turn_id="m", role=Role.USER, content=content, created_at=day))]
    found = noted(readings)
    told = times_of(found, readings)
    return [told.get((note.seq, note.place), NoteTime()) for note, _ in found]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("I signed the lease yesterday.", "13 May 2026"),
        ("We moved the archive two weeks ago.", "30 April 2026"),
        ("The audit begins next month.", "June 2026"),
        ("The inspector comes next Friday.", "Friday after 14 May 2026"),
        ("The lease ends on 3 June 2029.", "3 June 2029"),
        ("We have rented it for three years now.", "since about 2023"),
        ("The band meets every Tuesday.", "every tuesday"),
        ("We started last month, finishing tomorrow.", None),
        ("It feels like yesterday.", None),
        ("Less than two days ago it worked.", None),
    ],
)
def test_a_time_is_named_where_it_is_the_only_one(said: str, meant: str | None) -> None:
    assert times(said) == [meant]


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("I signed it last week.", (date(2026, 5, 4), date(2026, 5, 10), "week", False, None)),
        ("We'll sign it next month.", (date(2026, 6, 1), date(2026, 6, 30), "month", True, None)),
        ("I have owned it since 2019.", (date(2019, 1, 1), None, "open", False, date(2019, 1, 1))),
        ("The band meets every Tuesday.", (None, None, "recurring", False, None)),
    ],
)
def test_a_time_has_its_days_its_precision_and_whether_it_was_to_come(said: str, time: tuple[object, ...]) -> None:
    (found,) = times_found(said)
    assert (found.meant_from, found.meant_to, found.precision, found.is_plan, found.valid_from) == time


def test_a_turn_without_a_time_tells_no_day() -> None:
    assert times("I signed the lease yesterday.", None) == [None]


def test_a_passage_has_the_times_of_its_own_notes() -> None:
    content = "The lease is long. I signed it yesterday."
    readings = [read_turn(StoredTurn(seq=7, turn_id="m", role=Role.USER, content=content, created_at=DAY))]
    found = noted(readings)
    (passage,) = passages_of([note for note, _ in found], [said for _, said in found], times_of(found, readings))
    ((_, _, packed),) = bundles_of([passage])
    assert packed == '{"1":["13 May 2026","2026-05-13","2026-05-13","day",false,null,null]}'
    (without,) = passages_of([note for note, _ in found])
    assert bundles_of([without])[0][2] is None
