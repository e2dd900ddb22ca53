"""The guarantees that a drain relies on hold in the fake inbox and in Redis."""

from __future__ import annotations

import pytest

from support.inboxes import SHARD, Inboxes, addresses, claim_one, ids
from turnfold.contract.keys import Address
from turnfold_worker.ports.messages import Claim
from turnfold_worker.ports.storage import Inbox

(ONE, OTHER, *_) = addresses("acme", 2)


def store_all(worker: Inbox, claim: Claim) -> list[str]:
    """Read and finish one claim, as a drain does, and return the ids of its entries."""
    (entries,) = worker.read([claim], 1_000)
    worker.finish([(claim, entries[-1].stream_id if entries else None)])
    return [entry.entry_id for entry in entries]


# Reading


def test_entries_are_read_in_the_order_in_which_they_were_appended(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a", "b")
    inboxes.append(ONE, "c")
    claim = claim_one(inboxes.worker)
    (entries,) = inboxes.worker.read([claim], 100)
    assert [(entry.operation, entry.entry_id, entry.body) for entry in entries] == [
        ("append", "a", b'"a"'), ("append", "b", b'"b"'), ("append", "c", b'"c"'),
    ]  # fmt: skip
    assert len({entry.stream_id for entry in entries}) == 3


def test_a_read_takes_the_oldest_entries_up_to_a_number(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a", "b", "c")
    assert ids(inboxes.worker, claim_one(inboxes.worker), most=2) == ["a", "b"]


def test_several_claims_are_read_each_at_its_place(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    inboxes.append(OTHER, "b")
    claims = sorted(inboxes.worker.claim([SHARD], 10), key=lambda claim: claim.address != ONE)
    assert [[entry.entry_id for entry in entries] for entries in inboxes.worker.read(claims, 9)] == [["a"], ["b"]]


def test_reading_an_inbox_that_is_gone_gives_nothing(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    claim = claim_one(inboxes.worker)
    inboxes.forget(ONE)
    assert ids(inboxes.worker, claim) == []


# Claims


def test_nothing_is_claimed_of_an_empty_shard_or_of_another(inboxes: Inboxes) -> None:
    assert inboxes.worker.claim([SHARD], 10) == []
    inboxes.append(ONE, "a")
    assert inboxes.worker.claim([SHARD + 1], 10) == []


def test_a_claimed_conversation_is_nobody_elses_while_its_lease_lasts(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    assert claim_one(inboxes.worker).address == ONE
    assert inboxes.worker.claim([SHARD], 10) == []
    inboxes.append(ONE, "b")
    assert inboxes.worker.claim([SHARD], 10) == []


def test_a_claim_takes_no_more_than_it_was_asked_to_and_the_longest_waiting_first(inboxes: Inboxes) -> None:
    five = addresses("acme", 5)
    for address in five:
        inboxes.append(address, "a")
    assert [claim.address for claim in inboxes.worker.claim([SHARD], 3)] == five[:3]
    assert [claim.address for claim in inboxes.worker.claim([SHARD], 3)] == five[3:]


def test_a_lapsed_claim_is_another_ones_and_finishing_it_changes_nothing(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    stale = claim_one(inboxes.hasty)
    (entries,) = inboxes.worker.read([stale], 10)
    inboxes.end_leases()
    current = claim_one(inboxes.worker)
    assert current.token != stale.token
    inboxes.worker.finish([(stale, entries[-1].stream_id)])
    inboxes.worker.finish([(stale, None)])
    assert inboxes.held(ONE) == 1
    assert inboxes.worker.claim([SHARD], 10) == []
    assert store_all(inboxes.worker, current) == ["a"]
    assert inboxes.held(ONE) == 0


def test_a_lapsed_claim_that_nobody_took_may_still_be_finished(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    claim = claim_one(inboxes.hasty)
    inboxes.end_leases()
    assert store_all(inboxes.worker, claim) == ["a"]
    assert inboxes.is_empty()


def test_every_claim_of_a_conversation_has_a_token_of_its_own(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    tokens = []
    for _ in range(5):
        claim = claim_one(inboxes.worker)
        tokens.append(claim.token)
        inboxes.worker.finish([(claim, None)])
    assert len(set(tokens)) == 5


def test_a_lease_far_in_the_future_is_a_clock_that_was_set_back_and_counts_as_ready(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    inboxes.append(OTHER, "b")
    stale = next(claim for claim in inboxes.worker.claim([SHARD], 10) if claim.address == ONE)
    inboxes.set_clock_back()
    assert {claim.address for claim in inboxes.worker.claim([SHARD], 10)} == {ONE, OTHER}
    assert inboxes.worker.claim([SHARD], 10) == []
    inboxes.worker.finish([(stale, None)])
    assert inboxes.worker.claim([SHARD], 10) == []


# Finishing


def test_finishing_trims_what_was_stored_and_gives_the_rest_back_at_once(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a", "b")
    claim = claim_one(inboxes.worker)
    (entries,) = inboxes.worker.read([claim], 1)
    inboxes.append(ONE, "c")
    inboxes.worker.finish([(claim, entries[-1].stream_id)])
    assert ids(inboxes.worker, claim_one(inboxes.worker)) == ["b", "c"]


def test_finishing_without_having_stored_keeps_everything_and_gives_it_back_at_once(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a", "b")
    inboxes.worker.finish([(claim_one(inboxes.worker), None)])
    assert ids(inboxes.worker, claim_one(inboxes.worker)) == ["a", "b"]


def test_finishing_twice_is_finishing_once(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    claim = claim_one(inboxes.worker)
    (entries,) = inboxes.worker.read([claim], 10)
    inboxes.append(ONE, "b")
    for _ in range(2):
        inboxes.worker.finish([(claim, entries[-1].stream_id)])
    assert ids(inboxes.worker, claim_one(inboxes.worker)) == ["b"]


def test_an_emptied_inbox_leaves_nothing_behind(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    inboxes.append(OTHER, "b")
    for claim in inboxes.worker.claim([SHARD], 10):
        store_all(inboxes.worker, claim)
    assert inboxes.worker.waiting() == []
    assert inboxes.is_empty()


def test_finishing_one_of_several_leaves_the_others_alone(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    inboxes.append(OTHER, "b")
    claims = inboxes.worker.claim([SHARD], 10)
    store_all(inboxes.worker, next(claim for claim in claims if claim.address == ONE))
    assert (inboxes.held(ONE), inboxes.held(OTHER)) == (0, 1)
    assert inboxes.worker.claim([SHARD], 10) == []
    assert inboxes.worker.waiting() == [SHARD]


# Bells


def test_only_the_append_that_finds_the_bell_silent_is_to_ring(inboxes: Inboxes) -> None:
    assert inboxes.append(ONE, "a")
    assert not inboxes.append(ONE, "b")
    assert not inboxes.append(OTHER, "c")
    assert inboxes.append(addresses("acme", 1, shard=SHARD + 1)[0], "d")


def test_a_silenced_bell_is_to_be_rung_again_though_nothing_was_claimed(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    inboxes.worker.silence_bells([SHARD])
    assert inboxes.append(ONE, "b")


def test_a_bell_whose_message_was_lost_falls_silent_by_itself(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    inboxes.end_bells()
    assert inboxes.append(ONE, "b")


def test_a_worker_rings_only_a_silent_bell(inboxes: Inboxes) -> None:
    assert inboxes.worker.ring_bell(SHARD)
    assert not inboxes.worker.ring_bell(SHARD)
    assert not inboxes.append(ONE, "a")


def test_a_bell_lives_no_longer_when_the_clock_is_set_back(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "a")
    inboxes.set_clock_back()
    assert not inboxes.worker.ring_bell(SHARD)
    inboxes.end_bells()
    assert inboxes.worker.ring_bell(SHARD)


def test_forgetting_does_not_keep_the_next_append_from_ringing(inboxes: Inboxes) -> None:
    inboxes.forget(OTHER)
    assert inboxes.append(ONE, "a")


# Tenants


def drained_until(inboxes: Inboxes, wanted: str, *, most: int) -> int:
    """Count the claims until one includes the wanted tenant; 100 if none does."""
    for number in range(1, 100):
        claims = inboxes.worker.claim([SHARD], most)
        if any(claim.address.tenant == wanted for claim in claims):
            return number
        for claim in claims:
            store_all(inboxes.worker, claim)
    return 100


@pytest.mark.parametrize("most", [1, 7, 50])
def test_a_tenant_with_a_thousand_ready_conversations_does_not_hold_up_another_ones_single_one(
    inboxes: Inboxes, most: int
) -> None:
    for address in addresses("large", 1_000):
        inboxes.append(address, "a")
    inboxes.append(addresses("small", 1)[0], "b")
    assert drained_until(inboxes, "small", most=most) <= 2


def test_tenants_are_served_in_turn(inboxes: Inboxes) -> None:
    for tenant in ("one", "two", "three"):
        for address in addresses(tenant, 3):
            inboxes.append(address, "a")
    served = []
    for _ in range(9):
        claim = inboxes.worker.claim([SHARD], 1)[0]
        store_all(inboxes.worker, claim)
        served.append(claim.address.tenant)
    assert served == ["one", "two", "three"] * 3


def test_a_tenant_waits_at_most_for_as_many_claims_as_there_are_others(inboxes: Inboxes) -> None:
    for number in range(20):
        for address in addresses(f"tenant-{number}", 3):
            inboxes.append(address, "a")
    inboxes.append(addresses("last", 1)[0], "b")
    assert drained_until(inboxes, "last", most=1) <= 21


def test_a_claim_with_room_for_all_tenants_serves_each_of_them(inboxes: Inboxes) -> None:
    for number in range(10):
        for address in addresses(f"tenant-{number}", 8):
            inboxes.append(address, "a")
    for _ in range(3):
        served = [claim.address.tenant for claim in inboxes.worker.claim([SHARD], 17)]
        assert len(served) == 17
        assert len(set(served)) == 10


def test_what_a_tenant_leaves_of_its_share_is_taken_by_others_in_the_same_claim(inboxes: Inboxes) -> None:
    for tenant, number in (("large", 40), ("leased", 3), ("other", 40), ("small", 1)):
        for address in addresses(tenant, number):
            inboxes.append(address, "a")
    leased = [claim for _ in range(3) for claim in inboxes.worker.claim([SHARD], 4)]
    for claim in leased:
        if claim.address.tenant != "leased":
            inboxes.worker.finish([(claim, None)])
    served = [claim.address.tenant for claim in inboxes.worker.claim([SHARD], 21)]
    assert sorted((served.count("large"), served.count("other"))) == [10, 10]
    assert (served.count("small"), served.count("leased")) == (1, 0)


def test_every_ready_conversation_is_claimed_once(inboxes: Inboxes) -> None:
    ready = [*addresses("large", 30), *addresses("small", 1), *addresses("medium", 5)]
    for address in ready:
        inboxes.append(address, "a")
    claimed: list[Address] = []
    while claims := inboxes.worker.claim([SHARD], 4):
        assert len(claims) <= 4
        claimed += [claim.address for claim in claims]
    assert len(claimed) == len(ready)
    assert set(claimed) == set(ready)


# Sweeps


def test_one_caller_in_each_interval_sweeps(inboxes: Inboxes) -> None:
    assert [inboxes.worker.start_sweep() for _ in range(3)] == [True, False, False]
    inboxes.end_sweeps()
    assert inboxes.worker.start_sweep()


def test_a_sweep_stands_for_no_longer_when_the_clock_is_set_back(inboxes: Inboxes) -> None:
    assert inboxes.worker.start_sweep()
    inboxes.set_clock_back()
    assert not inboxes.worker.start_sweep()
    inboxes.end_sweeps()
    assert inboxes.worker.start_sweep()


def test_shards_that_hold_anything_are_listed_in_order(inboxes: Inboxes) -> None:
    for shard in (9, 2):
        inboxes.append(addresses("acme", 1, shard=shard)[0], "a")
    inboxes.forget(addresses("other", 1, shard=5)[0])
    assert inboxes.worker.waiting() == [2, 5, 9]


def test_refusals_are_forgotten_when_something_was_stored(inboxes: Inboxes) -> None:
    inboxes.append(ONE, "t1", "t2")
    (claim,) = inboxes.worker.claim([SHARD], 10)
    assert [inboxes.worker.count_refusal(claim) for _ in range(2)] == [1, 2]
    inboxes.worker.finish([(claim, None)])
    (claim,) = inboxes.worker.claim([SHARD], 10)
    assert inboxes.worker.count_refusal(claim) == 3, "nothing was stored"
    first, _ = inboxes.worker.read([claim], 10)[0]
    inboxes.worker.finish([(claim, first.stream_id)])
    (claim,) = inboxes.worker.claim([SHARD], 10)
    assert inboxes.worker.count_refusal(claim) == 1
