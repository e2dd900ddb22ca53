"""The tests of clients/typescript pass in Node against a real gateway."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.gateway import Gateway
from support.npm import npm

pytestmark = pytest.mark.long


def test_it_does_what_its_tests_say(built_client: Path, gateway: Gateway, tenant: str) -> None:
    key = gateway.key(tenant, "append", "read", "admin")
    npm(built_client, "test", TURNFOLD_GATEWAY_URL=gateway.url, TURNFOLD_GATEWAY_KEY=key)
    assert (built_client / "dist" / "esm" / "index.d.ts").exists()


def test_its_types_are_those_of_the_openapi_document(built_client: Path) -> None:
    committed = (built_client / "src" / "api.ts").read_text(encoding="utf-8")
    npm(built_client, "run", "types")
    assert (built_client / "src" / "api.ts").read_text(encoding="utf-8") == committed
