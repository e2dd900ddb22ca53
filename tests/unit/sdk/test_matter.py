"""Without a query, only notes that share the subject of the newest user turn are fetched for it."""

from __future__ import annotations

from typing import Final, Literal

import pytest

from turnfold.assemble.forms.render_text import EXCERPTS_HEADER, HITS_HEADER
from turnfold.contract.notes import Note
from turnfold.contract.passages import Passage
from turnfold.contract.terms import terms
from turnfold.search.matter import Matter, heaviest_matter, matter_terms
from turnfold_worker.offline import fold

COMMON, USUAL, RARE, ONCE = 0.7, 1.2, 2.4, 3.7
"""Weights of terms that occur in all, half, a sixth and one of forty segments."""


def matter(text: str, **told: float) -> Matter:
    return Matter.of(text, {term.replace("_", "-"): weight for term, weight in told.items()}, segments=40)


@pytest.mark.parametrize(
    "said",
    [
        "Hello again, can you help me make sure that I understand?",
        "I'm trying to think about what I should really focus on next",
        "Let's move on to the next one, that makes sense!",
        "I was wondering if you could suggest some improvements for Monday, May 3",
        "Do you have any tips for step 2?",
    ],
)
def test_words_by_which_anything_is_asked_for_are_no_matter(said: str) -> None:
    assert matter_terms(said) == ()


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("Can you help me choose a telescope for Jupiter?", {"telescop", "jupiter"}),
        ("Make sure the invoice of 3,420 francs is paid", {"invoic", "420", "franc", "paid"}),
        ("Does flask-talisman break the tests?", {"flask-talisman", "flask", "talisman", "break"}),
        ("Wie teuer war das Zelt?", {"wie", "teuer", "war", "das", "zelt"}),
    ],
)
def test_what_a_turn_is_about_stays(said: str, held: set[str]) -> None:
    assert set(matter_terms(said)) == held


def test_code_in_a_turn_is_not_its_matter_unless_it_has_nothing_else() -> None:
    code = "```python\nparser = ArgumentParser()\n```"
    assert "argumentparser" not in matter_terms(f"Why does the backup of Lisbon fail?\n{code}")
    assert "argumentparser" in matter_terms(code)


def test_the_rarest_are_looked_up() -> None:
    text = " ".join(f"w{letter}" for letter in "abcdefghijklmnopqrst") + " photosynthesis"
    assert heaviest_matter(text)[0] == "photosynthesi"
    assert len(heaviest_matter(text)) == 16


def test_a_note_that_shares_two_terms_has_to_do_with_it() -> None:
    about = matter("hashing passwords with bcrypt", hash=RARE, password=USUAL, bcrypt=RARE)
    assert about.is_in(terms("the password is stored as a hash"))
    assert not about.is_in(terms("the password field is red"))
    assert not about.is_in(terms("the meeting is on Monday"))


def test_two_terms_that_are_everywhere_are_no_matter_of_a_turn_about_something_rare() -> None:
    about = matter(
        "telescope mirror cleaning in the app", telescop=RARE, mirror=RARE, clean=RARE, app=COMMON, user=COMMON
    )
    assert not about.is_in(["app", "user"])
    assert about.is_in(["mirror", "clean"])


def test_a_compound_and_its_parts_are_one_term() -> None:
    about = matter(
        "does the flask-talisman header break it", flask_talisman=RARE, flask=COMMON, talisman=RARE, header=RARE,
        cooky=RARE, proxy=RARE,
    )  # fmt: skip
    assert not about.is_in(["flask-talisman", "flask", "talisman"])
    assert about.is_in(["flask-talisman", "header", "cooky"])


def test_one_name_that_hardly_anything_else_holds_is_enough_and_a_rare_word_is_not() -> None:
    others = {"budget": RARE, "garden": RARE, "holiday": RARE, "train": RARE}
    assert matter("the budget, garden, holiday and train of Kowalski", kowalski=ONCE, **others).is_in(["kowalski"])
    assert not matter("the budget, garden, holiday and train, glossy", glossy=ONCE, **others).is_in(["glossy"])
    assert not matter("the budget, garden, holiday and train of Anna", anna=USUAL, **others).is_in(["anna"])


def test_a_short_turn_is_about_each_of_its_rare_words() -> None:
    about = matter("And the cookies?", cooky=ONCE)
    assert about.is_in(["cooky"])
    assert not about.is_in(["jar"])


def test_nothing_is_about_no_matter() -> None:
    assert not Matter.of("", {}, segments=40).is_in(["anything"])


def test_of_a_passage_only_the_notes_with_the_matter_stay() -> None:
    notes = tuple(Note(3, place, "Mara", "user", "", text, 4) for place, text in enumerate(("one", "two")))
    about = matter("telescope mirror", telescop=RARE, mirror=RARE)
    passage = Passage(24, notes, ("telescop mirror", "lunch noon"))
    assert about.among([passage, Passage(32, notes[:1], ("lunch",))]) == [Passage(24, notes[:1], ("telescop mirror",))]


THINGS: Final = ["kettle", "violin", "canoe", "lantern", "saddle", "anvil", "loom", "globe", "sundial", "accordion"]
PLACES: Final = ["Graz", "Bergen", "Siena", "Lagos", "Quito", "Cork"]
TALK: Final = [
    {"role": role, "content": content}
    for place in PLACES
    for thing in THINGS
    for role, content in (
        (
            "user",
            f"My old {thing} broke in {place} and the workshop at {place} took {len(thing)} weeks over the {thing}.",
        ),
        ("assistant", f"A {thing} from {place} lasts long, and a workshop there should know how to mend it."),
    )
]
TELESCOPE: Final = {"role": "user", "content": "The telescope is here. It came without its mirror."}


def read(newest: str, *, query: Literal[False] | None = None) -> str:
    turns = [*TALK[:40], TELESCOPE, *TALK[40:], {"role": "user", "content": newest}]
    return fold(turns, conversation_id="c").context(budget_tokens=500, query=query).text


def test_a_turn_with_a_matter_brings_what_is_of_it_and_nothing_else_as_if_it_were() -> None:
    text = read("Which workshop had the accordion in Bergen?")
    lines = text.partition(HITS_HEADER)[2].partition("\n[")[0].strip().splitlines()
    assert "9 weeks over the accordion" in text
    assert all("accordion" in line or "Bergen" in line for line in lines), lines


def test_what_a_turn_is_about_stays_where_longer_notes_would_take_its_place() -> None:
    assert "It came without its mirror" in read("Can you help me clean the mirror of my telescope?")


@pytest.mark.parametrize(
    "newest",
    ["Can you help me make sure that I think about it in the right way?", "Do orchids need shade at noon, or mist?"],
)
def test_a_turn_of_which_nothing_was_said_brings_nothing(newest: str) -> None:
    steered = read(newest)
    assert len(steered) > 0.9 * len(read(newest, query=False))
    assert HITS_HEADER not in steered
    assert EXCERPTS_HEADER not in steered
