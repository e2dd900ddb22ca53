"""Times in messages: what is found, which days it means, and what only looks like a time."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import wild_text
from turnfold.contract.periods import Period, day_label, period_label, week_of, weekend_of, whole_month
from turnfold.dates.beside import BESIDE, beside
from turnfold.dates.expressions import Form, Kind, TimeExpression, direction, time_expressions
from turnfold.dates.passed import has_passed
from turnfold.dates.resolve import resolve_relative_days
from turnfold.dates.written import WRITTEN, written_period

CASES: Final = [
    json.loads(line) for line in (Path(__file__).parent / "time_cases.jsonl").read_text("utf-8").splitlines()
]
NOT_UNDERSTOOD: Final = {
    "A year ago today", "28 Dec - 2 Jan", "The year before 2020", "1287", "Blue Monday", "Ruby Tuesday", "fall.",
    "Friday, after the novel", "Sunday is a lovely name",
}  # fmt: skip
"""Found in docs/time.md, too."""
days = st.dates(date(1950, 1, 1), date(2090, 1, 1))


def is_understood(case: dict[str, Any]) -> bool:
    return not any(words in case["text"] for words in NOT_UNDERSTOOD)


def days_of(time: TimeExpression) -> tuple[str | None, str | None]:
    period = time.period or Period(None, None)
    return (period.first and period.first.isoformat(), period.last and period.last.isoformat())


@pytest.mark.parametrize("case", [*filter(is_understood, CASES)], ids=lambda case: case["text"][:50])
def test_a_message_tells_its_times(case: dict[str, Any]) -> None:
    text = case["text"]
    found = time_expressions(text, date.fromisoformat(case["said_on"]))
    wanted = []
    for told in case["times"]:
        start = text.index(told["words"])
        wanted.append((start, start + len(told["words"]), told))
    assert len(found) == len(wanted)
    for time, (start, end, told) in zip(found, wanted, strict=True):
        assert time.start < end
        assert time.end > start
        assert time.kind == told["kind"]
        first, last = days_of(time)
        if time.kind is not Kind.UNTIL:
            assert first == told["first"]
        if time.kind is not Kind.SINCE:
            assert last == told["last"]


def test_most_cases_are_understood() -> None:
    assert len(CASES) > 300
    assert sum(map(is_understood, CASES)) / len(CASES) > 0.97


@given(wild_text, days)
def test_times_stand_in_order_apart_inside_the_text(text: str, said_on: date) -> None:
    found = time_expressions(text, said_on)
    ends = [0, *(time.end for time in found)]
    assert all(ends[i] <= time.start < time.end <= len(text) for i, time in enumerate(found))
    assert all(bool(time.periods) is (time.kind is not Kind.RECURRING) for time in found)


@given(wild_text, days)
def test_a_period_begins_before_it_ends(text: str, said_on: date) -> None:
    closed = [
        period
        for time in time_expressions(text, said_on)
        for period in time.periods
        if period.first is not None and period.last is not None
    ]
    assert [period for period in closed if period.days < 1] == []


@given(days)
def test_a_written_day_is_itself_whenever_it_was_said(day: date) -> None:
    for shown in (day_label(day), day.isoformat(), f"{day:%B} {day.day}, {day.year}"):
        for said_on in (day, day + timedelta(400), None):
            (time,) = time_expressions(f"signed on {shown}", said_on)
            assert time.period == Period(day, day)
            assert not time.relative


@given(days, st.sampled_from(["yesterday", "tomorrow", "two days ago", "last Friday", "next month", "in two weeks"]))
def test_what_is_counted_moves_with_the_day_it_was_said(day: date, words: str) -> None:
    (time,) = time_expressions(words, day)
    (later,) = time_expressions(words, day + timedelta(728))
    assert time.form is Form.COUNTED
    assert time.period is not None
    assert later.period is not None
    assert time.period.first is not None
    assert later.period.first is not None
    assert later.period.first > time.period.first


@given(days)
def test_a_label_is_read_as_the_period_that_it_names(day: date) -> None:
    for period in (whole_month(day.year, day.month), Period(day, day)):
        match = WRITTEN.fullmatch(period_label(period))
        assert match is not None
        assert written_period(match, None) == period


@given(days)
def test_a_week_and_its_weekend_hold_the_day_they_are_of(day: date) -> None:
    assert week_of(day).holds(Period(day, day))
    assert week_of(day).holds(weekend_of(day))
    assert not week_of(day, 1).meets(week_of(day))


@given(days, st.sampled_from(["week", "weekend", "month", "year", "day"]), st.sampled_from(["before", "after"]))
def test_what_is_placed_beside_a_day_lies_on_that_side(day: date, unit: str, side: str) -> None:
    moved = beside(None, unit, None, side, Period(day, day))
    assert moved is not None
    assert moved.last is not None
    assert moved.first is not None
    assert moved.last < day if side == "before" else moved.first > day
    assert BESIDE.search(f"the {unit} {side} ")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("I've had them for 3 years now", "I've had them for 3 years now (since about 2023)"),
        ("I waited for 3 years", "I waited for 3 years"),
        ("it's been a few days since we talked", "it's been a few days since we talked"),
        ("we talked on Friday", "we talked on the Friday before 14 May 2026"),
        ("we talk on Friday", "we talk on Friday"),
        ("I'm busy today, right now", "I'm busy today, right now"),
        ("that trip this past weekend was wild", "that trip the weekend before 14 May 2026 was wild"),
    ],
)
def test_words_are_replaced_only_by_what_they_mean(said: str, shown: str) -> None:
    assert resolve_relative_days(said, date(2026, 5, 14)) == shown


def test_an_open_time_has_not_passed() -> None:
    assert not has_passed("I'll water them every Friday.", date(2026, 5, 14), date(2026, 9, 1))
    assert not has_passed("I have owned it since 2019.", date(2026, 5, 14), date(2026, 9, 1))
    assert has_passed("I'll send it by Friday.", date(2026, 5, 14), date(2026, 9, 1))


@given(days, st.sampled_from(["last", "next", "this"]), st.sampled_from(["spring", "summer", "autumn", "winter"]))
def test_a_season_is_told_on_any_day(day: date, which: str, season: str) -> None:
    assert time_expressions(f"We sold it {which} {season}.", day)


def test_last_winter_is_told_on_each_day_of_january_and_february() -> None:
    for number in range(60):
        assert len(time_expressions("We sold it last winter.", date(2024, 1, 1) + timedelta(number))[0].periods) == 2


@pytest.mark.parametrize(
    ("text", "of_what"),
    [
        ("I sent the list on Tuesday, you should have it.", -1),
        ("I talked to Ann on Friday, I'll call her again.", -1),
        ("On Friday, we will cook.", 1),
        ("If you come on Friday, we will cook.", 1),
        ("We will meet on Friday, I booked a room.", 1),
    ],
)
def test_a_clause_behind_a_comma_does_not_turn_what_happened_into_a_plan(text: str, of_what: int) -> None:
    day = "Tuesday" if "Tuesday" in text else "Friday"
    at = text.index(day)
    assert direction(text, at, at + len(day)) == of_what
