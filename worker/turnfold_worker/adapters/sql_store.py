"""The SQL store: each method of `ports.Store` as one transaction on the write engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, delete, func, select
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from turnfold.contract.keys import Address
from turnfold.contract.notes import Covered, Outline
from turnfold.contract.records import Anchor, ConversationId, JobId
from turnfold.contract.tables import AnchorRow, ConversationRow, NodeRow, TurnRow, table
from turnfold.contract.tasks import JobKind
from turnfold_worker.adapters import sql_folds, sql_jobs, sql_outlines, sql_refolds, sql_turns
from turnfold_worker.errors import Refused, StoreAway
from turnfold_worker.model_ports import RefineTarget
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.pipeline.outline import NodeNotes, NodeSize
from turnfold_worker.ports import (
    ClosedSegment,
    ConfirmErasure,
    Fold,
    FoldClaim,
    Received,
    Refold,
    RefoldClaim,
    StoreResult,
    Tail,
)

_conversation = table(ConversationRow)


@contextmanager
def _translated() -> Iterator[None]:
    """What may pass by itself becomes `StoreAway`: locks, full disks, lost connections. What never will: `Refused`."""
    try:
        yield
    except (OperationalError, InterfaceError, InternalError, PoolTimeout) as error:
        raise StoreAway(_described(error)) from None  # the cause's message may quote a statement's parameters
    except (DataError, IntegrityError) as error:
        raise Refused(_described(error)) from None
    except DBAPIError as error:
        if error.connection_invalidated:
            raise StoreAway(_described(error)) from None
        raise


def _described(error: Exception) -> str:
    origin = getattr(error, "orig", None)
    return f"the database did not do it: {type(origin or error).__name__} {getattr(origin, 'sqlite_errorname', '')}"


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """One transaction. Raises `StoreAway` or `Refused`."""
    with _translated(), engine.begin() as connection:
        yield connection


class SqlStore:
    """Implements `ports.Store` for SQLite and PostgreSQL."""

    def __init__(
        self,
        engine: Engine,
        *,
        read_engine: Engine,
        lease_seconds: float,
        republish_seconds: float,
        attempts: int,
        refine_target: RefineTarget | None = None,
    ) -> None:
        """With a `refine_target`, groups of closed segments get their refine jobs in the fold's transaction."""
        self._engine = engine
        self._read_engine = read_engine
        self._attempts = attempts
        self._refine_target = refine_target
        self._reached = dict.fromkeys(JobKind, "")
        """The tenant at which the last look for due jobs ended: the next one goes on behind it."""
        self._lease = int(lease_seconds * 1_000)
        self._republish = int(republish_seconds * 1_000)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with transaction(self._engine) as connection:
            yield connection

    @contextmanager
    def _look(self) -> Iterator[Connection]:
        """A consistent look that takes no lock."""
        with transaction(self._read_engine) as connection:
            yield connection

    def resolve(self, addresses: Sequence[Address]) -> list[ConversationId]:
        with self._transaction() as connection:
            return sql_turns.resolve(connection, addresses)

    def discard_unused(self, conversations: Sequence[ConversationId]) -> None:
        with self._transaction() as connection:
            sql_turns.discard_unused(connection, conversations)

    def store(self, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
        with self._transaction() as connection:
            return sql_turns.store(connection, batches, republish_milliseconds=self._republish)

    def claim_fold(self, conversation: ConversationId) -> FoldClaim | None:
        with self._transaction() as connection:
            return sql_jobs.claim(connection, conversation, lease_milliseconds=self._lease)

    def tail(self, conversation: ConversationId, most: int) -> Tail | None:
        with self._look() as connection:
            return sql_folds.tail(connection, conversation, most)

    def anchor_candidates(self, conversation: ConversationId, terms: Sequence[str]) -> list[Anchor]:
        with self._look() as connection:
            return sql_folds.candidates(connection, conversation, terms)

    def siblings(self, conversation: ConversationId, height: int, first: int, last: int) -> list[FoldedNode]:
        with self._look() as connection:
            return sql_folds.siblings(connection, conversation, height, first, last)

    def commit_fold(self, fold: Fold) -> bool:
        with self._transaction() as connection:
            return sql_folds.commit(connection, fold, self._refine_target)

    def outline_frame(self, conversation: ConversationId) -> Outline | None:
        with self._look() as connection:
            return sql_outlines.frame(connection, conversation)

    def node_sizes(self, conversation: ConversationId, node_count: int) -> list[NodeSize]:
        with self._look() as connection:
            return sql_outlines.sizes(connection, conversation, node_count)

    def node_notes(self, conversation: ConversationId, cover: Sequence[Covered]) -> list[NodeNotes]:
        with self._look() as connection:
            return sql_outlines.notes(connection, conversation, cover)

    def write_outline(self, seen: Tail, outline: Outline, *, frame_only: bool) -> bool:
        with self._transaction() as connection:
            return sql_outlines.write(connection, seen, outline, frame_only=frame_only)

    def finish_fold(self, claim: FoldClaim, seen: Tail) -> bool:
        with self._transaction() as connection:
            return sql_jobs.finish(connection, claim, seen)

    def release_fold(self, claim: FoldClaim, *, error: str | None, delay_seconds: float) -> None:
        with self._transaction() as connection:
            # A job that waits longer than it is trusted to be on its way looks like one from before a clock step.
            delay = min(int(delay_seconds * 1_000), self._republish)
            sql_jobs.release(connection, claim, error=error, delay_milliseconds=delay)

    def due_folds(self, most: int) -> list[ConversationId]:
        return [conversation for _, conversation in self._due(JobKind.COMPRESS, most)]

    def due_refolds(self, most: int) -> list[JobId]:
        with self._transaction() as connection:
            sql_jobs.park_killers(connection, lease_milliseconds=self._lease, round_of=self._attempts)
        return [job for job, _ in self._due(JobKind.REFOLD, most)]

    def _due(self, kind: JobKind, most: int) -> list[tuple[JobId, ConversationId]]:
        """Looked for without a lock, then put off in a short transaction: a sweep must not hold up writers."""
        went_on = self._reached[kind] != ""
        found = self._overdue(kind, most)
        if not found and went_on:
            self._reached[kind] = ""
            found = self._overdue(kind, most)
        if not found:
            return []
        with self._transaction() as connection:
            return sql_jobs.put_off(
                connection, found, lease_milliseconds=self._lease, republish_milliseconds=self._republish
            )

    def _overdue(self, kind: JobKind, most: int) -> list[JobId]:
        with self._look() as connection:
            found, self._reached[kind] = sql_jobs.overdue(
                connection, kind, most, after=self._reached[kind], lease_milliseconds=self._lease,
                republish_milliseconds=self._republish,
            )  # fmt: skip
            return found

    def claim_refold(self, job: JobId) -> RefoldClaim | None:
        with self._transaction() as connection:
            return sql_jobs.claim_refold(connection, job, lease_milliseconds=self._lease, round_of=self._attempts)

    def closed_segment(self, conversation: ConversationId, idx: int) -> ClosedSegment | None:
        with self._look() as connection:
            return sql_refolds.closed_segment(connection, conversation, idx)

    def commit_refold(self, refold: Refold) -> bool:
        with self._transaction() as connection:
            return sql_refolds.commit(connection, refold, self._refine_target)

    def release_refold(self, claim: RefoldClaim, *, error: str | None) -> None:
        with self._transaction() as connection:
            sql_jobs.release_refold(connection, claim, error=error)

    def erase(self, address: Address, confirmed: ConfirmErasure) -> Mapping[str, int]:
        with self._transaction() as connection:
            id_ = connection.scalar(
                select(_conversation.c.id)
                .where(_conversation.c.tenant == address.tenant, _conversation.c.external_id == address.conversation)
                .with_for_update()
            )
            if id_ is None or not confirmed():
                return {}
            counts = {
                name: connection.scalar(select(func.count()).select_from(rows).where(*conditions)) or 0
                for name, rows, conditions in (
                    ("turns", table(TurnRow), (table(TurnRow).c.conversation == id_,)),
                    ("segments", table(NodeRow), (table(NodeRow).c.conversation == id_, table(NodeRow).c.height == 0)),
                    ("anchors", table(AnchorRow), (table(AnchorRow).c.conversation == id_,)),
                )
            }
            connection.execute(delete(_conversation).where(_conversation.c.id == id_))
            return counts
