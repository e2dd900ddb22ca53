"""What a model's refinement of a conversation leaves, and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conftest import Filling, LocalWorker, refinery_of
from support.refinery import SHORT_SEGMENTS, Refinery
from support.seals import unsealed
from support.talk import talk
from turnfold import Turnfold
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.offline import fold
from turnfold_worker.testing.model_server import OpenAIServer
from turnfold_worker.wiring.models import refine_target

pytestmark = pytest.mark.daily_on("sqlite")

TURNS = 80


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds and refines a conversation."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        with OpenAIServer() as server:
            refinery_of(tf, make_worker, server).fold("c", TURNS)

    return fill


def test_every_row_of_a_model_says_where_it_comes_from(refinery: Refinery) -> None:
    made_by = [("gpt-4o", "notes-8"), ("gpt-4o-mini", "chapter-5")]
    for rows in ("level WHERE refined = 1", "model_note"):
        assert refinery.query(f"SELECT DISTINCT model, prompt_version FROM {rows} ORDER BY 1") == made_by
    assert refinery.query("SELECT DISTINCT model, prompt_version FROM anchor WHERE refined = 1") == made_by[:1]
    other = "JOIN node n ON n.conversation = l.conversation AND n.height = l.height AND n.idx = l.idx "
    for rows in ("level l", "model_note l"):
        changed = f"SELECT 1 FROM {rows} {other} WHERE l.source_hash <> n.source_hash"
        assert refinery.query(changed) == []
    assert refinery.count("level WHERE refined = 0 AND model IS NOT NULL") == 0


def test_the_canonical_state_is_the_one_without_a_model(refinery: Refinery) -> None:
    assert refinery.levels()
    alone = fold(talk("c", TURNS), conversation_id="c", settings=SHORT_SEGMENTS)
    assert refinery.local.digest("c") == alone.digest()


def test_a_model_anchor_is_read_beside_those_of_the_rules_in_the_order_of_the_talk(refinery: Refinery) -> None:
    found = refinery.tf.anchors("c")
    of_model = [anchor for anchor in found if anchor.refined]
    assert of_model
    turns = {turn.seq: turn for turn in refinery.tf.expand("c", f"L0:turns-1-{TURNS}").turns}
    for anchor in of_model:
        assert turns[anchor.turn_seq].content[anchor.start : anchor.end] == anchor.text
    assert [(one.turn_seq, one.start) for one in found] == sorted((one.turn_seq, one.start) for one in found)
    # The open tail closes anchors provisionally only: the rows still count them.
    provisional = sum(anchor.provisional for anchor in found)
    stored = len(found) - provisional
    assert stored <= refinery.tf.status("c").anchors <= stored + provisional


@pytest.mark.parametrize("policy", ["balanced", "recency"])
def test_a_context_without_a_query_shows_the_models_notes_in_place_of_the_rules(
    refinery: Refinery, policy: str
) -> None:
    context = refinery.tf.context("c", budget_tokens=2_000, policy=policy)
    assert context.tokens <= 2_000
    shown = [body for (body,) in refinery.query("SELECT body FROM model_note") if body in context.text]
    assert len(shown) > 5
    rules = fold(talk("c", TURNS), conversation_id="c", settings=SHORT_SEGMENTS)
    rules_context = rules.context(budget_tokens=2_000, policy=policy).text
    assert unsealed(context.text) != unsealed(rules_context)
    SqlRefinementAdmin(
        refinery.local.worker.store._engine,
        refine_target(refinery.local.worker.settings),  # type: ignore[attr-defined]
    ).undo(1)
    undone = refinery.tf.context("c", budget_tokens=2_000, policy=policy)
    assert unsealed(undone.text) == unsealed(rules_context)


def test_an_expansion_shows_the_models_words(refinery: Refinery) -> None:
    words = {(height, idx, level): body for height, idx, level, body in refinery.levels()}
    assert refinery.tf.expand("c", "L1:1").text == words[0, 0, 1]
    assert refinery.tf.expand("c", "L2:c1-1").text == words[1, 0, 2]


def test_a_second_delivery_and_a_late_one_do_nothing(refinery: Refinery) -> None:
    before = refinery.levels()
    assert before
    assert refinery.local.worker.refine() == "nothing was due"
    assert (refinery.levels(), refinery.server.requests) == (before, [])


def test_a_job_that_is_run_again_is_answered_from_the_cache(refinery: Refinery) -> None:
    before = refinery.levels()
    assert before
    engine = refinery.local.write_engine
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE job SET state = 'due', not_before = 0 WHERE kind = 'refine'")
    refinery.local.settle()
    assert set(refinery.states) == {"done", "skipped"}
    assert refinery.levels() == before
    assert refinery.server.requests == []
    assert refinery.used()["cached_replies"] == refinery.states.count("done")


def test_a_forgotten_conversation_takes_its_replies_and_usage_along_and_leaves_the_tenants_bill(
    refinery: Refinery, tf: Turnfold
) -> None:
    spent = refinery.used()
    assert spent["requests"]
    tf.forget("c", timeout_seconds=0)
    refinery.local.settle()
    for table in ("reply", "usage", "level", "model_note", "model_outline", "anchor", "job"):
        assert refinery.count(table) == 0, table
    assert refinery.used() == spent
