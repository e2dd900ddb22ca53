"""Times that are told by an age: which years they mean, and what stays open."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import wild_text
from turnfold.contract.periods import Period
from turnfold.contract.results import Note
from turnfold.dates.ages import age_time, birth_of, tells_an_age
from turnfold_worker.offline import FoldedConversation, fold

_FIRST: Final = datetime(2026, 5, 1, 9, tzinfo=UTC)
_SAID_ON: Final = _FIRST.date()
_BORN: Final = Period(date(1988, 6, 3), date(1988, 6, 3))
days = st.dates()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("I was born in 1990.", "1990-01-01", "1990-12-31"),
        ("I was born on 3 June 1988 in Ghent.", "1988-06-03", "1988-06-03"),
        ("My birthday is 3 June 1988.", "1988-06-03", "1988-06-03"),
        ("I'm 34 years old.", "1991-05-02", "1992-05-01"),
        ("I'm 34, and I sail.", "1991-05-02", "1992-05-01"),
        ("I turned 40 last week.", "1986-04-20", "1986-04-26"),
    ],
)
def test_who_tells_his_age_or_birthday_says_when_he_was_born(text: str, first: str, last: str) -> None:
    born = birth_of(text, _SAID_ON)
    assert born is not None
    assert born[:2] == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "text",
    [
        "My son was born in 2015.", "My dad turned 70 last week.", "I'm 10 minutes away.", "I'm 90% sure.",
        "My birthday is on 3 June.", "I was born in Ghent.", "I'm turning 40 next year.", "I'm 99.9% sure of it.",
        "I'm 90, maybe 95 percent done.", "I'm 40 and a half weeks pregnant.", "I've turned 12 pages.",
        "I turned 90 degrees and fell.", "Born to Run came out in 1975.",
    ],
)  # fmt: skip
def test_nothing_else_does(text: str) -> None:
    assert birth_of(text, _SAID_ON) is None


@pytest.mark.parametrize(
    ("text", "day_meant"),
    [
        ("I've played the cello since I was ten.", "since about 1998"),
        ("We moved to Ghent when I was 6.", "1994 to 1995"),
        ("When I was twelve, I broke my arm.", "2000 to 2001"),
        ("My brother has sailed since he was ten.", "since he was ten"),
    ],
)
def test_an_age_is_a_time_of_who_was_born_then(text: str, day_meant: str) -> None:
    time = age_time(text, _BORN)
    assert time is not None
    assert time.day_meant == day_meant


@pytest.mark.parametrize(
    "text",
    ["She left when I was 5 minutes late.", "When I was ten pounds lighter", "When I was one of them", "since ten"],
)
def test_what_is_no_age_is_no_time(text: str) -> None:
    assert not tells_an_age(text)
    assert age_time(text, _BORN) is None


@given(wild_text, days, st.none() | st.tuples(days, days))
def test_any_text_on_any_day_is_read(text: str, day: date, born: tuple[date, date] | None) -> None:
    for told in (text, f"I'm 34 years old. {text}", f"I turned 40 yesterday, {text}", f"I was born in 1990. {text}"):
        birth = birth_of(told, day)
        assert birth is None or birth.first is None or birth.last is None or birth.first <= birth.last
        time = age_time(f"{text} when I was twelve", birth)
        assert time is None or time.meant_from is None or time.meant_to is None or time.meant_from <= time.meant_to
    assert born is None or age_time("since I was ten", Period(min(born), max(born))) is not None


def talk(*said: str) -> FoldedConversation:
    """A talk of a user with an assistant, a minute apart, that others on a later day end."""
    first = [
        {
            "role": ("user", "assistant")[at % 2],
            "content": text,
            "created_at": (_FIRST + timedelta(minutes=at)).isoformat(),
        }
        for at, text in enumerate(said)
    ]
    later = (_FIRST + timedelta(days=9)).isoformat()
    more = [{"role": "user", "content": "The heron is back at the pond. " * 9, "created_at": later}] * 6
    return fold([*first, *more])


def note_of(conversation: FoldedConversation, words: str) -> Note:
    return next(note for note in conversation.notes(states=None) if words in note.text)


def test_a_note_and_a_context_tell_the_years_of_an_age() -> None:
    with talk("I was born in 1990.", "Noted.", "I've played the cello since I was ten.") as conversation:
        note = note_of(conversation, "cello")
        anchors = [anchor for anchor in conversation.anchors() if "cello" in anchor.text]
        text = conversation.context(budget_tokens=300, query="cello").text

    assert note.text == "I've played the cello since I was ten (since about 2000)"
    assert (note.meant_from, note.meant_to, note.precision) == (date(2000, 1, 1), None, "open")
    assert [anchor.valid_from for anchor in anchors] == [date(2000, 1, 1)]
    assert "since I was ten (since about 2000)" in text


@pytest.mark.parametrize("said", ["My son was born in 1990.", 'She wrote: "I was born in 1990."', "Born to be wild."])
def test_where_nobody_knows_the_year_the_time_is_open(said: str) -> None:
    with talk(said, "I'm 34 years old.", "I've played the cello since I was ten.") as conversation:
        note = note_of(conversation, "cello")

    assert note.text == "I've played the cello since I was ten"
    assert (note.day_meant, note.meant_from, note.precision) == ("since I was ten", None, "open")
