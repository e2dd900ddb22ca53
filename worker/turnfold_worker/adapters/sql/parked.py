"""Parked work in SQL: rows of `job` and of `parked_entry`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, Table, case, func, or_, select, update

from turnfold.contract.attention import Selection, Work, WorkKind
from turnfold.contract.records import ConversationId, JobId, StoredTurn, TurnState
from turnfold.contract.tables import ConversationRow, JobRow, NodeRow, ParkedEntryRow, TurnRow, standing, table
from turnfold.contract.tasks import EntryState, JobKind, JobState
from turnfold.database.database_clock import now_milliseconds
from turnfold.database.work_read import work_needing_attention
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.jobs import DUE, MAX_ERROR, PARKED, add_refold
from turnfold_worker.adapters.sql.turns import fold_due, replace_turn

_conversation = table(ConversationRow)
_turn = table(TurnRow)
_node = table(NodeRow)
_job = table(JobRow)
_entry = table(ParkedEntryRow)

_WAITING: Final = _entry.c.state == str(EntryState.PARKED)
_BLOCK: Final = 500
"""Rows that one statement names: databases limit the parameters of a statement."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A parked inbox entry."""

    turn_id: str
    seq: int | None
    """Position of its placeholder; None for an operation."""
    payload: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """The result of replacing a placeholder by its turn."""

    due: JobKind | None
    """The kind of job that became due; None when it was due already."""


class SqlParkedWork:
    """The SQL side of `turnfold jobs`, for SQLite and PostgreSQL. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def find(self, selection: Selection) -> list[Work]:
        """Return work that needs attention, by conversation, in a stable order."""
        with transaction(self._engine) as connection:
            return work_needing_attention(connection, selection)

    def make_due(self, jobs: Sequence[JobId]) -> list[JobId]:
        """Make parked jobs due again, and due ones due at once; return the jobs that were changed."""
        due = {"state": str(JobState.DUE), "claim": None, "not_before": now_milliseconds()}
        with transaction(self._engine) as connection:
            return [JobId(id_) for id_ in _changed(connection, _job, jobs, or_(PARKED, DUE), due)]

    def entry(self, number: int) -> Entry | None:
        """Return a parked entry; None when it is no longer parked."""
        with transaction(self._engine) as connection:
            row = connection.execute(select(_entry).where(_entry.c.id == number, _WAITING)).first()
        return None if row is None else Entry(row.entry_id, row.seq, bytes(row.payload))

    def store_entry(self, number: int, turn: StoredTurn) -> Stored | None:
        """Replace a placeholder by its turn; None when the entry is no longer parked."""
        with transaction(self._engine) as connection:
            id_ = connection.scalar(select(_entry.c.conversation).where(_entry.c.id == number, _WAITING))
            if id_ is None:
                return None
            return _store_entry(connection, number, ConversationId(id_), turn)

    def count_attempt(self, number: int, error: str) -> None:
        """Record that an entry still cannot be stored."""
        with transaction(self._engine) as connection:
            connection.execute(
                update(_entry)
                .where(_entry.c.id == number)
                .values(attempts=_entry.c.attempts + 1, error=error[:MAX_ERROR])
            )

    def skip(self, works: Sequence[Work]) -> list[Work]:
        """Mark parked work as skipped; return the work that was parked."""
        jobs = [work.row for work in works if work.kind is not WorkKind.ENTRY]
        entries = [work.row for work in works if work.kind is WorkKind.ENTRY]
        with transaction(self._engine) as connection:
            done = _changed(connection, _job, jobs, PARKED, {"state": str(JobState.SKIPPED)})
            let_be = _changed(connection, _entry, entries, _WAITING, {"state": str(EntryState.SKIPPED)})
        skipped = {*(f"job-{id_}" for id_ in done), *(f"entry-{id_}" for id_ in let_be)}
        return [work for work in works if work.id in skipped]


def _changed(
    connection: Connection, rows: Table, ids: Sequence[int], which: ColumnElement[bool], values: Mapping[str, Any]
) -> list[int]:
    """Update the rows among `ids` that match `which`, block by block; return their ids."""
    changed: list[int] = []
    for start in range(0, len(ids), _BLOCK):
        wanted = update(rows).where(rows.c.id.in_(ids[start : start + _BLOCK]), which)
        changed += connection.scalars(wanted.values(values).returning(rows.c.id))
    return changed


def empty_entries(connection: Connection, *which: ColumnElement[bool], why: str) -> None:
    """Delete the content of entries; parked ones are skipped."""
    state = case((_WAITING, str(EntryState.SKIPPED)), else_=_entry.c.state)
    connection.execute(update(_entry).where(*which).values(payload=b"", error=why, state=state))


def _store_entry(connection: Connection, number: int, id_: ConversationId, turn: StoredTurn) -> Stored | None:
    """Store under the conversation's row lock: a running fold either sees the turn or starts over."""
    row = connection.execute(
        select(_conversation).where(_conversation.c.id == id_, standing()).with_for_update()
    ).first()
    taken = connection.execute(
        update(_entry).where(_entry.c.id == number, _WAITING).values(state=str(EntryState.STORED))
    )
    if row is None or not taken.rowcount:
        return None
    replace_turn(connection, id_, turn.seq, turn, _turn.c.state == int(TurnState.PARKED))
    changed = {"edit_revision": row.edit_revision + 1, "revision": row.revision + 1}
    is_open = turn.seq > row.closed_seq
    if is_open:
        # The segmenter has not seen this turn: its progress ends before the turn.
        changed["fold_seq"] = min(row.fold_seq, turn.seq - 1)
    connection.execute(
        update(_conversation).where(_conversation.c.id == id_).values(**changed, updated_at=func.current_timestamp())
    )
    if is_open:
        return Stored(JobKind.COMPRESS if fold_due(connection, [id_]) else None)
    return Stored(JobKind.REFOLD if _refold_of(connection, id_, turn.seq, number) else None)


def _refold_of(connection: Connection, id_: ConversationId, seq: int, number: int) -> bool:
    """Make a due job for the segment of a turn; one per entry, since each changes the segment's input."""
    idx = connection.scalar(
        select(_node.c.idx).where(
            _node.c.conversation == id_, _node.c.height == 0, _node.c.first_seq <= seq, _node.c.last_seq >= seq
        )
    )
    if idx is None:
        return False
    add_refold(connection, id_, idx, input_hash=f"entry-{number}", state=JobState.DUE)
    return True
