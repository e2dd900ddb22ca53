"""Forgetting a conversation has the same effect on the fake inbox and on Redis."""

from __future__ import annotations

from support.inboxes import SHARD, Inboxes, addresses, claim_one, ids

(ONE, OTHER, *_) = addresses("acme", 2)


def test_a_forgotten_conversation_is_gone_from_the_inbox_and_marked(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a", "b")
    assert inboxes.forget(ONE) == 2
    assert inboxes.forget(ONE) == 0
    assert inboxes.held(ONE) == 0
    assert inboxes.worker.claim([SHARD], 10) == []
    (marked,) = inboxes.worker.forgotten(SHARD, 10)
    assert marked.address == ONE
    assert inboxes.worker.still_forgotten(marked)
    assert inboxes.worker.waiting() == [SHARD]


def test_a_claim_says_that_older_rows_are_to_be_deleted_first(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "old")
    inboxes.forget(ONE)
    inboxes.append(ONE, "new")
    inboxes.append(OTHER, "a")
    marks = {claim.address: claim.forgotten_at for claim in inboxes.worker.claim([SHARD], 10)}
    (marked,) = inboxes.worker.forgotten(SHARD, 10)
    assert marks == {ONE: marked.forgotten_at, OTHER: None}


def test_an_erasure_leaves_a_receipt_once_and_nothing_else(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    inboxes.forget(ONE)
    (marked,) = inboxes.worker.forgotten(SHARD, 10)
    assert inboxes.receipt(ONE) is None
    inboxes.worker.erased(marked, {"turns": 3})
    inboxes.worker.erased(marked, {"turns": 0})
    assert inboxes.receipt(ONE) == {"turns": 3}
    assert not inboxes.worker.still_forgotten(marked)
    assert inboxes.worker.forgotten(SHARD, 10) == []
    assert inboxes.worker.claim([SHARD], 10) == []
    assert inboxes.is_empty()


def test_an_erasure_that_was_overtaken_by_another_forgetting_does_not_count(inboxes: Inboxes) -> None:
    inboxes.forget(ONE)
    (earlier,) = inboxes.worker.forgotten(SHARD, 10)
    inboxes.append(ONE, "between")
    inboxes.forget(ONE)
    (later,) = inboxes.worker.forgotten(SHARD, 10)
    assert not inboxes.worker.still_forgotten(earlier)
    inboxes.worker.erased(earlier, {"turns": 1})
    assert inboxes.receipt(ONE) is None
    assert inboxes.worker.still_forgotten(later)
    inboxes.worker.erased(later, {"turns": 2})
    assert inboxes.receipt(ONE) == {"turns": 2}


def test_forgetting_again_takes_the_earlier_receipt_back(inboxes: Inboxes) -> None:
    inboxes.forget(ONE)
    inboxes.worker.erased(inboxes.worker.forgotten(SHARD, 1)[0], {"turns": 3})
    inboxes.forget(ONE)
    assert inboxes.receipt(ONE) is None


def test_a_claim_without_a_mark_records_no_erasure(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    claim = claim_one(inboxes.worker)
    inboxes.forget(ONE)
    assert not inboxes.worker.still_forgotten(claim)
    inboxes.worker.erased(claim, {"turns": 1})
    assert inboxes.receipt(ONE) is None
    assert inboxes.worker.forgotten(SHARD, 10) != []


def test_a_claim_from_before_the_forgetting_trims_nothing_that_came_after_it(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "old")
    stale = claim_one(inboxes.worker)
    (entries,) = inboxes.worker.read([stale], 10)
    inboxes.forget(ONE)
    inboxes.append(ONE, "new")
    inboxes.worker.finish([(stale, entries[-1].stream_id)])
    assert ids(inboxes.worker, claim_one(inboxes.worker)) == ["new"]


def test_marks_are_listed_oldest_first_up_to_a_number(inboxes: Inboxes) -> None:
    five = addresses("acme", 5)
    for address in reversed(five):
        inboxes.forget(address)
    assert [claim.address for claim in inboxes.worker.forgotten(SHARD, 3)] == five[:1:-1]
