"""A context is unchanged after a round trip through bytes."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from support.examples import examples
from tests.unit.assemble.strategies import Conversation, build, conversations
from turnfold.assemble import BALANCED, RECENCY, Request, choose, finish, pack_context, unpack_context
from turnfold.errors import InvalidBudget, InvalidInput


@examples(80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    conversation=conversations(most_segments=80), budget=st.integers(100, 6_000),
    policy=st.sampled_from([BALANCED, RECENCY]), system=st.sampled_from([None, "Terse. \ud800", "🙂"]),
)  # fmt: skip
def test_a_context_comes_back_equal_in_every_form(
    conversation: Conversation, budget: int, policy: object, system: str | None
) -> None:
    request = Request(budget_tokens=budget, policy=policy, system=system)  # type: ignore[arg-type]
    snapshot = conversation.snapshot
    choice = choose(snapshot, request)
    try:
        context = finish(choice, {key: conversation.texts[key] for key in choice.wanted})
    except InvalidBudget:
        return
    back = unpack_context(pack_context(context))
    assert back == context
    assert back is not None
    assert (back.fingerprint, back.stored_as) == (context.fingerprint, context.stored_as)
    for form in ("openai", "anthropic"):
        assert back.request(form) == context.request(form)


def test_a_context_without_a_client_says_who_can_keep_it_and_crosses_processes() -> None:
    conversation = build(segments=3)
    request = Request(budget_tokens=500)
    snapshot = conversation.snapshot
    context = replace(finish(choose(snapshot, request), {}), keeper=lambda context: "ctx_")
    assert context.reference() == "ctx_"
    copied = pickle.loads(pickle.dumps(context))  # noqa: S301 - our own bytes
    assert copied == context
    with pytest.raises(InvalidInput, match=r"Turnfold\.reference"):
        copied.reference()
