"""How many turns a second one process folds without a model: the offline pipeline, SQL in memory included.

python benchmarks/fold_speed.py DATA.jsonl…

A line of DATA is a conversation of an evidence-retention harness (`id` and `turns` of `role`, `name`, `ts`, `content`).
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from types import SimpleNamespace

from retention_system import as_turn

from turnfold_worker.offline import fold


def main() -> None:
    """Fold every conversation of each file and print turns a second of CPU time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="JSONL: a conversation a line")
    parser.add_argument("--rounds", type=int, default=1, help="fold each file so often; the fastest counts")
    arguments = parser.parse_args()
    fold([{"role": "user", "content": "We must use PostgreSQL 16."}]).close()
    for path in arguments.data:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        conversations = [
            [as_turn(SimpleNamespace(**turn), seq) for seq, turn in enumerate(row["turns"], start=1)] for row in rows
        ]
        turns = sum(map(len, conversations))
        seconds = min(_folding(conversations) for _ in range(arguments.rounds))
        print(f"{path.name}: {turns} turns, {seconds:.1f} s of CPU, {turns / seconds:.0f} turns/s", flush=True)


def _folding(conversations: list[list[dict[str, object]]]) -> float:
    """Seconds of CPU time of this process."""
    started = time.process_time()
    for turns in conversations:
        fold(turns).close()
    return time.process_time() - started


if __name__ == "__main__":
    main()
