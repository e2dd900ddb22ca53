"""Amounts, days and times are compared by value, not by spelling."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.settled_talk import merged, states
from support.wild_turns import talk
from turnfold.contract.periods import MONTHS
from turnfold.contract.records import AnchorState
from turnfold_worker.pipeline.anchors.statements.limits import limits_otherwise
from turnfold_worker.pipeline.language.quantities import in_one_form

ACTIVE, DUPLICATE, SUPERSEDED = AnchorState.ACTIVE, AnchorState.DUPLICATE, AnchorState.SUPERSEDED


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,500 euros", "€1500"),
        ("$1.5k", "1,500.00 dollars"),
        ("1.2 million pounds", "£1,200,000"),
        ("150ms", "150 milliseconds"),
        ("20 per cent", "20%"),
        ("2 hrs", "2h"),
        ("May 3rd, 2026", "2026-05-03"),
        ("the 3rd of May", "the 3 May"),
        ("Sept. 4", "4 September"),
        ("4 p.m.", "16:00"),
        ("09:30", "9:30 am"),
        ("12 am", "00:00"),
    ],
)
def test_two_ways_to_write_one_amount_day_or_time_are_one(one: str, other: str) -> None:
    assert in_one_form(one) == in_one_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("150 ms", "250 ms"),
        ("150 ms", "150 s"),
        ("5 m", "5 min"),
        ("10k", "10,000"),
        ("€1,500", "$1,500"),
        ("1.10", "1.1"),
        ("v1.10.0", "v1.10"),
        ("9 am", "9 pm"),
        ("12 am", "12 pm"),
        ("3 May", "5 March"),
        ("3/5/2026", "5/3/2026"),
        ("the 1990s", "1990 seconds"),
        ("-5 dollars", "5 dollars"),
        ("10.0.0.1", "10.0.1"),
    ],
)
def test_what_may_differ_stays_as_it_is(one: str, other: str) -> None:
    assert in_one_form(one) != in_one_form(other)


@given(st.integers(0, 10**9), st.integers(0, 99), st.sampled_from([("$", "dollars"), ("€", "EUR"), ("£", "pounds")]))
def test_money_is_one_however_it_is_written(whole: int, cents: int, named: tuple[str, str]) -> None:
    sign, word = named
    assert in_one_form(f"{sign}{whole:,}.{cents:02}") == in_one_form(f"{whole}.{cents:02} {word}")
    assert in_one_form(f"{sign}{whole}") != in_one_form(f"{sign}{whole + 1}")
    assert in_one_form(f"{sign}{whole}.{cents:02}") != in_one_form(f"{sign}{whole}.{(cents + 1) % 100:02}")


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_a_day_is_one_however_it_is_written(day: date) -> None:
    month = MONTHS[day.month - 1]
    assert in_one_form(day.isoformat()) == in_one_form(f"{month} {day.day}, {day.year}")
    assert in_one_form(f"{day.day} {month}") == in_one_form(f"{month[:3]}. {day.day}th") != in_one_form(day.isoformat())


@given(st.text(max_size=120) | st.text("0123456789.,:-$€% kmsaphMayJun", max_size=60))
def test_one_form_of_any_text_is_its_own(text: str) -> None:
    assert in_one_form(in_one_form(text)) == in_one_form(text)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The budget for the trip is 1,500 euros.", "The budget for the trip is €1500."),
        ("The launch of the shop is on 3 May.", "The launch of the shop is on May 3rd."),
        ("The review is on Tuesday.", "The review is Tuesday."),
        ("Dinner is at 7 pm at Luigi's.", "Dinner is at 19:00 at Luigi's."),
        ("The limit is 1,000 rows.", "The limit is 1000 rows."),
    ],
)
def test_the_same_value_written_otherwise_is_a_repeat_and_no_change(first: str, second: str) -> None:
    assert sorted(states(merged(talk(f"user: {first}", f"user: {second}")))) == [ACTIVE, DUPLICATE]


@pytest.mark.parametrize(
    ("first", "second", "state"),
    [
        ("The budget for the trip is 1,500 euros.", "The budget for the trip is €1700.", SUPERSEDED),
        ("The timeout is 30 seconds.", "The timeout is 45s.", SUPERSEDED),
        ("The rent is $900.", "Sorry, I meant €900.", SUPERSEDED),
        ("The rent is $900.", "Sorry, I meant 900 dollars.", ACTIVE),
        ("The launch of the shop is on 3 May.", "Correction: the launch of the shop is on 3 May 2026.", ACTIVE),
    ],
)
def test_only_another_value_takes_the_place_of_one(first: str, second: str, state: AnchorState) -> None:
    assert states(merged(talk(f"user: {first}", f"user: {second}"))) == [state, ACTIVE]


def test_limits_are_compared_as_amounts() -> None:
    assert limits_otherwise("We can go up to 2000 EUR a flight.", "At most €1,500 a flight.")
    assert not limits_otherwise("No more than 1500 euros a flight.", "At most €1,500 a flight.")
