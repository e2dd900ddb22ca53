"""A conversation's count of refined turns follows every change."""

from __future__ import annotations

import pytest

from support.refinery import Refinery
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.wiring.models import refine_target

pytestmark = pytest.mark.daily_on("sqlite")

SHOWN = "SELECT COALESCE(SUM(last_seq - first_seq + 1), 0) FROM node WHERE height = 0 AND refined <> 0"


def counted(refinery: Refinery) -> int:
    """Return the count; check that it equals the sum over segments."""
    (refined,) = refinery.query(SHOWN)
    assert refinery.query("SELECT refined_turns FROM conversation") == [refined]
    assert refinery.tf.status("c").refined == refined[0]
    return int(refined[0])


def test_refined_turns_are_counted_through_edits_rewinds_and_an_undo(refinery: Refinery) -> None:
    refinery.fold("c", 72)
    refinery.go_on()
    all_refined = counted(refinery)
    assert all_refined > 30
    turns = refinery.tf.turns("c")

    refinery.tf.edit("c", turns[7].turn_id, content="We decided on Postgres 17.")
    refinery.fold_only()
    assert counted(refinery) < all_refined, "what the model saw was changed"
    refinery.go_on()
    refinery.local.settle()
    assert counted(refinery) > 0

    refinery.tf.rewind("c", after=turns[29].turn_id)
    refinery.local.settle()
    after_rewind = counted(refinery)
    assert after_rewind <= 30

    refinery.append("c", 24)
    refinery.go_on()
    assert counted(refinery) > after_rewind

    admin = SqlRefinementAdmin(refinery.local.write_engine, refine_target(refinery.local.worker.settings))
    conversation = admin.conversations("acme")[0]
    admin.undo(conversation)
    assert counted(refinery) == 0
    admin.ask(conversation)
    refinery.go_on()
    assert counted(refinery) > 0
