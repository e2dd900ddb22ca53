"""Store received entries: the ingest half of the SQL store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, assert_never

from sqlalchemy import Connection, bindparam, func, select, update

from turnfold.contract.configuration import TITLE, merged
from turnfold.contract.keys import Address
from turnfold.contract.records import OPERATORS, ConversationId
from turnfold.contract.tables import (
    ConversationRow,
    OperationRow,
    ParkedEntryRow,
    RewoundTurnRow,
    SubjectTurnRow,
    TurnRow,
    standing,
    table,
)
from turnfold.contract.tasks import Operation
from turnfold.database.database_clock import now_milliseconds
from turnfold.redis.inbox import stream_order
from turnfold.wire.change_cues import may_change
from turnfold_worker.adapters.sql import changes as sql_changes
from turnfold_worker.adapters.sql import outlines as sql_outlines
from turnfold_worker.adapters.sql.anchors import settle
from turnfold_worker.adapters.sql.turns import FoldDue, FoldWhen, insert_new, known_turns, turn_row
from turnfold_worker.ports.messages import (
    ParkedOperation,
    Received,
    ReceivedChange,
    ReceivedOperation,
    ReceivedTurn,
    StoreResult,
)

_conversation = table(ConversationRow)
_turn = table(TurnRow)
_operation = table(OperationRow)
_parked = table(ParkedEntryRow)
_rewound = table(RewoundTurnRow)
_subject = table(SubjectTurnRow)

# Built once: SQLAlchemy takes longer to build the statement than the database to run it.
_LOCK: Final = (
    select(
        _conversation.c.id, _conversation.c.tenant, _conversation.c.external_id, _conversation.c.turn_count,
        _conversation.c.fold_seq, _conversation.c.unfolded_tokens, _conversation.c.edit_revision,
        _conversation.c.revision,
    )
    .where(_conversation.c.id.in_(bindparam("ids", expanding=True)), standing())
    .order_by(_conversation.c.id)
    .with_for_update()
)  # fmt: skip
_COUNTED: Final = (
    update(_conversation)
    .where(_conversation.c.id == bindparam("changed"))
    .values(
        turn_count=bindparam("count"), unfolded_tokens=_conversation.c.unfolded_tokens + bindparam("more_tokens"),
        system_turns=_conversation.c.system_turns + bindparam("more_operators"),
        revision=_conversation.c.revision + 1, updated_at=func.current_timestamp(),
    )
)  # fmt: skip


def store(
    connection: Connection,
    batches: Mapping[ConversationId, Sequence[Received]],
    *,
    group: int,
    due: FoldDue,
    address_of: Callable[[ConversationId], Address | None] = lambda _: None,
) -> StoreResult:
    """Store received entries, in order; entries that are stored already are skipped.

    A row whose address differs from `address_of`, where that knows one, counts as missing. Rows are locked in the order
    of their ids, so that two drains cannot deadlock. A model refines `group` segments together.
    """
    counts = _lock(connection, sorted(batches), address_of)
    to_fold: dict[FoldWhen, list[ConversationId]] = {when: [] for when in FoldWhen}
    counters: list[dict[str, int]] = []
    turns: list[dict[str, Any]] = []
    subjects: list[dict[str, Any]] = []
    refolds_due = False
    revisions: dict[ConversationId, int] = {}
    new_turns = 0
    known = known_turns(
        connection,
        [
            (id_, item.turn.turn_id)
            for id_ in counts
            if counts[id_].turn_count
            for item in batches[id_]
            if isinstance(item, ReceivedTurn)
        ],
    )
    for id_ in sorted(counts):
        writer = _Conversation(connection, id_, counts[id_], group, known.get(id_, set()))
        writer.take(batches[id_])
        turns += writer.turns
        subjects += writer.subjects
        new_turns += writer.new_turns
        refolds_due = refolds_due or writer.refolds_due
        revisions[id_] = counts[id_].revision + writer.changed
        if writer.changed:
            to_fold[writer.when(due)].append(id_)
            counters.append(writer.counters)
    _insert(connection, turns, subjects)
    if counters:
        connection.execute(_COUNTED, counters)
    return StoreResult(
        missing=frozenset(set(batches) - set(counts)),
        folds_due=due.make(connection, to_fold),
        refolds_due=refolds_due,
        new_turns=new_turns,
        revisions=revisions,
    )


def _insert(connection: Connection, turns: list[dict[str, Any]], subjects: list[dict[str, Any]]) -> None:
    for rows, new in ((_turn, turns), (_subject, subjects)):
        if new:
            connection.execute(rows.insert(), new)


class _Locked(NamedTuple):
    """A conversation's row, locked."""

    tenant: str
    turn_count: int
    unfolded: int
    """Number of turns that no fold has seen."""
    unfolded_tokens: int
    ever_changed: bool
    """Whether anything was ever changed; if not, no turn was cut off."""
    revision: int


def _lock(
    connection: Connection, ids: Sequence[ConversationId], address_of: Callable[[ConversationId], Address | None]
) -> dict[ConversationId, _Locked]:
    """Lock the rows that still exist."""
    rows = connection.execute(_LOCK, {"ids": list(ids)})
    return {
        ConversationId(row.id): _Locked(
            row.tenant,
            row.turn_count,
            row.turn_count - row.fold_seq,
            row.unfolded_tokens,
            row.edit_revision > 0,
            row.revision,
        )
        for row in rows
        if address_of(row.id) in {None, Address(row.tenant, row.external_id)}
    }


class _Conversation:
    """Collects what one batch adds to one locked conversation."""

    def __init__(
        self, connection: Connection, id_: ConversationId, locked: _Locked, group: int, known: set[str]
    ) -> None:
        """`known` are the turn ids of the batch that are stored already."""
        self._known = known
        self._connection = connection
        self._id = id_
        self._count = locked.turn_count
        self._locked = locked
        self.subjects: list[dict[str, Any]] = []
        """Rows of the new turns' subjects (end users), not written yet either."""
        self._group = group
        self._settings: dict[str, Any] | None = None
        self._folds_otherwise = False
        """Whether the configuration affects folding: a title alone does not."""
        self._changed_any = False
        self.turns: list[dict[str, Any]] = []
        """Rows of new turns that are not written yet."""
        self.new_turns = self.new_tokens = self.new_operators = 0
        self._may_change = False
        """Whether a new turn may change earlier statements."""
        self._is_live = False
        """Whether any new turn is live, not part of a backfill."""
        self.refolds_due = False

    @property
    def changed(self) -> bool:
        """Whether the batch changed anything."""
        return self._count > self._locked.turn_count or self._settings is not None or self._changed_any

    @property
    def counters(self) -> dict[str, int]:
        """Parameters of the conversation's counters."""
        return {
            "changed": self._id, "count": self._count, "more_tokens": self.new_tokens,
            "more_operators": self.new_operators,
        }  # fmt: skip

    def when(self, due: FoldDue) -> FoldWhen:
        """Return when the conversation should be folded."""
        if self._folds_otherwise or self._changed_any:
            return FoldWhen.NOW
        if not self._is_live:
            return FoldWhen.BACKFILL
        if self._may_change:
            return FoldWhen.NOW
        turns, tokens = self._locked.unfolded + self.new_turns, self._locked.unfolded_tokens + self.new_tokens
        return FoldWhen.NOW if due.is_ripe(turns, tokens) else FoldWhen.IDLE

    def take(self, received: Sequence[Received]) -> None:
        """Number the new turns and carry out the new operations, in order."""
        ids = [item.turn.turn_id for item in received if isinstance(item, ReceivedTurn)]
        known, old = self._known, self._cut_off(ids)
        for item in received:
            match item:
                case ReceivedTurn():
                    if item.turn.turn_id not in known and not old(item):
                        known.add(item.turn.turn_id)
                        self._append(item)
                case ReceivedOperation():
                    self._operate(item)
                case ReceivedChange():
                    known -= self._change(item)
                case ParkedOperation():
                    self._park(item.entry.entry_id, None, item.entry.body, item.error)
                case _:
                    assert_never(item)
        if self._settings is not None:
            self._connection.execute(
                update(_conversation).where(_conversation.c.id == self._id).values(settings=self._settings)
            )

    def _cut_off(self, turn_ids: Sequence[str]) -> Callable[[ReceivedTurn], bool]:
        """Return a predicate: whether an entry, now redelivered, preceded a rewind that cut its turn off."""
        rewound: dict[str, str] = {}
        if self._locked.ever_changed and turn_ids:
            rows = self._connection.execute(
                select(_rewound.c.turn_id, _rewound.c.stream_id).where(
                    _rewound.c.conversation == self._id, _rewound.c.turn_id.in_(turn_ids)
                )
            )
            rewound = {row.turn_id: row.stream_id for row in rows}

        def old(item: ReceivedTurn) -> bool:
            rewound_at, came_at = rewound.get(item.turn.turn_id), item.entry.stream_id
            return bool(rewound_at and came_at) and stream_order(came_at) < stream_order(rewound_at or "")

        return old

    def _change(self, item: ReceivedChange) -> frozenset[str]:
        """Carry out a change of turns, including those of this batch; return the ids that are free again."""
        _insert(self._connection, self.turns, self.subjects)
        self.turns, self.subjects = [], []
        done = sql_changes.apply(self._connection, self._id, item, count=self._count, group=self._group)
        self._count = done.count
        self._changed_any = self._changed_any or not done.repeated
        self.refolds_due = self.refolds_due or done.refolds_due
        if done.refused is not None:
            self._park(item.entry.entry_id, None, item.entry.body, done.refused)
        return done.removed

    def _append(self, item: ReceivedTurn) -> None:
        self._count += 1
        self.new_turns += 1
        self._is_live = self._is_live or not item.may_wait
        self.new_tokens += item.turn.tokens
        self.new_operators += item.turn.role in OPERATORS
        self._may_change = self._may_change or may_change(item.turn.role, item.turn.content)
        self.turns.append(turn_row(self._id, self._count, item.turn))
        if item.subject is not None:
            self.subjects.append({
                "conversation": self._id, "seq": self._count, "tenant": self._locked.tenant, "subject": item.subject,
            })  # fmt: skip
        if item.error is not None:
            self._park(item.turn.turn_id, self._count, item.entry.body, item.error)

    def _operate(self, item: ReceivedOperation) -> None:
        if item.operation not in {Operation.CONFIGURE, Operation.RESOLVE}:
            raise ValueError(f"operation {item.operation} reached the store")
        own = _operation.c.conversation == self._id
        if self._connection.scalar(
            select(_operation.c.number).where(own, _operation.c.operation_id == item.operation_id)
        ):
            return
        number = self._connection.scalar(select(func.coalesce(func.max(_operation.c.number), 0) + 1).where(own))
        if item.operation is Operation.RESOLVE:
            settle(self._connection, self._id, item.body, after_seq=self._count)
            # A concurrent fold has read the anchor's older state: it has to start over.
            again = {"edit_revision": _conversation.c.edit_revision + 1}
            self._connection.execute(update(_conversation).where(_conversation.c.id == self._id).values(again))
            sql_outlines.rebuild(self._connection, self._id)
            self._changed_any = True
            self._record(number, item, item.body)
            return
        if self._settings is None:
            stored = self._connection.scalar(select(_conversation.c.settings).where(_conversation.c.id == self._id))
            self._settings = dict(stored or {})
        self._settings = merged(self._settings, item.body)
        self._folds_otherwise = self._folds_otherwise or item.body.keys() != {TITLE}
        # The full configuration, not the change: a fold reads the last one instead of all.
        self._record(number, item, self._settings)

    def _record(self, number: int | None, item: ReceivedOperation, body: Mapping[str, Any]) -> None:
        self._connection.execute(
            _operation.insert(),
            {"conversation": self._id, "number": number, "operation_id": item.operation_id,
             "kind": str(item.operation), "after_seq": self._count, "body": dict(body)},
        )  # fmt: skip

    def _park(self, entry_id: str, seq: int | None, payload: bytes, error: str) -> None:
        self._changed_any = True
        self._connection.execute(
            insert_new(self._connection, _parked).on_conflict_do_nothing(),
            {"conversation": self._id, "entry_id": entry_id, "seq": seq, "payload": payload, "error": error[:500],
             "parked_at": self._connection.scalar(select(now_milliseconds()))},
        )  # fmt: skip
