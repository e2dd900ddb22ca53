"""`turnfold usage`: show the usage and cost of models."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import click

from turnfold_worker.cli.output import console, json_option, print_json, table, words
from turnfold_worker.cli.session import Session, pass_session
from turnfold_worker.errors import not_stored

if TYPE_CHECKING:
    from turnfold.contract.attention import Usage


@click.command(short_help="Show model usage and cost.")
@click.argument("conversation", required=False)
@click.option(
    "--days", type=click.IntRange(1, 36_500), default=30, show_default=True, help="Number of days, including today."
)
@click.option("--each", is_flag=True, help="List each conversation separately; erased ones are not included.")
@json_option
@pass_session
def usage(session: Session, conversation: str | None, days: int, each: bool, as_json: bool) -> None:
    """Show calls, tokens and cost of a tenant, or of CONVERSATION, by day (UTC) and model.

    Costs come from TURNFOLD_PRICES at the time of the call. Refused quotes and levels were not said in the
    conversation, or not in so few words: the rules' text is used in their place. Amounts limited by a setting or by
    `turnfold quota` are shown too: turns and bytes of today, stored bytes, and tokens of models today.

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
    rows_of_usage = session.reader.read(
        lambda look: look.usage(session.settings.tenant, since, conversation_id=conversation, each=each)
    )
    bounded = _bounded(session)
    if as_json:
        document = {"tenant": session.settings.tenant, "usage": rows_of_usage}
        print_json(document if not bounded else document | {"bounded": bounded})
        return
    for name, row in bounded.items():
        click.echo(
            f"{_BOUNDED[name]}: {'?' if row['used'] is None else row['used']} of {row['most']} (set by {row['set_by']})"
        )
    if not rows_of_usage:
        click.echo("no model was called in this period")
        return
    _show(rows_of_usage)


_BOUNDED: Final = {
    "turns_a_day": "turns appended today (UTC)", "bytes_a_day": "bytes appended today (UTC)",
    "stored_bytes": "bytes of turns stored", "model_tokens_a_day": "model tokens today (UTC)",
}  # fmt: skip


def _bounded(session: Session) -> dict[str, dict[str, Any]]:
    """Return usage and limit of each amount that is limited."""
    from turnfold_worker.adapters.sql.tenant_quotas import SqlTenantQuotas
    from turnfold_worker.cli.quota_command import standing

    rows = standing(session, SqlTenantQuotas(session.engine), session.settings.tenant)
    return {name: row for name, row in rows.items() if name in _BOUNDED and row["most"]}


def _show(usage_rows: list[Usage]) -> None:
    each = any(usage_row.conversation_id is not None for usage_row in usage_rows)
    rows = table(
        "day", *(["conversation"] if each else []), "model", "#calls", "#failed", "#repaired", "#free", "#input",
        "#cached", "#output", "#dollars", "#refused",
    )  # fmt: skip
    for usage_row in usage_rows:
        refused = f"{usage_row.quotes_refused + usage_row.notes_refused}"
        of = usage_row.quotes_kept + usage_row.notes_kept + usage_row.quotes_refused + usage_row.notes_refused
        rows.add_row(
            str(usage_row.day), *([words(usage_row.conversation_id or "")] if each else []), usage_row.model,
            str(usage_row.requests), str(usage_row.failed), str(usage_row.repaired), str(usage_row.cached_replies),
            str(usage_row.input_tokens), str(usage_row.cached_tokens), str(usage_row.output_tokens),
            f"{usage_row.cost_micros / 1_000_000:.4f}", f"{refused} of {of}",
        )  # fmt: skip
    console().print(rows)
