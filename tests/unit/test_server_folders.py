"""Servers of the tests start wherever the clone and its environment are."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest

from support import postgresql, server_folders

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may not run PostgreSQL itself")


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A folder that no other account may enter, such as root's home."""
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o700)
    return folder


@as_root
@pytest.mark.postgresql
def test_postgresql_starts_from_programs_that_its_account_cannot_reach(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = postgresql.installed_programs().parent
    package = installed.parent
    hidden = shutil.copytree(installed, closed / package.name / installed.name, symlinks=True) / "bin"
    libraries = f"{package.name}.libs"
    shutil.copytree(package.with_name(libraries), closed / libraries, symlinks=True)
    assert not server_folders.is_open(hidden)
    monkeypatch.setattr(postgresql, "installed_programs", lambda: hidden)
    postgresql.reachable_programs.cache_clear()
    with server_folders.own_folder() as folder:
        server = postgresql.PostgresqlServer(folder)
        server.start(fsync=False)
        with psycopg.connect(server.url.replace("postgresql+psycopg", "postgresql")) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        server.stop()
    postgresql.reachable_programs.cache_clear()
    assert closed.stat().st_mode & 0o777 == 0o700, "nobody else's folder was opened"


@as_root
def test_servers_have_an_open_folder_where_that_of_temporary_files_is_closed(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(closed))
    with server_folders.own_folder() as folder:
        assert server_folders.is_open(folder.parent)
        assert closed not in folder.parents
    assert not folder.exists()


def test_a_folder_below_a_closed_one_is_not_open(closed: Path) -> None:
    below = closed / "below"
    below.mkdir(mode=0o777)
    assert not server_folders.is_open(below)
    assert server_folders.is_open(Path("/"))
