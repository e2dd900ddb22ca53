"""Run `celery -A turnfold_worker.celery_app worker` or `flower` without the rest of Celery's command line.

`celery` imports all its subcommands and installed plugins, among them an interactive shell and Flower, before it parses
its arguments: a quarter of a second of CPU for each process that `turnfold up` starts.

    python -m turnfold_worker.local.celery_program worker --queues turnfold.ingest
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click
from celery.bin.base import CLIContext

from turnfold_worker.celery_app import app


def main(arguments: Sequence[str]) -> None:
    """Run a worker or Flower, as the first argument says, until this process ends."""
    if arguments[0] == "flower":
        from flower.command import flower as command
    else:
        from celery.bin.worker import worker as command
    program = click.Group(commands=[command])
    program.main(
        arguments,
        prog_name="celery",
        obj=CLIContext(app=app, no_color=False, workdir=None),
        auto_envvar_prefix="CELERY",
    )


if __name__ == "__main__":
    main(sys.argv[1:])
