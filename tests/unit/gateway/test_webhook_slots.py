"""No receiver exceeds its share of concurrent deliveries, and none is refused below its limits."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from turnfold_gateway.webhooks.slots import AT_ONCE, OF_A_TENANT, OF_AN_ENDPOINT, Receiver, Slots

# Each endpoint belongs to one tenant.
_RECEIVERS = st.tuples(st.integers(0, 11), st.integers(0, 3)).map(lambda ids: Receiver(f"t{ids[0]}", f"e{ids}"))


@given(st.lists(_RECEIVERS, max_size=60), st.lists(_RECEIVERS, max_size=300))
def test_limits_hold_and_none_is_refused_below_them(waiting: list[Receiver], more: list[Receiver]) -> None:
    busy: list[Receiver] = []
    for due in (waiting, more):
        slots = Slots(busy)
        for receiver in due:
            of_tenant = Counter(other.tenant for other in busy)[receiver.tenant]
            is_full = len(busy) == AT_ONCE or of_tenant == OF_A_TENANT or busy.count(receiver) == OF_AN_ENDPOINT
            assert (receiver.tenant in slots.full_tenants) is (of_tenant == OF_A_TENANT)
            assert (receiver.endpoint in slots.full_endpoints) is (busy.count(receiver) == OF_AN_ENDPOINT)
            assert slots.take(receiver) is not is_full
            if not is_full:
                busy.append(receiver)
            assert slots.free == AT_ONCE - len(busy)
    assert len(busy) <= min(AT_ONCE, len(waiting) + len(more))
