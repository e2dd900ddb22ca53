"""With `turnfold.testing`, every method works with this process as the worker, in memory and on a real Redis."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from typing import Protocol

import pytest

from support.talk import talk
from turnfold import AsyncTurnfold, InboxFull, Turnfold, Unavailable, UnknownConversation
from turnfold.testing import Behaviour, LocalTurnfold, OpenAIServer, embedded, in_memory
from turnfold_worker.offline import fold

TURNS = talk("local", 40)
SHORT_SEGMENTS = {"segment_max_turns": 6, "segment_min_turns": 4}


class Make(Protocol):
    def __call__(self, *, model: OpenAIServer | None = None, **values: object) -> LocalTurnfold: ...


@pytest.fixture(params=["in_memory", pytest.param("embedded", marks=pytest.mark.processes)])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Opens Turnfolds that are closed after the test."""
    if request.param == "embedded":
        request.getfixturevalue("redis_program")
    kind = {"in_memory": in_memory, "embedded": embedded}[request.param]
    with ExitStack() as opened:

        def make(*, model: OpenAIServer | None = None, **values: object) -> LocalTurnfold:
            turnfold: AbstractContextManager[LocalTurnfold] = kind(model=model, **values)
            return opened.enter_context(turnfold)

        yield make


@pytest.fixture
def tf(make: Make) -> LocalTurnfold:
    return make(tenant="acme")


def test_nothing_is_stored_or_folded_before_the_test_says_so(tf: LocalTurnfold) -> None:
    tf.append("c", TURNS)
    assert (tf.status("c").inbox, tf.status("c").stored) == (40, 0)
    assert tf.drain_now() == 40
    assert (tf.status("c").inbox, tf.status("c").stored, tf.status("c").segments) == (0, 40, 0)
    assert tf.drain_now() == 0
    tf.fold_now()
    assert tf.status("c").settled
    assert tf.status("c").segments


def test_contexts_are_those_of_the_pipeline(tf: LocalTurnfold) -> None:
    tf.append("c", TURNS)
    tf.fold_now()
    with fold(TURNS, conversation_id="c") as folded:
        for budget in (200, 2_000):
            mine, others = tf.context("c", budget_tokens=budget), folded.context(budget_tokens=budget)
            # Each installation has its own seal.
            assert mine.text.replace(mine.chat.seal, others.chat.seal) == others.text


def test_waiting_does_the_work(tf: LocalTurnfold) -> None:
    tf.append("c", TURNS)
    assert tf.wait("c", timeout_seconds=0).folded == 40


def test_changed_turns_are_folded_again(tf: LocalTurnfold) -> None:
    tf.configure("c", settings=SHORT_SEGMENTS)
    tf.append("c", [{"turn_id": f"t{n}", **turn} for n, turn in enumerate(TURNS)])
    tf.fold_now()
    tf.edit("c", "t1", content="The flamingo is pink.")
    tf.delete("c", "t2")
    tf.rewind("c", after="t30")
    tf.fold_now()
    status = tf.status("c")
    assert (status.stored, status.folded, status.inbox, status.parked) == (31, 31, 0, 0)
    assert "flamingo" in tf.expand("c", "L0:turns-1-2").text


def test_forgetting_is_done_when_it_returns(tf: LocalTurnfold) -> None:
    tf.append("c", TURNS)
    tf.fold_now()
    receipt = tf.forget("c")
    assert receipt.completed
    assert receipt.turns == 40
    with pytest.raises(UnknownConversation):
        tf.anchors("c")


def test_lookups_references_and_tools_work(tf: LocalTurnfold) -> None:
    tf.append("c", {"role": "user", "content": "We must use PostgreSQL 16."})
    tf.fold_now()
    context = tf.context("c", budget_tokens=500)
    assert tf.resolve(context.reference()).text == context.text
    assert tf.search("c", "PostgreSQL")
    asked = {"name": "search", "arguments": json.dumps({"query": "PostgreSQL"})}
    message = tf.handle_tool_call("c", {"id": "1", "type": "function", "function": asked})
    assert "PostgreSQL 16" in message["content"]


def test_what_is_expanded_is_counted_by_the_next_fold(tf: LocalTurnfold) -> None:
    tf.append("c", talk("c", 90))
    tf.fold_now()
    before = tf.context("c", budget_tokens=2_000).text
    for _ in range(4):
        tf.expand("c", "L1:5")
    assert tf.context("c", budget_tokens=2_000).text == before
    tf.fold_now()
    assert tf.context("c", budget_tokens=2_000).text != before, "it is shown in more detail"


def test_all_tenants_are_served(tf: LocalTurnfold) -> None:
    other = tf.for_tenant("other")
    assert isinstance(other, LocalTurnfold)
    tf.append("c", TURNS[:3])
    other.append("c", TURNS[:5])
    tf.fold_now()
    assert (tf.status("c").folded, other.status("c").folded) == (3, 5)


def test_settings_hold(make: Make) -> None:
    tf = make(max_inbox_turns=3)
    tf.append("c", TURNS[:3])
    with pytest.raises(InboxFull):
        tf.append("c", TURNS[3:4])
    tf.drain_now()
    tf.append("c", TURNS[3:4])


def test_a_client_that_was_closed_opens_the_same_redis_again(tf: LocalTurnfold) -> None:
    tf.append("c", TURNS[:3])
    tf.close()
    assert tf.status("c").inbox == 3


def test_threads_may_share_it(tf: LocalTurnfold) -> None:
    def converse(name: str) -> str:
        for turn in TURNS[:10]:
            tf.append(name, turn)
            tf.context(name, budget_tokens=500)
        tf.wait(name)
        return tf.context(name, budget_tokens=500).text

    with ThreadPoolExecutor(4) as threads:
        (text,) = set(threads.map(converse, ("a", "b", "c", "d")))
    assert text


async def test_a_coroutine_waits_for_the_same_work(tf: LocalTurnfold) -> None:
    async with AsyncTurnfold(client=tf) as service:
        await service.append("c", TURNS)
        assert (await service.wait("c", timeout_seconds=0)).folded == 40
        assert (await service.forget("c")).completed


def test_a_model_refines_when_it_is_told_to(make: Make) -> None:
    with OpenAIServer() as server:
        tf = make(model=server, refine_segments=1)
        tf.configure("c", settings=SHORT_SEGMENTS)
        tf.append("c", TURNS)
        tf.fold_now()
        assert not server.requests
        server.then(Behaviour(status=500))
        tf.refine_now()
        assert server.requests
        assert tf.status("c").refined


A_MOMENT = 1e-9
"""In days."""


def test_old_words_go_and_a_model_reconstructs_them(make: Make) -> None:
    with OpenAIServer() as server:
        tf = make(model=server, keep_level0_days=A_MOMENT)
        tf.configure("c", settings=SHORT_SEGMENTS)
        tf.append("c", TURNS)
        tf.fold_now()
        assert tf.expire_now() == tf.status("c").closed
        assert tf.expire_now() == 0
        assert tf.expand("c", "L0:turns-1-2", reconstruct=True).reconstructed


@pytest.mark.parametrize("kind", ["none", "refusing"])
def test_a_reconstruction_that_no_model_makes_is_unavailable_at_once(make: Make, kind: str) -> None:
    with OpenAIServer(lambda _: "{}") as server:
        tf = make(model=server if kind == "refusing" else None, keep_level0_days=A_MOMENT)
        tf.configure("c", settings=SHORT_SEGMENTS)
        tf.append("c", TURNS)
        tf.fold_now()
        assert tf.expire_now()
        with pytest.raises(Unavailable, match="refused" if kind == "refusing" else "without a model"):
            tf.expand("c", "L0:turns-1-2", reconstruct=True)


@pytest.mark.processes
def test_others_reach_an_embedded_one_by_its_environment(redis_program: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with embedded(tenant="acme") as tf:
        for name, value in tf.environment.items():
            monkeypatch.setenv(name, value)
        with Turnfold.from_env() as service:
            service.append("c", TURNS)
            tf.fold_now()
            assert service.status("c").folded == 40
