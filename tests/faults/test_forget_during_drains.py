"""A forget takes effect at any step of a drain or an erasure, even if either side is slow or dies there."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest
import redis

from conftest import LocalWorker
from support.forgetting import (
    BEFORE,
    CONVERSATION,
    DRAIN_STEPS,
    ERASE_STEPS,
    Act,
    Person,
    assert_only_the_last_generation_is_left,
    cases,
    forget_append_and_drain,
    forgotten_and_rows_left,
    forgotten_and_written_to_again,
    overtaken,
    settle,
    spoken,
)
from support.interruptions import RandomCrashes, Steps, interrupted, survive
from support.places import shard_of
from support.stored import stored_turns
from turnfold import Turnfold
from turnfold.contract.tasks import Task
from turnfold_worker.errors import Retryable

DRAIN_CASES = cases(DRAIN_STEPS)
GOES_ON_OR_DIES = pytest.mark.parametrize("dies", [False, pytest.param(True, marks=pytest.mark.long)])


@pytest.fixture
def local(make_worker: Callable[..., LocalWorker]) -> LocalWorker:
    """A worker whose claims expire at once, so that another one takes over the work of a dead one."""
    return make_worker(lease_seconds=0.001, republish_seconds=0.001)


@pytest.fixture
def person(tf: Turnfold) -> Person:
    return Person(tf)


@GOES_ON_OR_DIES
@pytest.mark.parametrize(("step", "meanwhile"), DRAIN_CASES, ids=spoken)
def test_a_drain_that_is_overtaken_leaves_nothing_forgotten_and_loses_nothing_new(
    tf: Turnfold, local: LocalWorker, client: redis.Redis, step: str, meanwhile: Act, dies: bool
) -> None:
    """A drain that goes on meets half of the pasts in each case, so that each step and each event meets all of them."""
    befores = BEFORE if dies else BEFORE[DRAIN_CASES.index((step, meanwhile)) % 2 :: 2]
    people = [Person(tf, f"{before.__name__}, drain dies: {dies}") for before in befores]
    for before, person in zip(befores, people, strict=True):
        before(person, local)
        steps = Steps()
        steps.at[step] = lambda person=person: overtaken(lambda: meanwhile(person, local), dies=dies)

        survive(lambda steps=steps, person=person: interrupted(local.worker, steps).drain(shard_of(person.address)))

    settle(local, client)
    assert_only_the_last_generation_is_left(people, local, client)


@GOES_ON_OR_DIES
@pytest.mark.parametrize(("step", "meanwhile"), cases(ERASE_STEPS), ids=spoken)
def test_an_erasure_that_is_overtaken_leaves_nothing_forgotten_and_loses_nothing_new(
    tf: Turnfold, local: LocalWorker, client: redis.Redis, step: str, meanwhile: Act, dies: bool
) -> None:
    befores = (forgotten_and_rows_left, forgotten_and_written_to_again)
    people = [Person(tf, f"{before.__name__}, erasure dies: {dies}") for before in befores]
    for before, person in zip(befores, people, strict=True):
        before(person, local)
        steps = Steps()
        steps.at[step] = lambda person=person: overtaken(lambda: meanwhile(person, local), dies=dies)

        survive(lambda steps=steps, person=person: interrupted(local.worker, steps).erase(shard_of(person.address)))

        assert step in steps.reached
    settle(local, client)
    assert_only_the_last_generation_is_left(people, local, client)


@pytest.mark.parametrize("step", ["before claim_fold", "after tail", "before commit_fold", "before finish_fold"])
def test_a_fold_that_is_overtaken_by_forget_writes_nothing(
    person: Person, local: LocalWorker, client: redis.Redis, step: str
) -> None:
    person.append(30)
    local.worker.drain(shard_of(person.address))
    (conversation,) = local.worker.store.resolve([person.address])
    steps = Steps()
    steps.at[step] = lambda: forget_append_and_drain(person, local)

    interrupted(local.worker, steps).compress(conversation)
    settle(local, client)

    assert step in steps.reached
    assert_only_the_last_generation_is_left([person], local, client)


def test_nothing_of_a_forgotten_conversation_is_readable_while_its_rows_wait_for_deletion(
    person: Person, local: LocalWorker
) -> None:
    person.append(12)
    local.settle()
    person.append()

    person.forget()
    person.append(2)

    assert stored_turns(local.engine, person.tf.tenant, CONVERSATION), "its rows are still there"
    assert person.tf.status(CONVERSATION).stored == 0
    assert person.tf.status(CONVERSATION).inbox == 2
    assert person.tf.anchors(CONVERSATION, states=None) == []
    assert not [hit for hit in person.tf.search(CONVERSATION, "generation 0") if person.named(0) in hit.snippet]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_people_who_write_and_forget_at_will_never_meet_their_past(
    tf: Turnfold, local: LocalWorker, make_worker: Callable[..., LocalWorker], client: redis.Redis, seed: int
) -> None:
    """Three workers die at random while eight people write and forget."""
    people = [Person(tf, f"diary {n}") for n in range(8)]
    finished = threading.Event()
    errors: list[BaseException] = []
    crashes = [RandomCrashes((seed, n), probability=0.02) for n in range(3)]

    def work(number: int) -> None:
        chance = random.Random(f"work {seed} {number}")
        own = make_worker(lease_seconds=0.005, republish_seconds=0.005)
        worker = interrupted(own.worker, crashes[number])
        shards = sorted({shard_of(person.address) for person in people})
        while not finished.is_set():
            try:
                survive(lambda: worker.drain(chance.choice(shards)))
                survive(lambda: worker.erase(chance.choice(shards)))
                survive(worker.sweep)
                if any(task is Task.COMPRESS for task, _ in own.messages.waiting):
                    survive(worker.fold_due)
                own.messages.waiting.clear()
            except Retryable:
                continue
            except BaseException as error:
                errors.append(error)
                raise

    def live(number: int) -> None:
        chance = random.Random(f"live {seed} {number}")
        for _ in range(60):
            person = people[number * 2 + chance.randrange(2)]
            if chance.random() < 0.3:
                person.forget()
            else:
                person.append(chance.randint(1, 6))
        people[number * 2].forget()
        people[number * 2 + 1].append()

    workers = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(3)]
    lives = [threading.Thread(target=live, args=(n,), daemon=True) for n in range(4)]
    for thread in workers + lives:
        thread.start()
    for thread in lives:
        thread.join()
    finished.set()
    for thread in workers:
        thread.join()
    settle(local, client)

    assert not errors
    print(  # noqa: T201 - how much was disturbed is part of the result
        f"\n{sum(person.generation for person in people)} forgets, {sum(c.crashes for c in crashes)} crashes"
    )
    assert_only_the_last_generation_is_left(people, local, client)
