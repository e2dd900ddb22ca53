"""The command's root: options that every command shares, and the commands by what they are for."""

from __future__ import annotations

import click

from turnfold_worker.cli.changes import delete, edit, rewind
from turnfold_worker.cli.demo import demo
from turnfold_worker.cli.doctor_command import digest, doctor, migrate
from turnfold_worker.cli.failures import Group
from turnfold_worker.cli.fold import fold
from turnfold_worker.cli.forget import forget
from turnfold_worker.cli.import_command import import_files
from turnfold_worker.cli.inspect_command import inspect
from turnfold_worker.cli.jobs import jobs
from turnfold_worker.cli.list_command import list_conversations
from turnfold_worker.cli.metrics_command import serve_metrics
from turnfold_worker.cli.reading import anchors, context, expand, search
from turnfold_worker.cli.refine_command import refine
from turnfold_worker.cli.session import Session
from turnfold_worker.cli.status import status
from turnfold_worker.cli.up import up
from turnfold_worker.cli.usage_command import usage


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=(
        "Exit codes: 0 it worked, 1 a check failed or what was asked for does not exist, 2 wrong input, 3 something is "
        "not running."
    ),
)
@click.option("--redis-url", help="Redis of the inboxes.  [TURNFOLD_REDIS_URL]")
@click.option("--database-url", help="Database that the workers write.  [TURNFOLD_DATABASE_URL]")
@click.option("--tenant", help="Whose conversations.  [TURNFOLD_TENANT]")
@click.version_option(package_name="turnfold-worker")
@click.pass_context
def main(ctx: click.Context, redis_url: str | None, database_url: str | None, tenant: str | None) -> None:
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

    Settings come from the options below, else from TURNFOLD_* variables, else from a running `turnfold up`: from it
    only where no option and no variable names another Redis or database.
    """
    ctx.obj = Session(redis_url=redis_url, database_url=database_url, tenant=tenant)
    ctx.call_on_close(ctx.obj.close)


for command in (
    up, demo, import_files, list_conversations, context, expand, search, anchors, inspect, status, jobs, refine, usage,
    edit, delete, rewind, forget, fold, doctor, digest, migrate, serve_metrics,
):  # fmt: skip
    main.add_command(command)
