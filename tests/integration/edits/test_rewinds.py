"""After a rewind, a conversation is as if it had never had the turns that were cut off."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import count as counted
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.conversations import conversations
from support.examples import examples
from support.places import shard_of
from support.seals import unsealed
from support.stored import broken_invariants
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.vectors import Vector

SMALL = {"segment_max_turns": 6, "segment_min_turns": 2, "segment_target_turns": 4}


_NUMBERS = counted()


def named(seed: object, many: int) -> list[dict[str, Any]]:
    return [{**turn, "turn_id": f"{seed}-{i}"} for i, turn in enumerate(talk(seed, many))]


class Scattering:
    """An embedder that finds no two texts similar."""

    model = "scattering"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [Vector(hashlib.shake_256(text.encode()).digest(384)) for text in texts]


def drained(local: LocalWorker, conversation: str) -> None:
    local.worker.drain(shard_of(Address("acme", conversation)))


@pytest.mark.daily_on("sqlite")
@pytest.mark.parametrize("last", [1, 5, 31, 46, 47])
def test_a_rewound_conversation_is_as_one_that_never_had_what_was_cut_off(
    tf: Turnfold, local: LocalWorker, engine: Engine, last: int
) -> None:
    turns, others = named("a", 48), named("b", 14)
    for name in ("c", "undisturbed"):
        tf.configure(name, settings=SMALL)
    tf.append("c", turns)
    local.settle()
    tf.rewind("c", after=f"a-{last - 1}")
    local.settle()
    tf.append("undisturbed", turns[:last])
    local.settle()
    assert local.digest("c") == local.digest("undisturbed")
    assert tf.wait("c").stored == last
    for name in ("c", "undisturbed"):
        tf.append(name, others)
    local.settle()
    assert local.digest("c") == local.digest("undisturbed")
    ours, undisturbed = (tf.context(name, budget_tokens=1_000) for name in ("c", "undisturbed"))
    assert unsealed(ours.text) == unsealed(undisturbed.text)
    assert broken_invariants(engine) == {}


def test_what_was_configured_and_settled_stays_from_the_last_turn_on_that_is_left(
    tf: Turnfold, local: LocalWorker
) -> None:
    turns, others = named("a", 40), named("b", 20)
    for name in ("c", "undisturbed"):
        tf.configure(name, settings=SMALL)
        tf.append(name, turns[:20])
    local.settle()
    tf.append("c", turns[20:])
    local.settle()
    for name in ("c", "undisturbed"):
        tf.configure(name, goal="Ship the seat map.", settings={"segment_max_turns": 12})
        tf.resolve_anchor(name, tf.anchors(name)[0].id)
    local.settle()
    tf.rewind("c", after="a-19")
    for name in ("c", "undisturbed"):
        tf.append(name, others)
    local.settle()
    assert local.digest("c") == local.digest("undisturbed")


@pytest.mark.daily_on("sqlite")
@examples(24, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_rewinds_among_appends_leave_what_was_not_cut_off(
    tf: Turnfold, local: LocalWorker, engine: Engine, data: st.DataObject
) -> None:
    """This holds for any order of drains and folds between appends and rewinds."""
    number = next(_NUMBERS)
    name, undisturbed = f"c-{number}", f"undisturbed-{number}"
    for one in (name, undisturbed):
        tf.configure(one, settings=SMALL)
    left: list[dict[str, Any]] = []
    for round_ in range(data.draw(st.integers(1, 4), label="rounds")):
        said = [
            {**turn, "turn_id": f"{round_}-{i}"}
            for i, turn in enumerate(data.draw(conversations(most=40), label="said"))
        ]
        left += said
        tf.append(name, said)
        for work in data.draw(st.lists(st.sampled_from(["drain", "settle"]), max_size=1), label="work"):
            drained(local, name) if work == "drain" else local.settle()
        if data.draw(st.booleans(), label="rewinds"):
            last = data.draw(st.integers(1, len(left)), label="last")
            tf.rewind(name, after=left[last - 1]["turn_id"])
            del left[last:]
        shown = tf.expand(name, f"L0:turns-1-{len(left) + 50}").turns
        assert [turn.turn_id for turn in shown] == [turn["turn_id"] for turn in left], "a read sees what it will be"
        assert tf.context(name, budget_tokens=100_000).coverage.last_seq == len(left)
    local.settle()
    tf.append(undisturbed, left)
    local.settle()
    assert local.digest(name) == local.digest(undisturbed)
    assert broken_invariants(engine) == {}


@pytest.mark.daily_on("sqlite")
def test_nothing_that_was_computed_of_what_is_cut_off_is_left(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    local = make_worker(embedder=Scattering())
    tf.configure("c", settings=SMALL)
    tf.append("c", named("v", 36))
    local.settle()

    def count(rows: str) -> int:
        with engine.begin() as connection:
            return int(connection.scalar(text(f"SELECT COUNT(*) FROM {rows}")) or 0)

    assert count("turn_vector WHERE seq > 20") == 16
    assert count("passage_signs") > 0
    tf.rewind("c", after="v-19")
    drained(local, "c")

    assert count("turn_vector WHERE seq > 20") == 0
    assert count("passage_signs WHERE idx >= (SELECT node_count FROM conversation)") == 0
    assert count("block_list WHERE idx >= (SELECT node_count FROM conversation)") == 0
    assert count("part_list WHERE idx >= (SELECT node_count FROM conversation)") == 0
    assert count("repeat_mark WHERE idx >= (SELECT node_count FROM conversation)") == 0
    assert count("posting WHERE number >= (SELECT node_count FROM conversation) AND number < 134217728") == 0
    assert count("passage WHERE bundle >= 21 * 32") == 0
    assert count("anchor WHERE seq > 20") == 0
    local.settle()
    assert tf.wait("c").stored == 20
    assert broken_invariants(engine) == {}
