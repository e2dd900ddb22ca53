"""The SQL store: each step of a use case as one transaction, on the write engine or the read engine."""

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
"""Postponed folds that one sweep makes due."""
MOST_UNTOLD: Final = 1_000
"""Claims that are remembered through an outage; beyond them, tries stay counted."""


_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def _step(
    function: Callable[Concatenate[Connection, _Arguments], _Result], *, writes: bool = False
) -> Callable[Concatenate[SqlStore, _Arguments], _Result]:
    """Make a method that calls a function with a transaction of the read engine, or of the write engine."""

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
        """With a `refine_target`, a fold adds refine jobs for groups of closed segments in its transaction."""
        self._engine = engine
        self._read_engine = read_engine
        """For consistent reads without locks."""
        self._attempts = attempts
        self._refine_target = refine_target
        self._group = refine_target.segments if refine_target else FAN_OUT
        """Number of segments that a model refines together."""
        self._reached = dict.fromkeys(JobKind, "")
        """The tenant served last, per kind: the next search for due jobs continues after it."""
        self._untold: dict[str, ColumnElement[bool]] = {}
        """Claims that an outage kept from being given back: token -> job."""
        self._ids = ConversationIds()
        self._lease = int(lease_seconds * 1_000)
        self._fold_due = fold_due
        self._longest = fold_due.longest_milliseconds

    @contextmanager
    def _claiming(self, job: ColumnElement[bool]) -> Iterator[tuple[Connection, str]]:
        """Open a transaction with a new token, which first gives back claims that an outage ended."""
        token, untold = str(uuid.uuid4()), dict(self._untold)
        # The claim may have been committed without a reply.
        with self._giving_back(job, token, failed=False) as connection:
            for earlier, its_job in untold.items():
                sql_jobs.give_back(connection, its_job, earlier)
            yield connection, token
        for earlier in untold:
            # Another thread may have given back the claim meanwhile.
            self._untold.pop(earlier, None)

    @contextmanager
    def _giving_back(self, job: ColumnElement[bool], token: str, *, failed: bool) -> Iterator[Connection]:
        """Open a transaction that ends a claim. After an outage the next claim ends it, unless its try failed."""
        try:
            with transaction(self._engine) as connection:
                yield connection
        except Retryable:
            if not failed and len(self._untold) < MOST_UNTOLD:
                self._untold[token] = job
            raise

    def resolve(self, addresses: Sequence[Address]) -> list[ConversationId]:
        """Return ids of conversations, creating missing ones."""
        found = self._ids.of(addresses)
        if missing := [address for address in addresses if address not in found]:
            with transaction(self._engine) as connection:
                looked_up = list(zip(missing, sql_turns.resolve(connection, missing), strict=True))
            self._ids.remember(looked_up)
            found |= dict(looked_up)
        return [found[address] for address in addresses]

    def discard_unused(self, conversations: Sequence[ConversationId]) -> None:
        """Delete conversations that never had content: created for an inbox that was forgotten before it was read."""
        self._ids.forget(conversations)
        with transaction(self._engine) as connection:
            sql_turns.discard_unused(connection, conversations)

    def store(self, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
        """Store received entries, all or nothing, in order; repeated entries change nothing."""
        with transaction(self._engine) as connection:
            result = sql_received.store(
                connection, batches, group=self._group, due=self._fold_due, address_of=self._ids.address_of
            )
        self._ids.forget(result.missing)
        return result

    def claim_fold(self, conversation: ConversationId) -> FoldClaim | None:
        """Claim a fold job and count the try; None when there is nothing to do or another worker has it."""
        with self._claiming(sql_jobs.fold_job(conversation)) as (connection, token):
            return sql_fold_claims.claim(connection, conversation, token, lease_milliseconds=self._lease)

    def claim_folds(self, hurried: ConversationId | None) -> FoldClaims:
        """Claim some of the due fold jobs, tenant by tenant; `hurried` becomes due now.

        A job that was tried before is taken alone, and its try counted; others are counted when they fail.
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
                # Otherwise other workers took the jobs found, and the tenants' order stays as it was.
                self._reached[JobKind.COMPRESS] = tenant
            # The search did not cover tenants up to the one served last, nor backfill jobs.
            return FoldClaims(claims, more=len(claims) < len(due) or self._has_due(connection, JobKind.COMPRESS))

    def tail(self, conversation: ConversationId, most: int) -> Tail | None:
        """Read the state to fold from; None when the conversation is gone."""
        with transaction(self._read_engine) as connection:
            found = sql_folds.tail(connection, conversation, most)
            if found is None:
                return None
            memos = sql_turn_memos.load(connection, conversation)
            return replace(found, frame=sql_outlines.frame(connection, conversation), memos=memos)

    def commit_fold(self, claim: FoldClaim, fold: Fold) -> bool:
        """Write a closed segment; False when the conversation's state has changed since it was read."""
        with transaction(self._engine) as connection:
            return sql_folds.commit(connection, fold, claim.claim, self._refine_target, lease_milliseconds=self._lease)

    def finish_fold(self, claim: FoldClaim, seen: Tail, outline: Outline, *, frame_only: bool) -> bool:
        """Replace the outline (`frame_only`: its frame alone), record that all turns were folded, and end the job.

        False when the conversation has changed and the job is still ours: the fold has to continue.
        """
        with transaction(self._engine) as connection:
            if not sql_folds.record_seen(connection, seen):
                return not sql_jobs.is_ours(connection, claim)
            sql_outlines.write(connection, seen.conversation, outline, frame_only=frame_only)
            sql_turn_memos.keep(connection, seen)
            sql_jobs.finish(connection, claim)
            return True

    def record_progress(self, seen: Tail, outline: Outline) -> None:
        """Replace the outline by one of the closed segments, if the conversation's state is unchanged."""
        with transaction(self._engine) as connection:
            if sql_folds.record_closed(connection, seen):
                sql_outlines.write(connection, seen.conversation, outline, frame_only=False)

    def release_fold(self, claim: FoldClaim, *, error: str | None, delay_seconds: float) -> None:
        """Give the job back, due after `delay_seconds`."""
        job = sql_jobs.fold_job(claim.conversation)
        with self._giving_back(job, claim.claim, failed=error is not None) as connection:
            # A longer delay would look like one from before the clock was set back.
            delay = int(min(delay_seconds * 1_000, self._longest))
            sql_jobs.release(connection, claim, error=error, delay_milliseconds=delay)

    def return_folds(self, claims: Sequence[FoldClaim]) -> None:
        """Give back jobs that were claimed together but not begun: they keep their places."""
        if not claims:
            return
        with self._giving_back(sql_jobs.RUNNING_FOLD, claims[0].claim, failed=False) as connection:
            sql_fold_claims.give_back_untouched(connection, claims)

    def ripen(self) -> None:
        """Make postponed folds due whose time has come; park refold jobs whose workers died as often as allowed."""
        with transaction(self._engine) as connection:
            sql_overdue.ripen(connection, MOST_RIPENED, longest_milliseconds=self._fold_due.idle_milliseconds)
            sql_jobs.park_killers(connection, lease_milliseconds=self._lease, round_of=self._attempts)
            sql_jobs.give_second_rounds(connection, round_of=self._attempts)

    def has_due(self, kind: JobKind) -> bool:
        """Whether any job is due or was left by a dead worker."""
        with transaction(self._read_engine) as connection:
            return self._has_due(connection, kind)

    def _has_due(self, connection: Connection, kind: JobKind) -> bool:
        return sql_overdue.is_any_due(
            connection, kind, lease_milliseconds=self._lease, longest_milliseconds=self._longest
        )

    def _due(self, connection: Connection, kind: JobKind, most: int) -> tuple[list[JobId], str]:
        """Return due jobs of tenants after the one served last, else of all, and the tenant reached."""
        return sql_overdue.due_in_turn(
            connection, kind, most, after=self._reached[kind], lease_milliseconds=self._lease,
            longest_milliseconds=self._longest,
        )  # fmt: skip

    def claim_refold(self) -> RefoldClaim | None:
        """Claim the next due refold job, tenant by tenant, and count the try; None when there is none."""
        with self._claiming(sql_jobs.RUNNING_REFOLD) as (connection, token):
            # No worker may claim these, and each search would find them first.
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
        """Replace a segment and end the job; False when the conversation's state has changed since it was read."""
        with transaction(self._engine) as connection:
            return sql_refolds.commit(connection, refold, self._refine_target)

    def release_refold(self, claim: RefoldClaim, *, error: str | None) -> None:
        """Park the job with its error; without one give it back, and do not count the try."""
        job = sql_jobs.refold_job(claim.job)
        with self._giving_back(job, claim.claim, failed=error is not None) as connection:
            sql_jobs.release_refold(connection, claim, error=error)

    def count_expansions(self, expansions: Expansions) -> None:
        """Count expansions; does nothing when the conversation was forgotten."""
        with transaction(self._engine) as connection:
            expanded = sql_access.count(connection, expansions)
            if self._refine_target is not None:
                sql_refine_jobs.reprioritize(connection, expansions.conversation, self._refine_target, expanded)

    def shorten_log(self) -> bool:
        """Empty the database's log if it is long and ours to empty; False while reads are in the way."""
        return sql_erasures.shorten_log(self._engine)

    def empty_log(self) -> bool:
        """Empty the database's log of erased text, if it is ours to empty; False while reads are in the way."""
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
