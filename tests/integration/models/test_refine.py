"""A model refines chapters; the words of the rules stay as they are, whatever it does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from support.places import shard_of
from support.refinery import Refinery
from support.stored import broken_invariants
from support.talk import talk
from turnfold.contract.records import ConversationId
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.testing import model_replies as scribe
from turnfold_worker.testing.model_server import OpenAIServer
from turnfold_worker.wiring.models import refine_target

pytestmark = pytest.mark.daily_on("sqlite")


def test_two_closed_segments_are_refined_in_one_call_and_their_chapter_after_its_last(refinery: Refinery) -> None:
    refinery.fold("c")
    subjects = [row[0] for row in refinery.query("SELECT subject FROM job WHERE kind = 'refine' ORDER BY id")]
    assert subjects == [*range(0, 2 * (len(subjects) - 1), 2), -1]
    assert set(refinery.states) == {"done", "skipped"}
    asked = refinery.states.count("done")
    assert refinery.server.purposes() == ["notes"] * (asked - 1) + ["chapter"]
    assert {request["model"] for request in refinery.server.requests[:-1]} == {"gpt-4o"}
    assert refinery.server.requests[-1]["model"] == "gpt-4o-mini"
    assert {(height, level) for height, _, level, _ in refinery.levels()} == {(h, n) for h in (0, 1) for n in (1, 2, 3)}
    used = refinery.used("c")
    assert used == refinery.used()
    assert (used["failed"], used["quotes_refused"], used["notes_refused"]) == (0, 0, 0)
    assert used["requests"] == asked
    assert used["input_tokens"] + used["output_tokens"] == refinery.server.billed
    assert used["notes_kept"] == refinery.count("model_note") > 0
    assert used["quotes_kept"] == refinery.count("anchor WHERE refined = 1") > 0
    assert used["cost_micros"] > 0
    assert broken_invariants(refinery.local.engine) == {}


def test_what_is_asked_is_the_same_whenever_it_is_asked(
    make_refinery: Callable[..., Refinery], openai_server: OpenAIServer
) -> None:
    refinery = make_refinery()
    turns = talk("c", 60)
    refinery.fold("c", turns[:40])
    refinery.tf.append("c", turns[40:])
    refinery.local.settle()
    early = {json.dumps(request["messages"]) for request in openai_server.requests}
    openai_server.requests.clear()
    refinery.fold("d", turns)
    late = {json.dumps(request["messages"]) for request in openai_server.requests}
    assert early == late


def test_the_goal_the_constraints_and_earlier_anchors_are_given(refinery: Refinery) -> None:
    refinery.tf.configure("c", goal="Sell tickets", constraints=["no AWS"])
    refinery.fold("c", 60)
    prompts = [request["messages"][1]["content"] for request in refinery.server.requests]
    assert all(prompt.startswith("Goal of the conversation: Sell tickets\nConstraint: no AWS\n") for prompt in prompts)
    first = next(prompt for prompt in prompts if "=== segment 1 (" in prompt)
    ninth = next(prompt for prompt in prompts if "=== segment 9 (" in prompt)
    assert "=== kept before\n" not in first
    assert "=== kept before\n" in ninth


def test_a_conversation_that_is_forgotten_during_a_call_leaves_nothing(refinery: Refinery) -> None:
    def forget_and_answer(request: dict[str, Any]) -> str:
        refinery.tf.forget("c", timeout_seconds=0)
        from turnfold.contract.keys import Address

        refinery.local.worker.erase(shard_of(Address("acme", "c")))
        return scribe.answer(request)

    refinery.server.answer = forget_and_answer
    refinery.fold("c")
    for table in ("conversation", "reply", "usage", "level", "anchor", "job"):
        assert refinery.count(table) == 0, table
    assert refinery.used()["requests"] == 1


def test_a_person_settles_what_a_model_found_and_it_stays_so(
    make_refinery: Callable[..., Refinery], refinery: Refinery
) -> None:
    refinery.fold("c")
    found = [anchor for anchor in refinery.tf.anchors("c") if anchor.refined]
    assert found
    shown = refinery.tf.status("c").anchors
    refinery.tf.resolve_anchor("c", found[0].id)
    refinery.local.settle()
    assert refinery.tf.status("c").anchors == shown - 1
    assert broken_invariants(refinery.local.engine) == {}
    other = make_refinery(extract_model="another")
    SqlRefinementAdmin(other.local.write_engine, refine_target(other.local.worker.settings)).ask(1)
    other.local.settle()
    again = {anchor.position[:2]: anchor.state for anchor in other.tf.anchors("c", states=None) if anchor.refined}
    assert refinery.query("SELECT DISTINCT model FROM anchor WHERE refined = 1") == [("another",)]
    assert again[found[0].position[:2]] == "resolved"
    assert other.tf.status("c").anchors == shown - 1


def test_a_group_in_which_nothing_can_be_won_is_skipped_and_counted(refinery: Refinery) -> None:
    refinery.fold("c", [{"role": "user" if i % 2 else "assistant", "content": "ok"} for i in range(60)])
    assert set(refinery.states) == {"skipped"}
    assert refinery.server.requests == []
    assert refinery.used()["skipped"] == len(refinery.states)


def test_larger_groups_are_asked_for_where_that_is_set(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(refine_segments=8)
    refinery.fold("c")
    assert refinery.server.purposes() == ["notes", "chapter"]
    assert {height for height, *_ in refinery.levels()} == {0, 1}


def test_a_chapter_is_told_from_its_segments_notes(refinery: Refinery) -> None:
    refinery.fold("c")
    prompt = refinery.server.requests[-1]["messages"][1]["content"]
    notes = "FROM model_note WHERE height = 0 AND idx < 8 AND importance"
    telling = refinery.query(f"SELECT body {notes} >= 3")
    other = refinery.query(f"SELECT body {notes} < 3 AND idx IN (SELECT idx {notes} >= 3)")
    assert telling
    assert all(f": {body}\n" in prompt for (body,) in telling)
    assert other
    assert not any(f": {body}\n" in prompt for (body,) in other)
    assert "(note c-1)" not in prompt, "no words of turns"


def test_without_a_model_there_are_no_jobs(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(refine="off")
    refinery.fold("c")
    assert refinery.states == []
    assert refinery.server.requests == []


def test_repeated_quotes_become_one_anchor_and_what_the_rules_keep_becomes_none(refinery: Refinery) -> None:
    def greedy(request: dict[str, Any]) -> str:
        body = json.loads(scribe.answer(request))
        for segment in body.get("segments", ()):
            told = next(
                one
                for one in scribe.read_request(request["messages"][1]["content"])
                if one.number == segment["segment"]
            )
            kept = [
                {"turn": numbers[0], "type": "decision", "quote": words[words.index("<<") : words.index(">>")]}
                for numbers, _, words in told.turns
                if "<<" in words
            ]
            segment["quotes"] = [*segment["quotes"] * 2, *kept]
        return json.dumps(body)

    refinery.server.answer = greedy
    refinery.fold("c")
    used = refinery.used()
    assert used["quotes_kept"] == refinery.count("anchor WHERE refined = 1") > 0
    assert used["quotes_refused"] == 0


def standing_facts(refinery: Refinery) -> str:
    return refinery.tf.context("c", budget_tokens=4_000).text.partition("[background")[0]


def test_kept_words_that_a_model_calls_filler_leave_contexts_until_it_is_undone(refinery: Refinery) -> None:
    def dismissive(request: dict[str, Any]) -> str:
        body = json.loads(scribe.answer(request))
        for segment in body.get("segments", ()):
            segment["filler"] = [*range(1, 100), True, 10_000]
        return json.dumps(body)

    refinery.append("c", 120)
    refinery.fold_only()
    digest, before = refinery.local.digest("c"), standing_facts(refinery)
    refinery.server.answer = dismissive
    refinery.go_on()
    filler = dict(refinery.query("SELECT id, body FROM anchor WHERE filler = 1"))
    shown = {id_ for id_, body in filler.items() if f": {body}" in before}
    assert shown
    assert not any(f": {filler[id_]}" in standing_facts(refinery) for id_ in shown)
    assert {"constraint", "instruction", "correction"}.isdisjoint(
        anchor.type for anchor in refinery.tf.anchors("c") if anchor.id in filler
    )
    assert refinery.local.digest("c") == digest
    admin = SqlRefinementAdmin(refinery.local.write_engine, refine_target(refinery.local.worker.settings))
    (conversation,) = refinery.query("SELECT id FROM conversation")
    admin.undo(ConversationId(conversation[0]))
    assert refinery.count("anchor WHERE filler = 1") == 0


def test_kept_words_that_a_model_notes_stand_once_in_contexts_until_it_is_undone(refinery: Refinery) -> None:
    refinery.append("c", 120)
    refinery.fold_only()
    digest = refinery.local.digest("c")
    refinery.go_on()
    told = dict(refinery.query("SELECT id, body FROM anchor WHERE filler = 2"))
    assert told
    assert not any(f": {body}" in standing_facts(refinery) for body in told.values())
    assert {"decision", "preference", "critical_fact"}.issuperset(
        anchor.type for anchor in refinery.tf.anchors("c") if anchor.id in told
    )
    assert refinery.local.digest("c") == digest
    admin = SqlRefinementAdmin(refinery.local.write_engine, refine_target(refinery.local.worker.settings))
    (conversation,) = refinery.query("SELECT id FROM conversation")
    admin.undo(ConversationId(conversation[0]))
    assert refinery.count("anchor WHERE filler <> 0") == 0


def test_fewer_segments_than_a_job_has_are_refined_when_none_follows_for_long(
    make_refinery: Callable[..., Refinery],
) -> None:
    refinery, turns = make_refinery(refine_idle_seconds=600), talk("c", 40)
    closed = 0
    while not refinery.count("node"):
        closed += 1
        refinery.fold("c", turns[closed - 1 : closed])
    assert refinery.states == ["due"]
    assert refinery.server.requests == []
    refinery.go_on()
    assert refinery.states == ["done"]
    assert {row[0] for row in refinery.query("SELECT idx FROM model_note")} == {0}
    while refinery.count("node") < 2:
        closed += 1
        refinery.fold("c", turns[closed - 1 : closed])
    assert refinery.states == ["done"]
    assert refinery.server.purposes() == ["notes", "notes"]
    first, both = (request["messages"][1]["content"] for request in refinery.server.requests)
    assert ("=== segment 2" in first, "=== segment 2" in both) == (False, True)


def test_asking_for_all_does_not_wait_for_more_segments(make_refinery: Callable[..., Refinery]) -> None:
    refinery, turns = make_refinery(refine_idle_seconds=0), iter(talk("c", 40))
    while not refinery.count("node"):
        refinery.fold("c", [next(turns)])
    assert refinery.states == []
    admin = SqlRefinementAdmin(refinery.local.write_engine, refine_target(refinery.local.worker.settings))
    (conversation,) = refinery.query("SELECT id FROM conversation")
    assert admin.ask(ConversationId(conversation[0])) == 1
    refinery.local.settle()
    assert refinery.states == ["done"]
