"""`turnfold up`: run everything on this machine until it is stopped."""

from __future__ import annotations

import os
import shlex
import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from turnfold.errors import Unavailable
from turnfold_worker.cli.output import called, json_option, print_json
from turnfold_worker.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from turnfold_worker.local.stack import Stack

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK_SECONDS = 0.1


@click.command(short_help="Run the whole stack on this machine.")
@click.option(
    "--port", type=click.IntRange(1, 65535), help="Port of the embedded Redis; default: the previous or a free one."
)
@click.option(
    "--ingest-workers",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Number of processes that store turns.",
)
@click.option(
    "--compress-workers",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Number of processes that fold them.",
)
@click.option("--flower/--no-flower", default=True, show_default=True, help="Run Flower to monitor tasks.")
@click.option(
    "--flower-port", type=click.IntRange(1, 65535), help="Port of Flower; default: the previous or a free one."
)
@click.option(
    "--gateway/--no-gateway", default=True, show_default=True, help="Run the HTTP gateway (turnfold-gateway)."
)
@click.option(
    "--gateway-port", type=click.IntRange(1, 65535), help="Port of the gateway; default: the previous or a free one."
)
@json_option
@pass_session
def up(
    session: Session,
    port: int | None,
    ingest_workers: int,
    compress_workers: int,
    flower: bool,
    flower_port: int | None,
    gateway: bool,
    gateway_port: int | None,
    as_json: bool,
) -> None:
    """Run Redis, the database, workers, Flower and the HTTP gateway on this machine, until Ctrl-C.

    State is kept in TURNFOLD_STATE_DIR (default ~/.local/state/turnfold). If TURNFOLD_REDIS_URL or
    TURNFOLD_DATABASE_URL is set, that server is used instead of an embedded Redis or a SQLite file. Other commands find
    a running `turnfold up` on their own; for programs, it prints the variables to export.

    \b
    Examples:
      turnfold up
      TURNFOLD_STATE_DIR=/tmp/try turnfold up --json
    """
    from turnfold_worker.local.stack import Stack

    signals = _Signals()
    stack = Stack(
        session.state_folder,
        environment=_environment(session),
        port=port,
        ingest_workers=ingest_workers,
        compress_workers=compress_workers,
        flower=flower,
        flower_port=flower_port,
        gateway=gateway,
        gateway_port=gateway_port,
        tell=lambda sentence: click.echo(f"turnfold: {sentence}", err=True),
        cancelled=lambda: signals.came,
    )
    with signals, _for_this_user_alone():
        try:
            stack.start()
            if as_json:
                print_json(stack.as_json())
            else:
                _say_ready(stack)
            signals.wait()
        except Unavailable:
            # A signal interrupted the start.
            if not signals.came:
                raise
        finally:
            stack.stop()
    click.echo("turnfold: stopped", err=True)


@contextmanager
def _for_this_user_alone() -> Iterator[None]:
    """Make files written by this process and its children private, even in a folder that already existed."""
    mask_before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(mask_before)


class _Signals:
    """Records that a signal came. The handler raises nothing, since it may run within any line of any library."""

    def __init__(self) -> None:
        self.came = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        self._before = {number: signal.signal(number, self._remember) for number in STOP_SIGNALS}

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def wait(self) -> None:
        # Not an Event: a handler that sets one can deadlock on the lock that it interrupted.
        while not self.came:
            time.sleep(LOOK_SECONDS)

    def _remember(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - signal's signature
        self.came = True


def _environment(session: Session) -> dict[str, str]:
    """Return the environment with the command's options applied."""
    environment = dict(session.environment)
    for name in ("redis_url", "database_url", "tenant"):
        if (option := getattr(session, name)) is not None:
            environment[f"TURNFOLD_{name.upper()}"] = option
    return environment


def _say_ready(stack: Stack) -> None:
    click.echo("Turnfold is up. Ctrl-C stops it. In another terminal:\n")
    for name, setting in stack.variables.items():
        click.echo(f"  export {name}={shlex.quote(setting)}")
    commands = ("import chat.jsonl", "context chat --budget 2000", "status")
    click.echo("\n" + "".join(f"  {called()} {command}\n" for command in commands))
    if stack.flower is not None:
        click.echo(f"Watch the workers at {stack.flower.url}")
    if stack.gateway is not None:
        click.echo(f"HTTP API at {stack.gateway.url}, key {stack.gateway.key}")
        click.echo(f"Browse conversations at {stack.gateway.url}/ui")
    click.echo(f"Logs are in {stack.variables['TURNFOLD_STATE_DIR']}.")
