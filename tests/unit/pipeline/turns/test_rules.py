"""The binding rules of a task are kept word for word."""

from __future__ import annotations

import pytest

from turnfold.contract.records import Role
from turnfold_worker.pipeline.language.prose import split_prose
from turnfold_worker.pipeline.turns.manuals import manual_in
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


def test_how_the_tools_of_a_harness_want_to_be_used_is_kept_behind_what_binds() -> None:
    advice = (
        "When you patch a file, make sure the tabs stay as they are.",
        "If a run hangs, don't wait for it. Instead, stop it with the halt tool.",
        "You should always look at the log after a run.",
    )
    text = " ".join(
        (
            "Fares are a cent short. The cut happens in pay.py.\n\n\n",
            "You have a terminal for your work. You start in the folder of the project.", *advice,
            "You may only call one tool at a time. You will find the tests below checks.",
            "Always read the file that you changed once more.", "Please keep your notes short. " * 30,
        )
    )  # fmt: skip
    sentences = split_prose(text).sentences
    manual = manual_in(text, sentences, Role.USER)
    assert manual is not None
    bound, ordered, *advised = rules_in(text, sentences, manual)
    assert (bound, ordered) == (
        "You may only call one tool at a time.", "Always read the file that you changed once more.",
    )  # fmt: skip
    assert tuple(advised) == advice
    assert not set(advice) & set(rules_in(text, sentences, None))
