"""`turnfold list`: list a tenant's conversations."""

from __future__ import annotations

import shlex

import click

from turnfold_worker.cli.output import console, json_option, print_json, table, words
from turnfold_worker.cli.session import Session, pass_session


@click.command("list", short_help="List the conversations of a tenant.")
@click.option("--after", metavar="CONV", default="", help="Start after this conversation.")
@click.option(
    "--limit", "most", type=click.IntRange(1, 1000), default=50, show_default=True, help="Maximum number to list."
)
@json_option
@pass_session
def list_conversations(session: Session, after: str, most: int, as_json: bool) -> None:
    """List the conversations that workers have stored for the tenant, by name, a page at a time.

    Conversations whose first turns still wait in the inbox are not listed yet; `turnfold status` counts them. A turn is
    either in a segment, or folded in the open tail, which is not in a segment yet.

    \b
    Examples:
      turnfold list
      turnfold --tenant acme list --limit 500 --json
      turnfold list --after support-4711
    """
    conversations = session.turnfold.conversations(after=after or None, limit=most)
    following = conversations[-1].conversation_id if conversations else None
    if following is not None and not session.turnfold.conversations(after=following, limit=1):
        following = None
    if as_json:
        print_json({"conversations": conversations, "after": following})
        return
    if conversations:
        has_titles = any(conversation.title for conversation in conversations)
        names = ["conversation", "title"] if has_titles else ["conversation"]
        rows = table(*names, "#turns", "#in segments", "#open", "#anchors", "changed (UTC)")
        for conversation in conversations:
            named = (conversation.conversation_id, conversation.title or "")[: len(names)]
            counts = (
                conversation.turns, conversation.closed, max(0, conversation.folded - conversation.closed),
                conversation.anchors,
            )  # fmt: skip
            rows.add_row(*map(words, named), *map(str, counts), f"{conversation.changed_at:%Y-%m-%d %H:%M}")
        console().print(rows)
    else:
        click.echo(
            f"tenant {session.settings.tenant!r} has no stored conversations{' after this one' * bool(after)}",
            err=True,
        )
    if following is not None:
        click.echo(f"more: turnfold list --after {shlex.quote(following)}", err=True)
