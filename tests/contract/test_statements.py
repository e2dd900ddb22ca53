"""Query plans of the SDK's reads on SQLite: each starts at an index on the conversation and scans no other rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, Executable, event

from turnfold.contract.keys import Address
from turnfold.contract.records import Anchor, AnchorType, ConversationId, Node
from turnfold.contract.results import Head
from turnfold.contract.tail_anchors import NO_TAIL_ANCHORS
from turnfold.contract.wanted_anchors import WantedAnchors
from turnfold.database import anchor_read, note_read, query_statements, statements
from turnfold.database.engines import connect
from turnfold.database.read_transaction import ReadTransaction
from turnfold.read.anchor_pages import anchor_page
from turnfold_worker.adapters.sql.anchors import SETTLED, candidates, settled, unmark_over


@pytest.fixture
def engine(sqlite_url: str) -> Iterator[Engine]:
    engine = connect(sqlite_url, write=False, timeout_seconds=10)
    yield engine
    engine.dispose()


STATEMENTS = {
    name: statement
    for name, statement in (vars(statements) | vars(query_statements) | vars(note_read) | vars(anchor_read)).items()
    if not name.startswith("_") and isinstance(statement, Executable)
}

_MOMENTS = {"moment": datetime(2026, 5, 3, tzinfo=UTC)}
"""Parameters that are not numbers."""
HEAD = Head(
    id=ConversationId(1), turn_count=1_000, closed_seq=990, fold_seq=1_000, node_count=70, anchor_count=5,
    anchor_tokens=50, revision=3,
)  # fmt: skip
OVER = Anchor(id=1, type=AnchorType.DECISION, text="x", turn_seq=7, start=0, end=1, related=2)
NODE = Node(height=1, idx=0, first_seq=1, last_seq=100, slug="auth", tokens=(1, 1, 1, 1))

READS: dict[str, Callable[[ReadTransaction], object]] = {
    "head": lambda read: read.head(Address("acme", "c")),
    "turns_after": lambda read: read.turns_after(HEAD, 700, most=10),
    "conversations_after": lambda read: read.conversations_after("acme", "c", most=10),
    "conversations_containing": lambda read: read.conversations_after("acme", "c", most=10, containing="pool"),
    "segments_after": lambda read: read.segments_after(HEAD, 3, most=10, words=True),
    "turns_up_to": lambda read: read.turns_up_to(HEAD, 700, cap=100, waiting=2),
    "state_of": lambda read: read.state_of(HEAD, 7),
    "refolding": lambda read: read.progress(HEAD).refolding(),
    "texts": lambda read: read.texts(HEAD, [(0, 1, 2), (1, 0, 3)]),
    "stored_seqs": lambda read: read.stored_seqs(HEAD, ["m-1"]),
    "turn_ids": lambda read: read.turn_ids(HEAD, [3, 5]),
    "postings": lambda read: read.postings(HEAD, ["pool"]),
    "part_entries": lambda read: read.part_entries(HEAD, [3, 5]),
    "passages": lambda read: read.passages(HEAD, [700, 701]),
    "turns_of_segments": lambda read: read.turns_of_segments(HEAD, [3, 5], cap=100),
    "turn_sizes": lambda read: read.turn_sizes(HEAD, 1, 10, most=5),
    "names_between": lambda read: read.names_between(HEAD, 1, 10),
    "turns_between": lambda read: read.turns_between(HEAD, 1, 10, most=5),
    "node": lambda read: read.node(HEAD, 0, 3),
    "nodes_within": lambda read: read.nodes_within(HEAD, 1, 500, below=8),
    "level_text": lambda read: read.level_text(HEAD, NODE, 1),
    "anchors": lambda read: anchor_page(read.anchors(HEAD)),
    "some_anchors": lambda read: anchor_page(read.anchors(HEAD), WantedAnchors(3, 9, frozenset({1, 2}))),
    "linked_anchors": lambda read: read.anchors(HEAD).linked([OVER]),
    "anchor": lambda read: read.anchor(HEAD, 3),
    "first_after": lambda read: read.first_after(HEAD, _MOMENTS["moment"]),
    "past_anchors": lambda read: read.past_anchors(HEAD, 500, NO_TAIL_ANCHORS),
    "parked": lambda read: read.progress(HEAD).parked(),
    "fold_parked": lambda read: read.progress(HEAD).fold_parked(),
    "refined_turns": lambda read: read.progress(HEAD).refined_turns(),
}


@contextmanager
def plans_of(engine: Engine) -> Iterator[dict[str, list[str]]]:
    """Yield the plan steps of every statement that runs in the block, by its SQL text."""
    plans: dict[str, list[str]] = {}

    def explain(connection: Connection, cursor: Any, statement: str, parameters: Any, *_: object) -> None:
        if statement.startswith(("SELECT", "WITH", "UPDATE")):
            rows = cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            plans[statement] = [row[3] for row in rows]

    event.listen(engine, "before_cursor_execute", explain)
    try:
        yield plans
    finally:
        event.remove(engine, "before_cursor_execute", explain)


KEYED = re.compile(
    r"USING (PRIMARY KEY|(COVERING )?INDEX \w+) \((conversation=\?|tenant=\? AND external_id[=>]\?|key=\?)"
    r"|SEARCH conversation USING INTEGER PRIMARY KEY \(rowid=\?\)"
)
CONSTANT = re.compile(r"SCAN (\d+ CONSTANT ROWS?|CONSTANT ROW|w|want|older|p\d+|json_each VIRTUAL TABLE INDEX 1:)")


def faults(plan: list[str]) -> list[str]:
    """Return the steps that read more than the conversation's own range."""
    scans = [step for step in plan if step.startswith("SCAN ") and not CONSTANT.fullmatch(step)]
    return scans + [step for step in plan if step.startswith("SEARCH ") and not KEYED.search(step)]


def test_all_statements_of_a_read_are_looked_at() -> None:
    assert set(STATEMENTS) == {
        "HEAD", "HEAD_AND_STORED", "OUTLINE", "TOP_ANCHOR_ROWS", "OLDER_SHAPES", "NEWEST_TURNS",
        "TURNS_UP_TO", "TURN_SIZES", "NAMES_BETWEEN", "TURNS_BETWEEN", "TEXTS", "STORED_SEQS", "POSTINGS",
        "MODEL_POSTINGS", "ALL_POSTINGS",
        "MODEL_PASSAGES", "BLOCK_LISTS", "PART_LISTS", "HIT_PASSAGES", "NEWEST_SIGNS", "HIT_NODES", "HIT_TURNS",
        "ANSWERING_TURNS", "TURN_PART", "SEGMENT_OF", "NEXT_SEGMENTS", "PASSAGES_BETWEEN", "WRITTEN_BETWEEN",
        "ANCHORS_BETWEEN", "SOURCES_BETWEEN", "FRAME", "FIRST_AFTER", "TURN_IDS", "SYSTEM_TURNS", "TURNS_AFTER",
        "CONVERSATIONS_AFTER", "CONVERSATIONS_CONTAINING", "SAID_ANCHORS", "ANCHORS_IN_ORDER", "ANCHORS_OF_IDS",
        "ANCHORS_OF_TURNS",
    }  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_searches_by_key_and_sorts_nothing_of_unknown_length(engine: Engine, name: str) -> None:
    statement: Any = STATEMENTS[name]
    compiled = statement.compile(dialect=engine.dialect)
    with plans_of(engine) as plans, engine.begin() as connection:
        connection.execute(statement, {**dict.fromkeys(compiled.params, 1), **_MOMENTS})
    (plan,) = plans.values()
    assert any(step.startswith("SEARCH ") for step in plan)
    assert faults(plan) == []
    # System turns are few, except for clients that send the same ones with every request.
    grouped = ["USE TEMP B-TREE FOR GROUP BY", "UNION USING TEMP B-TREE"] if name == "SYSTEM_TURNS" else []
    sorts = [step for step in plan if "TEMP B-TREE" in step and step not in grouped]
    assert not sorts, "an index has them in order, so that a LIMIT ends it"


@pytest.mark.parametrize("name", READS)
def test_every_statement_of_a_read_transaction_searches_by_key(engine: Engine, name: str) -> None:
    with plans_of(engine) as plans, engine.begin() as connection:
        READS[name](ReadTransaction(connection))
    assert plans
    assert {statement: found for statement, plan in plans.items() if (found := faults(plan))} == {}


def test_a_query_reads_its_segments_and_not_every_turn(engine: Engine) -> None:
    with plans_of(engine) as plans, engine.begin() as connection:
        ReadTransaction(connection).turns_of_segments(HEAD, [3], cap=100)
    searches = [step for plan in plans.values() for step in plan if step.startswith("SEARCH ")]
    assert [step.split()[1] for step in searches] == ["node"] + ["turn"] * 8
    assert all("seq>? AND seq<?" in step for step in searches[1:])


def test_passages_are_looked_up_by_their_keys(engine: Engine) -> None:
    with plans_of(engine) as plans, engine.begin() as connection:
        connection.execute(query_statements.HIT_PASSAGES, {"conversation": 1, "numbers": "256,512"})
    (plan,) = plans.values()
    assert plan[0] == "SEARCH passage USING INDEX sqlite_autoindex_passage_1 (conversation=? AND bundle=?)"


def test_the_top_anchors_come_from_the_partial_index(engine: Engine) -> None:
    with plans_of(engine) as plans, engine.begin() as connection:
        connection.execute(statements.TOP_ANCHOR_ROWS, {"conversation": HEAD.id})
    assert [step for plan in plans.values() for step in plan] == [
        "SEARCH anchor USING INDEX anchor_top (conversation=?)",
        # The anchor that a correction replaces: by key, and only where there is one.
        "SEARCH replaced USING INDEX sqlite_autoindex_anchor_1 (conversation=? AND id=?) LEFT-JOIN",
        # The speaker and the time of the turn.
        "SEARCH turn USING INDEX sqlite_autoindex_turn_1 (conversation=? AND seq=?)",
    ]


ANCHOR = (
    "INSERT INTO conversation (id, tenant, external_id) VALUES (1, 'acme', 'c')",
    "INSERT INTO anchor_posting (conversation, term, anchor) VALUES (1, 'pool', 3)",
    (
        "INSERT INTO anchor (conversation, id, node_idx, seq, start_offset, end_offset, kind, body, tokens, score, "
        "rank, state) VALUES (1, 3, 0, 1, 0, 4, 1, 'pool', 1, 5, 5, 0)"
    ),
)


def test_earlier_anchors_are_looked_for_by_key(engine: Engine) -> None:
    with plans_of(engine) as plans, engine.begin() as connection:
        for statement in ANCHOR:
            connection.exec_driver_sql(statement)
        candidates(connection, HEAD.id, ["pool", "size"], 7)
    assert {statement: found for statement, plan in plans.items() if (found := faults(plan))} == {}
    (sharing,) = (plan for statement, plan in plans.items() if "anchor_posting" in statement)
    assert {step.split(" (")[-1] for step in sharing if step.startswith("SEARCH ")} == {"conversation=? AND term=?)"}


def test_what_is_over_comes_from_the_partial_index_in_its_order(engine: Engine) -> None:
    with plans_of(engine) as plans, engine.begin() as connection:
        settled(connection, HEAD.id)
    contested = [plan for plan in plans.values() if "SCAN want" in plan]
    assert len(plans) == len(SETTLED) + len(contested)
    assert [faults(plan) for plan in contested] == [[], []]
    for plan in (plan for plan in plans.values() if plan not in contested):
        assert plan[0].startswith("SEARCH anchor USING INDEX anchor_over (conversation=? AND state=?")
        assert faults(plan) == []
        assert not [step for step in plan if "TEMP B-TREE" in step]


def test_what_a_model_let_be_over_comes_from_the_partial_index(sqlite_url: str) -> None:
    writer = connect(sqlite_url, write=True, timeout_seconds=10)
    with plans_of(writer) as plans, writer.begin() as connection:
        unmark_over(connection, HEAD.id, range(40))
    writer.dispose()
    ((step,),) = plans.values()
    assert step.startswith("SEARCH anchor USING INDEX anchor_overtaken (conversation=? AND filler")


def test_a_scan_or_a_search_without_the_conversation_would_be_noticed(engine: Engine) -> None:
    with plans_of(engine) as plans, engine.begin() as connection:
        connection.exec_driver_sql("SELECT * FROM turn")
        connection.exec_driver_sql("SELECT * FROM turn WHERE rowid = 5")
    assert all(faults(plan) for plan in plans.values())
    assert len(plans) == 2


def test_statements_over_lists_are_the_same_text_however_long_the_list_is(engine: Engine) -> None:
    """A constant text lets drivers and servers reuse their plans."""
    with plans_of(engine) as plans, engine.begin() as connection:
        read = ReadTransaction(connection)
        for many in (1, 7, 64):
            read.texts(HEAD, [(0, i, 1) for i in range(many)])
            read.stored_seqs(HEAD, [f"m-{i}" for i in range(many)])
            read.postings(HEAD, [f"term{i}" for i in range(min(many, 16))])
            read.turns_of_segments(HEAD, list(range(min(many, 8))), cap=many)
    assert len(plans) == 6
