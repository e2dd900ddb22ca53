"""`turnfold status` shows a tenant's totals without reading its rows one by one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest
from sqlalchemy import Engine, text

from conftest import Filling, LocalWorker
from turnfold import Turnfold
from turnfold_worker.operate import tenant_totals
from turnfold_worker.operate.tenant_totals import stored_totals


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds three conversations of short segments, one of them long enough for chapters, and stores a fourth."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        for name, turns in (("a", 60), ("b", 9), ("c", 12)):
            tf.configure(name, settings={"segment_max_turns": 5, "segment_min_turns": 2})
            tf.append(name, [
                {"role": "assistant" if i % 2 else "user", "content": f"We decided on option {i}: {i} ms at most."}
                for i in range(turns)
            ])  # fmt: skip
        tf.for_tenant("other").append("a", {"role": "user", "content": "We decided on nothing."})
        make_worker().settle()

    return fill


ROWS = {
    "turns": "SELECT count(*) FROM turn JOIN conversation ON id = conversation WHERE tenant = 'acme'",
    "segments": "SELECT count(*) FROM node JOIN conversation ON id = conversation WHERE tenant = 'acme' AND height = 0",
    "chapters": "SELECT count(*) FROM node JOIN conversation ON id = conversation WHERE tenant = 'acme' AND height > 0",
    "anchors": "SELECT count(*) FROM anchor JOIN conversation ON conversation.id = conversation "
    "WHERE tenant = 'acme' AND state = 0",
}


@pytest.mark.parametrize("kind", ROWS)
def test_totals_are_the_numbers_of_rows(engine: Engine, kind: str) -> None:
    with engine.begin() as connection:
        rows = connection.scalar(text(ROWS[kind]))
    totals = stored_totals(engine, "acme")
    assert totals.complete
    assert totals.conversations == 3
    assert rows
    assert getattr(totals, kind) == rows


def test_jobs_that_wait_are_counted_of_the_tenant_alone(engine: Engine, tf: Turnfold, local: LocalWorker) -> None:
    tf.append("d", {"role": "user", "content": "Hello."})
    local.drain()
    totals = stored_totals(engine, "acme")
    assert sum(totals.jobs["compress"].values()) == 1
    assert stored_totals(engine, "other").jobs == {}


def test_where_time_runs_out_totals_are_of_a_part_and_say_so(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenant_totals, "CONVERSATIONS_AT_ONCE", 1)
    seconds = count()
    totals = stored_totals(engine, "acme", seconds=2.0, clock=lambda: next(seconds))
    assert (totals.conversations, totals.complete) == (2, False)
    assert stored_totals(engine, "acme").turns == 81
