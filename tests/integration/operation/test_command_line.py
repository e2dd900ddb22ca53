"""The command as a person uses it: real processes, found again through the state folder."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
import redis

from support.command_server import CommandServer
from support.server_folders import own_folder
from turnfold_worker.adapters.local_port import free_port
from turnfold_worker.adapters.redis_server import RedisServer

pytestmark = [pytest.mark.processes, pytest.mark.timeout(180)]

TURNFOLD = (sys.executable, "-c", "from turnfold_worker.cli import main; main(prog_name='turnfold')")
EXAMPLE = Path(__file__).parents[3] / "examples" / "product-discussion.jsonl"
TURNS = len(EXAMPLE.read_text().splitlines())


def environment(folder: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TURNFOLD_")}
    return {**kept, "TURNFOLD_STATE_DIR": str(folder), **more}


@dataclass
class Up:
    """A running `turnfold up --json`."""

    process: subprocess.Popen[str]
    said: dict[str, Any]
    folder: Path
    commands: CommandServer

    def run(self, *arguments: object, code: int = 0) -> str:
        """Run another command, which finds this one by its state folder."""
        done = self.commands.run([*map(str, arguments)], environment(self.folder))
        assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout if code == 0 or done.stdout else done.stderr

    def json(self, *arguments: object, code: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", code=code))

    @property
    def family(self) -> list[psutil.Process]:
        """Every process that it started."""
        return psutil.Process(self.process.pid).children(recursive=True)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandServer]:
    """Runs the commands that a person runs beside `turnfold up`."""
    with CommandServer(tmp_path_factory.mktemp("commands")) as server:
        yield server


def start_up(folder: Path, commands: CommandServer, *arguments: str, **more: str) -> Up:
    process = subprocess.Popen(
        [*TURNFOLD, "up", "--json", *arguments], env=environment(folder, **more), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    return Up(process, json.loads(line), folder, commands)


def end(process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> int:
    process.send_signal(number)
    process.communicate(timeout=30)
    return process.returncode


def all_gone(processes: list[psutil.Process], *, seconds: float) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


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


def test_the_line_of_json_says_how_to_reach_everything(up: Up) -> None:
    assert set(up.said) >= {"redis_url", "database_url", "broker_url", "state_dir", "pid", "processes"}
    with redis.Redis.from_url(up.said["redis_url"]) as client:
        assert client.ping()
    assert set(up.said["processes"]) == {"redis", "ingest", "compress", "flower"}
    flower = urlsplit(up.said["flower_url"])
    assert (flower.hostname, flower.username) == ("127.0.0.1", "turnfold")
    with socket.create_connection((flower.hostname, flower.port or 0), timeout=5):
        pass


def test_importing_again_doubles_nothing(imported: Up) -> None:
    said = imported.run("import", EXAMPLE, "--wait", 60)

    assert f"{TURNS} turns of conversation {CONVERSATION}: all were stored already, nothing changed" in said
    assert imported.json("status", CONVERSATION)["stored"] == TURNS


def test_an_import_says_how_much_of_it_was_stored_already(imported: Up, tmp_path: Path) -> None:
    lines = EXAMPLE.read_text().splitlines(keepends=True)
    file = tmp_path / "grows.jsonl"
    file.write_text("".join(lines[:30]))
    imported.run("import", file, "--wait", 60)
    file.write_text("".join(lines[:50]))

    said = imported.run("import", file, "--wait", 60)

    assert "50 turns of conversation grows appended and folded; 30 of them were stored already" in said


def test_what_a_context_leaves_out_is_reached_by_commands(imported: Up) -> None:
    asked = ("--budget", 300, "--policy", "recency", "--query", "the price's database")
    left = imported.json("context", CONVERSATION, *asked)["budget"]["left_out"]
    offline = imported.json("fold", EXAMPLE, *asked)["budget"]["left_out"]

    reach = {one["reach"] for one in left if not one["reach"].startswith("L")}
    assert reach == {f"turnfold anchors {CONVERSATION}"}
    assert {one["reach"] for one in offline if not one["reach"].startswith("L")} == {"a larger --budget"}


def test_errors_name_what_the_command_has(imported: Up) -> None:
    assert "`turnfold anchors CONV --state all`" in imported.run("anchors", CONVERSATION, "--resolve", 999_999, code=1)
    assert "such as L0:turn-17" in imported.run("edit", CONVERSATION, "nothing", "Words.", code=1)
    assert "--budget 20 cannot hold" in imported.run("context", CONVERSATION, "--budget", 20, code=2)
    assert "`turnfold import FILE`" in imported.run("expand", "nobody", "L1:x-1", code=1)


def test_what_was_folded_by_workers_equals_what_is_folded_offline(imported: Up) -> None:
    assert imported.run("digest", CONVERSATION) == imported.run("fold", EXAMPLE, "--digest")


def test_the_context_of_both_is_the_same_to_the_byte(imported: Up) -> None:
    distributed = imported.run("context", CONVERSATION, "--budget", 700)
    assert distributed == imported.run("fold", EXAMPLE, "--budget", 700)


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
    assert "delete it" in up.run("edit", "changes", "m-1", " ", code=2)


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


def importing_from_nowhere(folder: Path, port: int) -> subprocess.Popen[str]:
    """An import that has just said that its Redis does not answer."""
    python, option, program = TURNFOLD
    # What runs in the background of a shell, as tests may, is not interrupted unless it asks to be.
    program = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {program}"
    process = subprocess.Popen(
        [python, option, program, "--redis-url", f"redis://127.0.0.1:{port}/0", "import", str(EXAMPLE)],
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert f"Redis does not answer at redis://127.0.0.1:{port}/0" in process.stderr.readline()
    return process


def test_an_import_that_waits_for_redis_goes_on_when_it_is_there(server_folder: Path) -> None:
    port = free_port()
    process = importing_from_nowhere(server_folder / "state", port)

    with RedisServer(server_folder / "redis", port=port):
        out, _ = process.communicate(timeout=60)

    assert process.returncode == 0
    assert f"{TURNS} turns of conversation {CONVERSATION} appended" in out


def test_ctrl_c_during_an_import_says_what_is_imported(server_folder: Path) -> None:
    process = importing_from_nowhere(server_folder / "state", free_port())

    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)

    assert process.returncode == 1
    assert f"turnfold: stopped; 0 of {TURNS} turns are imported: import again to go on" in said
    assert "Traceback" not in said


def test_a_second_up_in_the_same_folder_is_refused(up: Up) -> None:
    assert "already runs" in up.run("up", code=3)


def test_a_worker_and_a_redis_that_die_come_back_and_work_goes_on(up: Up, server_folder: Path) -> None:
    for process in up.family:
        if psutil.pid_exists(process.pid):
            process.kill()
    turns = server_folder / "after.jsonl"
    turns.write_text('{"role": "user", "content": "Still there?"}\n')

    up.run("import", turns, "--wait", 60)

    assert up.json("status", "after")["settled"]


def assert_stops(running: Up, number: signal.Signals) -> None:
    """A signal stops everything within seconds."""
    family = running.family
    assert len(family) >= 3
    began = time.monotonic()

    assert end(running.process, number) == 0

    assert time.monotonic() - began < 20
    assert all_gone(family, seconds=1)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
def test_a_killed_up_leaves_no_process_and_the_next_one_finds_its_data_and_stops_at_ctrl_c(
    server_folder: Path, commands: CommandServer
) -> None:
    first = start_up(server_folder, commands, "--no-flower")
    first.run("import", EXAMPLE, "--wait", 60)
    family = first.family

    first.process.kill()
    first.process.communicate()
    assert all_gone(family, seconds=20)
    second = start_up(server_folder, commands, "--no-flower")

    assert second.said["redis_url"] == first.said["redis_url"]
    assert second.json("status", CONVERSATION)["stored"] == TURNS
    assert_stops(second, signal.SIGINT)


def test_a_signal_stops_everything_within_seconds(up: Up) -> None:
    """The last one that uses it."""
    assert_stops(up, signal.SIGTERM)


@pytest.mark.parametrize("delay_seconds", [0.0, 0.1, 0.5])
def test_a_signal_during_the_start_leaves_no_process(server_folder: Path, delay_seconds: float) -> None:
    process = subprocess.Popen(
        [*TURNFOLD, "up"], env=environment(server_folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert "starting Redis" in process.stderr.readline()
    time.sleep(delay_seconds)
    family = psutil.Process(process.pid).children(recursive=True)

    end(process)

    assert process.returncode == 0
    assert all_gone(family, seconds=5)


def test_a_port_that_is_taken_is_named_with_the_option_that_chooses_another(server_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*TURNFOLD, "up", "--port", str(port)], env=environment(server_folder), capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip

    assert done.returncode == 3
    said = done.stderr.splitlines()[-1]
    assert said.startswith(f"turnfold: port {port} of 127.0.0.1 is taken by another program: choose another")
    assert "--port" in said


def test_a_start_that_fails_is_explained_and_nothing_is_left(server_folder: Path) -> None:
    done = subprocess.run(
        [*TURNFOLD, "up"], env=environment(server_folder, TURNFOLD_DATABASE_URL=f"sqlite:///{server_folder}/no/where.db"),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("turnfold: the database cannot be opened")
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(server_folder) in " ".join(p.info["cmdline"] or [])]


def test_the_demo_shows_the_main_job_in_under_a_minute(server_folder: Path) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [*TURNFOLD, "demo"], env=environment(server_folder), capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < 60
    for shown in (
        "3. The tree",
        "4. Anchors",
        "context(budget_tokens=500)",
        "context(budget_tokens=2000)",
        "6. expand(",
    ):
        assert shown in done.stdout
    assert not (server_folder / "up.lock").exists()
