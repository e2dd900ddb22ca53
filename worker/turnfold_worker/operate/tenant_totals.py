"""Count what the database has of a tenant: sums of its conversations' counters, and the work that waits.

Turns, segments and anchors are not counted one by one. For a tenant with more conversations than the time limit allows,
the totals cover those that were added up in time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Engine, Integer, bindparam, func, select, text

from turnfold.contract.records import FAN_OUT
from turnfold.contract.tables import ConversationRow, standing, table
from turnfold.contract.tasks import JobKind
from turnfold.database.failures import translated
from turnfold_worker.operate.conversation_tree import LookedUp

CONVERSATIONS_AT_ONCE: Final = 20_000
LIMIT_SECONDS: Final = 3.0
"""Default time limit for adding up conversations."""
HIGHEST_CHAPTER: Final = 10
"""Height at which a chapter would cover a billion segments."""

_conversation = table(ConversationRow)
_counted = (
    select(
        _conversation.c.external_id, _conversation.c.turn_count, _conversation.c.node_count,
        (_conversation.c.anchor_count + _conversation.c.refined_anchors).label("anchors"),
        _conversation.c.expansions_asked, _conversation.c.expansions_found,
    )
    .where(
        _conversation.c.tenant == bindparam("tenant"), _conversation.c.external_id > bindparam("after"), standing()
    )
    .order_by(_conversation.c.external_id)
    .limit(bindparam("most", type_=Integer))
    .subquery("counted")
)  # fmt: skip
# One chapter of each height for every 8, 64, 512 … complete segments.
_chapters = sum(
    (_counted.c.node_count.op("/")(FAN_OUT**height) for height in range(2, HIGHEST_CHAPTER)),
    start=_counted.c.node_count.op("/")(FAN_OUT),
)
_SUMS: Final = select(
    func.count(),
    *(
        func.coalesce(func.sum(column), 0)
        for column in (
            _counted.c.turn_count, _counted.c.node_count, _chapters, _counted.c.anchors, _counted.c.expansions_asked,
            _counted.c.expansions_found,
        )
    ),
    func.max(_counted.c.external_id),
)  # fmt: skip
"""Sums over the next conversations after a name, in the order of names, and the last name."""

_KINDS: Final = ", ".join(f"'{kind}'" for kind in JobKind)
# Each arm uses a partial index, which leaves out finished jobs, the great majority.
OPEN_JOBS_OF_TENANT: Final = text(
    "SELECT kind, state, count(*) FROM ("  # noqa: S608 - constants
    f"SELECT kind, state FROM job WHERE state = 'due' AND kind IN ({_KINDS}) AND tenant = :tenant UNION ALL "
    "SELECT kind, state FROM job WHERE state = 'later' AND tenant = :tenant UNION ALL "
    "SELECT kind, state FROM job WHERE state = 'running' AND tenant = :tenant UNION ALL "
    "SELECT kind, state FROM job WHERE state IN ('parked', 'batched') AND tenant = :tenant"
    ") AS open_jobs GROUP BY kind, state ORDER BY kind, state"
)
PARKED_ENTRIES_OF_TENANT: Final = text(
    "SELECT count(*) FROM parked_entry JOIN conversation ON conversation.id = parked_entry.conversation "
    "WHERE parked_entry.state = 'parked' AND conversation.tenant = :tenant"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTotals:
    """What the database has of a tenant."""

    conversations: int
    turns: int
    segments: int
    chapters: int
    anchors: int
    looked_up: LookedUp
    complete: bool
    """False when time ran out before all conversations were added up: every number is then a lower bound."""
    parked_entries: int
    jobs: Mapping[str, Mapping[str, int]]
    """Kind of job -> state -> number of jobs; finished and skipped jobs are left out."""


def stored_totals(
    engine: Engine, tenant: str, *, seconds: float = LIMIT_SECONDS, clock: Callable[[], float] = time.monotonic
) -> StoredTotals:
    """Add up the counters of a tenant's conversations for up to `seconds`. Raises `Unavailable` or `SchemaMismatch`."""
    with translated(), engine.begin() as connection:
        deadline = clock() + seconds
        sums, complete = _added_up(connection, tenant, lambda: clock() >= deadline)
        conversations, turns, segments, chapters, anchors, asked, expanded = sums
        by_kind: dict[str, dict[str, int]] = {}
        for kind, state, number in connection.execute(OPEN_JOBS_OF_TENANT, {"tenant": tenant}):
            by_kind.setdefault(kind, {})[state] = number
        return StoredTotals(
            conversations=conversations, turns=turns, segments=segments, chapters=chapters, anchors=anchors,
            looked_up=LookedUp(asked, expanded), complete=complete,
            parked_entries=connection.scalar(PARKED_ENTRIES_OF_TENANT, {"tenant": tenant}) or 0, jobs=by_kind,
        )  # fmt: skip


def _added_up(connection: Connection, tenant: str, is_over: Callable[[], bool]) -> tuple[list[int], bool]:
    """Return the sums over a tenant's conversations, and whether they include all of them."""
    totals, after = [0] * 7, ""
    while True:
        *sums, last = connection.execute(_SUMS, {"tenant": tenant, "after": after, "most": CONVERSATIONS_AT_ONCE}).one()
        totals = [total + int(more) for total, more in zip(totals, sums, strict=True)]
        if sums[0] < CONVERSATIONS_AT_ONCE:
            return totals, True
        if is_over():
            return totals, False
        after = last
