"""Turnfold in a dozen tests, from the first append to forgetting. Read them from top to bottom."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from support.waiting import wait_until
from turnfold import (
    AnchorType,
    AsyncTurnfold,
    InvalidBudget,
    InvalidTurn,
    Section,
    Turn,
    Turnfold,
    UnknownMarker,
    UnknownReference,
)
from turnfold_worker.cli.stack import Stack
from turnfold_worker.offline import fold

pytestmark = [pytest.mark.processes, pytest.mark.apart, pytest.mark.xdist_group("tour")]

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str = "product-discussion") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_01_a_turn_is_a_message_dict_and_is_readable_at_once(turnfold: Turnfold) -> None:
    turnfold.append("conv", {"role": "user", "content": "We must use PostgreSQL."})
    context = turnfold.context("conv", budget_tokens=500)
    assert "We must use PostgreSQL." in context.text
    assert context.tokens <= 500


def test_02_workers_store_and_fold_what_was_appended(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    status = turnfold.wait("conv")
    assert status.stored == status.folded == len(example())
    assert status.inbox == 0
    assert status.segments > 3


def test_03_repeating_a_turn_id_changes_nothing(turnfold: Turnfold) -> None:
    turn = Turn(role="user", content="Ship on Monday.", turn_id="m-1", created_at=datetime(2026, 3, 2, tzinfo=UTC))
    for _ in range(3):
        assert turnfold.append("conv", turn).turn_ids == ["m-1"]
    assert turnfold.wait("conv").stored == 1


def test_04_a_context_never_exceeds_its_budget_and_covers_every_turn_once(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    for budget in (300, 500, 1_000, 2_000, 8_000):
        context = turnfold.context("conv", budget_tokens=budget)
        assert context.tokens <= budget
        assert context.coverage is not None
        spans = context.coverage.spans
        assert (spans[0].first_seq, spans[-1].last_seq) == (1, len(example()))
        assert all(later.first_seq == earlier.last_seq + 1 for earlier, later in pairwise(spans))


def test_05_anchors_are_the_words_that_were_said(turnfold: Turnfold) -> None:
    turns = example()
    turnfold.append("conv", turns)
    turnfold.wait("conv")
    anchors = turnfold.anchors("conv", states=None)
    assert {anchor.type for anchor in anchors} == set(AnchorType)
    for anchor in anchors:
        assert anchor.text == turns[anchor.turn_seq - 1]["content"][anchor.start : anchor.end]
    decisions = turnfold.anchors("conv", types={"decision"})
    assert any("PostgreSQL 16" in decision.text for decision in decisions)


def test_06_markers_expand_to_what_was_left_out(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    context = turnfold.context("conv", budget_tokens=800)
    assert context.markers
    for marker in context.markers:
        assert turnfold.expand("conv", marker).text
    verbatim = turnfold.expand("conv", "L0:turns-1-3")
    assert [turn.content for turn in verbatim.turns] == [turn["content"] for turn in example()[:3]]
    inline = turnfold.context("conv", budget_tokens=800, expand=["L0:turns-1-3"])
    assert str(verbatim.turns[0].content) in inline.text
    assert inline.tokens <= 800
    with pytest.raises(UnknownMarker, match="copy"):
        turnfold.expand("conv", "L1:made-up-4096")


def test_07_a_query_brings_what_it_asks_for(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    context = turnfold.context("conv", budget_tokens=1_000, query="What does Okralink charge for a refund?")
    assert "0.50 euros per refund" in context.text
    assert any("Fennpay" in hit.snippet for hit in turnfold.search("conv", "Fennpay charge"))


def test_08_a_context_is_ready_for_a_providers_client(turnfold: Turnfold) -> None:
    turnfold.append("conv", example("coding-agent"))
    turnfold.wait("conv")
    context = turnfold.context("conv", budget_tokens=3_000, system="You are a careful engineer.")
    openai = context.request("openai")["messages"]
    assert openai[0]["role"] == "system"
    assert openai[0]["content"].startswith("You are a careful engineer.")
    prompt = [
        Section(name="core", text="You are a careful engineer.", required=True),
        Section(name="trouble", text="A test failed: begin there.", when=frozenset({"failing"})),
    ]
    failing = turnfold.context("conv", budget_tokens=3_000, system=prompt, flags={"failing"})
    assert failing.text.startswith("You are a careful engineer.\n\nA test failed: begin there.\n")
    assert turnfold.context("conv", budget_tokens=3_000, system=prompt).text == context.text
    called = {call["id"] for message in openai for call in message.get("tool_calls") or ()}
    assert {message["tool_call_id"] for message in openai if message["role"] == "tool"} <= called
    anthropic = context.request("anthropic")
    assert [message["role"] for message in anthropic["messages"]][::2] == ["user"] * (
        (len(anthropic["messages"]) + 1) // 2
    )


def test_09_bad_input_is_refused_with_the_remedy(turnfold: Turnfold) -> None:
    with pytest.raises(InvalidTurn, match="system, developer, user, assistant, tool"):
        turnfold.append("conv", {"role": "robot", "content": "beep"})
    with pytest.raises(InvalidTurn, match="no content"):
        turnfold.append("conv", {"role": "user", "content": "  "})
    turnfold.append("conv", example()[:40])
    with pytest.raises(InvalidBudget) as refused:
        turnfold.context("conv", budget_tokens=5, system="A system text of some length.")
    needed = refused.value.needed_tokens
    assert turnfold.context("conv", budget_tokens=needed, system="A system text of some length.").tokens <= needed


def test_10_tenants_never_meet(turnfold: Turnfold) -> None:
    other = turnfold.for_tenant("somebody-else")
    turnfold.append("conv", {"role": "user", "content": "Our secret is 42."})
    assert other.context("conv", budget_tokens=500).coverage is None
    assert "42" in turnfold.context("conv", budget_tokens=500).text


def test_11_the_same_pipeline_runs_offline_and_gives_the_same_bytes(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    with fold(example(), conversation_id="conv") as offline:
        for budget in (500, 2_000):
            ours = turnfold.context("conv", budget_tokens=budget)
            assert offline.context(budget_tokens=budget).text == ours.text
            assert offline.context(budget_tokens=budget).fingerprint == ours.fingerprint


def test_12_asyncio_has_the_same_verbs(stack: Stack) -> None:
    async def talk() -> str:
        async with AsyncTurnfold(
            redis_url=stack.settings.redis_url, database_url=stack.settings.database_url, tenant="async"
        ) as turnfold:
            await turnfold.append("conv", {"role": "user", "content": "Hello from a coroutine."})
            await turnfold.wait("conv")
            return (await turnfold.context("conv", budget_tokens=200)).text

    assert "Hello from a coroutine." in asyncio.run(talk())


def test_13_a_model_looks_up_what_its_notes_leave_out(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    assert [tool["function"]["name"] for tool in turnfold.tools("openai")] == ["expand", "search", "anchors"]
    call = {
        "id": "call-1",
        "type": "function",
        "function": {"name": "search", "arguments": '{"query": "Okralink fee"}'},
    }
    answer = turnfold.handle_tool_call("conv", call)
    assert (answer["role"], answer["tool_call_id"]) == ("tool", "call-1")
    marker = answer["content"].split("→")[1].split("]")[0]
    block = {"type": "tool_use", "id": "toolu-1", "name": "expand", "input": {"marker": marker}}
    assert "Okralink" in turnfold.handle_tool_call("conv", block)["content"]
    block["input"] = {"marker": "the part about fees"}
    assert "copy one from a context" in turnfold.handle_tool_call("conv", block)["content"]


def test_14_a_reference_stands_for_a_context(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    context = turnfold.context("conv", budget_tokens=1_000)
    reference = context.reference()
    assert reference.startswith("ctx_")
    turnfold.append("conv", {"role": "user", "content": "One more thing."})
    assert turnfold.resolve(reference).text == context.text
    turnfold.forget("conv")
    with pytest.raises(UnknownReference, match="Make the context again"):
        turnfold.resolve(reference)


def test_15_what_is_looked_up_often_is_shown_in_more_detail(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    first = turnfold.expand("conv", "L1:2").first_seq
    for _ in range(3):
        turnfold.expand("conv", "L1:2")

    def tier() -> str | None:
        coverage = turnfold.context("conv", budget_tokens=3_000).coverage
        return coverage.tier_of(first) if coverage else None

    assert tier() == "cold"
    wait_until(lambda: tier() == "warm", what="a worker has counted the expansions")


def test_16_what_was_said_can_be_changed_and_taken_back(turnfold: Turnfold) -> None:
    ids = turnfold.append("conv", example()).turn_ids
    turnfold.wait("conv")
    turnfold.edit("conv", ids[0], content="We must use MariaDB 11.")
    assert turnfold.expand("conv", "L0:turn-1").turns[0].content == "We must use MariaDB 11."
    turnfold.delete("conv", ids[1])
    turnfold.rewind("conv", after=ids[9])
    turnfold.append("conv", {"role": "user", "content": "Let us go on from here."})
    assert turnfold.wait("conv").stored == 11
    turns = turnfold.expand("conv", "L0:turns-1-11").turns
    assert [turn.turn_id for turn in turns[:10]] == ids[:10]
    assert turns[1].content == ""
    assert turns[10].content == "Let us go on from here."


def test_17_forgetting_leaves_nothing(turnfold: Turnfold) -> None:
    turnfold.append("conv", example())
    turnfold.wait("conv")
    receipt = turnfold.forget("conv")
    assert receipt.completed
    assert receipt.turns == len(example())
    assert turnfold.context("conv", budget_tokens=500).coverage is None
    assert turnfold.status("conv").stored == 0
    turnfold.append("conv", {"role": "user", "content": "A new start."})
    assert turnfold.wait("conv").stored == 1
