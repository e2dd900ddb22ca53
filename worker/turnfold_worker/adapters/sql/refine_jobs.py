"""Refine jobs: one per group of closed segments, keyed by its input and by models and prompts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, and_, delete, func, select, update

from turnfold.contract.records import FAN_OUT, ConversationId, JobId
from turnfold.contract.tables import AccessRow, ConversationRow, JobRow, NodeRow, table
from turnfold.contract.tasks import JobKind, JobState
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql import model_notes as sql_model_notes
from turnfold_worker.adapters.sql import overdue as sql_overdue
from turnfold_worker.adapters.sql.jobs import DUE, RUNNING
from turnfold_worker.adapters.sql.turns import insert_new
from turnfold_worker.ports.models import RefineClaim, RefineTarget, subject_of_chapter

if TYPE_CHECKING:
    from turnfold_worker.pipeline.refinement.notes import ModelNote

LONGEST_DELAY_SECONDS: Final = 900.0
"""Longest delay of a refine job: after it the reason for the delay is checked again."""

_conversation = table(ConversationRow)
_node = table(NodeRow)
_access = table(AccessRow)
_job = table(JobRow)

REFINES: Final = _job.c.kind == str(JobKind.REFINE)
_IMPORTANT_FIRST: Final = (_job.c.priority.desc(),)
_MOST_PRIORITY: Final = 100
_TOKENS_A_POINT: Final = 100
_POINTS_A_READ: Final = 10


def add_for_segment(
    connection: Connection, conversation: ConversationId, idx: int, target: RefineTarget, *, again: bool = False
) -> None:
    """Add a job for the group of a segment: due at once if the group is complete, else after a while without segments.

    With `again`, also if the job was done already.
    """
    first, last = group_of(target, idx)
    fewer = target.idle_seconds or None
    add(connection, conversation, target, first=first, last=last, again=again, fewer_after=fewer)


def add(
    connection: Connection, conversation: ConversationId, target: RefineTarget, *, first: int, last: int, again: bool,
    fewer_after: float | None,
) -> int:  # fmt: skip
    """Add jobs for the groups among segments `first` to `last`; return how many were made.

    An incomplete group gets a job that is due after `fewer_after` seconds, or none if that is None.
    """
    nodes = _segments(connection, conversation, first, last)
    tenant = connection.scalar(select(_conversation.c.tenant).where(_conversation.c.id == conversation))
    later = int(1_000 * (fewer_after or 0))
    rows = [
        {
            "conversation": conversation, "tenant": tenant, "kind": str(JobKind.REFINE), "subject": group[0].idx,
            "input_hash": _input_hash(target, group), "state": str(JobState.DUE),
            "not_before": now_milliseconds() + (0 if len(group) == target.segments else later),
            "priority": _priority(group),
        }
        for start in range(0, len(nodes), target.segments)
        if (len(group := nodes[start : start + target.segments]) == target.segments or fewer_after is not None)
        and group[0].idx % target.segments == 0
    ]  # fmt: skip
    return sum(_upsert(connection, row, again=again) for row in rows)


def add_chapter(connection: Connection, conversation: ConversationId, target: RefineTarget, chapter: int) -> None:
    """Add a job for a chapter whose segments are all done, if a model wrote notes on one of them."""
    first = chapter * FAN_OUT
    nodes = _segments(connection, conversation, first, first + FAN_OUT - 1)
    groups = [node.idx for node in nodes if node.idx % target.segments == 0]
    over = connection.scalars(
        select(_job.c.subject).where(
            _job.c.conversation == conversation, REFINES, _job.c.subject.in_(groups),
            _job.c.state.in_((str(JobState.DONE), str(JobState.SKIPPED))),
        )
    ).all()  # fmt: skip
    if len(nodes) < FAN_OUT or set(over) < set(groups) or not any(node.refined for node in nodes):
        return
    notes = sql_model_notes.of_segments(connection, conversation, first, first + FAN_OUT - 1)
    row = {
        "conversation": conversation, "kind": str(JobKind.REFINE), "subject": subject_of_chapter(chapter),
        "tenant": connection.scalar(select(_conversation.c.tenant).where(_conversation.c.id == conversation)),
        "input_hash": _input_hash(target, nodes, notes), "state": str(JobState.DUE),
        "not_before": now_milliseconds(), "priority": _priority(nodes),
    }  # fmt: skip
    _upsert(connection, row, again=False)


def _segments(connection: Connection, conversation: ConversationId, first: int, last: int) -> Sequence[Any]:
    return connection.execute(
        select(
            _node.c.idx,
            _node.c.source_hash,
            _node.c.importance,
            _node.c.tokens_0,
            _node.c.refined,
            func.coalesce(_access.c.expansions, 0).label("reads"),
        )
        .outerjoin(_access, and_(_access.c.conversation == _node.c.conversation, _access.c.idx == _node.c.idx))
        .where(_node.c.conversation == conversation, _node.c.height == 0, _node.c.idx.between(first, last))
        .order_by(_node.c.idx)
    ).all()


def _priority(group: Sequence[Any]) -> int:
    """Return the priority of a group: important, large and often-read ones first; large ones save most tokens."""
    importance: int = max(node.importance for node in group)
    tokens: int = sum(node.tokens_0 for node in group)
    reads: int = sum(node.reads for node in group)
    return importance + min(_MOST_PRIORITY, tokens // _TOKENS_A_POINT) + min(_MOST_PRIORITY, reads * _POINTS_A_READ)


def reprioritize(
    connection: Connection, conversation: ConversationId, target: RefineTarget, idxs: Iterable[int]
) -> None:
    """Raise the priority of due jobs on segments that were expanded."""
    for first, last in sorted({group_of(target, idx) for idx in idxs}):
        group = _segments(connection, conversation, first, last)
        due = (_job.c.conversation == conversation, REFINES, _job.c.subject == first, DUE)
        connection.execute(update(_job).where(*due).values(priority=_priority(group)))


def _upsert(connection: Connection, row: dict[str, Any], *, again: bool) -> int:
    # A new input replaces jobs on older ones.
    connection.execute(
        delete(_job).where(
            _job.c.conversation == row["conversation"], REFINES, _job.c.subject == row["subject"],
            _job.c.input_hash != row["input_hash"],
        )
    )  # fmt: skip
    insert = insert_new(connection, _job).values(row)
    if not again:
        return len(connection.execute(insert.on_conflict_do_nothing().returning(_job.c.id)).all())
    due = {"state": str(JobState.DUE), "attempts": 0, "error": None, "claim": None, "not_before": now_milliseconds()}
    key = [_job.c.conversation, _job.c.kind, _job.c.subject, _job.c.input_hash]
    made = insert.on_conflict_do_update(index_elements=key, set_=due).returning(_job.c.id)
    return len(connection.execute(made).all())


def _input_hash(
    target: RefineTarget, group: Sequence[Any], notes: Mapping[int, Sequence[ModelNote]] | None = None
) -> str:
    """Hash a job's input with its models and prompts; for a chapter also its segments' notes."""
    digest = hashlib.blake2b(target.version.encode(), digest_size=16)
    for node in group:
        digest.update(bytes(node.source_hash))
        for note in (notes or {}).get(node.idx, ()):
            digest.update(repr((note.turns, note.speaker, note.text)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def ours(claimed: RefineClaim) -> Any:
    """Match a job that is still claimed by this worker."""
    return and_(_job.c.id == claimed.job, _job.c.claim == claimed.claim, RUNNING)


def finish(connection: Connection, claimed: RefineClaim, state: JobState) -> bool:
    """End a job; False when it is no longer claimed by this worker."""
    done = update(_job).where(ours(claimed)).values(state=str(state), claim=None, error=None)
    return bool(connection.execute(done).rowcount)


def due(connection: Connection, most: int, *, after: str, lease_milliseconds: int) -> tuple[list[JobId], str]:
    """Return due jobs, tenant by tenant, important ones first, and the tenant reached."""
    return sql_overdue.due_in_turn(
        connection, JobKind.REFINE, most, after=after, lease_milliseconds=lease_milliseconds,
        longest_milliseconds=int(LONGEST_DELAY_SECONDS * 1_000), first=_IMPORTANT_FIRST,
    )  # fmt: skip


def group_of(target: RefineTarget, idx: int) -> tuple[int, int]:
    """Return the first and last segment of a segment's group."""
    first = idx // target.segments * target.segments
    return first, first + target.segments - 1
