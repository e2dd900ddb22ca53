"""Words in the open tail count before their segment closes: in contexts, lists, and after edits and rewinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest
from rich.console import Console

from conftest import Filling, LocalWorker
from turnfold import AsyncTurnfold, Turnfold, UnknownAnchor
from turnfold.contract.keys import Address
from turnfold.contract.records import Anchor, AnchorState
from turnfold.database.reader import Reader
from turnfold.settings import Settings
from turnfold_worker.cli.inspect_command import inspection_tree
from turnfold_worker.cli.reading import anchor_table
from turnfold_worker.operate.inspection import inspect_conversation
from turnfold_worker.use_cases import open_tail

KAFKA: Final = "Decision: we use Kafka for the event queue."
RABBIT: Final = "Actually we go with RabbitMQ for the event queue, not Kafka."
FRIDAYS: Final = "Never deploy on Fridays, whatever anyone says."
IDLE: Final = "Nothing of note, once more."
WIDE: Final = {"segment_max_turns": 60, "segment_min_turns": 40, "segment_target_turns": 60}
"""Segments that close by length alone."""


def turn(text: str, turn_id: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": text, "turn_id": turn_id}


def idle(seed: str, many: int, *, sentences: int = 1) -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [turn(" ".join([IDLE] * sentences), f"{seed}-{i}", roles[i % 2]) for i in range(many)]


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Stores the decision in a closed segment, with a tail that has just begun."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        store_in_segment(tf, make_worker(), [turn(KAFKA, "kafka"), *idle("a", 65)])

    return fill


def store_in_segment(tf: Turnfold, local: LocalWorker, turns: list[dict[str, Any]]) -> None:
    """Store turns of which most are in a closed segment."""
    tf.configure("c", settings=WIDE)
    tf.append("c", turns)
    local.settle()
    assert 1 < tf.status("c").closed < tf.status("c").stored


def about(tf: Turnfold, words: str) -> Anchor:
    (found,) = [one for one in tf.anchors("c", states=None) if one.text == words]
    return found


def standing(tf: Turnfold, budget_tokens: int) -> str:
    """Return the part of a context before its recent turns."""
    return tf.context("c", budget_tokens=budget_tokens).text.partition("[recent turns]")[0]


def texts(found: Sequence[Anchor]) -> set[str]:
    return {one.text for one in found}


@pytest.mark.parametrize(("budget_tokens", "sentences"), [(500, 1), (4_000, 12)])
def test_a_decision_of_the_tail_alone_is_current(
    tf: Turnfold, local: LocalWorker, budget_tokens: int, sentences: int
) -> None:
    if sentences > 1:
        tf.forget("c", timeout_seconds=0)
        store_in_segment(tf, local, [turn(KAFKA, "kafka"), *idle("a", 65, sentences=sentences)])
    assert KAFKA in standing(tf, budget_tokens)
    tf.append("c", [turn(RABBIT, "rabbit"), *idle("b", 20, sentences=sentences)])
    local.settle()
    kafka, rabbit = about(tf, KAFKA), about(tf, RABBIT)
    assert rabbit.provisional
    shown = standing(tf, budget_tokens)
    assert f'replaces "{KAFKA}"] user: {RABBIT}' in shown
    assert KAFKA not in shown.replace(f'replaces "{KAFKA}"', "")
    assert [one.text for one in tf.anchors("c")] == [RABBIT]
    assert (kafka.state, kafka.related) == (AnchorState.SUPERSEDED, rabbit.id)
    assert (rabbit.replaces, rabbit.turn_id, rabbit.speaker) == (kafka.id, "rabbit", "user")


def test_a_constraint_of_the_tail_stands_when_its_turn_is_not_shown(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [turn(FRIDAYS, "fridays"), *idle("b", 15)])
    local.settle()
    assert FRIDAYS in standing(tf, 500)
    assert about(tf, FRIDAYS).provisional


def test_closing_the_segment_leaves_the_same_that_stands(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [turn(FRIDAYS, "fridays"), turn(RABBIT, "rabbit"), *idle("b", 15)])
    local.settle()
    open_ = tf.anchors("c")
    assert texts(open_) == {FRIDAYS, RABBIT}
    assert all(one.provisional for one in open_)
    tf.append("c", idle("c", 60))
    local.settle()
    closed = tf.anchors("c")
    assert texts(closed) == texts(open_)
    assert not any(one.provisional for one in closed)
    assert about(tf, KAFKA).related == about(tf, RABBIT).id
    assert tf.status("c").anchors == 2


def test_an_edit_of_its_turn_takes_an_anchor_away_and_what_it_replaced_holds_again(
    tf: Turnfold, local: LocalWorker
) -> None:
    tf.append("c", [turn(RABBIT, "rabbit"), *idle("b", 15)])
    local.settle()
    tf.edit("c", "rabbit", content="The weather is fine.")
    assert RABBIT not in standing(tf, 500)
    assert RABBIT not in texts(tf.anchors("c", states=None))
    local.settle()
    assert [one.text for one in tf.anchors("c", states=None)] == [KAFKA]
    assert KAFKA in standing(tf, 500)


def test_an_edit_of_a_turn_in_a_segment_leaves_the_tail_what_it_says(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [turn(RABBIT, "rabbit"), *idle("b", 15)])
    local.settle()
    tf.edit("c", "a-3", content="The weather is fine.")
    assert texts(tf.anchors("c")) == {RABBIT}
    local.settle()
    assert texts(tf.anchors("c")) == {RABBIT}
    tf.edit("c", "kafka", content="The weather was fine.")
    local.settle()
    (rabbit,) = tf.anchors("c", states=None)
    assert (rabbit.text, rabbit.replaces, rabbit.replaced) == (RABBIT, None, None)


def test_what_an_edit_puts_into_a_segment_is_overtaken_by_what_the_tail_says(tf: Turnfold, local: LocalWorker) -> None:
    tf.forget("c", timeout_seconds=0)
    store_in_segment(tf, local, [*idle("a", 65), turn(RABBIT, "rabbit"), *idle("b", 15)])
    assert about(tf, RABBIT).provisional
    tf.edit("c", "a-2", content=KAFKA)
    local.settle()
    assert about(tf, KAFKA).state is AnchorState.SUPERSEDED
    assert about(tf, RABBIT).replaces == about(tf, KAFKA).id
    assert KAFKA not in standing(tf, 500).replace(f'replaces "{KAFKA}"', "")


def test_a_rewind_takes_what_it_cuts_off(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [turn(RABBIT, "rabbit"), *idle("b", 15)])
    local.settle()
    tf.rewind("c", after="a-64")
    assert RABBIT not in texts(tf.anchors("c", states=None))
    local.settle()
    assert [(one.text, one.state) for one in tf.anchors("c", states=None)] == [(KAFKA, AnchorState.ACTIVE)]


def test_one_of_the_tail_cannot_be_settled_by_hand_before_its_segment_closes(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [turn(FRIDAYS, "fridays"), *idle("b", 15)])
    local.settle()
    with pytest.raises(UnknownAnchor, match="in the open tail"):
        tf.resolve_anchor("c", about(tf, FRIDAYS).id)
    tf.append("c", idle("c", 60))
    local.settle()
    tf.resolve_anchor("c", about(tf, FRIDAYS).id)
    local.settle()
    assert about(tf, FRIDAYS).state is AnchorState.RESOLVED


async def test_the_async_client_and_people_see_them_too(
    tf: Turnfold, settings: Settings, local: LocalWorker, reader: Reader
) -> None:
    tf.append("c", [turn(FRIDAYS, "fridays"), turn(RABBIT, "rabbit"), *idle("b", 15)])
    local.settle()
    async with AsyncTurnfold(settings=settings) as client:
        assert texts(await client.anchors("c")) == {FRIDAYS, RABBIT}
    console = Console(width=200, no_color=True)
    with console.capture() as printed:
        console.print(inspection_tree(inspect_conversation(reader, Address("acme", "c"))))
        console.print(anchor_table(tf.anchors("c", states=None)))
    assert f"tail 1 instruction 94: {FRIDAYS}" in " ".join(printed.get().split())
    assert "superseded by tail 2" in printed.get()


def test_rules_that_fail_cost_the_tail_its_anchors_and_nothing_else(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tf.context("c", budget_tokens=500).text

    def fail(*_: object, **__: object) -> None:
        msg = "a rule broke"
        raise ValueError(msg)

    monkeypatch.setattr(open_tail, "tail_drafts", fail)
    monkeypatch.setattr("turnfold_worker.use_cases.fold.RETRY_SECONDS", 0.0)
    tf.append("c", [turn(FRIDAYS, "fridays"), *idle("b", 15)])
    local.settle()
    assert tf.status("c").settled
    assert [one.text for one in tf.anchors("c")] == [KAFKA]
    after = tf.context("c", budget_tokens=500).text
    assert KAFKA in before
    assert KAFKA in after
    assert "[background: earlier turns]" in after
