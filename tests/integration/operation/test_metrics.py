"""The metrics that Prometheus scrapes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import event, text

from conftest import LocalWorker
from support.places import servers
from support.refinery import Refinery
from support.talk import talk
from turnfold import Turnfold
from turnfold.database.engines import connect
from turnfold.database.reader import Reader
from turnfold.redis.connections import connect as connect_redis
from turnfold_worker.cli import main
from turnfold_worker.operate.prometheus import BLOCKS, OPEN_JOBS, PARKED_ENTRIES, WorkCollector
from turnfold_worker.operate.row_counts import waiting_totals

NOWHERE = "redis://127.0.0.1:1/0"

Told = dict[tuple[str, str], float]
"""(name, the values of its labels) -> value."""


def parsed(page: str) -> Told:
    return {
        (sample.name, ",".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


def once(redis_url: str, database_url: str) -> Result:
    return CliRunner().invoke(
        main, ["--redis-url", redis_url, "--database-url", database_url, "serve-metrics", "--once"]
    )


@pytest.fixture
def told(redis_url: str, database_url: str) -> Callable[[], Told]:
    def ask() -> Told:
        result = once(redis_url, database_url)
        assert result.exit_code == 0, result.output
        return parsed(result.stdout)

    return ask


def test_work_is_seen_where_it_is(tf: Turnfold, local: LocalWorker, told: Callable[[], Told]) -> None:
    tf.configure("secret-name", settings={"segment_max_turns": 8})
    tf.append("secret-name", talk("metrics", 50))
    tf.for_tenant("other").append("c", talk("others", 3))
    waiting = told()
    assert waiting["turnfold_inbox_turns", ""] == 54  # including the configuration
    assert waiting["turnfold_inbox_conversations", ""] == 2
    assert waiting["turnfold_turns", ""] == 0
    assert ("turnfold_level_ratio", "1") not in waiting

    local.settle()

    done, status = told(), tf.status("secret-name")
    assert done["turnfold_up", "redis"] == done["turnfold_up", "database"] == 1
    assert done["turnfold_inbox_turns", ""] == done["turnfold_inbox_lag_seconds", ""] == 0
    assert done["turnfold_conversations", ""] == 2
    assert done["turnfold_turns", ""] == 53
    assert done["turnfold_uncovered_turns", ""] == 53 - status.closed
    assert done["turnfold_segments", ""] == done["turnfold_newest_segments", ""] == status.segments > 0
    assert done["turnfold_active_anchors", ""] == status.anchors
    assert 1 < done["turnfold_level_ratio", "1"] < done["turnfold_level_ratio", "2"]
    assert done["turnfold_plain_segments", ""] == done["turnfold_parked_entries", ""] == 0
    assert done["turnfold_read_seconds", "cold"] > 0
    assert done["turnfold_read_seconds", "warm"] > 0


def test_what_waits_for_a_person_is_counted(
    tf: Turnfold, local: LocalWorker, told: Callable[[], Told], database_url: str
) -> None:
    tf.append("c", talk("parked", 30))
    local.settle()
    engine = connect(database_url, write=True, timeout_seconds=10)
    with engine.begin() as connection:
        parked = "SELECT id, tenant, 'refold', 'parked' FROM conversation"
        connection.execute(text(f"INSERT INTO job (conversation, tenant, kind, state) {parked}"))
        connection.execute(text("UPDATE node SET method = 0 WHERE height = 0 AND idx = 0"))
    engine.dispose()

    assert told()["turnfold_jobs", "refold,parked"] == 1
    assert told()["turnfold_plain_segments", ""] == 1


def test_totals_stay_exact_though_a_scrape_reads_a_few_blocks_of_conversations(
    tf: Turnfold, local: LocalWorker, redis_url: str, database_url: str
) -> None:
    for number in range(14):
        tf.append(f"c{number}", talk(str(number), 3))
    local.settle()
    client, engine = (
        connect_redis(redis_url, timeout_seconds=10),
        connect(database_url, write=False, timeout_seconds=10),
    )
    reader = Reader(engine)
    collector = WorkCollector(servers(client), engine, reader, ids_a_block=2)
    blocks: list[str] = []

    @event.listens_for(engine, "before_cursor_execute")
    def _seen(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "BETWEEN" in statement:
            blocks.append(statement)

    def scraped() -> Told:
        blocks.clear()
        return {
            (sample.name, ",".join(sample.labels.values())): sample.value
            for family in collector.collect()
            for sample in family.samples
        }

    assert scraped()["turnfold_turns", ""] == 42
    assert len(blocks) == 8  # all blocks, once each
    tf.append("c0", talk("more", 2))
    tf.append("c13", talk("more", 1))
    tf.append("new", talk("new", 1))
    local.settle()
    assert scraped()["turnfold_turns", ""] >= 44  # new turns are in the newest blocks
    assert len(blocks) <= BLOCKS + 2
    assert scraped()["turnfold_turns", ""] == 46
    tf.forget("new", timeout_seconds=0)
    local.settle()
    for _ in range(2):
        found = scraped()
    assert (found["turnfold_turns", ""], found["turnfold_conversations", ""]) == (45, 14)
    reader.close()
    client.close()


def test_what_waits_is_counted_by_partial_indexes(sqlite_url: str) -> None:
    engine = connect(sqlite_url, write=False, timeout_seconds=10)
    with engine.begin() as connection:
        plans = [
            row[3]
            for statement in (OPEN_JOBS, PARKED_ENTRIES)
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}")
        ]
    engine.dispose()
    indexes = ("job_later", "job_due", "job_running", "job_waiting", "parked_entry_waiting")
    looks = [step for step in plans if step.startswith(("SCAN", "SEARCH"))]
    assert len(looks) == len(indexes)
    assert all(index in step for index, step in zip(indexes, looks, strict=True)), looks


def test_the_content_of_waiting_entries_stays_in_redis(tf: Turnfold, redis_url: str) -> None:
    for number in range(5):
        tf.append(f"c{number}", [{"role": "user", "content": "x" * 100_000}] * 2)
    client = connect_redis(redis_url, timeout_seconds=10)
    before = client.info("stats")["total_net_output_bytes"]

    totals = waiting_totals(servers(client))

    assert client.info("stats")["total_net_output_bytes"] - before < 20_000
    assert (sum(one.conversations for one in totals), sum(one.entries for one in totals)) == (5, 10)
    assert max(one.oldest_seconds for one in totals) > 0
    few = waiting_totals(servers(client), most_inboxes=1)
    assert (sum(one.conversations for one in few), sum(one.entries for one in few)) == (5, 10)
    client.close()


def test_models_are_counted(refinery: Refinery, told: Callable[[], Told]) -> None:
    refinery.tf.configure("c", settings={"segment_max_turns": 5, "segment_min_turns": 2})
    refinery.tf.append("c", talk("models", 48))
    refinery.local.settle()

    found = told()

    assert found["turnfold_model_calls_total", "gpt-4o"] >= 1
    assert found["turnfold_model_input_tokens_total", "gpt-4o-mini"] > 0
    assert found["turnfold_model_notes_kept_total", "gpt-4o-mini"] > 0
    assert found["turnfold_model_dollars_total", "gpt-4o"] > 0


def test_a_redis_that_is_away_is_said_and_hides_nothing_else(
    tf: Turnfold, local: LocalWorker, database_url: str
) -> None:
    tf.append("c", talk("away", 30))
    local.settle()

    found = parsed(once(NOWHERE, database_url).stdout)

    assert (found["turnfold_up", "redis"], found["turnfold_up", "database"]) == (0, 1)
    assert found["turnfold_turns", ""] == 30
    assert ("turnfold_inbox_turns", "") not in found


def test_a_database_that_nobody_migrated_is_said(redis_url: str, tmp_path: Any) -> None:
    (tmp_path / "empty.db").touch()

    found = parsed(once(redis_url, f"sqlite:///{tmp_path}/empty.db").stdout)

    assert (found["turnfold_up", "redis"], found["turnfold_up", "database"]) == (1, 0)


def test_the_page_is_served_until_a_signal_comes(redis_url: str, sqlite_url: str) -> None:
    urls = ("--redis-url", redis_url, "--database-url", sqlite_url)
    process = subprocess.Popen(
        [sys.executable, "-c", "from turnfold_worker.cli import main; main()", *urls, "serve-metrics", "--port", "0"],
        env=dict(os.environ), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    url = process.stderr.readline().strip()
    with urllib.request.urlopen(url, timeout=120) as answer:  # noqa: S310 - our own server
        assert answer.headers["content-type"].startswith("text/plain")
        assert parsed(answer.read().decode())["turnfold_up", "database"] == 1
    port = url.rsplit(":", 1)[1].removesuffix("/metrics")
    refused = CliRunner().invoke(main, [*urls, "serve-metrics", "--port", port])
    assert refused.exit_code == 2
    assert "choose another" in refused.stderr

    process.send_signal(signal.SIGTERM)

    assert process.wait(20) == 0
    process.stderr.close()
