"""Import modules before a worker forks: its children share the code, and none spends time importing it."""

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
"""Allocations between two collections, 700 by default: a fold frees its many objects by itself, with hardly a cycle."""


def preload(instance: Any, **_: Any) -> None:
    """Import the modules that the tasks of this worker's queues need: a receiver of Celery's `celeryd_after_setup`.

    Opens no connection: connections do not survive a fork.
    """
    load(instance.app.amqp.queues.consume_from)


def load(queues: Collection[str]) -> None:
    """Import the modules that the tasks of some queues need, and exempt them from garbage collection."""
    with _kept_for_good():
        from turnfold_worker import wiring  # noqa: F401 - imported for the children

        if str(Queue.REFINE) in queues:
            from turnfold_worker.wiring import models as model_wiring  # noqa: F401 - the same
        if str(Queue.COMPRESS) in queues:
            # A fold compiles most patterns and looks up idf values: on other queues they would only take memory.
            from turnfold_worker.adapters.sql.turn_memos import rules_hash
            from turnfold_worker.pipeline.fold import fold_segment
            from turnfold_worker.pipeline.settings import FoldSettings

            compile_lazy_patterns()
            rules_hash()
            # A first fold creates everything else, above all the word lists of the rules.
            fold_segment([_SAID], idx=0, settings=FoldSettings())


@contextmanager
def _kept_for_good() -> Iterator[None]:
    """Disable garbage collection inside the block, and freeze the objects loaded by its end.

    Loaded objects stay: scanning them repeatedly would take an eighth of the loading time, and a collection in a child
    would write to their pages, which ends the sharing.
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
