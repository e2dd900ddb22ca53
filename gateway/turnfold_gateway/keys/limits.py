"""How many requests a minute a key may make: counted in Redis, over all gateways."""

from __future__ import annotations

import logging
import math

from turnfold import Unavailable
from turnfold.contract.keys import gateway_rate
from turnfold_gateway.keys.ring import Caller
from turnfold_gateway.problems import Problem
from turnfold_gateway.redis_client import RedisClient

_log = logging.getLogger(__name__)


async def take_request(caller: Caller, client: RedisClient, *, default_a_minute: int) -> None:
    """Count a request. Raises `Problem` (429) for one too many. Without Redis nobody is kept from reading."""
    a_minute = default_a_minute if caller.requests_per_minute is None else caller.requests_per_minute
    if not a_minute:
        return
    try:
        wait = await client.take(gateway_rate(caller.key_id), a_minute)
    except Unavailable:
        _log.warning("requests of key %s are not counted: Redis does not answer", caller.key_id)
        return
    if wait > 0:
        seconds = math.ceil(wait)
        raise Problem(
            429, "too-many-requests", "The key makes too many requests",
            detail=f"the key may make {a_minute} requests a minute",
            remedy="repeat the request after Retry-After seconds, or ask for a key with a higher limit",
            headers={"Retry-After": str(seconds)}, retry_after_seconds=seconds,
        )  # fmt: skip
