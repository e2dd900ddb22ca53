"""The real thing: producers, Redis, `celery worker` processes, SQL."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine

from support.celery_workers import CeleryWorker
from support.stored import broken_invariants, stored_turns
from turnfold import Settings, Turnfold
from turnfold_worker.digest import digest
from turnfold_worker.offline import fold

pytestmark = pytest.mark.processes

EXAMPLE = Path(__file__).parents[2] / "examples" / "product-discussion.jsonl"
StartWorker = Callable[..., CeleryWorker]


def _turns() -> list[dict[str, object]]:
    return [json.loads(line) for line in EXAMPLE.read_text().splitlines()]


def test_appended_turns_are_stored_and_folded_by_worker_processes(
    settings: Settings, start_worker: StartWorker, engine: Engine
) -> None:
    start_worker("ingest", "turnfold.ingest", "turnfold.maintenance")
    start_worker("compress", "turnfold.compress")
    turns = _turns()
    with Turnfold(settings=dataclasses.replace(settings, doorbell=True)) as tf:
        for start in range(0, len(turns), 9):
            tf.append("c", turns[start : start + 9])
        status = tf.wait("c", timeout_seconds=30)
        assert (status.stored, status.folded, status.inbox) == (len(turns), len(turns), 0)
        receipt_of_another = tf.append("d", {"role": "user", "content": "Hello."})
        tf.wait("d")
        assert [row[1] for row in stored_turns(engine, "acme", "d")] == list(receipt_of_another.turn_ids)
        with fold(turns, conversation_id="c") as offline:
            assert digest(engine, "acme", "c") == offline.digest()
            ours = tf.context("c", budget_tokens=1_500)
            assert ours.text == offline.context(budget_tokens=1_500).text
        receipt = tf.forget("c")
        assert receipt.completed
        assert receipt.turns == len(turns)
        assert stored_turns(engine, "acme", "c") == []
    assert broken_invariants(engine) == {}


def test_without_doorbells_and_beat_the_workers_own_timer_finds_everything(
    tf: Turnfold, start_worker: StartWorker
) -> None:
    start_worker("ingest", "turnfold.ingest")
    start_worker("compress", "turnfold.compress")
    tf.append("c", _turns()[:60])
    assert tf.wait("c", timeout_seconds=30).folded == 60


def test_one_worker_for_all_queues_is_enough(tf: Turnfold, start_worker: StartWorker) -> None:
    start_worker("all", "turnfold.ingest", "turnfold.compress", "turnfold.refine", "turnfold.maintenance", children=2)
    tf.append("c", _turns()[:60])
    assert tf.wait("c", timeout_seconds=30).folded == 60


@pytest.mark.parametrize("seed", ["1", "2"])
def test_hash_seeds_never_reach_rows_or_contexts(seed: str) -> None:
    expected = _fold_in_a_process("0")
    assert _fold_in_a_process(seed) == expected


def _fold_in_a_process(seed: str) -> str:
    program = (
        "import json, sys\nfrom turnfold_worker.offline import fold\n"
        "turns = [json.loads(line) for line in open(sys.argv[1], encoding='utf-8')]\n"
        "with fold(turns) as c:\n"
        "    print(c.digest())\n"
        "    for budget in (400, 1500, 6000):\n"
        "        for query in (None, 'When is the launch?'):\n"
        "            print(c.context(budget_tokens=budget, query=query).fingerprint)\n"
    )
    import os

    done = subprocess.run(
        [sys.executable, "-c", program, str(EXAMPLE)], check=True, capture_output=True, text=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )  # fmt: skip
    return done.stdout
