"""A cheap check rules out only texts that the full pattern would not match, and cheap counts equal full ones."""

from __future__ import annotations

from datetime import date

from hypothesis import example, given
from hypothesis import strategies as st

from turnfold import tokens
from turnfold.dates import expressions
from turnfold_worker.pipeline.language import spoken

PIECES = [
    "yesterday", "two days ago", "12 weeks ago", "The day after tomorrow", "um", "uhm", "uh-huh", "mm", "er", "o_k",
    "the the", "pre-", "a- b", "don't don't", "\u212a",
    " ", "  ", "\t", "\n", ",", ".", "…", "word", "x" * 20, "7", "東京", "é",
]  # fmt: skip
text = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=12).flatmap(
    lambda pieces: st.sampled_from(["", " ", "  "]).map(lambda joint: joint.join(pieces))
)


@given(text)
@example("two days ago")
@example("yesterday")
@example("for the past 3 weeks, every Friday of May 2026")
def test_no_time_is_overlooked(said: str) -> None:
    overlooked = [
        search
        for signs, search in expressions._WAYS
        if not any(sign in said.lower() for sign in signs) and list(search(said, date(2026, 5, 14)))
    ]
    assert overlooked == []


@given(text)
def test_a_text_without_fillers_is_what_the_patterns_leave_of_it(said: str) -> None:
    whole = " ".join(spoken._FILLERS.sub("", said).replace("o_k", "ok").split())

    assert spoken.without_fillers(said) == spoken._REPEATED.sub(r"\1", whole)


@given(text)
def test_a_text_costs_what_its_pieces_cost(said: str) -> None:
    pieces = [match.group() for match in tokens._PIECE.finditer(said)]

    assert "".join(pieces) == said
    assert tokens.estimate_tokens(said) == sum(map(tokens._cost, pieces))
