"""Amounts in words are read as digits, and nothing else is changed."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import wild_text
from turnfold_worker.pipeline.language.number_words import with_digits
from turnfold_worker.pipeline.language.quantities import in_one_form

_BELOW_TWENTY: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_BY_TENS: Final = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"
_ONES: Final = _BELOW_TWENTY.split()
_TENS: Final = _BY_TENS.split()


def below_hundred(number: int) -> str:
    if number < len(_ONES):
        return _ONES[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens]}-{_ONES[ones]}" if ones else _TENS[tens]


def spelled(number: int) -> str:
    for scale, word in ((10**6, "million"), (1_000, "thousand"), (100, "hundred")):
        if number >= scale:
            many, rest = divmod(number, scale)
            joint = " and " if scale == 100 else " "
            return f"{spelled(many)} {word}{joint + spelled(rest) if rest else ''}"
    return below_hundred(number)


@given(st.integers(2, 99_999_999))
def test_a_sum_of_money_in_words_is_the_same_in_digits(number: int) -> None:
    assert in_one_form(f"It is {spelled(number)} euros.") == in_one_form(f"It is {number} euros.")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("two thousand euros", "2000 euros"),
        ("thirty-five hundred", "3500"),
        ("A dozen hens", "12 hens"),
        ("half a dozen eggs", "6 eggs"),
        ("two and a half thousand", "2500"),
        ("a hundred and ten people", "110 people"),
        ("two million, three hundred thousand", "2300000"),
        ("ninety minutes", "90 minutes"),
        ("two hundred, three apples", "200, three apples"),
    ],
)
def test_an_amount_in_words_is_read(written: str, read: str) -> None:
    assert with_digits(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "One of the two", "one day", "ten of us", "a few thousand", "dozens of them", "the hundred years' war",
        "ten o'clock", "a one-hundred-metre run", "a five hundred-odd list", "The Thousand Islands", "often weeks",
    ],
)  # fmt: skip
def test_what_is_no_amount_is_left(text: str) -> None:
    assert with_digits(text) == text


@given(wild_text)
def test_any_text_without_such_words_is_left(text: str) -> None:
    assert with_digits(with_digits(text)) == with_digits(text)
