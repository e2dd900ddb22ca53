"""A person who writes, forgets and writes again, events in between, and checks of the final state."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import redis
from sqlalchemy import Engine

from support.interruptions import Crash
from support.places import place, shard_of
from support.remnants import permanent_keys, traces
from support.stored import broken_invariants, judge, stored_turns
from support.talk import talk
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold_worker.wiring import Worker

Act = Callable[["Person", "Local"], None]
"""An event in the life of a conversation."""

CONVERSATION = "diary"


class Local(Protocol):
    """A worker in this process."""

    worker: Worker
    engine: Engine

    def settle(self) -> None: ...


@dataclass
class Person:
    """Writes to a conversation, forgets it, and writes again; every turn names its generation."""

    tf: Turnfold
    conversation: str = CONVERSATION
    generation: int = 0
    said: list[str] = field(default_factory=list)
    """Contents since the last `forget`."""

    @property
    def address(self) -> Address:
        return Address(self.tf.tenant, self.conversation)

    def append(self, turns: int = 3) -> None:
        messages = [
            {**message, "content": f"{self.named(self.generation)} {message['content']} no. {len(self.said) + n}"}
            for n, message in enumerate(talk(f"{self.conversation} {self.generation}", turns))
        ]
        self.tf.append(self.conversation, messages)
        self.said += [str(message["content"]) for message in messages]

    def forget(self) -> None:
        self.tf.forget(self.conversation, timeout_seconds=0)
        self.generation += 1
        self.said = []

    def named(self, generation: int) -> str:
        return f"<{self.conversation}: generation {generation}>"


def settle(local: Local, client: redis.Redis) -> None:
    """Work until nothing waits; a bell that a dead worker has rung stays on for a second."""

    def settled() -> bool:
        local.settle()
        return not permanent_keys(client)

    wait_until(settled, what="an end of the work")


def assert_only_the_last_generation_is_left(people: Sequence[Person], local: Local, client: redis.Redis) -> None:
    for person in people:
        name = f"{person.tf.tenant}/{person.conversation}"
        stored = [content for _, _, content in stored_turns(local.engine, person.tf.tenant, person.conversation)]
        verdict = judge({name: person.said}, {name: stored})
        assert verdict.clean, verdict
    forgotten = [person.named(generation) for person in people for generation in range(person.generation)]
    assert not traces(local.engine, client, *forgotten)
    gone = [person for person in people if not person.said]
    names = [name for person in gone for name in (person.conversation, person.address.member)]
    # The receipt of each lives for an hour on purpose; no other key may contain a name.
    receipts = {f"key {place(person.address).erased}" for person in gone}
    assert not {*traces(local.engine, client, *names)} - receipts
    assert not broken_invariants(local.engine)


def nothing_yet(person: Person, local: Local) -> None:
    person.append()


def stored_and_more_waiting(person: Person, local: Local) -> None:
    person.append(12)
    local.settle()
    person.append()


def forgotten_and_rows_left(person: Person, local: Local) -> None:
    person.append(12)
    local.settle()
    person.forget()


def forgotten_and_written_to_again(person: Person, local: Local) -> None:
    person.append(12)
    local.settle()
    person.append()
    person.forget()
    person.append()


def forget(person: Person, local: Local) -> None:
    person.forget()


def forget_and_append(person: Person, local: Local) -> None:
    person.forget()
    person.append()


def forget_and_erase(person: Person, local: Local) -> None:
    person.forget()
    local.worker.erase(shard_of(person.address))


def forget_erase_and_append(person: Person, local: Local) -> None:
    person.forget()
    local.worker.erase(shard_of(person.address))
    person.append()


def forget_append_and_drain(person: Person, local: Local) -> None:
    person.forget()
    person.append()
    local.worker.drain(shard_of(person.address))


def forget_everything_twice(person: Person, local: Local) -> None:
    for _ in range(2):
        person.forget()
        person.append()
        local.worker.drain(shard_of(person.address))
    person.forget()
    person.append()


def only_append(person: Person, local: Local) -> None:
    person.append()


BEFORE = [nothing_yet, stored_and_more_waiting, forgotten_and_rows_left, forgotten_and_written_to_again]
MEANWHILE = [
    only_append, forget, forget_and_append, forget_and_erase, forget_erase_and_append, forget_append_and_drain,
    forget_everything_twice,
]  # fmt: skip
DRAIN_STEPS = [
    "before claim", "after claim", "after still_forgotten", "after hide", "after delete_some", "after erased",
    "after resolve",
    "after read", "after store", "after finish",
]  # fmt: skip
ERASE_STEPS = [
    "before forgotten", "after forgotten", "after still_forgotten", "after hide", "after delete_some", "after erased",
]  # fmt: skip

WITHOUT_SQL = {only_append, forget, forget_and_append}
"""Events that are possible while an erasure holds the row lock."""


def cases(steps: Sequence[str]) -> list[tuple[str, Act]]:
    return [
        (step, act)
        for step, act in itertools.product(steps, MEANWHILE)
        if step != "after still_forgotten" or act in WITHOUT_SQL
    ]


def spoken(value: str | Act) -> str:
    return (value if isinstance(value, str) else value.__name__).replace(" ", "-").replace("_", "-")


def overtaken(meanwhile: Callable[[], None], *, dies: bool) -> None:
    """Let `meanwhile` happen at a step, then continue or die."""
    meanwhile()
    if dies:
        raise Crash
