"""Slow commands say at once what they wait for, and at the end what was done and what remains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import Result
from redis.exceptions import OutOfMemoryError

from turnfold import Turnfold, Unavailable
from turnfold.redis.connections import NoAnswer, translated
from turnfold_worker.cli import changes, import_command, output
from turnfold_worker.cli.output import told_when_slow
from turnfold_worker.local.redis_server import RedisServer

Run = Callable[..., Result]
Write = Callable[[str, object], Path]

TURNS: Sequence[Mapping[str, str]] = [{"role": "user", "content": f"Note {i}."} for i in range(5)]


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "SLOW_SECONDS", 0.05)
    monkeypatch.setattr(import_command, "PATIENCE_SECONDS", 1.0)
    monkeypatch.setattr("turnfold_worker.cli.forget.WAIT_SECONDS", 0.5)
    monkeypatch.setattr(changes, "WAIT_SECONDS", 0.5)


@pytest.fixture
def servers(redis_url: str, sqlite_url: str) -> tuple[str, ...]:
    """Return options for servers that no worker serves."""
    return ("--redis-url", redis_url, "--database-url", sqlite_url)


def test_an_import_says_that_redis_does_not_answer_and_how_long_it_tries(run: Run, write: Write) -> None:
    result = run("--redis-url", "redis://me:secret@127.0.0.1:1/0", "import", write("c.jsonl", TURNS))

    assert result.exit_code == 3
    notice, *_, error = (line for line in result.stderr.splitlines() if line.startswith("turnfold: "))
    assert "Redis does not answer at redis://127.0.0.1:1/0: retrying for 1 s" in notice
    assert "`turnfold up`" in notice
    assert "`turnfold up`" in error
    assert "0 of 5 turns were imported" in error
    assert "secret" not in result.output


def test_a_wrong_password_is_not_tried_again(
    run: Run, write: Write, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_command, "PATIENCE_SECONDS", 600.0)

    result = run("--redis-url", f"redis://:wrong@127.0.0.1:{redis_server.port}/0", "import", write("c.jsonl", TURNS))

    assert result.exit_code == 3
    assert "rejected the user or password" in result.stderr


def test_an_import_says_that_it_waits_for_room(
    run: Run, write: Write, servers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURNFOLD_MAX_INBOX_TURNS", "4")

    result = run(*servers, "import", write("c.jsonl", TURNS), "--batch", 2)

    assert result.exit_code == 3
    assert "the inbox of conversation 'c' is full: waiting 1 s for workers" in result.stderr
    assert "4 of 5 turns were imported: import again to continue" in result.stderr


def test_an_import_that_redis_refuses_says_why_while_it_tries_again(
    run: Run, write: Write, servers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        with translated("appending"):
            raise OutOfMemoryError

    monkeypatch.setattr(Turnfold, "append", refuse)

    result = run(*servers, "import", write("c.jsonl", TURNS))

    assert result.exit_code == 3
    assert "out of memory: raise maxmemory, or start workers, which empty the inboxes; retrying for 1 s" in (
        result.stderr
    )
    assert "does not answer" not in result.stderr


@pytest.mark.parametrize(
    ("urls", "error", "said"),
    [
        ("redis://h", Unavailable("the database is locked", remedy="try again"), "the database is locked: try again;"),
        ("redis://h,redis://i", NoAnswer("server 2 is silent", remedy="start it"), "server 2 is silent: start it;"),
    ],
)
def test_an_import_says_what_it_met(
    run: Run, write: Write, servers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, urls: str, error: Unavailable,
    said: str,
) -> None:  # fmt: skip
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Turnfold, "append", refuse)
    monkeypatch.setattr(import_command, "_stored_before", lambda *_: None)

    result = run(*servers, "--redis-url", urls, "import", write("c.jsonl", TURNS))

    assert result.exit_code == 3
    assert f"turnfold: {said} retrying for 1 s" in result.stderr
    assert "does not answer" not in result.stderr


def test_an_import_that_nobody_folds_says_that_all_of_it_is_kept(
    run: Run, write: Write, servers: tuple[str, ...]
) -> None:
    result = run(*servers, "import", write("c.jsonl", TURNS), "--wait", "0.3")

    assert result.exit_code == 3
    assert "all 5 turns were imported; waiting up to 0.3 s for workers to fold them" in result.stderr
    assert "not all are folded after 0.3 s (0 of 5 of conversation 'c')" in result.stderr
    assert "`turnfold up`" in result.stderr


@pytest.mark.parametrize(
    ("which", "waits"),
    [
        (["c"], "waiting up to 0.5 s for a worker to delete conversation 'c'"),
        (["--all"], "waiting up to 0.5 s at a time for workers to delete 1 conversations"),
    ],
)
def test_forget_without_workers_says_what_it_waits_for_and_what_remains(
    run: Run, servers: tuple[str, ...], redis_url: str, sqlite_url: str, which: list[str], waits: str
) -> None:
    with Turnfold(redis_url=redis_url, database_url=sqlite_url, doorbell=False) as tf:
        tf.append("c", TURNS)

    result = run(*servers, "forget", *which, "--yes")

    assert result.exit_code == 0
    assert waits in result.stderr
    assert "hidden: it is no longer readable" in result.stdout
    assert "once a worker runs: `turnfold up`" in result.stdout


def test_a_change_without_workers_says_what_it_waits_for(
    run: Run, servers: tuple[str, ...], redis_url: str, sqlite_url: str
) -> None:
    with Turnfold(redis_url=redis_url, database_url=sqlite_url, doorbell=False) as tf:
        tf.append("c", {"role": "user", "content": "Note.", "turn_id": "m-1"})

    result = run(*servers, "edit", "c", "m-1", "Better.")

    assert result.exit_code == 0
    assert "waiting up to 0.5 s for a worker to store it" in result.stderr
    assert "it will be stored once a worker runs: `turnfold up`" in result.stdout


@pytest.mark.parametrize(
    "command", [["forget", "c", "--yes"], ["edit", "c", "m-1", "Better."], ["status", "c", "--wait", "9"]]
)
def test_ctrl_c_while_waiting_says_what_goes_on(
    run: Run, servers: tuple[str, ...], redis_url: str, sqlite_url: str, monkeypatch: pytest.MonkeyPatch,
    command: list[str],
) -> None:  # fmt: skip
    def pressed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with Turnfold(redis_url=redis_url, database_url=sqlite_url, doorbell=False) as tf:
        tf.append("c", {"role": "user", "content": "Note.", "turn_id": "m-1"})
    monkeypatch.setattr(Turnfold, "forget", pressed)
    monkeypatch.setattr(Turnfold, "wait", pressed)

    result = run(*servers, *command)

    assert result.exit_code == 1
    assert result.stderr.startswith("turnfold: stopped waiting; ")
    assert "Aborted" not in result.output


def test_what_is_quick_says_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "SLOW_SECONDS", 60.0)

    with told_when_slow(lambda: "waiting"):
        pass

    assert capsys.readouterr().err == ""
