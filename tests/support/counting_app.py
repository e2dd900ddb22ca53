"""The workers' application, which also logs redundant stores and folds: `celery -A support.counting_app`.

`CHAOS_COPIES` is how many times it publishes each message; `CHAOS_LOST_RINGS` is the share of rings that are lost after
they were received.
"""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold.contract.records import ConversationId
from turnfold.contract.rings import Ring
from turnfold_worker.adapters.sql.store import SqlStore
from turnfold_worker.celery_app import app
from turnfold_worker.celery_parts.doorman import Round
from turnfold_worker.ports.messages import Fold, FoldClaim, Received, StoreResult

__all__ = ["app"]

_log = logging.getLogger(__name__)
_store, _commit_fold, _send_task, _publish = SqlStore.store, SqlStore.commit_fold, app.send_task, Round._publish

_COPIES: Final = int(os.environ.get("CHAOS_COPIES", "1"))
_LOST: Final = float(os.environ.get("CHAOS_LOST_RINGS", "0"))


def _counting_store(self: SqlStore, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
    result = _store(self, batches)
    _log.info("counted entries=%d new=%d", sum(map(len, batches.values())), result.new_turns)
    return result


def _counting_commit_fold(self: SqlStore, claim: FoldClaim, fold: Fold) -> bool:
    written = _commit_fold(self, claim, fold)
    _log.info("counted fold written=%s", written)
    return written


def _sending_copies(*arguments: Any, **named: Any) -> None:
    for _ in range(_COPIES):
        _send_task(*arguments, **named)


def _losing_publish(self: Round, rings: Sequence[Ring]) -> None:
    _publish(self, [ring for ring in rings if random.random() >= _LOST])


SqlStore.store = _counting_store  # type: ignore[method-assign]
SqlStore.commit_fold = _counting_commit_fold  # type: ignore[method-assign]
if _LOST:
    Round._publish = _losing_publish  # type: ignore[method-assign]
if _COPIES > 1:
    app.send_task = _sending_copies
