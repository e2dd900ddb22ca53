"""Edits, deletions and rewinds survive workers that die at any step and drains that write late what they read early."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import redis
from sqlalchemy import Engine

from conftest import LocalWorker
from support.forgetting import settle
from support.interruptions import RandomCrashes, interrupted, survive
from support.places import SHARDS
from support.stored import broken_invariants
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract.tasks import Task
from turnfold_worker.testing.messages import deliver

SMALL = {"segment_max_turns": 6, "segment_min_turns": 2, "segment_target_turns": 4}


@pytest.fixture
def local(make_worker: Callable[..., LocalWorker]) -> LocalWorker:
    """A worker whose claims expire at once, so that another one takes over the work of a dead one.

    Several deaths on one segment are chance here, so the limit of attempts is too high for anything to count as
    poison.
    """
    return make_worker(lease_seconds=0.001, republish_seconds=0.001, attempts=100)


def work_and_die(local: LocalWorker, seed: object) -> int:
    """Deliver waiting messages to workers that die at random; return the number of deaths."""
    steps = RandomCrashes(seed, probability=0.15)
    mortal = interrupted(local.worker, steps)
    for _ in range(30):
        task, argument = (
            local.messages.waiting.popleft()
            if local.messages.waiting
            else (Task.DRAIN, random.Random(f"{seed}").choice(SHARDS))
        )
        survive(lambda task=task, argument=argument: deliver(mortal, task, argument))
        survive(mortal.sweep)
    return steps.crashes


@pytest.mark.parametrize("seed", range(4))
def test_workers_that_die_during_changes_leave_what_was_asked_for(
    tf: Turnfold, local: LocalWorker, engine: Engine, client: redis.Redis, seed: int
) -> None:
    chance = random.Random(f"changes {seed}")
    tf.configure("c", settings=SMALL)
    left: list[str] = []
    words: dict[str, str] = {}
    crashes = 0
    for round_ in range(4):
        turns = talk(f"{seed} {round_}", chance.randint(5, 30))
        said: list[dict[str, Any]] = [{**turn, "turn_id": f"{round_}-{i}"} for i, turn in enumerate(turns)]
        tf.append("c", said)
        left += [turn["turn_id"] for turn in said]
        words |= {turn["turn_id"]: turn["content"] for turn in said}
        one, other = chance.sample(left, 2)
        if words[one]:
            words[one] = f"The flag is purple in round {round_}."
            tf.edit("c", one, content=words[one])
        tf.delete("c", other)
        words[other] = ""
        if chance.random() < 0.7:
            last = chance.randrange(len(left))
            tf.rewind("c", after=left[last])
            del left[last + 1 :]
        crashes += work_and_die(local, f"{seed} {round_}")
    settle(local, client)
    assert crashes > 5
    stored = tf.expand("c", f"L0:turns-1-{len(left)}")
    turns = list(stored.turns)
    while stored.next_marker is not None:
        stored = tf.expand("c", stored.next_marker)
        turns += stored.turns
    assert [(turn.turn_id, turn.content) for turn in turns] == [(one, words[one]) for one in left]
    assert tf.status("c").stored == len(left)
    assert tf.status("c").parked == 0
    assert broken_invariants(engine) == {}
    for budget in (300, 2_000):
        assert tf.context("c", budget_tokens=budget).tokens <= budget
