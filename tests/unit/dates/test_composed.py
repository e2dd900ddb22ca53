"""Times of several words, decades and holidays resolve to the right days; phrases that only look like times do not."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import wild_text
from turnfold.contract.periods import MONTHS, Period, whole_month, whole_year
from turnfold.dates.composed import COMPOSED, composed_time, part_of
from turnfold.dates.decades import DECADES, decade_periods
from turnfold.dates.expressions import time_expressions
from turnfold.dates.note_time import time_of
from turnfold.dates.resolve import resolve_relative_days
from turnfold.search.query_times import query_times

_SAID_ON = date(2026, 5, 14)
"""A Thursday."""
days = st.dates(date(1950, 1, 1), date(2090, 1, 1))


def days_meant(text: str) -> list[tuple[str, str | None, str | None]]:
    def iso(day: date | None) -> str | None:
        return day.isoformat() if day else None

    times = time_expressions(text, _SAID_ON)
    return [(time.kind.value, *map(iso, (time.period or Period(None, None))[:2])) for time in times]


@pytest.mark.parametrize(
    ("text", "kind", "first", "last"),
    [
        ("We met the notary the Friday before last.", "when", "2026-05-01", "2026-05-01"),
        ("The course starts the Monday after next.", "when", "2026-05-25", "2026-05-25"),
        ("We sold the boat the summer before last.", "when", "2024-06-01", "2024-08-31"),
        ("I paid the plumber on Tuesday of last week.", "when", "2026-05-05", "2026-05-05"),
        ("They want it by Wednesday of next week.", "until", None, "2026-05-20"),
        ("Term ends on the last Friday in June.", "when", "2026-06-26", "2026-06-26"),
        ("The reunion was on the second Saturday of September 2024.", "when", "2024-09-14", "2024-09-14"),
        ("The audit took place in the second week of March.", "when", "2026-03-08", "2026-03-14"),
        ("The flood was in the last week of January.", "when", "2026-01-25", "2026-01-31"),
        ("We go the first half of August.", "when", "2026-08-01", "2026-08-15"),
        ("It is on the last weekend of next month.", "when", "2026-06-27", "2026-06-28"),
        ("The course begins a week on Monday.", "when", "2026-05-25", "2026-05-25"),
        ("The offer is good until a week from Friday.", "until", None, "2026-05-22"),
        ("The warranty ends six months from today.", "when", "2026-11-14", "2026-11-14"),
        ("We closed the shop three weeks ago today.", "when", "2026-04-23", "2026-04-23"),
        ("I resigned two weeks ago yesterday.", "when", "2026-04-29", "2026-04-29"),
        ("It broke on the night of the 9th.", "when", "2026-05-09", "2026-05-09"),
        ("He retires in a year and a half.", "when", "2027-11-01", "2027-11-30"),
        ("We moved two and a half years ago.", "when", "2023-11-01", "2023-11-30"),
        ("The bridge will be shut for the next three weeks.", "when", "2026-05-14", "2026-06-04"),
        ("We decided it late last year.", "when", "2025-09-01", "2025-12-31"),
        ("This time last year I was ill.", "when", "2025-05-01", "2025-05-31"),
        ("They built it in the late nineties.", "when", "1996-01-01", "1999-12-31"),
        ("My gran was born in the thirties.", "when", "1930-01-01", "1939-12-31"),
        ("We moved here in the early 2000s.", "when", "2000-01-01", "2003-12-31"),
        ("He has lived there since the '80s.", "since", "1980-01-01", None),
        ("He started in late 2024.", "when", "2024-09-01", "2024-12-31"),
        ("We were away over Easter.", "when", "2026-04-03", "2026-04-06"),
        ("We were closed between Christmas and New Year.", "when", "2025-12-25", "2026-01-01"),
        ("The board meets on the first Monday of every month.", "recurring", None, None),
        ("I teach on alternate Fridays.", "recurring", None, None),
        ("We've had the cat for going on five years.", "since", "2021-05-01", None),
    ],
)
def test_words_that_place_a_time_mean_its_days(text: str, kind: str, first: str | None, last: str | None) -> None:
    assert days_meant(text) == [(kind, first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "It was up in the nineties, far too hot.", "He bought a flat in his thirties.", "He is in his late forties.",
        "Our grades are in the eighties.", "The first half of the film dragged.", "The next three items are broken.",
        "I ran for a mile and a half.", "The second half of the match was painful.", "She came second in the race.",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert days_meant(text) == []


def test_late_is_no_part_of_a_week_in_which_somebody_was_late() -> None:
    assert days_meant("I was late last week.") == [("when", "2026-05-04", "2026-05-10")]


def test_a_day_stands_for_the_words_in_a_note() -> None:
    said = "We met the notary the Friday before last."
    assert resolve_relative_days(said, _SAID_ON) == "We met the notary on 1 May 2026."
    time = time_of("We decided it late last year.", _SAID_ON)
    assert time is not None
    assert time[0] == "late 2025"
    assert resolve_relative_days("We decided it late last year.", _SAID_ON) == "We decided it in late 2025."


@given(wild_text, days, st.sampled_from([-1, 0, 1]))
def test_any_text_means_days_in_order(text: str, day: date, toward: int) -> None:
    composed = (composed_time(match, day, toward) for match in COMPOSED.finditer(text))
    told = (period for match in DECADES.finditer(text) for period in decade_periods(match, day, toward))
    periods = [*told, *(time.period for time in composed if time and time.label)]
    assert all(period.days > 0 for period in periods)


@given(
    days,
    st.sampled_from(
        ["the {} before last", "{} of last week", "a week on {}", "the last {} in June", "the {} after next"]
    ),
    st.sampled_from(["Monday", "Wednesday", "Sunday"]),
)
def test_a_named_weekday_is_always_that_day(day: date, form: str, weekday: str) -> None:
    (time,) = time_expressions(f"We meet {form.format(weekday)}.", day)
    assert time.period is not None
    assert time.period.first is not None
    assert time.period.days == 1
    assert time.period.first.strftime("%A") == weekday


@given(days, st.sampled_from(["early", "mid", "late"]))
def test_a_part_lies_in_its_whole(day: date, part: str) -> None:
    for whole in (whole_year(day.year), whole_month(day.year, day.month)):
        assert whole.holds(part_of(whole, part))
    early, late = (part_of(whole_year(day.year), each) for each in ("early", "late"))
    assert not early.meets(late)


@given(days, st.sampled_from(["early", "mid", "late"]))
def test_a_part_of_a_month_is_the_same_by_its_name_and_by_its_distance(day: date, part: str) -> None:
    following = day.replace(day=1) + timedelta(31)
    (by_name,) = time_expressions(f"It opens in {part} {MONTHS[following.month - 1]} {following.year}.", day)
    (by_distance,) = time_expressions(f"It opens in {part} next month.", day)
    assert by_name.period == by_distance.period


def test_a_decade_is_labelled_by_its_years() -> None:
    (decade,) = time_expressions("I grew up in the 1990s.", _SAID_ON)
    assert decade.label == "1990 to 1999"


CASES = [json.loads(line)["text"] for line in (Path(__file__).parent / "time_cases.jsonl").read_text().splitlines()]
FEASTS = ["We go over Christmas.", "It was around Easter weekend.", "We met between Christmas and New Year."]
BOUNDS = ["", "after ", "before ", "since ", "until ", "from "]
_NEAR_AN_END = st.integers(0, 800).flatmap(
    lambda away: st.sampled_from([date.min + timedelta(away), date.max - timedelta(away)])
)


@given(st.sampled_from(FEASTS + CASES), st.sampled_from(BOUNDS), _NEAR_AN_END)
def test_no_time_fails_at_an_end_of_the_calendar(text: str, bound: str, said_on: date) -> None:
    crossed: list[Period] = []
    for words in (text, f"{bound}{text[0].lower()}{text[1:]}", f"We wait {bound}tomorrow, {bound}yesterday."):
        periods = [time.period for time in time_expressions(words, said_on) if time.period]
        crossed += [period for period in periods if (period.first or date.min) > (period.last or date.max)]
        resolve_relative_days(words, said_on)
        time_of(words, said_on)
        query_times(words, said_on)
    assert crossed == []


@pytest.mark.parametrize("said_on", [date.min, date.min + timedelta(300), date.max - timedelta(300), date.max])
@pytest.mark.parametrize("text", [*FEASTS, "We wait until after tomorrow.", "We left before yesterday."])
def test_feasts_and_bounds_have_days_as_far_as_the_calendar_goes(text: str, said_on: date) -> None:
    assert all(time.start < time.end for time in time_expressions(text, said_on))


@pytest.mark.parametrize(
    ("text", "kind", "first", "last", "meant"),
    [
        ("The boat won't sail before June 10.", "since", "2026-06-10", None, "from 10 June 2026"),
        ("Not before July, she says.", "since", "2026-07-01", None, "from July 2026"),
        ("Sail before June 10.", "until", None, "2026-06-09", "before 10 June 2026"),
        ("If it isn't dry before June 10, we paint.", "until", None, "2026-06-09", "before 10 June 2026"),
        ("Don't forget it before June 10.", "until", None, "2026-06-09", "before 10 June 2026"),
        ("The shop is open after June 10.", "since", "2026-06-11", None, "after 10 June 2026"),
        ("The regatta slipped from June to August.", "when", "2026-08-01", "2026-08-31", "August 2026"),
        ("We were there from June to August 2024.", "when", "2024-06-01", "2024-08-31", "June 2024 to August 2024"),
        ("We met in November of last year.", "when", "2025-11-01", "2025-11-30", "November 2025"),
        ("They wed in the summer of last year.", "when", "2025-06-01", "2025-08-31", "summer 2025"),
        ("We'll open in Q3 next year.", "when", "2027-07-01", "2027-09-30", "Q3 2027"),
        ("The last two weeks of July are booked.", "when", "2026-07-01", "2026-07-31", "July 2026"),
        ("We leave tomorrow night.", "when", "2026-05-15", "2026-05-15", "15 May 2026"),
    ],
)
def test_bounds_and_years_of_a_time_are_named(
    text: str, kind: str, first: str | None, last: str | None, meant: str
) -> None:
    assert days_meant(text) == [(kind, first, last)]
    time = time_of(text, _SAID_ON)
    assert time is not None
    assert time.day_meant == meant
    assert time.valid_from is None or not meant.startswith("from")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("It'll be dry within a day or two.", "It'll be dry within a day or two."),
        ("The glaze comes in two weeks or so.", "The glaze comes in two weeks or so."),
        ("We met three quarters of a year ago.", "We met three quarters of a year ago."),
        ("Yesterday's leak is fixed.", "13 May 2026's leak is fixed."),
        ("Last night's leak is fixed.", "Last night's leak is fixed."),
        ("Friday's storm broke the mast.", "Friday's storm broke the mast."),
        ("The lesson moved from Tuesday to Friday.", "The lesson moved from Tuesday to Friday."),
        ("We sail tomorrow night.", "We sail the night of 15 May 2026."),
        ("Is there a tomorrow morning boat?", "Is there a tomorrow morning boat?"),
        ("The survey has been set for Friday.", "The survey has been set for Friday."),
        ("I've been meaning to paint it on Friday.", "I've been meaning to paint it on Friday."),
        ("We've been slow, but on Monday we sail.", "We've been slow, but on Monday we sail."),
        ("We met in June of last year.", "We met in June 2025."),
        ("Yesterday was long.", "13 May 2026 was long."),
    ],
)
def test_what_no_label_can_stand_for_stays_as_said(said: str, shown: str) -> None:
    assert resolve_relative_days(said, _SAID_ON) == shown


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("The letter from June is lost.", "June", "when"),
        ("The pool is open from June.", "June", "since"),
        ("We row on alternate Mondays.", "on alternate Mondays", "recurring"),
        ("We hold a bi-weekly regatta.", "bi-weekly", "recurring"),
        ("I met her last Thursday.", "last Thursday", "when"),
    ],
)
def test_a_time_is_told_with_all_of_its_words(text: str, words: str, kind: str) -> None:
    (time,) = time_expressions(text, _SAID_ON)
    assert (text[time.start : time.end], time.kind.value) == (words, kind)


@pytest.mark.parametrize("text", ["We rowed three Fridays ago.", "It was in her last week."])
def test_what_is_told_in_part_only_is_no_time(text: str) -> None:
    assert days_meant(text) == []
