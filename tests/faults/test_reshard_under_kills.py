"""A reshard to another server survives kill -9 of the command and of a worker while producers append."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.celery_workers import CeleryWorker
from support.child_processes import child_environment
from support.server_folders import own_folder
from support.stored import stored_turns
from support.waiting import wait_until
from turnfold.contract.shards import Layout
from turnfold.database.engines import connect
from turnfold.database.reader import Reader
from turnfold_worker.local.redis_server import RedisServer

pytestmark = [pytest.mark.long, pytest.mark.processes]

PRODUCERS, CONVERSATIONS = 2, 12

PRODUCER = """
import sys, time
from pathlib import Path
from turnfold import Turnfold
from turnfold.errors import Unavailable

number, conversations, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
with Turnfold.from_env() as tf:
    turn = 0
    while not (folder / "stop").exists():
        for name in range(conversations):
            body = {"role": "user", "content": f"turn {turn}", "turn_id": f"t{turn}"}
            while True:
                try:
                    tf.append(f"p{number}-{name}", body)
                    break
                except Unavailable:
                    time.sleep(0.05)
            if turn % 5 == 0:
                shown = [turn.content for turn in tf.turns(f"p{number}-{name}", limit=1000)]
                assert shown == [f"turn {n}" for n in range(turn + 1)], shown
        turn += 1
        (folder / f"turns-{number}").write_text(str(turn))
        time.sleep(0.02)
"""


@contextmanager
def producers(environment: dict[str, str], folder: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    with ExitStack() as stack:
        started = []
        for number in range(PRODUCERS):
            output = stack.enter_context((folder / f"producer-{number}.log").open("wb"))
            command = [sys.executable, "-c", PRODUCER, str(number), str(CONVERSATIONS), str(folder)]
            process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
            stack.callback(process.wait)
            stack.callback(process.kill)
            started.append(process)
        yield started


def turns_of(folder: Path, number: int) -> int:
    path = folder / f"turns-{number}"
    return int(path.read_text() or 0) if path.exists() else 0


def all_reach(folder: Path, more: int) -> None:
    """Wait until each producer has appended `more` turns to each of its conversations."""
    goals = [turns_of(folder, number) + more for number in range(PRODUCERS)]
    wait_until(
        lambda: all(turns_of(folder, number) >= goal for number, goal in enumerate(goals)),
        what=f"producers append, logs are in {folder}",
    )  # fmt: skip


def reshard(environment: dict[str, str], folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from turnfold_worker.cli import main; main()", "reshard", *arguments]
    with (folder / "reshard.log").open("ab") as output:
        return subprocess.Popen(command, env=environment, stdout=output, stderr=output)


def layout_of(database_url: str) -> Layout:
    engine = connect(database_url, write=False, timeout_seconds=10)
    layout = Reader(engine).layout()
    engine.dispose()
    return layout


@pytest.mark.daily_on("sqlite")
def test_nothing_is_lost_doubled_or_reordered_by_reshards_under_kills(
    redis_url: str, database_url: str, celery_environment: dict[str, str], tmp_path: Path,
    start_worker: Callable[..., CeleryWorker],
) -> None:  # fmt: skip
    with own_folder() as folder, RedisServer(folder) as second:
        urls = {"TURNFOLD_REDIS_URL": f"{redis_url},{second.url}", "TURNFOLD_BROKER_URL": redis_url}
        environment = child_environment(**{**celery_environment, **urls})
        worker = start_worker("all", "turnfold.ingest", "turnfold.maintenance", children=2, **urls)
        with producers(environment, tmp_path) as started:
            all_reach(tmp_path, 3)
            # Without a worker a reshard cannot finish, so the command is killed in the middle of it.
            worker.kill()
            command = reshard(environment, tmp_path, "64")
            wait_until(lambda: layout_of(database_url).target is not None, what="it has begun")
            all_reach(tmp_path, 2)
            command.send_signal(signal.SIGKILL)
            command.wait()
            all_reach(tmp_path, 2)
            assert layout_of(database_url).target == Layout(1, 64, 2)
            worker.start()
            again = reshard(environment, tmp_path)
            wait_until(lambda: bool(worker.children()), what="it has children")
            os.kill(worker.children()[0].pid, signal.SIGKILL)
            assert again.wait(240) == 0, (tmp_path / "reshard.log").read_text()
            all_reach(tmp_path, 3)
            assert layout_of(database_url) == Layout(1, 64, 2)
            back = reshard(environment, tmp_path, "16", "--servers", "1")
            assert back.wait(240) == 0, (tmp_path / "reshard.log").read_text()
            all_reach(tmp_path, 3)
            assert [process.poll() for process in started] == [None] * PRODUCERS
            (tmp_path / "stop").touch()
            assert [process.wait(240) for process in started] == [0] * PRODUCERS
        assert layout_of(database_url) == Layout(2, 16, 1)
        engine = connect(database_url, write=False, timeout_seconds=10)
        expected = {
            f"p{number}-{name}": [f"turn {turn}" for turn in range(turns_of(tmp_path, number))]
            for number in range(PRODUCERS) for name in range(CONVERSATIONS)
        }  # fmt: skip

        def contents() -> dict[str, list[Any]]:
            return {name: [turn[2] for turn in stored_turns(engine, "default", name)] for name in expected}

        wait_until(lambda: contents() == expected, what="all is stored, once and in order")
        assert contents() == expected
        engine.dispose()
