"""Rules of a task: what binds whoever does it."""

from __future__ import annotations

import pytest

from turnfold_worker.pipeline.language.prose import split_prose
from turnfold_worker.pipeline.turns.rules import rules_in


def rules(text: str) -> tuple[str, ...]:
    return rules_in(text, split_prose(text).sentences, None)


@pytest.mark.parametrize(
    "rule",
    [
        "You must not change the public API.", "Never edit files below vendor.", "Respond only with a JSON object.",
        "Only one command at a time is allowed, and you can only use bash.", "Do not add dependencies.",
        "The patch may touch at most three files.",
    ],
)  # fmt: skip
def test_a_rule_is_kept_word_for_word(rule: str) -> None:
    assert rules(f"Fares are a cent short. {rule} The cut happens in pay.py.") == (rule,)


@pytest.mark.parametrize(
    "told",
    [
        "The refund is always a cent short.", "It cannot find the tide table.", "The cart returns 3 in some cases.",
        "Submitting the form raises an error.", "I only saw it once.",
    ],
)  # fmt: skip
def test_what_tells_of_the_fault_is_no_rule(told: str) -> None:
    assert rules(f"Fares are a cent short. {told} Please mend it.") == ()
