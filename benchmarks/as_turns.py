"""Convert a harness's conversations to files for `turnfold import`: a JSONL file of turns for each.

python benchmarks/as_turns.py OUT_FOLDER SET.jsonl…
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import SimpleNamespace

from retention_system import as_turn


def main() -> None:
    """Write a file for each conversation and print its number of turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder for the files")
    parser.add_argument("sets", type=Path, nargs="+", help="JSONL: a conversation with `id` and `turns` a line")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for path in arguments.sets:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                turns = [as_turn(SimpleNamespace(**turn), seq) for seq, turn in enumerate(row["turns"], start=1)]
                target = arguments.out / f"{row['id']}.jsonl"
                target.write_text("".join(json.dumps(t, ensure_ascii=False) + "\n" for t in turns), encoding="utf-8")
                print(f"{target}: {len(turns)} turns")


if __name__ == "__main__":
    main()
