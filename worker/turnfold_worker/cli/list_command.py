"""`turnfold list`: which conversations a tenant has."""

from __future__ import annotations

import shlex

import click

from turnfold_worker.cli.output import console, json_option, print_json, table, words
from turnfold_worker.cli.session import Session, pass_session


@click.command("list", short_help="List the conversations of a tenant.")
@click.option("--after", metavar="CONV", default="", help="Go on behind this one.")
@click.option("--limit", "most", type=click.IntRange(1, 1000), default=50, show_default=True, help="Most of them.")
@json_option
@pass_session
def list_conversations(session: Session, after: str, most: int, as_json: bool) -> None:
    """List the conversations that workers have stored for the tenant, by name, a page at a time.

    Those whose first turns still wait in the inbox are not among them yet; `turnfold status` counts these.

    \b
    Examples:
      turnfold list
      turnfold --tenant acme list --limit 500 --json
      turnfold list --after support-4711
    """
    from turnfold_worker.listing import stored_conversations

    page = stored_conversations(session.redis, session.engine, session.settings.tenant, after=after, most=most)
    if as_json:
        print_json({"conversations": page.conversations, "after": page.following})
        return
    if page.conversations:
        shown = table("conversation", "#turns", "#folded", "#anchors", "changed (UTC)")
        for one in page.conversations:
            shown.add_row(
                words(one.conversation_id), str(one.turns), str(one.folded), str(one.anchors),
                f"{one.changed_at:%Y-%m-%d %H:%M}",
            )  # fmt: skip
        console().print(shown)
    elif page.following is None:
        click.echo(
            f"tenant {session.settings.tenant!r} has no stored conversations{' behind this one' * bool(after)}",
            err=True,
        )
    if page.following is not None:
        click.echo(f"more: turnfold list --after {shlex.quote(page.following)}", err=True)
