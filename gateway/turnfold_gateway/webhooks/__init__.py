"""Webhooks: notify a tenant's endpoints when conversations are folded, refined, expired, parked or erased.

endpoints       endpoints and their events, in SQL
deliveries      the outbox that triggers fill: claimed, accepted, retried, given up
slots           limits on concurrent deliveries to a tenant and an endpoint
signatures      signing and verifying by the Standard Webhooks specification
addresses       URLs and addresses that may be called
sending         one signed request, with its limits
delivering      a gateway's loop that delivers what is due
"""

from turnfold_gateway.webhooks.delivering import lifespan
from turnfold_gateway.webhooks.signatures import verify

routes: list[object] = []

__all__ = ["lifespan", "routes", "verify"]
