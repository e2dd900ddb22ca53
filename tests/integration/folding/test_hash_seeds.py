"""No stored or read byte depends on Python's hash seed, which changes the order of sets between processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "product-discussion.jsonl"
PROGRAM = """
import json, sys
from turnfold_worker.offline import fold
turns = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")][: int(sys.argv[2])]
with fold(turns) as c:
    print(c.digest())
    for budget in (400, 1500):
        for query in (None, "When is the launch?"):
            print(c.context(budget_tokens=budget, query=query).fingerprint)
"""


@pytest.mark.parametrize(("seed", "turns"), [("1", 80), pytest.param("2", 205, marks=pytest.mark.long)])
def test_hash_seeds_never_reach_rows_or_contexts(seed: str, turns: int) -> None:
    expected = _fold_in_a_process("0", turns)
    assert _fold_in_a_process(seed, turns) == expected


def _fold_in_a_process(seed: str, turns: int) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(EXAMPLE), str(turns)], check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )  # fmt: skip
    return done.stdout
