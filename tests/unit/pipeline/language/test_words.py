"""Words of any text have bounded weights, and days and values are compared by meaning."""

from __future__ import annotations

import tracemalloc
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import wild_text
from turnfold.contract.periods import day_label
from turnfold.contract.words import note_words
from turnfold.dates.resolve import resolve_relative_days
from turnfold_worker.pipeline.language.quantities import quantity, value_of
from turnfold_worker.pipeline.language.rarity import LEAST, MOST, rarity_of
from turnfold_worker.pipeline.language.words import specific_words, telling_words, word_vector


@given(wild_text)
def test_words_have_bounded_weights_and_are_found_again(text: str) -> None:
    vector = word_vector(text)
    assert all(weight >= 0 for weight in vector.values())
    assert {word for word, _ in telling_words(text)} == {word for word in vector if word}
    assert specific_words(text) <= set(vector)
    assert len(note_words(text)) == len(set(note_words(text)))
    assert all(LEAST <= rarity_of(word) <= MOST for word in note_words(text) if word)


@given(st.integers(0, 10**15), st.integers(0, 99))
def test_a_value_is_the_same_however_it_is_written(whole: int, cents: int) -> None:
    assert value_of(f"{whole:,}.{cents:02}") == value_of(f"{whole}.{cents:02}")
    assert value_of(value_of(f"{whole:,}")) == value_of(str(whole)) == str(whole)
    assert value_of(f"{whole}") != value_of(f"{whole + 1}")
    assert quantity(f"${whole}")[1] == quantity(f"{whole} dollars")[1] == "$"


@given(st.dates())
def test_a_date_stays_what_it_is(day: date) -> None:
    label = day_label(day)
    assert resolve_relative_days(label, day) == label


@given(wild_text, st.dates())
def test_resolving_days_twice_is_resolving_them_once(text: str, day: date) -> None:
    once = resolve_relative_days(text, day)
    assert resolve_relative_days(once, day) == once


def test_words_that_come_once_take_little_memory_however_many_they_are() -> None:
    rarity_of("at-first")
    tracemalloc.start()
    try:
        for number in range(10_000):
            assert LEAST <= rarity_of(f"part-{number}") <= MOST
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 1_000_000
