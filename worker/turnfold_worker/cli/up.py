"""`turnfold up`: everything on this machine, until it is stopped."""

from __future__ import annotations

import shlex
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from turnfold_worker.cli.output import json_option, print_json
from turnfold_worker.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from turnfold_worker.cli.stack import Stack

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@click.command(short_help="Run everything on this machine.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the embedded Redis; else the last or a free one.")
@click.option(
    "--ingest-workers", type=click.IntRange(0), default=1, show_default=True, help="Processes that store turns."
)
@click.option(
    "--compress-workers", type=click.IntRange(0), default=1, show_default=True, help="Processes that fold them."
)
@json_option
@pass_session
def up(session: Session, port: int | None, ingest_workers: int, compress_workers: int, as_json: bool) -> None:
    """Run Redis, the database and workers on this machine, until Ctrl-C.

    State is kept in TURNFOLD_STATE_DIR (default ~/.local/state/turnfold). With TURNFOLD_REDIS_URL or
    TURNFOLD_DATABASE_URL set, those are used instead of an embedded Redis and a SQLite file. Other commands find a
    running `turnfold up` by themselves; for programs it prints the variables to export.

    \b
    Examples:
      turnfold up
      TURNFOLD_STATE_DIR=/tmp/try turnfold up --json
    """
    from turnfold_worker.cli.stack import Stack

    stack = Stack(
        session.state_folder,
        environment=_environment(session),
        port=port,
        ingest_workers=ingest_workers,
        compress_workers=compress_workers,
        tell=lambda sentence: click.echo(f"turnfold: {sentence}", err=True),
    )
    with _stopped_by_signals() as stopping:
        try:
            stack.start()
            if as_json:
                print_json(stack.as_json())
            else:
                _say_ready(stack)
            stopping.wait()
        except _Stopped:
            pass
        finally:
            stopping.set()
            stack.stop()
    click.echo("turnfold: stopped", err=True)


class _Stopped(BaseException):
    """A signal came while something was being started."""


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """The first signal sets the event, or breaks off a start; later ones do not disturb the stopping."""
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the form that signal wants
        if not stopping.is_set():
            stopping.set()
            raise _Stopped

    before = {number: signal.signal(number, stop) for number in STOP_SIGNALS}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _environment(session: Session) -> dict[str, str]:
    """The environment, with the command's options in it."""
    environment = dict(session.environment)
    for name in ("redis_url", "database_url", "tenant"):
        if (value := getattr(session, name)) is not None:
            environment[f"TURNFOLD_{name.upper()}"] = value
    return environment


def _say_ready(stack: Stack) -> None:
    click.echo("Turnfold is up. Ctrl-C stops it. In another terminal:\n")
    for name, value in stack.variables.items():
        click.echo(f"  export {name}={shlex.quote(value)}")
    click.echo("\n  turnfold import chat.jsonl\n  turnfold context chat --budget 2000\n  turnfold status\n")
    click.echo(f"Logs are in {stack.variables['TURNFOLD_STATE_DIR']}.")
