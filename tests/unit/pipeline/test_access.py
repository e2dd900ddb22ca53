"""The interest in segments is bounded, fades as others are looked up, and depends on the counts alone."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from turnfold.contract.access import MOST_OFTEN, asked_field, found_fields, pack_often, read_fields, unpack_often
from turnfold.contract.records import ConversationId, Node
from turnfold.contract.results import Often
from turnfold_worker.pipeline.access import MOST_SEGMENTS, MOST_WEIGHT, Access, counted, often

batches = st.lists(st.dictionaries(st.integers(0, 200), st.integers(1, 400), max_size=90), max_size=12)


def after(given_batches: list[dict[int, int]]) -> dict[int, Access]:
    accesses: dict[int, Access] = {}
    for now, times in enumerate(given_batches):
        accesses = counted(accesses, times, now=now)
    return accesses


@given(batches)
def test_what_is_remembered_is_bounded_and_has_weight(given_batches: list[dict[int, int]]) -> None:
    accesses = after(given_batches)
    assert len(accesses) <= MOST_SEGMENTS
    assert sum(one.weight for one in accesses.values()) <= MOST_WEIGHT
    assert all(one.weight > 0 and one.expansions >= one.weight for one in accesses.values())
    told = often(accesses)
    assert told == sorted(told)
    assert len(told) <= MOST_OFTEN
    assert accesses == after(given_batches)


@given(batches, st.data())
def test_one_more_expansion_never_makes_a_segment_lighter_than_one_that_it_led(
    given_batches: list[dict[int, int]], data: st.DataObject
) -> None:
    before = after(given_batches)
    assume(before)
    idx = data.draw(st.sampled_from(sorted(before)))
    grown = counted(before, {idx: 1}, now=99)
    assert idx in grown
    led = [other for other, access in before.items() if other in grown and access.weight <= before[idx].weight]
    assert grown[idx].weight == max(grown[other].weight for other in led)


def test_interest_fades_when_other_segments_are_looked_up() -> None:
    accesses = counted({}, {1: 16}, now=0)
    for now in range(1, 60):
        accesses = counted(accesses, {10 + now % 20: 16}, now=now)
    assert 1 not in accesses


def test_a_loop_of_one_agent_counts_as_one_interest() -> None:
    accesses = counted({}, {1: 500, 2: 16}, now=0)
    assert accesses[1].weight == accesses[2].weight
    assert accesses[1].expansions == 500


def test_fields_read_back_as_what_was_counted() -> None:
    new, old = ConversationId(7), ConversationId(3)
    fields = {asked_field(new): 5, asked_field(old): 1}
    fields |= dict.fromkeys(found_fields(new, 12, 19), 4)
    one, other = sorted(read_fields(fields), key=lambda found: -found.conversation)
    assert (one.conversation, one.asked, one.found, one.ranges) == (7, 5, 4, {(12, 19): 4})
    assert (other.conversation, other.asked, other.found, other.ranges) == (3, 1, 0, {})


def test_what_a_read_is_told_reads_back() -> None:
    node = Node(height=0, idx=4, first_seq=20, last_seq=29, slug="fees", tokens=(0, 80, 0, 0))
    assert unpack_often(pack_often([Often(node, 9)])) == (Often(node, 9),)
    assert pack_often([]) is None
    assert unpack_often(None) == ()
