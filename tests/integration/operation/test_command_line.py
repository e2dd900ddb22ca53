"""The command as people use it: real processes that find each other through the state folder."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil
import pytest
import redis
from click.testing import CliRunner

from support.command_server import CommandServer
from support.seals import unsealed
from support.server_folders import own_folder
from support.up import EXAMPLE, TURNS, Up, assert_stops, end, start_up
from turnfold_worker.cli import main

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandServer]:
    """Runs commands next to `turnfold up`."""
    with CommandServer(tmp_path_factory.mktemp("commands")) as server:
        yield server


@pytest.fixture(scope="module")
def up(commands: CommandServer) -> Iterator[Up]:
    with own_folder() as folder:
        running = start_up(folder, commands)
        yield running
        if running.process.poll() is None:
            end(running.process)


@pytest.fixture(scope="module")
def imported(up: Up) -> Up:
    """A running stack that has folded the example."""
    assert up.json("import", EXAMPLE, "--wait", 60) == {
        "turns": TURNS, "stored_before": 0, "conversations": [EXAMPLE.stem], "folded": True,
    }  # fmt: skip
    return up


CONVERSATION = EXAMPLE.stem


def folded_here(*arguments: object) -> str:
    """Fold the example in this process, without servers; its segments are folded once for all tests."""
    outcome = CliRunner().invoke(main, ["fold", str(EXAMPLE), *map(str, arguments)])
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def test_the_line_of_json_says_how_to_reach_everything(up: Up) -> None:
    assert set(up.said) >= {"redis_url", "database_url", "broker_url", "state_dir", "pid", "processes"}
    with redis.Redis.from_url(up.said["redis_url"]) as client:
        assert client.ping()
    assert set(up.said["processes"]) == {"redis", "ingest", "compress", "flower", "gateway"}
    flower = urlsplit(up.said["flower_url"])
    assert (flower.hostname, flower.username) == ("127.0.0.1", "turnfold")
    with socket.create_connection((flower.hostname, flower.port or 0), timeout=5):
        pass


def test_the_gateway_answers_with_the_key_of_the_line(imported: Up) -> None:
    key = {"Authorization": f"Bearer {imported.said['gateway_key']}"}
    with httpx.Client(base_url=imported.said["gateway_url"], headers=key, trust_env=False) as client:
        read = client.post(f"/v1/conversations/{CONVERSATION}/context", json={"budget_tokens": 1000})

    assert read.json()["tokens"] <= 1000
    assert len(read.json()["text"]) > 100


def test_importing_again_doubles_nothing(imported: Up) -> None:
    said = imported.run("import", EXAMPLE, "--wait", 60)

    assert f"{TURNS} turns of conversation {CONVERSATION}: all were already stored, nothing changed" in said
    assert imported.json("status", CONVERSATION)["stored"] == TURNS


def test_an_import_says_how_much_of_it_was_stored_already(imported: Up, tmp_path: Path) -> None:
    lines = EXAMPLE.read_text().splitlines(keepends=True)
    file = tmp_path / "grows.jsonl"
    file.write_text("".join(lines[:30]))
    imported.run("import", file, "--wait", 60)
    file.write_text("".join(lines[:50]))

    said = imported.run("import", file, "--wait", 60)

    assert "20 turns of conversation grows appended and folded; 30 were already stored" in said


def test_what_a_context_leaves_out_is_reached_by_commands(imported: Up) -> None:
    asked = ("--budget", 300, "--policy", "recency", "--query", "the price's database")
    left = imported.json("context", CONVERSATION, *asked)["budget"]["left_out"]
    offline = json.loads(folded_here(*asked, "--json"))["budget"]["left_out"]

    reach = {one["reach"] for one in left if not one["reach"].startswith("L")}
    assert reach == {f"turnfold anchors {CONVERSATION}"}
    assert {one["reach"] for one in offline if not one["reach"].startswith("L")} == {"a larger --budget"}


def test_errors_name_what_the_command_has(imported: Up) -> None:
    assert "`turnfold anchors CONV --state all`" in imported.run("anchors", CONVERSATION, "--resolve", 999_999, code=1)
    assert "take ids from receipts" in imported.run("edit", CONVERSATION, "nothing", "Words.", code=1)
    assert "a budget of 20 tokens cannot hold" in imported.run("context", CONVERSATION, "--budget", 20, code=2)
    assert "`turnfold import FILE`" in imported.run("expand", "nobody", "L1:x-1", code=1)


def test_what_was_folded_by_workers_equals_what_is_folded_offline(imported: Up) -> None:
    assert imported.run("digest", CONVERSATION) == folded_here("--digest")


def test_the_context_of_both_is_the_same_to_the_byte(imported: Up) -> None:
    distributed = imported.run("context", CONVERSATION, "--budget", 700)
    assert unsealed(distributed) == unsealed(folded_here("--budget", 700))


def test_markers_of_a_context_can_be_expanded(imported: Up) -> None:
    context = imported.json("context", CONVERSATION, "--budget", 1500)
    assert context["tokens"] <= 1500
    assert context["markers"]
    for marker in context["markers"]:
        assert imported.json("expand", CONVERSATION, marker)["text"]


def test_an_unknown_marker_and_an_unknown_conversation_are_not_found(imported: Up) -> None:
    assert "turnfold: " in imported.run("expand", CONVERSATION, "L1:made-up-4711", code=1)
    assert "nobody" in imported.run("context", "nobody", code=1)
    assert "nobody" in imported.run("status", "nobody", code=1)
    assert "nobody" in imported.run("inspect", "nobody", code=1)


def test_search_and_anchors_find_what_was_decided(imported: Up) -> None:
    hits = imported.json("search", CONVERSATION, "PostgreSQL")
    assert any("PostgreSQL" in hit["snippet"] for hit in hits)
    decisions = imported.json("anchors", CONVERSATION, "--type", "decision", "--state", "all")
    assert decisions
    assert {anchor["type"] for anchor in decisions} == {"decision"}
    assert imported.run("anchors", CONVERSATION)
    assert imported.run("search", CONVERSATION, "PostgreSQL")


def test_notes_are_listed_and_each_leads_to_its_turns(imported: Up) -> None:
    notes = imported.json("notes", CONVERSATION, "--state", "all", "--min-importance", 0)
    assert {note["written_by"] for note in notes} == {"rules"}
    assert {"active", "superseded", "resolved"} <= {note["state"] for note in notes}
    assert {"day_meant", "valid_from", "valid_to", "origin", "factors", "importance"} <= notes[0].keys()
    assert notes[0]["turn_ids"][0] in str(imported.json("expand", CONVERSATION, notes[0]["marker"])["turns"])
    shown = imported.run("notes", CONVERSATION, "--state", "superseded", "--last-turn", 60)
    assert "superseded" in shown
    assert "active" not in shown
    page = imported.json("notes", CONVERSATION, "--state", "all", "--min-importance", 0, "--limit", 20)
    assert page == notes[: len(page)]
    assert 0 < len(page) <= 20
    assert "nobody" in imported.run("notes", "nobody", code=1)
    assert imported.json("notes", CONVERSATION, "--speaker", "nobody") == []


def test_a_timeline_is_listed_in_order_and_each_entry_leads_to_its_turn(imported: Up) -> None:
    entries = imported.json("timeline", CONVERSATION, "--query", "PostgreSQL", "--now", "2026-06-01")
    seqs = [entry["turn_seq"] for entry in entries]
    assert seqs == sorted(set(seqs))
    assert all("sql" in entry["text"].lower() or "postgr" in entry["text"].lower() for entry in entries)
    assert "PostgreSQL" in imported.json("expand", CONVERSATION, entries[0]["marker"])["text"]
    assert len(imported.json("timeline", CONVERSATION, "--limit", 5)) == 5
    page = imported.json("timeline", CONVERSATION, "--after", 0, "--limit", 5)
    behind = imported.json("timeline", CONVERSATION, "--after", page[-1]["turn_seq"], "--limit", 5)
    assert len(page) == 5 == len(behind)
    assert page[-1]["turn_seq"] < behind[0]["turn_seq"]
    assert page[0]["turn_id"] in imported.run("timeline", CONVERSATION, "--after", 0, "--limit", 5)
    assert entries[0]["marker"] in imported.run("timeline", CONVERSATION, "--query", "PostgreSQL")
    assert "nobody" in imported.run("timeline", "nobody", code=1)


def test_why_tells_what_stands_in_a_context_and_what_does_not(imported: Up) -> None:
    told = imported.json("why", CONVERSATION, "--budget", 1000)
    made = imported.json("context", CONVERSATION, "--budget", 1000, "--format", "json")
    assert told["report"]["used_tokens"] == made["tokens"]
    assert {part["name"]: part["used"] for part in told["report"]["parts"]}["recent"] > 0
    shown = imported.run("why", CONVERSATION, "--budget", 1000)
    assert "tokens used" in shown
    assert told["report"]["left_out"][-1]["reach"] in shown
    standing = next(one for one in told["statements"] if one["kind"] not in {"note", "turn"})
    of_turn = imported.json("why", CONVERSATION, standing["turn_seq"], "--budget", 1000)
    assert {"yes: a standing fact"} <= {one["why"] for one in of_turn["statements"]}
    superseded = imported.json("anchors", CONVERSATION, "--state", "superseded")[0]
    reasons = imported.run("why", CONVERSATION, superseded["turn_seq"], "--budget", 1000)
    assert "replaced by turn" in " ".join(reasons.split())
    gone = next(each for each in told["no_longer"] if each["turn"] == superseded["turn_seq"])
    assert gone["why"].startswith("replaced by turn ")
    assert "no longer holds" in shown
    assert f"turn {superseded['turn_seq']} is shown" in reasons
    assert "9999" in imported.run("why", CONVERSATION, 9999, code=1)


def test_words_of_one_speaker_or_origin_are_shown_alone(imported: Up) -> None:
    hits = imported.json("search", CONVERSATION, "PostgreSQL", "--origin", "assistant")
    assert hits
    assert {hit["origin"] for hit in hits} == {"assistant"}
    assert imported.json("search", CONVERSATION, "PostgreSQL", "--speaker", "nobody") == []
    text = imported.run("context", CONVERSATION, "--origin", "user", "--budget", 1000)
    assert text
    assert "\nassistant: " not in text


def test_inspect_has_the_notes_of_each_segment_and_what_their_importance_is_made_of(imported: Up) -> None:
    branches = imported.json("inspect", CONVERSATION)["branches"]
    segments = [part for root in branches for part in (root["children"] or [root])]
    notes = [note for segment in segments for note in segment["notes"]]
    assert notes == imported.json("notes", CONVERSATION, "--state", "all", "--min-importance", 0)
    for segment in segments:
        tokens = segment["node"]["tokens"]
        assert segment["ratios"]["1"] == round(tokens[0] / tokens[1], 1)
        assert all(name in segment["levels"]["1"] for name in segment["entities"]["1"])
    shown = imported.run("inspect", CONVERSATION, "--notes", "--turns", "--factors")
    assert "(decision +50" in shown
    assert "(decided +" in shown
    assert "(telling +" in shown
    assert ":1), names kept" in " ".join(shown.split())


def test_inspect_shows_a_tree_that_covers_every_turn(imported: Up) -> None:
    tree = imported.json("inspect", CONVERSATION)
    ranges = [(branch["node"]["first_seq"], branch["node"]["last_seq"]) for branch in tree["branches"]]

    assert ranges[0][0] == 1
    assert all(after[0] == before[1] + 1 for before, after in pairwise(ranges))
    assert ranges[-1][1] + tree["open_turns"] == TURNS
    assert "chapter" in imported.run("inspect", CONVERSATION, "--levels")
    kinds = {kind for branch in tree["branches"] for kind in branch["facts"]}
    shown = imported.run("inspect", CONVERSATION, "--facts")
    assert kinds
    assert all(f"{kind}: " in shown for kind in kinds)


def test_the_doctor_finds_nothing(imported: Up) -> None:
    report = imported.json("doctor")

    assert report["ok"], report
    assert len(report["findings"]) >= 12
    assert "PROBLEM" not in imported.run("doctor")


def test_status_without_a_conversation_counts_everything_and_names_the_workers(imported: Up) -> None:
    totals = imported.json("status")

    assert totals["stored"]["turns"] >= TURNS
    assert [name.split("@")[0] for name in totals["workers"]] == ["compress", "ingest"]
    assert "workers: compress@" in imported.run("status")


def test_another_tenant_sees_nothing(imported: Up) -> None:
    assert "nothing was ever appended" in imported.run("--tenant", "other", "context", CONVERSATION, code=1)


def test_turns_are_edited_deleted_and_cut_off(up: Up, tmp_path: Path) -> None:
    file = tmp_path / "changes.jsonl"
    said = ["The password is swordfish.", "Noted.", "And the colour is red.", "Fine.", "Wrong answer."]
    file.write_text(
        "".join(f'{{"role": "user", "content": "{words}", "turn_id": "m-{i}"}}\n' for i, words in enumerate(said))
    )
    up.run("import", file, "--wait", 30)

    edited = up.json("edit", "changes", "m-2", "And the colour is blue.")
    assert edited == {"conversation_id": "changes", "turn_id": "m-2", "completed": True, "turns": 5}
    assert "done: the conversation has 5 turns" in up.run("delete", "changes", "L0:turn-1", "--yes")
    assert up.json("rewind", "changes", "m-3", "--yes")["turns"] == 4

    shown = up.run("context", "changes", "--budget", 500)
    assert ("blue" in shown, "red" in shown, "swordfish" in shown, "Wrong" in shown) == (True, False, False, False)
    assert "no turn 'm-4'" in up.run("edit", "changes", "m-4", "Late.", code=1)
    assert "was deleted" in up.run("edit", "changes", "m-0", "Late.", code=1)
    assert "delete the turn" in up.run("edit", "changes", "m-1", " ", code=2)


def test_forgotten_is_gone(up: Up, tmp_path: Path) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_text('{"role": "user", "content": "The password is swordfish."}\n')
    up.run("import", secret, "--wait", 30)

    receipt = up.json("forget", "secret", "--yes")

    assert (receipt["completed"], receipt["turns"]) == (True, 1)
    assert "nothing was ever appended" in up.run("context", "secret", code=1)


def test_all_of_a_tenant_is_forgotten_with_one_receipt(up: Up, tmp_path: Path) -> None:
    for name in ("one", "two"):
        file = tmp_path / f"{name}.jsonl"
        file.write_text('{"role": "user", "content": "The password is swordfish."}\n')
        up.run("--tenant", "gone", "import", file, "--wait", 30)

    receipt = up.json("--tenant", "gone", "forget", "--all", "--yes")

    assert receipt == {
        "tenant": "gone", "conversations": 2, "completed": True, "inbox_turns": 0, "turns": 2, "segments": 0,
        "anchors": 0,
    }  # fmt: skip
    assert "nothing was ever appended" in up.run("--tenant", "gone", "context", "one", code=1)


def test_a_second_up_in_the_same_folder_is_refused(up: Up) -> None:
    assert "is already running" in up.run("up", code=3)


def test_a_worker_and_a_redis_that_die_come_back_and_work_goes_on(up: Up, server_folder: Path) -> None:
    for process in up.family:
        if psutil.pid_exists(process.pid):
            process.kill()
    turns = server_folder / "after.jsonl"
    turns.write_text('{"role": "user", "content": "Still there?"}\n')

    up.run("import", turns, "--wait", 60)

    assert up.json("status", "after")["settled"]


def test_a_signal_stops_everything_within_seconds(up: Up) -> None:
    """Must be the last test that uses the stack."""
    assert_stops(up, signal.SIGTERM)
