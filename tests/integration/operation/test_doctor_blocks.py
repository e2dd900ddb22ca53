"""The doctor checks all conversations in blocks, reports where time ran out, and survives slow statements."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from sqlalchemy import Engine, text

from turnfold.database.engines import connect
from turnfold_worker.operate.doctor import Reach, blocks
from turnfold_worker.operate.doctor.finding import Finding
from turnfold_worker.operate.doctor.invariants import IN_BLOCKS, InvariantQuery

CONVERSATIONS = 3 * blocks.FIRST_BLOCK
LOOKED_AT = "conversations: all were checked"
ORDER = next(query.check for query in IN_BLOCKS if query.check.startswith("I3"))


@pytest.fixture
def many(database_url: str) -> None:
    """Conversations without turns, the oldest of which counts a turn that does not exist."""
    writer = connect(database_url, write=True, timeout_seconds=5)
    with writer.begin() as connection:
        connection.execute(
            text("INSERT INTO conversation (id, tenant, external_id, revision) VALUES (:id, 'acme', :name, 1)"),
            [{"id": number, "name": f"c{number}"} for number in range(1, CONVERSATIONS + 1)],
        )
        connection.execute(text("UPDATE conversation SET turn_count = 1, fold_seq = 1 WHERE id = 1"))
    writer.dispose()


@pytest.fixture
def slow_engine(postgresql_url: str) -> Iterator[Engine]:
    """A PostgreSQL engine with a short statement timeout."""
    engine = connect(postgresql_url, write=False, timeout_seconds=0.2)
    yield engine
    engine.dispose()


def looked_at(engine: Engine, reach: Reach, *, seconds_a_look: float = 0.0) -> dict[str, Finding]:
    ticks = count()
    findings = blocks.check_invariants(engine, reach, clock=lambda: next(ticks) * seconds_a_look)
    return {finding.check: finding for finding in findings}


@pytest.mark.usefixtures("many")
def test_what_there_was_no_time_for_is_named_and_looked_at_by_the_next_call(engine: Engine) -> None:
    first = looked_at(engine, Reach(seconds=2.0), seconds_a_look=1.0)
    assert first[LOOKED_AT].ok
    assert f"{blocks.FIRST_BLOCK} conversations; stopped after" in first[LOOKED_AT].detail
    reached = CONVERSATIONS - blocks.FIRST_BLOCK + 1
    assert f"--before {reached}`" in first[LOOKED_AT].detail
    assert first[ORDER].detail == f"none found in the {blocks.FIRST_BLOCK} checked conversations"
    second = looked_at(engine, Reach(before=reached))
    assert "acme:c1" in second[ORDER].detail
    assert second[LOOKED_AT].detail == f"{CONVERSATIONS - blocks.FIRST_BLOCK} conversations"


@pytest.mark.usefixtures("many")
def test_all_are_looked_at_where_time_allows_it(engine: Engine) -> None:
    findings = looked_at(engine, Reach())
    assert [check for check, finding in findings.items() if not finding.ok] == [ORDER]
    assert findings[LOOKED_AT].detail == f"{CONVERSATIONS} conversations"
    assert {finding.detail for finding in findings.values() if finding.ok and finding.check != LOOKED_AT} == {
        "none found"
    }


@pytest.mark.postgresql
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.usefixtures("many")
def test_a_block_that_the_database_gives_up_is_tried_in_parts(
    slow_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = InvariantQuery(
        "slow", "is slow",
        """SELECT c.id AS conversation FROM conversation AS c WHERE c.id = :first AND c.id = 1
           AND pg_sleep(CASE WHEN :last - :first > 20 THEN 1 ELSE 0 END)::text = ''
           UNION ALL SELECT c.id FROM conversation AS c WHERE c.id = 7 AND :first = 7
           AND pg_sleep(CASE WHEN :last = 7 THEN 1 ELSE 0 END)::text = ''
           UNION ALL SELECT c.id FROM conversation AS c WHERE 7 BETWEEN :first + 1 AND :last AND c.id = 7
           AND pg_sleep(1)::text = '' """,
        "nothing",
    )  # fmt: skip
    monkeypatch.setattr(blocks, "IN_BLOCKS", (slow,))
    findings = looked_at(slow_engine, Reach())
    assert "slow" in findings
    assert f"{CONVERSATIONS - 1} conversations" in findings[LOOKED_AT].detail
    assert "timed out: 1 with too many rows" in findings[LOOKED_AT].detail
    assert "(conversation 7)" in findings[LOOKED_AT].detail
