"""Requests about a conversation of a million turns read as many rows as about a short one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text

from turnfold.contract.keys import Address
from turnfold.database.engines import connect
from turnfold.database.progress_read import MOST_PARKED
from turnfold.database.reader import Reader
from turnfold.read.queries import status
from turnfold.read.snapshot import NO_INBOX
from turnfold_worker.operate.inspection import inspect_conversation

SEGMENTS = 62_500
TURNS = 16 * SEGMENTS

LONG = (
    f"""INSERT INTO conversation (id, tenant, external_id, turn_count, closed_seq, fold_seq, node_count, anchor_count,
            revision, refined_turns)
        VALUES (1, 'acme', 'long', {TURNS}, {TURNS}, {TURNS}, {SEGMENTS}, 500000, 9, {TURNS // 2}),
               (2, 'acme', 'short', 32, 32, 32, 2, 4, 9, 16)""",
    f"""INSERT INTO node (conversation, height, idx, first_seq, last_seq, slug, tokens_0, tokens_1, tokens_2, tokens_3,
            importance, method, refined, facts, source_hash)
        SELECT c.id, 0, i, i * 16 + 1, i * 16 + 16, 's', 9, 3, 2, 1, 5, 1, 2 * (i % 2), '{{}}', EMPTY
        FROM conversation c, (NUMBERS) n WHERE i < c.node_count AND i < {SEGMENTS}""",
    f"""INSERT INTO level (conversation, height, idx, level, refined, body)
        SELECT c.id, 0, i, 1, 0, 'words' FROM conversation c, (NUMBERS) n WHERE i < c.node_count AND i < {SEGMENTS}""",
    f"""INSERT INTO anchor (conversation, id, node_idx, seq, start_offset, end_offset, kind, body, tokens, score, rank,
            state)
        SELECT c.id, i + 1, i, i * 16 + 3, 0, 4, 1, 'text', 1, 5, 3, 0
        FROM conversation c, (NUMBERS) n WHERE i < c.node_count AND i < {SEGMENTS}""",
    f"""INSERT INTO job (conversation, tenant, kind, subject, state)
        SELECT c.id, 'acme', 'refine', i, 'done' FROM conversation c, (NUMBERS) n
        WHERE i < c.node_count AND i < {SEGMENTS}""",
    f"""INSERT INTO job (conversation, tenant, kind, subject, state)
        SELECT c.id, 'acme', 'refold', i, 'parked' FROM conversation c, (NUMBERS) n
        WHERE i < c.node_count AND i < {MOST_PARKED + 500}""",
    f"""INSERT INTO parked_entry (conversation, entry_id, payload, error, state)
        SELECT c.id, 'e' || i, '', 'unreadable', CASE WHEN i % 2 = 0 THEN 'parked' ELSE 'skipped' END
        FROM conversation c, (NUMBERS) n WHERE i < c.node_count AND i < {MOST_PARKED + 500}""",
)
NUMBERS = {
    "postgresql": f"SELECT i FROM generate_series(0, {SEGMENTS - 1}) i",
    "sqlite": (
        "WITH RECURSIVE counting(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM counting "
        f"WHERE i < {SEGMENTS - 1}) SELECT i FROM counting"
    ),
}

EMPTY = {"postgresql": "CAST('' AS bytea)", "sqlite": "x''"}


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A conversation of a million turns, half of them refined, and one of 32."""
    writer = connect(database_url, write=True, timeout_seconds=60)
    with writer.begin() as connection:
        for statement in LONG:
            numbered = statement.replace("NUMBERS", NUMBERS[writer.dialect.name])
            connection.execute(text(numbered.replace("EMPTY", EMPTY[writer.dialect.name])))
        connection.execute(text("ANALYZE"))
    writer.dispose()
    reading = connect(database_url, write=False, timeout_seconds=30)
    yield reading
    reading.dispose()


def rows_read(engine: Engine, look: Callable[[], Any]) -> int:
    """Return how many rows of tables and indexes PostgreSQL read for a look, by EXPLAIN ANALYZE of its statements."""
    read = 0

    def explain(connection: Connection, cursor: Any, statement: str, parameters: Any, *_: object) -> None:
        nonlocal read
        if not statement.startswith(("SELECT", "WITH")):
            return
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters)
        (explained,) = cursor.fetchone()
        plan = (explained if isinstance(explained, list) else json.loads(explained))[0]["Plan"]
        read += sum(
            (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
            for node in nodes_of(plan)
            if "Relation Name" in node
        )

    event.listen(engine, "before_cursor_execute", explain)
    try:
        look()
    finally:
        event.remove(engine, "before_cursor_execute", explain)
    return read


def nodes_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes_of(child)


def test_a_status_counts_without_looking_at_segments(engine: Engine) -> None:
    long, short = (status(NO_INBOX, Reader(engine), Address("acme", name)) for name in ("long", "short"))
    assert (long.stored, long.refined, long.segments) == (TURNS, TURNS // 2, SEGMENTS)
    assert (short.refined, short.parked) == (16, 3)
    assert long.parked == (MOST_PARKED + 500) // 2 + MOST_PARKED, "at most a thousand of each kind"


@pytest.mark.postgresql
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_status_of_a_million_turns_reads_a_constant_number_of_rows(engine: Engine) -> None:
    def look() -> None:
        status(NO_INBOX, Reader(engine), Address("acme", "long"))

    read = rows_read(engine, look)
    assert 0 < read <= 2 * MOST_PARKED + 10


def test_what_nobody_has_counted_is_looked_at(engine: Engine, database_url: str) -> None:
    writer = connect(database_url, write=True, timeout_seconds=30)
    with writer.begin() as connection:
        connection.execute(text("UPDATE conversation SET refined_turns = NULL"))
    writer.dispose()
    assert status(NO_INBOX, Reader(engine), Address("acme", "long")).refined == TURNS // 2


def test_a_page_of_a_long_tree_has_its_segments_and_says_how_to_go_on(engine: Engine) -> None:
    page = inspect_conversation(Reader(engine), Address("acme", "long"), first_turn=500_000, limit=20)
    assert [branch.node.idx for branch in page.branches] == list(range(31_249, 31_269))
    assert [anchor.node_idx for anchor in page.anchors] == list(range(31_249, 31_269))
    assert all(len(branch.anchors) == 1 and branch.levels == {1: "words"} for branch in page.branches)
    assert page.next_turn == 31_269 * 16 + 1
    last = inspect_conversation(Reader(engine), Address("acme", "long"), first_turn=TURNS - 1, limit=20)
    assert ([branch.node.idx for branch in last.branches], last.next_turn) == ([SEGMENTS - 1], None)
    behind = inspect_conversation(Reader(engine), Address("acme", "long"), first_turn=TURNS + 5)
    assert (behind.branches, behind.anchors, behind.next_turn) == ((), (), None)


@pytest.mark.postgresql
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_page_of_a_long_tree_reads_its_own_rows_alone(engine: Engine) -> None:
    def look() -> None:
        inspect_conversation(Reader(engine), Address("acme", "long"), turns=True, first_turn=500_000, limit=20)

    assert 0 < rows_read(engine, look) <= 1_000
