"""What an operator watches, for Prometheus: read from Redis and SQL when it is asked for, over all tenants.

Ids, tenants and content are in no metric. Nothing is counted in processes: any one exporter sees the work of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Connection, Engine, case, func, select

from turnfold.contract.records import Method
from turnfold.contract.tables import TENANT_USAGE, ConversationRow, JobRow, NodeRow, ParkedEntryRow, table
from turnfold.errors import SchemaMismatch, Unavailable
from turnfold.sql_failures import translated
from turnfold_worker.adapters.sql_erasures import standing
from turnfold_worker.inspection import waiting_totals

if TYPE_CHECKING:
    import redis

NEWEST: Final = 1_000
"""Conversations, the newest, whose segments tell ratios: those of all would be read at each scrape."""

MODEL_COUNTERS: Final = {
    "requests": ("calls", "Calls to a model that were answered or failed."),
    "failed": ("failed_calls", "Calls that failed for good."),
    "cached_replies": ("kept_replies", "Replies that were at hand, and cost nothing."),
    "input_tokens": ("input_tokens", "Tokens sent to a model."),
    "cached_tokens": ("cached_tokens", "Of those, tokens that the provider had cached."),
    "output_tokens": ("output_tokens", "Tokens that a model wrote."),
    "quotes_kept": ("quotes_kept", "Quotes of a model that stand in a turn."),
    "quotes_refused": ("quotes_refused", "Quotes of a model that nobody said."),
    "levels_kept": ("levels_kept", "Levels of a model that say nothing but what was said."),
    "levels_refused": ("levels_refused", "Levels of a model that were refused."),
}
"""Column -> name and meaning of the counter."""

_conversation, _node, _job, _parked = (table(row) for row in (ConversationRow, NodeRow, JobRow, ParkedEntryRow))


class WorkCollector(Collector):
    """Reads at each scrape. A server that does not answer is `turnfold_up` 0, and its metrics are left out."""

    def __init__(self, client: redis.Redis, engine: Engine) -> None:
        self._client = client
        self._engine = engine

    def describe(self) -> Iterator[Metric]:
        # Registering must not need the servers.
        return iter(())

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("turnfold_up", "Whether a server that Turnfold needs answers.", labels=["server"])
        for server, read in (("redis", self._of_redis), ("database", self._of_database)):
            try:
                found = list(read())
            except (Unavailable, SchemaMismatch):
                up.add_metric([server], 0)
            else:
                up.add_metric([server], 1)
                yield from found
        yield up

    def _of_redis(self) -> Iterator[Metric]:
        totals = waiting_totals(self._client)
        yield _gauge("inbox_turns", "Entries in inboxes that no worker has stored.", sum(one.entries for one in totals))
        yield _gauge(
            "inbox_conversations", "Conversations with such entries.", sum(one.conversations for one in totals)
        )
        oldest = max((one.oldest_seconds for one in totals if one.entries), default=0.0)
        yield _gauge("inbox_lag_seconds", "Age of the oldest such entry.", oldest)
        yield _gauge(
            "erasures_waiting", "Forgotten conversations whose rows are still there.",
            sum(one.forgotten for one in totals),
        )  # fmt: skip

    def _of_database(self) -> Iterator[Metric]:
        with translated(), self._engine.begin() as connection:
            yield from _rows(connection)
            yield from _levels(connection)
            yield from _waiting(connection)
            yield from _models(connection)


def _rows(connection: Connection) -> Iterator[Metric]:
    one = _conversation.c
    sums = (one.turn_count, one.turn_count - one.fold_seq, one.turn_count - one.closed_seq, one.node_count,
            one.anchor_count, one.expansions_asked, one.expansions_found)  # fmt: skip
    query = select(func.count(), *(func.coalesce(func.sum(column), 0) for column in sums)).where(standing())
    values = connection.execute(query).one()
    names = (
        ("conversations", "Conversations that are stored."),
        ("turns", "Turns that are stored."),
        ("unfolded_turns", "Stored turns that the segmenter has not seen."),
        ("uncovered_turns", "Stored turns that no segment holds: open tails, and what is not folded yet."),
        ("segments", "Segments."),
        ("active_anchors", "Anchors that are active."),
        ("expansions_asked", "Expansions that were asked for, of conversations that are stored."),
        ("expansions_found", "Expansions that led to words."),
    )
    for (name, meaning), value in zip(names, values, strict=True):
        yield _gauge(name, meaning, value)


def _levels(connection: Connection) -> Iterator[Metric]:
    newest = select(_conversation.c.id).where(standing()).order_by(_conversation.c.id.desc()).limit(NEWEST)
    full, *levels = (func.coalesce(func.sum(_node.c[f"tokens_{level}"]), 0) for level in range(4))
    plain = func.coalesce(func.sum(case((_node.c.method == int(Method.PLAIN), 1), else_=0)), 0)
    query = select(full, *levels, func.count(), plain).where(_node.c.height == 0, _node.c.conversation.in_(newest))
    whole, *sizes, segments, fallen_back = connection.execute(query).one()
    ratio = GaugeMetricFamily(
        "turnfold_level_ratio", f"Tokens in full for one at a level, in the newest {NEWEST} conversations.",
        labels=["level"],
    )  # fmt: skip
    for level, size in enumerate(sizes, start=1):
        if size:
            ratio.add_metric([str(level)], float(whole) / float(size))
    yield ratio
    yield _gauge(
        "plain_segments", f"Segments of them that the rules failed on, of {NEWEST} conversations.", fallen_back
    )
    yield _gauge("newest_segments", f"Segments of the newest {NEWEST} conversations.", segments)


def _waiting(connection: Connection) -> Iterator[Metric]:
    jobs = GaugeMetricFamily("turnfold_jobs", "Jobs that are not done.", labels=["kind", "state"])
    query = select(_job.c.kind, _job.c.state, func.count()).where(_job.c.state.not_in(("done", "skipped")))
    for kind, state, number in connection.execute(query.group_by(_job.c.kind, _job.c.state)):
        jobs.add_metric([kind, state], number)
    yield jobs
    parked = select(func.count()).where(_parked.c.state == "parked")
    yield _gauge("parked_entries", "Appended entries that wait for a person.", connection.scalar(parked) or 0)


def _models(connection: Connection) -> Iterator[Metric]:
    used = TENANT_USAGE.c
    query = select(used.model, func.sum(used.cost_micros), *(func.sum(used[name]) for name in MODEL_COUNTERS))
    found = connection.execute(query.group_by(used.model)).all()
    dollars = CounterMetricFamily("turnfold_model_dollars", "What models cost, by TURNFOLD_PRICES.", labels=["model"])
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
