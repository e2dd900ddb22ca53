"""A long turn is cut around what it tells, within its tokens, and never inside code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import wild_text
from turnfold.assemble.forms.clip_around import clip_around
from turnfold.tokens import estimate_tokens

GAP = " [… →L0:turn-7] "
FILLER = "We walked along the fence again and looked at the paint for quite a while in the afternoon light. "
CODE = "```python\ndef drain(queue):\n    return [take() for take in queue]\n```"


@pytest.mark.parametrize("tokens", [80, 120, 300])
@pytest.mark.parametrize(
    "told",
    [
        "We decided to keep PostgreSQL for the ledger.",
        "The build failed with ImportError in worker/tasks.py.",
        "Priya wants 14 replicas by Friday.",
    ],
)
def test_a_decision_in_the_middle_of_a_long_turn_stands(told: str, tokens: int) -> None:
    text = f"{FILLER * 30}{told} {FILLER * 30}"
    clipped = clip_around(text, tokens, GAP, estimate_tokens)
    assert told in clipped
    assert clipped.startswith(FILLER.strip())
    assert clipped.endswith(FILLER.strip())
    assert clipped.count(GAP.strip()) == 1
    assert estimate_tokens(clipped) <= tokens


def test_a_small_fence_stands_whole_and_a_long_one_is_named() -> None:
    long = "```sql\n" + "INSERT INTO ledger VALUES (1);\n" * 60 + "```"
    text = f"{FILLER * 10}\n{CODE}\n{FILLER * 10}\n{long}\n{FILLER * 10}"
    clipped = clip_around(text, 250, GAP, estimate_tokens)
    assert f"\n{CODE}" in clipped
    assert "(sql, 60 lines: INSERT INTO ledger VALUES (1);" in clipped
    assert clipped.count("```") == 2


@given(
    st.lists(
        st.sampled_from([FILLER, CODE, "~~~\na;\nb;\n~~~", "Use 3 of 4.", "\n\n", "短い文。", "x" * 900]), max_size=30
    ),
    st.integers(0, 300),
    st.booleans(),
)
@examples(200)
def test_no_cut_exceeds_its_tokens_or_cuts_a_fence(parts: list[str], tokens: int, is_cut: bool) -> None:
    text = "\n".join(parts)
    kept = len(text) // 2 if is_cut else None
    clipped = clip_around(text, tokens, GAP, estimate_tokens, kept=kept)
    assert estimate_tokens(clipped) <= max(tokens, estimate_tokens(GAP.strip()))
    assert clipped == clip_around(text, tokens, GAP, estimate_tokens, kept=kept)
    if not is_cut:
        assert clipped.count("```python") == clipped.count(CODE)
        assert clipped.count("```") == 2 * clipped.count(CODE)


@given(wild_text, st.integers(0, 200))
def test_anything_can_be_cut(text: str, tokens: int) -> None:
    clipped = clip_around(text, tokens, GAP, estimate_tokens)
    assert estimate_tokens(clipped) <= max(tokens, estimate_tokens(GAP.strip()))


def test_what_a_read_left_out_is_a_gap() -> None:
    clipped = clip_around("The beginning is here. The end is there.", 100, GAP, estimate_tokens, kept=23)
    assert clipped == f"The beginning is here.{GAP}The end is there."
