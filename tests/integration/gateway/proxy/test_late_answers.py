"""An answer that comes late is never stored behind another question."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from turnfold import Settings, Turnfold, UnknownConversation
from turnfold.async_client import AsyncTurnfold
from turnfold.chat_history.fold import FoldOptions
from turnfold.chat_history.keeper import HistoryKeeper, Kept

Keep = Any


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


@pytest.fixture
async def keep(gateway_settings: Settings, tenant: str) -> AsyncIterator[Keep]:
    """Takes the messages of a request, as the proxy does."""
    keeper = HistoryKeeper(wait_seconds=0)
    async with AsyncTurnfold.from_settings(gateway_settings) as client:

        async def kept(*messages: dict[str, Any], only_new: bool = False) -> Kept:
            options, body = FoldOptions(budget_tokens=5_000), {"messages": list(messages)}
            return await keeper.keep(client.for_tenant(tenant), "c", body, "chat", options, only_new=only_new)

        yield kept


def said(tf: Turnfold) -> list[str]:
    return [turn.content for turn in tf.turns("c")]


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize(
    ("before", "then", "left"),
    [
        ([], [user("Which harbour is deep?")], ["Which harbour?", "Which harbour is deep?"]),
        (
            [user("Hello."), assistant("Good day.")],
            [user("Hello."), assistant("Good day."), user("Which harbour is deep?")],
            ["Hello.", "Good day.", "Which harbour is deep?"],
        ),
        ([], [user("Which harbour?"), user("And which quay?")], ["Which harbour?", "And which quay?"]),
        ([], [user("Which harbour?")], ["Which harbour?"]),
    ],
    ids=["other", "edited", "continued", "again"],
)
async def test_the_answer_to_an_earlier_request_is_not_stored_after_the_next_one(
    keep: Keep, tf: Turnfold, before: list[Any], then: list[Any], left: list[str], stored: bool
) -> None:
    first = await keep(*before, user("Which harbour?"))
    second = await keep(*then)
    if stored:
        tf.wait("c", timeout_seconds=90)
    await second.append_answer([assistant("The new one.")])
    await first.append_answer([assistant("The old one.")])
    assert said(tf) == [*left, "The new one."]
    third = await keep(*then, assistant("The new one."), user("Thanks."))
    await third.append_answer([assistant("Gladly.")])
    assert said(tf)[-3:] == ["The new one.", "Thanks.", "Gladly."]


async def test_without_histories_every_answer_is_kept(keep: Keep, tf: Turnfold) -> None:
    first = await keep(user("Which harbour?"), only_new=True)
    second = await keep(user("Which quay?"), only_new=True)
    await second.append_answer([assistant("Quay 4.")])
    await first.append_answer([assistant("Lisbon.")])
    assert said(tf) == ["Which harbour?", "Which quay?", "Quay 4.", "Lisbon."]


async def test_an_answer_does_not_bring_a_forgotten_conversation_back(keep: Keep, tf: Turnfold) -> None:
    kept = await keep(user("Which harbour?"))
    tf.forget("c")
    await kept.append_answer([assistant("Lisbon.")])
    with pytest.raises(UnknownConversation):
        tf.turns("c")


async def test_a_turn_in_a_long_inbox_is_known_as_the_newest(tf: Turnfold, keep: Keep) -> None:
    first, *_ = [await keep(*(user(f"Parcel {number}.") for number in range(500)))]
    await first.append_answer([assistant("Received.")])
    tf.wait("c", timeout_seconds=90)
    assert tf.turns("c", after=499)[-1].content == "Received."
