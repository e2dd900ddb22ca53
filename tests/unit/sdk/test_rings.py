"""Rings as stored in Redis."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.places import SHARDS
from turnfold.contract.rings import Ring, keys_of
from turnfold.contract.tasks import Queue, Task

numbers = st.lists(st.integers(0, 2**63 - 1), max_size=3).map(tuple)
rings = st.one_of(
    st.builds(Ring, st.just(Task.DRAIN), st.tuples(st.integers(0, len(SHARDS) - 1))),
    st.builds(Ring, st.sampled_from([task for task in Task if task is not Task.DRAIN]), numbers),
)


@given(rings)
def test_a_ring_reads_back_from_its_member(ring: Ring) -> None:
    assert Ring.from_member(ring.member.encode()) == ring


@given(rings, st.sets(st.sampled_from(Queue)))
def test_a_ring_is_heard_by_those_who_serve_its_queue_and_by_nobody_else(ring: Ring, queues: set[Queue]) -> None:
    assert (ring.key in keys_of(queues)) == (ring.queue in queues)


@given(st.binary(max_size=40))
def test_whatever_stands_there_is_a_ring_in_its_one_form_or_none(member: bytes) -> None:
    ring = Ring.from_member(member)
    assert ring is None or ring.member.encode() == member


@pytest.mark.parametrize(
    "member",
    [
        b"", b"turnfold.drain -1", b"turnfold.drain 3 ", b"turnfold.drain  3", b"turnfold.drain 03", b"os.system 1",
        b"turnfold.drain 99999999999999999999", "turnfold.drain ٣".encode(), b"turnfold.drain 1\n",
        b"turnfold.drain", b"turnfold.drain 4294967296", b"turnfold.drain 1 2",
    ],
)  # fmt: skip
def test_what_is_no_ring_reads_as_none(member: bytes) -> None:
    assert Ring.from_member(member) is None


def test_golden_members() -> None:
    """Producers and workers of different versions rely on the same members."""
    assert [
        Ring(Task.DRAIN, (3,)).member, Ring(Task.COMPRESS).member, Ring(Task.RECONSTRUCT, (12, 0, 7)).member,
    ] == ["turnfold.drain 3", "turnfold.compress", "turnfold.reconstruct 12 0 7"]  # fmt: skip
