"""`turnfold usage`: what models did and cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import click

from turnfold_worker.cli.output import console, json_option, print_json, table, words
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.errors import not_stored

if TYPE_CHECKING:
    from turnfold.contract.attention import Usage


@click.command(short_help="Show what models did and cost.")
@click.argument("conversation", required=False)
@click.option(
    "--days", type=click.IntRange(1, 36_500), default=30, show_default=True, help="Today and the days before it."
)
@click.option("--each", is_flag=True, help="Every conversation by itself; erased ones are not known any more.")
@json_option
@pass_session
def usage(session: Session, conversation: str | None, days: int, each: bool, as_json: bool) -> None:
    """Show calls, tokens and cost of a tenant, or of CONVERSATION, by day (UTC) and model.

    Costs come from TURNFOLD_PRICES at the time of a call. Quotes and levels that were refused were not said in the
    conversation, or not in so few words: the rules' words stand in their place. What is bounded by a setting or by
    `turnfold quota` is told too: turns and bytes of today, stored bytes, tokens of models today.

    \b
    Examples:
      turnfold usage
      turnfold usage chat --days 7
      turnfold --tenant acme usage --each --json
    """
    address = None if conversation is None else session.address(conversation)
    if address is not None and session.reader.read(lambda look: look.head(address)) is None:
        raise not_stored(session.settings.tenant, address.conversation)
    since = datetime.now(UTC).date() - timedelta(days=days - 1)
    found = session.reader.read(
        lambda look: look.usage(session.settings.tenant, since, conversation_id=conversation, each=each)
    )
    bounded = _bounded(session)
    if as_json:
        said = {"tenant": session.settings.tenant, "usage": [described(one) for one in found]}
        print_json(said if not bounded else said | {"bounded": bounded})
        return
    for name, row in bounded.items():
        click.echo(
            f"{_BOUNDED[name]}: {'?' if row['used'] is None else row['used']} of {row['most']} (set by {row['set_by']})"
        )
    if not found:
        click.echo("no model was asked in these days")
        return
    _show(found)


_BOUNDED: Final = {
    "turns_a_day": "turns appended today (UTC)", "bytes_a_day": "bytes appended today (UTC)",
    "stored_bytes": "bytes of turns stored", "model_tokens_a_day": "tokens of models today (UTC)",
}  # fmt: skip


def _bounded(session: Session) -> dict[str, dict[str, Any]]:
    """Of each number that is bounded: how much of it may be used and is."""
    from turnfold_worker.adapters.sql.tenant_quotas import SqlTenantQuotas
    from turnfold_worker.cli.quota_command import standing

    rows = standing(session, SqlTenantQuotas(session.engine), session.settings.tenant)
    return {name: row for name, row in rows.items() if name in _BOUNDED and row["most"]}


def described(one: Usage) -> dict[str, object]:
    """A row as JSON knows it."""
    return {name: str(value) if name == "day" else value for name, value in _plain(one).items()}


def _plain(one: Usage) -> dict[str, object]:
    from turnfold_worker.cli.output import plain

    found: dict[str, object] = plain(one)
    return found


def _show(found: list[Usage]) -> None:
    each = any(one.conversation_id is not None for one in found)
    shown = table(
        "day", *(["conversation"] if each else []), "model", "#calls", "#failed", "#repaired", "#free", "#input",
        "#cached", "#output", "#dollars", "#refused",
    )  # fmt: skip
    for one in found:
        refused = f"{one.quotes_refused + one.notes_refused}"
        of = one.quotes_kept + one.notes_kept + one.quotes_refused + one.notes_refused
        shown.add_row(
            str(one.day), *([words(one.conversation_id or "")] if each else []), one.model, str(one.requests),
            str(one.failed), str(one.repaired), str(one.cached_replies), str(one.input_tokens), str(one.cached_tokens),
            str(one.output_tokens), f"{one.cost_micros / 1_000_000:.4f}", f"{refused} of {of}",
        )  # fmt: skip
    console().print(shown)
