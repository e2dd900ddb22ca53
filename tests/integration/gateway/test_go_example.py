"""The program of examples/go runs against a real gateway."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.gateway import Gateway
from support.needed import skip_or_fail

EXAMPLE = Path(__file__).parents[3] / "examples" / "go" / "main.go"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The example, compiled. Skips without Go, but fails where CI is set."""
    go = shutil.which("go") or skip_or_fail("install Go: apt-get install golang-go")
    environment = {**os.environ, "GOCACHE": str(tmp_path / "cache"), "GO111MODULE": "off"}
    subprocess.run([go, "build", "-o", tmp_path / "example", EXAMPLE], env=environment, check=True)
    return tmp_path / "example"


@pytest.mark.long
def test_it_appends_a_turn_and_reads_a_context(program: Path, gateway: Gateway, tenant: str) -> None:
    key = gateway.key(tenant, "append", "read")
    environment = {"TURNFOLD_GATEWAY_URL": gateway.url, "TURNFOLD_GATEWAY_KEY": key}
    finished = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
    assert "We must use PostgreSQL, no exceptions." in finished.stdout
    refused = subprocess.run(
        [program], env={**environment, "TURNFOLD_GATEWAY_KEY": "wrong"}, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "turnfold keys create" in refused.stderr
