"""No statement of operators or timers reads a whole table of PostgreSQL, however many conversations there are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner
from prometheus_client.core import Metric
from sqlalchemy import Engine, event, text

from conftest import LocalWorker
from support.places import servers, shard_of
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.contract.tasks import Queue
from turnfold.database.engines import connect
from turnfold.database.reader import Reader
from turnfold_worker.adapters.sql.tenant_quotas import SqlTenantQuotas
from turnfold_worker.cli import main
from turnfold_worker.operate.doctor import workers
from turnfold_worker.operate.prometheus import WorkCollector

pytestmark = pytest.mark.postgresql

CONVERSATIONS = 3_000

FILL = (
    f"""INSERT INTO conversation (tenant, external_id, turn_count, closed_seq, fold_seq, node_count, revision,
            words_since)
        SELECT 'tenant' || i % 30, 'c' || i, 8, 4, 8, 1, 1, i FROM generate_series(1, {CONVERSATIONS}) i""",
    """INSERT INTO turn (conversation, seq, turn_id, role, content, importance, tokens, content_hash)
        SELECT id, s, 't' || s, 'user', 'text', 1, 3, ''::bytea FROM conversation, generate_series(1, 8) s""",
    """INSERT INTO node (conversation, height, idx, first_seq, last_seq, slug, tokens_0, tokens_1, tokens_2, tokens_3,
            importance, method, facts, source_hash)
        SELECT id, 0, 0, 1, 4, 's', 9, 3, 2, 1, 5, 1, '{}', ''::bytea FROM conversation""",
    """INSERT INTO level (conversation, height, idx, level, refined, body)
        SELECT id, 0, 0, l, 0, 'words' FROM conversation, generate_series(1, 3) l""",
    """INSERT INTO anchor (conversation, id, node_idx, seq, start_offset, end_offset, kind, body, tokens, score, rank,
            state)
        SELECT id, s, 0, s, 0, 4, 1, 'text', 1, 5, 3, 0 FROM conversation, generate_series(1, 2) s""",
    """INSERT INTO job (conversation, tenant, kind, state) SELECT id, tenant, 'refine', 'done' FROM conversation""",
    """INSERT INTO parked_entry (conversation, entry_id, payload, error, state)
        SELECT id, 'e', ''::bytea, 'unreadable', 'skipped' FROM conversation""",
    """INSERT INTO subject_turn (conversation, seq, tenant, subject)
        SELECT id, s, tenant, 'user ' || id FROM conversation, generate_series(1, 4) s""",
    """INSERT INTO usage (conversation, day, model) SELECT id, CURRENT_DATE, 'm' FROM conversation""",
    """INSERT INTO tenant_usage (tenant, day, model)
        SELECT 'tenant' || t, CURRENT_DATE - d, 'm' FROM generate_series(1, 300) t, generate_series(0, 9) d""",
    """INSERT INTO stored_size (conversation, revision, size) SELECT id, 1, 10 FROM conversation""",
)

SMALL = {"meta", "tenant_quota", "model_batch", "alembic_version", "webhook_endpoint", "api_key"}
"""Small tables: a row for each tenant with own quotas, running batch, endpoint or key."""


@pytest.fixture
def database_url(postgresql_url: str) -> str:
    """A PostgreSQL database with many conversations."""
    writer = connect(postgresql_url, write=True, timeout_seconds=60)
    with writer.begin() as connection:
        for statement in FILL:
            connection.execute(text(statement))
        connection.execute(text("ANALYZE"))
    writer.dispose()
    return postgresql_url


@pytest.fixture
def statements() -> Iterator[dict[str, Any]]:
    """Collect the executed statements, each with one set of its parameters."""
    executed: dict[str, Any] = {}

    def note(_: Any, __: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        executed.setdefault(statement, parameters[0] if many else parameters)

    event.listen(Engine, "before_cursor_execute", note)
    yield executed
    event.remove(Engine, "before_cursor_execute", note)


def scans(database_url: str, statements: dict[str, Any]) -> list[str]:
    """Return statements that read a whole table, or a whole index of one, with the table's name."""
    engine, asked = connect(database_url, write=True, timeout_seconds=30), list(statements.items())
    scanning = []
    with engine.connect() as connection:
        connection.exec_driver_sql("SET enable_seqscan = off")
        partial = set(
            connection.scalars(text("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '% WHERE %'")).all()
        )
        for statement, parameters in asked:
            if statement.split(None, 1)[0] not in {"SELECT", "WITH", "UPDATE", "DELETE", "INSERT"}:
                continue
            explained = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).scalar_one()
            plan = (explained if isinstance(explained, list) else json.loads(explained))[0]["Plan"]
            scanning += [f"{table}: {' '.join(statement.split())[:400]}" for table in whole(plan, partial)]
        connection.rollback()
    engine.dispose()
    return scanning


def whole(plan: dict[str, Any], partial: set[str], *, is_limited: bool = False) -> Iterator[str]:
    """Yield tables that a plan reads whole. Partial indexes contain waiting rows only; a limit ends an index walk."""
    kind, name = plan["Node Type"], plan.get("Relation Name", "")
    is_walk = kind in {"Index Scan", "Index Only Scan"} and "Index Cond" not in plan
    if (
        name not in SMALL
        and not name.startswith("pg_")
        and (kind == "Seq Scan" or (is_walk and not is_limited and plan["Index Name"] not in partial))
    ):
        yield name
    # A node that sorts or hashes reads all its input before the first row.
    is_limited = kind == "Limit" or (is_limited and kind not in {"Sort", "Hash", "Aggregate", "HashAggregate"})
    for child in plan.get("Plans", ()):
        yield from whole(child, partial, is_limited=is_limited)


COMMANDS = (
    ("status",), ("list",), ("jobs", "list"), ("jobs", "list", "--conversation", "c7"), ("usage",), ("quota", "show"),
    ("doctor",), ("inspect", "c7"), ("digest", "c"), ("anchors", "c"), ("search", "c", "limit"), ("context", "c"),
    ("status", "c"), ("why", "c"), ("jobs", "retry", "--all"), ("keys", "list"),
    ("forget", "--subject", "user 7", "--yes"), ("forget", "c7", "--yes"),
    ("forget", "--all", "--yes"),
)  # fmt: skip


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for workers, since none run in these tests."""
    monkeypatch.setattr(workers, "ANSWER_SECONDS", 0.01)
    monkeypatch.setattr("turnfold_worker.cli.forget.WAIT_SECONDS", 0.0)
    monkeypatch.setattr("turnfold_worker.cli.status.WORKER_ANSWER_SECONDS", 0.01)


@pytest.mark.usefixtures("quick")
def test_no_command_reads_a_whole_table(
    database_url: str, redis_url: str, tf: Turnfold, local: LocalWorker, statements: dict[str, Any]
) -> None:
    for_tenant = tf.for_tenant("tenant7")
    for_tenant.append("c", talk(1, 24))
    local.settle()
    before = len(statements)
    for command in COMMANDS:
        urls = ("--redis-url", redis_url, "--database-url", database_url, "--tenant", "tenant7")
        outcome = CliRunner().invoke(main, [*urls, *command])
        assert isinstance(outcome.exception, SystemExit | None), (command, outcome.exception)
        assert outcome.exit_code in {0, 1}, (command, outcome.output)
    engine = connect(database_url, write=False, timeout_seconds=30)
    assert "tenant12" in SqlTenantQuotas(engine).tenants()
    assert "tenant12" in SqlTenantQuotas(engine).tenants(standing_only=True)
    engine.dispose()
    assert len(statements) > before + 40
    assert scans(database_url, statements) == []


def rung(local: LocalWorker) -> list[bytes]:
    """Return the folds that readers have requested."""
    return [bytes(member) for member in local.client.zrange(keys.rung_for(Queue.COMPRESS), 0, -1)]


def test_no_periodic_task_reads_a_whole_table(
    database_url: str, redis_url: str, tf: Turnfold, make_worker: Callable[..., LocalWorker],
    statements: dict[str, Any],
) -> None:  # fmt: skip
    local = make_worker(keep_level0_days=7, keep_search_days=7, tenant_stored_bytes=1_000_000, refine="on")
    for name in ("c", "idle"):
        tf.append(name, talk(1, 24))
    local.settle()
    with local.write_engine.begin() as connection:
        for idle in ("tenant = 'acme' AND external_id = 'idle'", "id IN (7, 1000, 2999)"):
            aged = "updated_at = '2020-01-01', words_since = NULL"
            connection.execute(text(f"UPDATE conversation SET {aged} WHERE {idle}"))
    tf.edit("c", tf.turns("c", limit=1)[0].turn_id, content="We decided on nothing.")
    local.client.delete(keys.SWEEP, keys.EXPIRE, keys.QUOTAS)
    local.worker.sweep_in_turn()
    assert local.worker.expire() == 0, "the sweep removed what is due"
    local.settle()
    assert tf.context("idle", budget_tokens=500, query="PostgreSQL").report.degraded
    local.worker.fold_due(next(int(name.split()[1]) for name in map(bytes.decode, rung(local))))
    assert not tf.context("idle", budget_tokens=500, query="PostgreSQL").report.degraded
    tf.forget("c", timeout_seconds=0)
    local.worker.erase(shard_of(keys.Address("acme", "c")))
    collector = WorkCollector(servers(local.client), local.engine, Reader(local.engine))
    metrics: list[Metric] = [*collector.collect()]
    assert {metric.name for metric in metrics} >= {"turnfold_up", "turnfold_turns"}
    assert len(statements) > 40
    assert scans(database_url, statements) == []
