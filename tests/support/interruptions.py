"""Intercept the calls between a use case and its ports: run an action at a step, or let the process die there."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from turnfold_worker.wiring import Worker

Action = Callable[[], None]


class Crash(BaseException):
    """The process dies here: product code catches this as little as kill -9."""


class Steps:
    """Actions by step, each run once. A step is "before" or "after", followed by a method of a port."""

    def __init__(self) -> None:
        self.at: dict[str, Action] = {}
        self.reached: list[str] = []

    def reach(self, step: str) -> None:
        self.reached.append(step)
        action = self.at.pop(step, None)
        if action is not None:
            action()


class RandomCrashes(Steps):
    """Dies at every step with the same small probability."""

    def __init__(self, seed: object, *, probability: float) -> None:
        super().__init__()
        self.crashes = 0
        self._chance = random.Random(f"crashes {seed}")
        self._probability = probability

    def reach(self, step: str) -> None:
        if self._chance.random() < self._probability:
            self.crashes += 1
            raise Crash(step)


class Interrupted:
    """A port with a step before and after every call."""

    def __init__(self, port: Any, steps: Steps) -> None:
        self._port = port
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)

        def call(*arguments: Any, **named: Any) -> Any:
            self._steps.reach(f"before {name}")
            result = method(*arguments, **named)
            self._steps.reach(f"after {name}")
            return result

        return call


def interrupted(worker: Worker, steps: Steps) -> Worker:
    """Return the same worker with its Redis and its SQL behind `steps`."""
    inbox: Any = Interrupted(worker.inbox, steps)
    store: Any = Interrupted(worker.store, steps)
    return replace(worker, inbox=inbox, store=store)


def survive(work: Callable[[], object]) -> bool:
    """Run `work`; return False if it died of a `Crash`."""
    try:
        work()
    except Crash:
        return False
    return True
