"""The command's root: options that every command shares, and the table of commands."""

from __future__ import annotations

from typing import Final

import click

from turnfold_worker.cli.lazy_group import LazyCommand, LazyGroup, OthersCommand
from turnfold_worker.cli.session import Session

COMMANDS: Final = {
    "up": LazyCommand("up", "up", "Run the whole stack on this machine."),
    "demo": LazyCommand("demo", "demo", "Run a demo in under a minute."),
    "import": LazyCommand("import_command", "import_files", "Append conversations from files."),
    "export": LazyCommand("export_command", "export", "Export conversations to a file."),
    "list": LazyCommand("list_command", "list_conversations", "List the conversations of a tenant."),
    "context": LazyCommand("reading", "context", "Print a context within a token budget."),
    "expand": LazyCommand("reading", "expand", "Print what a marker stands for."),
    "search": LazyCommand("reading", "search", "Search segments and turns."),
    "anchors": LazyCommand("reading", "anchors", "List decisions, constraints and the like, verbatim."),
    "notes": LazyCommand("notes_command", "notes", "List the notes of a conversation."),
    "why": LazyCommand("why_command", "why", "Explain what is in a context and why."),
    "timeline": LazyCommand("timeline_command", "timeline", "List first mentions in order."),
    "relations": LazyCommand("notes_command", "relations", "List structured facts: who is, has or did what."),
    "inspect": LazyCommand("inspect_command", "inspect", "Show the tree of a conversation."),
    "status": LazyCommand("status", "status", "Show progress, queues and workers."),
    "jobs": LazyCommand("jobs", "jobs", "List, retry or skip parked and failing work."),
    "refine": LazyCommand("refine_command", "refine", "Let models improve what the rules wrote."),
    "usage": LazyCommand("usage_command", "usage", "Show model usage and cost."),
    "quota": LazyCommand("quota_command", "quota", "Set, show or clear limits of a tenant."),
    "edit": LazyCommand("changes", "edit", "Replace the content of a turn."),
    "delete": LazyCommand("changes", "delete", "Permanently delete the content of a turn."),
    "rewind": LazyCommand("changes", "rewind", "Permanently delete all turns after a turn."),
    "forget": LazyCommand("forget", "forget", "Permanently erase a conversation."),
    "fold": LazyCommand("fold", "fold", "Fold a file offline, without servers."),
    "doctor": LazyCommand("doctor_command", "doctor", "Check servers, workers and stored data."),
    "digest": LazyCommand("doctor_command", "digest", "Print a hash of the stored state."),
    "reshard": LazyCommand("reshard_command", "reshard", "Change the number of inbox shards or servers."),
    "migrate": LazyCommand("doctor_command", "migrate", "Create or upgrade the schema."),
    "cells": LazyCommand("cells_move_command", "cells", "List cells and their tenants; move a tenant."),
    "serve": OthersCommand("turnfold-gateway", "Serve conversations over HTTP."),
    "mcp": OthersCommand("turnfold-gateway", "Serve conversations to an agent (MCP)."),
    "keys": OthersCommand("turnfold-gateway", "Create, list or revoke HTTP API keys."),
    "webhooks": OthersCommand("turnfold-gateway", "Add, list, remove or test webhooks."),
    "serve-metrics": LazyCommand("metrics_command", "serve_metrics", "Serve metrics for Prometheus."),
}


@click.group(
    cls=LazyGroup,
    lazy_commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=(
        "Exit codes: 0 success, 1 a check failed or something was not found, 2 invalid input, 3 a service is not "
        "running, 4 a quota is exhausted."
    ),
)
@click.option("--redis-url", help="Redis for the inboxes.  [TURNFOLD_REDIS_URL]")
@click.option("--database-url", help="Database that workers write to.  [TURNFOLD_DATABASE_URL]")
@click.option("--tenant", help="Tenant to work on.  [TURNFOLD_TENANT]")
@click.option("--cell", help="Cell in TURNFOLD_CELLS; default: the tenant's.  [TURNFOLD_CELL]")
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
