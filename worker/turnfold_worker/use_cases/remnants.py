"""Remove erased text also from the logs in which databases keep what they wrote.

A deleted row remains in SQLite's write-ahead log, and a trimmed inbox in Redis's append-only file, until each log is
rewritten. Every erasure leaves a mark; marked logs are handled at once and by every sweep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnfold.database.remnants import DATABASE_LOG, REDIS_LOG
from turnfold_worker.ports.storage import Inbox

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.store import SqlStore


def clear_remnants(*, inbox: Inbox, store: SqlStore) -> None:
    """Empty or rewrite the logs that may contain erased text."""
    marks = inbox.remnants()
    if (mark := marks.get(DATABASE_LOG)) is not None and store.empty_log():
        inbox.cleared(DATABASE_LOG, mark)
    if (mark := marks.get(REDIS_LOG)) is not None and inbox.rewrite_log(mark):
        inbox.cleared(REDIS_LOG, mark)
