"""Measure how many turns a second folding takes without a model: the offline pipeline, SQL in memory included.

python benchmarks/fold_speed.py DATA.jsonl…               turns per CPU second of each file
python benchmarks/fold_speed.py DATA.jsonl… --processes 2   in parallel, by wall time: needs an idle machine
python benchmarks/fold_speed.py --made 1000 --made 100000   made talk of that many turns: do later turns cost more?

A line of DATA is a conversation of an evidence-retention harness (`id` and `turns` of `role`, `name`, `ts`, `content`).
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from made_talk.talk import make_talk
from retention_system import as_turn

from turnfold_worker.offline import fold

WARM_UP = 60
"""Turns folded before anything is timed."""
LAST = 1_000
"""Turns at the end of a made talk that are timed separately."""

Turns = list[dict[str, Any]]


def main() -> None:
    """Fold everything requested and print how fast it was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="*", help="JSONL: a conversation a line")
    parser.add_argument("--made", type=int, action="append", default=[], help="turns of a made assistant chat")
    parser.add_argument("--rounds", type=int, default=1, help="fold each file so often; the fastest counts")
    parser.add_argument("--processes", type=int, default=1, help="fold each file in so many processes at once")
    arguments = parser.parse_args()
    if not arguments.data and not arguments.made:
        parser.error("name files of conversations, or --made with a number of turns")
    # One-time work of a process, such as compiling statements, is done before the clock starts.
    _fold_all([made(WARM_UP)])
    for path in arguments.data:
        conversations = read(path)
        turns = sum(map(len, conversations))
        seconds = min(_fold_all(conversations) for _ in range(arguments.rounds))
        print(f"{path.name}: {turns} turns, {seconds:.2f} s of CPU, {turns / seconds:.0f} turns/s", flush=True)
        if arguments.processes > 1:
            _print_side_by_side(path, turns, arguments)
    for count in arguments.made:
        _print_growth(count)
    print(f"memory at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, databases included")


def read(path: Path) -> list[Turns]:
    """Return the conversations of a file as turns for `fold`."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [[as_turn(SimpleNamespace(**turn), seq) for seq, turn in enumerate(row["turns"], start=1)] for row in rows]


def _fold_all(conversations: list[Turns]) -> float:
    """Return the CPU seconds of this process. A fold that fails ends the benchmark."""
    started = time.process_time()
    for turns in conversations:
        with fold(turns) as folded:
            if folded.status().folded < len(turns):
                msg = "not everything was folded: see the errors above"
                raise SystemExit(msg)
    return time.process_time() - started


def _rounds(path: Path, rounds: int) -> None:
    conversations = read(path)
    for _ in range(rounds):
        _fold_all(conversations)


def _print_side_by_side(path: Path, turns: int, arguments: argparse.Namespace) -> None:
    """Print turns a second of wall time, of one process and of several."""
    rates = []
    for processes in (1, arguments.processes):
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            # Started and warmed up before the clock starts.
            list(pool.map(_rounds, [path] * processes, [1] * processes))
            started = time.perf_counter()
            list(pool.map(_rounds, [path] * processes, [arguments.rounds] * processes))
            rates.append(processes * arguments.rounds * turns / (time.perf_counter() - started))
    print(
        f"{path.name}: {rates[0]:.0f} turns/s by the clock in one process, {rates[1]:.0f} in {arguments.processes}: "
        f"{rates[1] / rates[0]:.2f} times",
        flush=True,
    )


def made(count: int) -> Turns:
    """Return made assistant chats, one after the other, each determined by its seed."""
    turns: Turns = []
    seed = 0
    while len(turns) < count:
        turns += [{"role": turn.role, "content": turn.text} for turn in make_talk("assistant", seed).turns]
        seed += 1
    return turns[:count]


def _print_growth(count: int) -> None:
    turns = made(count)
    marks: list[tuple[int, float]] = [(0, time.process_time())]
    with fold(turns, on_progress=lambda done: marks.append((done, time.process_time()))):
        pass
    started = max(mark for mark in marks if mark[0] <= count - min(count, LAST))
    for name, (since, at) in {"all": marks[0], "the last": started}.items():
        seconds = marks[-1][1] - at
        print(
            f"made talk of {count:,} turns, {name} {count - since:,}: {1e6 * seconds / (count - since):.0f} µs of CPU "
            f"a turn, {(count - since) / seconds:.0f} turns/s",
            flush=True,
        )


if __name__ == "__main__":
    main()
