"""Limit concurrent deliveries, so that receivers that never answer do not hold up the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

AT_ONCE: Final = 128
"""Limit for one gateway and database."""
OF_A_TENANT: Final = 16
OF_AN_ENDPOINT: Final = 8


class Receiver(NamedTuple):
    """A receiver of deliveries: an endpoint's id with its tenant."""

    tenant: str
    endpoint: str


class Slots:
    """The slots left over by deliveries in progress.

    >>> slots = Slots([Receiver("acme", "e1")] * OF_AN_ENDPOINT)
    >>> slots.take(Receiver("acme", "e1")), slots.take(Receiver("acme", "e2")), slots.full_endpoints
    (False, True, ['e1'])
    """

    def __init__(self, busy: Iterable[Receiver]) -> None:
        receivers = list(busy)
        self._of_tenant = Counter(receiver.tenant for receiver in receivers)
        self._of_endpoint = Counter(receiver.endpoint for receiver in receivers)

    @property
    def free(self) -> int:
        """Number of deliveries that may still begin, to any receiver."""
        return AT_ONCE - self._of_tenant.total()

    @property
    def full_tenants(self) -> list[str]:
        """Tenants to which no delivery may begin."""
        return [tenant for tenant, count in self._of_tenant.items() if count >= OF_A_TENANT]

    @property
    def full_endpoints(self) -> list[str]:
        """Ids of endpoints to which no delivery may begin."""
        return [endpoint for endpoint, count in self._of_endpoint.items() if count >= OF_AN_ENDPOINT]

    def take(self, receiver: Receiver) -> bool:
        """Take a slot; return False if there is none for this receiver."""
        if (
            self.free <= 0
            or self._of_tenant[receiver.tenant] >= OF_A_TENANT
            or self._of_endpoint[receiver.endpoint] >= OF_AN_ENDPOINT
        ):
            return False
        self._of_tenant[receiver.tenant] += 1
        self._of_endpoint[receiver.endpoint] += 1
        return True
