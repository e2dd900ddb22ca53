"""Progress of the work on a conversation, apart from the counters in its row."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, func, literal_column, select

from turnfold.contract.results import Head
from turnfold.contract.tables import ConversationRow, JobRow, ParkedEntryRow, table
from turnfold.contract.tasks import EntryState, JobKind, JobState
from turnfold.database import statements

MOST_PARKED: Final = 1_000
"""Maximum number of entries, and of jobs, that are counted, which bounds the time of the read."""


class ProgressRead:
    """Reads the progress of one conversation, in one transaction."""

    def __init__(self, connection: Connection, head: Head) -> None:
        self._connection = connection
        self._head = head

    def fold_parked(self) -> bool:
        """Whether folding is parked until a person looks at it."""
        jobs = table(JobRow)
        state = self._connection.scalar(
            select(jobs.c.state).where(jobs.c.conversation == self._head.id, jobs.c.kind == JobKind.COMPRESS)
        )
        return state == JobState.PARKED

    def refolding(self) -> bool:
        """Whether a closed segment is to be folded again, without a person's help."""
        jobs = table(JobRow)
        waits = (jobs.c.kind == JobKind.REFOLD, jobs.c.state.in_([JobState.DUE, JobState.RUNNING]))
        return (
            self._connection.scalar(select(jobs.c.id).where(jobs.c.conversation == self._head.id, *waits).limit(1))
            is not None
        )

    def refined_turns(self) -> int:
        """Count the turns in segments shown in a model's words; scans segments only if no counter is stored."""
        nodes, conversation = statements.node, table(ConversationRow)
        looked_at = (
            select(func.sum(nodes.c.last_seq - nodes.c.first_seq + 1))
            .where(nodes.c.conversation == self._head.id, nodes.c.height == 0, nodes.c.refined != 0)
            .scalar_subquery()
        )
        counted = select(func.coalesce(conversation.c.refined_turns, looked_at, 0))
        return int(self._connection.scalar(counted.where(conversation.c.id == self._head.id)) or 0)

    def parked(self) -> int:
        """Count the parked entries and jobs of a conversation, at most `MOST_PARKED` of each."""
        entries, jobs = table(ParkedEntryRow), table(JobRow)
        # Literals, for the partial indexes.
        parked = (
            select(rows.c.id).where(rows.c.conversation == self._head.id, rows.c.state == literal_column(f"'{state}'"))
            for rows, state in ((entries, EntryState.PARKED), (jobs, JobState.PARKED))
        )
        return sum(len(self._connection.scalars(some.limit(MOST_PARKED)).all()) for some in parked)
