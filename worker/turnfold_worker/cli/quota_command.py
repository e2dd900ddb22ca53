"""`turnfold quota`: limit what individual tenants may append, store, keep and spend on models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from turnfold.contract.keys import checked_id
from turnfold.errors import Unavailable
from turnfold.settings import MOST
from turnfold_worker.cli.output import console, json_option, plain, print_json, table, words
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.cli.streams import safe
from turnfold_worker.errors import StoreAway

if TYPE_CHECKING:
    from turnfold.redis.quotas import Counted
    from turnfold_worker.adapters.sql.tenant_quotas import SqlTenantQuotas
    from turnfold_worker.settings import WorkerSettings
    from turnfold_worker.use_cases.tenant_quotas import TenantQuota

_Command = TypeVar("_Command", bound=Callable[..., Any])

SETTINGS: Final = {
    "turns_a_day": "tenant_turns_a_day",
    "bytes_a_day": "tenant_bytes_a_day",
    "stored_bytes": "tenant_stored_bytes",
    "model_tokens_a_day": "daily_tokens",
    "retention_days": "keep_level0_days",
}
"""The setting that applies when a tenant has no limit of its own."""

_SAID: Final = {
    "turns_a_day": "Turns appended per day (UTC).",
    "bytes_a_day": "Bytes appended per day (UTC), as JSON, edits included.",
    "stored_bytes": "Bytes of stored turns.",
    "model_tokens_a_day": "Model tokens per day (UTC), in and out; beyond them, notes come from the rules.",
    "retention_days": "Days after which the text of old turns is removed; 0 keeps it.",
}


@click.group(short_help="Set, show or clear limits of a tenant.")
def quota() -> None:
    """Limit what individual tenants append, store, keep and spend on models, where the settings do not fit them.

    A tenant's own limit overrides the setting; 0 means no limit. Limits are stored in SQL, and apply to the next append
    of any producer.

    \b
    Examples:
      turnfold quota set acme --turns-a-day 5000 --stored-bytes 2000000000
      turnfold quota set acme --model-tokens-a-day 200000 --retention-days 90
      turnfold quota show acme
      turnfold quota clear acme
    """


def _bounds(command: _Command) -> _Command:
    """Add an option for each limit."""
    for name in reversed(SETTINGS):
        greatest = 36_500 if name == "retention_days" else MOST
        option = f"--{name.replace('_', '-')}"
        command = click.option(option, type=click.IntRange(0, greatest), metavar="N", help=_SAID[name])(command)
    return command


@quota.command("set", short_help="Set a tenant's own limits.")
@click.argument("tenant")
@_bounds
@pass_session
def set_quota(session: Session, /, tenant: str, **bounds: int | None) -> None:
    """Give TENANT limits of its own; those that are not named stay as they are. 0 means no limit.

    \b
    Examples:
      turnfold quota set acme --turns-a-day 5000
      turnfold quota set acme --turns-a-day 0
    """
    given: dict[str, Any] = {name: bound for name, bound in bounds.items() if bound is not None}
    if not given:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in SETTINGS)
        raise click.UsageError(f"give at least one limit: {names}")
    store = _store(session, write=True)
    changed = replace(store.of(checked_id("tenant", tenant)), **given)
    store.put(changed)
    _publish(session, store, measured=tenant if changed.stored_bytes else None)
    click.echo(f"set for tenant {safe(tenant)}: {_listed(changed)}")


@quota.command(short_help="Remove a tenant's own limits.")
@click.argument("tenant")
@pass_session
def clear(session: Session, tenant: str) -> None:
    """Remove all limits of TENANT's own: the settings apply again."""
    store = _store(session, write=True)
    had_some = store.clear(checked_id("tenant", tenant))
    _publish(session, store, measured=None)
    named = f"tenant {safe(tenant)}"
    click.echo(f"cleared: the settings apply to {named}" if had_some else f"{named} had no quota")


@quota.command(short_help="Show limits and usage.")
@click.argument("tenant", required=False)
@json_option
@pass_session
def show(session: Session, tenant: str | None, as_json: bool) -> None:
    """Show the limits of TENANT, where each comes from, and how much is used; without TENANT, all tenants with limits.

    Limits from settings are those of the environment in which this command runs.

    \b
    Examples:
      turnfold quota show
      turnfold quota show acme --json
    """
    store = _store(session, write=False)
    if tenant is None:
        _show_all(store.all(), as_json=as_json)
        return
    rows = standing(session, store, checked_id("tenant", tenant))
    if as_json:
        print_json({"tenant": tenant, "quota": rows})
        return
    quota_rows = table("limit", "#maximum", "set by", "#used")
    for name, row in rows.items():
        bound = "no limit" if not row["most"] else f"{row['most']:g}"
        if name == "retention_days" and not row["most"]:
            bound = "forever"
        quota_rows.add_row(
            name.replace("_", " "), bound, row["set_by"], "" if row["used"] is None else str(row["used"])
        )
    console().print(quota_rows)


def _show_all(quotas: list[TenantQuota], *, as_json: bool) -> None:
    if as_json:
        print_json({"quotas": plain(quotas)})
        return
    if not quotas:
        click.echo("no tenant has its own limits: `turnfold quota set TENANT` sets them")
        return
    rows = table("tenant", *(f"#{name.replace('_', ' ')}" for name in SETTINGS))
    for quota in quotas:
        values = (getattr(quota, name) for name in SETTINGS)
        rows.add_row(words(quota.tenant), *("" if bound is None else str(bound) for bound in values))
    console().print(rows)


def standing(session: Session, store: SqlTenantQuotas, tenant: str) -> dict[str, dict[str, Any]]:
    """Return by name of each limit its value, what set it, and how much is used (None where nothing is counted).

    While Redis does not answer, appended turns and stored bytes are unknown.
    """
    from turnfold.redis.quotas import Quotas

    own, settings = store.of(tenant), session.settings
    counted = None
    try:
        counted = Quotas(session.redis, settings).counted(tenant)
    except Unavailable as error:
        click.echo(f"the tenant's appended and stored amounts are unknown: {error}", err=True)
    rows = {name: _row(own, settings, name) for name in SETTINGS}
    used = _used(counted, store.model_tokens_today(tenant))
    # Usage without a limit is not counted.
    counts_appends = any(rows[name]["most"] for name in ("turns_a_day", "bytes_a_day", "stored_bytes"))
    for name, row in rows.items():
        is_counted = name == "model_tokens_a_day" or (counts_appends and (name != "stored_bytes" or row["most"]))
        row["used"] = used.get(name) if is_counted else None
    return rows


def _row(own: TenantQuota, settings: WorkerSettings, name: str) -> dict[str, Any]:
    own_bound = getattr(own, name)
    if own_bound is not None:
        return {"most": own_bound, "set_by": "turnfold quota"}
    setting = SETTINGS[name]
    return {"most": getattr(settings, setting), "set_by": f"TURNFOLD_{setting.upper()}"}


def _used(counted: Counted | None, model_tokens: int) -> dict[str, int]:
    used = {"model_tokens_a_day": model_tokens}
    if counted is not None:
        used |= {"turns_a_day": counted.turns, "bytes_a_day": counted.bytes, "stored_bytes": counted.stored_bytes}
    return used


def _store(session: Session, *, write: bool) -> SqlTenantQuotas:
    from turnfold_worker.adapters.sql.tenant_quotas import SqlTenantQuotas

    return SqlTenantQuotas(session.write_engine if write else session.engine)


def _publish(session: Session, store: SqlTenantQuotas, *, measured: str | None) -> None:
    """Publish quotas so that the next append obeys them; without Redis, a worker does so within a minute."""
    from turnfold_worker.adapters.redis.quota_board import RedisQuotaBoard
    from turnfold_worker.use_cases.tenant_quotas import measure

    board = RedisQuotaBoard(session.redis)
    try:
        board.publish(store.all())
        if measured is not None:
            measure(measured, store=store, board=board)
    except StoreAway as error:
        click.echo(f"{error}: a worker will publish the limits for appends within a minute", err=True)


def _listed(changed: TenantQuota) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {getattr(changed, name)}" for name in SETTINGS if getattr(changed, name) is not None
    )
