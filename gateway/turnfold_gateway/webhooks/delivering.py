"""A gateway's loop that delivers what is due. Any number of gateways may run it."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, closing

import httpx
from starlette.applications import Starlette

from turnfold import TurnfoldError
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.keys.store import KeyStore
from turnfold_gateway.settings import GatewaySettings
from turnfold_gateway.webhooks.addresses import RefusedAddressError
from turnfold_gateway.webhooks.deliveries import Delivery, Outbox
from turnfold_gateway.webhooks.sending import NotAcceptedError, send
from turnfold_gateway.webhooks.slots import AT_ONCE, Receiver

_log = logging.getLogger(__name__)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Deliver while the gateway serves, for each cell separately.

    Deliveries in progress at the end are claimed again by the next gateway that runs.
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
    """Claim due deliveries every `webhook_poll_seconds`, and whenever a delivery has ended."""
    under_way: dict[asyncio.Task[None], Receiver] = {}
    async with _client(settings) as client, asyncio.TaskGroup() as tasks:
        while True:
            for delivery in await _claimed(outbox, list(under_way.values())):
                task = tasks.create_task(deliver(client, outbox, delivery, settings))
                under_way[task] = delivery.receiver
            if under_way:
                ended, _ = await asyncio.wait(
                    under_way, timeout=settings.webhook_poll_seconds, return_when=asyncio.FIRST_COMPLETED
                )
                for task in ended:
                    del under_way[task]
            else:
                await asyncio.sleep(settings.webhook_poll_seconds)


def _client(settings: GatewaySettings) -> httpx.AsyncClient:
    # No connection is kept alive: the pool identifies hosts by address, so another host name's certificate would go
    # unchecked.
    limits = httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=0)
    return httpx.AsyncClient(
        trust_env=False, verify=tls_context(settings.webhook_ca_file), timeout=settings.webhook_timeout_seconds,
        limits=limits,
    )  # fmt: skip


def tls_context(ca_file: str) -> ssl.SSLContext:
    """Return a context that checks host names; `ca_file` (PEM) adds authorities to the public ones."""
    context = httpx.create_ssl_context(trust_env=False)
    if ca_file:
        context.load_verify_locations(cafile=ca_file)
    return context


async def _claimed(outbox: Outbox, busy: list[Receiver]) -> list[Delivery]:
    try:
        return await asyncio.to_thread(outbox.claim, busy)
    except TurnfoldError as error:
        _log.warning("webhook delivery is paused: %s", error)
    except Exception:  # noqa: BLE001 - a failed batch must not end later ones
        _log.exception("webhook delivery is paused")
    return []


async def deliver(client: httpx.AsyncClient, outbox: Outbox, delivery: Delivery, settings: GatewaySettings) -> None:
    """Deliver and record the outcome; raises nothing, so that no other delivery is cancelled."""
    try:
        failure = await _failure(client, delivery, settings)
        if failure is None:
            await asyncio.to_thread(outbox.accepted, delivery)
            return
        given_up = await asyncio.to_thread(outbox.failed, delivery, most_rounds=settings.webhook_rounds)
    except Exception as error:  # noqa: BLE001 - a failed delivery must not end others
        # Its claim expires, and it is delivered again.
        _log.warning("webhook %s: delivery %s waits: %s", delivery.endpoint, delivery.id, type(error).__name__)
        return
    outcome = "given up" if given_up else "tried again later"
    # Without the URL, which may contain a secret, and without the conversation.
    _log.warning("webhook %s: delivery %s is %s: %s", delivery.endpoint, delivery.id, outcome, failure)


async def _failure(client: httpx.AsyncClient, delivery: Delivery, settings: GatewaySettings) -> str | None:
    """Return why a delivery was not accepted; None if it was."""
    try:
        await send(client, delivery.url, delivery.secret, delivery.message_id, delivery.body(), settings=settings)
    except (NotAcceptedError, RefusedAddressError, TurnfoldError) as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - a row that cannot be sent is given up like any other
        return type(error).__name__
    return None
