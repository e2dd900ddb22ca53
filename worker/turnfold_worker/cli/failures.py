"""Errors at a terminal: one clear line, a meaningful exit code, no traceback.

0  success
1  a check failed, or the requested thing does not exist
2  the command or its input is wrong
3  something required is missing: Redis, the database, a worker
4  a quota of the tenant is used up: the same command works later, or with a larger quota
"""

from __future__ import annotations

import errno
from typing import IO, Any, Final

import click

from turnfold.errors import InvalidInput, QuotaExceeded, TurnfoldError, Unavailable
from turnfold_worker.cli.streams import let_every_word_through, safe
from turnfold_worker.errors import Retryable

FAILED: Final = 1
WRONG_INPUT: Final = 2
NOT_AVAILABLE: Final = 3
QUOTA_USED_UP: Final = 4


class _OneLine(click.ClickException):
    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"turnfold: {safe(self.format_message())}", file=file, err=file is None)


class Stopped(_OneLine):
    """Ctrl-C, with a message about what was done by then."""

    exit_code = FAILED


class Failure(_OneLine):
    """An SDK error, converted for the terminal."""

    def __init__(self, error: TurnfoldError) -> None:
        super().__init__(str(error))
        self.exit_code = exit_code_of(error)  # type: ignore[misc]  # a class variable only by its declaration


def exit_code_of(error: TurnfoldError) -> int:
    if isinstance(error, InvalidInput):
        return WRONG_INPUT
    if isinstance(error, LookupError):
        return FAILED
    return QUOTA_USED_UP if isinstance(error, QuotaExceeded) else NOT_AVAILABLE


class Group(click.Group):
    """A group whose commands may raise any `TurnfoldError`."""

    def main(self, *args: Any, **extra: Any) -> Any:
        let_every_word_through()
        return super().main(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except TurnfoldError as error:
            raise Failure(error) from error
        except Retryable as error:
            raise Failure(Unavailable(error.problem, remedy=error.remedy)) from error
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            full = Unavailable("the disk is full", remedy="free some space and run the command again")
            raise Failure(full) from error
