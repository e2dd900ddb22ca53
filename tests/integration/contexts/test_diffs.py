"""A diff compares two contexts of a conversation statement by statement, anchors first."""

from __future__ import annotations

import json
import pickle

import pytest

from conftest import LocalWorker
from turnfold import Turnfold
from turnfold.assemble.context_codec import pack_context, unpack_context
from turnfold.errors import InvalidInput

pytestmark = pytest.mark.daily_on("sqlite")

FILLER = "Line {}: the lamp of room {} was counted again by Mara, who keeps the list of all lamps of the house."


def lines(first: int, last: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": FILLER.format(i, i)} for i in range(first, last)]


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def test_what_overtakes_a_decision_is_told_with_it(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [user("Decision: we use Kafka for the events."), *lines(0, 80)])
    local.settle()
    earlier = tf.context("c", budget_tokens=800, query=False)
    tf.append("c", [
        user("We must never store card numbers, no exceptions."),
        user("Correction: we use RabbitMQ for the events, not Kafka."),
        *lines(80, 160),
    ])  # fmt: skip
    local.settle()
    later = tf.context("c", budget_tokens=800, query=False)

    diff = later.diff(earlier)

    assert diff
    assert diff.came[0].kind == "constraint"
    assert "card numbers" in diff.came[0].text
    assert "- [decision 1] user: Decision: we use Kafka for the events" in str(diff)
    assert any("RabbitMQ" in one.text for one in diff.came)
    assert {78, 79, 80, 81} <= {one.turn_seq for one in diff.left if one.kind == "turn"}
    kept = json.loads(json.dumps(diff.to_dict()))
    assert [one["text"] for one in kept["came"]] == [one.text for one in diff.came]
    assert tf.expand("c", diff.came[0].marker).turns[0].content.startswith("We must never")


def test_a_context_does_not_differ_from_itself(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [user("Decision: we use Kafka."), *lines(0, 60)])
    local.settle()
    context = tf.context("c", budget_tokens=600)
    unpickled = pickle.loads(pickle.dumps(context))  # noqa: S301 - made here
    copies = [
        tf.context("c", budget_tokens=600),
        unpickled,
        unpack_context(pack_context(context)),
    ]

    for same in copies:
        assert same is not None
        assert not context.diff(same)
        assert str(context.diff(same)) == ""
        assert same.statements == context.statements != ()


def test_contexts_of_two_conversations_are_not_compared(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", lines(0, 30))
    tf.append("d", lines(0, 30))
    local.settle()
    mine, other = tf.context("c", budget_tokens=600), tf.context("d", budget_tokens=600)
    with pytest.raises(InvalidInput, match="earlier belongs to conversation 'd'"):
        mine.diff(other)
    tf.forget("c", timeout_seconds=0)
    tf.append("c", lines(0, 30))
    local.settle()
    with pytest.raises(InvalidInput, match="was forgotten between"):
        tf.context("c", budget_tokens=600).diff(mine)
    with pytest.raises(InvalidInput, match="must be a Context"):
        mine.diff(mine.text)  # type: ignore[arg-type]
