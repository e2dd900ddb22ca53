"""A change is recognized in a text, and closes the earlier statement that it is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold_worker.pipeline.anchors.statements.value_changes import Kind, overtakes_value, value_change

things = st.sampled_from(["monthly cap", "session timeout", "travel budget", "speed limit", "warehouse", "deposit"])
amounts = st.integers(1, 9_999)
told = st.sampled_from(
    ["We raised the {} to {} dollars.", "They lowered the {} to {} dollars.", "The {} has grown to {} dollars.",
     "So the {} comes to {} dollars.", "The {} was cut to {} dollars."]
)  # fmt: skip


@given(told, things, things, amounts, amounts)
@examples(200)
def test_only_another_value_of_the_same_thing_is_overtaken(form: str, thing: str, of: str, now: int, then: int) -> None:
    overtaken = overtakes_value(form.format(thing, now), f"The {of} is {then} dollars.")
    assert overtaken is (thing == of and now != then)


@given(st.text(max_size=300), st.text(max_size=300))
@examples(200)
def test_any_text_is_read_and_overtakes_nothing_equal_to_it(new: str, old: str) -> None:
    assert overtakes_value(new, new) is False
    assert overtakes_value(new, old) in {True, False}


@pytest.mark.parametrize(
    ("text", "kind", "after"),
    [
        ("We renamed the mobile project to Osprey.", Kind.NAME, "osprey"),
        ("Marek took over billing from Priya.", Kind.OWNER, "marek"),
        ("The newsletter was handed over to Luis.", Kind.OWNER, "luis"),
        ("The picnic has been called off.", Kind.CANCELLED, "called off"),
        ("Our plan went from 5 to 12 seats.", None, ""),
        ("The timeout went up from 5 to 12 seconds.", Kind.VALUE, "12 seconds"),
    ],
)
def test_a_change_is_of_a_kind_and_says_what_holds_now(text: str, kind: Kind | None, after: str) -> None:
    change = value_change(text)
    assert (change and change.kind, change.after if change else "") == (kind, after)


@pytest.mark.parametrize(
    "text",
    [
        "We may raise the monthly cap to 750 dollars.",
        "Should we raise the monthly cap to 750 dollars?",
        "If sales grow, we raised the monthly cap to 750 dollars for nothing.",
        "Please cut the session timeout to 5 minutes.",
        "Last year the exchange rate fell to 4.22.",
        'He wrote "we raised the monthly cap to 750 dollars".',
        "I've set up my app to use 3 workers and listen on port 10000.",
        "We changed the importer to read 3 files at once.",
        "Acme increased their plan from 5 to 12 seats.",
    ],
)
def test_what_is_wished_asked_bygone_or_of_others_changes_nothing(text: str) -> None:
    assert value_change(text) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My rent is 940 euros.", "The landlord put the rent up to 990 euros."),
        ("Class 7b has 24 pupils.", "Class 7b is up to 27 pupils."),
        ("I run 30 kilometres a week.", "I'm up to 45 kilometres a week."),
        ("The trip is for ten days.", "We shortened the trip to a week."),
        ("Lena owns the search index.", "Ownership of the search index went to Paul."),
        ("The lead of the archive is Mira.", "The lead of the archive goes to Paul."),
        ("The lead of the archive is Mira.", "The lead of the archive has now shifted to Paul."),
        ("Mr Okafor teaches the fourth years.", "Ms Lindqvist took the fourth years off Mr Okafor."),
        ("The worker pool has 8 threads.", "I doubled the worker pool to 16 threads."),
        ("Our retainer is 3,000 dollars.", "We agreed on a retainer of forty-five hundred dollars."),
        ("The hay budget is two thousand euros.", "We raised the hay budget to thirty-five hundred euros."),
    ],
)
def test_a_change_in_other_words_overtakes_what_was(old: str, new: str) -> None:
    assert overtakes_value(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My rent is 940 euros.", "The landlord joked he'd put the rent up to 9,000 euros."),
        ("My rent is 940 euros.", "They nearly put the rent up to 990 euros."),
        ("Class 7b has 24 pupils.", "Class 7a is up to 27 pupils."),
        ("I run 30 kilometres a week.", "I'm up to 45 push-ups a day."),
        ("The trip is for ten days.", "We shortened the talk to an hour."),
        ("The worker pool has 8 threads.", "I doubled the test pool to 16 threads."),
        ("Our retainer is 3,000 dollars.", "We agreed on a deposit of 4,500 dollars."),
        ("Mr Okafor teaches the fourth years.", "Ms Lindqvist took the fifth years off Mr Okafor."),
    ],
)
def test_a_change_of_something_else_overtakes_nothing(old: str, new: str) -> None:
    assert not overtakes_value(new, old)
