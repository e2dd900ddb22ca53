"""`turnfold keys`: manage the keys of the gateway's callers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict

import click

from turnfold_gateway.cli.session import errors_in_a_line, sdk_settings
from turnfold_gateway.keys.audit import AuditLog
from turnfold_gateway.keys.secrets import SCOPES
from turnfold_gateway.keys.store import KeyStore, StoredKey


@contextmanager
def _store() -> Iterator[KeyStore]:
    with errors_in_a_line(), closing(KeyStore(sdk_settings())) as store:
        yield store


@click.group(short_help="Create, list or revoke HTTP API keys.")
def keys() -> None:
    """Keys of the HTTP API: each opens one tenant's conversations, as far as its scopes allow."""


@keys.command(short_help="Create a key and show it once.")
@click.option("--name", required=True, help="Name of the key, shown by `list`.")
@click.option(
    "--scope", "scopes", type=click.Choice(SCOPES), multiple=True, default=("append", "read"), show_default=True,
    help="Scope of the key; admin includes the others.",
)  # fmt: skip
@click.option("--requests-per-minute", type=click.IntRange(0), help="Requests per minute; 0: no limit.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON on one line, for programs.")
def create(name: str, scopes: tuple[str, ...], requests_per_minute: int | None, as_json: bool) -> None:
    """Make a key for the tenant of TURNFOLD_TENANT or --tenant, and print it. It cannot be shown again.

    \b
    Examples:
      turnfold --tenant acme keys create --name chat-service
      turnfold --tenant acme keys create --name support --scope admin
    """
    with _store() as store:
        tenant = sdk_settings().tenant
        token = store.create(tenant, name, scopes, requests_per_minute=requests_per_minute)
    if as_json:
        click.echo(json.dumps({"id": token.key_id, "key": str(token), "tenant": tenant, "scopes": list(scopes)}))
    else:
        click.echo(str(token))
        click.echo(
            f"Save the key now: it is not shown again. `turnfold keys revoke {token.key_id}` revokes it.", err=True
        )


@keys.command("list", short_help="List keys, without their secrets.")
@click.option("--all", "everybody", is_flag=True, help="List keys of all tenants.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON on one line, for programs.")
def list_keys(everybody: bool, as_json: bool) -> None:
    """List the keys of a tenant: id, name, scopes, when they were made, whether they were revoked."""
    with _store() as store:
        stored = store.keys(None if everybody else sdk_settings().tenant)
    if as_json:
        click.echo(json.dumps([_plain(key) for key in stored]))
        return
    for key in stored:
        state = "active" if key.revoked_at is None else f"revoked {key.revoked_at:%Y-%m-%d %H:%M}"
        scopes = ",".join(scope for scope in SCOPES if scope in key.scopes)
        click.echo(f"{key.id}  {key.created_at:%Y-%m-%d %H:%M}  {scopes:<17}  {state:<24}  {key.tenant}  {key.name}")
    if not stored:
        click.echo("there are no keys: `turnfold keys create --name NAME` creates one", err=True)


@keys.command(short_help="Revoke a key.")
@click.argument("key_id")
def revoke(key_id: str) -> None:
    """Revoke the key KEY_ID. Gateways that used it a moment ago notice within TURNFOLD_GATEWAY_KEY_CACHE_SECONDS."""
    with _store() as store:
        known = store.revoke(key_id)
    if not known:
        raise click.ClickException(f"there is no key {key_id!r}: `turnfold keys list --all` shows them")
    click.echo(f"{key_id} is revoked")


@keys.command(short_help="Show what administrators did.")
@click.option("--conversation", help="Show only calls about this conversation.")
@click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="Maximum number of entries, newest first."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON on one line, for programs.")
def audit(conversation: str | None, limit: int, as_json: bool) -> None:
    """List the calls of a tenant that needed the scope admin: when, which key, what, and the HTTP status.

    A conversation is identified by a hash of its id, so that nothing of an erased one remains.
    """
    with _store() as store:
        entries = AuditLog(store).entries(sdk_settings().tenant, limit=limit, conversation=conversation)
    if as_json:
        click.echo(json.dumps([{**asdict(entry), "at": entry.at.isoformat()} for entry in entries]))
        return
    for entry in entries:
        click.echo(f"{entry.at:%Y-%m-%d %H:%M:%S}  {entry.key_id}  {entry.status}  {entry.action}")
    if not entries:
        click.echo("no calls with scope admin are recorded", err=True)


def _plain(key: StoredKey) -> dict[str, object]:
    return {
        "id": key.id,
        "tenant": key.tenant,
        "name": key.name,
        "scopes": [scope for scope in SCOPES if scope in key.scopes],
        "requests_per_minute": key.requests_per_minute,
        "created_at": key.created_at.isoformat(),
        "revoked_at": None if key.revoked_at is None else key.revoked_at.isoformat(),
    }
