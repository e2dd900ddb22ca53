"""The state folder of `turnfold up`: where it is, who runs in it, and the settings to reach it."""

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


class AlreadyRunning(TurnfoldError):  # noqa: N818 - says what is the case
    """Another `turnfold up` runs in the same state folder."""


def default_state_folder(environment: Mapping[str, str]) -> Path:
    """`TURNFOLD_STATE_DIR`, else `turnfold` where this system keeps a user's state."""
    if given := environment.get("TURNFOLD_STATE_DIR"):
        return Path(given).expanduser().absolute()
    home = environment.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(home).expanduser().absolute() / "turnfold"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Own the folder; the lock ends with this process, however it dies. Raises `AlreadyRunning`, `InvalidSettings`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "up.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        msg = f"state cannot be kept in {folder} ({error.strerror})"
        raise InvalidSettings(msg, remedy="set TURNFOLD_STATE_DIR to a folder of your own") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            msg = f"`turnfold up` already runs with its state in {folder}"
            raise AlreadyRunning(msg, remedy="stop it, or set another TURNFOLD_STATE_DIR") from error
        yield
    finally:
        os.close(descriptor)


_OURS: Final = (
    "*-password", "*-key", "*.db", "*.db-*", "*.log", "*.log.1", "settings.json", "up.lock", "redis/*", "redis/*/*",
)  # fmt: skip
"""Files of the folder that `turnfold up` makes."""


def close_to_others(folder: Path) -> None:
    """Let nobody else read what an older version, or another umask, left readable in the folder."""
    for file in (path for pattern in _OURS for path in folder.glob(pattern)):
        if not file.is_symlink() and file.is_file() and file.stat().st_mode & 0o077:
            # Another user's file is that user's to close.
            with suppress(PermissionError):
                file.chmod(file.stat().st_mode & 0o700)


def is_running(folder: Path) -> bool:
    """True while a `turnfold up` owns the folder."""
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
    """The password in a file of the folder, made when it is first asked for.

    Others on this machine can reach the port that it guards, but not read the file.
    """
    file = folder / name
    # An empty one, of a disk that was full, would guard nothing.
    if not file.exists() or not file.stat().st_size:
        _write(file, secrets.token_hex(16))
    return file.read_text()


def write_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Publish how to reach what runs here; readable by this user only, since it holds passwords."""
    _write(folder / "settings.json", json.dumps(settings, indent=2))


def forget_processes(folder: Path) -> None:
    """Leave no number of a process in what `write_settings` wrote: they may be other processes' by now."""
    settings = read_settings(folder)
    if settings.get("pid") or settings.get("processes"):
        write_settings(folder, {**settings, "pid": None, "processes": {}})


def _write(file: Path, content: str) -> None:
    """Write all of it or nothing, readable by this user only."""
    partial = file.with_name(f"{file.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
        opened.write(content)
    partial.replace(file)


def read_settings(folder: Path) -> dict[str, Any]:
    """What `write_settings` wrote last; empty when there is nothing to read."""
    try:
        settings = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return settings if isinstance(settings, dict) else {}


def running_settings(folder: Path) -> dict[str, Any]:
    """How to reach what runs in the folder; empty when nothing does."""
    return read_settings(folder) if is_running(folder) else {}


def sqlite_file(database_url: str) -> Path | None:
    """The file of a SQLite URL; None of another database, and of what is no URL: `connect` says what is wrong then."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(database_url)
    except (ArgumentError, ValueError):
        return None
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    return Path(url.database).expanduser()
