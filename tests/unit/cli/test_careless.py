"""Careless input to the commands is answered with a remedy, and never with a traceback."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from turnfold import Turnfold
from turnfold.contract.results import ErasureReceipt
from turnfold.database import engines
from turnfold_worker.cli.reading import POLICIES

Run = Callable[..., Result]
Write = Callable[[str, object], Path]


@pytest.mark.parametrize("command", [["migrate"], ["migrate", "--check"], ["doctor"], ["jobs", "list"], ["up"]])
def test_a_file_that_is_no_database_is_named_as_the_trouble(run: Run, write: Write, command: list[str]) -> None:
    file = write("photo.jpg", b"\xff\xd8\xff\xe0 this is no database at all" * 100)

    result = run("--redis-url", "redis://127.0.0.1:1/0", "--database-url", f"sqlite:///{file}", *command)

    assert result.exit_code in {1, 3}
    assert result.exception is None or isinstance(result.exception, SystemExit)
    if command != ["up"]:  # it asks for Redis first
        assert "TURNFOLD_DATABASE_URL" in result.output
        assert "not a database" in result.output or "not a SQLite database" in result.output


def test_migrate_leaves_a_file_that_is_no_database_as_it_is(run: Run, write: Write) -> None:
    words = b"my letters to grandmother" * 100
    file = write("letters.txt", words)

    run("--database-url", f"sqlite:///{file}", "migrate")

    assert file.read_bytes() == words


@pytest.mark.parametrize("command", [["migrate"], ["doctor"], ["list"], ["jobs", "list"]])
def test_half_of_a_database_is_damaged(run: Run, tmp_path: Path, sqlite_url: str, command: list[str]) -> None:
    whole = Path(sqlite_url.removeprefix("sqlite:///"))
    with contextlib.closing(sqlite3.connect(whole)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    half = tmp_path / "half.db"
    half.write_bytes(whole.read_bytes()[:50_000])

    result = run("--redis-url", "redis://127.0.0.1:1/0", "--database-url", f"sqlite:///{half}", *command)

    assert result.exit_code in {1, 3}
    assert isinstance(result.exception, SystemExit)
    # The doctor's table wraps its lines.
    said = " ".join(result.output.split())
    assert "malformed" in said or "is damaged" in said
    assert "backup" in said


@pytest.mark.parametrize("command", [["migrate"], ["migrate", "--check"], ["doctor"]])
def test_a_database_of_a_newer_version_asks_for_that_version(run: Run, sqlite_url: str, command: list[str]) -> None:
    file = sqlite_url.removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0999'")
        connection.execute("UPDATE meta SET value = '999' WHERE key IN ('schema_version', 'schema_expanded')")

    result = run("--redis-url", "redis://127.0.0.1:1/0", "--database-url", sqlite_url, *command)

    assert result.exit_code in {1, 3}
    assert isinstance(result.exception, SystemExit)
    shown = " ".join(result.output.split())
    assert "a newer version made it" in shown
    assert "upgrade Turnfold here" in shown
    assert "turnfold migrate" not in result.output
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("0999",)]


def test_a_disk_that_is_full_while_tables_are_made_is_said_in_a_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_PRAGMAS", (*engines._PRAGMAS, "PRAGMA max_page_count=5"))

    result = run("--database-url", f"sqlite:///{tmp_path / 'new.db'}", "migrate")

    assert result.exit_code == 3
    assert result.stderr.startswith("turnfold: the file of TURNFOLD_DATABASE_URL cannot grow (")
    assert result.stderr.endswith("free disk space\n")


def test_words_that_are_no_text_replace_nothing(run: Run) -> None:
    result = run("edit", "c", "m-1", "-", input=b"\x89PNG\r\n\xff\xfe")

    assert result.exit_code == 2
    assert "standard input is not UTF-8 text (byte 0)" in result.stderr


@pytest.mark.parametrize("content", ['{"id": "c", "turns": []}', '[{"title": "x", "mapping": {}}]', "[]", "\n"])
@pytest.mark.parametrize("command", ["import", "fold"])
def test_a_file_of_conversations_without_turns_holds_no_turns(
    run: Run, write: Write, command: str, content: str
) -> None:
    result = run(command, write("empty.json", content))

    assert result.exit_code == 2
    assert "the file contains no turns" in result.stderr


def test_an_empty_conversation_beside_others_is_no_trouble(run: Run, write: Write) -> None:
    one = {"id": "full", "turns": [{"role": "user", "content": "Hello."}]}
    file = write("two.jsonl", [one, {"id": "empty", "turns": []}])

    assert "Hello." in run("fold", file, "--conversation", "full").output


def test_a_full_disk_is_said_in_a_line(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("turnfold_worker.cli.fold.print_context", full)

    result = run("fold", write("c.jsonl", [{"role": "user", "content": "Hello."}]))

    assert result.exit_code == 3
    assert "the disk is full" in result.stderr


def test_a_larger_budget_shows_no_fewer_turns_word_for_word(run: Run, write: Write) -> None:
    topics = ("the harbour", "invoices", "a garden", "the choir", "solar panels", "a marathon")
    file = write("long.jsonl", [
        {"role": ("user", "assistant")[i % 2], "content": f"About {topics[i // 40]}: part {i} weighs {i * 37 % 91} kg."}
        for i in range(230)
    ])  # fmt: skip

    def shown(budget: int) -> int:
        made = json.loads(run("fold", file, "--budget", budget, "--json").stdout)
        return sum(
            line.startswith(("user: ", "assistant: ")) for line in made["text"].split("[recent turns]")[1].split("\n")
        )

    counts = [shown(budget) for budget in (8_000, 100_000, 10_000_000)]
    assert counts == sorted(counts)
    assert counts[-1] > 180


def test_a_bad_file_says_what_was_not_done(run: Run, write: Write) -> None:
    file = write("bad.jsonl", "no JSON\n")

    assert run("fold", file).stderr.splitlines()[-1] == "nothing was folded"
    assert run("import", file).stderr.splitlines()[-1] == "nothing was imported from this file"


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["context", "c", "--budget", "0"], "--budget"),
        (["fold", "c.jsonl", "--budget", "-5"], "--budget"),
        (["context", "c", "--policy", "mine"], "'balanced', 'recency'"),
        (["fold", "c.jsonl", "--policy", "mine"], "'balanced', 'recency'"),
        (["expand", "c", "L1:x-1", "--max-tokens", "0"], "--max-tokens"),
        (["status", "c", "--wait", "-1"], "--wait"),
        (["import", "c.jsonl", "--wait", "-3"], "--wait"),
        (["usage", "--days", "0"], "--days"),
        (["usage", "--days", "99999999999"], "--days"),
        (["search", "c", " "], "the query is empty"),
    ],
)
def test_a_value_that_makes_no_sense_is_a_usage_error_before_any_work(
    run: Run, arguments: list[str], option: str
) -> None:
    result = run("--redis-url", "redis://127.0.0.1:1/0", *arguments)

    assert result.exit_code == 2
    assert "Usage: " in result.stderr
    assert option in result.stderr


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_that_is_offered_is_known(run: Run, write: Write, policy: str) -> None:
    file = write("c.jsonl", [{"role": "user", "content": "Hello."}])

    assert run("fold", file, "--policy", policy).exit_code == 0


def test_an_empty_name_of_a_conversation_is_refused(run: Run, write: Write) -> None:
    file = write("c.jsonl", [{"role": "user", "content": "Hello."}])

    result = run("--redis-url", "redis://127.0.0.1:1/0", "import", file, "--conversation", "")

    assert result.exit_code == 2
    assert "set the conversation id with --conversation" in result.stderr


def test_a_conversation_that_the_file_does_not_hold_is_named(run: Run, write: Write) -> None:
    result = run("fold", write("c.jsonl", [{"role": "user", "content": "Hello."}]), "--conversation", "d")

    assert result.exit_code == 2
    assert "it contains no conversation 'd'" in result.stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("5", "an object with role and content, not a number"),
        ('"hi"', "not text"),
        ("null", "not null"),
        ('{"words": "hi"}', "the turn has no role: use one of system"),
        ('{"role": "user", "content": {}}', "not an object"),
        ('{"role": "user", "content": "a", "created_at": "tomorrow"}', "such as 2025-03-01T09:30:00Z"),
        ('{"role": "user", "content": "a", "created_at": "2025-03-01T09:30"}', "write it as 2025-03-01T09:30:00Z"),
        (
            '{"role": "user", "content": "a", "created_at": 5}',
            "ISO 8601 text, not a number",
        ),
    ],
)
def test_a_bad_line_is_explained_in_words_of_json(run: Run, write: Write, line: str, says: str) -> None:
    result = run("fold", write("c.jsonl", line))

    assert result.exit_code == 2
    assert says in result.stderr


def test_forgetting_what_never_was_asks_for_the_name(
    run: Run, redis_url: str, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = ErasureReceipt(conversation_id="c", completed=True, inbox_turns=0, turns=0, segments=0, anchors=0)
    monkeypatch.setattr(Turnfold, "forget", lambda *_, **__: nothing)

    result = run("--redis-url", redis_url, "--database-url", sqlite_url, "forget", "c", "--yes")

    assert result.exit_code == 0
    assert "conversation 'c' has no data: is the name right?" in result.stderr


@pytest.mark.parametrize("command", [["list"], ["migrate"]])
def test_a_database_url_with_half_of_a_password_for_a_port_is_explained(run: Run, command: list[str]) -> None:
    result = run("--database-url", "postgresql://me:a@b:c@host/db", "--redis-url", "redis://127.0.0.1:1/0", *command)

    assert result.exit_code == 2
    assert "as %40" in result.stderr
    assert isinstance(result.exception, SystemExit)
