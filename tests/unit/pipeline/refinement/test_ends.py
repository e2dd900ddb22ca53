"""A model's notes state until which turn an ended statement held."""

import re
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.records import Origin, Role
from turnfold_worker.pipeline.notes.overtaken_values import SettledAnchor
from turnfold_worker.pipeline.refinement.ends import OverStatement, with_ends
from turnfold_worker.pipeline.refinement.notes import ModelNote


def _over(seq: int, said: str, by_seq: int, since: str) -> OverStatement:
    return OverStatement.of(SettledAnchor(seq, said, True, by_seq, since))


DOSE = _over(3, "I take 5 mg of ramipril in the morning.", 72, "She halved the ramipril, so 2.5 now")
ADDRESS = _over(4, "We meet at Tannery Row 22.", 40, "7 Coldharbour Lane from now on")
PORT = _over(5, "The app listens on port 8000.", 42, "it listens on 8085 now")
SHEET = _over(6, "I'm 43 and the scales said 91.4 this morning.", 28, "89.9 today")
LANGUAGE = _over(7, "Payments: going with Stripe.", 49, "payments go through Mollie")


def _note(brief: str, *turns: int, text: str = "The user said so.") -> ModelNote:
    return ModelNote(
        turns=turns, speaker="user", role=Role.USER, origin=Origin.USER, said_on=date(2026, 1, 5), text=text,
        importance=3, brief=brief,
    )  # fmt: skip


def _brief(brief: str, *turns: int) -> str:
    (note,) = with_ends([_note(brief, *turns)], [DOSE, ADDRESS, PORT, SHEET, LANGUAGE])
    return note.brief


@pytest.mark.parametrize(
    ("brief", "turns", "marked"),
    [
        ("ramipril 5 mg mornings; ulcer 2019", (3, 9), "ramipril 5 mg mornings (until turn 72); ulcer 2019"),
        ("payments: Stripe; hosting at Hetzner", (7,), "payments: Stripe (until turn 49); hosting at Hetzner"),
        # Another turn's words identify an item by a value of several digits together with its subject.
        ("app listens on port 8000; pool 20", (11,), "app listens on port 8000 (until turn 42); pool 20"),
    ],
)  # fmt: skip
def test_an_item_that_says_what_is_over_says_until_when(brief: str, turns: tuple[int, ...], marked: str) -> None:
    assert _brief(brief, *turns) == marked


@pytest.mark.parametrize(
    ("brief", "turns", "why"),
    [
        ("ramipril 5 mg mornings; tea", (3, 72), "its author saw the turn that ended it"),
        ("ramipril 5 mg mornings; tea", (73,), "it was said after that"),
        ("ramipril halved from 5 mg, 2.5 from 6 March", (3,), "it tells of the change"),
        ("ramipril, cough since then", (3,), "it does not say the value"),
        ("bag of 5 kg, rice for the morning", (11,), "a single digit is the value of too many things"),
        ("hangar 8000", (11,), "nothing says what has the value"),
        ("43, desk job", (6,), "of a statement of two values it has one, and the other one changed"),
        ("Stripe sends a webhook for each booking and each refund", (7,), "it says something else"),
    ],
)
def test_any_other_item_stays_as_it_is(brief: str, turns: tuple[int, ...], why: str) -> None:
    assert _brief(brief, *turns) == brief, why


def test_a_sentence_says_it_before_its_mark() -> None:
    text = "The user takes 5 mg of ramipril in the morning. The user had a bleeding ulcer!"
    (note,) = with_ends([_note("", 3, text=text)], [DOSE])
    assert note.text == "The user takes 5 mg of ramipril in the morning (until turn 72). The user had a bleeding ulcer!"
    assert note.brief == ""


def test_the_first_turn_that_ended_it_is_named() -> None:
    (note,) = with_ends([_note("ramipril 5 mg mornings; ulcer 2019", 3)], [DOSE, DOSE._replace(by_seq=50)])
    assert note.brief == "ramipril 5 mg mornings (until turn 50); ulcer 2019"


def test_a_note_that_says_little_else_is_left_out() -> None:
    assert with_ends([_note("ramipril 5 mg mornings", 3), _note("ramipril 5 mg mornings", 3, 80)], [DOSE]) == (
        _note("ramipril 5 mg mornings", 3, 80),
    )


@pytest.mark.parametrize(
    ("said", "since", "brief", "turns"),
    [
        ("The deposit is 500 euros.", "it is 700 euros now", "rent 500 euros a month; bike", (11,)),
        ("I'm allergic to nuts and I live in Leeds.", "I live in York now", "allergic to nuts; walks a lot", (3,)),
        ("I take 5 mg of ramipril.", "2.5 mg now", "no longer on ramipril 5 mg; walks a lot", (3,)),
        ("I take 5 mg of ramipril.", "2.5 mg now", "back on ramipril 5 mg; walks a lot", (3, 80)),
    ],
)
def test_another_thing_of_the_same_value_what_goes_on_and_what_is_denied_are_not_marked(
    said: str, since: str, brief: str, turns: tuple[int, ...]
) -> None:
    over = _over(3, said, 50, since)
    assert with_ends([_note(brief, *turns)], [over]) == (_note(brief, *turns),)


WORDS = st.lists(
    st.sampled_from(["ramipril", "5", "mg", "port", "8000;", "listens", "43", "91.4.", "Stripe", "payments;", "The"])
).map(" ".join)


@given(WORDS, WORDS, st.lists(st.integers(1, 80), min_size=1, max_size=3))
def test_nothing_but_such_marks_is_added(brief: str, text: str, turns: list[int]) -> None:
    note = _note(brief, *turns, text=text)
    left = with_ends([note], [DOSE, ADDRESS, PORT, SHEET, LANGUAGE])
    assert len(left) <= 1
    marked = left[0] if left else note
    bare = [re.sub(r" \(until turn \d+\)", "", words) for words in (marked.brief, marked.text)]
    assert not left or bare == [brief, " ".join(re.split(r"(?<=[.!?])\s+(?=[A-Z])", text))]
    assert replace(marked, brief=brief, text=text) == note
    assert with_ends([note], []) == (note,)
