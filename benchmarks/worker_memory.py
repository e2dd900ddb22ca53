"""Measure the memory of the processes of `turnfold up` after folding without a model: a Celery worker of each kind.

python benchmarks/worker_memory.py DATA.jsonl… --made 5000   conversations of files, and made talk of that many turns

Linux only; needs `psutil` and `turnfold-worker[embedded]`. A line of DATA is a conversation, as for `fold_speed.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from fold_speed import Turns, made, read

from turnfold import Turnfold

TURNS_AT_ONCE = 200
MOST_SECONDS = 900
COMMAND = "from turnfold_worker.cli import main; main()"


def main() -> None:
    """Fold everything requested with real processes, and print the memory of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="*", help="JSONL: a conversation a line")
    parser.add_argument("--made", type=int, default=0, help="turns of a made assistant chat")
    arguments = parser.parse_args()
    conversations = [turns for path in arguments.data for turns in read(path)]
    conversations += [made(arguments.made)] if arguments.made else []
    if not conversations:
        parser.error("name files of conversations, or --made with a number of turns")
    with tempfile.TemporaryDirectory() as folder:
        _measure(conversations, {**os.environ, "TURNFOLD_STATE_DIR": folder})


def _measure(conversations: list[Turns], environment: dict[str, str]) -> None:
    command = [sys.executable, "-c", COMMAND, "up", "--no-flower", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as stack:  # noqa: S603 - ours
        try:
            addresses = json.loads(stack.stdout.readline() if stack.stdout else "")
            with Turnfold(
                redis_url=addresses["redis_url"],
                database_url=addresses["database_url"],
                broker_url=addresses["broker_url"],
            ) as tf:
                _fold_all(tf, conversations)
            print(f"{sum(map(len, conversations)):,} turns of {len(conversations)} conversations folded")
            for process in psutil.Process(stack.pid).children(recursive=True):
                _print_memory(process)
        finally:
            stack.send_signal(signal.SIGINT)


def _fold_all(tf: Turnfold, conversations: list[Turns]) -> None:
    names = {f"conversation-{number}": turns for number, turns in enumerate(conversations)}
    for name, turns in names.items():
        for first in range(0, len(turns), TURNS_AT_ONCE):
            tf.append(name, turns[first : first + TURNS_AT_ONCE])
    until = time.monotonic() + MOST_SECONDS
    for name, turns in names.items():
        while tf.status(name).folded < len(turns):
            if time.monotonic() > until:
                msg = f"{name} is not folded after {MOST_SECONDS} s: see the errors above"
                raise SystemExit(msg)
            time.sleep(0.5)


def _print_memory(process: psutil.Process) -> None:
    memory, arguments = process.memory_full_info(), process.cmdline()
    name = next((one for one in arguments if "@%h" in one), Path(arguments[0]).name)
    print(f"{name}: {memory.rss / 2**20:.0f} MB resident, {memory.pss / 2**20:.0f} MB with shared pages shared out")


if __name__ == "__main__":
    main()
