"""A correction keeps the sentence that it corrects, and closes it, where no rule kept that sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.contract.records import AnchorState
from turnfold_worker.offline import fold
from turnfold_worker.pipeline.anchors.statements.repairs import says_otherwise


def states(*sentences: str) -> list[AnchorState]:
    turns = [turn for said in sentences for turn in (("user", said), ("assistant", "Noted."))]
    with fold({"role": role, "content": content} for role, content in turns) as conversation:
        return [anchor.state for anchor in conversation.anchors(states=None) if anchor.turn_seq == 1]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("The cat sleeps in the kitchen.", "Actually, the cat sleeps in the hall."),
        ("Grandpa grows beans beside the shed.", "Grandpa no longer grows beans beside the shed."),
        ("We fly from Schiphol.", "Actually, we fly from Eindhoven."),
    ],
)
def test_what_is_corrected_is_kept_and_closed(first: str, later: str) -> None:
    assert states(first, later) == [AnchorState.SUPERSEDED]


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("The cat sleeps in the kitchen.", "Actually, the dog runs in the hall."),
        ("The cat sleeps in the kitchen.", "Does the cat sleep in the hall?"),
    ],
)
def test_another_sentence_is_not_closed(first: str, later: str) -> None:
    assert AnchorState.SUPERSEDED not in states(first, later)


@given(st.text(max_size=200), st.text(max_size=200))
@examples(200)
def test_any_two_texts_are_compared_and_none_says_itself_otherwise(new: str, old: str) -> None:
    assert says_otherwise(new, old) in {True, False}
    assert says_otherwise("the cat sleeps", "the cat sleeps") is False
