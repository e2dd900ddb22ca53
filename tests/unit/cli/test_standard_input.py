"""`-` reads standard input, and progress output stays out of pipes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from tests.unit.cli.conftest import chat

Run = Callable[..., Result]
Write = Callable[[str, object], Path]

TURNS = chat("We must use PostgreSQL 16.", "Noted.", "The budget is 300 euros a month.", "Fine.")
LINES = "".join(json.dumps(turn) + "\n" for turn in TURNS)


def test_fold_reads_standard_input(run: Run, write: Write) -> None:
    piped = run("fold", "-", "--digest", input=LINES)
    assert piped.exit_code == 0
    assert piped.stdout == run("fold", write("chat.jsonl", TURNS), "--digest").stdout


def test_what_is_wrong_with_standard_input_is_named_by_its_line(run: Run) -> None:
    refused = run("fold", "-", input='{"role": "user", "content": "Hi."}\n{"role": \n')
    assert refused.exit_code == 2
    assert refused.stderr.startswith("turnfold: standard input:2: is not JSON")


def test_import_wants_a_name_for_what_has_none(run: Run) -> None:
    for nameless in (LINES, json.dumps({"messages": TURNS})):
        refused = run("import", "-", input=nameless)
        assert refused.exit_code == 2
        assert "set the conversation id with --conversation" in refused.stderr


def test_a_pipe_gets_no_progress_bar(run: Run, write: Write) -> None:
    assert run("fold", write("chat.jsonl", TURNS)).stderr == ""
