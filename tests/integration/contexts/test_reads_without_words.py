"""A lean read loads the text of few turns, and its context equals that of a read of all turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.long_turns import prose
from support.talk import talk
from turnfold import Context, Turnfold
from turnfold.contract.turn_limits import cap_for
from turnfold.database import query_statements, statements, value_read
from turnfold.database.driver import Driver
from turnfold.database.engines import connect
from turnfold.database.rows import content_size

BUDGETS = (400, 1_000, 8_000)


def working(count: int) -> Iterator[dict[str, Any]]:
    """Yield tool calls with one or two results each, between messages of people, one of whom speaks early on only."""
    for number in range(count):
        step = number % 5
        made: dict[str, Any] = {
            "role": "assistant",
            "content": f"Step {number} takes {number % 97} ms, it never fails.",
        }
        if step == 0:
            name = "Ines" if number < 40 else "Tomas"
            made = {"role": "user", "name": name, "content": f"Please check src/part_{number}.py.\nInes: it is broken"}
        elif step == 1:
            calls = [
                {"id": f"{kind}{number}", "type": "function", "function": {"name": "run", "arguments": "{}"}}
                for kind in "ab"
            ]
            made = {"role": "assistant", "content": None, "tool_calls": calls}
        elif step in {2, 3}:
            told = f"part_{number}: " + "all is well here. " * (number % 13)
            made = {"role": "tool", "tool_call_id": f"{'_' * (step - 2)}{'ab'[step - 2]}{number - step + 1}".strip("_")}
            made["content"] = told
        yield {**made, "turn_id": f"t{number}"}


def all_of(context: Context) -> tuple[object, ...]:
    messages = [json.dumps(context.messages(form), sort_keys=True) for form in ("openai", "anthropic")]
    return (context.text, context.tokens, context.markers, context.coverage, context.budget, *messages)


@pytest.mark.daily_on("sqlite")
@pytest.mark.parametrize("name", ["talk", "tools"])
def test_a_lean_read_makes_the_context_of_a_whole_one(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    tf.append(name, talk(name, 260) if name == "talk" else list(working(260)))
    local.settle()

    def contexts() -> list[tuple[object, ...]]:
        found = []
        for budget in BUDGETS:
            for query in (None, "What did we decide about src/part_40.py?"):
                tf.close()  # the caches go with the connections
                found.append(all_of(tf.context(name, budget_tokens=budget, query=query)))
        return found

    for waiting in (0, 3, 12):
        tf.append(name, [{"role": "user", "content": f"And {waiting} {number}?"} for number in range(waiting)])
        lean = contexts()
        with monkeypatch.context() as patched:
            patched.setattr(value_read, "_wants_all_words", lambda *_: True)
            assert contexts() == lean


def test_a_context_that_shows_more_turns_than_were_read_is_read_once_more(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    tf.append("c", talk("talk", 260))
    local.settle()
    read: list[int] = []
    whole = value_read.lazy_turns

    def counted(shapes: Any, words: Any, *more: Any) -> Any:
        read.append(len(words))
        return whole(shapes, words, *more)

    monkeypatch.setattr(value_read, "lazy_turns", counted)
    monkeypatch.setattr(value_read, "_ALL_A_TURN", 1_000)

    few = tf.context("c", budget_tokens=1_000)
    assert len(read) == 1
    assert read[0] < 100
    many = tf.context("c", budget_tokens=9_000)
    assert read[1:] in ([read[1], 200], [200])
    assert len(many.chat.turns) > len(few.chat.turns)
    tf.context("c", budget_tokens=9_000)
    assert len(read) <= 3  # whole turns come from the cache


@pytest.mark.daily_on("sqlite")
def test_a_read_of_long_turns_fetches_those_that_it_shows_and_little_more_of_them(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [prose(topic, tokens=20_000) for topic in ("ferry", "roof", "bakery")]
    tf.append("c", [{"role": "user", "content": f"Part {number}. {turns[number % 3]}"} for number in range(12)])
    local.settle()
    fetched = 0
    whole = value_read.lazy_turns

    def counted(shapes: Any, words: Any, *more: Any) -> Any:
        nonlocal fetched
        fetched += content_size(words)
        return whole(shapes, words, *more)

    monkeypatch.setattr(value_read, "lazy_turns", counted)
    context = tf.context("c", budget_tokens=4_000)
    lean = all_of(context)
    assert fetched <= 12 * cap_for(4_000) <= 12 * 8 * 4_000
    tf.close()
    with monkeypatch.context() as patched:
        patched.setattr(value_read, "_wants_all_words", lambda *_: True)
        assert all_of(tf.context("c", budget_tokens=4_000)) == lean


def test_a_connection_in_use_is_closed_when_it_comes_back_to_a_closed_driver(engine: Engine) -> None:
    driver = Driver(engine)
    with driver.connection() as first:
        pass
    with driver.connection() as again:
        assert again is first
        driver.close()
        asked = (statements.HEAD, {"tenant": "acme", "external_id": "c"})
        assert again.rows(*asked) == []
    with pytest.raises(engine.dialect.loaded_dbapi.Error, match="closed"):
        again.rows(*asked)
    with driver.connection() as other:
        assert other.rows(*asked) == []
    driver.close()


@pytest.mark.postgresql
def test_a_statement_has_one_plan_whatever_its_numbers_are(postgresql_url: str) -> None:
    """Psycopg sends an integer in the smallest type that holds it, and prepares a statement for each list of types."""
    engine: Engine = connect(postgresql_url, write=False, timeout_seconds=10)
    driver = Driver(engine)
    with driver.connection() as connection:
        for number in (1, 40_000, 70_000, 2**31 - 1, -1, 300, 32_768, 5, 6, 7, 8):
            seqs = {f"s{i}": number + (i % 2) * -1 for i in range(query_statements.ANSWERING)}
            short = {"head": number, "tail": 5}
            connection.rows(query_statements.ANSWERING_TURNS, {"conversation": 1, **seqs, **short})
        (prepared,) = connection._run(
            "SELECT count(*) FROM pg_prepared_statements WHERE strpos(statement, 'AS node_idx') > 0"
        )
        (generic,) = connection._run("SHOW plan_cache_mode")
    assert prepared == (1,)
    assert generic == ("force_generic_plan",)
    driver.close()
    engine.dispose()


@pytest.mark.postgresql
def test_all_statements_of_a_snapshot_see_one_state(postgresql_url: str) -> None:
    read, write = (connect(postgresql_url, write=one, timeout_seconds=10) for one in (False, True))
    driver = Driver(read)
    asked = (statements.HEAD, {"tenant": "acme", "external_id": "c"})
    with driver.connection() as connection:
        with connection.snapshot():
            assert connection.rows(*asked) == []
            with write.begin() as writing:
                writing.execute(text("INSERT INTO conversation (tenant, external_id) VALUES ('acme', 'c')"))
            assert connection.batch(asked, asked) == [[], []]
            assert connection.batch(asked, last=True) == [[]]
        assert len(connection.rows(*asked)) == 1
    driver.close()
    read.dispose()
    write.dispose()
