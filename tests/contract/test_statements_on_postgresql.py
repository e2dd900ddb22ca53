"""Query plans of the SDK's reads on PostgreSQL, with too many rows for a scan to look cheap."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, Executable, text

from turnfold.database import note_read, query_statements, statements
from turnfold.database.engines import connect
from turnfold_worker.adapters.sql.anchors import SHARING
from turnfold_worker.adapters.sql.repeats import HOLDING

pytestmark = pytest.mark.postgresql

STATEMENTS = {
    name: statement
    for name, statement in (vars(statements) | vars(query_statements) | vars(note_read)).items()
    if not name.startswith("_") and isinstance(statement, Executable)
} | {"CANDIDATES": SHARING, "EARLIER": HOLDING}

CONVERSATIONS, TURNS, SEGMENTS = 40, 2_000, 200

FILL = f"""
INSERT INTO conversation (tenant, external_id, turn_count, node_count)
    SELECT 'acme', 'c' || i, {TURNS}, {SEGMENTS} FROM generate_series(1, 5000) i;
INSERT INTO turn (conversation, seq, turn_id, role, content, importance, tokens, content_hash)
    SELECT c, s, 't' || s, 'user', 'text ' || s, 1, 3, ''::bytea
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(1, {TURNS}) s;
INSERT INTO node (conversation, height, idx, first_seq, last_seq, slug, tokens_0, tokens_1, tokens_2, tokens_3,
        importance, method, facts, source_hash)
    SELECT c, 0, i, i * 10 + 1, i * 10 + 10, 's', 9, 3, 2, 1, 5, 1, '{{}}', ''::bytea
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(0, {SEGMENTS - 1}) i;
INSERT INTO level (conversation, height, idx, level, refined, body)
    SELECT c, 0, i, l, 0, 'words'
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(0, {SEGMENTS - 1}) i, generate_series(1, 3) l;
INSERT INTO turn_vector (conversation, seq, model, content_hash, vector)
    SELECT c, s, 'm', ''::bytea, decode(repeat('0a', 384), 'hex')
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(1, {TURNS}) s;
INSERT INTO passage_signs (conversation, model, idx, signs)
    SELECT c, 'm', i, decode(repeat('0a', 1042), 'hex')
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(0, {SEGMENTS - 1}) i;
INSERT INTO note_list (conversation, height, idx, tokens, best, ledger, actions, said)
    SELECT c, 0, i, 300, repeat('words ', 100), '[]', '[]', '{{}}'
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(0, {SEGMENTS - 1}) i;
INSERT INTO outline (conversation, part, body)
    SELECT c, p, repeat('words ', 500) FROM generate_series(1, 500) c, generate_series(0, 7) p;
INSERT INTO model_outline (conversation, part, body)
    SELECT c, p, repeat('words ', 500) FROM generate_series(1, 500) c, generate_series(2, 7) p;
INSERT INTO anchor (conversation, id, node_idx, seq, start_offset, end_offset, kind, body, tokens, score, rank, state)
    SELECT c, i, i, i + 1, 0, 4, 1, 'text', 1, 5, i % 97, i % 3
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(1, 500) i;
INSERT INTO anchor_posting (conversation, term, anchor)
    SELECT c, 'term' || t, i FROM generate_series(1, {CONVERSATIONS}) c, generate_series(1, 10) t,
        generate_series(1, 500) i;
INSERT INTO passage (conversation, bundle, body)
    SELECT c, s * 32 + p, decode(repeat('0a', 300), 'hex')
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(1, {TURNS}) s, generate_series(0, 1) p;
INSERT INTO model_note (conversation, height, idx, place, turns, speaker, role, origin, body, importance, model,
        prompt_version, source_hash)
    SELECT c, 0, i, p, '[1]', 'Ana', 'user', 'user', repeat('words ', 20), 3, 'm', 'notes-1', ''::bytea
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(0, {SEGMENTS - 1}) i, generate_series(1, 10) p;
INSERT INTO posting (conversation, number, body)
    SELECT c, i, decode(repeat('0a', 600), 'hex')
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(0, 4 * {SEGMENTS}) i;
INSERT INTO model_posting (conversation, number, body) SELECT conversation, number, body FROM posting;
INSERT INTO model_passage (conversation, idx, body)
    SELECT c, i, repeat('words ', 50)
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(0, {SEGMENTS - 1}) i;
INSERT INTO block_list (conversation, idx, body)
    SELECT c, i, decode(repeat('0a', 600), 'hex')
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(0, {SEGMENTS - 1}) i;
INSERT INTO part_list (conversation, idx, body) SELECT conversation, idx, body FROM block_list;
INSERT INTO repeat_mark (conversation, mark, idx, seqs)
    SELECT c, m * 1000000007::bigint, i, decode(repeat('0a', 8), 'hex')
    FROM generate_series(1, {CONVERSATIONS}) c, generate_series(1, 5) m, generate_series(0, {SEGMENTS - 1}) i;
ANALYZE;
"""


@pytest.fixture(scope="module")
def engine(postgresql_server: Any) -> Iterator[Engine]:
    """A read engine on a filled and analysed database."""
    url = postgresql_server.create("plans", template="template")
    write = connect(url, write=True, timeout_seconds=60)
    with write.begin() as connection:
        for statement in FILL.split(";")[:-1]:
            connection.execute(text(statement))
    write.dispose()
    engine = connect(url, write=False, timeout_seconds=30)
    yield engine
    engine.dispose()
    postgresql_server.drop("plans")


def parameters(statement: Any, engine: Engine) -> dict[str, Any]:
    """Return values of the right types for a statement's parameters."""
    known = {
        "tenant": "acme", "external_id": "c7", "conversation": 7, "of_conversation": 7, "node_count": SEGMENTS,
        "after_seq": TURNS - 200, "before_words": TURNS - 24,
        "numbers": ",".join(str(32 * seq) for seq in range(1, 251)),
        "cap": 4_000, "first_seq": 1, "from_seq": 1, "last_seq": 50, "most": 50, "last_part": 4, "model": "m",
        "segments": ",".join(map(str, range(64))), "seq": 700, "idx": 50, "first": 30, "last": 50,
    }  # fmt: skip
    kinds = {"id": "t5", "t": "term3", "x": 9, "h": 0, "i": 5, "l": 2, "r": 0, "a": 11, "b": 40, "m": 1_000_000_007}
    names = statement.compile(dialect=engine.dialect).params
    return {
        name: known[name] if name in known else kinds[name.rstrip("0123456789")]
        for name in names
        if name in known or name.rstrip("0123456789") in kinds
    }


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_of_a_read_scans_no_table_and_reads_a_bounded_number_of_rows(engine: Engine, name: str) -> None:
    statement: Any = STATEMENTS[name]
    compiled = str(statement.compile(dialect=engine.dialect))
    with engine.begin() as connection:
        explained = connection.exec_driver_sql(
            f"EXPLAIN (ANALYZE, FORMAT JSON) {compiled}",
            {**statement.compile(dialect=engine.dialect).params, **parameters(statement, engine)},
        ).scalar_one()
    plan = (explained if isinstance(explained, list) else json.loads(explained))[0]["Plan"]
    assert [node["Relation Name"] for node in nodes(plan) if node["Node Type"] == "Seq Scan"] == []
    read = sum(
        node["Actual Rows"] * node["Actual Loops"] + node.get("Rows Removed by Filter", 0) * node["Actual Loops"]
        for node in nodes(plan)
        if "Relation Name" in node
    )
    assert read <= 2_000
