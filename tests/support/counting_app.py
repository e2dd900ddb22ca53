"""The workers' own application, which also logs what was stored for nothing: `celery -A support.counting_app`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from turnfold.contract.records import ConversationId
from turnfold_worker.adapters.sql_store import SqlStore
from turnfold_worker.celery_app import app
from turnfold_worker.ports import Fold, Received, StoreResult

__all__ = ["app"]

_log = logging.getLogger(__name__)
_store, _commit_fold = SqlStore.store, SqlStore.commit_fold


def _counting_store(self: SqlStore, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
    result = _store(self, batches)
    _log.info("counted entries=%d new=%d", sum(map(len, batches.values())), result.new_turns)
    return result


def _counting_commit_fold(self: SqlStore, fold: Fold) -> bool:
    written = _commit_fold(self, fold)
    _log.info("counted fold written=%s", written)
    return written


SqlStore.store = _counting_store  # type: ignore[method-assign]
SqlStore.commit_fold = _counting_commit_fold  # type: ignore[method-assign]
