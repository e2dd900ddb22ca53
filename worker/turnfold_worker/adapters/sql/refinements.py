"""Refining in SQL: each method is one transaction."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, and_, delete, func, or_, select, update

from turnfold.contract.model_anchors import first_of_model
from turnfold.contract.records import FAN_OUT, Anchor, AnchorState, ConversationId, JobId
from turnfold.contract.tables import AnchorRow, ConversationRow, JobRow, LevelRow, NodeRow, table
from turnfold.contract.tasks import JobState
from turnfold.database.database_clock import now_milliseconds
from turnfold.database.rows import STATES, anchor_record
from turnfold.database.statements import ANCHOR_COLUMNS
from turnfold_worker.adapters.sql import access as sql_access
from turnfold_worker.adapters.sql import anchors as sql_anchors
from turnfold_worker.adapters.sql import model_notes as sql_model_notes
from turnfold_worker.adapters.sql import outlines as sql_outlines
from turnfold_worker.adapters.sql import overdue as sql_overdue
from turnfold_worker.adapters.sql import refine_jobs as sql_refine_jobs
from turnfold_worker.adapters.sql import refined_turns as sql_refined_turns
from turnfold_worker.adapters.sql import removals as sql_removals
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.jobs import DUE, MAX_ERROR, lapsed, one_less, taken_by
from turnfold_worker.adapters.sql.refine_jobs import LONGEST_DELAY_SECONDS, REFINES, ours
from turnfold_worker.adapters.sql.refine_sources import read_chapter, read_group, read_remains
from turnfold_worker.adapters.sql.turns import insert_new
from turnfold_worker.pipeline.refinement.levels import AcceptedNode
from turnfold_worker.pipeline.refinement.overtaken import AcceptedOvertaking
from turnfold_worker.pipeline.refinement.sources import NodeSource
from turnfold_worker.ports.models import ChapterGroup, Group, Owner, RefineClaim, Refined, RefineTarget, Remains

MODEL_CANDIDATES: Final = 64

_conversation = table(ConversationRow)
_node = table(NodeRow)
_level = table(LevelRow)
_anchor = table(AnchorRow)
_job = table(JobRow)
_SETTLED: Final = (_anchor.c.state, _anchor.c.settled_after, _anchor.c.ruled)


class _Lost(Exception):  # noqa: N818 - no error: rolls a transaction back
    """The job is no longer ours."""


class _Changed(_Lost):
    """The stored rows changed since they were read for the model."""


class SqlRefinements:
    """The SQL side of refining, for SQLite and PostgreSQL. Every method is one transaction."""

    def __init__(
        self, engine: Engine, *, read_engine: Engine, target: RefineTarget, lease_seconds: float,
        attempts: int,
    ) -> None:  # fmt: skip
        self._engine = engine
        self._read_engine = read_engine
        self.target = target
        self._lease = int(lease_seconds * 1_000)
        self._attempts = attempts
        self._reached = ""

    def has_due(self) -> bool:
        """Whether any job is due. Jobs whose workers died too often are parked first."""
        with transaction(self._engine) as connection:
            connection.execute(
                update(_job)
                .where(REFINES, lapsed(self._lease), _job.c.attempts >= self._attempts)
                .values(
                    state=str(JobState.PARKED), claim=None, not_before=now_milliseconds(),
                    error="the worker ended while refining",
                )
            )  # fmt: skip
        with transaction(self._read_engine) as connection:
            return bool(self._due(connection, 1)[0])

    def claim_refine(self) -> RefineClaim | None:
        """Claim the next due job, tenant by tenant, and count the try; None when there is none."""
        with transaction(self._engine) as connection:
            for _ in range(sql_overdue.LOOKS):
                due, self._reached = self._due(connection, 1)
                claimed = self._claim(connection, due[0]) if due else None
                if claimed is not None or not due:
                    return claimed
        return None

    def _claim(self, connection: Connection, job: JobId) -> RefineClaim | None:
        """Claim a job; its try is counted before any work."""
        token = str(uuid.uuid4())
        row = connection.execute(
            update(_job)
            .where(_job.c.id == job, REFINES, or_(DUE, lapsed(self._lease)))
            .values(taken_by(token, self._lease))
            .returning(_job.c.conversation, _job.c.tenant, _job.c.subject, _job.c.attempts)
        ).first()
        if row is None:
            return None
        owner = Owner(ConversationId(row.conversation), row.tenant)
        return RefineClaim(job, owner, row.subject, token, row.attempts)

    def _due(self, connection: Connection, most: int) -> tuple[list[JobId], str]:
        return sql_refine_jobs.due(connection, most, after=self._reached, lease_milliseconds=self._lease)

    def renew_refine(self, claim: RefineClaim) -> bool:
        """Renew the lease of a job; False when it is no longer ours."""
        with transaction(self._engine) as connection:
            renewed = update(_job).where(ours(claim)).values(lease_until=now_milliseconds() + self._lease)
            return bool(connection.execute(renewed).rowcount)

    def release_refine(
        self, claim: RefineClaim, *, error: str | None, delay_seconds: float, counted: bool, park: bool
    ) -> None:
        """Give the job back, due after `delay_seconds`, or park it; without `counted` the try is not counted."""
        delay = int(min(delay_seconds, LONGEST_DELAY_SECONDS) * 1_000)
        values: dict[str, Any] = {
            "state": str(JobState.PARKED if park else JobState.DUE), "claim": None,
            "error": error and error[:MAX_ERROR], "not_before": now_milliseconds() + (0 if park else delay),
        }  # fmt: skip
        if not counted:
            values["attempts"] = one_less()
        with transaction(self._engine) as connection:
            connection.execute(update(_job).where(ours(claim)).values(values))

    def skip_refine(self, claim: RefineClaim) -> None:
        """End a job on which a model could improve nothing."""
        with transaction(self._engine) as connection:
            # A worker that ends another group of the chapter waits here: one of the two sees both groups ended.
            mine = _conversation.c.id == claim.owner.conversation
            connection.execute(select(_conversation.c.id).where(mine).with_for_update())
            if sql_refine_jobs.finish(connection, claim, JobState.SKIPPED):
                _go_on(connection, claim, self.target)

    def group(self, claim: RefineClaim) -> Group | None:
        """Read the segments of a job as the rules left them; None when the first is gone."""
        with transaction(self._read_engine) as connection:
            return read_group(connection, claim.owner.conversation, self.target, claim.subject)

    def chapter(self, claim: RefineClaim) -> ChapterGroup | None:
        """Read the chapter of a job with its segments' notes; None when it is gone."""
        with transaction(self._read_engine) as connection:
            return read_chapter(connection, claim.owner.conversation, claim.chapter or 0)

    def refine_candidates(
        self, conversation: ConversationId, terms: Sequence[str], *, first_seq: int, first_idx: int, last_idx: int
    ) -> tuple[list[Anchor], list[Anchor]]:
        """Return the rules' anchors that share a term, and a model's anchors from other segments.

        The latter are active, or were ended by what a model found in these segments before.
        """
        with transaction(self._read_engine) as connection:
            rules = sql_anchors.candidates(connection, conversation, terms, first_seq) if terms else []
            rows = connection.execute(
                select(*ANCHOR_COLUMNS)
                .where(
                    _anchor.c.conversation == conversation, _anchor.c.id < 0,
                    or_(_anchor.c.state == 0, _closed_in(first_idx, last_idx)),
                    ~_anchor.c.node_idx.between(first_idx, last_idx),
                )
                .order_by(_anchor.c.id)
                .limit(MODEL_CANDIDATES)
            )  # fmt: skip
            return rules, [replace(anchor_record(row), state=AnchorState.ACTIVE, related=None) for row in rows]

    def commit_refined(self, refined: Refined) -> bool:
        """Write a model's text and end the job; False when the segments changed meanwhile."""
        try:
            with transaction(self._engine) as connection:
                _write(connection, refined, self.target)
        except _Changed:
            # A reply that came after the change may quote the old text.
            with transaction(self._engine) as connection:
                sql_removals.drop_replies(connection, refined.claim.owner.conversation)
            return False
        except _Lost:
            return False
        return True

    def remains(self, conversation: ConversationId, height: int, idx: int) -> Remains | None:
        """Read the record of a node; None unless all of its turns were removed."""
        with transaction(self._read_engine) as connection:
            return read_remains(connection, conversation, height, idx)

    def commit_reconstruction(self, remains: Remains, text: str, *, model: str, prompt_version: str) -> bool:
        """Store a reconstruction of removed turns; False when the node changed meanwhile."""
        node = remains.kept.node
        with transaction(self._engine) as connection:
            guarded = update(_conversation).where(
                _conversation.c.id == remains.owner.conversation,
                _conversation.c.edit_revision == remains.edit_revision,
            ).values(revision=_conversation.c.revision + 1)  # fmt: skip
            if not connection.execute(guarded).rowcount:
                return False
            row = {
                "conversation": remains.owner.conversation, "height": node.height, "idx": node.idx, "level": 0,
                "refined": 1, "body": text, "model": model, "prompt_version": prompt_version,
                "source_hash": remains.source_hash,
            }  # fmt: skip
            connection.execute(insert_new(connection, _level).values(row).on_conflict_do_nothing())
            return True


def _closed_in(first_idx: int, last_idx: int) -> ColumnElement[bool]:
    """Match a model's anchors that were ended by its anchors in some segments, which are about to be rewritten."""
    ids = _anchor.c.related.between(first_of_model(last_idx + 1) + 1, first_of_model(first_idx))
    return and_(_anchor.c.id < 0, _anchor.c.settled_after.is_(None), ids)


def _write(connection: Connection, refined: Refined, target: RefineTarget) -> None:
    conversation = refined.claim.owner.conversation
    guarded = connection.execute(
        update(_conversation)
        .where(_conversation.c.id == conversation, _conversation.c.edit_revision == refined.edit_revision)
        .values(revision=_conversation.c.revision + 1, updated_at=func.current_timestamp())
    )
    if not guarded.rowcount:
        raise _Changed
    if not sql_refine_jobs.finish(connection, refined.claim, JobState.DONE):
        raise _Lost
    if refined.anchors is not None:
        _write_anchors(connection, conversation, refined, refined.anchors, target)
    if refined.nodes is not None:
        written = {(node.source.node.height, node.source.node.idx): node for node in refined.nodes}
        with sql_refined_turns.recounted(connection, conversation, *_segments(refined)):
            for source in refined.covers:
                place = source.node.height, source.node.idx
                _write_node(connection, conversation, source, written.get(place), target)
        sql_access.tell_again(connection, conversation)
        sql_outlines.put_models(connection, conversation)
    _go_on(connection, refined.claim, target)


def _segments(refined: Refined) -> tuple[int, int]:
    """Return the first and last written segment; an empty range for a chapter."""
    numbers = [source.node.idx for source in refined.covers if source.node.height == 0]
    return (numbers[0], numbers[-1]) if numbers else (0, -1)


def _go_on(connection: Connection, claim: RefineClaim, target: RefineTarget) -> None:
    """Add the job of the chapter once all its segments are done."""
    if claim.chapter is None:
        sql_refine_jobs.add_chapter(connection, claim.owner.conversation, target, claim.subject // FAN_OUT)


def _write_node(
    connection: Connection, conversation: ConversationId, source: NodeSource, written: AcceptedNode | None,
    target: RefineTarget,
) -> None:  # fmt: skip
    node = source.node
    connection.execute(
        delete(_level).where(
            _level.c.conversation == conversation, _level.c.height == node.height, _level.c.idx == node.idx,
            _level.c.refined == 1, _level.c.level > 0,
        )
    )  # fmt: skip
    model, prompt = target.extract_model, target.extract_prompt
    if node.height:
        model, prompt = target.summarize_model, target.summarize_prompt
    provenance = {"model": model, "prompt_version": prompt, "source_hash": source.source_hash}
    notes = () if written is None else written.notes
    sql_model_notes.replace(connection, conversation, node.height, node.idx, notes, **provenance)
    levels = {} if written is None else written.levels
    sizes = {} if written is None else written.tokens
    if levels:
        connection.execute(
            _level.insert(),
            [
                {
                    "conversation": conversation, "height": node.height, "idx": node.idx, "level": level, "refined": 1,
                    "body": body, **provenance,
                }
                for level, body in sorted(levels.items())
            ],
        )  # fmt: skip
    connection.execute(
        update(_node)
        .where(_node.c.conversation == conversation, _node.c.height == node.height, _node.c.idx == node.idx)
        .values(
            refined=sum(1 << level for level in levels),
            **{f"refined_tokens_{level}": sizes.get(level, 0) for level in (1, 2, 3)},
        )
    )


def _write_anchors(
    connection: Connection, conversation: ConversationId, refined: Refined, anchors: Sequence[Anchor],
    target: RefineTarget,
) -> None:  # fmt: skip
    segments = refined.covers
    places = segments[0].node.idx, segments[-1].node.idx
    mine = (
        _anchor.c.conversation == conversation, _anchor.c.id < 0,
        _anchor.c.node_idx.between(*places),
    )  # fmt: skip
    settled = connection.execute(
        select(_anchor.c.seq, _anchor.c.start_offset, _anchor.c.end_offset, *_SETTLED).where(
            *mine, _anchor.c.settled_after.is_not(None)
        )
    ).all()
    connection.execute(delete(_anchor).where(*mine))
    sql_anchors.unmark_over(connection, conversation, range(places[0], places[1] + 1))
    connection.execute(
        update(_anchor).where(_anchor.c.conversation == conversation, _closed_in(*places)).values(state=0, related=None)
    )
    if anchors:
        provenance = {"refined": 1, "model": target.extract_model, "prompt_version": target.extract_prompt}
        connection.execute(
            _anchor.insert(), [{**sql_anchors.anchor_row(conversation, anchor), **provenance} for anchor in anchors]
        )
    for row in settled:
        # A quote that is found again stays as a person settled it.
        same = (_anchor.c.seq == row.seq, _anchor.c.start_offset == row.start_offset)
        values = {column.name: getattr(row, column.name) for column in _SETTLED}
        connection.execute(update(_anchor).where(*mine, *same, _anchor.c.end_offset == row.end_offset).values(values))
    sql_anchors.mark_hidden(connection, conversation, refined.filler, refined.told, *places)
    dismissed = {
        (row.seq, row.start_offset, row.end_offset) for row in settled if STATES[row.state] is AnchorState.DISMISSED
    }
    sql_anchors.mark_over(connection, conversation, _over(anchors, refined.overtaken, dismissed))
    sql_anchors.change_anchors(connection, conversation, [change for change in refined.changes if change.id < 0])
    sql_anchors.count_model_anchors(connection, conversation)


def _over(
    anchors: Sequence[Anchor], overtaken: Sequence[AcceptedOvertaking], dismissed: AbstractSet[tuple[int, int, int]]
) -> dict[int, list[int]]:
    """Return the ids of ended anchors of the rules, by the segment that ended them.

    Anchors that a person dismissed end nothing.
    """
    places = {(anchor.turn_seq, anchor.start, anchor.end): anchor.node_idx for anchor in anchors}
    since: dict[int, list[int]] = {}
    for overtaking in overtaken:
        draft = overtaking.draft
        place = draft.turn_seq, draft.start, draft.end
        if place not in dismissed:
            since.setdefault(places[place], []).extend(overtaking.over)
    return since
