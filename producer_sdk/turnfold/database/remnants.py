"""Places where erased words may remain for a while, and until when."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

DATABASE_LOG: Final = "database"
REDIS_LOG: Final = "redis"
REWRITING: Final = "rewriting"
"""Key of the time when Redis was last told to rewrite its log."""

_SQLITE: Final = "SQLite's write-ahead log, until workers can truncate it: open reads delay that"
_POSTGRESQL: Final = (
    "PostgreSQL's pages and statistics, until new rows replace dead ones or ANALYZE and VACUUM FULL run; its "
    "write-ahead log, until its files are overwritten; and backups, as long as you keep them"
)
_REDIS: Final = (
    "Redis's append-only file and snapshot, until each is rewritten: workers trigger that, at most every ten minutes"
)
_ROWS: Final = "the database's rows, which are no longer read, until a worker has deleted them"


def remaining(marks: Collection[str], *, sqlite: bool, completed: bool) -> tuple[str, ...]:
    """List, in words, where erased words may remain. `marks` are the kinds of logs that were not cleaned yet.

    Before the erasure is `completed`, rows may remain, and no log has been cleaned.
    """
    rows = [] if completed else [_ROWS]
    in_database = not completed or DATABASE_LOG in marks
    places = [_POSTGRESQL] if not sqlite else [_SQLITE] if in_database else []
    return (*rows, *places, *([_REDIS] if not completed or REDIS_LOG in marks else []))
