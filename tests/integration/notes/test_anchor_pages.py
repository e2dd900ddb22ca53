"""Anchors come in pages of whole turns, filtered before they are counted; none is missing or repeated."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import event, text

from conftest import Filling, LocalWorker
from turnfold import Anchor, AnchorState, InvalidInput, Settings, Turnfold
from turnfold.contract.records import ConversationId
from turnfold.contract.results import Head
from turnfold.contract.wanted_anchors import WantedAnchors
from turnfold.database import anchor_read
from turnfold.database.anchor_read import AnchorRead
from turnfold.database.engines import connect
from turnfold.read.anchor_pages import anchor_page
from turnfold.tools import Lookups, handle
from turnfold_worker.cli import main

BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAID = [
    "Decision: we use PostgreSQL {0} for service {1}. The budget of service {1} is {2} euros a month.",
    "I will send the estimate for service {1} by Friday. Who owns service {1}?",
    "Correction: the budget of service {1} is {3} euros a month, not {2}.",
    "We must keep the data of service {1} inside the EU. We must never call the client of service {1} before nine.",
]

LONG = (
    """INSERT INTO conversation (id, tenant, external_id, turn_count, closed_seq, fold_seq, node_count, revision)
        SELECT i, 'acme', 'c' || i, 5000, 5000, 5000, 1, 1 FROM generate_series(11, 13) i""",
    """INSERT INTO turn (conversation, seq, turn_id, role, content, importance, tokens, content_hash)
        SELECT id, s, 't' || s, 'user', 'text', 1, 3, ''::bytea FROM conversation, generate_series(1, 5000) s
        WHERE id > 10""",
    """INSERT INTO anchor (conversation, id, node_idx, seq, start_offset, end_offset, kind, body, tokens, score, rank,
            state)
        SELECT id, s * 2 + a, 0, s, a, 4, 1, 'text', 1, 5, 3, 0
        FROM conversation, generate_series(1, 5000) s, generate_series(0, 1) a WHERE id > 10""",
)

Ask = Callable[..., list[Anchor]]


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a hundred days with decisions, limits and their replacements; the newest turns are open."""
    turns = [
        {
            "role": "user", "turn_id": f"t{day}", "created_at": BEGAN + timedelta(days=day),
            "content": SAID[day % 4].format(14 + day % 3, day // 4, 300 + day, 400 + day),
        }
        for day in range(100)
    ]  # fmt: skip

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.append("c", turns)
        make_worker().fold()

    return fill


@pytest.fixture
def many(tf: Turnfold) -> Ask:
    def ask(**wanted: Any) -> list[Anchor]:
        return tf.anchors("c", **wanted)

    return ask


def paged(ask: Ask, limit: int, **wanted: Any) -> list[list[Anchor]]:
    """Return all pages of a request."""
    pages: list[list[Anchor]] = []
    first_turn = 1
    while page := ask(**wanted, limit=limit, first_turn=first_turn):
        pages.append(page)
        first_turn = page[-1].turn_seq + 1
    return pages


QUESTIONS: dict[str, dict[str, Any]] = {
    "active": {},
    "every state": {"states": None},
    "what is over": {"states": ["superseded", "resolved", "duplicate"]},
    "a type": {"types": ["constraint"], "states": None},
    "a day": {"as_of": BEGAN + timedelta(days=41)},
    "every state of a day": {"as_of": BEGAN + timedelta(days=41), "states": None},
    "some turns": {"last_turn": 61, "states": None},
}


@pytest.mark.daily_on("sqlite")
def test_pages_have_whole_turns_and_together_all_that_is_asked_for(many: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = {name: many(**wanted) for name, wanted in QUESTIONS.items()}
    all_states = everything["every state"]
    assert len(all_states) > 100
    assert any(anchor.provisional for anchor in all_states)
    assert everything["active"] == [one for one in all_states if one.state is AnchorState.ACTIVE]
    assert 0 < len(everything["what is over"]) < len(all_states)
    assert everything["a day"]
    assert everything["a day"] == [one for one in everything["every state of a day"] if one.state is AnchorState.ACTIVE]
    # Blocks that end within turns, and turns that are larger than a block.
    for block in (1, 7):
        monkeypatch.setattr(anchor_read, "BLOCK", block)
        for name, wanted in QUESTIONS.items():
            assert many(**wanted) == everything[name], (block, name)
    monkeypatch.setattr(anchor_read, "BLOCK", 5)
    for name, wanted in QUESTIONS.items():
        for limit in (1, 50):
            pages = paged(many, limit, **wanted)
            assert [anchor for page in pages for anchor in page] == everything[name], (limit, name)
            for page in pages:
                assert len(page) <= limit or len({anchor.turn_seq for anchor in page}) == 1


@pytest.mark.postgresql
def test_postgresql_reads_a_page_in_the_order_of_an_index(postgresql_url: str) -> None:
    engine = connect(postgresql_url, write=True, timeout_seconds=30)
    with engine.begin() as connection:
        for statement in LONG:
            connection.execute(text(statement))
    plans: list[str] = []

    def explain(connection: Any, cursor: Any, statement: str, parameters: Any, *_: object) -> None:
        cursor.execute(f"EXPLAIN {statement}", parameters)
        plans.append("\n".join(row[0] for row in cursor.fetchall()))

    with engine.connect() as connection:
        connection.execute(text("ANALYZE"))
        event.listen(engine, "before_cursor_execute", explain)
        head = Head(
            id=ConversationId(11), turn_count=5_000, closed_seq=5_000, fold_seq=5_000, node_count=1,
            anchor_count=10_000, anchor_tokens=50, revision=3,
        )  # fmt: skip
        page = anchor_page(AnchorRead(connection, head), WantedAnchors(first_turn=2_000, limit=20))
        event.remove(engine, "before_cursor_execute", explain)
    engine.dispose()
    assert [anchor.turn_seq for anchor in page] == [2_000 + number // 2 for number in range(20)]
    (plan,) = [plan for plan in plans if "Limit" in plan and "anchor" in plan]
    assert "anchor_span_key" in plan
    assert "Sort" not in plan
    assert "Seq Scan" not in plan


def test_chosen_ids_come_in_pages_too(many: Ask) -> None:
    every = [anchor for anchor in many(states=None) if not anchor.provisional]
    ids = [anchor.id for anchor in every[::3]]
    assert [one.id for page in paged(many, 4, ids=ids, states=None) for one in page] == ids
    assert many(types=[]) == []


@pytest.mark.parametrize("limit", [0, -1, "many", None])
def test_a_limit_is_a_number_of_anchors(tf: Turnfold, limit: Any) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        tf.anchors("c", limit=limit)


def test_edits_that_wait_are_left_out_before_anchors_are_counted(many: Ask, tf: Turnfold) -> None:
    first, second = (page[0].turn_seq for page in paged(many, 1)[:2])
    tf.delete("c", f"t{first - 1}")
    assert many(limit=1)[0].turn_seq == second


@pytest.mark.daily_on("postgresql")
def test_the_command_says_how_to_go_on(many: Ask, settings: Settings) -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(
            main,
            ["--redis-url", settings.redis_url, "--database-url", settings.database_url, "--tenant", "acme", "anchors",
             "c", *arguments],
        )  # fmt: skip

    first = many(limit=3)
    assert f"there are more: --first-turn {first[-1].turn_seq + 1}" in run("--limit", "3").stderr
    behind = json.loads(run("--first-turn", str(first[-1].turn_seq + 1), "--limit", "3", "--json").stdout)
    assert [one["id"] for one in behind] == [one.id for one in many(limit=3, first_turn=first[-1].turn_seq + 1)]
    assert "there are more" not in run("--last-turn", str(first[-1].turn_seq), "--limit", "3").stderr


@pytest.mark.daily_on("postgresql")
def test_a_model_reaches_what_is_behind_the_first_page(many: Ask, tf: Turnfold) -> None:
    def few(**wanted: Any) -> list[Anchor]:
        return many(**{"limit": 5, **wanted})

    every = many()
    lookups = Lookups(expand=None, search=None, anchors=few)  # type: ignore[arg-type]  # these are not called

    def ask(skip: int) -> str:
        call = {"type": "tool_use", "id": "1", "name": "anchors", "input": {"skip": skip}}
        return str(handle(call, lookups)["content"])

    assert every[12].text.split("\n")[0][:40] in ask(12)
    assert f"There are {len(every)} such anchors and none after them." in ask(len(every))
