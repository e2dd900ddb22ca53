"""Webhooks: endpoints of a tenant are told when its conversations are folded, refined, expired, parked or erased.

endpoints       who is told of what, in SQL
deliveries      the outbox that triggers fill: claimed, accepted, tried again, given up
slots           how many deliveries to a tenant and an endpoint may be under way
signatures      signing and verifying by the Standard Webhooks specification
addresses       which URLs may be called
sending         one signed request, with its limits
delivering      the loop of a gateway that delivers what is due
"""

from turnfold_gateway.webhooks.delivering import lifespan
from turnfold_gateway.webhooks.signatures import verify

routes: list[object] = []

__all__ = ["lifespan", "routes", "verify"]
