"""Levels 1 and 2 of an idle conversation are dropped, are rebuilt as they were after a read, and are never lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from conftest import Filling, LocalWorker
from support.stored import broken_invariants
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.contract.records import ConversationId
from turnfold.contract.tasks import Queue, Task
from turnfold.errors import InvalidSettings
from turnfold_worker.settings import WorkerSettings

DAYS = 30.0
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
LEVELS = "SELECT height, idx, level, body FROM level WHERE refined = 0 ORDER BY height, idx, level"


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a conversation with a chapter."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.append("talk", talk("idle levels", 160))
        make_worker().settle()

    return fill


@pytest.fixture
def local(make_worker: Callable[..., LocalWorker]) -> LocalWorker:
    return make_worker(keep_search_days=DAYS, drop_idle_levels=True)


def levels(local: LocalWorker) -> dict[tuple[int, int, int], str]:
    with local.engine.connect() as connection:
        return {(row.height, row.idx, row.level): row.body for row in connection.execute(text(LEVELS))}


def drop(local: LocalWorker) -> None:
    with local.write_engine.begin() as connection:
        connection.execute(text("UPDATE conversation SET updated_at = :moment"), {"moment": LONG_AGO.isoformat(" ")})
    local.worker.expire()


def id_of(local: LocalWorker) -> ConversationId:
    with local.engine.connect() as connection:
        return ConversationId(int(connection.scalar(text("SELECT id FROM conversation")) or 0))


def hear(local: LocalWorker) -> None:
    """Handle a client's ring as Celery does."""
    id_ = id_of(local)
    ring = keys.rung_for(Queue.COMPRESS)
    assert [member.decode() for member in local.client.zrange(ring, 0, -1)] == [f"{Task.COMPRESS} {id_}"]
    local.client.delete(ring)
    local.worker.fold_due(id_)
    local.settle()


def test_levels_go_and_come_back_as_they_were(tf: Turnfold, local: LocalWorker) -> None:
    before, digest = levels(local), local.digest("talk")
    told = tf.expand("talk", "L1:1")
    assert {height for height, _, _ in before} == {0, 1}
    drop(local)
    assert {level for _, _, level in levels(local)} == {3}
    assert broken_invariants(local.engine) == {}

    meanwhile = tf.expand("talk", "L1:1")
    assert (meanwhile.level, meanwhile.first_seq, meanwhile.last_seq) == (0, told.first_seq, told.last_seq)
    assert [turn.content for turn in meanwhile.turns] == [
        turn["content"] for turn in talk("idle levels", 160)[told.first_seq - 1 : told.last_seq]
    ]
    hear(local)
    assert levels(local) == before
    assert local.digest("talk") == digest
    assert tf.expand("talk", "L1:1") == told
    assert broken_invariants(local.engine) == {}


@pytest.mark.parametrize(
    "look",
    [
        lambda tf: tf.expand("talk", "L2:2"),
        lambda tf: tf.expand("talk", "L1:turns-1-150"),
        lambda tf: tf.segments("talk", words=True),
    ],
    ids=["segment", "range", "list"],
)
def test_every_look_at_levels_has_them_made_again(
    tf: Turnfold, local: LocalWorker, look: Callable[[Turnfold], object]
) -> None:
    whole = look(tf)
    drop(local)
    assert look(tf) != whole
    hear(local)
    assert look(tf) == whole


def test_contexts_are_as_before(tf: Turnfold, local: LocalWorker) -> None:
    budgets = (600, 2_000, 8_000)
    before = [tf.context("talk", budget_tokens=budget, query=False).text for budget in budgets]
    drop(local)
    with Turnfold(settings=tf._settings) as fresh:
        after = [fresh.context("talk", budget_tokens=budget, query=False).text for budget in budgets]
    assert after == before


def test_no_words_go_before_what_is_kept_of_them_is_back(
    tf: Turnfold, local: LocalWorker, make_worker: Callable[..., LocalWorker]
) -> None:
    before = levels(local)
    drop(local)
    with local.write_engine.begin() as connection:
        connection.execute(text("UPDATE node SET closed_at = closed_at - 8640000000 WHERE height = 0 AND idx < 4"))
        connection.execute(text("UPDATE conversation SET words_since = words_since - 8640000000"))
    assert make_worker(keep_level0_days=90).worker.expire() > 0
    assert levels(local) == before
    assert tf.expand("talk", "L1:1").level == 1


@pytest.mark.parametrize(
    "why",
    [
        "INSERT INTO tenant_quota (tenant, retention_days) SELECT tenant, 9 FROM conversation",
        "UPDATE conversation SET rules_version = 0",
        "UPDATE node SET method = 0 WHERE height = 0 AND idx = 3",
    ],
    ids=["words of the tenant go", "other rules", "plain words"],
)
def test_what_might_not_come_back_is_kept(local: LocalWorker, why: str) -> None:
    before = levels(local)
    with local.write_engine.begin() as connection:
        connection.execute(text(why))
    drop(local)
    assert levels(local) == before


@pytest.mark.parametrize(
    "also", [{}, {"keep_search_days": 9, "keep_level0_days": 9}], ids=["alone", "beside retention"]
)
def test_the_setting_is_refused_where_levels_could_be_lost(also: dict[str, float]) -> None:
    with pytest.raises(InvalidSettings, match="TURNFOLD_DROP_IDLE_LEVELS"):
        WorkerSettings(drop_idle_levels=True, **also)  # type: ignore[arg-type]
