"""A repeated statement is kept once, and of two values of one thing the later one holds; near misses stay apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from support.settled_talk import merged, states
from support.wild_turns import said, talk
from turnfold.contract.records import AnchorState
from turnfold_worker.pipeline.anchors.deduplicate import anchor_terms, sought_terms
from turnfold_worker.pipeline.anchors.statements.attributes import changes_value, states_no_more

SAME: Final = (
    ("I'm lactose intolerant.", "Since I can't have dairy because of my lactose intolerance, I drink oat milk."),
    ("I'm lactose intolerant.", "Dairy-free is a must for me, especially for desserts."),
    ("I'm lactose intolerant.", "Unfortunately, I can't have dairy, so no ice cream for me."),
    ("I'm allergic to peanuts.", "I have a peanut allergy."),
    ("I'm allergic to cats and dogs.", "From a distance I mean, since I'm allergic."),
    ("I have a gluten intolerance.", "I'm gluten intolerant, so no pasta for me."),
    ("I'm a vegan.", "As I said, I'm a vegan, so no cheese."),
    ("My son is allergic to eggs.", "My son has an egg allergy."),
    ("I'm Craig, a 44-year-old nurse.", "And I'm 44 years old."),
    ("I'm 44 years old.", "I want to be sure because I'm 44 and I feel I should know this."),
    ("I'm 44.", "As a 44-year-old, I find it hard."),
    ("My age is 44.", "I'm now 44."),
    ("My name is Lena.", "I'm Lena, a nurse from Graz."),
    ("I named it Ned.", "His name is Ned."),
    ("I'm from Port Michael.", "As I said, I'm from Port Michael."),
    ("I earn $85,000 a year.", "I'm earning 85,000 dollars annually."),
    ("I recently got promoted to Head of Sales with a pay raise to $90,000.", "I've been promoted to Head of Sales."),
    ("We have 12 employees.", "We now have 12 employees."),
    ("My budget for travel is $500.", "My travel budget is 500 dollars."),
    ("Our deadline is April 15.", "I have a deadline of April 15."),
    ("We use Flask 2.3.1.", "I'm using Flask 2.3.1 now."),
    ("Omar owns the billing service.", "The billing service is owned by Omar."),
)
NOT_THE_SAME: Final = (
    ("I'm lactose intolerant.", "My mother is lactose intolerant."),
    ("I'm lactose intolerant.", "I'm gluten intolerant."),
    ("I'm lactose intolerant.", "I'm not lactose intolerant."),
    ("I'm lactose intolerant.", "If I'm lactose intolerant, what can I eat?"),
    ("I'm lactose intolerant.", "She's lactose intolerant."),
    ("I'm allergic to peanuts.", "I'm allergic to cats."),
    ("I'm allergic to peanuts.", "My daughter has a peanut allergy."),
    ("My son is allergic to eggs.", "My daughter is allergic to eggs."),
    ("I'm a vegan.", "My brother is a vegan."),
    ("I'm a vegan.", "I'm a vegetarian."),
    ("I'm 44 years old.", "My wife is 44 years old."),
    ("I'm 44 years old.", "I'm 45 years old."),
    ("I'm 44 years old.", "I'm 44% done."),
    ("I'm 44 years old.", "I'm 44 minutes late."),
    ("My name is Lena.", "My name is Nora."),
    ("I named it Ned.", "I named it Max."),
    ("I'm from Port Michael.", "I'm from Port Louis."),
    ("I earn $85,000 a year.", "I earn $85,000 a month."),
    ("I earn $85,000 a year.", "My wife and I want to be earning $85,000 a year."),
    ("We have 12 employees.", "We have 12 customers."),
    ("My budget for travel is $500.", "My budget for marketing is $500."),
    ("We use Flask 2.3.1.", "We use Django 2.3.1."),
    ("Omar owns the billing service.", "Omar owns the search service."),
    ("She can't have dairy.", "She can't have dairy."),
)
NEWER: Final = (
    ("I'm 44 years old.", "I just turned 45."),
    ("I'm 60 and earning $85,000 annually.", "I got a 12% salary increase to $110,000."),
    ("I'm 44 years old.", "As a 45-year-old, I tire sooner."),
    ("My salary is $70,000.", "I'm earning $82,000 a year."),
    ("I earn 3,000 euros a month.", "My salary has been raised to 3,400 euros a month."),
    ("I've budgeted $3,000 for relocation expenses.", "I've adjusted my relocation budget to $3,500."),
    ("My travel budget is $500.", "So for this trip my travel budget is now $800, says my accountant's sheet."),
    ("Our marketing budget is 20,000 euros.", "Since sales are good, our marketing budget is 26,000 euros."),
    ("The deadline for the MVP is April 15.", "The deadline for the MVP is May 2."),
    ("I have a deadline of April 15.", "My deadline moved to April 29."),
    ("The launch date is 3 May, so we need posters.", "Legal took its time and the launch date is 9 May."),
    ("My address is 12 Elm Street.", "My address is 7 Oak Lane."),
    ("My phone number is 555-0101.", "My phone number is 555-0199."),
    ("I live in Porto.", "I've moved to Lisbon."),
    ("I live in Porto.", "I now live in Braga, near the river."),
    ("I work as a nurse.", "I started as a paramedic last week."),
    ("My new role is Team Lead.", "I got promoted to Head of Sales on 1 May."),
    ("I work at Acme.", "I work at Globex, in the lab."),
    ("We have 12 employees.", "We have 15 employees now."),
    ("I have two kids.", "I have three kids."),
    ("The venue is the town hall at 4 Mill Road.", "The venue is the barn at 9 Hill Road."),
    ("Our meeting place is at Cafe Rosa.", "Our meeting place is at Cafe Luna."),
    ("We use Flask 2.3.1.", "We upgraded Flask to 3.0.2."),
    ("We're on Postgres 14.2.", "I'm running Postgres 15.1."),
    ("Omar owns the billing service.", "Lena owns the billing service now."),
    ("The owner of the billing service is Omar.", "The billing service is owned by Lena."),
    ("The rent is 860 euros.", "The rent is 910 euros."),
    ("Our port is 8080.", "Our port is 9443, behind the proxy."),
    ("About refunds: the limit is 30 days.", "For refunds, the limit is 14 days."),
    ("The rent is 860 euros.", "It was raised on May 3, and the rent is 910 euros."),
    ("The rent is 860 euros.", "In the end, the rent is 910 euros."),
    ("The rent is 860 euros.", "For the record, the rent is 910 euros."),
)
NOT_NEWER: Final = (
    ("I'm 44 years old.", "My wife is 45 years old."),
    ("I'm 44 years old.", "If I'm 60 by then, can I still apply?"),
    ("I'm 44 years old.", "Suppose I'm 60 years old."),
    ("I'm 44 years old.", "I feel like I'm 60 years old."),
    ("I'm 44 years old.", 'He wrote "I\'m 60 years old" on the form.'),
    ("I'm 44 years old.", "When I'm 60 years old, I'll retire."),
    ("I'm 44 years old.", "I'm 12 minutes away."),
    ("I'm 44 years old.", "I look after a 3-year-old."),
    ("I'm earning $85,000 a year.", "I want to be earning $110,000 a year."),
    ("I'm earning $85,000 a year.", "My target is a salary increase to $110,000."),
    ("I'm earning $85,000 a year.", "My wife is earning $110,000 a year."),
    ("I'm earning $85,000 a year.", "I'm torn between this and a role with a salary of $120,000."),
    ("I'm earning $85,000 a year.", "I'm thinking of asking for a $10,000 salary increase."),
    ("I'm earning $85,000 a year.", "I'm earning $7,000 a month."),
    ("My budget for travel is $500.", "My budget for marketing is $800."),
    ("My travel budget is $500.", "If my travel budget is $800, what changes?"),
    ("My travel budget is $500.", "Ideally my travel budget would be set to $800."),
    ("My travel budget is $500.", "Their travel budget is $800."),
    ("The deadline for the MVP is April 15.", "The deadline for the report is May 2."),
    ("The deadline for the MVP is April 15.", "The deadline for the MVP was April 1 last year."),
    ("The launch date is 3 May.", "The target date is 9 May."),
    ("My address is 12 Elm Street.", "My mother's address is 7 Oak Lane."),
    ("I live in Portugal.", "I live in Lisbon."),
    ("I live in Porto.", "I want to live in Lisbon."),
    ("I live in Porto.", "I moved to Section 4 of the book."),
    ("I work as a nurse.", "I also work as a trainer on weekends."),
    ("I work at Acme.", "I wish I could say that I work at Globex."),
    ("We have 12 employees.", "We have 15 customers."),
    ("We have 12 employees.", "We want to have 15 employees."),
    ("We use Flask 2.3.1.", "We use Django 4.2.1."),
    ("We're on Postgres 14.2 in production.", "We're on Postgres 15.1 in staging."),
    ("We use Flask 2.3.1.", "Maybe we should use Flask 3.0.2."),
    ("Omar owns the billing service.", "Lena owns the search service."),
    ("Omar owns the billing service.", "Lena also owns the billing service."),
    ("Omar owns the billing service.", "If Lena owns the billing service, who is on call?"),
    ("The rent is 860 euros.", "The price is 910 euros."),
    ("Our port is 8080.", "The port of the test box is 9443."),
    ("About refunds: the limit is 30 days.", "About exchanges: the limit is 14 days."),
    ("In production, the port is 8080.", "In staging, the port is 9443."),
    ("We decided on option 5, and the limit is 15 ms.", "We decided on option 6, and the limit is 18 ms."),
    ("The limit is 30 days.", "For seat maps, the limit is 14 days."),
    ("I'm allergic to peanuts.", "I'm allergic to cats."),
    ("My name is Lena.", "I'm Nora, a friend of hers, she wrote."),
    ("I have two kids.", "My sister said I have three kids too many."),
)


VALUES_BESIDE: Final = (("I'm 44 years old.", "I'm 45 years old."),)
"""Those of the differing pairs whose second statement is a newer value."""


@pytest.mark.parametrize(("first", "again"), SAME)
def test_the_same_in_other_words_states_no_more(first: str, again: str) -> None:
    assert states_no_more(again, first) or states_no_more(first, again)
    assert not changes_value(again, first)


@pytest.mark.parametrize(("first", "other"), NOT_THE_SAME)
def test_of_another_person_thing_or_value_nothing_is_said_again(first: str, other: str) -> None:
    assert not states_no_more(other, first)
    assert not states_no_more(first, other)


@pytest.mark.parametrize(("old", "new"), NEWER)
def test_a_newer_value_takes_the_place_of_the_older_one(old: str, new: str) -> None:
    assert changes_value(new, old)


@pytest.mark.parametrize(("old", "new"), NOT_NEWER)
def test_a_value_of_something_else_takes_no_place(old: str, new: str) -> None:
    assert not changes_value(new, old)


@pytest.mark.parametrize(("first", "other"), [*NOT_NEWER, *NOT_THE_SAME[:-1]])
def test_what_is_of_something_else_leaves_both_standing(first: str, other: str) -> None:
    earlier = merged(talk(f"user: {first}")).new
    result = merged([said(other, seq=2)], earlier)
    left = {AnchorState.SUPERSEDED, AnchorState.DUPLICATE}
    changed = {one.state for one in result.changed} | set(states(result))
    assert not changed & left or (first, other) in VALUES_BESIDE


def standing(*turns: str) -> list[str]:
    """Return the statements that stay active when each turn is a segment."""
    texts: dict[int, str] = {}
    anchors = {}
    for seq, turn in enumerate(talk(*turns), start=1):
        result = merged([turn], tuple(anchors.values()))
        anchors |= {one.id: one for one in result.new}
        for change in result.changed:
            anchors[change.id] = replace(anchors[change.id], state=change.state, related=change.related)
        assert all(one.turn_seq == seq for one in result.new)
        texts |= {one.id: one.text for one in result.new}
    return [texts[one.id] for one in anchors.values() if one.state is AnchorState.ACTIVE]


def test_a_fact_said_four_times_stands_once_and_as_it_was_said_outright() -> None:
    assert standing(
        "user: Unfortunately, I can't have dairy, so no ice cream for me.",
        "user: I'm lactose intolerant, so I'll just need the dairy-free recipe!",
        "user: Since I'm lactose intolerant I'm trying out almond milk.",
        "user: Dairy-free is a must for me, especially for desserts.",
    ) == ["I'm lactose intolerant, so I'll just need the dairy-free recipe!"]


def test_the_fuller_statement_stands() -> None:
    fuller = "I'm Craig, a 44-year-old nurse from Graz."
    assert standing("user: I'm 44 years old.", f"user: {fuller}") == [fuller]
    assert standing(f"user: {fuller}", "user: I'm 44 years old.") == [fuller]


def test_what_two_people_say_of_themselves_stands_for_both() -> None:
    texts = ["I'm lactose intolerant, sadly.", "I'm lactose intolerant too."]
    assert standing(f"Ana: {texts[0]}", f"Omar: {texts[1]}") == texts


def test_anybody_may_say_again_how_a_dog_is_called() -> None:
    assert standing("Ana: I named it Ned.", "Omar: That's right, his name is Ned.") == ["I named it Ned."]


def test_of_two_values_in_one_clause_only_the_overtaken_one_leaves() -> None:
    result = merged(talk("user: I'm 60 and earning $85,000 annually.", "user: I got a salary increase to $110,000."))
    assert [(one.text, one.state) for one in result.new][:2] == [
        ("I'm 60", AnchorState.ACTIVE), ("earning $85,000 annually.", AnchorState.SUPERSEDED),
    ]  # fmt: skip


def test_what_a_newer_value_replaces_is_named_by_it() -> None:
    result = merged(talk(*(f"user: {text}" for text in NEWER[5])))
    assert states(result) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]
    assert result.new[1].replaces == result.new[0].id


def test_an_attribute_is_looked_for_whatever_the_words() -> None:
    old, new = "I'm 60 and earning $85,000 annually.", "I got a 12% salary increase to $110,000."
    assert "=pay" in set(sought_terms(new)) & set(anchor_terms(old))


def test_another_speakers_value_takes_no_place() -> None:
    result = merged([said("I'm 44 years old.", name="Ana"), said("I'm 45 years old.", seq=2, name="Omar")])
    assert states(result) == [AnchorState.ACTIVE] * 2
