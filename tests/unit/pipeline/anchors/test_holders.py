"""The new holder of a role that one person holds at a time replaces the former one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.anchors.statements.holders import holder_of, takes_over


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My lawyer is Ms Brandt.", "I have a new lawyer, Mr Falk."),
        ("Our dentist is Dr Lund.", "Our new dentist is Dr Aziz."),
        ("The owner of the bar is Paolo.", "The bar has a new owner: Greta."),
        ("Malin is our product manager.", "Tobias is our new product manager."),
        ("Ella's teacher is Mrs Keogh.", "Ella has a new teacher called Mr Adeyemi."),
        ("Helga is the conductor of the choir.", "Bruno was elected conductor of the choir."),
        ("Our solicitor is Mr Pryce.", "We changed our solicitor to Ms Adeyemi."),
        ("My dentist is Dr Sato.", "I switched dentists, I go to Dr Mbeki now."),
        ("The project lead is Yusuf.", "Yusuf handed the project lead over to Magda."),
        ("Our contact person is Lars Meyer.", "Please change our contact person to Ute Brandl."),
        ("Our main region is Frankfurt.", "We've made Dublin our main region."),
        ("My landlord is Mr Kowal.", "The flat was sold, my new landlord is Mrs Iyer."),
    ],
)
def test_the_new_one_takes_the_place_of_the_former(old: str, new: str) -> None:
    assert takes_over(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My lawyer is Ms Brandt.", "My sister has a new lawyer, Mr Falk."),
        ("My lawyer is Ms Brandt.", "I have a new doctor, Mr Falk."),
        ("My lawyer is Ms Brandt.", "I have a new lawyer, Ms Brandt."),
        ("My lawyer is Ms Brandt.", "I might need a new lawyer, Mr Falk."),
        ("My lawyer is Ms Brandt.", "My lawyer is Mr Falk's neighbour."),
        ("My colleague is Sam.", "I have a new colleague, Dario."),
        ("Malin is our product manager.", "Tobias is their new product manager."),
        ("Helga is the conductor of the choir.", "Bruno became conductor of the orchestra."),
        ("Our solicitor is Mr Pryce.", "My brother changed his solicitor to Ms Adeyemi."),
        ("Our solicitor is Mr Pryce.", "We are thinking of changing our solicitor to Ms Adeyemi."),
        ("The project lead is Yusuf.", "Yusuf handed the release notes over to Magda."),
    ],
)
def test_nobody_else_does(old: str, new: str) -> None:
    assert not takes_over(new, old)


_WORDS = [
    "my",
    "our",
    "the",
    "new",
    "lawyer",
    "owner",
    "of",
    "bar",
    "is",
    "has",
    "a",
    "became",
    "Ms",
    "Brandt",
    "Falk",
    ",",
]
words = st.lists(st.sampled_from(_WORDS), max_size=9)


@given(words)
def test_any_words_are_read_and_nobody_takes_over_from_himself(statement: list[str]) -> None:
    text = " ".join(statement)

    holder = holder_of(text)

    assert holder is None or (holder.role and holder.name and holder.of)
    assert not takes_over(text, text)
