from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result
from sqlalchemy import text

from turnfold import (
    InboxFull,
    InvalidInput,
    QuotaExceeded,
    SchemaMismatch,
    Turnfold,
    TurnfoldError,
    Unavailable,
    UnknownAnchor,
    UnknownConversation,
    UnknownMarker,
    UnknownReference,
)
from turnfold.database.engines import connect
from turnfold_worker.cli import group, lazy_group, main
from turnfold_worker.cli.failures import exit_code_of
from turnfold_worker.operate import migrate
from turnfold_worker.operate.schema.steps import steps

Run = Callable[..., Result]
Write = Callable[[str, object], Path]

COMMANDS = sorted(group.COMMANDS)

TURNS = [
    {"role": "user", "content": "We need a database for the orders service. We must keep all data inside the EU."},
    {"role": "assistant", "content": "PostgreSQL 16 fits. Shall I plan for one replica?"},
    {"role": "user", "content": "Decision: we use PostgreSQL 16 with one replica. The budget is 300 euros a month."},
    {"role": "assistant", "content": "Noted. I will send the estimate by Friday."},
] * 12


def test_help_teaches_with_examples(run: Run) -> None:
    shown = run("--help")

    assert shown.exit_code == 0
    assert "turnfold up" in shown.output
    assert "Exit codes" in shown.output


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UnknownConversation("c"), 1), (UnknownMarker("m"), 1), (UnknownAnchor("a"), 1), (UnknownReference("r"), 1),
        (InvalidInput("i"), 2), (Unavailable("u"), 3), (SchemaMismatch("s"), 3), (InboxFull("f"), 3),
        (QuotaExceeded("q", retry_after_seconds=60), 4),
    ],
)  # fmt: skip
def test_exit_codes_say_what_kind_of_error_it_was(error: TurnfoldError, code: int) -> None:
    assert exit_code_of(error) == code


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_says_of_each_command_what_the_command_says_of_itself(run: Run, name: str) -> None:
    command = main.get_command(click.Context(main), name)

    assert command is not None
    assert (command.name, command.short_help) == (name, group.COMMANDS[name].short_help)
    assert re.search(rf"^  {name} +{re.escape(str(command.short_help))}$", run("--help").output, re.MULTILINE)


def test_each_command_of_another_distribution_is_one_of_turnfold() -> None:
    brought = entry_points(group=lazy_group.ENTRY_POINTS).names
    assert brought
    assert brought <= group.COMMANDS.keys()


def test_a_command_that_does_not_exist_is_refused(run: Run) -> None:
    shown = run("folt")

    assert shown.exit_code == 2
    assert "No such command 'folt'" in shown.output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(run: Run, command: str) -> None:
    shown = run(command, "--help")

    assert shown.exit_code == 0
    assert "Usage" in shown.output
    assert len(shown.output.splitlines()) > 5


class TestFold:
    def test_prints_a_context_within_the_budget_without_any_server(self, run: Run, write: Write) -> None:
        result = run("fold", write("orders.jsonl", TURNS), "--budget", 400)

        assert result.exit_code == 0, result.output
        assert "PostgreSQL 16" in result.stdout

    def test_json_says_what_is_in_it(self, run: Run, write: Write) -> None:
        result = run("fold", write("orders.jsonl", TURNS), "--budget", 400, "--json")

        said = json.loads(result.stdout)
        assert said["conversation_id"] == "orders"
        assert 0 < said["tokens"] <= 400
        assert said["budget"]["budget_tokens"] == 400
        assert len(said["digest"]) == 64

    @pytest.mark.parametrize(("form", "keys"), [("openai", {"messages"}), ("anthropic", {"messages"})])
    def test_a_providers_form_is_ready_for_its_client(self, run: Run, write: Write, form: str, keys: set[str]) -> None:
        result = run("fold", write("orders.jsonl", TURNS), "--budget", 400, "--format", form)

        assert set(json.loads(result.stdout)) == keys

    def test_the_digest_does_not_depend_on_the_budget(self, run: Run, write: Write) -> None:
        path = write("orders.jsonl", TURNS)

        printed = run("fold", path, "--digest").stdout.strip()

        assert printed == json.loads(run("fold", path, "--budget", 900, "--json").stdout)["digest"]

    def test_the_digest_is_json_for_programs(self, run: Run, write: Write) -> None:
        file = write("orders.jsonl", TURNS)

        said = json.loads(run("fold", file, "--digest", "--json").stdout)

        assert said == {"conversation_id": "orders", "digest": run("fold", file, "--digest").stdout.strip()}

    def test_one_of_several_conversations_is_chosen_by_its_id(self, run: Run, write: Write) -> None:
        path = write("many.jsonl", [{"id": "a", "turns": TURNS[:1]}, {"id": "b", "turns": TURNS[1:2]}])

        unchosen = run("fold", path)
        chosen = run("fold", path, "--conversation", "b")

        assert unchosen.exit_code == 2
        assert "choose one of its 2 conversations with --conversation: a, b" in unchosen.stderr
        assert "PostgreSQL 16 fits" in chosen.stdout

    def test_a_budget_that_cannot_hold_anything_says_how_much_is_needed(self, run: Run, write: Write) -> None:
        result = run("fold", write("orders.jsonl", TURNS), "--budget", 3)

        assert result.exit_code == 2
        assert result.stderr.splitlines()[-1].startswith("turnfold: ")
        assert "Traceback" not in result.output


class TestBadInput:
    def test_every_file_is_checked_before_anything_is_sent(self, run: Run, write: Write) -> None:
        good, bad = write("good.jsonl", TURNS), write("bad.jsonl", [{"role": "boss", "content": "a"}])

        result = run("--redis-url", "redis://127.0.0.1:1/0", "import", good, bad)

        assert result.exit_code == 2
        assert "unknown role 'boss'" in result.stderr

    def test_two_files_of_one_conversation_are_refused(self, run: Run, write: Write, tmp_path: Path) -> None:
        (tmp_path / "other").mkdir()

        result = run("import", write("chat.jsonl", TURNS), write("other/chat.jsonl", TURNS))

        assert result.exit_code == 2
        assert "occurs twice" in result.stderr

    def test_one_name_for_several_files_is_a_usage_error(self, run: Run, write: Write) -> None:
        result = run("import", write("a.jsonl", TURNS), write("b.jsonl", TURNS), "--conversation", "c")

        assert result.exit_code == 2
        assert "one file at a time" in result.stderr

    def test_a_conversation_id_that_cannot_be_one(self, run: Run) -> None:
        result = run("context", "a\nb", "--budget", "500")

        assert result.exit_code == 2
        assert "control characters" in result.stderr

    @pytest.mark.parametrize(
        ("option", "value", "says"),
        [
            ("--redis-url", "http://localhost", "TURNFOLD_REDIS_URL is not a Redis URL"),
            ("--database-url", "mysql://localhost/x", "unsupported database, mysql"),
            ("--database-url", "nonsense", "is not a database URL"),
            ("--tenant", "", "must be 1 to 200 bytes"),
        ],
    )
    def test_a_setting_that_makes_no_sense_is_named(self, run: Run, option: str, value: str, says: str) -> None:
        result = run(option, value, "doctor") if option != "--redis-url" else run(option, value, "context", "c")

        assert says in result.output
        assert result.exit_code in {1, 2}
        assert "Traceback" not in result.output

    def test_a_variable_that_makes_no_sense_is_named(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TURNFOLD_TIMEOUT_SECONDS", "soon")

        result = run("context", "c")

        assert result.exit_code == 2
        assert "TURNFOLD_TIMEOUT_SECONDS must be a number, not 'soon'" in result.stderr


class TestNothingRuns:
    NOWHERE = ("--redis-url", "redis://127.0.0.1:1/0")

    @pytest.mark.parametrize("command", [["context", "c"], ["status", "c"], ["search", "c", "x"], ["anchors", "c"]])
    def test_reads_say_that_redis_is_away(self, run: Run, command: list[str]) -> None:
        result = run(*self.NOWHERE, *command)

        assert result.exit_code == 3
        assert "Redis did not answer" in result.stderr
        assert result.stderr.count("`turnfold up` of turnfold-worker starts one") == 1
        assert "Traceback" not in result.output

    @pytest.mark.parametrize("command", [["inspect", "c"], ["digest", "c"]])
    def test_what_needs_the_database_says_that_there_is_none_and_makes_none(
        self, run: Run, command: list[str], tmp_path: Path
    ) -> None:
        file = tmp_path / "none.db"

        result = run("--database-url", f"sqlite:///{file}", *command)

        assert result.exit_code == 3
        assert f"there is no database at {file}" in result.stderr
        assert not file.exists()

    def test_up_says_at_once_that_the_redis_of_a_variable_is_away(self, run: Run) -> None:
        result = run(*self.NOWHERE, "up")

        assert result.exit_code == 3
        assert "Redis did not answer while starting" in result.stderr
        assert "Without it and --redis-url, `turnfold up` starts its own" in result.stderr

    def test_status_of_everything_says_that_redis_is_away(self, run: Run) -> None:
        assert run(*self.NOWHERE, "status").exit_code == 3

    def test_waiting_needs_a_conversation(self, run: Run) -> None:
        assert run(*self.NOWHERE, "status", "--wait", "1").exit_code == 2

    @pytest.mark.parametrize("arguments", [(), ("c", "--all")])
    def test_forget_wants_one_or_all(self, run: Run, arguments: tuple[str, ...]) -> None:
        result = run(*self.NOWHERE, "forget", *arguments)

        assert result.exit_code == 2
        assert "give a conversation, or --all, or --subject, just one of them" in result.stderr

    @pytest.mark.parametrize("command", ["digest", "export", "refine"])
    @pytest.mark.parametrize("arguments", [(), ("c", "--all")])
    def test_what_is_of_one_or_all_is_not_of_both(self, run: Run, command: str, arguments: tuple[str, ...]) -> None:
        result = run(*self.NOWHERE, command, *arguments)

        assert result.exit_code == 2
        assert "--all, not both" in result.stderr

    @pytest.mark.parametrize("command", ["delete", "rewind"])
    def test_what_cannot_be_undone_asks_first(self, run: Run, command: str) -> None:
        result = run(*self.NOWHERE, command, "c", "m-1", input="n\n")

        assert result.exit_code == 1
        assert "Permanently delete" in result.stderr

    def test_a_change_says_that_redis_is_away(self, run: Run) -> None:
        assert run(*self.NOWHERE, "edit", "c", "m-1", "Better words.").exit_code == 3

    def test_forget_asks_first(self, run: Run) -> None:
        result = run(*self.NOWHERE, "forget", "c", input="n\n")

        assert result.exit_code == 1
        assert "Permanently erase" in result.stderr


class TestMigrate:
    def test_creates_the_schema_and_then_finds_no_drift(self, run: Run, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path}/new.db"

        before = run("--database-url", url, "migrate", "--check")
        made = run("--database-url", url, "migrate")
        after = run("--database-url", url, "migrate", "--check", "--json")

        assert before.exit_code == 1
        assert "revision none" in before.stdout
        assert made.exit_code == 0
        assert after.exit_code == 0
        assert json.loads(after.stdout) == {
            "revision": steps()[-1].revision, "drift": [], "contract_pending": False,
        }  # fmt: skip

    def test_tables_that_no_migration_mends_are_named_with_the_remedy(self, run: Run, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path}/other.db"
        run("--database-url", url, "migrate")
        engine = connect(url, write=True, timeout_seconds=5)
        with engine.begin() as connection:
            connection.execute(text("DROP TABLE passage"))
        engine.dispose()

        result = run("--database-url", url, "migrate")

        assert result.exit_code == 1
        assert "passage" in result.stdout
        assert "start with an empty database" in result.stderr

    def test_a_folder_that_is_missing_is_named(self, run: Run, tmp_path: Path) -> None:
        result = run("--database-url", f"sqlite:///{tmp_path}/nowhere/new.db", "migrate")

        assert result.exit_code == 3
        assert "TURNFOLD_DATABASE_URL" in result.stderr


class TestStoredConversation:
    @pytest.fixture
    def url(self, tmp_path: Path) -> str:
        """URL of a database with a hand-written conversation of nine segments and one chapter."""
        url = f"sqlite:///{tmp_path}/stored.db"
        migrate.upgrade(url)
        engine = connect(url, write=True, timeout_seconds=5)
        with engine.begin() as connection:
            for statement, rows in stored_rows():
                connection.execute(text(statement), rows)
        engine.dispose()
        return url

    def test_inspect_shows_chapters_above_their_segments_and_the_open_tail(self, run: Run, url: str) -> None:
        result = run("--database-url", url, "inspect", "c")

        assert result.exit_code == 0, result.output
        lines = result.stdout.splitlines()
        assert "c  19 turns, 9 segments, 1 active anchors" in lines[0]
        assert "eight-c1-1  turns 1–16  chapter of height 1" in lines[1]
        assert "topic-1" in lines[2]
        assert re.search(r"decision \d+: Content 2", result.stdout)
        assert "open tail" in lines[-1]

    def test_inspect_shows_the_words_of_every_level_when_asked(self, run: Run, url: str) -> None:
        assert "level 2 of 0:3" in run("--database-url", url, "inspect", "c", "--levels").stdout

    def test_inspect_gives_programs_the_tree(self, run: Run, url: str) -> None:
        tree = json.loads(run("--database-url", url, "inspect", "c", "--json").stdout)

        chapter, last = tree["branches"]
        assert [child["node"]["idx"] for child in chapter["children"]] == list(range(8))
        assert last["node"]["idx"] == 8
        assert tree["open_turns"] == 1

    @pytest.mark.parametrize("command", ["inspect", "digest"])
    def test_a_forgotten_conversation_is_shown_no_more_though_its_rows_are_still_there(
        self, run: Run, url: str, redis_url: str, command: str
    ) -> None:
        servers = ("--redis-url", redis_url, "--database-url", url)
        assert run(*servers, command, "c").exit_code == 0
        with Turnfold(redis_url=redis_url, database_url=url, doorbell=False) as tf:
            tf.forget("c", timeout_seconds=0)

        result = run(*servers, command, "c")

        assert result.exit_code == 1
        assert "was forgotten" in result.stderr
        assert result.stdout == ""

    def test_inspect_and_digest_of_an_unknown_conversation_fail(self, run: Run, url: str) -> None:
        for command in ("inspect", "digest"):
            result = run("--database-url", url, command, "nobody")
            assert result.exit_code == 1
            assert "nobody" in result.stderr


def stored_rows() -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the inserts for nine segments of two turns each, a chapter over eight of them and one open turn."""
    nodes = [{"h": 0, "i": i, "first": 2 * i + 1, "last": 2 * i + 2, "slug": "topic"} for i in range(9)]
    nodes.append({"h": 1, "i": 0, "first": 1, "last": 16, "slug": "eight"})
    return [
        (
            (
                "INSERT INTO conversation (id, tenant, external_id, turn_count, closed_seq, fold_seq, node_count, "
                "anchor_count) VALUES (1, 'default', 'c', 19, 18, 19, 9, 1)"
            ),
            [{}],
        ),
        (
            (
                "INSERT INTO turn (conversation, seq, turn_id, role, content, importance, tokens, content_hash) "
                "VALUES (1, :seq, :turn_id, 'user', :content, 1, 2, x'00')"
            ),
            [{"seq": seq, "turn_id": f"t{seq}", "content": f"Content {seq}"} for seq in range(1, 20)],
        ),
        (
            (
                "INSERT INTO node (conversation, height, idx, first_seq, last_seq, slug, tokens_0, tokens_1, tokens_2, "
                "tokens_3, importance, method, facts, source_hash) "
                "VALUES (1, :h, :i, :first, :last, :slug, 90, 30, 9, 3, 10, 1, '{}', x'00')"
            ),
            nodes,
        ),
        (
            "INSERT INTO level (conversation, height, idx, level, refined, body) VALUES (1, :h, :i, :level, 0, :body)",
            [
                {"h": node["h"], "i": node["i"], "level": level, "body": f"level {level} of {node['h']}:{node['i']}"}
                for node in nodes
                for level in (1, 2, 3)
            ],
        ),
        (
            (
                "INSERT INTO anchor (conversation, id, node_idx, seq, start_offset, end_offset, kind, body, tokens, "
                "score, rank, state) VALUES (1, 1, 0, 2, 0, 9, 1, 'Content 2', 2, 50, 50, 0)"
            ),
            [{}],
        ),
    ]
