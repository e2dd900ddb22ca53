"""A model's notes on a turn go with its words, even if the model was asked before the change and answers after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from sqlalchemy import Engine

from support.places import shard_of
from support.refinery import GROUP_TURNS, Refinery
from support.remnants import traces
from support.stored import broken_invariants
from support.talk import talk
from turnfold.contract.keys import Address
from turnfold_worker.testing import model_replies as scribe

pytestmark = pytest.mark.daily_on("sqlite")

OLD = "We decided that the Xyzzy vault opens for Quuxline only, and nobody else may ever look inside of it."
NEW = "We decided that the Plugh vault opens for Waldline only, and nobody else may ever look inside of it."


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url, decode_responses=True) as found:
        yield found


def said() -> list[dict[str, Any]]:
    turns = [{**turn, "turn_id": f"t{i}"} for i, turn in enumerate(talk("models", GROUP_TURNS))]
    turns[9]["content"] = OLD
    return turns


def tell(body: dict[str, Any]) -> None:
    """Write a note on the words of the tenth turn into every segment; only the segment with that turn keeps it."""
    note = {"turns": [10], "speaker": said()[9]["role"], "text": OLD, "importance": 5}
    for segment in body["segments"]:
        segment["notes"].append(note)


CHANGES: dict[str, Callable[[Refinery], None]] = {
    "edit": lambda refinery: refinery.tf.edit("c", "t9", content=NEW),
    "delete": lambda refinery: refinery.tf.delete("c", "t9"),
    "rewind": lambda refinery: refinery.tf.rewind("c", after="t8"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_model_wrote_goes_with_the_words_and_is_asked_for_again(
    refinery: Refinery, engine: Engine, client: redis.Redis, change: str
) -> None:
    refinery.server.answer = scribe.changing(tell)
    refinery.fold("c", said())
    assert refinery.count("level WHERE refined = 1") > 0
    assert {"table level", "table model_note", "table model_outline"} <= set(traces(engine, client, "Quuxline"))
    CHANGES[change](refinery)
    refinery.server.answer = scribe.answer
    refinery.local.worker.drain(shard_of(Address("acme", "c")))
    assert traces(engine, client, "Quuxline") == []
    assert traces(engine, client, "Xyzzy") == []
    refinery.local.settle()
    assert traces(engine, client, "Quuxline") == []
    assert change == "rewind" or refinery.count("level WHERE refined = 1") > 0
    assert broken_invariants(engine) == {}


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_model_answers_after_the_change_is_thrown_away(
    refinery: Refinery, engine: Engine, client: redis.Redis, change: str
) -> None:
    asked: list[str] = []

    def answer(request: dict[str, Any]) -> str:
        if not asked:
            asked.append("once")
            CHANGES[change](refinery)
            refinery.local.worker.drain(shard_of(Address("acme", "c")))
        return scribe.answer(request)

    refinery.server.answer = answer
    refinery.fold("c", said())
    assert asked
    assert traces(engine, client, "Quuxline") == []
    assert traces(engine, client, "Xyzzy") == []
    assert broken_invariants(engine) == {}
