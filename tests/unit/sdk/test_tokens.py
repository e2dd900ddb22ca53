"""Token counts have the properties that budgets and stored counts rely on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import InvalidInput, InvalidSettings
from turnfold.tokens import ESTIMATOR, caller_counter, chosen_counter, estimate_tokens, tiktoken_counter

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | st.text("ab1 \n\t.[]{}é中ー-", max_size=60)

parts = st.builds(
    lambda opening, text: f"{opening}{text}\n", st.sampled_from(["[", "a", "Z", "é", "Ж", "中", "ñ"]), texts
)
"""Lines such as contexts consist of: each begins with `[` or a letter, and ends in a newline."""


@given(st.lists(parts, max_size=8))
def test_the_counts_of_parts_add_up_to_the_count_of_the_whole(pieces: list[str]) -> None:
    assert estimate_tokens("".join(pieces)) == sum(map(estimate_tokens, pieces))


@given(texts)
def test_a_count_is_never_negative_and_words_are_never_free(text: str) -> None:
    assert estimate_tokens(text) >= (1 if text.strip() else 0)


@given(texts)
def test_a_text_never_costs_more_than_two_tokens_a_character(text: str) -> None:
    assert estimate_tokens(text) <= 2 * len(text)


@given(texts, texts)
def test_more_text_costs_more_but_for_a_word_that_turns_into_an_identifier(text: str, more: str) -> None:
    # A mixed run of up to 15 letters and digits is priced piece by piece, one of 16 as an identifier.
    assert estimate_tokens(text + more) >= estimate_tokens(text) - 4


@given(st.integers(1, 400), st.sampled_from("a1é中- \n"))
def test_a_longer_run_of_one_character_never_costs_less(length: int, character: str) -> None:
    assert estimate_tokens(character * (length + 1)) >= estimate_tokens(character * length)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("We must use PostgreSQL.\n", 7),
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("def fold(turns: list[Turn]) -> Segment:\n    return Segment(turns)\n", 20),
        ("データベースを選ぶ", 7),
        ("550e8400e29b41d4a716446655440000", 23),
        ("👍🏽", 4),
    ],
)
def test_counts_of_this_version_do_not_change(text: str, tokens: int) -> None:
    """Counts are stored and decide where segments end, so that a change needs a new `ESTIMATOR_VERSION`."""
    assert ESTIMATOR.name == "estimate-v1"
    assert estimate_tokens(text) == tokens


def test_a_callers_counter_is_called_by_its_own_name() -> None:
    def words(text: str) -> int:
        return len(text.split())

    counter = chosen_counter(words)
    assert counter.count("one two") == 2
    assert counter.name.endswith("words")
    assert not counter.stored


def test_a_counter_without_a_name_is_called_by_its_type() -> None:
    class WordCount:
        def __call__(self, text: str) -> int:
            return len(text.split())

    assert caller_counter(WordCount()).name == "WordCount"


def test_without_a_wish_the_estimator_counts() -> None:
    assert chosen_counter(None) is ESTIMATOR


def test_a_counter_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match="count_tokens must be a function that takes text and returns a number, not int"
    ):
        chosen_counter(5)  # type: ignore[arg-type]  # deliberately of the wrong type


def test_an_unknown_encoding_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidSettings, match="unknown encoding 'gpt2': use one of cl100k_base, o200k_base"):
        chosen_counter("gpt2")


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_an_encoding_that_is_not_cached_is_refused_and_never_downloaded(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    with pytest.raises(InvalidSettings) as refused:
        tiktoken_counter("o200k_base")
    assert f"is not cached at {tmp_path}" in str(refused.value)
    assert "TIKTOKEN_CACHE_DIR" in str(refused.value)
    assert "leave count_tokens out" in str(refused.value)
    assert "TURNFOLD_" not in str(refused.value)
