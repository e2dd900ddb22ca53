"""A model's brief is used only where it is the note in fewer words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.refinement.brief import brief_of

NOTE = "Mara moved to Lisbon with her brother Tom on 20 May 2023 and bought a bicycle."


@pytest.mark.parametrize(
    "brief",
    [
        "Moved to Lisbon 20 May with brother Tom",
        "Move to Lisbon with Tom; bicycle bought",
        "Bought bicycle after moving to Lisbon, 20 May 2023",
    ],
)
def test_fewer_words_of_the_note_are_taken(brief: str) -> None:
    assert brief_of(brief, NOTE) == brief


@pytest.mark.parametrize(
    ("brief", "note"),
    [
        ("Moved to Porto 20 May", NOTE),
        ("Moved to Lisbon 21 May", NOTE),
        ("Not moved to Lisbon", NOTE),
        ("Sold a bicycle in Lisbon", NOTE),
        ("Eats gluten", "Mara does not eat gluten since April."),
        ("Ships on Friday", "The crane ships on Friday only if Omar signs."),
        ("Moved to Lisbon", "Mara might have moved to Lisbon by May."),
        ("Gluten and bread", "Mara does not eat bread and gluten, but likes oats."),
        ("Dog shelter job", "Mara bakes, and might take a job at a dog shelter."),
        ("Moves to Lisbon 20 May", "Mara might move to Lisbon on 20 May 2023."),
        ("no oats", "Mara likes oats, but eats no gluten."),
        ("oats only if it rains", "Mara likes oats, but bakes only if it rains."),
        ("wants a bicycle", NOTE),
        ("not moved", "Mara moved, but eats no gluten at all."),
        ("approves refunds", "Approves refunds if Omar signs."),
        ("approves refunds", "If Omar signs Mara approves refunds of March."),
        ("ship by May", "They may not ship by May."),
        ("gluten, bread", "Mara does not eat: gluten, bread, oats."),
        ("works at the bank", "Mara works at the bank no longer."),
        ("smokes", "Mara smokes no more at all."),
        ("do deploy", "Do deploy until Omar signs."),
        ("deploy to prod", "Deploy to prod: only if the tests pass."),
        ("Redis approved", "Redis was approved by no one."),
        ("pod crashes", "The pod crashes without the token of Omar."),
        ("moves to Bern", "Mara moves to Bern maybe in May."),
        ("moving to Bern", "Moving to Bern is definitely not happening."),
        ("deploys from main", "Omar deploys only from main on Sundays."),
        ("uses Redis", "Mara does not use databases, even Redis."),
        ("rye bread", "Mara bakes without rye and bread since April."),
        ("moves to Bern", "Maybe Mara moves to Bern next year."),
        ("", NOTE),
        (NOTE + " Twice.", NOTE),
    ],
)
def test_what_says_more_or_something_else_is_not_taken(brief: str, note: str) -> None:
    assert brief_of(brief, note) == ""


@pytest.mark.parametrize(
    ("brief", "note"),
    [
        (
            "2nd place: some money, trophy",
            "Jon didn't win the cup but received some money and a trophy for the 2nd place.",
        ),
        ("rainbow sidewalk", "Mara saw a rainbow sidewalk, and would love to make something like it."),
        ("thinking of trying chess", "Jon might be trying chess next."),
        ("no gluten", "Mara likes oats, but eats no gluten."),
        ("sends pictures", "Jon sends Mara pictures of the turtles without getting too close."),
        ("cooking class, $10", "Jon signed up for a cooking class at only $10 a lesson."),
        ("left the bank by 6 August", "Mara left the bank by 6 August 2022: she wanted something that helps people."),
        ("hike 7 May", "Mara had a not-so-good hike on 7 May 2023 with her brother."),
        ("flat not far from the quay", "Jon rented a flat not far from the quay in Bergen."),
        ("makes oat milk", "Jon makes oat milk, rich, maybe his new favourite."),
        ("draft back, much red ink", "Mara got her draft back with much red ink and without praise."),
        ("meets Tom at quay 5 May", "Mara meets Tom at the quay on 5 May 2023, not at the fish market."),
        ("brother far away", "Mara and her brother live far away and don't talk much."),
        ("left bank by 6 August", "Mara left the bank by 6 August 2022, wanting work that helps people."),
        ("writes lists", "Mara writes lists of everything in order not to forget."),
        ("stuck on the parser", "Jon is stuck on the parser and not getting on."),
        ("sister's boat", "Mara has a boat that was her sister's before."),
        ("compare rye and spelt bread", "The user wants to compare rye and spelt as flours for bread."),
    ],
)
def test_what_denies_or_limits_another_clause_may_go(brief: str, note: str) -> None:
    assert brief_of(brief, note) == brief


def test_an_item_that_says_more_is_left_out_alone_but_not_what_all_are_about() -> None:
    note = "Mara moved to Lisbon on 20 May 2023. She might buy a boat there. Her brother Tom came along."
    assert (
        brief_of("moved to Lisbon 20 May; boat; brother Tom along", note) == "moved to Lisbon 20 May; brother Tom along"
    )
    assert brief_of("moved to Porto; brother Tom along", note) == ""


@pytest.mark.parametrize(
    ("brief", "taken"),
    [
        ("dyed hair purple: bright, bold, impresses uncle", "dyed hair purple: bright, bold"),
        ("impresses uncle: purple hair, bold", ""),
        ("hair: impresses uncle, cut in Lisbon", ""),
    ],
)
def test_parts_that_say_more_are_left_out_unless_little_is_left(brief: str, taken: str) -> None:
    note = "Jon dyed his hair purple, bright and bold like him. Jon wanted to impress his uncle."
    assert brief_of(brief, note) == taken


@given(st.text(max_size=200), st.text(max_size=200))
def test_what_is_taken_is_shorter_and_one_line(brief: str, note: str) -> None:
    taken = brief_of(brief, note)
    assert not taken or (len(taken) < len(note) and "\n" not in taken)
