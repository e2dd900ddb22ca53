"""A publisher that replaces Celery: a test decides what is delivered, when and how often."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from turnfold.contract.tasks import TASK_OF, JobKind, Task

if TYPE_CHECKING:
    from turnfold_worker.wiring import Worker

NOBODY: Final = 0
"""Placeholder for the argument of a message without one."""


class HeldMessages:
    """A publisher that keeps messages until a test delivers them."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[Task, int]] = deque()

    def drain(self, shard: int) -> None:
        self.waiting.append((Task.DRAIN, shard))

    def erase(self, shard: int) -> None:
        self.waiting.append((Task.ERASE, shard))

    def work(self, kind: JobKind) -> None:
        self.waiting.append((TASK_OF[kind], NOBODY))


def deliver(worker: Worker, task: Task, argument: int) -> None:
    """Run the task of one message, as Celery would."""
    match task:
        case Task.DRAIN:
            worker.drain(argument)
        case Task.COMPRESS:
            worker.fold_due(None if argument == NOBODY else argument)
        case Task.REFOLD:
            worker.refold()
        case Task.REFINE:
            worker.refine()
        case Task.ERASE:
            worker.erase(argument)
        case Task.SWEEP:
            worker.sweep()
        case Task.EXPIRE:
            worker.expire()
        case Task.RECONSTRUCT:
            message = "a reconstruction takes three numbers: call the worker directly"
            raise AssertionError(message)


def run_until_idle(worker: Worker, messages: HeldMessages, *, most: int = 10_000) -> None:
    """Deliver all messages and those that follow from them; then sweep until a sweep finds nothing."""
    for _ in range(most):
        if not messages.waiting:
            for kind in JobKind:
                # As when the bell expires after a message was lost.
                worker.inbox.silence_jobs(kind)
            worker.sweep()
            if not messages.waiting:
                return
        task, argument = messages.waiting.popleft()
        deliver(worker, task, argument)
    message = f"still busy after {most} messages"
    raise AssertionError(message)
