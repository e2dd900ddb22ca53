"""The gateway logs JSON objects, and names a component that is not installed."""

from __future__ import annotations

import json
import subprocess
import sys

import httpx
import pytest
from starlette.applications import Starlette

from support.child_processes import child_environment
from turnfold import InvalidSettings
from turnfold_gateway.mcp import missing
from turnfold_gateway.problems import HANDLERS
from turnfold_gateway.settings import GatewaySettings

PROGRAM = """
import logging
from turnfold_gateway.cli.serve import _write_json
_write_json()
logging.getLogger("turnfold_gateway").warning("of %s\\n%s", 1, 2)
logging.getLogger("uvicorn.error").info("left out")
"""


def test_a_gateway_writes_objects() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, env=child_environment(), timeout=60
    )
    (line,) = map(json.loads, done.stderr.splitlines())
    assert (line["level"], line["logger"], line["message"]) == ("WARNING", "turnfold_gateway", "of 1\n2")


def test_another_format_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="TURNFOLD_GATEWAY_BODY_SECONDS must be above 0"):
        GatewaySettings.from_env({"TURNFOLD_GATEWAY_BODY_SECONDS": "0"})
    with pytest.raises(InvalidSettings, match="TURNFOLD_GATEWAY_LOG_FORMAT must be text or json, not 'xml'"):
        GatewaySettings.from_env({"TURNFOLD_GATEWAY_LOG_FORMAT": "xml"})


async def test_a_gateway_without_mcp_says_what_to_install() -> None:
    app = Starlette(routes=missing.routes, exception_handlers=HANDLERS)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://gateway") as http:
        answer = await http.post("/mcp", json={})
    assert answer.status_code == 501
    assert "pip install 'turnfold-gateway[mcp]'" in answer.json()["remedy"]
