"""`turnfold webhooks`: manage the URLs that are notified of a tenant's events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager

import click

from turnfold_gateway.cli.session import errors_in_a_line, sdk_settings
from turnfold_gateway.keys.store import KeyStore
from turnfold_gateway.settings import GatewaySettings
from turnfold_gateway.webhooks.endpoints import EVENTS, Endpoints


@contextmanager
def _endpoints() -> Iterator[Endpoints]:
    with errors_in_a_line(), closing(KeyStore(sdk_settings())) as store:
        yield Endpoints(store, sdk_settings().tenant)


@click.group(short_help="Add, list, remove or test webhooks.")
def webhooks() -> None:
    """Webhooks: URLs that are notified when a tenant's conversations are folded, refined, expired, parked or erased."""


@webhooks.command(short_help="Add a webhook and show its secret once.")
@click.argument("url")
@click.option(
    "--event", "events", type=click.Choice(EVENTS), multiple=True, default=EVENTS, help="Event to send; default: all."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON on one line, for programs.")
def add(url: str, events: tuple[str, ...], as_json: bool) -> None:
    """Add a URL for the tenant of TURNFOLD_TENANT or --tenant, and print the secret that signs its deliveries.

    \b
    Example:
      turnfold --tenant acme webhooks add https://hooks.example.com/turnfold --event folded --event erased
    """
    with _endpoints() as endpoints:
        settings = GatewaySettings.from_env(turnfold=sdk_settings())
        endpoint, secret = endpoints.add(url, events, allow_http=settings.webhook_http)
    if as_json:
        click.echo(json.dumps({"id": endpoint, "secret": secret, "url": url, "events": list(events)}))
    else:
        click.echo(secret)
        click.echo(
            f"Save the secret now: it is not shown again. `turnfold webhooks test {endpoint}` sends a test event.",
            err=True,
        )


@webhooks.command("list", short_help="List webhooks, without their secrets.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON on one line, for programs.")
def list_endpoints(as_json: bool) -> None:
    """List a tenant's webhooks, with how many deliveries are waiting and how many were given up."""
    with _endpoints() as endpoints:
        stored = endpoints.list()
    if as_json:
        rows = [
            {"id": row.id, "url": row.url, "events": list(row.events), "waiting": row.waiting, "given_up": row.given_up}
            for row in stored
        ]
        click.echo(json.dumps(rows))
        return
    for row in stored:
        click.echo(f"{row.id}  {','.join(row.events)}  {row.waiting} waiting, {row.given_up} given up  {row.url}")
    if not stored:
        click.echo("there are no webhooks: `turnfold webhooks add URL` adds one", err=True)


@webhooks.command(short_help="Remove a webhook.")
@click.argument("endpoint")
def remove(endpoint: str) -> None:
    """Remove a webhook, and the deliveries that wait for it."""
    with _endpoints() as endpoints:
        removed = endpoints.remove(endpoint)
    if not removed:
        raise click.ClickException(f"there is no webhook {endpoint}: `turnfold webhooks list` shows them")


@webhooks.command(short_help="Send a test event to a webhook.")
@click.argument("endpoint")
def test(endpoint: str) -> None:
    """Queue an event `test`; a running gateway delivers it, and `list` shows whether it is still waiting."""
    with _endpoints() as endpoints:
        queued = endpoints.test(endpoint)
    if not queued:
        raise click.ClickException(f"there is no webhook {endpoint}: `turnfold webhooks list` shows them")
    click.echo("queued: a running gateway sends it; `turnfold webhooks list` shows waiting events", err=True)
