"""How far the work on a conversation is, beside what its own row says."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from turnfold.contract.results import Head
from turnfold.contract.tables import JobRow, ParkedEntryRow, table
from turnfold.contract.tasks import EntryState, JobKind, JobState
from turnfold.database import statements


class ProgressRead:
    """Looks at the work on one conversation, in one read transaction."""

    def __init__(self, connection: Connection, head: Head) -> None:
        self._connection = connection
        self._head = head

    def fold_parked(self) -> bool:
        """True when nothing will be folded before a person has looked."""
        jobs = table(JobRow)
        state = self._connection.scalar(
            select(jobs.c.state).where(jobs.c.conversation == self._head.id, jobs.c.kind == JobKind.COMPRESS)
        )
        return state == JobState.PARKED

    def refolding(self) -> bool:
        """True while a closed segment is to be folded again, and nobody has to look before."""
        jobs = table(JobRow)
        waits = (jobs.c.kind == JobKind.REFOLD, jobs.c.state.in_([JobState.DUE, JobState.RUNNING]))
        return (
            self._connection.scalar(select(jobs.c.id).where(jobs.c.conversation == self._head.id, *waits).limit(1))
            is not None
        )

    def refined_turns(self) -> int:
        """Turns in segments of which a model's words are shown."""
        nodes = statements.node
        refined = select(func.coalesce(func.sum(nodes.c.last_seq - nodes.c.first_seq + 1), 0))
        mine = (nodes.c.conversation == self._head.id, nodes.c.height == 0, nodes.c.refined != 0)
        return int(self._connection.scalar(refined.where(*mine)) or 0)

    def parked(self) -> int:
        """Entries and jobs of a conversation that wait for a person."""
        entries, jobs = table(ParkedEntryRow), table(JobRow)
        return sum(
            self._connection.scalar(select(func.count()).select_from(rows).where(*conditions)) or 0
            for rows, conditions in (
                (entries, (entries.c.conversation == self._head.id, entries.c.state == EntryState.PARKED)),
                (jobs, (jobs.c.conversation == self._head.id, jobs.c.state == JobState.PARKED)),
            )
        )
