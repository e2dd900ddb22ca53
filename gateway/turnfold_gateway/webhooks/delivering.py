"""The loop of a gateway that delivers what is due. Any number of gateways may run it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, closing

import httpx
from starlette.applications import Starlette

from turnfold import TurnfoldError
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.keys.store import KeyStore
from turnfold_gateway.settings import GatewaySettings
from turnfold_gateway.webhooks.addresses import RefusedAddressError
from turnfold_gateway.webhooks.authorities import tls_context
from turnfold_gateway.webhooks.deliveries import Delivery, Outbox
from turnfold_gateway.webhooks.sending import NotAcceptedError, send

_log = logging.getLogger(__name__)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Deliver while the gateway serves, of each cell by itself.

    What is under way at the end is taken up again by whoever runs next.
    """
    settings: GatewaySettings = app.state.settings
    cells: ServedCells = app.state.cells
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(KeyStore(cell.settings))) for cell in cells.by_name.values()]
        delivering = [asyncio.create_task(deliver_forever(Outbox(store), settings)) for store in stores]
        try:
            yield
        finally:
            for task in delivering:
                task.cancel()
            await asyncio.gather(*delivering, return_exceptions=True)


async def deliver_forever(outbox: Outbox, settings: GatewaySettings) -> None:
    """Look for what is due every `webhook_poll_seconds`; at once while there is more."""
    verify = tls_context(settings.webhook_ca_file)
    async with httpx.AsyncClient(trust_env=False, verify=verify, timeout=settings.webhook_timeout_seconds) as client:
        while True:
            try:
                busy = await deliver_due(client, outbox, settings)
            except TurnfoldError as error:
                _log.warning("webhooks wait: %s", error)
                busy = 0
            except Exception:  # noqa: BLE001 - what is wrong with one batch ends no later one
                _log.exception("webhooks wait")
                busy = 0
            if not busy:
                await asyncio.sleep(settings.webhook_poll_seconds)


async def deliver_due(client: httpx.AsyncClient, outbox: Outbox, settings: GatewaySettings) -> int:
    """Deliver one batch side by side; how many were tried."""
    deliveries = await asyncio.to_thread(outbox.claim)
    await asyncio.gather(*(_deliver(client, outbox, delivery, settings) for delivery in deliveries))
    return len(deliveries)


async def _deliver(client: httpx.AsyncClient, outbox: Outbox, delivery: Delivery, settings: GatewaySettings) -> None:
    try:
        await send(client, delivery.url, delivery.secret, delivery.message_id, delivery.body(), settings=settings)
    except (NotAcceptedError, RefusedAddressError, TurnfoldError) as error:
        given_up = await asyncio.to_thread(outbox.failed, delivery, most_rounds=settings.webhook_rounds)
        outcome = "given up" if given_up else "tried again later"
        # Neither the URL, in which a secret may stand, nor the conversation.
        _log.warning("webhook %s: delivery %s is %s: %s", delivery.endpoint, delivery.id, outcome, error)
    else:
        await asyncio.to_thread(outbox.accepted, delivery)
