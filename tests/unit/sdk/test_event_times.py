"""'Before the trip', 'since the move': a query's time is relative to the day that a note gives for the event."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.contract.notes import Note
from turnfold.contract.time_terms import said_terms
from turnfold.search.event_times import EventTime, event_of
from turnfold_worker.offline import FoldedConversation, fold

_FIRST: Final = datetime(2026, 3, 1, 9, tzinfo=UTC)
_TODAY: Final = date(2026, 5, 19)


def note(text: str, seq: int = 1, day: str = "5 March 2026") -> Note:
    return Note(seq, 0, "Ana", "user", day, text, 5, worth=100)


@pytest.mark.parametrize(
    ("question", "relation", "words"),
    [
        ("What did we buy before the trip?", "before", "trip"),
        ("What did we buy before our trip to Rome?", "before", "trip"),
        ("Who called after the wedding", "after", "wedding"),
        ("What has changed since the move, and why?", "since", "move"),
        ("What did Dana say during the board meeting about costs?", "during", "board meeting"),
        ("Following Ana's surgery, what did the doctor say?", "after", "surgery"),
    ],
)
def test_a_question_names_the_event_it_counts_from(question: str, relation: str, words: str) -> None:
    assert event_of(question) == EventTime(relation, words)


@pytest.mark.parametrize(
    "question",
    [
        "What did we buy before noon?",
        "Who comes after Ana?",
        "What is the trip like?",
        "Since when do we pay rent?",
        "",
    ],
)
def test_a_question_without_an_event_names_none(question: str) -> None:
    assert event_of(question) is None


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("trip", "The trip to Norway is on 12 March."),
        ("trip", "We leave for Norway on 12 March, the trip at last"),
        ("move", "We moved to Oslo on 12 March 2026."),
        ("wedding", "Ben got married on 12 March 2026."),
        ("board meeting", "The board meeting takes place on 12 March."),
    ],
)
def test_a_note_dates_its_event_by_its_words_or_as_a_deed(words: str, text: str) -> None:
    assert EventTime("after", words).day_in([note(text)]) == (date(2026, 3, 12), date(2026, 3, 12))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("trip", "We booked a cabin for the trip on 12 March."),
        ("trip", "I packed before the trip on 12 March."),
        ("trip", "The trip was wonderful."),
        ("trip", "The concert is on 12 March."),
        ("wedding", "The menu of the wedding came on 12 March."),
        ("board meeting", "The meeting is on 12 March."),
        ("trip", "The trip is on 12 March or on 3 May."),
        ("move", "The move took from 1 January to 31 December 2025."),
    ],
)
def test_what_only_mentions_an_event_does_not_date_it(words: str, text: str) -> None:
    assert EventTime("after", words).day_in([note(text)]) is None


def test_the_newest_note_tells_when_an_event_is() -> None:
    notes = [note("The trip is on 12 March.", 4), note("The trip is on 20 March.", 9), note("The trip is soon.", 12)]
    assert EventTime("after", "trip").day_in(notes) == (date(2026, 3, 20), date(2026, 3, 20))


days = st.dates(date(2001, 1, 1), date(2029, 12, 31))


@given(days, st.integers(0, 20), st.integers(-250, 250))
@examples(100)
def test_the_days_that_are_meant_lie_on_their_side_of_the_event(first: date, length: int, away: int) -> None:
    last = first + timedelta(days=length)
    said = first + timedelta(days=away)
    terms = set(said_terms(said))
    before = terms & set(EventTime("before", "trip").time_terms(first, last, None))
    after = terms & set(EventTime("after", "trip").time_terms(first, last, None))
    since = terms & set(EventTime("since", "trip").time_terms(first, last, None))
    assert bool(before) is (said < first)
    assert bool(after) is (said > last)
    assert bool(since) is (said >= first)


@given(days, st.integers(0, 200))
@examples(50)
def test_nothing_after_today_is_meant(first: date, away: int) -> None:
    today = first + timedelta(days=away)
    terms = EventTime("since", "trip").time_terms(first, first, today)
    assert set(said_terms(first)) & set(terms)
    assert max(terms) <= f"!{today.isoformat()}~"


@pytest.fixture(scope="module")
def travels() -> FoldedConversation:
    bought = {
        0: "Ana bought a green tent for 240 euros.", 20: "Ana bought a red kayak for 900 euros.",
        5: "The trip to Norway is on 12 March.", 30: "We booked a cabin for the trip on 2 March.",
    }  # fmt: skip
    return fold(
        {
            "role": "user", "name": "Ben", "created_at": (_FIRST + timedelta(days=day)).isoformat(),
            "content": bought.get(day) or f"The caterer sent menu {day} and the second one looked fine.",
        }
        for day in range(80)
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "shown", "hidden"),
    [
        ("What did Ana buy before the trip?", "green tent", "red kayak"),
        ("What did Ana buy after the trip?", "red kayak", "green tent"),
        ("What did Ana buy since the trip?", "red kayak", "green tent"),
    ],
)
def test_what_happened_on_the_side_of_the_event_comes_first(
    travels: FoldedConversation, question: str, shown: str, hidden: str
) -> None:
    text = travels.context(budget_tokens=240, query=question).text
    assert shown in text
    assert hidden not in text


def test_an_event_that_no_note_dates_changes_nothing(travels: FoldedConversation) -> None:
    unknown = travels.context(budget_tokens=250, query="What did Ana buy before the opera?").text
    plain = travels.context(budget_tokens=250, query="What did Ana buy, opera?").text
    assert [line for line in unknown.splitlines() if "bought" in line] == [
        line for line in plain.splitlines() if "bought" in line
    ]
    assert "green tent" in unknown
    assert "red kayak" in unknown
