"""The TypeScript client, built and run by Node against a real gateway: clients/typescript/test."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.gateway import Gateway

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

SOURCES = Path(__file__).parents[3] / "clients" / "typescript"
OPENAPI = Path(__file__).parents[3] / "gateway" / "openapi.json"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the client with what its tests need, built. Skips without Node, but fails where CI is set."""
    if shutil.which("npm") is None:
        assert not os.environ.get("CI"), "install Node 20 or later: apt-get install nodejs npm"
        pytest.skip("install Node 20 or later: apt-get install nodejs npm")
    folder = tmp_path_factory.mktemp("npm")
    copied = folder / "clients" / "typescript"
    shutil.copytree(SOURCES, copied, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (folder / "gateway").mkdir()
    shutil.copy(OPENAPI, folder / "gateway")
    run(copied, "install", "--no-audit", "--no-fund")
    run(copied, "run", "build")
    return copied


def run(folder: Path, *arguments: str, **environment: str) -> None:
    finished = subprocess.run(
        ["npm", *arguments], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout[-8_000:] + finished.stderr[-4_000:]


def test_it_does_what_its_tests_say(package: Path, gateway: Gateway, tenant: str) -> None:
    key = gateway.key(tenant, "append", "read", "admin")
    run(package, "test", TURNFOLD_GATEWAY_URL=gateway.url, TURNFOLD_GATEWAY_KEY=key)
    assert (package / "dist" / "esm" / "index.d.ts").exists()


def test_its_types_are_those_of_the_openapi_document(package: Path) -> None:
    committed = (package / "src" / "api.ts").read_text(encoding="utf-8")
    run(package, "run", "types")
    assert (package / "src" / "api.ts").read_text(encoding="utf-8") == committed
