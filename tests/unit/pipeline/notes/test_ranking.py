"""Notes are selected best first, each once and within the budget, and shown in the order of the turns."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import wild_notes
from turnfold.contract.notes import Note, note_lines, voices
from turnfold.contract.words import WEIGHT_OF_DIGIT, digit_of
from turnfold_worker.pipeline.notes.ranking import taken


@given(wild_notes, st.integers(0, 200), st.integers(0, 200))
def test_notes_are_taken_once_within_the_budget_and_a_smaller_budget_takes_the_first(
    found: list[Note], one: int, other: int
) -> None:
    small, large = sorted((one, other))
    worths = [float(note.worth) for note in found]
    more = taken(found, worths, most_tokens=large)
    places = [place for place, _ in more]
    assert len(places) == len(set(places))
    assert sum(found[place].tokens for place in places) <= large
    assert all(worths[place] > 0 for place in places)
    assert more == taken(found, worths, most_tokens=large)
    less = [place for place, _ in taken(found, worths, most_tokens=small)]
    assert sum(found[place].tokens for place in less) <= small
    first = next((i for i, (a, b) in enumerate(zip(less, places, strict=False)) if a != b), None)
    assert first is None or sum(found[place].tokens for place in places[: first + 1]) > small


@given(st.dictionaries(st.sampled_from(["user", "assistant", "tool", "system"]), st.integers(0, 10**6)))
def test_who_says_less_weighs_no_less(said: dict[str, int]) -> None:
    weights = voices(said)
    ordered = sorted((tokens, weights[role]) for role, tokens in said.items() if role in weights and role != "tool")
    assert all(before[1] >= after[1] for before, after in pairwise(ordered))


@given(st.floats(-5, 50, allow_nan=False))
def test_a_weight_is_a_digit_that_grows_with_it(weight: float) -> None:
    assert WEIGHT_OF_DIGIT[digit_of(weight)] <= WEIGHT_OF_DIGIT[digit_of(weight + 1)]
    assert 0 < WEIGHT_OF_DIGIT[digit_of(weight)] <= 12


@given(wild_notes)
def test_lines_say_every_note_once_in_the_order_of_the_turns(found: list[Note]) -> None:
    lines = note_lines(found)
    assert all(line.endswith("\n") for line in lines)
    text = "".join(lines)
    days = [line[1:].partition("] ")[0] for line in lines if line.startswith("[")]
    assert {day.removesuffix(" 2026") for day in days} == {note.day.removesuffix(" 2026") for note in found if note.day}
    assert sum(map(len, (note.text for note in found))) <= len(text)
    assert {line.partition("] ")[2 * line.startswith("[")].partition(": ")[0] for line in lines} == {
        note.speaker for note in found
    }
