"""`turnfold export` and `turnfold import` restore everything that existed, and nothing that was erased."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from itertools import count as counted
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sqlalchemy import Engine

from conftest import LocalWorker, workers_of
from support.conversations import conversations
from support.examples import examples
from support.stored import broken_invariants
from support.talk import talk
from turnfold import AsyncTurnfold, InvalidInput, Settings, Turnfold, Unavailable, UnknownConversation
from turnfold.database.engines import connect
from turnfold_worker.cli import main

SMALL = {"segment_max_turns": 6, "segment_min_turns": 2, "segment_target_turns": 4}
ERASED = "xylophonist"

_NUMBERS = counted()

Run = Callable[..., Result]


def named(seed: object, many: int) -> list[dict[str, Any]]:
    return [{**turn, "turn_id": f"{seed}-{i}"} for i, turn in enumerate(talk(seed, many))]


@pytest.fixture
def run(redis_url: str, database_url: str) -> Run:
    """Runs `turnfold` on the test's servers."""

    def invoke(*arguments: object, tenant: str = "acme", code: int = 0, **options: Any) -> Result:
        servers = ("--redis-url", redis_url, "--database-url", database_url, "--tenant", tenant)
        result = CliRunner().invoke(main, [*servers, *map(str, arguments)], **options)
        assert result.exit_code == code, result.output
        return result

    return invoke


def lively(tf: Turnfold, local: LocalWorker, name: str = "c") -> None:
    """Fill a conversation with every kind of event."""
    tf.configure(name, goal="Open the theatre.", settings=SMALL)
    tf.append(name, {"role": "system", "content": "You help a theatre.", "turn_id": "s"})
    tf.append(name, named("a", 24))
    call = {"id": "call-1", "type": "function", "function": {"name": "seats", "arguments": '{"row": 4}'}}
    tf.append(name, [
        {"role": "assistant", "content": None, "tool_calls": [call], "turn_id": "call"},
        {"role": "tool", "tool_call_id": "call-1", "content": "row 4 has 12 seats", "turn_id": "result"},
        {"role": "user", "name": "Ana", "content": f"The {ERASED} plays in May.", "turn_id": "secret",
         "created_at": "2026-03-02T09:30:00+01:00", "metadata": {"channel": ["web", 1]}, "importance": "high"},
        {"role": "user", "content": [{"type": "text", "text": "See this"},
                                     {"type": "image_url", "image_url": {"url": "https://x.test/1.png"}}]},
    ])  # fmt: skip
    local.settle()
    tf.append(name, named("b", 16))
    local.settle()
    tf.edit(name, "a-7", content="The seat map is printed in June, by Zoe.")
    tf.delete(name, "a-20")
    tf.edit(name, "secret", content="Somebody plays in May.")
    local.settle()
    tf.resolve_anchor(name, tf.anchors(name)[0].id)
    tf.append(name, named("c", 30))
    local.settle()
    tf.rewind(name, after="c-9")
    local.settle()


@pytest.mark.parametrize("file", ["c.jsonl", pytest.param("c.jsonl.gz", marks=pytest.mark.daily_on("sqlite"))])
def test_what_is_imported_has_the_digest_of_what_was_exported(
    run: Run, tf: Turnfold, local: LocalWorker, engine: Engine, tmp_path: Path, file: str
) -> None:
    lively(tf, local)
    before, shown = local.digest("c"), tf.turns("c", limit=1_000)

    run("export", "c", "-o", tmp_path / file)
    assert (tmp_path / file).stat().st_mode & 0o777 == 0o600
    said = run("import", tmp_path / file, "--json", tenant="other")

    assert json.loads(said.stdout) == {
        "turns": len(shown), "stored_before": 0, "conversations": ["c"], "folded": True,
    }  # fmt: skip
    theirs = tf.for_tenant("other")
    assert local.digest("c", "other") == before
    assert theirs.turns("c", limit=1_000) == shown
    assert [one.text for one in theirs.anchors("c", states=None)] == [one.text for one in tf.anchors("c", states=None)]
    for client in (tf, theirs):
        client.append("c", named("d", 30))
    local.settle()
    assert local.digest("c", "other") == local.digest("c")
    assert broken_invariants(engine) == {}


@pytest.mark.postgresql
def test_a_conversation_moves_from_sqlite_to_postgresql_and_back(
    redis_url: str, sqlite_url: str, postgresql_url: str, tmp_path: Path
) -> None:
    def run(url: str, *arguments: object, tenant: str = "acme") -> str:
        servers = ("--redis-url", redis_url, "--database-url", url, "--tenant", tenant)
        result = CliRunner().invoke(main, [*servers, *map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result.stdout

    with (
        Turnfold(redis_url=redis_url, database_url=sqlite_url, tenant="acme", doorbell=False) as tf,
        workers_of(redis_url, sqlite_url) as make_worker,
    ):
        lively(tf, make_worker())
    before = run(sqlite_url, "digest", "c")
    run(sqlite_url, "export", "c", "-o", tmp_path / "there.jsonl")
    assert "folded as they were exported" in run(postgresql_url, "import", tmp_path / "there.jsonl")
    assert run(postgresql_url, "digest", "c") == before
    run(postgresql_url, "export", "c", "-o", tmp_path / "back.jsonl")
    run(sqlite_url, "import", tmp_path / "back.jsonl", tenant="other")
    assert run(sqlite_url, "digest", "c", tenant="other") == before


@pytest.mark.daily_on("postgresql")
def test_the_client_gives_what_the_command_writes(run: Run, tf: Turnfold, local: LocalWorker, tmp_path: Path) -> None:
    lively(tf, local)
    run("export", "c", "-o", tmp_path / "c.jsonl")
    archive = tf.export("c")
    assert archive == (tmp_path / "c.jsonl").read_bytes()

    (tmp_path / "client.jsonl").write_bytes(archive)
    run("import", tmp_path / "client.jsonl", tenant="other")
    assert local.digest("c", "other") == local.digest("c")

    with pytest.raises(UnknownConversation):
        tf.for_tenant("stranger").export("c")
    tf.forget("c", timeout_seconds=0)
    with pytest.raises(UnknownConversation):
        tf.export("c")


def test_the_client_gives_no_archive_without_what_waits(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", named("a", 4))
    with pytest.raises(Unavailable, match="check that workers run"):
        tf.export("c", timeout_seconds=0)
    local.settle()
    assert tf.export("c").count(b'{"turn":{') == 4
    with pytest.raises(InvalidInput, match="timeout_seconds must be"):
        tf.export("c", timeout_seconds=-1)


async def test_coroutines_get_the_same_archive(tf: Turnfold, local: LocalWorker, settings: Settings) -> None:
    tf.append("c", named("a", 30))
    async with AsyncTurnfold(settings=settings) as client:
        exporting = asyncio.create_task(client.export("c"))
        await asyncio.to_thread(local.settle)
        # The export ends as soon as everything is stored, maybe before it is folded.
        assert (await exporting).count(b'{"turn":{') == 30
        assert await client.export("c") == tf.export("c")
        with pytest.raises(UnknownConversation):
            await client.for_tenant("stranger").export("c")
        with pytest.raises(InvalidInput, match="timeout_seconds must be"):
            await client.export("c", timeout_seconds=float("nan"))


@pytest.mark.postgresql
def test_the_client_exports_over_a_new_connection_when_the_held_one_was_lost(
    redis_url: str, postgresql_url: str
) -> None:
    with (
        Turnfold(redis_url=redis_url, database_url=postgresql_url, tenant="acme", doorbell=False) as tf,
        workers_of(redis_url, postgresql_url) as make_worker,
    ):
        tf.append("c", named("a", 4))
        make_worker().settle()
        before = tf.export("c")
        with connect(postgresql_url, write=True, timeout_seconds=5).begin() as connection:
            lost = connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename = current_user"
            ).all()  # fmt: skip
        assert lost
        assert tf.export("c") == before


@pytest.mark.daily_on("sqlite")
def test_nothing_that_was_erased_stands_in_the_file(run: Run, tf: Turnfold, local: LocalWorker, tmp_path: Path) -> None:
    lively(tf, local)
    run("export", "c", "-o", tmp_path / "c.jsonl")

    content = (tmp_path / "c.jsonl").read_text()
    texts = [content, *_unpacked(content)]
    assert len(texts) > 10
    assert any("theatre" in text for text in texts[1:]), "what is packed was looked into"
    assert [text for text in texts if ERASED in text] == []


def _unpacked(content: str) -> Iterator[str]:
    for line in content.splitlines():
        for values in json.loads(line).values():
            for value in values.values() if isinstance(values, dict) else ():
                if isinstance(value, str) and len(value) % 4 == 0:
                    try:
                        raw = base64.b64decode(value, validate=True)
                    except ValueError:
                        continue
                    yield raw.decode(errors="replace")
                    for form in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
                        try:
                            yield zlib.decompress(raw, form).decode(errors="replace")
                        except zlib.error:
                            continue


def test_an_export_waits_for_what_is_in_the_inbox_and_says_who_is_missing(
    run: Run, tf: Turnfold, local: LocalWorker, tmp_path: Path
) -> None:
    tf.append("c", named("a", 3))
    shown = run("export", "c", "-o", tmp_path / "c.jsonl", "--wait", 0.1, code=3)

    assert "`turnfold up` starts some" in shown.output
    assert list(tmp_path.glob("c.jsonl*")) == []
    tf.append("d", named("a", 3))
    local.settle()
    run("export", "--all", "-o", tmp_path / "c.jsonl")
    assert json.loads((tmp_path / "c.jsonl").read_text().splitlines()[-1]) == {"turnfold": "end", "conversations": 2}


def test_nothing_is_written_of_conversations_of_which_one_is_unknown(
    run: Run, tf: Turnfold, local: LocalWorker
) -> None:
    tf.append("c", named("a", 3))
    local.settle()
    refused = run("export", "c", "nosuch", code=1)
    assert refused.stdout == ""
    assert "'nosuch'" in refused.stderr


def test_an_export_holds_nothing_of_another_tenant(run: Run, tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", named("a", 3))
    tf.for_tenant("other").append("c", {"role": "user", "content": "Ours alone: blue whales."})
    tf.for_tenant("other").append("theirs", {"role": "user", "content": "Ours alone: blue whales."})
    local.settle()

    ours = run("export", "--all").stdout
    assert "whales" not in ours
    assert len(ours.splitlines()) > 5
    assert "whales" in run("export", "--all", "--tenant", "other").stdout
    assert "is not stored" in run("export", "theirs", code=1).output


def test_importing_again_changes_nothing_and_never_mixes_two_conversations(
    run: Run, tf: Turnfold, local: LocalWorker, tmp_path: Path
) -> None:
    tf.append("c", named("a", 30))
    tf.append("d", named("b", 5))
    local.settle()
    run("export", "--all", "-o", tmp_path / "all.jsonl.gz")
    digests = local.digest("c"), local.digest("d")

    again = run("import", tmp_path / "all.jsonl.gz", "--json")
    assert json.loads(again.stdout) == {
        "turns": 35, "stored_before": 35, "conversations": ["c", "d"], "folded": True,
    }  # fmt: skip
    assert "nothing changed" in run("import", tmp_path / "all.jsonl.gz").stdout
    assert (local.digest("c"), local.digest("d")) == digests

    tf.forget("d", timeout_seconds=0)
    local.settle()
    anew = ("import", tmp_path / "all.jsonl.gz", "--fold-anew", "--json")
    assert [json.loads(run(*anew).stdout)["folded"] for _ in range(2)] == [False, False]
    local.settle()
    assert json.loads(run(*anew).stdout)["folded"]

    tf.edit("c", "a-1", content="Something else.")
    local.settle()
    changed = local.digest("c")
    assert "forget it first" in run("import", tmp_path / "all.jsonl.gz", code=2).output
    assert local.digest("c") == changed
    assert "omit --conversation" in run("import", tmp_path / "all.jsonl.gz", "--conversation", "e", code=2).output

    run("export", "c", "-o", tmp_path / "c.jsonl")
    run("import", tmp_path / "c.jsonl", "--conversation", "copy")
    assert local.digest("copy") == changed


def test_an_archive_goes_through_a_pipe(run: Run, tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", named("a", 30))
    local.settle()
    piped = run("export", "c").stdout_bytes
    run("import", "-", tenant="other", input=piped)
    run("import", "-", tenant="third", input=gzip.compress(piped))
    assert local.digest("c", "other") == local.digest("c", "third") == local.digest("c")


def test_no_id_steers_a_terminal_and_the_archive_reads_the_same(
    run: Run, tf: Turnfold, local: LocalWorker, tmp_path: Path
) -> None:
    conversation = "c\u202eevil"
    tf.append(conversation, {"role": "user", "content": "We ship on \x9b2J Friday."})
    local.settle()
    archive = run("export", conversation)
    assert "\u202e" not in archive.output
    assert "\x9b" not in archive.output
    file = tmp_path / "c.jsonl"
    run("export", conversation, "-o", file)
    assert json.loads(run("import", file, "--json", tenant="other").output)["conversations"] == [conversation]


@pytest.mark.daily_on("sqlite")
def test_an_archive_that_is_cut_short_or_damaged_is_refused_at_the_place(
    run: Run, tf: Turnfold, local: LocalWorker, tmp_path: Path
) -> None:
    tf.append("c", named("a", 30))
    tf.append("d", named("b", 16))
    local.settle()
    lines = run("export", "--all").stdout_bytes.splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines) if line.startswith(b'{"end"')]
    file = tmp_path / "bad.jsonl"
    others = iter(range(100))

    def refused(content: bytes, why: str, conversations: list[str]) -> None:
        tenant = f"other-{next(others)}"
        file.write_bytes(content)
        shown = run("import", file, tenant=tenant, code=2)
        assert why in shown.output
        assert f"{file}:" in shown.output
        assert [one.conversation_id for one in tf.for_tenant(tenant).conversations()] == conversations

    refused(b"".join(lines[:10]), "truncated", [])
    refused(b"".join(lines[:10]) + lines[10][:-5], "truncated", [])
    refused(b"".join([*lines[:3], *lines[4:]]), "turn 2 is missing here", [])
    refused(b"".join([*lines[: ends[0] - 1], *lines[ends[0] :]]), "lacks lines", [])
    refused(b"".join(lines[: ends[1]]), "truncated", ["c"])
    refused(b"".join([*lines[: ends[0] + 1], lines[-1]]), "lacks a conversation", ["c"])
    refused(b"".join([lines[0], *lines[2:]]), "expected the start of a conversation", [])
    refused(b"".join([lines[0], lines[1].replace(b"{", b'{"', 1)]), "not a line of an archive", [])
    refused(
        lines[0].replace(b'"version":1', b'"version":7') + b"".join(lines[1:]), "is not an archive of version 1", []
    )
    role = b"".join(lines).replace(b'"role":"user"', b'"role":"king"', 1)
    refused(role, "is not a turn", [])
    refused(b"".join(lines).replace(b'"tokens":', b'"tokens":"x', 1), "not a line of an archive", [])
    refused(gzip.compress(b"".join(lines))[:-20], "truncated", ["c", "d"])


@pytest.mark.daily_on("sqlite")
def test_another_versions_archive_is_folded_anew(run: Run, tf: Turnfold, local: LocalWorker, tmp_path: Path) -> None:
    tf.configure("c", goal="Open the theatre.", settings=SMALL)
    tf.append("c", named("a", 60))
    tf.edit("c", "a-3", content="The seat map is printed in June, by Zoe.")
    tf.delete("c", "a-20")
    local.settle()
    lines = run("export", "c").stdout.splitlines(keepends=True)
    older = json.loads(lines[0]) | {"schema": "0" * 16}
    unknown = ['{"rune":{"conversation":1}}\n']
    end = json.loads(lines[-2])
    end["end"]["lines"] += 1
    file = tmp_path / "older.jsonl"
    file.write_text("".join([json.dumps(older) + "\n", *lines[1:-2], *unknown, json.dumps(end) + "\n", lines[-1]]))

    assert "--fold-anew" in run("import", file, tenant="other", code=2).output
    run("import", file, "--fold-anew", tenant="other")
    local.settle()
    assert local.digest("c", "other") == local.digest("c")


def test_a_conversation_that_is_being_forgotten_is_neither_exported_nor_imported(
    run: Run, tf: Turnfold, local: LocalWorker, tmp_path: Path
) -> None:
    tf.append("c", named("a", 3))
    tf.append("d", named("a", 3))
    local.settle()
    run("export", "c", "-o", tmp_path / "c.jsonl")
    tf.forget("c", timeout_seconds=0)

    assert "was forgotten" in run("export", "c", code=1).output
    assert '"conversation_id":"c"' not in run("export", "--all").stdout
    assert "import again" in run("import", tmp_path / "c.jsonl", code=3).output
    local.settle()
    with pytest.raises(UnknownConversation):
        tf.turns("c")
    run("import", tmp_path / "c.jsonl")
    assert len(tf.turns("c")) == 3


def test_wrong_use_is_explained(run: Run, tmp_path: Path) -> None:
    assert "--all" in run("export", code=2).output
    assert "--all" in run("export", "c", "--all", code=2).output
    assert "--output" in run("export", "--all", "--json", code=2).output
    assert "cannot be written" in run("export", "--all", "-o", tmp_path / "no" / "c.jsonl", code=2).output
    turns = tmp_path / "c.jsonl"
    turns.write_text('{"role": "user", "content": "hello"}\n')
    assert "--fold-anew is only for" in run("import", turns, "--fold-anew", code=2).output


@pytest.mark.daily_on("sqlite")
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_conversation_comes_back_as_it_was(
    tf: Turnfold, local: LocalWorker, engine: Engine, run: Run, tmp_path: Path, data: st.DataObject
) -> None:
    """This holds for any appends, edits, deletions, rewinds and settings, before or after folds."""
    name = f"c-{next(_NUMBERS)}"
    tf.configure(name, settings=SMALL)
    left: list[str] = []
    for round_ in range(data.draw(st.integers(1, 3), label="rounds")):
        turns = [{**turn, "turn_id": f"{round_}-{i}"} for i, turn in enumerate(data.draw(conversations(most=25)))]
        tf.append(name, turns)
        left += [turn["turn_id"] for turn in turns]
        if data.draw(st.booleans(), label="settles"):
            local.settle()
        for change in data.draw(st.lists(st.sampled_from(["edit", "delete", "rewind", "configure"]), max_size=3)):
            turn_id = data.draw(st.sampled_from(left))
            if change == "edit" and tf.expand(name, f"L0:turn-{left.index(turn_id) + 1}").turns[0].content:
                tf.edit(name, turn_id, content=data.draw(st.sampled_from(["We use Redis.", "No: MySQL by 3 May."])))
            elif change == "delete":
                tf.delete(name, turn_id)
            elif change == "rewind":
                tf.rewind(name, after=turn_id)
                del left[left.index(turn_id) + 1 :]
            else:
                tf.configure(name, goal=data.draw(st.sampled_from(["Ship.", "Rest."])))
    local.settle()
    file = tmp_path / "c.jsonl.gz"
    run("export", name, "-o", file)
    run("import", file, tenant="other")
    assert local.digest(name, "other") == local.digest(name)
    file.rename(tmp_path / "first.gz")
    run("export", name, "-o", file, tenant="other")
    assert gzip.decompress(file.read_bytes()) == gzip.decompress((tmp_path / "first.gz").read_bytes())
    assert broken_invariants(engine) == {}
