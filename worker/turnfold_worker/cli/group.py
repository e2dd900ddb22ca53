"""The command's root: options that every command shares, and the table of commands."""

from __future__ import annotations

from typing import Final

import click

from turnfold_worker.cli.lazy_group import LazyCommand, LazyGroup, OthersCommand
from turnfold_worker.cli.session import Session

COMMANDS: Final = {
    "up": LazyCommand("up", "up", "Run everything on this machine."),
    "demo": LazyCommand("demo", "demo", "See it work, in under a minute."),
    "import": LazyCommand("import_command", "import_files", "Append conversations from files."),
    "export": LazyCommand("export_command", "export", "Write conversations into a file."),
    "list": LazyCommand("list_command", "list_conversations", "List the conversations of a tenant."),
    "context": LazyCommand("reading", "context", "Print a context within a token budget."),
    "expand": LazyCommand("reading", "expand", "Print what a marker stands for."),
    "search": LazyCommand("reading", "search", "Find segments and turns about something."),
    "anchors": LazyCommand("reading", "anchors", "List what must not be lost, verbatim."),
    "notes": LazyCommand("notes_command", "notes", "List what was said, note by note."),
    "why": LazyCommand("why_command", "why", "Tell what stands in a context and why."),
    "timeline": LazyCommand("timeline_command", "timeline", "List what came up, in order."),
    "relations": LazyCommand("notes_command", "relations", "List structured facts: who is, has or did what."),
    "inspect": LazyCommand("inspect_command", "inspect", "Show the tree of a conversation."),
    "status": LazyCommand("status", "status", "Show how far the work is."),
    "jobs": LazyCommand("jobs", "jobs", "Work that waits for a person: list, retry, skip."),
    "refine": LazyCommand("refine_command", "refine", "Let models better what the rules wrote."),
    "usage": LazyCommand("usage_command", "usage", "Show what models did and cost."),
    "quota": LazyCommand("quota_command", "quota", "What single tenants may use: set, show, clear."),
    "edit": LazyCommand("changes", "edit", "Give a turn other words."),
    "delete": LazyCommand("changes", "delete", "Remove what a turn says, for good."),
    "rewind": LazyCommand("changes", "rewind", "Cut off everything after a turn."),
    "forget": LazyCommand("forget", "forget", "Erase a conversation for good."),
    "fold": LazyCommand("fold", "fold", "Fold a file offline, without servers."),
    "doctor": LazyCommand("doctor_command", "doctor", "Check that everything is right."),
    "digest": LazyCommand("doctor_command", "digest", "Print a hash of what is stored."),
    "reshard": LazyCommand("reshard_command", "reshard", "Lay the inboxes out anew."),
    "migrate": LazyCommand("doctor_command", "migrate", "Create or upgrade the schema."),
    "cells": LazyCommand("cells_move_command", "cells", "List cells, and who lives in which; move a tenant."),
    "serve": OthersCommand("turnfold-gateway", "Serve conversations over HTTP."),
    "mcp": OthersCommand("turnfold-gateway", "Serve conversations to an agent (MCP)."),
    "keys": OthersCommand("turnfold-gateway", "Keys of the HTTP API: create, list, revoke."),
    "webhooks": OthersCommand("turnfold-gateway", "Endpoints for a tenant's events: add, list, remove, test."),
    "serve-metrics": LazyCommand("metrics_command", "serve_metrics", "Serve metrics for Prometheus."),
}


@click.group(
    cls=LazyGroup,
    lazy_commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=(
        "Exit codes: 0 it worked, 1 a check failed or what was asked for does not exist, 2 wrong input, 3 something is "
        "not running, 4 a quota is used up."
    ),
)
@click.option("--redis-url", help="Redis of the inboxes.  [TURNFOLD_REDIS_URL]")
@click.option("--database-url", help="Database that the workers write.  [TURNFOLD_DATABASE_URL]")
@click.option("--tenant", help="Whose conversations.  [TURNFOLD_TENANT]")
@click.option("--cell", help="The cell of TURNFOLD_CELLS; else the tenant's.  [TURNFOLD_CELL]")
@click.version_option(package_name="turnfold-worker")
@click.pass_context
def main(
    ctx: click.Context, redis_url: str | None, database_url: str | None, tenant: str | None, cell: str | None
) -> None:
    """Fold conversations of any length into a context that fits any token budget.

    \b
    See it work, in under a minute:
      turnfold demo

    \b
    Run everything on this machine, and use it from a second terminal:
      turnfold up
      turnfold import chat.jsonl
      turnfold context chat --budget 2000
      turnfold expand chat L1:auth-options-17

    \b
    Without any server, in this process:
      turnfold fold chat.jsonl --budget 2000

    Settings come from the options below, else from TURNFOLD_* variables, else from a running `turnfold up`, which is
    used only if no option or variable names another Redis or database.
    """
    ctx.obj = Session(redis_url=redis_url, database_url=database_url, tenant=tenant, cell=cell)
    ctx.call_on_close(ctx.obj.close)
