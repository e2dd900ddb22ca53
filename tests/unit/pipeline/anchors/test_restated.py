"""A statement repeated with another value and a word for now ends the earlier one, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import wild_text
from turnfold_worker.pipeline.anchors.rules.relation_rules import in_one_relation
from turnfold_worker.pipeline.anchors.statements.restated import restates_otherwise, says_now

_PLACES = ("Leeds", "Porto", "Graz", "Bergen")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Our dog sleeps in the hall.", "Our dog sleeps in the kitchen these days."),
        ("We milk at five in the morning.", "We milk at half past four nowadays."),
        ("Our combine is leased from Claas.", "Our combine is leased from John Deere as of this season."),
        ("Sven keeps the kitty.", "Tea keeps the kitty from now on."),
        ("The staging database lives in eu-west-1.", "The staging database is hosted in eu-central-1 now."),
        ("We start lessons at 8:15.", "We kick off lessons at 8:40 now."),
        ("We buy our bread from Kruse.", "We get our bread from Lindner now."),
        ("I bench 60 kilos.", "I'm benching 75 kilos now."),
        ("Alerts go to PagerDuty.", "Alerts go to Opsgenie now."),
        ("The tomatoes grow in the greenhouse.", "The tomatoes grow on the balcony now."),
        ("Ms Ito drafts the contracts.", "Mr Bauer drafts the contracts now."),
    ],
)
def test_a_statement_said_again_with_another_value_ends_the_first(old: str, new: str) -> None:
    assert restates_otherwise(new, old)
    assert not restates_otherwise(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Our dog sleeps in the hall.", "Our cat sleeps in the kitchen these days."),
        ("Our dog sleeps in the hall.", "Does our dog sleep in the kitchen now?"),
        ("Our dog sleeps in the hall.", "If our dog sleeps in the kitchen now, we need a mat."),
        ("Our dog sleeps in the hall.", "She wrote 'our dog sleeps in the kitchen these days'."),
        ("Our dog sleeps in the hall.", "Our dog slept in the kitchen."),
        ("Our dog sleeps in the hall.", "Our dog also sleeps in the kitchen now."),
        ("Our dog sleeps in the hall.", "Our dog doesn't sleep in the kitchen now."),
        ("My flight to Rome leaves at 9.", "My flight to Oslo leaves at 9 now."),
        ("My flight to Rome is at 9.", "My flight to Oslo is at 9 now."),
        ("The key for the shed is blue.", "The key for the garage is blue now."),
        ("The shop opens at 9.", "The shop opens at 10 on Sundays now."),
        ("The shop opens at 9.", "From next month on the shop opens at 10 now."),
        ("Alerts go to PagerDuty.", "Alerts from the lab go to Opsgenie now."),
        ("Tom likes jazz.", "Ann likes jazz now."),
        ("Tom likes the garden.", "Ann likes the garden now."),
        ("Tom visits the museum.", "Ann visits the museum now."),
        ("Ms Ito drafts the contracts.", "Mr Bauer drafts the wills now."),
        ("The tomatoes grow in May.", "The tomatoes grow on the balcony now."),
        ("I'm sure you're good at this.", "I'm sure you should try it now."),
        ("I have a meeting with Anna.", "I have a meeting with Ben now."),
        ("I speak Dutch.", "I speak Spanish now."),
        ("I need the red pen.", "I need the blue pen now."),
        ("I've been playing for a month now.", "I'm currently playing chess."),
        ("I'm frying onions.", "I'm frying garlic right now."),
        ("We use Kafka and Redis.", "We use NATS and Redis now."),
        ("It runs on Heroku.", "It runs on Fly now."),
        ("I gave the key to Anna.", "I gave the key to Ben now."),
        ("We drink tea.", "Now that we drink coffee, we sleep badly."),
    ],
)
def test_nothing_else_is_ended(old: str, new: str) -> None:
    assert not restates_otherwise(new, old)


@given(st.sampled_from(_PLACES), st.sampled_from(_PLACES), st.sampled_from(["lives in", "is based in", "is hosted in"]))
def test_only_another_place_ends_where_something_is(first: str, then: str, relation: str) -> None:
    old = f"The archive lives in {first}."
    assert restates_otherwise(f"The archive {relation} {then} now.", old) is (first != then)
    assert not restates_otherwise(f"The archive {relation} {then}.", old)


@given(wild_text, wild_text)
def test_no_text_ends_itself_or_what_has_no_word_for_now(new: str, old: str) -> None:
    assert not restates_otherwise(new, new)
    assert says_now(new) or not restates_otherwise(new, old)


@pytest.mark.parametrize(
    ("clause", "one"),
    [
        ("the choir gathers on tuesdays", "the choir meet on tuesdays"),
        ("the group is getting together on tuesdays", "the group meet on tuesdays"),
        ("the sofa is priced at 650 euros", "the sofa cost 650 euros"),
        ("rehearsal kicks off at 7:30", "rehearsal start at 7:30"),
        ("mum is based in leeds", "mum live in leeds"),
        ("the train departs at 9", "the train leave at 9"),
        ("my rent is up to 900 euros", "my rent is 900 euros"),
        ("the trip takes 3 hours", "the trip last 3 hours"),
    ],
)
def test_verbs_of_one_relation_are_compared_as_one(clause: str, one: str) -> None:
    assert in_one_relation(clause) == one


@pytest.mark.parametrize(
    "clause",
    ["i take 3 tablets", "i go for a walk", "the setting is nice", "i make dinner", "it comes to nothing", "we get on"],
)
def test_other_uses_of_a_verb_are_left(clause: str) -> None:
    assert in_one_relation(clause) == clause


@given(wild_text)
def test_a_relation_is_put_in_one_form_once(text: str) -> None:
    once = in_one_relation(text.lower())
    assert in_one_relation(once) == once
