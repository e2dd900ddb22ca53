"""`turnfold up` as a process of its own, and commands that find it through its state folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from support.child_processes import wait_until_gone
from support.command_server import CommandServer

TURNFOLD = (sys.executable, "-c", "from turnfold_worker.cli import main; main(prog_name='turnfold')")
EXAMPLE = Path(__file__).parents[2] / "examples" / "product-discussion.jsonl"
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
        """Run another command, which finds the stack through its state folder."""
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
    process.communicate(timeout=120)
    return process.returncode


def assert_stops(running: Up, number: signal.Signals) -> None:
    """Check that a signal stops everything within seconds."""
    family = running.family
    assert len(family) >= 3
    began = time.monotonic()

    assert end(running.process, number) == 0

    assert time.monotonic() - began < 60
    wait_until_gone(*family)
