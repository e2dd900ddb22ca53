"""What a context's account says is said in the words of the command, for as long as the SDK says it so."""

from __future__ import annotations

from pathlib import Path

import pytest

import turnfold
from turnfold_worker.cli.account_commands import OFFLINE_COMMANDS, commands_for

SOURCES = "".join(path.read_text(encoding="utf-8") for path in Path(turnfold.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("call", OFFLINE_COMMANDS)
def test_the_sdk_still_says_what_is_put_otherwise(call: str) -> None:
    assert f'"{call}"' in SOURCES


def test_names_are_quoted_for_the_shell() -> None:
    assert commands_for("it's")["anchors()"] == """turnfold anchors 'it'"'"'s'"""
