"""A new employer replaces the earlier one, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.anchors.statements.employers import changes_employer, employment_of

BOSCH = "Jonas works for Bosch."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (BOSCH, "Jonas is with Siemens now."),
        (BOSCH, "Jonas works at the post office these days."),
        (BOSCH, "Jonas started working for Siemens last week."),
        (BOSCH, "Jonas got a new job at Siemens."),
        ("Our contact Jonas is employed by Bosch.", "Jonas works at Siemens now."),
        ("My sister is working at a bakery.", "Guess what, my sister works for the city council now."),
        ("Jonas is with Bosch.", "Jonas is with Siemens now."),
        ("I'm with Bosch.", "I'm with Siemens now."),
    ],
)
def test_a_new_employer_takes_the_place_of_the_earlier_one(old: str, new: str) -> None:
    assert changes_employer(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (BOSCH, "Jonas also works for Siemens now."),
        (BOSCH, "Jonas works part-time for Siemens now."),
        (BOSCH, "Jonas works for Siemens on Saturdays now."),
        (BOSCH, "Petra works for Siemens now."),
        (BOSCH, "Jonas's brother works for Siemens now."),
        (BOSCH, "Jonas used to work for Siemens."),
        (BOSCH, "Jonas worked for Siemens."),
        (BOSCH, "If Jonas works for Siemens now, he'll hate it."),
        (BOSCH, "Does Jonas work for Siemens now?"),
        (BOSCH, 'He wrote: "Jonas works for Siemens now."'),
        (BOSCH, "Jonas might work for Siemens now."),
        (BOSCH, "Jonas doesn't work for Siemens now."),
        (BOSCH, "Jonas is with Anna now."),
        (BOSCH, "Jonas is with his grandmother now."),
        (BOSCH, "Jonas works from home now."),
        (BOSCH, "Jonas works at night now."),
        (BOSCH, "Jonas works with Siemens now."),
        (BOSCH, "Jonas works for Bosch in Ulm now."),
        (BOSCH, "It works for Siemens now."),
        (BOSCH, "Jonas works for 10 hours a day now."),
        ("Jonas used to work for Bosch.", "Jonas works for Siemens now."),
        ("Tuesday works for Dana.", "Tuesday works for Ravi now."),
        ("The app works for Android.", "The app works for iOS now."),
        (BOSCH, "Jonas started working by bike."),
        (BOSCH, "Jonas is with Priya's team now."),
    ],
)
def test_nothing_else_does(old: str, new: str) -> None:
    assert not changes_employer(new, old)


_WORDS = [
    "Jonas",
    "I",
    "my",
    "sister",
    "works",
    "work",
    "is",
    "with",
    "at",
    "for",
    "Bosch",
    "now",
    "a",
    "the",
    "not",
    "?",
]
words = st.lists(st.sampled_from(_WORDS), max_size=8).map(" ".join)


@given(words, words)
def test_any_words_are_read_and_what_names_no_employer_closes_none(new: str, old: str) -> None:
    assert not changes_employer(new, old) or None not in {employment_of(new), employment_of(old)}
    assert not changes_employer(new, new)
