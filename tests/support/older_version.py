"""The oldest version in this repository's history that may share a database with today's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

import pytest

REPOSITORY: Final = Path(__file__).parents[2]
PACKAGES: Final = ("producer_sdk", "worker")
FIRST_MIGRATION: Final = "worker/turnfold_worker/migrations/versions/0001_first.py"
"""Defines version 1 of the schema, which today's databases support until they are contracted."""

MIGRATE: Final = "import sys; from turnfold_worker.operate.migrate import upgrade; upgrade(sys.argv[1])"
SCHEMA: Final = "from turnfold.contract.tables import SCHEMA_VERSION; print(SCHEMA_VERSION)"
DIGEST: Final = (
    "import json, sys; from turnfold_worker import offline; "
    "turns = json.load(sys.stdin); "
    "print(offline.fold(turns, conversation_id=sys.argv[1]).digest())"
)


@dataclass(frozen=True)
class OlderVersion:
    """The sources of a commit, which a process imports instead of today's."""

    commit: str
    folder: Path

    @property
    def python_path(self) -> str:
        return os.pathsep.join(str(self.folder / package) for package in PACKAGES)

    def python(self, *arguments: str, standard_input: str = "") -> str:
        """Run this version's Python and return its output."""
        environment = {**os.environ, "PYTHONPATH": self.python_path}
        return subprocess.run(
            [sys.executable, "-P", *arguments], env=environment, input=standard_input, capture_output=True, text=True,
            check=True, timeout=120,
        ).stdout.strip()  # fmt: skip


def oldest_compatible(folder: Path) -> OlderVersion:
    """Extract the sources of the oldest commit with today's first migration into a folder.

    Skips the test without git, or without the repository's history.
    """
    if shutil.which("git") is None or not (REPOSITORY / ".git").exists():
        pytest.skip(f"{REPOSITORY} is no clone of the repository: there is no older version to run")
    commit = _oldest_commit()
    for package in PACKAGES:
        with tarfile.open(fileobj=BytesIO(_git("archive", commit, package))) as archive:
            archive.extractall(folder, filter="data")
    return OlderVersion(commit, folder)


def _oldest_commit() -> str:
    today = _schema_of((REPOSITORY / FIRST_MIGRATION).read_bytes())
    same = ""
    commits = _git("log", "--format=%H", "--", FIRST_MIGRATION).decode().split()
    for commit in commits:
        if _schema_of(_git("show", f"{commit}:{FIRST_MIGRATION}")) != today:
            break
        same = commit
    if not same or _git("rev-parse", "--is-shallow-repository").strip() == b"true":
        pytest.skip("the clone has no older version to run: git fetch --unshallow")
    return same


def _schema_of(migration: bytes) -> list[bytes]:
    """Return a migration's lines without the one that names its phase, which was added later."""
    return [line for line in migration.splitlines() if line.strip() and not line.startswith(b"phase:")]


def _git(*arguments: str) -> bytes:
    command = ["git", "-c", f"safe.directory={REPOSITORY}", "-C", str(REPOSITORY), *arguments]
    return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout
