"""The settings of a command: those of the calling `turnfold`, else from environment variables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from turnfold import SchemaMismatch, Settings, TurnfoldError, Unavailable
from turnfold.database.schema_check import check_readable


def sdk_settings() -> Settings:
    """Return the settings of `turnfold`'s session, including its options and a running `turnfold up`.

    Without such a session, the environment's. Raises `InvalidSettings`.
    """
    settings = getattr(click.get_current_context().obj, "settings", None)
    if isinstance(settings, Settings):
        return settings
    settings = Settings.from_env()
    return settings.of_tenant(settings.tenant)


def serving_settings() -> Settings:
    """Like `sdk_settings`, but for all cells when none is named. Raises `InvalidSettings`."""
    settings = getattr(click.get_current_context().obj, "settings_of_all_cells", None)
    return settings if isinstance(settings, Settings) else Settings.from_env()


class _Refusal(click.ClickException):
    def __init__(self, error: TurnfoldError) -> None:
        super().__init__(str(error))
        code = 2 if isinstance(error, ValueError) else 1 if isinstance(error, LookupError) else 3
        self.exit_code = code  # type: ignore[misc]  # a class variable only by its declaration


@contextmanager
def errors_in_a_line() -> Iterator[None]:
    """Print SDK errors without a traceback, and exit with 2 for wrong input, 1 for an unknown thing, 3 otherwise."""
    try:
        yield
    except TurnfoldError as error:
        raise _Refusal(error) from error


def refuse_other_schema(*settings: Settings) -> None:
    """Raise `SchemaMismatch` when every database's schema is unsuitable for this version.

    A database that does not answer does not prevent serving: its first reader checks again.
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
