"""An anchor settled by hand is settled once, at its place among the turns, whatever workers do meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conftest import LocalWorker
from turnfold import AsyncTurnfold, Turnfold, UnknownAnchor
from turnfold.assemble import Policy
from turnfold.contract.configuration import settlement
from turnfold.contract.keys import Address
from turnfold.contract.records import Anchor, AnchorState
from turnfold.contract.tasks import Operation
from turnfold.errors import InvalidInput
from turnfold.redis.inbox import ProducerInbox
from turnfold.settings import Settings
from turnfold.wire.encode import Entry

FIRST = [
    "We decided the launch party is in Lisbon.", "The upload must not exceed 25 MB.", "Nothing of note, part one.",
    "Nothing of note, part two.",
]  # fmt: skip
LATER = [
    "Change of plans: the launch party is in Porto.", "Nothing of note, part three.", "Nothing of note, part four.",
    "Nothing of note, part five.", "Nothing of note, part six.", "Nothing of note, part seven.",
]  # fmt: skip


def turns(texts: list[str], first: int = 1) -> list[dict[str, str]]:
    return [{"role": "user", "turn_id": f"t{first + i}", "content": text} for i, text in enumerate(texts)]


def begin(tf: Turnfold, conversation: str = "c") -> None:
    tf.configure(conversation, settings={"segment_max_turns": 4, "segment_min_turns": 2})
    tf.append(conversation, turns(FIRST))
    tf.append(conversation, turns(["Nothing of note, part zero."] * 4, first=5))


def about(tf: Turnfold, words: str, conversation: str = "c") -> Anchor:
    (found,) = [one for one in tf.anchors(conversation, states=None) if words in one.text]
    return found


def test_a_resolved_anchor_leaves_contexts_and_stays_listed(tf: Turnfold, local: LocalWorker) -> None:
    begin(tf)
    local.settle()
    lisbon = about(tf, "Lisbon")
    tf.resolve_anchor("c", lisbon.id)
    local.settle()
    assert about(tf, "Lisbon").state is AnchorState.RESOLVED
    assert [one.text for one in tf.anchors("c")] == ["The upload must not exceed 25 MB."]
    tf.resolve_anchor("c", about(tf, "25 MB").id, dismiss=True)
    local.settle()
    assert about(tf, "25 MB").state is AnchorState.DISMISSED
    assert tf.status("c").anchors == 0


def test_what_is_settled_by_hand_contradicts_the_other_value_of_its_turn_no_longer(
    tf: Turnfold, local: LocalWorker
) -> None:
    tf.configure("c", settings={"segment_max_turns": 4, "segment_min_turns": 2})
    tf.append("c", turns(["The wifi password is tulip-12. The wifi password is daisy-34."]))
    tf.append(
        "c",
        turns([f"The caterer sent word that menu {part} looked fine to all of them." for part in range(30)], first=2),
    )
    local.settle()
    both = tf.context("c", budget_tokens=400).text
    assert 'contradicts turn 1 "The wifi password is daisy-34."' in both or "both said in turn 1" in both
    tf.resolve_anchor("c", about(tf, "daisy-34").id, dismiss=True)
    local.settle()
    one = tf.context("c", budget_tokens=400).text
    assert "tulip-12" in one
    assert "daisy-34" not in one


def test_the_rows_are_the_same_whether_the_fold_or_the_hand_was_first(
    tf: Turnfold, make_worker: Callable[..., LocalWorker]
) -> None:
    local = make_worker()
    digests = set()
    for conversation, folded_between in (("hand-first", False), ("fold-first", True)):
        begin(tf, conversation)
        local.settle()
        lisbon = about(tf, "Lisbon", conversation)
        tf.append(conversation, turns(LATER, first=9))
        if folded_between:
            local.settle()
        tf.resolve_anchor(conversation, lisbon.id)
        tf.append(conversation, turns(["Nothing of note, part eight."] * 8, first=15))
        local.settle()
        assert about(tf, "Lisbon", conversation).state is AnchorState.RESOLVED
        assert about(tf, "Porto", conversation).replaces == lisbon.id
        digests.add(local.digest(conversation))
    assert len(digests) == 1


def test_what_is_said_after_the_hand_neither_repeats_nor_corrects_it(tf: Turnfold, local: LocalWorker) -> None:
    begin(tf)
    local.settle()
    tf.resolve_anchor("c", about(tf, "Lisbon").id)
    tf.append("c", turns(["Nothing of note, part nine."] * 4, first=9))
    tf.append("c", turns(LATER, first=13))
    local.settle()
    assert about(tf, "Porto").replaces is None


def test_a_repeated_entry_settles_once(tf: Turnfold, local: LocalWorker, inbox: ProducerInbox) -> None:
    begin(tf)
    local.settle()
    entry = Entry("resolve-1", settlement(about(tf, "Lisbon").id, dismiss=False))
    for _ in range(2):
        inbox.append(
            Address(tf.tenant, "c"), Operation.RESOLVE, [entry], most_entries=99, most_bytes=1 << 20, bell=False
        )
        local.settle()
    assert len(tf.anchors("c")) == 1
    assert tf.status("c").anchors == 1


def test_an_entry_that_names_no_anchor_is_parked_and_holds_nothing_up(
    tf: Turnfold, local: LocalWorker, inbox: ProducerInbox
) -> None:
    begin(tf)
    bad = Entry("resolve-bad", b'{"anchor": "x", "state": "active"}')
    inbox.append(Address(tf.tenant, "c"), Operation.RESOLVE, [bad], most_entries=99, most_bytes=1 << 20, bell=False)
    tf.append("c", turns(LATER, first=9))
    local.settle()
    status = tf.status("c")
    assert (status.stored, status.parked) == (14, 1)


@pytest.mark.parametrize("anchor", [0, -(2**31), True, "1"])
def test_a_number_that_names_nothing_is_refused_at_the_edge(tf: Turnfold, anchor: int) -> None:
    with pytest.raises(InvalidInput, match="given by its number"):
        tf.resolve_anchor("c", anchor)


def test_an_anchor_that_does_not_exist_is_named(tf: Turnfold, local: LocalWorker) -> None:
    begin(tf)
    local.settle()
    with pytest.raises(UnknownAnchor, match="has no anchor 99"):
        tf.resolve_anchor("c", 99)


async def test_the_async_client_resolves_too(tf: Turnfold, settings: Settings, local: LocalWorker) -> None:
    begin(tf)
    local.settle()
    async with AsyncTurnfold(settings=settings) as client:
        await client.resolve_anchor("c", about(tf, "Lisbon").id)
    local.settle()
    assert about(tf, "Lisbon").state is AnchorState.RESOLVED


def test_a_context_names_what_a_correction_replaces(tf: Turnfold, local: LocalWorker) -> None:
    begin(tf)
    tf.append("c", turns(LATER, first=9))
    tf.append("c", turns(["Nothing of note, and nothing else either, part nine."] * 30, first=15))
    local.settle()
    policy = Policy(name="many anchors", anchors_share=0.5)
    lines = tf.context("c", budget_tokens=300, policy=policy).text.splitlines()
    (shown,) = [line for line in lines if line.startswith("[correction")]
    replaced = 'replaces "We decided the launch party is in Lisbon."'
    assert shown == f"[correction 9, {replaced}] user: Change of plans: the launch party is in Porto."
    assert not [line for line in lines if line.startswith("[decision")]
