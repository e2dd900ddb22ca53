"""Output and questions of commands: JSON for programs, tables and trees for people."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from enum import Enum
from pathlib import Path
from threading import Timer
from typing import Any, Final, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from turnfold.contract.lookalikes import escaped_json
from turnfold_worker.cli.failures import Stopped
from turnfold_worker.cli.streams import safe

_Command = TypeVar("_Command", bound=Callable[..., Any])

SLOW_SECONDS: Final = 1.0
"""How long a command may be silent before it says what it is waiting for."""


def json_option(command: _Command) -> _Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON on one line, for programs.")(command)


def yes_option(command: _Command) -> _Command:
    """Add `--yes`, for `ask`."""
    return click.option("--yes", is_flag=True, help="Skip the confirmation prompt.")(command)


def ask(question: str, *, yes: bool) -> None:
    """Ask for confirmation unless `yes`; abort when the answer is no."""
    if not yes:
        click.confirm(question, abort=True, err=True)


def print_json(value: Any) -> None:
    """Print a record, or anything made of records, as one line of JSON."""
    click.echo(json_of(plain(value)))


def say(as_json: bool, answer: dict[str, object], sentence: str) -> None:
    """Print an answer as JSON or as a sentence."""
    if as_json:
        print_json(answer)
    else:
        click.echo(sentence)


def json_of(value: Any, *, indent: int | None = None) -> str:
    """Return readable JSON without characters that could control a terminal."""
    return escaped_json(json.dumps(value, ensure_ascii=False, indent=indent))


def plain(value: Any) -> Any:
    """Convert a value to types that JSON has."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(element) for key, element in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(element) for element in value]
    if isinstance(value, date):
        return value.isoformat()
    return value


def called() -> str:
    """Return how to invoke this command: by its name if that is on the PATH, else by its path."""
    program = Path(sys.argv[0])
    if shutil.which("turnfold") is not None or program.name != "turnfold":
        return "turnfold"
    return str(program.relative_to(Path.cwd()) if program.is_relative_to(Path.cwd()) else program)


@contextmanager
def told_when_slow(sentence: Callable[[], str], *, stopped: str | None = None) -> Iterator[None]:
    """Print what is being waited for to standard error if it takes more than a moment; after Ctrl-C print `stopped`."""
    # Not `click.echo`: only writes through `sys.stderr` appear above a progress bar instead of inside it.
    timer = Timer(SLOW_SECONDS, lambda: sys.stderr.write(f"turnfold: {sentence()}\n"))
    timer.daemon = True
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if stopped is None:
            raise
        raise Stopped(stopped) from None
    finally:
        timer.cancel()


def print_text(text: str) -> None:
    """Print text of a conversation: unchanged to a file or pipe, without control characters on a terminal."""
    click.echo(safe(text) if sys.stdout.isatty() else text, nl=not text.endswith("\n"))


def words(text: str, style: str = "", *, most: int | None = None) -> Text:
    """Return text of a conversation for a table or tree: without markup, and on one line when `most` is given."""
    line = safe(text)
    if most is not None:
        line = " ".join(line.split())
        line = line if len(line) <= most else line[: most - 1] + "…"
    return Text(line, style=style)


def console() -> Console:
    """Return a console for people, wide enough for tables when the output is not a terminal."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else 120)


def table(*columns: str, title: str | None = None) -> Table:
    """Return a plain table; columns whose names begin with `#` contain numbers."""
    made = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        made.add_column(column.lstrip("#"), justify="right" if column.startswith("#") else "left", overflow="fold")
    return made


def progress(*, hidden: bool = False) -> Progress:
    """Return a progress bar on standard error, if that is a terminal; standard output stays for results."""
    errors = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        disable=hidden or not errors.is_terminal,
    )
