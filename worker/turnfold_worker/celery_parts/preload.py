"""What a worker imports before it forks: its children share the code, and none of them starts by importing it."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final

from turnfold.contract.lazy_patterns import compile_lazy_patterns
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold.contract.tasks import Queue

_SAID: Final = StoredTurn(
    seq=1,
    turn_id="1",
    role=Role.USER,
    content="The report was due on Friday. I moved it to Monday.",
    importance=Importance.NORMAL,
    tokens=11,
)

_COLLECT_AFTER: Final = 20_000
"""Objects between two collections, 700 otherwise: a fold makes many that its end frees, and hardly a cycle."""


def preload(instance: Any, **_: Any) -> None:
    """Import what the tasks of this worker's queues need: a receiver of Celery's `celeryd_after_setup`.

    Connects to nothing: connections do not survive a fork.
    """
    load(instance.app.amqp.queues.consume_from)


def load(queues: Collection[str]) -> None:
    """Import what the tasks of some queues need, for good."""
    with _kept_for_good():
        from turnfold_worker import wiring  # noqa: F401 - imported for the children

        if str(Queue.REFINE) in queues:
            from turnfold_worker.wiring import models as model_wiring  # noqa: F401 - the same
        if str(Queue.COMPRESS) in queues:
            # A fold compiles most patterns and looks up rarities: other queues would only hold the memory.
            from turnfold_worker.adapters.sql.turn_memos import rules_hash
            from turnfold_worker.pipeline.fold import fold_segment
            from turnfold_worker.pipeline.settings import FoldSettings

            compile_lazy_patterns()
            rules_hash()
            # What else is made when a fold first needs it, above all which words its rules need.
            fold_segment([_SAID], idx=0, settings=FoldSettings())


@contextmanager
def _kept_for_good() -> Iterator[None]:
    """Collect no garbage meanwhile, and what is loaded by the end never.

    Loading makes objects that stay: to look through them again and again takes an eighth of the time, and a collection
    in a child would write to each of their pages, which it then shares no more.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(_COLLECT_AFTER)
        if collects:
            gc.enable()
