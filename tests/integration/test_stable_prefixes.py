"""What stands before the recent turns stays as it is while a conversation grows: providers cache prompts by prefix."""

from __future__ import annotations

from itertools import pairwise, takewhile
from statistics import median

import pytest

from conftest import LocalWorker
from support.talk import talk
from turnfold import Turnfold

TURNS, APPENDS, BUDGET = 500, 50, 4_000


@pytest.mark.parametrize("seed", ["one", "two"])
def test_four_fifths_of_a_context_stand_in_the_next_one_while_turns_are_appended_one_by_one(
    tf: Turnfold, local: LocalWorker, seed: str
) -> None:
    turns = talk(seed, TURNS)
    tf.append("c", turns[:-APPENDS])
    local.settle()
    texts = []
    for turn in turns[-APPENDS:]:
        tf.append("c", turn)
        local.settle()
        context = tf.context("c", budget_tokens=BUDGET)
        assert 0.95 * BUDGET <= context.tokens <= BUDGET
        texts.append(context.text.encode())
    assert median(shared(texts)) >= 0.80


def shared(texts: list[bytes]) -> list[float]:
    """Of each text the share of its bytes with which the following one begins."""
    return [
        sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, following, strict=False))) / len(one)
        for one, following in pairwise(texts)
    ]
