"""Any text can be printed, whatever the output and its encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.lookalikes import escaped_json
from turnfold.errors import InvalidInput
from turnfold_worker.cli.failures import Failure
from turnfold_worker.cli.output import json_of
from turnfold_worker.cli.streams import safe

Write = Callable[[str, object], Path]

PROGRAM = "from turnfold_worker.cli import main; main(prog_name='turnfold')"
TURN = {"role": "user", "content": "Café – we must use PostgreSQL."}


def printed(shell: str, *arguments: object, encoding: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own; `shell` is appended to `"$@"` in a shell's line."""
    return subprocess.run(
        ["sh", "-c", f'"$@" {shell}', "sh", sys.executable, "-c", PROGRAM, *map(str, arguments)],
        env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True, timeout=120, check=False,
    )  # fmt: skip


def test_what_an_encoding_lacks_is_printed_as_its_number(write: Write) -> None:
    done = printed("", "fold", write("c.jsonl", [TURN]), encoding="latin-1")

    assert done.returncode == 0, done.stderr
    assert "user: Café \\u2013 we must use PostgreSQL." in done.stdout.decode("latin-1")


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_output_ends_no_command(write: Write, closed: str) -> None:
    done = printed(closed, "fold", write("c.jsonl", [TURN]), encoding="utf-8")

    assert (done.returncode, done.stderr) == (0, b"")
    assert (b"PostgreSQL" in done.stdout) == (closed == "2>&-")


def test_a_table_is_printed_where_the_encoding_lacks_its_characters(sqlite_url: str) -> None:
    arguments = ("--database-url", sqlite_url, "--redis-url", "redis://127.0.0.1:1/0", "doctor")

    done = printed("", *arguments, encoding="ascii")

    assert done.returncode == 1
    assert b"\\u2192 start the server, or correct its URL" in done.stdout
    assert b"Traceback" not in done.stderr


STEERING = [*map(chr, range(0x7F, 0xA0)), *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]


@pytest.mark.parametrize("sign", ["\x1b", "\x07", "\x08", "\r", "\x00", *STEERING])
def test_no_words_steer_a_terminal(sign: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert safe(f"a{sign}b\tc\n") == "a\ufffdb\tc\n"
    Failure(InvalidInput(f"no marker {sign}", remedy="copy one")).show()
    assert sign not in capsys.readouterr().err


@given(st.recursive(st.text() | st.sampled_from(STEERING) | st.integers(), st.lists))
def test_json_reads_as_before_and_steers_no_terminal(value: object) -> None:
    printed_json = json_of(value)
    assert json.loads(printed_json) == value
    assert not set(STEERING) & set(printed_json)
    assert escaped_json(printed_json) == printed_json
