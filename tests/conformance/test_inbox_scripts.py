"""The fake and Redis give the same answers to any sequence of operations."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from support.examples import examples
from support.inboxes import SHARD, FakeInboxes, Inboxes, RealInboxes, addresses
from turnfold.redis.connections import connect
from turnfold_worker.ports.messages import Claim

CONVERSATIONS = [address for tenant in ("acme", "b:c") for address in addresses(tenant, 3)]

which = st.integers(0, len(CONVERSATIONS) - 1)
steps = st.one_of(
    st.tuples(st.just("append"), which, st.integers(1, 3)),
    st.tuples(st.just("claim"), st.integers(1, 4), st.just(0)),
    st.tuples(st.just("finish"), st.integers(0, 5), st.integers(0, 3)),
    st.tuples(st.just("forget"), which, st.just(0)),
    st.tuples(st.just("erase"), st.integers(0, 5), st.just(0)),
    st.tuples(st.just("silence"), st.just(0), st.just(0)),
    st.tuples(st.just("clock back"), st.just(0), st.just(0)),
)


class Script:
    """Runs steps against an inbox and returns every answer without its times."""

    def __init__(self, inboxes: Inboxes) -> None:
        self._inboxes = inboxes
        self._claims: list[Claim] = []
        self._appended = 0

    def take(self, step: tuple[str, int, int]) -> object:
        """Run one step, and return its answer and the state after it."""
        verb, first, second = step
        worker = self._inboxes.worker
        answer: object = None
        match verb:
            case "append":
                self._appended += second
                # Whether an append must ring depends on real seconds in Redis; other tests cover the bells.
                self._inboxes.append(CONVERSATIONS[first], *(f"m{self._appended - i}" for i in range(second)))
            case "claim":
                taken = worker.claim([SHARD], first)
                self._claims = [*taken, *self._claims]
                answer = [(claim.address, claim.forgotten_at is not None) for claim in taken]
            case "finish" if first < len(self._claims):
                claim = self._claims[first]
                (entries,) = worker.read([claim], max(1, second))
                worker.finish([(claim, entries[-1].stream_id if second and entries else None)])
                answer = [entry.entry_id for entry in entries] if second else []
            case "forget":
                answer = self._inboxes.forget(CONVERSATIONS[first])
            case "erase" if first < len(self._claims):
                claim = self._claims[first]
                answer = worker.still_forgotten(claim)
                worker.erased(claim, {"turns": first})
            case "silence":
                worker.silence_bells([SHARD])
            case "clock back":
                self._inboxes.set_clock_back()
                # Redis's clock cannot be set: its scores are moved instead, and the tokens of claims with them.
                self._claims.clear()
        return answer, self._state()

    def _state(self) -> object:
        inboxes = self._inboxes
        return (
            [(inboxes.held(address), inboxes.receipt(address)) for address in CONVERSATIONS],
            {claim.address for claim in inboxes.worker.forgotten(SHARD, 10)},
            inboxes.worker.waiting(),
        )


@pytest.mark.processes
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(script=st.lists(steps, min_size=1, max_size=25))
def test_any_script_has_the_same_answers(redis_url: str, script: Sequence[tuple[str, int, int]]) -> None:
    client = connect(redis_url, timeout_seconds=5)
    client.flushall()
    fake, real = Script(FakeInboxes()), Script(RealInboxes(client))
    answers = [(step, fake.take(step), real.take(step)) for step in script]
    client.close()
    assert answers == [(step, expected, expected) for step, expected, _ in answers]
