"""The TypeScript client, built by npm in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


def npm(folder: Path, *arguments: str, **environment: str) -> None:
    """Run npm in a folder. Fails with its output."""
    finished = subprocess.run(
        ["npm", *arguments], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout[-8_000:] + finished.stderr[-4_000:]


def build_client(folder: Path) -> Path:
    """Copy clients/typescript and the gateway's OpenAPI document, install what its tests need, and build it."""
    client = folder / "clients" / "typescript"
    ignored = shutil.ignore_patterns("node_modules", "dist")
    shutil.copytree(ROOT / "clients" / "typescript", client, ignore=ignored)
    (folder / "gateway").mkdir()
    shutil.copy(ROOT / "gateway" / "openapi.json", folder / "gateway")
    npm(client, "install", "--no-audit", "--no-fund")
    npm(client, "run", "build")
    return client
