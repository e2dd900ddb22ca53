"""Prometheus metrics for operators, read from Redis and SQL at each scrape, over all tenants.

No metric contains ids, tenants or content. Processes keep no counters: a single exporter sees the work of all.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Connection, Engine, and_, bindparam, case, func, select, text

from turnfold.assemble import Request
from turnfold.contract.keys import Address
from turnfold.contract.records import Method
from turnfold.contract.tables import TENANT_USAGE, ConversationRow, NodeRow, standing, table
from turnfold.database.failures import translated
from turnfold.errors import SchemaMismatch, Unavailable
from turnfold.read import queries as retrieval
from turnfold.redis.inbox import ProducerInbox
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters.sql.ledger import ALL_MODELS
from turnfold_worker.operate.row_counts import waiting_totals

if TYPE_CHECKING:
    from turnfold.database.reader import Reader

NEWEST: Final = 1_000
"""Newest conversations whose segments give the level ratios; reading all of them at each scrape would be too slow."""

MODEL_COUNTERS: Final = {
    "requests": ("calls", "Completed model calls, successful or failed."),
    "failed": ("failed_calls", "Model calls that failed permanently."),
    "cached_replies": ("kept_replies", "Cached replies used, at no cost."),
    "input_tokens": ("input_tokens", "Tokens sent to the model."),
    "cached_tokens": ("cached_tokens", "Tokens sent that the provider had cached."),
    "output_tokens": ("output_tokens", "Tokens written by the model."),
    "quotes_kept": ("quotes_kept", "Model quotes found in a turn."),
    "quotes_refused": ("quotes_refused", "Model quotes not found in the turns."),
    "notes_kept": ("notes_kept", "Model notes accepted: the turns support them."),
    "notes_refused": ("notes_refused", "Model notes rejected."),
}
"""Column of the usage table -> name and help text of the counter."""

NEWEST_SEGMENTS: Final = 16
"""Segments read of each of those conversations."""
IDS_A_BLOCK: Final = 10_000
BLOCKS: Final = 4
"""Blocks of conversations, in addition to the two newest, whose sums are refreshed at each scrape."""
PROBE_TOKENS: Final = 4_000
"""Token budget of the context that is assembled at each scrape."""
OPEN_DAYS: Final = 2
"""Days before today that may still receive bookings: a provider's batch takes a day."""

_conversation, _node = table(ConversationRow), table(NodeRow)
_NEWEST: Final = (
    select(_conversation.c.tenant, _conversation.c.external_id)
    .where(standing())
    .order_by(_conversation.c.id.desc())
    .limit(1)
)
_NEWEST_ID: Final = select(func.max(_conversation.c.id))
_SUMS: Final = (
    _conversation.c.turn_count, _conversation.c.turn_count - _conversation.c.fold_seq,
    _conversation.c.turn_count - _conversation.c.closed_seq, _conversation.c.node_count, _conversation.c.anchor_count,
    _conversation.c.expansions_asked, _conversation.c.expansions_found,
)  # fmt: skip
_BLOCK_SUMS: Final = select(func.count(), *(func.coalesce(func.sum(column), 0) for column in _SUMS)).where(
    _conversation.c.id.between(bindparam("first"), bindparam("last")), standing()
)
# Literal SQL: a partial index is used only when the predicate is written as in its definition.
OPEN_JOBS: Final = text(
    "SELECT kind, 'later', count(*) FROM job WHERE state = 'later' GROUP BY kind UNION ALL "
    "SELECT kind, 'due', count(*) FROM job WHERE state = 'due' GROUP BY kind UNION ALL "
    "SELECT kind, 'running', count(*) FROM job WHERE state = 'running' GROUP BY kind UNION ALL "
    "SELECT kind, state, count(*) FROM job WHERE state IN ('parked', 'batched') GROUP BY state, kind"
)
PARKED_ENTRIES: Final = text("SELECT count(*) FROM parked_entry WHERE state = 'parked'")
_USED: Final = (
    select(
        TENANT_USAGE.c.model, func.sum(TENANT_USAGE.c.cost_micros),
        *(func.sum(TENANT_USAGE.c[name]) for name in MODEL_COUNTERS),
    )
    .where(TENANT_USAGE.c.model != ALL_MODELS)
    .group_by(TENANT_USAGE.c.model)
)  # fmt: skip


class WorkCollector(Collector):
    """Collect metrics at each scrape. A server that does not answer has `turnfold_up` 0 and no other metrics."""

    def __init__(
        self, servers: InboxServers, engine: Engine, reader: Reader, *, ids_a_block: int = IDS_A_BLOCK
    ) -> None:
        self._servers = servers
        self._engine = engine
        self._reader = reader
        self._lock = threading.Lock()
        self._totals = _Totals(ids_a_block)
        self._usage = _Usage()

    def describe(self) -> Iterator[Metric]:
        # Registering the collector must not need the servers.
        return iter(())

    def collect(self) -> Iterator[Metric]:
        # Concurrent scrapes would both advance the remembered sums.
        with self._lock:
            yield from [*self._collected()]

    def _collected(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("turnfold_up", "Whether a server that Turnfold needs answers.", labels=["server"])
        answers = True
        for server, read in (("redis", self._of_redis), ("database", self._of_database)):
            try:
                found = list(read())
            except (Unavailable, SchemaMismatch):
                up.add_metric([server], 0)
                answers = False
            else:
                up.add_metric([server], 1)
                yield from found
        yield up
        if answers:
            with suppress(Unavailable):
                yield from _reads(self._servers, self._engine, self._reader)

    def _of_redis(self) -> Iterator[Metric]:
        try:
            totals = waiting_totals(self._servers)
        except SchemaMismatch:
            # The database was never migrated, so the shards are unknown and nothing has been appended.
            self._servers.first_answering("checking that it answers", lambda client: client.ping())
            totals = []
        yield _gauge("inbox_turns", "Inbox entries not yet stored by a worker.", sum(total.entries for total in totals))
        yield _gauge(
            "inbox_conversations",
            "Conversations with inbox entries not yet stored.",
            sum(total.conversations for total in totals),
        )
        oldest = max((total.oldest_seconds for total in totals if total.entries), default=0.0)
        yield _gauge("inbox_lag_seconds", "Age of the oldest inbox entry not yet stored, in seconds.", oldest)
        yield _gauge(
            "erasures_waiting", "Forgotten conversations whose rows are not deleted yet.",
            sum(total.forgotten for total in totals),
        )  # fmt: skip

    def _of_database(self) -> Iterator[Metric]:
        with translated(), self._engine.begin() as connection:
            yield from _rows(self._totals.read(connection))
            yield from _levels(connection)
            yield from _waiting(connection)
            yield from _models(self._usage.read(connection))


class _Totals:
    """Sums over all conversations, in blocks of neighbouring ids.

    A scrape refreshes the newest blocks and a few of the others in rotation, so that its cost does not grow with the
    number of conversations. The first scrape reads all blocks.
    """

    def __init__(self, ids_a_block: int) -> None:
        self._ids_a_block = ids_a_block
        self._blocks: dict[int, Sequence[int]] = {}
        self._next = 0

    def read(self, connection: Connection) -> list[int]:
        newest = (connection.scalar(_NEWEST_ID) or 0) // self._ids_a_block
        following = [(self._next + place) % (newest + 1) for place in range(BLOCKS)]
        self._next = (self._next + BLOCKS) % (newest + 1)
        unknown = [block for block in range(newest + 1) if block not in self._blocks]
        for block in {newest, max(0, newest - 1), *following, *unknown}:
            first = block * self._ids_a_block
            row = connection.execute(_BLOCK_SUMS, {"first": first, "last": first + self._ids_a_block - 1}).one()
            self._blocks[block] = [int(value) for value in row]
        self._blocks = {block: sums for block, sums in self._blocks.items() if block <= newest}
        return [sum(column) for column in zip(*self._blocks.values(), strict=True)]


def _rows(totals: Sequence[int]) -> Iterator[Metric]:
    names = (
        ("conversations", "Stored conversations."),
        ("turns", "Stored turns."),
        ("unfolded_turns", "Stored turns not yet segmented."),
        ("uncovered_turns", "Stored turns outside closed segments: open tails and unfolded turns."),
        ("segments", "Segments."),
        ("active_anchors", "Active anchors."),
        ("expansions_asked", "Expansions requested, over stored conversations."),
        ("expansions_found", "Expansions that returned text, over stored conversations."),
    )
    for (name, meaning), value in zip(names, totals, strict=True):
        yield _gauge(name, meaning, value)


def _reads(servers: InboxServers, engine: Engine, reader: Reader) -> Iterator[Metric]:
    """Time a probe read of the newest conversation. Processes do not time their own reads, which would slow them."""
    with translated(), engine.begin() as connection:
        newest = connection.execute(_NEWEST).first()
    if newest is None:
        return
    address, inbox, request = Address(*newest), ProducerInbox(servers), Request(budget_tokens=PROBE_TOKENS)
    taken = GaugeMetricFamily(
        "turnfold_read_seconds",
        f"Seconds to read a context of {PROBE_TOKENS} tokens of the newest conversation from here, with a cold and "
        "with a warm cache.",
        labels=["kind"],
    )
    # The first read opens connections and is not measured.
    retrieval.context(inbox, reader, address, request)
    reader.drop(address)
    for kind in ("cold", "warm"):
        begun = time.perf_counter()
        retrieval.context(inbox, reader, address, request)
        taken.add_metric([kind], time.perf_counter() - begun)
    yield taken


def _levels(connection: Connection) -> Iterator[Metric]:
    newest = (
        select(_conversation.c.id, _conversation.c.node_count)
        .where(standing())
        .order_by(_conversation.c.id.desc())
        .limit(NEWEST)
        .subquery("newest")
    )
    full, *levels = (func.coalesce(func.sum(_node.c[f"tokens_{level}"]), 0) for level in range(4))
    plain = func.coalesce(func.sum(case((_node.c.method == int(Method.PLAIN), 1), else_=0)), 0)
    query = select(full, *levels, func.count(), plain).join_from(
        newest, _node,
        and_(
            _node.c.conversation == newest.c.id, _node.c.height == 0,
            _node.c.idx >= newest.c.node_count - NEWEST_SEGMENTS,
        ),
    )  # fmt: skip
    whole, *sizes, segments, fallen_back = connection.execute(query).one()
    ratio = GaugeMetricFamily(
        "turnfold_level_ratio",
        f"Compression ratio of a level: original tokens per token, over the newest {NEWEST_SEGMENTS} segments of the "
        f"newest {NEWEST} conversations.",
        labels=["level"],
    )  # fmt: skip
    for level, size in enumerate(sizes, start=1):
        if size:
            ratio.add_metric([str(level)], float(whole) / float(size))
    yield ratio
    yield _gauge("plain_segments", "Segments of `turnfold_newest_segments` that the rules failed to fold.", fallen_back)
    yield _gauge(
        "newest_segments", f"Segments sampled: the newest {NEWEST_SEGMENTS} of each of the newest {NEWEST} "
            "conversations.",
        segments,
    )  # fmt: skip


def _waiting(connection: Connection) -> Iterator[Metric]:
    jobs = GaugeMetricFamily("turnfold_jobs", "Unfinished jobs.", labels=["kind", "state"])
    for kind, state, number in connection.execute(OPEN_JOBS):
        jobs.add_metric([kind, state], number)
    yield jobs
    parked = connection.scalar(PARKED_ENTRIES) or 0
    yield _gauge("parked_entries", "Parked inbox entries.", parked)


class _Usage:
    """Model usage by model; sums over closed days are cached."""

    def __init__(self) -> None:
        self._until: date | None = None
        self._over: dict[str, list[int]] = {}

    def read(self, connection: Connection) -> list[list[Any]]:
        open_from = datetime.now(UTC).date() - timedelta(days=OPEN_DAYS)
        if self._until != open_from:
            self._over = _sums(connection.execute(_USED.where(TENANT_USAGE.c.day < open_from)))
            self._until = open_from
        found = {model: [*sums] for model, sums in self._over.items()}
        for model, sums in _sums(connection.execute(_USED.where(TENANT_USAGE.c.day >= open_from))).items():
            found[model] = [a + b for a, b in zip(found.get(model, [0] * len(sums)), sums, strict=True)]
        return [[model, *sums] for model, sums in sorted(found.items())]


def _sums(rows: Iterable[Any]) -> dict[str, list[int]]:
    return {row[0]: [int(value) for value in row[1:]] for row in rows}


def _models(found: Sequence[Sequence[Any]]) -> Iterator[Metric]:
    dollars = CounterMetricFamily(
        "turnfold_model_dollars", "Model cost in dollars, from TURNFOLD_PRICES.", labels=["model"]
    )
    for model, micros, *_ in found:
        dollars.add_metric([model], int(micros) / 1_000_000)
    yield dollars
    for place, (name, meaning) in enumerate(MODEL_COUNTERS.values(), start=2):
        counter = CounterMetricFamily(f"turnfold_model_{name}", meaning, labels=["model"])
        for row in found:
            counter.add_metric([row[0]], int(row[place]))
        yield counter


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"turnfold_{name}", meaning, value=float(value))
