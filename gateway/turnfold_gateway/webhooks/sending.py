"""Send one signed request to an endpoint: to a checked address, without redirects, within a deadline."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

import httpx
from tenacity import (
    AsyncRetrying,
    RetryError,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from turnfold_gateway.webhooks.addresses import address_of, checked_url
from turnfold_gateway.webhooks.signatures import signed_headers

if TYPE_CHECKING:
    from turnfold_gateway.settings import GatewaySettings

TRIES_AT_ONCE: Final = 3
"""Attempts in quick succession, before the delivery waits in SQL for its next round."""


class NotAcceptedError(Exception):
    """Raised when the endpoint did not answer with 2xx."""


async def send(
    client: httpx.AsyncClient, url: str, secret: str, message_id: str, body: bytes, *, settings: GatewaySettings
) -> None:
    """Deliver a message in up to three attempts. Raises `NotAcceptedError`, `RefusedAddressError`, `InvalidInput`."""
    tries = AsyncRetrying(
        stop=stop_after_attempt(TRIES_AT_ONCE), wait=wait_exponential(multiplier=0.2, max=2) + wait_random(0, 0.2),
        retry=retry_if_exception_type(NotAcceptedError),
    )  # fmt: skip
    try:
        async for attempt in tries:
            with attempt:
                await _send_once(client, url, secret, message_id, body, settings=settings)
    except RetryError as error:
        raise error.last_attempt.exception() or NotAcceptedError("no answer") from None


async def _send_once(
    client: httpx.AsyncClient, url: str, secret: str, message_id: str, body: bytes, *, settings: GatewaySettings
) -> None:
    parts = checked_url(url, allow_http=settings.webhook_http)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(settings.webhook_timeout_seconds):
            address = await address_of(host, port, allow_private=settings.webhook_private)
            # By address, since resolving the name again might give another one (DNS rebinding).
            pinned = httpx.URL(url).copy_with(host=address, port=port)
            headers = {
                "host": parts.netloc, "content-type": "application/json",
                **signed_headers(secret, message_id, int(time.time()), body),
            }  # fmt: skip
            request = client.build_request(
                "POST", pinned, content=body, headers=headers, extensions={"sni_hostname": host}
            )
            answer = await client.send(request, stream=True, follow_redirects=False)
            # Only the status matters: no byte of the body is read.
            await answer.aclose()
    except (TimeoutError, httpx.HTTPError) as error:
        raise NotAcceptedError(type(error).__name__) from error
    if not answer.is_success:
        raise NotAcceptedError(f"HTTP {answer.status_code}")
