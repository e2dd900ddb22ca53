"""The SQL store: each step of a use case as one transaction on the write engine, or a look on the read engine."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine

from turnfold.contract.access import Expansions
from turnfold.contract.keys import Address
from turnfold.contract.outlines import Outline
from turnfold.contract.records import FAN_OUT, ConversationId, JobId
from turnfold.contract.tasks import JobKind
from turnfold_worker.adapters.sql import access as sql_access
from turnfold_worker.adapters.sql import anchors as sql_anchors
from turnfold_worker.adapters.sql import dropped_postings as sql_dropped_postings
from turnfold_worker.adapters.sql import erasures as sql_erasures
from turnfold_worker.adapters.sql import fold_claims as sql_fold_claims
from turnfold_worker.adapters.sql import folds as sql_folds
from turnfold_worker.adapters.sql import jobs as sql_jobs
from turnfold_worker.adapters.sql import outlines as sql_outlines
from turnfold_worker.adapters.sql import overdue as sql_overdue
from turnfold_worker.adapters.sql import received as sql_received
from turnfold_worker.adapters.sql import refine_jobs as sql_refine_jobs
from turnfold_worker.adapters.sql import refolds as sql_refolds
from turnfold_worker.adapters.sql import repeats as sql_repeats
from turnfold_worker.adapters.sql import rules_guard as sql_rules_guard
from turnfold_worker.adapters.sql import turn_memos as sql_turn_memos
from turnfold_worker.adapters.sql import turns as sql_turns
from turnfold_worker.adapters.sql import vectors as sql_vectors
from turnfold_worker.adapters.sql.conversation_ids import ConversationIds
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.turns import FoldDue
from turnfold_worker.errors import Retryable
from turnfold_worker.ports.messages import (
    Fold,
    FoldClaim,
    FoldClaims,
    Received,
    Refold,
    RefoldClaim,
    StoreResult,
    Tail,
)
from turnfold_worker.ports.models import RefineTarget

MOST_RIPENED: Final = 2_000
"""Folds whose time has come that one sweep makes due."""
MOST_UNTOLD: Final = 1_000
"""Claims that are remembered through an outage; of further ones the tries stay counted."""


_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def _step(
    function: Callable[Concatenate[Connection, _Arguments], _Result], *, writes: bool = False
) -> Callable[Concatenate[SqlStore, _Arguments], _Result]:
    """A method that calls a function with a transaction of the read engine, or of the write engine."""

    def step(store: SqlStore, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        with transaction(store._engine if writes else store._read_engine) as connection:  # noqa: SLF001 - a method
            return function(connection, *arguments, **named)

    return step


class SqlStore:
    """The SQL side of the use cases, for SQLite and PostgreSQL. Every method is one transaction."""

    def __init__(
        self,
        engine: Engine,
        *,
        read_engine: Engine,
        lease_seconds: float,
        fold_due: FoldDue,
        attempts: int,
        refine_target: RefineTarget | None,
    ) -> None:
        """With a `refine_target`, groups of closed segments get their refine jobs in the fold's transaction."""
        self._engine = engine
        self._read_engine = read_engine
        """For consistent looks that take no lock."""
        self._attempts = attempts
        self._refine_target = refine_target
        self._group = refine_target.segments if refine_target else FAN_OUT
        """Segments that a model refines together."""
        self._reached = dict.fromkeys(JobKind, "")
        """The tenant that was served last: the next look for due jobs goes on behind it."""
        self._untold: dict[str, ColumnElement[bool]] = {}
        """Claims that an outage ended and that could not be given back then: token -> job."""
        self._ids = ConversationIds()
        self._lease = int(lease_seconds * 1_000)
        self._fold_due = fold_due
        self._longest = fold_due.longest_milliseconds

    @contextmanager
    def _claiming(self, job: ColumnElement[bool]) -> Iterator[tuple[Connection, str]]:
        """A transaction with a new token, in which claims that an outage ended are given back first."""
        token, untold = str(uuid.uuid4()), dict(self._untold)
        # It may have been committed though nobody said so.
        with self._giving_back(job, token, failed=False) as connection:
            for earlier, its_job in untold.items():
                sql_jobs.give_back(connection, its_job, earlier)
            yield connection, token
        for earlier in untold:
            # Another thread may have given it back meanwhile.
            self._untold.pop(earlier, None)

    @contextmanager
    def _giving_back(self, job: ColumnElement[bool], token: str, *, failed: bool) -> Iterator[Connection]:
        """A transaction that ends a claim. Unless its try failed, an outage lets the next claim end it."""
        try:
            with transaction(self._engine) as connection:
                yield connection
        except Retryable:
            if not failed and len(self._untold) < MOST_UNTOLD:
                self._untold[token] = job
            raise

    def resolve(self, addresses: Sequence[Address]) -> list[ConversationId]:
        """Ids of conversations, made where there are none."""
        found = self._ids.of(addresses)
        if missing := [address for address in addresses if address not in found]:
            with transaction(self._engine) as connection:
                looked_up = list(zip(missing, sql_turns.resolve(connection, missing), strict=True))
            self._ids.remember(looked_up)
            found |= dict(looked_up)
        return [found[address] for address in addresses]

    def discard_unused(self, conversations: Sequence[ConversationId]) -> None:
        """Delete those that never held anything: made for an inbox that was forgotten before it could be read."""
        self._ids.forget(conversations)
        with transaction(self._engine) as connection:
            sql_turns.discard_unused(connection, conversations)

    def store(self, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
        """Store what was received, all or nothing, in order; repeats change nothing."""
        with transaction(self._engine) as connection:
            result = sql_received.store(
                connection, batches, group=self._group, due=self._fold_due, address_of=self._ids.address_of
            )
        self._ids.forget(result.missing)
        return result

    def claim_fold(self, conversation: ConversationId) -> FoldClaim | None:
        """Take the fold job and count the attempt; None when there is nothing to do or another has it."""
        with self._claiming(sql_jobs.fold_job(conversation)) as (connection, token):
            return sql_fold_claims.claim(connection, conversation, token, lease_milliseconds=self._lease)

    def claim_folds(self, hurried: ConversationId | None) -> FoldClaims:
        """Take some of the fold jobs that are due, tenant by tenant; `hurried` is due from now on.

        One that was tried before is taken alone, and its attempt counted; else it is counted when it fails.
        """
        with self._claiming(sql_jobs.RUNNING_FOLD) as (connection, token):
            if hurried is not None:
                sql_fold_claims.hurry(connection, hurried)
            most = sql_fold_claims.MOST_CLAIMED + 1
            due, _ = self._due(connection, JobKind.COMPRESS, most)
            if not due and sql_fold_claims.begin_backfill(connection):
                due, _ = self._due(connection, JobKind.COMPRESS, most)
            claims, tenant = sql_fold_claims.claim_together(connection, due, token, lease_milliseconds=self._lease)
            if claims:
                # Else others took what was found: whose turn it is stays as it was.
                self._reached[JobKind.COMPRESS] = tenant
            # Those of tenants up to the one that was served last were not looked for, nor those that may wait.
            return FoldClaims(claims, more=len(claims) < len(due) or self._has_due(connection, JobKind.COMPRESS))

    def tail(self, conversation: ConversationId, most: int) -> Tail | None:
        """The state to fold from; None when the conversation is gone."""
        with transaction(self._read_engine) as connection:
            found = sql_folds.tail(connection, conversation, most)
            if found is None:
                return None
            memos = sql_turn_memos.load(connection, conversation)
            return replace(found, frame=sql_outlines.frame(connection, conversation), memos=memos)

    def commit_fold(self, claim: FoldClaim, fold: Fold) -> bool:
        """Write a closed segment; False when the conversation is no longer in the state it was computed from."""
        with transaction(self._engine) as connection:
            return sql_folds.commit(connection, fold, claim.claim, self._refine_target, lease_milliseconds=self._lease)

    def finish_fold(self, claim: FoldClaim, seen: Tail, outline: Outline, *, frame_only: bool) -> bool:
        """Replace the outline (`frame_only`: of the open tail alone), and record that the segmenter has seen all.

        False when the conversation has moved on and the job is still ours: it is to be looked at again.
        """
        with transaction(self._engine) as connection:
            if not sql_folds.record_seen(connection, seen):
                return not sql_jobs.is_ours(connection, claim)
            sql_outlines.write(connection, seen.conversation, outline, frame_only=frame_only)
            sql_turn_memos.keep(connection, seen)
            sql_jobs.finish(connection, claim)
            return True

    def record_progress(self, seen: Tail, outline: Outline) -> None:
        """Replace the outline by one of the closed segments alone, if the conversation is still in that state."""
        with transaction(self._engine) as connection:
            if sql_folds.record_closed(connection, seen):
                sql_outlines.write(connection, seen.conversation, outline, frame_only=False)

    def release_fold(self, claim: FoldClaim, *, error: str | None, delay_seconds: float) -> None:
        """Give the job back, due after `delay_seconds`."""
        job = sql_jobs.fold_job(claim.conversation)
        with self._giving_back(job, claim.claim, failed=error is not None) as connection:
            # A job that is put off for longer looks like one from before a clock step.
            delay = int(min(delay_seconds * 1_000, self._longest))
            sql_jobs.release(connection, claim, error=error, delay_milliseconds=delay)

    def return_folds(self, claims: Sequence[FoldClaim]) -> None:
        """Give jobs back that were taken together and not begun: they keep their places."""
        if not claims:
            return
        with self._giving_back(sql_jobs.RUNNING_FOLD, claims[0].claim, failed=False) as connection:
            sql_fold_claims.give_back_untouched(connection, claims)

    def ripen(self) -> None:
        """Make due what was to be later and whose time has come; park jobs whose workers died as often as they may."""
        with transaction(self._engine) as connection:
            sql_overdue.ripen(connection, MOST_RIPENED, longest_milliseconds=self._fold_due.idle_milliseconds)
            sql_jobs.park_killers(connection, lease_milliseconds=self._lease, round_of=self._attempts)
            sql_jobs.give_second_rounds(connection, round_of=self._attempts)

    def has_due(self, kind: JobKind) -> bool:
        """Whether any job is due, or was left by a worker that died."""
        with transaction(self._read_engine) as connection:
            return self._has_due(connection, kind)

    def _has_due(self, connection: Connection, kind: JobKind) -> bool:
        return sql_overdue.is_any_due(
            connection, kind, lease_milliseconds=self._lease, longest_milliseconds=self._longest
        )

    def _due(self, connection: Connection, kind: JobKind, most: int) -> tuple[list[JobId], str]:
        """Jobs that are due, of tenants behind the one that was served last, else of all; and the tenant reached."""
        return sql_overdue.due_in_turn(
            connection, kind, most, after=self._reached[kind], lease_milliseconds=self._lease,
            longest_milliseconds=self._longest,
        )  # fmt: skip

    def claim_refold(self) -> RefoldClaim | None:
        """Take the next job that is due, tenant by tenant, and count the attempt; None when there is none."""
        with self._claiming(sql_jobs.RUNNING_REFOLD) as (connection, token):
            # Nobody may claim these, and each look would find them first.
            sql_jobs.park_killers(connection, lease_milliseconds=self._lease, round_of=self._attempts)
            for _ in range(sql_overdue.LOOKS):
                due, self._reached[JobKind.REFOLD] = self._due(connection, JobKind.REFOLD, 1)
                if not due:
                    break
                if newer := sql_rules_guard.of_newer(connection, due):
                    sql_rules_guard.leave_to_newer(connection, newer, lease_milliseconds=self._lease)
                    continue
                claimed = sql_jobs.claim_refold(
                    connection, due[0], token, lease_milliseconds=self._lease, round_of=self._attempts
                )
                if claimed is not None:
                    return claimed
        return None

    def commit_refold(self, refold: Refold) -> bool:
        """Replace a segment and end the job; False when the conversation is no longer in the computed state."""
        with transaction(self._engine) as connection:
            return sql_refolds.commit(connection, refold, self._refine_target)

    def release_refold(self, claim: RefoldClaim, *, error: str | None) -> None:
        """Park the job again with its error, or, without one, give it back with its attempt."""
        job = sql_jobs.refold_job(claim.job)
        with self._giving_back(job, claim.claim, failed=error is not None) as connection:
            sql_jobs.release_refold(connection, claim, error=error)

    def count_expansions(self, expansions: Expansions) -> None:
        """Count what was looked up; nothing when the conversation was forgotten."""
        with transaction(self._engine) as connection:
            expanded = sql_access.count(connection, expansions)
            if self._refine_target is not None:
                sql_refine_jobs.reprioritize(connection, expansions.conversation, self._refine_target, expanded)

    def shorten_log(self) -> bool:
        """Empty the database's log where it has grown long and is ours to empty; False while reads are in the way."""
        return sql_erasures.shorten_log(self._engine)

    def empty_log(self) -> bool:
        """Empty the database's log of what was erased, where that is ours to do; False while reads are in the way."""
        return sql_erasures.empty_log(self._engine)

    # Steps that are one function of a module, whose docstring says what it does.

    turn_vectors = _step(sql_vectors.turn_vectors)
    anchor_vectors = _step(sql_vectors.anchor_vectors)
    anchor_candidates = _step(sql_anchors.candidates)
    earlier_turns = _step(sql_repeats.earlier_turns)
    siblings = _step(sql_folds.siblings)
    node_sizes = _step(sql_outlines.sizes)
    node_notes = _step(sql_outlines.notes)
    settled_anchors = _step(sql_anchors.settled)
    user_turns = _step(sql_outlines.users)
    closed_segment = _step(sql_refolds.closed_segment)
    dropped_segment = _step(sql_dropped_postings.dropped_segment)

    keep_turn_vectors = _step(sql_vectors.keep_turn_vectors, writes=True)
    keep_anchor_vectors = _step(sql_vectors.keep_anchor_vectors, writes=True)
    write_again = _step(sql_dropped_postings.write_again, writes=True)
    hide = _step(sql_erasures.hide, writes=True)
    delete_some = _step(sql_erasures.delete_some, writes=True)
