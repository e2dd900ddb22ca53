"""What a careless person gives to the commands is answered with what to do, and never with a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

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
        assert "not a database" in result.output or "no SQLite database" in result.output


def test_migrate_leaves_a_file_that_is_no_database_as_it_is(run: Run, write: Write) -> None:
    words = b"my letters to grandmother" * 100
    file = write("letters.txt", words)

    run("--database-url", f"sqlite:///{file}", "migrate")

    assert file.read_bytes() == words


@pytest.mark.parametrize("days", ["0", "99999999999"])
def test_days_that_no_calendar_has_are_refused(run: Run, days: str) -> None:
    result = run("usage", "--days", days)

    assert result.exit_code == 2
    assert "--days" in result.stderr


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
    assert "the file holds no turns" in result.stderr


def test_an_empty_conversation_beside_others_is_no_trouble(run: Run, write: Write) -> None:
    one = {"id": "full", "turns": [{"role": "user", "content": "Hello."}]}
    file = write("two.jsonl", [one, {"id": "empty", "turns": []}])

    assert "Hello." in run("fold", file, "--conversation", "full").output


def test_nobody_waits_for_less_than_no_time(run: Run, write: Write) -> None:
    result = run("import", write("c.jsonl", [{"role": "user", "content": "Hello."}]), "--wait", "-3")

    assert result.exit_code == 2
    assert "--wait" in result.stderr


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
