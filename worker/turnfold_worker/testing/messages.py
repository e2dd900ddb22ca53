"""Publishers that stand in for Celery where a test wants to decide what is delivered, when and how often."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from turnfold.contract.records import ConversationId, JobId
from turnfold.contract.tasks import QUEUE_OF, Queue, Task

if TYPE_CHECKING:
    from turnfold_worker.wiring import Worker


class HeldMessages:
    """Keeps messages until a test delivers them."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[Task, int]] = deque()

    def drain(self, shard: int) -> None:
        self.waiting.append((Task.DRAIN, shard))

    def compress(self, conversation: ConversationId) -> None:
        self.waiting.append((Task.COMPRESS, conversation))

    def refold(self, job: JobId) -> None:
        self.waiting.append((Task.REFOLD, job))

    def refine(self, job: JobId) -> None:
        self.waiting.append((Task.REFINE, job))

    def erase(self, shard: int) -> None:
        self.waiting.append((Task.ERASE, shard))

    def backlog(self) -> int:
        return sum(QUEUE_OF[task] is Queue.COMPRESS for task, _ in self.waiting)

    def refine_backlog(self) -> int:
        return sum(QUEUE_OF[task] is Queue.REFINE for task, _ in self.waiting)


def deliver(worker: Worker, task: Task, argument: int) -> None:
    """What Celery would do with one message."""
    match task:
        case Task.DRAIN:
            worker.drain(argument)
        case Task.COMPRESS:
            worker.compress_in_turn(argument)
        case Task.REFOLD:
            worker.refold(argument)
        case Task.REFINE:
            worker.refine(argument)
        case Task.ERASE:
            worker.erase(argument)
        case Task.SWEEP:
            worker.sweep()
        case Task.EXPIRE:
            worker.expire()
        case Task.RECONSTRUCT:
            message = "it takes three numbers: ask the worker itself"
            raise AssertionError(message)


def run_until_idle(worker: Worker, messages: HeldMessages, *, most: int = 10_000) -> None:
    """Deliver everything, and what follows from it; then sweep until a sweep finds nothing."""
    for _ in range(most):
        if not messages.waiting:
            worker.sweep()
            if not messages.waiting:
                return
        task, argument = messages.waiting.popleft()
        deliver(worker, task, argument)
    message = f"still busy after {most} messages"
    raise AssertionError(message)
