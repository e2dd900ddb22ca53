"""SDK calls that a context's account names are translated to commands, and the SDK still names them."""

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
