"""A context is the same before and after a drain, byte for byte; what a read leaves out is marked and reachable."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import LocalWorker
from support.places import shard_of
from support.talk import talk
from turnfold import Context, Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Operation
from turnfold.redis.inbox import ProducerInbox
from turnfold.wire.encode import Entry

TURNS = talk("alike", 20)
MEGABYTE = 1_000_000


def image(characters: int) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * characters}}


def asked_about(picture: dict[str, Any], about: str = "What is this?") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": about}, picture]}


LONG = "The report begins here. " + "Then it says more and more. " * 1_500 + "The very last words are: heron."
ANSWERED = [
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "put", "arguments": '{"text": "' + "x" * 9_000 + '"}'}}
    ]},
    {"role": "tool", "tool_call_id": "c1", "content": "done"},
]  # fmt: skip
CONVERSATIONS: dict[str, list[dict[str, Any]]] = {
    "plain": TURNS,
    "long": [*TURNS, {"role": "assistant", "content": LONG}, {"role": "user", "content": "And then?"}],
    "just above the cap": [{"role": "user", "content": "postgresql " * 380 + "x" * n} for n in range(30)],
    "system": [{"role": "system", "content": "Answer in one word. " * 12}, *TURNS],
    "new image": [*TURNS, asked_about(image(300_000))],
    "old image": [asked_about(image(300_000)), *TURNS],
    "huge image": [asked_about(image(MEGABYTE)), asked_about(image(MEGABYTE))],
    "long call": [*TURNS, *ANSWERED],
    "old long call": [*ANSWERED, *TURNS],
    "accents": [{"role": "user", "content": [{"type": "text", "text": "é🙂" * 900}, image(100)]} for _ in range(12)],
}


def both(tf: Turnfold, local: LocalWorker, turns: list[dict[str, Any]], **request: Any) -> Context:
    """Check that a drain does not change a context, and return the context."""
    given = [{**turn, "turn_id": f"m-{i}"} for i, turn in enumerate(turns)]
    for name in ("c", "drained"):
        tf.append(name, given[:-5])
        local.worker.drain(shard_of(Address("acme", name)))
        tf.append(name, given[-5:])
    local.worker.drain(shard_of(Address("acme", "drained")))
    before = tf.context("c", **request)
    local.worker.drain(shard_of(Address("acme", "c")))
    after = tf.context("c", **request)
    assert after.text == before.text
    assert after.messages("openai") == before.messages("openai")
    assert after.request("anthropic") == before.request("anthropic")
    assert (after.fingerprint, after.budget, after.markers) == (before.fingerprint, before.budget, before.markers)
    return after


@pytest.mark.parametrize("budget", [300, 2_500])
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_context_is_the_same_before_and_after_a_drain(
    tf: Turnfold, local: LocalWorker, name: str, budget: int
) -> None:
    assert both(tf, local, CONVERSATIONS[name], budget_tokens=budget).tokens <= budget


def test_an_entry_that_will_be_parked_keeps_its_place_and_is_never_the_system_text(
    tf: Turnfold, local: LocalWorker, inbox: ProducerInbox
) -> None:
    tf.append("c", [{"role": "system", "content": "Be kind."}, TURNS[0]])
    broken = [Entry("b1", b"{no"), Entry("b2", b'{"role": "system"}')]
    inbox.append(Address("acme", "c"), Operation.APPEND, broken, most_entries=99, most_bytes=1 << 20, bell=False)
    tf.append("c", TURNS[1])
    before = tf.context("c", budget_tokens=900)
    local.worker.drain(shard_of(Address("acme", "c")))
    assert tf.status("c").parked == 2
    after = tf.context("c", budget_tokens=900)
    assert after.text == before.text
    assert after.fingerprint == before.fingerprint
    assert after.system == "Be kind.\n"
    assert "could not be stored" not in after.system
    assert after.coverage is not None
    assert after.coverage.last_seq == 5


def test_a_turn_of_which_words_are_left_out_shows_its_true_end(tf: Turnfold, local: LocalWorker) -> None:
    context = both(tf, local, CONVERSATIONS["long"], budget_tokens=2_500)
    (shown,) = [m["content"] for m in context.messages("openai") if "The report begins here." in str(m["content"])]
    assert shown.startswith("The report begins here.")
    assert shown.endswith("heron.")
    assert "[… →L0:turn-21]" in shown
    assert "L0:turn-21" in context.markers
    assert any(left.reach == "L0:turn-21" for left in context.budget.left_out)
    assert tf.expand("c", "L0:turn-21").turns[0].content == LONG


def test_a_word_that_the_read_cut_is_never_shown_as_if_it_were_whole(tf: Turnfold, local: LocalWorker) -> None:
    context = both(tf, local, CONVERSATIONS["just above the cap"], budget_tokens=250)
    contents = [turn["content"] for turn in CONVERSATIONS["just above the cap"]]
    for message in context.messages("openai"):
        assert (
            message["content"] == context.record or "→L0:turn-" in message["content"] or message["content"] in contents
        )


def test_the_newest_images_are_shown_however_long_they_are(tf: Turnfold, local: LocalWorker) -> None:
    context = both(tf, local, CONVERSATIONS["new image"], budget_tokens=2_000)
    assert context.messages("openai")[-1]["content"][1] == image(300_000)
    data = context.request("anthropic")["messages"][-1]["content"][-1]["source"]["data"]
    assert data == "A" * 300_000


def test_a_part_that_is_too_long_to_read_leaves_a_marker_that_leads_to_it(tf: Turnfold, local: LocalWorker) -> None:
    context = both(tf, local, CONVERSATIONS["old image"], budget_tokens=8_000)
    assert "[image] [… →L0:turn-1]" in context.text
    assert "L0:turn-1" in context.markers
    assert any(left == ("part of turn 1", "L0:turn-1") for left in map(_pair, context.budget.left_out))
    (turn,) = tf.expand("c", "L0:turn-1").turns
    assert turn.parts == {"content": CONVERSATIONS["old image"][0]["content"]}


def _pair(left: Any) -> tuple[str, str]:
    return left.what, left.reach


@pytest.mark.parametrize("budget", [200_000_000, 10**18, 10**400])
def test_a_budget_of_any_size_works(tf: Turnfold, local: LocalWorker, budget: int) -> None:
    context = both(tf, local, CONVERSATIONS["long"], budget_tokens=budget, query="heron report")
    assert LONG in context.text
    assert context.budget.budget_tokens == budget
