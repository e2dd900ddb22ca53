"""What a worker imports before it forks: its children share the code, and none of them starts by importing it."""

from __future__ import annotations

from typing import Any

from turnfold.contract.lazy_patterns import compile_lazy_patterns
from turnfold.contract.tasks import Queue


def preload(instance: Any, **_: Any) -> None:
    """Import what the tasks of this worker's queues need: a receiver of Celery's `celeryd_after_setup`.

    Connects to nothing: connections do not survive a fork.
    """
    from turnfold_worker import wiring  # noqa: F401 - imported for the children

    served = instance.app.amqp.queues.consume_from
    if str(Queue.REFINE) in served:
        from turnfold_worker import model_wiring  # noqa: F401 - the same
    if str(Queue.COMPRESS) in served:
        # A fold compiles most patterns and looks up rarities; other queues never do, and would only hold the memory.
        from turnfold_worker.pipeline.language.rarity import rarity_of

        rarity_of("word")
        compile_lazy_patterns()
