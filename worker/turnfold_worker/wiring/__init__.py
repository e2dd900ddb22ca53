"""Build the worker from settings and adapters, once per process: connections do not survive a fork.

models     builds the parts for models; imported where a model is configured
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlalchemy import Engine

from turnfold.contract.records import ConversationId
from turnfold.contract.schema_range import writable
from turnfold.database.engines import database
from turnfold.database.reader import Reader
from turnfold.database.schema_check import check_engine
from turnfold.errors import InvalidSettings, SchemaMismatch, Unavailable
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters.redis.bell import RedisPublisher
from turnfold_worker.adapters.redis.inbox import RedisInbox
from turnfold_worker.adapters.redis.quota_board import RedisQuotaBoard
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder, check_installed
from turnfold_worker.adapters.sql.dropped_postings import SqlIdleSearch
from turnfold_worker.adapters.sql.retention import SqlRetention
from turnfold_worker.adapters.sql.store import SqlStore
from turnfold_worker.adapters.sql.tenant_quotas import SqlTenantQuotas
from turnfold_worker.adapters.sql.turns import FoldDue
from turnfold_worker.errors import StoreAway
from turnfold_worker.ports.storage import Inbox, Publisher, SentenceEmbedder
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.use_cases.drain import Drained, DrainLimits, drain
from turnfold_worker.use_cases.due_jobs import Folded, fold_due, refine_due, refold_due
from turnfold_worker.use_cases.erase import erase
from turnfold_worker.use_cases.expire_turns import expire
from turnfold_worker.use_cases.fold import CompressLimits, compress
from turnfold_worker.use_cases.search_rows import drop_idle, make_whole
from turnfold_worker.use_cases.sweep import Swept, sweep
from turnfold_worker.use_cases.tenant_quotas import publish

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.refinements import SqlRefinements
    from turnfold_worker.ports.models import LanguageModel, RefineTarget
    from turnfold_worker.use_cases.refine import Refining

EXPIRY_SECONDS = 10.0
"""How long one round of retention removes text before other work gets its turn; the next sweep goes on."""
LOCK_WAIT_SECONDS = 30.0
"""How long a writer waits for SQLite's lock: each holder needs milliseconds, but there may be many."""


@dataclass(frozen=True, slots=True)
class Worker:
    """The use cases with their dependencies."""

    settings: WorkerSettings
    inbox: Inbox
    store: SqlStore
    publisher: Publisher
    refinements: SqlRefinements | None = None
    """Refine jobs; None where nothing is refined."""
    refining: Refining | None = None
    """Dependencies of refining; None where no model is configured."""
    retention: SqlRetention | None = None
    idle_search: SqlIdleSearch | None = None
    quotas: SqlTenantQuotas | None = None
    quota_board: RedisQuotaBoard | None = None
    embedder: SentenceEmbedder | None = None

    def drain(self, *shards: int) -> Drained:
        limits = DrainLimits(
            conversations=self.settings.claim_conversations, turns=self.settings.batch_turns,
            slice_seconds=self.settings.slice_seconds,
        )  # fmt: skip
        drained = drain(
            shards, inbox=self.inbox, store=self.store, publisher=self.publisher, limits=limits, clock=time.monotonic
        )
        self.sweep_in_turn()
        return drained

    def compress(self, conversation: int) -> int:
        """Fold one conversation out of turn; return the number of segments closed."""
        return compress(
            ConversationId(conversation), store=self.store, limits=self._limits, clock=time.monotonic,
            embedder=self.embedder,
        )  # fmt: skip

    def fold_due(self, hurried: int | None = None) -> Folded:
        return fold_due(
            None if hurried is None else ConversationId(hurried), inbox=self.inbox, store=self.store,
            publisher=self.publisher, limits=self._limits, clock=time.monotonic, embedder=self.embedder,
        )  # fmt: skip

    @property
    def _limits(self) -> CompressLimits:
        return CompressLimits(slice_seconds=self.settings.slice_seconds, attempts=self.settings.attempts)

    def refold(self) -> bool | None:
        return refold_due(inbox=self.inbox, store=self.store, publisher=self.publisher, embedder=self.embedder)

    def refine(self) -> str:
        return refine_due(inbox=self.inbox, publisher=self.publisher, refining=self._with_model())

    def reconstruct(self, conversation: int, height: int, idx: int) -> str:
        from turnfold_worker.wiring.models import reconstruct_with

        return reconstruct_with(self._with_model(), ConversationId(conversation), height, idx)

    def _with_model(self) -> Refining:
        if self.refining is None:
            msg = "this worker serves turnfold.refine without a model"
            raise InvalidSettings(msg, remedy="set TURNFOLD_OPENAI_API_KEY or TURNFOLD_SUMMARIZER")
        return self.refining

    def expire(self) -> int:
        """Remove expired text for a while; return the number of turns. The next sweep goes on with the rest.

        Then drops the search rows of idle conversations.
        """
        if self.retention is None:
            return 0
        turns, is_complete = expire(
            self.settings.keep_level0_days, retention=self.retention, seconds=EXPIRY_SECONDS, clock=time.monotonic,
            make_whole=self._make_whole,
        )  # fmt: skip
        if not (is_complete and self._drop_idle()):
            self.inbox.repeat_expiry()
        return turns

    def _make_whole(self, conversations: Sequence[ConversationId], deadline: float) -> bool:
        """Rebuild the dropped levels of some conversations before their text goes; False when time ran out first."""
        lost = [] if self.idle_search is None else self.idle_search.without_levels(conversations)
        return all(make_whole(id_, self.store, is_over=lambda: time.monotonic() >= deadline) for id_ in lost)

    def _drop_idle(self) -> bool:
        """Drop search rows of idle conversations for a while; return whether that was enough for now."""
        days = self.settings.keep_search_days
        if not days or self.idle_search is None:
            return True
        return drop_idle(days, search=self.idle_search, seconds=EXPIRY_SECONDS, clock=time.monotonic)

    def sweep(self) -> Swept:
        return sweep(inbox=self.inbox, store=self.store, publisher=self.publisher, refines=self.refinements)

    def sweep_in_turn(self) -> Swept:
        """Sweep, unless a sweep ran within the interval; the running sweep sets the mark, not the request."""
        if not self.inbox.start_sweep():
            return Swept()
        # First, so that lost rings are repeated even if later steps fail.
        swept = self.sweep()
        if self.inbox.start_expiry():
            # Retention needs no beat either.
            self.expire()
        self.publish_quotas_in_turn()
        return swept

    def publish_quotas_in_turn(self) -> None:
        """Publish quotas and measure what tenants store, unless that was done within the minute."""
        if self.quotas is not None and self.quota_board is not None and self.quota_board.start():
            publish(store=self.quotas, board=self.quota_board, stored_bytes=self.settings.tenant_stored_bytes)

    def erase(self, shard: int) -> int:
        return erase(shard, inbox=self.inbox, store=self.store, publisher=self.publisher)


def sql_store(settings: WorkerSettings, engine: Engine, read_engine: Engine) -> SqlStore:
    """Make the SQL store with a worker's leases."""
    due = FoldDue(
        turns=settings.fold_turns, tokens=settings.fold_tokens,
        idle_milliseconds=int(settings.fold_idle_seconds * 1_000),
        longest_milliseconds=int(settings.republish_seconds * 1_000),
    )  # fmt: skip
    return SqlStore(
        engine, read_engine=read_engine, lease_seconds=settings.lease_seconds, attempts=settings.attempts,
        fold_due=due, refine_target=_refine_target(settings),
    )  # fmt: skip


def _refine_target(settings: WorkerSettings) -> RefineTarget | None:
    if not settings.refines:
        return None
    from turnfold_worker.wiring.models import refine_target

    return refine_target(settings)


def _language_model(settings: WorkerSettings) -> LanguageModel | None:
    if not settings.has_model:
        return None
    from turnfold_worker.wiring.models import language_model

    return language_model(settings)


def build(settings: WorkerSettings) -> Worker:
    """Build a worker on Redis and SQL. Connects lazily."""
    read_engine = database(settings, write=False, timeout_seconds=LOCK_WAIT_SECONDS)
    servers = InboxServers.of(settings, Reader(read_engine).layout)
    return build_on(
        settings,
        servers=servers,
        engine=database(settings, write=True, timeout_seconds=LOCK_WAIT_SECONDS),
        read_engine=read_engine,
        publisher=RedisPublisher(servers),
        model=_language_model(settings),
        embedder=sentence_embedder(settings),
    )


def build_on(  # noqa: PLR0913 - what a worker is made of, all by name
    settings: WorkerSettings,
    *,
    servers: InboxServers,
    engine: Engine,
    read_engine: Engine,
    publisher: Publisher,
    model: LanguageModel | None = None,
    embedder: SentenceEmbedder | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Worker:
    """Build a worker on connections that the caller opened and closes."""
    refinements = with_model = None
    if settings.refines or model is not None:
        from turnfold_worker.wiring.models import refining, sql_refinements

        refinements = sql_refinements(settings, engine, read_engine)
        if model is not None:
            with_model = refining(settings, servers, engine, refinements, model, embedder=embedder, sleep=sleep)
    return Worker(
        settings=settings,
        inbox=RedisInbox(
            servers,
            lease_seconds=settings.lease_seconds,
            sweep_seconds=settings.sweep_seconds,
            keeps_marks=bool(settings.read_database_url),
        ),
        store=sql_store(settings, engine, read_engine),
        publisher=publisher,
        refinements=refinements if settings.refines else None,
        refining=with_model,
        retention=SqlRetention(engine, read_engine=read_engine),
        idle_search=SqlIdleSearch(engine, read_engine=read_engine, levels=settings.drop_idle_levels),
        quotas=SqlTenantQuotas(engine),
        quota_board=RedisQuotaBoard(servers),
        embedder=embedder,
    )


def sentence_embedder(settings: WorkerSettings) -> SentenceEmbedder | None:
    """Return the sentence model of this process, loaded on first use; None where `semantic` is off.

    Raises `InvalidSettings` when `semantic` is on and the packages are missing.
    """
    if not settings.semantic:
        return None
    check_installed()
    return _embedder_of_process(os.getpid(), settings.embedding_model, settings.embedding_bfloat16)


@lru_cache(maxsize=1)
def _embedder_of_process(pid: int, model: str, bfloat16: bool) -> SentenceTransformerEmbedder:  # noqa: ARG001, FBT001 - keys of the cache
    return SentenceTransformerEmbedder(model, bfloat16=bfloat16)


def check_database(settings: WorkerSettings) -> None:
    """Check that the database serves the schema that workers of this version write.

    Leaves no connection open. Raises `SchemaMismatch`, or `Unavailable` where the database does not answer.
    """
    engine = database(settings, write=False)
    try:
        check_engine(engine, writable(), "workers of this version write")
    finally:
        engine.dispose()


def worker() -> Worker:
    """Return this process's worker, built from the environment. Raises `StoreAway` where `check_database` fails."""
    return _of_process(os.getpid())


@lru_cache(maxsize=1)
def _of_process(pid: int) -> Worker:  # noqa: ARG001 - the key that makes a fork build its own
    settings = WorkerSettings.from_env()
    try:
        check_database(settings)
    except (SchemaMismatch, Unavailable) as error:
        raise StoreAway(error.problem, remedy=error.remedy) from None
    return build(settings)
