"""Check the invariants over all conversations, in blocks from the newest to the oldest, within a time limit.

A block doubles while its check is fast, halves when it is slow, and shrinks to a quarter when the database cancels one
of its statements. So no statement runs for long, whatever the number and length of the conversations.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Engine, select
from sqlalchemy.exc import DBAPIError

from turnfold.contract.tables import ConversationRow, table
from turnfold.database.database_clock import now_milliseconds
from turnfold.database.failures import translated
from turnfold_worker.operate.doctor.finding import Finding
from turnfold_worker.operate.doctor.invariants import (
    AT_ONCE,
    IN_BLOCKS,
    MOST_VIOLATIONS,
    InvariantQuery,
    judged_by,
    moments,
    violations,
)

FIRST_BLOCK: Final = 200
LARGEST_BLOCK: Final = 20_000
"""Conversations checked together, at most."""
QUICK_SECONDS: Final = 0.5
SLOW_SECONDS: Final = 2.0
LIMIT_SECONDS: Final = 60.0
"""Default time limit for checking conversations."""

_STATEMENT_GIVEN_UP: Final = "57014"
"""PostgreSQL's SQLSTATE for a statement cancelled by its timeout."""

_conversation = table(ConversationRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The conversations to check: those with ids below `before`, for at most `seconds`."""

    before: int | None = None
    seconds: float = LIMIT_SECONDS


@dataclass(slots=True)
class _Walk:
    """Progress of a check over all conversations, in descending order of ids."""

    engine: Engine
    before: int
    deadline: float
    clock: Callable[[], float]
    size: int = FIRST_BLOCK
    conversations: int = 0
    too_long: list[int] = field(default_factory=list)
    """Conversations that exceed the statement timeout on their own."""
    ended: bool = False

    def rows(
        self, queries: tuple[InvariantQuery, ...], thresholds: Mapping[str, int | datetime]
    ) -> Iterator[tuple[InvariantQuery, Any]]:
        """Yield rows that violate an invariant, block by block. A block whose statement was cancelled yields none."""
        while not self.ended and self.clock() < self.deadline:
            yield from self._next_block(queries, thresholds)

    def _next_block(
        self, queries: tuple[InvariantQuery, ...], thresholds: Mapping[str, int | datetime]
    ) -> list[tuple[InvariantQuery, Any]]:
        begun = self.clock()
        ids: list[int] = []
        try:
            with self.engine.begin() as connection:
                newest = _conversation.c.id < self.before
                ids = list(
                    connection.scalars(
                        select(_conversation.c.id).where(newest).order_by(_conversation.c.id.desc()).limit(self.size)
                    )
                )
                if not ids:
                    self.ended = True
                    return []
                block = {**thresholds, "first": ids[-1], "last": ids[0]}
                broken = [(query, row) for query in queries for row in violations(connection, query, block)]
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", "") != _STATEMENT_GIVEN_UP:
                raise
            self._give_up(ids)
            return []
        self.conversations += len(ids)
        self.before = ids[-1]
        seconds = self.clock() - begun
        if seconds > SLOW_SECONDS:
            self.size = max(1, self.size // 2)
        elif seconds < QUICK_SECONDS:
            self.size = min(LARGEST_BLOCK, self.size * 2)
        return broken

    def _give_up(self, ids: list[int]) -> None:
        """Shrink the block, or skip a single conversation that is too long on its own."""
        if len(ids) == 1:
            self.too_long.append(ids[0])
            self.before = ids[0]
        self.size = max(1, len(ids) // 4)


def check_invariants(
    engine: Engine, reach: Reach | None = None, *, clock: Callable[[], float] = time.monotonic
) -> list[Finding]:
    """Check the invariants that are queries and look for stalled jobs; the last finding tells how far the check got."""
    reach = reach or Reach()
    with translated():
        with engine.begin() as connection:
            thresholds = moments(connection.scalar(select(now_milliseconds())) or 0)
            of_all = {query: violations(connection, query, thresholds) for query in AT_ONCE}
        before = reach.before or 2**62
        walk = _Walk(engine, before, clock() + reach.seconds, clock)
        broken: dict[InvariantQuery, list[Any]] = {query: [] for query in IN_BLOCKS}
        for query, row in walk.rows(IN_BLOCKS, thresholds):
            if len(broken[query]) < MOST_VIOLATIONS:
                broken[query].append(row)
        whole = walk.ended and not walk.too_long and reach.before is None
        scope = "" if whole else f" in the {walk.conversations:,} checked conversations"
        with engine.begin() as connection:
            findings = [judged_by(connection, query, rows, scope) for query, rows in broken.items()]
            findings += [judged_by(connection, query, rows, "") for query, rows in of_all.items()]
        return [*findings, _looked_at(walk, reach)]


def _looked_at(walk: _Walk, reach: Reach) -> Finding:
    """Report how many conversations were checked and how to continue; always ok, since unchecked ones are no fault."""
    told = [f"{walk.conversations:,} conversations"]
    if not walk.ended:
        told.append(
            f"stopped after {reach.seconds:g} s: those with ids below {walk.before} are unchecked; `turnfold doctor "
            f"--before {walk.before}` continues with them, `--seconds` allows more time"
        )
    if walk.too_long:
        ids = ", ".join(map(str, walk.too_long[:5]))
        told.append(
            f"timed out: {len(walk.too_long)} with too many rows for TURNFOLD_TIMEOUT_SECONDS (conversation {ids})"
        )
    return Finding(check="conversations: all were checked", ok=True, detail="; ".join(told))
