"""The settings that a command works with: those of `turnfold` that calls it, else the variables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from turnfold import SchemaMismatch, Settings, TurnfoldError, Unavailable
from turnfold.database.schema_check import check_readable


def sdk_settings() -> Settings:
    """The SDK's settings: of `turnfold`'s session, with its options and a running `turnfold up`, where there is one.

    Raises `InvalidSettings`.
    """
    settings = getattr(click.get_current_context().obj, "settings", None)
    if isinstance(settings, Settings):
        return settings
    settings = Settings.from_env()
    return settings.of_tenant(settings.tenant)


def serving_settings() -> Settings:
    """As `sdk_settings`, but of all cells where none is named. Raises `InvalidSettings`."""
    settings = getattr(click.get_current_context().obj, "settings_of_all_cells", None)
    return settings if isinstance(settings, Settings) else Settings.from_env()


class _Refusal(click.ClickException):
    def __init__(self, error: TurnfoldError) -> None:
        super().__init__(str(error))
        code = 2 if isinstance(error, ValueError) else 1 if isinstance(error, LookupError) else 3
        self.exit_code = code  # type: ignore[misc]  # a class variable only by its declaration


@contextmanager
def errors_in_a_line() -> Iterator[None]:
    """End with the SDK's message and no traceback. Exit code 2: the input is wrong, 1: there is no such thing, or 3."""
    try:
        yield
    except TurnfoldError as error:
        raise _Refusal(error) from error


def refuse_other_schema(*settings: Settings) -> None:
    """Raise `SchemaMismatch` where no database of these serves this version.

    A database that does not answer is no reason not to serve: what reads it first looks again.
    """
    mismatches = []
    for of_one in settings:
        try:
            check_readable(of_one)
        except Unavailable:
            continue
        except SchemaMismatch as mismatch:
            mismatches.append(mismatch)
    if len(mismatches) == len(settings):
        raise mismatches[0]
