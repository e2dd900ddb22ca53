"""What the SDK says is said in the words of the command, for as long as the SDK says it so."""

from __future__ import annotations

from pathlib import Path

import pytest

import turnfold
from turnfold_worker.cli.terminal_words import OFFLINE_COMMANDS, SAID, at_the_terminal, commands_for

SOURCES = "".join(path.read_text(encoding="utf-8") for path in Path(turnfold.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("words", [*SAID, *(f'"{call}"' for call in OFFLINE_COMMANDS)])
def test_the_sdk_still_says_what_is_put_otherwise(words: str) -> None:
    made_at_run_time = {"budget_tokens=": "budget_tokens={", "unknown role None": "unknown role {"}

    assert made_at_run_time.get(words, words) in SOURCES


def test_other_words_stay_as_they_are() -> None:
    said = "conversation 'a, not b' is one, not two\nbecause, not str-like, it was said"

    assert at_the_terminal(said) == said


def test_names_are_quoted_for_the_shell() -> None:
    assert commands_for("it's")["anchors()"] == """turnfold anchors 'it'"'"'s'"""
