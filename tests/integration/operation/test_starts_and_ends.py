"""However `turnfold up`, an import or the demo ends, no process is left running."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from support.child_processes import wait_until_gone
from support.command_server import CommandServer
from support.up import EXAMPLE, TURNFOLD, TURNS, assert_stops, end, environment, start_up
from support.waiting import wait_until
from turnfold_worker.local.local_port import free_port
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.local.stack import Stack
from turnfold_worker.local.state import read_settings

pytestmark = pytest.mark.processes

CONVERSATION = EXAMPLE.stem


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandServer]:
    """Runs commands next to `turnfold up`."""
    with CommandServer(tmp_path_factory.mktemp("commands")) as server:
        yield server


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
def test_a_killed_up_leaves_no_process_and_the_next_one_finds_its_data_and_stops_at_ctrl_c(
    server_folder: Path, commands: CommandServer
) -> None:
    first = start_up(server_folder, commands, "--no-flower", "--no-gateway")
    files = [path for path in server_folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert files
    assert [path.name for path in files if path.stat().st_mode & 0o077] == []
    first.run("import", EXAMPLE, "--wait", 60)
    family = first.family

    first.process.kill()
    first.process.communicate()
    wait_until_gone(*family)
    second = start_up(server_folder, commands, "--no-flower", "--no-gateway")

    assert second.said["redis_url"] == first.said["redis_url"]
    assert second.json("status", CONVERSATION)["stored"] == TURNS
    assert_stops(second, signal.SIGINT)


@pytest.mark.parametrize("delay_seconds", [0.0, 0.5])
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
    wait_until_gone(*family)


def test_a_port_that_is_taken_is_named_with_the_option_that_chooses_another(
    server_folder: Path, commands: CommandServer
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = commands.run(["up", "--port", str(port)], environment(server_folder))

    assert done.returncode == 3
    said = done.stderr.splitlines()[-1]
    assert said.startswith(f"turnfold: port {port} of 127.0.0.1 is in use by another program: choose another")
    assert "--port" in said


def test_a_start_that_fails_is_explained_and_nothing_is_left(server_folder: Path, commands: CommandServer) -> None:
    nowhere = f"sqlite:///{server_folder}/no/where.db"

    done = commands.run(["up"], environment(server_folder, TURNFOLD_DATABASE_URL=nowhere))

    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith("turnfold: the database cannot be opened")
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(server_folder) in " ".join(p.info["cmdline"] or [])]


def test_the_demo_shows_the_main_job_in_under_a_minute(server_folder: Path) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [*TURNFOLD, "demo"], env=environment(server_folder), capture_output=True, text=True, timeout=120, check=False
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


def importing_from_nowhere(folder: Path, port: int) -> subprocess.Popen[str]:
    """Start an import and wait until it reports that its Redis does not answer."""
    python, option, program = TURNFOLD
    # A shell's background processes, as tests may be, ignore SIGINT unless they restore its handler.
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


def test_an_import_that_waits_for_redis_goes_on_when_it_is_there(server_folder: Path, commands: CommandServer) -> None:
    port = free_port()
    (server_folder / "state").mkdir()
    assert commands.run(["migrate"], environment(server_folder / "state")).returncode == 0
    process = importing_from_nowhere(server_folder / "state", port)

    with RedisServer(server_folder / "redis", port=port):
        out, _ = process.communicate(timeout=120)

    assert process.returncode == 0
    assert f"{TURNS} turns of conversation {CONVERSATION} appended" in out


def test_ctrl_c_during_an_import_says_what_is_imported(server_folder: Path) -> None:
    process = importing_from_nowhere(server_folder / "state", free_port())

    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)

    assert process.returncode == 1
    assert f"turnfold: stopped; 0 of {TURNS} turns were imported: import again to continue" in said
    assert "Traceback" not in said


def test_the_settings_file_names_the_processes_that_run_now_and_none_after_the_end(server_folder: Path) -> None:
    with Stack(server_folder, environment={}, ingest_workers=0, compress_workers=0):
        first = read_settings(server_folder)["processes"]["redis"]
        psutil.Process(first).kill()
        wait_until(lambda: read_settings(server_folder)["processes"]["redis"] not in {None, first})
        assert psutil.pid_exists(read_settings(server_folder)["processes"]["redis"])
    left = read_settings(server_folder)
    assert (left["pid"], left["processes"]) == (None, {})
    assert left["redis_url"].startswith("redis://")
