"""Groups of segments that are important, large or often read are refined first."""

from __future__ import annotations

import pytest

from support.refinery import Refinery
from support.talk import talk
from support.waiting import wait_until
from turnfold_worker.adapters.sql import refine_jobs as sql_refine_jobs
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.wiring.models import refine_target

pytestmark = pytest.mark.daily_on("sqlite")


def due(refinery: Refinery) -> list[int]:
    """Return due jobs in the order of their execution."""
    refinery.make_due()
    with refinery.local.engine.begin() as connection:
        return [int(job) for job in sql_refine_jobs.due(connection, 100, after="", lease_milliseconds=60_000)[0]]


def test_the_important_and_the_large_come_first(refinery: Refinery) -> None:
    refinery.append("small", [{**turn, "content": turn["content"][:60]} for turn in talk("small", 60)])
    refinery.append("large", talk("large", 60))
    refinery.append("pinned", [{**turn, "importance": "pin"} if i == 3 else turn for i, turn in enumerate(talk(3, 60))])
    refinery.fold_only()
    order = due(refinery)
    priorities = dict(refinery.query("SELECT id, priority FROM job WHERE kind = 'refine'"))
    assert len(order) == len(priorities) >= 3
    assert [priorities[job] for job in order] == sorted(priorities.values(), reverse=True)
    assert len(set(priorities.values())) > 1


def test_what_is_expanded_comes_sooner_also_when_it_is_refined_again(refinery: Refinery) -> None:
    refinery.append("c", 80)
    refinery.fold_only()
    before = due(refinery)
    assert len(before) >= 4
    last = before[-1]
    ((subject,),) = refinery.query("SELECT subject FROM job WHERE id = :id", id=last)
    for _ in range(20):
        refinery.tf.expand("c", f"L1:{subject + 1}")

    def counted() -> bool:
        refinery.local.worker.sweep()
        refinery.local.messages.waiting.clear()
        return bool(refinery.count("access WHERE expansions = 20"))

    wait_until(counted)
    assert due(refinery)[0] == last
    refinery.local.settle()
    said = "SELECT subject, priority FROM job WHERE kind = 'refine' AND subject >= 0"
    priorities = dict(refinery.query(said))
    assert max(priorities, key=lambda one: priorities[one]) == subject


def statements(refinery: Refinery, *, refined: int) -> list[str]:
    """Return the statements of level 1 of the third segment, without speakers and times."""
    (words,) = (body for height, idx, level, body in refinery.levels(refined) if (height, idx, level) == (0, 2, 1))
    return [line.split(": ", 1)[1] for line in words.splitlines() if ": " in line]


def in_detail(refinery: Refinery) -> list[str]:
    """Return the statements that a context shows in detail because their segment is looked up often."""
    context = refinery.tf.context("c", budget_tokens=1_500, query=False)
    assert context.tokens <= 1_500
    shown = (
        context.text.split("[looked up often, in detail]\n")[1]
        .split("[recent turns]")[0]
        .split("[background, continued]")[0]
    )
    return [line.split(": ", 1)[1] for line in shown.splitlines() if ": " in line]


def test_what_is_looked_up_often_is_shown_in_a_models_words(refinery: Refinery) -> None:
    refinery.append("c", 80)
    refinery.local.settle()
    for _ in range(5):
        refinery.tf.expand("c", "L0:3")

    def shown() -> bool:
        refinery.local.worker.sweep()
        return "looked up often" in refinery.tf.context("c", budget_tokens=1_500).text

    wait_until(shown)
    assert in_detail(refinery) == statements(refinery, refined=1)
    with refinery.local.write_engine.begin() as connection:
        conversation = connection.exec_driver_sql("SELECT id FROM conversation").scalar()
    admin = SqlRefinementAdmin(
        refinery.local.write_engine,
        refine_target(refinery.local.worker.settings),
    )
    admin.undo(conversation)
    assert in_detail(refinery) == statements(refinery, refined=0) != []
