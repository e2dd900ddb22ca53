"""Times in messages are found and resolve to the right days; phrases that only look like times do not."""

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
from turnfold.dates.direction import direction
from turnfold.dates.expressions import time_expressions
from turnfold.dates.note_time import time_of
from turnfold.dates.passed import has_passed
from turnfold.dates.resolve import resolve_relative_days
from turnfold.dates.seasons import seasons_away, seasons_near
from turnfold.dates.time_expression import Form, Kind, TimeExpression
from turnfold.dates.written import WRITTEN, written_period

CASES: Final = [
    json.loads(line) for line in (Path(__file__).parent / "time_cases.jsonl").read_text("utf-8").splitlines()
]
NOT_UNDERSTOOD: Final = {
    "A year ago today", "28 Dec - 2 Jan", "The year before 2020", "1287", "Blue Monday", "Ruby Tuesday", "fall.",
    "Friday, after the novel", "Sunday is a lovely name",
}  # fmt: skip
"""Expressions that are not understood, as listed in docs/time.md."""
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
        (
            "I painted the fence on Friday, it looks fine",
            "I painted the fence on the Friday before 14 May 2026, it looks fine",
        ),
        ("they've changed the list, I'm at the mill on Friday", "they've changed the list, I'm at the mill on Friday"),
        ("I fed the goats Friday mornings", "I fed the goats Friday mornings"),
        ("on a normal Friday we fed 40 goats", "on a normal Friday we fed 40 goats"),
        ("I told the Friday crew", "I told the Friday crew"),
        ("Friday the 22nd was full, they said", "Friday the 22nd was full, they said"),
        ("she worked Monday to Friday from nine", "she worked Monday to Friday from nine"),
        ("the boat was booked over the weekend of the 23rd", "the boat was booked over the weekend of the 23rd"),
        ("we fed them Friday lunch", "we fed them Friday lunch"),
        ("the pump is promised for Friday", "the pump is promised for the Friday after 14 May 2026"),
        ("Could we meet on Friday?", "Could we meet on the Friday after 14 May 2026?"),
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
        ("They painted it, I'm at home on Friday.", 0),
        ("Minimum for Friday: one set each.", 0),
        ("It has stood there since Friday.", -1),
        ("The gate is locked on Friday.", 1),
    ],
)
def test_a_clause_behind_a_comma_does_not_turn_what_happened_into_a_plan(text: str, of_what: int) -> None:
    day = "Tuesday" if "Tuesday" in text else "Friday"
    at = text.index(day)
    assert direction(text, at, at + len(day)) == of_what


WEDNESDAY: Final = date(2026, 3, 11)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("The alert fired an hour ago.", "2026-03-11", "2026-03-11"),
        ("I pushed the fix ten minutes ago.", "2026-03-11", "2026-03-11"),
        ("Half an hour ago the line went dead.", "2026-03-11", "2026-03-11"),
        ("I ate an hour and a half ago.", "2026-03-11", "2026-03-11"),
        ("The job died 24 hours ago.", "2026-03-10", "2026-03-10"),
        ("She wrote 36 hours ago.", "2026-03-09", "2026-03-10"),
        ("We bought the boat two summers ago.", "2024-06-01", "2024-08-31"),
        ("They met three winters ago.", "2023-12-01", "2024-02-29"),
        ("Our anniversary is on the 23rd.", "2026-03-23", "2026-03-23"),
        ("The ceremony took place on the 5th of this month.", "2026-03-05", "2026-03-05"),
        ("We met the surveyor on the 20th.", "2026-02-20", "2026-02-20"),
        ("Send it by the 9th, please.", None, "2026-04-09"),
        ("I'm off for the rest of the week.", "2026-03-11", "2026-03-15"),
    ],
)
def test_hours_ordinals_and_seasons_have_days(text: str, first: str | None, last: str) -> None:
    (time,) = time_expressions(text, WEDNESDAY)
    assert days_of(time) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "We live on the 3rd floor.", "It broke on the 2nd attempt.", "I spent the rest of the week in bed.",
        "The drive takes two hours.", "Turn it an hour earlier than usual.", "The token must expire in 15 minutes.",
        "He came in on the 31th place.",
    ],
)  # fmt: skip
def test_what_only_looks_like_hours_or_ordinals_is_no_time(text: str) -> None:
    assert time_expressions(text, WEDNESDAY) == []


@given(days, st.integers(1, 31), st.sampled_from(["We will go on the {}th, at noon.", "We left on the {}th, at noon."]))
def test_a_day_of_the_month_is_near_on_its_side(day: date, number: int, said: str) -> None:
    (time,) = time_expressions(said.format(number), day)
    assert time.period is not None
    assert time.period.first is not None
    assert time.period.first.day == number
    away = (time.period.first - day).days
    assert 0 <= (away if "will" in said else -away) <= 62


@given(days, st.integers(1, 300), st.sampled_from(["hours", "minutes"]))
def test_hours_ago_are_never_ahead_nor_farther_than_they_are(day: date, count: int, unit: str) -> None:
    (time,) = time_expressions(f"It stopped {count} {unit} ago.", day)
    assert time.period is not None
    assert time.period.first is not None
    assert time.period.last is not None
    hours = count / (1 if unit == "hours" else 60)
    assert time.period.last <= day
    assert hours / 24 <= (day - time.period.first).days + 1 <= hours / 24 + 2


@pytest.mark.parametrize(
    ("said", "is_plan"),
    [
        ("I finished the tiling this morning.", False),
        ("The alert fired an hour ago.", False),
        ("Earlier today the vet called.", False),
        ("I'll merge the branch this afternoon.", True),
        ("We're having dinner with the Okafors tonight.", True),
        ("Later today I'm seeing the dentist.", True),
        ("I'm working on the parser today.", False),
        ("I have to call the bank today.", True),
    ],
)
def test_a_statement_of_its_own_day_names_it(said: str, *, is_plan: bool) -> None:
    time = time_of(said, WEDNESDAY)
    assert time is not None
    assert (time.day_meant, time.meant_from, time.meant_to) == ("11 March 2026", WEDNESDAY, WEDNESDAY)
    assert (time.precision, time.is_plan) == ("day", is_plan)


def test_a_day_that_is_named_beside_its_own_is_the_one_that_a_statement_speaks_of() -> None:
    time = time_of("I told him today that we leave tomorrow.", WEDNESDAY)
    assert time is not None
    assert time.day_meant == "12 March 2026"


def test_seasons_are_named_by_their_year() -> None:
    assert resolve_relative_days("We met two winters ago.", WEDNESDAY) == "We met in winter 2024."


@given(days, st.sampled_from(["spring", "summer", "autumn", "winter"]), st.integers(1, 9), st.sampled_from([-1, 1]))
def test_seasons_away_are_clear_of_the_day_and_a_year_apart(day: date, season: str, count: int, sign: int) -> None:
    near, far = (seasons_away(str(number), season, day, sign) for number in (count, count + 1))
    assert seasons_near(season, sign, day)[0] == seasons_away("one", season, day, sign)
    for first, last in ((near.first, near.last), (far.first, far.last)):
        assert first is not None
        assert last is not None
        assert last < day if sign < 0 else first > day
    assert near.first is not None
    assert far.first is not None
    assert far.first.year - near.first.year == sign


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("The slides are online within four weeks.", "The slides are online by 11 June 2026."),
        ("They all arrive on the last night.", "They all arrive on the last night."),
        ("We met last night.", "We met the night of 13 May 2026."),
    ],
)
def test_a_time_up_to_a_day_is_not_that_day_and_the_last_night_is_not_last_night(said: str, shown: str) -> None:
    assert resolve_relative_days(said, date(2026, 5, 14)) == shown


@pytest.mark.parametrize(
    ("text", "words", "first", "last"),
    [
        ("we go live on tuesday 7 april", "tuesday 7 april", date(2026, 4, 7), date(2026, 4, 7)),
        ("the week before easter is her busiest", "the week before easter", date(2026, 3, 29), date(2026, 4, 4)),
        ("the lease ends on 31 december", "31 december", date(2026, 12, 31), date(2026, 12, 31)),
    ],
)
def test_days_are_read_as_they_are_typed(text: str, words: str, first: date, last: date) -> None:
    (time,) = [found for found in time_expressions(text, date(2026, 3, 11)) if found.period]
    assert text[time.start : time.end].endswith(words)
    assert (time.periods[0].first, time.periods[0].last) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "of those 5 may fail",
        "you may 3 of these",
        "we march 5 miles",
        "5 octaves",
        "round to 2 dec places",
        "ask jan 2 things",
        "april 20 looked great on her",
        "there is an easter egg in the app",
    ],
)
def test_what_is_typed_like_a_day_and_is_none_is_no_time(text: str) -> None:
    assert time_expressions(text, date(2026, 3, 11)) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Two men tested the duct and the bearing is gone, the part comes on Friday.", date(2026, 4, 10)),
        ("I've got a call with the lawyer on the 26th.", date(2026, 4, 26)),
        ("The plumber didn't come on Friday.", date(2026, 4, 3)),
        ("The launch on Friday went well.", date(2026, 4, 3)),
        ("We had a rough start on Friday.", date(2026, 4, 3)),
        ("I've got a letter that you sent on Friday.", date(2026, 4, 3)),
        ("The part came on Friday.", date(2026, 4, 3)),
        ("I got the letter on Friday.", date(2026, 4, 3)),
    ],
)
def test_what_stands_right_before_a_day_says_on_which_side_it_lies(text: str, day: date) -> None:
    (time,) = time_expressions(text, date(2026, 4, 6))
    assert time.periods[0].first == day


@pytest.mark.parametrize(
    ("text", "first", "last", "label"),
    [
        ("We moved half a year ago.", "2025-11-01", "2025-11-30", "November 2025"),
        ("The contract ends in half a year.", "2026-11-01", "2026-11-30", "November 2026"),
        ("I've worked on it for half a year now.", "2025-11-01", None, "about November 2025"),
        ("I fell half a week ago.", "2026-05-08", "2026-05-12", "a few days before 14 May 2026"),
        ("Half an hour ago I called.", "2026-05-14", "2026-05-14", ""),
        ("We'll be done within a week.", "2026-05-14", "2026-05-21", "21 May 2026"),
    ],
)
def test_half_of_a_unit_is_a_number_of_smaller_ones(text: str, first: str, last: str | None, label: str) -> None:
    (time,) = time_expressions(text, date(2026, 5, 14))
    period = time.periods[-1]
    assert (str(period.first), str(period.last) if period.last else None, time.label) == (first, last, label)


@pytest.mark.parametrize(
    ("text", "days_told"),
    [
        ("We sail on June 4 and dock on the 21st.", ["2026-06-04", "2026-06-21"]),
        ("The exam is on 12 May, the results come on the 3rd.", ["2026-05-12", "2026-06-03"]),
        ("We'll ski from December 27 and drive home on the 2nd.", ["2026-12-27", "2027-01-02"]),
        ("They dug it up on February 3 and filled it in on the 9th.", ["2026-02-03", "2026-02-09"]),
        ("The kiln is here June 28-30, the glaze comes on the 1st.", ["2026-06-28", "2026-07-01"]),
        ("The fair is next month, on the 4th.", ["2026-04-01", "2026-04-04"]),
        ("I see the dentist on the 24th.", ["2026-03-24"]),
        ("May I bring it on the 24th?", ["2026-03-24"]),
        ("We were in Porto in January. We move on the 20th.", ["2026-01-01"]),
        ("We dock on the 3rd and sail on the 9th of June.", ["2026-06-09"]),
        ("We left the april notes there, see you on the 19th.", []),
    ],
)
def test_a_day_of_the_month_belongs_to_the_month_that_is_named_before_it(text: str, days_told: list[str]) -> None:
    times = time_expressions(text, WEDNESDAY)
    assert [str(time.periods[0].first) for time in times] == days_told


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("We've been to Oslo in April.", date(2025, 4, 1)),
        ("She has never flown in December.", date(2025, 12, 1)),
        ("They have already eaten there in July.", date(2025, 7, 1)),
        ("The choir sings in April.", date(2026, 4, 1)),
        ("I'll be gone in June.", date(2026, 6, 1)),
        ("It has to be done in June.", date(2026, 6, 1)),
    ],
)
def test_the_perfect_tense_is_about_the_past(text: str, day: date) -> None:
    (time,) = time_expressions(text, WEDNESDAY)
    assert time.periods[0].first == day


@pytest.mark.parametrize(
    "text",
    [
        "I haven't spoken to my uncle in two years.", "Nobody has fed the hens in three days.",
        "Have you seen a heron in two years?", "It's our first goal in ten weeks.", "The worst frost in nine years!",
        "That's the fifth flat tyre in two months.", "He fell off the roof four times in two weeks.",
        "We haven't run out of hay in six months because she's counting it.",
    ],
)  # fmt: skip
def test_a_length_of_what_has_been_is_no_day_to_come(text: str) -> None:
    assert time_expressions(text, WEDNESDAY) == []


@pytest.mark.parametrize(
    "text",
    [
        "I have a scan in two weeks.", "We'll have moved in two weeks.", "The first lesson is in two weeks.",
        "The best seats go on sale in two weeks.", "The last ferry leaves in two weeks.",
        "I have to see him in two weeks.",
    ],
)  # fmt: skip
def test_what_is_to_come_in_two_weeks_has_its_day(text: str) -> None:
    (time,) = time_expressions(text, WEDNESDAY)
    assert time.label == "25 March 2026"


@pytest.mark.parametrize(
    ("text", "of_what"),
    [
        ("We ordered a stove, arrives friday.", 1),
        ("I got the keys and the course begins friday.", 1),
        ("His permit expires friday.", 1),
        ("I was told the boat would dock on friday.", 0),
        ("She promised to ring us on friday.", 0),
        ("He said the grades are out on friday.", 0),
        ("I said before friday.", 0),
        ("I said sunday, not friday.", 0),
        ("friday is too soon, we said so.", 0),
        ("friday's lesson is cancelled.", 0),
        ("friday's lesson was moved.", 0),
        ("The pool is closed friday.", 0),
        ("friday's storm broke the mast.", -1),
        ("friday was long, we slept.", -1),
        ("She told me on friday that it works.", -1),
        ("He said he'd been there on friday.", -1),
        ("They arrived friday.", -1),
        ("We planned it on friday.", -1),
        ("The start on friday was rough.", -1),
    ],
)
def test_a_day_is_on_the_side_of_its_own_verb(text: str, of_what: int) -> None:
    at = text.index("friday")
    assert direction(text, at, at + len("friday")) == of_what


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The permit expires in January.", date(2027, 1, 1)),
        ("My niece turns six in February.", date(2027, 2, 1)),
        ("I turn sixty in January.", date(2027, 1, 1)),
        ("The course ends in February.", date(2027, 2, 1)),
        ("The ends in February were frayed.", date(2026, 2, 1)),
        ("It ended in February.", date(2026, 2, 1)),
    ],
)
def test_what_begins_or_ends_in_a_month_does_so_in_the_one_to_come(text: str, day: date) -> None:
    (time,) = time_expressions(text, WEDNESDAY)
    assert time.periods[0].first == day


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("we've kept bees since april", date(2025, 4, 1)),
        ("they wed in december", date(2025, 12, 1)),
        ("the hull is painted by end of october", date(2026, 10, 1)),
        ("the fair is on june 14", date(2026, 6, 14)),
        ("the form is due july 3", date(2026, 7, 3)),
        ("closing day is june 15", date(2026, 6, 15)),
        ("in may we had frost", date(2025, 5, 1)),
        ("since march i have been on call", date(2026, 3, 1)),
    ],
)
def test_months_are_read_in_lower_case_where_they_are_times(text: str, first: date) -> None:
    (time,) = time_expressions(text, WEDNESDAY)
    assert (time.periods[0].first or time.periods[0].last) in (first, period_end(first))


def period_end(first: date) -> date:
    return whole_month(first.year, first.month).last or first


@pytest.mark.parametrize(
    "text",
    [
        "some of may be lost", "the few of may not come", "we go in march to the drum", "we thanked june 3 times",
        "ask april 2 things", "an august 3 pages", "they march 12 miles", "come in may 3 of us help",
    ],
)  # fmt: skip
def test_words_that_are_months_too_are_no_times(text: str) -> None:
    assert time_expressions(text, WEDNESDAY) == []
