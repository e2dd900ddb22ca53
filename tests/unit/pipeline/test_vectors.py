"""Stored vectors keep their direction, and comparing them never fails."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.vectors import NO_VECTOR, Vector, cosine, numbers_of, rounded

NUMBERS = st.lists(st.floats(-0.3, 0.3), min_size=64, max_size=64).filter(
    lambda numbers: math.hypot(*numbers) > 1 and max(map(abs, numbers)) < 0.31 * math.hypot(*numbers)
)


@given(NUMBERS)
def test_rounding_keeps_the_direction(numbers: list[float]) -> None:
    stored = numbers_of(rounded(numbers))
    exact = sum(a * b for a, b in zip(numbers, stored, strict=True)) / math.hypot(*numbers) / math.hypot(*stored)
    assert exact > 0.9995


@given(NUMBERS, st.floats(0.01, 1000))
def test_length_does_not_matter(numbers: list[float], factor: float) -> None:
    assert cosine(numbers_of(rounded(numbers)), numbers_of(rounded([n * factor for n in numbers]))) > 0.9999


@pytest.mark.parametrize("numbers", [[], [0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_what_has_no_direction_has_no_vector(numbers: list[float]) -> None:
    assert rounded(numbers) == NO_VECTOR


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_any_two_stored_values_can_be_compared(first: bytes, second: bytes) -> None:
    one, other = numbers_of(Vector(first)), numbers_of(Vector(second))
    assert -1.000001 <= cosine(one, other) <= 1.000001
