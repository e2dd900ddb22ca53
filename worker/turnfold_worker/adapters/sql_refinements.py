"""Refining in SQL: `model_ports.RefineStore`, each method one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection, Engine, delete, func, select, update

from turnfold.contract.records import FAN_OUT, Anchor, ConversationId, JobId, Method, TurnState
from turnfold.contract.tables import AnchorRow, ConversationRow, LevelRow, NodeRow, TurnRow, table
from turnfold.contract.tasks import JobState
from turnfold.rows import anchor_record, rules_node_record, turn_record
from turnfold.statements import ANCHOR_COLUMNS, turn_columns
from turnfold_worker.adapters import sql_folds, sql_jobs, sql_refine_jobs
from turnfold_worker.adapters.sql_errors import transaction
from turnfold_worker.adapters.sql_turns import insert_new
from turnfold_worker.compress import settings_at
from turnfold_worker.model_ports import Group, Owner, RefineClaim, Refined, RefineTarget, Remains, WrittenNode
from turnfold_worker.pipeline.reconstruction import Kept
from turnfold_worker.pipeline.refinement import NodeSource, RefineSource, open_at

EARLIER_ANCHORS: Final = 256
"""Anchors before a group that are looked at for the few that are shown."""
MODEL_CANDIDATES: Final = 64

_conversation = table(ConversationRow)
_node = table(NodeRow)
_level = table(LevelRow)
_anchor = table(AnchorRow)
_turn = table(TurnRow)


class _Lost(Exception):  # noqa: N818 - no error: it rolls a transaction back
    """The job is no longer ours."""


class SqlRefinements:
    """Implements `model_ports.RefineStore` for SQLite and PostgreSQL."""

    def __init__(
        self, engine: Engine, *, read_engine: Engine, target: RefineTarget, lease_seconds: float,
        republish_seconds: float, attempts: int,
    ) -> None:  # fmt: skip
        self._engine = engine
        self._read_engine = read_engine
        self.target = target
        self._lease = int(lease_seconds * 1_000)
        self._republish = int(republish_seconds * 1_000)
        self._attempts = attempts
        self._reached = ""

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with transaction(self._engine) as connection:
            yield connection

    def due_refines(self, most: int) -> list[JobId]:
        """Jobs that are due or whose lease lapsed, few of each tenant; they count as published from now on."""
        with self._transaction() as connection:
            sql_refine_jobs.park_killers(connection, lease_milliseconds=self._lease, attempts=self._attempts)
        with transaction(self._read_engine) as connection:
            found, self._reached = sql_refine_jobs.overdue(
                connection, most, after=self._reached, lease_milliseconds=self._lease
            )
        if not found:
            return []
        with self._transaction() as connection:
            due = sql_jobs.put_off(
                connection, found, lease_milliseconds=self._lease, republish_milliseconds=self._republish,
                longest_milliseconds=int(sql_refine_jobs.LONGEST_DELAY_SECONDS * 1_000),
            )  # fmt: skip
        order = {job: place for place, job in enumerate(found)}
        return sorted((job for job, _ in due), key=lambda job: order[job])

    def claim_refine(self, job: JobId) -> RefineClaim | None:
        with self._transaction() as connection:
            return sql_refine_jobs.claim(connection, job, lease_milliseconds=self._lease)

    def renew_refine(self, claim: RefineClaim) -> bool:
        with self._transaction() as connection:
            return sql_refine_jobs.renew(connection, claim, lease_milliseconds=self._lease)

    def release_refine(
        self, claim: RefineClaim, *, error: str | None, delay_seconds: float, counted: bool, park: bool
    ) -> None:
        with self._transaction() as connection:
            sql_refine_jobs.release(
                connection, claim, error=error, delay_seconds=delay_seconds, counted=counted, park=park
            )

    def skip_refine(self, claim: RefineClaim) -> None:
        with self._transaction() as connection:
            sql_refine_jobs.finish(connection, claim, JobState.SKIPPED)

    def group(self, claim: RefineClaim) -> Group | None:
        with transaction(self._read_engine) as connection:
            return read_group(connection, claim.owner.conversation, self.target, claim.first_idx)

    def refine_candidates(
        self, conversation: ConversationId, terms: Sequence[str], *, first_idx: int, last_idx: int
    ) -> tuple[list[Anchor], list[Anchor]]:
        with transaction(self._read_engine) as connection:
            rules = sql_folds.candidates(connection, conversation, terms) if terms else []
            rows = connection.execute(
                select(*ANCHOR_COLUMNS)
                .where(
                    _anchor.c.conversation == conversation, _anchor.c.id < 0, _anchor.c.state == 0,
                    ~_anchor.c.node_idx.between(first_idx, last_idx),
                )
                .order_by(_anchor.c.id)
                .limit(MODEL_CANDIDATES)
            )  # fmt: skip
            return rules, [anchor_record(row) for row in rows]

    def commit_refined(self, refined: Refined) -> bool:
        try:
            with self._transaction() as connection:
                _write(connection, refined, self.target)
        except _Lost:
            return False
        return True

    def remains(self, conversation: ConversationId, height: int, idx: int) -> Remains | None:
        with transaction(self._read_engine) as connection:
            return read_remains(connection, conversation, height, idx)

    def commit_reconstruction(self, remains: Remains, text: str, *, model: str, prompt_version: str) -> bool:
        node = remains.kept.node
        with self._transaction() as connection:
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


def read_group(
    connection: Connection, conversation: ConversationId, target: RefineTarget, first_idx: int
) -> Group | None:
    """The group of a segment; None when it is not complete any more."""
    first, last = sql_refine_jobs.last_of(target, first_idx)
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation)).first()
    nodes = _nodes(connection, conversation, 0, first, last)
    if row is None or len(nodes) != target.segments:
        return None
    first_seq, last_seq = nodes[0].node.first_seq, nodes[-1].node.last_seq
    turns = [
        turn_record(turn)
        for turn in connection.execute(
            select(*turn_columns(capped=False))
            .where(_turn.c.conversation == conversation, _turn.c.seq.between(first_seq, last_seq))
            .order_by(_turn.c.seq)
        )
    ]
    settings = settings_at(sql_folds.configurations(connection, conversation, last_seq - 1), last_seq)
    anchors = _rules_anchors(connection, conversation, _anchor.c.seq.between(first_seq, last_seq))
    earlier = _rules_anchors(connection, conversation, _anchor.c.seq < first_seq, most=EARLIER_ANCHORS)
    node_of = _nodes_of_related(connection, conversation, [*anchors, *earlier])
    chapter = None
    if sql_refine_jobs.completes_chapter(last):
        chapter = next(iter(_nodes(connection, conversation, 1, last // FAN_OUT, last // FAN_OUT)), None)
    source = RefineSource(
        goal=settings.goal, constraints=settings.constraints,
        segments=tuple(
            replace(node, turns=tuple(turns[node.node.first_seq - first_seq : node.node.last_seq - first_seq + 1]))
            for node in nodes
        ),
        anchors=tuple(sorted(anchors, key=lambda one: (one.turn_seq, one.start, one.id))),
        marked=tuple(open_at(anchors, last, node_of)),
        earlier=tuple(sorted(open_at(earlier, last, node_of), key=lambda one: (-one.rank, -one.id))),
        chapter=chapter, briefs=_briefs(connection, conversation, first),
    )  # fmt: skip
    return Group(source=source, settings=settings, edit_revision=row.edit_revision)


def _nodes(
    connection: Connection, conversation: ConversationId, height: int, first: int, last: int
) -> list[NodeSource]:
    rows = connection.execute(
        select(_node)
        .where(_node.c.conversation == conversation, _node.c.height == height, _node.c.idx.between(first, last))
        .order_by(_node.c.idx)
    )
    return [
        NodeSource(
            node=rules_node_record(row), method=Method(row.method), facts=row.facts, source_hash=bytes(row.source_hash)
        )
        for row in rows
    ]


def _rules_anchors(
    connection: Connection, conversation: ConversationId, *conditions: Any, most: int | None = None
) -> list[Anchor]:
    rows = connection.execute(
        select(*ANCHOR_COLUMNS)
        .where(_anchor.c.conversation == conversation, sql_folds.RULES, *conditions)
        .order_by(_anchor.c.id.desc())
        .limit(most)
    )
    return [anchor_record(row) for row in rows]


def _nodes_of_related(
    connection: Connection, conversation: ConversationId, anchors: Sequence[Anchor]
) -> Mapping[int, int]:
    ids = sorted({anchor.related for anchor in anchors if anchor.related is not None})
    rows = connection.execute(
        select(_anchor.c.id, _anchor.c.node_idx).where(_anchor.c.conversation == conversation, _anchor.c.id.in_(ids))
    )
    return {row.id: row.node_idx for row in rows}


def _briefs(connection: Connection, conversation: ConversationId, first: int) -> tuple[str, ...]:
    """Level 2 of the segments between the chapter's beginning and the group's."""
    rows = connection.execute(
        select(_level.c.body)
        .where(
            _level.c.conversation == conversation, _level.c.height == 0, _level.c.level == 2, _level.c.refined == 0,
            _level.c.idx.between(first // FAN_OUT * FAN_OUT, first - 1),
        )
        .order_by(_level.c.idx)
    )  # fmt: skip
    return tuple(rows.scalars())


def _write(connection: Connection, refined: Refined, target: RefineTarget) -> None:
    conversation, source = refined.claim.owner.conversation, refined.group.source
    guarded = connection.execute(
        update(_conversation)
        .where(_conversation.c.id == conversation, _conversation.c.edit_revision == refined.group.edit_revision)
        .values(revision=_conversation.c.revision + 1, updated_at=func.current_timestamp())
    )
    if not guarded.rowcount or not sql_refine_jobs.finish(connection, refined.claim, JobState.DONE):
        raise _Lost
    if refined.nodes is not None:
        chapter = [source.chapter] if source.chapter is not None else []
        written = {(one.source.node.height, one.source.node.idx): one for one in refined.nodes}
        for node in (*source.segments, *chapter):
            _write_node(connection, conversation, node, written.get((node.node.height, node.node.idx)), target)
    if refined.anchors is not None:
        _write_anchors(connection, conversation, refined, refined.anchors, target)


def _write_node(
    connection: Connection, conversation: ConversationId, source: NodeSource, written: WrittenNode | None,
    target: RefineTarget,
) -> None:  # fmt: skip
    node = source.node
    connection.execute(
        delete(_level).where(
            _level.c.conversation == conversation, _level.c.height == node.height, _level.c.idx == node.idx,
            _level.c.refined == 1, _level.c.level > 0,
        )
    )  # fmt: skip
    levels = {} if written is None else written.levels
    sizes = {} if written is None else written.tokens
    if levels:
        connection.execute(
            _level.insert(),
            [
                {
                    "conversation": conversation, "height": node.height, "idx": node.idx, "level": level, "refined": 1,
                    "body": body, "model": target.summarize_model, "prompt_version": target.summarize_prompt,
                    "source_hash": source.source_hash,
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
    segments = refined.group.source.segments
    connection.execute(
        delete(_anchor).where(
            _anchor.c.conversation == conversation, _anchor.c.id < 0,
            _anchor.c.node_idx.between(segments[0].node.idx, segments[-1].node.idx),
        )
    )  # fmt: skip
    if anchors:
        provenance = {"refined": 1, "model": target.extract_model, "prompt_version": target.extract_prompt}
        connection.execute(
            _anchor.insert(), [{**sql_folds.anchor_row(conversation, anchor), **provenance} for anchor in anchors]
        )
    sql_folds.change_anchors(connection, conversation, [change for change in refined.changes if change.id < 0])
    count_model_anchors(connection, conversation)


def count_model_anchors(connection: Connection, conversation: ConversationId) -> None:
    """Note how many active anchors are a model's: a read tells how many there are in all."""
    mine = (_anchor.c.conversation == conversation, _anchor.c.id < 0, _anchor.c.state == 0)
    connection.execute(
        update(_conversation)
        .where(_conversation.c.id == conversation)
        .values(
            refined_anchors=select(func.count()).select_from(_anchor).where(*mine).scalar_subquery(),
            refined_anchor_tokens=select(func.coalesce(func.sum(_anchor.c.tokens), 0)).where(*mine).scalar_subquery(),
        )
    )


def read_remains(connection: Connection, conversation: ConversationId, height: int, idx: int) -> Remains | None:
    """What the rules keep of a node; None while any of its turns still has its words."""
    row = connection.execute(select(_conversation).where(_conversation.c.id == conversation)).first()
    found = _nodes(connection, conversation, height, idx, idx)
    if row is None or not found:
        return None
    (source,) = found
    inside = (
        _turn.c.conversation == conversation, _turn.c.seq.between(source.node.first_seq, source.node.last_seq),
    )  # fmt: skip
    whole = connection.scalar(
        select(func.count()).select_from(_turn).where(*inside, _turn.c.state == int(TurnState.STORED))
    )
    levels = {
        row.level: row.body
        for row in connection.execute(
            select(_level.c.level, _level.c.body).where(
                _level.c.conversation == conversation, _level.c.height == height, _level.c.idx == idx,
                _level.c.refined == 0,
            )
        )
    }  # fmt: skip
    if whole:
        return None
    turns = connection.execute(select(*turn_columns(capped=False)).where(*inside).order_by(_turn.c.seq).limit(200))
    kept = Kept(
        node=source.node, levels=levels, facts=source.facts, turns=[turn_record(turn) for turn in turns],
        anchors=_rules_anchors(
            connection, conversation, _anchor.c.seq.between(source.node.first_seq, source.node.last_seq), most=100
        )[::-1],
    )  # fmt: skip
    return Remains(
        owner=Owner(conversation, row.tenant), kept=kept, source_hash=source.source_hash,
        edit_revision=row.edit_revision,
    )  # fmt: skip
