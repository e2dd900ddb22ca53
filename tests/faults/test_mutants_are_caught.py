"""With any safeguard removed, the checkers fail under schedules that the complete code passes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import redis

from conftest import LocalWorker
from support import mutants
from support.forgetting import (
    Act,
    Person,
    assert_only_the_last_generation_is_left,
    forget_and_append,
    forget_and_erase,
    forget_append_and_drain,
    forgotten_and_rows_left,
    nothing_yet,
    overtaken,
    settle,
    stored_and_more_waiting,
)
from support.interruptions import Crash, Steps, interrupted, survive
from support.places import shard_of
from support.stored import Verdict, broken_invariants, judge, stored_turns
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold_worker import offline
from turnfold_worker.use_cases import fold as compress

CONVERSATIONS = [f"conversation {n}" for n in range(4)]
TURNS = 40

Disturbed = Callable[..., Verdict]


def mutated(
    local: LocalWorker, *, inbox: type[mutants.Mutant] | None = None, store: type[mutants.Mutant] | None = None
) -> None:
    """Replace the worker's adapters with mutants of them."""
    worker = local.worker
    changed: Any = {}
    if inbox is not None:
        changed["inbox"] = inbox(worker.inbox)
    if store is not None:
        changed["store"] = store(worker.store)
    local.worker = replace(worker, **changed)


@pytest.fixture
def local(make_worker: Callable[..., LocalWorker]) -> LocalWorker:
    """A worker with small batches whose claims expire at once, so that drains overlap."""
    return make_worker(lease_seconds=0.000_001, republish_seconds=0.001, batch_turns=3)


@pytest.fixture
def disturbed(tf: Turnfold, local: LocalWorker, client: redis.Redis) -> Disturbed:
    """Runs a schedule of appends and of drains that die or are overtaken at any step; returns the verdict."""

    def run(seed: int = 1) -> Verdict:
        chance = random.Random(seed)
        said = {name: talk(name, TURNS) for name in CONVERSATIONS}
        left = {name: list(messages) for name, messages in said.items()}
        while left:
            name = chance.choice(sorted(left))
            size = chance.randint(1, 8)
            tf.append(name, left[name][:size])
            left[name] = left[name][size:]
            if not left[name]:
                del left[name]
            shard = shard_of(Address(tf.tenant, name))
            steps = Steps()
            step = chance.choice(["after claim", "after read", "before store", "after store", "after finish"])
            steps.at[step] = chance.choice([dies, lambda shard=shard: local.worker.drain(shard), lambda: None])
            survive(lambda steps=steps, shard=shard: interrupted(local.worker, steps).drain(shard))
        settle(local, client)
        stored = {name: [row[2] for row in stored_turns(local.engine, tf.tenant, name)] for name in said}
        return judge({name: [m["content"] for m in messages] for name, messages in said.items()}, stored)

    return run


def dies() -> None:
    raise Crash


def same_as_undisturbed(local: LocalWorker) -> bool:
    for name in CONVERSATIONS:
        with offline.fold(talk(name, TURNS)) as folded:
            if local.digest(name) != folded.digest():
                return False
    return True


def test_the_whole_code_passes(disturbed: Disturbed, local: LocalWorker) -> None:
    assert disturbed().clean
    assert not broken_invariants(local.engine)
    assert same_as_undisturbed(local)


def test_trimming_before_the_commit_is_seen_as_loss(disturbed: Disturbed, local: LocalWorker) -> None:
    mutated(local, inbox=mutants.TrimsBeforeCommit)

    assert disturbed().lost


def test_storing_without_deduplication_is_seen_as_doubling(disturbed: Disturbed, local: LocalWorker) -> None:
    mutated(local, store=mutants.NeverDeduplicates)

    assert disturbed().doubled


def test_reading_from_the_end_is_seen_as_another_order(disturbed: Disturbed, local: LocalWorker) -> None:
    mutated(local, inbox=mutants.NewestFirst)

    verdict = disturbed()

    assert verdict.reordered
    assert not verdict.lost
    assert not same_as_undisturbed(local)


def test_cutting_where_a_batch_ends_is_seen_as_another_digest(
    disturbed: Disturbed, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = {}
    for name in CONVERSATIONS:
        with offline.fold(talk(name, TURNS)) as folded:
            undisturbed[name] = folded.digest()
    monkeypatch.setattr(
        compress,
        "next_segment",
        lambda tail, *, total=False: (
            compress.CutSegment(tail.turns[:9], {}, tail.turns[:9][-1].seq) if tail.turns else None
        ),
    )

    assert disturbed().clean
    assert not broken_invariants(local.engine), "the rows are in order, only not those that the turns make"
    assert any(local.digest(name) != undisturbed[name] for name in CONVERSATIONS)


FORGETTING = [
    pytest.param({"store": mutants.MakesMissingRowsAgain}, nothing_yet, "drain", "after read", forget_and_erase,
                 id="a-store-that-makes-missing-rows-again"),
    pytest.param({"inbox": mutants.TrimsWhateverItRead}, stored_and_more_waiting, "drain", "after claim",
                 forget_and_append, id="an-inbox-trimmed-under-a-lost-claim"),
    pytest.param({"store": mutants.ErasesWithoutAsking}, forgotten_and_rows_left, "erase", "after forgotten",
                 forget_append_and_drain, id="an-erasure-that-does-not-ask-again"),
    pytest.param({"store": mutants.KeepsUnusedRows}, nothing_yet, "drain", "after claim", forget_and_erase,
                 id="a-row-that-stays-unused"),
]  # fmt: skip


def overtake(
    tf: Turnfold, local: LocalWorker, client: redis.Redis, before: Act, task: str, step: str, meanwhile: Act
) -> None:
    person = Person(tf)
    before(person, local)
    steps = Steps()
    steps.at[step] = lambda: overtaken(lambda: meanwhile(person, local), dies=False)
    getattr(interrupted(local.worker, steps), task)(shard_of(person.address))
    settle(local, client)
    assert_only_the_last_generation_is_left([person], local, client)


@pytest.mark.parametrize(("changes", "before", "task", "step", "meanwhile"), FORGETTING)
def test_a_weaker_forget_is_seen(
    tf: Turnfold, local: LocalWorker, client: redis.Redis, changes: dict[str, type[mutants.Mutant]], before: Act,
    task: str, step: str, meanwhile: Act,
) -> None:  # fmt: skip
    overtake(tf, local, client, before, task, step, meanwhile)
    client.flushall()
    other = tf.for_tenant("of the mutant")
    mutated(local, **changes)

    with pytest.raises(AssertionError):
        overtake(other, local, client, before, task, step, meanwhile)
