"""The state folder of `turnfold up`: its location, its lock, and the settings for connecting to the services."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from turnfold.errors import InvalidSettings, TurnfoldError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class AlreadyRunning(TurnfoldError):  # noqa: N818 - named after the state it reports
    """Raised when another `turnfold up` runs in the same state folder."""


def default_state_folder(environment: Mapping[str, str]) -> Path:
    """Return `TURNFOLD_STATE_DIR`, else `turnfold` in the user's XDG state directory."""
    if given := environment.get("TURNFOLD_STATE_DIR"):
        return Path(given).expanduser().absolute()
    home = environment.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(home).expanduser().absolute() / "turnfold"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder until this process ends, for any reason. Raises `AlreadyRunning`, `InvalidSettings`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        msg = f"cannot write state to {folder} ({error.strerror})"
        raise InvalidSettings(msg, remedy="set TURNFOLD_STATE_DIR to a folder you can write to") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            msg = f"`turnfold up` is already running with its state in {folder}"
            raise AlreadyRunning(msg, remedy="stop it, or use another TURNFOLD_STATE_DIR") from error
        yield
    finally:
        os.close(descriptor)


_OURS: Final = (
    "*-password", "*-key", "*.db", "*.db-*", "*.log", "*.log.1", "settings.json", "up.lock", "redis/*", "redis/*/*",
)  # fmt: skip
"""Patterns of the files that `turnfold up` makes in the folder."""


def close_to_others(folder: Path) -> None:
    """Make our files private where an older version, or another umask, left them readable by other users."""
    for file in (path for pattern in _OURS for path in folder.glob(pattern)):
        if not file.is_symlink() and file.is_file() and file.stat().st_mode & 0o077:
            # A file of another user cannot be changed from here.
            with suppress(PermissionError):
                file.chmod(file.stat().st_mode & 0o700)


def is_running(folder: Path) -> bool:
    """Tell whether a `turnfold up` owns the folder."""
    try:
        descriptor = os.open(folder / "up.lock", os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


def kept_password(folder: Path, name: str) -> str:
    """Return the password in a file of the folder, generating it on first use.

    Other users of this machine can reach the port that it protects, but cannot read the file.
    """
    file = folder / name
    # An empty file, left by a full disk, would protect nothing.
    if not file.exists() or not file.stat().st_size:
        _write(file, secrets.token_hex(16))
    return file.read_text()


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Publish the connection settings; readable by this user only, since they contain passwords."""
    _write(folder / "settings.json", json.dumps(settings, indent=2))


def forget_processes(folder: Path) -> None:
    """Remove process ids from the published settings: other processes may have them by now."""
    settings = read_settings(folder)
    if settings.get("pid") or settings.get("processes"):
        write_settings(folder, {**settings, "pid": None, "processes": {}})


def _write(file: Path, content: str) -> None:
    """Write a file atomically, readable by this user only."""
    partial = file.with_name(f"{file.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(content)
    partial.replace(file)


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings that `write_settings` wrote last; empty when there are none."""
    try:
        settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return settings if isinstance(settings, dict) else {}


def running_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of the stack that runs in the folder; empty when none does."""
    return read_settings(folder) if is_running(folder) else {}


def sqlite_file(database_url: str) -> Path | None:
    """Return the file of a SQLite URL; None for another database or an invalid URL, which `connect` reports."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(database_url)
    except (ArgumentError, ValueError):
        return None
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    return Path(url.database).expanduser()
