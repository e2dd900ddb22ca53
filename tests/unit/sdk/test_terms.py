"""Queries and texts are reduced to the same search terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.strategies import stored_text
from turnfold.contract.terms import MAX_TERM_LENGTH, STOP_WORDS, rarity, stem, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We painted the painting", ["paint", "paint"]),
        ("It is a the of", []),
        ("Café résumé naïve", ["cafe", "resum", "naiv"]),
        ("データベース", ["テー", "ータ", "タヘ", "ヘー", "ース"]),
        ("選択は", ["選択", "択は"]),
        ("犬", ["犬"]),
        ("한국어", ["한국", "국어"]),
        ("PostgreSQL数据库v16", ["数据", "据库", "postgresql", "postgr", "sql", "v16"]),
        ("src/pool.py", ["src/pool.py", "src", "pool", "py"]),
        ("max_tokens", ["max-tokens", "max", "token"]),
        ("camelCase", ["camelcase", "camel", "case"]),
        ("v1.2", ["v1.2", "v1", "2"]),
        ("ada@example.com", ["ada@example.com", "ada", "exampl", "com"]),
        ("don't won\u2019t", ["don", "won"]),
        ("no not never", ["no", "not", "never"]),
        ("x 7", ["7"]),
    ],
)
def test_a_text_has_these_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("decide", "decided"), ("decides", "deciding"), ("paint", "paints"), ("stop", "stopped"), ("carry", "carried"),
        ("pool", "pools"), ("Zürich", "zurich"), ("ﬁle", "file"), ("max_tokens", "max-tokens"), ("don\u2019t", "don't"),
        ("\uff30\uff4f\uff4f\uff4c", "pool"),
    ],
)  # fmt: skip
def test_two_spellings_of_a_word_meet(first: str, second: str) -> None:
    assert terms(first) == terms(second)


@pytest.mark.parametrize(
    ("word", "stemmed"), [("class", "class"), ("us", "us"), ("sing", "sing"), ("red", "red"), ("gas", "gas")]
)
def test_short_words_and_double_s_keep_their_ending(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


long_words = st.text(st.sampled_from("abcXYZ019é中._/-:@+#' "), max_size=200)


@given(stored_text | long_words)
def test_a_term_is_short_never_empty_and_holds_no_white_space(text: str) -> None:
    text_terms = terms(f"{text} kestrel")
    assert text_terms[-1:] == terms("kestrel")
    for term in text_terms:
        assert 1 <= len(term) <= MAX_TERM_LENGTH
        assert not any(character.isspace() for character in term)


@given(stored_text | long_words)
def test_terms_are_in_lower_case_and_without_stop_words(text: str) -> None:
    found = terms(text)
    assert found == [term.lower() for term in found]
    assert not STOP_WORDS.intersection(term for term in found if text.lower().split() == [term])


@given(stored_text | long_words, stored_text | long_words)
def test_the_terms_of_two_texts_apart_are_those_of_both_together(first: str, second: str) -> None:
    assert terms(f"{first}\n\n{second}") == terms(first) + terms(second)


@given(stored_text | long_words)
def test_rarity_is_between_one_and_nine(text: str) -> None:
    assert all(1 <= rarity(term) <= 9 for term in terms(text))


def test_identifiers_are_rarer_than_words_and_long_words_than_short_ones() -> None:
    assert rarity("inc-4711") == rarity("src/pool.py") == 9
    assert rarity("connection") > rarity("pool") > rarity("ok")
