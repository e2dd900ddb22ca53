"""The server of docs/node.md runs in Node and answers as the page states."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.gateway import Gateway
from support.waiting import wait_until
from turnfold_worker.testing.model_server import OpenAIServer, Request

pytestmark = pytest.mark.long

PAGE = (Path(__file__).parents[3] / "docs" / "node.md").read_text(encoding="utf-8")
(PROGRAM,) = re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL)
TALK = re.findall(r'curl --data "(.*?)" http://127\.0\.0\.1:3000(/\S+)', PAGE)


def echo(request: Request) -> str:
    """Answer as a model that repeats its input."""
    return " | ".join(str(message["content"]) for message in request["messages"])


@pytest.fixture
def chat_url(built_client: Path, gateway: Gateway, tenant: str, tmp_path: Path) -> Iterator[str]:
    """URL of the page's server, with a model that repeats its input."""
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "turnfold").symlink_to(built_client)
    (tmp_path / "chat.mjs").write_text(PROGRAM, encoding="utf-8")
    with OpenAIServer(answer=echo) as model:
        environment = {
            **os.environ, "PORT": "0", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": model.base_url,
            "TURNFOLD_GATEWAY_URL": gateway.url, "TURNFOLD_GATEWAY_KEY": gateway.key(tenant, "append", "read"),
        }  # fmt: skip
        log = tmp_path / "log"
        with log.open("wb") as output:
            server = subprocess.Popen(["node", "chat.mjs"], cwd=tmp_path, env=environment, stdout=output, stderr=output)
        try:
            port = wait_until(lambda: re.search(r"on port (\d+)", log.read_text()))
            yield f"http://127.0.0.1:{port[1]}"
        finally:
            server.kill()
            server.wait()


def test_the_second_answer_is_made_of_what_was_said_first(chat_url: str) -> None:
    answers = [httpx.post(f"{chat_url}{path}", content=text, timeout=120) for text, path in TALK]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert "We must use PostgreSQL, no exceptions." in answers[1].text
    assert "Which database do we use?" in answers[1].text
