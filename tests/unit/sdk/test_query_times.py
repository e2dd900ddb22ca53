"""The times in a question become terms that find notes about the same days."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.terms import terms
from turnfold.contract.time_terms import note_time_terms, query_time_terms, said_terms
from turnfold.search.query_times import MOST_TIME_TERMS, NO_TIMES, query_times

THURSDAY = date(2026, 5, 14)
days = st.dates(date(1999, 1, 1), date(2030, 12, 31))
lengths = st.integers(0, 400)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What did we decide yesterday?", ("!2026-05-13",)),
        ("What did we decide last month?", ("!2026-04",)),
        ("What happened in March?", ("!2026-03",)),
        ("What has changed since March?", ("!2026-03", "!2026-04", "!2026-05")),
        ("Where did Ana go between February and April?", ("!2026-02", "!2026-03", "!2026-04")),
        ("What is due by Friday?", ("!2026-05-14", "!2026-05-15")),
    ],
)
def test_a_time_is_looked_for_by_the_days_or_months_it_means(question: str, wanted: tuple[str, ...]) -> None:
    assert query_times(question, THURSDAY).terms == wanted


def test_a_year_is_looked_for_by_its_months_and_as_a_whole() -> None:
    wanted = query_times("Where did they live in 2022?", THURSDAY).terms

    assert wanted == (*(f"!2022-{month:02}" for month in range(1, 13)), "!2022")


def test_before_a_day_is_the_year_up_to_it() -> None:
    wanted = query_times("What did we pay before 3 March?", THURSDAY).terms

    assert wanted[0] == "!2025-03"
    assert wanted[-1] == "!2026-03"


@pytest.mark.parametrize("question", ["What did we decide?", "Do we meet every Tuesday?", "Who may march?"])
def test_a_question_without_a_time_is_looked_for_by_its_words(question: str) -> None:
    assert query_times(question, THURSDAY) == NO_TIMES


def test_without_a_day_only_written_dates_count() -> None:
    assert query_times("What happened last week?", None) == NO_TIMES
    assert query_times("What happened in March 2026?", None).terms == ("!2026-03",)


def test_words_that_count_from_today_are_not_looked_for() -> None:
    assert query_times("Which bus broke down last week?", THURSDAY).words == {"last", "week"}
    assert not query_times("Which bus broke down in March?", THURSDAY).words


@given(days, lengths, lengths, lengths)
def test_periods_that_share_a_day_share_a_term(start: date, note_days: int, shift: int, query_days: int) -> None:
    """A question about days of a note finds it, unless the note is long and the question about few of its days."""
    last = start + timedelta(days=note_days)
    first_asked = min(start + timedelta(days=shift), last)
    wanted = query_time_terms(first_asked, first_asked + timedelta(days=query_days))

    is_coarser = query_days > 13 and note_days <= 60
    is_fine = note_days <= 13
    if is_coarser or is_fine:
        assert set(wanted) & set(note_time_terms(start, last))
    assert len(wanted) <= MOST_TIME_TERMS


@given(days, lengths)
def test_what_was_said_in_a_period_is_found_by_it(start: date, length: int) -> None:
    last = start + timedelta(days=length)

    assert set(query_time_terms(start, last)) & set(said_terms(start))
    assert set(query_time_terms(start, last)) & set(said_terms(last))


@given(days, lengths)
def test_no_word_is_a_term_of_time(start: date, length: int) -> None:
    wanted = note_time_terms(start, start + timedelta(days=length))

    assert wanted
    assert not set(terms(" ".join(wanted))) & set(wanted)
